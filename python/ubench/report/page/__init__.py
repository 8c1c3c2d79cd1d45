# SPDX-License-Identifier: ISC
"""ubench_report page: one HTML page with charts, and a form for the reader's own site.

The page needs no network: its script, its style, Chart.js and all data are part of the file.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ubench import cli
from ubench.errors import Problem
from ubench.files import replaceable_file
from ubench.records import reader
from ubench.records.reader import Complain
from ubench.report.leases.demand import count_files
from ubench.report.options import add_files
from ubench.report.page.contents import contents_of
from ubench.report.page.document import write_page

TITLE = "DHCP lease stores, measured"
DESCRIPTION = """
Writes one HTML page with charts of results, the tables behind them, and a form that answers for
your own site which stores are fast enough. The page needs no network. Making it needs the packages
python3-jinja2 and libjs-chart.js.
"""


def page_file(text: str) -> Path | None:
    """Return the type of --output: the file to write, None for standard output."""
    return None if text == "-" else replaceable_file(text)


def make_parser(program: str) -> cli.Parser:
    """Return the parser of the command's options."""
    parser = cli.Parser(
        program, "[OPTION]... FILE...", DESCRIPTION, example=f"{program} out.jsonl -o report.html"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=page_file,
        metavar="FILE",
        default="-",
        help="file to write; '-' is standard output [-]",
    )
    parser.add_argument(
        "-t",
        "--title",
        metavar="TEXT",
        default=TITLE,
        help="heading of the page [%(default)s]",
    )
    parser.add_argument(
        "--leases",
        metavar="FILE",
        type=cli.filled("a file's name"),
        action="append",
        default=[],
        help="also draw what the clients in this lease file require, as demand prints it; "
        "repeatable",
    )
    add_files(parser)
    return parser


def run(options: argparse.Namespace, complain: Complain) -> int:
    """Write the page; return the exit status."""
    files_can_be_missing = options.leases and not options.files
    records = (
        reader.Records() if files_can_be_missing else reader.read_records(options.files, complain)
    )
    census = count_files(options.leases, options.program) if options.leases else None
    if not records and census is None:
        raise reader.nothing_in(options.files)
    page = write_page(options.title, contents_of(records, census))
    if options.output is None:
        print(page)
        return 0
    try:
        options.output.write_text(page, encoding="utf-8")
    except OSError as why:
        raise Problem(f"{options.output}: {why.strerror}") from None
    return 0
