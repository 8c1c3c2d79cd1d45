# SPDX-License-Identifier: ISC
"""What a page shows of a site's lease files: counts alone."""

from __future__ import annotations

from collections.abc import Mapping

from ubench.records.decoding import JsonObject
from ubench.report.leases import screen
from ubench.report.leases.census import NEW, RELEASED, Census

MOST_HOURS = 24 * 14
COUNTED_EVENTS = "renewals"
COUNTED_LAST = "last transactions"  # all that a snapshot has
# What is counted of a history, with the names of its events; a snapshot does not tell.
KINDS: Mapping[str, tuple[str, ...]] = {
    "new": NEW,
    "released": RELEASED,
    "declined": ("declined",),
    "expired": ("expired",),
}


def demand_json(census: Census) -> JsonObject:
    """Return the sentences and the hours of a census, the last ones if there are many."""
    name = "renewed" if census.has_history else "last"
    kinds = KINDS if census.has_history else {}
    hours = [hour for hour in census.hours if hour.count(name, "changes")][-MOST_HOURS:]
    return {
        "text": f"{screen.headline(census)}.",
        "busiest": screen.busiest(census),
        "history": screen.history(census),
        "counted": COUNTED_EVENTS if census.has_history else COUNTED_LAST,
        "kinds": list(kinds),
        "hours": [
            {
                "start": screen.time_text(hour.start_s),
                "rate": hour.events[name].per_s,
                "worst": hour.events[name].worst_per_s,
                "counts": [hour.count(*names) for names in kinds.values()],
            }
            for hour in hours
        ],
    }
