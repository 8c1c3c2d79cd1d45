# SPDX-License-Identifier: ISC
"""Refuses lines that contradict themselves though each member is as the schema says."""

from __future__ import annotations

import math
from datetime import datetime
from operator import ge

from report import figures, results

# Counts of one object: a whole, that its parts come to it or only to no more, and the parts.
COUNTS = {
    "operations": (True, "hits", "misses"), "count": (True, "hits", "misses"),
    "offered": (True, "answered", "dropped", "merged", "failed", "unanswered"),
    "answered": (False, "late"), "clients": (False, "served"), "sent": (False, "retransmitted"),
    "served_100_ns": (False, "served_99_ns"), "served_99_ns": (False, "served_50_ns"),
    "outages": (False, "ended"), "outage_ns": (False, "longest_ns"),
    "unknown": (False, "found_done", "repeated")}


def deny(is_wrong, place: str, text: str) -> None:
    if is_wrong:
        raise results.Damaged(f"{place}: {text}")


def check(line: dict, whole: bool) -> None:
    """Raises Damaged.  Buckets of histograms are looked at if they are there: whole."""
    for place, of in results.objects(line.get("runs", []), "runs"):
        check_object(place, of)
        if "buckets" in of:
            check_histogram(place, of, whole)
    for i, trial in enumerate(line.get("trials", ())):  # of a server
        deny(trial["granted"] > trial["sent"], f"trials[{i}].sent",
             f"is {trial['sent']}, and granted is {trial['granted']}")
    if line["format"] == "ubench-result/1":
        (check_published if "published" in line else check_result)(line)


def check_object(place: str, of: dict) -> None:
    for name, (exact, *parts) in COUNTS.items():
        values = [of.get(part) for part in parts] if of.get(name) is not None else [None]
        if None not in values:
            total = sum(values)
            deny(of[name] < total or (exact and of[name] != total), f"{place}.{name}",
                 f"is {of[name]}, and {' + '.join(parts)} is {total}")
    if "operations" in of:
        check_rate(place, of, "rate_per_s", results.phase_rate(of))


def check_rate(place: str, of: dict, name: str, wanted: float) -> None:
    """A rate may be null where it is no figure."""
    value = of.get(name)
    deny(value is not None and not math.isclose(value, wanted, rel_tol=1e-6, abs_tol=1e-9),
         f"{place}.{name}", f"is {value:.6g}, and the counts give {wanted:.6g}" if value else
         f"is {value}")


def check_histogram(place: str, of: dict, whole: bool) -> None:
    count, least, most, total = of["count"], of["min_ns"], of["max_ns"], of["sum_ns"]
    known = [of[f"{name}_ns"] for name in results.QUANTILES if of[f"{name}_ns"] is not None]
    deny(not (least <= most and count * least <= total <= count * most), f"{place}.sum_ns",
         f"is {total}, and {count} values are from {least} to {most}")
    deny(not math.isclose(of["mean_ns"], total / count, rel_tol=1e-9), f"{place}.mean_ns",
         f"is {of['mean_ns']:.6g}, and the sum gives {total / count:.6g}")
    deny(sorted([least, *known, most]) != [least, *known, most], f"{place}.p50_ns",
         "and the other quantiles are not in ascending order from min_ns to max_ns")
    if not whole:
        return
    lows, counts = zip(*of["buckets"]) if of["buckets"] else ((), ())
    deny(sum(counts) != count or not results.LOWS.issuperset(lows) or any(map(ge, lows, lows[1:])),
         f"{place}.buckets", f"are not those of {count} values in ascending order")
    deny([results.bucket_of(least), results.bucket_of(most)] != [lows[0], lows[-1]],
         f"{place}.buckets", "are not those of its min_ns and max_ns")
    for name, wanted in results.quantiles(of).items():
        stored = of[f"{name}_ns"]
        deny(stored != wanted, f"{place}.{name}_ns", f"is {stored}, and the buckets give {wanted}")


def check_published(line: dict) -> None:
    """Figures of others have no class, as no settings were read back, and nothing was verified."""
    text = "and the figures were published by others"
    deny(line["durability"]["class"] is not None, "durability.class", f"is not null, {text}")
    for i, run in enumerate(line["runs"]):
        for name in ("verified", "digest", "trials"):
            deny(name in run, f"runs[{i}].{name}", f"is there, {text}")


