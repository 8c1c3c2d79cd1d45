# SPDX-License-Identifier: ISC
"""What one configuration did: the one thing that all commands know.

An adapter makes observations of each format of lines: of a run of a lease store, of a whole DHCP
server, of the sides of a duel, of published figures. Times are in nanoseconds where the name ends
in `_ns` and in seconds where it ends in `_s`. None means that a figure is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from ubench.records.histogram import Histogram
from ubench.records.server import ServerMeasurement
from ubench.records.trials import OpenLoop
from ubench.records.where import Where

DATABASE_SERVERS = ("mysql", "pgsql")  # stores that have a server, perhaps on another machine
# Their types in Kea's lease-database and hosts-database.
KEA_DATABASE_TYPES: Mapping[str, str] = {"mysql": "mysql", "pgsql": "postgresql"}
DISK_ROLE = "disk"  # the label "role" of runs that only time the syncs of a disk
UNKNOWN = "unknown"  # the store or the version of a server, where a result was imported


@dataclass(frozen=True, order=True)
class Source:
    """The place of a line: its file, "-" for standard input, and its number from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Origin(Enum):
    """How the figures came about."""

    RUNNER = "runner"  # a lease store, measured by its runner
    SERVER = "server"  # a whole DHCP server, measured by scripts/dhcp
    DUEL = "duel"  # one side of a duel, which worked in turn with the others


# ---- Durability


class DurabilityClass(Enum):
    """The classes that the runners compute, from the least safe to the safest."""

    NONE = "none"
    VOLATILE = "volatile"
    PROCESS_SAFE = "process-safe"
    BOUNDED = "bounded"
    POWER_SAFE = "power-safe"

    @property
    def rank(self) -> int:
        """0 for the least safe."""
        return list(DurabilityClass).index(self)


class Loss(Enum):
    """How many acknowledged changes a failure loses."""

    NOTHING = "nothing"
    BOUNDED = "bounded"  # the latest only
    UNBOUNDED = "unbounded"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Lost:
    """What a failure loses.

    Changes that are older than `window_s` survive. It is None if the loss is not bounded, or only
    by a number of changes.
    """

    loss: Loss
    window_s: float | None = None


@dataclass(frozen=True)
class Setting:
    """A setting that can decide the class, as it was read back."""

    name: str
    value: str
    label: str = ""  # its name and value in a small table: "flush 2"; "" if it need not be named
    decisive: bool = False  # it has no label, and the class needs it all the same


@dataclass(frozen=True)
class Durability:
    """What survives a failure, computed by the runner from the settings that it read back.

    `cls` and the losses are None for published figures, of which no setting was read.
    `node_loss` is None for stores that have no server. `text` is for people; nothing reads it.
    """

    cls: DurabilityClass | None
    kill: Lost | None
    power: Lost | None
    node_loss: Lost | None
    settings: tuple[Setting, ...]
    reasons: tuple[str, ...]
    text: str
    at_risk: int | None = None  # with several changes in a commit: the most that can be lost
    # What tells the class of one configuration from another's: settings and reasons, or, of
    # former formats, their text.
    basis: str = ""

    def setting(self, name: str) -> str | None:
        """Return the value of a setting, or None if it was not read."""
        return next((each.value for each in self.settings if each.name == name), None)


# ---- The configuration


@dataclass(frozen=True)
class Product:
    """The software that keeps the leases: "MariaDB", "10.11.19".

    The version is None if it has none of its own; `text` is all that it says of its version.
    """

    name: str
    version: str | None
    text: str = ""

    @property
    def full_name(self) -> str:
        """Its name and all that it says of its version: "SQLite 3.40.1"; "" if it says nothing."""
        return f"{self.name} {self.text}" if self.text else ""


@dataclass(frozen=True)
class Baselines:
    """What the machine allows, measured before the first run."""

    clock_ns: float | None = None
    fdatasync_ns: float | None = None
    fdatasync_min_ns: float | None = None
    round_trip_ns: float | None = None
    harness_ns: float | None = None


