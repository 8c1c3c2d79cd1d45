# SPDX-License-Identifier: ISC
"""Gates: they fail closed, of any figure and of duels."""

import copy
import math
import random
from dataclasses import replace

import duel_samples
import pytest
import samples
from duel_samples import make_line, make_slices

from ubench import stats
from ubench.records.schema import Damaged
from ubench.report.duel.gate import GATE_FIGURES, Gate, judge_side
from ubench.report.duel.statistics import PROCESSOR, DuelStatistics
from ubench.report.gate import Outcome, judge_interval, why_undecided, worst

PASSED, WORSE, UNDECIDED = Outcome.PASSED, Outcome.WORSE, Outcome.UNDECIDED
EQUAL = make_slices(60, (1, 1, 1), 7, noise=0.01)


def gate_line(line, allowed=0.05, figure="rate"):
    """The judgement of side B."""
    duel = duel_samples.read(line)
    gate = Gate(allowed, GATE_FIGURES[figure])
    return judge_side(duel, DuelStatistics.from_duel(duel), gate, 1)


def outcome(line, allowed=0.05, figure="rate"):
    return gate_line(line, allowed, figure).outcome


def changed(slices, side, change):
    """The slices, of which `change` makes those of a side anew."""
    return [change(turn) if turn.side == side else turn for turn in slices]


# ---- Intervals


@pytest.mark.parametrize(
    ("low", "high", "allowed", "wanted"),
    [
        (0.96, 1.02, 0.05, PASSED),
        (0.95, 1.02, 0.05, PASSED),
        (0.94, 0.949, 0.05, WORSE),
        (0.94, 0.96, 0.05, UNDECIDED),
        (0.5, 2, 0.05, UNDECIDED),
        (1.1, 1.2, 0.01, PASSED),
    ],
)
def test_an_interval_passes_only_if_it_shows_it(low, high, allowed, wanted):
    assert judge_interval(stats.Interval(low, high), allowed, True) is wanted
    mirror = stats.Interval(2 - high, 2 - low)  # of a figure of which less is better
    assert judge_interval(mirror, allowed, False) is wanted


def test_without_an_interval_nothing_passes():
    assert judge_interval(None, 0.05, True) is UNDECIDED


@pytest.mark.parametrize(
    ("outcomes", "wanted"),
    [
        ([PASSED, PASSED], PASSED),
        ([PASSED, UNDECIDED], UNDECIDED),
        ([UNDECIDED, WORSE], WORSE),
        ([], UNDECIDED),
    ],
)
def test_several_gates_have_the_worst_outcome(outcomes, wanted):
    assert worst(outcomes) is wanted


@pytest.mark.parametrize(("more_is_better", "amount"), [(True, "422 times"), (False, "467 times")])
def test_a_gate_says_how_long_a_measurement_has_to_be(more_is_better, amount):
    contrast = stats.Contrast(9, (9, 9), ratio=1, interval=stats.Interval(0.9, 1 / 0.9))
    assert amount in why_undecided(contrast, 0.05, more_is_better, 100, "{} times")


def test_at_the_limit_no_time_is_long_enough():
    contrast = stats.Contrast(9, (9, 9), ratio=0.95, interval=stats.Interval(0.90, 1.002))
    assert "no reasonable time" in why_undecided(contrast, 0.05, True, 1, "{}")


# ---- Duels


def test_sides_that_are_alike_pass():
    judgement = gate_line(make_line(EQUAL))
    assert judgement.outcome is PASSED
    assert judgement.text == "passed: it is not slower by more than 5 %"
    assert judgement.figures.startswith("rate, B to A: 1.00")
    assert "A against A" in judgement.figures


@pytest.mark.parametrize(
    ("allowed", "wanted", "text"),
    [
        (0.2, PASSED, "passed: it is not"),
        (0.05, WORSE, "not passed: it is slower"),
        (0.1, UNDECIDED, "too imprecise to tell"),
    ],
)
def test_a_side_that_is_slower(allowed, wanted, text):
    judgement = gate_line(make_line(make_slices(40, (1, 0.9, 1), 7, noise=0.02)), allowed)
    assert judgement.outcome is wanted
    assert judgement.text.startswith(text)


