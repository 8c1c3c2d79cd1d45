# SPDX-License-Identifier: ISC
"""The border between C and Python: lines as the runners write them, and their verdicts."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import samples

from report import results, screen
from report.lines import former, knowledge

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("BIN", ROOT)).resolve()
MODES = ("delete", "truncate", "persist", "memory", "off", "wal")
LEVELS = ("off", "normal", "full", "extra")
# The classes of SQLite, by journal mode and synchronous (docs/crashes.md)
SQLITE = {
    **{("wal", level): cls for level, cls in zip(
        LEVELS, ("process-safe", "process-safe", "power-safe", "power-safe"))},
    **{("delete", level): cls for level, cls in zip(
        LEVELS, ("process-safe", "bounded", "bounded", "power-safe"))},
    **{(mode, level): cls for mode in ("truncate", "persist") for level, cls in zip(
        LEVELS, ("process-safe", "bounded", "power-safe", "power-safe"))},
    **{(mode, level): "volatile" for mode in ("memory", "off") for level in LEVELS},
}
LOSSES = ("nothing", "bounded", "unbounded")


def run(program, *arguments):
    """The line of a run, in a folder of its own on a disk."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        done = subprocess.run([BIN / program, "-n", "10", "--json", *arguments], cwd=folder,
                              check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def has(program):
    return (BIN / program).exists()


def explained(line):
    """The answer to a result that is long enough, of what the line says of its durability."""
    whole = samples.store(line["store"], line["durability"]["class"])
    for run_of in whole["runs"]:
        run_of["exchange"] = {"exchanges": True, "kinds": []}
    taken = {name: line[name] for name in ("format", "product", "durability", "facts")}
    return samples.report("answer", "--explain", lines=[{**whole, **taken}])


def verdict(line):
    """The loss and the settings of a line's setup, as the screen has them."""
    row = screen.Row([results.parse(json.dumps(line).encode())])
    return screen.loss_of(row), screen.setting_of(row)


class Lines(unittest.TestCase):
    """Lines that runners of this version write."""

    def test_memfile(self):
        for sync, cls, kill, power in (("yes", "power-safe", "nothing", "nothing"),
                                       ("no", "process-safe", "nothing", "unbounded"),
                                       ("volatile", "volatile", "unbounded", "unbounded")):
            durability = run("memfile_ubench", "-s", sync)["durability"]
            self.assertEqual([durability["class"], durability["kill"]["loss"],
                              durability["power"]["loss"]], [cls, kill, power])

    @unittest.skipUnless(has("sqlite_ubench"), "there is no sqlite_ubench")
    def test_sqlite(self):
        for (mode, level), cls in SQLITE.items():
            with self.subTest(mode=mode, level=level):
                line = run("sqlite_ubench", "-s", "server", "-o", f"journal_mode={mode}",
                           "-o", f"synchronous={level}")
                self.assertEqual(line["durability"]["class"], cls)
                self.assertEqual(verdict(line)[0], cls)
                self.assertIn(cls, explained(line)[1])

    def test_null(self):
        line = run("null_ubench")
        self.assertEqual(line["durability"]["class"], "none")
        self.assertEqual(line["durability"]["reasons"], ["stores-nothing"])

    def test_a_class_follows_from_the_losses(self):
        classes = {losses: cls for cls, losses in former.LOST.items() if cls != "none"}
        for sync in ("yes", "no", "volatile"):
            durability = run("memfile_ubench", "-s", sync)["durability"]
            losses = tuple(durability[crash]["loss"] for crash in ("kill", "power"))
            self.assertEqual(classes[losses], durability["class"])
            self.assertEqual(bool(durability["reasons"]), sync != "yes")

    def test_another_wording_changes_no_verdict(self):
        for sync in ("yes", "no", "volatile"):
            line = run("memfile_ubench", "-s", sync)
            other = json.loads(json.dumps(line))
            other["durability"]["from"] = "in words that nobody has written before"
            self.assertEqual(verdict(other), verdict(line))
            self.assertEqual(explained(other), explained(line))
            self.assertIn(line["durability"]["class"], explained(line)[1])

    def test_another_setting_is_shown(self):
        line = mysql_line("power-safe", "nothing", "nothing", [
            {"name": "innodb_flush_log_at_trx_commit", "value": "1", "label": "flush 1"},
            {"name": "a_new_setting", "value": "off", "label": "new off"}])
        self.assertIn("flush 1 new off", explained(line)[1])
        self.assertEqual(verdict(line)[1][1],
                         "innodb_flush_log_at_trx_commit=1 and a_new_setting=off")

    def test_the_last_second(self):
        for kill, power, cls, wanted in (("bounded", "bounded", "volatile", ""),
                                         ("bounded", "unbounded", "volatile", "volatile"),
                                         ("unbounded", "unbounded", "volatile", "volatile"),
                                         ("nothing", "bounded", "bounded", "bounded"),
                                         ("nothing", "unbounded", "process-safe", "process-safe")):
            self.assertEqual(verdict(mysql_line(cls, kill, power, []))[0], wanted)

    def test_the_text_is_made_of_settings(self):
        line = run("memfile_ubench")
        self.assertEqual(line["product"],
                         {"name": "memfile", "version": None, "keeper": "memfile"})
        self.assertIn(line["product"]["name"], line["facts"])
        self.assertNotIn("floors", line)

    def test_exchanges_of_a_run(self):
        for workload, wanted in (("phases", []), ("renew", [("renew", 2, 1)]),
                                 ("renew=1,dora=1", [("renew", 2, 1), ("dora", 7, 1)])):
            exchange = run("null_ubench", "-w", workload)["runs"][0]["exchange"]
            self.assertEqual([tuple(kind[name] for name in ("name", "searches", "changes"))
                              for kind in exchange["kinds"]], wanted)
            self.assertEqual(exchange["exchanges"], workload != "phases")


