# SPDX-License-Identifier: ISC
"""The reader: what is published and what is old is read; what is damaged, or contradicts itself, is
refused with its line and member."""

import copy
import json
import random
import unittest

import published
import samples
from published import RESULTS, folder, one_of, parse, write
from samples import report

from report import figures, results


def put(line, path, value):
    """Changes a member: "runs.0.verified"; None deletes, ... is null."""
    made = copy.deepcopy(line)
    *places, name = [int(part) if part.isdigit() else part for part in path.split("/")]
    at = made
    for place in places:
        at = at[place]
    if value is None:
        del at[name]
    else:
        at[name] = None if value is ... else value
    return made


def trial(**changed):
    return {"stage": "single", "rate_per_s": 200.0, "warmup_ns": 0, "duration_ns": 2 * 10**9,
            "deadline_ns": 10**9, "queue": 64, "incomplete": False, "elapsed_ns": 2 * 10**9,
            "offered": 401, "answered": 400, "late": 10, "dropped": 1, "merged": 0, "failed": 0,
            "unanswered": 0, "in_time_per_s": 195.0, "bad_share": 11 / 401, "grew": False,
            "invalid": None, "wait_ns": [10, 10, 10], "overhead_ns": 0, "response": None,
            "service": None, "lag": None, "seconds": [[200, 5, 10**9], [200, 5, 10**9]], **changed}


def predicted(**changed):
    return {"servers": 1, "service_ns": 1000, "offered": 401, "answered": 401, "late": 0,
            "dropped": 0, "merged": 0, "failed": 0, "unanswered": 0, "response": None,
            "seconds": [], **changed}


def storm(**changed):
    return {"clients": 100, "served": 90, "sent": 120, "retransmitted": 20, "useless": 1,
            "served_50_ns": 10, "served_99_ns": None, "served_100_ns": None, **changed}


def open_loop(**changed):
    line = one_of(workload="dora-known")
    line["runs"] = [{**line["runs"][0], "trials": [trial()], "predicted": predicted(),
                     "closed_loop": {"rate_per_s": 900.0, "failed": 0, "service": None}, **changed}]
    return line


PHASES = one_of(store="sqlite", workload="phases", threads="1")

