# SPDX-License-Identifier: ISC
"""Duels: the statistics by simulation and by properties, gates, damaged lines, what is printed."""

import csv
import json
import math
import random
import sys
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import SimpleNamespace

from report import duel, plan, results, stats
from report.duel import Slice
from report.tests import duel_errors, samples, test_page
from report.tests.duel_errors import drift, independent


def make_slices(blocks, ratios, seed, kind=independent, noise=0.05):
    """Slices of sides with these rates; kind is the noise that hits all of them."""
    chance, order, slices = random.Random(seed), list(range(len(ratios))), []
    levels = kind(chance)
    for _ in range(blocks):
        chance.shuffle(order)
        for side in order + order[::-1]:
            rate = 1000 * ratios[side] * math.exp(next(levels) + chance.gauss(0, noise))
            slices.append(Slice(side, round(rate * 1000), 10**12, round(5e8 * rate), None,
                                round(rate), round(1e9 / rate), None, 0))
    return slices


def line_of(slices, ratios, **members):
    result = samples.store("sqlite", host={"cpu": "x86", "cores": "2"})
    sides = [{"name": f"side {i}", "command": f"sqlite_ubench -n {i}", "twin": False, "server": "",
              "result": result} for i in range(len(ratios))]
    sides[-1]["twin"] = len(ratios) > 2
    return fit({"format": "ubench-duel/1", "started_at": "2026-11-23T00:00:00Z", "label": "",
                "incomplete": False, "seed": 1, "slice_ms": 100, "settle_ms": 0,
                "precision": 0.01, "time_s": 60.0, "sides": sides,
                "slices": [list(one) for one in slices], **members})


def fit(line):
    """The same with results of one phase that have the sums of their slices in the last round."""
    line = json.loads(json.dumps(line))
    for i, side in enumerate(line["sides"]):
        last = line["slices"][-1][9] if line["slices"] else 0
        mine = [row for row in line["slices"] if row[0] == i and row[9] == last]
        if side["result"] and mine:
            run = side["result"]["runs"][0]
            run["turns"] = len(mine)
            run["phases"][0].update(operations=sum(row[1] for row in mine),
                                    elapsed_ns=sum(row[2] for row in mine))
    return line


def estimate(slices, figure="rate"):
    """Side B of two."""
    return duel.estimate(line_of(slices, (1, 1)), 1, figure)


def report(lines, *words):
    return samples.report("duel", *words, lines=lines)


