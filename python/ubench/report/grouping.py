# SPDX-License-Identifier: ISC
"""Groups of observations of one configuration, and sections of groups that one table can hold.

`configurations` is for tables of figures; `setups` is for the answer, which takes all that was
measured of a store with the same settings as one, whatever the work was.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from ubench import described
from ubench.records.observation import (
    DurabilityClass,
    Loss,
    Observation,
    Origin,
    Product,
    Run,
    Sample,
)
from ubench.report.properties import (
    CONFIGURATION,
    LOAD,
    WORK,
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

# What tables say of Group.node_loss, and what that means.
NODE_LOSSES = {
    Loss.UNBOUNDED: "lost",
    Loss.BOUNDED: "bounded",
    Loss.UNKNOWN: "unknown",
    Loss.NOTHING: "survived",
}
NODE_LOSS_NOTE = (
    "what happens to acknowledged changes if the server's machine never comes back; they survive "
    "if another machine must have them before they are acknowledged"
)


@dataclass(frozen=True, eq=False)
class Group:
    """The observations of one configuration, or of one side of a comparison.

    There is at least one, and the oldest is the first.
    """

    observations: tuple[Observation, ...]
    key: Key = field(default_factory=lambda: MappingProxyType({}))
    label: str = ""  # the store and what differs in the section, first of its load
    differs: str = ""  # the same without the store

    @property
    def first(self) -> Observation:
        """The oldest observation, which has all that is the same for a configuration."""
        return self.observations[0]

    @property
    def store(self) -> str:
        """The store as tables name it."""
        return self.first.store

    @property
    def cls(self) -> DurabilityClass | None:
        """The class of durability; None for published figures."""
        return self.first.cls

    @property
    def product(self) -> Product:
        """The software that keeps the leases."""
        return self.first.product

    @property
    def is_server(self) -> bool:
        """True if these are whole DHCP servers."""
        return self.first.origin is Origin.SERVER

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The complete runs of runners."""
        return tuple(run for each in self.observations for run in each.complete_runs)

    @cached_property
    def samples(self) -> tuple[Sample, ...]:
        """The rates of all observations."""
        return tuple(sample for each in self.observations for sample in each.samples)

    @property
    def incomplete(self) -> int:
        """The number of runs that were cut short."""
        if self.is_server:
            return sum(each.incomplete for each in self.observations)
        return sum(len(each.runs) - len(each.complete_runs) for each in self.observations)

    @property
    def node_loss(self) -> Loss | None:
        """What the loss of its machine loses by the worst observation; None if none says it."""
        losses = {
            each.durability.node_loss.loss
            for each in self.observations
            if each.durability.node_loss is not None
        }
        worst_first = (Loss.UNBOUNDED, Loss.BOUNDED, Loss.UNKNOWN, Loss.NOTHING)
        return next((loss for loss in worst_first if loss in losses), None)


@dataclass(frozen=True, eq=False)
class Section:
    """Groups that one table can hold: of one class, or published together.

    Where the load differs between groups their labels say so, as the figures are of other work.
    """

    groups: tuple[Group, ...]
    title: str  # "power-safe", "power-safe server", "published, -s yes"
    load: str  # which load that was, where it is not the guide's or tells sections apart
    meaning: str  # of the class, or who published it

    @property
    def heading(self) -> str:
        """Tells the section from all others."""
        return f"{self.title}, {self.load}" if self.load else self.title

    @property
    def first(self) -> Observation:
        """An observation that has the section's phases."""
        return self.groups[0].first

    @property
    def phase_names(self) -> tuple[str, ...]:
        """The phases of the runs of a section of configurations."""
        return self.first.phase_names


def make_group(observations: Iterable[Observation], key: Key | None = None) -> Group:
    """Return a group without a label."""
    ordered = sorted(observations, key=lambda each: each.started_at)
    return Group(tuple(ordered), MappingProxyType(dict(key or {})))


def configurations(observations: Sequence[Observation]) -> tuple[Section, ...]:
    """Return sections of configurations: each has one class, one kind of work and its phases.

    They go from the safest class to the least safe, and last comes what was published. Stores
    are in the order of the observations, and the groups of one in the order of their
    properties.
    """
    return _sections(observations, _configuration_section, _configuration_key, is_setup=False)


def setups(observations: Sequence[Observation]) -> tuple[Section, ...]:
    """Return sections of setups: each has one class, and each group all work of one setup."""
    return _sections(observations, _setup_section, _setup_key, is_setup=True)


