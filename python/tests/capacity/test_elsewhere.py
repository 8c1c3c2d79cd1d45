# SPDX-License-Identifier: ISC
"""Rates behind a slower network or on a slower disk, against arithmetic and against what was
measured there."""

from __future__ import annotations

import random

import pytest
import samples
from answers import both, only_setup, settings

from ubench import stats
from ubench.records.reader import read_records
from ubench.report.capacity.elsewhere import (
    RoundTrips,
    Waits,
    database_host,
    measured_sync_s,
    rate_with,
    rate_with_round_trips,
    syncs_per_change,
)
from ubench.report.capacity.rates import Rate, Unknown
from ubench.report.capacity.site import Demand, Place, Site
from ubench.report.capacity.verdicts import Answer, work_out

BASELINES = {
    "clock_ns": 20,
    "fdatasync_ns": 1e5,
    "fdatasync_min_ns": 1e5,
    "round_trip_ns": 1e4,
    "harness_ns": 30,
}
FLUSH = "innodb_flush_log_at_trx_commit=1"


def per_s(setup, demand: Demand) -> float:
    rate = setup.rates.demand(demand)
    assert isinstance(rate, Rate)
    return rate.per_s


def published(name: str):
    def refuse(source, why):
        raise AssertionError(f"{source}: {why}")

    return read_records([str(samples.RESULTS / f"{name}.jsonl")], refuse).all_observations()


# ---- The network


@pytest.mark.parametrize(("name", "trips"), [("pgsql", (3, 4)), ("sqlite", (0, 0))])
def test_each_step_of_a_database_waits_for_a_round_trip(name, trips):
    lines = both(name, renewals=500, restarts=400, parameters={"threads": "2"})
    far = only_setup(lines, place=Place(round_trip_s=0.001))
    for demand, near, count in zip(Demand, (500, 400), trips, strict=True):
        assert 1 / per_s(far, demand) == pytest.approx(1 / near + count * 0.001 / 2)


@pytest.mark.parametrize(
    ("rate", "threads", "measured", "other", "predicted"),
    [
        (500, 1, (3, 0), (3, 0.001), 200),  # 2 ms and 3 ms
        (100, 1, (8, 0.001), (2, 0.001), 250),  # 10 ms less six round trips
        (100, 1, (8, 0.001), (2, 0.0035), 1000 / 9),
        (100, 1, (8, 0.0005), (8, 0.0005), 100),
        (2000, 4, (3, 0), (3, 0.001), 800),  # 2 ms of each thread
        (1000, 1, (2, 0.001), (1, 0.001), None),  # two round trips in half their time
    ],
)
def test_round_trips_add_their_time(rate, threads, measured, other, predicted):
    found = rate_with_round_trips(rate, RoundTrips(*measured), RoundTrips(*other), threads)
    assert found == (None if predicted is None else pytest.approx(predicted))


@pytest.mark.parametrize(("delay", "round_trip_s"), [("0.25ms", 0.00056), ("1ms", 0.0021)])
def test_computed_networks_are_like_those_that_were_measured(delay, round_trip_s):
    observations = published("databases-rtt-2026-11")
    far = answer_behind(observations, delay, Place())
    computed = answer_behind(observations, "0", Place(round_trip_s=round_trip_s))
    for measured, setup in zip(by_store(far), by_store(computed), strict=True):
        for demand in Demand:
            ratio = per_s(setup, demand) / per_s(measured, demand)
            assert ratio == pytest.approx(1, abs=0.21)


def answer_behind(observations, delay: str, place: Place) -> Answer:
    site = Site(restart_as_new=True, place=place)
    return work_out(site, observations, [("delay", delay)])


def by_store(answer: Answer):
    return sorted(answer.setups, key=lambda setup: setup.first.store)


@pytest.mark.parametrize(
    ("facts", "parameters", "host"),
    [
        ({}, {}, ""),
        ({}, {"host": "/run/postgresql"}, ""),
        ({}, {"host": "192.0.2.7"}, "192.0.2.7"),
        ({"connection": "TCP to 127.0.0.1, port 5"}, {"host": "db"}, ""),
        ({"connection": "TCP to ::1, port 5"}, {}, ""),
        ({"connection": "Localhost via UNIX socket"}, {}, ""),
        ({"connection": "socket /run/s/.s.PGSQL.5"}, {}, ""),
        ({"connection": "localhost via TCP/IP, TLS A"}, {}, ""),
        ({"connection": "TCP to 192.0.2.7, port 5"}, {}, "192.0.2.7"),
        ({"connection": "db.example.net via TCP/IP"}, {}, "db.example.net"),
    ],
)
def test_the_host_of_a_database(facts, parameters, host):
    line = samples.store("pgsql", parameters=parameters)
    assert database_host(samples.observe({**line, "facts": {"pgsql": "15", **facts}})) == host


# ---- The disk


