# SPDX-License-Identifier: ISC
"""The protocol of turns, with runners that are shell scripts."""

import json
import os
import re
import signal

import pytest

from ubench.errors import Problem
from ubench.run import process, runner
from ubench.run.runner import Turn, TurnError, TurnRunner, parse_turn

FIGURES = {
    "operations": 3,
    "elapsed_ns": 3_000_000,
    "cpu_ns": 1,
    "server_cpu_ns": None,
    "syncs": None,
    "errors": 0,
}
WALL_NS = 4_000_000


def changed(**members):
    return json.dumps(FIGURES | members)


def test_figures_of_a_turn():
    text = changed(
        server_cpu_ns=5,
        syncs=2,
        log_bytes=7,
        hits=3,
        latency={"p50_ns": 9, "p95_ns": 10, "p99_ns": 11},
    )
    assert parse_turn(text, WALL_NS) == Turn(
        operations=3,
        elapsed_ns=3_000_000,
        cpu_ns=1,
        server_cpu_ns=5,
        syncs=2,
        p50_ns=9,
        p99_ns=11,
        errors=0,
        log_bytes=7,
    )
    unknown = parse_turn(json.dumps(FIGURES), WALL_NS)
    assert (unknown.p50_ns, unknown.p99_ns, unknown.log_bytes, unknown.syncs) == (None,) * 4


@pytest.mark.parametrize(
    "text",
    ["", "x", "{", "[]", "null", "5", '"x"', "{}", "[" * 5000, '{"operations":1,"operations":2}'],
)
def test_text_that_is_not_of_a_turn(text):
    with pytest.raises(TurnError):
        parse_turn(text, WALL_NS)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("operations", "1e30"),
        ("operations", "1000000000000000"),
        ("operations", "-1"),
        ("operations", "true"),
        ("operations", "null"),
        ("operations", '"5"'),
        ("operations", "9" * 5000),
        ("elapsed_ns", "0.5"),
        ("elapsed_ns", "0"),
        ("elapsed_ns", "5060000"),
        ("cpu_ns", "1e300"),
        ("cpu_ns", "9007199254740993"),
        ("server_cpu_ns", "NaN"),
        ("server_cpu_ns", "40000000000000"),
        ("syncs", "-1"),
        ("errors", "null"),
        ("errors", "40000000"),
        ("latency", "5"),
        ("latency", "[]"),
        ("latency", '{"p50_ns":"x"}'),
        ("latency", '{"p50_ns":-1}'),
        ("latency", '{"p50_ns":2,"p99_ns":1}'),
        ("latency", '{"p50_ns":9000000}'),
        ("latency", '{"p99_ns":9000000}'),
    ],
)
def test_figure_that_cannot_be_true(name, value):
    text = changed(**{name: "HERE"}).replace('"HERE"', value)
    with pytest.raises(TurnError, match="|".join([name, "p50_ns", "p99_ns", "JSON"])):
        parse_turn(text, WALL_NS)


# ---- Runners


@pytest.fixture
def started(tmp_path):
    """Starts a runner that is a shell script, and stops it in the end."""
    runners = []

    def start(text):
        script = tmp_path / "script_ubench"
        script.write_text(f"#!/bin/sh\n{text}\n")
        script.chmod(0o755)
        turn_runner = TurnRunner("B", [str(script), "-n", "5"])
        runners.append(turn_runner)
        turn_runner.start(tmp_path / "folder")
        return turn_runner

    yield start
    for each in runners:
        each.stop()


WORKS = f"""
echo "$*" >words
echo ready
while read -r word ms; do
    case $word in
    turn) sleep 0.004; echo 'turn {json.dumps(FIGURES)}' ;;
    end) echo result; echo '{{"format":"ubench-result/2"}}'; exit ;;
    esac
done"""


def test_turns_and_the_result(started, tmp_path):
    side = started(WORKS)
    side.wait_ready()
    assert [side.turn(3).operations for _ in range(2)] == [3, 3]
    assert side.result() == '{"format":"ubench-result/2"}'
    assert side.stop() == []
    assert (tmp_path / "folder" / "words").read_text() == "-n 5 --turns\n"


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        ("echo 'the server has gone away' >&2; exit 1", 1, "B: the server has gone away"),
        ("echo 'a wrong answer' >&2; exit 3", 3, "B: a wrong answer"),
        ("echo '--sync: no' >&2; exit 2", 2, "B: --sync: no"),
        ("exit 7", 1, "B: it ended with exit status 7"),
        ("echo babble; cat >/dev/null", 1, "B: it said 'babble'; expected 'ready'"),
        ("printf ready; exit 4", 1, "B: it ended with exit status 4"),
        ('echo result; echo \'{"error":"burnt"}\'; exit 1', 1, "B: burnt"),
        ("head -c 100000 /dev/zero | tr '\\0' x; cat >/dev/null", 1, "more than 65536 bytes"),
    ],
)
def test_runner_that_does_not_get_ready(started, text, status, words):
    side = started(text)
    with pytest.raises(Problem, match=re.escape(words)) as problem:
        side.wait_ready()
    assert problem.value.status == status


def test_bad_figures_of_a_turn(started):
    side = started("echo ready; read -r line; echo 'turn {}'; cat >/dev/null")
    side.wait_ready()
    words = r"^B: it said 'turn \{\}'; expected the figures .* operations"
    with pytest.raises(Problem, match=words):
        side.turn(1)


def test_runner_that_is_silent(started, monkeypatch):
    monkeypatch.setattr(runner, "SILENCE_S", 0.1)
    side = started("echo ready; cat >/dev/null")
    side.wait_ready()
    with pytest.raises(Problem, match="B: it has not answered for"):
        side.turn(1)


def test_result_of_a_run_that_failed(started):
    side = started("echo ready; read -r line; echo result; echo '{}'; exit 3")
    side.wait_ready()
    with pytest.raises(Problem, match="exit status 3") as problem:
        side.result()
    assert problem.value.status == 3


def test_program_that_does_not_exist(tmp_path):
    with pytest.raises(Problem, match="B: cannot run 'no_ubench': No such file"):
        TurnRunner("B", ["no_ubench"]).start(tmp_path / "folder")


def test_stop_ends_all_that_it_has_started(started):
    """Its children, and itself, even if it is stopped and has to be told."""
    side = started("sleep 600 & echo ready; sleep 600 & wait")
    side.wait_ready()
    pid = side._child.pid
    members = process.session_members(pid)
    assert len(members) >= 2
    os.kill(pid, signal.SIGSTOP)
    side.close_input()
    runner_seconds = runner._has_ended
    try:
        runner._has_ended = lambda child, _: runner_seconds(child, 0.5)
        assert side.stop() == []
    finally:
        runner._has_ended = runner_seconds
    assert process.session_members(pid) == []
    assert side.stop() == []


@pytest.mark.servers("pgsql")
def test_private_server_ends_with_its_runner(server_folder, monkeypatch):
    monkeypatch.setattr("ubench.paths.writable", lambda: server_folder)
    script = server_folder / "asks_ubench"
    script.write_text(
        '#!/bin/sh\necho "$UBENCH_PGSQL_PID" >pid\necho ready\ncat >/dev/null\n'
    )
    script.chmod(0o755)
    side = TurnRunner("B", [str(script)], server="pgsql -c fsync=off")
    try:
        side.start(server_folder / "folder")
        side.wait_ready()
        pid = int((server_folder / "folder" / "pid").read_text())
        assert "fsync=off" in process.command_line(pid)
    finally:
        left = side.stop()
    assert left == []
    assert process.command_line(pid) == []
    assert list(server_folder.glob("run-*")) == []
