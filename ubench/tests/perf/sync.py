#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""What `answer --sync` computes for a slower disk beside what is measured there.

sync.py [TIME [KIND...]]: a duel of TIME (60s) for each KIND of server (pgsql, mysql) and exchange
between a server as it is and two whose syncs take 0.5 and 1.6 ms longer, by a library that is
preloaded (tests/perf/slow_sync.c). The computed rate is that of the first server with the delay
added to its sync: not the nominal one, but what `disk` would find there, which is timed before and
after each duel, as a busy machine wakes up late. BIN is the folder of the runners, CC the compiler.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "python"))

from ubench.described import phases_of  # noqa: E402
from ubench.records.duel import Duel  # noqa: E402
from ubench.records.reader import read_records  # noqa: E402
from ubench.report.capacity.elsewhere import measured_sync_s, rate_elsewhere  # noqa: E402
from ubench.report.capacity.site import Place  # noqa: E402

DELAYS_US = (500, 1600)
PRECISION = 0.10
WORKLOADS = ("renew", "dora-known")
TIME_SYNCS = "--time-syncs"  # this program times syncs itself, with a library preloaded
SYNCS, BATCH = 400, 20  # how many are timed; each batch has a mean, as a slice of a duel has


def library(folder: Path, delay_us: int) -> Path:
    """Return the library that makes syncs slower, compiled for a delay."""
    path = folder / f"slow{delay_us}.so"
    source = TOP / "ubench/tests/perf/slow_sync.c"
    words = [os.environ.get("CC", "cc"), "-O2", "-std=c11", "-D_DEFAULT_SOURCE", "-shared", "-fPIC"]
    words += [f"-DUBENCH_SLOW_SYNC_US={delay_us}", "-o", str(path), str(source)]
    subprocess.run(words, check=True)
    path.chmod(0o755)
    return path


def time_syncs(folder: Path) -> float:
    """Return the seconds that appending a record and syncing it takes: median of means."""
    path = folder / "syncs"
    means = []
    with open(path, "wb", buffering=0) as file:
        for _ in range(SYNCS // BATCH):
            begun = time.monotonic()
            for _ in range(BATCH):
                file.write(b"x" * 250)
                os.fdatasync(file.fileno())
            means.append((time.monotonic() - begun) / BATCH)
    path.unlink()
    return statistics.median(means)


def real_delays(folder: Path) -> list[float]:
    """Return by how many seconds syncs take longer with the library of each delay."""
    command = [sys.executable, __file__, TIME_SYNCS, str(folder)]
    preloads: Sequence[Path | None] = [None, *(library(folder, each) for each in DELAYS_US)]
    times = []
    for preload in preloads:
        environment = {**os.environ, **({"LD_PRELOAD": str(preload)} if preload else {})}
        done = subprocess.run(
            command, env=environment, check=True, stdout=subprocess.PIPE, text=True
        )
        times.append(float(done.stdout))
    return [each - times[0] for each in times[1:]]


def duel(folder: Path, kind: str, workload: str, duration: str) -> Path:
    """Return the file of a duel between a server and those with slower syncs."""
    out = folder / f"{kind}-{workload}.jsonl"
    programs = Path(os.environ.get("BIN", TOP)).resolve()
    run = [str(TOP / "scripts/servers"), "run", kind, str(programs / f"{kind}_ubench")]
    run += ["-S", "kea", "-w", workload, "-s", "server", "--preload", "2000"]
    words = [str(TOP / "scripts/duel"), "--time", duration, "--rounds", "1", "--no-null"]
    words += ["-O", str(out), "--", *run]
    for delay_us in DELAYS_US:
        words += ["--", "env", f"UBENCH_SERVERS_PRELOAD={library(folder, delay_us)}", *run]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return out


def side_rate(duel: Duel, side: int) -> float:
    """Return the exchanges per second of a side: the median of its slices."""
    slices = [each for each in duel.slices if each.side == side]
    return statistics.median(each.operations * 1e9 / each.elapsed_ns for each in slices)


def report(out: Path, kind: str, workload: str, delays_s: Sequence[float]) -> bool:
    """Print what was measured and computed; return False if they differ by too much."""

    def refuse(source: object, why: str) -> None:
        raise SystemExit(f"{source}: {why}")

    (record,) = read_records([str(out)], refuse).duels
    observation = record.sides[0].observation
    assert observation is not None
    near = side_rate(record, 0)
    is_right = True
    for side, delay_s in enumerate(delays_s, 1):
        place = Place(sync_s=(measured_sync_s(observation) or 0) + delay_s)
        steps = phases_of(workload, 4)
        computed = rate_elsewhere(observation, near, steps, place)
        measured = side_rate(record, side)
        assert computed is not None
        ratio = measured / computed
        verdict = "ok" if abs(ratio - 1) <= PRECISION else f"OFF BY MORE THAN {PRECISION:.0%}"
        is_right = is_right and verdict == "ok"
        print(
            f"{kind} {workload} with syncs {delay_s * 1000:.3g} ms longer: {measured:.1f} /s, "
            f"computed {computed:.1f} /s of {near:.1f} /s, ratio {ratio:.3f} {verdict}",
            flush=True,
        )
    return is_right


def run(folder: Path, kind: str, workload: str, duration: str) -> bool:
    """Run a duel and report it, with the delays that syncs had before and after it."""
    before = real_delays(folder)
    out = duel(folder, kind, workload, duration)
    delays_s = [sum(pair) / 2 for pair in zip(before, real_delays(folder), strict=True)]
    return report(out, kind, workload, delays_s)


def main(words: list[str]) -> int:
    """Run the duels; return 1 if a computed rate is off."""
    if words[:1] == [TIME_SYNCS]:
        print(time_syncs(Path(words[1])))
        return 0
    duration, *kinds = words or ["60s"]
    # Not in /tmp, which may be out of reach of the servers' users, or mounted without programs.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        verdicts = [
            run(folder, kind, workload, duration)
            for kind in kinds or ["pgsql", "mysql"]
            for workload in WORKLOADS
        ]
    return 0 if all(verdicts) else 1


sys.exit(main(sys.argv[1:]))
