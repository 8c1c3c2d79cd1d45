# SPDX-License-Identifier: ISC
"""Paths of files that a runner reads. Campaigns run it in a folder of its own.

`--trace @NAME` names one of the published traces.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ubench import paths

OPTIONS = ("--sql", "--trace")  # whose value is a path; -w @FILE is known by its "@"


def with_absolute_paths(words: Sequence[str]) -> list[str]:
    """Return the words of a runner with its input files by their absolute paths."""
    return [
        _with_absolute_path(word, words[number - 1] if number else "")
        for number, word in enumerate(words)
    ]


def _with_absolute_path(word: str, before: str) -> str:
    """Return a word, with the absolute path of the input file it names, if any."""
    option, is_pair, value = word.partition("=")
    if before in OPTIONS:
        return _absolute(before, word)
    if is_pair and option in OPTIONS:
        return f"{option}={_absolute(option, value)}"
    at = word.find("@")
    if word[:at] in ("", "-w", "--workload=") and at >= 0:
        return f"{word[: at + 1]}{Path(word[at + 1 :]).absolute()}"
    return word


def _absolute(option: str, path: str) -> str:
    """Return the value of an option that names a file."""
    if option == "--trace" and path.startswith("@"):
        return str(paths.traces() / path[1:])
    return str(Path(path).absolute())
