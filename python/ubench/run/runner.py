# SPDX-License-Identifier: ISC
"""A runner that works in turn: one client of the protocol in ubench/load/turns.h.

A runner with --turns says `ready` once its store is open and filled. It works for as long as each
`turn MS` says and answers with figures, and `end` makes it check its store and give its result.
If this process dies, the input of the runner ends, and it stops by itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import IO, NoReturn

from ubench import paths
from ubench.errors import Problem
from ubench.records.turns import CLOCK_SHARE, why_impossible
from ubench.run import process
from ubench.run.input_files import with_absolute_paths
from ubench.run.servers import PrivateServers
from ubench.run.valgrind import InstructionCounter

SILENCE_S = 120  # in which a runner has to answer
FILL_S = 24 * 3600  # the longest time to fill or check a store
LINE_MAX = 1 << 16  # bytes of a line, but for a result
RESULT_MAX = 64 << 20  # bytes of a result

# ---- Turns

FIGURE_MAX = 2**53  # of a figure: 104 days in ns
CLOCKS_AGREE_NS = 10**6  # two clocks agree within that, and CLOCK_SHARE, on the length of a turn


@dataclass(frozen=True)
class Turn:
    """What a runner did in one turn. None: not known."""

    operations: int
    elapsed_ns: int
    cpu_ns: int  # processor time of the runner
    server_cpu_ns: int | None  # of the processes of its store's server
    syncs: int | None  # of the store's file, or of all files of its server
    p50_ns: int | None  # of the time of an operation
    p99_ns: int | None
    errors: int  # operations that the store gave up
    log_bytes: int | None  # that the server wrote to its logs
    instructions: int | None = None  # of the runner's workers, in user space
    server_instructions: int | None = None
    cycles: int | None = None  # of the runner's workers, in user space
    switches: int | None = None  # context switches of the runner


OPTIONAL = (
    "server_cpu_ns", "syncs", "p50_ns", "p99_ns", "log_bytes", "instructions",
    "server_instructions", "cycles", "switches",
)  # fmt: skip


class TurnError(Exception):
    """The figures of a turn cannot be true; the text is the first fault."""


def parse_turn(text: str, wall_ns: int) -> Turn:
    """Read the JSON of a turn, which took `wall_ns` by the clock of the caller.

    Raises TurnError for a text that is not of a turn, and for figures that no machine reaches: a
    gate must not rest on them.
    """
    members = _members(text)
    latency = members.pop("latency", None)
    if isinstance(latency, dict):
        members |= {name: latency.get(name) for name in ("p50_ns", "p99_ns")}
    elif latency is not None:
        raise TurnError("latency is neither an object nor null")
    values = {field.name: _figure(members, field.name) for field in fields(Turn)}
    turn = Turn(**values)  # type: ignore[arg-type] # _figure returns None for OPTIONAL alone
    _check_turn(turn, wall_ns)
    return turn


def _members(text: str) -> dict[str, object]:
    """Return the members of a JSON object, none of them twice."""

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        members = dict(pairs)
        if len(members) < len(pairs):
            raise TurnError("a member of it is given twice")
        return members

    try:
        value = json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        raise TurnError("it is not JSON") from None
    if not isinstance(value, dict):
        raise TurnError("it is not a JSON object")
    return value


def _figure(members: dict[str, object], name: str) -> int | None:
    """Return a whole number that a turn has, or None for one that need not be known."""
    value = members.get(name)
    if value is None and name in OPTIONAL:
        return None
    if type(value) is not int or not 0 <= value <= FIGURE_MAX:
        raise TurnError(f"{name} is not a whole number in 0..2^53")
    return value


def _check_turn(turn: Turn, wall_ns: int) -> None:
    """Raise TurnError if the figures cannot be true."""
    fault = why_impossible(turn)
    longest_ns = int(wall_ns * (1 + CLOCK_SHARE)) + CLOCKS_AGREE_NS
    if not fault and turn.elapsed_ns > longest_ns:
        fault = f"elapsed_ns is {turn.elapsed_ns}, and the turn took {wall_ns} ns"
    if fault:
        raise TurnError(fault)


# ---- Runners


def excerpt(text: str) -> str:
    """Return the beginning of what a runner said, for a message."""
    return text[:80].rstrip("\n")


class TurnRunner:
    """A runner that works in turn, with a folder of its own and, if asked for, a private server.

    Every method raises Problem, which begins with `name`, if the runner fails or says something
    else than the protocol has. `stop` always ends it and all that it has started.
    """

    def __init__(
        self, name: str, command: Sequence[str], server: str = "", *, valgrind: bool = False
    ) -> None:
        """Describe a runner; `start` starts it.

        `name`: for messages, "B". `command`: the runner with its options, perhaps after ssh and a
        host; --turns is added. `server`: the kind and the options of a private server, "pgsql -c
        fsync=off", or "" for none. `valgrind`: its turns have the instructions that valgrind
        counts.
        """
        self.name = name
        self.command = tuple(command)
        self.server = server
        self.valgrind = valgrind
        self._counter: InstructionCounter | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._received = b""
        self._servers_folder: Path | None = None

    # -- The protocol

    def start(self, folder: Path) -> None:
        """Make the folder and start the runner in it; do not wait until it is ready."""
        folder.mkdir()
        search = f"{paths.programs()}:{os.environ.get('PATH', '')}"
        known = shutil.which(self.command[0], path=search)
        program = os.path.abspath(known) if known else self.command[0]
        words = [
            *self._server_words(),
            *self._counter_words(folder),
            program,
            *with_absolute_paths(self.command[1:]),
            "--turns",
        ]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 # closed by stop
        self._received = b""
        try:
            with process.signals_deferred():
                self._child = subprocess.Popen(
                    words,
                    cwd=folder,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    start_new_session=True,
                )
        except OSError as error:
            self._fail(f"cannot run '{self.command[0]}': {error.strerror}")

    def wait_ready(self) -> None:
        """Wait until the store is open and filled."""
        self._expect("ready", FILL_S)
        self._switch_counter("on")

    def turn(self, milliseconds: int) -> Turn:
        """Let it work for so long; return what it did."""
        begun_ns = time.monotonic_ns()
        self._send(f"turn {milliseconds}\n")
        text = self._expect("turn", milliseconds / 1000 + SILENCE_S)
        try:
            done = parse_turn(text, time.monotonic_ns() - begun_ns)
        except TurnError as fault:
            self._fail(
                f"it said 'turn {excerpt(text)}'; expected the figures of a turn, as runners of "
                f"ubench say them: {fault}"
            )
        return self._with_counts(done)

    def result(self) -> str:
        """Let it check its store and end; return its result, an unchecked line of JSON."""
        self._switch_counter("off")
        self._send("end\n")
        self._expect("result", FILL_S)
        line = self._read_line(SILENCE_S, RESULT_MAX).rstrip("\n")
        if self._running().wait() != 0 or not line:
            self._fail_as_ended()
        return line

    @property
    def pid(self) -> int:
        """The process that was started: the runner, unless it has a private server or a host."""
        return self._running().pid

    @property
    def errors(self) -> str:
        """What it has written to its standard error."""
        if self._errors is None:
            return ""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip()

    def _server_words(self) -> list[str]:
        """Return the command that gives the runner a private server, or nothing.

        That is a process of its own, so that several servers start at the same time, and each one
        is stopped when its runner ends, even if this process was killed.
        """
        if not self.server:
            return []
        paths.writable().mkdir(parents=True, exist_ok=True)
        self._servers_folder = Path(tempfile.mkdtemp(prefix="run-", dir=paths.writable()))
        servers = paths.task_command("servers")
        return [*servers, "run", "--folder", str(self._servers_folder), self.server]

    # -- Instructions

    def _counter_words(self, folder: Path) -> Sequence[str]:
        """Return what starts valgrind with files in a new folder, or nothing."""
        if not self.valgrind:
            return ()
        files = folder / "valgrind"
        files.mkdir()
        self._counter = InstructionCounter(files.absolute())
        return self._counter.words()

    def _switch_counter(self, to: str) -> None:
        if self._counter is not None:
            try:
                self._counter.switch(self._running().pid, to)
            except Problem as problem:
                self._fail(str(problem))

    def _with_counts(self, done: Turn) -> Turn:
        """Return a turn with the counts of valgrind. Those of the processor are of valgrind."""
        if self._counter is None:
            return done
        try:
            return replace(done, instructions=self._counter.take(), cycles=None)
        except Problem as problem:
            self._fail(str(problem))

    # -- Lines

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None:
            raise Problem(f"{self.name}: it was not started")
        return self._child

    def _fail(self, text: str, status: int = 1) -> NoReturn:
        raise Problem(f"{self.name}: {text}", status)

    def _fail_as_ended(self) -> NoReturn:
        """Fail because the runner has ended, with its own message if it left one."""
        status = self._running().wait()
        text = self.errors or f"it ended with exit status {status}"
        self._fail(text, status if status in (2, 3) else 1)

    def _send(self, line: str) -> None:
        stdin = self._running().stdin
        assert stdin is not None  # it is a pipe
        try:
            os.write(stdin.fileno(), line.encode())
        except BrokenPipeError:
            self._fail_as_ended()

    def _expect(self, word: str, seconds: float) -> str:
        """Return the rest of the next line, which begins with this word."""
        line = self._read_line(seconds, LINE_MAX).rstrip("\n")
        if not line:
            self._fail_as_ended()
        first, _, rest = line.partition(" ")
        if first == "result" and word != "result":
            self._fail_as_ended_early()
        if first != word:
            self._fail(
                f"it said '{excerpt(line)}'; expected '{word}', as runners of ubench say it"
            )
        return rest

    def _fail_as_ended_early(self) -> NoReturn:
        """Fail because the runner has ended by itself; its result has the reason."""
        reason = ""
        with contextlib.suppress(ValueError, RecursionError, AttributeError):
            reason = str(json.loads(self._read_line(SILENCE_S, RESULT_MAX)).get("error", ""))
        self._running().wait()
        self._fail(self.errors or reason or "it has ended")

    def _read_line(self, seconds: float, most: int) -> str:
        """Return the next whole line, with its newline; "" if its output has ended.

        Raises Problem if none comes within `seconds`, or if it is longer than `most` bytes.
        """
        stdout = self._running().stdout
        assert stdout is not None  # it is a pipe
        end = time.monotonic() + seconds
        while b"\n" not in self._received:
            if len(self._received) > most:
                text = excerpt(self._received[:80].decode(errors="replace"))
                self._fail(
                    f"it said '{text}', and more than {most} bytes; expected a line, as runners "
                    "of ubench say it"
                )
            ready, _, _ = select.select([stdout], [], [], max(end - time.monotonic(), 0))
            if not ready:
                self._fail(f"it has not answered for {seconds:.0f} s")
            part = os.read(stdout.fileno(), 1 << 16)
            if not part:
                return ""
            self._received += part
        line, _, self._received = self._received.partition(b"\n")
        return line.decode(errors="replace") + "\n"

    # -- The end

    def close_input(self) -> None:
        """End its input, at which it stops by itself, puts settings back and stops its server.

        Callers with several runners close the input of all of them before they stop the first.
        """
        if self._child and self._child.stdin:
            with contextlib.suppress(OSError):
                self._child.stdin.close()

    def stop(self) -> list[str]:
        """End it, however far it came, and all that it has started.

        Returns what could not be ended.
        """
        child = self._child
        if child is None:
            return []
        self.close_input()
        self._end(child)
        left = self._end_session(child.pid) + self._end_server()
        for file in (child.stdout, self._errors):
            if file:
                file.close()
        self._child = self._errors = None
        return left

    def _end(self, child: subprocess.Popen[bytes]) -> None:
        """Wait until it ends by itself, ask it to, and then kill it.

        The process that keeps a private server is killed last: it stops the server once its
        runner has ended.
        """
        if _has_ended(child, 10):
            return
        for number in (signal.SIGTERM, signal.SIGCONT):  # processes that were stopped go on
            process.send_signal([child.pid, *process.descendants(child.pid)], number)
        if not _has_ended(child, 60):
            victims = process.descendants(child.pid) if self.server else [child.pid]
            process.send_signal(victims, signal.SIGKILL)
        if not _has_ended(child, 60):
            process.send_signal([child.pid], signal.SIGKILL)
            child.wait()

    def _end_session(self, leader: int) -> list[str]:
        """Kill all processes of its session that are left."""
        process.send_signal(process.session_members(leader), signal.SIGKILL)
        if process.wait_until(lambda: not process.session_members(leader), 10):
            return []
        pids = " ".join(str(pid) for pid in process.session_members(leader))
        return [f"processes {pids}"]

    def _end_server(self) -> list[str]:
        """Stop the private server if the process that kept it was killed."""
        folder, self._servers_folder = self._servers_folder, None
        if folder is None or not folder.exists():
            return []
        servers = PrivateServers(folder)
        servers.stop()
        if servers.running():
            return [f"its server in {folder}"]
        shutil.rmtree(folder, ignore_errors=True)
        return []


def _has_ended(child: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait until a process has ended, for so long at most."""
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True
