# SPDX-License-Identifier: ISC
"""The command line of scripts/duel, and sets of duels in files."""

from __future__ import annotations

import argparse
import random
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ubench import cli, files, paths, units
from ubench.campaigns import duel_plan, duel_turns
from ubench.campaigns.duel_plan import DuelPlan
from ubench.errors import UsageError
from ubench.report.duel.gate import GATE_FIGURES, Gate
from ubench.report.duel.statistics import INSTRUCTIONS, RATE, Figure
from ubench.report.exports.ratios import ExportFiles, add_exports
from ubench.run import output, valgrind
from ubench.run.passwords import refuse_passwords
from ubench.units import SECOND_NS

NAME = "duel"
USAGE = """[OPTION]... -- COMMAND -- COMMAND [-- COMMAND]...
[OPTION]... -O FILE @NAME"""
DESCRIPTION = """
Lets two or more configurations work in turn, for short slices of time. Says how
much faster or slower each is than the first, A, and how sure that is. Other work
on the machine disturbs all of them alike, so a duel shows differences that
separate runs cannot show.

COMMAND is a runner with its options: -w says what it does. Commands may differ
in anything: options, program, store, host (ssh db1 mysql_ubench ...). Each has
files, or a private server, of its own. On a server that -m, -P or
UBENCH_MYSQL_HOST names, use -s server. There each command needs a database of
its own (-f), and A another one for its second copy, with _null at its end.

@NAME reads the options and commands of several duels, one per line, from
scripts/sweeps/NAME.duels, or from the file NAME if that has a slash. The options
before it apply to all of them. Duels that -O FILE already has are left out."""
EXAMPLE = (
    "duel --not-worse-than 5% -- old/pgsql_ubench -w dora -- ./pgsql_ubench -w dora"
)
ENDING = """
Exit status: 0 done, or a gate is passed; 1 a command failed; 2 usage; 3 a store
gave a wrong answer; 4 a gate is not passed; 5 a gate is undecided; 130 or 143
interrupted."""

TIME_NS = 180 * SECOND_NS
LONGEST_TIME_NS = 1200 * 3600 * SECOND_NS
PRECISION = 0.01
COUNTED_PRECISION = 0.002  # of instructions by valgrind
UNREACHABLE_PRECISION = 1e-9  # a precision that no duel reaches: a gate works for the whole time
SEED_MAX = 1 << 24  # of random ones


def make_parser() -> cli.Parser:
    """Return the parser of the options before the first command."""
    parser = cli.Parser(NAME, USAGE, DESCRIPTION, example=EXAMPLE, ending=ENDING)
    add_verdict_options(parser)
    add_work_options(parser)
    return parser


def add_verdict_options(parser: cli.Parser) -> None:
    """Add the options that say when a duel ends, what it is to show, and where that goes."""
    add = parser.add_argument
    share = cli.share(1e-9, 1 - 1e-9, "a share above 0 and below 1, such as 5%")
    add(
        "--time",
        metavar="TIME",
        type=cli.duration(1, LONGEST_TIME_NS),
        default=TIME_NS,
        help="total working time of all sides [3m]",
    )
    add(
        "--precision",
        metavar="SHARE",
        type=share,
        help="end earlier, as soon as each ratio is known to plus or minus this [1%%; with a "
        "gate: never]",
    )
    add(
        "--not-worse-than",
        metavar="SHARE",
        type=share,
        help="make a gate: no command may be worse than A by more; exit status: 0 passed, 4 worse, "
        "5 undecided",
    )
    add(
        "--figure",
        metavar="FIGURE",
        type=cli.choice(*GATE_FIGURES),
        help="figure for the gate and for files; rate, p50 (median time of an operation), "
        "processor (time of an operation, of runner and server) or instructions (of these, in "
        "user space, which is also the figure of the verdict) [rate]",
    )
    add(
        "-O",
        "--output",
        metavar="FILE",
        type=output.output_file,
        help="append the duel to FILE as one line",
    )
    add(
        "--junit",
        metavar="FILE",
        type=files.replaceable_file,
        help="write the gate's verdict for a build server",
    )
    add_exports(parser)


