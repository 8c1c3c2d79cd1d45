# SPDX-License-Identifier: ISC
"""ubench_report contribute: makes a file of results ready for publication.

It checks that each line proves what it says, leaves out what identifies the owner, looks for
private words in what remains, and writes results/contributed/NAME.jsonl, named by the hardware.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ubench import cli, units
from ubench.errors import Problem, UsageError
from ubench.records.observation import Observation, Source
from ubench.records.reader import Complain, Record, read_line
from ubench.records.schema import Damaged
from ubench.report.contribution.checks import machine_name, machine_of, observations_of, why_refused
from ubench.report.contribution.private import distinctive, own_words, private_words
from ubench.report.contribution.public import public_line, results_of, typed_texts
from ubench.terminal import plain

FOLDER = "results/contributed"
FORMER = "ubench-result/1"

DESCRIPTION = """
Makes a file of results ready to be published with ubench. Checks that each line
is valid, complete and verified, and has a durability class and baselines. Leaves
out names of hosts, users, databases and files, and replaces addresses and paths.
Refuses what still has a private word. Writes results/contributed/NAME.jsonl,
where NAME is the hardware and the day. Read that file before you send it:
CONTRIBUTING.md has the steps."""
OLD_FORMAT = "its format is of an earlier version; measure with this one"
HAS_PRIVATE = (
    "{source}: {place} has {kind}, '{word}'; measure again without it, or ask where it comes from"
)
NOT_STRIPPED = "{source}: it is not what 'ubench_report contribute' writes; run that on your file"
OTHER_NAME = "{file}: its hardware is {name}; expected the file {name}.jsonl"
TWO_MACHINES = (
    "{file}: results of two machines or disks ({name}: {first}; {other}); expected a file for each"
)


@dataclass(frozen=True)
class Contribution:
    """Lines that may be public, and the name of their file without its suffix."""

    lines: tuple[dict[str, Any], ...]
    name: str
    typed: tuple[str, ...] = ()  # what its owner typed and still is in it

    @property
    def text(self) -> str:
        """The lines as runners write them."""
        return "".join(map(encode, self.lines))


def encode(line: dict[str, Any]) -> str:
    """Return a line of JSON as runners write it."""
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n"


# ---- A file


def read_contribution(file: str, words: set[str]) -> Contribution:
    """Return what of a file may be public. Raises Problem unless each line may be contributed."""
    lines: list[dict[str, Any]] = []
    observations: list[Observation] = []
    campaigns: dict[str, str] = {}
    for number, text in enumerate(read_texts(file), 1):
        source = Source(file, number)
        record = read_record(text, source)
        reason = why_refused(record)
        if reason:
            raise Problem(f"{source}: {plain(reason)}")
        try:
            line = public_line(json.loads(text))
        except ValueError as why:
            raise Problem(f"{source}: a command in it is not a shell's: {why}") from None
        number_campaign(line, campaigns)
        refuse_private(line, source, words)
        read_record(encode(line).encode(), source)  # what is written is still valid
        lines.append(line)
        observations += observations_of(record)
    if not lines:
        raise Problem(f"{file}: there are no results in it")
    refuse_two_machines(file, observations)
    typed = dict.fromkeys(text for line in lines for text in typed_texts(line))
    return Contribution(tuple(lines), machine_name(observations), tuple(typed))


def number_campaign(line: dict[str, Any], campaigns: dict[str, str]) -> None:
    """Put a number for the name of a campaign, in the order in which a file has them."""
    for result in results_of(line):
        name = result.get("labels", {}).get("campaign")
        if name is not None:
            number = campaigns.setdefault(name, str(len(campaigns) + 1))
            result["labels"] = {**result["labels"], "campaign": number}


def read_texts(file: str) -> list[bytes]:
    """Return the lines of a file."""
    try:
        return Path(file).read_bytes().splitlines()
    except OSError as why:
        raise Problem(f"{file}: {why.strerror}") from None


def read_record(text: bytes, source: Source) -> Record:
    """Return the record of a line that this version wrote. Raises Problem."""
    try:
        record = read_line(text, source)
    except Damaged as why:
        raise Problem(f"{source}: {plain(str(why))}") from None
    if json.loads(text)["format"] == FORMER:
        raise Problem(f"{source}: {OLD_FORMAT}")
    return record


def refuse_private(line: dict[str, Any], source: Source, words: set[str]) -> None:
    """Raise Problem if a private word is left."""
    for found in private_words(line, words):
        raise Problem(
            HAS_PRIVATE.format(
                source=source, place=found.place, kind=found.kind, word=plain(found.word)
            )
        )


def refuse_two_machines(file: str, observations: Sequence[Observation]) -> None:
    """Raise Problem unless all results are of one processor, its cores, and one disk."""
    known: dict[str, str] = {}
    for each in observations:
        for name, value in machine_of(each).items():
            first = known.setdefault(name, value)
            if value != first:
                raise Problem(
                    TWO_MACHINES.format(
                        file=file, name=name, first=plain(first), other=plain(value)
                    )
                )


# ---- The command


def make_parser(program: str) -> cli.Parser:
    """Return the parser of the command's options."""
    parser = cli.Parser(
        program,
        "[OPTION]... FILE\n--check FILE...",
        DESCRIPTION,
        example=f"{program} out.jsonl",
    )
    parser.add_argument("files", nargs="*", help=cli.HIDDEN)
    parser.add_argument(
        "--private",
        metavar="WORD,...",
        type=cli.comma_list,
        default=[],
        help="words that must not be in the file, besides the names of this machine and its user",
    )
    parser.add_argument(
        "--folder",
        metavar="FOLDER",
        type=Path,
        default=Path(FOLDER),
        help="where to write it [%(default)s]",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="check files that were contributed, and write nothing",
    )
    return parser


