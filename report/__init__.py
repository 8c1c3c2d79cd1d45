# SPDX-License-Identifier: ISC
"""What results mean: reads the lines that the runners wrote, and compares, tabulates and
explains them.  `ubench_report` is this package's program; docs/internals.md has the modules."""


class Problem(Exception):
    """What a user has to know and can act on; status is the program's exit status."""

    def __init__(self, text: str, status: int = 1):
        super().__init__(text)
        self.status = status


def usage(text: str) -> Problem:
    """The same of a command line that cannot be carried out."""
    return Problem(text, 2)
