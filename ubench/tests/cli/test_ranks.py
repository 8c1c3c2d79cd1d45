# SPDX-License-Identifier: ISC
"""Several ranks under MPI do together what one process with as many threads does."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from programs import BIN, HANGS, SIGNALS, Case
from test_runs import check_results

from ubench.errors import Problem
from ubench.run import process
from ubench.run.servers import PrivateServers

RANKS = 4
HELPERS = Path(os.environ.get("HELPERS", BIN / "build/release/tests")).resolve()
# Runners that are linked with MPI, which make builds for tests alone.
FOLDER = HELPERS / "mpi"
# More ranks than processors, also as root in a container: Open MPI 4 and 5.
MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_btl": "^tcp",  # which complains where there is no network
}
# Options, and threads of each rank.
LOADS = [
    ("-n 1001", 1), ("-n 1001 --search-by hwaddr --preload 50 -b 7", 3),
    ("-n 1001 -R 2 --warmup 100", 1), ("-n 300 -w dora --warmup 10", 1),
    ("-n 301 -w renew=8,release=1,dora=1 --hosts 40 --subnets 3", 2), ("-n 300 -w renew -6", 1),
    ("-n 999 -w search --preload 400", 2), ("-n 999 -w update --preload 400", 1),
    ("-n 400 -w churn --preload 80", 1),
]
# One pool: what is offered twice depends on time, what is given does not.
POOLS = ["--allocator iterative", "--allocator random --full 50%", "--allocator flq --servers 8"]
LISTED = ["--allocator shared-flq", "--allocator skip-locked --full 90%"]
STORED = [("-n 201 -s no", 1), ("-n 120 -w dora -s no --preload 300 --warmup 20", 2),
          ("-n 100 -w renew=8,release=1,dora=1 -s no --preload 300", 1)]
# Refused before anything is touched, by the first rank alone.
REFUSALS = [
    ("memfile_ubench", "", "as one process alone can open its store"),
    ("sqlite_ubench", "-n 10", "as one process alone can open its store"),
    ("null_ubench", "--turns -w renew", "--turns cannot be used with several ranks"),
    ("null_ubench", "--rate 10 -w dora", "requests of an open loop wait in one queue"),
    ("null_ubench", "-w storm", "requests of an open loop wait in one queue"),
    ("null_ubench", "-w replay --trace x", "--trace cannot be used with several ranks"),
    ("null_ubench", "-w fill", "several ranks cannot fill one pool level by level"),
    ("null_ubench", "-w dora --allocator random --servers 3", "cannot be divided among 4 ranks"),
    ("pgsql_ubench", "-w steady --allocator shared-flq", "no rank knows what clients of others do"),
    ("null_ubench", "-w renew=9,reclaim=1", "reclaim of renew=9,reclaim=1 is a server's own work"),
    ("null_ubench", "-t 300", "4 ranks with 300 threads each have more than 1000"),
    ("null_ubench", "-t 2 -n 7", "--threads: 8 exceeds --count=7"),
    ("null_ubench", "--thread-count 2", "thread-count"),
    ("pgsql_ubench", "-S kea+stats -w dora", "use --schema=kea"),
    ("pgsql_ubench", "--ledger l", "--ledger cannot be used with several ranks"),
    ("mysql_ubench", "--reconnect 5s", "--reconnect cannot be used with several ranks"),
]


def counts(phase):
    """What of a phase does not depend on time."""
    return (
        phase["name"], phase["operations"], phase["hits"], phase["misses"],
        phase["latency"]["count"], sum(second[0] for second in phase["series"]),
        [(step["name"], step["hits"], step["misses"], step["latency"]["count"])
         for step in phase.get("steps", [])],
    )


def work(result):
    """What was done in each run, by whomever."""
    return [
        (run["digest"], run["incomplete"], run["verified"], run["leases_left"], run["read_back"],
         run["read_back_of"], [counts(phase) for phase in run["phases"]])
        for run in result["runs"]
    ]


def latencies(result):
    """All histograms with their quantiles."""
    return [[phase["latency"], phase["commit"],
             *(step["latency"] for step in phase.get("steps", []))]
            for run in result["runs"] for phase in run["phases"]]


def await_true(condition):
    end = time.monotonic() + HANGS
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it does not become true")
        time.sleep(0.05)


def given_up(phase):
    """Exchanges that the database gave up: MySQL after deadlocks, MariaDB 11.8 after conflicts."""
    return phase.get("deadlocks", 0) + phase.get("conflicts", 0)


def runners(pid):
    """The processes of the runner that mpirun has started, as far as they have MPI's library."""
    found = []
    for child in process.children(pid):
        try:
            is_runner = os.readlink(f"/proc/{child}/exe").startswith(str(FOLDER))
        except OSError:
            is_runner = False  # it has ended
        found += [child] if is_runner else runners(child)
    return sorted(found)


