# SPDX-License-Identifier: ISC
"""Starting programs, signals, processes."""

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ubench.run import process

PACKAGE = Path(process.__file__).parents[2]


def run_python(text: str) -> subprocess.CompletedProcess[str]:
    """A program of its own, as a signal ends it."""
    return subprocess.run(
        [sys.executable, "-B", "-c", text],
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("name", "status"), [("INT", 130), ("TERM", 143), ("HUP", 143)])
def test_signal_ends_the_program_that_runs_first(name, status):
    """It ends as it likes; then this program ends."""
    done = run_python(f"""
from ubench.run import process
process.handle_signals()
process.run(['sh', '-c', 'trap "echo put back; exit" INT TERM; kill -{name} $PPID;'
    'while :; do sleep 0.05; done'])
print('not reached')""")
    assert (done.returncode, done.stdout, done.stderr) == (status, "put back\n", "")


def test_second_signal_leaves_it_the_time():
    done = run_python("""
from ubench.run import process
process.handle_signals()
process.run(['sh', '-c', 'trap "kill -TERM $PPID; sleep 0.3; echo back; exit" TERM;'
    'kill -TERM $PPID; while :; do sleep 0.1; done'])""")
    assert (done.returncode, done.stdout) == (143, "back\n")


@pytest.mark.parametrize(("sent", "out"), [(True, "cleaned up\n"), (False, "cleaned up\nnext\n")])
def test_an_ignored_signal_ends_the_program_after_the_step(sent, out):
    done = run_python(f"""
import os, signal
from ubench.run import process
process.handle_signals()
with process.signals_ignored():
    {sent} and os.kill(os.getpid(), signal.SIGINT)
    print('cleaned up', flush=True)
process.end_if_interrupted()
print('next')""")
    assert (done.returncode, done.stdout) == (130 if sent else 0, out)


def test_signal_waits_for_the_end_of_a_deferral():
    done = run_python("""
import os, signal
from ubench.run import process
process.handle_signals()
with process.signals_deferred():
    os.kill(os.getpid(), signal.SIGTERM)
    print('within', flush=True)
print('not reached')""")
    assert (done.returncode, done.stdout) == (143, "within\n")


@pytest.mark.parametrize("within", ["signals_ignored()", "contextlib.nullcontext()"])
def test_under_nohup_a_hangup_ends_nothing(within):
    """The terminal of a campaign of some hours may be closed."""
    done = run_python(f"""
import contextlib, os, signal
from ubench import launch, signals
from ubench.run import process
from ubench.run.process import signals_ignored
signal.signal(signal.SIGHUP, signal.SIG_IGN)
signals.set_handler(launch._exit_at_once)
process.handle_signals()
with {within}:
    os.kill(os.getpid(), signal.SIGHUP)
process.end_if_interrupted()
print('goes on')""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "goes on\n", "")


def test_program_ends_with_a_failing_block():
    with pytest.raises(RuntimeError), process.started(["sleep", "600"]) as child:
        raise RuntimeError
    assert child.returncode == -signal.SIGTERM


def test_capture():
    done = process.capture(["sh", "-c", "cat; echo bad >&2; exit 3"], stdin="text")
    assert done == process.Finished(3, "text", "bad\n")
    assert process.capture(["sh", "-c", "kill -9 $$"]).status == 128 + 9


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "no message"),
        ("\n \nfirst\nsecond\n", "first"),
        ("starting\npg: FATAL: no space\nx", "pg: FATAL: no space"),
        ("warning\nmemfile_ubench: --sync: no\n", "memfile_ubench: --sync: no"),
    ],
)
def test_first_error(text, line):
    assert process.first_error(text) == line


def test_processes_of_a_session(tmp_path):
    words = ["sh", "-c", "sleep 600 & wait"]
    with subprocess.Popen(words, start_new_session=True, cwd=tmp_path) as shell:
        assert process.wait_until(lambda: len(process.descendants(shell.pid)) == 1)
        (sleeper,) = process.children(shell.pid)
        assert sorted(process.session_members(shell.pid)) == sorted([shell.pid, sleeper])
        assert sorted(process.working_in(tmp_path)) == sorted([shell.pid, sleeper])
        assert process.wait_until(lambda: process.command_line(sleeper) == ["sleep", "600"])
        process.send_signal([sleeper, shell.pid, 2**22 + 1], signal.SIGKILL)
    assert process.session_members(shell.pid) == []
    assert process.command_line(shell.pid) == []


def test_the_shell_of_a_user_is_no_leftover_of_a_server(tmp_path):
    """It may have gone into the folder of data, whose processes are killed."""
    shell, terminal = pty.fork()
    if shell == 0:
        os.chdir(tmp_path)
        os.execvp("sleep", ["sleep", "600"])
    try:
        assert process.wait_until(lambda: process.command_line(shell) == ["sleep", "600"])
        assert os.readlink(f"/proc/{shell}/cwd") == str(tmp_path)
        assert process.working_in(tmp_path) == []
    finally:
        os.kill(shell, signal.SIGKILL)
        os.waitpid(shell, 0)
        os.close(terminal)


def test_wait_until():
    assert process.wait_until(lambda: True, 0)
    begun = time.monotonic()
    assert not process.wait_until(lambda: False, 0.1, pause_s=0.01)
    assert time.monotonic() - begun >= 0.1
