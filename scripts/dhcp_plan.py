# SPDX-License-Identifier: ISC
"""The command line of scripts/dhcp, and the configurations that it asks for."""
import argparse
import contextlib
import hashlib
import itertools
import json
import os
import re
from types import SimpleNamespace

import dhcp_server
from campaign import HERE, fitting, make_parser, output, read, typed, whole

from report import Problem, figures
from report.kea import file as kea_file
from report.table import fold

HELP = """\
Measures a DHCP server with its lease store under the load of perfdhcp, in
network namespaces of its own.  Needs root.

{own}

These are commands as above with certain options.  Others can be added:
{sets}

LIST is one or more values with commas between; each combination is measured.
perfdhcp has the last processor, and the server and its database the others,
of those that `taskset -c LIST dhcp ...` leaves."""

ENDING = """\
UBENCH_DHCP names another directory than build/dhcp for what is written.

Example: dhcp rate --quick --store memfile,mysql,pgsql

Exit status: 0 done, 1 a run failed, 2 usage, 77 it cannot run here, 130 or 143
interrupted."""

MOST = 10**9

# An option with one of these values, or with any that makes it be used; and the values that it
# needs of others.
NEEDS = [
    ("config", "server kea", "command rate seconds storm", "leases 0", "subnets 1",
     "reservations 0", "classes 0", "renew-old 0"),
    ("set", "server kea"),
    ("server dhcpd", "family 4", "store dhcpd", "threads 1", "sync yes", "ha none", "hook none",
     "command rate seconds storm", "leases 0", "subnets 1", "reservations 0", "renew 0",
     "release 0"),
    ("store memfile", "sync no volatile"),
    ("store mysql pgsql", "sync yes no"),
    ("sync volatile", "ha none", "leases 0"),
    ("leases", "family 4", "subnets 1", "ha none"),
    ("command lfc", "store memfile"),
    ("renew", "command rate seconds"),
    ("release", "command rate seconds"),
    ("renew-old", "command rate seconds", "server kea", "family 4", "subnets 1", "ha none",
     "sync yes no", "leases 0", "renew 0"),
    ("hook cache", "command storm"),
    ("kill", "command seconds", "ha hot-standby load-balancing"),
]


def words(known):
    """The type of an option that is one of several words."""
    return fitting(known.replace(" ", "|"), f"one of {known}")


REAL = typed(lambda text: figures.scan_unit(text, {"": 1}), "a number")
# Name, letter, type of each value, default, help.
# "" is a default that depends on other options.
LISTS = [
    ("server", None, words("kea dhcpd"), "kea", "kea or dhcpd"),
    ("family", None, words("4 6"), "4", "4 or 6: DHCPv4 or DHCPv6"),
    ("store", None, words("memfile mysql pgsql"), "", "Kea's lease databases [memfile]"),
    ("sync", "s", words("yes no volatile"), "",
     "whether an acknowledged lease survives a power cut [no for memfile, which cannot,"
     " else yes]; volatile: memfile without a file"),
    ("threads", "t", whole(1, MOST), "",
     "Kea's threads; 1 is without multi-threading [1; with --config: as there]"),
    ("queue", None, whole(1, MOST), "64", "packets that may wait for Kea's threads"),
    ("delayed-ack", None, whole(0, MOST), "0", "answers of dhcpd that wait for one sync"),
    ("pool", None, whole(1, MOST), "",
     "addresses [4000000; dhcpd: 50000, as it keeps each in memory]"),
    ("leases", None, whole(0, MOST), "",
     "leases of other clients, in the store at the start [0; expire, start, lfc: 10000]"),
    ("classes", None, whole(0, 256), "0", "client classes, each with a test"),
    ("subnets", None, whole(1, 4000), "1", "subnets; several have relays, from which clients come"),
    ("reservations", None, whole(0, MOST), "0", "reservations of other clients, in all subnets"),
    ("hosts", None, words("config mysql pgsql"), "config", "where reservations are"),
    ("hook", None, words("none block park cache"), "none", "how Kea waits for a backend"),
    ("hook-ms", None, whole(1, MOST), "80", "ms that the backend takes"),
    ("ha", None, words("none hot-standby load-balancing"), "",
     "a pair of servers [none; with --config: as there]"),
    ("ha-delay", None, whole(1, MOST), "10",
     "seconds until a silent partner is taken for dead"),
    ("kill", None, whole(0, MOST), "0",
     "with --ha: the second in which the first server is killed; 0: not"),
    ("renew", None, whole(0, MOST), "0",
     "renewals beside 100 new clients, of leases that these have"),
    ("renew-old", None, whole(0, MOST), "0",
     "renewals beside 100 new clients, of leases that others have for half their lifetime"),
    ("release", None, whole(0, MOST), "0", "releases beside 100 new clients"),
    ("lost", None, REAL, "2.5", "percent of the clients that may get no lease"),
    ("within", None, REAL, "2", "seconds that a client waits for an answer"),
    ("rate", None, whole(1, MOST), "",
     "new clients a second [expire, start, lfc: 20; rate: begins its search with 500]"),
    ("seconds", None, whole(1, MOST), "",
     "seconds of a trial [rate: 10; seconds, expire: 60; start: 1; lfc: 30]"),
    ("clients", None, whole(1, MOST), "10000", "clients of storm"),
    ("runs", "r", whole(1, MOST), "", "runs, each on an empty database [rate: 3; else 1]"),
    ("prefix", None, fitting("/.+", "a folder, /opt/kea say"), "",
     "where Kea is installed; the runs of several take turns [KEA_PREFIX, or that of PATH]"),
]


