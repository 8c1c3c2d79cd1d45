# SPDX-License-Identifier: ISC
"""The parameters of a Kea configuration that the answer depends on, each with its place.

A parameter that the file does not have has Kea's default. `reading` reads them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from ubench.kea_config.members import cut_name
from ubench.report.advice.addresses import Range
from ubench.report.advice.defaults import Default

LIFETIME_MOST = 0xFFFFFFFF
FOREVER = LIFETIME_MOST  # the lifetime of a lease that does not expire
# File systems that are in memory, and directories that usually are, or that are emptied when the
# machine starts.
MEMORY_FILE_SYSTEMS = ("tmpfs", "ramfs")
FORGETFUL = ("/tmp/", "/run/", "/var/run/", "/dev/shm/")
CONTAINER_LAYER = "overlay"  # the file system of a container's own files, removed with it
LOCAL_HOSTS = ("localhost", "::1")  # besides 127.0.0.0/8, and paths of sockets
HOST_NAME_MOST = 40  # characters of a host's name in a sentence
# IPv6 pools with more addresses do not tell how many clients there are.
LARGE_POOLS = 1 << 24

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


@dataclass(frozen=True)
class ParameterMap:
    """A map of the file that has parameters."""

    def parameters(self) -> list[Parameter[object]]:
        """Return its parameters, in order."""
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
    file_system: str = ""  # of memfile's file, if its directory is on this machine


    @property
    def kind(self) -> str:
        """memfile, mysql or postgresql."""
        return self.type.value

    @property
    def is_server(self) -> bool:
        """True for a database server, false for memfile."""
        return self.kind != "memfile"

    @property
    def is_forgetful(self) -> bool:
        """True if memfile's file does not outlive a start of the machine."""
        in_memory = self.file_system in MEMORY_FILE_SYSTEMS
        return in_memory or self.name.value.startswith(FORGETFUL)

    @property
    def is_in_container_layer(self) -> bool:
        """True if memfile's file is removed with the container that it is in."""
        return self.file_system == CONTAINER_LAYER and not self.is_forgetful

    @property
    def address(self) -> tuple[str, str, str]:
        """What tells databases apart: the kind, the host and the name."""
        return self.kind, (self.host.value or "localhost").lower(), self.name.value

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
        """The threads that serve clients; None: as many as there are processors."""
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
    """A relationship of libdhcp_ha.so."""

    mode: str | None  # load-balancing, hot-standby or passive-backup
    has_backup: bool  # a peer that is sent leases and serves no clients
    send_lease_updates: Parameter[bool]
    sync_leases: Parameter[bool]
    wait_backup_ack: Parameter[bool]
    heartbeat_delay: Parameter[int]
    max_response_delay: Parameter[int]

    @property
    def sends_leases(self) -> bool:
        """True if another server receives each lease from this one."""
        if self.mode is None or not self.send_lease_updates.value:
            return False
        return self.mode != "passive-backup" or self.has_backup


@dataclass(frozen=True)
class Subnet(ParameterMap):
    """A subnet with what it inherits from its shared network and from the whole file."""

    valid_lifetime: Parameter[int]
    renew_timer: Parameter[int]
    cache_threshold: Parameter[float]
    cache_max_age: Parameter[int | None]
    allocator: Parameter[str]
    ddns_send_updates: Parameter[bool]
    lifetimes_on_request: tuple[int, ...]  # the limits of what a client may ask for
    network: str  # "192.0.2.0/24"; "" if the file does not say
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
    """The configuration of one DHCP server, as far as the answer depends on it."""

    path: str
    family: int  # 4 or 6
    others: tuple[str, ...]  # other top-level members of the file, which were not read
    absent: tuple[str, ...]  # names of included files that are not here, which were not read
    may_lack_database: bool  # one of these may have lease-database
    other_shares_database: bool  # the file's server of the other family has the same database
    lease_database: LeaseDatabase
    multi_threading: MultiThreading
    queue_control: QueueControl
    expiration: Expiration
    ddns: Ddns
    relationships: tuple[HighAvailability, ...]  # with other servers, of libdhcp_ha.so
    hooks: Parameter[frozenset[str]]  # names of hook libraries: "ha", "lease_cmds"
    subnets: tuple[Subnet, ...]  # at least one: without any, one with what the file has for all
    reserved_globally: int  # addresses of global reservations outside of all pools
    class_lifetimes: tuple[int, ...]  # of client classes, which subnets do not count
    config_databases: str  # the place of config-control with a database; "" without
    host_databases: tuple[Parameter[None], ...]  # hosts-database and hosts-databases
    servers: int = 1  # that have one database
    files: int = 1  # that were given, each of a server
    compete: bool = False  # several servers give out addresses of the same pools

    @property
    def ha(self) -> HighAvailability | None:
        """The first relationship. A server with several of them has the same mode in all."""
        return self.relationships[0] if self.relationships else None

    @property
    def threads(self) -> int | None:
        """The threads of all servers; None: as many as there are processors."""
        threads = self.multi_threading.threads
        return None if threads is None else threads * self.servers

    @property
    def has_partner(self) -> bool:
        """True if another server receives each lease from this one."""
        return bool(self.relationships) and all(each.sends_leases for each in self.relationships)

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
    def servers_at_work(self) -> int:
        """The servers that serve clients at the same time by one database."""
        is_balanced = self.ha is not None and self.ha.mode == "load-balancing"
        return max(self.servers, 2 if self.shares_database and is_balanced else 1)

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
        """Yield the maps of the file that have parameters, without its subnets."""
        yield from (self.lease_database, self.multi_threading, self.queue_control)
        yield from (self.expiration, self.ddns)
        yield from self.relationships
