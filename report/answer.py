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

from report import Problem, duel, figures, options, rates, results, rows, stats, usage
from report.options import Option
from report.rows import Row
from report.table import Output, Table

DEMANDS = ("renewals", "restarts")
SITES = (1000, 10000, 100000, 1000000)  # of which one is chosen if no number was given
LEAST_EFFECT = math.log1p(0.03)  # smaller differences count for nothing
MOST_LEASES = 10  # nothing is said of more clients than this times the measured leases
IPV4 = 1 << 32
ENOUGH, SLOW, UNKNOWN = VERDICTS = ("fast enough", "too slow", "not known")


class Site(NamedTuple):
    clients: int = 0  # 0: not given
    lease_s: float = 86400.0
    renew_at: float = 0.5
    restart_s: float = 300.0
    restart_new: bool = False  # as new clients, and not with their leases
    reserve: float = 2.0  # so many times the need is enough
    rtt_s: float = 0.0  # the database is that much farther away than where it was measured


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
    def __init__(self, site: Site, found: list[dict], where: Sequence[tuple[str, str]] = ()):
        self.site = site
        # threads: the numbers that were measured; the setups have the first
        self.results, self.threads = choose(found, where)
        # The safest first; their rows are setups, the fastest first
        self.classes = rows.sections(self.results, setups=True)
        for section in self.classes:
            for row in section.rows:
                row.rates = rates.rates_of(row, site.restart_new, site.rtt_s)
            section.rows.sort(key=lambda row: -row.rates[0].per_s)
            section.pairs = {(i, k): Pair(slower, faster) for (i, faster), (k, slower) in
                             combinations(enumerate(section.rows), 2)}
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
        self.verdict = UNKNOWN if self.least is None else \
            ENOUGH if self.least >= site.reserve else SLOW
        # The clients with the reserve by the rates, and by the leases, and what limits
        self.served: tuple[float, float, int] | None = None
        if None not in self.most:
            found = [rate.per_s / (need(site, demand, 1) * site.reserve)
                     for demand, rate in enumerate(demands)]
            self.served = min(found), min(self.most), found.index(min(found))

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


def choose(found: list[dict], where: Sequence[tuple[str, str]]) -> tuple[list[dict], list[int]]:
    """The results that count, and with how many threads there are some: of stores that keep leases
    and were measured here, or published; with the fewest threads, unless where names them."""
    rows.check_settings("where", where, found)
    wanted = [result for result in rows.without_references(found)
              if result["class"] != "none" and rows.has_all(result, where) and
              (result["class"] or result["kind"] == "store")]
    if not wanted:
        raise Problem("there is no result of a store that keeps leases"
                      + " and is as --where says" * bool(where))
    if "threads" in dict(where):
        return wanted, []
    threads = [results.threads(result) for result in wanted]
    return [result for result, count in zip(wanted, threads) if count == min(threads)], \
        sorted(set(threads))


def less_safe(classes: list[rows.Section], setup: Row) -> Row | None:
    """The setup of that store and version, under the same load, in the next less safe class that
    has one; of several the one whose settings differ least."""
    def alike(row):
        return row.store, list(row.results[0]["facts"].items())[:1], [
            item for item in row.key.items() if item[0][0] == rows.PARAMETER]

    found = ([other for other in section.rows if other.cls is not None and
              alike(other) == alike(setup)] for section in classes)
    return max(next(filter(None, found), []), default=None,
               key=lambda other: len(other.key.items() & setup.key.items()))


def short(value: float) -> str:
    """Three significant digits, as more would promise too much: "0.463", "1,560"."""
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
OPTIONS = [
    Option("clients", "count", "how many there are; unset: 1,000 to 1,000,000", "N", least=1,
           most=IPV4, group="The site"),
    Option("kea", "text", "its kea-dhcp4.conf or kea-dhcp6.conf", "FILE"),
    Option("lease-time", "duration", "how long a lease is valid", "TIME", "24h", SECOND, DAYS_52),
    Option("renew-at", "share", "part of it after which a client renews", "SHARE", "0.5", 1e-4, 1),
    Option("restart-within", "duration", "time in which all clients restart", "TIME", "5m", SECOND,
           DAYS_52),
    Option("restart-of", "choice", "as which clients they restart", "CLIENTS", "known",
           choices={"known": "clients that still have their leases: dora-known",
                    "new": "clients that have none: dora"}),
    Option("rtt", "duration", "added to each round trip to a database", "TIME", "0",
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
EPILOG = ("ubench_report answer --clients=20k --lease-time=24h out.jsonl\n"
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
        out.note(f"{site.clients:,} clients with leases of {time_text(site.lease_s)} need "
                 f"{short(need(site, 0, site.clients))} renewals per second, and "
                 f"{short(need(site, 1, site.clients))} restarts per second if all restart within "
                 f"{time_text(site.restart_s)}")
    if rate:
        served = rate / need(site, 0, 1)
        out.note(f"{rate:.10g} renewals per second serve {short(min(served, IPV4))} clients with "
                 f"leases of {time_text(site.lease_s)}"
                 + ": IPv4 has no more addresses" * (served > IPV4))


def with_duels(found: list[dict], duels: list[dict]) -> list[dict]:
    """The results, and of duels each block of each side."""
    return [*found, *(result for line in duels for result in duel.as_results(line))]


def load(files: list[str], complain) -> list[dict]:
    found, _, duels = results.read_all(files, complain)
    found = with_duels(found, duels)
    if not found:
        raise results.nothing_in(files)
    return found


def run(values: dict, files: list[str], complain) -> int:
    from report import kea, screen
    check(values, files)
    site = Site(values["clients"] or 0, values["lease_time"] / 1e9, values["renew_at"],
                values["restart_within"] / 1e9, values["restart_of"] == "new", values["headroom"],
                values["rtt"] / 1e9)
    if values["kea"]:
        return kea.run(values, site, load(files, complain) if files else [])
    if not files or values["rate"]:
        print_needs(site, values["rate"], Output(values["format"] if files else "text"))
    if files:
        made = Answer(site, load(files, complain), values["where"])
        out = Output(values["format"])
        if out.form == "csv":
            out.table(csv_table(made))
        else:
            screen.print_screen(made, out)
            if values["explain"]:
                screen.print_sources(made, out)
    return 0
