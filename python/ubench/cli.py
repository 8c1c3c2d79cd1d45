# SPDX-License-Identifier: ISC
"""Command lines and exit statuses of all programs in Python.

A program makes a `Parser`, adds its options with the types below, and lets `guard` run its main
function. A refusal is one line, "PROGRAM: --option: 'value' is not ..., expected ...", and exit
status 2.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import difflib
import errno
import io
import os
import re
import signal
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from ubench import units
from ubench.errors import Problem, UsageError
from ubench.terminal import plain

Parsed = TypeVar("Parsed")
Number = TypeVar("Number", int, float)

SCREEN_LINES = 24
WIDTH = 80
OPTION_WIDTH = 26  # of the names of options in --help
CLOSED_PIPE = 128 + signal.SIGPIPE  # the reader, such as head, has seen enough
INTERRUPTED = 128 + signal.SIGINT
# Errors of fork(2), and of the pipes to the new process: limits of the system or of ulimit.
NO_PROCESS = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
LIKENESS = 0.75  # of a word and the one that was probably meant
OptionGroup = argparse._ActionsContainer  # a parser, or a group of its options
HIDDEN = argparse.SUPPRESS  # as help: an option that --help does not list


# ---- Types of options: each reads a text, and refuses it with argparse.ArgumentTypeError


def checked(scan: Callable[[str], Parsed | None], expected: str) -> Callable[[str], Parsed]:
    """Return the type of an option whose text `scan` reads.

    A text for which `scan` returns None "is not EXPECTED".
    """

    def check(text: str) -> Parsed:
        value = scan(text)
        if value is None:
            raise argparse.ArgumentTypeError(f"'{text}' is not {expected}")
        return value

    return check


def _within(
    scan: Callable[[str], Number | None], least: float, most: float
) -> Callable[[str], Number | None]:
    """Return `scan` with limits: a value outside them is None."""

    def scan_within(text: str) -> Number | None:
        value = scan(text)
        return value if value is not None and least <= value <= most else None

    return scan_within


def whole_number(least: int = 0, most: int = 2**64 - 1) -> Callable[[str], int]:
    """Return a whole number in limits; 100k and 1M are understood."""
    expected = f"a whole number in {least}..{most}"
    return checked(_within(units.scan_count, least, most), expected)


def number(least: float, most: float, expected: str) -> Callable[[str], float]:
    """Return a decimal number in limits."""
    return checked(_within(units.scan_real, least, most), expected)


def rate(least: float = 0, most: float = 10**9) -> Callable[[str], float]:
    """Return a number above 0 in limits; 0.5 and 20k are understood."""
    limits = f"in {least:.10g}..{most:.10g}" if least else f"above 0, at most {most:.10g}"
    return checked(_within(units.scan_rate, least, most), f"a number {limits} (0.5, 20k)")


def share(least: float = 0, most: float = 1, expected: str = "") -> Callable[[str], float]:
    """Return a share: 0.05 or 5%."""
    expected = expected or f"a share in {least:g}..{most:g} (0.05, 5%)"
    return checked(_within(units.scan_share, least, most), expected)


def duration(least_ns: int, most_ns: int) -> Callable[[str], int]:
    """Return a time with a unit, in nanoseconds: 500ms, 2s, 10m."""
    limits = f"{units.duration_text(least_ns)}..{units.duration_text(most_ns)}"
    expected = f"a time with a unit in {limits} (such as 500ms, 2s or 10m)"
    return checked(_within(units.scan_duration, least_ns, most_ns), expected)


def lifetime(least_ns: int, most_ns: int) -> Callable[[str], int]:
    """Return a lifetime of leases, in nanoseconds; without a unit in seconds, as in Kea's files."""
    limits = f"{units.duration_text(least_ns)}..{units.duration_text(most_ns)}"
    expected = f"a time in {limits} (7200, in seconds, or 90s, 2h)"
    return checked(_within(units.scan_lifetime, least_ns, most_ns), expected)


def matching(pattern: str, expected: str) -> Callable[[str], str]:
    """Return a text that a regular expression matches as a whole."""
    return checked(lambda text: text if re.fullmatch(pattern, text) else None, expected)


def filled(expected: str) -> Callable[[str], str]:
    """Return a text that is not empty, such as "a file's name"."""
    return checked(lambda text: text or None, expected)


def name_value(text: str) -> tuple[str, str]:
    """Return the name and the value of NAME=VALUE; the value can be empty."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return name, value


def comma_list(text: str) -> list[str]:
    r"""Return values with commas between them: "a,b\,c" is a and b,c."""
    values = [part.replace("\0", ",") for part in text.replace("\\,", "\0").split(",")]
    if "" in values:
        raise argparse.ArgumentTypeError(f"'{text}' has an empty value")
    return values


@dataclass(frozen=True)
class Choice:
    """One of some words; shells complete them."""

    words: tuple[str, ...]

    def __call__(self, text: str) -> str:
        """Return the word, or raise argparse.ArgumentTypeError."""
        if text not in self.words:
            hint = suggestion(text, self.words)
            raise argparse.ArgumentTypeError(f"'{text}' is not {alternatives(self.words)}{hint}")
        return text


def choice(*words: str) -> Choice:
    """Return one of these words."""
    return Choice(words)


def alternatives(words: Sequence[str]) -> str:
    """Return words as a choice: "text, markdown or csv"."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def suggestion(typed: str, words: Sequence[str]) -> str:
    """Return "; did you mean WORD?" if a word is much like the typed one, else ""."""
    close = difflib.get_close_matches(typed, words, n=1, cutoff=LIKENESS)
    return f"; did you mean {close[0]}?" if close else ""


