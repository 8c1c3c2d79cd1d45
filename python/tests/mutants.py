#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Counts which random mutants of python/ubench and of C's line the tests kill.

The mutants are made in a copy of HEAD, in build/mutants, one after the other. For a module, the
tests run that have its name or import it, and those of its folder; for C, the units of the runner
and of core, the command lines, and what reads the lines. Tests that are not done within TIMEOUT_S
count as failed. A test that killed a mutant but also fails without one is left out, and its mutants
are tried again. The survivors are to be read: some are equivalent to the program.

With --folders the mutants are of all C in these folders of ubench/, and all units, the command
lines and what reads the lines run.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mutations import Mutation, mutations_of

TOP = Path(__file__).resolve().parents[2]
MUTANTS = TOP / "build" / "mutants"
# What writes the line of a run. Mutants of it are a quarter of all.
C_FILES = (
    "ubench/runner/json/result_json.c", "ubench/runner/json/json_phase.c",
    "ubench/runner/json/json_open_loop.c", "ubench/runner/json/describe.c",
    "ubench/core/durability.c", "ubench/core/json.c",
)  # fmt: skip
C_SHARE = 0.25
LEFT_OUT_OF_C = ("ranks_mpi.c",)  # only runners with MPI have it
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "count_tests")
UNITS = ("build/release/tests/units",)
C_TESTS = (
    [*UNITS, "runner/", "core/"],
    [*PYTEST, "-m", "not servers", "python/tests/records/test_border.py",
     "python/tests/records/test_described.py"],
    [*PYTEST, *(f"ubench/tests/cli/test_{name}.py"
                for name in ("lines", "runs", "exchange_files", "digests", "turns", "help"))],
)  # fmt: skip
# The same for whole folders, the quickest first.
FOLDER_TESTS = (
    [*UNITS, "load/", "measure/", "runner/", "core/"],
    *C_TESTS[1:],
    [*PYTEST, *(f"ubench/tests/cli/test_{name}.py" for name in ("refusals", "replay", "files"))],
    ["sh", "-c", "HELPERS=build/release/tests ubench/tests/run.sh . ubench/tests/cli/run.sh"],
)  # fmt: skip
C_TARGETS = (
    "null_ubench", "memfile_ubench", "sqlite_ubench", "ubench_leases", "ubench_report",
    "build/describe.json", "build/release/tests/units",
)  # fmt: skip
# Tests that need minutes: a mutant meets them only where there are no others.
SLOW = ("test_page", "test_public_site", "test_dhcp_machine", "test_losses")
TIMEOUT_S = 600


