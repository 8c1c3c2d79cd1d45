# SPDX-License-Identifier: ISC
"""The clients of a site by its configuration: how many, when they renew, how many leases expire."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from ubench.report.advice.configuration import LARGE_POOLS, Configuration, Expiration, Subnet
from ubench.report.capacity.site import Site

HOUR_S = 3600
SMALL_SITE = 254  # clients: a home or an office with one subnet


class Counted(Enum):
    """The source of the number of clients."""

    GIVEN = "given"  # --clients
    GIVEN_BEYOND_FILE = "given, more than the file has addresses for"
    ADDRESSES = "addresses"
    RESERVATIONS = "reservations"
    ADDRESSES_AND_RESERVATIONS = "addresses and reservations"
    LARGE_POOLS = "large pools"  # which do not tell how many there are
    NOTHING = "nothing"  # the file has neither pools nor reserved addresses


@dataclass(frozen=True)
class Population:
    """The clients that a configuration serves; `given` is the number of --clients."""

    configuration: Configuration
    given: int | None = None

    @cached_property
    def used_subnets(self) -> tuple[Subnet, ...]:
        """The subnets with clients, or all if none has any."""
        used = tuple(subnet for subnet in self.configuration.subnets if subnet.clients)
        return used or self.configuration.subnets

    @cached_property
    def addresses(self) -> int:
        """Addresses and prefixes of all pools."""
        return sum(subnet.addresses for subnet in self.configuration.subnets)

    @property
    def prefixes(self) -> int:
        """Prefixes of all pools, which `addresses` counts as well."""
        return sum(subnet.prefixes for subnet in self.configuration.subnets)

    @cached_property
    def reserved(self) -> int:
        """Reserved addresses outside of the pools."""
        in_subnets = sum(subnet.reserved for subnet in self.configuration.subnets)
        return self.configuration.reserved_globally + in_subnets

    @property
    def in_file(self) -> int:
        """One client for each address of the pools and each reservation; 0 if they do not tell."""
        count = self.addresses + self.reserved
        is_large = self.configuration.family == 6 and count > LARGE_POOLS
        return 0 if is_large else count

    @property
    def clients(self) -> int:
        """How many clients there are; 0 if that is not known."""
        return self.given or self.in_file

    @property
    def counted(self) -> Counted:
        """The source of the number of clients."""
        if self.given:
            exceeds = 0 < self.in_file < self.given and self.configuration.family == 4
            return Counted.GIVEN_BEYOND_FILE if exceeds else Counted.GIVEN
        if not self.in_file:
            return Counted.LARGE_POOLS if self.addresses else Counted.NOTHING
        if not self.addresses:
            return Counted.RESERVATIONS
        return Counted.ADDRESSES_AND_RESERVATIONS if self.reserved else Counted.ADDRESSES

    def site(self, options: Site) -> Site:
        """Return the site of the command line with the clients and the times of the file."""
        lease_s, renew_s = self.lease_s, self.renew_s
        return replace(
            options, clients=self.clients or None, lease_s=lease_s, renew_at=renew_s / lease_s
        )

    @property
    def lease_s(self) -> float:
        """The mean lifetime of leases, such that they begin at the right rate."""
        return self._mean(subnet.lifetime_s for subnet in self.used_subnets)

    @property
    def renew_s(self) -> float:
        """The mean time after which a client renews, such that the rate of renewals is right."""
        return self._mean(subnet.renewal_s for subnet in self.used_subnets)

    @cached_property
    def weights(self) -> list[int]:
        """The clients of each used subnet, or 1 for each if they do not tell."""
        weights = [subnet.clients for subnet in self.used_subnets]
        return weights if self.in_file and sum(weights) else [1] * len(weights)

    def _mean(self, times: Iterable[float]) -> float:
        """Return the harmonic mean, by clients, of times in which each does something once."""
        pairs = zip(self.weights, times, strict=True)
        return sum(self.weights) / sum(weight / time for weight, time in pairs)

    def expiring_in_an_hour(self) -> int:
        """Return how many leases run out in the first hour after all clients went away."""
        pairs = zip(self.weights, self.used_subnets, strict=True)
        expiring = sum(
            weight * min(1.0, HOUR_S / subnet.lifetime_s)
            for weight, subnet in pairs
            if not subnet.is_forever
        )
        return math.ceil(self.clients * expiring / sum(self.weights))


class Reclaiming(Enum):
    """The limit to the number of expired leases that Kea reclaims."""

    NEVER = "never"  # it reclaims none
    LEASES = "leases"  # max-reclaim-leases in each cycle
    TIME = "time"  # max-reclaim-time in each cycle: the number is not known
    UNLIMITED = "unlimited"  # it reclaims all at once


class Harm(Enum):
    """The harm that expired leases do until Kea reclaims them."""

    NAMES = "names"  # their DNS names stay
    ALLOCATOR = "allocator"  # it grants their addresses to nobody
    BOTH = "both"
    NONE = "none"  # they only stay


def harm(configuration: Configuration) -> Harm:
    """Return the harm that expired leases do with a configuration."""
    if "flq" in configuration.allocators:
        return Harm.BOTH if configuration.updates_dns else Harm.ALLOCATOR
    return Harm.NAMES if configuration.updates_dns else Harm.NONE


def reclaiming(expiration: Expiration) -> Reclaiming:
    """Return the limit to the number of expired leases that Kea reclaims (arm/lease-expiration)."""
    if not expiration.reclaim_timer_wait_time.value:
        return Reclaiming.NEVER
    if expiration.max_reclaim_leases.value:
        return Reclaiming.LEASES
    return Reclaiming.TIME if expiration.max_reclaim_time.value else Reclaiming.UNLIMITED


def reclaimed_per_hour(expiration: Expiration) -> float | None:
    """Return how many expired leases Kea reclaims in an hour at most; None if that is not known."""
    limit = reclaiming(expiration)
    if limit is Reclaiming.NEVER:
        return 0.0
    if limit is Reclaiming.LEASES:
        cycle_s = expiration.reclaim_timer_wait_time.value
        return HOUR_S * expiration.max_reclaim_leases.value / cycle_s
    return None
