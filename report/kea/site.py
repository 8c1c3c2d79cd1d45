# SPDX-License-Identifier: ISC
"""The facts of a site's configuration: its lease database, its clients, the times of their leases,
its threads, and its partner.  A member that Kea refuses is a Problem here as well.

Defaults and limits are those of Kea 3.2's source (src/lib/dhcpsrv: simple_parser4.cc,
simple_parser6.cc, cfg_expiration.cc, base_network_parser.cc) and of its manual."""

from __future__ import annotations

import ipaddress
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from report.kea import file
from report.kea.file import LIFETIME_MOST, Kind, Members, choices, counts, place

FOREVER = LIFETIME_MOST  # a lifetime
TYPES = choices("memfile", "mysql", "postgresql")
MODES = choices("load-balancing", "hot-standby", "passive-backup")
MANY = 1 << 24  # pools of IPv6 with more addresses say nothing of the clients
LOCAL = ("localhost", "::1")  # and 127.0.0.0/8, and the path of a socket


class Setting(NamedTuple):
    """A member that the answer reads; default of Kea 3.2, and in words where versions differ."""
    kind: str | Kind
    default: Any
    words: str = ""


SETTINGS: dict[str, dict[str, Setting]] = {
    "lease-database": {
        "name": Setting("text", ""), "persist": Setting("flag", True),
        "lfc-interval": Setting("seconds", 3600), "host": Setting("text", "localhost"),
        "connect-timeout": Setting("seconds", 5), "max-reconnect-tries": Setting("seconds", 0),
        "reconnect-wait-time": Setting("seconds", 0),
        "on-fail": Setting(choices("stop-retry-exit", "serve-retry-exit", "serve-retry-continue"),
                           "stop-retry-exit"),
        "retry-on-startup": Setting("flag", False, "none in 2.2, false in 2.6 and 3.0")},
    "multi-threading": {
        "enable-multi-threading": Setting("flag", True, "true since 2.3.5, false before"),
        "thread-pool-size": Setting("short", 0, "0, one for each processor"),
        "packet-queue-size": Setting("short", 64)},
    "dhcp-queue-control": {"enable-queue": Setting("flag", False),
                           "capacity": Setting("count", 64)},
    "expired-leases-processing": {
        "reclaim-timer-wait-time": Setting("short", 10),
        "max-reclaim-leases": Setting("seconds", 100),
        "max-reclaim-time": Setting(counts(10000), 250),
        "hold-reclaimed-time": Setting("seconds", 3600),
        "flush-reclaimed-timer-wait-time": Setting("short", 25)},
    "dhcp-ddns": {"enable-updates": Setting("flag", False)},
}
# A subnet inherits these from its shared network, and this one from the whole file.
INHERITED: dict[str, Setting] = {
    "valid-lifetime": Setting("seconds", 7200),
    "renew-timer": Setting("seconds", 0, "a client's own"),
    "cache-threshold": Setting("share", 0.25, "0.25 since 3.0, none before"),
    "cache-max-age": Setting("seconds", None, "none"),
    "allocator": Setting("text", "iterative"),
    "ddns-send-updates": Setting("flag", True),
}
PAIR: dict[str, Setting] = {
    "send-lease-updates": Setting("flag", True), "sync-leases": Setting("flag", True),
    "wait-backup-ack": Setting("flag", False), "heartbeat-delay": Setting("seconds", 10000),
    "max-response-delay": Setting("seconds", 60000)}


class Subnet:
    """A subnet with all that it inherits."""

    def __init__(self, members: Members, family: int):
        self.members = members
        for name, setting in INHERITED.items():
            members.value(name, setting.kind)
        self.lifetime = max(1, self.value("valid-lifetime"))
        self.renewal = renewal(members, family, self.lifetime)
        self.pools = sorted(pool_ends(pool, members, family)
                            for pool in members.value("pools", "maps", []))
        for (_, last), (first, _) in zip(self.pools, self.pools[1:]):
            if first <= last:
                raise members.problem("pools", "pools that do not overlap", False)
        self.addresses = sum(last - first + 1 for first, last in self.pools) \
            + prefixes(members, family)
        # Addresses for one client each, outside of the pools
        self.reserved = sum(
            not in_ranges(address, self.pools)
            for address in reserved_addresses(members.value("reservations", "maps", []), family))

    def value(self, name: str) -> Any:
        """One of INHERITED, as the subnet has it."""
        return self.members.get(name, INHERITED[name].default)

    @property
    def clients(self) -> int:
        """How many it can serve at a time."""
        return self.addresses + self.reserved


