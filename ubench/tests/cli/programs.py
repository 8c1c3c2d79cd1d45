# SPDX-License-Identifier: ISC
"""Shared by the tests of programs: folders, runs and signals."""

import os
import re
import signal
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

# Seconds: whatever takes longer hangs, however busy the machine is.
HANGS = 1800
os.environ.setdefault("BIN", str(Path(__file__).resolve().parents[3]))
BIN = Path(os.environ["BIN"])
FILE_STORES = ("memfile_ubench", "sqlite_ubench")


def has(program):
    """Whether that program was built."""
    return (BIN / program).exists()


def run(program, *options, **how):
    """A run of a program to its end: returncode, stdout, stderr."""
    return subprocess.run([BIN / program, *map(str, options)], text=True, timeout=HANGS,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False, **how)


def interrupted(number, program, *options, when=r"%  [1-9][0-9,.]*/s", **how):
    """(exit status, text) of a run that gets a signal when its bar shows that."""
    with subprocess.Popen([BIN / program, *map(str, options), "--progress=bar"], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **how) as process:
        said = ""
        try:
            while not re.search(when, said[-400:]) and process.poll() is None:
                said += process.stderr.read(1)
            process.send_signal(number)
            text = process.communicate(timeout=HANGS)[0]
        finally:
            process.kill()  # lest it fills the disk
    return process.returncode, text


def database(path, *statements):
    """Makes or changes a database of SQLite."""
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


class Case(unittest.TestCase):
    """A test with an empty folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def need(self, *programs):
        """Skips unless they were built."""
        for program in programs:
            if not has(program):
                self.skipTest(f"{self.id()}: {program} was not built")

    def refused(self, program, *options, **how):
        """The error of a run that is refused: one line with its name."""
        done = run(program, *options, cwd=self.folder, **how)
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, rf"\A{program}: [^\n]+\n\Z")
        return done.stderr

    def verified(self, program, *options):
        """The text of a run that ends well."""
        done = run(program, *options, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertRegex(done.stdout, r"every answer .*correct|this store keeps no leases")
        return done.stdout


# Each ends a run with the exit status beside it.
SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGQUIT, 131),
           (signal.SIGHUP, 129), (signal.SIGXCPU, 152)]
