# SPDX-License-Identifier: ISC
"""Reads the lines of results: ubench-result/2, ubench-kea/1 and ubench-crash/1, and those that
earlier versions wrote (former.py).  A result is the dict that its line is, in the form of
results/schema.json,
with the members that DERIVED lists.  A line that is damaged, or contradicts itself, is complained
of and left out."""
from __future__ import annotations

import functools
import json
import math
import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate
from operator import itemgetter
from pathlib import Path

from report import UNWANTED, Problem, figures, schema, usage
from report.lines import former

SCHEMAS = Path(__file__).resolve().parent.parent / "results"
LINE_MAX = 64 << 20
IN_TURN = "in turn"  # the role of one block of a side of a duel (duel.as_results)
CLASSES = ["none", "volatile", "process-safe", "bounded", "power-safe"]  # from the least safe on

# Warnings of versions before, which wrote all as one text: the code of each, how it begins, and
# its meaning, which the text of today says itself.
OLD_WARNINGS = (("steal", "the hypervisor took away ", ": rates too low"),
                ("other-work", "other work used ", ": rates too low"),
                ("load", "the load was ", ": rates may be low"),
                ("cpu-limit", "the control group's CPU limit ", ": it sets the rates"),
                ("not-durable", "more changes per second ", ""),
                ("slow-clock", "the clocksource ", ""))

BUCKETS = re.compile(rb'"buckets": ?\[\[[0-9, \[\]]*\]\]')

# Members of a phase that lines of others do not have.
PHASE = {"name": "", "incomplete": False, "operations": 0, "hits": None, "misses": None,
         "begun_ns": None, "elapsed_ns": 0, "latency": None, "commit": None, "series": [],
         "usage": None}

# Members that are put into each result: its file and line; "store", or "server" of a whole DHCP
# server; 4 or 6; the class of durability, or None for figures of others, of which no settings were
# read back; if it is of an open loop, whose rates were asked for, not reached; if its operations
# are exchanges, each of several operations of the store; if its phases are levels of a pool, unlike
# each other, so that no mean or sum is a figure; if it shows how the machine changes in a campaign;
# if several changes were committed together; if the work of a server is in its rates; its warnings
# in one text; what its class rests on, as tells configurations apart.
DERIVED = ("file", "line", "kind", "family", "class", "open", "exchanges", "fill", "reference",
           "batched", "server_time", "warned", "basis")

Complain = Callable[[str, int, str], None]


class Damaged(Exception):
    """Why a line cannot be used."""


def read_all(files: list[str], complain: Complain, whole: bool = False) -> tuple[list, list, list]:
    """The results, crashes and duels in these files, in order; "-" is standard input.  Of lines
    that are the same the first is kept.  complain(file, line, text) is called for each that cannot
    be used, and for parts of runs that were not put together.  With whole, parts are kept, and
    histograms have their buckets, which are else not looked at, and []: that takes a fifth of the
    time.  Raises Problem if a file cannot be read."""
    if not files:
        raise usage("no files were named; try: ./sqlite_ubench -O FILE")
    lists, seen = {"ubench-crash/1": [], "ubench-duel/1": []}, {}
    found: list = []
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
            lists.get(line["format"], found).append(line)
    if not whole:
        found = leave_out(found, lambda result: len(result.get("parts", ())) == 1, complain,
                          "it is a part of a run; ubench_report merge puts all together")
    return found, *lists.values()


def load(files: list[str], complain: Complain, whole: bool = False) -> tuple[list, list]:
    """The results and crashes alone.  Raises Problem if there are none, or, whole, no result."""
    found, crashes, duels = read_all(files, complain, whole)
    leave_out(duels, bool, complain, "it is a duel, which ubench_report duel prints")
    if not found and (whole or not crashes):
        raise nothing_in(files)
    return found, crashes


