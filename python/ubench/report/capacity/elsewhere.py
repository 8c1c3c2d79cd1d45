# SPDX-License-Identifier: ISC
"""Rates in another place: behind a network that is slower, or on a disk that syncs slower.

With each operation an exchange waits for a round trip to the database; with each change it waits
for the syncs of the disk. Both add to the time that the exchange took where it was measured.

Several threads share syncs (group commit): a change that is committed during a sync waits for the
end of that one and for the next, which serves all changes that came meanwhile.
"""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ubench.described import PhaseCount
from ubench.records.observation import DurabilityClass, Observation
from ubench.report.capacity.site import Place

# The values of PostgreSQL's synchronous_commit that wait for the server's own log.
WAITING_COMMITS = ("on", "local", "remote_write", "remote_apply")

# The stores whose threads share syncs; SQLite's take turns.
GROUP_COMMIT = ("memfile", "mysql", "pgsql")
STEPS = 60  # of the search for a time, each of which halves its error

Settings = Mapping[str, str]


def database_host(observation: Observation) -> str:
    """Return the host of the database, as far as it is known; "" if it is this machine.

    The client libraries name it: "TCP to 192.0.2.7, port 5432", "db.example.net via TCP/IP",
    "Localhost via UNIX socket". Without a name it is the runners' default, a local server.
    """
    connection = observation.facts.get("connection", "")
    if "socket" in connection:
        return ""
    address = connection.removeprefix("TCP to ").replace(",", " ").split()
    host = address[0] if address else observation.parameters.get("host", "")
    return "" if is_local(host) else host


def is_local(host: str) -> bool:
    """Return whether an address, a name, or the path of a socket is of the same machine."""
    if not host or host.startswith("/") or host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def syncs_per_change(observation: Observation) -> int | None:
    """Return how many syncs a change waits for, one after the other; None if that is not known."""
    if observation.cls is None:
        return None
    settings = {setting.name: setting.value for setting in observation.durability.settings}
    count = SYNCS_OF_STORE.get(observation.keeper)
    if count is not None:
        return count(settings)
    if observation.keeper in ("memfile", "kea"):
        return int(observation.cls is DurabilityClass.POWER_SAFE)
    return None


def _postgresql_syncs(settings: Settings) -> int | None:
    commit, fsync = settings.get("synchronous_commit"), settings.get("fsync")
    if commit == "off" or fsync == "off":
        return 0
    return 1 if commit in WAITING_COMMITS and fsync == "on" else None


def _mysql_syncs(settings: Settings) -> int | None:
    """Return the syncs of a commit: of InnoDB's log, and of the binary log if it is a file."""
    flush, binlog = settings.get("innodb_flush_log_at_trx_commit"), settings.get("log_bin")
    sync_binlog = settings.get("sync_binlog", "0")
    if flush not in ("0", "1", "2") or binlog not in ("ON", "OFF") or sync_binlog not in ("0", "1"):
        return None
    return int(flush == "1") + int(binlog == "ON" and sync_binlog == "1")


def _sqlite_syncs(settings: Settings) -> int | None:
    level = settings.get("synchronous")
    if settings.get("journal_mode") != "wal" or not level:
        return None
    return int(level in ("FULL", "EXTRA"))


SYNCS_OF_STORE: Mapping[str, Callable[[Settings], int | None]] = {
    "pgsql": _postgresql_syncs,
    "mysql": _mysql_syncs,
    "sqlite": _sqlite_syncs,
}


def measured_sync_s(observation: Observation) -> float | None:
    """Return how long a sync took on the disk of the store when it was measured."""
    ns = observation.baselines.fdatasync_ns
    return ns / 1e9 if ns else None


@dataclass(frozen=True)
class RoundTrips:
    """The round trips that an exchange waits for, one after the other."""

    count: float
    each_s: float

    @property
    def total_s(self) -> float:
        """The time of all of them."""
        return self.count * self.each_s


