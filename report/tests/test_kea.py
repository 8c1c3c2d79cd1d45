# SPDX-License-Identifier: ISC
"""The answer to a site's configuration of Kea: what each setting changes on the screen, and what
is refused."""

import contextlib
import io
import json
import os
import random
import tempfile
import unittest
from pathlib import Path

import samples

from report import Problem, answer, kea, results
from report import options as program
from report.kea import file as kea_file

RESULTS = Path(__file__).parents[2] / "results"
PUBLISHED = [str(RESULTS / f"{name}-2026-11.jsonl") for name in ("sweep", "kea", "dhcp")]
POOL = '"subnet4": [{"pools": [{"pool": "10.0.0.0/16"}]}]'
MYSQL = '"lease-database": {"type": "mysql", "host": "db.example.net"}'
PGSQL = '"lease-database": {"type": "postgresql", "max-reconnect-tries": 3}'
HA = '"hooks-libraries": [{"library": "/usr/lib/libdhcp_ha.so", "parameters": ' \
    '{"high-availability": [{"mode": "%s"%s}]}}]'
NEVER = '"expired-leases-processing": {"reclaim-timer-wait-time": 0}'


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


class Screens(unittest.TestCase):
    """Each setting changes the screen."""

    def test_without_results(self):
        for members, words in (
                ([], ["DHCPv4, memfile, no pools, leases of 2 hours", "never syncs it", "at most "
                      "36,000 expired leases an hour", "FIRST hooks-libraries: libdhcp_ha.so"]),
                ([POOL, '"valid-lifetime": 3600, "renew-timer": 1200'],
                 ["65,536 addresses, leases of 1 hour", "renew after 20 minutes: 54.6 renewals/s",
                  "If no client comes back, 65,500 leases an hour expire: more",
                  "FIRST reclaim-timer-wait-time: 5 (not in the file)"]),
                (['"lease-database": {"type": "memfile",\n"persist": false}'],
                 ["A killed Kea takes every lease", "FIRST persist: true (line 2)"]),
                ([POOL, '"lease-database": {"type": "memfile", "lfc-interval": 0}'],
                 ["FIRST lfc-interval: 3600 (line 2)", "157 MB a day"]),
                ([MYSQL], ["nothing with innodb_flush_log_at_trx_commit=1", "SELECT @@innodb_flush",
                           "Losing db.example.net takes", "FIRST max-reconnect-tries: 10"]),
                ([PGSQL], ["nothing with synchronous_commit=on", "Ask the database: SHOW",
                           "A killed database takes up to 0.6 s if synchronous_commit=off.",
                           "Losing the machine takes every lease that no replica", "7,441"]),
                ([PGSQL, '"multi-threading": {"thread-pool-size": 8,'
                         '"enable-multi-threading": true, "packet-queue-size": 0}'],
                 ["FIRST packet-queue-size: 64 (line 2)"]),
                ([HA % ("hot-standby", "")], ["takes no lease that it gave while its partner"]),
                ([HA % ("load-balancing", ',\n"send-lease-updates": false')],
                 ["takes every lease: no other", "FIRST send-lease-updates: true (line 2)"]),
                ([HA % ("passive-backup", "")], ["leases that no backup has yet"]),
                ([NEVER], ["Kea reclaims no expired lease", "FIRST reclaim-timer-wait-time: 10"]),
                ([HA % ("hot-standby", ""), '"subnet4": [{"cache-threshold": 0.6}]'],
                 ["FIRST cache-threshold: 0.25 (line 2)", "renews after 1 hour no new time"]),
                (['"renew-timer": 1200', '"shared-networks": [{"valid-lifetime": 1200, "subnet4": '
                  '[{"pools": [{"pool": "10.0.0.1 - 10.0.0.9"}]}]}]'],
                 ["9 addresses, leases of 20 minutes", "renew after 10 minutes"])):
            with self.subTest(members):
                text, _ = screen(dhcp4(*members))
                for word in words:
                    self.assertIn(word, text)

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
                    "the table says what a power cut takes", "MariaDB flush 1",
                    "FROM sweep-2026-11.jsonl"]),
                ([POOL], PUBLISHED[1:], [
                    "memfile persist false*", "FROM dhcp-2026-11.jsonl. * is", "65,536 clients"]),
                ([PGSQL, POOL], ["--clients=20k", *PUBLISHED], [
                    "20,000 clients renew", "PostgreSQL sync on", "PostgreSQL is fast enough: at"]),
                ([PGSQL, POOL, '"valid-lifetime": 40'], PUBLISHED[:1],
                 ["Too slow: PostgreSQL sync on", "FIRST valid-lifetime: longer, or another"])):
            with self.subTest(members):
                text, _ = screen(dhcp4(*members), *arguments)
                for word in words:
                    self.assertIn(word, text)

    def test_everything_is_behind_explain(self):
        text, _ = screen(dhcp4(MYSQL, POOL), "--explain", *PUBLISHED)
        for word in ("THEN enable-multi-threading: true, with thread-pool-size: 12",
                     "cache-threshold none in 2.2 and 2.6, 0.25 in 3.0", "host db.example.net"):
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
                    "max-reconnect-tries": some(0, 5), "on-fail": some("stop-retry-exit",
                                                                       "serve-retry-continue")},
                "valid-lifetime": some(1, 60, 7200, 0xffffffff), "renew-timer": some(0, 30, 9999),
                "cache-threshold": some(0, 0.25, 0.9, 2),
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
                kea.run({**options, "kea": write(folder, json.dumps({f"Dhcp{family}": site}))},
                        answer.Site(some(0, 1, 900000000)),
                        [line for file in found if chance.random() < 0.5 for line in file])
            out = stream.getvalue()
            self.assertLessEqual(len(out.splitlines()), 24, out)
            self.assertLessEqual(max(map(len, out.splitlines())), 80, out)


