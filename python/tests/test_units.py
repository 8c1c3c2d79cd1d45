# SPDX-License-Identifier: ISC
"""Numbers, times and texts as people read and type them."""

from __future__ import annotations

import pytest

from ubench import terminal, units


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.4321, "0.432"),
        (9.9996, "10.00"),
        (46.158, "46.16"),
        (999.94, "999.9"),
        (999.96, "1,000"),
        (547432, "547,400"),
        (9.9995e5, "1,000,000"),
        (2e18, "2e+18"),
    ],
)
def test_figure(value, text):
    assert units.figure(value) == text


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0.00 ns"), (214_000, "214 us"), (999.6, "1.00 us"), (99.96e6, "100 ms"),
        (1.5e9, "1.50 s"), (1e12, "1000 s"),
    ],
)  # fmt: skip
def test_time(ns, text):
    assert units.time(ns) == text


@pytest.mark.parametrize(
    ("ns", "text"), [(90 * 10**9, "90s"), (120 * 10**9, "2m"), (0, "0"), (1_500_000, "1500us")]
)
def test_duration(ns, text):
    assert units.duration_text(ns) == text
    assert units.scan_duration(text) == ns


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0 s"), (1.25, "1.3 s"), (9.96, "10 s"), (99.6, "2 min"), (5969, "99 min"),
        (5971, "1.7 h"), (36000, "10 h"),
    ],
)  # fmt: skip
def test_waiting_time(seconds, text):
    assert units.waiting_time(seconds) == text


def test_small_words():
    assert units.count(1234567) == "1,234,567"
    assert [units.plural(number, "run") for number in (0, 1, 2000)] == [
        "0 runs", "1 run", "2,000 runs"
    ]  # fmt: skip
    assert units.plural(2, "class", "classes") == "2 classes"
    assert [units.half_up(value) for value in (0.49, 0.5, 1.5, 2.5)] == [0, 1, 2, 3]
    assert [units.cut("abcdefgh", most) for most in (8, 7)] == ["abcdefgh", "abcd..."]


@pytest.mark.parametrize(
    ("scan", "text", "value"),
    [
        (units.scan_count, "100k", 100_000),
        (units.scan_count, "1e6", 10**6),
        (units.scan_count, "05", 5),
        (units.scan_count, "", None),
        (units.scan_count, "-1", None),
        (units.scan_count, "1.5", None),
        (units.scan_count, "99999999999999999999", None),
        (units.scan_real, "-1e3", -1000),
        (units.scan_real, "inf", None),
        (units.scan_real, "1_0", None),
        (units.scan_real, "1e999", None),
        (units.scan_rate, "20k", 20_000),
        (units.scan_rate, "0.5", 0.5),
        (units.scan_rate, "0", None),
        (units.scan_share, "5%", 0.05),
        (units.scan_share, "0.05", 0.05),
        (units.scan_share, "%", None),
        (units.scan_duration, "1.5h", 5400 * 10**9),
        (units.scan_duration, "0", 0),
        (units.scan_duration, "5", None),
        (units.scan_duration, "53d", None),
        (units.scan_duration, "1e3s", None),
        (units.scan_duration, "1300h", None),
        (units.scan_lifetime, "7200", 7200 * 10**9),
        (units.scan_lifetime, "2h", 7200 * 10**9),
        (units.scan_lifetime, "5x", None),
    ],
)
def test_scan(scan, text, value):
    assert scan(text) == value


BAD = "a\x1b[31m\x9b\x07\r\u202e\ud800b"


def test_plain_is_not_obeyed_by_a_terminal():
    assert terminal.plain(f"{BAD}\n") == "a?[31m?????b?"
    assert terminal.plain_lines(f"1\t2\n{BAD}\n") == "1 2\na?[31m?????b\n"
    assert terminal.plain("Grüße, 你好") == "Grüße, 你好"
