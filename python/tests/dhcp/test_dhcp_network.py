# SPDX-License-Identifier: ISC
"""Commands that make a network, without one."""

from __future__ import annotations

import pytest

from ubench.dhcp import netns
from ubench.errors import Problem


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
