# SPDX-License-Identifier: ISC
"""The control group that limits the processors of a server."""

from __future__ import annotations

import os
import subprocess
import time

import pytest
from conftest import cannot_run

from ubench.dhcp import cpu_group
from ubench.errors import Problem


@pytest.mark.parametrize(
    ("cpus", "maximum", "quota"),
    [(0.5, "50000 100000", "50000"), (2, "200000 100000", "200000"), (1e-4, "1000 100000", "1000")],
)
def test_the_limit_of_both_versions(tmp_path, cpus, maximum, quota):
    assert dict(cpu_group.settings(tmp_path, cpus))["cpu.max"] == maximum
    (tmp_path / "cpu.cfs_quota_us").touch()
    values = dict(cpu_group.settings(tmp_path, cpus))
    assert values == {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": quota}


def test_the_hierarchy_of_version_1_is_that_of_processors(tmp_path):
    assert cpu_group.hierarchy(tmp_path) == tmp_path
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu" / "cpu.cfs_period_us").touch()
    assert cpu_group.hierarchy(tmp_path) == tmp_path / "cpu"


def test_without_a_limit_nothing_is_made(tmp_path):
    with cpu_group.limited(0, tmp_path) as words:
        assert words == []
    assert list(tmp_path.iterdir()) == []


def test_a_system_that_allows_no_groups_is_named(tmp_path):
    with (
        pytest.raises(Problem, match="--cpus: cannot limit processors in"),
        cpu_group.limited(1, tmp_path / "none"),
    ):
        pass


@pytest.mark.root
def test_a_process_gets_its_share():
    try:
        with cpu_group.limited(0.2) as words:
            loop = [*words, "timeout", "1.5", "sh", "-c", "while :; do :; done"]
            begun = time.monotonic()
            with subprocess.Popen(loop) as child:
                _, _, usage = os.wait4(child.pid, 0)
                child.returncode = 0
            elapsed = time.monotonic() - begun
    except Problem as problem:
        cannot_run(str(problem))
    assert usage.ru_utime + usage.ru_stime < 0.3 * elapsed
    top = cpu_group.hierarchy(cpu_group.GROUPS)
    assert not list(top.glob(f"{cpu_group.own_prefix()}*"))


@pytest.mark.root
def test_two_servers_have_a_group_each():
    try:
        with cpu_group.limited(0.5) as first, cpu_group.limited(0.5) as second:
            assert first[-1] != second[-1]
            groups = subprocess.check_output([*first, "cat", "/proc/self/cgroup"], text=True)
            assert os.path.basename(first[-1]) in groups
    except Problem as problem:
        cannot_run(str(problem))
