# SPDX-License-Identifier: ISC
"""What compare and duels write for other programs, by the schemas and examples of its readers."""

from __future__ import annotations

import json
import math
from xml.etree import ElementTree

import duel_samples
import jsonschema
import pytest
import samples
from duel_samples import make_line, make_slices
from samples import block, store

from ubench import stats
from ubench.report.exports.junit import write_junit
from ubench.report.exports.ratios import NAME_MAX, Ratio, action_benchmarks, bencher_metrics
from ubench.report.gate import Judgement, Outcome

# bencher.dev/bmf.json, and closed: a misspelt limit would be skipped in silence.
BENCHER = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "patternProperties": {
        "^.{1,1024}$": {
            "type": "object",
            "patternProperties": {
                "^.{1,64}$": {
                    "type": "object",
                    "properties": {
                        "value": {"type": "number"},
                        "lower_value": {"type": "number"},
                        "upper_value": {"type": "number"},
                    },
                    "required": ["value"],
                    "additionalProperties": False,
                }
            },
            "additionalProperties": False,
        }
    },
    "additionalProperties": False,
}
BENCHER_EXAMPLE = {
    "benchmark_name": {
        "latency": {"value": 88.0, "lower_value": 87.42, "upper_value": 88.88},
        "throughput": {"value": 5.55, "lower_value": 3.14, "upper_value": 6.30},
    },
    "my_binary": {"file-size": {"value": 42.0}},
}
# The interface BenchmarkResult of github-action-benchmark (src/extract.ts).
ACTION = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "unit": {"type": "string", "minLength": 1},
            "value": {"type": "number"},
            "range": {"type": "string"},
            "extra": {"type": "string"},
        },
        "required": ["name", "unit", "value"],
        "additionalProperties": False,
    },
}
ACTION_EXAMPLE = [
    {"name": "CPU Load", "unit": "Percent", "value": 50},
    {"name": "Memory", "unit": "Megabytes", "value": 100, "range": "3", "extra": "Value: 25"},
]
KNOWN = Ratio("mysql, create", "rate", 0.8, stats.Interval(0.79, 0.81), "rate: 100 and 80")
ALONE = Ratio("mysql, search", "rate", 1.1, None)


def valid(value, schema):
    """The value, as its reader would see it, after its check."""
    value = json.loads(json.dumps(value, allow_nan=False))
    jsonschema.validate(value, schema)
    return value


def group(rate, version="0.1.0"):
    """Nine blocks of a store."""
    return [
        store(
            rates=[("create", rate * (1 + number % 5))],
            started_at=f"2026-11-01T00:00:{number:02}Z",
            version=version,
            **block(number),
        )
        for number in range(9)
    ]


def test_the_schemas_take_the_examples_of_the_formats():
    valid(BENCHER_EXAMPLE, BENCHER)
    valid(ACTION_EXAMPLE, ACTION)


def test_bencher_has_value_and_limits():
    metrics = valid(bencher_metrics([KNOWN, ALONE]), BENCHER)
    assert metrics["mysql, create"]["rate-ratio"] == {
        "value": 0.8,
        "lower_value": 0.79,
        "upper_value": 0.81,
    }
    assert metrics["mysql, search"]["rate-ratio"] == {"value": 1.1}


def test_a_long_name_fits_bencher():
    long = Ratio("x" * (NAME_MAX + 9), "p99.9", 1.0, None)
    valid(bencher_metrics([long]), BENCHER)


def test_action_benchmark_has_the_interval_as_its_range():
    first, second = valid(action_benchmarks([KNOWN, ALONE]), ACTION)
    assert first["range"] == "0.79 to 0.81"
    assert first["extra"] == "rate: 100 and 80"
    assert "range" not in second


@pytest.mark.parametrize(("options", "status"), [((), 0), (("--not-worse-than=10%",), 4)])
def test_compare_writes_all_that_is_asked_for(tmp_path, options, status):
    files = [
        samples.write(tmp_path / "before.jsonl", group(100)),
        samples.write(tmp_path / "after.jsonl", group(80, "0.2.0")),
    ]
    bencher, action, junit = (tmp_path / name for name in ("b.json", "a.json", "j.xml"))
    words = [f"--bencher={bencher}", f"--action-benchmark={action}", *options]
    if options:
        words.append(f"--junit={junit}")
    outcome = samples.report("compare", *words, *files)
    assert outcome.status == status, outcome.err
    (measures,) = valid(json.loads(bencher.read_text()), BENCHER).values()
    metric = measures["rate-ratio"]
    assert metric["lower_value"] <= metric["value"] <= metric["upper_value"]
    assert metric["value"] == pytest.approx(0.8, abs=1e-4)
    (entry,) = valid(json.loads(action.read_text()), ACTION)
    assert entry["value"] == metric["value"]
    assert "oper/s; worse" in entry["extra"]
    if options:
        (case,) = ElementTree.parse(junit).getroot()
        assert case.find("failure").get("message") == "not passed: it is worse by more than 10 %"
        assert "candidate to baseline: 0.8000; 95 % interval" in case.findtext("system-out")


def test_junit_has_no_character_that_xml_has_not(tmp_path):
    path = tmp_path / "j.xml"
    text = "a\0b\33[31m\ud800\uffff"
    write_junit(path, "duel", [Judgement(text, Outcome.WORSE, text, f"{text}\nsecond")])
    (case,) = ElementTree.parse(path).getroot()
    assert case.get("name") == "a?b?[31m??"
    assert [child.get("message") or child.text for child in case] == [
        "a?b?[31m??", "a?b?[31m??\nsecond",
    ]  # fmt: skip


def test_junit_needs_a_gate(tmp_path):
    file = samples.write(tmp_path / "before.jsonl", group(100))
    outcome = samples.report("compare", "--junit=x.xml", file, file)
    assert outcome.status == 2
    assert "add --not-worse-than" in outcome.err


@pytest.mark.parametrize("figure", ["rate", "p50", "processor"])
def test_duels_writes_each_side_that_counts(tmp_path, figure):
    whole = make_line(make_slices(60, (1, 0.9, 1), 7, noise=0.01))
    cut = {**make_line(make_slices(60, (1, 0.5, 1), 7, noise=0.01)), "incomplete": True}
    assert duel_samples.read(whole).label == duel_samples.read(cut).label
    bencher = tmp_path / "b.json"
    outcome = samples.report(
        "duels", f"--bencher={bencher}", f"--figure={figure}", lines=[whole, cut]
    )
    assert outcome.status == 0, outcome.err
    ((name, measures),) = valid(json.loads(bencher.read_text()), BENCHER).items()
    assert " against " in name
    ratio = measures[f"{figure}-ratio"]["value"]
    assert math.isfinite(ratio)
    if figure == "rate":
        assert ratio == pytest.approx(0.9, abs=0.02)
