# SPDX-License-Identifier: ISC
"""duel, with runners whose speed is known, and with real ones."""

import glob
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]
FAKE = str(Path(__file__).resolve().parent / "fake_ubench")
BIN = os.environ["BIN"]


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


class Duel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        Path(self.folder, "noise").write_text("[0, 0]")
        self.environment = {**os.environ, "NOISE": f"{self.folder}/noise"}

    def duel(self, *words):
        done = subprocess.run([SCRIPTS / "duel", *words], cwd=self.folder, text=True,
                              env=self.environment, capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def fakes(self, options, *sides):
        return self.duel(*options, *(word for side in sides for word in ("--", FAKE,
                                                                         *side.split())))

    def line(self):
        return json.loads((self.folder / "d.jsonl").read_text())

    def left(self):
        return [path.name for path in self.folder.iterdir()
                if path.name not in ("noise", "d.jsonl", "junit.xml", "x.duels")]

    def test_a_known_difference_is_found_in_the_noise(self):
        status, out, said = self.fakes(
            ["--time", "1h", "--precision", "2%", "--seed", "7", "--rounds", "1", "-O", "d.jsonl"],
            "rate=1000 seed=1 noise=.03", "rate=900 seed=2 noise=.03")
        self.assertEqual((status, said), (0, ""))
        self.assertRegex(out, r"B against A +\d+(\.\d)? % slower")
        line = self.line()
        self.assertEqual([(side["name"], side["twin"]) for side in line["sides"]],
                         [("fake rate=1000 seed=1", False), ("fake rate=900 seed=2", False),
                          ("fake rate=1000 seed=1", True)])
        self.assertEqual(len(line["slices"]) % 6, 0)
        self.assertEqual(self.left(), [])

    def test_a_gate_by_its_exit_status(self):
        self.environment["NOISE"] = ""
        for side, wanted, words in (
                ("rate=1000", 0, "passed"), ("rate=800", 4, "not passed"),
                ("rate=950 swing=.3", 5, "too imprecise to tell")):
            status, _, said = self.fakes(
                ["--time", "2s", "--slice", "100ms", "--not-worse-than", "10%", "--no-null",
                 "--rounds", "1", "--junit", "junit.xml"],
                "rate=1000 pause=.01", side + " pause=.01")
            self.assertEqual(status, wanted, said)
            self.assertIn(words, said)
            self.assertEqual((self.folder / "junit.xml").read_text().count("<failure"),
                             int(wanted != 0))

    def test_a_file_of_duels_goes_on_where_it_was(self):
        """A duel that failed is tried again, and does not keep the others from it."""
        (self.folder / "x.duels").write_text(
            f"# some\n--label one -- {FAKE} -- \\\n {FAKE}\n"
            f"--label two -- {FAKE} -- {FAKE} fate=dies\n--label three -- {FAKE} -- {FAKE}\n")
        for wanted in ["one", "three"], ["one", "three"]:
            status, _, said = self.duel("--time", "100ms", "--slice", "10ms", "-O", "d.jsonl",
                                        "@./x.duels")
            self.assertEqual(status, 1)
            self.assertIn("the server has gone away", said)
            labels = [json.loads(line)["label"] for line in
                      (self.folder / "d.jsonl").read_text().splitlines()]
            self.assertEqual(labels, wanted)
        for text, words in (("", "each with a --label"), ("--label x -- a", "1 command(s)")):
            (self.folder / "x.duels").write_text(text)
            status, _, said = self.duel("-O", "d.jsonl", "@./x.duels")
            self.assertEqual(status, 2)
            self.assertIn(words, said)

    def test_a_side_that_fails_ends_it_without_figures(self):
        for fate, wanted, words in (("dies", 1, "B: fake_ubench: the server has gone away"),
                                    ("lies", 3, "B: fake_ubench: a wrong answer"),
                                    ("babbles", 1, "B: it said 'babble"),
                                    ("refused", 2, "B: fake_ubench: --sync")):
            status, out, said = self.fakes(["--time", "300ms", "-O", "d.jsonl"], "rate=1",
                                           f"fate={fate}")
            self.assertEqual((status, out), (wanted, ""), said)
            self.assertIn(words, said)
            self.assertFalse((self.folder / "d.jsonl").exists())
            self.assertEqual(self.left(), [])

    def test_operations_that_failed_are_said(self):
        _, out, _ = self.fakes(["--time", "200ms", "--slice", "10ms"], "rate=1", "fate=fails")
        self.assertRegex(out, r"errors +the store gave up \d+ operations of B")

    def test_a_signal_ends_it_and_all_that_it_started(self):
        noise = self.folder / "noise"
        for fate in ("", "fate=sleeps"):
            noise.write_text("[0, 0]")  # a side that works changes it
            process = subprocess.Popen(
                [SCRIPTS / "duel", "-O", "d.jsonl", "--slice", "10ms", "--", FAKE, "pause=.01",
                 "--", FAKE, "rate=2", *fate.split()], cwd=self.folder, text=True,
                env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertTrue(wait_for(lambda: noise.read_text() != "[0, 0]", 300))
            process.send_signal(signal.SIGINT)
            out, said = process.communicate(timeout=600)
            self.assertEqual(process.returncode, 130, said)
            self.assertIn("the duel was interrupted", out)
            self.assertTrue(self.line()["incomplete"])
            (self.folder / "d.jsonl").unlink()
            self.assertEqual(self.left(), [])

    def test_what_is_refused(self):
        for words, wanted in (
                ([], "0 command(s); expected two or more"),
                (["--", "a"], "1 command(s)"),
                (["--", "a", "--", "--", "b"], "expected two or more"),
                (["--time", "5", "--", "a", "--", "b"], "--time: '5' is not a time"),
                (["--precision", "0", "--", "a", "--", "b"], "--precision: '0' is not a share"),
                (["--not-worse-than", "100%", "--", "a", "--", "b"], "is not a share above 0"),
                (["--junit", "x", "--", "a", "--", "b"], "give --not-worse-than, too"),
                (["--slice", "20m", "--", "a", "--", "b"],
                 "--slice: '20m' is not a time with its unit, in 1ms..10m"),
                (["--server", "mysql", "--", "ssh", "a", "a_ubench", "--", "b"],
                 "a private server is for"),
                (["@none"], "@none: cannot read"),
                (["--", "a", "-psecret", "--", "b"], "put it into UBENCH_PASSWORD"),
                (["--server", "oracle", "--", "a", "--", "b"], "mysql or pgsql"),
                (["--server", "pgsql", "--", "mysql_ubench", "--", "b"], "begin with mysql"),
                (["--server=pgsql", "--server=pgsql", "--", "a", "--", "b", "--", "c"],
                 "--server is given 2 times"),
                (["--", "pgsql_ubench", "-m", "db", "--", "pgsql_ubench", "-m", "db"],
                 "two sides would use the database 'ubench'"),
                (["--server", "pgsql", "--", "pgsql_ubench", "-m", "x", "--", "pgsql_ubench"],
                 "names another one")):
            status, _, said = self.duel(*words)
            self.assertEqual(status, 2, (words, said))
            self.assertIn(wanted, said)
            self.assertNotIn("secret", said)

    def test_private_servers_end_with_the_duel(self):
        """With one that is killed, too."""
        if not os.path.exists(f"{BIN}/pgsql_ubench") or not glob.glob(
                "/usr/lib/postgresql/*/bin/postgres"):
            self.skipTest("PostgreSQL: its server is not installed, or its runner was not built")
        build = SCRIPTS.parent / "build"
        words = ["--no-null", "--rounds", "1", "--slice", "20ms",
                 "--server", "pgsql -c synchronous_commit=off",
                 *["--", f"{BIN}/pgsql_ubench", "-w", "renew", "--preload", "100"] * 2]
        others = set(build.glob("run-*"))
        status, out, said = self.duel("--time", "1s", *words)
        self.assertEqual((status, said), (0, ""))
        self.assertIn("synchronous_commit=off", out)
        self.assertLessEqual(set(build.glob("run-*")), others)
        process = subprocess.Popen([SCRIPTS / "duel", "--time", "1h", *words], cwd=self.folder,
                                   stderr=subprocess.PIPE)
        self.assertTrue(wait_for(lambda: len(set(build.glob("run-*/pgsql/*")) - others) > 1, 300))
        process.kill()
        process.communicate()
        self.assertTrue(wait_for(lambda: set(build.glob("run-*")) <= others, 300))

    def test_real_runners(self):
        status, _, said = self.duel(
            "--time", "2s", "--slice", "20ms", "-O", "d.jsonl", "--",
            f"{BIN}/sqlite_ubench", "-w", "renew", "-s", "no", "--preload", "200", "--",
            f"{BIN}/memfile_ubench", "-w", "renew", "-s", "no", "--preload", "200")
        self.assertEqual((status, said), (0, ""))
        line = self.line()
        self.assertEqual([side["result"]["store"] for side in line["sides"]],
                         ["sqlite", "memfile", "sqlite"])
        for side, entry in enumerate(line["sides"]):
            self.assertTrue(entry["result"]["runs"][0]["verified"])
            self.assertGreaterEqual(entry["result"]["runs"][0]["phases"][0]["operations"], sum(
                row[1] for row in line["slices"] if row[0] == side and row[9] == 9))
        self.assertEqual(line["slices"][-1][9], 9)
        self.assertEqual(self.left(), [])


if __name__ == "__main__":
    unittest.main()
