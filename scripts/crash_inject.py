# SPDX-License-Identifier: ISC
"""The parts of a crash: the wait for its moment in a load; the load's ledger, which notes that
moment; and the ends of processes and of a file system."""
import contextlib
import fcntl
import itertools
import mmap
import os
import signal
import struct
import time

from campaign import ask, await_, children, read

# Places in a ledger, in words of eight bytes, see ubench/load/crash/ledger.h.
MAGIC = b"ubench-ledger/4\0"
BEGUN, CRASHED, STARTED, KEYS = 3, 4, 5, 512
EXT4_SHUTDOWN, NO_LOG_FLUSH = 0x8004587d, 2  # include/uapi/linux/ext4.h
PATIENCE_S = 300  # longer than a busy machine takes


class TooLate(ValueError):
    """The load had ended before the crash."""


def open_ledger(path):
    """The ledger's words, shared with the load, or None if there is none yet."""
    with contextlib.suppress(OSError, ValueError), open(path, "r+b") as file:
        ledger = mmap.mmap(file.fileno(), 0)
        if ledger[:len(MAGIC)] == MAGIC and len(ledger) > 8 * KEYS:
            return memoryview(ledger).cast("Q")
    return None


def begun_ns(path):
    """When its load performed its first operation; 0 is not yet."""
    ledger = open_ledger(path)
    return ledger[BEGUN] if ledger else 0


def acknowledged_since(ledger, since_ns, least=1):
    """Whether that many changes were submitted since then and acknowledged: each lease has eight
    words, with two times for its creation, its update and its deletion."""
    done = (at > since_ns and done for first in (KEYS, KEYS + 2, KEYS + 4)
            for at, done in zip(ledger[first::8], ledger[first + 1::8]))
    return any(number == least for number in itertools.accumulate(map(bool, done)))


def is_running(pid):
    """One that has ended is there until its parent has asked for it."""
    stat = read(f"/proc/{pid}/stat")
    return stat != "" and not stat.rpartition(")")[2].startswith(" Z")


def tree(pid):
    """The process and all that came from it; postgres and others give each child a session
    of its own, so that no group has them all."""
    pids = [pid]
    for one in pids:
        pids += children(one)
    return pids


def send(number, pids):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def kill(pids):
    """The parent first, so that it makes no new ones.  Waits until they are gone, and their
    files are free."""
    send(signal.SIGKILL, pids)
    await_(lambda: not any(map(is_running, pids)), PATIENCE_S, 0.001)


def kill_one(pids, beginning, chance):
    """One process of these whose command line begins so."""
    matching = [pid for pid in pids if read(f"/proc/{pid}/cmdline").startswith(beginning)]
    if not matching:
        raise ValueError(f"{pids[0]} has no child '{beginning}'")
    os.kill(chance.choice(matching), signal.SIGKILL)


def cut_power(folder):
    """Shuts the file system (ext4) of a folder down, without writing it back."""
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.ioctl(held, EXT4_SHUTDOWN, struct.pack("=I", NO_LOG_FLUSH))
    finally:
        os.close(held)


def wait_for_work(ledger, load, since_ns, least=1):
    """Until there is something to lose: that many changes."""
    await_(lambda: acknowledged_since(ledger, since_ns, least) or load.poll() is not None,
           PATIENCE_S, 0.001)


def wait_for_moment(path, load, folder, after_s, least=1):
    """Until the load is under way, and for that time from then on, and until it has made that many
    changes; returns the ledger.  If there is a folder, what its file system had before is there
    after the crash."""
    if not await_(lambda: begun_ns(path) or load.poll() is not None, PATIENCE_S, 0.0005):
        raise ValueError(f"the load has not begun in {PATIENCE_S} s")
    if not begun_ns(path):
        raise ValueError("the load is gone before it began")
    if folder:
        ask(["sync", "-f", folder])
    synced_ns, ledger = time.monotonic_ns(), open_ledger(path)
    time.sleep(after_s)
    wait_for_work(ledger, load, synced_ns, least)
    if load.poll() is not None:
        raise TooLate("the load had ended before the crash")
    return ledger


def note_start(path, pid):
    """When a server was started again, on our clock: field 22 of its stat is in clock ticks
    since the machine was."""
    ticks = int(read(f"/proc/{pid}/stat").rpartition(")")[2].split()[19])
    open_ledger(path)[STARTED] = ticks * 10**9 // os.sysconf("SC_CLK_TCK")
