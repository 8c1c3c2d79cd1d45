# SPDX-License-Identifier: ISC
"""scripts/duel, with runners whose speed is known, and with real ones."""

import json
import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from ubench import paths
from ubench.run import process

FAKE = str(Path(__file__).with_name("fake_ubench"))
HANGS = 900  # seconds after which something will not end
TURN = (
    '{"operations":{operations},"elapsed_ns":{elapsed_ns},"cpu_ns":1,"server_cpu_ns":null,'
    '"syncs":null,"errors":0}'
)


class Duels:
    """Runs scripts/duel in a folder of its own."""

    def __init__(self, script, folder):
        self.script = script
        self.folder = folder
        self.noise = folder / "noise"
        self.noise.write_text("0")
        self.environment = {**os.environ, "NOISE": str(self.noise)}
        self.output = folder / "d.jsonl"

    def run(self, *words):
        return process.capture([self.script, *words], cwd=self.folder, env=self.environment)

    def start(self, *words):
        return subprocess.Popen(
            [self.script, *words],
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def fakes(self, options, *sides):
        words = [word for side in sides for word in ("--", FAKE, *side.split())]
        return self.run(*options.split(), *words)

    def line(self):
        return json.loads(self.output.read_text())

    def left(self):
        """Names of what is left in the folder and is not the output or made by a test."""
        known = ("noise", "d.jsonl", "junit.xml", "bencher.json", "action.json", "x.duels")
        known += ("turn", "result")
        return [path.name for path in self.folder.iterdir() if path.name not in known]


@pytest.fixture
def duels(script, tmp_path):
    return Duels(script("duel"), tmp_path)


# ---- A duel


def test_a_known_difference_is_found_in_the_noise(duels):
    done = duels.fakes(
        "--time 1h --precision 2% --seed 7 --rounds 1 -O d.jsonl --slice 20ms",
        "rate=100000 seed=1 noise=.03",
        "rate=90000 seed=2 noise=.03",
    )
    assert (done.status, done.err) == (0, "")
    assert re.search(r"B against A +\d+(\.\d)? % slower", done.out)
    line = duels.line()
    assert [(side["name"], side["twin"]) for side in line["sides"]] == [
        ("fake rate=100000 seed=1", False),
        ("fake rate=90000 seed=2", False),
        ("fake rate=100000 seed=1", True),
    ]
    assert len(line["slices"]) % 6 == 0
    assert duels.left() == []


@pytest.mark.parametrize(
    ("side", "options", "status", "text"),
    [
        ("rate=10000", "--time 30m --precision 2%", 0, "passed"),
        ("rate=8000", "--time 30m --precision 2%", 4, "not passed"),
        ("rate=9500 swing=.3", "--time 2s", 5, "too imprecise to tell"),
    ],
)
def test_a_gate_by_its_exit_status(duels, side, options, status, text):
    duels.environment["NOISE"] = ""
    options += " --slice 10ms --not-worse-than 10% --no-null --rounds 1 --junit junit.xml"
    options += " --bencher bencher.json --action-benchmark action.json"
    done = duels.fakes(options, "rate=10000", side)
    assert done.status == status, done.err
    assert text in done.err
    junit = (duels.folder / "junit.xml").read_text()
    assert junit.count("<failure") == int(status != 0)
    assert "rate, B to A: " in junit
    ((_, measures),) = json.loads((duels.folder / "bencher.json").read_text()).items()
    (entry,) = json.loads((duels.folder / "action.json").read_text())
    assert measures["rate-ratio"]["value"] == entry["value"]


@pytest.mark.parametrize(
    ("figure", "text"),
    [("processor", "does not take more processor time"), ("p50", "p50 is not higher")],
)
def test_a_gate_of_processor_time_and_p50(duels, figure, text):
    duels.environment["NOISE"] = ""
    done = duels.fakes(
        "--time 10m --precision 20% --slice 5ms --not-worse-than 10% --no-null --rounds 1 "
        f"--figure {figure} --junit junit.xml",
        "rate=10000",
        "rate=10000",
    )
    assert done.status == 0, done.err
    assert text in done.err
    assert f"{figure}, B to A: 1.0000" in (duels.folder / "junit.xml").read_text()


def test_instructions_are_what_a_verdict_is_of_if_asked_for(duels):
    options = "--time 10m --slice 5ms --rounds 1 --figure instructions"
    done = duels.fakes(options, "instructions=1000", "rate=900 instructions=1010")
    assert (done.status, done.err) == (0, "")
    assert re.search(r"B against A +takes 1\.0 % more instructions", done.out)
    assert re.search(r"^instructions +1,000 +1,010 +1\.010", done.out, re.MULTILINE)
    assert re.search(r"^per second ", done.out, re.MULTILINE)


def test_instructions_that_are_not_counted_end_a_duel(duels):
    done = duels.fakes("--time 9m --slice 5ms --figure instructions -O d.jsonl", "rate=1", "rate=2")
    assert (done.status, done.out) == (1, "")
    assert re.match("duel: --figure=instructions: this machine does not.*add --valgrind", done.err)
    assert duels.left() == []


def test_operations_that_were_given_up_are_said(duels):
    done = duels.fakes("--time 200ms --slice 10ms", "rate=1", "fate=fails")
    assert re.search(r"errors +the store gave up \d+ operations of B", done.out)


def test_rounds_have_new_processes(duels):
    done = duels.fakes("--time 100ms --slice 5ms --rounds 3 -O d.jsonl", "rate=1", "rate=2")
    assert done.status == 0, done.err
    line = duels.line()
    assert {row[9] for row in line["slices"]} == {0, 1, 2}
    last = [row for row in line["slices"] if row[0] == 1 and row[9] == 2]
    assert line["sides"][1]["result"]["runs"][0]["turns"] == len(last)


# ---- Sets


def test_a_set_continues_where_it_was(duels):
    """A duel that failed is tried again, and does not keep the others from being held."""
    (duels.folder / "x.duels").write_text(
        f"# some\n--label one -- {FAKE} -- \\\n {FAKE}\n"
        f"--label two -- {FAKE} -- {FAKE} fate=dies\n--label three -- {FAKE} -- {FAKE}\n"
    )
    for _ in range(2):
        done = duels.run("--time", "100ms", "--slice", "10ms", "-O", "d.jsonl", "@./x.duels")
        assert done.status == 1
        assert "the server has gone away" in done.err
        lines = [json.loads(line) for line in duels.output.read_text().splitlines()]
        assert [line["label"] for line in lines] == ["one", "three"]


# ---- Failures


@pytest.mark.parametrize(
    ("fate", "status", "text"),
    [
        ("dies", 1, "B: fake_ubench: the server has gone away"),
        ("lies", 3, "B: fake_ubench: a wrong answer"),
        ("babbles", 1, "B: it said 'babble"),
        ("refused", 2, "B: fake_ubench: --sync"),
    ],
)
def test_a_side_that_fails_ends_a_duel_without_figures(duels, fate, status, text):
    done = duels.fakes("--time 300ms -O d.jsonl", "rate=1", f"fate={fate}")
    assert (done.status, done.out) == (status, ""), done.err
    assert text in done.err
    assert not duels.output.exists()
    assert duels.left() == []


@pytest.mark.parametrize("fate", ["", "fate=sleeps"])
def test_a_signal_ends_a_duel_and_all_that_it_started(duels, fate):
    words = ["-O", "d.jsonl", "--slice", "10ms", "--", FAKE, "pause=.01", "--", FAKE, "rate=2"]
    child = duels.start(*words, *fate.split())
    # A side that works changes the noise.
    assert process.wait_until(lambda: duels.noise.read_text() not in ("0", ""), 300)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=HANGS)
    assert child.returncode == 130, err
    assert "the duel was interrupted" in out
    assert duels.line()["incomplete"]
    assert duels.left() == []


