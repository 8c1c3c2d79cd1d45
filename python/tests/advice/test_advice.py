# SPDX-License-Identifier: ISC
"""Advice for a Kea configuration: its clients, what can expire, and which parameters to change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kea_files import (
    DDNS,
    MYSQL,
    NEVER_RECLAIM,
    PGSQL,
    POOL,
    dhcp4,
    dhcp6,
    ha,
    pools,
    threads,
    write,
)

from ubench.report.advice import advice, population, reading, sharing, store_rules
from ubench.report.advice.machine import UNKNOWN_MACHINE, Machine
from ubench.report.advice.population import Counted, Harm, Population, Reclaiming
from ubench.report.advice.rule import Facts
from ubench.report.capacity.site import Demand, Site

SILENT = '"send-lease-updates": false'
NO_SYNC = '"sync-leases": false'
HOME = pools("10.0.0.10 - 10.0.0.44")


@pytest.fixture
def clients(tmp_path):
    """The clients of a configuration."""

    def clients(text, given=None):
        return Population(reading.read_configuration(write(tmp_path, text)), given)

    return clients


@pytest.fixture
def advised(clients):
    """The changes for a configuration, as (parameter, value, place)."""

    def advised(*members, given=None, fast_enough=None, machine=UNKNOWN_MACHINE):
        found = clients(dhcp4(*members), given)
        changes = advice.changes(Facts(found.configuration, found, fast_enough, machine))
        return [
            (change.parameter.name, change.value, change.parameter.place) for change in changes
        ]

    return advised


# ---- Clients


RESERVED = (
    '"subnet4": [{"pools": [{"pool": "10.0.0.10 - 10.0.0.19"}], "reservations": ['
    '{"ip-address": "10.0.0.12"}, {"ip-address": "10.0.0.99"}]}]'
)


@pytest.mark.parametrize(
    ("text", "given", "count", "counted"),
    [
        (dhcp4(), None, 0, Counted.NOTHING),
        (dhcp4(POOL), None, 65536, Counted.ADDRESSES),
        (dhcp4(RESERVED), None, 11, Counted.ADDRESSES_AND_RESERVATIONS),
        (dhcp4('"reservations": [{"ip-address": "10.0.0.9"}]'), None, 1, Counted.RESERVATIONS),
        (dhcp4(POOL), 2000, 2000, Counted.GIVEN),
        (dhcp4(), 2000, 2000, Counted.GIVEN),
        (dhcp4(RESERVED), 2000, 2000, Counted.GIVEN_BEYOND_FILE),
        (
            dhcp6('"subnet6": [{"pools": [{"pool": "2001:db8::/64"}]}]'),
            None, 0, Counted.LARGE_POOLS,
        ),
        (
            dhcp6('"subnet6": [{"pools": [{"pool": "2001:db8::/120"}], "pd-pools": [{'
                  '"prefix": "2001:db8::", "prefix-len": 56, "delegated-len": 64}]}]'),
            None, 512, Counted.ADDRESSES,
        ),
    ],
)  # fmt: skip
def test_how_many_clients_there_are(clients, text, given, count, counted):
    found = clients(text, given)
    assert (found.clients, found.counted) == (count, counted)
    assert found.site(Site()).clients == (count or None)


def test_times_are_those_of_the_subnets_with_clients(clients):
    found = clients(
        dhcp4(
            '"renew-timer": 1200',
            '"subnet4": [{"valid-lifetime": 30}]',
            '"shared-networks": [{"valid-lifetime": 1200, "subnet4": '
            '[{"pools": [{"pool": "10.0.0.1 - 10.0.0.9"}]}]}]',
        )
    )
    assert (found.lease_s, found.renew_s) == (1200, 600)


def test_the_mean_time_gives_the_sum_of_the_rates(clients):
    subnets = (
        '"subnet4": [{"pools": [{"pool": "10.0.0.1 - 10.0.0.90"}], "renew-timer": 30},'
        '{"pools": [{"pool": "10.0.1.1 - 10.0.1.10"}], "renew-timer": 1000}]'
    )
    found = clients(dhcp4(subnets))
    site = found.site(Site())
    assert site.required(Demand.RENEWALS, found.clients) == pytest.approx(90 / 30 + 10 / 1000)


# ---- Expired leases


@pytest.mark.parametrize(
    ("text", "expiring"),
    [
        (dhcp4(pools("10.0.0.10 - 10.0.0.209", valid_lifetime=600)), 200),
        (dhcp4(pools("10.0.0.10 - 10.0.0.209", valid_lifetime=7200)), 100),
        (dhcp4(pools("10.0.0.9 - 10.0.0.9", valid_lifetime=604800)), 1),
        (dhcp4(pools("10.0.0.10 - 10.0.0.209", valid_lifetime=0xFFFFFFFF)), 0),
        (dhcp4(), 0),
    ],
)
def test_leases_that_expire_in_an_hour(clients, text, expiring):
    assert clients(text).expiring_in_an_hour() == expiring


@pytest.mark.parametrize(
    ("members", "limit", "per_hour"),
    [
        ("", Reclaiming.LEASES, 36000),
        ('"reclaim-timer-wait-time": 0', Reclaiming.NEVER, 0),
        ('"reclaim-timer-wait-time": 1, "max-reclaim-leases": 7', Reclaiming.LEASES, 25200),
        ('"max-reclaim-leases": 0', Reclaiming.TIME, None),
        ('"max-reclaim-leases": 0, "max-reclaim-time": 0', Reclaiming.UNLIMITED, None),
    ],
)
def test_leases_that_kea_reclaims(clients, members, limit, per_hour):
    text = dhcp4(f'"expired-leases-processing": {{{members}}}')
    expiration = clients(text).configuration.expiration
    assert population.reclaiming(expiration) is limit
    assert population.reclaimed_per_hour(expiration) == per_hour


@pytest.mark.parametrize(
    ("members", "harm"),
    [
        ([], Harm.NONE),
        ([DDNS], Harm.NAMES),
        (['"allocator": "flq"'], Harm.ALLOCATOR),
        ([DDNS, '"allocator": "flq"'], Harm.BOTH),
    ],
)
def test_the_harm_of_expired_leases(clients, members, harm):
    assert population.harm(clients(dhcp4(*members)).configuration) is harm


# ---- Changes


@pytest.mark.parametrize(
    "members",
    [
        [],
        [HOME],
        [POOL],
        [ha()],
        [HOME, ha(), '"valid-lifetime": 600'],
        [ha(), '"valid-lifetime": 600', POOL],
        [ha("passive-backup", '"peers": [{"role": "backup"}]')],
        [ha(), '"valid-lifetime": 600', POOL, DDNS, '"ddns-send-updates": false'],
    ],
)
def test_nothing_is_advised_without_harm(advised, members):
    assert advised(*members) == []


@pytest.mark.parametrize(
    ("members", "first"),
    [
        (
            [ha().partition(", {")[0] + "]"],
            ("hooks-libraries", "add libdhcp_lease_cmds.so", "line 1"),
        ),
        ([ha("hot-standby", SILENT)], ("send-lease-updates", "true", "line 1")),
        ([ha("hot-standby", SILENT), MYSQL], ("sync-leases", "false", "")),
        ([ha("hot-standby", NO_SYNC), MYSQL], ("send-lease-updates", "false", "")),
        ([ha(), MYSQL], ("send-lease-updates", "false, and sync-leases: false", "")),
        (
            [ha("hot-standby", SILENT, NO_SYNC), MYSQL, '"allocator": "flq"'],
            ("allocator", "random", "line 3"),
        ),
        (
            [ha("hot-standby", '"heartbeat-delay": 10000, "max-response-delay": 10000')],
            ("max-response-delay", "60000", "line 1"),
        ),
        ([MYSQL], ("max-reconnect-tries", "10, with reconnect-wait-time: 5000", "")),
        (
            [MYSQL.replace("}", ', "reconnect-wait-time": 9}')],
            ("max-reconnect-tries", "10", ""),
        ),
        ([PGSQL], ("reconnect-wait-time", "5000", "")),
        (
            ['"lease-database": {"type": "memfile",\n"persist": false}'],
            ("persist", "true", "line 2"),
        ),
        (
            ['"lease-database": {"type": "memfile", "name": "/run/kea/leases4.csv"}'],
            ("name", "a file on a disk", "line 1"),
        ),
        (
            [POOL, '"lease-database": {"type": "memfile", "lfc-interval": 0}'],
            ("lfc-interval", "3600", "line 2"),
        ),
        ([NEVER_RECLAIM], ("reclaim-timer-wait-time", "10", "line 1")),
        ([POOL, '"valid-lifetime": 600', DDNS], ("reclaim-timer-wait-time", "5", "")),
        (
            ['"multi-threading": {"packet-queue-size": 0}'],
            ("packet-queue-size", "64", "line 1"),
        ),
        (['"dhcp-queue-control": {"enable-queue": true}'], ("enable-queue", "false", "line 1")),
        ([ha(), '"cache-threshold": 0.6'], ("cache-threshold", "0.25", "line 2")),
        (['"renew-timer": 900'], ("cache-threshold", "0.062", "")),
    ],
)
def test_the_first_change(advised, members, first):
    assert advised(*members)[0] == first


def test_more_leases_than_a_cycle_a_second_reclaims(advised):
    (change,) = advised(pools("10.0.0.0/8"), DDNS, '"valid-lifetime": 600')
    assert change == ("reclaim-timer-wait-time", "1, with max-reclaim-leases: 4700", "")


@pytest.mark.parametrize(
    ("members", "fast_enough", "change"),
    [
        ([POOL], None, ("thread-pool-size", "12", "")),
        ([POOL, threads(1)], None, ("thread-pool-size", "12", "line 3")),
        ([POOL, threads(4)], None, None),
        ([POOL], True, None),
        ([POOL], False, ("thread-pool-size", "12", "")),
        ([HOME], None, None),
        (
            [POOL, '"multi-threading": {"enable-multi-threading": false}'],
            None,
            ("enable-multi-threading", "true, with thread-pool-size: 12", "line 3"),
        ),
    ],
)
def test_threads_for_a_database(advised, members, fast_enough, change):
    found = advised(MYSQL, *members, fast_enough=fast_enough)
    about_threads = [each for each in found if each[0].endswith(("pool-size", "multi-threading"))]
    assert about_threads == ([change] if change else [])


def test_leases_are_to_last_longer_if_the_store_is_too_slow(advised):
    changes = advised(PGSQL, POOL, fast_enough=False)
    assert ("valid-lifetime", "longer, or another lease-database", "") in changes
    assert "valid-lifetime" not in [name for name, _, _ in advised(PGSQL, POOL)]


@pytest.mark.parametrize(
    ("members", "machine", "value"),
    [
        ([HOME], Machine(8, 0.5), "1"),
        ([HOME], Machine(8, 2.5), "3"),
        ([HOME], Machine(2, 2.0), None),
        ([HOME], Machine(8, None), None),
        ([HOME, threads(4)], Machine(8, 0.5), None),
        ([HOME, '"multi-threading": {"enable-multi-threading": false}'], Machine(8, 0.5), None),
    ],
)
def test_threads_of_a_container(advised, members, machine, value):
    changes = advised(*members, machine=machine)
    expected = [("thread-pool-size", value, "line 2" if len(members) > 1 else "")]
    assert changes == (expected if value else [])


@pytest.mark.parametrize(
    ("allocator", "servers", "advised"),
    [
        ("iterative", 2, ["random"]),
        ("flq", 2, ["random"]),
        ("random", 2, []),
        ("shared-flq", 2, []),
        ("iterative", 1, []),
    ],
)
def test_the_allocator_of_several_servers(clients, allocator, servers, advised):
    found = clients(dhcp4(POOL, MYSQL, f'"allocator": "{allocator}"'))
    configuration = sharing.as_servers(found.configuration, servers)
    changes = advice.changes(Facts(configuration, found))
    assert [each.value for each in changes if each.parameter.name == "allocator"] == advised


def test_a_file_in_the_layer_of_a_container(clients):
    found = clients(dhcp4(POOL, '"lease-database": {"type": "memfile", "name": "/x/leases"}'))
    database = found.configuration.lease_database
    values = {"overlay": "a file on a volume", "tmpfs": "a file on a disk", "ext4": ""}
    for kind, value in values.items():
        placed = replace(
            found.configuration, lease_database=replace(database, file_system=kind)
        )
        changes = advice.changes(Facts(placed, found))
        assert [change.value for change in changes] == ([value] if value else [])


def test_every_rule_fills_its_sentence(clients):
    database = MYSQL.replace("}", ', "on-fail": "serve-retry-exit"}')
    subnets = pools("10.0.0.0/8", valid_lifetime=600, renew_timer=60)
    found = clients(dhcp4(database, ha(), subnets, DDNS, '"allocator": "flq"'))
    for rule in (*advice.PAIR_RULES, *advice.OTHER_RULES):
        change = rule.change(Facts(found.configuration, found))
        assert "{" not in change.value + change.reason


def test_growth_of_the_lease_file(clients):
    found = clients(dhcp4(POOL, '"lease-database": {"type": "memfile", "lfc-interval": 0}'))
    growth_mb = store_rules.growth_mb(Facts(found.configuration, found))
    assert growth_mb == pytest.approx(157.29, abs=0.01)


@pytest.mark.parametrize(
    ("members", "small_sites_too", "wants"),
    [
        ([POOL], False, True),
        ([HOME], False, False),
        ([HOME], True, True),
        ([POOL, MYSQL], True, False),
        ([POOL, ha()], True, False),
    ],
)
def test_a_second_copy_of_leases(clients, members, small_sites_too, wants):
    found = clients(dhcp4(*members))
    facts = Facts(found.configuration, found)
    assert advice.wants_second_copy(facts, small_sites_too) == wants
