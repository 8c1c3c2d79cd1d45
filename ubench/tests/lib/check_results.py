# SPDX-License-Identifier: ISC
"""check_results.py SCHEMA FILE: holds each line of FILE to the JSON Schema,
and to what results/README.md says of its figures that a schema cannot say.

Prints one line for each, and what is wrong with it; exit status 1 if one is.
"""

import json
import math
import sys

import jsonschema

QUANTILES = {
    "p50_ns": 0.5,
    "p95_ns": 0.95,
    "p99_ns": 0.99,
    "p99.9_ns": 0.999,
    "p99.99_ns": 0.9999,
}


PHASES = ["create", "search", "update", "delete"]
HOST = {
    "cpu", "cores", "smt", "turbo", "governor", "virtualisation", "clocksource",
    "kernel", "libc", "memory", "huge_pages", "cpu_limit", "compiler", "cflags",
    "load", "steal", "cpu_pressure", "io_pressure", "throttled",
}


def check_parameters(result):
    """Yields what is missing of the names that a line has for its workload."""
    parameters = result["parameters"]
    needed = {"repeat", "lease", "seed", "workload"}
    if parameters.get("workload") == "phases":
        needed |= {"count", "threads", "batch", "warmup", "hit-ratio",
                   "preload", "latency"}
    if not needed <= set(parameters):
        yield "parameters are missing"
    if parameters.get("workload") == "churn":
        if result["host"]:
            yield "churn has no time for the host"
    elif not HOST <= set(result["host"]):
        yield "members of host are missing"
    if not result["facts"] or len(result["runs"]) > 100:
        yield "there are no facts, or too many runs"


def check_reached(phase):
    """Yields what is wrong with a phase by whether it was reached."""
    if phase["begun_ns"] is not None:
        if phase["usage"] is None:
            yield "it was reached, but cost nothing"
        return
    nothing = ("operations", "hits", "misses", "elapsed_ns", "latency",
               "commit", "series", "usage")
    if not phase["incomplete"] or any(phase[name] for name in nothing):
        yield "it was not reached, and did something"


def check_parts(run, parameters):
    """Yields what is wrong with which members a run has."""
    names = [phase["name"] for phase in run["phases"]]
    if parameters["workload"] == "phases" and names != PHASES:
        yield "the phases are not the four of the guide"
    for phase in run["phases"]:
        for complaint in check_reached(phase):
            yield phase["name"] + ": " + complaint
        if not run["incomplete"] and (
                phase["incomplete"] or phase["begun_ns"] is None):
            yield phase["name"] + ": it is incomplete, and the run is not"
        if run["together"] and not {"deadlocks", "steps"} <= set(phase):
            yield phase["name"] + ": it has no steps"
    parts = {"closed_loop", "trials", "predicted"} & set(run)
    if len(parts) not in (0, 3) or (
            not parts and {"goals", "storm"} & set(run)):
        yield "parts of an open loop are missing"


def bucket_high(low):
    """The highest value that the bucket counts whose lowest value is low."""
    return low if low < 256 else low + 2 ** (low.bit_length() - 8) - 1


def quantile(histogram, q):
    """The q-quantile by the recipe of README.md."""
    rank = max(1, math.ceil(q * histogram["count"] - 1e-9))
    if rank == 1:
        return histogram["min_ns"]
    if rank == histogram["count"]:
        return histogram["max_ns"]
    below = 0
    for low, count in histogram["buckets"]:
        below += count
        if below >= rank:
            middle = (low + bucket_high(low)) / 2
            return min(max(middle, histogram["min_ns"]), histogram["max_ns"])
    return None


def merge(histograms):
    """One histogram of several, by the recipe of README.md."""
    buckets = {}
    for histogram in histograms:
        for low, count in histogram["buckets"]:
            buckets[low] = buckets.get(low, 0) + count
    return {
        "count": sum(h["count"] for h in histograms),
        "sum_ns": sum(h["sum_ns"] for h in histograms),
        "min_ns": min(h["min_ns"] for h in histograms),
        "max_ns": max(h["max_ns"] for h in histograms),
        "buckets": sorted([low, count] for low, count in buckets.items()),
    }


def check_histogram(histogram):
    """Yields what is wrong with the figures of one histogram."""
    buckets = histogram["buckets"]
    lows = [low for low, _ in buckets]
    low_sum = sum(low * count for low, count in buckets)
    high_sum = sum(bucket_high(low) * count for low, count in buckets)
    if sum(count for _, count in buckets) != histogram["count"]:
        yield "the buckets do not add up to count"
    if lows != sorted(set(lows)):
        yield "the buckets are not in order"
    if not lows[0] <= histogram["min_ns"] <= bucket_high(lows[0]):
        yield "min_ns is not in the first bucket"
    if not lows[-1] <= histogram["max_ns"] <= bucket_high(lows[-1]):
        yield "max_ns is not in the last bucket"
    if not low_sum <= histogram["sum_ns"] <= high_sum:
        yield "sum_ns is not between the sums of the buckets' ends"
    mean = histogram["sum_ns"] / histogram["count"]
    if not math.isclose(histogram["mean_ns"], mean):
        yield "mean_ns is not sum_ns / count"
    for name, q in QUANTILES.items():
        beyond = histogram["count"] - math.ceil(q * histogram["count"] - 1e-9)
        if (histogram[name] is not None) != (beyond >= 10):
            yield name + " is there, or is not, against the rule of ten"
        elif histogram[name] is not None and not math.isclose(
            histogram[name], quantile(histogram, q)
        ):
            yield name + " is not what the buckets say"