class Files(unittest.TestCase):
    """All that Kea's own reader takes is read, and the rest is refused."""

    def read(self, text, *others):
        with tempfile.TemporaryDirectory() as folder:
            for name, of in others:
                write(folder, of, name)
            return kea_file.read(write(folder, text))

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
        for text, words in (
                ("", "1: found the end of the file: Expecting value"),
                ("[]", "1: found no map; expected {...}"),
                ('{"Control-agent": {}}', "1: found Control-agent; expected Dhcp4 or Dhcp6"),
                ('{"Dhcp4": {},\n"x" 1}', "2: found 1: Expecting ':' delimiter"),
                ('{"Dhcp4": {"a": 1\n"b": 2}}', "2: found a text: Expecting ',' delimiter"),
                ('{"Dhcp4": {"a": +1}}', "1: found +1; expected JSON"),
                ('{"Dhcp4": {"a": ' + "1" * 9999 + "}}", "1: found 1111"),
                ('{"Dhcp4": {"a": 1e999}}', "1: found inf: Expecting value"),
                ('{"Dhcp4": {"a": True}}', "1: found True: Expecting value"),
                ('{"Dhcp4": {\n"a": "x\n"}}', "2: found \"x; expected JSON, and texts"),
                ('{"Dhcp4": {}}\n/* ', "2: found /*; expected JSON, and texts"),
                ('{"Dhcp4": {"a": 1,\n"a": 2}}', "2: a is there twice, first at"),
                ('{"Dhcp4": {}} {', "1: found {: Extra data"),
                ('{\n<?include "none.json"?>', "conf:2: include "), ('<?include "none.json"?>',
                                                                    "none.json: No such file"),
                ('<?include "kea-dhcp4.conf"?>', "the file includes itself"),
                ('{"Dhcp4": ' + "[" * 100000, "too many lists"),
                (dhcp4('"valid-lifetime":\n"90"'), "1: valid-lifetime is \"90\"; expected a whole"),
                (dhcp4('"lease-database": {"type": "cql"}'),
                 "type is \"cql\"; expected memfile, mysql, postgresql"),
                (dhcp4('"lease-database": {"persist": 1}'), "persist is 1; expected true or false"),
                (dhcp4('"subnet4": {}'), "subnet4 is {}; expected a list of maps"),
                (dhcp4('"subnet4": [{"pools": [{"pool": "10.0.0.9 - 10.0.0.1"}]}]'),
                 "pool is \"10.0.0.9 - 10.0.0.1\"; expected two addresses"),
                ('{"Dhcp6": {"subnet6": [{"pd-pools": [{"delegated-len": 56,'
                 ' "prefix-len": 64}]}]}}', "delegated-len is 56; expected a number")):
            with self.subTest(text[:80]), tempfile.TemporaryDirectory() as folder:
                status, out, err = samples.report("answer", "--kea", write(folder, text))
                self.assertEqual((status, out), (1, ""))
                self.assertIn(words, err)
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
