# SPDX-License-Identifier: ISC
"""What the runners know, as they describe it themselves (--describe).

`make` writes the description to build/describe.json, which is installed beside this package.
Exchanges and classes are the same in all runners.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ubench import paths
from ubench.errors import Problem


@dataclass(frozen=True)
class PhaseCount:
    """How many operations of a phase an exchange is made of."""

    phase: str  # "create", "search", "update" or "delete"
    count: int
    changes: bool  # leases; else it searches for them


@functools.cache
def description() -> Mapping[str, Any]:
    """Return the description by null_ubench. Raises Problem if it is not built."""
    path = paths.description_file()
    if path is None:
        raise Problem("build/describe.json does not exist; make writes it")
    described: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return described


@functools.cache
def meanings() -> Mapping[str, str]:
    """Return the meaning of each class of durability, from the least safe to the safest."""
    return {cls["name"]: cls["meaning"] for cls in description()["classes"]}


@functools.cache
def phases_of(exchange: str, family: int) -> tuple[PhaseCount, ...]:
    """Return the phases that do what the steps of an exchange do, for IPv4 or IPv6.

    It is () for an unknown exchange, or if no phase does what one of its steps does.
    """
    operations = {operation["name"]: operation for operation in description()["operations"]}
    counts: dict[tuple[str, bool], int] = {}
    for step in _steps(exchange, family):
        operation = operations[step["operation"]]
        if operation["phase"] is None:
            return ()
        key = operation["phase"], operation["changes"]
        counts[key] = counts.get(key, 0) + step["count"]
    return tuple(PhaseCount(phase, count, changes) for (phase, changes), count in counts.items())


@functools.cache
def works_in_turns(workload: str | None) -> bool:
    """Return whether a workload can go on for ever, and so work in turns. None is the default."""
    if workload is None:
        options = {option["name"]: option for option in description()["options"]}
        workload = options["workload"]["default"]
    return "turns" in _workload(workload)["options"]


@functools.cache
def is_by_level(workload: str) -> bool:
    """Return whether the phases of a workload are levels of a pool: their mean is no figure."""
    return bool(_workload(workload).get("by_level"))


def _workload(name: str) -> Mapping[str, Any]:
    rows = {each["name"]: each for each in description()["workloads"] if each["option"] is None}
    row: Mapping[str, Any] = rows.get(name, rows[None])  # that of exchanges and mixes has no name
    return row


def _steps(exchange: str, family: int) -> Sequence[Mapping[str, Any]]:
    for known in description()["exchanges"]:
        if known["name"] == exchange and family in known["families"]:
            steps: Sequence[Mapping[str, Any]] = known["steps"]
            return steps
    return ()
