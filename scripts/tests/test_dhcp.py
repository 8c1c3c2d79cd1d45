# SPDX-License-Identifier: ISC
"""dhcp: what becomes of a site's file, and which renewals Kea writes."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import dhcp_server

from report.kea.file import Members

OURS = {"lease-database": {"type": "memfile", "persist": True}, "hooks-libraries": [],
        "subnet4": [{"id": 1, "subnet": "10.0.0.0/8", "pools": []}]}


def site(**members):
    return Members({name.replace("_", "-"): of for name, of in members.items()})


class Site(unittest.TestCase):
    def test_only_the_connection_of_its_database_is_replaced(self):
        of = site(lease_database=Members({"type": "mysql", "host": "db1", "lfc-interval": 9}))
        self.assertEqual(dhcp_server.merged(of, OURS, 4, "/hooks")["lease-database"],
                         {"type": "memfile", "persist": True, "lfc-interval": 9})
        self.assertEqual(dhcp_server.replaced(of, 4),
                         ["lease-database: type", "lease-database: host"])

    def test_no_two_subnets_have_a_prefix(self):
        for theirs, ours in (([], "10.0.0.0/8"), (["10.0.0.0/8"], "10.0.0.0/7"),
                             (["10.1.2.3/8", "10.0.0.0/7"], "8.0.0.0/6")):
            of = site(subnet4=[Members({"subnet": prefix}) for prefix in theirs])
            self.assertEqual([one["subnet"] for one in dhcp_server.merged(
                of, OURS, 4, "/hooks")["subnet4"]], [*theirs, ours])


    def test_a_hook_library_that_is_absent_is_left_out(self):
        of = site(hooks_libraries=[Members({"library": path}) for path in (
            "/opt/kea/libdhcp_radius.so", "/opt/kea/libdhcp_stat_cmds.so",
            "/opt/kea/libdhcp_lease_cmds.so")])
        with tempfile.TemporaryDirectory() as hooks:
            there = f"{hooks}/libdhcp_stat_cmds.so"
            Path(there).touch()
            self.assertEqual(dhcp_server.site_libraries(of, hooks),
                             ([{"library": there}], ["libdhcp_radius.so"]))
            self.assertEqual(dhcp_server.merged(of, OURS, 4, hooks)["hooks-libraries"],
                             [{"library": there}])

    def test_a_pair_updates_itself_as_the_site_s(self):
        pair = Members({"this-server-name": "a", "mode": "hot-standby", "peers": [],
                        "heartbeat-delay": 9, "send-lease-updates": False, "sync-leases": False})
        of = site(hooks_libraries=[Members({
            "library": "/x/libdhcp_ha.so",
            "parameters": Members({"high-availability": [pair]})})])
        c = {"ha": "load-balancing", "ha_delay_s": 10, "threads": 4}
        for theirs, updates in ((of, False), (site(), None)):
            _, ha = dhcp_server.ha_hooks(c, 1, "/hooks", theirs)
            made = ha["parameters"]["high-availability"][0]
            self.assertEqual(made.get("send-lease-updates"), updates)
            self.assertEqual(made.get("sync-leases"), updates)
            self.assertEqual((made["mode"], made["this-server-name"], made["heartbeat-delay"]),
                             ("load-balancing", "server1", 1000))


class Cache(unittest.TestCase):
    def test_the_age_until_which_nothing_is_written(self):
        for given, version, share, seconds in (
                ({}, "2.2.0", 0, 0), ({}, "3.0.4", 0.25, 21600),
                ({"cache-threshold": 0.5}, "2.2.0", 0.5, 43200),
                ({"cache-max-age": 0}, "3.0.4", 0, 0),
                ({"cache-max-age": 864}, "2.6.3", 0.01, 864),
                ({"cache-max-age": 864, "cache-threshold": 0}, "3.0.4", 0, 0)):
            self.assertEqual(dhcp_server.cached(given, site(), 4, version), (share, seconds))

    def test_a_subnet_s_own_settings_hold(self):
        of = site(valid_lifetime=100, subnet4=[Members({"valid-lifetime": 4000})])
        self.assertEqual(dhcp_server.cached({}, of, 4, "3.0.4"), (0.25, 1000))


if __name__ == "__main__":
    unittest.main()
