# SPDX-License-Identifier: ISC
"""The answer for a Kea configuration: the results that fit it, and the screen."""

from __future__ import annotations

import io
import json
import random
from dataclasses import replace

import pytest
import samples
from kea_files import (
    DDNS,
    MYSQL,
    PGSQL,
    POOL,
    SECRET,
    damage,
    dhcp4,
    dhcp6,
    ha,
    pools,
    threads,
    varied,
    write,
)
from pool_samples import in_blocks, series

from ubench.records import reader
from ubench.records.observation import Baselines
from ubench.report.advice import measured, reading, screen, words
from ubench.report.advice.measured import PairMatch
from ubench.report.advice.population import Population
from ubench.report.capacity.evidence import Evidence, long_enough
from ubench.report.capacity.phrases import paragraph
from ubench.report.capacity.site import Place, Site
from ubench.report.table import Output
from ubench.terminal import UNWANTED

KEA = str(samples.RESULTS / "kea-3.0-2026-11.jsonl")
SERVERS = str(samples.RESULTS / "dhcp-3.0-2026-11.jsonl")
SWEEP = str(samples.RESULTS / "sweep-2026-11.jsonl")
SMALL_POOL = pools("10.0.0.0 - 10.0.19.255")


@pytest.fixture
def answer(tmp_path):
    """The screen for a text as a configuration, in one line."""

    def answer(text, *words, lines=None):
        outcome = samples.report("answer", "--kea", write(tmp_path, text), *words, lines=lines)
        assert (outcome.status, outcome.err) == (0, ""), outcome.err
        return " ".join(outcome.out.split())

    return answer


@pytest.fixture
def read(tmp_path):
    """Reads a text as a configuration."""
    return lambda text: reading.read_configuration(write(tmp_path, text))


@pytest.fixture
def match(read):
    """The results that fit a text as a configuration."""

    def match(text, observations, site=None):
        found = read(text)
        site = Population(found).site(site or Site())
        return measured.find_match(found, site, observations, ())

    return match


def evidence(*files):
    """The observations in published files that count."""

    def refuse(source, sentence):
        raise AssertionError(f"{source}: {sentence}")

    return long_enough(reader.read_records(list(files), refuse).all_observations())


def kea_store(rates=(("renew", 900, 9000), ("dora-known", 700, 9000)), count=1, **members):
    """The lease manager of Kea's memfile with a number of threads."""
    members = {"facts": {"Kea": "3.0.2"}, **members}
    line = samples.store("kea", "process-safe", rates, {"threads": str(count)}, **members)
    return samples.observe(line)


def mysql_server(host="", **members):
    """A database whose leases Kea's lease manager keeps, here or on another machine."""
    rates = (("renew", 900, 9000), ("dora-known", 700, 9000))
    line = samples.store("mysql", rates=rates, parameters={"host": host}, **members)
    baselines = Baselines(round_trip_ns=400000 if host else None)
    return replace(samples.observe(line), baselines=baselines)


# ---- The results that fit


@pytest.mark.parametrize(
    ("counts", "wanted", "best"),
    [
        ([1, 4], None, 4),
        ([1], None, 1),
        ([1, 2, 4, 8], None, 2),
        ([1, 4], 1, 1),
        ([1, 4], 12, 4),
        ([1, 2, 8], 6, 8),
        ([4], 1, 4),
    ],
)
def test_the_nearest_threads_count(counts, wanted, best):
    assert measured.by_nearness(counts, wanted)[0] == best


def test_threads_of_which_less_is_known_do_not_count(match):
    known, unknown = kea_store(count=8), kea_store((("renew", 900, 9000),), count=4)
    assert match(dhcp4(POOL, threads(4)), [known, unknown]).threads == (8,)
    assert match(dhcp4(POOL, threads(4)), [unknown]).threads == (4,)


def test_other_families_and_databases_do_not_fit(match):
    assert match(dhcp4(POOL), [mysql_server()]) is None
    assert match(dhcp4(POOL, MYSQL), [kea_store()]) is None
    assert match(dhcp4(POOL), [kea_store()]).pair is PairMatch.AS_CONFIGURED
    six = kea_store()
    six = replace(six, load=replace(six.load, family=6))
    assert match(dhcp4(POOL), [six]) is None


def pair(mode):
    return samples.observe(samples.server("memfile", "process-safe", 2000, threads=4, ha=mode))


