# SPDX-License-Identifier: ISC
"""Files of results that a campaign adds lines to."""

import argparse
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ubench.errors import Problem
from ubench.run import output, process


def test_line_that_was_cut_off_stays(tmp_path):
    path = tmp_path / "out"
    assert list(output.read_objects(path)) == []
    path.write_bytes(b'{"a":1}\n[1]\n{"b"\n\xff\n{"c":3}')
    output.append_line(path, {"d": "\u00e9"})
    output.append_line(path, '{"e":5}\n')
    assert list(output.read_objects(path)) == [{"a": 1}, {"c": 3}, {"d": "\u00e9"}, {"e": 5}]
    assert path.read_text(errors="replace").endswith('{"c":3}\n{"d":"\u00e9"}\n{"e":5}\n')


@pytest.mark.parametrize(
    ("text", "is_ours"),
    [
        ("", True),
        ('{"format":"ubench-re', True),
        ('{"x":1,"format": "ubench-kea/1"}\n', True),
        ('{"format":1}', False),
        ("[]", False),
        ("somebody's notes", False),
    ],
)
def test_output_has_results_or_nothing(tmp_path, text, is_ours):
    path = tmp_path / "out"
    path.write_text(text)
    if is_ours:
        assert output.output_file(str(path)) == path
    else:
        with pytest.raises(Problem, match="not a file of ubench results"):
            output.output_file(str(path))


def test_output_that_cannot_be_written(tmp_path):
    with pytest.raises(argparse.ArgumentTypeError, match="not a file's name"):
        output.output_file("")
    for path in (tmp_path, f"{tmp_path}/new/", "/dev/full"):
        with pytest.raises(Problem, match="not a regular file"):
            output.output_file(str(path))
    with pytest.raises(Problem, match="cannot write to"):
        output.output_file(f"{tmp_path}/missing/out")
    with pytest.raises(Problem, match="No space left"):
        output.append_line(tmp_path.__class__("/dev/full"), {})


def test_a_line_waits_for_that_of_another_program(tmp_path):
    """Runners and commands lock a file while they add to it."""
    path = tmp_path / "out"
    text = "import pathlib, sys; from ubench.run import output; "
    text += "output.append_line(pathlib.Path(sys.argv[1]), '[2]')"
    command = [sys.executable, "-B", "-c", text, path]
    with open(path, "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(b"[1")
        file.flush()
        environment = {**os.environ, "PYTHONPATH": str(Path(output.__file__).parents[2])}
        with subprocess.Popen(command, env=environment) as child:
            assert process.wait_until(lambda: is_waiting(child.pid))
            file.write(b"]\n")
            file.close()
    assert path.read_text() == "[1]\n[2]\n"


def is_waiting(pid):
    """Whether a process waits for a lock (proc(5), /proc/locks)."""
    locks = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    return any(words[1:3] == ["->", "FLOCK"] and words[5] == str(pid) for words in locks)


def test_output_that_another_user_owns_is_refused_at_once(monkeypatch, tmp_path):
    path = tmp_path / "out"
    path.write_text('{"format":"ubench-duel/1"}')
    monkeypatch.setattr(os, "access", lambda asked, mode: Path(asked) != path)
    with pytest.raises(Problem, match=f"--output: cannot write to '{path}'"):
        output.output_file(str(path))


def test_lock(tmp_path):
    output.lock_folder(tmp_path, "busy")
    with pytest.raises(Problem, match="busy"):
        output.lock_folder(tmp_path, "busy")
