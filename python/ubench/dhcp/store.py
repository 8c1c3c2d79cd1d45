# SPDX-License-Identifier: ISC
"""The lease store of a plan: its databases, and the leases and reservations in it."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ubench import paths
from ubench.dhcp.addresses import Address, leases_of_others, plan_subnets
from ubench.dhcp.config import DatabaseAccess, access_key
from ubench.dhcp.plan import LIFETIME_S, Plan
from ubench.dhcp.testbed import Testbed, read_text
from ubench.errors import Problem
from ubench.records.observation import DATABASE_SERVERS
from ubench.run import process
from ubench.run.server import Server
from ubench.run.servers import PrivateServers
from ubench.run.statements import STATISTICS, StatementStatistics

LEASE_FILE = "leases.csv"  # of memfile, in the folder of its server
# The parts of that file, the oldest first: kea-lfc has read ".2" and the server has left ".1".
LEASE_FILE_ENDINGS = (".2", ".1", "")
COLUMNS = (
    "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state"
)
ROWS_PER_STATEMENT = 500
# Kea's tables with leases or their numbers. Kea 2.2 has none whose name has _pool_stat.
LEASE_TABLES = ("lease4", "lease6", "lease4_stat", "lease6_stat")
POOL_TABLES = ("lease4_pool_stat", "lease6_pool_stat")
# Galera: a node waits until it has applied what others have committed; and its conflicts.
SEE_ALL_NODES = "SET SESSION wsrep_sync_wait = 15;"
CONFLICT_NAMES = {"wsrep_local_cert_failures": "certification", "wsrep_local_bf_aborts": "aborted"}
CONFLICTS = f"SHOW GLOBAL STATUS WHERE variable_name IN {tuple(CONFLICT_NAMES)};"
VERSION_TABLE = "ubench_kea"  # the version of Kea whose tables a database has


@dataclass(frozen=True)
class Dialect:
    """The SQL of one kind of database."""

    octets: str  # a literal of octets in hexadecimal
    time: str  # a time in seconds of Unix
    truncate: str  # the statements that empty a table that others refer to
    analyze: str
    lease_columns: str  # address, client, state and end of a lease; {} is the client's column
    in_capitals: bool  # addresses of IPv4 and clients there; else decimal, and small letters

    def octets_of(self, mac: str) -> str:
        """Return the literal of a hardware address."""
        return self.octets.format(mac.replace(":", ""))

    def address(self, text: str) -> str:
        """Return an IPv4 address in hexadecimal as the column has it."""
        number = int(text, 16)
        return f"{number:X}" if self.in_capitals else str(number)

    def client(self, text: str) -> str:
        """Return a hardware address in hexadecimal as the column has it."""
        return text.upper() if self.in_capitals else text.lower()


DIALECTS: Mapping[str, Dialect] = {
    "mysql": Dialect(
        octets="x'{}'",
        time="FROM_UNIXTIME({})",
        truncate="SET foreign_key_checks=0; TRUNCATE {};",
        analyze="ANALYZE TABLE lease4;",
        lease_columns="HEX(address), HEX({}), state, UNIX_TIMESTAMP(expire)",
        in_capitals=True,
    ),
    "pgsql": Dialect(
        octets="'\\x{}'",
        time="to_timestamp({})",
        truncate="TRUNCATE {} CASCADE;",
        analyze="ANALYZE lease4;",
        lease_columns="address, ENCODE({}, 'hex'), state, EXTRACT(EPOCH FROM expire)",
        in_capitals=False,
    ),
}


@dataclass(frozen=True)
class LeaseKey:
    """A lease: whose address it is."""

    address: str
    client: str


Leases = dict[LeaseKey, float]  # the time at which each ends; 0 if it was reclaimed


@dataclass(frozen=True)
class StoreFacts:
    """The name of a store and its durability, for a result."""

    name: str  # with its version if it is a database: "MariaDB 10.11.14"
    durability: Mapping[str, object]  # results/kea.schema.json


@dataclass(frozen=True)
class StoreBaselines:
    """What a database allows, measured by its runner on the processors of the servers."""

    round_trip_us: float | None = None
    sync_us: float | None = None


FILE_FACTS: Mapping[tuple[str, str], StoreFacts] = {
    ("memfile", "no"): StoreFacts(
        "memfile",
        {
            "class": "process-safe",
            "from": "Kea writes each lease to its file, but never syncs it",
        },
    ),
    ("memfile", "volatile"): StoreFacts(
        "memfile",
        {"class": "volatile", "from": "Kea writes no file: persist is false"},
    ),
    ("dhcpd", "yes"): StoreFacts(
        "dhcpd",
        {"class": "power-safe", "from": "dhcpd syncs its file before it answers"},
    ),
}


class LeaseStores:
    """The databases and lease files of the servers of one plan after the other."""

    def __init__(self, testbed: Testbed, databases: PrivateServers) -> None:
        """`databases`: where private database servers are started."""
        self._testbed = testbed
        self._databases = databases
        self._running: dict[str, Server] = {}  # by kind; of a cluster the first node
        self._other_nodes: dict[str, Server] = {}  # by access_key
        self.baselines = StoreBaselines()  # of the database that `facts` has asked last

    @property
    def access(self) -> dict[str, DatabaseAccess]:
        """How servers reach the databases that run, by access_key."""
        return {
            name: DatabaseAccess(server.port, "ubench", self._running[server.kind].password)
            for name, server in [*self._running.items(), *self._other_nodes.items()]
        }

    # ---- Databases

    def start_databases(self, plan: Plan, kea: Path | None, version: str) -> None:
        """Start the databases of leases and of reservations, on the processors of the servers.

        They have the settings that --sync stands for, and the tables of this version of Kea, whose
        root folder is `kea`. Those that ran before are stopped.
        """
        self._databases.stop()
        self._running.clear()
        self._other_nodes.clear()
        for kind in plan.database_kinds:
            server = self._start_database(kind, plan)
            self._running[kind] = server
            for name in plan.database_names:
                make_tables(server, name, kea, version)
            if kind == plan.store:
                self._other_nodes = {
                    access_key(kind, node): self._databases.server(kind, node)
                    for node in plan.node_numbers[1:]
                }
            if kind == plan.hosts:
                server.sql("\n".join(host_statements(plan)), "kea")

    def _start_database(self, kind: str, plan: Plan) -> Server:
        """Start a database, with the statistics of its statements if the plan has --where."""
        options = database_options(kind, is_safe=plan.sync == "yes")
        prefix = self._testbed.on_server_processors()
        if not plan.where:
            nodes = plan.nodes if kind == plan.store else 0
            return self._databases.start(kind, options, nodes=nodes, prefix=prefix)
        known = STATISTICS[kind]
        try:
            server = self._databases.start(kind, [*options, *known.options], prefix=prefix)
        except Problem as problem:
            reason = known.why_not_started(read_text(self._databases.server(kind).log))
            raise Problem(reason or str(problem)) from problem
        known(server).prepare()
        return server

    def statistics(self, plan: Plan) -> StatementStatistics | None:
        """Return the statistics of the statements in the database of a plan; None of a file."""
        if plan.store not in DATABASE_SERVERS:
            return None
        return STATISTICS[plan.store](self._running[plan.store])

    # ---- Before a trial

    def prepare(self, plan: Plan) -> None:
        """Empty the store; then it has the leases of other clients, if the plan has any."""
        for number in plan.server_numbers:
            home = self._testbed.home(number)
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir()
            home.chmod(0o750)  # Kea takes no other directory for its control socket since 2.6.3
        if plan.store in DATABASE_SERVERS:
            for name in plan.database_names:
                self._empty(plan.store, name)
        if plan.leases:
            self._fill(plan)

    def _empty(self, kind: str, name: str) -> None:
        server, statement = self._running[kind], DIALECTS[kind].truncate
        for table in LEASE_TABLES:
            server.sql(statement.format(table), name)
        for table in POOL_TABLES:
            with contextlib.suppress(Problem):
                server.sql(statement.format(table), name)

    def _fill(self, plan: Plan) -> None:
        """Add the leases of other clients, which run out before a trial of expire begins."""
        left_s = -1 if plan.command == "expire" else LIFETIME_S
        expire_s = int(time.time()) + left_s
        leases = leases_of_others(plan)
        if plan.store == "memfile":
            lines = "\n".join([*lease_file_lines(leases, expire_s), ""])
            (self._testbed.home(1) / LEASE_FILE).write_text(lines, encoding="ascii")
        else:
            statements = lease_statements(leases, expire_s, DIALECTS[plan.store])
            self._running[plan.store].sql("\n".join(statements), "kea")

    # ---- After a trial

    def conflicts(self, plan: Plan) -> Counter[str]:
        """Return how many conflicts the nodes of a cluster have counted since they started.

        "certification": commits that fail because another node has changed the same row;
        "aborted": transactions that such a change ends before they commit.
        """
        counts: Counter[str] = Counter()
        for node in self._nodes(plan) if plan.nodes else ():
            for row in node.sql(CONFLICTS).splitlines():
                name, value = row.split()
                counts[CONFLICT_NAMES[name.lower()]] += int(value)
        return counts

    def _nodes(self, plan: Plan) -> list[Server]:
        return [self._running[plan.store], *self._other_nodes.values()]

    def leases(self, plan: Plan, number: int) -> Leases:
        """Return the leases that a server has.

        Those of several servers are the same on all nodes of a cluster, or all that any node has.
        """
        if plan.is_dhcpd:
            return _read_dhcpd_leases(self._testbed.home(number) / "leases")
        if plan.store == "memfile":
            return _read_lease_files(self._testbed.home(number), plan.family)
        return self._read_lease_table(plan, plan.database_of(number))

    def _read_lease_table(self, plan: Plan, database: str) -> Leases:
        columns = DIALECTS[plan.store].lease_columns.format(_client_column(plan.family))
        select = f"SELECT {columns} FROM lease{plan.family};"
        if plan.nodes:
            select = f"{SEE_ALL_NODES} {select}"
        leases = {}
        for node in self._nodes(plan):
            for row in node.sql(select, database).splitlines():
                address, client, state, end = row.split()
                leases[LeaseKey(address, client)] = _end(state, end)
        return leases

    def facts(self, plan: Plan) -> StoreFacts:
        """Return the name and the durability of the store.

        Of a database they are what its runner reads from the same server.
        """
        known = FILE_FACTS.get((plan.store, plan.sync))
        if known:
            return known
        environment = {**os.environ, **self._running[plan.store].environment()}
        command = [str(paths.runner(plan.store)), "-s", "server", "-n", "10", "--json"]
        command = [*self._testbed.on_server_processors(), *command]
        finished = process.capture(command, env=environment)
        if finished.status != 0:
            raise Problem(
                f"{plan.store}_ubench cannot read the settings of {plan.store}: "
                f"{process.first_error(finished.err)}"
            )
        line = json.loads(finished.out)
        product = line["product"]
        times = (line["baselines"][name] for name in ("round_trip_ns", "fdatasync_ns"))
        self.baselines = StoreBaselines(*(time and time / 1000 for time in times))
        return StoreFacts(f"{product['name']} {product['version']}", line["durability"])


# ---- Databases


def database_options(kind: str, *, is_safe: bool) -> list[str]:
    """Return the options of a database server whose commits survive a power cut, or need not."""
    if kind == "pgsql":
        return ["-c", f"synchronous_commit={'on' if is_safe else 'off'}"]
    flush, sync = (1, 1) if is_safe else (2, 0)
    return [f"--innodb-flush-log-at-trx-commit={flush}", f"--sync-binlog={sync}"]


def make_tables(server: Server, name: str, kea: Path | None, version: str) -> None:
    """Make Kea's tables in a database, unless those of that version are there.

    kea-admin itself fails with MySQL 9: up to Kea 3.0 it tries whether a trigger can be made with
    a statement that has a backslash, which is an unknown command there. That of Kea 2.2 loses the
    port.
    """
    known = ""
    with contextlib.suppress(Problem):
        known = server.sql(f"SELECT version FROM {VERSION_TABLE};", name)
    if known != version:
        server.make_kea_tables(name, kea)
        server.sql(f"CREATE TABLE {VERSION_TABLE} AS SELECT '{version}' AS version;", name)


def host_statements(plan: Plan) -> Iterator[str]:
    """Yield the statements that put the reservations of a plan into the table of a database."""
    dialect = DIALECTS[plan.hosts]
    column = "hostname" if plan.family == 6 else "ipv4_address"
    yield "BEGIN; DELETE FROM hosts;"
    for subnet in plan_subnets(plan):
        for host in subnet.reservations:
            reserved = f"'{host.hostname}'" if host.address is None else int(host.address)
            yield (
                "INSERT INTO hosts (dhcp_identifier, dhcp_identifier_type, "
                f"dhcp{plan.family}_subnet_id, {column}) "
                f"VALUES ({dialect.octets_of(host.mac)}, 0, {subnet.id}, {reserved});"
            )
    yield "COMMIT;"


# ---- The leases of other clients


def lease_file_lines(leases: Sequence[tuple[Address, str]], expire_s: int) -> Iterator[str]:
    """Yield the lines of memfile's file that has these leases."""
    yield f"{COLUMNS},user_context"
    for address, mac in leases:
        yield f"{address},{mac},01:{mac},{LIFETIME_S},{expire_s},1,0,0,,0,"


