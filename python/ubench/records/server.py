# SPDX-License-Identifier: ISC
"""Whole DHCP servers under perfdhcp (results/kea.schema.json), in the words of RFC 9971."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ubench.records.where import Where


@dataclass(frozen=True)
class ServerTrial:
    """One trial: clients that asked, and were granted a lease in time or were not."""

    offered: float | None  # clients per second; None of a storm
    sent: int
    granted: int
    lost: float  # the share of clients without an answer
    kept_up: bool  # perfdhcp sent at the requested rate
    holds: bool
    granted_per_s: float | None
    elapsed_s: float
    cores: int
    processor_s: Mapping[str, float]  # of "server", "store", "load" and "other"
    renewals_received: int
    duration_s: float | None  # of a storm: until every client had a lease
    resent: int | None
    stored: int | None  # leases in the store after it
    members: Mapping[str, object]  # the line's own, for whoever shows all of it
    where: Where | None = None  # with --where

    def cost_us(self, part: str) -> float | None:
        """Return the processor time, in us, of a part (processor_s) for a new or renewed lease."""
        exchanges = self.granted + self.renewals_received
        seconds = self.processor_s.get(part)
        return seconds * 1e6 / exchanges if seconds is not None and exchanges else None


@dataclass(frozen=True)
class ServerGoal:
    """The result of a search for one goal; None where it found none."""

    max_lost: float
    trial_s: float
    lower: float | None  # relevant lower bound, clients per second
    upper: float | None  # relevant upper bound
    rate: float | None  # conditional throughput, leases per second
    confirmed: bool


@dataclass(frozen=True)
class Second:
    """Clients that asked in one second of a trial, and leases that were granted."""

    asked: int
    granted: int


@dataclass(frozen=True)
class ServerMeasurement:
    """What a command of scripts/dhcp measured."""

    command: str  # "rate", "seconds", "storm", "expire", ...
    server: str  # "kea", "dhcpd"
    trials: tuple[ServerTrial, ...]
    rate: float | None  # leases per second for the first goal; None if none was found, or sought
    goals: tuple[ServerGoal, ...]  # of a search for the first; earlier ones had none
    rough: bool  # trials were shorter than 10 s
    limited_by_load: bool
    is_search: bool  # else one trial, at a given rate or of a storm
    is_earlier: bool  # found by the search of former versions, which reported a maximum
    best: ServerTrial | None  # the trial that the rate comes from; of one trial that
    within_s: float
    trial_s: float  # for how long a trial sends
    seconds: tuple[Second, ...] = ()
    members: Mapping[str, object] = field(default_factory=dict)  # the line's own

    @property
    def granted(self) -> int:
        """Leases that were granted in all trials."""
        return sum(trial.granted for trial in self.trials)
