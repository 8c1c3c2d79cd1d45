# SPDX-License-Identifier: ISC
"""Whole servers: what a line says as a result, their tables, and predictions from stores."""

import unittest

import samples

from report import Problem, predict, results, rows, servers
from report.table import Output


def described(**members):
    return samples.read([samples.server(**members)])[0][0]


def tables(*lines):
    found = samples.read(lines)[0]
    opened = [one for one in found if one["open"]]
    stream = samples.Stream()
    servers.print_tables(rows.sections([one for one in found if one not in opened]),
                         rows.sections(opened), Output("markdown", stream))
    return stream.getvalue()


class Lines(unittest.TestCase):
    def test_a_search_is_its_highest_rate_that_held(self):
        trials = [samples.trial(500, 2000), samples.trial(900, 3600),
                  samples.trial(1500, 4000, holds=False),
                  samples.trial(2000, 9000, kept_up=False)]
        found = described(rate=900, trials=trials, store_name="MariaDB 10.11.14", name="mysql")
        run = found["runs"][0]
        self.assertEqual(servers.best_trial(found), trials[1])
        self.assertEqual([phase["name"] for phase in run["phases"]], ["dora"])
        self.assertAlmostEqual(results.rate(run), 900, 5)
        self.assertEqual(found["store"], "kea-dhcp4/mysql")
        self.assertEqual(list(found["facts"].items()),
                         [("kea-dhcp4", "2.2.0"), ("MariaDB", "10.11.14")])

    def test_a_search_is_the_median_of_its_lower_bound(self):
        trials = [samples.trial(900, 3600, granted_per_s=899),
                  samples.trial(950, 3700, granted_per_s=925),
                  samples.trial(900, 3520, granted_per_s=880),
                  samples.trial(900, 3400, granted_per_s=850, holds=False),
                  samples.trial(950, 3800, granted_per_s=949, holds=True)]
        found = described(rate=880, trials=trials, goals=[samples.goal(900, 950, 880)])
        self.assertEqual(servers.best_trial(found), trials[2])
        self.assertAlmostEqual(results.rate(found["runs"][0]), 880, 5)
        self.assertNotIn("search", found["parameters"])
        self.assertEqual(found["warnings"], [])

    def test_a_search_that_an_earlier_version_made_is_told_apart(self):
        self.assertEqual(described()["parameters"]["search"], "earlier")
        rough = described(goals=[samples.goal(1000, 1040, 1000)], rough=True)
        self.assertEqual(rough["parameters"]["search"], "rough")

    def test_a_bound_that_is_missing_is_a_warning(self):
        for (lower, upper, members), word in (
                ((900, None, {}), "no upper bound"), ((None, 900, {}), "no lower bound"),
                ((900, 940, {"confirmed": False}), "not confirmed")):
            found = described(rate=lower, goals=[samples.goal(lower, upper, lower, **members)],
                              trials=[samples.trial(900, 3600, granted_per_s=900)] * 2)
            self.assertEqual([one["code"] for one in found["warnings"]], ["search"])
            self.assertIn(word, found["warnings"][0]["text"])
            self.assertEqual(found["incomplete"], lower is None)

    def test_settings_are_parameters(self):
        parameters = described(family=6, hook="none", classes=3, max_lost=0.025)["parameters"]
        self.assertEqual(parameters["workload"], "server rate")
        self.assertEqual((parameters["ipv6"], parameters["classes"]), ("yes", "3"))
        self.assertEqual((parameters["max_lost"], parameters["processors.server"]),
                         ("0.025", "0-1"))
        self.assertNotIn("hook", parameters)
        zero = described(set={"cache-max-age": 0})["parameters"]
        self.assertEqual(zero["set.cache-max-age"], "0")

    def test_a_rate_that_was_not_found_is_no_rate(self):
        found = described(rate=None, trials=[samples.trial(9, 1, holds=False)] * 2)
        self.assertTrue(found["incomplete"])
        self.assertEqual(rows.Row([found]).runs, [])

    def test_a_published_rate_has_no_trial(self):
        line = samples.server(rate=11686, published="a paper")
        del line["trials"]
        found = samples.read([{**line, "durability": {"class": None, "from": "not told"}}])[0][0]
        self.assertAlmostEqual(results.rate(found["runs"][0]), 11686, 2)
        self.assertIsNone(servers.best_trial(found))

    def test_a_rate_that_was_asked_for_is_a_trial(self):
        line = samples.server(command="seconds", trials=[samples.trial(200, 170, sent=200)])
        del line["rate"]
        found = samples.read([line])[0][0]
        trial = found["runs"][0]["trials"][0]
        self.assertEqual((trial["offered"], trial["answered"], trial["unanswered"]), (200, 170, 30))
        self.assertAlmostEqual(trial["bad_share"], 0.15)
        self.assertEqual(found["parameters"]["rate"], "200")

    def test_a_storm(self):
        storm = samples.trial(0, 300, duration_s=2.5, resent=44)
        line = samples.server(command="storm", clients=300, trials=[storm])
        del line["rate"], storm["offered"]
        found = samples.read([line])[0][0]
        self.assertEqual(found["runs"][0]["storm"], {
            "clients": 300, "served": 300, "sent": 344, "retransmitted": 44, "served_50_ns": 0,
            "served_99_ns": 0, "served_100_ns": 2500000000})

    def test_warnings(self):
        busy = samples.trial(1000, 4000)
        busy["processor_s"]["other"] = 1.2
        self.assertEqual([one["code"] for one in described(
            trials=[busy], limited_by_load=True, warning="odd")["warnings"]],
            ["other", "load-limit", "other-work"])
        self.assertEqual(described()["warnings"], [])


