# SPDX-License-Identifier: ISC
"""ubench_report: finds the command and runs it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Protocol, cast

from ubench import __version__, cli, signals
from ubench.errors import UsageError
from ubench.records.observation import Source

NAME = "ubench_report"
SUMMARIES: Mapping[str, str] = {
    "answer": "which stores are fast enough, and what durability costs",
    "demand": "what the clients in a server's lease files require",
    "trace": "a trace made from a server's lease files, for runners to replay",
    "tables": "the tables of the 2012 guide, two for each durability class",
    "compare": "whether groups of results differ, and by how much",
    "duels": "which of two configurations that took turns is faster, and by how much",
    "page": "one HTML page with charts and tables",
    "site": "a public site: an index, a page for each file, the documents",
    "show": "everything in a result: settings, all quantiles, the machine",
    "crashes": "what stores lost in crashes, and how sure that is",
    "disk": "how long the disk of a directory takes to sync",
    "import": "turns what perfdhcp printed into results",
    "contribute": "makes your results ready to be published with ubench",
}
ALIASES: Mapping[str, str] = {"duel": "duels"}
# The modules of commands that are not by their names in this package.
MODULES: Mapping[str, str] = {
    "disk": "new_results.disk",
    "import": "new_results.importing",
    "demand": "leases.demand",
    "trace": "leases.trace",
}


class Command(Protocol):
    """A module with a command."""

    def make_parser(self, program: str) -> cli.Parser:
        """Return the parser of the command's options."""

    def run(self, options: argparse.Namespace, complain: Callable[[Source, str], None]) -> int:
        """Run the command; return the exit status."""


def main(words: Sequence[str] | None = None, version: str = __version__) -> int:
    """Run ubench_report; return its exit status."""
    words = sys.argv[1:] if words is None else words
    name = words[0] if words else ""
    command = ALIASES.get(name, name)
    if command not in SUMMARIES:
        return cli.guard(NAME, lambda words: run_alone(words, version), words)
    program = f"{NAME} {command}"
    if command != name:
        cli.say(f"{NAME} {name}", f"the name of this command is {command}: {program}")
    return cli.guard(program, lambda words: run_command(command, program, words[1:]), words)


def run_alone(words: Sequence[str], version: str) -> int:
    """Carry out a command line without a command."""
    name = words[0] if words else ""
    if name in ("-h", "--help"):
        print(f"usage: {NAME} COMMAND [OPTION]... [FILE]...")
        print("Reads the results that runners and scripts wrote with --output.\n")
        for command, summary in SUMMARIES.items():
            print(f"  {command:10} {summary}")
        print(f"\n{NAME} COMMAND --help lists its options.")
        return 0
    if name in ("-V", "--version"):
        print(f"{NAME} {version}")
        return 0
    if not words:
        raise UsageError("no command was given; --help lists them")
    hint = cli.suggestion(name, list(SUMMARIES)) or "; --help lists them"
    raise UsageError(f"'{name[:40]}' is not a command{hint}")


def run_command(command: str, program: str, words: Sequence[str]) -> int:
    """Import a command, as most need neither its modules nor its libraries, and run it."""
    signals.exit_cleanly()
    module = cast(Command, import_module(f"ubench.report.{MODULES.get(command, command)}"))
    options = module.make_parser(program).parse(words)

    def complain(source: Source, why: str) -> None:
        cli.say(program, f"{source}: {why}; left out")

    return module.run(options, complain)


if __name__ == "__main__":
    sys.exit(main())
