# SPDX-License-Identifier: ISC
"""The page: its HTML, the data that its script draws, and, in a browser, that it can be used."""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

import samples

from report import answer, screen

VOID = {"meta", "br", "input"}
ALLOWED = VOID | {"html", "head", "title", "style", "body", "header", "main", "footer", "h1", "h2",
                  "h3", "p", "code", "div", "table", "thead", "tbody", "tr", "th", "td", "form",
                  "script", "section", "details", "summary", "svg", "line", "circle", "text"}
BROWSER = Path(__file__).with_name("browser.py")


class Page(HTMLParser):
    """The contents of a page, and what is wrong with them."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.ids, self.scripts, self.headings = [], [], [], [], []
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f"never closed: {self.open}")
        if len(set(self.ids)) != len(self.ids):
            self.wrong.append("an id is there twice")

    def handle_starttag(self, tag, attrs):
        if tag not in ALLOWED:
            self.wrong.append(f"an element that should not be there: {tag[:40]}")
        for name, value in attrs:
            if name.startswith("on") or name in ("src", "srcset", "action", "href", "style"):
                self.wrong.append(f"attribute {name}")
            if name == "id":
                self.ids.append(value)
        if tag == "script":
            self.scripts.append("")
        if tag in ("h1", "h2", "h3"):
            self.headings.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open[-1:] != [tag]:
            self.wrong.append(f"</{tag}> closes {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open[-1:] == ["style"] and re.search(r"//|url\(|@import", data):
            self.wrong.append("a style from elsewhere")
        if self.open[-1:] == ["script"]:
            self.scripts[-1] += data
        if self.open[-1:] in (["h1"], ["h2"], ["h3"]):
            self.headings[-1] += data


@functools.lru_cache(maxsize=None)
def parsed(text):
    return Page(text)


def page(lines, *arguments):
    status, out, err = samples.report("page", *arguments, lines=lines)
    assert (status, err) == (0, ""), err
    return out


def data_of(text):
    return json.loads(parsed(text).scripts[0])


def latency(*values):
    return {"latency": samples.histogram(values)}


def timed(rate, count):
    """A phase whose latencies are those of its rate."""
    one = samples.phase("renew", rate, count)
    one["latency"] = samples.histogram([one["elapsed_ns"] // count] * count)
    return one


PHASES = [samples.store(name, rates=[("create", rate), ("search", 9 * rate)],
                        parameters={"threads": threads})
          for name, rate, threads in (("memfile", 1000, "1"), ("memfile", 500, "1"),
                                      ("memfile", 2000, "4"), ("sqlite", 100, "1"),
                                      ("sqlite", 110, "4"))]
SITES = [samples.store(name, cls, [(workload, rate, 10**6)], {"preload": "100000000"})
         for name, cls, rate in (("memfile", "power-safe", 9e5), ("sqlite", "power-safe", 150),
                                 ("mysql", "bounded", 4000))
         for workload in ("renew", "dora-known")] + [samples.store("pgsql")]
DAYS = [samples.store("mysql", rates=[("renew", rate)], started_at=f"2026-01-0{day}T00:00:00Z")
        for day, rate in ((1, 100), (2, 80), (3, 120))]
SERVERS = [samples.server(rate=rate, threads=threads, trials=[
    samples.trial(rate, int(rate * 4), 210)]) for rate, threads in ((1000, 1), (2000, 4))]
SETTINGS = [samples.store("sqlite", cls, facts={"SQLite": "3.40.1", "synchronous": level}, runs=[
    samples.run(samples.phase("renew", 500, series=[[500, 1]] * 4 + [[4, 1]] + [[500, 1]] * 3))])
    for level, cls in enumerate(("volatile", "process-safe", "power-safe"))
    for level in [str(level)]]
CRASHES = [*samples.controls(), samples.crash("x", cls="process-safe", verdict="lost", lost=30)]
TEXT = "</script><script>alert(1)</script>"
HOSTILE = [
    samples.store(cls="bounded", facts={'"><img src=x onerror=1>': "https://evil.example/\u0001"},
                  host={"cpu": "0" * 5000, "cores": "<!-- & \u202e"},
                  warnings=[{"code": "x", "text": "]]></style><style>*{display:none}"}]),
    samples.store("mysql", labels={"b": TEXT, "campaign": TEXT}),
    samples.store("mysql", parameters={"workload": TEXT}), samples.store(error='\\"quoted\\"'),
    samples.store("sqlite", facts={"ünïcödé-🐘-存储": TEXT}),
]


class Html(unittest.TestCase):
    def check(self, text):
        found = parsed(text)
        self.assertEqual(found.wrong, [])
        self.assertEqual(len(found.scripts), 2)
        code = found.scripts[1].replace("http://www.w3.org/2000/svg", "")
        self.assertEqual(re.findall(r"https?:|innerHTML|\beval\b|\bimport\b|fetch\(", code), [])
        self.assertEqual(re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text), [])
        for wanted in ("<!DOCTYPE html>", '<html lang="en">', 'name="viewport"', "<title>",
                       "prefers-color-scheme: dark"):
            self.assertIn(wanted, text)

    def test_all_kinds_of_results(self):
        text = page([*PHASES, *SITES, *DAYS, *SERVERS, *SETTINGS, *CRASHES])
        self.check(text)
        headings = parsed(text).headings
        self.assertEqual(headings[:3], ["Lease stores, measured", "Which store is fast enough?",
                                        "Tables"])
        self.assertIn("lost in crashes", headings)

    def test_nothing_that_texts_say_is_html(self):
        text = page(HOSTILE, "--title", TEXT)
        self.check(text)
        self.assertEqual(parsed(text).headings[0], TEXT)
        self.assertLess(len(text), 200000)

    def test_a_contradiction_stands_above_all(self):
        text = page([*samples.controls(), samples.crash("x", verdict="lost", lost=1)])
        self.assertLess(text.index("CONTRADICTION: x"), text.index("<main>"))


class Data(unittest.TestCase):
    """The data that the script draws."""

    def test_rates_are_medians(self):
        group = data_of(page(PHASES))["groups"][0]
        self.assertEqual(list(group["figures"]), ["all of phases", "create of phases",
                                                  "search of phases"])
        rate = group["figures"]["create of phases"]["rate"]
        self.assertEqual((rate["median"], rate["low"]), (750, None))
        self.assertIn("750.0 per second, median of 2 runs", rate["text"])

    def test_intervals_from_six_runs_on(self):
        lines = [samples.store(rates=[("renew", rate)]) for rate in range(100, 109)]
        rate = data_of(page(lines))["groups"][0]["figures"]["renew"]["rate"]
        self.assertLess(rate["low"], rate["median"])
        self.assertIn("95 % interval", rate["text"])

    def test_quantiles_are_medians_of_the_runs(self):
        runs = [samples.run(timed(rate, 1000)) for rate in (1e6, 5e5, 1e5)]
        group = data_of(page([samples.store(runs=runs)]))["groups"][0]
        self.assertEqual(group["figures"]["renew"]["latency"],
                         [[0.5, 2000], [0.95, 2000], [0.99, 2000]])

    def test_seconds_are_whole_ones(self):
        self.assertEqual(data_of(page(SETTINGS))["groups"][0]["seconds"],
                         [500, 500, 500, 500, 4, 500, 500])


USED = {
    "sites": SITES, "phases": [*PHASES, *DAYS],
    "settings": [*SETTINGS, *CRASHES, *SERVERS, *SITES], "hostile": HOSTILE,
    "hundreds": [samples.store("mysql", parameters={"threads": "1", "count": str(i)},
                               rates=[("renew", 1000 + i)]) for i in range(1, 301)],
}


@functools.lru_cache(maxsize=None)
def used():
    """All that a reader sees of each page in a browser, which is started once."""
    python = next((of for of in (sys.executable, "/usr/bin/python3") if subprocess.run(
        [of, "-c", "import selenium"], stderr=subprocess.DEVNULL, check=False).returncode == 0), "")
    if not python or not shutil.which("chromedriver"):
        raise unittest.SkipTest("browser: there is no chromedriver or no selenium")
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"{name}.html") for name in USED]
        for path, lines in zip(paths, USED.values()):
            Path(path).write_text(page(lines, *["--title", TEXT] * (lines is HOSTILE)),
                                  encoding="utf-8")
        done = subprocess.run([python, "-B", BROWSER, *paths], capture_output=True, text=True,
                              timeout=1200, check=False)
    assert done.returncode == 0, done.stderr
    return dict(zip(USED, json.loads(done.stdout)))


class Browser(unittest.TestCase):
    def test_verdicts_are_those_of_the_command(self):
        seen = used()["sites"]
        self.assertEqual(seen["wrong"], [])
        found = answer.Answer(answer.Site(), samples.read(SITES)[0])
        names = screen.long_names(found)
        self.assertEqual(sorted(seen["answer"]), ["1000", "1000000000", "20000"])
        for clients, of in seen["answer"].items():
            site = answer.Site(int(clients))
            fits = {setup: answer.Fit(site, setup, site.clients) for setup in found.setups}
            self.assertEqual(of["lines"], {verdict: "; ".join(
                f"{names[one]} ({one.section.title})" for one in fits
                if fits[one].verdict == verdict) for verdict in {fit.verdict for fit in
                                                                 fits.values()}})
            self.assertEqual(of["screen"], site.clients == 20000)
            for cells, setup in zip(of["times"], found.setups):
                times, served = fits[setup].least, fits[setup].served
                if times is None:
                    self.assertEqual(cells[3], "n/a")
                else:
                    self.assertAlmostEqual(float(cells[3].replace(",", "")) / times, 1, 2)
                self.assertEqual(cells[4], "n/a" if not served else
                                 ">" * (served[0] > served[1]) + answer.short(int(min(served[:2]))))
            self.assertAlmostEqual(float(of["times"][-1][2].replace(",", "")) /
                                   answer.need(site, 1, site.clients), 1, 2)

    def test_filters_and_sorts(self):
        seen = used()["phases"]
        self.assertEqual(seen["wrong"], [])
        self.assertIn("per second, median of", seen["hover"])
        (before, rows), (filtered, fewer), again = seen["filtered"]
        self.assertNotEqual(before, filtered)
        self.assertLess(fewer, rows)
        self.assertEqual(again, [filtered, fewer])
        (up, ascending), (down, descending) = seen["sorted"]
        self.assertEqual((up, down), ("ascending", "descending"))
        self.assertEqual(ascending, descending[::-1])
        self.assertIn("per second", seen["figure"])
        self.assertIn("How fast", seen["sections"])

    def test_settings_and_seconds(self):
        seen = used()["settings"]
        self.assertEqual(seen["wrong"], [])
        self.assertIn("Second by second", seen["sections"])

    def test_hostile_texts_and_hundreds_of_configurations(self):
        for name in "hostile", "hundreds":
            self.assertEqual(used()[name]["wrong"], [])


if __name__ == "__main__":
    unittest.main()