class Tables(unittest.TestCase):
    def test_rates_and_costs(self):
        text = tables(*(samples.server(rate=rate, trials=[samples.trial(rate, 4000, cost)])
                        for rate, cost in ((1000, 200), (1020, 220), (1010, 210))),
                      samples.server(rate=2000, threads=4))
        for row in ("1 | 1,010 | 1,000 | 1,020 | n/a | n/a | n/a | 3 |", "1 | 210 | 0 | 0 |",
                    "4 | 2,000 | n/a | n/a | n/a | n/a | n/a | 1 |"):
            self.assertIn(f"| kea-dhcp4/pgsql, threads={row}", text)
        self.assertIn("### kea-dhcp4 2.2.0, power-safe, server rate: every", text)

    def test_bounds_and_the_second_goal(self):
        lines = [samples.server(rate=rate, goals=[
            samples.goal(lower, lower + 40, rate),
            samples.goal(lower - 90, lower, rate - 90, max_lost=0.001)])
            for rate, lower in ((1000, 1010), (1020, 1030), (1010, 1020))]
        text = tables(*lines)
        self.assertIn("| kea-dhcp4/pgsql | 1,010 | 1,000 | 1,020 | 1,010 | 1,070 | 920.0 | 3 |",
                      text)
        self.assertNotIn("earlier search", text)

    def test_what_an_earlier_search_or_a_rough_one_found(self):
        text = tables(samples.server(), samples.server(
            goals=[samples.goal(1000, None, 1000)], limited_by_load=True, rough=True))
        self.assertIn("1 of 2 rates: found by an earlier search, which reported the maximum", text)
        self.assertIn("1 of 2 rates: rough: the trials were shorter than 10 s", text)
        self.assertIn("search=earlier | 1,000 | n/a | n/a | n/a | n/a | n/a |", text)
        self.assertIn("search=rough | 1,000 | n/a | n/a | 1,000 | n/a | n/a |", text)

    def test_a_pair_is_called_one(self):
        self.assertIn("### hot-standby pair, kea-dhcp4 2.2.0, 1 thread, power-safe",
                      tables(samples.server(ha="hot-standby", threads=1)))
        line = samples.server(command="seconds", ha="load-balancing")
        del line["rate"]
        _, out, _ = samples.report("tables", lines=[line])
        self.assertIn("open loop, load-balancing pair, power-safe", out)
        both = tables(samples.server(ha="hot-standby"), samples.server())
        self.assertNotIn("hot-standby pair", both)
        self.assertIn("ha=hot-standby", both)

    def test_rates_beside_renewals_have_a_table_of_their_own(self):
        text = tables(samples.server(rate=1000, classes=64),
                      samples.server(rate=100, renew_old=900))
        self.assertIn("server rate, 900 renewals of old leases to 100 new clients: every", text)
        self.assertEqual(text.count("| kea-dhcp4/pgsql | 1"), 2)

    def test_disturbed_results_are_counted(self):
        self.assertIn("1 of 2 results of servers: odd", tables(
            samples.server(warning="odd"), samples.server(rate=1001)))
        self.assertNotIn("results of servers", tables(samples.server()))

    def test_a_pair_of_which_one_was_killed(self):
        line = samples.server(command="seconds", ha="hot-standby", failover={
            "lost": 1200, "back_s": 11.25, "only_killed": 3, "only_survivor": 1, "again_s": None,
            "differ": 0})
        del line["rate"]
        self.assertIn("| kea-dhcp4/pgsql | 1,200 | 11.25 | 3 | 1 | n/a | 0 |", tables(line))

    def test_leases_that_ran_out_a_start_and_a_file(self):
        trial = samples.trial(20, 100, start_s=1.5, memory_mb=30.5)
        lines = [samples.server(command=name, leases=10000, trials=[trial], **of) for name, of in (
            ("expire", {"expire": {"reclaimed": 900, "left": 9100, "per_hour": 32000,
                                   "silent_s": 0.25}}),
            ("start", {}), ("lfc", {"lfc": {"duration_s": 2.5, "memory_mb": 99.5, "silent_s": 3}}))]
        for line in lines:
            del line["rate"]
        text = tables(*lines)
        for row in ("10,000 | 900 | 32,000 | 9,100 | 0.250 |", "10,000 | 1.500 | 30.50 |",
                    "10,000 | 2.500 | 99.50 | 3 |"):
            self.assertEqual(text.count(f"| kea-dhcp4/pgsql | {row}"), 1, text)


