# SPDX-License-Identifier: ISC
"""Lines of duels: ubench-duel/1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ubench.records.duel import Duel, Side, Slice, whole_blocks
from ubench.records.members import Line
from ubench.records.observation import Amount, Block, How, Observation, Origin, Sample, Source
from ubench.records.runner_lines import leases, observe
from ubench.records.schema import Damaged, checker

# Places of a slice's numbers that may be null: server_cpu_ns, syncs, p50_ns, p99_ns, log_bytes,
# instructions, server_instructions, cycles, switches.
MAY_BE_UNKNOWN = frozenset((4, 5, 6, 7, *range(10, 15)))


def duel(line: Line, source: Source) -> Duel:
    """Return the duel of a line that its schema accepts.

    Raises Damaged if the slices are not those of these sides, in blocks and rounds.
    """
    check_sides(line["sides"])
    count = len(line["sides"])
    slices = tuple(slice_of(row, number) for number, row in enumerate(line["slices"]))
    check_blocks(slices, count, line["incomplete"])
    campaign, seed = f"duel {line['started_at']}", str(line["seed"])
    parts = [
        SliceGroup(number, Block(campaign, seed, str(number + 1)), part)
        for number, part in enumerate(rounds_or_blocks(whole_blocks(slices, count)))
    ]
    sides = []
    for number, members in enumerate(line["sides"]):
        observation = observe_side(members["result"], number, source)
        if observation is not None and not line.get("valgrind"):
            observation = replace(observation, samples=side_samples(observation, parts))
        sides.append(
            Side(
                name=members["name"],
                command=members["command"],
                twin=members["twin"],
                server=members["server"],
                observation=observation,
            )
        )
    return Duel(
        source=source,
        started_at=line["started_at"],
        label=line["label"],
        incomplete=line["incomplete"],
        slice_ms=line["slice_ms"],
        time_s=line["time_s"],
        sides=tuple(sides),
        slices=slices,
        valgrind=line.get("valgrind", False),
    )


def slice_of(row: Sequence[Any], number: int) -> Slice:
    """Return the slice of a row of numbers.

    Raises Damaged if one that must be known is null, or if the slice took no time.
    """
    if any(value is None and place not in MAY_BE_UNKNOWN for place, value in enumerate(row)):
        raise Damaged("has null where a number is expected", f".slices[{number}]")
    made = Slice(*row)
    if made.elapsed_ns == 0:
        raise Damaged("took no time", f".slices[{number}]")
    return made


# ---- Damage that a schema cannot see


def check_sides(sides: Sequence[Line]) -> None:
    """Check that at most one side is a twin, and not the first. Raises Damaged."""
    if sides[0]["twin"] or sum(side["twin"] for side in sides) > 1:
        raise Damaged("the first side, or several, are twins", ".sides")


def check_blocks(slices: Sequence[Slice], sides: int, incomplete: bool) -> None:
    """Check the order of the slices. Raises Damaged.

    Each block has all sides in an order and then in its reverse, and rounds are 0, 1, 2 and so on.
    The last block of an interrupted duel may be cut short.
    """
    size = 2 * sides
    allowed = {0}  # numbers of the next block's round
    for start in range(0, len(slices), size):
        block = slices[start : start + size]
        place = f".slices[{start}]"
        order = [each.side for each in block]
        if max(order) >= sides:
            raise Damaged("the block has an unknown side", place)
        if len(block) < size and not incomplete:
            raise Damaged("the last block is cut short, and the duel is complete", place)
        if len(block) == size and (len({*order[:sides]}) != sides or order != order[::-1]):
            raise Damaged("the block has not each side twice, in an order and its reverse", place)
        rounds = {each.round for each in block}
        if len(rounds) > 1 or not rounds <= allowed:
            raise Damaged("the rounds are not 0, 1, 2 and so on, of whole blocks each", place)
        allowed = {block[0].round, block[0].round + 1}


# ---- Sides


def observe_side(result: Line | None, number: int, source: Source) -> Observation | None:
    """Return the observation of a side's run, without samples; None if the side was interrupted."""
    if result is None:
        return None
    try:
        checker(result["format"])(result)
    except Damaged as why:
        raise why.inside(f".sides[{number}].result") from None
    return replace(observe(result, source), origin=Origin.DUEL, side=number, samples=())


# ---- Samples


@dataclass(frozen=True)
class SliceGroup:
    """The slices of a block or of a round, of all sides or of one."""

    number: int  # from 0
    block: Block
    slices: Sequence[Slice]

    def of_side(self, side: int | None) -> SliceGroup:
        """Return the same part with the slices of one side."""
        return replace(self, slices=[each for each in self.slices if each.side == side])

    @property
    def operations(self) -> int:
        """The operations of all slices."""
        return sum(each.operations for each in self.slices)

    @property
    def elapsed_ns(self) -> int:
        """The time of all slices."""
        return sum(each.elapsed_ns for each in self.slices)


def rounds_or_blocks(blocks: Sequence[Sequence[Slice]]) -> list[list[Slice]]:
    """Return the slices of each block or, if there are several rounds, of each round."""
    if not blocks or blocks[-1][0].round == 0:
        return [list(block) for block in blocks]
    rounds: dict[int, list[Slice]] = {}
    for block in blocks:
        rounds.setdefault(block[0].round, []).extend(block)
    return list(rounds.values())


def side_samples(observation: Observation, parts: Sequence[SliceGroup]) -> tuple[Sample, ...]:
    """Return the rates of a side in each block or round.

    Sides of one block worked at the same time, as the runs of a campaign's block did. A mix of
    exchanges has no samples, since slices do not tell these apart.
    """
    run = observation.runs[0]
    if run.incomplete or len(run.phases) != 1:
        return ()
    own = [part.of_side(observation.side) for part in parts]
    operations = sum(part.operations for part in own)
    elapsed_ns = sum(part.elapsed_ns for part in own)
    return tuple(
        Sample(
            name=run.phases[0].name,
            rate=part.operations * 1e9 / part.elapsed_ns,
            how=How.ALONE,
            operations=part.operations,
            elapsed_s=part.elapsed_ns / 1e9,
            leases=leases(run, observation.load),
            run=part.number,
            block=part.block,
            amount=Amount(operations, elapsed_ns / 1e9),
        )
        for part in own
    )
