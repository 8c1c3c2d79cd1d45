# SPDX-License-Identifier: ISC
"""The stores in files leave files of others as they are."""

import json
import os
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile
import unittest
from contextlib import closing
from pathlib import Path

from programs import BIN, FILE_STORES, HANGS, Case, database, interrupted, run

ISC = """# The format of this file is documented in the dhcpd.leases(5) manual page.
# This lease file was written by isc-dhcp-4.4.3-P1
lease 1.0.0.0 {
  starts 0 2030/03/17 17:46:40;
}
"""
KEA = """address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state
1.0.0.0,02:00:00:00:00:01,,3600,1900003600,1,0,0,,0
"""
OTHERS = {"text": "somebody wrote this\n", "byte": "x", "zeros": "\0" * 100000, "isc": ISC,
          "kea.csv": KEA}
NOBODY = 65534
# A folder that may only be read, as root has no limits: as another user.
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


def reachable():
    """A folder in which another user can run a program, or None."""
    for base in (tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"):
        folder = Path(tempfile.mkdtemp(dir=base))
        folder.chmod(0o755)
        tried = shutil.copy("/bin/true", folder)
        if subprocess.run([*AS_NOBODY, tried], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0:
            return folder
        shutil.rmtree(folder)
    return None


def journals_of_another_database():
    """Journals of SQLite that hold pages of a database of three pages, and one of ours that
    somebody wrote something into."""
    magic = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
    page = struct.pack(">I", 1) + b"p" * 4096 + struct.pack(">I", 5)

    def header(start, records, pages):
        return (start + struct.pack(">IIIII", records, 7, pages, 512, 4096)).ljust(512, b"\0")

    yield magic + b" of another"
    yield header(magic, 1, 3) + page
    yield header(bytes(8), 0, 3) + page  # not synced
    yield bytes(512) + page              # journal_mode=PERSIST, after a commit
    yield header(magic, 0, 0) + page
    yield header(magic, 0, 3)


class Files(Case):
    """With each store in a file."""

    def stores(self):
        """Each of them."""
        for program in FILE_STORES:
            self.need(program)
            yield program

    def snapshot(self):
        """All that is in the folder."""
        return {path.name: (path.read_bytes(), path.stat().st_mtime_ns)
                for path in self.folder.iterdir()}

    def test_files_of_others_stay_as_they_are(self):
        """Databases, too; what is said of tables is in faults/ownership.sh."""
        for name, content in OTHERS.items():
            (self.folder / name).write_text(content)
        database(self.folder / "notes.db", "CREATE TABLE notes (text)",
                 "INSERT INTO notes VALUES (1)")
        database(self.folder / "number.db", "PRAGMA user_version = 5")
        for table in "lease4", "lease6":
            database(self.folder / (table + ".db"), f"CREATE TABLE {table} (address BLOB)")
        (self.folder / "link").symlink_to("text")
        before = self.snapshot()
        for program in self.stores():
            for name in before:
                for family in [], ["-6"]:
                    self.assertIn(name, self.refused(program, "-f", name, *family))
                    self.assertEqual(self.snapshot(), before)

    def stays(self, words, name):
        """It is refused in these words, and nothing in the folder is another."""
        before = self.snapshot()
        self.assertIn(f"'{name}': ubench did not create this and changed nothing: {words}",
                      self.refused("sqlite_ubench", "-f", name))
        self.assertEqual(self.snapshot(), before, words)

    def test_a_database_in_use_by_another(self):
        """In WAL mode, with its rows not yet in the database itself."""
        self.need("sqlite_ubench")
        with closing(sqlite3.connect(self.folder / "wal.db", isolation_level=None)) as other:
            for statement in ("PRAGMA journal_mode = WAL", "CREATE TABLE notes (text)",
                              "INSERT INTO notes VALUES (1)"):
                other.execute(statement)
            self.assertGreater((self.folder / "wal.db-wal").stat().st_size, 0)
            self.stays("it has no table 'ubench_marker'", "wal.db")
            self.assertEqual(other.execute("SELECT count(*) FROM notes").fetchone(), (1,))

    def test_files_that_sqlite_would_take_for_its_own_and_remove(self):
        self.need("sqlite_ubench")
        endings = [(ending, b"a shopping list") for ending in ("journal", "shm", "wal")]
        others = [("journal", content) for content in journals_of_another_database()]
        (self.folder / "empty.db").touch()
        for name, found in (("new.db", [*endings, *others]), ("empty.db", [*endings, *others]),
                            ("own.db", endings)):
            for ending, content in found:
                if name == "own.db":
                    self.verified("sqlite_ubench", "-f", name)
                beside = self.folder / f"{name}-{ending}"
                beside.write_bytes(content)
                self.stays(f"the file -{ending} beside it belongs to another database", name)
                beside.unlink()

    def test_what_is_no_file(self):
        (self.folder / "folder").mkdir()
        os.mkfifo(self.folder / "fifo")
        (self.folder / "link").symlink_to("nothing")
        for program in self.stores():
            for name in ("folder", "folder/", "fifo", "link", "missing/leases", "/dev/null",
                         "/dev/full"):
                self.assertIn(name, self.refused(program, "-f", name))
            self.assertEqual(sorted(os.listdir(self.folder)), ["fifo", "folder", "link"])

    def test_own_files_are_taken_again(self):
        for program in self.stores():
            for options in ([], ["-S", "kea", "-L", "guide", "--preload=500"], ["-b", "7"]):
                self.verified(program, "-f", "leases", "-s", "no", "-n", 200, *options)
            (self.folder / "leases").unlink()
            (self.folder / "leases").touch() # an empty one is nobody's
            self.verified(program, "-f", "leases", "-s", "no")
            (self.folder / "leases").unlink()

    def test_what_a_killed_run_left_is_taken_again(self):
        for program in self.stores():
            status, _ = interrupted(signal.SIGKILL, program, "-s", "no", "-n", "10M",
                                    cwd=self.folder)
            self.assertEqual(status, -signal.SIGKILL)
            self.verified(program, "-s", "no", "-n", 10)

    def test_runs_that_start_together_on_a_new_file(self):
        """One of them works, and each other one says that the file is in use."""
        for program in self.stores():
            for _ in range(10):
                runs = [subprocess.Popen([BIN / program, "-n", "500", "-s", "no", "-f", "leases"],
                                         cwd=self.folder, stdin=subprocess.DEVNULL, text=True,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                        for _ in range(4)]
                ends = [(run.communicate(timeout=HANGS)[1], run.returncode) for run in runs]
                self.assertIn(("", 0), ends)
                for text, status in ends:
                    if status != 0:
                        self.assertEqual(status, 1, text)
                        self.assertRegex(text, "is in use by another run of ubench|"
                                         "is in use by another process")
                (self.folder / "leases").unlink()

    def test_a_run_killed_at_any_call_leaves_a_file_that_is_taken_again(self):
        """On a new file, and on one that a killed run has left."""
        kill = ["strace", "-f", "-qq", "-o", "/dev/null", "-e"]
        if subprocess.run([*kill, "trace=none", "true"], stderr=subprocess.DEVNULL,
                          check=False).returncode != 0:
            print("left out: killed at any call: no process can be traced here")
            return
        for program in self.stores():
            interrupted(signal.SIGKILL, program, "-s", "no", "-n", "10M", "-f", "leases",
                        cwd=self.folder)
            killed = {name: content for name, (content, _) in self.snapshot().items()}
            for before in {}, killed:
                for call in "flock", "write", "pwrite64", "fdatasync", "unlink", "truncate":
                    self.kill_at_each(kill, call, before, program)
            for name in os.listdir(self.folder):
                (self.folder / name).unlink()

    def kill_at_each(self, kill, call, before, program):
        """At the first one, at the second one, and so on, always from the same files."""
        for number in range(1, 16):
            for name in os.listdir(self.folder):
                (self.folder / name).unlink()
            for name, content in before.items():
                (self.folder / name).write_bytes(content)
            done = subprocess.run([*kill, f"inject={call}:signal=SIGKILL:when={number}",
                                   BIN / program, "-s", "no", "-n", "1", "-f", "leases"],
                                  cwd=self.folder, capture_output=True, check=False)
            if done.returncode == 0:
                return
            left = {path.name: path.stat().st_size for path in self.folder.iterdir()}
            with self.subTest(program=program, call=call, number=number, left=left):
                self.verified(program, "-s", "no", "-n", 1, "-f", "leases")

    def test_levels(self):
        classes = {"no": "process-safe", "process-safe": "process-safe", "yes": "power-safe",
                   "power-safe": "power-safe"}
        in_memory = subprocess.run(["stat", "-f", "-c", "%T", self.folder], check=True,
                                   capture_output=True, text=True).stdout.strip() == "tmpfs"
        for program in self.stores():
            for level, wanted in classes.items():
                text = self.verified(program, "-s", level)
                if not in_memory:
                    self.assertIn("\n" + wanted + " ", text)
        text = self.verified("memfile_ubench", "-s", "volatile")
        self.assertIn("\nvolatile ", text)

    def test_a_version_that_may_corrupt_its_log(self):
        number = tuple(map(int, re.search(r"SQLite ([0-9.]+)",
                                          run("sqlite_ubench", "-V").stdout)[1].split(".")))
        bad = (3, 7, 0) <= number < (3, 51, 3) and not (
            (3, 44, 6) <= number < (3, 45) or (3, 50, 7) <= number < (3, 51))
        for options, meets_it in (((), False), (("-t", 2), bad),
                                  (("-t", 2, "-o", "journal_mode=truncate"), False)):
            text = " ".join(self.verified("sqlite_ubench", *options).split())
            self.assertEqual(f"SQLite {'.'.join(map(str, number))} may, in rare cases" in text,
                             meets_it, text)

    def test_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        ways = [way for way in (["unshare", "-m"], ["unshare", "-rm"])
                if subprocess.run([*way, "mount", "-t", "tmpfs", "none", disk], check=False,
                                  stderr=subprocess.DEVNULL).returncode == 0]
        if not ways:
            print("left out: full disk: no file system can be mounted here")
            return
        script = 'mount -t tmpfs -o "$0" none disk && exec "$@"'
        for program in self.stores():
            for options in "size=400k", "size=4k", "nr_inodes=1", "ro":
                line = self.folder / "out.jsonl"
                line.unlink(missing_ok=True)
                done = subprocess.run(
                    [*ways[0], "sh", "-c", script, options, BIN / program, "-s", "no", "-n",
                     "100k", "-f", "disk/leases", "-O", line, "--progress", "none"],
                    cwd=self.folder, capture_output=True, text=True, timeout=HANGS, check=False)
                self.assertEqual(done.returncode, 1, done)
                self.assertRegex(done.stderr, "disk/leases: .*([Ff]ull|No space|Read-only)")
                if options == "size=400k": # it fills up in the first phase
                    self.assertIn("incomplete", done.stdout)
                    result = json.loads(line.read_text())
                    self.assertTrue(result["incomplete"])
                    self.assertIn("disk/leases", result["error"])

    @unittest.skipIf(os.getuid() != 0, "unwritable folder: only root can be another user")
    def test_unwritable_folder(self):
        folder = reachable()
        if folder is None:
            self.skipTest("unwritable folder: another user reaches none")
        self.addCleanup(shutil.rmtree, folder)
        (folder / "text").write_text("somebody wrote this\n")
        (folder / "text").chmod(0o444)
        for program in self.stores():
            shutil.copy(BIN / program, folder)
            for name in "x", "text":
                done = subprocess.run([*AS_NOBODY, folder / program, "-f", folder / name],
                                      cwd=folder, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 1, done)
                self.assertRegex(done.stderr, f"{folder}/{name}'?: ")
