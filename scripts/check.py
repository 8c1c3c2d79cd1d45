#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Checks the sources as a whole: rules of this project, and what tools complain of.

Prints each complaint as "not ok CHECK: ...", and ends with "N passed, N failed, 0 skipped".
The exit status is 1 if a check failed.

Tools of which the version matters are those of scripts/check-tools.txt; pip puts them into
build/tools where the machine has no such version. A check is left out if its tool cannot be had.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
TOOLS = TOP / "build" / "tools"
PINNED = TOP / "scripts" / "check-tools.txt"
PROSE_RULES = TOP / "scripts" / "prose-rules.txt"

MOST_FILES = 25  # of code in a directory
MOST_COLUMNS = 100
MOST_LINES = 60  # of a function
C_SUFFIXES = (".c", ".h", ".cc", ".hh")
CODE_SUFFIXES = (*C_SUFFIXES, ".py", ".js", ".css", ".sh")

# Who may include whom in C: the named directories and one's own; a directory below a named one
# has to be named, too.
C_LAYERS = {
    "core": (),
    "lease": ("core",),
    "measure": ("core",),
    "store": ("core", "lease"),
    "store/sql": ("core", "lease", "store"),
    "store/server": ("core", "lease", "store", "store/sql"),
    "load": ("core", "lease", "measure", "store"),
    "runner": ("core", "lease", "measure", "store", "load"),
    "demand": ("core", "lease"),
    "hook": ("core",),
    "link": ("core",),
    "disk": ("core",),
}
A_STORE_MAY_INCLUDE = ("core", "lease", "store", "store/sql", "store/server")
# Kea's lease managers work in the files and databases of other stores.
KEA_MAY_INCLUDE = (*A_STORE_MAY_INCLUDE, "store/memfile", "store/mysql", "store/pgsql")

# Who may import whom in python/ubench. Modules at its top are below all packages.
PYTHON_LAYERS = {
    "kea_config": (),
    "records": (),
    "stats": (),
    "report": ("kea_config", "records", "stats"),
    "run": ("records",),
    "campaigns": ("records", "stats", "report", "run"),
    "dhcp": ("kea_config", "records", "stats", "report", "run"),
}
# Modules that import inside a function: a program that loads the chosen command alone, and
# libraries that only some users have.
LATE_IMPORTS = (
    "report/program.py",
    "report/page/document.py",
    "report/site/documents.py",
    "run/progress.py",
)


@dataclass(frozen=True)
class Source:
    """A file of the sources: its path below the top, and its language by its suffix."""

    path: Path
    suffix: str

    @property
    def is_test(self) -> bool:
        """True if it belongs to the tests."""
        return "tests" in self.path.parts

    @property
    def lines(self) -> list[str]:
        """Its lines without their ends."""
        return (TOP / self.path).read_text(encoding="utf-8", errors="replace").splitlines()


class ToolMissingError(Exception):
    """A tool is neither installed nor can pip provide it."""


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program at the top of the sources and keep its output."""
    return subprocess.run(
        list(map(str, command)), cwd=TOP, capture_output=True, text=True, check=False
    )


def sources() -> list[Source]:
    """Return all files that git knows or would add; without git, all in the folders of sources."""
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard").stdout
    paths = [Path(name) for name in listed.splitlines()] or [
        path.relative_to(TOP)
        for folder in ("ubench", "python", "scripts", ".ci")
        for path in (TOP / folder).rglob("*")
    ]
    return [
        Source(path, suffix_of(path))
        for path in paths
        if (TOP / path).is_file() and path.parts[0] != "build"
    ]


def suffix_of(path: Path) -> str:
    """Return the suffix of a file; of a script without one, that of its language."""
    if path.suffix or path.parts[0] not in ("scripts", ".ci"):
        return path.suffix
    with open(TOP / path, encoding="utf-8", errors="replace") as file:
        first = file.readline()
    if "python" in first:
        return ".py"
    return ".sh" if first.startswith("#!") else ""


# ---- Rules of this project


def check_directories(files: list[Source]) -> Iterator[str]:
    """Yield each directory with too many files of code. Those of tests are lists."""
    counts: dict[Path, int] = {}
    for file in files:
        if file.suffix in CODE_SUFFIXES and not file.is_test:
            counts[file.path.parent] = counts.get(file.path.parent, 0) + 1
    for folder, count in sorted(counts.items()):
        if count > MOST_FILES:
            yield f"{folder}: {count} files of code, more than {MOST_FILES}"


def check_columns(files: list[Source]) -> Iterator[str]:
    """Yield each line that is too long, except in shell tests, which quote SQL statements."""
    for file in files:
        if file.is_test and file.suffix == ".sh":
            continue
        if file.suffix in CODE_SUFFIXES or file.path.name == "Makefile":
            for number, line in enumerate(file.lines, 1):
                if len(line.expandtabs(4)) > MOST_COLUMNS:
                    yield f"{file.path}:{number}: {len(line)} columns"


def check_fragments(files: list[Source]) -> Iterator[str]:
    """Yield each comment that is a fragment of a sentence: "Of ...", "That ..."."""
    for file in files:
        if file.suffix in CODE_SUFFIXES or file.path.name == "Makefile":
            for number, line in enumerate(file.lines, 1):
                if re.search(r'(/\*|#|""") ?(Of|That|Those) ', line):
                    yield f"{file.path}:{number}: {line.strip()}"


