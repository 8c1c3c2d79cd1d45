# SPDX-License-Identifier: ISC
"""axe-core, which judges pages by the rules of WCAG, from a package of pip."""

from __future__ import annotations

from conftest import succeeds
from samples import ROOT

PACKAGE = "axe-playwright-python==0.1.8"  # has axe-core 4.12.1


def axe_script() -> str:
    """The path of axe-core; "" if pip cannot get it, and then the pages are not judged by it."""
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
            if not succeeds(command):
                print(f"left out: axe-core: pip cannot get {PACKAGE}")
                return ""
    return str(path)
