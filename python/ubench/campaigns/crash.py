# SPDX-License-Identifier: ISC
"""scripts/crash: crashes stores under load, and verifies what is left."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ubench import cli, paths
from ubench.campaigns import crash_disk
from ubench.campaigns.crash_disk import BadRecord
from ubench.campaigns.crash_inject import (
    HarnessFailure,
    Ledger,
    TooLate,
    cut_power,
    kill,
    kill_one,
    process_tree,
    wait_for_moment,
    wait_for_work,
)
from ubench.campaigns.crash_place import (
    NO_SERVER,
    REACHABLE,
    CrashServer,
    Disk,
    enter_namespace,
)
from ubench.campaigns.crash_plan import (
    CrashCell,
    CrashPlan,
    choose,
    matching_cells,
    read_cells,
)
from ubench.errors import Problem, UsageError
from ubench.records.observation import DurabilityClass
from ubench.report import program
from ubench.report.crashes import LEVELS
from ubench.run import output, process
from ubench.run.passwords import refuse_passwords
from ubench.run.progress import Progress, progress
from ubench.terminal import plain

NAME = "crash"
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
LIBRARY = "ubench_disk.so"  # records what a load does to its files

FAILOVERS = ("4k", "4s", "4n")  # the load goes on
FROZEN = ("4s", "4n")  # nodes that do not stop by themselves
SYNCED_BEFORE = ("1", "1b", "2", "4")  # levels at which the load's start is synced
RESTARTED = ("1", "2")  # levels after which a server is started again
CRASHES, CRASHES_OF_SAFE = 20, 59  # none lost of 59: at most 5 %, with a confidence of 95 %
FAILURES_MOST = 10  # of the harness, before a run is given up
MUCH = 100  # changes: a disk may keep some of those that were not synced, but not all of these
SEEDS_OF_CAMPAIGN = 1_000_000
OPERATIONS_MOST = 9_600_000
VERIFY_S = 120  # in which a server restarts by itself, or a node notices that another is lost


@dataclass(frozen=True)
class Pace:
    """How long a load is, and when in it the crash comes."""

    preload: int
    operations: int
    moment_s: tuple[float, float]


QUICK = Pace(preload=120, operations=600_000, moment_s=(0.005, 0.045))
SLOW = Pace(preload=960, operations=300_000, moment_s=(0.4, 2))

Line = Mapping[str, object]
"""A line of ubench-crash/1."""


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
        help="where the lines go [%(default)s]",
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
        runs=tuple(choose(options.l, asked, cells)),
        crashes=options.n,
        seed=options.s,
        output=Path(options.output).absolute(),
        memory=Path(options.d),
    )


# ---- One crash


@dataclass
class Crash:
    """One crash: of which cell, at which level, and what chance decides in it."""

    cell: CrashCell
    level: str
    seed: int
    operations: int  # of its load
    target: tuple[str, ...] = ()  # options of the runner: where its store is

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)

    @property
    def pace(self) -> Pace:
        """How long its load is, and when it comes."""
        return QUICK if self.cell.is_quick else SLOW

    @property
    def labels(self) -> dict[str, str]:
        """The labels of its line."""
        return {
            "cell": self.cell.name,
            "level": self.level,
            "seed": str(self.seed),
            "control": self.cell.control.text,
        }

    def unjudged_line(self, verdict: str, why: str) -> Line:
        """Return the line of a crash that the runner could not judge."""
        return {
            "format": "ubench-crash/1",
            "store": self.cell.store,
            "labels": self.labels,
            "verdict": verdict,
            "why": plain(re.sub(r"\s+", " ", why))[:200],
        }


class Place:
    """Where stores are crashed: a folder in memory that outlives crashes, and a disk."""

    def __init__(self, work: Path, disk: Disk) -> None:
        self.work = work
        self.disk = disk
        self.server = CrashServer(disk)
        self.ledger = work / "ledger"
        self.empty = work / "empty"
        self.record = work / "record"  # of what a load does to its files
        self.library = paths.library(LIBRARY)
        self._bases: dict[str, Path | None] = {}

    @property
    def leases(self) -> Path:
        """The folder of a store in a file."""
        return self.disk.folder / "leases"

    def renew(self, base: Path) -> None:
        """Make a new disk with the files of a folder. Raises Problem."""
        self.server.stop()
        self.disk.renew(base)

    def base(self, store: str) -> Path | None:
        """Return the folder that each new disk of a server begins with: its data.

        It is made once. None if the server does not start, which is said once.
        """
        if store not in self._bases:
            self._bases[store] = self._make_base(store)
        return self._bases[store]

    def _make_base(self, store: str) -> Path | None:
        cli.say(NAME, f"making the {store} server's folder of data")
        self.renew(self.empty)
        try:
            self.server.start_plain(store)
        except HarnessFailure as failure:
            cli.say(NAME, f"{store} is left out: {failure}")
            return None
        self.server.prepare_checks()
        self.server.stop()
        base = self.work / store
        base.mkdir()
        done = process.capture(["cp", "-a", self.disk.folder / "servers", base])
        if done.status != 0:
            raise Problem(f"cannot copy a server's data to '{self.work}': {done.err.strip()}")
        return base

    # -- Crashes

    def crash(self, crash: Crash) -> Line:
        """Crash a store and return the line of what is left. Raises HarnessFailure."""
        if crash.cell.is_server:
            return self._crash_server(crash)
        return self._crash_file(crash)

    def clean_up(self, level: str) -> None:
        """Stop the nodes that the loss of one has left."""
        if level in FROZEN and self.server.is_started:
            self.server.signal_first(signal.SIGKILL)
        if level.startswith("4"):
            self.server.stop()

    def _crash_file(self, crash: Crash) -> Line:
        shutil.rmtree(self.leases, ignore_errors=True)
        self.leases.mkdir()
        crash.target = ("-f", str(self.leases / "store"))
        environment = {}
        if crash.level == "3":
            self.record.unlink(missing_ok=True)
            environment = {
                "LD_PRELOAD": str(self.library),
                "UBENCH_DISK_RECORD": str(self.record),
                "UBENCH_DISK_FOLDER": str(self.leases),
            }
        self._crash_load(crash, environment)
        if crash.level == "2":
            self.disk.remount()
        if crash.level == "3":
            self._spoil(crash)
        return self._verify(crash, {})

    def _spoil(self, crash: Crash) -> None:
        """Make of the files what a bad disk keeps."""
        ledger = Ledger.open(self.ledger)
        begun_ns = ledger.begun_ns if ledger else 0
        try:
            crash_disk.spoil(self.leases, self.record, begun_ns, crash.chance)
        except BadRecord as fault:
            raise HarnessFailure(str(fault)) from None

    def _crash_server(self, crash: Crash) -> Line:
        """Crash a server, which is started if it does not run."""
        server, level = self.server, crash.level
        if not server.is_started:
            server.start(crash.cell)
        written, *others = server.addresses()
        crash.target = ()
        if level in FAILOVERS:
            nodes = ",".join([written, *others])
            crash.target = ("-m", nodes, "--reconnect", "5m", "--read-timeout", "2", "--json")
        ended = self._crash_load(crash, server.environment)
        outage: Line = {"recovery_ns": outage_ns(ended)} if level in FAILOVERS else {}
        if level == "1c":
            server.await_end_of_clients()
        if level == "2":
            self.disk.remount()
        if level == "4":
            server.promote()
        if level.startswith("4"):
            crash.target = ("-m", ",".join(others))
        if level in RESTARTED:
            why = server.start_again(crash.cell)
            if why:
                return crash.unjudged_line("corrupt", NO_SERVER.format(why=why))
            ledger = Ledger.open(self.ledger)
            if ledger:
                ledger.note_start(server.pid)
        return {**self._verify(crash, server.environment), **outage}

    def _crash_load(self, crash: Crash, environment: Mapping[str, str]) -> process.Finished:
        """Start a load and crash it, or its store; return what it wrote.

        Raises HarnessFailure: TooLate if the load had ended before, as on a fast machine.
        """
        self.ledger.unlink(missing_ok=True)
        cell, pace = crash.cell, crash.pace
        words = [
            *(cell.runner, *crash.target, "-v", "no", "-w", "churn"),
            *("-n", str(crash.operations), "--preload", str(pace.preload)),
            *("--seed", str(crash.seed), "--ledger", self.ledger, *cell.options),
        ]
        failure: HarnessFailure | OSError | None = None
        with process.started(
            words,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as load:
            try:
                self._strike(crash, load, self._wait_for_moment(crash, load))
            except (HarnessFailure, OSError) as error:
                failure = error
                load.kill()
            except BaseException:
                load.kill()
                raise
            out, err = load.communicate()
        if failure is not None:
            kind = type(failure) if isinstance(failure, HarnessFailure) else HarnessFailure
            raise kind(f"{failure} {err} (the load: {load.returncode})")
        return process.Finished(load.returncode, out, err)

    def _wait_for_moment(self, crash: Crash, load: subprocess.Popen[str]) -> Ledger:
        synced = self.disk.folder if crash.level in SYNCED_BEFORE else None
        least = MUCH if crash.cell.control.must_lose else 1
        after_s = crash.chance.uniform(*crash.pace.moment_s)
        return wait_for_moment(self.ledger, load, synced, after_s, least)

    def _strike(self, crash: Crash, load: subprocess.Popen[str], ledger: Ledger) -> None:
        """Crash what the level says.

        Where the load goes on, it does so until another node has acknowledged a change. No moment
        is noted then, since everything that the load was told counts.
        """
        level = crash.level
        if level in FAILOVERS:
            self.server.lose_node(level)
            wait_for_work(ledger, load, time.monotonic_ns())
            load.terminate()
            return
        has_server = crash.cell.is_server and level != "1c"
        pids = process_tree(self.server.pid) if has_server else []
        ledger.note_crash()
        if level == "2":
            cut_power(self.disk.folder)
        if level == "1b":
            kill_one(pids, "postgres: ubench ", crash.chance)
        else:
            kill(pids)
            load.kill()  # the last one, so that it notes everything that was acknowledged

    def _verify(self, crash: Crash, environment: Mapping[str, str]) -> Line:
        """Return the runner's line of what is left. Raises HarnessFailure."""
        labels = [f"--label={name}={value}" for name, value in crash.labels.items()]
        words = [
            *(crash.cell.runner, "--verify", self.ledger, "--json"),
            *labels,
            *crash.target,
        ]
        waits = crash.level == "1b" or crash.level.startswith("4")
        end_s = time.monotonic() + (VERIFY_S if waits else 0)
        while True:
            done = process.capture(words, env={**os.environ, **environment})
            if done.status in (0, 3):
                line: Line = json.loads(done.out)
                return line
            if time.monotonic() > end_s:
                raise HarnessFailure(done.err)
            time.sleep(0.05)


