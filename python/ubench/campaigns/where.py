# SPDX-License-Identifier: ISC
"""scripts/where: runs a runner on a private server, and says where the time of an exchange goes.

The runner works for one turn (run/runner.py). What runs in it and what the server knows is read
twice meanwhile, some time after its begin and before its end: so what the runner does before and
after the turn, to fill and to check its store, is in no figure.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ubench import cli, paths
from ubench.campaigns.duel_options import split_commands
from ubench.errors import Problem, UsageError
from ubench.records.where import Part, Where
from ubench.report.table import Output
from ubench.report.where_tables import print_exchange
from ubench.run import output, process
from ubench.run.passwords import refuse_passwords
from ubench.run.runner import Turn, TurnRunner
from ubench.run.servers import PrivateServers
from ubench.run.statements import (
    STATISTICS,
    Statements,
    StatementStatistics,
    Timed,
    ran_since,
)
from ubench.run.task_times import TaskTimes, spent, task_times, threads_of
from ubench.run.where_parts import DatabaseTimes
from ubench.units import SECOND_NS

NAME = "where"
EXAMPLE = "where -- pgsql_ubench -S kea -w renew"
EDGE_S = 0.5  # of a turn that is not looked at, before and after
LEAST_NS, MOST_NS = 3 * SECOND_NS, 3600 * SECOND_NS
DATABASES = {"pgsql_ubench": "pgsql", "mysql_ubench": "mysql"}
DESCRIPTION = """
Lets a runner work on a private server, and splits the mean time of an exchange
(or operation): the runner with its client library, each kind of statement in
the server, syncs, the other work of the server. Each part is measured by
itself; what their sum lacks is named. memfile, SQLite and null have no server.

Everything after -- is the runner with its options."""
ENDING = """
Exit status: 0 done; 1 the runner failed; 2 usage; 3 a wrong answer; 130 or 143
interrupted."""


# ---- The command line


@dataclass(frozen=True)
class WhereRequest:
    """What a command line asks for."""

    command: tuple[str, ...]
    kind: str  # of the private server; "" for none
    server_options: tuple[str, ...]
    seconds: float
    output: Path | None


def server_words(text: str) -> list[str]:
    """Return the type of --server: the words that a shell makes of a text."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}': {error}") from None


def make_parser() -> cli.Parser:
    """Return the parser of the options before the runner."""
    parser = cli.Parser(
        NAME, "[OPTION]... -- RUNNER [OPTION]...", DESCRIPTION, example=EXAMPLE, ending=ENDING
    )
    parser.add_argument(
        "--time",
        metavar="TIME",
        type=cli.duration(LEAST_NS, MOST_NS),
        default=10 * SECOND_NS,
        help="time that the runner works [10s]",
    )
    parser.add_argument(
        "--server",
        metavar="'KIND OPTION...'",
        type=server_words,
        default=[],
        help="the private server of a runner, with options: 'pgsql -c fsync=off' [that of the "
        "runner's store]",
    )
    parser.add_argument(
        "-O",
        "--output",
        metavar="FILE",
        type=output.output_file,
        help="append the result to FILE as one line",
    )
    return parser


def read_request(words: Sequence[str]) -> WhereRequest:
    """Read a command line. Raises UsageError."""
    typed, commands = split_commands(words)
    refuse_passwords(typed)
    options = make_parser().parse(typed)
    if len(commands) != 1 or not commands[0]:
        raise UsageError(f"{len(commands)} commands; expected one runner after --, as in {EXAMPLE}")
    command = commands[0]
    refuse_passwords(command)
    kind, *server_options = options.server or [DATABASES.get(Path(command[0]).name, "")]
    if kind and kind not in STATISTICS:
        raise UsageError(f"--server: '{kind}' is not a server; expected mysql or pgsql")
    return WhereRequest(
        command, kind, tuple(server_options), options.time / SECOND_NS, options.output
    )


# ---- The measurement


@dataclass(frozen=True)
class Moment:
    """What was known at some moment of a turn."""

    tasks_at_s: float
    runner: TaskTimes
    connections: TaskTimes
    statements_at_s: float
    statements: Statements
    syncs: Timed


def look(pid: int, statistics: StatementStatistics | None) -> Moment:
    """Return what is known now of the runner and of its server."""
    connections = statistics.connections() if statistics else []
    tasks_at_s = time.monotonic()
    runner, served = task_times(threads_of([pid])), task_times(connections)
    statements_at_s = time.monotonic()
    statements = statistics.statements() if statistics else {}
    syncs = statistics.syncs() if statistics else Timed()
    return Moment(tasks_at_s, runner, served, statements_at_s, statements, syncs)


@dataclass(frozen=True)
class Measured:
    """A turn, the shares of time in it, and the result of the runner."""

    turn: Turn
    before: Moment
    after: Moment
    line: dict[str, Any]


