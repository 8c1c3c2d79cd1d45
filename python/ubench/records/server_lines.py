# SPDX-License-Identifier: ISC
"""Lines of whole DHCP servers under perfdhcp: ubench-kea/1.

The figure of a line is the conditional throughput of a search (RFC 9971), the maximum that an
earlier search found, or a rate that somebody published. Other commands than a search have one trial
at a given rate, or of a storm, which has no figure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from ubench.records import former_lines
from ubench.records.members import Line, durability
from ubench.records.observation import (
    UNKNOWN,
    Amount,
    Block,
    How,
    Load,
    Observation,
    Origin,
    Product,
    Sample,
    Source,
    Warned,
)
from ubench.records.perfdhcp_output import asked_again
from ubench.records.runner_lines import block
from ubench.records.server import Second, ServerGoal, ServerMeasurement, ServerTrial
from ubench.records.where import read_where

IMPORTED_LOSS = 0.025  # of the clients of an imported run; a server that loses more is overloaded
KEPT_UP = 0.98  # the share of the requested rate that a server grants if it keeps up
MOST_OTHER = 0.05  # a larger share of the processors that others used is worth a warning

# The members that tell configurations apart, in the order of a label.
SETTINGS = (
    "server", "store", "sync", "threads", "cpus", "queue", "delayed_ack", "pool", "classes",
    "max_lost", "within_s", "processors", "hook", "hook_ms", "servers", "nodes", "allocator",
    "ha", "ha_delay_s", "kill_s", "full", "subnets", "reservations", "hosts", "leases", "renew",
    "renew_old", "release", "renewals", "cache_threshold", "where", "set", "config",
)
# Requests besides those of new clients, which make it another load.
BESIDE = {
    "renew": "renewals",
    "renew_old": "renewals of old leases",
    "release": "releases",
}
# The facts that name the build of Kea, and their members.
BUILD = {
    "Kea build-id": "server_build",
    "Kea libraries": "server_libraries",
    "Kea library": "server_library",
}

POOL_TOO_SMALL = Warned(
    "load-limit",
    "the pool had no address for all clients of some trials: the server may grant more (--pool)",
)
LIMITED_BY_LOAD = Warned(
    "load-limit", "perfdhcp could not send faster: the server may take more"
)
NO_LOWER_BOUND = Warned("search", "the search found no lower bound, and so no rate")
NO_UPPER_BOUND = Warned("search", "the search found no upper bound: the server may take more")
NOT_CONFIRMED = Warned(
    "search", "the trials at the lower bound disagree, so the rate is not confirmed"
)
OVERLOADED = Warned("search", "the server lost more than 2.5 % of the clients: it was overloaded")
ASKED_NO_MORE = Warned("load-limit", "perfdhcp asked for no more: the server may take more")
NOT_WATCHED = Warned("other", "imported: it is not known what else the machine did")
ASKED_AGAIN = Warned(
    "other",
    "few clients asked again and again, so most had a lease, which Kea 3 may grant without a write",
)
OTHER_WORK = "other work used {:.0f} % of the processors"


def observe(line: Line, source: Source) -> Observation:
    """Return the observation of a line that its schema accepts."""
    program = program_of(line)
    measured = measurement(line)
    database, _, version = line.get("store_name", "").rpartition(" ")
    facts = {program: line["server_version"]}
    if database:
        facts[database] = version
    facts.update({fact: line[name] for fact, name in BUILD.items() if name in line})
    product = former_lines.product(line["store"], facts)
    return Observation(
        source=source,
        origin=Origin.SERVER,
        program=program,
        program_version=line["server_version"],
        store=line["store"] if line["store"] == program else f"{program}/{line['store']}",
        keeper=line["store"],
        product=Product(product["name"], product["version"], facts[product["name"]]),
        durability=durability(former_lines.durability_members(line["durability"])),
        load=requested_load(line, measured),
        samples=samples(line, measured),
        server=measured,
        parameters=parameters(line, measured),
        facts=facts,
        labels=line.get("labels", {}),
        host=line["host"],
        started_at=line.get("started_at", ""),
        published=line.get("published", ""),
        incomplete=measured.is_search and not measured.rate,
        warnings=tuple(server_warnings(line, measured)),
    )


def program_of(line: Line) -> str:
    """Return the name of the server's program."""
    server: str = line["server"]
    if server != "kea":
        return server
    return "kea-dhcp6" if line["family"] == 6 else "kea-dhcp4"


