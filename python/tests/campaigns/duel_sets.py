#!/usr/bin/env -S python3 -B -m pytest
# SPDX-License-Identifier: ISC
"""Each side of the sets of duels changes what it names, and nothing else.

Each side is started once, with a private server, and its record is compared with that of the first
side of its duel. Sides in the root of another release need UBENCH_DISTRO, a folder with roots in
which build/databases is built (scripts/databases makes them).

This takes minutes, and pytest does not find it by itself:

    python3 -m pytest python/tests/campaigns/duel_sets.py
"""

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from conftest import ROOT, SCRIPTS

from ubench import paths
from ubench.campaigns.duel_options import read_set
from ubench.campaigns.duel_plan import SidePlan
from ubench.run import process

Record = Mapping[str, str]

NOT_BUILT = 77  # exit status of a launcher that has nothing to start
NO_KEY = re.compile("Unable to get private key|Failed to setup SSL")  # says MariaDB
# These differ from one run to the next.
VARIABLE = {"index use", "port", "host"}
CONNECTION = frozenset({"connection", "encryption"})
# What an option of a server changes instead of the setting of its name.
FOLLOWS: Mapping[str, frozenset[str]] = {
    "log_bin": frozenset(
        {
            "log_bin",
            "sync_binlog",
            "binlog_format",
            "binlog_row_image",
            "binlog_gtid_index",
            "max_binlog_size",
            "server_id",
        }
    ),
    "server_id": frozenset({"server_id"}),
    # MariaDB that starts with 2 writes its log through the cache of the system.
    "innodb_flush_log_at_trx_commit": frozenset(
        {"innodb_flush_log_at_trx_commit", "innodb_log_file_buffering"}
    ),
    # MariaDB 11.0 and later set these four by it.
    "innodb_flush_method": frozenset(
        {
            "innodb_flush_method",
            "innodb_data_file_buffering",
            "innodb_data_file_write_through",
            "innodb_log_file_buffering",
            "innodb_log_file_write_through",
        }
    ),
    "ssl": CONNECTION,
    "ssl_cert_file": CONNECTION,
    "ssl_key_file": CONNECTION,
    "ssl_cert": CONNECTION,
    "ssl_key": CONNECTION,
    "tls_version": CONNECTION,
    # One request makes both what they are.
    "innodb_redo_log_capacity": frozenset({"innodb_redo_log_capacity", "innodb_log_file_size"}),
}
# What an option of a runner changes of the parameters of a run and the facts of a store.
RUNNER: Mapping[str, frozenset[str]] = {
    "-S": frozenset({"schema", "triggers", "lease4"}),
    "-c": frozenset({"compiled"}),
    "-t": frozenset({"threads"}),
    "-m": CONNECTION,
    "-s": frozenset({"sync"}),
    "-w": frozenset({"workload"}),
    "-o": frozenset(),
    "-P": frozenset(),
}
# Sides have private servers, whatever the user's environment names.
for variable in [name for name in os.environ if re.match("UBENCH_(MYSQL|PGSQL)_", name)]:
    del os.environ[variable]


# ---- What a side asks for


def server_settings(text: str) -> dict[str, str]:
    """The settings in 'mysql --skip-log-bin' or 'pgsql -c fsync=off'."""
    settings = {}
    for word in shlex.split(text.replace("\\\n", " "))[1:]:
        if word == "-c":
            continue
        name, _, value = word.removeprefix("--").partition("=")
        is_off = name.startswith("skip-")
        settings[name.removeprefix("skip-").replace("-", "_")] = "OFF" if is_off else value
    return settings


def runner_options(side: SidePlan) -> dict[str, str]:
    """The options of a runner's command."""
    options = side.words[side.runner + 1 :]
    values = dict(zip(options[::2], options[1::2], strict=False))
    if any('-m "$UBENCH' in word for word in side.words):
        values["-m"] = "socket"
    return values


def server_of(side: SidePlan) -> str:
    """The server that a side starts, as `scripts/servers run` has it."""
    if "run" in side.words:
        return side.words[side.words.index("run") + 1]
    return side.private_server


