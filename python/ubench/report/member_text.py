# SPDX-License-Identifier: ISC
"""Members of a line and latencies as text, for `show`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ubench.records.histogram import Histogram
from ubench.records.members import Line
from ubench.stats import median
from ubench.units import count, figure, time

LATENCIES = ("min", "mean", "sd", "p50", "p95", "p99", "p99.9", "p99.99", "max")


def member_label(name: str) -> str:
    """Return the name of a member as a label: "service_ns" is "service"."""
    return name.removesuffix("_ns").replace("_", " ")


def value_text(name: str, value: object) -> str | None:
    """Return a text, or a number in the unit of its name; None for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, (int, float)):
        return None
    if name.endswith("_ns"):
        return time(value)
    if name.endswith("_share"):
        return f"{100 * value:.3g} %"
    return count(value) if isinstance(value, int) else figure(value)


def members_text(members: Line) -> str:
    """Return texts as "name=value" and numbers as "name 214 us"; lists and objects are left out."""
    parts = []
    for name, value in members.items():
        text = value_text(name, value)
        if isinstance(value, str):
            parts.append(f"{name}={value}")
        elif text is not None:
            parts.append(f"{member_label(name)} {text}")
    return ", ".join(parts)


def median_latency(histograms: Iterable[Histogram | None], name: str) -> str | None:
    """Return the median over runs of a figure of latencies; None if a run does not have it."""
    values = [times.figure(name) if times else None for times in histograms]
    known = [value for value in values if value is not None]
    return time(median(known)) if known and len(known) == len(values) else None


def latency_cells(
    histograms: Sequence[Histogram | None], names: Sequence[str] = LATENCIES
) -> list[str | None]:
    """Return the medians over runs of several figures of latencies."""
    return [median_latency(histograms, name) for name in names]
