# SPDX-License-Identifier: ISC
"""Finds contradictions in a line of which each member is as the schema says.  A fault is the place
of a member and a text.

It also checks what a runner says of its turns (ubench/load/barrier.h), for scripts/duel, which
hears it, and for the readers of a duel's line, which has it as slices: one rule for both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from operator import ge

from report import figures, results, schema
from report.schema import Faults

TURN_MAX = 1 << 16         # bytes of what a runner says of a turn
MOST = 2**53               # of a figure: 104 days in ns
OPERATIONS_PER_NS = 10     # nothing does more
CORES = 10_000             # no machine has more
CLOCK_SHARE, CLOCK_NS = 0.01, 10**6  # two clocks agree within that on the length of a turn
ACCOUNT_NS = 10**9         # by so much processor time may be accounted to a later turn

# The members of a turn in their order in a slice, behind the side; True: it may be unknown.
MEMBERS = {"operations": False, "elapsed_ns": False, "cpu_ns": False, "server_cpu_ns": True,
           "syncs": True, "p50_ns": True, "p99_ns": True, "errors": False, "log_bytes": True}


# Formats of one store alone
STORES = ("ubench-result/1", "ubench-result/2")


def faults(line: dict, whole: bool) -> Faults:
    """Buckets of histograms are looked at if they are there: whole."""
    for place, of in results.objects(line.get("runs", []), "runs"):
        for name, text in of_counts(of) if "operations" in of else \
                of_buckets(of, whole) if "buckets" in of else ():
            yield f"{place}.{name}", text
    if line["format"] in STORES and "published" not in line:
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


# Turns


def read_turn(text: bytes, wall_ns: int) -> list[int | None]:
    """The figures of a turn, in the order of MEMBERS, from its JSON.  wall_ns: how long the turn
    took by the clock of the caller.  Raises results.Damaged."""
    if len(text) > TURN_MAX:
        raise results.Damaged(f"it is longer than {TURN_MAX} bytes")
    try:
        said = results.DECODER.decode(text.decode())
    except UnicodeDecodeError:
        raise results.Damaged("it is not UTF-8") from None
    except (ValueError, RecursionError):
        raise results.Damaged("it is not JSON") from None
    if type(said) is not dict:
        raise results.Damaged("it is not a JSON object")
    latency = said.get("latency")
    if latency is not None and type(latency) is not dict:
        raise results.Damaged("latency is neither an object nor null")
    members = {"latency": None, "log_bytes": None, **said,
               "p50_ns": (latency or {}).get("p50_ns"), "p99_ns": (latency or {}).get("p99_ns")}
    for name in MEMBERS:
        if name not in members:
            raise results.Damaged(f"{name} is missing")
    values = [members[name] for name in MEMBERS]
    others = {name: members[name] for name in ("hits", "misses") if name in members}
    wrong = turn_fault(values) or _whole_numbers(others, set())
    if not wrong and members["elapsed_ns"] > wall_ns * (1 + CLOCK_SHARE) + CLOCK_NS:
        wrong = f"elapsed_ns is {members['elapsed_ns']}, and the turn took {wall_ns} ns"
    if wrong:
        raise results.Damaged(wrong)
    return values


def turn_fault(said: Sequence) -> str:
    """Checks the figures of a turn, in the order of MEMBERS.  Returns the first fault, or ""."""
    values = dict(zip(MEMBERS, said))
    optional = {name for name, may_be_unknown in MEMBERS.items() if may_be_unknown}
    if wrong := _whole_numbers(values, optional):
        return wrong
    elapsed = values["elapsed_ns"]
    if elapsed == 0:
        return "elapsed_ns is 0; expected a time above 0"
    for name in ("operations", "errors"):
        if values[name] > OPERATIONS_PER_NS * elapsed:
            return f"{name} is {values[name]} in {elapsed} ns, which nothing can do"
    for name in ("cpu_ns", "server_cpu_ns"):
        if (values[name] or 0) > CORES * elapsed + ACCOUNT_NS:
            return f"{name} is {values[name]} in {elapsed} ns, which no machine has"
    if values["p50_ns"] is not None and values["p99_ns"] is not None \
            and values["p50_ns"] > values["p99_ns"]:
        return f"p50_ns is {values['p50_ns']}, and p99_ns is {values['p99_ns']}"
    for name in ("p50_ns", "p99_ns"):
        if (values[name] or 0) > (1 + CLOCK_SHARE) * elapsed + 1000:
            return f"{name} is {values[name]}, and the turn took {elapsed} ns"
    return ""


def _whole_numbers(values: dict, optional: set[str]) -> str:
    """The first of the values that is no whole number in 0..MOST; "" if all are."""
    for name, value in values.items():
        if value is None and name in optional:
            continue
        if type(value) is not int or not 0 <= value <= MOST:
            is_short = type(value) in (int, float) and abs(value) < 1e30
            shown = str(value) if is_short else "something else"
            return f"{name} is {shown}; expected a whole number in 0..2^53"
    return ""


def turns_fault(result: dict, turns: Sequence[Sequence]) -> str:
    """Compares a side's result, which results.parse() has read, with the figures of its turns in
    the same round.  Returns the first fault, or "".  Where each turn was counted the sums are the
    same.  Turns that chose the length of a slice, or settled, are in the result alone."""
    if len(result["runs"]) != 1:
        return "it has several runs, and a run in turns is one"
    run = result["runs"][0]
    if results.is_open(run):
        return "it is of an open loop, and a run in turns is none"
    given_up = sum(phase.get(name, 0) for phase in run["phases"]
                   for name in ("deadlocks", "conflicts"))
    threads = results.threads(result)
    for done, elapsed, _, _, _, p50, *_ in turns:
        if p50 is not None and done * p50 > 2 * ((1 + CLOCK_SHARE) * threads * elapsed + 1000):
            return f"half of {done} operations took {p50} ns or more, and the turn {elapsed} ns"
    if "turns" not in run:
        return "it does not say in how many turns it worked"
    if run["turns"] < len(turns):
        return f"it worked in {run['turns']} turns, and there were {len(turns)}"
    for name, sum_of_turns, total in (
            ("operations", sum(turn[0] for turn in turns), results.operations(run)),
            ("elapsed_ns", sum(turn[1] for turn in turns), results.elapsed_ns(run)),
            ("errors", sum(turn[7] for turn in turns), given_up)):
        if total < sum_of_turns or run["turns"] == len(turns) and total != sum_of_turns:
            return f"its {name} are {total}, and those of its turns {sum_of_turns}"
    return ""


def unfinished(result: dict) -> str:
    """Why a result does not count: it is incomplete, failed, was not verified or left leases
    behind.  "" if it counts.  The null store keeps nothing that could be verified."""
    if result.get("error"):
        return f"it ended early: {result['error']}"
    runs = result.get("runs", ())
    if result.get("incomplete") or any(run.get("incomplete") or any(
            phase.get("incomplete") for phase in run["phases"]) for run in runs):
        return "it is incomplete"
    for run in runs:
        if not run.get("verified") and result["store"] != "null":
            return "it was not verified"
        if run.get("leases_left"):
            return f"{run['leases_left']} leases were left behind"
    return "" if runs else "it has no run"
