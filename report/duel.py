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

import json
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from report import Problem, figures, options, results, stats
from report.table import Output, Table

SUMMARY = "two configurations in turn: which is faster, and by how much"
EPILOG = """ubench_report duel duels.jsonl
    prints each duel; of several, first a table with a row for each, the
    oldest first, so that duels of the same commands are a history"""
TRIM = 5       # a fifth of the blocks is dropped on either side
SURE = 0.01    # the P of a carry-over, of a null that is not 1, of processor time that decides


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
    name: str
    label: str
    of: Callable[[Slice], float | None]
    scale: float = 1.0  # of what is printed


FIGURES = {figure.name: figure for figure in (
    Figure("rate", "per second", lambda one: one.operations * 1e9 / one.elapsed_ns),
    Figure("p50", "p50, us", lambda one: one.p50_ns, 1e-3),
    Figure("p99", "p99, us", lambda one: one.p99_ns, 1e-3),
    Figure("cpu", "runner's CPU, us", lambda one: one.cpu_ns / one.operations, 1e-3),
    Figure("server-cpu", "server's CPU, us",
           lambda one: one.server_cpu_ns and one.server_cpu_ns / one.operations, 1e-3),
    Figure("syncs", "syncs",  # a server counts them late
           lambda one: one.syncs and one.log_bytes is None and one.syncs / one.operations),
)}


class Estimate(NamedTuple):
    """A side's figure, and that of A; the interval is None with fewer than 6 blocks."""
    figure: Figure
    values: tuple[float, float]  # the medians of the slices of A and of the side
    ratio: float                 # the side's / A's
    interval: stats.Interval | None
    p: float
    count: int  # of the rounds, or, if there is one alone, of the blocks

    @property
    def precision(self) -> float:
        """Half the width of the interval: 0.01 is 1 %."""
        return math.inf if self.interval is None else \
            math.log(self.interval.high / self.interval.low) / 2


# Statistics: of the slices of a duel in their order


def blocks_of(slices: Sequence[Slice], sides: int) -> list[Sequence[Slice]]:
    """Without the last block if it was cut short."""
    size = 2 * sides
    return [slices[i:i + size] for i in range(0, len(slices) - size + 1, size)]


def _log(one: Slice, figure: Figure) -> float | None:
    """A slice in which nothing was done has half an operation, so that the worst slices count, too;
    other figures are not known of it."""
    if not one.operations:
        return math.log(0.5e9 / one.elapsed_ns) if figure.name == "rate" else None
    value = figure.of(one)
    return math.log(value) if value else None


def references(slices: Sequence[Slice], side: int, twin: int) -> list[int]:
    """The sides that a side is compared with; twin is 0 if there is none."""
    return [0, twin] if twin not in (0, side) and slices and slices[-1].round else [0]


def _pairs(slices: Sequence[Slice], sides: int, side: int, figure: Figure, twin: int) -> list:
    """The round, and the logarithms of the slices of each reference and of the side, in each block
    that has all of them; nothing if less than nine tenths of the blocks have, as these are no fair
    choice."""
    blocks, which = blocks_of(slices, sides), [*references(slices, side, twin), side]
    pairs = ((block[0].round, [[_log(one, figure) for one in block if one.side == of]
                               for of in which]) for block in blocks)
    found = [pair for pair in pairs if all(None not in logs for logs in pair[1])]
    return found if 10 * len(found) >= 9 * len(blocks) else []


