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


def work(result):
    """The work of a run, without its times."""
    return [result["parameters"]["threads"], result["runs"][0]["digest"],
            [[phase["name"], phase["operations"], phase["hits"], phase["misses"],
              phase["latency"]["count"], [step["count"] for step in phase.get("steps", [])]]
             for phase in result["runs"][0]["phases"]]]


class Parts(Case):
    """Three parts, and the whole."""

    def test_parts_merged_are_the_whole(self):
        for options in WHOLE:
            with self.subTest(options):
                lines = [json.dumps(alone(f"--part {part}/3 {options}")) for part in (1, 2, 3)]
                (self.folder / "parts").write_text("\n".join(lines) + "\n")
                merged = run("ubench_report", "merge", self.folder / "parts")
                whole = run("null_ubench", "--json", *options.split())
                self.assertEqual(merged.returncode, 0, merged)
                self.assertEqual(work(json.loads(merged.stdout)),
                                 work(json.loads(whole.stdout)))

    def test_without_the_others(self):
        for said in "", "canceled\n":
            done = subprocess.run([BIN / "null_ubench", "--part", "1/2", "-t", "2"], text=True,
                                  input=said, capture_output=True, check=False, timeout=HANGS)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
            self.assertIn("canceled", done.stderr)


if __name__ == "__main__":
    unittest.main()
