# SPDX-License-Identifier: ISC
"""scripts/sweep with runners: null and memfile, or sh scripts that call these."""

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from ubench.campaigns import sweep
from ubench.campaigns.sweep_cells import (
    Axis,
    AxisKind,
    Cell,
    RunnerOption,
    Trait,
    combine,
    name_cells,
)
from ubench.campaigns.sweep_plan import SweepPlan
from ubench.run import process

FIXED = ["--order-seed", "1", "--campaign", "x", "-r", "1"]
MOODY = """#!/bin/sh
case "$*" in
*--help*) ;;
*--threads=8*) echo "moody_ubench: 8 threads are refused" >&2; exit 2 ;;
*--threads=4*) echo "moody_ubench: 4 threads fail" >&2; exit 1 ;;
*--threads=2*block=2*)
    if [ -e ../../mood ]; then
        echo "moody_ubench: not now" >&2
        exit "$(cat ../../mood)"
    fi
    ;;
esac
exec "$(dirname "$0")/null_ubench" "$@"
"""
# Each run waits for a file: "go" is for one run, "open" for all.
HELD = """#!/bin/sh
case "$*" in
*--help* | *--describe*) ;;
*) until [ -e ../../open ] || mv ../../go ../../gone 2>/dev/null; do sleep 0.02; done ;;
esac
exec {} "$@"
"""


# ---- Cells and plans


def option(name, *values):
    return Axis(AxisKind.OPTION, name, values)


OPTIONS = {name: RunnerOption(name, "", True) for name in ("sync", "threads", "set")}


def test_combine():
    """A later axis replaces an earlier one; options that a store lacks are left out."""
    axes = [option("sync", "yes"), option("threads", "1", "4"), option("sync", "no", "server")]
    axes += [option("engine", "MyISAM"), Axis(AxisKind.SERVER, "fsync", ("off",))]
    axes.append(Axis(AxisKind.SETTING, "buffer", ("1",)))
    words = [cell.words for cell in combine("memfile", OPTIONS, axes)]
    assert words == [
        [f"--sync={sync}", f"--threads={threads}", "--set=buffer=1"]
        for sync in ("no", "server")
        for threads in ("1", "4")
    ]
    (cell, *_) = combine("pgsql", OPTIONS, axes)
    assert cell.server_options() == ["--fsync=off"]
    assert "--label=fsync=off" in cell.words


def test_names_have_what_differs():
    def cell(**values):
        return Cell("null", tuple(Trait(AxisKind.OPTION, *item) for item in values.items()))

    cells = name_cells([cell(sync="no", threads="1"), cell(sync="no", threads="2")])
    assert [each.name for each in cells] == ["null threads=1", "null threads=2"]
    long = name_cells([cell(x="a" * 200), cell(x="b")])
    assert [each.name for each in long] == ["null cell 1", "null x=b"]


def test_order_is_the_same_everywhere():
    cells = name_cells([Cell("null", (Trait(AxisKind.OPTION, "n", str(n)),)) for n in range(4)])
    plan = SweepPlan(("-n",), "x", 7, 3, cells, Path("out"))
    order = [cells.index(run.cell) + 1 for run in plan.runs]
    assert order == [4, 2, 1, 3, 3, 2, 4, 1, 1, 3, 4, 2]
    assert [run.place for run in plan.runs[:5]] == [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1)]


# ---- The program


def without_times(text):
    return re.sub(r"[0-9.]+ (s|min)\b", "TIME", text)


