# SPDX-License-Identifier: ISC
"""The data of a page: what its charts and sentences are made of."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import samples
from page_samples import RESULTS

from ubench import stats
from ubench.records.reader import read_records
from ubench.report import crashes as crash_report
from ubench.report.duel.statistics import DuelStatistics
from ubench.report.page import changes, history, losses, ratios
from ubench.report.page.contents import contents_of
from ubench.report.page.short_answers import (
    BESIDE,
    closest_stores,
    memfile_losses,
    setting_worth,
)
from ubench.report.page.summaries import summaries


@pytest.mark.parametrize(
    ("own", "other", "change"),
    [
        ("flush 1", "flush 2", "flush 1 → 2"),
        ("sync on", "sync off", "sync on → off"),
        ("flush 1", "flush 1 binlog 0", "binary log not synced"),
        ("flush 1 binlog 0", "flush 1", "without binary log not synced"),
        ("flush 1", "flush 2 binlog 0", "flush 1 → 2 binlog 0"),
        ("", "persist false", "persist false"),
    ],
)
def test_changes_of_settings(own: str, other: str, change: str) -> None:
    assert changes.label_change(own, other) == change


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("mysql", []),
        ("mysql --log-bin --server-id=1 --sync-binlog=1", ["log-bin"]),
        ("pgsql -c wal_compression=on", ["wal_compression=on"]),
        ("pgsql -c synchronous_commit=off", []),
        ("mysql sid mysql --innodb-buffer-pool-size=1G --skip-log-bin", ["skip-log-bin"]),
    ],
)
def test_options_of_servers(name: str, options: list[str]) -> None:
    assert changes.options_of(name) == options


def published_labels(name: str) -> list[str]:
    records = samples.read_lines(samples.published(name))
    return [ratio.change.label for ratio in ratios.ratios(records.duels, None)]


def test_labels_of_published_duels() -> None:
    labels = published_labels("databases-2026-11-26")
    for label in (
        "flush 1 → 2, MariaDB 10.11, new clients",
        "sync on → off, PostgreSQL 15.18, new clients",
        "PostgreSQL 15.20 → 16.2, renewals",
        "PostgreSQL 15.20 sync on against MariaDB 10.11 flush 1, renewals",
        "PostgreSQL 15.20 sync on against MySQL 9.7 flush 1 (binary log off, TLS off), renewals",
        "threads 1 → 8, MySQL 9.7, new clients",
        "TCP → Unix socket, MariaDB 10.11, new clients",
        "TLS on, PostgreSQL 15.18, new clients",
        "binary log off, MySQL 9.7, new clients",
        "server on one processor, MariaDB 10.11, new clients",
    ):
        assert label in labels
    assert len(set(labels)) == len(labels)
    assert [label for label in labels if label.endswith("...")] == []


@functools.cache
def all_published_ratios() -> tuple[ratios.ChartRatio, ...]:
    names = ("databases-2026-11", "databases-2026-11-26", "reference-2026-11")
    files = [str(samples.RESULTS / f"{name}.jsonl") for name in names]
    records = read_records(files, lambda *_: None)
    return tuple(ratios.ratios(records.duels, None))


def test_a_contest_names_the_faster_store_first() -> None:
    contests: dict[str, list[float]] = {}
    for each in all_published_ratios():
        if each.change.stores is not None:
            contests.setdefault(each.change.summary, []).append(each.ratio)
    assert contests
    for summary, found in contests.items():
        first, second = summary.split(" against ")
        assert f"{second} against {first}" not in contests
        assert stats.median(found) >= 1, summary


def test_a_contest_is_as_fast_as_its_duel() -> None:
    """The second side of a duel is the first store of its contest, until that is turned."""
    checked = 0
    for duel in samples.read_lines(samples.published("databases-2026-11-26")).duels:
        by_change = {each.change: each for each in ratios.duel_ratios(duel)}
        statistics = DuelStatistics.from_duel(duel)
        for number in statistics.candidates:
            change = changes.describe_change(duel.sides[0], duel.sides[number])
            if change is None or change.stores is None:
                continue
            direct, contrast = by_change[change.turned()], statistics.contrast(number)
            assert contrast is not None
            assert direct.ratio == contrast.ratio
            turned = direct.turned()
            assert turned.change == change
            assert turned.ratio == pytest.approx(1 / direct.ratio)
            assert turned.interval.low < turned.ratio < turned.interval.high
            checked += 1
    assert checked


def test_each_question_is_summarized_once() -> None:
    found = summaries(all_published_ratios())
    labels = [(each.members[0].change.question, each.members[0].change.group) for each in found]
    assert len(set(labels)) == len(labels)
    assert sum(len(each.members) for each in found) == len(all_published_ratios())
    several = [each for each in found if len(each.members) > 1]
    assert several
    for each in found:
        low, high = each.ends
        assert low <= each.ratio <= high
        assert each.as_json()["count"] == len(each.members)
    (flush,) = (
        each.as_json()
        for each in found
        if each.members[0].change.group == "flush 1 → 2, MariaDB, new clients"
    )
    assert (flush["price"], flush["shown"]) == ("latest", True)


def test_kea_stores_compete_among_themselves() -> None:
    for each in all_published_ratios():
        has_other = "ubench's" in each.change.label or "SQLite" in each.change.label
        assert has_other == (each.change.question is changes.RatioQuestion.OTHER), each.change


def history_lines(**of_second: Any) -> list[samples.Line]:
    """Two results of PostgreSQL, the second with another version and what else is given."""
    members = [{"facts": facts_of(15)}, {"facts": facts_of(16), **of_second}]
    rates = ([("renew", 1000)], [("renew", 1200)])
    return [
        samples.store("pgsql", "power-safe", rates=each, **more)
        for each, more in zip(rates, members, strict=True)
    ]


def facts_of(major: int, **more: str) -> dict[str, str]:
    """Facts of a PostgreSQL, with a default that came with its version."""
    return {"PostgreSQL": f"{major}.1 (libpq {major}.1)", f"default_of_{major}": "on", **more}


@pytest.mark.parametrize(
    ("of_second", "is_history"),
    [
        ({}, True),
        ({"host": {"cpu": "another"}}, False),
        ({"parameters": {"threads": "4"}}, False),
        ({"facts": facts_of(15)}, False),
    ],
)
def test_histories_have_one_configuration(of_second: dict[str, Any], is_history: bool) -> None:
    observations = samples.read_lines(history_lines(**of_second)).all_observations()
    found = history.histories(observations)
    if not is_history:
        assert found == []
        return
    (series,) = found
    assert series["subject"] == "versions of PostgreSQL"
    assert series["points"] == [["15.1", 1000.0, 1], ["16.1", 1200.0, 1]]


def test_facts_that_differ_within_a_version_are_settings() -> None:
    lines = [
        samples.store("pgsql", "power-safe", rates=[("renew", rate)], facts=facts)
        for rate, facts in (
            (1000, facts_of(15, jit="on")),
            (500, facts_of(15, jit="off")),
            (1200, facts_of(16, jit="on")),
        )
    ]
    (series,) = history.histories(samples.read_lines(lines).all_observations())
    assert series["points"] == [["15.1", 1000.0, 1], ["16.1", 1200.0, 1]]


def test_duels_of_versions_have_a_history() -> None:
    records = samples.read_lines(samples.published("databases-2026-11"))
    found = history.histories(records.all_observations())
    (series,) = (each for each in found if each["name"] == "PostgreSQL sync on, renewals")
    assert [version for version, *_ in series["points"]] == ["15.20", "16.2", "17.12", "18.6"]
    names = [(each["subject"], each["name"]) for each in found]
    assert len(set(names)) == len(names)
    assert all(each["subject"] != "versions of ubench" for each in found)


def test_crashes_of_several_campaigns_are_added() -> None:
    cells = contents_of(samples.read_lines(RESULTS)).data["crashes"]
    crashed = next(cell for cell in cells if cell["name"] == "x")
    assert (crashed["lossy"], crashed["crashes"], crashed["bound"]) == (3, 3, 1.0)


def test_quantiles_are_medians_of_runs() -> None:
    runs = [
        samples.run(
            samples.phase("renew", 1000, 10**4, latency=samples.histogram([time] * 2000))
        )
        for time in (1000, 2000, 9000)
    ]
    (curve,) = contents_of(samples.read_lines([samples.store(runs=runs)])).data["latencies"]
    assert curve["quantiles"] == [(0.5, 2000.0), (0.05, 2000.0), (0.01, 2000.0)]


def test_threads_of_one_configuration_are_a_curve() -> None:
    lines = [
        samples.store("pgsql", rates=[("renew", rate)], parameters={"threads": str(count), **more})
        for count, rate, more in ((1, 100, {}), (4, 300, {}), (1, 900, {"schema": "kea"}))
    ]
    (curve,) = contents_of(samples.read_lines(lines)).data["threads"]
    assert curve["points"] == [[1, 100.0], [4, 300.0]]


# ---- Short answers


@functools.cache
def short_answers() -> dict[str, Any]:
    """The short answers of the databases and of the crashes, by their names."""
    crashes = (f"crash-2026-11-{store}" for store in ("files", "mysql", "pgsql"))
    names = ("databases-2026-11", *crashes)
    files = [str(samples.RESULTS / f"{name}.jsonl") for name in names]
    found = contents_of(read_records(files, lambda *_: None)).data["short"]
    return {each["name"]: each for each in found}


def test_short_answers_are_what_most_readers_ask() -> None:
    assert [each["question"] for each in short_answers().values()] == [
        "Which safe store is fastest?",
        "What is flush 2 worth?",
        "What does a power cut lose with memfile?",
        "Is the difference between PostgreSQL and MariaDB real?",
    ]


def test_the_fastest_safe_store_is_the_first_bar() -> None:
    safest = short_answers()["safest"]
    rates = [row["value"] for row in safest["rows"]]
    assert rates == sorted(rates, reverse=True)
    assert safest["answer"].startswith(f"{safest['rows'][0]['label']}: ")
    assert {row["loss"] for row in safest["rows"]} == {"nothing"}
    products = [row["label"].split(" ")[0] for row in safest["rows"]]
    assert products == ["PostgreSQL", "MariaDB", "MySQL"]
    for row in safest["rows"]:
        low, high = row["interval"]
        assert low <= row["value"] <= high
    assert "Taking turns, PostgreSQL sync on was 1.09 to 1.16 times as fast" in safest["detail"]


def test_a_setting_has_its_worth_and_its_price() -> None:
    setting = short_answers()["setting"]
    assert setting["answer"] == "MariaDB is 1.24 times as fast."
    assert [row["label"] for row in setting["rows"]] == ["MariaDB, new clients"]
    assert "A power cut then loses about the last second" in setting["detail"]


def test_memfile_loses_without_a_limit() -> None:
    memfile = short_answers()["memfile"]
    written, killed, *others = memfile["rows"]
    assert killed["value"] == 0.0
    assert [row["loss"] for row in others] == ["latest", "nothing", "nothing"]
    assert [row["value"] > 0 for row in others] == [True, False, False]
    seconds, longest = re.findall(r"[\d.]+", written["text"])
    assert (float(seconds), float(longest) >= float(seconds)) == (written["value"], True)
    assert memfile["answer"].startswith(f"The leases of the last {seconds} s (median; longest:")
    assert "There is no limit" in memfile["answer"]
    assert re.search(r"(\d+) of \1 test power cuts lost some", memfile["detail"])
    assert memfile_losses([]) is None


def test_losses_are_compared_at_the_same_load() -> None:
    """They are those of few changes a second if that was measured, else of many."""
    names = [f"crash-2026-11-{store}.jsonl" for store in ("files", "mysql", "pgsql")]
    records = read_records([str(samples.RESULTS / name) for name in names], lambda *_: None)
    crashed = losses.add_up(crash_report.gather(records.crashes))
    fast = [each for each in crashed if not each.name.endswith("500/s")]
    for cells, ending in (crashed, ", 500/s"), (fast, ""):
        found = memfile_losses(cells)
        assert found is not None
        cuts = {each.name: each for each in reversed(cells) if each.level == "2"}
        names = [f"{name}{ending}" for name in ("memfile write", *BESIDE)]
        windows = [cuts[name].window_s or 0 for name in names if name in cuts]
        values = [row["value"] for row in found.rows if row["label"].endswith("power cut")]
        assert values == windows
        assert ("500 changes/s" in found.detail) == bool(ending)


def contest(shown: Sequence[bool]) -> list[ratios.ChartRatio]:
    """As many comparisons of two safe stores, each shown or not."""
    known = next(
        each
        for each in all_published_ratios()
        if each.change.question is changes.RatioQuestion.DATABASE and each.ratio > 1
    )
    return [replace(known, shown=is_shown) for is_shown in shown]


@pytest.mark.parametrize(
    ("shown", "answer"),
    [
        ([True], "Yes: {first} is {ratio} times as fast as {second}, shown by 1 of 1 comparison."),
        (
            [True, True, False],
            "Yes: {first} is {ratio} times as fast as {second}, shown by 2 of 3 comparisons.",
        ),
        (
            [True, False],
            "Not always: {first} is shown to be faster than {second} in 1 of 2 comparisons.",
        ),
        ([False, False], "Not shown: {first} and {second} are as fast as each other"),
    ],
)
def test_a_difference_is_real_if_most_comparisons_show_it(shown: list[bool], answer: str) -> None:
    members = contest(shown)
    stores = members[0].change.stores
    assert stores is not None
    found = closest_stores(members)
    assert found is not None
    wanted = answer.format(
        first=stores[0].plain, second=stores[1].plain, ratio=f"{members[0].ratio:.2f}"
    )
    assert found.answer.startswith(wanted)


def test_a_question_without_results_is_left_out() -> None:
    assert closest_stores([]) is None
    assert setting_worth(contest([True])) is None
    assert contents_of(samples.read_lines(RESULTS[:1])).data["short"] == []


def test_a_bar_of_time_ends_with_what_is_missing() -> None:
    (bar,) = contents_of(samples.read_lines(RESULTS)).data["where"]
    titles = [part["title"] for part in bar["parts"]]
    assert titles == [
        "network and perfdhcp",
        "Kea, processor time",
        "SELECT lease4 by address",
        "syncs",
        "not accounted for",
    ]
    assert bar["accounted"] == 0.95
    assert sum(part["us"] for part in bar["parts"]) == bar["whole_us"]
