# SPDX-License-Identifier: ISC
"""Results put together: those of one configuration are a row, with a name, and the rows that one
table can hold are a section."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from report import figures, results, stats, usage

MEANINGS = {
    "none": "nothing is stored: this is what measuring costs",
    "volatile": "a killed process loses acknowledged changes, and so does a power cut",
    "process-safe": "a killed process loses nothing, a power cut any number of changes",
    "bounded": "a killed process loses nothing, a power cut the changes since the log's last sync",
    "power-safe": "every acknowledged change survives a power cut",
}
NODE_LOSS = ("what becomes of acknowledged changes if the server's machine never comes back; they "
             "survive if another one had to have them")

# Where a property stands.  The product is the first fact: the store's name and version.  --sync
# and --set are requests: the facts have what was read back.
STORE, VERSION, DURABILITY, PARAMETER, REQUEST, PRODUCT, FACT, LABEL, HOST = KINDS = (
    "store", "version", "durability", "parameter", "request", "product", "fact", "label", "host")
CONFIGURATION = {VERSION, DURABILITY, PARAMETER, PRODUCT, FACT, HOST}  # that bear on the figures

# These never say anything of a result: its output, its place in a campaign, what was done besides.
NEVER = {"output", "json", "verbose", "progress", "label", "campaign", "order-seed", "block",
         "position", "role", "cell", "load", "steal", "cpu_pressure", "io_pressure", "throttled",
         "index use"}
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


# The properties of a result, by kind and name, in the order of its line.
Name = tuple[str, str]
Key = dict[Name, str]


def make_key(result: dict, kinds: Iterable[str], everything: bool = False) -> Key:
    """The properties of some kinds; those that bear on no figure only if everything is wanted."""
    items = [((kind, name), value) for kind, place in (
        (PARAMETER, "parameters"), (FACT, "facts"), (LABEL, "labels"), (HOST, "host"))
        for name, value in result[place].items()]
    items += [((DURABILITY, "durability"), result["durability"]["from"]),
              ((VERSION, "version"), result["version"]), ((STORE, "store"), result["store"])]
    product, key = next(iter(result["facts"]), None), {}
    for (kind, name), value in items:
        if kind == FACT and name == product:
            kind = PRODUCT
        elif kind == PARAMETER and name in ("sync", "set"):
            kind = REQUEST
        elif name == "connection":  # its port tells servers apart as little as the parameter does
            value = value.partition(", port ")[0]
        if kind in kinds and name not in NEVER and (everything or name not in IGNORED):
            key[kind, name] = value
    return key


def order_of(value: str) -> tuple:
    """Sorts values: numbers by their size, before all else as text."""
    number = figures.scan_real(value)
    return (value != "", number is None, number or 0.0, value)


def differences(first: Key, others: Iterable[Key], names: Iterable[Name] = ()) -> list[Name]:
    """The names, after those that are there already, of all that is not the same in the first key
    and in another one; nothing is as good as an empty value."""
    found = dict.fromkeys(names)
    for other in others:
        if other != first:
            found.update(dict.fromkeys(name for name in (*first, *other)
                                       if first.get(name, "") != other.get(name, "")))
    return list(found)


def load_first(names: list[Name]) -> list[Name]:
    """The parameters of the load, in the order of LOAD, before all others."""
    return sorted(names, key=lambda name: LOAD.index(name[1]) if is_load(name) else len(LOAD))


def is_load(name: Name) -> bool:
    return name[0] == PARAMETER and name[1] in LOAD


def reduce_names(names: list[Name], stay: int, keys: list[Key]) -> list[Name]:
    """The first stay names; of the others those that say of the keys, which have a value in common,
    what no name before them says."""
    kept, seen = [], set()
    for i, name in enumerate(names):
        values = [key.get(name, "") for key in keys]
        partition = tuple(map(values.index, values))
        if i < stay or partition not in seen:
            kept.append(name)
        seen.add(partition)
    return kept


def label(key: Key, names: list[Name]) -> str:
    """The values of a key by these names: "threads=4, engine=InnoDB"; of a build-id 8 digits."""
    return ", ".join(f"{name[1]}={key[name][:8 if name[1] == 'Kea build-id' else None]}"
                     for name in names if key.get(name))


# Rows and sections


class Row:
    """The results of one configuration, or of one side of a comparison."""
    section: Section | None = None
    label = ""      # the store, what of the load differs in the section, and what else does
    differs = ""    # the same without the store
    is_default = False  # stands for its store in the section

    def __init__(self, members: list[dict]):
        self.results = sorted(members, key=lambda result: result["started_at"])  # at least one
        self.runs: list[tuple] = []  # (result, run) of each complete run
        self.incomplete = 0  # how many runs there were besides
        self.key: Key = {}

    @property
    def store(self) -> str:
        return self.results[0]["store"]

    @property
    def cls(self) -> str | None:
        """The class of durability; None of figures of others."""
        return self.results[0]["class"]


class Section:
    """Rows that one table can hold: of one class, or published together, with the same phases; of
    setups, of one class whatever the work."""
    title = ""    # "power-safe", or of published figures "published, -s yes"
    load = ""     # which load that was, where it is not the guide's or tells sections apart
    meaning = ""  # of the class; or where it was published
    phases = ""   # "create, search, update, delete"

    def __init__(self, rows: list[Row]):
        self.rows = rows

    @property
    def shape(self) -> dict:
        """A run that has the section's phases."""
        return self.rows[0].results[0]["runs"][0]

    @property
    def heading(self) -> str:
        return f"{self.title}, {self.load}" if self.load else self.title


