# SPDX-License-Identifier: ISC
"""Checks a line against a JSON Schema: the part of draft 7 that the schemas in results/ use.
Members that a schema does not have are skipped: a later version may write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import lt, ne

# A fault and its place: (".runs[0].phases[2].hits", "is missing").
Faults = Iterator["tuple[str, str]"]

MOST = 2**60  # of a number: in nanoseconds 36 years; sums of a few do not overflow what C counts in
# By the name of a type: what is of it, and how an error calls it.
TYPES = {"object": ({dict}, "an object"), "array": ({list}, "an array"),
         "string": ({str}, "a text"), "boolean": ({bool}, "true or false"),
         "integer": ({int}, "a whole number"), "number": ({int, float}, "a number")}


def faults(value, schema: dict | bool, definitions: dict, place: str = "") -> Faults:
    """The faults of a value; after the first the others may follow from it."""
    if schema is False:
        yield place, "is there, and cannot be"
        return
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    for part in schema.get("allOf", ()):
        yield from faults(value, part, definitions, place)
    if "anyOf" in schema and value is not None:  # null, or something else
        yield from faults(value, schema["anyOf"][1], definitions, place)
    if "const" in schema or "enum" in schema:
        wanted = schema.get("enum", [schema.get("const")])
        if value not in wanted or type(value) is bool:
            yield place, "is not " + ", ".join("null" if one is None else str(one)
                                               for one in wanted)
    kinds = schema.get("type", "object" if "properties" in schema or "required" in schema else [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not (value is None and "null" in kinds):
        types, text = TYPES[kinds[0]]
        if type(value) in types:
            yield from of_type(value, schema, definitions, place)
        else:
            yield place, f"is not {text}"
    if "if" in schema:
        other = any(faults(value, schema["if"], definitions))
        yield from faults(value, schema.get("else" if other else "then", {}), definitions, place)


def of_type(value, schema: dict, definitions: dict, place: str) -> Faults:
    """The faults of a value that is of the type of its schema."""
    if type(value) is dict:
        yield from of_object(value, schema, definitions, place)
    elif type(value) is list:
        yield from of_array(value, schema, definitions, place)
    elif type(value) is str:
        if "pattern" in schema and not re.search(schema["pattern"], value):
            yield place, f"is '{value[:80]}', which cannot be"
    elif type(value) in (int, float) and not (
            schema.get("exclusiveMinimum", -MOST) < value <= MOST and
            schema.get("minimum", -MOST) <= value):
        yield place, f"is {value}, which cannot be"


def of_object(value: dict, schema: dict, definitions: dict, place: str) -> Faults:
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place}.{name}", "is missing"
    members, other = schema.get("properties", {}), schema.get("additionalProperties") or {}
    pattern = schema.get("propertyNames", {}).get("pattern")
    for name, item in value.items():
        yield from faults(item, members.get(name, other), definitions, f"{place}.{name}")
        if pattern and not re.search(pattern, name):
            yield f"{place}.{name[:80]}", "is a name that cannot be"
    # Keywords of our own: a member, and others that come to it, or at most to it, where all of them
    # are known.
    for word, differs in (("sums", ne), ("at_most", lt)):
        for name, parts in schema.get(word, {}).items():
            whole, *others = (value.get(of) for of in (name, *parts))
            if None not in (whole, *others) and differs(whole, sum(others)):
                yield f"{place}.{name}", f"is {whole}, and {' + '.join(parts)} is {sum(others)}"


def of_array(value: list, schema: dict, definitions: dict, place: str) -> Faults:
    items = schema.get("items", {})
    if isinstance(items.get("items"), list):
        yield from of_tuples(value, items["items"], place)
    elif not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", MOST):
        yield place, f"has {len(value)} items, which cannot be"
    else:
        for i, item in enumerate(value):
            yield from faults(item, items, definitions, f"{place}[{i}]")


def of_tuples(value: list, columns: list[dict], place: str) -> Faults:
    """An array of arrays of so many numbers: there may be thousands, so columns are checked."""
    if not set(map(type, value)) <= {list} or not set(map(len, value)) <= {len(columns)}:
        yield place, f"is not an array of arrays of {len(columns)} numbers"
        return
    for column, of in zip(zip(*value), columns):
        if not TYPES[of["type"]][0] >= set(map(type, column)) or \
                min(column) < of.get("minimum", 0) or not max(column) <= MOST:
            yield place, "has a number that cannot be"
