# SPDX-License-Identifier: ISC
"""Which stores are fast enough for a site, and what durability costs.

A client asks its store for something twice: it renews its lease after a part of the lease's time,
so N clients need N / that time renewals per second; and after a power cut all of them restart
within some time.  A store is fast enough if it does both, with a reserve.

Rows are setups: all that was measured of a store with the same settings and threads.  Rows of
different durability are never ranked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from report import Problem, duel, figures, options, rates, results, rows, stats, stores, usage
from report.options import Option
from report.rows import Row
from report.table import Output, Table

DEMANDS = ("renewals", "restarts")
SITES = (1000, 10000, 100000, 1000000)  # of which one is chosen if no number was given
LEAST_EFFECT = math.log1p(0.03)  # smaller differences count for nothing
MOST_LEASES = 10  # nothing is said of more clients than this times the measured leases
IPV4 = 1 << 32
# The second meets the need, but does not have the headroom.
ENOUGH, NEAR, SLOW, UNKNOWN = VERDICTS = (
    "fast enough", "meets the need, without the headroom", "too slow", "not known")
# A run of less says nothing: caches, checkpoints and the clock decide it.
LEAST_S, LEAST_EXCHANGES = 1, 1000
EXAMPLE_S = 0.001  # of a round trip: the figure beside that of a database on the same machine


class Site(NamedTuple):
    clients: int = 0  # 0: not given
    lease_s: float = 7200.0  # Kea's valid-lifetime where none is set
    renew_at: float = 0.5
    restart_s: float = 300.0
    restart_new: bool = False  # as new clients, and not with their leases
    reserve: float = 2.0  # so many times the need is enough
    place: rates.Place = rates.Place()  # of the database and its disk


class Pair:
    """The renewals of two setups."""
    shown = False  # the ratio is more than chance, in all pairs together

    def __init__(self, first: Row, second: Row):
        self.first, self.second = first, second
        a, b = first.rates[0], second.rates[0]
        alike = a.kind and (a.kind, a.operations) == (b.kind, b.operations) and \
            a.leases <= 2 * b.leases and b.leases <= 2 * a.leases
        # None: the rates are not known in the same way
        self.contrast = stats.contrast(a.points, b.points) if alike else None
        self.interval = self.contrast and self.contrast.interval


class Answer:
    def __init__(self, site: Site, found: list[dict], where: Sequence[tuple[str, str]] = (),
                 short: Sequence[str] = (), every_thread: bool = False):
        """short: the runs that were too short to count (drop_short).  every_thread: results count
        whatever their number of threads."""
        self.site, self.short = site, short
        # threads: the numbers that were measured; the setups have the first
        self.results, self.threads = choose(found, where, every_thread)
        # The safest first; their rows are setups, the fastest first
        self.classes = rows.sections(self.results, setups=True)
        for section in self.classes:
            for row in section.rows:
                row.rates = rates.rates_of(row, site.restart_new, site.place)
            section.rows.sort(key=lambda row: -row.rates[0].per_s)
            section.pairs = {(i, k): Pair(slower, faster) for (i, faster), (k, slower) in
                             combinations(enumerate(section.rows), 2)}
        mark_versions(self.setups)
        # A store in a class, and in the next less safe one that it has
        self.prices = [Pair(row, other) for i, section in enumerate(self.classes)
                       for row in section.rows
                       for other in [less_safe(self.classes[i + 1:], row)] if other]
        judged = [pair for pairs in (*(section.pairs.values() for section in self.classes),
                                     self.prices) for pair in pairs if pair.interval]
        for pair, p in zip(judged, stats.holm([pair.contrast.p for pair in judged])):
            pair.shown = stats.is_shown(pair.contrast.ratio, p, LEAST_EFFECT)

    @property
    def setups(self) -> list[Row]:
        return [row for section in self.classes for row in section.rows]

    @cached_property
    def clients(self) -> int:
        """The clients that were given; else the most of the table for which as much is known as for
        the fewest, and no setup is too slow; but at least its first."""
        times = {clients: [of for setup in self.setups for of in
                           Fit(self.site, setup, clients).times] for clients in SITES}
        return self.site.clients or max((clients for clients in SITES if all(
            (of or 0) >= self.site.reserve for of, few in zip(times[clients], times[SITES[0]])
            if few is not None)), default=SITES[0])

    @cached_property
    def fits(self) -> dict[Row, Fit]:
        return {setup: Fit(self.site, setup, self.clients) for setup in self.setups}

    def by_verdict(self, setups: Sequence[Row]) -> dict[str, list[Row]]:
        return {name: [setup for setup in setups if self.fits[setup].verdict == name]
                for name in VERDICTS}


def need(site: Site, demand: int, clients: float) -> float:
    return clients / (site.restart_s if demand else site.lease_s * site.renew_at)


class Fit:
    """How a setup serves so many clients of a site; None is not known."""

    def __init__(self, site: Site, setup: Row, clients: int,
                 known: tuple[rates.Rate, ...] | None = None):
        """known: its rates, where they are not those that it was measured with."""
        self.site = site
        demands = known or setup.rates
        addresses = math.inf if setup.results[0]["family"] == 6 else IPV4
        # By demand: nothing is said of more clients than this; how many times the need the rate is
        self.most = [min(MOST_LEASES * rate.leases, addresses) if rate.kind else None
                     for rate in demands]
        self.times = [None if most is None or clients > most else
                      rate.per_s / need(site, demand, clients)
                      for demand, (rate, most) in enumerate(zip(demands, self.most))]
        self.least = None if None in self.times else min(self.times)
        self.verdict = self._judge()
        # The clients with the reserve by the rates, and by the leases, and what limits
        self.served: tuple[float, float, int] | None = None
        if None not in self.most and setup.cls:
            found = [rate.per_s / (need(site, demand, 1) * site.reserve)
                     for demand, rate in enumerate(demands)]
            self.served = min(found), min(self.most), found.index(min(found))

    def _judge(self) -> str:
        if self.least is None:
            return UNKNOWN
        if self.least >= self.site.reserve:
            return ENOUGH
        return NEAR if self.least >= 1 else SLOW

    @property
    def shards(self) -> tuple[int, int, str] | None:
        """How many servers are needed side by side, each with a store and a part of the subnets: by
        the rates, then by the leases, and what limits them.  None, too, if one client is too much
        or no number of clients was given."""
        (least, most, demand), clients = self.served or (0, 0, 0), self.site.clients
        if not clients or most < 1 or least < 1:
            return None
        each = math.floor(min(least, clients))
        by_rates, count = (math.ceil(clients / of) for of in (each, min(most, each)))
        return by_rates, count, DEMANDS[demand] if by_rates == count else \
            f"leases: measure {math.ceil(each / MOST_LEASES):,}"


def least_times(made: Answer, setups: Sequence[Row], more_s: float) -> float | None:
    """How many times the need the slowest of these does with so much more for each round trip;
    None if one is not known."""
    site, found = made.site, []
    for setup in setups:
        place = site.place._replace(rtt_s=site.place.rtt_s + more_s)
        farther = rates.rates_of(setup, site.restart_new, place)
        found.append(Fit(site, setup, made.clients, farther).least)
    return None if not found or None in found else min(found)


def network_text(made: Answer, setups: Sequence[Row]) -> str:
    """A sentence on where the databases of these setups were, with the figure of a network of 1 ms
    if they were on the same machine; "" if none is a database that was measured."""
    setups = [setup for setup in setups if rates.is_database(setup) and setup.cls]
    if not setups:
        return ""
    if made.site.place.rtt_s:
        longer = figures.time(made.site.place.rtt_s * 1e9)
        return f"Computed with {longer} more for each round trip to the database (--rtt)."
    found = [result for setup in setups for result in setup.results]
    if not all(map(rates.was_local, found)):
        trips = [trip for result in found for trip in [result["baselines"].get("round_trip_ns")]
                 if trip and not rates.was_local(result)]
        took = f": a round trip took {figures.time(max(trips))}" if trips else ""
        return f"Measured with the database on another machine{took} (--rtt adds to it)."
    times = least_times(made, setups, EXAMPLE_S)
    if times is None:
        return "Measured with the database on the same machine (--rtt=1ms adds a network)."
    return "Measured with the database on the same machine; at --rtt=1ms " \
        f"{short(times)} times."


def mark_versions(setups: list[Row]) -> None:
    """Marks those of which several versions were measured, and those of others, so that their
    names tell them apart."""
    versions: dict[tuple[str, bool], set[str]] = {}
    measured = [setup for setup in setups if setup.cls]
    for setup in measured:
        name, version = versioned_name(setup)
        versions.setdefault((name, setup.is_server), set()).add(version)
    for setup in setups:
        name, _ = versioned_name(setup)
        setup.versioned = not setup.cls or len(versions[name, setup.is_server]) > 1


def versioned_name(setup: Row) -> tuple[str, str]:
    """The product that its leases are in, and the version: of Kea's memfile that of Kea."""
    first = setup.results[0]
    name, version = stores.product_of(first)
    return (name, version) if name else (setup.store, stores.kea_version(first))


