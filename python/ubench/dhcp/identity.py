# SPDX-License-Identifier: ISC
"""What runs of a server have in common if they are alike.

The identity of a run is the members of its line of results that say what was measured, and where.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from ubench.dhcp.config import Surroundings, hook_libraries
from ubench.dhcp.measure import Subject
from ubench.dhcp.plan import Plan
from ubench.dhcp.site import LeaseCache, lease_cache, present_libraries
from ubench.dhcp.testbed import Testbed, read_text
from ubench.kea_config.members import Members
from ubench.records.server_lines import SETTINGS

SERVER_FORMAT = "ubench-kea/1"
NOT_COMPARED = ("server_library",)  # the path of a library, which need not differ between builds

Identity = dict[str, object]


def identify(subject: Subject, testbed: Testbed) -> Identity:
    """Return the identity of the runs of a plan; the testbed has links to its hook libraries."""
    plan = subject.plan
    version = subject.installation.version(plan)
    identity: Identity = {
        **plan.members(),
        "server_version": version,
        "processors": asdict(testbed.processors),
        "host": _host(),
    }
    if plan.is_dhcpd:
        return identity
    build = subject.installation.build(plan, _loaded_hooks(subject, testbed))
    members = subject.site.members if subject.site else Members()
    cache = lease_cache(plan.overrides, members, plan.family, version)
    return {**identity, **build.members(), **_cache_members(plan, cache)}


def _host() -> dict[str, str]:
    models = re.findall(r"^model name\s*: (.*)", read_text(Path("/proc/cpuinfo")), re.MULTILINE)
    return {
        "cpu": "".join(models[:1]).strip(),
        "cores": str(os.sysconf("SC_NPROCESSORS_CONF")),
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def _loaded_hooks(subject: Subject, testbed: Testbed) -> list[Path]:
    """Return the hook libraries of its configuration, in the folder of their links."""
    plan, site = subject.plan, subject.site
    around = Surroundings(testbed.home(1), testbed.hooks, {}, site)
    libraries = hook_libraries(plan, 1, around)
    if site:
        libraries += present_libraries(site.members, testbed.hooks)
    return [Path(hook["library"]) for hook in libraries]


def _cache_members(plan: Plan, cache: LeaseCache) -> Identity:
    """Return for how long Kea gives a lease again without writing it, as a share of its lifetime.

    With renewals also whether they are written: a trial renews leases that were granted in it.
    """
    members: Identity = {}
    if cache.threshold:
        members["cache_threshold"] = cache.threshold
    if plan.renew:
        members["renewals"] = "cached" if cache.young_s > plan.seconds else "written"
    return members


def runs_alike(
    lines: Iterable[Mapping[str, object]], identity: Identity
) -> Iterator[Mapping[str, object]]:
    """Yield the lines of results that are runs of an identity. A member that is not there is 0.

    A rate that an earlier search found, which has no goals, is not a run.
    """
    names = {*identity, *SETTINGS} - set(NOT_COMPARED)
    for line in lines:
        is_of_search = identity["command"] != "rate" or "goals" in line
        is_alike = all((line.get(name) or 0) == (identity.get(name) or 0) for name in names)
        if line.get("format") == SERVER_FORMAT and is_of_search and is_alike:
            yield line
