# SPDX-License-Identifier: ISC
"""The tables of the guide, and those of open loops."""

from __future__ import annotations

import csv
import io
import re

import pytest
import samples
from samples import goal, open_run, phase, run, store, storm, trial

from ubench.report import trial_tables

NUMBER = re.compile(r"(?<![\w.])\d[\d,]*\.?\d*(?:e[-+]?\d+)?")


def runs_of_a_store(count, **members):
    """Lines with rates that grow from 100 and 1,000 by one from line to line."""
    return [
        store(
            started_at=f"2026-11-01T00:00:{number:02}Z",
            rates=[("create", 100 + number), ("search", 1000 + number)],
            **members,
        )
        for number in range(count)
    ]


def tables(*lines, form="text"):
    """What is printed of these lines, without columns."""
    outcome = samples.report("tables", f"--format={form}", lines=lines)
    assert outcome.status == 0
    return re.sub(" +", " ", outcome.out)


@pytest.mark.parametrize(
    "row",
    [
        "mysql 1,000 1 31.603978 0.116612 27.964191 27.695209",
        "mysql 1,000 1 31.64 8575.45 35.76 36.11 2169.74",
        "sqlite 1,000 1 16.28 30045.37 16.81 17.85 7524.08",
        "memfile 1,000 1 23.97 1381215.47 23.66 23.71 345321.70",
    ],
)
def test_the_figures_of_2012(row):
    """Tables 3.1 to 3.3 of the guide, to its digits, from the times that it published."""
    outcome = samples.report("tables", str(samples.RESULTS / "guide-2012.jsonl"))
    assert (outcome.status, outcome.err) == (0, "")
    assert row in re.sub(" +", " ", outcome.out)


LINES = [*runs_of_a_store(7), *runs_of_a_store(2, name="sqlite", cls="bounded")]


def test_text_and_markdown_have_the_same_figures():
    text, marked = (tables(*LINES, form=form) for form in ("text", "markdown"))
    assert set(NUMBER.findall(text)) == set(NUMBER.findall(marked))


def test_csv_has_a_row_for_each_phase():
    rows = list(csv.DictReader(io.StringIO(tables(*LINES, form="csv"))))
    assert [(row["class"], row["store"], row["phase"], row["runs"]) for row in rows] == [
        ("power-safe", "memfile", "create", "7"),
        ("power-safe", "memfile", "search", "7"),
        ("bounded", "sqlite", "create", "2"),
        ("bounded", "sqlite", "search", "2"),
    ]
    assert float(rows[0]["rate_per_s"]) == pytest.approx(103)  # the median
    assert float(rows[0]["rate_low"]) == pytest.approx(100)
    assert float(rows[0]["time_s"]) == pytest.approx(1000 / 103)
    assert rows[0]["operations"] == "1000"
    assert rows[2]["rate_low"] == ""  # of two runs there is no interval


def test_figures_of_a_group_are_medians():
    text = tables(*LINES)
    assert "memfile 1,000 7 9.709 0.997 5.353" in text  # seconds, and their average
    # Rates, their average, overall, and the interval of overall.
    assert "memfile 1,000 7 103.0 1,003 553.0 186.8 181.8 to 191.8" in text
    assert "sqlite 1,000 2 100.5 1,001 550.5 182.7" in text


def test_groups_are_configurations_and_labels_say_what_differs():
    lines = [
        store(parameters={"threads": threads, "seed": seed})
        for threads in ("16", "4")
        for seed in "12"
    ]
    text = tables(*lines)
    assert "power-safe, renew: " in text
    assert "memfile, threads=4 1,000 2 " in text
    assert "memfile, threads=16 1,000 2 " in text


def test_phases_that_ran_together_have_one_time():
    mix = run(phase("renew", 100), phase("dora", 50, 500), together=True)
    text = tables(store(runs=[mix]))
    assert "time [s] exchanges runs all\nmemfile 1,500 1 10" in text
    assert "rate [exch/s] exchanges runs renew dora overall" in text


