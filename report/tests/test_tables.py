# SPDX-License-Identifier: ISC
"""tables, show, merge, and what all commands have in common."""

import copy
import csv
import io
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import published
import samples
from published import one_of
from samples import phase, report, run, store

from report import __main__ as program
from report import figures, options, results, rows, table, tables

TOP = Path(__file__).parents[2]
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*\.?\d*(?:e[-+]?\d+)?")


def numbers(text):
    return set(NUMBER.findall(text))


def many(count, **members):
    return [store(started_at=f"2026-11-01T00:00:{i:02}Z",
                  rates=(("create", 100 + i), ("search", 1000 + i)), **members)
            for i in range(count)]


class Guide(unittest.TestCase):
    def test_the_figures_of_2012(self):
        """Tables 3.1 to 3.3 of the guide, to its digits, from the times that it published."""
        status, out, err = report("tables", str(published.RESULTS / "guide-2012.jsonl"))
        self.assertEqual((status, err), (0, ""))
        for row in ("mysql 1,000 1 31.603978 0.116612 27.964191 27.695209",
                    "mysql 1,000 1 31.64 8575.45 35.76 36.11 2169.74",
                    "sqlite 1,000 1 16.28 30045.37 16.81 17.85 7524.08",
                    "memfile 1,000 1 23.97 1381215.47 23.66 23.71 345321.70"):
            self.assertIn(row, re.sub(" +", " ", out))

    def test_csv_markdown_and_text_have_the_same_rows(self):
        lines = many(7) + many(2, name="sqlite", cls="bounded")
        text, marked, comma = (report("tables", f"--format={form}", lines=lines)[1]
                               for form in ("text", "markdown", "csv"))
        self.assertEqual({word for word in numbers(text)}, numbers(marked))
        found = list(csv.DictReader(io.StringIO(comma)))
        self.assertEqual([(row["class"], row["store"], row["phase"], row["runs"]) for row in found],
                         [("power-safe", "memfile", "create", "7"),
                          ("power-safe", "memfile", "search", "7"),
                          ("bounded", "sqlite", "create", "2"),
                          ("bounded", "sqlite", "search", "2")])
        self.assertAlmostEqual(float(found[0]["rate_per_s"]), 103, 4)  # the median
        self.assertAlmostEqual(float(found[0]["rate_low"]), 100, 4)
        self.assertAlmostEqual(float(found[0]["time_s"]), 1000 / 103, 6)
        self.assertEqual(found[2]["rate_low"], "")  # of two runs there is no interval

    def test_rows_are_configurations_and_names_say_what_differs(self):
        lines = [store(rates=(("renew", 100),), parameters={"threads": threads, "seed": seed})
                 for threads in ("16", "4") for seed in "12"]
        made = rows.sections(samples.read(lines)[0])
        self.assertEqual([(section.heading, [(row.label, len(row.runs)) for row in section.rows])
                          for section in made],
                         [("power-safe, renew", [("memfile, threads=4", 2),
                                                 ("memfile, threads=16", 2)])])

    def test_notes(self):
        cut = run(phase("create", 1), phase("search", 1), incomplete=True)
        lines = [store(runs=[run(phase("create", 100), phase("search", 5)), cut],
                       warnings=[{"code": "load", "text": "it was busy"}])]
        out = report("tables", lines=lines)[1]
        self.assertIn("memfile: 1 incomplete run left out", out)
        self.assertIn("note          memfile: it was busy", out)

    def test_open_loops_are_no_rates(self):
        line = one_of(workload="dora-known")
        trial = {"stage": "single", "rate_per_s": 200.0, "warmup_ns": 0, "duration_ns": 2 * 10**9,
                 "deadline_ns": 10**9, "queue": 64, "incomplete": False, "elapsed_ns": 2 * 10**9,
                 "offered": 400, "answered": 399, "late": 0, "dropped": 1, "merged": 0, "failed": 0,
                 "unanswered": 0, "in_time_per_s": 199.5, "bad_share": 1 / 400, "grew": False,
                 "invalid": None, "wait_ns": [10, 10, 10], "overhead_ns": 0, "response": None,
                 "service": None, "lag": None, "seconds": []}
        line["runs"][0].update(trials=[trial], predicted=None,
                               closed_loop={"rate_per_s": 900.0, "failed": 0, "service": None})
        out = report("tables", lines=[line])[1]
        self.assertIn("open loop, power-safe", out)
        self.assertIn("not in time", out)
        self.assertRegex(report("show", lines=[line])[1], "offered +400\n(.*\n)*bad share +0.25 %")
        status, out, err = report("tables", "--format=csv", lines=[line, *many(1)])
        self.assertEqual(status, 0)
        self.assertIn("the rate of an open loop was asked for, not reached; left out", err)
        self.assertEqual(len(out.splitlines()), 3)


    def test_a_search_says_whose_limit_it_found(self):
        for stage, members, words in (
                ("search", {}, "confirmed"), ("fine", {}, "confirmed by an earlier search, which"),
                ("search", {"verified": False}, "not confirmed"),
                ("verify", {"invalid": True}, "limited by the load generator")):
            goal = {"verified": True, "invalid": False, **members}
            verdict = tables.verdict_of_goal(
                {"incomplete": False, "trials": [{"stage": stage}]}, goal)
            self.assertTrue(verdict.startswith(words), verdict)
        self.assertEqual(tables.verdict_of_goal({"incomplete": True}, {}),
                         "the search was interrupted")


