# SPDX-License-Identifier: ISC
"""Numbers, times and shares, as people read and type them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType

SCALES: Mapping[str, int] = MappingProxyType(
    {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}
)
NANOSECONDS: Mapping[str, int] = MappingProxyType(
    {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
)
SECOND_NS = 10**9
DURATION_LIMIT_NS = 2**52  # 52 days: every number of nanoseconds below it is an exact float


# ---- Printing


def half_up(value: float) -> int:
    """Round a number from 0 on to the nearest whole number, halves up."""
    whole = math.floor(value)
    return whole + 1 if value - whole >= 0.5 else whole


def count(number: int) -> str:
    """Group the digits of a whole number: "1,234,567"."""
    return f"{number:,}"


def plural(number: int, singular: str, several: str = "") -> str:
    """Return a number with its noun: "1 run", "2 runs", "3 classes"."""
    noun = singular if number == 1 else several or f"{singular}s"
    return f"{count(number)} {noun}"


def figure(value: float) -> str:
    """Print a number from 0 on with four significant digits, or three decimals below 1.

    For example "547,400", "46.16", "0.432".
    """
    if value >= 1e18:
        return f"{value:.1g}"
    if value >= 999.95:
        step = 10.0 ** (math.floor(math.log10(value)) - 3)
        return count(int(half_up(value / step) * step + 0.5))
    if value == 0:
        decimals = 0
    elif value < 9.9995:
        decimals = 3
    elif value < 99.995:
        decimals = 2
    else:
        decimals = 1
    return f"{value:.{decimals}f}"


def time(ns: float) -> str:
    """Print a time with three digits and its unit: "214 us", "1.50 s"."""
    units = (("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9))
    name, size = next((unit for unit in units if ns < 999.5 * unit[1]), units[-1])
    value = ns / size
    if value >= 99.95:
        decimals = 0
    elif value >= 9.995:
        decimals = 1
    else:
        decimals = 2
    return f"{value:.{decimals}f} {name}"


def duration_text(ns: int) -> str:
    """Print a time in the largest unit of which it is a whole number: "90s", "2m", "0"."""
    if ns == 0:
        return "0"
    unit, size = [(name, size) for name, size in NANOSECONDS.items() if ns % size == 0][-1]
    return f"{ns // size}{unit}"


def waiting_time(seconds: float) -> str:
    """Print roughly how long something takes: "1.3 s", "12 s", "99 min", "1.7 h"."""
    if seconds < 9.95:
        return f"{half_up(seconds * 10) / 10:.3g} s"
    if seconds < 99.5:
        return f"{half_up(seconds)} s"
    if seconds < 5970:
        return f"{half_up(seconds / 60)} min"
    return f"{half_up(seconds / 360) / 10:g} h"


def cut(text: str, most: int) -> str:
    """Cut a text to a number of characters; three dots stand for the rest."""
    return text if len(text) <= most else text[: most - 3] + "..."


# ---- Reading what somebody typed. None: the text is not such a number.


def scan_count(text: str) -> int | None:
    """Read a whole number below 2^64: 100, 1e6, 100k, 1M."""
    match = re.fullmatch(r"([0-9]{1,20})(?:e([0-9]{1,2}))?([kKMG]?)", text)
    if match is None:
        return None
    number = int(match[1]) * int(10 ** int(match[2] or 0)) * SCALES[match[3]]
    return number if number < 2**64 else None


def scan_real(text: str) -> float | None:
    """Read a finite decimal number."""
    if not re.fullmatch(r"[-+.0-9eE]+", text):
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def scan_unit(text: str, units: Mapping[str, int]) -> float | None:
    """Read a number from 0 on that has one of these units."""
    match = re.fullmatch(r"([0-9.]+)([a-zA-Z]*)", text)
    if match is None or match[2] not in units:
        return None
    value = scan_real(match[1])
    return None if value is None else value * units[match[2]]


def scan_rate(text: str) -> float | None:
    """Read a number above 0: 0.5, 2500, 20k."""
    return scan_unit(text, SCALES) or None


def scan_share(text: str) -> float | None:
    """Read a share, as a number or in per cent: 0.05, 5%."""
    value = scan_real(text.removesuffix("%"))
    return value / 100 if value is not None and text.endswith("%") else value


def scan_duration(text: str) -> int | None:
    """Read a time below 52 days, in nanoseconds: 500ms, 2s, 1.5h; 0 needs no unit."""
    if scan_unit(text, {"": 1}) == 0:
        return 0
    ns = scan_unit(text, NANOSECONDS)
    return half_up(ns) if ns is not None and ns < DURATION_LIMIT_NS else None


def scan_lifetime(text: str) -> int | None:
    """Read a lifetime of leases, in nanoseconds: 7200 (seconds, as in Kea's files), 90s, 2h."""
    if re.fullmatch("[0-9]{1,20}", text):
        return int(text) * 10**9
    ns = scan_unit(text, NANOSECONDS)
    return half_up(ns) if ns is not None and math.isfinite(ns) else None