@pytest.mark.parametrize(
    ("members", "modes", "found", "mode"),
    [
        ([ha("hot-standby")], ["none", "hot-standby"], PairMatch.AS_CONFIGURED, "hot-standby"),
        ([ha("hot-standby")], ["load-balancing", "hot-standby"], PairMatch.AS_CONFIGURED,
         "hot-standby"),
        ([ha("hot-standby")], ["none", "load-balancing"], PairMatch.OTHER_MODE, "load-balancing"),
        ([ha("hot-standby")], ["none"], PairMatch.NO_PAIR, ""),
        ([ha("passive-backup")], ["none", "hot-standby"], PairMatch.PASSIVE_BACKUP, ""),
        ([ha("hot-standby", '"send-lease-updates": false')], ["none", "hot-standby"],
         PairMatch.AS_CONFIGURED, ""),
        ([], ["none", "hot-standby"], PairMatch.AS_CONFIGURED, ""),
    ],
)  # fmt: skip
def test_a_pair_that_was_measured_counts(match, members, modes, found, mode):
    result = match(dhcp4(SMALL_POOL, *members), [pair(each) for each in modes])
    assert (result.pair, result.mode) == (found, mode)


def test_servers_that_share_a_database_stand_alone(match):
    shared = ha("hot-standby", '"send-lease-updates": false')
    lines = [samples.server("pgsql", ha=mode) for mode in ("none", "hot-standby")]
    result = match(dhcp4(POOL, PGSQL, shared), [samples.observe(line) for line in lines])
    assert (result.pair, result.mode) == (PairMatch.SHARED_DATABASE, "")


@pytest.mark.parametrize("mode", ["hot-standby", "load-balancing"])
def test_published_pairs_count_whatever_the_threads(match, mode):
    """The pair was measured with 4 threads."""
    observations = evidence(KEA, SERVERS).observations
    times = set()
    for members in ([], [threads(0)], [threads(4)], [threads(12)]):
        text = dhcp4('"valid-lifetime": 3600', SMALL_POOL, ha(mode), *members)
        result = match(text, observations)
        assert (result.pair, result.threads) == (PairMatch.AS_CONFIGURED, (4,))
        times |= {result.answer.fits[setup].least for setup in result.answer.representatives}
    assert len(times) == 1
    assert times.pop() is not None


# ---- SPEED


@pytest.mark.parametrize(
    ("members", "files", "sentences"),
    [
        (
            [MYSQL, POOL],
            [SWEEP],
            [words.POWER_MEASURED, "MariaDB flush 1", "FROM sweep-2026-11.jsonl"],
        ),
        (
            [PGSQL, POOL, '"valid-lifetime": 40'],
            [SWEEP, "--explain"],
            ["Too slow: PostgreSQL sync on", "THEN valid-lifetime: longer, or another"],
        ),
        ([POOL], [SERVERS], ["65,536 clients renew", "* whole DHCP server"]),
        ([POOL, ha()], [KEA], [words.PAIRS[PairMatch.NO_PAIR]]),
        ([POOL], [], ["No result of Kea's memfile with DHCPv4 was given"]),
        (
            [POOL, '"valid-lifetime": 3600, "renew-timer": 1200'],
            [],
            ["renew after 20 minutes. That is 54.6 renewals/s, and 218 restarts/s if all are back"],
        ),
    ],
)
def test_what_speed_says(answer, members, files, sentences):
    text = answer(dhcp4(*members), *files)
    for sentence in sentences:
        assert sentence in text


def test_without_clients_no_store_is_judged(answer):
    """Neither of a file without pools nor of large pools."""
    large = '{"Dhcp6": {"subnet6": [{"pools": [{"pool": "2001:db8::/64"}]}]}}'
    six = str(samples.RESULTS / "dhcp-3.0-ipv6-2026-11.jsonl")
    for text in (answer(dhcp4(), KEA, SERVERS), answer(large, six)):
        assert "Not known without the number of clients." in text
        assert "renew/s restart/s clients" in text
        for word in ("fast enough", "required", "clients renew"):
            assert word not in text


