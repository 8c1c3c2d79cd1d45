# SPDX-License-Identifier: ISC
"""Checks lines that a runner of today wrote: by the reader of results, and for contradictions.

    check_results.py FILE

prints a row for each line, "right" or what is wrong with it; the exit status is 1 if one is wrong.
The package trusts the figures of a line; here they are computed again, from the buckets of
histograms, the counts and the times.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
from ubench.records.decoding import decode  # noqa: E402 # the path of the package is known now
from ubench.records.schema import Damaged, checker  # noqa: E402

Members = Mapping[str, Any]
Faults = Iterator[str]

FORMAT = "ubench-result/2"
HOST = {
    "cpu", "cores", "smt", "turbo", "governor", "virtualisation", "clocksource", "kernel", "libc",
    "memory", "huge_pages", "cpu_limit", "compiler", "cflags", "load", "steal", "cpu_pressure",
    "io_pressure", "throttled",
}
PARAMETERS = {"repeat", "lease", "seed", "workload"}
PHASES_PARAMETERS = {"count", "threads", "batch", "warmup", "hit-ratio", "preload", "latency"}

# Histograms: values below 256 ns have a bucket each, and above each power of two has 128 of equal
# width; what is beyond 2^45 ns is in the last. See ubench/measure/histogram.h.
LAST_BUCKET = 255 << 37
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}
LEAST_BEYOND = 10  # values beyond a quantile, with fewer of which it would be chance
GROWTH = 0.05  # of the deadline, by which waits may grow in a trial


def is_close(value: float, expected: float) -> bool:
    return math.isclose(value, expected, rel_tol=1e-6, abs_tol=1e-9)


# ---- Histograms


def bucket_of(ns: int) -> int:
    """The lowest value of the bucket that a value is counted in."""
    shift = max(ns.bit_length() - 8, 0)
    return min(ns >> shift << shift, LAST_BUCKET)


def quantile(histogram: Members, share: float) -> float | None:
    """A quantile from the buckets, as the runners compute it."""
    count, buckets = histogram["count"], histogram["buckets"]
    # A hair less than the product, as 0.07 * 100 is 7.000000000000001 and means 7.
    rank = max(math.ceil(share * count * (1 - 4 * sys.float_info.epsilon)), 1)
    if count - rank < LEAST_BEYOND:
        return None
    if rank == 1:
        return float(histogram["min_ns"])
    sums = list(accumulate(bucket[1] for bucket in buckets))
    low = buckets[bisect_left(sums, rank)][0]
    width = 1 << max(low.bit_length() - 8, 0)
    middle = low + (width - 1) / 2
    return max(float(histogram["min_ns"]), min(float(histogram["max_ns"]), middle))


def check_histogram(histogram: Members) -> Faults:
    count, total = histogram["count"], histogram["sum_ns"]
    least, most = histogram["min_ns"], histogram["max_ns"]
    lows = [low for low, _ in histogram["buckets"]]
    if not (least <= most and count * least <= total <= count * most):
        yield f"sum_ns is {total}, and {count} values are from {least} to {most}"
    if not is_close(histogram["mean_ns"], total / count):
        yield f"mean_ns is {histogram['mean_ns']}, and the sum gives {total / count}"
    if sum(each for _, each in histogram["buckets"]) != count:
        yield f"the buckets do not add up to {count} values"
    if lows != [bucket_of(low) for low in lows] or any(a >= b for a, b in pairwise(lows)):
        yield "the buckets are not those of histogram.h, in ascending order"
    if lows and [bucket_of(least), bucket_of(most)] != [lows[0], lows[-1]]:
        yield "the buckets are not those of min_ns and max_ns"
    for name, share in QUANTILES.items():
        stored, expected = histogram[f"{name}_ns"], quantile(histogram, share)
        if stored != expected:
            yield f"{name}_ns is {stored}, and the buckets say {expected}"


def check_histograms(value: Any, place: str) -> Faults:
    """Checks each histogram in a value, whatever it is called."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from check_histograms(item, f"{place}[{number}]")
    elif isinstance(value, dict):
        if "buckets" in value:
            yield from (f"{place}: {fault}" for fault in check_histogram(value))
        for name, item in value.items():
            yield from check_histograms(item, f"{place}.{name}")


# ---- Phases


def is_untroubled(run: Members) -> bool:
    """True if nothing was given up, and all was done."""
    words = ("deadlocks", "conflicts", "stale")
    troubled = any(phase.get(word) for phase in run["phases"] for word in words)
    return not run["incomplete"] and not troubled