def check_phase(phase, parameters):
    """Yields what is wrong with the figures of one phase."""
    count = int(parameters["count"])
    batch = int(parameters["batch"])
    threads = int(parameters["threads"])
    latency = phase["latency"]
    whole = not phase["incomplete"]
    if phase["hits"] + phase["misses"] != phase["operations"]:
        yield "hits and misses are not operations"
    if whole != (phase["operations"] == count):
        yield "incomplete is wrong"
    if parameters["latency"] == "off" and (latency or phase["commit"]):
        yield "there are latencies, and they were to be left out"
    if parameters["latency"] == "on" and whole and not latency:
        yield "latency is missing"
    if latency:
        yield from check_histogram(latency)
        seconds = sum(operations for operations, _ in phase["series"])
        if whole and latency["count"] != count:
            yield "there is not one latency for each operation"
        if seconds != latency["count"]:
            yield "the seconds do not add up to the operations"
    if phase["commit"]:
        yield from check_histogram(phase["commit"])
    if whole and latency and batch > 1 and phase["name"] != "search":
        shares = [count // threads + (i < count % threads)
                  for i in range(threads)]
        groups = sum(math.ceil(share / batch) for share in shares)
        if not phase["commit"] or phase["commit"]["count"] != groups:
            yield "there is not one commit for each group"
    elif phase["commit"] and (batch == 1 or phase["name"] == "search"):
        yield "there are commits without groups"


def check_level(phase):
    """Yields what is wrong with the figures of one level of a pool."""
    if phase["hits"] + phase["misses"] != phase["operations"]:
        yield "hits and misses are not operations"
    if phase["latency"]:
        yield from check_histogram(phase["latency"])
    if phase["steps"][-1]["hits"] != phase["hits"]:
        yield "there is not one lease for each client who had one"


def check_exchange(phase, parameters):
    """Yields what is wrong with the figures of one kind of exchange."""
    latency = phase["latency"]
    if phase["hits"] != phase["operations"] or phase["misses"] != 0:
        yield "hits are not operations"
    if parameters["latency"] == "off" and latency:
        yield "there are latencies, and they were to be left out"
    if latency:
        yield from check_histogram(latency)
        if latency["count"] != phase["operations"]:
            yield "there is not one latency for each exchange"
        if sum(n for n, _ in phase["series"]) != latency["count"]:
            yield "the seconds do not add up to the exchanges"
    for step in phase["steps"]:
        if step["hits"] + step["misses"] != step["count"]:
            yield step["name"] + ": hits and misses are not count"
        if step["count"] < phase["operations"]:
            yield step["name"] + ": some exchanges are without it"
        if step["latency"]:
            yield from check_histogram(step["latency"])
            if step["latency"]["count"] != step["count"]:
                yield step["name"] + ": there is not one latency for each"
        elif parameters["latency"] == "on" and step["count"] > 0:
            yield step["name"] + ": latency is missing"


def check_together(run, parameters):
    """Yields what is wrong with the figures of a run of exchanges."""
    total = 0
    for phase in run["phases"]:
        for complaint in check_exchange(phase, parameters):
            yield phase["name"] + ": " + complaint
        total += phase["operations"] + phase["deadlocks"]
        for member in "begun_ns", "elapsed_ns", "usage":
            if phase[member] != run["phases"][0][member]:
                yield phase["name"] + ": " + member + " is not the run's"
    if run["incomplete"] == (total == int(parameters["count"])):
        yield "incomplete is wrong"
    if not run["incomplete"] and run["leases_left"] != 0:
        yield "leases are left"


def check_counts(trial):
    """Yields what is wrong with how the requests of a trial ended."""
    ends = ("answered", "dropped", "merged", "failed", "unanswered")
    if trial["offered"] != sum(trial[end] for end in ends):
        yield "what was offered is not the sum of its ends"
    if trial["late"] > trial["answered"]:
        yield "more are late than were answered"
    answers = trial["response"]["count"] if trial["response"] else 0
    if answers != trial["answered"]:
        yield "there is not one response time for each answer"


def check_trial(trial):
    """Yields what is wrong with the figures of one trial."""
    yield from check_counts(trial)
    bad = sum(trial[end] for end in ("late", "dropped", "failed", "unanswered"))
    if not math.isclose(trial["bad_share"], bad / trial["offered"]):
        yield "bad_share is not the share of the bad"
    for name in ("response", "service", "lag"):
        if trial[name]:
            yield from check_histogram(trial[name])
    if sum(second[0] for second in trial["seconds"]) > trial["answered"]:
        yield "the seconds have more answers than there were"


