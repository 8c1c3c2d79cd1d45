# SPDX-License-Identifier: ISC
"""Predicts the rate of a DHCP server from its store's exchange and the server's own time, beside
what scripts/dhcp measured of that server.

The server's own time is measured once, with Kea and memfile that writes no file, in one thread: its
time for a lease less what the same store alone takes for the exchange.  At the highest rate that is
1 / rate; at each lower rate it is the processor time of the server's process in that trial: more,
as it sleeps between messages and is woken up for each.  A prediction is the rate R at which
R x (1 / S + t(R) / n) is 1: S is the store's rate, t(R) the server's time at R, n the threads that
its processors run at once."""

from __future__ import annotations

import math

from report import Problem, figures, options, results, rows, servers, stats, stores
from report.table import Cell, Output, Table


class Prediction:
    """A configuration of a server.  Rates are leases per second; None: not known."""

    def __init__(self, row: rows.Row, exchanges: list[rows.Row]):
        self.row, self.server = row, row.results[0]  # the latter is its first result
        sync = f" -s {self.server['sync']}" if self.server.get("sync") else ""
        name = stores.keeper(self.server).name + " -6" * (self.server["family"] == 6)
        self.label = f"{name}{sync}, {figures.plural(self.server['threads'], 'thread')}"
        self.measured = stats.median([result["rate"] for result in row.results])
        self.alone = store_rate(self.server, exchanges)  # the store's rate
        # Which server it is, and on which processors: then its own time is the same.
        self.place = self.server["program"], self.server["version"], \
            self.server.get("processors", {}).get("server", "")
        # The server's own time can come from Kea with memfile that writes no file, with one
        # thread; of this nothing is predicted.
        self.is_reference = (stores.keeper(self.server).name, row.cls, self.server["threads"]) == \
            ("memfile", "volatile", 1) and self.alone is not None and self.measured < self.alone
        self.reference: Prediction | None = None
        self.predicted: float | None = None

    @property
    def error(self) -> float | None:
        return None if self.predicted is None else self.predicted / self.measured - 1


def least_ns(reference: Prediction) -> float:
    """The server's own time at its highest rate: that of a reference less that of its store."""
    return 1e9 / reference.measured - 1e9 / reference.alone


def own_ns(reference: Prediction, per_s: float) -> float:
    """The same at a rate: between those of the trials next to it, and not below that of the highest
    rate; that, if no trial says what processor time it used."""
    # Leases per second, and ns for each, in its trials
    points = [(trial["granted"] / reference.server["seconds"], us * 1e3) for trial in
              reference.server["trials"] for us in [servers.cost_us(trial, "server")] if us]
    low = max((point for point in points if point[0] <= per_s), default=None)
    high = min((point for point in points if point[0] >= per_s), default=None)
    if not (low or high):
        return least_ns(reference)
    ns = (low or high)[1]
    if low and high and low[0] < high[0]:
        ns += math.log(per_s / low[0]) / math.log(high[0] / low[0]) * (high[1] - low[1])
    return max(ns - 1e9 / reference.alone, least_ns(reference))


def is_plain(result: dict) -> bool:
    """A server that does nothing besides, and whose highest rate was searched for."""
    return result["kind"] == "server" and all(map(result.get, ("rate", "threads"))) and \
        not any(map(result.get, ("published", "open", "classes", "reservations", "renew",
                                 "renew_old", "release"))) and result.get("subnets", 1) <= 1 and \
        {result.get("hook", "none"), result.get("ha", "none")} <= {"none", ""}


def is_exchange(result: dict) -> bool:
    """The exchange of a new client and nothing else, each by itself, in a closed loop."""
    run = result["runs"][0]
    wanted = "sarr" if result["family"] == 6 else "dora"
    return result["kind"] == "store" and not result["published"] and not result["open"] and \
        not run["incomplete"] and not result["batched"] and not result["server_time"] and \
        [phase["name"] for phase in run["phases"]] == [wanted]