class Predictions(unittest.TestCase):
    """The server's time is 100 us: 110 us with memfile, which takes 10 us by itself.  At 2,000 a
    second it is 200 us and at 500 a second 350 us, and never less than 100."""

    TRIALS = [samples.trial(of, of * 4, us) for of, us in ((500, 360), (10000, 60), (2000, 210))]

    def reference(self, **members):
        return samples.server("memfile", "volatile", 1e6 / 110, sync="volatile",
                              trials=self.TRIALS, **members)

    def exchange(self, name, cls, us, **parameters):
        kea = {"kea-memfile": "2.2.0, memfile", "kea-postgresql": "2.2.0, postgresql"}.get(name)
        return samples.store("kea" if kea else name, cls, facts={"Kea": kea or "1"}, runs=[
            samples.run(samples.phase("dora", 1e6 / us))],
            parameters={key.replace("_", "-"): value for key, value in parameters.items()})

    def flat(self):
        """The lines of a server whose own time is 200 us at each rate."""
        return [samples.server("memfile", "volatile", 1e6 / 210, sync="volatile"),
                self.exchange("kea-memfile", "volatile", 10)]

    def predict(self, *lines):
        return {one.label: one for one in predict.work_out(samples.read(lines)[0])}

    def test_the_rate_at_which_no_time_is_left(self):
        made = self.predict(self.reference(), self.exchange("kea-memfile", "volatile", 10),
                            samples.server("pgsql", rate=1900), self.exchange(
                                "pgsql", "power-safe", 300))
        one = made["pgsql -s yes, 1 thread"]
        self.assertAlmostEqual(one.predicted, 2000, -1)
        self.assertAlmostEqual(one.error, one.predicted / 1900 - 1)
        self.assertIsNone(made["memfile -s volatile, 1 thread"].error)

    def test_a_time_that_no_trial_has_is_that_of_the_highest_rate(self):
        made = self.predict(*self.flat(), samples.server("pgsql", rate=1900),
                            self.exchange("pgsql", "power-safe", 300))
        self.assertAlmostEqual(made["pgsql -s yes, 1 thread"].predicted, 1e6 / 500, 3)

    def test_threads_run_at_once_on_their_processors(self):
        self.assertEqual([predict.at_once({"threads": threads, "processors": {"server": of}})
                          for threads, of in ((4, "0-1"), (4, "0-2,5"), (8, "3"), (2, ""))],
                         [2, 4, 1, 1])

    def test_exchanges_beside_a_server_s_time_are_no_store_s(self):
        made = self.predict(
            *self.flat(), samples.server("pgsql", rate=1900),
            self.exchange("pgsql", "power-safe", 400, server_time="100us", preload="9"),
            self.exchange("pgsql", "power-safe", 300))
        self.assertAlmostEqual(made["pgsql -s yes, 1 thread"].predicted, 1e6 / 500, 3)

    def test_kea_s_own_code_and_tables_and_most_leases_come_first(self):
        lines = [self.exchange("kea-postgresql", "power-safe", 300, preload="1"),
                 self.exchange("pgsql", "power-safe", 1, schema="kea", preload="9"),
                 self.exchange("pgsql", "power-safe", 2, schema="lean", preload="99")]
        for rest, us in ((lines, 300), (lines[1:], 1), (lines[2:], 2)):
            made = self.predict(*self.flat(), samples.server("pgsql", rate=1900), *rest)
            self.assertAlmostEqual(made["pgsql -s yes, 1 thread"].alone, 1e6 / us, -1)

    def test_servers_that_do_more_are_left_out(self):
        for members in {"classes": 2}, {"ha": "hot-standby"}, {"hook": "park"}, {"subnets": 9}, \
                {"reservations": 5}, {"renew_old": 900}:
            with self.assertRaises(Problem):
                self.predict(*self.flat(), samples.server(**members),
                             self.exchange("pgsql", "power-safe", 300))

    def test_what_is_missing_is_named(self):
        for lines, words in (([samples.store()], "no highest rate"),
                             ([samples.server()], "the server's own time is not known"),
                             ([self.reference(), self.exchange("kea-memfile", "volatile", 10),
                               samples.server()], "no server has both")):
            with self.assertRaisesRegex(Problem, words):
                self.predict(*lines)

    def test_the_largest_error_and_pairs_that_change_places(self):
        made = list(self.predict(
            *self.flat(), samples.server("pgsql", rate=1900),
            self.exchange("pgsql", "power-safe", 300),
            samples.server("mysql", rate=2200, sync="no"),
            self.exchange("mysql", "power-safe", 900)).values())
        self.assertEqual(made[1].label, "mysql -s no, 1 thread")
        text = predict.score_text(made)
        self.assertIn("largest -58.7 % (mysql -s no, 1 thread)", text)
        self.assertIn("1 of 1 pairs change places", text)

    def test_the_text_says_how_well_it_did(self):
        status, out, _ = samples.report("predict", lines=[
            self.reference(), self.exchange("kea-memfile", "volatile", 10),
            samples.server("pgsql", rate=1000), self.exchange("pgsql", "power-safe", 300)])
        self.assertEqual(status, 0)
        words = " ".join(out.split())
        self.assertIn("100 us for a lease, 200 us at", words)
        self.assertIn("median error 100.0 %, largest +100.0 % (pgsql -s yes, 1 thread)", words)
        self.assertIn("the ranking is that of the measured rates", words)


if __name__ == "__main__":
    unittest.main()
