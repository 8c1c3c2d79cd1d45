# SPDX-License-Identifier: ISC
"""A configuration of Kea's as a site has it: JSON with comments (#, //, /* */), with commas behind
which nothing comes, and with <?include "FILE"?>.  What is wrong is a Problem with file and line."""

from __future__ import annotations

import ipaddress
import json
import os
import re

from report import Problem

TOKEN = re.compile(r'(?P<nothing>[ \t\r\n]+|(?:#|//)[^\n]*|/\*.*?\*/)'
                   r'|<\?\s*include\s+"(?P<include>[^"\n]+)"\s*\?>|(?P<text>"(?:[^"\\\n]|\\.)*")'
                   r'|(?P<number>-?(?:\d{1,99}(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)|(?P<word>\w+)'
                   r'|(?P<sign>[][{}:,])', re.DOTALL)
DEPTH = 10  # of files that include others
PLACE = "\0"  # in the text for the JSON reader: before the place of a name
# The kinds of members: how an error calls them, and whether a value is one.
KINDS = {"count": ("a whole number from 0 on", lambda of: type(of) is int and of >= 0),
         "number": ("a number from 0 on", lambda of: type(of) in (int, float) and of >= 0),
         "flag": ("true or false", lambda of: type(of) is bool),
         "text": ("a text", lambda of: type(of) is str),
         "map": ("a map, {...}", lambda of: type(of) is Members),
         "maps": ("a list of maps, [{...}]",
                  lambda of: type(of) is list and all(type(one) is Members for one in of))}


class Members(dict):
    """A map of the file; lines has the place of each member, "kea-dhcp4.conf:12"."""

    def __init__(self, members=(), lines=()):
        super().__init__(members)
        self.lines = dict(lines)

    def value(self, name: str, kind: str, default=None):
        """A member, or the default.  Raises Problem if it is of another kind."""
        if name not in self:
            return default
        expected, fits = KINDS[kind]
        if not fits(self[name]):
            raise self.problem(name, expected)
        return self[name]

    def problem(self, name: str, expected: str) -> Problem:
        shown = json.dumps(self[name])
        return Problem(f"{self.lines[name]}: {name} is {shown[:60]}{'...' * (len(shown) > 60)}; "
                       f"expected {expected}")

    def over(self, outer: Members, *without: str) -> Members:
        """With what it has from another map, save some members."""
        def both(own, of):
            return {**{name: value for name, value in of.items() if name not in without}, **own}

        return Members(both(self, outer), both(self.lines, outer.lines))


def tokens(path: str, depth: int = 0, included: str = ""):
    """The place and the text of each, numbers as JSON has them.  included: the place where."""
    if depth > DEPTH:
        raise Problem(f"{included}{path}: the file includes itself, or {DEPTH} files each other")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as why:
        raise Problem(f"{included}{path}: {why.strerror}") from None
    except UnicodeDecodeError:
        raise Problem(f"{path}: is not UTF-8; expected a configuration of Kea") from None
    end, line = 0, 1
    while end < len(text):
        found = TOKEN.match(text, end)
        if not found:
            raise Problem(f"{path}:{line}: found {text[end:end + 2].strip()}; expected JSON, and "
                          "texts, comments and includes that are closed")
        if found.lastgroup == "include":
            yield from tokens(os.path.join(os.path.dirname(path), found["include"]), depth + 1,
                              f"{path}:{line}: include ")
        elif found.lastgroup == "number":
            yield f"{path}:{line}", str(int(found[0]) if found[0].lstrip("-").isdigit() else
                                        float(found[0]))
        elif found.lastgroup != "nothing":
            yield f"{path}:{line}", found[0]
        line += text.count("\n", end, found.end())
        end = found.end()
    if depth == 0:
        yield f"{path}:{line}", "the end of the file"


