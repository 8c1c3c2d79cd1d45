# SPDX-License-Identifier: ISC
"""The leases that a power cut, a killed process and the loss of a machine lose."""

from __future__ import annotations

from enum import Enum

from ubench.report.advice.configuration import Configuration


class Keeper(Enum):
    """Where the leases are kept, as far as crashes are concerned."""

    MEMORY = "memory"  # memfile without a file
    MEMORY_FILE = "file in memory"  # or in a directory that is emptied when the machine starts
    FILE = "file"
    MYSQL = "mysql"
    POSTGRESQL = "postgresql"


class MachineLoss(Enum):
    """Which leases are lost with a machine that never comes back."""

    ALL = "all"  # no other machine has them
    DATABASE = "database"  # those that no replica or backup of the database has
    PARTNER = "partner"  # none: the partner has each before the client
    BACKUP = "backup"  # none: a backup has each before the client
    BACKUP_LATE = "backup, late"  # those that no backup has received yet
    SHARED_ELSEWHERE = "shared, elsewhere"  # none with a Kea server; the database is elsewhere
    SHARED_HERE = "shared, here"  # those that no replica of this machine's database has


def lease_keeper(configuration: Configuration) -> Keeper:
    """Return where a configuration keeps the leases."""
    database = configuration.lease_database
    if database.is_server:
        return Keeper(database.kind)
    if not database.persist.value:
        return Keeper.MEMORY
    return Keeper.MEMORY_FILE if database.is_forgetful else Keeper.FILE


def machine_loss(configuration: Configuration) -> MachineLoss:
    """Return which leases are lost with a machine that runs Kea."""
    database, ha = configuration.lease_database, configuration.ha
    if configuration.shares_database:
        return MachineLoss.SHARED_ELSEWHERE if database.remote_host else MachineLoss.SHARED_HERE
    if configuration.is_pair:
        return MachineLoss.PARTNER
    if configuration.has_partner and ha is not None:
        return MachineLoss.BACKUP if ha.wait_backup_ack.value else MachineLoss.BACKUP_LATE
    return MachineLoss.DATABASE if database.is_server else MachineLoss.ALL
