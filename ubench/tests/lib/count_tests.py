# SPDX-License-Identifier: ISC
"""A plugin of pytest for run.sh: says why tests were skipped, and ends with the counts as all test
programs do: "N passed, N failed, N skipped"."""

import signal


def pytest_configure():
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also for programs under test, under nohup


def pytest_unconfigure(config):
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    count = {name: len(reporter.stats.get(name, [])) for name in
             ("passed", "xpassed", "failed", "error", "skipped", "xfailed")}
    for report in reporter.stats.get("skipped", []):
        print("skip:", report.longrepr[2].removeprefix("Skipped: "))
    failed = count["failed"] + count["error"] + count["xpassed"]
    skipped = count["skipped"] + count["xfailed"]
    print(f"{count['passed']} passed, {failed} failed, {skipped} skipped")
