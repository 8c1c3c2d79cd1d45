# SPDX-License-Identifier: ISC
"""scripts/crash: its cells, the ledger, small campaigns, and how they end."""

import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from conftest import cannot_run

from ubench.campaigns import crash, crash_inject, crash_plan
from ubench.campaigns.crash_inject import KEYS, WORDS_OF_LEASE, Ledger
from ubench.campaigns.crash_plan import Control, ServerOptions
from ubench.errors import UsageError
from ubench.records.schema import checker
from ubench.report.crashes import LEVELS
from ubench.run import process

HANGS = 3600

# ---- Cells


def test_the_cells_of_ubench():
    cells = crash_plan.read_cells()
    assert len({cell.name for cell in cells}) == len(cells)
    for cell in cells:
        assert set(cell.levels) <= set(LEVELS)
        assert set(cell.control.levels) <= set(cell.levels)
        assert cell.is_server or cell.server == ServerOptions()


def test_options_of_servers():
    options = ServerOptions.parse("--standbys 1 --delay 0.5ms -- -c fsync=off")
    assert options == ServerOptions(standbys=1, delay="0.5ms", own=("-c", "fsync=off"))
    assert ServerOptions.parse("libeatmydata") == ServerOptions(lies_about_syncs=True)
    assert ServerOptions.parse("") == ServerOptions()
    with pytest.raises(ValueError, match="--stanbys"):
        ServerOptions.parse("--stanbys 1")


@pytest.mark.parametrize(("mebibytes", "why"), [(64, "'/dev/shm' has 64 MiB free;"), (999, "")])
def test_a_full_folder_in_memory_is_no_loss_of_a_store(monkeypatch, mebibytes, why):
    """Containers have 64 MiB of it."""
    usage = shutil.disk_usage("/")._replace(free=mebibytes << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    assert crash.why_too_small(Path("/dev/shm")).startswith(why)
    assert bool(crash.why_too_small(Path("/dev/shm"))) == bool(why)


def test_controls():
    assert Control.parse("loses at 2 3") == Control("loses at 2 3", True, ("2", "3"))
    assert Control.parse("keeps at 1").must_lose is False
    assert Control.parse("") == Control()


def test_controls_of_a_level_run_beside_what_is_asked_for(monkeypatch):
    monkeypatch.setattr(crash_plan.CrashCell, "is_built", property(lambda _: True))
    cells = crash_plan.read_cells()
    asked = crash_plan.matching_cells(["sqlite wal normal"], cells)
    names = {cell.name for cell, _ in crash_plan.choose_cells(["1"], asked, cells)}
    assert names == {"sqlite wal normal", "memfile fdatasync", "memfile buffer"}
    asked = crash_plan.matching_cells(["pgsql on"], cells)
    names = {cell.name for cell, _ in crash_plan.choose_cells(["2"], asked, cells)}
    assert names == {
        "pgsql on", "pgsql on, libeatmydata", "memfile write", "memfile fdatasync",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("-l 5", "-l: '5' is not one of 1, 1b"),
        ("nothing", "'nothing' is not a cell"),
        ("-n 0", "-n: '0' is not a whole number"),
        ("-d /nowhere", "-d: '/nowhere' is not a folder"),
    ],
)
def test_what_is_refused(words, text):
    with pytest.raises(UsageError) as caught:
        crash.read_plan(words.split())
    assert text in str(caught.value)


def test_an_empty_output_is_refused():
    with pytest.raises(UsageError, match="--output: '' is not a file's name"):
        crash.read_plan(["-O", ""])


# ---- The ledger


@pytest.mark.parametrize(
    ("submitted", "acknowledged", "counts"), [(6, 0, False), (5, 7, False), (6, 7, True)]
)
@pytest.mark.parametrize(("lease", "change"), list(itertools.product(range(3), range(3))))
def test_a_change_that_was_acknowledged(lease, change, submitted, acknowledged, counts):
    words = memoryview(bytearray(8 * (KEYS + 3 * WORDS_OF_LEASE))).cast("Q")
    ledger = Ledger(words)
    assert not ledger.has_acknowledged(5)
    place = KEYS + lease * WORDS_OF_LEASE + 2 * change
    words[place], words[place + 1] = submitted, acknowledged
    assert ledger.has_acknowledged(5) is counts
    assert not ledger.has_acknowledged(5, 2)


