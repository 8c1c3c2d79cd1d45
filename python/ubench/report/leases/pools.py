# SPDX-License-Identifier: ISC
"""The pools of a configuration of Kea, and its cache-threshold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ubench.kea_config import document
from ubench.kea_config.members import Members
from ubench.report.advice import addresses, reading
from ubench.report.advice.addresses import Range

SUBNET_ID_MOST = 0xFFFFFFFF


@dataclass(frozen=True)
class AddressPool:
    """A pool of addresses, or of prefixes: `size` is how many it has."""

    family: int  # 4 or 6
    name: str  # "subnet 7, pool 2": pools of a subnet are counted from 1 on
    first: str
    last: str
    size: int


def of_configuration(path: str) -> list[AddressPool]:
    """Return the pools of a configuration, of both servers if it has both. Raises Problem."""
    file = read(path)
    servers = {file.family: file.server}
    if file.other_server is not None:
        servers[10 - file.family] = file.other_server
    return [
        pool
        for family, server in servers.items()
        for position, members in enumerate(document.subnets(server, family), 1)
        for pool in of_subnet(members, family, position)
    ]


def of_subnet(members: Members, family: int, position: int) -> Iterator[AddressPool]:
    """Yield the pools of a subnet. Without an id it is named by its position in the file."""
    subnet = members.get_whole("id", SUBNET_ID_MOST) or position
    for number, pool in enumerate(addresses.pool_ranges(members, family), 1):
        yield make_pool(pool, family, f"subnet {subnet}, pool {number}", pool.size)
    for number, (pool, prefixes) in enumerate(addresses.prefix_pools(members, family), 1):
        yield make_pool(pool, family, f"subnet {subnet}, pd-pool {number}", prefixes)


def make_pool(addressed: Range, family: int, name: str, size: int) -> AddressPool:
    """Return a pool of a range of addresses."""
    first, last = (
        addresses.format_address(address, family) for address in (addressed.first, addressed.last)
    )
    return AddressPool(family, name, first, last, size)


def read(path: str) -> document.Document:
    """Read a configuration, which may do without the file that has its lease-database."""
    file = document.read_document(path, skip_absent=True)
    for absent in file.absent:
        if absent.member != "lease-database":
            raise absent.refusal()
    return file


def cache_threshold(path: str) -> float:
    """Return the cache-threshold that most subnets of a configuration have. Raises Problem."""
    file = read(path)
    subnets = reading.read_subnets(file.server, file.family, path)
    thresholds = Counter(subnet.cache_threshold.value for subnet in subnets)
    return thresholds.most_common(1)[0][0]
