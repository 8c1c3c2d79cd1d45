# SPDX-License-Identifier: ISC
"""The answer on one screen: that it fits, and its words, in transcripts."""

from __future__ import annotations

import io
import itertools

import pytest
import samples
from answers import answer_of, blocks, both, settings, words_of

from ubench.records.reader import read_records
from ubench.report.capacity import screen, sentences, words
from ubench.report.capacity.evidence import Doubt
from ubench.report.capacity.fit import Verdict
from ubench.report.capacity.phrases import period, three_digits
from ubench.report.capacity.rates import Unknown
from ubench.report.capacity.setups import PowerLoss
from ubench.report.capacity.site import Demand, Place, Site
from ubench.report.capacity.verdicts import work_out
from ubench.report.table import Output

ON = ("synchronous_commit=on as sync on", "fsync=on")
OFF = ("synchronous_commit=off as sync off", "fsync=on")


def printed(answer) -> str:
    stream = io.StringIO()
    screen.print_screen(answer, Output(stream=stream))
    return stream.getvalue()


def published(*names: str):
    def refuse(source, why):
        raise AssertionError(f"{source}: {why}")

    paths = [str(samples.RESULTS / f"{name}.jsonl") for name in names]
    return read_records(paths, refuse).all_observations()


def lines_of(name: str, cls: str, rate: float, *read_back: str, **members):
    durability = samples.durability(cls, settings=settings(*read_back), **members)
    return both(name, cls, rate, rate, count=20000, durability=durability)


def test_the_screen_of_the_readme():
    """The README has the same screen."""
    answer = work_out(Site(20000), published("kea-3.0-2026-11"))
    text = printed(answer)
    readme = (samples.ROOT / "README.md").read_text("utf-8")
    for line in text.splitlines():
        assert f"    {line}".rstrip() in readme


FILES = ("sweep-2026-11", "kea-2026-11", "servers-2026-11", "dhcp-2026-11")


@pytest.mark.parametrize("count", range(1, len(FILES) + 1))
def test_it_fits_the_screen_whatever_there_is(count):
    for names in itertools.combinations(FILES, count):
        observations = [each for name in names for each in published(name)]
        for clients in (None, 1, 20000, 900000000):
            lines = printed(work_out(Site(clients), observations)).splitlines()
            assert len(lines) <= 24
            assert max(map(len, lines)) <= 80


# ---- Figures


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.46296, "0.463"), (1563.2, "1,560"), (81663000, "81,700,000"), (0.0004, "<0.001"), (0, "0")],
)
def test_figures_have_three_digits(value, text):
    assert three_digits(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(86400, "24 hours"), (90, "90 seconds"), (3600, "1 hour"), (1, "1 second")],
)
def test_times_in_words(seconds, text):
    assert period(seconds) == text


def test_the_table_has_a_row_for_each_setup():
    answer = answer_of(
        both("memfile", renewals=9000, restarts=9000, count=20000)
        + both("mysql", restarts=50)
        + both("pgsql", "bounded", parameters={"preload": "1"}),
        clients=10000,
    )
    rows = [
        [cell.text for cell in row]
        for row in screen.store_table(answer, answer.representatives).rows
    ]
    assert rows == [
        ["nothing", "mysql", "100", "50", "1.5", "7,500"],
        ["the last second", "postgresql", "100", "80", "n/a", ">10"],
        ["nothing", "ubench's memfile", "9,000", "9,000", "270", ">1,000,000"],
        ["required", "(2 times is enough)", "2.78", "33.3", "2", "10,000"],
    ]


# ---- Words, whole


def test_words_on_speed():
    safe = lines_of("pgsql", "power-safe", 900, *ON)
    fast = lines_of("mysql", "bounded", 1000)
    speeds = {
        "postgresql is fast enough: at least 13.5 times the required rate.": (safe, 20000),
        "Every measured store of Kea is fast enough: at least 13.5 times the required rate.": (
            safe + fast,
            20000,
        ),
        "Every measured store is fast enough, but Kea has none of them: at least 13.5 times the "
        "required rate.": (lines_of("sqlite", "power-safe", 900), 20000),
        "Between 1 and 2 times the required rate: postgresql sync on (1.35 times), mysql (1.5 "
        "times).": (safe + fast, 200000),
        "Too slow: postgresql sync on, mysql.": (safe + fast, 400000),
        "Not known, as we do not extrapolate beyond 10 times the leases tested. Measure with "
        "--preload=200000.": (safe, 2000000),
    }
    for text, (lines, clients) in speeds.items():
        assert words_of(sentences.speed(answer_of(lines, clients=clients))) == text