# Changes of a line of phases, and the member that is then refused.
REFUSED = [
    # ... as it is damaged
    ("format", "ubench-result/3", "the format is 'ubench-result/3'"),
    ("format", None, "this is no result"),
    ("store", None, "store: is missing"),
    ("program", 5, "program: is not a text"),
    ("durability/class", "safe", "durability.class: is not none, volatile"),
    ("durability/from", "", "durability.from: is '', which cannot be"),
    ("parameters/count", 100, "parameters.count: is not a text"),
    ("parameters/password", "x", "parameters.password: is a name that cannot be"),
    ("runs", [], "runs: has 0 items"),
    ("runs/0/phases", {}, "runs[0].phases: is not an array"),
    ("runs/0/phases/1/operations", -1, "runs[0].phases[1].operations: is -1"),
    ("runs/0/phases/1/operations", 1.5, "runs[0].phases[1].operations: is not a whole number"),
    ("runs/0/phases/1/operations", 2**61, "runs[0].phases[1].operations: is 2305843009213693952"),
    ("runs/0/phases/1/operations", True, "runs[0].phases[1].operations: is not a whole number"),
    ("runs/0/phases/2/latency/sum_ns", None, "runs[0].phases[2].latency.sum_ns: is missing"),
    ("runs/0/phases/2/series", [[1]], "runs[0].phases[2].series: is not an array of arrays of 2"),
    ("runs/0/phases/2/series", [[1, -1]], "runs[0].phases[2].series: has a number that cannot be"),
    # ... as it contradicts itself
    ("runs/0/verified", False, "runs[0].verified: is false, and the store is sqlite"),
    ("runs/0/verified", None, "runs[0].verified: is missing"),
    ("runs/0/leases_left", 5, "runs[0].leases_left: is 5, and every answer was right"),
    ("runs/0/digest", None, "runs[0].digest: is missing"),
    ("runs/0/phases/0/operations", 1, "runs[0].phases[0].operations: is 1, and hits + misses is"),
    ("runs/0/phases/0/hits", 1, "runs[0].phases[0].operations: is"),
    ("runs/0/phases/0/elapsed_ns", 1000, "runs[0].phases[0].latency.sum_ns: is"),
    ("runs/0/phases/0/elapsed_ns", 0, "runs[0].phases[0].operations: is"),
    ("runs/0/phases/0/rate_per_s", 5.0, "runs[0].phases[0].rate_per_s: is 5, and the counts give"),
    ("runs/0/phases/0/latency/max_ns", 1, "runs[0].phases[0].latency.sum_ns: is"),
    ("runs/0/phases/0/latency/mean_ns", 1, "runs[0].phases[0].latency.mean_ns: is 1, and the sum"),
    ("runs/0/phases/0/latency/p50_ns", 1, "runs[0].phases[0].latency.p50_ns: and the other"),
    ("runs/0/phases/0/latency/p95_ns", ..., "runs[0].phases[0].latency.p95_ns: is None, and"),
    ("runs/0/phases/0/latency/buckets/0/1", 10**6, "runs[0].phases[0].latency.buckets: are not"),
    ("runs/0/phases/0/latency/buckets/0/1", 0, "runs[0].phases[0].latency.buckets: has a number"),
    ("runs/0/phases/0/latency/buckets/0", [1, 2, 3], "runs[0].phases[0].latency.buckets: is not"),
    ("runs/0/phases/0/latency/buckets/0/0", 257, "runs[0].phases[0].latency.buckets: are not"),
    ("started_at", "2026-02-30T00:00:00Z", "started_at: is 2026-02-30T00:00:00Z, which is no time"),
    ("started_at", "", "started_at: is ''"),
    ("started_at", "99999-01-01T00:00:00Z", "started_at: is '99999-"),
    ("started_at", None, "started_at: is missing"),
    ("parameters/threads", "0", "parameters.threads: is '0'"),
    ("parameters/threads", "-1", "parameters.threads: is '-1'"),
    ("parameters/threads", "abc", "parameters.threads: is 'abc'"),
    ("program", "mysql_ubench", "program: is mysql_ubench, and the store is sqlite"),
    ("durability/class", ..., "durability.class: is not none, volatile"),
    ("published", "somebody", "durability.class: is not null"),
]

# Changes of the run of an open loop.
REFUSED_OPEN = [
    ({"trials": []}, "runs[0].trials: is empty"),
    ({"trials": [trial(rate_per_s=None)]}, "runs[0].trials[0].rate_per_s: is null, and"),
    ({"trials": [trial(in_time_per_s=99999.0)]}, "runs[0].trials[0].in_time_per_s: is 99999"),
    ({"trials": [trial(bad_share=2)]}, "runs[0].trials[0].bad_share: is 2"),
    ({"trials": [trial(elapsed_ns=0)]}, "runs[0].trials[0].in_time_per_s: is 195"),
    ({"trials": [trial(stage="x")]}, "runs[0].trials[0].stage: is not single, coarse"),
    ({"trials": [trial(grew=True)]}, "runs[0].trials[0].grew: is true"),
    ({"trials": [trial(offered=400)]}, "runs[0].trials[0].offered: is 400, and answered + dropped"),
    ({"trials": [trial(late=401)]}, "runs[0].trials[0].answered: is 400, and late is 401"),
    ({"trials": [trial(seconds=[[1, 2, 3]])]}, "runs[0].trials[0].seconds: has more late"),
    ({"predicted": predicted(answered=5)}, "runs[0].predicted.offered: is 401"),
    ({"storm": storm(served=101)}, "runs[0].storm.clients: is 100, and served is 101"),
    ({"storm": storm(served_99_ns=5)}, "runs[0].storm.served_99_ns: is 5, and served_50_ns is 10"),
    *(({"predicted": {name: value for name, value in predicted().items() if name != lost}},
       f"runs[0].predicted.{lost}: is missing") for lost in ("dropped", "late", "failed")),
    *(({"storm": {name: value for name, value in storm().items() if name != lost}},
       f"runs[0].storm.{lost}: is missing") for lost in ("clients", "served", "sent")),
]


