# SPDX-License-Identifier: ISC
"""Carries out the trials of a plan, each with an empty store and servers that have just started."""

from __future__ import annotations

import contextlib
import itertools
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

from ubench.dhcp import perfdhcp, search
from ubench.dhcp.installation import Installation
from ubench.dhcp.plan import Plan
from ubench.dhcp.server import Servers
from ubench.dhcp.site import SiteConfiguration
from ubench.dhcp.store import LeaseKey, Leases, LeaseStores
from ubench.dhcp.testbed import Testbed, read_text, show_logs
from ubench.dhcp.trial import RateTrial, Trial
from ubench.dhcp.usage import CleanUp, CleanUpWatch, ProcessorTimes, highest_memory_mb
from ubench.dhcp.where import Observed, WhereProbe, where
from ubench.errors import Problem
from ubench.records.server import Second
from ubench.run import process
from ubench.run.progress import Progress

POLL_S = 0.02
TYPICAL_TRIALS = 13  # of a search
MOST_PROGRESS = 0.95  # the share of a search that can be done before it ends


@dataclass(frozen=True)
class Subject:
    """A plan with the server that is measured by it."""

    plan: Plan
    installation: Installation
    site: SiteConfiguration | None = None


# ---- What becomes of leases and servers


@dataclass(frozen=True)
class Failover:
    """What became of a pair of which the first server was killed."""

    lost: int  # clients without an answer from then on
    back_s: int | None  # until nine of ten were answered again; None if they never were
    only_killed: int  # leases that the killed server had, and not the other
    only_survivor: int  # leases that only the other had
    again_s: float  # from its restart until both served
    differ: int  # leases that differed then


@dataclass(frozen=True)
class Expiry:
    """What became of leases that had run out before the server started."""

    silent_s: float  # in which nobody was answered, at most
    left: int
    reclaimed: int
    per_hour: int  # by the time from the start of the server


@dataclass(frozen=True)
class LeaseFileCleanUp:
    """The longest run of kea-lfc, which cleans up memfile's file."""

    silent_s: float  # in which nobody was answered, at most
    duration_s: float
    memory_mb: float


@dataclass(frozen=True)
class TrialReport:
    """A trial, and what it shows beside the lease rate."""

    trial: Trial
    seconds: tuple[Second, ...] = ()
    failover: Failover | None = None
    expire: Expiry | None = None
    lfc: LeaseFileCleanUp | None = None

    def members(self) -> dict[str, object]:
        """Return what a line of results has of it beside the trial (results/kea.schema.json)."""
        members: dict[str, object] = {}
        if self.seconds:
            members["seconds_each"] = [asdict(second) for second in self.seconds]
        for name in ("failover", "expire", "lfc"):
            value = getattr(self, name)
            if value:
                members[name] = asdict(value)
        return members


@dataclass(frozen=True)
class _Restart:
    """A killed server that was started again: how the leases of the pair differed."""

    only_killed: int
    only_survivor: int
    again_s: float
    differ: int


@dataclass(frozen=True)
class _LoadReport:
    """What was observed while perfdhcp ran."""

    processor_s: dict[str, float]
    elapsed_s: float
    clean_up: CleanUp | None


@dataclass(frozen=True)
class _ServerReport:
    """What was observed from the start of the servers to their end."""

    start_s: float
    memory_mb: float
    load: _LoadReport
    restart: _Restart | None
    where: Observed | None


# ---- One trial