@pytest.mark.parametrize(
    ("side", "every", "change"),
    [
        (1, 2, {"operations": 0, "p50_ns": None}),
        (1, 10, {"elapsed_ns": 20 * 10**12}),
        (2, 1, {"operations": 1_100_000}),
    ],
    ids=["does nothing", "stalls", "A against A differs"],
)
def test_what_a_gate_must_not_pass(side, every, change):
    places = [place for place, turn in enumerate(EQUAL) if turn.side == side][::every]
    worse = [
        replace(turn, **change) if place in places else turn for place, turn in enumerate(EQUAL)
    ]
    assert outcome(make_line(worse)) in (WORSE, UNDECIDED)


@pytest.mark.parametrize("factor", [1.08, 0.92])
def test_a_null_that_differs_counts_in_both_directions(factor):
    twin = changed(
        EQUAL, 2, lambda turn: replace(turn, operations=round(turn.operations * factor))
    )
    assert outcome(make_line(twin)) is UNDECIDED


def test_a_null_that_is_wide_counts_even_if_it_does_not_differ():
    chance = random.Random(3)
    wide = changed(
        EQUAL,
        2,
        lambda turn: replace(
            turn, operations=round(turn.operations * math.exp(chance.gauss(0, 0.4))), p50_ns=None
        ),
    )
    null = duel_samples.statistics(wide).null().interval
    assert null.low < 0.95 and null.high > 1
    judgement = gate_line(make_line(wide))
    assert judgement.outcome is UNDECIDED
    assert "A against A is" in judgement.text


@pytest.mark.parametrize(
    ("figure", "wanted"), [("rate", PASSED), ("p50", WORSE), ("processor", WORSE)]
)
def test_the_figure_of_a_gate(figure, wanted):
    slower = changed(
        EQUAL,
        1,
        lambda turn: replace(
            turn, cpu_ns=round(turn.cpu_ns * 1.2), p50_ns=round(turn.p50_ns * 1.2)
        ),
    )
    assert outcome(make_line(slower), 0.05, figure) is wanted
    assert outcome(make_line(slower), 0.3, figure) is PASSED


@pytest.mark.parametrize(
    ("figure", "change"), [("p50", {"p50_ns": None}), ("processor", {"server_cpu_ns": 1})]
)
def test_a_figure_must_be_known_of_every_slice(figure, change):
    place = next(place for place, turn in enumerate(EQUAL) if turn.side == 1)
    slices = [*EQUAL[:place], replace(EQUAL[place], **change), *EQUAL[place + 1 :]]
    assert outcome(make_line(slices), 0.3, figure) is UNDECIDED


def test_processor_time_over_the_whole_time_counts():
    """A few slices that took very long do not change the trimmed mean."""
    places = [place for place, turn in enumerate(EQUAL) if turn.side == 1][::10]
    slices = [
        replace(turn, cpu_ns=turn.cpu_ns * 20) if place in places else turn
        for place, turn in enumerate(EQUAL)
    ]
    contrast = duel_samples.statistics(slices).contrast(1, PROCESSOR)
    assert contrast.ratio == pytest.approx(1, abs=0.01)
    assert outcome(make_line(slices), 0.05, "processor") is UNDECIDED


# ---- Duels that do not count


def test_an_interrupted_duel_passes_no_gate():
    assert outcome(make_line(EQUAL, incomplete=True)) is UNDECIDED


@pytest.mark.parametrize("side", [0, 1, 2])
def test_a_side_without_a_result_passes_no_gate(side):
    line = make_line(EQUAL)
    line["sides"][side]["result"] = None
    assert outcome(line) is UNDECIDED


@pytest.mark.parametrize("change", [{"incomplete": True}, {"error": "it burnt"}], ids=str)
def test_a_result_that_does_not_count_passes_no_gate(change):
    line = make_line(EQUAL)
    line["sides"][1]["result"].update(change)
    assert outcome(line) is UNDECIDED


