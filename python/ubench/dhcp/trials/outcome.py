# SPDX-License-Identifier: ISC
"""What a trial shows besides the lease rate: what becomes of leases, servers and clients."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from ubench.dhcp import perfdhcp
from ubench.dhcp.trial import Trial
from ubench.dhcp.trials import heard
from ubench.dhcp.trials.heard import Heard
from ubench.records.server import Second

# A message of Kea's log at one of these levels: its name.
LOGGED = re.compile(r"^\S+ \S+ +(?:WARN|ERROR|FATAL) +\[[^]]*\] (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Failover:
    """What became of a pair of which the first server was killed."""

    lost: int  # clients without an answer from then on
    back_s: int | None  # until nine of ten were answered again; None if they never were
    only_killed: int  # leases that the killed server had, and not the other
    only_survivor: int  # leases that only the other had
    again_s: float  # from its restart until both served
    differ: int  # leases that differed then


@dataclass(frozen=True)
class Expiry:
    """What became of leases that had run out before the server started."""

    silent_s: float  # in which nobody was answered, at most
    left: int
    reclaimed: int
    per_hour: int  # by the time from the start of the server


@dataclass(frozen=True)
class LeaseFileCleanUp:
    """The longest run of kea-lfc, which cleans up memfile's file."""

    silent_s: float  # in which nobody was answered, at most
    duration_s: float
    memory_mb: float


@dataclass(frozen=True)
class ServerLoss:
    """What clients noticed of the first server, which was killed while the others went on."""

    lost: int  # clients of the killed server without an answer from then on
    others_lost: int  # clients of the others without one
    others_before_per_s: float  # leases that the others granted, until then
    others_after_per_s: float  # and from then on
    others_silent_s: int  # seconds from then on in which the others granted none, at most
    again_s: float  # from the restart of the killed server until all served


@dataclass(frozen=True)
class TrialReport:
    """A trial, and what it shows besides the lease rate."""

    trial: Trial
    seconds: tuple[Second, ...] = ()
    failover: Failover | None = None
    expire: Expiry | None = None
    lfc: LeaseFileCleanUp | None = None
    # The rest is of several servers.
    seconds_by_server: tuple[tuple[Second, ...], ...] = ()
    server_loss: ServerLoss | None = None
    heard: Heard | None = None
    logged: Mapping[str, int] = field(default_factory=dict)
    conflicts: Mapping[str, int] = field(default_factory=dict)  # of a cluster

    def members(self) -> dict[str, object]:
        """Return what a line of results has of it besides the trial (results/kea.schema.json)."""
        members: dict[str, object] = {}
        if self.seconds:
            members["seconds_each"] = [asdict(second) for second in self.seconds]
        if self.seconds_by_server:
            members["seconds_by_server"] = [
                [asdict(second) for second in seconds] for seconds in self.seconds_by_server
            ]
        for name in ("failover", "expire", "lfc", "server_loss"):
            value = getattr(self, name)
            if value:
                members[name] = asdict(value)
        return {**members, **heard_members([self])}


def heard_members(reports: Sequence[TrialReport]) -> dict[str, object]:
    """Return what clients of several servers heard, and what the servers logged, in all trials."""
    members: dict[str, object] = {}
    known = [report.heard for report in reports if report.heard]
    if known:
        members["heard"] = heard.total(known).members()
        members["logged"] = _sum(report.logged for report in reports)
    conflicts = _sum(report.conflicts for report in reports)
    return {**members, "conflicts": conflicts} if conflicts else members


def _sum(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)


# ---- Several servers


def joint_seconds(servers: Sequence[Sequence[Second]]) -> tuple[Second, ...]:
    """Return what the clients of all servers asked and were granted in each second.

    It has the seconds that each perfdhcp has reported.
    """
    return tuple(
        Second(sum(each.asked for each in second), sum(each.granted for each in second))
        for second in zip(*servers, strict=False)
    )


def server_loss(servers: Sequence[Sequence[Second]], kill_s: int, again_s: float) -> ServerLoss:
    """Return what clients noticed of the first server, killed in second `kill_s`."""
    killed, others = servers[0], joint_seconds(servers[1:])
    before, after = others[:kill_s], others[kill_s:]
    return ServerLoss(
        lost=perfdhcp.outage(killed, kill_s).lost,
        others_lost=perfdhcp.outage(others, kill_s).lost,
        others_before_per_s=_granted_per_s(before),
        others_after_per_s=_granted_per_s(after),
        others_silent_s=perfdhcp.silent_seconds(after),
        again_s=again_s,
    )


def _granted_per_s(seconds: Sequence[Second]) -> float:
    granted = sum(second.granted for second in seconds)
    return round(granted / len(seconds), 1) if seconds else 0.0


def logged_messages(logs: Iterable[str]) -> dict[str, int]:
    """Return how often servers logged each message of level WARN and above, by its name."""
    return dict(Counter(name for log in logs for name in LOGGED.findall(log)))
