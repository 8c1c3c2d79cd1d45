# SPDX-License-Identifier: ISC
"""scripts/crash: crashes stores under load, and verifies what is left."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ubench import cli, paths
from ubench.campaigns.crash_inject import HarnessFailure, TooLate
from ubench.campaigns.crash_once import QUICK, SLOW, CrashAttempt, CrashPlace
from ubench.campaigns.crash_place import REACHABLE, Disk, enter_namespace
from ubench.campaigns.crash_plan import (
    NAME,
    CrashCell,
    CrashPlan,
    choose_cells,
    matching_cells,
    read_cells,
)
from ubench.errors import Problem, UsageError
from ubench.records.members import Line
from ubench.records.observation import DurabilityClass
from ubench.report import program
from ubench.report.crashes import LEVELS
from ubench.run import output, process
from ubench.run.passwords import refuse_passwords
from ubench.run.progress import Progress, progress

USAGE = "[OPTION]... [CELL]..."
DESCRIPTION = """
Crashes stores under load and verifies what is left. Appends a line of JSON for
each crash to FILE and ends with a table. Crashes that FILE already has are not
repeated: an interrupted campaign continues when it is started again.

The levels:

   1   kill -9 of the store, with all its processes
   1b  kill -9 of one backend (PostgreSQL)
   1c  kill -9 of the client alone, in mid-transaction (servers)
   2   power loss: the file system is shut down without flushing; without root
       and loop devices this level and all servers are left out
   3   a disk that drops, reorders and tears what was not synced
       (memfile and SQLite)
   4   the permanent loss of the node that is written to: another node is judged
       (PostgreSQL with a standby, Galera)
   4k  the same, but the load continues on another node
   4s  as 4k, but the node is stopped (SIGSTOP); 4n: its network is cut off"""
EXAMPLE = "crash -n 5 'sqlite *' 'pgsql on'"
ENDING = """
Exit status: 0 done, 1 a crash or its verdict is missing, 2 usage, 130 or 143
interrupted."""
DEFAULT_LEVELS = ("1", "1b", "1c", "2", "3")
DEFAULT_OUTPUT = "build/crash/crashes.jsonl"
CRASHES, CRASHES_OF_SAFE = 20, 59  # none lost of 59: at most 5 %, with a confidence of 95 %
FAILURES_MOST = 10  # of the harness, before a run is given up
SEEDS_OF_CAMPAIGN = 1_000_000
OPERATIONS_MOST = 9_600_000
IMAGE_LEAST = 256 << 20  # bytes in memory for an image, the data of servers and ledgers


# ---- The command line


def make_parser() -> cli.Parser:
    """Return the parser of all options."""
    parser = cli.Parser(NAME, USAGE, DESCRIPTION, example=EXAMPLE, ending=ENDING)
    add = parser.add_argument
    add(
        "cells",
        metavar="CELL",
        nargs="*",
        help="cells to crash, as patterns [all]; --list prints them; controls always run",
    )
    add("--list", action="store_true", help="print the cells with their levels, and exit")
    add(
        "-O",
        "-o",
        "--output",
        metavar="FILE",
        default=DEFAULT_OUTPUT,
        type=cli.filled("a file's name"),
        help="file to append the lines to [%(default)s]",
    )
    add(
        "-n",
        metavar="N",
        type=cli.whole_number(1, 999_999),
        help="crashes of each cell at each level [20; 59 of power-safe cells]",
    )
    add(
        "-l",
        metavar="LEVELS",
        type=cli.comma_list,
        default=list(DEFAULT_LEVELS),
        help=f"levels to run [{','.join(DEFAULT_LEVELS)}]",
    )
    add(
        "-s",
        metavar="SEED",
        type=cli.whole_number(1, 999_999),
        default=1,
        help="seed of the moments and the leases [1]",
    )
    add(
        "-d",
        metavar="FOLDER",
        default="/dev/shm",
        type=cli.checked(lambda text: text if Path(text).is_dir() else None, "a folder"),
        help="folder in memory for images and ledgers [%(default)s]",
    )
    return parser


def read_plan(words: Sequence[str]) -> CrashPlan | None:
    """Read a command line; None if --list was all that it asked for. Raises UsageError."""
    refuse_passwords(words)
    options = make_parser().parse(words)
    for level in options.l:
        if level not in LEVELS:
            raise UsageError(f"-l: '{level}' is not one of {', '.join(LEVELS)}")
    cells = read_cells()
    asked = matching_cells(options.cells, cells)
    if options.list:
        for cell in cells:
            print(f"{cell.name} | {' '.join(cell.levels)}")
        return None
    return CrashPlan(
        runs=tuple(choose_cells(options.l, asked, cells)),
        crashes=options.n,
        seed=options.s,
        output=Path(options.output).absolute(),
        memory=Path(options.d),
    )


# ---- A campaign


class CrashCampaign:
    """All runs of a plan: a run is a cell at one level, until there are enough crashes."""

    def __init__(self, plan: CrashPlan, place: CrashPlace, shown: Progress) -> None:
        self._plan = plan
        self._place = place
        self._shown = shown
        self._begun_s = time.monotonic()
        self.is_whole = True  # False once something was given up

    def run_all(self) -> None:
        """Do all runs that are possible here."""
        runs = [run for run in self._plan.runs if self._is_possible(*run)]
        for number, (cell, level) in enumerate(runs):
            self._run(cell, level, number / len(runs), 1 / len(runs))

    def _is_possible(self, cell: CrashCell, level: str) -> bool:
        if cell.is_server or level == "2":
            return self._place.disk.can_lose_power
        return level != "3" or self._place.library is not None

    def _run(self, cell: CrashCell, level: str, done: float, weight: float) -> None:
        """Crash a cell at a level until enough crashes could be judged.

        `done` is the share of the campaign before this run, and `weight` that of this run.
        """
        lines = self._known_lines(cell, level)
        known = len(lines)
        operations = (QUICK if cell.is_quick else SLOW).operations
        is_clean = False
        begun_s = time.monotonic()
        while True:
            tally = self._tally(cell, lines)
            failures = sum(line["verdict"] == "invalid" for line in lines[known:])
            is_over = tally.is_enough or failures >= FAILURES_MOST
            if len(lines) > known:
                each_ms = (time.monotonic() - begun_s) * 1000 / (len(lines) - known)
                last = lines[-1]["verdict"]
                text = f"{cell.name}, level {level}: {tally}, {each_ms:.0f} ms each, last: {last}"
                self._show(done + weight * tally.share, text, is_over)
            if is_over:
                break
            if not is_clean and not self._renew(cell):
                return
            crash = CrashAttempt(cell, level, self._seed(len(lines) + 1), operations)
            line, operations = self._crash_once(crash)
            lines.append(line)
            is_clean = _leaves_clean_disk(cell, str(line["verdict"]))
        self._place.server.stop()
        if not tally.is_enough:
            cli.say(
                NAME,
                f"{cell.name}, level {level}: the harness failed {FAILURES_MOST} times: given up",
            )
            self.is_whole = False

    def _known_lines(self, cell: CrashCell, level: str) -> list[Line]:
        """Return the crashes of earlier calls."""
        lines: list[Line] = []
        for line in output.read_objects(self._plan.output):
            labels = line.get("labels")
            if not isinstance(labels, dict) or "verdict" not in line:
                continue
            if labels.get("cell") == cell.name and labels.get("level") == level:
                lines.append(line)
        return lines

    def _tally(self, cell: CrashCell, lines: Sequence[Line]) -> Tally:
        """Count the judged crashes.

        A cell that is called power-safe needs more of them. Its class is not known before the first
        crash; a control that must lose is not called anything.
        """
        judged = sum(line["verdict"] != "invalid" for line in lines)
        durability = lines[-1].get("durability") if lines else None
        cls = durability.get("class") if isinstance(durability, dict) else None
        is_safe = cls == DurabilityClass.POWER_SAFE.value and not cell.control.must_lose
        goal = self._plan.crashes or (CRASHES_OF_SAFE if is_safe else CRASHES)
        return Tally(judged, goal)

    def _renew(self, cell: CrashCell) -> bool:
        """Make a new disk; return False if the cell's server does not start."""
        base = self._place.base(cell.store) if cell.is_server else self._place.empty
        if base is None:
            self.is_whole = False
            return False
        self._place.renew(base)
        return True

    def _seed(self, number: int) -> int:
        return self._plan.seed * SEEDS_OF_CAMPAIGN + number

    def _crash_once(self, crash: CrashAttempt) -> tuple[Line, int]:
        """Crash a store, and add the line to the output.

        Returns the line, and the operations that the next load is to have.
        """
        operations = crash.operations
        try:
            line = self._place.crash(crash)
        except HarnessFailure as failure:
            line = crash.unjudged_line("invalid", str(failure))
            if isinstance(failure, TooLate) and operations < OPERATIONS_MOST:
                operations *= 4
        output.append_line(self._plan.output, line)
        self._place.clean_up(crash.level)
        return line, operations

    def _show(self, share: float, text: str, is_over: bool) -> None:
        if is_over:
            cli.say(NAME, text)
        spent_s = time.monotonic() - self._begun_s
        self._shown.show(share, text, spent_s * (1 / share - 1) if share else None)


