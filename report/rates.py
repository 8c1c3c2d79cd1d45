# SPDX-License-Identifier: ISC
"""How often per second a setup did what a DHCP client asks for: as it was measured, or, where only
the phases were, estimated from these; and computed for a database or a disk elsewhere."""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from report import figures, results, rows, servers, stats, stores
from report.lines import knowledge

# How a rate is known, the preferred first: the exchange was measured by itself; a search found it
# in an open loop; it is the sum of its steps, each as long as in its phase.
ALONE, SUSTAINED, ESTIMATED = KINDS = ("alone", "sustained", "estimated")


# Values of PostgreSQL's synchronous_commit that wait for the log of the server itself.
WAITS = {"on", "local", "remote_write", "remote_apply"}

UNKNOWN_DISK = "how a store that was measured with these threads or on this disk gains or loses " \
    "by another sync is not known"


class Place(NamedTuple):
    """The differences to where a rate was measured."""
    rtt_s: float = 0.0           # each round trip to a database takes that much longer
    sync_s: float | None = None  # a sync of the disk takes that long; None: as it was


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
    return min((goal["verified"] and goal["in_time_per_s"] or 0.0 for goal in run.get("goals", ())),
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


def is_database(setup: rows.Row) -> bool:
    """True if its leases are in a database server, which can be on another machine."""
    return stores.keeper(setup.results[0]).server


def was_local(result: dict) -> bool:
    """True if the server of the database was on the machine of its client, as far as the line says
    it.  Without an address it was: that is the default of the runners, and scripts/dhcp starts
    private servers."""
    connection = result["facts"].get("connection", "")
    if "socket" in connection:
        return True
    named = re.match(r"(?:TCP to )?([^ ,]+)", connection)
    host = named[1] if named else results.parameter(result, "host")
    if not host or host.startswith("/") or host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


# On another disk each sync takes as much longer as that disk's does.


def settings_of(result: dict) -> dict[str, str]:
    """The settings that the class was computed from, as they were read back."""
    return {setting["name"]: setting["value"]
            for setting in result["durability"]["settings"]}


def syncs_of(result: dict) -> int | None:
    """How many syncs a change waits for, one after the other; None if that is not known."""
    settings, name = settings_of(result), stores.keeper(result).name
    if result["class"] is None:
        return None
    if name == "pgsql":
        return _postgresql(settings)
    if name == "mysql":
        return _mysql(settings)
    if name == "sqlite":
        level = settings.get("synchronous", "")
        if settings.get("journal_mode") != "wal" or not level:
            return None
        return int(level in ("FULL", "EXTRA"))
    if name in ("memfile", "kea"):
        return 1 if result["class"] == "power-safe" else 0
    return None


def _postgresql(settings: dict[str, str]) -> int | None:
    commit, fsync = settings.get("synchronous_commit"), settings.get("fsync")
    if commit == "off" or fsync == "off":
        return 0
    return 1 if commit in WAITS and fsync == "on" else None


def _mysql(settings: dict[str, str]) -> int | None:
    """The log of InnoDB, and the binary log if it is a file."""
    flush, binlog = settings.get("innodb_flush_log_at_trx_commit"), settings.get("log_bin")
    syncs = settings.get("sync_binlog", "0")
    if flush not in ("0", "1", "2") or binlog not in ("ON", "OFF") or syncs not in ("0", "1"):
        return None
    return int(flush == "1") + int(binlog == "ON" and syncs == "1")


def sync_s_of(result: dict) -> float | None:
    """How long a sync took on the disk of the store when it was measured."""
    ns = result["baselines"].get("fdatasync_ns")
    return ns / 1e9 if ns else None


def longer_s(result: dict, changes: int, sync_s: float | None) -> float | None:
    """The time by which an exchange with so many changes takes longer on a disk that syncs in
    sync_s; None if that cannot be computed: with several threads some syncs are shared."""
    if sync_s is None or not changes:
        return 0.0
    syncs, measured_s = syncs_of(result), sync_s_of(result)
    if syncs == 0:
        return 0.0
    if syncs is None or measured_s is None or results.threads(result) > 1:
        return None
    return changes * syncs * (sync_s - measured_s)


def elsewhere(result: dict, rate: float, steps: tuple, place: Place) -> float:
    """The rate in another place: each step waits for the network if the store is a database
    server, and each change for the syncs of the disk, in each thread.  0 if it is not known."""
    trips = sum(count for _, count in steps) if stores.keeper(result).server else 0
    changes = sum(count for step, count in steps if step != "search")
    sync_s = longer_s(result, changes, place.sync_s)
    if sync_s is None:
        return 0.0
    each_s = 1 / rate + place.rtt_s * trips / results.threads(result) + sync_s
    return 1 / each_s if each_s > 0 else 0.0


def gather(row: rows.Row, name: str, kind: str, place: Place) -> Rate | None:
    """The rate of a row for an exchange.  Where runs had different numbers of leases in the store,
    those with more than half of the most count: a server never grants twice the same."""
    first = row.results[0]
    steps = knowledge.steps(name, first["family"])
    measured = [(rate, result, run) for result, run in row.runs for how, rate, _ in [
        rate_of_run(result, run, name, steps)] if how == kind and rate > 0]
    known = [(rate, leases_of(result, run), result, run) for here, result, run in measured
             for rate in [elsewhere(result, here, steps, place)] if rate > 0]
    if measured and not known:
        return Rate(source=UNKNOWN_DISK)
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


def rate_of(row: rows.Row, *names: str, place: Place = Place()) -> Rate:
    """The rate for the first of some exchanges that was measured; else estimated."""
    found = (gather(row, name, kind, place) for kind in KINDS for name in names)
    return next(filter(None, found), None) or Rate(
        source=rate_of_run(*row.runs[0], names[0], ())[2] if row.runs else "no run is complete")


def rates_of(row: rows.Row, restart_new: bool, place: Place = Place()) -> tuple[Rate, Rate]:
    """Renewals and restarts per second.  Of a server only new leases are measured."""
    renewals = rate_of(row, "renew", place=place)
    first = row.results[0]
    restarts = rate_of(row, *(["sarr"] if first["family"] == 6 else ["dora"] if restart_new else
                              ["dora-known", "init-reboot", "dora"]), place=place)
    if row.is_server and not renewals.kind:
        renewals = restarts._replace(kind=ESTIMATED, source="at most a server's new lease") \
            if restarts.kind else restarts
    return renewals, restarts
