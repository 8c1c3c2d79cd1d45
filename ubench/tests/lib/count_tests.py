# SPDX-License-Identifier: ISC
"""A plugin of pytest for run.sh: says why tests were skipped, and ends with the counts as all test
programs do: "N passed, N failed, N skipped".

A test that no machine can run here, such as one for the root directory of another release, is
skipped with "left out: ..." and not counted.
"""

import signal


def pytest_configure():
    """Programs under test also get signals that nohup or a shell's background has ignored."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_unconfigure(config):
    stats = config.pluginmanager.get_plugin("terminalreporter").stats
    count = {name: len(stats.get(name, [])) for name in
             ("passed", "xpassed", "failed", "error", "xfailed")}
    reasons = [report.longrepr[2].removeprefix("Skipped: ") for report in stats.get("skipped", [])]
    skipped = [reason for reason in reasons if not reason.startswith("left out: ")]
    for reason in reasons:
        print(reason if reason not in skipped else f"skip: {reason}")
    failed = count["failed"] + count["error"] + count["xpassed"]
    print(f"{count['passed']} passed, {failed} failed, "
          f"{len(skipped) + count['xfailed']} skipped")
