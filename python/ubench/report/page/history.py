# SPDX-License-Identifier: ISC
"""The chart of the history: rates of one configuration with several versions of a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from ubench import stats
from ubench.records.decoding import JsonObject
from ubench.records.observation import How, Observation, Origin
from ubench.report.capacity.setups import power_loss
from ubench.report.page.changes import WORKLOADS, product_name, setup_of
from ubench.report.page.charts import EXCHANGES
from ubench.report.properties import Property, PropertyKind, differences, make_key
from ubench.report.stores import database, kea

SETTINGS = (PropertyKind.PARAMETER, PropertyKind.HOST)
BUILDS = ("compiler", "cflags", "libc")  # of the host, which come with the version of a program


class Program(Enum):
    """A program whose versions are compared, while those of the others stay."""

    DATABASE = "database"
    KEA = "Kea"
    UBENCH = "ubench"


@dataclass(frozen=True)
class HistoryPoint:
    """The rate of an exchange that an observation has."""

    observation: Observation
    versions: Mapping[Program, str]
    per_s: float


def histories(observations: Iterable[Observation]) -> list[JsonObject]:
    """Return the series of rates that differ in the version of one program, and in nothing else.

    A version brings its own defaults: what never differs within one does not tell apart.
    """
    found = []
    alike: dict[tuple[object, ...], list[HistoryPoint]] = {}
    for observation in observations:
        if observation.cls is None or observation.load.open:
            continue
        for sample in observation.samples:
            if sample.name in EXCHANGES and sample.rate > 0 and sample.how is not How.MIXED:
                point = HistoryPoint(observation, versions_of(observation), sample.rate)
                alike.setdefault((sample.name, *settings_of(observation)), []).append(point)
    for (exchange, *_), points in alike.items():
        for program in Program:
            found += [
                series_json(str(exchange), program, members)
                for members in of_one_version(points, program)
            ]
    return sorted(distinct(found), key=lambda each: (each["subject"], each["name"]))


def versions_of(observation: Observation) -> dict[Program, str]:
    """Return the versions of the programs that took part; "" of one that did not."""
    product, server = database(observation), kea(observation)
    number = server.number if server else ""
    own = observation.program_version
    return {
        Program.DATABASE: product.number if product else "",
        Program.KEA: number,
        Program.UBENCH: "" if own == number else own,  # lines of Kea's programs have Kea's
    }


def settings_of(observation: Observation) -> tuple[object, ...]:
    """Return what observations of a series have in common, but for facts and versions."""
    return (
        observation.store,
        product_name(observation),
        setup_of(observation).label,
        power_loss(observation.durability),
        frozenset(
            (each, value)
            for each, value in make_key(observation, SETTINGS).items()
            if each.name not in BUILDS
        ),
    )


def of_one_version(points: Sequence[HistoryPoint], program: Program) -> list[list[HistoryPoint]]:
    """Return the points in series that only the version of this program tells apart.

    Duels are left out of ubench's history: they compare builds that differ on purpose.
    """
    known = [
        point
        for point in points
        if point.versions[program]
        and (program is not Program.UBENCH or point.observation.origin is not Origin.DUEL)
    ]
    telling = telling_facts(known, program)
    series: dict[tuple[object, ...], list[HistoryPoint]] = {}
    for point in known:
        own = facts_of(point.observation)
        others = tuple(point.versions[each] for each in Program if each is not program)
        key = (others, tuple(own.get(each, "") for each in telling))
        series.setdefault(key, []).append(point)
    return [
        members
        for members in series.values()
        if len({point.versions[program] for point in members}) > 1
    ]


def telling_facts(points: Iterable[HistoryPoint], program: Program) -> list[Property]:
    """Return the facts that differ within a version, so that they are no default of it."""
    by_version: dict[str, list[dict[Property, str]]] = {}
    for point in points:
        facts = facts_of(point.observation)
        by_version.setdefault(point.versions[program], []).append(facts)
    telling: dict[Property, None] = {}
    for first, *others in by_version.values():
        telling.update(dict.fromkeys(differences(first, others)))
    return list(telling)


def facts_of(observation: Observation) -> dict[Property, str]:
    """Return the facts but those that tell Kea's version, which the versions have."""
    facts = make_key(observation, (PropertyKind.FACT,))
    return {each: value for each, value in facts.items() if not each.name.startswith("Kea")}


def series_json(exchange: str, program: Program, points: Sequence[HistoryPoint]) -> JsonObject:
    """Return a series for the page: the median rate of each version, the first measured first."""
    first = points[0].observation
    rates: dict[str, list[float]] = {}
    for point in sorted(points, key=lambda each: each.observation.started_at):
        rates.setdefault(point.versions[program], []).append(point.per_s)
    name = product_name(first)
    threads = first.load.threads
    parts = (
        f"{name} {setup_of(first).label}".rstrip(),
        "whole Kea" if setup_of(first).is_server else "",
        f"{threads} threads" if threads > 1 else "",
        WORKLOADS.get(exchange, exchange),
    )
    return {
        "subject": f"versions of {name if program is Program.DATABASE else program.value}",
        "by_number": program is not Program.UBENCH,  # versions in work have no order but their days
        "name": ", ".join(part for part in parts if part),
        "store": first.keeper,
        "points": [
            [version, float(f"{stats.median(own):.6g}"), len(own)]
            for version, own in rates.items()
        ],
        "files": sorted({each.observation.source.file.rsplit("/", 1)[-1] for each in points}),
    }


def distinct(series: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the series, where names that several of them have also tell the files."""
    plain = [(each["subject"], each["name"]) for each in series]
    full = [(*name, *each["files"]) for name, each in zip(plain, series, strict=True)]
    result = []
    for number, each in enumerate(series):
        name = each["name"]
        if plain.count(plain[number]) > 1:
            name += f", {' and '.join(each['files'])}"
        if full.count(full[number]) > 1:
            name += f" ({full[:number].count(full[number]) + 1})"
        result.append({**each, "name": name})
    return result
