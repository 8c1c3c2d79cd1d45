# SPDX-License-Identifier: ISC
"""What a private database server knows of the statements of its user: how many, and how long.

PostgreSQL has it in the extension pg_stat_statements, MySQL and MariaDB in the digests of
performance_schema. Both have to be asked for when the server starts: `options`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ubench.errors import Problem
from ubench.run.server import Server

MS_PER_S, PS_PER_S = 1e3, 1e12  # PostgreSQL counts milliseconds, performance_schema picoseconds
REDO_LOG = "wait/io/file/innodb/innodb_log_file"
# Schemas of the server itself, in which its administrator works.
OWN_SCHEMAS = "'mysql', 'performance_schema', 'information_schema', 'sys'"
NO_EXTENSION = (
    "pgsql: this PostgreSQL has no extension pg_stat_statements, which --where needs; install it "
    "(some distributions have it in postgresql-contrib), or leave out --where"
)


@dataclass(frozen=True)
class Timed:
    """How often something was done, and for how long; None: the server does not tell."""

    count: float = 0
    seconds: float | None = 0.0

    def since(self, before: Timed) -> Timed:
        """Return what was added since another moment."""
        if self.seconds is None or before.seconds is None:
            return Timed(self.count - before.count, None)
        return Timed(self.count - before.count, self.seconds - before.seconds)


Statements = Mapping[str, Timed]  # by their kind


def ran_since(after: Statements, before: Statements) -> Statements:
    """Return what was added since another moment; statements that did not run are left out."""
    differences = {kind: timed.since(before.get(kind, Timed())) for kind, timed in after.items()}
    return {kind: timed for kind, timed in differences.items() if timed.count > 0}


# ---- Kinds of statements

_BRACKETS = re.compile(r"\([^()]*\)")
_TABLE = re.compile(r"\b(?:FROM|INTO|UPDATE)\s+(?:\w+\.)?(\w+)", re.IGNORECASE)
_WHERE = re.compile(r"\bWHERE\b(.*?)(?:\b(?:ORDER|GROUP|LIMIT|FOR|RETURNING)\b|$)", re.IGNORECASE)
_COMPARED = re.compile(r"(\w+)\s*(?:<=>|[<>!]?=|<>|<|>|\bIN\b|\bBETWEEN\b)", re.IGNORECASE)
WORDS_OF_OTHERS = 3  # that name a statement of no table: "START TRANSACTION"


def statement_kind(text: str) -> str:
    """Return what a statement does, to which table, and by which columns it finds rows.

    SELECT address, ... FROM lease4 WHERE client_id = $1 AND subnet_id = $2 is of the kind
    "SELECT lease4 by client_id, subnet_id".
    """
    plain = re.sub(r'[`"]', "", text).strip().removeprefix("EXECUTE ")
    outside = _without_brackets(plain)
    words = outside.split()
    table = _TABLE.search(outside)
    if table is None:
        return " ".join(words[:WORDS_OF_OTHERS])
    kind = f"{words[0].upper()} {table[1]}"
    where = _WHERE.search(plain)
    columns = dict.fromkeys(_COMPARED.findall(where[1])) if where else {}
    return f"{kind} by {', '.join(columns)}" if columns else kind


def _without_brackets(text: str) -> str:
    """Return a text without what stands in brackets: EXTRACT(EPOCH FROM expire) has no table."""
    while True:
        shorter = _BRACKETS.sub("", text)
        if shorter == text:
            return text
        text = shorter


# ---- Kinds of servers


class StatementStatistics(ABC):
    """The statistics of one server: statements of the user ubench in all of its databases."""

    def __init__(self, server: Server) -> None:
        self.server = server

    options: ClassVar[Sequence[str]]  # of a server that keeps these statistics
    # A sync of the log is part of a statement's time; if not, the commit comes after it.
    syncs_in_statements: ClassVar[bool]

    @classmethod
    def why_not_started(cls, log: str) -> str:
        """Return why a server does not start with `options`, by its log; "" for other reasons."""
        return ""

    @abstractmethod
    def prepare(self) -> None:
        """Check that the server keeps the statistics. Raises Problem if it does not."""

    @abstractmethod
    def connections(self) -> list[int]:
        """Return the threads, by the kernel's numbers, that serve the user."""

    @abstractmethod
    def statements(self) -> Statements:
        """Return the statements until now of connections that are open still."""

    @abstractmethod
    def syncs(self) -> Timed:
        """Return the syncs of the logs until now."""

    def _rows(self, query: str) -> list[list[str]]:
        """Return rows of two numbers and a text."""
        return [line.split(" ", 2) for line in self.server.sql(query).splitlines()]


