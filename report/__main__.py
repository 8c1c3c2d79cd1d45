# SPDX-License-Identifier: ISC
"""ubench_report: finds the command and lets it run.  A command is a module with OPTIONS, SUMMARY,
EPILOG, and run(options, files, complain), which prints and returns the exit status; OPERANDS if
these are not files."""

import errno
import importlib
import os
import sys

from report import Problem, options

COMMANDS = ("answer", "tables", "compare", "duel", "plan", "predict", "page", "show", "merge",
            "crashes")


def module_of(name: str):
    return importlib.import_module(f"report.{name}")


def run_command(name: str, argv: list[str]) -> int:
    command = module_of(name)
    rows = [*command.OPTIONS, options.HELP]
    if argv == ["--list-options"]:
        sys.stdout.write(options.list_text(rows))
        return 0
    values, files = options.parse(rows, argv)
    if values["help"]:
        operands = getattr(command, "OPERANDS", "FILE...")
        sys.stdout.write(f"usage: ubench_report {name} [OPTION]... {operands}\n"
                         f"{options.help_text(rows)}\n{command.EPILOG}\n")
        return 0

    def complain(file: str, line: int, text: str) -> None:
        say(f"{name}: {file}:{line}: {text}; left out")

    return command.run(values, files, complain)


def say(text: str) -> None:
    print(f"ubench_report {text}", file=sys.stderr)


def main(argv: list[str], version: str = "") -> int:
    name = argv[0] if argv else ""
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
        status = run_program(name, argv, version)
        sys.stdout.flush()
        return status
    except Problem as problem:
        say(f"{name}: {problem}")
        status = problem.status
    except OSError as why:
        say(f"{name}: {why.filename or 'standard output'}: {why.strerror}")
        status = 1
    except MemoryError:
        say("out of memory")
        status = 1
    except KeyboardInterrupt:
        status = 130
    try:
        sys.stdout.flush()
    except (OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left is written once more at the end
    return status


def run_program(name: str, argv: list[str], version: str) -> int:
    if name in ("--help", "-h"):
        print("usage: ubench_report COMMAND [OPTION]... [FILE]...\n"
              "Reads what the runners wrote with --output.\n")
        for command in COMMANDS:
            print(f"  {command:10} {module_of(command).SUMMARY}")
        print("\nubench_report COMMAND --help lists its options.")
    elif name in ("--version", "-V"):
        print(f"ubench_report {version}")
    elif name in COMMANDS:
        return run_command(name, argv[1:])
    else:
        what = f"'{argv[0][:40]}' is no command" if argv else "no command was given"
        print(f"ubench_report: {what}; --help lists them", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
