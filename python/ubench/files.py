# SPDX-License-Identifier: ISC
"""Files that programs write: whether they can, and whether that would lose results."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import re
from pathlib import Path
from typing import BinaryIO

# The first line of a file of results, perhaps cut off. All formats begin with "ubench-".
RESULTS = re.compile(rb'\{.*"format": ?"ubench-')
FIRST_BYTES = 1 << 16  # of a file, which have the format


def has_results(path: Path) -> bool:
    """Return whether the first line of a file is one of results. Raises OSError."""
    with open(path, "rb") as file:
        return RESULTS.match(file.read(FIRST_BYTES)) is not None


def lock(file: BinaryIO) -> None:
    """Wait until no other program adds to a file, and keep others waiting until it is closed.

    Runners do the same. Some file systems have no locks.
    """
    with contextlib.suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX)


def why_not_writable(path: Path) -> str:
    """Return why a file cannot be written or made, "" if it can.

    A program that works for hours asks this before it begins.
    """
    if path.is_dir():
        return f"'{path}' is a directory"
    if os.path.lexists(path):
        return "" if os.access(path, os.W_OK) else f"cannot write to '{path}'"
    is_possible = os.access(path.parent, os.W_OK | os.X_OK)
    return "" if is_possible else f"cannot write to '{path.parent}'"


def replaceable_file(text: str) -> Path:
    """Return the type of an option whose file is written anew, but is never one of results.

    Raises ArgumentTypeError.
    """
    path = Path(text)
    reason = "" if text else "'' is not a file's name"
    reason = reason or why_not_writable(path)
    if not reason and path.is_file() and os.access(path, os.R_OK) and has_results(path):
        reason = f"'{text}' has results of ubench, which would be lost; name another file"
    if reason:
        raise argparse.ArgumentTypeError(reason)
    return path
