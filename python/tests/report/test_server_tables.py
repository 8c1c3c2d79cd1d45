# SPDX-License-Identifier: ISC
"""Tables of whole DHCP servers."""

from __future__ import annotations

import samples
from samples import server, server_goal, server_trial, single_trial

from ubench.report import server_tables
from ubench.report.grouping import configurations


def tables(*lines):
    return samples.report("tables", "--format=markdown", lines=lines).out


def test_rates_and_costs():
    searches = [
        server(rate=rate, trials=[server_trial(rate, 4000, cost)])
        for rate, cost in ((1000, 200), (1020, 220), (1010, 210))
    ]
    text = tables(*searches, server(rate=2000, threads=4))
    for row in (
        "1 | 1,010 | 1,000 | 1,020 | n/a | n/a | n/a | 3 |",
        "1 | 210 | 0 | 0 |",
        "4 | 2,000 | n/a | n/a | n/a | n/a | n/a | 1 |",
    ):
        assert f"| kea-dhcp4/pgsql, threads={row}" in text
    assert "### kea-dhcp4 2.2.0, power-safe, server rate: every" in text


def test_bounds_and_the_second_goal():
    searches = [
        server(
            rate=rate,
            goals=[
                server_goal(lower, lower + 40, rate),
                server_goal(lower - 90, lower, rate - 90, max_lost=0.001),
            ],
        )
        for rate, lower in ((1000, 1010), (1020, 1030), (1010, 1020))
    ]
    text = tables(*searches)
    assert "| kea-dhcp4/pgsql | 1,010 | 1,000 | 1,020 | 1,010 | 1,070 | 920.0 | 3 |" in text
    assert "earlier search" not in text
    observations = samples.read_lines(searches).observations
    bounds = server_tables.bounds_table([("Kea", observations), ("none", [])])
    assert bounds.lines()[1:] == [["Kea", "1,010", "1,010", "1,070", "920.0"]]


def test_a_search_without_upper_bound():
    text = tables(server(rate=900, goals=[server_goal(900, None, 900)]))
    assert "| kea-dhcp4/pgsql | 900.0 | n/a | n/a | 900 | n/a | n/a | 1 |" in text
    assert "1 of 1 results of servers: the search found no upper bound" in text


def test_earlier_and_rough_searches_are_named():
    rough = server(
        goals=[server_goal(1000, None, 1000)], limited_by_load=True, rough=True
    )
    text = tables(server(), rough)
    assert "1 of 2 rates: found by an earlier search, which reported the maximum" in text
    assert "1 of 2 rates: rough: the trials were shorter than 10 s" in text
    assert "search=earlier | 1,000 | n/a | n/a | n/a | n/a | n/a |" in text


def test_a_published_rate_has_all_digits_and_no_trial():
    line = server(rate=11686, cls=None, published="a paper")
    del line["trials"]
    text = tables(line)
    assert "| kea-dhcp4/pgsql | 11,686 | n/a | n/a |" in text
    assert "| kea-dhcp4/pgsql | n/a | n/a | n/a |" in text  # processor time


def test_a_rate_that_was_not_found():
    trials = [server_trial(9, 1, holds=False)] * 2
    text = tables(server(rate=None, trials=trials))
    assert "| kea-dhcp4/pgsql | n/a | n/a | n/a | n/a | n/a | n/a | 0 |" in text


def test_a_trial_at_a_rate_and_a_storm():
    held = single_trial("seconds", server_trial(200, 170, sent=200), seconds=4)
    storm = single_trial(
        "storm", server_trial(None, 300, duration_s=2.5, resent=44), clients=300
    )
    text = tables(held, storm)
    assert "| 200.0 | 42.50 | 200 | 0 | 30 | n/a | n/a | n/a | 2.000 | not in time |" in text
    assert "| 300 | 300 | 344 | n/a | n/a | 2.500 | n/a |" in text


def test_what_trials_have_besides():
    expire = {"reclaimed": 90, "per_hour": 1234, "left": 10, "silent_s": 0.5}
    lines = [
        single_trial("expire", server_trial(20, 80), leases=100, expire=expire),
        single_trial("start", server_trial(20, 20, start_s=1.25, memory_mb=99.5), leases=1000),
    ]
    text = tables(*lines)
    assert "| 100 | 90 | 1,234 | 10 | 0.500 |" in text
    assert "| 1,000 | 1.250 | 99.50 |" in text


