# SPDX-License-Identifier: ISC
"""compare: properties that hold for any two groups, and its gate."""

from __future__ import annotations

import csv
import io

import pytest
import samples
from samples import (
    block,
    goal,
    open_run,
    phase,
    run,
    server,
    server_trial,
    single_trial,
    store,
    trial,
)


def group(rate, blocks=9, **members):
    """Runs of a store, which drift from block to block."""
    return [
        store(
            rates=[("create", rate * (1 + number % 5)), ("search", 5 * rate * (1 + number % 5))],
            started_at=f"2026-11-01T00:00:{number:02}Z",
            **block(number),
            **members,
        )
        for number in range(blocks)
    ]


def newer(lines):
    """The same lines of another version, as equal lines count once."""
    return [{**line, "version": "0.2.0"} for line in lines]


@pytest.fixture
def compare(tmp_path, monkeypatch):
    """Compares files with these lines; returns the outcome, and with CSV its rows."""
    monkeypatch.chdir(tmp_path)

    def run_compare(*sides, options=(), form="csv"):
        files = [
            samples.write(tmp_path / f"{name}.jsonl", side)
            for name, side in zip("abcd", sides, strict=False)
        ]
        names = [file.rpartition("/")[2] for file in files]
        outcome = samples.report("compare", f"--format={form}", *options, *names)
        return outcome, list(csv.DictReader(io.StringIO(outcome.out)))

    return run_compare


# ---- Properties


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [
        (1.2, "better"),
        (0.8, "worse"),
        (1.02, "no difference shown"),
        (1, "no difference shown"),
    ],
)
def test_a_factor_is_found(compare, factor, verdict):
    outcome, rows = compare(group(100), newer(group(100 * factor)))
    assert (outcome.status, outcome.err) == (0, "")
    assert [row["phase"] for row in rows] == ["create", "search"]
    for row in rows:
        assert float(row["ratio"]) == pytest.approx(factor, abs=1e-4)
        assert (row["verdict"], row["blocks"]) == (verdict, "9")
        assert float(row["low"]) <= float(row["ratio"]) <= float(row["high"])


def test_a_file_beside_itself_shows_nothing(compare):
    lines = list(samples.published("sweep-2026-11"))
    renamed = [{**line, "version": line["version"] + "+"} for line in lines]
    outcome, rows = compare(lines, renamed)
    assert outcome.err == ""
    assert len(rows) > 30
    assert {(row["ratio"], row["verdict"]) for row in rows} == {("1", "no difference shown")}


def test_swapped_sides_invert_each_ratio(compare):
    lines = [
        line for line in samples.published("kea-2026-11") if line["labels"]["role"] == "cell"
    ]
    one, eight = (
        [line for line in lines if line["parameters"]["threads"] == threads] for threads in "18"
    )
    _, forth = compare(one, eight, options=["--across-classes"])
    _, back = compare(eight, one, options=["--across-classes"])
    turned = {(row["case"], row["phase"]): row for row in back}
    opposite = {"better": "worse", "worse": "better"}
    assert forth
    for row in forth:
        same = turned[row["case"], row["phase"]]
        assert float(row["ratio"]) * float(same["ratio"]) == pytest.approx(1, abs=1e-4)
        assert float(row["low"]) * float(same["high"]) == pytest.approx(1, abs=1e-4)
        assert opposite.get(row["verdict"], row["verdict"]) == same["verdict"]


def test_the_order_of_lines_does_not_count(compare):
    before, after = group(100), newer(group(110))
    assert compare(before, after) == compare(before[::-1], after[::-1])


@pytest.mark.parametrize("figure", ["rate", "mean"])
def test_latencies_are_better_when_less(figure):
    lines = samples.published("kea-2026-11")
    words = ("compare", "--format=csv", "--by=threads", f"--figure={figure}")
    rows = list(csv.DictReader(io.StringIO(samples.report(*words, lines=lines).out)))
    assert rows
    for row in rows:
        if row["verdict"] in ("better", "worse"):
            is_more = float(row["ratio"]) > 1
            assert (is_more == (figure == "rate")) == (row["verdict"] == "better")


