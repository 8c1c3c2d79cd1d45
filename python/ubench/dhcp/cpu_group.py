# SPDX-License-Identifier: ISC
"""A control group that limits the processors of a server, as a container has it.

The server finds all processors of the machine, and starts as many threads as without a limit; the
kernel lets them run for their share of each 100 ms.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from ubench.errors import Problem

GROUPS = Path("/sys/fs/cgroup")
PERIOD_US = 100000  # the default of Docker and Kubernetes
PREFIX = "ubench-dhcp-"
# A process joins the group and then becomes the command.
JOIN = ("sh", "-c", 'echo 0 >"$0/cgroup.procs" && exec "$@"')


@contextlib.contextmanager
def limited(cpus: float, groups: Path = GROUPS) -> Iterator[list[str]]:
    """Yield the words before a command that runs on so many processors; none without a limit.

    The group is removed at the end. Raises Problem if the system allows none.
    """
    if not cpus:
        yield []
        return
    top = hierarchy(groups)
    remove_others(top)
    try:
        group = Path(tempfile.mkdtemp(prefix=own_prefix(), dir=top))
        for name, value in settings(group, cpus):
            (group / name).write_text(value, encoding="ascii")
    except OSError as error:
        raise Problem(
            f"--cpus: cannot limit processors in '{top}': {error.strerror}; expected control "
            "groups that root may change, as outside of a container"
        ) from None
    try:
        yield [*JOIN, str(group)]
    finally:
        remove(group)


def own_prefix() -> str:
    """Return the beginning of the names of this program's groups, in its process namespace."""
    return f"{PREFIX}{os.stat('/proc/self/ns/pid').st_ino}-{os.getpid()}-"


def hierarchy(groups: Path) -> Path:
    """Return the directory of the groups that limit processors, of version 1 or 2."""
    version_1 = groups / "cpu"
    return version_1 if (version_1 / "cpu.cfs_period_us").exists() else groups


def settings(group: Path, cpus: float) -> Sequence[tuple[str, str]]:
    """Return the files of a new group that set its limit, with what is written into them.

    In version 2 the groups above must share out processors, as those of systemd do.
    """
    quota_us = max(1000, round(cpus * PERIOD_US))
    if (group / "cpu.cfs_quota_us").exists():
        return [("cpu.cfs_period_us", str(PERIOD_US)), ("cpu.cfs_quota_us", str(quota_us))]
    return [("../cgroup.subtree_control", "+cpu"), ("cpu.max", f"{quota_us} {PERIOD_US}")]


def remove(group: Path) -> None:
    """Remove a group, unless it still has processes, such as Kea's clean-up of its lease file."""
    with contextlib.suppress(OSError):
        group.rmdir()


def remove_others(top: Path) -> None:
    """Remove the empty groups that earlier or killed programs left."""
    for group in top.glob(f"{PREFIX}*"):
        if not group.name.startswith(own_prefix()):
            remove(group)
