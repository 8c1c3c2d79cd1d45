# SPDX-License-Identifier: ISC
"""scripts/duel: two or more configurations work in turn, for short slices of time.

Each side is a runner with --turns and a store of its own, open and filled. If this program dies,
the input of all runners ends, and they stop by themselves.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import shlex
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from ubench import cli, paths, units
from ubench.campaigns import duel_plan, duel_turns, junit
from ubench.campaigns.duel_plan import DuelPlan, Side
from ubench.campaigns.duel_turns import Rounds
from ubench.errors import Problem, UsageError
from ubench.records import reader
from ubench.records.decoding import decode
from ubench.records.duel import Duel, Slice
from ubench.records.observation import Observation, Source
from ubench.records.schema import Damaged
from ubench.report import gate
from ubench.report.duel_statistics import DuelStatistics
from ubench.report.duels import judge_aloud, print_duel
from ubench.report.gate import why_contradicts, why_unfinished
from ubench.report.table import Output
from ubench.run import output, passwords, process
from ubench.run.runner import excerpt

NAME = "duel"
USAGE = """[OPTION]... -- COMMAND -- COMMAND [-- COMMAND]...
[OPTION]... -O FILE @NAME"""
DESCRIPTION = """
Lets two or more configurations work in turn, for short slices of time. Says how
much faster or slower each is than the first, A, and how sure that is. Other work
on the machine disturbs all of them alike, so a duel shows differences that
separate runs cannot show.

COMMAND is a runner with its options: -w says what it does. Commands may differ
in anything: options, program, store, host (ssh db1 mysql_ubench ...). Each has
files, or a private server, of its own. On a server that -m, -P or
UBENCH_MYSQL_HOST names, use -s server. There each command needs a database of
its own (-f), and A another one for its second copy, with _null at its end.

@NAME reads the options and commands of several duels, one per line, from
scripts/sweeps/NAME.duels, or from the file NAME if that has a slash. The options
before it apply to all of them. Duels that -O FILE already has are left out."""
EXAMPLE = (
    "duel --not-worse-than 5% -- old/pgsql_ubench -w dora -- ./pgsql_ubench -w dora"
)
ENDING = """
Exit status: 0 done, or a gate is passed; 1 a command failed; 2 usage; 3 a store
gave a wrong answer; 4 a gate is not passed; 5 a gate is undecided; 130 or 143
interrupted."""

SECOND_NS = 10**9
TIME_NS = 180 * SECOND_NS
LONGEST_TIME_NS = 1200 * 3600 * SECOND_NS
PRECISION = 0.01
NEVER = 1e-9  # a precision that no duel reaches: a gate works for the whole time
SEED_MAX = 1 << 24  # of random ones
STATUSES = (130, 143, 2, 3, 1, 4, 5)  # of several duels, the one that says most first


# ---- The command line


def make_parser() -> cli.Parser:
    """Return the parser of the options before the first command."""
    parser = cli.Parser(NAME, USAGE, DESCRIPTION, example=EXAMPLE, ending=ENDING)
    add = parser.add_argument
    share = cli.share(1e-9, 1 - 1e-9, "a share above 0 and below 1, such as 5%")
    slice_ns = cli.duration(10**6, 600 * SECOND_NS)
    add(
        "--time",
        metavar="TIME",
        type=cli.duration(1, LONGEST_TIME_NS),
        default=TIME_NS,
        help="how long all sides work together [3m]",
    )
    add(
        "--precision",
        metavar="SHARE",
        type=share,
        help="end earlier, as soon as each ratio is known to plus or minus this [1%%; with a "
        "gate: never]",
    )
    add(
        "--not-worse-than",
        metavar="SHARE",
        type=share,
        help="a gate: no command may be worse than A by more; exit status: 0 passed, 4 worse, "
        "5 undecided",
    )
    add(
        "--figure",
        metavar="FIGURE",
        type=cli.choice(*gate.FIGURES),
        help="what the gate judges; rate, p50 (median time of an operation) or processor (time of "
        "an operation, of runner and server) [rate]",
    )
    add(
        "-O",
        "--output",
        metavar="FILE",
        type=output.output_file,
        help="append the duel to FILE as one line",
    )
    add(
        "--slice",
        metavar="TIME",
        type=slice_ns,
        help="length of a slice [the time of 100 operations, at least 100ms]",
    )
    add(
        "--rounds",
        metavar="N",
        type=cli.whole_number(1, 1000),
        help="start all runners and private servers anew at least N times, as no two are quite "
        "alike [10; with private servers 6; with other servers 1]",
    )
    add(
        "--settle",
        metavar="TIME",
        type=slice_ns,
        default=0,
        help="work before each slice that does not count [none]",
    )
    add(
        "--server",
        metavar="'KIND OPTION...'",
        action="append",
        default=[],
        help="options of the private servers, 'pgsql -c fsync=off'; once, or once per command",
    )
    add(
        "--no-null",
        action="store_true",
        help="do not run A a second time, which shows what this machine can tell apart",
    )
    add(
        "--seed",
        metavar="N",
        type=cli.whole_number(1, 999_999_999),
        help="seed of the order [random]",
    )
    add(
        "--label",
        metavar="NAME",
        type=cli.matching("[A-Za-z0-9.:_ -]{1,100}", "1 to 100 letters, digits, blanks and .:_-"),
        default="",
        help="a name for the duel",
    )
    add(
        "--junit",
        metavar="FILE",
        type=Path,
        help="write the gate's verdict for a build server",
    )
    return parser


@dataclasses_placeholder
class Asked:
    pass


def split_commands(words: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return the options, and the words of each command behind its --."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word == "--":
            parts.append([])
        else:
            parts[-1].append(word)
    return parts[0], parts[1:]
