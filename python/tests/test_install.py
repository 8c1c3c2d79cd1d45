# SPDX-License-Identifier: ISC
"""The package as pip installs it from the tree: it needs no checkout and no runner."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import cannot_run
from samples import RESULTS, ROOT

FILE = RESULTS / "kea-3.0-2026-11.jsonl"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of a virtual environment with the package.

    It is built by the system's setuptools, so that the test needs no network.
    """
    folder = tmp_path_factory.mktemp("pip")
    made = subprocess.run(
        ["/usr/bin/python3", "-m", "venv", "--system-site-packages", str(folder / "venv")],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        cannot_run("python3-venv is not installed")
    programs = folder / "venv" / "bin"
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-build-isolation"]
    done = subprocess.run(
        [programs / "pip", "install", *options, ROOT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return programs


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--version",), "ubench_report "),
        (("answer", "--clients=20k", str(FILE)), "SPEED   "),
        (("duels", str(FILE)), "against A"),
        (("compare", "--help"), "usage: ubench_report compare"),
    ],
)
def test_commands_work(installed: Path, tmp_path: Path, words: tuple[str, ...], text: str) -> None:
    done = subprocess.run(
        [installed / "ubench_report", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert text in done.stdout
