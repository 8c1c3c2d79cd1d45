# SPDX-License-Identifier: ISC
"""Reads the lines of results: ubench-result/1, ubench-kea/1 and ubench-crash/1, those that earlier
versions wrote, too.  A result is the dict that its line is, in the form of results/schema.json,
with "file", "line" and "kind" ("store", or "server" of a whole DHCP server).  A line that is
damaged, or contradicts itself, is complained of and left out."""
from __future__ import annotations

import functools
import json
import math
import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import accumulate
from operator import ge, itemgetter
from pathlib import Path

from report import Problem, figures, schema

SCHEMAS = Path(__file__).resolve().parent.parent / "results"
LINE_MAX = 64 << 20
CLASSES = ["none", "volatile", "process-safe", "bounded", "power-safe"]  # from the least safe on

# Warnings as versions before wrote them, in one text: the code of each, how it begins, and what it
# means, which the text of today says itself.
OLD_WARNINGS = [("steal", "the hypervisor took away ", ": rates too low"),
                ("other-work", "other work used ", ": rates too low"),
                ("load", "the load was ", ": rates may be low"),
                ("cpu-limit", "the control group's CPU limit ", ": it sets the rates"),
                ("not-durable", "more changes per second ", ""),
                ("slow-clock", "the clocksource ", "")]

# What a terminal would obey, or not show: controls, marks of direction and of no width, and codes
# that are no characters.
UNWANTED = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
                      "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")

BUCKETS = re.compile(rb'"buckets": ?\[\[[0-9, \[\]]*\]\]')

# What lines of others do not say of a phase.
PHASE = {"name": "", "incomplete": False, "operations": 0, "hits": None, "misses": None,
         "begun_ns": None, "elapsed_ns": 0, "latency": None, "commit": None, "series": [],
         "usage": None}

Complain = Callable[[str, int, str], None]


class Damaged(Exception):
    """Why a line cannot be used."""


# Reading


def read(files: list[str], complain: Complain, whole: bool = False) -> tuple[list, list]:
    """The results and the crashes in these files, in order; "-" is standard input.  Of lines that
    are the same the first is kept.  complain(file, line, text) is called for each that cannot be
    used.  Unless they are wanted whole, the buckets of histograms are not looked at, and [], which
    takes a fifth of the time.  Raises Problem if a file cannot be read."""
    found, crashes, seen = [], [], {}
    for name in files:
        for number, text in enumerate(_lines(name), 1):
            try:
                line = parse(text, whole)
                if seen.setdefault(text, (name, number)) != (name, number):
                    raise Damaged("the line is the same as {}:{}".format(*seen[text]))
            except Damaged as why:
                complain(name, number, UNWANTED.sub("?", str(why)))
                continue
            line.update(file=name, line=number)
            (crashes if line["format"] == "ubench-crash/1" else found).append(line)
    return found, crashes


def load(files: list[str], complain: Complain, parts: bool = False, whole: bool = False) -> \
        tuple[list, list]:
    """The same without the parts of runs that were not put together, unless those are wanted.
    Raises Problem if there is nothing in the files."""
    found, crashes = read(files, complain, whole)
    if not parts:
        found = leave_out(found, lambda result: len(result.get("parts", ())) == 1, complain,
                          "it is a part of a run; ubench_report merge puts all together")
    if not found and not crashes:
        raise nothing_in(files)
    return found, crashes


def leave_out(found: list, which: Callable[[dict], bool], complain: Complain, why: str) -> list:
    """The results without those, each of which is complained of."""
    for result in filter(which, found):
        complain(result["file"], result["line"], why)
    return [result for result in found if not which(result)]


def nothing_in(files: list[str]) -> Problem:
    return Problem(f"there are no results in {files[0]}{' and the others' * (len(files) > 1)}")


def _lines(name: str):
    """The lines of a file; one that is empty has an empty line."""
    try:
        with (sys.stdin.buffer if name == "-" else open(name, "rb")) as stream:
            text = stream.readline(LINE_MAX + 2)
            yield text.rstrip(b"\n")
            while text:
                text = stream.readline(LINE_MAX + 2)
                if text:
                    yield text.rstrip(b"\n")
    except OSError as why:
        raise Problem(f"{name}: {why.strerror}") from None


