# SPDX-License-Identifier: ISC
"""The answer to a site's configuration of Kea: what each setting changes on the screen, and what
is refused."""

import contextlib
import io
import json
import os
import random
import re
import tempfile
import unittest
from pathlib import Path

import samples

from report import Problem, answer, kea, results
from report import options as program
from report.kea import file as kea_file
from report.kea.measured import by_fit

RESULTS = Path(__file__).parents[2] / "results"
PUBLISHED = [str(RESULTS / f"{name}-2026-11.jsonl") for name in ("sweep", "kea", "dhcp")]
POOL = '"subnet4": [{"pools": [{"pool": "10.0.0.0/16"}]}]'
MYSQL = '"lease-database": {"type": "mysql", "host": "db.example.net"}'
PGSQL = '"lease-database": {"type": "postgresql", "max-reconnect-tries": 3}'
HA = '"hooks-libraries": [{"library": "/usr/lib/libdhcp_ha.so", "parameters": ' \
    '{"high-availability": [{"mode": "%s"%s}]}}, {"library": "libdhcp_lease_cmds.so"}]'
NEVER = '"expired-leases-processing": {"reclaim-timer-wait-time": 0}'
DDNS = '"dhcp-ddns": {"enable-updates": true}'
KEA_3 = [str(RESULTS / f"{name}-3.0-2026-11.jsonl") for name in ("kea", "dhcp")]


def write(folder, text, name="kea-dhcp4.conf"):
    path = os.path.join(folder, name)
    Path(path).write_text(text, encoding="utf-8")
    return path


def screen(text, *arguments):
    """The screen of a file with that text, in one line; and as it is printed."""
    with tempfile.TemporaryDirectory() as folder:
        status, out, err = samples.report("answer", "--kea", write(folder, text), *arguments)
    assert (status, err) == (0, ""), err
    return " ".join(out.split()), out


def dhcp4(*members):
    return '{"Dhcp4": {' + ",\n".join(members) + "}}"


UNPRINTABLE = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ud800-\udfff]")


def configurations(secret):
    """Valid ones of many kinds, each with a password."""
    database = f'"lease-database": {{"type": "mysql", "name": "kea", "user": "kea",' \
        f' "password": "{secret}", "host": "192.0.2.7", "port": 3306,}}'
    hosts = f'"hosts-databases": [{{"type": "postgresql", "password": "{secret}"}}]'
    context = '"user-context": {"note": "\u00e9 \\u00e9 \\\\", "a": [null, true, -1.5e3, .5]}'
    subnet = '"subnet4": [{"id": 1, "subnet": "192.0.2.0/24", "relay": {"ip-addresses": []},' \
        '"pools": [{"pool": "192.0.2.10 - 192.0.2.90"}, {"pool": "192.0.2.128/26"}],' \
        '"reservations": [{"hw-address": "02:00:00:00:00:01", "ip-address": "192.0.2.5"}],' \
        '"valid-lifetime": 600, "cache-threshold": 0.1, "option-data": []}]'
    network = '"shared-networks": [{"name": "n", "renew-timer": 90, "subnet4": [' \
        '{"id": 2, "subnet": "198.51.100.0/24", "pools": [{"pool": "198.51.100.0/25"}]}]}]'
    threads = '"multi-threading": {"enable-multi-threading": true, "thread-pool-size": 4,' \
        '"packet-queue-size": 28}'
    expiry = '"expired-leases-processing": {"reclaim-timer-wait-time": 1, "max-reclaim-time": 0}'
    classes = '"client-classes": [{"name": "c", "test": "not member(\'x\')", "valid-lifetime": 1}]'
    six = '"subnet6": [{"id": 1, "subnet": "2001:db8::/32", "preferred-lifetime": 90, "pools":' \
        '[{"pool": "2001:db8::1 - 2001:db8::ff"}], "pd-pools": [{"prefix": "2001:db8:8::",' \
        '"prefix-len": 48, "delegated-len": 56}], "reservations": [{"ip-addresses": [' \
        '"2001:db8::5"], "prefixes": ["2001:db8:1::/48"]}]}], "t1-percent": 0.4'
    pair = HA % ("hot-standby", ', "this-server-name": "a", "peers": [{"name": "a", "url":'
                 f'"http://192.0.2.1:8000/", "role": "primary", "password": "{secret}"}}]')
    plain = dhcp4(database, hosts, context, subnet, network, threads, expiry, classes, pair, DDNS)
    return [plain, '// one\n# two\n/* three */ ' + plain, dhcp4(database, pair),
            f'{{"Dhcp6": {{{database}, {six}}}}}', f'[{{"result": 0, "arguments": {plain}}}]',
            f'{{"result": 0, "arguments": {plain}}}']