def test_by_is_each_value_against_the_first():
    lines = [
        line
        for threads, rate in (("16", 400), ("4", 200), ("1", 100))
        for line in group(rate, parameters={"threads": threads})
    ]
    outcome = samples.report("compare", "--format=csv", "--by=threads", lines=lines)
    rows = csv.DictReader(io.StringIO(outcome.out))
    found = [(row["candidate_is"], row["phase"], f"{float(row['ratio']):.3g}") for row in rows]
    assert found == [
        ("threads=4", "create", "2"),
        ("threads=4", "search", "2"),
        ("threads=16", "create", "4"),
        ("threads=16", "search", "4"),
    ]


def test_builds_of_a_server_by_its_processor_time():
    lines = [
        server(
            trials=[server_trial(1000, 4000, cost_us + number % 3)],
            server_build=build,
            server_library=f"/opt/{build}/lib/libkea-dhcpsrv.so.1",
            **block(number),
        )
        for number in range(9)
        for build, cost_us in (("b1", 100), ("a2", 105))
    ]
    words = ("compare", "--format=csv", "--by", "Kea library", "--figure", "processor")
    (row,) = csv.DictReader(io.StringIO(samples.report(*words, lines=lines).out))
    assert (row["verdict"], row["unit"], row["blocks"]) == ("better", "us", "9")
    assert float(row["ratio"]) == pytest.approx(100 / 105, abs=1e-2)


def test_searched_rates_need_a_difference_beyond_their_brackets(compare):
    def searches(rate, upper):
        return [
            store(runs=[open_run(trials=[trial(stage="search")],
                                 goals=[goal("1 %", rate + number, upper)])], **block(number))
            for number in range(9)
        ]  # fmt: skip

    _, (narrow,) = compare(searches(100, 130), newer(searches(150, 170)))
    assert (narrow["phase"], narrow["verdict"]) == ("1 %", "better")
    _, (wide,) = compare(searches(100, 300), newer(searches(150, 450)))
    assert wide["verdict"] == "no difference shown"


def responses(times_us, **members):
    """Trials at 200/s, in blocks, with response times around these."""
    return [
        store(
            runs=[open_run(trials=[trial(
                response=samples.histogram([(times_us + number) * 1000] * 1000), **members)])],
            **block(number),
        )
        for number in range(9)
    ]  # fmt: skip


def test_responses_at_the_same_rate(compare):
    _, (row,) = compare(responses(100), newer(responses(200)), options=["--figure=p99"])
    assert (row["phase"], row["unit"], row["verdict"]) == ("at 200/s", "us", "worse")
    assert float(row["baseline"]) == pytest.approx(104)


@pytest.mark.parametrize(
    "members",
    [
        {"answered": 399, "offered": 400, "dropped": 1},
        {"answered": 399, "offered": 400, "failed": 1},
        {"answered": 399, "offered": 400, "unanswered": 1},
        {"invalid": "the harness was late"},
    ],
)
def test_responses_of_lossy_trials_are_excluded(compare, members):
    lossy = responses(200, **members)
    outcome, _ = compare(responses(100), newer(lossy), options=["--figure=p99"])
    assert (outcome.status, outcome.out) == (1, "")
    mixed = newer([*responses(200)[:8], lossy[8]])
    outcome, _ = compare(responses(100), mixed, options=["--figure=p99"], form="text")
    assert "trials with lost requests, or in which the harness failed, are excluded" in " ".join(
        outcome.out.split()
    )


def test_a_search_has_no_latency(compare):
    searched = [store(runs=[open_run(goals=[goal("1 %", 10, 11)])])]
    outcome, _ = compare(searched, newer(searched), options=["--figure=p99"])
    assert "a search has no latency of its own; --figure=rate compares rates" in outcome.err


def test_trials_of_servers_have_no_latency(compare):
    trials = [single_trial("seconds", server_trial(200, 170, sent=200))]
    later = [{**line, "server_version": "3.0.0"} for line in trials]
    outcome, _ = compare(trials, later, options=["--figure=p99"])
    assert "on both sides; try another --figure" in outcome.err
    outcome, _ = compare(trials, later)
    assert "no --find-rate result" in outcome.err


def test_runs_without_a_pair_are_left_out(compare):
    outcome, _ = compare(group(100), newer(group(100))[:8], form="text")
    assert "note runs of blocks that only one side has" in " ".join(outcome.out.split())
    outcome, _ = compare(group(100), newer(group(100)), form="text")
    assert "that only one side has" not in " ".join(outcome.out.split())


