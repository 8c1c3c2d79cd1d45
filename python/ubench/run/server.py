# SPDX-License-Identifier: ISC
"""One private database server: its state on the disk, how it is started and stopped.

All that is known of a server is in files of its folder, FOLDER/mysql or FOLDER/pgsql, those of
further members of a cluster in FOLDER/mysql2 and so on:

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
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import ClassVar

from ubench import paths
from ubench.errors import Problem
from ubench.run import process
from ubench.run.link import Link

INSTALL = "run: scripts/deps.sh servers"
LOCK_S = 120  # to wait for another process that starts or stops the server
STOP_S = 120  # to wait for a server to start or to end
LEFTOVERS_S = 5  # to wait for its processes, before they are killed
SOCKET_PATH_MAX = 80  # of the folder: a socket's path has at most 107 bytes
PORT_FIRST, PORT_COUNT = 20000, 12000  # below those that the kernel gives to clients
PORT_TRIES = 10
LOG_LINES = 20  # of the log, in a message


def search_path() -> str:
    """PATH, with the folders of servers, which ordinary users may lack."""
    return f"{os.environ.get('PATH', '/usr/bin:/bin')}:/usr/sbin:/sbin"


def find_program(*names: str) -> str | None:
    """The path of the first of these programs that is installed."""
    known = (shutil.which(name, path=search_path()) for name in names)
    return next((path for path in known if path), None)


def command_for(action: str, kind: str) -> str:
    """What to type to do that with a kind of servers."""
    path = paths.launcher("servers")
    near = os.path.relpath(path)
    return f"{path if near.startswith('..') else near} {action} {kind}".rstrip()


def write_private(path: Path, text: str) -> None:
    """Writes a file that only its owner can read: most of them have passwords."""
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)


# ---- What is asked for


@dataclass(frozen=True)
class Programs:
    """Which database servers to start, if not the newest that is installed."""

    mysqld: str = ""  # the program, /opt/mysql/sbin/mysqld or mariadbd
    postgres_folder: str = ""  # the folder of postgres and initdb

    @classmethod
    def from_environment(cls) -> Programs:
        """As UBENCH_MYSQLD and UBENCH_PGBIN name them."""
        return cls(os.environ.get("UBENCH_MYSQLD", ""), os.environ.get("UBENCH_PGBIN", ""))


class Replication(Enum):
    """How the servers of a cluster replicate."""

    NONE = "none"
    NODES = "nodes"  # Galera
    GROUP = "group"  # MySQL's group replication
    STANDBYS = "standbys"  # PostgreSQL's synchronous standbys


@dataclass(frozen=True)
class Cluster:
    """So many servers that replicate in one way; without replication it is one server."""

    replication: Replication = Replication.NONE
    total: int = 1


@dataclass(frozen=True)
class Setup:
    """How to start a server."""

    options: tuple[str, ...] = ()
    cluster: Cluster = Cluster()
    prefix: tuple[str, ...] = ()  # words before its command line
    preload: str = ""  # a library
    linked: bool = False  # behind a slow link, which has been made for it
    ends_with_us: bool = False  # should this process be killed


# ---- A server


class Server(ABC):
    """A server, running or not. `member` is its number in a cluster; the first of a kind is 1."""

    kind: ClassVar[str]
    account_name: ClassVar[str]  # of its package's user
    stop_signal: ClassVar[signal.Signals]

    def __init__(self, folder: Path, member: int, programs: Programs) -> None:
        self.folder = folder
        self.member = member
        self.programs = programs
        self.name = self.kind if member == 1 else f"{self.kind}{member}"
        self.home = folder / self.name
        self.log = self.home / "log"
        self.link = Link(folder / self.kind)
        self._child: subprocess.Popen[bytes] | None = None

    # -- Where it is, by its files

    def _noted(self, name: str, default: str = "") -> str:
        """What an earlier start has written to a file of this name."""
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
        return Path(self._noted("work", str(self.home)))

    @property
    def data(self) -> Path:
        """The folder of its data."""
        return self.work / "data"

    @property
    def sockets(self) -> Path:
        """The folder of its sockets."""
        return Path(self._noted("socket_folder", str(self.work)))

    @property
    def port(self) -> int:
        """Its TCP port; 0 before it was first started."""
        return int(self._noted("port", "0"))

    @property
    def host(self) -> str:
        """Its IP address."""
        return self.link.host(self.member)

    @property
    def password(self) -> str:
        """The password of the user ubench."""
        return self._noted("password")

    @property
    def admin_password(self) -> str:
        """The password of its administrator."""
        return self._noted("admin_password")

    def running_pid(self) -> int | None:
        """The process of the running server.

        The folder of data in its command line tells it from a later process with the same number.
        """
        pid = int(self._noted("pid") or 0)
        data = str(self.data)
        if pid and any(data in word for word in process.command_line(pid)):
            return pid
        return None

    @property
    def ended_by_itself(self) -> bool:
        """True if it was started, not stopped, and does not run."""
        return (self.home / "pid").exists() and self.running_pid() is None

    @property
    def pid(self) -> int:
        """The process of the running server; Problem if it does not run."""
        pid = self.running_pid()
        if pid is None:
            raise Problem(
                f"{self.name} is not running; run: {command_for('start', self.kind)}"
            )
        return pid

    # -- What users of it need

    def environment(self) -> dict[str, str]:
        """The variables by which runners and tests reach it; Problem if it does not run."""
        pid = self.pid
        values = {
            "HOST": self.host,
            "PORT": str(self.port),
            "USER": "ubench",
            "PASSWORD": self.password,
            "SOCKET": self.socket,
            **self._own_environment(),
            "PID": str(pid),
        }
        prefix = f"UBENCH_{self.name.upper()}"
        return {f"{prefix}_{name}": value for name, value in values.items()}

    def sql(self, text: str, database: str = "") -> str:
        """Runs statements as the administrator; returns the rows, with a blank between columns.

        Raises Problem if one fails.
        """
        done = self._client(text, database)
        if done.status != 0:
            raise Problem(f"{self.name}: {' '.join(done.err.split())}")
        return done.out.strip().replace("\t", " ")

    def make_kea_tables(self, database: str = "kea") -> None:
        """Makes an empty database with Kea's own tables, marked as one that ubench may change.

        Raises Problem if the server does not run or Kea is not installed.
        """
        self.pid  # noqa: B018 # raises if it does not run
        admin = find_program("kea-admin")
        root = Path(admin).resolve().parent.parent if admin else Path("/usr")
        tables = root / "share/kea/scripts" / self.kind / f"dhcpdb_create.{self.kind}"
        if not tables.exists():
            raise Problem(f"'{tables}' does not exist; {INSTALL}")
        self.find_programs(Cluster())
        mark = "CREATE TABLE ubench_marker AS SELECT 'scratch copy' AS lease4"
        self._make_kea_tables(database, tables, mark)

    # -- What each kind does in its own way

    @property
    @abstractmethod
    def socket(self) -> str:
        """What a client connects with on this machine."""

    @abstractmethod
    def find_programs(self, cluster: Cluster) -> None:
        """Finds the programs; Problem if one is not installed."""

    @abstractmethod
    def _initialise(self, folder: Path, cluster: Cluster) -> None:
        """Makes its data in an empty folder."""

    @abstractmethod
    def _configure(self, cluster: Cluster) -> None:
        """Writes the files that it starts with, for the port that was chosen."""

    @abstractmethod
    def _command(self, setup: Setup) -> list[str]:
        """Its command line."""

    @abstractmethod
    def _answers(self) -> bool:
        """True if it takes connections."""

    @abstractmethod
    def _set_up(self, cluster: Cluster) -> None:
        """Makes the database ubench and its users, unless they are there."""

    @abstractmethod
    def _client(self, text: str, database: str) -> process.Finished:
        """Runs statements as the administrator."""

    @abstractmethod
    def _own_environment(self) -> dict[str, str]:
        """The variables that only this kind has, without their prefix."""

    @abstractmethod
    def _make_kea_tables(self, database: str, tables: Path, statement: str) -> None:
        """Makes the database anew, with the tables of that file, and runs a statement in it."""

    # -- Its user

    @property
    def account(self) -> pwd.struct_passwd | None:
        """The user that it runs as if root starts it: its package's, or nobody where the package
        makes none; None: it runs as we do."""
        if os.geteuid() != 0:
            return None
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(self.account_name)
        return pwd.getpwnam("nobody")

    def _give(self, *folders: Path) -> None:
        """Gives files to its user."""
        if account := self.account:
            for path in folders:
                os.chown(path, account.pw_uid, account.pw_gid)

    def as_account(
        self, command: Sequence[str], *, preload: str = "", ends_with_us: bool = False
    ) -> list[str]:
        """The command line that runs a command as the server's user, on its side of the link, in
        a clean environment: PGPORT or MYSQL_TCP_PORT would reach it otherwise."""
        words: list[str] = []
        if self.link.network:
            words += ["nsenter", f"--net={self.link.namespace(self.member)}"]
        limits = [f"--pdeathsig={self.stop_signal.name[3:]}"] if ends_with_us else []
        if account := self.account:
            limits += [
                f"--reuid={account.pw_uid}",
                f"--regid={account.pw_gid}",
                "--init-groups",
            ]
        if limits:
            words += ["setpriv", *limits]
        words += ["env", "-i", f"PATH={search_path()}", f"HOME={self.work}", "LC_ALL=C"]
        if preload:
            words.append(f"LD_PRELOAD={preload}")
        return [*words, *command]

    def _run(self, command: Sequence[str], folder: Path) -> None:
        """Runs a command as the server's user; Problem, with its output in the log, if it
        fails."""
        with open(self.log, "ab") as log:
            done = process.run(
                self.as_account(command), cwd=folder, stdout=log.fileno(), stderr=log.fileno()
            )
        if done.status != 0:
            raise self._problem("its data cannot be made")

    def _problem(self, text: str) -> Problem:
        """What went wrong, with the line of the log that says why."""
        with contextlib.suppress(OSError):
            reason = process.first_error(self.log.read_text(errors="replace"))
            return Problem(f"{self.name}: {text}: {reason}; see {self.log}")
        return Problem(f"{self.name}: {text}")

    # -- Starting

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Holds the server's lock, which other processes wait for."""
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = open(os.open(self.home / "lock", os.O_RDWR | os.O_CREAT, 0o600), "rb")
        except OSError:
            raise Problem(
                f"cannot write to '{self.home}'; another user may have made it"
            ) from None
        with file:
            end = time.monotonic() + LOCK_S
            while True:
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                if time.monotonic() > end:
                    raise Problem(f"{self.name}: another program has kept its lock for {LOCK_S} s")
                time.sleep(0.05)
            yield

    def start(self, setup: Setup) -> bool:
        """Starts it, and waits until it takes connections; False if it runs already.

        Raises Problem if it does not start, with nothing left of it.
        """
        self.find_programs(setup.cluster)
        with self.lock():
            if self.running_pid():
                if setup.options or setup.cluster.replication is not Replication.NONE:
                    raise Problem(
                        f"{self.name} runs already; so that options take effect, run: "
                        f"{command_for('stop', self.kind)}"
                    )
                return False
            try:
                self._start(setup)
            except BaseException:
                with process.signals_ignored():
                    self._abandon(setup)
                raise
        return True

    def _start(self, setup: Setup) -> None:
        self._clean_up(keep_link=setup.linked)
        self._choose_place()
        if not self.is_first:
            for name in ("password", "admin_password"):
                shutil.copy(self.folder / self.kind / name, self.home)
            shutil.rmtree(self.data, ignore_errors=True)
        for name in ("password", "admin_password"):
            if not self._noted(name):
                write_private(self.home / name, secrets.token_hex(16))
        if not self.data.exists():
            self._make_data(setup.cluster)
        self._start_on_free_port(setup)
        try:
            self._set_up(setup.cluster)
        except Problem as error:
            raise Problem(f"{self.name}: cannot make the database and its users: {error}") from error

    def _choose_place(self) -> None:
        """Finds a folder that the server's user can reach, and makes the sockets' one."""
        if self.account:
            self.folder.chmod(0o711)
            self.home.chmod(0o711)
        if not self.work.is_dir():  # one in /var/tmp may have been cleaned away
            (self.home / "work").unlink(missing_ok=True)
        if not self._can_reach(self.work):
            # Not /tmp, which may be in memory: a sync would cost nothing there.
            parent = os.environ.get("TMPDIR", "/var/tmp")
            work = Path(tempfile.mkdtemp(prefix=f"ubench-{self.name}.", dir=parent))
            write_private(self.home / "work", str(work))
            self._give(work)
            if not self._can_reach(work):
                raise Problem(f"{self.name}: its user cannot reach '{work}'; set TMPDIR")
        self._check_owner()
        sockets = self.work / "sockets"
        if len(str(sockets)) > SOCKET_PATH_MAX:
            sockets = Path(tempfile.mkdtemp(prefix="ubench.", dir="/tmp"))
        write_private(self.home / "socket_folder", str(sockets))
        sockets.mkdir(mode=0o700, exist_ok=True)
        self._give(sockets)

    def _can_reach(self, folder: Path) -> bool:
        return process.capture(self.as_account(["test", "-x", f"{folder}/."]), cwd="/").status == 0

    def _check_owner(self) -> None:
        """Problem if the data belongs to a user other than the one that the server runs as."""
        account = self.account
        if account and self.data.exists() and self.data.owner() != account.pw_name:
            raise Problem(
                f"'{self.data}' belongs to {self.data.owner()}, not to {account.pw_name}: remove "
                "it, or set UBENCH_SERVERS to another folder"
            )

    def _make_data(self, cluster: Cluster) -> None:
        """Makes the folder of data, whole or not at all."""
        folder = self.work / "data.new"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        self._give(folder)
        self.log.write_bytes(b"")
        try:
            self._initialise(folder, cluster)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        folder.rename(self.data)

    def _start_on_free_port(self, setup: Setup) -> None:
        """Starts its process on the port of the last time, or on another one if that is taken."""
        port = self.port
        for _ in range(PORT_TRIES):
            port = port or PORT_FIRST + secrets.randbelow(PORT_COUNT)
            write_private(self.home / "port", str(port))
            self._configure(setup.cluster)
            if self._launch(setup):
                return
            log = self.log.read_text(errors="replace").lower()
            if "address already in use" not in log and "could not bind" not in log:
                break
            port = 0
        raise self._problem("it does not start")

    def _launch(self, setup: Setup) -> bool:
        """Starts its process; True once it takes connections, False if it has ended."""
        words = self.as_account(
            [*setup.prefix, *self._command(setup)],
            preload=setup.preload,
            ends_with_us=setup.ends_with_us,
        )
        with open(self.log, "wb") as log, process.signals_deferred():
            # Not in our terminal's session, so that ^C does not reach it.
            child = subprocess.Popen(
                words,
                cwd=self.work,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                umask=0o077,
            )
            self._child = child
            write_private(self.home / "pid", str(child.pid))

        def is_ready_or_gone() -> bool:
            return child.poll() is not None or self._answers()

        if process.wait_until(is_ready_or_gone, STOP_S) and child.poll() is None:
            return True
        self._kill_child()
        return False

    def _kill_child(self) -> None:
        """Kills the process that this object has started, if it has."""
        if self._child:
            self._child.kill()
            self._child.wait()
            self._child = None
        (self.home / "pid").unlink(missing_ok=True)

    def _abandon(self, setup: Setup) -> None:
        """Undoes a start that did not come to its end."""
        self._kill_child()
        self._clean_up(keep_link=setup.linked)
        if not self.is_first:
            self._remove()

    # -- Stopping

    def stop(self, *, keep_link: bool = False) -> None:
        """Stops it, and waits; also cleans up after a crash. What lies outside its folder goes.

        `keep_link`: the slow link, which goes with the first server, is left to the caller.
        """
        if not self.home.is_dir():
            return
        with self.lock():
            if pid := self.running_pid():
                process.send_signal([pid], self.stop_signal)
                if not process.wait_until(self._is_gone, STOP_S):
                    process.send_signal([pid], signal.SIGKILL)
                    process.wait_until(self._is_gone, STOP_S)
            self._reap()
            self._clean_up(keep_link=keep_link)
            if (self.home / "work").exists():  # it would stay in /var/tmp for ever
                shutil.rmtree(self.work, ignore_errors=True)
                (self.home / "work").unlink()
            if not self.is_first:
                self._remove()

    def kill(self) -> None:
        """Kills it with its processes, as a crash would; its data stays, and a start recovers
        it."""
        if pid := self.running_pid():
            process.send_signal([pid, *process.children(pid)], signal.SIGKILL)
            process.wait_until(self._is_gone, STOP_S)
        self._reap()

    def _is_gone(self) -> bool:
        return self.running_pid() is None

    def _reap(self) -> None:
        """Takes note of the end of a process that this object has started."""
        if self._child:
            self._child.wait()
            self._child = None

    def _clean_up(self, *, keep_link: bool) -> None:
        """Removes what a server that is gone has left behind."""
        if not process.wait_until(lambda: not process.working_in(self.data), LEFTOVERS_S):
            process.send_signal(process.working_in(self.data), signal.SIGKILL)
            process.wait_until(lambda: not process.working_in(self.data), LEFTOVERS_S)
        if self.is_first and not keep_link:
            self.link.stop()
        for path in (
            self.home / "pid",
            self.data / "postmaster.pid",
            self.data / "server.pid",
        ):
            path.unlink(missing_ok=True)
        if (self.home / "socket_folder").exists():
            shutil.rmtree(self.sockets, ignore_errors=True)
            (self.home / "socket_folder").unlink()

    def _remove(self) -> None:
        """Removes a further member of a cluster, which is made anew at each start."""
        if (self.home / "work").exists():
            shutil.rmtree(self.work, ignore_errors=True)
        shutil.rmtree(self.home, ignore_errors=True)
