# SPDX-License-Identifier: ISC
"""What a store does besides answering (--activity), against its own files and counters."""

import json
import unittest
from itertools import pairwise

from programs import FILE_STORES, Case, has, run
from test_replay import TRACE
from test_runs import check_results

COUNTERS = ("syncs", "log_bytes", "binlog_bytes", "written_bytes", "disk_bytes", "device_bytes",
            "pages_written", "checkpoints", "vacuums")
# The trace lasts 11,000 seconds, so that a run takes two.
PACED = ("-w", "replay", "--trace", TRACE, "--speed", 5500, "--activity")


class Activity(Case):
    """Runs of some seconds."""

    def result(self, program, *options):
        """The run of a line, which has to be right, and its activity."""
        done = run(program, "--json", *options, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertEqual(check_results.check_line(done.stdout)[0], [])
        (result,) = json.loads(done.stdout)["runs"]
        return result, result["activity"]

    def test_samples_are_of_the_load(self):
        for program in filter(has, ("memfile_ubench", "sqlite_ubench", "kea_ubench")):
            with self.subTest(program):
                result, activity = self.result(program, *PACED, "-s", "no")
                seconds = activity["second"]
                self.assertTrue(all(before < after for before, after in pairwise(seconds)))
                self.assertGreaterEqual(len(seconds), result["elapsed_ns"] // 1_000_000_000)
                self.assertGreaterEqual(seconds[-1], result["elapsed_ns"] / 1e9)
                for name, values in activity.items():
                    self.assertEqual(len(values), len(seconds), name)
                    if name in COUNTERS:
                        known = [value for value in values if value is not None]
                        self.assertEqual(known, sorted(known), name)
                        self.assertEqual(known[0], 0, name)

    def test_sizes_are_those_of_the_files(self):
        for program, name in ("memfile_ubench", "dhcpd.leases"), ("sqlite_ubench", "sqlite.db"):
            if has(program):
                _, activity = self.result(program, *PACED, "-s", "no")
                self.assertGreater(activity["data_bytes"][-1], 1000)
                self.assertGreaterEqual(activity["store_bytes"][-1], activity["data_bytes"][-1])
                if program == "memfile_ubench":
                    size = (self.folder / name).stat().st_size
                    self.assertEqual(activity["data_bytes"][-1], size)

    def test_syncs_are_counted_as_in_usage(self):
        for program in filter(has, FILE_STORES):
            with self.subTest(program):
                result, activity = self.result(program, *PACED, "-s", "yes", "-t", 4)
                syncs = result["phases"][0]["usage"]["fdatasyncs"]
                self.assertEqual(activity["syncs"][-1], syncs)
                self.assertGreater(syncs, 0)
                if program == "sqlite_ubench":
                    self.assertGreaterEqual(syncs, result["operations"])

    def test_kea_counts_what_its_process_writes(self):
        """Kea's memfile has no server, whose processes would be looked for."""
        self.need("kea_ubench")
        result, activity = self.result("kea_ubench", *PACED, "-s", "no")
        size = (self.folder / "kea-leases4.csv").stat().st_size
        self.assertGreaterEqual(activity["written_bytes"][-1], size // 2)
        self.assertIn("disk_bytes", activity)
        self.assertNotIn("cleanups", activity)

    def test_a_clean_up_of_the_lease_file(self):
        """The trace takes 4 seconds, so that its leases are cleaned up some times."""
        self.need("kea_ubench")
        for options in (), ("-6",), ("-t", 3):
            trace = self.folder / "six.trace"
            trace.write_text(TRACE.read_text().replace("family 4", "family 6"))
            words = ("-w", "replay", "--trace", trace if "-6" in options else TRACE, *options)
            plain, _ = self.result("kea_ubench", *words, "--activity", "-s", "no")
            result, activity = self.result("kea_ubench", *words, "--speed", 3000, "--activity",
                                           "-s", "no", "-o", "lfc-interval=1")
            self.assertEqual(result["digest"], plain["digest"])
            self.assertTrue(result["verified"])
            count = activity["cleanups"][-1]
            self.assertGreaterEqual(count, 1)
            self.assertGreater(activity["cleanup_bytes"][-1], 100 * count)  # header and a lease
            self.assertGreater(activity["cleanup_ms"][-1], 0)
            # What it wrote is removed, and the next run may use the file.
            name = f"kea-leases{6 if '-6' in options else 4}.csv"
            self.assertEqual([each.name for each in self.folder.glob("kea-leases*")], [name])
            (self.folder / name).unlink()

    def test_files_that_kea_would_read_are_refused(self):
        self.need("kea_ubench")
        for suffix in ".1", ".2", ".completed":
            other = self.folder / f"kea-leases4.csv{suffix}"
            other.write_text("address,hwaddr\n")
            for options in (), ("-o", "lfc-interval=1"):
                done = run("kea_ubench", "-n", 10, "-s", "no", *options, cwd=self.folder)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{other.name}' exists, which Kea would read", done.stderr)
            self.assertEqual(other.read_text(), "address,hwaddr\n")
            other.unlink()

    def test_a_short_run_has_samples_before_and_after_it(self):
        self.need("memfile_ubench")
        _, activity = self.result("memfile_ubench", "-n", 10, "--activity", "-s", "no")
        self.assertLessEqual(activity["second"][0], 0)
        self.assertGreater(activity["second"][-1], 0)

    def test_a_run_without_it_has_none(self):
        self.need("memfile_ubench")
        done = run("memfile_ubench", "-n", 10, "--json", "-s", "no", cwd=self.folder)
        self.assertNotIn("activity", json.loads(done.stdout)["runs"][0])

    def test_what_does_not_go_with_it(self):
        self.need("memfile_ubench", "null_ubench")
        done = run("memfile_ubench", "--turns", "-w", "renew", "--activity", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--turns cannot be used with --activity", done.stderr)
        done = run("null_ubench", "--activity", cwd=self.folder)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
