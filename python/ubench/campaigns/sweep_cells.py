# SPDX-License-Identifier: ISC
"""The cells of a sweep: the combinations of values that the stores' runners accept."""

from __future__ import annotations

import functools
import itertools
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from ubench import paths
from ubench.errors import Problem, UsageError
from ubench.records.observation import DATABASE_SERVERS
from ubench.run import process
from ubench.run.input_files import with_absolute_paths

CELL_NAME_MAX = 190  # characters of a label
SETTINGS_DEPEND_ON = ("sync", "threads", "batch")  # options
REFUSED = 2  # exit status of a runner that cannot carry out its command line


# ---- Axes and cells


class AxisKind(Enum):
    """To whom the values of an axis are given, and how."""

    OPTION = "option"  # of the runner
    FLAG = "flag"  # of the runner, without a value
    SETTING = "setting"  # --set of the runner
    SERVER = "server"  # of the private server


@dataclass(frozen=True)
class Axis:
    """An option with the values to try."""

    kind: AxisKind
    name: str
    values: tuple[str, ...]

    @property
    def key(self) -> tuple[AxisKind, str]:
        """What two axes of the same option have in common."""
        return self.kind, self.name


@dataclass(frozen=True)
class Trait:
    """One value of an axis."""

    kind: AxisKind
    name: str
    value: str

    @property
    def word(self) -> str:
        """The word of the runner's command line, which runs in another folder."""
        words = {
            AxisKind.OPTION: f"--{self.name}={self.value}",
            AxisKind.FLAG: f"--{self.name}",
            AxisKind.SETTING: f"--set={self.name}={self.value}",
            AxisKind.SERVER: f"--label={self.name}={self.value}",
        }
        return with_absolute_paths([words[self.kind]])[0]


@dataclass(frozen=True)
class Cell:
    """A store with one combination of values."""

    store: str
    traits: tuple[Trait, ...]
    name: str = field(default="", compare=False)

    @property
    def words(self) -> list[str]:
        """The runner's options."""
        return [trait.word for trait in self.traits]

    @property
    def values(self) -> dict[str, str]:
        """The value of each axis."""
        return {trait.name: trait.value for trait in self.traits}

    def server_options(self) -> list[str]:
        """Return the options of its private server."""
        servers = (trait for trait in self.traits if trait.kind is AxisKind.SERVER)
        return [f"--{trait.name}={trait.value}" for trait in servers]


@dataclass(frozen=True)
class Refusal:
    """A cell that its runner does not accept, and why."""

    cell: Cell
    reason: str


# ---- What the runners understand


@dataclass(frozen=True)
class RunnerOption:
    """An option of a runner, as --describe has it."""

    name: str
    letter: str  # "" if it has none
    takes_value: bool


RunnerOptions = Mapping[str, RunnerOption]
"""The options of a runner by their names."""


def learn_options() -> dict[str, RunnerOptions]:
    """Ask every runner that is built for its options, by store; Problem if none is built."""
    options: dict[str, RunnerOptions] = {}
    for runner in sorted(paths.programs().glob("*_ubench")):
        store = runner.name.removesuffix("_ubench")
        done = process.capture([runner, "--describe"])
        if done.status != 0:
            raise Problem(f"{runner.name} is of another version; run: make")
        described = [
            RunnerOption(option["name"], option["letter"] or "", option["argument"] is not None)
            for option in json.loads(done.out)["options"]
        ]
        options[store] = {option.name: option for option in described}
    if not options:
        raise Problem(f"no runner is built in {paths.programs()}; run: make")
    return options


# ---- Making cells


def combine(store: str, options: RunnerOptions, axes: Sequence[Axis]) -> Iterator[Cell]:
    """Yield each combination of the values of the axes that a store has.

    An axis of the command line replaces that of the file, which comes before it.
    """
    last = {axis.key: axis for axis in axes if has_axis(store, options, axis)}
    lists = [
        [Trait(axis.kind, axis.name, value) for value in axis.values] for axis in last.values()
    ]
    for traits in itertools.product(*lists):
        yield Cell(store, traits)


def has_axis(store: str, options: RunnerOptions, axis: Axis) -> bool:
    """Return whether a store has an option; others ignore it."""
    if axis.kind is AxisKind.SERVER:
        return store in DATABASE_SERVERS
    if axis.kind is AxisKind.SETTING:
        return "set" in options
    return axis.name in options


def make_cells(
    options: Mapping[str, RunnerOptions],
    groups: Iterable[tuple[str, Sequence[Axis]]],
    *,
    is_dry: bool,
) -> tuple[list[Cell], list[Refusal]]:
    """Return the cells that the runners accept, and the others with their reasons."""
    cells = dict.fromkeys(
        cell for store, axes in groups for cell in combine(store, options[store], axes)
    )
    accepted: list[Cell] = []
    refused: list[Refusal] = []
    for cell in cells:
        reason = refusal_reason(cell, is_dry=is_dry)
        if reason is None:
            accepted.append(cell)
        else:
            refused.append(Refusal(cell, reason))
    return accepted, refused


def refusal_reason(cell: Cell, *, is_dry: bool) -> str | None:
    """Ask the runner why it does not accept a cell; None if it does.

    With --help after them, a runner only checks its options. Before a dry run, which is all that
    happens, the names of settings are checked as well.
    """
    done = process.capture([paths.runner(cell.store), *cell.words, "--help"])
    if done.status != 0:
        return process.first_error(done.err)
    settings = tuple(trait.word for trait in cell.traits if trait.kind is AxisKind.SETTING)
    if is_dry and settings and cell.store in ("memfile", "sqlite"):
        beside = tuple(trait.word for trait in cell.traits if trait.name in SETTINGS_DEPEND_ON)
        leases = cell.values.get("threads", "1")  # each thread needs one
        return refused_setting(cell.store, (*settings, *beside, f"--count={leases}"))
    return None


@functools.cache
def refused_setting(store: str, words: tuple[str, ...]) -> str | None:
    """Return the message of a short run that refuses its settings; None if it accepts them.

    A store in a file knows the names only when it is open.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [paths.runner(store), *words, "-v", "no"]
        done = process.capture(command, cwd=folder)
    return process.first_error(done.err) if done.status == REFUSED else None


def check_values(
    typed: Sequence[Axis], cells: Sequence[Cell], refused: Sequence[Refusal]
) -> None:
    """Raise UsageError for a typed value that no cell has: it is a mistake."""
    for name, value in [(axis.name, value) for axis in typed for value in axis.values]:
        if any(cell.values.get(name) == value for cell in cells):
            continue
        reasons = [
            refusal.reason for refusal in refused if refusal.cell.values.get(name) == value
        ]
        raise UsageError(reasons[0] if reasons else f"none of the stores has '{name}'")
    if not cells:
        raise Problem(f"no cell is left: {refused[0].reason}")


def varying_axes(cells: Sequence[Cell]) -> list[str]:
    """Return the names of the axes of which cells have different values."""
    names = dict.fromkeys(name for cell in cells for name in cell.values)
    return [name for name in names if len({cell.values.get(name) for cell in cells}) > 1]


def name_cells(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Give each cell a name: its store and the values that others do not share."""
    varying = varying_axes(cells)
    named = []
    for number, cell in enumerate(cells, 1):
        values = [f"{name}={value}" for name, value in cell.values.items() if name in varying]
        name = " ".join([cell.store, *values])
        short = name if len(name) <= CELL_NAME_MAX else f"{cell.store} cell {number}"
        named.append(replace(cell, name=short))
    return tuple(named)
