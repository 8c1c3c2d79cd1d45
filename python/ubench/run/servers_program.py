# SPDX-License-Identifier: ISC
"""scripts/servers: private database servers on the command line."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ubench import cli
from ubench.errors import Problem, UsageError
from ubench.run import process
from ubench.run.server import Server
from ubench.run.server_files import command_for
from ubench.run.servers import KINDS, PrivateServers

NAME = "servers"
USAGE = """\
start|stop|status|env|kea [mysql|pgsql] [OPTION]...
run 'mysql|pgsql [SERVER-OPTION]...' COMMAND [ARGUMENT]..."""
DESCRIPTION = """
Runs private MariaDB (or MySQL) and PostgreSQL servers in build/servers/, with
ports and sockets of their own. Does not touch the machine's own servers.

  start   start, and wait until connections are accepted; a server that runs
          already is left alone; the last line printed sets the environment
  stop    stop, and wait; also cleans up after a crash
  status  what runs; exit status 1 if a server does not
  env     print the variables that runners and tests need:
          eval "$(scripts/servers env)"
  run     start a server for COMMAND alone; then stop it and remove its data
  kea     make an empty database kea with Kea's own tables, for
          kea_ubench -o type=mysql or -o type=postgresql

Without mysql or pgsql, both are meant. Options after -- go to the server.

The servers of a cluster, pgsql2 and so on, are removed by stop. With --delay or
--loss, which need root, each server is in a network namespace of its own, and
each packet between two of them, or between a server and its clients, is delayed
or can be lost.

UBENCH_SERVERS names another directory than build/servers, for further servers.
UBENCH_SERVERS_PRELOAD names a library that servers are started with, and
UBENCH_KEA_DATABASE another database than kea.
UBENCH_MYSQLD=/path/to/mysqld (or mariadbd) and UBENCH_PGBIN=/path/to/bin choose
other programs than the newest installed.

If root starts them, the servers run as their packages' users, or as nobody if a
package makes none (mysql-server-core). If that user cannot reach the checkout,
data and sockets go to a temporary directory, which stop removes. Otherwise the
data stays for the next start."""
BRIEF_PARAGRAPHS = 3
EXAMPLE = "scripts/servers start pgsql -- -c shared_buffers=1GB"
ACTIONS = ("start", "stop", "status", "env", "kea", "run")
LINKS = ("delay", "loss")
CLUSTERS = {"standbys": "pgsql", "nodes": "mysql", "group": "mysql"}
ENDING_S = 2  # for a command that ^C on the terminal reaches by itself


def make_parser() -> cli.Parser:
    """Return the parser of all actions but run."""
    parser = cli.Parser(
        NAME, USAGE, DESCRIPTION, example=EXAMPLE, brief=BRIEF_PARAGRAPHS
    )
    count = cli.whole_number(1, 9)
    parser.add_argument("action", nargs="?", type=cli.choice(*ACTIONS), help=cli.HIDDEN)
    parser.add_argument("kind", nargs="?", type=cli.choice(*KINDS), help=cli.HIDDEN)
    parser.add_argument(
        "--standbys",
        metavar="N",
        type=count,
        help="start pgsql: each commit waits until N standbys have it "
        "(synchronous_standby_names)",
    )
    parser.add_argument(
        "--nodes",
        metavar="N",
        type=count,
        help="start mysql: a Galera cluster (packages galera-4 and rsync)",
    )
    parser.add_argument(
        "--group",
        metavar="N",
        type=count,
        help="start mysql: a replication group of MySQL, one member of which accepts changes",
    )
    parser.add_argument(
        "--delay",
        metavar="TIME",
        type=cli.filled("a time with a unit"),
        help="start: each packet takes this long (0.5ms)",
    )
    parser.add_argument(
        "--loss",
        metavar="SHARE",
        type=cli.filled("a share"),
        help="start: this share of packets is lost (0.1%%)",
    )
    return parser


@dataclass(frozen=True)
class ServersRequest:
    """What a command line asks for."""

    action: str
    kinds: tuple[str, ...]
    options: argparse.Namespace
    server_options: tuple[str, ...]


def read_request(words: Sequence[str]) -> ServersRequest:
    """Read a command line of all actions but run; UsageError if it is wrong."""
    end = words.index("--") if "--" in words else len(words)
    options = make_parser().parse(words[:end])
    if not options.action:
        raise UsageError(f"an action is missing; expected {cli.alternatives(ACTIONS)}")
    request = ServersRequest(
        action=options.action,
        kinds=(options.kind,) if options.kind else tuple(KINDS),
        options=options,
        server_options=tuple(words[end + 1 :]),
    )
    check_request(request, has_separator=end < len(words))
    return request


def check_request(request: ServersRequest, *, has_separator: bool) -> None:
    """Raise UsageError for options that do not fit the action or the kind."""
    starts = list(request.kinds) if request.action == "start" else []
    for name, kind in CLUSTERS.items():
        if getattr(request.options, name) is not None and starts != [kind]:
            raise UsageError(f"--{name} is for: start {kind}")
    for name in LINKS:
        if getattr(request.options, name) is not None and len(starts) != 1:
            raise UsageError(f"--{name} is for: start mysql, or start pgsql")
    if has_separator and len(starts) != 1:
        raise UsageError("options after -- are for: start mysql, or start pgsql")


# ---- Actions


def start(servers: PrivateServers, request: ServersRequest) -> int:
    """Start servers, and print how to set the environment."""
    options = request.options
    for kind in request.kinds:
        servers.start(
            kind,
            request.server_options,
            nodes=options.nodes or 0,
            group=options.group or 0,
            standbys=options.standbys or 0,
            delay=options.delay or "",
            loss=options.loss or "",
        )
    print(f'now: eval "$({command_for("env", options.kind or "")})"')
    return 0


def stop(servers: PrivateServers, request: ServersRequest) -> int:
    """Stop servers."""
    for kind in request.kinds:
        servers.stop(kind)
    return 0


def status_line(server: Server) -> str:
    """Return the status of a server as text."""
    if pid := server.running_pid():
        where = f"{server.host} port {server.port}, data in {server.data}"
        return f"{server.name}: running, pid {pid}, {where}"
    if server.ended_by_itself:
        return f"{server.name}: not running; it ended without stop, see {server.log}"
    return f"{server.name}: not running"


def status(servers: PrivateServers, request: ServersRequest) -> int:
    """Print what runs; 1 if a server does not."""
    members = [server for kind in request.kinds for server in servers.members(kind)]
    for server in members:
        print(status_line(server))
    return 0 if all(server.running_pid() for server in members) else 1


def for_each(
    servers: PrivateServers, request: ServersRequest, action: Callable[[Server], None]
) -> int:
    """Do something with each server; 1 if it fails for one of them, which a message says."""
    failed = 0
    for kind in request.kinds:
        for server in servers.members(kind):
            try:
                action(server)
            except Problem as problem:
                cli.say(NAME, str(problem))
                failed = 1
    return failed


def print_environment(server: Server) -> None:
    """Print a server's variables as commands for a shell."""
    lines = []
    for name, value in server.environment().items():
        quoted = value.replace("'", "'\\''")
        lines.append(f"export {name}='{quoted}'\n")
    sys.stdout.write("".join(lines))


