# SPDX-License-Identifier: ISC
"""Results put together: those of one configuration are a row, with a name, and the rows that one
table can hold are a section."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable

from report import figures, results, stats, usage
from report.lines import knowledge

NODE_LOSS = ("what becomes of acknowledged changes if the server's machine never comes back; they "
             "survive if another one had to have them")

# Where a property stands.  The product is the fact of its name: the store's version.  --sync
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
    items += [((DURABILITY, "durability"), result["basis"]),
              ((VERSION, "version"), result["version"]), ((STORE, "store"), result["store"])]
    product, key = result["product"]["name"], {}
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
    order = {(PARAMETER, name): i for i, name in enumerate(LOAD)}
    return sorted(names, key=lambda name: order.get(name, len(LOAD)))


def reduce_names(names: list[Name], stay: int, keys: list[Key]) -> list[Name]:
    """The first stay names; of the others those that say of the keys, which have a value in common,
    what no name before them says."""
    firsts: dict = {}  # by how a name tells the keys apart
    for name in names:
        values = [key.get(name, "") for key in keys]
        firsts.setdefault(tuple(map(values.index, values)), name)
    return names[:stay] + [name for name in names[stay:] if name in firsts.values()]


def label(key: Key, names: list[Name]) -> str:
    """The values of a key by these names: "threads=4, engine=InnoDB"; of a build-id 8 digits."""
    return ", ".join(f"{name[1]}={key[name][:8 if name[1] == 'Kea build-id' else None]}"
                     for name in names if key.get(name))


class Row:
    """The results of one configuration, or of one side of a comparison."""
    section: Section | None = None
    label = ""      # the store, what of the load differs in the section, and what else does
    differs = ""    # the same without the store
    is_default = False  # stands for its store in the section, as the first with a complete run
    versioned = False   # in an answer: there is another version of its product
    rates: tuple = ()   # of renewals and restarts (rates.Rate), in an answer

    def __init__(self, members: list[dict], key: Key | None = None):
        self.results = sorted(members, key=lambda result: result["started_at"])  # at least one
        self.key = key or {}
        self.store = self.results[0]["store"]
        self.cls: str | None = self.results[0]["class"]  # of durability; None of figures of others
        self.is_server = self.results[0]["kind"] == "server"
        everything = [(result, run) for result in self.results for run in result["runs"]]
        # The complete ones; a complete run has the phases of its result's first run.
        self.runs: list[tuple] = [
            (result, run) for result, run in everything if not run["incomplete"] and
            len(run["phases"]) == len(result["runs"][0]["phases"])]
        self.incomplete = len(everything) - len(self.runs)
        # Whether its changes survive the loss of their machine: the worst that a result says
        said = [(result["durability"].get("node_loss") or {}).get("loss")
                for result in self.results]
        self.node_loss = next((word for loss, word in (
            ("unbounded", "lost"), ("unknown", "unknown"), ("nothing", "survived"))
            if loss in said), "")


class Section:
    """Rows that one table can hold: of one class, or published together, with the same phases; of
    setups, of one class whatever the work.  Where the load differs between rows, labels say so, as
    the figures are of other work."""
    pairs: dict  # in an answer: of rows (answer.Pair), the slower first, by their numbers i < k

    def __init__(self, rows: list[Row], setups: bool):
        self.rows, first = rows, rows[0].results[0]
        self.shape = first["runs"][0]  # a run that has the section's phases
        self.phases = name_phases(self.shape)
        differing = differences(rows[0].key, [row.key for row in rows])
        load = [(PARAMETER, name) for name in LOAD if (PARAMETER, name) in differing]
        for store in dict.fromkeys(row.store for row in rows):
            mine = [row for row in rows if row.store == store]
            keys = [row.key for row in mine]
            names = reduce_names(differences(keys[0], keys[1:], load), len(load), keys)
            for row in mine:
                row.section, row.differs = self, label(row.key, names)
                row.label = f"{row.store}, {row.differs}" if row.differs else row.store
            next((row for row in mine if row.runs), mine[0]).is_default = True
        workloads = {results.parameter(row.results[0], "workload") for row in rows}
        # Which load that was, where it is not the guide's or tells sections apart
        self.load = workloads.pop() if len(workloads) == 1 and workloads != {"phases"} else ""
        if rows[0].cls is not None:
            self.title = rows[0].cls + " server" * (setups and rows[0].is_server)
            self.meaning = knowledge.meanings()[rows[0].cls]
        else:
            sync = results.parameter(first, "sync")
            self.title = f"published, -s {sync}" if sync else "published"
            self.meaning = f"{first['published']}; not measured here"

    @property
    def heading(self) -> str:
        return f"{self.title}, {self.load}" if self.load else self.title


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
        cls, sync = result["class"], results.parameter(result, "sync")
        kind = "" if result["kind"] == "store" else "server" if setups else \
            results.parameter(result, "workload")
        # The safest class comes first; of published figures those of "-s yes".
        section = 1 if cls is None else -results.CLASSES.index(cls), result["published"], \
            "" if cls is not None or sync == "yes" else sync, \
            "" if setups else name_phases(result["runs"][0]), kind
        groups.setdefault((section, stores.index(result["store"]), key), []).append(result)
    ordered = sorted(groups, key=lambda place: (*place[:2], [
        (name, order_of(value)) for (_, name), value in place[2]]))
    named = [Section([Row(groups[place], dict(place[2])) for place in places], setups)
             for _, places in itertools.groupby(ordered, operator.itemgetter(0))]
    headings = [(section.title, section.load, section.meaning) for section in named]
    for section, heading in zip(named, headings):
        if headings.count(heading) > 1:  # they did other phases, which tells them apart
            section.load = f"{section.load} ({section.phases})" if section.load else \
                f"phases {section.phases}"
    return named


class Summary:
    """One figure of the complete runs of a row; None is no value."""

    def __init__(self, row: Row, figure: Callable[[dict], float | None]):
        self.values = [of for of in (figure(run) for _, run in row.runs) if of is not None]
        self.median = self.low = self.high = 0.0
        interval = stats.median_interval(self.values)
        self.interval = interval is not None  # there is one from 6 runs on
        if self.values:  # else low and high are the lowest and the highest
            self.median = stats.median(self.values)
            self.low, self.high = interval[:2] if interval else \
                (min(self.values), max(self.values))


BY_FILE = ""  # the name of a result's file, which no other member has


def value(result: dict, name: str) -> str | None:
    """The value of a result under a name: store, version, durability (its class), a parameter, a
    fact, a label, or something of the machine; BY_FILE: the file that it is in."""
    line = {"store": result["store"], "version": result["version"], BY_FILE: result["file"],
            "durability": result["class"] or "unknown"}
    places = line, *(result[place] for place in ("parameters", "facts", "labels", "host"))
    return next((place[name] for place in places if name in place), None)


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
            shown = ", ".join([figures.cut(of, 40) for of in values][:8])
            if len(values) > 8:
                shown += ", ..."
            raise usage(f"--{option}: no result has {name}={wanted}; there is {shown}")


def without_references(found: list[dict]) -> list[dict]:
    """Without the runs that show how the machine changed, unless there is nothing else."""
    kept = [result for result in found if not result["reference"]]
    return kept or found
