# SPDX-License-Identifier: ISC
"""The networks, addresses and clients of a plan.

A single subnet of DHCPv4 is 10.0.0.0/8, which the interfaces of the servers are in. Several
subnets are 16.0.0.0/16 and those after it, and their clients come through relays. DHCPv6 has
prefixes of 2001:db8::/32 instead.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from ubench.dhcp.perfdhcp import FIRST_CLIENT
from ubench.dhcp.plan import Plan

IpNetwork = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address

LOAD_RELAY = "10.0.0.9"  # the address of perfdhcp, which acts as a relay

_RESERVED_MAC = "0a"  # the first byte of the hosts with reservations ...
_OTHER_MAC = "0b"  # ... and of the other clients, which have leases before a trial


@dataclass(frozen=True)
class Pool:
    """Addresses that clients may get; `first` and `last` are among them."""

    first: Address
    last: Address

    def __str__(self) -> str:
        """Return the pool as Kea writes it."""
        return f"{self.first} - {self.last}"


@dataclass(frozen=True)
class Reservation:
    """A host with a reserved address or, with DHCPv6, a reserved name."""

    mac: str
    address: Address | None
    hostname: str = ""


@dataclass(frozen=True)
class PlanSubnet:
    """One subnet of a plan; `index` counts from 0."""

    plan: Plan
    index: int

    @property
    def id(self) -> int:
        """Its number in Kea, from 1."""
        return self.index + 1

    @property
    def network(self) -> IpNetwork:
        """Its prefix."""
        is_single = self.plan.subnets == 1
        if self.plan.family == 6:
            group = 1 if is_single else self.index + 2
            return IPv6Network(f"2001:db8:{group:x}::/64")
        if is_single:
            return IPv4Network("10.0.0.0/8")
        return IPv4Network((0x10000000 + self.index * 65536, 16))

    @property
    def relay(self) -> Address:
        """The address of the relay that its clients come through, if there are several subnets."""
        return self.network[1]

    def address(self, number: int) -> Address:
        """Return the address that clients may get with this number, from 0."""
        is_small = self.plan.family == 4 and self.plan.subnets > 1
        return self.network[number + (256 if is_small else 65536)]

    @property
    def pools(self) -> list[Pool]:
        """One pool; with load balancing one half of it for each server."""
        size = self.plan.pool // self.plan.subnets
        parts = 2 if self.plan.ha == "load-balancing" else 1
        ends = [size * part // parts for part in range(parts + 1)]
        return [
            Pool(self.address(first), self.address(end - 1))
            for first, end in itertools.pairwise(ends)
        ]

    @property
    def reservations(self) -> Iterator[Reservation]:
        """Its share of the reservations of the plan."""
        first = self.network[1024 if self.plan.subnets == 1 else 51200]
        hosts = range(self.index, self.plan.reservations, self.plan.subnets)
        for offset, host in enumerate(hosts):
            if self.plan.family == 6:
                yield Reservation(mac(_RESERVED_MAC, host), None, f"h{host}")
            else:
                yield Reservation(mac(_RESERVED_MAC, host), first + offset)


def plan_subnets(plan: Plan) -> list[PlanSubnet]:
    """Return the subnets of a plan, in order."""
    return [PlanSubnet(plan, index) for index in range(plan.subnets)]


def mac(first_byte: str, number: int) -> str:
    """Return the hardware address of this number that begins with this byte."""
    return f"{first_byte}:00:00:" + number.to_bytes(4, "big")[1:].hex(":")


def leases_of_others(plan: Plan) -> list[tuple[Address, str]]:
    """Return the addresses that other clients have before a trial, and their hardware addresses.

    They are spread over the pool at random, alike in all trials. If the pool is full, the first
    belongs to the client that shows that the server answers.
    """
    taken = sorted(random.Random(1).sample(range(plan.pool), plan.leases))
    first = PlanSubnet(plan, 0).address(0)
    leases = [(first + number, mac(_OTHER_MAC, number)) for number in taken]
    if leases and len(leases) == plan.pool:
        leases[0] = leases[0][0], FIRST_CLIENT
    return leases
