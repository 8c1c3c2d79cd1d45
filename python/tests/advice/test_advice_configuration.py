# SPDX-License-Identifier: ISC
"""The parameters of a Kea configuration: values, defaults, places, and what follows from them."""

from __future__ import annotations

import random
import re

import pytest
from kea_files import DDNS, MYSQL, PGSQL, POOL, SECRET, dhcp4, dhcp6, ha, pools, threads, write

from ubench.errors import Problem
from ubench.kea_config.members import Members
from ubench.report.advice import addresses, defaults, losses, reading
from ubench.report.advice.addresses import Range
from ubench.report.advice.losses import Keeper, MachineLoss


@pytest.fixture
def read(tmp_path):
    """Reads a text as a configuration."""
    return lambda text: reading.read_configuration(write(tmp_path, text))


# ---- Values, places and defaults


def test_a_parameter_has_the_value_and_the_place_of_the_file(read):
    site = read(dhcp4('"lease-database": {\n"type": "memfile",\n"persist": false}'))
    persist = site.lease_database.persist
    assert (persist.name, persist.value, persist.place) == ("persist", False, "line 3")
    assert persist.default is None


def test_a_parameter_has_keas_default(read):
    site = read(dhcp4())
    tries = site.lease_database.max_reconnect_tries
    assert (tries.value, tries.place, tries.default) == (0, "", defaults.Default(0))
    assert site.lease_database.kind == "memfile"
    assert site.multi_threading.threads is None
    assert site.hooks.place == ""


def test_defaults_that_a_release_changed():
    threading = defaults.find_default("multi-threading", "enable-multi-threading")
    assert (threading.value, threading.since, threading.before) == (True, "2.3.5", False)
    cache = defaults.find_default("subnet", "cache-threshold")
    assert (cache.value, cache.since, cache.before) == (0.25, "3.0", None)


def test_every_default_has_a_source_and_a_value_for_the_oldest_release():
    for names in defaults.read_defaults()["parameters"].values():
        for entry in names.values():
            assert entry["source"]
            assert entry["values"][0]["since"] == "2.2"


def test_recommended_threads():
    assert defaults.recommended_threads("mysql", 4) == 12
    assert defaults.recommended_threads("postgresql", 6) == 6