class Reads(unittest.TestCase):
    def test_everything_published(self):
        """And each quantile that C has stored is that of the buckets: the reader compares them."""
        complaints = []
        for path in published.FILES:
            found = results.read_all([str(path)], lambda *of: complaints.append(of), True)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(sum(map(len, found)), len(file.readlines()), path)
        self.assertEqual(complaints, [])

    def test_stored_quantiles_are_those_of_the_buckets(self):
        compared = 0
        for line in published.lines("scale-2026-11") + published.lines("servers-2026-11"):
            for histogram in (of for _, of in results.objects(line.get("runs", []), "runs")
                              if "buckets" in of):
                self.assertEqual(results.quantiles(histogram), {
                    f"{name}_ns": histogram[f"{name}_ns"] for name in results.QUANTILES})
                compared += 1
        self.assertGreater(compared, 50)

    def test_warnings_of_earlier_versions(self):
        line = PHASES
        line["warning"] = ("other work used 30 % of the CPU time; it said; so; the load was 2.0 "
                           "before the run, on 2 cores")
        self.assertEqual(parse(line)["warnings"], [
            {"code": "other-work", "text": "other work used 30 % of the CPU time; it said; so: "
                                           "rates too low"},
            {"code": "load", "text": "the load was 2.0 before the run, on 2 cores: "
                                     "rates may be low"}])
        del line["warning"]
        line["warnings"] = [{"code": "later", "text": "as it is"}]
        self.assertEqual(parse(line)["warned"], "as it is")

    def test_members_of_later_versions(self):
        self.assertEqual(parse({**PHASES, "later": {"a": 1}})["later"], {"a": 1})

    def test_open_loops(self):
        for changed in ({}, {"predicted": None}, {"storm": storm(), "trials": [trial(
                rate_per_s=None)]}, {"incomplete": True, "trials": []}):
            parse(open_loop(**changed))

    def test_texts_are_cleaned(self):
        line = put(PHASES, "facts/evil", "\x1b]0;x\x07 \u202e\u200b\ufeff\ud800 \u00e4")
        self.assertEqual(parse(line)["facts"]["evil"], "?]0;x? ???? \u00e4")


class Refuses(unittest.TestCase):
    def refused(self, line, wanted, whole=True):
        with self.assertRaises(results.Damaged, msg=wanted) as raised:
            parse(line, whole)
        self.assertTrue(str(raised.exception).startswith(wanted), (raised.exception, wanted))

    def test_members(self):
        parse(PHASES)
        for path, value, wanted in REFUSED:
            with self.subTest(path=path, value=value):
                self.refused(put(PHASES, path, value), wanted)

    def test_open_loops(self):
        for changed, wanted in REFUSED_OPEN:
            with self.subTest(wanted=wanted):
                self.refused(open_loop(**changed), wanted)
        without = open_loop()
        del without["runs"][0]["predicted"]
        self.refused(without, "runs[0].predicted: is missing")

    def test_runs_that_did_other_work(self):
        line = copy.deepcopy(PHASES)
        line["runs"] = [line["runs"][0], put(line["runs"][0], "digest", "0" * 16)]
        self.refused(line, "runs: have not the same digest")

    def test_figures_alone(self):
        """Without buckets all else is looked at."""
        for path, value, wanted in REFUSED:
            if "buckets" not in path and not path.endswith("p95_ns"):
                self.refused(put(PHASES, path, value), wanted, whole=False)
        parse(put(PHASES, "runs/0/phases/0/latency/buckets/0/1", 10**6), whole=False)

    def test_servers_and_crashes(self):
        server = published.lines("dhcp-2026-11")[0]
        crash = published.lines("crash-nodes")[1]
        for line, path, value, wanted in (
                (server, "rate", "fast", "rate: is not a number"),
                (server, "trials/0/granted", 10**6, "trials[0].sent: is"),
                (server, "durability", None, "durability: is missing"),
                (crash, "verdict", "fine", "verdict: is not kept, lost"),
                (crash, "labels/cell", None, "labels.cell: is missing"),
                (crash, "labels/level", "9", "labels.level: is not 1, 1b"),
                (crash, "leases", None, "leases: is missing")):
            parse(line)
            self.refused(put(line, path, value), wanted)

    def test_lines(self):
        """Whatever is wrong with some lines, the others are used; each is named."""
        text = json.dumps(PHASES)
        with published.folder():
            with open("x.jsonl", "w") as file:
                file.write("\n".join(["no JSON", text, "", text[:200], text, "[1]", '{"format":1}',
                                      text.replace('"format"', '"a":1,"a":2,"format"', 1),
                                      text.replace('"hits": ', '"hits": NaN, "x": ', 1),
                                      text.replace('"hits": ', '"hits": 1e400, "x": ', 1),
                                      "[" * 100000, text[:100]]))
            open("empty.jsonl", "w").close()
            with open("bytes.jsonl", "wb") as file:
                file.write(b"\377\376\n")
            status, out, err = report("tables", "x.jsonl", "empty.jsonl", "bytes.jsonl")
        self.assertEqual(status, 0)
        self.assertIn("sqlite", out)
        wanted = ["x.jsonl:1: the line is not JSON", "x.jsonl:3: the line is empty",
                  "x.jsonl:4: the line is cut short",
                  "x.jsonl:5: the line is the same as x.jsonl:2",
                  "x.jsonl:6: this is no result", "x.jsonl:7: this is no result",
                  "x.jsonl:8: the line is not JSON: a member is there twice",
                  "x.jsonl:9: the line is not JSON: NaN", "x.jsonl:10: runs[0].phases[0].hits: is",
                  "x.jsonl:11: the line is", "x.jsonl:12: the line is cut short",
                  "empty.jsonl:1: the line is empty", "bytes.jsonl:1: the line is not JSON: byte 1"]
        lines = err.splitlines()
        self.assertEqual(len(lines), len(wanted), err)
        for line, start in zip(lines, wanted):
            self.assertTrue(line.startswith(f"ubench_report tables: {start}"), (line, start))
            self.assertTrue(line.endswith("; left out"))


