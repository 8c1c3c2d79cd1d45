# SPDX-License-Identifier: ISC
"""The program scripts/dhcp: measures DHCP servers in namespaces of its own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ubench import cli, paths
from ubench.dhcp import netns
from ubench.dhcp.commands import PROGRAM
from ubench.dhcp.installation import SLOW_HOOK, Installation
from ubench.dhcp.measure import Measurer
from ubench.dhcp.plan import DEFAULT_ALLOCATOR, Plan
from ubench.dhcp.request import DhcpRequest, read_request
from ubench.dhcp.series import Series
from ubench.dhcp.site import SiteConfiguration
from ubench.dhcp.store import LeaseStores
from ubench.dhcp.testbed import Processors, Testbed
from ubench.errors import Problem, UsageError
from ubench.records.observation import DATABASE_SERVERS
from ubench.run import output, process
from ubench.run.progress import progress
from ubench.run.servers import PrivateServers
from ubench.terminal import plain

CANNOT_RUN = 77  # exit status: this machine lacks what a plan needs
TOOLS = ("perfdhcp", "taskset", "nsenter")
LOAD_SIDE = "load.net"  # the first file that is written to the folder

SITE_REPLACED = (
    "{}: replaced or left out: {}; the clients are in an added subnet with the options of the "
    "first one"
)
SITE_PAIR = "{}: its pair, {}, is measured as the pair of --ha"
SITE_ONE_SERVER = "{}: its pair, {}, is measured as one server, because of --ha none"


def main(words: Sequence[str]) -> int:
    """Run scripts/dhcp with these words; return the exit status."""
    return cli.guard(PROGRAM, carry_out, words)


def carry_out(words: Sequence[str]) -> int:
    """Carry out a command line; return the exit status. Raises Problem."""
    request = read_request(words)
    process.handle_signals()
    os.environ["LC_ALL"] = "C"  # the output of tools is read
    for plan in request.plans:
        check_prefix(plan.prefix)
    if not netns.is_inside():
        check_machine(request.plans)
        return netns.run_inside()
    measure(request)
    return 0


def make_work_folder() -> Path:
    """Make the folder for everything that is written, and return it.

    Raises Problem if UBENCH_DHCP names a folder with other files: some folders in it are removed.
    """
    named = os.environ.get("UBENCH_DHCP")
    work = Path(named).absolute() if named else paths.writable() / "dhcp"
    work.mkdir(parents=True, exist_ok=True)
    names = sorted(os.listdir(work))
    if named and names and LOAD_SIDE not in names:
        raise Problem(
            f"UBENCH_DHCP: '{work}' has '{names[0]}', which no measurement made; name an empty "
            "directory"
        )
    return work


def measure(request: DhcpRequest) -> None:
    """Make the network and carry out all plans, within namespaces of its own."""
    work = make_work_folder()
    output.lock_folder(work, "another dhcp is running here")
    network = netns.make_network(work / LOAD_SIDE, max(plan.servers for plan in request.plans))
    testbed = Testbed(work, network, Processors.available())
    if request.site:
        describe_site(request.site, request.plans)
    results = (request.output or work / "results.jsonl").absolute()
    with PrivateServers(work / "servers") as databases:
        with progress(PROGRAM, lines=False) as shown:
            measurer = Measurer(testbed, LeaseStores(testbed, databases), shown)
            series = Series(request.plans, measurer, results, shown, request.site)
            lines = series.run()
        series.show(lines)


def describe_site(site: SiteConfiguration, plans: Sequence[Plan]) -> None:
    """Say what of a site's file is measured otherwise than it stands there."""
    replaced = ", ".join(site.replaced) or "nothing"
    cli.say(PROGRAM, SITE_REPLACED.format(site.path, replaced))
    if site.pair != "none":
        is_pair = any(plan.is_pair for plan in plans)
        cli.say(PROGRAM, (SITE_PAIR if is_pair else SITE_ONE_SERVER).format(site.path, site.pair))


# ---- What is needed


def check_prefix(prefix: str) -> None:
    """Raise UsageError if no Kea is installed below a prefix."""
    if prefix and not any(Path(prefix).glob("sbin/kea-dhcp[46]")):
        raise UsageError(f"--prefix: '{prefix}' has no sbin/kea-dhcp4; expected an installed Kea")


def check_machine(plans: Sequence[Plan]) -> None:
    """Raise Problem, with exit status 77 and the reason, if this machine lacks what is needed."""
    if os.geteuid() != 0:
        raise cannot_run("only root can make network namespaces; run it with sudo")
    if not netns.is_possible():
        raise cannot_run("this system does not allow network namespaces and bridges")
    for plan in plans:
        check_plan(plan)


def check_plan(plan: Plan) -> None:
    """Raise Problem if a program or a library that a plan needs is missing."""
    installation = Installation(plan.prefix)
    tools = [*TOOLS, plan.program, *(["kea-admin"] if plan.database_kinds else [])]
    for tool in tools:
        if not installation.find(tool):
            packages = "test" if tool == "dhcpd" else "servers"
            raise cannot_run(f"no {tool}; run: scripts/deps.sh {packages}")
    # The class of a store is what its runner reads from the same server.
    programs = [paths.program("ubench_report")]
    if plan.store in DATABASE_SERVERS:
        programs.append(paths.runner(plan.store))
    for program in programs:
        if not os.access(program, os.X_OK):
            raise Problem(f"{program.parent} has no {program.name}; run: make")
    if plan.hook != "none" and not paths.library(SLOW_HOOK):
        raise cannot_run(f"no {SLOW_HOOK}; run: scripts/deps.sh servers kea-dev && make")
    if plan.allocator != DEFAULT_ALLOCATOR:
        check_allocator(plan, installation)
    if plan.is_pair and not (installation.hooks and has_pairs(installation.hooks)):
        raise cannot_run("Kea has no libdhcp_ha.so; run: scripts/deps.sh servers")


def check_allocator(plan: Plan, installation: Installation) -> None:
    """Raise Problem if this Kea does not have the allocator of a plan: shared-flq is new in 3.2."""
    family = plan.family
    pool = "10.1.0.0 - 10.1.0.9" if family == 4 else "2001:db8::1:0 - 2001:db8::1:9"
    network = "10.0.0.0/8" if family == 4 else "2001:db8::/64"
    subnet = {"id": 1, "subnet": network, "pools": [{"pool": pool}]}
    config = {f"Dhcp{family}": {"allocator": plan.allocator, f"subnet{family}": [subnet]}}
    complaint = installation.complaint(plan, config)
    if complaint:
        version = installation.version(plan)
        raise cannot_run(
            f"{plan.program} {version} does not have --allocator {plan.allocator}; it says: "
            f"{plain(complaint)}"
        )


def has_pairs(hooks: Path) -> bool:
    """Return whether a folder of hook libraries has the one for pairs."""
    return (hooks / "libdhcp_ha.so").exists()


def cannot_run(reason: str) -> Problem:
    """Return the problem of a machine that lacks something."""
    return Problem(f"skipped: {reason}", CANNOT_RUN)
