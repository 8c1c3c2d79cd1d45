# SPDX-License-Identifier: ISC
"""The border between C and Python: lines that the runners write today, in each of the settings that
a class of durability depends on, and what they describe of themselves."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import samples

from ubench import described, paths
from ubench.records.observation import DurabilityClass, Loss, Observation
from ubench.run.servers import PrivateServers

Run = Callable[..., Observation]
NOTHING, BOUNDED, UNBOUNDED = Loss.NOTHING, Loss.BOUNDED, Loss.UNBOUNDED

# What a kill and a power cut lose, by class. Of the volatile stores some lose only the last second,
# others only that when they are killed, and everything in a power cut, which tears pages.
LOSSES = {
    "power-safe": (NOTHING, NOTHING),
    "bounded": (NOTHING, BOUNDED),
    "process-safe": (NOTHING, UNBOUNDED),
    "volatile": (UNBOUNDED, UNBOUNDED),
    "last second": (BOUNDED, BOUNDED),
    "torn pages": (BOUNDED, UNBOUNDED),
}


def losses(observation: Observation) -> tuple[Loss | None, Loss | None]:
    kill, power = observation.durability.kill, observation.durability.power
    return kill.loss if kill else None, power.loss if power else None


def check_class(observation: Observation, name: str) -> None:
    """Checks the class and the losses of a line, and that reasons say why it is not the safest."""
    assert losses(observation) == LOSSES[name], observation.durability.text
    is_volatile = name in ("last second", "torn pages")
    expected = DurabilityClass("volatile" if is_volatile else name)
    assert observation.cls is expected, observation.durability.text
    assert bool(observation.durability.reasons) == (name != "power-safe")


@pytest.fixture
def folder() -> Iterator[Path]:
    """An empty folder on a disk: in memory nothing is safe from a power cut."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def write_line(program: Callable[[str], Path], folder: Path) -> Callable[..., dict[str, Any]]:
    """Runs a runner for a moment; returns its line."""

    def write_line(
        name: str, *options: str, environment: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        command = [program(name), "-n", "20", "--json", *options]
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        line: dict[str, Any] = json.loads(done.stdout)
        return line

    return write_line


@pytest.fixture
def run(write_line: Callable[..., dict[str, Any]]) -> Run:
    """Runs a runner for a moment; returns the observation of its line."""

    def run(name: str, *options: str, environment: Mapping[str, str] | None = None) -> Observation:
        return samples.observe(write_line(name, *options, environment=environment))

    return run


# ---- Classes


@pytest.mark.parametrize(
    ("sync", "name"),
    [("yes", "power-safe"), ("no", "process-safe"), ("volatile", "volatile")],
)
def test_memfile(run: Run, sync: str, name: str) -> None:
    check_class(run("memfile_ubench", "-s", sync), name)


LEVELS = ("off", "normal", "full", "extra")
# By journal mode, the classes of the four levels of synchronous (docs/crashes.md).
SQLITE = {
    "wal": ("process-safe", "process-safe", "power-safe", "power-safe"),
    "delete": ("process-safe", "bounded", "bounded", "power-safe"),
    "truncate": ("process-safe", "bounded", "power-safe", "power-safe"),
    "persist": ("process-safe", "bounded", "power-safe", "power-safe"),
    "memory": ("volatile",) * 4,
    "off": ("volatile",) * 4,
}


@pytest.mark.parametrize(("mode", "level"), list(itertools.product(SQLITE, LEVELS)))
def test_sqlite(run: Run, mode: str, level: str) -> None:
    options = ("-s", "server", "-o", f"journal_mode={mode}", "-o", f"synchronous={level}")
    observation = run("sqlite_ubench", *options)
    check_class(observation, SQLITE[mode][LEVELS.index(level)])
    assert observation.durability.setting("journal_mode") == mode


def test_null_stores_nothing(run: Run) -> None:
    observation = run("null_ubench")
    assert observation.cls is DurabilityClass.NONE
    assert observation.durability.reasons == ("stores-nothing",)
    assert not observation.runs[0].verified


# By the options of a private server: those of the runner, and what its changes can lose.
SERVERS = {
    "pgsql": {
        "-s yes": "power-safe",
        "-s no": "last second",
        "-s yes -o unlogged=yes": "volatile",
        "-s no -o unlogged=yes": "volatile",
        "-s no -S kea": "last second",
        "-s no -6": "last second",
    },
    "pgsql -c full_page_writes=off": {"-s yes": "process-safe", "-s no": "torn pages"},
    "pgsql -c fsync=off": {"-s yes": "process-safe", "-s no": "torn pages"},
    "mysql": {
        "-s yes": "power-safe",
        "-s no": "bounded",
        "-s volatile": "last second",
        "-s volatile -S kea": "last second",
        "-s server -e MyISAM": "process-safe",
        "-s server -e MEMORY": "volatile",
    },
    "mysql --log-bin --binlog-format=ROW": {
        "-s yes": "power-safe",
        "-s no": "bounded",
        "-s volatile": "last second",
    },
    "mysql --innodb-doublewrite=0": {"-s yes": "process-safe", "-s volatile": "torn pages"},
}


@pytest.mark.parametrize(
    "server",
    [pytest.param(each, marks=pytest.mark.servers(each.split()[0])) for each in SERVERS],
)
def test_servers(
    run: Run, program: Callable[[str], Path], server_folder: Path, server: str
) -> None:
    kind, *options = server.split()
    program(f"{kind}_ubench")  # or no server need be started
    with PrivateServers.temporary(server_folder / "servers") as private:
        environment = private.start(kind, options).environment()
        for wanted, name in SERVERS[server].items():
            observation = run(f"{kind}_ubench", *wanted.split(), environment=environment)
            check_class(observation, name)
            if name == "last second":
                lost = observation.durability.power
                assert lost and lost.window_s and 0 < lost.window_s <= 1


# ---- What a line says beside


def test_the_product_is_a_member(run: Run) -> None:
    observation = run("memfile_ubench")
    assert (observation.product.name, observation.product.version) == ("memfile", None)
    assert observation.keeper == "memfile"
    assert observation.product.name in observation.facts


@pytest.mark.parametrize(
    ("workload", "exchanges"),
    [
        ("phases", []),
        ("renew", [("renew", 2, 1)]),
        ("renew=1,dora=1", [("renew", 2, 1), ("dora", 7, 1)]),
    ],
)
def test_exchanges_of_a_run(
    write_line: Callable[..., dict[str, Any]], workload: str, exchanges: list[tuple[str, int, int]]
) -> None:
    line = write_line("null_ubench", "-w", workload)
    kinds = line["runs"][0]["exchange"].get("kinds", [])
    assert [(each["name"], each["searches"], each["changes"]) for each in kinds] == exchanges
    observation = samples.observe(line)
    assert [each.name for each in observation.runs[0].exchanges] == [each[0] for each in exchanges]
    assert observation.load.exchanges == (workload != "phases")


# ---- Descriptions


@pytest.fixture
def describe(program: Callable[[str], Path]) -> Callable[[str], dict[str, Any]]:
    def describe(name: str) -> dict[str, Any]:
        done = subprocess.run(
            [program(name), "--describe"], check=True, capture_output=True, text=True
        )
        description: dict[str, Any] = json.loads(done.stdout)
        return description

    return describe


STORES = ("null", "memfile", "sqlite", "mysql", "pgsql", "kea")


def test_the_installed_description_is_that_of_the_runner(
    describe: Callable[[str], dict[str, Any]],
) -> None:
    path = paths.description_file()
    if path is None:
        pytest.skip("build/describe.json is not built")
    assert json.loads(path.read_text()) == describe("null_ubench")


def test_classes_are_those_of_results(describe: Callable[[str], dict[str, Any]]) -> None:
    names = [cls["name"] for cls in describe("null_ubench")["classes"]]
    assert names == [cls.value for cls in DurabilityClass]


def test_a_run_does_the_steps_that_are_described(
    run: Run, describe: Callable[[str], dict[str, Any]]
) -> None:
    for exchange in describe("null_ubench")["exchanges"]:
        if exchange["name"] in ("reclaim", "purge"):
            continue  # one of them has as many leases as there are
        for family in exchange["families"]:
            options = ["-6"] if family == 6 else []
            phase = run("null_ubench", "-w", exchange["name"], *options).runs[0].phases[0]
            counted = {step.name: step.count / 20 for step in phase.steps}
            described_steps = {step["name"]: step["count"] for step in exchange["steps"]}
            assert counted == described_steps, exchange["name"]


@pytest.mark.parametrize("store", STORES)
def test_options_are_those_of_the_list(
    program: Callable[[str], Path], describe: Callable[[str], dict[str, Any]], store: str
) -> None:
    done = subprocess.run(
        [program(f"{store}_ubench"), "--list-options"], check=True, capture_output=True, text=True
    )
    listed = [row.split("\t")[1] for row in done.stdout.splitlines()]
    options = describe(f"{store}_ubench")["options"]
    assert [option["name"] for option in options] == listed


@pytest.mark.parametrize("store", STORES)
def test_limits_have_codes_and_losses(
    describe: Callable[[str], dict[str, Any]], store: str
) -> None:
    limits = describe(f"{store}_ubench")["limits"]
    assert bool(limits) == (store != "null")
    for limit in limits:
        assert limit["code"].replace("-", "").isalnum()
        assert Loss(limit["kill"]) in (NOTHING, BOUNDED, UNBOUNDED)
        assert Loss(limit["power"]) in (BOUNDED, UNBOUNDED)


# By the name of a workload or the option that asks for it: whether its operations are exchanges,
# and whether it searches for leases, changes them and ends by itself.
WORKLOADS = {
    "phases": (False, True, True, True),
    "search": (False, True, False, True),
    "update": (False, False, True, True),
    "churn": (False, False, True, False),
    "fill": (True, True, True, True),
    "rate": (True, True, True, True),
    "find-rate": (True, True, True, True),
    "storm": (True, True, True, True),
    "replay": (True, True, True, True),
    None: (True, True, True, True),
}


def test_workloads_say_what_they_do(describe: Callable[[str], dict[str, Any]]) -> None:
    workloads = describe("null_ubench")["workloads"]
    members = ("exchanges", "reads", "changes", "ends")
    said = {
        each["name"] or each["option"]: tuple(each[member] for member in members)
        for each in workloads
    }
    assert {name: said[name] for name in WORKLOADS} == WORKLOADS


def test_every_class_has_a_meaning() -> None:
    if paths.description_file() is None:
        pytest.skip("build/describe.json is not built")
    described.description.cache_clear()
    described.meanings.cache_clear()
    assert list(described.meanings()) == [cls.value for cls in DurabilityClass]
