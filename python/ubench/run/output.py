# SPDX-License-Identifier: ISC
"""Files of results that a campaign adds lines to."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from ubench import files
from ubench.errors import Problem


def output_file(text: str) -> Path:
    """Return the type of --output: a file that does not exist yet or has results.

    The first line of such a file may have been cut off. Raises ArgumentTypeError for an empty
    name, and Problem for a file that is not ours or cannot be written.
    """
    if not text:
        raise argparse.ArgumentTypeError("'' is not a file's name")
    path = Path(text)
    if path.is_file():
        if path.stat().st_size > 0 and not files.has_results(path):
            raise Problem(f"--output: '{text}' is not a file of ubench results; name a new file")
    elif os.path.lexists(path) or text.endswith("/"):
        raise Problem(f"--output: '{text}' is not a regular file; name a new file")
    if reason := files.why_not_writable(path):
        raise Problem(f"--output: {reason}")
    return path


def append_line(path: Path, line: Mapping[str, object] | str) -> None:
    """Add a line of JSON, which is on the disk when this returns.

    A line that was cut off before stays, on a line of its own. Raises Problem.
    """
    if not isinstance(line, str):
        line = json.dumps(line, separators=(",", ":"), ensure_ascii=False)
    try:
        with open(path, "ab+") as file:
            files.lock(file)
            file.seek(max(file.seek(0, os.SEEK_END) - 1, 0))
            if file.read(1) not in (b"", b"\n"):
                file.write(b"\n")
            file.write(line.rstrip("\n").encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise Problem(f"--output: {path}: {error.strerror}") from error


def read_objects(path: Path) -> Iterator[dict[str, object]]:
    """Yield the JSON objects of a file, one per line.

    Damaged lines, and a file that does not exist, have none.
    """
    with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
        for line in file:
            with contextlib.suppress(ValueError, RecursionError):
                value = json.loads(line.decode("utf-8", errors="replace"))
                if isinstance(value, dict):
                    yield value


def lock_folder(folder: Path, busy: str) -> int:
    """Lock a folder until this process, and those that inherit the descriptor, have ended.

    Returns the descriptor. Raises Problem with the text `busy` if another process has the lock.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise Problem(busy) from None
    except OSError:
        pass  # some file systems have no locks
    return descriptor
