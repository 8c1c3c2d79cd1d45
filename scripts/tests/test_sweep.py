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
*block=2*--threads=2*)
    if [ -e ../../mood ]; then
        echo "moody_ubench: not now" >&2
        exit "$(cat ../../mood)"
    fi
    ;;
esac
exec "$(dirname "$0")/null_ubench" "$@"
"""
SLOW = """#!/bin/sh
case "$*" in *--help* | *--list-options*) ;; *) sleep 0.3 ;; esac
exec {} "$@"
"""


def without_times(text):
    text = re.sub(r"[0-9.]+ (s|min)\b", "TIME", text)
    return re.sub(r", until .*", "", text)


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
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=600,
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
        """Ends a sweep by a signal when one more run is done; returns its exit status."""
        before = len(self.lines("out.jsonl"))
        child = subprocess.Popen([SCRIPTS / "sweep", *words, "-O", "out.jsonl"], cwd=self.folder,
                                 env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 text=True)
        end = time.monotonic() + 300
        while len(self.lines("out.jsonl")) == before and time.monotonic() < end:
            time.sleep(0.02)
        child.send_signal(sent)
        self.said = child.communicate(timeout=300)[1]
        return child.returncode

    def test_dry_runs(self):
        """The cells, what is left out of them, and the order that a seed gives."""
        (self.folder / "mine.sweep").write_text(
            "# a comment, and an empty line\n\n-s yes\n-n 100\n+\n  --store memfile\n"
            "-s volatile,no\n--count 300\n-o format=kea\n")
        four = [f"memfile sync={sync} threads={threads}" for sync in ("volatile", "no")
                for threads in (1, 4)]
        nine = [f"{store}count={count} threads={threads}"
                for store in ("memfile buffer=4k ", "memfile buffer=64k ", "null ")
                for count, threads in ((100, 2), (300, 2), (300, 200))]
        mine = ["memfile sync=yes count=100", "null count=100",
                "memfile sync=volatile count=300 format=kea",
                "memfile sync=no count=300 format=kea"]
        none, memfile = ["--reference", "none"], ["--store", "memfile", "-s", "volatile"]
        cases = [
            ("--order-seed 7 -n 20 -r 3 -s volatile,no -t 1,4 --campaign x", none, four,
             ["1 4 2 3", "3 2 4 1", "1 2 3 4"]),
            ("--order-seed=7 -n20 -r3 --sync=volatile,no --threads=1,4 --campaign=x",
             ["--reference=none"], four, ["1 4 2 3", "3 2 4 1", "1 2 3 4"]),
            ("--order-seed 8 -n 20 -r 3 -s volatile,no -t 1,4 --campaign x",
             ["--reference", "null -n 100"], four,
             ["R 3 2 4 1 R", "R 4 3 1 2 R", "R 2 1 4 3 R"]),
            ("--store memfile,null -o buffer=4k,64k -n 100,300 -t 2,200", FIXED + none, nine,
             ["2 8 9 3 7 1 6 5 4"]),
            ("--order-seed 1 --campaign x -r 2 @./mine.sweep --store memfile,null",
             ["--reference", "null -n 5"], mine, ["R 1 3 4 2 R", "R 4 3 2 1 R"]),
            ("@./mine.sweep -n 50 -t 2 --store null", FIXED + none, ["null"], ["1"]),
            # These have no --count, cannot be without leases, or have no --preload.
            ("-o buffer=4k,64k -w storm --clients 50", FIXED + none + memfile,
             ["memfile buffer=4k", "memfile buffer=64k"], ["2 1"]),
            ("-w renew --rate 50,100 --duration 200ms", FIXED + none + memfile,
             ["memfile rate=50", "memfile rate=100"], ["2 1"]),
            ("-o buffer=4k,64k -w churn --preload 10,20k -n 200", FIXED + none + memfile,
             [f"memfile buffer={size} preload={preload}" for size in ("4k", "64k")
              for preload in ("10", "20k")], ["1 3 4 2"]),
            ("-w fill --pool 100,200", FIXED + none + memfile,
             ["memfile pool=100", "memfile pool=200"], ["2 1"]),
            ("--store null -O-x.jsonl", FIXED + none, ["null"], ["1"])]
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

    def test_same_settings(self):
        """Cells that promise the same by different words are run once."""
        out = self.sweep("--store", "memfile,null", "-s", "yes,power-safe", "-n", "50",
                         "--reference", "none", *FIXED)
        self.assertIn("come to the same settings and are run once:\n"
                      "  memfile sync=yes, memfile sync=power-safe\n2 runs in", out)
        self.assertEqual(self.runs(), [(1, 1, "cell", "null"), (1, 2, "cell", "memfile sync=yes")])

    def test_a_campaign(self):
        """From beginning to end, in a file that has something in it."""
        subprocess.run([BIN / "null_ubench", "-v", "no", "-O", self.folder / "out.jsonl"],
                       stdout=subprocess.DEVNULL, check=True)
        words = ["-n", "50", "-r", "2", "-s", "no,volatile", "-t", "1,2", "--order-seed", "7",
                 "--campaign", "mine", "-O", "out.jsonl", "--reference", "null -n 1000",
                 "--store", "memfile"]
        out = self.sweep(*words)
        order = [cell for *_, cell in self.runs("out.jsonl")]
        sync = {"1": "no", "3": "volatile"}
        first = [f"memfile sync={sync[a]} threads={b}" for a, b in ("11", "32", "12", "31")]
        self.assertEqual(order, ["reference", *first, "reference", "reference", first[3], first[2],
                                 first[1], first[0], "reference"])
        for number, cell in enumerate(order, 1):
            block = (number + 5) // 6
            self.assertIn(f"[{number}/12] block {block} of 2, TIME left: {cell}, TIME\n", out)
        more = "".join(f"  ./ubench_report {line}\n" for line in (
            "answer out.jsonl", "compare --by threads out.jsonl", "tables out.jsonl",
            "page out.jsonl >out.html"))
        self.assertTrue(out.endswith("12 of 12 runs are in out.jsonl; 0 failed\n\n" + more)
                        or "WARNING" in out, out)
        lines = self.lines("out.jsonl")
        self.assertEqual([line["labels"].get("campaign") for line in lines], [None] + 12 * ["mine"])
        self.assertEqual({line["labels"]["order-seed"] for line in lines[1:]}, {"7"})
        # The same command has nothing to do, and another one is not mixed with it.
        for again in (words, ["--resume", "out.jsonl.sweep"]):
            self.assertIn("campaign mine is done; another --output begins another one\n12 of 12",
                          self.sweep(*again))
        self.sweep("-n", "50", "-r", "3", "-O", "out.jsonl", status=1)
        self.assertIn("out.jsonl is of another command", self.said)
        self.assertEqual(len(self.lines("out.jsonl")), 13)
        self.assertEqual(self.names(), [
            "out.jsonl", "out.jsonl.sweep", "out.jsonl.sweep/runner.lock",
            "out.jsonl.sweep/sweep.json"])

    def test_failures(self):
        """A cell that cannot be run at all, one that fails at times, a wrong answer."""
        self.script("moody_ubench", MOODY)
        words = ["--store", "moody", "-t", "1,2,4", "-r", "3", "--reference", "none",
                 "--campaign", "mine", "--order-seed", "3"]
        (self.folder / "mood").write_text("1")
        four = "cannot be run:\n  moody threads=4: moody_ubench: four are too many\n"
        for status in (1, 3):
            (self.folder / "mood").write_text(str(status))
            out = self.sweep(*words, status=status)
            self.assertIn("[3/6] block 2 of 3, TIME left: moody threads=2, FAILED (exit status "
                          f"{status})\n    moody_ubench: not now\n", out)
            self.assertIn("5 of 6 runs are in sweep.jsonl; 1 failed\n        1 moody threads=2\n"
                          "The same command tries them again.\n" + four, out)
            self.assertEqual([run[:2] for run in self.runs()],
                             [(1, 1), (1, 2), (2, 2), (3, 1), (3, 2)])
        (self.folder / "mood").unlink()
        out = self.sweep(*words, status=1)
        self.assertIn("campaign mine: 5 of 6 runs are done\n[3/6] block 2 of 3", out)
        self.assertIn("6 of 6 runs are in sweep.jsonl; 0 failed\n" + four, out)
        # A cell that a store refuses when it is opened is left out.
        out = self.sweep("--store", "moody", "-t", "1,8", "-r", "1", "--dry-run", "-O", "o.jsonl",
                         "--reference", "none")
        self.assertIn("    1  moody threads=1\nleft out:\n  moody_ubench: eight are", out)

    def test_interruptions(self):
        """Interrupted, killed, torn: each run is there in the end, and once."""
        self.script("memfile_ubench", SLOW.format(BIN / "memfile_ubench"))
        words = ["-n", "500", "-r", "3", "-s", "yes,no", "--store", "memfile", "--reference",
                 "null -n 10", "--campaign", "mine"]
        self.assertEqual(self.interrupt(signal.SIGTERM, words), 143)
        self.assertEqual(self.said, "sweep: interrupted: the same command goes on, and so does "
                         "sweep --resume out.jsonl.sweep\n")
        self.assertEqual(self.interrupt(signal.SIGINT, words), 130)
        self.assertEqual(self.interrupt(signal.SIGKILL, words), -9)
        # The machine seems to have stopped within a write; and the run that was done, but not
        # written down.  The order of a line's members is nothing to rely on.
        folder = self.folder / "out.jsonl.sweep"
        subprocess.run(["flock", folder / "runner.lock", "true"], check=True)
        first, *rest = (self.folder / "out.jsonl").read_text().splitlines(keepends=True)
        (folder / "run.jsonl").write_text(first)
        (self.folder / "out.jsonl").write_text(
            "".join(json.dumps(json.loads(line), sort_keys=True) + "\n" for line in rest)
            + '{"format":"ubench-result/1","program":"memf')
        self.assertIn("12 of 12 runs are in out.jsonl; 0 failed",
                      self.sweep("--resume", "out.jsonl.sweep"))
        self.assertEqual([run[:2] for run in self.runs("out.jsonl")],
                         [(block, position) for block in (1, 2, 3) for position in (1, 2, 3, 4)])
        self.assertEqual((self.folder / "out.jsonl").read_text().count(first), 1)
        saved = json.loads((folder / "sweep.json").read_text())
        self.assertTrue(any(cell.get("seconds") for cell in saved["cells"]))

    def test_a_damaged_folder(self):
        """Damage by a bad disk is said, and the folder stays as it was."""
        (self.folder / "out.jsonl.sweep").mkdir()
        path = self.folder / "out.jsonl.sweep" / "sweep.json"
        for text in ('{"place":', "{}", "[1]", '{"place":"/","arguments":[1]}', '"x"'):
            path.write_text(text)
            for words in (["--resume", "out.jsonl.sweep"], ["-O", "out.jsonl"]):
                self.sweep(*words, status=1)
                self.assertEqual(self.said, "sweep: out.jsonl.sweep/sweep.json is damaged: choose "
                                 "another --output\n")
            self.assertEqual(path.read_text(), text)
        self.sweep("-n", "10", "--store", "null", "--reference", "none", *FIXED)
        saved = json.loads((self.folder / "sweep.jsonl.sweep/sweep.json").read_text())
        path.write_text(json.dumps({**saved, "place": "/missing"}))
        self.sweep("--resume", "out.jsonl.sweep", status=1)
        self.assertIn("--resume: /missing, where it began, is not there", self.said)

    def test_the_end(self):
        """If one thing of one store varies it ends with that comparison, else the answer."""
        report = BIN / "ubench_report"
        if not report.exists():
            self.skipTest("ubench_report was not built")
        (self.folder / "bin/ubench_report").symlink_to(report)
        for words, shown, command in (
                ("-s no -t 1,2", "verdict ", "compare --by threads"),
                ("-s no,volatile -w renew", "Which store", "answer"),
                ("-s no", "Which store", "answer")):
            out = self.sweep("-n", "50", "-r", "2", "--reference", "none", "-O", "out.jsonl",
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
        out = self.sweep("--store", "memfile,pgsql", "-s", "no", "-r", "1", "-n", "50",
                         "--reference", "none", "--order-seed", "2", "--campaign", "x",
                         "--server-option", "shared_buffers=2MB,3MB,1000TB", status=1)
        self.assertRegex(out, 'cannot be run:\n  pgsql shared_buffers=1000TB: .*FATAL:  invalid')
        self.assertEqual(self.runs(), [(1, 1, "cell", "pgsql shared_buffers=2MB"),
                                       (1, 2, "cell", "memfile"),
                                       (1, 3, "cell", "pgsql shared_buffers=3MB")])
        self.assertEqual([line["facts"].get("shared_buffers") for line in self.lines()],
                         ["2MB", None, "3MB"])
        self.assertEqual(subprocess.run([*servers, "status", "pgsql"], env=self.env,
                                        stdout=subprocess.DEVNULL, check=False).returncode, 1)
        subprocess.run([*servers, "start", "pgsql"], env=self.env, check=True,
                       stdout=subprocess.DEVNULL)
        self.script("pgsql_ubench", SLOW.format(BIN / "pgsql_ubench"))
        self.assertEqual(self.interrupt(signal.SIGTERM, [
            "--store", "pgsql", "-s", "no", "-r", "3", "-n", "100", "--reference", "none"]), 143)
        self.sweep("--resume", "out.jsonl.sweep")
        self.assertEqual(len(self.runs("out.jsonl")), 3)
        self.assertEqual(subprocess.run([*servers, "status", "pgsql"], env=self.env,
                                        stdout=subprocess.DEVNULL, check=False).returncode, 0)
