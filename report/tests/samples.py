# SPDX-License-Identifier: ISC
"""Lines of results for tests, small ones that are right; and commands run on them."""

import contextlib
import io
import tempfile

from published import write

from report import __main__ as program
from report import results

NO_ANSWER = {"sent": 1, "received": 1, "min_ms": 1, "mean_ms": 1, "max_ms": 1, "sd_ms": 0}


def histogram(values):
    """A histogram of latencies in ns."""
    lows = {}
    for value in values:
        lows[results.bucket_of(value)] = lows.get(results.bucket_of(value), 0) + 1
    of = {"count": len(values), "sum_ns": sum(values), "min_ns": min(values),
          "max_ns": max(values), "mean_ns": sum(values) / len(values), "sd_ns": 0.0,
          "buckets": [list(bucket) for bucket in sorted(lows.items())]}
    return {**of, **results.quantiles(of)}


def phase(name, rate, count=1000, **members):
    return {"name": name, "incomplete": False, "operations": count, "begun_ns": 0,
            "elapsed_ns": round(count * 1e9 / rate), "latency": None, "commit": None,
            "series": [], "usage": None, **members}


def run(*phases, **members):
    return {"incomplete": False, "together": False, "verified": True, "leases_left": 0,
            "digest": "0" * 16, "phases": list(phases), **members}


def store(name="memfile", cls="power-safe", rates=(("renew", 100),), parameters=(), **members):
    """A result of one run with these phases and rates."""
    runs = members.pop("runs", None) or [run(*(phase(*rate) for rate in rates))]
    workload = runs[0]["phases"][0]["name"]
    return {"format": "ubench-result/1", "program": f"{name}_ubench", "version": "0.1.0",
            "store": name, "started_at": "2026-11-01T00:00:00Z", "incomplete": False,
            "durability": {"class": cls, "from": f"{cls} settings"},
            "parameters": {"workload": "phases" if workload == "create" else workload,
                           "threads": "1", "preload": "100000", **dict(parameters)},
            "labels": {}, "facts": {name: "1.0"}, "host": {}, "runs": runs, **members}


def block(number):
    return {"labels": {"campaign": "c", "block": str(number)}}


def trial(rate, granted, cost_us=0, **members):
    """A trial of a server; cost_us is its processor time for each lease."""
    return {"offered": rate, "sent": granted, "granted": granted, "lost": 0, "kept_up": True,
            "holds": True, "elapsed_s": 6, "cores": 2, "discover": NO_ANSWER,
            "request": NO_ANSWER, "processor_s": {"server": granted * cost_us / 1e6, "store": 0,
                                                  "load": 0, "other": 0}, **members}


def server(name="pgsql", cls="power-safe", rate=1000, **members):
    """A whole server, with one trial at its highest rate unless others are named."""
    return {"format": "ubench-kea/1", "started_at": "2026-11-01T00:00:00Z", "command": "rate",
            "server": "kea", "server_version": "2.2.0", "store": name, "store_name": f"{name} 1.0",
            "sync": "yes", "family": 4, "threads": 1, "queue": 64, "delayed_ack": 0,
            "pool": 4000000, "classes": 0, "seconds": 4, "max_lost": 0.025, "within_s": 2,
            "start_rate": 500, "processors": {"server": "0-1", "load": "1"}, "rate": rate,
            "host": {"cpu": "a processor", "cores": "2", "kernel": "Linux"}, "stored": 40000,
            "durability": {"class": cls, "from": "settings"}, "limited_by_load": False,
            "trials": [trial(rate, round((rate or 0) * 4))], **members}


def goal(lower, upper, rate, **members):
    """The result of a search for a goal."""
    return {"max_lost": 0.025, "trial_s": 10, "duration_sum_s": 30, "exceed_ratio": 0.5,
            "width": 0.05, "lower": lower, "upper": upper, "rate": rate, "confirmed": True,
            **members}


def crash(cell, level="2", cls="power-safe", verdict="kept", lost=0, control="", **members):
    """A crash of SQLite 3.40.1."""
    return {"format": "ubench-crash/1", "version": "0.1.0", "store": "sqlite",
            "product": "SQLite 3.40.1", "started_at": "2026-11-01T00:00:00Z",
            "durability": {"class": cls, "from": f"{cls} settings"},
            "labels": {"cell": cell, "level": level, "control": control},
            "load": {"seed": 1, "preload": 0, "threads": 1, "batch": 1},
            "verdict": verdict, "why": "", "crashed_after_ns": 1,
            "leases": {"kept": 9, "lost": lost, "outdated": 0, "resurrected": 0, "phantom": 0,
                       "corrupt": 0, "strangers": 0},
            "operations": {"acknowledged": 9, "unanswered": 0, "late": 0, "lost": lost, "holes": 0},
            "window_ns": lost * 1000, "window_operations": lost, "recovery_ns": 2000000,
            "check": "", **members}


def many(line, count):
    """So many lines of one crash, no two of them alike."""
    return [{**line, "load": {**line["load"], "seed": seed}} for seed in range(count)]


def controls(level="2"):
    return [crash("writes", level, "process-safe", "lost", 40, f"loses at {level}"),
            crash("syncs", level, control=f"keeps at {level}")]


def read(lines, whole=False):
    """Results and crashes, as a command has them; no line may be refused."""
    with tempfile.TemporaryDirectory() as folder:
        def refused(file, line, text):
            raise AssertionError(f"line {line}: {text}")

        return results.read_all([write(f"{folder}/out.jsonl", lines)], refused, whole)[:2]


class Stream(io.StringIO):
    def reconfigure(self, **_):
        """Does nothing; standard output has it, too."""


def report(*arguments, lines=None):
    """Runs ubench_report; returns its status, output and errors.  lines: of a file."""
    out, err = Stream(), Stream()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out), \
            contextlib.redirect_stderr(err):
        files = [] if lines is None else [write(f"{folder}/out.jsonl", lines)]
        status = program.main([*arguments, *files])
    return status, out.getvalue(), err.getvalue()
