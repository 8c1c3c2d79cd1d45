# SPDX-License-Identifier: ISC
"""Servers whose clients compete for the addresses of one pool: which results count, and tables."""

from __future__ import annotations

import pytest
import samples
from answers import words_of
from pool_samples import in_blocks, pool_line, series

from ubench.report.pools import cases
from ubench.report.pools.cases import PoolCase, shared_pools


def observe_all(lines):
    return samples.read_lines(lines).all_observations()


def rates_of(*lines):
    """The rate of each number of servers, of lines of one setup."""
    (pool,) = shared_pools(observe_all(lines))
    return {case.servers: rate.per_s for case, rate in pool.rates.items()}


# ---- Which results count


@pytest.mark.parametrize(
    ("members", "counts"),
    [
        ({}, True),
        ({"parameters": {"batch": "8"}}, False),
        ({"parameters": {"server-time": "80us"}}, False),
        ({"parameters": {"hook-delay": "80ms"}}, False),
        ({"parameters": {"hook-delay": "0"}}, True),
        ({"parameters": {"workload": "fill"}}, False),
    ],
)
def test_only_new_clients_that_compete_count(members, counts):
    lines = [pool_line(100 * servers, servers, **members) for servers in (1, 2)]
    assert bool(shared_pools(observe_all(lines))) is counts


@pytest.mark.parametrize(
    "line",
    [
        samples.store("pgsql", rates=[("dora", 500)]),
        samples.store("pgsql", rates=[("renew", 500)], parameters={"allocator": "shared-flq"}),
        samples.store(
            "pgsql", rates=[("dora", 5), ("renew", 5)], parameters={"allocator": "shared-flq"}
        ),
        samples.server("pgsql"),
        samples.server("pgsql", ha="hot-standby"),
    ],
)
def test_other_results_do_not_count(line):
    assert shared_pools(observe_all([line])) == []


def test_a_case_has_the_threads_of_each_server():
    observation = samples.observe(pool_line(100, 4, "shared-flq", 0.99, threads_each=2))
    assert cases.case_of(observation) == PoolCase("shared-flq", 0.99, 2, 4)


def test_a_runner_without_servers_is_one():
    line = pool_line(100)
    del line["parameters"]["servers"]
    assert cases.case_of(samples.observe(line)).servers == 1


def test_several_whole_servers_count_beside_one():
    lines = [samples.server("pgsql", rate=900), samples.server("pgsql", rate=1500, servers=2)]
    assert rates_of(*lines) == {1: 900, 2: 1500}
    (pool,) = shared_pools(observe_all(lines))
    assert {case.allocator for case in pool.rates} == {cases.DEFAULT_ALLOCATOR}
    assert {case.full for case in pool.rates} == {None}


def test_whole_servers_with_leases_are_not_those_without():
    """A store with a hundred thousand leases is slower with any number of servers."""
    lines = [
        samples.server("pgsql", rate=rate, **leases, **servers)
        for leases, rates in (({}, (900, 1500)), ({"leases": 100000}, (300, 500)))
        for servers, rate in zip(({}, {"servers": 2}), rates, strict=True)
    ]
    found = [list(pool.rates.values()) for pool in shared_pools(observe_all(lines))]
    assert sorted([rate.per_s for rate in rates] for rates in found) == [[300, 500], [900, 1500]]


def test_setups_stay_apart():
    lines = [
        pool_line(100, servers, cls=cls) for servers in (1, 2) for cls in ("power-safe", "bounded")
    ]
    trips = [pool_line(100, servers, parameters={"trips": "procedure"}) for servers in (1, 2)]
    found = shared_pools(observe_all([*lines, *trips]))
    assert [pool.title for pool in found] == ["power-safe", "power-safe", "bounded"]


def test_sides_of_a_duel_count():
    sides = [pool_line(100, servers) for servers in (1, 2)]
    slices = samples.even_slices(8, (1000, 1600))
    duel = samples.duel(slices)
    for side, result in zip(duel["sides"], sides, strict=True):
        side["result"] = result
    (pool,) = shared_pools(observe_all([duel]))
    first, second = pool.series[0]
    contrast = pool.compare(first, second)
    assert contrast.ratio == pytest.approx(1.6)
    assert contrast.blocks == 8


