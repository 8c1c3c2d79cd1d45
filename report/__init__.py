# SPDX-License-Identifier: ISC
"""The meaning of results: reads the lines that the runners wrote, and compares, tabulates and
explains them.  `ubench_report` is this package's program; docs/internals.md has the modules."""

import re
import sys

# Characters that a terminal would obey, or not show: controls, marks of direction and of no width,
# and codes that are no characters.
UNWANTED = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
                      "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
UNWANTED_IN_LINES = re.compile(f"(?!\n){UNWANTED.pattern}")


class Problem(Exception):
    """A sentence for the user, who can act on it; status is the program's exit status."""

    def __init__(self, text: str, status: int = 1):
        super().__init__(text)
        self.status = status


def usage(text: str) -> Problem:
    """The problem of a command line that cannot be carried out."""
    return Problem(text, 2)


def plain(text: str) -> str:
    """A text of somebody else in one line that a terminal does not obey."""
    return UNWANTED.sub("?", text)


def plain_lines(text: str) -> str:
    """The same for several lines, with their ends."""
    return UNWANTED_IN_LINES.sub("?", text)


def say(text: str) -> None:
    """A message of the program, which begins with the name of the command."""
    print(f"ubench_report {plain(text)}", file=sys.stderr)