def test_words_on_what_is_missing():
    renew = samples.store("kea", rates=[("renew", 9000, 20000)])
    assert words_of(sentences.speed(answer_of([renew], clients=30000))) == (
        "Not known. Measure the restarts: kea_ubench -w dora-known -O FILE. The slowest store "
        "renews leases at 1,080 times the required rate."
    )
    dora = samples.store("kea", rates=[("dora", 9000, 20000)])
    lines = [dora, *lines_of("mysql", "power-safe", 9000)]
    assert words_of(sentences.speed(answer_of(lines, clients=30000))) == (
        "Fast enough: mysql. Not known: memfile. Measure the renewals: kea_ubench -w renew -O "
        "FILE. The slowest store restarts clients at 90 times the required rate."
    )
    server = samples.server(rate=None, trials=[samples.server_trial(1000, 100, holds=False)])
    assert words_of(sentences.speed(answer_of([server]))) == (
        "Not known. Measure the renewals: scripts/dhcp rate -O FILE."
    )


def test_words_on_a_disk_that_cannot_be_computed():
    read_back = ("innodb_flush_log_at_trx_commit=1", "log_bin=OFF")
    answer = answer_of(
        lines_of("mysql", "power-safe", 100, *read_back), clients=300, place=Place(sync_s=0.001)
    )
    assert words_of(sentences.speed(answer)) == (
        "--sync cannot be computed for mysql: syncs were not measured, or their number is not "
        "known."
    )


@pytest.mark.parametrize(
    ("facts", "place", "text"),
    [
        ({}, Place(), "Databases were local; at --rtt=1ms it is 6.06 times."),
        (
            {"connection": "TCP to 192.0.2.7, port 5"},
            Place(),
            "The database was on another machine: a round trip took 620 us (--rtt adds to it).",
        ),
        (
            {},
            Place(round_trip_s=0.0005),
            "Computed with 500 us more for each round trip to the database (--rtt).",
        ),
    ],
)
def test_words_on_the_network(facts, place, text):
    baselines = {
        "clock_ns": 20, "fdatasync_ns": 1e5, "fdatasync_min_ns": 1e5, "round_trip_ns": 620000,
        "harness_ns": 30,
    }  # fmt: skip
    lines = both("pgsql", facts={"PostgreSQL": "15.1", **facts}, baselines=baselines)
    answer = answer_of(lines, clients=3000, place=place)
    assert sentences.network(answer, answer.judged) == text


def test_a_file_has_no_network():
    answer = answer_of(both("sqlite"))
    assert sentences.network(answer, answer.judged) == ""


BOUNDED = {"kill": {"loss": "bounded"}, "power": {"loss": "bounded"}}
LOSSY = "Every measured store of Kea can lose leases; MySQL and PostgreSQL can be set to lose none."
SAFETY = {
    "power-safe": (
        lines_of("pgsql", "power-safe", 900, *ON),
        "If nothing may be lost: postgresql with synchronous_commit=on.",
        "No setting that may lose the last second was measured.",
    ),
    "bounded": (
        lines_of("mysql", "bounded", 900, "innodb_flush_log_at_trx_commit=2 as flush 2"),
        LOSSY,
        "If the last second may be lost: mysql with innodb_flush_log_at_trx_commit=2.",
    ),
    "killed": (
        lines_of("pgsql", "volatile", 900, *OFF, **BOUNDED),
        LOSSY,
        "If the last second may be lost, even if only the database is killed: postgresql with "
        "synchronous_commit=off.",
    ),
    "memfile": (
        lines_of("kea", "process-safe", 900),
        LOSSY,
        "With memfile a power cut can lose any number of recent leases.",
    ),
    "sqlite": (
        lines_of("sqlite", "power-safe", 900),
        "No store of Kea was measured; MySQL and PostgreSQL can be set to lose nothing.",
        "With memfile a power cut can lose any number of recent leases.",
    ),
}


@pytest.mark.parametrize("case", SAFETY)
def test_words_on_safety(case):
    lines, nothing, latest = SAFETY[case]
    assert sentences.safety(answer_of(lines, clients=1000)) == (nothing, latest)


def test_words_on_safety_of_several_stores():
    lines = (
        lines_of("mysql", "bounded", 900, "innodb_flush_log_at_trx_commit=2 as flush 2")
        + lines_of("pgsql", "volatile", 900, *OFF, **BOUNDED)
        + lines_of("pgsql", "power-safe", 9, *ON)
    )
    nothing, latest = sentences.safety(answer_of(lines, clients=20000))
    assert nothing == "The stores of Kea that lose nothing are too slow here."
    assert latest == (
        "If the last second may be lost: mysql with innodb_flush_log_at_trx_commit=2; or "
        "postgresql with synchronous_commit=off, where it is also lost if only the database is "
        "killed."
    )


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (
            300,
            "postgresql is 1.5 times as fast as mysql (1.5 to 1.5). Renewals, run by "
            "run; ranges are 95 % intervals.",
        ),
        (200, "mysql and postgresql differ by less than 3 %."),
    ],
)
def test_words_on_the_two_that_lose_nothing(rate, text):
    answer = answer_of(
        blocks(
            ("mysql", "power-safe", 200.1),
            ("pgsql", "power-safe", rate),
            ("sqlite", "power-safe", 900),
        )
    )
    assert words_of(sentences.cost(answer, answer.setups)) == text
    assert sentences.cost(answer, answer.setups[:1]) == ""


