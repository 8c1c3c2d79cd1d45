# SPDX-License-Identifier: ISC
"""--help, --help all, --list-options and --version of each runner."""

import subprocess
import unittest
from pathlib import Path

from programs import BIN, Case, has, run

RUNNERS = [name + "_ubench" for name in ("null", "memfile", "sqlite", "mysql", "pgsql", "kea")]


class Help(Case):
    """Each runner that was built."""

    def said(self, program, *options):
        """The lines that it prints, and nothing else."""
        done = run(program, *options, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_each_option_is_explained(self):
        for program in filter(has, RUNNERS):
            with self.subTest(program):
                whole = self.said(program, "--help", "all")
                options = [line.split("\t") for line in self.said(program, "--list-options")]
                self.assertGreater(len(options), 20)
                for option in options:
                    letter, name = option[:2]
                    shown = [line for line in whole if f" --{name}" in line]
                    self.assertTrue(shown, name)
                    if letter:
                        self.assertTrue(any(f"-{letter}, " in line for line in shown), letter)
                self.assertEqual(len(options), len({option[1] for option in options}))
                letters = [option[0] for option in options if option[0]]
                self.assertEqual(len(letters), len(set(letters)))

    def test_it_fits_a_screen(self):
        for program in filter(has, RUNNERS):
            with self.subTest(program):
                short, whole = self.said(program, "--help"), self.said(program, "--help", "all")
                self.assertLessEqual(len(short), 24)
                self.assertLessEqual(max(map(len, short)), 79)
                self.assertLessEqual(max(map(len, whole)), 80)
                self.assertIn(program, short[0])
                self.assertLessEqual({line for line in short if "  -" in line}, set(whole))
                self.assertEqual(short, self.said(program, "-h", "--count=5"))
                # What --set takes, of each store that has settings; "(null)" is no text.
                settings = [line for line in whole if line.startswith("--set takes ")]
                self.assertEqual(len(settings), program != "null_ubench")
                self.assertNotIn("(null)", "\n".join(whole))

    def test_scripts_fit_a_screen(self):
        scripts = Path(__file__).parents[3] / "scripts"
        commands = ["answer", "compare", "crashes", "demand", "duels", "page", "show",
                    "tables", "trace"]
        names = "bench.sh crash databases deps.sh dhcp distro.sh duel servers sweep test.sh " \
            "ubench.sh"
        for words in [(scripts / name,) for name in names.split()] + \
                [(BIN / "ubench_report", command) for command in commands] + \
                [(BIN / "ubench_link",)] * has("ubench_link"):
            for rest in ("--help",), ("--help", "all"):
                with self.subTest(words, rest=rest):
                    said = subprocess.run([*words, *rest], capture_output=True, text=True,
                                          check=rest == ("--help",)).stdout
                    self.assertLessEqual(max(map(len, said.splitlines()), default=0), 80)
                    self.assertTrue(rest[1:] or 0 < said.count("\n") <= 24)

    def test_version(self):
        for program in filter(has, RUNNERS):
            self.assertRegex(self.said(program, "--version")[0], rf"^{program} \d+\.\d+")


if __name__ == "__main__":
    unittest.main()
