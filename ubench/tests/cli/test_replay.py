# SPDX-License-Identifier: ISC
"""The replay of a trace: the same on every store, for any number of threads, at any pace."""

import gzip
import json
import re
import unittest
from collections import Counter
from pathlib import Path

from programs import Case, has, run
from test_runs import check_results

TRACE = Path(__file__).parent / "small.trace"
STORES = ("null_ubench", "memfile_ubench", "sqlite_ubench")
# How a trace is damaged, and what is said of it.
DAMAGED = [
    (lambda text: text[:text.index("\nend") + 1], ": the trace ends here, without its last line"),
    (lambda text: text.replace("end 1", "end 2"), ": the trace has another number of changes"),
    (lambda text: text.replace("\n+78 ", "\n+79 ", 1), ": the changes are not those"),
    (lambda text: text.replace(" b0", " b1", 1), ": a change that the lease cannot have"),
    (lambda text: text.replace(" b0", " b99", 1), ":7: a change that the lease cannot have"),
    (lambda text: text.replace(" b0", " q0", 1), ":7: not a change, such as n*2, r17 or s3"),
    (lambda text: text.replace(" b0", " b", 1), ":7: not a change"),
    (lambda text: text.replace(" b0", " s41 b0", 1), ":7: more leases are left out at once"),
    (lambda text: text.replace("\n+78 ", "\n78 ", 1), ": not a line of changes"),
    (lambda text: text.replace("family 4", "family 5"), ": the header has impossible numbers"),
    (lambda text: text.replace("active 8", "active 61"), ": the header has impossible numbers"),
    (lambda text: text.replace("leases 60", "leases x"), ":3: the header is damaged"),
    (lambda text: text.replace("changes 1", "changes "), ": more changes than the header says"),
    (lambda text: text.replace("seconds 11", "seconds 1"), ": more seconds than the header says"),
    (lambda text: text + "+1 r0\n", ": a line after the last one, which begins with 'end'"),
    (lambda text: text.replace("trace/1", "trace/2"), ": not a trace; expected 'ubench-trace/1'"),
    (lambda text: "", ": not a trace"),
]


def counts():
    """How many changes of each kind the trace has, by its letters."""
    found = Counter()
    for line in TRACE.read_text().splitlines()[4:-1]:
        for letter, many, one in re.findall(r" ([nbrxdeg])(?:\*(\d+)|(\d+))", line):
            found[letter] += int(many or 1) if not one else 1
    return found


def changes_until(second):
    """How many changes the trace has up to a second."""
    at = found = 0
    for line in TRACE.read_text().splitlines()[4:-1]:
        gap, _, items = line.partition(" ")
        at += int(gap)
        if at <= second:
            found += sum(int(many or 1) if many or one else 0
                         for many, one in re.findall(r"[nbrxdeg](?:\*(\d+)|(\d+))", items))
    return found


