# SPDX-License-Identifier: ISC
"""show: everything in a result."""

from __future__ import annotations

import re

import pytest
import samples
from samples import goal, open_run, phase, run, store, storm, trial

from ubench import units


def published_cell(**parameters):
    """The first cell of the published sweep with these parameters, or of this store."""
    for line in samples.published("sweep-2026-11"):
        known = {**line["parameters"], "store": line["store"]}
        is_one = all(known.get(name) == value for name, value in parameters.items())
        if is_one and line["labels"]["role"] == "cell":
            return line
    raise LookupError(parameters)


@pytest.mark.parametrize(
    "parameters", [{"store": "mysql", "workload": "renew"}, {"workload": "phases"}]
)
def test_everything_in_a_line(parameters):
    line = published_cell(**parameters)
    out = samples.report("show", lines=[line]).out
    flat = " ".join(out.split())
    for place in ("parameters", "labels", "host"):
        for name, value in line[place].items():
            assert f"{name}={' '.join(value.split())}" in flat
    for each in line["runs"][0]["phases"]:
        assert units.count(each["operations"]) in out
        rate = each["operations"] * 1e9 / each["elapsed_ns"]
        assert units.figure(rate) in out
        for name in ("p50", "p95", "p99", "p99.9", "p99.99", "min", "max", "mean", "sd"):
            value = each["latency"][f"{name}_ns"]
            assert ("n/a" if value is None else units.time(value)) in out
    assert line["runs"][0]["digest"] in out
    assert max(map(len, out.splitlines())) <= 80


def test_runs_have_a_mean_and_a_median_with_intervals():
    runs = [run(phase("create", rate)) for rate in (90, 100, 110, 104, 96, 1)]
    out = samples.report("show", lines=[store(runs=runs, parameters={"repeat": "6"})]).out
    assert "6 of 6" in out
    for pattern in (
        r"mean +97\.50 +97\.50",
        r"\+- 95 % +(\d+\.\d\d) +\1",
        r"median +98\.00",
        r"its interval \(96\.9 %\) +1\.000 to 110\.0",
    ):
        assert re.search(pattern, out)


def test_a_few_runs_stand_for_themselves():
    runs = [run(phase("create", rate)) for rate in (90, 100)]
    out = samples.report("show", lines=[store(runs=runs, parameters={"repeat": "3"})]).out
    assert "incomplete      2 of 3" in out
    assert re.search("run 2 +100.0", out)


def test_an_incomplete_run_is_shown():
    cut = run(phase("create", 100, incomplete=True), phase("search", 1, 0), incomplete=True)
    out = samples.report("show", lines=[store(runs=[cut], error="it failed")]).out
    assert "create (incomplete)" in out
    assert re.search("error +it failed", out)


def test_steps_counts_and_costs():
    step = {"name": "find", "operation": "find_by_address", "count": 10, "hits": 9, "misses": 1,
            "latency": None, "predicted": 11.6}  # fmt: skip
    usage = {
        "user_ns": 2_000_000,
        "system_ns": 0,
        "voluntary_switches": 1000,
        "involuntary_switches": 500,
        "written_bytes": None,
        "disk_bytes": None,
        "fdatasyncs": None,
        "max_rss_bytes": 5,
    }
    line = store(runs=[run(phase("renew", 100, steps=[step], usage=usage, deadlocks=3))])
    out = samples.report("show", lines=[line]).out
    assert re.search(r"steps of renew +operation +count", out)
    assert re.search(r"predicted +find_by_address +12", out)
    assert "deadlocks 3" in out
    assert "for each operation: user 2.00 us, system 0.00 ns, " in " ".join(out.split())


def test_an_open_loop():
    lossy = trial(answered=399, offered=400, dropped=1, bad_share=1 / 400)
    line = store(runs=[open_run("renew", [lossy])])
    out = samples.report("show", lines=[line]).out
    assert re.search(r"offered +400\n(.*\n)*bad share +0.25 %", out)
    assert "closed loop     rate per s 900.0, failed 0" in out


def test_a_search_and_a_storm():
    judged = [{"goal": "1 %", "late": 0, "bad_share": 0.02, "grew": False, "met": False}]
    searched = open_run("renew", [trial(stage="search", judged=judged)], goals=[goal("1 %", 9, 10)])
    assert re.search(r"search +200.0 +2.00 s +400 +2 % no", samples.report(
        "show", lines=[store(runs=[searched])]).out)  # fmt: skip
    stormy = open_run("dora", [trial(None, seconds=[[60, 0, 5], [0, 0, 0], [40, 0, 5]])],
                      storm=storm(served_100_ns=None))  # fmt: skip
    out = samples.report("show", lines=[store(runs=[stormy])]).out
    assert re.search("served 100 +never", out)
    assert re.search("answers in second +measured +predicted\n1 +60 +0\n3 +40 +0\n", out)


def test_a_server_has_its_tables():
    assert "DHCP server" in samples.report("show", lines=[samples.server()]).out


def test_one_line_of_several():
    lines = [store(rates=[("renew", rate)]) for rate in (100, 200, 300)]
    second = samples.report("show", "--line=2", lines=lines).out
    assert second == samples.report("show", lines=lines[1:2]).out
    outcome = samples.report("show", "-l", "9", lines=lines)
    message = "ubench_report show: --line: there is no result in line 9; leave it out to show all\n"
    assert (outcome.status, outcome.err) == (1, message)


def test_runs_with_other_phases_are_left_out():
    runs = [run(phase("renew", 1)), run(phase("renew", 1), phase("dora", 1))]
    outcome = samples.report("show", lines=[store(runs=runs), store()])
    assert "its runs do not have the same phases; left out" in outcome.err
