# SPDX-License-Identifier: ISC
"""Where stores are crashed: a file system that can lose power, and private servers on it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import signal
import time
from pathlib import Path

from ubench.campaigns.crash_inject import HarnessFailure, kill, process_tree
from ubench.campaigns.crash_plan import PRELOAD, CrashCell, ServerOptions
from ubench.errors import Problem
from ubench.run import process
from ubench.run.server import Server
from ubench.run.servers import PrivateServers

CLONE_NEWNS = 0x20000  # include/uapi/linux/sched.h
MARKER = "written and synced before the load"
IMAGE_SIZE = "1G"
REACHABLE = 0o711  # the servers' users have to reach folders below
WITHOUT_SECOND_S = 0.2  # in which another node hears nothing before its first node is lost

SMALL = {
    "mysql": [
        "--loose-innodb-log-file-size=16M",
        "--innodb-buffer-pool-size=64M",
        "--loose-innodb-redo-log-capacity=32M",
    ],
    "pgsql": ["-c", "shared_buffers=32MB"],
}
# How many clients a server still has.
SESSIONS = {
    "mysql": "SELECT count(*) FROM information_schema.processlist WHERE user = 'ubench'",
    "pgsql": "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ubench'",
}
AMCHECK = """
CREATE EXTENSION IF NOT EXISTS amcheck;
GRANT EXECUTE ON FUNCTION bt_index_check(regclass, boolean) TO ubench;
GRANT EXECUTE ON FUNCTION verify_heapam TO ubench;"""
REASON = re.compile("PANIC|FATAL|ERROR|got signal")  # in the log of a server
STILL_STARTING = "the database system is"  # "... starting up", which is not a reason

NO_SERVER = "the server does not start: {why}"


# ---- The file system


def enter_namespace() -> str:
    """Give this process mounts of its own; return why it cannot cut power, or "".

    Another program would keep a copy of the image's mount, and a store that is opened on the dead
    file system looks like one that lost everything.
    """
    if os.geteuid() != 0:
        return "it needs root"
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if ctypes.CDLL(None).unshare(CLONE_NEWNS) or not succeeds("mount", "--make-rprivate", "/"):
        return "it needs a mount namespace of its own"
    if shutil.which("mkfs.ext4") is None:
        return "mkfs.ext4 is not installed (Debian: e2fsprogs)"
    return ""


def succeeds(*words: str | Path) -> bool:
    """Return whether a program of the system did its work."""
    return process.capture(words).status == 0


class Disk:
    """An ext4 file system in an image in memory, which can lose power.

    Where no power can be cut, it is a plain folder.
    """

    def __init__(self, folder: Path, image: Path) -> None:
        """`folder`: where it is mounted."""
        self.folder = folder
        self.can_lose_power = False
        self._image = image
        self._is_mounted = False

    def enable_power_cuts(self, empty: Path) -> bool:
        """Try to mount an image; return whether power can be cut from now on."""
        self.can_lose_power = self._format(empty) and self.unmount()
        return self.can_lose_power

    def renew(self, base: Path) -> None:
        """Make a new file system with the files of a folder, and a marker that is synced.

        Nothing may use the old one. Raises Problem.
        """
        if not self.unmount():
            raise Problem(f"'{self.folder}' cannot be unmounted")
        if self.can_lose_power:
            if not self._format(base):
                raise Problem(f"no image can be mounted at '{self.folder}'")
        else:
            shutil.rmtree(self.folder)
            self.folder.mkdir(mode=REACHABLE)
        self._marker.write_text(MARKER, encoding="ascii")
        process.capture(["sync", "-f", self._marker])

    def remount(self) -> None:
        """Mount it again after a power cut. Raises HarnessFailure."""
        if not self.unmount():
            raise HarnessFailure("the image could not be unmounted")
        if not self._mount():
            raise HarnessFailure("the image could not be mounted again")
        if not self.is_sound():
            raise HarnessFailure("what was synced before the load is not on the image")

    def is_sound(self) -> bool:
        """Return whether it has the marker, which was synced."""
        with contextlib.suppress(OSError):
            return self._marker.read_text(encoding="ascii", errors="replace") == MARKER
        return False

    def unmount(self) -> bool:
        """Unmount it; return False if something still uses it after a while."""
        if self._is_mounted and process.wait_until(lambda: succeeds("umount", self.folder)):
            self._is_mounted = False
        return not self._is_mounted

    @property
    def _marker(self) -> Path:
        return self.folder / "marker"

    def _format(self, base: Path) -> bool:
        """Make a new image with the files of a folder, and mount it; return whether that worked."""
        made = succeeds("mkfs.ext4", "-q", "-F", "-d", base, self._image, IMAGE_SIZE)
        return made and self._mount()

    def _mount(self) -> bool:
        self._is_mounted = succeeds("mount", "-o", "loop", self._image, self.folder)
        if self._is_mounted:
            self.folder.chmod(REACHABLE)
        return self._is_mounted


# ---- Servers on it


class CrashServer:
    """The private server of a cell, or its cluster, with all its files on a disk."""

    def __init__(self, disk: Disk) -> None:
        self.pid = 0  # of the first server, when it was last started
        self.environment: dict[str, str] = {}  # by which runners reach it
        self._disk = disk
        self._servers = PrivateServers(disk.folder / "servers")
        self._kind = ""

    @property
    def is_started(self) -> bool:
        """Whether it was started, and not stopped since; it may have been crashed."""
        return bool(self._kind)

    def start(self, cell: CrashCell) -> None:
        """Start the server of a cell. Raises HarnessFailure."""
        options = cell.server
        if options.lies_about_syncs and not _has_preload():
            reason = f"{PRELOAD} is not installed (Debian: libeatmydata1)"
            raise HarnessFailure(NO_SERVER.format(why=reason))
        self._start(cell.store, options)

    def start_plain(self, store: str) -> None:
        """Start a server with its defaults. Raises HarnessFailure."""
        self._start(store, ServerOptions())

    def start_again(self, cell: CrashCell) -> str:
        """Start a server after its crash.

        Returns why it does not start on a sound file system: that is the store's doing. Otherwise
        returns "", or raises HarnessFailure. A server that is merely slow says so.
        """
        try:
            self.start(cell)
        except HarnessFailure:
            reasons = self._reasons_in_log(cell.store)
            if not reasons or not self._disk.is_sound():
                raise
            return reasons[-1]
        return ""

    def stop(self) -> None:
        """Stop it, with all nodes that are left, and wait.

        After a power cut its files may not be readable; its processes end all the same.
        """
        if self._kind:
            with contextlib.suppress(OSError, Problem):
                self._servers.stop(self._kind)
            if self.pid:
                kill(process_tree(self.pid))
        self._kind = ""
        self.pid = 0

    def sql(self, text: str, database: str, member: int = 1) -> str | None:
        """Run statements as the administrator; return the rows, or None if they fail."""
        with contextlib.suppress(Problem):
            return self._servers.server(self._kind, member).sql(text, database)
        return None

    def addresses(self) -> list[str]:
        """Return HOST:PORT of each node, the one that is written to first."""
        *others, first = self._servers.members(self._kind)
        return [f"{node.host}:{node.port}" for node in (first, *others)]

    def prepare_checks(self) -> None:
        """Allow the runner to check tables and indexes, where the server can."""
        if self._kind == "pgsql":
            self.sql(AMCHECK, "ubench")

    def await_end_of_clients(self) -> None:
        """Wait until the server knows that its clients are gone.

        By then it has finished or taken back what they had begun.
        """
        process.wait_until(lambda: self.sql(SESSIONS[self._kind], "ubench") == "0")

    # -- The loss of a node

    def promote(self) -> None:
        """Let a standby take over, where the cluster does not by itself. Raises HarnessFailure."""
        if self._kind == "pgsql" and self.sql("SELECT pg_promote()", "postgres", 2) is None:
            raise HarnessFailure("the standby was not promoted")

    def lose_node(self, level: str) -> None:
        """Take the first node away: killed (4k), stopped (4s) or cut off (4n).

        Before that another node hears nothing for a moment: what is acknowledged without it is
        lost.
        """
        second = self._servers.server(self._kind, 2).pid
        _set_network(second, "down")
        time.sleep(WITHOUT_SECOND_S)
        if level in ("4k", "4n"):
            _set_network(self.pid, "down")
        if level in ("4k", "4s"):
            self.signal_first(signal.SIGKILL if level == "4k" else signal.SIGSTOP)
        with contextlib.suppress(HarnessFailure):
            self.promote()
        _set_network(second, "up")

    def signal_first(self, number: signal.Signals) -> None:
        """Send a signal to the processes of the first node."""
        process.send_signal([self.pid, *process.children(self.pid)], number)

    def _start(self, store: str, options: ServerOptions) -> None:
        preload = f"{PRELOAD}.so" if options.lies_about_syncs else ""
        self._servers = PrivateServers(self._servers.folder, preload=preload)
        self._kind = store  # also if a signal comes meanwhile
        try:
            first = self._servers.start(
                store,
                [*SMALL[store], *options.own],
                standbys=options.standbys,
                nodes=options.nodes,
                delay=options.delay,
            )
        except Problem as problem:
            self._kind = ""
            self.pid = 0
            raise HarnessFailure(NO_SERVER.format(why=problem)) from None
        self.pid = first.pid
        self.environment = _environment(self._servers.members(store))

    def _reasons_in_log(self, store: str) -> list[str]:
        log = self._servers.server(store).log
        with contextlib.suppress(OSError):
            lines = log.read_text(errors="replace").splitlines()
            return [line for line in lines if REASON.search(line) and STILL_STARTING not in line]
        return []


def _environment(members: list[Server]) -> dict[str, str]:
    environment = {}
    for member in members:
        environment.update(member.environment())
    return environment


def _set_network(pid: int, state: str) -> None:
    """Set the network device of a node, by a process of it, "up" or "down"."""
    words = ["nsenter", f"--net=/proc/{pid}/ns/net", "ip", "link", "set", "ubench0", state]
    process.capture(words)


def _has_preload() -> bool:
    """Return whether the dynamic linker finds the library; it complains if it does not."""
    done = process.capture(["true"], env={**os.environ, "LD_PRELOAD": f"{PRELOAD}.so"})
    return not done.err