@pytest.mark.parametrize(
    ("counts", "text", "sentence"),
    [
        ([1], dhcp4(POOL, threads(4)), "Measured with 1 thread; this file has 4."),
        ([1, 8], dhcp4(POOL, threads(4)), "Measured with 8 threads; this file has 4."),
        ([8], dhcp4(POOL), "Measured with 8 threads; this file sets no number"),
        ([8], dhcp4(POOL, threads(8)), ""),
    ],
)
def test_threads_that_differ_are_named(answer, counts, text, sentence):
    rates = (("renew", 900, 9000), ("dora-known", 700, 9000))
    lines = [
        samples.store(
            "kea", "process-safe", rates, {"threads": str(count)}, facts={"Kea": "3.0.2"}
        )
        for count in counts
    ]
    shown = answer(text, lines=lines)
    assert sentence in shown
    assert ("Measured with" in shown) == bool(sentence)


# ---- Where the database is


FAR = '"lease-database": {"type": "mysql", "host": "db.example.net", "max-reconnect-tries": 3}'
NEAR = FAR.replace("db.example.net", "")


def network(read, text, site, *observations):
    """The sentences of the screen on the network between Kea and its database."""
    found = read(text)
    population = Population(found, site.clients)
    result = measured.find_match(found, population.site(site), observations, ())
    return paragraph(screen.network(found, population, result.answer))


def test_a_remote_database_of_the_file_has_the_figure_with_a_network(read):
    text = network(read, dhcp4(FAR, POOL), Site(), mysql_server())
    assert "has its database on db.example.net" in text
    assert "--rtt=1ms" in text
    assert network(read, dhcp4(NEAR, POOL), Site(), mysql_server()) == ""


@pytest.mark.parametrize("database", [FAR, NEAR])
def test_rtt_is_said_with_and_without_clients(read, database):
    site = Site(place=Place(round_trip_s=0.002))
    for members in ([database, POOL], [database]):
        assert "2.00 ms more" in network(read, dhcp4(*members), site, mysql_server())


def test_remote_results_are_named_with_and_without_clients(read):
    for members in ([FAR, POOL], [FAR]):
        remote = network(read, dhcp4(*members), Site(), mysql_server("192.0.2.1"))
        assert "another machine" in remote
        assert "400 us" in remote
        assert "--rtt=1ms" not in remote


def test_one_remote_result_does_not_make_all_of_them_remote(read):
    both = mysql_server("192.0.2.1"), mysql_server(facts={"MariaDB": "10.11.19"})
    text = network(read, dhcp4(FAR, POOL), Site(), *both)
    assert "Some databases were on another machine" in text
    assert "others were local" in text


def test_no_figure_of_a_network_without_clients(read):
    text = network(read, dhcp4(FAR), Site(), mysql_server())
    assert "local" in text
    assert "times" not in text


# ---- The screen


def test_a_lease_file_has_the_clients_and_the_rates(program, tmp_path):
    program("ubench_leases")
    leases = tmp_path / "kea-leases4.csv"
    leases.write_text(
        "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,"
        "user_context\n10.0.0.1,00:11:22:33:44:55,,3600,1790000000,1,0,0,h,0,\n"
    )
    path = write(tmp_path, dhcp4(pools("10.0.0.0/24")))
    outcome = samples.report("answer", "--kea", path, "--leases", str(leases))
    text = " ".join(outcome.out.split())
    assert "CLIENTS 1 by --leases." in text
    assert "SPEED By the worst minute of the lease file that is 0.0167 changes/s" in text


def test_the_manual_has_an_address_only_where_it_is_cited(tmp_path):
    small = write(tmp_path, dhcp4('"valid-lifetime": 600', pools("10.0.0.0/28")))
    assert "arm/" not in samples.report("answer", "--kea", small).out
    large = write(tmp_path, dhcp4('"valid-lifetime": 600', pools("10.0.0.0/20")))
    assert samples.report("answer", "--kea", large).out.count("arm/X is") == 1


