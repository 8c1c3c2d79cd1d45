# SPDX-License-Identifier: ISC
"""The data of a page: JSON inside HTML, whose texts may come from others."""

from __future__ import annotations

import pytest

from ubench.report.page import document


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a\x1b[1m", "a?[1m"),
        ({"a\x07": ["\u202eb", 1, None, True, 0.5]}, {"a?": ["?b", 1, None, True, 0.5]}),
        ([{"a": {"b": "\x00"}}], [{"a": {"b": "?"}}]),
        ("été", "été"),
    ],
)
def test_texts_have_what_a_browser_shows(value: object, expected: object) -> None:
    assert document.clean(value) == expected