def read_commands():
    """The text of each command, and the words of each line that it stands for."""
    file = read(f"{HERE}/sweeps/dhcp.sets")
    return {name: (text, [line.split() for line in lines.splitlines()]) for name, text, lines in
            re.findall(r"^(\w.*?): (.*)\n((?: .*\n)+)", file, re.MULTILINE)}


def scan_member(text):
    """The path and the value of PATH=VALUE; the value is JSON or a word."""
    path, sign, value = text.partition("=")
    with contextlib.suppress(ValueError):
        value = json.loads(value)
    return (path, value) if sign and "" not in path.split(".") else None


def configuration(path):
    """A file of Kea's: its members, those that are replaced, its pair, and the file in a result."""
    try:
        family, site = kea_file.read(path)
        digest = hashlib.sha256(json.dumps(site, sort_keys=True).encode()).hexdigest()
        return SimpleNamespace(path=path, family=family, site=site, pair=kea_file.pair(site),
                               replaced=dhcp_server.replaced(site, family),
                               facts={"file": os.path.basename(path), "sha256": digest})
    except Problem as wrong:
        raise argparse.ArgumentTypeError(str(wrong)) from None


def read_parser(commands):
    shown = {"own": [], "sets": []}
    for name, (text, lines) in commands.items():
        if name != lines[0][0] == name.partition(" ")[0]:
            continue  # it is the command with an option
        kind, width = ("own", 14) if lines[0][0] == name else ("sets", 18)
        shown[kind].append(f"  {name:{width}}{fold(text, 80, 2 + width)}")
    help_text = HELP.format(**{of: "\n".join(texts) for of, texts in shown.items()})
    parser = make_parser("dhcp COMMAND [OPTION]...", help_text, ENDING, brief=2)
    add = parser.add_argument
    add("command", metavar="COMMAND", nargs="?", default="", help=argparse.SUPPRESS)
    add("--quick", action="store_true", help="one run, rates with trials of 4 s, which are rough")
    add("-O", "--output", metavar="FILE", type=output, help="append a line of JSON for each run; "
        "runs that FILE has already are not repeated [build/dhcp/results.jsonl]")
    add("--config", metavar="FILE", type=configuration,
        help="a kea-dhcp4.conf or kea-dhcp6.conf (but interfaces, sockets, databases and logs are "
        "replaced, and the clients have a subnet of their own, like its first one)")
    for name, letter, kind, default, meaning in LISTS:
        add(*([f"-{letter}"] if letter else []), f"--{name}", metavar="LIST",
            default=(os.environ.get("KEA_PREFIX") if name == "prefix" else "")
            or [kind(default) if default else ""],
            type=lambda text, kind=kind: [kind(item) for item in text.split(",")],
            help=meaning + (f" [{default}]" if default else ""))
    add("-6", "--ipv6", dest="family", action="store_const", const=[6], help="DHCPv6")
    add("--set", metavar="PATH=VALUE", action="append", default=[],
        type=typed(scan_member, "PATH=VALUE"), help="a member of Kea's configuration, "
        "expired-leases-processing.max-reclaim-leases=0 say; repeatable")
    return parser