def parse(text: bytes, whole: bool = False) -> dict:
    """One line, checked, and brought into the form of today.  Raises Damaged."""
    text = text if whole else BUCKETS.sub(b'"buckets":[]', text)
    if len(text) > LINE_MAX:
        raise Damaged("the line is longer than 64 MiB")
    if not text.strip(b" \t\r"):
        raise Damaged("the line is empty")
    try:
        line = json.loads(text.decode(), object_pairs_hook=_no_duplicates,
                          parse_constant=_no_number)
    except UnicodeDecodeError as why:
        raise Damaged(f"the line is not JSON: byte {why.start + 1} is no UTF-8") from None
    except (ValueError, RecursionError) as why:
        cut = getattr(why, "pos", 0) >= len(text.decode().rstrip()) or "Unterminated" in str(why)
        raise Damaged(f"the line {'is cut short' if cut else 'is not JSON'}: {why}"[:160]) from None
    if type(line) is not dict or type(line.get("format")) is not str:
        raise Damaged("this is no result: it has no format")
    if b"\\" in text or b"\x7f" in text or not text.isascii():
        line = _clean(line)
    if line["format"] not in READERS:
        raise Damaged(f"the format is '{line['format'][:80]}', and ubench-result/1 is what can be "
                      "read")
    READERS[line["format"]](line)
    for place, histogram in histograms(line.get("runs", ())):
        _refuse(schema.inside(place, _figures_fault(histogram) or
                              (_bucket_fault(histogram) if whole else None)))
    return line


