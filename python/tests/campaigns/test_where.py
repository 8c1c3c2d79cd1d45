# SPDX-License-Identifier: ISC
"""scripts/where: where the time of an exchange goes."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace

import pytest

from ubench.campaigns import where
from ubench.records.reader import read_records
from ubench.run.runner import Turn
from ubench.run.statements import Timed
from ubench.run.task_times import TaskTime

# ---- The command line


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "0 commands; expected one runner after --"),
        ("-- ", "1 commands; expected one runner"),
        ("-- sqlite_ubench -- sqlite_ubench", "2 commands; expected one runner"),
        ("--time 1s -- sqlite_ubench", "--time: '1s' is not a time with a unit in 3s.."),
        ("--server oracle -- sqlite_ubench", "--server: 'oracle' is not a server; expected mysql"),
        ("--nonsense -- sqlite_ubench", "--nonsense: unknown option"),
        ("-- mysql_ubench -p secret", "password"),
    ],
)
def test_a_refusal_is_one_line(line, words, capsys):
    assert where.main(shlex.split(line)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("where: ")
    assert words in err
    assert "secret" not in err


@pytest.mark.parametrize(
    ("line", "kind", "options"),
    [
        ("-- ./pgsql_ubench -w renew", "pgsql", ()),
        ("-- mysql_ubench -w renew", "mysql", ()),
        ("-- memfile_ubench -w renew", "", ()),
        ("--server 'pgsql -c fsync=off' -- pgsql_ubench", "pgsql", ("-c", "fsync=off")),
    ],
)
def test_a_runner_has_the_server_of_its_store(line, kind, options):
    request = where.read_request(shlex.split(line))
    assert (request.kind, request.server_options) == (kind, options)


# ---- The parts


def moment(at_s, ran_s, served_s, calls, seconds):
    return where.Moment(
        at_s,
        {1: TaskTime(ran_s)},
        {2: TaskTime(served_s)},
        at_s,
        {"INSERT lease4": Timed(calls, seconds)},
        Timed(calls, 2 * seconds),
    )


def measured(threads="1"):
    """A thread that does 1,000 exchanges a second, looked at for two of ten seconds."""
    line = {
        "parameters": {"threads": threads},
        "durability": {"class": "power-safe"},
        "baselines": {"round_trip_ns": 30000, "harness_ns": 1000, "fdatasync_ns": None},
        "runs": [{"phases": [{"operations": 500}], "store_operations": 1500}],
    }
    turn = Turn(10000, 10 * 10**9, 0, None, None, None, None, 0, None)
    return where.Measured(
        turn, moment(5.0, 1.0, 2.0, 100, 1.0), moment(7.0, 1.4, 2.6, 4100, 1.2), line
    )


def test_parts_are_shares_of_the_time_between_two_looks():
    found = where.where(measured(), "pgsql")
    assert found.whole_us == 1000
    parts = {part.statement or part.name: (part.us, part.count) for part in found.parts}
    assert parts["harness"][0] == pytest.approx(3)
    assert parts["client"][0] == pytest.approx(0.4 / 2 * 1000 - 3)
    assert parts["INSERT lease4"] == (pytest.approx(100), pytest.approx(2))
    assert parts["database"][0] == pytest.approx(300 - 100)
    assert parts["sync"] == (pytest.approx(200), pytest.approx(2))
    within = {part.name: part.us for part in found.within}
    assert within == {"round-trip": pytest.approx(60), "wait-store": 0}


def test_a_store_without_a_server_waits_for_its_syncs():
    line = {**measured().line, "baselines": {"fdatasync_ns": 200000}}
    turn = replace(measured().turn, syncs=5000)
    found = where.where(replace(measured(), turn=turn, line=line), "")
    assert [(part.name, part.us) for part in found.parts] == [
        ("client", pytest.approx(200)),
        ("wait", 0),
        ("sync", pytest.approx(100)),
    ]


def test_threads_share_the_time_of_each_other():
    assert where.where(measured("4"), "mysql").whole_us == 4000


# ---- Real runners

RUNS = [
    pytest.param("sqlite", id="sqlite"),
    *(pytest.param(kind, marks=pytest.mark.servers(kind)) for kind in ("mysql", "pgsql")),
]


@pytest.mark.parametrize("store", RUNS)
def test_a_runner_is_split(store, tmp_path, capsys):
    output = tmp_path / "out.jsonl"
    words = f"--time 3s -O {output} -- {store}_ubench -S kea -w renew --preload 500"
    assert where.main(shlex.split(words)) == 0
    printed = capsys.readouterr().out
    assert "whole: an exchange" in printed
    (observation,) = read_records([str(output)], pytest.fail).observations
    found = observation.where
    names = [part.name for part in found.parts]
    assert names[:2] == ["harness", "client"]
    assert observation.parameters["where"] == "yes"
    if store == "sqlite":
        assert found.parts[1].us > 0
        return
    counts = {part.statement: part.count for part in found.parts if part.statement}
    update = next(count for kind, count in counts.items() if kind.startswith("UPDATE lease4"))
    # A renewal is two searches, short ones perhaps among the others, and an update.
    assert sum(counts.values()) / update == pytest.approx(3, rel=0.1)
    line = json.loads(output.read_text())
    assert line["where"] == found.members()
