# SPDX-License-Identifier: ISC
"""The table of stores: how reports name and colour them. A new store is a row of STORES."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ubench.records.observation import KEA_DATABASE_TYPES, Observation


@dataclass(frozen=True)
class Store:
    """A store, as its runner's line names it.

    Any two colours, also as people with deuteranopia, protanopia or tritanopia see them (Machado
    2009), are at least 17 apart by CIEDE2000, and each has a contrast of 3 to the page.
    """

    name: str
    in_kea: str | None  # its name in Kea's lease-database; None if Kea has no such store
    light: str  # its colour on a light page
    dark: str


STORES = (
    Store("memfile", None, "#00a770", "#00a783"),
    Store("sqlite", None, "#d76000", "#ec7128"),
    Store("mysql", KEA_DATABASE_TYPES["mysql"], "#0069b2", "#5ae2f7"),
    Store("pgsql", KEA_DATABASE_TYPES["pgsql"], "#5d2157", "#f0e442"),
    Store("kea", "memfile", "#9b3013", "#d5dbce"),
)
OTHER = Store("other", None, "#5f605f", "#9088aa")

# The facts that have a database server and its version.
DATABASES = ("MySQL", "MariaDB", "PostgreSQL")
KEA = ("Kea", "kea-dhcp4", "kea-dhcp6")


@dataclass(frozen=True)
class Version:
    """A product and its version without what follows the digits: "MariaDB", "10.11.19"."""

    product: str
    number: str


def store_of(observation: Observation) -> Store:
    """Return the store that keeps the leases, also of a measured lease manager or server."""
    return next((store for store in STORES if store.name == observation.keeper), OTHER)


def database(observation: Observation) -> Version | None:
    """Return the database server that has the leases; None if the line names none."""
    return _version(observation, DATABASES)


def kea(observation: Observation) -> Version | None:
    """Return the Kea that was measured, or whose lease manager was; None if there was none."""
    return _version(observation, KEA)


def _version(observation: Observation, products: tuple[str, ...]) -> Version | None:
    for product in products:
        if text := observation.facts.get(product):
            digits = re.match("[0-9.]*", text)
            return Version(product, digits[0].rstrip(".") if digits else "")
    return None