# ---- The parser


class _HelpAction(argparse.Action):
    """--help and --help all: prints the help and exits."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        if values == "all" or not isinstance(parser, Parser):
            sys.stdout.write(parser.format_help())
        else:
            sys.stdout.write(parser.format_brief_help())
        raise SystemExit(0)


class _ListAction(argparse.Action):
    """--list-options: prints the options for the completion of shells, and exits."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        if isinstance(parser, Parser):
            sys.stdout.write(parser.list_options())
        raise SystemExit(0)


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Prints "-n, --count N" and breaks no word at a hyphen, which could be an option's."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=OPTION_WIDTH, width=WIDTH)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        argument = self._format_args(action, action.dest.upper())
        return f"{', '.join(action.option_strings)} {argument}"

    def _split_lines(self, text: str, width: int) -> list[str]:
        return fold(" ".join(text.split()), width)


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError, one line, instead of printing the usage.

    Add options with `add_argument`, as to any ArgumentParser; "[%(default)s]" at the end of a help
    text prints the default. `usage` follows the program's name; each of its lines is another form
    of the command. `description` has paragraphs, of which --help prints `brief`. --help prints as
    many options as a screen has lines for, in the order in which they were added, and the example.
    --help all prints everything. What `parse` returns has the program's name as `program`.
    """

    def __init__(  # noqa: PLR0913 # half of them are named and optional
        self,
        program: str,
        usage: str,
        description: str,
        *,
        example: str = "",
        ending: str = "",
        brief: int = 1,
    ) -> None:
        forms = "\n       ".join(f"{program} {form}" for form in usage.splitlines())
        description = _folded(description)
        parts = (f"Example:\n{_indent(example)}" if example else "", ending.strip("\n"))
        super().__init__(
            prog=program,
            usage=forms,
            description=description,
            epilog="\n\n".join(part for part in parts if part),
            formatter_class=_HelpFormatter,
            add_help=False,
            allow_abbrev=False,
            exit_on_error=False,
        )
        self._brief_description = "\n\n".join(description.split("\n\n")[:brief])
        self._brief_ending = parts[0]
        self.set_defaults(program=program)
        self.add_argument(
            "-h",
            "--help",
            action=_HelpAction,
            nargs="?",
            type=choice("all"),
            metavar="all",
            dest=argparse.SUPPRESS,
            default=argparse.SUPPRESS,
            help="print this, or all options and their meaning, and exit",
        )
        self.add_argument(
            "--list-options",
            action=_ListAction,
            nargs=0,
            dest=argparse.SUPPRESS,
            default=argparse.SUPPRESS,
            help=HIDDEN,
        )

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """Parse a command line; operands can stand between options. Raises UsageError."""
        # Intermixed parsing loses "--", after which words with a dash are operands.
        parse = self.parse_known_args if "--" in words else self.parse_known_intermixed_args
        try:
            values, unknown = parse(words)
        except argparse.ArgumentError as error:
            raise UsageError(f"{_option_name(error.argument_name)}{error.message}") from None
        if unknown:
            raise UsageError(self._refusal(unknown[0]))
        return values

    def error(self, message: str) -> NoReturn:
        """Raise UsageError, where argparse finds fault with the command as a whole."""
        raise UsageError(message)

    def _refusal(self, word: str) -> str:
        """Return why a word that is neither an option nor an operand is refused."""
        if not word.startswith("-") or word == "-":
            return f"'{word}': unexpected argument; --help lists the options"
        name = word.partition("=")[0]
        if not name.startswith("--"):
            name = name[:2]  # without its value, which can be secret
        names = [option for action in self._actions for option in action.option_strings]
        hint = suggestion(name, names) or "; --help lists the options"
        return f"{name}: unknown option{hint}"

    def format_brief_help(self) -> str:
        """Return --help: what fits on a screen."""
        if self.format_help().count("\n") <= SCREEN_LINES:
            return self.format_help()
        actions = [
            _shortened(action)
            for action in self._actions
            if action.help != argparse.SUPPRESS and not isinstance(action, _HelpAction)
        ]
        text = self._format_brief(actions)
        while actions and text.count("\n") > SCREEN_LINES:
            actions.pop()
            text = self._format_brief(actions)
        return text

    def _format_brief(self, actions: Sequence[argparse.Action]) -> str:
        formatter = _HelpFormatter(self.prog)
        formatter.add_usage(self.usage, actions, [])
        formatter.add_text(self._brief_description)
        formatter.start_section("options")
        formatter.add_arguments(actions)
        formatter.end_section()
        formatter.add_text("--help all lists every option and the meaning of its values.")
        formatter.add_text(self._brief_ending)
        return formatter.format_help()

    def list_options(self) -> str:
        """Return the options for programs, a line for each, with tabs between its fields.

        Letter, name, "flag" or "arg", the argument's name, default, choices, help: as the runners
        list theirs.
        """
        options = (action for action in self._actions if action.option_strings)
        rows = [_fields(action) for action in options if not isinstance(action, _ListAction)]
        return "".join("\t".join(row) + "\n" for row in rows)


def fold(text: str, width: int) -> list[str]:
    """Return the lines of a text that is folded between words."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _folded(text: str) -> str:
    """Return paragraphs folded to the width of the help; those with indented lines stay."""
    return "\n\n".join(
        paragraph if re.search("^ ", paragraph, re.MULTILINE) else "\n".join(fold(paragraph, WIDTH))
        for paragraph in text.strip("\n").split("\n\n")
    )


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.strip("\n").splitlines())