def test_a_signal_during_a_clean_up_ends_a_set(duels):
    """It does not disturb the clean-up of a duel, and keeps the next one from being held."""
    (duels.folder / "x.duels").write_text(
        f"--label one -- {FAKE} fate=lingers -- {FAKE} fate=dies\n--label two -- {FAKE} -- {FAKE}\n"
    )
    child = duels.start("--time", "100ms", "--slice", "10ms", "-O", "d.jsonl", "@./x.duels")
    try:
        assert process.wait_until((duels.folder / "lingers").exists, HANGS)
        child.send_signal(signal.SIGINT)
        (duels.folder / "leave").touch()
        _, err = child.communicate(timeout=HANGS)
    finally:
        child.kill()
    assert child.returncode == 130, err
    assert "the server has gone away" in err
    assert "two, 2 of 2" not in err
    assert not duels.output.exists()


# ---- What runners say


class Saying:
    """A gate between two sides that are alike, of which B says something else."""

    def __init__(self, duels):
        self.duels = duels

    def gate(self, **texts):
        options = []
        for name, text in texts.items():
            path = self.duels.folder / name
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            options.append(f"{name}={path}")
        words = ["--no-null", "--time", "100ms", "--slice", "3ms", "--rounds", "1"]
        words += ["--not-worse-than", "30%", "--", FAKE, "--", FAKE, *options]
        return self.duels.run(*words)

    def result(self):
        """A result as a text with the names of what changes."""
        done = subprocess.run(
            [FAKE, "--turns"],
            input="turn 1\nend\n",
            text=True,
            check=True,
            env={**os.environ, "NOISE": ""},
            capture_output=True,
        )
        result = json.loads(done.stdout.splitlines()[-1])
        phase = result["runs"][0]["phases"][0]
        phase.update(operations="{operations}", elapsed_ns="{elapsed_ns}")
        result["runs"][0]["turns"] = "{turns}"
        return re.sub(r'"(\{\w+\})"', r"\1", json.dumps(result, separators=(",", ":")))


