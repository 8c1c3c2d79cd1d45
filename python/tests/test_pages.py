# SPDX-License-Identifier: ISC
"""Every command of the pages works: README, CONTRIBUTING, docs/ and the reports in results/.

Commands run as they are written, in a copy of the tree with private servers. SHORTER makes some of
them shorter. Those of NOT_RUN are only read, each by the program that it names. What a page shows
of the output has to be there, and its links have to lead somewhere.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import ROOT, cannot_run

from ubench import paths
from ubench.campaigns import crash, duel_options, sweep_plan, where
from ubench.dhcp import request as dhcp_request
from ubench.run import servers_program

README = ROOT / "README.md"
PAGES = [
    ROOT / "CONTRIBUTING.md",
    *sorted(ROOT.glob("docs/*.md")),
    *sorted(ROOT.glob("results/*.md")),
    README,
]
README_LINES, README_COLUMNS = 120, 80
DOCS_WORDS = 15000

# Commands that are not run, and why.
NOT_RUN = (
    (r"/(bench|deps)\.sh|apt-get", "installs packages"),
    (r"^make|^git|/test\.sh", "builds, or runs this test"),
    (r"/distro\.sh|/databases|UBENCH_DISTRO", "makes root directories of other releases"),
    (r"--(standbys|nodes|group|delay)\b|MYSQL2_PORT|standby-", "faults/clusters.sh does it"),
    (r"mpirun|netns|server0|client0|/key\b", "cli/test_ranks.py does it, without ssh"),
    (r"kea_copy", "faults/mysql.sh and faults/pgsql.sh do it"),
    (r"^\./kea_ubench -o type|servers kea &&|run pgsql|stats \\", "faults/kea.sh does it"),
    (r"kea-leases", "report/test_demand.py does it"),
    (r"report contribute", "report/test_contribute.py does it"),
    (r"compare .*Kea", "needs a Kea that was measured on this machine"),
    (r"/opt/", "needs two builds of Kea"),
    (r"planted", "builds a library"),
    (r"--valgrind", "campaigns/test_instructions.py does it"),
    (r"/(dhcp|crash) |duel .*@|-r 5", "takes minutes, and has tests of its own"),
)
# What makes other commands short, or stands for another machine.
SHORTER = (
    (r"/sweep (?!--dry)", "/sweep -r 1 "),
    (r"-r 9", ""),
    (r"scripts/where", "scripts/where --time 3s"),
    (
        r"-m db\.example\.net((?s:.*))-n 10k",
        r"-m $UBENCH_MYSQL_HOST -P $UBENCH_MYSQL_PORT --preload 2k\1-n 10000",
    ),
    # The runs above this command were too short to count.
    (r"(report answer.*) out\.jsonl", r"\1 results/reference-2026-11.jsonl"),
    (r"-n (1M|\d+0k)", "-n 1k"),
    (r"--find-rate --duration \d+s", "--find-rate --duration 100ms --preload 1k"),
    (r"--duration \d+s", "--duration 500ms"),
    (r"storm --clients 5k", "storm --clients 200"),
    (r"/dev/shm", "$MEMORY"),
    (r"duel_errors.py 2000", "duel_errors.py 1"),
)
DUEL = "scripts/duel"
SERVERS = re.compile(r"mysql|pgsql|psql|servers")
# Words that begin a command. Other paragraphs of a block are text.
COMMAND = re.compile(
    r"\S*[/=]|(#|for|export|eval|sudo|make|git|gcc|apt-get|printf|psql|mysql|taskset)\b"
)
SQL = re.compile(r"(CREATE|GRANT) .*;$")
# The SQL of README goes to this shell function. The user and the database that it makes replace
# those of the private servers.
ADMIN = """admin() {
    unset UBENCH_MYSQL_PASSWORD UBENCH_PGSQL_PASSWORD
    case $1 in
    *OWNER*) echo "ALTER DATABASE ubench RENAME TO other; ALTER ROLE ubench RENAME TO other; $1" |
        psql -v ON_ERROR_STOP=1 "$UBENCH_PGSQL_ADMIN" ;;
    *USER*) mysql --defaults-file="$UBENCH_MYSQL_ADMIN_FILE" \
        -e "DROP DATABASE ubench; DROP USER ubench; $1" ;;
    *) mysql --defaults-file="$UBENCH_MYSQL_ADMIN_FILE" -e "$1" ;;
    esac
}
"""
REPORT = """#!/usr/bin/env python3
import sys
sys.path.insert(0, {package!r})
from ubench.report.program import main
sys.exit(main())
"""


# ---- The commands of a page


@dataclass
class Command:
    """A command of a page, and the lines that the page shows as its output."""

    text: str
    shown: list[str] = field(default_factory=list)


def paragraphs(page: Path) -> Iterator[list[str]]:
    """Yields the paragraphs of all indented blocks; a transcript is a single one."""
    for block in re.findall(r"(?:^ {4,}.*\n|^\n(?= {4}))+", page.read_text(), re.MULTILINE):
        text = textwrap.dedent(block).strip("\n")
        parts = [text] if re.search(r"^\$ ", text, re.MULTILINE) else text.split("\n\n")
        yield from (part.split("\n") for part in parts)


def commands(page: Path) -> Iterator[Command]:
    """Yields the commands of a page in their order."""
    for lines in paragraphs(page):
        if any(line.startswith("$ ") for line in lines):
            yield from transcript(lines)
        elif SQL.match(lines[0]):
            yield from (Command(f'admin "{line}"') for line in lines)
        elif COMMAND.match(lines[0]):
            yield from (Command(text) for text in complete(lines))


def transcript(lines: Sequence[str]) -> Iterator[Command]:
    """Yields each command behind a "$ ", with the lines below it."""
    command = Command("")
    for line in lines:
        if line.startswith("$ "):
            if command.text:
                yield command
            command = Command(line[2:] + "\n")
        else:
            command.shown.append(line)
    yield command


def complete(lines: Sequence[str]) -> Iterator[str]:
    """Yields commands, each with all the lines that it takes, without those of comments."""
    text = ""
    for line in lines:
        if not text and line.startswith("#"):
            continue
        text += line + "\n"
        check = subprocess.run(["sh", "-nc", text], capture_output=True, check=False)
        if not line.endswith("\\") and check.returncode == 0:
            yield text
            text = ""
    assert not text, f"a command without an end: {text}"


def reasons(text: str) -> list[str]:
    """Returns why a command is not run."""
    return [reason for pattern, reason in NOT_RUN if re.search(pattern, text)]


def shorten(text: str) -> str:
    """Returns a command that takes no longer than a few seconds."""
    if DUEL in text:
        before, words = text.split(DUEL, 1)
        words = re.sub(r"-w \w+", r"\g<0> --preload 3k", words)
        words = re.sub(r"--time \d+[sm]", "", words)
        single = " --no-null" if "mysql" in text else ""
        text = (
            f"{before}env -u UBENCH_MYSQL_HOST -u UBENCH_MYSQL_PORT {DUEL} --slice 20ms "
            f"--rounds 1 --time 1s{single}{words}"
        )
    for pattern, replacement in SHORTER:
        text = re.sub(pattern, replacement, text)
    return text


# ---- Commands that are only read


def words_of_programs(text: str) -> Iterator[list[str]]:
    """Yields the words of each program of ubench that a command starts."""
    for variable, value in (("\\\n", " "), ("$w", "renew"), ("$delay", "1ms")):
        text = text.replace(variable, value)
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    words: list[str] = []
    for word in [*lexer, ";"]:
        if word not in (";", "&&", "||", "|", "do"):
            words.append(word)
            continue
        while words and words[0] in ("sudo", "taskset", "-c", "0", "1"):
            words.pop(0)
        if words:
            yield words
        words = []


def read_single_duel(words: Sequence[str]) -> list[duel_options.DuelRequest]:
    """Reads a duel that is not of a set."""
    return [duel_options.read_request(words)]


def read(words: Sequence[str], tree: Tree) -> None:
    """Lets the program that a command names read its words; raises if it refuses them."""
    name = Path(words[0]).name
    if name == "duel":
        is_set = words[-1].startswith("@")
        read_all = duel_options.read_set if is_set else read_single_duel
        for request in read_all(words[1:]):
            for command in request.commands:
                tree.read_runner(command)
    elif name == "dhcp":
        dhcp_request.read_request(words[1:])
    elif name == "servers":
        servers_program.read_request(words[1:])
    elif name == "sweep":
        sweep_plan.read_plan(words[1:])
    elif name == "where":
        tree.read_runner(where.read_request(words[1:]).command)
    elif name == "crash":
        crash.read_plan(words[1:])
    elif name.endswith("_ubench"):
        tree.read_runner(words)


# ---- The tree in which they run


@dataclass(frozen=True)
class Tree:
    """A copy of the checkout, and the environment of its commands."""

    folder: Path
    environment: Mapping[str, str]

    def run(self, words: Sequence[str]) -> str:
        """Runs a command and returns what it prints; fails the test if it fails."""
        done = subprocess.run(
            words,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout}"
        return done.stdout

    def read_runner(self, words: Sequence[str]) -> None:
        """Lets a runner read the options behind its name, if there is one among the words."""
        names = [Path(word).name for word in words]
        for place, name in enumerate(names):
            if name.endswith("_ubench"):
                self.run([f"./{name}", *words[place + 1 :], "--help"])
                return


@pytest.fixture
def tree(programs: Path, server_folder: Path, tmp_path: Path) -> Iterator[Tree]:
    """A copy of the checkout on a disk, with the programs that are built."""
    if not (programs / "kea_ubench").exists() or not shutil.which("kea-admin"):
        cannot_run("Kea is not installed, or kea_ubench is not built")
    folder, memory = server_folder, Path("/dev/shm") / server_folder.name
    memory.mkdir()
    for name in ("scripts", "python"):
        shutil.copytree(ROOT / name, folder / name, symlinks=True)
    for name in ("docs", "results", "schema", "ubench"):
        (folder / name).symlink_to(ROOT / name)
    for place in (".", "build/baseline", "build/kea-a", "build/kea-b", "build/dhcp"):
        (folder / place).mkdir(parents=True, exist_ok=True)
    for path in programs.glob("*_ubench"):
        for place in (".", "build/baseline", "build/kea-a", "build/kea-b"):
            (folder / place / path.name).symlink_to(path)
    description = paths.description_file()
    assert description is not None, "make writes build/describe.json"
    shutil.copy(description, folder / "build")
    shutil.copy(ROOT / "results/dhcp-3.0-2026-11.jsonl", folder / "build/dhcp/results.jsonl")
    report = folder / "ubench_report"
    report.write_text(REPORT.format(package=str(folder / "python")))
    report.chmod(0o755)
    made = Tree(folder, environment(folder, memory))
    yield made
    made.run(["scripts/servers", "stop"])
    shutil.rmtree(memory)


def environment(home: Path, memory: Path) -> dict[str, str]:
    """The environment of a shell of its own. No sync is waited for, as nothing loses its power."""
    variables = {
        name: value
        for name, value in os.environ.items()
        if not re.match("UBENCH|BIN$|PG|MYSQL", name)
    }
    library = "libeatmydata.so"
    variables |= {"HOME": str(home), "MEMORY": str(memory), "UBENCH_SERVERS_PRELOAD": library}
    check = subprocess.run(
        ["true"], env={**variables, "LD_PRELOAD": library}, capture_output=True, check=False
    )
    if not check.stderr:
        variables["LD_PRELOAD"] = library
    return variables


# ---- Tests


def page_name(page: Path) -> str:
    """Returns the name of a page in the checkout."""
    return str(page.relative_to(ROOT))


@pytest.mark.servers("mysql", "pgsql")
@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_run_and_print_what_is_shown(tree: Tree, page: Path) -> None:
    found = [command for command in commands(page) if not reasons(command.text)]
    script = [ADMIN]
    if any(SERVERS.search(command.text) for command in found):
        script.append('scripts/servers start && eval "$(scripts/servers env)" || exit')
    for number, command in enumerate(found):
        text = shorten(command.text)
        if "-f ubench" in text:  # README: write pgsql for mysql
            text += text.replace("mysql", "pgsql").replace("MYSQL", "PGSQL")
        script.append(
            f"{{ {text.rstrip()}\n}} </dev/null >{number}.out 2>&1; echo $? >>{number}.out"
        )
    tree.run(["sh", "-c", "\n".join(script)])
    outputs = [(tree.folder / f"{number}.out").read_text() for number in range(len(found))]
    wrong = [
        f"{command.text}{output}"
        for command, output in zip(found, outputs, strict=True)
        if not is_as_shown(command, output.splitlines())
    ]
    assert not wrong, "\n".join(wrong)


def is_as_shown(command: Command, printed: Sequence[str]) -> bool:
    """True if a command succeeded, as its last line says, and printed what its page shows."""
    statuses = ("0", "4", "5") if "--not-worse-than" in command.text else ("0",)
    if printed[-1] not in statuses:
        return False
    shown = [line for line in command.shown if line not in ("", "...")]
    if " results/" in command.text:  # it prints the same each time
        rest = iter(printed)
        return all(line in rest for line in shown)
    if any(line.startswith("INVALID") for line in printed):  # on a busy machine
        return True
    first_words = {line.split(" ")[0] for line in shown if line[0].isalpha()}
    return first_words <= {line.split(" ")[0] for line in printed}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_other_commands_are_read(tree: Tree, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.folder)
    for command in commands(page):
        if reasons(command.text):
            for words in words_of_programs(command.text):
                read(words, tree)


def test_rules_are_used() -> None:
    texts = [command.text for page in PAGES for command in commands(page)]
    run = [text for text in texts if not reasons(text)]
    for pattern, reason in NOT_RUN:
        assert any(re.search(pattern, text) for text in texts), reason
    for pattern, _ in SHORTER:
        assert any(re.search(pattern, text) for text in run), pattern


def test_readme_fits_two_screens() -> None:
    lines = README.read_text().splitlines()
    assert len(lines) <= README_LINES
    assert [line for line in lines if len(line) > README_COLUMNS and line[0] not in " |"] == []


def test_docs_are_short() -> None:
    assert sum(len(page.read_text().split()) for page in ROOT.glob("docs/*.md")) <= DOCS_WORDS


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=page_name)
def test_links_lead_somewhere(page: Path) -> None:
    for link, anchor in re.findall(r"\]\(([^)#:]*)#?([^):]*)\)", page.read_text()):
        path = page.parent / link if link else page
        assert path.exists(), link
        assert not anchor or anchor in anchors(path), f"{link}#{anchor}"


def anchors(page: Path) -> set[str]:
    """Returns the anchors of the headings of a page."""
    headings = re.findall("^#+ (.*)", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_files_of_results_are_listed() -> None:
    listed = subprocess.run(
        [ROOT / "results/list.py"], capture_output=True, text=True, check=True
    ).stdout
    assert listed in (ROOT / "results/README.md").read_text()
