# SPDX-License-Identifier: ISC
"""Published lines to test with."""

import contextlib
import json
import os
import tempfile
from pathlib import Path

from report import results

RESULTS = Path(__file__).resolve().parents[2] / "results"
FILES = sorted(RESULTS.glob("*.jsonl"))


def lines(name):
    """The lines of a published file, as dicts."""
    with open(RESULTS / f"{name}.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def one_of(**wanted):
    """The first line of the published sweep with these parameters, or of this store."""
    wanted = {"role": "cell", **wanted}
    with open(RESULTS / "sweep-2026-11.jsonl", encoding="utf-8") as file:
        for text in file:
            line = json.loads(text)
            has = {**line["parameters"], "store": line["store"], "role": line["labels"]["role"]}
            if all(has.get(name) == value for name, value in wanted.items()):
                return line
    raise LookupError(wanted)


def parse(line, whole=True):
    """The result that a line is read as."""
    return results.parse(json.dumps(line).encode(), whole)


@contextlib.contextmanager
def folder():
    """In a folder of its own."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as made:
        os.chdir(made)
        try:
            yield Path(made)
        finally:
            os.chdir(before)


def write(path, found):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in found)
    return str(path)
