# SPDX-License-Identifier: ISC
"""The same options mean the same operations, and every answer is right: the digests in
digests.txt."""

import re
import unittest
from pathlib import Path

from programs import Case, has, run

STORES = {"n": "null_ubench", "m": "memfile_ubench", "s": "sqlite_ubench"}


def rows():
    """(program, digest, options) of each run."""
    for line in (Path(__file__).parent / "digests.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            work, others = line.split("|")
            stores, digest, options = work.split(None, 2)
            for store in stores:
                for other in others.split(";"):
                    sync = "" if store == "n" or "-s " in other else " -s no"
                    yield STORES[store], digest, options.strip() + " " + other.strip() + sync


class Digests(Case):
    """Every row."""

    def test_digests(self):
        for program, digest, options in rows():
            with self.subTest(f"{program} {options}"):
                if not has(program):
                    continue
                done = run(program, "-v", "no", *options.split(), cwd=self.folder)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(re.search(r"^digest +(\w+)", done.stdout, re.MULTILINE)[1], digest)
                if program != "null_ubench":
                    self.assertRegex(done.stdout, r"(?m)^verified +every answer .*correct")
                for path in self.folder.iterdir():
                    path.unlink()


if __name__ == "__main__":
    unittest.main()
