#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""check.py: what holds for the sources as a whole.

At most 25 files of code in a directory, no line above 100 columns, no comment that begins
with "What" or "Of", no function above 60 lines, includes that go downward and in no circle,
and shellcheck and ruff without a complaint.
Ends with "N passed, N failed, N skipped"; exit status 1 if one failed.
"""

import ast
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
CODE = (".c", ".h", ".cc", ".hh", ".py", ".js", ".css", ".sh")
C = (".c", ".h", ".cc", ".hh")

# Who may include whom: those named and oneself; a directory below a named one, too.
LAYERS = {
    "core": [], "lease": ["core"], "measure": ["core"], "store": ["core", "lease"],
    "store/sql": ["core", "lease", "store"],
    "store/server": ["core", "lease", "store", "store/sql"],
    "load": ["core", "lease", "measure", "store"],
    "runner": ["core", "lease", "measure", "store", "load"],
    "hook": ["core"], "link": ["core"], "disk": ["core"],
}
STORE_LAYERS = ["core", "lease", "store", "store/sql", "store/server"]


def tracked():
    """The files of the sources."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                            cwd=TOP, capture_output=True, text=True, check=False).stdout
    paths = [Path(name) for name in listed.splitlines()] or [
        path.relative_to(TOP) for folder in ("ubench", "report", "scripts", ".ci")
        for path in (TOP / folder).rglob("*")]
    return [path for path in paths if (TOP / path).is_file() and path.parts[0] != "build"]


def read(path):
    """The lines of a file."""
    return (TOP / path).read_text(encoding="utf-8", errors="replace").splitlines()


def is_test(path):
    """Whether it is of the tests."""
    return "tests" in path.parts


def kind_of(path):
    """Its ending; a script without one has that of its language."""
    if path.suffix or path.parts[0] != "scripts" and path.parts[0] != ".ci":
        return path.suffix
    first = (read(path) or [""])[0]
    return ".py" if "python" in first else ".sh" if first.startswith("#!") else ""


def check_folders(paths):
    """Yields each directory that has too many files of code."""
    count = {}
    for path in paths:
        if kind_of(path) in CODE:
            count[path.parent] = count.get(path.parent, 0) + 1
    for folder, files in sorted(count.items()):
        if files > 25:
            yield f"{folder}: {files} files of code, more than 25"


def check_columns(paths):
    """Yields each line that is too long, but in shell of tests, where statements of SQL are."""
    for path in paths:
        if is_test(path) and kind_of(path) == ".sh":
            continue
        if kind_of(path) in CODE or path.name in ("Makefile", "run") and "docs" not in path.parts:
            for number, line in enumerate(read(path), 1):
                if len(line.expandtabs(4)) > 100:
                    yield f"{path}:{number}: {len(line)} columns"


def check_words(paths):
    """Yields each comment that is a fragment: "Of ...", "What ..."."""
    for path in paths:
        if kind_of(path) in CODE or path.name == "Makefile":
            for number, line in enumerate(read(path), 1):
                if re.search(r'(/\*|#|""") ?(Of|What|That|Those) ', line):
                    yield f"{path}:{number}: {line.strip()}"


def check_functions(paths):
    """Yields each function that is too long; in C, what is between braces at the margin."""
    for path in paths:
        if is_test(path): # a table of cases counts as one
            continue
        if kind_of(path) == ".py":
            tree = ast.parse("\n".join(read(path)))
            for node in ast.walk(tree):
                if (isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                        and node.end_lineno - node.lineno >= 60):
                    yield f"{path}:{node.lineno}: {node.name} has more than 60 lines"
        elif path.suffix in (".c", ".cc"):
            begun = 0
            for number, line in enumerate(read(path), 1):
                if line == "{":
                    begun = number
                elif line == "}" and begun:
                    if number - begun > 60:
                        yield f"{path}:{begun}: a function of {number - begun} lines"
                    begun = 0


def layer_of(name):
    """The layer of a file below ubench/."""
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] == "store" and len(parts) > 2 else parts[0]


def check_includes(paths):
    """Yields each include that goes upward, and each circle."""
    includes = {}
    for path in paths:
        if path.parts[0] == "ubench" and path.suffix in C and not is_test(path):
            name = str(path.relative_to("ubench"))
            includes[name] = [m[1] for line in read(path)
                              if (m := re.match(r'#include "([\w/.]+\.h)"', line))]
    for name, included in sorted(includes.items()):
        own = layer_of(name)
        allowed = LAYERS.get(own, STORE_LAYERS if own.startswith("store/") else None)
        if own == "store/kea": # it works in the others' files and databases
            allowed = [*STORE_LAYERS, "store/memfile", "store/mysql", "store/pgsql"]
        for other in included:
            layer = layer_of(other)
            if allowed is not None and other in includes and layer not in [own, *allowed]:
                yield f"ubench/{name} includes {other}, which is no layer below"
    done = set()

    def circle(name, way):
        if name in way:
            yield "includes in a circle: " + " ".join([*way[way.index(name):], name])
        elif name not in done:
            for other in includes.get(name, []):
                yield from circle(other, [*way, name])
            done.add(name)
    for name in sorted(includes):
        yield from circle(name, [])


def complaints(command, files):
    """The lines that a program prints of files, or None if there is no such program."""
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run([*command, *map(str, files)], cwd=TOP, capture_output=True, text=True,
                          check=False)
    return (done.stdout + done.stderr).splitlines() or ["it failed"] if done.returncode else []


def check_python(paths):
    """The lines of ruff or, without it, of pyflakes."""
    files = [path for path in paths if kind_of(path) == ".py"]
    said = complaints(["ruff", "check", "-q", "--no-cache", "--output-format", "concise"], files)
    if said is not None:
        return said
    said = complaints(["python3", "-m", "pyflakes"], files)
    return [line for line in said if "No module named" not in line]


def main():
    """Checks everything; returns the exit status."""
    warnings.simplefilter("error") # of Python, on the sources that it parses
    paths = tracked()
    shell = [path for path in paths if kind_of(path) == ".sh"]
    passed = failed = skipped = 0
    for name, found in (
            ("directories", check_folders(paths)),
            ("columns", check_columns(paths)), ("words", check_words(paths)),
            ("functions", check_functions(paths)), ("includes", check_includes(paths)),
            ("python", check_python(paths)), ("shellcheck", complaints(["shellcheck"], shell))):
        if found is None:
            print(f"skip: {name}: it is not installed")
            skipped += 1
            continue
        found = list(found)
        print("\n".join(f"{name}: {line}" for line in found) or f"ok {name}")
        passed += not found
        failed += bool(found)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