@dataclass(frozen=True, order=True)
class _Place:
    """What the observations of one section have in common, in the order of sections."""

    rank: int  # the safest class comes first
    published: str
    sync: str  # of published figures, of which those of "-s yes" come first
    phases: tuple[str, ...]
    work: str


def _configuration_section(observation: Observation) -> _Place:
    is_runner = observation.origin is not Origin.SERVER
    work = "" if is_runner else observation.load.workload
    return _place(observation, observation.phase_names, work)


def _setup_section(observation: Observation) -> _Place:
    is_runner = observation.origin is not Origin.SERVER
    return _place(observation, (), "" if is_runner else "server")


def _place(observation: Observation, phases: tuple[str, ...], work: str) -> _Place:
    cls, sync = observation.cls, observation.parameters.get("sync", "")
    if cls is None:
        return _Place(1, observation.published, "" if sync == "yes" else sync, phases, work)
    return _Place(-cls.rank, observation.published, "", phases, work)


def _configuration_key(observation: Observation) -> dict[Property, str]:
    return make_key(observation, CONFIGURATION)


def _setup_key(observation: Observation) -> dict[Property, str]:
    key = make_key(observation, CONFIGURATION)
    return {
        each: value
        for each, value in key.items()
        if each.kind is not PropertyKind.PARAMETER or each.name not in WORK
    }


def _sections(
    observations: Sequence[Observation],
    place_of: Callable[[Observation], _Place],
    key_of: Callable[[Observation], dict[Property, str]],
    is_setup: bool,
) -> tuple[Section, ...]:
    stores = list(dict.fromkeys(each.store for each in observations))
    members: dict[tuple[_Place, int, tuple[tuple[Property, str], ...]], list[Observation]] = {}
    for each in observations:
        identity = (place_of(each), stores.index(each.store), tuple(key_of(each).items()))
        members.setdefault(identity, []).append(each)
    ordered = sorted(
        members,
        key=lambda identity: (
            *identity[:2],
            [(each.name, order_of(value)) for each, value in identity[2]],
        ),
    )
    sections = [
        _section([make_group(members[identity], dict(identity[2])) for identity in same], is_setup)
        for _, same in itertools.groupby(ordered, key=lambda identity: identity[0])
    ]
    return tuple(_distinct(sections))


def _section(groups: Sequence[Group], is_setup: bool) -> Section:
    first = groups[0].first
    workloads = {each.load.workload for group in groups for each in group.observations}
    # The phases of the guide need no name.
    load = workloads.pop() if len(workloads) == 1 and workloads != {"phases"} else ""
    if first.cls is None:
        sync = first.parameters.get("sync", "")
        title = f"published, -s {sync}" if sync else "published"
        meaning = f"{first.published}; not measured here"
    else:
        is_server = is_setup and groups[0].is_server
        title = f"{first.cls.value} server" if is_server else first.cls.value
        meaning = described.meanings()[first.cls.value]
    return Section(_named(groups), title, load, meaning)


def _named(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Return the groups of a section with their labels."""
    differing = differences(groups[0].key, [group.key for group in groups])
    load = [each for each in load_first(differing) if _is_load(each)]
    named: list[Group] = []
    for store in dict.fromkeys(group.store for group in groups):
        own = [group for group in groups if group.store == store]
        keys = [group.key for group in own]
        telling = distinguishing(differences(keys[0], keys[1:], load), keys, len(load))
        for group in own:
            differs = values_label(group.key, telling)
            name = f"{store}, {differs}" if differs else store
            named.append(replace(group, label=name, differs=differs))
    return tuple(named)


def _is_load(each: Property) -> bool:
    return each.kind is PropertyKind.PARAMETER and each.name in LOAD


def _distinct(sections: Sequence[Section]) -> list[Section]:
    """Return the sections; if headings are the same, with their phases, which tell them apart."""
    headings = [(section.title, section.load, section.meaning) for section in sections]
    return [
        _with_phases(section) if headings.count(heading) > 1 else section
        for section, heading in zip(sections, headings, strict=True)
    ]


def _with_phases(section: Section) -> Section:
    phases = ", ".join(section.phase_names)
    load = f"{section.load} ({phases})" if section.load else f"phases {phases}"
    return replace(section, load=load)


def without_references(observations: Sequence[Observation]) -> list[Observation]:
    """Return the observations without reference runs, unless there is nothing else.

    References show how the machine changed in a campaign.
    """
    kept = [each for each in observations if not each.load.reference]
    return kept or list(observations)
