# SPDX-License-Identifier: ISC
"""Duels for tests: slices of sides whose rates are known, under the noise of a machine."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple
from typing import Any

import samples

from ubench.records.duel import Duel, Slice
from ubench.report.duel.statistics import DuelStatistics

NOISE = 0.05  # of a slice, as a logarithm
SECONDS = 1000  # of a slice


# ---- The noise of a machine: a logarithm for each slice

Noise = Callable[[random.Random], Iterator[float]]


def independent(_chance: random.Random) -> Iterator[float]:
    while True:
        yield 0.0


def drift(chance: random.Random) -> Iterator[float]:
    """A random walk."""
    now = 0.0
    while True:
        now += chance.gauss(0, NOISE)
        yield now


def waves(chance: random.Random) -> Iterator[float]:
    """Autoregressive noise."""
    now = 0.0
    while True:
        now = 0.9 * now + chance.gauss(0, NOISE)
        yield now


def spikes(chance: random.Random) -> Iterator[float]:
    """Half the speed in one slice of twenty."""
    while True:
        yield -0.7 if chance.random() < 0.05 else 0.0


def bursts(chance: random.Random) -> Iterator[float]:
    """Half the speed for 5 to 60 slices, with some 300 between."""
    while True:
        yield from [0.0] * round(chance.expovariate(1 / 300))
        yield from [-0.7] * chance.randint(5, 60)


KINDS: tuple[Noise, ...] = (independent, drift, waves, spikes, bursts)


# ---- Slices and lines


def make_slices(
    blocks: int,
    ratios: Sequence[float],
    seed: int,
    kind: Noise = independent,
    noise: float = NOISE,
    round_: int = 0,
) -> list[Slice]:
    """Slices of sides with these rates, in thousands; `kind` hits all of them, `noise` each."""
    chance = random.Random(seed)
    order = list(range(len(ratios)))
    levels = kind(chance)
    slices = []
    for _ in range(blocks):
        chance.shuffle(order)
        for side in (*order, *reversed(order)):
            rate = 1000 * ratios[side] * math.exp(next(levels) + chance.gauss(0, noise))
            slices.append(
                Slice(
                    side=side,
                    operations=round(rate * SECONDS),
                    elapsed_ns=SECONDS * 10**9,
                    cpu_ns=round(5e8 * rate),
                    server_cpu_ns=None,
                    syncs=round(rate),
                    p50_ns=round(1e9 / rate),
                    p99_ns=None,
                    round=round_,
                )
            )
    return slices


def make_line(slices: Sequence[Slice], **members: Any) -> samples.Line:
    """A duel's line; of three sides or more the last one is A's twin."""
    sides = max(turn.side for turn in slices) + 1
    rows = [list(astuple(turn)) for turn in slices]
    return fit(samples.duel(rows, sides, twin=sides > 2, **members))


def fit(line: samples.Line) -> samples.Line:
    """The same line, with results that have the sums of their slices in the last round."""
    line = json.loads(json.dumps(line))  # results of their own
    last = line["slices"][-1][9]
    for number, side in enumerate(line["sides"]):
        rows = [row for row in line["slices"] if row[0] == number and row[9] == last]
        run = side["result"]["runs"][0]
        run["turns"] = len(rows)
        operations, elapsed_ns = sum(row[1] for row in rows), sum(row[2] for row in rows)
        run["phases"][0].update(operations=operations, elapsed_ns=elapsed_ns)
        run["phases"][0]["rate_per_s"] = operations * 1e9 / elapsed_ns
    return line


def read(line: samples.Line) -> Duel:
    """The duel that a line is read as."""
    duel = samples.parse(line)
    assert isinstance(duel, Duel)
    return duel


def statistics(slices: Sequence[Slice]) -> DuelStatistics:
    """The statistics of slices; of three sides or more the last one is A's twin."""
    sides = max(turn.side for turn in slices) + 1
    return DuelStatistics([sides > 2 and side == sides - 1 for side in range(sides)], slices)