def is_short(result: dict, run: dict) -> bool:
    """True if a closed loop or a search of a server was too short to mean anything.  A block of a
    duel is a part of its side, which counts as a whole, and so do all trials of a search."""
    if result["published"] or run["incomplete"] or results.is_open(run):
        return False
    if result["kind"] == "server":
        trials = result.get("trials", ())
        exchanges = sum(trial["granted"] for trial in trials)
        elapsed_ns = result.get("seconds", 0) * len(trials) * 1e9
    else:
        whole = {**run, "phases": run.get("side", run["phases"])}
        exchanges = min(phase["operations"] for phase in whole["phases"])
        elapsed_ns = results.elapsed_ns(whole)
    return exchanges < LEAST_EXCHANGES or elapsed_ns < LEAST_S * 1e9


def drop_short(found: list[dict]) -> tuple[list[dict], list[str]]:
    """The results with the runs that were long enough; and what each of the others was."""
    kept, short = [], []
    sides: set[tuple] = set()  # of duels: the blocks of one are too short together
    for result in rows.without_references(found):
        runs = [run for run in result["runs"] if not is_short(result, run)]
        if runs:
            kept.append({**result, "runs": runs})
        side = result["file"], result["line"], result["runs"][0].get("side_number")
        if result["class"] == "none" or side in sides:
            continue
        if side[2] is not None:
            sides.add(side)
        name = f"{result['store']} {results.parameter(result, 'workload') or 'phases'}"
        short += [name] * (len(result["runs"]) - len(runs))
    return kept, short


