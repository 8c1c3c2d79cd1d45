# SPDX-License-Identifier: ISC
"""Several servers on one database: their worth, the order in which to scale, and every sentence."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace

import pytest
import samples
from answers import answer_of, both, of_kea, words_of
from pool_samples import in_blocks, pool_line, series

from ubench import stats
from ubench.report.capacity import screen, several_sentences, words
from ubench.report.capacity.fit import Verdict, judge
from ubench.report.capacity.several import Step, StepKind, Wanted, scalings
from ubench.report.capacity.site import Demand, Place, Site
from ubench.report.pools.cases import PoolCase
from ubench.report.table import Output

SCALES = series(1000, 1600, 2100, 2110)
SITE = Site(20000, servers=4)  # whose clients restart at 66.7/s
AS_NEW = replace(SITE, restart_as_new=True)


def scaling_of(lines, wanted=None, where=()):
    """What results say of the most useful setup."""
    observations = samples.read_lines(lines).all_observations()
    return next(iter(scalings(observations, SITE, where, wanted)), None)


def steps_of(lines, wanted=None):
    """The order in which to scale: what each step changes, and to which case."""
    return [(step.kind, step.after) for step in scaling_of(lines, wanted).steps]


# ---- The case that is most like the site's

CASES = {
    **series(1000, 1600, full=0.5),
    **series(600, 900, full=0.99),
    **series(500, 700, allocator="iterative", full=0.5),
    **series(800, 900, allocator="shared-flq", full=0.5),
    **series(900, 990, allocator="skip-locked", full=0.5),
}


@pytest.mark.parametrize(
    ("wanted", "allocator", "full"),
    [
        (Wanted(), "random", 0.99),
        (Wanted(full=0.6), "random", 0.5),
        (Wanted(full=0.9), "random", 0.99),
        (Wanted(allocator="iterative"), "iterative", 0.5),
        (Wanted(allocator="shared-flq", full=0.99), "shared-flq", 0.5),
        (Wanted(allocator="flq"), "random", 0.99),
        (Wanted(keeper="postgresql", family=4), "random", 0.99),
    ],
)
def test_the_case_that_is_most_like_the_site(wanted, allocator, full):
    case = scaling_of(in_blocks(CASES), wanted).series[0]
    assert (case.allocator, case.full) == (allocator, full)


@pytest.mark.parametrize("wanted", [Wanted(keeper="mysql"), Wanted(family=6)])
def test_other_databases_and_families_do_not_fit(wanted):
    assert scaling_of(in_blocks(CASES), wanted) is None


def test_a_number_of_servers_alone_says_nothing_of_others():
    assert scaling_of([pool_line(100, 4)]) is None


def test_statements_that_share_round_trips_are_not_those_of_kea():
    parameters = {"trips": "procedure"}
    lines = [pool_line(100, each, "shared-flq", parameters=parameters) for each in (1, 2)]
    assert scaling_of(lines) is None


def test_the_safest_setup_comes_first():
    lines = in_blocks(SCALES, cls="bounded") + in_blocks(SCALES)
    observations = samples.read_lines(lines).all_observations()
    classes = [each.setup.cls.value for each in scalings(observations, SITE)]
    assert classes == ["power-safe", "bounded"]


def test_where_chooses():
    case = scaling_of(in_blocks(CASES), where=[("full", "0.5")]).series[0]
    assert case.full == 0.5


# ---- The order in which to scale


def case(servers, allocator="random", full=0.9, threads_each=1):
    return PoolCase(allocator, full, threads_each, servers)


def test_the_step_that_gains_most_is_first():
    rates = {
        **series(100, 150, full=0.99),
        **series(400, 500, full=0.9),
        **series(420, 640, full=0.5),
    }
    assert steps_of(in_blocks(rates)) == [
        (StepKind.FULL, case(1, full=0.5)),
        (StepKind.SERVERS, case(2, full=0.5)),
    ]


def test_no_step_skips_a_number_of_servers():
    steps = steps_of(in_blocks(SCALES))
    assert steps == [(StepKind.SERVERS, case(2)), (StepKind.SERVERS, case(4))]


@pytest.mark.parametrize("allocator", ["iterative", "flq", "skip-locked"])
def test_no_step_leads_to_an_allocator_that_servers_cannot_share(allocator):
    rates = {**series(100, 105), **series(300, 400, allocator=allocator)}
    assert steps_of(in_blocks(rates)) == [(StepKind.SERVERS, case(2))]


def test_a_step_leads_to_an_allocator_that_servers_can_share():
    rates = {**series(100, 105, allocator="iterative"), **series(300, 400)}
    assert steps_of(in_blocks(rates), Wanted(allocator="iterative")) == [
        (StepKind.ALLOCATOR, case(1)),
        (StepKind.SERVERS, case(2)),
    ]


def test_a_step_to_more_threads():
    lines = in_blocks(series(100, 150)) + in_blocks(series(180, 190), threads_each=2)
    assert steps_of(lines)[0] == (StepKind.THREADS, case(1, threads_each=2))


def test_a_gain_that_may_be_chance_is_no_step():
    assert steps_of(in_blocks(series(100, 106), noise=0.2)) == []


def test_a_gain_below_3_percent_is_no_step():
    scaling = scaling_of(in_blocks(series(100, 102), noise=0.001))
    assert scaling.steps == ()
    assert scaling.next_servers.after.servers == 2


def test_few_runs_give_no_order():
    scaling = scaling_of(in_blocks(SCALES, blocks=5))
    assert (scaling.steps, scaling.has_order) == ((), False)


@pytest.mark.parametrize(
    ("rate", "kinds"),
    [(190, [StepKind.SERVERS]), (400, [StepKind.FULL, StepKind.SERVERS])],
)
def test_campaigns_are_compared_only_if_they_differ_much(rate, kinds):
    """The machine may have changed between them."""
    others = in_blocks(series(rate, 1.5 * rate, full=0.5), campaign="another")
    scaling = scaling_of(in_blocks(series(100, 150, full=0.99)) + others)
    assert [step.kind for step in scaling.steps] == kinds
    assert scaling.series[0].full == 0.99


def test_a_case_that_can_be_compared_comes_first():
    apart = [(1, "random", 0.99), (2, "random", 0.99)]
    lines = [
        line
        for number, case in enumerate(apart)
        for line in in_blocks({case: 100}, campaign=f"campaign {number}")
    ]
    assert scaling_of(lines).worths == ()
    assert several_sentences.worths(scaling_of(lines)) == "1 server serves 100/s."
    assert scaling_of(lines + in_blocks(series(100, 150, full=0.5))).series[0].full == 0.5


def test_a_setting_that_loses_more_comes_last():
    lines = in_blocks(SCALES) + in_blocks(series(3000, 4800, 6300, 6330), cls="bounded")
    safety = scaling_of(lines).safety
    assert safety.setup.cls.value == "bounded"
    assert safety.contrast.ratio == pytest.approx(3, rel=0.01)
    slower = in_blocks(SCALES) + in_blocks(series(300, 480, 630, 633), cls="bounded")
    assert scaling_of(slower).safety is None


# ---- Sentences


@pytest.mark.parametrize(
    ("servers", "sentence"),
    [
        (1, ""),
        (2, "Each of 2 servers on one database has to do 2.78 renewals/s and 33.3 restarts/s; if "
            "one fails, 5.56 and 66.7."),
        (4, "Each of 4 servers on one database has to do 1.39 renewals/s and 16.7 restarts/s; if "
            "one fails, 1.85 and 22.2."),
    ],
)  # fmt: skip
def test_what_each_server_needs(servers, sentence):
    assert several_sentences.need(Site(20000, servers=servers), 20000) == sentence


def test_what_each_server_needs_by_a_lease_file():
    """Its worst minute also has new clients and releases."""
    need = several_sentences.need(Site(20000, servers=2, changes_each=0.001), 20000)
    assert need.startswith("Each of 2 servers on one database has to do 10 changes/s and 33.3 rest")


@pytest.mark.parametrize(
    ("rate", "verdict", "sentence"),
    [
        (200, Verdict.ENOUGH, "Together they serve 200 new clients/s (PostgreSQL sync on, random, "
            "a pool 90 % full): 3 times the required restarts, enough."),
        (100, Verdict.NEAR, "Together they serve 100 new clients/s (PostgreSQL sync on, random, a "
            "pool 90 % full): 1.5 times the required restarts; 2 times is enough."),
        (50, Verdict.SLOW, "Together they serve 50 new clients/s (PostgreSQL sync on, random, a "
            "pool 90 % full): 0.75 times the required restarts, too slow."),
    ],
)  # fmt: skip
def test_whether_they_are_fast_enough_together(rate, verdict, sentence):
    scaling = scaling_of([pool_line(rate / 2, 1), pool_line(rate, 4)])
    assert judge(AS_NEW, {Demand.RESTARTS: scaling.times(AS_NEW, 20000, 4)}) is verdict
    assert several_sentences.together(scaling, AS_NEW, 20000) == sentence


@pytest.mark.parametrize(
    ("family", "site", "is_said"), [(4, SITE, True), (4, AS_NEW, False), (6, SITE, False)]
)
def test_restarts_with_a_lease_take_no_address(family, site, is_said):
    """They do not need the rate of new clients; with IPv6 they are counted as new."""
    exchange, options = ("dora", {}) if family == 4 else ("sarr", {"ipv6": "yes"})
    lines = [
        pool_line(rate, count, exchange=exchange, parameters=options)
        for count, rate in ((1, 100), (4, 200))
    ]
    text = several_sentences.together(scaling_of(lines), site, 20000)
    assert text.endswith(words.FOR_NEW_CLIENTS) is is_said


def test_a_number_that_was_not_measured():
    scaling = scaling_of([pool_line(100, 1), pool_line(150, 2)])
    text = several_sentences.together(scaling, SITE, 20000)
    assert text == "4 servers were not measured (PostgreSQL sync on, random, a pool 90 % full)."


def test_the_figure_if_one_fails():
    scaling = scaling_of([pool_line(100, 1), pool_line(150, 2)])
    text = several_sentences.together(scaling, replace(AS_NEW, servers=2), 20000)
    assert text.endswith("If one fails, it is 1.5 times.")


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (in_blocks(series(1000, 1600), noise=0),
            "1 server serves 1,000/s, 2 serve 1.6 times as many (1.6 to 1.6)."),
        ([pool_line(1000, 1), pool_line(1600, 2)],
            "1 server serves 1,000/s, 2 serve 1.6 times as many."),
        ([pool_line(1000, 2), pool_line(1600, 4)],
            "2 servers serve 1,000/s, 4 serve 1.6 times as many."),
    ],
)  # fmt: skip
def test_what_each_number_of_servers_is_worth(lines, sentence):
    assert several_sentences.worths(scaling_of(lines)) == sentence


@pytest.mark.parametrize(
    ("rates", "wanted", "sentence"),
    [
        (series(1000, 1600, 2100, 2100), None, "Scale in this order: from 1 to 2 servers (1.6 "
            "times), from 2 to 4 servers (1.31 times). 8 servers gain nothing over 4 (1 to 1 "
            "times)."),
        (series(1000, 1600, 1500), None, "Scale in this order: from 1 to 2 servers (1.6 times). 4 "
            "servers are slower than 2 (0.938 to 0.938 times)."),
        (series(1000, 900), None, "No change that was measured is shown to gain more than 3 %. 2 "
            "servers are slower than 1 (0.9 to 0.9 times)."),
        ({**series(100, 100, full=0.99), **series(300, 300, full=0.5)}, None, "Scale in this "
            "order: the pool from 99 % full to 50 % (3 times). 2 servers gain nothing over 1 (1 "
            "to 1 times)."),
        ({**series(100, 101, allocator="iterative"), **series(200, 200)}, Wanted(
            allocator="iterative"), "Scale in this order: the allocator from iterative to random "
            "(2 times). 2 servers gain nothing over 1 (1 to 1 times)."),
    ],
)  # fmt: skip
def test_the_order_in_words(rates, wanted, sentence):
    text = words_of(several_sentences.order(scaling_of(in_blocks(rates, noise=0), wanted)))
    assert text == sentence


@pytest.mark.parametrize(
    ("low", "high", "is_shown", "sentence"),
    [
        (1.05, 1.4, True, "4 servers are faster than 2 (1.05 to 1.4 times)."),
        (0.98, 1.4, False, "No gain of 4 servers over 2 is shown (0.98 to 1.4 times)."),
        (0.98, 1.02, False, "4 servers gain nothing over 2 (0.98 to 1.02 times)."),
        (0.7, 0.9, True, "4 servers are slower than 2 (0.7 to 0.9 times)."),
    ],
)
def test_what_more_servers_gain_after_the_last_step(low, high, is_shown, sentence):
    contrast = stats.Contrast(
        9, (9, 9), ratio=math.sqrt(low * high), interval=stats.Interval(low, high)
    )
    step = Step(StepKind.SERVERS, case(2), case(4), contrast, is_shown)
    assert several_sentences.more_servers(step) == sentence


def test_two_changes_that_gain_only_together():
    """Neither more servers nor the other allocator gain alone."""
    rates = {**series(100, 100), **series(100, 300, allocator="shared-flq")}
    text = words_of(several_sentences.order(scaling_of(in_blocks(rates, noise=0))))
    assert "The most that was measured is 300/s with 2 servers (shared-flq, a pool 90 %" in text
    assert "The most" not in several_sentences.order(scaling_of(in_blocks(SCALES)))


def test_the_allocator_of_kea_3_2_is_experimental():
    rates = {**series(100, 104), **series(300, 303, allocator="shared-flq")}
    text = words_of(several_sentences.order(scaling_of(in_blocks(rates, noise=0))))
    assert "from random to shared-flq, experimental in Kea 3.2 (3 times)" in text


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (in_blocks(series(100, 104), noise=0.2), "No gain of 2 servers over 1 is shown ("),
        (in_blocks(SCALES, 5), "6 runs of each case are needed, in one sweep or duel: scripts/duel "
            "-O shared.jsonl @shared-pgsql"),
        (in_blocks(series(100, 110)) + in_blocks(series(180, 190), threads_each=2),
            "from 1 to 2 threads in each server (1.8 times)"),
        (in_blocks(SCALES) + in_blocks(series(3000, 4800, 6300, 6330), cls="bounded"),
            "Only then give up safety: PostgreSQL sync off, which can lose leases, is 3 times as "
            "fast."),
    ],
)  # fmt: skip
def test_a_part_of_the_order(lines, sentence):
    assert sentence in words_of(several_sentences.order(scaling_of(lines)))


def test_a_case_with_threads_and_one_of_whole_servers():
    threads = scaling_of([pool_line(10, 1, threads_each=4), pool_line(20, 2, threads_each=4)])
    assert several_sentences.case(threads.series[0]) == "random, a pool 90 % full, 4 threads each"
    servers = [samples.server("pgsql", rate=90), samples.server("pgsql", rate=150, servers=2)]
    assert several_sentences.case(scaling_of(servers).series[0]) == "iterative"
    several = [samples.server("pgsql", threads=4, servers=each) for each in (2, 4)]
    assert several_sentences.case(scaling_of(several).series[0]) == "iterative, 4 threads each"


# ---- The answer


def printed(lines, **site):
    """The screen, on one line."""
    stream = io.StringIO()
    screen.print_screen(answer_of(lines, **site), Output(stream=stream))
    lines = stream.getvalue().splitlines()
    assert len(lines) <= 24, lines
    assert max(map(len, lines)) <= 80
    return words_of(stream.getvalue())


def test_without_results_of_several_servers_it_says_what_one_means():
    text = printed(both("mysql", count=20000) + both("pgsql", count=20000), clients=900, servers=2)
    assert "No result has several servers. Each of them does at most what one does alone" in text
    assert "all together may do more or less than that" in text
    assert "To know: scripts/duel -O shared.jsonl @shared-mysql" in text


def test_the_screen_of_several_servers():
    text = printed(in_blocks(SCALES), clients=20000, servers=4)
    assert "SERVERS Each of 4 servers on one database has to do 1.39 renewals/s" in text
    assert "2 serve 1.6 times as many (" in text
    assert "Scale in this order: from 1 to 2 servers" in text


def test_one_server_needs_no_words_on_several():
    text = printed(in_blocks(SCALES), clients=20000)
    assert "SERVERS" not in text


@pytest.mark.parametrize("stores", [["pgsql"], ["pgsql", "mysql"]])
@pytest.mark.parametrize("clients", [1, 20000, 900000000])
def test_it_fits_the_screen(stores, clients):
    lines = [
        *(line for each in stores for line in of_kea(each)),
        *in_blocks(CASES),
        *in_blocks(CASES, cls="bounded"),
        *samples.published("kea-3.0-2026-11"),
    ]
    assert "Scale in this order" in printed(lines, clients=clients, servers=4)


def test_rates_of_another_place_are_not_computed():
    text = printed(in_blocks(SCALES), clients=20000, servers=4, place=Place(0.001))
    assert words.NOT_ELSEWHERE in text


def test_competing_clients_do_not_count_beside_others():
    """Results of several servers say nothing of one, with any number of threads."""
    alone = both("pgsql", count=20000, parameters={"threads": "4"})
    answer = answer_of(alone + in_blocks(SCALES), clients=20000)
    assert [each.renewals_per_s for each in answer.setups] == [pytest.approx(100)]
    assert answer.threads == (4,)


# ---- The command

LINES = in_blocks(SCALES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--servers=0"], "--servers: '0' is not a whole number in 1..1000"),
        (["--servers=some"], "--servers: 'some' is not a whole number"),
        (["--servers=4"], "a file is missing"),
    ],
)
def test_refusals(arguments, message):
    outcome = samples.report("answer", *arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err


def test_without_a_file_it_prints_what_each_server_needs():
    outcome = samples.report("answer", "--clients=20k", "--servers=2")
    assert "Each of 2 servers on one database has to do 2.78 renewals/s" in outcome.out
    alone = samples.report("answer", "--clients=20k").out
    assert "Each of" not in alone
    assert alone.count("\n") == 2


def test_explain_has_every_case():
    text = samples.report("answer", "--clients=20k", "--explain", lines=in_blocks(CASES)).out
    assert "times allocator" in words_of(text)
    assert "skip-locked" in text
    assert "PostgreSQL sync on, random, a pool 99 % full: 1 server serves" in words_of(text)


def test_explain_tells_setups_of_one_name_apart():
    """As runs and duels, which work in turns."""
    lines = in_blocks(SCALES) + in_blocks(SCALES, parameters={"turns": "yes"})
    text = words_of(samples.report("answer", "--clients=20k", "--explain", lines=lines).out)
    for name in ("PostgreSQL sync on (pgsql)", "PostgreSQL sync on (pgsql, turns=yes)"):
        assert f"{name} random 90 % 1" in text  # in tables
        assert f"{name}, random, a pool 90 % full: 1 server" in text


def test_json_has_the_cases_the_worth_and_the_order():
    words = ("answer", "--format=json", "--clients=20k", "--servers=4")
    answer = json.loads(samples.report(*words, lines=LINES).out)
    (found,) = answer["several_servers"]
    assert answer["site"]["servers"] == 4
    assert found["times"] == pytest.approx(2100 / (20000 / 300), rel=0.01)
    assert [each["servers"] for each in found["worth"]] == [2, 4, 8]
    assert [each["changes"] for each in found["order"]] == ["servers", "servers"]
    assert found["next_servers"]["after"]["servers"] == 8
    assert found["most"] is None
    assert {each["runs"] for each in found["cases"]} == {9}
    low, high = found["worth"][0]["interval"]
    assert low < found["worth"][0]["ratio"] < high
