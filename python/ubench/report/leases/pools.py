# SPDX-License-Identifier: ISC
"""The pools of a configuration of Kea, and its cache-threshold."""

from __future__ import annotations

import ipaddress
from collections import Counter
from dataclasses import dataclass

from ubench.kea_config import document
from ubench.report.advice import addresses, reading

SUBNET_ID_MOST = 0xFFFFFFFF


@dataclass(frozen=True)
class AddressPool:
    """A pool of addresses. `number` counts the pools of its subnet from 1 on."""

    subnet: int
    number: int
    first: str
    last: str
    size: int


def of_configuration(path: str) -> list[AddressPool]:
    """Return the pools of a configuration, in the order of their subnets. Raises Problem."""
    file = document.read_document(path)
    make = ipaddress.IPv4Address if file.family == 4 else ipaddress.IPv6Address
    pools = []
    for position, members in enumerate(document.subnets(file.server, file.family), 1):
        subnet = members.get_whole("id", SUBNET_ID_MOST) or position
        for number, pool in enumerate(addresses.pool_ranges(members, file.family), 1):
            first, last = str(make(pool.first)), str(make(pool.last))
            pools.append(AddressPool(subnet, number, first, last, pool.size))
    return pools


def cache_threshold(path: str) -> float:
    """Return the cache-threshold that most subnets of a configuration have. Raises Problem."""
    subnets = reading.read_configuration(path).subnets
    thresholds = Counter(subnet.cache_threshold.value for subnet in subnets)
    return thresholds.most_common(1)[0][0]
