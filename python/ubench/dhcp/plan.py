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

# Fields that are not in a result: they say how often and where, which the result itself shows.
_NOT_RECORDED = ("runs", "prefix")
# Fields that a result leaves out if they are 0 or empty.
_OPTIONAL = ("cpus", "leases", "renew", "release", "where", "overrides", "config")


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
    def server_numbers(self) -> tuple[int, ...]:
        """The numbers of the servers, from 1."""
        return (1, 2) if self.is_pair else (1,)

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
        """The database of each server: the second one of a pair has leases of its own."""
        return ("kea", "kea2") if self.is_pair else ("kea",)

    def members(self) -> dict[str, object]:
        """Return the plan as a line of results has it (results/kea.schema.json)."""
        values = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name not in _NOT_RECORDED
        }
        recorded = {name: value for name, value in values.items() if value or name not in _OPTIONAL}
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
        if self.renew + self.release > 100:
            yield (
                "--renew, --release: perfdhcp renews or releases a lease once; expected at "
                f"most 100 together, not {self.renew + self.release}"
            )
        if self.command == "seconds" and not self.start_rate:
            yield "seconds: --rate is missing; expected the new clients per second"
        free = self.pool - self.leases - 1  # the first client, which shows that Kea runs, has one
        if self.is_storm and self.clients > free:
            yield (
                f"--clients: {self.clients} clients cannot all get a lease; expected at most "
                f"{free}, the free addresses of --pool"
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
        ),
    ),
    (Condition("hook", ("cache",)), (Condition("command", ("storm",)),)),
    (
        Condition("kill"),
        (Condition("command", ("seconds",)), Condition("ha", ("hot-standby", "load-balancing"))),
    ),
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
    return (
        Limit("pool", plan.pool, 2 * plan.subnets, most_pool, subnets),
        Limit("reservations", plan.reservations, 0, most_reservations, subnets),
        Limit("leases", plan.leases, 0, plan.pool, f"--pool {plan.pool}"),
        Limit("kill", plan.kill_s, 0, max(plan.seconds - 1, 0), f"--seconds {plan.seconds}"),
    )
