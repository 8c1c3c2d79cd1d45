# SPDX-License-Identifier: ISC
"""Properties of observations: keys, differences, labels, and choosing by a value."""

from __future__ import annotations

from typing import Any

import pytest
import samples
from samples import store

from ubench.errors import UsageError
from ubench.report import properties
from ubench.report.properties import Property, PropertyKind


def key(**values: str) -> dict[Property, str]:
    return {Property(PropertyKind.PARAMETER, name): value for name, value in values.items()}


def named(*names: str) -> list[Property]:
    return [Property(PropertyKind.PARAMETER, name) for name in names]


def test_a_property_has_its_place() -> None:
    line = store("mysql", parameters={"sync": "no", "seed": "5"}, facts={"mysql": "1", "x": "2"},
                 host={"cpu": "c", "steal": "1"}, labels={"note": "n", "block": "3"})
    observation = samples.observe(line)
    made = properties.make_key(observation, list(PropertyKind))
    kinds = {each.name: each.kind for each in made}
    assert kinds["sync"] is PropertyKind.REQUEST
    assert (kinds["mysql"], kinds["x"]) == (PropertyKind.PRODUCT, PropertyKind.FACT)
    assert (kinds["cpu"], kinds["note"]) == (PropertyKind.HOST, PropertyKind.LABEL)
    assert not {"seed", "steal", "block"} & kinds.keys()
    everything = properties.make_key(observation, list(PropertyKind), everything=True)
    assert Property(PropertyKind.PARAMETER, "seed") in everything
    alone = properties.make_key(observation, [PropertyKind.STORE])
    assert alone == {Property(PropertyKind.STORE, "store"): "mysql"}


def test_differences() -> None:
    first = key(a="1", b="2", c="")
    assert properties.differences(first, [first, key(a="1", b="2")]) == []
    assert properties.differences(first, [key(a="1", b="3", d="4")]) == named("b", "d")
    assert properties.differences(first, [key(a="2", b="2")], named("z")) == named("z", "a")


def test_the_load_comes_first() -> None:
    assert properties.load_first(named("x", "batch", "threads", "y")) == named(
        "threads", "batch", "x", "y")


def test_a_property_that_says_nothing_new_has_no_place_in_a_label() -> None:
    keys = [key(a="1", b="x", c="5"), key(a="2", b="y", c="5"), key(a="1", b="x", c="6")]
    assert properties.distinguishing(named("a", "b", "c"), keys) == named("a", "c")
    assert properties.distinguishing(named("a", "b", "c"), keys, 2) == named("a", "b", "c")
    assert properties.values_label(keys[0], named("a", "z", "c")) == "a=1, c=5"


def test_values_are_sorted_by_their_size() -> None:
    values = ["x", "10", "9", "", "1e3", "0.5", "a"]
    assert sorted(values, key=properties.order_of) == ["", "0.5", "9", "10", "1e3", "a", "x"]


# ---- Choosing


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("store", "mysql"), ("version", "0.1.0"), ("durability", "bounded"), ("threads", "1"),
        ("mysql", "1.0"), ("note", "n"), ("cpu", "c"), ("nowhere", None),
        (properties.BY_FILE, "out.jsonl"),
    ],
)
def test_values_by_name(name: str, value: Any) -> None:
    line = store("mysql", "bounded", host={"cpu": "c"}, labels={"note": "n"})
    observation = samples.observe(line)
    assert properties.value_of(observation, name) == value
    assert properties.has_all(observation, [("store", "mysql"), (name, "z")]) is False
    if value is not None:
        assert properties.has_all(observation, [("store", "mysql"), (name, value)])


def test_settings_that_no_result_has_are_refused() -> None:
    lines = [store(parameters={"threads": str(threads)}) for threads in range(1, 11)]
    observations = samples.read_lines(lines).observations
    properties.check_settings("where", [("threads", "4"), ("store", "memfile")], observations)
    with pytest.raises(UsageError, match=r"--where: no result has 'x'; expected a parameter"):
        properties.check_settings("where", [("x", "4")], observations)
    with pytest.raises(UsageError, match=r"no result has threads=40; expected 1, 2, .*, \.\.\."):
        properties.check_settings("by", [("threads", "40")], observations)


@pytest.mark.parametrize(
    ("name", "parameters", "exchanges", "value"),
    [
        ("mysql", {}, True, "series"),
        ("pgsql", {"trips": "procedure"}, True, "procedure"),
        ("pgsql", {}, False, None),
        ("pgsql", {"workload": "replay"}, True, None),
        ("sqlite", {}, True, None),
    ],
)
def test_older_exchanges_of_databases_were_in_series(
    name: str, parameters: dict[str, str], exchanges: bool, value: str | None
) -> None:
    rates = [("renew" if exchanges else "create", 100)]
    observation = samples.observe(store(name, rates=rates, parameters=parameters))
    assert properties.value_of(observation, "trips") == value
    made = properties.make_key(observation, [PropertyKind.PARAMETER])
    in_key = made.get(Property(PropertyKind.PARAMETER, "trips"))
    assert in_key == (value if value != "series" else None)


@pytest.mark.parametrize(
    ("parameters", "exchanges", "value", "in_key"),
    [
        ({}, True, "1", None),
        ({"batch": "1"}, True, "1", None),
        ({"batch": "16,5ms"}, True, "16,5ms", "16,5ms"),
        ({"batch": "1"}, False, "1", "1"),
        ({}, False, None, None),
        ({"allocator": "random"}, True, None, None),
    ],
)
def test_older_exchanges_were_committed_one_by_one(
    parameters: dict[str, str], exchanges: bool, value: str | None, in_key: str | None
) -> None:
    rates = [("renew" if exchanges else "create", 100)]
    observation = samples.observe(store(rates=rates, parameters=parameters))
    assert properties.value_of(observation, "batch") == value
    made = properties.make_key(observation, [PropertyKind.PARAMETER])
    assert made.get(Property(PropertyKind.PARAMETER, "batch")) == in_key