def test_an_included_file_is_named(tmp_path):
    write(tmp_path, '"valid-lifetime": 9', "lease.json")
    site = reading.read_configuration(write(tmp_path, dhcp4('<?include "lease.json"?>')))
    assert site.subnets[0].valid_lifetime.place == "lease.json:1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"valid-lifetime":\n"90"', '1: valid-lifetime is "90"; expected a whole number from 0'),
        ('"valid-lifetime": 4294967296', "expected a whole number from 0 to 4,294,967,295"),
        ('"cache-threshold": 1', "expected a number from 0 up to 1, without 1"),
        ('"multi-threading": {"thread-pool-size": 65536}', "from 0 to 65,535"),
        ('"lease-database": {"type": "cql"}', '"cql"; expected memfile, mysql or postgresql'),
        ('"lease-database": {"persist": 1}', "persist is 1; expected true or false"),
        ('"subnet4": {}', "subnet4 is a map; expected a list"),
        ('"subnet6": []', "subnet6 is a list; expected subnet4 in Dhcp4"),
        (ha().replace('"hot-standby"', "5"), "mode is 5; expected load-balancing, hot-standby or"),
        (ha("hot"), 'mode is "hot"; expected load-balancing, hot-standby or passive-backup'),
        (pools("10.0.0.9 - 10.0.0.1"), 'pool is "10.0.0.9 - 10.0.0.1"; expected two IPv4'),
        (pools("2001:db8::/64"), "expected two IPv4 addresses"),
        (pools("192.0.2.0 - 2001:db8::1"), "expected two IPv4 addresses"),
        (pools("10.0.0.0/33"), "expected two IPv4 addresses"),
        (pools("10.0.0.0"), "expected two IPv4 addresses"),
        ('"subnet4": [{"pools": [{}]}]', 'expected pools that each have a "pool"'),
        (
            pools("10.0.0.0/24", "10.0.0.9 - 10.0.1.9"),
            "1: 10.0.0.9 is in two of the pools; expected pools that do not overlap",
        ),
        (
            '"subnet4": [{"pd-pools": [{"prefix-len": 56, "delegated-len": 64}]}]',
            "expected pools of addresses: Dhcp4 delegates no prefixes",
        ),
        (
            '"subnet4": [{"reservations": [{"ip-address": "2001:db8::1"}]}]',
            'ip-address is "2001:db8::1"; expected IPv4 addresses',
        ),
        (
            '"subnet4": [{"reservations": [{"ip-address": "10.0.0.9/24"}]}]',
            'ip-address is "10.0.0.9/24"; expected IPv4 addresses',
        ),
        (
            '"lease-database": <?include "/no/db.json"?>',
            "1: lease-database is in /no/db.json, which is not on this machine; expected a copy",
        ),
        (
            '"lease-database": {<?include "/no/db.json"?>}',
            "1: lease-database has no type; expected it here, or a copy next to this file of what "
            "it includes (/no/db.json)",
        ),
    ],
)
def test_values_that_kea_refuses(read, text, message):
    with pytest.raises(Problem, match=re.escape(message)):
        read(dhcp4(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"subnet6": [{"pools": [{"pool": "192.0.2.0/24"}]}]', "expected two IPv6 addresses"),
        ('"t1-percent": 1e308', "t1-percent is 1e+308; expected a number between 0 and 1"),
        (
            '"subnet6": [{"pd-pools": [{"delegated-len": 56, "prefix-len": 64}]}]',
            "delegated-len is 56; expected a number from prefix-len, 64, to 128",
        ),
        (
            '"subnet6": [{"pd-pools": [{"prefix": "2001:db8::", "delegated-len": 56}]}]',
            'expected pools that each have a "prefix-len" and a "delegated-len"',
        ),
        (
            '"subnet6": [{"reservations": [{"ip-addresses": [], "prefixes": ["x"]}]}]',
            "prefixes is a list; expected IPv6 addresses",
        ),
    ],
)
def test_values_that_kea_refuses_of_ipv6(read, text, message):
    with pytest.raises(Problem, match=re.escape(message)):
        read(dhcp6(text))


@pytest.mark.parametrize(
    "database",
    [
        '[{"type": "mysql", "password": "hunter2"}]',
        '{"type": "mysql", "host": {"password": "hunter2"}}',
        '{"type": "hunter2", "password": "mysql"}',
        '"mysql://root:hunter2@db.example.net/kea"',
        '{"type": "password=hunter2"}',
        '{"persist": "hunter2", "user": "kea"}',
    ],
)
def test_no_value_beside_a_password_is_printed(read, database):
    with pytest.raises(Problem) as problem:
        read(dhcp4(f'"lease-database": {database}'))
    assert SECRET not in str(problem.value)


# ---- Addresses


@pytest.mark.parametrize(
    ("text", "family", "first", "size"),
    [
        ("10.0.0.10 - 10.0.0.19", 4, 0x0A00000A, 10),
        ("10.0.0.9-10.0.0.9", 4, 0x0A000009, 1),
        ("10.0.0.77/24", 4, 0x0A000000, 256),
        ("10.0.0.77/32", 4, 0x0A00004D, 1),
        ("0.0.0.0/0", 4, 0, 1 << 32),
        (" 2001:db8::1 -\t2001:db8::ff", 6, (0x20010DB8 << 96) + 1, 255),
        ("2001:db8::/64", 6, 0x20010DB8 << 96, 1 << 64),
    ],
)
def test_ranges(text, family, first, size):
    parsed = addresses.parse_range(text, family)
    assert (parsed.first, parsed.size) == (first, size)


def test_addresses_outside_of_ranges():
    chance = random.Random(3)
    for _ in range(200):
        ends = sorted(chance.sample(range(60), 2 * chance.randrange(5)))
        ranges = [Range(*pair) for pair in zip(ends[::2], ends[1::2], strict=True)]
        wanted = chance.choices(range(60), k=9)
        outside = [
            address
            for address in wanted
            if not any(pool.first <= address <= pool.last for pool in ranges)
        ]
        assert addresses.count_outside(wanted, ranges) == len(outside)


def test_delegated_prefixes():
    pool = Members({"prefix-len": 56, "delegated-len": 64})
    assert addresses.delegated_prefixes(Members({"pd-pools": [pool, pool]}), 6) == 512


