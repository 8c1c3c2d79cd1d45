# SPDX-License-Identifier: ISC
"""Lines of runners: the observation, and the rates that count as samples."""

from __future__ import annotations

import pytest
import samples
from samples import open_run, phase, run

from ubench.records.observation import (
    Amount,
    Block,
    DurabilityClass,
    How,
    Loss,
    Lost,
    Origin,
    Setting,
)
from ubench.records.schema import Damaged

GUIDE = (("create", 100), ("search", 1000), ("update", 200), ("delete", 400))


def test_members_of_a_line() -> None:
    observation = samples.observe(
        samples.store(
            "mysql",
            product={"name": "MariaDB", "version": "10.11.19", "keeper": "mysql"},
            facts={"MariaDB": "10.11.19-x", "log_bin": "OFF"},
            host={"cores": "2"},
            labels={"cell": "x"},
            error="it failed",
            warnings=[{"code": "load", "text": "busy"}, {"code": "steal", "text": "stolen"}],
        )
    )
    assert observation.origin is Origin.RUNNER
    assert (observation.program, observation.program_version) == ("mysql_ubench", "0.1.0")
    assert (observation.store, observation.keeper, observation.is_database) == (
        "mysql", "mysql", True)
    assert observation.product.full_name == "MariaDB 10.11.19-x"
    assert observation.facts["log_bin"] == "OFF"
    assert (observation.host, observation.labels) == ({"cores": "2"}, {"cell": "x"})
    assert (observation.error, observation.warned) == ("it failed", "busy; stolen")
    assert observation.phase_names == ("renew",)


def test_durability_is_data() -> None:
    form = samples.durability(
        "volatile",
        kill={"loss": "bounded", "window_s": 0.6},
        power={"loss": "unbounded"},
        node_loss={"loss": "unknown"},
        settings=[{"name": "a", "value": "1", "label": "a 1"}, {"name": "b", "value": "2",
                                                                 "decisive": True}],
        reasons=["fsync-off"],
        at_risk=10,
    )
    durability = samples.observe(samples.store("pgsql", durability=form)).durability
    assert durability.cls is DurabilityClass.VOLATILE
    assert durability.kill == Lost(Loss.BOUNDED, 0.6)
    assert durability.power == Lost(Loss.UNBOUNDED)
    assert durability.node_loss == Lost(Loss.UNKNOWN)
    assert durability.settings == (Setting("a", "1", "a 1"), Setting("b", "2", decisive=True))
    assert (durability.basis, durability.at_risk) == ("a=1, b=2, fsync-off", 10)


def test_classes_go_from_the_least_safe_to_the_safest() -> None:
    ranks = [cls.rank for cls in DurabilityClass]
    assert ranks == [0, 1, 2, 3, 4]
    assert DurabilityClass.POWER_SAFE.rank == 4


@pytest.mark.parametrize(
    ("parameters", "member", "value"),
    [
        ({}, "threads", 1),
        ({"threads": "16"}, "threads", 16),
        ({"batch": "1k"}, "batch", 1000),
        ({"batch": "16,5ms"}, "batch", 16),
        ({"batch": "5ms"}, "batch", 0),
        ({"preload": "1M"}, "preload", 1000000),
        ({"ipv6": "yes"}, "family", 6),
        ({}, "family", 4),
        ({"server-time": "100us"}, "server_time", True),
        ({}, "server_time", False),
        ({"trips": "procedure"}, "in_series", False),
        ({"trips": "series"}, "in_series", True),
        ({"allocator": "flq"}, "shares_pool", True),
        ({}, "shares_pool", False),
        ({}, "in_series", True),
        ({"workload": "fill"}, "levels", True),
        ({"workload": "renew"}, "levels", False),
    ],
)
def test_the_load_is_of_the_parameters(
    parameters: dict[str, str], member: str, value: object
) -> None:
    load = samples.observe(samples.store(parameters=parameters)).load
    assert getattr(load, member) == value


@pytest.mark.parametrize(
    ("typed", "kinds", "name"),
    [
        ("@/home/a/mine.txt", [("mine", 1)], "mine"),
        ("@b.txt", [("guest", 9), ("stranger", 1)], "guest=9,stranger=1"),
        ("@b.txt", [(name, 1) for name in "abcde"], "a=1,b=1,c=1,2 more"),
        ("renew=9,dora=1", [("renew", 9), ("dora", 1)], "renew=9,dora=1"),
    ],
)
def test_a_file_is_named_by_its_exchanges(
    typed: str, kinds: list[tuple[str, int]], name: str
) -> None:
    planned = [
        {"name": each, "weight": weight, "leases": 1, "searches": 1, "changes": 0,
         "steps": [{"name": "s", "operation": "find_by_address", "changes": False, "count": 1}],
         "definition": [f"exchange {each}"]}
        for each, weight in kinds
    ]
    runs = [run(phase(kinds[0][0], 100), exchange={"exchanges": True, "kinds": planned})]
    observation = samples.observe(samples.store(runs=runs, parameters={"workload": typed}))
    assert observation.load.workload == name
    assert observation.parameters["workload"] == typed