class Show(unittest.TestCase):
    def test_all_that_a_line_has(self):
        """Every setting, every quantile, and each count is in the text."""
        for wanted in ({"store": "mysql", "workload": "renew"}, {"workload": "phases"}):
            line = one_of(**wanted)
            out = report("show", lines=[line])[1]
            flat = re.sub(r"\s+", " ", out)
            for place in ("parameters", "labels"):
                for name, value in line[place].items():
                    self.assertIn(f"{name}={value}", flat)
            for one in line["runs"][0]["phases"]:
                self.assertIn(figures.count(one["operations"]), out)
                self.assertIn(figures.figure(results.phase_rate(one)), out)
                for name in (*results.QUANTILES, "min", "max", "mean", "sd"):
                    value = one["latency"][f"{name}_ns"]
                    self.assertIn("n/a" if value is None else figures.time(value), out)
            self.assertIn(line["runs"][0]["digest"], out)
            self.assertLessEqual(max(map(len, out.splitlines())), 80)

    def test_repeats(self):
        runs = [run(phase("create", rate)) for rate in (90, 100, 110, 104, 96, 1)]
        out = report("show", lines=[store(runs=runs, parameters={"repeat": "6"})])[1]
        self.assertIn("6 of 6", out)
        for wanted in (r"mean +97\.50 +97\.50", r"\+- 95 % +(\d+\.\d\d) +\1", r"median +98\.00",
                       r"its interval \(96\.9 %\) +1\.000 to 110\.0"):
            self.assertRegex(out, wanted)
        few = report("show", lines=[store(runs=runs[:2], parameters={"repeat": "3"})])[1]
        self.assertIn("incomplete      2 of 3", few)
        self.assertRegex(few, "run 2 +100.0")

    def test_lines(self):
        lines = many(3)
        self.assertEqual(report("show", "--line=2", lines=lines)[1],
                         report("show", lines=lines[1:2])[1])
        status, _, err = report("show", "-l", "9", lines=lines)
        self.assertEqual((status, err),
                         (1, "ubench_report show: --line: there is no result in line 9\n"))


def split(line, count):
    """The parts of a run that has no latencies, each with its share of all that adds up."""
    parts = []
    for i in range(count):
        part = copy.deepcopy(line)
        part["parameters"]["part"] = f"{i + 1}/{count}"
        part["labels"]["agent"] = f"host-{i}"
        part["parts"] = [{"number": i + 1, "of": count, "host": f"host-{i}", "begun_us": 5 + i,
                          "common_us": 1700000000000000, "error_us": 100}]
        for one in part["runs"]:
            one["digest"] = f"{int(one['digest'], 16) if i == 0 else 0:016x}"
            for of in one["phases"]:
                spread = [value // count + (i < value % count) for value in (of["hits"],
                                                                            of["misses"])]
                of.update(hits=spread[0], misses=spread[1], operations=sum(spread), steps=[],
                          series=[], latency=None, usage=None)
                del of["steps"]
        parts.append(part)
    return parts