def transactions(parameters: Mapping[str, str]) -> int:
    """How many transactions a phase has that changes leases."""
    count, threads, batch = (int(parameters[name]) for name in ("count", "threads", "batch"))
    shares = (count // threads + (i < count % threads) for i in range(threads))
    return sum(math.ceil(share / batch) for share in shares)


def check_phase(phase: Members, run: Members, parameters: Mapping[str, str]) -> Faults:
    """What is wrong with a complete phase."""
    latency, elapsed = phase["latency"], phase["elapsed_ns"]
    rate = phase["operations"] * 1e9 / elapsed if elapsed else 0
    if not is_close(phase["rate_per_s"] or 0, rate):
        yield f"rate_per_s is {phase['rate_per_s']}, and the counts give {rate}"
    parks = is_parked(run, parameters)
    if parameters.get("latency") == "off":
        if latency or (phase["commit"] and not parks):
            yield "there are latencies, and they were to be left out"
        return
    if phase["operations"] == 0:  # an exchange of a mix that never came
        return
    if latency is None or (
        latency["count"] != phase["operations"]
        if is_untroubled(run)
        else latency["count"] < phase["operations"]
    ):
        yield "there is not one latency for each operation"
        return
    took = (phase["commit"] or {"sum_ns": 0})["sum_ns"]
    if not parks:  # clients that wait for one commit wait at the same time
        took += latency["sum_ns"]
    threads = int(parameters.get("threads", "1"))
    if took > 1.01 * threads * elapsed + 1000:
        yield f"latencies take {took} ns, and {threads} threads had {elapsed} ns"
    seconds = sum(second[0] for second in phase["series"])
    if seconds != latency["count"]:
        yield "the seconds do not add up to the operations"
    for step in phase.get("steps", []):
        if step["count"] > 0 and (step["latency"] or {"count": 0})["count"] != step["count"]:
            yield f"{step['name']}: there is not one latency for each"
    yield from check_commits(phase, run, parameters)
    yield from check_allocation(phase, run)


def check_allocation(phase: Members, run: Members) -> Faults:
    """Each offer is taken or lost, and lost only if it met another one."""
    allocation = phase.get("allocation")
    if allocation is None or not is_untroubled(run):
        return
    if allocation["offered"] != phase["hits"] + allocation["lost"]:
        yield f"{phase['hits']} clients have an address, and the offers are {allocation}"
    if allocation["lost"] > allocation["offered_twice"]:
        yield f"offers were lost that nobody else had: {allocation}"


def check_commits(phase: Members, run: Members, parameters: Mapping[str, str]) -> Faults:
    commit, batch = phase["commit"], parameters.get("batch", "1")
    is_grouped = batch != "1" and phase["name"] != "search"
    if is_parked(run, parameters):  # with the first kind of exchange
        is_grouped = phase is run["phases"][0]
    if bool(commit) != is_grouped:
        yield "there are commits without --batch, or none with it"
    elif (
        is_grouped
        and "turns" not in run
        and batch.isdecimal()
        and commit["count"] != transactions(parameters)
    ):
        yield "there is not one commit for each transaction"


def is_parked(run: Members, parameters: Mapping[str, str]) -> bool:
    """True if clients are answered after a commit that they share."""
    return run["exchange"]["exchanges"] and parameters.get("batch", "1") != "1"


# ---- Open loops


def is_growing(trial: Members) -> bool:
    """True if requests of the last third waited longer than those of the first."""
    full_wait = trial["queue"] * trial["elapsed_ns"] / (trial["answered"] + 1)
    first, _, last = trial["wait_ns"]
    grew = last > first + GROWTH * trial["deadline_ns"]
    return grew and (full_wait > trial["deadline_ns"] or trial["dropped"] == 0)


def verdict_of(trial: Members) -> str:
    if trial["incomplete"]:
        return "interrupted"
    if trial["invalid"]:
        return "invalid"
    if trial["grew"]:
        return "saturated" if trial["bad_share"] > 0 else "growing"
    return "not-in-time" if trial["bad_share"] > 0 else "sustained"


def check_trial(trial: Members, is_storm: bool) -> Faults:
    in_time = trial["answered"] - trial["late"]
    bad = trial["late"] + trial["dropped"] + trial["failed"] + trial["unanswered"]
    expected = {
        "bad_share": bad / trial["offered"],
        "in_time_share": in_time / trial["offered"],
        "in_time_per_s": in_time * 1e9 / max(trial["elapsed_ns"], 1),
    }
    for name, value in expected.items():
        if not is_close(trial[name], value):
            yield f"{name} is {trial[name]}, and the counts give {value}"
    if trial["grew"] != is_growing(trial) and not trial["incomplete"]:
        yield f"grew is {trial['grew']}, which the waits do not say"
    if trial["verdict"] != verdict_of(trial):
        yield f"the verdict is {trial['verdict']}, not {verdict_of(trial)}"
    if any(late > answered for answered, late, _ in trial["seconds"]):
        yield "a second has more late answers than answers"
    if (trial["rate_per_s"] is None) != is_storm:
        yield "a storm has no rate, and nothing else lacks one"


# ---- Runs and lines


def check_run(run: Members, line: Members) -> Faults:
    is_open = "trials" in run
    times = [phase["elapsed_ns"] for phase in run["phases"]]
    sums = {
        "operations": sum(phase["operations"] for phase in run["phases"]),
        "elapsed_ns": max(times) if run["together"] else sum(times),
    }
    steps = [step for phase in run["phases"] for step in phase.get("steps", [])]
    if "store_operations" in run:
        sums["store_operations"] = sum(step["count"] for step in steps)
    for name, total in sums.items():
        if run[name] != total:
            yield f"{name} is {run[name]}, and that of the phases {total}"
    if run["rate_per_s"] is not None and not is_close(
        run["rate_per_s"], run["operations"] * 1e9 / run["elapsed_ns"]
    ):
        yield f"rate_per_s is {run['rate_per_s']}, which the counts do not give"
    if run["verified"] != (line["store"] != "null"):
        yield f"verified is {run['verified']}, and the store is {line['store']}"
    if run["leases_left"] > 0 and not run["incomplete"]:
        yield f"{run['leases_left']} leases are left"
    if is_open and not run["trials"] and not run["incomplete"]:
        yield "there are no trials"
    for number, trial in enumerate(run["trials"] if is_open else ()):
        faults = check_trial(trial, "storm" in run)
        yield from (f"trial {number + 1}: {fault}" for fault in faults)
    for phase in () if is_open else run["phases"]:
        if not phase["incomplete"]:
            faults = check_phase(phase, run, line["parameters"])
            yield from (f"{phase['name']}: {fault}" for fault in faults)


def check_parameters(line: Members) -> Faults:
    """What a line has to say for its workload."""
    parameters = line["parameters"]
    needed = PARAMETERS | (PHASES_PARAMETERS if parameters["workload"] == "phases" else set())
    if not needed <= set(parameters):
        yield f"parameters are missing: {needed - set(parameters)}"
    if parameters["workload"] == "churn" and "turns" not in parameters:
        if line["host"]:
            yield "churn has no time for the host"
    elif not set(line["host"]) >= HOST:
        yield f"members of host are missing: {HOST - set(line['host'])}"
    if not line["facts"]:
        yield "there are no facts"


def check_members(line: Members) -> Faults:
    """The contradictions of a line that its schema accepts."""
    runs = line["runs"]
    yield from check_parameters(line)
    if line["program"] != f"{line['store']}_ubench":
        yield f"the program is {line['program']}, and the store {line['store']}"
    for number, run in enumerate(runs, 1):
        yield from (f"run {number}: {fault}" for fault in check_run(run, line))
        yield from check_histograms(run, f"run {number}")
        if run["incomplete"] and number < len(runs):
            yield f"run {number} is incomplete, and not the last"
    complete = sum(not run["incomplete"] for run in runs)
    if line["incomplete"] != (complete < int(line["parameters"]["repeat"])):
        yield "incomplete is wrong"
    digests = {run["digest"] for run in runs if is_untroubled(run) and "trials" not in run}
    if len(digests) > 1:
        yield "runs of the same operations have several digests"


def check_line(text: str) -> tuple[list[str], str]:
    """The faults of one line, and its name."""
    try:
        line = decode(text.strip().encode(), buckets=True)
        checker(line["format"])(line)
    except Damaged as why:
        return [str(why)], "?"
    name = f"{line['program']}, {len(line['runs'])} runs"
    if line["format"] != FORMAT:
        return [f"the format is {line['format']}, not {FORMAT}"], name
    return list(check_members(line)), name


def main() -> int:
    """Checks every line of the file; returns the exit status."""
    status = 0
    with open(sys.argv[1], encoding="utf-8") as file:
        for text in file:
            faults, name = check_line(text)
            print(f"{name}: {'wrong' if faults else 'right'}")
            for fault in faults:
                print(f"  {fault}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
