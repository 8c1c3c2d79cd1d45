# SPDX-License-Identifier: ISC
"""The knowledge of the runners, as they describe it themselves (--describe): `make` writes it to
build/describe.json, which is installed beside the package."""

from __future__ import annotations

import functools
import json
from pathlib import Path

from report import Problem

ROOT = Path(__file__).resolve().parents[2]
FILES = (ROOT / "describe.json", ROOT / "build" / "describe.json")
# The phase that stands for an operation of a step: all ways to look for a lease are searches.
SEARCH = "search"
PHASES = {"create": "create", "update": "update", "remove": "delete"}


@functools.cache
def described() -> dict:
    """The description by null_ubench.  Exchanges and classes are the same in all runners."""
    for path in FILES:
        try:
            return json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            continue
    raise Problem(f"{FILES[-1]} is missing; make writes it")


def meanings() -> dict[str, str]:
    """The meaning of each class of durability, from the least safe on."""
    return {cls["name"]: cls["meaning"] for cls in described()["classes"]}


@functools.cache
def steps(exchange: str, family: int) -> tuple[tuple[str, int], ...]:
    """The phases that an exchange is made of, and how many operations of each; () if there is no
    such exchange, or one of its steps is of no phase."""
    known = next((one for one in described()["exchanges"]
                  if one["name"] == exchange and family in one["families"]), None)
    counts: dict[str, int] = {}
    for step in known["steps"] if known else ():
        phase = PHASES.get(step["operation"], "") if step["changes"] else SEARCH
        counts[phase] = counts.get(phase, 0) + step["count"]
    return () if "" in counts else tuple(counts.items())
