# SPDX-License-Identifier: ISC
"""The results that fit a site's configuration best: of its lease database and family, of a pair if
it has one, and with the nearest number of threads; and what differs from the file."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from report import Problem, rates, results, rows, screen, stores
from report.answer import Answer, Site
from report.kea.site import Kea

SEVERAL = 4  # threads of a published result that says no number


class Match(NamedTuple):
    answer: Answer
    notes: list[str]  # what was measured, where it is not what the file has


def kind_of(result: dict) -> str | None:
    """The type of its lease database in Kea's configuration; None if Kea has none such."""
    store = stores.keeper(result)
    if result["store"].startswith("kea") and not store.server:
        return "memfile"
    return store.in_kea


def pair_of(result: dict) -> str:
    """The mode of the pair of servers that was measured; "" of a single one."""
    return results.parameter(result, "ha")


def threads_of(result: dict) -> int:
    return SEVERAL if results.parameter(result, "threads") == "several" else results.threads(result)


def by_fit(counts: Iterable[int], wanted: int | None) -> list[int]:
    """Numbers of threads, the one that fits best first; wanted None: one for each processor, of
    which there are several today, so the fewest above 1."""
    if wanted is None:
        return sorted(counts, key=lambda count: (count == 1, count))
    return sorted(counts, key=lambda count: (abs(math.log(count / wanted)), count))


def rates_known(found: list[dict], site: Site) -> int:
    """Whether renewals and restarts are known of a setup: 2, 1 or 0."""
    setups = [row for section in rows.sections(found, setups=True) for row in section.rows]
    return max((sum(bool(rate.kind) for rate in rates.rates_of(setup, site.restart_new, site.place))
                for setup in setups), default=0)


def with_threads(found: list[dict], wanted: int | None, site: Site) -> list[dict]:
    """The results of each setting of a store with the number of threads that fits best, among
    those of which most is known."""
    alike: dict[tuple, dict[int, list[dict]]] = {}
    for result in found:
        key = result["kind"], result["basis"], results.product_text(result)
        alike.setdefault(key, {}).setdefault(threads_of(result), []).append(result)
    kept: list[dict] = []
    for by_count in alike.values():
        order = by_fit(by_count, wanted)
        kept += by_count[max(order, key=lambda count: rates_known(by_count[count], site))]
    return kept


def groups(kea: Kea, found: list[dict]) -> list[tuple[list[dict], str]]:
    """The results of its store, the most alike first, each group with the mode of its pair."""
    mine = [result for result in found
            if result["family"] == kea.family and kind_of(result) == kea.kind]
    modes = sorted({pair_of(result) for result in mine} - {""}, key=lambda mode: mode != kea.mode)
    pairs = [([result for result in mine if pair_of(result) == mode], mode) for mode in modes]
    alone = [([result for result in mine if not pair_of(result)], "")]
    return pairs + alone if kea.is_pair else alone


def match(kea: Kea, site: Site, found: list[dict], where: list) -> Match | None:
    """The answer by the results that fit best; None if there are none."""
    for some, mode in groups(kea, found):
        fitting = [result for result in some if rows.has_all(result, where)]
        if "threads" not in dict(where):
            fitting = with_threads(fitting, kea.threads, site)
        try:
            made = Answer(site, fitting, where, every_thread=True)
        except Problem:
            continue
        if made.setups:
            return Match(made, [*pair_notes(kea, mode), *thread_notes(kea, made)])
    return None


def pair_notes(kea: Kea, mode: str) -> list[str]:
    """How the servers that were measured differ from those of the file."""
    if kea.is_pair and not mode:
        return ["No pair was measured, and a pair is slower (scripts/dhcp ha measures one)."]
    if kea.is_pair and mode != kea.mode:
        return [f"The measured pair is {mode}, and that of the file is {kea.mode}."]
    if kea.mode == "passive-backup":
        return ["passive-backup was not measured: these are single servers."]
    if kea.shares_database:
        return ["No pair with one database was measured: these are single servers."]
    return []


def thread_notes(kea: Kea, made: Answer) -> list[str]:
    """The threads of the results, where the file has another number."""
    measured = sorted({threads_of(result) for setup in screen.ordered(made)
                       for result in setup.results})
    if measured == [kea.threads]:
        return []
    shown = " or ".join(filter(None, [", ".join(map(str, measured[:-1])), str(measured[-1])]))
    by = "Measured with 1 thread" if measured == [1] else f"Measured with {shown} threads"
    if kea.threads is None:
        return [f"{by}; without a number in this file Kea has one for each processor (before "
                "2.3.5: one)."]
    return [f"{by}; this file has {kea.threads}."]