def mysql_line(cls, kill, power, settings):
    """A line of today, as a test needs it."""
    line = samples.store("mysql", cls)
    line["format"] = former.FORMAT
    line["product"] = {"name": "mysql", "version": "1.0", "keeper": "mysql"}
    line["durability"] = {"class": cls, "from": "reworded", "settings": settings, "reasons": [],
                          "kill": {"loss": kill}, "power": {"loss": power}, "node_loss": None}
    for each in line["runs"]:
        each["exchange"] = {"exchanges": True, "kinds": []}
    return line


class Described(unittest.TestCase):
    """The descriptions that the runners give of themselves."""

    def describe(self, program):
        return json.loads(subprocess.run([BIN / program, "--describe"], check=True,
                                         capture_output=True, text=True).stdout)

    def test_the_file_is_what_the_runner_says(self):
        self.assertEqual(self.describe("null_ubench"), knowledge.described())

    def test_classes_are_those_of_results(self):
        self.assertEqual([*knowledge.meanings()], results.CLASSES)

    def test_steps_are_those_that_a_run_does(self):
        """The counts of --describe, and what a run has counted."""
        for exchange in knowledge.described()["exchanges"]:
            for family in exchange["families"]:
                if exchange["name"] in ("reclaim", "purge"):
                    continue
                with self.subTest(exchange=exchange["name"], family=family):
                    line = run("null_ubench", "-w", exchange["name"], *["-6"] * (family == 6))
                    counted = {step["name"]: step["count"] / 10
                               for step in line["runs"][0]["phases"][0]["steps"]}
                    self.assertEqual(counted, {step["name"]: step["count"]
                                               for step in exchange["steps"]})

    def test_options_are_those_of_the_list(self):
        for program in ("null_ubench", "memfile_ubench"):
            rows = subprocess.run([BIN / program, "--list-options"], check=True,
                                  capture_output=True, text=True).stdout.splitlines()
            self.assertEqual([option["name"] for option in self.describe(program)["options"]],
                             [row.split("\t")[1] for row in rows])

    def test_limits_have_codes_and_losses(self):
        for path in sorted(BIN.glob("*_ubench")):
            for limit in self.describe(path.name)["limits"]:
                self.assertRegex(limit["code"], "^[a-z][a-z0-9-]*$")
                self.assertIn(limit["kill"], LOSSES)
                self.assertIn(limit["power"], LOSSES[1:])


class Former(unittest.TestCase):
    """Sentences of ubench-result/1, as its runners wrote them."""

    ROWS = (
        ("mysql", "volatile", "innodb_flush_log_at_trx_commit=0, log_bin=OFF, the log is written "
         "once a second", "", "innodb_flush_log_at_trx_commit=0"),
        ("mysql", "volatile", "innodb_flush_log_at_trx_commit=0, log_bin=OFF, the log is written "
         "once a second, without innodb_doublewrite power loss can tear pages", "volatile",
         "innodb_flush_log_at_trx_commit=0 and innodb_doublewrite=OFF"),
        ("mysql", "power-safe", "innodb_flush_log_at_trx_commit=1, log_bin=ON, sync_binlog=1",
         "power-safe", "innodb_flush_log_at_trx_commit=1 and sync_binlog=1"),
        ("pgsql", "volatile", "synchronous_commit=off, fsync=on, full_page_writes=on, "
         "wal_sync_method=fdatasync, lease4 permanent: a killed backend takes the last commits "
         "with it", "", "synchronous_commit=off"),
        ("pgsql", "volatile", "synchronous_commit=off, fsync=on, full_page_writes=on, "
         "wal_sync_method=fdatasync, lease4 unlogged: a crash of the server empties it",
         "volatile", "synchronous_commit=off"),
        ("kea", "volatile", "persist=false: no file", "volatile", "persist=false"),
    )

    def test_sentences(self):
        for store, cls, text, loss, typed in self.ROWS:
            with self.subTest(text=text):
                line = samples.store(store, cls, durability={"class": cls, "from": text})
                self.assertEqual((verdict(line)[0], verdict(line)[1][1]), (loss, typed))

    def test_what_a_line_of_today_says(self):
        line = results.parse(json.dumps(samples.store(floors={
            "clock_ns": 20, "fdatasync_ns": None, "fdatasync_min_ns": None,
            "round_trip_ns": None, "harness_ns": None})).encode())
        self.assertEqual(line["format"], former.FORMAT)
        self.assertEqual(line["baselines"]["clock_ns"], 20)
        self.assertNotIn("floors", line)
        self.assertEqual(line["product"],
                         {"name": "memfile", "version": "1.0", "keeper": "memfile"})
        self.assertTrue(line["runs"][0]["exchange"]["exchanges"])

    def test_patterns_of_sentences_are_nowhere_else(self):
        """A sentence is data for people."""
        for path in sorted((ROOT / "report").rglob("*.py")):
            if path.name != "former.py" and "tests" not in path.parts:
                self.assertIsNone(re.search(r're\.[a-z]+\([^)]*durability', path.read_text()), path)


if __name__ == "__main__":
    unittest.main()
