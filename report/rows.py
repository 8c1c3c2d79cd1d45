# SPDX-License-Identifier: ISC
"""Results put together: those of one configuration are a row, with a name, and the rows that one
table can hold are a section."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from report import figures, results, stats, usage

MEANINGS = {
    "none": "nothing is stored: this is what measuring costs",
    "volatile": "a killed process loses acknowledged changes, and so does a power cut",
    "process-safe": "a killed process loses nothing, a power cut any number of changes",
    "bounded": "a killed process loses nothing, a power cut the changes of a short, known time",
    "power-safe": "every acknowledged change survives a power cut",
}
NODE_LOSS = ("what becomes of acknowledged changes if the server's machine never comes back; they "
             "survive if another one had to have them")

# Where a property stands.  The product is the first fact: the store's name and version.  --sync
# and --set are requests: the facts have what was read back.
STORE, VERSION, DURABILITY, PARAMETER, REQUEST, PRODUCT, FACT, LABEL, HOST = KINDS = (
    "store", "version", "durability", "parameter", "request", "product", "fact", "label", "host")
# What bears on the figures; and what of it may have changed on another day.
CONFIGURATION = {VERSION, DURABILITY, PARAMETER, PRODUCT, FACT, HOST}
HISTORY = {VERSION, DURABILITY, PRODUCT, HOST}

# These never say anything of a result: how it was printed, its place in a campaign, and what else
# the machine did.
NEVER = {"output", "json", "verbose", "progress", "label", "campaign", "order-seed", "block",
         "position", "role", "cell", "load", "steal", "cpu_pressure", "io_pressure", "throttled"}
# These may differ between results of one configuration.
IGNORED = {"file", "database", "port", "user", "seed", "repeat", "connect-timeout", "read-timeout",
           "Kea library"}
# Parameters of the load, in the order in which names have them; of an open loop without its rate,
# which its tables have.  Those of the work, and not of what does it, differ within a setup.
LOAD = ["workload", "ipv6", "schema", "lease", "threads", "batch", "hit-ratio", "subnets",
        "preload", "search-by", "probes", "hosts", "pool", "pace", "allocator", "arrivals", "queue",
        "queue-policy", "clients", "spread", "hook-delay", "hook", "server-time",
        "cache-threshold"]
WORK = {*LOAD, "count", "warmup", "rate", "find-rate", "duration", "deadline"} - {
    "ipv6", "schema", "lease", "threads", "subnets", "cache-threshold"}


class Item(NamedTuple):
    """A property: what a result is told apart by."""
    kind: str
    name: str
    value: str


Key = tuple[Item, ...]
Name = tuple[str, str]  # the kind and the name of items


def make_key(result: dict, kinds: Iterable[str], everything: bool = False) -> Key:
    """The properties of some kinds; those that bear on no figure only if everything is wanted."""
    def kind_of(kind, name, first):
        if kind == FACT and first:
            return PRODUCT
        return REQUEST if kind == PARAMETER and name in ("sync", "set") else kind

    # As little as the parameter does the port tell two servers apart.
    items = [Item(kind_of(kind, name, i == 0), name, value if name != "connection" else
                  value.partition(", port ")[0])
             for kind, place in ((PARAMETER, "parameters"), (FACT, "facts"), (LABEL, "labels"),
                                 (HOST, "host"))
             for i, (name, value) in enumerate(result[place].items())]
    items += [Item(DURABILITY, "durability", result["durability"]["from"]),
              Item(VERSION, "version", result["version"]), Item(STORE, "store", result["store"])]
    return tuple(item for item in items if item.kind in kinds and item.name not in NEVER and
                 (everything or item.name not in IGNORED))


def key_of_setup(key: Key) -> Key:
    """Without the parameters that say which work was done, and how much."""
    return tuple(item for item in key if item.kind != PARAMETER or item.name not in WORK)


def as_names(key: Key) -> dict[Name, str]:
    return {(item.kind, item.name): item.value for item in reversed(key)}


def compare_values(a: str, b: str) -> int:
    """Numbers by their size, all else as text."""
    if a == b:
        return 0
    left, right = figures.scan_real(a), figures.scan_real(b)
    if left is not None and right is not None and left != right:
        return -1 if left < right else 1
    return -1 if a < b else 1


def sort_values(values: Iterable[str]) -> list[str]:
    return sorted(values, key=functools.cmp_to_key(compare_values))


def compare_keys(a: Sequence, b: Sequence) -> int:
    """By the first item that differs: its name, then its value."""
    for left, right in zip(a, b):
        if left != right and left.name != right.name:
            return -1 if left.name < right.name else 1
        order = compare_values(left.value, right.value)
        if order:
            return order
    return (len(a) > len(b)) - (len(a) < len(b))


def differences(first: Key, others: Iterable[Key], names: list | None = None) -> list[Name]:
    """The names, after those that are there already, of all items that one key has and the first
    has not, or otherwise; nothing is as good as an empty value."""
    found = dict.fromkeys(names or [])
    ours = as_names(first)
    for other in others:
        if other == first:
            continue
        theirs = as_names(other)
        for key, values in ((first, theirs), (other, ours)):
            found.update(dict.fromkeys(item[:2] for item in key
                                       if values.get(item[:2], "") != item.value))
    return list(found)


def load_first(names: list[Name]) -> tuple[list[Name], int]:
    """The parameters of the load before all others, and how many they are."""
    load = [(PARAMETER, name) for name in LOAD if (PARAMETER, name) in names]
    return load + [name for name in names if name not in load], len(load)


def reduce_names(names: list[Name], stay: int, keys: list[Key]) -> tuple[list[Name], list[int]]:
    """Of names that say the same about the keys (two keys have both values in common, or neither)
    the first; and those before stay.  For each key, how much it has in common with the others by
    these names, but for what may have changed on another day."""
    maps, kept, seen = [as_names(key) for key in keys], [], set()
    common = [0] * len(keys)
    for i, name in enumerate(names):
        values = [of.get(name, "") for of in maps]
        ranks: dict = {}
        partition = tuple(ranks.setdefault(value, len(ranks)) for value in values)
        if i >= stay and partition in seen:
            continue
        seen.add(partition)
        kept.append(name)
        if name[0] not in HISTORY:
            sizes = [partition.count(rank) for rank in range(len(ranks))]
            common = [had + sizes[rank] for had, rank in zip(common, partition)]
    return kept, common


def label(key: Key, names: list[Name]) -> str:
    """What a key has under these names: "threads=4, engine=InnoDB"; of a build-id the beginning."""
    short, values = {"Kea build-id": 8}, as_names(key)
    return ", ".join(f"{name[1]}={values[name][:short.get(name[1])]}" for name in names
                     if values.get(name))


# Rows and sections


@dataclass
class Row:
    """The results of one configuration, or of one side of a comparison."""
    results: list[dict]  # at least one; the oldest first
    runs: list[tuple] = field(default_factory=list)  # (result, run) of each complete run
    incomplete: int = 0  # how many runs there were besides
    key: Key = ()
    section: Section | None = None
    label: str = ""      # the store, what of the load differs in the section, and what else does
    differs: str = ""    # the same without the store
    is_default: bool = False  # stands for its store in the section

    @property
    def store(self) -> str:
        return self.results[0]["store"]

    @property
    def cls(self) -> str | None:
        """The class of durability; None of figures of others."""
        return results.durability(self.results[0])


@dataclass
class Section:
    """Rows that one table can hold: of one class, or published together, with the same phases; of
    setups, of one class whatever the work."""
    rows: list[Row]
    title: str = ""    # "power-safe", or of published figures "published, -s yes"
    load: str = ""     # which load that was, where it is not the guide's or tells sections apart
    meaning: str = ""  # of the class; or where it was published
    phases: str = ""   # "create, search, update, delete"

    @property
    def shape(self) -> dict:
        """A run that has the section's phases."""
        return self.rows[0].results[0]["runs"][0]

    @property
    def heading(self) -> str:
        return f"{self.title}, {self.load}" if self.load else self.title


