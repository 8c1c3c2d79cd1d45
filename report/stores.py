# SPDX-License-Identifier: ISC
"""The table of stores: a new one is a row here.

name     as in "store" of a result
in_kea   its name in Kea's lease-database, or None if Kea has no such store
server   whether it needs a database server, which scripts/servers.sh starts
light, dark  its colour on a page.  Any two, also as people with deuteranopia, protanopia
         or tritanopia see them (Machado 2009), are at least 17 apart by CIEDE2000, and
         each has a contrast of 3 to the page.
mark     its shape in charts: an SVG path around 0,0
"""
import re
from collections import namedtuple

Store = namedtuple("Store", "name in_kea server light dark mark")

STORES = (
    Store("memfile", None, False, "#00a770", "#00a783", "M-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0Z"),
    Store("sqlite", None, False, "#d76000", "#ec7128", "M-4,-4h8v8h-8Z"),
    Store("mysql", "mysql", True, "#0069b2", "#5ae2f7", "M0,-5L5,4H-5Z"),
    Store("pgsql", "postgresql", True, "#5d2157", "#f0e442", "M0,-5L5,0L0,5L-5,0Z"),
    Store("kea", "memfile", False, "#9b3013", "#d5dbce", "M-5,-4H5L0,5Z"),
)
OTHER = Store("other", None, False, "#5f605f", "#9088aa",
              "M-5,-1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5Z")


def keeper(result: dict) -> Store:
    """The store of its leases, whose lease manager or server the result may be of."""
    name = result["product"]["keeper"]
    return next((store for store in STORES if store.name == name), OTHER)


PRODUCTS = ("MySQL", "MariaDB", "PostgreSQL")  # the facts that have a database and its version


def product_of(result):
    """The database that has the leases, and its version: ("MariaDB", "10.11.19"); ("", "") if the
    line names none."""
    for name in PRODUCTS:
        if fact := result["facts"].get(name):
            return name, re.match("[0-9.]*", fact)[0].rstrip(".")
    return "", ""


def kea_version(result):
    """The version of the Kea that was measured, or of which the lease manager was; else ""."""
    facts = result["facts"]
    fact = next((facts[name] for name in ("Kea", "kea-dhcp4", "kea-dhcp6") if name in facts), "")
    return re.match("[0-9.]*", fact)[0].rstrip(".")