@pytest.mark.parametrize(
    ("name", "cls", "read_back", "syncs"),
    [
        ("mysql", "power-safe", [FLUSH, "log_bin=OFF"], 1),
        ("mysql", "power-safe", [FLUSH, "log_bin=ON", "sync_binlog=1"], 2),
        ("mysql", "bounded", [FLUSH, "log_bin=ON", "sync_binlog=0"], 1),
        ("mysql", "power-safe", [FLUSH, "log_bin=ON", "binlog_storage_engine=innodb"], 1),
        ("mysql", "bounded", [FLUSH, "log_bin=ON", "sync_binlog=100"], None),
        ("mysql", "bounded", ["innodb_flush_log_at_trx_commit=2", "log_bin=OFF"], 0),
        ("mysql", "process-safe", ["engine=MyISAM"], None),
        ("pgsql", "power-safe", ["synchronous_commit=on", "fsync=on"], 1),
        ("pgsql", "process-safe", ["synchronous_commit=on", "fsync=off"], 0),
        ("pgsql", "volatile", ["synchronous_commit=off", "fsync=on"], 0),
        ("pgsql", "power-safe", ["other=1"], None),
        ("sqlite", "power-safe", ["journal_mode=wal", "synchronous=FULL"], 1),
        ("sqlite", "process-safe", ["journal_mode=wal", "synchronous=OFF"], 0),
        ("sqlite", "power-safe", ["journal_mode=truncate", "synchronous=FULL"], None),
        ("memfile", "power-safe", [], 1),
        ("memfile", "process-safe", [], 0),
    ],
)
def test_the_syncs_of_a_change(name, cls, read_back, syncs):
    durability = samples.durability(cls, settings=settings(*read_back))
    observation = samples.observe(samples.store(name, cls, durability=durability))
    assert syncs_per_change(observation) == syncs


@pytest.mark.parametrize(
    ("read_back", "syncs"),
    [((FLUSH, "log_bin=OFF"), 1), ((FLUSH, "log_bin=ON", "sync_binlog=1"), 2)],
)
@pytest.mark.parametrize("sync_ms", [0.1, 1.6, 5])
def test_each_change_waits_for_its_syncs(read_back, syncs, sync_ms):
    durability = samples.durability("power-safe", settings=settings(*read_back))
    lines = both("mysql", renewals=1000, baselines=BASELINES, durability=durability)
    setup = only_setup(lines, place=Place(sync_s=sync_ms / 1e3))
    renewal_ms = 1000 / per_s(setup, Demand.RENEWALS)
    assert renewal_ms == pytest.approx(1 + syncs * (sync_ms - 0.1))


def test_syncs_that_were_not_measured_are_not_computed():
    durability = samples.durability("power-safe", settings=settings(FLUSH, "log_bin=OFF"))
    lines = both("mysql", durability=durability)
    assert only_setup(lines, place=Place(sync_s=0.001)).rates.renewals is Unknown.DISK


def group_commits(threads: int, work_s: float, sync_s: float) -> float:
    """Changes per second of threads that share syncs, simulated: each works for a random time, and
    then waits for the first sync that begins after that."""
    chance = random.Random(1)

    def work() -> float:
        return work_s * chance.uniform(0.5, 1.5)

    working = [work() for _ in range(threads)]  # when each of them comes to its sync
    now_s, done = 0.0, 0
    while done < 20_000:
        now_s = max(now_s, min(working))
        waiting = [at for at in working if at <= now_s]
        working = [at for at in working if at > now_s]
        now_s += sync_s
        done += len(waiting)
        working += [now_s + work() for _ in waiting]
    return done / now_s


@pytest.mark.parametrize("threads", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("work_s", [5e-5, 3e-4, 1e-3])
@pytest.mark.parametrize("sync_s", [1e-4, 5e-4, 1.7e-3, 5e-3])
def test_threads_share_syncs(threads, work_s, sync_s):
    near = group_commits(threads, work_s, BASELINES["fdatasync_ns"] / 1e9)
    waits = Waits(
        trips=3, changes=1, threads=threads, syncs=1, sync_s=1e-4, shared=True
    )
    computed = rate_with(waits, near, Place(sync_s=sync_s))
    assert computed == pytest.approx(group_commits(threads, work_s, sync_s), rel=0.12)


def test_changes_of_sqlite_take_turns():
    waits = Waits(trips=0, changes=1, threads=4, syncs=1, sync_s=1e-4, shared=False)
    assert 1 / rate_with(waits, 1000, Place(sync_s=1e-3)) == pytest.approx(1e-3 + 9e-4)


@pytest.mark.parametrize("threads", [2, 8])
def test_an_equal_disk_changes_nothing(threads):
    waits = Waits(trips=3, changes=2, threads=threads, syncs=2, sync_s=1e-4, shared=True)
    for rate in (100, 5_000, 30_000):
        assert rate_with(waits, rate, Place(sync_s=1e-4)) == pytest.approx(rate)


@pytest.mark.parametrize("delay_us", [500, 1500, 5000])
def test_computed_disks_are_like_those_that_were_measured(delay_us):
    observations = published("databases-sync-2026-11")
    undelayed = [each for each in observations if each.labels["sync_delay"] == "0us"]
    base_s = stats.median([measured_sync_s(each) or 0 for each in undelayed])

    def setups(delay: str, place: Place):
        answer = work_out(
            Site(restart_as_new=True, place=place), observations, [("sync_delay", delay)]
        )
        return {(each.first.store, each.group.differs): each for each in answer.setups}

    near, slow = setups("0us", Place()), setups(f"{delay_us}us", Place())
    computed = setups("0us", Place(sync_s=base_s + delay_us / 1e6))
    assert len(near) == 3
    for key, measured in slow.items():
        for demand in Demand:
            rate = per_s(measured, demand)
            assert rate < 0.85 * per_s(near[key], demand)
            assert 0.7 < rate / per_s(computed[key], demand) < 1.15


def test_another_disk_changes_nothing_where_no_sync_is_waited_for():
    read_back = settings("synchronous_commit=off", "fsync=on")
    durability = samples.durability("bounded", settings=read_back)
    lines = both("pgsql", "bounded", 500, 400, durability=durability, baselines=BASELINES)
    slow = only_setup(lines, place=Place(sync_s=0.01))
    assert [per_s(slow, demand) for demand in Demand] == pytest.approx([500, 400])
