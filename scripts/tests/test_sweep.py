# SPDX-License-Identifier: ISC
"""scripts/sweep with runners: null and memfile, or sh scripts that call these."""

import glob
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]
BIN = Path(os.environ["BIN"]).resolve()
FIXED = ["--order-seed", "1", "--campaign", "x", "-r", "1"]
MOODY = """#!/bin/sh
case "$*" in
*--help*) ;;
*--threads=8*) echo "moody_ubench: eight are no number of mine" >&2; exit 2 ;;
*--threads=4*) echo "moody_ubench: four are too many" >&2; exit 1 ;;
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
*--help* | *--list-options*) ;;
*) until [ -e ../../open ] || mv ../../go ../../gone 2>/dev/null; do sleep 0.02; done ;;
esac
exec {} "$@"
"""


def without_times(text):
    return re.sub(r"[0-9.]+ (s|min)\b", "TIME", text)


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="ubench-sweep.", dir="/var/tmp"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "bin").mkdir()
        self.env = {**os.environ, "BIN": str(self.folder / "bin")}
        for name in [name for name in self.env if name.startswith("UBENCH_")]:
            del self.env[name]
        for program in ("null_ubench", "memfile_ubench"):
            if not (BIN / program).exists():
                self.skipTest(f"{program} was not built")
            (self.folder / "bin" / program).symlink_to(BIN / program)

    def script(self, name, text):
        path = self.folder / "bin" / name
        path.unlink(missing_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def sweep(self, *words, status=0):
        """Its output, without times."""
        done = subprocess.run([SCRIPTS / "sweep", *words], cwd=self.folder, env=self.env, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=1800,
                              check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.said = done.stderr
        return without_times(done.stdout)

    def lines(self, name="sweep.jsonl"):
        """The lines of the runs that are done."""
        path = self.folder / name
        text = path.read_text().splitlines() if path.exists() else []
        return [json.loads(line) for line in text]

    def runs(self, name="sweep.jsonl"):
        """(block, position, role, cell) in the order of blocks."""
        labels = [line["labels"] for line in self.lines(name) if "block" in line["labels"]]
        return sorted((int(one["block"]), int(one["position"]), one["role"], one["cell"])
                      for one in labels)

    def names(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.glob("**/*")
                      if "bin" not in path.parts)

    def interrupt(self, sent, words):
        """Ends a sweep by a signal when one more run is done and the next one is held; returns its
        exit status."""
        (self.folder / "open").unlink(missing_ok=True)
        (self.folder / "go").touch()
        before = len(self.lines("out.jsonl"))
        child = subprocess.Popen([SCRIPTS / "sweep", *words, "-O", "out.jsonl"], cwd=self.folder,
                                 env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 text=True)
        end = time.monotonic() + 1800
        while len(self.lines("out.jsonl")) == before and time.monotonic() < end:
            time.sleep(0.02)
        child.send_signal(sent)
        self.said = child.communicate(timeout=1800)[1]
        return child.returncode

    def test_dry_runs(self):
        """The cells, what is left out of them, and the order that a seed gives."""
        (self.folder / "mine.sweep").write_text(
            "# a comment, and an empty line\n\n-r 2\n-s yes\n-n 100\n+\n  --store memfile\n"
            "-s volatile,no\n--count 300\n-o format=kea\n")
        four = [f"memfile sync={sync} threads={threads}" for sync in ("volatile", "no")
                for threads in (1, 4)]
        nine = [f"{store}count={count} threads={threads}"
                for store in ("memfile buffer=4k ", "memfile buffer=64k ", "null ")
                for count, threads in ((100, 2), (300, 2), (300, 200))]
        mine = ["memfile sync=yes count=100", "null count=100",
                "memfile sync=volatile count=300 format=kea",
                "memfile sync=no count=300 format=kea"]
        memfile = ["--store", "memfile", "-s", "volatile"]
        cases = [
            ("--order-seed 7 -n 20 -r 3 -s volatile,no -t 1,4 --campaign x", [], four,
             ["4 2 1 3", "3 2 4 1", "1 3 4 2"]),
            ("--order-seed=7 -n20 -r3 --sync=volatile,no --threads=1,4 --campaign=x", [], four,
             ["4 2 1 3", "3 2 4 1", "1 3 4 2"]),
            ("--store memfile,null -o buffer=4k,64k -n 100,300 -t 2,200", FIXED, nine,
             ["9 1 4 6 5 7 3 8 2"]),
            ("--order-seed 1 --campaign x @./mine.sweep --store memfile,null", [], mine,
             ["1 4 3 2", "2 1 3 4"]),
            ("@./mine.sweep -n 50 -t 2 --store null", FIXED, ["null"], ["1"]),
            ("-w renew --rate 50,100 --duration 200ms", FIXED + memfile,
             ["memfile rate=50", "memfile rate=100"], ["1 2"]),
            ("--store null -O-x.jsonl", FIXED, ["null"], ["1"])]
        for words, more, cells, orders in cases:
            with self.subTest(words):
                out = self.sweep("--dry-run", *words.split(), *more)
                self.assertEqual(re.findall(r"^ +\d+  (.*)", out, re.MULTILINE), cells)
                self.assertEqual(re.findall(r"^block \d+: (.*)", out, re.MULTILINE), orders)
                self.assertIn("results go to " + ("-x" if "-x.j" in words else "mine" if
                                                  "mine" in words else "sweep") + ".jsonl", out)
                if cells == nine:
                    self.assertIn("left out:\n  memfile_ubench: --threads: 200 exceeds", out)
        self.assertEqual(self.names(), ["mine.sweep"])

    def test_a_campaign(self):
        """From beginning to end, in a file that has something in it."""
        subprocess.run([BIN / "null_ubench", "-v", "no", "-O", self.folder / "out.jsonl"],
                       stdout=subprocess.DEVNULL, check=True)
        words = ["-n", "50", "-r", "2", "-s", "no,volatile", "-t", "1,2", "--order-seed", "7",
                 "--campaign", "mine", "-O", "out.jsonl", "--store", "memfile"]
        out = self.sweep(*words)
        cells = [f"memfile sync={sync} threads={threads}" for sync in ("no", "volatile")
                 for threads in (1, 2)]
        order = [cell for *_, cell in self.runs("out.jsonl")]
        self.assertEqual(order, [cells[i] for i in (3, 1, 0, 2, 2, 1, 3, 0)])
        self.assertEqual({run[2] for run in self.runs("out.jsonl")}, {"cell"})
        for number, cell in enumerate(order, 1):
            left = "block 1 of 2" if number < 5 else "block 2 of 2, TIME left"
            self.assertIn(f"[{number}/8] {left}: {cell}: ", out)
        more = "".join(f"  ./ubench_report {line}\n" for line in (
            "answer out.jsonl", "tables out.jsonl", "page out.jsonl >out.html"))
        self.assertTrue(out.endswith("8 of 8 runs are in out.jsonl; 0 failed\n\n" + more), out)
        lines = self.lines("out.jsonl")
        self.assertEqual([line["labels"].get("campaign") for line in lines], [None] + 8 * ["mine"])
        self.assertEqual({line["labels"]["order-seed"] for line in lines[1:]}, {"7"})
        self.assertEqual({line["parameters"]["output"] for line in lines[1:]}, {"../../out.jsonl"})
        # The same command has nothing to do, and another one is not mixed with it.
        self.assertIn("campaign mine: 8 of 8 runs are done; another --output begins another one\n"
                      "8 of 8", self.sweep(*words))
        self.sweep("-n", "50", "-r", "3", "-O", "out.jsonl", status=1)
        self.assertIn("out.jsonl is of another command", self.said)
        self.assertEqual(len(self.lines("out.jsonl")), 9)
        self.assertEqual(self.names(), ["out.jsonl", "out.jsonl.sweep",
                                        "out.jsonl.sweep/sweep.json"])

    def test_failures(self):
        """A cell that is refused when it is run, one that always fails, one that fails at times,
        a wrong answer."""
        self.script("moody_ubench", MOODY)
        words = ["--store", "moody", "-t", "1,2,4,8", "-r", "3", "--campaign", "mine",
                 "--order-seed", "3"]
        for status in (1, 3):
            (self.folder / "mood").write_text(str(status))
            out = self.sweep(*words, status=status)
            self.assertRegex(out, r"block 2 of 3(, TIME left)?: moody threads=2\n    FAILED \(exit "
                             rf"status {status}\): moody_ubench: not now\n")
            self.assertEqual(out.count("LEFT OUT from now on: moody_ubench: eight are"), 1)
            self.assertEqual(out.count("(exit status 1): moody_ubench: four are too many"), 3)
            self.assertIn("5 of 9 runs are in sweep.jsonl; 4 failed, and are tried again by the "
                          "same command\n", out)
            cells = [cell for *_, cell in self.runs()]
            self.assertEqual([cells.count(f"moody threads={n}") for n in (1, 2, 4)], [3, 2, 0])
        (self.folder / "mood").unlink()
        out = self.sweep(*words, status=1)
        self.assertIn("campaign mine: 5 of 12 runs are done\n", out)
        self.assertIn("6 of 9 runs are in sweep.jsonl; 3 failed", out)
        # Where nothing can be run, nothing is left.
        self.sweep("--store", "memfile", "-o", "nonsense=1,2", "-O", "o.jsonl", status=2)
        self.assertIn("no cell can be run: memfile_ubench: --set: 'nonsense' is not a setting",
                      self.said)
        self.assertFalse((self.folder / "o.jsonl.sweep").exists())

    def test_interruptions(self):
        """Interrupted, killed, torn: each run is there in the end, and once."""
        self.script("memfile_ubench", HELD.format(BIN / "memfile_ubench"))
        words = ["-n", "500", "-r", "3", "-s", "yes,no", "--store", "memfile", "--campaign", "mine"]
        self.assertEqual(self.interrupt(signal.SIGTERM, words), 143)
        self.assertEqual(self.said, "sweep: interrupted: the same command goes on\n")
        self.assertEqual(self.interrupt(signal.SIGINT, words), 130)
        self.assertEqual(self.interrupt(signal.SIGKILL, words), -9)
        # A run that was left behind comes to its end, and is not lost.
        (self.folder / "open").touch()
        said = subprocess.run(["flock", self.folder, SCRIPTS / "sweep", "-n", "10"], check=False,
                              cwd=self.folder, env=self.env, capture_output=True, text=True).stderr
        self.assertEqual(said, "sweep: another sweep, or a run that one left behind, is at work "
                         "in .\n")
        # The machine seems to have stopped within a write.
        path = self.folder / "out.jsonl"
        path.write_text(path.read_text() + '{"format":"ubench-result/1","labels":{')
        self.assertIn("6 of 6 runs are in out.jsonl; 0 failed",
                      self.sweep(*words, "-O", "out.jsonl"))
        path.write_text(path.read_text().replace("{\n", "{}}\n"))
        self.assertEqual([run[:2] for run in self.runs("out.jsonl")],
                         [(block, position) for block in (1, 2, 3) for position in (1, 2)])

    def test_a_damaged_folder(self):
        """Damage by a bad disk is said, and the folder stays as it was."""
        (self.folder / "out.jsonl.sweep").mkdir()
        path = self.folder / "out.jsonl.sweep" / "sweep.json"
        for text in ('{"place":', "{}", "[1]", '{"arguments":[1]}', '"x"'):
            path.write_text(text)
            self.sweep("-O", "out.jsonl", status=1)
            self.assertEqual(self.said, "sweep: out.jsonl.sweep/sweep.json is damaged: choose "
                             "another --output\n")
            self.assertEqual(path.read_text(), text)

    def test_the_end(self):
        """If one thing of one store varies it ends with that comparison, else the answer; with the
        tables if the runs were too short for one."""
        report = BIN / "ubench_report"
        if not report.exists():
            self.skipTest("ubench_report was not built")
        (self.folder / "bin/ubench_report").symlink_to(report)
        for words, shown, command in (
                ("-s no -t 1,2", "verdict ", "compare --by threads"),
                ("-s no,volatile -w renew", "process-safe, renew: ", "answer"),
                ("-s no", "process-safe: ", "answer")):
            out = self.sweep("-n", "50", "-r", "2", "-O", "out.jsonl",
                             "--store", "memfile", *words.split())
            tail = out.split(" failed\n")[1]
            self.assertRegex(tail, shown)
            self.assertIn(f"  ./ubench_report {command} out.jsonl\n", tail)
            shutil.rmtree(self.folder / "out.jsonl.sweep")
            (self.folder / "out.jsonl").unlink()

    def test_private_servers(self):
        """One is started anew with other options, which are read back from it, and is stopped
        in the end; one that ran before runs after it, too, interrupted or not."""
        if not (BIN / "pgsql_ubench").exists() or not glob.glob(
                "/usr/lib/postgresql/*/bin/postgres"):
            self.skipTest("PostgreSQL: its server is not installed, or its runner was not built")
        (self.folder / "bin/pgsql_ubench").symlink_to(BIN / "pgsql_ubench")
        self.folder.chmod(0o755)
        self.env["UBENCH_SERVERS"] = str(self.folder / "o'servers")
        servers = [SCRIPTS / "servers.sh"]
        self.addCleanup(subprocess.run, [*servers, "stop"], env=self.env, check=False)
        out = self.sweep("--store", "memfile,pgsql", "-s", "no", "-r", "2", "-n", "50",
                         "--order-seed", "2", "--campaign", "x",
                         "--server-option", "shared_buffers=2MB,3MB,1000TB", status=1)
        self.assertEqual(len(re.findall(r"shared_buffers=1000TB\n    LEFT OUT .* pgsql: .*FATAL:  "
                                        "invalid", out)), 1)
        self.assertEqual(sorted((line["store"], line["facts"].get("shared_buffers", ""),
                                 line["labels"]["cell"]) for line in self.lines()),
                         [("memfile", "", "memfile")] * 2 +
                         [("pgsql", size, f"pgsql shared_buffers={size}") for size in
                          ("2MB", "2MB", "3MB", "3MB")])
        self.assertEqual(subprocess.run([*servers, "status", "pgsql"], env=self.env,
                                        stdout=subprocess.DEVNULL, check=False).returncode, 1)
        subprocess.run([*servers, "start", "pgsql"], env=self.env, check=True,
                       stdout=subprocess.DEVNULL)
        self.script("pgsql_ubench", HELD.format(BIN / "pgsql_ubench"))
        words = ["--store", "pgsql", "-s", "no", "-r", "3", "-n", "100"]
        self.assertEqual(self.interrupt(signal.SIGTERM, words), 143)
        (self.folder / "open").touch()
        self.sweep(*words, "-O", "out.jsonl")
        self.assertEqual(len(self.runs("out.jsonl")), 3)
        self.assertEqual(subprocess.run([*servers, "status", "pgsql"], env=self.env,
                                        stdout=subprocess.DEVNULL, check=False).returncode, 0)