def members(pairs: list[tuple]) -> Members:
    """A map, from names with their places."""
    found = Members()
    for name, value in pairs:
        name, _, place_of = name.partition(PLACE)
        if name in found:
            raise Problem(f"{place_of}: {name} is there twice, first at {found.lines[name]}")
        found[name], found.lines[name] = value, place_of
    return found


def read(path: str) -> tuple[int, Members]:
    """The family, and the members of Dhcp4 or Dhcp6."""
    every = list(tokens(path))
    # A token is a line of the text that Python reads, so that the line of an error is a token.
    lines = [text[:-1] + json.dumps(PLACE + place_of)[1:] if after == ":" else
             "" if text == "," and after in ("]", "}") else text
             for (place_of, text), (_, after) in zip(every, every[1:])]
    try:
        tree = json.loads("\n".join(lines), object_pairs_hook=members)
    except json.JSONDecodeError as why:
        place_of, text = every[min(why.lineno, len(every)) - 1]
        # A text may be a password, and is not printed.
        text = "a text" if text[0] == '"' else text[:40]
        raise Problem(f"{place_of}: found {text}: {why.msg}") from None
    except RecursionError:
        raise Problem(f"{path}: too many lists and maps in each other") from None
    if type(tree) is not Members:
        raise Problem(f"{every[0][0]}: found no map; expected {{...}}")
    for family in (4, 6):
        if f"Dhcp{family}" in tree:
            return family, tree.value(f"Dhcp{family}", "map")
    place_of, name = next(((tree.lines[name], name[:40]) for name in tree), (path, "nothing"))
    raise Problem(f"{place_of}: found {name}; expected Dhcp4 or Dhcp6, the configuration of "
                  "kea-dhcp4 or kea-dhcp6")


def library(hook: Members) -> str:
    """Its name: libdhcp_NAME.so."""
    name = os.path.basename(hook.value("library", "text", ""))
    return name[len("libdhcp_"):-len(".so")] if name.startswith("libdhcp_") else name


def high_availability(site: Members) -> Members | None:
    """The parameters of its pair of servers."""
    for hook in site.value("hooks-libraries", "maps", []):
        if library(hook) == "ha":
            parameters = hook.value("parameters", "map", Members())
            return (parameters.value("high-availability", "maps") or [Members()])[0]
    return None


def pair(site: Members) -> str:
    """The mode of its pair of servers, or none."""
    mode = (high_availability(site) or {}).get("mode")
    return mode if mode in ("hot-standby", "load-balancing") else "none"


def subnets(site: Members, family: int) -> list[Members]:
    """All, those of shared networks with what they have from these."""
    name = f"subnet{family}"
    found = list(site.value(name, "maps", []))
    for network in site.value("shared-networks", "maps", []):
        found += [one.over(network, name, "name") for one in network.value(name, "maps", [])]
    return found


def size_of(pool: str) -> int:
    """The addresses of "FIRST - LAST" or a prefix; 0 if it is neither."""
    try:
        if "/" in pool:
            return ipaddress.ip_network(pool.replace(" ", ""), strict=False).num_addresses
        first, last = (ipaddress.ip_address(end.strip()) for end in pool.split("-"))
        return int(last) - int(first) + 1
    except ValueError:
        return 0


def addresses(subnet: Members) -> int:
    """How many leases its pools have."""
    count = 0
    for pool in subnet.value("pools", "maps", []):
        found = size_of(pool.value("pool", "text", ""))
        if "pool" in pool and found < 1:
            raise pool.problem("pool", "two addresses, as in 192.0.2.10 - 192.0.2.90, or a prefix")
        count += found
    for pool in subnet.value("pd-pools", "maps", []):
        length, of = (pool.value(name, "count", 0) for name in ("prefix-len", "delegated-len"))
        if not length <= of <= 128:
            raise pool.problem("delegated-len", f"a number from prefix-len, {length}, to 128")
        count += 1 << of - length
    return count


