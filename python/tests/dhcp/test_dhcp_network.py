# SPDX-License-Identifier: ISC
"""Commands that make a network, without one."""

from __future__ import annotations

import pytest

from ubench.dhcp import netns
from ubench.errors import Problem


def test_a_command_that_fails_is_named_by_its_first_error(monkeypatch, tmp_path):
    ip = tmp_path / "ip"
    ip.write_text("#!/bin/sh\nread -r line; [ $line = good ] || { echo no >&2; exit 1; }\n")
    ip.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    netns._ip_batch([], "good\n")
    with pytest.raises(Problem, match="cannot make the network: no"):
        netns._ip_batch([], "bad\n")
