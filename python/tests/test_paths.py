# SPDX-License-Identifier: ISC
"""Where programs and data are, in a checkout and where ubench is installed."""

import os
import re
import sys

import pytest
from conftest import ROOT, SCRIPTS

from ubench import paths
from ubench.errors import Problem


@pytest.fixture
def install(monkeypatch, tmp_path):
    """Lets the package believe that it lies in a folder below tmp_path."""

    def move(folder):
        package = tmp_path / folder / "ubench"
        package.mkdir(parents=True)
        monkeypatch.setattr(paths, "PACKAGE", package)
        monkeypatch.setattr(paths, "DATA", package / "data")
        return package

    monkeypatch.delenv("BIN", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    return move


def test_a_checkout_of_another_user(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).startswith(str(ROOT)))
    assert paths.writable() == tmp_path / "ubench"


def test_a_user_without_a_home(install, monkeypatch):
    install("usr/libexec/ubench")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    with pytest.raises(Problem, match="no home directory; set XDG_CACHE_HOME"):
        paths.writable()


def test_checkout(monkeypatch):
    monkeypatch.delenv("BIN", raising=False)
    assert paths.checkout() == ROOT
    assert paths.runner("null") == ROOT / "null_ubench"
    assert paths.writable() == ROOT / "build"
    assert paths.task_command("sweep") == [str(SCRIPTS / "sweep")]
    for name in ("results/schema.json", "crash.cells", "sweeps/guide.sweep"):
        assert paths.data(name).is_file()


def test_other_folder_of_programs(monkeypatch, tmp_path):
    monkeypatch.setenv("BIN", str(tmp_path))
    assert paths.program("ubench_report") == tmp_path / "ubench_report"
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "describe.json").touch()
    assert paths.description_file() == tmp_path / "build" / "describe.json"


def test_installed_by_make(install, tmp_path):
    package = install("usr/libexec/ubench")
    script = package.parent / "servers"
    script.touch(mode=0o755)
    (package.parent / "ubench_disk.so").touch()
    (package.parent / "describe.json").touch()
    assert paths.checkout() is None
    assert paths.runner("null") == tmp_path / "usr/bin/null_ubench"
    assert paths.library("ubench_disk.so") == package.parent / "ubench_disk.so"
    assert paths.library("ubench_hook.so") is None
    assert paths.description_file() == package.parent / "describe.json"
    assert paths.task_command("servers") == [str(script)]
    assert paths.writable() == tmp_path / "cache" / "ubench"


def test_installed_by_pip(install, tmp_path):
    install("site-packages")
    (tmp_path / "null_ubench").touch(mode=0o755)
    assert paths.runner("mysql") == tmp_path / "mysql_ubench"
    assert paths.description_file() is None
    assert paths.task_command("servers") == [sys.executable, "-m", "ubench", "servers"]


def test_lists_of_sweeps():
    assert paths.sweep_list("@guide", "sweep") == paths.data("sweeps/guide.sweep")
    assert str(paths.sweep_list("@./mine.sweep", "sweep")) == "mine.sweep"
    assert str(paths.sweep_list("@/x/mine", "duels")) == "/x/mine"


def test_each_launcher_is_also_a_task_of_the_package():
    """An installation by pip has no launchers."""
    pattern = r'launch\("(ubench[.\w]+)"'
    scripts = [path for path in SCRIPTS.iterdir() if path.is_file() and not path.suffix]
    modules = {path.name: re.findall(pattern, path.read_text()) for path in scripts}
    launched = {name: found[0] for name, found in modules.items() if found}
    text = (paths.PACKAGE / "__main__.py").read_text()
    tasks = dict(re.findall(r'"(\w+)": "(ubench[.\w]+)"', text))
    assert launched.items() <= tasks.items()
    assert len(launched) > 5
