# SPDX-License-Identifier: ISC
"""Lines of duels, and of crashes: sides as observations, and damage that no schema sees."""

from __future__ import annotations

from typing import Any

import pytest
import samples
from samples import even_slices, slice_row

from ubench.records.crash import Crash
from ubench.records.duel import Duel, Slice, whole_blocks
from ubench.records.observation import Amount, Block, DurabilityClass, How, Origin, Sample
from ubench.records.schema import Damaged


def read(line: samples.Line) -> Duel:
    duel = samples.parse(line)
    assert isinstance(duel, Duel)
    return duel


def samples_of(duel: Duel, side: int) -> tuple[Sample, ...]:
    observation = duel.sides[side].observation
    assert observation is not None
    return observation.samples


def test_slices_and_blocks() -> None:
    rows = [*even_slices(2, (10, 20, 10)), slice_row(1, 5)]
    duel = read(samples.duel(rows, 3, twin=True, incomplete=True))
    assert duel.slices[0] == Slice(0, 10, 10**9, 5 * 10**8, None, 10, 10**8, None)
    blocks = whole_blocks(duel.slices, len(duel.sides))
    assert [[each.side for each in block] for block in blocks] == [[0, 1, 2, 2, 1, 0]] * 2
    assert [side.twin for side in duel.sides] == [False, False, True]


def test_slices_of_former_versions_are_shorter() -> None:
    rows = [row[:9] for row in even_slices(1, (10, 20))]
    first = read(samples.duel(rows)).slices[0]
    assert (first.round, first.log_bytes) == (0, None)


def test_a_side_has_a_sample_for_each_block() -> None:
    duel = read(samples.duel([slice_row(0, 10), slice_row(1, 30), slice_row(1, 10),
                              slice_row(0, 20), *even_slices(2, (10, 20))]))
    first, *others = samples_of(duel, 0)
    assert first == Sample(
        name="renew",
        rate=15,
        how=How.ALONE,
        operations=30,
        elapsed_s=2,
        leases=100000,
        run=0,
        block=Block(f"duel {samples.STARTED_AT}", "1", "1"),
        amount=Amount(70, 6),  # of the whole side
    )
    assert [(each.run, each.rate) for each in others] == [(1, 10), (2, 10)]
    assert [each.rate for each in samples_of(duel, 1)] == [20, 20, 20]
    observation = duel.sides[1].observation
    assert observation is not None
    assert (observation.origin, observation.side) == (Origin.DUEL, 1)


def test_of_several_rounds_a_side_has_a_sample_for_each() -> None:
    rows = [*even_slices(3, (10, 20)), *even_slices(2, (30, 20), round_=1)]
    assert [each.rate for each in samples_of(read(samples.duel(rows)), 0)] == [10, 30]


@pytest.mark.parametrize(
    "result",
    [
        samples.store(runs=[samples.run(samples.phase("renew", 1), samples.phase("dora", 1))]),
        samples.store(runs=[samples.run(samples.phase("renew", 1), incomplete=True)]),
    ],
)
def test_a_mix_or_a_side_that_was_cut_short_has_no_samples(result: samples.Line) -> None:
    line = samples.duel(even_slices(2, (10, 20)))
    line["sides"][1]["result"] = result
    assert samples_of(read(line), 1) == ()


def test_observations_of_sides_leave_out_the_twin_and_sides_without_result() -> None:
    line = samples.duel(even_slices(2, (10, 20, 10)), 3, twin=True)
    assert [each.side for each in samples.read_lines([line]).all_observations()] == [0, 1]
    line["sides"][1]["result"] = None
    assert [each.side for each in samples.read_lines([line]).all_observations()] == [0]
    records = samples.read_lines([line, samples.store()])
    assert [each.side for each in records.all_observations()] == [None, 0]
    assert samples.read_lines([samples.duel([])]).all_observations() == ()


def change(row: int, column: int, value: Any) -> samples.Line:
    line = samples.duel(even_slices(2, (10, 20)))
    line["slices"][row][column] = value
    return line


def with_rows(rows: list[list[int | None]], **members: Any) -> samples.Line:
    return samples.duel(rows, **members)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (change(1, 2, 0), "slices[1]: took no time"),
        (change(1, 1, None), "slices[1]: has null"),
        (change(1, 9, None), "slices[1]: has null"),
        (change(1, 1, 0.5), "slices[1][1]: is not a whole number"),
        (change(1, 1, -5), "slices[1][1]: is -5"),
        (change(0, 0, 2), "slices[0]: the block has an unknown side"),
        (change(0, 0, 1), "slices[0]: the block has not each side twice"),
        (change(0, 9, 1), "slices[0]: the rounds are not"),
        (with_rows(even_slices(1, (1, 2), round_=1)), "slices[0]: the rounds are not"),
        (with_rows([*even_slices(1, (1, 2)), *even_slices(1, (1, 2), round_=2)]),
         "slices[4]: the rounds are not"),
        (with_rows([*even_slices(1, (1, 2), round_=0), slice_row(0, 5)]),
         "slices[4]: the last block is cut short"),
        (with_rows([slice_row(side, 5) for side in (0, 1, 0, 1)]),
         "slices[0]: the block has not each side twice"),
    ],
)
def test_slices_that_are_not_of_these_sides_are_refused(line: samples.Line, why: str) -> None:
    with pytest.raises(Damaged) as caught:
        read(line)
    assert str(caught.value).startswith(why)


def test_a_damaged_result_of_a_side_is_named() -> None:
    line = samples.duel([])
    line["sides"][1]["result"] = {**samples.store(), "runs": []}
    with pytest.raises(Damaged, match=r"^sides\[1\]\.result\.runs: has 0 items"):
        read(line)


def test_only_one_other_side_is_a_twin() -> None:
    for twins in ((0,), (1, 2)):
        line = samples.duel([], 3)
        for number in twins:
            line["sides"][number]["twin"] = True
        with pytest.raises(Damaged, match="sides: the first side, or several, are twins"):
            read(line)


# ---- Crashes


def test_a_crash() -> None:
    crash = samples.parse(samples.crash(
        "x", "3", "bounded", "hole", 5, "loses at 3", why="x",
        operations={"acknowledged": 9, "unanswered": 0, "late": 0, "lost": 5, "holes": 1,
                    "torn_batches": 2}))
    assert isinstance(crash, Crash)
    assert (crash.cell, crash.level, crash.control) == ("x", "3", "loses at 3")
    assert (crash.verdict, crash.cls) == ("hole", DurabilityClass.BOUNDED)
    assert (crash.store, crash.product, crash.batch) == ("sqlite", "SQLite 3.40.1", 1)
    assert (crash.window_ns, crash.window_operations, crash.recovery_ns) == (5000, 5, 2000000)
    assert crash.torn_batches == 2
    assert crash.durability_text == "bounded settings"


def test_a_server_that_did_not_start_again_told_no_settings() -> None:
    line = samples.crash("x", verdict="corrupt")
    short = {name: line[name] for name in ("format", "store", "labels", "verdict", "why")}
    crash = samples.parse(short)
    assert isinstance(crash, Crash)
    assert (crash.cls, crash.durability_text) == (None, "")
    assert (crash.batch, crash.window_ns) == (None, None)
