# SPDX-License-Identifier: ISC
"""The command line of scripts/duel, its sides, and sets of duels."""

import itertools
from itertools import pairwise

import pytest
import samples

from ubench.campaigns import duel, duel_options, duel_plan, duel_turns
from ubench.campaigns.duel_options import names_set, read_request, read_set
from ubench.errors import UsageError
from ubench.run import valgrind

SETS = samples.ROOT / "scripts" / "sweeps"
RENEW = ("null_ubench", "-w", "renew")


def plan(*words):
    return read_request(words).plan()


def sides(*commands, servers=(), with_null=False):
    return duel_plan.plan_sides([command.split() for command in commands], servers, with_null)


# ---- What is refused


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("", "0 command(s); expected two or more"),
        ("-- a", "1 command(s)"),
        ("-- a -- -- b", "expected two or more"),
        ("--time 5 -- a -- b", "--time: '5' is not a time"),
        ("--precision 0 -- a -- b", "--precision: '0' is not a share"),
        ("--not-worse-than 100% -- a -- b", "is not a share above 0"),
        ("--junit x -- a -- b", "add --not-worse-than"),
        ("--figure p50 -- a -- b", "such as --not-worse-than"),
        ("--figure p51 --not-worse-than 5% -- a -- b", "--figure: 'p51' is not"),
        ("--slice 20m -- a -- b", "--slice: '20m' is not a time with a unit in 1ms..10m"),
        ("--server mysql -- ssh a a_ubench -- b", "a private server is for"),
        ("-- a -psecret -- b", "put it into UBENCH_PASSWORD"),
        ("-- sqlite_ubench -- b", "'sqlite_ubench': add -w; a duel needs"),
        ("-- sqlite_ubench -w phases -- b", "add -w; a duel needs"),
        ("--time 1h --slice 1ms -- a -- b", "more than 200000"),
        ("--server oracle -- a -- b", "mysql or pgsql"),
        ("--server pgsql -- mysql_ubench -- b", "begin with mysql"),
        ("--server=pgsql --server=pgsql -- a -- b -- c", "--server is given 2 times"),
        ("-- pgsql_ubench -m db -- pgsql_ubench -m db", "would use the database 'ubench'"),
        ("--server pgsql -- pgsql_ubench -m x -- pgsql_ubench", "names another one"),
        ("-- a " * 13, "expected at most 12"),
        ("--valgrind --slice 5ms -- a -- b", "--slice cannot be used with --valgrind"),
        ("--valgrind --settle 5ms -- a -- b", "--settle cannot be used with --valgrind"),
        (
            "--valgrind --figure p50 --not-worse-than 5% -- a -- b",
            "--figure=p50 cannot be used with --valgrind",
        ),
        ("--valgrind -- a_ubench -- pgsql_ubench -w renew", "leaves the work to a server, pgsql"),
        ("--valgrind -- kea_ubench -o type=mysql -w renew -- a", "to a server, mysql"),
        ("--valgrind -- ssh db null_ubench -w renew -- a", "starts its runner by another program"),
    ],
)
def test_what_is_refused(words, text):
    with pytest.raises(UsageError) as caught:
        plan(*words.split())
    assert text in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "command",
    [
        "env UBENCH_PASSWORD=secret pgsql_ubench",
        "mysql_ubench --password secret",
        "mysql_ubench -6psecret",
        "ssh db \"sh -c 'PGPASSWORD=secret pgsql_ubench'\"",
    ],
)
def test_no_password_is_recorded(command, tmp_path):
    path = tmp_path / "x.duels"
    path.write_text(f"--label a -- null_ubench -w dora -- {command}\n")
    with pytest.raises(UsageError) as caught:
        read_set(["-O", str(tmp_path / "d.jsonl"), f"@{path}"])
    assert "put it into UBENCH_PASSWORD" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("path", sorted(SETS.glob("*.duels")), ids=lambda path: path.stem)
def test_published_sets_are_duels(path, tmp_path):
    requests = read_set(["-O", str(tmp_path / "d.jsonl"), f"@{path}"])
    assert all(len(request.commands) > 1 for request in requests)


