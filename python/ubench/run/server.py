# SPDX-License-Identifier: ISC
"""One private database server: how it is started, asked and stopped."""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import secrets
import shutil
import signal
import stat
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from ubench.errors import Problem
from ubench.run import process
from ubench.run.server_files import (
    INSTALL,
    ServerFiles,
    command_for,
    find_program,
    search_path,
    write_private,
)
from ubench.run.server_setup import Cluster, Programs, Replication, ServerSetup

STOP_S = 120  # to wait for a server to start or to end
LEFTOVERS_S = 5  # to wait for its processes, before they are killed
REACHABLE = 0o711  # of a folder that other users pass through
SOCKET_PATH_MAX = 80  # bytes of the folder: a socket's path has at most 107
# Others have a meaning in a server's settings: "," separates folders, "#" begins a comment.
SOCKET_PATH = re.compile(r"[\w/.+@=~ -]+")
PORT_FIRST, PORT_COUNT = 20000, 12000  # below those that the kernel gives to clients
PORT_TRIES = 10


def add_mode(folder: Path, mode: int) -> None:
    """Add permissions to a folder, which may be one that all use, such as /tmp: it loses none."""
    folder.chmod(stat.S_IMODE(folder.stat().st_mode) | mode)


def can_have_sockets(folder: Path) -> bool:
    """Return whether servers and their clients accept the path of a folder of sockets."""
    path = str(folder)
    return len(os.fsencode(path)) <= SOCKET_PATH_MAX and SOCKET_PATH.fullmatch(path) is not None


