# SPDX-License-Identifier: ISC
"""Rates behind a network, predicted from duels of the same work without one."""

from __future__ import annotations

import random
from typing import Any

import pytest
import samples

from ubench import stats
from ubench.report.capacity.elsewhere import database_host
from ubench.report.duel.statistics import DuelStatistics
from ubench.report.round_trips import (
    HEADING,
    OTHER_DUELS,
    OTHER_LEASES,
    Prediction,
    prediction_table,
    predictions,
)

NEAR, FAR = "127.0.0.1", "198.51.100.7"
TRIPS = {"series": 3, "procedure": 1}


def side(
    host: str, round_trip_us: float | None, per_s: int, trips: str = "series", **members: Any
) -> samples.Line:
    """The result of a side that renews leases in PostgreSQL."""
    counted = {} if trips == "series" else {"round_trips": 1000 * TRIPS[trips]}
    run = samples.run(
        samples.phase("renew", per_s, 1000, **counted), operations=1000, store_operations=3000
    )
    baselines = {
        "clock_ns": 20, "fdatasync_ns": None, "fdatasync_min_ns": None, "harness_ns": 30,
        "round_trip_ns": None if round_trip_us is None else 1000 * round_trip_us,
    }  # fmt: skip
    parameters = {"trips": trips, "preload": "1000", **members.pop("parameters", {})}
    return samples.store(
        "pgsql", runs=[run], parameters=parameters, baselines=baselines,
        facts={"PostgreSQL": "15.1", "connection": f"TCP to {host}, port 5432"}, **members,
    )  # fmt: skip


def duel(*results: samples.Line, server: str = "", **members: Any) -> samples.Line:
    """A duel without noise whose sides have these results; a single one is beside its twin."""
    is_alone = len(results) == 1
    results *= 1 + is_alone
    rates = [round(each["runs"][0]["phases"][0]["rate_per_s"]) for each in results]
    line = samples.duel(samples.even_slices(3, rates), len(results), twin=is_alone, **members)
    for number, result in enumerate(results):
        line["sides"][number].update(result=result, server=server)
    return line


def predict(*lines: samples.Line) -> list[Prediction]:
    duels = samples.read_lines(lines).duels
    return predictions([(each, DuelStatistics.from_duel(each)) for each in duels])


def both(mode: str, round_trip_us: float, near: int, far: int, **members: Any) -> list[Any]:
    """What is predicted of a mode that was measured without a network and behind one."""
    return predict(
        duel(side(NEAR, 100, near, mode), side(NEAR, 100, near, mode)),
        duel(side(FAR, round_trip_us, far, mode, **members)),
    )


@pytest.mark.parametrize(
    ("mode", "near", "far", "predicted", "deviation"),
    [
        # 2 ms with 3 round trips of 0.1 ms: 3 more ms with 3 of 1.1 ms.
        ("series", 500, 200, 200, "+0.0 %"),
        ("series", 500, 160, 200, "+25.0 %"),
        ("series", 500, 250, 200, "-20.0 %"),
        ("procedure", 1000, 400, 500, "+25.0 %"),
    ],
)
def test_a_network_adds_its_round_trips(mode, near, far, predicted, deviation):
    (found,) = both(mode, 1100, near, far)
    assert found.per_s == pytest.approx(predicted)
    (row,) = prediction_table([found]).rows
    assert [cell.text for cell in row[:4]] == [
        "PostgreSQL 15.1, renew", mode, str(TRIPS[mode]), "1.10 ms",
    ]  # fmt: skip
    assert row[4].text == f"{far}.0"
    assert row[6].text == deviation


def test_what_follows_the_formula_has_no_deviation():
    chance = random.Random(1)
    for _ in range(50):
        near, round_trip_us = chance.randint(50, 2000), chance.uniform(100, 20_000)
        far = round(1 / (1 / near + 3 * (round_trip_us - 100) / 1e6))
        (found,) = both("series", round_trip_us, near, far)
        assert found.deviation == pytest.approx(0, abs=0.6 / far)


def test_round_trips_that_take_longer_than_the_exchange_predict_nothing():
    (found,) = predict(duel(side(NEAR, 1900, 500)), duel(side(FAR, 1000, 400)))
    assert (found.per_s, found.deviation) == (None, None)
    (row,) = prediction_table([found]).rows
    assert [cell.text for cell in row[5:]] == ["n/a", "n/a"]