def test_the_whole_screen(tmp_path):
    path = write(tmp_path, dhcp4('"valid-lifetime": 600', pools("10.0.0.0 - 10.0.31.255"), ha()))
    outcome = samples.report("answer", "--kea", path)
    assert outcome.out == (
        "kea-dhcp4.conf: DHCPv4, memfile, 8,192 addresses, leases of 10 minutes\n"
        "CLIENTS 8,192, one for each address of the pools (or --clients=N).\n"
        "POWER   A power cut of all servers loses any number of recent leases: Kea writes\n"
        "        them to its file but never syncs it (docs/crashes.md).\n"
        "KILL    If Kea is killed, nothing is lost: Kea writes a lease to its file before\n"
        "        it answers the client.\n"
        "MACHINE Losing one Kea server loses no lease that it granted while its partner\n"
        "        was up: the partner has each lease before the client (arm/hooks-ha).\n"
        "SPEED   8,192 clients renew after 5 minutes.  That is 27.3 renewals/s, and 27.3\n"
        "        restarts/s if all are back in 5 minutes.  No result of Kea's memfile\n"
        "        with DHCPv4 was given; add our results (results/kea-3.0-2026-11.jsonl),\n"
        "        or those of your machine (scripts/bench.sh kea).\n"
        "EXPIRE  Kea reclaims at most 36,000 expired leases an hour (max-reclaim-leases:\n"
        "        100 every 10 s).  If no client comes back, 8,190 leases expire in the\n"
        "        first hour: Kea keeps up.\n"
        "FIRST   No parameter of this file needs a change.\n"
        "MORE    arm/X is kea.readthedocs.io/en/latest/arm/X.html\n"
    )


@pytest.mark.parametrize(
    ("members", "sentences", "absent"),
    [
        ([], ["no pools, leases of 2 hours", "Add --clients=N"], ["SAFER", "DNS"]),
        ([POOL], ["65,536 addresses", "SAFER No parameter of memfile keeps leases"], []),
        (
            [pools("10.0.0.9 - 10.0.0.9", valid_lifetime=604800)],
            ["1 address, leases of 168 hours", "1 client renews", "1 lease expires"],
            [],
        ),
        ([MYSQL], ["SELECT @@innodb_flush", "Losing db.example.net loses every lease"], []),
        ([PGSQL], ["SHOW synchronous_commit", "Losing the machine loses every lease"], []),
        (
            [ha("hot-standby", '"send-lease-updates": false'), MYSQL],
            ["Losing a Kea server loses no lease", "Losing db.example.net loses every lease"],
            [],
        ),
        ([ha(), MYSQL], ["If both servers use the database on db.example.net"], []),
        (['"valid-lifetime": 4294967295', POOL], [words.NO_EXPIRY, "leases that never expire"], []),
        (
            ['"hosts-database": {"type": "mysql"}'],
            ["Reservations in the database are not read"],
            [],
        ),
        (
            ['"config-control": {"config-databases": [{"type": "mysql"}]}'],
            ["Subnets in the configuration database are not read (config-control, line 1)"],
            [],
        ),
        (
            [POOL, '"valid-lifetime": 600', DDNS],
            ["FIRST reclaim-timer-wait-time: 5 (not in the file): 65,500 leases can expire",
             "and the rest wait"],
            [],
        ),
        ([POOL, '"valid-lifetime": 600'], ["FIRST No parameter"], ["DNS"]),
        (
            [POOL, '"client-classes": [{"valid-lifetime": 600}, {"valid-lifetime": 900}]'],
            ["if all clients had the shortest, 10 minutes, that would be 218 renewals/s."],
            [],
        ),
        (
            ['"client-classes": [{"min-valid-lifetime": 4294967295}]'],
            ["Lifetimes of client classes are not counted; the shortest is unlimited."],
            [],
        ),
        (
            [POOL, '"valid-lifetime": 600, "max-valid-lifetime": 86400'],
            ["Clients that ask for a lifetime get 10 minutes to 24 hours (min-valid-lifetime,"],
            [],
        ),
        (
            [POOL, '"valid-lifetime": 600, "max-valid-lifetime": 600, "min-valid-lifetime": 600'],
            [],
            ["ask for a lifetime"],
        ),
    ],
)  # fmt: skip
def test_what_the_screen_says(answer, members, sentences, absent):
    text = answer(dhcp4(*members))
    for sentence in sentences:
        assert sentence in text
    for word in absent:
        assert word not in text


def test_other_servers_of_a_file_are_named(answer):
    text = answer('{"Dhcp4": {}, "Dhcp6": {}, "DhcpDdns": {}, "hunter2": 1}')
    assert "The file also has Dhcp6, not counted here (-6 counts it)." in text
    assert "The file also has DhcpDdns, a member of another name, not counted here." in text
    assert "hunter2" not in text
    assert "The file also has" not in answer(dhcp4())


