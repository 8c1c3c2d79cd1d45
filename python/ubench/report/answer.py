# SPDX-License-Identifier: ISC
"""ubench_report answer: which stores are fast enough for a site, and what durability costs.

With --kea it is the answer for a site's configuration of Kea (`advice`).
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace

from ubench import cli
from ubench.errors import Problem, UsageError
from ubench.records import reader
from ubench.records.observation import DurabilityClass
from ubench.records.reader import Complain
from ubench.report.advice import screen as advice
from ubench.report.capacity import explain, export, screen, sentences, several_sentences
from ubench.report.capacity.evidence import Evidence, long_enough
from ubench.report.capacity.site import IPV4_ADDRESSES, Place, Site
from ubench.report.capacity.verdicts import work_out
from ubench.report.leases import demand
from ubench.report.leases.census import Census
from ubench.report.options import add_files, add_restart_within
from ubench.report.table import FORMATS, Output
from ubench.units import SECOND_NS

MOST_LIFETIME_NS = 0xFFFFFFFF * SECOND_NS  # which DHCP takes for "without end"
MOST_DELAY_NS = 10 * SECOND_NS
LEAST_RENEW_AT = 1e-4
MACHINE_FORMATS = ("csv", "json")
MOST_HEADROOM = 10**6
MOST_SERVERS = 1000

DESCRIPTION = """
Says which lease stores are fast enough for a site's clients, what a power cut loses with each, and
what durability costs. Without files it prints the rates that the clients need.
"""
EXAMPLE = "ubench_report answer --clients=20k --lease-time=4h out.jsonl"
TOO_SHORT = "{too_short} Measure longer: a runner with a larger -n, a duel with a longer --time"


def make_parser(program: str) -> cli.Parser:
    """Return the parser of the command's options."""
    parser = cli.Parser(program, "[OPTION]... [FILE]...", DESCRIPTION, example=EXAMPLE)
    add_site_options(parser)
    add_place_options(parser)
    add_result_options(parser)
    add_files(parser)
    return parser


def add_site_options(parser: cli.Parser) -> None:
    """Add the options that describe the site."""
    parser.add_argument(
        "--clients",
        type=cli.whole_number(1, IPV4_ADDRESSES),
        metavar="N",
        help="number of clients [1,000 to 1,000,000, by the results]",
    )
    parser.add_argument(
        "--kea",
        type=cli.filled("a file's name"),
        metavar="FILE",
        action="append",
        default=[],
        help="take the site from this configuration of Kea; repeatable, for servers that share a "
        "database",
    )
    parser.add_argument(
        "-6",
        "--ipv6",
        action="store_true",
        help="with --kea: use the DHCPv6 server of a file that has both",
    )
    parser.add_argument(
        "--leases",
        type=cli.filled("a file's name"),
        metavar="FILE",
        action="append",
        default=[],
        help="take clients and rates from this lease file, as demand prints them; repeatable",
    )
    parser.add_argument(
        "--servers",
        type=cli.whole_number(1, MOST_SERVERS),
        metavar="N",
        help="servers that share one database [1; with --kea: those of its files]",
    )
    parser.add_argument(
        "--lease-time",
        type=cli.lifetime(SECOND_NS, MOST_LIFETIME_NS),
        metavar="TIME",
        help="lifetime of a lease; without a unit in seconds [2h]",
    )
    parser.add_argument(
        "--renew-at",
        type=cli.share(LEAST_RENEW_AT, 1),
        metavar="SHARE",
        help="part of the lifetime after which a client renews [0.5]",
    )
    add_restart_within(parser)
    parser.add_argument(
        "--restart-of",
        type=cli.choice("known", "new"),
        metavar="CLIENTS",
        default="known",
        help="whether restarting clients have a lease; known: they have, new: they have none "
        "[%(default)s]",
    )


def add_place_options(parser: cli.Parser) -> None:
    """Add the options that describe another network or disk, and a rate to be judged."""
    parser.add_argument(
        "--rtt",
        type=cli.duration(0, MOST_DELAY_NS),
        metavar="TIME",
        default="0",
        help="time added to each round trip to a database [%(default)s]",
    )
    parser.add_argument(
        "--sync",
        type=cli.duration(1, MOST_DELAY_NS),
        metavar="TIME",
        help="how long your disk takes to sync [as measured]",
    )
    parser.add_argument(
        "--rate",
        type=cli.rate(),
        metavar="R",
        help="print how many clients R renewals per second serve",
    )


def add_result_options(parser: cli.Parser) -> None:
    """Add the options that say what counts, and how it is printed."""
    parser.add_argument(
        "--headroom",
        type=cli.rate(1, MOST_HEADROOM),
        metavar="FACTOR",
        default="2",
        help="multiple of the required rate that is enough [%(default)s]",
    )
    parser.add_argument(
        "--where",
        type=cli.name_value,
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="use only results with this property, as in compare",
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="also print every row, setting, class and cost, with sources",
    )
    parser.add_argument(
        "--format",
        type=cli.choice(*FORMATS, "json"),
        metavar="FORMAT",
        default="text",
        help="text, markdown, or for programs csv, json [%(default)s]",
    )


