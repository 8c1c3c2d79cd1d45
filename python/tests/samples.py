# SPDX-License-Identifier: ISC
"""Lines of results for tests, small ones that are right; the records that they are read as; and
ubench_report run on them.

Factories return a line as a dict, whose members a test may replace:

    line = samples.store("mysql", "bounded", rates=[("renew", 2000)])
    observation = samples.observe(line)
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ubench.records.observation import Observation, Source
from ubench.records.reader import Record, Records, read_line, read_records
from ubench.report import program

Line = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
STARTED_AT = "2026-11-01T00:00:00Z"
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}
LOSSES = {  # by a kill and by a power cut
    "none": ("unbounded", "unbounded"),
    "volatile": ("unbounded", "unbounded"),
    "process-safe": ("nothing", "unbounded"),
    "bounded": ("nothing", "bounded"),
    "power-safe": ("nothing", "nothing"),
}
NO_EXCHANGES = ("create", "search", "update", "delete")


# ---- Runners


def histogram(values: Sequence[int]) -> Line:
    """Times in ns, each with a bucket of its own. A quantile with fewer than 10 values beyond it is
    null."""
    ordered, count = sorted(values), len(values)
    quantiles = {}
    for name, share in QUANTILES.items():
        rank = max(1, -int(-share * count // 1))
        quantiles[f"{name}_ns"] = ordered[rank - 1] if count - rank >= 10 else None
    return {
        "count": count,
        "sum_ns": sum(values),
        "min_ns": ordered[0],
        "max_ns": ordered[-1],
        "mean_ns": sum(values) / count,
        "sd_ns": 0.0,
        "buckets": [[value, ordered.count(value)] for value in sorted(set(ordered))],
        **quantiles,
    }


def phase(name: str, rate: float, operations: int = 1000, **members: Any) -> Line:
    return {
        "name": name,
        "incomplete": False,
        "operations": operations,
        "begun_ns": 0,
        "elapsed_ns": round(operations * 1e9 / rate),
        "rate_per_s": rate,
        "latency": None,
        "commit": None,
        "series": [],
        "usage": None,
        **members,
    }


def run(*phases: Line, **members: Any) -> Line:
    """A run of exchanges, unless its phases are the guide's."""
    exchanges = any(each["name"] not in NO_EXCHANGES for each in phases)
    return {
        "incomplete": False,
        "together": False,
        "exchange": {"exchanges": exchanges, "kinds": []},
        "verified": True,
        "leases_left": 0,
        "digest": "0" * 16,
        "phases": list(phases),
        **members,
    }


def durability(cls: str | None, **members: Any) -> Line:
    kill, power = LOSSES[cls] if cls else (None, None)
    return {
        "class": cls,
        "kill": {"loss": kill} if kill else None,
        "power": {"loss": power} if power else None,
        "node_loss": None,
        "settings": [{"name": "settings", "value": cls}] if cls else [],
        "reasons": [],
        "from": f"{cls} settings",
        **members,
    }


def store(
    name: str = "memfile",
    cls: str = "power-safe",
    rates: Iterable[tuple[Any, ...]] = (("renew", 100),),
    parameters: Mapping[str, str] | None = None,
    **members: Any,
) -> Line:
    """A line of one run with a phase for each (name, rate) or (name, rate, operations)."""
    runs = members.pop("runs", None) or [run(*(phase(*rate) for rate in rates))]
    first_phase = runs[0]["phases"][0]["name"]
    workload = "phases" if first_phase == "create" else first_phase
    return {
        "format": "ubench-result/2",
        "program": f"{name}_ubench",
        "version": "0.1.0",
        "store": name,
        "started_at": STARTED_AT,
        "incomplete": False,
        "product": {"name": name, "version": "1.0", "keeper": name},
        "durability": durability(cls),
        "parameters": {
            "workload": workload,
            "threads": "1",
            "preload": "100000",
            **(parameters or {}),
        },
        "labels": {},
        "facts": {name: "1.0"},
        "host": {},
        "runs": runs,
        **members,
    }


def former_store(
    name: str = "memfile", cls: str | None = "power-safe", text: str = "", **members: Any
) -> Line:
    """The same line as a runner of ubench-result/1 wrote it."""
    line = store(name, cls or "power-safe", **members)
    del line["product"]
    for each in line["runs"]:
        del each["exchange"]
    form = {"class": cls, "from": text or f"{cls} settings"}
    return {**line, "format": "ubench-result/1", "durability": form, **members}


def block(number: int) -> Line:
    """The labels of a line in a block of a campaign."""
    return {"labels": {"campaign": "c", "block": str(number)}}


# ---- Open loops


