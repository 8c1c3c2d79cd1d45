# SPDX-License-Identifier: ISC
"""The lines that runners write, against results/schema.json and against their own text."""

import json
import os
import tempfile
import unittest
from pathlib import Path

from programs import FILE_STORES, Case, has, run

try:
    import jsonschema
except ImportError:
    jsonschema = None

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parents[2] / "results"


def schema_of(name):
    """One of the schemas in results/."""
    return json.loads((RESULTS / name).read_text())


def published(line_format):
    """(file, number, line) of published lines of a format: the first of each file, and
    one in 23 of the others."""
    for path in sorted(RESULTS.glob("*.jsonl")):
        for number, text in enumerate(path.read_text().splitlines(), 1):
            line = json.loads(text) if number % 23 == 1 else {}
            if line.get("format") == line_format:
                yield path.name, number, line


def described(schema):
    """(place, meaning) of each member of the definitions of a schema."""
    for name, definition in schema["definitions"].items():
        for member, value in definition["properties"].items():
            yield f"{name}.{member}", value.get("description", "")


@unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
class Schemas(unittest.TestCase):
    """The schemas themselves, and all that was published."""

    def test_they_are_schemas_and_say_what_each_member_means(self):
        for name in ("schema.json", "schema-1.json", "kea.schema.json", "crash.schema.json"):
            schema = schema_of(name)
            jsonschema.Draft7Validator.check_schema(schema)
            if name != "crash.schema.json":
                self.assertEqual([place for place, text in described(schema) if not text], [])
        definitions = [definition for name in ("schema.json", "schema-1.json")
                       for definition in schema_of(name)["definitions"].values()]
        for definition in definitions:
            named = definition["required"] + definition.get("written", [])
            self.assertEqual(len(named), len(set(named)))
            self.assertLessEqual(set(named), set(definition["properties"]))

    def test_published_lines_are_valid(self):
        for line_format, name in (("ubench-result/2", "schema.json"),
                                  ("ubench-result/1", "schema-1.json"),
                                  ("ubench-kea/1", "kea.schema.json")):
            validator = jsonschema.Draft7Validator(schema_of(name))
            wrong = [f"{file}:{number}: {error.message[:200]}"
                     for file, number, line in published(line_format)
                     for error in validator.iter_errors(line)]
            self.assertEqual(wrong, [])


class Crashes(Case):
    """What --verify says of a load, against the line of that load."""

    def test_a_promise_is_the_same_data_in_both_lines(self):
        if not os.access("/dev/shm", os.W_OK):
            self.skipTest("/dev/shm cannot be written")
        for program in filter(has, FILE_STORES):
            for level in ("yes", "no"):
                with self.subTest(f"{program} -s {level}"), \
                        tempfile.NamedTemporaryFile(dir="/dev/shm") as ledger:
                    done = run(program, "-s", level, "-n", 20, "--ledger", ledger.name, "--json",
                               cwd=self.folder)
                    self.assertEqual(done.returncode, 0, done)
                    promised = json.loads(done.stdout)["durability"]
                    done = run(program, "--verify", ledger.name, "--json", cwd=self.folder)
                    self.assertEqual(done.returncode, 0, done)
                    found = json.loads(done.stdout)["durability"]
                    settings = [{name: each[name] for name in ("name", "value")}
                                for each in promised["settings"]]
                    self.assertEqual(found, {"settings": settings} | {
                        name: promised[name]
                        for name in ("class", "from", "kill", "power", "reasons")})
                    self.assertGreater(len(settings), 0)


if __name__ == "__main__":
    unittest.main()