def leave_out(found: list, which: Callable[[dict], bool], complain: Complain, why: str) -> list:
    """The results without those, each of which is complained of."""
    for result in filter(which, found):
        complain(result["file"], result["line"], why)
    return [result for result in found if not which(result)]


def nothing_in(files: list[str]) -> Problem:
    return Problem(f"there are no results in {files[0]}{' and the others' * (len(files) > 1)}; "
                   "scripts/bench.sh measures some")


def _lines(name: str) -> Iterator[bytes]:
    """The lines of a file; an empty file has an empty line."""
    try:
        with open(0 if name == "-" else name, "rb", closefd=name != "-") as stream:
            yield next(stream, b"").rstrip(b"\n")
            yield from (text.rstrip(b"\n") for text in stream)
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
        line = DECODER.decode(text.decode())
    except UnicodeDecodeError as why:
        raise Damaged(f"the line is not JSON: byte {why.start + 1} is no UTF-8") from None
    except (ValueError, RecursionError) as why:
        cut = getattr(why, "pos", 0) >= len(text.decode().rstrip()) or "Unterminated" in str(why)
        raise Damaged(f"the line {'is cut short' if cut else 'is not JSON'}: {why}"[:160]) from None
    if type(line) is not dict or type(line.get("format")) is not str:
        raise Damaged("this is no result: it has no format")
    if b"\\" in text or b"\x7f" in text or not text.isascii():
        line = clean(line)
    _check(line, whole)
    return line


def _check(line: dict, whole: bool) -> None:
    if line["format"] not in FORMATS:
        raise Damaged(f"the format is '{line['format'][:80]}', and ubench-result/2 is what can be "
                      "read")
    name, kind = FORMATS[line["format"]]
    form = _schema(name)
    for place, wrong in schema.faults(line, form, form["definitions"]):
        raise Damaged(f"{place[1:]}: {wrong}" if place else f"the line {wrong}")
    _complete(line, kind, whole)


def _no_duplicates(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member is there twice")
    return members


def _no_number(name):
    raise ValueError(f"{name} is no number")


DECODER = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_no_number)


def clean(value):
    """A value with a question mark for each character that does not belong on a terminal."""
    if type(value) is str:
        return UNWANTED.sub("?", value)
    if type(value) is dict:
        return {UNWANTED.sub("?", key): clean(item) for key, item in value.items()}
    if type(value) is list and value and type(value[0]) is not list:
        return [clean(item) for item in value]
    return value


@functools.cache
def _schema(name: str) -> dict:
    return json.loads((SCHEMAS / name).read_text("utf-8"))


def definition(name: str) -> dict:
    """A part of the schema of results."""
    return _schema("schema.json")["definitions"][name]


def _complete(line: dict, kind: str, whole: bool) -> None:
    """Checks what no schema can say, and puts in what lines of others and of versions before do not
    have.  Of a whole server the highest rate is a phase "dora" or "sarr", a run at a rate or a
    storm is a trial, so that whatever groups and compares results takes it."""
    from report import contradictions, duel, servers
    for place, text in contradictions.of_time(line):
        raise Damaged(f"{place}: {text}")
    if kind == "duel":
        for place, text in contradictions.of_duel(line):
            raise Damaged(f"{place}: {text}")
        if fault := duel.fault(line):
            raise Damaged(fault)
        for i, side in enumerate(line["sides"]):
            try:
                if side["result"]:
                    _check(side["result"], whole)
            except Damaged as why:
                raise Damaged(f"sides[{i}].result: {why}") from None
        if fault := duel.fault_of_results(line):
            raise Damaged(fault)
    if kind in ("crash", "duel"):
        return
    if "warnings" not in line:
        line["warnings"] = _old_warnings(line.get("warning", ""))
    for run in line.get("runs", ()):
        run.update({name: run.get(name, False) for name in ("together", "incomplete")})
        run["phases"] = [{**PHASE, **phase} for phase in run["phases"]]
    for place, text in contradictions.faults(line, whole):
        raise Damaged(f"{place}: {text}")
    line.update(servers.describe(line) if kind == "server" else {}, kind=kind)
    if line["format"] == former.FORMAT:
        line["basis"] = basis_of(line["durability"])
    former.bring_forward(line)
    if kind == "store":
        line["format"] = former.FORMAT
    for name, value in (("published", ""), ("started_at", ""), ("error", ""), ("labels", {}),
                        ("baselines", {}), ("incomplete", False)):
        line.setdefault(name, value)
    workload, first = parameter(line, "workload"), line["runs"][0]
    line["family"] = 6 if parameter(line, "ipv6") == "yes" else 4
    line["class"], line["open"] = line["durability"]["class"], is_open(first)
    line["fill"], line["reference"] = workload == "fill", line["labels"].get("role") == "reference"
    line["batched"] = count_parameter(line, "batch", 1) != 1
    line["server_time"] = parameter(line, "server-time") != ""
    line["warned"] = "; ".join(one["text"] for one in line["warnings"])
    line["exchanges"] = first["exchange"]["exchanges"]


