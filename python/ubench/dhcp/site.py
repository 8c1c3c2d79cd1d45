# SPDX-License-Identifier: ISC
"""A site's own configuration of Kea (--config), and what of it has to differ where it is measured.

Its interfaces, sockets, databases and files are replaced or left out. The clients of perfdhcp are
in one more subnet, with the options of the site's first one.
"""

from __future__ import annotations

import copy
import hashlib
import ipaddress
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ubench.dhcp.addresses import LOAD_RELAY
from ubench.dhcp.plan import LIFETIME_S, ConfigFile
from ubench.kea_config import document
from ubench.kea_config.members import Members

KeaMap = dict[str, Any]  # a map of Kea's configuration

# Members of the file that cannot stay as they are.
REPLACED = (
    "interfaces-config",
    "control-socket",
    "control-sockets",
    "lease-database",
    "hosts-database",
    "hosts-databases",
    "config-control",
    "loggers",
    "data-directory",
    "output-directory",
)
# Members of lease-database that say where it is, or that --sync and the command lfc decide.
CONNECTION = (
    "type",
    "name",
    "host",
    "port",
    "user",
    "password",
    "password-file",
    "persist",
    "readonly",
    "trust-anchor",
    "cert-file",
    "key-file",
    "cipher-list",
    "ssl-mode",
)
# Members of the site's first subnet that the subnet of the clients does not get.
SUBNET_OWN = (
    "id",
    "subnet",
    "pools",
    "pd-pools",
    "reservations",
    "relay",
    "interface",
    "interface-id",
    "client-class",
    "client-classes",
)
OWN_LIBRARIES = ("ha", "lease_cmds", "mysql", "pgsql")  # hook libraries that a plan adds itself
KEA_LIFETIME_S = 7200  # Kea's default


@dataclass(frozen=True)
class SiteConfiguration:
    """A configuration file of kea-dhcp4 or kea-dhcp6."""

    path: str
    family: int
    members: Members  # of Dhcp4 or Dhcp6

    @classmethod
    def read(cls, path: str) -> SiteConfiguration:
        """Read a file.

        Raises Problem, which names the file and the line, if Kea would refuse it, or if one of the
        members that are replaced has a value of the wrong kind.
        """
        loaded = document.read_document(path)
        replaced(loaded.server, loaded.family)
        return cls(path, loaded.family, loaded.server)

    @property
    def pair(self) -> str:
        """The mode of its pair of servers: "hot-standby", "load-balancing" or "none"."""
        return document.pair_mode(self.members) or "none"

    @property
    def high_availability(self) -> Mapping[str, object]:
        """The parameters of its pair; empty if it has none."""
        relationships = document.ha_relationships(self.members)
        return relationships[0] if relationships else {}

    @property
    def replaced(self) -> list[str]:
        """The members that are replaced or left out wherever it is measured."""
        return replaced(self.members, self.family)

    @property
    def record(self) -> ConfigFile:
        """Its name and its digest, for a result."""
        text = json.dumps(self.members, sort_keys=True)
        return ConfigFile(Path(self.path).name, hashlib.sha256(text.encode()).hexdigest())

    @property
    def library_paths(self) -> list[Path]:
        """The paths of its hook libraries."""
        names = [hook.get_text("library") for hook in self.members.get_maps("hooks-libraries")]
        return [Path(name) for name in names if name]


def replaced(server: Members, family: int) -> list[str]:
    """Return the members that are replaced or left out, also those within lists."""
    names = [name for name in REPLACED if name in server and name != "lease-database"]
    database = server.get_map("lease-database") or Members()
    names += [f"lease-database: {name}" for name in database if name in CONNECTION]
    libraries = map(document.hook_name, server.get_maps("hooks-libraries"))
    names += [f"hooks-libraries: {name}" for name in libraries if name in OWN_LIBRARIES]
    if any("interface" in subnet for subnet in document.subnets(server, family)):
        names.append(f"subnet{family}: interface")
    return names


def present_libraries(server: Members, hooks: Path) -> list[KeaMap]:
    """Return its hook libraries in the folder of the measured Kea, without OWN_LIBRARIES."""
    return [
        {**hook, "library": str(hooks / name)}
        for hook, name in _foreign_libraries(server)
        if name and (hooks / name).exists()
    ]