def test_a_disturbed_round_trip_does_not_count():
    """On one machine all sides have the same; a network may be another one in each duel."""
    near = [duel(side(NEAR, each, 500), side(NEAR, each, 500)) for each in (100, 90, 400)]
    far = [duel(*(side(FAR, each, 200) for each in times)) for times in ((1100, 1, 1100), (2100,))]
    found = predict(*near, *far)
    assert [each.per_s for each in found] == pytest.approx([200, 200, 200, 125])


def test_a_side_of_the_same_duel_is_preferred():
    """Another duel met other noise: here its machine was twice as fast."""
    (found,) = predict(
        duel(side(NEAR, 100, 1000), side(NEAR, 100, 1000)),
        duel(side(NEAR, 100, 500), side(FAR, 1100, 200)),
    )
    assert found.per_s == pytest.approx(200)


@pytest.mark.parametrize(
    ("lines", "mark", "is_explained"),
    [
        ([duel(side(NEAR, 100, 500)), duel(side(FAR, 1100, 200))], "~", True),
        ([duel(side(NEAR, 100, 500), side(FAR, each, 200)) for each in (1100, 1101)], "", False),
    ],
)
def test_a_prediction_from_another_duel_has_a_mark(lines, mark, is_explained):
    rows = prediction_table(predict(*lines)).rows
    assert rows[0][5].text == f"{mark}200.0"
    out = " ".join(samples.report("duels", lines=lines).out.split())
    assert (OTHER_DUELS in out) is is_explained


@pytest.mark.parametrize(
    "other",
    [
        {"parameters": {"threads": "2"}},
        {"parameters": {"schema": "kea"}},
        {"parameters": {"trips": "procedure"}},
        {"cls": "bounded"},
    ],
)
def test_other_work_predicts_nothing(other):
    assert both("series", 1100, 500, 200, **other) == []


def test_another_number_of_leases_is_named():
    lines = [
        duel(side(NEAR, 100, 500)), duel(side(FAR, 1100, 200, parameters={"preload": "50"})),
    ]  # fmt: skip
    assert [each.leases_differ for each in predict(*lines)] == [True]
    assert OTHER_LEASES in " ".join(samples.report("duels", lines=lines).out.split())


def test_servers_with_other_options_predict_nothing():
    far = duel(side(FAR, 1100, 200))
    for server, count in (("", 1), ("pgsql", 1), ("pgsql -c jit=off", 0)):
        assert len(predict(duel(side(NEAR, 100, 500), server=server), far)) == count


def test_what_was_not_timed_predicts_nothing():
    near, far = duel(side(NEAR, 100, 500)), duel(side(FAR, 1100, 200))
    assert len(predict(near, far)) == 1
    assert predict(near) == predict(far) == []
    assert predict(near, duel(side(FAR, None, 200))) == []
    assert predict(duel(side(NEAR, None, 500)), far) == []


def test_the_command_prints_them_below_the_history():
    lines = [
        duel(side(host, time_us, rate), side(host, time_us, rate + 100, "procedure"))
        for host, time_us, rate in ((NEAR, 100, 500), (FAR, 1100, 200))
    ]
    out = samples.report("duels", lines=lines).out
    table = out[out.index(HEADING) :].splitlines()
    assert table[2].split() == ["store,", "exchange"]
    assert [line.split()[0] for line in table[5:7]] == ["series", "procedure"]
    assert max(map(len, table)) <= 80
    assert HEADING not in samples.report("duels", lines=lines[:1] * 2).out
    assert HEADING not in samples.report("duels", lines=lines[1:]).out


def test_published_duels_behind_a_network_have_predictions():
    duels = samples.read_lines(samples.published("trips-2026-11")).duels
    sides = [side.observation for duel in duels for side in duel.sides if side.observation]
    far = [each for each in sides if database_host(each) and each.load.exchanges]
    found = predictions([(each, DuelStatistics.from_duel(each)) for each in duels])
    assert far
    assert [each.far.observation for each in found] == far
    modes = {each.far.observation.parameters["trips"] for each in found}
    assert modes == {"series", "pipeline", "procedure"}
    for each in found:
        near_s = 1 / stats.median([near.per_s for near in each.near])
        trips = each.near[0].trips
        added_s = trips.count * (each.far.trips.each_s - trips.each_s)
        assert each.per_s == pytest.approx(1 / (near_s + added_s))
    of_postgresql = [
        abs(each.deviation or 0) for each in found if each.far.observation.store == "pgsql"
    ]
    assert stats.median(of_postgresql) < 0.2