@unittest.skipUnless(shutil.which("mpirun") and (FOLDER / "null_ubench").exists(),
                     "there is no MPI: scripts/deps.sh test installs it")
class Ranks(Case):
    """Four of them on this machine."""

    environment = {}

    def need(self, *programs):
        for program in programs:
            if not (FOLDER / program).exists():
                self.skipTest(f"{self.id()}: {program} was not built")

    def start(self, *command, **environment):
        """A command with outputs in files, since what Open MPI forwards is cut off by ^C."""
        with open(self.folder / "out", "w") as out, open(self.folder / "err", "w") as err:
            started = subprocess.Popen(
                [str(word) for word in command], cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=out, stderr=err, start_new_session=True,
                env={**os.environ, **MPI, **self.environment, **environment})
        self.addCleanup(self.stop, started)
        return started

    @staticmethod
    def stop(started):
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()

    def end(self, started):
        """(status, standard output, standard error)"""
        status = started.wait(timeout=HANGS)
        return status, (self.folder / "out").read_text(), (self.folder / "err").read_text()

    def start_ranks(self, program, *options, ranks=RANKS, **environment):
        return self.start("mpirun", "-n", ranks, FOLDER / program, *options, **environment)

    def compare(self, program, options, threads, **environment):
        """Four ranks with as many threads each do the work of one process."""
        command = [*options.split(), "--json"]
        status, text, errors = self.end(self.start_ranks(
            program, *command, "-t", threads, **environment))
        self.assertEqual((status, text.count("\n")), (0, 1), errors)
        self.assertEqual(check_results.check_line(text)[0], [])
        together = json.loads(text)
        _, text, _ = self.end(self.start(
            BIN / program, *command, "-t", threads * RANKS, **environment))
        alone = json.loads(text)
        self.assertEqual(work(together), work(alone))
        self.assertEqual(together["parameters"], alone["parameters"])
        self.assertEqual([machine["ranks"] for machine in together["machines"]], [RANKS])
        self.assertNotEqual(together["machines"][0]["cpu"], "")
        self.assertNotIn("machines", alone)
        return together, alone

    def check_pool(self, program, options):
        """Every client gets an address, as in one process, and only the first rank says so.

        A database may give an exchange up in favour of another, which has no digest then.
        """
        command = ["-w", "dora", "-n", "120", "-s", "no", "--json", *options.split()]
        if program == "null_ubench":
            command[4:6] = []
        status, text, errors = self.end(self.start_ranks(program, *command, "-t", 2))
        self.assertEqual((status, text.count("\n")), (0, 1), errors)
        self.assertEqual(check_results.check_line(text)[0], [])
        (together,) = json.loads(text)["runs"]
        _, text, _ = self.end(self.start(BIN / program, *command, "-t", 2 * RANKS))
        (alone,) = json.loads(text)["runs"]
        for run in together, alone:
            (phase,) = run["phases"]
            self.assertEqual((phase["hits"] + given_up(phase), phase["misses"],
                              run["leases_left"]), (120, 0, 0))
        if not any(given_up(run["phases"][0]) for run in (together, alone)):
            self.assertEqual(together["digest"], alone["digest"])
            self.assertEqual(together["read_back"], alone["read_back"])

    def start_long(self, program, *options):
        """A run that is at work for a while, and its ranks."""
        started = self.start_ranks(program, "-n", "100M", "-R", "100", "--progress=plain",
                                   "-O", "out.jsonl", *options)  # Open MPI 5 waits for whole lines
        await_true(lambda: re.search(r"%  [1-9][0-9,.]*/s", (self.folder / "err").read_text())
                   or started.poll() is not None)
        return started, runners(started.pid)

    def check_over(self, pids):
        await_true(lambda: not any(Path(f"/proc/{pid}/exe").exists() for pid in pids))