@pytest.fixture
def saying(duels):
    return Saying(duels)


def test_what_is_right_is_accepted(saying):
    done = saying.gate(turn=TURN, result=saying.result())
    assert done.status in (0, 5), done.err  # on a busy machine it cannot tell


@pytest.mark.parametrize(
    "text",
    ["x", "[]", "{}", "", b"\xff\xfe", "\33[31mx", "x" * 100000, TURN.replace(":1,", ":1e300,")],
    ids=lambda text: repr(text[:20]),
)
def test_no_gate_passes_on_what_a_turn_cannot_be(saying, text):
    done = saying.gate(turn=text)
    assert (done.status, done.out) == (1, ""), done.err
    assert re.match(r"duel: B: it said '.*'.*; expected ", done.err)
    assert done.err.count("\n") == 1
    assert "\33" not in done.err


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"incomplete":false', '"incomplete":true'),
        ('"error":""', '"error":"burnt"'),
        ('"leases_left":0', '"leases_left":5'),
        ('"verified":true', '"verified":false'),
        ('"class":"none"', '"class":"<b>"'),
        ('"runs":', '"others":'),
        ('"format":', '"others":'),
        ('"phases":[', '"phases":[5,'),
        ("{operations}", "1"),
        ("{operations}", "1{operations}"),
        ("{operations}", "1e999"),
        ("{elapsed_ns}", "1"),
        ("{turns}", "1"),
    ],
)
def test_no_gate_passes_on_a_result_that_does_not_count(saying, before, after):
    good = saying.result()
    assert before in good
    assert_refused(saying.gate(result=good.replace(before, after)))


@pytest.mark.parametrize(
    "text", ["5", "{}", "{", "", b"\xff", "[" * 5000, "\33"], ids=lambda text: repr(text[:9])
)
def test_no_gate_passes_without_a_result(saying, text):
    assert_refused(saying.gate(result=text))


def assert_refused(done):
    assert (done.status, done.out) == (1, ""), done.err
    assert done.err.startswith("duel: B: ")
    assert done.err.count("\n") == 1
    assert "\33" not in done.err


