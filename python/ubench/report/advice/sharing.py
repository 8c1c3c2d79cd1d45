# SPDX-License-Identifier: ISC
"""Several servers with one lease database: their configurations as one, with all their clients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ubench.errors import UsageError
from ubench.kea_config.members import cut_name
from ubench.report.advice.configuration import HOST_NAME_MOST, Configuration, Subnet
from ubench.terminal import plain


def merge(configurations: Sequence[Configuration]) -> Configuration:
    """Return the configuration of servers that have one database, with the subnets of all of them.

    Subnets with the same network and pools have the same clients, and count once. What else differs
    is that of the first file. Raises UsageError if the servers do not have one database.
    """
    first, *others = configurations
    for other in others:
        refuse_apart(first, other)
    subnets: dict[object, Subnet] = {}
    owners: dict[object, set[int]] = {}  # the servers of each
    for number, configuration in enumerate(configurations):
        for index, subnet in enumerate(configuration.subnets):
            if subnet.clients or len(configuration.subnets) > 1:
                name = identity(subnet) or (number, index)
                subnets.setdefault(name, subnet)
                owners.setdefault(name, set()).add(number)
    return replace(
        first,
        subnets=tuple(subnets.values()) or first.subnets,
        reserved_globally=max(each.reserved_globally for each in configurations),
        class_lifetimes=tuple(
            lifetime for each in configurations for lifetime in each.class_lifetimes
        ),
        others=tuple(name for each in configurations for name in each.others),
        absent=tuple(name for each in configurations for name in each.absent),
        may_lack_database=any(each.may_lack_database for each in configurations),
        servers=len(configurations),
        files=len(configurations),
        compete=any(len(servers) > 1 for servers in owners.values()),
    )


def as_servers(configuration: Configuration, servers: int) -> Configuration:
    """Return the configuration of so many servers with one database, some with files of their own.

    Raises UsageError if the database is a file, which a server has for itself.
    """
    if servers <= configuration.servers:
        return configuration
    if not configuration.lease_database.is_server:
        raise UsageError(
            f"--servers: '{configuration.path}' keeps leases in {database(configuration)}; "
            "expected a database that servers share, or leave out --servers"
        )
    return replace(configuration, servers=servers, compete=True)


def identity(subnet: Subnet) -> object:
    """Return what tells the clients of a subnet from others; None if the file does not say."""
    if not subnet.network and not subnet.ranges:
        return None
    return subnet.network, subnet.ranges, subnet.prefixes, subnet.reserved


def refuse_apart(first: Configuration, other: Configuration) -> None:
    """Raise UsageError unless two servers of one family have the same database."""
    if first.family != other.family:
        raise UsageError(
            f"--kea: '{other.path}' is of Dhcp{other.family} and '{first.path}' of "
            f"Dhcp{first.family}; expected one of them"
        )
    if not first.lease_database.is_server or first.lease_database.address != (
        other.lease_database.address
    ):
        raise UsageError(
            f"--kea: '{first.path}' keeps leases in {database(first)}, '{other.path}' in "
            f"{database(other)}; expected servers with one database (of servers with a store each, "
            "give one file)"
        )


def database(configuration: Configuration) -> str:
    """Return the lease database in words: "mysql on db1"."""
    kind, host, name = configuration.lease_database.address
    if not configuration.lease_database.is_server:
        return f"{kind}, a file of its own"
    shown = plain(cut_name(host, HOST_NAME_MOST))
    return f"{kind} '{plain(cut_name(name, HOST_NAME_MOST))}' on {shown}"