class Merge(unittest.TestCase):
    def merged(self, *lines):
        with published.folder() as folder:
            files = [published.write(folder / f"{i}.jsonl", [line]) for i, line in enumerate(lines)]
            return report("merge", *files)

    def test_histograms_are_added_bucket_by_bucket(self):
        from report import merge
        values = [17 * i * i % 90001 + 3 for i in range(4000)]
        whole = samples.histogram(values)
        whole["sd_ns"] = merge.deviation(whole)
        self.assertEqual(merge.add_histograms(samples.histogram(values[::2]),
                                              samples.histogram(values[1::2])), whole)
        self.assertEqual(merge.add_histograms(None, whole), whole)

    def test_refused(self):
        one, two = split(one_of(store="mysql", workload="phases"), 2)

        def changed(**members):
            return {**copy.deepcopy(two), **members}

        late = {**two["parts"][0], "common_us": 1700009000000000}
        for other, wanted in (
                (changed(parts=[{**two["parts"][0], "number": 1}]), "part 2 of 2 is missing"),
                (changed(parts=[{**two["parts"][0], "of": 3}]), "part 2 of 2 is missing"),
                (changed(parts=[late]), "all parts were at work in 0 % of the time"),
                (changed(parameters={**two["parameters"], "seed": "9"}), "parameters.seed is '9'"),
                (changed(version="9.9.9"), "version is '9.9.9', and '"),
                (changed(incomplete=True, error="why"), "the part did not come to its end: why"),
                ({**two, "parts": []}, "parts: "), (one_of(workload="renew"), "it is not a part")):
            status, _, err = self.merged(one, other)
            self.assertEqual(status, 1)
            self.assertIn(wanted, err)
        self.assertIn("it is a part of a run; ubench_report merge puts all together; left out",
                      report("tables", lines=[one])[2])


class Layout(unittest.TestCase):
    def test_a_wide_table_is_cut(self):
        made = table.Table(["name", *(f"column {i}>" for i in range(9))])
        made.add("a name that is rather long for a first column", *range(9))
        for width in (40, 80, 200):
            text = table.text(made, width)
            self.assertEqual(sorted(set(map(int, re.findall(r"(?<= )\d(?=\s)", text)))),
                             list(range(9)))
            self.assertLessEqual(max(map(len, text.splitlines())), max(width, 45))
        self.assertIn("name  column 0", table.text(made, 200).replace(" " * 41, ""))

    def test_what_is_foreign_is_no_markup(self):
        made = table.Table(["<b>", "a|b>"])
        made.add("<script>", "[x](y) `z`")
        self.assertIn("&lt;script&gt;", table.html(made))
        self.assertNotIn("<b>", table.html(made))
        self.assertIn(r"| &lt;script> | [x\](y) \`z\` |", table.markdown(made))

    def test_fold(self):
        text = "word " * 50
        for line in table.fold(text, 40, 14).splitlines()[1:]:
            self.assertTrue(line.startswith(" " * 14) and len(line) <= 40)
        self.assertEqual(table.fold("a b", 2, 0), "a\nb")


