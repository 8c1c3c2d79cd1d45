# SPDX-License-Identifier: ISC
"""What perfdhcp, the load generator of Kea, prints: its statistics of each kind of exchange."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

SECTION = re.compile(r"^\*\*\*Statistics for: (.*?)\*\*\*$", re.MULTILINE)
NUMBER = r"(\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
RATE = re.compile(
    rf"^Rate: {NUMBER} (?:4-way )?exchanges/second(?:, expected rate: {NUMBER})?",
    re.MULTILINE,
)
RUN_BEGINS = re.compile(r"^(?=Running: )", re.MULTILINE)
# perfdhcp prints its options first, each apart from its value.
COMMAND = re.compile(r"^Running: (.*)")
CLIENTS = re.compile(r" -R (\d+)\b")
CLIENT_LIST = " -M "  # a file with the addresses of clients
AVALANCHE = re.compile(r"^Scenario: avalanche", re.MULTILINE)
# The exchange that gives a client its lease, and the one before it.
GRANTING = {4: ("DISCOVER-OFFER", "REQUEST-ACK"), 6: ("SOLICIT-ADVERTISE", "REQUEST-REPLY")}


def asked_again(clients: int | None, granted: int) -> bool:
    """Return whether most leases went to clients that had one already; false if it is not known."""
    return clients is not None and 2 * clients < granted


class OutputError(ValueError):
    """The output is not that of a whole run of perfdhcp."""


@dataclass(frozen=True)
class RunText:
    """What one run printed."""

    line: int  # in the file, from 1
    text: str


@dataclass(frozen=True)
class Messages:
    """One exchange of messages as perfdhcp counts it; a delay is None if nothing was answered."""

    sent: int
    received: int
    min_ms: float | None = None
    mean_ms: float | None = None
    max_ms: float | None = None
    sd_ms: float | None = None

    @property
    def unanswered_share(self) -> float:
        """The share of messages that got no answer; 0 if none was sent."""
        return 1 - self.received / self.sent if self.sent else 0.0


@dataclass(frozen=True)
class PrintedRun:
    """One run of perfdhcp in which clients asked for leases."""

    family: int  # 4 or 6
    rate: float  # exchanges per second that ended, by perfdhcp's own count
    offered: float | None  # clients per second that it was told to send; None: as many as it could
    first: Messages  # DISCOVER and OFFER, or SOLICIT and ADVERTISE
    granting: Messages  # REQUEST and the answer that grants the lease
    clients: int | None = None  # different ones, of which each asked in turn; None: not known

    @property
    def asked_again(self) -> bool:
        """True if most leases went to clients that had one already."""
        return asked_again(self.clients, self.granting.received)

    @property
    def lost(self) -> float:
        """The share of clients that got no lease; 1 if no client asked."""
        return 1 - self.granting.received / self.first.sent if self.first.sent else 1.0


def read_sections(text: str) -> dict[str, Messages]:
    """Return the exchanges of a run by name, in order. Raises OutputError if counts lack."""
    parts = SECTION.split(text)[1:]
    names, texts = parts[::2], parts[1::2]
    return {name: read_messages(part) for name, part in zip(names, texts, strict=True)}


def read_messages(section: str) -> Messages:
    """Return the statistics of one exchange. Raises OutputError if its counts are missing."""
    sent = read_count(section, "sent packets: ")
    received = read_count(section, "received packets: ")
    if sent is None or received is None:
        raise OutputError("it printed no counts of packets")
    return Messages(
        sent,
        received,
        min_ms=read_number(section, "min delay: "),
        mean_ms=read_number(section, "avg delay: "),
        max_ms=read_number(section, "max delay: "),
        sd_ms=read_number(section, "std deviation: "),
    )


def read_number(text: str, name: str) -> float | None:
    """Return the first number in the line that begins with this name."""
    match = re.search("^" + re.escape(name) + r".*?(-?[0-9.]+).*\n", text, re.MULTILINE)
    try:
        return float(match[1]) if match else None
    except ValueError:
        return None


def read_count(text: str, name: str) -> int | None:
    """Return the whole number in the line that begins with this name."""
    number = read_number(text, name)
    return None if number is None else int(number)


def decode(data: bytes) -> str:
    """Return the text of a file: in UTF-16 as terminals of Windows write it, or else in UTF-8."""
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = data.decode("utf-16" if is_wide else "utf-8", "replace")
    ended = "\n" if text.endswith("\n") else ""
    return "\n".join(line.strip() for line in text.splitlines()) + ended


def split_runs(text: str) -> list[RunText]:
    """Return the runs in what perfdhcp printed, one after another. Raises OutputError."""
    runs, line = [], 1
    for part in RUN_BEGINS.split(text):
        if SECTION.search(part) or RATE.search(part):
            runs.append(RunText(line, part))
        line += part.count("\n")
    if not runs:
        raise OutputError("there are no statistics of perfdhcp in it")
    return runs


def read_clients(text: str) -> int | None:
    """Return the number of different clients of a run; None if it does not tell."""
    command = COMMAND.match(text)
    if command is None or CLIENT_LIST in command[1]:
        return None
    match = CLIENTS.search(command[1])
    return max(1, int(match[1])) if match else 1


def read_run(text: str) -> PrintedRun:
    """Return one run. Raises OutputError if it granted no leases or is cut short."""
    if AVALANCHE.search(text):
        raise OutputError(
            "it is of the scenario avalanche, whose clients wait and ask again, so it has no rate "
            "of the server"
        )
    if len(RATE.findall(text)) > 1:
        raise OutputError("it is of several runs, without the line 'Running: perfdhcp' of each")
    sections = read_sections(text)
    family = next((each for each, names in GRANTING.items() if names[0] in sections), None)
    if family is None or GRANTING[family][1] not in sections:
        raise OutputError(
            "it has no REQUEST-ACK and no REQUEST-REPLY, the exchanges that grant leases"
        )
    first, granting = (sections[name] for name in GRANTING[family])
    if granting.received > first.sent:
        raise OutputError("more clients were granted a lease than asked for one")
    if not granting.received:
        raise OutputError("no client was granted a lease")
    rate = RATE.search(text)
    if rate is None:
        raise OutputError('it has no line "Rate: N 4-way exchanges/second"')
    offered = float(rate[2]) if rate[2] else None
    clients = read_clients(text)
    return PrintedRun(family, float(rate[1]), offered or None, first, granting, clients)
