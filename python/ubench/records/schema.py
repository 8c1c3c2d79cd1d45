# SPDX-License-Identifier: ISC
"""Checks lines against the JSON Schemas in results/.

A schema is compiled once into functions that check a value, which takes a fraction of the time of
interpreting it for each line. The compiler knows the part of draft 7 that these schemas use, and
`sums` and `at_most`, which are our own: a member that is the sum of others, or at least their sum.
It refuses a schema with any other word, so that no rule is silently left out. Members that a schema
does not have are skipped, since a later version may write them.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ubench import paths

SCHEMA_FILES = {
    "ubench-result/2": "schema.json",
    "ubench-result/1": "schema-1.json",
    "ubench-kea/1": "kea.schema.json",
    "ubench-crash/1": "crash.schema.json",
    "ubench-duel/1": "duel.schema.json",
}

GREATEST = 2**60  # of a number: in nanoseconds 36 years, and sums of a few still fit in 64 bits
SHOWN = 80  # characters of a wrong value that a message has

# What a value must be, by the word of the schema.
TYPES: dict[str, tuple[set[type], str]] = {
    "object": ({dict}, "an object"),
    "array": ({list}, "an array"),
    "string": ({str}, "a string"),
    "boolean": ({bool}, "true or false"),
    "integer": ({int}, "a whole number"),
    "number": ({int, float}, "a number"),
}
ANNOTATIONS = {"$schema", "title", "description", "written", "definitions"}
KEYWORDS = ANNOTATIONS | {
    "$ref", "additionalProperties", "allOf", "anyOf", "at_most", "const", "else", "enum",
    "exclusiveMinimum", "if", "items", "maxItems", "minimum", "minItems", "pattern", "properties",
    "propertyNames", "required", "sums", "then", "type",
}

Json = Any  # a decoded value
# Checks a value; raises Damaged.
Check = Callable[[Json], None]
Schema = Mapping[str, Any]


class Damaged(Exception):
    """Why a line cannot be used, and the place in it: ".runs[0].phases[2].hits"."""

    def __init__(self, text: str, place: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.place = place

    def inside(self, place: str) -> Damaged:
        """Return the same, seen from the value that holds the place."""
        self.place = place + self.place
        return self

    def __str__(self) -> str:
        return f"{self.place.removeprefix('.')}: {self.text}" if self.place else self.text


@functools.cache
def checker(form: str) -> Check:
    """Return the check of lines of a format, such as "ubench-result/2"."""
    text = paths.data(f"results/{SCHEMA_FILES[form]}").read_text("utf-8")
    return compile_schema(json.loads(text))


def compile_schema(schema: Schema) -> Check:
    """Return the check that a schema with its definitions stands for.

    Raises ValueError if the schema has a word that is not known here.
    """
    return _Compiler(schema.get("definitions", {})).compile(schema)


class _Compiler:
    """Makes checks of the parts of one schema; of each definition only once."""

    def __init__(self, definitions: Mapping[str, Schema]) -> None:
        self.definitions = definitions
        self.compiled: dict[str, Check] = {}

    def compile(self, schema: Schema | bool) -> Check:
        """Return the check of a schema, whose words are checked in a fixed order."""
        if isinstance(schema, bool):
            return _anything if schema else _nothing
        if unknown := schema.keys() - KEYWORDS:
            raise ValueError(f"the schema has unknown words: {', '.join(sorted(unknown))}")
        if "$ref" in schema:
            return self.definition(schema["$ref"].rpartition("/")[2])
        checks = [self.compile(part) for part in schema.get("allOf", ())]
        if "anyOf" in schema:
            checks.append(self.null_or(schema["anyOf"]))
        if "const" in schema or "enum" in schema:
            checks.append(_one_of(schema.get("enum", [schema.get("const")])))
        if check := self.of_type(schema):
            checks.append(check)
        if "if" in schema:
            checks.append(self.condition(schema))
        return _all(checks)

    def definition(self, name: str) -> Check:
        """Return the check of a definition."""
        if name not in self.compiled:
            self.compiled[name] = self.compile(self.definitions[name])
        return self.compiled[name]

    def null_or(self, choices: Sequence[Schema]) -> Check:
        """Return the only use of anyOf: null, or something else."""
        null, other = choices
        if null != {"type": "null"}:
            raise ValueError("anyOf is known for null and another schema alone")
        return _optional(self.compile(other))

    def condition(self, schema: Schema) -> Check:
        """Return the check of if, then and else."""
        condition = self.compile(schema["if"])
        then = self.compile(schema.get("then", True))
        otherwise = self.compile(schema.get("else", True))

        def check(value: Json) -> None:
            try:
                condition(value)
            except Damaged:
                otherwise(value)
            else:
                then(value)

        return check

    def of_type(self, schema: Schema) -> Check | None:
        """Return the check of the type and of what the schema says of values of that type."""
        has_members = "properties" in schema or "required" in schema
        names = schema.get("type", "object" if has_members else None)
        if names is None:
            return None
        name, *others = [names] if isinstance(names, str) else names
        if others not in ([], ["null"]):
            raise ValueError(f"the type may be {name} or null, not {others}")
        if name == "null":
            return _one_of([None])
        if name == "object":
            check = self.object(schema)
        elif name == "array":
            check = self.array(schema)
        elif name == "string":
            check = _string(schema)
        elif name == "boolean":
            check = _type(*TYPES[name])
        else:
            check = _number(schema, *TYPES[name])
        return _optional(check) if others else check

    def object(self, schema: Schema) -> Check:
        """Return the check of an object: its members, their names, and sums of them."""
        members = {
            name: self.compile(member) for name, member in schema.get("properties", {}).items()
        }
        more = schema.get("additionalProperties")
        if not members and more == {"type": "string"}:
            return _all([_strings, *_names(schema)])
        other = self.compile(more) if isinstance(more, dict) else _anything
        required: Sequence[str] = schema.get("required", ())
        needed = frozenset(required)

        def check(value: Json) -> None:
            if type(value) is not dict:
                raise Damaged("is not an object")
            if not needed <= value.keys():
                missing = next(name for name in required if name not in value)
                raise Damaged("is missing", f".{missing}")
            name = ""
            try:
                for name, item in value.items():
                    members.get(name, other)(item)
            except Damaged as why:
                raise why.inside(f".{name[:SHOWN]}") from None

        return _all([check, *_names(schema), *_sums(schema)])

    def array(self, schema: Schema) -> Check:
        """Return the check of an array: its length and its items."""
        items = schema.get("items", True)
        if isinstance(items, dict) and isinstance(items.get("items"), list):
            return _tuples(items["items"])
        check_item = self.compile(items)
        least, most = schema.get("minItems", 0), schema.get("maxItems", GREATEST)

        def check(value: Json) -> None:
            if type(value) is not list:
                raise Damaged("is not an array")
            if not least <= len(value) <= most:
                limit = f"at least {least}" if len(value) < least else f"at most {most}"
                raise Damaged(f"has {len(value)} items; expected {limit}")
            number = -1
            try:
                for item in value:
                    number += 1
                    check_item(item)
            except Damaged as why:
                raise why.inside(f"[{number}]") from None

        return check


def _anything(_: Json) -> None:
    """Accept every value."""


def _nothing(_: Json) -> None:
    raise Damaged("is not allowed here")


def _all(checks: Sequence[Check]) -> Check:
    """Return one check that makes all of these."""
    if not checks:
        return _anything
    if len(checks) == 1:
        return checks[0]

    def check(value: Json) -> None:
        for each in checks:
            each(value)

    return check


def _optional(check: Check) -> Check:
    def check_optional(value: Json) -> None:
        if value is not None:
            check(value)

    return check_optional


def _strings(value: Json) -> None:
    """Return an object of strings, such as the facts of a line, of which there are many."""
    if type(value) is not dict:
        raise Damaged("is not an object")
    if not {str}.issuperset(map(type, value.values())):
        name = next(name for name, item in value.items() if type(item) is not str)
        raise Damaged("is not a string", f".{name[:SHOWN]}")


def _type(types: set[type], name: str) -> Check:
    def check(value: Json) -> None:
        if type(value) not in types:
            raise Damaged(f"is not {name}")

    return check


def _one_of(values: Sequence[Json]) -> Check:
    known = ["null" if value is None else str(value) for value in values]

    def check(value: Json) -> None:
        if value not in values or type(value) is bool:
            raise Damaged(f"is {_shown(value)}; expected {', '.join(known)}")

    return check


def _string(schema: Schema) -> Check:
    pattern = schema.get("pattern")
    if pattern is None:
        return _type(*TYPES["string"])
    search = re.compile(pattern).search

    def check(value: Json) -> None:
        if type(value) is not str:
            raise Damaged("is not a string")
        if search(value) is None:
            raise Damaged(f"is {_shown(value)}; expected the pattern {pattern}")

    return check


def _number(schema: Schema, types: set[type], name: str) -> Check:
    least = schema.get("minimum", -GREATEST)
    above = schema.get("exclusiveMinimum", -GREATEST - 1)
    limit = f"more than {above}" if "exclusiveMinimum" in schema else f"at least {least}"

    def check(value: Json) -> None:
        if type(value) not in types:
            raise Damaged(f"is not {name}")
        if not (least <= value <= GREATEST and above < value):
            raise Damaged(f"is {value}; expected {limit if value < GREATEST else 'at most 2^60'}")

    return check


def _names(schema: Schema) -> list[Check]:
    """Return the checks of the names of an object's members."""
    pattern = schema.get("propertyNames", {}).get("pattern")
    if pattern is None:
        return []
    search = re.compile(pattern).search

    def check(value: Json) -> None:
        if not all(map(search, value)):
            wrong = next(name for name in value if search(name) is None)
            raise Damaged(
                f"is not the name of a member; expected the pattern {pattern}",
                f".{wrong[:SHOWN]}",
            )

    return [check]


