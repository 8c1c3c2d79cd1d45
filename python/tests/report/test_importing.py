# SPDX-License-Identifier: ISC
"""Results of what perfdhcp printed: what they say, and what they say is not known."""

from __future__ import annotations

import json

import pytest
import samples

RUN = """\
Running: perfdhcp -{family} -l eth0 -r {offered} -R 100000 -p 10
Scenario: basic.
***Rate statistics***
Rate: {rate} 4-way exchanges/second{expected}

***Malformed Packets***
Malformed packets: 0
***Statistics for: {first}***
sent packets: {sent}
received packets: {sent}
drops: 0
drops ratio: 0 %
orphans: 0
rejected leases: 0
non unique addresses: 0

min delay: 0.337 ms
avg delay: 0.447 ms
max delay: 0.732 ms
std deviation: 0.099 ms
collected packets: 0

***Statistics for: {second}***
sent packets: {sent}
received packets: {granted}
drops: {drops}
orphans: 0

min delay: inf ms
avg delay: min delay: n/a
avg delay: n/a
max delay: n/a
std deviation: n/a
"""
NAMES = {4: ("DISCOVER-OFFER", "REQUEST-ACK"), 6: ("SOLICIT-ADVERTISE", "REQUEST-REPLY")}


def printed(rate=987.4, sent=10000, granted=9990, offered=1000, family=4):
    """What perfdhcp prints of a run; with `offered` None it sends as fast as it can."""
    first, second = NAMES[family]
    expected = f", expected rate: {offered}" if offered else ""
    return RUN.format(
        family=family, offered=offered, rate=rate, expected=expected, first=first, second=second,
        sent=sent, granted=granted, drops=sent - granted,
    )  # fmt: skip


@pytest.fixture
def lines(tmp_path):
    """The lines that a text becomes, by the standard output."""

    def lines(text, *words):
        (tmp_path / "run.txt").write_text(text)
        outcome = samples.report("import", "perfdhcp", *words, str(tmp_path / "run.txt"))
        assert (outcome.status, outcome.err) == (0, "")
        return [json.loads(line) for line in outcome.out.splitlines()]

    return lines


@pytest.mark.parametrize(
    ("options", "clients", "again"),
    [
        (" -R 100000", 100000, False),
        (" -R 5000", 5000, False),
        (" -R 50", 50, True),
        ("", 1, True),  # perfdhcp's default
        (" -M macs.txt", None, False),
    ],
)
def test_clients_that_ask_again_are_not_new(lines, tmp_path, options, clients, again):
    text = printed().replace(" -R 100000", options)
    (line,) = lines(text)
    assert line["imported"].get("clients") == clients
    assert ("asked again and again" in samples.observe(line).warned) == again
    outcome = samples.report(
        "import", "perfdhcp", "-O", str(tmp_path / "out.jsonl"), str(tmp_path / "run.txt")
    )
    assert ("987 new leases per second" in outcome.out) != again
    assert ("987 leases per second, 0.1 % of 10,000 requests lost." in outcome.out) == again


def test_a_run_of_which_nothing_else_is_told(lines):
    (line,) = lines(printed())
    assert (line["rate"], line["family"], line["store"]) == (987.4, 4, "unknown")
    assert (line["server_version"], line["durability"]["class"]) == ("unknown", None)
    assert "threads" not in line
    imported = line["imported"]
    assert (imported["sent"], imported["granted"], imported["offered"]) == (10000, 9990, 1000)
    assert imported["lost"] == pytest.approx(0.001)
    assert imported["discover"]["mean_ms"] == 0.447
    assert imported["request"]["mean_ms"] is None
    observation = samples.observe(line)
    assert observation.parameters["threads"] == "unknown"
    assert observation.cls is None
    assert [sample.rate for sample in observation.samples] == [987.4]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.encode("utf-16"),
        lambda text: text.replace("\n", "\n    ").encode(),
        lambda text: text.replace("drops ratio: 0 %\n", "").encode(),  # before 2.0
    ],
)
def test_other_ends_of_lines_and_encodings(tmp_path, change):
    (tmp_path / "run.txt").write_bytes(change(printed()))
    outcome = samples.report("import", "perfdhcp", str(tmp_path / "run.txt"))
    assert json.loads(outcome.out)["imported"]["granted"] == 9990


