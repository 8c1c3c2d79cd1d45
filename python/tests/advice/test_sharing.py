# SPDX-License-Identifier: ISC
"""Several servers with one lease database."""

from __future__ import annotations

import pytest
from kea_files import MYSQL, PGSQL, dhcp4, dhcp6, ha, pools, threads, write

from ubench.errors import UsageError
from ubench.report.advice import reading, sharing
from ubench.report.advice.population import Population


@pytest.fixture
def merge(tmp_path):
    """The configuration of several texts, as servers with one database."""

    def merge(*texts):
        files = [write(tmp_path, text, f"{number}.conf") for number, text in enumerate(texts)]
        return sharing.merge([reading.read_configuration(file) for file in files])

    return merge


def subnet(network, *ranges):
    """subnet4 with a network and the ranges of its pools."""
    return pools(*ranges).replace('{"pools"', f'{{"subnet": "{network}", "pools"')


UNSENT = '"send-lease-updates": false'
A = subnet("10.0.0.0/16", "10.0.0.0/24")
B = subnet("10.1.0.0/16", "10.1.0.0/24")
A_AGAIN = subnet("10.0.0.0/16", "10.0.1.0/24")


@pytest.mark.parametrize(
    ("subnets", "clients"),
    [
        ([A], 256),
        ([A, B], 512),
        ([A, A], 256),  # a pair, or any number of servers for the same subnets
        ([A, A_AGAIN], 512),  # a subnet whose pools the servers divide
        ([A, B, A], 512),
        ([pools("10.9.0.0/24"), pools("10.9.0.0/24")], 256),
    ],
)
def test_equal_subnets_count_once(merge, subnets, clients):
    found = merge(*(dhcp4(MYSQL, each) for each in subnets))
    assert Population(found).clients == clients
    assert found.servers == len(subnets)


def test_threads_of_all_servers(merge):
    assert merge(dhcp4(MYSQL, A, threads(4)), dhcp4(MYSQL, B)).threads == 8
    assert merge(dhcp4(MYSQL, A, threads(0)), dhcp4(MYSQL, B)).threads is None


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (dhcp4(A), dhcp4(B), "memfile, a file of its own"),
        (dhcp4(MYSQL, A), dhcp4(PGSQL, B), "mysql '' on db.example.net"),
        (dhcp4(MYSQL, A), dhcp4(MYSQL.replace("db.", "db2."), B), "on db2.example.net"),
        (dhcp4(MYSQL, A), dhcp6(MYSQL), "is of Dhcp6"),
    ],
)
def test_servers_with_a_database_each_are_refused(merge, first, second, words):
    with pytest.raises(UsageError, match=words):
        merge(first, second)


@pytest.mark.parametrize(
    ("subnets", "compete"), [([A], False), ([A, B], False), ([A, A_AGAIN], False), ([A, A], True)]
)
def test_servers_compete_for_the_same_pools(merge, subnets, compete):
    assert merge(*(dhcp4(MYSQL, each) for each in subnets)).compete is compete


@pytest.mark.parametrize(
    ("files", "servers", "count"), [(1, 1, 1), (1, 3, 3), (2, 2, 2), (2, 4, 4)]
)
def test_there_are_more_servers_than_files(merge, files, servers, count):
    found = sharing.as_servers(merge(*[dhcp4(MYSQL, A, threads(2))] * files), servers)
    assert (found.servers, found.files, found.threads) == (count, files, 2 * count)
    assert found.compete is (count > 1)
    assert Population(found).clients == 256


def test_the_file_of_memfile_belongs_to_one_server(merge):
    with pytest.raises(UsageError, match=r"--servers: .* keeps leases in memfile, a file of its"):
        sharing.as_servers(merge(dhcp4(A)), 2)


@pytest.mark.parametrize(
    ("members", "count"),
    [
        ([MYSQL], 1),
        ([MYSQL, ha("load-balancing", UNSENT)], 2),
        ([MYSQL, ha("hot-standby", UNSENT)], 1),  # the other one waits
        ([MYSQL, ha("load-balancing")], 1),
        ([ha("load-balancing", UNSENT)], 1),
    ],
)
def test_servers_that_work_at_the_same_time(merge, members, count):
    assert merge(dhcp4(*members)).servers_at_work == count


def test_a_host_by_two_spellings_is_one(merge):
    assert merge(dhcp4(MYSQL), dhcp4(MYSQL.replace("db.", "DB."))).servers == 2
