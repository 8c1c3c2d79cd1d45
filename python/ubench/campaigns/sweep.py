# SPDX-License-Identifier: ISC
"""scripts/sweep: runs every combination of options on every store, in blocks of random order.

A cell is one combination for one store. Each block has every cell once, so that a change of the
machine hits all cells alike. Which runs are done is read from the output itself.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from ubench import cli, paths, units
from ubench.campaigns.sweep_cells import REFUSED, AxisKind, Cell, Trait, varying_axes
from ubench.campaigns.sweep_plan import NAME, PlannedRun, SweepPlan, read_plan
from ubench.errors import Problem, UsageError
from ubench.run import output, process
from ubench.run.progress import Progress, progress
from ubench.run.servers import PrivateServers
from ubench.terminal import plain

FAILED, WRONG_ANSWER = 1, 3  # exit statuses of a runner, besides REFUSED

# ---- Private servers


class SweepServers:
    """The private servers of a sweep. Those that ran before it run again after it."""

    def __init__(self, plan: SweepPlan) -> None:
        self._plan = plan
        self._servers = PrivateServers()
        self._ran_before: dict[str, bool] = {}

    def prepare(self, cell: Cell) -> None:
        """Start a cell's server, unless it runs; anew if that was asked for. Raises Problem."""
        store = cell.store
        if store not in self._plan.private:
            return
        if store not in self._ran_before:
            self._ran_before[store] = bool(self._servers.running(store))
        if self._plan.restart:
            self._servers.stop(store)
        server = self._servers.start(store, cell.server_options())
        os.environ.update(server.environment())

    def leave(self) -> None:
        """Stop the servers, or start those that ran before without the options of a cell."""
        for store, ran_before in self._ran_before.items():
            if self._plan.restart or not ran_before:
                self._servers.stop(store)
            if ran_before:
                self._servers.start(store)


# ---- What is known of a sweep that goes on


STATE, NEW_STATE = "sweep.json", "sweep.json.new"  # in the sweep's own folder


def check_folder(plan: SweepPlan) -> None:
    """Raise Problem if the sweep's own folder has other files.

    A sweep without a finished run removes the folder at its end.
    """
    names = os.listdir(plan.folder) if plan.folder.is_dir() else []
    others = sorted(name for name in names if name != NEW_STATE)
    if others:
        raise Problem(
            f"'{plan.folder}' has '{others[0]}', which no sweep made, and a sweep removes this "
            "folder; choose another --output"
        )


def save(plan: SweepPlan) -> None:
    """Note what was left to chance, all or nothing: a sweep has begun once the file exists."""
    plan.folder.mkdir(exist_ok=True)
    saved = {
        "arguments": plan.arguments,
        "campaign": plan.campaign,
        "order_seed": plan.order_seed,
        "blocks": plan.blocks,
        "cells": [
            {
                "store": cell.store,
                "name": cell.name,
                "traits": [[trait.kind.value, trait.name, trait.value] for trait in cell.traits],
            }
            for cell in plan.cells
        ],
    }
    new = plan.folder / NEW_STATE
    new.write_text(json.dumps(saved))
    new.replace(plan.folder / STATE)


def resume(plan: SweepPlan) -> SweepPlan:
    """Return the plan with what an earlier call of the same command has noted."""
    path = plan.folder / STATE
    try:
        saved = json.loads(path.read_text())
        arguments = tuple(saved["arguments"])
        resumed = replace(
            plan,
            campaign=saved["campaign"],
            order_seed=saved["order_seed"],
            blocks=saved["blocks"],
            cells=tuple(
                Cell(
                    cell["store"],
                    tuple(Trait(AxisKind(kind), *texts) for kind, *texts in cell["traits"]),
                    cell["name"],
                )
                for cell in saved["cells"]
            ),
        )
    except (ValueError, TypeError, KeyError):
        raise Problem(f"{path} is damaged: choose another --output") from None
    if arguments != plan.arguments:
        raise Problem(f"{plan.output} is of another command, see {path}: choose another --output")
    return resumed


def finished_runs(plan: SweepPlan) -> dict[tuple[int, int], str]:
    """Return the runs that came to their end, by their place, with their durability class."""
    finished = {}
    for line in output.read_objects(plan.output):
        with contextlib.suppress(KeyError, TypeError, ValueError):
            place = finished_place(line, plan.campaign)
            durability = line["durability"]
            if place and isinstance(durability, dict):
                finished[place] = str(durability["class"])
    return finished


