# SPDX-License-Identifier: ISC
"""ubench_report import: turns what another tool printed into results.

The result has the rate and the share of clients without a lease. What perfdhcp does not print (the
store, the versions, the settings, what else the machine did) is not known, and the result says so.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ubench import cli, units
from ubench.errors import Problem, UsageError
from ubench.kea_config.parser import read_regular_file
from ubench.records.observation import UNKNOWN, Source
from ubench.records.perfdhcp_output import (
    OutputError,
    PrintedRun,
    decode,
    read_run,
    split_runs,
)
from ubench.records.reader import Complain
from ubench.records.schema import Damaged, checker
from ubench.report.capacity.phrases import three_digits
from ubench.report.new_results.output_file import append
from ubench.report.options import add_files, add_output
from ubench.report.table import Output
from ubench.terminal import plain

TOOLS = ("perfdhcp",)
FORMAT = "ubench-kea/1"
STORES = ("memfile", "mysql", "pgsql", "dhcpd")
BYTES_MOST = 16 << 20
DROP_S = 1.0  # after which perfdhcp takes a packet for lost, by default

DESCRIPTION = """
Turns what perfdhcp printed into results, a line for each run, for 'tables' and
'answer'. Tell it what perfdhcp does not print: the server, its store and its
threads. What you leave out is recorded as not known."""
EXAMPLE = "ubench_report import perfdhcp --store pgsql -O out.jsonl run1.txt"

PUBLISHED = "printed by perfdhcp, imported"
IMPORTED = "{rate} new leases per second, {lost} % of {asked} lost"
IMPORTED_AGAIN = (
    "{rate} leases per second, {lost} % of {requests} lost.  {clients} asked again and again: "
    "these are no new leases, and Kea 3 may answer without writing them (perfdhcp -R)."
)
NOT_KNOWN = "Not known: {names}."
EXPECTED = "{source}: {why}; expected all that one or more runs of perfdhcp printed"


def make_parser(program: str) -> cli.Parser:
    """Return the parser of the command's options."""
    parser = cli.Parser(program, "[OPTION]... perfdhcp FILE...", DESCRIPTION, example=EXAMPLE)
    parser.add_argument(
        "--server",
        type=cli.choice("kea", "dhcpd"),
        metavar="NAME",
        default="kea",
        help="DHCP server that was measured: kea or dhcpd [%(default)s]",
    )
    parser.add_argument(
        "--server-version",
        type=cli.filled("a version"),
        metavar="VERSION",
        default=UNKNOWN,
        help="its version, as in 3.0.4 [%(default)s]",
    )
    parser.add_argument(
        "--store",
        type=cli.choice(*STORES, UNKNOWN),
        metavar="STORE",
        default=UNKNOWN,
        help="where it keeps its leases: memfile, mysql, pgsql, dhcpd [%(default)s]",
    )
    parser.add_argument(
        "--threads",
        type=cli.whole_number(1, 1024),
        metavar="N",
        help="threads of the server [unknown]",
    )
    add_output(parser, "append the results to FILE [print them]")
    add_files(parser)
    return parser


def run(options: argparse.Namespace, complain: Complain) -> int:
    """Run the command; return the exit status."""
    tool, *files = options.files or [""]
    if tool not in TOOLS:
        raise UsageError(
            f"'{plain(tool[:40])}': unknown tool; expected perfdhcp, as in: "
            "ubench_report import perfdhcp FILE"
        )
    if not files:
        raise UsageError("no file was named; try: ubench_report import perfdhcp FILE")
    runs = [each for file in files for each in read_file(file, complain)]
    lines = [make_line(each, options) for each in runs]
    texts = [json.dumps(line, separators=(",", ":"), ensure_ascii=False) for line in lines]
    if options.output is None:
        print("\n".join(texts))
        return 0
    append(Path(options.output), texts)
    out = Output()
    for each in runs:
        out.note(summary(each))
    out.note(NOT_KNOWN.format(names=", ".join(unknown_names(options))))
    return 0


def read_file(file: str, complain: Complain) -> list[PrintedRun]:
    """Return the runs in a file of perfdhcp's output. Raises Problem if it has no whole one."""
    try:
        data = read_regular_file(file, BYTES_MOST + 1)
    except ValueError:
        raise Problem(f"{plain(file)}: the name has a NUL character; expected a file") from None
    except OSError as error:
        raise Problem(f"{file}: {error.strerror}") from None
    if data is None:
        raise Problem(f"{file}: is not a regular file; expected what perfdhcp printed")
    if len(data) > BYTES_MOST:
        raise Problem(f"{file}: is too large; expected at most {BYTES_MOST >> 20} MiB")
    runs: list[PrintedRun] = []
    refusals: list[tuple[Source, str]] = []
    try:
        for each in split_runs(decode(data)):
            try:
                runs.append(read_run(each.text))
            except (ValueError, OverflowError) as error:
                refusals.append((Source(file, each.line), reason(error)))
    except OutputError as error:
        refusals.append((Source(file, 1), str(error)))
    if not runs:
        source, why = refusals[0]
        raise Problem(EXPECTED.format(source=source, why=why))
    for source, why in refusals:
        complain(source, why)
    return runs


def reason(error: Exception) -> str:
    """Return why a run cannot be read."""
    return str(error) if isinstance(error, OutputError) else "a number in it is not finite"


def make_line(printed: PrintedRun, options: argparse.Namespace) -> dict[str, Any]:
    """Return the line of a run. Raises Problem if its figures cannot be."""
    line: dict[str, Any] = {
        "format": FORMAT,
        "published": PUBLISHED,
        "durability": {"class": None, "from": "not known"},
        "host": {},
        "command": "rate",
        "server": options.server,
        "server_version": options.server_version,
        "store": options.store,
        "family": printed.family,
        "within_s": DROP_S,
        "rate": printed.rate,
        "imported": {
            "sent": printed.first.sent,
            "granted": printed.granting.received,
            "lost": printed.lost,
            "discover": asdict(printed.first),
            "request": asdict(printed.granting),
        },
    }
    if options.threads:
        line["threads"] = options.threads
    if printed.offered:
        line["imported"]["offered"] = printed.offered
    if printed.clients:
        line["imported"]["clients"] = printed.clients
    try:
        checker(FORMAT)(line)
    except Damaged as error:
        raise Problem(f"perfdhcp's output cannot be: {plain(str(error))}") from None
    return line


def summary(printed: PrintedRun) -> str:
    """Return a run in a line."""
    form = IMPORTED_AGAIN if printed.asked_again else IMPORTED
    return form.format(
        rate=three_digits(printed.rate),
        lost=f"{printed.lost * 100:.3g}",
        asked=units.plural(printed.first.sent, "client"),
        requests=units.plural(printed.first.sent, "request"),
        clients=units.plural(printed.clients or 0, "client"),
    )


def unknown_names(options: argparse.Namespace) -> Sequence[str]:
    """Return what is not known of the runs, with the options that tell it."""
    names = []
    if options.server_version == UNKNOWN:
        names.append("the server's version (--server-version)")
    if options.store == UNKNOWN:
        names.append("the store (--store)")
    if not options.threads:
        names.append("threads (--threads)")
    return [*names, "durability", "the settings", "the machine"]
