# SPDX-License-Identifier: ISC
"""duel, with runners whose speed is known, and with real ones."""

import contextlib
import glob
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]
FAKE = str(Path(__file__).resolve().parent / "fake_ubench")
BIN = os.environ["BIN"]
sys.path.insert(0, str(SCRIPTS))
import campaign  # noqa: E402

HANGS = 900  # seconds after which something will not end


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

    def assert_that_all_end(self, build, others):
        """No server of the folders that are new is left; those of other tests end, too."""
        new = set(build.glob("run-*")) - others
        wait_for(lambda: not any(folder.exists() for folder in new), HANGS)
        self.assertEqual([folder for folder in new if folder.exists()], [])

    def line(self):
        return json.loads((self.folder / "d.jsonl").read_text())

    def left(self):
        return [path.name for path in self.folder.iterdir()
                if path.name not in ("noise", "d.jsonl", "junit.xml", "x.duels")]

    def test_a_known_difference_is_found_in_the_noise(self):
        status, out, said = self.fakes(
            ["--time", "1h", "--precision", "2%", "--seed", "7", "--rounds", "1", "-O", "d.jsonl",
             "--slice", "20ms"],
            "rate=100000 seed=1 noise=.03", "rate=90000 seed=2 noise=.03")
        self.assertEqual((status, said), (0, ""))
        self.assertRegex(out, r"B against A +\d+(\.\d)? % slower")
        line = self.line()
        self.assertEqual([(side["name"], side["twin"]) for side in line["sides"]],
                         [("fake rate=100000 seed=1", False), ("fake rate=90000 seed=2", False),
                          ("fake rate=100000 seed=1", True)])
        self.assertEqual(len(line["slices"]) % 6, 0)
        self.assertEqual(self.left(), [])

    def test_a_gate_by_its_exit_status(self):
        self.environment["NOISE"] = ""
        as_needed = ["--time", "30m", "--precision", "2%"]  # on a busy machine, too
        for side, length, wanted, words in (
                ("rate=10000", as_needed, 0, "passed"),
                ("rate=8000", as_needed, 4, "not passed"),
                ("rate=9500 swing=.3", ["--time", "2s"], 5, "too imprecise to tell")):
            status, _, said = self.fakes(
                [*length, "--slice", "10ms", "--not-worse-than", "10%", "--no-null",
                 "--rounds", "1", "--junit", "junit.xml"],
                "rate=10000", side)
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
                (["--", "sqlite_ubench", "--", "b"], "'sqlite_ubench': add -w: a duel needs"),
                (["--", "sqlite_ubench", "-w", "phases", "--", "b"], "add -w: a duel needs"),
                (["--time", "1h", "--slice", "1ms", "--", "a", "--", "b"], "more than 200000"),
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

    def gate_on(self, **texts):
        """A gate between two alike, of which B says these texts: TURN, RESULT."""
        words = []
        for name, text in texts.items():
            (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
            words.append(f"{name}={self.folder}/{name}")
        return self.duel("--no-null", "--time", "300ms", "--slice", "3ms", "--rounds", "1",
                         "--not-worse-than", "30%", "--", FAKE, "--", "env", *words, FAKE)

    def test_a_gate_does_not_pass_on_what_a_turn_cannot_be(self):
        good = ('{"operations":{operations},"elapsed_ns":{elapsed_ns},"cpu_ns":1,'
                '"server_cpu_ns":null,"syncs":null,"errors":0}')
        status, _, said = self.gate_on(TURN=good)
        self.assertIn(status, (0, 5), said)  # on a busy machine it cannot tell
        cases = ["x", "[]", "null", "5", "{}", "", "{", '"x"', b"\xff\xfe", "[" * 5000, "\33[31mx",
                 "x" * 100000, '{"operations":1,"operations":2}']
        for name, value in (
                ("operations", "1e30"), ("operations", "1000000000000000"), ("operations", "-1"),
                ("operations", "true"), ("operations", "null"), ("operations", '"5"'),
                ("operations", "9" * 5000), ("elapsed_ns", "0.5"), ("elapsed_ns", "true"),
                ("elapsed_ns", "0"), ("elapsed_ns", "1e-308"), ("elapsed_ns", "60000000000"),
                ("cpu_ns", "1e300"), ("cpu_ns", "9007199254740993"), ("server_cpu_ns", "NaN"),
                ("server_cpu_ns", "1e999"), ("server_cpu_ns", "[]"), ("syncs", "-1"),
                ("errors", "null"), ("errors", "{}")):
            cases.append(re.sub(f'("{name}":)[^,}}]+(?=[,}}]|}}$)', rf"\g<1>{value}",
                                good.replace("{operations}", "3").replace("{elapsed_ns}",
                                                                          "3000000")))
        cases += [good.replace('"errors":0', f'"errors":0,"latency":{value}')
                  for value in ("5", "[]", '{"p50_ns":"x"}', '{"p50_ns":-1}', '{"p50_ns":1e12}',
                                '{"p50_ns":2,"p99_ns":1}', '{"p50_ns":9000000}')]
        for case in cases:
            with self.subTest(case=case[:80]):
                status, out, said = self.gate_on(TURN=case)
                self.assertEqual((status, out), (1, ""), said)
                self.assertRegex(said, r"^duel: B: it said '.*'.*; expected ")
                self.assertEqual(said.count("\n"), 1, said)
                self.assertNotIn("\33", said)

    def test_a_gate_does_not_pass_on_a_result_that_does_not_count(self):
        good = self.result_of_a_fake()
        status, _, said = self.gate_on(RESULT=good)
        self.assertIn(status, (0, 5), said)
        changes = [('"incomplete":false', '"incomplete":true'), ('"error":""', '"error":"burnt"'),
                   ('"leases_left":0', '"leases_left":5'), ('"verified":true', '"verified":false'),
                   ('"class":"none"', '"class":"<b>"'), ('"runs":', '"others":'),
                   ('"host":', '"others":'), ('"format":', '"others":'), ('"phases":', '"p":'),
                   ('"runs":[', '"runs":["x",'), ('"phases":[', '"phases":[5,'),
                   ("{operations}", "1"), ("{elapsed_ns}", "1"), ("{turns}", "1"),
                   ("{operations}", "1{operations}"), ("{operations}", "1e999"),
                   ('"T00:', '"T99:'), ("2026-11-01", "2026-19-39")]
        cases = [good.replace(*change) for change in changes if change[0] in good]
        self.assertGreater(len(cases), 15)
        cases += ["5", "[]", "{}", "{", "null", "", b"\xff", "[" * 5000, "\33", good[:-20],
                  good[:-1] + ',"error":"twice"}']
        for case in cases:
            with self.subTest(case=case[:80]):
                status, out, said = self.gate_on(RESULT=case)
                self.assertEqual((status, out), (1, ""), said)
                self.assertRegex(said, "^duel: B: ")
                self.assertEqual(said.count("\n"), 1, said)

    def test_nothing_that_is_damaged_passes_or_ends_in_a_traceback(self):
        chance = random.Random(5)
        goods = {"RESULT": self.result_of_a_fake(), "TURN":
                 '{"operations":{operations},"elapsed_ns":{elapsed_ns},"cpu_ns":1,'
                 '"server_cpu_ns":null,"syncs":null,"errors":0}'}
        for _ in range(60):
            name = chance.choice(sorted(goods))
            good = goods[name]
            start = chance.randrange(len(good))
            damaged = good[:start] + chance.choice(["", '"', "{", "]", "9" * 30, "\0", "-", "é"]) \
                + good[start + chance.randrange(1, 30):]
            with self.subTest(name=name, damaged=damaged):
                status, _, said = self.gate_on(**{name: damaged})
                self.assertNotIn("Traceback", said)
                # Members that nobody needs may be missing, or have another value.
                self.assertIn(status, (0, 1, 5), said)
                if status == 0:
                    self.assertTrue(damaged.endswith("}"))

    def result_of_a_fake(self):
        """Its result, as a text with the names of what changes."""
        done = subprocess.run([FAKE, "--turns"], input="turn 1\nend\n", text=True, check=True,
                              env={**os.environ, "NOISE": ""}, capture_output=True)
        result = json.loads(done.stdout.splitlines()[-1])
        phase = result["runs"][0]["phases"][0]
        phase.update(operations="{operations}", elapsed_ns="{elapsed_ns}")
        result["runs"][0]["turns"] = "{turns}"
        return re.sub(r'"(\{\w+\})"', r"\1", json.dumps(result, separators=(",", ":")))

    def test_what_a_runner_says_does_not_reach_the_terminal_raw(self):
        result = self.result_of_a_fake().replace('"from":"nothing"', '"from":"\\u001b]0;x\\u0007"')
        status, out, said = self.gate_on(RESULT=result.replace('"version":"1"',
                                                               '"version":"\\u001b[31m"'))
        self.assertIn(status, (0, 5), said)
        self.assertIn("?]0;x?", out)
        self.assertNotRegex(out + said, "[\33\7]")

    def test_a_gate_of_processor_time_and_p50(self):
        self.environment["NOISE"] = ""
        for figure, words in (("processor", "does not take more processor time"),
                              ("p50", "p50 is not higher")):
            status, _, said = self.fakes(
                ["--time", "10m", "--precision", "20%", "--slice", "5ms", "--not-worse-than",
                 "10%", "--no-null", "--rounds", "1", "--figure", figure, "--junit", "junit.xml"],
                "rate=10000", "rate=10000")
            self.assertEqual(status, 0, said)
            self.assertIn(words, said)
            self.assertIn(f"{figure}, B to A: 1.0000", (self.folder / "junit.xml").read_text())
        status, _, said = self.fakes(["--figure", "p50"], "", "")
        self.assertEqual(status, 2, said)

    def test_no_password_is_recorded_or_printed(self):
        for command in (
                "env UBENCH_PASSWORD=secret pgsql_ubench", "env PGPASSWORD=secret pgsql_ubench",
                "ssh db MYSQL_PWD=secret mysql_ubench", "mysql_ubench --password=secret",
                "mysql_ubench --password secret", "mysql_ubench --pas=secret",
                "mysql_ubench -psecret", "mysql_ubench -p secret", "sshpass -psecret ssh db x",
                "mysql_ubench -6psecret", "mysql_ubench -6p secret",
                "pgsql_ubench -m postgres://u:secret@db/x", "x -o password=secret",
                "ssh db 'MYSQL_PWD=secret mysql_ubench'", "sh -c 'mysql_ubench -psecret'",
                "ssh db \"sh -c 'PGPASSWORD=secret pgsql_ubench'\"",
                "pgsql_ubench -m 'host=x password=secret'"):
            (self.folder / "x.duels").write_text(f"--label a -- null_ubench -w dora -- {command}\n")
            status, out, said = self.duel("-O", "d.jsonl", "@./x.duels")
            self.assertEqual((status, out), (2, ""), (command, said))
            self.assertIn("put it into UBENCH_PASSWORD", said)
            self.assertNotIn("secret", said)
            self.assertFalse((self.folder / "d.jsonl").exists())

    def test_a_signal_while_it_is_loaded_is_no_traceback(self):
        """A module of the standard library, which all of them import, says when it is its turn."""
        (self.folder / "shlex.py").write_text("print('loading', flush=True)\ninput()\n")
        for program in ("duel", "sweep", "crash", "agents"):
            for number, wanted in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
                with self.subTest(program=program, number=number):
                    process = subprocess.Popen(
                        [SCRIPTS / program, "--help"], text=True, stdin=subprocess.PIPE,
                        env={**os.environ, "PYTHONPATH": str(self.folder)},
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                    self.assertEqual(process.stdout.readline(), "loading\n")
                    process.send_signal(number)
                    _, said = process.communicate(timeout=300)
                    self.assertEqual((process.returncode, said), (wanted, ""))

    def test_a_stopped_runner_leaves_no_server_behind(self):
        """The runner is stopped when it is interrupted, and the server has to end."""
        if not os.path.exists(f"{BIN}/pgsql_ubench") or not glob.glob(
                "/usr/lib/postgresql/*/bin/postgres"):
            self.skipTest("PostgreSQL: its server is not installed, or its runner was not built")
        build = SCRIPTS.parent / "build"
        others = set(build.glob("run-*"))
        words = ["--no-null", "--rounds", "1", "--time", "1h", "--server", "pgsql",
                 *["--", f"{BIN}/pgsql_ubench", "-w", "renew", "--preload", "100"] * 2]
        process = subprocess.Popen([SCRIPTS / "duel", *words], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def runners():
            return [pid for pid in campaign.descendants(process.pid)
                    if "\0--turns" in campaign.read(f"/proc/{pid}/cmdline")
                    and "pgsql_ubench" in os.path.basename(
                        campaign.read(f"/proc/{pid}/cmdline").split("\0")[0])]

        self.assertTrue(wait_for(lambda: len(runners()) == 2, HANGS))
        os.kill(runners()[1], signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=HANGS)
        self.assert_that_all_end(build, others)

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
        self.assert_that_all_end(build, others)
        process = subprocess.Popen([SCRIPTS / "duel", "--time", "1h", *words], cwd=self.folder,
                                   stderr=subprocess.PIPE)
        self.assertTrue(wait_for(lambda: len(set(build.glob("run-*/pgsql/*")) - others) > 1, 300))
        process.kill()
        process.communicate()
        self.assert_that_all_end(build, others)

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
