# SPDX-License-Identifier: ISC
"""The data of the charts of latencies, whole servers, threads and time, and of all results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ubench import stats
from ubench.records.decoding import JsonObject
from ubench.records.members import QUANTILES
from ubench.records.observation import How, Observation, Origin, Source
from ubench.records.server import ServerMeasurement
from ubench.records.where import Part, Where
from ubench.report.capacity.rates import Rates, Unknown
from ubench.report.capacity.setups import Setup
from ubench.report.capacity.verdicts import Answer
from ubench.report.grouping import make_group
from ubench.report.properties import CONFIGURATION, Property, make_key
from ubench.report.stores import kea
from ubench.report.where_tables import missing_title, title_of, where_of

LEAST_SECONDS = 10  # fewer are no course of events
EXCHANGES = ("renew", "dora-known", "init-reboot", "dora", "sarr")
EXCHANGE_ORDER = (*EXCHANGES, "create")


def name_of(observation: Observation) -> str:
    """Return the name of a configuration: "PostgreSQL 15.18 sync on, in Kea 3.0.4, 4 threads"."""
    setup = Setup(
        make_group([observation]), Rates(Unknown.NO_RUN, Unknown.NO_RUN), shows_version=True
    )
    parts = [setup.name]
    version = kea(observation)
    if setup.is_server:
        family = "DHCPv6" if observation.load.family == 6 else "DHCPv4"
        server = f"Kea {version.number}" if version and version.number else "whole server"
        parts += [family] if server in setup.name else [f"in {server}", family]
    threads = observation.load.threads
    if threads > 1:
        parts.append(f"{threads} threads")
    return ", ".join(parts)


# ---- Latencies


def latencies(answer: Answer) -> list[JsonObject]:
    """Return the quantiles of each store and kind of work, as medians of its runs, in ns."""
    curves = []
    for setup in alone(answer):
        runs = [run for each in setup.observations for run in each.complete_runs]
        works = dict.fromkeys(phase.name for run in runs for phase in run.phases)
        for work in works:
            quantiles = median_quantiles(setup.observations, work)
            if len(quantiles) > 1:
                curves.append(
                    {
                        "name": setup.name,
                        "store": setup.first.keeper,
                        "loss": setup.loss.value,
                        "in_kea": setup.in_kea is not None,
                        "work": work,
                        "quantiles": quantiles,
                    }
                )
    order = {work: number for number, work in enumerate(EXCHANGE_ORDER)}
    return sorted(curves, key=lambda each: order.get(each["work"], len(order)))


def alone(answer: Answer) -> list[Setup]:
    """Return the lease stores measured alone: for each name and loss the one that is known best.

    The form shows the same one.
    """
    measured = (each for each in answer.setups if each.is_measured and not each.is_server)
    return sorted(answer.best_known(measured), key=lambda setup: setup.loss.rank)


def median_quantiles(
    observations: Sequence[Observation], work: str
) -> list[tuple[float, float]]:
    """Return the share of slower operations and the time of each quantile that most runs have."""
    runs = [run for each in observations for run in each.complete_runs]
    phases = [phase for run in runs for phase in run.phases if phase.name == work]
    times = [phase.latency for phase in phases if phase.latency is not None]
    quantiles = []
    for name in QUANTILES:
        known = [value for each in times if (value := each.figure(name)) is not None]
        if known and 2 * len(known) > len(times):
            share = 1 - float(name.removeprefix("p")) / 100
            quantiles.append((round(share, 6), float(f"{stats.median(known):.6g}")))
    return quantiles


# ---- Whole servers


def with_measurements(
    observations: Iterable[Observation],
) -> Iterator[tuple[Observation, ServerMeasurement]]:
    """Yield the observations of whole servers with what was measured."""
    for observation in observations:
        if observation.server is not None:
            yield observation, observation.server


def seconds(observations: Iterable[Observation]) -> list[JsonObject]:
    """Return what was asked and granted in each second of a trial."""
    courses = []
    for observation, server in with_measurements(observations):
        if len(server.seconds) >= LEAST_SECONDS:
            courses.append(
                {
                    "name": name_of(observation),
                    "command": server.command,
                    "begun": observation.started_at,
                    "asked": [second.asked for second in server.seconds],
                    "granted": [second.granted for second in server.seconds],
                    "source": str(observation.source),
                }
            )
    return courses


def search_points(observations: Iterable[Observation]) -> list[JsonObject]:
    """Return the offered rate and the lost share of each trial of the searches for a rate."""
    found = []
    for observation, server in with_measurements(observations):
        trials = [
            [round(trial.offered, 2), round(trial.lost, 6)]
            for trial in server.trials
            if trial.offered is not None
        ]
        if server.is_search and len(trials) > 1 and not server.is_earlier:
            limit = server.goals[0].max_lost if server.goals else None
            found.append(
                {
                    "name": name_of(observation),
                    "store": observation.keeper,
                    "rate": server.rate,
                    "limit": limit,
                    "trials": sorted(trials),
                    "begun": observation.started_at,
                    "source": str(observation.source),
                }
            )
    return found


# ---- Threads


@dataclass(frozen=True)
class Curve:
    """What the points of a curve have in common: all but the number of threads."""

    name: str
    is_server: bool
    file: str
    store: str
    exchange: str
    source: Source | None  # of a duel, whose sides took turns; None of other results
    configuration: tuple[tuple[Property, str], ...]

    @property
    def title(self) -> tuple[str, bool, str, str]:
        """What the chart tells of it."""
        return self.name, self.is_server, self.file, self.exchange

    @property
    def numbered(self) -> str:
        """Its name with the line of its duel, or with its schema, for names that several have."""
        if self.source is not None:
            return f"{self.name}, line {self.source.line}"
        schema = next((value for each, value in self.configuration if each.name == "schema"), "")
        return f"{self.name}, schema {schema}" if schema else self.name


def threads(observations: Iterable[Observation]) -> list[JsonObject]:
    """Return the rates of configurations that were measured with several numbers of threads.

    Results of one file that differ in nothing else are a series; of duels, those of one duel.
    """
    curves: dict[Curve, dict[int, list[float]]] = {}
    for observation in observations:
        if observation.cls is None or observation.load.open:
            continue
        for sample in observation.samples:
            if sample.name in EXCHANGES and sample.rate > 0 and sample.how is not How.MIXED:
                points = curves.setdefault(series_of(observation, sample.name), {})
                points.setdefault(observation.load.threads, []).append(sample.rate)
    several = {series: points for series, points in curves.items() if len(points) > 1}
    titles = [series.title for series in several]
    return [
        {
            "name": series.numbered if titles.count(series.title) > 1 else series.name,
            "server": series.is_server,
            "file": series.file,
            "store": series.store,
            "exchange": series.exchange,
            "points": [
                [count, float(f"{stats.median(points[count]):.6g}")] for count in sorted(points)
            ],
        }
        for series, points in several.items()
    ]


def series_of(observation: Observation, exchange: str) -> Curve:
    """Return the series that the rates of an observation belong to."""
    key = make_key(observation, CONFIGURATION)
    setup = Setup(
        make_group([observation]), Rates(Unknown.NO_RUN, Unknown.NO_RUN), shows_version=True
    )
    return Curve(
        name=setup.name,
        is_server=setup.is_server,
        file=observation.source.file.rsplit("/", 1)[-1],
        store=observation.keeper,
        exchange=exchange,
        source=observation.source if observation.origin is Origin.DUEL else None,
        configuration=tuple(
            (each, value) for each, value in key.items() if each.name != "threads"
        ),
    )


# ---- Where the time goes


def where_bars(observations: Iterable[Observation]) -> list[JsonObject]:
    """Return the parts of each server and each runner of which they were measured."""
    found = [(observation, where_of(observation)) for observation in observations]
    return [bar(observation, where) for observation, where in found if where is not None]


def bar(observation: Observation, where: Where) -> JsonObject:
    """Return the bar of one result; what its parts do not explain is the last of them."""
    missing = Part("missing", where.missing_us)
    parts = [(part, title_of(part)) for part in where.parts]
    parts.append((missing, missing_title(where)))
    return {
        "name": name_of(observation),
        "begun": observation.started_at,
        "source": str(observation.source),
        "whole_us": where.whole_us,
        "accounted": round(where.share(where.accounted_us), 4),
        "parts": [
            {"name": part.name, "title": title, "us": round(part.us, 2), "count": part.count}
            for part, title in parts
        ],
    }


# ---- All results


def results(observations: Iterable[Observation]) -> list[JsonObject]:
    """Return a row for each result, with all of its settings."""
    rows = []
    for observation in observations:
        durability = observation.durability
        settings = ", ".join(f"{each.name}={each.value}" for each in durability.settings)
        rates = [sample for sample in observation.samples if sample.rate > 0]
        by_name = {sample.name: sample for sample in rates}
        rows.append(
            {
                "name": name_of(observation),
                "class": durability.cls.value if durability.cls else "published",
                "work": observation.load.workload,
                "rates": {
                    name: stats.median([each.rate for each in rates if each.name == name])
                    for name in by_name
                },
                "settings": settings,
                "begun": observation.started_at,
                "warned": observation.warned,
                "source": str(observation.source),
            }
        )
    return rows
