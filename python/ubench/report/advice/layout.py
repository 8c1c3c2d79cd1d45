# SPDX-License-Identifier: ISC
"""Lays out paragraphs and the table of stores on a screen of 24 lines of 80 columns.

Where there is more to say, the least urgent sentences and rows give way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from ubench import units
from ubench.report.advice import words
from ubench.report.capacity import screen, sentences
from ubench.report.capacity.phrases import paragraph
from ubench.report.capacity.screen import LABEL_WIDTH, LEAST_ROWS, LINES
from ubench.report.capacity.setups import Setup
from ubench.report.capacity.verdicts import Answer
from ubench.report.table import WIDTH, Output, Table, fold_labelled, text


class ScreenPart(Enum):
    """Parts that give way if the screen is full, the least urgent first."""

    WORTHS = "what each number of servers with one database is worth"
    SAFER = "how memfile's leases can be safer"
    EXPIRE = "expired leases"
    KILL = "a killed process"
    MACHINE = "the loss of a machine"
    DOUBTS = "reasons to trust the rates less"
    MARKS = "what the marks in the table mean"
    UNREAD = "what was not read of the file"
    MATCH = "how the results differ from the file"
    NETWORK = "where the database was"
    ORDER = "in which order to scale servers with one database"


# The rows of the table that stay at least while a part gives way.
ROWS_LEFT = {
    ScreenPart.WORTHS: LEAST_ROWS,
    ScreenPart.SAFER: LEAST_ROWS,
    ScreenPart.EXPIRE: LEAST_ROWS,
    ScreenPart.KILL: 2,
}


@dataclass(frozen=True)
class Paragraph:
    """Sentences after a label; without a part they always stay.

    What a power cut loses, whether the store is fast enough, and what to change first stay.
    """

    label: str
    text: str
    part: ScreenPart | None = None


@dataclass(frozen=True)
class Page:
    """All that can be on the screen."""

    headline: str
    above: tuple[Paragraph, ...]
    below: tuple[Paragraph, ...]
    answer: Answer | None  # whose table stands between them
    has_clients: bool
    has_more: bool  # --explain has more than this


@dataclass(frozen=True)
class Layout:
    """A choice of what is on the screen."""

    rows: int  # of the table, at most
    left_out: tuple[ScreenPart, ...] = ()


# ---- The table of stores


def store_table(answer: Answer, setups: Sequence[Setup], has_clients: bool) -> Table:
    """Return the stores; without a number of clients, without what depends on it."""
    table = screen.store_table(answer, setups)
    if has_clients:
        return table
    kept = [number for number, head in enumerate(table.heads) if head != screen.TIMES]
    smaller = Table([table.columns[number] for number in kept])
    for row in table.rows[: len(setups)]:
        smaller.add(*(row[number] for number in kept))
    return smaller


def most_rows(page: Page) -> int:
    """Return how many rows the table can have."""
    return len(page.answer.representatives) if page.answer else 0


def page_table(page: Page, layout: Layout) -> Table | None:
    """Return the table of stores in a layout; None without results."""
    if page.answer is None:
        return None
    return store_table(page.answer, page.answer.shown(layout.rows), page.has_clients)


# ---- Laying out


def paragraphs(parts: Iterable[Paragraph], layout: Layout) -> list[tuple[str, str]]:
    """Return labels with texts in a layout. A text without a label continues the one before it."""
    lines: list[tuple[str, str]] = []
    for part in parts:
        if not part.text or part.part in layout.left_out:
            continue
        if part.label or not lines:
            lines.append((part.label, part.text))
        else:
            label, before = lines[-1]
            lines[-1] = (label, paragraph([before, part.text]))
    return lines


def below_table(page: Page, layout: Layout) -> list[tuple[str, str]]:
    """Return the lines below the table: its marks, the paragraphs, and where there is more."""
    has_more = page.has_more or layout.left_out or layout.rows < most_rows(page)
    shown = paragraphs((*page.above, *page.below), layout)
    manual = words.MANUAL if any(words.MANUAL_PAGE in said for _, said in shown) else ""
    more = paragraph([words.MORE if has_more else "", manual])
    return [("", marks(page, layout)), *paragraphs(page.below, layout), ("MORE", more)]


def marks(page: Page, layout: Layout) -> str:
    """Return the meaning of the marks in the table."""
    table = page_table(page, layout)
    if page.answer is None or table is None or ScreenPart.MARKS in layout.left_out:
        return ""
    return sentences.marks(page.answer, page.answer.shown(layout.rows), screen.cells(table))


def height(page: Page, layout: Layout) -> int:
    """Return the lines of the screen in a layout."""
    table = page_table(page, layout)
    lines = [*paragraphs(page.above, layout), *below_table(page, layout)]
    folded = [fold_labelled(page.headline, WIDTH)]
    folded += [fold_labelled(line, WIDTH, LABEL_WIDTH) for _, line in lines if line]
    table_lines = text(table).count("\n") + 1 if table else 0  # with the empty line above it
    return sum(part.count("\n") + 1 for part in folded) + table_lines


def fitting_layout(page: Page) -> Layout:
    """Return the layout that leaves out as little as fits the screen."""
    layout = with_fewer_rows(page, (), LEAST_ROWS)
    left_out: list[ScreenPart] = []
    for part in ScreenPart:
        if height(page, layout) <= LINES:
            break
        left_out.append(part)
        layout = with_fewer_rows(page, tuple(left_out), ROWS_LEFT.get(part, 1))
    for part in reversed(left_out):  # what gave way first may be longer than was needed
        others = tuple(each for each in layout.left_out if each != part)
        fuller = Layout(layout.rows, others)
        if height(page, fuller) <= LINES:
            layout = fuller
    return layout


def with_fewer_rows(page: Page, left_out: tuple[ScreenPart, ...], least_rows: int) -> Layout:
    """Return a layout with the most rows that fit, but at least some."""
    rows = most_rows(page)
    while rows > least_rows and height(page, Layout(rows, left_out)) > LINES:
        rows -= 1
    return Layout(rows, left_out)


def cut_to_fit(page: Page, layout: Layout) -> Page:
    """Return the page with its longest text cut, once nothing else can give way."""
    while height(page, layout) > LINES:
        parts = [*page.above, *page.below]
        longest = max(parts, key=lambda part: 0 if part.part in layout.left_out else len(part.text))
        shorter = replace(longest, text=units.cut(longest.text, len(longest.text) - WIDTH))
        page = replace(
            page,
            above=tuple(shorter if part is longest else part for part in page.above),
            below=tuple(shorter if part is longest else part for part in page.below),
        )
    return page


def print_page(page: Page, layout: Layout, out: Output) -> None:
    """Print the screen."""
    out.note(page.headline)
    out.pairs(paragraphs(page.above, layout), LABEL_WIDTH)
    table = page_table(page, layout)
    if table:
        out.gap()
        out.table(table)
    out.pairs(below_table(page, layout), LABEL_WIDTH)
