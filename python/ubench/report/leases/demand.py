# SPDX-License-Identifier: ISC
"""ubench_report demand: what the lease files of a DHCP server require of a lease store."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from ubench import cli, units
from ubench.errors import Problem, UsageError
from ubench.records.reader import Complain
from ubench.report.leases import census as counting
from ubench.report.leases import files, pools, screen, words
from ubench.report.leases.census import Census
from ubench.report.options import add_files, add_restart_within
from ubench.report.table import FORMATS, Output
from ubench.units import SECOND_NS

KEA_CACHE_THRESHOLD = 0.25  # since 3.0; before, there was none

DESCRIPTION = """
Reads the lease files of Kea (kea-leases4.csv and kea-leases6.csv with their .1, .2 and .completed,
or kea-admin lease-dump) or of ISC dhcpd (dhcpd.leases), also compressed by gzip, and prints what
their clients require: renewals per second by hour and in the worst minute, new clients, releases,
expired leases, and the peak of a restart. It prints counts alone: no name, address or identifier
of a client.
"""
EXAMPLE = "ubench_report demand /var/lib/kea/kea-leases4.csv"


def make_parser(program: str) -> cli.Parser:
    """Return the parser of the command's options."""
    parser = cli.Parser(program, "[OPTION]... FILE...", DESCRIPTION, example=EXAMPLE)
    parser.add_argument(
        "--kea",
        type=cli.filled("a file's name"),
        metavar="FILE",
        help="also print how full the pools of this configuration of Kea are",
    )
    parser.add_argument(
        "--cache-threshold",
        type=cli.share(0, 1),
        metavar="SHARE",
        help=f"Kea's parameter [that of --kea, or {KEA_CACHE_THRESHOLD}]",
    )
    add_restart_within(parser)
    parser.add_argument(
        "--format",
        type=cli.choice(*FORMATS, "json"),
        metavar="FORMAT",
        default="text",
        help="text, markdown, csv (the hours alone) or json [%(default)s]",
    )
    add_files(parser)
    return parser


def run(options: argparse.Namespace, _: Complain) -> int:
    """Run the command; return the exit status."""
    if not options.files:
        raise UsageError("no lease file was given; try: ubench_report demand kea-leases4.csv")
    threshold = options.cache_threshold
    if threshold is None:
        threshold = pools.cache_threshold(options.kea) if options.kea else KEA_CACHE_THRESHOLD
    configured = pools.of_configuration(options.kea) if options.kea else []
    census = counting.count(
        files.in_order(options.files), pools=configured, cache_threshold=threshold
    )
    if configured and not census.pools and census.raw["addresses"]:
        raise Problem(
            f"{options.kea}: has no pools of IPv{census.family}, and the leases are of "
            f"IPv{census.family}; expected the configuration of kea-dhcp{census.family}"
        )
    report_damage(census, options.program)
    if options.format == "json":
        print(json.dumps(census.raw))
    elif options.format == "csv":
        Output("csv").table(screen.hour_table(census))
    else:
        out = Output(options.format)
        screen.print_census(census, options.restart_within / SECOND_NS, threshold, out)
    return 0


def count_files(paths: Sequence[str], program: str) -> Census:
    """Return the counts of a server's lease files, and name the lines that cannot be read."""
    census = counting.count(files.in_order(paths))
    report_damage(census, program)
    return census


def report_damage(census: Census, program: str) -> None:
    """Name the lines that could not be read, and the files whose times are not of this clock."""
    for path in census.ahead:
        cli.say(program, words.AHEAD.format(path=path))
    for path, count in census.stale.items():
        records = units.plural(count, "record")
        cli.say(program, words.STALE.format(path=path, records=records))
    for damage in census.damages:
        line = words.DAMAGED.format(path=damage.file, line=damage.line, what=damage.what)
        cli.say(program, line)
    hidden = census.damaged - len(census.damages)
    if hidden > 0:
        cli.say(program, words.MORE_DAMAGED.format(lines=units.plural(hidden, "line")))
