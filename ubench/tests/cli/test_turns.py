# SPDX-License-Identifier: ISC
"""--turns: a run works when it is told to, and all its turns are one run."""

import json
import math
import re
import sqlite3
import subprocess
import time
import unittest
from collections import Counter
from contextlib import closing
from pathlib import Path

from programs import BIN, HANGS, SIGNALS, Case, database
from test_runs import check_results

LOADS = [
    "-w search -t 3 --preload 300", "-w update -t 2 -b 7", "-w update -t 3 --preload 6 -6",
    "-w churn --preload 40 -t 2", "-w churn -b 5", "-w dora -t 3 --probes 2 --warmup 10",
    "-w dora -t 3 --servers 2 --allocator flq --pool 300 --full 0.5",
    "-w guests -t 2 -n 2000", "-w release-delete -n 3k", "-6 -w steady -t 2",
    "-w reclaim=2,purge=3,decline=1,renew=5 -n 300", "-w renew -t 2 --latency=off",
    "-w update -t 2 -n 50", "-w churn -n 33", "-w search -n 40",
    f"-w replay -t 2 --trace {Path(__file__).parent}/small.trace",
]
TURN = {"operations", "elapsed_ns", "cpu_ns", "server_cpu_ns", "syncs", "log_bytes", "hits",
        "misses", "errors", "latency", "instructions", "server_instructions", "cycles",
        "switches"}


