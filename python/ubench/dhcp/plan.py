# SPDX-License-Identifier: ISC
"""A plan: which server is measured with which store, under which load.

The names of its fields are those of results (results/kea.schema.json), except where noted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields

from ubench.errors import UsageError
from ubench.records.observation import DATABASE_SERVERS

LIFETIME_S = 86400  # of leases, unless a site's file says otherwise
DEFAULT_QUEUE = 64  # packets
DEFAULT_HOOK_MS = 80
DEFAULT_HA_DELAY_S = 10
DEFAULT_ALLOCATOR = "iterative"  # of Kea, in each version; before 2.4 it had no other
MOST_SERVERS = 8  # on one database
MOST_NODES = 8  # of a cluster
MOST_RATE = 10**9  # new clients per second

# Fields that are not in a result: they say how often and where, which the result itself shows.
_NOT_RECORDED = ("runs", "prefix")
# Fields that a result leaves out if they have these values.
_OPTIONAL: Mapping[str, object] = {
    "servers": 1,
    "nodes": 0,
    "allocator": DEFAULT_ALLOCATOR,
    "cpus": 0,
    "leases": 0,
    "renew": 0,
    "release": 0,
    "where": False,
    "overrides": {},
    "config": None,
}


@dataclass(frozen=True)
class ConfigFile:
    """A site's file in a result: its name, and the SHA-256 of its members as sorted JSON."""

    file: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One configuration of a server, its store and its load."""

    command: str  # "rate", "seconds", "storm", "expire", "start", "lfc"
    server: str = "kea"  # or "dhcpd"
    family: int = 4
    store: str = "memfile"
    sync: str = "no"  # "yes", "no", or "volatile": memfile without a file
    threads: int | None = 1  # 1: without multi-threading; None: as the site's file has it
    cpus: float = 0  # processors that each server may use, as in a container; 0: all
    queue: int = DEFAULT_QUEUE  # packets that may wait for the threads
    delayed_ack: int = 0  # answers of dhcpd that wait for one sync
    pool: int = 4000000  # addresses
    leases: int = 0  # leases of other clients before a trial
    classes: int = 0  # client classes
    subnets: int = 1
    reservations: int = 0
    hosts: str = "none"  # where reservations are: "config", "mysql", "pgsql"
    hook: str = "none"  # how Kea waits for a backend: "block", "park", "cache"
    hook_ms: int = DEFAULT_HOOK_MS
    servers: int = 1  # on one database, each with a network and clients of its own
    nodes: int = 0  # of a Galera cluster, each for every nth server; 0: a single database server
    allocator: str = DEFAULT_ALLOCATOR  # how Kea chooses addresses
    ha: str = "none"  # "hot-standby" or "load-balancing": a pair of servers
    ha_delay_s: int = DEFAULT_HA_DELAY_S  # after which a silent partner counts as dead
    kill_s: int = 0  # the second in which the first server is killed; 0: never
    renew: int = 0  # renewals for 100 new clients
    release: int = 0  # releases for 100 new clients
    max_lost: float = 0.025  # the share of clients that may get no lease
    within_s: float = 2  # how long a client waits for an answer
    start_rate: int = 0  # new clients per second
    seconds: int = 0  # that a trial sends
    clients: int = 10000  # of a storm
    where: bool = False  # measure where the time of a lease goes
    overrides: Mapping[str, object] = field(default_factory=dict)  # in results: "set"
    config: ConfigFile | None = None
    runs: int = 1
    prefix: str = ""  # where Kea is installed; "": the one that PATH has

    @property
    def is_dhcpd(self) -> bool:
        """True for ISC's dhcpd."""
        return self.server == "dhcpd"

    @property
    def program(self) -> str:
        """The name of the server's program."""
        return "dhcpd" if self.is_dhcpd else f"kea-dhcp{self.family}"

    @property
    def is_pair(self) -> bool:
        """True if two servers share the clients or stand in for each other."""
        return self.ha != "none"

    @property
    def is_shared(self) -> bool:
        """True if several servers share one database."""
        return self.servers > 1

    @property
    def server_numbers(self) -> tuple[int, ...]:
        """The numbers of the servers, from 1."""
        return (1, 2) if self.is_pair else self.network_numbers

    @property
    def network_numbers(self) -> tuple[int, ...]:
        """The numbers of the networks with clients, from 1; a pair has a single one."""
        return tuple(range(1, self.servers + 1))

    def interface(self, number: int) -> str:
        """Return the network interface of a server."""
        return f"lan{number}" if self.is_shared and number > 1 else f"dhcp{number}"

    @property
    def keeps_leases(self) -> bool:
        """True if the leases can be counted after a trial."""
        return self.sync != "volatile"

    @property
    def is_storm(self) -> bool:
        """True if all clients ask at once."""
        return self.command == "storm"

    @property
    def database_kinds(self) -> tuple[str, ...]:
        """The kinds of database servers for leases and reservations."""
        return tuple(kind for kind in DATABASE_SERVERS if kind in (self.store, self.hosts))

    @property
    def database_names(self) -> tuple[str, ...]:
        """The databases: the second server of a pair has leases of its own."""
        return ("kea", "kea2") if self.is_pair else ("kea",)

    @property
    def node_numbers(self) -> tuple[int, ...]:
        """The numbers of the database servers that DHCP servers connect to, from 1."""
        return tuple(range(1, min(self.nodes, self.servers) + 1)) or (1,)

    def node_of(self, number: int) -> int:
        """Return the number of the database server that a DHCP server connects to."""
        return (number - 1) % len(self.node_numbers) + 1

    def database_of(self, number: int) -> str:
        """Return the database of a server; several servers may share it."""
        return self.database_names[number - 1] if self.is_pair else "kea"

    def members(self) -> dict[str, object]:
        """Return the plan as a line of results has it (results/kea.schema.json)."""
        values = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name not in _NOT_RECORDED
        }
        recorded = {
            name: value
            for name, value in values.items()
            if name not in _OPTIONAL or value != _OPTIONAL[name]
        }
        if self.config:
            recorded["config"] = asdict(self.config)
        if self.overrides:
            recorded["set"] = dict(recorded.pop("overrides"))
        return recorded

    def check(self) -> None:
        """Raise UsageError if the plan contradicts itself."""
        for complaint in self._complaints():
            raise UsageError(complaint)

    def _complaints(self) -> Iterator[str]:
        if self.is_shared and self.store == "memfile":
            yield (
                f"--servers {self.servers}: the lease file of memfile belongs to one server; "
                "expected --store mysql or pgsql, a database that all servers share"
            )
        for condition, needs in REQUIREMENTS:
            if condition.holds(self):
                yield from (
                    f"{condition.typed(self)} requires {need}"
                    for need in needs
                    if not need.holds(self)
                )
        for limit in _limits(self):
            if not limit.least <= limit.value <= limit.most:
                yield str(limit)
        yield from (complaint for holds, complaint in self._contradictions() if holds)

    def _contradictions(self) -> tuple[tuple[bool, str], ...]:
        """Return what may be wrong with several options together, and whether it is."""
        free = self.pool - self.leases - 1  # the first client, which shows that Kea runs, has one
        return (
            (
                self.kill_s > 0 and not self.is_pair and not self.is_shared,
                "--kill requires --ha hot-standby or load-balancing, or several --servers",
            ),
            (
                self.allocator != DEFAULT_ALLOCATOR and self.config is not None,
                "--allocator cannot be used with --config; use --set allocator=random",
            ),
            (
                self.renew + self.release > 100,
                "--renew, --release: perfdhcp renews or releases a lease once; expected at most "
                f"100 together, not {self.renew + self.release}",
            ),
            (
                self.command == "seconds" and not self.start_rate,
                "seconds: --rate is missing; expected the new clients per second",
            ),
            (
                self.is_storm and self.clients > free,
                f"--clients: {self.clients} clients cannot all get a lease; expected at most "
                f"{free}, the free addresses of --pool",
            ),
        )