def test_pools_of_prefixes():
    pool = Members({"prefix": "2001:db8:ff::", "prefix-len": 40, "delegated-len": 56})
    ((addressed, prefixes),) = addresses.prefix_pools(Members({"pd-pools": [pool]}), 6)
    assert addressed.first == addresses.parse_address("2001:db8::", 6)
    assert (addressed.size, prefixes) == (1 << 88, 1 << 16)
    for members, message in (
        ({**pool, "prefix": "10.0.0.0"}, "expected an IPv6 address"),
        ({"prefix-len": 40, "delegated-len": 56}, 'expected pools that each have a "prefix"'),
    ):
        subnet = Members({"pd-pools": [Members(members)]})
        with pytest.raises(Problem, match=message):
            list(addresses.prefix_pools(subnet, 6))


def test_reservations_count_outside_of_the_pools(read):
    site = read(
        dhcp4(
            '"reservations": [{"ip-address": "10.0.0.13"}, {"ip-address": "192.0.2.1"}]',
            '"subnet4": [{"pools": [{"pool": "10.0.0.10 - 10.0.0.19"}], "reservations": ['
            '{"ip-address": "10.0.0.12"}, {"ip-address": "10.0.0.99"}, {"hostname": "h"}]}]',
        )
    )
    assert (site.subnets[0].addresses, site.subnets[0].reserved) == (10, 1)
    assert site.reserved_globally == 1


# ---- Subnets


def test_subnets_inherit(read):
    site = read(
        dhcp4(
            '"valid-lifetime": 7200, "cache-threshold": 0.1',
            '"subnet4": [{"valid-lifetime": 604800}]',
            '"shared-networks": [{"valid-lifetime": 600, "subnet4": [{"cache-threshold": 0.2}]}]',
        )
    )
    first, second = site.subnets
    assert (first.valid_lifetime.value, first.cache_threshold.value) == (604800, 0.1)
    assert (second.valid_lifetime.value, second.cache_threshold.value) == (600, 0.2)
    assert (second.valid_lifetime.place, second.cache_threshold.place) == ("line 3", "line 3")
    assert first.cache_threshold.place == "line 1"


def test_without_subnets_there_is_one_with_what_holds_for_all(read):
    (subnet,) = read(dhcp4('"valid-lifetime": 90')).subnets
    assert (subnet.lifetime_s, subnet.clients) == (90, 0)


@pytest.mark.parametrize(
    ("text", "renewal_s"),
    [
        (dhcp4(), 3600),
        (dhcp4('"renew-timer": 900'), 900),
        (dhcp4('"renew-timer": 7200'), 3600),  # Kea sends no T1 that is not below the lifetime
        (dhcp4('"valid-lifetime": 1'), 1),
        (dhcp4('"calculate-tee-times": true, "t1-percent": 0.4'), 2880),
        (dhcp4('"t1-percent": 0.4'), 3600),
        (dhcp6(), 2250),  # half of 0.625 of the valid lifetime
        (dhcp6('"preferred-lifetime": 1000'), 500),
        (dhcp6('"preferred-lifetime": 1000, "t1-percent": 0.4'), 400),
        (dhcp6('"preferred-lifetime": 0'), 2250),
        (dhcp6('"preferred-lifetime": 9000'), 3600),  # not longer than the valid lifetime
        (dhcp6('"preferred-lifetime": 1000, "calculate-tee-times": false'), 500),
    ],
)
def test_when_a_client_renews(read, text, renewal_s):
    assert read(text).subnets[0].renewal_s == renewal_s


@pytest.mark.parametrize(
    ("text", "is_cached"),
    [
        ("", False),  # half of the lifetime is later than a quarter
        ('"cache-threshold": 0.6', True),
        ('"renew-timer": 900', True),
        ('"renew-timer": 1800', False),
        ('"cache-threshold": 0.6, "cache-max-age": 3600', False),
        ('"cache-threshold": 0.6, "valid-lifetime": 4294967295', False),
    ],
)
def test_renewals_that_are_cached(read, text, is_cached):
    assert read(dhcp4(text) if text else dhcp4()).subnets[0].is_cached == is_cached


