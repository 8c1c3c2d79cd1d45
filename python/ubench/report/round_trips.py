# SPDX-License-Identifier: ISC
"""Round trips of duels: how many an operation took, and what a network does to its rate.

The rate of a duel behind a network is predicted from a duel of the same work without one, by the
formula of `answer --rtt` (`capacity.elsewhere`). Where they differ, the time was spent on something
else than these round trips.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ubench import stats, units
from ubench.records.duel import Duel
from ubench.records.observation import Observation, Phase, Source
from ubench.report.capacity.elsewhere import (
    RoundTrips,
    database_host,
    rate_with_round_trips,
)
from ubench.report.capacity.rates import Rates, Unknown
from ubench.report.capacity.setups import Setup
from ubench.report.duel.statistics import RATE, DuelStatistics
from ubench.report.grouping import make_group
from ubench.report.properties import PropertyKind, make_key
from ubench.report.table import Column, Output, Table, TableCell, numbers

Analysed = Sequence[tuple[Duel, DuelStatistics]]

HEADING = "Behind a network, measured and predicted"
NOTE = (
    "Predicted from the same command without a network, of the same duel if that has it: an "
    "exchange that took t there, with n round trips of r, takes t + n * (r' - r) where a round "
    "trip takes r'. Round trips are those of an empty statement, timed before each run: medians. "
    "Deviation: how much higher the predicted rate is than the measured one; above 0, an exchange "
    "waited for more than these round trips."
)
OTHER_DUELS = "~: from another duel, when the machine may have been faster or slower."
OTHER_LEASES = "Some were measured with other numbers of leases without a network (--preload)."

# What tells works apart; the number of leases is named where it differs.
KINDS = frozenset((
    PropertyKind.STORE, PropertyKind.PRODUCT, PropertyKind.DURABILITY, PropertyKind.PARAMETER,
))  # fmt: skip
OF_THE_PLACE = frozenset(("host", "preload", "count"))

Work = tuple[object, ...]
Link = tuple[str, str, Source | None]


# ---- The round trips of an operation


def round_trips_each(observation: Observation | None) -> float | None:
    """Return the round trips of an operation, which is one if it is not an exchange."""
    run = observation.runs[-1] if observation and observation.runs else None
    if observation is None or run is None or not run.operations:
        return None
    parameters = observation.parameters
    if parameters.get("allocator") == "shared-flq" and parameters.get("trips") != "procedure":
        return None  # a change of a lease takes three, which a run does not count
    if all(phase.round_trips is None for phase in run.phases):
        statements = run.operations if run.store_operations is None else run.store_operations
    else:  # the server's own work, in a mix, has no figure: each of its operations is one
        statements = sum(_round_trips_of_phase(phase) for phase in run.phases)
    return statements / run.operations


def _round_trips_of_phase(phase: Phase) -> int:
    if phase.round_trips is not None:
        return phase.round_trips
    return sum(step.count for step in phase.steps)


# ---- Rates without and behind a network


@dataclass(frozen=True)
class TimedExchange:
    """The rate of an exchange as one side of a duel, and the round trips that it waited for."""

    observation: Observation
    server: str  # the kind and the options of a private server, as Side has them
    per_s: float  # the median of its slices
    trips: RoundTrips
    duel: Source | None

    @property
    def work(self) -> Work:
        """What was done, wherever the database was."""
        key = make_key(self.observation, KINDS)
        _, *options = self.server.split() or [""]
        return (*(pair for pair in key.items() if pair[0].name not in OF_THE_PLACE), *options)

    @property
    def is_remote(self) -> bool:
        """True if the database was behind a network."""
        return bool(database_host(self.observation))


@dataclass(frozen=True)
class Prediction:
    """An exchange behind a network, and the rate that is predicted for it; None: impossible."""

    far: TimedExchange
    near: tuple[TimedExchange, ...]  # the same work without a network, at least one
    per_s: float | None

    @property
    def deviation(self) -> float | None:
        """How much more is predicted than was measured, as a part of that."""
        return None if self.per_s is None else self.per_s / self.far.per_s - 1

    @property
    def is_of_other_duels(self) -> bool:
        """True if the exchange behind a network and those without one were not timed together."""
        return all(each.duel != self.far.duel for each in self.near)

    @property
    def leases_differ(self) -> bool:
        """True if the numbers of leases in the stores differ."""
        preloads = {each.observation.load.preload for each in (self.far, *self.near)}
        return len(preloads) > 1


def timed_exchanges(duels: Analysed) -> list[TimedExchange]:
    """Return the exchanges of databases whose rates and round trips some duels know."""
    times_s = round_trip_times_s(duel for duel, _ in duels)
    timed = []
    for duel, statistics in duels:
        for number, side in enumerate(duel.sides):
            observation = side.observation
            rates = [RATE.value(turn) or 0.0 for turn in statistics.slices_of(number)]
            if observation is None or side.twin or duel.valgrind or not rates:
                continue
            count, each_s = round_trips_each(observation), times_s.get(_link(duel, observation))
            is_exchange = observation.load.exchanges and len(observation.phase_names) == 1
            if is_exchange and count is not None and each_s is not None:
                trips = RoundTrips(count, each_s)
                rate = stats.median(rates)
                timed.append(TimedExchange(observation, side.server, rate, trips, duel.source))
    return timed


def round_trip_times_s(duels: Iterable[Duel]) -> Mapping[Link, float]:
    """Return how long a round trip took on each link: the median of the sides that used it."""
    times_s: dict[Link, list[float]] = {}
    for duel in duels:
        for side in duel.sides:
            observation = side.observation
            if observation is not None and observation.baselines.round_trip_ns is not None:
                seconds = observation.baselines.round_trip_ns / 1e9
                times_s.setdefault(_link(duel, observation), []).append(seconds)
    return {link: stats.median(times) for link, times in times_s.items()}


def _link(duel: Duel, observation: Observation) -> Link:
    """Return what the sides have in common that meet the same round trips.

    A network may be another one in each duel. On one machine it is the same for a store, whatever
    disturbed some of its round trips.
    """
    host = database_host(observation)
    return observation.store, host, duel.source if host else None


def predictions(duels: Analysed) -> list[Prediction]:
    """Return what is predicted for each exchange behind a network that was timed without one.

    The sides of one duel met the same noise, so a side of the same duel is preferred.
    """
    timed = timed_exchanges(duels)
    near: dict[Work, list[TimedExchange]] = {}
    for each in timed:
        if not each.is_remote:
            near.setdefault(each.work, []).append(each)
    found = []
    for far in timed:
        if far.is_remote and far.work in near:
            alike = near[far.work]
            same_duel = [each for each in alike if each.duel == far.duel]
            found.append(predict(far, tuple(same_duel or alike)))
    return found


def predict(far: TimedExchange, near: tuple[TimedExchange, ...]) -> Prediction:
    """Predict the rate of an exchange from those of the same work without a network."""
    measured = stats.median([each.per_s for each in near])
    threads = far.observation.load.threads
    rate = rate_with_round_trips(measured, near[0].trips, far.trips, threads)
    return Prediction(far, near, rate)


# ---- Their table


def prediction_table(found: Iterable[Prediction]) -> Table:
    """Return each exchange behind a network: measured and predicted."""
    heads = ("round trips", "each", "measured/s", "predicted/s", "deviation")
    table = Table([Column("store, exchange"), Column("--trips"), *numbers(*heads)])
    for each in found:
        trips = each.far.trips
        table.add(
            _name(each.far.observation),
            each.far.observation.parameters.get("trips", "series"),
            f"{trips.count:.3g}",
            units.time(trips.each_s * 1e9),
            units.figure(each.far.per_s),
            _predicted(each),
            _percent(each.deviation),
        )
    return table


def _predicted(prediction: Prediction) -> TableCell | None:
    if prediction.per_s is None:
        return None
    mark = "~" if prediction.is_of_other_duels else ""
    return TableCell(f"{mark}{units.figure(prediction.per_s)}", prediction.per_s)


def _name(observation: Observation) -> str:
    unknown = Rates(Unknown.NO_RUN, Unknown.NO_RUN)
    setup = Setup(make_group([observation]), unknown, shows_version=True)
    name, threads = f"{setup.name}, {observation.phase_names[0]}", observation.load.threads
    return f"{name}, {threads} threads" if threads > 1 else name


def _percent(deviation: float | None) -> TableCell | None:
    return None if deviation is None else TableCell(f"{100 * deviation:+.1f} %", deviation)


def print_predictions(out: Output, duels: Analysed) -> None:
    """Print what is predicted for a network; nothing if no work was measured on both sides."""
    found = predictions(duels)
    if not found:
        return
    out.gap()
    out.heading(HEADING)
    out.tables(prediction_table(found))
    out.note(NOTE)
    if any(each.is_of_other_duels for each in found):
        out.note(OTHER_DUELS)
    if any(each.leases_differ for each in found):
        out.note(OTHER_LEASES)
