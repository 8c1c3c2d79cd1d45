# SPDX-License-Identifier: ISC
"""ubench_report duels: how duels are printed, and what a reader of the ratios has to know."""

import csv
import io
import math
import re
from dataclasses import replace

import duel_samples
import pytest
import samples
from duel_samples import make_line, make_slices

from ubench import stats
from ubench.report.duel.statistics import DuelStatistics
from ubench.report.duel.words import (
    RUNNER_TIME,
    SPEED,
    difference_text,
    difference_with_interval,
    percent,
)
from ubench.report.duels import work_table

SLOWER = make_slices(40, (1, 0.9, 1), 8, noise=0.02)


def text(*lines, words=()):
    done = samples.report("duels", *words, lines=lines)
    assert (done.status, done.err) == (0, "")
    return done.out


def contrast(ratio, low, high):
    return stats.Contrast(9, (9, 9), ratio=ratio, interval=stats.Interval(low, high), p=0.001)


# ---- Words


@pytest.mark.parametrize(
    ("ratio", "low", "high", "wording", "wanted"),
    [
        (0.949, 0.94, 0.958, SPEED, "5.1 % slower (4.2 % to 6.0 %)"),
        (1.2, 1.1, 1.3, SPEED, "20.0 % faster (10.0 % to 30.0 %)"),
        (3, 2.5, 3.5, SPEED, "3.000 times as fast (2.500 to 3.500 times)"),
        (0.25, 0.2, 0.4, SPEED, "4.000 times slower (2.500 to 5.000 times)"),
        (
            1.1,
            1.05,
            1.15,
            RUNNER_TIME,
            "takes 10.0 % more of the runner's CPU time for each operation (5.0 % to 15.0 %)",
        ),
        (0.99, 0.98, 1.01, SPEED, "no difference shown: it is below 2.0 %"),
    ],
)
def test_a_difference_is_said_with_its_interval(ratio, low, high, wording, wanted):
    assert difference_with_interval(contrast(ratio, low, high), None, wording) == wanted


def test_a_difference_below_that_of_the_null_is_not_shown():
    null = contrast(0.9, 0.88, 0.92)
    difference = contrast(0.949, 0.94, 0.958)
    assert difference_text(difference, null) == "no difference shown: it is below 13.6 %"


def test_too_few_blocks_are_said():
    assert difference_text(stats.Contrast(4, (8, 8), ratio=0.5), None).startswith("not enough: 4")


@pytest.mark.parametrize(
    ("ratio", "wanted"), [(1.0052, "0.52 %"), (0.949, "5.1 %"), (1.99999, "100 %"), (1, "0.00 %")]
)
def test_per_cent(ratio, wanted):
    assert percent(ratio) == wanted


# ---- One duel


def test_the_screen_of_a_duel():
    out = text(make_line(SLOWER))
    assert re.search(r"B against A +(9\.\d|10\.\d|10) % slower \(", out)
    assert re.search(r"null +A against A: 0\.9\d\d to \d\.\d\d\d", out)
    assert max(map(len, out.splitlines())) <= 80


def test_processor_time_decides_where_the_rate_does_not():
    slices = [
        replace(turn, cpu_ns=round(turn.operations * (550 if turn.side == 1 else 500)))
        for turn in make_slices(40, (1, 1, 1), 8, noise=0.3)
    ]
    assert re.search(r"processor +B takes 10\.\d % more of the runner's", text(make_line(slices)))
    assert "processor  " not in text(make_line(SLOWER))


def doubts(slices, **members):
    """The text without line ends, which ends with doubts and their labels."""
    return " ".join(text(make_line(slices, **members)).split())


def test_stalls_are_said():
    slices = make_slices(20, (1, 1), 3, noise=0)
    place = next(place for place, turn in enumerate(slices) if turn.side == 1)
    slices[place] = replace(slices[place], elapsed_ns=40 * slices[place].elapsed_ns)
    assert "stalls over the whole time the ratio of B is 0.506" in doubts(slices)


def test_a_carry_over_is_said():
    slices = make_slices(100, (1, 1), 6)
    indebted = [
        turn
        if place and slices[place - 1].side == turn.side
        else replace(turn, operations=round(turn.operations * 0.9))
        for place, turn in enumerate(slices)
    ]
    assert re.search(r"carry-over A is 1\.\d+ to 1\.1", doubts(indebted))


def test_operations_that_were_given_up_are_said():
    slices = [replace(turn, errors=turn.side) for turn in make_slices(3, (1, 1), 3)]
    assert "errors the store gave up 6 operations of B" in doubts(slices)


def test_an_interrupted_duel_is_said():
    assert "incomplete the duel was interrupted" in doubts(SLOWER, incomplete=True)


def test_classes_that_differ_are_said():
    line = make_line(SLOWER)
    line["sides"][1]["result"]["durability"] = samples.durability("bounded")
    assert "durability differs: bounded, power-safe" in " ".join(text(line).split())


