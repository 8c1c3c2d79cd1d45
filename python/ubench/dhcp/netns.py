# SPDX-License-Identifier: ISC
"""Network and process namespaces: servers on one side of a bridge, perfdhcp on the other.

The first network has the interfaces of a single server or of a pair. Each further one has that of
one of several servers on one database; its bridge and its perfdhcp are in a namespace of its own.

All processes, the database servers included, run in namespaces that end with the program, even
after kill -9. So the program meets none of the machine's own servers and needs no free port.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from ubench import signals
from ubench.dhcp.addresses import LOAD_RELAY
from ubench.errors import Problem
from ubench.run import process

INSIDE = "UBENCH_DHCP_INSIDE"  # in the environment of the program that runs in the namespaces
NAMESPACES = (
    *("setpriv", "--pdeathsig", "KILL"),
    *("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"),
)
SERVER_NUMBERS = (1, 2)
LOAD_INTERFACE = "load0"

# The bridge is made first, then for each server a pair of interfaces that it connects.
_BRIDGE = f"link add {LOAD_INTERFACE} type bridge mcast_snooping 0\n"
_SERVER = """
link add dhcp{number} type veth peer name port{number} netns "{load_side}"
addr add 10.0.0.{number}/8 dev dhcp{number}
addr add 2001:db8:1::{number}/64 dev dhcp{number}
link set dhcp{number} up
"""
_PORT = f"link set port{{number}} master {LOAD_INTERFACE} up\n"
_FURTHER_SERVER = """
link add lan{number} type veth peer name port{number} netns "{load_side}"
addr add 10.0.0.1{number}/8 dev lan{number}
link set lan{number} up
"""
_LOAD_ADDRESSES = f"""
addr add {LOAD_RELAY}/8 dev {LOAD_INTERFACE}
addr add 2001:db8:1::9/64 dev {LOAD_INTERFACE}
link set {LOAD_INTERFACE} up
"""


# ---- The namespaces of the program


def is_possible() -> bool:
    """Return whether this user may make network namespaces and bridges on this machine."""
    bridge = ["ip", "link", "add", LOAD_INTERFACE, "type", "bridge"]
    return process.capture([*NAMESPACES, *bridge]).status == 0


def is_inside() -> bool:
    """Return whether this program already has namespaces of its own.

    Its parent there is the first process; a variable that was merely exported changes nothing.
    """
    return INSIDE in os.environ and os.getppid() == 1


def run_inside() -> int:
    """Run this program again in namespaces of its own; return its exit status.

    If this process ends, unshare does, with it the first process inside, and with that all others.
    The first process is a shell, which waits for processes that others have left. Signals go to
    its first child, the program.
    """
    command = [*NAMESPACES, "sh", "-c", '"$@"; exit', "sh", sys.executable, *_own_command()]
    outside = subprocess.Popen(command, start_new_session=True, env={**os.environ, INSIDE: "yes"})

    def hand_on(number: int, _frame: FrameType | None) -> None:
        for shell in process.children(outside.pid):
            process.send_signal(process.children(shell)[:1], number)

    signals.set_handler(hand_on)
    status = outside.wait()
    return status if status >= 0 else 1


def _own_command() -> list[str]:
    """Return the words of this program's command line, with the options of the interpreter."""
    return sys.orig_argv[1:]


# ---- The network


@dataclass(frozen=True)
class Network:
    """Network namespaces; this program and the servers are in one, each perfdhcp in another."""

    load_side: Path  # the file that keeps the namespace of the first perfdhcp

    def load_side_of(self, number: int) -> Path:
        """Return the file that keeps the namespace of a perfdhcp, from 1."""
        if number == 1:
            return self.load_side
        return self.load_side.with_name(f"{self.load_side.stem}{number}{self.load_side.suffix}")

    def on_load_side(self, command: Sequence[str], number: int = 1) -> list[str]:
        """Return the command line that runs a command beside a perfdhcp."""
        return ["nsenter", f"--net={self.load_side_of(number)}", "--", *command]


def make_network(load_side: Path, servers: int = 1) -> Network:
    """Make the namespace of each perfdhcp, a bridge in it, and an interface here for each server.

    `servers` is the number of those that have a network of their own. Raises Problem if the system
    refuses.
    """
    network = Network(load_side)
    _prepare_side([])
    _make_segment(network, 1, {number: _SERVER for number in SERVER_NUMBERS})
    for number in range(2, servers + 1):
        _make_segment(network, number, {number: _FURTHER_SERVER})
    for interface in [
        *(f"dhcp{number}" for number in SERVER_NUMBERS),
        *(f"lan{number}" for number in range(2, servers + 1)),
    ]:
        _wait_up(interface)
    return network


def _make_segment(network: Network, number: int, interfaces: Mapping[int, str]) -> None:
    """Make a network: the commands of ip(8) for each of its servers, by the server's number."""
    load_side = network.load_side_of(number)
    load_side.touch()
    _check(["unshare", f"--net={load_side}", "true"])
    there = network.on_load_side([], number)
    _prepare_side(there)
    _ip_batch(there, _BRIDGE)
    for server, commands in interfaces.items():
        _ip_batch([], commands.format(number=server, load_side=load_side))
        _ip_batch(there, _PORT.format(number=server))
    _ip_batch(there, _LOAD_ADDRESSES)


def _prepare_side(side: Sequence[str]) -> None:
    """Prepare a namespace, into which the words of `side` lead, for interfaces."""
    # Otherwise IPv6 addresses could be used only when no duplicates had been found.
    _check([*side, "sh", "-c", "echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad"])
    _check([*side, "ip", "link", "set", "lo", "up"])


def _ip_batch(side: Sequence[str], commands: str) -> None:
    """Run commands of ip(8), one to a line."""
    _check([*side, "ip", "-batch", "-"], stdin=commands)


def _check(command: Sequence[str], stdin: str | None = None) -> None:
    finished = process.capture(command, stdin=stdin)
    if finished.status != 0:
        raise Problem(f"cannot make the network: {process.first_error(finished.err)}")


def _wait_up(interface: str) -> None:
    """Wait until the kernel says that an interface is up; Kea would open no socket before."""

    def is_up() -> bool:
        return "state UP" in process.capture(["ip", "link", "show", interface]).out

    if not process.wait_until(is_up):
        raise Problem(f"cannot make the network: interface {interface} does not come up")
