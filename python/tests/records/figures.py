# SPDX-License-Identifier: ISC
"""The figures that a file of results is read as, in a few rows that a test can compare.

data/figures/ has these rows of all files published in 2026-11, as another implementation of the
reader read them. test_figures.py compares; this program prints the rows of a file:

    PYTHONPATH=python python3 python/tests/records/figures.py results/guide-2012.jsonl

Rows of an observation, a duel and the crashes of a cell:

    LINE[.SIDE] STORE CLASS SAMPLES RATES LEASES HISTOGRAMS CHECKSUM
    LINE duel SIDES BLOCKS CHECKSUM
    CELL | LEVEL | CLASS | VERDICT: CRASHES WINDOW_NS WINDOW_OPERATIONS RECOVERY_NS

RATES and LEASES are sums over the samples, HISTOGRAMS the sum of all figures of all histograms, or
of the figures of a server's trials. The checksum is of the configuration, or of the slices.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from ubench.records.crash import Crash
from ubench.records.duel import Duel, whole_blocks
from ubench.records.histogram import Histogram
from ubench.records.observation import Lost, Observation, Run, Source
from ubench.records.reader import read_records

FOLDER = Path(__file__).parents[1] / "data" / "figures"


def rows(file: str) -> list[str]:
    """The rows of a file, of which every line can be read."""

    def refuse(source: Source, sentence: str) -> None:
        raise AssertionError(f"{source}: {sentence}")

    records = read_records([file], refuse)
    return [
        *(observation_row(each) for each in records.all_observations()),
        *(duel_row(each) for each in records.duels),
        *crash_rows(records.crashes),
    ]


def checksum(texts: Iterable[object]) -> str:
    return f"{zlib.crc32(chr(10).join(map(str, texts)).encode()):08x}"


def observation_row(observation: Observation) -> str:
    place = str(observation.source.line)
    if observation.side is not None:
        place += f".{observation.side}"
    rates = sum(sample.rate for sample in observation.samples)
    leases = sum(sample.leases for sample in observation.samples)
    cls = observation.cls.value if observation.cls else "-"
    return (
        f"{place} {observation.store} {cls} {len(observation.samples)} {rates:.7g} {leases} "
        f"{times(observation):.9g} {checksum(configuration(observation))}"
    )


def times(observation: Observation) -> float:
    if observation.server is None:
        return sum(
            value
            for run in observation.runs
            for histogram in histograms(run)
            for value in figures(histogram)
        )
    total = sum(goal.rate or 0 for goal in observation.server.goals)
    for trial in observation.server.trials:
        total += trial.sent + trial.granted + (trial.cost_us("server") or 0)
    return total


def histograms(run: Run) -> Iterator[Histogram | None]:
    for phase in run.phases:
        yield from (phase.latency, phase.commit, *(step.latency for step in phase.steps))
    for trial in run.open_loop.trials if run.open_loop else ():
        yield from (trial.response, trial.service, trial.lag)


def figures(histogram: Histogram | None) -> Iterator[float]:
    if histogram is not None:
        yield from (value for value in histogram.quantiles_ns.values() if value is not None)
        yield from (histogram.figure(name) for name in ("min", "mean", "sd", "max"))


def configuration(observation: Observation) -> Iterator[object]:
    durability, load = observation.durability, observation.load
    for lost in (durability.kill, durability.power, durability.node_loss):
        yield loss(lost)
    for each in durability.settings:
        yield f"{each.name}={each.value} {each.label} {each.decisive}"
    yield durability.basis
    yield from (observation.product.name, observation.product.version, observation.keeper)
    yield from (load.family, load.threads, load.batch, load.preload, load.exchanges, load.open)
    yield from (load.levels, load.reference, load.server_time)
    yield from (f"{warning.code}: {warning.text}" for warning in observation.warnings)
    yield from (f"{name}={value}" for name, value in observation.parameters.items())
    yield from (f"{name}={value}" for name, value in observation.facts.items())


def loss(lost: Lost | None) -> str:
    return f"{lost.loss.value} {lost.window_s}" if lost else "-"


def duel_row(duel: Duel) -> str:
    slices = (
        f"{each.side} {each.operations} {each.elapsed_ns} {each.cpu_ns} {each.server_cpu_ns} "
        f"{each.syncs} {each.p50_ns} {each.p99_ns} {each.errors} {each.round} {each.log_bytes}"
        for each in duel.slices
    )
    sides = len(duel.sides)
    blocks = len(whole_blocks(duel.slices, sides))
    return f"{duel.source.line} duel {sides} {blocks} {checksum(slices)}"


def crash_rows(crashes: Iterable[Crash]) -> list[str]:
    sums: dict[str, list[int]] = {}
    for crash in crashes:
        cls = crash.cls.value if crash.cls else "-"
        row = sums.setdefault(f"{crash.cell} | {crash.level} | {cls} | {crash.verdict}", [0] * 4)
        values = (1, crash.window_ns, crash.window_operations, crash.recovery_ns)
        for column, value in enumerate(values):
            row[column] += value or 0
    return [f"{cell}: {' '.join(map(str, row))}" for cell, row in sums.items()]


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print("\n".join(rows(argument)))