class Server(ServerFiles, ABC):
    """A server, running or not."""

    account_name: ClassVar[str]  # of its package's user
    stop_signal: ClassVar[signal.Signals]
    data_options: ClassVar[re.Pattern[str]]  # match the begin of what names a folder of data

    def __init__(self, folder: Path, member: int, programs: Programs) -> None:
        super().__init__(folder, member)
        self.programs = programs
        self._child: subprocess.Popen[bytes] | None = None

    # -- What users of it need

    @classmethod
    def names_data(cls, option: str) -> bool:
        """Return whether an option of the server names data, which would be somebody else's."""
        return cls.data_options.match(option) is not None

    def environment(self) -> dict[str, str]:
        """Return the variables by which runners and tests reach it; Problem if it does not run."""
        pid = self.require_running()
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
        """Run statements as the administrator; return the rows, with a blank between columns.

        Raises Problem if one fails.
        """
        done = self._client(text, database)
        if done.status != 0:
            raise Problem(f"{self.name}: {' '.join(done.err.split())}")
        return done.out.strip().replace("\t", " ")

    def make_kea_tables(self, database: str = "kea", kea: Path | None = None) -> None:
        """Make an empty database with Kea's own tables, marked as one that ubench may change.

        `kea`: the root folder of the Kea whose tables they are, /usr say; None: the one that PATH
        has. Raises Problem if the server does not run or Kea is not installed.
        """
        self.require_running()
        admin = find_program("kea-admin")
        root = kea or (Path(admin).resolve().parent.parent if admin else Path("/usr"))
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
        """Find the programs; Problem if one is not installed."""

    @abstractmethod
    def _initialise(self, folder: Path, cluster: Cluster) -> None:
        """Make its data in an empty folder."""

    @abstractmethod
    def _configure(self, cluster: Cluster) -> None:
        """Write the files that it starts with, for the port that was chosen."""

    @abstractmethod
    def _command(self, setup: ServerSetup) -> list[str]:
        """Return its command line."""

    @abstractmethod
    def _answers(self) -> bool:
        """Return whether it takes connections."""

    @abstractmethod
    def _set_up(self, cluster: Cluster) -> None:
        """Make the database ubench and its users, unless they are there."""

    @abstractmethod
    def _client(self, text: str, database: str) -> process.Finished:
        """Run statements as the administrator."""

    @abstractmethod
    def _own_environment(self) -> dict[str, str]:
        """Return the variables that only this kind has, without their prefix."""

    @abstractmethod
    def _make_kea_tables(self, database: str, tables: Path, statement: str) -> None:
        """Make the database anew, with the tables of that file, and run a statement in it."""

    # -- Its user

    @property
    def account(self) -> pwd.struct_passwd | None:
        """The user that it runs as if root starts it, else None.

        That is its package's user, or nobody where the package makes none.
        """
        if os.geteuid() != 0:
            return None
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(self.account_name)
        return pwd.getpwnam("nobody")

    def _give(self, *folders: Path) -> None:
        """Give files to its user."""
        if account := self.account:
            for path in folders:
                os.chown(path, account.pw_uid, account.pw_gid)

    def as_account(
        self, command: Sequence[str], *, preload: str = "", ends_with_us: bool = False
    ) -> list[str]:
        """Return the words that run a command as the server's user, on its side of the link.

        The environment is a clean one: PGPORT or MYSQL_TCP_PORT would reach it otherwise.
        """
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
        """Run a command as the server's user; Problem if it fails. The log gets its output."""
        with open(self.log, "ab") as log:
            done = process.run(
                self.as_account(command), cwd=folder, stdout=log.fileno(), stderr=log.fileno()
            )
        if done.status != 0:
            raise self.problem("its data cannot be made")

    # -- Starting

    def start(self, setup: ServerSetup) -> bool:
        """Start it, and wait until it takes connections; False if it runs already.

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

    def _start(self, setup: ServerSetup) -> None:
        self._clean_up(keep_link=setup.linked)
        self._choose_place()
        if not self.is_first:
            for name in ("password", "admin_password"):
                shutil.copy(self.folder / self.kind / name, self.home)
            shutil.rmtree(self.data, ignore_errors=True)
        for name in ("password", "admin_password"):
            if not self.noted(name):
                write_private(self.home / name, secrets.token_hex(16))
        if not self.data.exists():
            self._make_data(setup.cluster)
        self._start_on_free_port(setup)
        try:
            self._set_up(setup.cluster)
        except Problem as error:
            text = f"{self.name}: cannot make the database and its users: {error}"
            raise Problem(text) from error

    def _choose_place(self) -> None:
        """Find a folder that the server's user can reach, and make the sockets' one."""
        if self.account:
            for folder in (self.folder, self.home):
                add_mode(folder, REACHABLE)
        if not self.work.is_dir():  # one in /var/tmp may have been cleaned away
            (self.home / "work").unlink(missing_ok=True)
        if not self._can_reach(self.work):
            # Not /tmp, which may be in memory: a sync would cost nothing there.
            parent = os.environ.get("TMPDIR") or "/var/tmp"
            work = Path(tempfile.mkdtemp(prefix=f"ubench-{self.name}.", dir=parent))
            write_private(self.home / "work", str(work))
            self._give(work)
            if not self._can_reach(work):
                raise Problem(f"{self.name}: its user cannot reach '{work}'; set TMPDIR")
        self._check_owner()
        sockets = self.work / "sockets"
        if not can_have_sockets(sockets):
            sockets = Path(tempfile.mkdtemp(prefix="ubench.", dir="/tmp"))
        write_private(self.home / "socket_folder", str(sockets))
        sockets.mkdir(mode=0o700, exist_ok=True)
        self._give(sockets)

    def _can_reach(self, folder: Path) -> bool:
        return process.capture(self.as_account(["test", "-x", f"{folder}/."]), cwd="/").status == 0

    def _check_owner(self) -> None:
        """Raise Problem if the data belongs to a user other than the one that runs the server."""
        account = self.account
        if account and self.data.exists() and self.data.owner() != account.pw_name:
            raise Problem(
                f"'{self.data}' belongs to {self.data.owner()}, not to {account.pw_name}: remove "
                "it, or set UBENCH_SERVERS to another folder"
            )

    def _make_data(self, cluster: Cluster) -> None:
        """Make the folder of data, whole or not at all."""
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

    def _start_on_free_port(self, setup: ServerSetup) -> None:
        """Start its process on the port of the last time, or on another one if that is taken."""
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
        raise self.problem("it does not start")

    def _launch(self, setup: ServerSetup) -> bool:
        """Start its process; True once it takes connections, False if it has ended."""
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
        """Kill the process that this object has started, if it has."""
        if self._child:
            self._child.kill()
            self._child.wait()
            self._child = None
        (self.home / "pid").unlink(missing_ok=True)

    def _abandon(self, setup: ServerSetup) -> None:
        """Undo a start that did not come to its end."""
        self._kill_child()
        self._clean_up(keep_link=setup.linked)
        if not self.is_first:
            self._remove()

    # -- Stopping

    def stop(self, *, keep_link: bool = False) -> None:
        """Stop it, and wait; also clean up after a crash. What lies outside its folder goes.

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
        """Kill it with its processes, as a crash would; its data stays."""
        if pid := self.running_pid():
            process.send_signal([pid, *process.children(pid)], signal.SIGKILL)
            process.wait_until(self._is_gone, STOP_S)
        self._reap()

    def _is_gone(self) -> bool:
        return self.running_pid() is None

    def _reap(self) -> None:
        """Take note of the end of a process that this object has started."""
        if self._child:
            self._child.wait()
            self._child = None

    def _clean_up(self, *, keep_link: bool) -> None:
        """Remove what a server that is gone has left behind."""
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
        """Remove a further member of a cluster, which is made anew at each start."""
        if (self.home / "work").exists():
            shutil.rmtree(self.work, ignore_errors=True)
        shutil.rmtree(self.home, ignore_errors=True)