def run(options: argparse.Namespace, complain: Complain) -> int:
    """Run the command; return the exit status."""
    refuse_with_leases(options)
    if options.kea:
        refuse_with_kea(options)
        print_advice(options, complain)
        return 0
    if options.ipv6:
        raise UsageError("--ipv6: cannot be used without --kea; results say which family they are")
    if not options.files and not options.clients and not options.rate and not options.leases:
        raise UsageError(
            "--clients, --rate, --kea, --leases or a file is missing; try: ubench_report answer "
            "--clients=20k FILE"
        )
    site = make_site(options, read_leases(options))
    if not options.files:
        print_needs(site, options.rate, Output())
        return 0
    if options.rate and options.format not in MACHINE_FORMATS:
        print_needs(site, options.rate, Output(options.format))
    print_answer(site, options, read_evidence(options.files, complain))
    return 0


def refuse_with_kea(options: argparse.Namespace) -> None:
    """Raise UsageError for what --kea does not go with, such as what the configuration says."""
    if options.format == "json":
        raise UsageError("--format=json: cannot be used with --kea; use text, markdown or csv")
    for name, value in (("lease-time", options.lease_time), ("renew-at", options.renew_at)):
        if value is not None:
            raise UsageError(f"--{name}: cannot be used with --kea, whose file has it")
    if options.servers is not None and options.servers < len(options.kea):
        raise UsageError(
            f"--servers: {options.servers} is less than the {len(options.kea)} files of --kea; "
            "expected as many or more, or leave it out"
        )


def refuse_with_leases(options: argparse.Namespace) -> None:
    """Raise UsageError for what a lease file says itself."""
    for name, value in (("lease-time", options.lease_time), ("renew-at", options.renew_at)):
        if value is not None and options.leases:
            raise UsageError(f"--{name}: cannot be used with --leases, whose file has it")


def print_advice(options: argparse.Namespace, complain: Complain) -> None:
    """Print the answer for a configuration."""
    census = read_leases(options)
    family = 6 if options.ipv6 else None
    if census is not None:
        if options.ipv6 and census.family != family:
            raise UsageError(f"-6: cannot be used with {options.leases[0]}, whose leases are IPv4")
        family = census.family
    evidence = read_evidence(options.files, complain) if options.files else Evidence((), ())
    site = make_site(options, census)
    found = advice.advise(options.kea, site, evidence, options.where, family)
    if options.format == "csv" and found.match is None:
        kind = found.facts.configuration.lease_database.kind
        raise UsageError(
            f"--format=csv: has the table of stores alone; add a file with results of Kea's {kind}"
        )
    show = advice.print_details if options.explain else advice.print_screen
    show(found, Output(options.format))


def read_leases(options: argparse.Namespace) -> Census | None:
    """Return the counts of a server's lease files; None without any."""
    if not options.leases:
        return None
    census = demand.count_files(options.leases, options.program)
    if not census.clients:
        raise Problem(
            f"{options.leases[0]}: no client has a valid lease in it; give the server's own file"
        )
    return census


def with_leases(site: Site, census: Census) -> Site:
    """Return the site with the clients and the rates of its lease files."""
    return replace(
        site,
        clients=site.clients or census.clients,
        counted_by=site.counted_by if site.clients else "--leases",
        lease_s=census.lease_s or site.lease_s,
        changes_each=census.changes_per_s / census.clients,
    )


def make_site(options: argparse.Namespace, census: Census | None) -> Site:
    """Return the site that the options describe, with what its lease files show."""
    site = site_of_options(options)
    return site if census is None else with_leases(site, census)


def site_of_options(options: argparse.Namespace) -> Site:
    """Return the site by the options alone, without its lease files."""
    site = Site()
    return Site(
        clients=options.clients,
        lease_s=options.lease_time / SECOND_NS if options.lease_time else site.lease_s,
        renew_at=options.renew_at or site.renew_at,
        restart_s=options.restart_within / SECOND_NS,
        restart_as_new=options.restart_of == "new",
        headroom=options.headroom,
        servers=options.servers or 1,
        place=Place(options.rtt / SECOND_NS, options.sync / SECOND_NS if options.sync else None),
    )


def read_evidence(names: list[str], complain: Complain) -> Evidence:
    """Return the observations that are long enough. Raises Problem if there are none."""
    observations = reader.read_records(names, complain).all_observations()
    if not observations:
        raise reader.nothing_in(names)
    evidence = long_enough(observations)
    stores = [each for each in evidence.observations if each.cls is not DurabilityClass.NONE]
    if evidence.too_short and not stores:
        too_short = sentences.too_short(evidence.too_short)
        raise Problem(TOO_SHORT.format(too_short=too_short))
    return evidence


def print_needs(site: Site, rate: float | None, out: Output) -> None:
    """Print the rates that the clients need, and how many clients a rate serves."""
    if site.clients:
        out.note(sentences.needs(site, site.clients))
        need = several_sentences.need(site, site.clients)
        if need:
            out.note(need)
    if rate:
        out.note(sentences.serves(site, rate))


def print_answer(site: Site, options: argparse.Namespace, evidence: Evidence) -> None:
    """Print the answer by the observations."""
    answer = work_out(site, evidence.observations, options.where, too_short=evidence.too_short)
    answer = replace(answer, disk_s=evidence.disk_s)
    if options.format == "json":
        print(json.dumps(export.as_json(answer), indent=1))
        return
    out = Output(options.format)
    if options.format == "csv":
        out.table(export.csv_table(answer))
        return
    screen.print_screen(answer, out)
    if options.explain:
        explain.print_details(answer, out)
