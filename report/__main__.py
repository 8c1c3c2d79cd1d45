# SPDX-License-Identifier: ISC
"""ubench_report: finds the command and lets it run.  A command is a module with OPTIONS, SUMMARY,
EPILOG, and run(options, files, complain), which prints and returns the exit status; OPERANDS if
these are not files."""

import errno
import os
import signal
import sys
from importlib import import_module

from report import Problem, options, say

COMMANDS = ("answer", "tables", "compare", "duel", "plan", "predict", "page", "show", "merge",
            "crashes")
CLOSED_PIPE = 128 + signal.SIGPIPE  # whoever read it, such as head, has seen enough


def run_program(name: str, argv: list[str], version: str) -> int:
    if name in ("--help", "-h"):
        print("usage: ubench_report COMMAND [OPTION]... [FILE]...\n"
              "Reads the results that runners and scripts wrote with --output.\n")
        for command in COMMANDS:
            print(f"  {command:10} {import_module(f'report.{command}').SUMMARY}")
        print("\nubench_report COMMAND --help lists its options.")
        return 0
    if name in ("--version", "-V"):
        print(f"ubench_report {version}")
        return 0
    if name not in COMMANDS:
        what = f"'{name[:40]}' is no command" if argv else "no command was given"
        print(f"ubench_report: {what}; --help lists them", file=sys.stderr)
        return 2
    command = import_module(f"report.{name}")
    rows = [*command.OPTIONS, options.HELP]
    if argv[1:] == ["--list-options"]:
        sys.stdout.write(options.list_text(rows))
        return 0
    values, files = options.parse(rows, argv[1:])
    if values["help"]:
        operands = getattr(command, "OPERANDS", "FILE...")
        sys.stdout.write(f"usage: ubench_report {name} [OPTION]... {operands}\n"
                         f"{options.help_text(rows)}\n{command.EPILOG}\n")
        return 0
    return command.run(values, files, lambda file, line, text: say(
        f"{name}: {file}:{line}: {text}; left out"))


def main(argv: list[str], version: str = "") -> int:
    name, status = argv[0] if argv else "", 1
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
        done = run_program(name, argv, version)
        sys.stdout.flush()
        return done
    except Problem as problem:
        say(f"{name}: {problem}")
        status = problem.status
    except BrokenPipeError:
        status = CLOSED_PIPE
    except OSError as why:
        say(f"{name}: {why.filename or 'standard output'}: {why.strerror}")
    except MemoryError:
        say("out of memory")
    except KeyboardInterrupt:
        status = 130
    try:
        sys.stdout.flush()
    except (OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left is written once more at the end
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
