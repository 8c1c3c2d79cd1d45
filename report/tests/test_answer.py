# SPDX-License-Identifier: ISC
"""Which stores are fast enough: figures by arithmetic, and properties of answers."""

import contextlib
import csv
import io
import itertools
import random
import unittest
from pathlib import Path

import samples

from report import Problem, answer, rates, results, rows, screen, stats, table

PLANTED = str(Path(__file__).parents[2] / "results" / "duels-planted-2026-11.jsonl")
SWEEP = str(Path(__file__).parents[2] / "results" / "sweep-2026-11.jsonl")


def both(name="memfile", cls="power-safe", renewals=100.0, restarts=80.0, parameters=(),
         count=1000, **members):
    """Renewals and restarts of a store."""
    return [samples.store(name, cls, [(workload, rate, count)], parameters, **members)
            for workload, rate in (("renew", renewals), ("dora-known", restarts))]


def blocks(*stores):
    """Nine blocks; each store is (name, class, renewals), disturbed by a per mille or two."""
    noise = random.Random(1)
    return [line for number in range(9) for name, cls, rate in stores
            for line in both(name, cls, rate * noise.uniform(0.998, 1.002), 1000,
                             **samples.block(number))]


def work_out(lines, where=(), **site):
    return answer.Answer(answer.Site(**site), samples.read(lines)[0], where)


def work_out_of(found, **site):
    return answer.Answer(answer.Site(**site), found)


def only(lines, **site):
    setups = work_out(lines, **site).setups
    assert len(setups) == 1, [setup.label for setup in setups]
    return setups[0]


class Needs(unittest.TestCase):
    def test_the_examples_of_the_talk(self):
        for arguments, words in (
                (["--clients=86400", "--lease-time=24h"], "need 2 renewals per second, and 288"),
                (["--rate=2", "--lease-time=24h"], "2 renewals per second serve 86,400 clients"),
                (["--clients=1"], "1 client with a lease of 2 hours needs <0.001 renewals"),
                (["--rate=2M"], "IPv4 has no more addresses"),
                (["--clients=1M", "--lease-time=1h", "--renew-at=1"], "need 278 renewals")):
            status, out, err = samples.report("answer", *arguments)
            self.assertEqual((status, err), (0, ""))
            self.assertIn(words, " ".join(out.split()))

    def test_figures_are_short(self):
        self.assertEqual([answer.short(of) for of in (0.46296, 1563.2, 81663000)],
                         ["0.463", "1,560", "81,700,000"])
        self.assertEqual([answer.time_text(of) for of in (86400, 90, 3600)],
                         ["24 hours", "90 seconds", "1 hour"])

    def test_a_need_grows_with_the_clients_and_falls_with_their_time(self):
        for demand in (0, 1):
            site = answer.Site()
            self.assertEqual(answer.need(site, demand, 2000), 2 * answer.need(site, demand, 1000))
            slow = site._replace(lease_s=2 * site.lease_s, restart_s=2 * site.restart_s)
            self.assertEqual(answer.need(slow, demand, 1000), answer.need(site, demand, 500))