def _no_duplicates(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member is there twice")
    return members


def _no_number(name):
    raise ValueError(f"{name} is no number")


def _clean(value):
    """The same with a question mark for what does not belong on a terminal."""
    if type(value) is str:
        return UNWANTED.sub("?", value)
    if type(value) is dict:
        return {UNWANTED.sub("?", key): _clean(item) for key, item in value.items()}
    if type(value) is list and value and type(value[0]) is not list:
        return [_clean(item) for item in value]
    return value


@functools.cache
def _schema(name: str) -> schema.Check:
    with open(SCHEMAS / f"{name}schema.json", encoding="utf-8") as file:
        return schema.compile_schema(json.load(file))


def _refuse(fault: schema.Fault) -> None:
    if fault:
        raise Damaged("{}: {}".format(*fault) if fault[0] else f"the line {fault[1]}")


def _read_result(line: dict) -> None:
    _refuse(_schema("")(line))
    if "warnings" not in line:
        line["warnings"] = _old_warnings(line.get("warning", ""))
    for run in line["runs"]:
        run.setdefault("together", False)
        run.setdefault("incomplete", False)
        run["phases"] = [{**PHASE, **phase} for phase in run["phases"]]
    _refuse(_published_fault(line) if "published" in line else _contradiction(line))
    _set_defaults(line, "store")


def _set_defaults(line: dict, kind: str) -> None:
    for name in ("published", "started_at", "error"):
        line.setdefault(name, "")
    for name in ("labels", "floors"):
        line.setdefault(name, {})
    line.setdefault("incomplete", False)
    line["kind"] = kind


def _old_warnings(text: str) -> list[dict]:
    """The list of what versions before wrote as one text."""
    begins = "|".join(re.escape(begin) for _, begin, _ in OLD_WARNINGS)
    found = []
    for one in filter(None, re.split(f"; (?={begins})", text)):
        code, meaning = next(((code, meaning) for code, begin, meaning in OLD_WARNINGS
                              if one.startswith(begin)), ("other", ""))
        found.append({"code": code, "text": one + meaning})
    return found


def _read_server(line: dict) -> None:
    """Of a whole DHCP server.  Its highest rate is a phase "dora" or "sarr", a run at a rate or a
    storm is a trial, so that whatever groups and compares results takes it."""
    from report import servers
    _refuse(_schema("kea.")(line))
    for i, trial in enumerate(line.get("trials", ())):
        _refuse(_counts(trial, f"trials[{i}]", "sent", "granted"))
    line.update(servers.describe(line))
    _set_defaults(line, "server")


def _read_crash(line: dict) -> None:
    _refuse(_schema("crash.")(line))
    if not line["labels"].get("cell"):
        raise Damaged("labels.cell: is missing: the line is of no campaign")
    if not re.fullmatch("1|1b|1c|2|3|4|4k|4s|4n", line["labels"].get("level", "")):
        raise Damaged("labels.level: is not 1, 1b, 1c, 2, 3, 4, 4k, 4s or 4n")


READERS = {"ubench-result/1": _read_result, "ubench-kea/1": _read_server,
           "ubench-crash/1": _read_crash}


# What contradicts itself


def _published_fault(line: dict) -> schema.Fault:
    """Figures of others have no class, as no settings were read back, and nothing was verified."""
    if line["durability"]["class"] is not None:
        return "durability.class", "is not null, and the figures were published by others"
    return next(((f"runs[{i}].{name}", "is there, and the figures were published by others")
                 for i, run in enumerate(line["runs"]) for name in ("verified", "digest", "trials")
                 if name in run), None)


def _contradiction(line: dict) -> schema.Fault:
    """What cannot be true of a line whose members are all as they have to be."""
    parameters, runs = line["parameters"], line["runs"]
    missing = [name for name in ("started_at", "incomplete") if name not in line] or \
        [f"runs[{i}].{name}" for i, run in enumerate(runs)
         for name in ("verified", "leases_left", "digest") if name not in run] or \
        [f"runs[{i}].{name}" for i, run in enumerate(runs) if is_open(run)
         for name in ("closed_loop", "predicted") if name not in run]
    if missing:
        return missing[0], "is missing"
    if line["durability"]["class"] is None:
        return "durability.class", "is null, and the figures are not published ones"
    if line["program"] != f"{line['store']}_ubench":
        return "program", f"is {line['program']}, and the store is {line['store']}"
    try:
        datetime.strptime(line["started_at"], "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return "started_at", f"is {line['started_at']}, which is no time"
    if not _threads(line):
        return "parameters.threads", f"is '{parameters['threads']}', which cannot be"
    if not is_open(runs[0]) and len({run["digest"] for run in runs if _is_plain(run)}) > 1:
        return "runs", "have not the same digest"
    for i, run in enumerate(runs):
        fault = _of_run(line, run)
        if fault:
            return schema.inside(f"runs[{i}]", fault)
    return None


def _threads(line: dict) -> int | None:
    """None if that cannot be."""
    return figures.scan_count(line["parameters"].get("threads", "1")) or None


def _is_plain(run: dict) -> bool:
    """Nothing was given up, and all of it was done."""
    return not run["incomplete"] and not any(
        phase.get(name) for phase in run["phases"] for name in ("deadlocks", "conflicts", "stale"))


def _of_run(line: dict, run: dict) -> schema.Fault:
    keeps = line["store"] != "null"
    if run["verified"] != keeps:
        return "verified", f"is {str(run['verified']).lower()}, and the store is {line['store']}"
    if run["leases_left"] > 0 and not run["incomplete"]:
        return "leases_left", f"is {run['leases_left']}, and every answer was right"
    if run.get("trials") == [] and not run["incomplete"]:
        return "trials", "is empty"
    if is_open(run):
        return _of_open_loop(run, len(line.get("parts", ())) > 1)
    threads = _threads(line) if len(line.get("parts", ())) < 2 else None
    for i, phase in enumerate(run["phases"]):
        fault = _of_phase(run, phase, threads)
        if fault:
            return schema.inside(f"phases[{i}]", fault)
    return _of_reconnect(run.get("reconnect"))


def _of_reconnect(reconnect: dict | None) -> schema.Fault:
    return reconnect and schema.inside("reconnect", _counts(reconnect, "", "outages", "ended") or
                                       _counts(reconnect, "", "outage_ns", "longest_ns") or
                                       _counts(reconnect, "", "unknown", "found_done", "repeated"))


def _of_phase(run: dict, phase: dict, threads: int | None) -> schema.Fault:
    """threads: None if they were those of several processes."""
    done, elapsed, taken = phase["operations"], phase["elapsed_ns"], phase["latency"]
    if done > 0 and done // 1000 >= elapsed:
        return "operations", f"is {done} in {elapsed} ns, which nothing can do"
    if elapsed == 0 and not run["incomplete"] and not phase["incomplete"]:
        return "elapsed_ns", "is 0, and the phase is complete"
    fault = _counts(phase, "", "operations", "hits", "misses", exact=True)
    for i, step in enumerate(phase.get("steps", ())):
        fault = fault or _counts(step, f"steps[{i}]", "count", "hits", "misses", exact=True)
    fault = fault or _rate_fault(phase, "rate_per_s", phase_rate(phase))
    if fault or taken is None:
        return fault
    if taken["count"] != done and (taken["count"] < done or
                                   _is_plain({**run, "phases": [phase]})):
        return "latency.count", f"is {taken['count']}, and operations is {done}"
    took = taken["sum_ns"] + (phase["commit"] or {"sum_ns": 0})["sum_ns"]
    if threads and took > 1.01 * threads * elapsed + 1000:
        return "latency.sum_ns", \
            f"is {took} with commits, and {figures.plural(threads, 'thread')} had {elapsed} ns"
    return None


def _of_open_loop(run: dict, merged: bool) -> schema.Fault:
    """merged: of parts, whose rates were added, and whose waits are those of one."""
    for i, trial in enumerate(run["trials"]):
        in_time = (trial["answered"] - trial["late"]) * 1e9 / max(trial["elapsed_ns"], 1)
        fault = _of_trial(trial) or _rate_fault(trial, "bad_share", bad_share(trial)) or \
            (None if merged else _rate_fault(trial, "in_time_per_s", in_time))
        if not fault and not merged and not trial["incomplete"] and \
                trial["grew"] != is_growing(trial):
            fault = "grew", f"is {str(trial['grew']).lower()}, which the waits do not say"
        if not fault and trial["rate_per_s"] is None and "storm" not in run:
            fault = "rate_per_s", "is null, and the run is no storm"
        if fault:
            return schema.inside(f"trials[{i}]", fault)
    predicted = run.get("predicted") or {}
    return schema.inside("predicted", _of_trial(predicted) if predicted else None) or \
        _of_storm("storm", run.get("storm")) or \
        _of_storm("predicted.storm", predicted.get("storm")) or \
        _of_reconnect(run.get("reconnect"))


def _of_trial(trial: dict) -> schema.Fault:
    """Of what was offered, or was predicted for that."""
    seconds = trial.get("seconds", ())
    if any(late > answered for answered, late, _ in seconds):
        return "seconds", "has more late answers than answers"
    return _counts(trial, "", "offered", "answered", "dropped", "merged", "failed", "unanswered",
                   exact=True) or _counts(trial, "", "answered", "late")


def _of_storm(place: str, storm: dict | None) -> schema.Fault:
    return storm and (_counts(storm, place, "clients", "served") or
                      _counts(storm, place, "sent", "retransmitted") or
                      _counts(storm, place, "served_100_ns", "served_99_ns") or
                      _counts(storm, place, "served_99_ns", "served_50_ns"))


def _counts(of: dict, place: str, whole: str, *parts: str, exact: bool = False) -> schema.Fault:
    """That the parts come to the whole, or to no more; nothing is said of what is not known."""
    values = [of.get(name) for name in (whole,) + parts]
    if None in values or values[0] == sum(values[1:]) or \
            (not exact and values[0] > sum(values[1:])):
        return None
    return schema.inside(place, (whole, (f"is {values[0]}, and {' + '.join(parts)} is "
                                        f"{sum(values[1:])}")))


def _rate_fault(of: dict, name: str, wanted: float) -> schema.Fault:
    value = of.get(name) or 0 if name in of else wanted
    return None if math.isclose(value, wanted, rel_tol=1e-6, abs_tol=1e-9) else \
        (name, f"is {value:.6g}, and the counts give {wanted:.6g}")


# Histograms of latencies: values below 256 ns have a bucket each, and above each power of two has
# 128 of equal width; what is beyond 2^45 ns is in the last.  See ubench/measure/histogram.h.

SUB = 128
LOWS = [(i - shift * SUB) << shift for i in range((45 - 7 + 1) * SUB)
        for shift in [max(i // SUB - 1, 0)]]
LOW_SET = frozenset(LOWS)
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}


def bucket_of(ns: int) -> int:
    """The lowest value of the bucket that a value is counted in."""
    shift = max(ns.bit_length() - 8, 0)
    return min(ns >> shift << shift, LOWS[-1])


def histograms(value, place: str = "runs") -> Iterator[tuple[str, dict]]:
    """Each histogram in runs or a part of them, and where it is."""
    if type(value) is list and value and type(value[0]) is dict:
        for i, item in enumerate(value):
            yield from histograms(item, f"{place}[{i}]")
    elif type(value) is dict and "buckets" in value:
        yield place, value
    elif type(value) is dict:
        for name, item in value.items():
            if type(item) in (dict, list):
                yield from histograms(item, f"{place}.{name}")


def quantiles(histogram: dict, wanted: dict = QUANTILES) -> dict:
    """Quantiles, as the runners compute them: the middle of a bucket, at most 0.4 % off; None if
    fewer than 10 values lie beyond, when it is chance."""
    count, buckets = histogram["count"], histogram["buckets"]
    sums = list(accumulate(map(itemgetter(1), buckets)))
    found = {}
    for name, q in wanted.items():
        # A hair less than the product, as 0.07 * 100 is 7.000000000000001 and means 7.
        rank = max(math.ceil(q * count * (1 - 4 * sys.float_info.epsilon)), 1)
        low = buckets[bisect_left(sums, rank)][0] if count - rank >= 10 else None
        found[name] = None if low is None else \
            float(histogram["min_ns"]) if rank == 1 else middle(histogram, low)
    return found


def middle(histogram: dict, low: int) -> float:
    """The middle of a bucket, which is not outside of what there was."""
    width = 1 << max(low.bit_length() - 8, 0)
    return max(float(histogram["min_ns"]), min(float(histogram["max_ns"]), low + (width - 1) / 2))


def _figures_fault(of: dict) -> schema.Fault:
    count, least, most, total = of["count"], of["min_ns"], of["max_ns"], of["sum_ns"]
    if not (least <= most and count * least <= total <= count * most):
        return "sum_ns", f"is {total}, and {count} values are from {least} to {most}"
    if not math.isclose(of["mean_ns"], total / count, rel_tol=1e-9):
        return "mean_ns", f"is {of['mean_ns']:.6g}, and the sum gives {total / count:.6g}"
    known = [of[f"{name}_ns"] for name in QUANTILES if of[f"{name}_ns"] is not None]
    if sorted([least, *known, most]) != [least, *known, most]:
        return "p50_ns", "and the other quantiles are not in ascending order from min_ns to max_ns"
    return None


def _bucket_fault(of: dict) -> schema.Fault:
    lows, counts = zip(*of["buckets"]) if of["buckets"] else ((), ())
    if sum(counts) != of["count"] or not LOW_SET.issuperset(lows) or any(map(ge, lows, lows[1:])):
        return "buckets", f"are not those of {of['count']} values in ascending order"
    if bucket_of(of["min_ns"]) != lows[0] or bucket_of(of["max_ns"]) != lows[-1]:
        return "buckets", "are not those of its min_ns and max_ns"
    return next(((f"{name}_ns", f"is {of[f'{name}_ns']}, and the buckets give {wanted}")
                 for name, wanted in quantiles(of).items() if of[f"{name}_ns"] != wanted), None)


# What a result says


def parameter(result: dict, name: str) -> str:
    """An option's value as it was typed; "" if there is none."""
    return result["parameters"].get(name, "")


def count_parameter(result: dict, name: str, fallback: int) -> int:
    """The same of one that is a whole number above 0."""
    return figures.scan_count(parameter(result, name)) or fallback


def warning(result: dict) -> str:
    """Its warnings in one text; "" if there are none."""
    return "; ".join(one["text"] for one in result["warnings"])


def durability(result: dict) -> str | None:
    """Its class; None of figures of others, for which no settings were read back."""
    return result["durability"]["class"]


def is_open(run: dict) -> bool:
    """An open loop: its rates were asked for, not reached."""
    return "trials" in run


def is_reference(result: dict) -> bool:
    """One of the runs that show how the machine changes during a campaign."""
    return result["labels"].get("role") == "reference"


def is_fill(result: dict) -> bool:
    """Its rows are levels of a pool: unlike each other, so that no mean or sum is a figure."""
    return parameter(result, "workload") == "fill"


def is_exchanges(result: dict) -> bool:
    """Its operations are exchanges, each of several operations of the store."""
    workload = parameter(result, "workload")
    first = result["runs"][0]
    return workload not in ("phases", "churn") if workload else \
        first["together"] or is_open(first)


def has_guide_phases(result: dict) -> bool:
    """Its phases are the four of the 2012 guide, one after the other."""
    return not is_exchanges(result) and len(result["runs"][0]["phases"]) == 4


def complete_runs(result: dict) -> list[dict]:
    """The runs that statistics are made of: those before the first that was cut short."""
    runs = result["runs"]
    return runs[:next((i for i, run in enumerate(runs) if run["incomplete"]), len(runs))]


def phase_rate(phase: dict) -> float:
    """Operations per second; 0 if it took no time."""
    elapsed = phase["elapsed_ns"]
    return phase["operations"] * 1e9 / elapsed if elapsed > 0 else 0.0


def find_phase(run: dict, name: str) -> dict | None:
    return next((phase for phase in run["phases"] if phase["name"] == name), None)


def elapsed_ns(run: dict) -> int:
    """The time of all phases, or, if they ran together, that of the longest."""
    times = [phase["elapsed_ns"] for phase in run["phases"]]
    return max(times) if run["together"] else sum(times)


def operations(run: dict) -> int:
    return sum(phase["operations"] for phase in run["phases"])


def steps(run: dict) -> int:
    """Operations of the store, in exchanges."""
    return sum(step["count"] for phase in run["phases"] for step in phase.get("steps", ()))


def rate(run: dict) -> float:
    """All operations of a run by all its time, per second; 0 if it took none."""
    elapsed = elapsed_ns(run)
    return operations(run) * 1e9 / elapsed if elapsed > 0 else 0.0


def mean_rate(run: dict) -> float:
    """The guide's Average: the mean of the rates of the phases."""
    total = 0.0
    for phase in run["phases"]:
        total += phase_rate(phase)
    return total / len(run["phases"])


def latency(histogram: dict | None, name: str) -> float | None:
    """A figure of latencies in ns: "p50" to "p99.99", "mean", "sd", "min", "max"."""
    return None if histogram is None else histogram[f"{name}_ns"]


def bad_share(trial: dict, deadline_ns: int | None = None) -> float:
    """The share of requests that were late for a deadline, its own if none is given, or lost."""
    bad = trial["dropped"] + trial["failed"] + trial["unanswered"]
    if deadline_ns in (None, trial["deadline_ns"]):
        bad += trial["late"]
    elif trial["response"]:
        bad += sum(count for low, count in trial["response"]["buckets"]
                   if low > bucket_of(deadline_ns))
    return bad / trial["offered"]


def is_growing(trial: dict, deadline_ns: int | None = None) -> bool:
    """True if the queue still grew at the end, towards where all requests are late: those of the
    last third waited longer than those of the first by more than a twentieth of the deadline.  A
    queue that is short enough to be served within the deadline grows no further than that; there
    the drops tell, once there are any."""
    deadline = deadline_ns or trial["deadline_ns"]
    full_wait = trial["queue"] * trial["elapsed_ns"] / (trial["answered"] + 1)
    first, _, last = trial["wait_ns"]
    return (full_wait > deadline or trial["dropped"] == 0) and last > first + 0.05 * deadline


def verdict(trial: dict) -> str:
    """What a trial shows, as lines have it; also of lines that do not."""
    if trial["incomplete"]:
        return "interrupted"
    if trial["invalid"]:
        return "invalid"
    if trial["grew"]:
        return "saturated" if trial["bad_share"] > 0 else "growing"
    return "not-in-time" if trial["bad_share"] > 0 else "sustained"
