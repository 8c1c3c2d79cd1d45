# SPDX-License-Identifier: ISC
"""The configurations of servers, of our own and of a site."""

from __future__ import annotations

from pathlib import Path

import pytest
from dhcp_samples import kea_map, plan

from ubench.dhcp import site
from ubench.dhcp.addresses import leases_of_others, plan_subnets
from ubench.dhcp.config import (
    DatabaseAccess,
    Surroundings,
    dhcpd_config,
    hook_libraries,
    kea_config,
    set_member,
)
from ubench.dhcp.site import LeaseCache, SiteConfiguration, lease_cache
from ubench.errors import Problem
from ubench.kea_config.members import Members

DATABASES = {kind: DatabaseAccess(4711, "ubench", "secret") for kind in ("mysql", "pgsql")}
OURS = {
    "lease-database": {"type": "memfile", "persist": True},
    "hooks-libraries": [],
    "subnet4": [{"id": 1, "subnet": "10.0.0.0/8", "pools": []}],
}


def around(tmp_path, members=None):
    file = SiteConfiguration("kea-dhcp4.conf", 4, members) if members is not None else None
    return Surroundings(tmp_path / "server1", tmp_path, DATABASES, file)


def server(tmp_path, number=1, **members):
    """The members of Dhcp4 or Dhcp6."""
    (config,) = kea_config(plan(**members), number, around(tmp_path)).values()
    return config


def hook(path):
    return kea_map(library=path)


# ---- Addresses


def test_the_pools_of_load_balancing_are_halves(tmp_path):
    (subnet,) = server(tmp_path, ha="load-balancing", pool=10)["subnet4"]
    assert subnet["pools"] == [
        {"pool": "10.1.0.0 - 10.1.0.4", "client-class": "HA_server1"},
        {"pool": "10.1.0.5 - 10.1.0.9", "client-class": "HA_server2"},
    ]


@pytest.mark.parametrize("family", [4, 6])
def test_subnets_have_pools_relays_and_reservations_of_their_own(family):
    many = plan_subnets(plan(family=family, subnets=3, pool=60, reservations=7, hosts="config"))
    networks = [subnet.network for subnet in many]
    assert len(set(networks)) == 3
    for subnet in many:
        assert subnet.relay in subnet.network
        assert all(pool.last in subnet.network for pool in subnet.pools)
        assert all(int(pool.last) - int(pool.first) == 19 for pool in subnet.pools)
    hosts = [host for subnet in many for host in subnet.reservations]
    assert len({host.mac for host in hosts}) == len(hosts) == 7
    assert all((host.address is None) == (family == 6) for host in hosts)


def test_no_reservation_is_in_a_pool():
    for subnet in plan_subnets(plan(subnets=2, pool=100000, reservations=28000)):
        (pool,) = subnet.pools
        reserved = [host.address for host in subnet.reservations]
        assert not any(pool.first <= address <= pool.last for address in reserved)
        assert all(address in subnet.network for address in reserved)


def test_leases_of_others_are_alike_in_all_trials_and_differ_from_each_other():
    some = leases_of_others(plan(pool=1000, leases=300))
    assert some == leases_of_others(plan(pool=1000, leases=300))
    assert len({address for address, _ in some}) == len({mac for _, mac in some}) == 300


def test_in_a_full_pool_the_client_that_shows_that_kea_answers_has_a_lease():
    full = leases_of_others(plan(pool=30, leases=30))
    assert full[0][1] == "0e:00:00:00:00:01"
    assert len(full) == 30


# ---- Our own configuration


@pytest.mark.parametrize("is_there", [True, False])
def test_where_asks_the_kea_that_can_tell(tmp_path, is_there):
    library = tmp_path / "libdhcp_perfmon.so"
    if is_there:
        library.touch()
    config = server(tmp_path, where=True, seconds=10)
    hooks = config["hooks-libraries"]
    assert [hook["library"] for hook in hooks] == ([str(library)] if is_there else [])
    assert ("control-socket" in config) == is_there
    if is_there:
        assert hooks[0]["parameters"]["interval-width-secs"] > 12
    plain = server(tmp_path)
    assert plain["hooks-libraries"] == []
    assert "control-socket" not in plain


def test_the_database_of_the_second_server_is_another_one(tmp_path):
    for number, name in ((1, "kea"), (2, "kea2")):
        database = server(tmp_path, number, store="pgsql", ha="hot-standby")["lease-database"]
        assert database == {
            "type": "postgresql", "name": name, "host": "127.0.0.1", "port": 4711,
            "user": "ubench", "password": "secret",
        }  # fmt: skip


def test_several_servers_differ_in_their_interfaces_alone(tmp_path):
    first, second = (
        server(tmp_path, number, store="mysql", servers=2, allocator="random") for number in (1, 2)
    )
    interfaces = [each.pop("interfaces-config")["interfaces"] for each in (first, second)]
    assert interfaces == [["dhcp1"], ["lan2"]]
    assert first == second
    assert first["allocator"] == "random"
    assert first["lease-database"]["name"] == "kea"


