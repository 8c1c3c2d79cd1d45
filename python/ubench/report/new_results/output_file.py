# SPDX-License-Identifier: ISC
"""Files of results that a command adds lines to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ubench import files
from ubench.errors import Problem

FIRST_LINE_MOST = 1 << 16  # bytes of the first line, which has the format at its begin


def append(path: Path, texts: Sequence[str]) -> None:
    """Append lines to a file of results. Raises Problem."""
    if os.path.lexists(path) and not path.is_file():
        raise Problem(f"--output: '{path}' is not a regular file; name a new file")
    try:
        with open(path, "ab+") as file:
            files.lock(file)
            file.seek(0)
            first = file.readline(FIRST_LINE_MOST)
            if first and b'"format":"ubench-' not in first.replace(b": ", b":"):
                raise Problem(
                    f"--output: '{path}' is not a file of ubench results; name a new file"
                )
            file.seek(max(file.seek(0, os.SEEK_END) - 1, 0))
            if file.read(1) not in (b"", b"\n"):
                file.write(b"\n")
            file.write("".join(f"{text}\n" for text in texts).encode())
    except OSError as error:
        raise Problem(f"--output: {path}: {error.strerror}") from None