def absent_libraries(server: Members, hooks: Path) -> list[str]:
    """Return the names of its hook libraries that are not in that folder, without OWN_LIBRARIES."""
    return [
        name for _, name in _foreign_libraries(server) if not name or not (hooks / name).exists()
    ]


def _foreign_libraries(server: Members) -> list[tuple[Members, str]]:
    """Return its hook libraries and their file names, without those that a plan adds itself."""
    return [
        (hook, Path(hook.get_text("library") or "").name)
        for hook in server.get_maps("hooks-libraries")
        if document.hook_name(hook) not in OWN_LIBRARIES
    ]


def merged(server: Members, ours: Mapping[str, Any], family: int, hooks: Path) -> KeaMap:
    """Return the site's configuration, with our members where its own cannot stay."""
    site = copy.deepcopy(server)
    name = f"subnet{family}"
    config = _without(site, REPLACED)
    config.update((key, ours[key]) for key in (*REPLACED, "multi-threading") if key in ours)
    networks = site.get_maps("shared-networks")
    if networks:
        config["shared-networks"] = _without_interfaces(networks)
    config[name] = [
        *_without_interfaces(site.get_maps(name)),
        _client_subnet(site, ours[name][0], family),
    ]
    config["hooks-libraries"] = [*ours["hooks-libraries"], *present_libraries(site, hooks)]
    theirs = _without(site.get_map("lease-database") or {}, CONNECTION)
    config["lease-database"] = {**theirs, **ours["lease-database"]}
    return config


def _client_subnet(site: Members, ours: Mapping[str, Any], family: int) -> KeaMap:
    """Return our subnet, with all else from the site's first one."""
    theirs = document.subnets(site, family)
    subnet = {**_without(theirs[0] if theirs else {}, SUBNET_OWN), **ours}
    prefix = ipaddress.ip_network(subnet["subnet"])
    taken = [ipaddress.ip_network(str(each["subnet"]), strict=False) for each in theirs]
    while prefix in taken:  # Kea refuses a second subnet with the same prefix
        prefix = prefix.supernet()
    ids = [each.get_whole("id", 2**32 - 1) or 0 for each in theirs]
    subnet.update(id=max([*ids, len(theirs)]) + 1, subnet=str(prefix))
    if family == 4:
        subnet["relay"] = {"ip-addresses": [LOAD_RELAY]}
    return subnet


def _without(members: Mapping[str, Any], names: Collection[str]) -> KeaMap:
    return {key: value for key, value in members.items() if key not in names}


def _without_interfaces(maps: Iterable[Members]) -> list[KeaMap]:
    """Return the same subnets or shared networks, on any interface."""
    changed = []
    for each in maps:
        members = _without(each, ["interface"])
        for name in ("subnet4", "subnet6"):
            if name in each:
                members[name] = _without_interfaces(each.get_maps(name))
        changed.append(members)
    return changed


# ---- The lease cache


@dataclass(frozen=True)
class LeaseCache:
    """Leases that Kea gives again without writing them, because they are young."""

    threshold: float = 0.0  # the share of its lifetime; 0: Kea always writes
    young_s: float = 0.0  # the same in seconds


def lease_cache(
    overrides: Mapping[str, object], server: Members, family: int, version: str
) -> LeaseCache:
    """Return the lease cache in the subnet of the clients, which is like the site's first one.

    `server` is empty without a site's file. The default of cache-threshold is 0.25 since Kea 3.0.
    Before, Kea always writes, unless the configuration has cache-max-age or cache-threshold.
    """
    theirs = document.subnets(server, family)
    members: KeaMap = {**server, **(theirs[0] if theirs else {}), **overrides}
    lifetime_s = members.get("valid-lifetime", KEA_LIFETIME_S if server else LIFETIME_S)
    default = _default_threshold(version, "cache-max-age" in members)
    young_s = min(
        members.get("cache-threshold", default) * lifetime_s,
        members.get("cache-max-age", lifetime_s),
    )
    return LeaseCache(round(young_s / lifetime_s, 6), young_s)


def _default_threshold(version: str, has_max_age: bool) -> float:
    major = re.match("[0-9]+", version)
    if major and int(major[0]) >= 3:
        return 0.25
    return 1.0 if has_max_age else 0.0
