# SPDX-License-Identifier: ISC
"""A configuration of Kea's as a site has it, and what has to be another one where it is
measured."""
import hashlib
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
OURS = ("ha", "lease_cmds", "mysql", "pgsql")  # hook libraries, which dhcp adds


def facts(path, site):
    """The file in a result."""
    text = json.dumps(site, sort_keys=True)
    return {"file": os.path.basename(path),
            "sha256": hashlib.sha256(text.encode()).hexdigest()}


def cache_threshold(given, site, family, version):
    """The share of a lease's lifetime in which Kea gives it again without writing it; 0:
    it always writes."""
    major = int(re.match("[0-9]*", version)[0] or 0)
    default = (site or {}).get("cache-threshold", 0.25 if major >= 3 else 0)
    first = (subnets(site, family) if site else [])[:1] or [{}]
    return given.get("cache-threshold", first[0].get("cache-threshold", default))


def lifetime(given, site):
    """Seconds of a lease: dhcp's own, or the file's or Kea's default."""
    return given.get("valid-lifetime", (site or {}).get("valid-lifetime", 7200)
                     if site else LIFETIME)


def replaced(site, family):
    """The members that are replaced or left out, and that of the subnets in each of
    them."""
    found = [name for name in NOT_HERE if name in site]
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
    number = max([one.get("id", 0) for one in every] + [len(every)]) + 1
    if "shared-networks" in site:
        config["shared-networks"] = without_interfaces(site["shared-networks"])
    config[name] = without_interfaces(site.get(name, [])) + [
        {**first, **ours[name][0], "id": number}]
    config["hooks-libraries"] = ours["hooks-libraries"] + [
        {**hook, "library": f"{hooks}/{os.path.basename(hook['library'])}"}
        for hook in site.get("hooks-libraries", []) if library(hook) not in OURS]
    if family == 4:
        config[name][-1]["relay"] = {"ip-addresses": [LOAD]}
    return {**config, **{key: ours[key] for key in (*NOT_HERE, "multi-threading")
                         if key in ours}}


def put(config, path, value):
    """Sets a member: words with points between, numbers of a list's elements among
    them."""
    *way, last = path.split(".")
    if last in REAL:
        value = float(value)
    for word in way:
        config = (config[int(word)] if isinstance(config, list)
                  else config.setdefault(word, {}))
    if isinstance(config, list):
        config[int(last)] = value
    else:
        config[last] = value
