# SPDX-License-Identifier: ISC
"""Losses in crashes, by themselves and beside the rates of the same settings."""

from __future__ import annotations

import pytest
import samples
from samples import controls, crash, many

from ubench.records.observation import DurabilityClass
from ubench.report import crashes
from ubench.report.crashes import NoVerdict


def gather(*lines):
    return crashes.gather(samples.read_lines(lines).crashes)


def find(cells, name):
    return next(cell for cell in cells if cell.name == name)


def test_counts():
    invalid = {**crash("x"), "verdict": "invalid", "why": "no disk"}
    torn = crash("x", verdict="hole", lost=2)
    torn["operations"]["torn_batches"] = 1
    lines = [*many(crash("x"), 3), invalid, torn, crash("x", verdict="corrupt")]
    cell = find(gather(*controls(), *lines), "x")
    assert (len(cell.judged), cell.lossy, cell.invalid, cell.torn) == (5, 2, 1, 1)
    assert (cell.count("hole"), cell.count("corrupt")) == (1, 1)
    assert cell.cls is DurabilityClass.POWER_SAFE


def test_none_of_59_is_five_percent_at_most():
    cell = find(gather(*controls(), *many(crash("x"), 59)), "x")
    assert cell.bound == pytest.approx(0.0495, abs=1e-4)


def test_levels_in_order_and_settings_that_changed():
    cells = gather(
        crash("x", "3"), crash("x", "1b"), crash("x", "1"), crash("x", "1", "volatile")
    )
    assert [cell.level for cell in cells] == ["1", "1b", "3"]
    assert [cell.class_name for cell in cells] == ["mixed", "power-safe", "power-safe"]


LOSES, KEEPS = controls()


@pytest.mark.parametrize(
    ("lines", "doubt"),
    [
        ([], NoVerdict.NO_KEEPING_CONTROL),
        ([LOSES], NoVerdict.NO_KEEPING_CONTROL),
        ([KEEPS], NoVerdict.NO_LOSING_CONTROL),
        ([LOSES, KEEPS], None),
        ([{**LOSES, "verdict": "kept"}, KEEPS], NoVerdict.NOTHING_LOST),
        ([LOSES, {**KEEPS, "verdict": "lost"}], NoVerdict.SOMETHING_LOST),
    ],
)
def test_a_level_whose_controls_did_not_pass_has_no_verdict(lines, doubt):
    assert find(gather(crash("x"), *lines), "x").doubt is doubt


def test_controls_of_another_level_do_not_count():
    cells = gather(*controls("1"), crash("x", "2"), crash("x", "1b"))
    assert [cell.doubt is None for cell in cells] == [True, True, True, False]


@pytest.mark.parametrize(
    ("level", "cls", "contradicts"),
    [
        ("2", "power-safe", True),
        ("2", "bounded", False),
        ("1", "bounded", True),
        ("1", "process-safe", True),
        ("1", "volatile", False),
        ("4", "power-safe", False),
    ],
)
def test_a_contradiction(level, cls, contradicts):
    cell = find(gather(*controls(level), crash("x", level, cls, "lost", 7)), "x")
    assert cell.contradicts_its_class is contradicts


def losses_beside(version="3.40.1", cls="power-safe", text="", **members):
    """What the crashes of SQLite 3.40.1 say beside a result of these settings."""
    cells = gather(
        *controls(),
        *many(crash("good"), 3),
        *many(crash("bad", verdict="lost", lost=1), 2),
        *many(crash("rare", verdict="lost", lost=1), 3),
        *many(crash("rare", window_ns=0), 9),
    )
    line = samples.former_store("sqlite", cls, text, facts={"SQLite": version}, **members)
    return crashes.tested(cells, samples.observe(line))


