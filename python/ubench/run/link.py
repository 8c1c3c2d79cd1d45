# SPDX-License-Identifier: ISC
"""A slow network between private servers, and between them and their clients (ubench_link).

Each server is in a network namespace of its own. The process of ubench_link holds them open; they
and their devices end with it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ubench.errors import Problem
from ubench.run import process

PREFIX = "198.18"  # the range for benchmarks (RFC 2544), which no route should lead to
FIRST_DESCRIPTOR = 100  # ubench_link has the namespace of node N open as 100 + N
STOP_S = 120


class Link:
    """The link of the servers of one kind; its state is in the folder of the first one."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def _noted(self, name: str) -> str:
        with contextlib.suppress(OSError):
            return (self._home / name).read_text().strip()
        return ""

    @property
    def network(self) -> str:
        """The first three numbers of its addresses; "" if there is no link."""
        return self._noted("network")

    def host(self, member: int) -> str:
        """Return the address of a server."""
        network = self.network
        return f"{network}.{member}" if network else "127.0.0.1"

    def namespace(self, member: int) -> Path:
        """Return the file that stands for the network namespace of a server."""
        return Path(f"/proc/{self._noted('link_pid')}/fd/{FIRST_DESCRIPTOR + member}")

    def start(self, command: Sequence[str], members: int, *, ends_with_us: bool = False) -> None:
        """Start ubench_link for `members` servers, and wait until their networks are there.

        `command` has its options for the delay and the loss. Raises Problem if it fails.
        """
        network = _free_network()
        words = ["setpriv", "--pdeathsig=TERM"] if ends_with_us else []
        words += [*command, "--network", network, "--nodes", str(members)]
        log = self._home / "log"
        with open(log, "wb") as file, process.signals_deferred():
            child = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
            (self._home / "link_pid").write_text(str(child.pid))
        try:
            process.wait_until(
                lambda: self.namespace(members).exists() or child.poll() is not None
            )
            if child.poll() is not None or not self.namespace(members).exists():
                text = process.first_error(log.read_text(errors="replace"))
                raise Problem(text.removeprefix("ubench_link: "), child.poll() or 1)
            (self._home / "network").write_text(network)
        except BaseException:
            child.terminate()
            child.wait()
            raise

    def stop(self) -> None:
        """End it, and wait: its devices go before its process does."""
        pid = int(self._noted("link_pid") or 0)
        if pid and self._is_running(pid):
            process.send_signal([pid], signal.SIGTERM)
            process.wait_until(lambda: not self._is_running(pid), STOP_S)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        for name in ("link_pid", "network"):
            (self._home / name).unlink(missing_ok=True)

    @staticmethod
    def _is_running(pid: int) -> bool:
        return any("ubench_link" in word for word in process.command_line(pid))


def _free_network() -> str:
    """Return a network of the range that this machine has no route to."""
    while True:
        network = f"{PREFIX}.{secrets.randbelow(256)}"
        if not process.capture(["ip", "-4", "route", "show", "to", "root", f"{network}.0/24"]).out:
            return network
