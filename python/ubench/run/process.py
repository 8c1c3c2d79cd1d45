# SPDX-License-Identifier: ISC
"""Starting programs, signals, and the processes that a program has started.

A campaign that a signal ends must lose nothing: the signal becomes the exception Interrupted, the
program that runs gets one too, and has the time to put settings back.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from ubench import signals

SIGNALS = signals.ENDING


class Interrupted(SystemExit):
    """A signal asked this program to end; it does, with the exit status 130 or 143."""

    def __init__(self, number: int) -> None:
        self.number = signal.Signals(number)
        self.status = 130 if number == signal.SIGINT else 143
        super().__init__(self.status)


# ---- Signals


@dataclass
class _Deferral:
    """Whether signals wait, which one does, and which one came last, ignored or not."""

    depth: int = 0
    waiting: int | None = None
    last: int | None = None


_deferral = _Deferral()


def _note(number: int, _frame: FrameType | None) -> None:
    _deferral.last = number


def _interrupt(number: int, frame: FrameType | None) -> None:
    _note(number, frame)
    if _deferral.depth:
        _deferral.waiting = number
    else:
        raise Interrupted(number)


def handle_signals() -> None:
    """Let ^C, SIGTERM and, except under nohup, SIGHUP raise Interrupted from now on."""
    signals.set_handler(_interrupt)


def end_if_interrupted() -> None:
    """Raise Interrupted if a signal has asked this program to end, even if it was ignored.

    A program that works in steps calls this after each: a signal during the clean-up of a step
    does not interrupt that, but the next step must not begin.
    """
    if _deferral.last is not None:
        raise Interrupted(_deferral.last)


@contextlib.contextmanager
def signals_ignored() -> Iterator[None]:
    """Keep ^C from interrupting a clean-up, however often it is pressed.

    `end_if_interrupted` then ends the program.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heeded = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    handlers = {number: signal.signal(number, _note) for number in heeded}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def signals_deferred() -> Iterator[None]:
    """Run a block; a signal that comes meanwhile raises Interrupted at its end.

    So no process is started without being known.
    """
    _deferral.depth += 1
    try:
        yield
    finally:
        _deferral.depth -= 1
        if not _deferral.depth and _deferral.waiting is not None:
            number, _deferral.waiting = _deferral.waiting, None
            raise Interrupted(number)


# ---- Programs


@dataclass(frozen=True)
class Finished:
    """A program that has ended; `out` and `err` are "" unless they were captured."""

    status: int  # 128 + N if signal N ended it
    out: str = ""
    err: str = ""


@contextlib.contextmanager
def started(  # noqa: PLR0913 # by keyword, as those of Popen
    command: Sequence[object],
    *,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: int | None = subprocess.DEVNULL,
    stdout: int | None = None,
    stderr: int | None = None,
    pass_fds: Sequence[int] = (),
) -> Iterator[subprocess.Popen[str]]:
    """Start a program in a session of its own, so that ^C reaches this program alone.

    Words of the command can be paths.

    If the block raises, the program gets SIGINT or SIGTERM, and this waits until it has ended: it
    may have settings to put back. Raises OSError if it cannot be started.
    """
    child = None
    try:
        with signals_deferred():
            child = subprocess.Popen(
                [str(word) for word in command],
                cwd=cwd,
                env=env,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                pass_fds=pass_fds,
                start_new_session=True,
                encoding="utf-8",
                errors="replace",
            )
        yield child
    except BaseException as error:
        if child:
            is_interrupt = isinstance(error, Interrupted) and error.number == signal.SIGINT
            with signals_ignored():
                child.send_signal(signal.SIGINT if is_interrupt else signal.SIGTERM)
                child.communicate()
        raise


def run(  # noqa: PLR0913 # by keyword, as those of Popen
    command: Sequence[object],
    *,
    stdin: str | None = None,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    pass_fds: Sequence[int] = (),
) -> Finished:
    """Run a program to its end, with the text `stdin` as its input.

    Its output goes where this program's goes, or into the result where that is subprocess.PIPE.
    """
    with started(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
        stdout=stdout,
        stderr=stderr,
        pass_fds=pass_fds,
    ) as child:
        out, err = child.communicate(stdin)
    status = child.returncode if child.returncode >= 0 else 128 - child.returncode
    return Finished(status, out or "", err or "")


def capture(
    command: Sequence[object],
    *,
    stdin: str | None = None,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Finished:
    """Run a program to its end, and keep both its outputs."""
    return run(
        command, stdin=stdin, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def first_error(text: str) -> str:
    """Return the line of a program's messages that says why it failed."""
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.search("_ubench: |ERROR|FATAL|invalid", line)]
    return next(iter(errors or lines), "no message")


# ---- Processes


def children(pid: int) -> list[int]:
    """Return the processes that a process has started and that have not ended."""
    with contextlib.suppress(OSError):
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, and theirs, parents first."""
    pids = [pid]
    for parent in pids:
        pids += children(parent)
    return pids[1:]


def session_members(leader: int) -> list[int]:
    """Return the processes of a session that have not ended."""
    return [pid for pid in _all_pids() if _session(pid) == leader]


def _all_pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


@dataclass(frozen=True)
class _Belonging:
    """Where a process belongs (proc(5), /proc/pid/stat)."""

    session: int
    terminal: int  # 0: it has none


def _belonging(pid: int) -> _Belonging | None:
    """Return where a process belongs; None if it has ended."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        state, _parent, _group, session, terminal = text.rpartition(")")[2].split()[:5]
        return None if state in "ZX" else _Belonging(int(session), int(terminal))
    return None


def _session(pid: int) -> int | None:
    """Return the session of a process; None if it has ended."""
    belonging = _belonging(pid)
    return belonging.session if belonging else None


def command_line(pid: int) -> list[str]:
    """Return the words of a running process; [] if it has ended."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
        return text.removesuffix("\0").split("\0") if text else []
    return []


def working_in(folder: Path) -> list[int]:
    """Return the processes whose working directory is this folder.

    Those on a terminal are left out: they are a user's shell, and what was started there.
    """
    pids = []
    for pid in _all_pids():
        with contextlib.suppress(OSError):
            is_there = os.readlink(f"/proc/{pid}/cwd") == str(folder)
            belonging = _belonging(pid) if is_there else None
            if belonging and not belonging.terminal:
                pids.append(pid)
    return pids


def send_signal(pids: Iterable[int], number: int) -> None:
    """Send a signal to each process that has not ended."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def wait_until(
    condition: Callable[[], bool], seconds: float = 120, *, pause_s: float = 0.05
) -> bool:
    """Wait until a condition holds; False if it does not within `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(pause_s)
    return True
