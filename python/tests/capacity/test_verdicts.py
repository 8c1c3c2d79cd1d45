# SPDX-License-Identifier: ISC
"""Which stores are fast enough for a site, and what durability costs: verdicts and figures."""

from __future__ import annotations

import itertools
import math

import pytest
import samples
from answers import answer_of, blocks, both, of_kea, only_setup, settings

from ubench.errors import Problem
from ubench.records.observation import Durability, DurabilityClass, Loss, Lost
from ubench.report.capacity.evidence import Search, search_of
from ubench.report.capacity.fit import Fit, Verdict, fit, servers_needed
from ubench.report.capacity.setups import PowerLoss, Setup, power_loss
from ubench.report.capacity.site import Demand, Site
from ubench.report.capacity.verdicts import speed_ratio, work_out


def fit_of(setup: Setup, clients: int, site: Site | None = None) -> Fit:
    return fit(site or Site(), clients, setup)


# ---- How a setup serves the clients


def test_times_are_rates_by_required_rates():
    setup = only_setup(both(renewals=300, restarts=2000, count=2000))
    served = fit_of(setup, 10000)
    assert served.times[Demand.RENEWALS] == pytest.approx(300 / (10000 / 3600))
    assert served.times[Demand.RESTARTS] == pytest.approx(2000 / (10000 / 300))
    assert served.least == served.times[Demand.RESTARTS]


def test_more_clients_are_never_easier():
    setup = only_setup(both())
    fits = [fit_of(setup, 2**power) for power in range(40)]
    ranks = [each.verdict.rank for each in fits]
    assert ranks == sorted(ranks)
    assert {each.verdict for each in fits} == set(Verdict)
    known = [each.least for each in fits if each.least is not None]
    assert known == sorted(known, reverse=True)


def test_nothing_is_said_of_more_than_ten_times_the_leases():
    setup = only_setup(both(renewals=1e6, restarts=1e6, count=10**7))
    assert fit_of(setup, 1000000).least is not None
    assert fit_of(setup, 1000001).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("headroom", "verdict"), [(29.9, Verdict.ENOUGH), (30.1, Verdict.NEAR), (1, Verdict.ENOUGH)]
)
def test_the_headroom_decides(headroom, verdict):
    setup = only_setup(both(restarts=1000))
    assert fit_of(setup, 10000, Site(headroom=headroom)).verdict is verdict


@pytest.mark.parametrize(
    ("restarts", "verdict"), [(140, Verdict.ENOUGH), (118, Verdict.NEAR), (60, Verdict.SLOW)]
)
def test_a_store_without_headroom_is_not_too_slow(restarts, verdict):
    answer = answer_of(both("pgsql", renewals=9000, restarts=restarts, count=20000), clients=20000)
    assert answer.with_verdict(verdict) == answer.judged
    assert bool(answer.choices(PowerLoss.NOTHING)) == (verdict is not Verdict.SLOW)


def test_the_clients_served_are_those_at_which_the_headroom_is_left():
    setup = only_setup(both(renewals=100, restarts=20))
    served = fit_of(setup, 1000).served
    assert served is not None
    assert (served.by_rates, served.limit) == (pytest.approx(3000), Demand.RESTARTS)
    assert fit_of(setup, 2999).verdict is Verdict.ENOUGH
    assert fit_of(setup, 3001).verdict is Verdict.NEAR


def test_an_unknown_rate_is_not_enough():
    setup = only_setup([samples.store("kea", rates=[("renew", 9000, 20000)])])
    served = fit_of(setup, 1000)
    assert (served.verdict, served.least, served.served) == (Verdict.UNKNOWN, None, None)
    assert served.times[Demand.RENEWALS] is not None


def test_clients_are_suggested_that_no_setup_is_too_slow_for():
    assert answer_of(both(renewals=9000, restarts=9000, count=20000)).clients == 1000000
    assert answer_of(both(renewals=9000, restarts=100, count=20000)).clients == 10000
    assert answer_of(both(renewals=1, restarts=1)).clients == 1000


# ---- Servers side by side


