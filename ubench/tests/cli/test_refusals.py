# SPDX-License-Identifier: ISC
"""Refusals of the programs: the tables in refusals/, one refusal a line,

    COMMAND => STATUS WORDS

The command is for a shell, in an empty folder, with the programs and scripts in its PATH.
It ends with that status and says one line on standard error: its own name, then
something with these words in it; `...` between them stands for any text.  Nothing is on
standard output, and what is refused as usage (2) leaves no file behind, unless the command
has prepared something before, as in `echo x >notes; null_ubench -O notes`.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPTS = HERE.parents[2] / "scripts"
os.environ.setdefault("BIN", str(Path(__file__).resolve().parents[3]))
BIN = Path(os.environ["BIN"])


def rows(table):
    """(line number, command, status, words) of each refusal in a table."""
    for number, line in enumerate(table.read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            command, _, wanted = line.rpartition(" => ")
            status, _, words = wanted.strip().partition(" ")
            yield number, command.strip(), int(status), words.split(" ... ")


def program_of(command):
    """The program that refuses."""
    return next(word for word in command.split()
                if re.fullmatch(r"[a-z]+_ubench|ubench_[a-z]+", word)
                or (SCRIPTS / word).is_file())


def complaint(command, status, words):
    """The fault in how a command was refused, or None."""
    with tempfile.TemporaryDirectory() as folder:
        env = {"PATH": f"{BIN}:{SCRIPTS}:{os.environ['PATH']}", "HOME": folder, "LC_ALL": "C",
               "BIN": str(BIN)}
        env.update((name, value) for name, value in os.environ.items()
                   if name.endswith("SAN_OPTIONS"))
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=1800,
                              check=False)
        left = os.listdir(folder)
    said = done.stderr
    if done.returncode != status:
        return f"exit status {done.returncode}: {said}"
    if done.stdout:
        return f"it has printed: {done.stdout}"
    if said.count("\n") != 1 or not said.startswith(program_of(command) + ": "):
        return f"not one line with its name: {said}"
    at = 0
    for part in words:
        at = said.find(part, at)
        if at < 0:
            return f"no '{part}' in: {said}"
    alone = re.match(r"(\w+=\S+ )*" + re.escape(program_of(command)), command)
    if status == 2 and left and alone:
        return f"it has left {left}"
    return None


class Refusals(unittest.TestCase):
    """A test for each table."""


def add(table):
    """The test of one table."""
    def test(self):
        missing = set()
        for number, command, status, words in rows(table):
            program = program_of(command)
            if not (BIN / program).exists() and not (SCRIPTS / program).exists():
                missing.add(program)
                continue
            with self.subTest(f"{table.name}:{number}: {command}"):
                self.assertIsNone(complaint(command, status, words))
        if missing:
            self.skipTest(f"{table.stem}: {', '.join(sorted(missing))} was not built")
    setattr(Refusals, "test_" + table.stem, test)


for path in sorted((HERE / "refusals").glob("*.txt")):
    add(path)