def check_functions(files: list[Source]) -> Iterator[str]:
    """Yield each function that is too long. Tests are exempt: a table of cases counts as one."""
    for file in files:
        if file.is_test:
            continue
        if file.suffix == ".py":
            yield from long_python_functions(file)
        elif file.suffix in (".c", ".cc"):
            yield from long_c_functions(file)


def long_python_functions(file: Source) -> Iterator[str]:
    """Yield the functions of a file in Python that are too long."""
    for node in ast.walk(ast.parse("\n".join(file.lines))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > MOST_LINES:
                yield f"{file.path}:{node.lineno}: {node.name} has {length} lines"


def long_c_functions(file: Source) -> Iterator[str]:
    """Yield the functions of a file in C that are too long: from a brace at the margin on."""
    begun = 0
    for number, line in enumerate(file.lines, 1):
        if line == "{":
            begun = number
        elif line == "}" and begun:
            if number - begun > MOST_LINES:
                yield f"{file.path}:{begun}: a function of {number - begun} lines"
            begun = 0


def c_layer(name: str) -> str:
    """Return the layer of a file below ubench/: "load", "store/sql"."""
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] == "store" and len(parts) > 2 else parts[0]


def c_includes(files: list[Source]) -> dict[str, list[str]]:
    """Return the headers of ubench that each file includes, by names below ubench/."""
    includes = {}
    for file in files:
        if file.path.parts[0] == "ubench" and file.suffix in C_SUFFIXES and not file.is_test:
            matches = (re.match(r'#include "([\w/.]+\.h)"', line) for line in file.lines)
            name = str(file.path.relative_to("ubench"))
            includes[name] = [match[1] for match in matches if match]
    return includes


def check_c_layers(files: list[Source]) -> Iterator[str]:
    """Yield each include that goes upward, and each circle."""
    includes = c_includes(files)
    yield from c_upward(includes, "includes")
    yield from circles(includes, "includes")


def check_c_calls(files: list[Source]) -> Iterator[str]:
    """Yield each call that goes upward, and each circle. A header belongs to its source."""
    calls = c_calls(files)
    yield from c_upward(calls, "calls")
    yield from circles(calls, "calls")


def c_upward(uses: dict[str, list[str]], verb: str) -> Iterator[str]:
    """Yield each use of a file that is not in a layer below."""
    for name, used in sorted(uses.items()):
        own = c_layer(name)
        allowed = C_LAYERS.get(own, A_STORE_MAY_INCLUDE if own.startswith("store/") else None)
        if own == "store/kea":
            allowed = KEA_MAY_INCLUDE
        for other in used:
            if allowed is not None and other in uses and c_layer(other) not in (own, *allowed):
                yield f"ubench/{name} {verb} {other}, which is not in a layer below"


# A function that other files can call: its name at the margin, with what follows its parameters.
C_FUNCTION = re.compile(
    r"^(?!static\b|typedef\b)[a-z_][\w \*]*\b(\w+)\([^;{}]*\)[^;{}()]*(;|\n\{)", re.MULTILINE
)
C_NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def c_calls(files: list[Source]) -> dict[str, list[str]]:
    """Return the units whose functions each unit calls. A unit is a source with its header.

    A function is that of the unit in the folder of the header that declares it, and the caller
    includes that header, itself or through another one.
    """
    includes = c_includes(files)
    texts = {
        name: C_NOT_CODE.sub("", (TOP / "ubench" / name).read_text(encoding="utf-8"))
        for name in includes
    }
    declared = {name: set[str]() for name in includes}
    defined: dict[tuple[Path, str], str] = {}
    for name, text in texts.items():
        for function, end in C_FUNCTION.findall(text):
            if end == ";":
                declared[name].add(function)
            else:
                defined[Path(name).parent, function] = c_unit(name)
    calls: dict[str, set[str]] = {c_unit(name): set() for name in includes}
    for name, text in texts.items():
        called = set(re.findall(r"\b(\w+)\(", "\n".join(re.findall(r"^[ \t].*$", text, re.M))))
        for header in reachable(name, includes):
            for function in called & declared[header]:
                owner = defined.get((Path(header).parent, function))
                if owner and owner != c_unit(name):
                    calls[c_unit(name)].add(owner)
    return {unit: sorted(called) for unit, called in calls.items()}