@pytest.mark.parametrize("clients", [1, 100, 5000, 20000, 123456])
def test_no_more_servers_than_it_takes_serve_all_clients(clients):
    setup, site = only_setup(both(renewals=50, restarts=60)), Site(clients)
    servers = servers_needed(site, fit_of(setup, clients, site).served)
    each = min(clients, int(60 * site.restart_s / site.headroom))
    assert servers is not None
    assert servers.by_rates == servers.by_leases == math.ceil(clients / each)
    assert servers.limit is Demand.RESTARTS


def test_the_measured_leases_may_be_the_limit():
    setup = only_setup(both(renewals=1e5, restarts=1e5, count=10**6, parameters={"preload": "100"}))
    site = Site(2500)
    servers = servers_needed(site, fit_of(setup, 2500, site).served)
    assert servers is not None
    assert (servers.by_rates, servers.by_leases, servers.limit) == (1, 3, None)
    assert servers.leases_to_measure == 250
    assert servers_needed(Site(), fit_of(setup, 1).served) is None


# ---- What a power cut loses


@pytest.mark.parametrize(
    ("kill", "power", "loss"),
    [
        ("nothing", "nothing", PowerLoss.NOTHING),
        ("nothing", "bounded", PowerLoss.LATEST),
        ("bounded", "bounded", PowerLoss.LATEST_OR_KILL),
        ("nothing", "unbounded", PowerLoss.ANY),
        ("bounded", "unbounded", PowerLoss.ANY_OR_KILL),
        ("unbounded", "unbounded", PowerLoss.ANY_OR_KILL),
        (None, None, PowerLoss.UNKNOWN),
    ],
)
def test_a_power_loss_follows_from_the_members_of_the_line(kill, power, loss):
    def lost(name: str | None) -> Lost | None:
        return Lost(Loss(name)) if name else None

    durability = Durability(
        DurabilityClass.VOLATILE, lost(kill), lost(power), None, (), (), "any words"
    )
    assert power_loss(durability) is loss


@pytest.mark.parametrize(("window_s", "is_choice"), [(None, True), (0.6, True), (30, False)])
def test_more_than_a_second_is_no_choice_for_who_can_lose_one(window_s, is_choice):
    lost = {"loss": "bounded", **({"window_s": window_s} if window_s else {})}
    durability = samples.durability("bounded", power=lost)
    answer = answer_of(both("mysql", "bounded", durability=durability), clients=100)
    assert bool(answer.choices(PowerLoss.LATEST)) == is_choice


# ---- Which observations count


def test_the_fewest_threads_count_unless_others_are_named():
    lines = both() + both(renewals=900, parameters={"threads": "8"})
    answer = answer_of(lines)
    assert answer.threads == (1, 8)
    assert answer.setups[0].renewals_per_s == pytest.approx(100)
    named = answer_of(lines, [("threads", "8")])
    assert named.setups[0].renewals_per_s == pytest.approx(900)


def test_any_threads_count_if_they_are_wanted():
    lines = both() + both("mysql", parameters={"threads": "8"})
    observations = samples.read_lines(lines).all_observations()
    answer = work_out(Site(), observations, any_threads=True)
    assert (len(answer.setups), answer.threads) == (2, ())


def test_a_store_that_keeps_nothing_does_not_count():
    with pytest.raises(Problem, match="no result of a store that keeps leases"):
        answer_of([samples.store("null", "none", [("renew", 9, 10000)])])


def test_reference_runs_do_not_count():
    reference = samples.store("sqlite", labels={"role": "reference"})
    assert [setup.first.store for setup in answer_of([reference, *both()]).setups] == ["memfile"]


def test_what_others_published_is_not_judged_beside_what_was_measured():
    published = samples.server(published="a paper", durability={"class": None, "from": "x"})
    answer = answer_of([published, *both("pgsql")])
    assert [setup.is_measured for setup in answer.setups] == [True, False]
    assert [setup.is_measured for setup in answer.judged] == [True]
    assert answer_of([published]).judged[0].loss is PowerLoss.UNKNOWN


def test_a_publication_that_does_not_tell_the_leases_has_a_verdict():
    observations = samples.read_lines(samples.published("kea-2.0-isc")).all_observations()
    answer = work_out(Site(5000), observations)
    assert answer.with_verdict(Verdict.ENOUGH) == answer.judged
    assert all(fit.served is None for fit in answer.fits.values())


# ---- Which setups are shown


