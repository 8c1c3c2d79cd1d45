# SPDX-License-Identifier: ISC
"""The answer on one screen, 24 lines of 80 columns.

Its first lines answer a person who runs Kea: whether the stores are fast enough, which to take if
nothing may be lost, and which if the last second may. Then come the table, what durability costs,
and what the answer rests on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ubench import units
from ubench.report.capacity import sentences, words
from ubench.report.capacity.phrases import paragraph, three_digits
from ubench.report.capacity.rates import Rate, Unknown
from ubench.report.capacity.setups import Setup
from ubench.report.capacity.site import Demand
from ubench.report.capacity.verdicts import Answer
from ubench.report.table import WIDTH, Output, Table, fold_labelled, numbers, text, texts

LabelledText = tuple[str, str]  # a label and its text

LINES = 24
LABEL_WIDTH = 8
LEAST_ROWS = 3
NAME_WIDTH = 25  # of a store, for which the table has room beside its longest head
MOST_TIMES = 9995  # with three digits more are 10,000, for which the column has no room
MORE_TIMES = ">9999"
TIMES = "times"  # the column of how many times the required rate a store does
RATE_COLUMNS = numbers("renew/s", "restart/s", TIMES, "clients")


@dataclass(frozen=True)
class ScreenBody:
    """What the screen has below its first lines."""

    table: Table
    lines: tuple[LabelledText, ...]  # below the table


def print_screen(answer: Answer, out: Output) -> None:
    """Print the screen, with all that fits."""
    above = lines_above(answer)
    layout = best_layout(answer, above)
    out.note(sentences.headline(answer))
    out.pairs(above, LABEL_WIDTH)
    out.gap()
    out.table(layout.table)
    out.pairs(layout.lines, LABEL_WIDTH)


def lines_above(answer: Answer) -> list[LabelledText]:
    """Return the lines above the table."""
    nothing, latest = sentences.safety(answer)
    speed = paragraph(
        [
            sentences.speed(answer),
            sentences.network(answer, answer.judged),
            sentences.own_disk(answer, answer.judged),
        ]
    )
    return [("SPEED", speed), ("SAFETY", nothing), ("", latest)]


def best_layout(answer: Answer, above: Sequence[LabelledText]) -> ScreenBody:
    """Return the layout that leaves out as little as fits: rows give way first, then costs."""
    most = max(len(answer.setups), LEAST_ROWS)
    candidates = [
        *((rows, True) for rows in range(most, LEAST_ROWS - 1, -1)),
        *((rows, False) for rows in range(LEAST_ROWS, 0, -1)),
    ]
    for rows, has_costs in candidates:
        layout = lay_out(answer, rows, has_costs)
        if fits([*above, *layout.lines], layout.table):
            break
    return layout


def lay_out(answer: Answer, rows: int, has_costs: bool) -> ScreenBody:
    """Return a layout with at most this many setups in the table."""
    setups = answer.shown(rows)
    table = store_table(answer, setups)
    hidden = len(answer.setups) - len(setups)
    lines = (
        ("", sentences.marks(answer, setups, cells(table))),
        ("COST", sentences.cost(answer, setups) if has_costs else ""),
        ("TRUST", sentences.trust(answer)),
        ("MORE", sentences.more(answer, hidden)),
    )
    return ScreenBody(table, lines)


def fits(lines: Sequence[LabelledText], table: Table) -> bool:
    """Return whether a screen has room for them, beside the headline and an empty line."""
    folded = (fold_labelled(words, WIDTH, LABEL_WIDTH) for _, words in lines if words)
    height = sum(part.count("\n") + 1 for part in folded) + text(table).count("\n")
    return height <= LINES - 2


def cells(table: Table) -> list[str]:
    """Return the texts of all cells."""
    return [cell.text for row in table.rows for cell in row]


# ---- The table


def store_table(answer: Answer, setups: Sequence[Setup]) -> Table:
    """Return the setups by what a power cut loses, and the required rates below them."""
    longest = max((len(sentences.marked(setup)) for setup in setups), default=0)
    head = "lost in power cut" if longest <= NAME_WIDTH else "power loss"
    table = Table((*texts(head, "store"), *RATE_COLUMNS))
    above = ""
    for setup in setups:
        lost = sentences.loss_text(setup)
        name = sentences.marked(setup)
        table.add("" if lost == above else lost, name, *figure_cells(answer, setup))
        above = lost
    table.add(*required(answer))
    return table


def figure_cells(answer: Answer, setup: Setup) -> list[str | None]:
    """Return the cells of a setup: rates, how many times the required ones, clients."""
    fit = answer.fits[setup]
    return [
        *(rate_text(setup.rates.demand(demand)) for demand in Demand),
        times_text(fit.least),
        clients_text(answer, setup),
    ]


def rate_text(rate: Rate | Unknown) -> str | None:
    """Return a rate, with a mark if it is estimated; None if it is not known."""
    if not isinstance(rate, Rate):
        return None
    mark = "~" if rate.kind.is_estimate else ""
    return mark + three_digits(rate.per_s)


def times_text(times: float | None) -> str | None:
    """Return how many times the required rates; None if that is not known."""
    if times is None:
        return None
    return three_digits(times) if times < MOST_TIMES else MORE_TIMES


def clients_text(answer: Answer, setup: Setup) -> str | None:
    """Return how many clients a setup serves; None if that is not known."""
    served = answer.fits[setup].served
    if served is None:
        return None
    mark = ">" if served.can_be_more else ""
    return mark + three_digits(served.clients)


def required(answer: Answer) -> list[str]:
    """Return the last row: what the site requires."""
    site = answer.site
    rates = [three_digits(site.required(demand, answer.clients)) for demand in Demand]
    headroom = f"{site.headroom:.3g}"
    enough = words.TIMES_ENOUGH.format(headroom=headroom)
    return [words.REQUIRED, enough, *rates, headroom, units.count(answer.clients)]
