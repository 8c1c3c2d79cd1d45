# SPDX-License-Identifier: ISC
"""Pages in a browser: they answer as `answer` does, and work for all who use them."""

from __future__ import annotations

import functools
import json
import math
import random
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import samples
from axe import axe_script
from conftest import cannot_run
from page_samples import BATCHES, HOSTILE, MANY, RESULTS, TEXT, page_of

from ubench.records.reader import Records, read_records
from ubench.report.capacity import export
from ubench.report.capacity.evidence import Evidence, long_enough
from ubench.report.capacity.setups import Setup
from ubench.report.capacity.site import Place, Site
from ubench.report.capacity.verdicts import Answer, work_out
from ubench.report.page.contents import CLIENTS, contents_of
from ubench.report.page.document import write_page

BROWSER = Path(__file__).with_name("browser.py")
PUBLISHED = (
    "reference-2026-11", "kea-3.0-2026-11", "databases-sync-2026-11", "databases-rtt-2026-11",
    "dhcp-3.0-2026-11", "guide-2012", "kea-2.0-isc",
)  # fmt: skip


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
    texts = [
        published, page_of([*RESULTS, *BATCHES]), page_of(HOSTILE, TEXT), page_of(MANY),
    ]  # fmt: skip
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


def test_settings_of_a_store_are_of_one_version(pages: list[Any]) -> None:
    shown: dict[str, set[str]] = {}
    for product, version in re.findall(
        r"(PostgreSQL|MariaDB|MySQL) (\d[\d.]*)", " ".join(pages[0]["bars"])
    ):
        shown.setdefault(product, set()).add(version)
    assert shown["PostgreSQL"] == {"18.6"}
    assert all(len(versions) == 1 for versions in shown.values())
    assert "PostgreSQL 18.6 (not 15.18)" in pages[0]["versions"][0]


def test_stores_without_a_verdict_are_not_said_to_be_fast_enough(pages: list[Any]) -> None:
    for page in pages:
        for typed in page["typed"]:
            text = " ".join(typed.get("sentences", []))
            assert not ("Every store below is fast" in text and "no verdict" in text), text


def test_the_best_batch_is_that_of_the_site(pages: list[Any]) -> None:
    many, _, few = (typed["batch"] for typed in pages[1]["typed"])
    hidden = "Not drawn: 64 clients (too slow)."
    assert many == [
        "Best at 20/s: a batch of 8 clients. It does 1,200/s, 3.00 times the rate of single "
        "commits, and 99 % are answered within 40 ms.",
        "Your site requires 1,390 renewals/s, which was not measured: this is the nearest load.",
        hidden,
    ]
    # Eight clients fill a batch too slowly at the lowest load that was measured beside it.
    assert few == [
        "Best at 5 to 20/s: a batch of 32 clients or 5 ms. It does 900/s, 2.25 times the rate of "
        "single commits, and 99 % are answered within 9 ms.",
        "Your site requires 11.1 renewals/s.",
        hidden,
    ]
    assert pages[0]["typed"][0]["batch"] == []


def test_who_hears_the_page_hears_each_batch(pages: list[Any]) -> None:
    label = pages[1]["batches"]
    assert "1 client: 400/s, 4 ms; 32 clients or 5 ms: 900/s, " in label
    assert "64 clients: 1,300/s, too slow" in label
    assert pages[1]["tables"]["table-batches"] == [
        "store and exchange", "clients come at", "batch", "exchanges/s", "99 % within", "best",
    ]  # fmt: skip


def test_no_line_goes_through_a_figure(pages: list[Any]) -> None:
    assert pages[0]["clear"] == [80, 106, 81, 146, 136]


def test_tables_open_and_sort_by_the_keyboard(pages: list[Any]) -> None:
    for page in pages[:2]:
        assert all(page["tables"].values()), page["tables"]
    up, down = pages[0]["sorted"]
    assert len(up) > 2
    assert up == down[::-1]


def test_short_answers_are_on_the_first_screens(pages: list[Any]) -> None:
    """All of them fit into a desktop's window, or three of a phone."""
    short = pages[0]["short"]
    assert len(short["1440"]) == 3  # there are no crashes in these files
    assert max(short["1440"]) < 1000
    assert max(short["390"]) < 3 * 844


def test_findings_answer_what_most_readers_ask(pages: list[Any]) -> None:
    text = " ".join(pages[0]["findings"])
    assert "flush 1 → 2 makes MariaDB 1.38 times as fast" in text
    assert "PostgreSQL sync on is 1.14 to 1.20 times as fast as MariaDB flush 1" in text