def outage_ns(load: process.Finished) -> int | None:
    """Return for how long no node answered a load; None if it met a change that was lost.

    Its exit status is 3 then. Raises HarnessFailure if no other node took over.
    """
    outage = None
    with contextlib.suppress(ValueError, KeyError, TypeError, IndexError):
        reconnect = json.loads(load.out)["runs"][0]["reconnect"]
        if reconnect["ended"] > 0:
            outage = int(reconnect["longest_ns"])
    if outage is None and load.status != 3:
        raise HarnessFailure(f"no other node has acknowledged anything: {load.err}")
    return outage


# ---- A campaign


class Campaign:
    """All runs of a plan: a run is a cell at one level, until there are enough crashes."""

    def __init__(self, plan: CrashPlan, place: Place, shown: Progress) -> None:
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
            crash = Crash(cell, level, self._seed(len(lines) + 1), operations)
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

    def _crash_once(self, crash: Crash) -> tuple[Line, int]:
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


def run_campaign(plan: CrashPlan) -> bool:
    """Do the runs of a plan; return whether nothing was given up."""
    no_power = enter_namespace()
    work = Path(tempfile.mkdtemp(prefix="ubench-crash.", dir=plan.memory))
    folder = Path(tempfile.mkdtemp(prefix="ubench-crash.", dir="/tmp"))
    disk = Disk(folder, work / "image")
    place = Place(work, disk)
    try:
        work.chmod(REACHABLE)
        folder.chmod(REACHABLE)
        place.empty.mkdir()
        if not no_power and not disk.enable_power_cuts(place.empty):
            no_power = "no ext4 image can be mounted through a loop device"
        if no_power:
            cli.say(NAME, f"level 2 and all servers are left out: {no_power}")
        with progress(NAME, lines=False) as shown:
            campaign = Campaign(plan, place, shown)
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
