# SPDX-License-Identifier: ISC
"""ubench_report trace: makes a trace from lease files, for runners to replay."""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import tempfile
from pathlib import Path

from ubench import cli, signals, units
from ubench.errors import Problem, UsageError
from ubench.records.reader import Complain
from ubench.report.leases import census as counting
from ubench.report.leases import demand, files, screen
from ubench.report.options import add_files, add_output
from ubench.terminal import plain

DESCRIPTION = """
Makes a trace from the lease files of Kea or ISC dhcpd: what happened to their leases, second by
second, without a name, address or identifier of a client. Runners replay it with -w replay
--trace=FILE. The files must have a history: Kea's own lease file, or dhcpd's.
"""
EXAMPLE = "ubench_report trace kea-leases4.csv -O day.trace.gz"
WRITTEN = "{path}: {changes} of {leases} in {period}"
UNCERTAIN = (
    "{leases} may be new or renewed: the files begin with them. The trace renews them; with "
    "{hint} it would know"
)


def make_parser(program: str) -> cli.Parser:
    """Return the parser of the command's options."""
    parser = cli.Parser(program, "[OPTION]... FILE...", DESCRIPTION, example=EXAMPLE)
    add_output(
        parser,
        "write the trace to this new file; a name that ends in .gz is compressed",
        metavar="TRACE",
    )
    add_files(parser)
    return parser


def run(options: argparse.Namespace, _: Complain) -> int:
    """Run the command; return the exit status."""
    if not options.files or not options.output:
        what = "--output is missing" if options.files else "no lease file was given"
        raise UsageError(f"{what}; try: {EXAMPLE}")
    if os.path.exists(options.output):
        raise Problem(f"{options.output}: the file exists; give the name of a new one")
    path = Path(options.output)
    try:
        with signals.held():  # so that no directory is left that nobody removes
            temporary = tempfile.TemporaryDirectory(dir=path.parent, prefix=".ubench-trace")
        with temporary as folder:
            made = str(Path(folder, "trace"))
            census = counting.count(files.in_order(options.files), trace=made)
            move(made, path)
    except OSError as error:
        raise Problem(f"{options.output}: {error.strerror}") from None
    demand.report_damage(census, options.program)
    uncertain = census.raw["history"]["uncertain_new"]
    if uncertain:
        note = UNCERTAIN.format(leases=units.plural(uncertain, "lease"), hint=screen.hint(census))
        cli.say(options.program, note)
    facts = census.raw["history"]
    print(
        WRITTEN.format(
            path=plain(options.output),
            changes=units.plural(sum(hour.count("changes") for hour in census.hours), "change"),
            leases=units.plural(census.raw["addresses"], "lease"),
            period=units.waiting_time(facts["ended"] - facts["begun"]),
        )
    )
    return 0


def move(made: str, path: Path) -> None:
    """Give a trace its name, compressed if that ends in .gz, whole or not at all."""
    if path.suffix == ".gz":
        plain_text, made = made, f"{made}.gz"
        with (
            open(plain_text, "rb") as text,
            open(made, "xb") as packed,
            gzip.GzipFile("", "wb", 9, packed, mtime=0) as out,
        ):
            shutil.copyfileobj(text, out)
    os.link(made, path)