class Statistics(unittest.TestCase):
    def test_intervals_err_in_one_case_of_twenty(self):
        # 50 duels by each rule: 5 % is 2.5; 10 are chance in one of 1,000 suites.
        for rule in duel_errors.RULES:
            if rule.precision != 0.01:
                wrong = [duel_errors.share_wrong(rule, kind, 10) for kind in duel_errors.KINDS]
                self.assertLess(sum(wrong) / len(wrong), 0.2, rule)

    def test_the_simulation_ends_where_the_program_does(self):
        """The program's own loop, with sides that only say what they did."""
        scripts = Path(__file__).parents[2] / "scripts"
        sys.path.insert(0, str(scripts))  # where it lies, as if it had been started
        loader = SourceFileLoader("program", str(scripts / "duel"))
        program = module_from_spec(spec_from_loader("program", loader))
        loader.exec_module(program)
        levels, chance = drift(random.Random(1)), random.Random(2)
        program.turn = lambda side, _: [
            round(1e6 * math.exp(next(levels) + chance.gauss(0, 0.05))), 10**12, 1, *[None] * 4, 0,
            None]
        sides = [SimpleNamespace(private=False)] * 3
        line = {"seed": 1, "slice_ms": 1, "slices": [],
                "sides": [{"twin": twin} for twin in (False, False, True)]}
        asked = SimpleNamespace(time=10**15, precision=0.02, rounds=1, settle=0)
        program.fight(asked, sides, line, 0, 10**6)
        blocks = [(0, [[math.log(one.operations) for one in block if one.side == side]
                       for side in range(3)]) for block in duel.blocks_of(line)]
        self.assertGreater(len(blocks), 31)
        rule = duel_errors.Rule("", precision=0.02)
        self.assertEqual(duel_errors.hold(rule, blocks)[0], len(blocks))

    def test_a_drift_of_the_machine_does_not_widen_it(self):
        still = estimate(make_slices(100, (1, 0.95), 1))
        moving = estimate(make_slices(100, (1, 0.95), 1, drift))
        self.assertLess(moving.precision, 2 * still.precision)

    def test_swapped_sides_invert_the_ratio(self):
        slices = make_slices(20, (1, 0.8), 3, drift)
        swapped = [one._replace(side=1 - one.side) for one in slices]
        one, other = map(estimate, (slices, swapped))
        self.assertAlmostEqual(one.ratio * other.ratio, 1)
        self.assertAlmostEqual(one.interval.low * other.interval.high, 1)
        self.assertEqual(one.figures, other.figures[::-1])

    def test_a_cut_block_and_unknown_figures_are_left_out(self):
        slices = make_slices(10, (1, 0.9), 4)
        whole = estimate(slices)
        self.assertEqual(estimate([*slices, slices[0]]), whole)
        self.assertIsNone(estimate(slices, "p99"))
        slices[0] = slices[0]._replace(p50_ns=None)
        self.assertEqual(estimate(slices, "p50").blocks, 9)
        slices[5] = slices[5]._replace(p50_ns=None)
        self.assertIsNone(estimate(slices, "p50"))
        self.assertIsNone(estimate(slices[:20]).interval)

    def test_each_figure_is_of_an_operation(self):
        slices = make_slices(20, (1, 2), 5, noise=0)
        for name, wanted in (("rate", 2), ("p50", 0.5), ("cpu", 1), ("syncs", 1)):
            found = estimate(slices, name)
            self.assertAlmostEqual(found.ratio, wanted, 3, name)
        self.assertAlmostEqual(duel.total_ratio(line_of(slices, (1, 2)), 1), 2, 3)

    def test_in_several_rounds_a_side_is_compared_with_a_and_its_twin(self):
        slices = make_slices(20, (1, 0.9, 1.1), 5, noise=0)
        for rounds, wanted, total in ((1, 0.9, 0.9), (2, 0.9 / math.sqrt(1.1), 0.9 / 1.05)):
            line = line_of([one._replace(round=number) for number in range(rounds)
                            for one in slices], (1, 0.9, 1.1))
            self.assertAlmostEqual(duel.estimate(line, 1).ratio, wanted, 3)
            self.assertAlmostEqual(duel.null_of(line).ratio, 1.1, 3)
            self.assertAlmostEqual(duel.total_ratio(line, 1), total, 3)

    def test_a_few_rounds_have_the_interval_of_student(self):
        # The interval of 1, 2, 3, 4, 5 and 6 %: 0.035 -+ t(.975, 5) 0.018708 / sqrt(6), where t is
        # 2.570582.
        slices = [one._replace(round=number) for number in range(6)
                  for one in make_slices(8, (1, math.exp((number + 1) / 100)), 7, noise=0)]
        found = estimate(slices)
        self.assertEqual(found.blocks, 6)
        for of, wanted in zip(found.interval, (0.015367, 0.054633)):
            self.assertAlmostEqual(math.log(of), wanted, 5)

    def test_what_one_side_leaves_to_the_other_is_found(self):
        slices = make_slices(200, (1, 1), 6)
        self.assertIsNone(duel.carry_over(line_of(slices, (1, 1)), 0))
        indebted = [one if i and slices[i - 1].side == one.side else
                    one._replace(operations=round(one.operations * 0.9))
                    for i, one in enumerate(slices)]
        found = duel.carry_over(line_of(indebted, (1, 1)), 0)
        self.assertTrue(found.low < 1 / 0.9 < found.high, found)


class Plans(unittest.TestCase):
    def test_what_is_planned_is_found(self):
        for sd in (0.05, 0.1):
            count, chance = plan.needed(sd, 0.05), random.Random(11)
            found = sum(stats.paired([chance.gauss(math.log(1.05), sd) for _ in range(count)]).p
                        < 0.05 for _ in range(500))
            self.assertTrue(425 <= found <= 480, (sd, count, found))
        self.assertIsNone(plan.needed(10, 0.001))
        self.assertEqual((plan.needed(0, 0.05), plan.needed(0.05, 0.05)), (stats.LEAST, 14))

    def test_from_a_campaign_and_from_a_duel(self):
        # A disturbance of a block hits both stores: the noise is that of pairs.
        chance, lines = random.Random(12), []
        for block in range(12):
            level = chance.gauss(0, 0.5)
            lines += [samples.store(name, rates=[("renew", round(1e6 * math.exp(
                level + chance.gauss(0, 0.02))), 10**6)], **samples.block(block))
                for name in ("memfile", "sqlite")]
        lines.append(line_of(make_slices(40, (1, 0.9, 1), 8, noise=0.02), (1, 0.9, 1)))
        status, out, said = samples.report("plan", "--format", "csv", lines=lines)
        self.assertEqual((status, said), (0, ""))
        rows = [row.split(",") for row in out.splitlines()[1:]]
        self.assertEqual([row[-3] for row in rows], ["pairs in blocks"] * 2 + ["pairs in slices"])
        for row in rows:
            self.assertLess(float(row[-4].rstrip(" %")), 5, row)
        for words, status in ((["--effect", "0"], 2), (["--effect", "x"], 2), ([], 1)):
            self.assertEqual(samples.report("plan", *words, lines=[samples.store()])[0], status)


