# SPDX-License-Identifier: ISC
"""Tables, and the lines around them, as text, Markdown, CSV or HTML, from the same cells."""

from __future__ import annotations

import csv
import html
import io
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TextIO

from ubench.terminal import plain_lines

WIDTH = 80  # of a line, without a terminal
LEAST_WIDTH = 40  # of a line, however narrow the terminal is
LABEL_WIDTH = 14  # of the labels before texts
# Text: the first column has at least this width beside all other columns; if they leave less,
# they follow in tables of their own, where it has up to FIRST_WIDTH_SLICED.
FIRST_WIDTH = 8
FIRST_WIDTH_SLICED = 24
# HTML: heads and cells can hold text of files, and are cut.
HEAD_LENGTH = 40
CELL_LENGTH = 200

FORMATS = ("text", "markdown", "csv")  # that --format offers; the page also has "html"


# ---- What a table consists of


@dataclass(frozen=True)
class Column:
    """The head of a column; numbers stand at its right edge."""

    head: str
    numeric: bool = False


def texts(*heads: str) -> tuple[Column, ...]:
    """Return columns of texts."""
    return tuple(Column(head) for head in heads)


def numbers(*heads: str) -> tuple[Column, ...]:
    """Return columns of numbers."""
    return tuple(Column(head, numeric=True) for head in heads)


@dataclass(frozen=True)
class TableCell:
    """A text for people, and a number for programs if that is not the same."""

    text: str
    number: str | int | float | None = None


class Table:
    """Columns, and rows that are added one after the other.

    A cell is a TableCell, a text, a number, or None, which is `absent` in a table and nothing in
    CSV.
    """

    def __init__(self, columns: Iterable[Column], absent: str = "n/a") -> None:
        self.columns = tuple(columns)
        self.absent = absent
        self.rows: list[tuple[TableCell, ...]] = []

    def add(self, *cells: TableCell | str | int | float | None) -> None:
        """Add a row, which has a cell for each column."""
        assert len(cells) == len(self.columns), f"{len(cells)} cells below {self.heads}"
        self.rows.append(tuple(self._cell(cell) for cell in cells))

    def _cell(self, cell: TableCell | str | int | float | None) -> TableCell:
        if isinstance(cell, TableCell):
            return cell
        return TableCell(self.absent, "") if cell is None else TableCell(str(cell))

    @property
    def heads(self) -> list[str]:
        """The heads of the columns."""
        return [column.head for column in self.columns]

    def only(self, *heads: str) -> Table:
        """Return a table of some of the columns."""
        places = [self.heads.index(head) for head in heads]
        part = Table((self.columns[place] for place in places), self.absent)
        part.rows = [tuple(row[place] for place in places) for row in self.rows]
        return part

    def lines(self) -> list[list[str]]:
        """Return the texts of the heads, then of each row."""
        return [self.heads, *([cell.text for cell in row] for row in self.rows)]


# ---- Text


