# SPDX-License-Identifier: ISC
"""Carries out the trials of a plan, each with an empty store and servers that have just started."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from ubench.dhcp import perfdhcp, search
from ubench.dhcp.installation import Installation
from ubench.dhcp.perfdhcp import Load
from ubench.dhcp.plan import Plan
from ubench.dhcp.server import Servers
from ubench.dhcp.site import SiteConfiguration
from ubench.dhcp.store import DIALECTS, LeaseKey, Leases, LeaseStores
from ubench.dhcp.testbed import Testbed, read_text, show_logs
from ubench.dhcp.trial import RateTrial, Trial, joint_trial
from ubench.dhcp.trials import heard, outcome
from ubench.dhcp.trials.heard import WRONG_ANSWER, Heard
from ubench.dhcp.trials.outcome import (
    Expiry,
    Failover,
    LeaseFileCleanUp,
    ServerLoss,
    TrialReport,
    heard_members,
)
from ubench.dhcp.usage import CleanUp, CleanUpWatch, ProcessorTimes, highest_memory_mb
from ubench.dhcp.where import Observed, WhereProbe, where
from ubench.errors import Problem
from ubench.records.server import Second
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
    logged: Mapping[str, int]  # by several servers: messages of level WARN and above
    conflicts: Mapping[str, int]  # of the nodes of a cluster
    restart: _Restart | None
    again_s: float | None  # from the restart of one of several servers until all served
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

        Raises Problem if a server or perfdhcp fails, if leases that were granted are missing, or
        if several servers granted an address twice.
        """
        plan = subject.plan
        self.store.prepare(plan)
        observed = self._run_servers(subject, rate)
        leases = self._leases(plan)
        trial = replace(
            self._read_trial(plan, rate, observed.load),
            stored=len(leases) if plan.keeps_leases else None,
            start_s=round(observed.start_s, 2),
            memory_mb=observed.memory_mb,
        )
        if observed.where:
            parts = where(plan, trial, observed.where, self.store.baselines)
            trial = replace(trial, where=parts)
        known = self._check_answers(plan, trial, leases)
        check_stored(trial)
        if plan.command in ("rate", "storm"):
            return TrialReport(
                trial, heard=known, logged=observed.logged, conflicts=observed.conflicts
            )
        by_server = self._read_seconds(plan)
        seconds = outcome.joint_seconds(by_server)
        silent_s = perfdhcp.silent_s(trial, seconds)
        return TrialReport(
            trial,
            seconds,
            failover=_failover(plan, seconds, observed.restart),
            expire=_expiry(plan, leases, observed.start_s + trial.elapsed_s, silent_s),
            lfc=_lease_file_clean_up(observed.load.clean_up, silent_s),
            seconds_by_server=by_server if plan.is_shared else (),
            server_loss=_server_loss(plan, by_server, observed.again_s),
            heard=known,
            logged=observed.logged,
            conflicts=observed.conflicts,
        )

    def _run_servers(self, subject: Subject, rate: int) -> _ServerReport:
        """Start the servers of a plan, put them under load, and stop them."""
        plan = subject.plan
        with Servers(
            plan, self.testbed, subject.installation, self.store.access, subject.site
        ) as servers:
            start_s = servers.start(plan.server_numbers)
            before = self.store.conflicts(plan)
            probe = WhereProbe(plan, self.store, self.testbed) if plan.where else None
            with probe.watched(servers) if probe else contextlib.nullcontext():
                observed = self._put_under_load(subject, servers, rate)
            after = self.store.conflicts(plan)
            memory_mb = highest_memory_mb(servers.pids)
            logged = self._logged(plan)
            restart, again_s = self._restart(plan, servers) if plan.kill_s else (None, None)
            if probe:
                probe.ask_server(servers)
            servers.stop()
        return _ServerReport(
            start_s,
            memory_mb,
            observed,
            logged,
            {name: count - before[name] for name, count in after.items()},
            restart,
            again_s,
            probe.observed() if probe else None,
        )

    def _put_under_load(self, subject: Subject, servers: Servers, rate: int) -> _LoadReport:
        """Let perfdhcp run to its end, and kill the first server when the plan says so."""
        plan, watch = subject.plan, CleanUpWatch()
        killed = (1,) if plan.kill_s else ()
        before = ProcessorTimes.now()
        with self._clients(subject, rate) as clients:
            begun = time.monotonic()
            while clients.is_running:
                if plan.kill_s and time.monotonic() - begun > plan.kill_s:
                    servers.kill(1)
                elif servers.first_ended(killed):
                    clients.kill()
                if plan.command == "lfc":
                    watch.look(servers.pids)
                time.sleep(POLL_S)
        after = ProcessorTimes.now()
        ended = servers.first_ended(killed)
        if ended:
            home = self.testbed.home(ended)
            show_logs(home / "server.log", home / "server.out")
            raise Problem(f"the server ended during the load: see above and {home}/server.log")
        if plan.command == "lfc" and not watch.longest:
            raise Problem(
                "the lease file was not cleaned up during the trial; expected a longer one "
                "(--seconds)"
            )
        return _LoadReport(after.since(before), after.at_s - begun, watch.longest)

    @contextlib.contextmanager
    def _clients(self, subject: Subject, rate: int) -> Iterator[Load]:
        """Start the clients of each network, at a rate of all together; wait for their end.

        A listener writes down what those of several servers hear.
        """
        plan, trial_number = subject.plan, next(self._numbers)
        commands = {}
        rates = perfdhcp.shares(rate, plan.servers)
        for number, share in zip(plan.network_numbers, rates, strict=True):
            options = perfdhcp.load_options(plan, share, trial_number, number)
            command = self.testbed.clients(plan, options, number)
            commands[self.testbed.load_output(number)] = command
        with contextlib.ExitStack() as stack:
            for number in plan.network_numbers if plan.is_shared else ():
                stack.enter_context(heard.listening(self.testbed, number))
            environment = subject.installation.environment
            yield stack.enter_context(perfdhcp.running(commands, environment))

    def _restart(self, plan: Plan, servers: Servers) -> tuple[_Restart | None, float | None]:
        """Start the killed server again; return how a pair differed, or when several served."""
        if plan.is_pair:
            return self._start_again(plan, servers), None
        return None, round(servers.start_killed(1), 1)

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
        for number, _ in enumerate(plan.database_names, 1):
            leases.update(self.store.leases(plan, number))
        return leases

    def _read_trial(self, plan: Plan, rate: int, observed: _LoadReport) -> Trial:
        """Return what the clients of all networks noticed; `rate` is that of all together."""
        trials = []
        rates = perfdhcp.shares(rate, plan.servers)
        for number, share in zip(plan.network_numbers, rates, strict=True):
            path = self.testbed.load_output(number)
            try:
                trial = perfdhcp.read_trial(
                    read_text(path), plan, share, observed.processor_s, observed.elapsed_s
                )
            except ValueError as error:
                show_logs(path)
                raise Problem(f"perfdhcp failed, see above: {error}") from error
            trials.append(trial)
        if not plan.is_shared:
            return trials[0]
        return joint_trial([as_rate_trial(trial) for trial in trials], rate)

    # ---- Several servers

    def _check_answers(self, plan: Plan, trial: Trial, leases: Leases) -> Heard | None:
        """Compare what clients heard with the leases in the database of several servers."""
        if not plan.is_shared:
            return None
        answers = heard.read_answers(map(self.testbed.heard, plan.network_numbers))
        heard.check_answers(answers, leases, DIALECTS[plan.store])
        return answers.summary(trial.granted)

    def _logged(self, plan: Plan) -> dict[str, int]:
        """Return the messages that several servers logged."""
        if not plan.is_shared:
            return {}
        homes = map(self.testbed.home, plan.server_numbers)
        return outcome.logged_messages(read_text(home / "server.log") for home in homes)

    def _read_seconds(self, plan: Plan) -> tuple[tuple[Second, ...], ...]:
        """Return the seconds of the clients of each network."""
        outputs = map(self.testbed.load_output, plan.network_numbers)
        return tuple(perfdhcp.read_seconds(read_text(path), plan.seconds) for path in outputs)

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
        self._show_heard([report])
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
        reports: list[TrialReport] = []
        while (rate := search.next_rate(trials, goal, plan.start_rate)) is not None:
            reports.append(self.run_trial(subject, rate))
            trial = as_rate_trial(reports[-1].trial)
            trials.append(trial)
            self._shown.print(f"  {trial}")
            advance(min(len(trials) / TYPICAL_TRIALS, MOST_PROGRESS))
        findings = [search.judge_trials(trials, each) for each in dict.fromkeys((goal, strict))]
        for finding in findings:
            self._shown.print(f"  {finding}")
        is_rough = plan.seconds < search.ROUGH_BELOW_S
        self._show_heard(reports)
        if is_rough:
            self._shown.print(f"  rough: a trial is shorter than {search.ROUGH_BELOW_S} s")
        return {
            "stored": sum(trial.stored or 0 for trial in trials) if plan.keeps_leases else None,
            "rate": findings[0].rate,
            "goals": [finding.members() for finding in findings],
            "rough": is_rough,
            "trials": [trial.members() for trial in trials],
            "limited_by_load": findings[0].load_limit is not None,
            **heard_members(reports),
        }

    def _show_heard(self, reports: Sequence[TrialReport]) -> None:
        known = [report.heard for report in reports if report.heard]
        if known:
            self._shown.print(f"  {heard.total(known)}")


def as_rate_trial(trial: Trial) -> RateTrial:
    """Return a trial as one at a rate; no other command than a storm has one without."""
    assert isinstance(trial, RateTrial)
    return trial


def check_stored(trial: Trial) -> None:
    """Raise Problem if the store has fewer leases than were granted and not released.

    Each granted lease is another one. The store has more of them if answers came too late.
    """
    released = trial.release.sent if trial.release else 0
    if trial.stored is not None and trial.stored < trial.granted - released:
        raise Problem(
            f"{trial.granted} leases were granted, and the store has {trial.stored}: no figures",
            WRONG_ANSWER,
        )


def _failover(plan: Plan, seconds: Sequence[Second], restart: _Restart | None) -> Failover | None:
    if restart is None:
        return None
    outage = perfdhcp.outage(seconds, plan.kill_s)
    return Failover(outage.lost, outage.back_s, **asdict(restart))


def _server_loss(
    plan: Plan, by_server: Sequence[Sequence[Second]], again_s: float | None
) -> ServerLoss | None:
    if again_s is None:
        return None
    return outcome.server_loss(by_server, plan.kill_s, again_s)


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