def row_of(members: list[dict]) -> Row:
    """A row without a name."""
    row = Row(sorted(members, key=lambda result: result["started_at"]))
    for result in row.results:
        for run in result["runs"]:
            # The phases are those of a result's first run.
            if run["incomplete"] or len(run["phases"]) != len(result["runs"][0]["phases"]):
                row.incomplete += 1
            else:
                row.runs.append((result, run))
    return row


def name_phases(run: dict) -> str:
    return ", ".join(phase["name"] for phase in run["phases"])


def sections(found: list[dict], setups: bool = False) -> list[Section]:
    """From the safest class to the least safe, and last what was published.  In a section, stores
    are in the order of the results, and the rows of one in the order of what differs."""
    stores = list(dict.fromkeys(result["store"] for result in found))
    groups: dict = {}
    for result in found:
        key = make_key(result, CONFIGURATION)
        place = (_section_key(result, setups), stores.index(result["store"]),
                 key_of_setup(key) if setups else key)
        groups.setdefault(place, []).append(result)

    def order(a, b):
        return compare_keys(a[0], b[0]) or a[1] - b[1] or compare_keys(a[2], b[2])

    made: dict = {}
    for place in sorted(groups, key=functools.cmp_to_key(order)):
        row = row_of(groups[place])
        row.key = place[2]
        made.setdefault(place[0], []).append(row)
    named = [_make_section(rows, setups) for rows in made.values()]
    _tell_apart(named)
    return named


def _section_key(result: dict, setups: bool) -> Key:
    """The safest class comes first; where figures were published, -s tells what they are, "yes"
    first."""
    cls, sync = results.durability(result), results.parameter(result, "sync")
    server = result["kind"] == "server"
    values = ("5" if cls is None else str(4 - results.CLASSES.index(cls)), result["published"],
              "" if cls is not None or sync == "yes" else sync,
              "" if setups else name_phases(result["runs"][0]),
              "" if not server else "server" if setups else result["command"])
    return tuple(Item("", "", value) for value in values)


