# SPDX-License-Identifier: ISC
"""Cases: the results of both sides of a comparison that have the same parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ubench.errors import Problem
from ubench.records.observation import Observation
from ubench.report.grouping import Group, make_group
from ubench.report.properties import (
    Key,
    Property,
    PropertyKind,
    differences,
    distinguishing,
    load_first,
    make_key,
    order_of,
    values_label,
)
from ubench.report.sides import SIDES, SideObservations

CASE_KINDS = (PropertyKind.PARAMETER, PropertyKind.REQUEST, PropertyKind.LABEL)
ABSENT = "(none)"  # the value of a property that a side does not have
MOST_VALUES = 4  # of a difference, which are printed


@dataclass
class Doubts:
    """Collects what is noted while a comparison is made."""

    notes: dict[str, None] = field(default_factory=dict)
    lacking: list[str] = field(default_factory=list)
    without_figure: int = 0

    def note(self, text: str) -> None:
        """Note a text, once."""
        self.notes.setdefault(text)

    def note_alone(self, side: int, case: str, thing: str) -> None:
        """Note a case, or a phase of a case, that only one side has."""
        before = f"{case}: " if case else ""
        self.note(f"{before}only the {SIDES[side]} has {thing}")
        if side == 0:
            self.lacking.append(before + thing)


@dataclass(frozen=True)
class Case:
    """The results of both sides that have the same parameters."""

    name: str  # "mysql", "mysql, threads=4"
    sides: tuple[Group, Group]

    @property
    def is_open(self) -> bool:
        """True of an open loop, which is never mixed with phases."""
        return self.sides[0].first.load.open

    @property
    def classes(self) -> tuple[str, str]:
        """The class of each side for people."""
        return _class_name(self.sides[0]), _class_name(self.sides[1])


@dataclass(frozen=True)
class _Entry:
    """An observation of a side, and its properties that can tell cases apart."""

    side: int
    observation: Observation
    key: Key


def find_cases(members: SideObservations, chosen: set[str], doubts: Doubts) -> list[Case]:
    """Return the cases that both sides have; note those that only one has."""
    named: dict[str, SideObservations] = {}
    for store, entries in _by_store(members, chosen).items():
        axes = _axes(entries, chosen)
        for entry in entries:
            loop = "open loop" if entry.observation.load.open else ""
            parts = (store, loop, values_label(entry.key, axes))
            name = ", ".join(part for part in parts if part)
            named.setdefault(name, ([], []))[entry.side].append(entry.observation)
    names = sorted(named, key=lambda name: [order_of(part) for part in re.split("([0-9]+)", name)])
    cases = []
    for name in names:
        baseline, candidate = named[name]
        if baseline and candidate:
            cases.append(Case(name, (make_group(baseline), make_group(candidate))))
        else:
            doubts.note_alone(0 if baseline else 1, "", name)
    if not cases:
        first = next(name for name in names if named[name][0])
        last = [name for name in names if named[name][1]][-1]
        raise Problem(
            f"the two groups have no case in common: {first} on one side, {last} on the other"
        )
    return cases


def _by_store(members: SideObservations, chosen: set[str]) -> dict[str, list[_Entry]]:
    """Return the entries by store; under "" if it is stores that are compared."""
    stores = [{each.store for each in side} for side in members]
    is_one_each = all(len(side) == 1 for side in stores)
    is_across = "store" in chosen or (is_one_each and stores[0] != stores[1])
    entries: dict[str, list[_Entry]] = {}
    for side, observations in enumerate(members):
        for each in observations:
            entry = _Entry(side, each, make_key(each, CASE_KINDS))
            entries.setdefault("" if is_across else each.store, []).append(entry)
    return entries


def _axes(entries: Sequence[_Entry], chosen: set[str]) -> list[Property]:
    """Return the properties that name the cases of a store.

    They differ within a side, between results of the same kind of loop, and the sides were not
    chosen by them.
    """
    differing: list[Property] = []
    firsts: dict[tuple[int, bool], Key] = {}
    for entry in entries:
        first = firsts.setdefault((entry.side, entry.observation.load.open), entry.key)
        differing = differences(first, [entry.key], differing)
    axes = load_first(each for each in differing if each.name not in chosen)
    return distinguishing(axes, [entry.key for entry in entries])


def _class_name(group: Group) -> str:
    classes = {each.cls for each in group.observations}
    if len(classes) > 1:
        return "mixed"
    return group.cls.value if group.cls else "unknown"


def check_classes(case: Case) -> None:
    """Raise Problem if both sides may not have the same durability."""
    baseline, candidate = case.classes
    if baseline == candidate and baseline not in ("unknown", "mixed"):
        return
    before = f"{case.name}: " if case.name else ""
    hint = "--across-classes compares them anyway"
    if baseline == candidate == "unknown":
        raise Problem(
            f"{before}the durability of both groups is unknown, and may not be the same; {hint}"
        )
    raise Problem(
        f"{before}the durability of the baseline is {baseline}, of the candidate {candidate}: "
        f"their rates are not comparable; {hint}"
    )


def differing_properties(cases: Iterable[Case]) -> str:
    """Return what is not the same on both sides of a case: settings, versions, machines.

    Of properties that one side lacks the names alone. A parameter can be a fact as well, and
    several cases can have the same difference: each is there once.
    """
    differing: dict[tuple[str, str, str], None] = {}
    for case in cases:
        keys = [[make_key(each, tuple(PropertyKind), True) for each in side.observations]
                for side in case.sides]
        properties = differences(keys[0][0], [*keys[0][1:], *keys[1]])
        for each in sorted(properties, key=_order_of_kind):
            before, after = (_values(each, side) for side in keys)
            differing.setdefault((each.name, before, after))
    both = [each for each in differing if ABSENT not in each[1:]]
    parts = [f"{name}: {before} -> {after}" for name, before, after in both]
    for side, other in ((0, 1), (1, 0)):
        names = dict.fromkeys(each[0] for each in differing if each[1 + other] == ABSENT)
        if names:
            parts.append(f"only the {SIDES[side]} has {', '.join(names)}")
    return "; ".join(parts)


def _order_of_kind(each: Property) -> int:
    """Sort requests with parameters, and facts with the product."""
    same = {PropertyKind.REQUEST: PropertyKind.PARAMETER, PropertyKind.FACT: PropertyKind.PRODUCT}
    return list(PropertyKind).index(same.get(each.kind, each.kind))


def _values(each: Property, keys: Iterable[Key]) -> str:
    values = sorted({key.get(each) or ABSENT for key in keys})
    shown = values[:MOST_VALUES]
    if len(values) > MOST_VALUES:
        shown.append(f"... ({len(values)} values)")
    return " | ".join(shown)
