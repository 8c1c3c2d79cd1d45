# SPDX-License-Identifier: ISC
"""Kea's defaults and the recommendations of its manual, from data/kea_defaults.json."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any, Union

from ubench import paths
from ubench.report.advice import words

Scalar = Union[None, bool, int, float, str]


@dataclass(frozen=True)
class Default:
    """The default of a parameter in the newest release of Kea, and how it reads."""

    value: Scalar
    shown: str


@functools.cache
def load() -> Any:
    """The data file."""
    return json.loads(paths.data("kea_defaults.json").read_text(encoding="utf-8"))


@functools.cache
def find(section: str, name: str) -> Default:
    """The default of a parameter; `section` is the map that has it, or "subnet"."""
    entry = load()["parameters"][section][name]
    values = entry["values"]
    value = values[-1]["value"]
    if "shown" in entry:
        return Default(value, str(entry["shown"]))
    if len(values) == 1:
        return Default(value, as_text(value))
    before = as_text(values[-2]["value"])
    return Default(value, words.changed_default(as_text(value), values[-1]["since"], before))


def as_text(value: object) -> str:
    """A value as Kea's files have it; "none" for no value."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def recommended_threads(database: str, family: int) -> int:
    """The threads that Kea's manual recommends with a database server."""
    return int(load()["recommended-threads"][database][str(family)])
