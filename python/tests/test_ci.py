#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""The results of the systems that .ci/run tests, with roots and tests that are not real."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]

# test.sh notes where it ran and with which option in the file $ASKED.  The environment says
# how the tests of a system end ($HERE, $TRIXIE, $SID), and which roots cannot be made.
SCRIPTS = {
    "deps.sh": "exit 0",
    "distro.sh": 'release=$1; shift; SYSTEM=$release; export SYSTEM\n'
                 'case " $NO_ROOTS " in *" $release "*) exit 77 ;; esac\nexec "$@"',
    "test.sh": 'echo "${SYSTEM:-here} ${1:-whole}" >>"$ASKED"\n'
               'case ${SYSTEM:-here} in here) eval "$HERE" ;; trixie) eval "$TRIXIE" ;;\n'
               'sid) eval "$SID" ;; esac',
}


def ends(passed: int, failed: int, skipped: int) -> str:
    """A system's tests that end so."""
    return (f"echo tested: $SYSTEM; echo {passed} passed, {failed} failed, {skipped} skipped;"
            f"exit {min(failed, 1)}")


class ResultOfAllSystems(unittest.TestCase):
    """The last line is the sum, and what was not tested on Debian 13 is a failure."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "checkout/scripts").mkdir(parents=True)
        (self.folder / "checkout/.ci").mkdir()
        shutil.copy(TOP / ".ci/run", self.folder / "checkout/.ci/run")
        for name in ("failures.sh", "lib.sh"):
            shutil.copy(TOP / "scripts" / name, self.folder / "checkout/scripts")
        for name, text in SCRIPTS.items():
            path = self.folder / "checkout/scripts" / name
            path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            path.chmod(0o755)
        for words in (["init", "-q"], ["add", "."],
                      ["-c", "user.name=x", "-c", "user.email=x@example.org",
                       "commit", "-qm", "x"]):
            subprocess.run(["git", *words], cwd=self.folder / "checkout", check=True)

    def run_ci(self, **environment: str) -> tuple[int, str, list[str]]:
        """Its exit status, its last line, and the tests that were run."""
        status, lines, asked = self.print_ci(**environment)
        return status, lines[-1], asked

    def print_ci(self, **environment: str) -> tuple[int, list[str], list[str]]:
        """Its exit status, what it prints, and the tests that were run."""
        asked = self.folder / "asked"
        asked.write_text("", encoding="utf-8")
        good = {"HERE": ends(20, 0, 0), "TRIXIE": ends(100, 0, 0), "SID": ends(3, 0, 0)}
        done = subprocess.run(
            [self.folder / "checkout/.ci/run"], capture_output=True, text=True, check=False,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "ASKED": str(asked),
                 "NO_ROOTS": "", **good, **environment})
        lines = done.stdout.rstrip("\n").split("\n")
        self.assertRegex(lines[-1], re.compile(r"^\d+ passed, \d+ failed, \d+ skipped$"),
                         done.stdout + done.stderr)
        return done.returncode, lines, sorted(asked.read_text(encoding="utf-8").split("\n")[:-1])

    def test_whole_suite_on_the_reference_system(self) -> None:
        """The whole suite on Debian 13, and those of versions on the others."""
        self.assertEqual(self.run_ci(), (0, "123 passed, 0 failed, 0 skipped", [
            "here --versions", "sid --versions", "trixie whole"]))

    def test_failures_count_wherever_they_are(self) -> None:
        """A system that fails, or ends without a result, or dies after one."""
        for environment, last in (
                ({"TRIXIE": ends(97, 3, 0)}, "120 passed, 3 failed, 0 skipped"),
                ({"HERE": ends(18, 2, 1)}, "121 passed, 2 failed, 1 skipped"),
                ({"SID": ends(1, 1, 1)}, "121 passed, 1 failed, 1 skipped"),
                ({"TRIXIE": "exit 1"}, "23 passed, 1 failed, 0 skipped"),
                ({"HERE": "kill -9 $$"}, "103 passed, 1 failed, 0 skipped"),
                ({"SID": "(" + ends(2, 0, 0) + "); exit 1"}, "122 passed, 1 failed, 0 skipped")):
            with self.subTest(**environment):
                self.assertEqual(self.run_ci(**environment)[:2], (1, last))

    def test_the_end_repeats_which_tests_failed(self) -> None:
        """Behind the result of each system, however long its log is."""
        of_pytest = "FAILED python/tests/test_x.py::test_y - AssertionError"
        _, lines, _ = self.print_ci(
            TRIXIE=f"echo '{of_pytest}'; yes | head -n 1000;" + ends(99, 1, 0),
            HERE="echo not ok 7 - count; kill -9 $$",
        )
        end = len(lines) - lines[::-1].index("tested: trixie") - 1
        self.assertEqual(lines[end:], [
            "tested: trixie",
            "    99 passed, 1 failed, 0 skipped",
            f"    {of_pytest}",
            "    0 passed, 1 failed, 0 skipped",
            "    not ok 7 - count",
            "    exit status 137",
            "tested: sid",
            "    3 passed, 0 failed, 0 skipped",
            "102 passed, 2 failed, 0 skipped",
        ])

    def test_no_reference_system_is_a_failure(self) -> None:
        """This machine runs the whole suite in its place; without REQUIRE that is a skip."""
        asked = ["here whole", "sid --versions"]
        self.assertEqual(self.run_ci(NO_ROOTS="trixie"),
                         (1, "23 passed, 1 failed, 0 skipped", asked))
        self.assertEqual(self.run_ci(NO_ROOTS="trixie", REQUIRE=""),
                         (0, "23 passed, 0 failed, 1 skipped", asked))

    def test_no_unstable_is_a_skip(self) -> None:
        """Its packages do not always fit together."""
        self.assertEqual(self.run_ci(NO_ROOTS="sid"), (0, "120 passed, 0 failed, 1 skipped", [
            "here --versions", "trixie whole"]))


# What the programs of tests print.  What names a failure has a + before it.
LOG = """\
+FAILED python/tests/test_x.py::test_y[1] - assert 1 == 2
+ERROR python/tests/report/test_z.py
 FAILED: 3 of 4
 ok 1 - FAILED python/tests/test_x.py
