# SPDX-License-Identifier: ISC
"""Where a DHCP server is measured: its folder, its network and its processors."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ubench.dhcp import perfdhcp
from ubench.dhcp.addresses import plan_subnets
from ubench.dhcp.netns import Network
from ubench.dhcp.plan import Plan
from ubench.terminal import plain_lines

SHOWN_LINES = 5  # of logs, before a message


@dataclass(frozen=True)
class Processors:
    """The processors of the two sides, as taskset(1) takes them."""

    server: str  # of the servers and their databases
    load: str  # of perfdhcp

    @classmethod
    def available(cls) -> Processors:
        """Return the processors of servers and of perfdhcp, which has the last of those allowed."""
        *others, last = map(str, sorted(os.sched_getaffinity(0)))
        return cls(",".join(others) or last, last)


@dataclass(frozen=True)
class Testbed:
    """The folder of all that servers and clients write, the network, and the processors."""

    work: Path
    network: Network
    processors: Processors

    @property
    def hooks(self) -> Path:
        """The folder with links to hook libraries."""
        return self.work / "hooks"

    def load_output(self, number: int = 1) -> Path:
        """Return what the perfdhcp of a network wrote in the last trial."""
        return self.work / (f"load{number}.out" if number > 1 else "load.out")

    def heard(self, number: int) -> Path:
        """Return what the clients of a network heard in the last trial."""
        return self.work / f"heard{number}.txt"

    def home(self, number: int) -> Path:
        """Return the folder of a server, which has its configuration, its log and its leases."""
        return self.work / f"server{number}"

    def on_server_processors(self) -> list[str]:
        """Return the words before a command that runs on the processors of the servers."""
        return ["taskset", "-c", self.processors.server]

    def on_load_side(self, command: Sequence[str], number: int = 1) -> list[str]:
        """Return the command line for a command on the processor and a network of the clients."""
        on_processor = ["taskset", "-c", self.processors.load]
        return self.network.on_load_side([*on_processor, *command], number)

    def clients(self, plan: Plan, options: list[str], number: int = 1) -> list[str]:
        """Return the command line of perfdhcp, behind relays if the plan has several subnets."""
        relays = self.work / "relays"
        if plan.subnets > 1:
            addresses = [f"{subnet.relay}\n" for subnet in plan_subnets(plan)]
            relays.write_text("".join(addresses), encoding="ascii")
        return self.on_load_side(perfdhcp.command(plan, str(relays), *options), number)


def read_text(path: Path) -> str:
    """Return the text of a file that another program writes; "" if it does not exist yet."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def show_logs(*paths: Path) -> None:
    """Print the last lines of logs on standard error, before a message says what failed."""
    lines = "".join(map(read_text, paths)).splitlines()[-SHOWN_LINES:]
    print(*map(plain_lines, lines), sep="\n", file=sys.stderr, flush=True)
