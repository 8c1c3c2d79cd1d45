# SPDX-License-Identifier: ISC
"""A table, and the lines around it, as text, Markdown, CSV or HTML, from the same cells."""

from __future__ import annotations

import csv
import html as html_module
import os
import re
import sys
import textwrap
from functools import partialmethod
from typing import NamedTuple, TextIO

from report import plain_lines

WIDTH, WIDTH_MIN = 80, 40  # of a line without a terminal, and at least
LABEL = 14  # columns before a text that has a label
FIRST_MIN, FIRST_OF_SLICE = 8, 24  # of a first column, and where the others do not fit beside it
HEAD_LENGTH, CELL_LENGTH = 40, 200  # of what is foreign, in HTML


class Cell(NamedTuple):
    """text for people; number for programs, if it is not the same."""
    text: str
    number: str | int | float | None = None


class Table:
    """heads: "store|rate>|runs>" or a list of these, where > is for numbers, to the right.  A cell
    is a Cell, a text, a number, or None, for which absent stands (in CSV nothing)."""

    def __init__(self, heads: str | list[str], absent: str = "n/a"):
        heads = heads.split("|") if isinstance(heads, str) else heads
        self.heads = [head[:-1] if head.endswith(">") else head for head in heads]
        self.sides = ["r" if head.endswith(">") else "l" for head in heads]
        self.absent = absent
        self.rows: list[list[Cell]] = []

    def add(self, *cells) -> None:
        assert len(cells) == len(self.heads)
        self.rows.append([cell if isinstance(cell, Cell) else
                          Cell(self.absent, "") if cell is None else Cell(str(cell))
                          for cell in cells])


def fold(words: str, width: int, indent: int = 0) -> str:
    """Words in lines of a width, of which all have an indent but the first, which has a label."""
    blanks = " " * indent
    return textwrap.fill(words, width, initial_indent=blanks, subsequent_indent=blanks,
                         break_long_words=False, break_on_hyphens=False)[indent:]


def text(table: Table, width: int = WIDTH) -> str:
    """Cells are padded to the widest of their column.  If a line would be too long, a long text in
    the first column has a line of its own, and columns that do not fit follow as another table."""
    rows = [table.heads] + [[cell.text for cell in row] for row in table.rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    left = width - sum(2 + of for of in widths[1:])
    widths[0] = min(widths[0], left if left >= FIRST_MIN else FIRST_OF_SLICE)
    slices, left = [[0]], width - widths[0]
    for column in range(1, len(widths)):
        if 2 + widths[column] > left and slices[-1] != [0]:
            slices.append([0])
            left = width - widths[0]
        slices[-1].append(column)
        left -= 2 + widths[column]
    return "\n".join(_text_slice(table, rows, widths, columns) for columns in slices)


def _text_slice(table: Table, rows: list[list[str]], widths: list[int], columns: list[int]) -> str:
    """The rows of some columns.  A first cell that is too wide has a line of its own, unless it is
    the same as in the row above."""
    lines, above = [], ""
    for row in rows:
        alone = len(row[0]) > widths[0]
        if alone and row[0] != above:
            lines.append(row[0])
        cells = ["" if i == 0 and alone else row[i] for i in columns]
        lines.append("  ".join(cell.rjust(widths[i]) if table.sides[i] == "r" else
                               cell.ljust(widths[i]) for i, cell in zip(columns, cells)).rstrip())
        above = row[0]
    return "".join(line + "\n" for line in lines)


def _markdown(words: str) -> str:
    """Neither an element of HTML nor a link nor a column of its own."""
    return re.sub(r"([|`]|\](?=[(\[:]))", r"\\\1", re.sub("<(?! )", "&lt;", words))


def markdown(table: Table) -> str:
    rows = [table.heads] + [[cell.text for cell in row] for row in table.rows]
    lines = ["|" + "".join(f" {_markdown(cell)} |" for cell in row) + "\n" for row in rows]
    lines.insert(1, "|" + "".join({"r": "---:|", "l": "---|"}[side] for side in table.sides) + "\n")
    return "".join(lines)


def cut(words: str, most: int) -> str:
    """Escaped for HTML, and not longer than that."""
    return html_module.escape(words if len(words) <= most else words[:most] + "\u2026")


def html(table: Table) -> str:
    heads = [cut(head, HEAD_LENGTH) for head in table.heads]
    lines = [f'<div class="wide" tabindex="0" role="region" aria-label="{heads[0]}">\n'
             "<table>\n<thead><tr>"
             + "".join(f'<th scope="col">{head}</th>' for head in heads)
             + "</tr></thead>\n<tbody>\n"]
    for row in table.rows:
        cells = [cut(cell.text, CELL_LENGTH) for cell in row]
        lines.append(f'<tr><th scope="row">{cells[0]}</th>'
                     + "".join(f"<td>{cell}</td>" for cell in cells[1:]) + "</tr>\n")
    return "".join(lines) + "</tbody></table></div>\n"


class Output:
    """Where tables and the lines around them are printed.  CSV has the tables alone."""

    def __init__(self, form: str = "text", stream: TextIO | None = None):
        self.form = form
        self.stream = stream or sys.stdout
        try:
            columns = os.get_terminal_size(self.stream.fileno()).columns
            self.width = max(columns or WIDTH, WIDTH_MIN)
        except (OSError, ValueError, AttributeError):  # it is no terminal
            self.width = WIDTH

    def write(self, words: str) -> None:
        """All that is printed passes here, and no character that a terminal would obey."""
        self.stream.write(plain_lines(words))

    def gap(self) -> None:
        if self.form != "csv":
            self.write("\n")

    def table(self, table: Table) -> None:
        if self.form == "csv":  # RFC 4180, but lines end with LF
            csv.writer(self, lineterminator="\n").writerows([table.heads, *(
                [cell.text if cell.number is None else cell.number for cell in row]
                for row in table.rows)])
        else:
            self.write(text(table, self.width) if self.form == "text" else
                       {"markdown": markdown, "html": html}[self.form](table))

    def tables(self, *tables: Table) -> None:
        """Prints the tables that have rows, each with an empty line behind it."""
        for table in tables:
            if table.rows:
                self.table(table)
                self.gap()

    def _line(self, markup: str, end: str, element: str, words: str) -> None:
        if self.form == "text":
            self.write(fold(words, self.width) + end)
        elif self.form == "markdown":
            self.write(markup + _markdown(words) + end)
        elif self.form == "html":
            self.write(f"<{element}>{html_module.escape(words)}</{element.split()[0]}>\n")

    heading = partialmethod(_line, "### ", "\n\n", "h3")  # with an empty line behind it
    note = partialmethod(_line, "", "\n", 'p class="note"')  # a paragraph
    item = partialmethod(_line, "- ", "\n", 'p class="note"')  # a line of several
    warning = partialmethod(_line, "- ", "\n", 'p class="warning"')

    def labelled(self, label: str, words: str, indent: int = LABEL) -> None:
        """A text after its label: "note        text"."""
        if self.form == "text":
            self.write(label.ljust(indent) + fold(words, self.width, indent) + "\n")
        else:
            self.item(f"{label}: {words}" if label else words)

    def pairs(self, pairs: list[tuple[str, str]], indent: int = LABEL) -> None:
        """Texts after their labels, those that are not empty."""
        for label, words in pairs:
            if words:
                self.labelled(label, words, indent)
