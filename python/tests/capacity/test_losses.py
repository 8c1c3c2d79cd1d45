# SPDX-License-Identifier: ISC
"""What the answer reads from the lines of real runners, in each setting that a class depends on.

A reason that is worded in another way changes nothing here, since nothing reads words.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from samples import Observation

from ubench.errors import Problem
from ubench.records.reader import read_records
from ubench.report.capacity.setups import PowerLoss, power_loss
from ubench.run.servers import PrivateServers

Find = Callable[[str], Path]

LOSSES = {
    "power-safe": PowerLoss.NOTHING,
    "bounded": PowerLoss.LATEST,
    "process-safe": PowerLoss.ANY,
    "volatile": PowerLoss.ANY_OR_KILL,
}

FILES = [
    ("memfile", "-s yes", "power-safe"),
    ("memfile", "-s no", "process-safe"),
    ("memfile", "-s volatile", "volatile"),
    ("sqlite", "-s yes", "power-safe"),
    ("sqlite", "-s no", "process-safe"),
    ("sqlite", "-s process-safe", "process-safe"),
]

# The classes of SQLite by journal mode, for each level of synchronous.
LEVELS = ("off", "normal", "full", "extra")
JOURNALS = {
    "wal": ("process-safe", "process-safe", "power-safe", "power-safe"),
    "delete": ("process-safe", "bounded", "bounded", "power-safe"),
    "truncate": ("process-safe", "bounded", "power-safe", "power-safe"),
    "persist": ("process-safe", "bounded", "power-safe", "power-safe"),
    "memory": ("volatile",) * 4,
    "off": ("volatile",) * 4,
}
SQLITE = [
    ("sqlite", f"-s server -o journal_mode={journal} -o synchronous={level}", cls)
    for journal, classes in JOURNALS.items()
    for level, cls in zip(LEVELS, classes, strict=True)
]

# By server and its options: those of a run, and what a power cut loses. Two stores are volatile,
# but write once a second.
SERVERS = {
    "pgsql": {
        "-s yes": PowerLoss.NOTHING,
        "-s no": PowerLoss.LATEST_OR_KILL,
        "-s yes -o unlogged=yes": PowerLoss.ANY_OR_KILL,
        "-s no -o unlogged=yes": PowerLoss.ANY_OR_KILL,
        "-s no -S kea": PowerLoss.LATEST_OR_KILL,
        "-s no -6": PowerLoss.LATEST_OR_KILL,
    },
    "pgsql -c full_page_writes=off": {
        "-s yes": PowerLoss.ANY,
        "-s no": PowerLoss.ANY_OR_KILL,
    },
    "pgsql -c fsync=off": {"-s yes": PowerLoss.ANY, "-s no": PowerLoss.ANY_OR_KILL},
    "mysql": {
        "-s yes": PowerLoss.NOTHING,
        "-s no": PowerLoss.LATEST,
        "-s volatile": PowerLoss.LATEST_OR_KILL,
        "-s volatile -S kea": PowerLoss.LATEST_OR_KILL,
        "-s server -e MyISAM": PowerLoss.ANY,
        "-s server -e MEMORY": PowerLoss.ANY_OR_KILL,
    },
    "mysql --log-bin --binlog-format=ROW": {
        "-s yes": PowerLoss.NOTHING,
        "-s no": PowerLoss.LATEST,
        "-s volatile": PowerLoss.LATEST_OR_KILL,
    },
    "mysql --innodb-doublewrite=0": {
        "-s yes": PowerLoss.ANY,
        "-s volatile": PowerLoss.ANY_OR_KILL,
    },
}


def observe(
    program: Path, options: Sequence[str], folder: Path, variables: Mapping[str, str] | None = None
) -> Observation:
    """Runs a program in a folder, and reads the line that it writes there."""
    output = folder / "out.jsonl"
    output.unlink(missing_ok=True)
    command = [program, "-v", "no", "-n", "20", *options, "-O", output]
    environment = {**os.environ, **(variables or {})}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

    def refuse(source: object, why: str) -> None:
        raise AssertionError(f"{source}: {why}")

    (observation,) = read_records([str(output)], refuse).observations
    return observation


@pytest.mark.parametrize(("store", "options", "cls"), FILES + SQLITE)
def test_stores_in_files(
    program: Find, server_folder: Path, store: str, options: str, cls: str
):
    runner = program(f"{store}_ubench")
    observation = observe(runner, [*options.split(), "-f", "leases"], server_folder)
    assert observation.cls is not None
    assert observation.cls.value == cls
    assert power_loss(observation.durability) is LOSSES[cls]


@pytest.mark.parametrize(
    "server",
    [pytest.param(name, marks=pytest.mark.servers(name.split()[0])) for name in SERVERS],
)
def test_database_servers(program: Find, server_folder: Path, server: str):
    kind, *options = server.split()
    runner = program(f"{kind}_ubench")
    with PrivateServers.temporary(server_folder / "servers") as servers:
        try:
            variables = servers.start(kind, options).environment()
        except Problem as problem:
            pytest.skip(f"no private server of {kind} starts here: {problem}")
        for case, loss in SERVERS[server].items():
            observation = observe(runner, case.split(), server_folder, variables)
            assert power_loss(observation.durability) is loss, case