def row_of(members: list[dict]) -> Row:
    """A row without a name."""
    row = Row(members)
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
    are in the order of the results, and the rows of one in the order of their properties.  setups:
    the rows of one setup, whatever the work and its amount, are one."""
    stores = list(dict.fromkeys(result["store"] for result in found))
    groups: dict = {}
    for result in found:
        key = tuple((name, value) for name, value in make_key(result, CONFIGURATION).items()
                    if not setups or name[0] != PARAMETER or name[1] not in WORK)
        place = _section_key(result, setups), stores.index(result["store"]), key
        groups.setdefault(place, []).append(result)

    def order(place):
        return list(map(order_of, place[0])), place[1], [
            (name, order_of(value)) for (_, name), value in place[2]]

    made: dict = {}
    for place in sorted(groups, key=order):
        row = row_of(groups[place])
        row.key = dict(place[2])
        made.setdefault(place[0], []).append(row)
    named = [_make_section(rows, setups) for rows in made.values()]
    _tell_apart(named)
    return named


def _section_key(result: dict, setups: bool) -> tuple[str, ...]:
    """The safest class comes first; of published figures those of "-s yes"."""
    cls, sync = result["class"], results.parameter(result, "sync")
    server = result["kind"] == "server"
    return ("5" if cls is None else str(4 - results.CLASSES.index(cls)), result["published"],
            "" if cls is not None or sync == "yes" else sync,
            "" if setups else name_phases(result["runs"][0]),
            "" if not server else "server" if setups else result["command"])


def _make_section(rows: list[Row], setups: bool) -> Section:
    """Where the load differs between rows, labels say so, as the figures are of other work."""
    section, first = Section(rows), rows[0].results[0]
    load = load_first([name for name in differences(rows[0].key, [row.key for row in rows])
                       if is_load(name)])
    for store in dict.fromkeys(row.store for row in rows):
        _label_rows([row for row in rows if row.store == store], load)
    for row in rows:
        row.section = section
    workloads = {results.parameter(row.results[0], "workload") for row in rows}
    section.load = workloads.pop() if len(workloads) == 1 and workloads != {"phases"} else ""
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
    """Names the rows of one store in one section; the first with a complete run stands for it."""
    keys = [row.key for row in rows]
    names = reduce_names(differences(keys[0], keys[1:], load), len(load), keys)
    for row in rows:
        row.differs = label(row.key, names)
        row.label = f"{row.store}, {row.differs}" if row.differs else row.store
    next((row for row in rows if row.runs), rows[0]).is_default = True


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

BY_FILE = ""  # the name of a result's file, which no other member has


def value(result: dict, name: str) -> str | None:
    """The value of a result under a name: store, version, durability (its class), a parameter, a
    fact, a label, or something of the machine; BY_FILE: the file that it is in."""
    if name in ("store", "version"):
        return result[name]
    if name == BY_FILE:
        return result["file"]
    if name == "durability":
        return result["class"] or "unknown"
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


def without_references(found: list[dict]) -> list[dict]:
    """Without the runs that show how the machine changed, unless there is nothing else."""
    kept = [result for result in found if not results.is_reference(result)]
    return kept or found