# ---- Databases, threads, servers that share leases


@pytest.mark.parametrize(
    ("host", "remote_host"),
    [
        ("", ""),
        ("localhost", ""),
        ("127.0.0.1", ""),
        ("::1", ""),
        ("/run/mysqld/mysqld.sock", ""),
        ("192.0.2.9", "192.0.2.9"),
        ("db.example.net", "db.example.net"),
        ("x" * 60, "..." + "x" * 37),
    ],
)
def test_where_the_database_is(read, host, remote_host):
    site = read(dhcp4(f'"lease-database": {{"type": "mysql", "host": "{host}"}}'))
    assert site.lease_database.remote_host == remote_host
    memfile = read(dhcp4(f'"lease-database": {{"type": "memfile", "host": "{host}"}}'))
    assert memfile.lease_database.remote_host == ""


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (dhcp4(), None),
        (dhcp4(threads(0)), None),
        (dhcp4(threads(12)), 12),
        (dhcp4('"multi-threading": {"enable-multi-threading": false}'), 1),
    ],
)
def test_threads(read, text, count):
    assert read(text).multi_threading.threads == count


SILENT = '"send-lease-updates": false'
BACKUP = '"peers": [{"role": "backup"}]'


@pytest.mark.parametrize(
    ("members", "is_pair", "shares_database", "keeper", "loss"),
    [
        ([], False, False, Keeper.FILE, MachineLoss.ALL),
        (
            ['"lease-database": {"type": "memfile", "persist": false}'],
            False, False, Keeper.MEMORY, MachineLoss.ALL,
        ),
        ([MYSQL], False, False, Keeper.MYSQL, MachineLoss.DATABASE),
        ([PGSQL], False, False, Keeper.POSTGRESQL, MachineLoss.DATABASE),
        ([ha()], True, False, Keeper.FILE, MachineLoss.PARTNER),
        ([ha(), MYSQL], True, False, Keeper.MYSQL, MachineLoss.PARTNER),
        ([ha("load-balancing", SILENT)], False, False, Keeper.FILE, MachineLoss.ALL),
        ([ha("hot-standby", SILENT), MYSQL], False, True, Keeper.MYSQL,
         MachineLoss.SHARED_ELSEWHERE),
        ([ha("hot-standby", SILENT), PGSQL], False, True, Keeper.POSTGRESQL,
         MachineLoss.SHARED_HERE),
        ([ha("passive-backup")], False, False, Keeper.FILE, MachineLoss.ALL),
        ([ha("passive-backup", BACKUP)], False, False, Keeper.FILE, MachineLoss.BACKUP_LATE),
        (
            [ha("passive-backup", BACKUP, '"wait-backup-ack": true')],
            False, False, Keeper.FILE, MachineLoss.BACKUP,
        ),
    ],
)  # fmt: skip
def test_what_a_crash_loses(read, members, is_pair, shares_database, keeper, loss):
    site = read(dhcp4(*members))
    assert (site.is_pair, site.shares_database) == (is_pair, shares_database)
    assert (losses.lease_keeper(site), losses.machine_loss(site)) == (keeper, loss)


@pytest.mark.parametrize(
    ("members", "updates_dns"),
    [
        ([POOL], False),
        ([DDNS, POOL], True),
        ([DDNS, POOL, '"ddns-send-updates": false'], False),
        ([DDNS, '"subnet4": [{"ddns-send-updates": false}, {}]'], True),
        (['"dhcp-ddns": {"enable-updates": false}', POOL], False),
    ],
)
def test_dns_updates(read, members, updates_dns):
    assert read(dhcp4(*members)).updates_dns == updates_dns


def test_what_is_not_read(read):
    site = read(
        dhcp4(
            '"config-control": {"config-databases": [{"type": "mysql"}]}',
            '"hosts-database": {"type": "mysql"}',
            '"client-classes": [{"name": "a", "valid-lifetime": 60, "min-valid-lifetime": 9},'
            '{"name": "b"}, {"name": "c", "max-valid-lifetime": 30}]',
        )
    )
    assert site.config_databases == "line 1"
    assert [(each.name, each.place) for each in site.host_databases] == [
        ("hosts-database", "line 2")
    ]
    assert site.class_lifetimes == (60, 30)
