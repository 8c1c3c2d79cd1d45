# SPDX-License-Identifier: ISC
"""Pools, delegated prefixes and reserved addresses of a subnet, as ranges of integers."""

from __future__ import annotations

import ipaddress
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ubench.errors import Problem
from ubench.kea_config.members import Members

EXAMPLES = {4: "192.0.2.10 - 192.0.2.90", 6: "2001:db8::10 - 2001:db8::90"}
BITS_MOST = 128


@dataclass(frozen=True, order=True)
class Range:
    """The addresses from the first to the last, as integers."""

    first: int
    last: int

    @property
    def size(self) -> int:
        """How many addresses it has."""
        return self.last - self.first + 1


def parse_address(text: str, family: int) -> int:
    """Return an address as an integer. Raises ValueError if the text is not one of this family."""
    if family == 4:
        return int(ipaddress.IPv4Address(text))
    return int(ipaddress.IPv6Address(text))


def format_address(address: int, family: int) -> str:
    """Return an address as text."""
    make = ipaddress.IPv4Address if family == 4 else ipaddress.IPv6Address
    return str(make(address))


def parse_range(text: str, family: int) -> Range:
    """Return the range of "FIRST - LAST" or of a prefix, as Kea reads them.

    Raises ValueError if it is neither, or if the last address comes before the first.
    """
    text = text.replace(" ", "").replace("\t", "")
    if "/" in text:
        address, _, length = text.rpartition("/")
        if not (length.isascii() and length.isdigit()):
            raise ValueError(text)
        bits = {4: 32, 6: 128}[family] - int(length)
        if bits < 0:
            raise ValueError(text)
        first = parse_address(address, family) >> bits << bits
        return Range(first, first + (1 << bits) - 1)
    first_text, last_text = text.split("-")
    addresses = Range(parse_address(first_text, family), parse_address(last_text, family))
    if addresses.size < 1:
        raise ValueError(text)
    return addresses


def pool_ranges(subnet: Members, family: int) -> tuple[Range, ...]:
    """Return the ranges of a subnet's pools, in order. Raises Problem if they overlap."""
    ranges = sorted(pool_range(pool, subnet, family) for pool in subnet.get_maps("pools"))
    for before, after in pairwise(ranges):
        if after.first <= before.last:
            place = subnet.places.get("pools", "the file")
            address = format_address(after.first, family)
            raise Problem(
                f"{place}: {address} is in two of the pools; expected pools that do not overlap"
            )
    return tuple(ranges)


def pool_range(pool: Members, subnet: Members, family: int) -> Range:
    """Return the range of a pool. Raises Problem if it has none."""
    text = pool.get_text("pool")
    if text is None:
        expected = f'pools that each have a "pool", as in "{EXAMPLES[family]}"'
        raise subnet.refusal("pools", expected, may_repeat=False)
    try:
        return parse_range(text, family)
    except ValueError:
        raise pool.refusal(
            "pool",
            f"two IPv{family} addresses, as in {EXAMPLES[family]}, or an IPv{family} prefix",
        ) from None


def delegated_prefixes(subnet: Members, family: int) -> int:
    """Return how many prefixes the subnet's pools delegate."""
    pools = subnet.get_maps("pd-pools")
    if pools and family == 4:
        raise subnet.refusal(
            "pd-pools", "pools of addresses: Dhcp4 delegates no prefixes", may_repeat=False
        )
    return sum(prefixes_of(pool, subnet) for pool in pools)


def prefixes_of(pool: Members, subnet: Members) -> int:
    """Return how many prefixes a pool of a subnet delegates."""
    length = pool.get_whole("prefix-len", BITS_MOST)
    delegated = pool.get_whole("delegated-len", BITS_MOST)
    if length is None or delegated is None:
        expected = 'pools that each have a "prefix-len" and a "delegated-len"'
        raise subnet.refusal("pd-pools", expected, may_repeat=False)
    if delegated < length:
        raise pool.refusal("delegated-len", f"a number from prefix-len, {length}, to 128")
    return 1 << (delegated - length)


def prefix_pools(subnet: Members, family: int) -> Iterator[tuple[Range, int]]:
    """Yield the addresses of each pool of prefixes, and how many prefixes it delegates."""
    if not delegated_prefixes(subnet, family):
        return
    for pool in subnet.get_maps("pd-pools"):
        prefix, length = pool.get_text("prefix"), pool.get_whole("prefix-len", BITS_MOST)
        if prefix is None:
            expected = 'pools that each have a "prefix", as in "2001:db8::"'
            raise subnet.refusal("pd-pools", expected, may_repeat=False)
        try:
            addressed = parse_range(f"{prefix}/{length}", family)
        except ValueError:
            raise pool.refusal("prefix", "an IPv6 address, as in 2001:db8::") from None
        yield addressed, prefixes_of(pool, subnet)


def reserved_addresses(owner: Members, family: int) -> list[int]:
    """Return the reserved addresses, in a subnet or globally; delegated prefixes count too."""
    addresses = []
    for reservation in owner.get_maps("reservations"):
        names = ("ip-address",) if family == 4 else ("ip-addresses", "prefixes")
        for name in names:
            for text in reserved_texts(reservation, name):
                address = text.partition("/")[0] if name == "prefixes" else text
                try:
                    addresses.append(parse_address(address, family))
                except ValueError:
                    expected = f"IPv{family} addresses"
                    raise reservation.refusal(name, expected, may_repeat=family == 4) from None
    return addresses


def reserved_texts(reservation: Members, name: str) -> list[str]:
    """Return the addresses in a member of a reservation, as they were written."""
    if name == "ip-address":
        text = reservation.get_text(name)
        return [] if text is None else [text]
    return [str(value) for value in reservation.get_list(name)]


def count_outside(addresses: Iterable[int], ranges: Sequence[Range]) -> int:
    """Return how many of the addresses are in none of the ranges, which are in order."""
    firsts = [pool.first for pool in ranges]
    count = 0
    for address in addresses:
        index = bisect_right(firsts, address) - 1
        if index < 0 or address > ranges[index].last:
            count += 1
    return count
