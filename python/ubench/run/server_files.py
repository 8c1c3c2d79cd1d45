# SPDX-License-Identifier: ISC
"""The files of a private server: what processes know of a server that another one has started.

They are in FOLDER/mysql or FOLDER/pgsql, those of further members of a cluster in FOLDER/mysql2 and
so on:

    lock             held while a server is started or stopped
    pid, port, log   of the server
    password, admin_password
    work             the folder of its data, if its user cannot reach FOLDER; else that is here
    socket_folder    where its sockets are
    network          of the first one, behind a slow link: the network's first three numbers
    link_pid         of the first one: the process that keeps the link
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from ubench import paths
from ubench.errors import Problem
from ubench.run import process
from ubench.run.link import Link

INSTALL = "run: scripts/deps.sh servers"
LOCK_S = 120  # to wait for another process that starts or stops the server


def search_path() -> str:
    """Return PATH, with the folders of servers, which ordinary users may lack."""
    return f"{os.environ.get('PATH', '/usr/bin:/bin')}:/usr/sbin:/sbin"


def find_program(*names: str) -> str | None:
    """Return the path of the first of these programs that is installed."""
    known = (shutil.which(name, path=search_path()) for name in names)
    return next((path for path in known if path), None)


def command_for(action: str, kind: str) -> str:
    """Return what to type to do that with a kind of servers."""
    program, *words = paths.task_command("servers")
    near = os.path.relpath(program)
    shown = program if near.startswith("..") else near
    return " ".join([shown, *words, action, kind]).rstrip()


def environment_names(kind: str) -> bool:
    """Return whether the environment (UBENCH_MYSQL_HOST, ...) names a server of this kind."""
    # An empty variable counts as not set, as for runners.
    return any(os.environ.get(f"UBENCH_{kind.upper()}_{part}") for part in ("HOST", "PORT"))


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read: most of them have passwords."""
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)


class ServerFiles:
    """A server of one kind by its files.

    `member` is its number in a cluster; the first of a kind is 1.
    """

    kind: ClassVar[str]

    def __init__(self, folder: Path, member: int) -> None:
        self.folder = folder
        self.member = member
        self.name = self.kind if member == 1 else f"{self.kind}{member}"
        self.home = folder / self.name
        self.log = self.home / "log"
        self.link = Link(folder / self.kind)

    def noted(self, name: str, default: str = "") -> str:
        """Return what an earlier start has written to a file of this name."""
        with contextlib.suppress(OSError):
            return (self.home / name).read_text().strip()
        return default

    @property
    def is_first(self) -> bool:
        """True of a server without a cluster, and of the first one of a cluster."""
        return self.member == 1

    @property
    def work(self) -> Path:
        """The folder of its files, which its user can reach."""
        return Path(self.noted("work", str(self.home)))

    @property
    def data(self) -> Path:
        """The folder of its data."""
        return self.work / "data"

    @property
    def sockets(self) -> Path:
        """The folder of its sockets."""
        return Path(self.noted("socket_folder", str(self.work)))

    @property
    def port(self) -> int:
        """Its TCP port; 0 before it was first started."""
        return int(self.noted("port") or 0)  # a full disk leaves an empty file

    @property
    def host(self) -> str:
        """Its IP address."""
        return self.link.host(self.member)

    @property
    def password(self) -> str:
        """The password of the user ubench."""
        return self.noted("password")

    @property
    def admin_password(self) -> str:
        """The password of its administrator."""
        return self.noted("admin_password")

    def running_pid(self) -> int | None:
        """Return the process of the running server.

        The folder of data in its command line tells it from a later process with the same number.
        """
        pid = int(self.noted("pid") or 0)
        data = str(self.data)
        if pid and any(data in word for word in process.command_line(pid)):
            return pid
        return None

    @property
    def ended_by_itself(self) -> bool:
        """True if it was started, not stopped, and does not run."""
        return (self.home / "pid").exists() and self.running_pid() is None

    def require_running(self) -> int:
        """Return the process of the server; Problem if it does not run."""
        pid = self.running_pid()
        if pid is None:
            raise Problem(f"{self.name} is not running; run: {command_for('start', self.kind)}")
        return pid

    @property
    def pid(self) -> int:
        """The process of the server; Problem if it does not run."""
        return self.require_running()

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the server's lock, which other processes wait for."""
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            self.home.mkdir(mode=0o700, exist_ok=True)
            self._refuse_other_files()
            descriptor = os.open(self.home / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            raise Problem(
                f"cannot write to '{self.home}'; another user may have made it"
            ) from None
        with open(descriptor, "rb") as file:

            def acquire() -> bool:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    return False
                return True

            if not process.wait_until(acquire, LOCK_S):
                raise Problem(f"{self.name}: another program has kept its lock for {LOCK_S} s")
            yield

    def _refuse_other_files(self) -> None:
        """Raise Problem if its folder has files that are not ours: UBENCH_SERVERS is mistaken.

        A folder of ours has the lock before it has anything else.
        """
        names = sorted(os.listdir(self.home))
        if names and "lock" not in names:
            raise Problem(
                f"'{self.home}' has '{names[0]}', which no private server made; set UBENCH_SERVERS "
                "to another folder"
            )

    def problem(self, text: str) -> Problem:
        """Return what went wrong, with the line of the log that says why."""
        with contextlib.suppress(OSError):
            reason = process.first_error(self.log.read_text(errors="replace"))
            return Problem(f"{self.name}: {text}: {reason}; see {self.log}")
        return Problem(f"{self.name}: {text}")