def test_a_sample_is_a_phase_of_a_complete_run() -> None:
    complete = run(*(phase(*each) for each in GUIDE))
    cut = run(*(phase(*each) for each in GUIDE), incomplete=True)
    fewer = run(phase("create", 100))
    observation = samples.observe(samples.store(runs=[complete, cut, fewer, complete]))
    assert [sample.run for sample in observation.samples] == [0] * 4 + [3] * 4
    assert len(observation.complete_runs) == 2
    for sample, (name, rate) in zip(observation.samples, GUIDE, strict=False):
        assert (sample.name, sample.how) == (name, How.ALONE)
        assert sample.rate == pytest.approx(rate)
        assert sample.elapsed_s == pytest.approx(1000 / rate)
        assert sample.operations == 1000
        # of the whole run, and of its shortest phase
        assert sample.amount == Amount(1000, observation.runs[0].elapsed_ns / 1e9)
    assert observation.runs[0].rate == pytest.approx(4000 / (10 + 1 + 5 + 2.5))


def test_the_amount_of_a_run_is_that_of_its_shortest_phase() -> None:
    runs = [run(phase("create", 100, 5000), phase("search", 100, 200))]
    amounts = {sample.amount for sample in samples.observe(samples.store(runs=runs)).samples}
    assert amounts == {Amount(200, 52.0)}


def test_a_mix_shares_its_time() -> None:
    runs = [run(phase("renew", 100, 500), phase("dora", 50, 250), together=True)]
    observation = samples.observe(samples.store(runs=runs))
    assert {sample.how for sample in observation.samples} == {How.MIXED}
    assert observation.runs[0].elapsed_ns == 5 * 10**9
    assert observation.runs[0].rate == 150
    one_kind = [run(phase("renew", 100), together=True)]
    assert samples.observe(samples.store(runs=one_kind)).samples[0].how is How.ALONE


@pytest.mark.parametrize(
    ("name", "created"), [("create", 1000), ("dora", 1000), ("sarr", 1000), ("renew", 0)]
)
def test_leases_are_those_before_and_those_that_were_made(name: str, created: int) -> None:
    for preload in (0, 500):
        line = samples.store(rates=[(name, 100)], parameters={"preload": str(preload)})
        assert samples.observe(line).samples[0].leases == preload + created


def test_a_search_has_the_rate_that_it_sustained() -> None:
    line = samples.store(runs=[open_run(goals=[samples.goal("1 %", 95, 100)], sustained_per_s=95)])
    observation = samples.observe(line)
    assert observation.load.open
    (sample,) = observation.samples
    assert (sample.name, sample.rate, sample.how) == ("renew", 95, How.SUSTAINED)
    assert (sample.operations, sample.amount) == (400, None)


@pytest.mark.parametrize(
    "open_loop",
    [
        open_run(),
        open_run(trials=[samples.trial(None)], storm=samples.storm()),
        open_run(goals=[samples.goal("1 %", None, 100)], sustained_per_s=None),
        {**open_run(sustained_per_s=95), "phases": [phase("renew", 1), phase("dora", 1)]},
        {**open_run(sustained_per_s=95), "incomplete": True},
        {**open_run(), "incomplete": True, "trials": []},
    ],
)
def test_a_rate_that_was_asked_for_is_no_sample(open_loop: samples.Line) -> None:
    observation = samples.observe(samples.store(runs=[open_loop]))
    assert observation.load.open
    assert observation.samples == ()


def test_members_of_an_open_loop() -> None:
    judged = {"goal": "1 %", "late": 3, "bad_share": 0.1, "grew": True, "met": False}
    trials = [
        samples.trial(200, 390, offered=400, dropped=10, bad_share=10 / 400, judged=[judged],
                      response=samples.histogram([5]), seconds=[[1, 2, 3]],
                      verdict="not-in-time"),
        samples.trial(None),
    ]
    storm = samples.storm(100, 90, served_100_ns=None)
    goals = [samples.goal("1 %", 95, None, invalid=True)]
    line = samples.store(runs=[open_run(trials=trials, storm=storm, goals=goals)])
    loop = samples.observe(line).runs[0].open_loop
    assert loop is not None
    first = loop.trials[0]
    assert (first.rate, first.offered, first.answered, first.dropped) == (200, 400, 390, 10)
    assert (first.verdict, first.seconds) == ("not-in-time", ((1, 2, 3),))
    assert first.response is not None
    assert first.response.max_ns == 5
    assert (first.judged[0].bad_share, first.judged[0].met) == (0.1, False)
    assert loop.trials[1].rate is None
    assert loop.storm is not None
    assert (loop.storm.served, loop.storm.served_ns) == (90, {50: 10, 99: 20, 100: None})
    assert (loop.goals[0].lower, loop.goals[0].upper, loop.goals[0].invalid) == (95, None, True)


