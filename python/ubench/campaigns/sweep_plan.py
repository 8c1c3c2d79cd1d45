# SPDX-License-Identifier: ISC
"""The plan of a sweep, and the command line that asks for it."""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ubench import cli, paths
from ubench.campaigns.sweep_cells import (
    Axis,
    AxisKind,
    Cell,
    RunnerOptions,
    check_values,
    learn_options,
    make_cells,
    name_cells,
)
from ubench.errors import UsageError
from ubench.records.observation import DATABASE_SERVERS
from ubench.run import output
from ubench.run.passwords import refuse_passwords
from ubench.run.server_files import environment_names

NAME = "sweep"
USAGE = "[OPTION]... [RUNNER OPTION]... [@SWEEP]"
DESCRIPTION = r"""
Runs every combination of the given values on every store, in blocks of random
order, and appends each run to one file. To tell two configurations apart, use
scripts/duel instead.

A runner's option takes a list, and each of its values is combined with each
value of the other options: -t 1,4,16 -s yes,no makes six cells for a store. A
store that lacks an option ignores it; a cell that its runner refuses is left
out. \, is a comma within a value. --set (-o) takes NAME=VALUE,VALUE... and can be
repeated.
"""
EXAMPLE = "sweep -n 10k -r 5 --store mysql,pgsql -s yes,no -t 1,4"
ENDING = """
@SWEEP reads arguments from scripts/sweeps/SWEEP.sweep, or from the file SWEEP
if it has a slash: one option per line. # begins a comment. A line + begins
another matrix, whose cells run in the same blocks. Options of the sweep itself,
such as -r, stand in the first matrix. An option on the command line replaces
the file's, and --store selects among its stores.

For MySQL and PostgreSQL, sweep starts private servers. If -m, -P or
UBENCH_MYSQL_HOST (UBENCH_PGSQL_HOST) names a server, it uses that one.

The same command continues a sweep that was interrupted by ^C, or worse: no
finished run is lost or repeated. Runs that failed are tried again.

Exit status: 0 done, 1 a run failed, 2 usage, 3 a store gave a wrong answer,
130 or 143 interrupted.
"""
NULL_STORE = "null"  # measures the harness, so it takes part only if it is named
# Options of runners that concern a single run, or that the sweep itself sets.
NOT_FOR_SWEEPS = frozenset(
    [
        *("describe", "file", "help", "json", "label", "ledger", "list-options", "output"),
        *("password", "progress", "set", "turns", "verbose", "verify", "version"),
    ]
)
LABEL = "[A-Za-z0-9.:_-]{1,100}"


# ---- The plan


@dataclass(frozen=True)
class PlannedRun:
    """A run of a cell; block and position count from 1."""

    block: int
    position: int
    cell: Cell

    @property
    def place(self) -> tuple[int, int]:
        """What tells it from the other runs of the sweep."""
        return self.block, self.position


@dataclass(frozen=True)
class SweepPlan:
    """A sweep: what its command line asks for, with all that was left to chance."""

    arguments: tuple[str, ...]
    campaign: str
    order_seed: int
    blocks: int
    cells: tuple[Cell, ...]
    output: Path
    refused: tuple[str, ...] = ()  # reasons why cells are left out
    private: frozenset[str] = frozenset()  # stores with a private server
    restart: bool = False  # private servers start anew before each run
    dry_run: bool = False

    @property
    def folder(self) -> Path:
        """The sweep's own folder beside its output."""
        return Path(f"{self.output}.sweep")

    @property
    def runs(self) -> list[PlannedRun]:
        """All runs, in an order that the seed decides on every machine alike.

        Python promises the same numbers from random(), but not from shuffle().
        """
        chance = random.Random(self.order_seed)
        runs = []
        for block in range(1, self.blocks + 1):
            order = sorted(self.cells, key=lambda _: chance.random())
            runs += [PlannedRun(block, at, cell) for at, cell in enumerate(order, 1)]
        return runs


# ---- The command line