def test_words_on_runs_that_are_too_short():
    short = samples.store("mysql", rates=[("renew", 4e4, 3)])
    answer = answer_of([short, *both("pgsql", restarts=9000, count=9000)], clients=5000)
    assert words_of(sentences.trust(answer)) == (
        "1 run was too short to count (under 1 s or 1,000 exchanges): mysql renew. 2 results, none "
        "disturbed. The slowest run reached 72 times the required rate."
    )


def test_words_on_disturbed_runs():
    warnings = [{"code": "load", "text": "busy"}, {"code": "search", "text": "why"}]
    lines = both(restarts=9000, count=9000) + both(restarts=40, warnings=warnings)
    assert words_of(sentences.trust(answer_of(lines, clients=10000))) == (
        "Other work disturbed 2 of 4 results. The slowest run reached 1.2 times the required rate. "
        "The rate was not confirmed in 2 of 4 results."
    )


def test_words_on_searches():
    rough = samples.server(rough=True, goals=[samples.server_goal(1000, 1040, 1000)])
    assert "Found by a quick search (--quick): 1 of 1 rate." in sentences.trust(answer_of([rough]))
    earlier = answer_of([samples.server()])
    assert "Maximum of an earlier search: 1 of 1 rate." in sentences.trust(earlier)
    assert "* whole DHCP server." in printed(earlier)


def test_words_on_the_disk():
    observations = published("kea-3.0-2026-11")
    here = work_out(Site(20000), observations)
    assert sentences.sync(here) == "A sync took 105 us (ext4 on vda)."
    slower = work_out(Site(20000, place=Place(sync_s=0.0016)), observations)
    assert sentences.sync(slower) == (
        "Computed for a disk that syncs in about 1.60 ms; the measured disk took 105 us."
    )
    assert "(1.8 to 1.85)" in printed(here)
    assert "(1.8 to 1.85)" not in printed(slower)


def test_figures_of_others_are_marked():
    text = words_of(printed(work_out(Site(5000), published("kea-2.0-isc"))))
    assert "SPEED Published or imported, not measured by ubench." in text
    assert "# published or imported, not measured by ubench." in text


@pytest.mark.parametrize(
    ("lease_s", "text"), [(7200, "leases of 2 hours (--lease-time),"), (3600, "leases of 1 hour,")]
)
def test_an_assumed_lifetime_is_said_with_its_option(lease_s, text):
    assert text in sentences.headline(answer_of(both(), clients=5000, lease_s=lease_s))


def test_each_verdict_has_words():
    assert set(words.VERDICTS) == set(words.VERDICT_STORES) == set(Verdict) - {Verdict.UNKNOWN}
    assert set(words.LOSSES) == set(PowerLoss)
    assert set(words.UNKNOWN) == set(Unknown)
    assert set(words.DOUBTS) == set(Doubt)
    assert set(words.MEASURE_RATE) == set(words.OTHER_RATE) == set(Demand)


# ---- Many versions of a product


def versions(*numbers):
    """Lines of PostgreSQL in these versions."""
    return [
        line
        for number in numbers
        for line in both(
            "pgsql",
            renewals=900,
            restarts=800,
            count=9000,
            facts={"PostgreSQL": number},
            product={"name": "PostgreSQL", "version": number, "keeper": "pgsql"},
            durability=samples.durability(
                "power-safe", settings=settings("synchronous_commit=on as sync on")
            ),
        )
    ]


def test_versions_with_the_same_settings_are_one_alternative():
    text = words_of(
        samples.report("answer", "--clients=1k", lines=versions("15.1", "16.1", "17.1")).out
    )
    assert "If nothing may be lost: PostgreSQL with synchronous_commit=on." in text
    one = words_of(samples.report("answer", "--clients=1k", lines=versions("15.1")).out)
    assert "If nothing may be lost: PostgreSQL with synchronous_commit=on." in one


def test_a_verdict_names_the_first_of_many_stores():
    lines = versions(*(f"{number}.1" for number in range(11, 18)))
    slow = both("mysql", renewals=1, restarts=1, count=9000)
    text = words_of(samples.report("answer", "--clients=1k", lines=lines + slow).out)
    assert "PostgreSQL 14.1 sync on and 3 more." in text
    assert "Too slow: mysql." in text