@pytest.mark.parametrize(
    ("members", "verdict"),
    [
        ({}, "sustained"),
        ({"bad_share": 0.1}, "not-in-time"),
        ({"grew": True}, "growing"),
        ({"grew": True, "bad_share": 0.1}, "saturated"),
        ({"invalid": "it fell behind", "grew": True}, "invalid"),
        ({"incomplete": True, "invalid": "x"}, "interrupted"),
    ],
)
def test_trials_of_the_oldest_versions_have_no_verdict(
    members: dict[str, object], verdict: str
) -> None:
    trial = samples.trial(**members)
    del trial["verdict"]
    loop = samples.observe(samples.store(runs=[open_run(trials=[trial])])).runs[0].open_loop
    assert loop is not None
    assert loop.trials[0].verdict == verdict


def test_a_phase_has_all_of_its_members() -> None:
    step = {
        "name": "request: by client-id", "operation": "find_by_client_id", "count": 5, "hits": 4,
        "misses": 1, "latency": samples.histogram([7, 9]), "predicted": 4.5,
    }
    usage = {
        "user_ns": 1, "system_ns": 2, "voluntary_switches": 3, "involuntary_switches": 4,
        "written_bytes": None, "disk_bytes": 5, "fdatasyncs": 6, "max_rss_bytes": 7,
    }
    allocation = {"offered": 9, "offered_twice": 8, "lost": 7, "lost_on_insert": 6}
    members = samples.phase(
        "renew", 100, 10, hits=8, misses=2, latency=samples.histogram(list(range(1, 101))),
        commit=samples.histogram([3]), series=[[6, 10.0], [4, 20.5]], usage=usage, steps=[step],
        deadlocks=1, conflicts=2, stale=3, round_trips=4, allocation=allocation,
    )
    made = samples.observe(samples.store(runs=[run(members)])).runs[0].phases[0]
    assert (made.hits, made.misses, made.seconds) == (8, 2, ((6, 10.0), (4, 20.5)))
    assert (made.deadlocks, made.conflicts, made.stale) == (1, 2, 3)
    assert (made.round_trips, made.usage) == (4, usage)
    assert made.allocation == allocation
    assert made.latency is not None
    names = ("min", "p50", "p95", "max")
    assert [made.latency.figure(name) for name in names] == [1, 50, None, 100]
    assert made.commit is not None
    assert made.steps[0].latency is not None
    assert (made.steps[0].count, made.steps[0].latency.max_ns, made.steps[0].predicted) == (
        5, 9, 4.5)


def test_a_run_says_what_its_exchanges_are() -> None:
    kind = {
        "name": "renew", "weight": 3, "leases": 1, "searches": 2, "changes": None, "steps": [
            {"name": "find", "operation": "find_by_client_id", "changes": False, "count": 2}],
    }
    exchange = {"exchanges": True, "kinds": [kind]}
    (planned,) = samples.observe(
        samples.store(runs=[run(phase("renew", 1), exchange=exchange)])
    ).runs[0].exchanges
    assert (planned.name, planned.weight) == ("renew", 3)


def test_a_phase_that_took_no_time_has_no_rate() -> None:
    runs = [run(phase("renew", 1, 0, elapsed_ns=0, rate_per_s=None), incomplete=True)]
    observation = samples.observe(samples.store(runs=runs))
    assert (observation.runs[0].rate, observation.runs[0].phases[0].rate) == (0, 0)


def test_blocks_of_a_campaign() -> None:
    labels = {"campaign": "c", "order-seed": "5", "block": "2"}
    line = samples.store(labels=labels)
    assert samples.observe(line).samples[0].block == Block("c", "5", "2")
    assert samples.observe(samples.store(**samples.block(3))).samples[0].block == Block(
        "c", "", "3")
    assert samples.observe(samples.store()).samples[0].block is None
    assert samples.observe(samples.store(labels={"role": "reference"})).load.reference


def test_published_figures_have_names_counts_and_times_alone() -> None:
    line = next(samples.published("guide-2012"))
    observation = samples.observe(line)
    assert observation.cls is None
    assert (observation.durability.kill, observation.durability.power) == (None, None)
    assert [sample.amount for sample in observation.samples] == [None] * 4
    assert observation.samples[0].rate == pytest.approx(31.6415863851)
    assert observation.published.startswith("DHCP Performance Guide")


def test_a_part_of_a_run_is_refused() -> None:
    part = {"number": 1, "of": 2, "host": "a", "begun_us": 0, "common_us": 0, "error_us": 0}
    with pytest.raises(Damaged, match="one part of a run"):
        samples.parse(samples.store(parts=[part]))
    samples.parse(samples.store(parts=[part, {**part, "number": 2}]))