class Measurer:
    """Carries out trials; each has clients of its own."""

    def __init__(self, testbed: Testbed, store: LeaseStores, shown: Progress) -> None:
        """Expect the databases of a plan to run in `store` before its first trial.

        `shown` prints a line for each trial of a search.
        """
        self.testbed = testbed
        self.store = store
        self._shown = shown
        self._numbers = itertools.count(1)

    def run_trial(self, subject: Subject, rate: int) -> TrialReport:
        """Carry out one trial at a rate of new clients; a storm has no rate.

        Raises Problem if a server or perfdhcp fails, or if leases that were granted are missing.
        """
        plan = subject.plan
        self.store.prepare(plan)
        observed = self._run_servers(subject, rate)
        output = read_text(self.testbed.load_output)
        leases = self._leases(plan)
        trial = replace(
            self._read_trial(output, plan, rate, observed.load),
            stored=len(leases) if plan.keeps_leases else None,
            start_s=round(observed.start_s, 2),
            memory_mb=observed.memory_mb,
        )
        if observed.where:
            parts = where(plan, trial, observed.where, self.store.baselines)
            trial = replace(trial, where=parts)
        check_stored(trial)
        if plan.command in ("rate", "storm"):
            return TrialReport(trial)
        seconds = perfdhcp.read_seconds(output, plan.seconds)
        silent_s = perfdhcp.silent_s(trial, seconds)
        return TrialReport(
            trial,
            seconds,
            failover=_failover(plan, seconds, observed.restart),
            expire=_expiry(plan, leases, observed.start_s + trial.elapsed_s, silent_s),
            lfc=_lease_file_clean_up(observed.load.clean_up, silent_s),
        )

    def _run_servers(self, subject: Subject, rate: int) -> _ServerReport:
        """Start the servers of a plan, put them under load, and stop them."""
        plan = subject.plan
        with Servers(
            plan, self.testbed, subject.installation, self.store.access, subject.site
        ) as servers:
            start_s = servers.start(plan.server_numbers)
            probe = WhereProbe(plan, self.store, self.testbed) if plan.where else None
            with probe.watched(servers) if probe else contextlib.nullcontext():
                load = self._put_under_load(subject, servers, rate)
            memory_mb = highest_memory_mb(servers.pids)
            restart = self._start_again(plan, servers) if plan.kill_s else None
            if probe:
                probe.ask_server(servers)
            servers.stop()
        return _ServerReport(
            start_s, memory_mb, load, restart, probe.observed() if probe else None
        )

    def _put_under_load(self, subject: Subject, servers: Servers, rate: int) -> _LoadReport:
        """Let perfdhcp run to its end, and kill the first server when the plan says so."""
        plan, watch = subject.plan, CleanUpWatch()
        options = perfdhcp.load_options(plan, rate, next(self._numbers))
        before = ProcessorTimes.now()
        with (
            open(self.testbed.load_output, "wb") as output,
            process.started(
                self.testbed.clients(plan, options),
                env=subject.installation.environment,
                stdout=output.fileno(),
                stderr=subprocess.STDOUT,
            ) as load,
        ):
            while load.poll() is None:
                if plan.kill_s and time.monotonic() - before.at_s > plan.kill_s:
                    servers.kill(1)
                elif not plan.kill_s and servers.has_ended(1):
                    load.kill()  # perfdhcp would wait for answers, some of them for ever
                if plan.command == "lfc":
                    watch.look(servers.pids)
                time.sleep(POLL_S)
        after = ProcessorTimes.now()
        if not plan.kill_s and servers.has_ended(1):
            home = self.testbed.home(1)
            show_logs(home / "server.log", home / "server.out")
            raise Problem(f"the server ended during the load: see above and {home}/server.log")
        if plan.command == "lfc" and not watch.longest:
            raise Problem(
                "the lease file was not cleaned up during the trial; expected a longer one "
                "(--seconds)"
            )
        return _LoadReport(after.since(before), after.at_s - before.at_s, watch.longest)

    def _start_again(self, plan: Plan, servers: Servers) -> _Restart:
        """Start the killed server beside the other, and compare their leases."""
        killed, survivor = self._lease_keys(plan)
        again_s = servers.start_killed(1)
        first, second = self._lease_keys(plan)
        return _Restart(
            only_killed=len(killed - survivor),
            only_survivor=len(survivor - killed),
            again_s=round(again_s, 1),
            differ=len(first ^ second),
        )

    def _lease_keys(self, plan: Plan) -> tuple[set[LeaseKey], set[LeaseKey]]:
        return set(self.store.leases(plan, 1)), set(self.store.leases(plan, 2))

    def _leases(self, plan: Plan) -> Leases:
        """Return the leases of all servers of a plan."""
        leases: Leases = {}
        for number in plan.server_numbers:
            leases.update(self.store.leases(plan, number))
        return leases

    def _read_trial(self, output: str, plan: Plan, rate: int, load: _LoadReport) -> Trial:
        try:
            return perfdhcp.read_trial(output, plan, rate, load.processor_s, load.elapsed_s)
        except ValueError as error:
            show_logs(self.testbed.load_output)
            raise Problem(f"perfdhcp failed, see above: {error}") from error

    # ---- A run

    def run(self, subject: Subject, advance: Callable[[float], None]) -> dict[str, object]:
        """Carry out what the command of a plan asks for.

        `advance` is called after each trial of a search, with the share that is probably done.
        Returns what a line of results has of it (results/kea.schema.json).
        """
        plan = subject.plan
        if plan.command == "rate":
            return self._search(subject, advance)
        report = self.run_trial(subject, plan.start_rate)
        return {
            "stored": report.trial.stored,
            "trials": [report.trial.members()],
            **report.members(),
        }

    def _search(self, subject: Subject, advance: Callable[[float], None]) -> dict[str, object]:
        """Search for the highest rate; what an earlier run found does not matter."""
        plan = subject.plan
        goal = search.Goal(plan.max_lost, plan.seconds)
        strict = search.Goal(search.STRICT_LOST, plan.seconds)
        trials: list[RateTrial] = []
        while (rate := search.next_rate(trials, goal, plan.start_rate)) is not None:
            trial = self.run_trial(subject, rate).trial
            assert isinstance(trial, RateTrial)  # no command with a rate is a storm
            trials.append(trial)
            self._shown.print(f"  {trial}")
            advance(min(len(trials) / TYPICAL_TRIALS, MOST_PROGRESS))
        findings = [search.judge_trials(trials, each) for each in dict.fromkeys((goal, strict))]
        for finding in findings:
            self._shown.print(f"  {finding}")
        is_rough = plan.seconds < search.ROUGH_BELOW_S
        if is_rough:
            self._shown.print(f"  rough: a trial is shorter than {search.ROUGH_BELOW_S} s")
        return {
            "stored": sum(trial.stored or 0 for trial in trials) if plan.keeps_leases else None,
            "rate": findings[0].rate,
            "goals": [finding.members() for finding in findings],
            "rough": is_rough,
            "trials": [trial.members() for trial in trials],
            "limited_by_load": findings[0].load_limit is not None,
        }


