# SPDX-License-Identifier: ISC
"""dhcp: the search for the highest rate, on servers whose limit is known."""

from __future__ import annotations

import math
import random
import statistics
import sys
import unittest
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import dhcp_load
import dhcp_search
from dhcp_search import Goal, Verdict

GOAL = Goal(max_lost=0.025, trial_s=10)
SEARCHES = 300
Server = Callable[[int], dict]


def trial(offered: int, granted_per_s: float, **members: object) -> dict:
    return {"offered": offered, "granted_per_s": granted_per_s, "kept_up": True,
            "lost": 1 - granted_per_s / offered, "queue_grew": False, **members}


def trials(*pairs: tuple[int, float]) -> list[dict]:
    """Trials at a rate of which a share was lost."""
    return [trial(rate, rate * (1 - lost)) for rate, lost in pairs]


def noisy(draw: random.Random, capacity: float, noise: float, bursts: bool = False) -> Server:
    """A server whose capacity is lognormal in each trial; with bursts it works at half its speed in
    one second of ten, which its queue evens out."""
    def make(rate: int) -> dict:
        own = capacity * math.exp(draw.gauss(0, noise))
        if bursts:
            own *= statistics.fmean(0.5 if draw.random() < 0.1 else 1 for _ in range(10))
        return trial(rate, min(rate, own))
    return make


def search(server: Server, start: int = 500, goal: Goal = GOAL) -> list[dict]:
    made: list[dict] = []
    while (rate := dhcp_search.next_rate(made, goal, start)) is not None:
        made.append(server(rate))
    return made


def shares(noise: float, bursts: bool = False, seed: int = 1) -> tuple[list[float], list[int]]:
    """The rates that many searches find, by the true ones, and their numbers of trials."""
    draw, found, counts = random.Random(seed), [], []
    for _ in range(SEARCHES):
        capacity = math.exp(draw.uniform(math.log(300), math.log(30000)))
        made = search(noisy(draw, capacity, noise, bursts))
        counts.append(len(made))
        rate = dhcp_search.find(made, GOAL).rate
        if rate is not None:
            found.append(rate / capacity)
    return found, counts


class Bias(unittest.TestCase):
    """The random numbers have seeds, so that a test passes always or never."""

    def test_noise_does_not_make_a_server_look_faster_or_slower(self):
        for noise, bias in ((0, 0.01), (0.03, 0.01), (0.1, 0.01), (0.3, 0.03)):
            with self.subTest(noise=noise):
                found, counts = shares(noise)
                self.assertLessEqual(abs(statistics.median(found) - 1), bias)
                self.assertGreaterEqual(len(found), 0.97 * SEARCHES)
                self.assertLess(statistics.fmean(counts), 18)
                self.assertLessEqual(max(counts), dhcp_search.MOST_TRIALS)

    def test_seconds_at_half_the_speed(self):
        # One such second in ten leaves 95 %.
        for noise in (0, 0.03, 0.1):
            with self.subTest(noise=noise):
                found, _ = shares(noise, bursts=True)
                self.assertLessEqual(abs(statistics.median(found) / 0.95 - 1), 0.02)

    def test_servers_of_one_capacity_are_alike_whatever_their_noise(self):
        for first, second in ((0.03, 0.1), (0, 0.1), (0.03, 0.3)):
            with self.subTest(noise=(first, second)):
                medians = [statistics.median(shares(noise, seed=seed)[0])
                           for noise, seed in ((first, 2), (second, 3))]
                self.assertLessEqual(abs(medians[1] / medians[0] - 1), 0.02)

    def test_a_server_that_breaks_down_when_it_is_overloaded(self):
        for power in (1, 2):
            def server(rate: int, power: int = power) -> dict:
                return trial(rate, min(rate, 1000 * min(1, 1000 / rate) ** power))
            finding = dhcp_search.find(search(server), GOAL)
            self.assertLessEqual(abs(finding.rate / 1000 - 1), 0.03)

    def test_the_start_does_not_decide_the_result(self):
        for start in (1, 20, 500, 977, 1000, 1100, 5000, 100000):
            with self.subTest(start=start):
                made = search(lambda rate: trial(rate, min(rate, 1000)), start)
                finding = dhcp_search.find(made, GOAL)
                self.assertLessEqual(abs(finding.rate / 1000 - 1), 0.025)
                self.assertLessEqual(finding.upper, finding.lower * dhcp_search.WIDTH)
                self.assertTrue(finding.confirmed)