def test_nothing_that_is_damaged_passes_or_ends_in_a_traceback(saying):
    chance = random.Random(5)
    goods = {"result": saying.result(), "turn": TURN}
    for _ in range(25):
        name = chance.choice(sorted(goods))
        good = goods[name]
        start = chance.randrange(len(good))
        other = chance.choice(["", '"', "{", "]", "9" * 30, "\0", "-", "é"])
        damaged = good[:start] + other + good[start + chance.randrange(1, 30) :]
        done = saying.gate(**{name: damaged})
        assert "Traceback" not in done.err, damaged
        # Members that nobody needs can be missing, or have another value.
        assert done.status in (0, 1, 5), damaged
        assert done.status != 0 or damaged.endswith("}"), damaged


def test_what_a_runner_says_does_not_reach_the_terminal_raw(saying):
    result = saying.result().replace('"from":"nothing"', '"from":"\\u001b]0;x\\u0007"')
    done = saying.gate(result=result.replace('"version":"1"', '"version":"\\u001b[31m"'))
    assert done.status in (0, 5), done.err
    assert "?]0;x?" in done.out
    assert not re.search("[\33\7]", done.out + done.err)


# ---- Real runners


def test_real_runners(duels, program):
    words = ["--time", "2s", "--slice", "20ms", "-O", "d.jsonl"]
    for name in ("sqlite_ubench", "memfile_ubench"):
        words += ["--", program(name), "-w", "renew", "-s", "no", "--preload", "200"]
    done = duels.run(*words)
    assert (done.status, done.err) == (0, "")
    line = duels.line()
    assert [side["result"]["store"] for side in line["sides"]] == ["sqlite", "memfile", "sqlite"]
    for number, side in enumerate(line["sides"]):
        run = side["result"]["runs"][0]
        worked = sum(row[1] for row in line["slices"] if row[0] == number and row[9] == 9)
        assert run["verified"]
        assert run["phases"][0]["operations"] >= worked
    assert line["slices"][-1][9] == 9
    assert duels.left() == []


@pytest.mark.servers("pgsql")
class TestPrivateServers:
    """They end with a duel, however that ends."""

    def words(self, program, time_text):
        side = ["--", program("pgsql_ubench"), "-w", "renew", "--preload", "100"]
        words = ["--no-null", "--rounds", "1", "--slice", "20ms", "--time", time_text]
        return [*words, "--server", "pgsql -c synchronous_commit=off", *side, *side]

    def folders(self):
        return set(paths.writable().glob("run-*"))

    def assert_that_all_end(self, others):
        """Servers in new folders end; those of other tests end too."""
        new = self.folders() - others
        process.wait_until(lambda: not any(folder.exists() for folder in new), HANGS)
        assert [folder for folder in new if folder.exists()] == []

    def test_when_it_is_done(self, duels, program):
        others = self.folders()
        done = duels.run(*self.words(program, "1s"))
        assert (done.status, done.err) == (0, "")
        assert "synchronous_commit=off" in done.out
        self.assert_that_all_end(others)

    def test_when_it_is_killed(self, duels, program):
        others = self.folders()
        child = duels.start(*self.words(program, "1h"))
        ready = process.wait_until(lambda: len(self._started() - others) > 1, HANGS)
        child.kill()
        child.communicate()
        assert ready
        self.assert_that_all_end(others)

    def test_when_a_runner_is_stopped(self, duels, program):
        others = self.folders()
        child = duels.start(*self.words(program, "1h"))
        ready = process.wait_until(lambda: len(self._runners(child.pid)) == 2, HANGS)
        time.sleep(0.5)
        for pid in self._runners(child.pid)[1:]:
            os.kill(pid, signal.SIGSTOP)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=HANGS)
        assert ready
        self.assert_that_all_end(others)

    def _started(self):
        return {path.parents[1] for path in paths.writable().glob("run-*/pgsql/pid")}

    def _runners(self, pid):
        return [
            each
            for each in process.descendants(pid)
            if "--turns" in process.command_line(each)
            and process.command_line(each)[0].endswith("pgsql_ubench")
        ]
