# SPDX-License-Identifier: ISC
"""The configuration of a DHCP server: our own, or a site's with what has to be another one where
it is measured; and the leases and reservations of clients that do not ask."""
import copy
import ipaddress
import json
import os
import random
import re
import string

from campaign import HERE, read  # which finds the package report

from report.kea.file import high_availability, library, subnets

HOST = "127.0.0.1"
LOAD = "10.0.0.9"  # the relay that perfdhcp is
LFC_S = 10  # from the start of a server until its lease file is cleaned up
LIFETIME = 86400
# Members of a site's file that cannot be as they are: its servers, sockets and files.
NOT_HERE = ("interfaces-config", "control-socket", "control-sockets", "lease-database",
            "hosts-database", "hosts-databases", "config-control", "loggers",
            "data-directory", "output-directory")
# Members that the subnet of the clients does not take from the site's first one.
OF_A_SUBNET = ("id", "subnet", "pools", "pd-pools", "reservations", "relay", "interface",
               "interface-id", "client-class", "client-classes")
# Members of lease-database that say where it is, or that --sync and lfc replace.
CONNECTION = ("type", "name", "host", "port", "user", "password", "password-file", "persist",
              "readonly", "trust-anchor", "cert-file", "key-file", "cipher-list", "ssl-mode")
OURS = ("ha", "lease_cmds", "mysql", "pgsql")  # hook libraries, which dhcp adds
# Members of a site's pair that stay: whether and how its servers update each other.
OF_A_PAIR = ("send-lease-updates", "sync-leases", "sync-timeout", "sync-page-limit",
             "delayed-updates-limit", "max-rejected-lease-updates", "max-ack-delay")
REAL = ("cache-threshold", "t1-percent", "t2-percent")  # Kea refuses whole numbers
QUOTE = {"mysql": "x'", "pgsql": "'\\x"}  # before octets in hexadecimal


# ---- Addresses and clients

def network(c, k):
    """The prefix of subnet k.  Its second address is that of its relay, if there are several."""
    if c["family"] == 6:
        return ipaddress.ip_network(f"2001:db8:{1 if c['subnets'] == 1 else k + 2:x}::/64")
    return ipaddress.ip_network("10.0.0.0/8" if c["subnets"] == 1 else
                                (0x10000000 + k * 65536, 16))


def address(c, k, n):
    """The n-th address of subnet k that clients may get."""
    return network(c, k)[n + (256 if c["family"] == 4 and c["subnets"] > 1 else 65536)]


