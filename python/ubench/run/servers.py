# SPDX-License-Identifier: ISC
"""Private MariaDB, MySQL and PostgreSQL servers, single or clusters, to measure or to test with.

They run as an ordinary user, with ports, sockets and passwords of their own, in a folder of
theirs. A server of the machine's own is never touched. What runs is known from the folder alone,
so that one process may start a server and another one stop it:

    with PrivateServers.temporary() as servers:
        server = servers.start("pgsql", ["-c", "fsync=off"])
        process.run([paths.runner("pgsql")], env={**os.environ, **server.environment()})
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from ubench import paths
from ubench.errors import Problem, UsageError
from ubench.run import process
from ubench.run.link import Link
from ubench.run.mysql import MySql
from ubench.run.pgsql import PostgreSql
from ubench.run.server import Server
from ubench.run.server_files import command_for
from ubench.run.server_setup import Cluster, Programs, Replication, ServerSetup

KINDS: dict[str, type[Server]] = {"mysql": MySql, "pgsql": PostgreSql}


class PrivateServers:
    """The private servers of one folder.

    As a context manager it stops them at the end of the block; if this process is
    killed, they also end. Without one they run until somebody stops them.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        preload: str | None = None,
        programs: Programs | None = None,
    ) -> None:
        """`folder`: where their state is; None: UBENCH_SERVERS, or build/servers.

        `preload`: a library that servers are started with; None: UBENCH_SERVERS_PRELOAD.
        `programs`: which servers; None: UBENCH_MYSQLD and UBENCH_PGBIN, or the newest installed.
        """
        named = os.environ.get("UBENCH_SERVERS")
        default = Path(named) if named else paths.writable() / "servers"
        self.folder = (folder or default).absolute()
        self._preload = os.environ.get("UBENCH_SERVERS_PRELOAD") if preload is None else preload
        self._programs = programs or Programs.from_environment()
        self._is_temporary = False
        self._ends_with_us = False

    @classmethod
    def temporary(cls, folder: Path | None = None, *, preload: str | None = None) -> PrivateServers:
        """Return servers for a `with` block, which removes them with their data at its end.

        `folder`: an empty folder to use; None: a new one in build/.
        """
        if folder is None:
            paths.writable().mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix="run-", dir=paths.writable()))
        servers = cls(folder, preload=preload)
        servers._is_temporary = True
        return servers

    def __enter__(self) -> PrivateServers:
        self._ends_with_us = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with process.signals_ignored():
            self.stop()
            if self._is_temporary:
                shutil.rmtree(self.folder, ignore_errors=True)

    # ---- What is there

    def server(self, kind: str, member: int = 1) -> Server:
        """Return a server of this folder by its kind ("mysql", "pgsql") and number in a cluster.

        It need not run.
        """
        return KINDS[kind](self.folder, member, self._programs)

    def members(self, kind: str) -> list[Server]:
        """Return all servers of a kind that were started, the first one last; it need not run."""
        names = (path.name.removeprefix(kind) for path in self.folder.glob(f"{kind}[0-9]*"))
        numbers = sorted(int(name) for name in names if name.isdigit())
        return [self.server(kind, number) for number in [*numbers, 1]]

    def running(self, kind: str | None = None) -> list[Server]:
        """Return the servers that run, of one kind or of both."""
        return [
            server for name in _kinds(kind) for server in self.members(name) if server.running_pid()
        ]

    # ---- Starting and stopping

    def start(  # noqa: PLR0913 # by keyword, but for the first two
        self,
        kind: str,
        options: Sequence[str] = (),
        *,
        nodes: int = 0,
        group: int = 0,
        standbys: int = 0,
        delay: str = "",
        loss: str = "",
        prefix: Sequence[str] = (),
    ) -> Server:
        """Start a server, wait until it takes connections, and return it.

        Of a cluster it returns the first server. One that runs already is left alone, if nothing
        is asked of it.

        `options`: of the server's own, ["-c", "fsync=off"].
        `nodes`: the number of MariaDB servers in a Galera cluster. `group`: the number of MySQL
        servers in a replication group. `standbys`: the number of standbys that a commit of
        PostgreSQL waits for.
        `delay`, `loss`: of packets between servers and clients, "0.5ms", "0.1%"; needs root.
        `prefix`: words before the server's command line, ["taskset", "-c", "0"].

        Raises Problem if it does not start, with nothing left of what was started; UsageError for
        options that do not fit each other.
        """
        cluster = _cluster(kind, nodes=nodes, group=group, standbys=standbys)
        for option in options:
            if KINDS[kind].names_data(option):
                raise UsageError(f"'{option}': a private server has data of its own; leave it out")
        setup = ServerSetup(
            options=tuple(options),
            cluster=cluster,
            prefix=tuple(prefix),
            preload=self._preload or "",
            ends_with_us=self._ends_with_us,
        )
        started: list[Server] = []
        link = None
        try:
            if delay or loss:
                link = self._start_link(kind, cluster, delay, loss)
            for number in range(1, cluster.total + 1):
                server = self.server(kind, number)
                if server.start(replace(setup, linked=link is not None)):
                    started.append(server)
        except BaseException:
            with process.signals_ignored():
                for server in reversed(started):
                    server.stop(keep_link=True)
                if link:
                    link.stop()
            raise
        return self.server(kind)

    def stop(self, kind: str | None = None) -> None:
        """Stop the servers of a kind, or all, and wait; also clean up after a crash."""
        for name in _kinds(kind):
            for server in self.members(name):
                server.stop()

    def _start_link(self, kind: str, cluster: Cluster, delay: str, loss: str) -> Link:
        """Make the networks of a cluster's members, and the slow link between them."""
        checked = process.capture([*_link_command(delay, loss), "--help"])
        if checked.status != 0:
            raise UsageError(checked.err.strip().removeprefix("ubench_link: "))
        if os.geteuid() != 0:
            raise UsageError("--delay, --loss: they need root")
        first = self.server(kind)
        with first.lock():
            if first.running_pid():
                raise Problem(
                    f"{first.name} runs already; before --delay or --loss, run: "
                    f"{command_for('stop', kind)}"
                )
            link = first.link
            link.stop()
            link.start(
                _link_command(delay, loss), cluster.total, ends_with_us=self._ends_with_us
            )
        return link


def _kinds(kind: str | None) -> list[str]:
    return [kind] if kind else list(KINDS)


def _cluster(kind: str, *, nodes: int, group: int, standbys: int) -> Cluster:
    """Return the cluster that is asked for; UsageError if that kind of server has none like it."""
    asked = {Replication.NODES: nodes, Replication.GROUP: group, Replication.STANDBYS: standbys}
    wanted = [(replication, count) for replication, count in asked.items() if count]
    if not wanted:
        return Cluster()
    for replication, _ in wanted:
        fitting = "pgsql" if replication is Replication.STANDBYS else "mysql"
        if kind != fitting:
            raise UsageError(f"--{replication.value} is for: start {fitting}")
    replication, count = wanted[0]
    if len(wanted) > 1:
        raise UsageError(
            f"--{wanted[1][0].value}: --{replication.value} is given already; expected one of them"
        )
    return Cluster(replication, count + (replication is Replication.STANDBYS))


def _link_command(delay: str, loss: str) -> list[str]:
    return [str(paths.program("ubench_link")), "--delay", delay or "0", "--loss", loss or "0"]
