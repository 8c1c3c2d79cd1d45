# SPDX-License-Identifier: ISC
"""The losses that the screen of `answer` reads from the lines of the runners, which write them here
in each of the settings that a class depends on."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
BIN = Path(os.environ["BIN"]).resolve()
sys.path.insert(0, str(TOP))
from report import results, rows, screen  # noqa: E402
from report.lines import former  # noqa: E402

# By server: the options of a run, and the key of what its changes can lose (screen.LOST).
FILES = {
    "memfile": (("-s yes", "power-safe"), ("-s no", "process-safe"), ("-s volatile", "volatile")),
    "sqlite": (("-s yes", "power-safe"), ("-s no", "process-safe"),
               ("-s process-safe", "process-safe"), ("-o journal_mode=memory", "volatile"),
               ("-o journal_mode=delete -o synchronous=normal", "bounded")),
}
SERVERS = {
    "pgsql": (("-s yes", "power-safe"), ("-s no", ""), ("-s yes -o unlogged=yes", "volatile"),
              ("-s no -o unlogged=yes", "volatile"), ("-s no -S kea", ""), ("-s no -6", "")),
    "pgsql -c full_page_writes=off": (("-s yes", "process-safe"), ("-s no", "volatile")),
    "pgsql -c fsync=off": (("-s yes", "process-safe"), ("-s no", "volatile")),
    "mysql": (("-s yes", "power-safe"), ("-s no", "bounded"), ("-s volatile", ""),
              ("-s volatile -S kea", ""), ("-s server -e MyISAM", "process-safe"),
              ("-s server -e MEMORY", "volatile")),
    "mysql --log-bin --binlog-format=ROW": (
        ("-s yes", "power-safe"), ("-s no", "bounded"), ("-s volatile", "")),
    "mysql --innodb-doublewrite=0": (("-s yes", "process-safe"), ("-s volatile", "volatile")),
}


class Losses(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(dir="/var/tmp"))  # on a disk
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder)

    def losses(self, store, cases, before=()):
        """The loss that the screen reads from each case; before: a command that runs a shell."""
        for path in self.folder.glob("*.jsonl"):
            path.unlink()
        lines = [f"{BIN}/{store}_ubench -v no -n 20 {options} -O {self.folder}/{number}.jsonl"
                 + (f" -f {self.folder}/{store}{number}" if not before else "")
                 for number, (options, _) in enumerate(cases)]
        said = subprocess.run([*before, "sh", "-ec", "\n".join(lines)], cwd=TOP, text=True,
                              capture_output=True, check=False, stdin=subprocess.DEVNULL)
        if said.returncode:
            return said.stderr
        found = [results.read_all([f"{self.folder}/{number}.jsonl"], self.fail)[0][0]
                 for number in range(len(cases))]
        return [(screen.loss_of(rows.Row([result])), result["durability"]["from"])
                for result in found]

    def judge(self, cases, found):
        self.assertIsInstance(found, list, found)
        for (options, wanted), (loss, said) in zip(cases, found):
            self.assertEqual(loss, wanted, f"{options}: {said}")

    def test_files(self):
        for store, cases in FILES.items():
            with self.subTest(store):
                self.judge(cases, self.losses(store, cases))

    def test_servers(self):
        os.environ["UBENCH_SERVERS"] = str(self.folder / "servers")
        self.addCleanup(os.environ.pop, "UBENCH_SERVERS")
        for server, cases in SERVERS.items():
            store = server.split(" ")[0]
            if not (BIN / f"{store}_ubench").exists():
                self.skipTest(f"{store}_ubench was not built")
            if subprocess.run(["scripts/servers.sh", "run", store, "true"], cwd=TOP, check=False,
                              capture_output=True).returncode:
                self.skipTest(f"no private server of {store} starts here")
            with self.subTest(server):
                self.judge(cases, self.losses(store, cases, ("scripts/servers.sh", "run", server)))

    def test_a_sentence_that_is_not_known_is_the_worst_of_its_class(self):
        """Former lines have nothing but sentences."""
        known = ("synchronous_commit=off, fsync=on, full_page_writes=on, "
                 "wal_sync_method=fdatasync, lease4 permanent: a killed backend takes the last "
                 "commits with it",
                 "innodb_flush_log_at_trx_commit=0, log_bin=OFF, the log is written once a second")
        for said in known:
            self.assertIsNotNone(former.BY_THE_CLOCK.fullmatch(said))
            words = said.split(" ")
            for i in range(len(words)):
                for other in ([*words[:i], "moreover", *words[i:]], words[:i] + words[i + 1:]):
                    self.assertIsNone(former.BY_THE_CLOCK.fullmatch(" ".join(other)), other)


if __name__ == "__main__":
    unittest.main()
