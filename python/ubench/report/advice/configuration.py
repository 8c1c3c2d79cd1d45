# SPDX-License-Identifier: ISC
"""The parameters of a Kea configuration that the answer depends on, each with its place.

A parameter that the file does not have has Kea's default. Values of the wrong kind, and values
that Kea refuses, raise Problem with the file and the line.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ubench.kea_config import document
from ubench.kea_config.members import Members, cut_name
from ubench.report.advice import addresses, defaults
from ubench.report.advice.addresses import Range
from ubench.report.advice.defaults import Default

COUNT_MOST = (1 << 63) - 1
LIFETIME_MOST = 0xFFFFFFFF
SHORT_MOST = 0xFFFF
RECLAIM_MS_MOST = 10000
FOREVER = LIFETIME_MOST  # the lifetime of a lease that does not expire

LEASE_DATABASES = ("memfile", "mysql", "postgresql")
HA_MODES = ("load-balancing", "hot-standby", "passive-backup")
ON_FAIL = ("stop-retry-exit", "serve-retry-exit", "serve-retry-continue")
LOCAL_HOSTS = ("localhost", "::1")  # besides 127.0.0.0/8, and paths of sockets
HOST_NAME_MOST = 40  # characters of a host's name in a sentence
# IPv6 pools with more addresses do not tell how many clients there are.
LARGE_POOLS = 1 << 24
# RFC 2131 section 4.4.5: a client that receives no T1 renews after half of its lease's time.
CLIENT_T1 = 0.5
# arm/dhcp6-srv, "Lease Lifetimes": without a preferred-lifetime.
PREFERRED_SHARE = 0.625

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Parameter(Generic[T_co]):
    """A parameter of Kea, as the file or a default sets it.

    `place` is short, "line 12". It is empty if the file does not have the parameter.
    """

    name: str
    value: T_co
    place: str = ""
    default: Default | None = None  # of a parameter that the file does not have


class Section:
    """Reads the parameters of one map of the file."""

    def __init__(self, name: str, members: Members, path: str) -> None:
        self.name = name  # under which kea_defaults.json has the defaults
        self.members = members
        self.path = path

    def place(self, name: str) -> str:
        """The place of a member; "" if the map does not have it."""
        if name not in self.members:
            return ""
        place = self.members.places.get(name)
        return place.brief(self.path) if place else "in the file"

    def flag(self, name: str) -> Parameter[bool]:
        """A parameter that is true or false."""
        return self._parameter(name, self.members.get_flag(name), bool)

    def whole(self, name: str, most: int) -> Parameter[int]:
        """A parameter that is an integer from 0 to `most`."""
        return self._parameter(name, self.members.get_whole(name, most), int)

    def optional_whole(self, name: str, most: int) -> Parameter[int | None]:
        """A parameter that is an integer from 0 to `most`, and without a default."""
        value = self.members.get_whole(name, most)
        default = defaults.find(self.name, name) if value is None else None
        return Parameter(name, value, self.place(name), default)

    def text(self, name: str) -> Parameter[str]:
        """A parameter that is a string."""
        return self._parameter(name, self.members.get_text(name), str)

    def choice(self, name: str, choices: Sequence[str]) -> Parameter[str]:
        """A parameter that is one of several strings."""
        return self._parameter(name, self.members.get_choice(name, choices), str)

    def share(self, name: str) -> Parameter[float]:
        """A parameter that is a number from 0 up to 1, without 1."""
        value = self.members.get_number(
            name, lambda number: 0 <= number < 1, "a number from 0 up to 1, without 1"
        )
        return self._parameter(name, value, float)

    def fraction(self, name: str) -> Parameter[float]:
        """A parameter that is a number between 0 and 1."""
        value = self.members.get_number(
            name, lambda number: 0 < number < 1, "a number between 0 and 1"
        )
        return self._parameter(name, value, float)

    def _parameter(self, name: str, value: T | None, kind: type[T]) -> Parameter[T]:
        if value is not None:
            return Parameter(name, value, self.place(name))
        default = defaults.find(self.name, name)
        if not isinstance(default.value, kind):
            raise TypeError(f"kea_defaults.json: {self.name}: {name} is not a {kind.__name__}")
        return Parameter(name, default.value, default=default)


@dataclass(frozen=True)
class ParameterMap:
    """A map of the file that has parameters."""

    def parameters(self) -> list[Parameter[object]]:
        """Its parameters, in order."""
        values = [getattr(self, field.name) for field in dataclasses.fields(self)]
        return [value for value in values if isinstance(value, Parameter)]


@dataclass(frozen=True)
class LeaseDatabase(ParameterMap):
    """lease-database."""

    type: Parameter[str]
    name: Parameter[str]
    persist: Parameter[bool]
    lfc_interval: Parameter[int]
    host: Parameter[str]
    connect_timeout: Parameter[int]
    max_reconnect_tries: Parameter[int]
    reconnect_wait_time: Parameter[int]
    on_fail: Parameter[str]
    retry_on_startup: Parameter[bool]

    @property
    def kind(self) -> str:
        """One of LEASE_DATABASES."""
        return self.type.value

    @property
    def is_server(self) -> bool:
        """True for a database server, false for memfile."""
        return self.kind != "memfile"

    @property
    def remote_host(self) -> str:
        """The host of the database server; "" if it is this machine, or if there is none."""
        host = self.host.value or "localhost"
        is_local = host.lower() in LOCAL_HOSTS or host.startswith(("/", "127."))
        if not self.is_server or is_local:
            return ""
        return cut_name(host, HOST_NAME_MOST)


@dataclass(frozen=True)
class MultiThreading(ParameterMap):
    """multi-threading."""

    enabled: Parameter[bool]
    thread_pool_size: Parameter[int]
    packet_queue_size: Parameter[int]

    @property
    def threads(self) -> int | None:
        """How many threads serve clients; None for one for each processor."""
        if not self.enabled.value:
            return 1
        return self.thread_pool_size.value or None


@dataclass(frozen=True)
class QueueControl(ParameterMap):
    """dhcp-queue-control."""

    enabled: Parameter[bool]
    capacity: Parameter[int]


@dataclass(frozen=True)
class Expiration(ParameterMap):
    """expired-leases-processing."""

    reclaim_timer_wait_time: Parameter[int]
    max_reclaim_leases: Parameter[int]
    max_reclaim_time: Parameter[int]
    hold_reclaimed_time: Parameter[int]
    flush_reclaimed_timer_wait_time: Parameter[int]


@dataclass(frozen=True)
class Ddns(ParameterMap):
    """dhcp-ddns."""

    enabled: Parameter[bool]


@dataclass(frozen=True)
class HighAvailability(ParameterMap):
    """The first relationship of libdhcp_ha.so."""

    mode: str | None  # one of HA_MODES
    has_backup: bool  # a peer that is sent leases and serves no clients
    relationships: int
    send_lease_updates: Parameter[bool]
    sync_leases: Parameter[bool]
    wait_backup_ack: Parameter[bool]
    heartbeat_delay: Parameter[int]
    max_response_delay: Parameter[int]


@dataclass(frozen=True)
class Subnet(ParameterMap):
    """A subnet with what it inherits from its shared network and from the whole file."""

    valid_lifetime: Parameter[int]
    renew_timer: Parameter[int]
    cache_threshold: Parameter[float]
    cache_max_age: Parameter[int | None]
    allocator: Parameter[str]
    ddns_send_updates: Parameter[bool]
    renewal_s: float  # after this time a client renews its lease
    ranges: tuple[Range, ...]  # of its pools, in order
    prefixes: int  # that its pools delegate
    reserved: int  # addresses outside of the pools, each for one client

    @property
    def lifetime_s(self) -> int:
        """The lifetime of its leases in seconds, at least 1."""
        return max(1, self.valid_lifetime.value)

    @property
    def is_forever(self) -> bool:
        """True if its leases do not expire."""
        return self.lifetime_s >= FOREVER

    @property
    def addresses(self) -> int:
        """The addresses and prefixes of its pools."""
        return sum(pool.size for pool in self.ranges) + self.prefixes

    @property
    def clients(self) -> int:
        """How many clients it can serve at a time."""
        return self.addresses + self.reserved

    @property
    def is_cached(self) -> bool:
        """True if clients renew so early that Kea repeats their lease with the time left.

        Kea does while the lease is younger than cache-threshold of its lifetime, and than
        cache-max-age (setLeaseReusable() in src/lib/dhcpsrv/alloc_engine.cc).
        """
        if self.is_forever:
            return False
        limit = self.cache_threshold.value * self.lifetime_s
        if self.cache_max_age.value is not None:
            limit = min(limit, self.cache_max_age.value)
        return self.renewal_s < limit


@dataclass(frozen=True)
class Configuration:
    """What the answer depends on in the configuration of one DHCP server."""

    path: str
    family: int  # 4 or 6
    others: tuple[str, ...]  # other top-level members of the file, which were not read
    lease_database: LeaseDatabase
    multi_threading: MultiThreading
    queue_control: QueueControl
    expiration: Expiration
    ddns: Ddns
    ha: HighAvailability | None
    hooks: Parameter[frozenset[str]]  # names of hook libraries: "ha", "lease_cmds"
    subnets: tuple[Subnet, ...]  # at least one: without any, one with what the file has for all
    reserved_globally: int  # addresses of global reservations outside of all pools
    class_lifetimes: int  # client classes with a lifetime of their own
    config_databases: str  # the place of config-control with a database; "" without
    host_databases: tuple[Parameter[None], ...]  # hosts-database and hosts-databases

    @property
    def has_partner(self) -> bool:
        """True if another server receives each lease from this one."""
        if self.ha is None or self.ha.mode is None or not self.ha.send_lease_updates.value:
            return False
        return self.ha.mode != "passive-backup" or self.ha.has_backup

    @property
    def is_pair(self) -> bool:
        """True if each lease waits for the partner, as in results of a pair."""
        return self.has_partner and self.ha is not None and self.ha.mode != "passive-backup"

    @property
    def shares_database(self) -> bool:
        """True if servers share or replicate their database, so that Kea sends no lease updates."""
        return (
            self.ha is not None
            and self.ha.mode in ("hot-standby", "load-balancing")
            and self.lease_database.is_server
            and not self.ha.send_lease_updates.value
        )

    @property
    def updates_dns(self) -> bool:
        """True if some subnet has DNS updates."""
        return self.ddns.enabled.value and any(
            subnet.ddns_send_updates.value for subnet in self.subnets
        )

    @property
    def allocators(self) -> frozenset[str]:
        """The allocators of all subnets."""
        return frozenset(subnet.allocator.value for subnet in self.subnets)

    def maps(self) -> Iterator[ParameterMap]:
        """The maps of the file that have parameters, without its subnets."""
        yield from (self.lease_database, self.multi_threading, self.queue_control)
        yield from (self.expiration, self.ddns)
        if self.ha is not None:
            yield self.ha


def read(path: str) -> Configuration:
    """Reads a configuration file. Raises Problem."""
    file = document.load(path)
    server, family = file.server, file.family
    for other in document.FAMILIES:
        if other != family and f"subnet{other}" in server:
            expected = f"subnet{family} in Dhcp{family}"
            raise server.refusal(f"subnet{other}", expected, may_repeat=False)

    def section(name: str) -> Section:
        return Section(name, server.get_map(name) or Members(), path)

    subnets = read_subnets(server, family, path)
    pools = sorted(pool for subnet in subnets for pool in subnet.ranges)
    reserved = addresses.reserved_addresses(server, family)
    top = Section("", server, path)
    hooks = frozenset(document.hook_name(hook) for hook in server.get_maps("hooks-libraries"))
    return Configuration(
        path=path,
        family=family,
        others=file.others,
        lease_database=read_lease_database(section("lease-database")),
        multi_threading=read_multi_threading(section("multi-threading")),
        queue_control=read_queue_control(section("dhcp-queue-control")),
        expiration=read_expiration(section("expired-leases-processing")),
        ddns=Ddns(section("dhcp-ddns").flag("enable-updates")),
        ha=read_high_availability(server, path),
        hooks=Parameter("hooks-libraries", hooks, top.place("hooks-libraries")),
        subnets=subnets,
        reserved_globally=addresses.count_outside(reserved, pools),
        class_lifetimes=sum("valid-lifetime" in each for each in server.get_maps("client-classes")),
        config_databases=read_config_databases(top),
        host_databases=tuple(
            Parameter(name, None, top.place(name))
            for name in ("hosts-database", "hosts-databases")
            if server.get(name)
        ),
    )


def read_lease_database(section: Section) -> LeaseDatabase:
    """Reads lease-database."""
    return LeaseDatabase(
        type=section.choice("type", LEASE_DATABASES),
        name=section.text("name"),
        persist=section.flag("persist"),
        lfc_interval=section.whole("lfc-interval", LIFETIME_MOST),
        host=section.text("host"),
        connect_timeout=section.whole("connect-timeout", LIFETIME_MOST),
        max_reconnect_tries=section.whole("max-reconnect-tries", LIFETIME_MOST),
        reconnect_wait_time=section.whole("reconnect-wait-time", LIFETIME_MOST),
        on_fail=section.choice("on-fail", ON_FAIL),
        retry_on_startup=section.flag("retry-on-startup"),
    )


def read_multi_threading(section: Section) -> MultiThreading:
    """Reads multi-threading."""
    return MultiThreading(
        enabled=section.flag("enable-multi-threading"),
        thread_pool_size=section.whole("thread-pool-size", SHORT_MOST),
        packet_queue_size=section.whole("packet-queue-size", SHORT_MOST),
    )


def read_queue_control(section: Section) -> QueueControl:
    """Reads dhcp-queue-control."""
    return QueueControl(
        enabled=section.flag("enable-queue"), capacity=section.whole("capacity", COUNT_MOST)
    )


def read_expiration(section: Section) -> Expiration:
    """Reads expired-leases-processing."""
    return Expiration(
        reclaim_timer_wait_time=section.whole("reclaim-timer-wait-time", SHORT_MOST),
        max_reclaim_leases=section.whole("max-reclaim-leases", LIFETIME_MOST),
        max_reclaim_time=section.whole("max-reclaim-time", RECLAIM_MS_MOST),
        hold_reclaimed_time=section.whole("hold-reclaimed-time", LIFETIME_MOST),
        flush_reclaimed_timer_wait_time=section.whole(
            "flush-reclaimed-timer-wait-time", SHORT_MOST
        ),
    )


def read_high_availability(server: Members, path: str) -> HighAvailability | None:
    """Reads the relationships of libdhcp_ha.so; None without that library."""
    relationships = document.ha_relationships(server)
    if relationships is None:
        return None
    first = relationships[0] if relationships else Members()
    section = Section("high-availability", first, path)
    return HighAvailability(
        mode=first.get_choice("mode", HA_MODES),
        has_backup=any(peer.get("role") == "backup" for peer in first.get_maps("peers")),
        relationships=len(relationships),
        send_lease_updates=section.flag("send-lease-updates"),
        sync_leases=section.flag("sync-leases"),
        wait_backup_ack=section.flag("wait-backup-ack"),
        heartbeat_delay=section.whole("heartbeat-delay", LIFETIME_MOST),
        max_response_delay=section.whole("max-response-delay", LIFETIME_MOST),
    )


def read_config_databases(top: Section) -> str:
    """The place of config-control if subnets may be in a database; otherwise ""."""
    control = top.members.get_map("config-control") or Members()
    return top.place("config-control") if control.get_maps("config-databases") else ""


INHERITED = (
    "valid-lifetime",
    "renew-timer",
    "cache-threshold",
    "cache-max-age",
    "allocator",
    "ddns-send-updates",
    "preferred-lifetime",
    "calculate-tee-times",
    "t1-percent",
)


def read_subnets(server: Members, family: int, path: str) -> tuple[Subnet, ...]:
    """Reads all subnets; without any, one that has what the file sets for all of them."""
    outer = server.only(INHERITED)
    maps = [subnet.over(outer) for subnet in document.subnets(server, family)] or [outer]
    return tuple(read_subnet(members, family, path) for members in maps)


def read_subnet(members: Members, family: int, path: str) -> Subnet:
    """Reads a subnet from its members, inherited ones among them."""
    section = Section("subnet", members, path)
    valid_lifetime = section.whole("valid-lifetime", LIFETIME_MOST)
    ranges = addresses.pool_ranges(members, family)
    reserved = addresses.reserved_addresses(members, family)
    return Subnet(
        valid_lifetime=valid_lifetime,
        renew_timer=section.whole("renew-timer", LIFETIME_MOST),
        cache_threshold=section.share("cache-threshold"),
        cache_max_age=section.optional_whole("cache-max-age", LIFETIME_MOST),
        allocator=section.text("allocator"),
        ddns_send_updates=section.flag("ddns-send-updates"),
        renewal_s=renewal_s(section, family, max(1, valid_lifetime.value)),
        ranges=ranges,
        prefixes=addresses.delegated_prefixes(members, family),
        reserved=addresses.count_outside(reserved, ranges),
    )


def renewal_s(section: Section, family: int, lifetime_s: int) -> float:
    """The time in seconds after which a client renews.

    That is T1 if the server sends it: renew-timer, or with calculate-tee-times a share of the
    lifetime, with IPv6 of the preferred one. Without T1 a client renews after a half (RFC 2131,
    section 4.4.5; RFC 9915).
    """
    timer_s = section.whole("renew-timer", LIFETIME_MOST).value
    if 0 < timer_s < lifetime_s:
        return timer_s
    time_s = float(lifetime_s)
    if family == 6:
        preferred_s = section.members.get_whole("preferred-lifetime", LIFETIME_MOST)
        time_s = PREFERRED_SHARE * lifetime_s if preferred_s is None else preferred_s
    share = CLIENT_T1
    if Section(f"subnet{family}", section.members, section.path).flag("calculate-tee-times").value:
        share = section.fraction("t1-percent").value
    return max(1.0, share * time_s)
