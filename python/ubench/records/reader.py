# SPDX-License-Identifier: ISC
"""Reads files of results.

Each line is decoded (`decoding`), checked by the schema of its format (`schema`) and made into an
observation, a duel or a crash by the adapter of its format. What C computed is trusted. A line that
cannot be used is complained of once, and left out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from ubench.errors import Problem, UsageError
from ubench.records import crash_lines, duel_lines, runner_lines, server_lines
from ubench.records.crash import Crash
from ubench.records.decoding import LONGEST_LINE, JsonObject, decode
from ubench.records.duel import Duel
from ubench.records.observation import Observation, Source
from ubench.records.schema import Damaged, checker
from ubench.terminal import plain

# Called with the place of a line that cannot be used, and a sentence without a full stop that says
# why: "the line is cut short: ...".
Complain = Callable[[Source, str], None]
Record = Observation | Duel | Crash

ADAPTERS: dict[str, Callable[[JsonObject, Source], Record]] = {
    "ubench-result/2": runner_lines.observe,
    "ubench-result/1": runner_lines.observe,
    "ubench-kea/1": server_lines.observe,
    "ubench-duel/1": duel_lines.duel,
    "ubench-crash/1": crash_lines.crash,
}


@dataclass(frozen=True)
class Records:
    """What some files hold, in the order of their lines."""

    observations: tuple[Observation, ...] = ()  # of runners and of whole DHCP servers
    duels: tuple[Duel, ...] = ()
    crashes: tuple[Crash, ...] = ()

    def all_observations(self) -> tuple[Observation, ...]:
        """Return the observations of lines, then those of the sides of duels that have samples.

        A twin measures the noise of its duel, and says nothing new of its configuration.
        """
        sides = [
            side.observation
            for duel in self.duels
            for side in duel.sides
            if side.observation is not None and side.observation.samples and not side.twin
        ]
        return (*self.observations, *sides)

    def __bool__(self) -> bool:
        """Return whether a line could be used."""
        return bool(self.observations or self.duels or self.crashes)


def read_records(files: Sequence[str], complain: Complain, buckets: bool = False) -> Records:
    """Return the records in these files; "-" is standard input.

    Of equal lines only the first counts. Histograms have buckets only if these are asked for,
    which takes twice as long. Raises Problem if a file cannot be read, UsageError if no file is
    named.
    """
    if not files:
        raise UsageError("no files were named; try: ./sqlite_ubench -O FILE")
    records: list[Record] = []
    first_places: dict[bytes, Source] = {}
    for name in files:
        for number, text in enumerate(_lines(name), 1):
            source = Source(name, number)
            try:
                record = read_line(text, source, buckets)
                first_place = first_places.setdefault(text, source)
                if first_place is not source:
                    raise Damaged(f"the line is the same as {first_place}")
                records.append(record)
            except Damaged as why:
                complain(source, plain(str(why)))
    return Records(
        tuple(record for record in records if isinstance(record, Observation)),
        tuple(record for record in records if isinstance(record, Duel)),
        tuple(record for record in records if isinstance(record, Crash)),
    )


def read_line(text: bytes, source: Source, buckets: bool = False) -> Record:
    """Return the record of one line. Raises Damaged."""
    line = decode(text, buckets)
    form = line["format"]
    if form not in ADAPTERS:
        known = ", ".join(ADAPTERS)
        raise Damaged(f"the format is '{form[:80]}'; expected one of {known}")
    checker(form)(line)
    return ADAPTERS[form](line, source)


def nothing_in(files: Sequence[str]) -> Problem:
    """Return the problem of files without a line that the command can use."""
    others = " and the other files" if len(files) > 1 else ""
    return Problem(f"there are no results in {files[0]}{others}; scripts/bench.sh measures some")


def _lines(name: str) -> Iterator[bytes]:
    """Yield the lines of a file, without their ends; an empty file has one empty line."""
    try:
        if name == "-":
            yield from _split(sys.stdin.buffer)
        else:
            with open(name, "rb") as stream:
                yield from _split(stream)
    except OSError as why:
        raise Problem(f"{name}: {why.strerror}") from None


def _split(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a stream; of one that is too long only enough to complain of it."""
    most = LONGEST_LINE + 2  # with its end
    is_empty = True
    for text in iter(lambda: stream.readline(most), b""):
        is_empty = False
        yield text.removesuffix(b"\n")
        rest = text
        while len(rest) == most and not rest.endswith(b"\n"):
            rest = stream.readline(most)
    if is_empty:
        yield b""
