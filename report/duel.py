# SPDX-License-Identifier: ISC
"""ubench_report duel: configurations that worked in turn for short slices of time (scripts/duel).

There may be several rounds, each with new processes of all sides, and in a round there are blocks.
A block has each side twice: all sides in random order, then in the reverse order.  What changes
slowly on the machine hits all sides of a block alike, and as the order is drawn anew, what is left
of it is as often for a side as against it.  The statistic is the difference within a block of the
logarithms of a figure; see docs/statistics.md, also for how often it errs.

Side 0, A, is what the others are compared with.  The twin of a duel has A's command, and all else
of its own: its ratio to A says what this machine could tell apart.  Where there are several rounds,
the other sides are compared with both, since each is A with an error of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from report import Problem, contradictions, figures, options, results, say, stats
from report.table import Output, Table

SUMMARY = "two configurations in turn: which is faster, and by how much"
EPILOG = """ubench_report duel duels.jsonl
    prints each duel; of several, first a table with a row for each, the
    oldest first, so that duels of the same commands are a history"""
TRIM = 5       # a fifth of the blocks is dropped on either side
SURE = 0.01    # the P of a carry-over, of a null that is not 1, of processor time that decides
MOST_SLICES = 200_000  # of a duel, as in its schema: a reader takes a minute for them


class Slice(NamedTuple):
    """The work of one side in one turn; None is not known."""
    side: int
    operations: int
    elapsed_ns: int
    cpu_ns: int
    server_cpu_ns: int | None
    syncs: int | None
    p50_ns: int | None
    p99_ns: int | None
    errors: int = 0  # operations that the store gave up, deadlocks say: not among the others
    round: int = 0   # in each round all sides are processes of their own
    log_bytes: int | None = None  # that a server wrote to its logs


class Figure(NamedTuple):
    label: str
    of: Callable[[Slice], float | None]
    scale: float = 1.0  # of what is printed


FIGURES = {
    "rate": Figure("per second", lambda one: one.operations * 1e9 / one.elapsed_ns),
    "p50": Figure("p50, us", lambda one: one.p50_ns, 1e-3),
    "p99": Figure("p99, us", lambda one: one.p99_ns, 1e-3),
    "cpu": Figure("runner's CPU, us", lambda one: one.cpu_ns / one.operations, 1e-3),
    "server-cpu": Figure("server's CPU, us",
                         lambda one: one.server_cpu_ns and one.server_cpu_ns / one.operations,
                         1e-3),
    # A server counts its syncs late.
    "syncs": Figure("syncs", lambda one: (one.syncs or 0) / one.operations
                    if one.log_bytes is None else None)}


class Judged(NamedTuple):
    """A figure that a gate can judge, and its two sentences."""
    figure: Figure
    more_is_better: bool
    worse: str
    not_worse: str


def _processor_ns(slice_: Slice) -> float:
    """An operation's time of the runner and, where it is known, of its server."""
    return (slice_.cpu_ns + (slice_.server_cpu_ns or 0)) / slice_.operations


JUDGED = {
    "rate": Judged(FIGURES["rate"], True, "it is slower by more than {} %",
                   "it is not slower by more than {} %"),
    "p50": Judged(FIGURES["p50"], False, "its p50 is higher by more than {} %",
                  "its p50 is not higher by more than {} %"),
    "processor": Judged(
        Figure("processor time, us", _processor_ns, 1e-3), False,
        "an operation takes more processor time, by more than {} %",
        "an operation does not take more processor time by more than {} %")}


class Verdict(NamedTuple):
    """A gate's verdict on one side."""
    name: str
    status: int
    text: str
    figures: str = ""  # the ratio with its interval, and the null's


def slices_of(line: dict) -> list[Slice]:
    return [Slice(*row) for row in line["slices"]]


def blocks_of(line: dict) -> list[list[Slice]]:
    """Without the last block if it was cut short."""
    slices, size = slices_of(line), 2 * len(line["sides"])
    return [slices[i:i + size] for i in range(0, len(slices) - size + 1, size)]


