# SPDX-License-Identifier: ISC
"""ubench_report merge: the parts of one run (--part), put together as that run.

What adds up is added, histograms bucket by bucket, the digest modulo 2^64; MERGED has the rest.
What was predicted for parts says nothing of the whole and is left out; the baselines are the first
part's.

The common window of a phase is from when the last part began it to when the first one ended it, by
the clock of agents.  The rate is that of all parts in the window: a part's operations are counted
by its seconds, evenly within each, or evenly over its whole time if it has none.  A line has the
time of a phase: the merged time is all operations divided by that rate."""

from __future__ import annotations

import itertools
import json
import math
import operator

from report import Problem, results, rows

SUMMARY = "the parts of one run that scripts/agents split, as a result"
EPILOG = """ubench_report merge part-1.jsonl part-2.jsonl >>all.jsonl
    appends the run whose parts these are; refuses parts that are missing,
    of other settings, invalid or not of the same time"""
OPTIONS: list = []

TOGETHER = 0.5  # the share of its time in which all others have to be at work, too


def run(values: dict, files: list[str], complain: results.Complain) -> int:
    found, _ = results.load(files, complain, whole=True)
    print(json.dumps(merge(found), separators=(",", ":"), ensure_ascii=False))
    return 0


def merge(parts: list[dict]) -> dict:
    """The line of the run.  Raises Problem with the file, line and member that is refused."""
    for part in parts:
        check_part(part)
        check_same(parts[0], part)
    parts = sorted(parts, key=lambda part: part["parts"][0]["number"])
    check_numbers(parts)
    shares = check_windows(parts)
    line = {name: value for name, value in parts[0].items()
            if name not in (*results.DERIVED, "warning") and value not in ("", {})}
    line["error"] = ""
    for place, member in (("parameters", "part"), ("labels", "agent")):
        line[place] = {name: of for name, of in parts[0][place].items() if name != member}
    line["host"] = {name: "; ".join(dict.fromkeys(part["host"][name] for part in parts
                                                  if name in part["host"]))
                    for name in parts[0]["host"]}
    warnings: dict = {}  # each once, with the first host that has it
    for part in parts:
        for one in part["warnings"]:
            text = f"{part['parts'][0]['host']}: {one['text']}"
            warnings.setdefault(one["text"], {**one, "text": text})
    line["warnings"] = list(warnings.values())
    line["parts"] = [{**part["parts"][0], "together": share} for part, share in zip(parts, shares)]
    merged = parts[0]["runs"][0]
    for part in parts[1:]:
        try:
            merged = add("", merged, part["runs"][0])
        except ValueError:
            refuse(part, f"runs: it did other things than {where(parts[0])}")
    line["runs"] = [finish(parts, merged)]
    return line


def where(part: dict) -> str:
    return f"{part['file']}:{part['line']}"


def refuse(part: dict, text: str) -> None:
    raise Problem(f"{where(part)}: {text}")


def check_part(part: dict) -> None:
    """Refuses a part for its own sake."""
    run = part["runs"][0]
    trials = run.get("trials")
    if len(part.get("parts", ())) != 1:
        refuse(part, "parts: it is not a part of a run (--part)")
    if part["incomplete"] or run["incomplete"]:
        refuse(part, "incomplete: the part did not come to its end"
               + (f": {part['error']}" if part["error"] else ""))
    if len(part["runs"]) != 1:
        refuse(part, f"runs: {len(part['runs'])}, expected one")
    if trials is not None and (len(trials) != 1 or run.get("goals") or "storm" in run):
        refuse(part, "trials: expected a single one at a rate")
    if trials and trials[0]["invalid"]:
        refuse(part, f"trials: invalid: {trials[0]['invalid']}")