def trial(rate: float | None = 200.0, answered: int = 400, **members: Any) -> Line:
    """A trial of 2 s of which every request was answered in time."""
    return {
        "stage": "single",
        "rate_per_s": rate,
        "warmup_ns": 0,
        "duration_ns": 2 * 10**9,
        "deadline_ns": 10**9,
        "queue": 64,
        "incomplete": False,
        "elapsed_ns": 2 * 10**9,
        "offered": answered,
        "answered": answered,
        "late": 0,
        "dropped": 0,
        "merged": 0,
        "failed": 0,
        "unanswered": 0,
        "in_time_per_s": answered / 2,
        "bad_share": 0.0,
        "grew": False,
        "invalid": None,
        "verdict": "sustained",
        "wait_ns": [10, 10, 10],
        "overhead_ns": 0,
        "response": None,
        "service": None,
        "lag": None,
        "seconds": [],
        **members,
    }


def goal(name: str, lower: float | None, upper: float | None, **members: Any) -> Line:
    """The rates that a search of a runner found for a goal."""
    return {
        "goal": name,
        "source": "a test",
        "bad_share": 0.01,
        "deadline_ns": 10**9,
        "low_per_s": lower,
        "high_per_s": upper,
        "in_time_per_s": lower,
        "verified": lower is not None,
        "invalid": False,
        **members,
    }


def open_run(name: str = "renew", trials: Sequence[Line] = (), **members: Any) -> Line:
    """A run of an open loop: a trial at 200/s unless others are named."""
    return run(
        phase(name, 200, 400),
        trials=list(trials) or [trial()],
        predicted=None,
        closed_loop={"rate_per_s": 900.0, "failed": 0, "service": None},
        **members,
    )


def storm(clients: int = 100, served: int = 100, **members: Any) -> Line:
    return {
        "clients": clients,
        "served": served,
        "sent": clients,
        "retransmitted": 0,
        "useless": 0,
        "served_50_ns": 10,
        "served_99_ns": 20,
        "served_100_ns": 30,
        **members,
    }


# ---- Whole DHCP servers

NO_ANSWER = {"sent": 1, "received": 1, "min_ms": 1, "mean_ms": 1, "max_ms": 1, "sd_ms": 0}


def server_trial(rate: float | None, granted: int, cost_us: float = 0, **members: Any) -> Line:
    """A trial of a server; `cost_us` is its processor time for each lease. No rate: a storm."""
    processor_s = {"server": granted * cost_us / 1e6, "store": 0, "load": 0, "other": 0}
    offered = {} if rate is None else {"offered": rate}
    return {
        **offered,
        "sent": granted,
        "granted": granted,
        "lost": 0,
        "kept_up": True,
        "holds": True,
        "elapsed_s": 6,
        "cores": 2,
        "discover": NO_ANSWER,
        "request": NO_ANSWER,
        "processor_s": processor_s,
        **members,
    }


def server(
    name: str = "pgsql",
    cls: str | None = "power-safe",
    rate: float | None = 1000,
    **members: Any,
) -> Line:
    """The rate that an earlier search found for a server, unless `goals` are given; with one trial
    at that rate unless `trials` are given."""
    return {
        "format": "ubench-kea/1",
        "started_at": STARTED_AT,
        "command": "rate",
        "server": "kea",
        "server_version": "2.2.0",
        "store": name,
        "store_name": f"{name} 1.0",
        "sync": "yes",
        "family": 4,
        "threads": 1,
        "queue": 64,
        "delayed_ack": 0,
        "pool": 4000000,
        "classes": 0,
        "seconds": 4,
        "max_lost": 0.025,
        "within_s": 2,
        "start_rate": 500,
        "processors": {"server": "0-1", "load": "1"},
        "rate": rate,
        "host": {"cpu": "a processor", "cores": "2", "kernel": "Linux"},
        "stored": 40000,
        "durability": {"class": cls, "from": "settings"},
        "limited_by_load": False,
        "trials": [server_trial(rate or 500, round((rate or 0) * 4))],
        **members,
    }


def single_trial(command: str, trial: Line, **members: Any) -> Line:
    """A line of a command that has one trial and no rate: "seconds", "storm", "expire"."""
    line = server(command=command, trials=[trial], **members)
    del line["rate"]
    return line


def server_goal(
    lower: float | None, upper: float | None, rate: float | None, **members: Any
) -> Line:
    """The result of a search for a goal."""
    return {
        "max_lost": 0.025,
        "trial_s": 10,
        "duration_sum_s": 30,
        "exceed_ratio": 0.5,
        "width": 0.05,
        "lower": lower,
        "upper": upper,
        "rate": rate,
        "confirmed": True,
        **members,
    }


# ---- Duels


def slice_row(
    side: int, operations: int, elapsed_ns: int = 10**9, round_: int = 0, **members: Any
) -> list[int | None]:
    """A slice of a side."""
    known = {
        "cpu_ns": elapsed_ns // 2,
        "server_cpu_ns": None,
        "syncs": operations,
        "p50_ns": elapsed_ns // max(operations, 1),
        "p99_ns": None,
        "errors": 0,
        "log_bytes": None,
        **members,
    }
    log_bytes = known.pop("log_bytes")
    return [side, operations, elapsed_ns, *known.values(), round_, log_bytes]


