# SPDX-License-Identifier: ISC
"""Kea's defaults and the recommendations of its manual, from data/kea_defaults.json."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any

from ubench import paths

Scalar = bool | int | float | str | None


@dataclass(frozen=True)
class Default:
    """The default of a parameter in the newest release of Kea.

    Where the value does not explain itself, `shown` does. Where an earlier release had another
    one, that is `before`, and the value holds from release `since` on.
    """

    value: Scalar
    shown: str = ""
    since: str = ""
    before: Scalar = None


@functools.cache
def read_defaults() -> dict[str, Any]:
    """Return the data file."""
    data: dict[str, Any] = json.loads(paths.data("kea_defaults.json").read_text(encoding="utf-8"))
    return data


@functools.cache
def find_default(section: str, name: str) -> Default:
    """Return the default of a parameter; `section` is the map that has it, or "subnet"."""
    entry = read_defaults()["parameters"][section][name]
    *earlier, newest = entry["values"]
    if not earlier:
        return Default(newest["value"], entry.get("shown", ""))
    return Default(newest["value"], since=newest["since"], before=earlier[-1]["value"])


def recommended_threads(database: str, family: int) -> int:
    """Return the threads that Kea's manual recommends with a database server."""
    return int(read_defaults()["recommended-threads"][database][str(family)])
