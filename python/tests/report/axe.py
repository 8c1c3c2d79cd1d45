# SPDX-License-Identifier: ISC
"""axe-core, which judges pages by the rules of WCAG, from a package of pip."""

from __future__ import annotations

import subprocess
from pathlib import Path

from conftest import cannot_run
from samples import ROOT

PACKAGE = "axe-playwright-python==0.1.8"  # has axe-core 4.12.1


def axe_script() -> Path:
    """The path of axe-core; the test is skipped if pip cannot get it."""
    folder = ROOT / "build" / "axe"
    path = folder / "modules" / "axe_playwright_python" / "axe.min.js"
    if not path.exists():
        commands = (
            ["/usr/bin/python3", "-m", "venv", folder / "venv"],
            [
                folder / "venv" / "bin" / "pip", "install", "--quiet", "--no-deps", "--target",
                folder / "modules", PACKAGE,
            ],
        )  # fmt: skip
        for command in commands:
            if subprocess.run(command, check=False, capture_output=True).returncode:
                cannot_run(f"pip cannot get {PACKAGE}, which has axe-core")
    return path