def test_the_runners_write_what_is_read(program):
    memfile = program("memfile_ubench")
    with (
        tempfile.TemporaryDirectory(dir="/var/tmp") as folder,
        tempfile.NamedTemporaryFile(dir="/dev/shm") as file,
    ):
        before = time.monotonic_ns()
        words = ["-s", "no", "-n", "30", "-w", "churn", "--preload", "10", "--ledger"]
        done = process.capture([memfile, *words, file.name], cwd=folder)
        assert done.status == 0, done.err
        ledger = Ledger.open(Path(file.name))
        assert before < ledger.begun_ns < time.monotonic_ns()
        assert ledger.has_acknowledged(ledger.begun_ns)
        assert not ledger.has_acknowledged(time.monotonic_ns())


def test_no_ledger_yet(tmp_path):
    assert Ledger.open(tmp_path / "ledger") is None
    (tmp_path / "ledger").write_bytes(b"something else" * 1000)
    assert Ledger.open(tmp_path / "ledger") is None


# ---- Campaigns


class Campaign:
    """Runs scripts/crash in a folder of its own, with another one in memory."""

    def __init__(self, script, programs, folder, memory):
        self.script = script
        self.programs = programs
        self.folder = folder
        self.memory = memory
        self.environment = {**os.environ, "BIN": str(programs)}
        self.output = folder / "out.jsonl"

    def run(self, *words, status=0):
        command = [self.script, "-O", "out.jsonl", "-d", self.memory, *words]
        done = process.capture(command, cwd=self.folder, env=self.environment)
        assert done.status == status, done.out + done.err
        return done

    def lines(self):
        text = self.output.read_text().splitlines() if self.output.exists() else []
        lines = [json.loads(line) for line in text]
        return [line for line in lines if line["format"] == "ubench-crash/1"]

    def verdicts(self):
        """The set of verdicts of each cell and level, but for those that say nothing."""
        verdicts = {}
        for line in self.lines():
            if line["verdict"] != "invalid":
                key = line["labels"]["cell"], line["labels"]["level"]
                verdicts.setdefault(key, set()).add(line["verdict"])
        return verdicts


@pytest.fixture
def campaign(script, program, programs):
    for name in ("memfile_ubench", "sqlite_ubench", "null_ubench"):
        program(name)
    if not os.access("/dev/shm", os.W_OK):
        cannot_run("/dev/shm cannot be written to")
    folder = Path(tempfile.mkdtemp(prefix="ubench-crash.", dir="/var/tmp"))
    memory = tempfile.mkdtemp(prefix="ubench-test.", dir="/dev/shm")
    yield Campaign(script("crash"), programs, folder, memory)
    shutil.rmtree(folder)
    shutil.rmtree(memory)


def test_kills(campaign):
    """A change that is acknowledged before it is written is lost, except by a kill that comes just
    after the buffer was written; what was written is there. A campaign continues where it ended."""
    words = ["-n", "3", "-l", "1", "memfile fdatasync 4*", "sqlite wal full"]
    campaign.run(*words)
    verdicts = campaign.verdicts()
    assert "lost" in verdicts.pop(("memfile buffer", "1"))
    assert verdicts == {
        ("memfile fdatasync", "1"): {"kept"},
        ("memfile fdatasync 4 threads", "1"): {"kept"},
        ("sqlite wal full", "1"): {"kept"},
    }
    lines = campaign.lines()
    assert {line["labels"]["seed"] for line in lines[:3]} == {"1000001", "1000002", "1000003"}
    for line in lines:
        checker("ubench-crash/1")(line)
    campaign.run(*words)
    assert campaign.lines() == lines


def test_a_bad_disk(campaign, program):
    program("ubench_disk.so")
    libraries = process.capture(["ldd", program("memfile_ubench")]).out
    if re.search("lib[at]san", libraries):
        cannot_run("a sanitizer has to be the first library")
    campaign.run("-n", "3", "-l", "3", "sqlite delete extra")
    assert campaign.verdicts() == {
        ("memfile write", "3"): {"lost"},
        ("memfile fdatasync", "3"): {"kept"},
        ("sqlite delete extra", "3"): {"kept"},
        ("sqlite wal full", "3"): {"kept"},
    }


