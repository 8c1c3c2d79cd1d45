# SPDX-License-Identifier: ISC
"""The errors that a user can act on."""

from __future__ import annotations


class Problem(Exception):
    """Something that the user can act on; its text is one sentence without a full stop.

    Programs print it after their name and exit with `status`.
    """

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status


class UsageError(Problem):
    """A command line that cannot be carried out: the option, the value, what was expected."""

    def __init__(self, text: str) -> None:
        super().__init__(text, status=2)
