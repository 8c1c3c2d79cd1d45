# SPDX-License-Identifier: ISC
"""The chart of where the time of a lease goes: a stacked bar for each configuration."""

from __future__ import annotations

from collections.abc import Iterable

from ubench.records.decoding import JsonObject
from ubench.records.observation import Observation
from ubench.records.where import Part, Where
from ubench.report.page.charts import name_of
from ubench.report.where_tables import missing_title, title_of, where_of


def where_bars(observations: Iterable[Observation]) -> list[JsonObject]:
    """Return the parts of each server and each runner of which they were measured."""
    found = [(observation, where_of(observation)) for observation in observations]
    return [bar(observation, where) for observation, where in found if where is not None]


def bar(observation: Observation, where: Where) -> JsonObject:
    """Return the bar of one result; what its parts do not explain is the last of them."""
    missing = Part("missing", where.missing_us)
    parts = [(part, title_of(part)) for part in where.parts]
    parts.append((missing, missing_title(where)))
    return {
        "name": name_of(observation),
        "begun": observation.started_at,
        "source": str(observation.source),
        "whole_us": where.whole_us,
        "accounted": round(where.share(where.accounted_us), 4),
        "parts": [
            {"name": part.name, "title": title, "us": round(part.us, 2), "count": part.count}
            for part, title in parts
        ],
    }