def test_stores_of_kea_come_first_then_what_they_lose_then_their_rates():
    stores = [
        ("memfile", "power-safe", 5000.0),
        ("mysql", "bounded", 1000.0),
        ("sqlite", "power-safe", 900.0),
        ("pgsql", "power-safe", 900.0),
        ("mysql", "power-safe", 950.0),
    ]
    lines = [line for name, cls, rate in stores for line in both(name, cls, rate, rate, 9000)]
    answer = answer_of(lines, clients=100)
    assert [(setup.first.store, setup.loss) for setup in answer.representatives] == [
        ("mysql", PowerLoss.NOTHING),
        ("pgsql", PowerLoss.NOTHING),
        ("mysql", PowerLoss.LATEST),
        ("sqlite", PowerLoss.NOTHING),
        ("memfile", PowerLoss.NOTHING),
    ]
    assert {setup.in_kea for setup in answer.judged} == {"mysql", "postgresql"}


def test_setups_that_are_fast_enough_are_shown_before_others():
    stores = [
        ("kea", "process-safe", 9e5),
        ("mysql", "power-safe", 9.0),
        ("pgsql", "power-safe", 9.0),
        ("mysql", "bounded", 9.0),
    ]
    lines = [line for name, cls, rate in stores for line in both(name, cls, rate, rate, 10**6)]
    shown = answer_of(lines, clients=10000).shown(2)
    assert [setup.first.store for setup in shown] == ["mysql", "kea"]


def test_a_whole_server_stands_for_its_store():
    answer = answer_of([samples.server(rate=1000), *both("pgsql")], clients=1000)
    assert [section.title for section in answer.sections] == ["power-safe", "power-safe server"]
    assert [setup.is_server for setup in answer.representatives] == [True]


def test_the_best_search_stands_for_a_server():
    goals = [samples.server_goal(1000, 1040, 1000)]
    lines = {
        Search.CONFIRMED: samples.server(rate=1000, goals=goals),
        Search.ROUGH: samples.server(rate=2000, goals=goals, rough=True),
        Search.EARLIER: samples.server(rate=3000),
    }
    for kinds in itertools.permutations(lines, 2):
        answer = answer_of([lines[kind] for kind in kinds], clients=1000)
        (shown,) = answer.representatives
        assert search_of(shown.first) is min(kinds, key=lambda kind: kind.rank)


# ---- Names

FLUSH = "innodb_flush_log_at_trx_commit=1 as flush 1"


def named(name: str, facts: dict[str, str], *read_back: str):
    durability = samples.durability("power-safe", settings=settings(*read_back))
    return both(name, facts=facts, durability=durability)


def test_mariadb_is_not_mysql():
    answer = answer_of(
        named("mysql", {"MariaDB": "10.11.19 (client 3.3.20), InnoDB"}, FLUSH)
        + named("mysql", {"MySQL": "9.7.4 (client 9.7.4), InnoDB"}, FLUSH)
    )
    assert {setup.name for setup in answer.setups} == {"MariaDB flush 1", "MySQL flush 1"}
    assert set(answer.trust.products) == {"MariaDB 10.11.19", "MySQL 9.7.4"}


def test_versions_are_named_where_there_are_several():
    answer = answer_of(
        named("mysql", {"MariaDB": "10.11.19 (client 3.3.20), InnoDB"}, FLUSH)
        + named("mysql", {"MariaDB": "11.8.9 (client 3.4.10), InnoDB"}, FLUSH)
        + of_kea("memfile", "process-safe", "2.2.0")
        + of_kea("memfile", "process-safe", "3.0.4")
        + named("pgsql", {"PostgreSQL": "18.6"}, "synchronous_commit=on as sync on")
    )
    assert {setup.name for setup in answer.representatives} == {
        "MariaDB 10.11.19 flush 1",
        "MariaDB 11.8.9 flush 1",
        "memfile of Kea 2.2.0",
        "memfile of Kea 3.0.4",
        "PostgreSQL sync on",
    }


def test_a_new_setting_is_named_and_chosen_without_a_change_here():
    lines = named("mysql", {"MySQL": "9.7.4"}, FLUSH, "a_new_setting=off as new off")
    setup = only_setup(lines)
    assert setup.name == "MySQL flush 1 new off"
    assert [each.name for each in setup.deciding] == [
        "innodb_flush_log_at_trx_commit",
        "a_new_setting",
    ]


