# SPDX-License-Identifier: ISC
"""Exchanges in files (-w @FILE): a built-in one as a file does the same work, files count as they
say in each kind of load, and a result has what it takes to repeat it."""

import json
import os
import subprocess
import unittest
from pathlib import Path

from programs import BIN, HANGS, Case, has, run

HELPERS = Path(os.environ.get("HELPERS", BIN / "tests")).resolve()
EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "exchanges"
# A built-in exchange or mix, and options with which it is compared.
BUILT_IN = [
    ("dora", ()), ("dora", ("--hosts", "20", "--probes", "3")), ("init-reboot", ()),
    ("guests", ("-t", "3")), ("renew", ("-6",)), ("sarr", ("-6", "--probes", "2")),
    ("steady", ("-6",)),
]
# Searches and changes of one exchange.
OPERATIONS = {
    "offer-first": (4, 2), "address-first": (2, 1), "portal-guest": (2, 0),
    "portal-stranger": (1, 0), "ipam-read": (2, 0), "renew": (2, 1),
    "format-new": (5, 2), "format-known": (1, 2), "format-server": (1, 101),
}


class ExchangeFiles(Case):
    """Files of the built-in exchanges, and the examples of the pages."""

    def printed(self, workload, *options):
        """The path of a file with the exchanges of a workload, as the runner prints them."""
        done = run("null_ubench", "-w", workload, "--print-exchange", *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        path = self.folder / "printed.txt"
        path.write_text(done.stdout)
        return path

    def measured(self, program, workload, *options, **how):
        """The line of a run with a store of its own."""
        for path in self.folder.glob("leases*"):
            path.unlink()
        stores = () if program == "null_ubench" else ("-f", "leases", "-s", "no")
        done = run(program, "-w", workload, *stores, *options, "--json", cwd=self.folder, **how)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return json.loads(done.stdout)

    def test_a_built_in_exchange_as_a_file_is_the_same(self):
        self.need("null_ubench")
        for workload, options in BUILT_IN:
            path = self.printed(workload, *[o for o in options if o == "-6"])
            for program in filter(has, ("null_ubench", "memfile_ubench", "sqlite_ubench")):
                with self.subTest(f"{program} {workload} {options}"):
                    built_in, read = (
                        self.measured(program, name, "-n", 300, "--preload", 500, *options)
                        for name in (workload, f"@{path}")
                    )
                    for line in (built_in, read):
                        for kind in line["runs"][0]["exchange"]["kinds"]:
                            kind["definition"] = [text for text in kind["definition"]
                                                  if not text.startswith("#")]
                    self.assertEqual(read["parameters"]["workload"], f"@{path}")
                    self.assertEqual(read["runs"][0]["digest"], built_in["runs"][0]["digest"])
                    self.assertEqual(read["runs"][0]["exchange"], built_in["runs"][0]["exchange"])

    def test_the_statements_are_the_same(self):
        self.need("sqlite_ubench")
        if not (HELPERS / "sql_log.so").exists():
            self.skipTest("sql_log.so was not built")
        logs = []
        for workload in ("dora", f"@{self.printed('dora')}"):
            log = self.folder / "log"
            log.unlink(missing_ok=True)
            env = dict(os.environ, UBENCH_SQL_LOG=str(log), LD_PRELOAD=str(HELPERS / "sql_log.so"))
            self.measured("sqlite_ubench", workload, "-n", 20, "--preload", 50, env=env)
            logs.append([text for text in log.read_text().splitlines() if "marker" not in text])
        self.assertGreater(len(logs[0]), 20 * 8)
        self.assertEqual(*logs)

    def check_counts(self, line, count):
        """All exchanges were done, each with its operations."""
        made = line["runs"][0]
        self.assertTrue(made["verified"])
        self.assertEqual(made["read_back"], made["read_back_of"])
        self.assertEqual(made["leases_left"], 0)
        if count is not None:
            self.assertEqual(made["operations"], count)
        for phase, kind in zip(made["phases"], made["exchange"]["kinds"], strict=True):
            searches, changes = OPERATIONS[phase["name"]]
            self.assertEqual((kind["searches"], kind["changes"]), (searches, changes))
            asked = sum(step["count"] for step in phase["steps"])
            self.assertEqual(asked, phase["operations"] * (searches + changes))

    def test_examples_count_what_they_say(self):
        for program in filter(has, ("memfile_ubench", "sqlite_ubench")):
            for path in sorted(EXAMPLES.glob("*.txt")):
                for load in (("-n", 400), ("-n", 400, "-t", 4, "-R", 2),
                             ("--rate", 300, "--duration", "300ms")):
                    with self.subTest(f"{program} {path.name} {load}"):
                        line = self.measured(program, f"@{path}", "--preload", 2000, *load)
                        self.check_counts(line, 400 if load[0] == "-n" else None)

    def test_examples_in_turns(self):
        self.need("memfile_ubench")
        for path in sorted(EXAMPLES.glob("*.txt")):
            with self.subTest(path.name):
                done = subprocess.run(
                    [BIN / "memfile_ubench", "--turns", "-w", f"@{path}", "-s", "no", "-f",
                     "leases"], input="turn 20\nturn 30\nend\n", text=True, capture_output=True,
                    cwd=self.folder, timeout=HANGS, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                line = json.loads(done.stdout.splitlines()[-1])
                self.assertEqual(line["runs"][0]["turns"], 2)
                self.check_counts(line, None)

    def test_a_result_can_be_repeated_from_its_definitions(self):
        self.need("null_ubench")
        first = self.measured("null_ubench", f"@{EXAMPLES / 'other-server.txt'}", "-n", 500)
        kinds = first["runs"][0]["exchange"]["kinds"]
        path = self.folder / "repeated.txt"
        path.write_text("\n".join(text for kind in kinds for text in kind["definition"]))
        again = self.measured("null_ubench", f"@{path}", "-n", 500)
        self.assertEqual(again["runs"][0]["digest"], first["runs"][0]["digest"])
        self.assertEqual(again["runs"][0]["exchange"], first["runs"][0]["exchange"])

    def test_described_exchanges_are_files(self):
        self.need("null_ubench")
        described = json.loads(run("null_ubench", "--describe").stdout)
        for exchange in described["exchanges"]:
            with self.subTest(exchange["name"]):
                options = ["-6"] if 4 not in exchange["families"] else []
                self.assertEqual(
                    self.printed(exchange["name"], *options).read_text().splitlines(),
                    exchange["definition"])


if __name__ == "__main__":
    unittest.main()
