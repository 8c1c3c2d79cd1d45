# SPDX-License-Identifier: ISC
"""ubench_report site: a public site, with an index of results, a page for each file, and documents.

The index says which store was measured on which machine. It can be sorted by disk, processor,
server and version. No page needs a network.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ubench import cli
from ubench.errors import UsageError
from ubench.records.reader import Complain
from ubench.report.options import add_files
from ubench.report.site.write import write_site

DESCRIPTION = """
Writes a site into a folder: an index of stores and machines, a page with charts
for each file of results, one for all of them together, and, with --documents, the
documents of a checkout as HTML. It needs no network. Making it needs the packages
python3-jinja2, libjs-chart.js and python3-markdown-it."""


def make_parser(program: str) -> cli.Parser:
    """Return the parser of the command's options."""
    parser = cli.Parser(
        program,
        "[OPTION]... -o FOLDER FILE...",
        DESCRIPTION,
        example=f"{program} -o build/site results/*.jsonl",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        type=Path,
        help="folder to write to; an earlier site in it is replaced",
    )
    parser.add_argument(
        "--documents",
        metavar="FOLDER",
        type=Path,
        help="a checkout of ubench, whose documents become part of the site",
    )
    add_files(parser)
    return parser


def run(options: argparse.Namespace, complain: Complain) -> int:
    """Write the site; return the exit status."""
    if options.output is None:
        raise UsageError("no folder was named; add -o FOLDER, such as -o build/site")
    if not options.files:
        raise UsageError("no files were named; try: results/*.jsonl")
    count = write_site(options.output, options.files, options.documents, complain)
    print(f"wrote {count} pages; open {options.output}/index.html")
    return 0
