# SPDX-License-Identifier: ISC
"""The site: its index, its links, and its documents."""

from __future__ import annotations

import json
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
import samples
from axe import axe_script
from conftest import cannot_run
from samples import RESULTS, ROOT

from ubench.report.page import document
from ubench.report.site import index, write
from ubench.report.site.documents import anchor_of, make_document

pytest.importorskip("jinja2")
pytest.importorskip("markdown_it")
if not any(path.is_file() for path in document.CHART_JS):
    pytest.skip("Chart.js is not installed", allow_module_level=True)

FILES = ("kea-3.0-2026-11", "guide-2012", "crash-nodes", "databases-rtt-2026-11")


class Links(HTMLParser):
    """The links and anchors of a page, and its rows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.rows: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        members = dict(attrs)
        if "id" in members:
            assert members["id"] not in self.anchors, f"twice: {members['id']}"
            self.anchors.add(members["id"])
        self.links += [str(members[name]) for name in ("href", "src") if name in members]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A site of some published files and one that was contributed, with all documents."""
    folder = tmp_path_factory.mktemp("site")
    contributed = folder / "contributed"
    contributed.mkdir()
    file = samples.write(
        contributed / "arm-4-cores.jsonl",
        [samples.store("pgsql", rates=[("renew", 5000, 10**6)], host={"cpu": "ARM"})],
    )
    names = [str(RESULTS / f"{name}.jsonl") for name in FILES]
    outcome = samples.report(
        "site", f"--output={folder / 'site'}", f"--documents={ROOT}", *names, file
    )
    assert outcome.status == 0, outcome.err
    return folder / "site"


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, Links]:
    return {path: Links(path.read_text()) for path in sorted(site.rglob("*.html"))}


def test_every_link_leads_somewhere(site, pages):
    outside = 0
    for path, page in pages.items():
        for link in page.links:
            target, _, anchor = unquote(link).partition("#")
            if "://" in target or target.startswith("mailto:"):
                outside += 1
                continue
            leads_to = (path.parent / target).resolve() if target else path
            assert leads_to.is_relative_to(site.resolve()), f"{path}: {link}"
            assert leads_to.exists(), f"{path}: {link}"
            if anchor and leads_to in pages:
                assert anchor in pages[leads_to].anchors, f"{path}: {link}"
    assert outside > 0


def test_there_is_a_page_for_each_file_and_document(site):
    for name in FILES:
        assert (site / "files" / f"{name}.html").exists()
        assert (site / "results" / f"{name}.jsonl").exists()
    assert (site / "contributed" / "arm-4-cores.html").exists()
    for path in (*ROOT.glob("docs/*.md"), ROOT / "README.md", *RESULTS.glob("*.md")):
        assert (site / path.relative_to(ROOT)).with_suffix(".html").exists(), path


def test_the_index_says_which_store_on_which_machine(pages, site):
    rows = pages[site / "index.html"].rows
    head = rows[0]
    wanted = {"store", "server", "version", "processor", "disk", "a power cut loses", "file"}
    assert wanted <= set(head)
    own = [row for row in rows if row[-1].startswith("arm-4-cores")]
    assert [row[head.index("processor")] for row in own] == ["ARM"]
    assert "(contributed)" in own[0][-1]
    assert own[0][head.index("renewals/s")] == "5,000"


def test_safe_and_fast_stores_come_first(pages, site):
    head, *rows = pages[site / "index.html"].rows
    losses = [row[head.index("a power cut loses")] for row in rows]
    order = list(index.LOSSES.values())
    assert [order.index(loss) for loss in losses] == sorted(order.index(loss) for loss in losses)
    rates = [
        float(row[1].replace(",", "") or 0)
        for row, loss in zip(rows, losses, strict=True)
        if loss == "nothing"
    ]
    assert rates == sorted(rates, reverse=True)


@pytest.mark.parametrize(
    ("labels", "slowed"),
    [
        ({}, False),
        ({"delay": "0"}, False),
        ({"delay": "0.05ms"}, True),
        ({"sync_delay": "0us"}, False),
        ({"sync_delay": "1500us"}, True),
    ],
)
def test_runs_that_were_slowed_are_no_rows(labels, slowed):
    assert index.is_slowed(samples.observe(samples.store(labels=labels))) is slowed


def test_versions_sort_as_versions():
    versions = ["10.11.19", "9.7.4", "11.8.9"]
    assert sorted(versions, key=index.version_key) == ["9.7.4", "10.11.19", "11.8.9"]


def test_a_folder_with_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    outcome = samples.report("site", f"--output={tmp_path}", lines=[samples.store()])
    assert outcome.status == 1
    assert "not a site of ubench" in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_usage():
    assert samples.report("site", "x.jsonl").status == 2
    assert samples.report("site", "-o", "x").status == 2


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("The line: ubench-result/2", "the-line-ubench-result2"),
        ("<code>-s yes</code> &amp; more", "-s-yes--more"),
    ],
)
def test_anchors_are_those_of_github(heading, anchor):
    assert anchor_of(heading) == anchor


def test_links_of_documents_lead_to_pages(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "LICENSE").touch()
    body = '<h1>A</h1><a href="b.md#c">b</a><a href="../LICENSE">l</a>'
    body += '<a href="https://x/y.md">x</a>'
    made = make_document(tmp_path, "docs/a.md", body)
    assert made.path == "docs/a.html"
    assert made.title == "A"
    assert made.linked == ("LICENSE",)
    assert 'href="b.html#c"' in made.body
    assert 'href="https://x/y.md"' in made.body


def test_the_index_sorts_and_filters_in_a_browser(site):
    selenium = Path("/usr/lib/python3/dist-packages/selenium")
    if not shutil.which("chromedriver") or not selenium.exists():
        cannot_run("chromedriver or selenium is not installed")
    script = Path(__file__).with_name("site_browser.py")
    done = subprocess.run(
        ["/usr/bin/python3", "-B", str(script), str(site / "index.html"), axe_script()],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["wrong"] == []
    assert seen["wide"] <= 390
    rising, falling = seen["versions"]
    known = [version for version in rising if version != index.UNKNOWN]
    assert sorted(known, key=index.version_key) == known
    assert falling[0] == rising[-1]
    assert set(seen["losses"]) == {"nothing"}
    assert seen["shown"] == [f"{len(seen['losses'])} rows"]


def test_a_link_to_a_former_site_stays_and_leads_to_the_new_one(tmp_path):
    site, link = tmp_path / "site", tmp_path / "link"
    site.mkdir()
    link.symlink_to(site)
    (site / write.MARK).touch()
    (site / "old.html").touch()
    write.clear(link)
    assert link.is_symlink()
    assert [path.name for path in site.iterdir()] == [write.MARK]