@pytest.mark.parametrize("store", ["mysql", "pgsql"])
def test_the_sets_of_shared_databases_have_every_case(store, tmp_path):
    path = SETS / f"shared-{store}.duels"
    requests = read_set(["-O", str(tmp_path / "d.jsonl"), f"@{path}"])
    cases = set()
    for request in requests:
        for words in request.commands:
            case = {name: value for name, value in pairwise(words) if name.startswith("-")}
            assert words[0] == f"{store}_ubench"
            assert case["-t"] == case["--servers"]
            cases.add((case["--allocator"], case["--servers"], case["--full"], case["-s"]))
    for allocator in ("random", "shared-flq", "skip-locked"):
        expected = itertools.product(
            [allocator], ["1", "2", "4", "8"], ["50%", "90%", "99%"], ["yes", "no"]
        )
        assert set(expected) <= cases
    assert ("iterative", "4", "90%", "yes") in cases


def test_valgrind_has_to_be_installed(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError) as caught:
        plan("--valgrind", "--", *RENEW, "--", *RENEW)
    assert "valgrind is not installed; type: apt-get install" in str(caught.value)


# ---- Options


def test_valgrind_counts_a_number_of_operations(monkeypatch):
    monkeypatch.setattr(valgrind, "check_installed", lambda: None)
    counted = plan("--valgrind", "--", *RENEW, "--", *RENEW, "-n", "7")
    assert [side.words[-1] for side in counted.sides] == ["50", "7", "50"]
    assert (counted.rounds, counted.figure.name) == (1, "instructions")
    assert counted.precision == duel_options.COUNTED_PRECISION
    limits = duel_turns.Limits.from_plan(counted)
    assert limits.slice_ms == duel_turns.LONGEST_TURN_MS
    gated = plan("--figure", "instructions", "--", *RENEW, "--", *RENEW)
    assert (gated.figure.name, gated.gate, gated.valgrind) == ("instructions", None, False)


def test_what_is_not_typed_has_a_default():
    plain = plan("--", *RENEW, "--", *RENEW)
    assert (plain.time_s, plain.precision, plain.slice_ms, plain.gate) == (180, 0.01, None, None)
    assert plain.rounds == duel_turns.ROUNDS
    gated = plan("--not-worse-than", "5%", "--figure", "p50", "--", *RENEW, "--", *RENEW)
    assert (gated.gate.allowed, gated.gate.figure.name) == (0.05, "p50")
    assert gated.precision == duel_options.UNREACHABLE_PRECISION


@pytest.mark.parametrize(
    ("command", "server", "rounds"),
    [
        ("null_ubench -w renew", "", duel_turns.ROUNDS),
        ("pgsql_ubench -w renew", "", duel_turns.SERVER_ROUNDS),
        ("scripts/distro.sh sid scripts/servers run pgsql pgsql_ubench -w renew", "",
         duel_turns.SERVER_ROUNDS),
        ("pgsql_ubench -w renew -m db", "", 1),
        ("ssh db null_ubench -w renew", "", 1),
    ],
)  # fmt: skip
def test_servers_of_others_are_measured_in_one_round(command, server, rounds):
    planned = sides(command, "null_ubench -w renew")
    assert duel_turns.default_rounds(planned) == rounds


# ---- Sides


def test_a_twin_has_the_command_of_a():
    first, second, twin = sides(
        "memfile_ubench -w renew -s no", "memfile_ubench -w renew", with_null=True
    )
    assert (first.letter, second.letter, twin.letter) == ("A", "B", "A's twin")
    assert (first.twin, second.twin, twin.twin) == (False, False, True)
    assert twin.words == first.words
    assert (first.name, second.name) == ("memfile -s no", "memfile")


def test_a_twin_has_files_and_databases_of_its_own(tmp_path):
    path = tmp_path / "leases"
    _, _, twin = sides(
        f"memfile_ubench -w renew -f {path}", "memfile_ubench -w renew", with_null=True
    )
    assert twin.words[-2:] == ("-f", f"{path}_null")
    _, _, twin = sides(
        "pgsql_ubench -w renew -m db", "pgsql_ubench -w renew -m db -f other", with_null=True
    )
    assert twin.words[-2:] == ("-f", "ubench_null")


def test_a_file_of_exchanges_is_found_from_any_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    first, second = sides("null_ubench -w @a.txt", "ssh db null_ubench -w @a.txt")
    assert first.words[-2:] == ("-w", f"@{tmp_path}/a.txt")
    assert second.words[-1] == "@a.txt"


def test_files_that_a_twin_would_overwrite_are_refused(tmp_path):
    path = tmp_path / "leases"
    (tmp_path / "leases_null.2").touch()
    with pytest.raises(UsageError, match=r"leases_null\.2"):
        sides(f"memfile_ubench -w renew -f {path}", "memfile_ubench -w renew", with_null=True)


