# SPDX-License-Identifier: ISC
"""The page: its HTML and its data; and in a browser, that it answers as `answer` does."""

from __future__ import annotations

import functools
import json
import math
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import samples
from axe import axe_script
from conftest import cannot_run

from ubench import stats
from ubench.errors import Problem
from ubench.records.reader import Records, read_records
from ubench.report.capacity import export
from ubench.report.capacity.evidence import Evidence, long_enough
from ubench.report.capacity.setups import Setup
from ubench.report.capacity.site import Place, Site
from ubench.report.capacity.verdicts import Answer, work_out
from ubench.report.duel.statistics import DuelStatistics
from ubench.report.leases import census as counting
from ubench.report.page import changes, document, history, ratios
from ubench.report.page.contents import CLIENTS, contents_of
from ubench.report.page.document import write_page
from ubench.report.page.summaries import summaries

pytest.importorskip("jinja2")
if not any(path.is_file() for path in document.CHART_JS):
    pytest.skip("Chart.js is not installed", allow_module_level=True)

BROWSER = Path(__file__).with_name("browser.py")
VOID = {"meta", "br", "input"}
MOST_BYTES = 2_000_000
TEXT = "</script><script>alert(1)</script>"

# ---- Results


def exchanges(store: str, cls: str, rate: float, **members: Any) -> list[samples.Line]:
    """Lines with a rate of renewals and of restarts."""
    return [
        samples.store(store, cls, [(work, rate, 10**6)], **members)
        for work in ("renew", "dora-known")
    ]


RESULTS = [
    *exchanges("memfile", "process-safe", 9e5),
    *exchanges("sqlite", "power-safe", 150),
    *exchanges("mysql", "bounded", 4000),
    *exchanges("pgsql", "power-safe", 2000, parameters={"threads": "4"}),
    *exchanges("pgsql", "power-safe", 1000),
    samples.server(rate=1000, threads=4, trials=[samples.server_trial(1000, 4000)]),
    samples.duel(samples.even_slices(8, (100, 110, 100)), sides=3, twin=True),
    *samples.controls(),
    *samples.many(samples.crash("x", cls="process-safe", verdict="lost", lost=30), 3),
]
HOSTILE = [
    samples.store(
        facts={"memfile": '"><img src=x onerror=1> https://evil.example/\u0001'},
        host={"cpu": "0" * 500, "cores": "<!-- & \u202e"},
    ),
    samples.store("sqlite", facts={"ünïcödé": TEXT}, labels={"a": TEXT}),
    samples.crash(TEXT, verdict="lost", lost=1),
]
MANY = [
    samples.store("mysql", rates=[("renew", 1000 + number)], parameters={"count": str(number)})
    for number in range(1, 1001)
]
PUBLISHED = (
    "reference-2026-11", "kea-3.0-2026-11", "databases-sync-2026-11", "databases-rtt-2026-11",
    "dhcp-3.0-2026-11", "guide-2012", "kea-2.0-isc",
)  # fmt: skip


def page_of(lines: Iterable[samples.Line], title: str = "A page") -> str:
    return write_page(title, contents_of(samples.read_lines(lines)))


