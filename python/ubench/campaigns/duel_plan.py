# SPDX-License-Identifier: ISC
"""What a duel is to do: its sides, each with a store of its own, and how long they work."""

from __future__ import annotations

import argparse
import glob
import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from ubench.described import works_in_turns
from ubench.errors import UsageError
from ubench.records.duel import letter
from ubench.records.observation import DATABASE_SERVERS, KEA_DATABASE_TYPES
from ubench.report.duel.gate import Gate
from ubench.report.duel.statistics import Figure
from ubench.report.exports.ratios import ExportFiles
from ubench.report.stores import STORES
from ubench.run.server_files import environment_names

RUNNERS = ("null_ubench", *(f"{store.name}_ubench" for store in STORES))
SIDES_MAX = 12

PASSWORD = (
    "a password on a command line would be recorded; put it into UBENCH_PASSWORD, "
    "~/.my.cnf or ~/.pgpass"
)


@dataclass(frozen=True)
class StoreLocation:
    """The options of a runner that say where its leases are, and what it does with them."""

    host: str | None
    port: str | None
    file: str | None  # or database
    workload: str | None
    count: str | None  # operations, of a turn


@dataclass(frozen=True)
class SidePlan:
    """One configuration that takes part in a duel."""

    command: str  # as it was typed
    words: tuple[str, ...]  # that are run
    server: str  # the kind and the options of its private server, as --server has them
    kind: str  # of the server that it needs: "mysql", "pgsql" or ""
    location: StoreLocation
    is_remote: bool  # its runner is started by another program, such as ssh
    starts_server: bool  # it gets a private server from this program
    has_private_server: bool  # that, or one that its command starts
    name: str = ""  # what its command has and the others have not
    letter: str = ""  # "A", "B" or "A's twin"
    twin: bool = False

    @property
    def private_server(self) -> str:
        """The kind and the options of the private server to start, or ""."""
        return self.server or self.kind if self.starts_server else ""

    @property
    def runner(self) -> int:
        """The place of the runner's name in its words."""
        return runner_place(self.words)

    @property
    def needs_own_name(self) -> bool:
        """Whether a second copy would use the same leases unless it names others (-f)."""
        return not self.has_private_server and bool(self.kind or self.is_remote or self._is_path)

    @property
    def _is_path(self) -> bool:
        return bool(self.location.file and self.location.file.startswith("/"))

    def existing_files(self) -> list[str]:
        """Return the files that exist of the name that -f gives, and of names made from it."""
        path = self.location.file
        if path is None or not path.startswith("/") or self.kind:
            return []
        return glob.glob(glob.escape(path) + "*")


@dataclass(frozen=True)
class DuelPlan:
    """A duel, as it was asked for."""

    sides: tuple[SidePlan, ...]
    time_s: float
    precision: float  # half the width of an interval, as a logarithm, at which it ends
    slice_ms: int | None  # None: as long as 100 operations take
    settle_ms: int
    rounds: int  # at least
    seed: int
    label: str
    output: Path | None
    gate: Gate | None
    junit: Path | None
    figure: Figure  # which the gate judges and exports have
    exports: ExportFiles
    valgrind: bool  # counts the instructions

    @property
    def has_private_servers(self) -> bool:
        """Whether each round starts servers, which takes some seconds."""
        return any(side.has_private_server for side in self.sides)


# ---- Sides


def plan_sides(
    commands: Sequence[Sequence[str]], servers: Sequence[str], with_null: bool
) -> tuple[SidePlan, ...]:
    """Return A and the other sides and, with the null, A's twin at the end.

    `servers` has the private server of all commands, or one for each, or is empty. Raises
    UsageError.
    """
    own_servers = list(servers or [""])
    if len(own_servers) == 1:
        own_servers *= len(commands)
    pairs = zip(commands, own_servers, strict=True)
    planned = [plan_side(tuple(words), server) for words, server in pairs]
    names = distinguishing_names([(*side.words, *side.server.split()[1:]) for side in planned])
    sides = [
        replace(side, name=name, letter=letter(number))
        for number, (side, name) in enumerate(zip(planned, names, strict=True))
    ]
    if with_null:
        sides.append(_twin(sides[0]))
    _refuse_shared_databases(sides)
    for side in sides:
        _refuse_other_workloads(side)
    return tuple(sides)


def plan_side(words: tuple[str, ...], server: str) -> SidePlan:
    """Return the side of a command with a private server, "pgsql -c fsync=off", or without, ""."""
    command = shlex.join(words)
    place = runner_place(words)
    is_remote = place > 0
    location = read_location(words[place + 1 :])
    kind = server_kind(Path(words[place]).name, command)
    if server:
        kind = _kind_of_private_server(server, kind, is_remote, location)
    if not kind and not is_remote and "/" in (location.file or ""):
        # It works in a folder of its own.
        location = replace(location, file=os.path.abspath(location.file or ""))
        words = (*words, "-f", location.file or "")
    workload = location.workload or ""
    if workload.startswith("@") and not is_remote:
        words = (*words, "-w", f"@{os.path.abspath(workload[1:])}")
    uses_other_server = not server and _names_server(location, kind)
    starts_server = bool(kind) and not is_remote and not uses_other_server
    return SidePlan(
        command=command,
        words=words,
        server=server,
        kind=kind,
        location=location,
        is_remote=is_remote,
        starts_server=starts_server,
        has_private_server=starts_server or _starts_servers_itself(words[:place]),
    )