def test_a_run_without_leases_is_left_out_of_several(tmp_path):
    (tmp_path / "run.txt").write_text(printed() + printed(granted=0) + printed(rate=5))
    outcome = samples.report("import", "perfdhcp", str(tmp_path / "run.txt"))
    assert [json.loads(line)["rate"] for line in outcome.out.splitlines()] == [987.4, 5]
    line = 1 + printed().count("\n")
    assert f"run.txt:{line}: no client was granted a lease; left out" in outcome.err


def test_several_runs_and_ipv6(lines):
    two = lines(printed(rate=5) + printed(rate=7, family=6, offered=None), "--threads", "4")
    assert [(line["rate"], line["family"], line["threads"]) for line in two] == [
        (5, 4, 4),
        (7, 6, 4),
    ]
    assert "offered" not in two[1]["imported"]


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({}, "asked for no more"),
        ({"granted": 9000, "rate": 900}, "it was overloaded"),
        ({"offered": None}, ""),
        ({"rate": 500}, ""),
    ],
)
def test_whether_the_server_may_take_more(lines, members, words):
    (line,) = lines(printed(**members))
    warned = samples.observe(line).warned
    assert "it is not known what else the machine did" in warned
    assert words in warned
    assert bool(words) == (";" in warned)


def test_tables_and_answer_read_it(lines, tmp_path):
    text = printed(granted=9500, rate=800)
    both = lines(text) + lines(text, "--store", "pgsql", "--server-version", "3.0.4")
    tables = samples.report("tables", lines=both)
    assert tables.status == 0
    assert "kea-dhcp4/unknown" in tables.out
    assert "5 %" in tables.out
    answer = samples.report("answer", "--clients=10k", lines=both)
    assert "unknown store" in answer.out
    assert "not measured by ubench" in answer.out


def test_a_file_gets_the_lines_and_people_what_is_not_known(tmp_path):
    (tmp_path / "run.txt").write_text(printed())
    out = tmp_path / "out.jsonl"
    words = ("import", "perfdhcp", "--store=mysql", "-O", str(out), str(tmp_path / "run.txt"))
    for _ in range(2):
        outcome = samples.report(*words)
        assert "987 new leases per second, 0.1 % of 10,000 clients lost" in outcome.out
        assert "version (--server-version), threads (--threads)" in outcome.out
        assert "--store" not in outcome.out
    assert len(out.read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there are no statistics of perfdhcp in it"),
        ("Running: x\n", "there are no statistics of perfdhcp in it"),
        (printed().partition("***Statistics for: REQUEST")[0], "no REQUEST-ACK"),
        (printed(granted=0), "no client was granted a lease"),
        (printed(sent=5, granted=6), "more clients were granted a lease than asked"),
        (printed().replace("received packets", "x"), "no counts of packets"),
        (printed().replace("Rate: 9", "Rate: x"), 'no line "Rate: N'),
        (printed(rate="1.2.3"), "expected"),
        (printed(rate="1e999"), "expected"),
        (printed(rate="1e+e"), 'it has no line "Rate: N'),
        (printed().partition("990\ndrops")[0], "no counts of packets"),  # cut within a number
        (2 * printed().partition("\n")[2], "it is of several runs, without the line 'Running:"),
        (printed().replace("basic", "avalanche"), "it is of the scenario avalanche"),
        ("Running: x\nsent: 9/9; received: 9/9\n", "there are no statistics of perfdhcp in it"),
    ],
)
def test_what_is_not_the_output_of_perfdhcp_is_refused(tmp_path, text, why):
    (tmp_path / "run.txt").write_text(text)
    outcome = samples.report("import", "perfdhcp", str(tmp_path / "run.txt"))
    assert outcome.status == 1
    assert why in outcome.err
    assert outcome.out == ""


def test_other_files_are_left_alone(tmp_path):
    (tmp_path / "run.txt").write_text(printed())
    (tmp_path / "mine").write_text("mine\n")
    run = str(tmp_path / "run.txt")
    outcome = samples.report("import", "perfdhcp", "-O", str(tmp_path / "mine"), run)
    assert "is not a file of ubench results" in outcome.err
    assert (tmp_path / "mine").read_text() == "mine\n"
    assert "not a regular file" in samples.report("import", "perfdhcp", str(tmp_path)).err
    for words in ((), ("perfdhcp",), ("fio", run)):
        assert samples.report("import", *words).status == 2
