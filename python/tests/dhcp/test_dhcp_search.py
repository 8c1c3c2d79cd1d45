# SPDX-License-Identifier: ISC
"""The search for the highest rate, on servers whose limit is known."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from dhcp_samples import trial

from ubench.dhcp import search
from ubench.dhcp.search import Bound, Goal
from ubench.dhcp.trial import RateTrial
from ubench.records.perfdhcp_output import Messages

GOAL = Goal(max_lost=0.025, trial_s=10)
SEARCHES = 300

Server = Callable[[int], RateTrial]


def trials(*pairs: tuple[int, float]) -> list[RateTrial]:
    """Trials at a rate of which a share was lost."""
    return [trial(rate, rate * (1 - lost)) for rate, lost in pairs]


def noisy(draw: random.Random, capacity: float, noise: float, *, bursts: bool = False) -> Server:
    """A server whose capacity is lognormal in each trial.

    With bursts it works at half its speed in one second of ten, which its queue evens out.
    """

    def serve(rate: int) -> RateTrial:
        own = capacity * math.exp(draw.gauss(0, noise))
        if bursts:
            own *= statistics.fmean(0.5 if draw.random() < 0.1 else 1 for _ in range(10))
        return trial(rate, min(rate, own))

    return serve


def run_search(server: Server, start: int = 500, goal: Goal = GOAL) -> list[RateTrial]:
    done: list[RateTrial] = []
    while (rate := search.next_rate(done, goal, start)) is not None:
        done.append(server(rate))
    return done


def shares(noise: float, *, bursts: bool = False, seed: int = 1) -> tuple[list[float], list[int]]:
    """The rates that many searches find, as shares of the true ones, and their trials."""
    draw, found, counts = random.Random(seed), [], []
    for _ in range(SEARCHES):
        capacity = math.exp(draw.uniform(math.log(300), math.log(30000)))
        done = run_search(noisy(draw, capacity, noise, bursts=bursts))
        counts.append(len(done))
        rate = search.judge_trials(done, GOAL).rate
        if rate is not None:
            found.append(rate / capacity)
    return found, counts


# ---- Bias: the random numbers have seeds, so that a test passes always or never


@pytest.mark.parametrize(("noise", "bias"), [(0, 0.01), (0.03, 0.01), (0.1, 0.01), (0.3, 0.03)])
def test_noise_does_not_make_a_server_look_faster_or_slower(noise, bias):
    found, counts = shares(noise)
    assert statistics.median(found) == pytest.approx(1, abs=bias)
    assert len(found) >= 0.97 * SEARCHES
    assert statistics.fmean(counts) < 18
    assert max(counts) <= search.MOST_TRIALS


@pytest.mark.parametrize("noise", [0, 0.03, 0.1])
def test_one_second_in_ten_at_half_the_speed_leaves_95_percent(noise):
    found, _ = shares(noise, bursts=True)
    assert statistics.median(found) == pytest.approx(0.95, rel=0.02)


@pytest.mark.parametrize("noises", [(0.03, 0.1), (0, 0.1), (0.03, 0.3)])
def test_servers_of_one_capacity_are_alike_whatever_their_noise(noises):
    first, second = (
        statistics.median(shares(noise, seed=seed)[0])
        for noise, seed in zip(noises, (2, 3), strict=True)
    )
    assert second == pytest.approx(first, rel=0.02)


@pytest.mark.parametrize("power", [1, 2])
def test_a_server_that_breaks_down_when_it_is_overloaded(power):
    def serve(rate: int) -> RateTrial:
        return trial(rate, min(rate, 1000 * min(1, 1000 / rate) ** power))

    assert search.judge_trials(run_search(serve), GOAL).rate == pytest.approx(1000, rel=0.03)


@pytest.mark.parametrize("start", [1, 20, 500, 977, 1000, 1100, 5000, 100000])
def test_the_start_does_not_decide_the_result(start):
    done = run_search(lambda rate: trial(rate, min(rate, 1000)), start)
    finding = search.judge_trials(done, GOAL)
    assert finding.rate == pytest.approx(1000, rel=0.025)
    assert finding.upper <= finding.lower * search.BRACKET_RATIO
    assert finding.confirmed


# ---- Rules


def verdicts(done: Sequence[RateTrial]) -> dict[int, Bound]:
    return {load.rate: load.verdict() for load in search.loads(done, GOAL)}


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        ("+", Bound.UNDECIDED),
        ("-", Bound.UNDECIDED),
        ("+-", Bound.UNDECIDED),
        ("++", Bound.LOWER),
        ("--", Bound.UPPER),
        ("-++", Bound.LOWER),
        ("+--", Bound.UPPER),
        ("++--", Bound.UNDECIDED),
        ("++--+", Bound.LOWER),
        ("++---", Bound.UPPER),
    ],
)
def test_two_of_three_trials_decide_a_load(outcomes, verdict):
    done = trials(*((900, 0.1 if outcome == "-" else 0) for outcome in outcomes))
    assert verdicts(done) == {900: verdict}


def test_the_relevant_lower_bound_is_below_the_smallest_failed_load():
    done = trials((800, 0), (800, 0), (900, 0.1), (900, 0.1), (1000, 0), (1000, 0), (1000, 0))
    finding = search.judge_trials(done, GOAL)
    assert (finding.lower, finding.upper, finding.rate) == (800, 900, 800)
    assert not finding.confirmed


def test_the_rate_is_the_median_of_what_was_granted_at_the_lower_bound():
    done = trials((800, 0.02), (800, 0.3), (800, 0.01), (900, 0.1), (900, 0.1))
    assert search.judge_trials(done, GOAL).rate == pytest.approx(784)


def test_the_same_trials_are_judged_by_another_goal():
    done = trials((700, 0), (700, 0), (800, 0.02), (800, 0.02), (900, 0.1), (900, 0.1))
    assert search.judge_trials(done, GOAL).lower == 800
    strict = search.judge_trials(done, Goal(search.STRICT_LOST, 10))
    assert (strict.lower, strict.upper, strict.rate) == (700, 800, 700)


def test_a_growing_queue_meets_no_goal():
    assert verdicts([trial(900, 900, queue_grew=True)] * 2) == {900: Bound.UPPER}


def test_lost_renewals_count():
    assert verdicts([trial(900, 900, renew=Messages(100, 90))] * 2) == {900: Bound.UPPER}


def test_a_server_faster_than_perfdhcp_has_no_upper_bound():
    done = run_search(lambda rate: trial(rate, min(rate, 5000), kept_up=rate < 5000))
    finding = search.judge_trials(done, GOAL)
    assert finding.upper is None
    assert finding.load_limit >= 5000 > finding.lower
    assert "no upper bound, because perfdhcp cannot send" in str(finding)


def test_a_load_at_which_perfdhcp_falls_behind_later_is_not_measured():
    counts: dict[int, int] = {}

    def serve(rate: int) -> RateTrial:
        counts[rate] = counts.get(rate, 0) + 1
        return trial(rate, min(rate, 1000), kept_up=rate < 900 or counts[rate] < 3)

    done = run_search(serve)
    finding = search.judge_trials(done, GOAL)
    assert len(done) < search.MOST_TRIALS
    assert finding.lower < 900
    assert finding.upper is None
    assert finding.confirmed


def test_a_server_that_grants_nothing_has_no_rate():
    finding = search.judge_trials(run_search(lambda rate: trial(rate, 0)), GOAL)
    assert (finding.lower, finding.rate, finding.confirmed) == (None, None, False)
    assert "no rate was found; no lower bound" in str(finding)


def test_a_server_that_contradicts_itself_ends_the_search():
    draw = random.Random(4)
    for _ in range(50):
        done = run_search(lambda rate: trial(rate, rate * draw.choice((0.5, 1))))
        assert len(done) <= search.MOST_TRIALS
        finding = search.judge_trials(done, GOAL)
        if finding.upper and finding.lower:
            assert finding.lower < finding.upper


def test_the_confirming_trial_may_overturn_the_bound():
    done = trials((800, 0), (800, 0), (820, 0.1), (820, 0.1))
    assert search.next_rate(done, GOAL, 500) == 800
    assert search.next_rate([*done, *trials((800, 0))], GOAL, 500) is None
    done += trials((800, 0.1), (800, 0.1))
    assert search.next_rate(done, GOAL, 500) == 800
    done += trials((800, 0.1))
    assert search.next_rate(done, GOAL, 500) < 800


def test_the_members_of_a_goal_name_the_rules_of_the_search():
    done = trials((800, 0), (800, 0), (800, 0), (830, 0.1), (830, 0.1))
    assert search.judge_trials(done, GOAL).members() == {
        "max_lost": 0.025,
        "trial_s": 10,
        "duration_sum_s": 30,
        "exceed_ratio": 0.5,
        "width": 0.05,
        "lower": 800,
        "upper": 830,
        "rate": 800,
        "confirmed": True,
    }


def test_an_unanswered_trial_is_lost_as_a_whole():
    silent = replace(trial(900, 0), discover=Messages(0, 0), request=Messages(0, 0))
    assert silent.lost == 1
    assert not GOAL.is_met(silent)