def requested_load(line: Line, measured: ServerMeasurement) -> Load:
    """Return what was asked of the server. Publications may not say how many threads it had."""
    return Load(
        workload=workload(line),
        family=6 if line["family"] == 6 else 4,
        threads=line.get("threads") or 1,
        exchanges=True,
        open=not measured.is_search,
        reference=line.get("labels", {}).get("role") == "reference",
        shares_pool=line.get("servers", 1) > 1,
    )


def workload(line: Line) -> str:
    """Return the command, and the requests besides those of new clients."""
    beside = [f"{line[name]} {requests}" for name, requests in BESIDE.items() if line.get(name)]
    command = f"server {line['command']}"
    return f"{command}, {' and '.join(beside)} to 100 new clients" if beside else command


def unnumbered_threads(line: Line) -> str | None:
    """Return what stands for the threads of a line that has no number of them."""
    if "threads" in line:
        return "several"
    return UNKNOWN if "imported" in line else None


def parameters(line: Line, measured: ServerMeasurement) -> dict[str, str]:
    """Return the settings that tell configurations apart, as if they had been typed.

    Those that are 0, empty or "none" are left out.
    """
    values: dict[str, Any] = {
        "workload": workload(line),
        "ipv6": "yes" if line["family"] == 6 else "",
    }
    for name in SETTINGS:
        value = line.get(name)
        if name == "threads" and value is None:
            value = unnumbered_threads(line)
        if isinstance(value, dict):
            # Unlike those of the line, members of --set that are 0 were asked for.
            values.update({f"{name}.{key}": str(each) for key, each in value.items()})
        else:
            values[name] = value
    if measured.is_earlier:
        values["search"] = "earlier"
    elif measured.rough:
        values["search"] = "rough"
    if not measured.is_search:
        trial = measured.trials[0]
        if trial.duration_s:
            values["clients"] = line.get("clients")
        else:
            values["rate"] = float(trial.offered or 0)
    return {
        name: _typed(value)
        for name, value in values.items()
        if value and value != "none"
    }


def _typed(value: object) -> str:
    """Return a value as it would be typed."""
    if value is True:
        return "yes"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


# ---- What was measured


def measurement(line: Line) -> ServerMeasurement:
    """Return the trials and the figures of a line."""
    trials = tuple(trial(each) for each in line.get("trials", ()))
    goals = tuple(goal(each) for each in line.get("goals", ()))
    rate = line.get("rate")
    is_search = "rate" in line or len(trials) != 1
    best = best_of_search(trials, goals, rate) if is_search else trials[0]
    return ServerMeasurement(
        command=line["command"],
        server=line["server"],
        trials=trials,
        rate=rate,
        goals=goals,
        rough=line.get("rough", False),
        limited_by_load=line.get("limited_by_load", False),
        is_search=is_search,
        is_earlier=rate is not None and not goals and not line.get("published"),
        best=best,
        within_s=line["within_s"],
        trial_s=line.get("seconds", 0),
        seconds=tuple(
            Second(each["asked"], each["granted"]) for each in line.get("seconds_each", ())
        ),
        members=line,
    )


def trial(members: Line) -> ServerTrial:
    """Return one trial."""
    return ServerTrial(
        offered=members.get("offered"),
        sent=members["sent"],
        granted=members["granted"],
        lost=members["lost"],
        kept_up=members.get("kept_up", False),
        holds=members.get("holds", False),
        granted_per_s=members.get("granted_per_s"),
        elapsed_s=members["elapsed_s"],
        cores=members["cores"],
        processor_s=members["processor_s"],
        renewals_received=members.get("renew", {}).get("received", 0),
        duration_s=members.get("duration_s"),
        resent=members.get("resent"),
        stored=members.get("stored"),
        members=members,
        where=read_where(members.get("where")),
    )


