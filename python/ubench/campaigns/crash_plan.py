# SPDX-License-Identifier: ISC
"""What to crash: cells of crash.cells, at levels, with the controls of these levels."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ubench import paths
from ubench.errors import UsageError
from ubench.records.observation import DATABASE_SERVERS

NAME = "crash"  # of the program
PRELOAD = "libeatmydata"


@dataclass(frozen=True)
class Control:
    """What the campaign knows beforehand of a cell: that it loses, or keeps, at some levels."""

    text: str = ""  # "loses at 2 3", or "" for a cell that is no control
    must_lose: bool = False
    levels: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Control:
        """Read a control as crash.cells has it."""
        begin, _, levels = text.partition(" at ")
        return cls(text, begin == "loses", tuple(levels.split()))


@dataclass(frozen=True)
class ServerOptions:
    """How a cell's private server is started."""

    standbys: int = 0
    nodes: int = 0
    delay: str = ""
    lies_about_syncs: bool = False  # fsync succeeds, and nothing is on the disk
    own: tuple[str, ...] = ()  # options of the server itself

    @classmethod
    def parse(cls, text: str) -> ServerOptions:
        """Read options as crash.cells has them. Raises ValueError."""
        words, _, own = f"{text} ".partition("-- ")
        values = {"--standbys": "0", "--nodes": "0", "--delay": ""}
        rest = words.split()
        lies = rest[:1] == [PRELOAD]
        rest = rest[1:] if lies else rest
        for name, value in zip(rest[::2], rest[1::2], strict=True):
            if name not in values:
                raise ValueError(f"unknown option of a server: {name}")
            values[name] = value
        return cls(
            standbys=int(values["--standbys"]),
            nodes=int(values["--nodes"]),
            delay=values["--delay"],
            lies_about_syncs=lies,
            own=tuple(own.split()),
        )


@dataclass(frozen=True)
class CrashCell:
    """A store with its settings, and the levels at which it can be crashed."""

    name: str
    store: str
    levels: tuple[str, ...]
    control: Control
    options: tuple[str, ...]  # of the runner
    server: ServerOptions

    @property
    def is_server(self) -> bool:
        """Whether a database server keeps the leases."""
        return self.store in DATABASE_SERVERS

    @property
    def is_quick(self) -> bool:
        """Whether its changes follow each other at once, and none of them waits for a server."""
        return not self.is_server and "--pace" not in self.options

    @property
    def runner(self) -> Path:
        """The program of its store."""
        return paths.runner(self.store)

    @property
    def is_built(self) -> bool:
        """Whether that program exists."""
        return os.access(self.runner, os.X_OK)


@dataclass(frozen=True)
class CrashPlan:
    """A campaign of crashes."""

    runs: tuple[tuple[CrashCell, str], ...]  # cells, each at one level
    crashes: int | None  # for each run; None: 20, or 59 if the cell is called power-safe
    seed: int
    output: Path
    memory: Path  # a folder in memory, which outlives the crashes


def read_cells() -> list[CrashCell]:
    """Return the cells of crash.cells."""
    text = paths.data("crash.cells").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [_cell(line) for line in lines]


def _cell(line: str) -> CrashCell:
    name, store, levels, control, options, server = (part.strip() for part in line.split("|"))
    return CrashCell(
        name=name,
        store=store,
        levels=tuple(levels.split()),
        control=Control.parse(control),
        options=tuple(options.split()),
        server=ServerOptions.parse(server),
    )


def matching_cells(patterns: Sequence[str], cells: Sequence[CrashCell]) -> list[CrashCell]:
    """Return the cells that patterns name; all if there are none. Raises UsageError."""
    asked = []
    for pattern in patterns or ["*"]:
        matching = [cell for cell in cells if fnmatch.fnmatchcase(cell.name, pattern)]
        if not matching:
            raise UsageError(f"'{pattern}' is not a cell; --list names them")
        asked += matching
    return asked


def choose_cells(
    levels: Sequence[str], asked: Sequence[CrashCell], cells: Sequence[CrashCell]
) -> Iterator[tuple[CrashCell, str]]:
    """Yield the asked cells at these levels, and the controls of the levels.

    A control that is a server belongs to campaigns that ask for that kind of server. Stores
    without a runner are left out.
    """
    stores = {cell.store for cell in asked}
    for cell in cells:
        if not cell.is_built:
            continue
        is_control = not cell.is_server or cell.store in stores
        for level in cell.levels:
            is_asked = cell in asked or (is_control and level in cell.control.levels)
            if level in levels and is_asked:
                yield cell, level