def damaged(text, chance):
    """The text after one to three accidents."""
    pieces = re.findall(r'"[^"]*"|[\w.+-]+|\s+|.', text)
    for _ in range(chance.randrange(1, 4)):
        i, k = chance.randrange(len(pieces)), chance.randrange(len(pieces))
        accident = chance.randrange(7)
        if accident == 0:
            del pieces[i]
        elif accident == 1:
            pieces.insert(i, pieces[k])
        elif accident == 2:
            pieces[i], pieces[k] = pieces[k], pieces[i]
        elif accident == 3:
            pieces[i] = chance.choice(["", "1e308", "-1", "0", "null", "[]", "{}", "Infinity",
                                       '"\\u001b[2J"', "\x1b", "\0", "\ud812", "9" * 5000, "[" * 99,
                                       '<?include "x"?>', "/*", '"', "\u202e", "1e-320", "\n"])
        elif accident == 4:
            del pieces[i:i + chance.randrange(30)]
        elif accident == 5:
            pieces = pieces[:max(1, i)]
        else:
            pieces[i] = pieces[i].replace('"', "", 1)
    return "".join(pieces)


class Screens(unittest.TestCase):
    """Each setting changes the screen."""

    def check(self, rows, *arguments):
        """rows: members of Dhcp4, texts that the screen has, and texts that it must not have."""
        for members, there, *absent in rows:
            with self.subTest(members):
                text, _ = screen(dhcp4(*members), *arguments)
                for word in there:
                    self.assertIn(word, text)
                for word in absent and absent[0]:
                    self.assertNotIn(word, text)

    def test_without_results(self):
        self.check((
            ([], ["DHCPv4, memfile, no pools, leases of 2 hours", "never syncs it", "at most "
                  "36,000 expired leases an hour", "FIRST No setting of this file needs"]),
            ([POOL, '"valid-lifetime": 3600, "renew-timer": 1200'],
             ["65,536 addresses, leases of 1 hour", "renew after 20 minutes: 54.6 renewals/s",
              "If no client comes back, 65,500 leases expire in the first hour. The others wait"]),
            (['"lease-database": {"type": "memfile",\n"persist": false}'],
             ["If Kea is killed or restarted, every lease is lost", "FIRST persist: true (line 2)"],
             ["SAFER"]),
            ([POOL, '"lease-database": {"type": "memfile", "lfc-interval": 0}'],
             ["FIRST lfc-interval: 3600 (line 2)", "157 MB a day"]),
            (['"lease-database": {"type": "memfile", "name": "/run/kea/leases4.csv"}'],
             ["FIRST name: a file on a disk (line 1): this directory is usually in memory"]),
            ([MYSQL], ["nothing with innodb_flush_log_at_trx_commit=1", "SELECT @@innodb_flush",
                       "Losing db.example.net loses", "FIRST max-reconnect-tries: 10, with"]),
            ([PGSQL], ["nothing with synchronous_commit=on", "Ask the database: SHOW",
                       "A killed database loses up to 3 times wal_writer_delay",
                       "Losing the machine loses every lease that no replica"]),
            (['"lease-database": {"type": "mysql", "max-reconnect-tries": 3}'],
             ["FIRST reconnect-wait-time: 5000 (not in the file)"]),
            (['"multi-threading": {"thread-pool-size": 8, "enable-multi-threading": true,'
              '"packet-queue-size": 0}'], ["FIRST packet-queue-size: 64 (line 1)"]),
            ([NEVER], ["Kea reclaims no expired lease", "FIRST reclaim-timer-wait-time: 10",
                       "count as assigned"], ["DNS"]),
            ([HA % ("hot-standby", ""), '"subnet4": [{"cache-threshold": 0.6}]'],
             ["FIRST cache-threshold: 0.25 (line 2)", "renews after 1 hour no new time"]),
            (['"renew-timer": 1200', '"shared-networks": [{"valid-lifetime": 1200, "subnet4": '
              '[{"pools": [{"pool": "10.0.0.1 - 10.0.0.9"}]}]}]'],
             ["9 addresses, leases of 20 minutes", "renew after 10 minutes"])))

    def test_only_harms_that_are_there(self):
        """DNS updates are off by default; a home needs no second server."""
        short = [POOL, '"valid-lifetime": 600', HA % ("hot-standby", "")]
        home = '"subnet4": [{"pools": [{"pool": "10.0.0.10 - 10.0.0.44"}]}]'
        self.check((
            (short, ["FIRST No setting"], ["DNS"]),
            ([*short, '"dhcp-ddns": {"enable-updates": false}'], ["FIRST No setting"], ["DNS"]),
            ([*short, DDNS, '"ddns-send-updates": false'], ["FIRST No setting"], ["DNS"]),
            ([*short, DDNS], ["FIRST reclaim-timer-wait-time: 5 (not in the file): 65,500 leases",
                              "expired leases keep their DNS names"]),
            ([*short, '"allocator": "flq"'], ["flq grants no address whose lease expired"]),
            ([home], ["FIRST No setting"], ["libdhcp_ha", "SAFER"]),
            ([POOL], ["FIRST No setting", "SAFER No setting of memfile keeps leases",
                      "libdhcp_ha.so, which needs libdhcp_lease_cmds.so"]),
            ([home, PGSQL], [], ["thread-pool-size", "7,441"])))

    def test_leases_that_can_expire(self):
        pool = '"subnet4": [{"pools": [{"pool": "10.0.0.10 - 10.0.0.209"}]}]'
        one = '"subnet4": [{"pools": [{"pool": "10.0.0.9 - 10.0.0.9"}]}]'
        self.check((
            ([pool, '"valid-lifetime": 600'],
             ["If no client comes back, 200 leases expire in the first hour: enough."]),
            ([pool, '"valid-lifetime": 7200'], ["100 leases expire in the first hour: enough."]),
            ([one, '"valid-lifetime": 604800'],
             ["1 lease expires in the first hour: enough.", "1 address,", "1 client renews"]),
            ([pool, '"valid-lifetime": 4294967295'], ["Leases without end do not expire.",
                                                      "leases without end"])))

    def test_servers_that_share_leases(self):
        shared = ', "send-lease-updates": false, "sync-leases": false'
        half = ', "send-lease-updates": false'
        here = '"lease-database": {"type": "postgresql", "max-reconnect-tries": 3, ' \
            '"reconnect-wait-time": 9}'
        away = here.replace('"max', '"host": "db.example.net", "max')
        self.check((
            ([HA % ("hot-standby", "")], ["loses no lease that it gave while its partner was",
                                          "A power cut of all its servers", "FIRST No setting"]),
            ([HA % ("load-balancing", ',\n"send-lease-updates": false')],
             ["loses every lease: no other", "FIRST send-lease-updates: true (line 2)"]),
            ([HA % ("passive-backup", ', "peers": [{"role": "backup"}]')],
             ["leases that no backup has yet"]),
            ([HA % ("passive-backup", "")], ["loses every lease: no other machine has them"]),
            ([(HA % ("hot-standby", "")).partition(", {")[0] + "]"],
             ["FIRST hooks-libraries: add libdhcp_lease_cmds.so (line 1)"]),
            ([HA % ("hot-standby", shared), away],
             ["Losing a Kea server loses no lease, because the leases are in the database",
              "Losing db.example.net loses every lease", "FIRST No setting"],
             ["send-lease-updates: true"]),
            ([HA % ("hot-standby", shared), here],
             ["This server sends no lease updates: losing the machine loses every lease that no"]),
            ([HA % ("hot-standby", half), away], ["FIRST sync-leases: false (not in the file)",
                                                  "share or replicate their database"]),
            ([HA % ("hot-standby", ""), away],
             ["If both servers use the database on db.example.net, losing that machine loses",
              "FIRST send-lease-updates: false, and sync-leases: false"]),
            ([HA % ("hot-standby", shared), away, '"allocator": "flq"'],
             ["FIRST allocator: random (line 3): flq is not suitable"]),
            ([HA % ("hot-standby", ', "heartbeat-delay": 10000, "max-response-delay": 10000')],
             ["FIRST max-response-delay: 60000 (line 1)"])))

    def test_where_the_clients_are_from(self):
        unknown = "the file has no pools and no reserved addresses. Add --clients=N."
        reserved = '"subnet4": [{"pools": [{"pool": "10.0.0.10 - 10.0.0.19"}], "reservations": [' \
            '{"ip-address": "10.0.0.12"}, {"ip-address": "10.0.0.99"}, {"hostname": "h"}]}]'
        self.check((
            ([], [unknown]),
            ([POOL], ["CLIENTS 65,536, one for each address of the pools"]),
            ([reserved], ["10 addresses, 1 reservation,", "CLIENTS 11, one for each address of the "
                          "pools and each reservation outside of them"]),
            (['"reservations": [{"ip-address": "10.0.0.9"}]'],
             ["CLIENTS 1, one for each reserved address"]),
            (['"config-control": {"config-databases": [{"type": "mysql"}]}'],
             [unknown, "Subnets in the configuration database are not read (config-control, line "
              "1)"]),
            (['"hosts-database": {"type": "mysql"}'], ["Reservations in a database are not read"]),
            ([POOL, '"client-classes": [{"name": "a", "valid-lifetime": 60}]'],
             ["Lifetimes of client classes are not counted"])))
        self.check((([reserved], ["CLIENTS 2,000 by --clients. The file has only 10 addresses"]),
                    ([POOL], ["CLIENTS 2,000 by --clients."])), "--clients=2k")

    def test_no_clients_out_of_nothing(self):
        """Without a number of clients nothing is said to be enough."""
        for text in (dhcp4(), '{"Dhcp6": {"subnet6": [{"pools": [{"pool": "2001:db8::/64"}]}]}}'):
            shown, _ = screen(text, *KEA_3, str(RESULTS / "scale-2026-11.jsonl"))
            self.assertIn("SPEED Not known without the number of clients.", shown)
            for word in ("enough:", "times the need", "clients renew", "needed"):
                self.assertNotIn(word, shown)

    def test_ipv6_renews_after_half_of_the_preferred_lifetime(self):
        text, _ = screen('{"Dhcp6": {"subnet6": [{"pools": [{"pool": "2001:db8::/120"}], "pd-pools"'
                         ': [{"prefix": "2001:db8::", "prefix-len": 56, "delegated-len": 64}]}]}}')
        self.assertIn("DHCPv6, memfile, 512 addresses, leases of 2 hours", text)
        self.assertIn("renew after 2250 seconds", text)
        self.assertIn("scripts/dhcp rate -6 measures it", text)
        self.assertIn("large pools", screen(
            '{"Dhcp6": {"subnet6": [{"pools": [{"pool": "2001:db8::/64"}]}]}}')[0])

    def test_with_results(self):
        for members, arguments, words in (
                ([MYSQL, POOL], PUBLISHED[:1], [
                    "the table has what a power cut loses", "MariaDB flush 1",
                    "FROM sweep-2026-11.jsonl"]),
                ([POOL], PUBLISHED[1:], [
                    "memfile persist false*",
                    "FROM dhcp-2026-11.jsonl. * is a whole server", "65,536 clients"]),
                ([PGSQL, POOL], ["--clients=20k", *PUBLISHED], [
                    "20,000 clients renew", "PostgreSQL sync on", "PostgreSQL is fast enough: at"]),
                ([PGSQL, POOL, '"valid-lifetime": 40'], PUBLISHED[:1],
                 ["Too slow: PostgreSQL sync on", "THEN valid-lifetime: longer, or another"])):
            with self.subTest(members):
                text, _ = screen(dhcp4(*members), *arguments, *(
                    ["--explain"] if "THEN" in words[-1] else []))
                for word in words:
                    self.assertIn(word, text)

    def test_a_measured_pair_is_used_whatever_the_threads(self):
        pool = '"subnet4": [{"pools": [{"pool": "10.0.0.0 - 10.0.19.255"}]}]'
        some = '"multi-threading": {"enable-multi-threading": true, "thread-pool-size": %s}'
        for mode in ("hot-standby", "load-balancing"):
            shown = {}
            for name, members in (("4", [some % 4]), ("default", []), ("automatic", [some % 0]),
                                  ("12", [some % 12])):
                text, _ = screen(dhcp4(pool, HA % (mode, ""), *members), *KEA_3)
                shown[name] = text.partition("times the need.")[0].rpartition("fast enough: ")[2]
                self.assertIn("memfile*", text)
                self.assertNotIn("No pair was measured", text)
            self.assertEqual(len(set(shown.values())), 1, shown)
        text, _ = screen(dhcp4(pool, HA % ("hot-standby", "")), KEA_3[0])
        self.assertIn("No pair was measured, and a pair is slower", text)
        # Without lease updates each server works alone.
        alone = HA % ("hot-standby", ', "send-lease-updates": false')
        self.assertIn("No pair with one database was measured",
                      screen(dhcp4(pool, PGSQL, alone), *KEA_3)[0])

    def test_the_nearest_threads_count(self):
        for counts, wanted, best in (([1, 4], None, 4), ([1], None, 1), ([1, 2, 4, 8], None, 2),
                                     ([1, 4], 1, 1), ([1, 4], 12, 4), ([1, 2, 8], 6, 8),
                                     ([4], 1, 4)):
            self.assertEqual(by_fit(counts, wanted)[0], best, (counts, wanted))
        some = '"multi-threading": {"enable-multi-threading": %s}'
        for members, words in (([some % "false"], ""), ([some % "true"], "has one for each"),
                               ([], "Measured with 4 threads; without a number in this file Kea "
                                "has one for each processor")):
            text, _ = screen(dhcp4(PGSQL, POOL, *members), KEA_3[1])
            self.assertIn(words, text)
            self.assertEqual("Measured with" in text, bool(words))

    def test_several_numbers_of_threads_are_alternatives(self):
        found = [samples.store("kea", "process-safe", [("renew", 900)], {"threads": count},
                               facts={"Kea": f"3.0.{count}"}) for count in ("1", "4", "8")]
        for most, words in ((1, "with 1 thread;"), (2, "with 1 or 4 threads;"),
                            (3, "with 1, 4 or 8 threads;")):
            with tempfile.TemporaryDirectory() as folder:
                _, out, _ = samples.report("answer", "--kea", write(folder, dhcp4(POOL)),
                                           lines=found[:most])
            self.assertIn(f"Measured {words}", " ".join(out.split()))

    def test_a_database_elsewhere(self):
        near = '"lease-database": {"type": "mysql", "host": "%s"}'
        for host, is_remote in (("", False), ("localhost", False), ("127.0.0.1", False),
                                ("::1", False), ("/run/mysqld/mysqld.sock", False),
                                ("192.0.2.9", True), ("db.example.net", True)):
            text, _ = screen(dhcp4(near % host, POOL), "--clients=20k", KEA_3[0])
            self.assertEqual("at --rtt=1ms" in text, is_remote, host)
            self.assertEqual(f"has its database on {host}" in text, is_remote, host)

    def test_lifetimes_as_subnets_inherit_them(self):
        pools = '"pools": [{"pool": "10.%d.0.0/24"}]'
        text, out = screen(dhcp4(
            '"valid-lifetime": 7200,\n"cache-threshold": 0.1',
            f'\n"subnet4": [{{"valid-lifetime": 604800, "renew-timer": 60, {pools % 1}}}, '
            '{"valid-lifetime": 30}]',
            f'\n"shared-networks": [{{"valid-lifetime": 600, "subnet4": [{{{pools % 2}}}, '
            f'{{"cache-threshold": 0.2, {pools % 3}}}]}}]'), "--explain")
        self.assertIn("leases of 10 minutes to 168 hours", text)
        for row in ("valid-lifetime 604800 line 4 (1 of 3 subnets)",
                    "valid-lifetime 600 line 6 (2 of 3 subnets)",
                    "cache-threshold 0.1 line 2 (2 of 3 subnets)",
                    "cache-threshold 0.2 line 6 (1 of 3 subnets)",
                    "renew-timer 60 line 4 (1 of 3 subnets)"):
            self.assertIn(row, text)
        self.assertNotIn("valid-lifetime 7200", text)
        self.assertNotIn("valid-lifetime 30", text)

    def test_all_servers_of_a_file_are_named(self):
        two = '{"Dhcp4": {}, "Dhcp6": {"lease-database": {"type": "mysql"}}, "DhcpDdns": {}}'
        text, _ = screen(two)
        self.assertIn("Only Dhcp4 is read: the file also has Dhcp6, DhcpDdns", text)
        self.assertNotIn("Only Dhcp4", screen('{"Dhcp4": {}}')[0])

    def test_names_are_cut_with_a_mark(self):
        with tempfile.TemporaryDirectory() as folder:
            path = write(folder, "{\"Dhcp4\": {}}", "a" * 60 + ".conf")
            _, out, _ = samples.report("answer", "--kea", path)
        self.assertTrue(out.startswith("..." + "a" * 32 + ".conf: DHCPv4"), out)

    def test_everything_is_behind_explain(self):
        text, _ = screen(dhcp4(MYSQL, POOL, '"valid-lifetime": 40'), "--explain", *PUBLISHED[:1])
        for word in ("THEN thread-pool-size: 12", "Kea's manual recommends 12",
                     "cache-threshold 0.25 since 3.0, none before", "host db.example.net"):
            self.assertIn(word, text)

    def test_it_fits_the_screen_whatever_there_is(self):
        chance = random.Random(26)
        options, _ = program.parse([*answer.OPTIONS], [])
        found = [results.load([file], self.fail)[0] for file in PUBLISHED]

        def some(*values):
            return chance.choice(values)

        for _ in range(40):
            family = some(4, 6)
            pool = some("2001:db8::/64", "2001:db8::/112") if family == 6 else \
                some("10.0.0.0/8", "10.0.0.1-10.0.0.2")
            site = {
                "lease-database": {
                    "type": some("memfile", "mysql", "postgresql"), "persist": some(True, False),
                    "lfc-interval": some(0, 3600), "host": some("", "a-very-long-name." * 5),
                    "name": some("", "/tmp/kea"),
                    "max-reconnect-tries": some(0, 5), "on-fail": some("stop-retry-exit",
                                                                       "serve-retry-continue")},
                "valid-lifetime": some(1, 60, 7200, 0xffffffff), "renew-timer": some(0, 30, 9999),
                "cache-threshold": some(0, 0.25, 0.9),
                "multi-threading": {"enable-multi-threading": some(True, False),
                                    "thread-pool-size": some(0, 1, 8),
                                    "packet-queue-size": some(0, 9)},
                "dhcp-queue-control": {"enable-queue": some(True, False)},
                "expired-leases-processing": {
                    "reclaim-timer-wait-time": some(0, 1, 1000), "max-reclaim-time": some(0, 250),
                    "max-reclaim-leases": some(0, 1, 999)},
                f"subnet{family}": some([], [{"pools": [{"pool": pool}]}])}
            if chance.random() < 0.5:
                site["hooks-libraries"] = json.loads("{%s}" % HA % (
                    some("hot-standby", "load-balancing", "passive-backup"), ""))["hooks-libraries"]
            with tempfile.TemporaryDirectory() as folder, \
                    contextlib.redirect_stdout(io.StringIO()) as stream:
                clients = some(0, 1, 900000000)
                kea.run({**options, "clients": clients,
                         "kea": write(folder, json.dumps({f"Dhcp{family}": site}))},
                        answer.Site(clients),
                        [line for file in found if chance.random() < 0.5 for line in file])
            out = stream.getvalue()
            self.assertLessEqual(len(out.splitlines()), 24, out)
            self.assertLessEqual(max(map(len, out.splitlines())), 80, out)
            self.assertIn("\nPOWER ", out)


