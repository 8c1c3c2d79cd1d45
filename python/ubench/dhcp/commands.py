# SPDX-License-Identifier: ISC
"""The commands of scripts/dhcp, which data/sweeps/dhcp.sets lists."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ubench import paths

PROGRAM = "dhcp"


@dataclass(frozen=True)
class CommandSet:
    """A command: a name for one or more basic commands with certain options.

    A basic command stands for itself, with the options that are its defaults.
    """

    name: str  # "rate", or "rate --quick" for what --quick makes of it
    text: str  # for --help
    lines: tuple[tuple[str, ...], ...]  # of words: a basic command and its options

    @property
    def is_basic(self) -> bool:
        """True if it stands for itself."""
        return self.lines[0][0] == self.name

    @property
    def is_quick(self) -> bool:
        """True for what --quick makes of another command."""
        return " " in self.name


def read_commands() -> dict[str, CommandSet]:
    """Return the commands by name, in the order of --help."""
    text = paths.data("sweeps/dhcp.sets").read_text(encoding="utf-8")
    sections = re.findall(r"^(\w.*?): (.*)\n((?: .*\n)+)", text, re.MULTILINE)
    return {
        name: CommandSet(name, help_text, tuple(tuple(line.split()) for line in lines.splitlines()))
        for name, help_text, lines in sections
    }
