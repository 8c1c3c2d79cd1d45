# SPDX-License-Identifier: ISC
"""Kea's own account of a packet's time: libdhcp_perfmon.so, which Kea 3.0 can be asked for.

It notes when the kernel had a request, when Kea read it, when a thread began with it, and when its
answer was complete, and tells sums over intervals. An interval ends only when another request
comes after it. So this library has one interval for a whole trial, and one more client after it.
Kea 2.6 has the library, and no command that tells the sums.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ubench.errors import Problem
from ubench.records.schema import Json

LIBRARY = "libdhcp_perfmon.so"
SOCKET = "control.socket"  # in the folder of the server
SLACK_S = 5  # of an interval beyond the load: from the first answer to the load, and its end
TIMEOUT_S = 10
# The two requests of a new client, by the names of its messages.
REQUESTS = (
    ("DHCPDISCOVER", "DHCPOFFER"),
    ("DHCPREQUEST", "DHCPACK"),
    ("SOLICIT", "ADVERTISE"),
    ("REQUEST", "REPLY"),
)
ALL_SUBNETS = 0
COMMAND = "perfmon-get-all-durations"
NOT_SUPPORTED = 2  # the result of a command that Kea does not know


@dataclass(frozen=True)
class PacketTimes:
    """Means for each client, of its two requests together, in us."""

    socket_us: float  # in the socket, until Kea had read it
    queue_us: float  # from then until a thread began with it
    processing_us: float  # from then until the answer was complete


def interval_s(seconds: int, within_s: float) -> int:
    """Return the length of an interval that has a whole trial in it."""
    return seconds + round(within_s) + SLACK_S


def hook_library(path: Path, interval: int) -> dict[str, Any]:
    """Return the entry of the library in the configuration of Kea."""
    return {
        "library": str(path),
        "parameters": {
            "enable-monitoring": True,
            "interval-width-secs": interval,
            "stats-mgr-reporting": False,
        },
    }


def control_socket(home: Path) -> dict[str, str]:
    """Return the control socket of a server, through which the sums are read."""
    return {"socket-type": "unix", "socket-name": str(home / SOCKET)}


def tells_durations(home: Path) -> bool:
    """Return whether a server knows the command that tells the sums. Raises Problem."""
    answer = ask(home / SOCKET, {"command": COMMAND})
    return not (isinstance(answer, dict) and answer.get("result") == NOT_SUPPORTED)


def read_durations(home: Path) -> PacketTimes:
    """Ask a server for the sums of the interval before the current one. Raises Problem."""
    answer = ask(home / SOCKET, {"command": COMMAND})
    try:
        return packet_times(answer["arguments"]["durations"])
    except (LookupError, TypeError, ZeroDivisionError):
        text = answer.get("text", "") if isinstance(answer, dict) else ""
        raise Problem(f"{LIBRARY}: Kea says '{text}'; expected the durations of a trial") from None


def packet_times(durations: list[Mapping[str, Any]]) -> PacketTimes:
    """Return the means of each client from the sums of each pair of events.

    Raises LookupError or ZeroDivisionError if they have no request of a new client.
    """

    def mean_us(is_meant: Callable[[str, str], bool]) -> float:
        """Return the sum of the means of some events, over the two requests."""
        return sum(
            float(each["total-duration-usecs"] / each["occurrences"])
            for each in durations
            if is_of_client(each["duration-key"])
            and is_meant(each["duration-key"]["start-event"], each["duration-key"]["stop-event"])
        )

    processing_us = mean_us(lambda start, _: start == "process_started")
    if not processing_us:
        raise LookupError
    return PacketTimes(
        socket_us=mean_us(lambda start, _: start == "socket_received"),
        queue_us=mean_us(lambda start, _: start in ("buffer_read", "mt_queued")),
        processing_us=processing_us,
    )


def is_of_client(key: Mapping[str, Any]) -> bool:
    """Return whether a duration is of a new client's requests, in all subnets."""
    types = (str(key[name]) for name in ("query-type", "response-type"))
    names = tuple(name.removeprefix("DHCPV6_") for name in types)
    return key["subnet-id"] == ALL_SUBNETS and names in REQUESTS


def ask(path: Path, command: Mapping[str, object]) -> Json:
    """Send a command to the control socket of a server; return its answer. Raises Problem."""
    answer = b""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as control:
            control.settimeout(TIMEOUT_S)
            control.connect(str(path))
            control.sendall(json.dumps(command).encode())
            while part := control.recv(1 << 16):
                answer += part
        return json.loads(answer)
    except (OSError, ValueError) as error:
        raise Problem(f"Kea does not answer on '{path}': {error}") from None