class Kea:
    """The facts of a file."""

    def __init__(self, path: str):
        self.path = path
        self.family, site, self.others = file.load(path)
        self.site = site
        for name, family in (("subnet4", 4), ("subnet6", 6)):
            if family != self.family and name in site:
                raise site.problem(name, f"subnet{self.family} in Dhcp{self.family}", False)
        database = site.value("lease-database", "map", Members())
        self.kind: str = database.value("type", TYPES, "memfile")
        self.hooks = {file.library(hook) for hook in site.value("hooks-libraries", "maps", [])}
        self.ha = file.high_availability(site)
        self.mode: str = self.ha.value("mode", MODES, "none") if self.ha else "none"
        self.values: dict[str, Any] = {}  # by setting; Kea's default if it is not in the file
        self.places: dict[str, str] = {}
        for group, settings in SETTINGS.items():
            self._take(site.value(group, "map", Members()), settings)
        self._take(self.ha or Members(), PAIR)
        self.subnets = self._subnets()
        used = [subnet for subnet in self.subnets if subnet.clients]
        self.used = used or self.subnets  # those with clients, or all
        self.reserved_globally = self._reserved_globally()

    def _take(self, members: Members, settings: dict[str, Setting]) -> None:
        for name, setting in settings.items():
            self.values[name] = members.value(name, setting.kind, setting.default)
            self.places[name] = place(members, name, self.path)

    def _subnets(self) -> list[Subnet]:
        """All; without any, one that has what the file says of all."""
        shared = file.subnets(self.site, self.family)
        outer = Members({name: self.site[name] for name in self.site if name in
                         {*INHERITED, "preferred-lifetime", "calculate-tee-times", "t1-percent"}},
                        self.site.lines)
        return [Subnet(members.over(outer), self.family) for members in shared] or [
            Subnet(outer, self.family)]

    def _reserved_globally(self) -> int:
        """Addresses of global reservations that are in no pool."""
        every = sorted(ends for subnet in self.subnets for ends in subnet.pools)
        found = reserved_addresses(self.site.value("reservations", "maps", []), self.family)
        return sum(not in_ranges(address, every) for address in found)

    @property
    def addresses(self) -> int:
        """Addresses and prefixes of all pools."""
        return sum(subnet.addresses for subnet in self.subnets)

    @property
    def reserved(self) -> int:
        """Reserved addresses outside of the pools."""
        return self.reserved_globally + sum(subnet.reserved for subnet in self.subnets)

    @property
    def clients(self) -> int:
        """One for each address of the pools and each reservation; 0 if that says nothing."""
        count = self.addresses + self.reserved
        return 0 if self.family == 6 and count > MANY else count

    @property
    def threads(self) -> int | None:
        """How many threads serve clients; None: as many as the machine has processors."""
        if not self.values["enable-multi-threading"]:
            return 1
        return self.values["thread-pool-size"] or None

    @property
    def is_database(self) -> bool:
        return self.kind != "memfile"

    @property
    def remote_host(self) -> str:
        """The host of its database, if that is not this machine for sure; or ""."""
        host = self.values["host"] or "localhost"
        if not self.is_database or host.lower() in LOCAL or host.startswith(("/", "127.")):
            return ""
        return file.cut_name(host, 40)

    @property
    def has_partner(self) -> bool:
        """Another server learns of each lease from this one."""
        if self.ha is None or self.mode == "none" or not self.values["send-lease-updates"]:
            return False
        return self.mode != "passive-backup" or any(
            peer.get("role") == "backup" for peer in self.ha.value("peers", "maps", []))

    @property
    def is_pair(self) -> bool:
        """Each lease waits for the partner, as in results of a pair."""
        return self.has_partner and self.mode != "passive-backup"

    @property
    def shares_database(self) -> bool:
        """The servers share a database or replicate it: Kea sends no lease updates then."""
        return self.ha is not None and self.mode in ("hot-standby", "load-balancing") \
            and self.is_database and not self.values["send-lease-updates"]

    @property
    def updates_dns(self) -> bool:
        """Some subnet has DNS updates."""
        return self.values["enable-updates"] and any(
            subnet.value("ddns-send-updates") for subnet in self.subnets)

    @property
    def allocators(self) -> set[str]:
        return {subnet.value("allocator") for subnet in self.subnets}

    @property
    def class_lifetimes(self) -> int:
        """How many client classes have a lifetime of their own."""
        return sum("valid-lifetime" in item
                   for item in self.site.value("client-classes", "maps", []))

    def mean(self, times: Iterable[float]) -> float:
        """The mean of times in which each client does something once, by the clients of subnets;
        times: one of each subnet that is used."""
        weights = [subnet.clients for subnet in self.used] if self.clients else []
        if not sum(weights):
            weights = [1] * len(self.used)
        return sum(weights) / sum(weight / time for weight, time in zip(weights, times))

    @property
    def lease_s(self) -> float:
        return self.mean(subnet.lifetime for subnet in self.used)

    @property
    def renew_s(self) -> float:
        return self.mean(subnet.renewal for subnet in self.used)

    def expiring_in_an_hour(self, clients: int) -> float:
        """How many leases run out in an hour if none of so many clients comes back."""
        weights = [subnet.clients if self.clients else 1 for subnet in self.used]
        if not sum(weights):
            weights = [1] * len(self.used)
        share = sum(weight * min(1.0, 3600 / subnet.lifetime)
                    for weight, subnet in zip(weights, self.used) if subnet.lifetime < FOREVER)
        return clients * share / sum(weights)

    def inherited(self, name: str) -> list[tuple[str, str, int]]:
        """The values that the used subnets have of a setting, with the place, and of how many."""
        setting, found = INHERITED[name], Counter[tuple[str, str]]()
        for subnet in self.used:
            where = place(subnet.members, name, self.path)
            default = setting.words or words(setting.default)
            found[words(subnet.members[name]) if name in subnet.members else default, where] += 1
        return [(value, where, count) for (value, where), count in found.items()]


