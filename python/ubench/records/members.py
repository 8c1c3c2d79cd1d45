# SPDX-License-Identifier: ISC
"""Parts of a line that several formats have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ubench.records.histogram import Histogram
from ubench.records.observation import Durability, DurabilityClass, Loss, Lost, Setting, Warned

# A line, or an object in it, that its schema accepts.
Line = Mapping[str, Any]

QUANTILES = ("p50", "p95", "p99", "p99.9", "p99.99")


def histogram(members: Line | None) -> Histogram | None:
    """Return a histogram of schema.json; None if the line has none."""
    if members is None:
        return None
    return Histogram(
        count=members["count"],
        sum_ns=members["sum_ns"],
        min_ns=members["min_ns"],
        max_ns=members["max_ns"],
        mean_ns=members["mean_ns"],
        sd_ns=members["sd_ns"],
        quantiles_ns={name: members[f"{name}_ns"] for name in QUANTILES},
        buckets=tuple((low, count) for low, count in members["buckets"]),
    )


def durability(members: Line) -> Durability:
    """Return the durability of schema.json.

    Two classes are of one configuration if their settings and reasons are the same, whatever
    the words of their texts.
    """
    settings = tuple(setting(each) for each in members["settings"])
    reasons = tuple(members["reasons"])
    cls = members["class"]
    return Durability(
        cls=None if cls is None else DurabilityClass(cls),
        kill=read_loss(members["kill"]),
        power=read_loss(members["power"]),
        node_loss=read_loss(members["node_loss"]),
        settings=settings,
        reasons=reasons,
        text=members["from"],
        at_risk=members.get("at_risk"),
        basis=members.get("basis", basis(members)),
    )


def basis(members: Line) -> str:
    """Return the settings and reasons that tell one configuration's class from another's."""
    settings = (f"{each['name']}={each['value']}" for each in members["settings"])
    return ", ".join([*settings, *members["reasons"]])


def setting(members: Line) -> Setting:
    """Return a setting that can decide the class."""
    return Setting(
        name=members["name"],
        value=members["value"],
        label=members.get("label", ""),
        decisive=members.get("decisive", False),
    )


def read_loss(members: Line | None) -> Lost | None:
    """Return what a failure loses; None if that is not known, or has no meaning for the store."""
    return None if members is None else Lost(Loss(members["loss"]), members.get("window_s"))


def warnings(members: Sequence[Line]) -> tuple[Warned, ...]:
    """Return the warnings of a line."""
    return tuple(Warned(each["code"], each["text"]) for each in members)