def seconds(line: dict) -> float:
    return sum(one.elapsed_ns for one in slices_of(line)) / 1e9


def candidates(line: dict) -> list[int]:
    return [i for i, side in enumerate(line["sides"]) if i and not side["twin"]]


# Statistics


def _log(one: Slice, figure: str = "rate") -> float | None:
    """A slice in which nothing was done has half an operation, so that the worst slices count, too;
    other figures are not known of it."""
    if not one.operations:
        return math.log(0.5e9 / one.elapsed_ns) if figure == "rate" else None
    value = (FIGURES.get(figure) or JUDGED[figure].figure).of(one)
    return math.log(value) if value else None


def references(line: dict, side: int) -> list[int]:
    """The sides that a side is compared with: A, and where there are several rounds its twin."""
    slices, size = line["slices"], 2 * len(line["sides"])
    last = slices[len(slices) // size * size - 1] if len(slices) >= size else []
    several = len(last) > 9 and last[9]
    return [i for i, of in enumerate(line["sides"])
            if i == 0 or of["twin"] and several and i != side]


def _pairs(line: dict, side: int, figure: str) -> list:
    """The round, and the logarithms of the slices of each reference and of the side, in each block
    that has all of them; nothing if less than nine tenths of the blocks have, as these are no fair
    choice."""
    blocks, which = blocks_of(line), [*references(line, side), side]
    pairs = ((block[0].round, [[_log(one, figure) for one in block if one.side == of]
                               for of in which]) for block in blocks)
    found = [pair for pair in pairs if all(None not in logs for logs in pair[1])]
    return found if 10 * len(found) >= 9 * len(blocks) else []


def _judge(pairs: list) -> tuple[list[float], int]:
    """The logarithms of the ratio that a statement is made of, and the part of them that is dropped
    on either side: one of each block; or, if there are several rounds, one of each of these, since
    its blocks share what its processes have by chance, their place in memory, say.  No round is
    dropped: there are few of them, and each is a trimmed mean already, or the mean of two: the
    differences from one reference are as often too large as too small, those from the mean of two
    are not."""
    rounds: dict = {}
    for number, (*of_references, of) in pairs:
        rounds.setdefault(number, []).append(
            [stats.mean(of) - stats.mean(logs) for logs in of_references])
    if len(rounds) < 2:
        return [first for found in rounds.values() for first, *_ in found], TRIM
    return [stats.mean([stats.trimmed_mean(of, len(of) // TRIM).mean for of in zip(*found)])
            for found in rounds.values()], 0


def estimate(line: dict, side: int, figure: str = "rate") -> stats.Contrast | None:
    """How a side compares with its references, by the blocks of one round, or by the rounds.  None
    if the figure is not known."""
    pairs = _pairs(line, side, figure)
    if not pairs:
        return None
    values, part = _judge(pairs)
    of_a = [log for _, (*of_references, _) in pairs for logs in of_references for log in logs]
    of = [log for _, (*_, logs) in pairs for log in logs]
    return stats.Contrast(len(values), (len(of_a), len(of))).of_logs(
        of_a, of, stats.paired(values, part))


def null_of(line: dict, figure: str = "rate") -> stats.Contrast | None:
    """A against A."""
    return next((estimate(line, i, figure) for i, side in enumerate(line["sides"])
                 if side["twin"]), None)


def carry_over(line: dict, side: int) -> stats.Interval | None:
    """The rate of a side after a slice of its own by that after another side's, which both are
    there in the middle of a block.  If that is not 1, what one side leaves behind changes what the
    next one does, and slices are too short.  None: no carry-over is shown."""
    sides = len(line["sides"])
    middles = [block[sides - 1:sides + 1] for block in blocks_of(line)]
    found = [_log(second) - _log(first) for first, second in middles if first.side == side]
    if len(found) < stats.LEAST:
        return None
    effect = stats.paired(found, TRIM)
    return effect.interval.exp() if effect.p <= SURE else None


def total_ratio(line: dict, side: int) -> float:
    """The ratio of the rates over the whole time, in which rare stalls have their full weight."""
    rates = []
    for which in (references(line, side), [side]):
        mine = [one for block in blocks_of(line) for one in block if one.side in which]
        rates.append(sum(one.operations for one in mine) / sum(one.elapsed_ns for one in mine))
    return rates[1] / rates[0] if rates[0] else math.inf


# The verdict


def farthest(interval: stats.Interval) -> float:
    """How far an interval goes from 1, as a logarithm."""
    return max(abs(math.log(end)) for end in interval[:2])


def tellable(null: stats.Contrast | None) -> float:
    """The least difference that counts: any, unless A and its twin differ by more than chance."""
    return farthest(null.interval) if null and null.interval and null.p <= SURE else 0.0


def is_shown(found: stats.Contrast, null: stats.Contrast | None) -> bool:
    return found.interval is not None and not found.interval.low <= 1 <= found.interval.high and \
        abs(math.log(found.ratio)) > tellable(null)


def percent(ratio: float) -> str:
    """How much a ratio is away from 1."""
    away = abs(ratio - 1) * 100
    return f"{away:.{0 if away >= 99.5 else 1 if away >= 0.995 else 2}f} %"


def verdict(found: stats.Contrast, null: stats.Contrast | None, ends: bool = False,
            words: tuple[str, str, str] = ("slower", "faster", "as fast")) -> str:
    """In one sentence, with the ends of the interval if they are wanted; what is less than the
    null's difference is not shown.  words: for less, for more, and for several times as much."""
    if found.interval is None:
        return f"not enough: {found.blocks} of {stats.LEAST} blocks, or rounds"
    if not is_shown(found, null):
        away = max(farthest(found.interval), tellable(null))
        return f"no difference shown: it is below {percent(math.exp(away))}"
    often = not 0.5 < found.ratio < 2  # 1,000 % faster would be 11 times as fast
    texts = [figures.figure(max(of, 1 / of)) if often else percent(of)
             for of in (found.ratio, *sorted(found.interval[:2], key=lambda of: abs(math.log(of))))]
    unit, word = " times" * often, words[0] if found.ratio < 1 else words[1 + often]
    return f"{texts[0]}{unit} {word}" + f" ({texts[1]} to {texts[2]}{unit})" * ends


def gate(line: dict, side: int, allowed: float, name: str = "rate") -> tuple[int, str]:
    """The exit status of a gate (stats.gate), of a figure of a side, and a text of it.  It is not
    passed if the duel was interrupted, if a result does not count, if A against A could not pass
    it in both directions, or if the figure over the whole time is worse than was allowed."""
    judged = JUDGED[name]
    if reason := unsound(line):
        return 5, f"not passed: {reason}"
    contrast, null = estimate(line, side, name), null_of(line, name)
    interval = contrast and contrast.interval
    if interval:
        least = math.exp(_null_difference(null))
        interval = stats.Interval(interval.low / least, interval.high * least)
    status = stats.gate(interval, allowed, judged.more_is_better)
    if status == 4:
        return 4, "not passed: " + judged.worse.format(f"{allowed * 100:g}")
    if reason := _why_no_figure(line, side, name):
        return 5, f"not passed: {reason}"
    if reason := _why_null_is_wide(line, allowed, name):
        return 5, f"too imprecise to tell: {reason}"
    if status == 0 and _whole_time_gate(line, side, allowed, name) == 0:
        return 0, "passed: " + judged.not_worse.format(f"{allowed * 100:g}")
    if interval and stats.gate(contrast.interval, allowed, judged.more_is_better) != 5:
        return 5, "too imprecise to tell: A against A differs, or some slices stalled"
    return 5, "too imprecise to tell: " + stats.why_untold(
        contrast, allowed, judged.more_is_better, line["time_s"] / 60, "--time {}m")


def unsound(line: dict) -> str:
    """Why no verdict can be had of a duel; "" if one can."""
    if line["incomplete"]:
        return "the duel was interrupted"
    for i, side in enumerate(line["sides"]):
        name = "A's twin" if side["twin"] else letter(i)
        if not side["result"]:
            return f"{name} was not verified, as it has no result"
        if reason := contradictions.unfinished(side["result"]):
            return f"{name} was not verified, or not to its end: {reason}"
    return ""


def _null_difference(null: stats.Contrast | None) -> float:
    """By how much A and its twin may differ, as a logarithm, if their interval leaves out 1; else
    0.  A gate asks for less evidence than a statement (SURE), since it has to fail closed."""
    if null is None or null.interval is None or null.interval.low <= 1 <= null.interval.high:
        return 0.0
    return farthest(null.interval)


def _why_no_figure(line: dict, side: int, name: str) -> str:
    """Why a figure other than the rate cannot be judged; "" if it can: each slice has to have it,
    since those without it may be the worst."""
    sides = [*references(line, side), side]
    mine = [one for one in slices_of(line) if one.side in sides]
    if name == "rate":
        return ""
    if name == "processor" and len({one.server_cpu_ns is None for one in mine}) > 1:
        return "the processor time of a server is known of some slices only"
    if any(_log(one, name) is None for one in mine):
        return f"{name} is not known of each slice"
    return ""


def _why_null_is_wide(line: dict, allowed: float, name: str) -> str:
    """Why a duel cannot resolve what a gate allows, by A against A; "" if it can, or if A did not
    work twice: A's twin has to pass the gate against A, and A against its twin."""
    if not any(side["twin"] for side in line["sides"]):
        return ""
    null = null_of(line, name)
    if null is None or null.interval is None:
        return f"A against A has no interval; expected {stats.LEAST} blocks or rounds; " \
            "measure for longer"
    for interval in (null.interval, stats.Interval(1 / null.interval.high, 1 / null.interval.low)):
        if stats.gate(interval, allowed, JUDGED[name].more_is_better) != 0:
            return f"A against A is {interval_text(null.interval)}, so that this duel cannot " \
                f"resolve {allowed * 100:g} %; give it a longer --time, or more --rounds"
    return ""


def _whole_time_gate(line: dict, side: int, allowed: float, name: str) -> int:
    """The same by the sums over the whole time, in which rare stalls have their full weight."""
    if name == "rate":
        return 0 if total_ratio(line, side) >= 1 - allowed else 5
    if name == "p50":
        return 0  # it has no sum
    costs = []
    for which in (references(line, side), [side]):
        mine = [one for block in blocks_of(line) for one in block if one.side in which]
        costs.append(sum(one.cpu_ns + (one.server_cpu_ns or 0) for one in mine)
                     / sum(one.operations for one in mine))
    return 0 if costs[1] <= costs[0] * (1 + allowed) else 5


def judge(line: dict, allowed: float, name: str, tell: Callable[[str], None]) -> list[Verdict]:
    """Says of each side whether it passes, and returns that."""
    label = f"{line['label']}: " if line["label"] else ""
    verdicts = []
    for side in candidates(line):
        status, text = gate(line, side, allowed, name)
        tell(f"gate: {label}{letter(side)} against A: {text}")
        verdicts.append(Verdict(line["sides"][side]["name"], status, text,
                                gate_figures(line, side, name)))
    return verdicts


def gate_figures(line: dict, side: int, name: str) -> str:
    """The ratio and the intervals that a gate's verdict was made of."""
    contrast, null = estimate(line, side, name), null_of(line, name)
    texts = [f"{name}, {letter(side)} to A: "
             + (f"{contrast.ratio:.4f}" if contrast else "not known")]
    if contrast and contrast.interval:
        texts.append(f"95 % interval {interval_text(contrast.interval)}")
    if null and null.interval:
        texts.append(f"A against A {interval_text(null.interval)}")
    return "; ".join(texts)


# Lines that contradict themselves


def fault(line: dict) -> str:
    """Checks what no schema can say: the date, the order of the slices, and their figures."""
    sides = line["sides"]
    if sides[0]["twin"] or sum(side["twin"] for side in sides) > 1:
        return "sides: the first one, or several, are twins"
    try:
        datetime.fromisoformat(line["started_at"][:-1])  # the schema has its form
    except ValueError:
        return f"started_at: is {line['started_at']}, which is no time"
    for i, row in enumerate(line["slices"]):
        if type(row[0]) is not int or row[0] >= len(sides):
            return f"slices[{i}]: has no side"
        if wrong := contradictions.turn_fault(_turn(row)):
            return f"slices[{i}]: {wrong}"
    return _fault_of_rounds(line)


def _turn(row: list) -> list:
    """The figures of a slice as its runner said them."""
    return [*row[1:9], *row[10:11]]


def _fault_of_rounds(line: dict) -> str:
    """The first fault in the rounds, and in the order of the slices of a block."""
    size, last = 2 * len(line["sides"]), 0
    slices = line["slices"]
    for start in range(0, len(slices), size):
        block = slices[start:start + size]
        rounds = {row[9] if len(row) > 9 else 0 for row in block}
        number = rounds.pop()
        if rounds or type(number) is not int or not number - last in (0, 1) or \
                number and not start:
            return f"slices[{start}]: rounds are 0, 1, 2 and so on, each of whole blocks"
        last = number
    for i, block in enumerate(blocks_of(line)):
        order = [one.side for one in block]
        if sorted(order[:size // 2]) != list(range(size // 2)) or order != order[::-1]:
            return f"slices: block {i + 1} has not each side twice, in an order and its reverse"
    if len(slices) % size and not line["incomplete"]:
        return "slices: the last block is cut short, and the duel is complete"
    return ""


def fault_of_results(line: dict) -> str:
    """Checks the results of the sides, which are right in themselves, beside the slices of the
    last round, whose results they are.  Of an interrupted duel some may be of the round before."""
    rows = line["slices"]
    last = rows[-1][9] if rows and len(rows[-1]) > 9 else 0
    for i, side in enumerate(line["sides"]):
        if not side["result"]:
            continue
        faults = []
        for number in (last, last - 1) if line["incomplete"] and last else (last,):
            faults.append(contradictions.turns_fault(side["result"], [
                _turn(row) for row in rows
                if row[0] == i and (row[9] if len(row) > 9 else 0) == number]))
        if all(faults):
            return f"sides[{i}].result: {faults[0]}"
    return ""


def as_results(line: dict) -> list[dict]:
    """A result for each side and block, or round if there are several, with the rate of its slices
    there: the sides worked at the same time, as the results of a campaign's block did."""
    labels = {"campaign": f"duel {line['started_at']}", "order-seed": str(line["seed"]),
              "role": results.IN_TURN}
    found, blocks = [], blocks_of(line)
    if blocks and blocks[-1][0].round:
        rounds: dict[int, list[Slice]] = {}
        for block in blocks:
            rounds.setdefault(block[0].round, []).extend(block)
        blocks = list(rounds.values())
    for i, side in enumerate(line["sides"]):
        if side["twin"] or not side["result"]:
            continue
        result, run = side["result"], side["result"]["runs"][0]
        worked = [turn for block in blocks for turn in block if turn.side == i]
        in_all = {"operations": sum(turn.operations for turn in worked),
                  "elapsed_ns": sum(turn.elapsed_ns for turn in worked)}
        for number, block in enumerate(blocks if len(run["phases"]) == 1 else (), 1):
            mine = [one for one in block if one.side == i]
            phase = {**run["phases"][0], "operations": sum(one.operations for one in mine),
                     "elapsed_ns": sum(one.elapsed_ns for one in mine)}
            found.append({**result, "runs": [{**run, "phases": [phase], "whole": run["phases"],
                                              "side": [{**phase, **in_all}], "side_number": i}],
                          "file": line.get("file"), "line": line.get("line"), "labels": {
                              **result["labels"], **labels, "block": str(number)}})
    return found


# The text of it


def letter(side: int) -> str:
    return chr(ord("A") + side)


def interval_text(interval: stats.Interval | None) -> str | None:
    form = figures.figure if interval and interval.low < 0.1 else "{:.3f}".format
    return interval and " to ".join(map(form, interval[:2]))


def figure_table(line: dict) -> Table:
    table = Table("|A>|>|ratio>|95 % interval>|")
    several = len(candidates(line)) > 1
    for side in candidates(line):
        table.heads[2] = "it" if several else letter(side)
        for name, figure in FIGURES.items():
            found = estimate(line, side, name)
            if found:
                table.add(f"{letter(side)} {figure.label}" if several else figure.label,
                          *(figures.figure(of * figure.scale) for of in found.figures),
                          f"{found.ratio:.3f}", interval_text(found.interval),
                          "" if is_shown(found, null_of(line, name)) else "not shown")
    return table


def binlog_of(result: dict) -> str | None:
    """How often a binary log in a file is synced; None if there is none."""
    return next((setting["value"] for setting in result["durability"].get("settings", ())
                 if setting["name"] == "sync_binlog"), None)


def work_table(line: dict) -> Table:
    """The work of the server of each side for an operation, by the sums of the slices."""
    table = Table("for each operation|round trips>|syncs>|bytes to logs>")
    for i, side in enumerate(line["sides"]):
        mine = [one for one in slices_of(line) if one.side == i]
        done = sum(one.operations for one in mine)
        if side["twin"] or not done or mine[0].log_bytes is None:
            continue
        result = side["result"] or {"runs": [{}], "durability": {}, "facts": {}}
        run, binlog = result["runs"][-1], binlog_of(result)
        sums = [None if None in values else sum(values) / done for values in zip(*(
            (one.syncs, one.log_bytes) for one in mine))]
        asked = run.get("operations")  # an operation that is no exchange is one statement
        trips = run.get("store_operations", asked) / asked if asked else None
        cells = [None if value is None else figures.figure(value) for value in (trips, *sums)]
        for k, more in ((1, binlog == "1"),  # InnoDB alone counts
                        (2, binlog is not None and "MySQL" in result["facts"])):
            cells[k] = cells[k] and cells[k] + " + binlog" * more
        table.add(f"{letter(i)} {side['server'] or side['name']}", *cells)
    return table


def print_duel(out: Output, line: dict) -> None:
    """One duel: what each side was, what the machine could tell, and the verdict."""
    null = null_of(line)
    for i, side in enumerate(line["sides"]):
        if not side["twin"]:
            out.labelled(letter(i), side["command"]
                         + f" (server: {side['server']})" * bool(side["server"]))
            out.labelled("", class_text(side))
    out.labelled("null", null_text(null))
    for side in candidates(line):
        found = estimate(line, side)
        out.labelled(f"{letter(side)} against A", "there is no whole block" if found is None else
                     verdict(found, null, True))
    out.gap()
    out.tables(figure_table(line), work_table(line))
    out.pairs([*doubts(line), ("measured", measured_text(line))])


def class_text(side: dict) -> str:
    result = side["result"]
    if result is None:
        return "no result"
    durability = result["durability"]
    return f"{durability.get('class')} ({durability.get('from')}); " \
           f"{result.get('program')} {result.get('version')}" + "".join(
               f", {name} {result['facts'][name][:12]}"
               for name in ("Kea build-id", "Kea libraries") if name in result["facts"])


def null_text(null: stats.Contrast | None) -> str:
    if null is None or null.interval is None:
        return "not measured: nothing says what this machine can tell apart"
    text = f"A against A: {interval_text(null.interval)}"
    if tellable(null):
        return f"{text}: two runs of the same command differ, so that no difference below " \
               f"{percent(math.exp(tellable(null)))} counts"
    return f"{text}: this machine can tell {percent(math.exp(null.precision))} apart in this time"


def doubts(line: dict) -> Iterable[tuple[str, str]]:
    """Doubts that the reader of the ratio has to know."""
    for i, side in enumerate(line["sides"]):
        if interval := carry_over(line, i):
            name = "A's twin" if side["twin"] else letter(i)
            yield "carry-over", f"{name} after itself does {interval_text(interval)} of what it " \
                "does after another side: longer slices (--slice) would say more"
    for side in candidates(line):
        typical = estimate(line, side)
        total = total_ratio(line, side) if typical else None
        if typical and typical.interval and not (
                typical.interval.low / 1.02 <= total <= typical.interval.high * 1.02):
            yield "stalls", f"over the whole time the ratio of {letter(side)} is {total:.3f}: " \
                "some slices of one side were much slower than the others"
        if typical and not is_shown(typical, null_of(line)):
            yield "processor", cpu_text(line, side)
    for i in range(len(line["sides"])):
        errors = sum(one.errors for one in slices_of(line) if one.side == i)
        if errors:
            yield "errors", f"the store gave up {figures.plural(errors, 'operation')} of " \
                f"{letter(i)}, which are not among those that were counted"
    classes = {str(side["result"]["durability"].get("class"))
               for side in line["sides"] if side["result"]}
    if len(classes) > 1:
        yield "durability", f"differs: {', '.join(sorted(classes))}"
    if line["incomplete"]:
        yield "incomplete", "the duel was interrupted"


def cpu_text(line: dict, side: int) -> str:
    """Processor time tells where the rate does not: other work disturbs it less."""
    for name in ("cpu", "server-cpu"):
        found, null = estimate(line, side, name), null_of(line, name)
        if found and found.p <= SURE and is_shown(found, null):
            much = verdict(found, null, True, ("less", "more", "as much"))
            return f"{letter(side)} takes {much} of the {FIGURES[name].label.split(',')[0]} time " \
                "for each operation: that decides, as the rate does not"
    return ""


def measured_text(line: dict) -> str:
    slices, result = slices_of(line), line["sides"][0]["result"]
    text = f"{len(slices)} slices of {line['slice_ms']} ms, {seconds(line):.0f} s in all"
    if slices and slices[-1].round:
        text += f", in {slices[-1].round + 1} rounds"
    return f"{text}, {line['started_at']}" + (", on {}, cores: {}".format(*(
        result["host"].get(name, "unknown") for name in ("cpu", "cores"))) if result else "")


def version_of(side: dict) -> str | None:
    result = side["result"]
    return result and ", ".join(filter(None, [results.product_text(result),
                                              str(result.get("version"))]))


def summary(lines: list[dict]) -> Table:
    table = Table("A|against it|ratio>|95 % interval>|null>|verdict|begun|version")
    for line in sorted(lines, key=lambda line: line["started_at"]):
        null = null_of(line)
        for side in candidates(line):
            found = estimate(line, side)
            if found:
                table.add(": ".join(filter(None, (line["label"], line["sides"][0]["name"]))),
                          line["sides"][side]["name"], f"{found.ratio:.3f}",
                          interval_text(found.interval), null and interval_text(null.interval),
                          verdict(found, null), line["started_at"],
                          version_of(line["sides"][side]))
    return table


FIGURE = options.Option("figure", "choice", "of the gate", "FIGURE", "rate", choices={
    "rate": "operations per second", "p50": "half of the operations took less",
    "processor": "processor time of an operation, of runner and server"})
OPTIONS = [options.GATE, FIGURE, options.FORMAT]


def run(values: dict, files: list[str], complain: results.Complain) -> int:
    statuses = []

    def note(*why) -> None:
        statuses.append(5)
        complain(*why)

    lines = results.read_all(files, note)[2]
    if not lines:
        raise Problem(f"there is no duel in {files[0]}; scripts/duel makes them")
    out = Output(values["format"])
    if len(lines) > 1 or out.form == "csv":
        out.table(summary(lines))
    for line in lines if out.form != "csv" else ():
        out.gap()
        print_duel(out, line)
    allowed = values["not_worse_than"]
    if allowed is None:
        return 0
    for line in lines:
        statuses += [verdict.status for verdict in judge(
            line, allowed, values["figure"], lambda text: say(f"duel: {text}"))]
    return stats.worst_gate(statuses)
