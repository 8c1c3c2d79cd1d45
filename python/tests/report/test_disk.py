# SPDX-License-Identifier: ISC
"""The time of a sync: measured by the runner, recorded, and proposed by the answer."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest
import samples
from answers import both, settings, words_of

MYSQL = samples.durability(
    "power-safe", settings=settings("innodb_flush_log_at_trx_commit=1", "log_bin=OFF")
)


def baselines(sync_s):
    """Baselines of a disk that syncs in this time."""
    return {
        "clock_ns": 20,
        "fdatasync_ns": sync_s * 1e9,
        "fdatasync_min_ns": sync_s * 1e9,
        "round_trip_ns": 1e4,
        "harness_ns": 30,
    }


def disk(sync_s):
    """Lines of `disk` for a disk that syncs in this time."""
    line = samples.store(
        "memfile", "process-safe", baselines=baselines(sync_s), labels={"role": "disk"}
    )
    return [line] * 5


def mysql(renewals=1000.0, restarts=800.0):
    """Lines of a database on a disk that syncs in 0.1 ms."""
    return both("mysql", renewals=renewals, restarts=restarts, count=9000,
                baselines=baselines(1e-4), durability=MYSQL)  # fmt: skip


def test_a_directory_is_timed_and_left_as_it_was(program, tmp_path):
    program("memfile_ubench")
    folder, out = tmp_path / "data", tmp_path / "out.jsonl"
    folder.mkdir()
    (folder / "mine").write_text("mine")
    outcome = samples.report("disk", "-O", str(out), str(folder))
    assert (outcome.status, outcome.err) == (0, "")
    assert words_of(outcome.out).startswith("A sync takes ")
    assert [path.name for path in folder.iterdir()] == ["mine"]
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["labels"] for line in lines] == [{"role": "disk"}] * 5
    assert all(samples.observe(line).times_a_disk for line in lines)
    assert str(folder) not in out.read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_files_are_removed_if_the_program_is_ended(program, tmp_path, number):
    program("memfile_ubench")
    start = "from ubench.launch import launch; launch('ubench.report.program')"
    command = [sys.executable, "-c", start, "disk", str(tmp_path)]
    with subprocess.Popen(command, cwd=samples.ROOT / "python", stdout=subprocess.PIPE) as child:
        while not any(tmp_path.glob("ubench-disk.*")) and child.poll() is None:
            time.sleep(0.001)
        child.send_signal(number)
        assert child.wait() in (128 + number, 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ((), 2, "0 directories were given, expected one"),
        (("/", "/tmp"), 2, "2 directories were given"),
        (("/nowhere",), 1, "'/nowhere': No such file or directory; expected a directory"),
        (("/proc/self/status",), 1, "expected a directory to write in"),
        (("a\0b",), 1, "not the name of a directory"),
    ],
)
def test_what_cannot_be_timed_is_refused(program, words, status, message):
    program("memfile_ubench")
    outcome = samples.report("disk", *words)
    assert outcome.status == status
    assert message in outcome.err


# ---- What the answer makes of it


@pytest.mark.parametrize(
    ("sync_s", "sentence"),
    [
        (1.6e-3, "A sync takes 1.60 ms on your disk; at --sync=1.6ms it is 5.45 times."),
        (2e-5, "A sync takes 20.0 us on your disk; at --sync=0.02ms it is 12.8 times."),
        (1.1e-4, None),
    ],
)
def test_the_answer_proposes_the_disk_that_was_timed(sync_s, sentence):
    text = words_of(samples.report("answer", "--clients=20k", lines=mysql() + disk(sync_s)).out)
    assert "MySQL" in text or "mysql" in text
    if sentence is None:
        assert "on your disk" not in text
    else:
        assert sentence in text


def test_nothing_is_proposed_twice_or_without_a_database():
    given = samples.report(
        "answer", "--clients=20k", "--sync=1.6ms", lines=mysql() + disk(1.6e-3)
    )
    assert "on your disk" not in given.out
    alone = samples.report("answer", "--clients=20k", lines=both(count=9000) + disk(1.6e-3))
    assert "on your disk" not in alone.out
    threads = both("mysql", count=9000, baselines=baselines(1e-4), durability=MYSQL,
                   parameters={"threads": "4"})  # fmt: skip
    several = samples.report("answer", "--clients=20k", lines=threads + disk(1.6e-3))
    assert "on your disk" not in several.out
    only = samples.report("answer", "--clients=20k", lines=disk(1.6e-3))
    assert (only.status, only.out) == (1, "")
    assert "there is no result of a store" in only.err


def test_other_commands_leave_its_lines_out():
    text = samples.report("tables", lines=mysql() + disk(1.6e-3)).out
    assert "memfile" not in text