class Rates(unittest.TestCase):
    """How often a setup did what a client asks for."""

    def rate(self, *lines, name="renew"):
        return rates.rate_of(rows.Row(samples.read(lines)[0]), name)

    def test_the_median_of_what_was_measured(self):
        rate = self.rate(*(samples.store(rates=[("renew", of)]) for of in (100, 400, 200)))
        self.assertEqual((rate.kind, rate.runs, rate.leases), ("alone", 3, 100000))
        self.assertAlmostEqual(rate.per_s, 200)
        self.assertAlmostEqual(rate.least, 100)

    def test_an_estimate_is_the_time_of_the_steps(self):
        line = samples.store(rates=[("create", 50), ("search", 1000), ("update", 100)])
        rate = self.rate(line)
        self.assertEqual(rate.source, "2 searches + 1 update")
        self.assertAlmostEqual(rate.per_s, 1 / (2 / 1000 + 1 / 100))
        self.assertAlmostEqual(self.rate(line, name="dora").per_s, 1 / (7 / 1000 + 1 / 50))
        self.assertAlmostEqual(self.rate(line, name="dora-known").per_s, 1 / (3 / 1000 + 1 / 100))
        six = samples.store(rates=[("create", 50), ("search", 1000)], parameters={"ipv6": "yes"})
        self.assertAlmostEqual(self.rate(six, name="sarr").per_s, 1 / (4 / 1000 + 1 / 50))

    def test_each_step_of_a_database_waits_for_the_network(self):
        for name, trips in (("pgsql", (3, 4)), ("sqlite", (0, 0))):
            lines = both(name, renewals=500, restarts=400, parameters={"threads": "2"})
            far = only(lines, place=rates.Place(0.001)).rates
            for rate, near, r in zip(far, (500, 400), trips):
                self.assertAlmostEqual(1 / rate.per_s, 1 / near + r * 0.001 / 2, 5)

    def test_the_network_that_was_measured(self):
        found = results.load([SWEEP.replace("sweep", "databases-rtt")], self.fail)[0]
        for delay, rtt_s in (("0.25ms", 0.00056), ("1ms", 0.0021)):
            far, near = ({setup.store: setup.rates for setup in answer.Answer(
                answer.Site(restart_new=True, place=rates.Place(s)), found, [("delay", of)]).setups}
                for of, s in ((delay, 0), ("0", rtt_s)))
            for store, rtts in near.items():
                for rate, measured in zip(rtts, far[store]):
                    self.assertAlmostEqual(rate.per_s / measured.per_s, 1, delta=0.21)

    def test_what_was_measured_comes_before_estimates(self):
        phases = samples.store(rates=[("create", 50), ("search", 1000), ("update", 100)])
        self.assertEqual(self.rate(phases, samples.store()).kind, "alone")

    def test_what_tells_no_rate(self):
        mix = samples.run(samples.phase("renew", 9), samples.phase("dora", 9), together=True)
        for line, why in (
                (samples.store(parameters={"batch": "10"}), "commits each lease by itself"),
                (samples.store(runs=[mix]), "in a mix"),
                (samples.store(parameters={"server-time": "1ms"}), "a server's time"),
                (samples.store(runs=[samples.run(samples.phase("renew", 9), incomplete=True)]),
                 "no run is complete"),
                (samples.store(rates=[("release", 9)]), "no renew, nor its steps")):
            rate = self.rate(line)
            self.assertEqual((rate.kind, rate.per_s), ("", 0.0))
            self.assertIn(why, rate.source)

    def test_a_server_s_bounds_are_explained(self):
        rates_of = (("memfile", "process-safe", 9000), ("pgsql", "power-safe", 1000))
        lines = [samples.server(name, cls, rate, goals=[
            samples.goal(rate + 10, rate + 40, rate),
            samples.goal(rate - 90, rate + 10, rate - 90, max_lost=0.001)],
            trials=[samples.trial(rate + 10, rate * 10, granted_per_s=rate)], seconds=10)
            for name, cls, rate in rates_of]
        shown = samples.report("answer", "--explain", "--clients=10k", lines=lines)[1]
        out = " ".join(shown.split())
        self.assertRegex(out, r"memfile\* 9,000 9,010 9,040 8,910")
        self.assertRegex(out, r"1,000 1,010 1,040 910")
        self.assertNotIn("earlier search", out)
        old = samples.report("answer", "--explain", "--clients=10k", lines=[samples.server()])[1]
        self.assertIn("1 of 1 rates: found by an earlier search", " ".join(old.split()))

    def test_a_search_tells_the_rate_that_holds_for_all_of_its_limits(self):
        for goals, rate in (([(50, True), (40, True)], 40), ([(50, True), (60, False)], 0),
                            ([(None, True)], 0), ([], 0)):
            run = {"goals": [{"in_time_per_s": low, "verified": of} for low, of in goals]}
            self.assertEqual(rates.sustained(run), rate)

    def test_runs_with_far_fewer_leases_do_not_count(self):
        rate = self.rate(*(samples.store(rates=[("renew", of)], parameters={"preload": n})
                           for n, of in (("1000", 900), ("500", 1), ("600", 100))))
        self.assertEqual((rate.runs, rate.leases), (2, 1000))
        self.assertAlmostEqual(rate.least, 100)


class Answers(unittest.TestCase):
    def test_times_are_rates_by_needs(self):
        setup = only(both(renewals=300, restarts=2000))
        fit = answer.Fit(answer.Site(), setup, 10000)
        self.assertAlmostEqual(fit.times[0], 300 / (10000 / 3600), 3)
        self.assertAlmostEqual(fit.times[1], 2000 / (10000 / 300), 3)
        self.assertAlmostEqual(fit.least, 2000 / (10000 / 300), 3)

    def test_more_clients_are_never_easier(self):
        setup, order = only(both()), list(answer.VERDICTS)
        fits = [answer.Fit(answer.Site(), setup, 2 ** n) for n in range(40)]
        seen = [fit.verdict for fit in fits]
        self.assertEqual(seen, sorted(seen, key=order.index))
        self.assertEqual(set(seen), set(order))
        known = [fit.least for fit in fits[:19]]
        self.assertEqual(known, sorted(known, reverse=True))

    def test_nothing_is_said_of_more_than_ten_times_the_leases(self):
        setup, site = only(both(renewals=1e6, restarts=1e6)), answer.Site()
        self.assertIsNotNone(answer.Fit(site, setup, 1000000).least)
        self.assertIsNone(answer.Fit(site, setup, 1000001).least)

    def test_the_reserve_decides(self):
        setup = only(both(restarts=1000))
        for reserve, of in ((29.9, answer.ENOUGH), (30.1, answer.NEAR)):
            self.assertEqual(answer.Fit(answer.Site(reserve=reserve), setup, 10000).verdict, of)

    def test_the_fewest_threads_unless_others_are_named(self):
        lines = both() + both(renewals=900, parameters={"threads": "8"})
        self.assertEqual(work_out(lines).threads, [1, 8])
        self.assertAlmostEqual(work_out(lines).setups[0].rates[0].per_s, 100)
        self.assertAlmostEqual(
            work_out(lines, [("threads", "8")]).setups[0].rates[0].per_s, 900, 3)

    def test_what_is_left_out(self):
        null = samples.store("null", "none", runs=[
            samples.run(samples.phase("renew", 9), verified=False)])
        published = samples.server(published="a paper", durability={"class": None, "from": "x"})
        with self.assertRaises(Problem):
            work_out([null])
        reference = samples.store("sqlite", labels={"role": "reference"})
        self.assertEqual([setup.store for setup in
                          work_out([null, reference, *both()]).setups], ["memfile"])
        found = work_out([published, *both("pgsql", parameters={"threads": "1"})])
        self.assertEqual([setup.cls for setup in screen.judged(found)], ["power-safe"])

    def test_restarts_as_new_clients(self):
        lines = both(restarts=80) + [samples.store(rates=[("dora", 20)])]
        for new, rate in ((False, 80), (True, 20)):
            self.assertAlmostEqual(only(lines, restart_new=new).rates[1].per_s, rate)

    def test_a_server_has_a_row_of_its_own(self):
        found = work_out([samples.server(rate=1000), *both("pgsql")])
        self.assertEqual([section.title for section in found.classes],
                         ["power-safe", "power-safe server"])
        renewals, restarts = found.setups[1].rates
        self.assertEqual((renewals.kind, restarts.kind), (rates.ESTIMATED, rates.ALONE))
        self.assertAlmostEqual(restarts.per_s, 1000, 3)
        self.assertEqual(restarts.leases, 4000)


