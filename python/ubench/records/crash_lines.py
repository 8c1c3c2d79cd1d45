# SPDX-License-Identifier: ISC
"""Lines of crashes: ubench-crash/1."""

from __future__ import annotations

from ubench.records.crash import Crash
from ubench.records.members import Line, basis
from ubench.records.observation import DurabilityClass, Source


def crash(line: Line, source: Source) -> Crash:
    """Return the crash of a line that its schema accepts.

    Of a server that did not start again, and where the harness failed, the line has little more
    than the verdict.
    """
    labels, load = line["labels"], line.get("load", {})
    durability = line.get("durability")
    return Crash(
        source=source,
        store=line["store"],
        cell=labels["cell"],
        level=labels["level"],
        control=labels.get("control", ""),
        verdict=line["verdict"],
        cls=DurabilityClass(durability["class"]) if durability else None,
        durability_text=durability["from"] if durability else "",
        durability_basis=basis(durability) if durability and "settings" in durability else "",
        product=line.get("product", ""),
        batch=load.get("batch"),
        torn_batches=line.get("operations", {}).get("torn_batches", 0),
        window_ns=line.get("window_ns"),
        window_operations=line.get("window_operations"),
        recovery_ns=line.get("recovery_ns"),
        started_at=line.get("started_at", ""),
    )
