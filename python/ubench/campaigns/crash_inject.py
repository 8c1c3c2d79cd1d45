# SPDX-License-Identifier: ISC
"""How to crash a store: the moment in its load, the ends of processes and of a file system."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import mmap
import os
import random
import signal
import struct
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from ubench.run import process

# Places in a ledger, in words of 8 bytes (ubench/load/crash/ledger.h). Each lease has 8 words from
# KEYS on, of which the first 6 are the times of its creation, update and deletion: when each was
# submitted, and when it was acknowledged.
MAGIC = b"ubench-ledger/5\0"
BEGUN, CRASHED, STARTED, KEYS = 3, 4, 5, 512
WORDS_OF_LEASE = 8
CHANGES_OF_LEASE = (0, 2, 4)

EXT4_SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, 2  # include/uapi/linux/ext4.h
START_TIME = 19  # of the words after the name in /proc/PID/stat; in clock ticks since the boot
PATIENCE_S = 300  # longer than a busy machine takes
SHORT_S = 0.001
VERY_SHORT_S = 0.0005


class HarnessFailure(Exception):
    """A crash says nothing of its store, because something else went wrong."""


class TooLate(HarnessFailure):
    """The load had ended before the crash."""


# ---- The ledger


class Ledger:
    """What a load notes of its changes: when each was submitted, and when acknowledged.

    The file is shared with the load, and outlives it.
    """

    def __init__(self, words: memoryview) -> None:
        self._words = words

    @classmethod
    def open(cls, path: Path) -> Ledger | None:
        """Return the ledger of a file; None if a load has not made it yet."""
        with contextlib.suppress(OSError, ValueError), open(path, "r+b") as file:
            ledger = mmap.mmap(file.fileno(), 0)
            if ledger[: len(MAGIC)] == MAGIC and len(ledger) > WORDS_OF_LEASE * KEYS:
                return cls(memoryview(ledger).cast("Q"))
        return None

    @property
    def begun_ns(self) -> int:
        """When the load performed its first operation; 0: not yet."""
        return int(self._words[BEGUN])

    def note_crash(self) -> None:
        """Note that the crash is now."""
        self._words[CRASHED] = time.monotonic_ns()

    def note_start(self, pid: int) -> None:
        """Note when a server was started again, on the clock of the load."""
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        ticks = int(stat.rpartition(")")[2].split()[START_TIME])
        self._words[STARTED] = ticks * 10**9 // os.sysconf("SC_CLK_TCK")

    def has_acknowledged(self, since_ns: int, least: int = 1) -> bool:
        """Return whether at least `least` changes were submitted since then and acknowledged."""
        acknowledged = (
            submitted_at > since_ns and acknowledged_at > 0
            for change in CHANGES_OF_LEASE
            for submitted_at, acknowledged_at in self._times(KEYS + change)
        )
        return any(number == least for number in itertools.accumulate(map(int, acknowledged)))

    def _times(self, first: int) -> Iterable[tuple[int, int]]:
        """Yield when one change of each lease was submitted and acknowledged."""
        submitted = self._words[first::WORDS_OF_LEASE]
        return zip(submitted, self._words[first + 1 :: WORDS_OF_LEASE], strict=False)


# ---- The moment


def wait_for_work(
    ledger: Ledger, load: subprocess.Popen[str], since_ns: int, least: int = 1
) -> None:
    """Wait until there is something to lose: `least` acknowledged changes."""
    process.wait_until(
        lambda: ledger.has_acknowledged(since_ns, least) or load.poll() is not None,
        PATIENCE_S,
        pause_s=SHORT_S,
    )


def wait_for_moment(
    path: Path, load: subprocess.Popen[str], synced: Path | None, after_s: float, least: int = 1
) -> Ledger:
    """Wait until a load has begun, then for a time, and then for `least` changes.

    `path` is the ledger's. What the file system of the folder `synced` has when the load begins is
    synced. Raises HarnessFailure.
    """

    def has_begun() -> bool:
        ledger = Ledger.open(path)
        return ledger is not None and ledger.begun_ns > 0

    waited = process.wait_until(
        lambda: has_begun() or load.poll() is not None, PATIENCE_S, pause_s=VERY_SHORT_S
    )
    if not waited:
        raise HarnessFailure(f"the load has not begun in {PATIENCE_S} s")
    ledger = Ledger.open(path)
    if ledger is None or ledger.begun_ns == 0:
        raise HarnessFailure("the load ended before it began")
    if synced:
        process.capture(["sync", "-f", synced])
    synced_ns = time.monotonic_ns()
    time.sleep(after_s)
    wait_for_work(ledger, load, synced_ns, least)
    if load.poll() is not None:
        raise TooLate("the load had ended before the crash")
    return ledger


# ---- The end of processes


def is_running(pid: int) -> bool:
    """Return whether a process runs; one that has ended stays until its parent asks for it."""
    with contextlib.suppress(OSError):
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        return not stat.rpartition(")")[2].startswith(" Z")
    return False


def process_tree(pid: int) -> list[int]:
    """Return a process and all its descendants.

    PostgreSQL and others give each child a session of its own, so that no group has them all.
    """
    return [pid, *process.descendants(pid)]


def kill(pids: Sequence[int]) -> None:
    """Kill processes, parents first, so that they make no new ones; wait until they are gone."""
    process.send_signal(pids, signal.SIGKILL)
    process.wait_until(lambda: not any(map(is_running, pids)), PATIENCE_S, pause_s=SHORT_S)


def kill_one(pids: Sequence[int], begin: str, chance: random.Random) -> None:
    """Kill one of these processes whose command line begins with a text. Raises HarnessFailure."""
    matching = [pid for pid in pids if " ".join(process.command_line(pid)).startswith(begin)]
    if not matching:
        raise HarnessFailure(f"process {pids[0]} has no child '{begin}'")
    os.kill(chance.choice(matching), signal.SIGKILL)


# ---- The end of a file system


def cut_power(folder: Path) -> None:
    """Shut down the file system (ext4) of a folder, without writing anything back."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.ioctl(descriptor, EXT4_SHUTDOWN, struct.pack("=I", NO_LOG_FLUSH))
    finally:
        os.close(descriptor)
