# SPDX-License-Identifier: ISC
"""The configuration of a DHCP server: pools, reservations, databases, partner."""
import copy
import ipaddress
import os
import random

import dhcp_config

HOST = "127.0.0.1"
LFC_S = 10  # from the start of a server until its lease file is cleaned up


def base(c, k):
    """The first address of subnet k; that of its relay, if there are several, is the next one."""
    if c["family"] == 6:
        return ipaddress.IPv6Address(f"2001:db8:{1 if c['subnets'] == 1 else k + 2:x}::")
    return ipaddress.IPv4Address("10.0.0.0" if c["subnets"] == 1 else 0x10000000 + k * 65536)


def address(c, k, n):
    """The n-th address of subnet k that clients may get."""
    return str(base(c, k) + (256 if c["family"] == 4 and c["subnets"] > 1 else 65536) + n)


def reserved(c, host):
    """The address that is reserved for a host, of IPv4."""
    first = 1024 * (1 if c["subnets"] == 1 else 50)
    return base(c, host % c["subnets"]) + first + host // c["subnets"]


def pools(c, k):
    """The pools of subnet k; the partners of load-balancing have a half of it each."""
    share = c["pool"] // c["subnets"]

    def pool(first, behind, **more):
        return {"pool": f"{address(c, k, first)} - {address(c, k, behind - 1)}", **more}
    if c["ha"] != "load-balancing":
        return [pool(0, share)]
    return [pool(0, share // 2, **{"client-class": "HA_server1"}),
            pool(share // 2, share, **{"client-class": "HA_server2"})]


def mac(first, n):
    """The n-th hardware address that begins with that byte."""
    return f"{first}:00:00:" + n.to_bytes(4, "big")[1:].hex(":")


def reservation(c, host):
    more = {"hostname": f"h{host}"} if c["family"] == 6 else {"ip-address": str(reserved(c, host))}
    return {"hw-address": mac("0a", host), **more}


def subnet(c, k, number):
    prefix = 64 if c["family"] == 6 else 8 if c["subnets"] == 1 else 16
    one = {"id": k + 1, "pools": pools(c, k), "subnet": f"{base(c, k)}/{prefix}"}
    if c["family"] == 6 and c["subnets"] == 1:
        one["interface"] = f"dhcp{number}"
    if c["hosts"] == "config":
        one["reservations"] = [reservation(c, host) for host in
                               range(k, c["reservations"], c["subnets"])]
    return one


def hosts_sql(c):
    """The same reservations for the table of a database."""
    quote = "x'" if c["hosts"] == "mysql" else "'\\x"
    name = "hostname" if c["family"] == 6 else "ipv4_address"
    rows = [f"INSERT INTO hosts (dhcp_identifier, dhcp_identifier_type, "
            f"dhcp{c['family']}_subnet_id, {name}) VALUES ("
            f"{quote}0a0000{host:06x}', 0, {host % c['subnets'] + 1}, "
            + (f"'h{host}'" if c["family"] == 6 else str(int(reserved(c, host)))) + ");"
            for host in range(c["reservations"])]
    return "\n".join(["BEGIN; DELETE FROM hosts;", *rows, "COMMIT;"])


def databases(c):
    """Their names: the second of a pair has leases of its own."""
    return ["kea"] if c["ha"] == "none" else ["kea", "kea2"]


def database(kind, name):
    """One of a private server, whose variables are in the environment."""
    variable = f"UBENCH_{kind.upper()}_"
    return {"type": {"mysql": "mysql", "pgsql": "postgresql"}[kind], "name": name,
            "host": HOST, "port": int(os.environ[variable + "PORT"]),
            "user": os.environ[variable + "USER"],
            "password": os.environ[variable + "PASSWORD"]}


def ha_hooks(c, number, hooks):
    """The library's own listeners need threads: as many as Kea has."""
    threads = c["threads"] or 4
    partner = "standby" if c["ha"] == "hot-standby" else "secondary"
    return [
        {"library": f"{hooks}/libdhcp_lease_cmds.so"},
        {"library": f"{hooks}/libdhcp_ha.so", "parameters": {"high-availability": [{
            "this-server-name": f"server{number}", "mode": c["ha"],
            "heartbeat-delay": 1000, "max-response-delay": c["ha_delay_s"] * 1000,
            "max-unacked-clients": 0,
            "multi-threading": {
                "enable-multi-threading": True, "http-dedicated-listener": True,
                "http-listener-threads": threads, "http-client-threads": threads},
            "peers": [
                {"name": "server1", "role": "primary", "url": f"http://{HOST}:8001/"},
                {"name": "server2", "role": partner, "url": f"http://{HOST}:8002/"}],
        }]}}]


def libraries(c, number, hooks):
    """Since Kea 2.7.4 the databases are libraries, too."""
    databases = [{"library": path} for path in (
        f"{hooks}/libdhcp_{kind}.so" for kind in ("mysql", "pgsql")
        if kind in (c["store"], c["hosts"])) if os.path.exists(path)]
    own = [] if c["hook"] == "none" else [
        {"library": f"{hooks}/ubench_hook.so",
         "parameters": {"mode": c["hook"], "delay-ms": c["hook_ms"]}}]
    return databases + own + ([] if c["ha"] == "none" else ha_hooks(c, number, hooks))


def kea(c, number, folder, hooks, site):
    """The configuration of kea-dhcp4 or kea-dhcp6, server 1 or 2, as a dict: of our own or,
    with what the command line replaces, the site's."""
    name = f"kea-dhcp{c['family']}"
    log = {"output_options": [{"output": f"{folder}/server.log"}]}
    loggers = [{"name": name, "severity": "WARN", **log}]
    if c["ha"] != "none":
        loggers.append({"name": f"{name}.ha-hooks", "severity": "INFO", **log})
    threads = ({"enable-multi-threading": False}
               if c["threads"] == 1 and c["ha"] == "none" else
               {"enable-multi-threading": True, "thread-pool-size": c["threads"],
                "packet-queue-size": c["queue"]})
    leases = ({"type": "memfile", "name": f"{folder}/leases.csv",
               "persist": c["sync"] != "volatile"} if c["store"] == "memfile" else
              database(c["store"], databases(c)[number - 1]))
    if c["command"] == "lfc":
        leases["lfc-interval"] = LFC_S
    config = {
        "interfaces-config": {"interfaces": [f"dhcp{number}"]},
        "lease-database": leases, "valid-lifetime": dhcp_config.LIFETIME,
        **({"multi-threading": threads} if c["threads"] else {}),
        "hooks-libraries": libraries(c, number, hooks), "loggers": loggers,
        f"subnet{c['family']}": [subnet(c, k, number) for k in range(c["subnets"])]}
    if c["family"] == 4:
        config["interfaces-config"]["dhcp-socket-type"] = "raw"
    else:
        config.update({"data-directory": folder, "preferred-lifetime": 43200})
    if c["classes"] > 0:
        client = "option[1].hex" if c["family"] == 6 else "pkt4.mac"
        config["client-classes"] = [
            {"name": f"class{i}",
             "test": f"substring({client},{i % 6},1) == 0x{i:02x}"}
            for i in range(c["classes"])]
    if c["hosts"] in ("mysql", "pgsql"):
        config["hosts-database"] = database(c["hosts"], "kea")
    if site:
        config = dhcp_config.merged(copy.deepcopy(site), config, c["family"], hooks)
        if c["ha"] != "none":  # its listener needs threads
            config.setdefault("multi-threading", {})["enable-multi-threading"] = True
    for path, value in c.get("set", {}).items():
        dhcp_config.put(config, path, value)
    return {f"Dhcp{c['family']}": config}


def dhcpd(c):
    """The text of dhcpd.conf."""
    delayed = f"delayed-ack {c['delayed_ack']};\n" if c["delayed_ack"] > 0 else ""
    return f"""authoritative;
default-lease-time 86400;
max-lease-time 86400;
ddns-update-style none;
ping-check false;
{delayed}subnet 10.0.0.0 netmask 255.0.0.0 {{
    range {pools(c, 0)[0]["pool"].replace(" - ", " ")};
}}
"""


def taken(c, expire_s):
    """The leases that others have, line by line: rows of memfile's file, or statements (in one
    transaction PostgreSQL would keep all versions of Kea's counters).  They are here and there in
    the pool, or those of --renew-old at its end; in a full one the first client is ours."""
    columns = ("address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,"
               "fqdn_rev,hostname,state")
    row = {
        "memfile": "{address},{client},01:{client},86400,{expire},1,0,0,,0,",
        "mysql": "(INET_ATON('{address}'), x'{hex}', x'01{hex}', 86400, "
                 "FROM_UNIXTIME({expire}), 1, 0, 0, '', 0)",
        "pgsql": "('{address}'::inet - '0.0.0.0'::inet, '\\x{hex}', '\\x01{hex}', 86400, "
                 "to_timestamp({expire}), 1, false, false, '', 0)",
    }[c["store"]]
    found = range(c["pool"] - c["leases"], c["pool"]) if "renew_old" in c else \
        sorted(random.Random(1).sample(range(c["pool"]), c["leases"]))
    clients = [mac("0b", n) for n in found]
    if c["leases"] == c["pool"]:
        clients[0] = "0e:00:00:00:00:01"
    rows = [row.format(address=address(c, 0, n), client=client, hex=client.replace(":", ""),
                       expire=expire_s) for n, client in zip(found, clients)]
    if c["store"] == "memfile":
        return [f"{columns},user_context", *rows]
    return [*(f"INSERT INTO lease4 ({columns}) VALUES " + ",".join(rows[i:i + 500]) + ";"
              for i in range(0, len(rows), 500)),
            {"mysql": "ANALYZE TABLE lease4;", "pgsql": "ANALYZE lease4;"}[c["store"]]]
