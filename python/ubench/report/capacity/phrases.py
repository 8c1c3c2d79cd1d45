# SPDX-License-Identifier: ISC
"""Figures, times and names, as sentences of the answer have them."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, log10

from ubench import units


def three_digits(value: float) -> str:
    """Return three significant digits, as more would promise too much: "0.463", "1,560"."""
    if 0 < value < 0.001:
        return "<0.001"
    if value < 999.5:
        return f"{value:.3g}"
    step = 10.0 ** (floor(log10(value)) - 2)
    return units.count(int(units.half_up(value / step) * step))


def period(seconds: float) -> str:
    """Return a time in words: "24 hours", "90 seconds"."""
    for size, unit in ((3600, "hour"), (60, "minute")):
        if seconds % size == 0:
            return _period(seconds / size, unit)
    return _period(seconds, "second")


def _period(number: float, unit: str) -> str:
    return f"1 {unit}" if number == 1 else f"{number:.6g} {unit}s"


def paragraph(sentences: Iterable[str]) -> str:
    """Return sentences one after another; those that are empty are left out."""
    return "  ".join(sentence for sentence in sentences if sentence)


def listed(names: Iterable[str]) -> str:
    """Return names, each once: "MySQL flush 1, memfile"."""
    return ", ".join(dict.fromkeys(names))
