# SPDX-License-Identifier: ISC
"""How a setup serves the clients of a site: how many times it does the required rates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from ubench.report.capacity.rates import Rate, Rates
from ubench.report.capacity.setups import Setup
from ubench.report.capacity.site import IPV4_ADDRESSES, Demand, Site

# A figure holds for at most this many times the leases that were in the store.
MOST_LEASES = 10


class Verdict(Enum):
    """Whether a setup is fast enough for a site, the best first."""

    ENOUGH = "fast enough"
    NEAR = "without headroom"  # it does the required rates, but not with the headroom
    SLOW = "too slow"
    UNKNOWN = "not known"

    @property
    def rank(self) -> int:
        """0 for the best."""
        return list(Verdict).index(self)


@dataclass(frozen=True)
class Served:
    """How many clients a setup serves with the headroom."""

    by_rates: float
    by_leases: float  # what was measured says nothing of more clients
    limit: Demand  # whose rate is the limit

    @property
    def clients(self) -> int:
        """The number that both allow."""
        return int(min(self.by_rates, self.by_leases))

    @property
    def can_be_more(self) -> bool:
        """True if the rates would allow more clients than the leases."""
        return self.by_rates > self.by_leases


@dataclass(frozen=True)
class Fit:
    """How a setup serves a number of clients. None is not known."""

    times: Mapping[Demand, float | None]  # the rate by the required rate
    most_clients: Mapping[Demand, float | None]  # the rate says nothing of more clients
    verdict: Verdict
    served: Served | None

    @property
    def least(self) -> float | None:
        """How many times it does the rate that it does least often."""
        known = [times for times in self.times.values() if times is not None]
        return min(known) if len(known) == len(self.times) else None


def fit(site: Site, clients: int, setup: Setup, rates: Rates | None = None) -> Fit:
    """Return how a setup serves the clients of a site, with its rates or with others.

    Figures that others published do not tell how many clients are served.
    """
    rates = rates or setup.rates
    times: dict[Demand, float | None] = {}
    most: dict[Demand, float | None] = {}
    for demand in Demand:
        rate = rates.demand(demand)
        times[demand] = most[demand] = None
        if isinstance(rate, Rate):
            limit = most_clients(setup, rate)
            most[demand] = limit
            if clients <= limit:
                times[demand] = rate.per_s / site.required(demand, clients)
    served = served_clients(site, rates, most) if setup.is_measured else None
    return Fit(times, most, judge(site, times), served)


def most_clients(setup: Setup, rate: Rate) -> float:
    """Return the number of clients beyond which a rate says nothing.

    IPv4 has no more clients than addresses. A publication may not tell how many leases there were.
    """
    addresses = IPV4_ADDRESSES if setup.family == 4 else math.inf
    if rate.leases == 0 and not setup.is_measured:
        return addresses
    return min(MOST_LEASES * rate.leases, addresses)


def judge(site: Site, times: Mapping[Demand, float | None]) -> Verdict:
    """Return the verdict by how many times a setup does the required rates."""
    known = [value for value in times.values() if value is not None]
    if len(known) < len(times):
        return Verdict.UNKNOWN
    if min(known) >= site.headroom:
        return Verdict.ENOUGH
    return Verdict.NEAR if min(known) >= 1 else Verdict.SLOW


def served_clients(
    site: Site, rates: Rates, most_clients: Mapping[Demand, float | None]
) -> Served | None:
    """Return how many clients are served with the headroom; None if a rate is not known."""
    by_rate: dict[Demand, float] = {}
    for demand in Demand:
        rate = rates.demand(demand)
        if not isinstance(rate, Rate):
            return None
        by_rate[demand] = rate.per_s / (site.required(demand, 1) * site.headroom)
    limit = min(by_rate, key=lambda demand: by_rate[demand])
    by_leases = min(most for most in most_clients.values() if most is not None)
    return Served(by_rate[limit], by_leases, limit)


@dataclass(frozen=True)
class ServersNeeded:
    """How many servers side by side serve all clients, each with a store and subnets of its own."""

    by_rates: int
    by_leases: int  # if nothing holds beyond MOST_LEASES times the measured leases
    limit: Demand | None  # None: the number of leases that were measured
    leases_to_measure: int

    def clients_each(self, clients: int) -> tuple[int, int]:
        """Return the fewest and the most clients of one server."""
        return math.ceil(clients / self.by_leases), math.ceil(clients / self.by_rates)


def servers_needed(site: Site, served: Served | None) -> ServersNeeded | None:
    """Return how many servers the clients of a site need.

    None if the site has no number of clients, or if a single client is too much for a server.
    """
    if served is None or not site.clients or min(served.by_rates, served.by_leases) < 1:
        return None
    each = math.floor(min(served.by_rates, site.clients))
    by_rates = math.ceil(site.clients / each)
    by_leases = math.ceil(site.clients / min(served.by_leases, each))
    return ServersNeeded(
        by_rates=by_rates,
        by_leases=by_leases,
        limit=served.limit if by_rates == by_leases else None,
        leases_to_measure=math.ceil(each / MOST_LEASES),
    )
