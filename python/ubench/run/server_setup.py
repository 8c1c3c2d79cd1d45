# SPDX-License-Identifier: ISC
"""How to start a private database server."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class Programs:
    """Which database servers to start, if not the newest that is installed."""

    mysqld: str = ""  # the program, /opt/mysql/sbin/mysqld or mariadbd
    postgres_folder: str = ""  # the folder of postgres and initdb

    @classmethod
    def from_environment(cls) -> Programs:
        """Return the programs that UBENCH_MYSQLD and UBENCH_PGBIN name."""
        return cls(os.environ.get("UBENCH_MYSQLD", ""), os.environ.get("UBENCH_PGBIN", ""))


class Replication(Enum):
    """How the servers of a cluster replicate."""

    NONE = "none"
    NODES = "nodes"  # Galera
    GROUP = "group"  # MySQL's group replication
    STANDBYS = "standbys"  # PostgreSQL's synchronous standbys


@dataclass(frozen=True)
class Cluster:
    """How the servers of a cluster replicate, and their number: 1 without replication."""

    replication: Replication = Replication.NONE
    total: int = 1


@dataclass(frozen=True)
class ServerSetup:
    """How to start a server."""

    options: tuple[str, ...] = ()
    cluster: Cluster = Cluster()
    prefix: tuple[str, ...] = ()  # words before its command line
    preload: str = ""  # a library
    linked: bool = False  # behind a slow link, which has been made for it
    ends_with_us: bool = False  # should this process be killed
