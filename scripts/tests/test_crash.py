# SPDX-License-Identifier: ISC
"""scripts/crash: what a bad disk keeps, crashes of small campaigns, and their end."""

import glob
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]
BIN = Path(os.environ["BIN"]).resolve()
sys.path.insert(0, str(SCRIPTS))
import crash_disk  # noqa: E402
import crash_inject  # noqa: E402
from crash_disk import CREATE, REMOVE, SYNC, SYNCED, TRUNCATE, WRITE  # noqa: E402


def piece(kind, name, offset=0, data=b"", at=20):
    return crash_disk.HEADER.pack(kind, len(name), at, offset, len(data)) + name.encode() + data


def record(*pieces):
    return b"".join(piece(*one) for one in pieces)


class Disk(unittest.TestCase):
    def outcomes(self, *pieces, seeds=300):
        """The files that each seed leaves, as a set of {name: bytes}."""
        left = [crash_disk.rebuild(record(*pieces), 10, random.Random(seed))
                for seed in range(seeds)]
        return {tuple(sorted(one.items())) for one in left}

    def test_what_was_synced_is_there(self):
        made = (CREATE, "x"), (SYNC, "", 1), (SYNCED, "", 1)
        written = (WRITE, "x", 0, b"abc"), (SYNC, "x", 2), (SYNCED, "x", 2)
        self.assertEqual(self.outcomes(*made, *written), {(("x", b"abc"),)})
        # A sync that did not end, that of another file, or one that began before.
        for end in ((), ((SYNCED, "y", 2),), ((SYNCED, "x", 3),)):
            some = self.outcomes(*made, (CREATE, "y", 0, b"", 5), *written[:2], *end)
            self.assertEqual({dict(one)["x"] for one in some}, {b"", b"abc"})
        late = self.outcomes(*made, (SYNC, "x", 2), written[0], (SYNCED, "x", 2))
        self.assertEqual(late, {(("x", b""),), (("x", b"abc"),)})
        # Only the last sync that began counts.
        two = self.outcomes(*made, (SYNC, "x", 2), written[0], (SYNC, "x", 3), (SYNCED, "x", 2))
        self.assertEqual(len(two), 2)

    def test_sectors_are_there_or_not(self):
        """Each of three sectors, whatever is there of the others; what is skipped is zero."""
        data = b"a" * 100 + b"b" * 512 + b"c" * 10
        made = (CREATE, "x"), (SYNC, "", 1), (SYNCED, "", 1)
        some = {dict(one)["x"] for one in self.outcomes(*made, (WRITE, "x", 412, data))}
        self.assertEqual(len(some), 8)
        self.assertIn(bytes(412) + data, some)
        self.assertIn(bytes(1024) + b"c" * 10, some)
        cut = self.outcomes(*made, (WRITE, "x", 0, b"abc"), (TRUNCATE, "x", 1))
        self.assertEqual({dict(one)["x"] for one in cut}, {b"", b"abc", b"a", b"\0"})

    def test_names_are_so_up_to_a_moment(self):
        names = self.outcomes((CREATE, "a"), (CREATE, "b"), (REMOVE, "a"), (CREATE, "c"))
        there = {"".join(name for name, content in one if content is not None) for one in names}
        self.assertEqual(there, {"", "a", "ab", "b", "bc"})
        # Before the load began all is safe; what is written after its removal is nowhere.
        self.assertEqual(self.outcomes((CREATE, "a", 0, b"", 5), (WRITE, "a", 0, b"x", 6)),
                         {(("a", b"x"),)})
        gone = self.outcomes((CREATE, "a"), (REMOVE, "a"), (SYNC, "", 1), (SYNCED, "", 1),
                             (WRITE, "a", 0, b"x"))
        self.assertEqual(gone, {(("a", None),)})

    def test_damaged_records(self):
        good = record((CREATE, "x"), (WRITE, "x", 0, b"abc"))
        for size in range(len(good)):  # a piece that a kill cut off was never done
            if size < len(record((CREATE, "x"))):
                with self.assertRaisesRegex(ValueError, "no files"):
                    crash_disk.rebuild(good[:size], 0, random.Random(1))
            else:
                crash_disk.rebuild(good[:size], 0, random.Random(1))
        for bad in (piece(7, "x"), piece(0, "x"), piece(CREATE, ""), piece(CREATE, ".."),
                    piece(CREATE, "a/b"), piece(CREATE, "a\0"), piece(CREATE, "x" * 256),
                    piece(WRITE, "x", 1 << 41), piece(CREATE, "x", 0, b"x")):
            self.assertRaisesRegex(ValueError, f"damaged at byte {len(good)}", crash_disk.rebuild,
                                   good + bad, 0, random.Random(1))

    def test_a_folder_is_spoilt(self):
        """Files of the record are made anew, others stay, and a link leads nowhere."""
        with tempfile.TemporaryDirectory() as folder:
            leases = folder + "/leases"
            os.mkdir(leases)
            Path(folder + "/elsewhere").write_text("theirs")
            os.symlink(folder + "/elsewhere", leases + "/x")
            Path(leases + "/x-shm").write_text("index")
            Path(leases + "/other").write_text("stays")
            Path(folder + "/record").write_bytes(record((CREATE, "x"), (WRITE, "x", 0, b"abc")))
            crash_disk.spoil(leases, folder + "/record", 100, random.Random(1))
            self.assertEqual(sorted(os.listdir(leases)), ["other", "x"])
            self.assertEqual(Path(leases + "/x").read_bytes(), b"abc")
            self.assertEqual(Path(folder + "/elsewhere").read_text(), "theirs")
            self.assertRaisesRegex(ValueError, "no files", crash_disk.spoil, leases,
                                   folder + "/missing", 0, random.Random(1))


