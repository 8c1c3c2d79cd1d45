# SPDX-License-Identifier: ISC
"""Whole DHCP servers with their lease store under perfdhcp, as scripts/dhcp writes them:
lines of ubench-kea/1, and their tables.

The figure of such a result is a search's conditional throughput, in the words of RFC 9971; or what
became of one trial at a given rate, or of one storm."""

from __future__ import annotations

import math
from typing import Any

from report import figures, results, rows, stats
from report.table import Output, Table

MOST_OTHER = 0.05  # a larger share of the processors that others used is worth a warning
MOST_NS = 1 << 60
RATE_ALONE = 1000000  # leases of a published rate, of which no trial is known

# The members that tell configurations apart, in the order of a label.
SETTINGS = ("server", "store", "sync", "threads", "queue", "delayed_ack", "pool", "classes",
            "max_lost", "within_s", "processors", "hook", "hook_ms", "ha", "ha_delay_s", "kill_s",
            "full", "subnets", "reservations", "hosts", "leases", "renew", "renew_old",
            "release", "renewals", "cache_threshold", "set", "config")
BESIDE = {"renew": "renewals", "renew_old": "renewals of old leases", "release": "releases"}
BUILD = {"Kea build-id": "server_build", "Kea libraries": "server_libraries",
         "Kea library": "server_library"}
RATES_NOTE = ("A whole DHCP server under perfdhcp.  lower, upper: the relevant bounds of RFC 9971, "
              "in clients per second: the highest load at which two of three trials lost few "
              "clients, and the lowest above it at which they lost more; of several runs the "
              "lowest and the highest.  leases/s: new leases per second at the lower bound, the "
              "median of its trials, and of the runs, with its interval or the lowest and highest. "
              " strict: the same if at most 0.1 % may be lost, by the same trials.  us: processor "
              "time for each lease, of the server, its database and perfdhcp.")
EARLIER_NOTE = ("found by an earlier search, which reported the maximum of its trials: it has no "
                "bounds, and a noisy server looks faster than it is.")
ROUGH_NOTE = ("rough: the trials were shorter than 10 s, and in short ones a server that queues "
              "looks faster.")
# Tables of what a trial at a rate has besides: the member or command, heads, members, a note.
MORE = [
    ("failover", "a server killed|lost>|back after [s]>|killed's alone>|other's alone>|"
                 "again after>|differ>", "lost back_s only_killed only_survivor again_s differ",
     "Lost clients; seconds until 9 of 10 had answers again; leases that only the killed server "
     "had, and only the other; seconds from its restart to its service; leases that differ then."),
    ("expire", "leases that ran out|leases>|reclaimed>|in an hour>|left>|no answer [s]>",
     "leases reclaimed per_hour left silent_s", "In an hour: by the time since the server began."),
    ("start", "start|leases>|answers after [s]>|memory [MB]>", "leases start_s memory_mb",
     "From the start of the server to its first answer, with leases in its store."),
    ("lfc", "lease file|leases>|clean-up [s]>|memory [MB]>|no answer [s]>",
     "leases duration_s memory_mb silent_s", "The time and the memory of kea-lfc.")]


def is_search(line: dict) -> bool:
    """Other commands have one trial, at a given rate or of a storm."""
    return line.get("rate") is not None or len(line.get("trials", ())) != 1


def goals(line: dict) -> list[dict]:
    """The result of a search for each of its goals; an earlier search has none."""
    return line.get("goals", [])


def is_earlier(line: dict) -> bool:
    """Whether an earlier search found the rate, whose figure was the maximum of its trials."""
    return line.get("rate") is not None and not goals(line) and not line.get("published")


def best_trial(line: dict) -> dict | None:
    """The trial that the rate comes from, or the one next to it if that is a median of two; of an
    earlier search the highest that held; of other commands the only one."""
    trials = line.get("trials", ())
    if not is_search(line):
        return trials[0]
    if not goals(line):
        return max(filter(held, trials), key=lambda trial: trial.get("offered", 0), default=None)
    lower = goals(line)[0]["lower"]
    there = [trial for trial in trials
             if trial.get("kept_up") and trial.get("offered") == lower]
    return min(there, key=lambda trial: abs(trial.get("granted_per_s", 0) - line["rate"]),
               default=None)


def held(trial: dict) -> bool:
    """Few clients were lost, and perfdhcp was fast enough."""
    return bool(trial.get("holds") and trial.get("kept_up"))


def cost_us(trial: dict | None, part: str) -> float | None:
    """Microseconds of processors for each lease, new or renewed: of "server", "store", "load"."""
    seconds = (trial or {}).get("processor_s", {}).get(part)
    exchanges = trial["granted"] + trial.get("renew", {}).get("received", 0) if trial else 0
    return None if seconds is None or not exchanges else seconds * 1e6 / exchanges