def test_a_result_of_today_has_the_text_of_its_settings():
    cells = gather(*controls(), *many(crash("x"), 3))
    line = samples.store("sqlite", facts={"SQLite": "3.40.1"})
    line["product"] = {"name": "SQLite", "version": "3.40.1", "keeper": "sqlite"}
    assert crashes.tested(cells, samples.observe(line)).startswith("power cut 0 of 1 (")
    line["durability"]["from"] = "other words"
    assert crashes.tested(cells, samples.observe(line)) == ""


DURABLE = {
    "class": "power-safe", "from": "words of a version", "kill": {"loss": "nothing"},
    "power": {"loss": "nothing"},
    "settings": [{"name": "journal_mode", "value": "wal"}, {"name": "synchronous", "value": "2"}],
    "reasons": [],
}


@pytest.mark.parametrize(
    ("changes", "is_same"),
    [
        ({}, True),
        ({"from": "other words"}, True),
        ({"settings": [{"name": "journal_mode", "value": "wal", "label": "wal"},
                       {"name": "synchronous", "value": "2", "decisive": True}]}, True),
        ({"settings": DURABLE["settings"][:1]}, False),
        ({"settings": [*DURABLE["settings"][:1], {"name": "synchronous", "value": "3"}]}, False),
        ({"reasons": ["wal-reset-bug"]}, False),
        ({"class": "bounded"}, False),
    ],
)
def test_data_is_compared_and_no_words(changes, is_same):
    cells = gather(*controls(), *many(crash("x", durability=DURABLE), 3))
    line = samples.store("sqlite", facts={"SQLite": "3.40.1"})
    line["product"] = {"name": "SQLite", "version": "3.40.1", "keeper": "sqlite"}
    line["durability"] |= DURABLE | changes
    assert bool(crashes.tested(cells, samples.observe(line))) is is_same


def test_settings_that_changed_are_mixed_whatever_the_words():
    other = DURABLE | {"settings": DURABLE["settings"][:1]}
    same = DURABLE | {"from": "other words"}
    for durability, name in ((same, "power-safe"), (other, "mixed")):
        cells = gather(crash("x", durability=DURABLE), crash("x", durability=durability))
        assert cells[0].class_name == name


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({}, "power cut 2 of 2 (at most 100 %)"),
        ({"version": "3.40"}, ""),
        ({"version": "3.41.0"}, ""),
        ({"cls": "bounded"}, ""),
        ({"text": "other settings"}, ""),
        ({"parameters": {"workload": "renew", "batch": "10"}}, ""),
    ],
)
def test_only_the_same_settings_product_and_batch_are_beside(members, text):
    assert losses_beside(**members) == text


LOST = [*controls(), *many(crash("x", verdict="lost", lost=7), 2)]


@pytest.mark.parametrize("command", ["crashes", "tables"])
def test_a_contradiction_is_printed_first(command):
    outcome = samples.report(command, lines=LOST)
    assert outcome.status == 0
    assert outcome.out.startswith("CONTRADICTION: x is power-safe by its settings, and lost")
    assert "2 of 2  100.00 %" in outcome.out


def test_remarks_of_cells():
    lines = [*controls(), *many(crash("x", verdict="hole"), 2), crash("x", verdict="corrupt")]
    out = " ".join(samples.report("crashes", "--format=markdown", lines=lines).out.split())
    assert "| control: must lose |" in out
    assert "| control: must not lose |" in out
    assert "| 2 with holes, 1 corrupt |" in out
    assert "| 40 [40-40] | 0.0 [0.0-0.0] | 2.0 [2.0-2.0] |" in out


def test_a_level_without_verdict_fails():
    outcome = samples.report("crashes", lines=[crash("x")])
    assert outcome.status == 1
    assert "no verdict: no control that must not lose was run" in " ".join(outcome.out.split())
    outcome = samples.report("crashes", "--format=csv", lines=[crash("x")])
    assert outcome.status == 1
    assert outcome.out.endswith(",1,,,,,0,no control that must not lose was run\n")


def test_no_crashes():
    outcome = samples.report("crashes", lines=[samples.store()])
    assert outcome.status == 1
    assert "there are no crashes in" in outcome.err
