# SPDX-License-Identifier: ISC
"""Predicts the rate of a DHCP server from its store's exchange and the server's own time, beside
what scripts/dhcp measured of that server.

The server's own time is measured once, with Kea and memfile that writes no file, in one thread: its
time for a lease less what the same store alone takes for the exchange.  At the highest rate that is
1 / rate; at each lower rate it is the processor time of the server's process in that trial: more,
as it sleeps between messages and is woken up for each.  A prediction is the rate R at which
R x (1 / S + t(R) / n) is 1: S is the store's rate (of runs with --server-time, which is taken off
again, if there are any), t(R) the server's time at R, n the threads that its processors run at
once."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from report import Problem, figures, options, rates, results, rows, servers, stats, stores
from report.options import Option
from report.table import Cell, Output, Table

MUCH = 0.15  # beyond that a prediction is wrong, and the text says what the processors did


@dataclass(eq=False)
class Prediction:
    """A configuration of a server.  Rates are leases per second; None: not known."""
    row: rows.Row
    label: str = ""                   # "mysql -s no, 4 threads"
    measured: float = 0.0             # the median of its runs
    alone: float | None = None        # the store's rate
    beside: float | None = None       # beside a server's work; alone where that was not measured
    runner_us: float | None = None    # processor time of the runner for a lease, beside that
    reference: Prediction | None = None  # where the server's time is from: itself predicts nothing
    server_ns: float | None = None    # the server's time at the highest rate
    predicted: float | None = None
    points: list[tuple] = field(default_factory=list)  # (leases/s, ns for each) of its trials

    @property
    def server(self) -> dict:
        return self.row.results[0]

    @property
    def error(self) -> float | None:
        return None if self.predicted is None or self.reference is self else \
            self.predicted / self.measured - 1


def is_plain(result: dict) -> bool:
    """A server that does nothing besides, and whose highest rate was searched for."""
    return result["kind"] == "server" and not result["published"] and \
        not result["open"] and bool(result.get("rate")) and \
        bool(result.get("threads")) and not result.get("classes") and \
        result.get("subnets", 1) <= 1 and not result.get("reservations") and \
        {result.get("hook", "none"), result.get("ha", "none")} <= {"none", ""}


def is_exchange(result: dict) -> bool:
    """The exchange of a new client and nothing else, each by itself, in a closed loop."""
    run = result["runs"][0]
    wanted = "sarr" if result["family"] == 6 else "dora"
    return result["kind"] == "store" and not result["published"] and not result["open"] and \
        not run["incomplete"] and not rates.is_batched(result) and \
        [phase["name"] for phase in run["phases"]] == [wanted]


def belongs_to(result: dict, server: dict) -> bool:
    ours, theirs = ((one["family"], one["class"], stores.keeper(one), results.threads(one))
                    for one in (result, server))
    return ours == theirs


def closeness(row: rows.Row) -> tuple:
    """Closest to a server are Kea's lease managers, whose code is the server's; then Kea's tables;
    then more leases in them."""
    first = row.results[0]
    return first["store"] == "kea", results.parameter(first, "schema").startswith("kea"), \
        results.count_parameter(first, "preload", 0)


def at_once(server: dict) -> int:
    """The threads that its processors, "0-2,5", run at once."""
    count = 0
    for part in filter(None, server.get("processors", {}).get("server", "").split(",")):
        first, _, last = part.partition("-")
        count += max(int(last or first) - int(first) + 1, 1)
    return min(server["threads"], count or 1)


def read_store(one: Prediction, exchanges: list[rows.Row], beside: bool) -> float | None:
    """The rate of the store's exchange: alone, or beside a server's time, which is taken off."""
    fits = [row for row in exchanges if rates.has_server_time(row.results[0]) == beside and
            belongs_to(row.results[0], one.server)]
    if not fits:
        return None
    best = max(reversed(fits), key=closeness)
    ns = figures.scan_duration(results.parameter(best.results[0], "server-time")) or 0
    found = [1 / (1 / results.rate(run) - ns / 1e9 / at_once(one.server))
             for _, run in best.runs if results.rate(run) > 0]
    phase = best.results[-1]["runs"][0]["phases"][0]
    if beside and phase["usage"] and phase["operations"] > 0:
        used = phase["usage"]["user_ns"] + phase["usage"]["system_ns"]
        one.runner_us = used / 1e3 / phase["operations"]
    found = [rate for rate in found if rate > 0]
    return stats.median(found) if found else None


def make(row: rows.Row, exchanges: list[rows.Row]) -> Prediction:
    server = row.results[0]
    sync = f" -s {server['sync']}" if server.get("sync") else ""
    name = stores.keeper(server).name + " -6" * (server["family"] == 6)
    one = Prediction(row, f"{name}{sync}, {figures.plural(server['threads'], 'thread')}")
    one.measured = stats.median([result["rate"] for result in row.results])
    one.alone = read_store(one, exchanges, False)
    one.beside = read_store(one, exchanges, True) or one.alone
    for trial in server.get("trials", ()):
        cost = servers.cost_us(trial, "server")
        if trial["granted"] and cost is not None:
            one.points.append((trial["granted"] / server["seconds"], cost * 1e3))
    return one


def is_reference(one: Prediction) -> bool:
    """Kea with memfile that writes no file, with one thread."""
    return (stores.keeper(one.server).name, one.row.cls, one.server["threads"]) == \
        ("memfile", "volatile", 1) and one.alone is not None and one.measured < one.alone


def place_of(server: dict) -> tuple:
    """Which server it is, and on which processors."""
    return server["program"], server["version"], server.get("processors", {}).get("server", "")


def server_time(one: Prediction, per_s: float) -> float | None:
    """The time of the server for a lease at a rate, between those of the trials next to it, and not
    below that of the highest rate; that, if no trial says what processor time it used."""
    points = one.reference.points if one.reference else []
    low = max((point for point in points if point[0] <= per_s), key=lambda of: of[0], default=None)
    high = min((point for point in points if point[0] >= per_s), key=lambda of: of[0], default=None)
    if not (low or high):
        return one.server_ns
    ns = (low or high)[1]
    if low and high and low[0] < high[0]:
        ns += math.log(per_s / low[0]) / math.log(high[0] / low[0]) * (high[1] - low[1])
    return max(ns - 1e9 / one.reference.alone, one.server_ns)


def solve(one: Prediction) -> float | None:
    """The rate at which store and server, one after the other, have no time left; a server's time
    falls as its rate rises, but not as fast."""
    if one.beside is None or one.server_ns is None:
        return None
    low, high = 0.0, one.beside
    for _ in range(60):
        rate = (low + high) / 2
        server_s = server_time(one, rate) / 1e9
        fits = rate * (1 / one.beside + server_s / at_once(one.server)) < 1
        low, high = (rate, high) if fits else (low, rate)
    return low or None


def work_out(found: list[dict], told_ns: int | None = None) -> list[Prediction]:
    """The highest measured rate first.  told_ns: the server's time, if it is not to come from its
    results.  Raises Problem if there is nothing to predict, or nothing to predict from."""
    exchanges = [row for section in rows.sections([one for one in found if is_exchange(one)])
                 for row in section.rows]
    made = [make(row, exchanges) for section in rows.sections(list(filter(is_plain, found)))
            for row in section.rows]
    labels = [one.label for one in made]
    for one in made:
        if labels.count(one.label) > 1:
            one.label += f" ({one.row.differs})"
    made.sort(key=lambda one: (-one.measured, one.label))
    for one in made:
        if told_ns:
            one.server_ns = float(told_ns)
            continue
        one.reference = one if is_reference(one) else next(
            (other for other in made if is_reference(other) and
             place_of(other.server) == place_of(one.server)), None)
        if one.reference:
            one.server_ns = 1e9 / one.reference.measured - 1e9 / one.reference.alone
    for one in made:
        one.predicted = solve(one)
    if any(one.error is not None for one in made):
        return made
    if not made:
        raise Problem("there is no highest rate of a DHCP server: scripts/dhcp rate measures it")
    if not any(one.server_ns for one in made):
        raise Problem("the server's own time is not known: this takes the rate of the server with "
                      "memfile, sync volatile and 1 thread, and dora of memfile of that class; or "
                      "--server-time")
    raise Problem("no server has both its own time, of its version and processors, and a result of "
                  "dora or sarr with the same store, durability class and threads")


# In words

NOTE = ("predicted: the store's exchange, measured with --server-time if there is such a result, "
        "and the server's time at that rate.")


def make_table(made: list[Prediction]) -> Table:
    table = Table("leases per second|measured>|predicted>|error>")
    for one in made:
        cells = [of and Cell(figures.figure(of), f"{of:.6g}")
                 for of in (one.measured, one.predicted)]
        error = None if one.error is None else Cell(f"{one.error * 100:+.0f} %", f"{one.error:.4g}")
        table.add(one.label, *([cells[0], "reference", ""] if one.reference is one else
                               [*cells, error]))
    return table


def time_text(made: list[Prediction], told: bool) -> str:
    """How long the server's time is, and where it comes from."""
    if told:
        return f"{figures.time(made[0].server_ns)} for a lease, as --server-time says"
    parts = []
    for one in (one for one in made if one.reference is one):
        text = f"{figures.time(one.server_ns)} for a lease"
        rate = min((other.predicted for other in made if other.reference is one and
                    other is not one and other.predicted), default=None)
        if rate:
            text += f", {figures.time(server_time(one, rate))} at {figures.figure(rate)} a second"
        parts.append(f"{text}: that of {one.server['program']} {one.server['version']} "
                     f"({one.label}) less that of its store alone")
    return "; ".join(parts)