@dataclass(frozen=True)
class Tally:
    """How many crashes were judged, and how many have to be."""

    judged: int
    goal: int

    @property
    def is_enough(self) -> bool:
        """Whether there are enough."""
        return self.judged >= self.goal

    @property
    def share(self) -> float:
        """How much of a run is done."""
        return min(self.judged / self.goal, 1)

    def __str__(self) -> str:
        return f"{self.judged} of {self.goal}"


def _leaves_clean_disk(cell: CrashCell, verdict: str) -> bool:
    """Return whether the next crash can use the disk of one with this verdict.

    A loss of a store in a file leaves no doubt: its files are made anew each time.
    """
    if cell.is_server:
        return verdict == "kept"
    return verdict not in ("invalid", "corrupt")


def why_too_small(memory: Path) -> str:
    """Return why a folder cannot have the image of a file system, or "".

    The image takes what stores write. Once the folder is full, their writes fail, which looks like
    a loss of theirs.
    """
    free = shutil.disk_usage(memory).free
    if free >= IMAGE_LEAST:
        return ""
    return (
        f"'{memory}' has {free >> 20} MiB free; expected {IMAGE_LEAST >> 20} MiB, or another "
        "folder in memory (-d)"
    )


def run_campaign(plan: CrashPlan) -> bool:
    """Do the runs of a plan; return whether nothing was given up."""
    no_power = enter_namespace() or why_too_small(plan.memory)
    work = Path(tempfile.mkdtemp(prefix="ubench-crash.", dir=plan.memory))
    folder = Path(tempfile.mkdtemp(prefix="ubench-crash.", dir="/tmp"))
    disk = Disk(folder, work / "image")
    place = CrashPlace(work, disk)
    try:
        work.chmod(REACHABLE)
        folder.chmod(REACHABLE)
        place.empty.mkdir()
        if not no_power and not disk.enable_power_cuts(place.empty):
            no_power = "no ext4 image can be mounted through a loop device"
        if no_power:
            cli.say(NAME, f"level 2 and all servers are left out: {no_power}")
        with progress(NAME, lines=False) as shown:
            campaign = CrashCampaign(plan, place, shown)
            campaign.run_all()
        return campaign.is_whole
    finally:
        with process.signals_ignored():
            place.server.stop()
            disk.unmount()
            shutil.rmtree(work, ignore_errors=True)
            shutil.rmtree(folder, ignore_errors=True)


def begin_output(path: Path) -> None:
    """Make the folder of the output, and its first line: on which machine it was.

    Raises Problem.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    output.output_file(str(path))
    if path.exists() and path.stat().st_size > 0:
        return
    null = paths.runner("null")
    done = process.capture([null, "-v", "no", "-O", path.name], cwd=path.parent)
    if done.status != 0:
        raise Problem(done.err.strip())


def carry_out(words: Sequence[str]) -> int:
    """Do what a command line asks for; return the exit status."""
    process.handle_signals()
    plan = read_plan(words)
    if plan is None:
        return 0
    if not os.access(paths.runner("null"), os.X_OK):
        raise Problem(f"'{paths.programs()}' has no null_ubench; run: make")
    begin_output(plan.output)
    is_whole = run_campaign(plan)
    status = program.main(["crashes", str(plan.output)])
    return status if status != 0 or is_whole else 1


def main(words: Sequence[str] | None = None) -> int:
    """Run scripts/crash; return its exit status."""
    return cli.guard(NAME, carry_out, words)
