#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: ISC
"""Each side of the duels in scripts/sweeps/ changes what it names, and nothing else.

Each side that needs no other release is started once, with a private server, and its record is
compared with that of the first side of its duel.  With UBENCH_DISTRO, a folder with roots in
which build/databases is built (scripts/databases makes them), also those in such a root.
"""

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("BIN", TOP))
sys.path.insert(0, str(TOP / "scripts"))
loader = SourceFileLoader("duel_program", str(TOP / "scripts" / "duel"))
duel = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(duel)
# Sides have private servers, and none that other tests use.
for variable in [name for name in os.environ if re.match("UBENCH_(MYSQL|PGSQL)_", name)]:
    del os.environ[variable]
# These differ from one run to the next.
VARIABLE = {"index use", "port", "host"}
CONNECTION = {"connection", "encryption"}
# An option of a server changes these instead of the setting of its name.
FOLLOWS = {
    "log_bin": {"log_bin", "sync_binlog", "binlog_format", "binlog_row_image",
                "binlog_gtid_index", "max_binlog_size", "server_id"},
    "server_id": {"server_id"},
    # MariaDB that starts with 2 writes its log through the cache of the system.
    "innodb_flush_log_at_trx_commit": {"innodb_flush_log_at_trx_commit",
                                       "innodb_log_file_buffering"},
    # MariaDB 11.0 and later set these four by it.
    "innodb_flush_method": {"innodb_flush_method", "innodb_data_file_buffering",
                            "innodb_data_file_write_through", "innodb_log_file_buffering",
                            "innodb_log_file_write_through"},
    "ssl": CONNECTION, "ssl_cert_file": CONNECTION, "ssl_key_file": CONNECTION,
    "ssl_cert": CONNECTION, "ssl_key": CONNECTION, "tls_version": CONNECTION,
    # One request makes both what they are.
    "innodb_redo_log_capacity": {"innodb_redo_log_capacity", "innodb_log_file_size"},
}
# An option of a runner changes these parameters of the run and facts of the store.
RUNNER = {"-S": {"schema", "triggers", "lease4"}, "-c": {"compiled"}, "-t": {"threads"},
          "-m": CONNECTION, "-s": {"sync"}, "-w": {"workload"}, "-o": set(), "-P": set()}


def server_settings(text):
    """{name: value} of 'mysql --skip-log-bin' or 'pgsql -c fsync=off'."""
    settings = {}
    for word in shlex.split(text.replace("\\\n", " "))[1:]:
        if word == "-c":
            continue
        name, _, value = word.removeprefix("--").partition("=")
        off = name.startswith("skip-")
        settings[name.removeprefix("skip-").replace("-", "_")] = "OFF" if off else value
    return settings


def runner_options(words):
    """{option: value} of a runner's command."""
    program = next(i for i, word in enumerate(words) if word.endswith("_ubench"))
    options = list(words[program + 1:])
    found = dict(zip(options[::2], options[1::2]))
    if any('-m "$UBENCH' in word for word in words):
        found["-m"] = "socket"
    return found


def server_of(side):
    """The server that a side starts, as for servers.sh run."""
    if "run" in side.words:
        return side.words[side.words.index("run") + 1]
    return side.server or side.kind


def named(side, first):
    """The names that may differ from the first side, as this side asks for them."""
    ours, theirs = server_settings(server_of(side)), server_settings(server_of(first))
    names = set()
    for name in ours.keys() | theirs.keys():
        if ours.get(name) != theirs.get(name):
            names |= FOLLOWS.get(name, {name})
    ours, theirs = runner_options(side.words), runner_options(first.words)
    for name in ours.keys() | theirs.keys():
        if ours.get(name) != theirs.get(name):
            names |= RUNNER[name]
    if any("ssl-enforce=1" in word for word in side.words):
        names |= CONNECTION
    return names


def record(side, folder):
    """The parameters and facts of one short run of a side."""
    program = duel.shutil.which(side.words[0], path=f"{BIN}:{os.environ['PATH']}")
    if program is None:
        return None
    # The sets name the runners of a checkout's top, and those that are tested are in BIN.
    words = side.words[1:] if folder == TOP else \
        [word.replace("${UBENCH_SERVERS%/build/*}", os.path.abspath(BIN))
         for word in side.words[1:]]
    done = subprocess.run([*side.start, os.path.abspath(program), *words, "-n", "20",
                           "--preload", "200", "--json"], cwd=folder, text=True,
                          capture_output=True, check=False)
    if done.returncode == 77 or "Unable to get private key" in done.stderr:
        return None
    if done.returncode != 0:
        raise AssertionError(f"{side.typed}: {done.stderr}")
    line = json.loads(done.stdout)
    # Each server has a port of its own.
    way = line["facts"].get("connection", "")
    kind = ("socket" if "socket" in way else "TCP") + (" TLS" if "TLS" in way else "")
    return {**line["parameters"], **line["facts"], "connection": kind}


def differences(first, second):
    """The names whose values differ, or that one has alone."""
    return {name for name in first.keys() | second.keys()
            if first.get(name) != second.get(name)} - VARIABLE


class Sets(unittest.TestCase):
    """Every duel of the sets that are for one machine's servers."""

    def sides(self, name):
        """(label, side, first side) of each side but the first, in each duel of a set."""
        asked = ["-O", str(Path(self.folder) / "out.jsonl"), "@" + name]
        for options, commands in duel.read_campaign(asked):
            sides = duel.plan_sides(options, commands)
            sides = [side for side in sides if not side.twin]
            for side in sides[1:]:
                yield options.label, side, sides[0]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def changes_what_it_names(self, name):
        """All sides of a set."""
        records = {}
        for label, side, first in self.sides(name):
            release = re.search(r"distro\.sh (\w+)", side.typed)
            if release and not (Path(os.environ.get("UBENCH_DISTRO", "/nowhere")) /
                                release[1] / "ubench/build/databases").is_dir():
                continue
            for one in first, side:
                key = (one.typed, one.server)
                if key not in records:
                    records[key] = record(one, TOP if release else self.folder)
            before, after = (records[one.typed, one.server] for one in (first, side))
            if before is None or after is None:
                print(f"left out: {label}: no runner is built, or the server cannot read its key")
                continue
            asked, changed = named(side, first), differences(before, after)
            with self.subTest(label=label, side=side.typed, server=side.server):
                self.assertEqual(changed - asked, set(), "it changes what it does not name")
                if asked:
                    self.assertTrue(changed, f"it changes nothing of {sorted(asked)}")

    def test_settings(self):
        self.changes_what_it_names("settings")

    def test_ladder(self):
        self.changes_what_it_names("ladder")


if __name__ == "__main__":
    unittest.main()