def measure(request: WhereRequest, statistics: StatementStatistics | None) -> Measured:
    """Let the runner work for one turn, and end. Raises Problem."""
    folder = Path(tempfile.mkdtemp(prefix="where-", dir=paths.writable()))
    runner = TurnRunner(NAME, request.command)
    try:
        runner.start(folder / "files")
        runner.wait_ready()
        with ThreadPoolExecutor(1) as pool:
            turn = pool.submit(runner.turn, round(request.seconds * 1000))
            time.sleep(EDGE_S)
            before = look(runner.pid, statistics)
            time.sleep(request.seconds - 3 * EDGE_S)
            after = look(runner.pid, statistics)
            taken = turn.result()
        return Measured(taken, before, after, json.loads(runner.result()))
    finally:
        with process.signals_ignored():
            runner.stop()
            shutil.rmtree(folder, ignore_errors=True)


def where(measured: Measured, kind: str) -> Where:
    """Return the parts of the mean time of an exchange or operation. Raises Problem."""
    turn, before, after = measured.turn, measured.before, measured.after
    if not turn.operations:
        raise Problem("no operation ended in the turn; expected many (--time)")
    each_us = turn.elapsed_ns / turn.operations / 1000
    of_tasks = each_us / (after.tasks_at_s - before.tasks_at_s)
    runner = spent(before.runner, after.runner).times(of_tasks)
    whole_us = int(measured.line["parameters"]["threads"]) * each_us
    baselines = Baselines(measured.line["baselines"])
    parts = (*runner_parts(measured.line, runner.ran_s), Part("wait", runner.waited_s))
    if not kind:
        return Where(whole_us, (*parts, *file_syncs(turn, baselines.us("fdatasync_ns"))))
    of_statements = each_us / (after.statements_at_s - before.statements_at_s)
    database = DatabaseTimes(
        statements=ran_since(after.statements, before.statements),
        syncs=after.syncs.since(before.syncs),
        sync_us=baselines.us("fdatasync_ns"),
        connections=spent(before.connections, after.connections).times(of_tasks / of_statements),
        waits_for_sync=measured.line["durability"]["class"] == "power-safe",
        syncs_in_statements=STATISTICS[kind].syncs_in_statements,
        us_per_s=of_statements,
    )
    return Where(
        whole_us,
        (*parts, *database.parts()),
        database.within(baselines.us("round_trip_ns")),
    )


@dataclass(frozen=True)
class Baselines:
    """What the runner measured before its first run."""

    members: Mapping[str, float | None]

    def us(self, name: str) -> float | None:
        """Return a time in us; None if it is not known."""
        time_ns = self.members.get(name)
        return None if time_ns is None else time_ns / 1000


def runner_parts(line: Mapping[str, Any], ran_us: float) -> tuple[Part, ...]:
    """Return the processor time of the runner: what measuring costs, and its client library."""
    run, each_us = line["runs"][0], Baselines(line["baselines"]).us("harness_ns")
    operations = sum(phase["operations"] for phase in run["phases"])
    if each_us is None or not operations:
        return (Part("client", ran_us),)
    store_operations = run.get("store_operations", operations)
    harness_us = min(ran_us, each_us * store_operations / operations)
    return (Part("harness", harness_us), Part("client", ran_us - harness_us))


def file_syncs(turn: Turn, sync_us: float | None) -> tuple[Part, ...]:
    """Return the syncs of the file of a store without a server, each as long as the baseline."""
    if not turn.syncs or sync_us is None:
        return ()
    count = turn.syncs / turn.operations
    return (Part("sync", count * sync_us, count),)


# ---- The program


def main(words: Sequence[str]) -> int:
    """Run this campaign with these words; return the exit status."""
    return cli.guard(NAME, carry_out, words)


def carry_out(words: Sequence[str]) -> int:
    """Carry out a command line; return the exit status. Raises Problem."""
    request = read_request(words)
    process.handle_signals()
    paths.writable().mkdir(parents=True, exist_ok=True)
    with statistics_of(request) as statistics:
        measured = measure(request, statistics)
    found = where(measured, request.kind)
    # The statistics cost time, so that the rate is of a configuration of its own.
    parameters = {**measured.line["parameters"], "where": "yes"}
    line = {**measured.line, "parameters": parameters, "where": found.members()}
    if request.output:
        output.append_line(request.output, line)
    print_exchange(Output(), shlex.join(request.command), found)
    return 0


@contextmanager
def statistics_of(request: WhereRequest) -> Iterator[StatementStatistics | None]:
    """Start the private server of a runner, which finds it by its environment; None without one."""
    if not request.kind:
        yield None
        return
    known = STATISTICS[request.kind]
    with PrivateServers.temporary() as servers:
        try:
            server = servers.start(request.kind, [*known.options, *request.server_options])
        except Problem as problem:
            log = servers.server(request.kind).log
            text = log.read_text(errors="replace") if log.exists() else ""
            raise Problem(known.why_not_started(text) or str(problem)) from problem
        os.environ.update(server.environment())
        statistics = known(server)
        statistics.prepare()
        yield statistics
