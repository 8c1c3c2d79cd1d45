# SPDX-License-Identifier: ISC
"""Private database servers."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ubench.errors import Problem, UsageError
from ubench.run import pgsql, process
from ubench.run.server import REACHABLE, add_mode, can_have_sockets
from ubench.run.server_files import write_private
from ubench.run.server_setup import Programs
from ubench.run.servers import PrivateServers

KINDS = [pytest.param(kind, marks=pytest.mark.servers(kind)) for kind in ("mysql", "pgsql")]
PACKAGE = Path(process.__file__).parents[2]


# ---- Without a server


def test_what_is_known_without_a_server(tmp_path):
    servers = PrivateServers(tmp_path / "none")
    assert servers.running() == []
    assert [server.name for server in servers.members("mysql")] == ["mysql"]
    servers.stop()
    assert not servers.folder.exists()
    with pytest.raises(Problem, match=r"pgsql is not running; run: .*servers start pgsql"):
        servers.server("pgsql").environment()


def test_members_of_a_cluster_by_their_folders(tmp_path):
    for name in ("pgsql", "pgsql2", "pgsql10", "mysql", "pgsql3.old"):
        (tmp_path / name).mkdir()
    names = [server.name for server in PrivateServers(tmp_path).members("pgsql")]
    assert names == ["pgsql2", "pgsql10", "pgsql"]


def test_default_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("UBENCH_SERVERS", str(tmp_path / "mine"))
    assert PrivateServers().folder == tmp_path / "mine"


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("pgsql", {"nodes": 2}, "--nodes is for: start mysql"),
        ("pgsql", {"group": 2}, "--group is for: start mysql"),
        ("mysql", {"standbys": 2}, "--standbys is for: start pgsql"),
        ("mysql", {"nodes": 2, "group": 3}, "--group: --nodes is given already"),
    ],
)
def test_options_that_do_not_fit(tmp_path, kind, options, words):
    with pytest.raises(UsageError, match=words):
        PrivateServers(tmp_path).start(kind, **options)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("pgsql", ["-c", "fsync=off", "-D", "/var/lib/postgresql/17/main"]),
        ("pgsql", ["-D/var/lib/postgresql/17/main"]),
        ("pgsql", ["-c", "data_directory=/var/lib/postgresql/17/main"]),
        ("pgsql", ["--data-directory=/var/lib/postgresql/17/main"]),
        ("mysql", ["--sync-binlog=0", "--datadir=/var/lib/mysql"]),
        ("mysql", ["-h/var/lib/mysql"]),
    ],
)
def test_a_private_server_never_has_the_data_of_others(tmp_path, kind, options):
    with pytest.raises(UsageError, match="a private server has data of its own"):
        PrivateServers(tmp_path / "none").start(kind, options)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"delay": "x"}, "--delay: 'x' is not a time with a unit"),
        ({"loss": "200%"}, "--loss: 200% is outside 0..1"),
    ],
)
def test_link_that_cannot_be(monkeypatch, tmp_path, program, options, words):
    monkeypatch.setenv("BIN", str(program("ubench_link").parent))
    with pytest.raises(UsageError, match=words):
        PrivateServers(tmp_path).start("pgsql", **options)


def test_programs_that_are_not_there(tmp_path):
    servers = PrivateServers(tmp_path, programs=Programs("/no/mysqld", "/no/bin"))
    cases = {"mysql": "UBENCH_MYSQLD: '/no/mysqld'", "pgsql": "UBENCH_PGBIN: .*/no/bin"}
    for kind, words in cases.items():
        with pytest.raises(Problem, match=words):
            servers.start(kind)


def test_passwords_are_private(tmp_path):
    path = tmp_path / "password"
    path.write_text("old, and public")
    write_private(path, "secret")
    assert path.read_text() == "secret"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_pid_of_another_process(tmp_path):
    """A later process with the number of a server is not taken for it."""
    (tmp_path / "pgsql").mkdir()
    (tmp_path / "pgsql" / "lock").touch()
    (tmp_path / "pgsql" / "pid").write_text(str(os.getpid()))
    server = PrivateServers(tmp_path).server("pgsql")
    assert server.running_pid() is None
    assert server.ended_by_itself
    server.stop()
    assert not server.ended_by_itself


@pytest.mark.parametrize("name", ["mysql", "mysql2", "pgsql"])
def test_the_data_of_others_stays(tmp_path, name):
    """UBENCH_SERVERS=/var/lib is a mistake: /var/lib/mysql2 may be somebody's server."""
    other = tmp_path / name / "ibdata1"
    other.parent.mkdir()
    other.write_text("leases")
    with pytest.raises(Problem, match="has 'ibdata1', which no private server made"):
        PrivateServers(tmp_path).stop()
    assert list(other.parent.iterdir()) == [other]
    assert other.read_text() == "leases"


