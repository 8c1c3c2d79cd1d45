# SPDX-License-Identifier: ISC
"""Everything that a page shows: data of its charts and tables, and where it was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ubench.errors import Problem
from ubench.records.decoding import JsonObject
from ubench.records.observation import Observation
from ubench.records.reader import Records
from ubench.report import crashes
from ubench.report.capacity.batches import PATIENCE_S
from ubench.report.capacity.evidence import Evidence, long_enough
from ubench.report.capacity.rates import Rate
from ubench.report.capacity.site import Demand, Site
from ubench.report.capacity.verdicts import Answer, work_out
from ubench.report.grouping import without_references
from ubench.report.leases.census import Census
from ubench.report.page import charts
from ubench.report.page.batches import batches
from ubench.report.page.changes import CONTESTS
from ubench.report.page.days import days, figures
from ubench.report.page.demand import demand_json
from ubench.report.page.history import histories
from ubench.report.page.losses import add_up
from ubench.report.page.ratios import ratios
from ubench.report.page.short_answers import short_answers
from ubench.report.page.site_data import answer_json
from ubench.report.page.summaries import summaries
from ubench.report.stores import OTHER, STORES

CLIENTS = 20000  # of the site that the form begins with
MOST_MACHINES = 4


@dataclass(frozen=True)
class Contents:
    """The data of a page; a list is empty, or `answer` None, if nothing was measured of it."""

    data: JsonObject
    measured: str  # "21 to 28 November 2026"
    machines: tuple[str, ...]
    results: int
    duels: int
    crashes: int
    contradictions: tuple[str, ...]
    home: str = ""  # the link to the index of the site that the page is part of


def contents_of(records: Records, census: Census | None = None) -> Contents:
    """Return the contents of a page of some records, and of a site's lease files."""
    observations = without_references(records.all_observations())
    all_stores = worked_out(observations)
    answer = with_rates(all_stores)
    cells = crashes.gather(records.crashes)
    crashed = add_up(cells)
    compared = ratios(records.duels, answer)
    data: JsonObject = {
        "short": [each.as_json() for each in short_answers(answer, compared, crashed)],
        "answer": answer_json(answer) if answer else None,
        "ratios": [each.as_json() for each in compared],
        "summaries": [each.as_json() for each in summaries(compared)],
        "contests": [question.value for question in CONTESTS],
        "latencies": charts.latencies(answer) if answer else [],
        "seconds": charts.seconds(observations),
        "searches": charts.search_points(observations),
        "threads": charts.threads(observations),
        "batches": batches(all_stores) if all_stores else [],
        "patience_s": PATIENCE_S,
        "where": charts.where_bars(observations),
        "histories": histories(observations),
        "demand": demand_json(census) if census else None,
        "days": days(observations),
        "day_figures": figures(),
        "crashes": [each.as_json() for each in crashed],
        "results": charts.results(observations),
        "colours": {
            store.name: {"light": store.light, "dark": store.dark} for store in (*STORES, OTHER)
        },
    }
    measured = [each for each in observations if each.cls is not None]
    begun = [each.started_at for each in measured] + [each.started_at for each in records.crashes]
    return Contents(
        data=data,
        measured=period_of_days([text[:10] for text in begun if text]),
        machines=machines(measured),
        results=len(observations),
        duels=len(records.duels),
        crashes=len(records.crashes),
        contradictions=tuple(
            f"{cell.name} is {cell.class_name} by its settings, and lost acknowledged changes in "
            f"{cell.lossy} of {len(cell.judged)} crashes at level {cell.level}"
            for cell in cells
            if cell.contradicts_its_class
        ),
    )


def answer_of(observations: Sequence[Observation]) -> Answer | None:
    """Return the answer for the site that the form begins with; None if no rate is known."""
    return with_rates(worked_out(observations))


def worked_out(observations: Sequence[Observation]) -> Answer | None:
    """Return the same also if no rate is known; None if no store keeps leases."""
    evidence: Evidence = long_enough(observations) if observations else Evidence((), ())
    site = Site(clients=CLIENTS)
    try:
        return work_out(site, evidence.observations, too_short=evidence.too_short)
    except Problem:
        return None


def with_rates(answer: Answer | None) -> Answer | None:
    """Return the answer if a rate is known that clients require; else None."""
    setups = answer.setups if answer else ()
    known = (
        isinstance(setup.rates.demand(demand), Rate) for setup in setups for demand in Demand
    )
    return answer if any(known) else None


def period_of_days(days: Sequence[str]) -> str:
    """Return the first and the last of some days."""
    if not days:
        return ""
    first, last = min(days), max(days)
    return first if first == last else f"{first} to {last}"


def machines(observations: Sequence[Observation]) -> tuple[str, ...]:
    """Return the machines of some observations, by what a reader compares with their own."""
    names: dict[str, None] = {}
    for each in observations:
        host = each.host
        cores = f"{host['cores']} cores" if "cores" in host else ""
        parts = (host.get("cpu", ""), cores, host.get("memory", ""))
        name = ", ".join(part for part in parts if part)
        if name:
            names[name] = None
    return tuple(names)[:MOST_MACHINES]
