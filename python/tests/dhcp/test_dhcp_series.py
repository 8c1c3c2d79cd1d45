# SPDX-License-Identifier: ISC
"""A series of runs: what it appends to the file of results, what it repeats and what it shows."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace

import pytest
from dhcp_samples import four_way, perfdhcp_output, plan, sums

from ubench import paths
from ubench.dhcp import measure, perfdhcp, series, testbed
from ubench.dhcp.identity import runs_alike
from ubench.dhcp.measure import check_stored
from ubench.dhcp.netns import Network
from ubench.dhcp.store import FILE_FACTS
from ubench.dhcp.trial import joint_trial
from ubench.dhcp.trials import outcome
from ubench.dhcp.trials.heard import Heard
from ubench.dhcp.trials.outcome import Expiry, Failover, LeaseFileCleanUp, TrialReport
from ubench.errors import Problem
from ubench.records.perfdhcp_output import Messages
from ubench.records.reader import read_records
from ubench.records.where import Part, Where
from ubench.run.progress import Progress

jsonschema = pytest.importorskip("jsonschema")

SCHEMA = json.loads(paths.data("results/kea.schema.json").read_text())
WHERE = Where(
    2000.0, (Part("statement", 9.0, 8.0, "SELECT t"),), (Part("sync", 3.0, 1.0),), ("queue",)
)
CAPACITY = 800  # clients per second that the server of these tests serves


class FakeStore:
    """A store that needs no database."""

    def __init__(self):
        self.started = []

    def start_databases(self, plan, kea, version):
        self.started.append(plan)

    def facts(self, plan):
        return FILE_FACTS.get((plan.store, plan.sync), FILE_FACTS["memfile", "no"])


def identify(subject, testbed):
    return {
        **subject.plan.members(),
        "server_version": "3.0.4" if subject.plan.prefix == "/b" else "2.2.0",
        "processors": {"server": "0", "load": "1"},
        "host": {"cpu": "a", "cores": "2", "kernel": "Linux"},
        "server_library": f"/usr/lib{subject.plan.prefix}/libkea-dhcpsrv.so",
        "server_build": "00ff",
        "server_libraries": "3, 00ff",
        "cache_threshold": 0.25,
    }


def run_trial(self, subject, rate):
    """One trial of a server with that capacity."""
    tested = subject.plan
    seconds = tested.seconds or 1
    asked = [rate] * seconds
    granted = [min(rate, CAPACITY)] * seconds
    text = perfdhcp_output(
        [*four_way(sum(asked), sum(granted)), ("RENEW", 10, 10), ("RELEASE", 10, 0)],
        sums=sums(asked, granted),
        end="It took 00:00:01.5 to provision\nRequests resent: 0\n",
    )
    trial = perfdhcp.read_trial(
        text, tested, rate, {"server": 1.0, "store": 0.0, "load": 0.5, "other": 0.0}, 12.0
    )
    trial = replace(trial, stored=trial.granted + 1, start_s=0.2, memory_mb=30.0)
    if tested.where:
        trial = replace(trial, where=WHERE)
    several = {}
    if tested.is_shared:
        trial = replace(joint_trial([trial] * tested.servers, rate), stored=9)
        several = {"heard": Heard(offers=9, grants=8, refusals=1), "logged": {"ALLOC_FAIL": 2}}
    if tested.command in ("rate", "storm"):
        return TrialReport(trial, **several)
    seconds_by_server = (perfdhcp.read_seconds(text, seconds),) * tested.servers
    if tested.is_shared:
        several["seconds_by_server"] = seconds_by_server
        several["server_loss"] = outcome.server_loss(seconds_by_server, 1, 2.5)
    is_of = {name: tested.command == name for name in ("expire", "lfc")}
    return TrialReport(
        trial,
        outcome.joint_seconds(seconds_by_server),
        failover=Failover(5, None, 1, 2, 3.5, 0) if tested.is_pair and tested.kill_s else None,
        expire=Expiry(0.1, 5, 95, 34200) if is_of["expire"] else None,
        lfc=LeaseFileCleanUp(0.1, 0.5, 23.4) if is_of["lfc"] else None,
        **several,
    )


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a series of plans; returns the lines of the file of results, and the store."""
    monkeypatch.setattr(series, "identify", identify)
    monkeypatch.setattr(measure.Measurer, "run_trial", run_trial)
    monkeypatch.setattr("ubench.run.process.run", lambda *_, **options: None)  # ubench_report
    monkeypatch.setattr("ubench.dhcp.installation.Installation.link_hooks", lambda *_: None)
    here = testbed.Testbed(tmp_path, Network(tmp_path / "load.net"), testbed.Processors("0", "1"))
    results = tmp_path / "results.jsonl"
    store = FakeStore()

    def run_series(*plans):
        measurer = measure.Measurer(here, store, Progress())
        done = series.Series(plans, measurer, results, Progress())
        done.show(done.run())
        return [json.loads(line) for line in results.read_text().splitlines()], store

    return run_series


ONE_TRIAL = [
    plan(command="seconds", seconds=3, start_rate=50),
    plan(command="seconds", seconds=3, start_rate=50, renew=20, release=20),
    plan(command="seconds", seconds=3, start_rate=50, where=True),
    plan(command="seconds", seconds=3, start_rate=50, ha="hot-standby", kill_s=1),
    plan(command="storm", start_rate=0, seconds=0),
    plan(command="expire", seconds=3, start_rate=20, leases=100),
    plan(command="start", seconds=1, start_rate=20, leases=100),
    plan(command="lfc", seconds=3, start_rate=20, leases=100),
    plan(command="seconds", seconds=3, start_rate=50, overrides={"cache-threshold": 0.5}),
    plan(command="seconds", seconds=3, start_rate=50, store="pgsql", servers=2, kill_s=1),
]


