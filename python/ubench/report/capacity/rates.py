# SPDX-License-Identifier: ISC
"""How often per second a store did what a DHCP client asks for.

The rate of an exchange is the one that was measured, or, where only the phases were measured, the
sum of its steps. It may be computed for another place (`elsewhere`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from ubench import stats
from ubench.described import PhaseCount, phases_of
from ubench.records.observation import How, Load, Observation, Sample
from ubench.report.capacity.elsewhere import rate_elsewhere
from ubench.report.capacity.site import Demand, Place, Site


class RateKind(Enum):
    """How a rate is known, the preferred way first."""

    ALONE = "alone"  # the exchange was measured by itself
    SUSTAINED = "sustained"  # a search confirmed it in an open loop
    ESTIMATED = "estimated"  # from its steps, each as long as in its phase
    NEW_LEASES = "new leases"  # a whole server renews at least as often as it grants new leases

    @property
    def is_estimate(self) -> bool:
        """True if the exchange itself was not measured."""
        return self in (RateKind.ESTIMATED, RateKind.NEW_LEASES)


class Unknown(Enum):
    """Why a rate is not known."""

    NO_RUN = "no complete run"
    NOT_MEASURED = "not measured"
    BATCHED = "batched"  # several leases in a commit, where a server commits each by itself
    SERVER_TIME = "server time"  # the rates contain the time of a server
    TRIPS = "trips"  # statements share round trips, which those of Kea do not
    SHARED_POOL = "shared pool"  # clients that lost a race or found a full pool also count
    MIXED = "mixed"  # the weights of a mix decide how often each exchange is done
    NOT_CONFIRMED = "not confirmed"  # an open loop whose rate no search confirmed
    DISK = "disk"  # what another disk changes cannot be computed


@dataclass(frozen=True)
class Rate:
    """The rate of an exchange."""

    exchange: str  # "renew"
    kind: RateKind
    steps: tuple[PhaseCount, ...]
    per_s: float  # the median of the runs
    least: float  # the slowest run
    runs: int
    operations: int | None  # of each run; None: not the same in all
    leases: int  # that were in the store; 0: not known
    points: tuple[stats.Point, ...]  # of each run, for comparisons


def is_as_one_kea(load: Load) -> bool:
    """Say whether the rates are those of the lease manager of one Kea, and of nothing else."""
    return load.batch == 1 and not load.server_time and load.in_series and not load.shares_pool


def samples_elsewhere(
    observations: Sequence[Observation], exchange: str, kind: RateKind, place: Place
) -> Iterator[Sample | None]:
    """Yield the samples of an exchange, one of each run, with the rates that they have in a place.

    None stands for a sample whose rate cannot be computed there.
    """
    for observation in observations:
        load = observation.load
        if not is_as_one_kea(load):
            continue
        steps = phases_of(exchange, observation.load.family)
        for sample in rate_samples(observation, exchange, kind, steps):
            rate = rate_elsewhere(observation, sample.rate, steps, place)
            yield None if rate is None else replace(sample, rate=rate)


def rate_samples(
    observation: Observation, exchange: str, kind: RateKind, steps: Sequence[PhaseCount]
) -> Iterator[Sample]:
    """Yield the samples of an exchange, one of each run, whose rate is known in that way."""
    if kind is RateKind.ESTIMATED:
        yield from estimates(observation, exchange, steps)
        return
    how = How.ALONE if kind is RateKind.ALONE else How.SUSTAINED
    for sample in observation.samples:
        if sample.name == exchange and sample.how is how and sample.rate > 0:
            yield sample


def estimates(
    observation: Observation, exchange: str, steps: Sequence[PhaseCount]
) -> Iterator[Sample]:
    """Yield a sample of an exchange for each run, if each step takes as long as in its phase.

    The time of an exchange is the sum of count / rate over its steps.
    """
    runs: dict[int, dict[str, Sample]] = {}
    for sample in observation.samples:
        if sample.how is How.ALONE and sample.rate > 0:
            runs.setdefault(sample.run, {})[sample.name] = sample
    for phases in runs.values():
        if not steps or exchange in phases or not all(step.phase in phases for step in steps):
            continue
        seconds = sum(step.count / phases[step.phase].rate for step in steps)
        first = next(iter(phases.values()))
        yield replace(first, name=exchange, rate=1 / seconds)


def rate_of(
    observations: Sequence[Observation], exchanges: Sequence[str], place: Place
) -> Rate | Unknown:
    """Return the rate of the first exchange that was measured; else an estimate, or why not."""
    for kind in (RateKind.ALONE, RateKind.SUSTAINED, RateKind.ESTIMATED):
        for exchange in exchanges:
            found = list(samples_elsewhere(observations, exchange, kind, place))
            runs = [sample for sample in found if sample is not None]
            if runs:
                return rate_of_samples(runs, kind, observations[0].load.family)
            if found:
                return Unknown.DISK
    return why_unknown(observations, exchanges[0])


def rate_of_samples(runs: Sequence[Sample], kind: RateKind, family: int) -> Rate:
    """Return the rate of some runs of an exchange.

    Runs with half of the most leases or fewer do not count, because their store had less to
    search. Without a number of leases all runs count.
    """
    most = max(run.leases for run in runs)
    used = [run for run in runs if most == 0 or 2 * run.leases > most]
    operations = {run.operations for run in used}
    return Rate(
        exchange=used[0].name,
        kind=kind,
        steps=phases_of(used[0].name, family),
        per_s=math.exp(stats.median([math.log(run.rate) for run in used])),
        least=min(run.rate for run in used),
        runs=len(used),
        operations=operations.pop() if len(operations) == 1 else None,
        leases=most,
        points=tuple(stats.Point(math.log(run.rate), run.block) for run in used),
    )


def why_unknown(observations: Sequence[Observation], exchange: str) -> Unknown:
    """Say why the rate of an exchange is not known, by the first observation with samples."""
    first = next((each for each in observations if each.samples), None)
    if first is None:
        is_open = any(each.load.open for each in observations)
        return Unknown.NOT_CONFIRMED if is_open else Unknown.NO_RUN
    reasons = (
        (first.load.batch != 1, Unknown.BATCHED),
        (first.load.server_time, Unknown.SERVER_TIME),
        (not first.load.in_series, Unknown.TRIPS),
        (first.load.shares_pool, Unknown.SHARED_POOL),
        (any(sample.how is How.MIXED for sample in first.samples), Unknown.MIXED),
    )
    return next((reason for holds, reason in reasons if holds), Unknown.NOT_MEASURED)


@dataclass(frozen=True)
class Rates:
    """The rates that the clients of a site require of a store."""

    renewals: Rate | Unknown
    restarts: Rate | Unknown

    def demand(self, demand: Demand) -> Rate | Unknown:
        """Return the rate for one of the demands."""
        return self.renewals if demand is Demand.RENEWALS else self.restarts

    @property
    def known(self) -> tuple[Rate, ...]:
        """The rates that are known: none, one or both."""
        return tuple(rate for rate in (self.renewals, self.restarts) if isinstance(rate, Rate))


def rates_of(observations: Sequence[Observation], site: Site, place: Place | None = None) -> Rates:
    """Return the renewals and restarts per second of a store, by observations of one configuration.

    `place` replaces that of the site. Of a whole server only new leases are measured. It renews at
    least as often as it grants new leases, so that is its rate of renewals.
    """
    place = place or site.place
    first = observations[0]
    renewals, restarts = (
        rate_of(observations, site.exchanges(demand, first.load.family), place)
        for demand in Demand
    )
    if first.server is not None and not isinstance(renewals, Rate):
        renewals = restarts
        if isinstance(restarts, Rate):
            renewals = replace(restarts, kind=RateKind.NEW_LEASES)
    return Rates(renewals, restarts)