class Differences(unittest.TestCase):
    """Differences that are more than chance, and the cost of durability."""

    def test_faster_stores_come_first(self):
        found = work_out(blocks(("memfile", "power-safe", 300), ("sqlite", "power-safe", 200),
                                ("mysql", "power-safe", 200.1)))
        self.assertIn(screen.order_text(found.classes[0], screen.long_names(found)),
                      ("ubench's memfile > sqlite (not in Kea) = mysql",
                       "ubench's memfile > mysql = sqlite (not in Kea)"))

    def test_swapped_sides_invert_the_ratio(self):
        found = work_out(blocks(("memfile", "power-safe", 300), ("sqlite", "power-safe", 200)))
        first, second = found.setups
        there, back = answer.Pair(first, second), answer.Pair(second, first)
        self.assertAlmostEqual(there.contrast.ratio * back.contrast.ratio, 1)
        self.assertAlmostEqual(there.contrast.interval.low * back.contrast.interval.high, 1)

    def test_few_runs_tell_nothing(self):
        lines = blocks(("memfile", "power-safe", 300), ("sqlite", "power-safe", 2))[:20]
        found = work_out(lines)
        self.assertEqual(screen.order_text(found.classes[0], screen.long_names(found)), "")
        self.assertIn("chance", dict(screen.notes(found)))

    def test_what_durability_costs(self):
        found = work_out(blocks(("memfile", "power-safe", 100), ("memfile", "process-safe", 250),
                                ("memfile", "volatile", 250)) + [
            line for cls, kind in (("power-safe", "postgresql"), ("bounded", "mysql"))
            for line in both("kea", cls, facts={"Kea": f"2.2.0, {kind}"})])  # two stores: no price
        costs = [(pair.first.cls, pair.second.cls, pair.shown,
                  round(pair.contrast.ratio, 1)) for pair in found.prices]
        self.assertEqual(costs, [("power-safe", "process-safe", True, 2.5),
                                 ("process-safe", "volatile", False, 1.0)])

    def test_other_work_is_not_compared(self):
        few = samples.store(cls="volatile", runs=[samples.run(samples.phase("renew", 9, 50))])
        self.assertIsNone(work_out([samples.store(), few]).prices[0].contrast)