def test_every_line_keeps_the_schema_and_can_be_read(run, tmp_path):
    lines, _ = run(plan(seconds=10), plan(seconds=10, store="mysql", servers=4), *ONE_TRIAL)
    validator = jsonschema.Draft7Validator(SCHEMA)
    for line in lines:
        assert [error.message for error in validator.iter_errors(line)] == []
    records = read_records([str(tmp_path / "results.jsonl")], pytest.fail)
    assert len(records.observations) == len(lines)


def test_a_search_finds_the_capacity_and_says_what_it_rests_on(run):
    ((line,), _) = run(plan(seconds=10))
    assert line["rate"] == pytest.approx(CAPACITY, rel=0.05)
    assert [goal["max_lost"] for goal in line["goals"]] == [0.025, 0.001]
    assert line["goals"][0]["confirmed"]
    assert not line["rough"]
    assert line["stored"] == sum(trial["stored"] for trial in line["trials"])


def test_one_goal_is_not_judged_twice(run):
    ((line,), _) = run(plan(seconds=4, max_lost=0.001))
    assert len(line["goals"]) == 1
    assert line["rough"]


def test_the_seconds_of_a_line_add_up_to_its_trial(run):
    ((line,), _) = run(ONE_TRIAL[0])
    assert sum(second["granted"] for second in line["seconds_each"]) == line["trials"][0]["granted"]


def test_runs_that_are_in_the_file_are_not_repeated(run):
    first, second = ONE_TRIAL[:2]
    run(first)
    lines, store = run(first, second, first)
    assert len(lines) == 2
    assert store.started == [first, second]


def test_databases_are_started_anew_only_for_another_configuration(run):
    lines, store = run(plan(command="storm", runs=3))
    assert len(lines) == 3
    assert len(store.started) == 1


def test_two_prefixes_take_turns_in_blocks(run):
    lines, _ = run(*(plan(command="storm", runs=4, prefix=prefix) for prefix in ("/a", "/b")))
    assert [line["labels"]["block"] for line in lines] == list("11223344")
    assert {line["labels"]["campaign"] for line in lines} == {"/a /b"}
    for block in range(4):
        assert {line["server_version"] for line in lines[2 * block : 2 * block + 2]} == {
            "2.2.0",
            "3.0.4",
        }


@pytest.mark.parametrize(
    ("changed", "is_alike"),
    [
        ({}, True),
        ({"server_library": "/elsewhere"}, True),
        ({"kill_s": 0}, True),
        ({"renew": 50}, False),
        ({"server_build": "11"}, False),
        ({"leases": 7}, False),
        ({"format": "ubench-result/2"}, False),
    ],
)
def test_which_lines_are_runs_of_a_configuration(changed, is_alike):
    subject = measure.Subject(plan(command="storm"), None)
    identity = identify(subject, None)
    line = {"format": "ubench-kea/1", **identity, "trials": [], **changed}
    assert bool(list(runs_alike([line], identity))) is is_alike


def test_the_rate_of_an_earlier_search_is_not_a_run():
    identity = identify(measure.Subject(plan(), None), None)
    line = {"format": "ubench-kea/1", **identity, "rate": 5}
    assert not list(runs_alike([line], identity))
    assert list(runs_alike([{**line, "goals": []}], identity))


def test_the_screen_names_each_run_by_what_varies(run, capfd):
    run(
        plan(command="storm"),
        plan(command="storm", ha="hot-standby", threads=4),
        plan(command="storm", store="memfile", threads=2),
    )
    out = capfd.readouterr().out
    assert "run 1 of 1: kea memfile threads=1\n" in out
    assert "run 1 of 1: kea memfile pair (hot-standby) threads=4\n" in out


def test_the_screen_says_how_many_servers_share_a_database(run, capfd):
    run(ONE_TRIAL[-1])
    assert "run 1 of 1: kea pgsql, 2 servers on one database\n" in capfd.readouterr().out


def test_seconds_are_shown(run, capfd):
    run(ONE_TRIAL[0])
    out = capfd.readouterr().out
    assert "second by second: granted of asked\n" in out
    assert "     3       50 of 50\n" in out


def test_seconds_of_several_servers_are_shown_apart(run, capfd):
    run(ONE_TRIAL[-1])
    assert "     3       100 of 100; server 1: 50 of 50; server 2: 50 of 50\n" in (
        capfd.readouterr().out
    )


def test_a_search_sums_up_what_clients_of_all_its_trials_heard(run):
    ((line,), _) = run(plan(seconds=10, store="mysql", servers=4))
    assert line["heard"]["offers"] == 9 * len(line["trials"])
    assert line["logged"] == {"ALLOC_FAIL": 2 * len(line["trials"])}
    assert all(len(trial["by_server"]) == 4 for trial in line["trials"])


@pytest.mark.parametrize(
    ("stored", "released", "is_fine"),
    [(90, 0, False), (90, 10, True), (100, 0, True), (None, 0, True)],
)
def test_leases_that_were_granted_have_to_be_in_the_store(stored, released, is_fine):
    text = perfdhcp_output(four_way(100, 100))
    trial = replace(
        perfdhcp.read_trial(text, plan(), 10, {}, 1.0),
        stored=stored,
        release=Messages(released, 0),
    )
    with contextlib.nullcontext() if is_fine else pytest.raises(Problem, match="no figures"):
        check_stored(trial)
