# SPDX-License-Identifier: ISC
"""Each command of the pages is run, in a copy of the tree with private servers, as it is written
or as SHORTER has it; or LEFT_OUT says why not: then its words are read as its program reads them.
What a page shows of the output is there."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
BIN = Path(os.environ["BIN"]).resolve()
# README is the last one, since it makes the servers' user and database anew.
PAGES = [TOP / "CONTRIBUTING.md", *sorted(TOP.glob("docs/*.md")), *sorted(TOP.glob("results/*.md")),
         TOP / "README.md"]
LEFT_OUT = (
    (r"/(bench|deps)\.sh|apt-get", "installs packages"),
    (r"^make|^git|/test\.sh", "builds, or runs this test"),
    (r"/distro\.sh|/databases|UBENCH_DISTRO", "makes roots of other releases"),
    (r"--(standbys|nodes|group|delay)\b|MYSQL2_PORT|standby-", "faults/clusters.sh does it"),
    (r"kea_copy", "faults/mysql.sh and faults/pgsql.sh do it"),
    (r"^\./kea_ubench -o type|servers kea &&|run pgsql|stats \\", "faults/kea.sh does it"),
    (r"compare .*Kea", "needs a Kea that was measured on this machine"),
    (r"/opt/", "needs two builds of Kea"),
    (r"planted", "builds a library"),
    (r"/(dhcp|crash) |duel .*@|-r 5", "takes minutes, and has tests of its own"),
)
# How a command is made short, and what stands for another machine and for a shell of its own.
SHORTER = (
    (r"scripts/duel (?s:.*)", lambda found: "env -u UBENCH_MYSQL_HOST -u UBENCH_MYSQL_PORT "
     f"scripts/duel --slice 20ms --rounds 1 --time 1s {'--no-null ' * ('mysql' in found[0])}"
     + re.sub(r"-w \w+", r"\g<0> --preload 500", found[0][13:])),
    (r"--time \d+m", "--time 1s"),
    (r"/sweep (?!--dry)", "/sweep -r 1 "),
    (r"-r 9", ""),
    (r"-m db\.example\.net((?s:.*))-n 10k",
     r"-m $UBENCH_MYSQL_HOST -P $UBENCH_MYSQL_PORT --preload 2k\1-n 20000"),
    # The runs above it were made too short to count.
    (r"(report answer.*) out\.jsonl", r"\1 results/reference-2026-11.jsonl"),
    (r"-n (1M|\d+0k)", "-n 1k"),
    (r"--find-rate --duration \d+s", "--find-rate --duration 100ms --preload 1k"),
    (r"--duration \d+s", "--duration 500ms"),
    (r"storm --clients 5k", "storm --clients 200"),
    (r"/dev/shm", "$MEMORY"),
    (r"duel_errors.py 2000", "duel_errors.py 1"),
)
# SQL of README is given to this: its user and database take the place of those of the servers.
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
# How the words of a script are read by itself; those of runners in a duel are printed.
READ = """import runpy, sys
sys.path.insert(0, "scripts")
own, words = runpy.run_path(sys.argv[1]), sys.argv[2:]
if "read_campaign" not in own:
    (own.get("read_options") or own["read_command"])(words)
else:
    campaign = words[-1].startswith("@")
    for one in own["read_campaign"](words) if campaign else [own["read_options"](words)]:
        for side in own["plan_sides"](*one):
            place = own["runner_in"](side.words)
            print(own["os"].path.basename(side.words[place]),
                  own["shlex"].join(side.words[place + 1:]))
"""


def commands(page):
    """Yields each command of a page, with the lines that are shown as its output."""
    for block in re.findall(r"(?:^ {4,}.*\n|^\n(?= {4}))+", page.read_text(), re.MULTILINE):
        lines = textwrap.dedent(block).strip("\n").split("\n")
        shown = any(line.startswith("$ ") for line in lines)
        command, output, is_text = "", [], False
        for line in lines:
            if not command and shown and not line.startswith("$ "):
                output.append(line)
                continue
            if not command:
                line = line[2 * shown:]
                if page == PAGES[-1] and re.match("(CREATE|GRANT) .*;$", line):
                    line = f'admin "{line}"'
                word = line.split(" ")[0]
                is_text = line != "" and (is_text or not (shutil.which(word) or re.search(
                    "[/=]|^(#|for$|export$|eval$|sudo$|admin$)", word)))
                if is_text or line[:1] in ("", "#"):
                    assert re.search("^[#A-Z1]|^$|  | = ", line), f"{page}: text, or what? {line}"
                    continue
            command += line + "\n"
            end = re.search(r"<<'(\w+)'", command)
            if not (line.endswith("\\") or end and line != end[1] or subprocess.run(
                    ["sh", "-nc", command], capture_output=True, check=False).returncode):
                output = []
                yield command, output
                command = ""
        assert not command, f"{page}: no end: {command}"


def looks(command):
    """Yields words that read those of each of ubench's programs in a command."""
    for name, value in (("\\\n", " "), ("$w", "renew"), ("$t", "1"), ("$delay", "1ms")):
        command = command.replace(name, value)
    part, words = [], shlex.shlex(command, posix=True, punctuation_chars=";&|")
    words.whitespace_split = True
    for word in [*words, ";"]:
        if word not in (";", "&&", "||", "|", "do"):
            part += [word] if part or word not in ("sudo", "taskset", "-c", "0", "1") else []
            continue
        name = Path(part[0]).name if part else ""
        if name in ("crash", "duel"):  # python/tests/test_dhcp_options.py has those of dhcp
            yield [sys.executable, "-c", READ, f"scripts/{name}", *part[1:]]
        elif name == "sweep":
            yield ["scripts/sweep", *part[1:], "--dry-run"]
        elif name.endswith("_ubench"):
            yield ["./" + name, *part[1:], "--help"]
        part = []


