# SPDX-License-Identifier: ISC
"""The JSON of one line, without what a damaged or malicious line could do to a reader.

No text of a decoded line has a character that a terminal would obey.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ubench.records.schema import Damaged, Json
from ubench.terminal import plain

LONGEST_LINE = 64 << 20  # bytes
MEGABYTES = LONGEST_LINE >> 20
LONGEST_REASON = 160  # characters of what the JSON decoder says

JsonObject = dict[str, Any]

# The buckets of a histogram, which are half of a line, and which few readers need.
BUCKETS = re.compile(rb'"buckets": ?\[\[[0-9, \[\]]*\]\]')
NO_BUCKETS = b'"buckets":[]'


def decode(text: bytes, buckets: bool = False) -> JsonObject:
    """Return the members of one line; with empty `buckets` of histograms unless they are asked for.

    Raises Damaged if the line is not a JSON object with a format.
    """
    if len(text) > LONGEST_LINE:
        raise Damaged(f"the line is longer than {MEGABYTES} MiB")
    if not text.strip(b" \t\r"):
        raise Damaged("the line is empty")
    if not buckets:
        text = BUCKETS.sub(NO_BUCKETS, text)
    line = _parse(text)
    if type(line) is not dict or type(line.get("format")) is not str:
        raise Damaged("the line is not a result: it has no format")
    if b"\\" in text or b"\x7f" in text or not text.isascii():
        cleaned: JsonObject = _clean(line)
        return cleaned
    return line


def _parse(text: bytes) -> Json:
    try:
        decoded = text.decode()
    except UnicodeDecodeError as why:
        raise Damaged(f"the line is not JSON: byte {why.start + 1} is not UTF-8") from None
    try:
        return DECODER.decode(decoded)
    except json.JSONDecodeError as why:
        is_cut = why.pos >= len(decoded.rstrip()) or why.msg.startswith("Unterminated")
        fault = "is cut short" if is_cut else "is not JSON"
        raise Damaged(f"the line {fault}: {why}"[:LONGEST_REASON]) from None
    except (ValueError, RecursionError) as why:
        raise Damaged(f"the line is not JSON: {why}"[:LONGEST_REASON]) from None


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> JsonObject:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has two members of one name")
    return members


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


DECODER = json.JSONDecoder(object_pairs_hook=_refuse_duplicates, parse_constant=_refuse_constant)


def _clean(value: Json) -> Json:
    """Return the value with a question mark for each character that may not reach a terminal."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, dict):
        return {plain(name): _clean(item) for name, item in value.items()}
    if isinstance(value, list) and not (value and isinstance(value[0], list)):
        return [_clean(item) for item in value]
    return value  # numbers, and arrays of arrays, which hold numbers alone
