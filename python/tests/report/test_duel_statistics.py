# SPDX-License-Identifier: ISC
"""The statistics of duels, by simulation and by properties."""

import functools
import math
import random
from dataclasses import replace

import pytest
from duel_errors import KINDS, RULES, Rule, hold, share_wrong
from duel_samples import drift, make_slices, statistics

from ubench import stats
from ubench.campaigns.duel_turns import Limits, Turns
from ubench.report.duel import statistics as ds
from ubench.run.runner import Turn


@pytest.fixture
def quick_t(monkeypatch):
    monkeypatch.setattr(stats, "t_quantile", functools.cache(stats.t_quantile))


def contrast(slices, figure=ds.RATE):
    """Side B against A."""
    return statistics(slices).contrast(1, figure)


# ---- How often intervals err


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.precision != 0.01], ids=str)
def test_intervals_err_in_one_case_of_twenty(rule, quick_t):
    # 50 duels by each rule: 5 % is 2.5; 10 are chance in one of 1,000 suites.
    wrong = [share_wrong(rule, kind, 10) for kind in KINDS]
    assert sum(wrong) / len(wrong) < 0.2


class Speaker:
    """A side that does not work, and says that it did."""

    def __init__(self, levels, chance):
        self.levels, self.chance = levels, chance

    def turn(self, _milliseconds):
        operations = round(1e6 * math.exp(next(self.levels) + self.chance.gauss(0, 0.05)))
        return Turn(operations, 10**12, 1, None, None, None, None, 0, None)


def test_the_simulation_ends_where_a_duel_does(quick_t):
    levels, chance = drift(random.Random(1)), random.Random(2)
    limits = Limits(10**6, 0.02, rounds=1, round_s=1, slice_ms=1, settle_ms=0, seed=1)
    turns = Turns(limits, [False, False, True], lambda *_: None)
    turns.work([Speaker(levels, chance)] * 3, 0)
    blocks = []
    for block in turns.statistics.blocks:
        logs = {side: [] for side in range(3)}
        for turn in block:
            logs[turn.side].append(math.log(turn.operations))
        blocks.append((0, [tuple(logs[side]) for side in range(3)]))
    assert len(blocks) > 31
    assert hold(Rule("", precision=0.02), blocks)[0] == len(blocks)


def test_a_drift_of_the_machine_does_not_widen_an_interval():
    still = contrast(make_slices(100, (1, 0.95), 1))
    moving = contrast(make_slices(100, (1, 0.95), 1, drift))
    assert moving.precision < 2 * still.precision


# ---- Ratios


def test_swapped_sides_invert_the_ratio():
    slices = make_slices(20, (1, 0.8), 3, drift)
    one = contrast(slices)
    other = contrast([replace(turn, side=1 - turn.side) for turn in slices])
    assert one.ratio * other.ratio == pytest.approx(1)
    assert one.interval.low * other.interval.high == pytest.approx(1)
    assert one.medians == other.medians[::-1]


@pytest.mark.parametrize(
    ("figure", "ratio"),
    [(ds.RATE, 2), (ds.P50, 0.5), (ds.RUNNER_CPU, 1), (ds.PROCESSOR, 1), (ds.SYNCS, 1)],
    ids=lambda value: getattr(value, "name", None),
)
def test_each_figure_is_of_an_operation(figure, ratio):
    slices = make_slices(20, (1, 2), 5, noise=0)
    assert contrast(slices, figure).ratio == pytest.approx(ratio, rel=1e-3)


def test_a_block_that_was_cut_short_is_left_out():
    slices = make_slices(10, (1, 0.9), 4)
    assert contrast([*slices, slices[0]]) == contrast(slices)


def test_a_figure_must_be_known_of_nine_tenths_of_the_blocks():
    slices = make_slices(10, (1, 0.9), 4)
    assert contrast(slices, ds.P99) is None
    slices[0] = replace(slices[0], p50_ns=None)
    assert contrast(slices, ds.P50).blocks == 9
    slices[5] = replace(slices[5], p50_ns=None)
    assert contrast(slices, ds.P50) is None


def test_few_blocks_have_no_interval():
    assert contrast(make_slices(5, (1, 0.9), 4)).interval is None
    assert contrast(make_slices(6, (1, 0.9), 4)).interval is not None


