# SPDX-License-Identifier: ISC
"""The chart of batches: its data at every load are those of the answer."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import samples
from answers import answer_of, words_of
from batch_samples import at_a_rate, closed

from ubench.report.capacity.batches import batch_choices
from ubench.report.page import batches
from ubench.report.page.contents import contents_of

LINES = [
    *(closed(batch, rate) for batch, rate in (("1", 400), ("8", 1200), ("16,5ms", 900))),
    at_a_rate("1", 50, 3), at_a_rate("1", 52, 4), at_a_rate("1", 200, 6),
    at_a_rate("1", 800, 1, verdict="saturated"),
    at_a_rate("8", 50, 130), at_a_rate("8", 200, 40), at_a_rate("8", 800, 11),
    at_a_rate("16,5ms", 100, 9), at_a_rate("16,5ms", 400, 8),
]  # fmt: skip
SITE = {"clients": 20000}
MEASURED = Path(__file__).parents[1] / "data" / "batches.jsonl"


def data(lines: list[samples.Line]) -> list[Any]:
    found: list[Any] = contents_of(samples.read_lines(lines)).data["batches"]
    return found


def test_each_load_has_the_delays_and_the_best_of_the_answer() -> None:
    (shown,) = data(LINES)
    (choice,) = batch_choices(answer_of(LINES, **SITE))
    chance = random.Random(1)
    for _ in range(500):
        load_per_s = 10 ** chance.uniform(1, 3.5)
        at_load = replace(choice, load_per_s=load_per_s)
        delays = [batch.p99_s(load_per_s) for batch in choice.batches]
        found = [each for each in shown["loads"] if each["from"] <= load_per_s <= each["to"]]
        if not found:
            assert delays == [None] * 3
            continue
        (load,) = found
        assert delays == [
            math.inf if each["overloaded"] else each["p99_s"] for each in load["delays"]
        ]
        best = None if load["best"] is None else choice.batches[load["best"]]
        assert best is at_load.best


def test_batches_have_their_rates_and_what_was_measured() -> None:
    (shown,) = data(LINES)
    assert (shown["name"], shown["exchange"], shown["demand"]) == (
        "ubench's memfile", "renew", "renew",
    )  # fmt: skip
    assert [(each["title"], each["per_s"], each["single"]) for each in shown["batches"]] == [
        ("1 client", 400, True),
        ("16 clients or 5 ms", 900, False),
        ("8 clients", 1200, False),
    ]
    assert [(each["measured"], each["best"]) for each in shown["loads"]] == [
        ([50], 0),  # eight clients wait too long, and 16 were not measured
        ([50, 52], 0),
        ([52], 0),
        ([52, 100], 0),
        ([100], 1),
        ([100, 200], 1),
        ([200], 2),
        ([200, 400], 2),
        ([400], 2),
        ([400, 800], 2),
        ([800], 2),
    ]


@pytest.mark.parametrize(
    ("value", "title"),
    [
        ("1", "1 client"),
        ("32", "32 clients"),
        ("5ms", "5 ms"),
        ("32,1.5ms", "32 clients or 1.5 ms"),
    ],
)
def test_a_batch_in_words(value: str, title: str) -> None:
    assert batches.title_of(value) == title


def test_measured_batches_are_drawn_as_measured() -> None:
    """A file of PostgreSQL, whose clients came at 100/s."""
    lines = [json.loads(text) for text in MEASURED.read_text("utf-8").splitlines()]
    (shown,) = data(lines)
    assert (shown["name"], shown["store"], shown["exchange"]) == (
        "PostgreSQL sync on", "pgsql", "renew",
    )  # fmt: skip
    (load,) = shown["loads"]
    assert load["measured"] == [100]
    points = {
        each["title"]: (each["per_s"], delay["p99_s"])
        for each, delay in zip(shown["batches"], load["delays"], strict=True)
    }
    assert len(points) == len(lines)
    for line in lines:
        (run,) = line["runs"]
        per_s, p99_s = points[batches.title_of(line["parameters"]["batch"])]
        assert per_s == pytest.approx(run["closed_loop"]["rate_per_s"], rel=1e-4)
        assert p99_s == pytest.approx(run["trials"][-1]["response"]["p99_ns"] / 1e9)
    assert shown["batches"][load["best"]]["title"] == "1 client"
    explained = samples.report("answer", "--explain", "--clients=360k", lines=lines).out
    assert "no batch is faster than single commits" in words_of(explained)


def test_stores_of_one_name_have_their_settings() -> None:
    other = [
        {**line, "facts": {"memfile": "1.0", "kind of disk": "slow"}} for line in LINES
    ]
    names = [each["name"] for each in data([*LINES, *other])]
    assert len(set(names)) == 2
    assert "kind of disk=slow" in " ".join(names)


def test_a_chart_needs_batches_and_delays() -> None:
    assert data([closed("1", 400), at_a_rate("1", 50, 3)]) == []
    assert data([closed("1", 400), closed("8", 1200)]) == []
    # Rates that clients require of a single Kea are not needed.
    contents = contents_of(samples.read_lines([at_a_rate("8", 50, 3, closed_rate=900)]))
    assert contents.data["answer"] is None
    (shown,) = contents.data["batches"]
    assert [each["title"] for each in shown["batches"]] == ["8 clients"]
