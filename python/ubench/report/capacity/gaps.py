# SPDX-License-Identifier: ISC
"""What has to be measured before a verdict on some setups is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from ubench.report.capacity.fit import MOST_LEASES
from ubench.report.capacity.rates import Rate, Unknown
from ubench.report.capacity.setups import Setup
from ubench.report.capacity.site import Demand
from ubench.report.capacity.verdicts import Answer


class Missing(Enum):
    """What is missing."""

    RATE = "rate"  # of renewals or restarts
    LEASES = "leases"  # too few were in the store
    DISK = "disk"  # what a disk that syncs slower does to the rates cannot be computed


@dataclass(frozen=True)
class Gap:
    """What is missing of some setups, and how to measure it."""

    missing: Missing
    setups: tuple[Setup, ...]
    demand: Demand = Demand.RENEWALS  # of the missing rate
    command: str = ""  # that measures the missing rate
    other_times: float | None = None  # how many times the required rate the other demand is
    option: str = ""  # of the command that sets the number of leases
    leases: int = 0  # that have to be in the store


def find_gaps(answer: Answer, setups: Sequence[Setup]) -> list[Gap]:
    """Return what is missing of these setups, whose verdict is not known."""
    computed: list[Setup] = []
    uncomputed: list[Setup] = []
    for setup in setups:
        rates = (setup.rates.demand(demand) for demand in Demand)
        (uncomputed if Unknown.DISK in rates else computed).append(setup)
    gaps = [unmeasured(answer, computed)] if computed else []
    if uncomputed:
        gaps.append(Gap(Missing.DISK, tuple(uncomputed)))
    return gaps


def unmeasured(answer: Answer, setups: Sequence[Setup]) -> Gap:
    """Return what has to be measured of these setups."""
    first = setups[0]
    for demand in Demand:
        if all(isinstance(setup.rates.demand(demand), Rate) for setup in setups):
            continue
        other = Demand.RESTARTS if demand is Demand.RENEWALS else Demand.RENEWALS
        times = [answer.fits[setup].times[other] for setup in setups]
        known = [value for value in times if value is not None]
        exchange = answer.site.exchanges(demand, first.family)[0]
        runner = f"{first.first.program} -w {exchange}"
        return Gap(
            Missing.RATE,
            tuple(setups),
            demand=demand,
            command="scripts/dhcp rate" if first.is_server else runner,
            other_times=min(known) if len(known) == len(times) else None,
        )
    are_servers = all(setup.is_server for setup in setups)
    return Gap(
        Missing.LEASES,
        tuple(setups),
        option="--leases" if are_servers else "--preload",
        leases=math.ceil(answer.clients / MOST_LEASES),
    )
