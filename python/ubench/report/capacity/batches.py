# SPDX-License-Identifier: ISC
"""Batches of clients: what a server gains that commits several exchanges together (--batch).

A larger batch is faster, and its clients wait longer for their answers. The best one for a site is
the fastest of those whose clients are answered in time at the site's load.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ubench import stats
from ubench.records.observation import How, Observation
from ubench.records.trials import OpenLoop
from ubench.report.capacity.setups import Setup
from ubench.report.capacity.site import Demand
from ubench.report.capacity.verdicts import LEAST_EFFECT, Answer

# 99 % of the clients must be answered within this time: a tenth of the shortest time after which
# a client asks again, 1 s (RFC 8415, section 7.6: REQ_TIMEOUT; DHCPv4 has 4 s, RFC 2131, 4.1).
PATIENCE_S = 0.1
SINGLE = "1"  # each exchange is committed by itself, as in Kea
NEAR = 1.05  # a rate was measured if one was that differs by no more


@dataclass(frozen=True)
class OfferedRate:
    """How fast clients were answered that came at a rate."""

    per_s: float
    p99_s: float  # infinite if the store did not keep up


@dataclass(frozen=True)
class Batch:
    """What was measured of an exchange with one value of --batch."""

    value: str  # "16", "5ms", "16,5ms"
    per_s: float  # in a closed loop
    offered: tuple[OfferedRate, ...]  # the lowest rate first

    def around(self, load_per_s: float) -> tuple[OfferedRate, ...]:
        """Return the nearest rates on both sides of a load; none if one side was not measured.

        Between them no client waits longer than at one of them: a batch fills faster at a higher
        rate, until the store is busy.
        """
        below = [each for each in self.offered if each.per_s <= load_per_s * NEAR]
        above = [each for each in self.offered if each.per_s >= load_per_s / NEAR]
        return (below[-1], above[0]) if below and above else ()

    def p99_s(self, load_per_s: float) -> float | None:
        """Return within what time 99 % are answered at a load; None if that is not known."""
        return max((each.p99_s for each in self.around(load_per_s)), default=None)


@dataclass(frozen=True, eq=False)
class BatchChoice:
    """The batches of an exchange with a setup, and the site's load."""

    setup: Setup
    exchange: str
    load_per_s: float
    batches: tuple[Batch, ...]  # the slowest first

    @property
    def single(self) -> Batch | None:
        """What was measured of exchanges that are committed one by one."""
        return next((batch for batch in self.batches if batch.value == SINGLE), None)

    @property
    def best(self) -> Batch | None:
        """The fastest batch whose clients are answered in time; None if none is known to be.

        Among batches that are about equally fast, it is the one with the least delay.
        """
        in_time = [
            (delay, batch)
            for batch in self.batches
            if (delay := batch.p99_s(self.load_per_s)) is not None and delay <= PATIENCE_S
        ]
        most = max((batch.per_s for _, batch in in_time), default=0.0)
        fast = [each for each in in_time if each[1].per_s >= most * math.exp(-LEAST_EFFECT)]
        return min(fast, key=lambda each: each[0])[1] if fast else None


def batch_choices(answer: Answer) -> list[BatchChoice]:
    """Return the choices that the observations of an answer offer."""
    return [choice for setup in answer.setups for choice in _choices_of(answer, setup)]


def _choices_of(answer: Answer, setup: Setup) -> Iterator[BatchChoice]:
    for demand in Demand:
        for exchange in answer.site.exchanges(demand, setup.family):
            batches = batches_of(setup.observations, exchange)
            if any(batch.value != SINGLE for batch in batches):
                load_per_s = answer.site.required(demand, answer.clients)
                yield BatchChoice(setup, exchange, load_per_s, batches)
                break


def batches_of(observations: Sequence[Observation], exchange: str) -> tuple[Batch, ...]:
    """Return what was measured of an exchange with each value of --batch, the slowest first."""
    members: dict[str, list[Observation]] = {}
    for each in observations:
        if is_of_batches(each) and each.phase_names == (exchange,):
            members.setdefault(each.parameters.get("batch", SINGLE), []).append(each)
    batches = [
        Batch(value, stats.median(rates), tuple(offered_rates(same)))
        for value, same in members.items()
        if (rates := list(closed_rates(same, exchange)))
    ]
    return tuple(sorted(batches, key=lambda batch: batch.per_s))


def load_ranges(batches: Sequence[Batch]) -> list[tuple[float, float]]:
    """Return ranges of loads per second, the lowest first: within one, no delay and no best change.

    A range begins and ends where a measured rate is near the load, or ceases to be.
    """
    rates = {each.per_s for batch in batches for each in batch.offered}
    ends = sorted({end for rate in rates for end in (rate / NEAR, rate * NEAR)})
    return list(pairwise(ends))


def is_of_batches(observation: Observation) -> bool:
    """Say whether nothing but a batch makes an observation differ from those of one Kea."""
    load = observation.load
    is_store = bool(observation.runs) and load.exchanges and not load.shares_pool
    waits = load.server_time or observation.parameters.get("hook-delay", "0") != "0"
    return is_store and load.in_series and not waits


def _open_loops(observations: Sequence[Observation]) -> Iterator[OpenLoop]:
    for each in observations:
        for run in each.runs:
            if run.open_loop is not None:
                yield run.open_loop


def closed_rates(observations: Sequence[Observation], exchange: str) -> Iterator[float]:
    """Yield the rates of closed loops, also of those before an open loop."""
    for each in observations:
        for sample in each.samples:
            if sample.name == exchange and sample.how is How.ALONE and sample.rate > 0:
                yield sample.rate
    for loop in _open_loops(observations):
        rate = (loop.closed_loop or {}).get("rate_per_s")
        if isinstance(rate, float | int) and rate > 0:
            yield float(rate)


def offered_rates(observations: Sequence[Observation]) -> Iterator[OfferedRate]:
    """Yield the offered rates, the lowest first, each with the longest p99 of its trials."""
    longest: dict[float, float] = {}
    for loop in _open_loops(observations):
        for trial in loop.trials:
            if not trial.rate or trial.verdict in ("invalid", "interrupted"):
                continue
            p99_ns = trial.response.figure("p99") if trial.response else None
            keeps_up = trial.verdict == "sustained"
            if keeps_up and p99_ns is None:
                continue  # too few requests
            p99_s = p99_ns / 1e9 if keeps_up and p99_ns is not None else math.inf
            longest[trial.rate] = max(p99_s, longest.get(trial.rate, 0.0))
    for per_s in sorted(longest):
        yield OfferedRate(per_s, longest[per_s])