def c_unit(name: str) -> str:
    """Return the source and the header of a name: "load/engine" for "load/engine.h"."""
    return str(Path(name).with_suffix(""))


def reachable(name: str, uses: dict[str, list[str]]) -> set[str]:
    """Return all that a file uses, itself or through others."""
    found: set[str] = set()
    left = [name]
    while left:
        for other in uses.get(left.pop(), []):
            if other in uses and other not in found:
                found.add(other)
                left.append(other)
    return found


def circles(uses: dict[str, list[str]], verb: str) -> Iterator[str]:
    """Yield each circle in a graph of files."""
    done: set[str] = set()

    def visit(name: str, way: list[str]) -> Iterator[str]:
        if name in way:
            yield f"{verb} in a circle: " + " ".join([*way[way.index(name) :], name])
        elif name not in done:
            for other in uses.get(name, []):
                yield from visit(other, [*way, name])
            done.add(name)

    for name in sorted(uses):
        yield from visit(name, [])


def check_python_layers(files: list[Source]) -> Iterator[str]:
    """Yield each import of python/ubench that goes upward or stands in a function, and circles."""
    root = Path("python/ubench")
    modules = {
        ".".join(file.path.relative_to("python").with_suffix("").parts).removesuffix(".__init__"):
        file
        for file in files
        if file.suffix == ".py" and root in file.path.parents
    }
    uses: dict[str, list[str]] = {}
    for name, file in sorted(modules.items()):
        tree = ast.parse("\n".join(file.lines))
        imports = list(imported_modules(tree, modules))
        uses[name] = imports
        own = python_layer(name)
        for other in imports:
            layer = python_layer(other)
            if own in PYTHON_LAYERS and layer not in ("", own, *PYTHON_LAYERS[own]):
                yield f"{file.path} imports {other}, which is not in a layer below"
            if not own and layer:
                yield f"{file.path} imports {other}; modules at the top import none of a package"
        if str(file.path.relative_to(root)) not in LATE_IMPORTS:
            yield from late_imports(file, tree)
    yield from circles(uses, "imports")