def lease_statements(
    leases: Sequence[tuple[Address, str]], expire_s: int, dialect: Dialect
) -> Iterator[str]:
    """Yield the statements that put these leases into a database.

    They are not in one transaction, in which PostgreSQL would keep all versions of Kea's counters.
    """
    end = dialect.time.format(expire_s)
    rows = [
        f"({int(address)}, {dialect.octets_of(mac)}, {dialect.octets_of('01' + mac)}, "
        f"{LIFETIME_S}, {end}, 1, '0', '0', '', 0)"
        for address, mac in leases
    ]
    for first in range(0, len(rows), ROWS_PER_STATEMENT):
        values = ",".join(rows[first : first + ROWS_PER_STATEMENT])
        yield f"INSERT INTO lease4 ({COLUMNS}) VALUES {values};"
    yield dialect.analyze


# ---- Reading leases


def _client_column(family: int) -> str:
    return "duid" if family == 6 else "hwaddr"


def _end(state: str, end: str) -> float:
    """Return the end of a lease in use, whose state is 0."""
    return float(end) if state == "0" else 0.0


def _read_dhcpd_leases(path: Path) -> Leases:
    lines = re.findall("^lease .*", read_text(path), re.MULTILINE)
    return {LeaseKey(line, ""): 0.0 for line in lines}


def _read_lease_files(home: Path, family: int) -> Leases:
    """Return the leases of memfile: the last line of an address counts; a lifetime of 0 removes."""
    client = _client_column(family)
    rows: dict[str, dict[str, str]] = {}
    for ending in LEASE_FILE_ENDINGS:
        text = read_text(home / f"{LEASE_FILE}{ending}")
        for row in csv.DictReader(text.splitlines()):
            rows[row["address"]] = row
    return {
        LeaseKey(row["address"], row[client]): _end(row["state"], row["expire"])
        for row in rows.values()
        if row["valid_lifetime"] != "0"
    }