def test_the_dhcpv6_server_of_a_file_that_has_both(answer):
    shared = '"lease-database": {"type": "mysql", "host": "db.example.net", "name": "k"}'
    both = f'{{"Dhcp4": {{{shared}}}, "Dhcp6": {{{shared}, "valid-lifetime": 90}}}}'
    assert "Dhcp6 has the same database, which must serve both" in answer(both)
    six = answer(both, "-6")
    assert "DHCPv6, mysql" in six
    assert "leases of 90 seconds" in six
    assert "Dhcp4 has the same database" in six
    apart = both.replace("db.example.net", "db2.example.net", 1)
    assert "same database" not in answer(apart)
    assert "same database" not in answer('{"Dhcp4": {}, "Dhcp6": {"lease-database": {"type": 7}}}')


def test_included_files_that_are_not_here(answer):
    one = answer('{"Dhcp4": {"lease-database": {"password": <?include "/no/\x1bpw"?>}}}')
    assert "pw is missing, so its contents are not counted: copy it next to this file." in one
    assert not UNWANTED.search(one.replace("\n", ""))
    two = answer('{"Dhcp4": {"subnet4": [<?include "/no/a"?>, <?include "/no/b"?>]}}')
    assert "2 included files are missing (a, b), so their contents are not counted: copy" in two
    assert "lease-database" not in two
    other = answer('{"Dhcp4": {<?include "/no/a"?>, "subnet4": []}}')
    assert "If lease-database is there, this answer, for memfile, does not hold." in other


@pytest.mark.parametrize(
    ("members", "sentences"),
    [
        ('"pools": [{"pool": "2001:db8::/120"}]', "256 addresses, ... one for each address of"),
        ('{pd}', "256 prefixes, ... one for each prefix of"),
        (
            '"pools": [{"pool": "2001:db8::/120"}], {pd}',
            "256 addresses and 256 prefixes, ... 512, one for each address and each prefix of",
        ),
    ],
)
def test_addresses_and_prefixes(answer, members, sentences):
    pd = '"pd-pools": [{"prefix": "2001:db8:1::", "prefix-len": 48, "delegated-len": 56}]'
    text = answer(dhcp6(f'"subnet6": [{{{members.replace("{pd}", pd)}}}]'))
    for sentence in sentences.split(" ... "):
        assert sentence in text


def test_a_table_of_stores_needs_results(tmp_path):
    path = write(tmp_path, dhcp4(POOL))
    outcome = samples.report("answer", "--kea", path, "--format=csv")
    assert (outcome.status, outcome.out) == (2, "")
    assert "--format=csv: has the table of stores alone; add a file with results" in outcome.err


def test_several_relationships(answer):
    sending = '{"mode": "hot-standby", "heartbeat-delay": 90000}'
    silent = '{"mode": "hot-standby",\n"send-lease-updates": false}'
    text = answer(dhcp4(POOL, ha().replace('{"mode": "hot-standby"}', f"{sending}, {silent}")))
    assert "This server keeps the leases of 2 HA relationships" in text
    assert "Losing the machine loses every lease" in text  # one of the partners has none of them
    assert "FIRST send-lease-updates: true (line 3)" in text


def test_a_lease_file_in_memory(answer):
    for name in ("/dev/shm/kea-leases4.csv", "/run/kea/leases", "/tmp/x"):
        text = answer(dhcp4(POOL, f'"lease-database": {{"type": "memfile", "name": "{name}"}}'))
        assert "POWER A power cut or a restart of the machine loses every lease" in text
        assert "FIRST name: a file on a disk (line 2)" in text


def test_several_servers_with_one_database(tmp_path):
    first = write(tmp_path, dhcp4(MYSQL, pools("10.0.0.0/24")), "a.conf")
    second = write(tmp_path, dhcp4(MYSQL, pools("10.1.0.0/24")), "b.conf")
    for options, count in (((), 2), (("--servers=3",), 3)):
        outcome = samples.report("answer", "--kea", first, "--kea", second, *options)
        text = " ".join(outcome.out.split())
        assert "a.conf and 1 more: DHCPv4, mysql, 512 addresses" in text
        assert f"These are the clients of {count} servers with one database" in text


# ---- SERVERS

SHARED = in_blocks(
    {
        **series(500, 800, full=0.5),
        **series(400, 640, full=0.9),
        **series(600, 700, allocator="iterative", full=0.9),
    },
    noise=0,
)
PGSQL_POOL = (PGSQL, pools("10.0.0.0 - 10.0.3.231"))  # 1,000 addresses


