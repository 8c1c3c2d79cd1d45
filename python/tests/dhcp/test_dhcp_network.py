# SPDX-License-Identifier: ISC
"""Commands that make a network, without one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from conftest import cannot_run

from ubench.dhcp import netns, program
from ubench.errors import Problem
from ubench.run import process


def test_each_network_of_clients_has_a_namespace(tmp_path):
    network = netns.Network(tmp_path / "load.net")
    sides = [network.load_side_of(number) for number in (1, 2, 8)]
    assert [side.name for side in sides] == ["load.net", "load2.net", "load8.net"]
    assert network.on_load_side(["ls"], 2)[1:] == [f"--net={tmp_path}/load2.net", "--", "ls"]


def test_a_command_that_fails_is_named_by_its_first_error(monkeypatch, tmp_path):
    ip = tmp_path / "ip"
    ip.write_text("#!/bin/sh\nread -r line; [ $line = good ] || { echo no >&2; exit 1; }\n")
    ip.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    netns._ip_batch([], "good\n")
    with pytest.raises(Problem, match="cannot make the network: no"):
        netns._ip_batch([], "bad\n")


def test_a_variable_alone_does_not_change_the_machine(monkeypatch):
    """Only within its own namespaces may the program make a network."""
    monkeypatch.setenv(netns.INSIDE, "yes")
    for parent, is_inside in ((2, False), (1, True)):
        monkeypatch.setattr(os, "getppid", lambda parent=parent: parent)
        assert netns.is_inside() is is_inside


def test_a_folder_of_others_stays(monkeypatch, tmp_path):
    """Servers and hook libraries are in folders that each measurement removes."""
    work = tmp_path / "kea"
    monkeypatch.setenv("UBENCH_DHCP", str(work))
    assert program.make_work_folder() == work
    (work / "hooks").mkdir()
    with pytest.raises(Problem, match=f"UBENCH_DHCP: '{work}' has 'hooks', which no measurement"):
        program.make_work_folder()
    (work / program.LOAD_SIDE).touch()
    assert program.make_work_folder() == work


@pytest.mark.root
def test_the_folder_may_have_a_blank_in_its_name(tmp_path):
    if not netns.is_possible():
        cannot_run("this system does not allow network namespaces and bridges")
    folder = tmp_path / "a b"
    folder.mkdir()
    text = (
        "from pathlib import Path; from ubench.dhcp import netns; "
        f"netns.make_network(Path({str(folder)!r}) / 'load.net', 2)"
    )
    done = process.capture(
        [*netns.NAMESPACES, sys.executable, "-B", "-c", text],
        env={**os.environ, "PYTHONPATH": str(Path(netns.__file__).parents[2])},
    )
    assert (done.status, done.err) == (0, "")
