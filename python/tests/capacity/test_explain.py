# SPDX-License-Identifier: ISC
"""answer --explain: every setup, setting and cost, and their sources."""

from __future__ import annotations

import samples
from answers import answer_of, blocks, both, of_kea, settings, words_of
from pool_samples import in_blocks, series

from ubench.report.capacity import explain
from ubench.report.capacity.setups import Setup
from ubench.report.capacity.site import Site
from ubench.report.capacity.verdicts import Answer, work_out


def store_names(answer: Answer) -> dict[Setup, str]:
    return {setup: setup.first.store for setup in answer.setups}


def cells(table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def test_every_setting_of_a_line_is_shown():
    read_back = settings("fsync=on", "a_new_setting=off", "another=1 as another 1")
    durability = samples.durability("power-safe", settings=read_back)
    answer = answer_of(both("pgsql", durability=durability))
    assert cells(explain.settings_table(answer, explain.long_names(answer))) == [
        ["postgresql another 1", "fsync", "on"],
        ["", "a_new_setting", "off"],
        ["", "another", "1"],
    ]


def test_setups_of_one_name_are_told_apart():
    answer = answer_of(
        of_kea("mysql") + of_kea("pgsql") + both("mysql", parameters={"schema": "kea"})
    )
    assert sorted(explain.long_names(answer).values()) == [
        "mysql (kea, Kea=2.2.0, mysql)",
        "mysql (mysql, schema=kea)",
        "postgresql",
    ]


def test_servers_share_the_clients():
    few = answer_of(both(renewals=50, restarts=60), clients=20000)
    (row,) = cells(explain.servers_table(few, explain.long_names(few)))
    assert row[2:] == ["3", "6,667", "restarts"]
    enough = answer_of(both(), clients=100)
    assert cells(explain.servers_table(enough, explain.long_names(enough))) == []


def test_the_order_of_the_published_sweep():
    observations = samples.read_lines(samples.published("sweep-2026-11")).all_observations()
    answer = work_out(Site(), observations)
    assert explain.order_text(answer.sections[0], store_names(answer)) == (
        "memfile = sqlite = pgsql = mysql, memfile > pgsql, memfile > mysql, sqlite > mysql"
    )


def test_few_runs_have_no_order():
    lines = blocks(("memfile", "power-safe", 300), ("sqlite", "power-safe", 2))[:20]
    answer = answer_of(lines)
    assert explain.order_text(answer.sections[0], store_names(answer)) == ""
    assert "chance" in dict(explain.notes(answer))


def test_bounds_of_whole_servers():
    lines = []
    for name, cls, rate in (("memfile", "process-safe", 9000), ("pgsql", "power-safe", 1000)):
        goals = [
            samples.server_goal(rate + 10, rate + 40, rate),
            samples.server_goal(rate - 90, rate + 10, rate - 90, max_lost=0.001),
        ]
        trial = samples.server_trial(rate + 10, rate * 10, granted_per_s=rate)
        lines.append(samples.server(name, cls, rate, goals=goals, trials=[trial], seconds=10))
    outcome = samples.report("answer", "--explain", "--clients=10k", lines=lines)
    assert "memfile* 9,000 9,010 9,040 8,910" in words_of(outcome.out)
    assert "1,000 1,010 1,040 910" in words_of(outcome.out)
    assert "earlier search" not in outcome.out
    old = samples.report("answer", "--explain", "--clients=10k", lines=[samples.server()])
    assert "1 of 1 rates: found by an earlier search" in words_of(old.out)


def test_sources_of_the_rates():
    phases = [("create", 500), ("search", 900), ("update", 100)]
    lines = [*both("mysql"), samples.store("pgsql", rates=phases)]
    outcome = samples.report("answer", "--explain", "--clients=1k", lines=lines)
    assert (
        "the median of 1 run; renewals: renew, ~2 searches + 1 update; restarts: dora-known, "
        "~3 searches + 1 update. ~ marks estimates"
    ) in words_of(outcome.out)
    assert "power-safe: every acknowledged change survives" in words_of(outcome.out)


def test_without_a_rate_there_are_no_runs_to_count():
    """Clients that compete for addresses have no rate of renewals."""
    answer = answer_of(in_blocks(series(100, 150)), clients=1000)
    assert answer.threads == (1, 2)
    assert "rates" not in dict(explain.notes(answer))
    assert "rates" in dict(explain.notes(answer_of(both())))
