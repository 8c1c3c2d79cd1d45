# SPDX-License-Identifier: ISC
"""Crashes: a store was crashed under load and read back (results/crash.schema.json)."""

from __future__ import annotations

from dataclasses import dataclass

from ubench.records.observation import DurabilityClass, Source


@dataclass(frozen=True)
class Crash:
    """One crash.

    `verdict` is "kept", "lost", "resurrected", "hole", "phantom", "corrupt" or, if it says
    nothing, "invalid".
    """

    source: Source
    store: str
    cell: str
    level: str
    control: str  # "loses at 2 3" or "keeps at 1 2": what the campaign knows beforehand
    verdict: str
    cls: DurabilityClass | None  # None: the server did not start again to tell its settings
    durability_text: str  # of the settings that the class was computed from, for people
    # The settings and reasons, as in observations; former lines have none.
    durability_basis: str
    product: str
    batch: int | None
    torn_batches: int
    window_ns: int | None
    window_operations: int | None
    recovery_ns: int | None
    started_at: str = ""
