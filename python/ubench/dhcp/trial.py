# SPDX-License-Identifier: ISC
"""One trial of a DHCP server: perfdhcp asked for leases, and the server granted some of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from ubench.records.perfdhcp_output import Messages
from ubench.records.where import Where


@dataclass(frozen=True)
class ServerShare:
    """What became of the clients of one of several servers."""

    sent: int
    granted: int
    granted_per_s: float


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
    by_server: tuple[ServerShare, ...] = field(default=(), kw_only=True)  # of several servers

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
        beside: dict[str, object] = {
            name: asdict(messages)
            for name, messages in (("renew", self.renew), ("release", self.release))
            if messages
        }
        if self.by_server:
            beside["by_server"] = [asdict(share) for share in self.by_server]
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


# ---- Several servers, whose clients ask in the same interval: their rates add up


def joint_trial(trials: Sequence[RateTrial], rate: int) -> RateTrial:
    """Return the trial of all servers; `rate` is that of all clients.

    The queue of no server may grow, and each perfdhcp has to keep up.
    """
    renewals = [trial.renew for trial in trials if trial.renew]
    return replace(
        trials[0],
        discover=joint_messages([trial.discover for trial in trials]),
        request=joint_messages([trial.request for trial in trials]),
        renew=joint_messages(renewals) if renewals else None,
        offered=rate,
        kept_up=all(trial.kept_up for trial in trials),
        granted_per_s=sum(trial.granted_per_s for trial in trials),
        queue_grew=any(trial.queue_grew for trial in trials),
        by_server=tuple(
            ServerShare(trial.sent, trial.granted, trial.granted_per_s) for trial in trials
        ),
    )


def joint_messages(parts: Sequence[Messages]) -> Messages:
    """Return the counts and delays of all messages together."""
    answered = [part for part in parts if part.received and part.mean_ms is not None]
    sent, received = sum(part.sent for part in parts), sum(part.received for part in parts)
    if not answered:
        return Messages(sent, received)
    counted = sum(part.received for part in answered)
    mean = sum(part.received * (part.mean_ms or 0) for part in answered) / counted
    squares = sum(
        part.received * ((part.sd_ms or 0) ** 2 + (part.mean_ms or 0) ** 2) for part in answered
    )
    return Messages(
        sent,
        received,
        min_ms=min(part.min_ms or 0 for part in answered),
        mean_ms=round(mean, 3),
        max_ms=max(part.max_ms or 0 for part in answered),
        sd_ms=round(math.sqrt(max(0.0, squares / counted - mean**2)), 3),
    )