@dataclass(frozen=True)
class Load:
    """What was asked of the store or the server."""

    workload: str  # as --workload has it: "phases", "server rate"; of a file, as a mix
    family: int  # 4 or 6
    threads: int = 1
    batch: int = 1  # changes or exchanges in a commit at most; 0: any number within a time
    preload: int = 0  # leases that were there before
    exchanges: bool = False  # operations are exchanges, of several operations of the store each
    open: bool = False  # at a rate or as a storm, so that the rate is no figure of the store
    levels: bool = False  # phases are levels of a pool, unlike each other: no mean is a figure
    reference: bool = False  # shows how the machine changed in a campaign
    server_time: bool = False  # the rates contain the time of a simulated server
    in_series: bool = True  # each operation of the store waits for the one before, as Kea's do
    shares_pool: bool = False  # clients compete for the addresses of one pool, which may be full


@dataclass(frozen=True)
class Warned:
    """A reason why figures may be wrong: a code and a sentence."""

    code: str
    text: str


# ---- What was measured


@dataclass(frozen=True)
class Step:
    """One step of an exchange, over all exchanges of its kind."""

    name: str
    operation: str
    count: int
    latency: Histogram | None
    predicted: float | None = None


@dataclass(frozen=True)
class Phase:
    """One phase, one kind of exchange, or one level of a pool."""

    name: str
    operations: int
    elapsed_ns: int
    incomplete: bool = False
    hits: int | None = None
    misses: int | None = None
    begun_ns: int | None = None
    latency: Histogram | None = None
    commit: Histogram | None = None
    seconds: tuple[tuple[int, float], ...] = ()  # operations and p99 in ns of each second
    usage: Mapping[str, int | None] = field(default_factory=dict)  # schema.json: definition usage
    steps: tuple[Step, ...] = ()
    deadlocks: int | None = None
    conflicts: int | None = None
    stale: int | None = None
    round_trips: int | None = None  # None: each operation of the store is one
    allocation: Mapping[str, int] = field(default_factory=dict)  # schema.json: allocation

    @property
    def rate(self) -> float:
        """Operations per second; 0 if it took no time."""
        return self.operations * 1e9 / self.elapsed_ns if self.elapsed_ns > 0 else 0.0


@dataclass(frozen=True)
class PlannedExchange:
    """One exchange of a mix, and its weight."""

    name: str
    weight: int
    definition: tuple[str, ...] = ()  # its lines in a file of exchanges; former lines have none


@dataclass(frozen=True)
class Replay:
    """A trace that was replayed."""

    speed: float | None  # times as fast as it was; None: as fast as possible
    leases: int
    changes: int
    seconds: int  # that it lasts at its own pace
    lateness: Histogram | None
    series: tuple[tuple[int, float], ...]  # of each second: changes, p99 of their lateness in ns


@dataclass(frozen=True)
class Activity:
    """What the store did besides answering, in samples once a second.

    `figures` has each figure of results/schema.json (definition activity) that is known: of a
    counter its increase since the first sample. None: not known at that time.
    """

    seconds: tuple[float, ...]  # since the load began; the first may be before that
    figures: Mapping[str, tuple[int | None, ...]]

    def total(self, name: str) -> int | None:
        """Return the last known value of a figure; None if it is not known at all."""
        known = [value for value in self.figures.get(name, ()) if value is not None]
        return known[-1] if known else None


@dataclass(frozen=True)
class Run:
    """One run on a fresh store."""

    phases: tuple[Phase, ...]
    incomplete: bool = False
    together: bool = False  # phases are kinds of exchanges that were mixed, and share their time
    verified: bool = False
    exchanges: tuple[PlannedExchange, ...] = ()
    turns: int | None = None
    store_operations: int | None = None
    store_rate: float | None = None
    leases_left: int | None = None
    read_back: int | None = None
    read_back_of: int | None = None
    digest: str = ""
    reconnect: Mapping[str, int] = field(default_factory=dict)
    replay: Replay | None = None
    activity: Activity | None = None
    open_loop: OpenLoop | None = None

    @property
    def operations(self) -> int:
        """The operations of all phases."""
        return sum(phase.operations for phase in self.phases)

    @property
    def elapsed_ns(self) -> int:
        """The time of all phases or, if they ran together, of the longest."""
        times = [phase.elapsed_ns for phase in self.phases]
        return max(times, default=0) if self.together else sum(times)

    @property
    def rate(self) -> float:
        """All operations by all time, per second; 0 if it took none."""
        return self.operations * 1e9 / self.elapsed_ns if self.elapsed_ns > 0 else 0.0

    def is_complete(self, first: Run) -> bool:
        """Return whether it did all of its work, which is that of the first run of its line."""
        return not self.incomplete and len(self.phases) == len(first.phases)

    def phase(self, name: str) -> Phase | None:
        """Return the phase of this name."""
        return next((phase for phase in self.phases if phase.name == name), None)


