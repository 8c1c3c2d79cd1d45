# SPDX-License-Identifier: ISC
"""Tables of servers on one database: allocator and fill of the pool by the number of servers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ubench import units
from ubench.records.observation import Observation
from ubench.report.capacity.phrases import three_digits
from ubench.report.pools.cases import PoolCase, SharedPool, shared_pools
from ubench.report.table import Column, Output, Table, TableCell, numbers, texts

HEADING = "{title}: servers on one database, whose clients compete for the addresses of one pool"
RATE, WORTH, LOST = "new/s", "times", "lost %"  # first heads of the tables
NOTES = {
    RATE: (
        "new clients per second that all servers together gave an address: the median of the runs "
        "and, from 6 runs on, half of its 95 % interval"
    ),
    WORTH: "how many times as many as with the fewest servers of the row, block by block",
    LOST: (
        "offers whose address another client had been given when theirs asked for it, of all "
        "offers; that client begins again"
    ),
}
Named = Sequence[tuple[str, SharedPool]]  # pools with the names of their setups
CaseCell = Callable[[SharedPool, Sequence[PoolCase], PoolCase], TableCell | str | None]


def print_pools(observations: Sequence[Observation], out: Output) -> None:
    """Print the tables of each class, and what they mean; nothing if no clients compete."""
    pools = several_cases(observations)
    shown: list[Table] = []
    for title in dict.fromkeys(pool.title for pool in pools):
        named = [(pool.group.label, pool) for pool in pools if pool.title == title]
        tables = [rate_table(named), worth_table(named), lost_table(named)]
        out.gap()
        out.heading(HEADING.format(title=title))
        out.tables(*tables)
        shown += tables
    heads = {table.heads[0] for table in shown if table.rows}
    if heads:
        out.gap()
    out.pairs([(head, note) for head, note in NOTES.items() if head in heads])


def several_cases(observations: Sequence[Observation]) -> list[SharedPool]:
    """Return the pools of which several cases were measured."""
    return [pool for pool in shared_pools(observations) if len(pool.rates) > 1]


def rate_table(named: Named) -> Table:
    """Return the rate of each case: servers in columns, all else in rows."""
    return _table(RATE, named, _rate_cell)


def lost_table(named: Named) -> Table:
    """Return the share of lost offers of each case; without rows if none was lost."""
    shown = [(name, pool) for name, pool in named if any(r.lost for r in pool.rates.values())]
    return _table(LOST, shown, _lost_cell)


def worth_table(named: Named) -> Table:
    """Return how many times as many clients servers serve as the fewest that were measured do.

    It is without rows if no setup was measured with several numbers of servers.
    """
    shown = [(name, pool) for name, pool in named if any(len(each) > 1 for each in pool.series)]
    return _table(WORTH, shown, _worth_cell)


def _table(head: str, named: Named, cell: CaseCell) -> Table:
    counts = sorted({count for _, pool in named for count in pool.server_counts})
    cases = [case for _, pool in named for case in pool.rates]
    threads = numbers("threads each") if any(case.threads_each > 1 for case in cases) else ()
    fills = numbers("full") if any(case.full is not None for case in cases) else ()
    columns: list[Column] = [*texts(head, "allocator"), *fills, *threads]
    table = Table([*columns, *numbers(*(units.plural(count, "server") for count in counts))])
    for name, pool in named:
        shown = name
        for series in pool.series:
            row: list[TableCell | str | int | None] = [shown, series[0].allocator]
            row += [full_cell(series[0].full)] if fills else []
            row += [series[0].threads_each] if threads else []
            by_count = {case.servers: case for case in series}
            for count in counts:
                case = by_count.get(count)
                row.append(cell(pool, series, case) if case else None)
            table.add(*row)
            shown = ""
    return table


def full_cell(full: float | None) -> TableCell | None:
    """Return a share of a pool in percent."""
    return None if full is None else TableCell(percent(full), full)


def percent(share: float) -> str:
    """Return a share in percent: "99.5 %"."""
    return f"{share * 100:.4g} %"


def _rate_cell(pool: SharedPool, _: Sequence[PoolCase], case: PoolCase) -> TableCell:
    rate = pool.rates[case]
    return TableCell(with_margin(three_digits(rate.per_s), rate.precision), rate.per_s)


def _lost_cell(pool: SharedPool, _: Sequence[PoolCase], case: PoolCase) -> TableCell | None:
    lost = pool.rates[case].lost
    return None if lost is None else TableCell(f"{lost * 100:.3g}", lost)


def _worth_cell(pool: SharedPool, series: Sequence[PoolCase], case: PoolCase) -> TableCell | None:
    if case is series[0]:
        return TableCell("1", 1) if len(series) > 1 else None
    contrast = pool.compare(series[0], case)
    if contrast.ratio is None:
        return None
    margin = contrast.precision if contrast.interval else None
    return TableCell(with_margin(three_digits(contrast.ratio), margin), contrast.ratio)


def with_margin(figure: str, margin: float | None) -> str:
    """Return a figure with half of its interval, rounded up: "1,234 +-3 %"."""
    return figure if margin is None else f"{figure} +-{math.ceil(margin * 100)} %"
