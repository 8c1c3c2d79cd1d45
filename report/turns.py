# SPDX-License-Identifier: ISC
"""Checks what a runner says of its turns (ubench/load/barrier.h), for scripts/duel, which hears it,
and for the readers of a duel's line, which has it as slices: one rule for both."""

from __future__ import annotations

from collections.abc import Sequence

from report import results

LINE_MAX = 1 << 16         # bytes of what a runner says of a turn
MOST = 2**53               # of a figure: 104 days in ns
OPERATIONS_PER_NS = 10     # nothing does more
CORES = 10_000             # no machine has more
CLOCK_SHARE, CLOCK_NS = 0.01, 10**6  # two clocks agree within that on the length of a turn
ACCOUNT_NS = 10**9         # by so much processor time may be accounted to a later turn

# The members of a turn in their order in a slice, behind the side; True: it may be unknown.
MEMBERS = {"operations": False, "elapsed_ns": False, "cpu_ns": False, "server_cpu_ns": True,
           "syncs": True, "p50_ns": True, "p99_ns": True, "errors": False, "log_bytes": True}


def read(text: bytes, wall_ns: int) -> list[int | None]:
    """The figures of a turn, in the order of MEMBERS, from its JSON.  wall_ns: how long the turn
    took by the clock of the caller.  Raises results.Damaged."""
    if len(text) > LINE_MAX:
        raise results.Damaged(f"it is longer than {LINE_MAX} bytes")
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
    figures = [members[name] for name in MEMBERS]
    others = {name: members[name] for name in ("hits", "misses") if name in members}
    wrong = fault(figures) or _whole_numbers(others, set())
    if not wrong and members["elapsed_ns"] > wall_ns * (1 + CLOCK_SHARE) + CLOCK_NS:
        wrong = f"elapsed_ns is {members['elapsed_ns']}, and the turn took {wall_ns} ns"
    if wrong:
        raise results.Damaged(wrong)
    return figures


def fault(figures: Sequence) -> str:
    """Checks the figures of a turn, in the order of MEMBERS.  Returns the first fault, or ""."""
    values = dict(zip(MEMBERS, figures))
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


def result_fault(result: dict, turns: Sequence[Sequence]) -> str:
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
