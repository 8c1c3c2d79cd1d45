# SPDX-License-Identifier: ISC
"""A private MariaDB or MySQL server, alone, as a Galera cluster or as a replication group."""

from __future__ import annotations

import os
import re
import shutil
import signal
import tempfile
from functools import cached_property
from pathlib import Path

from ubench.errors import Problem
from ubench.run import process
from ubench.run.server import STOP_S, Server
from ubench.run.server_files import INSTALL, find_program, write_private
from ubench.run.server_setup import Cluster, Replication, ServerSetup

GALERA = Path("/usr/lib/galera/libgalera_smm.so")
PROFILES = Path("/sys/kernel/security/apparmor/profiles")
PEER_OFFSET = 10000  # below the port of clients: that of other nodes; the next two are for the
# data that a new node of Galera receives

# Statements that run before the first connection is taken, so that no administrator without a
# password can ever be reached.
INIT = """\
{first};
FLUSH PRIVILEGES;
ALTER USER root@localhost IDENTIFIED BY '{admin_password}';
CREATE DATABASE IF NOT EXISTS ubench;
CREATE USER IF NOT EXISTS ubench@'%' IDENTIFIED BY '{password}';
CREATE USER IF NOT EXISTS ubench_plain@'%' IDENTIFIED BY '{password}';
GRANT ALL ON ubench.* TO ubench@'%';
GRANT {rights} ON *.* TO ubench@'%';
GRANT SELECT ON performance_schema.table_io_waits_summary_by_index_usage TO ubench@'%';
GRANT SELECT ON performance_schema.file_summary_by_event_name TO ubench@'%';
GRANT ALL ON ubench.* TO ubench_plain@'%';
"""
# To change settings of the whole server; and, for --activity, to read what InnoDB does.
RIGHTS = {True: "SUPER, BINLOG ADMIN, PROCESS", False: "SYSTEM_VARIABLES_ADMIN, PROCESS"}
INIT_GROUP = """\
CREATE USER IF NOT EXISTS ubench_member@'%' IDENTIFIED BY '{admin_password}';
GRANT REPLICATION SLAVE, CONNECTION_ADMIN ON *.* TO ubench_member@'%';
GRANT SELECT ON performance_schema.* TO ubench@'%';
"""
# MariaDB makes administrators without a password for other hosts.
DROP_OTHER_ROOTS = "DELETE FROM mysql.global_priv WHERE user = 'root' AND host != 'localhost'"
NOT_REPLICATED = "SET sql_log_bin = 0"  # each member of a group makes its own users

COUNT_USERS = "SELECT COUNT(*) FROM mysql.user WHERE user IN ('ubench', 'ubench_plain')"
# The first member begins a group that knows nothing of earlier ones.
JOIN = """
RESET BINARY LOGS AND GTIDS;
SET GLOBAL group_replication_bootstrap_group = {is_first};
START GROUP_REPLICATION USER = 'ubench_member', PASSWORD = '{admin_password}';
SET GLOBAL group_replication_bootstrap_group = OFF;
"""
MEMBER_STATE = """
SELECT member_state FROM performance_schema.replication_group_members
    WHERE member_id = @@server_uuid;
"""


