# SPDX-License-Identifier: ISC
"""Facts of the machine, by the files of the kernel of machines of several kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from ubench.report.advice import machine
from ubench.report.advice.machine import Machine


def make(root: Path, **files: str) -> Path:
    """Files below a root, by their paths with __ for slashes."""
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({}, None),
        ({"proc/self/cgroup": "0::/\n"}, None),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, None),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "50000 100000\n"}, 0.5),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "150000 100000\n"}, 1.5),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/cpu.max": "max 100000\n",
                "sys/fs/cgroup/a/b/cpu.max": "200000 100000\n",
            },
            2.0,
        ),
        (
            {
                "proc/self/cgroup": "3:cpu,cpuacct:/docker/x\n0::/\n",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "25000\n",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            },
            0.25,
        ),
        (
            {
                "proc/self/cgroup": "3:cpu:/\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            None,
        ),
        ({"proc/self/cgroup": "0::/../..\n", "sys/fs/cgroup/cpu.max": "1 0\n"}, None),
        ({"proc/self/cgroup": "x\n", "sys/fs/cgroup/cpu.max": "nonsense\n"}, None),
    ],
)
def test_the_limit_of_a_control_group(tmp_path, files, limit):
    make(tmp_path, **{name.replace("/", "__"): text for name, text in files.items()})
    assert machine.cpu_limit(tmp_path) == limit


@pytest.mark.parametrize(
    ("processors", "limit", "few"), [(8, None, False), (8, 0.5, True), (2, 2.0, False)]
)
def test_too_few_processors(processors, limit, few):
    assert Machine(processors, limit).has_too_few is few


def test_the_file_system_of_a_file(tmp_path):
    folder = tmp_path / "a b"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    escaped = str(folder).replace(" ", "\\040")
    root = make(
        tmp_path / "root",
        proc__self__mountinfo=(
            "1 0 0:1 / / rw - overlay overlay rw\n"
            "torn\n"
            f"2 1 0:2 / {escaped} rw,nosuid shared:1 - tmpfs tmpfs rw\n"
            f"3 1 0:3 / {str(folder)[:-1]} rw - ext4 /dev/vda rw\n"
        ),
    )
    assert machine.file_system(str(folder / "leases.csv"), root) == "tmpfs"
    assert machine.file_system(str(tmp_path / "link" / "leases.csv"), root) == "tmpfs"
    assert machine.file_system(str(tmp_path / "leases.csv"), root) == "overlay"
    for name in ("", "leases.csv", "/nowhere/at/all/leases.csv", "/\0/x"):
        assert machine.file_system(name, root) == ""


def test_the_file_system_of_memory_on_this_machine():
    assert machine.file_system("/dev/shm/kea-leases4.csv") in ("tmpfs", "")