@pytest.mark.parametrize(
    ("members", "options", "sentences"),
    [
        (
            [],
            ["--servers=2"],
            [
                "SERVERS Each of 2 servers on one database has to do 0.139 renewals/s and 1.67 "
                "restarts/s; if one fails, 0.278 and 3.33.",
                "Together they serve 700 new clients/s (PostgreSQL sync on, iterative, a pool 90 % "
                "full): 2",
                "Scale in this order: from 1 to 2 servers (1.17 times).",
                "FIRST allocator: random (not in the file): servers that share a database",
            ],
        ),
        (
            ['"allocator": "random"'],
            ["--servers=2", "--clients=500"],
            ["(PostgreSQL sync on, random, a pool 50 % full)", "500 clients renew"],
        ),
        (['"allocator": "random"'], ["--servers=4"], ["4 servers were not measured (PostgreSQL"]),
        (
            ['"allocator": "random"', ha("load-balancing", '"send-lease-updates": false')],
            [],
            ["Each of 2 servers on one database"],
        ),
    ],
)
def test_what_several_servers_do(answer, members, options, sentences):
    text = answer(dhcp4(*PGSQL_POOL, *members), *options, lines=SHARED)
    for sentence in sentences:
        assert sentence in text


def test_without_results_of_several_servers(answer):
    text = answer(dhcp4(*PGSQL_POOL), "--servers=2", KEA)
    assert "No result has several servers." in text
    assert "scripts/duel -O shared.jsonl @shared-pgsql" in text


def test_without_results_several_servers_need_rates(answer):
    text = answer(dhcp4(*PGSQL_POOL), "--servers=2")
    assert "Each of 2 servers on one database" in text
    assert "No result has several servers" not in text


def test_without_clients_servers_are_worth_the_same(answer):
    text = answer(dhcp4(PGSQL), "--servers=2", lines=SHARED)
    assert "Each of" not in text
    assert "Scale in this order" in text


def test_a_pair_of_which_one_waits_is_one_server(answer):
    pair = ha("hot-standby", '"send-lease-updates": false')
    text = answer(dhcp4(*PGSQL_POOL, pair), lines=SHARED)
    assert "SERVERS" not in text
    assert words.PAIRS[PairMatch.SHARED_DATABASE] in text


def test_a_remote_database_may_have_more_servers(answer):
    database = PGSQL.replace("{", '{"host": "db.example.net", ')
    hint = "If more servers use it, add --servers=N."
    assert hint in answer(dhcp4(database, POOL), KEA, "--explain")
    assert hint not in answer(dhcp4(database, POOL), KEA, "--explain", "--servers=2")
    assert hint not in answer(dhcp4(PGSQL, POOL), KEA, "--explain")


def test_explain_says_what_each_server_is_worth(answer):
    text = answer(dhcp4(*PGSQL_POOL), "--servers=2", "--explain", lines=SHARED)
    assert "1 server serves 600/s, 2 serve 1.17 times as many (" in text
    assert "times allocator full 1 server 2 servers" in text


def test_file_names_are_cut_with_a_mark(tmp_path):
    path = write(tmp_path, dhcp4(), "a" * 60 + ".conf")
    outcome = samples.report("answer", "--kea", path)
    assert outcome.out.startswith("..." + "a" * 32 + ".conf: DHCPv4")


def test_explain_has_every_parameter_with_its_place(answer):
    text = answer(
        dhcp4(
            '"valid-lifetime": 7200,\n"cache-threshold": 0.1',
            '\n"subnet4": [{"valid-lifetime": 604800, "renew-timer": 60, "pools": '
            '[{"pool": "10.1.0.0/24"}]}, {"valid-lifetime": 30}]',
            '\n"shared-networks": [{"valid-lifetime": 600, "subnet4": [{"pools": '
            '[{"pool": "10.2.0.0/24"}]}, {"cache-threshold": 0.2, "pools": '
            '[{"pool": "10.3.0.0/24"}]}]}]',
            '"lease-database": {"type": "mysql", "host": "db.example.net"}',
        ),
        "--explain",
    )
    assert "leases of 10 minutes to 168 hours" in text
    for row in (
        "valid-lifetime 604800 line 4 (1 of 3 subnets)",
        "valid-lifetime 600 line 6 (2 of 3 subnets)",
        "cache-threshold 0.1 line 2 (2 of 3 subnets)",
        "cache-threshold 0.2 line 6 (1 of 3 subnets)",
        "renew-timer 60 line 4 (1 of 3 subnets)",
        "host db.example.net line 7",
        "enable-multi-threading true since 2.3.5, false before the default",
        "retry-on-startup false since 2.5.5, none before the default",
        "thread-pool-size 0, one for each processor the default",
    ):
        assert row in text
    assert "valid-lifetime 7200" not in text
    assert "valid-lifetime 30 " not in text