def add_work_options(parser: cli.Parser) -> None:
    """Add the options that say how the sides work."""
    add = parser.add_argument
    slice_ns = cli.duration(10**6, 600 * SECOND_NS)
    add(
        "--slice",
        metavar="TIME",
        type=slice_ns,
        help="length of a slice [the time of 100 operations, at least 100ms]",
    )
    add(
        "--rounds",
        metavar="N",
        type=cli.whole_number(1, 1000),
        help="start all runners and private servers at least N times, because no two processes are "
        "quite alike [10; with private servers 6; with other servers 1]",
    )
    add(
        "--valgrind",
        action="store_true",
        help="count instructions with valgrind, exactly, also where the processor's counters "
        "cannot be used; for stores in the runner's process, whose -n is the number of "
        "operations in a slice [50]",
    )
    add(
        "--settle",
        metavar="TIME",
        type=slice_ns,
        default=0,
        help="time of uncounted work before each slice [none]",
    )
    add(
        "--server",
        metavar="'KIND OPTION...'",
        action="append",
        default=[],
        help="options of the private servers, 'pgsql -c fsync=off'; once, or once per command",
    )
    add(
        "--no-null",
        action="store_true",
        help="do not run a second copy of A, which shows how small a difference counts",
    )
    add(
        "--seed",
        metavar="N",
        type=cli.whole_number(1, 999_999_999),
        help="seed of the order [random]",
    )
    add(
        "--label",
        metavar="NAME",
        type=cli.matching("[A-Za-z0-9.:_ -]{1,100}", "1 to 100 letters, digits, blanks and .:_-"),
        help="a name for the duel",
    )


@dataclass(frozen=True)
class DuelRequest:
    """A command line of one duel: its options and its commands, which fit each other."""

    options: argparse.Namespace
    commands: tuple[tuple[str, ...], ...]

    def plan(self) -> DuelPlan:
        """Return what the duel is to do. Raises UsageError if its sides do not fit each other."""
        options = self.options
        sides = duel_plan.plan_sides(self.commands, options.server, not options.no_null)
        if options.valgrind:
            sides = duel_plan.plan_counting(sides)
            valgrind.check_installed()
        gate = None
        if options.not_worse_than is not None:
            gate = Gate(options.not_worse_than, self.figure)
        return DuelPlan(
            sides=sides,
            time_s=options.time / SECOND_NS,
            precision=options.precision or self._usual_precision,
            slice_ms=options.slice // 10**6 if options.slice else None,
            settle_ms=options.settle // 10**6,
            rounds=options.rounds or duel_turns.default_rounds(sides, options.valgrind),
            seed=options.seed or random.randrange(1, SEED_MAX),
            label=options.label or "",
            output=options.output,
            gate=gate,
            junit=options.junit,
            figure=self.figure,
            exports=ExportFiles.from_options(options),
            valgrind=options.valgrind,
        )

    @property
    def figure(self) -> Figure:
        """The figure that the gate judges and files have."""
        if self.options.figure:
            return GATE_FIGURES[self.options.figure]
        return INSTRUCTIONS if self.options.valgrind else RATE

    @property
    def _usual_precision(self) -> float:
        if self.options.valgrind:
            return COUNTED_PRECISION
        return PRECISION if self.options.not_worse_than is None else UNREACHABLE_PRECISION


def read_request(words: Sequence[str]) -> DuelRequest:
    """Read the command line of one duel. Raises UsageError."""
    typed, commands = split_commands(words)
    refuse_passwords(typed)
    options = make_parser().parse(typed)
    for command in commands:
        refuse_passwords(command)
    check_options(options, commands)
    return DuelRequest(options, commands)


