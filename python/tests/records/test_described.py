# SPDX-License-Identifier: ISC
"""What runners say of themselves, and what Python makes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ubench import described, paths
from ubench.described import PhaseCount
from ubench.errors import Problem

DESCRIPTION = {
    "options": [{"name": "workload", "default": "phases"}],
    "workloads": [
        {"name": "phases", "option": None, "by_level": False, "options": ["count"]},
        {"name": "search", "option": None, "by_level": False, "options": ["count", "turns"]},
        {"name": "fill", "option": None, "by_level": True, "options": ["count"]},
        {"name": None, "option": None, "by_level": False, "options": ["count", "turns"]},
        {"name": None, "option": "rate", "by_level": False, "options": ["duration"]},
    ],
    "operations": [
        {"name": "find_by_client_id", "changes": False, "phase": "search"},
        {"name": "find_by_address", "changes": False, "phase": "search"},
        {"name": "update", "changes": True, "phase": "renewal"},
        {"name": "purge_reclaimed", "changes": True, "phase": None},
    ],
    "classes": [{"name": "none", "meaning": "nothing"}],
    "exchanges": [
        {"name": "renew", "families": [4], "steps": [
            {"operation": "find_by_client_id", "changes": False, "count": 2},
            {"operation": "update", "changes": True, "count": 1},
            {"operation": "find_by_address", "changes": False, "count": 1}]},
        {"name": "purge", "families": [4, 6], "steps": [
            {"operation": "purge_reclaimed", "changes": True, "count": 1}]},
    ],
}


@pytest.fixture(autouse=True)
def _nothing_is_cached() -> None:
    for cached in (
        described.description, described.meanings, described.phases_of, described.works_in_turns,
        described.is_by_level,
    ):  # fmt: skip
        cached.cache_clear()


@pytest.fixture()
def _described(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "describe.json"
    path.write_text(json.dumps(DESCRIPTION))
    monkeypatch.setattr(paths, "description_file", lambda: path)


@pytest.mark.usefixtures("_described")
@pytest.mark.parametrize(
    ("exchange", "family", "phases"),
    [
        ("renew", 4, (PhaseCount("search", 3, False), PhaseCount("renewal", 1, True))),
        ("renew", 6, ()),
        ("purge", 4, ()),  # no phase does that
        ("other", 4, ()),
    ],
)
def test_exchanges_are_made_of_phases(
    exchange: str, family: int, phases: tuple[PhaseCount, ...]
) -> None:
    assert described.phases_of(exchange, family) == phases


@pytest.mark.usefixtures("_described")
@pytest.mark.parametrize(
    ("workload", "in_turns"),
    [(None, False), ("phases", False), ("search", True), ("renew=9,dora=1", True)],
)
def test_workloads_say_whether_they_work_in_turns(workload: str | None, in_turns: bool) -> None:
    assert described.works_in_turns(workload) is in_turns


@pytest.mark.usefixtures("_described")
@pytest.mark.parametrize(
    ("workload", "by_level"), [("fill", True), ("search", False), ("", False), ("dora=1", False)]
)
def test_workloads_say_whether_their_phases_are_levels(workload: str, by_level: bool) -> None:
    assert described.is_by_level(workload) is by_level


@pytest.mark.usefixtures("_described")
def test_classes_have_meanings() -> None:
    assert described.meanings() == {"none": "nothing"}


def test_a_description_that_is_not_built_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "description_file", lambda: None)
    with pytest.raises(Problem, match=r"describe\.json does not exist; make writes it"):
        described.description()
