# SPDX-License-Identifier: ISC
"""The line and the text of each kind of run: the line is what results/schema.json and
results/README.md say of it (check_results.py), and the text shows the line's figures."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import programs
from programs import BIN, HANGS, SIGNALS, Case, interrupted

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import check_results  # noqa: E402

SCHEMA = HERE.parents[2] / "results" / "schema.json"

PHASES = [
    "-n 1", "-n 2000", "-n 300 -t 4", "-n 300 -b 7 --warmup=10", "-n 300 -t 3 -b 7 -R 3",
    "-n 100 -b 7 --latency=off --seed=9", "-n 20 -t 4 -L guide", "-n 1500 --preload 100 -H 0.5",
    "-w churn --preload 50 -n 200 --pace 1000", "-n 50 --label a=b --label c=d",
]
EXCHANGES = [
    "-w dora --probes=3 -t 2", "-6 -w sarr", "-w steady -t 3 -R 3 --warmup=20",
    "-w guests -t 2 --latency=off", "-w reclaim=2,purge=3,decline=1 -n 20", "-6 -w guests",
    "-w dora-known", "-w renew=90,release=10", "-w renew -b 7 -t 2 -n 50 -R 2",
    "-w dora=2,renew=1 -b 5ms -n 60", "-6 -w sarr -b 16,1ms -n 60 --latency=off",
    "-w init-reboot", "-w release-delete",
    f"-w replay -t 2 -R 3 --trace {HERE}/small.trace",
    f"-w replay --speed 50k --trace {HERE}/small.trace",
]
# With --warmup and its like where it may be, and long enough for its clock.
MEMFILE = [
    "-w renew --rate 200 -t 2 --duration 300ms -b 4", "-w storm --clients 200 -b 32,1ms -t 2",
    "-w dora --rate 100 -R 2 --duration 200ms", "-w storm --clients 500",
    "-w steady --find-rate -t 2 --duration 100ms", "-w fill --pool 400 -t 2", "-w dora --hosts 20",
    "-w dora --allocator iterative --servers 3 -t 3 -n 200",
    "-6 -w sarr --allocator flq --full 0.5",
    "-w dora --allocator random --pool 100 --full 0.5 -n 60 -t 2 -R 2 --warmup 10",
    "-w renew --rate 20 --duration 200ms --hook-delay 80ms --hook pool:3",
    "-w storm --clients 100 --queue 10 --hook-delay 1ms --spread 100ms --queue-policy dedup",
]
SQLITE = ["-S kea --search-by hwaddr --subnets 3 -n 50", "-6 -n 50 --search-by client-id"]
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
# In a line, and what is wrong with it after: every spoilt line is noticed.
SPOILT = [
    ("-n 2000", '"hits":2000', '"hits":1999'),
    ("-n 2000", '"seed"', '"password":"x","seed"'),
    ("-n 2000", '"digest":"', '"digest":"g'), ("-n 2000", '"incomplete":false,"err',
                                               '"incomplete":true,"err'),
    ("-n 2000", '"buckets":[[', '"buckets":[[1'),
    (MEMFILE[0], '"answered":', '"answered":7'), (MEMFILE[0], '"dropped"', '"lost"'),
]


# A monotonic clock that moves in steps.
CLOCK = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *now)
{
    const int status = (int)syscall(SYS_clock_gettime, id, now);

    if (id == CLOCK_MONOTONIC) {
        now->tv_sec -= now->tv_sec % atoi(getenv("STEP_S"));
        now->tv_nsec = 0;
    }
    return status;
}
"""


