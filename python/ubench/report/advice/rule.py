# SPDX-License-Identifier: ISC
"""A rule: a condition on the configuration, its clients and what was measured, and a change.

A rule applies where a parameter does harm at this site, and never because another value is usual.
Facts about Kea are those of its manual ("arm/"), from 2.2 on; where its releases differ, the
sentences say so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ubench.report.advice.configuration import Configuration, HighAvailability, Parameter, Subnet
from ubench.report.advice.machine import UNKNOWN_MACHINE, Machine
from ubench.report.advice.population import Population


@dataclass(frozen=True)
class Facts:
    """The facts that rules decide by: the configuration, its clients, and what was measured.

    `is_fast_enough` is None if no results fit, if they do not tell, or if some settings of the
    store are fast enough and others are not.
    """

    configuration: Configuration
    population: Population
    is_fast_enough: bool | None = None
    machine: Machine = UNKNOWN_MACHINE

    @property
    def has_ha(self) -> bool:
        """True if the configuration loads libdhcp_ha.so."""
        return self.configuration.ha is not None

    @property
    def ha(self) -> HighAvailability:
        """The relationship with other servers, of a configuration that has one."""
        assert self.configuration.ha is not None
        return self.configuration.ha

    def with_relationship(self, relationship: HighAvailability) -> Facts:
        """Return the facts of a server with only this relationship."""
        configuration = replace(self.configuration, relationships=(relationship,))
        return replace(self, configuration=configuration)

    @property
    def is_server(self) -> bool:
        """True if a database server keeps the leases."""
        return self.configuration.lease_database.is_server

    @property
    def has_file(self) -> bool:
        """True if memfile keeps the leases in a file."""
        return not self.is_server and self.configuration.lease_database.persist.value

    @property
    def first_subnet(self) -> Subnet:
        """The subnet whose place is named for parameters that subnets inherit."""
        return self.population.used_subnets[0]

    @cached_property
    def cached_subnet(self) -> Subnet | None:
        """The first subnet whose clients renew so early that Kea repeats their lease."""
        return next((subnet for subnet in self.population.used_subnets if subnet.is_cached), None)


@dataclass(frozen=True)
class Change:
    """A parameter to change: its new value, and why."""

    parameter: Parameter[object]
    value: str
    reason: str


def no_figures(_: Facts) -> Mapping[str, object]:
    """Return the figures of a rule whose sentence has none."""
    return {}


@dataclass(frozen=True)
class Rule:
    """A condition, the parameter to change if it holds, the new value and the reason.

    Value and reason have places for the figures.
    """

    applies: Callable[[Facts], bool]
    parameter: Callable[[Facts], Parameter[object]]
    value: str
    reason: str
    figures: Callable[[Facts], Mapping[str, object]] = no_figures

    def change(self, facts: Facts) -> Change:
        """Return the change for a site to which the rule applies."""
        figures = {"family": facts.configuration.family, **self.figures(facts)}
        return Change(
            self.parameter(facts),
            self.value.format_map(figures),
            self.reason.format_map(figures),
        )