def check_result(line: dict) -> None:
    store, started, runs = line["store"], line.get("started_at"), line["runs"]
    threads = line["parameters"].get("threads", "1")
    for name in ("started_at", "incomplete"):
        deny(name not in line, name, "is missing")
    deny(line["durability"]["class"] is None, "durability.class",
         "is null, and the figures are not published ones")
    deny(line["program"] != f"{store}_ubench", "program",
         f"is {line['program']}, and the store is {store}")
    try:
        datetime.strptime(started, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        deny(True, "started_at", f"is {started}, which is no time")
    deny(not figures.scan_count(threads), "parameters.threads", f"is '{threads}', which cannot be")
    for i, run in enumerate(runs):
        check_run(line, run, f"runs[{i}]")
    deny(not results.is_open(runs[0]) and len({run["digest"] for run in runs if is_plain(run)}) > 1,
         "runs", "have not the same digest")


def is_plain(run: dict) -> bool:
    """Nothing was given up, and all of it was done."""
    return not run["incomplete"] and not any(
        phase.get(name) for phase in run["phases"] for name in ("deadlocks", "conflicts", "stale"))


def check_run(line: dict, run: dict, place: str) -> None:
    is_open, merged = results.is_open(run), len(line.get("parts", ())) > 1
    for name in ("verified", "leases_left", "digest", *["closed_loop", "predicted"] * is_open):
        deny(name not in run, f"{place}.{name}", "is missing")
    deny(run["verified"] != (line["store"] != "null"), f"{place}.verified",
         f"is {str(run['verified']).lower()}, and the store is {line['store']}")
    deny(run["leases_left"] > 0 and not run["incomplete"], f"{place}.leases_left",
         f"is {run['leases_left']}, and every answer was right")
    if is_open:
        deny(not run["trials"] and not run["incomplete"], f"{place}.trials", "is empty")
        for i, trial in enumerate(run["trials"]):
            check_trial(run, trial, f"{place}.trials[{i}]", merged)
        return
    threads = 0 if merged else results.threads(line)
    for i, phase in enumerate(run["phases"]):
        check_phase(run, phase, f"{place}.phases[{i}]", threads)


def check_phase(run: dict, phase: dict, place: str, threads: int) -> None:
    """threads: 0 if they were those of several processes."""
    done, elapsed, latency = phase["operations"], phase["elapsed_ns"], phase["latency"]
    deny(done > 0 and done // 1000 >= elapsed, f"{place}.operations",
         f"is {done} in {elapsed} ns, which nothing can do")
    deny(elapsed == 0 and not run["incomplete"] and not phase["incomplete"], f"{place}.elapsed_ns",
         "is 0, and the phase is complete")
    if latency is None:
        return
    count, plain = latency["count"], is_plain({**run, "phases": [phase]})
    deny(count < done or (count > done and plain), f"{place}.latency.count",
         f"is {count}, and operations is {done}")
    took = latency["sum_ns"] + (phase["commit"] or {"sum_ns": 0})["sum_ns"]
    deny(threads and took > 1.01 * threads * elapsed + 1000, f"{place}.latency.sum_ns",
         f"is {took} with commits, and {figures.plural(threads, 'thread')} had {elapsed} ns")


def check_trial(run: dict, trial: dict, place: str, merged: bool) -> None:
    """merged: of parts, whose rates were added, and whose waits are those of one."""
    in_time = (trial["answered"] - trial["late"]) * 1e9 / max(trial["elapsed_ns"], 1)
    deny(any(late > answered for answered, late, _ in trial["seconds"]), f"{place}.seconds",
         "has more late answers than answers")
    check_rate(place, trial, "bad_share", results.bad_share(trial))
    if not merged:
        check_rate(place, trial, "in_time_per_s", in_time)
        deny(trial["grew"] != results.is_growing(trial) and not trial["incomplete"],
             f"{place}.grew", f"is {str(trial['grew']).lower()}, which the waits do not say")
    deny(trial["rate_per_s"] is None and "storm" not in run, f"{place}.rate_per_s",
         "is null, and the run is no storm")