def runner_place(words: Sequence[str]) -> int:
    """Return where in a command the runner's name is: after ssh and its host, for example."""
    return next((place for place, word in enumerate(words) if word.endswith("_ubench")), 0)


def server_kind(program: str, command: str) -> str:
    """Return the kind of server that a runner needs, "mysql" or "pgsql", or ""."""
    if program == "kea_ubench":
        types = re.findall(r"\btype=(\w+)", command)
        stores = {kea_type: store for store, kea_type in KEA_DATABASE_TYPES.items()}
        return stores.get(types[-1], "") if types else ""
    store = program.removesuffix("_ubench")
    return store if store in DATABASE_SERVERS and store != program else ""


def read_location(options: Sequence[str]) -> StoreLocation:
    """Return the options of a runner that say where its leases are. Raises UsageError."""
    parser = _LocationParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-m", "--host")
    parser.add_argument("-P", "--port")
    parser.add_argument("-f", "--file", "--database")
    parser.add_argument("-w", "--workload")
    parser.add_argument("-n", "--count")
    parser.add_argument("-p", "--password", nargs="?", const="")
    values, _ = parser.parse_known_args(options)
    if values.password is not None:
        raise UsageError(PASSWORD)
    return StoreLocation(
        values.host, values.port, values.file, values.workload, values.count
    )


class _LocationParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _kind_of_private_server(
    server: str, kind: str, is_remote: bool, location: StoreLocation
) -> str:
    """Return the kind of server that --server asks for. Raises UsageError if it does not fit."""
    if is_remote:
        raise UsageError("--server: a private server is for a runner on this machine")
    first = (server.split() or [""])[0]
    if first not in DATABASE_SERVERS or kind not in ("", first):
        raise UsageError(f"--server: '{server}' does not begin with {kind or 'mysql or pgsql'}")
    if location.host or location.port:
        raise UsageError("--server starts a private server, and -m or -P names another one")
    return first


def _names_server(location: StoreLocation, kind: str) -> bool:
    """Return whether the command or the environment names a server."""
    return bool(location.host or location.port) or environment_names(kind)


def _starts_servers_itself(words: Sequence[str]) -> bool:
    """Return whether the runner is started by `scripts/servers run`."""
    return any(Path(word).name == "servers" for word in words)


def _twin(first: SidePlan) -> SidePlan:
    """Return A's twin: the same command, with leases of its own. Raises UsageError."""
    words = first.words
    if first.needs_own_name:
        words = (*words, "-f", f"{first.location.file or 'ubench'}_null")
    twin = replace(
        plan_side(words, first.server), name=first.name, letter="A's twin", twin=True
    )
    existing = twin.existing_files()
    if existing:
        raise UsageError(
            f"'{existing[0]}' exists, and A's second copy would use it; give A another -f, or "
            "--no-null"
        )
    return twin


def _refuse_shared_databases(sides: Sequence[SidePlan]) -> None:
    """Raise UsageError if two sides would use one database of a server that is not private."""
    taken = set()
    for side in sides:
        if not side.kind or side.has_private_server:
            continue
        name = side.location.file or "ubench"
        host = side.location.host or side.words[: side.runner]
        database = (side.kind, host, side.location.port, name)
        if database in taken:
            raise UsageError(
                f"two sides would use the database '{name}' of one server; give each command -f "
                "NAME, and --no-null if there is no database NAME_null"
            )
        taken.add(database)


def _refuse_other_workloads(side: SidePlan) -> None:
    """Raise UsageError for a runner whose workload ends by itself. Other programs may do more."""
    program = Path(side.words[side.runner]).name
    if program in RUNNERS and not works_in_turns(side.location.workload):
        raise UsageError(
            f"'{side.command}': add -w; a duel needs renew, dora, search, update or churn, or "
            "another exchange"
        )


# ---- Counting by valgrind

OPERATIONS_OF_TURN = 50  # that valgrind counts, unless the command has -n


def plan_counting(sides: Sequence[SidePlan]) -> tuple[SidePlan, ...]:
    """Return the sides with a number of operations for each turn, so that all do the same work.

    Raises UsageError for a side whose instructions valgrind would not see.
    """
    for side in sides:
        where = ""
        if side.is_remote:
            where = "starts its runner by another program"
        elif side.kind:
            where = f"leaves the work to a server, {side.kind}"
        if where:
            raise UsageError(
                f"--valgrind: '{side.command}' {where}, whose instructions are not seen; expected "
                "a store in the runner's process, such as memfile_ubench or sqlite_ubench"
            )
    count = ("-n", str(OPERATIONS_OF_TURN))
    return tuple(
        side if side.location.count else replace(side, words=(*side.words, *count))
        for side in sides
    )


# ---- Names


def distinguishing_names(commands: Sequence[Sequence[str]]) -> list[str]:
    """Return a name for each command: its program, and the words that not all commands have."""
    common = {word for word in commands[0] if all(word in words for words in commands)}
    paths = [words[runner_place(words)] for words in commands]
    if len({Path(path).name for path in paths}) < len(set(paths)):
        # Builds of one program: their paths tell them apart.
        programs = paths
        common |= set(paths)
    else:
        programs = [Path(path).name.removesuffix("_ubench") for path in paths]
    return [
        " ".join([program, *_own_words(words, common)])
        for program, words in zip(programs, commands, strict=True)
    ]


def _own_words(words: Sequence[str], common: set[str]) -> list[str]:
    return [word for word in words if word not in common and not word.endswith("_ubench")]