@pytest.mark.parametrize(
    ("command", "server", "private"),
    [
        ("pgsql_ubench -w renew", "", "pgsql"),
        ("pgsql_ubench -w renew", "pgsql -c fsync=off", "pgsql -c fsync=off"),
        ("kea_ubench -o type=postgresql -w renew", "", "pgsql"),
        ("kea_ubench -o type=memfile -w renew", "", ""),
        ("pgsql_ubench -w renew -m db", "", ""),
        ("ssh db pgsql_ubench -w renew", "", ""),
        ("sqlite_ubench -w renew", "", ""),
    ],
)
def test_a_side_gets_a_private_server_unless_it_has_one(command, server, private):
    first, _ = sides(command, "null_ubench -w renew", servers=[server, ""])
    assert first.private_server == private


@pytest.mark.parametrize(("host", "private"), [("db", ""), ("", "pgsql")])
def test_a_server_of_the_environment_is_used(monkeypatch, host, private):
    """A runner takes an empty variable for no host, and would use the machine's own server."""
    monkeypatch.setenv("UBENCH_PGSQL_HOST", host)
    first, _ = sides("pgsql_ubench -w renew", "null_ubench -w renew")
    assert first.private_server == private


def test_builds_are_told_apart_by_their_paths():
    planned = sides("old/null_ubench -w renew", "new/null_ubench -w renew")
    assert [side.name for side in planned] == ["old/null_ubench", "new/null_ubench"]


# ---- Sets


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("-O d @x", True),
        ("", False),
        ("-- a -w renew -- a", False),
        ("-- a -w renew -- a -w @x.txt", False),
    ],
)
def test_a_set_is_named_before_any_command(words, names):
    assert names_set(words.split()) == names


def write_set(tmp_path, text):
    path = tmp_path / "x.duels"
    path.write_text(text)
    return ["-O", str(tmp_path / "d.jsonl"), f"@{path}"]


def test_a_set_has_a_duel_per_line(tmp_path):
    words = write_set(
        tmp_path,
        "# a comment\n--label one -- null_ubench -w renew -- \\\n  null_ubench -w dora # more\n\n"
        "--label 'two words' -- null_ubench -- null_ubench\n",
    )
    one, two = read_set(words)
    assert one.commands == (RENEW, ("null_ubench", "-w", "dora"))
    assert (one.options.label, two.options.label) == ("one", "two words")


def test_duels_that_the_output_has_are_left_out(tmp_path):
    words = write_set(tmp_path, "--label one -- a -- b\n--label two -- a -- b\n")
    (tmp_path / "d.jsonl").write_text(
        '{"format": "ubench-duel/1", "label": "one", "incomplete": false}\n'
        '{"format": "ubench-duel/1", "label": "two", "incomplete": true}\n'
    )
    assert [request.options.label for request in read_set(words)] == ["two"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "each with a --label"),
        ("-- a -- b", "each with a --label"),
        ("--label x -- a -- b\n--label x -- a -- b\n", "each with a --label"),
        ("--label x -- a", "1 command(s)"),
        ("--label x --not-worse-than 5% -- a -- b", "a gate judges one duel"),
        ("root:x:0:0", "line 1: not a duel"),
        ("\n\n--label 'x", "line 3: No closing quotation"),
    ],
)
def test_what_is_not_a_set_is_refused(text, message, tmp_path):
    with pytest.raises(UsageError) as caught:
        read_set(write_set(tmp_path, text))
    assert message in str(caught.value)
    assert "root:x" not in str(caught.value)


def test_a_set_needs_an_output(tmp_path):
    words = write_set(tmp_path, "--label x -- a -- b")
    with pytest.raises(UsageError, match="add -O FILE"):
        read_set(words[2:])
    with pytest.raises(UsageError, match="@none: cannot read"):
        read_set(["@none"])


@pytest.mark.parametrize("name", ["databases", "kea", "ladder", "reference", "settings"])
def test_the_sets_of_ubench_can_be_planned(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    requests = read_set(["-O", "d.jsonl", f"@{name}"])
    assert requests
    for request in requests:
        request.plan()


def test_a_usage_error_is_one_line_and_exit_status_2(capsys):
    assert duel.main(["--", "a"]) == 2
    assert capsys.readouterr().err.startswith("duel: 1 command(s)")


def test_an_older_verdict_does_not_stand_while_a_duel_works(tmp_path, capsys):
    junit = tmp_path / "junit.xml"
    junit.write_text("passed")
    words = ["--not-worse-than", "5%", "--junit", str(junit), "--", "sqlite_ubench", "--", "b"]
    assert duel.main(words) == 2
    assert "<failure" in junit.read_text()