def test_syncs_of_servers_are_not_a_figure_of_a_slice():
    slices = [replace(turn, log_bytes=1) for turn in make_slices(10, (1, 1), 4)]
    assert contrast(slices, ds.SYNCS) is None


def test_a_slice_in_which_nothing_was_done_counts():
    slices = make_slices(10, (1, 1), 4, noise=0)
    idle = [replace(turn, operations=0) if turn.side == 1 else turn for turn in slices]
    assert contrast(idle).ratio == pytest.approx(0.5 / slices[0].operations)


def test_figures_follow_a_duel_that_grows():
    slices = make_slices(20, (1, 0.9, 1.1), 6)
    growing = statistics(slices[:60])
    growing.contrast(1)
    growing.null(ds.P50)
    for turn in slices[60:]:
        growing.add(turn)
    whole = statistics(slices)
    for figure in (ds.RATE, ds.P50):
        assert growing.contrast(1, figure) == whole.contrast(1, figure)
        assert growing.null(figure) == whole.null(figure)


# ---- Rounds


@pytest.mark.parametrize(
    ("rounds", "ratio", "total"), [(1, 0.9, 0.9), (2, 0.9 / math.sqrt(1.1), 0.9 / 1.05)]
)
def test_in_several_rounds_a_side_is_compared_with_a_and_its_twin(rounds, ratio, total):
    slices = make_slices(20, (1, 0.9, 1.1), 5, noise=0)
    duel = statistics([replace(turn, round=n) for n in range(rounds) for turn in slices])
    assert duel.contrast(1).ratio == pytest.approx(ratio, rel=1e-4)
    assert duel.null().ratio == pytest.approx(1.1, rel=1e-4)
    assert duel.total_ratio(1) == pytest.approx(total, rel=1e-4)


def test_a_few_rounds_have_the_interval_of_student():
    # For 1, 2, 3, 4, 5 and 6 %: 0.035 -+ t(.975, 5) 0.018708 / sqrt(6), where t is 2.570582.
    slices = [
        turn
        for number in range(6)
        for turn in make_slices(8, (1, math.exp((number + 1) / 100)), 7, noise=0, round_=number)
    ]
    ratio = contrast(slices)
    assert ratio.blocks == 6
    assert math.log(ratio.interval.low) == pytest.approx(0.015367, abs=1e-5)
    assert math.log(ratio.interval.high) == pytest.approx(0.054633, abs=1e-5)


# ---- Carry-over, the null and sums


def test_what_a_side_leaves_to_the_next_is_found():
    slices = make_slices(200, (1, 1), 6)
    assert statistics(slices).carry_over(0) is None
    indebted = [
        turn
        if place and slices[place - 1].side == turn.side
        else replace(turn, operations=round(turn.operations * 0.9))
        for place, turn in enumerate(slices)
    ]
    interval = statistics(indebted).carry_over(0)
    assert interval.low < 1 / 0.9 < interval.high


def test_a_null_that_differs_hides_smaller_differences():
    duel = statistics(make_slices(100, (1, 0.97, 0.95), 9, noise=0.02))
    assert ds.tellable(duel.null()) > 0
    assert not ds.exceeds_null(duel.contrast(1), duel.null())
    assert ds.exceeds_null(duel.contrast(1), None)


def test_rare_stalls_count_in_the_sums():
    slices = make_slices(20, (1, 1), 3, noise=0)
    place = next(place for place, turn in enumerate(slices) if turn.side == 1)
    slices[place] = replace(slices[place], elapsed_ns=40 * slices[place].elapsed_ns)
    duel = statistics(slices)
    assert duel.contrast(1).ratio == pytest.approx(1)
    assert duel.total_ratio(1) == pytest.approx(40 / 79)


@pytest.mark.parametrize(("operations", "ratio"), [(0, math.inf), (10, 1.0)])
def test_processor_time_of_those_that_did_nothing_is_infinite(operations, ratio):
    slices = [
        replace(turn, operations=operations) for turn in make_slices(6, (1, 1), 3, noise=0)
    ]
    assert statistics(slices).total_cost_ratio(1, ds.PROCESSOR) == ratio


def test_the_precision_that_ends_a_duel_is_that_of_all_sides():
    duel = statistics(make_slices(30, (1, 0.9, 1.1, 1), 3))
    widest = max(duel.contrast(side).precision for side in duel.candidates)
    assert duel.candidates == [1, 2]
    assert duel.is_known(widest * 1.001)
    assert not duel.is_known(widest * 0.999)