def test_a_server_connects_to_its_node_of_a_cluster(tmp_path):
    databases = {"mysql": DATABASES["mysql"], "mysql2": DatabaseAccess(4712, "ubench", "secret")}
    here = Surroundings(tmp_path / "server1", tmp_path, databases)
    cluster = plan(store="mysql", servers=3, nodes=2)
    ports = [
        kea_config(cluster, number, here)["Dhcp4"]["lease-database"]["port"]
        for number in cluster.server_numbers
    ]
    assert ports == [4711, 4712, 4711]


def test_the_default_allocator_is_not_a_member(tmp_path):
    assert "allocator" not in server(tmp_path, allocator="iterative")


def test_a_password_is_not_in_the_text_of_an_object():
    assert "secret" not in repr(DATABASES)


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"threads": 1}, {"enable-multi-threading": False}),
        (
            {"threads": 4, "queue": 28},
            {
                "enable-multi-threading": True,
                "thread-pool-size": 4,
                "packet-queue-size": 28,
            },
        ),
        ({"threads": None}, None),
    ],
)
def test_threads(tmp_path, members, expected):
    assert server(tmp_path, **members).get("multi-threading") == expected


def test_one_thread_of_a_pair_is_a_pool_of_one(tmp_path):
    assert server(tmp_path, ha="hot-standby")["multi-threading"]["thread-pool-size"] == 1


def test_the_clean_up_of_the_lease_file_comes_soon(tmp_path):
    assert "lfc-interval" not in server(tmp_path)["lease-database"]
    assert server(tmp_path, command="lfc")["lease-database"]["lfc-interval"] == 10


def test_reservations_are_in_the_file_or_in_a_database(tmp_path):
    there = server(tmp_path, reservations=2, hosts="config")
    assert [host["hw-address"] for host in there["subnet4"][0]["reservations"]] == [
        "0a:00:00:00:00:00",
        "0a:00:00:00:00:01",
    ]
    elsewhere = server(tmp_path, reservations=2, hosts="mysql")
    assert "reservations" not in elsewhere["subnet4"][0]
    assert elsewhere["hosts-database"]["type"] == "mysql"


def test_ipv6_names_the_interface_and_the_directory(tmp_path):
    config = server(tmp_path, number=2, family=6)
    assert config["subnet6"][0]["interface"] == "dhcp2"
    assert config["data-directory"] == str(tmp_path / "server1")


def test_client_classes_have_tests(tmp_path):
    names = {each["name"]: each["test"] for each in server(tmp_path, classes=8)["client-classes"]}
    assert len(names) == 8
    assert names["class7"] == "substring(pkt4.mac,1,1) == 0x07"


def test_hook_libraries_of_databases_are_loaded_where_kea_has_them(tmp_path):
    needed = plan(store="pgsql", hook="park", hook_ms=5)
    assert [Path(each["library"]).name for each in hook_libraries(needed, 1, around(tmp_path))] == [
        "ubench_hook.so"
    ]
    (tmp_path / "libdhcp_pgsql.so").touch()
    first, second = hook_libraries(needed, 1, around(tmp_path))
    assert Path(first["library"]).name == "libdhcp_pgsql.so"
    assert second["parameters"] == {"mode": "park", "delay-ms": 5}


def test_dhcpd_has_the_same_pool():
    text = dhcpd_config(plan(server="dhcpd", store="dhcpd", pool=50, delayed_ack=28))
    assert "range 10.1.0.0 10.1.0.49;" in text
    assert "delayed-ack 28;" in text


# ---- --set


def test_a_member_is_set_wherever_it_is():
    config = {"a": 1, "subnet4": [{"id": 1}]}
    set_member(config, "a", 2)
    set_member(config, "subnet4.0.allocator", "random")
    set_member(config, "new.inner", True)
    set_member(config, "cache-threshold", 0)
    assert config == {
        "a": 2,
        "subnet4": [{"id": 1, "allocator": "random"}],
        "new": {"inner": True},
        "cache-threshold": 0.0,
    }
    assert isinstance(config["cache-threshold"], float)  # Kea refuses a whole number


@pytest.mark.parametrize("path", ["subnet4.7.id", "subnet4.x.id", "a.b"])
def test_a_path_that_leads_nowhere(path):
    with pytest.raises((LookupError, ValueError, AttributeError, TypeError)):
        set_member({"a": 1, "subnet4": [{"id": 1}]}, path, 0)


# ---- A site's configuration


def test_only_the_connection_of_its_database_is_replaced(tmp_path):
    theirs = kea_map(lease_database=Members({"type": "mysql", "host": "db1", "lfc-interval": 9}))
    assert site.merged(theirs, OURS, 4, tmp_path)["lease-database"] == {
        "type": "memfile",
        "persist": True,
        "lfc-interval": 9,
    }
    assert site.replaced(theirs, 4) == ["lease-database: type", "lease-database: host"]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ([], "10.0.0.0/8"),
        (["10.0.0.0/8"], "10.0.0.0/7"),
        (["10.1.2.3/8", "10.0.0.0/7"], "8.0.0.0/6"),
    ],
)
def test_no_two_subnets_have_one_prefix(tmp_path, theirs, ours):
    server = kea_map(subnet4=[kea_map(subnet=prefix) for prefix in theirs])
    merged = site.merged(server, OURS, 4, tmp_path)["subnet4"]
    assert [subnet["subnet"] for subnet in merged] == [*theirs, ours]