# ---- Words


def test_text_says_what_else_differs(compare):
    after = newer(group(150, facts={"memfile": "2.0"}))
    after.append(store(rates=[("renew", 5)]))
    outcome, _ = compare(group(100), after, form="text")
    text = " ".join(outcome.out.split())
    for words in (
        "verdict b.jsonl against a.jsonl: better in 2 (of 2 rows)",
        "ratio candidate / baseline",
        "all 2 rows together",
        "baseline a.jsonl: 9 runs, 2026-11-01T00:00:00Z to 2026-11-01T00:00:08Z",
        "durability power-safe differs",
        "version: 0.1.0 -> 0.2.0",
        "memfile: 1.0 -> 2.0",
        "only the candidate has memfile, workload=renew",
    ):
        assert words in text


def test_several_candidates_have_a_row_each(compare):
    third = [{**line, "version": "0.3.0"} for line in group(50)]
    outcome, _ = compare(group(100), newer(group(200)), third, form="text")
    rows = [line.split()[:6] for line in outcome.out.splitlines() if ".jsonl, memfile" in line]
    assert [(row[0], row[2], row[3], row[4]) for row in rows] == [
        ("b.jsonl,", "create", "better", "2.000"),
        ("b.jsonl,", "search", "better", "2.000"),
        ("c.jsonl,", "create", "worse", "0.500"),
        ("c.jsonl,", "search", "worse", "0.500"),
    ]
    assert outcome.out.count("baseline      a.jsonl: 9 runs") == 1
    assert "the medians are of each side alone" not in outcome.out


def test_medians_that_are_not_of_pairs_are_explained(compare):
    after = newer(group(100))
    for number in (0, 1, 2, 3):  # the same pairs in other blocks move the median alone
        after[number]["runs"] = group(100 * (1 + number) * 3)[number]["runs"]
    outcome, _ = compare(group(100), after, form="text")
    assert "the medians are of each side alone" in " ".join(outcome.out.split())


def test_properties_of_one_side_are_named(compare):
    with_fact = newer(group(100, facts={"memfile": "1.0", "cache": "on"}))
    outcome, _ = compare(group(100), with_fact, form="text")
    assert "only the candidate has cache" in " ".join(outcome.out.split())
    outcome, _ = compare(with_fact, group(100), form="text")
    assert "only the baseline has cache" in " ".join(outcome.out.split())


def test_another_class_is_said(compare):
    after = newer(group(100, cls="bounded"))
    outcome, _ = compare(group(100), after, options=["--across-classes"], form="text")
    words = "durability power-safe -> bounded: different durability; rates not comparable"
    assert words in " ".join(outcome.out.split())


def test_reference_runs_are_left_out(compare):
    reference = [store("null", "none", labels={"role": "reference"})]
    outcome, _ = compare(group(100) + reference, newer(group(100)), form="text")
    assert "1 reference run of the campaign left out" in " ".join(outcome.out.split())


# ---- Refusals


@pytest.mark.parametrize(
    ("sides", "options", "status", "message"),
    [
        ([group(1), group(1, cls="bounded")], [], 1, "their rates are not comparable"),
        (
            [group(1) + group(1, name="pgsql"), group(1, name="sqlite")],
            [],
            1,
            "no case in common: memfile on one side, sqlite on the other",
        ),
        ([group(1)], [], 2, "1 file: expected two or more"),
        ([group(1), group(2)], ["--phases=creat"], 2, "--phases: 'creat' is not in both groups"),
        ([group(1)], ["--by=threads"], 2, "only one value of 'threads'"),
        ([group(1)], ["--by=nonsense"], 2, "no value of 'nonsense'"),
        ([group(1)], ["--by=threads", "--candidate=a=b"], 2, "--candidate cannot be used with"),
        ([group(1)], ["--baseline=a=b"], 2, "--candidate is missing"),
        (
            [group(1)],
            ["--baseline=store=x", "--candidate=store=memfile"],
            2,
            "--baseline: no result has store=x; expected memfile",
        ),
        (
            [group(1)],
            ["--baseline=store=memfile", "--candidate=threads=1"],
            2,
            "a.jsonl:1 is in both groups",
        ),
        ([group(1), group(2)], ["--figure=p99"], 1, "no complete run has the figure p99"),
    ],
)
def test_refused(compare, sides, options, status, message):
    versions = [
        [{**line, "version": f"0.{number}.0"} for line in side]
        for number, side in enumerate(sides)
    ]
    outcome, _ = compare(*versions, options=options)
    assert outcome.status == status, outcome.err
    assert message in outcome.err


