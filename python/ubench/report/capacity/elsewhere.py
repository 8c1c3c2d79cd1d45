# SPDX-License-Identifier: ISC
"""Rates in another place: behind a network that is slower, or on a disk that syncs slower.

With each operation an exchange waits for a round trip to the database; with each change it waits
for the syncs of the disk. Both add to the time that the exchange took where it was measured.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping, Sequence

from ubench.described import PhaseCount
from ubench.records.observation import DurabilityClass, Observation
from ubench.report.capacity.site import Place

# The values of PostgreSQL's synchronous_commit that wait for the server's own log.
WAITING_COMMITS = ("on", "local", "remote_write", "remote_apply")

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
    """Return the log of InnoDB, and the binary log if it is a file."""
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


def added_sync_s(observation: Observation, changes: int, sync_s: float | None) -> float | None:
    """Return the time that an exchange with this many changes takes longer on another disk.

    `sync_s` is how long that disk takes to sync. None if it cannot be computed, as several threads
    share some of their syncs.
    """
    if sync_s is None or changes == 0:
        return 0.0
    syncs, measured_s = syncs_per_change(observation), measured_sync_s(observation)
    if syncs == 0:
        return 0.0
    if syncs is None or measured_s is None or observation.load.threads > 1:
        return None
    return changes * syncs * (sync_s - measured_s)


def rate_elsewhere(
    observation: Observation, rate: float, steps: Sequence[PhaseCount], place: Place
) -> float | None:
    """Return the rate of an exchange in another place; None if it cannot be computed."""
    if place.is_as_measured:
        return rate
    changes = sum(step.count for step in steps if step.changes)
    sync_s = added_sync_s(observation, changes, place.sync_s)
    if sync_s is None:
        return None
    round_trips = sum(step.count for step in steps) if observation.is_database else 0
    network_s = place.round_trip_s * round_trips / observation.load.threads
    exchange_s = 1 / rate + network_s + sync_s
    return 1 / exchange_s if exchange_s > 0 else None
