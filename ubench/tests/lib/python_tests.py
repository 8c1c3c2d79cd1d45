#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""python_tests.py FILE...: runs the unittest cases of each file, and ends with
"N passed, N failed, N skipped".  Exit status 1 if one failed.

The root of the sources and the folder of each file are on the path of modules, so that a
test begins with `from report import stats`.  BIN is the folder of the programs.
"""

import importlib.util
import os
import signal
import sys
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]


def load(path):
    """The tests of one file."""
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return unittest.defaultTestLoader.loadTestsFromModule(module)


def main(paths):
    """Runs the tests of these files; returns the exit status."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # that of programs under test, under nohup, too
    os.environ.setdefault("BIN", str(TOP))
    sys.path.insert(0, str(TOP))
    sys.dont_write_bytecode = True
    tests = unittest.TestSuite(load(Path(path).resolve()) for path in paths)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(tests)
    for _, reason in result.skipped:
        print("skip: " + reason)
    # A test of which several parts failed is one that failed.
    failed = {getattr(test, "test_case", test).id()
              for test, _ in result.failures + result.errors}
    failed = len(failed) + len(result.unexpectedSuccesses)
    skipped = len(result.skipped)
    passed = max(result.testsRun - failed - skipped, 0)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not result.wasSuccessful() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
