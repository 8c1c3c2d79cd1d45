# SPDX-License-Identifier: ISC
"""Each command of the pages is run as it is written, in a copy of the tree with private servers,
or LEFT_OUT says why not: then its program is asked whether it takes these options.  What a
page shows of the output is there."""
import functools
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import textwrap
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
BIN = Path(os.environ["BIN"]).resolve()
PAGES = [TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted(TOP.glob("docs/*.md"))]
LEFT_OUT = (
    (r"/(bench|deps)\.sh|apt-get", "installs packages"),
    (r"^make|^git|/test\.sh", "builds, or runs this test"),
    (r"/distro\.sh|/databases|UBENCH_DISTRO", "makes roots of other releases"),
    (r"--(standbys|nodes|group|delay)|MYSQL2_PORT|standby-", "faults/clusters.sh does it"),
    (r"kea_copy", "faults/mysql.sh and faults/pgsql.sh do it"),
    (r"kea_ubench -o type|\.sh kea &&", "faults/kea.sh does it"),
    (r"db\.example|east,west|kea_scratch", "needs other machines, or a Kea that is at work"),
    (r"/opt/kea|libreal|slow\.c|\$library", "makes copies of the installed Kea"),
    (r"/(duel|dhcp|crash|sweep) (?!.*--dry-run)", "takes minutes, and has tests of its own"),
    (r"[.h] kea\.jsonl|prepared\.jsonl|(own|storm|nightly|servers)\.jsonl$|dhcp/results|/ledger",
     "needs what these leave"),
    (r"predict kea\.jsonl|--(duration|find-rate|reconnect)|-n (1M|[25]0k|100k)|-R 5|storm --cl|"
     r"duel_errors|l_ubench -n 10k$|memfile_ubench -w dora -n 10k", "takes too long"),
)
ONLY_LOOK = {"sweep": "--dry-run", "crash": "--list"}  # what else looks at all options


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
                word = line.split(" ")[0]
                is_text = line != "" and (is_text or not (shutil.which(word) or re.search(
                    "[/=]|^(#|for$|export$|eval$|sudo$|patchelf$)", word)))
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
    """Yields the words of each of ubench's programs in a command."""
    for name, value in (("\\\n", " "), ("$w", "renew"), ("$t", "1")):
        command = command.replace(name, value)
    part, words = [], shlex.shlex(command, posix=True, punctuation_chars=";&|")
    words.whitespace_split = True
    for word in [*words, "--"]:
        if word in ("--", ";", "&&", "|", "do"):
            if re.search(r"(^|/)(\w+_ubench|dhcp|sweep|crash|duel|agents)$", "".join(part[:1])):
                name = Path(part[0]).name
                folder = "./" if name.endswith("_ubench") else "scripts/"
                yield [folder + name, *part[1:], ONLY_LOOK.get(name, "--help")]
            part = []
        elif part or word not in ("sudo", "taskset", "-c", "0"):
            part.append(word)


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
            shutil.copy(path, self.tree)
        report = self.tree / "ubench_report"
        report.write_text((TOP / "report/launcher.py").read_text().replace("@LIBRARY@", "."))
        report.chmod(0o755)
        shutil.copy(TOP / "results/sweep-2026-11.jsonl", self.tree / "out.jsonl")

    def test_commands(self):
        if not (shutil.which("kea-admin") and (BIN / "kea_ubench").exists()):
            self.skipTest("Kea is not installed, or kea_ubench is not built")
        self.addCleanup(self.ask, "scripts/servers.sh", "stop")
        used = set()
        known = functools.cache(lambda program: self.ask(program, "--help", "all").stdout)
        for page in PAGES:
            script, found = [], list(commands(page))
            for number, (command, _) in enumerate(found):
                reasons = {row for row in LEFT_OUT if re.search(row[0], command)}
                used |= reasons
                for words in looks(command) if reasons else ():
                    with self.subTest(page=page.name, words=words):
                        said = self.ask(*words)
                        self.assertEqual(said.returncode, 0, said.stdout)
                        for option in re.findall(r"\s(--[a-z][-a-z]*)", " ".join(words)):
                            self.assertIn(option, known(words[0]))
                if not reasons:
                    script.append(f"{{ {command}}} </dev/null >{number}.said 2>&1; "
                                  f"echo $? >>{number}.said")
            if script:
                start = 'scripts/servers.sh start && eval "$(scripts/servers.sh env)" || exit'
                said = self.ask("sh", "-c", "\n".join([start, *script]))
                self.assertEqual(said.returncode, 0, said.stdout)
            for path in self.tree.glob("*.said"):
                with self.subTest(page=page.name, command=found[int(path.stem)][0]):
                    self.judge(*found[int(path.stem)], path.read_text().split("\n"))
                path.unlink()
        self.assertEqual(used, set(LEFT_OUT))

    def judge(self, command, shown, said):
        self.assertEqual(said[-2], "0", "\n".join(said))
        shown = [line for line in shown if line not in ("", "...")]
        if " results/" in command:  # the same each time
            rest = iter(said)
            self.assertEqual([line for line in shown if line not in rest], [])
        else:
            self.assertLessEqual({line.split(" ")[0] for line in shown if line[0].isalpha()},
                                 {line.split(" ")[0] for line in said})

    def test_readme_is_short_and_links_lead_somewhere(self):
        self.assertLessEqual(len(PAGES[0].read_text().splitlines()), 150)
        for page in [*TOP.glob("*.md"), *PAGES, *TOP.glob("results/*.md")]:
            for link in re.findall(r"\]\(([^)#:]+)[)#]", page.read_text()):
                self.assertTrue((page.parent / link).exists(), f"{page.name}: no {link}")


if __name__ == "__main__":
    unittest.main()
