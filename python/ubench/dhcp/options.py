# SPDX-License-Identifier: ISC
"""The options of scripts/dhcp and its help."""

from __future__ import annotations

import argparse
import contextlib
import json
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ubench import cli
from ubench.dhcp.commands import PROGRAM, CommandSet
from ubench.dhcp.plan import (
    DEFAULT_ALLOCATOR,
    DEFAULT_HA_DELAY_S,
    DEFAULT_HOOK_MS,
    DEFAULT_QUEUE,
    MOST_NODES,
    MOST_RATE,
    MOST_SERVERS,
)
from ubench.dhcp.site import SiteConfiguration
from ubench.errors import Problem
from ubench.run.output import output_file

LARGEST = 10**9  # of numbers that have no other limit
HELP_WIDTH = 80
KEA_POOL = 4000000
DHCPD_POOL = 50000  # dhcpd keeps each address in memory
SUBNET_POOL = 50000  # of each of several subnets

DESCRIPTION = """\
Measures a DHCP server with its lease store under the load of perfdhcp, in
network namespaces of its own. It needs root.

{commands}

The following commands are those above with certain options; further options
can be added:
{sets}

LIST is one or more values with commas between them; each combination is
measured. perfdhcp runs on the last processor, and the server and its database
on the others, of those that `taskset -c LIST dhcp ...` allows."""

ENDING = """\
UBENCH_DHCP names the directory for everything that is written [build/dhcp].

Exit status: 0 done, 1 a run failed, 2 usage, 3 a server gave a wrong answer,
77 this machine lacks what it needs, 130 or 143 interrupted."""


# ---- Options


@dataclass(frozen=True)
class ListOption:
    """An option that takes a list, and is a dimension of the plans."""

    name: str
    kind: Callable[[str], object]  # the type of each value
    default: str  # "" if it depends on other options
    help: str
    letter: str = ""

    @property
    def key(self) -> str:
        """Its name among the parsed options."""
        return self.name.replace("-", "_")

    def parse(self, text: str) -> list[object]:
        """Read a list of values; raises argparse.ArgumentTypeError."""
        return [self.kind(item) for item in text.split(",")]

    def add_to(self, parser: cli.Parser) -> None:
        """Add the option to a parser."""
        names = [f"-{self.letter}"] if self.letter else []
        parser.add_argument(
            *names,
            f"--{self.name}",
            metavar="LIST",
            type=self.parse,
            default=[self.kind(self.default) if self.default else None],
            help=f"{self.help} [{self.default}]" if self.default else self.help,
        )


LIST_OPTIONS = (
    ListOption("server", cli.choice("kea", "dhcpd"), "kea", "kea or dhcpd"),
    ListOption("family", cli.choice("4", "6"), "4", "4 or 6: DHCPv4 or DHCPv6"),
    ListOption(
        "store", cli.choice("memfile", "mysql", "pgsql"), "", "memfile, mysql or pgsql [memfile]"
    ),
    ListOption(
        "sync",
        cli.choice("yes", "no", "volatile"),
        "",
        "whether an acknowledged lease survives a power cut: yes, no, or volatile, which is"
        " memfile without a file [no for memfile, which cannot; else yes]",
        letter="s",
    ),
    ListOption(
        "threads",
        cli.whole_number(1, LARGEST),
        "",
        "Kea's threads; 1 is without multi-threading [1; with --config: as there]",
        letter="t",
    ),
    ListOption(
        "cpus",
        cli.number(0, 1024, "a number of processors in 0..1024, as 0.5"),
        "0",
        "processors that the server may use, as in a container: 0.5; 0: no limit",
    ),
    ListOption(
        "queue",
        cli.whole_number(1, LARGEST),
        str(DEFAULT_QUEUE),
        "packets that may wait for Kea's threads",
    ),
    ListOption(
        "delayed-ack", cli.whole_number(0, LARGEST), "0", "answers of dhcpd that wait for one sync"
    ),
    ListOption(
        "pool",
        cli.whole_number(1, LARGEST),
        "",
        f"addresses [{KEA_POOL}; dhcpd: {DHCPD_POOL}, as it keeps each in memory]",
    ),
    ListOption(
        "leases",
        cli.whole_number(0, LARGEST),
        "",
        "leases of other clients in the store at the start [0; expire, start, lfc: 10000]",
    ),
    ListOption("classes", cli.whole_number(0, 256), "0", "client classes, each with a test"),
    ListOption(
        "subnets",
        cli.whole_number(1, 4000),
        "1",
        "subnets; with several, clients come through relays",
    ),
    ListOption(
        "reservations",
        cli.whole_number(0, LARGEST),
        "0",
        "reservations of other clients, in all subnets",
    ),
    ListOption(
        "hosts",
        cli.choice("config", "mysql", "pgsql"),
        "config",
        "where reservations are: config, mysql or pgsql",
    ),
    ListOption(
        "hook",
        cli.choice("none", "block", "park", "cache"),
        "none",
        "how Kea waits for a slow backend: block, park or cache",
    ),
    ListOption(
        "hook-ms",
        cli.whole_number(1, LARGEST),
        str(DEFAULT_HOOK_MS),
        "milliseconds that the backend takes",
    ),
    ListOption(
        "servers",
        cli.whole_number(1, MOST_SERVERS),
        "1",
        "servers on one database, each with a network and clients of its own",
    ),
    ListOption(
        "nodes",
        cli.whole_number(0, MOST_NODES),
        "0",
        "nodes of a Galera cluster (MariaDB), to which servers connect in turn; 0: no cluster",
    ),
    ListOption(
        "allocator",
        cli.choice(DEFAULT_ALLOCATOR, "random", "flq", "shared-flq"),
        DEFAULT_ALLOCATOR,
        "how Kea chooses addresses: iterative, random, flq or shared-flq",
    ),
    ListOption(
        "ha",
        cli.choice("none", "hot-standby", "load-balancing"),
        "",
        "a pair of servers: hot-standby or load-balancing [none; with --config: as there]",
    ),
    ListOption(
        "ha-delay",
        cli.whole_number(1, LARGEST),
        str(DEFAULT_HA_DELAY_S),
        "seconds of silence after which a partner counts as dead",
    ),
    ListOption(
        "kill",
        cli.whole_number(0, LARGEST),
        "0",
        "with --ha or --servers: the second in which the first server is killed; 0: never",
    ),
    ListOption(
        "renew",
        cli.whole_number(0, LARGEST),
        "0",
        "renewals for every 100 new clients, of leases granted in the same trial",
    ),
    ListOption("release", cli.whole_number(0, LARGEST), "0", "releases for every 100 new clients"),
    ListOption(
        "lost",
        cli.number(0, 100, "a percentage in 0..100"),
        "2.5",
        "percentage of the clients that may get no lease",
    ),
    ListOption(
        "within",
        cli.number(0.001, 3600, "a number of seconds in 0.001..3600"),
        "2",
        "seconds that a client waits for an answer",
    ),
    ListOption(
        "rate",
        cli.whole_number(1, MOST_RATE),
        "",
        "new clients a second [expire, start, lfc: 20; rate: begins its search with 500]",
    ),
    ListOption(
        "seconds",
        cli.whole_number(1, LARGEST),
        "",
        "seconds of a trial [rate: 10; seconds, expire: 60; start: 1; lfc: 30]",
    ),
    ListOption("clients", cli.whole_number(1, LARGEST), "10000", "clients of storm"),
    ListOption(
        "runs",
        cli.whole_number(1, LARGEST),
        "",
        "runs, each on an empty database [rate: 3; else 1]",
        letter="r",
    ),
    ListOption(
        "prefix",
        cli.matching("/.+", "an absolute path, such as /opt/kea"),
        "",
        "where Kea is installed; runs of several take turns [KEA_PREFIX, or the Kea of PATH]",
    ),
)