@pytest.mark.root
def test_power_cuts(campaign):
    """A change that is only written is lost, one that is synced is not. A machine on which others
    call sync(2) all the time keeps what is only written, too, now and then."""
    lost = set()
    for seed in range(1, 101):
        cells = ("sqlite wal full", "sqlite wal off")
        done = campaign.run("-n", "2", "-l", "2", "-s", str(seed), *cells)
        if "left out" in done.err:
            cannot_run(done.err.strip())
        verdicts = campaign.verdicts()
        lost |= {cell for (cell, _), known in verdicts.items() if "lost" in known}
        if lost >= {"memfile write", "sqlite wal off"}:
            break
        campaign.output.unlink()
    assert lost == {"memfile write", "sqlite wal off"}


@pytest.mark.root
@pytest.mark.servers("pgsql")
def test_servers(campaign, program):
    """Killed, and without their disk; one that is not installed is left out."""
    program("pgsql_ubench")
    campaign.environment["UBENCH_MYSQLD"] = "missing"
    has_mysql = os.access(campaign.programs / "mysql_ubench", os.X_OK)
    words = ["-n", "1", "-l", "1,1b,2", "pgsql on", "pgsql fsync off", "mysql flush 1"]
    done = campaign.run(*words, status=1 if has_mysql else 0)
    if "level 2 and all servers" in done.err:
        cannot_run(done.err.strip())
    left_out = "crash: mysql is left out: the server does not start: UBENCH_MYSQLD: "
    assert (left_out in done.err) == has_mysql
    verdicts = {key: known for key, known in campaign.verdicts().items() if "pgsql" in key[0]}
    assert verdicts.pop(("pgsql fsync off", "2"))
    assert verdicts == {
        ("pgsql on, libeatmydata", "2"): {"lost"},
        ("pgsql on", "1"): {"kept"},
        ("pgsql on", "1b"): {"kept"},
        ("pgsql on", "2"): {"kept"},
        ("pgsql fsync off", "1"): {"kept"},
    }


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_a_campaign_in_the_middle_of_a_crash(campaign, number):
    """At once, with nothing left behind; the campaign continues later."""
    programs = campaign.folder / "bin"
    programs.mkdir()
    for path in campaign.programs.glob("*ubench*"):
        (programs / path.name).symlink_to(path)
    called = campaign.folder / "called"
    slow = programs / "memfile_ubench"
    slow.unlink()
    slow.write_text(
        f"#!/bin/sh\ncase $* in *--ledger*) echo $$ >>{called}\nexec sleep 1000 ;; esac\n"
        f'exec {campaign.programs}/memfile_ubench "$@"\n'
    )
    slow.chmod(0o755)
    words = ["-O", "out.jsonl", "-n", "2", "-l", "1", "-d", campaign.memory, "memfile write"]
    child = subprocess.Popen(
        [campaign.script, *words],
        cwd=campaign.folder,
        stdin=subprocess.DEVNULL,
        env={**campaign.environment, "BIN": str(programs)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.wait_until(
        lambda: called.exists() and called.read_text().endswith("\n"), HANGS
    )
    child.send_signal(number)
    assert child.wait(HANGS) == (130 if number == signal.SIGINT else 143)
    assert os.listdir(campaign.memory) == []
    for pid in called.read_text().split():
        assert not crash_inject.is_running(int(pid))
    assert campaign.verdicts() == {}
    campaign.run("-n", "2", "-l", "1", "memfile write")
    assert campaign.verdicts()["memfile write", "1"] == {"kept"}


def test_a_line_that_was_cut_off_stays(campaign):
    begin = '{"format":"ubench-crash/1","labels":{"cell":"memfile write"'
    campaign.output.write_text(begin)
    campaign.run("-n", "1", "-l", "1", "memfile write")
    first, *others = campaign.output.read_text().splitlines()
    assert first == begin
    assert len(others) > 1