class Runner:
    """A runner in turns."""

    def __init__(self, folder, program, options):
        self.process = subprocess.Popen(
            [BIN / program, "--turns", *options.split()], cwd=folder, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def say(self, *lines):
        self.process.stdin.writelines(line + "\n" for line in lines)
        self.process.stdin.flush()

    def hear(self):
        return self.process.stdout.readline().rstrip("\n")

    def turn(self, milliseconds):
        self.say(f"turn {milliseconds}")
        word, _, answer = self.hear().partition(" ")
        assert word == "turn", (word, self.process.poll())
        return json.loads(answer)

    def end(self, *last):
        """(status, standard output, standard error) of the rest."""
        self.say(*last)
        text = self.process.communicate(timeout=HANGS)
        return self.process.returncode, *text


class Turns(Case):
    """Each line of orders has its answer."""

    def runner(self, program, options):
        self.need(program)
        runner = Runner(self.folder, program, options)
        self.addCleanup(runner.process.kill)
        self.assertEqual(runner.hear(), "ready")
        return runner

    def check(self, program, options):
        runner = self.runner(program, options + " -s no" * (program != "null_ubench"))
        turns = [runner.turn(milliseconds) for milliseconds in (30, 1, 70)]
        end = time.monotonic() + HANGS
        while not sum(turn["operations"] for turn in turns):  # on a busy machine
            self.assertLess(time.monotonic(), end, "no turn had an operation")
            turns.append(runner.turn(70))
        status, text, errors = runner.end("end")
        self.assertEqual((status, errors, text[:7]), (0, "", "result\n"))
        self.assertEqual(check_results.check_line(text[7:])[0], [])
        result = json.loads(text[7:])
        run = result["runs"][0]
        self.assertFalse(result["incomplete"])
        self.assertEqual(run["turns"], len(turns))
        usage = run["phases"][0]["usage"]
        for turn in turns:
            self.assertEqual(set(turn), TURN)
            self.assertEqual(turn["hits"] + turn["misses"], turn["operations"])
        whole = {"operations": run["operations"], "elapsed_ns": run["elapsed_ns"],
                 "cpu_ns": usage["user_ns"] + usage["system_ns"],
                 "switches": usage["voluntary_switches"] + usage["involuntary_switches"]}
        for name in "hits", "misses":
            whole[name] = sum(phase[name] for phase in run["phases"])
        for name, value in whole.items():
            self.assertEqual(sum(turn[name] for turn in turns), value, name)
        if "latency" not in options:
            self.assertEqual(max(turn["latency"]["max_ns"] for turn in turns
                                 if turn["latency"]),
                             max(phase["latency"]["max_ns"] for phase in run["phases"]
                                 if phase["latency"]))
        if run["verified"]:
            self.assertEqual(run["leases_left"], 0)
            group = re.findall(r"-t (\d) -b (\d)", options)
            self.assertEqual(result["durability"].get("at_risk"),
                             math.prod(map(int, group[0])) if group else
                             5 if "-b 5" in options else None)

    def test_turns_add_up(self):
        for program in "null_ubench", "memfile_ubench", "sqlite_ubench":
            for options in LOADS:
                with self.subTest(f"{program} {options}"):
                    self.check(program, options)

    def test_a_turn_ends_after_its_operations(self):
        for options in "-w renew -t 3", "-w dora", "-w update -t 2", "-w churn -b 4", "-w search":
            with self.subTest(options):
                runner = self.runner("memfile_ubench", f"{options} -s no -n 60")
                for _ in range(3):
                    self.assertEqual(runner.turn(600000)["operations"], 60)
                self.assertEqual(runner.end("end")[0], 0)

    def test_lines_that_come_early_are_read_in_order(self):
        status, text, _ = self.runner("null_ubench", "-w search").end(
            "turn 1", "turn 500", "turn 1", "end")
        turns = [json.loads(line[5:]) for line in text.split("\n") if line.startswith("turn ")]
        self.assertEqual((status, len(turns)), (0, 3))
        self.assertGreater(turns[1]["elapsed_ns"], 250e6)
        self.assertEqual(json.loads(text.split("result\n")[1])["runs"][0]["turns"], 3)

    def test_one_turn_is_a_turn(self):
        status, text, _ = self.runner("null_ubench", "-w search").end("turn 1", "end")
        run = json.loads(text.split("result\n")[1])["runs"][0]
        self.assertEqual((status, run["turns"]), (0, 1))

    def test_the_end_of_the_input_stops_it(self):
        for said in [], ["turn 1"], ["turn 1", "turn 600000"]:
            with self.subTest(said):
                runner = self.runner("memfile_ubench", "-w dora -s no -O out.jsonl")
                runner.say(*said)
                if said:
                    runner.hear()
                began = time.monotonic()
                status, text, errors = runner.end()
                self.assertEqual((status, errors), (143, ""))
                self.assertLess(time.monotonic() - began, 300)  # the turn would take 600 s
                self.assertEqual('"incomplete":true' in text, bool(said))

    def test_other_words(self):
        for word in "", "stop", "turn", "turn 0", "turn 600001", "turn x", "end ", "x" * 100:
            with self.subTest(word):
                runner = self.runner("null_ubench", "-w renew")
                runner.turn(1)
                status, text, errors = runner.end(word)
                self.assertEqual(status, 2)
                self.assertRegex(errors, r"\Anull_ubench: --turns: '.*' on standard input is not a "
                                         r"command; expected 'turn MS' with MS in 1..600000, "
                                         r"or 'end'\n\Z")
                self.assertIn('"incomplete":true', text)

    def test_signals_while_it_waits(self):
        """And it uses no processor time: its threads sleep."""
        for number, wanted in SIGNALS:
            with self.subTest(number):
                runner = self.runner("memfile_ubench", "-w update -s no")
                runner.turn(1)
                end = time.monotonic() + HANGS
                asleep = 0
                while asleep < 30:  # of looks in a row
                    asleep = asleep + 1 if self.sleeps(runner) else 0
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.01)
                runner.process.send_signal(number)
                status, text, _ = runner.end()
                self.assertEqual(status, wanted)
                self.assertIn('"incomplete":true', text)

    @staticmethod
    def sleeps(runner):
        """Whether no thread of it runs, or would if there were a free processor."""
        threads = Path(f"/proc/{runner.process.pid}/task").glob("*/stat")
        return all(thread.read_text().rpartition(")")[2].split()[0] == "S"
                   for thread in threads)

    def test_a_wrong_answer(self):
        """Between two turns somebody else deletes the leases; or before the last check."""
        for options, then in ("-w update --preload 2", "turn 100"), ("-w search", "end"):
            with self.subTest(then):
                runner = self.runner("sqlite_ubench", f"{options} -s no -f x.db")
                runner.turn(50)
                database(self.folder / "x.db", "DELETE FROM lease4")
                status, text, errors = runner.end(then)
                self.assertEqual((status, text), (3, ""), errors)
                self.assertRegex(errors, "sqlite_ubench: [^\n]+\n")

    def test_a_size_that_stays(self):
        """Turns of exchanges that make or use up leases leave as many as there were."""
        for options in "-w dora", "-w release-delete -n 1k", "-w guests -n 2k":
            with self.subTest(options):
                runner = self.runner("sqlite_ubench", f"{options} -s no -f size.db -S kea")
                sizes = set()
                for _ in range(3):
                    runner.turn(40)
                    with closing(sqlite3.connect(self.folder / "size.db")) as leases:
                        sizes.add(leases.execute("SELECT count(*) FROM lease4").fetchone())
                self.assertEqual(len(sizes), 1)
                self.assertEqual(runner.end("end")[0], 0)

    def test_new_clients_are_others_in_each_turn(self):
        """A lease that was deleted has left traces in a database."""
        runner = self.runner("memfile_ubench", "-w dora -t 2 -s no -f all.leases")
        end = time.monotonic() + HANGS
        for milliseconds in 5, 1, 5:
            # On a busy machine a turn is over before it has begun.
            while not runner.turn(milliseconds)["operations"]:
                self.assertLess(time.monotonic(), end, "no turn had an operation")
        changes = Counter(line for line in (self.folder / "all.leases").read_text().splitlines()
                          if line.startswith("lease "))
        self.assertEqual(set(changes.values()), {1, 2})  # made; made and deleted
        self.assertEqual(runner.end("end")[0], 0)


if __name__ == "__main__":
    unittest.main()