def test_stores_that_kea_does_not_have():
    product = {"name": "SQLite", "version": "3.40.1", "keeper": "sqlite"}
    answer = answer_of(both() + both("sqlite", product=product))
    assert {setup.name for setup in answer.setups} == {"ubench's memfile", "SQLite (not in Kea)"}


# ---- Differences and costs


def test_what_is_more_than_chance():
    answer = answer_of(
        blocks(
            ("memfile", "power-safe", 300),
            ("sqlite", "power-safe", 200),
            ("mysql", "power-safe", 200.1),
        )
    )
    (section,) = answer.sections
    shown = {
        frozenset((each.first.first.store, each.second.first.store)): each.is_shown
        for each in section.comparisons
    }
    assert shown == {
        frozenset(("memfile", "sqlite")): True,
        frozenset(("memfile", "mysql")): True,
        frozenset(("sqlite", "mysql")): False,
    }
    (negligible,) = (each for each in section.comparisons if not each.is_shown)
    assert negligible.is_negligible


def test_swapped_setups_invert_the_ratio():
    answer = answer_of(blocks(("memfile", "power-safe", 300), ("sqlite", "power-safe", 200)))
    first, second = answer.setups
    there, back = speed_ratio(first, second), speed_ratio(second, first)
    assert there.interval is not None
    assert back.interval is not None
    assert there.ratio == pytest.approx(1 / (back.ratio or 0))
    assert there.interval.low == pytest.approx(1 / back.interval.high)


def test_few_runs_have_no_interval():
    lines = blocks(("memfile", "power-safe", 300), ("sqlite", "power-safe", 2))[:20]
    (section,) = answer_of(lines).sections
    assert [each.interval for each in section.comparisons] == [None]


def test_what_durability_costs():
    answer = answer_of(
        blocks(
            ("memfile", "power-safe", 100),
            ("memfile", "process-safe", 250),
            ("memfile", "volatile", 250),
        )
        # Two stores, of which neither has another class
        + of_kea("pgsql")
        + of_kea("mysql", "bounded")
    )
    costs = [
        (cost.first.cls, cost.second.cls, cost.is_shown, round(cost.ratio or 0, 1))
        for cost in answer.costs
    ]
    assert costs == [
        (DurabilityClass.POWER_SAFE, DurabilityClass.PROCESS_SAFE, True, 2.5),
        (DurabilityClass.PROCESS_SAFE, DurabilityClass.VOLATILE, False, 1.0),
    ]


def test_other_work_is_not_compared():
    few = samples.store(cls="volatile", rates=[("renew", 900, 1000)])
    many = samples.store(rates=[("renew", 900, 5000)])
    (cost,) = answer_of([many, few]).costs
    assert cost.contrast is None


def test_the_slowest_run_counts_of_those_that_are_judged():
    lines = both("mysql", restarts=9000, count=9000) + both("mysql", restarts=40)
    lines[3]["started_at"] = "2026-11-02T00:00:00Z"
    answer = answer_of(lines, clients=10000)
    assert answer.slowest_run == pytest.approx(1.2)


# ---- Published figures, which others cite


def test_the_published_sweep():
    lines = samples.published("sweep-2026-11")
    observations = samples.read_lines(lines).all_observations()
    answer = work_out(Site(), observations)
    rates = {
        (setup.cls, setup.first.store): [round(rate.per_s, 3) for rate in setup.rates.known]
        for setup in answer.setups
    }
    assert rates[DurabilityClass.POWER_SAFE, "memfile"] == [5376.824, 5021.604]
    assert rates[DurabilityClass.POWER_SAFE, "sqlite"] == [3237.611, 3207.896]
    assert (len(rates), answer.clients) == (7, 100000)


def test_the_guide_does_not_change_the_verdict_on_what_was_measured():
    kea, guide = (
        samples.read_lines(samples.published(name)).all_observations()
        for name in ("kea-3.0-2026-11", "guide-2012")
    )
    alone, together = (work_out(Site(5000), each) for each in (kea, [*guide, *kea]))
    assert [setup.name for setup in together.judged] == [setup.name for setup in alone.judged]
    assert all(
        setup.is_measured != bool(setup.first.published) for setup in together.setups
    )


