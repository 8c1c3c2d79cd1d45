# SPDX-License-Identifier: ISC
"""ubench_report answer: its options, its forms of output, and lines that runners really write."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import samples
from answers import both, words_of

SWEEP = str(samples.RESULTS / "sweep-2026-11.jsonl")
LINES = (
    both("memfile", renewals=9000, restarts=9000, count=20000)
    + both("mysql", restarts=50)
    + both("pgsql", "bounded", parameters={"preload": "1"})
)


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ([], 2, "a file is missing; try: ubench_report answer"),
        (["--clients=0"], 2, "--clients: '0' is not a whole number in 1.."),
        (["--renew-at=0", "--clients=5"], 2, "--renew-at: '0' is not a share"),
        (["--headroom=0.5", "--clients=5"], 2, "--headroom: '0.5' is not a number in 1..1000000"),
        (["--lease-time=24x", "--clients=5"], 2, "--lease-time: '24x' is not a time"),
        (["--lease-time=0", "--clients=5"], 2, "--lease-time: '0' is not a time in 1s.."),
        (["--sync=5", "--clients=5"], 2, "--sync: '5' is not a time with a unit"),
        (["--restart-of=some", "--clients=5"], 2, "'some' is not known or new"),
        (["--where", "threads=3", SWEEP], 2, "no result has threads=3"),
        (["--where", "thread=3", SWEEP], 2, "no result has 'thread'"),
        (["--kea=x", "--lease-time=2h"], 2, "--lease-time: cannot be used with --kea"),
        (["missing.jsonl"], 1, "missing.jsonl"),
    ],
)
def test_refusals_are_one_line(arguments, status, words):
    outcome = samples.report("answer", *arguments)
    assert (outcome.status, outcome.out) == (status, "")
    assert words in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [("4000", "4000 seconds"), ("3600", "1 hour"), ("0.5h", "30 minutes"), ("100d", None)],
)
def test_a_lifetime_is_in_seconds_as_in_kea_unless_it_has_a_unit(text, words):
    outcome = samples.report("answer", "--clients=5k", f"--lease-time={text}", lines=both())
    assert (outcome.status == 0) == (words is not None)
    if words:
        assert f"leases of {words}," in outcome.out


def test_only_runs_that_are_too_short():
    short = samples.store("mysql", rates=[("renew", 4e4, 3)])
    lines = [short, {**short, "started_at": "2026-11-02T00:00:00Z"}]
    outcome = samples.report("answer", "--clients=5k", lines=lines)
    assert (outcome.status, outcome.out) == (1, "")
    assert "2 runs were too short to count" in outcome.err
    assert "Measure longer" in outcome.err


def test_csv_has_a_row_for_each_setup_and_demand():
    outcome = samples.report("answer", "--format=csv", "--clients=10k", lines=LINES)
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    assert len(rows) == 6
    for row in rows:
        if row["times"]:
            rate = float(row["times"]) * float(row["need_per_s"])
            assert rate == pytest.approx(float(row["rate_per_s"]), abs=1e-3)


def test_json_has_all_digits():
    outcome = samples.report("answer", "--format=json", "--clients=10k", lines=LINES)
    answer = json.loads(outcome.out)
    assert answer["clients"] == 10000
    setups = {setup["store"]: setup for setup in answer["setups"]}
    mysql = setups["mysql"]
    assert (mysql["verdict"], mysql["power_loss"]) == ("without headroom", "nothing")
    assert mysql["times"] == pytest.approx(50 / (10000 / 300))
    assert mysql["rates"]["renewals"]["per_s"] == pytest.approx(100)
    assert setups["pgsql"]["verdict"] == "not known"
    assert [answer["setups"][place]["store"] for place in answer["judged"]] == ["mysql", "pgsql"]


# ---- Lines that runners write

BIN = Path(os.environ.get("BIN", samples.ROOT)).resolve()
needs_memfile = pytest.mark.skipif(
    not (BIN / "memfile_ubench").exists(), reason="memfile_ubench is not built"
)


def measured(folder: Path, *options: str) -> samples.Line:
    """A line of memfile that is long enough to count, by what it says of its durability."""
    done = subprocess.run(
        [BIN / "memfile_ubench", "-n", "10", "--json", *options],
        cwd=folder, check=True, capture_output=True, text=True,
    )  # fmt: skip
    line: dict[str, Any] = json.loads(done.stdout)
    return {**samples.store(), "durability": line["durability"]}


def explained(line: samples.Line) -> str:
    return samples.report("answer", "--explain", "--clients=100", lines=[line]).out


@needs_memfile
@pytest.mark.parametrize("sync", ["yes", "no", "volatile"])
def test_words_of_the_runner_change_no_verdict_and_settings_are_shown(tmp_path, sync):
    line = measured(tmp_path, "-s", sync)
    durability = line["durability"]
    reworded = {**durability, "from": "in words that nobody has written before"}
    assert explained({**line, "durability": reworded}) == explained(line)
    added = [*durability["settings"], {"name": "a_new_setting", "value": "whatever"}]
    shown = words_of(explained({**line, "durability": {**durability, "settings": added}}))
    assert "a_new_setting whatever" in shown
    assert durability["class"] in shown