def check_same(first: dict, part: dict) -> None:
    """Refuses a part of another command line or store; its number may differ, and how its host
    reaches the servers."""
    kinds = rows.CONFIGURATION - {rows.HOST} | {rows.REQUEST, rows.STORE}
    keys = [rows.make_key(one, kinds, True) for one in (first, part)]
    theirs, ours = keys
    for name in rows.differences(theirs, [ours]):
        if name in ((rows.PARAMETER, "part"), (rows.FACT, "connection"), (rows.FACT, "endpoints")):
            continue
        member = "parameters." if name[0] in (rows.PARAMETER, rows.REQUEST) else \
            "facts." if name[0] in (rows.FACT, rows.PRODUCT) else ""
        refuse(part, f"{member}{name[1]} is '{ours.get(name, '')[:99]}', and "
                     f"'{theirs.get(name, '')[:99]}' in {where(first)}")
    if len(first["runs"][0]["phases"]) != len(part["runs"][0]["phases"]):
        refuse(part, f"phases: they are not those of {where(first)}")


def check_numbers(parts: list[dict]) -> None:
    """Refuses parts unless each one of the run is there, once."""
    of = parts[0]["parts"][0]["of"]
    for i in range(max(len(parts), of)):
        part = parts[min(i, len(parts) - 1)]
        if part["parts"][0] != {**part["parts"][0], "number": i + 1, "of": of} or i >= of:
            refuse(part, f"parts: part {i + 1} of {of} is missing, or there twice")


def begun_ns(parts: list[dict], part: dict, i: int) -> float:
    """When a phase of a part began, after the first part's run, by the common clock."""
    after_us = part["parts"][0]["common_us"] - parts[0]["parts"][0]["common_us"]
    return after_us * 1e3 + (part["runs"][0]["phases"][i]["begun_ns"] or 0)


def find_window(parts: list[dict], i: int) -> tuple[float, float]:
    """When all parts were at work in a phase."""
    times = [(begun_ns(parts, part, i), part["runs"][0]["phases"][i]["elapsed_ns"])
             for part in parts]
    return max(begin for begin, _ in times), min(begin + elapsed for begin, elapsed in times)


def check_windows(parts: list[dict]) -> list[float]:
    """Refuses a part that was at work when others were not; returns for each in which share of its
    time all were, the least of any phase."""
    least = [1.0] * len(parts)
    for i, phase in enumerate(parts[0]["runs"][0]["phases"]):
        begin, end = find_window(parts, i)
        for k, part in enumerate(parts):
            share = max(end - begin, 0) / max(part["runs"][0]["phases"][i]["elapsed_ns"], 1)
            if share < TOGETHER:
                refuse(part, f"parts.common_us: in {phase['name']} all parts were at work in "
                             f"{100 * share:.3g} % of the time of this one, and {100 * TOGETHER:g} "
                             "% is the least")
            least[k] = min(least[k], share)
    return least


def done_by(phase: dict, now_ns: float) -> float:
    """The operations that a phase had done at a time after it began."""
    def over(now, length):
        return min(max(now / length, 0), 1) if length > 0 else float(now >= 0)

    elapsed, done, counted = phase["elapsed_ns"], 0.0, 0
    for i, (operations, _) in enumerate(phase.get("series") or ()):
        counted += operations
        done += operations * over(now_ns - 1e9 * i, min(elapsed - 1e9 * i, 1e9))
    return done if counted == phase["operations"] else phase["operations"] * over(now_ns, elapsed)


def merged_ns(parts: list[dict], i: int) -> int:
    """The time of a phase; those that ran mixed have that of all of them."""
    begin, end = find_window(parts, i)
    everything, within = 0, 0.0
    for part in parts:
        run, began = part["runs"][0], begun_ns(parts, part, i)
        for phase in run["phases"] if run["together"] else [run["phases"][i]]:
            everything += phase["operations"]
            within += done_by(phase, end - began) - done_by(phase, begin - began)
    return int(everything / within * (end - begin) + 0.5 if within > 0 else end - begin)


def first(a, _):
    return a


def same(a, b):
    if a != b:
        raise ValueError
    return a


def by_second(*ways):
    """Merges lists of tuples column by column; one list may be longer."""
    def merged(a, b):
        pairs = itertools.zip_longest(a, b, fillvalue=[0] * len(ways))
        return [[way(x, y) for way, x, y in zip(ways, *pair)] for pair in pairs]
    return merged