def test_the_subnet_of_the_clients_is_like_the_first_one(tmp_path):
    first = kea_map(id=7, subnet="192.0.2.0/24", pools=[], renew_timer=900, interface="eth0")
    server = kea_map(shared_networks=[kea_map(name="n", interface="eth0", subnet4=[first])])
    merged = site.merged(server, OURS, 4, tmp_path)
    assert merged["subnet4"] == [
        {
            "id": 8,
            "subnet": "10.0.0.0/8",
            "pools": [],
            "renew-timer": 900,
            "relay": {"ip-addresses": ["10.0.0.9"]},
        }
    ]
    (network,) = merged["shared-networks"]
    assert "interface" not in network
    assert "interface" not in network["subnet4"][0]
    assert "interface" in first  # the site's own map is as it was


def test_a_hook_library_that_is_absent_is_left_out(tmp_path):
    names = ("radius", "stat_cmds", "lease_cmds")
    server = kea_map(hooks_libraries=[hook(f"/opt/kea/libdhcp_{name}.so") for name in names])
    present = tmp_path / "libdhcp_stat_cmds.so"
    present.touch()
    assert site.present_libraries(server, tmp_path) == [{"library": str(present)}]
    assert site.absent_libraries(server, tmp_path) == ["libdhcp_radius.so"]
    assert site.merged(server, OURS, 4, tmp_path)["hooks-libraries"] == [{"library": str(present)}]


@pytest.mark.parametrize("has_pair", [True, False])
def test_a_pair_updates_itself_as_that_of_the_site(tmp_path, has_pair):
    pair = kea_map(
        this_server_name="a",
        mode="hot-standby",
        peers=[],
        heartbeat_delay=9,
        send_lease_updates=False,
        sync_leases=False,
    )
    library = hook("/x/libdhcp_ha.so")
    library["parameters"] = kea_map(high_availability=[pair])
    server = kea_map(hooks_libraries=[library] if has_pair else [])
    wanted = plan(ha="load-balancing", threads=4)
    *_, ha = hook_libraries(wanted, 1, around(tmp_path, server))
    (relationship,) = ha["parameters"]["high-availability"]
    assert relationship.get("send-lease-updates") == (False if has_pair else None)
    assert relationship.get("sync-leases") == (False if has_pair else None)
    assert relationship["mode"] == "load-balancing"
    assert relationship["this-server-name"] == "server1"
    assert relationship["heartbeat-delay"] == 1000


def test_a_pair_always_has_threads(tmp_path):
    here = around(tmp_path, kea_map(multi_threading=kea_map(enable_multi_threading=False)))
    config = kea_config(plan(ha="hot-standby", threads=None), 1, here)["Dhcp4"]
    assert config["multi-threading"]["enable-multi-threading"] is True


def test_a_file_that_kea_would_refuse_names_its_line(tmp_path):
    path = tmp_path / "kea.conf"
    path.write_text('{ "Dhcp4": {\n"hooks-libraries": [1] } }')
    with pytest.raises(Problem, match=r"kea\.conf:2: hooks-libraries"):
        SiteConfiguration.read(str(path))


def test_the_record_of_a_file_is_of_its_members(tmp_path):
    texts = ('{"Dhcp4": {"valid-lifetime": 1, "a": 2}}', '{"Dhcp4": {"a": 2, "valid-lifetime": 1}}')
    records = []
    for text in texts:
        path = tmp_path / "kea.conf"
        path.write_text(f"# a comment {len(records)}\n{text}")
        records.append(SiteConfiguration.read(str(path)).record)
    assert records[0] == records[1]
    assert records[0].file == "kea.conf"


# ---- The lease cache


@pytest.mark.parametrize(
    ("overrides", "version", "threshold", "young_s"),
    [
        ({}, "2.2.0", 0, 0),
        ({}, "3.0.4", 0.25, 21600),
        ({"cache-threshold": 0.5}, "2.2.0", 0.5, 43200),
        ({"cache-max-age": 0}, "3.0.4", 0, 0),
        ({"cache-max-age": 864}, "2.6.3", 0.01, 864),
        ({"cache-max-age": 864, "cache-threshold": 0}, "3.0.4", 0, 0),
    ],
)
def test_the_age_until_which_no_lease_is_written(overrides, version, threshold, young_s):
    assert lease_cache(overrides, Members(), 4, version) == LeaseCache(threshold, young_s)


def test_the_settings_of_a_subnet_are_stronger():
    server = kea_map(valid_lifetime=100, subnet4=[kea_map(valid_lifetime=4000)])
    assert lease_cache({}, server, 4, "3.0.4") == LeaseCache(0.25, 1000)