def basis_of(durability: dict) -> str:
    """The settings and the reasons of a class.  The text of these may change from one version to
    another."""
    settings = [f"{setting['name']}={setting['value']}" for setting in durability["settings"]]
    return ", ".join([*settings, *durability["reasons"]])


def product_text(result: dict) -> str:
    """The product with all that the store says of it: "SQLite 3.40.1"; "" if there is none."""
    name = result["product"]["name"]
    return f"{name} {result['facts'][name]}" if name in result["facts"] else ""


def _old_warnings(text: str) -> list[dict]:
    """The list of what versions before wrote as one text."""
    begins = "|".join(re.escape(begin) for _, begin, _ in OLD_WARNINGS)
    return [next(({"code": code, "text": one + meaning} for code, begin, meaning in OLD_WARNINGS
                  if one.startswith(begin)), {"code": "other", "text": one})
            for one in re.split(f"; (?={begins})", text) if one]


# The schema and the kind of the lines of each format
FORMATS = {"ubench-result/2": ("schema.json", "store"),
           "ubench-result/1": ("schema-1.json", "store"),
           "ubench-kea/1": ("kea.schema.json", "server"),
           "ubench-crash/1": ("crash.schema.json", "crash"),
           "ubench-duel/1": ("duel.schema.json", "duel")}


# Histograms of latencies: values below 256 ns have a bucket each, and above each power of two has
# 128 of equal width; what is beyond 2^45 ns is in the last.  See ubench/measure/histogram.h.

MOST_LOW = 255 << 37  # of the last
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}


def bucket_of(ns: int) -> int:
    """The lowest value of the bucket that a value is counted in."""
    shift = max(ns.bit_length() - 8, 0)
    return min(ns >> shift << shift, MOST_LOW)


def objects(value, place: str) -> list[tuple[str, dict]]:
    """Each object in a list or an object, and where it is."""
    found, waiting = [], [(place, value)]
    while waiting:
        place, value = waiting.pop()
        if type(value) is dict:
            found.append((place, value))
            waiting += [(f"{place}.{name}", item) for name, item in value.items()
                        if type(item) in (dict, list)]
        elif value and type(value[0]) is dict:
            waiting += [(f"{place}[{i}]", item) for i, item in enumerate(value)
                        if type(item) in (dict, list)]
    return found


def quantiles(histogram: dict) -> dict:
    """Quantiles, "p50_ns" and so on, as the runners compute them: the middle of a bucket, at most
    0.4 % off; None if fewer than 10 values lie beyond, when it is chance."""
    count, buckets = histogram["count"], histogram["buckets"]
    sums = list(accumulate(map(itemgetter(1), buckets)))
    found = {}
    for name, q in QUANTILES.items():
        # A hair less than the product, as 0.07 * 100 is 7.000000000000001 and means 7.
        rank = max(math.ceil(q * count * (1 - 4 * sys.float_info.epsilon)), 1)
        low = buckets[bisect_left(sums, rank)][0] if count - rank >= 10 else None
        found[f"{name}_ns"] = None if low is None else \
            float(histogram["min_ns"]) if rank == 1 else middle(histogram, low)
    return found