class Options(unittest.TestCase):
    ROWS = [options.Option("count", "count", "h", "N", least=1, most=9),
            options.Option("share", "share", "h", "S", "3%"),
            options.Option("rate", "rate", "h", "R", most=50000),
            options.Option("time", "duration", "h", "T", least=10**9, most=60 * 10**9),
            options.Option("text", "text", "h", "X"),
            options.Option("where", "settings", "h", "K=V"), options.FORMAT, options.HELP]

    def test_values(self):
        values, files = options.parse(self.ROWS, [
            "a", "--count=3", "--time", "1.5s", "b", "--where", "a=b=c", "--where=d=", "--rate=20k",
            "-h"])
        self.assertEqual(files, ["a", "b"])
        self.assertEqual(values, {"count": 3, "share": 0.03, "rate": 20000, "time": 1500000000,
                                  "text": None, "where": [("a", "b=c"), ("d", "")],
                                  "format": "text", "help": True})

    def test_refused(self):
        commands = [
            ([], "no command was given; --help lists them"),
            (["table"], "'table' is no command; --help"), ([""], "'' is no command"),
            (["tables"], "no files were named; try: ./sqlite_ubench -O FILE"),
            (["tables", "--format"], "--format: the value FORMAT is missing"),
            (["tables", "--format=html", "x"], "'html' is not one of text, markdown, csv"),
            (["tables", "--formt=csv", "x"], "--formt: unknown option; did you mean --format?"),
            (["tables", "-n", "5"], "-n: unknown option"),
            (["tables", "--help=x"], "--help takes no value"),
            (["compare", "--min-effect=101%", "a", "b"], "--min-effect: 101% is outside 0..1"),
            (["compare", "--min-effect=%", "a", "b"], "'%' is not a number in 0..1"),
            (["compare", "--by=", "a"], "--by: the value KEY is empty"),
            (["compare", "--where", "x", "a", "b"], "--where: 'x' is not NAME=VALUE"),
            (["answer", "--clients=0"], "--clients: 0 is outside 1..4294967296"),
            (["answer", "--clients=many"], "--clients: 'many' is not a whole number"),
            (["answer", "--lease-time=5x"], "--lease-time: '5x' is not a time (7200, which are"),
            (["answer", "--rtt=5"], "--rtt: '5' is not a time with its unit"),
            (["answer", "--headroom=x"], "--headroom: 'x' is not a number above 0"),
            (["show", "--line=5000000000", "x"], "--line: 5000000000 is outside 0..4294967295")]
        for argv, wanted in commands:
            status, out, err = report(*argv)
            self.assertEqual((status, out, err.count("\n")), (2, "", 1), argv)
            self.assertIn(wanted, err)
        for argv in (["tables", "/nonexistent"], ["tables", "/"]):
            self.assertEqual(report(*argv)[0], 1)

    def test_nothing_printed_is_obeyed_by_a_terminal(self):
        """Results, tables in every form, and messages pass one place."""
        bad = "a\x1b[31m\x9b\x07\r\u202e\ud800b"
        for form in ("text", "markdown", "csv", "html"):
            stream = io.StringIO()
            made = table.Table("store|rate>")
            made.add(bad, 1)
            out = table.Output(form, stream)
            for show in (out.note, out.heading, out.item, out.warning):
                show(bad)
            out.labelled("x", bad)
            out.table(made)
            self.assertNotRegex(stream.getvalue(), "[\0-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]")
            self.assertRegex(stream.getvalue(), r"a\?\[31m\?\?\?\?\?b")
        _, _, err = report("show", f"no\n{bad[:-2]}")
        self.assertNotRegex(err, "[\0-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]")
        self.assertEqual(err.count("\n"), 1)

    def test_a_closed_pipe_ends_it_without_a_word(self):
        reading, writing = os.pipe()
        os.close(reading)
        with open(writing, "wb") as nobody:
            ended = subprocess.run([sys.executable, "-m", "report", "--help"], cwd=TOP,
                                   stdout=nobody, stderr=subprocess.PIPE, check=False)
        self.assertEqual((ended.returncode, ended.stderr), (141, b""))

    def test_help(self):
        for command in program.COMMANDS:
            status, out, err = report(command, "--help")
            self.assertEqual((status, err), (0, ""))
            self.assertTrue(out.startswith(f"usage: ubench_report {command} [OPTION]... "))
            listed = report(command, "--list-options")[1]
            self.assertEqual([line.split("\t")[1] for line in listed.splitlines()],
                             re.findall(r"^ .{5}--([a-z-]+)", out, re.M))
            self.assertIn(f"  {command} ", report("--help")[1])
