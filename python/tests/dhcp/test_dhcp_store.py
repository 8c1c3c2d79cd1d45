# SPDX-License-Identifier: ISC
"""The leases and reservations in a store, and its databases."""

from __future__ import annotations

import pytest
from dhcp_samples import plan

from ubench.dhcp import testbed
from ubench.dhcp.addresses import leases_of_others
from ubench.dhcp.netns import Network
from ubench.dhcp.store import (
    DIALECTS,
    FILE_FACTS,
    LeaseKey,
    LeaseStores,
    database_options,
    host_statements,
    lease_statements,
    make_tables,
)
from ubench.errors import Problem
from ubench.run.servers import PrivateServers

HEAD = "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state"


@pytest.fixture
def store(tmp_path):
    here = testbed.Testbed(tmp_path, Network(tmp_path / "load.net"), testbed.Processors("0", "1"))
    return LeaseStores(here, PrivateServers(tmp_path / "servers"))


class FakeServer:
    """Remembers statements, by database; the version of Kea's tables is in `versions`."""

    def __init__(self, versions):
        self.versions = versions
        self.made = []
        self.statements = []

    def sql(self, text, database=""):
        self.statements.append((database, text))
        if text.startswith("SELECT version"):
            if database not in self.versions:
                raise Problem("no such table")
            return self.versions[database]
        return ""

    def make_kea_tables(self, database, kea):
        self.made.append((database, kea))


# ---- Lease files


def test_leases_of_others_are_read_as_they_were_written(store, tmp_path):
    filled = plan(leases=300, pool=1000)
    store.prepare(filled)
    leases = store.leases(filled, 1)
    assert {key.address for key in leases} == {
        str(address) for address, _ in leases_of_others(filled)
    }
    assert min(leases.values()) > 1e9


def test_leases_that_run_out_have_done_so(store):
    expired, valid = (plan(command=command, leases=9, pool=20) for command in ("expire", "start"))
    ends = []
    for each in (expired, valid):
        store.prepare(each)
        ends.append(max(store.leases(each, 1).values()))
    assert ends[1] - ends[0] == pytest.approx(86401, abs=5)


def test_the_last_line_of_an_address_counts(store, tmp_path):
    home = tmp_path / "server1"
    home.mkdir()
    (home / "leases.csv.2").write_text(f"{HEAD}\n10.1.0.1,aa,,60,100,1,0,0,,0\n")
    (home / "leases.csv").write_text(
        f"{HEAD}\n"
        "10.1.0.1,bb,,60,200,1,0,0,,0\n"
        "10.1.0.2,cc,,60,300,1,0,0,,2\n"  # reclaimed
        "10.1.0.3,dd,,60,400,1,0,0,,0\n"
        "10.1.0.3,dd,,0,400,1,0,0,,0\n"  # released
    )
    assert store.leases(plan(), 1) == {
        LeaseKey("10.1.0.1", "bb"): 200,
        LeaseKey("10.1.0.2", "cc"): 0,
    }


def test_the_clients_of_ipv6_are_known_by_their_duid(store, tmp_path):
    home = tmp_path / "server1"
    home.mkdir()
    (home / "leases.csv").write_text(
        "address,duid,valid_lifetime,expire,state\n2001:db8::1,00:01,60,100,0\n"
    )
    assert store.leases(plan(family=6), 1) == {LeaseKey("2001:db8::1", "00:01"): 100}


def test_the_leases_of_dhcpd(store, tmp_path):
    home = tmp_path / "server1"
    home.mkdir()
    (home / "leases").write_text(
        "# written by\nlease 10.1.0.1 {\n  ends 1;\n}\nlease 10.1.0.1 {\n}\nlease 10.1.0.2 {\n}\n"
    )
    assert len(store.leases(plan(server="dhcpd", store="dhcpd"), 1)) == 2


def test_a_server_that_has_written_nothing_has_no_leases(store):
    assert store.leases(plan(), 1) == {}


