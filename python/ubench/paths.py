# SPDX-License-Identifier: ISC
"""Where programs, data files and writable folders are.

Three layouts are known: a checkout, with programs in its root and this package in `python/`; an
installation by `make install` or the Debian package, with programs in PREFIX/bin and this package
in PREFIX/libexec/ubench; and pip's, where programs are found by PATH.

`BIN` in the environment names another folder of programs.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from ubench.errors import Problem

PACKAGE = Path(__file__).resolve().parent
DATA = PACKAGE / "data"


def checkout() -> Path | None:
    """Return the root of the checkout that this package belongs to; None if it is installed."""
    root = PACKAGE.parents[1]
    return root if (root / "ubench" / "store" / "backend.h").exists() else None


def installed_prefix() -> Path | None:
    """Return PREFIX, if `make install` put this package into PREFIX/libexec/ubench."""
    folder = PACKAGE.parent
    if folder.name == "ubench" and folder.parent.name == "libexec":
        return folder.parent.parent
    return None


def programs() -> Path:
    """Return the folder of the runners and of ubench_report."""
    if named := os.environ.get("BIN"):
        return Path(named).absolute()
    if root := checkout():
        return root
    if prefix := installed_prefix():
        return prefix / "bin"
    known = shutil.which("ubench_report") or shutil.which("null_ubench")
    return Path(known).parent if known else Path("/usr/bin")


def program(name: str) -> Path:
    """Return the path of a program of ubench, whether or not it is built."""
    return programs() / name


def runner(store: str) -> Path:
    """Return the path of a store's runner, whether or not it is built."""
    return program(f"{store}_ubench")


def library(name: str) -> Path | None:
    """Return a library that other processes preload or load, or None if it is not built."""
    candidates = (programs() / name, PACKAGE.parent / name)
    return next((path for path in candidates if path.exists()), None)


def helper(name: str) -> Path:
    """Return a program that other programs of ubench start, whether or not it is built."""
    installed = PACKAGE.parent / name
    return installed if installed.exists() else program(name)


def task_command(name: str) -> list[str]:
    """Return the command that starts a campaign or task: "servers", "duel"."""
    root = checkout()
    script = root / "scripts" / name if root else PACKAGE.parent / name
    if os.access(script, os.X_OK):
        return [str(script)]
    return [sys.executable, "-m", "ubench", name]


def data(name: str) -> Path:
    """Return a data file of ubench: "results/schema.json", "crash.cells"."""
    return DATA / name


def sweep_list(word: str, ending: str) -> Path:
    """Return the file that @NAME stands for, in the folder of sweeps, or @FOLDER/FILE.

    `ending` is the file's in the folder of sweeps: "sweep", "duels".
    """
    name = word.removeprefix("@")
    return Path(name) if "/" in name else data(f"sweeps/{name}.{ending}")


def traces() -> Path:
    """Return the folder of the published traces; pip does not install it."""
    root, prefix = checkout(), installed_prefix()
    if root is None and prefix is not None:
        return prefix / "share" / "doc" / "ubench" / "results" / "traces"
    return (root or Path()) / "results" / "traces"


def description_file() -> Path | None:
    """Return the path of describe.json, where runners describe exchanges and classes, if built."""
    folders = [Path(os.environ["BIN"], "build")] if os.environ.get("BIN") else []
    if root := checkout():
        folders.append(root / "build")
    folders += [PACKAGE.parent, DATA]
    paths = (folder / "describe.json" for folder in folders)
    return next((path for path in paths if path.exists()), None)


def writable() -> Path:
    """Return the folder for private servers and the like; it need not exist yet.

    In a checkout of this user that is build/, otherwise a folder of the user's cache. Raises
    Problem if this user has none.
    """
    if root := checkout():
        build = root / "build"
        if os.access(build if build.exists() else root, os.W_OK | os.X_OK):
            return build
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if cache.startswith("~"):
        raise Problem("this user has no home directory; set XDG_CACHE_HOME to a directory")
    return Path(cache) / "ubench"