@pytest.mark.parametrize("side", [0, 1, 2])
@pytest.mark.parametrize(
    ("member", "value"), [("incomplete", True), ("verified", False), ("leases_left", 5)]
)
def test_a_run_that_was_not_verified_passes_no_gate(side, member, value):
    line = make_line(EQUAL)
    line["sides"][side]["result"]["runs"][0][member] = value
    assert outcome(line) is UNDECIDED


COLUMNS = {"operations": 1, "elapsed_ns": 2, "cpu_ns": 3, "server_cpu_ns": 4, "p50_ns": 6,
           "errors": 8}  # fmt: skip
UNREAD = (3, 4, 5, 6, 7, *range(10, 15))  # columns that a gate of the rate does not need


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("operations", lambda value: value * 10),
        ("operations", lambda value: value + 1),
        ("operations", lambda _: 10**15),
        ("elapsed_ns", lambda value: value // 10),
        ("elapsed_ns", lambda _: 1),
        ("p50_ns", lambda value: value * 10**7),
        ("server_cpu_ns", lambda _: 2**59),
        ("cpu_ns", lambda _: 2**59),
        ("errors", lambda _: 1),
    ],
)
def test_slices_that_their_result_contradicts_pass_no_gate(column, change):
    line = make_line(EQUAL)
    for row in line["slices"]:
        if row[0] == 1:
            row[COLUMNS[column]] = change(row[COLUMNS[column]])
    judgement = gate_line(line, 0.5)
    assert judgement.outcome is UNDECIDED
    assert judgement.text.startswith("not passed: ")


def test_a_damaged_line_passes_no_gate_and_ends_in_no_traceback():
    line = make_line(EQUAL)
    chance = random.Random(9)
    for _ in range(60):
        other = copy.deepcopy(line)
        row = chance.choice(other["slices"])
        column = chance.randrange(len(row))
        before = row[column]
        row[column] = chance.choice([None, -1, 0.5, True, 2**70, 1e300, "x", [], {}, row[0] + 7])
        try:
            damaged = duel_samples.read(other)
        except Damaged:
            continue
        gate = Gate(0.5)
        judgement = judge_side(damaged, DuelStatistics.from_duel(damaged), gate, 1)
        is_harmless = row[column] == before or column in UNREAD
        assert judgement.outcome is not PASSED or is_harmless, (column, row[column])


# ---- The command


def test_the_exit_status_is_that_of_the_worst_duel():
    line = make_line(make_slices(40, (1, 0.9, 1), 7, noise=0.02))
    for allowed, status in (("20%", 0), ("5%", 4), ("10%", 5)):
        done = samples.report("duels", "--not-worse-than", allowed, lines=[line])
        assert done.status == status
        assert "gate: B against A: " in done.err


def test_a_line_that_cannot_be_read_leaves_a_gate_undecided():
    lines = [make_line(EQUAL), {"format": "ubench-duel/1"}]
    assert samples.report("duels", "--not-worse-than", "5%", lines=lines).status == 5


# ---- Instructions


def counted(ratio, server=(None, None), **members):
    """A duel in which B takes `ratio` times as many instructions."""
    slices = [
        replace(
            turn,
            instructions=round(1000 * turn.operations * (ratio if turn.side == 1 else 1)),
            server_instructions=server[place % 2] and turn.operations * server[place % 2],
        )
        for place, turn in enumerate(EQUAL)
    ]
    return make_line(slices, **members)


@pytest.mark.parametrize(
    ("line", "allowed", "wanted"),
    [
        (counted(1.01, valgrind=True), 0.005, WORSE),
        (counted(1.01, valgrind=True), 0.02, PASSED),
        (counted(1, valgrind=True), 0.005, PASSED),
        (counted(1.01), 0.005, WORSE),
        (counted(1, server=(1000, 1000)), 0.005, PASSED),
        (counted(1, server=(1000, None)), 0.9, UNDECIDED),
        (make_line(EQUAL), 0.005, UNDECIDED),
    ],
)
def test_a_gate_of_instructions(line, allowed, wanted):
    assert outcome(line, allowed, "instructions") is wanted


def test_no_gate_judges_times_under_valgrind():
    judgement = gate_line(counted(1, valgrind=True), 0.05, "rate")
    assert judgement.outcome is UNDECIDED
    assert "use --figure=instructions" in judgement.text