def test_levels_of_a_pool_have_no_figure_in_common():
    levels = run(phase("10 %", 100), phase("90 %", 10))
    text = tables(store(runs=[levels], parameters={"workload": "fill"}))
    assert "runs 10 % 90 %\n" in text


def test_lost_races_are_noted():
    def line(twice):
        counts = {"offered": 1200, "offered_twice": twice, "lost": twice // 2, "lost_on_insert": 0}
        runs = [run(phase("dora", 100, allocation=counts)) for _ in range(2)]
        return store(runs=runs, parameters={"allocator": "random", "twice": str(twice)})

    text = " ".join(tables(line(30), line(0)).split())
    assert "of 2,400 offers 30 were lost to another client, 60 met one" in text
    assert text.count("lost to another") == 1


def test_notes():
    cut = run(phase("create", 1), phase("search", 1), incomplete=True)
    whole = run(phase("create", 100), phase("search", 5))
    warning = {"code": "load", "text": "it was busy"}
    text = tables(store(runs=[whole, cut], warnings=[warning]))
    assert "memfile: 1 incomplete run left out" in text
    assert "note memfile: it was busy" in text


def test_of_many_warnings_one_is_printed():
    lines = [store(warnings=[{"code": "load", "text": f"busy {n}"}]) for n in range(5)]
    assert "5 of 6 results have a warning, such as: busy 0" in tables(*lines, store())


def test_the_loss_of_a_node_has_a_column():
    kept = samples.durability("power-safe", node_loss={"loss": "nothing"})
    text = tables(store("mysql", durability=kept))
    assert "overall node loss\n" in text
    assert " survived\n" in text
    assert "node loss what happens to acknowledged changes" in text


# ---- Open loops


def open_store(**members):
    return store("mysql", runs=[open_run("dora-known", **members)])


def test_a_trial_at_a_rate():
    lossy = trial(answered=399, dropped=1, offered=400, verdict="not-in-time", bad_share=1 / 400)
    text = tables(open_store(trials=[lossy]))
    assert text.startswith("open loop, power-safe")
    assert "mysql 200.0 199.5 400 0 1 n/a n/a" in text
    assert "not in time" in text


def test_a_storm():
    text = tables(
        open_store(trials=[trial(None)], storm=storm(served_100_ns=None)), form="markdown"
    )
    assert "| mysql | 100 | 100 | 100 | 0.000 | 0.000 | never | n/a |" in text


@pytest.mark.parametrize(
    ("stage", "members", "incomplete", "verdict"),
    [
        ("search", {}, False, "confirmed"),
        ("fine", {}, False, "confirmed by an earlier search, which finds too much"),
        ("search", {"verified": False}, False, "not confirmed"),
        ("verify", {"invalid": True}, False, "limited by the load generator"),
        ("search", {}, True, "the search was interrupted"),
    ],
)
def test_a_search_says_whose_limit_it_found(stage, members, incomplete, verdict):
    line = open_store(
        trials=[trial(stage=stage)], goals=[goal("1 % in 1 s", 500, 520, **members)],
        incomplete=incomplete,
    )  # fmt: skip
    observation = samples.observe(line)
    (searched,) = observation.runs
    loop = searched.open_loop
    text = trial_tables.verdict_of_goal(searched, loop, loop.goals[0])
    assert text.startswith(verdict)
    row = f"| mysql | 1 % in 1 s | 500.0 | 520.0 | 500.0 | {text} |"
    assert row in tables(line, form="markdown")


def test_csv_has_no_rates_that_were_requested():
    lines = [open_store(), *runs_of_a_store(1)]
    outcome = samples.report("tables", "--format=csv", lines=lines)
    assert outcome.status == 0
    assert "the rate of an open loop was requested, not reached; left out" in outcome.err
    assert len(outcome.out.splitlines()) == 3


def test_reference_runs_are_left_out():
    reference = store("null", "none", labels={"role": "reference"})
    assert "null" not in tables(reference, store())
    assert "null" in tables(reference)