class Recipes(unittest.TestCase):
    def ask(self, *words):
        return subprocess.run(words, cwd=self.tree, env=self.environment, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)

    def setUp(self):
        self.tree = Path(tempfile.mkdtemp(dir="/var/tmp"))  # on a disk
        self.addCleanup(shutil.rmtree, self.tree)
        self.tree.chmod(0o755)
        self.environment = {name: value for name, value in os.environ.items()
                            if not re.match("UBENCH|BIN$|PG|MYSQL", name)}
        self.environment["HOME"] = str(self.tree)
        # Nothing here loses its power: no sync is waited for.
        self.environment["UBENCH_SERVERS_PRELOAD"] = "libeatmydata.so"
        if not self.ask("env", "LD_PRELOAD=libeatmydata.so", "true").stdout:
            self.environment["LD_PRELOAD"] = "libeatmydata.so"
        for name in ("scripts", "report"):
            shutil.copytree(TOP / name, self.tree / name)
        for name in ("results", "schema", "ubench"):
            (self.tree / name).symlink_to(TOP / name)
        for path in BIN.glob("*_ubench"):
            for folder in (".", "build/baseline", "build/kea-a", "build/kea-b"):
                (self.tree / folder).mkdir(parents=True, exist_ok=True)
                shutil.copy(path, self.tree / folder)
        report = self.tree / "ubench_report"
        report.write_text((TOP / "scripts/launcher.py").read_text().replace("@LIBRARY@", "."))
        report.chmod(0o755)
        (self.tree / "build/dhcp").mkdir()
        shutil.copy(TOP / "results/dhcp-3.0-2026-11.jsonl", self.tree / "build/dhcp/results.jsonl")
        self.environment["MEMORY"] = tempfile.mkdtemp(dir="/dev/shm")
        self.addCleanup(shutil.rmtree, self.environment["MEMORY"])

    def test_commands(self):
        if not (shutil.which("kea-admin") and (BIN / "kea_ubench").exists()):
            self.skipTest("Kea is not installed, or kea_ubench is not built")
        self.addCleanup(self.ask, "scripts/servers", "stop")
        used = set()
        for page in PAGES:
            script, found = [], list(commands(page))
            for number, (command, _) in enumerate(found):
                reasons = {row for row in LEFT_OUT if re.search(row[0], command)}
                used |= reasons
                for words in looks(command) if reasons else ():
                    with self.subTest(page=page.name, words=words):
                        said = self.ask(*words)
                        self.assertEqual(said.returncode, 0, said.stdout)
                        for line in {*said.stdout.splitlines()} if READ in words else ():
                            said = self.ask("sh", "-c", f"./{line} --help")
                            self.assertEqual(said.returncode, 0, said.stdout)
                if not reasons:
                    for row in SHORTER:
                        used |= {row} if re.search(row[0], command) else set()
                        command = re.sub(*row, command)
                    if "-f ubench" in command:
                        command += command.replace("mysql", "pgsql").replace("MYSQL", "PGSQL")
                    script.append(f"{{ {command}}} </dev/null >{number}.said 2>&1; "
                                  f"echo $? >>{number}.said")
            if script:
                start = 'scripts/servers start && eval "$(scripts/servers env)" || exit'
                said = self.ask("sh", "-c", "\n".join([ADMIN + start, *script]))
                self.assertEqual(said.returncode, 0, said.stdout)
            for path in self.tree.glob("*.said"):
                with self.subTest(page=page.name, command=found[int(path.stem)][0]):
                    self.judge(*found[int(path.stem)], path.read_text().split("\n"))
                path.unlink()
        self.assertEqual(used, {*LEFT_OUT, *SHORTER})

    def judge(self, command, shown, said):
        gate = "--not-worse-than" in command
        self.assertIn(said[-2], ("0", "4", "5") if gate else ("0",), "\n".join(said))
        shown = [line for line in shown if line not in ("", "...")]
        if " results/" in command:  # the same each time
            rest = iter(said)
            self.assertEqual([line for line in shown if line not in rest], [])
        elif not any(line.startswith("INVALID") for line in said):  # as on a busy machine
            self.assertLessEqual({line.split(" ")[0] for line in shown if line[0].isalpha()},
                                 {line.split(" ")[0] for line in said})

    def test_readme_is_short_and_links_lead_somewhere(self):
        readme = PAGES[-1].read_text().splitlines()
        self.assertLessEqual(len(readme), 120)
        self.assertEqual([line for line in readme if len(line) > 80 and line[0] not in " |"], [])
        for page in [*TOP.glob("*.md"), *PAGES]:
            for link, anchor in re.findall(r"\]\(([^)#:]*)#?([^):]*)\)", page.read_text()):
                path = page.parent / link if link else page
                self.assertTrue(path.exists(), f"{page.name}: no {link}")
                if anchor:
                    self.assertIn(anchor, self.anchors(path), f"{page.name}: {link}")

    def anchors(self, page):
        return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
                for heading in re.findall("^#+ (.*)", page.read_text(), re.MULTILINE)}


if __name__ == "__main__":
    unittest.main()