def short_text(short: Sequence[str]) -> str:
    """A sentence on the runs that do not count, for there are some."""
    names = list(dict.fromkeys(short))
    shown = ", ".join(names[:4]) + (" and others" if len(names) > 4 else "")
    limits = f"less than {LEAST_S} s or {LEAST_EXCHANGES:,} exchanges"
    if len(short) == 1:
        return f"1 run was too short to count ({limits}): {shown}"
    return f"{len(short):,} runs were too short to count ({limits}): {shown}"


def choose(found: list[dict], where: Sequence[tuple[str, str]],
           every_thread: bool = False) -> tuple[list[dict], list[int]]:
    """The results that count, and with how many threads there are some: of stores that keep leases;
    with the fewest threads that were measured here, unless where names them or every_thread is
    set."""
    rows.check_settings("where", where, found)
    wanted = [result for result in rows.without_references(found)
              if result["class"] != "none" and rows.has_all(result, where)]
    if not wanted and where:
        raise Problem("there is no result of a store that keeps leases and is as --where says")
    if not wanted:
        raise Problem("there is no result of a store that keeps leases")
    if every_thread or "threads" in dict(where):
        return wanted, []
    threads = sorted({results.threads(result) for result in wanted if result["class"]} or
                     {results.threads(result) for result in wanted})
    return [result for result in wanted if results.threads(result) == threads[0]], threads


