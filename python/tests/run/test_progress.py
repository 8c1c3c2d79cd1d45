# SPDX-License-Identifier: ISC
"""Progress: a bar on a terminal, plain lines elsewhere."""

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ubench.run import progress

PACKAGE = Path(progress.__file__).parents[2]
SHOW_CURSOR = "\x1b[?25h"
HIDE_CURSOR = "\x1b[?25l"


def test_summary():
    assert progress.status_text(0.342, "B/A 1.03", 125) == "34 %, 2 min left: B/A 1.03"
    assert progress.status_text(0, "", None) == "0 %"


def test_plain_lines(capsys, monkeypatch):
    """The first one comes after a while, and nothing of a text obeys the terminal."""
    monkeypatch.setattr(progress, "LINE_INTERVAL_S", 1e9)
    with progress.progress("sweep") as shown:
        shown.show(0.1, "first")
        monkeypatch.setattr(progress, "LINE_INTERVAL_S", 0)
        shown.show(0.2, "\x1b[31msecond", 5)
        shown.print("a line \x1b")
    printed = capsys.readouterr()
    assert printed.err == "sweep: 20 %, 5 s left: ?[31msecond\n"
    assert printed.out == "a line ?\n"


def test_programs_that_print_their_own_lines(capsys, monkeypatch):
    monkeypatch.setattr(progress, "LINE_INTERVAL_S", 0)
    with progress.progress("sweep", lines=False) as shown:
        shown.show(0.5, "cell")
    assert capsys.readouterr().err == ""


PROGRAM = """
import os, signal, sys
if {without_rich}:
    sys.modules["rich"] = sys.modules["rich.progress"] = None
from ubench.run import process, progress
process.handle_signals()
progress.LINE_INTERVAL_S = 0
with progress.progress("duel") as shown:
    shown.show(0.25, "B/A 1.03 [red]", 60)
    shown.print("a line that stays")
    if {is_interrupted}:
        os.kill(os.getpid(), signal.SIGINT)
"""


def on_terminal(**conditions):
    """What a terminal shows of the program, and its exit status."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(**conditions)],
        env={**os.environ, "PYTHONPATH": str(PACKAGE), "TERM": "xterm", "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    text = b""
    try:
        while part := os.read(ours, 65536):
            text += part
    except OSError:  # Linux: the other end is closed
        pass
    os.close(ours)
    return child.wait(), text.decode()


@pytest.mark.parametrize("is_interrupted", [False, True])
def test_bar_on_a_terminal(is_interrupted):
    pytest.importorskip("rich")
    status, text = on_terminal(without_rich=False, is_interrupted=is_interrupted)
    assert status == (128 + signal.SIGINT if is_interrupted else 0)
    assert "B/A 1.03 [red]" in text
    assert "60 s left" in text
    assert "25%" in text
    assert "a line that stays" in text
    # The cursor is there again.
    assert text.rfind(SHOW_CURSOR) > text.rfind(HIDE_CURSOR)


def test_terminal_without_rich():
    status, text = on_terminal(without_rich=True, is_interrupted=False)
    assert status == 0
    assert "duel: 25 %, 60 s left: B/A 1.03 [red]" in text
    assert "\x1b" not in text