def middle(histogram: dict, low: int) -> float:
    """The middle of a bucket, which is not outside of what there was."""
    width = 1 << max(low.bit_length() - 8, 0)
    return max(float(histogram["min_ns"]), min(float(histogram["max_ns"]), low + (width - 1) / 2))


def parameter(result: dict, name: str) -> str:
    """An option's value as it was typed; "" if there is none."""
    return result["parameters"].get(name, "")


def count_parameter(result: dict, name: str, fallback: int) -> int:
    """The value of an option that is a whole number above 0."""
    return figures.scan_count(parameter(result, name)) or fallback


def threads(result: dict) -> int:
    return count_parameter(result, "threads", 1)


def is_open(run: dict) -> bool:
    return "trials" in run


def phase_rate(phase: dict) -> float:
    """Operations per second; 0 if it took no time."""
    elapsed = phase["elapsed_ns"]
    return phase["operations"] * 1e9 / elapsed if elapsed > 0 else 0.0


def phase_figures(run: dict) -> list[tuple]:
    """The name of each phase, and functions of the time and the rate that it has in a run."""
    return [(phase["name"], lambda of, i=i: of["phases"][i]["elapsed_ns"],
             lambda of, i=i: phase_rate(of["phases"][i]))
            for i, phase in enumerate(run["phases"])]


def find_phase(run: dict, name: str) -> dict | None:
    return next((phase for phase in run["phases"] if phase["name"] == name), None)


def elapsed_ns(run: dict) -> int:
    """The time of all phases, or, if they ran together, that of the longest."""
    times = [phase["elapsed_ns"] for phase in run["phases"]]
    return max(times) if run["together"] else sum(times)


def operations(run: dict) -> int:
    return sum(phase["operations"] for phase in run["phases"])


def rate(run: dict) -> float:
    """All operations of a run by all its time, per second; 0 if it took none."""
    return phase_rate({"operations": operations(run), "elapsed_ns": elapsed_ns(run)})


def mean_rate(run: dict) -> float:
    """The guide's Average: the mean of the rates of the phases."""
    return sum(map(phase_rate, run["phases"])) / len(run["phases"])


def mean_ns(run: dict) -> float:
    return elapsed_ns(run) / len(run["phases"])


def latency(histogram: dict | None, name: str) -> float | None:
    """A figure of latencies in ns: "p50" to "p99.99", "mean", "sd", "min", "max"."""
    return None if histogram is None else histogram[f"{name}_ns"]


def bad_share(trial: dict) -> float:
    """The share of requests that were late or lost."""
    bad = trial["late"] + trial["dropped"] + trial["failed"] + trial["unanswered"]
    return bad / trial["offered"]


def is_growing(trial: dict) -> bool:
    """True if the queue still grew at the end, towards where all requests are late: those of the
    last third waited longer than those of the first by more than a twentieth of the deadline.  If a
    full queue can be served within the deadline, the drops tell, once there are any."""
    full_wait = trial["queue"] * trial["elapsed_ns"] / (trial["answered"] + 1)
    first, _, last = trial["wait_ns"]
    return (full_wait > trial["deadline_ns"] or trial["dropped"] == 0) and \
        last > first + 0.05 * trial["deadline_ns"]


def verdict(trial: dict) -> str:
    """The verdict on a trial in the words of a line, also if the line has none."""
    if trial["incomplete"]:
        return "interrupted"
    if trial["invalid"]:
        return "invalid"
    if trial["grew"]:
        return "saturated" if trial["bad_share"] > 0 else "growing"
    return "not-in-time" if trial["bad_share"] > 0 else "sustained"