class Bench:
    """A folder with runners, in which sweeps run."""

    def __init__(self, folder, script, program):
        self.folder = folder
        self.launcher = script("sweep")
        self.environment = {**os.environ, "BIN": str(folder / "bin")}
        self.said = ""
        (folder / "bin").mkdir()
        for name in ("null_ubench", "memfile_ubench"):
            self.link(program(name))

    def link(self, path):
        (self.folder / "bin" / path.name).symlink_to(path)

    def script(self, name, text):
        path = self.folder / "bin" / name
        path.unlink(missing_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def sweep(self, *words, status=0):
        """Its output, without times."""
        done = process.capture([self.launcher, *words], cwd=self.folder, env=self.environment)
        assert done.status == status, done.out + done.err
        self.said = done.err
        return without_times(done.out)

    def lines(self, name="sweep.jsonl"):
        """The lines of the runs that are done."""
        path = self.folder / name
        text = path.read_text().splitlines() if path.exists() else []
        return [json.loads(line) for line in text]

    def cells(self, name="sweep.jsonl"):
        """The cells in the order of blocks and positions."""
        labels = [line["labels"] for line in self.lines(name) if "block" in line["labels"]]
        labels.sort(key=lambda label: (int(label["block"]), int(label["position"])))
        return [label["cell"] for label in labels]

    def names(self):
        """The files that are there, without the programs."""
        paths = self.folder.glob("**/*")
        own = (path for path in paths if "bin" not in path.parts)
        return sorted(str(path.relative_to(self.folder)) for path in own)

    def interrupt(self, number, words):
        """Ends a sweep by a signal when one more run is done and the next one is held; returns its
        exit status."""
        (self.folder / "open").unlink(missing_ok=True)
        (self.folder / "go").touch()
        before = len(self.lines("out.jsonl"))
        child = subprocess.Popen(
            [self.launcher, *words, "-O", "out.jsonl"],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.wait_until(lambda: len(self.lines("out.jsonl")) > before, 1800)
        child.send_signal(number)
        self.said = child.communicate()[1]
        return child.returncode


@pytest.fixture
def bench(server_folder, script, program):
    return Bench(server_folder, script, program)


FOUR = [f"memfile sync={sync} threads={n}" for sync in ("volatile", "no") for n in (1, 4)]
NINE = [
    f"{store}count={count} threads={threads}"
    for store in ("memfile buffer=4k ", "memfile buffer=64k ", "null ")
    for count, threads in ((100, 2), (300, 2), (300, 200))
]
MINE = [
    "memfile sync=yes count=100",
    "null count=100",
    "memfile sync=volatile count=300 format=kea",
    "memfile sync=no count=300 format=kea",
]
SEVEN = ["4 2 1 3", "3 2 4 1", "1 3 4 2"]


@pytest.mark.parametrize(
    ("words", "cells", "orders", "output"),
    [
        ("--order-seed 7 -n 20 -r 3 -s volatile,no -t 1,4 --campaign x", FOUR, SEVEN, "sweep"),
        ("--order-seed=7 -n20 -r3 --sync=volatile,no --threads=1,4", FOUR, SEVEN, "sweep"),
        (
            f"--store memfile,null -o buffer=4k,64k -n 100,300 -t 2,200 {' '.join(FIXED)}",
            NINE,
            ["9 1 4 6 5 7 3 8 2"],
            "sweep",
        ),
        (
            "--order-seed 1 --campaign x @./mine.sweep --store memfile,null",
            MINE,
            ["1 4 3 2", "2 1 3 4"],
            "mine",
        ),
        (f"@./mine.sweep -n 50 -t 2 --store null {' '.join(FIXED)}", ["null"], ["1"], "mine"),
        (
            "-w renew --rate 50,100 --duration 200ms --store memfile -s volatile "
            + " ".join(FIXED),
            ["memfile rate=50", "memfile rate=100"],
            ["1 2"],
            "sweep",
        ),
        (f"--store null -O-x.jsonl {' '.join(FIXED)}", ["null"], ["1"], "-x"),
    ],
)
def test_dry_run(bench, words, cells, orders, output):
    """The cells, what is left out of them, and the order that a seed gives."""
    (bench.folder / "mine.sweep").write_text(
        "# a comment, and an empty line\n\n-r 2\n-s yes\n-n 100\n+\n  --store memfile\n"
        "-s volatile,no\n--count 300\n-o format=kea\n"
    )
    out = bench.sweep("--dry-run", *words.split())
    assert re.findall(r"^ +\d+  (.*)", out, re.MULTILINE) == cells
    assert re.findall(r"^block \d+: (.*)", out, re.MULTILINE) == orders
    assert f"results go to {output}.jsonl" in out
    assert ("left out:\n  memfile_ubench: --threads: 200 exceeds" in out) == (cells == NINE)
    assert bench.names() == ["mine.sweep"]


def test_exchanges_of_a_file(bench):
    """Its path is as typed, though the runners run in another folder."""
    (bench.folder / "mine.txt").write_text("exchange mine\n find_by_address hit\n")
    words = ["-w", "@mine.txt,renew", "-n", "20", "-s", "no", "--store", "memfile", "-O", "o.jsonl"]
    bench.sweep(*words, *FIXED)
    assert sorted(bench.cells("o.jsonl")) == [
        "memfile workload=@mine.txt", "memfile workload=renew"
    ]
    phases = {line["runs"][0]["phases"][0]["name"] for line in bench.lines("o.jsonl")}
    assert phases == {"mine", "renew"}


def test_campaign(bench, program):
    """From beginning to end, in a file that has a result already."""
    process.run(
        [program("null_ubench"), "-v", "no", "-O", bench.folder / "out.jsonl"],
        stdout=subprocess.DEVNULL,
    )
    words = ["-n", "50", "-r", "2", "-s", "no,volatile", "-t", "1,2", "--order-seed", "7"]
    words += ["--campaign", "mine", "-O", "out.jsonl", "--store", "memfile"]
    out = bench.sweep(*words)
    cells = [f"memfile sync={sync} threads={n}" for sync in ("no", "volatile") for n in (1, 2)]
    order = bench.cells("out.jsonl")
    assert order == [cells[i] for i in (3, 1, 0, 2, 2, 1, 3, 0)]
    for number, cell in enumerate(order, 1):
        place = "block 1 of 2" if number < 5 else "block 2 of 2, TIME left"
        assert f"[{number}/8] {place}: {cell}: " in out
    assert "8 of 8 runs are in out.jsonl; 0 failed\n" in out
    commands = ("answer out.jsonl", "tables out.jsonl", "page out.jsonl >out.html")
    assert out.endswith("".join(f"  ./ubench_report {command}\n" for command in commands))
    first, *lines = bench.lines("out.jsonl")
    assert first["labels"] == {}
    assert {line["labels"]["campaign"] for line in lines} == {"mine"}
    assert {line["labels"]["order-seed"] for line in lines} == {"7"}
    assert {line["labels"]["role"] for line in lines} == {"cell"}
    # The path tells nothing of the machine.
    assert {line["parameters"]["output"] for line in lines} == {"../../out.jsonl"}
    # The same command has nothing to do, and another one is not mixed with it.
    again = "campaign mine: 8 of 8 runs are done; another --output begins another one\n8 of 8"
    assert again in bench.sweep(*words)
    bench.sweep("-n", "50", "-r", "3", "-O", "out.jsonl", status=1)
    assert "out.jsonl is of another command" in bench.said
    assert len(bench.lines("out.jsonl")) == 9
    assert bench.names() == ["out.jsonl", "out.jsonl.sweep", "out.jsonl.sweep/sweep.json"]


def test_failures(bench):
    """A cell that is refused when it is run, one that always fails, one that fails at times, a
    wrong answer."""
    bench.script("moody_ubench", MOODY)
    words = ["--store", "moody", "-t", "1,2,4,8", "-r", "3", "--campaign", "mine"]
    words += ["--order-seed", "3"]
    for status in (1, 3):
        (bench.folder / "mood").write_text(str(status))
        out = bench.sweep(*words, status=status)
        assert re.search(
            r"block 2 of 3(, TIME left)?: moody threads=2\n"
            rf"    FAILED \(exit status {status}\): moody_ubench: not now\n",
            out,
        )
        assert out.count("LEFT OUT from now on: moody_ubench: 8 threads are refused") == 1
        assert out.count("(exit status 1): moody_ubench: 4 threads fail") == 3
        assert (
            "5 of 9 runs are in sweep.jsonl; 4 failed, and are tried again by the same command\n"
            in out
        )
        cells = bench.cells()
        assert [cells.count(f"moody threads={n}") for n in (1, 2, 4)] == [3, 2, 0]
    (bench.folder / "mood").unlink()
    out = bench.sweep(*words, status=1)
    assert "campaign mine: 5 of 12 runs are done\n" in out
    assert "6 of 9 runs are in sweep.jsonl; 3 failed" in out


def test_a_folder_of_others_stays(bench):
    """A sweep would remove it, as none of its runs is finished."""
    notes = bench.folder / "out.jsonl.sweep" / "notes"
    notes.parent.mkdir()
    notes.write_text("mine")
    out = bench.sweep("--store", "memfile", "-o", "nonsense=1,2", "-O", "out.jsonl", status=1)
    assert (out, bench.said.partition(";")[0]) == (
        "",
        "sweep: 'out.jsonl.sweep' has 'notes', which no sweep made, and a sweep removes this "
        "folder",
    )
    assert notes.read_text() == "mine"


def test_sweep_in_which_nothing_can_run(bench):
    bench.sweep("--store", "memfile", "-o", "nonsense=1,2", "-O", "o.jsonl", status=2)
    assert "no cell can be run: memfile_ubench: --set: 'nonsense' is not a setting" in bench.said
    assert bench.names() == []


def test_sweep_without_its_servers_leaves_nothing(bench, program):
    """They could be in a folder of somebody else."""
    bench.link(program("pgsql_ubench"))
    data = bench.folder / "data" / "pgsql" / "PG_VERSION"
    data.parent.mkdir(parents=True)
    data.touch()
    bench.environment["UBENCH_SERVERS"] = str(bench.folder / "data")
    bench.sweep("--store", "pgsql", "-n", "5", status=1)
    assert "has 'PG_VERSION', which no private server made" in bench.said
    assert bench.names() == ["data", "data/pgsql", "data/pgsql/PG_VERSION"]


def test_interruptions(bench, program):
    """Interrupted, killed, torn: each run is there in the end, and once."""
    bench.script("memfile_ubench", HELD.format(program("memfile_ubench")))
    words = ["-n", "500", "-r", "3", "-s", "yes,no", "--store", "memfile", "--campaign", "mine"]
    assert bench.interrupt(signal.SIGTERM, words) == 143
    assert bench.said == "sweep: interrupted: the same command continues the sweep\n"
    assert bench.interrupt(signal.SIGINT, words) == 130
    assert bench.interrupt(signal.SIGKILL, words) == -9
    # A run that was left behind comes to its end, and is not lost.
    (bench.folder / "open").touch()
    done = process.capture(
        ["flock", bench.folder, bench.launcher, "-n", "10"],
        cwd=bench.folder,
        env=bench.environment,
    )
    assert done.err == (
        "sweep: another sweep, or a run that one left behind, is at work in .\n"
    )
    # The machine seems to have stopped within a write.
    path = bench.folder / "out.jsonl"
    path.write_text(path.read_text() + '{"format":"ubench-result/1","labels":{')
    assert "6 of 6 runs are in out.jsonl; 0 failed" in bench.sweep(*words, "-O", "out.jsonl")
    path.write_text(path.read_text().replace("{\n", "{}}\n"))
    assert sorted(bench.cells("out.jsonl")) == 3 * ["memfile sync=no"] + 3 * ["memfile sync=yes"]


@pytest.mark.parametrize("text", ['{"place":', "{}", "[1]", '{"arguments":[1]}', '"x"'])
def test_damaged_state(bench, text):
    """Damage by a bad disk is said, and the folder stays as it was."""
    path = bench.folder / "out.jsonl.sweep" / "sweep.json"
    path.parent.mkdir()
    path.write_text(text)
    bench.sweep("-O", "out.jsonl", status=1)
    assert bench.said == (
        "sweep: out.jsonl.sweep/sweep.json is damaged: choose another --output\n"
    )
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("words", "shown", "command"),
    [
        ("-s no -t 1,2", "verdict ", "compare --by threads"),
        ("-s no,volatile -w renew", "renew", "answer"),
        ("-s no", "process-safe", "answer"),
    ],
)
def test_conclusion(bench, program, words, shown, command):
    """If one option of one store was varied, that is compared; else it is the answer, or the
    tables if the runs were too short to answer."""
    bench.link(program("ubench_report"))
    out = bench.sweep(
        *("-n", "50", "-r", "2", "-O", "out.jsonl", "--store", "memfile"), *words.split()
    )
    conclusion = out.partition(" failed\n")[2]
    assert shown in conclusion
    assert f"  ./ubench_report {command} out.jsonl\n" in conclusion


@pytest.mark.servers("pgsql")
def test_private_servers(bench, program, script):
    """One is started anew with other options, which are read back from it, and is stopped in the
    end; one that ran before runs after it, interrupted or not."""
    runner = program("pgsql_ubench")
    bench.link(runner)
    bench.environment["UBENCH_SERVERS"] = str(bench.folder / "o'servers")

    def servers(action):
        return process.capture([script("servers"), action, "pgsql"], env=bench.environment)

    options = ["--store", "memfile,pgsql", "-s", "no", "-r", "2", "-n", "50", "--campaign", "x"]
    options += ["--server-option", "shared_buffers=2MB,3MB,1000TB", "--order-seed", "2"]
    out = bench.sweep(*options, status=1)
    assert len(re.findall("=1000TB\n    LEFT OUT .* pgsql: .*FATAL:  invalid", out)) == 1
    facts = [(line["store"], line["facts"].get("shared_buffers")) for line in bench.lines()]
    sizes = ["2MB", "2MB", "3MB", "3MB"]
    assert sorted(facts, key=str) == [("memfile", None)] * 2 + [("pgsql", size) for size in sizes]
    assert servers("status").status == 1
    try:
        assert servers("start").status == 0
        bench.script("pgsql_ubench", HELD.format(runner))
        words = ["--store", "pgsql", "-s", "no", "-r", "3", "-n", "100"]
        assert bench.interrupt(signal.SIGTERM, words) == 143
        (bench.folder / "open").touch()
        bench.sweep(*words, "-O", "out.jsonl")
        assert len(bench.cells("out.jsonl")) == 3
        assert servers("status").status == 0
    finally:
        servers("stop")
    shutil.rmtree(bench.folder / "o'servers")


# ---- Refusals


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("--nonsense", 2, "--nonsense: unknown option"),
        ("stray", 2, "'stray': unexpected argument"),
        ("-n abc", 2, "_ubench: --count: 'abc' is not a whole number in 1..100000000"),
        ("-n 100,0", 2, "_ubench: --count: 0 is outside 1..100000000"),
        ("-n 10,20 -n 30", 2, "'count' is given twice; expected one list of its values"),
        ("-t 1000 -n 100 --store memfile", 2, "--threads: 1000 exceeds --count=100"),
        ("-s volatil --store memfile", 2, "did you mean volatile?"),
        ("-s yes --store null", 2, "none of the stores has 'sync'"),
        ("-o buffer", 2, "--set: 'buffer' is not NAME=VALUE"),
        ("-o buffer=1 -o buffer=2", 2, "'buffer' is given twice"),
        ("-n 1,,2", 2, "--count: '1,,2' has an empty value"),
        ("--store oracle", 2, "--store: 'oracle' is not one of those whose runner is built:"),
        ("--store memfile,memfile", 2, "--store: memfile is given twice"),
        ("-r 1001", 2, "--blocks: '1001' is not a whole number in 1..1000"),
        ("--order-seed 0", 2, "--order-seed: '0' is not a whole number in 1..999999999"),
        ("--campaign two/words", 2, "'two/words' is not 1 to 100 letters, digits and .:_-"),
        ("--server-option x", 2, "--server-option: 'x' is not NAME=VALUE"),
        ("--restart-server --store memfile", 2, "none of the stores has a private server"),
        ("-f x --store memfile", 2, "none of the stores has 'database'"),
        ("--dry-run=yes", 2, "--dry-run: ignored explicit argument 'yes'"),
        ("-O missing/out.jsonl", 1, "--output: cannot write to 'missing'"),
        ("-O new/", 1, "--output: 'new/' is not a regular file"),
        ("-O notes", 1, "--output: 'notes' is not a file of ubench results"),
        ("@missing", 2, "@missing: cannot read"),
        ("@/dev/null", 2, "@/dev/null: /dev/null is empty"),
        ("@./stray.sweep", 2, "line 1 is not an option; expected options of a sweep"),
        ("@/etc/passwd", 2, "@/etc/passwd: /etc/passwd: line 1 is not an option"),
        ("-p secret", 2, "-p: a password in a command would be recorded"),
        ("-n 1 --set init_connect=x,password=y", 2, "password=...: a password in a command"),
        ("-o cache_size=1,2 --store memfile --dry-run", 2, "is not a setting of memfile"),
        ("-n 1\n2", 2, "--count: control characters are not for a sweep"),
    ],
)
def test_refusals(monkeypatch, capsys, tmp_path, program, words, status, said):
    """Each is one line, and leaves no file behind."""
    monkeypatch.setenv("BIN", str(program("memfile_ubench").parent))
    monkeypatch.chdir(tmp_path)
    Path("notes").write_text("a note\n")
    Path("stray.sweep").write_text("stray\n")
    assert sweep.main(words.split(" ")) == status
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("sweep: ")
    assert said in printed.err
    assert "secret" not in printed.err
    assert printed.err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes", "stray.sweep"]


def test_server_that_is_named_is_left_alone(monkeypatch, capsys, tmp_path, program):
    monkeypatch.setenv("BIN", str(program("pgsql_ubench").parent))
    monkeypatch.setenv("UBENCH_PGSQL_HOST", "db")
    monkeypatch.chdir(tmp_path)
    assert sweep.main(["--restart-server", "--store", "pgsql"]) == 2
    assert "a server that -m, -P, UBENCH_MYSQL_HOST and the like name" in capsys.readouterr().err