# ---- Rates


def test_refused_clients_are_not_served():
    assert rates_of(pool_line(1000, refused=500)) == {1: pytest.approx(750)}


def test_lost_races_are_a_share_of_the_offers():
    (pool,) = shared_pools(observe_all([pool_line(1000, 2, lost=500), pool_line(1000, 2)]))
    (rate,) = pool.rates.values()
    assert rate.lost == pytest.approx(500 / 4500)


def test_a_margin_needs_six_runs():
    for blocks, is_known in ((5, False), (6, True)):
        (pool,) = shared_pools(observe_all(in_blocks(series(100, 150), blocks)))
        assert all((rate.precision is not None) is is_known for rate in pool.rates.values())


@pytest.mark.parametrize(
    ("first", "second", "interval"),
    [(100, 190, None), (100, 400, (2, 8)), (400, 100, (1 / 8, 1 / 2)), (190, 100, None)],
)
def test_other_campaigns_have_wider_intervals(first, second, interval):
    lines = [
        line
        for servers, rate in ((1, first), (2, second))
        for line in in_blocks({(servers,): rate}, noise=0, campaign=str(servers))
    ]
    (pool,) = shared_pools(observe_all(lines))
    contrast = pool.compare(*pool.series[0])
    assert (contrast.ratio is None) is (interval is None)
    if interval:
        assert contrast.ratio == pytest.approx(second / first)
        assert (contrast.interval.low, contrast.interval.high) == pytest.approx(interval)


def test_few_runs_of_other_campaigns_are_not_compared():
    lines = [pool_line(100, 1, **samples.block(1)), pool_line(900, 2)]
    (pool,) = shared_pools(observe_all(lines))
    assert pool.compare(*pool.series[0]).ratio is None


# ---- Tables


def table_of(*lines, command="tables"):
    outcome = samples.report(command, lines=lines)
    assert (outcome.status, outcome.err) == (0, "")
    return outcome.out


def test_the_tables_have_servers_in_columns():
    fills = {**series(1000, 1600, full=0.5), **series(500, 800, full=0.9)}
    flq = series(700, 1000, allocator="shared-flq", full=0.9)
    text = words_of(table_of(*in_blocks({**fills, **flq})))
    assert "new/s allocator full 1 server 2 servers pgsql random 50 % 1,000 +-1 %" in text
    assert "times allocator full 1 server 2 servers pgsql random 50 % 1 1.6 +-1 %" in text
    assert "shared-flq 90 % 1 1.43 +-1 %" in text
    assert "lost %" not in text


def test_the_table_has_lost_races_instead_of_notes():
    text = table_of(pool_line(1000, 1), pool_line(1600, 2, lost=160, parameters={"pool": "9"}))
    assert "lost %  allocator" in text
    assert "4.76" in text
    assert "were lost to another client" not in text


def test_the_table_has_threads_only_if_servers_have_several():
    one = table_of(pool_line(1000, 1), pool_line(1600, 2))
    two = table_of(pool_line(1000, 1, threads_each=2), pool_line(1600, 2, threads_each=2))
    assert ("threads each" in one, "threads each" in two) == (False, True)


def test_what_was_not_measured_is_said():
    text = words_of(table_of(*(pool_line(100, *case) for case in ((1,), (4,), (2, "iterative")))))
    assert "iterative 90 % n/a 100 n/a random 90 % 100 n/a 100" in text


def test_no_table_without_several_cases():
    for line in (pool_line(100), samples.store("pgsql", rates=[("dora", 500)])):
        assert "new/s" not in table_of(line)


def test_several_duels_have_the_tables():
    def duel(allocator):
        made = samples.duel(samples.even_slices(8, (1000, 1600)), label=allocator)
        for side, servers in zip(made["sides"], (1, 2), strict=True):
            side["result"] = pool_line(100, servers, allocator)
        return made

    text = words_of(table_of(duel("random"), duel("shared-flq"), command="duels"))
    assert "power-safe: servers on one database" in text
    assert "pgsql random 90 % 1,000 +-0 % 1,600 +-0 % shared-flq" in text
