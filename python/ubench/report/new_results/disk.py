# SPDX-License-Identifier: ISC
"""ubench_report disk: how long a disk takes to sync, timed by a runner as before each result.

The runner of memfile makes a file in a directory of its own, which is removed at the end. Its lines
have the role "disk": other commands leave them out, and `answer` compares them with the disk that
the results were measured on.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ubench import cli, paths, signals, units
from ubench.errors import Problem, UsageError
from ubench.records import reader
from ubench.records.observation import DISK_ROLE, Source
from ubench.records.reader import Complain
from ubench.report.capacity.evidence import disk_name
from ubench.report.new_results.output_file import append
from ubench.report.options import add_output
from ubench.report.table import Output
from ubench.stats import median
from ubench.terminal import plain

TIMES = 5  # runs; each times up to 100 syncs, for 0.1 s
RUN_S = 60  # after which a run is given up
MEMORY_FILE_SYSTEMS = ("tmpfs", "ramfs")

DESCRIPTION = """
Says how long a sync takes on the disk of a directory: an appended record and
fdatasync(2), timed as runners do before each result. Removes its files. With
-O, 'ubench_report answer' on that file and others compares your disk with the
one where they were measured."""
EXAMPLE = "ubench_report disk -O out.jsonl /var/lib/mysql"

TOOK = "A sync takes {time} in '{folder}' ({disk}); medians of {count} runs: {least} to {most}."
TOOK_ON_UNKNOWN = "A sync takes {time} in '{folder}'; medians of {count} runs: {least} to {most}."
IN_MEMORY = "'{folder}' is in memory ({disk}), and a power cut loses all of it."
TRY = "For results of another disk: ubench_report answer --sync={time} FILE"


@dataclass(frozen=True)
class Timing:
    """How long syncs took in some runs."""

    medians_s: tuple[float, ...]
    disk: str  # "ext4 on vda"; "" if not known
    file_system: str


def make_parser(program: str) -> cli.Parser:
    """Return the parser of the command's options."""
    parser = cli.Parser(program, "[OPTION]... DIR", DESCRIPTION, example=EXAMPLE)
    add_output(parser, "append the runs to FILE, for 'ubench_report answer'")
    parser.add_argument("folders", nargs="*", help=cli.HIDDEN)
    return parser


def run(options: argparse.Namespace, complain: Complain) -> int:
    """Run the command; return the exit status."""
    if len(options.folders) != 1:
        raise UsageError(
            f"{len(options.folders)} directories were given, expected one; try: "
            "ubench_report disk /var/lib/mysql"
        )
    folder = options.folders[0]
    runner = paths.runner("memfile")
    if not runner.is_file():
        raise Problem(f"{runner} is missing, which times the syncs; run make")
    timing = time_syncs(folder, runner, Path(options.output) if options.output else None)
    print_timing(timing, folder, Output())
    return 0


def time_syncs(folder: str, runner: Path, output: Path | None) -> Timing:
    """Time the syncs in a directory, in a few runs. Raises Problem."""
    with own_directory(folder) as own:
        lines = own / "lines.jsonl"
        for _ in range(TIMES):
            run_once(runner, own, lines)
        observations = reader.read_records([str(lines)], refuse).observations
        if output is not None:
            append(output, lines.read_text(encoding="utf-8").splitlines())
    times_ns = [each.baselines.fdatasync_ns for each in observations]
    known = tuple(time / 1e9 for time in times_ns if time)
    if len(known) < TIMES:
        raise Problem(f"'{plain(folder)}': syncs cannot be timed there; expected a local directory")
    last = observations[-1]
    return Timing(known, disk_name(last), last.host.get("file_system", ""))


def refuse(source: Source, why: str) -> None:
    """Raise Problem for a line of the runner that cannot be used."""
    raise Problem(f"memfile_ubench: {why}")


@contextlib.contextmanager
def own_directory(folder: str) -> Iterator[Path]:
    """Make a directory in a directory, and remove it at the end, also of a program that is ended.

    Raises Problem if it cannot be made.
    """
    own = None
    try:
        with signals.held():
            own = make_directory(folder)
        yield own
    finally:
        if own:
            shutil.rmtree(own, ignore_errors=True)


def make_directory(folder: str) -> Path:
    """Make a new directory in a directory, and return it. Raises Problem."""
    try:
        return Path(tempfile.mkdtemp(prefix="ubench-disk.", dir=folder)).absolute()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "not the name of a directory"
        raise Problem(f"'{plain(folder)}': {why}; expected a directory to write in") from None


def run_once(runner: Path, folder: Path, output: Path) -> None:
    """Let the runner time some syncs in a directory and append its line to a file.

    The line has the names of files as they are typed, so none has a path. Raises Problem.
    """
    words = ["-n", "1", "-s", "no", "-v", "no", "-f", "leases", "-O", output.name]
    words += ["--label", f"role={DISK_ROLE}"]
    try:
        done = subprocess.run(
            [str(runner), *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=RUN_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Problem(f"memfile_ubench did not end within {RUN_S} s") from None
    except OSError as error:
        raise Problem(f"{runner}: {error.strerror}") from None
    if done.returncode != 0:
        why = done.stderr.strip().splitlines()
        raise Problem(plain(why[-1]) if why else "memfile_ubench failed")


def print_timing(timing: Timing, folder: str, out: Output) -> None:
    """Print how long a sync took, and what to do with it."""
    form = TOOK if timing.disk else TOOK_ON_UNKNOWN
    time_s = median(timing.medians_s)
    out.note(
        form.format(
            time=shown(time_s),
            folder=plain(folder),
            disk=timing.disk,
            count=len(timing.medians_s),
            least=shown(min(timing.medians_s)),
            most=shown(max(timing.medians_s)),
        )
    )
    if timing.file_system in MEMORY_FILE_SYSTEMS:
        out.note(IN_MEMORY.format(folder=plain(folder), disk=timing.file_system))
        return
    out.note(TRY.format(time=as_option(time_s)))


def shown(time_s: float) -> str:
    """Return a time for people."""
    return units.time(time_s * 1e9)


def as_option(time_s: float) -> str:
    """Return a time as --sync takes it: "1.64ms"."""
    return f"{time_s * 1e3:.3g}ms"
