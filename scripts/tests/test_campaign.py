# SPDX-License-Identifier: ISC
"""What the campaign programs share: options, order, estimate, what is done."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import campaign  # noqa: E402

OPTIONS = (("output", "O", "FILE"), ("quick", None, None), ("help", "h", None))


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
    def refuses(self, words, function, *arguments):
        """It ends with exit status 2 and says these words."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as ended:
            function(*arguments)
        self.assertEqual(ended.exception.code, 2)
        self.assertIn(words, said.getvalue())

    def test_options(self):
        given, rest = campaign.read_options(["a", "-Ox", "--quick", "b"], OPTIONS)
        self.assertEqual((given, rest), ({"output": "x", "quick": True}, ["a", "b"]))
        for words in (["-O", "x=1"], ["--output=x=1"], ["-Ox=1"], ["--output", "x=1"]):
            self.assertEqual(campaign.read_options(words, OPTIONS)[0], {"output": "x=1"})
        self.assertEqual(campaign.read_options(["-h", "-x"], OPTIONS), ({"help": True}, []))
        for words, said in ((["-x"], "'-x' is not an option"),
                            (["--out=1"], "'--out' is not an option"),
                            (["--quick=1"], "--quick takes no value"),
                            (["-O"], "-O: the value is missing; expected FILE"),
                            (["-O", ""], "-O: '' is empty; expected FILE"),
                            (["--output="], "--output: '' is empty; expected FILE")):
            self.refuses(said, campaign.read_options, words, OPTIONS)
        self.assertEqual(campaign.split_list("-x", r"a,b\,c"), ["a", "b,c"])
        for text in ("", "1,,2", ",1", "1,"):
            self.refuses(f"-x: '{text}' has an empty value", campaign.split_list, "-x", text)
        self.assertEqual(campaign.whole_number("-x", "09", 1, 9), 9)
        for text in ("0", "10", "", "1e1", "-1", "x"):
            self.refuses(f"-x: '{text}' is not a whole number in 1..9", campaign.whole_number,
                         "-x", text, 1, 9)

    def test_times(self):
        for seconds, text in ((0.04, "0 s"), (1.25, "1.3 s"), (9.96, "10 s"), (99.6, "2 min"),
                              (5969, "99 min"), (5971, "1.7 h"), (36000, "10 h")):
            self.assertEqual(campaign.text_of_time(seconds), text)
        self.assertRegex(campaign.time_of_day(0), r"^\d\d:\d\d$")
        self.assertRegex(campaign.time_of_day(86400), r"^\d\d:\d\d on \d{4}-\d\d-\d\d$")

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
        def tried(small, seconds, preload=10000):
            return {"small": small, "preload": preload, "seconds": seconds, "busy_s": 1.0}

        self.assertEqual(campaign.busy_seconds(line(together=True, nanoseconds=(2e9, 1e9))), 2)
        self.assertEqual(campaign.busy_seconds(line(nanoseconds=(2e9, 1e9))), 3)
        cell = {"small": 100, "count": 1000, "preload": 1000000}
        self.assertEqual(campaign.next_try(cell), (100, 0))
        cell["tries"] = [tried(100, 1.5)]
        self.assertEqual(campaign.next_try(cell), (100, 20000))
        cell["tries"].append(tried(100, 1.6, 20000))
        self.assertIsNone(campaign.next_try(cell))
        self.assertAlmostEqual(campaign.estimate(cell), 20.4)
        cell["tries"] = [tried(None, 1.5)]
        self.assertIsNone(campaign.next_try(cell))
        self.assertEqual(campaign.estimate(cell), 1.5)
        fast = {"small": 100, "count": 10000, "preload": 0,
                "tries": [{**tried(100, 0.1, 0), "busy_s": 0.01}]}
        self.assertEqual(campaign.next_try(fast), (10000, 0))
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
        pairs = [run_line(1, 1, "reference"), run_line(1, 9, "reference", 1.2),
                 run_line(2, 1, "reference"), run_line(2, 9, "reference", 1.05),
                 run_line(3, 9, "reference", 0.5), run_line(3, 1, "reference")]
        found = campaign.drift(campaign.finished_runs(pairs, "mine"))
        self.assertEqual([(block, round(ratio, 6)) for block, ratio in found],
                         [(1, 1.2), (3, 0.5)])

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
                    campaign.mend_output(output, last)
                    kept = there or cut >= len(whole) - 1
                    self.assertEqual(Path(output).read_text(), whole if kept else first + "\n")
                    self.assertFalse(os.path.exists(last))
            Path(output).write_text("a note")
            with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
                campaign.mend_output(output, last)
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
        for text, wanted in (('{"format":"ubench-re', True), ('{"x":1,"format":"ubench-kea/1"}',
                                                             True), ('{"format":1}', False),
                             ("[]", False), ("somebody wrote this", False)):
            self.assertEqual(campaign.is_result(text), wanted, text)

    def test_a_program_gets_the_signal_once(self):
        """^C reaches the program that runs, which ends as it likes; then this one ends."""
        for name, status in (("INT", 130), ("TERM", 143), ("HUP", 143)):
            text = ("import campaign, os\ncampaign.take_signals()\n"
                    "campaign.run(['sh', '-c', 'trap \"echo put back; exit 0\" INT TERM; "
                    f"kill -{name} $PPID; while :; do sleep 0.05; done'])\nprint('not here')")
            done, out, _ = campaign.ask(["python3", "-B", "-c", text],
                                        cwd=str(Path(campaign.__file__).parent))
            self.assertEqual((done, out), (status, "put back\n"))
