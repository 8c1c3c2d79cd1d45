# SPDX-License-Identifier: ISC
"""The command line of scripts/dhcp, and the configurations that it asks for."""
import argparse
import itertools
import json
import math
import re

import dhcp_config
from campaign import HERE, fitting, make_parser

from report import Problem, figures
from report.kea import file as kea_file

HELP = """\
Measures a DHCP server with its lease store under the load of perfdhcp, in
network namespaces of its own.  Needs root.

  rate          the highest rate of new leases of which few are lost
  seconds       a long run at one rate, second by second
  storm         all clients ask at once, and again until they have a lease
  expire        leases that run out: how many the server reclaims, and how
                long it answers nobody meanwhile
  start         how long a server starts, with leases in its store; its memory
  lfc           memfile: how long its file is cleaned up, as clients feel it

These are the commands above with certain options, to which others can be added:
  hook          a hook library that waits 80 ms for a backend: in line, with threads,
                parked, with a cache
  ha            a pair of servers beside one; the first one killed in mid-run
  reservations  14,404 in 829 subnets, in the configuration and in databases
  pool          clients that find a half, 90, 99 and 100 % of the pool taken
  classes       0 to 256 client classes
  threads       1 to 8 threads, with three queues
  campaign      both families, all stores, 1 to 8 threads, pairs; with --quick about
                25 minutes, else 85

LIST is one or more values with commas between; each combination is measured."""

ENDING = """\
UBENCH_DHCP names another directory than build/dhcp for configurations and leases.
Exit status: 0 done, 1 a run failed, 2 usage, 77 it cannot run here, 130 or 143
interrupted."""

WITH_LEASES = {"expire": 60, "start": 1, "lfc": 30}  # and their default of --seconds
COMMANDS = ("rate", "seconds", "storm", *WITH_LEASES)


def words(known):
    """The type of an option that is one of several words."""
    def scan(text):
        if text not in known.split():
            raise argparse.ArgumentTypeError(f"'{text}' is not one of {known}")
        return int(text) if text.isdigit() else text

    return scan


def whole(least, most=math.inf):
    """The type of an option that is a whole number."""
    def scan(text):
        if not re.fullmatch("[0-9]{1,18}", text):
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not above 0")
        if int(text) > most:
            raise argparse.ArgumentTypeError(f"{text} is more than {most}")
        return int(text)

    return scan


def real(text):
    """The type of an option that is a number."""
    value = figures.scan_real(text)
    if value is None or value < 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number")
    return int(value) if value == int(value) else value


# Name, letter, type of each value, default, help.
# "" is a default that depends on other options.
LISTS = [
    ("server", None, words("kea dhcpd"), "kea", "kea or dhcpd"),
    ("family", None, words("4 6"), "4", "4 or 6: DHCPv4 or DHCPv6"),
    ("store", None, words("memfile mysql pgsql"), "", "Kea's lease databases [memfile]"),
    ("sync", "s", words("yes no volatile"), "",
     "whether an acknowledged lease survives a power cut [no for memfile, which cannot,"
     " else yes]; volatile: memfile without a file"),
    ("threads", "t", whole(1), "",
     "of Kea; 1 is without multi-threading [1; with --config: as there]"),
    ("queue", None, whole(1), "64", "packets that may wait for Kea's threads"),
    ("delayed-ack", None, whole(0), "0", "of dhcpd: answers that wait for one sync"),
    ("pool", None, whole(1), "",
     "addresses [4000000; of dhcpd, which keeps each in memory: 20000]"),
    ("full", None, whole(0, 100), "0", "percent of them that others have"),
    ("classes", None, whole(0, 256), "0", "client classes, each with a test"),
    ("subnets", None, whole(1, 4000), "1", "with relays from which the clients come"),
    ("reservations", None, whole(0), "0", "of other clients, spread over the subnets"),
    ("hosts", None, words("config mysql pgsql"), "config", "where these are"),
    ("hook", None, words("none block park cache"), "none", "how Kea waits for a backend"),
    ("hook-ms", None, whole(1), "80", "that the backend takes"),
    ("ha", None, words("none hot-standby load-balancing"), "",
     "a pair of servers [none; with --config: as there]"),
    ("ha-delay", None, whole(1), "10",
     "seconds until a silent partner is taken for dead"),
    ("kill", None, whole(0), "0",
     "with --ha: the second in which the first server is killed; 0: not"),
    ("renew", None, whole(0), "0",
     "percent: renewals that are sent beside 100 new clients, of leases that these have"),
    ("renew-old", None, whole(0), "0",
     "percent: renewals beside them of leases that others have for half their lifetime"),
    ("release", None, whole(0), "0", "percent: releases beside them"),
    ("lost", None, real, "2.5", "percent of the clients at most"),
    ("within", None, real, "2", "seconds that a client waits for an answer"),
    ("rate", None, whole(1), "",
     "rate: where the search begins [500]; else clients a second [expire, start, lfc: 20]"),
    ("seconds", None, whole(1), "",
     "that a trial sends [4; seconds, expire: 60; start: 1; lfc: 30]"),
    ("clients", None, whole(1), "10000", "of storm"),
    ("leases", None, whole(1), "10000", "of expire, start, lfc: of others, in the store"),
    ("runs", "r", whole(1), "", "each on an empty database [rate: 9; else 1]"),
]