def less_safe(classes: list[rows.Section], setup: Row) -> Row | None:
    """The setup of that store and version, under the same load, in the next less safe class that
    has one; of several the one whose settings differ least."""
    def alike(row):
        return row.store, results.product_text(row.results[0]), [
            item for item in row.key.items() if item[0][0] == rows.PARAMETER]

    found = ([other for other in section.rows if other.cls is not None and
              alike(other) == alike(setup)] for section in classes)
    return max(next(filter(None, found), []), default=None,
               key=lambda other: len(other.key.items() & setup.key.items()))


def short(value: float) -> str:
    """Three significant digits, as more would promise too much: "0.463", "1,560"."""
    if 0 < value < 0.001:
        return "<0.001"
    if value < 999.5:
        return f"{value:.3g}"
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    return figures.count(int(figures.half_up(value / unit) * unit))


def time_text(seconds: float) -> str:
    """A time in words: "24 hours", "90 seconds"."""
    unit, size = next(one for one in (("hour", 3600), ("minute", 60), ("second", 1))
                      if seconds % one[1] == 0 or one[1] == 1)
    return f"{seconds / size:.6g} {unit}{'' if seconds == size else 's'}"


def csv_table(answer: Answer) -> Table:
    table = Table("class|store|differs|demand|source|runs|leases|rate_per_s|least_per_s|clients|"
                  "need_per_s|times|clients_most|servers|servers_by_rates")
    site = answer.site
    for setup in answer.setups:
        fit = answer.fits[setup]
        by_rates, count, _ = fit.shards or (None, None, None)
        for demand, (rate, most, of) in enumerate(zip(setup.rates, fit.most, fit.times)):
            table.add(setup.section.title, setup.store, setup.differs, DEMANDS[demand][:-1],
                      rate.source, rate.runs, rate.leases if rate.kind else None,
                      f"{rate.per_s:.6f}" if rate.kind else None,
                      f"{rate.least:.6f}" if rate.kind else None, site.clients or None,
                      f"{need(site, demand, site.clients):.9g}" if site.clients else None,
                      f"{of:.9g}" if of is not None and site.clients else None,
                      None if most == math.inf else most,
                      count, by_rates)
    return table


SECOND, DAYS_52 = 10**9, 52 * 24 * 3600 * 10**9
LIFETIME_MAX = 0xffffffff * SECOND  # which DHCP takes for "without end"
OPTIONS = [
    Option("clients", "count", "how many there are; unset: 1,000 to 1,000,000", "N", least=1,
           most=IPV4, group="The site"),
    Option("kea", "text", "its kea-dhcp4.conf or kea-dhcp6.conf", "FILE"),
    Option("lease-time", "lifetime", "how long a lease is valid: 7200 (seconds), 2h", "TIME", "2h",
           SECOND, LIFETIME_MAX),
    Option("renew-at", "share", "part of it after which a client renews", "SHARE", "0.5", 1e-4, 1),
    Option("restart-within", "duration", "time in which all clients restart", "TIME", "5m", SECOND,
           DAYS_52),
    Option("restart-of", "choice", "as which clients they restart", "CLIENTS", "known",
           choices={"known": "clients that still have their leases: dora-known",
                    "new": "clients that have none: dora"}),
    Option("rtt", "duration", "added to each round trip to a database", "TIME", "0",
           most=10 * SECOND),
    Option("sync", "duration", "how long your disk takes to sync [as measured]", "TIME", least=1,
           most=10 * SECOND),
    Option("rate", "rate", "print how many clients R renewals per second serve", "R", most=10**9),
    Option("headroom", "rate", "how many times what its clients need is enough", "FACTOR", "2", 1,
           10**6, group="Results"),
    Option("where", "settings", "only results that have this, as for compare", "KEY=VALUE"),
    Option("explain", "flag", "every row, class and cost, and their sources"),
    options.FORMAT,
]
OPERANDS = "[FILE]..."
SUMMARY = "which stores are fast enough, and the cost of durability"
EPILOG = ("ubench_report answer --clients=20k --lease-time=4h out.jsonl\n"
          "    says which stores are fast enough for 20,000 clients, and by what factor")


