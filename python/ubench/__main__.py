# SPDX-License-Identifier: ISC
"""python3 -m ubench TASK [WORD]...: a task, where its launcher is not installed."""

import sys

from ubench.launch import launch

TASKS = {
    "crash": "ubench.campaigns.crash",
    "dhcp": "ubench.dhcp.program",
    "duel": "ubench.campaigns.duel",
    "report": "ubench.report.program",
    "servers": "ubench.run.servers_program",
    "sweep": "ubench.campaigns.sweep",
    "where": "ubench.campaigns.where",
}

if len(sys.argv) < 2 or sys.argv[1] not in TASKS:
    sys.exit(f"usage: python3 -m ubench {'|'.join(TASKS)} [WORD]...")
launch(TASKS[sys.argv.pop(1)])