@pytest.mark.parametrize(("count", "hidden"), [(8, False), (11, True)])
def test_explain_shows_eight_values_of_a_parameter(answer, count, hidden):
    subnets = [
        f'{{"valid-lifetime": {1000 + number}, "pools": [{{"pool": "10.0.{number}.0/24"}}]}}'
        for number in range(count)
    ]
    text = answer(dhcp4(f'"subnet4": [{", ".join(subnets)}]'), "--explain")
    assert "valid-lifetime 1007 line 1 (1 of" in text
    assert "valid-lifetime 1008" not in text
    assert ("3 other values or places" in text) == hidden
    assert ("other values or places" in text) == hidden


def test_explain_has_all_changes(answer):
    text = answer(dhcp4(MYSQL, POOL, '"valid-lifetime": 40'), "--explain")
    assert "FIRST max-reconnect-tries: 10" in text
    assert "THEN thread-pool-size: 12" in text


@pytest.mark.parametrize("form", ["markdown", "csv"])
def test_other_formats(answer, form):
    text = answer(dhcp4(POOL), f"--format={form}", KEA)
    assert "memfile" in text
    assert ("SPEED" in text) == (form == "markdown")


# ---- It fits


def test_any_configuration_fits_the_screen(tmp_path):
    chance = random.Random(26)
    shared = long_enough(samples.read_lines(SHARED).all_observations())
    files = [evidence(KEA), evidence(SERVERS), evidence(SWEEP), shared]
    for _ in range(60):
        chosen = [each for each in files if chance.random() < 0.5]
        observations = tuple(one for each in chosen for one in each.observations)
        configuration = any_configuration(chance)
        family = next(iter(configuration))
        path = write(tmp_path, json.dumps(configuration), "n" * chance.choice([9, 60]))
        is_file = configuration[family]["lease-database"]["type"] == "memfile"
        servers = 1 if is_file else chance.choice([1, 3])
        site = Site(clients=chance.choice([None, 1, 900000000]), servers=servers)
        lines = shown(path, site, Evidence(observations, ("mysql renew",)))
        assert len(lines) <= 24, lines
        assert max(map(len, lines)) <= 80, lines
        assert any(line.startswith("POWER ") for line in lines)
        assert any(line.startswith("FIRST ") for line in lines)


def shown(path, site, evidence, explain=False):
    """The lines of the screen."""
    stream = io.StringIO()
    advice = screen.advise([path], site, evidence, ())
    (screen.print_details if explain else screen.print_screen)(advice, Output("text", stream))
    return stream.getvalue().splitlines()


def any_configuration(chance):
    """A valid configuration whose parameters need advice, and with members that are not read."""
    some = chance.choice
    family = some((4, 6))
    pool = some(("10.0.0.0/8", "10.0.0.1-10.0.0.2"))
    if family == 6:
        pool = some(("2001:db8::/64", "2001:db8::/112"))
    subnets = [
        {
            "pools": [{"pool": pool}],
            "valid-lifetime": some((600, 604800, 0xFFFFFFFF)),
            "reservations": [],
        }
    ]
    server = {
        "lease-database": {
            "type": some(("memfile", "mysql", "postgresql")),
            "persist": some((True, False)),
            "lfc-interval": some((0, 3600)),
            "host": some(("", "a-very-long-name." * 5)),
            "name": some(("", "/tmp/kea")),
            "max-reconnect-tries": some((0, 5)),
            "on-fail": some(("stop-retry-exit", "serve-retry-continue")),
        },
        "valid-lifetime": some((1, 60, 7200, 0xFFFFFFFF)),
        "renew-timer": some((0, 30, 9999)),
        "cache-threshold": some((0, 0.25, 0.9)),
        "allocator": some(("iterative", "flq")),
        "multi-threading": {
            "enable-multi-threading": some((True, False)),
            "thread-pool-size": some((0, 1, 8)),
            "packet-queue-size": some((0, 9)),
        },
        "dhcp-ddns": {"enable-updates": some((True, False))},
        "dhcp-queue-control": {"enable-queue": some((True, False))},
        "expired-leases-processing": {
            "reclaim-timer-wait-time": some((0, 1, 1000)),
            "max-reclaim-time": some((0, 250)),
            "max-reclaim-leases": some((0, 1, 999)),
        },
        "client-classes": [{"name": "a", "valid-lifetime": 60}],
        "hosts-databases": some(([], [{"type": "mysql"}])),
        "config-control": {"config-databases": some(([], [{"type": "mysql"}]))},
        f"subnet{family}": some(([], subnets, subnets)),
    }
    if chance.random() < 0.5:
        mode = some(("hot-standby", "load-balancing", "passive-backup"))
        updates = f'"send-lease-updates": {some(("true", "false"))}'
        server.update(json.loads("{" + ha(mode, updates) + "}"))
    return {f"Dhcp{family}": server, "DhcpDdns": {}, "Control-agent": {}}