def axis_type(kind: AxisKind, name: str = "") -> Callable[[str], Axis]:
    """Return the type of an option that is an axis; without `name`: NAME=VALUE,VALUE..."""

    def read(text: str) -> Axis:
        if re.search(r"[\0-\x1f\x7f]", text):
            raise argparse.ArgumentTypeError("control characters are not for a sweep")
        own_name, values = (name, text) if name else cli.name_value(text)
        return Axis(kind, own_name, tuple(cli.comma_list(values)))

    return read


def make_parser(options: Mapping[str, RunnerOptions]) -> cli.Parser:
    """Return the parser; the options of runners are hidden, and come to `axes`."""
    parser = cli.Parser(NAME, USAGE, DESCRIPTION, example=EXAMPLE, ending=ENDING, brief=2)
    add = parser.add_argument
    add("sweep", nargs="?", help=cli.HIDDEN)
    add(
        "--store",
        metavar="LIST",
        type=cli.comma_list,
        action="append",
        help="stores [all whose runner is built, but not null]",
    )
    add(
        "-r",
        "--blocks",
        metavar="N",
        type=cli.whole_number(1, 1000),
        default=9,
        help="runs of each cell [%(default)s]",
    )
    add(
        "-O",
        "--output",
        metavar="FILE",
        type=output.output_file,
        help="file of results; leases of memfile and SQLite are kept beside it "
        "[sweep.jsonl, or SWEEP.jsonl]",
    )
    add(
        "--server-option",
        metavar="NAME=LIST",
        dest="axes",
        action="append",
        type=axis_type(AxisKind.SERVER),
        help="option of the private server, which is restarted with it; repeatable: "
        "shared_buffers=128MB,1GB",
    )
    add(
        "--restart-server",
        action="store_true",
        help="restart the private server before each run",
    )
    add(
        "--order-seed",
        metavar="N",
        type=cli.whole_number(1, 999999999),
        help="seed of the order in the blocks [random]",
    )
    add(
        "--campaign",
        metavar="NAME",
        type=cli.matching(LABEL, "1 to 100 letters, digits and .:_-"),
        help="name of this sweep, its label campaign [date and time]",
    )
    add("--dry-run", action="store_true", help="print the cells and their order, and exit")
    setting = axis_type(AxisKind.SETTING)
    add("-o", "--set", dest="axes", action="append", type=setting, help=cli.HIDDEN)
    add_runner_options(parser, options)
    parser.set_defaults(axes=[], store=[])
    return parser


def add_runner_options(parser: cli.Parser, options: Mapping[str, RunnerOptions]) -> None:
    """Add the options of all runners that a sweep can vary."""
    known = {name: option for runner in options.values() for name, option in runner.items()}
    for name, option in known.items():
        if name in NOT_FOR_SWEEPS:
            continue
        names = [f"--{name}"]
        if option.letter:
            names.insert(0, f"-{option.letter}")
        if option.takes_value:
            axis = axis_type(AxisKind.OPTION, name)
            parser.add_argument(
                *names, dest="axes", action="append", type=axis, help=cli.HIDDEN
            )
        else:
            flag = Axis(AxisKind.FLAG, name, ("yes",))
            parser.add_argument(
                *names, dest="axes", action="append_const", const=flag, help=cli.HIDDEN
            )