# ---- Options that require others


@dataclass(frozen=True)
class Condition:
    """An option with one of these values; without values, an option that is used at all."""

    option: str
    values: tuple[str, ...] = ()

    def holds(self, plan: Plan) -> bool:
        """Return whether the plan fulfils the condition."""
        value = getattr(plan, _FIELDS.get(self.option, self.option))
        return str(value) in self.values if self.values else bool(value) and value != "none"

    def typed(self, plan: Plan) -> str:
        """Return the option as the plan has it, as it would be typed."""
        if not self.values:
            return f"--{self.option}"
        value = getattr(plan, _FIELDS.get(self.option, self.option))
        return str(Condition(self.option, (str(value),)))

    def __str__(self) -> str:
        """Return the option with its values, as it would be typed."""
        values = " or ".join(self.values)
        if self.option == "command":
            return f"the command {values}"
        return f"--{self.option} {values}".rstrip()


_FIELDS = {"set": "overrides", "kill": "kill_s"}  # where an option has another name
_SEVERAL = tuple(str(count) for count in range(2, MOST_SERVERS + 1))

_KEA = Condition("server", ("kea",))
_DHCPV4 = Condition("family", ("4",))
_ONE_SERVER = Condition("ha", ("none",))
_ONE_SUBNET = Condition("subnets", ("1",))
_NO_LEASES = Condition("leases", ("0",))
_NO_RESERVATIONS = Condition("reservations", ("0",))
_RATE_OR_SECONDS = Condition("command", ("rate", "seconds"))
_RATE_SECONDS_OR_STORM = Condition("command", ("rate", "seconds", "storm"))

