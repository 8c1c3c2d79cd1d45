# SPDX-License-Identifier: ISC
"""The answer on one screen, 24 lines of 80 columns.

Its first lines answer a person who runs Kea: whether the stores are fast enough, which to take if
nothing may be lost, and which if the last second may. Then come the table, what durability costs,
and what the answer rests on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from ubench import units
from ubench.report.capacity import sentences, several_sentences, words
from ubench.report.capacity.phrases import paragraph, three_digits
from ubench.report.capacity.rates import Rate, Unknown
from ubench.report.capacity.setups import Setup
from ubench.report.capacity.several import Scaling, scalings
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


class Detail(IntEnum):
    """What gives way if the screen is full, the least urgent first."""

    ALL = 0
    NO_COSTS = 1
    NO_WORTHS = 2  # of each number of servers on one database
    NO_LATEST = 3  # what to take if the last second may be lost


@dataclass(frozen=True)
class Layout:
    """What the screen has below its headline."""

    above: tuple[LabelledText, ...]  # the table
    table: Table
    below: tuple[LabelledText, ...]


def print_screen(answer: Answer, out: Output) -> None:
    """Print the screen, with all that fits."""
    layout = best_layout(answer)
    out.note(sentences.headline(answer))
    out.pairs(layout.above, LABEL_WIDTH)
    out.gap()
    out.table(layout.table)
    out.pairs(layout.below, LABEL_WIDTH)


def lines_above(
    answer: Answer, shared: Sequence[Scaling], detail: Detail
) -> list[LabelledText]:
    """Return the lines above the table; `shared` is what is known of several servers."""
    nothing, latest = sentences.safety(answer)
    speed = paragraph(
        [
            sentences.speed(answer),
            sentences.network(answer, answer.judged),
            sentences.own_disk(answer, answer.judged),
        ]
    )
    return [
        ("SPEED", speed),
        ("SAFETY", nothing),
        ("", latest if detail < Detail.NO_LATEST else ""),
        *lines_of_servers(answer, shared, detail),
    ]


def lines_of_servers(
    answer: Answer, shared: Sequence[Scaling], detail: Detail
) -> list[LabelledText]:
    """Return what several servers on one database need, do and gain; none of one server.

    They are of the setup that says most.
    """
    site, clients = answer.site, answer.clients
    if site.servers == 1:
        return []
    need = several_sentences.need(site, clients)
    if not shared:
        return [("SERVERS", paragraph([need, several_sentences.not_measured(answer.judged)]))]
    first, *others = shared
    together = several_sentences.together(first, site, clients)
    has_worths = detail < Detail.NO_WORTHS
    worths = several_sentences.worths(first) if has_worths else ""
    more = words.OTHER_SCALINGS if others or not has_worths else ""
    elsewhere = "" if site.place.is_as_measured else words.NOT_ELSEWHERE
    return [
        ("SERVERS", paragraph([need, together])),
        ("", paragraph([worths, elsewhere])),
        ("", paragraph([several_sentences.order(first), more])),
    ]


def best_layout(answer: Answer) -> Layout:
    """Return the layout that leaves out as little as fits: rows give way first, then details."""
    most = max(len(answer.setups), LEAST_ROWS)
    candidates = [
        *((rows, Detail.ALL) for rows in range(most, LEAST_ROWS - 1, -1)),
        *((rows, detail) for detail in list(Detail)[1:] for rows in range(LEAST_ROWS, 0, -1)),
    ]
    shared = scalings(answer.with_any_load, answer.site) if answer.site.servers > 1 else []
    above = {detail: lines_above(answer, shared, detail) for detail in Detail}
    for rows, detail in candidates:
        layout = lay_out(answer, rows, detail, above[detail])
        if fits([*layout.above, *layout.below], layout.table):
            break
    return layout


def lay_out(
    answer: Answer, rows: int, detail: Detail, above: Sequence[LabelledText]
) -> Layout:
    """Return a layout with at most this many setups in the table."""
    setups = answer.shown(rows)
    table = store_table(answer, setups)
    hidden = len(answer.setups) - len(setups)
    lines = (
        ("", sentences.marks(answer, setups, cells(table))),
        ("COST", sentences.cost(answer, setups) if detail < Detail.NO_COSTS else ""),
        ("TRUST", sentences.trust(answer)),
        ("MORE", sentences.more(answer, hidden)),
    )
    return Layout(tuple(above), table, lines)


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
