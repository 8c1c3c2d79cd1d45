# SPDX-License-Identifier: ISC
"""Factories of plans, trials and outputs of perfdhcp for tests of ubench.dhcp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ubench.dhcp.plan import Plan
from ubench.dhcp.trial import RateTrial
from ubench.kea_config.members import Members, Value
from ubench.records.perfdhcp_output import Messages

PROCESSOR_S = {"server": 1.0, "store": 0.5, "load": 0.2, "other": 0.1}

HEAD = "Running: perfdhcp -4 -l load0\nScenario: basic.\n"
SECTION = """\
***Statistics for: {name}***
sent packets: {sent}
received packets: {received}
drops: {drops}
orphans: 0

min delay: 0.469 ms
avg delay: 1.307 ms
max delay: {max_ms} ms
std deviation: 0.461 ms
collected packets: 0

"""
STORM_END = "It took 00:01:02.500000 to provision 10 clients.\nRequests resent: 4\n"


def plan(**members: Any) -> Plan:
    """A search for the highest rate, except for the members that are given."""
    values = {"command": "rate", "start_rate": 500, "seconds": 10}
    return Plan(**{**values, **members})


def trial(offered: int, granted_per_s: float, **members: Any) -> RateTrial:
    """A trial of one second at a rate, in which so many were granted."""
    values = {
        "discover": Messages(offered * 1000, offered * 1000),
        "request": Messages(offered * 1000, round(granted_per_s * 1000)),
        "renew": None,
        "release": None,
        "processor_s": PROCESSOR_S,
        "elapsed_s": 1.0,
        "cores": 2,
        "offered": offered,
        "kept_up": True,
        "granted_per_s": granted_per_s,
        "queue_grew": False,
        "max_lost": 0.025,
    }
    return RateTrial(**{**values, **members})


def perfdhcp_output(
    sections: Sequence[tuple[str, int, int]], *, sums: str = "", end: str = "", max_ms: float = 1.9
) -> str:
    """What perfdhcp prints: the sums of seconds, and messages by name, sent and received."""
    texts = [
        SECTION.format(
            name=name, sent=sent, received=received, drops=sent - received, max_ms=max_ms
        )
        for name, sent, received in sections
    ]
    return HEAD + sums + "".join(texts) + end


def four_way(sent: int, granted: int) -> list[tuple[str, int, int]]:
    """The exchanges of new clients."""
    return [("DISCOVER-OFFER", sent, sent), ("REQUEST-ACK", sent, granted)]


def sums(asked: Sequence[int], granted: Sequence[int]) -> str:
    """The lines of perfdhcp -C for these numbers of each second."""
    lines = [
        f"{sum(asked[:n])},{sum(asked[:n])},{sum(asked[:n])},{sum(granted[:n])},0,0,0,0\n"
        for n in range(1, len(asked) + 1)
    ]
    return "".join(lines)


def kea_map(**members: Value) -> Members:
    """A map of Kea's configuration; in names an underscore stands for a dash."""
    return Members({name.replace("_", "-"): value for name, value in members.items()})
