# SPDX-License-Identifier: ISC
"""--part: the parts of a run do together what the run without it does."""

import json
import subprocess
import unittest

from programs import BIN, HANGS, Case, run

WHOLE = [
    "-n 1001 -t 6", "-n 1001 -t 6 --search-by hwaddr --preload 50 -b 7",
    "-n 300 -t 3 -w dora --warmup 10", "-n 301 -t 6 -w renew=8,release=1,dora=1 --hosts 40",
    "-n 300 -t 3 -w renew -6",
]


def alone(options):
    """The result of a part that waits for nobody but itself, as if all were at work at the
    same time; the null store allows that, since it checks no answer."""
    with subprocess.Popen([BIN / "null_ubench", *options.split()], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as part:
        for line in part.stdout:
            if line != "result\n":
                part.stdin.write(line)
                part.stdin.flush()
                continue
            result = json.loads(part.stdout.readline())
            result["parts"][0]["common_us"] = 1
            for phase in result["runs"][0]["phases"]:
                phase.update(elapsed_ns=10**9, begun_ns=0, series=[])
                phase.pop("rate_per_s", None)
            for name in ("operations", "elapsed_ns", "rate_per_s", "store_rate_per_s"):
                result["runs"][0].pop(name, None)
            part.stdin.close()
    return result


def work(results):
    """The work of these runs together, without its times.  Digests add up."""
    runs = [result["runs"][0] for result in results]
    counts = [[sum(values) for values in zip(*phases, strict=True)] for phases in zip(*(
        [[phase["operations"], phase["hits"], phase["misses"], phase["latency"]["count"],
          *(step["count"] for step in phase.get("steps", []))] for phase in run["phases"]]
        for run in runs), strict=True)]
    digest = sum(int(run["digest"], 16) for run in runs) % 2**64
    return f"{digest:016x}", [phase["name"] for phase in runs[0]["phases"]], counts


class Parts(Case):
    """Three parts, and the whole."""

    def test_parts_add_up_to_the_whole(self):
        for options in WHOLE:
            with self.subTest(options):
                parts = [alone(f"--part {part}/3 {options}") for part in (1, 2, 3)]
                whole = run("null_ubench", "--json", *options.split())
                self.assertEqual(work(parts), work([json.loads(whole.stdout)]))

    def test_without_the_others(self):
        for said in "", "canceled\n":
            done = subprocess.run([BIN / "null_ubench", "--part", "1/2", "-t", "2"], text=True,
                                  input=said, capture_output=True, check=False, timeout=HANGS)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
            self.assertIn("canceled", done.stderr)


if __name__ == "__main__":
    unittest.main()