def test_a_full_disk_may_have_left_an_empty_file(tmp_path):
    for name in ("lock", "port", "pid"):
        (tmp_path / "pgsql").mkdir(exist_ok=True)
        (tmp_path / "pgsql" / name).touch()
    servers = PrivateServers(tmp_path)
    assert servers.server("pgsql").port == 0
    servers.stop("pgsql")


def test_a_folder_that_all_use_loses_no_permission(tmp_path):
    for mode, widened in ((0o1777, 0o1777), (0o700, 0o711), (0o750, 0o751)):
        tmp_path.chmod(mode)
        add_mode(tmp_path, REACHABLE)
        assert stat.S_IMODE(tmp_path.stat().st_mode) == widened


@pytest.mark.parametrize(
    ("path", "can_be"),
    [
        ("/home/o neill/ubench-1.0/build/servers/pgsql", True),
        ("/home/jos\u00e9/servers", True),
        ("/home/a,b/servers", False),
        ("/home/c#/servers", False),
        ("/home/o'neill/servers", False),
        ("/" + 79 * "a", True),
        ("/" + 80 * "a", False),
        ("/" + 40 * "\u00e9", False),
    ],
)
def test_where_sockets_can_be(path, can_be):
    """Elsewhere they are in /tmp."""
    assert can_have_sockets(Path(path)) == can_be


def test_clients_of_private_servers_go_nowhere_else(monkeypatch):
    monkeypatch.setenv("PGHOSTADDR", "192.0.2.1")
    monkeypatch.setenv("PGOPTIONS", "-c role=other")
    assert not any(name.startswith("PG") for name in pgsql._environment())


# ---- With servers


@pytest.fixture(scope="module", params=KINDS)
def servers(request, tmp_path_factory):
    folder = Path(f"/var/tmp/ubench-servers-{os.getpid()}-{request.param}")
    with PrivateServers.temporary(folder) as private:
        private.start(request.param)
        yield private
    assert not folder.exists()


def only_server(servers):
    (server,) = servers.running()
    return server


def test_variables_reach_the_server(servers):
    server = only_server(servers)
    prefix = f"UBENCH_{server.kind.upper()}_"
    names = [name.removeprefix(prefix) for name in server.environment()]
    own = {"mysql": ["PLAIN_USER", "ADMIN_FILE"], "pgsql": ["ADMIN"]}[server.kind]
    assert names == ["HOST", "PORT", "USER", "PASSWORD", "SOCKET", *own, "PID"]
    assert len(server.environment()[f"{prefix}PASSWORD"]) == 32
    assert server.sql("SELECT 1 + 1") == "2"
    with pytest.raises(Problem, match=server.kind):
        server.sql("SELECT nonsense")


def test_only_the_owner_reads_passwords(servers):
    server = only_server(servers)
    secrets = [server.password, server.admin_password]
    words = process.command_line(server.pid)
    assert not any(secret in word for secret in secrets for word in words)
    for path in servers.folder.rglob("*"):
        if path.is_file() and "data" not in path.parts:
            has_secret = any(secret in path.read_text(errors="replace") for secret in secrets)
            assert not has_secret or stat.S_IMODE(path.stat().st_mode) == 0o600, path


USERS = {
    "mysql": "SELECT user FROM mysql.user WHERE user LIKE 'ubench%' ORDER BY user",
    "pgsql": "SELECT rolname FROM pg_roles WHERE rolname LIKE 'ubench%' ORDER BY rolname",
}


def test_only_members_of_a_group_have_a_user_for_members(servers):
    server = only_server(servers)
    users = server.sql(USERS[server.kind]).split()
    assert "ubench" in users
    assert "ubench_member" not in users


def test_the_account_of_a_server_can_enter_its_folders(servers):
    server = only_server(servers)
    mode = 0o711 if server.account else 0o700
    assert stat.S_IMODE(server.folder.stat().st_mode) & 0o711 == mode


def test_server_that_runs_is_left_alone(servers):
    server = only_server(servers)
    pid = server.pid
    assert servers.start(server.kind).pid == pid
    with pytest.raises(Problem, match="runs already; so that options take effect, run: "):
        servers.start(server.kind, ["--port=1"])
    assert server.pid == pid


