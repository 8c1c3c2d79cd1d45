# SPDX-License-Identifier: ISC
"""The module of the campaign programs: options, order, estimate, what is done."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import campaign


def line(preload="0", together=False, nanoseconds=(1e9,), labels=None, **members):
    """A result line, as far as a campaign looks at it."""
    return {"parameters": {"preload": preload}, "durability": {"class": "bounded"}, "facts": {},
            "labels": labels or {}, "incomplete": False, "error": "",
            "runs": [{"together": together, "phases": [{"elapsed_ns": n} for n in nanoseconds]}],
            **members}


def run_line(block, position, role="cell", seconds=1.0, name="mine"):
    return line(nanoseconds=(seconds * 1e9,), labels={
        "campaign": name, "block": str(block), "position": str(position), "role": role,
        "cell": "memfile"})


class Campaign(unittest.TestCase):
    def test_options(self):
        """An error is one line: the option, the value, what was expected."""
        parser = campaign.make_parser("try", "", "")
        parser.add_argument("-O", "--output", type=campaign.fitting("(?s:.+)", "a file"))
        parser.add_argument("-n", type=campaign.whole(1, 9))
        parser.add_argument("-l", type=campaign.split_list)
        given = parser.parse_args(["-Ox=1", "-n", "09", "-l", r"a,b\,c"])
        self.assertEqual((given.output, given.n, given.l), ("x=1", 9, ["a", "b,c"]))
        cases = [(["-x"], "unrecognized arguments: -x"), (["--out=1"], "arguments: --out=1"),
                 (["-O"], "-O/--output: expected one argument"),
                 (["-O", ""], "-O/--output: '' is not a file")]
        cases += [(["-l", text], f"-l: '{text}' has an empty value")
                  for text in ("", "1,,2", ",1", "1,")]
        cases += [(["-n" + text], f"-n: '{text}' is not a whole number in 1..9")
                  for text in ("0", "10", "1e1", "-1", "x")]
        for words, wanted in cases:
            said = io.StringIO()
            with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as ended:
                parser.parse_args(words)
            self.assertEqual(ended.exception.code, 2)
            self.assertIn(wanted, said.getvalue())
            self.assertEqual(said.getvalue().count("\n"), 1)

    def test_times(self):
        for seconds, text in ((0.04, "0 s"), (1.25, "1.3 s"), (9.96, "10 s"), (99.6, "2 min"),
                              (5969, "99 min"), (5971, "1.7 h"), (36000, "10 h")):
            self.assertEqual(campaign.text_of_time(seconds), text)

    def test_order(self):
        """The order of a seed is for ever: those of earlier versions are known."""
        def order(cells, blocks, seed, reference=None):
            plan = campaign.plan_blocks(range(1, cells + 1), blocks, seed, reference)
            return [[one["cell"] for one in plan if one["block"] == block]
                    for block in range(1, blocks + 1)]

        self.assertEqual(order(4, 3, 7), [[1, 4, 2, 3], [3, 2, 4, 1], [1, 2, 3, 4]])
        self.assertEqual(order(4, 3, 8, "null"),
                         [[0, 3, 2, 4, 1, 0], [0, 4, 3, 1, 2, 0], [0, 2, 1, 4, 3, 0]])
        self.assertEqual(order(9, 1, 1), [[2, 8, 9, 3, 7, 1, 6, 5, 4]])
        for seed in range(1, 60):
            plan = campaign.plan_blocks(range(1, 8), 5, seed, "null")
            self.assertEqual([one["run"] for one in plan], list(range(1, 46)))
            for block in range(1, 6):
                runs = [one for one in plan if one["block"] == block]
                self.assertEqual([one["position"] for one in runs], list(range(1, 10)))
                self.assertEqual(sorted(one["cell"] for one in runs[1:-1]), list(range(1, 8)))
                self.assertEqual({one["role"] for one in runs[1:-1]}, {"cell"})
                self.assertEqual((runs[0]["role"], runs[-1]["cell"]), ("reference", 0))

    def test_estimate(self):
        """By short runs first: exchanges have 10,000 leases at the least, and a million are
        created in a second each 100,000; then by the runs that are done."""
        def estimate(cell, *runs):
            """With the runs that are asked for, (count, preload, seconds, busy_s) each."""
            runs, asked = list(runs), []

            def short(count, preload):
                asked.append((count, preload))
                one = runs.pop(0)
                return one and dict(zip(("count", "preload", "seconds", "busy_s"), one))

            return campaign.estimate({"small": 100, **cell}, short), asked

        self.assertEqual(campaign.busy_seconds(line(together=True, nanoseconds=(2e9, 1e9))), 2)
        self.assertEqual(campaign.busy_seconds(line(nanoseconds=(2e9, 1e9))), 3)
        million = {"count": 1000, "preload": 1000000}
        seconds, asked = estimate(million, (100, 10000, 1.5, 1), (100, 20000, 1.6, 1))
        self.assertEqual((round(seconds, 9), asked), (20.4, [(100, 0), (100, 20000)]))
        self.assertEqual(estimate(million, (None, 10000, 1.5, 1)), (1.5, [(100, 0)]))
        fast = {"count": 20000, "preload": 0}
        self.assertEqual(estimate(fast, (100, 0, 0.1, 0.01), (10000, 0, 0.6, 0.5)),
                         (1.1, [(100, 0), (10000, 0)]))
        self.assertEqual(estimate(fast, (100, 0, 0.1, 0.05)), (0.05 + 0.05 * 200, [(100, 0)]))
        for runs in ([None], [(100, 0, 0.1, 0.01), None]):
            self.assertIsNone(estimate(fast, *runs)[0])
        cells = [{"cell": 0, "estimate": 1, "seconds": [100]},
                 {"cell": 1, "estimate": 1, "seconds": [2, 2]},
                 {"cell": 2, "estimate": 1, "seconds": [2]}, {"cell": 3, "estimate": 10}]
        self.assertEqual(campaign.time_left(cells, [{"cell": 3}]), 20)
        self.assertEqual(campaign.time_left(cells, [{"cell": 0}, {"cell": 1}]), 102)
        self.assertEqual(campaign.time_left(cells[3:], [{"cell": 3}]), 10)

    def test_what_is_done(self):
        plan = campaign.plan_blocks([1, 2], 3, 1, None)
        lines = [run_line(one["block"], one["position"]) for one in plan]
        foreign = [run_line(1, 1, name="other"), {"labels": {}}, {"labels": None}, {},
                   {**lines[0], "incomplete": True}, {**lines[0], "error": "x"},
                   {**lines[0], "labels": {**lines[0]["labels"], "block": "x"}}]
        for count in range(len(plan) + 1):
            done = campaign.finished_runs(foreign + lines[:count] * 2, "mine")
            self.assertEqual(campaign.left_to_do(plan, done), plan[count:])

    def test_output_is_mended(self):
        """Cut at each byte of its last line, with that line in run.jsonl, or not."""
        first, second = (json.dumps(run_line(1, position)) for position in (1, 2))
        whole = f"{first}\n{second}\n"
        with tempfile.TemporaryDirectory() as folder:
            output, last = folder + "/out", folder + "/run.jsonl"
            for cut in range(len(first) + 1, len(whole) + 1, 7):
                for there in (False, True):
                    Path(output).write_text(whole[:cut])
                    if there:
                        Path(last).write_text(second + "\n")
                    campaign.mend_output(output, last, "mine")
                    kept = there or cut >= len(whole) - 1
                    self.assertEqual(Path(output).read_text(), whole if kept else first + "\n")
                    self.assertFalse(os.path.exists(last))
            Path(output).write_text("a note")
            with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
                campaign.mend_output(output, last, "mine")
            self.assertEqual(Path(output).read_text(), "a note")

    def test_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/out"
            self.assertEqual(campaign.read_lines(path), [])
            Path(path).write_text('{"a":1}\n[1]\n{"b"\n\xff\n{"c":3}')
            campaign.end_last_line(path)
            campaign.end_last_line(path)
            campaign.append_line(path, {"d": "é"})
            self.assertEqual(campaign.read_lines(path), [{"a": 1}, {"c": 3}, {"d": "é"}])
            self.assertTrue(Path(path).read_text().endswith('{"c":3}\n{"d":"é"}\n'))
        self.assertEqual(campaign.read_variables(
            "export A='b c'\nexport D='it'\\''s'\nmore\nE=1\n"), {"A": "b c", "D": "it's"})
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/out"
            for text, wanted in (('{"format":"ubench-re', True), ("", True), ("[]", False),
                                 ('{"x":1,"format": "ubench-kea/1"}\n', True),
                                 ('{"format":1}', False), ("somebody wrote this", False)):
                Path(path).write_text(text)
                said = io.StringIO()
                with contextlib.redirect_stderr(said), contextlib.suppress(SystemExit):
                    campaign.check_output("-O", path)
                self.assertEqual(said.getvalue() == "", wanted, text)

    def test_a_program_gets_the_signal_once(self):
        """^C reaches the program that runs, which ends as it likes; then this one ends."""
        for name, status in (("INT", 130), ("TERM", 143), ("HUP", 143)):
            text = ("import campaign, os\ncampaign.take_signals()\n"
                    "campaign.run(['sh', '-c', 'trap \"echo put back; exit\" INT TERM; "
                    f"kill -{name} $PPID; while :; do sleep 0.05; done'])\nprint('not here')")
            done, out, _ = campaign.ask(["python3", "-B", "-c", text],
                                        cwd=str(Path(campaign.__file__).parent))
            self.assertEqual((done, out), (status, "put back\n"))


class Standby(unittest.TestCase):
    def test_rows(self):
        """A row for each campaign in the order of time; other settings are left alone."""
        def run(name, at, commit, trip, latency, role="cell"):
            return json.dumps({
                "labels": {"role": role, "campaign": name}, "started_at": at,
                "parameters": {"set": "synchronous_commit=" + commit},
                "floors": {"round_trip_ns": trip * 1000}, "runs": [{"phases": [{"latency": {
                    "count": 4, "buckets": [[latency * 1000, 2], [99000000, 2]]}}]}]}) + "\n"

        late = (run("2ms", "11:00", "local", 4000, 5000)
                + run("2ms", "11:01", "remote_write", 4100, 9000)
                + "".join(run("2ms", f"11:0{at}", "on", 4000, latency)
                          for at, latency in ((2, 10010), (3, 9120), (4, 9100)))
                + run("2ms", "11:05", "on", 1, 1, "reference"))
        early = "".join(run("0", "10:00", commit, 100, 1000)
                        for commit in ("local", "remote_write", "on", "remote_apply"))
        with tempfile.TemporaryDirectory() as folder:
            Path(folder + "/late").write_text(late)
            Path(folder + "/early").write_text(early)
            _, out, _ = campaign.ask([campaign.HERE + "/standby", folder + "/late",
                                      folder + "/early"])
        self.assertEqual([line.split() for line in out.splitlines()[1:]], [
            ["0", "1", "0.1", "1.1", "1", "0.91", "1", "0.91"],
            ["2ms", "5", "4", "9", "9", "1", "9.12", "1.01"]])