class PgsqlStatistics(StatementStatistics):
    """Statistics of pg_stat_statements; an implicit commit comes after the statement's time."""

    options = (
        *("-c", "shared_preload_libraries=pg_stat_statements"),
        *("-c", "pg_stat_statements.track_planning=on"),
        *("-c", "track_wal_io_timing=on"),
    )
    syncs_in_statements = False

    @classmethod
    def why_not_started(cls, log: str) -> str:
        """Return that the extension is not installed, if the log says that."""
        is_absent = 'could not access file "pg_stat_statements"' in log
        return NO_EXTENSION if is_absent else ""

    def prepare(self) -> None:
        """Make the extension, in the database of the administrator."""
        try:
            self.server.sql("CREATE EXTENSION IF NOT EXISTS pg_stat_statements;")
        except Problem as problem:
            raise Problem(f"{NO_EXTENSION} ({problem})") from problem

    def connections(self) -> list[int]:
        """Return the processes of the user's connections."""
        rows = self.server.sql("SELECT pid FROM pg_stat_activity WHERE usename = 'ubench';")
        return [int(pid) for pid in rows.split()]

    def statements(self) -> Statements:
        """Return the statements with their plans, also of connections that were closed."""
        return _by_kind(
            self._rows(
                "SELECT calls, total_exec_time + total_plan_time, "
                r"regexp_replace(query, '\s+', ' ', 'g') "
                "FROM pg_stat_statements AS s JOIN pg_roles AS r ON r.oid = s.userid "
                "WHERE r.rolname = 'ubench';"
            ),
            MS_PER_S,
        )

    def syncs(self) -> Timed:
        """Return the syncs of the WAL.

        A connection that works tells its own once a second, and all of them when it ends.
        """
        version = int(self.server.sql("SHOW server_version_num;"))
        of_version = (
            "SELECT coalesce(sum(fsyncs), 0), coalesce(sum(fsync_time), 0) FROM pg_stat_io "
            "WHERE object = 'wal';"
            if version >= 180000
            else "SELECT wal_sync, wal_sync_time FROM pg_stat_wal;"
        )
        count, milliseconds = self.server.sql(of_version).split()
        return Timed(float(count), float(milliseconds) / MS_PER_S)


class MysqlStatistics(StatementStatistics):
    """Statistics of performance_schema; a statement that commits waits for the sync itself."""

    options = (
        "--performance-schema=ON",
        "--performance-schema-consumer-events-statements-current=ON",
        "--performance-schema-consumer-statements-digest=ON",
        "--performance-schema-instrument=statement/%=ON",
        "--performance-schema-instrument=wait/io/file/%=ON",
    )
    syncs_in_statements = True

    def prepare(self) -> None:
        """Raise Problem if the server was built without performance_schema."""
        if self.server.sql("SELECT @@performance_schema;") != "1":
            raise Problem(
                f"{self.server.name}: it has no performance_schema, which --where needs; measure "
                "a server that was built with it"
            )

    def connections(self) -> list[int]:
        """Return the threads of the user's connections."""
        rows = self.server.sql(
            "SELECT thread_os_id FROM performance_schema.threads WHERE processlist_user = 'ubench' "
            "AND thread_os_id IS NOT NULL;"
        )
        return [int(task) for task in rows.split()]

    def statements(self) -> Statements:
        """Return the statements by their digests, and prepared ones that have none.

        MySQL has EXECUTE before the digest of a prepared statement that a client executes;
        MariaDB has no digests of them.
        """
        prepared = _by_kind(
            self._rows(
                "SELECT count_execute, sum_timer_execute, REGEXP_REPLACE(sql_text, '[[:space:]]+', "
                "' ') FROM performance_schema.prepared_statements_instances "
                "JOIN performance_schema.threads ON thread_id = owner_thread_id "
                "WHERE processlist_user = 'ubench' AND count_execute > 0;"
            ),
            PS_PER_S,
        )
        digests = self._rows(
            "SELECT count_star, sum_timer_wait, digest_text "
            "FROM performance_schema.events_statements_summary_by_digest "
            f"WHERE schema_name NOT IN ({OWN_SCHEMAS}) AND digest_text IS NOT NULL;"
        )
        return {**prepared, **_by_kind(digests, PS_PER_S)}

    def syncs(self) -> Timed:
        """Return the syncs of InnoDB and of the binary log; MariaDB does not time those of InnoDB.

        The server counts a sync as MISC, and little else: a few calls when a file is opened.
        """
        logs = self.server.sql(
            "SELECT event_name, count_misc, sum_timer_misc "
            "FROM performance_schema.file_summary_by_event_name WHERE event_name IN "
            f"('{REDO_LOG}', 'wait/io/file/sql/binlog');"
        )
        rows = [line.split() for line in logs.splitlines()]
        counts = {name: int(count) for name, count, _ in rows}
        seconds = sum(int(picoseconds) for *_, picoseconds in rows) / PS_PER_S
        if counts.get(REDO_LOG):
            return Timed(sum(counts.values()), seconds)
        status = self.server.sql("SHOW GLOBAL STATUS LIKE 'Innodb_data_fsyncs';")
        return Timed(sum(counts.values()) + int(status.split()[1]), None)


STATISTICS: dict[str, type[StatementStatistics]] = {
    "mysql": MysqlStatistics,
    "pgsql": PgsqlStatistics,
}


def _by_kind(rows: Sequence[Sequence[str]], units_per_s: float) -> dict[str, Timed]:
    """Return the sums of the statements of each kind."""
    sums: dict[str, Timed] = {}
    for calls, time, text in rows:
        kind = statement_kind(text)
        known = sums.get(kind, Timed())
        sums[kind] = Timed(
            known.count + int(calls), (known.seconds or 0) + float(time) / units_per_s
        )
    return sums