def _option_name(names: str | None) -> str:
    """Return "--count: " of argparse's "-n/--count", and "" of None."""
    if not names:
        return ""
    options = names.split("/") if names.startswith("-") else [names]
    name = next((option for option in options if option.startswith("--")), options[0])
    return f"{name}: "


def _shortened(action: argparse.Action) -> argparse.Action:
    """Return a copy of an option with the first clause of its help, and its default if it fits."""
    text = action.help or ""
    clause = re.split(r"[;(\[]", text)[0].strip()
    default = re.search(r"\[[^][]+\]$", text)
    if default:
        whole = f"{clause} {default[0]}".strip()
        if len(whole % {**vars(action), "prog": ""}) <= WIDTH - OPTION_WIDTH:
            clause = whole
    short = copy.copy(action)
    short.help = clause
    return short


def _fields(action: argparse.Action) -> list[str]:
    """Return the fields of an option in --list-options."""
    letters = [name[1:] for name in action.option_strings if not name.startswith("--")]
    names = [name[2:] for name in action.option_strings if name.startswith("--")]
    text = "" if action.help in (None, argparse.SUPPRESS) else str(action.help)
    return [
        letters[0] if letters else "",
        names[0] if names else "",
        "flag" if action.nargs == 0 else "arg",
        str(action.metavar or ""),
        action.default if isinstance(action.default, str) else "",
        ",".join(action.type.words) if isinstance(action.type, Choice) else "",
        text % {**vars(action), "prog": ""},
    ]


# ---- Running a program


def say(program: str, text: str) -> None:
    """Print a message on standard error: one line, after the program's name."""
    with contextlib.suppress(OSError):
        print(f"{program}: {plain(text)}", file=sys.stderr, flush=True)


class _ClosedOutput(io.TextIOBase):
    """Stands for a standard output that was closed before the program began."""

    def write(self, text: str, /) -> int:
        """Raise OSError, as a write to a closed descriptor does."""
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def guard(
    program: str, main: Callable[[Sequence[str]], int], words: Sequence[str] | None = None
) -> int:
    """Run a program's main function with the words of its command line; return the exit status.

    Problems and errors of the system become one line on standard error. A closed pipe (141) and
    ^C (130) end the program without a word.
    """
    _prepare_streams()
    status = 1
    try:
        status = main(sys.argv[1:] if words is None else words)
        sys.stdout.flush()
        return status
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except Problem as problem:
        say(program, str(problem))
        status = problem.status
    except BrokenPipeError:
        status = CLOSED_PIPE
    except OSError as error:
        say(program, f"{_place_of(error)}: {error.strerror or error}")
        status = 1
    except MemoryError:
        say(program, "out of memory")
    except KeyboardInterrupt:
        status = INTERRUPTED
    return _flush(program, status)


def _place_of(error: OSError) -> str:
    """Return what an error of the system is about."""
    if error.filename:
        return plain(os.fsdecode(error.filename))
    return "cannot start a process" if error.errno in NO_PROCESS else "standard output"


def _prepare_streams() -> None:
    """Let standard output take every text, a line at a time, and stand in for closed streams."""
    _reserve_descriptors()
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 # until the program ends
    if sys.stderr is None:  # else messages would go to standard output
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = _ClosedOutput()
    elif isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace", line_buffering=True)


def _reserve_descriptors() -> None:
    """Open those of the descriptors 0, 1 and 2 that are closed, so that no file becomes one.

    Programs that are started inherit them, as they would open files of their own there.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            lowest_free = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(lowest_free, True)


def _flush(program: str, status: int) -> int:
    """Write what is left on standard output; return the exit status."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        status = CLOSED_PIPE
    except OSError as error:
        if status == 0:
            say(program, f"standard output: {error.strerror}")
            status = 1
    else:
        return status
    # Python flushes again when it exits, to a place where that cannot fail.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status
