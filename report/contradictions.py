# SPDX-License-Identifier: ISC
"""Finds contradictions in a line of which each member is as the schema says.  A fault is the place
of a member and a text."""

import math
from datetime import datetime
from operator import ge

from report import figures, results, schema
from report.schema import Faults


def faults(line: dict, whole: bool) -> Faults:
    """Buckets of histograms are looked at if they are there: whole."""
    for place, of in results.objects(line.get("runs", []), "runs"):
        for name, text in of_counts(of) if "operations" in of else \
                of_buckets(of, whole) if "buckets" in of else ():
            yield f"{place}.{name}", text
    if line["format"] == "ubench-result/1" and "published" not in line:
        yield from of_result(line)


def of_counts(of: dict) -> Faults:
    """An object with operations, whose schema may not be known, has the time that they took."""
    rate = of.get("rate_per_s")
    if type(of["operations"]) is not int or type(of.get("elapsed_ns")) is not int:
        yield "operations", "is no whole number beside a whole number elapsed_ns"
    elif rate is not None and type(rate) not in (int, float):
        yield "rate_per_s", "is not a number"
    else:
        yield from of_rate(of, "rate_per_s", results.phase_rate(of))


def of_buckets(of: dict, whole: bool) -> Faults:
    """An object with buckets, whose schema may not be known, is a histogram."""
    wrong = list(schema.faults(of, results.definition("histogram"), {}))
    if wrong:
        yield "buckets", f"is not of a histogram: {wrong[0][0][1:]} {wrong[0][1]}"
    else:
        yield from of_histogram(of, whole)


def of_time(line: dict) -> Faults:
    """A time that has the form of one is one."""
    begun = line.get("started_at", "")
    if begun.endswith("Z"):
        try:
            datetime.fromisoformat(begun[:-1])
        except ValueError:
            yield "started_at", f"is {begun}, which is no time"


def of_duel(line: dict) -> Faults:
    """The figures of a duel's slices, as far as no other one says something of them."""
    before = 0
    for i, (_, operations, elapsed, *others) in enumerate(line["slices"]):
        number = others[6] if len(others) > 6 else 0
        if any(type(value) is not int for value in (operations, elapsed, number, *others)
               if value is not None):
            yield f"slices[{i}]", "has a number that is not a whole one"
        elif None in (operations, elapsed, number):
            yield f"slices[{i}]", "has no operations, time or round"
        elif operations // 1000 >= max(elapsed, 1):
            yield f"slices[{i}]", f"has {operations} operations in {elapsed} ns, which nothing " \
                "can do"
        elif not before <= number <= before + 1 or not i and number:
            yield f"slices[{i}]", f"is of round {number}, after round {before}"
        before = number


def of_rate(of: dict, name: str, wanted: float) -> Faults:
    """A rate may be null where it is no figure."""
    value = of.get(name)
    if value is not None and not math.isclose(value, wanted, rel_tol=1e-6, abs_tol=1e-9):
        yield name, f"is {value:.6g}, and the counts give {wanted:.6g}" if value else f"is {value}"


def of_histogram(of: dict, whole: bool) -> Faults:
    count, least, most, total = of["count"], of["min_ns"], of["max_ns"], of["sum_ns"]
    known = [of[f"{name}_ns"] for name in results.QUANTILES if of[f"{name}_ns"] is not None]
    if not (least <= most and count * least <= total <= count * most):
        yield "sum_ns", f"is {total}, and {count} values are from {least} to {most}"
    if not math.isclose(of["mean_ns"], total / count, rel_tol=1e-9):
        yield "mean_ns", f"is {of['mean_ns']:.6g}, and the sum gives {total / count:.6g}"
    if sorted([least, *known, most]) != [least, *known, most]:
        yield "p50_ns", "and the other quantiles are not in ascending order from min_ns to max_ns"
    if not whole:
        return
    lows, counts = zip(*of["buckets"]) if of["buckets"] else ((), ())
    if sum(counts) != count or lows != tuple(map(results.bucket_of, lows)) or \
            any(map(ge, lows, lows[1:])):
        yield "buckets", f"are not those of {count} values in ascending order"
    if [results.bucket_of(least), results.bucket_of(most)] != [lows[0], lows[-1]]:
        yield "buckets", "are not those of its min_ns and max_ns"
    for name, wanted in results.quantiles(of).items():
        if of[name] != wanted:
            yield name, f"is {of[name]}, and the buckets give {wanted}"