class OfNothing(Ranks):
    """With the null store."""

    def test_ranks_add_up_to_one_process(self):
        for options, threads in LOADS:
            with self.subTest(options):
                self.compare("null_ubench", options, threads)

    def test_quantiles_are_those_of_one_process(self):
        """If latencies depend on nothing but the number of the operation in its thread, which
        is a new one for each stretch if there are two."""
        clock = HELPERS / "steady_clock.so"
        for options, _ in LOADS:
            with self.subTest(options):
                together, alone = self.compare("null_ubench", options, 2, LD_PRELOAD=clock)
                self.assertEqual(latencies(together), latencies(alone))

    def test_what_one_process_alone_can_do_is_refused(self):
        for program, options, words in REFUSALS:
            if not (FOLDER / program).exists():
                continue
            with self.subTest(f"{program} {options}"):
                status, text, errors = self.end(self.start_ranks(program, *options.split()))
                said = [line for line in errors.splitlines() if line.startswith(program)]
                self.assertEqual((status, text, len(said)), (2, "", 1), errors)
                self.assertIn(words, said[0])
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"out", "err"})

    def test_only_the_first_rank_answers(self):
        for options in "--help", "--version", "--describe", "--list-options":
            with self.subTest(options):
                _, alone, _ = self.end(self.start(FOLDER / "null_ubench", options))
                status, text, errors = self.end(self.start_ranks("null_ubench", options))
                self.assertEqual((status, text, errors), (0, alone, ""))

    def test_ranks_with_different_options(self):
        each = f'exec {FOLDER}/null_ubench -n 20"${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}"'
        status, text, errors = self.end(self.start("mpirun", "-n", 2, "sh", "-c", each))
        self.assertEqual((status, text), (2, ""), errors)
        self.assertIn("null_ubench: the ranks differ in their version of ubench or in their "
                      "options", errors)

    def test_an_output_that_cannot_be_written_is_refused(self):
        status, text, errors = self.end(self.start_ranks("null_ubench", "-O", "nowhere/x"))
        self.assertEqual((status, text), (1, ""))
        self.assertEqual(errors.count("null_ubench: --output: nowhere/x"), 1)

    def test_a_rank_that_dies_ends_the_run(self):
        for number in 0, RANKS - 1:
            with self.subTest(number):
                started, ranks = self.start_long("null_ubench", "-w", "search")
                os.kill(ranks[number], signal.SIGKILL)
                status, text, errors = self.end(started)
                self.assertNotEqual(status, 0)
                self.assertNotIn("per second", text)
                self.assertRegex(errors, r"(?i)signal 9|killed")
                self.assertFalse((self.folder / "out.jsonl").exists())
                self.check_over(ranks)

    def test_a_signal_to_any_rank_ends_all(self):
        for number, wanted in SIGNALS[:2]:
            for rank in 0, RANKS - 1:
                with self.subTest(f"{number} to {rank}"):
                    self.check_stopped(lambda ranks, rank=rank, number=number: os.kill(
                        ranks[rank], number), wanted)

    def test_a_signal_to_mpirun_ends_all(self):
        self.check_stopped(None, None)

    def check_stopped(self, send, wanted):
        """What was measured is written, incomplete."""
        (self.folder / "out.jsonl").unlink(missing_ok=True)
        started, ranks = self.start_long("null_ubench", "-w", "renew")
        if send is None:
            started.send_signal(signal.SIGINT)
        else:
            send(ranks)
        status, _, errors = self.end(started)
        self.check_over(ranks)
        if wanted is not None:
            self.assertEqual(status, wanted, errors)
        self.assertNotEqual(status, 0)
        self.assertNotIn("null_ubench:", errors)
        line = (self.folder / "out.jsonl").read_text()
        result = json.loads(line)
        self.assertTrue(result["incomplete"])
        self.assertEqual(check_results.check_line(line)[0], [])


    def test_ranks_share_a_pool(self):
        for options in POOLS:
            with self.subTest(options):
                self.check_pool("null_ubench", options)


