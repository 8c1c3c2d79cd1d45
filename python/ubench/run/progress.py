# SPDX-License-Identifier: ISC
"""How far a campaign is: a bar on a terminal, if rich is installed, and plain lines elsewhere.

Nothing is drawn between two calls of `show`, so that no thread disturbs what is being measured.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from ubench import cli, units
from ubench.terminal import plain

LINE_INTERVAL_S = 60  # between two plain lines
BAR_INTERVAL_S = 0.5  # between two drawings of the bar
BAR_WIDTH = 24


class Progress:
    """Shows how far a program is. This one shows nothing."""

    def show(self, share: float, text: str = "", left_s: float | None = None) -> None:
        """Show that this share of the work, 0 to 1, is done, and how long the rest takes.

        `text`: what it is doing, or what is known so far.
        """

    def print(self, text: str) -> None:
        """Print a line on standard output, which stays."""
        print(plain(text), flush=True)


def status_text(share: float, text: str, left_s: float | None) -> str:
    """Return a line such as "34 %, 2 min left: B/A 1.030 (1.010..1.050)"."""
    left = "" if left_s is None else f", {units.waiting_time(left_s)} left"
    return f"{100 * share:.0f} %{left}" + (f": {text}" if text else "")


class _Lines(Progress):
    """A line on standard error each minute."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._told = time.monotonic()

    def show(self, share: float, text: str = "", left_s: float | None = None) -> None:
        now = time.monotonic()
        if now - self._told >= LINE_INTERVAL_S:
            self._told = now
            cli.say(self._program, status_text(share, text, left_s))


class _Bar(Progress):
    """A bar of rich's, on the last line of the terminal; lines are printed above it."""

    def __init__(self, bar: Any, task: Any) -> None:  # noqa: ANN401 # rich may be missing
        self._bar = bar
        self._task = task
        self._drawn = 0.0

    def show(self, share: float, text: str = "", left_s: float | None = None) -> None:
        left = "" if left_s is None else f"{units.waiting_time(left_s)} left"
        self._bar.update(self._task, completed=share, text=plain(text), left=left)
        now = time.monotonic()
        if now - self._drawn >= BAR_INTERVAL_S:
            self._drawn = now
            self._bar.refresh()


@contextlib.contextmanager
def progress(program: str, *, lines: bool = True) -> Iterator[Progress]:
    """Show progress while the block runs; afterwards the terminal is as it was, even after ^C.

    `lines`: whether plain lines stand in for the bar; False for programs that print a line for
    each run anyway.
    """
    with contextlib.ExitStack() as stack:
        shown: Progress = _Lines(program) if lines else Progress()
        if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            with contextlib.suppress(ImportError):
                shown = _bar(stack)
        yield shown


def _bar(stack: contextlib.ExitStack) -> Progress:
    """Draw a bar until the stack is closed; ImportError if rich is not installed."""
    columns = importlib.import_module("rich.progress")
    console = importlib.import_module("rich.console").Console(stderr=True)
    bar = columns.Progress(
        columns.BarColumn(BAR_WIDTH),
        columns.TaskProgressColumn(),
        columns.TextColumn("{task.fields[left]}", markup=False),
        columns.TextColumn("{task.fields[text]}", markup=False),
        console=console,
        auto_refresh=False,
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
    )
    stack.enter_context(bar)
    return _Bar(bar, bar.add_task("", total=1.0, text="", left=""))
