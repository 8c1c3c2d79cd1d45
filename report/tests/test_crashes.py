# SPDX-License-Identifier: ISC
"""Losses in crashes, by themselves and beside the rates of the same settings."""

import unittest

import samples

from report import crashes


def gather(*lines):
    return crashes.gather(samples.read(lines)[1])


def find(cells, name):
    return next(cell for cell in cells if cell["name"] == name)


class Cells(unittest.TestCase):
    def test_counts(self):
        invalid = {**samples.crash("x"), "verdict": "invalid", "why": "no disk"}
        cell = find(gather(*samples.controls(), *samples.many(samples.crash("x"), 3), invalid,
                           samples.crash("x", verdict="hole", lost=2),
                           samples.crash("x", verdict="corrupt")), "x")
        names = "judged", "lossy", "holes", "corrupt", "invalid"
        self.assertEqual([cell[name] for name in names], [5, 2, 1, 1, 1])

    def test_none_of_59_is_five_percent_at_most(self):
        cells = gather(*samples.controls(), *samples.many(samples.crash("x"), 59))
        self.assertAlmostEqual(find(cells, "x")["bound"], 0.0495, 4)

    def test_levels_in_order_and_settings_that_changed(self):
        cells = gather(samples.crash("x", "3"), samples.crash("x", "1b"), samples.crash("x", "1"),
                       samples.crash("x", "1", "volatile"))
        self.assertEqual([cell["level"] for cell in cells], ["1", "1b", "3"])
        self.assertEqual([cell["class"] for cell in cells], ["mixed", "power-safe", "power-safe"])


class Doubts(unittest.TestCase):
    """Nothing is said of a level whose controls did not pass."""

    def test_controls(self):
        loses, keeps = samples.controls()
        for lines, doubt in (
                ([], "no control that must not lose"), ([loses], "no control that must not lose"),
                ([keeps], "no control that must lose"), ([loses, keeps], None),
                ([{**loses, "verdict": "kept"}, keeps], "must lose did not"),
                ([loses, {**keeps, "verdict": "lost"}], "must not lose did")):
            cell = find(gather(samples.crash("x"), *lines), "x")
            self.assertEqual(cell["doubt"] is None, doubt is None)
            self.assertIn(doubt or "", cell["doubt"] or "")

    def test_those_of_another_level_do_not_help(self):
        cells = gather(*samples.controls("1"), samples.crash("x", "2"), samples.crash("x", "1b"))
        self.assertEqual([cell["doubt"] is None for cell in cells], [True, True, True, False])

    def test_a_contradiction(self):
        for level, cls, of in (("2", "power-safe", True), ("2", "bounded", False),
                               ("1", "bounded", True), ("1", "process-safe", True),
                               ("1", "volatile", False), ("4", "power-safe", False)):
            cells = gather(*samples.controls(level), samples.crash("x", level, cls, "lost", 7))
            self.assertEqual(find(cells, "x")["contradicts"], of, (level, cls))


class Beside(unittest.TestCase):
    def test_the_same_settings_version_and_groups_alone(self):
        cells = gather(*samples.controls(), *samples.many(samples.crash("good"), 3),
                       *samples.many(samples.crash("bad", verdict="lost", lost=1), 2),
                       *samples.many(samples.crash("rare", verdict="lost", lost=1), 3),
                       *samples.many(samples.crash("rare", window_ns=0), 9))

        def beside(version="3.40.1", cls="power-safe", **members):
            line = samples.store("sqlite", cls, facts={"SQLite": version}, **members)
            return crashes.beside(cells, samples.read([line])[0][0])

        self.assertEqual(beside(), "power cut 2 of 2 (at most 100 %)")
        self.assertEqual(beside("3.40"), "")
        self.assertEqual(beside("3.41.0"), "")
        self.assertEqual(beside(cls="bounded"), "")
        self.assertEqual(beside(parameters={"batch": "10"}), "")


class Text(unittest.TestCase):
    LINES = [*samples.controls(), *samples.many(samples.crash("x", verdict="lost", lost=7), 2)]

    def test_a_contradiction_comes_first(self):
        for command in "crashes", "tables":
            status, out, _ = samples.report(command, lines=self.LINES)
            self.assertEqual(status, 0)
            self.assertTrue(out.startswith("- CONTRADICTION: x is") or
                            out.startswith("CONTRADICTION: x is"))
            self.assertIn("2 of 2  100.00 %", out)

    def test_a_level_without_verdict_fails(self):
        status, out, _ = samples.report("crashes", lines=[samples.crash("x")])
        self.assertEqual(status, 1)
        self.assertIn("no verdict: there is no control that must not lose", " ".join(out.split()))
        status, out, _ = samples.report("crashes", "--format=csv", lines=[samples.crash("x")])
        self.assertEqual(status, 1)
        self.assertTrue(out.endswith(",,,,,0,there is no control that must not lose\n")
                        or ",1,,,,,0,there is" in out)

    def test_no_crashes(self):
        status, _, err = samples.report("crashes", lines=[samples.store()])
        self.assertEqual(status, 1)
        self.assertIn("there are no crashes in", err)


if __name__ == "__main__":
    unittest.main()
