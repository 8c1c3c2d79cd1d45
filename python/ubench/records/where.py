# SPDX-License-Identifier: ISC
"""Where the time of a lease or an exchange went: its parts, and the whole they are compared with.

Each part was measured by itself, and none is what the others leave. So their sum can miss the
whole, and what is missing is a figure of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

STATEMENT = "statement"


@dataclass(frozen=True)
class Part:
    """A part of the time of a lease or an exchange, in us; schema.json has the names."""

    name: str
    us: float
    count: float | None = None  # of statements, syncs and round trips
    statement: str = ""  # of statements, their kind: "SELECT lease4 by address"

    def members(self) -> dict[str, object]:
        """Return the part as a line of results has it."""
        members: dict[str, object] = {"name": self.name, "us": round(self.us, 2)}
        if self.count is not None:
            members["count"] = round(self.count, 3)
        if self.statement:
            members["statement"] = self.statement
        return members


@dataclass(frozen=True)
class Where:
    """The parts of a whole, in the order in which they happen."""

    whole_us: float
    parts: tuple[Part, ...]
    within: tuple[Part, ...] = ()  # times that are in the parts already, or in none
    unknown: tuple[str, ...] = ()  # names of parts that could not be measured

    @property
    def accounted_us(self) -> float:
        """The sum of the parts."""
        return sum(part.us for part in self.parts)

    @property
    def missing_us(self) -> float:
        """What the parts do not explain; negative if they have something twice."""
        return self.whole_us - self.accounted_us

    def share(self, us: float) -> float:
        """Return the share of the whole that a time is; 0 of nothing."""
        return us / self.whole_us if self.whole_us else 0.0

    def members(self) -> dict[str, object]:
        """Return it as a line of results has it."""
        return {
            "whole_us": round(self.whole_us, 2),
            "parts": [part.members() for part in self.parts],
            "within": [part.members() for part in self.within],
            "unknown": list(self.unknown),
        }


def read_where(members: Mapping[str, Any] | None) -> Where | None:
    """Return what a line of results has of it; None if it has nothing."""
    if members is None:
        return None
    return Where(
        members["whole_us"],
        _read_parts(members["parts"]),
        _read_parts(members["within"]),
        tuple(members["unknown"]),
    )


def _read_parts(parts: Iterable[Mapping[str, Any]]) -> tuple[Part, ...]:
    return tuple(
        Part(each["name"], each["us"], each.get("count"), each.get("statement", ""))
        for each in parts
    )
