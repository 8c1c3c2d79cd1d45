# SPDX-License-Identifier: ISC
"""The compiled checks: words of schemas by tables of cases, whole schemas beside jsonschema."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
import samples

from ubench import paths
from ubench.records import schema
from ubench.records.schema import Damaged, compile_schema

TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}


def refusal(form: dict[str, Any], value: Any) -> str:
    """Why a value is refused; "" if it is not."""
    try:
        compile_schema(form)(value)
    except Damaged as why:
        return str(why)
    return ""


@pytest.mark.parametrize(
    ("form", "good", "bad", "why"),
    [
        (TEXT, "x", 5, "is not a string"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "ab", "AB", "is 'AB'; expected the pattern"),
        ({"type": "boolean"}, False, 0, "is not true or false"),
        (COUNT, 0, -1, "is -1; expected at least 0"),
        (COUNT, 5, 1.5, "is not a whole number"),
        (COUNT, 5, True, "is not a whole number"),
        (COUNT, 2**60, 2**60 + 1, "expected at most 2^60"),
        ({"type": "number", "exclusiveMinimum": 0}, 0.5, 0, "is 0; expected more than 0"),
        ({"type": "number"}, 5, float("inf"), "expected at most 2^60"),
        ({"type": ["integer", "null"]}, None, "5", "is not a whole number"),
        ({"const": "a"}, "a", "b", "is 'b'; expected a"),
        ({"const": None}, None, "b", "is 'b'; expected null"),
        ({"enum": ["a", "b", None]}, None, "c", "is 'c'; expected a, b, null"),
        ({"enum": ["a", "b"]}, "a", ["a"], "expected a, b"),
        ({"enum": [1]}, 1, True, "is true; expected 1"),
        ({"anyOf": [{"type": "null"}, TEXT]}, None, 5, "is not a string"),
        ({"allOf": [TEXT, {"pattern": "^a", "type": "string"}]}, "ab", "b", "is 'b'"),
        ({"type": "array", "items": COUNT}, [1, 2], [1, -2], "[1]: is -2"),
        ({"type": "array", "items": COUNT}, [], {}, "is not an array"),
        ({"type": "array", "minItems": 1}, [1], [], "has 0 items; expected at least 1"),
        ({"type": "array", "maxItems": 1}, [1], [1, 2], "has 2 items; expected at most 1"),
    ],
)
def test_words(form: dict[str, Any], good: Any, bad: Any, why: str) -> None:
    assert refusal(form, good) == ""
    assert why in refusal(form, bad)


OBJECT = {
    "required": ["a"],
    "properties": {"a": COUNT, "b": {"properties": {"c": {"items": TEXT, "type": "array"}}}},
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"a": 1}, ""),
        ({"a": 1, "a member of a later version": [None]}, ""),
        ({}, "a: is missing"),
        ([], "is not an object"),
        ({"a": "x"}, "a: is not a whole number"),
        ({"a": 1, "b": {"c": ["x", 5]}}, "b.c[1]: is not a string"),
    ],
)
def test_objects(value: Any, why: str) -> None:
    assert refusal(OBJECT, value) == why


def test_other_members() -> None:
    names = {"pattern": "^[a-z]+$"}
    form = {"type": "object", "additionalProperties": TEXT, "propertyNames": names}
    assert refusal(form, {"a": "x"}) == ""
    assert refusal(form, {"a": 5}) == "a: is not a string"
    assert "is not the name of a member" in refusal(form, {"A": "x"})
    assert refusal({"properties": {"a": False}}, {"a": 5}) == "a: is not allowed here"


def test_conditions() -> None:
    form = {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}
    assert refusal(form, {"a": 1, "b": 1}) == ""
    assert refusal(form, {"c": 1}) == ""
    assert refusal(form, {"a": 1, "c": 1}) == "b: is missing"
    assert refusal(form, {"b": 1}) == "c: is missing"


def test_sums() -> None:
    form = {"type": "object", "sums": {"all": ["a", "b"]}, "at_most": {"all": ["a"]}}
    assert refusal(form, {"all": 3, "a": 1, "b": 2}) == ""
    assert refusal(form, {"all": None, "a": 1, "b": 2}) == ""
    assert refusal(form, {"all": 4, "a": 1, "b": 2}) == "all: is 4, but a + b is 3"
    assert refusal(form, {"all": 1, "a": 2}) == "all: is 1, but a is 2"


PAIRS = {
    "type": "array",
    "items": {"type": "array", "items": [COUNT, {"type": "number", "minimum": 1}]},
}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([], ""),
        ([[0, 1.5], [5, 1]], ""),
        ([[0, 1], [5]], "is not an array of arrays of 2 numbers"),
        ([[0, 1], 5], "is not an array of arrays of 2 numbers"),
        ([[0.5, 1]], "has an item that is not a whole number"),
        ([[True, 1]], "has an item that is not a whole number"),
        ([[0, 0]], "has a number outside 1..2^60"),
        ([[2**61, 1]], "has a number outside 0..2^60"),
    ],
)
def test_arrays_of_arrays(value: Any, why: str) -> None:
    assert refusal(PAIRS, value) == why


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown words: maxLength"):
        compile_schema({"properties": {"a": {"type": "string", "maxLength": 5}}})
    with pytest.raises(ValueError, match="anyOf"):
        compile_schema({"anyOf": [TEXT, COUNT]})


def test_long_values_are_cut_in_messages() -> None:
    assert len(refusal({"const": "a"}, "x" * 10000)) < 200


# ---- Whole schemas, beside jsonschema

LINES = {
    "ubench-result/2": [
        samples.store(runs=[samples.run(samples.phase(
            "create", 100, hits=1000, misses=0, latency=samples.histogram([5, 6, 7])))]),
        samples.store(runs=[samples.open_run(
            goals=[samples.goal("1 %", 100, 110)], storm=samples.storm())]),
    ],
    "ubench-result/1": [samples.former_store()],
    "ubench-kea/1": [samples.server(goals=[samples.server_goal(900, 950, 880)], hook="none")],
    "ubench-crash/1": [samples.crash("x"), {**samples.crash("y"), "verdict": "invalid"}],
    "ubench-duel/1": [samples.duel(samples.even_slices(1, (10, 20)))],
}
VALUES = (None, True, 0, -1, 1, 0.5, "", "x", "power-safe", [], [[1, 2]], {}, {"x": 1})


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each container in a value with each of its keys."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in list(items):
        yield value, key
        if isinstance(item, (dict, list)):
            yield from places(item)


def is_allowed_by_jsonschema(validator: Any, value: Any) -> bool:
    """An unknown member is no fault, since a later version may write it."""
    return all(fault.validator == "additionalProperties" and fault.schema[
        "additionalProperties"] is False for fault in validator.iter_errors(value))


@pytest.mark.parametrize("form", LINES)
def test_schemas_agree_with_jsonschema(form: str) -> None:
    """Lines in which one member is missing, or has another value, drawn with a fixed seed."""
    jsonschema = pytest.importorskip("jsonschema")
    text = json.loads(paths.data(f"results/{schema.SCHEMA_FILES[form]}").read_text())
    validator = jsonschema.Draft7Validator(text)
    check = schema.checker(form)
    chance = random.Random(form)
    verdicts = []
    for line in LINES[form]:
        check(line)
        for _ in range(100):
            changed = copy.deepcopy(line)
            container, key = chance.choice(list(places(changed)))
            if isinstance(container, dict) and chance.random() < 0.3:
                del container[key]
            else:
                container[key] = chance.choice(VALUES)
            try:
                check(changed)
                verdicts.append(True)
            except Damaged as why:
                verdicts.append(False)
                if " but " in str(why):
                    continue  # a sum, which draft 7 does not know
            assert verdicts[-1] == is_allowed_by_jsonschema(validator, changed), (container, key)
    assert {True, False} == set(verdicts)
