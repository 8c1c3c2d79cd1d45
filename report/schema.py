# SPDX-License-Identifier: ISC
"""Checks a line against a JSON Schema: the part of draft 7 that the schemas in results/ use.
Members that a schema does not have are skipped: a later version may write them."""

from __future__ import annotations

import re
from collections.abc import Callable

# A fault and its place: ("runs[0].phases[2].hits", "is missing"); None: nothing.
Fault = "tuple[str, str] | None"
Check = Callable[[object], "Fault"]

MOST = 2**60  # of a number: in nanoseconds 36 years; sums of a few do not overflow what C counts in
TYPES = {"object": ({dict}, "an object"), "array": ({list}, "an array"),
         "string": ({str}, "a text"), "boolean": ({bool}, "true or false"),
         "null": ({type(None)}, "null"),
         "integer": ({int}, "a whole number"), "number": ({int, float}, "a number")}


def inside(place: str, fault: Fault) -> Fault:
    """The fault of a member, as that of what it is in."""
    return place + ("." if fault[0][:1] not in ("", "[") else "") + fault[0], fault[1]


def compile_schema(schema: dict | bool, definitions: dict | None = None) -> Check:
    if definitions is None:
        definitions = {name: dict(of) for name, of in schema.get("definitions", {}).items()}
    if schema is False:
        return lambda _: ("", "is there, and cannot be")
    if "$ref" in schema:
        of = definitions[schema["$ref"].rpartition("/")[2]]
        if "check" not in of:
            of["check"] = compile_schema(of, definitions)
        return of["check"]
    if "anyOf" in schema:  # null, or something else
        choice = compile_schema(schema["anyOf"][1], definitions)
        return lambda value: None if value is None else choice(value)
    checks = [compile_schema(part, definitions) for part in schema.get("allOf", ())]
    if "const" in schema or "enum" in schema:
        wanted = schema.get("enum", [schema.get("const")])
        text = "is not " + ", ".join("null" if one is None else str(one) for one in wanted)
        checks.append(lambda value: None if value in wanted and type(value) is not bool else
                      ("", text))
    kinds = schema.get("type", "object" if "properties" in schema or "required" in schema else [])
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    if kinds:
        checks.append(_typed(kinds, schema, definitions))
    if "if" in schema:
        condition, then, other = (compile_schema(schema.get(word, {}), definitions)
                                  for word in ("if", "then", "else"))
        checks.append(lambda value: then(value) if condition(value) is None else other(value))
    return checks[0] if len(checks) == 1 else lambda value: next(
        filter(None, (check(value) for check in checks)), None)


def _typed(kinds: list[str], schema: dict, definitions: dict) -> Check:
    kind = next((kind for kind in kinds if kind != "null"), "null")
    types, text = TYPES[kind]
    make = {"object": _object, "array": _array, "string": _text, "integer": _number,
            "number": _number}.get(kind)
    check, nullable = make and make(schema, definitions), "null" in kinds

    def typed(value):
        if type(value) in types:
            return check(value) if check else None
        return None if value is None and nullable else ("", f"is not {text}")
    return typed


def _text(schema: dict, _) -> Check | None:
    if "pattern" not in schema:
        return None
    fits = re.compile(schema["pattern"]).search
    return lambda value: None if fits(value) else ("", f"is '{value[:80]}', which cannot be")


def _number(schema: dict, _) -> Check:
    above = schema.get("exclusiveMinimum", -MOST)
    least = schema.get("minimum", above)
    return lambda value: None if above < value <= MOST and least <= value else \
        ("", f"is {value}, which cannot be")


def _object(schema: dict, definitions: dict) -> Check:
    required = schema.get("required", ())
    members = {name: compile_schema(of, definitions)
               for name, of in schema.get("properties", {}).items()}
    others = schema.get("additionalProperties")
    other = compile_schema(others, definitions) if isinstance(others, dict) else None
    pattern = schema.get("propertyNames", {}).get("pattern")
    name_fits = re.compile(pattern).search if pattern else None

    # Keywords of our own: a member, and others that come to it, or at most to it, where all of them
    # are known.
    totals = [(name, parts, word == "sums") for word in ("sums", "at_most")
              for name, parts in schema.get(word, {}).items()]

    def check(value):
        for name in required:
            if name not in value:
                return name, "is missing"
        for name, item in value.items():
            member = members.get(name, other)
            fault = member(item) if member else None
            if fault:
                return inside(name, fault)
            if name_fits and not name_fits(name):
                return name[:80], "is a name that cannot be"
        for name, parts, exact in totals:
            numbers = [value.get(of) for of in (name, *parts)]
            total = 0 if None in numbers else sum(numbers[1:])
            if None not in numbers and (numbers[0] < total or exact and numbers[0] != total):
                return name, f"is {numbers[0]}, and {' + '.join(parts)} is {total}"
        return None

    if members or others != {"type": "string"} or not name_fits:
        return check
    # Settings and facts are many texts, which are looked at together.
    return lambda value: None if set(map(type, value.values())) <= {str} and \
        all(map(name_fits, value)) else check(value)


def _array(schema: dict, definitions: dict) -> Check:
    items, least = schema.get("items", {}), schema.get("minItems", 0)
    most = schema.get("maxItems", MOST)
    if isinstance(items.get("items"), list):
        return _tuples(items["items"])
    item = compile_schema(items, definitions)

    def check(value):
        if not least <= len(value) <= most:
            return "", f"has {len(value)} items, which cannot be"
        for i, element in enumerate(value):
            fault = item(element)
            if fault:
                return inside(f"[{i}]", fault)
        return None
    return check


def _tuples(columns: list[dict]) -> Check:
    """An array of arrays of so many numbers: there may be thousands, so columns are checked."""
    kinds = [TYPES[column["type"]][0] for column in columns]
    lows = [column.get("minimum", 0) for column in columns]

    def check(value):
        if not set(map(type, value)) <= {list} or not set(map(len, value)) <= {len(columns)}:
            return "", f"is not an array of arrays of {len(columns)} numbers"
        for column, kind, low in zip(zip(*value), kinds, lows):
            if not kind >= set(map(type, column)) or min(column) < low or not max(column) <= MOST:
                return "", "has a number that cannot be"
        return None
    return check
