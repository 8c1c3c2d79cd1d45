# SPDX-License-Identifier: ISC
"""Starts the DHCP servers of a plan, one or several, and waits until they serve."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import time
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from types import TracebackType

from ubench.dhcp import perfdhcp
from ubench.dhcp.config import (
    DatabaseAccess,
    Surroundings,
    dhcpd_config,
    has_perfmon,
    kea_config,
)
from ubench.dhcp.cpu_group import limited
from ubench.dhcp.installation import FOLDER_VARIABLES, Installation
from ubench.dhcp.plan import Plan
from ubench.dhcp.site import SiteConfiguration
from ubench.dhcp.testbed import Testbed, read_text, show_logs
from ubench.errors import Problem
from ubench.run import process

START_S = 60  # that servers have until they serve
POLL_S = 0.1
UNKNOWN_MEMBER = re.compile(r'got unexpected keyword "([^"\n]+)" in (\S+) map')


class Servers:
    """The servers of a plan, by their numbers from 1.

    As a context manager it kills those that still run if the block raises.
    """

    def __init__(
        self,
        plan: Plan,
        testbed: Testbed,
        installation: Installation,
        databases: Mapping[str, DatabaseAccess],
        site: SiteConfiguration | None = None,
    ) -> None:
        """Start nothing yet. `databases` has those that run, by kind."""
        self._plan = plan
        self._testbed = testbed
        self._installation = installation
        self._databases = databases
        self._site = site
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._groups = contextlib.ExitStack()

    def __enter__(self) -> Servers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number in self._processes:
            self.kill(number)
        self._groups.close()

    # ---- Start

    def start(self, numbers: Iterable[int]) -> float:
        """Start servers and wait until all serve; return the seconds that it took.

        Raises Problem if one of them ends, or does not serve within a minute.
        """
        begun = time.monotonic()
        for number in numbers:
            self._launch(number)
        while not self._serve():
            for number in self._processes:
                if self.has_ended(number) or time.monotonic() > begun + START_S:
                    raise self._failure(number)
            time.sleep(POLL_S)
        return time.monotonic() - begun

    def _launch(self, number: int) -> None:
        """Start a server, whose folder may have leases."""
        home = self._testbed.home(number)
        config = home / "server.conf"
        options: list[str | Path]
        if self._plan.is_dhcpd:
            config.write_text(dhcpd_config(self._plan), encoding="utf-8")
            leases = home / "leases"
            leases.touch()
            options = ["-f", "-4", "-q", "--no-pid", "-cf", config, "-lf", leases, "dhcp1"]
        else:
            config.write_text(self._kea_config(number), encoding="utf-8")
            options = ["-c", config]
        limit = self._groups.enter_context(limited(self._plan.cpus))
        with open(home / "server.out", "wb") as output:
            self._processes[number] = subprocess.Popen(
                [*limit, *self._testbed.on_server_processors(), self._plan.program, *options],
                env=self._environment(number),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def _kea_config(self, number: int) -> str:
        around = Surroundings(
            self._testbed.home(number), self._testbed.hooks, self._databases, self._site
        )
        try:
            return json.dumps(kea_config(self._plan, number, around), indent=2)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise Problem(
                f"--set or --config: {error!r}: the configuration has no place for a member; "
                "expected the path of a member of Kea's configuration, as in the manual of Kea"
            ) from error

    def _environment(self, number: int) -> dict[str, str]:
        home = str(self._testbed.home(number))
        environment = {
            **self._installation.environment,
            **dict.fromkeys(FOLDER_VARIABLES, home),
            "KEA_HOOKS_PATH": str(self._testbed.hooks),
        }
        if self._plan.subnets > 1:  # the relays that perfdhcp plays have no addresses of their own
            environment["KEA_TEST_SEND_RESPONSES_TO_SOURCE"] = "ENABLE"
        return environment

    def _serve(self) -> bool:
        """Return whether a client of each network is answered, and both of a pair work together."""
        return all(map(self._is_in_service, self._plan.server_numbers)) and all(
            map(self.serve_client, self._plan.network_numbers)
        )

    def serve_client(self, network: int = 1) -> bool:
        """Let one client of a network ask for a lease; return whether it was answered."""
        probe = self._testbed.clients(self._plan, perfdhcp.probe_options(), network)
        finished = process.capture(probe, env=self._installation.environment)
        return perfdhcp.answered(finished.out + finished.err)

    def _is_in_service(self, number: int) -> bool:
        """Return whether the last state of a server of a pair is the one in which both serve."""
        if not self._plan.is_pair:
            return True
        log = read_text(self._testbed.home(number) / "server.log")
        states = re.findall("HA_STATE_TRANSITION.*", log)
        return bool(states) and f"to {self._plan.ha} state" in states[-1].lower()

    def _failure(self, number: int) -> Problem:
        """Return why a server does not start; its logs are printed unless Kea's reason is known."""
        home, program = self._testbed.home(number), self._plan.program
        logs = home / "server.out", home / "server.log"
        unknown = UNKNOWN_MEMBER.search("".join(map(read_text, logs)))
        if unknown:
            return Problem(
                f"{program} {self._installation.version(self._plan)} does not know '{unknown[1]}', "
                f"a member of {unknown[2]}; leave it out of --set and --config, or measure a newer "
                "Kea (scripts/distro.sh, --prefix)"
            )
        show_logs(*logs)
        return Problem(f"{program} does not start: see above and {home}/server.conf")

    # ---- While they run

    @property
    def has_perfmon(self) -> bool:
        """True if the configuration has libdhcp_perfmon, as that of --where has if Kea has it."""
        return has_perfmon(self._plan, self._testbed.hooks)

    @property
    def pids(self) -> list[int]:
        """The processes of the servers that were started and not stopped."""
        return [server.pid for server in self._processes.values()]

    def has_ended(self, number: int) -> bool:
        """Return whether a server that was started has ended."""
        return self._processes[number].poll() is not None

    def first_ended(self, killed: Container[int] = ()) -> int | None:
        """Return the first server that has ended and is not among the killed ones, or None."""
        ended = (number for number in self._processes if self.has_ended(number))
        return next((number for number in ended if number not in killed), None)

    # ---- End

    def kill(self, number: int) -> None:
        """End a server at once, as a crash does."""
        self._processes[number].kill()
        self._processes[number].wait()

    def start_killed(self, number: int) -> float:
        """Start a server again that was killed; return the seconds until all serve."""
        del self._processes[number]
        (self._testbed.home(number) / "server.log").unlink(missing_ok=True)
        return self.start([number])

    def stop(self) -> None:
        """End all servers, which write what they still have to, and wait."""
        for server in self._processes.values():
            server.terminate()
        for server in self._processes.values():
            server.wait()
        self._processes.clear()