def finished_place(line: Mapping[str, object], campaign: str) -> tuple[int, int] | None:
    """Return the place of a line's run, if it is a complete one of this campaign."""
    labels = line["labels"]
    if not isinstance(labels, dict) or labels["campaign"] != campaign:
        return None
    if line["incomplete"] is not False or line["error"] != "":
        return None
    return int(labels["block"]), int(labels["position"])


# ---- The runs


@dataclass(frozen=True)
class RunEnd:
    """How a run ended."""

    status: int  # of the runner
    text: str  # why it failed, or its rate; "" if it has none
    left_out: bool = False  # the cell cannot be run: it is refused, or its server does not start


def run_cell(plan: SweepPlan, run: PlannedRun, servers: SweepServers, lock: int) -> RunEnd:
    """Run a cell in an empty folder; the runner appends its line to the output.

    It knows the output by a path that tells nothing of the machine, and keeps our lock if we are
    killed.
    """
    try:
        servers.prepare(run.cell)
    except Problem as problem:
        return RunEnd(FAILED, str(problem), left_out=True)
    labels = {
        "campaign": plan.campaign,
        "block": run.block,
        "position": run.position,
        "role": "cell",
        "cell": run.cell.name,
        "order-seed": plan.order_seed,
    }
    leases = plan.folder / "leases"
    shutil.rmtree(leases, ignore_errors=True)
    leases.mkdir()
    done = process.run(
        [
            paths.runner(run.cell.store).absolute(),
            *run.cell.words,
            "--json",
            *(f"--label={name}={value}" for name, value in labels.items()),
            *("-O", f"../../{plan.output.name}"),
        ],
        cwd=leases,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=[lock],
    )
    if done.status != 0:
        reason = process.first_error(done.err)
        return RunEnd(done.status, reason, left_out=done.status == REFUSED)
    return RunEnd(0, median_rate(done.out))


def median_rate(line: str) -> str:
    """Return the median rate of the runs of a line; "" if they have none, as open loops."""
    rates: list[float | None] = [run["rate_per_s"] for run in json.loads(line)["runs"]]
    known = [rate for rate in rates if rate is not None]
    return f"{units.figure(median(known))} a second" if known else ""


class SweepCampaign:
    """A sweep at work."""

    def __init__(self, plan: SweepPlan, finished: Iterable[tuple[int, int]], lock: int) -> None:
        done = set(finished)
        self.plan = plan
        self.runs = plan.runs
        self.due = [run for run in self.runs if run.place not in done]
        self.statuses: list[int] = []  # of the runs of cells that were not left out
        self._has_failed_server = False
        self._lock = lock
        self._servers = SweepServers(plan)
        self._begun = time.monotonic()

    def leave_servers(self) -> None:
        """Leave private servers as they were."""
        self._servers.leave()

    def carry_out(self, shown: Progress) -> None:
        """Carry out the runs that are due. A cell that cannot be run is left out from then on."""
        while self.due:
            run = self.due.pop(0)
            left_s = self._left_s()
            number = len(self.runs) - len(self.due)
            shown.show((number - 1) / len(self.runs), run.cell.name, left_s)
            outcome = run_cell(self.plan, run, self._servers, self._lock)
            process.end_if_interrupted()
            shown.print(self._headline(run, number, left_s, outcome))
            if outcome.left_out:
                shown.print(f"    LEFT OUT from now on: {outcome.text}")
                self._has_failed_server |= outcome.status != REFUSED
                self._leave_out(run.cell, outcome.text)
            else:
                self.statuses.append(outcome.status)
                if outcome.status != 0:
                    shown.print(f"    FAILED (exit status {outcome.status}): {outcome.text}")

    def _headline(
        self, run: PlannedRun, number: int, left_s: float | None, outcome: RunEnd
    ) -> str:
        """Return the line of a run: its number, the time left before it, and its rate."""
        left = "" if left_s is None else f", {units.waiting_time(left_s)} left"
        place = f"[{number}/{len(self.runs)}] block {run.block} of {self.plan.blocks}{left}"
        rate = f": {outcome.text}" if outcome.status == 0 and outcome.text else ""
        return f"{place}: {run.cell.name}{rate}"

    def _left_s(self) -> float | None:
        """Return how long the runs that are due take, with the one that begins.

        None: not known yet, as fewer ran than a block has.
        """
        ran = len(self.statuses)
        if ran == 0 or ran * self.plan.blocks < len(self.runs):
            return None
        return (time.monotonic() - self._begun) / ran * (len(self.due) + 1)

    def _leave_out(self, cell: Cell, reason: str) -> None:
        self.runs = [run for run in self.runs if run.cell != cell]
        self.due = [run for run in self.due if run.cell != cell]
        if not self.runs:
            raise UsageError(f"no cell can be run: {reason}")

    @property
    def failed(self) -> int:
        """How many runs failed."""
        return sum(status != 0 for status in self.statuses)

    @property
    def status(self) -> int:
        """The exit status: the worst of all runs and servers."""
        if WRONG_ANSWER in self.statuses:
            return WRONG_ANSWER
        return FAILED if self.failed or self._has_failed_server else 0