def _judge(pairs: list) -> tuple[list[float], int]:
    """The logarithms of the ratio that a statement is made of, and the part of them that is dropped
    on either side: one of each block; or, if there are several rounds, one of each of these, since
    its blocks share what its processes have by chance, their place in memory, say.  No
    round is dropped: there are few of them, and each is a trimmed mean already, or the mean of two:
    the differences from one reference are as often too large as too small, those from the mean of
    two are not."""
    rounds: dict = {}
    for number, (*references_logs, of) in pairs:
        rounds.setdefault(number, []).append(
            [stats.mean(of) - stats.mean(logs) for logs in references_logs])
    if len(rounds) < 2:
        return [first for found in rounds.values() for first, *_ in found], TRIM
    return [stats.mean([stats.trimmed_mean(of, len(of) // TRIM).mean for of in zip(*found)])
            for found in rounds.values()], 0


def differences(line: dict, side: int) -> tuple[list[float], int]:
    """The logarithms of the ratio of a side's rate, and the part of them that is dropped."""
    return _judge(_pairs(slices_of(line), len(line["sides"]), side, FIGURES["rate"],
                         twin_of(line)))


def estimate(slices: Sequence[Slice], sides: int, side: int, figure: Figure,
             twin: int = 0) -> Estimate | None:
    """How a side compares with A and its twin, if it has one.  None if the figure is not known."""
    pairs = _pairs(slices, sides, side, figure, twin)
    if not pairs:
        return None
    values, trim = _judge(pairs)
    found = stats.paired(values, trim)
    medians = tuple(math.exp(stats.median([log for _, logs in pairs for of in logs[part]
                                           for log in of]))
                    for part in (slice(-1), slice(-1, None)))
    return Estimate(figure, medians, math.exp(found.effect),
                    found.interval and found.interval.exp(), found.p, len(values))


def carry_over(slices: Sequence[Slice], sides: int, side: int) -> stats.Interval | None:
    """The rate of a side after a slice of its own by that after another side's, which both are
    there in the middle of a block.  If that is not 1, what one side leaves behind changes what the
    next one does, and slices are too short.  None: no carry-over is shown."""
    found = []
    for block in blocks_of(slices, sides):
        first, second = block[sides - 1:sides + 1]
        if first.side == side:
            found.append(_log(second, FIGURES["rate"]) - _log(first, FIGURES["rate"]))
    effect = stats.paired(found, TRIM) if found else None
    if effect is None or effect.interval is None or effect.p > SURE:
        return None
    return effect.interval.exp()


def total_ratio(slices: Sequence[Slice], sides: int, side: int, twin: int = 0) -> float:
    """The ratio of the rates over the whole time, in which rare stalls have their full weight."""
    rates = []
    for which in (references(slices, side, twin), [side]):
        mine = [one for block in blocks_of(slices, sides) for one in block if one.side in which]
        rates.append(sum(one.operations for one in mine) / sum(one.elapsed_ns for one in mine))
    return rates[1] / rates[0] if rates[0] else math.inf


def fault(line: dict) -> str:
    """Checks what no schema can say: the order of the slices, and their figures."""
    sides = len(line["sides"])
    if line["sides"][0]["twin"] or sum(side["twin"] for side in line["sides"]) > 1:
        return "sides: the first one, or several, are twins"
    for i, row in enumerate(line["slices"]):
        if type(row[0]) is not int or row[0] >= sides or None in row[1:4] + row[8:10] or \
                not row[2] or i and row[9:10] < line["slices"][i - 1][9:10]:
            return f"slices[{i}]: has no side, operations or time, or is of an earlier round"
    for i, block in enumerate(blocks_of(slices_of(line), sides)):
        order = [one.side for one in block]
        if sorted(order[:sides]) != list(range(sides)) or order != order[::-1]:
            return f"slices: block {i + 1} has not each side twice, in an order and its reverse"
    return ""


def as_results(line: dict) -> list[dict]:
    """A result for each side and block, or round if there are several, with the rate of its slices
    there: the sides worked at the same time, as the results of a campaign's block did."""
    labels = {"campaign": f"duel {line['started_at']}", "order-seed": str(line["seed"]),
              "role": results.IN_TURN}
    found, blocks = [], blocks_of(slices_of(line), len(line["sides"]))
    if blocks and blocks[-1][0].round:
        blocks = [[one for block in blocks for one in block if one.round == number]
                  for number in range(blocks[-1][0].round + 1)]
    for i, side in enumerate(line["sides"]):
        if side["twin"] or not side["result"]:
            continue
        result = results.parse(json.dumps(side["result"]).encode())
        run = result["runs"][0]
        for number, block in enumerate(blocks if len(run["phases"]) == 1 else (), 1):
            mine = [one for one in block if one.side == i]
            phase = {**run["phases"][0], "operations": sum(one.operations for one in mine),
                     "elapsed_ns": sum(one.elapsed_ns for one in mine)}
            found.append({**result, "runs": [{**run, "phases": [phase]}],
                          "file": line.get("file"), "line": line.get("line"), "labels": {
                              **result["labels"], **labels, "block": str(number)}})
    return found


def slices_of(line: dict) -> list[Slice]:
    return [Slice(*row) for row in line["slices"]]


def candidates(line: dict) -> list[int]:
    return [i for i, side in enumerate(line["sides"]) if i and not side["twin"]]


def twin_of(line: dict) -> int:
    """The side that is A's twin; 0 if there is none."""
    return next((i for i, side in enumerate(line["sides"]) if side["twin"]), 0)


def estimate_of(line: dict, side: int, figure: str = "rate") -> Estimate | None:
    return estimate(slices_of(line), len(line["sides"]), side, FIGURES[figure], twin_of(line))


def null_of(line: dict, figure: str = "rate") -> Estimate | None:
    """A against A."""
    twin = twin_of(line)
    return estimate_of(line, twin, figure) if twin else None


def tellable(null: Estimate | None) -> float:
    """The least difference that counts: any, unless A and its twin differ by more than chance."""
    if null is None or null.interval is None or null.p > SURE:
        return 0.0
    return max(abs(math.log(end)) for end in null.interval[:2])


def is_shown(found: Estimate, null: Estimate | None) -> bool:
    return found.interval is not None and not found.interval.low <= 1 <= found.interval.high and \
        abs(math.log(found.ratio)) > tellable(null)


def percent(ratio: float) -> str:
    """How much a ratio is away from 1."""
    away = abs(ratio - 1) * 100
    return f"{away:.{0 if away >= 99.5 else 1 if away >= 0.995 else 2}f} %"


def verdict(found: Estimate, null: Estimate | None, ends: bool = False) -> str:
    """In one sentence, with the ends of the interval if they are wanted; what is less than the
    null's difference is not shown."""
    if found.interval is None:
        return f"not enough: {found.count} of {stats.LEAST} blocks, or rounds"
    if not is_shown(found, null):
        away = max(*(abs(math.log(end)) for end in found.interval[:2]), tellable(null))
        return f"no difference shown: it is below {percent(math.exp(away))}"
    more = found.ratio > 1
    often = not 0.5 < found.ratio < 2  # 1,000 % faster would be 11 times as fast
    word = (("as fast" if often else "faster") if more else "slower") \
        if found.figure.name == "rate" else (("as much" if often else "more") if more else "less")
    texts = [figures.figure(max(of, 1 / of)) if often else percent(of)
             for of in (found.ratio, *sorted(found.interval[:2], key=lambda of: abs(math.log(of))))]
    unit = " times" * often
    return f"{texts[0]}{unit} {word}" + f" ({texts[1]} to {texts[2]}{unit})" * ends


def gate(line: dict, side: int, allowed: float) -> int:
    """The exit status of a gate (stats.gate), of a side's rate.  It is not passed if two runs of
    A's command differ by as much, if the rate over the whole time is worse than was allowed, or if
    the duel was interrupted or a side was not verified."""
    found = estimate_of(line, side)
    interval = found and found.interval
    if interval:
        least = math.exp(tellable(null_of(line)))
        interval = stats.Interval(interval.low / least, interval.high * least)
    status = stats.gate(interval, allowed, True)
    sure = not line["incomplete"] and all(of["result"] for of in line["sides"])
    if status == 0 and not (sure and total_ratio(slices_of(line), len(line["sides"]), side,
                                        twin_of(line)) >= 1 - allowed):
        return 5
    return status


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
            found = estimate_of(line, side, name)
            if found:
                table.add(f"{letter(side)} {figure.label}" if several else figure.label,
                          *(figures.figure(of * figure.scale) for of in found.values),
                          f"{found.ratio:.3f}", interval_text(found.interval),
                          "" if is_shown(found, null_of(line, name)) else "not shown")
    return table


def work_table(line: dict) -> Table:
    """The work of the server of each side for an operation, by the sums of the slices."""
    table = Table("for each operation|round trips>|syncs>|bytes to logs>")
    for i, side in enumerate(line["sides"]):
        mine = [one for one in slices_of(line) if one.side == i]
        done = sum(one.operations for one in mine)
        if side["twin"] or not done or mine[0].log_bytes is None:
            continue
        result = side["result"] or {"runs": [{}], "durability": {}}
        run = result["runs"][-1]
        sums = [None if None in values else sum(values) / done for values in zip(*(
            (one.syncs, one.log_bytes) for one in mine))]
        asked = run.get("operations")  # an operation that is no exchange is one statement
        trips = run.get("store_operations", asked) / asked if asked else None
        cells = [None if value is None else figures.figure(value) for value in (trips, *sums)]
        if cells[1] and "sync_binlog=1" in result["durability"].get("from", ""):
            cells[1] += " + binlog"  # InnoDB alone counts
        table.add(f"{letter(i)} {side['server'] or side['name']}", *cells)
    return table


def print_duel(out: Output, line: dict) -> None:
    """One duel: what each side was, what the machine could tell, and the verdict."""
    null = null_of(line)
    for i, side in enumerate(line["sides"]):
        if not side["twin"]:
            out.labelled(letter(i), f"{side['command']}"
                         + "".join(f" (server: {text})" for text in [side["server"]] if text))
            out.labelled("", class_text(side))
    out.labelled("null", null_text(null))
    for side in candidates(line):
        found = estimate_of(line, side)
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


def null_text(null: Estimate | None) -> str:
    if null is None or null.interval is None:
        return "not measured: nothing says what this machine can tell apart"
    text = f"A against A: {interval_text(null.interval)}"
    if tellable(null):
        return f"{text}: two runs of the same command differ, so that no difference below " \
               f"{percent(math.exp(tellable(null)))} counts"
    return f"{text}: this machine can tell {percent(math.exp(null.precision))} apart in this time"


def doubts(line: dict) -> list[tuple[str, str]]:
    """Doubts that the reader of the ratio has to know."""
    found, slices, sides = [], slices_of(line), len(line["sides"])
    for side in range(sides):
        if interval := carry_over(slices, sides, side):
            name = "A's twin" if line["sides"][side]["twin"] else letter(side)
            found.append(("carry-over", f"{name} after itself does {interval_text(interval)} of "
                          "what it does after another side: longer slices (--slice) would say "
                          "more"))
    for side in candidates(line):
        typical = estimate_of(line, side)
        total = total_ratio(slices, sides, side, twin_of(line)) if typical else None
        if typical and typical.interval and not (
                typical.interval.low / 1.02 <= total <= typical.interval.high * 1.02):
            found.append(("stalls", f"over the whole time the ratio of {letter(side)} is "
                          f"{total:.3f}: some slices of one side were much slower than the others"))
        if typical and not is_shown(typical, null_of(line)):
            found += cpu_text(line, side)
    for i in range(sides):
        errors = sum(one.errors for one in slices if one.side == i)
        if errors:
            found.append(("errors", f"the store gave up {figures.plural(errors, 'operation')} of "
                          f"{letter(i)}, which are not among those that were counted"))
    classes = {str(side["result"]["durability"].get("class"))
               for side in line["sides"] if side["result"]}
    if len(classes) > 1:
        found.append(("durability", f"differs: {', '.join(sorted(classes))}"))
    if line["incomplete"]:
        found.append(("incomplete", "the duel was interrupted"))
    return found


def cpu_text(line: dict, side: int) -> list[tuple[str, str]]:
    """Processor time tells where the rate does not: other work disturbs it less."""
    for name in ("cpu", "server-cpu"):
        found, null = estimate_of(line, side, name), null_of(line, name)
        if found and found.p <= SURE and is_shown(found, null):
            return [("processor", f"{letter(side)} takes {verdict(found, null, True)} of the "
                     f"{FIGURES[name].label.split(',')[0]} time for each operation: that decides, "
                     "as the rate does not")]
    return []


def measured_text(line: dict) -> str:
    seconds = sum(one.elapsed_ns for one in slices_of(line)) / 1e9
    rounds = line["slices"][-1][9:10] if line["slices"] else ()
    parts = [f"{len(line['slices'])} slices of {line['slice_ms']} ms, {seconds:.0f} s in all"
             + "".join(f", in {of + 1} rounds" for of in rounds if of),
             line["started_at"]]
    result = line["sides"][0]["result"]
    if result:
        parts.append("on {}, cores: {}".format(*(result["host"].get(name, "unknown")
                                                 for name in ("cpu", "cores"))))
    return ", ".join(parts)


def version_of(side: dict) -> str | None:
    result = side["result"]
    return result and ", ".join([*map(" ".join, list(result["facts"].items())[:1]),
                                 str(result.get("version"))])


def summary(lines: list[dict]) -> Table:
    table = Table("A|against it|ratio>|95 % interval>|null>|verdict|begun|version")
    for line in sorted(lines, key=lambda line: line["started_at"]):
        null = null_of(line)
        for side in candidates(line):
            found = estimate_of(line, side)
            if found is None:
                continue
            table.add(": ".join(filter(None, (line["label"], line["sides"][0]["name"]))),
                      line["sides"][side]["name"], f"{found.ratio:.3f}",
                      interval_text(found.interval), null and interval_text(null.interval),
                      verdict(found, null), line["started_at"],
                      version_of(line["sides"][side]))
    return table


OPTIONS = [options.GATE, options.FORMAT]


def run(values: dict, files: list[str], complain: results.Complain) -> int:
    damaged = []

    def note(file: str, line: int, text: str) -> None:
        damaged.append(line)
        complain(file, line, text)

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
    return stats.worst_gate([gate(line, side, allowed) for line in lines
                             for side in candidates(line)] + [5] * len(damaged))