def split_commands(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the options, and the words of each command after its --."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word == "--":
            parts.append([])
        else:
            parts[-1].append(word)
    options, *commands = map(tuple, parts)
    return options, tuple(commands)


def check_options(options: argparse.Namespace, commands: Sequence[Sequence[str]]) -> None:
    """Raise UsageError if options do not fit each other, or the number of commands."""
    count, most = len(commands), duel_plan.SIDES_MAX
    if count < 2 or not all(commands):
        raise UsageError(f"{count} command(s); expected two or more, each after --")
    if count > most:
        raise UsageError(f"{count} commands; expected at most {most}")
    if len(options.server) not in (0, 1, count):
        raise UsageError(
            f"--server is given {len(options.server)} times; expected once for all commands, or "
            f"once for each of the {count}"
        )
    if options.not_worse_than is None:
        if options.junit:
            raise UsageError("--junit: it has the verdict of a gate; add --not-worse-than SHARE")
        is_of_verdict = options.figure == INSTRUCTIONS.name
        if options.figure and not is_of_verdict and not ExportFiles.from_options(options):
            raise UsageError(
                "--figure is what a gate judges and --bencher or --action-benchmark writes; add "
                "one of them, such as --not-worse-than SHARE"
            )
    if options.valgrind:
        check_counting(options)
    slices = duel_turns.SLICES_MAX - 4 * most
    if options.slice and options.time > options.slice * slices:
        raise UsageError(
            f"--slice: {units.duration_text(options.slice)} gives more than "
            f"{duel_turns.SLICES_MAX} slices in --time {units.duration_text(options.time)}; "
            "expected longer slices, or a shorter time"
        )


def check_counting(options: argparse.Namespace) -> None:
    """Raise UsageError if options do not fit --valgrind."""
    if options.figure not in (None, INSTRUCTIONS.name):
        raise UsageError(
            f"--figure={options.figure} cannot be used with --valgrind, which counts instructions "
            "and makes times useless; leave one of them out"
        )
    for name in ("slice", "settle"):
        if getattr(options, name):
            raise UsageError(
                f"--{name} cannot be used with --valgrind, whose slices have as many operations "
                "as -n of the commands says"
            )


# ---- Sets of duels


def names_set(words: Sequence[str]) -> bool:
    """Say whether a command line ends with the @NAME of a set.

    A word like that after "--" is of a runner: -w @FILE.
    """
    return bool(words) and words[-1].startswith("@") and "--" not in words


def read_set(words: Sequence[str]) -> list[DuelRequest]:
    """Read the duels of @NAME, the last word, that the output does not have yet.

    Raises UsageError. A line that is not a duel is never printed: the file may be another one, and
    private.
    """
    *typed, name = words
    refuse_passwords(typed)
    path = paths.sweep_list(name, "duels")
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"{name}: cannot read '{path}': {error.strerror}") from None
    requests = []
    for number, line in _joined_lines(text):
        place = f"{name}: '{path}', line {number}"
        try:
            own = shlex.split(line, comments=True)
        except ValueError as error:
            raise UsageError(f"{place}: {error}") from None
        if not own:
            continue
        if not own[0].startswith("-") or "--" not in own:
            raise UsageError(f"{place}: not a duel; expected OPTION... -- COMMAND -- COMMAND")
        end = own.index("--")
        requests.append(read_request([*own[:end], *typed, *own[end:]]))
    output_path = _check_set(f"{name}: '{path}'", requests)
    done = {
        line.get("label")
        for line in output.read_objects(output_path)
        if not line.get("incomplete")
    }
    return [request for request in requests if request.options.label not in done]


def _joined_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines, with those that end with a backslash joined to the next; and their numbers."""
    first = 1
    for line in re.split(r"(?<!\\)\n", text):
        yield first, line.replace("\\\n", " ")
        first += line.count("\n") + 1


def _check_set(place: str, requests: Sequence[DuelRequest]) -> Path:
    """Return the output of a set of duels. Raises UsageError if they are not one."""
    labels = [request.options.label for request in requests]
    if not labels or not all(labels) or len(set(labels)) < len(labels):
        raise UsageError(f"{place}: expected a duel per line, each with a --label of its own")
    path: Path | None = requests[0].options.output
    if path is None:
        raise UsageError(f"{place}: add -O FILE, for the lines of the duels")
    if any(ExportFiles.from_options(request.options) for request in requests):
        raise UsageError(
            "--bencher, --action-benchmark: the file has one duel; to write a whole set, run "
            f"afterwards: ubench_report duels --bencher FILE {path}"
        )
    if any(request.options.not_worse_than is not None for request in requests):
        raise UsageError(
            "--not-worse-than: a gate judges one duel; to judge a whole set, run afterwards: "
            f"ubench_report duels --not-worse-than SHARE {path}"
        )
    return path
