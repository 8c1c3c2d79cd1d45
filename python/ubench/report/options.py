# SPDX-License-Identifier: ISC
"""Operands and options that several commands have."""

from __future__ import annotations

from ubench import cli
from ubench.records.reader import Complain, Records
from ubench.report.table import FORMATS
from ubench.units import SECOND_NS

MOST_RESTART_NS = 52 * 24 * 3600 * SECOND_NS
MOST_ALLOWED = 0.99  # of a gate: with 1, a store that does nothing would pass


def add_files(parser: cli.OptionGroup) -> None:
    """Add the files of results, as the operands."""
    parser.add_argument("files", nargs="*", help=cli.HIDDEN)


def add_output(parser: cli.OptionGroup, help_text: str, metavar: str = "FILE") -> None:
    """Add --output, which names a file."""
    parser.add_argument(
        "-O", "--output", type=cli.filled("a file's name"), metavar=metavar, help=help_text
    )


def add_format(parser: cli.OptionGroup) -> None:
    """Add --format."""
    parser.add_argument(
        "--format",
        metavar="FORMAT",
        type=cli.choice(*FORMATS),
        default="text",
        help="form of the tables (text, markdown, or csv: one table, for programs) [%(default)s]",
    )


def add_restart_within(parser: cli.OptionGroup) -> None:
    """Add --restart-within, in nanoseconds."""
    parser.add_argument(
        "--restart-within",
        type=cli.duration(SECOND_NS, MOST_RESTART_NS),
        metavar="TIME",
        default="5m",
        help="time in which all clients restart [%(default)s]",
    )


def add_gate(parser: cli.OptionGroup) -> None:
    """Add --not-worse-than."""
    parser.add_argument(
        "--not-worse-than",
        metavar="SHARE",
        type=cli.share(0, MOST_ALLOWED),
        help="make a gate: nothing may be worse by more than this (exit status: 0 passed, 4 worse, "
        "5 undecided, 1 missing results)",
    )


def leave_out_duels(records: Records, complain: Complain) -> None:
    """Complain of the duels in files whose other results a command takes."""
    for duel in records.duels:
        complain(duel.source, "the line is a duel, which 'ubench_report duels' prints")