class Shards(unittest.TestCase):
    def test_all_clients_are_served_and_by_no_more_servers_than_it_takes(self):
        setup = only(both(renewals=50, restarts=60))
        for clients in (1, 100, 5000, 20000, 123456):
            site = answer.Site(clients)
            each = min(clients, int(60 * site.restart_s / site.reserve))
            self.assertEqual(answer.Fit(site, setup, clients).shards,
                             (*[-(-clients // each)] * 2, "restarts"))

    def test_the_table_shares_the_clients(self):
        found = work_out(both(renewals=50, restarts=60), clients=20000)
        cells = [cell.text for cell in screen.shard_table(found).rows[0]]
        self.assertEqual(cells[2:], ["3", "6,667", "restarts"])
        self.assertEqual(screen.shard_table(work_out(both(), clients=100)).rows, [])

    def test_leases_may_be_the_limit(self):
        setup = only(both(renewals=1e5, restarts=1e5, parameters={"preload": "100"}))
        self.assertEqual(answer.Fit(answer.Site(2500), setup, 2500).shards,
                         (1, 3, "leases: measure 250"))
        self.assertIsNone(answer.Fit(answer.Site(0), setup, 1).shards)


class Text(unittest.TestCase):
    """The text and CSV have the same figures."""

    LINES = both("memfile", renewals=9000, restarts=9000, count=20000) + \
        both("mysql", restarts=50) + both("pgsql", "bounded", parameters={"preload": "1"})

    def test_the_table_has_every_row(self):
        found = work_out(self.LINES, clients=10000)
        cells = {row[0].text: [cell.text for cell in row[1:]]
                 for row in screen.table(found, found.setups, True).rows}
        self.assertEqual(cells, {
            "ubench's memfile": ["power-safe", "9,000", "9,000", "270", ">1,000,000"],
            "mysql": ["power-safe", "100", "50", "1.5", "7,500"],
            "postgresql": ["bounded", "100", "80", "n/a", ">10"],
            "needed": ["(times: 2 is enough)", "2.78", "33.3", "2", "10,000"]})
        out = samples.report("answer", "--explain", "--clients=10k", lines=self.LINES)[1]
        for words in ("but not 2 times: mysql (1.5 times).", "Not known for so many clients: "
                      "postgresql. We do not extrapolate beyond 10 times the leases tested. "
                      "Measure with --preload=1000.",
                      "power-safe: every acknowledged change survives",
                      "renewals: renew; restarts: dora-known"):
            self.assertIn(words, " ".join(out.split()))

    def test_names_are_told_apart_where_several_rows_have_one(self):
        found = work_out([line for kind in ("mysql", "postgresql") for line in both(
            "kea", facts={"Kea": f"2.2.0, {kind}"})] + both("mysql", parameters={"schema": "kea"}))
        self.assertEqual(sorted(screen.long_names(found).values()), [
            "mysql (kea, Kea=2.2.0, mysql)", "mysql (mysql, schema=kea)", "postgresql"])

    def test_an_unknown_demand_is_not_met(self):
        for lines, words in (
                ([samples.store("kea", rates=[("renew", 9000, 20000)])],
                 "Not known. Measure the restarts: kea_ubench -w dora -O FILE. For renewals alone, "
                 "the slowest store is 1,080 times the need."),
                ([samples.store("kea", rates=[("dora", 9000, 20000)]), *both("mysql")],
                 "Fast enough: mysql. Not known: memfile. Measure the renewals: kea_ubench -w")):
            _, out, _ = samples.report("answer", "--restart-of=new", "--clients=30k",
                                       lines=[*lines, samples.store("mysql", rates=[("dora", 900)])]
                                       if len(lines) > 1 else lines)
            self.assertIn(words, " ".join(out.split()))
            self.assertRegex(out, "memfile .* n/a +n/a")

    def test_csv_has_a_row_for_each_setup_and_demand(self):
        status, out, _ = samples.report("answer", "--format=csv", "--clients=10k",
                                        lines=self.LINES)
        self.assertEqual(status, 0)
        table = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual(len(table), 6)
        for row in table:
            if row["times"]:
                self.assertAlmostEqual(float(row["times"]) * float(row["need_per_s"]),
                                       float(row["rate_per_s"]), 3)

    def test_disturbed_runs_are_counted(self):
        lines = both(restarts=9000) + both(restarts=40, warnings=[{"code": "load", "text": "busy"}])
        note = screen.trust_text(work_out(lines, clients=10000))
        self.assertIn("disturbed 2 of 4 results; the slowest run reached 1.2 times the need", note)

    def test_what_is_no_disturbance_is_not_called_one(self):
        for codes, words in (
                (["load"], "Other work disturbed 2 of 4 results"),
                (["steal", "other-work"], "Other work disturbed 2 of 4 results"),
                (["search"], "The rate was not confirmed in 2 of 4 results"),
                (["load-limit"], "The load was the limit in 2 of 4 results"),
                (["cpu-limit"], "A CPU limit held back 2 of 4 results"),
                (["slow-clock", "not-durable"], "Other warnings in 2 of 4 results"),
                (["load", "search"], "The rate was not confirmed in 2 of 4 results")):
            warnings = [{"code": code, "text": "why"} for code in codes]
            note = screen.trust_text(work_out(both() + both("mysql", warnings=warnings),
                                              clients=100))
            self.assertIn(words, note)
            is_disturbed = not {*codes}.isdisjoint({"load", "steal", "other-work"})
            self.assertEqual("4 results, none disturbed" in note, not is_disturbed, note)
            self.assertEqual("Other work" in note, is_disturbed, note)

    def test_refusals(self):
        for arguments, status, words in (
                ([], 2, "a file is missing; try: ubench_report answer"),
                (["--clients=0"], 2, "--clients: 0 is outside"),
                (["--renew-at=0", "--clients=5"], 2, "--renew-at"),
                (["--headroom=0.5", "--clients=5"], 2, "--headroom: 0.5 is outside 1..1000000"),
                (["--lease-time=24x", "--clients=5"], 2, "is not a time (7200, which are seconds"),
                (["--lease-time=0", "--clients=5"], 2, "0 is outside 1s.."),
                (["--sync=5", "--clients=5"], 2, "is not a time with its unit"),
                (["--restart-of=some", "--clients=5"], 2, "not one of known, new"),
                (["--where", "threads=3", SWEEP], 2, "no result has threads=3"),
                (["--where", "thread=3", SWEEP], 2, "no result has 'thread'"),
                (["missing.jsonl"], 1, "missing.jsonl")):
            with self.subTest(arguments):
                code, out, err = samples.report("answer", *arguments)
                self.assertEqual((code, out), (status, ""))
                self.assertIn(words, err)


class Screen(unittest.TestCase):
    """The answer that everybody reads."""

    def test_it_fits_the_screen_whatever_there_is(self):
        files = [results.load([SWEEP.replace("sweep-2026-11", name)], self.fail)[0]
                 for name in ("sweep-2026-11", "kea-2026-11", "servers-2026-11",
                              "dhcp-2026-11")]
        for count in range(1, len(files) + 1):
            for chosen in itertools.combinations(files, count):
                for clients in (0, 1, 20000, 900000000):
                    with contextlib.redirect_stdout(io.StringIO()) as stream:
                        screen.print_screen(answer.Answer(
                            answer.Site(clients), list(itertools.chain(*chosen))), table.Output())
                    out = stream.getvalue()
                    lines = out.splitlines()
                    self.assertLessEqual(len(lines), 24, out)
                    self.assertLessEqual(max(map(len, lines)), 80, out)

    def test_the_first_lines_are_for_who_runs_kea(self):
        def lines(*stores, clients=20000):
            setups = [line for name, cls, rate, how in stores
                      for line in both(name, cls, rate, rate, durability={"class": cls,
                                                                          "from": how})]
            made = work_out(setups, clients=clients)
            return " ".join(" ".join(line) for line in screen.lines_above(made)), made

        safe = ("pgsql", "power-safe", 900, "synchronous_commit=on, fsync=on")
        text, made = lines(safe, ("mysql", "bounded", 1000, "innodb_flush_log_at_trx_commit=2"),
                           ("memfile", "power-safe", 5000, "fdatasync"))
        self.assertIn("Each measured store of Kea is fast enough: at least 13.5 times", text)
        self.assertIn("If nothing may be lost: postgresql with synchronous_commit=on.", text)
        self.assertIn("last second may be: mysql with innodb_flush_log_at_trx_commit=2", text)
        self.assertEqual([screen.name_of(setup) for setup in screen.ordered(made)],
                         ["postgresql sync on", "mysql flush 2", "ubench's memfile"])
        text, made = lines(safe, ("sqlite", "power-safe", 900, "synchronous=2 (FULL)"),
                           ("memfile", "power-safe", 5000, "fdatasync"), *(
            ("pgsql", "volatile", rate, f"synchronous_commit=off, fsync=on, full_page_writes=on, "
             f"wal_sync_method=fdatasync, lease4 {how}") for rate, how in (
                (2000, "permanent: a killed backend takes the last commits with it"),
                (9000, "unlogged: a crash of the server empties it"))))
        self.assertIn("also by a killed database: postgresql with synchronous_commit=off.", text)
        self.assertEqual([(screen.LOST[screen.loss_of(one)], screen.name_of(one))
                          for one in screen.ordered(made)][:4],
                         [("nothing", "postgresql sync on"), ("the last second +",
                          "postgresql sync off"), ("any number +", "postgresql sync off"),
                          ("nothing", "sqlite (not in Kea)")])
        self.assertEqual(screen.name_of(screen.ordered(made)[-1]), "ubench's memfile")
        text, _ = lines(safe, ("memfile", "power-safe", 5000, "fdatasync"), clients=400000)
        self.assertIn("Too slow: postgresql sync on.", text)
        self.assertIn("The stores of Kea that lose nothing", text)
        text, _ = lines(("sqlite", "power-safe", 5000, "synchronous=2 (FULL)"))
        self.assertIn("(Kea has none of them)", text)
        self.assertIn("No store of Kea was measured; mysql and postgresql can be set to lose "
                      "nothing.", text)

    def test_the_two_that_lose_nothing_are_compared(self):
        for rate, words in ((300, "postgresql is 1.5 times as fast as mysql (1.5 to 1.5)."),
                            (200, "mysql and postgresql differ by less than 3 %.")):
            found = work_out(blocks(("mysql", "power-safe", 200.1), ("pgsql", "power-safe", rate),
                                    ("sqlite", "power-safe", 900)))
            self.assertIn(words, screen.cost_text(found, found.setups))
            self.assertEqual(screen.cost_text(found, found.setups[:1]), "")

    def test_those_that_are_fast_enough_are_shown_first(self):
        found = work_out([line for name, cls, rate in (
            ("kea", "process-safe", 9e5), ("mysql", "power-safe", 9), ("pgsql", "power-safe", 9),
            ("mysql", "bounded", 9)) for line in both(name, cls, rate, rate)], clients=10000)
        self.assertEqual([screen.name_of(one) for one in screen.shown_rows(found, 2)],
                         ["mysql", "memfile"])

    def test_the_most_clients_are_those_that_are_still_fast_enough(self):
        setup = only(both(renewals=100, restarts=20))
        fits = [answer.Fit(answer.Site(), setup, clients) for clients in (2990, 3010)]
        self.assertEqual([round(fit.served[0], -1) for fit in fits], [3000, 3000])
        self.assertEqual([fit.verdict for fit in fits], [answer.ENOUGH, answer.NEAR])
        few = work_out(both(renewals=1e6, restarts=1e6, parameters={"preload": "50"}))
        self.assertEqual(screen.table(few, few.setups).rows[0][-1].text, ">500")

    def test_a_whole_server_stands_for_its_store(self):
        made = work_out([samples.server(rate=1000), *both("pgsql")], clients=1000)
        self.assertEqual([screen.name_of(setup) for setup in screen.ordered(made)],
                         ["postgresql*"])
        _, out, _ = samples.report("answer", lines=[samples.server(rate=1000), *both("pgsql")])
        self.assertIn("* whole DHCP server", out)
        _, out, _ = samples.report("answer", lines=[samples.server(rate=None, trials=[
            samples.trial(1000, 100, holds=False)])])
        self.assertIn("Not known.  Measure the renewals: scripts/dhcp rate -O FILE.", out)


    def test_the_best_search_stands_for_a_server(self):
        goals = [samples.goal(1000, 1040, 1000)]
        kinds = {"": {"goals": goals}, "rough": {"goals": goals, "rough": True}, "earlier": {}}
        rough, earlier = "Rough (--quick): 1 of 1 rate", "Maximum of an earlier search: 1 of 1 rate"
        for names, best, words in (
                (("", "rough", "earlier"), 1000, ""), (("rough", "earlier"), 2000, rough),
                (("", "earlier"), 1000, ""), (("earlier",), 3000, earlier), (("",), 1000, "")):
            for order in itertools.permutations(names):
                made = work_out([samples.server(rate=1000 * (1 + [*kinds].index(name)),
                                                **kinds[name]) for name in order], clients=1000)
                shown, = screen.ordered(made)
                self.assertEqual(round(shown.rates[1].per_s), best, order)
                note = screen.trust_text(made)
                self.assertIn(words, note)
                for other in {rough, earlier} - {words}:
                    self.assertNotIn(other, note)


class Lifetimes(unittest.TestCase):
    """Leases last as long as in Kea unless the site says otherwise."""

    def headline(self, *arguments):
        return samples.report("answer", "--clients=5k", *arguments, lines=both())[1].split("\n")[0]

    def test_the_lifetime_that_is_assumed_is_said_with_its_option(self):
        self.assertEqual(answer.Site().lease_s, 7200)
        self.assertIn("leases of 2 hours (--lease-time)", self.headline())
        self.assertIn("leases of 1 hour,", self.headline("--lease-time=1h"))

    def test_seconds_are_understood_as_in_kea(self):
        for text, words in (("4000", "4000 seconds"), ("3600", "1 hour"), ("90s", "90 seconds"),
                            ("0.5h", "30 minutes"), ("8640000", "2400 hours")):
            self.assertIn(f"leases of {words}", self.headline(f"--lease-time={text}"))


class Short(unittest.TestCase):
    """Runs that are too short are named, and do not count."""

    def test_runs_that_are_too_short(self):
        for rate, count, is_short in ((100, 1000, False), (100, 999, True), (5000, 4999, True),
                                      (5000, 5001, False), (1e6, 10**7, False), (2, 3, True)):
            found = samples.read([samples.store(rates=[("renew", rate, count)])])[0]
            kept, short = answer.drop_short(found)
            self.assertEqual((bool(kept), len(short)), (not is_short, int(is_short)), count)

    def test_each_phase_counts(self):
        phases = [("create", 100, 5000), ("search", 900, 900), ("update", 100, 5000)]
        self.assertEqual(answer.drop_short(samples.read([samples.store(rates=phases)])[0])[0], [])

    def test_a_block_of_a_duel_counts_as_its_side(self):
        run = samples.run(samples.phase("renew", 1000, 20))
        run["side"] = [samples.phase("renew", 1000, 20000)]
        found = samples.read([samples.store(runs=[run])])[0]
        self.assertEqual(answer.drop_short(found)[1], [])

    def test_the_side_of_a_duel_counts_as_a_whole_and_once(self):
        line = results.read_all([PLANTED], self.fail)[2][0]
        self.assertEqual(answer.drop_short(answer.with_duels([], [line]))[1], [])
        brief = {**line, "slices": [[*row[:2], 1, *row[3:]] for row in line["slices"]]}
        found = answer.with_duels([], [brief])
        self.assertGreater(len(found), 2)
        self.assertEqual(len(answer.drop_short(found)[1]), 2)

    def test_all_trials_of_a_search_count(self):
        for per_trial, trials, is_short in ((200, 6, False), (100, 3, True)):
            line = samples.server(rate=per_trial / 10, seconds=10, trials=[
                samples.trial(per_trial / 10, per_trial)] * trials)
            self.assertEqual(bool(answer.drop_short(samples.read([line])[0])[1]), is_short)

    def test_the_screen_names_them(self):
        short = samples.store("mysql", rates=[("renew", 4e4, 3)])
        _, out, _ = samples.report("answer", "--clients=5k", lines=[short, *both("pgsql")])
        self.assertIn("1 run was too short to count (less than 1 s or 1,000 exchanges): mysql "
                      "renew.", " ".join(out.split()))
        self.assertNotIn("mysql  ", out)
        status, out, err = samples.report("answer", "--clients=5k", lines=[short, short | {
            "started_at": "2026-11-02T00:00:00Z"}])
        self.assertEqual((status, out), (1, ""))
        self.assertIn("2 runs were too short to count", err)
        self.assertIn("measure longer", err)


class Names(unittest.TestCase):
    """A product has its name and version, and the settings are those that were read back."""

    FLUSH = "innodb_flush_log_at_trx_commit=1, log_bin="

    def screen(self, *stores):
        lines = [line for name, product, version, said in stores for line in both(
            name, facts={product: version}, durability={"class": "power-safe", "from": said},
            renewals=9000, restarts=9000, count=20000)]
        made = work_out(lines, clients=5000)
        with contextlib.redirect_stdout(io.StringIO()) as stream:
            screen.print_screen(made, table.Output())
        return made, " ".join(stream.getvalue().split())

    def test_mariadb_is_not_mysql(self):
        made, out = self.screen(
            ("mysql", "MariaDB", "10.11.19 (client 3.3.20), InnoDB", self.FLUSH + "OFF"),
            ("mysql", "MySQL", "9.7.4 (client 9.7.4), InnoDB", self.FLUSH + "ON, sync_binlog=1"))
        self.assertEqual({screen.name_of(setup) for setup in screen.ordered(made)},
                         {"MariaDB flush 1", "MySQL flush 1"})
        self.assertIn("MariaDB 10.11.19", out)
        self.assertIn("MySQL 9.7.4", out)
        # Only a binary log has to be synced.
        self.assertEqual(sorted(screen.choices(made, "power-safe").items()), [
            ("MariaDB", "innodb_flush_log_at_trx_commit=1"),
            ("MySQL", "innodb_flush_log_at_trx_commit=1 and sync_binlog=1")])

    def test_versions_are_rows_of_their_own(self):
        made, _ = self.screen(
            ("mysql", "MariaDB", "10.11.19 (client 3.3.20), InnoDB", self.FLUSH + "OFF"),
            ("mysql", "MariaDB", "11.8.9 (client 3.4.10), InnoDB", self.FLUSH + "OFF"),
            ("kea", "Kea", "2.2.0, memfile", "persist=true"),
            ("kea", "Kea", "3.0.4, memfile", "persist=true"))
        self.assertEqual(sorted(screen.name_of(setup) for setup in screen.ordered(made)), [
            "MariaDB 10.11.19 flush 1", "MariaDB 11.8.9 flush 1", "memfile of Kea 2.2.0",
            "memfile of Kea 3.0.4"])

    def test_what_loses_nothing_is_not_said_to_lose_a_second(self):
        _, out = self.screen(("mysql", "MySQL", "9.7.4, InnoDB", self.FLUSH + "OFF"))
        self.assertEqual(out.count("innodb_flush_log_at_trx_commit=1"), 1)
        self.assertNotIn("sync_binlog", out)
        self.assertIn("If the last second may be: no setting for that was measured.", out)


class Verdicts(unittest.TestCase):
    def test_a_store_without_the_headroom_is_not_too_slow(self):
        for rate, words in ((140, "postgresql is fast enough"), (118, "Meets the need, but not 2 "
                            "times: postgresql (1.77 times)."), (60, "Too slow: postgresql.")):
            made = work_out(both("pgsql", renewals=9000, restarts=rate), clients=20000)
            self.assertIn(words, screen.speed_text(made))
            self.assertEqual(rate < 100, "too slow" in screen.safety_texts(made)[0])


class Others(unittest.TestCase):
    """Figures that others published are marked, and never judged beside those of this machine."""

    def screen(self, *names):
        path = SWEEP.replace("sweep-2026-11", "{}")
        status, out, _ = samples.report("answer", "--clients=5k", *map(path.format, names))
        self.assertEqual(status, 0)
        return " ".join(out.split())

    def test_the_figures_of_isc(self):
        out = self.screen("kea-2.0-isc")
        for name in ("memfile", "mysql", "postgresql"):
            self.assertRegex(out, rf"{name}[^#]*# ")
        self.assertIn("SPEED Published by others, not measured here.", out)
        self.assertIn("# published by others, not measured here.", out)

    def test_the_guide_beside_what_was_measured(self):
        alone, both_files = self.screen("kea-3.0-2026-11"), self.screen(
            "guide-2012", "kea-3.0-2026-11")
        self.assertNotIn("#", alone)
        speed = alone[alone.index("SPEED"):alone.index("lost in")]
        self.assertIn(speed, both_files)
        found = answer.drop_short(answer.with_duels(*results.read_all(
            [SWEEP.replace("sweep-2026-11", name) for name in ("guide-2012", "kea-3.0-2026-11")],
            self.fail)[::2]))[0]
        for setup in work_out_of(found).setups:
            self.assertEqual("#" in screen.name_of(setup), bool(setup.results[0]["published"]))


class Network(unittest.TestCase):
    """Where the database was, with the figure of a network beside it."""

    HERE = ({}, {"connection": "TCP to 127.0.0.1, port 5"}, {"connection": "TCP to ::1, port 5"},
            {"connection": "Localhost via UNIX socket"}, {"connection": "socket /run/s/.s.PGSQL.5"},
            {"connection": "localhost via TCP/IP, TLS A"})
    FAR = ({"connection": "TCP to 192.0.2.7, port 5"}, {"connection": "db.example.net via TCP/IP"})

    def text(self, facts, name="pgsql", **site):
        lines = both(name, facts={"PostgreSQL": "15.1", **facts}, floors={
            "clock_ns": 20, "fdatasync_ns": 1e5, "fdatasync_min_ns": 1e5, "round_trip_ns": 620000,
            "harness_ns": 30})
        made = work_out(lines, clients=3000, **site)
        return answer.network_text(made, screen.judged(made))

    def test_the_database_was_on_the_same_machine(self):
        for facts in self.HERE:
            # 80 restarts/s and 4 round trips of 1 ms are 60.6/s, and 10/s are needed.
            self.assertIn("on the same machine; at --rtt=1ms "
                          "6.06 times.", self.text(facts))

    def test_or_on_another_one(self):
        for facts in self.FAR:
            self.assertIn("on another machine: a round trip took 620 us", self.text(facts))

    def test_or_farther_away(self):
        self.assertIn("500 us more for each round trip", self.text({}, place=rates.Place(0.0005)))

    def test_a_file_has_no_network(self):
        self.assertEqual(self.text({}, "sqlite"), "")


class Disk(unittest.TestCase):
    """Rates on a disk that syncs slower, computed from those of another."""

    ON, OFF = "innodb_flush_log_at_trx_commit=1, log_bin=", "synchronous_commit=off, fsync=on"

    def test_the_syncs_of_a_change(self):
        for name, cls, said, syncs in (
                ("mysql", "power-safe", self.ON + "OFF", 1),
                ("mysql", "power-safe", self.ON + "ON, sync_binlog=1", 2),
                ("mysql", "bounded", self.ON + "ON, sync_binlog=0, so that", 1),
                ("mysql", "power-safe", self.ON + "ON, binlog_storage_engine=innodb", 1),
                ("mysql", "bounded", self.ON + "ON, sync_binlog=100", None),
                ("mysql", "bounded", "innodb_flush_log_at_trx_commit=2, log_bin=OFF, the log", 0),
                ("mysql", "process-safe", "engine MyISAM never syncs", None),
                ("pgsql", "power-safe", "synchronous_commit=on, fsync=on, lease4 permanent", 1),
                ("pgsql", "process-safe", "synchronous_commit=on, fsync=off, lease4 permanent", 0),
                ("pgsql", "volatile", self.OFF, 0), ("pgsql", "power-safe", "rewritten", None),
                ("sqlite", "power-safe", "journal_mode=wal, synchronous=2 (FULL), on ext4", 1),
                ("sqlite", "process-safe", "journal_mode=wal, synchronous=0 (OFF), on ext4", 0),
                ("sqlite", "power-safe", "journal_mode=truncate, synchronous=2 (FULL)", None),
                ("memfile", "power-safe", "fdatasync", 1), ("kea", "process-safe", "write", 0)):
            result = samples.read([samples.store(
                name, cls, durability={"class": cls, "from": said})])[0][0]
            self.assertEqual(rates.syncs_of(result), syncs, (name, said))

    def test_each_change_waits_for_its_syncs(self):
        floors = {"clock_ns": 20, "fdatasync_ns": 1e5, "fdatasync_min_ns": 1e5,
                  "round_trip_ns": 1e4, "harness_ns": 30}
        for said, syncs in ((self.ON + "OFF", 1), (self.ON + "ON, sync_binlog=1", 2)):
            lines = both("mysql", renewals=1000, floors=floors,
                         durability={"class": "power-safe", "from": said})
            for sync_ms in (0.1, 1.6, 5):
                rate = only(lines, place=rates.Place(sync_s=sync_ms / 1e3)).rates[0]
                self.assertAlmostEqual(1000 / rate.per_s, 1 + syncs * (sync_ms - 0.1), 6)
        # Nothing is computed without the sync that was measured, or for threads that share one.
        for members in ({}, {"floors": floors, "parameters": {"threads": "4"}}):
            rate = only(both("mysql", durability={
                "class": "power-safe", "from": self.ON + "OFF"}, **members),
                place=rates.Place(sync_s=0.001)).rates[0]
            self.assertEqual((rate.kind, rate.source), ("", rates.UNKNOWN_DISK))

    def test_the_disks_that_were_measured(self):
        found = results.load([SWEEP.replace("sweep", "databases-sync")], self.fail)[0]

        def measure(delay, **place):
            return {(setup.store, setup.differs): setup.rates for setup in answer.Answer(
                answer.Site(restart_new=True, place=rates.Place(**place)), found,
                [("sync_delay", delay)]).setups}

        base_s = stats.median([rates.sync_s_of(result) for result in found
                               if result["labels"]["sync_delay"] == "0us"])
        here = measure("0us")
        self.assertEqual(len(here), 3)
        for delay_us in (500, 1500, 5000):
            slow, computed = measure(f"{delay_us}us"), measure(
                "0us", sync_s=base_s + delay_us / 1e6)
            for setup, demands in slow.items():
                for measured, rate, near in zip(demands, computed[setup], here[setup]):
                    self.assertLess(measured.per_s, 0.85 * near.per_s)
                    self.assertTrue(0.7 < measured.per_s / rate.per_s < 1.15,
                                    (setup, delay_us, measured.per_s, rate.per_s))

    def test_the_screen_says_it(self):
        path = SWEEP.replace("sweep-2026-11", "kea-3.0-2026-11")
        for arguments, words in (([], "A sync took 105 us (ext4 on vda)."), (
                ["--sync=1.6ms"], "Computed for a disk that syncs in about 1.60 ms; the measured "
                "disk took 105 us.")):
            _, out, _ = samples.report("answer", "--clients=20k", *arguments, path)
            self.assertIn(words, " ".join(out.split()))
            self.assertEqual("(1.8 to 1.85)" in out, not arguments)

    def test_what_cannot_be_computed_is_not_called_unmeasured(self):
        floors = {"clock_ns": 20, "fdatasync_ns": 1e5, "fdatasync_min_ns": 1e5,
                  "round_trip_ns": 1e4, "harness_ns": 30}
        shared = {"floors": floors, "parameters": {"threads": "4"}}
        often = {"floors": floors, "durability": {"class": "power-safe", "from": "rewritten"}}
        unmeasured = "Not known{}. Measure the restarts: memfile_ubench"
        for members, other, words in (
                (shared, [], ""), ({}, [], ""), (often, [], ""),
                (shared, [samples.store("memfile", "process-safe", [("renew", 9000, 20000)], {
                    "threads": "4"})], unmeasured.format(": ubench's memfile"))):
            made = work_out([*both("mysql", **{"durability": {
                "class": "power-safe", "from": self.ON + "OFF"}, **members}), *other],
                clients=300, place=rates.Place(sync_s=0.001))
            text = screen.unknown_text(made, made.setups, True)
            self.assertIn("--sync cannot be computed for mysql", " ".join(text.split()))
            self.assertEqual("Measure" in text, bool(other))
            self.assertIn(words, " ".join(text.split()))


class Published(unittest.TestCase):
    """The published sweep: figures that others cite."""

    def test_figures(self):
        found = answer.Answer(answer.Site(), results.load([SWEEP], self.fail)[0])
        seen = {(setup.cls, setup.store): [round(rate.per_s, 3) for rate in setup.rates]
                for setup in found.setups}
        self.assertEqual(seen["power-safe", "memfile"], [5376.824, 5021.604])
        self.assertEqual(seen["power-safe", "sqlite"], [3237.611, 3207.896])
        self.assertEqual(len(seen), 7)
        self.assertEqual(found.clients, 100000)
        names = {one: one.store for one in found.setups}
        orders = {of.title: screen.order_text(of, names) for of in found.classes}
        self.assertEqual(orders["power-safe"], "memfile = sqlite = pgsql = mysql, memfile > "
                         "pgsql, memfile > mysql, sqlite > mysql")


if __name__ == "__main__":
    unittest.main()
