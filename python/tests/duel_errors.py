# SPDX-License-Identifier: ISC
"""How often the interval of a duel leaves out the true ratio, by simulation.

docs/statistics.md has what this prints:

    PYTHONPATH=python python3 python/tests/duel_errors.py 2000
"""

from __future__ import annotations

import functools
import random
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from duel_samples import KINDS, NOISE, Noise

from ubench import stats
from ubench.campaigns.duel_turns import LEAST_BLOCKS
from ubench.report.duel.statistics import ComparedBlock, Logs, ratio_logs

PROCESS = 0.02  # the noise of a process, as a logarithm, where there are rounds

quantile = functools.cache(stats.t_quantile)


@dataclass(frozen=True)
class Rule:
    """When a duel ends: at the latest after so many rounds of so many blocks."""

    text: str
    sides: int = 3  # A, its twin, and those that are compared with it
    blocks: int = 1000
    rounds: int = 1
    precision: float = 0
    least: int = LEAST_BLOCKS  # or rounds, if there are several


RULES = (
    *(Rule(f"{blocks} blocks", blocks=blocks) for blocks in (10, 30, 100, 300)),
    *(Rule(f"`--precision {percent}%`", precision=percent / 100) for percent in (5, 2, 1)),
    Rule("`--precision 2%`, from 20 blocks on", precision=0.02, least=20),
    Rule("`--precision 5%`, three sides against A", 5, precision=0.05),
    Rule("`--precision 2%`, three sides against A", 5, precision=0.02),
    *(Rule(f"{rounds} rounds", blocks=30, rounds=rounds) for rounds in (6, 10)),
    Rule("6 to 20 rounds, `--precision 5%`", 3, 10, 20, 0.05, 6),
    Rule("6 to 20 rounds, `--precision 2%`", 3, 10, 20, 0.02, 6),
    Rule("10 to 20 rounds, `--precision 2%`", 3, 10, 20, 0.02, 10),
)

SimulatedBlock = tuple[int, list[Logs]]
"""The number of a block's round, and the logarithms of the two rates of each side."""


def blocks_of(rule: Rule, kind: Noise, chance: random.Random) -> Iterator[SimulatedBlock]:
    order, levels = list(range(rule.sides)), kind(chance)
    for number in range(rule.rounds):
        processes = [chance.gauss(0, PROCESS) if rule.rounds > 1 else 0 for _ in order]
        for _ in range(rule.blocks):
            chance.shuffle(order)
            logs: list[list[float]] = [[] for _ in order]
            for side in (*order, *reversed(order)):
                logs[side].append(processes[side] + next(levels) + chance.gauss(0, NOISE))
            yield number, [(first, second) for first, second in logs]


def hold(rule: Rule, blocks: Iterable[SimulatedBlock]) -> tuple[int, list[stats.Interval]]:
    """The number of blocks when a duel ends, and the interval of each side then; the logarithm of
    the true ratio is 0."""
    compared: list[list[ComparedBlock]] = [[] for _ in range(rule.sides - 2)]
    due = rule.least
    for count, (number, logs) in enumerate(blocks, 1):
        for side, known in enumerate(compared, 1):
            known.append(ComparedBlock(number, (logs[0], logs[-1]), logs[side]))
        rounds, rest = divmod(count, rule.blocks)
        is_due = count >= due if rule.rounds == 1 else not rest and rounds >= rule.least
        if rounds < rule.rounds and not (rule.precision and is_due):
            continue
        due = count * 1.02
        intervals = [stats.paired(*ratio_logs(known)).interval for known in compared]
        is_known = all(each and each.high - each.low <= 2 * rule.precision for each in intervals)
        if rounds == rule.rounds or is_known:
            return count, [interval for interval in intervals if interval]
    raise ValueError("the duel has too few blocks")


def share_wrong(rule: Rule, kind: Noise, tries: int) -> float:
    """The share of intervals without the true ratio."""
    intervals: list[stats.Interval] = []
    for seed in range(tries):
        chance = random.Random(f"{rule.text} {kind.__name__} {seed}")
        intervals += hold(rule, blocks_of(rule, kind, chance))[1]
    return sum(not each.low <= 0 <= each.high for each in intervals) / len(intervals)


def main(tries: int) -> None:
    print("| " + " | ".join(["a duel of", *(kind.__name__ for kind in KINDS)]) + " |")
    print("|---" + "|---:" * len(KINDS) + "|")
    for rule in RULES:
        shares = [f"{share_wrong(rule, kind, tries) * 100:.1f} %" for kind in KINDS]
        print("| " + " | ".join([rule.text, *shares]) + " |", flush=True)


if __name__ == "__main__":
    stats.t_quantile = quantile
    main(int(sys.argv[1]))
