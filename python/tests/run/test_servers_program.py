# SPDX-License-Identifier: ISC
"""The command line of scripts/servers."""

import pytest

from ubench.run import servers_program


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("", 2, "an action is missing; expected start, stop, status, env, kea or run"),
        ("nope", 2, "'nope' is not start, stop, status, env, kea or run"),
        ("start nope", 2, "'nope' is not mysql or pgsql"),
        ("start -x", 2, "-x: unknown option"),
        ("start pgsql --nodes 2", 2, "--nodes is for: start mysql"),
        ("start mysql --standbys 2", 2, "--standbys is for: start pgsql"),
        ("stop mysql --nodes 2", 2, "--nodes is for: start mysql"),
        ("start --delay 1ms", 2, "--delay is for: start mysql, or start pgsql"),
        ("start mysql --nodes 2 --group 2", 2, "--group: --nodes is given already"),
        ("start mysql --nodes 0", 2, "--nodes: '0' is not a whole number in 1..9"),
        ("stop pgsql x", 2, "'x'"),
        ("stop -- x", 2, "options after -- are for: start mysql, or start pgsql"),
        ("start -- x", 2, "options after -- are for: start mysql, or start pgsql"),
        ("run oracle true", 2, "run: 'oracle' is not mysql or pgsql"),
        ("run", 2, "run: '' is not mysql or pgsql"),
        ("run mysql", 2, "run: COMMAND is missing"),
        ("env mysql", 1, "mysql is not running; run: "),
        ("kea pgsql", 1, "pgsql is not running; run: "),
    ],
)
def test_refusals(capsys, words, status, said):
    """Each is one line."""
    assert servers_program.main(words.split()) == status
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("servers: ")
    assert said in printed.err
    assert printed.err.count("\n") == 1


def test_status_of_nothing(capsys):
    assert servers_program.main(["status"]) == 1
    assert capsys.readouterr().out == "mysql: not running\npgsql: not running\n"


def test_help(capsys):
    assert servers_program.main(["--help"]) == 0
    brief = capsys.readouterr().out
    assert servers_program.main(["--help", "all"]) == 0
    everything = capsys.readouterr().out
    assert brief.count("\n") <= 24 < everything.count("\n")
    assert max(len(line) for line in everything.splitlines()) <= 80 or "usage" in everything
    for name in ("--standbys", "--nodes", "--group", "--delay", "--loss", "UBENCH_PGBIN"):
        assert name in everything
