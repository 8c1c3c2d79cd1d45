# SPDX-License-Identifier: ISC
"""A configuration of Kea's as a site has it, and what has to be another one where it is
measured."""
import hashlib
import ipaddress
import json
import os
import re

import campaign  # noqa: F401, which finds the package report

from report.kea.file import library, subnets

# Members that cannot be as they are: servers, sockets and files of the site.
NOT_HERE = ("interfaces-config", "control-socket", "control-sockets", "lease-database",
            "hosts-database", "hosts-databases", "config-control", "loggers",
            "data-directory", "output-directory")
# Members that the subnet of the clients does not take from the site's first one.
OF_A_SUBNET = ("id", "subnet", "pools", "pd-pools", "reservations", "relay", "interface",
               "interface-id", "client-class", "client-classes")
REAL = ("cache-threshold", "t1-percent", "t2-percent")  # Kea refuses whole numbers
LIFETIME = 86400
LOAD = "10.0.0.9"  # the relay that perfdhcp is
# Members of lease-database that say where it is, or that --sync and lfc replace.
CONNECTION = ("type", "name", "host", "port", "user", "password", "password-file", "persist",
              "readonly", "trust-anchor", "cert-file", "key-file", "cipher-list", "ssl-mode")
OURS = ("ha", "lease_cmds", "mysql", "pgsql")  # hook libraries, which dhcp adds


def facts(path, site):
    """The file in a result."""
    text = json.dumps(site, sort_keys=True)
    return {"file": os.path.basename(path),
            "sha256": hashlib.sha256(text.encode()).hexdigest()}


def cached(given, site, family, version):
    """The share of a lease's lifetime in which Kea gives it again without writing it, and how
    many seconds that is; 0: it always writes.  The clients' subnet has what the first one has."""
    major = int(re.match("[0-9]*", version)[0] or 0)
    first = (subnets(site, family) if site else [])[:1] or [{}]
    own = {**(site or {}), **first[0], **given}
    lifetime = own.get("valid-lifetime", 7200 if site else LIFETIME)
    default = 0.25 if major >= 3 else 1 if "cache-max-age" in own else 0
    young_s = min(own.get("cache-threshold", default) * lifetime,
                  own.get("cache-max-age", lifetime))
    return round(young_s / lifetime, 6), young_s


def replaced(site, family):
    """The members that are replaced or left out, also those within lists."""
    found = [name for name in NOT_HERE if name in site and name != "lease-database"]
    found += [f"lease-database: {name}" for name in
              site.value("lease-database", "map", {}) if name in CONNECTION]
    found += [f"hooks-libraries: {name}" for name in
              map(library, site.value("hooks-libraries", "maps", [])) if name in OURS]
    if any("interface" in one for one in subnets(site, family)):
        found.append(f"subnet{family}: interface")
    return found


def without_interfaces(members):
    """The same subnets or networks, on any interface."""
    return [{key: without_interfaces(value) if key in ("subnet4", "subnet6") else value
             for key, value in one.items() if key != "interface"} for one in members]


def merged(site, ours, family, hooks):
    """The site's configuration, with ours where it cannot be as it is.  The clients come
    from our subnet, which has all else from the site's first one."""
    name = f"subnet{family}"
    config = {key: value for key, value in site.items() if key not in NOT_HERE}
    every = subnets(site, family)
    first = {key: value for key, value in (every or [{}])[0].items()
             if key not in OF_A_SUBNET}
    prefix = ipaddress.ip_network(ours[name][0]["subnet"])
    while prefix in [ipaddress.ip_network(one["subnet"], False) for one in every]:
        prefix = prefix.supernet()  # Kea refuses a second subnet of a prefix
    number = max([one.get("id", 0) for one in every] + [len(every)]) + 1
    if "shared-networks" in site:
        config["shared-networks"] = without_interfaces(site["shared-networks"])
    config[name] = without_interfaces(site.get(name, [])) + [
        {**first, **ours[name][0], "id": number, "subnet": str(prefix)}]
    config["hooks-libraries"] = ours["hooks-libraries"] + [
        {**hook, "library": f"{hooks}/{os.path.basename(hook['library'])}"}
        for hook in site.get("hooks-libraries", []) if library(hook) not in OURS]
    if family == 4:
        config[name][-1]["relay"] = {"ip-addresses": [LOAD]}
    kept = {key: value for key, value in site.get("lease-database", {}).items()
            if key not in CONNECTION}
    return {**config, **{key: ours[key] for key in (*NOT_HERE, "multi-threading")
                         if key in ours}, "lease-database": {**kept, **ours["lease-database"]}}


def put(config, path, value):
    """Sets a member: words with points between, numbers of a list's elements among
    them."""
    *way, last = path.split(".")
    if last in REAL:
        value = float(value)
    for word in way:
        config = (config[int(word)] if isinstance(config, list)
                  else config.setdefault(word, {}))
    config[int(last) if isinstance(config, list) else last] = value
