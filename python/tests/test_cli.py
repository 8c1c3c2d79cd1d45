# SPDX-License-Identifier: ISC
"""Command lines: options, refusals, help, completion, exit statuses."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ubench import cli
from ubench.errors import Problem, UsageError

PACKAGE = Path(cli.__file__).resolve().parents[1]
SECOND = 10**9


def make_parser(**members):
    parser = cli.Parser("try", "[OPTION]... FILE...", "Tries options.", **members)
    parser.add_argument("files", nargs="*", help=cli.HIDDEN)
    add = parser.add_argument
    add("-n", "--count", metavar="N", type=cli.whole_number(1, 9), help="how many; at least 1")
    add("--loss", metavar="SHARE", type=cli.share(0, 0.5), default="3%", help="[%(default)s]")
    add("--rate", metavar="R", type=cli.rate(most=50_000))
    add("--time", metavar="TIME", type=cli.duration(SECOND, 60 * SECOND))
    add("--life", metavar="TIME", type=cli.lifetime(SECOND, 9000 * SECOND))
    add("--name", metavar="NAME", type=cli.matching("[a-z]{1,5}", "1 to 5 letters"))
    add("--file", metavar="FILE", type=cli.filled("a file's name"))
    add("--where", metavar="KEY=VALUE", type=cli.name_value, action="append", default=[])
    add("--list", metavar="LIST", type=cli.comma_list)
    add("--format", metavar="FORMAT", type=cli.choice("text", "markdown", "csv"))
    add("--dry-run", action="store_true")
    add("-x", action="store_true", help="an option without a name")
    return parser


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        (["a", "--count=3", "b"], "count", 3),
        (["-n3"], "count", 3),
        (["-n", "09"], "count", 9),
        ([], "loss", 0.03),
        (["--loss", "0.5"], "loss", 0.5),
        (["--rate=20k"], "rate", 20_000),
        (["--time", "1.5s"], "time", 1_500_000_000),
        (["--life", "7200"], "life", 7200 * SECOND),
        (["--where", "a=b=c", "--where=d="], "where", [("a", "b=c"), ("d", "")]),
        (["--list", r"a,b\,c"], "list", ["a", "b,c"]),
        (["a", "--dry-run", "b"], "files", ["a", "b"]),
        (["-"], "files", ["-"]),
        (["--dry-run", "--", "-x"], "files", ["-x"]),
        ([], "program", "try"),
    ],
)
def test_value(words, name, value):
    assert getattr(make_parser().parse(words), name) == value


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-n", "x"], "--count: 'x' is not a whole number in 1..9"),
        (["--count=10"], "--count: '10' is not a whole number in 1..9"),
        (["--count"], "--count: expected one argument"),
        (["--loss=51%"], "--loss: '51%' is not a share in 0..0.5 (0.05, 5%)"),
        (["--rate=0"], "--rate: '0' is not a number above 0, at most 50000 (0.5, 20k)"),
        (
            ["--time=5"],
            "--time: '5' is not a time with a unit in 1s..1m (such as 500ms, 2s or 10m)",
        ),
        (["--time=61s"], "--time: '61s' is not a time with a unit in 1s..1m"),
        (["--life=5x"], "--life: '5x' is not a time in 1s..150m (7200, in seconds, or 90s, 2h)"),
        (["--life=" + 305 * "9" + "h"], "h' is not a time in 1s..150m"),
        (["--name=A"], "--name: 'A' is not 1 to 5 letters"),
        (["--file="], "--file: '' is not a file's name"),
        (["--where", "x"], "--where: 'x' is not NAME=VALUE"),
        (["--list=1,,2"], "--list: '1,,2' has an empty value"),
        (["--format=html"], "--format: 'html' is not text, markdown or csv"),
        (["--format=marcdown"], "or csv; did you mean markdown?"),
        (["--formt=csv"], "--formt: unknown option; did you mean --format?"),
        (["--coun=1"], "--coun: unknown option; did you mean --count?"),
        (["-psecret"], "-p: unknown option; --help lists the options"),
        (["--dry-run=yes"], "--dry-run: ignored explicit argument 'yes'"),
        (["--help=x"], "--help: 'x' is not all"),
    ],
)
def test_refused(words, message):
    with pytest.raises(UsageError) as refused:
        make_parser().parse(words)
    assert message in str(refused.value)
    assert "secret" not in str(refused.value)
    assert refused.value.status == 2


def printed(capsys, words, **members):
    with pytest.raises(SystemExit) as end:
        make_parser(**members).parse(words)
    assert end.value.code == 0
    return capsys.readouterr().out


def test_help_fits_on_a_screen(capsys):
    members = {"example": "try x", "ending": "Exit status: 0"}
    everything = printed(capsys, ["--help", "all"], **members)
    brief = printed(capsys, ["--help"], **members)
    assert brief.startswith("usage: try [OPTION]... FILE...\n")
    assert "Exit status" in everything
    assert everything.endswith("Example:\n  try x\n\nExit status: 0\n")
    assert "--help all lists every option" not in printed(capsys, ["--help"])  # it is short
    assert brief.count("\n") <= cli.SCREEN_LINES
    assert "-n, --count N" in everything
    assert max(map(len, everything.splitlines())) <= cli.WIDTH


def test_brief_help_has_first_clauses(capsys):
    members = {"ending": "\n".join(["more"] * 9), "example": "try x"}
    brief = printed(capsys, ["--help"], **members)
    assert re.search("^  -n, --count N +how many$", brief, re.MULTILINE)
    assert re.search(r"^  --loss SHARE +\[3%\]$", brief, re.MULTILINE)
    assert brief.endswith("Example:\n  try x\n")


def test_listed_options_are_those_of_help(capsys):
    rows = [row.split("\t") for row in printed(capsys, ["--list-options"]).splitlines()]
    names = [f"--{name}" for _, name, *_ in rows if name]
    in_help = re.findall(r"^ .*?(--[a-z-]+)", make_parser().format_help(), re.MULTILINE)
    assert sorted(names) == sorted(in_help)
    by_name = {row[1]: row for row in rows}
    assert by_name["loss"] == ["", "loss", "arg", "SHARE", "3%", "", "[3%]"]
    assert by_name["count"] == ["n", "count", "arg", "N", "", "", "how many; at least 1"]
    assert by_name["format"][5] == "text,markdown,csv"
    assert by_name["dry-run"][2] == "flag"
    assert by_name[""][0] == "x"


def raise_(error):
    raise error


@pytest.mark.parametrize(
    ("main", "status", "message"),
    [
        (lambda words: 4, 4, ""),
        (lambda words: raise_(Problem("it is\nso")), 1, "try: it is?so\n"),
        (lambda words: raise_(UsageError("no")), 2, "try: no\n"),
        (lambda words: raise_(SystemExit(143)), 143, ""),
        (lambda words: raise_(KeyboardInterrupt), 130, ""),
        (lambda words: raise_(BrokenPipeError), 141, ""),
        (lambda words: raise_(MemoryError), 1, "try: out of memory\n"),
        (
            lambda words: raise_(BlockingIOError(errno.EAGAIN, "Resource unavailable")),
            1,
            "try: cannot start a process: Resource unavailable\n",
        ),
        (lambda words: os.stat("/missing"), 1, "try: /missing: No such file or directory\n"),
    ],
)
def test_guard(main, status, message, capsys):
    assert cli.guard("try", main, []) == status
    assert capsys.readouterr() == ("", message)


def run_guarded(main="lambda words: print('x') or 0", **streams):
    text = f"import os, sys; from ubench import cli; sys.exit(cli.guard('try', {main}, []))"
    command = [sys.executable, "-B", "-c", text]
    return subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(PACKAGE)}, text=True, check=False,
        **{"stderr": subprocess.PIPE, **streams},
    )  # fmt: skip


def test_a_full_disk_is_said():
    with open("/dev/full", "w") as full:
        done = run_guarded(stdout=full)
    message = "try: standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, message)


def test_a_closed_pipe_ends_it_without_a_word():
    reading, writing = os.pipe()
    os.close(reading)
    done = run_guarded(stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_closed_output_is_said():
    done = run_guarded(preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (1, "try: standard output: Bad file descriptor\n")


def test_a_message_for_closed_errors_is_not_output():
    """Nor does a file that is opened later become standard error."""
    main = "lambda words: cli.say('try', 'no') or print(os.open('/', os.O_RDONLY) > 2)"
    done = run_guarded(
        main, stdout=subprocess.PIPE, stderr=None, preexec_fn=lambda: os.close(2)
    )
    assert (done.returncode, done.stdout) == (0, "True\n")


def test_programs_that_it_starts_have_no_closed_stream():
    main = "lambda words: os.spawnlp(os.P_WAIT, 'sh', 'sh', '-c', 'exec 3>&2')"
    done = run_guarded(main, stderr=None, preexec_fn=lambda: os.close(2))
    assert done.returncode == 0


def test_a_closed_input_is_empty():
    done = run_guarded(
        "lambda words: len(sys.stdin.buffer.read())", preexec_fn=lambda: os.close(0)
    )
    assert (done.returncode, done.stderr) == (0, "")