def rate_with_round_trips(
    rate: float, measured: RoundTrips, other: RoundTrips, threads: int = 1
) -> float | None:
    """Predict the rate of an exchange with more or fewer round trips, or on another network.

    `threads` threads did `rate` exchanges per second where it was measured, each of which took
    t = threads / rate seconds, with n round trips of r seconds. With n' round trips of r' seconds
    it takes t + n' * r' - n * r: all else, as the work of the database and its syncs, takes as
    long as measured. The measured run is the only source.

    None if that is no time: these cannot be the round trips of the measured exchange.
    """
    time_s = threads / rate + other.total_s - measured.total_s
    return threads / time_s if time_s > 0 else None


@dataclass(frozen=True)
class Waits:
    """What an exchange waits for: the answers of a database and the syncs of a disk."""

    trips: int  # round trips
    changes: int
    threads: int
    syncs: int | None  # of each change; None: not known
    sync_s: float | None  # where it was measured
    shared: bool  # threads share syncs

    @property
    def sharing_threads(self) -> int:
        """How many threads share a sync."""
        return self.threads if self.shared else 1


def waits_of(observation: Observation, steps: Sequence[PhaseCount]) -> Waits:
    """Return what an exchange with these steps waits for."""
    return Waits(
        trips=sum(step.count for step in steps) if observation.is_database else 0,
        changes=sum(step.count for step in steps if step.changes),
        threads=observation.load.threads,
        syncs=syncs_per_change(observation),
        sync_s=measured_sync_s(observation),
        shared=observation.keeper in GROUP_COMMIT,
    )


def rate_elsewhere(
    observation: Observation, rate: float, steps: Sequence[PhaseCount], place: Place
) -> float | None:
    """Return the rate of an exchange in another place; None if it cannot be computed."""
    return rate if place.is_as_measured else rate_with(waits_of(observation, steps), rate, place)


def rate_with(waits: Waits, rate: float, place: Place) -> float | None:
    """Return the rate of an exchange with these waits in another place.

    None if it cannot be computed.
    """
    as_measured, added = (RoundTrips(waits.trips, each) for each in (0.0, place.round_trip_s))
    if place.sync_s is None or waits.changes == 0 or waits.syncs == 0:
        return rate_with_round_trips(rate, as_measured, added, waits.threads)
    if waits.syncs is None or waits.sync_s is None:
        return None
    near_s, far_s = waits.syncs * waits.sync_s, waits.syncs * place.sync_s
    sharing = waits.sharing_threads
    # Each thread makes a change at this interval, and works when it does not wait for syncs.
    near_interval_s = sharing / (rate * waits.changes)
    near_wait_s = sync_wait_s(near_s, near_interval_s, sharing)
    work_s = near_interval_s - near_wait_s
    share = 1.0  # of the computed wait; less where threads waited less than that
    least = 0.0  # interval, in syncs: of two groups of threads, one works while the other syncs
    if sharing > 1:
        share, least = min(1.0, near_interval_s / near_wait_s), min(2.0, near_interval_s / near_s)
        work_s = max(0.0, work_s)
    work_s += added.total_s * sharing / (waits.threads * waits.changes)
    interval_s = work_s + far_s
    for _ in range(STEPS):
        wait_s = share * sync_wait_s(far_s, interval_s, sharing)
        next_s = max(work_s + wait_s, least * far_s)
        interval_s = (interval_s + next_s) / 2
    return sharing / (interval_s * waits.changes) if interval_s > 0 else None


def sync_wait_s(sync_s: float, interval_s: float, threads: int) -> float:
    """Return how long a change waits for syncs that threads share, if each makes one an interval.

    A change waits for a sync that begins after it, and which serves all changes that wait. While
    other changes come during each sync, the next sync follows at once. With `others` changes in the
    time of a sync, on average, and random arrivals, this holds for others / (others + exp(-others))
    of the time. A change that comes then also waits for half of the sync that is going on.
    """
    if interval_s <= 0:
        return sync_s
    others = (threads - 1) * sync_s / interval_s  # changes of other threads during a sync
    busy = others / (others + math.exp(-others))
    return sync_s * (1 + busy / 2)