REQUIREMENTS: tuple[tuple[Condition, tuple[Condition, ...]], ...] = (
    (
        Condition("config"),
        (
            _KEA,
            _RATE_SECONDS_OR_STORM,
            _NO_LEASES,
            _ONE_SUBNET,
            _NO_RESERVATIONS,
            Condition("classes", ("0",)),
        ),
    ),
    (Condition("set"), (_KEA,)),
    (
        Condition("server", ("dhcpd",)),
        (
            _DHCPV4,
            Condition("store", ("dhcpd",)),
            Condition("threads", ("1",)),
            Condition("sync", ("yes",)),
            _ONE_SERVER,
            Condition("hook", ("none",)),
            _RATE_SECONDS_OR_STORM,
            _NO_LEASES,
            _ONE_SUBNET,
            _NO_RESERVATIONS,
            Condition("renew", ("0",)),
            Condition("release", ("0",)),
            Condition("servers", ("1",)),
        ),
    ),
    (Condition("store", ("memfile",)), (Condition("sync", ("no", "volatile")),)),
    (Condition("store", DATABASE_SERVERS), (Condition("sync", ("yes", "no")),)),
    (Condition("sync", ("volatile",)), (_ONE_SERVER, _NO_LEASES)),
    (Condition("leases"), (_DHCPV4, _ONE_SUBNET, _ONE_SERVER)),
    (Condition("command", ("lfc",)), (Condition("store", ("memfile",)),)),
    (Condition("renew"), (_RATE_OR_SECONDS,)),
    (Condition("release"), (_RATE_OR_SECONDS,)),
    (
        Condition("where"),
        (
            _KEA,
            _RATE_OR_SECONDS,
            _ONE_SERVER,
            _ONE_SUBNET,
            Condition("renew", ("0",)),
            Condition("release", ("0",)),
            Condition("hosts", ("none", "config")),
            Condition("hook", ("none",)),
            Condition("servers", ("1",)),
            Condition("nodes", ("0",)),
        ),
    ),
    (Condition("hook", ("cache",)), (Condition("command", ("storm",)),)),
    (
        Condition("servers", _SEVERAL),
        (
            _KEA,
            _RATE_OR_SECONDS,
            _DHCPV4,
            _ONE_SERVER,
            _ONE_SUBNET,
            Condition("release", ("0",)),  # a released address may be granted again
        ),
    ),
    (Condition("nodes"), (_KEA, Condition("store", ("mysql",)), _ONE_SERVER)),
    (Condition("allocator", ("random", "flq", "shared-flq")), (_KEA,)),
    (Condition("allocator", ("shared-flq",)), (Condition("store", DATABASE_SERVERS),)),
    (Condition("kill"), (Condition("command", ("seconds",)),)),
)


# ---- Limits that depend on other options


@dataclass(frozen=True)
class Limit:
    """A number of the plan, and the range that another option leaves for it."""

    option: str
    value: int
    least: int
    most: int
    because: str  # the other option as it would be typed

    def __str__(self) -> str:
        """Return the refusal of the number."""
        return (
            f"--{self.option}: {self.value} is out of range; expected {self.least}.."
            f"{self.most} with {self.because}"
        )


def _limits(plan: Plan) -> tuple[Limit, ...]:
    # A subnet of several has 65,536 addresses; some are for relays and reservations.
    several = plan.subnets > 1
    most_pool = plan.subnets * 50000 if several else 8000000
    most_reservations = plan.subnets * 14000 if several else 60000
    subnets = f"--subnets {plan.subnets}"
    least_rate = plan.servers if plan.is_shared else 0
    return (
        Limit("pool", plan.pool, 2 * plan.subnets, most_pool, subnets),
        Limit("reservations", plan.reservations, 0, most_reservations, subnets),
        Limit("leases", plan.leases, 0, plan.pool, f"--pool {plan.pool}"),
        Limit("rate", plan.start_rate, least_rate, MOST_RATE, f"--servers {plan.servers}"),
        Limit("kill", plan.kill_s, 0, max(plan.seconds - 1, 0), f"--seconds {plan.seconds}"),
    )