def test_the_work_of_servers_is_that_of_all_slices():
    """The syncs and bytes of a binary log are not counted."""
    slices = [
        replace(
            turn,
            operations=100,
            elapsed_ns=10**9,
            syncs=150 + 50 * turn.side,
            log_bytes=12350,
            cpu_ns=10**6,
            p50_ns=None,
        )
        for turn in make_slices(3, (1, 1, 1), 7)
    ]
    line = make_line(slices)
    binary_log = [{"name": "sync_binlog", "value": "1"}]
    line["sides"][1]["result"] = samples.store(
        "mysql",
        durability=samples.durability("power-safe", settings=binary_log),
        runs=[samples.run(samples.phase("renew", 100), operations=1000, store_operations=3000)],
    )
    line["sides"][0]["result"] = None
    assert rows(line) == [
        ["A side 0", "n/a", "1.500", "123.5"],
        ["B side 1", "3.000", "2.000 + binlog", "123.5"],
    ]
    line["sides"][1]["result"]["product"]["name"] = "MySQL"
    assert rows(line)[1][3] == "123.5 + binlog"
    next(row for row in reversed(line["slices"]) if row[0] == 0)[10] = None
    del line["sides"][1]["result"]["runs"][0]["store_operations"]  # of searches
    assert (rows(line)[0][3], rows(line)[1][1]) == ("n/a", "1.000")


def test_a_servers_own_work_counts_beside_exchanges_that_share_round_trips():
    step = {"name": "reclaim", "operation": "update", "count": 1010, "hits": 1010, "misses": 0}
    phases = [
        samples.phase("renew", 100, 90, round_trips=90),
        samples.phase("reclaim", 100, 10, steps=[{**step, "latency": None}]),
    ]
    line = make_line([*SLOWER])
    for turn in line["slices"]:
        turn[10] = 1000
    line["sides"][1]["result"] = samples.store(
        "pgsql", runs=[samples.run(*phases, operations=100, store_operations=1280)]
    )
    assert rows(line)[1][1] == "11.00"
    parameters = line["sides"][1]["result"]["parameters"]
    parameters["allocator"] = "shared-flq"
    assert rows(line)[1][1] == "n/a"
    parameters["trips"] = "procedure"
    assert rows(line)[1][1] == "11.00"


def rows(line):
    duel = duel_samples.read(line)
    table = work_table(duel, DuelStatistics.from_duel(duel))
    return [[cell.text for cell in row] for row in table.rows]


def test_no_character_of_a_file_reaches_the_terminal_raw():
    line = make_line(SLOWER)
    line["sides"][1].update(name="\33[31mx", command="a\7b")
    assert not re.search("[\33\7]", text(line))


# ---- Instructions


def counted_line(ratio, **members):
    """A duel with instructions, in which B takes `ratio` times as many as A and its twin."""
    slices = [
        replace(turn, instructions=round(turn.operations * 5000 * (ratio if turn.side == 1 else 1)))
        for turn in make_slices(12, (1, 0.5, 1), 8, noise=0.3)
    ]
    return make_line(slices, **members)


def test_a_duel_under_valgrind_is_of_instructions_alone():
    out = text(counted_line(1.01, valgrind=True))
    assert re.search(r"B against A +takes 1\.0 % more instructions for each operation", out)
    assert re.search(r"measured +by valgrind: 72 slices of \d+ operations", out)
    for words in ("per second", "CPU", "slower", "stalls", "carry-over"):
        assert words not in out
    assert "no difference shown: it is below 0.10 %" in text(counted_line(1, valgrind=True))


def test_instructions_are_a_row_of_other_duels():
    out = text(counted_line(1.01))
    assert re.search("^instructions +5,000 +5,050 +1.010 ", out, re.MULTILINE)
    assert re.search("B against A .* slower", out)
    assert "takes 1.0 % more instructions" in text(
        counted_line(1.01), words=("--figure", "instructions")
    )


def test_a_duel_under_valgrind_has_no_rates():
    line = counted_line(1.01, valgrind=True)
    assert samples.read_lines([line]).all_observations() == ()
    assert samples.read_lines([counted_line(1.01)]).all_observations() != ()


# ---- Several duels


def test_several_duels_are_a_history():
    lines = [
        make_line(make_slices(20, (1, 0.9), day), started_at=f"2026-11-2{day}T00:00:00Z")
        for day in (3, 1, 2)
    ]
    out = text(*lines, words=("--format", "csv"))
    begun = [row["begun"] for row in csv.DictReader(io.StringIO(out))]
    assert [day[:10] for day in begun] == ["2026-11-21", "2026-11-22", "2026-11-23"]
    row = next(csv.DictReader(io.StringIO(out)))
    assert row["version"] == "sqlite 1.0, 0.1.0"
    assert math.isclose(float(row["ratio"]), 0.9, rel_tol=0.1)


def test_a_file_without_duels():
    done = samples.report("duels", lines=[samples.store()])
    assert done.status == 1
    assert "there is no duel in" in done.err