def duel(
    slices: Sequence[Sequence[int | None]], sides: int = 2, twin: bool = False, **members: Any
) -> Line:
    """A duel of SQLite with itself; with a twin, which is the last side."""
    result = store("sqlite", host={"cpu": "x86", "cores": "2"})
    return {
        "format": "ubench-duel/1",
        "started_at": STARTED_AT,
        "label": "",
        "incomplete": False,
        "seed": 1,
        "slice_ms": 100,
        "settle_ms": 0,
        "precision": 0.01,
        "time_s": 60.0,
        "sides": [
            {
                "name": f"side {number}",
                "command": f"sqlite_ubench -n {number}",
                "twin": twin and number == sides - 1,
                "server": "",
                "result": result,
            }
            for number in range(sides)
        ],
        "slices": [list(row) for row in slices],
        **members,
    }


def even_slices(
    blocks: int, operations: Sequence[int], round_: int = 0
) -> list[list[int | None]]:
    """Blocks of slices without noise, of sides that do this many operations in a second."""
    order = list(range(len(operations)))
    return [
        slice_row(side, operations[side], round_=round_)
        for _ in range(blocks)
        for side in (*order, *reversed(order))
    ]


# ---- Crashes


def crash(
    cell: str,
    level: str = "2",
    cls: str = "power-safe",
    verdict: str = "kept",
    lost: int = 0,
    control: str = "",
    **members: Any,
) -> Line:
    """A crash of SQLite 3.40.1."""
    return {
        "format": "ubench-crash/1",
        "version": "0.1.0",
        "store": "sqlite",
        "product": "SQLite 3.40.1",
        "started_at": STARTED_AT,
        "durability": {"class": cls, "from": f"{cls} settings"},
        "labels": {"cell": cell, "level": level, "control": control},
        "load": {"seed": 1, "preload": 0, "threads": 1, "batch": 1},
        "verdict": verdict,
        "why": "",
        "crashed_after_ns": 1,
        "leases": {
            "kept": 9, "lost": lost, "outdated": 0, "resurrected": 0, "phantom": 0, "corrupt": 0,
            "strangers": 0,
        },
        "operations": {"acknowledged": 9, "unanswered": 0, "late": 0, "lost": lost, "holes": 0},
        "window_ns": lost * 1000,
        "window_operations": lost,
        "recovery_ns": 2000000,
        "check": "",
        **members,
    }


def many(line: Line, count: int) -> list[Line]:
    """Lines of one crash, no two of them alike."""
    return [{**line, "load": {**line["load"], "seed": seed}} for seed in range(count)]


def controls(level: str = "2") -> list[Line]:
    """The crashes without which nothing is said of a level: one that lost as it had to, and one
    that kept all."""
    return [
        crash("writes", level, "process-safe", "lost", 40, f"loses at {level}"),
        crash("syncs", level, control=f"keeps at {level}"),
    ]


# ---- Reading


def encode(line: Line) -> bytes:
    return json.dumps(line, separators=(",", ":")).encode()


def write(path: Path, lines: Iterable[Line]) -> str:
    """Writes a file of lines; returns its name."""
    path.write_bytes(b"".join(encode(line) + b"\n" for line in lines))
    return str(path)


def parse(line: Line, buckets: bool = False) -> Record:
    """The record of one line. Raises Damaged."""
    return read_line(encode(line), Source("out.jsonl", 1), buckets)


def observe(line: Line) -> Observation:
    """The observation of one line."""
    record = parse(line)
    assert isinstance(record, Observation)
    return record


def read_lines(lines: Iterable[Line], buckets: bool = False) -> Records:
    """The records of these lines, as a command has them; no line may be refused."""

    def refuse(source: Source, sentence: str) -> None:
        raise AssertionError(f"{source}: {sentence}")

    with tempfile.TemporaryDirectory() as folder:
        return read_records([write(Path(folder, "out.jsonl"), lines)], refuse, buckets)


def published(name: str) -> Iterator[Line]:
    """The lines of a published file."""
    with (RESULTS / f"{name}.jsonl").open(encoding="utf-8") as file:
        for text in file:
            yield json.loads(text)


# ---- ubench_report


@dataclass(frozen=True)
class Outcome:
    """What a program did."""

    status: int
    out: str
    err: str


class Stream(io.StringIO):
    """Stands for standard output, whose encoding a program may set."""

    def reconfigure(self, **_: Any) -> None:
        pass


def report(*words: str, lines: Iterable[Line] | None = None) -> Outcome:
    """Runs ubench_report, on a file of these lines if there are any."""
    out, err = Stream(), Stream()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        files = [] if lines is None else [write(Path(folder, "out.jsonl"), lines)]
        status = program.main([*words, *files])
    return Outcome(status, out.getvalue(), err.getvalue())
