# SPDX-License-Identifier: ISC
"""One trial of a DHCP server: perfdhcp asked for leases, and the server granted some of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from ubench.records.perfdhcp_output import Messages
from ubench.records.where import Where


@dataclass(frozen=True)
class Trial:
    """What clients sent and received, and what the server needed for it.

    `stored`, `start_s`, `memory_mb` and `where` are known only when the servers have stopped.
    """

    discover: Messages  # DISCOVER and OFFER, or SOLICIT and ADVERTISE
    request: Messages  # REQUEST and the answer that grants the lease
    renew: Messages | None
    release: Messages | None
    processor_s: Mapping[str, float]  # of "server", "store", "load" and "other"
    elapsed_s: float  # with the wait for the last answers
    cores: int  # of the machine
    stored: int | None = field(default=None, kw_only=True)  # None if the store keeps none
    start_s: float | None = field(default=None, kw_only=True)
    memory_mb: float | None = field(default=None, kw_only=True)
    where: Where | None = field(default=None, kw_only=True)  # with --where

    @property
    def sent(self) -> int:
        """The clients that asked for a lease."""
        return self.discover.sent

    @property
    def granted(self) -> int:
        """The clients that got one in time."""
        return self.request.received

    @property
    def lost(self) -> float:
        """The share of clients that got none; 1 if no client asked."""
        return 1 - self.granted / self.sent if self.sent > 0 else 1.0

    @property
    def longest_wait_s(self) -> float:
        """The longest delay of an answer; 0 if there was none."""
        return max(self.discover.max_ms or 0, self.request.max_ms or 0) / 1000

    def members(self) -> dict[str, object]:
        """Return the trial as a line of results has it (results/kea.schema.json)."""
        beside = {
            name: asdict(messages)
            for name, messages in (("renew", self.renew), ("release", self.release))
            if messages
        }
        return {
            "discover": asdict(self.discover),
            "request": asdict(self.request),
            "sent": self.sent,
            "granted": self.granted,
            "lost": self.lost,
            **beside,
            "processor_s": dict(self.processor_s),
            "elapsed_s": self.elapsed_s,
            "cores": self.cores,
            **self.outcome(),
            "stored": self.stored,
            "start_s": self.start_s,
            "memory_mb": self.memory_mb,
            **({"where": self.where.members()} if self.where else {}),
        }

    def outcome(self) -> dict[str, object]:
        """Return the members that trials of one kind have and others do not."""
        return {}


@dataclass(frozen=True)
class RateTrial(Trial):
    """A trial in which new clients asked at a constant rate."""

    offered: int  # clients per second
    kept_up: bool  # perfdhcp sent at the requested rate
    granted_per_s: float  # leases that were granted while it sent
    queue_grew: bool
    max_lost: float  # the share of clients, or of renewals, that may be lost

    @property
    def lost_share(self) -> float:
        """The share of lost new clients or of lost renewals, whichever is larger."""
        return max(self.lost, self.renew.unanswered_share if self.renew else 0.0)

    def __str__(self) -> str:
        """Return one line for people."""
        notes = [
            f"{self.offered} a second: {self.sent} asked, {self.granted} granted, "
            f"{round(self.lost * 100, 1):g} % lost"
        ]
        if self.renew:
            notes.append(f"{self.renew.received} of {self.renew.sent} renewed")
        if self.queue_grew:
            notes.append("the queue grew")
        if not self.kept_up:
            notes.append("perfdhcp fell behind")
        return "; ".join(notes)

    def outcome(self) -> dict[str, object]:
        """Return the members that only these trials have."""
        return {
            "offered": self.offered,
            "kept_up": self.kept_up,
            "granted_per_s": self.granted_per_s,
            "queue_grew": self.queue_grew,
            "holds": self.lost_share <= self.max_lost,
        }


@dataclass(frozen=True)
class StormTrial(Trial):
    """A trial in which all clients asked at once, and again until they had a lease."""

    resent: int | None  # requests of clients that had asked before
    duration_s: float  # until every client had a lease

    def outcome(self) -> dict[str, object]:
        """Return the members that only these trials have."""
        return {"resent": self.resent, "duration_s": self.duration_s}