def test_another_process_sees_it(servers, script):
    server = only_server(servers)
    variables = {**os.environ, "UBENCH_SERVERS": str(servers.folder)}
    done = process.capture([script("servers"), "status", server.kind], env=variables)
    assert (done.status, done.out) == (
        0,
        f"{server.name}: running, pid {server.pid}, 127.0.0.1 port {server.port}, "
        f"data in {server.data}\n",
    )
    done = process.capture([script("servers"), "env", server.kind], env=variables)
    expected = server.environment()
    shown = process.capture(["sh", "-c", f"{done.out}\nenv"]).out.splitlines()
    assert {f"{name}={value}" for name, value in expected.items()} <= set(shown)


def test_crash_and_recovery(servers):
    """A killed server keeps its data and its port."""
    server = only_server(servers)
    port = server.port
    server.sql("CREATE TABLE kept AS SELECT 5 AS five;", "ubench")
    server.kill()
    assert server.ended_by_itself
    assert servers.start(server.kind).port == port
    assert server.sql("SELECT five FROM kept", "ubench") == "5"
    server.sql("DROP TABLE kept", "ubench")


def test_stop_and_start_again(servers):
    server = only_server(servers)
    pid = server.pid
    servers.stop(server.kind)
    assert servers.running() == []
    assert process.command_line(pid) == []
    servers.start(server.kind)
    assert server.pid != pid


# ---- The end of those that started them


@pytest.mark.servers("pgsql")
def test_server_that_does_not_start_leaves_nothing(server_folder):
    servers = PrivateServers(server_folder / "servers")
    with pytest.raises(Problem, match=r"pgsql: it does not start: .*FATAL: .*; see .*/log$"):
        servers.start("pgsql", ["-c", "shared_buffers=1000TB"])
    assert servers.running() == []
    assert not servers.server("pgsql").ended_by_itself


# A process that a shell started in the background ignores SIGINT, and so do its children.
START = """
import signal, sys, time
from pathlib import Path
from ubench.run.servers import PrivateServers
signal.signal(signal.SIGINT, signal.default_int_handler)
with PrivateServers.temporary(Path(sys.argv[1])) as servers:
    print(servers.start("pgsql").pid, flush=True)
    time.sleep(3600)
"""


@pytest.mark.servers("pgsql")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_server_ends_with_the_process_that_started_it(server_folder, number):
    with subprocess.Popen(
        [sys.executable, "-c", START, server_folder / "servers"],
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as owner:
        pid = int(owner.stdout.readline())
        owner.send_signal(number)
    assert process.wait_until(lambda: process.command_line(pid) == [])
    PrivateServers(server_folder / "servers").stop()
    assert list(server_folder.glob("servers/pgsql/pid")) == []


@pytest.mark.servers("pgsql")
def test_start_that_is_interrupted_leaves_nothing(server_folder, script):
    variables = {**os.environ, "UBENCH_SERVERS": str(server_folder / "servers")}
    home = server_folder / "servers" / "pgsql"
    with subprocess.Popen([script("servers"), "start", "pgsql"], env=variables) as starting:
        assert process.wait_until((home / "port").exists)
        starting.send_signal(signal.SIGTERM)
    assert starting.returncode == 143
    assert PrivateServers(server_folder / "servers").running() == []
    assert process.working_in(home / "data") == []


@pytest.mark.servers("pgsql")
@pytest.mark.root
def test_folder_that_the_servers_user_cannot_reach(tmp_path):
    """Its data goes to /var/tmp, and stop removes it. pytest's folder is root's alone."""
    servers = PrivateServers(tmp_path / "servers")
    try:
        work = servers.start("pgsql").work
        assert str(work).startswith("/var/tmp/ubench-pgsql.")
    finally:
        servers.stop()
    assert not work.exists()


@pytest.mark.servers("pgsql")
def test_cluster(server_folder):
    servers = PrivateServers(server_folder / "servers")
    try:
        first = servers.start("pgsql", standbys=1)
        assert [server.name for server in servers.running("pgsql")] == ["pgsql2", "pgsql"]
        replicas = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        # A standby that is still catching up is not "sync" yet.
        assert process.wait_until(lambda: first.sql(replicas) == "1")
    finally:
        servers.stop()
    assert not (servers.folder / "pgsql2").exists()


@pytest.mark.servers("pgsql")
def test_run_gives_a_command_a_server(server_folder, script):
    text = 'echo "$UBENCH_SERVERS $UBENCH_PGSQL_PID"; '
    text += 'tr "\\0" " " </proc/$UBENCH_PGSQL_PID/cmdline; exit 5'
    done = process.capture([script("servers"), "run", "pgsql -c fsync=off", "sh", "-c", text])
    assert done.status == 5, done.err
    folder, pid = done.out.splitlines()[0].split()
    assert "-c fsync=off" in done.out
    assert not Path(folder).exists()
    assert process.command_line(int(pid)) == []
