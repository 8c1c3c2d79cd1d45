# SPDX-License-Identifier: ISC
"""compare: properties that hold for any two groups, and its gate."""

import csv
import io
import itertools
import unittest

import published
from samples import block, report, run, server, store, trial


def group(rate, blocks=9, **members):
    """Runs of a store, which drift from block to block."""
    return [store(rates=(("create", rate * (1 + i % 5)), ("search", 5 * rate * (1 + i % 5))),
                  started_at=f"2026-11-01T00:00:{i:02}Z", **block(i), **members)
            for i in range(blocks)]


def compare(*sides, options=()):
    """Files with these lines, compared: status, rows and errors."""
    with published.folder():
        files = [published.write(f"{name}.jsonl", side) for name, side in zip("abcd", sides)]
        status, out, err = report("compare", "--format=csv", *options, *files)
    return status, list(csv.DictReader(io.StringIO(out))), err


class Properties(unittest.TestCase):
    def test_a_factor_is_found(self):
        for factor, verdict in ((1.2, "better"), (0.8, "worse"), (1.02, "no difference shown"),
                                (1, "no difference shown")):
            status, found, err = compare(group(100), group(100 * factor, version="0.2.0"))
            self.assertEqual((status, err), (0, ""))
            self.assertEqual([row["phase"] for row in found], ["create", "search"])
            for row in found:
                self.assertAlmostEqual(float(row["ratio"]), factor, 4)
                self.assertEqual((row["verdict"], row["blocks"]), (verdict, "9"))
                self.assertLessEqual(float(row["low"]), float(row["ratio"]))

    def test_a_file_beside_itself_shows_nothing(self):
        lines = published.lines("sweep-2026-11")
        renamed = [{**line, "version": line["version"] + "+"} for line in lines]
        _, found, err = compare(lines, renamed)
        self.assertEqual(err, "")
        self.assertGreater(len(found), 30)
        for row in found:
            self.assertEqual((row["ratio"], row["verdict"]), ("1", "no difference shown"))

    def test_swapped_sides_invert_each_ratio(self):
        lines = [line for line in published.lines("kea-2026-11")
                 if line["labels"]["role"] == "cell"]
        sides = ([line for line in lines if line["parameters"]["threads"] == threads]
                 for threads in ("1", "8"))
        one, other = sides
        _, forth, _ = compare(one, other, options=["--across-classes"])
        _, back, _ = compare(other, one, options=["--across-classes"])
        self.assertTrue(forth)
        turned = {(row["case"], row["phase"]): row for row in back}
        opposite = {"better": "worse", "worse": "better"}
        for row in forth:
            same = turned[row["case"], row["phase"]]
            self.assertAlmostEqual(float(row["ratio"]) * float(same["ratio"]), 1, 4)
            self.assertAlmostEqual(float(row["low"]) * float(same["high"]), 1, 4)
            self.assertEqual(opposite.get(row["verdict"], row["verdict"]), same["verdict"])

    def test_order_of_lines_and_of_labels_does_not_count(self):
        one, other = group(100), group(110, version="0.2.0")
        self.assertEqual(compare(one, other), compare(one[::-1], other[::-1]))

    def test_another_class_is_said(self):
        for cls, words in (("power-safe", "durability power-safe differs"),
                           ("bounded", "durability power-safe -> bounded: different durability")):
            with published.folder():
                files = [published.write(name, lines) for name, lines in (
                    ("a", group(100)), ("b", group(100, cls=cls, version="0.2.0")))]
                self.assertIn(words, " ".join(report("compare", "--across-classes",
                                                     *files)[1].split()))

    def test_latencies_are_better_when_less(self):
        lines = [line for line in published.lines("kea-2026-11")]
        with published.folder() as folder:
            path = published.write(folder / "x.jsonl", lines)
            for figure in ("rate", "mean"):
                _, out, _ = report("compare", "--format=csv", "--by=threads",
                                   f"--figure={figure}", path)
                for row in csv.DictReader(io.StringIO(out)):
                    if row["verdict"] in ("better", "worse"):
                        self.assertEqual((float(row["ratio"]) > 1) == (figure == "rate"),
                                         row["verdict"] == "better")

    def test_by_is_each_value_against_the_first(self):
        lines = list(itertools.chain(*(group(rate, parameters={"threads": threads})
                                       for threads, rate in (("16", 400), ("4", 200), ("1", 100)))))
        status, out, _ = report("compare", "--format=csv", "--by=threads", lines=lines)
        found = [(row["candidate_is"], row["phase"], f"{float(row['ratio']):.3g}")
                 for row in csv.DictReader(io.StringIO(out))]
        self.assertEqual((status, found), (0, [
            ("threads=4", "create", "2"), ("threads=4", "search", "2"),
            ("threads=16", "create", "4"), ("threads=16", "search", "4")]))

    def test_builds_of_a_server_by_its_processor_time(self):
        lines = [server(trials=[trial(1000, 4000, us + i % 3)], server_build=of, **block(i),
                        server_library=f"/opt/{of}/lib/libkea-dhcpsrv.so.1")
                 for i in range(9) for of, us in (("b1", 100), ("a2", 105))]
        with published.folder():
            path = published.write("builds.jsonl", lines)
            _, out, _ = report("compare", "--format=csv", "--by", "Kea library", "--figure",
                               "processor", path)
        row, = csv.DictReader(io.StringIO(out))
        self.assertEqual((row["verdict"], row["unit"], row["blocks"]), ("better", "us", "9"))
        self.assertAlmostEqual(float(row["ratio"]), 100 / 105, 2)

    def test_text_says_what_else_differs(self):
        with published.folder() as folder:
            files = [published.write(folder / name, lines) for name, lines in (
                ("a", group(100)), ("b", group(150, version="0.2.0", facts={"memfile": "2.0"}) +
                                    [store(rates=(("renew", 5),))]))]
            out = report("compare", *files)[1]
        for wanted in ("better in 2 (of 2 rows)", "version: 0.1.0 -> 0.2.0", "memfile: 1.0 -> 2.0",
                       "only the candidate has memfile, workload=renew", "power-safe"):
            self.assertIn(wanted, " ".join(out.split()))


