# SPDX-License-Identifier: ISC
"""The lines that runners write, against results/schema.json and against their own text."""

import json
import unittest
from pathlib import Path

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


if __name__ == "__main__":
    unittest.main()
