# SPDX-License-Identifier: ISC
"""The reader: it reads what was published, and leaves out what is damaged, with its place."""

from __future__ import annotations

import io
import json
import random
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import samples

from ubench.errors import Problem, UsageError
from ubench.records import decoding, reader
from ubench.records.observation import Observation, Source
from ubench.records.reader import Records, nothing_in, read_line, read_records
from ubench.records.schema import Damaged

GOOD = samples.encode(samples.store("sqlite"))


class Complaints(list[tuple[str, str]]):
    """Keeps what a reader complains of, with its place."""

    def __call__(self, source: Source, sentence: str) -> None:
        self.append((str(source), sentence))


def read_bytes(folder: Path, text: bytes) -> tuple[Records, list[str]]:
    """The records of a file, and what was complained of, with the number of the line."""
    path = folder / "x.jsonl"
    path.write_bytes(text)
    complaints = Complaints()
    records = read_records([str(path)], complaints)
    return records, [
        f"{place.rpartition(':')[2]}: {sentence}" for place, sentence in complaints
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"no JSON", "the line is not JSON: Expecting value"),
        (b"", "the line is empty"),
        (b" \t", "the line is empty"),
        (GOOD[:200], "the line is cut short"),
        (GOOD[:-1], "the line is cut short"),
        (b"[1]", "the line is not a result: it has no format"),
        (b'{"format":1}', "the line is not a result: it has no format"),
        (b'{"format":"ubench-result/3"}', "the format is 'ubench-result/3'; expected one of"),
        (b'{"a":1,"a":2}', "the line is not JSON: an object has two members of one name"),
        (b'{"a":NaN}', "the line is not JSON: NaN is not a number"),
        (b"[" * 100000, "the line is"),
        (b"\xff\xfe", "the line is not JSON: byte 1 is not UTF-8"),
        (GOOD.replace(b'"leases_left":0', b'"leases_left":-1'),
         "runs[0].leases_left: is -1; expected at least 0"),
        (GOOD.replace(b'"store":"sqlite"', b'"store":5'), "store: is not a string"),
        (GOOD.replace(b'"operations":1000', b'"operations":1e400'),
         "runs[0].phases[0].operations: is not a whole number"),
    ],
)
def test_a_damaged_line_is_left_out(tmp_path: Path, text: bytes, why: str) -> None:
    """The lines around it are read."""
    other = samples.encode(samples.store("memfile"))
    records, complaints = read_bytes(tmp_path, b"\n".join([other, text, GOOD, b""]))
    assert [each.store for each in records.observations] == ["memfile", "sqlite"]
    assert len(complaints) == 1
    assert complaints[0].startswith(f"2: {why}")


