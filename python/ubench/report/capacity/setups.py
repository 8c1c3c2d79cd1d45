# SPDX-License-Identifier: ISC
"""Setups: stores with their settings, each with what it can lose, its rates and its name.

Stores of Kea have the names that Kea's users know: the product, with the settings that decide what
a power cut loses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from ubench.records.observation import (
    UNKNOWN,
    Durability,
    DurabilityClass,
    Loss,
    Observation,
    Setting,
)
from ubench.report import stores
from ubench.report.capacity.rates import Rate, Rates
from ubench.report.grouping import Group

MEMFILE = "memfile"
UNKNOWN_STORE = "unknown store"  # of a Kea that was measured by others


class PowerLoss(Enum):
    """What a power cut loses of the acknowledged changes, the least first.

    With OR_KILL the changes are also lost if only the process of the store is killed.
    """

    NOTHING = "nothing"
    LATEST = "latest"  # those of a short time, which `window_s` has
    LATEST_OR_KILL = "latest, or kill"
    ANY = "any"
    ANY_OR_KILL = "any, or kill"
    UNKNOWN = "unknown"  # of published figures, of which no setting was read

    @property
    def rank(self) -> int:
        """0 for the least."""
        return list(PowerLoss).index(self)


def power_loss(durability: Durability) -> PowerLoss:
    """Return what a power cut loses, by what the runner computed."""
    kill, power = durability.kill, durability.power
    if kill is None or power is None:
        return PowerLoss.UNKNOWN
    losses = (kill.loss, power.loss)
    if Loss.UNBOUNDED in losses or Loss.UNKNOWN in losses:
        return PowerLoss.ANY if kill.loss is Loss.NOTHING else PowerLoss.ANY_OR_KILL
    if Loss.BOUNDED in losses:
        return PowerLoss.LATEST if kill.loss is Loss.NOTHING else PowerLoss.LATEST_OR_KILL
    return PowerLoss.NOTHING


def kea_name(observation: Observation) -> str | None:
    """Return the name of its lease store in Kea's configuration; None if Kea has no such store."""
    if observation.keeper == UNKNOWN:
        return UNKNOWN_STORE if observation.store.startswith("kea") else None
    if observation.store.startswith("kea") and not observation.is_database:
        return MEMFILE
    return stores.store_of(observation).in_kea


def product_of(observation: Observation) -> stores.Version:
    """Return what keeps the leases, with its version; memfile has that of Kea."""
    database, kea = stores.database(observation), stores.kea(observation)
    if database:
        return database
    return stores.Version(observation.store, kea.number if kea else "")


@dataclass(frozen=True, eq=False)
class Setup:
    """All that was measured of a store with the same settings and threads."""

    group: Group
    rates: Rates
    shows_version: bool = False  # there are several versions of the product

    @property
    def observations(self) -> Sequence[Observation]:
        """All observations, at least one."""
        return self.group.observations

    @property
    def first(self) -> Observation:
        """The first observation, which has the settings of all."""
        return self.group.first

    @property
    def cls(self) -> DurabilityClass | None:
        """The class of durability; None if the figures were published by others."""
        return self.first.cls

    @property
    def family(self) -> int:
        """4 or 6."""
        return self.first.load.family

    @property
    def renewals_per_s(self) -> float:
        """0 if they are not known."""
        return self.rates.renewals.per_s if isinstance(self.rates.renewals, Rate) else 0.0

    @property
    def is_measured(self) -> bool:
        """False if the figures were published by others."""
        return self.cls is not None

    @property
    def is_server(self) -> bool:
        """True if a whole DHCP server was measured."""
        return self.group.is_server

    @cached_property
    def loss(self) -> PowerLoss:
        """What a power cut loses."""
        return power_loss(self.first.durability)

    @property
    def window_s(self) -> float | None:
        """The time of the changes that a power cut loses, where it is known."""
        power = self.first.durability.power
        return power.window_s if power else None

    @property
    def loses_a_second(self) -> bool:
        """True if a power cut loses the changes of a second, or of less.

        Former lines do not say how long that is; with the settings that they know it was a second.
        """
        return self.loss in (PowerLoss.LATEST, PowerLoss.LATEST_OR_KILL) and (
            self.window_s is None or self.window_s <= 1
        )

    @cached_property
    def in_kea(self) -> str | None:
        """The name of its store in Kea's configuration; None if Kea has no such store."""
        return kea_name(self.first)

    @property
    def kea_rank(self) -> int:
        """0 for a store that Kea has, 2 for ubench's own memfile, which comes last."""
        if self.in_kea:
            return 0
        return 2 if self.first.store == MEMFILE else 1

    @property
    def deciding(self) -> tuple[Setting, ...]:
        """The settings that have to be set for this class."""
        settings = self.first.durability.settings
        return tuple(setting for setting in settings if setting.label or setting.decisive)

    @property
    def plain_product(self) -> str:
        """The product by the name that people know, without its version: "MariaDB", "memfile"."""
        database = stores.database(self.first)
        return database.product if database else self.in_kea or self.first.store

    @cached_property
    def product(self) -> str:
        """The product and, if there are several versions, its version: "MariaDB 10.11.19"."""
        version = stores.database(self.first) or stores.kea(self.first)
        if not self.shows_version or version is None or not version.number:
            return self.plain_product
        if stores.database(self.first):
            return f"{self.plain_product} {version.number}"
        is_memfile = self.plain_product == MEMFILE
        return f"{MEMFILE} of Kea {version.number}" if is_memfile else self.plain_product

    @cached_property
    def label(self) -> str:
        """The deciding settings, short: "flush 1"; "" if none is known."""
        labels = [setting.label for setting in self.deciding if setting.label]
        # Lines of whole servers have no settings.
        if not labels and self.in_kea == MEMFILE and self.cls is DurabilityClass.VOLATILE:
            return "persist false"
        return " ".join(labels)

    @cached_property
    def name(self) -> str:
        """The product with its deciding settings: "PostgreSQL sync on", "SQLite (not in Kea)"."""
        is_own_memfile = self.first.store == MEMFILE and self.is_measured
        return self.title if self.in_kea or is_own_memfile else f"{self.title} (not in Kea)"

    @property
    def title(self) -> str:
        """The name without the remark that Kea does not have the store."""
        if self.in_kea:
            return f"{self.product} {self.label}".rstrip()
        if self.first.store == MEMFILE and self.is_measured:
            return "ubench's memfile"
        return self.first.product.name