def check_stored(trial: Trial) -> None:
    """Raise Problem if the store has fewer leases than were granted and not released.

    Each granted lease is another one. The store has more of them if answers came too late.
    """
    released = trial.release.sent if trial.release else 0
    if trial.stored is not None and trial.stored < trial.granted - released:
        raise Problem(
            f"{trial.granted} leases were granted, and the store has {trial.stored}: no figures"
        )


def _failover(plan: Plan, seconds: Sequence[Second], restart: _Restart | None) -> Failover | None:
    if restart is None:
        return None
    outage = perfdhcp.outage(seconds, plan.kill_s)
    return Failover(outage.lost, outage.back_s, **asdict(restart))


def _expiry(plan: Plan, leases: Leases, lived_s: float, silent_s: float) -> Expiry | None:
    """Return what became of the leases; `lived_s` is the time since the start of the server."""
    if plan.command != "expire":
        return None
    now = time.time()
    left = sum(0 < end < now for end in leases.values())
    reclaimed = plan.leases - left
    return Expiry(silent_s, left, reclaimed, per_hour=int(reclaimed / lived_s * 3600))


def _lease_file_clean_up(run: CleanUp | None, silent_s: float) -> LeaseFileCleanUp | None:
    return LeaseFileCleanUp(silent_s, run.duration_s, run.memory_mb) if run else None