def test_a_trial_begins_without_the_files_of_the_one_before(store, tmp_path):
    store.prepare(plan())
    (tmp_path / "server1" / "leases.csv").write_text("x")
    store.prepare(plan())
    assert list((tmp_path / "server1").iterdir()) == []


class FakeNode:
    """A node of a cluster: the rows of its leases, and its counters of conflicts."""

    kind = "mysql"
    password = "secret"

    def __init__(self, port, leases, certification):
        self.port = port
        self.leases = leases
        self.certification = certification

    def sql(self, text, database=""):
        if text.startswith("SHOW"):
            return f"wsrep_local_bf_aborts 1\nwsrep_local_cert_failures {self.certification}"
        assert text.startswith("SET SESSION wsrep_sync_wait")
        return self.leases


def test_the_leases_and_conflicts_of_a_cluster_are_those_of_its_nodes(store):
    cluster = plan(store="mysql", servers=2, nodes=2)
    store._running["mysql"] = FakeNode(1, "A010000 0C 0 100\nA010001 1C 0 100", 3)
    store._other_nodes["mysql2"] = FakeNode(2, "A010000 0C 0 100\nA010001 2C 0 100", 4)
    keys = {(key.address, key.client) for key in store.leases(cluster, 1)}
    assert keys == {("A010000", "0C"), ("A010001", "1C"), ("A010001", "2C")}
    assert store.conflicts(cluster) == {"certification": 7, "aborted": 2}
    assert store.conflicts(plan(store="mysql")) == {}
    assert {name: access.port for name, access in store.access.items()} == {"mysql": 1, "mysql2": 2}


# ---- Databases


@pytest.mark.parametrize(
    ("kind", "is_safe", "options"),
    [
        ("mysql", True, ["--innodb-flush-log-at-trx-commit=1", "--sync-binlog=1"]),
        ("mysql", False, ["--innodb-flush-log-at-trx-commit=2", "--sync-binlog=0"]),
        ("pgsql", True, ["-c", "synchronous_commit=on"]),
        ("pgsql", False, ["-c", "synchronous_commit=off"]),
    ],
)
def test_the_settings_that_sync_stands_for(kind, is_safe, options):
    assert database_options(kind, is_safe=is_safe) == options


def test_tables_are_made_once_for_a_version_of_kea(tmp_path):
    server = FakeServer({"kea": "2.2.0"})
    make_tables(server, "kea", tmp_path, "2.2.0")
    assert server.made == []
    make_tables(server, "kea", tmp_path, "3.0.4")
    make_tables(server, "kea2", tmp_path, "2.2.0")
    assert server.made == [("kea", tmp_path), ("kea2", tmp_path)]
    assert server.statements[-1][1].endswith("AS SELECT '2.2.0' AS version;")


@pytest.mark.parametrize(("kind", "octets"), [("mysql", "x'0a000000'"), ("pgsql", "'\\x0a000000'")])
def test_reservations_of_a_database(kind, octets):
    first, *rows, last = host_statements(plan(reservations=3, subnets=2, hosts=kind))
    assert "DELETE FROM hosts" in first
    assert last == "COMMIT;"
    assert len(rows) == 3
    assert octets[:-2] in rows[0]
    assert [f", 0, {subnet}, " in row for subnet, row in zip((1, 1, 2), rows, strict=True)] == [
        True
    ] * 3


@pytest.mark.parametrize("kind", ["mysql", "pgsql"])
def test_leases_of_others_are_not_in_one_statement(kind):
    leases = leases_of_others(plan(pool=2000, leases=1001))
    *inserts, analyze = lease_statements(leases, 1700000000, DIALECTS[kind])
    assert len(inserts) == 3
    assert sum(insert.count("1700000000") for insert in inserts) == 1001
    assert analyze.startswith("ANALYZE")


def test_the_class_of_a_file_is_known():
    classes = {key: facts.durability["class"] for key, facts in FILE_FACTS.items()}
    assert classes == {
        ("memfile", "no"): "process-safe",
        ("memfile", "volatile"): "volatile",
        ("dhcpd", "yes"): "power-safe",
    }
