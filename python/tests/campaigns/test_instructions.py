# SPDX-License-Identifier: ISC
"""scripts/duel --valgrind: one per cent more instructions is found beside other work."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, cannot_run

from ubench.run import process

HANGS = 900  # seconds after which something will not end
COPIED = ("Makefile", "schema", "scripts", "ubench")
SOURCE = "ubench/store/sqlite/sqlite_statement.c"
PLACE = "    if (changed == NULL) {\n        session->running = ready;"  # every statement does this
STATEMENTS = 3  # of a renewal
LOOP = 6  # instructions of one turn of an empty loop, about
RENEW = ("-w", "renew", "-s", "no", "--preload", "300")
Program = Callable[[str], Path]


@pytest.fixture
def duel(script: Callable[[str], Path], tmp_path: Path) -> Any:
    """Runs scripts/duel --valgrind in a folder of its own."""
    for name in ("valgrind", "vgdb"):
        if shutil.which(name) is None:
            cannot_run("valgrind is not installed")

    def run(*sides: tuple[object, ...], options: tuple[str, ...] = ()) -> process.Finished:
        words = [word for side in sides for word in ("--", *side)]
        command = [script("duel"), "--valgrind", "-O", "d.jsonl", *options, *words]
        return process.capture(command, cwd=tmp_path)

    run.output = tmp_path / "d.jsonl"  # type: ignore[attr-defined]
    return run


def line_of(duel: Any) -> dict[str, Any]:
    """The last duel, without whose files nothing is left in the folder."""
    assert [path.name for path in duel.output.parent.glob("ubench-duel.*")] == []
    line: dict[str, Any] = json.loads(duel.output.read_text().splitlines()[-1])
    return line


def instructions(line: dict[str, Any], side: int) -> float:
    """The instructions of an operation."""
    rows = [row for row in line["slices"] if row[0] == side]
    return sum(row[11] for row in rows) / sum(row[1] for row in rows)


@pytest.fixture
def other_work() -> Iterator[None]:
    """Two processes that want all of two processors."""
    command = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(command) for _ in range(2)]
    yield
    for child in busy:
        child.kill()
        child.wait()


# ---- One per cent


@pytest.fixture(scope="module")
def tree() -> Iterator[Path]:
    """A copy of the sources, with a runner of SQLite."""
    for name in ("make", "gcc", "pkg-config"):
        if shutil.which(name) is None:
            cannot_run(f"{name} is not installed")
    with tempfile.TemporaryDirectory(prefix="ubench-planted-", dir="/var/tmp") as name:
        path = Path(name)
        for each in COPIED:
            if (ROOT / each).is_dir():
                shutil.copytree(ROOT / each, path / each, symlinks=True)
            else:
                shutil.copy(ROOT / each, path / each)
        build(path, "a_ubench")
        yield path


def build(tree: Path, name: str) -> Path:
    """Builds the runner and gives it a name."""
    environment = {
        key: value
        for key, value in os.environ.items()
        if key not in ("BIN", "BUILD", "FLAVOUR", "MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    }
    command = ["make", "-s", "-j2", "CFLAGS=-O0 -g", "sqlite_ubench"]
    done = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.copy(tree / "sqlite_ubench", tree / name)
    return tree / name


@pytest.mark.usefixtures("other_work")
def test_a_planted_per_cent_is_found_and_nothing_is_found_without(duel: Any, tree: Path) -> None:
    first = tree / "a_ubench"
    done = duel((first, *RENEW), (first, *RENEW))
    assert done.status == 0, done.err
    assert re.search(r"B against A +no difference shown: it is below 0\.\d+ %", done.out), done.out
    each = instructions(line_of(duel), 0)
    source = (tree / SOURCE).read_text()
    assert source.count(PLACE) == 1
    loops = round(each / 100 / STATEMENTS / LOOP)
    loop = f"    for (volatile int i = 0; i < {loops}; i++)\n        continue;\n"
    (tree / SOURCE).write_text(source.replace(PLACE, loop + PLACE))
    second = build(tree, "b_ubench")
    options = ("--not-worse-than", "0.3%")
    done = duel((first, *RENEW), (second, *RENEW), options=options)
    assert done.status == 4, done.err
    assert "gate: B against A: not passed: an operation takes more instructions" in done.err
    found = re.search(r"B against A +takes (\d\.\d+) % more instructions for each", done.out)
    assert found is not None, done.out
    assert 0.5 < float(found[1]) < 2


# ---- What it counts


def test_all_sides_do_the_same_work(duel: Any, program: Program) -> None:
    memfile = (program("memfile_ubench"), *RENEW, "-n", "20")
    done = duel(memfile, (program("sqlite_ubench"), *RENEW, "-n", "20"))
    assert done.status == 0, done.err
    line = line_of(duel)
    assert line["valgrind"]
    assert {row[1] for row in line["slices"]} == {20}
    assert len({side["result"]["runs"][0]["digest"] for side in line["sides"]}) == 1
    assert instructions(line, 1) > 3 * instructions(line, 0)
    # Times are not printed.
    assert "per second" not in done.out
    assert "CPU" not in done.out


def test_workers_count_together(duel: Any, program: Program) -> None:
    one = (program("memfile_ubench"), "-w", "search", "-s", "no", "--preload", "300", "-n", "600")
    done = duel(one, (*one, "-t", "3"), options=("--no-null",))
    assert done.status == 0, done.err
    line = line_of(duel)
    assert instructions(line, 1) == pytest.approx(instructions(line, 0), rel=0.3)


# ---- What ends it


def test_other_work_is_refused(duel: Any, program: Program) -> None:
    runner = program("null_ubench")
    done = duel((runner, "-w", "renew"), (runner, "-w", "dora"))
    assert (done.status, done.out) == (1, "")
    assert "B: it did other operations than A" in done.err
    assert not duel.output.exists()


def test_a_runner_without_symbols_is_refused(
    duel: Any, program: Program, tmp_path: Path
) -> None:
    if shutil.which("strip") is None:
        cannot_run("binutils is not installed")
    stripped = tmp_path / "null_ubench"
    command = ["strip", "-o", stripped, program("null_ubench")]
    subprocess.run(command, check=True)
    done = duel((stripped, "-w", "renew"), (stripped, "-w", "renew"))
    assert (done.status, done.out) == (1, "")
    assert "valgrind counted nothing; expected a runner that make built" in done.err


def test_a_side_that_fails(duel: Any, program: Program) -> None:
    runner = program("memfile_ubench")
    done = duel((runner, *RENEW), (runner, *RENEW, "-f", "/nowhere/leases"))
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("duel: B: memfile_ubench: ")


def test_a_signal_ends_all(
    duel: Any, program: Program, script: Callable[[str], Path], tmp_path: Path
) -> None:
    side = ["--", program("null_ubench"), "-w", "renew"]
    options = ["--valgrind", "--precision", "0.001%", "--time", "1h", "-O", "d.jsonl"]
    with tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(
            [script("duel"), *options, *side, *side],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=errors, text=True,
        )  # fmt: skip
        counts = "ubench-duel.*/0.2/valgrind/log"
        begun = process.wait_until(lambda: any(tmp_path.glob(counts)), HANGS)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=HANGS)
    assert begun
    assert child.returncode == 130
    assert "the duel was interrupted" in out
    assert line_of(duel)["incomplete"]
