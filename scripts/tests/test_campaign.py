# SPDX-License-Identifier: ISC
"""The module of the campaign programs: options, times, files, signals."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import campaign


class Campaign(unittest.TestCase):
    def test_options(self):
        """An error is one line: the option, the value, what was expected."""
        parser = campaign.make_parser("try", "", "")
        parser.add_argument("-O", "--output", type=campaign.output)
        parser.add_argument("-n", type=campaign.whole(1, 9))
        parser.add_argument("-l", type=campaign.split_list)
        given = parser.parse_args(["-Ox=1", "-n", "09", "-l", r"a,b\,c"])
        self.assertEqual((given.output, given.n, given.l), ("x=1", 9, ["a", "b,c"]))
        cases = [(["-x"], "unrecognized arguments: -x"), (["--out=1"], "arguments: --out=1"),
                 (["-O"], "-O/--output: expected one argument"),
                 (["-O", ""], "-O/--output: '' is not a file's name")]
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

    def test_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/out"
            self.assertEqual(campaign.read_lines(path), [])
            Path(path).write_text('{"a":1}\n[1]\n{"b"\n\xff\n{"c":3}')
            campaign.append_line(path, {"d": "é"})
            self.assertEqual(campaign.read_lines(path), [{"a": 1}, {"c": 3}, {"d": "é"}])
            self.assertTrue(Path(path).read_text().endswith('{"c":3}\n{"d":"é"}\n'))
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/out"
            for text, wanted in (('{"format":"ubench-re', True), ("", True), ("[]", False),
                                 ('{"x":1,"format": "ubench-kea/1"}\n', True),
                                 ('{"format":1}', False), ("somebody wrote this", False)):
                Path(path).write_text(text)
                said = io.StringIO()
                with contextlib.redirect_stderr(said), contextlib.suppress(SystemExit):
                    campaign.output(path)
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

    def test_a_second_signal_leaves_it_the_time(self):
        text = ("import campaign\ncampaign.take_signals()\n"
                "campaign.run(['sh', '-c', 'trap \"kill -TERM $PPID; sleep 0.3; echo back; exit\""
                " TERM; kill -TERM $PPID; while :; do sleep 0.1; done'])")
        self.assertEqual(campaign.ask(["python3", "-B", "-c", text],
                                      cwd=str(Path(campaign.__file__).parent))[:2], (143, "back\n"))
