# SPDX-License-Identifier: ISC
"""Numbers as people read and type them."""
from __future__ import annotations

import math
import re

SCALES = {"": 1, "k": 1000, "K": 1000, "M": 10**6, "G": 10**9}
TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}


def half_up(value: float) -> int:
    """The nearest whole number, halves up, of a number that is not negative."""
    whole = math.floor(value)
    return whole + (value - whole >= 0.5)


def count(number: int) -> str:
    """1234567 is "1,234,567"."""
    return f"{number:,}"


def figure(value: float) -> str:
    """Four significant digits, or three decimals below 1, of a number that is not negative:
    "547,400", "46.16", "0.432"."""
    if value >= 1e18:
        return f"{value:.1g}"
    if value < 999.95:
        decimals = 3 if value < 9.9995 else 2 if value < 99.995 else 1
        return f"{value:.{decimals if value > 0 else 0}f}"
    step = 10.0 ** (math.floor(math.log10(value)) - 3)
    return count(int(half_up(value / step) * step + 0.5))


def time(ns: float) -> str:
    """Three digits and the unit: "214 us", "1.50 s"."""
    units = [("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9)]
    name, size = next((unit for unit in units if ns < 999.5 * unit[1]), units[-1])
    value = ns / size
    return f"{value:.{0 if value >= 99.95 else 1 if value >= 9.995 else 2}f} {name}"


def duration(ns: int) -> str:
    """A time in the greatest unit of which it is a whole number: "90s", "2m", "0"."""
    if ns == 0:
        return "0"
    unit, size = [item for item in TIMES.items() if ns % item[1] == 0][-1]
    return f"{ns // size}{unit}"


def plural(number: int, noun: str) -> str:
    """A number of things: "1 run", "2 runs"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def scan_count(text: str) -> int | None:
    """A whole number: 100, 1e6, 100k, 1M; None if it is anything else, or above 2^64."""
    match = re.fullmatch(r"([0-9]{1,20})(?:e([0-9]{1,2}))?([kKMG]?)", text)
    if match is None:
        return None
    number = int(match[1]) * 10 ** int(match[2] or 0) * SCALES[match[3]]
    return number if number < 2**64 else None


def scan_real(text: str) -> float | None:
    """A finite decimal number; None if it is anything else."""
    if not re.fullmatch(r"[-+.0-9eE]+", text):
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def scan_unit(text: str, units: dict) -> float | None:
    """A number from 0 on with one of these units; None if it is anything else."""
    match = re.fullmatch(r"([0-9.]+)([a-zA-Z]*)", text)
    value = scan_real(match[1]) if match else None
    return None if value is None or match[2] not in units else value * units[match[2]]


def scan_duration(text: str) -> int | None:
    """Nanoseconds: 500ms, 2s, 1.5h; 0 needs no unit.  None from 2^52 (52 days) on."""
    if scan_unit(text, {"": 1}) == 0:
        return 0
    ns = scan_unit(text, TIMES)
    return half_up(ns) if ns is not None and ns < 2**52 else None


def scan_lifetime(text: str) -> int | None:
    """Nanoseconds of a lifetime as Kea has it, in whole seconds, or with a unit: 7200, 2h; None if
    it is anything else."""
    if re.fullmatch("[0-9]{1,20}", text):
        return int(text) * 10**9
    ns = scan_unit(text, TIMES)
    return None if ns is None else half_up(ns)


def cut(text: str, most: int) -> str:
    """A text of at most so many characters; three dots stand for the rest."""
    return text if len(text) <= most else text[:most - 3] + "..."