class Gates(unittest.TestCase):
    def test_a_gate_fails_closed(self):
        for low, high, allowed, wanted in (
                (0.96, 1.02, 0.05, 0), (0.94, 0.949, 0.05, 4), (0.94, 0.96, 0.05, 5),
                (0.5, 2, 0.05, 5), (1.1, 1.2, 0.01, 0)):
            self.assertEqual(stats.gate(stats.Interval(low, high), allowed, True), wanted)
            mirror = stats.Interval(2 - high, 2 - low)  # of what is better if there is less of it
            self.assertEqual(stats.gate(mirror, allowed, False), wanted, mirror)
        self.assertEqual(stats.gate(None, 0.05, True), 5)
        self.assertEqual([stats.worst_gate(of) for of in ([0, 0], [0, 5], [5, 4], [])],
                         [0, 5, 4, 5])
        for better, wanted in ((True, "422 times"), (False, "467 times")):
            found = stats.Contrast(9, (9, 9), ratio=1, interval=stats.Interval(0.9, 1 / 0.9))
            self.assertIn(wanted, stats.why_untold(found, 0.05, better, 100, "{} times"))
        found = found._replace(ratio=0.95, interval=stats.Interval(0.90, 1.002))
        self.assertIn("no reasonable time", stats.why_untold(found, 0.05, True, 1, "{}"))

    def test_what_a_gate_must_not_pass(self):
        slices = make_slices(60, (1, 1, 1), 7, noise=0.01)
        line = line_of(slices, (1, 1, 1))
        self.assertEqual(duel.gate(line, 1, 0.05), (0, "passed: it is not slower by more than 5 %"))
        of_b = [i for i, one in enumerate(slices) if one.side == 1]
        for name, change in (
                ("did nothing", {i: {"operations": 0} for i in of_b[::2]}),
                ("stalled", {i: {"elapsed_ns": 20 * 10**12} for i in of_b[::10]}),
                ("A against A differs", {
                    i: {"operations": round(one.operations * 1.1)}
                    for i, one in enumerate(slices) if one.side == 2})):
            worse = [one._replace(**change.get(i, {})) for i, one in enumerate(slices)]
            self.assertIn(duel.gate(line_of(worse, (1, 1, 1)), 1, 0.05)[0], (4, 5), name)
        self.assertEqual(duel.gate(line_of(slices, (1, 1, 1), incomplete=True), 1, 0.05)[0], 5)
        line["sides"][1]["result"] = None
        self.assertEqual(duel.gate(line, 1, 0.05)[0], 5)
        status, _, said = report([line_of(slices, (1, 1, 1)), {"format": "ubench-duel/1"}],
                                 "--not-worse-than", "5%")
        self.assertEqual(status, 5, said)

    def test_a_result_that_does_not_count_passes_no_gate(self):
        line = line_of(make_slices(60, (1, 1, 1), 7, noise=0.01), (1, 1, 1))
        for change in ({"incomplete": True}, {"error": "it burnt"}, {"runs": []}):
            other = json.loads(json.dumps(line))
            other["sides"][1]["result"].update(change)
            self.assertEqual(duel.gate(other, 1, 0.05)[0], 5, change)
            self.assertIn(report([other], "--not-worse-than", "5%")[0], (1, 5), change)
        for member, value in (("incomplete", True), ("verified", False), ("leases_left", 5)):
            other = json.loads(json.dumps(line))
            other["sides"][2]["result"]["runs"][0][member] = value
            self.assertEqual(duel.gate(other, 1, 0.05)[0], 5, member)
            self.assertIn(report([other], "--not-worse-than", "5%")[0], (1, 5), member)

    def test_the_null_counts_in_the_limit(self):
        """A against A has to pass, in both directions, whether or not it leaves out 1."""
        slices = make_slices(60, (1, 1, 1), 7, noise=0.01)
        for factor in (1.08, 0.92):
            twin = [one._replace(operations=round(one.operations * factor))
                    if one.side == 2 else one for one in slices]
            self.assertEqual(duel.gate(line_of(twin, (1, 1, 1)), 1, 0.05)[0], 5, factor)
        chance = random.Random(3)
        wide = [one._replace(operations=round(one.operations * math.exp(chance.gauss(0, 0.4))))
                if one.side == 2 else one for one in slices]
        line = line_of(wide, (1, 1, 1))
        null = duel.null_of(line).interval
        self.assertTrue(null.low < 0.95 and null.high > 1, null)
        status, text = duel.gate(line, 1, 0.05)
        self.assertEqual(status, 5)
        self.assertIn("A against A is", text)

    def test_the_figure_of_a_gate(self):
        slices = [one._replace(cpu_ns=round(one.cpu_ns * (1.2 if one.side == 1 else 1)),
                               p50_ns=round(one.p50_ns * (1.2 if one.side == 1 else 1)))
                  for one in make_slices(60, (1, 1, 1), 7, noise=0.01)]
        line = line_of(slices, (1, 1, 1))
        for name, wanted in (("rate", 0), ("p50", 4), ("processor", 4)):
            self.assertEqual(duel.gate(line, 1, 0.05, name)[0], wanted, name)
            self.assertEqual(report([line], "--not-worse-than", "5%", "--figure", name)[0],
                             wanted, name)
            self.assertEqual(duel.gate(line, 1, 0.3, name)[0], 0, name)
        for change in ({"p50_ns": None}, {"server_cpu_ns": 1}):
            other = [one._replace(**change) if i == 7 else one for i, one in enumerate(slices)]
            name = "p50" if "p50_ns" in change else "processor"
            self.assertEqual(duel.gate(line_of(other, (1, 1, 1)), 1, 0.3, name)[0], 5, name)

    def test_the_exit_status(self):
        slices = make_slices(40, (1, 0.9, 1), 7, noise=0.02)
        line = line_of(slices, (1, 0.9, 1))
        for allowed, wanted, text in (("20%", 0, "passed: it is not"), ("5%", 4, "not passed"),
                                      ("10%", 5, "too imprecise to tell")):
            status, _, said = report([line], "--not-worse-than", allowed)
            self.assertEqual((status, text in said), (wanted, True), said)