class Ledger(unittest.TestCase):
    def test_what_is_acknowledged(self):
        ledger = memoryview(bytearray(8 * crash_inject.KEYS + 3 * 64)).cast("Q")
        self.assertFalse(crash_inject.acknowledged_since(ledger, 5))
        for key, event in itertools.product(range(3), range(3)):
            at = crash_inject.KEYS + key * 8 + event * 2
            for *times, wanted in ((6, 0, False), (5, 7, False), (6, 7, True)):
                one = memoryview(bytearray(ledger)).cast("Q")
                one[at], one[at + 1] = times
                self.assertIs(crash_inject.acknowledged_since(one, 5), wanted)
                self.assertFalse(crash_inject.acknowledged_since(one, 5, 2))

    def test_the_runners_write_what_is_read(self):
        if not (BIN / "memfile_ubench").exists():
            self.skipTest("memfile_ubench was not built")
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, \
                tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
            before = time.monotonic_ns()
            subprocess.run([BIN / "memfile_ubench", "-s", "no", "-n", "30", "-w", "churn",
                            "--preload", "10", "--ledger", file.name], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
            ledger = crash_inject.open_ledger(file.name)
            begun = crash_inject.begun_ns(file.name)
            self.assertTrue(before < begun < time.monotonic_ns())
            self.assertTrue(crash_inject.acknowledged_since(ledger, begun))
            self.assertFalse(crash_inject.acknowledged_since(ledger, time.monotonic_ns()))
            self.assertEqual(ledger[crash_inject.CRASHED], 0)


class Campaigns(unittest.TestCase):
    def setUp(self):
        for program in ("memfile_ubench", "sqlite_ubench", "null_ubench", "ubench_report"):
            if not (BIN / program).exists():
                self.skipTest(f"{program} was not built")
        if not os.access("/dev/shm", os.W_OK):
            self.skipTest("/dev/shm cannot be written to")
        self.folder = Path(tempfile.mkdtemp(prefix="ubench-crash.", dir="/var/tmp"))
        self.memory = tempfile.mkdtemp(prefix="ubench-test.", dir="/dev/shm")
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(shutil.rmtree, self.memory)
        self.env = {**os.environ, "BIN": str(BIN)}

    def crash(self, *words, status=0):
        done = subprocess.run([SCRIPTS / "crash", "-O", "out.jsonl", "-d", self.memory, *words],
                              cwd=self.folder, env=self.env, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=3600, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.said = done.stderr
        return done.stdout

    def lines(self):
        path = self.folder / "out.jsonl"
        text = path.read_text().splitlines() if path.exists() else []
        return [line for line in map(json.loads, text) if line["format"] == "ubench-crash/1"]

    def verdicts(self):
        """{(cell, level): set of verdicts}, but for what could not be judged."""
        found = {}
        for line in self.lines():
            if line["verdict"] != "invalid":
                key = line["labels"]["cell"], line["labels"]["level"]
                found.setdefault(key, set()).add(line["verdict"])
        return found

    def test_kills(self):
        """A change that is acknowledged before it is written is missed in every try, and what was
        written is there.  It goes on where it ended; without its control it has no verdict."""
        words = ["-n", "3", "-l", "1", "memfile fdatasync 4*", "sqlite wal full"]
        self.crash(*words)
        self.assertEqual(self.verdicts(), {
            ("memfile fdatasync", "1"): {"kept"}, ("memfile buffer", "1"): {"lost"},
            ("memfile fdatasync 4 threads", "1"): {"kept"}, ("sqlite wal full", "1"): {"kept"}})
        lines = self.lines()
        self.assertEqual({line["labels"]["seed"] for line in lines[:3]},
                         {"1000001", "1000002", "1000003"})
        self.crash(*words)
        self.assertEqual(self.lines(), lines)
        for name, text in (("memfile buffer", "no verdict"), ("sqlite wal full", "CONTRADICTION")):
            other = {"memfile buffer": "kept", "sqlite wal full": "lost"}[name]
            (self.folder / "spoilt.jsonl").write_text("".join(json.dumps({
                **line, "verdict": other if line["labels"]["cell"] == name else line["verdict"],
            }) + "\n" for line in lines))
            done = subprocess.run([BIN / "ubench_report", "crashes", self.folder / "spoilt.jsonl"],
                                  text=True, capture_output=True, check=False)
            self.assertIn(text, done.stdout + done.stderr)

    def test_lines_are_those_of_the_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("jsonschema: it is not installed")
        schema = json.loads((SCRIPTS.parent / "results/crash.schema.json").read_text())
        self.crash("-n", "2", "-l", "1", "memfile kea*")
        (self.folder / "bin").mkdir()
        for line in self.lines():
            jsonschema.validate(line, schema)
        self.assertEqual({len(line["labels"]) for line in self.lines()}, {4})

    def test_a_bad_disk(self):
        if not (BIN / "ubench_disk.so").exists():
            self.skipTest("ubench_disk.so was not built")
        if re.search("lib[at]san", subprocess.run(["ldd", BIN / "memfile_ubench"], text=True,
                                                  capture_output=True, check=False).stdout):
            self.skipTest("a sanitizer wants to be the first library")
        self.crash("-n", "3", "-l", "3", "sqlite delete extra")
        self.assertEqual(self.verdicts(), {
            ("memfile write", "3"): {"lost"}, ("memfile fdatasync", "3"): {"kept"},
            ("sqlite delete extra", "3"): {"kept"}, ("sqlite wal full", "3"): {"kept"}})

    def test_power_cuts(self):
        """A change that is only written is lost, one that is synced is not.  A machine on which
        others call sync(2) all the time keeps what is only written, too, now and then."""
        lost = set()
        for seed in range(1, 101):
            self.crash("-n", "2", "-l", "2", "-s", str(seed), "sqlite wal full", "sqlite wal off")
            if "left out" in self.said:
                print("left out: " + self.said.strip())
                return
            lost |= {cell for (cell, _), some in self.verdicts().items() if "lost" in some}
            if lost >= {"memfile write", "sqlite wal off"}:
                break
            (self.folder / "out.jsonl").unlink()
        self.assertEqual(lost, {"memfile write", "sqlite wal off"})

    def test_servers(self):
        """Killed, and without their disk; one that is not installed is left out."""
        if not (BIN / "pgsql_ubench").exists() or not glob.glob(
                "/usr/lib/postgresql/*/bin/postgres"):
            self.skipTest("PostgreSQL: its server is not installed, or its runner was not built")
        self.env["UBENCH_MYSQLD"] = "missing"
        there = (BIN / "mysql_ubench").exists()
        self.crash("-n", "1", "-l", "1,1b,2", "pgsql on", "pgsql fsync off", "mysql flush 1",
                   status=1 if there else 0)
        if "level 2 and all servers" in self.said:
            print("left out: " + self.said.strip())
            return
        self.assertEqual(there, "crash: mysql is left out: the server does not start: servers.sh: "
                         "UBENCH_MYSQLD: missing is no program" in self.said)
        verdicts = {key: some for key, some in self.verdicts().items() if "pgsql" in key[0]}
        self.assertEqual(verdicts, {
            ("pgsql on, libeatmydata", "2"): {"lost"}, ("pgsql on", "1"): {"kept"},
            ("pgsql on", "1b"): {"kept"}, ("pgsql on", "2"): {"kept"},
            ("pgsql fsync off", "1"): {"kept"},
            ("pgsql fsync off", "2"): verdicts.get(("pgsql fsync off", "2"))})

    def test_it_is_told_to_end(self):
        """At once, in the middle of a crash, and leaves nothing behind; it goes on later."""
        (self.folder / "bin").mkdir()
        for program in BIN.glob("*ubench*"):
            (self.folder / "bin" / program.name).symlink_to(program)
        slow = self.folder / "bin/memfile_ubench"
        slow.unlink()
        slow.write_text(f"#!/bin/sh\ncase $* in *--ledger*) echo $$ >>{self.folder}/called\n"
                        f"exec sleep 1000 ;; esac\nexec {BIN}/memfile_ubench \"$@\"\n")
        slow.chmod(0o755)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            called = self.folder / "called"
            called.unlink(missing_ok=True)
            child = subprocess.Popen(
                [SCRIPTS / "crash", "-O", "out.jsonl", "-n", "2", "-l", "1", "-d",
                 self.memory, "memfile write"], cwd=self.folder, stdin=subprocess.DEVNULL,
                env={**self.env, "BIN": str(self.folder / "bin")}, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
            end = time.monotonic() + 600
            while not (called.exists() and called.read_text().endswith("\n")):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.05)
            child.send_signal(number)
            self.assertEqual(child.wait(600), 130 if number == signal.SIGINT else 143)
            self.assertEqual(os.listdir(self.memory), [])
            for pid in called.read_text().split():
                self.assertFalse(crash_inject.is_running(int(pid)))
        self.assertEqual(self.verdicts(), {})
        self.crash("-n", "2", "-l", "1", "memfile write")
        self.assertEqual(self.verdicts()["memfile write", "1"], {"kept"})

    def test_a_line_that_was_cut_off_stays(self):
        (self.folder / "out.jsonl").write_text(
            '{"format":"ubench-crash/1","labels":{"cell":"memfile write"')
        self.crash("-n", "1", "-l", "1", "memfile write")
        text = (self.folder / "out.jsonl").read_text().splitlines()
        self.assertTrue(text[0].endswith('"memfile write"'))
        self.assertGreater(len(text), 2)
