# SPDX-License-Identifier: ISC
"""Finds the DHCP server in a configuration file, or in Kea's answer to config-get."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ubench.errors import Problem
from ubench.kea_config.members import FilePlace, Members, Value
from ubench.kea_config.parser import NAMES, AbsentFile, TreeParser

FAMILIES = (4, 6)
SERVERS = tuple(f"Dhcp{family}" for family in FAMILIES)
RESULT_MOST = 0xFFFF  # of an answer to a command
# Members of Dhcp4 or Dhcp6 that show that the file has lost its outer map.
INNER_NAMES = ("subnet4", "subnet6", "lease-database", "valid-lifetime", "interfaces-config")
EXPECTED_SERVER = "Dhcp4 or Dhcp6, the configuration of kea-dhcp4 or kea-dhcp6"
EXPECTED = {
    4: "Dhcp4 (-6 chooses Dhcp6)",
    6: "Dhcp6, for -6 and for leases of IPv6",
}
HOOK_PREFIX, HOOK_SUFFIX = "libdhcp_", ".so"


@dataclass(frozen=True)
class Document:
    """The configuration of one DHCP server in a file.

    `others` are the file's other top-level members, which were not read, by their names; a name
    that is not Kea's may be a password.
    """

    path: str
    family: int  # 4 or 6
    server: Members  # of Dhcp4 or Dhcp6
    others: tuple[str, ...]
    absent: tuple[AbsentFile, ...] = ()  # included files that do not exist, and were left out
    other_server: Members | None = None  # of Dhcp6 in a file that also has Dhcp4, or of Dhcp4


def read_document(path: str, *, family: int | None = None, skip_absent: bool = False) -> Document:
    """Read the configuration of kea-dhcp4 or kea-dhcp6.

    Without `family` it is the first in the file, Dhcp4 if a map has both. With `skip_absent`,
    included files that do not exist are left out.

    Raises Problem for a file that cannot be read, that Kea would not parse, or without a server.
    """
    parser = TreeParser(path, skip_absent)
    place = parser.token.place
    maps = top_level_maps(parser.parse(), place)
    absent = tuple(parser.scanner.absent)
    servers = [
        (members, each, server)
        for members in maps
        for each in FAMILIES
        if (server := members.get_map(f"Dhcp{each}")) is not None
    ]
    chosen = next((each for each in servers if family in (None, each[1])), None)
    if chosen is None and absent:
        raise absent[0].refusal()
    if chosen is None and servers and family is not None:
        raise Problem(
            f"{place}: found Dhcp{servers[0][1]} and no Dhcp{family}; expected {EXPECTED[family]}"
        )
    if chosen is None:
        raise no_server(maps[0], place)
    members, found, server = chosen
    others = other_members(maps, members, f"Dhcp{found}")
    other_server = next((each[2] for each in servers if each[1] != found), None)
    return Document(path, found, server, others, absent, other_server)


def top_level_maps(tree: Value, place: FilePlace) -> list[Members]:
    """Return the map of a file, or the arguments of each answer to config-get."""
    values = tree if isinstance(tree, list) else [tree]
    maps = [value for value in values if isinstance(value, Members)]
    if not maps or len(maps) < len(values):
        raise Problem(
            f'{place}: the file does not contain a map; expected {{ "Dhcp4": {{...}} }}, or the '
            "answer to config-get"
        )
    answered = [members for members in maps if not failure(members)]
    if not answered:  # of several daemons, one may not run
        raise Problem(
            f"{maps[0].places['result']}: the answer to config-get is an error, result "
            f"{failure(maps[0])}; expected result 0 and a configuration in its arguments"
        )
    return [
        members.get_map("arguments") or Members() if "result" in members else members
        for members in answered
    ]


def failure(answer: Members) -> int:
    """Return the result of an answer to config-get; 0 of success, and of a map of a file."""
    return answer.get_whole("result", RESULT_MOST) or 0


def other_members(maps: list[Members], chosen: Members, server: str) -> tuple[str, ...]:
    """Return the names of all top-level members but the chosen server. config-get adds a hash."""
    names = []
    for members in maps:
        names += [name for name in members if members is not chosen or name != server]
    return tuple(name for name in names if name != "hash")


def no_server(members: Members, place: FilePlace) -> Problem:
    """Return the refusal of a map that has neither Dhcp4 nor Dhcp6."""
    name = next((name for name in members if name in NAMES), None)
    other_case = next((name for name in members if name.capitalize() in SERVERS), None)
    if other_case is not None:
        return Problem(
            f"{members.places[other_case]}: found {other_case}; expected {other_case.capitalize()}"
        )
    if name is None:
        return Problem(f"{place}: found neither Dhcp4 nor Dhcp6; expected {EXPECTED_SERVER}")
    place = members.places[name]
    if name in INNER_NAMES:
        return Problem(
            f'{place}: {name} is not within {{ "Dhcp4": {{...}} }} or {{ "Dhcp6": {{...}} }}; '
            "expected it there"
        )
    return Problem(f"{place}: found {name}; expected {EXPECTED_SERVER}")


def hook_name(hook: Members) -> str:
    """Return the name of a hook library: "ha" for /usr/lib/kea/hooks/libdhcp_ha.so."""
    name = os.path.basename(hook.get_text("library") or "")
    return name.removeprefix(HOOK_PREFIX).removesuffix(HOOK_SUFFIX)


def ha_relationships(server: Members) -> list[Members] | None:
    """Return the relationships of the first libdhcp_ha.so; None without that library."""
    for hook in server.get_maps("hooks-libraries"):
        if hook_name(hook) == "ha":
            parameters = hook.get_map("parameters") or Members()
            return parameters.get_maps("high-availability")
    return None


def pair_mode(server: Members) -> str | None:
    """Return the mode of a pair of servers that share the clients; None if there is no pair."""
    relationships = ha_relationships(server)
    mode = relationships[0].get("mode") if relationships else None
    return mode if mode in ("hot-standby", "load-balancing") and isinstance(mode, str) else None


def subnets(server: Members, family: int) -> list[Members]:
    """Return all subnets; those of shared networks with the members that they inherit."""
    name = f"subnet{family}"
    found = list(server.get_maps(name))
    for network in server.get_maps("shared-networks"):
        found += [
            subnet.over(network, name, "name", "reservations") for subnet in network.get_maps(name)
        ]
    return found
