# SPDX-License-Identifier: ISC
"""agents with null_ubench: one run from several hosts, failures, signals."""
import glob
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]
NULL = f"{os.environ['BIN']}/null_ubench"
# A stand-in for ssh that notes how it was called.
SSH = """#!/bin/sh
[ "$2" != down ] || { echo "ssh: connect to host $2: Connection refused" >&2; exit 255; }
echo "$1 $2" >>ssh.log
exec sh -c "$3"
"""


class Agents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        ssh = Path(self.folder, "fake-ssh")
        ssh.write_text(SSH)
        ssh.chmod(0o755)
        self.environment = {**os.environ, "TMPDIR": self.folder,
                            "AGENT_SSH": f"{ssh} -x"}

    def agents(self, *words):
        done = subprocess.run([SCRIPTS / "agents", *words], cwd=self.folder, text=True,
                              env=self.environment, capture_output=True, check=False)
        return done.returncode, done.stderr

    def left(self):
        return glob.glob(f"{self.folder}/ubench-agents*")

    def test_two_hosts_do_one_run(self):
        # An hour to answer, so that no machine is too slow.
        status, said = self.agents(
            "-O", "all.jsonl", "local,east", "--", NULL, "-t", "2", "-w", "renew", "--rate",
            "50", "--duration", "3s", "--deadline", "1h", "--preload", "100", "--label",
            "what=it's 1")
        self.assertEqual((status, said), (0, ""))
        line = json.loads(Path(self.folder, "all.jsonl").read_text())
        trial = line["runs"][0]["trials"][0]
        self.assertEqual(
            (line["parameters"]["threads"], line["labels"],
             [part["host"] for part in line["parts"]], trial["rate_per_s"], trial["failed"]),
            ("2", {"what": "it's 1"}, ["local", "east"], 50, 0))
        self.assertNotIn("part", line["parameters"])
        self.assertEqual(Path(self.folder, "ssh.log").read_text(), "-x east\n")
        self.assertEqual(self.left(), [])

    def test_where_one_part_fails_all_end(self):
        Path(self.folder, "wrong").write_text("#!/bin/sh\necho wrong answer >&2\nexit 3\n")
        Path(self.folder, "wrong").chmod(0o755)
        day = [NULL, "-t", "2", "-n", "100M", "-w", "renew"]
        for hosts, command, wanted, words in (
                ("local,down", day, 1, ["down: ssh: connect to host down",
                                        "down: part 2 ended with exit status 255"]),
                ("local,local", ["./wrong"], 3, ["local: wrong answer"]),
                ("local,local", ["./missing"], 1, ["missing: not found",
                                                   "part 2 ended with exit status 127"]),
                ("local,local", [NULL, "-n", "0"], 2, ["--count: 0 is outside"]),
                ("local,local", [NULL, "-n", "10"], 2, ["--threads: 1 "])):
            with self.subTest(command):
                status, said = self.agents(hosts, "--", *command)
                self.assertEqual(status, wanted, said)
                for word in words:
                    self.assertEqual(said.count(word), 1, said)
                self.assertNotIn("cancel", said)
                self.assertEqual(self.left(), [])

    def test_signals_end_all_parts(self):
        for victim, number, wanted in (("script", signal.SIGINT, 130),
                                       ("script", signal.SIGTERM, 143),
                                       ("part", signal.SIGKILL, 1),
                                       ("script", signal.SIGKILL, -9)):
            with self.subTest(f"{victim} {number}"):
                script = subprocess.Popen(
                    [SCRIPTS / "agents", "local,local,local", "--", NULL, "-t", "3", "-w",
                     "renew", "--rate", "3", "--duration", "24h"], env=self.environment,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                parts = self.parts_of(script)
                os.kill(script.pid if victim == "script" else parts[1], number)
                self.assertEqual(script.wait(), wanted)
                end = time.monotonic() + 600
                while any(map(runs, parts)) and time.monotonic() < end:
                    time.sleep(0.05)
                self.assertFalse(any(map(runs, parts)))

    def parts_of(self, script):
        """The three parts, when all of them are runners that wait for their day to end."""
        end = time.monotonic() + 600
        while time.monotonic() < end:
            children = Path(f"/proc/{script.pid}/task/{script.pid}/children").read_text()
            parts = [int(word) for word in children.split()]
            if len(parts) == 3 and all(map(runs, parts)):
                return parts
            time.sleep(0.05)
        self.fail("the parts do not start")
        return []


def runs(pid):
    """Whether a process is a runner."""
    try:
        return b"null_ubench" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main()