def add(name: str, a, b):
    """A member of two parts, merged.  What only one has stays; what one does not know, nobody does.
    Raises ValueError if they are not of the same things."""
    if (a is None or b is None) and MERGED.get(name) not in (first, add_histograms):
        return None
    if name in MERGED:
        return MERGED[name](a, b)
    if type(a) is dict:
        return {member: add(member, a[member], b[member]) if member in a and member in b else
                a.get(member, b.get(member)) for member in [*a, *(set(b) - set(a))]}
    if type(a) is list:
        return [add("", *pair) for pair in zip(a, b)] if len(a) == len(b) else same(a, b)
    return a if type(a) is str else a or b if type(a) is bool else a + b


def add_histograms(a: dict | None, b: dict | None) -> dict | None:
    """Bucket by bucket; the figures are those of the sum."""
    if a is None or b is None:
        return a or b
    counts = dict(map(tuple, a["buckets"]))
    for low, count in b["buckets"]:
        counts[low] = counts.get(low, 0) + count
    made = {"count": a["count"] + b["count"], "sum_ns": a["sum_ns"] + b["sum_ns"],
            "min_ns": min(a["min_ns"], b["min_ns"]), "max_ns": max(a["max_ns"], b["max_ns"]),
            "buckets": [list(bucket) for bucket in sorted(counts.items())]}
    made.update(results.quantiles(made), mean_ns=made["sum_ns"] / made["count"],
                sd_ns=deviation(made))
    return {name: made[name] for name in a}


def deviation(histogram: dict) -> float:
    """The sample standard deviation, from the middles of the buckets."""
    total = histogram["count"]
    middles = [(count, results.middle(histogram, low)) for low, count in histogram["buckets"]]
    mean = math.fsum(count / total * middle for count, middle in middles)
    squares = math.fsum(count * (middle - mean) ** 2 for count, middle in middles)
    return math.sqrt(squares / (total - 1)) if total > 1 else 0.0


# How a member is merged, where it is not added

MERGED = {**dict.fromkeys(("server_cpu_ns", "server_syncs", "server_log_bytes",
                           "server_scanned_rows"), lambda a, b: None),  # each has that of all
          "begun_ns": first, "elapsed_ns": first, "warmup_ns": first, "duration_ns": first,
          "deadline_ns": first, "name": same, "longest_ns": max, "verified": operator.and_,
          "wait_ns": lambda a, b: list(map(max, a, b)), "series": by_second(operator.add, max),
          "seconds": by_second(operator.add, operator.add, max),
          "latency": add_histograms, "commit": add_histograms, "response": add_histograms,
          "service": add_histograms, "lag": add_histograms}


def finish(parts: list[dict], run: dict) -> dict:
    runs = [part["runs"][0] for part in parts]
    run["digest"] = f"{sum(int(one['digest'], 16) for one in runs) % 2**64:016x}"
    begun = [min(begun_ns(parts, part, i) for part in parts) for i in range(len(run["phases"]))]
    for i, phase in enumerate(run["phases"]):
        phase["begun_ns"] = int(max(begun[i] - begun[0], 0))
        phase["elapsed_ns"] = merged_ns(parts, i)
        if "rate_per_s" in phase:
            phase["rate_per_s"] = results.phase_rate(phase) or None
    if "elapsed_ns" in run:
        run["elapsed_ns"] = results.elapsed_ns(run)
    for name, count in (("rate_per_s", "operations"), ("store_rate_per_s", "store_operations")):
        if run.get(name) is not None:
            run[name] = run[count] * 1e9 / run["elapsed_ns"]
    if "trials" in run:
        trial = run["trials"][0]
        trial["bad_share"] = results.bad_share(trial)
        if "in_time_share" in trial:
            trial["in_time_share"] = (trial["answered"] - trial["late"]) / trial["offered"]
            trial["verdict"] = results.verdict(trial)
        run["predicted"] = None
    return run
