# SPDX-License-Identifier: ISC
"""Counting the instructions of a runner with valgrind: exactly, whatever else the machine does.

Callgrind counts what workers do, which is all that `run_worker` (ubench/load/engine_run.c) calls,
and writes a file whenever a worker has ended its part of a turn. It begins once the store is
filled, and ends before the last checks, because a program that is not counted runs faster.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from ubench.errors import Problem, UsageError
from ubench.run import process

PROGRAM = "valgrind"
SWITCH = "vgdb"  # a program of valgrind, which sends commands to it
WORKER = "run_worker"
# What a worker does for its series once a second (ubench/measure/series.c), however many operations
# that was: entering it ends the counting, and leaving it begins it again.
EACH_SECOND = "close_second"
TOTAL = re.compile(r"^totals: (\d+)$", re.MULTILINE)

NOT_INSTALLED = "--valgrind: valgrind is not installed; type: apt-get install valgrind"
NO_SWITCH = "valgrind does not answer: {why}"
NO_COUNT = (
    "valgrind counted nothing; expected a runner that make built, of this version, and that was "
    "not stripped"
)


def check_installed() -> None:
    """Raise UsageError if there is no valgrind."""
    if not all(map(shutil.which, (PROGRAM, SWITCH))):
        raise UsageError(NOT_INSTALLED)


class InstructionCounter:
    """Counts the instructions of the workers of one runner; raises Problem if that fails."""

    def __init__(self, folder: Path) -> None:
        """`folder`: an empty one, for the files of valgrind."""
        self._folder = folder
        self._pipes = f"--vgdb-prefix={folder / 'pipe'}"

    def words(self) -> Sequence[str]:
        """Return the words before the command of the runner."""
        return (
            PROGRAM,
            "--tool=callgrind",
            "--instr-atstart=no",
            f"--toggle-collect={WORKER}",
            f"--toggle-collect={EACH_SECOND}",
            f"--dump-after={WORKER}",
            f"--callgrind-out-file={self._folder / 'counts'}",
            f"--log-file={self._folder / 'log'}",
            self._pipes,
        )

    def switch(self, pid: int, to: str) -> None:
        """Let valgrind count from now on, "on", or no longer, "off"."""
        command = (SWITCH, f"--pid={pid}", self._pipes, "instrumentation", to)
        done = process.capture(command)
        if done.status != 0:
            raise Problem(NO_SWITCH.format(why=process.first_error(done.err)))

    def take(self) -> int:
        """Return the instructions since the last call."""
        total, is_counted = 0, False
        for path in self._folder.glob("counts.*"):
            counted = TOTAL.search(path.read_text(encoding="utf-8", errors="replace"))
            if counted:
                total, is_counted = total + int(counted[1]), True
            path.unlink()
        if not is_counted or total == 0:
            raise Problem(NO_COUNT)
        return total
