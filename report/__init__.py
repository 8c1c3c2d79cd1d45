# SPDX-License-Identifier: ISC
"""The meaning of results: reads the lines that the runners wrote, and compares, tabulates and
explains them.  `ubench_report` is this package's program; docs/internals.md has the modules."""

import sys


class Problem(Exception):
    """A sentence for the user, who can act on it; status is the program's exit status."""

    def __init__(self, text: str, status: int = 1):
        super().__init__(text)
        self.status = status


def usage(text: str) -> Problem:
    """The problem of a command line that cannot be carried out."""
    return Problem(text, 2)


def say(text: str) -> None:
    """A message of the program, which begins with the name of the command."""
    print(f"ubench_report {text}", file=sys.stderr)
