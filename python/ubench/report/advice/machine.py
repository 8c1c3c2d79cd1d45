# SPDX-License-Identifier: ISC
"""Facts of the machine that runs this: its processors, and the file system of a file.

The configuration may be that of another machine, so the sentences that use this say "here".
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/")
PROCESSORS_MOST = 1e6


@dataclass(frozen=True)
class Machine:
    """The processors that Kea would find, and the share of them that it may use.

    `cpu_limit` is that of the control group, as containers have it; None: no limit.
    """

    processors: int
    cpu_limit: float | None

    @property
    def has_too_few(self) -> bool:
        """True if there are fewer processors to use than Kea would find."""
        return self.cpu_limit is not None and self.cpu_limit < self.processors


UNKNOWN_MACHINE = Machine(1, None)


def this_machine() -> Machine:
    """Return the machine or the container that runs this."""
    return Machine(len(os.sched_getaffinity(0)), cpu_limit())


def cpu_limit(root: Path = ROOT) -> float | None:
    """Return the processors that the control group of this process may use; None without a limit.

    The limit of each group above it counts too. Version 2 has "QUOTA PERIOD" in cpu.max, "max"
    without a limit; version 1 has cpu.cfs_quota_us, -1 without a limit, and cpu.cfs_period_us.
    """
    limits = [group_limit(folder) for folder in group_folders(root)]
    return min((limit for limit in limits if limit is not None), default=None)


def group_folders(root: Path) -> list[Path]:
    """Return the directories of this process's cgroups for processors, and those above."""
    folders = []
    for line in read_text(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if number == "0" and not controllers:
            tops = [root / "sys/fs/cgroup", root / "sys/fs/cgroup/unified"]
        elif "cpu" in controllers.split(","):
            tops = [root / "sys/fs/cgroup" / name for name in (controllers, "cpu")]
        else:
            continue
        parts = [part for part in group.split("/") if part not in ("", "..")]
        for top in tops:
            folders += [top.joinpath(*parts[:count]) for count in range(len(parts) + 1)]
    return folders


def group_limit(folder: Path) -> float | None:
    """Return the limit of one control group in processors; None if it has none."""
    quota, _, period = read_text(folder / "cpu.max").partition(" ")
    if not quota:
        quota = read_text(folder / "cpu.cfs_quota_us")
        period = read_text(folder / "cpu.cfs_period_us")
    try:
        limit = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):
        return None
    return limit if 0 < limit < PROCESSORS_MOST else None


def read_text(path: Path) -> str:
    """Return the text of a small file of the kernel; "" if it cannot be read."""
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def file_system(path: str, root: Path = ROOT) -> str:
    """Return the type of file system of a file, as "tmpfs"; "" without its directory."""
    folder = os.path.dirname(path)
    if not os.path.isabs(path) or "\0" in path or not os.path.isdir(folder):
        return ""
    real = os.path.realpath(folder)
    found = ("", "")
    for line in read_text(root / "proc/self/mountinfo").splitlines():
        mount, _, types = line.partition(" - ")
        fields, kinds = mount.split(" "), types.split(" ")
        if len(fields) < 5 or not kinds[0]:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields[4])
        is_above = real == point or real.startswith(point.rstrip("/") + "/")
        if is_above and len(point) >= len(found[0]):  # a later mount hides an earlier one
            found = (point, kinds[0])
    return found[1]
