# SPDX-License-Identifier: ISC
"""The input files of a runner, which a campaign starts in another folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT

from ubench.run.input_files import with_absolute_paths


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--sql", "a.sql"], ["--sql", "{here}/a.sql"]),
        (["--sql=b/a.sql", "-s", "no"], ["--sql={here}/b/a.sql", "-s", "no"]),
        (["-w", "replay", "--trace", "/t"], ["-w", "replay", "--trace", "/t"]),
        (["--trace=t"], ["--trace={here}/t"]),
        (["--trace", "@isp.trace.gz"], ["--trace", "{root}/results/traces/isp.trace.gz"]),
        (["--trace=@isp.trace.gz"], ["--trace={root}/results/traces/isp.trace.gz"]),
        (["-w", "@own"], ["-w", "@{here}/own"]),
        (["-w@own"], ["-w@{here}/own"]),
        (["--workload=@own"], ["--workload=@{here}/own"]),
        (["-f", "a.db", "-u", "me@host"], ["-f", "a.db", "-u", "me@host"]),
        (["-o", "x=@y"], ["-o", "x=@y"]),
        (["-n"], ["-n"]),
    ],
)
def test_paths_are_absolute(
    words: list[str], expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    named = [word.format(here=tmp_path, root=ROOT) for word in expected]
    assert with_absolute_paths(words) == named
