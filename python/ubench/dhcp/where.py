# SPDX-License-Identifier: ISC
"""Measures where the time of a lease goes in a trial: scripts/dhcp --where.

The whole is the time that a client of perfdhcp waits for its two answers. The parts are measured
each by itself:

- outside: what a client waits longer than the server has its requests, by the packets at the
  server's interface;
- socket and queue: by libdhcp_perfmon, or by those packets;
- server: processor time of Kea;
- wait: of a Kea without a database and libdhcp_perfmon, the time in which it was ready to run and
  did not;
- statement: by the database's own statistics, for each kind; its time goes on while Kea, which
  has the answer, already works;
- sync: of PostgreSQL, whose commit comes after the statement's time;
- database: processor time of the threads that serve Kea, beyond its statements: protocol, parsing,
  commit.

What no part explains is missing: waking Kea and the database, waiting for a processor, and the
kernel's network. For how long Kea and the database wait for a processor is measured too, but is no
part: on one processor each of them waits while the other works.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ubench.dhcp import perfmon
from ubench.dhcp.plan import Plan
from ubench.dhcp.server import Servers
from ubench.dhcp.store import LeaseStores, StoreBaselines
from ubench.dhcp.testbed import Testbed
from ubench.dhcp.trial import Trial
from ubench.dhcp.wire import WireRecorder, WireTimes, wire_times
from ubench.errors import Problem
from ubench.records.where import Part, Where
from ubench.run.statements import STATISTICS, Statements, Timed, ran_since
from ubench.run.task_times import TaskTime, TaskTimes, spent, task_times, threads_of
from ubench.run.where_parts import DatabaseTimes

ROTATE_S = 0.2  # beyond its end, until an interval of libdhcp_perfmon is over
RECORDED = 0.9  # the share of the answers whose packets must be known


@dataclass(frozen=True)
class Observed:
    """What was measured during a trial, apart from what perfdhcp says."""

    wire: WireTimes
    server: TaskTime
    connections: TaskTime  # of the threads of the database that serve Kea
    statements: Statements
    syncs: Timed
    perfmon: perfmon.PacketTimes | None


class WhereProbe:
    """Measures one trial: `watched` around its load, then `ask_server`, then `observed`."""

    def __init__(self, plan: Plan, store: LeaseStores, testbed: Testbed) -> None:
        """Expect the server to have been started, and to answer."""
        self._plan = plan
        self._testbed = testbed
        self._begun_s = time.monotonic()
        self._statistics = store.statistics(plan)
        self._perfmon: perfmon.PacketTimes | None = None
        self._server = self._connections = TaskTime()
        self._statements: Statements = {}
        self._syncs_before = self._statistics.syncs() if self._statistics else Timed()
        self._wire: WireTimes | None = None

    @contextmanager
    def watched(self, servers: Servers) -> Iterator[None]:
        """Measure what happens in the block."""
        statements = self._read_statements()
        connections = self._connection_times()
        threads = task_times(threads_of(servers.pids))
        processors = [int(number) for number in self._testbed.processors.load.split(",")]
        with WireRecorder("dhcp1", processors) as recorder:
            yield
        self._server = spent(threads, task_times(threads_of(servers.pids)))
        self._connections = spent(connections, self._connection_times())
        self._statements = ran_since(self._read_statements(), statements)
        self._wire = wire_times(recorder.packets, self._plan.family)

    def ask_server(self, servers: Servers) -> None:
        """Ask libdhcp_perfmon, if this Kea has it and can be asked, when its interval is over."""
        home = self._testbed.home(1)
        if not (servers.has_perfmon and perfmon.tells_durations(home)):
            return
        interval = perfmon.interval_s(self._plan.seconds, self._plan.within_s)
        over_s = self._begun_s + interval + ROTATE_S
        time.sleep(max(0.0, over_s - time.monotonic()))
        servers.serve_client()  # the first sample after an interval ends it
        self._perfmon = perfmon.read_durations(home)

    def observed(self) -> Observed:
        """Return all measurements; the server has been stopped, and its syncs are known."""
        if self._wire is None:
            raise Problem("--where: no answer was seen at the interface of the server")
        syncs = Timed()
        if self._statistics:
            syncs = self._statistics.syncs().since(self._syncs_before)
        return Observed(
            self._wire, self._server, self._connections, self._statements, syncs, self._perfmon
        )

    def _read_statements(self) -> Statements:
        return self._statistics.statements() if self._statistics else {}

    def _connection_times(self) -> TaskTimes:
        return task_times(self._statistics.connections()) if self._statistics else {}


# ---- The parts


def where(plan: Plan, trial: Trial, observed: Observed, baselines: StoreBaselines) -> Where:
    """Return the parts of the time that a client of a trial waits.

    Raises Problem if nobody was granted a lease, or if too few packets were recorded.
    """
    answers = trial.discover.received + trial.request.received
    waits_ms = (trial.discover.mean_ms, trial.request.mean_ms)
    if not trial.granted or observed.wire.answered < RECORDED * answers:
        raise Problem(
            f"--where: {observed.wire.answered} of {answers} answers were seen at the interface "
            "of the server; expected nearly all of some (a lower --rate)"
        )
    whole_us = sum(wait_ms or 0.0 for wait_ms in waits_ms) * 1000
    database = _database(plan, trial, observed, baselines)
    parts = [
        Part("outside", whole_us - observed.wire.in_server_us),
        *_queue_parts(plan, observed),
        Part("server", _us(observed.server.ran_s, trial)),
    ]
    within: list[Part] = []
    if observed.perfmon is not None:
        within.append(Part("processing", observed.perfmon.processing_us))
    if database:
        parts += database.parts()
        within += database.within(baselines.round_trip_us)
    # The time in the socket has that of waking Kea, and the work of a database its waits.
    waited_us = _us(observed.server.waited_s, trial)
    if database or observed.perfmon is not None:
        within.append(Part("wait-server", waited_us))
    else:
        parts.append(Part("wait", waited_us))
    within += _processor_parts(trial)
    has_queue = observed.perfmon is not None or plan.threads == 1
    return Where(whole_us, tuple(parts), tuple(within), () if has_queue else ("queue",))


def _us(seconds: float, trial: Trial) -> float:
    """Return the us for each granted lease."""
    return seconds * 1e6 / trial.granted


def _queue_parts(plan: Plan, observed: Observed) -> list[Part]:
    if observed.perfmon is not None:
        return [
            Part("socket", observed.perfmon.socket_us),
            Part("queue", observed.perfmon.queue_us),
        ]
    return [Part("queue", observed.wire.queue_us)] if plan.threads == 1 else []


def _database(
    plan: Plan, trial: Trial, observed: Observed, baselines: StoreBaselines
) -> DatabaseTimes | None:
    """Return what the database of a plan did for each lease; None without one."""
    if not plan.database_kinds:
        return None
    return DatabaseTimes(
        statements=observed.statements,
        syncs=observed.syncs,
        sync_us=baselines.sync_us,
        connections=observed.connections,
        waits_for_sync=plan.sync == "yes",
        syncs_in_statements=STATISTICS[plan.store].syncs_in_statements,
        us_per_s=_us(1.0, trial),
    )


def _processor_parts(trial: Trial) -> Iterator[Part]:
    """Yield all processor time during the trial."""
    for name in ("server", "store", "load"):
        if name in trial.processor_s:
            yield Part(f"processor-{name}", _us(trial.processor_s[name], trial))