def is_so(c, what):
    """Whether an option has one of these values; without values, whether it is used."""
    name, *values = what.split()
    value = c.get(name.replace("-", "_"))
    return str(value) in values if values else value not in (None, 0, "none")


def told(what):
    """The same as it is typed."""
    name, *values = what.split()
    return " or ".join(values) if name == "command" else f"--{name} {' or '.join(values)}".strip()


def complaints(c):
    """Why a configuration, by the names of options, cannot be measured."""
    for what, *needs in NEEDS:
        name, *values = what.split()
        shown = told(f"{name} {c[name]}" if values else name)
        yield from (f"{shown}: only with {told(need)}" for need in needs
                    if is_so(c, what) and not is_so(c, need))
    subnets, both = c["subnets"], c["renew"] + c["release"]
    for name, least, most, other in (
            ("pool", 2 * subnets, 8000000 if subnets == 1 else subnets * 50000, "subnets"),
            ("reservations", 0, 60000 if subnets == 1 else subnets * 14000, "subnets"),
            ("leases", 0, c["pool"], "pool"), ("kill", 0, max(c["seconds"] - 1, 0), "seconds")):
        if not least <= c[name] <= most:
            yield f"--{name}: {c[name]} is not in {least}..{most}, with --{other} {c[other]}"
    if both > 100:
        yield f"--renew, --release: together {both} are more than 100: " \
            "perfdhcp renews or releases each lease once"
    if c["command"] == "seconds" and not c["rate"]:
        yield "seconds: --rate is missing"
    free = c["pool"] - c["leases"] - 1  # that one is for the first client, which shows that it runs
    if c["command"] == "storm" and c["clients"] > free:
        yield f"--clients: {c['clients']} are more than the {free} free addresses of --pool"


def complete(c, command, asked):
    """Fills in what is left open, in a configuration by the names of options."""
    dhcpd, config, subnets = c["server"] == "dhcpd", asked.config, c["subnets"]
    if config:
        c.update(family=config.family, config=config.facts)
    if asked.set:
        c["set"] = dict(asked.set)
    defaults = {
        "store": "dhcpd" if dhcpd else "memfile", "ha": config.pair if config else "none",
        "threads": None if config else 1, "rate": 0, "leases": 0, "seconds": 0, "runs": 1,
        "pool": 50000 if dhcpd else min(subnets * 50000, 4000000) if subnets > 1 else 4000000}
    c.update((name, value) for name, value in defaults.items() if c[name] == "")
    c.update(command=command, family=int(c["family"]),
             sync=c["sync"] or ("no" if c["store"] == "memfile" else "yes"))
    return c


def settle(c):
    """The same with the names that it has in results, and without what makes no difference."""
    c.update(max_lost=c.pop("lost") / 100, within_s=c.pop("within"), start_rate=c.pop("rate"),
             ha_delay_s=c.pop("ha_delay"), kill_s=c.pop("kill"))
    for is_idle, name, value in (
            (c["threads"] == 1, "queue", 64),
            (not c["reservations"] and ("config" not in c or c["hosts"] == "config"),
             "hosts", "none"),
            (c["hook"] == "none", "hook_ms", 80), (c["ha"] == "none", "ha_delay_s", 10)):
        if is_idle:
            c[name] = value
    return {name: value for name, value in c.items() if value != 0 or
            name not in ("renew", "renew_old", "release", "leases")}


def read_command(words):
    """Returns the options and the configurations, dicts, each once and in order."""
    commands = read_commands()
    parser = read_parser(commands)
    asked = parser.parse_args(words)
    names = [name for name in commands if " " not in name]
    if asked.command not in names:
        parser.error(f"'{asked.command}' is no command: {', '.join(names)}")

    def lines_of(name):
        return commands.get(name + " --quick" * asked.quick, commands[name])[1]

    found, options = [], [name.replace("-", "_") for name, *_ in LISTS]
    for command, *line in lines_of(asked.command):
        own, = lines_of(command)  # it stands for itself, with its defaults
        given = parser.parse_args(words, parser.parse_args([*own, *line]))
        for one in itertools.product(*(getattr(given, name) for name in options)):
            c = complete(dict(zip(options, one)), command, given)
            for why in complaints(c):
                parser.error(why)
            c = settle(c)
            if c not in found:
                found.append(c)
    return asked, found
