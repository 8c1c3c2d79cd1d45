# SPDX-License-Identifier: ISC
"""What an answer rests on: runs that are long enough, and what disturbed them."""

from __future__ import annotations

import pytest
import samples
from answers import answer_of, both

from ubench.report.capacity.evidence import Doubt, long_enough


def too_short(*lines: samples.Line) -> list[str]:
    return list(long_enough(samples.read_lines(lines).all_observations()).too_short)


@pytest.mark.parametrize(
    ("rate", "count", "is_short"),
    [
        (100, 1000, False),
        (100, 999, True),
        (5000, 4999, True),
        (5000, 5001, False),
        (1e6, 10**7, False),
        (2, 3, True),
    ],
)
def test_runs_of_a_moment_or_a_few_exchanges_do_not_count(rate, count, is_short):
    line = samples.store(rates=[("renew", rate, count)])
    evidence = long_enough([samples.observe(line)])
    assert bool(evidence.observations) != is_short
    assert list(evidence.too_short) == ["memfile renew"] * is_short


@pytest.mark.parametrize(
    ("rate", "count", "is_short"), [(50, 100, False), (50, 99, True), (5000, 4999, True)]
)
def test_fewer_exchanges_count_in_a_pool_that_may_be_full(rate, count, is_short):
    line = samples.store("pgsql", rates=[("dora", rate, count)], parameters={"allocator": "random"})
    assert too_short(line) == ["pgsql dora"] * is_short


def test_the_shortest_phase_counts():
    rates = [("create", 100, 5000), ("search", 900, 900), ("update", 100, 5000)]
    assert too_short(samples.store(rates=rates)) == ["memfile phases"]


def test_a_run_that_was_cut_short_is_not_too_short():
    line = samples.store(runs=[samples.run(samples.phase("renew", 9), incomplete=True)])
    evidence = long_enough([samples.observe(line)])
    assert (len(evidence.observations), evidence.too_short) == (1, ())


def test_a_side_of_a_duel_counts_as_a_whole_and_once():
    long = samples.duel(samples.even_slices(20, [100, 100]))
    assert too_short(long) == []
    brief = samples.duel(samples.even_slices(2, [100, 100]))
    assert too_short(brief) == ["sqlite renew", "sqlite renew"]


@pytest.mark.parametrize(("per_trial", "trials", "is_short"), [(200, 6, False), (100, 3, True)])
def test_all_trials_of_a_search_count(per_trial, trials, is_short):
    rate = per_trial / 10
    each = samples.server_trial(rate, per_trial)
    line = samples.server(rate=rate, seconds=10, trials=[each] * trials)
    assert bool(too_short(line)) == is_short


@pytest.mark.parametrize(
    ("codes", "doubts"),
    [
        (["load"], {Doubt.DISTURBED: 2}),
        (["steal", "other-work"], {Doubt.DISTURBED: 2}),
        (["search"], {Doubt.NOT_CONFIRMED: 2}),
        (["load-limit"], {Doubt.LOAD: 2}),
        (["cpu-limit"], {Doubt.LIMITED: 2}),
        (["slow-clock", "not-durable"], {Doubt.OTHER: 2}),
        (["load", "search"], {Doubt.DISTURBED: 2, Doubt.NOT_CONFIRMED: 2}),
    ],
)
def test_warnings_are_counted_by_what_they_mean(codes, doubts):
    warnings = [{"code": code, "text": "why"} for code in codes]
    trust = answer_of(both() + both("mysql", warnings=warnings), clients=100).trust
    assert (trust.alone, trust.doubts) == (4, doubts)