class MySql(Server):
    """A MariaDB or MySQL server.

    A member of a cluster after the first one receives its data.
    """

    kind = "mysql"
    account_name = "mysql"
    stop_signal = signal.SIGTERM
    data_options = re.compile("-h|--(loose[-_])?data")

    @property
    def socket(self) -> str:
        """The path of its socket."""
        return str(self.sockets / "mysql.sock")

    @property
    def _admin_file(self) -> Path:
        """The option file that its administrator connects with."""
        return self.home / "admin.cnf"

    @property
    def _first(self) -> MySql:
        return self if self.is_first else MySql(self.folder, 1, self.programs)

    @property
    def _peer_port(self) -> int:
        """The port for other members of its cluster."""
        return self.port - PEER_OFFSET

    # ---- Programs

    def find_programs(self, cluster: Cluster) -> None:
        """Find mariadbd or mysqld, its client and what its cluster needs."""
        named = self.programs.mysqld
        if named and not os.access(named, os.X_OK):
            raise Problem(f"UBENCH_MYSQLD: '{named}' is not a program")
        if not self._program:
            raise Problem(f"mysql: there is no mariadbd or mysqld; {INSTALL}")
        if cluster.replication is Replication.NODES and not (
            GALERA.exists() and find_program("rsync")
        ):
            raise Problem(f"mysql: no {GALERA}, or no rsync; {INSTALL} galera-4 rsync")
        if not self._client_program:
            raise Problem(f"mysql: there is no client program; {INSTALL} mariadb-client")

    @cached_property
    def _program(self) -> str:
        return self.programs.mysqld or find_program("mariadbd", "mysqld") or ""

    @cached_property
    def _client_program(self) -> str:
        return find_program("mariadb", "mysql") or ""

    @cached_property
    def is_mariadb(self) -> bool:
        """True of MariaDB, False of MySQL."""
        return "MariaDB" in process.capture([self._program, "--no-defaults", "--version"]).out

    @property
    def _base(self) -> Path:
        """Where its messages and the like are: PREFIX of PREFIX/sbin/mysqld."""
        return Path(self._program).parent.parent

    def _unconfined_program(self) -> str:
        """Return the server, or a copy of it that no AppArmor profile belongs to.

        A profile may allow MySQL its customary folders alone, and belongs to a path.
        """
        profiles = PROFILES.read_text() if os.access(PROFILES, os.R_OK) else ""
        is_confined = any(line.startswith(f"{self._program} ") for line in profiles.splitlines())
        if self.is_mariadb or not is_confined:
            return self._program
        copy = self.work / "mysqld"
        shutil.copy(self._program, copy)
        copy.chmod(0o755)
        return str(copy)

    # ---- Starting

    def _initialise(self, folder: Path, cluster: Cluster) -> None:
        if not self.is_first and cluster.replication is not Replication.GROUP:
            return  # it receives the first one's data when it starts
        if self.is_mariadb:
            command = [
                # A mariadbd that starts removes tables of other ones from a common folder.
                *["env", f"TMPDIR={folder}", "mariadb-install-db", "--no-defaults"],
                *[f"--basedir={self._base}", f"--datadir={folder}", "--skip-test-db", "--force"],
                "--auth-root-authentication-method=normal",
            ]
        else:
            command = [
                *[self._unconfined_program(), "--no-defaults", f"--basedir={self._base}"],
                *[f"--datadir={folder}", "--secure-file-priv=NULL", "--initialize-insecure"],
            ]
        self._run(command, folder)

    def _configure(self, cluster: Cluster) -> None:
        is_group = cluster.replication is Replication.GROUP
        text = INIT + INIT_GROUP if is_group else INIT
        if not self.is_first and not is_group:
            text = ""  # it receives all of it from the first one
        init = self.work / "init.sql"
        write_private(
            init,
            text.format(
                first=DROP_OTHER_ROOTS if self.is_mariadb else NOT_REPLICATED,
                rights=RIGHTS[self.is_mariadb],
                password=self.password,
                admin_password=self.admin_password,
            ),
        )
        self._give(init)
        write_private(
            self._admin_file,
            f"[client]\nuser=root\npassword={self.admin_password}\nsocket={self.socket}\n",
        )

    def _command(self, setup: ServerSetup) -> list[str]:
        words = [
            *[self._unconfined_program(), "--no-defaults", f"--basedir={self._base}"],
            *[f"--datadir={self.data}", f"--bind-address={self.host}", f"--port={self.port}"],
            *[f"--socket={self.socket}", f"--pid-file={self.data}/server.pid"],
            *[f"--tmpdir={self.data}", "--skip-name-resolve"],
            f"--init-file={self.work}/init.sql",
        ]
        if setup.cluster.replication is Replication.GROUP:
            words += self._group_options()
        if setup.cluster.replication is Replication.NODES:
            words += self._galera_options()
        words += setup.options
        if not self.is_mariadb:
            # Without the last one, a user with all rights on one database cannot make a trigger
            # while the binary log is on (error 1419).
            words += [
                *["--mysqlx=OFF", "--secure-file-priv=NULL"],
                "--log-bin-trust-function-creators=ON",
            ]
        return words

    def _group_options(self) -> list[str]:
        first = self._first
        return [
            "--plugin-load-add=group_replication.so",
            f"--server-id={self.member}",
            "--gtid-mode=ON",
            "--enforce-gtid-consistency=ON",
            "--log-bin=binlog",
            f"--report-host={self.host}",
            f"--report-port={self.port}",
            "--group-replication-group-name=75626e63-6800-4000-8000-000000000000",
            "--group-replication-start-on-boot=OFF",
            f"--group-replication-local-address={self.host}:{self._peer_port}",
            f"--group-replication-group-seeds={first.host}:{first._peer_port}",
            f"--group-replication-ip-allowlist={self.host}/24",
            "--group-replication-recovery-get-public-key=ON",
        ]

    def _galera_options(self) -> list[str]:
        (self.data / "grastate.dat").unlink(missing_ok=True)  # a new cluster each time
        first, port = self._first, self._peer_port
        options = [
            "--wsrep-on=ON",
            f"--wsrep-provider={GALERA}",
            f"--wsrep-cluster-address=gcomm://{first.host}:{first._peer_port}",
            f"--wsrep-node-address={self.host}:{port}",
            "--wsrep-sst-method=rsync",
            f"--wsrep-sst-receive-address={self.host}:{port + 2}",
            f"--wsrep-provider-options=gmcast.listen_addr=tcp://{self.host}:{port};"
            f"ist.recv_addr={self.host}:{port + 1}",
            "--binlog-format=ROW",
            "--innodb-autoinc-lock-mode=2",
        ]
        return [*options, "--wsrep-new-cluster"] if self.is_first else options

    def _answers(self) -> bool:
        # A node of Galera that has no data yet answers what needs no table.
        return self._client("SELECT 1 FROM mysql.user LIMIT 1", "").status == 0

    def _set_up(self, cluster: Cluster) -> None:
        if cluster.replication is Replication.GROUP:
            self._join_group()
        if self.sql(COUNT_USERS) != "2":
            raise Problem(f"its statements failed, see {self.log}")
        if self.is_first:
            # MySQL takes a password without TLS once it has seen it by the socket.
            process.capture(
                [self._client_program, "--no-defaults", "-S", self.socket, "-u", "ubench"],
                stdin="DO 0",
                env={**os.environ, "MYSQL_PWD": self.password},
            )

    def _join_group(self) -> None:
        if not self.is_first:
            self._copy_database()
        self.sql(JOIN.format(is_first=int(self.is_first), admin_password=self.admin_password))
        if not process.wait_until(lambda: self.sql(MEMBER_STATE) == "ONLINE", STOP_S):
            raise Problem("it does not join the group")

    def _copy_database(self) -> None:
        """Copy the first member's database ubench; later changes come from the group."""
        dump = ["mysqldump", f"--defaults-file={self._first._admin_file}", "--databases", "ubench"]
        dump += ["--set-gtid-purged=OFF", "--single-transaction"]
        load = [self._client_program, f"--defaults-file={self._admin_file}"]
        load.append(f"--init-command={NOT_REPLICATED}")
        with tempfile.TemporaryFile() as file, open(self.log, "ab") as log:
            copied = process.run(dump, stdout=file.fileno(), stderr=log.fileno())
            file.seek(0)
            with process.started(load, stdin=file.fileno(), stderr=log.fileno()) as child:
                loaded = child.wait()
        if copied.status != 0 or loaded != 0:
            raise self.problem("the first member's database cannot be copied")

    # ---- Clients

    def _client(self, text: str, database: str) -> process.Finished:
        words = [self._client_program, f"--defaults-file={self._admin_file}", "-BN"]
        return process.capture([*words, database] if database else words, stdin=text)

    def _make_kea_tables(self, database: str, tables: Path, statement: str) -> None:
        self.sql(
            f"DROP DATABASE IF EXISTS {database}; CREATE DATABASE {database};"
            f"GRANT ALL ON {database}.* TO ubench@'%'"
        )
        self.sql(tables.read_text(), database)
        self.sql(statement, database)

    def _own_environment(self) -> dict[str, str]:
        return {
            "PLAIN_USER": "ubench_plain",  # the same password, no right to change global settings
            "ADMIN_FILE": str(self._admin_file),
        }
