# SPDX-License-Identifier: ISC
"""A site: its clients, how long their leases last, and the rates that they require of a store.

A client needs its lease store on two occasions. It renews its lease after a part of the lease's
time, so N clients require N / that time renewals per second. And after a power cut all clients
restart, within a time that the operator gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

KEA_LEASE_S = 7200.0  # Kea's valid-lifetime where none is configured
IPV4_ADDRESSES = 1 << 32


class Demand(Enum):
    """What the clients of a site require of a store."""

    RENEWALS = "renewals"
    RESTARTS = "restarts"


@dataclass(frozen=True)
class Place:
    """How the place of the lease store differs from where it was measured."""

    round_trip_s: float = 0.0  # added to each round trip to a database
    sync_s: float | None = None  # the time of a sync of the disk; None: as it was measured

    @property
    def is_as_measured(self) -> bool:
        """True if rates of the place are those that were measured."""
        return self == Place()


@dataclass(frozen=True)
class Site:
    """A site, as its operator describes it."""

    clients: int | None = None
    lease_s: float = KEA_LEASE_S
    renew_at: float = 0.5  # the part of the lease's time after which a client renews
    restart_s: float = 300.0  # the time within which all clients restart
    restart_as_new: bool = False  # without their leases
    changes_each: float | None = None  # per second and client in the worst minute; None: not known
    headroom: float = 2.0  # a store is fast enough at this many times the required rate
    servers: int = 1  # on one database, which share the clients
    place: Place = Place()
    counted_by: str = "--clients"  # the option that tells how many clients there are

    @property
    def renew_s(self) -> float:
        """The time after which a client renews its lease."""
        return self.lease_s * self.renew_at

    def required(self, demand: Demand, clients: float) -> float:
        """Return the required rate per second for a number of clients.

        Without a measured rate of changes, a client renews once in its time.
        """
        if demand is Demand.RENEWALS and self.changes_each is not None:
            return clients * self.changes_each
        return clients / (self.renew_s if demand is Demand.RENEWALS else self.restart_s)

    def exchanges(self, demand: Demand, family: int) -> tuple[str, ...]:
        """Return the exchanges that serve the demand, the preferred one first."""
        if demand is Demand.RENEWALS:
            return ("renew",)
        if family == 6:
            return ("sarr",)
        return ("dora",) if self.restart_as_new else ("dora-known", "init-reboot", "dora")