def differing(ours: Mapping[str, str], theirs: Mapping[str, str]) -> set[str]:
    """The names whose values differ, or that one has alone."""
    return {name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)}


def named(side: SidePlan, first: SidePlan) -> set[str]:
    """The names that may differ from the first side, as this side asks for them."""
    names: set[str] = set()
    for name in differing(server_settings(server_of(side)), server_settings(server_of(first))):
        names |= FOLLOWS.get(name, frozenset({name}))
    for name in differing(runner_options(side), runner_options(first)):
        names |= RUNNER[name]
    if any("ssl-enforce=1" in word for word in side.words):
        names |= CONNECTION
    return names


# ---- What it gets


def record(side: SidePlan, folder: Path) -> Record | None:
    """The parameters and facts of a short run; None if it cannot run here."""
    search = f"{paths.programs()}:{os.environ['PATH']}"
    program = shutil.which(side.words[0], path=search)
    if program is None:
        return None
    words = [program if Path(program).is_absolute() else str(ROOT / program), *side.words[1:]]
    if folder != ROOT:  # the sets name the runners of a checkout, and BIN those to be tested
        programs = str(paths.programs())
        words = [word.replace("${UBENCH_SERVERS%/build/*}", programs) for word in words]
    if side.private_server:
        words = [str(SCRIPTS / "servers"), "run", side.private_server, *words]
    done = process.capture([*words, "-n", "20", "--preload", "200", "--json"], cwd=folder)
    if done.status == NOT_BUILT or NO_KEY.search(done.err):
        return None
    assert done.status == 0, f"{side.command}: {done.err}"
    line = json.loads(done.out)
    facts = {**line["parameters"], **line["facts"]}
    way = facts.get("connection", "")  # each server has a port of its own
    kind = "socket" if "socket" in way else "TCP"
    facts["connection"] = f"{kind} TLS" if "TLS" in way else kind
    return facts


def pairs(name: str) -> Iterator[tuple[str, SidePlan, SidePlan]]:
    """The label, a side and the first side, of each side but the first in each duel of a set."""
    for request in read_set(["-O", "/dev/shm/none.jsonl", f"@{name}"]):
        plan = request.plan()
        for side in plan.sides[1:]:
            if not side.twin:
                yield plan.label, side, plan.sides[0]


def release_of(side: SidePlan) -> str | None:
    """The release in whose root a side runs."""
    match = re.search(r"distro\.sh (\w+)", side.command)
    return match[1] if match else None


def cases() -> Iterator[object]:
    known: list[str] = []
    for name in ("settings", "ladder"):
        for label, side, first in pairs(name):
            words = f"{label}: {side.server or side.command}"
            known.append(words)
            yield pytest.param(side, first, id=f"{words} {known.count(words)}")


_records: dict[tuple[str, str], Record | None] = {}


def known_record(side: SidePlan, folder: Path) -> Record | None:
    """The record of a side, which is started only once."""
    key = (side.command, side.server)
    if key not in _records:
        _records[key] = record(side, folder)
    return _records[key]


@pytest.mark.parametrize(("side", "first"), list(cases()))
def test_a_side_changes_what_it_names(side: SidePlan, first: SidePlan, tmp_path: Path) -> None:
    release = release_of(side)
    roots = Path(os.environ.get("UBENCH_DISTRO", "/nowhere"))
    if release and not (roots / release / "ubench/build/databases").is_dir():
        pytest.skip(f"left out: there is no root of {release}")
    folder = ROOT if release else tmp_path
    before, after = known_record(first, folder), known_record(side, folder)
    if before is None or after is None:
        pytest.skip("left out: no runner is built, or the server cannot read its key")
    asked, changed = named(side, first), differing(before, after) - VARIABLE
    assert changed <= asked, "it changes what it does not name"
    assert changed or not asked, "it changes nothing of what it names"


def test_settings_are_read() -> None:
    assert server_settings("mysql --skip-log-bin --tls-version=") == {
        "log_bin": "OFF",
        "tls_version": "",
    }
    assert server_settings("pgsql -c fsync=off") == {"fsync": "off"}
