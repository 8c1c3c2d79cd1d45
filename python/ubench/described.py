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

# The phase that does the same as an operation of a step. All ways to look for a lease are searches.
PHASES = {"create": "create", "update": "update", "remove": "delete"}
SEARCH = "search"


@dataclass(frozen=True)
class PhaseCount:
    """How many operations of a phase an exchange is made of."""

    phase: str  # "create", "search", "update" or "delete"
    count: int


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
    counts: dict[str, int] = {}
    for step in _steps(exchange, family):
        phase = PHASES.get(step["operation"]) if step["changes"] else SEARCH
        if phase is None:
            return ()
        counts[phase] = counts.get(phase, 0) + step["count"]
    return tuple(PhaseCount(phase, count) for phase, count in counts.items())


def _steps(exchange: str, family: int) -> Sequence[Mapping[str, Any]]:
    for known in description()["exchanges"]:
        if known["name"] == exchange and family in known["families"]:
            steps: Sequence[Mapping[str, Any]] = known["steps"]
            return steps
    return ()
