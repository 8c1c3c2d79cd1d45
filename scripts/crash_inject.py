# SPDX-License-Identifier: ISC
"""The crash itself: waits for a load to be under way, picks a moment by a seed, writes that
moment into the load's ledger and only then takes the file system or processes away."""
import contextlib
import ctypes
import fcntl
import mmap
import os
import signal
import struct
import time

from campaign import await_, children, read
from crash_disk import random_at

# Places in a ledger, see ubench/load/crash/ledger.h.
MAGIC = b"ubench-ledger/4\0"
BEGUN, CRASHED, STARTED, KEYS = 24, 32, 40, 4096
EXT4_SHUTDOWN, NO_LOG_FLUSH = 0x8004587d, 2  # include/uapi/linux/ext4.h
PATIENCE_S = 60


class TooLate(ValueError):
    """The load had ended before the crash."""


def open_ledger(path):
    """The ledger's bytes, shared with the load, or None if there is none yet."""
    with contextlib.suppress(OSError, ValueError), open(path, "r+b") as file:
        ledger = mmap.mmap(file.fileno(), 0)
        if ledger[:len(MAGIC)] == MAGIC and len(ledger) > KEYS:
            return ledger
    return None


def read_time(ledger, at):
    return struct.unpack_from("=Q", ledger, at)[0]


def note_time(ledger, at, time_ns):
    struct.pack_into("=Q", ledger, at, time_ns)


def acknowledged_since(ledger, since_ns):
    """Whether something was submitted since then and acknowledged: each lease has 64 bytes,
    with two times for its creation, its update and its deletion."""
    with memoryview(ledger) as view, view[KEYS:].cast("Q") as times:
        for first in (0, 2, 4):
            with times[first::8] as submitted, times[first + 1::8] as acknowledged:
                if any(at > since_ns and done for at, done in zip(submitted, acknowledged)):
                    return True
    return False


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


def kill_tree(pids):
    """The parent first, so that it makes no new ones.  Waits until they are gone, and their
    files are free."""
    send(signal.SIGKILL, pids)
    await_(lambda: not any(map(is_running, pids)), 5, 0.001)


def kill_one(pid, beginning, seed):
    """One process of the tree whose command line begins so, by the seed."""
    matching = [one for one in tree(pid) if read(f"/proc/{one}/cmdline").startswith(beginning)]
    if not matching:
        raise ValueError(f"{pid} has no child '{beginning}'")
    os.kill(matching[(random_at(seed, 1) >> 32) * len(matching) >> 32], signal.SIGKILL)


def sync_or_cut(folder, power):
    """Writes a file system (ext4) back, or shuts it down without that."""
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if power:
            fcntl.ioctl(held, EXT4_SHUTDOWN, struct.pack("=I", NO_LOG_FLUSH))
        else:
            ctypes.CDLL(None).syncfs(held)
    finally:
        os.close(held)


def wait_for_load(path, load):
    """Until its first operation; returns the ledger."""
    end, ledger = time.monotonic() + PATIENCE_S, None
    while time.monotonic() < end:
        ledger = ledger or open_ledger(path)
        if ledger and read_time(ledger, BEGUN):
            return ledger
        if load.poll() is not None:
            raise ValueError("the load is gone before it began")
        time.sleep(0.0005)
    raise ValueError(f"the load has not begun in {PATIENCE_S} s")


def wait_for_work(ledger, load, since_ns):
    """Until there is something to lose."""
    await_(lambda: acknowledged_since(ledger, since_ns) or load.poll() is not None,
           PATIENCE_S, 0.001)


def inject(path, load, seed, after_s, spread_s, mount=None, power=False, server=None,
           matching=None, take_node=None):
    """One crash of the load's store: the power of a mounted file system, a server with all
    its children, or one child that matches, and the load.  With take_node none of these: it
    takes one node away, and no moment is noted, since all counts that the load, which goes on
    until another one has acknowledged something, was told."""
    ledger = wait_for_load(path, load)
    if mount:  # what was there before the load is to be there after it
        sync_or_cut(mount, False)
    synced_ns = time.monotonic_ns()
    time.sleep(after_s + random_at(seed, 0) % int(spread_s * 1e9) / 1e9)
    wait_for_work(ledger, load, synced_ns)
    if load.poll() is not None:
        raise TooLate("the load had ended before the crash")
    if take_node:
        take_node()
        wait_for_work(ledger, load, time.monotonic_ns())
        load.terminate()
        return
    pids = tree(server) if server else []
    note_time(ledger, CRASHED, time.monotonic_ns())
    if power:
        sync_or_cut(mount, True)
    if matching:
        kill_one(server, matching, seed)
        return
    if pids:
        kill_tree(pids)
    load.kill()


def note_start(path, pid):
    """When a server was started again, on our clock: field 22 of its stat is in clock ticks
    since the machine was."""
    ticks = int(read(f"/proc/{pid}/stat").rpartition(")")[2].split()[19])
    note_time(open_ledger(path), STARTED, ticks * 10**9 // os.sysconf("SC_CLK_TCK"))