def run(options: argparse.Namespace, _complain: Complain) -> int:
    """Write the contribution, or check those that the files are; return the exit status."""
    if not options.files:
        raise UsageError("no file was named; try: ./sqlite_ubench -n 100k -O out.jsonl")
    words = distinctive(options.private)
    if options.check:
        for file in options.files:
            check(file, words)
        return 0
    if len(options.files) > 1:
        raise UsageError(f"{len(options.files)} files; expected one, as each is of one machine")
    contribution = read_contribution(options.files[0], words | own_words())
    path = write(contribution, options.folder)
    lines = units.plural(len(contribution.lines), "line")
    print(f"wrote {plain(str(path))}: {lines}. Read it before you send it.")
    if contribution.typed:
        print("It has texts of your own files, as you typed them:")
        print("\n".join(f"  {plain(text)}" for text in contribution.typed))
    return 0


def check(file: str, words: set[str]) -> None:
    """Raise Problem unless a file is what `contribute` writes."""
    contribution = read_contribution(file, words)
    for number, (line, text) in enumerate(
        zip(contribution.lines, read_texts(file), strict=True), 1
    ):
        if json.loads(text) != line:
            raise Problem(NOT_STRIPPED.format(source=Source(file, number)))
    if not Path(file).stem.startswith(contribution.name):
        raise Problem(OTHER_NAME.format(file=file, name=contribution.name))


def write(contribution: Contribution, folder: Path) -> Path:
    """Write a contribution to a new file in a folder, and return its path.

    Another contribution of the same hardware and day gets a number.
    """
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        suffix = f"-{number}" if number > 1 else ""
        path = folder / f"{contribution.name}{suffix}.jsonl"
        try:
            stream = path.open("x", encoding="utf-8")
        except FileExistsError:
            number += 1
            continue
        try:
            with stream:
                stream.write(contribution.text)
        except OSError:
            path.unlink()  # it has a part only
            raise
        return path
