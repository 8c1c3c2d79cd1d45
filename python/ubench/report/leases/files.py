# SPDX-License-Identifier: ISC
"""The lease files of a server, in the order in which their records were written.

Kea's memfile keeps a log, kea-leases4.csv. Its clean-up (LFC) moves that to kea-leases4.csv.1 and
merges it with the snapshot kea-leases4.csv.2 into kea-leases4.csv.completed, the next snapshot,
which is named .output until it is whole.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

# In the order of their records; dhcpd keeps its previous file with a "~".
PARTS = ("~", ".2", ".1", ".output", ".completed", "")
LOADED = (".2", ".1", ".completed")  # by Kea, with the file itself
NAME = re.compile(
    r"(?P<base>.*?)(?P<part>~|\.2|\.1|\.output|\.completed)?(?P<packed>\.gz)?", re.DOTALL
)


def split_name(path: str) -> tuple[str, str]:
    """Return the name of a server's lease file, and which part of it a file is: "", ".1", ..."""
    match = NAME.fullmatch(path)
    assert match is not None, path  # which the pattern cannot refuse
    return match["base"] + (match["packed"] or ""), match["part"] or ""


def in_order(paths: Sequence[str]) -> list[str]:
    """Return the files in the order of their records.

    If only the lease file itself is given, the parts that Kea would load with it are added.
    """
    named: dict[str, dict[str, str]] = {}
    for path in paths:
        base, part = split_name(path)
        named.setdefault(base, {})[part] = path
    ordered = []
    for base, parts in named.items():
        found = beside(base) if list(parts) == [""] else parts
        ordered += [found[part] for part in PARTS if part in found]
    return ordered


def beside(path: str) -> dict[str, str]:
    """Return the parts of a lease file that exist; the file itself in any case."""
    parts = {part: path + part for part in LOADED if os.path.isfile(path + part)}
    return {**parts, "": path}
