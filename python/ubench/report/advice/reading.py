# SPDX-License-Identifier: ISC
"""Reads the parameters of a Kea configuration file.

Values of the wrong kind, and values that Kea refuses, raise Problem with the file and the line.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from ubench.errors import Problem
from ubench.kea_config import document
from ubench.kea_config.members import Members
from ubench.records.observation import KEA_DATABASE_TYPES
from ubench.report.advice import addresses, defaults, machine
from ubench.report.advice.configuration import (
    LIFETIME_MOST,
    Configuration,
    Ddns,
    Expiration,
    HighAvailability,
    LeaseDatabase,
    MultiThreading,
    Parameter,
    QueueControl,
    Subnet,
)

COUNT_MOST = (1 << 63) - 1
SHORT_MOST = 0xFFFF
RECLAIM_MS_MOST = 10000

LEASE_DATABASES = ("memfile", *KEA_DATABASE_TYPES.values())
HA_MODES = ("load-balancing", "hot-standby", "passive-backup")
ON_FAIL = ("stop-retry-exit", "serve-retry-exit", "serve-retry-continue")
# RFC 2131 section 4.4.5: a client that receives no T1 renews after half of its lease's time.
CLIENT_T1 = 0.5
# arm/dhcp6-srv, "Lease Lifetimes": without a preferred-lifetime.
PREFERRED_SHARE = 0.625

# The lifetime of a lease, and the limits of those that a client can ask for.
LIFETIMES = ("valid-lifetime", "min-valid-lifetime", "max-valid-lifetime")

# Subnets inherit these from their shared network, and that from the whole server.
INHERITED = (
    *LIFETIMES,
    "renew-timer",
    "cache-threshold",
    "cache-max-age",
    "allocator",
    "ddns-send-updates",
    "preferred-lifetime",
    "calculate-tee-times",
    "t1-percent",
)

T = TypeVar("T")


class MapReader:
    """Reads the parameters of one map of the file."""

    def __init__(self, name: str, members: Members, path: str) -> None:
        self.name = name  # under which kea_defaults.json has the defaults
        self.members = members
        self.path = path

    def place(self, name: str) -> str:
        """Return the place of a member; "" if the map does not have it."""
        if name not in self.members:
            return ""
        place = self.members.places.get(name)
        return place.brief(self.path) if place else "in the file"

    def flag(self, name: str) -> Parameter[bool]:
        """Return a parameter that is true or false."""
        return self._parameter(name, self.members.get_flag(name), bool)

    def whole(self, name: str, most: int) -> Parameter[int]:
        """Return a parameter that is an integer from 0 to `most`."""
        return self._parameter(name, self.members.get_whole(name, most), int)

    def optional_whole(self, name: str, most: int) -> Parameter[int | None]:
        """Return a parameter that is an integer from 0 to `most`, and without a default."""
        value = self.members.get_whole(name, most)
        default = defaults.find_default(self.name, name) if value is None else None
        return Parameter(name, value, self.place(name), default)

    def text(self, name: str) -> Parameter[str]:
        """Return a parameter that is a string."""
        return self._parameter(name, self.members.get_text(name), str)

    def choice(self, name: str, choices: Sequence[str]) -> Parameter[str]:
        """Return a parameter that is one of several strings."""
        return self._parameter(name, self.members.get_choice(name, choices), str)

    def share(self, name: str) -> Parameter[float]:
        """Return a parameter that is a number from 0 up to 1, without 1."""
        value = self.members.get_number(
            name, lambda number: 0 <= number < 1, "a number from 0 up to 1, without 1"
        )
        return self._parameter(name, value, float)

    def fraction(self, name: str) -> Parameter[float]:
        """Return a parameter that is a number between 0 and 1."""
        value = self.members.get_number(
            name, lambda number: 0 < number < 1, "a number between 0 and 1"
        )
        return self._parameter(name, value, float)

    def _parameter(self, name: str, value: T | None, kind: type[T]) -> Parameter[T]:
        if value is not None:
            return Parameter(name, value, self.place(name))
        default = defaults.find_default(self.name, name)
        if not isinstance(default.value, kind):
            raise TypeError(f"kea_defaults.json: {self.name}: {name} is not a {kind.__name__}")
        return Parameter(name, default.value, default=default)


def read_configuration(path: str, family: int | None = None) -> Configuration:
    """Read a configuration file, the server of a family if it has both. Raises Problem."""
    file = document.read_document(path, family=family, skip_absent=True)
    server, family = file.server, file.family
    refuse_absent_database(file)
    for other in document.FAMILIES:
        if other != family and f"subnet{other}" in server:
            expected = f"subnet{family} in Dhcp{family}"
            raise server.refusal(f"subnet{other}", expected, may_repeat=False)

    def section(name: str) -> MapReader:
        return MapReader(name, server.get_map(name) or Members(), path)

    subnets = read_subnets(server, family, path)
    pools = sorted(pool for subnet in subnets for pool in subnet.ranges)
    reserved = addresses.reserved_addresses(server, family)
    top = MapReader("", server, path)
    hooks = frozenset(document.hook_name(hook) for hook in server.get_maps("hooks-libraries"))
    return Configuration(
        path=path,
        family=family,
        others=file.others,
        absent=tuple(os.path.basename(each.name) for each in file.absent),
        may_lack_database="lease-database" not in server
        and any(each.member is None for each in file.absent),
        other_shares_database=shares_database(file),
        lease_database=read_lease_database(section("lease-database")),
        multi_threading=read_multi_threading(section("multi-threading")),
        queue_control=read_queue_control(section("dhcp-queue-control")),
        expiration=read_expiration(section("expired-leases-processing")),
        ddns=Ddns(section("dhcp-ddns").flag("enable-updates")),
        relationships=read_high_availability(server, path),
        hooks=Parameter("hooks-libraries", hooks, top.place("hooks-libraries")),
        subnets=subnets,
        reserved_globally=addresses.count_outside(reserved, pools),
        class_lifetimes=read_class_lifetimes(server),
        config_databases=read_config_databases(top),
        host_databases=tuple(
            Parameter(name, None, top.place(name))
            for name in ("hosts-database", "hosts-databases")
            if server.get(name)
        ),
    )


def refuse_absent_database(file: document.Document) -> None:
    """Raise Problem if lease-database is in a file that is not here: all else depends on it."""
    for absent in file.absent:
        if absent.member == "lease-database" and "lease-database" not in file.server:
            raise Problem(
                f"{absent.included_at}: lease-database is in {absent.name}, which is not on this "
                "machine; expected a copy next to this file (its type and host are enough)"
            )
    database = file.server.get_map("lease-database") or Members()
    within = [absent.name for absent in file.absent if absent.member == ""]
    if within and "type" not in database and "lease-database" in file.server:
        place = file.server.places["lease-database"]
        raise Problem(
            f"{place}: lease-database has no type; expected it here, or a copy next to this file "
            f"of what it includes ({', '.join(within)})"
        )


def read_class_lifetimes(server: Members) -> tuple[int, ...]:
    """Return the lifetimes of client classes that have one of their own.

    With a minimum or a maximum alone, that is the lifetime (SimpleParser::parseIntTriplet() in
    Kea's src/lib/cc/simple_parser.cc).
    """
    found = []
    for members in server.get_maps("client-classes"):
        values = (members.get_whole(name, LIFETIME_MOST) for name in LIFETIMES)
        found += [value for value in values if value is not None][:1]
    return tuple(found)


def read_lease_database(section: MapReader) -> LeaseDatabase:
    """Read lease-database."""
    kind, name = section.choice("type", LEASE_DATABASES), section.text("name")
    return LeaseDatabase(
        type=kind,
        name=name,
        persist=section.flag("persist"),
        lfc_interval=section.whole("lfc-interval", LIFETIME_MOST),
        host=section.text("host"),
        connect_timeout=section.whole("connect-timeout", LIFETIME_MOST),
        max_reconnect_tries=section.whole("max-reconnect-tries", LIFETIME_MOST),
        reconnect_wait_time=section.whole("reconnect-wait-time", LIFETIME_MOST),
        on_fail=section.choice("on-fail", ON_FAIL),
        retry_on_startup=section.flag("retry-on-startup"),
        file_system=machine.file_system(name.value) if kind.value == "memfile" else "",
    )


def read_multi_threading(section: MapReader) -> MultiThreading:
    """Read multi-threading."""
    return MultiThreading(
        enabled=section.flag("enable-multi-threading"),
        thread_pool_size=section.whole("thread-pool-size", SHORT_MOST),
        packet_queue_size=section.whole("packet-queue-size", SHORT_MOST),
    )


def read_queue_control(section: MapReader) -> QueueControl:
    """Read dhcp-queue-control."""
    return QueueControl(
        enabled=section.flag("enable-queue"), capacity=section.whole("capacity", COUNT_MOST)
    )


def read_expiration(section: MapReader) -> Expiration:
    """Read expired-leases-processing."""
    return Expiration(
        reclaim_timer_wait_time=section.whole("reclaim-timer-wait-time", SHORT_MOST),
        max_reclaim_leases=section.whole("max-reclaim-leases", LIFETIME_MOST),
        max_reclaim_time=section.whole("max-reclaim-time", RECLAIM_MS_MOST),
        hold_reclaimed_time=section.whole("hold-reclaimed-time", LIFETIME_MOST),
        flush_reclaimed_timer_wait_time=section.whole(
            "flush-reclaimed-timer-wait-time", SHORT_MOST
        ),
    )


def read_high_availability(server: Members, path: str) -> tuple[HighAvailability, ...]:
    """Read the relationships of libdhcp_ha.so; none without that library."""
    relationships = document.ha_relationships(server)
    if relationships is None:
        return ()
    return tuple(read_relationship(each, path) for each in relationships or [Members()])


def read_relationship(members: Members, path: str) -> HighAvailability:
    """Read a relationship of libdhcp_ha.so."""
    section = MapReader("high-availability", members, path)
    return HighAvailability(
        mode=members.get_choice("mode", HA_MODES),
        has_backup=any(peer.get("role") == "backup" for peer in members.get_maps("peers")),
        send_lease_updates=section.flag("send-lease-updates"),
        sync_leases=section.flag("sync-leases"),
        wait_backup_ack=section.flag("wait-backup-ack"),
        heartbeat_delay=section.whole("heartbeat-delay", LIFETIME_MOST),
        max_response_delay=section.whole("max-response-delay", LIFETIME_MOST),
    )


def shares_database(file: document.Document) -> bool:
    """Return whether the file also has the server of the other family, with the same database."""
    if file.other_server is None:
        return False
    try:
        databases = [
            read_lease_database(
                MapReader(
                    "lease-database", server.get_map("lease-database") or Members(), file.path
                )
            )
            for server in (file.server, file.other_server)
        ]
    except Problem:  # Kea does not look at the other server either
        return False
    return databases[0].is_server and databases[0].address == databases[1].address


def read_config_databases(top: MapReader) -> str:
    """Return the place of config-control if subnets may be in a database; otherwise ""."""
    control = top.members.get_map("config-control") or Members()
    return top.place("config-control") if control.get_maps("config-databases") else ""


def read_subnets(server: Members, family: int, path: str) -> tuple[Subnet, ...]:
    """Read all subnets; without any, one that has what the file sets for all of them."""
    outer = server.only(INHERITED)
    maps = [subnet.over(outer) for subnet in document.subnets(server, family)] or [outer]
    return tuple(read_subnet(members, family, path) for members in maps)


def read_subnet(members: Members, family: int, path: str) -> Subnet:
    """Read a subnet from its members, inherited ones among them."""
    section = MapReader("subnet", members, path)
    valid_lifetime = section.whole("valid-lifetime", LIFETIME_MOST)
    limits = [members.get_whole(name, LIFETIME_MOST) for name in LIFETIMES[1:]]
    ranges = addresses.pool_ranges(members, family)
    reserved = addresses.reserved_addresses(members, family)
    return Subnet(
        valid_lifetime=valid_lifetime,
        renew_timer=section.whole("renew-timer", LIFETIME_MOST),
        cache_threshold=section.share("cache-threshold"),
        cache_max_age=section.optional_whole("cache-max-age", LIFETIME_MOST),
        allocator=section.text("allocator"),
        ddns_send_updates=section.flag("ddns-send-updates"),
        lifetimes_on_request=tuple(each for each in limits if each is not None),
        network=members.get_text("subnet") or "",
        renewal_s=renewal_s(section, family, max(1, valid_lifetime.value)),
        ranges=ranges,
        prefixes=addresses.delegated_prefixes(members, family),
        reserved=addresses.count_outside(reserved, ranges),
    )


def renewal_s(section: MapReader, family: int, lifetime_s: int) -> float:
    """Return the time in seconds after which a client renews.

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
        # An address that is never preferred is renewed as well.
        time_s = min(preferred_s or PREFERRED_SHARE * lifetime_s, lifetime_s)
    share = CLIENT_T1
    subnet = MapReader(f"subnet{family}", section.members, section.path)
    if subnet.flag("calculate-tee-times").value:
        share = section.fraction("t1-percent").value
    return max(1.0, share * time_s)
