# SPDX-License-Identifier: ISC
"""check_results.py FILE: holds each line of FILE to what the reader of results demands, and
to what a runner of today promises besides.

Prints one line for each, and what is wrong with it; exit status 1 if one is.
"""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from report import results  # noqa: E402

HOST = {
    "cpu", "cores", "smt", "turbo", "governor", "virtualisation", "clocksource", "kernel",
    "libc", "memory", "huge_pages", "cpu_limit", "compiler", "cflags", "load", "steal",
    "cpu_pressure", "io_pressure", "throttled",
}


def check_parameters(result):
    """Yields what is missing of the names that a line has for its workload."""
    parameters = result["parameters"]
    needed = {"repeat", "lease", "seed", "workload"}
    if parameters.get("workload") == "phases":
        needed |= {"count", "threads", "batch", "warmup", "hit-ratio", "preload", "latency"}
    if not needed <= set(parameters):
        yield f"parameters are missing: {needed - set(parameters)}"
    if parameters.get("workload") == "churn" and "turns" not in parameters:
        if result["host"]:
            yield "churn has no time for the host"
    elif not set(result["host"]) >= HOST:
        yield f"members of host are missing: {HOST - set(result['host'])}"
    if not result["facts"]:
        yield "there are no facts"


def check_quantiles(of):
    """Yields each stored quantile that its buckets do not give."""
    histograms = (one for one in results.objects(of, "runs") if "buckets" in one[1])
    for place, histogram in histograms:
        for name, value in results.quantiles(histogram).items():
            stored = histogram[name]
            if (stored is None) != (value is None) or (
                    value is not None and not math.isclose(stored, value)):
                yield f"{place}: {name} is {stored}, and the buckets say {value}"


def groups(parameters):
    """How many transactions a phase has that changes leases."""
    count, threads, batch = (int(parameters[name]) for name in ("count", "threads", "batch"))
    shares = (count // threads + (i < count % threads) for i in range(threads))
    return sum(math.ceil(share / batch) for share in shares)


def check_phase(phase, run, parameters):
    """Yields what is wrong with a phase that was done as a whole."""
    latency, commit = phase["latency"], phase.get("commit")
    if parameters.get("latency") == "off":
        if latency or commit:
            yield "there are latencies, and they were to be left out"
        return
    if phase["operations"] == 0: # an exchange of a mix that never came
        return
    if latency is None or latency["count"] != phase["operations"]:
        yield "there is not one latency for each operation"
    elif parameters["workload"] != "fill" and (
            sum(second[0] for second in phase["series"]) != latency["count"]):
        yield "the seconds do not add up to the operations"
    for step in phase.get("steps", []):
        if step["count"] > 0 and (step["latency"] or {"count": 0})["count"] != step["count"]:
            yield step["name"] + ": there is not one latency for each"
    batch = int(parameters.get("batch", 1))
    grouped = batch > 1 and not run["together"] and phase["name"] != "search"
    count = grouped and "turns" not in run and groups(parameters)
    if bool(commit) != grouped or (count and commit["count"] != count):
        yield "there is not one commit for each group"


def check_result(result):
    """Yields what is wrong with the figures of one line."""
    yield from check_parameters(result)
    digests = set()
    for i, run in enumerate(result["runs"]):
        if run["incomplete"] and i + 1 < len(result["runs"]):
            yield f"run {i + 1}: it is incomplete and not the last"
        for phase in run["phases"]:
            if not phase["incomplete"] and "trials" not in run:
                for fault in check_phase(phase, run, result["parameters"]):
                    yield f"run {i + 1}: {phase['name']}: {fault}"
        yield from check_quantiles(run)
        if not run["incomplete"] and "trials" not in run:
            digests.add(run["digest"])
            if run["leases_left"] not in (0, None):
                yield f"run {i + 1}: leases are left"
    complete = sum(not run["incomplete"] for run in result["runs"])
    if result["incomplete"] != (complete < int(result["parameters"]["repeat"])):
        yield "incomplete is wrong"
    if len(digests) > 1:
        yield "runs of the same operations have several digests"


def check_line(line):
    """The faults of one line, as a list, and its name."""
    try:
        result = results.parse(line.strip().encode(), whole=True)
    except results.Damaged as why:
        return [str(why)], "?"
    return list(check_result(result)), f"{result['program']}, {len(result['runs'])} runs"


def main():
    """Checks every line; returns the exit status."""
    status = 0
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            complaints, name = check_line(line)
            print(f"{name}: {'wrong' if complaints else 'right'}")
            for complaint in complaints:
                print("  " + complaint)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
