# SPDX-License-Identifier: ISC
"""The parts of the time that a client waits."""

from __future__ import annotations

from dataclasses import replace

import pytest
from dhcp_samples import plan, trial

from ubench.dhcp.perfmon import PacketTimes
from ubench.dhcp.store import StoreBaselines
from ubench.dhcp.where import Observed, where
from ubench.dhcp.wire import WireTimes
from ubench.errors import Problem
from ubench.records.perfdhcp_output import Messages
from ubench.records.where import Part, read_where
from ubench.run.statements import Timed
from ubench.run.task_times import TaskTime
from ubench.run.where_parts import OTHERS, statement_parts

CLIENTS = 1000
TRIAL = trial(
    100,
    100.0,
    discover=Messages(CLIENTS, CLIENTS, mean_ms=0.6),
    request=Messages(CLIENTS, CLIENTS, mean_ms=1.4),
    processor_s={"server": 0.4, "store": 0.5, "load": 0.1, "other": 0.0},
)
STATEMENTS = {
    "SELECT lease4 by address": Timed(4000, 0.4),
    "INSERT lease4": Timed(1000, 0.2),
    "SET x": Timed(2, 0.001),
}
OBSERVED = Observed(
    wire=WireTimes(2 * CLIENTS, in_server_us=1800, queue_us=40),
    server=TaskTime(0.35, 0.05),
    connections=TaskTime(0.8, 0.03),
    statements=STATEMENTS,
    syncs=Timed(1000, 0.5),
    perfmon=None,
)


def parts_of(observed=OBSERVED, **members):
    """The parts by name, and the whole."""
    values = {"store": "pgsql", "sync": "yes", "where": True, **members}
    return where(plan(**values), TRIAL, observed, StoreBaselines(20.0, 300.0))


def named(parts):
    return {part.statement or part.name: round(part.us, 6) for part in parts}


def test_parts_of_postgresql_have_the_sync_beside_the_statements():
    found = parts_of()
    assert found.whole_us == 2000
    assert named(found.parts) == {
        "outside": 200,
        "queue": 40,
        "server": 350,
        "SELECT lease4 by address": 400,
        "INSERT lease4": 200,
        OTHERS: 1,
        "database": 800 - 601,
        "sync": 500,
    }
    assert found.missing_us == pytest.approx(2000 - (200 + 40 + 350 + 601 + 199 + 500))
    assert named(found.within) == {
        "round-trip": pytest.approx(5.002 * 20),
        "wait-server": 50,
        "wait-store": 30,
        "processor-server": 400,
        "processor-store": 500,
        "processor-load": 100,
    }


def test_syncs_of_mysql_are_in_the_statements():
    found = parts_of(store="mysql")
    assert "sync" not in named(found.parts)
    assert named(found.within)["sync"] == 500
    assert named(found.parts)["database"] == 800 - 601


def test_syncs_that_a_server_does_not_time_take_as_long_as_those_of_the_disk():
    found = parts_of(replace(OBSERVED, syncs=Timed(2000, None)), store="mysql")
    assert Part("sync", 600, 2.0) in found.within


def test_nobody_waits_for_syncs_that_the_server_makes_later():
    found = parts_of(sync="no")
    assert "sync" not in named([*found.parts, *found.within])


def test_memfile_waits_for_a_processor():
    found = parts_of(replace(OBSERVED, statements={}), store="memfile", sync="no")
    assert named(found.parts) == {"outside": 200, "queue": 40, "server": 350, "wait": 50}


def test_the_time_in_the_socket_has_the_wait_for_a_processor():
    found = parts_of(
        replace(OBSERVED, statements={}, perfmon=PacketTimes(60, 5, 1700)),
        store="memfile",
        sync="no",
    )
    assert named(found.parts) == {"outside": 200, "socket": 60, "queue": 5, "server": 350}
    assert named(found.within)["wait-server"] == 50


def test_kea_s_own_times_replace_those_of_the_packets():
    found = parts_of(replace(OBSERVED, perfmon=PacketTimes(60, 5, 1700)), threads=4)
    assert (named(found.parts)["socket"], named(found.parts)["queue"]) == (60, 5)
    assert named(found.within)["processing"] == 1700
    assert found.unknown == ()


def test_the_queue_of_threads_is_not_known_from_packets():
    found = parts_of(threads=4)
    assert "queue" not in named(found.parts)
    assert found.unknown == ("queue",)


def test_parts_that_exceed_the_whole_are_counted_twice():
    found = parts_of(replace(OBSERVED, server=TaskTime(3.0, 0.0)))
    assert found.missing_us < 0


def test_short_statements_are_together():
    times = {"DELETE a": 1, "DELETE b": 900, "DELETE c": 99, "DELETE d": 2}
    parts = statement_parts({kind: Timed(1, us / 1e6) for kind, us in times.items()}, 1e6)
    assert [(part.statement, round(part.us)) for part in parts] == [
        ("DELETE b", 900),
        ("DELETE c", 99),
        (OTHERS, 3),
    ]
    assert parts[-1].count == 2


@pytest.mark.parametrize(
    ("answered", "granted"), [(CLIENTS, CLIENTS), (0, CLIENTS), (2 * CLIENTS, 0)]
)
def test_a_trial_of_which_too_little_is_known_is_refused(answered, granted):
    few = replace(OBSERVED, wire=replace(OBSERVED.wire, answered=answered))
    of_trial = replace(TRIAL, request=Messages(CLIENTS, granted, mean_ms=1.0))
    with pytest.raises(Problem, match="answers were seen at the interface"):
        where(plan(where=True), of_trial, few, StoreBaselines())


def test_what_is_recorded_is_read_again():
    found = parts_of()
    again = read_where(found.members())
    assert again.members() == found.members()
    assert again.accounted_us == pytest.approx(found.accounted_us, abs=0.1)
    assert read_where(None) is None
    assert Part("outside", 1.234).members() == {"name": "outside", "us": 1.23}