class Html(HTMLParser):
    """The elements of a page, and what is wrong with them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.contents: dict[str, list[str]] = {"h1": [], "h2": [], "script": [], "style": []}
        self.policy = ""
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f"never closed: {self.open}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            is_anchor = name == "href" and str(value).startswith("#")
            if name.startswith("on") or (name in ("src", "action", "href") and not is_anchor):
                self.wrong.append(f"attribute {name}={value}")
        if dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.policy = str(dict(attrs)["content"])
        if tag in self.contents:
            self.contents[tag].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1:] != [tag]:
            self.wrong.append(f"</{tag}> closes {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.contents:
            self.contents[self.open[-1]][-1] += data


# ---- HTML


@pytest.mark.parametrize("lines", [RESULTS, HOSTILE, RESULTS[:1], samples.controls()])
def test_html_is_whole_and_loads_nothing(lines: list[samples.Line]) -> None:
    html = Html(page_of(lines))
    assert html.wrong == []
    data, script = html.contents["script"]
    assert json.loads(data)
    own = script[script.index("// SPDX-License-Identifier: ISC") :]
    assert re.findall(r"https?:|innerHTML|\beval\b|\bimport\b|fetch\(", own) == []
    assert document.content_hash(script) in html.policy
    assert document.content_hash(html.contents["style"][0]) in html.policy
    assert html.policy.startswith("default-src 'none'")


def test_texts_of_results_are_no_html() -> None:
    text = page_of(HOSTILE, TEXT)
    html = Html(text)
    assert (html.wrong, html.contents["h1"], len(html.contents["script"])) == ([], [TEXT], 2)
    assert "\u202e" not in text
    assert "\u0001" not in text


def test_sections_are_those_with_data() -> None:
    every = Html(page_of(RESULTS)).contents["h2"]
    assert every[0] == "Which store is fast enough for your site?"
    assert "What is lost in a crash?" in every
    assert Html(page_of(samples.controls())).contents["h2"] == [
        "What is lost in a crash?",
        "All results",
        "Terms",
    ]


def test_a_contradiction_comes_first() -> None:
    text = page_of([*samples.controls(), samples.crash("x", verdict="lost", lost=1)])
    assert text.index("Contradiction:") < text.index("<main")


def test_a_thousand_results_are_small() -> None:
    assert len(page_of(MANY).encode()) < MOST_BYTES


def test_the_command_writes_a_file(tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    outcome = samples.report("page", "-o", str(out), "--title", "A title", lines=RESULTS)
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")
    assert "<h1>A title</h1>" in out.read_text("utf-8")
    outcome = samples.report("page", lines=RESULTS)
    assert outcome.out.startswith("<!DOCTYPE html>")
    outcome = samples.report("page", "-o", str(tmp_path / "none" / "out.html"), lines=RESULTS)
    assert outcome.status == 1
    assert "none/out.html: No such file or directory" in outcome.err


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Problem, match=r"install libjs-chart\.js"):
        document.chart_js([])
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(Problem, match="install python3-jinja2"):
        page_of(RESULTS)


# ---- Data


@pytest.mark.parametrize(
    ("own", "other", "change"),
    [
        ("flush 1", "flush 2", "flush 1 → 2"),
        ("sync on", "sync off", "sync on → off"),
        ("flush 1", "flush 1 binlog 0", "binary log not synced"),
        ("flush 1 binlog 0", "flush 1", "without binary log not synced"),
        ("flush 1", "flush 2 binlog 0", "flush 1 → 2 binlog 0"),
        ("", "persist false", "persist false"),
    ],
)
def test_changes_of_settings(own: str, other: str, change: str) -> None:
    assert changes.label_change(own, other) == change


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("mysql", []),
        ("mysql --log-bin --server-id=1 --sync-binlog=1", ["log-bin"]),
        ("pgsql -c wal_compression=on", ["wal_compression=on"]),
        ("pgsql -c synchronous_commit=off", []),
        ("mysql sid mysql --innodb-buffer-pool-size=1G --skip-log-bin", ["skip-log-bin"]),
    ],
)
def test_options_of_servers(name: str, options: list[str]) -> None:
    assert changes.options_of(name) == options


def published_labels(name: str) -> list[str]:
    records = samples.read_lines(samples.published(name))
    return [ratio.change.label for ratio in ratios.ratios(records.duels, None)]


def test_labels_of_published_duels() -> None:
    labels = published_labels("databases-2026-11-26")
    for label in (
        "flush 1 → 2, MariaDB 10.11, new clients",
        "sync on → off, PostgreSQL 15.18, new clients",
        "PostgreSQL 15.20 → 16.2, renewals",
        "PostgreSQL 15.20 sync on against MariaDB 10.11 flush 1, renewals",
        "PostgreSQL 15.20 sync on against MySQL 9.7 flush 1 (binary log off, TLS off), renewals",
        "threads 1 → 8, MySQL 9.7, new clients",
        "TCP → Unix socket, MariaDB 10.11, new clients",
        "TLS on, PostgreSQL 15.18, new clients",
        "binary log off, MySQL 9.7, new clients",
        "server on one processor, MariaDB 10.11, new clients",
    ):
        assert label in labels
    assert len(set(labels)) == len(labels)
    assert [label for label in labels if label.endswith("...")] == []


@functools.cache
def all_published_ratios() -> tuple[ratios.ChartRatio, ...]:
    names = ("databases-2026-11", "databases-2026-11-26", "reference-2026-11")
    files = [str(samples.RESULTS / f"{name}.jsonl") for name in names]
    records = read_records(files, lambda *_: None)
    return tuple(ratios.ratios(records.duels, None))


def test_a_contest_names_the_faster_store_first() -> None:
    contests: dict[str, list[float]] = {}
    for each in all_published_ratios():
        if each.change.stores is not None:
            contests.setdefault(each.change.summary, []).append(each.ratio)
    assert contests
    for summary, found in contests.items():
        first, second = summary.split(" against ")
        assert f"{second} against {first}" not in contests
        assert stats.median(found) >= 1, summary


def test_a_contest_is_as_fast_as_its_duel() -> None:
    """The second side of a duel is the first store of its contest, until that is turned."""
    checked = 0
    for duel in samples.read_lines(samples.published("databases-2026-11-26")).duels:
        by_change = {each.change: each for each in ratios.duel_ratios(duel)}
        statistics = DuelStatistics.from_duel(duel)
        for number in statistics.candidates:
            change = changes.describe_change(duel.sides[0], duel.sides[number])
            if change is None or change.stores is None:
                continue
            direct, contrast = by_change[change.turned()], statistics.contrast(number)
            assert contrast is not None
            assert direct.ratio == contrast.ratio
            turned = direct.turned()
            assert turned.change == change
            assert turned.ratio == pytest.approx(1 / direct.ratio)
            assert turned.interval.low < turned.ratio < turned.interval.high
            checked += 1
    assert checked


def test_each_question_is_summarized_once() -> None:
    found = summaries(all_published_ratios())
    labels = [(each.members[0].change.question, each.members[0].change.group) for each in found]
    assert len(set(labels)) == len(labels)
    assert sum(len(each.members) for each in found) == len(all_published_ratios())
    several = [each for each in found if len(each.members) > 1]
    assert several
    for each in found:
        low, high = each.ends
        assert low <= each.ratio <= high
        assert each.as_json()["count"] == len(each.members)
    (flush,) = (
        each.as_json()
        for each in found
        if each.members[0].change.group == "flush 1 → 2, MariaDB, new clients"
    )
    assert (flush["price"], flush["shown"]) == ("latest", True)


def test_kea_stores_compete_among_themselves() -> None:
    for each in all_published_ratios():
        has_other = "ubench's" in each.change.label or "SQLite" in each.change.label
        assert has_other == (each.change.question is changes.RatioQuestion.OTHER), each.change


def history_lines(**of_second: Any) -> list[samples.Line]:
    """Two results of PostgreSQL, the second with another version and what else is given."""
    members = [{"facts": facts_of(15)}, {"facts": facts_of(16), **of_second}]
    rates = ([("renew", 1000)], [("renew", 1200)])
    return [
        samples.store("pgsql", "power-safe", rates=each, **more)
        for each, more in zip(rates, members, strict=True)
    ]


def facts_of(major: int, **more: str) -> dict[str, str]:
    """Facts of a PostgreSQL, with a default that came with its version."""
    return {"PostgreSQL": f"{major}.1 (libpq {major}.1)", f"default_of_{major}": "on", **more}


@pytest.mark.parametrize(
    ("of_second", "is_history"),
    [
        ({}, True),
        ({"host": {"cpu": "another"}}, False),
        ({"parameters": {"threads": "4"}}, False),
        ({"facts": facts_of(15)}, False),
    ],
)
def test_histories_have_one_configuration(of_second: dict[str, Any], is_history: bool) -> None:
    observations = samples.read_lines(history_lines(**of_second)).all_observations()
    found = history.histories(observations)
    if not is_history:
        assert found == []
        return
    (series,) = found
    assert series["subject"] == "versions of PostgreSQL"
    assert series["points"] == [["15.1", 1000.0, 1], ["16.1", 1200.0, 1]]


def test_facts_that_differ_within_a_version_are_settings() -> None:
    lines = [
        samples.store("pgsql", "power-safe", rates=[("renew", rate)], facts=facts)
        for rate, facts in (
            (1000, facts_of(15, jit="on")),
            (500, facts_of(15, jit="off")),
            (1200, facts_of(16, jit="on")),
        )
    ]
    (series,) = history.histories(samples.read_lines(lines).all_observations())
    assert series["points"] == [["15.1", 1000.0, 1], ["16.1", 1200.0, 1]]


def test_duels_of_versions_have_a_history() -> None:
    records = samples.read_lines(samples.published("databases-2026-11"))
    found = history.histories(records.all_observations())
    (series,) = (each for each in found if each["name"] == "PostgreSQL sync on, renewals")
    assert [version for version, *_ in series["points"]] == ["15.20", "16.2", "17.12", "18.6"]
    names = [(each["subject"], each["name"]) for each in found]
    assert len(set(names)) == len(names)
    assert all(each["subject"] != "versions of ubench" for each in found)


def test_crashes_of_several_campaigns_are_added() -> None:
    cells = contents_of(samples.read_lines(RESULTS)).data["crashes"]
    crashed = next(cell for cell in cells if cell["name"] == "x")
    assert (crashed["lossy"], crashed["crashes"], crashed["bound"]) == (3, 3, 1.0)


def test_quantiles_are_medians_of_runs() -> None:
    runs = [
        samples.run(
            samples.phase("renew", 1000, 10**4, latency=samples.histogram([time] * 2000))
        )
        for time in (1000, 2000, 9000)
    ]
    (curve,) = contents_of(samples.read_lines([samples.store(runs=runs)])).data["latencies"]
    assert curve["quantiles"] == [(0.5, 2000.0), (0.05, 2000.0), (0.01, 2000.0)]


def test_threads_of_one_configuration_are_a_curve() -> None:
    lines = [
        samples.store("pgsql", rates=[("renew", rate)], parameters={"threads": str(count), **more})
        for count, rate, more in ((1, 100, {}), (4, 300, {}), (1, 900, {"schema": "kea"}))
    ]
    (curve,) = contents_of(samples.read_lines(lines)).data["threads"]
    assert curve["points"] == [[1, 100.0], [4, 300.0]]


# ---- In a browser


def random_sites(count: int) -> list[Site]:
    """Sites of all sizes, near and far from their databases."""
    chance = random.Random(1)
    sites = []
    for _ in range(count):
        sync_s = chance.choice([None, None, 10 ** chance.uniform(-5, -2)])
        place = Place(chance.choice([0.0, 0.0, 10 ** chance.uniform(-4, -1)]), sync_s)
        sites.append(
            Site(
                clients=round(10 ** chance.uniform(0, 7)),
                lease_s=float(round(10 ** chance.uniform(2, 6))),
                renew_at=chance.choice([0.5, 0.5, 0.25]),
                restart_s=float(round(10 ** chance.uniform(0, 4))),
                restart_as_new=chance.choice([False, False, True]),
                headroom=chance.choice([1.0, 2.0, 5.0]),
                place=place,
            )
        )
    return sites


SITES = random_sites(50)


def as_page_has_it(site: Site) -> dict[str, Any]:
    """A site as the page's script takes it."""
    members = asdict(site)
    return {**members, **members.pop("place")}