# ---- What is printed


def show_plan(plan: SweepPlan) -> None:
    """Print the cells and, before a dry run, their order."""
    for number, cell in enumerate(plan.cells, 1):
        print(plain(f"  {number:3d}  {cell.name}"))
    if plan.refused:
        print("left out:", *(plain(reason) for reason in plan.refused), sep="\n  ")
    runs = plan.runs
    print(
        f"{units.plural(len(runs), 'run')} in blocks of {len(plan.cells)}; how long they take is "
        "known after the first block"
    )
    print(
        f"campaign {plan.campaign}, order seed {plan.order_seed}, results go to "
        f"{plain(str(plan.output))}"
    )
    if plan.dry_run:
        for block, members in itertools.groupby(runs, lambda run: run.block):
            numbers = [str(plan.cells.index(run.cell) + 1) for run in members]
            print(f"block {block}: {' '.join(numbers)}")


def show_state(plan: SweepPlan, done: int) -> None:
    """Print how far an earlier call of the same command came."""
    total = len(plan.runs)
    ending = "; another --output begins another one" if done >= total else ""
    print(f"campaign {plan.campaign}: {done} of {total} runs are done{ending}")


def conclude(plan: SweepPlan, classes: set[str]) -> None:
    """Print what the results say, and the commands for more.

    If one option of one store was varied, that is the difference it makes, else the answer.
    """
    words = ["answer"]
    varied = varying_axes(plan.cells)
    stores = {cell.store for cell in plan.cells}
    if len(stores) == len(classes) == len(varied) == 1:
        words = ["compare", "--by", varied[0]]
    report = paths.program("ubench_report")
    if os.access(report, os.X_OK) and classes:
        print(flush=True)
        done = process.run([report, *words, plan.output])
        if done.status != 0 and words == ["answer"]:  # the runs were too short to answer
            process.run([report, "tables", plan.output])
    name = plain(str(plan.output))
    print(f"\n  ./ubench_report {' '.join(words)} {name}")
    print(f"  ./ubench_report tables {name}")
    print(f"  ./ubench_report page {name} >{name.removesuffix('.jsonl')}.html")


# ---- The program


def carry_out(words: Sequence[str]) -> int:
    """Carry out the sweep that a command line asks for; return the exit status."""
    process.handle_signals()
    os.environ["LC_ALL"] = "C"
    plan = read_plan(words)
    parent = plan.output.parent
    lock = output.lock_folder(
        parent, f"another sweep, or a run that one left behind, is at work in {parent}"
    )
    goes_on = (plan.folder / STATE).exists() and not plan.dry_run
    finished: dict[tuple[int, int], str] = {}
    if goes_on:
        plan = resume(plan)
        finished = finished_runs(plan)
        show_state(plan, len(finished))
    else:
        check_folder(plan)
        show_plan(plan)
    if plan.dry_run:
        return 0
    campaign = SweepCampaign(plan, finished, lock)
    if not goes_on:
        save(plan)
    return run_plan(plan, campaign)


def run_plan(plan: SweepPlan, campaign: SweepCampaign) -> int:
    """Carry out the runs and print what came of them; return the exit status."""
    try:
        with progress(NAME, lines=False) as shown:
            campaign.carry_out(shown)
        finished = finished_runs(plan)
        retry = ", and are tried again by the same command" if campaign.failed else ""
        print(
            f"{len(finished)} of {len(campaign.runs)} runs are in {plain(str(plan.output))}; "
            f"{campaign.failed} failed{retry}"
        )
        conclude(plan, set(finished.values()))
        return campaign.status
    except process.Interrupted:
        cli.say(NAME, "interrupted: the same command continues the sweep")
        raise
    finally:
        with process.signals_ignored():
            shutil.rmtree(plan.folder / "leases", ignore_errors=True)
            if not finished_runs(plan):  # so that another command can begin
                shutil.rmtree(plan.folder, ignore_errors=True)
            campaign.leave_servers()


def main(words: Sequence[str] | None = None) -> int:
    """Run scripts/sweep; return its exit status."""
    return cli.guard(NAME, carry_out, words)