def python_layer(module: str) -> str:
    """Return the layer: of "ubench.report.table" "report", of "ubench.units" "" (the lowest)."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in PYTHON_LAYERS else ""


def imported_modules(tree: ast.Module, known: Iterable[str]) -> Iterator[str]:
    """Yield the modules of ubench that a module imports when it is loaded."""
    names = set(known)
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            submodules = [f"{node.module}.{alias.name}" for alias in node.names]
            inner = [name for name in submodules if name in names]
            yield from inner
            if node.module in names and len(inner) < len(submodules):
                yield node.module


def late_imports(file: Source, tree: ast.Module) -> Iterator[str]:
    """Yield the imports inside functions."""
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for node in ast.walk(function):
                if isinstance(node, (ast.Import, ast.ImportFrom)):
                    yield f"{file.path}:{node.lineno}: an import inside {function.name}"


# ---- Tools


def tool(name: str, program: str = "") -> Path:
    """Return the path of a pinned tool of check-tools.txt. Raises ToolMissingError.

    Its program has the name of the package unless `program` says otherwise.
    """
    pins = dict(
        line.split("==") for line in PINNED.read_text().splitlines() if not line.startswith("#")
    )
    installed = shutil.which(program or name)
    if installed and pins[name] in run(installed, "--version").stdout:
        return Path(installed)
    stamp = TOOLS / "pins.txt"
    if not stamp.exists() or stamp.read_text() != PINNED.read_text():
        shutil.rmtree(TOOLS, ignore_errors=True)
        made = run(sys.executable, "-m", "venv", TOOLS)
        if made.returncode == 0:
            made = run(TOOLS / "bin" / "pip", "install", "--quiet", "--requirement", PINNED)
        if made.returncode != 0:
            raise ToolMissingError(f"{name} {pins[name]} is not installed, and pip cannot get it")
        stamp.write_text(PINNED.read_text())
    return TOOLS / "bin" / (program or name)


def complaints(*command: str | Path) -> list[str]:
    """Return the lines that a tool prints if it is not content."""
    done = run(*command)
    if done.returncode == 0:
        return []
    return (done.stdout + done.stderr).splitlines() or [f"exit status {done.returncode}"]


def check_clang_format(files: list[Source]) -> list[str]:
    """Return the lines of C that are not in the layout of .clang-format."""
    paths = [file.path for file in files if file.suffix in (".c", ".h")]
    return complaints(tool("clang-format"), "--dry-run", "-Werror", *paths)


def check_ruff(files: list[Source]) -> list[str]:
    """Return the rules of pyproject.toml for Python."""
    paths = [file.path for file in files if file.suffix == ".py"]
    return complaints(
        tool("ruff"), "check", "--quiet", "--no-cache", "--output-format=concise", *paths
    )


def check_mypy(_files: list[Source]) -> list[str]:
    """Return the types of python/ubench, strictly."""
    return complaints(tool("mypy"), "--no-error-summary", "--cache-dir", TOP / "build" / "mypy")


def check_shellcheck(files: list[Source]) -> list[str]:
    """Return the scripts of the shell."""
    if shutil.which("shellcheck") is None:
        raise ToolMissingError("shellcheck is not installed")
    return complaints("shellcheck", *(file.path for file in files if file.suffix == ".sh"))


def check_workflows(files: list[Source]) -> Iterator[str]:
    """Check the workflows of GitHub and GitLab and the compose file by their schemas.

    Those of GitHub also by actionlint, where it is installed.
    """
    github = [file.path for file in files if file.path.parts[:2] == (".github", "workflows")]
    gitlab = [file.path for file in files if file.path.name == ".gitlab-ci.yml"]
    compose = [file.path for file in files if file.path.name == "compose.yaml"]
    schemas = (("github-workflows", github), ("gitlab-ci", gitlab), ("compose-spec", compose))
    for schema, paths in schemas:
        builtin = f"vendor.{schema}"
        yield from complaints(tool("check-jsonschema"), "--builtin-schema", builtin, *paths)
    if shutil.which("actionlint"):
        yield from complaints("actionlint", *github)


def check_codespell(files: list[Source]) -> list[str]:
    """Return the spelling of documents and sources."""
    texts = (*CODE_SUFFIXES, ".md", ".txt", ".html", ".toml")
    paths = [file.path for file in files if file.suffix in texts]
    return complaints(tool("codespell"), *paths)


def check_prose(files: list[Source]) -> Iterator[str]:
    """Yield what harper, a linter for English, complains of in documents.

    It names a file without its directory, so files of one name are judged one after another.
    """
    left = [file.path for file in files if file.suffix == ".md"]
    while left:
        batch = {path.name: path for path in reversed(left)}
        left = [path for path in left if path not in batch.values()]
        done = run(
            tool("harper-cli", "harper"),
            *("lint", "--format=json", "--quiet", "--dialect=gb"),
            f"--ignore={','.join(prose_rules())}",
            *batch.values(),
        )
        yield from re.findall("^Warning: .*", done.stderr, re.MULTILINE)
        for document in json.loads(done.stdout):
            for lint in document["lints"]:
                yield (
                    f"{batch[document['file']]}:{lint['line']}: {lint['rule']}: {lint['message']} "
                    f"({lint['matched_text']!r})"
                )


def prose_rules() -> list[str]:
    """Return the rules that do not hold for the documents."""
    lines = PROSE_RULES.read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith(("#", " "))]


CHECKS: tuple[tuple[str, Callable[[list[Source]], Iterable[str]]], ...] = (
    ("directories", check_directories),
    ("columns", check_columns),
    ("fragments", check_fragments),
    ("functions", check_functions),
    ("layers of C", check_c_layers),
    ("calls of C", check_c_calls),
    ("layers of Python", check_python_layers),
    ("clang-format", check_clang_format),
    ("ruff", check_ruff),
    ("mypy", check_mypy),
    ("shellcheck", check_shellcheck),
    ("workflows", check_workflows),
    ("codespell", check_codespell),
    ("prose", check_prose),
)


def main() -> int:
    """Run all checks; return the exit status.

    What takes a tool that pip cannot get is left out: the sources can be right without it.
    """
    files = sources()
    passed = failed = 0
    for name, check in CHECKS:
        try:
            complained = list(check(files))
        except ToolMissingError as error:
            print(f"left out: {name}: {error}")
            continue
        for line in complained:
            print(f"not ok {name}: {line}")
        if complained:
            failed += 1
        else:
            print(f"ok {name}")
            passed += 1
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