class Unknown(unittest.TestCase):
    """Members of later versions, which no schema has, may be anything."""

    MEMBERS = ({"operations": 1}, {"operations": "x", "elapsed_ns": 5}, {"operations": None},
               {"operations": 1, "elapsed_ns": "x"}, {"operations": 10**30, "elapsed_ns": 0.5},
               {"operations": 1, "elapsed_ns": 1, "rate_per_s": "x"}, {"buckets": []},
               {"buckets": [[1, 1]]}, {"buckets": "x"}, {"buckets": None}, {"buckets": {}},
               {"buckets": [[1, 1]], "count": "x"}, {"buckets": [5, {}], "count": 1},
               {"later": [{}, 5, None, [{}]]}, {"later": [[{"operations": 1}]]})

    def test_they_are_skipped_or_the_line_is_left_out_with_a_reason(self):
        good = samples.store("sqlite", rates=[("renew", 100)])
        for member in self.MEMBERS:
            for place, _ in results.objects(good["runs"], "runs"):
                line = json.loads(json.dumps(good))
                changed = dict(results.objects(line["runs"], "runs"))[place]
                changed.update({**member, "beside": member})
                complaints = []
                with folder():
                    found = results.read_all([write("x.jsonl", [line, good])], lambda *of:
                                             complaints.append(of), whole=True)[0]
                # The line after it is read in any case.
                self.assertEqual(len(found) + len(complaints), 2, (member, place))
                self.assertGreaterEqual(len(found), 1)

    def test_every_command_reads_on(self):
        good = samples.store("sqlite", rates=[("renew", 100)])
        line = json.loads(json.dumps(good))
        line["runs"][0]["steps"] = [{"operation": "find", "operations": 1}]
        for command in ("show", "answer", "tables", "page"):
            _, out, err = samples.report(command, lines=[line, good])
            self.assertIn("runs[0].steps[0].operations: is no whole number", err, command)
            self.assertNotIn("Traceback", err)
            self.assertTrue(out)


class Slices(unittest.TestCase):
    """Slices of a duel whose numbers cannot be."""

    def test_they_are_left_out(self):
        with open(RESULTS / "duels-null-2026-11.jsonl", encoding="utf-8") as file:
            text = file.readline()
        for place, value in ((9, 0.5), (9, 10**9), (9, 1), (2, 1e-308), (2, 0.5), (1, 1e30),
                             (2, 1), (3, 0.1), (1, 10**15)):
            line = json.loads(text)
            for row in line["slices"]:
                row[place] = value
            with self.assertRaises(results.Damaged):
                parse(line)
        line = json.loads(text)
        for begun in ("2026-19-39T29:59:69Z", "2026-02-30T00:00:00Z"):
            with self.assertRaisesRegex(results.Damaged, "started_at: is .*which is no time"):
                parse({**line, "started_at": begun})
        parse(line)


