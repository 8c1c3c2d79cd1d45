# SPDX-License-Identifier: ISC
"""The way between a DHCP server and its database: where the database was when it was measured, and
what an answer becomes with a network between them.  Both screens of `answer` say it in the words of
network_text()."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

from report import answer, figures, rates, results, stores
from report.answer import Answer
from report.rows import Row

EXAMPLE_S = 0.001  # of a round trip: the figure that stands beside that of the same machine


def is_database(setup: Row) -> bool:
    """True if its leases are in a database server, which can be on another machine."""
    return stores.keeper(setup.results[0]).server


def was_local(result: dict) -> bool:
    """True if the server of the database was on the machine of its client, as far as the line says
    it.  Without an address it was: that is the default of the runners, and scripts/dhcp starts
    private servers."""
    connection = result["facts"].get("connection", "")
    if "socket" in connection:
        return True
    named = re.match(r"(?:TCP to )?([^ ,]+)", connection)
    host = named[1] if named else results.parameter(result, "host")
    if not host or host.startswith("/") or host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def least_times(made: Answer, setups: Sequence[Row], more_s: float) -> float | None:
    """How many times the need the slowest of these does with so much more for each round trip;
    None if one is not known."""
    site, found = made.site, []
    for setup in setups:
        place = site.place._replace(rtt_s=site.place.rtt_s + more_s)
        farther = rates.rates_of(setup, site.restart_new, place)
        found.append(answer.Fit(site, setup, made.clients, farther).least)
    return None if not found or None in found else min(found)


def network_text(made: Answer, setups: Sequence[Row]) -> str:
    """A sentence on where the databases of these setups were, with the figure of a network of 1 ms
    if they were on the same machine; "" if none is a database that was measured."""
    setups = [setup for setup in setups if is_database(setup) and setup.cls]
    if not setups:
        return ""
    if made.site.place.rtt_s:
        longer = figures.time(made.site.place.rtt_s * 1e9)
        return f"Computed with {longer} more for each round trip to the database (--rtt)."
    found = [result for setup in setups for result in setup.results]
    if not all(map(was_local, found)):
        trips = [trip for result in found for trip in [result["floors"].get("round_trip_ns")]
                 if trip and not was_local(result)]
        took = f": a round trip took {figures.time(max(trips))}" if trips else ""
        return f"Measured with the database on another machine{took} (--rtt adds to it)."
    times = least_times(made, setups, EXAMPLE_S)
    if times is None:
        return "Measured with the database on the same machine (--rtt=1ms adds a network)."
    return "Measured with the database on the same machine; at --rtt=1ms " \
        f"{answer.short(times)} times."
