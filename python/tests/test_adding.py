# SPDX-License-Identifier: ISC
"""Additions to ubench as docs/internals.md describes them: a store, a workload, an exchange, a
setting that decides a class, and a figure of the result.

Each is a patch in ubench/tests/adding/, which touches only files that internals.md names for it. A
copy of the sources gets all five and is built once. Then help, refusals, the record, the reports
and the schema know each. CONTRIBUTING.md says how to refresh a patch that no longer applies.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import ROOT, cannot_run

from ubench.run.servers import PrivateServers

PATCHES = ROOT / "ubench" / "tests" / "adding"
# Where internals.md says what each addition touches.
PLACES = {
    "store": r"^## Adding a store\n(.*?)^## ",
    "workload": r"^- \*\*A workload\*\*(.*?)^- \*\*",
    "exchange": r"^- \*\*An exchange\*\*(.*?)^- \*\*",
    "setting": r"^- \*\*A setting that decides a class\*\*(.*?)^- \*\*",
    "figure": r"^- \*\*A figure of the result\*\*(.*?)^- \*\*",
}
STORE = "array"  # the store that the patch adds
COPIED = ("Makefile", "python/ubench", "results", "schema", "scripts", "ubench")
LEFT_OUT = shutil.ignore_patterns("*.jsonl", "*.png", "__pycache__")
TARGETS = (
    "null_ubench", "memfile_ubench", f"{STORE}_ubench", "ubench_leases", "ubench_report",
    "build/describe.json", f"build/release/tests/conformance_{STORE}",
)  # fmt: skip


# ---- The files that a patch touches


def touched(patch: str) -> list[tuple[str, bool]]:
    """The files of a patch, and whether each is new."""
    files = re.findall(r"^diff --git a/(\S+) .*\n(new file)?", patch, re.MULTILINE)
    return [(path, new != "") for path, new in files]


def named(addition: str) -> list[str]:
    """The files that internals.md names for an addition."""
    text = (ROOT / "docs" / "internals.md").read_text("utf-8")
    place = re.search(PLACES[addition], text, re.MULTILINE | re.DOTALL)
    assert place is not None, addition
    words = place[1].replace("NAME", STORE)
    return re.findall(r"[\w/]+\.(?:c|h|py|json)\b|\bMakefile\b", words)


def is_named(path: str, is_new: bool, names: list[str]) -> bool:
    """Whether a file is named, or is a new one beside a file that is named as its example."""
    if any(f"/{path}".endswith(f"/{name}") for name in names):
        return True
    folders = [name.rpartition("/")[0] for name in names if "/" in name]
    return is_new and any(path.rpartition("/")[0].endswith(f"/{folder}") for folder in folders)


@pytest.mark.parametrize("addition", PLACES)
def test_a_patch_touches_what_internals_names(addition: str) -> None:
    patch = (PATCHES / f"{addition}.patch").read_text("utf-8")
    names = named(addition)
    assert touched(patch)
    assert [path for path, is_new in touched(patch) if not is_named(path, is_new, names)] == []


def test_every_patch_is_an_addition() -> None:
    assert sorted(path.stem for path in PATCHES.glob("*.patch")) == sorted(PLACES)


# ---- The copy


def make_tree(tree: Path) -> None:
    """Copies the sources, applies the patches and builds what the tests run."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, symlinks=True, ignore=LEFT_OUT)
        else:
            tree.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    # Git must not take the copy for a part of a repository around it.
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tree.parent)}
    for addition in PLACES:
        command = ["git", "apply", "-C1", PATCHES / f"{addition}.patch"]
        subprocess.run(command, cwd=tree, env=environment, check=True)
    has_pgsql = subprocess.run(["pkg-config", "--exists", "libpq"], check=False).returncode == 0
    targets = [*TARGETS, "pgsql_ubench"] if has_pgsql else TARGETS
    command = ["make", "-s", "-j2", "CFLAGS=-O0", "WERROR=-Werror", *targets]
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("BIN", "BUILD", "FLAVOUR", "MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    }
    done = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def tree() -> Iterator[Path]:
    """The copy with all additions; on a disk, since in memory no store is power-safe."""
    for program in ("git", "make", "gcc", "pkg-config"):
        if shutil.which(program) is None:
            cannot_run(f"{program} is not installed")
    with tempfile.TemporaryDirectory(prefix="ubench-adding-", dir="/var/tmp") as name:
        path = Path(name, "tree")
        make_tree(path)
        yield path


@pytest.fixture
def runner(tree: Path, tmp_path: Path) -> Any:
    """Runs a program of the copy in an empty folder."""
    folder = tree / "runs" / tmp_path.name
    folder.mkdir(parents=True)
    environment = {name: value for name, value in os.environ.items() if name != "BIN"}

    def run(
        program: str, *options: str, status: int = 0, **more: str
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [tree / program, *options],
            cwd=folder, env={**environment, **more}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        return done

    run.folder = folder  # type: ignore[attr-defined]
    return run


def line_of(tree: Path, done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The line of a run, which the schema of the copy accepts."""
    line: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(line, json.loads((tree / "results/schema.json").read_text("utf-8")))
    return line


def described(runner: Any, program: str) -> dict[str, Any]:
    description: dict[str, Any] = json.loads(runner(program, "--describe").stdout)
    return description


def reported(runner: Any, command: str, line: dict[str, Any]) -> str:
    """What a report says of a line, without the breaks of its lines."""
    path = runner.folder / "line.jsonl"
    path.write_text(json.dumps(line) + "\n")
    text: str = runner("ubench_report", command, str(path)).stdout
    return " ".join(text.split())


CHECK = """
import sys
sys.path.insert(0, "scripts")
import check
files = check.sources()
tools = ("clang-format", "ruff", "mypy", "shellcheck", "workflows", "codespell")
for name, rule in check.CHECKS:
    if name not in tools:
        print(*(f"{name}: {complaint}" for complaint in rule(files)), sep="\\n", end="")
"""


def test_additions_keep_the_rules_of_the_sources(tree: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-B", "-c", CHECK], cwd=tree, check=True, capture_output=True, text=True
    )
    assert done.stdout == ""


# ---- A store


def test_a_new_store_keeps_the_contract(tree: Path) -> None:
    conformance = tree / f"build/release/tests/conformance_{STORE}"
    done = subprocess.run(
        [conformance],
        capture_output=True,
        text=True,
        check=False,
        cwd=tree,
        env={**os.environ, "TMPDIR": str(tree)},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_new_store_has_a_runner_and_a_name(tree: Path, runner: Any) -> None:
    program = f"{STORE}_ubench"
    assert f"Measures how fast the {STORE} lease store" in runner(program, "--help").stdout
    assert described(runner, program)["limits"][0]["code"] == "log-not-synced"
    refusals = {
        "-e InnoDB": "-e: only for mysql_ubench",
        "-o buffer=1": f"'buffer' is not a setting of {STORE}",
        "-s bounded": "--sync: 'bounded' is not one of",
    }
    for options, words in refusals.items():
        assert words in runner(program, *options.split(), status=2).stderr
    options = ("-n", "1000", "--seed", "5", "--json")
    line = line_of(tree, runner(program, *options))
    assert (line["store"], line["product"]["keeper"]) == (STORE, STORE)
    assert (line["durability"]["class"], line["runs"][0]["verified"]) == ("power-safe", True)
    other = line_of(tree, runner("memfile_ubench", *options))
    assert line["runs"][0]["digest"] == other["runs"][0]["digest"]
    assert STORE in reported(runner, "tables", line)
    # Its name and colours.
    script = "from ubench.report.stores import STORES; print(*(each.name for each in STORES))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tree / "python",
        check=True,
        capture_output=True,
        text=True,
    )
    assert STORE in done.stdout.split()


# ---- A workload


def test_a_new_workload_is_known(tree: Path, runner: Any) -> None:
    assert "create" in runner("memfile_ubench", "--help", "all").stdout
    options = ("-w", "create", "-n", "300", "--preload", "50", "--json")
    refusals = {
        "-w create -H 0.5": "--hit-ratio cannot be used with --workload=create; use it with one of",
        "-w create --turns": "--turns cannot be used with --workload=create",
        "-w create=1,dora=1": "'create' cannot be part of a mix",
        "-w creat": "create",
    }
    for words, said in refusals.items():
        assert said in runner("memfile_ubench", *words.split(), status=2).stderr
    lines = [
        line_of(tree, runner(f"{store}_ubench", *options, "-t", threads))
        for store in ("memfile", STORE)
        for threads in ("1", "3")
    ]
    for line in lines:
        run = line["runs"][0]
        (phase,) = run["phases"]
        assert (phase["name"], phase["operations"], phase["hits"]) == ("create", 300, 300)
        assert (run["verified"], run["read_back"], run["leases_left"]) == (True, 350, 0)
        assert run["digest"] == lines[0]["runs"][0]["digest"]
    (workload,) = [
        each for each in described(runner, "null_ubench")["workloads"] if each["name"] == "create"
    ]
    assert (workload["changes"], workload["reads"], workload["ends"]) == (True, False, True)
    assert "batch" in workload["options"]
    for command in ("show", "tables"):
        assert re.search(r"\bcreate\b", reported(runner, command, lines[0]))


# ---- An exchange


def test_a_new_exchange_is_known(tree: Path, runner: Any) -> None:
    name = "lease-query"
    assert name in runner("memfile_ubench", "--help", "all").stdout
    refusals = {
        f"-w {name} -6": f"'{name}' is for IPv4 alone",
        f"-w {name} --probes 3": "use it with an exchange that searches for a free address",
    }
    for words, said in refusals.items():
        assert said in runner("memfile_ubench", *words.split(), status=2).stderr
    (known,) = [
        each for each in described(runner, "null_ubench")["exchanges"] if each["name"] == name
    ]
    assert (known["searches"], known["changes"], known["families"]) == (2, 0, [4])
    options = ("-n", "60", "--preload", "200", "--json")
    line = line_of(tree, runner("memfile_ubench", *options, "-w", name))
    (kind,) = line["runs"][0]["exchange"]["kinds"]
    assert (kind["name"], kind["definition"]) == (name, known["definition"])
    # As a file it is the same work.
    (runner.folder / "file").write_text(
        runner("memfile_ubench", "--print-exchange", "-w", name).stdout
    )
    again = line_of(tree, runner("memfile_ubench", *options, "-w", "@file"))
    assert again["runs"][0]["digest"] == line["runs"][0]["digest"]
    assert f"steps of {name}" in reported(runner, "show", line)
    assert name in reported(runner, "tables", line)


def test_a_new_exchange_changes_no_digest(tree: Path, runner: Any) -> None:
    """Published results keep theirs, of exchanges before and behind it in the table."""
    digests = (ROOT / "ubench/tests/cli/digests.txt").read_text("utf-8")
    for name in ("dora", "renew", "decline", "steady"):
        options = f"-n 60 --preload 200 -w {name}"
        wanted = re.search(rf"^\w+ +(\w+) {options} \|", digests, re.MULTILINE)
        assert wanted is not None
        line = line_of(tree, runner("memfile_ubench", *options.split(), "--json"))
        assert line["runs"][0]["digest"] == wanted[1], name


# ---- A setting that decides a class


@pytest.mark.servers("pgsql")
def test_a_new_setting_decides_a_class(tree: Path, runner: Any, server_folder: Path) -> None:
    if not (tree / "pgsql_ubench").exists():
        cannot_run("libpq-dev is not installed")
    (limit,) = [
        each
        for each in described(runner, "pgsql_ubench")["limits"]
        if each["setting"] == "zero_damaged_pages"
    ]
    assert (limit["code"], limit["if"], limit["values"], limit["power"]) == (
        "zero-damaged-pages", "is not", ["off"], "unbounded"
    )  # fmt: skip
    lines = {}
    for value in ("off", "on"):
        with PrivateServers.temporary(server_folder / value) as private:
            server = private.start("pgsql", ["-c", f"zero_damaged_pages={value}"])
            done = runner("pgsql_ubench", "-n", "20", "--json", **server.environment())
            lines[value] = line_of(tree, done)
            if value == "on":
                words = ("-n", "20", "-o", "zero_damaged_pages=maybe")
                refused = runner("pgsql_ubench", *words, status=2, **server.environment())
                assert "--set zero_damaged_pages=maybe" in refused.stderr
    classes = {"off": ("power-safe", []), "on": ("process-safe", ["zero-damaged-pages"])}
    for value, line in lines.items():
        durability = line["durability"]
        assert (durability["class"], durability["reasons"]) == classes[value]
        assert {"name": "zero_damaged_pages", "value": value} in durability["settings"]
        assert line["facts"]["zero_damaged_pages"] == value
    text = reported(runner, "show", lines["on"])
    assert "reasons=zero-damaged-pages" in text
    assert "pages that a power cut damages are emptied" in text


# ---- A figure of the result


def test_a_new_figure_is_written_and_read(tree: Path, runner: Any) -> None:
    text = runner("memfile_ubench", "-n", "300").stdout
    assert re.search(r"all 300 leases read back in [0-9.]+ [mun]?s,", " ".join(text.split()))
    line = line_of(tree, runner("memfile_ubench", "-n", "300", "--json"))
    assert line["runs"][0]["reading_ns"] > 0
    assert re.search(r"read back of 300, reading [0-9.]+ [mun]?s", reported(runner, "show", line))
    # The schema describes it, and refuses another type.
    schema = json.loads((tree / "results/schema.json").read_text("utf-8"))
    assert schema["definitions"]["run"]["properties"]["reading_ns"]["description"]
    line["runs"][0]["reading_ns"] = "long"
    path = runner.folder / "wrong.jsonl"
    path.write_text(json.dumps(line) + "\n")
    assert "reading_ns" in runner("ubench_report", "show", str(path), status=1).stderr
    # A line without it, as those before had none, stays readable.
    del line["runs"][0]["reading_ns"]
    assert "reading " not in reported(runner, "show", line)