class Lines(unittest.TestCase):
    def test_a_difference_is_said_with_its_interval(self):
        slices = make_slices(40, (1, 0.9, 1), 8, noise=0.02)
        status, out, _ = report([line_of(slices, (1, 0.9, 1))])
        self.assertEqual(status, 0)
        self.assertRegex(out, r"B against A +(9\.\d|10\.\d|10) % slower \(")
        self.assertRegex(out, r"null +A against A: 0\.9\d\d to \d\.\d\d\d")
        self.assertLessEqual(max(map(len, out.splitlines())), 80)

    def test_a_null_that_differs_hides_smaller_differences(self):
        slices = make_slices(100, (1, 0.97, 0.95), 9, noise=0.02)
        _, out, _ = report([line_of(slices, (1, 0.97, 0.95))])
        self.assertIn("two runs of the same command differ", out)
        self.assertRegex(out, "B against A +no difference shown")

    def test_processor_time_decides_where_the_rate_does_not(self):
        slices = [one._replace(cpu_ns=round(one.operations * (500 + 50 * (one.side == 1))))
                  for one in make_slices(40, (1, 1, 1), 8, noise=0.3)]
        _, out, _ = report([line_of(slices, (1, 1, 1))])
        self.assertRegex(out, r"processor +B takes 10\.\d % more \(")
        slices = make_slices(40, (1, 0.9, 1), 8, noise=0.02)
        self.assertNotIn("that decides", report([line_of(slices, (1, 0.9, 1))])[1])

    def test_several_are_a_history(self):
        lines = [line_of(make_slices(20, (1, 0.9), seed), (1, 0.9),
                         started_at=f"2026-11-2{seed}T00:00:00Z") for seed in (3, 1, 2)]
        _, out, _ = report(lines, "--format", "csv")
        self.assertEqual([row.split(",")[6][:10] for row in out.splitlines()[1:]],
                         ["2026-11-21", "2026-11-22", "2026-11-23"])

    def test_the_page_shows_them_alone_and_beside_results(self):
        slices = make_slices(40, (1, 0.9, 1), 8, noise=0.02)
        lines = [line_of(slices, (1, 0.9, 1))]
        lines[0]["sides"][1]["name"] = "<b>"
        for others in ([], [samples.store()]):
            status, out, said = samples.report("page", lines=lines + others)
            self.assertEqual((status, said), (0, ""))
            found = test_page.Page(out)
            self.assertEqual(found.wrong, [])
            drawn = json.loads(found.scripts[0])["ratios"]
            self.assertEqual([row["label"] for row in drawn], [
                "2026-11-23 <b> / side 0", "2026-11-23 A against A"])
            self.assertTrue(drawn[0]["low"] < drawn[0]["value"] < drawn[0]["high"] < 0.95)
            self.assertIn("&lt;b&gt;", out)
            self.assertNotIn("<b>", out)

    def test_the_page_has_those_of_one_name_as_a_history(self):
        lines = [line_of(make_slices(8, (1, 2), day), (1, 2), label=of,
                         started_at=f"2026-11-2{day}T00:00:00Z") for day in (3, 1) for of in "ba"]
        drawn = json.loads(test_page.Page(samples.report("page", lines=lines)[1]).scripts[0])
        self.assertEqual([row["label"][:12] for row in drawn["ratios"]], [
            "2026-11-21 a", "2026-11-23 a", "2026-11-21 b", "2026-11-23 b"])
        self.assertIn("sqlite 1.0, 0.1.0", drawn["ratios"][0]["tip"])

    def test_what_contradicts_itself_is_refused(self):
        line = line_of(make_slices(8, (1, 1, 1), 1), (1, 1, 1))
        for change, words in (
                (lambda one: one["slices"][0].__setitem__(0, 3), "slices[0]"),
                (lambda one: one["slices"][4].__setitem__(2, 0), "slices[4]"),
                (lambda one: one["slices"].pop(0), "block 1 has not each side twice"),
                (lambda one: one["sides"][0].update(twin=True), "sides: "),
                (lambda one: one.pop("seed"), "seed: is missing"),
                (lambda one: one["slices"][0].append(1), "slices")):
            other = json.loads(json.dumps(line))
            change(other)
            with self.assertRaises(results.Damaged) as caught:
                results.parse(json.dumps(other).encode())
            self.assertIn(words, str(caught.exception))

    def test_slices_that_their_results_contradict_are_refused(self):
        """Rows of a table: a change to each slice, or to all of side B."""
        line = line_of(make_slices(8, (1, 1, 1), 1), (1, 1, 1))

        def change(column, new, side=1):
            other = json.loads(json.dumps(line))
            for i, row in enumerate(other["slices"]):
                if row[0] == side or side is None:
                    row[column] = new(i, row[column])
            return other

        cases = [change(1, lambda _, value: value * 10), change(2, lambda _, value: value // 10),
                 change(1, lambda *_: 10**15), change(2, lambda *_: 1),
                 change(2, lambda *_: 1e-308), change(2, lambda *_: 0.5),
                 change(1, lambda *_: True), change(3, lambda *_: 10**300),
                 change(6, lambda _, value: value * 10**7), change(8, lambda *_: 1),
                 change(4, lambda *_: 2**59), change(1, lambda _, value: value + 1)]
        cases += [change(9, new, None) for new in (
            lambda *_: 0.5, lambda *_: 1, lambda i, _: i * 10**6, lambda i, _: i,
            lambda *_: None, lambda i, _: i // 12 * 10**6, lambda *_: 2**60)]
        cases += [{**line, "slices": line["slices"][:-1]},
                  {**line, "started_at": "2026-19-39T29:59:69Z"},
                  {**line, "started_at": "2026-02-30T00:00:00Z"},
                  {**line, "sides": line["sides"] * 5}]
        results.parse(json.dumps(line).encode())
        for number, case in enumerate(cases):
            with self.subTest(number), self.assertRaises(results.Damaged):
                results.parse(json.dumps(case).encode())

    def test_a_damaged_line_passes_no_gate_and_ends_in_no_traceback(self):
        line = line_of(make_slices(30, (1, 1, 1), 7, noise=0.01), (1, 1, 1))
        chance = random.Random(9)
        for _ in range(150):
            other = json.loads(json.dumps(line))
            row = chance.choice(other["slices"])
            column, value = chance.randrange(len(row)), chance.choice(
                [None, -1, 0.5, True, 2**70, 1e300, "x", [], {}, row[0] + 7])
            before, row[column] = row[column], value
            # Some figures may be unknown.
            if value == before or column in (4, 5, 6, 7) and value is None:
                continue
            with self.subTest(column=column, value=value):
                try:
                    checked = results.parse(json.dumps(other).encode())
                except results.Damaged:
                    continue
                self.assertIn(column, (3, 4, 5, 6, 7, 10))
                self.assertIn(duel.gate(checked, 1, 0.5)[0], (0, 4, 5))

    def test_what_an_operation_takes_of_the_server(self):
        """Operations, syncs and bytes of all slices of a side; the binary log's are not counted."""
        slices = [one._replace(operations=100, syncs=150 + 50 * one.side, log_bytes=12350,
                               cpu_ns=1000000, server_cpu_ns=2000000)
                  for one in make_slices(3, (1, 1, 1), 7)]
        line = line_of(slices, (1, 1, 1))
        line["sides"][1]["result"] = samples.store(
            "mysql", durability={"class": "power-safe", "from": "reworded",
                                 "settings": [{"name": "sync_binlog", "value": "1"}]},
            runs=[samples.run(samples.phase("renew", 100), operations=100, store_operations=300)])
        line["sides"][0]["result"] = None
        self.assertEqual([[cell.text for cell in row] for row in duel.work_table(line).rows],
                         [["A side 0", "n/a", "1.500", "123.5"],
                          ["B side 1", "3.000", "2.000 + binlog", "123.5"]])
        next(row for row in reversed(line["slices"]) if row[0] == 0)[10] = None
        del line["sides"][1]["result"]["runs"][0]["store_operations"]  # -w search, say
        rows = duel.work_table(line).rows
        self.assertEqual((rows[0][3].text, rows[1][1].text), ("n/a", "1.000"))

    def test_the_answer_is_of_its_blocks(self):
        """A duel is a campaign of as many blocks: rates are those of the slices, ratios those of
        the duel, and the duels of several exchanges are put together."""
        lines = []
        for name, ratios in (("renew", (1, 3, 1)), ("dora-known", (1, 2, 1))):
            line = line_of(make_slices(12, ratios, 5, drift), ratios)
            for side, cls, own in zip(line["sides"], ("power-safe", "bounded"), ("yes", "no")):
                side["result"] = samples.store("mysql", cls, [(name, 1)], {"sync": own})
            lines.append(fit(line))
        rate = [math.exp(stats.median([math.log(1e9 * sum(one.operations for one in mine)
                                                / sum(one.elapsed_ns for one in mine))
                                       for block in duel.blocks_of(line)
                                       for mine in [[one for one in block if one.side == 0]]]))
                for line in lines]
        _, out, _ = samples.report("answer", "--explain", "--format", "csv", lines=lines)
        found = [float(row["rate_per_s"]) for row in csv.DictReader(out.splitlines())
                 if row["class"] == "power-safe"]
        for of, wanted in zip(found, rate):
            self.assertAlmostEqual(of, wanted, 3)
        _, out, _ = samples.report("answer", lines=lines)
        self.assertRegex(out, r"mysql is (2\.9|3|3\.0)\d* times as fast as power-safe")

    def test_a_slow_block_of_new_clients_counts(self):
        """Leases in the store are those of the whole duel, and not of a block."""
        line = line_of(make_slices(6, (1, 1), 1), (1, 1))
        for row in line["slices"][:4]:
            row[1] //= 3
        for side in line["sides"]:
            side["result"] = samples.store("mysql", rates=[("dora", 50)],
                                           parameters={"preload": "0"})
        _, out, _ = samples.report("answer", "--restart-of", "new", "--format", "csv",
                                   lines=[fit(line)])
        self.assertEqual({row["runs"] for row in csv.DictReader(out.splitlines())
                          if row["source"] == "dora"}, {"12"})

    def test_other_commands_leave_it_out(self):
        line = line_of(make_slices(8, (1, 1, 1), 1), (1, 1, 1))
        status, _, said = samples.report("tables", lines=[line])
        self.assertEqual(status, 1)
        self.assertIn("it is a duel, which ubench_report duel prints", said)


if __name__ == "__main__":
    unittest.main()