class Copy:
    """A copy of HEAD, which is mutated."""

    def __init__(self, tests_of_c: Sequence[Sequence[str]]) -> None:
        self.tests_of_c = tests_of_c
        self.path = MUTANTS / "tree"
        if not self.path.exists():
            MUTANTS.mkdir(parents=True, exist_ok=True)
            subprocess.run(["git", "clone", "-q", "--shared", TOP, self.path], check=True)
        head = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=TOP, check=True, capture_output=True, text=True
        ).stdout.strip()
        subprocess.run(["git", "fetch", "-q"], cwd=self.path, check=True)
        subprocess.run(["git", "checkout", "-qf", head], cwd=self.path, check=True)
        self.environment = {
            **os.environ,
            "BIN": str(self.path),
            "PYTHONPATH": str(self.path / "ubench/tests/lib"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.left_out: list[str] = []  # tests that fail without a mutant

    def run(self, command: Sequence[str | Path]) -> bool:
        """True if a command succeeds in the copy, in its time."""
        with (MUTANTS / "log").open("wb") as log:
            process = subprocess.Popen(
                ["nice", "-n", "19", *command], cwd=self.path, env=self.environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
            try:
                return process.wait(TIMEOUT_S) == 0
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
                return False

    def build(self) -> bool:
        """True if the runners and their units can be built."""
        jobs = f"-j{os.cpu_count()}"
        return self.run(["make", "-s", jobs, "CFLAGS=-O1", *C_TARGETS])

    def killer(self, mutation: Mutation) -> str:
        """The test that kills a mutation, or "compiler" or "time"; "" if it survives."""
        path = self.path / mutation.path
        original = path.read_text("utf-8")
        path.write_text(mutation.applied(original), "utf-8")
        try:
            if mutation.path.suffix == ".c":
                return self._killer_of_c(mutation.path)
            tests = tests_of(self.path, mutation.path)
            return self._failed_test([*PYTEST, *tests]) if tests else ""
        finally:
            path.write_text(original, "utf-8")

    def _killer_of_c(self, path: Path) -> str:
        if not self.build():
            return "compiler"
        folder = path.relative_to("ubench").parent
        has_units = any((self.path / "ubench/tests/unit" / folder).glob("test_*.c"))
        # The units beside it are the quickest.
        tests = [[*UNITS, f"{folder}/"]] * has_units + [*self.tests_of_c]
        return next((name for each in tests if (name := self._failed_test(each))), "")

    def _failed_test(self, command: Sequence[str]) -> str:
        """The first test that fails; "time" if none came to its end, "" if all pass."""
        if command[0] == sys.executable:
            command = [*command, "-x", *(f"--deselect={name}" for name in self.left_out)]
        return "" if self.run(command) else next(iter(self.failed_tests()), "time")

    def failed_tests(self) -> list[str]:
        """The tests that failed in the last command."""
        lines = (MUTANTS / "log").read_text("utf-8", "replace").splitlines()
        form = re.compile(r"(?:FAILED|ERROR) (.*?)(?: - .*)?$|\[  FAILED  \] (\w+)$")
        return [match[1] or match[2] for line in lines if (match := form.match(line))]

    def leave_out_faulty(self, killers: Iterable[str]) -> set[str]:
        """Leave out, and return, those of these tests that fail without a mutant."""
        tests = sorted({killer for killer in killers if "::" in killer} - set(self.left_out))
        if not self.build() or not tests or self.run([*PYTEST, *tests]):
            return set()
        faulty = set(self.failed_tests()) & set(tests)
        self.left_out += sorted(faulty)
        return faulty


# ---- Which tests see a module


def tests_of(top: Path, path: Path) -> list[str]:
    """The files of tests for a module: those of its name, those that import it, its folder's."""
    module = ".".join(path.with_suffix("").parts[1:]).removesuffix(".__init__")
    package, _, name = module.rpartition(".")
    imported = re.compile(
        rf"from {re.escape(module)} import|from {re.escape(package)} import .*\b{name}\b"
    )
    tests = sorted((top / "python/tests").rglob("test_*.py"))
    ranked = []
    for test in tests:
        if test.stem in (f"test_{name}", f"test_{package.rpartition('.')[2]}_{name}"):
            rank = 0
        elif imported.search(test.read_text("utf-8")):
            rank = 1
        elif test.parent.name in package.split("."):
            rank = 2
        else:
            continue
        ranked.append((rank, test.stem in SLOW, str(test.relative_to(top))))
    fast = [each for each in ranked if not each[1]] or ranked
    return [name for _, _, name in sorted(fast)]


# ---- The choice


def choose(draw: random.Random, top: Path, files: Sequence[str], count: int) -> list[Mutation]:
    """Some mutations of these files, all equally likely."""
    every: list[Mutation] = []
    for name in files:
        every += mutations_of(Path(name), (top / name).read_text("utf-8"))
    return draw.sample(every, min(count, len(every)))


def mutations(
    top: Path, seed: int, count: int, folders: Sequence[str] = ()
) -> Iterator[Mutation]:
    """The mutations of a seed, of the sources in a tree: of folders of ubench/, or of the usual."""
    draw = random.Random(seed)
    if folders:
        files = [
            str(path.relative_to(top))
            for folder in folders
            for path in sorted((top / "ubench" / folder).rglob("*.c"))
            if path.name not in LEFT_OUT_OF_C
        ]
        yield from choose(draw, top, files, count)
        return
    python = [str(path.relative_to(top)) for path in sorted((top / "python/ubench").rglob("*.py"))]
    of_c = round(C_SHARE * count)
    yield from choose(draw, top, python, count - of_c)
    yield from choose(draw, top, C_FILES, of_c)


def main() -> int:
    """Report each mutant, and how many were killed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="of the choice of mutants [1]")
    parser.add_argument("--count", type=int, default=60, help="of mutants [60]")
    parser.add_argument("--folders", default="", help="of C: load,measure,runner")
    parser.add_argument("--list", action="store_true", help="only print the mutants")
    parser.add_argument("--only", choices=(".py", ".c"), default="", help="mutants of a language")
    options = parser.parse_args()
    folders = options.folders.split(",") if options.folders else []
    if options.list:
        print(*mutations(TOP, options.seed, options.count, folders), sep="\n")
        return 0
    copy = Copy(FOLDER_TESTS if folders else C_TESTS)
    chosen = [
        each
        for each in mutations(copy.path, options.seed, options.count, folders)
        if each.path.suffix.endswith(options.only)
    ]
    if not copy.build():
        sys.exit(f"the copy in {copy.path} cannot be built: see {MUTANTS}/log")
    killers: dict[Mutation, str] = {}
    due = chosen
    while due:
        for mutation in due:
            killer = killers[mutation] = copy.killer(mutation)
            fate = "killed" if killer else "SURVIVED"
            print(f"{chosen.index(mutation) + 1:3} {fate}: {mutation}  {killer}", flush=True)
        faulty = copy.leave_out_faulty(killers.values())
        for test in faulty:
            print(f"left out, as it fails without a mutant: {test}", flush=True)
        due = [mutation for mutation in due if killers[mutation] in faulty]
    killed = sum(killer != "" for killer in killers.values())
    print(f"{killed} of {len(chosen)} mutants killed ({100 * killed / max(len(chosen), 1):.0f} %)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
