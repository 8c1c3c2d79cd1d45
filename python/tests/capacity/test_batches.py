# SPDX-License-Identifier: ISC
"""Batches of clients: the rate and the delay of each, and the best one for a site."""

from __future__ import annotations

import json
import math

import pytest
import samples
from answers import answer_of, words_of
from batch_samples import at_a_rate, closed

from ubench.report.capacity.batches import Batch, BatchChoice, OfferedRate, batch_choices


def batch(value: str, per_s: float, **delays_ms: float) -> Batch:
    """A batch with the p99 of rates: at100=5 is 5 ms at 100/s."""
    offered = [
        OfferedRate(float(name.removeprefix("at")), delay / 1e3)
        for name, delay in delays_ms.items()
    ]
    return Batch(value, per_s, tuple(offered))


def best(*batches: Batch, load: float = 100) -> str | None:
    (setup,) = answer_of([closed("1", 100)]).setups
    choice = BatchChoice(setup, "renew", load, tuple(sorted(batches, key=lambda b: b.per_s)))
    return choice.best.value if choice.best else None


def test_the_delay_at_a_load_is_that_of_the_rates_on_both_sides():
    measured = batch("8", 900, at50=40, at200=12, at800=30)
    assert measured.p99_s(200) == 0.012
    assert measured.p99_s(100) == 0.040
    assert measured.p99_s(500) == 0.030
    assert measured.p99_s(800 * 1.04) == 0.030
    assert measured.p99_s(49) == 0.040
    assert measured.p99_s(40) is None
    assert measured.p99_s(900) is None
    assert batch("8", 900).p99_s(100) is None


@pytest.mark.parametrize(
    ("batches", "value"),
    [
        # The largest is the fastest, and too slow an answer.
        ((batch("1", 400, at100=3), batch("8", 900, at100=70), batch("32", 990, at100=300)), "8"),
        # About equally fast: the one with the least delay.
        ((batch("8", 980, at100=9), batch("16", 990, at100=90), batch("1", 500, at100=1)), "8"),
        ((batch("1", 400, at100=3), batch("8", 900, at100=101)), "1"),
        ((batch("1", 400, at100=300), batch("8", 900, at100=math.inf)), None),
        # Nobody knows how long clients wait.
        ((batch("1", 400, at100=3), batch("8", 900, at200=5)), "1"),
        ((batch("1", 400), batch("8", 900)), None),
    ],
)
def test_the_best_is_the_fastest_that_answers_in_time(batches: tuple[Batch, ...], value: str):
    assert best(*batches) == value


def test_batches_are_made_of_closed_loops_and_trials():
    lines = [
        closed("1", 400),
        closed("16,5ms", 1500),
        at_a_rate("1", 50, 4, closed_rate=440),
        at_a_rate("1", 200, 6, closed_rate=420),
        at_a_rate("16,5ms", 50, 9),
        at_a_rate("16,5ms", 200, 8),
        at_a_rate("16,5ms", 200, 11),
        at_a_rate("16,5ms", 800, 900, verdict="saturated"),
        at_a_rate("16,5ms", 400, 1, verdict="invalid"),
    ]
    (choice,) = batch_choices(answer_of(lines, clients=360_000))
    assert (choice.exchange, choice.load_per_s) == ("renew", 100)
    single, many = choice.batches
    # The closed loops before the trials count as well.
    assert (single.value, single.per_s) == ("1", pytest.approx(420))
    assert (many.value, many.per_s) == ("16,5ms", pytest.approx(1500))
    assert many.offered == (
        OfferedRate(50, 0.009), OfferedRate(200, 0.011), OfferedRate(800, math.inf)
    )  # fmt: skip


def test_what_is_no_batch_of_a_kea_does_not_count():
    for parameters in ({"trips": "procedure"}, {"server-time": "1ms"}, {"hook-delay": "5ms"}):
        line = closed("8", 900)
        line["parameters"].update(parameters)
        assert batch_choices(answer_of([closed("1", 400), line])) == []
    assert batch_choices(answer_of([closed("1", 400)])) == []


def test_the_answer_itself_is_that_of_single_commits():
    with_batches = answer_of([closed("1", 400), closed("16", 1500)], clients=1000)
    without = answer_of([closed("1", 400)], clients=1000)
    assert [setup.renewals_per_s for setup in with_batches.setups] == pytest.approx(
        [setup.renewals_per_s for setup in without.setups]
    )


LINES = [
    closed("1", 400), closed("8", 1200), closed("32", 1300),
    *(at_a_rate("1", rate, 4) for rate in (50, 200)),
    *(at_a_rate("8", rate, 40) for rate in (50, 200)),
    *(at_a_rate("32", rate, 600) for rate in (50, 200)),
]  # fmt: skip


def test_explain_names_the_best_point_and_what_it_rests_on():
    outcome = samples.report("answer", "--explain", "--clients=360k", lines=LINES)
    text = words_of(outcome.out)
    assert "renew: --batch=8 is the best point" in text
    assert "99 % are answered within 40.0 ms (measured at 50 and 200/s)" in text
    few = samples.report("answer", "--explain", "--clients=1k", lines=LINES)
    assert "delays were not measured below and above that" in words_of(few.out)


def test_programs_read_the_same():
    outcome = samples.report("answer", "--format=json", "--clients=360k", lines=LINES)
    (choice,) = json.loads(outcome.out)["batches"]
    assert (choice["best"], choice["required_per_s"]) == ("8", 100)
    assert [each["batch"] for each in choice["batches"]] == ["1", "8", "32"]
    assert [each["p99_s"] for each in choice["batches"]] == [0.004, 0.04, 0.6]
