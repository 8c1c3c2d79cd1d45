# SPDX-License-Identifier: ISC
"""ubench_report: finding the command, and what all commands have in common."""

from __future__ import annotations

import re

import pytest
import samples

import ubench
from ubench.report import program

COMMANDS = list(program.SUMMARIES)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "ubench_report: no command was given; --help lists them"),
        (["table"], "ubench_report: 'table' is not a command; did you mean tables?"),
        ([""], "ubench_report: '' is not a command; --help lists them"),
        (["tables"], "ubench_report tables: no files were named; try: ./sqlite_ubench -O FILE"),
        (["tables", "--format"], "ubench_report tables: --format: expected one argument"),
        (["tables", "--format=html", "x"], "--format: 'html' is not text, markdown or csv"),
        (["compare", "--min-effect=101%", "a", "b"], "--min-effect: '101%' is not a share in 0..1"),
        (["compare", "--by=", "a"], "--by: '' is not a KEY"),
        (["compare", "--where", "x", "a", "b"], "--where: 'x' is not NAME=VALUE"),
        (["show", "--line=5000000000", "x"], "--line: '5000000000' is not a whole number in 0..42"),
    ],
)
def test_refused(words, message):
    outcome = samples.report(*words)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert message in outcome.err


@pytest.mark.parametrize("file", ["/nonexistent", "/"])
def test_a_file_that_cannot_be_read(file):
    outcome = samples.report("tables", file)
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith(f"ubench_report tables: {file}: ")


def test_a_message_is_one_line_without_escapes():
    outcome = samples.report("show", "no\n\x1b[31m\u202e")
    assert outcome.err.startswith("ubench_report show: no??[31m?: ")
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command):
    outcome = samples.report(command, "--help", "all")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith(f"usage: ubench_report {command} [OPTION]... ")
    assert max(map(len, outcome.out.splitlines())) <= 80
    assert samples.report(command, "--help").out.count("\n") <= 24
    listed = samples.report(command, "--list-options").out
    names = [row.split("\t")[1] for row in listed.splitlines()]
    assert sorted(names) == sorted(re.findall(r"^ .{1,5}--([a-z0-9-]+)", outcome.out, re.MULTILINE))
    assert re.search(f"^  {command} ", samples.report("--help").out, re.MULTILINE)


def test_version():
    assert samples.report("-V").out == f"ubench_report {ubench.__version__}\n"


def test_an_old_name_is_a_hint():
    outcome = samples.report("duel", "/nonexistent")
    first, second = outcome.err.splitlines()
    assert first == "ubench_report duel: the name of this command is duels: ubench_report duels"
    assert second.startswith("ubench_report duels: /nonexistent: ")


def test_lines_that_cannot_be_used_are_left_out(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_bytes(samples.encode(samples.store()) + b"\nnonsense\n")
    outcome = samples.report("tables", str(path))
    assert outcome.status == 0
    assert outcome.err.startswith(f"ubench_report tables: {path}:2: the line is ")
    assert outcome.err.endswith("; left out\n")


@pytest.mark.parametrize("command", ["tables", "show", "compare", "crashes"])
def test_duels_are_left_out(command, tmp_path):
    line = samples.duel(samples.even_slices(10, (100, 110)))
    path = samples.write(tmp_path / "duels.jsonl", [line, samples.store()])
    words = ["--by=store"] if command == "compare" else []
    assert "'ubench_report duels' prints; left out" in samples.report(command, *words, path).err