def member_value(text: str) -> tuple[str, object]:
    """Return the path and the value of PATH=VALUE; the value is JSON, or else a word."""
    path, sign, word = text.partition("=")
    if not sign or "" in path.split("."):
        raise argparse.ArgumentTypeError(f"'{text}' is not PATH=VALUE")
    with contextlib.suppress(ValueError, RecursionError):
        return path, json.loads(word)
    return path, word


def site_file(path: str) -> SiteConfiguration:
    """Read a site's configuration of Kea; argparse.ArgumentTypeError if Kea would refuse it."""
    try:
        return SiteConfiguration.read(path)
    except Problem as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def make_parser(commands: Mapping[str, CommandSet]) -> cli.Parser:
    """Return the parser of all commands: they have the same options."""
    shown = [command for command in commands.values() if not command.is_quick]
    parser = cli.Parser(
        PROGRAM,
        "COMMAND [OPTION]...",
        DESCRIPTION.format(
            commands=_list_commands(command for command in shown if command.is_basic),
            sets=_list_commands(command for command in shown if not command.is_basic),
        ),
        example="dhcp rate --quick --store memfile,mysql,pgsql",
        ending=ENDING,
        brief=2,
    )
    add = parser.add_argument
    add("command", metavar="COMMAND", nargs="?", default="", help=cli.HIDDEN)
    add("--quick", action="store_true", help="one run, with trials of 4 s; rates are rough")
    add(
        "-O",
        "--output",
        metavar="FILE",
        type=output_file,
        help="append a line of JSON for each run; runs that FILE already has are not repeated"
        " [build/dhcp/results.jsonl]",
    )
    add(
        "--config",
        metavar="FILE",
        type=site_file,
        help="a kea-dhcp4.conf or kea-dhcp6.conf; interfaces, sockets, databases and logs are"
        " replaced, and a subnet like the first one is added for the clients",
    )
    for option in LIST_OPTIONS:
        option.add_to(parser)
    add(
        "--where",
        action="store_true",
        help="also measure where the time of a lease goes: the queue, Kea, each kind of statement,"
        " syncs; what measures it makes a database a little slower",
    )
    add("-6", "--ipv6", dest="family", action="store_const", const=["6"], help="DHCPv6")
    add(
        "--set",
        metavar="PATH=VALUE",
        action="append",
        type=member_value,
        help="a member of Kea's configuration, such as"
        " expired-leases-processing.max-reclaim-leases=0; repeatable",
    )
    return parser


def _list_commands(commands: Iterator[CommandSet]) -> str:
    """Return the commands with their texts, as --help lists them."""
    lines = []
    for command in commands:
        lines += textwrap.wrap(
            command.text,
            HELP_WIDTH,
            initial_indent=f"  {command.name:14}",
            subsequent_indent=" " * 16,
        )
    return "\n".join(lines)