def words(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def in_ranges(address: int, ranges: list[tuple[int, int]]) -> bool:
    """Whether one of sorted ranges that do not overlap has the address."""
    before = bisect_right(ranges, (address, 1 << 128))
    return before > 0 and address <= ranges[before - 1][1]


def parse_pool(text: str, version: type) -> tuple[int, int]:
    """The ends of "FIRST - LAST" or of a prefix.  Raises ValueError if it is neither."""
    network = ipaddress.IPv4Network if version is ipaddress.IPv4Address else ipaddress.IPv6Network
    text = text.replace(" ", "").replace("\t", "")
    if "/" in text:
        if not text.rpartition("/")[2].isdigit():
            raise ValueError(text)
        prefix = network(text, strict=False)
        return int(prefix[0]), int(prefix[-1])
    first, last = text.split("-")
    return int(version(first)), int(version(last))


def pool_ends(pool: Members, subnet: Members, family: int) -> tuple[int, int]:
    """The first and the last address of a pool."""
    version, example = (ipaddress.IPv4Address, "192.0.2.10 - 192.0.2.90") if family == 4 else (
        ipaddress.IPv6Address, "2001:db8::10 - 2001:db8::90")
    text = pool.value("pool", "text")
    if text is None:
        raise subnet.problem("pools", f'pools that each have a "pool", as in "{example}"', False)
    try:
        first, last = parse_pool(text, version)
        if first <= last:
            return first, last
    except ValueError:
        pass
    raise pool.problem("pool", f"two IPv{family} addresses, as in {example}, or an IPv{family} "
                       "prefix")


def prefixes(subnet: Members, family: int) -> int:
    """How many prefixes its pools delegate."""
    count, pools = 0, subnet.value("pd-pools", "maps", [])
    if pools and family == 4:
        raise subnet.problem("pd-pools", "pools of addresses: Dhcp4 delegates no prefixes", False)
    bits = counts(128)
    for pool in pools:
        length, delegated = pool.value("prefix-len", bits, 0), pool.value("delegated-len", bits, 0)
        if delegated < length:
            raise pool.problem("delegated-len", f"a number from prefix-len, {length}, to 128")
        count += 1 << delegated - length
    return count


def reserved_addresses(reservations: list[Members], family: int) -> list[int]:
    """The address of each reservation that has one; a delegated prefix counts as well."""
    found = []
    for host in reservations:
        if family == 4:
            texts = [host.value("ip-address", "text")] if "ip-address" in host else []
        else:
            texts = [*host.value("ip-addresses", "list", []), *host.value("prefixes", "list", [])]
        for text in texts:
            try:
                address = str(text).partition("/")[0]
                found.append(int(ipaddress.IPv4Address(address) if family == 4 else
                                 ipaddress.IPv6Address(address)))
            except ValueError:
                name = next(name for name in ("ip-address", "ip-addresses", "prefixes")
                            if name in host)
                raise host.problem(name, f"IPv{family} addresses", family == 4) from None
    return found


def renewal(subnet: Members, family: int, lifetime: int) -> float:
    """After so many seconds a client renews: the time that it is told, or a part of the lifetime,
    of IPv6 the preferred one; without either a client takes a half (RFC 2131, RFC 9915)."""
    timer, share = subnet.value("renew-timer", "seconds", 0), 0.5
    if 0 < timer < lifetime:
        return timer
    if family == 6:
        lifetime = subnet.value("preferred-lifetime", "seconds", 0.625 * lifetime)
    if subnet.value("calculate-tee-times", "flag", family == 6):
        share = subnet.value("t1-percent", "part", share)
    return max(1.0, share * lifetime)