def pools(c, k):
    """The pools of subnet k; the partners of load-balancing have a half of it each."""
    share, parts = c["pool"] // c["subnets"], 2 if c["ha"] == "load-balancing" else 1
    ends = [share * part // parts for part in range(parts + 1)]
    return [{"pool": f"{address(c, k, first)} - {address(c, k, behind - 1)}",
             **({"client-class": f"HA_server{number}"} if parts > 1 else {})}
            for number, (first, behind) in enumerate(zip(ends, ends[1:]), 1)]


def mac(first, n):
    """The n-th hardware address that begins with that byte."""
    return f"{first}:00:00:" + n.to_bytes(4, "big")[1:].hex(":")


def reservations(c, k):
    """The hardware address of each host of subnet k, and its reserved address or, of IPv6, name."""
    first = network(c, k)[1024 * (1 if c["subnets"] == 1 else 50)]
    for n, host in enumerate(range(k, c["reservations"], c["subnets"])):
        yield mac("0a", host), f"h{host}" if c["family"] == 6 else first + n


def hosts_sql(c):
    """The same reservations for the table of a database."""
    name = "hostname" if c["family"] == 6 else "ipv4_address"
    rows = ["INSERT INTO hosts (dhcp_identifier, dhcp_identifier_type, "
            f"dhcp{c['family']}_subnet_id, {name}) VALUES "
            f"({QUOTE[c['hosts']]}{client.replace(':', '')}', 0, {k + 1}, "
            + (f"'{of}');" if c["family"] == 6 else f"{int(of)});")
            for k in range(c["subnets"]) for client, of in reservations(c, k)]
    return "\n".join(["BEGIN; DELETE FROM hosts;", *rows, "COMMIT;"])


def taken(c, old, expire_s):
    """The leases that others have, line by line: rows of memfile's file, or statements (in one
    transaction PostgreSQL would keep all versions of Kea's counters).  They are here and there in
    the pool, or, if so many are old, at its end; in a full one the first client is ours."""
    columns = ("address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,"
               "fqdn_rev,hostname,state")
    found = range(c["pool"] - old, c["pool"]) if old else \
        sorted(random.Random(1).sample(range(c["pool"]), c["leases"]))
    first = address(c, 0, 0)
    leases = [(first + n, mac("0b", n)) for n in found]
    if len(found) == c["pool"]:
        leases[0] = leases[0][0], "0e:00:00:00:00:01"
    if c["store"] == "memfile":
        return [f"{columns},user_context", *(
            f"{of},{client},01:{client},{LIFETIME},{expire_s},1,0,0,,0," for of, client in leases)]
    quote = QUOTE[c["store"]]
    to_time, analyze = {"mysql": ("FROM_UNIXTIME", "ANALYZE TABLE lease4;"),
                        "pgsql": ("to_timestamp", "ANALYZE lease4;")}[c["store"]]
    rows = [f"({int(of)}, {quote}{octets}', {quote}01{octets}', {LIFETIME}, "
            f"{to_time}({expire_s}), 1, '0', '0', '', 0)"
            for of, client in leases for octets in [client.replace(":", "")]]
    return [*(f"INSERT INTO lease4 ({columns}) VALUES {','.join(rows[i:i + 500])};"
              for i in range(0, len(rows), 500)), analyze]


# ---- The configuration

def subnet(c, k, number):
    one = {"id": k + 1, "pools": pools(c, k), "subnet": str(network(c, k))}
    if c["family"] == 6 and c["subnets"] == 1:
        one["interface"] = f"dhcp{number}"
    if c["hosts"] == "config":
        one["reservations"] = [
            {"hw-address": client, "hostname" if c["family"] == 6 else "ip-address": str(of)}
            for client, of in reservations(c, k)]
    return one


def databases(c):
    """Their names: the second of a pair has leases of its own."""
    return ["kea"] if c["ha"] == "none" else ["kea", "kea2"]


def database(kind, name):
    """One of a private server, whose variables are in the environment."""
    of = {what: os.environ[f"UBENCH_{kind.upper()}_{what.upper()}"]
          for what in ("port", "user", "password")}
    return {**of, "type": {"mysql": "mysql", "pgsql": "postgresql"}[kind], "name": name,
            "host": HOST, "port": int(of["port"])}


def ha_hooks(c, number, hooks, site):
    """A pair as the site's, on this machine.  The library's own listeners need threads: as many as
    Kea has."""
    found = json.loads(string.Template(read(f"{HERE}/dhcp_ha.json")).substitute(
        hooks=hooks, number=number, mode=c["ha"], delay_ms=c["ha_delay_s"] * 1000,
        threads=c["threads"] or 4,
        partner="standby" if c["ha"] == "hot-standby" else "secondary"))
    theirs = high_availability(site) or {}
    found[1]["parameters"]["high-availability"][0].update(
        {name: theirs[name] for name in OF_A_PAIR if name in theirs})
    return found


def libraries(c, number, hooks, site):
    """Since Kea 2.7.4 the databases are libraries, too."""
    found = [{"library": path} for path in (
        f"{hooks}/libdhcp_{kind}.so" for kind in ("mysql", "pgsql")
        if kind in (c["store"], c["hosts"])) if os.path.exists(path)]
    if c["hook"] != "none":
        found.append({"library": f"{hooks}/ubench_hook.so",
                      "parameters": {"mode": c["hook"], "delay-ms": c["hook_ms"]}})
    return found + (ha_hooks(c, number, hooks, site) if c["ha"] != "none" else [])


def site_libraries(site, hooks):
    """The site's hook libraries, those of the measured Kea, and the names of those that are
    absent.  dhcp adds some itself."""
    there, absent = [], []
    for hook in site.get("hooks-libraries", []):
        name = os.path.basename(hook.get("library", ""))
        if library(hook) in OURS:
            continue
        if name and os.path.exists(f"{hooks}/{name}"):
            there.append({**hook, "library": f"{hooks}/{name}"})
        else:
            absent.append(name)
    return there, absent


def kea(c, number, folder, hooks, site):
    """The configuration of kea-dhcp4 or kea-dhcp6, server 1 or 2, as a dict: of our own or,
    with what the command line replaces, the site's."""
    name, pair = f"kea-dhcp{c['family']}", c["ha"] != "none"
    log = {"output_options": [{"output": f"{folder}/server.log"}]}
    leases = {"type": "memfile", "name": f"{folder}/leases.csv", "persist": c["sync"] != "volatile"
              } if c["store"] == "memfile" else database(c["store"], databases(c)[number - 1])
    if c["command"] == "lfc":
        leases["lfc-interval"] = LFC_S
    config = {
        "interfaces-config": {"interfaces": [f"dhcp{number}"]}, "lease-database": leases,
        "valid-lifetime": LIFETIME, "hooks-libraries": libraries(c, number, hooks, site),
        "loggers": [{"name": name, "severity": "WARN", **log}],
        f"subnet{c['family']}": [subnet(c, k, number) for k in range(c["subnets"])]}
    if pair:
        config["loggers"].append({"name": f"{name}.ha-hooks", "severity": "INFO", **log})
    if c["threads"]:
        config["multi-threading"] = (
            {"enable-multi-threading": False} if c["threads"] == 1 and not pair else
            {"enable-multi-threading": True, "thread-pool-size": c["threads"],
             "packet-queue-size": c["queue"]})
    if c["family"] == 4:
        config["interfaces-config"]["dhcp-socket-type"] = "raw"
    else:
        config.update({"data-directory": folder, "preferred-lifetime": 43200})
    if c["classes"] > 0:
        client = "option[1].hex" if c["family"] == 6 else "pkt4.mac"
        config["client-classes"] = [
            {"name": f"class{i}", "test": f"substring({client},{i % 6},1) == 0x{i:02x}"}
            for i in range(c["classes"])]
    if c["hosts"] in ("mysql", "pgsql"):
        config["hosts-database"] = database(c["hosts"], "kea")
    if site:
        config = merged(copy.deepcopy(site), config, c["family"], hooks)
        if pair:  # its listener needs threads
            config.setdefault("multi-threading", {})["enable-multi-threading"] = True
    for path, value in c.get("set", {}).items():
        put(config, path, value)
    return {f"Dhcp{c['family']}": config}


def put(config, path, value):
    """Sets a member: words with points between, numbers of a list's elements among
    them."""
    *way, last = path.split(".")
    for word in way:
        config = (config[int(word)] if isinstance(config, list)
                  else config.setdefault(word, {}))
    config[int(last) if isinstance(config, list) else last] = \
        float(value) if last in REAL else value


def dhcpd(c):
    """The text of dhcpd.conf."""
    return f"""authoritative;
default-lease-time {LIFETIME};
max-lease-time {LIFETIME};
ddns-update-style none;
ping-check false;
delayed-ack {c['delayed_ack']};
subnet 10.0.0.0 netmask 255.0.0.0 {{
    range {pools(c, 0)[0]["pool"].replace(" - ", " ")};
}}
"""


# ---- A site's configuration

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


def without(members, names):
    return {key: value for key, value in members.items() if key not in names}


def without_interfaces(members):
    """The same subnets or networks, on any interface."""
    return [{key: without_interfaces(value) if key in ("subnet4", "subnet6") else value
             for key, value in without(one, ["interface"]).items()} for one in members]


def merged(site, ours, family, hooks):
    """The site's configuration, with ours where it cannot be as it is.  The clients come
    from our subnet, which has all else from the site's first one."""
    name, every = f"subnet{family}", subnets(site, family)
    own = {**without((every or [{}])[0], OF_A_SUBNET), **ours[name][0]}
    prefix = ipaddress.ip_network(own["subnet"])
    while prefix in [ipaddress.ip_network(one["subnet"], False) for one in every]:
        prefix = prefix.supernet()  # Kea refuses a second subnet of a prefix
    own.update(id=max([one.get("id", 0) for one in every] + [len(every)]) + 1, subnet=str(prefix))
    if family == 4:
        own["relay"] = {"ip-addresses": [LOAD]}
    config = {**without(site, NOT_HERE), **{key: ours[key] for key in (
        *NOT_HERE, "multi-threading") if key in ours}}
    if "shared-networks" in site:
        config["shared-networks"] = without_interfaces(site["shared-networks"])
    config[name] = [*without_interfaces(site.get(name, [])), own]
    config["hooks-libraries"] = ours["hooks-libraries"] + site_libraries(site, hooks)[0]
    config["lease-database"] = {**without(site.get("lease-database", {}), CONNECTION),
                                **ours["lease-database"]}
    return config


def cached(given, site, family, version):
    """The share of a lease's lifetime in which Kea gives it again without writing it, and how
    many seconds that is; 0: it always writes.  The clients' subnet has what the first one has."""
    major = int(re.match("[0-9]*", version)[0] or 0)
    own = {**site, **(subnets(site, family) or [{}])[0], **given}
    lifetime = own.get("valid-lifetime", 7200 if site else LIFETIME)
    default = 0.25 if major >= 3 else 1 if "cache-max-age" in own else 0
    young_s = min(own.get("cache-threshold", default) * lifetime,
                  own.get("cache-max-age", lifetime))
    return round(young_s / lifetime, 6), young_s
