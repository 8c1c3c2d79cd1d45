# SPDX-License-Identifier: ISC
"""How often the interval of a duel leaves out the true ratio, by simulation: docs/statistics.md
has what this prints.

    python3 -B -m report.tests.duel_errors 2000
"""

import functools
import random
import sys
from typing import NamedTuple
from unittest import mock

from report import duel, stats

NOISE = 0.05    # of a slice, as a logarithm
PROCESS = 0.02  # of a process, where there are rounds
LEAST_BLOCKS = 30  # of scripts/duel, before --precision may end it


class Rule(NamedTuple):
    """When a duel ends: at the latest after so many rounds of so many blocks."""
    text: str
    sides: int = 3  # A, its twin, and those that are compared with it
    blocks: int = 1000
    rounds: int = 1
    precision: float = 0
    least: int = LEAST_BLOCKS  # or rounds, if there are several


RULES = (
    *(Rule(f"{blocks} blocks", blocks=blocks) for blocks in (10, 30, 100, 300)),
    *(Rule(f"`--precision {of}%`", precision=of / 100) for of in (5, 2, 1)),
    Rule("`--precision 2%`, from 20 blocks on", precision=0.02, least=20),
    *(Rule(f"`--precision {of}%`, three sides against A", 5, precision=of / 100) for of in (5, 2)),
    *(Rule(f"{rounds} rounds", blocks=30, rounds=rounds) for rounds in (6, 10)),
    *(Rule(f"{least} to 20 rounds, `--precision {of}%`", blocks=10, rounds=20, precision=of / 100,
           least=least) for least, of in ((6, 5), (6, 2), (10, 2))),
)


# ---- The noise of the machine: a logarithm for each slice


def independent(chance):
    while chance:
        yield 0.0


def drift(chance):
    now = 0.0
    while True:
        now += chance.gauss(0, NOISE)
        yield now


def waves(chance):
    now = 0.0
    while True:
        now = 0.9 * now + chance.gauss(0, NOISE)
        yield now


def spikes(chance):
    while True:
        yield -0.7 if chance.random() < 0.05 else 0.0


def bursts(chance):
    """Half the speed for 5 to 60 slices, with some 300 between."""
    while True:
        yield from [0.0] * round(chance.expovariate(1 / 300))
        yield from [-0.7] * chance.randint(5, 60)


KINDS = (independent, drift, waves, spikes, bursts)


# ---- Duels


def blocks_of(rule, kind, chance):
    """The round of each block, and the logarithms of the two rates of each side."""
    order, levels = list(range(rule.sides)), kind(chance)
    for number in range(rule.rounds):
        own = [chance.gauss(0, PROCESS) if rule.rounds > 1 else 0 for _ in order]
        for _ in range(rule.blocks):
            chance.shuffle(order)
            logs = [[] for _ in order]
            for side in order + order[::-1]:
                logs[side].append(own[side] + next(levels) + chance.gauss(0, NOISE))
            yield number, logs


def hold(rule, blocks):
    """The number of blocks when scripts/duel ends a duel, and the interval of each side then; the
    logarithm of the true ratio is 0."""
    pairs, due = [[] for _ in range(rule.sides - 2)], rule.least
    for count, (number, logs) in enumerate(blocks, 1):
        for side, of in enumerate(pairs, 1):
            of.append((number, [logs[0], logs[-1], logs[side]]))
        rounds, rest = divmod(count, rule.blocks)
        is_due = count >= due if rule.rounds == 1 else not rest and rounds >= rule.least
        if rounds == rule.rounds or rule.precision and is_due:
            due = count * 1.02
            found = [stats.paired(*duel._judge(of)).interval for of in pairs]
            if rounds == rule.rounds or all(one.high - one.low <= 2 * rule.precision
                                            for one in found):
                return count, found
    return None


@mock.patch.object(stats, "t_quantile", functools.cache(stats.t_quantile))
def share_wrong(rule, kind, tries):
    found = [one for seed in range(tries) for one in hold(
        rule, blocks_of(rule, kind, random.Random(f"{rule.text} {kind.__name__} {seed}")))[1]]
    return sum(not one.low <= 0 <= one.high for one in found) / len(found)


def main(tries):
    print("| " + " | ".join(["a duel of", *(kind.__name__ for kind in KINDS)]) + " |")
    print("|---" + "|---:" * len(KINDS) + "|")
    for rule in RULES:
        print("| " + " | ".join([rule.text, *(f"{share_wrong(rule, kind, tries) * 100:.1f} %"
                                              for kind in KINDS)]) + " |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
