# SPDX-License-Identifier: ISC
"""Carries out plans one after the other, and appends a line of results for each run.

Plans that differ in the prefix alone take turns, in random order, so that builds of Kea meet the
same noise. Runs that the file of results has already are not repeated.
"""

from __future__ import annotations

import itertools
import json
import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ubench import paths
from ubench.dhcp.identity import SERVER_FORMAT, Identity, identify, runs_alike
from ubench.dhcp.installation import Installation
from ubench.dhcp.measure import Measurer, Subject
from ubench.dhcp.plan import Plan
from ubench.dhcp.site import SiteConfiguration, absent_libraries
from ubench.records.members import Line
from ubench.run import output, process
from ubench.run.progress import Progress
from ubench.terminal import plain

IN_EVERY_TITLE = ("server", "store", "servers", "nodes", "ha")


class Series:
    """The runs of some plans on one testbed."""

    def __init__(
        self,
        plans: Sequence[Plan],
        measurer: Measurer,
        results: Path,
        shown: Progress,
        site: SiteConfiguration | None = None,
    ) -> None:
        """`results`: the file that lines are appended to. `shown`: how far the series is."""
        self._plans = plans
        self._measurer = measurer
        self._testbed = measurer.testbed
        self._store = measurer.store
        self._results = results
        self._site = site
        self._shown = shown
        self._progress = SeriesProgress(shown, sum(plan.runs for plan in plans))
        self._varying = varying_names([title_members(plan) for plan in plans])
        self._identity: Identity | None = None  # that the databases were started for

    def run(self) -> list[Line]:
        """Carry out the runs that the file of results does not have yet.

        Returns the lines of all runs of the plans, also of those that it had.
        """
        lines: list[Line] = []
        for _, plans in itertools.groupby(self._plans, lambda plan: replace(plan, prefix="")):
            lines += self._run_in_turn(list(plans))
        return lines

    def _run_in_turn(self, plans: Sequence[Plan]) -> list[Line]:
        """Carry out plans that differ in the prefix alone; return the lines of all their runs.

        Each block has a run of each plan.
        """
        identities: dict[str, Identity] = {}
        for block in range(1, plans[0].runs + 1):
            for plan in random.sample(plans, len(plans)):
                subject = Subject(plan, Installation(plan.prefix), self._site)
                subject.installation.link_hooks(self._testbed.hooks, self._site)
                identity = identify(subject, self._testbed)
                identities[plan.prefix] = identity
                if len(self._runs_of(identity)) < block:
                    title = self._title(title_members(plan))
                    self._progress.begin(title, f"run {block} of {plan.runs}: {title}")
                    self._run_once(subject, identity, block_labels(plans, block))
                    self._progress.end()
                else:
                    self._progress.skip()
        return [line for identity in identities.values() for line in self._runs_of(identity)]

    def _run_once(self, subject: Subject, identity: Identity, labels: Mapping[str, str]) -> None:
        """Carry out a run and append its line.

        The databases are those of the run before if that had the same identity.
        """
        absent = self._absent_libraries()
        if absent:
            names = ", ".join(absent)
            self._shown.print(f"  left out, since this Kea has no such hook library: {names}")
        if identity != self._identity:
            version = str(identity["server_version"])
            self._store.start_databases(subject.plan, subject.installation.root, version)
            self._identity = identity
        facts = self._store.facts(subject.plan)
        line: dict[str, object] = {
            "format": SERVER_FORMAT,
            "started_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            **identity,
            "store_name": facts.name,
            "durability": facts.durability,
        }
        if self._site:
            line["replaced"] = [
                *self._site.replaced,
                *(f"hooks-libraries: {name}, which this Kea does not have" for name in absent),
            ]
        if labels:
            line["labels"] = labels
        result = self._measurer.run(subject, self._progress.advance)
        output.append_line(self._results, {**line, **result})

    def _absent_libraries(self) -> list[str]:
        """Return the hook libraries of the site that the measured Kea does not have."""
        if self._site is None:
            return []
        return absent_libraries(self._site.members, self._testbed.hooks)

    def _runs_of(self, identity: Identity) -> list[Line]:
        return list(runs_alike(output.read_objects(self._results), identity))

    # ---- What people see

    def _title(self, members: Mapping[str, object]) -> str:
        """Return one line for a plan, or for a line of results: the server, and what varies."""
        words = [str(members["server"]), str(members["store"])]
        if members.get("servers"):
            words[-1] += f", {members['servers']} servers on one database"
        if members.get("nodes"):
            words[-1] += f" of {members['nodes']} nodes"
        if members["ha"] != "none":
            words.append(f"pair ({members['ha']})")
        words += [
            f"{name}={members[name]}"
            for name in self._varying
            if members.get(name) and name not in IN_EVERY_TITLE
        ]
        return plain(" ".join(words))

    def show(self, lines: Sequence[Line]) -> None:
        """Print the tables of these runs, and the seconds of those of the command seconds."""
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        process.run([paths.program("ubench_report"), "tables", "-"], stdin=text)
        for line in lines:
            seconds = line.get("seconds_each")
            if line["command"] == "seconds" and isinstance(seconds, list):
                print(f"\n{self._title(line)}, second by second: granted of asked")
                for text in second_lines(seconds, line.get("seconds_by_server", [])):
                    print(text)


class SeriesProgress:
    """How far a series of runs is; each takes about the same time."""

    def __init__(self, shown: Progress, total: int) -> None:
        """`total`: the number of runs."""
        self._shown = shown
        self._total = total
        self._done = 0
        self._begun_s = time.monotonic()
        self._title = ""

    def skip(self) -> None:
        """Count off a run that the file of results has already."""
        self._total -= 1

    def begin(self, title: str, line: str) -> None:
        """Print a line for a run that is about to be carried out."""
        self._title = title
        self._shown.print(line)
        self.advance(0.0)

    def advance(self, share: float) -> None:
        """Show that this share of the current run is done, 0 to 1."""
        done = self._done + share
        elapsed_s = time.monotonic() - self._begun_s
        left_s = elapsed_s / done * (self._total - done) if done else None
        self._shown.show(done / self._total, self._title, left_s)

    def end(self) -> None:
        """Count a run that was carried out."""
        self._done += 1


def second_lines(seconds: Sequence[Line], by_server: Sequence[Sequence[Line]]) -> Iterator[str]:
    """Yield a line for each second: the sum, and each of several servers."""
    parts = itertools.zip_longest(seconds, *by_server, fillvalue={"granted": 0, "asked": 0})
    for number, (both, *servers) in enumerate(parts, 1):
        shown = [f"{each['granted']} of {each['asked']}" for each in (both, *servers)]
        shares = [f"; server {server}: {text}" for server, text in enumerate(shown[1:], 1)]
        yield f"{number:6d}       {shown[0]}{''.join(shares)}"


def title_members(plan: Plan) -> dict[str, object]:
    """Return the members of a plan that its title may have."""
    return {**plan.members(), "prefix": plan.prefix}


def varying_names(members: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the names of the members in which plans differ, in their order."""
    names = dict.fromkeys(name for each in members for name in each)
    return [name for name in names if _differs(members, name)]


def _differs(members: Iterable[Mapping[str, object]], name: str) -> bool:
    return len({str(each.get(name)) for each in members}) > 1


def block_labels(plans: Sequence[Plan], block: int) -> dict[str, str]:
    """Return the labels of runs that take turns; none for those of a single plan."""
    if len(plans) == 1:
        return {}
    return {"campaign": " ".join(plan.prefix for plan in plans), "block": str(block)}