@functools.cache
def published_evidence() -> Evidence:
    return long_enough(published_records().all_observations())


@functools.cache
def published_records() -> Records:
    files = [str(samples.RESULTS / f"{name}.jsonl") for name in PUBLISHED]
    return read_records(files, lambda *_: None)


def published_answer(site: Site) -> Answer:
    evidence = published_evidence()
    return work_out(site, evidence.observations, too_short=evidence.too_short)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What was seen of each page, by a browser that is started once."""
    pythons = [
        python
        for python in (sys.executable, "/usr/bin/python3")
        if shutil.which(python)
        and subprocess.run(
            [python, "-c", "import selenium"], stderr=subprocess.DEVNULL, check=False
        ).returncode == 0
    ]  # fmt: skip
    if not pythons or not shutil.which("chromedriver"):
        cannot_run("chromedriver or selenium is not installed")
    folder = tmp_path_factory.mktemp("pages")
    published = write_page("Published results", contents_of(published_records()))
    texts = [published, page_of(RESULTS), page_of(HOSTILE, TEXT), page_of(MANY)]
    paths = [folder / f"{number}.html" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    questions = {
        "pages": [str(path) for path in paths],
        "sites": [as_page_has_it(site) for site in SITES],
        "axe": axe_script(),
    }
    done = subprocess.run(
        [pythons[0], "-B", str(BROWSER)],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers


def test_nothing_is_wrong_in_a_browser(pages: list[Any]) -> None:
    assert [page["wrong"] for page in pages] == [[], [], [], []]


def identity(setup: Setup) -> tuple[object, ...]:
    """What tells setups apart at all sites."""
    return tuple((each.source, each.side) for each in setup.observations)


def alike(seen: float | None, expected: float | None) -> bool:
    """True if two figures are the same, or both not known."""
    if seen is None or expected is None:
        return seen is expected
    return math.isclose(seen, expected, rel_tol=1e-6)


@pytest.mark.parametrize("number", range(len(SITES)))
def test_the_form_answers_as_the_command(pages: list[Any], number: int) -> None:
    site, seen = SITES[number], pages[0]["answers"][number]
    order = [identity(setup) for setup in published_order()]
    answer = published_answer(site)
    expected = export.as_json(answer)
    places = [order.index(identity(setup)) for setup in answer.setups]
    assert sorted(places) == list(range(len(seen["setups"])))
    for place, setup in zip(places, expected["setups"], strict=True):
        shown = seen["setups"][place]
        assert (shown["name"], shown["verdict"]) == (setup["name"], setup["verdict"])
        for name in ("times", "clients_by_rates", "clients_by_leases"):
            assert alike(shown[name], setup[name]), (name, shown, setup)
        for figure, rate in zip(shown["rates"], setup["rates"].values(), strict=True):
            assert alike(figure, rate["per_s"])
    assert sorted(seen["judged"]) == sorted(places[each] for each in expected["judged"])


@functools.cache
def published_order() -> tuple[Setup, ...]:
    """The setups in the order of the page."""
    return published_answer(replace(Site(), clients=CLIENTS)).setups


def test_the_form_takes_what_is_typed(pages: list[Any]) -> None:
    many, wrong, again = pages[0]["typed"]
    assert many["needs"] == [
        "5,000,000 clients need 1,390 renewals/s, and after a power cut 16,700 restarts/s."
    ]
    assert many["remembered"] == "5,000,000"
    assert (wrong["wrong"], wrong["invalid"]) == (["Expected a whole number from 1."], "true")
    assert again["needs"][0].startswith("40,000 clients need 11.1 renewals/s")
    assert again["sentences"]


def test_tables_open_and_sort_by_the_keyboard(pages: list[Any]) -> None:
    for page in pages[:2]:
        assert all(page["tables"].values()), page["tables"]
    up, down = pages[0]["sorted"]
    assert len(up) > 2
    assert up == down[::-1]


def test_findings_answer_what_most_readers_ask(pages: list[Any]) -> None:
    text = " ".join(pages[0]["findings"])
    assert "flush 1 → 2 makes MariaDB 1.38 times as fast" in text
    assert "PostgreSQL sync on is 1.14 to 1.20 times as fast as MariaDB flush 1" in text


def test_a_page_draws_what_lease_files_require(
    tmp_path: Path, program: Callable[[str], Path]
) -> None:
    program("ubench_leases")
    path = tmp_path / "kea-leases4.csv"
    header = "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname"
    ends_s = 1710720000 + 3600
    rows = [
        f"10.0.0.{number},0a:00:00:00:00:{number:02x},,3600,{ends_s + renewal * 1800 + number}"
        ",7,0,0,secret-host"
        for renewal in range(6)
        for number in range(60)
    ]
    path.write_text("\n".join([header, *rows, ""]))
    page = tmp_path / "page.html"
    outcome = samples.report("page", "--leases", str(path), "-o", str(page))
    assert (outcome.status, outcome.err) == (0, "")
    text = page.read_text()
    assert Html(text).wrong == []
    assert "60 clients with 60 leases (IPv4) in 1 subnet" in text
    assert "secret-host" not in text
    demand = contents_of(Records(), counting.count([str(path)])).data["demand"]
    assert [hour["rate"] for hour in demand["hours"]] == [60 / 3600, 120 / 3600, 120 / 3600]
    assert [hour["counts"] for hour in demand["hours"]] == [[60, 0, 0, 0], [0] * 4, [0] * 4]
