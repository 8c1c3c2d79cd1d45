# SPDX-License-Identifier: ISC
"""Text from files, results and other programs, made safe for a terminal."""

from __future__ import annotations

import re

# Characters that a terminal obeys or does not show: controls, marks of direction and of no width,
# surrogates, and code points that are not characters.
UNWANTED = re.compile(
    "[\0-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_UNWANTED_IN_LINES = re.compile(f"(?!\n){UNWANTED.pattern}")


def plain(text: str) -> str:
    """Return the text as one line, with a question mark for each unwanted character."""
    return UNWANTED.sub("?", text)


def plain_lines(text: str) -> str:
    """Return the text with its line ends, blanks for tabs, and question marks for the rest."""
    return _UNWANTED_IN_LINES.sub("?", text.replace("\t", " "))