def goal(members: Line) -> ServerGoal:
    """Return the result of a search for one goal."""
    return ServerGoal(
        max_lost=members["max_lost"],
        trial_s=members["trial_s"],
        lower=members["lower"],
        upper=members["upper"],
        rate=members["rate"],
        confirmed=members["confirmed"],
    )


def best_of_search(
    trials: Sequence[ServerTrial], goals: Sequence[ServerGoal], rate: float | None
) -> ServerTrial | None:
    """Return the trial that the rate comes from, or the one next to it if that is a median of two.

    Of an earlier search it is the highest rate that held.
    """
    if not goals:
        held = [trial for trial in trials if trial.holds and trial.kept_up]
        return max(held, key=lambda trial: trial.offered or 0, default=None)
    at_lower = [trial for trial in trials if trial.kept_up and trial.offered == goals[0].lower]
    return min(
        at_lower, key=lambda trial: abs((trial.granted_per_s or 0) - (rate or 0)), default=None
    )


def samples(line: Line, measured: ServerMeasurement) -> tuple[Sample, ...]:
    """Return the rate of a search, for the exchange that gives a client its lease.

    Of a published rate no trial is known.
    """
    if not measured.is_search or not measured.rate:
        return ()
    best = measured.best
    of_block: Block | None = block(line.get("labels", {}))
    sample = Sample(
        name="sarr" if line["family"] == 6 else "dora",
        rate=measured.rate,
        how=How.ALONE,
        operations=best.granted if best else None,
        elapsed_s=best.granted / measured.rate if best else None,
        leases=leases(best),
        block=of_block,
        amount=None if line.get("published") else amount(measured),
    )
    return (sample,)


def leases(best: ServerTrial | None) -> int:
    """Return the leases in the store at the end of a trial, which began empty; 0 if not known."""
    if best is None:
        return 0
    return best.granted if best.stored is None else best.stored


def amount(measured: ServerMeasurement) -> Amount:
    """Return what all trials of a search granted, and how long they sent."""
    return Amount(measured.granted, measured.trial_s * len(measured.trials))


# ---- Warnings


def server_warnings(line: Line, measured: ServerMeasurement) -> Iterator[Warned]:
    """Yield why the figures may be wrong."""
    if line.get("warning"):
        yield Warned("other", line["warning"])
    free = line.get("pool", math.inf) - line.get("leases", 0)
    if measured.is_search and any(trial.sent > free for trial in measured.trials):
        yield POOL_TOO_SMALL
    if measured.limited_by_load:
        yield LIMITED_BY_LOAD
    if "imported" in line:
        yield from doubts_of_import(line["imported"], line["rate"])
    if measured.goals:
        yield from search_warnings(measured.goals[0], measured.limited_by_load)
    if measured.best is not None:
        share = other_work(measured.best)
        if share > MOST_OTHER:
            yield Warned("other-work", OTHER_WORK.format(share * 100))


def doubts_of_import(imported: Line, rate: float) -> Iterator[Warned]:
    """Yield what a run of perfdhcp leaves open that ubench did not watch."""
    yield NOT_WATCHED
    if asked_again(imported.get("clients"), imported["granted"]):
        yield ASKED_AGAIN
    if imported["lost"] > IMPORTED_LOSS:
        yield OVERLOADED
    elif rate >= KEPT_UP * imported.get("offered", math.inf):
        yield ASKED_NO_MORE


def search_warnings(goal: ServerGoal, limited_by_load: bool) -> Iterator[Warned]:
    """Yield why the bounds of a search are not what they should be."""
    if goal.lower is None:
        yield NO_LOWER_BOUND
    elif goal.upper is None and not limited_by_load:
        yield NO_UPPER_BOUND
    elif not goal.confirmed:
        yield NOT_CONFIRMED


def other_work(trial: ServerTrial) -> float:
    """Return the share of the machine's processor time that was used by other programs."""
    available_s = trial.elapsed_s * trial.cores
    return trial.processor_s["other"] / available_s if available_s else 0.0
