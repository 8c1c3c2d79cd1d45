# SPDX-License-Identifier: ISC
"""Kea configurations for tests, as text and in files."""

from __future__ import annotations

import random
import re
from pathlib import Path

SECRET = "hunter2"
MYSQL = '"lease-database": {"type": "mysql", "host": "db.example.net"}'
PGSQL = '"lease-database": {"type": "postgresql", "max-reconnect-tries": 3}'
DDNS = '"dhcp-ddns": {"enable-updates": true}'
POOL = '"subnet4": [{"pools": [{"pool": "10.0.0.0/16"}]}]'
NEVER_RECLAIM = '"expired-leases-processing": {"reclaim-timer-wait-time": 0}'


def dhcp4(*members: str) -> str:
    """A file with these members of Dhcp4, one on each line."""
    return '{"Dhcp4": {' + ",\n".join(members) + "}}"


def dhcp6(*members: str) -> str:
    """A file with these members of Dhcp6, one on each line."""
    return '{"Dhcp6": {' + ",\n".join(members) + "}}"


def pools(*ranges: str, **members: int) -> str:
    """subnet4 with one subnet, of these ranges and members."""
    listed = ", ".join(f'{{"pool": "{text}"}}' for text in ranges)
    others = "".join(f', "{name.replace("_", "-")}": {value}' for name, value in members.items())
    return f'"subnet4": [{{"pools": [{listed}]{others}}}]'


def ha(mode: str = "hot-standby", *members: str) -> str:
    """hooks-libraries with a relationship, on one line."""
    relationship = ", ".join([f'"mode": "{mode}"', *members])
    return (
        '"hooks-libraries": [{"library": "/usr/lib/libdhcp_ha.so", "parameters": '
        f'{{"high-availability": [{{{relationship}}}]}}}}, {{"library": "libdhcp_lease_cmds.so"}}]'
    )


def threads(count: int) -> str:
    """Multi-threading with this number of threads; 0: as many as there are processors."""
    return (
        '"multi-threading": {"enable-multi-threading": true, '
        f'"thread-pool-size": {count}}}'
    )


def write(folder: Path, text: str, name: str = "kea-dhcp4.conf") -> str:
    """Write a file; return its path. Surrogates become the bytes that they stand for."""
    path = folder / name
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return str(path)


def varied() -> list[str]:
    """Valid configurations of many kinds, most with SECRET as a password."""
    database = (
        '"lease-database": {"type": "mysql", "name": "kea", "user": "kea",'
        f' "password": "{SECRET}", "host": "192.0.2.7", "port": 3306,}}'
    )
    hosts = f'"hosts-databases": [{{"type": "postgresql", "password": "{SECRET}"}}]'
    context = '"user-context": {"note": "\u00e9 \\u00e9 \\\\", "a": [null, true, -1.5e3, .5]}'
    subnet = (
        '"subnet4": [{"id": 1, "subnet": "192.0.2.0/24", "relay": {"ip-addresses": []},'
        '"pools": [{"pool": "192.0.2.10 - 192.0.2.90"}, {"pool": "192.0.2.128/26"}],'
        '"reservations": [{"hw-address": "02:00:00:00:00:01", "ip-address": "192.0.2.5"}],'
        '"valid-lifetime": 600, "cache-threshold": 0.1, "option-data": []}]'
    )
    network = (
        '"shared-networks": [{"name": "n", "renew-timer": 90, "subnet4": ['
        '{"id": 2, "subnet": "198.51.100.0/24", "pools": [{"pool": "198.51.100.0/25"}]}]}]'
    )
    threading = (
        '"multi-threading": {"enable-multi-threading": true, "thread-pool-size": 4,'
        '"packet-queue-size": 28}'
    )
    expiry = '"expired-leases-processing": {"reclaim-timer-wait-time": 1, "max-reclaim-time": 0}'
    classes = '"client-classes": [{"name": "c", "test": "not member(\'x\')", "valid-lifetime": 1}]'
    six = (
        '"subnet6": [{"id": 1, "subnet": "2001:db8::/32", "preferred-lifetime": 90, "pools":'
        '[{"pool": "2001:db8::1 - 2001:db8::ff"}], "pd-pools": [{"prefix": "2001:db8:8::",'
        '"prefix-len": 48, "delegated-len": 56}], "reservations": [{"ip-addresses": ['
        '"2001:db8::5"], "prefixes": ["2001:db8:1::/48"]}]}], "t1-percent": 0.4'
    )
    peers = (
        '"this-server-name": "a", "peers": [{"name": "a", "url": "http://192.0.2.1:8000/",'
        f' "role": "primary", "password": "{SECRET}"}}]'
    )
    pair = ha("hot-standby", peers)
    everything = dhcp4(
        database, hosts, context, subnet, network, threading, expiry, classes, pair, DDNS
    )
    return [
        everything,
        "// one\n# two\n/* three */ " + everything,
        dhcp4(database, pair),
        dhcp6(database, six),
        f'[{{"result": 0, "arguments": {everything}}}]',
        f'{{"result": 0, "arguments": {everything}}}',
    ]


ACCIDENTS = (
    "", "1e308", "-1", "0", "null", "[]", "{}", "Infinity", '"\\u001b[2J"', "\x1b", "\0", "\ud812",
    "9" * 5000, "[" * 99, '<?include "x"?>', "/*", '"', "\u202e", "1e-320", "\n",
)  # fmt: skip


def damage(text: str, chance: random.Random) -> str:
    """The text after one to three accidents."""
    pieces = re.findall(r'"[^"]*"|[\w.+-]+|\s+|.', text)
    for _ in range(chance.randrange(1, 4)):
        place, other = chance.randrange(len(pieces)), chance.randrange(len(pieces))
        accident = chance.randrange(7)
        if accident == 0:
            del pieces[place]
        elif accident == 1:
            pieces.insert(place, pieces[other])
        elif accident == 2:
            pieces[place], pieces[other] = pieces[other], pieces[place]
        elif accident == 3:
            pieces[place] = chance.choice(ACCIDENTS)
        elif accident == 4:
            del pieces[place : place + chance.randrange(30)]
        elif accident == 5:
            pieces = pieces[: max(1, place)]
        else:
            pieces[place] = pieces[place].replace('"', "", 1)
        if not pieces:
            return ""
    return "".join(pieces)