def fold_labelled(words: str, width: int, indent: int = 0) -> str:
    """Return words in lines of a width.

    All lines but the first, before which a label stands, begin with `indent` blanks.
    """
    blanks = " " * indent
    folded = textwrap.fill(
        words,
        width,
        initial_indent=blanks,
        subsequent_indent=blanks,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return folded[indent:]


def text(table: Table, width: int = WIDTH) -> str:
    """Return a table whose columns are as wide as their widest cell.

    If a line would be too long, a long text in the first column has a line of its own, and the
    columns that do not fit follow as another table.
    """
    lines = table.lines()
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rest = width - sum(2 + column_width for column_width in widths[1:])
    widths[0] = min(widths[0], rest if rest >= FIRST_WIDTH else FIRST_WIDTH_SLICED)
    parts = (_text_of_columns(table, lines, widths, part) for part in _slices(widths, width))
    return "\n".join(parts)


def _slices(widths: Sequence[int], width: int) -> list[list[int]]:
    """Return the numbers of the columns that fit beside each other, each time with the first."""
    slices = [[0]]
    rest = width - widths[0]
    for column in range(1, len(widths)):
        if 2 + widths[column] > rest and slices[-1] != [0]:
            slices.append([0])
            rest = width - widths[0]
        slices[-1].append(column)
        rest -= 2 + widths[column]
    return slices


def _text_of_columns(
    table: Table, lines: Sequence[Sequence[str]], widths: Sequence[int], columns: Sequence[int]
) -> str:
    """Return some columns of all lines.

    A first cell that is too wide has a line of its own, unless it is as in the line above.
    """
    printed = []
    above = ""
    for line in lines:
        is_alone = len(line[0]) > widths[0]
        if is_alone and line[0] != above:
            printed.append(line[0])
        above = line[0]
        cells = ["" if is_alone and column == 0 else line[column] for column in columns]
        padded = [
            cell.rjust(widths[column]) if table.columns[column].numeric
            else cell.ljust(widths[column])
            for column, cell in zip(columns, cells, strict=True)
        ]
        printed.append("  ".join(padded).rstrip())
    return "".join(f"{line}\n" for line in printed)


# ---- The other forms


def markdown(table: Table) -> str:
    """Return a table of GitHub's Markdown."""
    lines = [_markdown_line([_escape_markdown(cell) for cell in line]) for line in table.lines()]
    sides = ["---:" if column.numeric else "---" for column in table.columns]
    rule = "|" + "".join(f"{side}|" for side in sides) + "\n"
    return "".join([lines[0], rule, *lines[1:]])


def _markdown_line(cells: Sequence[str]) -> str:
    return "|" + "".join(f" {cell} |" for cell in cells) + "\n"


def _escape_markdown(words: str) -> str:
    """Return words that begin neither an element of HTML, nor a link, nor another column."""
    return re.sub(r"([|`]|\](?=[(\[:]))", r"\\\1", re.sub("<(?! )", "&lt;", words))


def escape_html(words: str, most: int) -> str:
    """Return words for HTML, cut to at most `most` characters."""
    return html.escape(words if len(words) <= most else words[:most] + "\u2026")


def html_table(table: Table) -> str:
    """Return a table of HTML, in an element that scrolls if it is wide."""
    heads = [escape_html(head, HEAD_LENGTH) for head in table.heads]
    head_cells = "".join(f'<th scope="col">{head}</th>' for head in heads)
    lines = [
        f'<div class="wide" tabindex="0" role="region" aria-label="{heads[0]}">\n',
        f"<table>\n<thead><tr>{head_cells}</tr></thead>\n<tbody>\n",
    ]
    for row in table.rows:
        first, *others = [escape_html(cell.text, CELL_LENGTH) for cell in row]
        cells = "".join(f"<td>{cell}</td>" for cell in others)
        lines.append(f'<tr><th scope="row">{first}</th>{cells}</tr>\n')
    return "".join(lines) + "</tbody></table></div>\n"


def csv_text(table: Table) -> str:
    """Return a table of RFC 4180, except that lines end with LF."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.heads)
    for row in table.rows:
        writer.writerow([cell.text if cell.number is None else cell.number for cell in row])
    return stream.getvalue()


class Form:
    """A form of output. This one has no lines around its tables, and is that of CSV."""

    def table(self, table: Table) -> str:
        """Return a table."""
        return csv_text(table)

    def gap(self) -> str:
        """Return what separates tables and paragraphs."""
        return ""

    def heading(self, words: str) -> str:
        """Return a heading, with an empty line after it."""
        return ""

    def note(self, words: str) -> str:
        """Return a paragraph."""
        return ""

    def item(self, words: str) -> str:
        """Return one line of several."""
        return ""

    def warning(self, words: str) -> str:
        """Return a line that warns."""
        return ""

    def labelled(self, label: str, words: str, indent: int) -> str:
        """Return a text after its label, in columns if the form has columns."""
        return self.item(f"{label}: {words}" if label else words)


class TextForm(Form):
    """Text for a terminal of a width."""

    def __init__(self, width: int) -> None:
        self.width = width

    def table(self, table: Table) -> str:
        """Return a table."""
        return text(table, self.width)

    def gap(self) -> str:
        """Return an empty line."""
        return "\n"

    def heading(self, words: str) -> str:
        """Return a heading, with an empty line after it."""
        return fold_labelled(words, self.width) + "\n\n"

    def note(self, words: str) -> str:
        """Return a paragraph."""
        return fold_labelled(words, self.width) + "\n"

    def item(self, words: str) -> str:
        """Return one line of several."""
        return self.note(words)

    def warning(self, words: str) -> str:
        """Return a line that warns."""
        return self.note(words)

    def labelled(self, label: str, words: str, indent: int) -> str:
        """Return a text after its label, in two columns."""
        return label.ljust(indent) + fold_labelled(words, self.width, indent) + "\n"


class MarkdownForm(Form):
    """GitHub's Markdown."""

    def table(self, table: Table) -> str:
        """Return a table."""
        return markdown(table)

    def gap(self) -> str:
        """Return an empty line."""
        return "\n"

    def heading(self, words: str) -> str:
        """Return a heading, with an empty line after it."""
        return f"### {_escape_markdown(words)}\n\n"

    def note(self, words: str) -> str:
        """Return a paragraph."""
        return _escape_markdown(words) + "\n"

    def item(self, words: str) -> str:
        """Return an item of a list."""
        return f"- {_escape_markdown(words)}\n"

    def warning(self, words: str) -> str:
        """Return an item of a list."""
        return self.item(words)


class HtmlForm(Form):
    """Elements of the page."""

    def table(self, table: Table) -> str:
        """Return a table."""
        return html_table(table)

    def gap(self) -> str:
        """Return an empty line."""
        return "\n"

    def heading(self, words: str) -> str:
        """Return a heading."""
        return f"<h3>{html.escape(words)}</h3>\n"

    def note(self, words: str) -> str:
        """Return a paragraph."""
        return f'<p class="note">{html.escape(words)}</p>\n'

    def item(self, words: str) -> str:
        """Return a paragraph."""
        return self.note(words)

    def warning(self, words: str) -> str:
        """Return a paragraph that warns."""
        return f'<p class="warning">{html.escape(words)}</p>\n'


class Output:
    """Where a command prints its tables and the lines around them."""

    def __init__(self, form: str = "text", stream: TextIO | None = None) -> None:
        self.form = form
        self.stream = stream or sys.stdout
        self.width = _terminal_width(self.stream)
        forms = {"csv": Form, "markdown": MarkdownForm, "html": HtmlForm}
        self._form = TextForm(self.width) if form == "text" else forms[form]()

    def write(self, words: str) -> None:
        """Print words, without any character that a terminal obeys. All output passes here."""
        self.stream.write(plain_lines(words))

    def gap(self) -> None:
        """Print an empty line."""
        self.write(self._form.gap())

    def table(self, table: Table) -> None:
        """Print a table."""
        self.write(self._form.table(table))

    def tables(self, *tables: Table) -> None:
        """Print the tables that have rows, each with an empty line after it."""
        for table in tables:
            if table.rows:
                self.table(table)
                self.gap()

    def heading(self, words: str) -> None:
        """Print a heading, with an empty line after it."""
        self.write(self._form.heading(words))

    def note(self, words: str) -> None:
        """Print a paragraph."""
        self.write(self._form.note(words))

    def item(self, words: str) -> None:
        """Print one line of several."""
        self.write(self._form.item(words))

    def warning(self, words: str) -> None:
        """Print a line that warns."""
        self.write(self._form.warning(words))

    def labelled(self, label: str, words: str, indent: int = LABEL_WIDTH) -> None:
        """Print a text after its label: "note        text"."""
        self.write(self._form.labelled(label, words, indent))

    def pairs(self, pairs: Iterable[tuple[str, str]], indent: int = LABEL_WIDTH) -> None:
        """Print texts after their labels, except those that are empty."""
        for label, words in pairs:
            if words:
                self.labelled(label, words, indent)


def _terminal_width(stream: TextIO) -> int:
    """Return the width of the terminal that a stream goes to, or WIDTH if it goes elsewhere."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return WIDTH
    return max(columns or WIDTH, LEAST_WIDTH)