+not ok 2 - a lease was lost
 [       OK ] test_passes
+[  FAILED  ] test_fails
 [  FAILED  ] tests: 2 test(s), listed below:
+load/test_x:             3 passed, 1 failed, 0 skipped, 2 s
 load/test_y:             4 passed, 0 failed, 0 skipped, 0 s
 7 passed, 1 failed, 0 skipped
+exit status 124, at the deadline
 exit status 1
+REQUIRE=all: 2 skipped tests count as failed
+SUMMARY: AddressSanitizer: heap-use-after-free json.c:7 in json_count
"""


def failures(folder: Path, text: str) -> list[str]:
    """The lines of a log that failures.sh prints."""
    (folder / "log").write_text(text, encoding="utf-8")
    command = [TOP / "scripts/failures.sh", folder / "log"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def test_lines_that_name_a_failure(tmp_path: Path) -> None:
    """Each kind of tests has its own, which are printed once."""
    text = re.sub("^.", "", LOG, flags=re.MULTILINE)
    expected = [line[1:] for line in LOG.splitlines() if line.startswith("+")]
    assert failures(tmp_path, 2 * text) == expected


def test_many_failures_are_cut(tmp_path: Path) -> None:
    """The end of the log is to be read, even if every test failed."""
    lines = failures(tmp_path, "".join(f"not ok {number}\n" for number in range(100)))
    assert lines == [*(f"not ok {number}" for number in range(40)),
                     "and 60 more lines about failures"]


def test_a_build_of_the_suite_prints_no_commands(tmp_path: Path) -> None:
    """They would bury what a test says."""
    of_make = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}  # of the make that runs the tests
    environment = {name: value for name, value in os.environ.items() if name not in of_make}
    for silent, printed in (([], f"  CC {tmp_path}/core/json.o\n"), (["-s"], "")):
        done = subprocess.run(
            ["make", *silent, "-B", f"BUILD={tmp_path}", f"{tmp_path}/core/json.o"],
            cwd=TOP, env=environment, check=True, capture_output=True, text=True)
        assert done.stdout == printed


if __name__ == "__main__":
    unittest.main()
