# SPDX-License-Identifier: ISC
"""The answer beside a simulation of each client: sites of random size, network and disk.

Clients renew and restart by themselves, and one connection serves them step by step. The share of
the time in which it is busy is what the answer computes from rates: 1 / times.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass

import pytest
import samples
from answers import answer_of, both, settings

from ubench.report.capacity.site import Demand, Place, Site

SITES = 20
PRECISION = 0.05
# What Kea asks of a database for a renewal, and for a known client that restarts.
SEARCHES = {Demand.RENEWALS: 2, Demand.RESTARTS: 3}
CHANGES = 1
BASELINE_SYNC_S = 1e-4
BASELINES = {
    "clock_ns": 20,
    "fdatasync_ns": BASELINE_SYNC_S * 1e9,
    "fdatasync_min_ns": BASELINE_SYNC_S * 1e9,
    "round_trip_ns": 1e4,
    "harness_ns": 30,
}


@dataclass(frozen=True)
class Connection:
    """A connection to a database: its own time for an exchange, and what the place adds."""

    work_s: float  # without a network, on the disk that was measured
    searches: int
    place: Place

    def serve(self) -> float:
        """How long an exchange takes, step by step."""
        elapsed_s = self.work_s - CHANGES * BASELINE_SYNC_S
        for _ in range(self.searches + CHANGES):
            elapsed_s += self.place.round_trip_s
        for _ in range(CHANGES):
            elapsed_s += self.place.sync_s or BASELINE_SYNC_S
        return elapsed_s


def busy_with_renewals(site: Site, connection: Connection, chance: random.Random) -> float:
    """The share of the time that renewals take: each client asks T1 after its last answer."""
    clients = site.clients or 0
    due = [chance.uniform(0, site.renew_s) for _ in range(clients)]
    heapq.heapify(due)
    begin_s, end_s = site.renew_s, 5 * site.renew_s  # the first round only spreads the clients
    free_s = busy_s = 0.0
    while due[0] < end_s:
        asked_s = heapq.heappop(due)
        served_s = connection.serve()
        free_s = max(free_s, asked_s) + served_s
        busy_s += served_s if asked_s >= begin_s else 0.0
        heapq.heappush(due, free_s + site.renew_s)
    return busy_s / (end_s - begin_s)


def busy_with_restarts(site: Site, connection: Connection, chance: random.Random) -> float:
    """The share of the window that restarts take; above 1 the last client waits beyond it."""
    asked = sorted(chance.uniform(0, site.restart_s) for _ in range(site.clients or 0))
    return sum(connection.serve() for _ in asked) / site.restart_s


def random_site(chance: random.Random) -> Site:
    """A site that its connection can serve."""
    return Site(
        clients=chance.randrange(200, 3000),
        lease_s=chance.choice([600, 3600, 7200, 14400, 86400]) * chance.uniform(0.8, 1.2),
        renew_at=chance.choice([0.5, 0.5, chance.uniform(0.2, 0.9)]),
        restart_s=chance.uniform(60, 900),
        place=Place(
            chance.choice([0.0, chance.uniform(1e-4, 5e-3)]),
            chance.choice([None, chance.uniform(2e-5, 5e-3)]),
        ),
    )


@pytest.mark.parametrize("seed", range(SITES))
def test_what_a_site_needs_is_what_its_clients_do(seed: int) -> None:
    chance = random.Random(seed)
    site = random_site(chance)
    rates = {Demand.RENEWALS: chance.uniform(500, 4000), Demand.RESTARTS: chance.uniform(400, 3000)}
    lines = both(
        "pgsql",
        renewals=rates[Demand.RENEWALS],
        restarts=rates[Demand.RESTARTS],
        count=20000,
        baselines=BASELINES,
        durability=samples.durability(
            "power-safe", settings=settings("synchronous_commit=on", "fsync=on")
        ),
    )
    answer = answer_of(
        lines,
        clients=site.clients,
        lease_s=site.lease_s,
        renew_at=site.renew_at,
        restart_s=site.restart_s,
        place=site.place,
    )
    (setup,) = answer.setups
    simulated = {
        Demand.RENEWALS: busy_with_renewals,
        Demand.RESTARTS: busy_with_restarts,
    }
    for demand, busy in simulated.items():
        connection = Connection(1 / rates[demand], SEARCHES[demand], site.place)
        times = answer.fits[setup].times[demand]
        assert times is not None
        assert busy(site, connection, chance) * times == pytest.approx(1, rel=PRECISION)