def command_sets():
    """The commands that are others with certain options: the words of each."""
    sets = {}
    with open(f"{HERE}/sweeps/dhcp.sets", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                name, command = line.split(" | ")
                sets.setdefault(name, []).append(command.split())
    return sets


def member(text):
    """PATH=VALUE, of which the value is JSON or a word."""
    path, sign, value = text.partition("=")
    if not path or not sign or "" in path.split("."):
        raise argparse.ArgumentTypeError(f"'{text}' is not PATH=VALUE")
    try:
        return path, json.loads(value)
    except ValueError:
        return path, value


def configuration(path):
    """The name of Kea's file, the family, and its members."""
    try:
        return path, *kea_file.read(path)
    except Problem as wrong:
        raise argparse.ArgumentTypeError(str(wrong)) from None


def read_parser():
    parser = make_parser("dhcp COMMAND [OPTION]...", HELP, ENDING, brief=2)
    parser.add_argument("command", metavar="COMMAND", nargs="?", default="",
                        help=argparse.SUPPRESS)
    for name, letter, kind, default, meaning in LISTS:
        parser.add_argument(
            *([f"-{letter}"] if letter else []), f"--{name}", metavar="LIST",
            type=lambda text, kind=kind: [kind(item) for item in text.split(",")],
            help=meaning + (f" [{default}]" if default else ""))
    parser.add_argument("-6", "--ipv6", dest="family", action="store_const", const=[6],
                        help="DHCPv6")
    parser.add_argument("--server-cpus", metavar="CPUS", type=fitting(".+", "a list"),
                        help="processors of server and database [all but the last]")
    parser.add_argument("--load-cpus", metavar="CPUS", type=fitting(".+", "a list"),
                        help="processors of perfdhcp [the last]")
    parser.add_argument("--config", metavar="FILE", type=configuration,
                        help="a kea-dhcp4.conf or kea-dhcp6.conf, but for what cannot be as "
                        "it is: interfaces, sockets, databases, logs; the clients have a "
                        "subnet of their own, like its first one")
    parser.add_argument("--set", metavar="PATH=VALUE", type=member, action="append",
                        default=[], help="a member of Kea's configuration, "
                        "expired-leases-processing.max-reclaim-leases=0 say; repeatable")
    parser.add_argument("--quick", action="store_true", help="one run, trials of 2 s")
    parser.add_argument("-O", "--output", metavar="FILE", type=fitting(".+", "a file's name"),
                        help="append a line of JSON for each run; runs that FILE has "
                        "already are not repeated [build/dhcp/results.jsonl]")
    return parser


def refusals(c, given_pool):
    """The rules of what does not go together in a configuration: (whether one is broken, why)."""
    kea_only = (c["ha"], c["hook"], c["full"], c["reservations"], c["subnets"])
    one_subnet = c["subnets"] == 1
    file = c.get("config", {}).get("file")
    with_leases = c["command"] in WITH_LEASES
    most_pool = 8000000 if one_subnet else c["subnets"] * 50000
    most_reservations = 60000 if one_subnet else c["subnets"] * 14000
    dhcpd = c["server"] == "dhcpd"
    return [
        (dhcpd and c["family"] == 6, "--server dhcpd: only IPv4 is measured"),
        (dhcpd and ("config" in c or "set" in c), "--config, --set: of Kea alone"),
        (file and (c["full"], c["reservations"], c["subnets"], c["classes"]) != (0, 0, 1, 0),
         f"--full, --subnets, --reservations, --classes: {file} has its own"),
        (dhcpd and c["store"] != "dhcpd",
         f"--store {c['store']}: dhcpd has its lease file alone"),
        (dhcpd and c["threads"] != 1, f"--threads {c['threads']}: dhcpd has one"),
        (dhcpd and kea_only != ("none", "none", 0, 0, 1),
         "--server dhcpd: --ha, --hook, --full, --subnets, --reservations are Kea's"),
        (c["store"] == "memfile" and c["sync"] == "yes",
         "--sync yes: Kea never syncs the file of memfile; leave memfile out"),
        (dhcpd and c["sync"] != "yes", f"--sync {c['sync']}: dhcpd always syncs its file"),
        (c["store"] != "memfile" and c["sync"] == "volatile",
         "--sync volatile: of memfile alone"),
        (c["pool"] > most_pool, f"--pool: {given_pool} is more than {most_pool}"),
        (c["pool"] < 2 * c["subnets"],
         f"--pool: {given_pool} is less than two for a subnet"),
        (c["reservations"] > most_reservations,
         f"--reservations: {c['reservations']} is more than {most_reservations}"),
        ((c["full"] > 0 or with_leases or c["renew_old"] > 0) and (
            c["family"] == 6 or not one_subnet or c["ha"] != "none" or c["sync"] == "volatile"),
         "--full, --renew-old, expire, start, lfc: only with IPv4, one subnet, one server and "
         "leases that are kept"),
        ((with_leases or c["renew_old"] > 0) and (c["full"] > 0 or file or dhcpd),
         f"{c['command']}, --renew-old: not with --full, --config or dhcpd"),
        (c["renew_old"] > 0 and (c["renew"] > 0 or c["command"] not in ("rate", "seconds")),
         "--renew-old: rate and seconds alone, without --renew"),
        (with_leases and c["leases"] > c["pool"] // 2,
         f"--leases: {c['leases']} are more than half of the pool"),
        (c["command"] == "lfc" and c["store"] != "memfile", "lfc: of memfile alone"),
        (c["renew"] + c["release"] > 100,
         f"--renew, --release: together {c['renew'] + c['release']} are more than 100: "
         "perfdhcp renews or releases each lease once"),
        (c["renew"] + c["release"] > 0 and (
            c["command"] not in ("rate", "seconds") or dhcpd),
         "--renew, --release: rate and seconds alone, of Kea"),
        (c["hook"] == "cache" and c["command"] != "storm",
         "--hook cache: storm alone, in which clients ask again"),
        (c["kill_s"] > 0 and (c["command"] != "seconds" or c["ha"] == "none"),
         "--kill: seconds alone, with --ha"),
        (c["ha"] != "none" and c["sync"] == "volatile",
         "--ha: with leases that are kept"),
        (c["command"] == "seconds" and c["start_rate"] == "",
         "seconds: --rate is missing"),
        (c["kill_s"] > 0 and c["kill_s"] >= c["seconds"],
         f"--kill: {c['kill_s']} is not before the end, --seconds {c['seconds']}"),
    ]


def complete(c, command, asked):
    """Fills in what is left open, in a configuration by the names of options."""
    dhcpd = c["server"] == "dhcpd"
    quick = asked.quick
    if asked.config:
        path, c["family"], site = asked.config
        c["config"] = dhcp_config.facts(path, site)
        if c["ha"] == "":
            c["ha"] = kea_file.pair(site)
    if asked.set:
        c["set"] = dict(asked.set)
    given_pool = c["pool"]

    def default(name, value):
        if c[name] == "":
            c[name] = value
    c.update(command=command, max_lost=c.pop("lost") / 100, within_s=c.pop("within"),
             start_rate=c.pop("rate"), ha_delay_s=c.pop("ha_delay"), kill_s=c.pop("kill"))
    default("store", "dhcpd" if dhcpd else "memfile")
    default("ha", "none")
    default("threads", None if asked.config else 1)
    default("sync", "no" if c["store"] == "memfile" else "yes")
    default("pool", 20000 if dhcpd else
            c["subnets"] * 4000 if c["subnets"] > 1 else 4000000)
    default("seconds", {"rate": 2 if quick else 4, "seconds": 60, "storm": 0,
                        **WITH_LEASES}[command])
    default("runs", 9 if command == "rate" and not quick else 1)
    for wrong, why in refusals(c, given_pool):
        if wrong:
            raise argparse.ArgumentError(None, why)
    default("start_rate", {"rate": 500, "storm": 0}.get(command, 20))
    # A value that makes no difference is always the same.
    if c["threads"] == 1:
        c["queue"] = 64
    if c["reservations"] == 0:
        c["hosts"] = "none"
    if command not in WITH_LEASES:
        c["leases"] = 0
    for name in ("renew", "renew_old", "release", "leases"):
        if c[name] == 0:
            del c[name]
    if c["hook"] == "none":
        c["hook_ms"] = 80
    if c["ha"] == "none":
        c["ha_delay_s"] = 10
    return c


def read(words):
    """Returns the options and the configurations, dicts, each once and in order."""
    parser = read_parser()
    asked = parser.parse_args(words)
    sets = command_sets()
    if asked.command not in [*COMMANDS, *sets] or asked.command.endswith(" --quick"):
        parser.error(f"'{asked.command}' is no command: "
                     + ", ".join([*COMMANDS, *(name for name in sets if " " not in name)]))
    lines = sets.get(asked.command, [[asked.command]])
    if asked.quick:
        lines = sets.get(asked.command + " --quick", lines)
    found = []
    for line in lines:
        of_set = parser.parse_args(line)
        lists = {}
        for name, _, kind, default, _ in LISTS:
            key = name.replace("-", "_")
            own, theirs = getattr(asked, key), getattr(of_set, key)
            lists[key] = own or theirs or [kind(default) if default else ""]
        for one in itertools.product(*lists.values()):
            try:
                c = complete(dict(zip(lists, one)), of_set.command, asked)
            except argparse.ArgumentError as wrong:
                parser.error(str(wrong))
            if c not in found:
                found.append(c)
    return asked, found
