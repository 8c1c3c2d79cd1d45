# SPDX-License-Identifier: ISC
"""What a page shows of a store's activity, second by second."""

from __future__ import annotations

import pytest
import samples

from ubench.report.page import days

SECONDS = (-0.4, 0.6, 1.6, 2.6, 3.6)


def day(**members):
    """A line of a run with its activity: 4 seconds, 100 changes in each."""
    activity = {
        "second": list(SECONDS),
        "syncs": [0, 60, 160, None, 360],
        "written_bytes": [0, 600, 1600, 2600, 2500],
        "checkpoints": [0, 0, 1, 1, 3],
        "cleanups": [0, 0, 0, 1, 1],
        "cleanup_ms": [0, 0, 0, 250, 250],
        "cleanup_bytes": [0, 0, 0, 4096, 4096],
        "store_bytes": [5000, 5000, 7000, None, 6000],
        **members,
    }
    series = [[100, 2e6], [100, 3e6], [100, 1e6], [100, 9e6]]
    phase = samples.phase("replay-renew", 100, 400, series=series)
    return samples.store("pgsql", "power-safe", runs=[samples.run(phase, activity=activity)])


def test_a_counter_is_drawn_by_its_growth_and_a_level_by_its_value():
    (course,) = days.days([samples.observe(day())])
    lines = course["lines"]
    assert lines["changes"] == [100] * 4
    assert lines["p99_ms"] == [2, 3, 1, 9]
    assert lines["syncs"] == [60, 100, 100, 100]  # a missing sample has the mean of its neighbours
    assert lines["written_bytes"] == [600, 1000, 1000, 0]  # no growth below 0
    assert lines["store_bytes"] == [5000, 7000, 7000, 6000]
    assert course["events"] == {"checkpoints": [2, 4], "cleanups": [3]}
    assert course["totals"] == {
        "changes": 400,
        "each": {
            "written_bytes": 6.25,
            "device_bytes": None,
            "log_bytes": None,
            "binlog_bytes": None,
            "syncs": 0.9,
            "pages_written": None,
        },
        "growth": 1000,
        "events": {"checkpoints": 3, "vacuums": None, "cleanups": 1},
        "cleanup_ms": 250,
        "cleanup_bytes": 4096,
    }


def test_a_long_run_is_drawn_in_steps(monkeypatch):
    monkeypatch.setattr(days, "MOST_POINTS", 3)
    (course,) = days.days([samples.observe(day())])
    assert course["step"] == 2
    assert course["lines"]["changes"] == [100, 100]
    assert course["lines"]["p99_ms"] == [3, 9]
    assert course["lines"]["written_bytes"] == [800, 500]


@pytest.mark.parametrize("values", [[None] * 5, [3, None, None, None, None]])
def test_what_is_known_once_at_most_has_no_rate(values):
    (course,) = days.days([samples.observe(day(syncs=values))])
    assert course["lines"]["syncs"] == [None] * 4


def test_a_result_without_activity_is_not_a_day():
    assert days.days([samples.observe(samples.store())]) == []


def test_figures_are_those_of_all_samples(tmp_path):
    path = tmp_path / "damaged.jsonl"
    samples.write(path, [day(syncs=[1, 2])])
    outcome = samples.report("show", str(path))
    assert outcome.status == 1
    assert "do not have one value for each second" in outcome.err


def test_show_and_the_page_have_it(tmp_path):
    path = tmp_path / "day.jsonl"
    samples.write(path, [day()])
    outcome = samples.report("show", str(path))
    text = " ".join(outcome.out.split())
    assert "for each operation: syncs 0.900, written bytes 6.250; checkpoints 3, cleanups 1" in text
    assert "cleanup ms 250, cleanup bytes 4,096" in text
    assert "store bytes 6,000" in text
    outcome = samples.report("page", str(path), "-o", str(tmp_path / "page.html"))
    assert outcome.status == 0, outcome.err
    text = (tmp_path / "page.html").read_text()
    assert 'id="canvas-day"' in text
    assert "What does a day do to a store?" in text