class Files(unittest.TestCase):
    """All that Kea's own reader takes is read, and the rest is refused."""

    def read(self, text, *others):
        with tempfile.TemporaryDirectory() as folder:
            for name, of in others:
                write(folder, of, name)
            return kea_file.read(write(folder, text))

    def load(self, text):
        with tempfile.TemporaryDirectory() as folder:
            return kea_file.load(write(folder, text))

    def test_included_files_that_were_copied(self):
        """An absolute name that does not exist here is sought beside the including file."""
        with tempfile.TemporaryDirectory() as folder:
            write(folder, '"valid-lifetime": 9', "lease.json")
            away = write(folder, '"valid-lifetime": 8', "away.json")
            for name, seconds in (("/nowhere/kea/lease.json", 9), ("lease.json", 9), (away, 8)):
                path = write(folder, f'{{"Dhcp4": {{<?include "{name}"?>}}}}')
                self.assertEqual(kea_file.read(path)[1]["valid-lifetime"], seconds)
            path = write(folder, '{"Dhcp4": {<?include "/nowhere/none.json"?>}}')
            with self.assertRaisesRegex(Problem, "/nowhere/none.json: No such file or directory; "
                                        "expected the file there, or one of that name beside"):
                kea_file.read(path)

    def test_comments_includes_and_commas(self):
        family, site = self.read(
            '# one\n// two "\n{ /* three\n */ "Dhcp4": { <?include "lease.json"?>, "a": [1, 2,],\n'
            '"b": "http://x#",\n"c": -.5e1, "d": 007}, }', ("lease.json", '"valid-lifetime":\n 90'))
        self.assertEqual((family, site), (4, {"valid-lifetime": 90, "a": [1, 2],
                                              "b": "http://x#", "c": -5.0, "d": 7}))
        self.assertTrue(site.lines["valid-lifetime"].endswith("lease.json:1"))
        self.assertTrue(site.lines["c"].endswith("kea-dhcp4.conf:6"))

    def test_whatever_json_says_is_read_as_json_reads_it(self):
        chance = random.Random(4)

        def value(depth):
            plain = [True, None, chance.randrange(-9, 1 << 40), chance.random() * 1e-9,
                     "a\"\\\n\u00e9#//"]
            count = chance.randrange(4) if depth else 0
            return chance.choice([*plain, {f"k{i}": value(depth - 1) for i in range(count)},
                                  [value(depth - 1) for _ in range(count)]])

        for _ in range(200):
            tree = {"x": value(4), "y": value(3)}
            text = json.dumps({"Dhcp6": tree}, indent=chance.choice([None, 2]))
            self.assertEqual(self.read(text), (6, tree))

    def test_refusals(self):
        pool = '{"Dhcp4": {"subnet4": [{%s}]}}'
        for text, words in (
                ("", "1: the file is empty; expected { \"Dhcp4\": {...} }"),
                ("[]", "1: found no map; expected { \"Dhcp4\": {...} }, or the answer to"),
                ("[1]", "1: found no map; expected"), ("7", "1: found no map; expected"),
                ('"Dhcp4": {\n"subnet4": []\n}', "1: the file does not begin with a brace; "
                 "expected braces around all of it"),
                ('"Dhcp4"', "found no map"),
                ('{"Control-agent": {}}', "1: found Control-agent; expected Dhcp4 or Dhcp6"),
                ('{"subnet4": []}', "1: subnet4 is a member of the whole file; expected it within"),
                ('{"x": 1}', "1: found neither Dhcp4 nor Dhcp6; expected"),
                ('{"result": 1, "text": "no"}', "is an error, result 1; expected result 0"),
                ('{"Dhcp4": {},\n"x" 1}', "2: found a number; expected ':' after the name"),
                ('{"Dhcp4": {"a": 1\n"b": 2}}', "2: found a text; expected ',' before the next"),
                ('{"Dhcp4": {"a": +1}}', "1: found the character +; expected JSON"),
                ('{"Dhcp4": {"a": \u201cb\u201d}}', "1: found the character \u201c; expected JSON"),
                ('{"Dhcp4": {"a": ' + "1" * 9999 + "}}", "1: a number is too large; expected"),
                ('{"Dhcp4": {"a": 9223372036854775808}}', "1: a number is too large; expected"),
                ('{"Dhcp4": {"a": 1e999}}', "1: a number is too large; expected"),
                ('{"Dhcp4": {"a": Infinity}}', "1: found a word without quotes; expected a value"),
                ('{"Dhcp4": {"a": True}}', "1: found True; expected true, in lower case"),
                ('{"Dhcp4": {"a": [,1]}}', "1: found ','; expected a value"),
                ('{"Dhcp4": {"a": "\\q"}}', "1: a text has a backslash with a wrong character"),
                ('{"Dhcp4": {\n"a": "x\n"}}', "2: a text does not end in its line; expected"),
                ('{"Dhcp4": {}}\n/* ', "2: a comment does not end; expected */"),
                ('\ufeff{"Dhcp4": {}}', "1: the file has a byte order mark"),
                ('{"Dhcp4": {"a": 1,\n"a": 2}}', "2: a member is there twice in one map, first at"),
                ('{"Dhcp4": {}} {', "1: found '{'; expected nothing after the configuration"),
                ('{"Dhcp4": {"valid-lifetime\\u0000x": 5}}', "1: the name of a member has a"),
                ('{\n<?include "none.json"?>', "conf:2: include: "), ('<?include "none.json"?>',
                                                                     "none.json: No such file"),
                ('<?include none.json ?>', "1: an include is damaged; expected <?include"),
                ('{"Dhcp4": <?include "a\0b"?>}', "has a NUL character in it; expected the name"),
                ('<?include "/dev/zero"?>', "/dev/zero: is not a regular file; expected"),
                ('<?include "kea-dhcp4.conf"?>', "the file includes itself"),
                ('{"Dhcp4": ' + "[" * 100000, "more than 100 maps and lists are in each other"),
                (dhcp4('"valid-lifetime":\n"90"'), "1: valid-lifetime is \"90\"; expected a whole"),
                (dhcp4('"valid-lifetime": 4294967296'), "expected a whole number from 0 to 4,294"),
                (dhcp4('"valid-lifetime": -1'), "valid-lifetime is -1; expected a whole number"),
                (dhcp4('"cache-threshold": 1'), "expected a number from 0 up to 1, without 1"),
                (dhcp4('"multi-threading": {"thread-pool-size": 65536}'), "from 0 to 65,535"),
                (dhcp4('"lease-database": {"type": "cql"}'),
                 "type is \"cql\"; expected memfile, mysql or postgresql"),
                (dhcp4('"lease-database": {"persist": 1}'), "persist is 1; expected true or false"),
                (dhcp4('"subnet4": {}'), "subnet4 is a map; expected a list of maps"),
                (dhcp4('"subnet6": []'), "subnet6 is a list; expected subnet4 in Dhcp4"),
                (dhcp4(HA.replace('"%s"%s', "5")), "mode is 5; expected load-balancing, hot-"),
                (dhcp4(HA % ("hot", "")), "mode is \"hot\"; expected load-balancing, hot-standby"),
                (pool % '"pools": [{"pool": "10.0.0.9 - 10.0.0.1"}]',
                 "pool is \"10.0.0.9 - 10.0.0.1\"; expected two IPv4 addresses"),
                (pool % '"pools": [{"pool": "2001:db8::/64"}]', "expected two IPv4 addresses"),
                (pool % '"pools": [{"pool": "192.0.2.0 - 2001:db8::1"}]', "expected two IPv4"),
                (pool % '"pools": [{"pool": "10.0.0.0/33"}]', "expected two IPv4 addresses"),
                (pool % '"pools": [{"pool": "10.0.0.0"}]', "expected two IPv4 addresses"),
                (pool % '"pools": [{}]', "expected pools that each have a \"pool\""),
                (pool % '"pools": [{"pool": "10.0.0.0/24"}, {"pool": "10.0.0.9 - 10.0.1.9"}]',
                 "pools is a list; expected pools that do not overlap"),
                (pool % '"pd-pools": [{"prefix-len": 56, "delegated-len": 64}]',
                 "expected pools of addresses: Dhcp4 delegates no prefixes"),
                (pool % '"reservations": [{"ip-address": "2001:db8::1"}]', "expected IPv4 addr"),
                ('{"Dhcp6": {"subnet6": [{"pools": [{"pool": "192.0.2.0/24"}]}]}}',
                 "expected two IPv6 addresses"),
                ('{"Dhcp6": {"t1-percent": 1e308}}', "t1-percent is 1e+308; expected a number "
                 "between 0 and 1"),
                ('{"Dhcp6": {"subnet6": [{"pd-pools": [{"delegated-len": 56,'
                 ' "prefix-len": 64}]}]}}', "delegated-len is 56; expected a number")):
            with self.subTest(text[:80]), tempfile.TemporaryDirectory() as folder:
                status, out, err = samples.report("answer", "--kea", write(folder, text))
                self.assertEqual((status, out), (1, ""))
                self.assertIn(words, err)
                self.assertIn("expected", err)

    def test_answers_to_config_get(self):
        site = '{"Dhcp4": {"valid-lifetime": 90}, "hash": "0"}'
        answered = f'{{"result": 0, "arguments": {site}}}'
        for text in (f"[ {answered} ]", answered, site):
            found = self.load(text)
            self.assertEqual((found.family, found.site, found.others),
                             (4, {"valid-lifetime": 90}, []))
        both = f'[{{"result": 0, "arguments": {{"Dhcp6": {{}}}}}}, {answered}]'
        self.assertEqual(self.load(both), (6, {}, ["Dhcp4"]))

    def test_surplus_commas_as_kea_takes_them(self):
        self.assertEqual(self.read('{,}'.replace(",", '"Dhcp4": {"a": [1,,2,,], ,"b": {"c": 3,},},')
                                   .replace(", ,", ",,")), (4, {"a": [1, 2], "b": {"c": 3}}))

    def test_files_that_are_none(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(f"{folder}/fifo")
            for path in (folder, "/dev/zero", f"{folder}/fifo"):
                status, out, err = samples.report("answer", "--kea", path)
                self.assertEqual((status, out), (1, ""), path)
                self.assertIn("is not a regular file; expected a configuration of Kea", err)

    def test_limits(self):
        """Files that include each other many times, and long ones, end soon."""
        with tempfile.TemporaryDirectory() as folder:
            for i in range(10):
                write(folder, f'<?include "{i + 1}"?>' * 10, str(i))
            write(folder, "", "10")
            status, _, err = samples.report("answer", "--kea", f"{folder}/0")
            self.assertEqual(status, 1)
            self.assertIn("it includes more than 1,000 files", err)
            path = write(folder, '{"Dhcp4": {}}' + " " * (kea_file.BYTES_MOST + 1), "long")
            status, _, err = samples.report("answer", "--kea", path)
            self.assertEqual(status, 1)
            self.assertIn("is too long; expected at most 16 MiB", err)

    def test_bytes_that_kea_takes(self):
        """Comments and texts of other encodings."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kea.conf"
            path.write_bytes(b'# \xe4\xff\n{"Dhcp4": {"user-context": {"n": "\xe9"}}}')
            self.assertEqual(samples.report("answer", "--kea", str(path))[0], 0)

    def test_no_value_beside_a_password_is_printed(self):
        """Nor one that could be a password itself."""
        database = '{"Dhcp4": {"lease-database": %s}}'
        for text in (database % '[{"type": "mysql", "password": "hunter2"}]',
                     database % '{"type": "mysql", "host": {"password": "hunter2"}}',
                     database % '{"type": "mysql", "password": hunter2}',
                     database % '{"type": "mysql", "password": hunter2.7}',
                     database % '{"type": "mysql", "password": \u201chunter2\u201d}',
                     database % '{"type": "hunter2", "password": "mysql"}',
                     database % '{"password" "hunter2"}', database % '{"password: "hunter2"}',
                     database % '"mysql://root:hunter2@db.example.net/kea"',
                     database % '{"type": "password=hunter2"}',
                     database % '{"hunter2": 1, "hunter2": 2}', '{"hunter2": {}}',
                     database % '{"persist": "hunter2", "user": "kea"}',
                     database % '["hunter2"'):
            with tempfile.TemporaryDirectory() as folder:
                status, out, err = samples.report("answer", "--kea", write(folder, text))
            self.assertEqual((status, out), (1, ""), text)
            self.assertNotIn("hunter2", err, text)

    def test_no_character_that_a_terminal_obeys_is_printed(self):
        """Wherever the file has it."""
        bad = ("\\u001b[31m", "\\u009b31m", "\\u0007", "\\u202e", "\\n\\u0008", "\x85", "\ud800")
        for escape in bad:
            for text in ('{"Dhcp4": {"lease-database": {"type": "mysql", "host": "%sx", "name": '
                         '"%s"}, "allocator": "%s"}}', '{"%s": {}}', '{"Dhcp4": {}, "%s": 1}',
                         '{"Dhcp4": {"valid-lifetime": "%s"}}', '{"Dhcp4": %s}',
                         '<?include "%s"?>',
                         '{"Dhcp4": {"subnet4": [{"pools": [{"pool": "%s"}]}]}}'):
                text = text.replace("%s", escape)
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "kea\x1b[31m\x9b.conf"
                    path.write_bytes(text.encode("utf-8", "surrogatepass"))
                    _, out, err = samples.report("answer", "--explain", "--kea", str(path))
                self.assertEqual(UNPRINTABLE.findall(out + err), [], text)
                self.assertTrue(out or err)

    def test_damaged_configurations(self):
        """Whatever happens to a file: an answer or a sentence, without its passwords."""
        chance = random.Random(41)
        secret, texts = "hunter2", configurations("hunter2")
        for _ in range(800):
            text = damaged(chance.choice(texts), chance)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "kea.conf"
                path.write_bytes(text.encode("utf-8", "surrogatepass"))
                status, out, err = samples.report("answer", "--kea", str(path), *(
                    ["--explain"] if chance.random() < 0.5 else []))
            self.assertIn(status, (0, 1), text)
            self.assertEqual(status == 0, bool(out), text)
            self.assertEqual(status != 0, bool(err), text)
            self.assertNotIn(secret, out + err, text)
            self.assertEqual(UNPRINTABLE.findall(out + err), [], text)
            self.assertNotIn("Traceback", err)

    def test_command_lines_that_are_refused(self):
        for arguments, words in ((["--lease-time=1h"], "--lease-time: the file of --kea says it"),
                                 (["--renew-at=0.6"], "--renew-at: the file of --kea says it"),
                                 (["--where=thread=3", PUBLISHED[0]], "no result has 'thread'")):
            with tempfile.TemporaryDirectory() as folder:
                status, _, err = samples.report("answer", "--kea", write(folder, dhcp4()),
                                                *arguments)
            self.assertEqual(status, 2)
            self.assertIn(words, err)

    def test_pairs(self):
        for mode in ("hot-standby", "load-balancing"):
            self.assertEqual(kea_file.pair(self.read(dhcp4(HA % (mode, "")))[1]), mode)
        with self.assertRaises(Problem):
            kea_file.pair(self.read(dhcp4('"hooks-libraries": [1]'))[1])


if __name__ == "__main__":
    unittest.main()