def check(values: dict, files: list[str]) -> None:
    for name in ("lease-time", "renew-at") if values["kea"] else ():
        row = next(row for row in OPTIONS if row.name == name)
        if values[name.replace("-", "_")] != options.scan(row, row.fallback):
            raise usage(f"--{name}: the file of --kea says it; leave one of both out")
    if not files and not values["clients"] and not values["rate"] and not values["kea"]:
        raise usage("--clients, --rate, --kea or a file is missing; try: ubench_report answer "
                    "--clients=20k FILE")


def print_needs(site: Site, rate: float | None, out: Output) -> None:
    """The needs without results.  No more clients than addresses can be served."""
    if site.clients:
        life, restart = time_text(site.lease_s), time_text(site.restart_s)
        renewals, restarts = (short(need(site, demand, site.clients)) for demand in (0, 1))
        if site.clients == 1:
            out.note(f"1 client with a lease of {life} needs {renewals} renewals per second, and "
                     f"{restarts} restarts per second if it restarts within {restart}")
        else:
            out.note(f"{site.clients:,} clients with leases of {life} need {renewals} renewals per "
                     f"second, and {restarts} restarts per second if all restart within {restart}")
    if rate:
        served = rate / need(site, 0, 1)
        out.note(f"{rate:.10g} renewals per second serve {short(min(served, IPV4))} clients with "
                 f"leases of {time_text(site.lease_s)}"
                 + ": IPv4 has no more addresses" * (served > IPV4))


def with_duels(found: list[dict], duels: list[dict]) -> list[dict]:
    """The results, and of duels each block of each side."""
    return [*found, *(result for line in duels for result in duel.as_results(line))]


def load(files: list[str], complain) -> tuple[list[dict], list[str]]:
    """The results that are long enough to count, and what the others were."""
    found, _, duels = results.read_all(files, complain)
    found = with_duels(found, duels)
    if not found:
        raise results.nothing_in(files)
    kept, short = drop_short(found)
    if short and not any(result["class"] != "none" for result in kept):
        raise Problem(f"{short_text(short)}; measure longer: a runner with "
                      "a larger -n, a duel with a longer --time")
    return kept or found, short


def run(values: dict, files: list[str], complain) -> int:
    from report import kea, screen
    check(values, files)
    site = Site(values["clients"] or 0, values["lease_time"] / 1e9, values["renew_at"],
                values["restart_within"] / 1e9, values["restart_of"] == "new", values["headroom"],
                rates.Place(values["rtt"] / 1e9,
                            values["sync"] / 1e9 if values["sync"] else None))
    if values["kea"]:
        found, short = load(files, complain) if files else ([], [])
        return kea.run(values, site, found, short)
    if not files or values["rate"]:
        print_needs(site, values["rate"], Output(values["format"] if files else "text"))
    if files:
        found, short = load(files, complain)
        made = Answer(site, found, values["where"], short)
        out = Output(values["format"])
        if out.form == "csv":
            out.table(csv_table(made))
        else:
            screen.print_screen(made, out)
            if values["explain"]:
                screen.print_sources(made, out)
    return 0
