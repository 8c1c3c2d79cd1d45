# SPDX-License-Identifier: ISC
"""The HTML of a page."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
import samples
from page_samples import BATCHES, HOSTILE, MANY, RESULTS, TEXT, page_of

from ubench.errors import Problem
from ubench.records.reader import Records
from ubench.report.leases import census as counting
from ubench.report.page import document
from ubench.report.page.contents import contents_of

VOID = {"meta", "br", "input"}
MOST_BYTES = 2_000_000


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


@pytest.mark.parametrize("lines", [RESULTS, BATCHES, HOSTILE, RESULTS[:1], samples.controls()])
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
    assert "What do batches of clients gain?" not in every
    assert "What do batches of clients gain?" in Html(page_of(BATCHES)).contents["h2"]
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
    assert outcome.status == 2
    assert f"--output: cannot write to '{tmp_path}/none'" in outcome.err


def test_the_command_does_not_replace_results(tmp_path: Path) -> None:
    path = samples.write(tmp_path / "out.jsonl", RESULTS)
    text = Path(path).read_text()
    outcome = samples.report("page", "-o", path, path)
    assert (outcome.status, outcome.out) == (2, "")
    assert "has results of ubench, which would be lost" in outcome.err
    assert Path(path).read_text() == text


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Problem, match=r"install libjs-chart\.js"):
        document.chart_js([])
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(Problem, match="install python3-jinja2"):
        page_of(RESULTS)


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
    assert (demand["counted"], demand["kinds"][0]) == ("renewals", "new")
    snapshot = path.rename(tmp_path / "kea-leases4.csv.2")
    demand = contents_of(Records(), counting.count([str(snapshot)])).data["demand"]
    assert (demand["counted"], demand["kinds"]) == ("last transactions", [])
    assert {len(hour["counts"]) for hour in demand["hours"]} == {0}
