# SPDX-License-Identifier: ISC
"""One crash: puts a store under load, crashes it, and has the runner verify what is left."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ubench import cli, paths
from ubench.campaigns import crash_disk
from ubench.campaigns.crash_disk import BadRecord
from ubench.campaigns.crash_inject import (
    HarnessFailure,
    Ledger,
    cut_power,
    kill,
    kill_one,
    process_tree,
    wait_for_moment,
    wait_for_work,
)
from ubench.campaigns.crash_place import NO_SERVER, CrashServer, Disk
from ubench.campaigns.crash_plan import NAME, CrashCell
from ubench.errors import Problem
from ubench.records.members import Line
from ubench.run import process
from ubench.terminal import plain

LIBRARY = "ubench_disk.so"  # records what a load does to its files

FAILOVERS = ("4k", "4s", "4n")  # the load goes on
FROZEN = ("4s", "4n")  # nodes that do not stop by themselves
SYNCED_BEFORE = ("1", "1b", "2", "4")  # levels at which the load's start is synced
RESTARTED = ("1", "2")  # levels after which a server is started again
MUCH = 100  # changes: a disk may keep some of those that were not synced, but not all of these
VERIFY_S = 120  # in which a server restarts by itself, or a node notices that another is lost


@dataclass(frozen=True)
class Pace:
    """How long a load is, and when in it the crash comes."""

    preload: int
    operations: int
    moment_s: tuple[float, float]


QUICK = Pace(preload=120, operations=600_000, moment_s=(0.005, 0.045))
SLOW = Pace(preload=960, operations=300_000, moment_s=(0.4, 2))



@dataclass
class CrashAttempt:
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


class CrashPlace:
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

    def crash(self, crash: CrashAttempt) -> Line:
        """Crash a store and return the line of what is left. Raises HarnessFailure."""
        if crash.cell.is_server:
            return self._crash_server(crash)
        return self._crash_file(crash)

    def clean_up(self, level: str) -> None:
        """Stop the nodes that are left after the loss of one."""
        if level in FROZEN and self.server.is_started:
            self.server.signal_first(signal.SIGKILL)
        if level.startswith("4"):
            self.server.stop()

    def _crash_file(self, crash: CrashAttempt) -> Line:
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

    def _spoil(self, crash: CrashAttempt) -> None:
        """Leave of the files what a bad disk keeps."""
        ledger = Ledger.open(self.ledger)
        begun_ns = ledger.begun_ns if ledger else 0
        try:
            crash_disk.spoil(self.leases, self.record, begun_ns, crash.chance)
        except BadRecord as fault:
            raise HarnessFailure(str(fault)) from None

    def _crash_server(self, crash: CrashAttempt) -> Line:
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

    def _crash_load(self, crash: CrashAttempt, environment: Mapping[str, str]) -> process.Finished:
        """Start a load and crash it, or its store; return what it wrote.

        Raises HarnessFailure: TooLate if the load had ended before, as on a fast machine.
        """
        self.ledger.unlink(missing_ok=True)
        cell, pace = crash.cell, crash.pace
        words: list[str | Path] = [cell.runner, *crash.target, "-v", "no", "-w", "churn"]
        words += ["-n", str(crash.operations), "--preload", str(pace.preload)]
        words += ["--seed", str(crash.seed), "--ledger", self.ledger, *cell.options]
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

    def _wait_for_moment(self, crash: CrashAttempt, load: subprocess.Popen[str]) -> Ledger:
        synced = self.disk.folder if crash.level in SYNCED_BEFORE else None
        least = MUCH if crash.cell.control.must_lose else 1
        after_s = crash.chance.uniform(*crash.pace.moment_s)
        return wait_for_moment(self.ledger, load, synced, after_s, least)

    def _strike(self, crash: CrashAttempt, load: subprocess.Popen[str], ledger: Ledger) -> None:
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

    def _verify(self, crash: CrashAttempt, environment: Mapping[str, str]) -> Line:
        """Return the runner's line of what is left. Raises HarnessFailure."""
        labels = [f"--label={name}={value}" for name, value in crash.labels.items()]
        words: list[str | Path] = [crash.cell.runner, "--verify", self.ledger, "--json"]
        words += [*labels, *crash.target]
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

    The load's exit status is 3 then. Raises HarnessFailure if no other node took over.
    """
    outage = None
    with contextlib.suppress(ValueError, KeyError, TypeError, IndexError):
        reconnect = json.loads(load.out)["runs"][0]["reconnect"]
        if reconnect["ended"] > 0:
            outage = int(reconnect["longest_ns"])
    if outage is None and load.status != 3:
        raise HarnessFailure(f"no other node has acknowledged anything: {load.err}")
    return outage
