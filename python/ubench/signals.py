# SPDX-License-Identifier: ISC
"""The signals that end a program: ^C, SIGTERM and SIGHUP.

A program imports this first, to handle them: what it needs itself loads at once.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def set_handler(handler: Callable[[int, FrameType | None], None]) -> None:
    """Let a function handle the signals; but under nohup(1), which ignores SIGHUP, not that one."""
    for number in ENDING:
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def exit_cleanly() -> None:
    """Let a signal raise SystemExit, so that what was made for the time being is removed."""
    set_handler(_exit)


def _exit(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Hold the signals back until the end of this block."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