TYPES = ("memfile", "mysql", "postgresql")
MANY = 1 << 24  # IPv6 pools with more addresses say nothing of the clients
# Where it is, its kind, and Kea's default; a text if it is another one in some versions.
SETTINGS = {
    "lease-database": {
        "persist": ("flag", True), "lfc-interval": ("count", 3600), "host": ("text", "localhost"),
        "connect-timeout": ("count", 5), "max-reconnect-tries": ("count", 0),
        "reconnect-wait-time": ("count", 0), "on-fail": ("text", "stop-retry-exit"),
        "retry-on-startup": ("flag", "none in 2.2, false in 2.6 and 3.0")},
    "multi-threading": {
        "enable-multi-threading": ("flag", "false in 2.2, true in 2.6 and 3.0"),
        "thread-pool-size": ("count", 0), "packet-queue-size": ("count", 64)},
    "dhcp-queue-control": {"enable-queue": ("flag", False), "capacity": ("count", 64)},
    "expired-leases-processing": {
        "reclaim-timer-wait-time": ("count", 10), "max-reclaim-leases": ("count", 100),
        "max-reclaim-time": ("count", 250), "hold-reclaimed-time": ("count", 3600),
        "flush-reclaimed-timer-wait-time": ("count", 25)},
    "": {"valid-lifetime": ("count", 7200), "renew-timer": ("count", "a client's own"),
         "cache-threshold": ("number", "none in 2.2 and 2.6, 0.25 in 3.0"),
         "cache-max-age": ("count", "none"), "allocator": ("text", "iterative")}}


class Kea:
    """The facts of a file."""

    def __init__(self, path: str):
        self.path, (self.family, site) = path, read(path)
        store = site.value("lease-database", "map", Members())
        self.kind = store.value("type", "text", "memfile")
        if self.kind not in TYPES:
            raise store.problem("type", ", ".join(TYPES))
        self.ha, self.mode = high_availability(site), pair(site)
        self.values, self.places = {}, {}  # by setting; Kea's default if it is not there
        parts = [(site.value(group, "map", Members()) if group else site, settings)
                 for group, settings in SETTINGS.items()]
        if self.ha:
            parts.append((self.ha, {"send-lease-updates": ("flag", True)}))
        for of, settings in parts:
            for name, (kind, default) in settings.items():
                self.values[name] = of.value(name, kind, default)
                self.places[name] = place(of, name, path)
        # All subnets, with what they have from outside, and what is of each
        self.subnets = [one.over(site) for one in subnets(site, self.family)] or [site]
        self.lifetimes = [max(1, one.value("valid-lifetime", "count", 7200))
                          for one in self.subnets]
        self.sizes = [addresses(one) for one in self.subnets]
        count = sum(self.sizes)  # in all pools; None if that says nothing of the clients
        self.addresses = count if count and (self.family == 4 or count <= MANY) else None
        self.renewals = [renewal(one, self.family, of)
                         for one, of in zip(self.subnets, self.lifetimes)]

    def mean(self, of: list) -> float:
        """The mean of times in which each client does something once, by the sizes of subnets."""
        weights = self.sizes if self.addresses else [1] * len(of)
        return sum(weights) / sum(weight / one for weight, one in zip(weights, of))


def place(of: Members, name: str, path: str) -> str:
    file, _, line = of.lines.get(name, ":").rpartition(":")
    return "not in the file" if name not in of else f"line {line}" if file == path else \
        f"{os.path.basename(file)[-30:]}:{line}"


def renewal(subnet: Members, family: int, lifetime: int) -> float:
    """After so many seconds a client renews: the time that it is told, or a part of the lifetime,
    of IPv6 the preferred one; without either a client takes a half (RFC 2131)."""
    timer, share = subnet.value("renew-timer", "count", 0), 0.5
    if 0 < timer < lifetime:
        return timer
    if family == 6:
        lifetime = subnet.value("preferred-lifetime", "count", 0.625 * lifetime)
    if subnet.value("calculate-tee-times", "flag", family == 6):
        share = subnet.value("t1-percent", "number", share)
    return max(1.0, share * lifetime)