class Fuzzed(unittest.TestCase):
    """Whatever a line says, it is read, or refused with a sentence; what was read is printed."""

    def mutate(self, rnd, text):
        for _ in range(rnd.choice((1, 1, 2, 5))):
            at = rnd.randrange(len(text))
            kind = rnd.randrange(5)
            if kind == 0:  # another byte
                text = text[:at] + bytes([rnd.randrange(256)]) + text[at + 1:]
            elif kind == 1:  # less, or more than once
                end = min(at + rnd.randrange(1, 60), len(text))
                text = text[:at] + text[at:end] * rnd.choice((0, 2)) + text[end:]
            elif kind == 2:  # another number
                digits = [i for i in range(at, len(text)) if text[i:i + 1].isdigit()][:1]
                for i in digits:
                    text = text[:i] + rnd.choice((b"0", b"-1", b"99999999999", b"0.5", b"null")) + \
                        text[i + 1:]
            elif kind == 3:  # other members
                name = rnd.choice((b'"hits"', b'"runs"', b'"late"', b'"from"'))
                text = text.replace(name, b'"x"')
            else:
                text = text.replace(rnd.choice((b"true", b"null", b"0", b'""')),
                                    rnd.choice((b"false", b"null", b"1", b"[]", b"{}")), 1)
        return text

    def test_mutations(self):
        rnd = random.Random(20261122)
        seeds = [line for path in published.CORPUS for line in path.read_bytes().splitlines()]
        seeds += [json.dumps(line).encode() for line in (
            PHASES, open_loop(), open_loop(storm=storm()), published.lines("dhcp-2026-11")[0],
            published.lines("crash-nodes")[1], published.lines("guide-2012")[0])]
        read, refused = [], 0
        for i in range(1500):
            text = seeds[i % len(seeds)] if i < len(seeds) else self.mutate(rnd, rnd.choice(seeds))
            text = text.replace(b"\n", b" ")
            try:
                results.parse(text, whole=i % 2 == 0)
                read.append(text)
            except results.Damaged as why:
                self.assertTrue(str(why))
                refused += 1
        self.assertGreater(len(read), 100)
        self.assertGreater(refused, 500)
        with published.folder():
            with open("x.jsonl", "wb") as file:
                file.write(b"\n".join(read) + b"\n")
            for command in (["tables"], ["tables", "--format=csv"], ["show"], ["answer"],
                            ["compare", "--by=store", "--across-classes"], ["merge"], ["crashes"]):
                status, _, err = report(*command, "x.jsonl")
                self.assertIn(status, (0, 1, 2), err)


class Figures(unittest.TestCase):
    def test_as_people_read_them(self):
        for value, text in ((0, "0"), (0.4321, "0.432"), (9.9996, "10.00"), (46.158, "46.16"),
                            (999.94, "999.9"), (999.96, "1,000"), (547432, "547,400"),
                            (9.9995e5, "1,000,000"), (2e18, "2e+18")):
            self.assertEqual(figures.figure(value), text)
        for ns, text in ((0, "0.00 ns"), (999.6, "1.00 us"), (99.96e6, "100 ms"), (1e12, "1000 s")):
            self.assertEqual(figures.time(ns), text)
        for ns, text in ((90 * 10**9, "90s"), (120 * 10**9, "2m"), (0, "0")):
            self.assertEqual(figures.duration(ns), text)
        self.assertEqual([figures.plural(of, "run") for of in (1, 2)], ["1 run", "2 runs"])

    def test_as_people_type_them(self):
        for text, value in (("100k", 100000), ("1e6", 10**6), ("05", 5), ("", None), ("-1", None),
                            ("1.5", None), ("99999999999999999999", None)):
            self.assertEqual(figures.scan_count(text), value)
        for text, value in (("1.5h", 5400 * 10**9), ("0", 0), ("5", None), ("53d", None),
                            ("1e3s", None), ("1300h", None)):
            self.assertEqual(figures.scan_duration(text), value)
        for text, value in (("-1e3", -1000), ("inf", None), ("1_0", None), ("1e999", None)):
            self.assertEqual(figures.scan_real(text), value)