def _make_section(rows: list[Row], setups: bool) -> Section:
    """What of the load is not the same for all rows, each has to say, as the figures are then of
    different work."""
    section = Section(rows)
    first = rows[0].results[0]
    load = [name for name in differences(rows[0].key, [row.key for row in rows])
            if name[0] == PARAMETER and name[1] in LOAD]
    load, _ = load_first(load)
    for store in dict.fromkeys(row.store for row in rows):
        _label_rows([row for row in rows if row.store == store], load)
    for row in rows:
        row.section = section
    workloads = {results.parameter(row.results[0], "workload") for row in rows}
    section.load = workloads.pop() if len(workloads) == 1 else ""
    section.load = "" if section.load == "phases" else section.load
    section.phases = name_phases(first["runs"][0])
    if rows[0].cls is not None:
        section.title = rows[0].cls + (" server" if setups and first["kind"] == "server" else "")
        section.meaning = MEANINGS[rows[0].cls]
    else:
        sync = results.parameter(first, "sync")
        section.title = f"published, -s {sync}" if sync else "published"
        section.meaning = f"{first['published']}; not measured here"
    return section


def _label_rows(rows: list[Row], load: list[Name]) -> None:
    """Names the rows of one store in one section, and chooses the default one: without a complete
    run nothing can be said; of those that have as much in common the first, so that the rows of
    several stores are alike; of the same values the newest."""
    keys = [row.key for row in rows]
    names, common = reduce_names(differences(keys[0], keys[1:], load), len(load), keys)
    best = 0
    for i, row in enumerate(rows):
        row.differs = label(row.key, names)
        row.label = f"{row.store}, {row.differs}" if row.differs else row.store
        old = rows[best]
        better = (bool(row.runs), common[i]) > (bool(old.runs), common[best])
        same = (bool(row.runs), common[i]) == (bool(old.runs), common[best]) and \
            _without_history(row.key) == _without_history(old.key)
        if better or (same and row.results[-1]["started_at"] > old.results[-1]["started_at"]):
            best = i
    rows[best].is_default = True


def _without_history(key: Key) -> Key:
    return tuple(item for item in key if item.kind not in HISTORY)


def _tell_apart(made: list[Section]) -> None:
    """Sections with one heading did other phases, which tells them apart."""
    headings = [(section.title, section.load, section.meaning) for section in made]
    for section, heading in zip(made, headings):
        if headings.count(heading) > 1:
            section.load = f"{section.load} ({section.phases})" if section.load else \
                f"phases {section.phases}"


class Summary(NamedTuple):
    """One figure of several runs."""
    values: list[float]
    median: float = 0.0
    low: float = 0.0  # the median's interval, or the lowest and the highest
    high: float = 0.0
    interval: bool = False  # the former: from 6 runs on

    @property
    def count(self) -> int:
        return len(self.values)


def summary(row: Row, figure: Callable[[dict], float | None]) -> Summary:
    """The figure of each run of a row, put together; None is no value."""
    values = [value for value in (figure(run) for _, run in row.runs) if value is not None]
    if not values:
        return Summary(values)
    interval = stats.median_interval(values)
    low, high = interval[:2] if interval else (min(values), max(values))
    return Summary(values, stats.median(values), low, high, interval is not None)


def node_loss(row: Row) -> str:
    """Whether its changes survive the loss of their machine: the worst that a result says."""
    said = [result["durability"].get("node_loss") for result in row.results]
    return next((word for code, word in (("no", "lost"), ("unknown", "unknown"),
                                         ("yes", "survived")) if code in said), "")


# Results chosen by KEY=VALUE


def value(result: dict, name: str) -> str | None:
    """What a result has under a name: store, version, durability (its class), a parameter, a fact,
    a label, or something of the machine."""
    if name in ("store", "version"):
        return result[name]
    if name == "durability":
        return results.durability(result) or "unknown"
    return next((result[place][name] for place in ("parameters", "facts", "labels", "host")
                 if name in result[place]), None)


def has_all(result: dict, wanted: list[tuple[str, str]]) -> bool:
    return all(value(result, name) == of for name, of in wanted)


def check_settings(option: str, settings: list[tuple[str, str]], found: list[dict]) -> None:
    """Refuses NAME=VALUE that no result has, and says what there is instead."""
    for name, wanted in settings:
        values = dict.fromkeys(of for of in (value(result, name) for result in found)
                               if of is not None)
        if not values:
            raise usage(f"--{option}: no result has '{name}'; a parameter, a fact, a label, store, "
                        "version or durability is wanted")
        if wanted not in values:
            shown = ", ".join(of[:40] for of in list(values)[:8]) + ", ..." * (len(values) >= 8)
            raise usage(f"--{option}: no result has {name}={wanted}; there is {shown}")


# What a result is to its readers


def without_references(found: list[dict]) -> list[dict]:
    """Without the runs that show how the machine changed; but where there is nothing else they are
    as any other."""
    kept = [result for result in found if not results.is_reference(result)]
    return kept or found
