# SPDX-License-Identifier: ISC
"""What private servers know of the statements of a runner."""

from __future__ import annotations

import pytest

from ubench.errors import Problem
from ubench.run.runner import TurnRunner
from ubench.run.servers import PrivateServers
from ubench.run.statements import STATISTICS, Timed, ran_since, statement_kind

KINDS = [pytest.param(kind, marks=pytest.mark.servers(kind)) for kind in ("mysql", "pgsql")]
LEASES = ("--preload", "100")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            "SELECT address, hwaddr, extract(epoch from expire)::bigint, state FROM lease4 "
            "WHERE client_id = $1 AND subnet_id = $2",
            "SELECT lease4 by client_id, subnet_id",
        ),
        (
            "SELECT `address` , UNIX_TIMESTAMP ( `expire` ) FROM `lease4` WHERE `address` = ?",
            "SELECT lease4 by address",
        ),
        ("SELECT a FROM kea.lease6 WHERE a IN ($1) AND b < $2 ORDER BY c LIMIT $3",
         "SELECT lease6 by a, b"),
        ("INSERT INTO lease4(address, hwaddr) VALUES ($1, $2)", "INSERT lease4"),
        ("update lease4 SET state = $1 WHERE address = $2 AND expire = $3",
         "UPDATE lease4 by address, expire"),
        ("DELETE FROM lease4 WHERE state != $1 AND expire >= $2", "DELETE lease4 by state, expire"),
        ("EXECUTE UPDATE `lease4` SET `a` = ? WHERE `address` = ?", "UPDATE lease4 by address"),
        ("START TRANSACTION", "START TRANSACTION"),
        ("SELECT sflqPickFreeLease4($1, $2)", "SELECT sflqPickFreeLease4"),
        ("SELECT @@ version", "SELECT @@ version"),
    ],
)
def test_a_kind_is_what_a_statement_does(text, kind):
    assert statement_kind(text) == kind


def test_a_difference_has_only_what_ran():
    before = {"a": Timed(2, 1.0), "b": Timed(1, 1.0)}
    after = {"a": Timed(5, 1.5), "b": Timed(1, 1.0), "c": Timed(1, 0.5)}
    assert ran_since(after, before) == {"a": Timed(3, 0.5), "c": Timed(1, 0.5)}
    assert Timed(9, None).since(Timed(5, None)) == Timed(4, None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_counts_the_statements_of_a_runner(tmp_path, kind):
    known = STATISTICS[kind]
    with PrivateServers(tmp_path) as servers:
        server = servers.start(kind, known.options)
        statistics = known(server)
        statistics.prepare()
        statistics.prepare()  # there already
        before, syncs_before = statistics.statements(), statistics.syncs()
        folder = tmp_path / "runner"
        runner = TurnRunner("runner", [f"{kind}_ubench", "-S", "kea", "-w", "renew", *LEASES])
        try:
            with pytest.MonkeyPatch.context() as patch:
                for name, value in server.environment().items():
                    patch.setenv(name, value)
                runner.start(folder)
            runner.wait_ready()
            turn = runner.turn(1)
            ran = ran_since(statistics.statements(), before)
            assert statistics.connections()
            runner.result()
        finally:
            runner.stop()
        syncs = statistics.syncs().since(syncs_before)
    assert all(timed.seconds > 0 for timed in ran.values())
    assert ran["INSERT lease4"].count >= 100
    updates = [timed.count for name, timed in ran.items() if name.startswith("UPDATE lease4")]
    assert sum(updates) >= turn.operations
    # Each of them commits, and waits for a sync.
    assert syncs.count >= turn.operations


@pytest.mark.servers("pgsql")
def test_a_postgresql_without_the_extension_is_refused(tmp_path):
    known = STATISTICS["pgsql"]
    with PrivateServers(tmp_path) as servers:
        with pytest.raises(Problem):
            servers.start("pgsql", [*known.options, "-c", "dynamic_library_path=/nowhere"])
        log = servers.server("pgsql").log.read_text()
        assert "pg_stat_statements, which --where needs" in known.why_not_started(log)
        assert known.why_not_started("another reason") == ""
        statistics = known(servers.start("pgsql"))
        statistics.prepare()  # the extension can be made ...
        with pytest.raises(Problem, match="pg_stat_statements must be loaded"):
            statistics.statements()  # ... but knows nothing, unless it was there from the start


@pytest.mark.servers("mysql")
def test_a_mysql_without_performance_schema_is_refused(tmp_path):
    known = STATISTICS["mysql"]
    with PrivateServers(tmp_path) as servers:
        server = servers.start("mysql", [*known.options, "--performance-schema=OFF"])
        with pytest.raises(Problem, match="it has no performance_schema, which --where needs"):
            known(server).prepare()