def test_a_requested_rate_is_not_compared(compare):
    sides = [[store(runs=[open_run()], **block(number)) for number in range(9)] for _ in "12"]
    outcome, _ = compare(sides[0], newer(sides[1]))
    assert outcome.status == 1
    assert "no --find-rate result; a fixed --rate is not a property of the store" in outcome.err


# ---- The gate


@pytest.mark.parametrize(("allowed", "status"), [("10%", 4), ("21%", 0), ("19%", 4)])
def test_a_gate_allows_a_share(compare, allowed, status):
    outcome, _ = compare(group(100), newer(group(80)), options=["--not-worse-than", allowed])
    assert outcome.status == status


def wide():
    """Equal on average, but one block is half, the next one twice as fast."""
    return [group(100 * (0.7, 1.4)[number % 2])[number] for number in range(9)]


def idle():
    """One run has done nothing."""
    lines = group(101)
    for each in lines[4]["runs"][0]["phases"]:
        each["operations"] = 0
    return lines


def without_search():
    """The baseline has a phase that these lines lack."""
    lines = group(100)
    return [{**line, "runs": [run(line["runs"][0]["phases"][0])]} for line in lines]


@pytest.mark.parametrize(
    ("candidate", "status", "message"),
    [
        (group(101), 0, ""),
        (group(200), 0, ""),
        (group(80), 4, ""),
        (wide(), 5, "so near the limit"),
        (idle(), 5, "2 runs without the figure"),
        (group(101, 3), 5, "there are fewer than 6 blocks or runs"),
        (without_search(), 1, "b.jsonl lacks what the baseline has: memfile: the phase search"),
    ],
)
def test_a_gate_fails_closed(compare, candidate, status, message):
    outcome, _ = compare(group(100), newer(candidate), options=["--fail-on-regression"])
    assert outcome.status == status, outcome.err
    assert message in outcome.err


def test_incomplete_runs_are_left_out(compare):
    cut = group(100)
    cut[3]["runs"] = [run(phase("create", 1), phase("search", 1), incomplete=True)]
    outcome, _ = compare(group(100), newer(cut), form="text")
    assert "runs that were cut short were left out" in " ".join(outcome.out.split())


# ---- Instructions


def counted(each, blocks=9, **members):
    """Runs with these instructions for each operation, whatever their rate is."""
    lines = group(100, blocks, **members)
    for line in lines:
        for own in line["runs"][0]["phases"]:
            own["usage"] = usage(instructions=each and each * own["operations"])
    return lines


def usage(**members):
    names = ("user_ns", "system_ns", "voluntary_switches", "involuntary_switches",
             "written_bytes", "disk_bytes", "fdatasyncs", "max_rss_bytes")  # fmt: skip
    return {**dict.fromkeys(names, 1), **members}


def test_instructions_are_compared(compare):
    options = ("--figure=instructions", "--min-effect=0.5%", "--not-worse-than=2%")
    outcome, rows = compare(counted(1000), newer(counted(1010)), options=options)
    assert outcome.status == 0
    assert [(row["verdict"], row["unit"], row["baseline"]) for row in rows] == [
        ("worse", "instructions/oper", "1000")
    ] * 2
    options = ("--figure=instructions", "--not-worse-than=0.5%")
    assert compare(counted(1000), newer(counted(1010)), options=options)[0].status == 4


def test_the_exchanges_of_a_mix_share_their_instructions(compare):
    phases = [phase(name, 100, usage=usage(instructions=8 * 10**6)) for name in ("renew", "dora")]
    lines = [
        store(runs=[run(*phases, together=True, operations=2000)], **block(number))
        for number in range(9)
    ]
    _, (row,) = compare(lines, newer(lines), options=("--figure=instructions",))
    assert (row["phase"], row["baseline"]) == ("all exchanges", "4000")


def test_instructions_that_were_not_counted(compare):
    options = ("--figure=instructions",)
    outcome, _ = compare(counted(None), newer(counted(None)), options=options)
    assert outcome.status == 1
    assert "no complete run has the figure instructions" in outcome.err