class How(Enum):
    """How a rate was measured."""

    ALONE = "alone"  # nothing else ran
    MIXED = "mixed"  # a share of a mix, which is no rate that the store could reach alone
    SUSTAINED = "sustained"  # a search at rates of an open loop confirmed it


@dataclass(frozen=True, order=True)
class Block:
    """A block of a campaign.

    Runs of one block worked at about the same time, in random order, so they are compared in pairs.
    """

    campaign: str
    seed: str
    number: str


@dataclass(frozen=True)
class Amount:
    """How much was measured. Figures of a few operations or a moment mean nothing."""

    operations: int
    elapsed_s: float


@dataclass(frozen=True)
class Sample:
    """How often per second something was done in one run: what is compared and ranked."""

    name: str  # of the phase or exchange: "create", "renew", "dora"
    rate: float  # per second; 0 is not known
    how: How
    operations: int | None  # None: not known, as of publications
    elapsed_s: float | None
    leases: int  # that were in the store at the end; 0: not known
    run: int = 0  # number of its run, or block of a duel, in the observation, from 0
    block: Block | None = None
    # What the figure rests on: the whole run with its shortest phase, all trials of the search of
    # a server's rate, all slices of a side of a duel. None: not known, or an open loop, whose
    # search chooses how long it measures.
    amount: Amount | None = None


@dataclass(frozen=True)
class Observation:
    """What one configuration did, by one line of a file, or one side of a duel."""

    source: Source
    origin: Origin
    program: str  # "sqlite_ubench", "kea-dhcp4"
    program_version: str
    store: str  # as tables name it: "mysql"; of a whole server "kea-dhcp4/mysql"
    keeper: str  # the store that keeps the leases: "mysql", "memfile"
    product: Product
    durability: Durability
    load: Load
    samples: tuple[Sample, ...]  # of complete runs
    runs: tuple[Run, ...] = ()  # of a runner, in full
    server: ServerMeasurement | None = None  # of a whole DHCP server, in full
    parameters: Mapping[str, str] = field(default_factory=dict)  # options as they were typed
    sql: tuple[str, ...] = ()  # the lines of the file of --sql
    facts: Mapping[str, str] = field(default_factory=dict)  # what the store said of itself
    labels: Mapping[str, str] = field(default_factory=dict)
    host: Mapping[str, str] = field(default_factory=dict)
    baselines: Baselines = Baselines()
    started_at: str = ""  # UTC, ISO 8601
    published: str = ""  # the publication that the figures come from
    incomplete: bool = False  # fewer runs than were asked for
    error: str = ""
    warnings: tuple[Warned, ...] = ()
    side: int | None = None  # of a duel
    where: Where | None = None  # where the time of an exchange went (scripts/where)

    @property
    def cls(self) -> DurabilityClass | None:
        """The class of durability; None for published figures."""
        return self.durability.cls

    @property
    def times_a_disk(self) -> bool:
        """True if only its baselines count: how long a sync takes on this disk."""
        return self.labels.get("role") == DISK_ROLE

    @property
    def warned(self) -> str:
        """All warnings as one text; "" if there are none."""
        return "; ".join(warning.text for warning in self.warnings)

    @property
    def complete_runs(self) -> tuple[Run, ...]:
        """The runs that did all of their work: those with the phases of the first one."""
        return tuple(run for run in self.runs if run.is_complete(self.runs[0]))

    @property
    def phase_names(self) -> tuple[str, ...]:
        """The phases of its runs; of a server the exchange that gives a client a lease."""
        if self.runs:
            return tuple(phase.name for phase in self.runs[0].phases)
        return ("sarr" if self.load.family == 6 else "dora",)

    @property
    def is_database(self) -> bool:
        """True if a database server, which may be on another machine, keeps the leases."""
        return self.keeper in DATABASE_SERVERS