def check_storm(storm):
    """Yields what is wrong with what came of a storm."""
    if not storm["served"] <= storm["clients"] <= storm["sent"]:
        yield "not every client asked, or more were served"
    if (storm["served_100_ns"] is None) == (storm["served"] == storm["clients"]):
        yield "all were served, or not"


def check_open_loop(run):
    """Yields what is wrong with the figures of a run of the open loop."""
    for i, trial in enumerate(run["trials"]):
        for complaint in check_trial(trial):
            yield "trial %d: %s" % (i + 1, complaint)
    if run["predicted"]:
        if run["predicted"]["failed"] != 0:
            yield "predicted: the store has failed"
        for complaint in check_counts(run["predicted"]):
            yield "predicted: " + complaint
    if "storm" in run and not run["incomplete"]:
        yield from check_storm(run["storm"])
    if len(run.get("goals", [0, 0])) < 2:
        yield "there are too few goals"
    for goal in run.get("goals", []):
        if goal["bad_share"] > 1:
            yield "more than all may be bad"
        if goal["verified"] != (goal["in_time_per_s"] is not None):
            yield "a rate was verified, or not"


def check_run(run, parameters):
    """Yields what is wrong with the figures of one run."""
    yield from check_parts(run, parameters)
    if "trials" in run:
        yield from check_open_loop(run)
        return
    ended_ns = 0
    if run["together"]:
        yield from check_together(run, parameters)
        return
    for phase in run["phases"]:
        complaints = (check_level(phase) if parameters["workload"] == "fill"
                      else check_phase(phase, parameters))
        for complaint in complaints:
            yield phase["name"] + ": " + complaint
        if phase["begun_ns"] is not None:
            if phase["begun_ns"] < ended_ns:
                yield phase["name"] + ": it began before the last one ended"
            ended_ns = phase["begun_ns"] + phase["elapsed_ns"]
    if not run["incomplete"] and run["leases_left"] != 0:
        yield "leases are left"


def check_merging(result):
    """Yields what is wrong when the runs' histograms are merged."""
    for i in range(min(len(run["phases"]) for run in result["runs"])):
        histograms = [run["phases"][i]["latency"] for run in result["runs"]]
        histograms = [h for h in histograms if h]
        if len(histograms) < 2:
            continue
        merged = merge(histograms)
        low = min(quantile(h, 0.5) for h in histograms)
        high = max(quantile(h, 0.5) for h in histograms)
        if not low <= quantile(merged, 0.5) <= high:
            yield "the merged median is not between those of the runs"


def check_result(result):
    """Yields what is wrong with the figures of one line."""
    complaints = list(check_parameters(result))
    if complaints:
        yield from complaints
        return
    wanted = int(result["parameters"]["repeat"])
    complete = sum(not run["incomplete"] for run in result["runs"])
    digests = {run["digest"] for run in result["runs"]
               if not run["incomplete"] and "trials" not in run}
    for i, run in enumerate(result["runs"]):
        for complaint in check_run(run, result["parameters"]):
            yield "run %d: %s" % (i + 1, complaint)
        if run["incomplete"] and i + 1 < len(result["runs"]):
            yield "run %d: it is incomplete and not the last" % (i + 1)
    if result["incomplete"] != (complete < wanted):
        yield "incomplete is wrong"
    if len(digests) > 1:
        yield "runs of the same operations have several digests"
    yield from check_merging(result)


def is_bucket(pair):
    """What the schema says of a bucket."""
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and all(type(number) is int for number in pair)
        and pair[0] >= 0
        and pair[1] >= 1
    )


def thin(value):
    """The value with one of the buckets that are right, and all that are not:
    the validator takes longer for thousands of them than for all the rest."""
    if isinstance(value, dict):
        return {
            key: thin_buckets(inner) if key == "buckets" else thin(inner)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [thin(inner) for inner in value]
    return value


def thin_buckets(buckets):
    if not isinstance(buckets, list):
        return buckets
    return buckets[:1] + [b for b in buckets[1:] if not is_bucket(b)]


def check_line(validator, line):
    """What is wrong with one line, as a list; and what to call it."""
    try:
        result = json.loads(line)
    except ValueError as error:
        return ["it is no JSON: %s" % error], "?"
    complaints = [
        "/".join(str(step) for step in error.absolute_path) + ": "
        + error.message[:200]
        for error in validator.iter_errors(thin(result))
    ]
    if complaints:
        return complaints, "?"
    name = "%s%s, %d of %s runs" % (
        result["program"],
        " (incomplete)" if result["incomplete"] else "",
        len(result["runs"]),
        result["parameters"]["repeat"],
    )
    return list(check_result(result)), name


def main():
    """Checks every line; returns the exit status."""
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    status = 0
    with open(sys.argv[2], encoding="utf-8") as file:
        for line in file:
            complaints, name = check_line(validator, line)
            print("%s: %s" % (name, "wrong" if complaints else "right"))
            for complaint in complaints:
                print("  " + complaint)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
