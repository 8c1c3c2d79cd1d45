# SPDX-License-Identifier: ISC
"""Tables of where the time of a lease goes (scripts/dhcp --where)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ubench import units
from ubench.records.observation import Observation
from ubench.records.where import STATEMENT, Part, Where
from ubench.report.grouping import Section
from ubench.report.table import Output, Table, numbers, texts

# The parts, in words.
TITLES: Mapping[str, str] = {
    "outside": "network and perfdhcp",
    "socket": "in the socket",
    "queue": "in the queue",
    "server": "Kea, processor time",
    "wait": "waits for a processor",
    "harness": "harness",
    "client": "runner and client library",
    "database": "database beyond statements",
    "sync": "syncs",
    "processing": "processing, by libdhcp_perfmon",
    "round-trip": "empty round trips",
    "wait-server": "Kea waits for a processor",
    "wait-store": "database waits for a processor",
    "processor-server": "processor time: server",
    "processor-store": "processor time: database",
    "processor-load": "processor time: perfdhcp",
}
MISSING = "not accounted for"
TWICE = "counted twice"
WHOLE = "whole: a client waits"
WHOLE_EXCHANGE = "whole: an exchange"
HEADING = "Where the time of a lease goes"
NOTE = (
    "Times for each granted lease, each measured by itself; share: of the mean time that a client "
    "waits for its two answers. Not accounted for: waking Kea and the database, waits for a "
    "processor, and the kernel's work for their packets. Below the whole: times that are in its "
    "parts already or may be, and all processor time."
)
EXCHANGE_NOTE = (
    "Times of one exchange or operation, each measured by itself. Not accounted for: waking the "
    "server, and waits for the syncs of other threads. Counted twice: what runner and server do "
    "at the same time. Below the whole: times that are in its parts already, or may be."
)
NO_QUEUE = (
    "The queue of several threads is known of Kea 3.0 alone (libdhcp_perfmon): it is in what is "
    "not accounted for."
)


def title_of(part: Part) -> str:
    """Return a part in words."""
    return part.statement if part.name == STATEMENT else TITLES.get(part.name, part.name)


def missing_title(where: Where) -> str:
    """Return the name of what the parts do not explain, or explain twice."""
    return MISSING if where.missing_us >= 0 else TWICE


def where_of(observation: Observation) -> Where | None:
    """Return where the time went: of a server in the trial that the rate comes from."""
    server = observation.server
    if server is None:
        return observation.where
    return server.best.where if server.best is not None else None


def typical(observations: Iterable[Observation]) -> Where | None:
    """Return the one with the median whole of several runs; None if none has any."""
    known = [where for where in map(where_of, observations) if where is not None]
    known.sort(key=lambda where: where.whole_us)
    return known[(len(known) - 1) // 2] if known else None


def where_table(label: str, where: Where, whole: str = WHOLE) -> Table:
    """Return the table of one configuration; `whole` is what its parts add up to."""
    table = Table([*texts(label), *numbers("count", "us", "share")])
    for part in where.parts:
        table.add(title_of(part), _count(part), _us(part.us), _share(where, part.us))
    table.add(missing_title(where), "", _us(where.missing_us), _share(where, where.missing_us))
    table.add(whole, "", _us(where.whole_us), _share(where, where.whole_us))
    for part in where.within:
        table.add(f"  {title_of(part)}", _count(part), _us(part.us), "")
    return table


def _count(part: Part) -> str:
    return "" if part.count is None else f"{part.count:.2f}"


def _us(us: float) -> str:
    return units.figure(us) if us >= 0 else f"-{units.figure(-us)}"


def _share(where: Where, us: float) -> str:
    return f"{100 * where.share(us):.1f} %"


def print_where(sections: Iterable[Section], out: Output) -> None:
    """Print the table of each configuration that has one, and what they mean."""
    groups = [group for section in sections for group in section.groups]
    found = [(group.label, typical(group.observations)) for group in groups]
    named = [(label, where) for label, where in found if where is not None]
    if not named:
        return
    out.gap()
    out.heading(HEADING)
    for label, where in named:
        out.tables(where_table(label, where))
    out.note(NOTE)
    if any(where.unknown for _, where in named):
        out.note(NO_QUEUE)


def print_exchange(out: Output, label: str, where: Where) -> None:
    """Print the table of a runner, of one exchange or operation."""
    out.tables(where_table(label, where, WHOLE_EXCHANGE))
    out.note(EXCHANGE_NOTE)