def read_sweep_file(word: str) -> list[list[str]]:
    """Read the words of each matrix of @SWEEP.

    A line that is not an option is not printed: the file can be another one, and private.
    """
    path = paths.sweep_list(word, "sweep")
    try:
        text = path.read_text("utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"{word}: cannot read {path}: {error.strerror}") from None
    matrices: list[list[str]] = [[]]
    lines = [line.strip() for line in text.splitlines()]
    for number, line in enumerate(lines, 1):
        if line == "+":
            matrices.append([])
        elif line.startswith("-"):
            matrices[-1] += [part.strip() for part in line.split(maxsplit=1)]
        elif line and not line.startswith("#"):
            raise UsageError(
                f"{word}: {path}: line {number} is not an option; expected options of a sweep, "
                "one per line"
            )
    if matrices == [[]]:
        raise UsageError(f"{word}: {path} is empty; expected options of a sweep, one per line")
    for matrix in matrices:
        refuse_passwords(matrix, is_client=True)
    return matrices


def read_matrices(parser: cli.Parser, words: Sequence[str], sweep: str) -> list[argparse.Namespace]:
    """Parse the matrices of a file, each with the words of the command line after its own."""
    own = [word for word in words if word != sweep]
    matrices = [parser.parse([*matrix, *own]) for matrix in read_sweep_file(sweep)]
    if any(matrix.sweep for matrix in matrices):
        raise UsageError(f"{sweep}: a file of a sweep names another one; expected options only")
    return matrices


def read_plan(words: Sequence[str]) -> SweepPlan:
    """Read the sweep that a command line asks for."""
    refuse_passwords(words, is_client=True)
    options = learn_options()
    parser = make_parser(options)
    typed = parser.parse(words)
    check_axes(typed.axes)
    if typed.sweep and not re.match("@.", typed.sweep):
        raise UsageError(f"'{typed.sweep}': unexpected argument; --help lists the options")
    matrices = read_matrices(parser, words, typed.sweep) if typed.sweep else [typed]
    groups = [
        (store, matrix.axes)
        for matrix in matrices
        for store in select_stores(list(options), matrix.store)
    ]
    if not groups:
        raise UsageError("--store: no store is left")
    first, axes = matrices[0], [axis for matrix in matrices for axis in matrix.axes]
    cells, refused = make_cells(options, groups, is_dry=first.dry_run)
    check_values(typed.axes, cells, refused)
    restart = first.restart_server or any(axis.kind is AxisKind.SERVER for axis in axes)
    return SweepPlan(
        arguments=tuple(words),
        campaign=first.campaign or time.strftime("%FT%TZ", time.gmtime()),
        order_seed=first.order_seed or random.randrange(1, 1 << 24),
        blocks=first.blocks,
        cells=name_cells(cells),
        output=first.output or default_output(typed.sweep),
        refused=tuple(sorted({refusal.reason for refusal in refused})),
        private=private_stores({store for store, _ in groups}, axes, restart),
        restart=restart,
        dry_run=first.dry_run,
    )


def default_output(sweep: str | None) -> Path:
    """Return the file for the results: SWEEP.jsonl of @SWEEP, else sweep.jsonl."""
    name = Path(sweep.removeprefix("@")).name.removesuffix(".sweep") if sweep else "sweep"
    return output.output_file(f"{name}.jsonl")


def check_axes(axes: Sequence[Axis]) -> None:
    """Raise UsageError for an option that the command line has twice."""
    keys = [axis.key for axis in axes]
    twice = next((axis for axis in axes if keys.count(axis.key) > 1), None)
    if twice:
        raise UsageError(f"'{twice.name}' is given twice; expected one list of its values")


def select_stores(built: Sequence[str], lists: Sequence[Sequence[str]]) -> list[str]:
    """Return the stores that are in all lists, or without a list all but null."""
    for names in lists:
        for name in names:
            if name not in built:
                raise UsageError(
                    f"--store: '{name}' is not one of those whose runner is built: "
                    f"{' '.join(built)}"
                )
            if names.count(name) > 1:
                raise UsageError(f"--store: {name} is given twice")
    if not lists:
        return [store for store in built if store != NULL_STORE]
    return [store for store in built if all(store in names for names in lists)]


# ---- Private servers


def private_stores(stores: set[str], axes: Sequence[Axis], restart: bool) -> frozenset[str]:
    """Return the stores that get a private server: nothing names another one."""
    servers = stores & set(DATABASE_SERVERS)
    is_named = any(axis.name in ("host", "port") for axis in axes)
    private = {store for store in servers if not is_named and not environment_names(store)}
    if restart and not servers:
        raise UsageError("--restart-server: none of the stores has a private server")
    if restart and private != servers:
        raise UsageError(
            "--restart-server, --server-option: a server that -m, -P, UBENCH_MYSQL_HOST and the "
            "like name is left alone"
        )
    return frozenset(private)
