# SPDX-License-Identifier: ISC
"""Tables and the lines around them, in all forms."""

from __future__ import annotations

import io
import re

import pytest

from ubench.report import table
from ubench.report.table import Output, Table, TableCell, numbers, texts

FORMS = ("text", "markdown", "csv", "html")


def small():
    made = Table([*texts("store"), *numbers("rate", "runs")])
    made.add("memfile", TableCell("1,000", 1000.5), None)
    return made


def test_forms_have_the_same_cells():
    assert table.text(small()) == "store     rate  runs\nmemfile  1,000   n/a\n"
    assert table.markdown(small()) == (
        "| store | rate | runs |\n|---|---:|---:|\n| memfile | 1,000 | n/a |\n"
    )
    assert table.csv_text(small()) == "store,rate,runs\nmemfile,1000.5,\n"
    assert "<td>1,000</td><td>n/a</td>" in table.html_table(small())


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_wide_table_is_cut(width):
    made = Table([*texts("name"), *numbers(*(f"column {number}" for number in range(9)))])
    made.add("a name that is rather long for a first column", *range(9))
    text = table.text(made, width)
    assert sorted({int(digit) for digit in re.findall(r"(?<= )\d(?=\s)", text)}) == list(range(9))
    assert max(map(len, text.splitlines())) <= max(width, 45)


def test_a_long_first_cell_has_a_line_once():
    made = Table([*texts("name"), *numbers("a" * 30)])
    for number in (1, 2):
        made.add("a name that is rather long", number)
    assert table.text(made, 40).count("a name") == 1


def test_text_of_files_is_not_markup():
    made = Table([*texts("<b>"), *numbers("a|b")])
    made.add("<script>", "[x](y) `z`")
    assert "&lt;script&gt;" in table.html_table(made)
    assert "<b>" not in table.html_table(made)
    assert r"| &lt;script> | [x\](y) \`z\` |" in table.markdown(made)


def test_html_cuts_what_is_long():
    made = Table(texts("h" * 50))
    made.add("c" * 300)
    html = table.html_table(made)
    assert f"{'h' * table.HEAD_LENGTH}\u2026" in html
    assert f">{'c' * table.CELL_LENGTH}\u2026<" in html


def test_fold():
    lines = table.fold_labelled("word " * 50, 40, 14).splitlines()
    assert all(line.startswith(" " * 14) and len(line) <= 40 for line in lines[1:])
    assert table.fold_labelled("a b", 2) == "a\nb"


@pytest.mark.parametrize("form", FORMS)
def test_no_character_is_obeyed_by_a_terminal(form):
    bad = "a\x1b[31m\x9b\x07\r\u202e\ud800b"
    stream = io.StringIO()
    out = Output(form, stream)
    for show in (out.note, out.heading, out.item, out.warning):
        show(bad)
    out.labelled("x", bad)
    made = Table([*texts("store"), *numbers("rate")])
    made.add(bad, 1)
    out.table(made)
    assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", stream.getvalue())
    assert "a?[31m?????b" in stream.getvalue()


def printed(form):
    stream = io.StringIO()
    out = Output(form, stream)
    out.heading("A < B")
    out.tables(small(), Table(texts("empty")))
    out.pairs([("note", "text"), ("none", "")])
    out.gap()
    out.note("end")
    return stream.getvalue()


def test_lines_around_tables():
    assert printed("text") == (
        "A < B\n\nstore     rate  runs\nmemfile  1,000   n/a\n\nnote          text\n\nend\n"
    )
    assert printed("markdown").startswith("### A < B\n\n| store |")
    assert printed("markdown").endswith("\n\n- note: text\n\nend\n")
    assert printed("html").startswith("<h3>A &lt; B</h3>\n<div")
    assert printed("html").endswith('<p class="note">note: text</p>\n\n<p class="note">end</p>\n')
    assert printed("csv") == table.csv_text(small())