def test_what_several_servers_have_besides():
    heard = {"offers": 101, "offered_twice": 7, "grants": 99, "granted_twice": 0, "refusals": 5}
    loss = {"lost": 23, "others_lost": 1, "others_before_per_s": 50.5, "others_after_per_s": 49.5}
    killed = single_trial(
        "seconds",
        server_trial(200, 170, sent=200),
        servers=2,
        nodes=2,
        heard={**heard, "missed": 2},
        logged={"ALLOC_ENGINE_V4_ALLOC_FAIL": 3},
        conflicts={"certification": 31, "aborted": 11},
        server_loss={**loss, "others_silent_s": 0, "again_s": 1.25},
    )
    search = server(
        servers=4, goals=[server_goal(900, 940, 900)], heard={**heard, "missed": 0}, logged={}
    )
    text = tables(killed, search)
    for cells in (
        "| 23 | 1 | 50.50 | 49.50 | 0 | 1.250 |",
        "| 101 | 7 | 99 | 0 | 5 | 2 |",
        "| 101 | 7 | 99 | 0 | 5 | 0 |",
        "| 2 | 31 | 11 |",
    ):
        assert cells in text


def test_the_title_has_what_all_rows_share():
    pairs = [server(ha="hot-standby", threads=4, rate=rate) for rate in (1000, 1001)]
    (section,) = configurations(samples.read_lines(pairs).observations)
    title = server_tables.title_of_server(section)
    assert title == "hot-standby pair, kea-dhcp4 2.2.0, 4 threads, "
    several = [server(servers=2, rate=rate) for rate in (1000, 1001)]
    (section,) = configurations(samples.read_lines(several).observations)
    title = server_tables.title_of_server(section)
    assert title == "2 servers on one database, kea-dhcp4 2.2.0, 1 thread, "
    mixed = [server(), server(threads=4, server_version="3.0.0")]
    (section,) = configurations(samples.read_lines(mixed).observations)
    assert server_tables.title_of_server(section) == "DHCP servers, "
    (section,) = configurations([samples.observe(samples.store())])
    assert server_tables.title_of_server(section) == ""


# ---- Where the time goes


def where(whole_us, *parts, within=(), unknown=()):
    return {
        "whole_us": whole_us,
        "parts": [dict(zip(("name", "us"), part, strict=True)) for part in parts],
        "within": list(within),
        "unknown": list(unknown),
    }


def test_where_the_time_goes_has_what_is_missing():
    of_trial = where(
        2000,
        ("outside", 300),
        ("server", 1500),
        within=[{"name": "sync", "us": 90, "count": 1}],
        unknown=["queue"],
    )
    of_trial["parts"].append(
        {"name": "statement", "us": 100, "count": 7.01, "statement": "SELECT lease4 by address"}
    )
    line = single_trial("seconds", server_trial(100, 400, where=of_trial), where=True, seconds=4)
    text = tables(line)
    for row in (
        "| network and perfdhcp |  | 300.0 | 15.0 % |",
        "| Kea, processor time |  | 1,500 | 75.0 % |",
        "| SELECT lease4 by address | 7.01 | 100.0 | 5.0 % |",
        "| not accounted for |  | 100.0 | 5.0 % |",
        "| whole: a client waits |  | 2,000 | 100.0 % |",
        "| syncs | 1.00 | 90.00 |  |",
    ):
        assert " ".join(row.split()) in " ".join(text.split())
    assert "The queue of several threads is known of Kea 3.0 alone" in text


def test_parts_beyond_the_whole_are_named():
    line = server(
        rate=1000,
        where=True,
        trials=[server_trial(1000, 4000, where=where(100, ("server", 110)))],
    )
    text = tables(line)
    assert "| counted twice | | -10.00 | -10.0 % |" in " ".join(text.split())
    assert "where=yes" in tables(line, server(rate=900))  # it is another configuration


def test_of_several_runs_the_median_is_shown():
    lines = [
        server(
            rate=1000,
            where=True,
            trials=[server_trial(1000, 4000, where=where(whole, ("server", 10)))],
        )
        for whole in (500, 100, 300)
    ]
    assert "| whole: a client waits | | 300.0 | 100.0 % |" in " ".join(tables(*lines).split())