def of_result(line: dict) -> Faults:
    store, runs = line["store"], line["runs"]
    if line["program"] != f"{store}_ubench":
        yield "program", f"is {line['program']}, and the store is {store}"
    for i, run in enumerate(runs):
        for name, text in of_run(line, run):
            yield f"runs[{i}].{name}", text
    if not results.is_open(runs[0]) and len({run["digest"] for run in runs if is_plain(run)}) > 1:
        yield "runs", "have not the same digest"


def is_plain(run: dict) -> bool:
    """Nothing was given up, and all of it was done."""
    return not run["incomplete"] and not any(
        phase.get(name) for phase in run["phases"] for name in ("deadlocks", "conflicts", "stale"))


def of_run(line: dict, run: dict) -> Faults:
    is_open, merged = results.is_open(run), len(line.get("parts", ())) > 1
    if run["verified"] != (line["store"] != "null"):
        yield "verified", f"is {str(run['verified']).lower()}, and the store is {line['store']}"
    if run["leases_left"] > 0 and not run["incomplete"]:
        yield "leases_left", f"is {run['leases_left']}, and every answer was right"
    if is_open and not run["trials"] and not run["incomplete"]:
        yield "trials", "is empty"
    for i, trial in enumerate(run["trials"] if is_open else ()):
        for name, text in of_trial(run, trial, merged):
            yield f"trials[{i}].{name}", text
    threads = 0 if merged else results.threads(line)
    for i, phase in enumerate(() if is_open else run["phases"]):
        for name, text in of_phase(run, phase, threads):
            yield f"phases[{i}].{name}", text


def of_phase(run: dict, phase: dict, threads: int) -> Faults:
    """threads: 0 if they were those of several processes."""
    done, elapsed, latency = phase["operations"], phase["elapsed_ns"], phase["latency"]
    if done > 0 and done // 1000 >= elapsed:
        yield "operations", f"is {done} in {elapsed} ns, which nothing can do"
    if elapsed == 0 and not run["incomplete"] and not phase["incomplete"]:
        yield "elapsed_ns", "is 0, and the phase is complete"
    if latency is None:
        return
    count, plain = latency["count"], is_plain({**run, "phases": [phase]})
    if count < done or (count > done and plain):
        yield "latency.count", f"is {count}, and operations is {done}"
    took = latency["sum_ns"] + (phase["commit"] or {"sum_ns": 0})["sum_ns"]
    if threads and took > 1.01 * threads * elapsed + 1000:
        yield "latency.sum_ns", f"is {took} with commits, and " \
            f"{figures.plural(threads, 'thread')} had {elapsed} ns"


def of_trial(run: dict, trial: dict, merged: bool) -> Faults:
    """merged: of parts, whose rates were added, and whose waits are those of one."""
    in_time = (trial["answered"] - trial["late"]) * 1e9 / max(trial["elapsed_ns"], 1)
    if any(late > answered for answered, late, _ in trial["seconds"]):
        yield "seconds", "has more late answers than answers"
    yield from of_rate(trial, "bad_share", results.bad_share(trial))
    if not merged:
        yield from of_rate(trial, "in_time_per_s", in_time)
        if trial["grew"] != results.is_growing(trial) and not trial["incomplete"]:
            yield "grew", f"is {str(trial['grew']).lower()}, which the waits do not say"
    if trial["rate_per_s"] is None and "storm" not in run:
        yield "rate_per_s", "is null, and the run is no storm"