def make_kea_tables(server: Server) -> None:
    """Make the database for Kea's tables, unless the server is a standby or the like."""
    if server.is_first:
        server.make_kea_tables(os.environ.get("UBENCH_KEA_DATABASE", "kea"))


# ---- A server for one command


def run(words: Sequence[str]) -> int:
    """Run a command with a server of its own; return its exit status."""
    folder = None
    if words[:1] == ["--folder"] and len(words) > 1:  # of scripts/duel, which cleans up after us
        folder, words = Path(words[1]), words[2:]
    kind, *options = words[0].split() if words and words[0].strip() else [""]
    if kind not in KINDS:
        raise UsageError(
            f"run: '{kind}' is not mysql or pgsql; with options, quote it: 'pgsql -c fsync=off'"
        )
    command = words[1:]
    if not command:
        raise UsageError("run: COMMAND is missing; expected, for example: run pgsql ./pgsql_ubench")
    with PrivateServers.temporary(folder) as servers:
        server = servers.start(kind, options)
        if any("kea_ubench" in word for word in command):
            server.make_kea_tables()
        variables = {"UBENCH_SERVERS": str(servers.folder), **server.environment()}
        return run_in_foreground(command, variables)


def run_in_foreground(command: Sequence[str], variables: dict[str, str]) -> int:
    """Run a command with our input and in our session; return its exit status.

    ^C on a terminal reaches it by itself; other signals are handed on.
    """
    child = None
    try:
        with process.signals_deferred():
            child = subprocess.Popen(command, env={**os.environ, **variables})
        code = child.wait()
    except OSError as error:
        raise Problem(f"run: cannot run '{command[0]}': {error.strerror}", 127) from None
    except process.Interrupted as interrupt:
        if child:
            end_child(child, interrupt.number)
        raise
    return code if code >= 0 else 128 - code


def end_child(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Wait until a command has ended after a signal."""
    with process.signals_ignored():
        try:
            child.wait(ENDING_S if number == signal.SIGINT else 0)
        except subprocess.TimeoutExpired:
            child.send_signal(number)
            child.wait()


def carry_out(words: Sequence[str]) -> int:
    """Do what a command line asks for; return the exit status."""
    process.handle_signals()
    if words[:1] == ["run"] and words[1:2] not in (["-h"], ["--help"]):
        return run(words[1:])
    request = read_request(words)
    servers = PrivateServers()
    if request.action in ("env", "kea"):
        action = print_environment if request.action == "env" else make_kea_tables
        return for_each(servers, request, action)
    actions = {"start": start, "stop": stop, "status": status}
    return actions[request.action](servers, request)


def main(words: Sequence[str] | None = None) -> int:
    """Run scripts/servers; return its exit status."""
    return cli.guard(NAME, carry_out, words)