class Rules(unittest.TestCase):
    def verdicts(self, made: Sequence[dict], goal: Goal = GOAL) -> dict[int, Verdict]:
        return {load.rate: load.verdict() for load in dhcp_search.loads(made, goal)}

    def test_two_of_three_trials_decide_a_load(self):
        for losses, verdict in (((0,), Verdict.UNDECIDED), ((1,), Verdict.UNDECIDED),
                                ((0, 1), Verdict.UNDECIDED), ((0, 0), Verdict.LOWER),
                                ((1, 1), Verdict.UPPER), ((1, 0, 0), Verdict.LOWER),
                                ((0, 1, 1), Verdict.UPPER), ((0, 0, 1, 1), Verdict.UNDECIDED),
                                ((0, 0, 1, 1, 0), Verdict.LOWER), ((0, 0, 1, 1, 1), Verdict.UPPER)):
            made = trials(*((900, 0.1 * lost) for lost in losses))
            self.assertEqual(self.verdicts(made), {900: verdict}, losses)

    def test_the_relevant_lower_bound_is_below_the_smallest_failed_load(self):
        made = trials((800, 0), (800, 0), (900, 0.1), (900, 0.1), (1000, 0), (1000, 0), (1000, 0))
        finding = dhcp_search.find(made, GOAL)
        self.assertEqual((finding.lower, finding.upper, finding.rate), (800, 900, 800))
        self.assertFalse(finding.confirmed)

    def test_the_rate_is_the_median_of_what_was_granted_at_the_lower_bound(self):
        made = trials((800, 0.02), (800, 0.3), (800, 0.01), (900, 0.1), (900, 0.1))
        self.assertAlmostEqual(dhcp_search.find(made, GOAL).rate, 784)

    def test_the_same_trials_are_judged_by_another_goal(self):
        made = trials((700, 0), (700, 0), (800, 0.02), (800, 0.02), (900, 0.1), (900, 0.1))
        self.assertEqual(dhcp_search.find(made, GOAL).lower, 800)
        strict = dhcp_search.find(made, Goal(0.001, 10))
        self.assertEqual((strict.lower, strict.upper, strict.rate), (700, 800, 700))

    def test_a_growing_queue_meets_no_goal(self):
        made = [trial(900, 900, queue_grew=True)] * 2
        self.assertEqual(self.verdicts(made), {900: Verdict.UPPER})

    def test_renewals_that_are_lost_count(self):
        made = [trial(900, 900, renew={"sent": 100, "received": 90})] * 2
        self.assertEqual(self.verdicts(made), {900: Verdict.UPPER})

    def test_a_server_faster_than_perfdhcp_has_no_upper_bound(self):
        made = search(lambda rate: trial(rate, min(rate, 5000), kept_up=rate < 5000,
                                         lost=max(0, 1 - 5000 / rate)))
        finding = dhcp_search.find(made, GOAL)
        self.assertIsNone(finding.upper)
        self.assertGreaterEqual(finding.load_limit, 5000)
        self.assertLess(finding.lower, 5000)
        self.assertIn("no upper bound, because perfdhcp cannot send", finding.text())

    def test_a_load_that_perfdhcp_fails_at_later_is_not_measured(self):
        def server(rate: int, made: dict[int, int]) -> dict:
            made[rate] = made.get(rate, 0) + 1
            return trial(rate, min(rate, 1000), kept_up=rate < 900 or made[rate] < 3)
        counts: dict[int, int] = {}
        made = search(lambda rate: server(rate, counts))
        finding = dhcp_search.find(made, GOAL)
        self.assertLess(len(made), dhcp_search.MOST_TRIALS)
        self.assertLess(finding.lower, 900)
        self.assertIsNone(finding.upper)
        self.assertTrue(finding.confirmed)

    def test_a_server_that_grants_nothing_has_no_rate(self):
        finding = dhcp_search.find(search(lambda rate: trial(rate, 0)), GOAL)
        self.assertEqual((finding.lower, finding.rate, finding.confirmed), (None, None, False))
        self.assertIn("no rate was found; no lower bound", finding.text())

    def test_a_server_that_contradicts_itself_ends_the_search(self):
        draw = random.Random(4)
        for _ in range(50):
            made = search(lambda rate: trial(rate, rate * draw.choice((0.5, 1))))
            self.assertLessEqual(len(made), dhcp_search.MOST_TRIALS)
            finding = dhcp_search.find(made, GOAL)
            if finding.upper and finding.lower:
                self.assertLess(finding.lower, finding.upper)

    def test_the_confirming_trial_may_overturn_the_bound(self):
        made = trials((800, 0), (800, 0), (820, 0.1), (820, 0.1))
        self.assertEqual(dhcp_search.next_rate(made, GOAL, 500), 800)
        self.assertIsNone(dhcp_search.next_rate([*made, *trials((800, 0))], GOAL, 500))
        made += trials((800, 0.1), (800, 0.1))
        self.assertEqual(dhcp_search.next_rate(made, GOAL, 500), 800)
        made += trials((800, 0.1))
        self.assertLess(dhcp_search.next_rate(made, GOAL, 500), 800)


class Queue(unittest.TestCase):
    RUN = {"seconds": 12, "within_s": 2}

    def sending(self, granted: Sequence[int], total: int, rate: int = 1000) -> dict:
        """granted: of each second; total: at the end, when all that were late have come."""
        rows = [f"{rate * (i + 1)},{rate},{rate},{sum(granted[:i + 1])},0,0,0,0"
                for i in range(len(granted))]
        return dhcp_load.while_sending("\n".join(rows), rate, self.RUN, rate * 12, total)

    def test_a_server_that_keeps_up(self):
        self.assertEqual(self.sending([1000] * 12, 12000),
                         {"granted_per_s": 1000, "queue_grew": False})

    def test_a_queue_without_bounds_hides_an_overload(self):
        # Nobody waits for 2 s, so nobody is lost: the server looks 10 % faster than it is.
        self.assertEqual(self.sending([900] * 12, 12000),
                         {"granted_per_s": 900, "queue_grew": True})

    def test_a_few_clients_under_way_are_not_a_queue(self):
        self.assertFalse(self.sending([5] * 11 + [2], 60, rate=5)["queue_grew"])

    def test_lost_clients_are_not_a_queue(self):
        self.assertFalse(self.sending([980] * 12, 980 * 12)["queue_grew"])

    def test_a_queue_that_a_stall_left_and_that_shrinks(self):
        self.assertFalse(self.sending([500, *[1000] * 8, 1166, 1166, 1168], 12000)["queue_grew"])

    def test_lines_that_perfdhcp_printed_after_the_last_client(self):
        # A line is missing, so the twelfth is of the second after the end.
        self.assertEqual(dhcp_load.while_sending(
            "\n".join(f"{min(1000 * n, 12000)},0,0,{min(900 * n, 12000)},0,0,0,0"
                      for n in (1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13)), 1000, self.RUN, 12000,
            12000)["granted_per_s"], 900)


if __name__ == "__main__":
    unittest.main()
