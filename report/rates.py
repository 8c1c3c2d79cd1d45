# SPDX-License-Identifier: ISC
"""How often per second a setup did what a DHCP client asks for: as it was measured, or, where only
the phases were, estimated from these."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from report import figures, results, rows, servers, stats, stores

# The operations that those which an answer needs ask of the store, by IPv4 or IPv6, and how often
STEPS = {
    ("dora", 4): (("search", 7), ("create", 1)), ("sarr", 6): (("search", 4), ("create", 1)),
    ("dora-known", 4): (("search", 3), ("update", 1)),
    ("init-reboot", 4): (("search", 3), ("update", 1)),
    ("renew", 4): (("search", 2), ("update", 1)), ("renew", 6): (("search", 1), ("update", 1)),
}

# How a rate is known, the preferred first: the exchange was measured by itself; a search found it
# in an open loop; it is the sum of its steps, each as long as in its phase.
ALONE, SUSTAINED, ESTIMATED = KINDS = ("alone", "sustained", "estimated")


class Rate(NamedTuple):
    kind: str = ""      # "": not known
    source: str = ""    # "renew"; "2 searches + 1 update"; or why it is not known
    per_s: float = 0.0  # the median of the runs
    least: float = 0.0  # the run that did least
    runs: int = 0
    operations: int = 0  # of each run; 0: not the same for all
    leases: int = 0      # that were in the store
    points: Sequence[stats.Point] = ()


def sustained(run: dict) -> float:
    """The rate that a search confirmed for all of its limits; 0 if there is none."""
    return min((goal["verified"] and goal["low_per_s"] or 0.0 for goal in run.get("goals", ())),
               default=0.0)


def rate_of_run(result: dict, run: dict, name: str, steps: tuple) -> tuple[str, float, str]:
    """How a run gives the rate of an exchange, and the rate; 0 if it does not, and why."""
    phase, alone = results.find_phase(run, name), len(run["phases"]) == 1
    if result["batched"]:
        return "", 0.0, "a server commits each lease by itself"
    if result["server_time"]:
        return "", 0.0, "the rates contain a server's time"
    if results.is_open(run):
        return SUSTAINED, sustained(run) if phase and alone else 0.0, \
            "an open loop, no rate confirmed"
    why = "in a mix the share of each exchange is given" if run["together"] else \
        f"no {name}, nor its steps"
    if phase:
        return ALONE, results.phase_rate(phase) if alone or not run["together"] else 0.0, why
    known = {of["name"]: results.phase_rate(of) for of in run["phases"]}
    if not steps or not all(known.get(step) for step, _ in steps):
        return ESTIMATED, 0.0, why
    return ESTIMATED, 1 / sum(count / known[step] for step, count in steps), why


def leases_of(result: dict, run: dict) -> int:
    """Leases in the store when the last operation was done."""
    best = servers.best_trial(result) if result["kind"] == "server" else None
    if best:  # the store is emptied before each trial
        return best["granted"] if best.get("stored") is None else best["stored"]
    whole = {"phases": run.get("whole", run["phases"])}  # a block of a duel is a part of it
    made = (results.find_phase(whole, name) for name in ("create", "dora", "sarr"))
    return results.count_parameter(result, "preload", 0) + \
        sum(phase["operations"] for phase in made if phase)


def block_of(result: dict) -> tuple | None:
    labels = result["labels"]
    return (labels.get("campaign"), labels.get("order-seed"), labels["block"]) \
        if "block" in labels else None


def gather(row: rows.Row, name: str, kind: str, rtt_s: float) -> Rate | None:
    """The rate of a row for an exchange.  Where runs had different numbers of leases in the store,
    those with more than half of the most count: a server never grants twice the same.  Each step
    waits rtt_s longer for a database server, in each thread."""
    first = row.results[0]
    steps = STEPS.get((name, first["family"]), ())
    wait_s = rtt_s * sum(count for _, count in steps) * stores.keeper(first).server / \
        results.threads(first)
    known = [(1 / (1 / rate + wait_s), leases_of(result, run), result, run)
             for result, run in row.runs for how, rate, _ in [
                 rate_of_run(result, run, name, steps)] if how == kind and rate > 0]
    if not known:
        return None
    leases = max(of for _, of, _, _ in known)
    used = [one for one in known if leases == 0 or 2 * one[1] > leases]
    points = [(math.log(rate), block_of(result)) for rate, _, result, _ in used]
    counts = {run["phases"][0]["operations"] for _, _, _, run in used}
    source = {ALONE: name, SUSTAINED: f"{name}, sustained", ESTIMATED: " + ".join(
        figures.plural(count, phase).replace("searchs", "searches") for phase, count in steps)}
    return Rate(kind, source[kind], math.exp(stats.median([log for log, _ in points])),
                min(rate for rate, _, _, _ in used), len(used),
                counts.pop() if len(counts) == 1 else 0, leases, points)


def rate_of(row: rows.Row, *names: str, rtt_s: float = 0.0) -> Rate:
    """The rate for the first of some exchanges that was measured; else estimated."""
    found = (gather(row, name, kind, rtt_s) for kind in KINDS for name in names)
    return next(filter(None, found), None) or Rate(
        source=rate_of_run(*row.runs[0], names[0], ())[2] if row.runs else "no run is complete")


def rates_of(row: rows.Row, restart_new: bool, rtt_s: float) -> tuple[Rate, Rate]:
    """Renewals and restarts per second.  Of a server only new leases are measured."""
    renewals = rate_of(row, "renew", rtt_s=rtt_s)
    first = row.results[0]
    restarts = rate_of(row, *(["sarr"] if first["family"] == 6 else ["dora"] if restart_new else
                              ["dora-known", "init-reboot", "dora"]), rtt_s=rtt_s)
    if row.is_server and not renewals.kind:
        renewals = restarts._replace(kind=ESTIMATED, source="at most a server's new lease") \
            if restarts.kind else restarts
    return renewals, restarts