def describe(line: dict) -> dict:
    """The members that it has in common with the results of stores."""
    name = line["server"]
    program = name if name != "kea" else "kea-dhcp6" if line["family"] == 6 else "kea-dhcp4"
    product, _, version = line.get("store_name", "").rpartition(" ")
    run = _run(line)
    return {"program": program, "version": line["server_version"],
            "store": line["store"] if line["store"] == name else f"{program}/{line['store']}",
            "parameters": _parameters(line), "warnings": _warnings(line),
            "facts": {program: line["server_version"], **({product: version} if product else {}),
                      **{fact: line[of] for fact, of in BUILD.items() if of in line}},
            "incomplete": run["incomplete"], "runs": [run]}


def _parameters(line: dict) -> dict[str, str]:
    # With requests beside those of new clients it is another load.
    beside = " and ".join(f"{line[name]} {what}" for name, what in BESIDE.items() if line.get(name))
    found: dict[str, Any] = {"workload": f"server {line['command']}"
                             + f", {beside} to 100 new clients" * bool(beside),
                             "ipv6": "yes" if line["family"] == 6 else ""}
    if line.get("threads", 1) is None:
        line = {**line, "threads": "several"}
    for name in SETTINGS:
        value = line.get(name)
        found.update({f"{name}.{key}": str(of) for key, of in value.items()}
                     if isinstance(value, dict) else {name: value})
    if is_earlier(line):
        found["search"] = "earlier"
    elif line.get("rough"):
        found["search"] = "rough"
    if not is_search(line):
        trial = line["trials"][0]
        found.update({"clients": line.get("clients")} if trial.get("duration_s") else
                     {"rate": float(trial.get("offered", 0))})
    return {name: f"{value:.6g}" if isinstance(value, float) else str(value)
            for name, value in found.items() if value and value != "none"}


def _warnings(line: dict) -> list[dict]:
    found = [("other", line["warning"])] if line.get("warning") else []
    free = line.get("pool", math.inf) - line.get("leases", 0)
    if is_search(line) and any(trial.get("sent", 0) > free for trial in line.get("trials", ())):
        found.append(("load-limit", "the pool had no address for all clients of some trials: the "
                      "server may grant more (--pool)"))
    if line.get("limited_by_load"):
        found.append(("load-limit", "perfdhcp could not send faster: the server may take more"))
    found += [("search", text) for text in _doubts(line)]
    best = best_trial(line)
    of_s = best["elapsed_s"] * best["cores"] if best else 0
    if of_s and (share := best["processor_s"]["other"] / of_s) > MOST_OTHER:
        found.append(("other-work", f"other work used {share * 100:.0f} % of the processors"))
    return [{"code": code, "text": text} for code, text in found]


def _doubts(line: dict) -> list[str]:
    """Why the bounds of a search are not what they should be."""
    if not goals(line):
        return []
    first = goals(line)[0]
    if first["lower"] is None:
        return ["the search found no lower bound, and so no rate"]
    if first["upper"] is None and not line.get("limited_by_load"):
        return ["the search found no upper bound: the server may take more"]
    if not first["confirmed"]:
        return ["the trials at the lower bound disagree, so the rate is not confirmed"]
    return []


def _ns(seconds: float) -> int:
    return int(min(seconds * 1e9 + 0.5, MOST_NS)) if seconds > 0 else 0


def _run(line: dict) -> dict:
    """A search of the highest rate; or a trial at a given rate, or a storm.  perfdhcp does not tell
    how long single answers took."""
    best, rate, seconds = best_trial(line), line.get("rate"), line.get("seconds", 0)
    leases = best["granted"] if best else RATE_ALONE if rate is not None else 0
    phase = {**results.PHASE, "name": "sarr" if line["family"] == 6 else "dora",
             "operations": leases, "elapsed_ns": _ns(leases / rate if rate else seconds)}
    run = {"incomplete": is_search(line) and not rate, "together": False, "verified": True,
           "phases": [phase], "processor_ns": 1e3 * (cost_us(best, "server") or 0),
           "cost_us": {part: cost_us(best, part) for part in ("server", "store", "load")}}
    if is_search(line):
        return run
    sent, granted, storm_s = best["sent"], best["granted"], best.get("duration_s")
    kept_up, resent = storm_s or best.get("kept_up"), best.get("resent")
    run["trials"] = [{
        "rate_per_s": best.get("offered", 0), "deadline_ns": _ns(line["within_s"]),
        "offered": sent, "answered": granted, "late": 0, "dropped": 0, "failed": 0,
        "unanswered": sent - granted, "bad_share": (sent - granted) / sent if sent else 0,
        "in_time_per_s": 0 if storm_s else granted / max(seconds, 1), "response": None,
        "incomplete": False, "grew": False,
        "invalid": None if kept_up else "perfdhcp fell behind its own schedule"}]
    if storm_s:
        run["storm"] = {"clients": sent, "served": granted, "sent": sent + (resent or 0),
                        "retransmitted": resent, "served_50_ns": 0, "served_99_ns": 0,
                        "served_100_ns": _ns(storm_s) if granted == sent else None}
    return run


