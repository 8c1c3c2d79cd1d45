# SPDX-License-Identifier: ISC
"""What programs refuse before they write to a file."""

import argparse
import errno
import fcntl
import os
from pathlib import Path

import pytest

from ubench import files


@pytest.fixture
def as_another_user(monkeypatch):
    """Rights are those of a user to whom no file belongs, also if root runs the test."""
    monkeypatch.setattr(os, "access", lambda path, mode: os.stat(path).st_mode & mode == mode)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("open", ""),
        ("new", ""),
        ("closed", "cannot write to 'closed'"),
        ("folder", "'folder' is a directory"),
        ("private/new", "cannot write to 'private'"),
        ("link-to-closed", "cannot write to 'link-to-closed'"),
    ],
)
def test_why_a_file_cannot_be_written(as_another_user, monkeypatch, tmp_path, name, reason):
    tmp_path.chmod(0o777)
    monkeypatch.chdir(tmp_path)
    for path, mode in (("open", 0o666), ("closed", 0o644)):
        Path(path).touch()
        Path(path).chmod(mode)
    for path, mode in (("folder", 0o777), ("private", 0o755)):
        Path(path).mkdir()
        Path(path).chmod(mode)
    Path("link-to-closed").symlink_to("closed")
    assert files.why_not_writable(Path(name)) == reason


def test_a_file_of_a_missing_folder_cannot_be_written(tmp_path):
    path = tmp_path / "missing" / "file"
    assert files.why_not_writable(path) == f"cannot write to '{path.parent}'"


@pytest.mark.parametrize(
    ("text", "is_lost"),
    [
        ('{"format":"ubench-duel/1","x":1}\n', True),
        ('{"x":1, "format": "ubench-kea/1"', True),
        ('{"format":"other"}\n{"format":"ubench-kea/1"}\n', False),
        ("<html>", False),
        ("", False),
    ],
)
def test_results_are_never_replaced(tmp_path, text, is_lost):
    path = tmp_path / "file"
    path.write_text(text)
    if not is_lost:
        assert files.replaceable_file(str(path)) == path
        return
    with pytest.raises(argparse.ArgumentTypeError, match="results of ubench, which would be lost"):
        files.replaceable_file(str(path))
    assert path.read_text() == text


def test_a_file_system_may_have_no_locks(monkeypatch, tmp_path):
    """As that of some networks: the line is written all the same."""

    def fail(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    with open(tmp_path / "file", "ab+") as file:
        files.lock(file)


def test_a_file_needs_a_name():
    with pytest.raises(argparse.ArgumentTypeError, match="'' is not a file's name"):
        files.replaceable_file("")