class OfServers(Ranks):
    """With a database server, which starts with the customary settings."""

    kind = "pgsql"

    def setUp(self):
        super().setUp()
        program = f"{self.kind}_ubench"
        self.need(program)
        folder = Path(tempfile.mkdtemp(prefix="ubench-test-", dir="/var/tmp"))
        folder.chmod(0o755)  # for the user that the server runs as
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        servers = PrivateServers.temporary(folder / "servers")
        servers.__enter__()
        self.addCleanup(servers.__exit__, None, None, None)
        try:
            self.server = servers.start(self.kind, [])
        except Problem as problem:
            self.skipTest(f"{self.id()}: {problem}")
        self.environment = self.server.environment()
        self.program = program

    def test_ranks_share_the_leases(self):
        """Digests, counts, answers; a rank whose lease is gone; and one that dies."""
        for options, threads in STORED:
            with self.subTest(options):
                self.compare(self.program, options, threads)
        for options in POOLS + LISTED:
            with self.subTest(options):
                self.check_pool(self.program, options)
        with self.subTest("a wrong answer"):
            started, ranks = self.start_long(self.program, "-w", "update", "--preload", "400",
                                             "-s", "no")
            self.server.sql(f"DELETE FROM lease4 WHERE address = {1 << 24 | 6}", "ubench")
            status, text, errors = self.end(started)
            self.assertEqual(status, 3, errors)
            self.assertNotIn("per second", text)
            self.assertRegex(errors, rf"{self.program}: {self.kind}: wrong answer: \w+ 1\.0\.0\.6 ")
            self.assertEqual(errors.count("wrong answer"), 1)
            self.assertFalse((self.folder / "out.jsonl").exists())
            self.check_over(ranks)
        with self.subTest("a rank that dies"):
            started, ranks = self.start_long(self.program, "-s", "no")
            os.kill(ranks[2], signal.SIGKILL)
            status, text, errors = self.end(started)
            self.assertNotEqual(status, 0)
            self.assertNotIn("per second", text)
            self.assertFalse((self.folder / "out.jsonl").exists())
            self.check_over(ranks)
        with self.subTest("an address given to clients of two ranks"):
            self.check_given_twice()  # which leaves tables that ubench refuses

    # Whoever inserts a lease takes the address from the client that has it: in PostgreSQL by a
    # trigger, in MySQL by a key that is none, so that both have a row.
    lie = (
        "CREATE FUNCTION take() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM lease4 "
        "WHERE address = NEW.address; RETURN NEW; END'; CREATE TRIGGER take BEFORE INSERT ON "
        "lease4 FOR EACH ROW EXECUTE FUNCTION take()"
    )

    def check_given_twice(self):
        """Each rank is a server that begins with the same address."""
        started = self.start_ranks(
            self.program, "-w", "dora", "-n", "40000", "--allocator", "iterative", "-s", "no",
            "--progress=plain")
        await_true(lambda: re.search(r"%  [1-9][0-9,.]*/s", (self.folder / "err").read_text())
                   or started.poll() is not None)
        self.server.sql(self.lie, "ubench")
        status, text, errors = self.end(started)
        self.assertEqual(status, 3, errors)
        self.assertNotIn("per second", text)
        self.assertEqual(errors.count("wrong answer"), 1)


class OfMysql(OfServers):
    """The same, whose settings belong to all sessions and are put back."""

    kind = "mysql"
    lie = "ALTER TABLE lease4 DROP PRIMARY KEY, ADD INDEX (address)"

    def test_settings_are_put_back_after_a_signal(self):
        asked = "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit"
        before = self.server.sql(asked)
        started, ranks = self.start_long(self.program, "-s", "no")
        self.assertNotEqual(self.server.sql(asked), before)
        os.kill(ranks[1], signal.SIGTERM)
        self.assertEqual(self.end(started)[0], 143)
        self.assertEqual(self.server.sql(asked), before)


# Two network namespaces, with an address each, for the command that follows; processes for the
# second one start through a program in the place of ssh.
NAMESPACES = r"""
mount -t tmpfs tmpfs /run && mkdir /run/netns && ip netns add b &&
ip link set lo up && ip link add a0 type veth peer name b0 netns b &&
ip addr add 10.99.0.1/24 dev a0 && ip link set a0 up &&
ip -n b addr add 10.99.0.2/24 dev b0 && ip -n b link set b0 up && ip -n b link set lo up || exit 77
cat >/run/agent <<'END'
#!/bin/sh
while [ "$1" != 10.99.0.2 ]; do shift; done
shift
exec ip netns exec b sh -c "$*"
END
chmod +x /run/agent
exec "$@"
"""


class OfNamespaces(Ranks):
    """On two machines, as far as the network and MPI can tell."""

    environment = {
        "OMPI_MCA_btl": "self,tcp", "OMPI_MCA_plm_rsh_agent": "/run/agent",
        "PRTE_MCA_plm_ssh_agent": "/run/agent", "HYDRA_LAUNCHER_EXEC": "/run/agent",
    }

    def test_two_machines_are_one_process(self):
        apart = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        script = self.folder / "namespaces"
        script.write_text(NAMESPACES)
        if self.end(self.start(*apart, "sh", script, "true"))[0] != 0:
            print(f"left out: {self.id()}: no network namespaces can be made here")
            return
        version = subprocess.run(["mpirun", "--version"], text=True, capture_output=True,
                                 check=True).stdout
        if re.search(r"\(Open MPI\) 5", version):
            print(f"left out: {self.id()}: Open MPI 5 takes both namespaces for this machine")
            return
        status, text, errors = self.end(self.start(
            *apart, "sh", script, "mpirun", "-H", "10.99.0.1,10.99.0.2", FOLDER / "null_ubench",
            "-n", 5001, "-w", "dora", "--json"))
        self.assertEqual(status, 0, errors)
        self.assertEqual(check_results.check_line(text)[0], [])
        together = json.loads(text)
        self.assertEqual([machine["ranks"] for machine in together["machines"]], [1, 1])
        _, text, _ = self.end(self.start(BIN / "null_ubench", "-n", 5001, "-w", "dora", "-t", 2,
                                         "--json"))
        self.assertEqual(work(together), work(json.loads(text)))


if __name__ == "__main__":
    unittest.main()
