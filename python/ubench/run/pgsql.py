# SPDX-License-Identifier: ISC
"""A private PostgreSQL server, alone or with standbys."""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path

from ubench.errors import Problem
from ubench.run import process
from ubench.run.server import Server
from ubench.run.server_files import INSTALL, find_program, write_private
from ubench.run.server_setup import Cluster, Replication, ServerSetup

HBA = """\
local all,replication all scram-sha-256
host all,replication all samenet scram-sha-256
"""

# Nothing is waited for: the standbys come later.
SET_UP_OPTIONS = {"PGOPTIONS": "-c synchronous_commit=local"}
SET_UP = r"""
SELECT 'CREATE ROLE ubench LOGIN PASSWORD ''{password}'''
    WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'ubench') \gexec
SELECT 'CREATE DATABASE ubench OWNER ubench'
    WHERE NOT EXISTS (SELECT 1 FROM pg_database WHERE datname = 'ubench') \gexec
"""


def quote(text: object) -> str:
    """Return a value of a connection string, as libpq wants it."""
    escaped = str(text).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _environment() -> dict[str, str]:
    """Return our environment without what leads libpq to another server, such as PGHOSTADDR."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}


class PostgreSql(Server):
    """A PostgreSQL server. Members of a cluster after the first one are its standbys."""

    kind = "pgsql"
    account_name = "postgres"
    stop_signal = signal.SIGINT  # "fast": clients are disconnected
    data_options = re.compile("-D|(-c|--)?data[-_]directory")

    @property
    def socket(self) -> str:
        """The folder of its socket."""
        return str(self.sockets)

    @property
    def admin(self) -> str:
        """The connection string of its superuser."""
        return (
            f"host={quote(self.sockets)} port={self.port} user=postgres dbname=postgres "
            f"passfile={quote(self._password_file)}"
        )

    @property
    def _password_file(self) -> Path:
        return self.home / "admin.pgpass"

    def _program(self, name: str) -> str:
        return f"{self._folder_of_programs}/{name}"

    def find_programs(self, cluster: Cluster) -> None:
        """Find the newest PostgreSQL, or the one that was named."""
        if folder := self.programs.postgres_folder:
            if not os.access(f"{folder}/postgres", os.X_OK):
                raise Problem(
                    f"UBENCH_PGBIN: there is no postgres in '{folder}'; expected a folder such as "
                    "/usr/lib/postgresql/17/bin"
                )
        elif not self._folder_of_programs:
            raise Problem(f"pgsql: there is no postgres in /usr/lib/postgresql/*/bin; {INSTALL}")

    @property
    def _folder_of_programs(self) -> str:
        if self.programs.postgres_folder:
            return self.programs.postgres_folder
        # From version 10 on, names sort as versions do.
        newest = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
        program = str(newest[-1]) if newest else find_program("postgres")
        return str(Path(program).parent) if program else ""

    def _initialise(self, folder: Path, cluster: Cluster) -> None:
        if self.is_first:
            self._initialise_first(folder)
        else:
            self._copy_first(folder)

    def _initialise_first(self, folder: Path) -> None:
        password = folder.with_name(f"{folder.name}.password")
        write_private(password, self.admin_password)
        self._give(password)
        command = [
            self._program("initdb"),
            f"--pgdata={folder}",
            "--username=postgres",
            "--auth=scram-sha-256",
            f"--pwfile={password}",
            "--encoding=UTF8",
            "--no-locale",
        ]
        try:
            self._run(command, folder)
        finally:
            password.unlink()

    def _copy_first(self, folder: Path) -> None:
        """Make a standby of the first server."""
        first = type(self)(self.folder, 1, self.programs)
        password = self.work / "replication.pgpass"
        shutil.copy(first._password_file, password)
        self._give(password)
        command = [
            self._program("pg_basebackup"),
            f"--pgdata={folder}",
            "--write-recovery-conf",
            "--checkpoint=fast",
            f"--dbname=host={first.host} user=postgres port={first.port} "
            f"passfile={quote(password)}",
        ]
        self._run(command, folder)

    def _configure(self, cluster: Cluster) -> None:
        write_private(self._password_file, f"*:*:*:postgres:{self.admin_password}\n")
        write_private(self.work / "pg_hba.conf", HBA)
        self._give(self.work / "pg_hba.conf")

    def _command(self, setup: ServerSetup) -> list[str]:
        settings = {
            "listen_addresses": self.host,
            "port": str(self.port),
            "hba_file": str(self.work / "pg_hba.conf"),
            "unix_socket_directories": str(self.sockets),
            "logging_collector": "off",
        }
        if setup.cluster.replication is Replication.STANDBYS and self.is_first:
            settings["synchronous_standby_names"] = f"FIRST {setup.cluster.total - 1} (*)"
        words = [self._program("postgres"), "-D", str(self.data)]
        for name, value in settings.items():
            words += ["-c", f"{name}={value}"]
        return [*words, *setup.options]

    def _answers(self) -> bool:
        return self._client("SELECT 1", "").status == 0

    def _set_up(self, cluster: Cluster) -> None:
        if not self.is_first:
            return
        # Through its input: everybody can read a command line.
        done = self._client(SET_UP.format(password=self.password), "", SET_UP_OPTIONS)
        if done.status != 0:
            raise Problem(process.first_error(done.err))

    def _client(
        self, text: str, database: str, variables: Mapping[str, str] | None = None
    ) -> process.Finished:
        psql = self._program("psql")
        if not os.access(psql, os.X_OK):
            psql = find_program("psql") or psql
        connection = f"{self.admin} dbname={database}" if database else self.admin
        return process.capture(
            [psql, "-XqAt", "-F ", "-v", "ON_ERROR_STOP=1", connection],
            stdin=text,
            env={**_environment(), **(variables or {})},
        )

    def _make_kea_tables(self, database: str, tables: Path, statement: str) -> None:
        self.sql(f"DROP DATABASE IF EXISTS {database};\nCREATE DATABASE {database} OWNER ubench;")
        words = [self._program("psql"), "-Xq", "-v", "ON_ERROR_STOP=1", "-h", str(self.sockets)]
        words += ["-p", str(self.port), "-U", "ubench", "-d", database]
        done = process.capture(
            [*words, "-f", str(tables), "-c", statement],
            env={**_environment(), "PGPASSWORD": self.password},
        )
        if done.status != 0:
            reason = process.first_error(done.err)
            raise Problem(f"{self.name}: cannot make the database {database}: {reason}")

    def _own_environment(self) -> dict[str, str]:
        return {"ADMIN": self.admin}