def score_text(made: list[Prediction]) -> str:
    known = [one for one in made if one.error is not None]
    largest = max(known, key=lambda one: abs(one.error))
    pairs = [high.predicted < low.predicted for i, high in enumerate(known)
             for low in known[i + 1:] if high.measured > low.measured]
    return f"median error {stats.median([abs(one.error) for one in known]) * 100:.1f} %, largest " \
        f"{largest.error * 100:+.1f} % ({largest.label}); " + (
            f"{sum(pairs)} of {len(pairs)} pairs change places in the ranking" if any(pairs) else
            "the ranking is that of the measured rates")


def warning(one: Prediction) -> str:
    text = f"{one.label}: {one.error * 100:+.0f} %"
    used = servers.cost_us(servers.best_trial(one.server), "server")
    if used is not None and one.runner_us is not None:
        text += f"; {one.server['program']} used {figures.time(used * 1e3)} of its processors " \
            f"for a lease, the runner {figures.time(one.runner_us * 1e3)}"
    return text


def print_predictions(made: list[Prediction], told: bool, out: Output) -> None:
    out.table(make_table(made))
    out.note(NOTE)
    out.labelled("server time", time_text(made, told))
    out.labelled("predicted", score_text(made))
    for one in made:
        if one.error is not None and abs(one.error) > MUCH:
            out.warning(warning(one))


# The command

OPTIONS = [Option("server-time", "duration", "its own time for a lease; unset: from its results",
                  "TIME", least=1000, most=10**9, group="The server"), options.FORMAT]
OPERANDS = "FILE..."
SUMMARY = "what a DHCP server grants, predicted and measured"
EPILOG = ("ubench_report predict kea.jsonl stores.jsonl\n"
          "    puts predictions from the stores beside what scripts/dhcp measured")


def run(values: dict, files: list[str], complain) -> int:
    found, _ = results.load(files, complain)
    told = values["server_time"]
    print_predictions(work_out(found, told), bool(told), Output(values["format"]))
    return 0
