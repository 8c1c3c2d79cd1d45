# SPDX-License-Identifier: ISC
"""Fixtures of all tests, and what they need of the machine.

BIN names the folder of the programs (default: the checkout). With REQUIRE=all, a test whose needs
are not met fails instead of being skipped.
"""

from __future__ import annotations

import glob
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import pytest

from ubench.report.advice import machine
from ubench.run.process import SIGNALS

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
SEARCH_PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"


def cannot_run(reason: str) -> NoReturn:
    """Skips a test, or fails it if nothing may be skipped."""
    if os.environ.get("REQUIRE") == "all":
        pytest.fail(reason)
    pytest.skip(reason)


def succeeds(command: Sequence[str | Path]) -> bool:
    """True if the command is there and exits with 0."""
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder of the programs."""
    return Path(os.environ.get("BIN") or ROOT).resolve()


@pytest.fixture(scope="session")
def program(programs: Path) -> Callable[[str], Path]:
    """The path of a program; the test is skipped if it is not built."""

    def find(name: str) -> Path:
        path = programs / name
        if not os.access(path, os.X_OK):
            cannot_run(f"{name} is not built")
        return path

    return find


@pytest.fixture
def script() -> Callable[[str], Path]:
    """The path of a script or launcher."""
    return lambda name: SCRIPTS / name


@pytest.fixture(autouse=True)
def own_signals() -> Iterator[None]:
    """Programs that run within a test take care of signals; pytest does so afterwards.

    They do not ignore SIGHUP, as they would if pytest was started by nohup.
    """
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    if handlers[signal.SIGHUP] is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of the user's servers, and servers in a folder of the test's own."""
    for name in list(os.environ):
        if name.startswith(("UBENCH_MYSQL", "UBENCH_PGSQL")) or name in (
            "UBENCH_USER",
            "UBENCH_PASSWORD",
        ):
            monkeypatch.delenv(name)
    monkeypatch.setenv("UBENCH_SERVERS", str(tmp_path / "servers"))
    monkeypatch.setenv("LC_ALL", "C")


def is_installed(kind: str) -> bool:
    """True if there is a server of this kind: "mysql", "pgsql"."""
    if kind == "pgsql":
        return bool(glob.glob("/usr/lib/postgresql/*/bin/postgres"))
    return any(shutil.which(name, path=SEARCH_PATH) for name in ("mariadbd", "mysqld"))


@pytest.fixture
def server_folder() -> Iterator[Path]:
    """An empty folder that the users of database servers can reach."""
    folder = Path(tempfile.mkdtemp(prefix="ubench-test-", dir="/var/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips tests that need root, or servers that are not installed."""
    if item.get_closest_marker("root") and os.geteuid() != 0:
        cannot_run("it needs root")
    for marker in item.iter_markers("servers"):
        for kind in marker.args:
            if not is_installed(kind):
                cannot_run(f"the {kind} server is not installed")


@pytest.fixture(autouse=True)
def no_limit_of_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Advice for a configuration does not depend on the container that tests run in."""
    monkeypatch.setattr(machine, "this_machine", lambda: machine.UNKNOWN_MACHINE)