class Refuses(unittest.TestCase):
    def test_what_is_not_comparable(self):
        for sides, options, status, wanted in (
                ([group(1), group(1, cls="bounded")], [], 1, "their rates are not comparable"),
                ([group(1) + group(1, name="pgsql"), group(1, name="sqlite")], [], 1,
                 "no case in common: memfile on one side, sqlite on the other"),
                ([group(1)], [], 2, "1 file: two or more"),
                ([group(1), group(2)], ["--phases=creat"], 2, "--phases: 'creat' is not what both"),
                ([group(1)], ["--by=threads"], 2, "only one value of 'threads'"),
                ([group(1)], ["--by=nonsense"], 2, "no value of 'nonsense'"),
                ([group(1)], ["--baseline=a=b"], 2, "--candidate is missing"),
                ([group(1)], ["--baseline=store=x", "--candidate=store=memfile"], 2,
                 "--baseline: no result has store=x; there is memfile"),
                ([group(1)], ["--baseline=store=memfile", "--candidate=threads=1"], 2,
                 "a.jsonl:1 is in both groups")):
            made = [[{**line, "version": f"0.{i}.0"} for line in side]
                    for i, side in enumerate(sides)]
            got, _, err = compare(*made, options=options)
            self.assertEqual(got, status, err)
            self.assertIn(wanted, err)

    def test_gate(self):
        def lacks(line):
            return {**line, "runs": [run(line["runs"][0]["phases"][0])]}

        # Equal on average, but one block is half, the next one twice as fast.
        wide = [group(100 * (0.7, 1.4)[i % 2])[i] for i in range(9)]
        for option, status in (("10%", 4), ("21%", 0), ("19%", 4)):
            self.assertEqual(compare(group(100), [{**line, "version": "2"} for line in group(80)],
                                     options=["--not-worse-than", option])[0], status, option)
        gate = ["--fail-on-regression"]
        idle = [{**line, "runs": [run(*({**phase, "operations": 0} for phase in
                                        line["runs"][0]["phases"]))]} if i == 4 else line
                for i, line in enumerate(group(101))]
        for other, status, wanted in ((group(101), 0, ""), (wide, 5, "so near the limit"),
                                      (idle, 5, "runs without the figure: 2"),
                                      (group(80), 4, ""), (group(200), 0, ""),
                                      (group(101, 3), 5, "there are fewer than 6 blocks or runs"),
                                      (list(map(lacks, group(100))), 1,
                                       "b.jsonl lacks what the baseline has: memfile: the phase")):
            made = [{**line, "version": "0.2.0"} for line in other]
            got, _, err = compare(group(100), made, options=gate)
            self.assertEqual(got, status, err)
            self.assertIn(wanted, err)
