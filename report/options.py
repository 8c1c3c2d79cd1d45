# SPDX-License-Identifier: ISC
"""Command lines from one table of options: the parser, the defaults (a text, parsed like input),
--help and the completion of shells read the same rows."""

from __future__ import annotations

import difflib
import getopt
import textwrap
from typing import Any, NamedTuple

from report import figures, usage

NAMES_WIDTH = 27


class Option(NamedTuple):
    name: str
    # flag, count, share, rate, duration, choice, text; lifetime: a duration, in seconds without a
    # unit; settings: NAME=VALUE, repeatable
    kind: str
    help: str
    arg: str = ""  # its argument's name in --help
    fallback: str | None = None  # the default, as a user would type it; None: unset
    least: float = 0
    most: float = 2**64 - 1
    choices: dict[str, str] | None = None  # and what each means
    letter: str = ""
    group: str = ""  # a heading in --help, on the first row of a group


FORMAT = Option("format", "choice", "form of the tables", "FORMAT", "text", group="Output",
                choices={"text": "", "markdown": "", "csv": "one table, for programs"})
GATE = Option("not-worse-than", "share", "a gate: nothing may be worse by more. Exit "
              "status: 0 passed, 4 worse, 5 unclear, 1 missing", "SHARE", most=0.99)
HELP = Option("help", "flag", "print this and exit", letter="h")


def parse(rows: list[Option], argv: list[str]) -> tuple[dict[str, Any], list[str]]:
    """The values by name, with "_" for "-", and the operands, which may stand between options.
    What was not given and has no default is None, False or [].  Raises Problem."""
    values = {row.name: {"flag": False, "settings": []}.get(row.kind) if row.fallback is None else
              scan(row, row.fallback) for row in rows}
    letters = "".join(row.letter + ":" * (row.kind != "flag") for row in rows if row.letter)
    names = [row.name + "=" * (row.kind != "flag") for row in rows]
    try:
        found, files = getopt.gnu_getopt(argv, letters, names)
    except getopt.GetoptError as why:
        raise _refusal(rows, argv, why) from None
    for typed, text in found:
        row = next(row for row in rows if typed in (f"--{row.name}", f"-{row.letter}"))
        value = scan(row, text)
        values[row.name] = values[row.name] + [value] if row.kind == "settings" else value
    return {name.replace("-", "_"): value for name, value in values.items()}, files


def _refusal(rows: list[Option], argv: list[str], why: getopt.GetoptError):
    row = next((row for row in rows if why.opt in (row.name, row.letter)), None)
    if row and row.kind == "flag":
        return usage(f"--{row.name} takes no value")
    if row:
        return usage(f"--{row.name}: the value {row.arg} is missing")
    if len(why.opt) == 1 and f"--{why.opt}" not in argv:
        return usage(f"-{why.opt}: unknown option; --help lists them")
    return usage(f"--{why.opt}: unknown option"
                 + (nearest(why.opt, [row.name for row in rows], "--") or "; --help lists them"))


def nearest(typed: str, names: list[str], before: str = "") -> str:
    near = difflib.get_close_matches(typed, names, 1, 0.75)
    return f"; did you mean {before}{near[0]}?" if near else ""


def scan_share(text: str) -> float | None:
    value = figures.scan_real(text.removesuffix("%"))
    return value / 100 if value is not None and text.endswith("%") else value


# The kinds that are numbers, and what a text has to be.
NUMBERS = {
    "count": (figures.scan_count, "a whole number (100k and 1M are understood)"),
    "share": (scan_share, "a number in 0..1"),
    "rate": (lambda text: figures.scan_unit(text, figures.SCALES) or None,
             "a number above 0 (0.5 and 20k are understood)"),
    "duration": (figures.scan_duration, "a time with its unit (500ms, 2s, 10m)"),
    "lifetime": (figures.scan_lifetime, "a time (7200, which are seconds, or 90s, 2h)")}
TIMES = ("duration", "lifetime")  # the kinds whose limits are times


def scan(row: Option, text: str):
    """The value of an option that was typed.  Raises Problem."""
    if row.kind == "flag":
        return True
    if row.kind in NUMBERS:
        scan_number, wanted = NUMBERS[row.kind]
        value = scan_number(text)
        if value is None:
            raise usage(f"--{row.name}: '{text}' is not {wanted}")
        if not row.least <= value <= row.most:
            ends = map(figures.duration if row.kind in TIMES else str, (row.least, row.most))
            raise usage(f"--{row.name}: {text} is outside {'..'.join(ends)}")
        return value
    if row.kind == "choice" and text not in row.choices:
        raise usage(f"--{row.name}: '{text}' is not one of {', '.join(row.choices)}"
                    + nearest(text, list(row.choices)))
    if not text:
        raise usage(f"--{row.name}: the value {row.arg} is empty")
    if row.kind != "settings":
        return text
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise usage(f"--{row.name}: '{text}' is not NAME=VALUE")
    return name, value


def help_text(rows: list[Option]) -> str:
    """Every option with its default and the meaning of its values, grouped."""
    lines = []
    for row in rows:
        lines += [row.group] if row.group else []
        letter = f"-{row.letter}," if row.letter else "   "
        names = f"  {letter} --{row.name} {row.arg}".rstrip()
        text = row.help + (f" [{row.fallback}]" if row.fallback is not None else "")
        text += ": " * bool(row.choices) + ", ".join(
            f"{name} ({what})" if what else name for name, what in (row.choices or {}).items())
        wrapped = textwrap.wrap(text, 79 - NAMES_WIDTH)
        if len(names) > NAMES_WIDTH:
            wrapped.insert(0, "")
        lines.append(f"{names:{NAMES_WIDTH + 1}}" + f"\n{'':{NAMES_WIDTH + 1}}".join(wrapped))
    return "\n".join(lines) + "\n"


def list_text(rows: list[Option]) -> str:
    """The table for programs, a line per option: letter, name, flag or arg, the argument's name,
    default, choices, help."""
    return "".join("\t".join([
        row.letter, row.name, "flag" if row.kind == "flag" else "arg", row.arg, row.fallback or "",
        ",".join(row.choices or {}), row.help]) + "\n" for row in rows)