def _sums(schema: Schema) -> list[Check]:
    """Return the checks of members that are sums of others, or no smaller, if all are known."""
    checks = [_sum(name, parts, True) for name, parts in schema.get("sums", {}).items()]
    return checks + [_sum(name, parts, False) for name, parts in schema.get("at_most", {}).items()]


def _sum(name: str, parts: Sequence[str], is_equal: bool) -> Check:
    def check(value: Json) -> None:
        whole = value.get(name)
        others = [value.get(part) for part in parts]
        if whole is None or None in others:
            return
        total = sum(others)
        if whole < total or (is_equal and whole != total):
            raise Damaged(f"is {whole}, but {' + '.join(parts)} is {total}", f".{name}")

    return check


def _tuples(columns: Sequence[Schema]) -> Check:
    """Return an array of arrays of a few numbers each.

    There may be thousands, so a column is checked at once.
    """
    count = len(columns)
    limits = [(TYPES[column["type"]], column.get("minimum", 0)) for column in columns]

    def check(value: Json) -> None:
        if type(value) is not list:
            raise Damaged("is not an array")
        if not value:
            return
        if set(map(type, value)) != {list} or set(map(len, value)) != {count}:
            raise Damaged(f"is not an array of arrays of {count} numbers")
        for column, ((types, name), least) in zip(zip(*value, strict=True), limits, strict=True):
            if not types >= set(map(type, column)):
                raise Damaged(f"has an item that is not {name}")
            if min(column) < least or not max(column) <= GREATEST:
                raise Damaged(f"has a number outside {least}..2^60")

    return check


def _shown(value: Json) -> str:
    """Return a wrong value for a message: a string in quotes; null, true and false as in JSON."""
    text = f"'{value}'" if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