def run(program, options, folder):
    """(text, line) of a run that ends well."""
    path = folder / "out.jsonl"
    path.unlink(missing_ok=True)
    done = subprocess.run([BIN / program, *options.split(), "-O", path], cwd=folder, text=True,
                          capture_output=True, timeout=HANGS, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{program} {options}: {done.returncode}: {done.stderr}")
    return done.stdout, path.read_text()


def number(words):
    """The first figure of a list of words, in ns if it is a time, and the rest."""
    value = words[0].replace(",", "")
    if len(words) > 1 and words[1] in UNITS:
        return float(value) * UNITS[words[1]], words[2:]
    return (None if value == "n/a" else float(value)), words[1:]


def rows(text):
    """{name: {column: figure}} of the table of phases or exchanges in a text."""
    columns, found = None, {}
    for line in text.splitlines():
        if re.match(r" .* per second\b", line):
            columns = re.split(r"  +", line.strip())
        elif not line:
            columns = None
        elif columns and not line.startswith(" "):
            name, rest = re.match(r"(\S+(?: %)?) +(.*)", line).groups()
            words, figures = rest.split(), {}
            for column in columns:
                if words and re.match(r"[\d,.]+$|n/a$", words[0]):
                    figures[column], words = number(words)
            found[name] = figures
    return found


def differences(text, result):
    """Yields where the text shows other figures than the line."""
    shown = rows(text)
    run_ = result["runs"][0]
    for phase in run_["phases"]:
        row = shown.get(phase["name"])
        if row is None:
            yield phase["name"] + " is not there"
            continue
        wanted = {"operations": phase["operations"], "exchanges": phase["operations"],
                  "per second": phase["rate_per_s"]}
        for name, column in (("p50", "p50_ns"), ("p99", "p99_ns"), ("p99.9", "p99.9_ns"),
                             ("max", "max_ns")):
            wanted[name] = phase["latency"][column] if phase["latency"] else None
        for column, figure in row.items():
            if (figure is None) != (wanted[column] is None) or (
                    figure is not None and abs(figure - wanted[column]) > 0.006 * figure):
                yield f"{phase['name']}: {column}: {figure}, not {wanted[column]}"
    totals = [("overall", run_["rate_per_s"])]
    if "store_rate_per_s" in run_:
        totals.append(("operations", run_["store_rate_per_s"]))
    for name, rate in totals:
        figure = shown.get(name, {}).get("per second")
        if (figure is None) != (rate is None) or (
                rate is not None and abs(figure - rate) > 0.006 * rate):
            yield f"{name}: {figure}, not {rate}"
    words = " ".join(text.split())
    for what in [run_["digest"], *(warning["text"] for warning in result["warnings"])]:
        if what not in words:
            yield what + " is not there"


def unwritten(schema, name, value, place="line"):
    """Yields the members that every runner of this version writes, and that are missing."""
    definition = schema["definitions"][name]
    for member in definition.get("written", []):
        if member not in value:
            yield f"{place}: {member}"
    for member, of in definition["properties"].items():
        inner = re.search(r"#/definitions/(\w+)", json.dumps(of))
        items = value.get(member) if inner else None
        for item in items if isinstance(items, list) else [items]:
            if item is not None:
                yield from unwritten(schema, inner[1], item, f"{place}.{member}")


class Runs(Case):
    """Lines of every kind of run."""

    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads(SCHEMA.read_text())

    def right(self, line):
        """The result in a line, which has to be right."""
        complaints, _ = check_results.check_line(line)
        self.assertEqual(complaints, [])
        known = self.schema["definitions"]["line"]["properties"]
        self.assertLessEqual(set(json.loads(line)), set(known))
        self.assertEqual(list(unwritten(self.schema, "line", json.loads(line))), [])
        return json.loads(line)

    def check(self, program, runs):
        """Runs a program with each of these options."""
        self.need(program)
        if program != "null_ubench":
            runs = [options + " -s no" for options in runs]
        for options in runs:
            with self.subTest(f"{program} {options}"):
                text, line = run(program, options, self.folder)
                result = self.right(line)
                if "-R" not in options and result["runs"][0].get("trials") is None:
                    self.assertEqual(list(differences(text, result)), [])

    def test_null(self):
        self.check("null_ubench", PHASES + EXCHANGES)

    def test_memfile(self):
        self.check("memfile_ubench", PHASES + EXCHANGES + MEMFILE)

    def test_sqlite(self):
        self.check("sqlite_ubench", PHASES + EXCHANGES + SQLITE)

    def test_scanned(self):
        """Tables that are searched without an index are warned of."""
        self.need("sqlite_ubench")
        for options, scans in ("-S lean", True), ("-S lean -c no -t 2", True), ("-S kea", False):
            for load in "-w renew --preload 3000 -n 300", "-n 3000 --search-by client-id":
                with self.subTest(f"{options} {load}"):
                    text, line = run("sqlite_ubench", f"-s no {options} {load}", self.folder)
                    result = self.right(line)
                    codes = [warning["code"] for warning in result["warnings"]]
                    rows_ = [phase["usage"]["server_scanned_rows"]
                             for phase in result["runs"][0]["phases"]]
                    self.assertEqual("table-scanned" in codes, scans)
                    self.assertEqual("without an index" in text, scans)
                    self.assertEqual(sum(rows_) > 0, scans)

    def test_interrupted(self):
        for program, sync in ("null_ubench", ""), ("memfile_ubench", "-s no"):
            for options in "-n 100M -t 2", "-w renew -n 100M", "-w dora --rate 50 --duration 60s":
                for number, wanted in SIGNALS:
                    with self.subTest(f"{number!r}: {program} {options}"):
                        path = self.folder / "cut.jsonl"
                        path.unlink(missing_ok=True)
                        status, text = interrupted(number, program, *options.split(),
                                                   *sync.split(), "-O", path, cwd=self.folder,
                                                   when=r"(create|exchange|single)[^%]*%  [1-9]")
                        self.assertEqual(status, wanted)
                        self.assertIn("incomplete", text)
                        self.assertTrue(self.right(path.read_text())["incomplete"])

    def test_without_a_terminal(self):
        """Under nohup, that the terminal goes away is no reason to end."""
        with subprocess.Popen(
                ["nohup", BIN / "null_ubench", "-n", "100M", "-w", "renew", "--progress=bar"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE) as process:
            process.stderr.read(200)
            process.send_signal(signal.SIGHUP)
            process.stderr.read(400)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=HANGS)
        self.assertEqual(process.returncode, 143)

    def test_interrupted_while_it_repeats(self):
        path = self.folder / "out.jsonl"
        count = 10000
        for _ in range(8): # on a fast machine the second may be over: more work
            path.unlink(missing_ok=True)
            status, _ = interrupted(signal.SIGINT, "memfile_ubench", "-s", "no", "-R", 3, "-n",
                                    count, "-O", path, when="run 2/3", cwd=self.folder)
            runs = self.right(path.read_text())["runs"]
            if len(runs) == 2 and runs[1]["incomplete"]:
                break
            count *= 4
        self.assertEqual(status, 130)
        self.assertEqual([run["incomplete"] for run in runs], [False, True])

    def test_spoilt(self):
        for options, good, bad in SPOILT:
            with self.subTest(bad):
                _, line = run("memfile_ubench", options + " -s no", self.folder)
                self.assertIn(good, line)
                complaints, _ = check_results.check_line(line.replace(good, bad, 1))
                self.assertNotEqual(complaints, [])

    def test_clock(self):
        """A clock that stands still, or has steps of a second, is no clock to measure by."""
        if "SAN_OPTIONS" in " ".join(os.environ):
            return # a library cannot be preloaded under a sanitizer
        source, library = self.folder / "clock.c", self.folder / "clock.so"
        source.write_text(CLOCK)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        for step in "1", "1000000":
            done = programs.run("null_ubench", "-n", 300, "-O", "k.jsonl", cwd=self.folder,
                                env={**os.environ, "LD_PRELOAD": str(library), "STEP_S": step})
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("the clock does not move", done.stderr)
            self.assertFalse((self.folder / "k.jsonl").exists())