def store_rate(server: dict, exchanges: list[rows.Row]) -> float | None:
    """The rate of the exchange of its store, in the same class and with as many threads.  Closest
    to a server are Kea's lease managers, whose code is the server's; then Kea's tables; then more
    leases in them."""
    def kind(of: dict) -> tuple:
        return of["family"], of["class"], stores.keeper(of), results.threads(of)

    def closeness(row: rows.Row) -> tuple:
        first = row.results[0]
        return first["store"] == "kea", results.parameter(first, "schema").startswith("kea"), \
            results.count_parameter(first, "preload", 0)

    fits = [row for row in exchanges if kind(row.results[0]) == kind(server)]
    runs = max(reversed(fits), key=closeness).runs if fits else []
    found = [results.rate(run) for _, run in runs if results.rate(run) > 0]
    return stats.median(found) if found else None


def at_once(server: dict) -> int:
    """The threads that its processors, "0-2,5", run at once."""
    count = 0
    for part in filter(None, server.get("processors", {}).get("server", "").split(",")):
        first, _, last = part.partition("-")
        count += max(int(last or first) - int(first) + 1, 1)
    return min(server["threads"], count or 1)


def solve(one: Prediction) -> float | None:
    """The rate at which store and server, one after the other, have no time left; a server's time
    falls as its rate rises, but not as fast."""
    if one.alone is None or one.reference is None or one.is_reference:
        return None
    return stats.bisect(one.alone, lambda rate: rate * (
        1 / one.alone + own_ns(one.reference, rate) / 1e9 / at_once(one.server)) < 1)


def work_out(found: list[dict]) -> list[Prediction]:
    """The highest measured rate first.  Raises Problem if there is nothing to predict, or nothing
    to predict from."""
    exchanges = [row for section in rows.sections([one for one in found if is_exchange(one)])
                 for row in section.rows]
    made = [Prediction(row, exchanges) for section in rows.sections(list(filter(is_plain, found)))
            for row in section.rows]
    labels = [one.label for one in made]
    for one in made:
        if labels.count(one.label) > 1:
            one.label += f" ({one.row.differs})"
    made.sort(key=lambda one: (-one.measured, one.label))
    references = {one.place: one for one in reversed(made) if one.is_reference}
    for one in made:
        one.reference = references.get(one.place)
        one.predicted = solve(one)
    if any(one.error is not None for one in made):
        return made
    if not made:
        raise Problem("there is no highest rate of a DHCP server: scripts/dhcp rate measures it")
    if not references:
        raise Problem("the server's own time is not known: this takes the rate of the server with "
                      "memfile, sync volatile and 1 thread, and dora of memfile of that class")
    raise Problem("no server has both its own time, of its version and processors, and a result of "
                  "dora or sarr with the same store, durability class and threads")


def make_table(made: list[Prediction]) -> Table:
    table = Table("leases per second|measured>|predicted>|error>")
    for one in made:
        measured, predicted = (of and Cell(figures.figure(of), f"{of:.6g}")
                               for of in (one.measured, one.predicted))
        table.add(one.label, measured, *(["reference", ""] if one.is_reference else [
            predicted, None if one.error is None else
            Cell(f"{one.error * 100:+.0f} %", f"{one.error:.4g}")]))
    return table


def time_text(made: list[Prediction]) -> str:
    """How long the server's time is, and where it comes from."""
    parts = []
    for reference in dict.fromkeys(one.reference for one in made if one.reference):
        text = f"{figures.time(least_ns(reference))} for a lease"
        rates_of = [one.predicted for one in made if one.reference is reference and one.predicted]
        if rate := min(rates_of, default=None):
            text += f", {figures.time(own_ns(reference, rate))} at {figures.figure(rate)} a second"
        server = reference.server
        parts.append(f"{text}: that of {server['program']} {server['version']} "
                     f"({reference.label}) less that of its store alone")
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


def print_predictions(made: list[Prediction], out: Output) -> None:
    out.table(make_table(made))
    out.note("predicted: from the store's exchange and the server's time at that rate.")
    out.labelled("server time", time_text(made))
    out.labelled("predicted", score_text(made))


OPTIONS = [options.FORMAT]
SUMMARY = "leases per second of a DHCP server, predicted and measured"
EPILOG = ("ubench_report predict kea.jsonl stores.jsonl\n"
          "    puts predictions from the stores beside what scripts/dhcp measured")


def run(values: dict, files: list[str], complain) -> int:
    found, _ = results.load(files, complain)
    print_predictions(work_out(found), Output(values["format"]))
    return 0