class Replay(Case):
    """Runs of a small trace."""

    def result(self, program, *options):
        """The line of a run, which has to be right."""
        sync = () if program == "null_ubench" else ("-s", "no")
        done = run(program, "-w", "replay", "--json", *sync, *options, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertEqual(check_results.check_line(done.stdout)[0], [])
        for path in self.folder.glob("*.leases*"):
            path.unlink()
        return json.loads(done.stdout)["runs"][0]

    def test_each_store_and_any_threads_do_the_same(self):
        digests = set()
        for program in filter(has, STORES):
            for threads in 1, 2, 7, 60:
                result = self.result(program, "--trace", TRACE, "-t", threads)
                digests.add(result["digest"])
                self.assertEqual(result["operations"], 1023)
                self.assertEqual(result["read_back"], result["read_back_of"])
                self.assertEqual(result["leases_left"], 0)
        self.assertEqual(len(digests), 1)

    def test_changes_are_those_of_the_trace(self):
        self.need("memfile_ubench")
        phases = self.result("memfile_ubench", "--trace", TRACE)["phases"]
        done = {phase["name"]: phase["operations"] for phase in phases}
        found = counts()
        self.assertEqual(sum(found.values()), 1023)
        returned = done["replay-return"] + done.get("replay-return-declined", 0)
        self.assertEqual(returned, found["b"])
        for name, letter in (("new", "n"), ("renew", "r"), ("release", "x"), ("decline", "d"),
                             ("expire", "e"), ("delete", "g")):
            self.assertEqual(done[f"replay-{name}"], found[letter], name)

    def test_ipv6_and_gzip(self):
        path = self.folder / "six.trace.gz"
        path.write_bytes(gzip.compress(TRACE.read_bytes().replace(b"family 4", b"family 6")))
        digests = {self.result(program, "-6", "--trace", path, "-t", 2)["digest"]
                   for program in filter(has, STORES)}
        self.assertEqual(len(digests), 1)

    def test_a_pace(self):
        self.need("memfile_ubench")
        result = self.result("memfile_ubench", "--trace", TRACE, "--speed", 20000, "-t", 3)
        replay = result["replay"]
        self.assertEqual((replay["speed"], replay["changes"]), (20000, 1023))
        self.assertEqual(replay["lateness"]["count"], 1023)
        self.assertEqual(sum(changes for changes, _ in replay["series"]), 1023)
        # Its last change has a time of its own, before which it does not begin.
        self.assertGreater(result["elapsed_ns"], (replay["seconds"] - 1) / 20000 * 1e9)
        fast = self.result("memfile_ubench", "--trace", TRACE)
        self.assertEqual((fast["replay"]["speed"], fast["replay"]["lateness"]), (None, None))
        self.assertEqual(fast["digest"], result["digest"])

    def test_a_span_is_the_beginning_of_the_trace(self):
        self.need("memfile_ubench")
        whole = self.result("memfile_ubench", "--trace", TRACE)
        self.assertEqual(changes_until(whole["replay"]["seconds"]), 1023)
        for span in 100, 3600, 5000:
            result = self.result("memfile_ubench", "--trace", TRACE, "--span", f"{span}s", "-t", 3)
            self.assertEqual(result["operations"], changes_until(span), span)
            self.assertEqual(result["replay"]["seconds"], span)
            self.assertNotEqual(result["digest"], whole["digest"])
        longer = self.result("memfile_ubench", "--trace", TRACE, "--span", "9000m")
        self.assertEqual(longer["digest"], whole["digest"])

    def test_a_damaged_trace_is_refused(self):
        text = TRACE.read_text()
        path = self.folder / "damaged"
        for damage, why in DAMAGED:
            with self.subTest(why):
                self.assertNotEqual(damage(text), text)
                path.write_text(damage(text))
                done = run("null_ubench", "-w", "replay", "--trace", path)
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, rf"{path}(:\d+)?{re.escape(why)}")
                self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1))

    def test_what_does_not_go_with_it(self):
        for words, why in [
            ([], "--trace is missing: --workload=replay needs a file"),
            (["--trace", TRACE, "-6"], "has IPv4 leases; leave --ipv6 out"),
            (["--trace", TRACE, "-t", "61"], "exceeds the 60 leases of the trace"),
            (["--trace", TRACE, "-n", "5"], "--count cannot be used with --workload=replay; use "
                                            "--trace"),
            (["--trace", TRACE, "--turns", "--speed=2"], "--turns cannot be used with --speed"),
            (["--trace", TRACE, "--speed=0.000000001"], "takes longer than 30 years; use a larger"),
            (["--trace", TRACE, "--speed=0.01"], "more than 1 GB of memory; use a larger number or "
                                                 "--latency=off"),
            (["--trace", TRACE, "--speed=0.001", "--latency=off"], "use a larger number\n"),
            (["--trace", TRACE, "--span=1ms"], "--span"),
            (["--trace", "/none"], "/none: No such file"),
            (["--trace", "/"], "/: not a regular file"),
        ]:
            done = run("null_ubench", "-w", "replay", *words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    unittest.main()