def test_what_gives_way_is_in_explain(tmp_path):
    """Nothing is lost: each sentence that the screen left out stands in --explain."""
    path = write(tmp_path, dhcp4(MYSQL, ha(), POOL, '"hosts-database": {"type": "mysql"}', DDNS))
    files = evidence(KEA, SERVERS)
    brief, full = shown(path, Site(), files), shown(path, Site(), files, explain=True)
    labels = {line[:8].strip() for line in full if not line.startswith(" ")}
    assert {"EXPIRE", "MACHINE", "KILL", "CLIENTS", "THEN"} <= labels
    assert any("--explain has more" in line for line in brief)


# ---- What is refused, and what is never printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--lease-time=1h"], "--lease-time: cannot be used with --kea"),
        (["--renew-at=0.6"], "--renew-at: cannot be used with --kea"),
        (["--where=thread=3", KEA], "no result has 'thread'"),
        (["--format=json"], "--format=json: cannot be used with --kea"),
        (["--servers=2"], "keeps leases in memfile, a file of its own; expected a database that"),
        (["--kea=x", "--servers=1"], "--servers: 1 is less than the 2 files of --kea; expected"),
    ],
)
def test_command_lines_that_are_refused(tmp_path, options, message):
    outcome = samples.report("answer", "--kea", write(tmp_path, dhcp4()), *options)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err


def test_files_that_are_refused(tmp_path):
    outcome = samples.report("answer", "--kea", write(tmp_path, '"Dhcp4": {}'))
    assert (outcome.status, outcome.out) == (1, "")
    assert "expected braces around all of it" in outcome.err


CONTROLS = ("\\u001b[31m", "\\u009b31m", "\\u0007", "\\u202e", "\\n\\u0008", "\x85", "\ud800")


@pytest.mark.parametrize("control", CONTROLS, ids=ascii)
@pytest.mark.parametrize(
    "text",
    [
        '{"Dhcp4": {"lease-database": {"type": "mysql", "host": "%x", "name": "%"}, '
        '"allocator": "%"}}',
        '{"%": {}}',
        '{"Dhcp4": {}, "%": 1}',
        '{"Dhcp4": {"valid-lifetime": "%"}}',
        '{"Dhcp4": %}',
        '<?include "%"?>',
        '{"Dhcp4": {"subnet4": [{"pools": [{"pool": "%"}]}]}}',
    ],
)
def test_no_character_that_a_terminal_obeys_is_printed(tmp_path, text, control):
    path = write(tmp_path, text.replace("%", control), "kea\x1b[31m\x9b.conf")
    outcome = samples.report("answer", "--explain", "--kea", path)
    assert outcome.out or outcome.err
    assert UNWANTED.findall((outcome.out + outcome.err).replace("\n", "")) == []


def test_damaged_configurations(tmp_path):
    """Whatever happens to a file: a screen or a refusal, without its passwords."""
    chance, texts = random.Random(41), varied()
    for _ in range(300):
        text = damage(chance.choice(texts), chance)
        options = ["--explain"] if chance.random() < 0.5 else []
        outcome = samples.report("answer", "--kea", write(tmp_path, text), *options)
        printed = outcome.out + outcome.err
        assert outcome.status == (0 if outcome.out else 1)
        assert SECRET not in printed
        assert UNWANTED.findall(printed.replace("\n", "")) == []