def print_tables(searches: list[rows.Section], opened: list[rows.Section], out: Output) -> None:
    """searches: of highest rates.  opened: of any open loops, for what those of servers have."""
    for section in searches:
        out.heading(title_of(section))
        table = Table("DHCP server|leases/s>|from>|to>|lower>|upper>|strict>|runs>")
        times = Table("processor time|server us>|db us>|load us>")
        for row in section.rows:
            rate = rows.Summary(row, results.rate)
            text = (lambda value: figures.count(figures.half_up(value))) if row.cls is None else \
                figures.figure
            costs = (rows.Summary(row, lambda run, part=part: run["cost_us"][part])
                     for part in ("server", "store", "load"))
            table.add(row.label, text(rate.median) if rate.values else None,
                      *(text(value) if len(rate.values) > 1 else None
                        for value in (rate.low, rate.high)), *_bounds(row.results),
                      len(row.runs))
            times.add(row.label, *(f"{of.median:.0f}" if of.values else None for of in costs))
        out.tables(table, times)
    if searches:
        out.note(RATES_NOTE)
        for note in search_notes([line for section in searches for row in section.rows
                                  for line in row.results]):
            out.note(note)
    _print_more(opened, out)
    found = [result for section in [*searches, *opened] for row in section.rows
             for result in row.results if result["kind"] == "server"]
    warned = [result["warned"] for result in found if result["warned"]]
    if warned:
        out.warning(f"{len(warned)} of {len(found)} results of servers: {warned[0]}")


def _bounds(lines: list[dict]) -> list[str | None]:
    """The relevant bounds of these runs, and the rate for the second goal."""
    first = [goals(line)[0] for line in lines if goals(line)]
    second = [goals(line)[1]["rate"] for line in lines if len(goals(line)) > 1]
    lower = [goal["lower"] for goal in first if goal["lower"] is not None]
    upper = [goal["upper"] for goal in first]
    strict = [rate for rate in second if rate is not None]
    return [figures.count(min(lower)) if lower else None,
            figures.count(max(upper)) if upper and None not in upper else None,
            figures.figure(stats.median(strict)) if strict else None]


def search_notes(lines: list[dict]) -> list[str]:
    """The limits of the rates of these results of searches."""
    counts = ((sum(map(is_earlier, lines)), EARLIER_NOTE),
              (sum(bool(line.get("rough")) for line in lines), ROUGH_NOTE))
    return [f"{count} of {len(lines)} rates: {note}" for count, note in counts if count]


def bounds_table(named: list[tuple[str, list[dict]]]) -> Table:
    """The relevant bounds of the rates of servers, by name; without rows if there are none."""
    table = Table("whole server|leases/s>|lower bound>|upper bound>|strict>")
    for name, lines in named:
        found = [goals(line)[0]["rate"] for line in lines if goals(line)]
        known = [rate for rate in found if rate is not None]
        if known:
            table.add(name, figures.figure(stats.median(known)), *_bounds(lines))
    return table


def title_of(section: rows.Section) -> str:
    """The heading of a section's tables, also of stores and of open loops."""
    found = [row.results[0] for row in section.rows]
    before = "open loop, " * found[0]["open"]
    pairs = {results.parameter(result, "ha") or "" for result in found}
    if found[0]["kind"] == "server" and len(pairs) == 1 and any(pairs):
        before += f"{pairs.pop()} pair, "
    # No label has the version or the threads if they are those of all rows.
    if found[0]["kind"] == "server" and not found[0]["open"]:
        versions = {f"{result['program']} {result['version']}" for result in found}
        threads = {results.parameter(result, "threads") for result in found}
        before += f"{versions.pop() if len(versions) == 1 else 'DHCP servers'}, "
        before += "".join(f"{of} thread{'s' * (of != '1')}, " for of in threads) * (
            len(threads) == 1)
    return f"{before}{section.heading}: {section.meaning}"


def _print_more(opened: list[rows.Section], out: Output) -> None:
    for name, heads, members, note in MORE:
        table = Table(heads)
        for label, line in ((row.label, line) for section in opened for row in section.rows
                            for line in row.results if name in (line.get("command"), *line)):
            of = {**line, **line["trials"][0], **line.get(name, {})}
            table.add(label, *(
                figures.count(of[member]) if type(of[member]) is int else
                of[member] and figures.figure(of[member]) for member in members.split()))
        if table.rows:
            out.gap()
            out.tables(table)
            out.note(note)