def test_a_line_without_end_is_not_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It could be /dev/zero. The lines behind it are read."""
    for module in (reader, decoding):
        monkeypatch.setattr(module, "LONGEST_LINE", len(GOOD))
    long_line = b"x" * (5 * len(GOOD))
    records, complaints = read_bytes(tmp_path, long_line + b"\n" + GOOD)
    assert len(records.observations) == 1
    assert [text.partition(" than")[0] for text in complaints] == ["1: the line is longer"]


def test_a_line_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    records, complaints = read_bytes(tmp_path, GOOD + b"\n" + GOOD + b"\n")
    assert len(records.observations) == 1
    assert complaints == [f"2: the line is the same as {tmp_path}/x.jsonl:1"]


def test_an_empty_file_is_complained_of(tmp_path: Path) -> None:
    records, complaints = read_bytes(tmp_path, b"")
    assert not records
    assert complaints == ["1: the line is empty"]


def test_the_last_line_needs_no_end(tmp_path: Path) -> None:
    records, complaints = read_bytes(tmp_path, GOOD)
    assert (len(records.observations), complaints) == (1, [])


def test_a_minus_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(GOOD + b"\n")))
    records = read_records(["-"], Complaints())
    assert records.observations[0].source == Source("-", 1)


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"nowhere\.jsonl: No such file or directory"):
        read_records([str(tmp_path / "nowhere.jsonl")], Complaints())
    with pytest.raises(Problem, match="Is a directory"):
        read_records([str(tmp_path)], Complaints())


def test_no_files_are_a_wrong_command_line() -> None:
    with pytest.raises(UsageError, match="no files were named"):
        read_records([], Complaints())
    assert "a.jsonl and the other files" in str(nothing_in(["a.jsonl", "b.jsonl"]))


def test_records_go_by_their_kind() -> None:
    records = samples.read_lines([
        samples.crash("x"), samples.store(), samples.duel([]), samples.server(),
    ])
    assert [each.source.line for each in records.observations] == [2, 4]
    assert [each.source.line for each in records.duels] == [3]
    assert [each.source.line for each in records.crashes] == [1]


def test_text_that_a_terminal_would_obey_is_replaced() -> None:
    facts = {"memfile": "1.0", "evil": "\x1b]0;x\x07 \u202e\u200b\ufeff\ud800 \u00e4"}
    observation = samples.observe(samples.store(facts=facts))
    assert observation.facts["evil"] == "?]0;x? ???? \u00e4"


def test_complaints_have_no_text_that_a_terminal_would_obey(tmp_path: Path) -> None:
    text = json.dumps({"format": "ubench-\x1b[31m"}).encode()
    assert "\x1b" not in read_bytes(tmp_path, text)[1][0]


def test_members_of_later_versions_are_skipped() -> None:
    line = samples.store(later={"operations": 1})
    line["runs"][0]["phases"][0]["later"] = [[{"operations": "x"}]]
    assert samples.observe(line).samples == samples.observe(samples.store()).samples


def test_buckets_are_read_if_they_are_asked_for() -> None:
    latency = samples.histogram([5, 5, 7])
    line = samples.store(runs=[samples.run(samples.phase("renew", 10, 3, latency=latency))])
    for buckets, expected in ((False, ()), (True, ((5, 2), (7, 1)))):
        record = samples.parse(line, buckets)
        assert isinstance(record, Observation)
        histogram = record.runs[0].phases[0].latency
        assert histogram is not None
        assert histogram.buckets == expected
        assert (histogram.count, histogram.figure("mean")) == (3, 17 / 3)


# ---- Mutations: whatever a line says, it is read, or refused with a sentence

CORPUS = samples.ROOT / "python" / "tests" / "data" / "corpus"  # lines of former versions
SEEDS = [
    samples.encode(line)
    for line in (
        samples.store(runs=[samples.run(samples.phase(
            "renew", 100, latency=samples.histogram([5, 6]), series=[[5, 6.0]]))]),
        samples.store(runs=[samples.open_run(goals=[samples.goal("1 %", 100, None)])]),
        samples.former_store("pgsql", text="synchronous_commit=off"),
        samples.server(goals=[samples.server_goal(900, 950, 880)]),
        samples.single_trial("storm", samples.server_trial(None, 300, duration_s=2.5)),
        samples.duel(samples.even_slices(2, (10, 20, 10)), 3, twin=True),
        samples.crash("x"),
    )
]
NUMBERS = (b"0", b"-1", b"99999999999", b"0.5", b"null")
NAMES = (b'"hits"', b'"runs"', b'"late"', b'"from"')
FROM, TO = (b"true", b"null", b"0", b'""'), (b"false", b"null", b"1", b"[]", b"{}")


def mutate(chance: random.Random, text: bytes) -> bytes:
    place = chance.randrange(len(text))
    kind = chance.randrange(5)
    if kind == 0:  # another byte
        return text[:place] + bytes([chance.randrange(256)]) + text[place + 1 :]
    if kind == 1:  # a part is missing, or there twice
        end = min(place + chance.randrange(1, 60), len(text))
        return text[:place] + text[place:end] * chance.choice((0, 2)) + text[end:]
    if kind == 2:  # another number
        digit = next((i for i in range(place, len(text)) if text[i : i + 1].isdigit()), None)
        if digit is None:
            return text
        return text[:digit] + chance.choice(NUMBERS) + text[digit + 1 :]
    if kind == 3:  # another name
        return text.replace(chance.choice(NAMES), b'"x"')
    return text.replace(chance.choice(FROM), chance.choice(TO), 1)


@pytest.fixture(scope="module")
def mutants() -> tuple[list[bytes], list[str]]:
    """Lines that could be read, though they are damaged, and why others could not."""
    chance = random.Random(20261122)
    seeds = SEEDS + [line for path in sorted(CORPUS.iterdir())
                     for line in path.read_bytes().splitlines()]
    readable, refusals = [], []
    for number in range(1500):
        text = seeds[number % len(seeds)]
        for _ in range(chance.choice((1, 1, 2, 5)) if number >= len(seeds) else 0):
            text = mutate(chance, text).replace(b"\n", b" ") or b"x"
        try:
            read_line(text, Source("x", 1))
        except Damaged as why:
            refusals.append(str(why))
        else:
            readable.append(text)
    return readable, refusals


def test_mutants_are_read_or_refused_with_a_sentence(
    mutants: tuple[list[bytes], list[str]],
) -> None:
    readable, refusals = mutants
    assert len(readable) > 100
    assert len(refusals) > 500
    assert all(refusals)


@pytest.mark.parametrize(
    "words",
    [
        ["tables"], ["tables", "--format=csv"], ["show"], ["answer"], ["answer", "--explain"],
        ["compare", "--by=store", "--across-classes"], ["crashes"], ["duels"],
    ],
    ids=" ".join,
)
def test_commands_print_what_was_read(
    mutants: tuple[list[bytes], list[str]], tmp_path: Path, words: list[str]
) -> None:
    """Or say in a sentence why not: nothing that a line holds ends in a traceback."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\n".join(mutants[0]) + b"\n")
    outcome = samples.report(*words, str(path))
    assert outcome.status in (0, 1, 2)
    assert "\x1b" not in outcome.out + outcome.err
