# SPDX-License-Identifier: ISC
"""What lease files show, as text and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timezone

from ubench import units
from ubench.report.capacity.phrases import listed, paragraph, period, three_digits
from ubench.report.leases import words
from ubench.report.leases.census import FOREVER_S, NEW, RELEASED, Census, Hour
from ubench.report.table import Output, Table, TableCell, numbers, texts

HOURS_SHOWN = 24
SHARES_SHOWN = 4  # of lifetimes and subnets
POOLS_SHOWN = 20  # the fullest ones
BAR_WIDTH = 10
LABEL_WIDTH = 11
YEAR_LENGTH = len("2026-")


def time_text(seconds: int) -> str:
    """Return a time in UTC to the minute: "2026-11-28 13:00"."""
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M")


def print_census(census: Census, restart_s: float, threshold: float, out: Output) -> None:
    """Print all that the files show."""
    if not census.raw["addresses"]:
        out.note(words.NO_LEASES)
        return
    out.note(headline(census))
    out.pairs(list(paragraphs(census, restart_s, threshold)), LABEL_WIDTH)
    out.gap()
    out.tables(hour_table(census), pool_table(census))
    hidden = len(census.hours) - HOURS_SHOWN
    more = words.LEFT_OUT.format(hours=units.plural(hidden, "hour")) if hidden > 0 else ""
    out.note(paragraph([words.PARTIAL, more]))


def headline(census: Census) -> str:
    """Return how many clients and leases there are."""
    has_subnets = set(census.subnets) != {0}
    text = words.HEADLINE if has_subnets else words.HEADLINE_WITHOUT_SUBNETS
    return text.format(
        clients=units.plural(census.clients, "client"),
        leases=units.plural(census.raw["active"], "lease"),
        family=census.family,
        subnets=units.plural(len(census.subnets), "subnet"),
        time=time_text(census.latest_s),
    )


def paragraphs(census: Census, restart_s: float, threshold: float) -> Iterator[tuple[str, str]]:
    """Yield the lines above the tables, each with its label."""
    yield "HISTORY", history(census)
    yield "BUSIEST", busiest(census)
    yield "LIFETIMES", lifetimes(census)
    yield "SUBNETS", subnets(census)
    yield "CACHE", cache(census, threshold)
    yield "EXPIRED", backlog(census)
    yield "RESTART", restart(census, restart_s)


def history(census: Census) -> str:
    """Return what the files are, and what that can tell."""
    if not census.has_history:
        return words.SNAPSHOT
    facts = census.raw["history"]
    totals = {
        name: sum(hour.count(*kinds) for hour in census.hours)
        for name, kinds in (
            ("changes", ("changes",)),
            ("new", NEW),
            ("renewed", ("renewed",)),
            ("released", RELEASED),
            ("declined", ("declined",)),
            ("expired", ("expired",)),
        )
    }
    counts = {name: units.count(number) for name, number in totals.items()}
    counts["changes"] = units.plural(totals["changes"], "change")
    recorded = words.HISTORY.format(
        **counts,
        period=units.waiting_time(facts["ended"] - facts["begun"]),
        begun=time_text(facts["begun"]),
        ended=time_text(facts["ended"]),
    )
    return paragraph([recorded, known_before(census)])


def known_before(census: Census) -> str:
    """Return whether the files say which clients were known before the history."""
    facts = census.raw["history"]
    if facts["snapshot_records"]:
        records = units.plural(facts["snapshot_records"], "record")
        return words.MIXED.format(records=records)
    if not facts["uncertain_new"]:
        return ""
    return words.UNCERTAIN.format(
        uncertain=units.count(facts["uncertain_new"]), hint=hint(census)
    )


def hint(census: Census) -> str:
    """Return the file that says which clients were known before the history."""
    is_kea = any(file["format"] == "kea" for file in census.raw["files"])
    return words.KEA_SNAPSHOT if is_kea else words.DHCPD_SNAPSHOT


def busiest(census: Census) -> str:
    """Return the worst minute and the worst hour."""
    name = "changes" if census.has_history else "last"
    found = census.worst(name)
    if found is None:
        return ""
    busy = max(census.hours, key=lambda each: each.events[name].hour)
    figures = {
        "worst": three_digits(found[1].worst_per_s),
        "hour": three_digits(busy.events[name].per_s),
        "start": time_text(busy.start_s),
    }
    if not census.has_history:
        return words.BUSIEST_SNAPSHOT.format(**figures)
    of_kinds = {
        "renewed": three_digits(worst_per_s(census, "renewed")),
        "new": three_digits(worst_per_s(census, "new")),
    }
    return paragraph([words.BUSIEST.format(**figures, **of_kinds), renew_at(census)])


def worst_per_s(census: Census, name: str) -> float:
    """Return the rate of a kind of events in its worst minute."""
    found = census.worst(name)
    return found[1].worst_per_s if found else 0.0


def renew_at(census: Census) -> str:
    """Return the part of the lifetime after which half of the renewals have come."""
    ages = census.raw["history"]["ages_percent"]
    half = sum(ages) / 2
    total = 0
    for percent, count in enumerate(ages):
        total += count
        if half and total >= half:
            return words.RENEW_AT.format(share=f"{percent + 1} %")
    return ""


def lifetimes(census: Census) -> str:
    """Return the lifetimes that most leases have."""
    names = {
        time: words.FOREVER if time == FOREVER_S else period(time) for time in census.lifetimes
    }
    return shares([(names[time], count) for time, count in census.lifetimes.items()], "lifetime")


def subnets(census: Census) -> str:
    """Return the subnets with the most leases."""
    if set(census.subnets) <= {0}:
        return ""
    named = [(f"subnet {number}", count) for number, count in census.subnets.items()]
    return shares(named, "subnet")


def shares(counts: Sequence[tuple[str, int]], noun: str) -> str:
    """Return the largest counts as shares of all: "2 hours: 90 %, 1 hour: 10 %"."""
    total = sum(count for _, count in counts)
    largest = sorted(counts, key=lambda each: -each[1])[:SHARES_SHOWN]
    parts = [f"{name}: {100 * count / total:.3g} %" for name, count in largest]
    hidden = len(counts) - len(largest)
    return listed(parts) + (f", and {units.plural(hidden, noun)} more" if hidden else "")


def cache(census: Census, threshold: float) -> str:
    """Return the share of renewals that Kea would answer without a change."""
    facts = census.raw["history"]
    if not facts["aged"]:
        return words.NOT_CACHED
    form = words.CACHED if facts["cached"] else words.NONE_CACHED
    return form.format(
        share=f"{100 * facts['cached'] / facts['aged']:.3g} %",
        renewals=units.plural(facts["aged"], "renewal"),
        threshold=f"{100 * threshold:.3g} %",
    )


def backlog(census: Census) -> str:
    """Return the leases that have expired, and the others without a client."""
    raw = census.raw
    others = words.OTHERS.format(
        declined=units.count(raw["declined"]),
        reclaimed=units.count(raw["reclaimed"]),
        released=units.count(raw["released"]),
    )
    if not raw["overdue"]:
        return words.NO_BACKLOG.format(others=others)
    return words.BACKLOG.format(
        overdue=units.plural(raw["overdue"], "lease"),
        oldest=units.waiting_time(raw["oldest_overdue_s"]),
        others=others,
    )


def restart(census: Census, restart_s: float) -> str:
    """Return what a restart of all clients asks of the store."""
    figures = {"period": period(restart_s), "rate": three_digits(census.clients / restart_s)}
    if len(census.subnets) < 2:
        return words.RESTART_WITHOUT_SUBNETS.format(**figures)
    share = max(census.subnets.values()) / sum(census.subnets.values())
    return words.RESTART.format(
        **figures, subnet_rate=three_digits(share * census.clients / restart_s)
    )


# ---- Tables


def hour_table(census: Census) -> Table:
    """Return the last hours in which something happened, each with a bar."""
    name = "renewed" if census.has_history else "last"
    heads = (
        ("renew/s", "worst/s", "new", "released", "declined", "expired")
        if census.has_history
        else ("transactions/s", "worst/s")
    )
    table = Table((*texts("hour (UTC)"), *numbers(*heads), *texts("")))
    hours = [hour for hour in census.hours if hour.count(name, "changes")][-HOURS_SHOWN:]
    most = max((hour.events[name].hour for hour in hours), default=0)
    for hour in hours:
        bar = "#" * units.half_up(BAR_WIDTH * hour.events[name].hour / max(1, most))
        start = TableCell(time_text(hour.start_s)[YEAR_LENGTH:], hour.start_s)
        table.add(start, *hour_cells(hour, name, census.has_history), bar)
    return table


def hour_cells(hour: Hour, name: str, has_history: bool) -> list[TableCell]:
    """Return the figures of an hour."""
    rates = hour.events[name]
    cells = [TableCell(three_digits(rate), rate) for rate in (rates.per_s, rates.worst_per_s)]
    if has_history:
        kinds: tuple[tuple[str, ...], ...] = (NEW, RELEASED, ("declined",), ("expired",))
        counts = [hour.count(*names) for names in kinds]
        cells += [TableCell(units.count(number), number) for number in counts]
    return cells


def pool_table(census: Census) -> Table:
    """Return the fullest pools of the configuration."""
    table = Table((*texts("pool"), *numbers("addresses", "leases", "declined", "fill")))
    fullest = sorted(census.pools, key=lambda each: -(each[1] + each[2]) / each[0].size)
    for pool, active, declined in fullest[:POOLS_SHOWN]:
        table.add(
            pool.name,
            units.count(pool.size) if pool.size < 10**15 else three_digits(pool.size),
            units.count(active),
            units.count(declined),
            f"{100 * (active + declined) / pool.size:.3g} %",
        )
    return table
