# SPDX-License-Identifier: ISC
"""The configuration of a DHCP server: of our own, or a site's with what has to differ here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ubench.dhcp import perfmon
from ubench.dhcp.addresses import PlanSubnet, Reservation, plan_subnets
from ubench.dhcp.plan import DEFAULT_ALLOCATOR, LIFETIME_S, Plan
from ubench.dhcp.site import KeaMap, SiteConfiguration, merged
from ubench.records.observation import DATABASE_SERVERS, KEA_DATABASE_TYPES

HOST = "127.0.0.1"
LFC_S = 10  # from the start of a server until its lease file is cleaned up
PREFERRED_LIFETIME_S = 43200
LISTENER_THREADS = 4  # of a pair whose number of threads is the site's
HEARTBEAT_MS = 1000
REAL_MEMBERS = ("cache-threshold", "t1-percent", "t2-percent")  # Kea refuses whole numbers
# Members of a site's pair that stay: whether and how its servers update each other.
PAIR_MEMBERS = (
    "send-lease-updates",
    "sync-leases",
    "sync-timeout",
    "sync-page-limit",
    "delayed-updates-limit",
    "max-rejected-lease-updates",
    "max-ack-delay",
)


@dataclass(frozen=True)
class DatabaseAccess:
    """How a server reaches a private database server on this machine."""

    port: int
    user: str
    password: str = field(repr=False)


def access_key(kind: str, node: int) -> str:
    """Return the name of a database server: its kind and, of a cluster's, its number."""
    return kind if node == 1 else f"{kind}{node}"


@dataclass(frozen=True)
class Surroundings:
    """What a configuration refers to, apart from the plan."""

    home: Path  # the directory of this server
    hooks: Path  # the directory of the hook libraries
    databases: Mapping[str, DatabaseAccess]  # by access_key
    site: SiteConfiguration | None = None


# ---- Kea


def kea_config(plan: Plan, number: int, around: Surroundings) -> KeaMap:
    """Return the configuration of kea-dhcp4 or kea-dhcp6, server `number` of several."""
    config: KeaMap = {
        "interfaces-config": {"interfaces": [plan.interface(number)]},
        "lease-database": _lease_database(plan, number, around),
        "valid-lifetime": LIFETIME_S,
        "hooks-libraries": hook_libraries(plan, number, around),
        "loggers": _loggers(plan, around.home),
        f"subnet{plan.family}": [_subnet(subnet, number) for subnet in plan_subnets(plan)],
    }
    if plan.threads:
        config["multi-threading"] = _multi_threading(plan, plan.threads)
    if plan.family == 4:
        config["interfaces-config"]["dhcp-socket-type"] = "raw"
    else:
        config["data-directory"] = str(around.home)
        config["preferred-lifetime"] = PREFERRED_LIFETIME_S
    if has_perfmon(plan, around.hooks):
        config["control-socket"] = perfmon.control_socket(around.home)
    if plan.allocator != DEFAULT_ALLOCATOR:
        config["allocator"] = plan.allocator
    if plan.classes > 0:
        config["client-classes"] = _client_classes(plan)
    if plan.hosts in DATABASE_SERVERS:
        config["hosts-database"] = _database(plan.hosts, "kea", around)
    if around.site:
        config = merged(around.site.members, config, plan.family, around.hooks)
        if plan.is_pair:  # the listener of the pair needs threads
            config.setdefault("multi-threading", {})["enable-multi-threading"] = True
    for path, value in plan.overrides.items():
        set_member(config, path, value)
    return {f"Dhcp{plan.family}": config}


def _lease_database(plan: Plan, number: int, around: Surroundings) -> KeaMap:
    if plan.store == "memfile":
        database = {
            "type": "memfile",
            "name": str(around.home / "leases.csv"),
            "persist": plan.keeps_leases,
        }
    else:
        node = plan.node_of(number)
        database = _database(plan.store, plan.database_of(number), around, node)
    if plan.command == "lfc":
        database["lfc-interval"] = LFC_S
    return database


def _database(kind: str, name: str, around: Surroundings, node: int = 1) -> KeaMap:
    access = around.databases[access_key(kind, node)]
    return {
        "type": KEA_DATABASE_TYPES[kind],
        "name": name,
        "host": HOST,
        "port": access.port,
        "user": access.user,
        "password": access.password,
    }


def _loggers(plan: Plan, home: Path) -> list[KeaMap]:
    """Return loggers of warnings alone: Kea's default, INFO, writes a line for each lease."""
    output = [{"output": str(home / "server.log")}]
    loggers = [{"name": plan.program, "severity": "WARN", "output_options": output}]
    if plan.is_pair:  # its states show when both serve
        loggers.append(
            {"name": f"{plan.program}.ha-hooks", "severity": "INFO", "output_options": output}
        )
    return loggers


def _multi_threading(plan: Plan, threads: int) -> KeaMap:
    if threads == 1 and not plan.is_pair:
        return {"enable-multi-threading": False}
    return {
        "enable-multi-threading": True,
        "thread-pool-size": threads,
        "packet-queue-size": plan.queue,
    }


def _client_classes(plan: Plan) -> list[KeaMap]:
    client = "option[1].hex" if plan.family == 6 else "pkt4.mac"
    return [
        {"name": f"class{i}", "test": f"substring({client},{i % 6},1) == 0x{i:02x}"}
        for i in range(plan.classes)
    ]


def _subnet(subnet: PlanSubnet, number: int) -> KeaMap:
    plan = subnet.plan
    pools: list[KeaMap] = [{"pool": str(pool)} for pool in subnet.pools]
    if plan.ha == "load-balancing":
        for owner, pool in enumerate(pools, 1):
            pool["client-class"] = f"HA_server{owner}"
    members: KeaMap = {"id": subnet.id, "pools": pools, "subnet": str(subnet.network)}
    if plan.family == 6 and plan.subnets == 1:
        members["interface"] = f"dhcp{number}"
    if plan.hosts == "config":
        members["reservations"] = [_reservation(host) for host in subnet.reservations]
    return members


def _reservation(host: Reservation) -> KeaMap:
    if host.address is None:
        return {"hw-address": host.mac, "hostname": host.hostname}
    return {"hw-address": host.mac, "ip-address": str(host.address)}


def set_member(config: KeaMap, path: str, value: object) -> None:
    """Set one member; in its path points separate names, and numbers are elements of lists.

    Raises LookupError, TypeError, ValueError or AttributeError if the path leads nowhere.
    """
    *parents, last = path.split(".")
    parent: KeaMap | list[Any] = config
    for name in parents:
        parent = parent[int(name)] if isinstance(parent, list) else parent.setdefault(name, {})
    if last in REAL_MEMBERS and isinstance(value, int):
        value = float(value)
    if isinstance(parent, list):
        parent[int(last)] = value
    else:
        parent[last] = value


# ---- Hook libraries


def hook_libraries(plan: Plan, number: int, around: Surroundings) -> list[KeaMap]:
    """Return the hook libraries that a plan needs; since Kea 2.7.4 databases are among them."""
    databases = [around.hooks / f"libdhcp_{kind}.so" for kind in plan.database_kinds]
    libraries: list[KeaMap] = [{"library": str(path)} for path in databases if path.exists()]
    if has_perfmon(plan, around.hooks):
        interval = perfmon.interval_s(plan.seconds, plan.within_s)
        libraries.append(perfmon.hook_library(around.hooks / perfmon.LIBRARY, interval))
    if plan.hook != "none":
        libraries.append(
            {
                "library": str(around.hooks / "ubench_hook.so"),
                "parameters": {"mode": plan.hook, "delay-ms": plan.hook_ms},
            }
        )
    if plan.is_pair:
        libraries.append({"library": str(around.hooks / "libdhcp_lease_cmds.so")})
        libraries.append(
            {
                "library": str(around.hooks / "libdhcp_ha.so"),
                "parameters": {
                    "high-availability": [_high_availability(plan, number, around.site)]
                },
            }
        )
    return libraries


def _high_availability(plan: Plan, number: int, site: SiteConfiguration | None) -> KeaMap:
    """Return the pair on this machine; its servers update each other as those of the site do.

    The listeners of the library need threads: as many as Kea has.
    """
    threads = plan.threads or LISTENER_THREADS
    second_role = "standby" if plan.ha == "hot-standby" else "secondary"
    theirs = site.high_availability if site else {}
    return {
        "this-server-name": f"server{number}",
        "mode": plan.ha,
        "heartbeat-delay": HEARTBEAT_MS,
        "max-response-delay": plan.ha_delay_s * 1000,
        "max-unacked-clients": 0,  # the clients of perfdhcp do not say how long they have asked
        "multi-threading": {
            "enable-multi-threading": True,
            "http-dedicated-listener": True,
            "http-listener-threads": threads,
            "http-client-threads": threads,
        },
        "peers": [
            {"name": "server1", "role": "primary", "url": f"http://{HOST}:8001/"},
            {"name": "server2", "role": second_role, "url": f"http://{HOST}:8002/"},
        ],
        **{name: theirs[name] for name in PAIR_MEMBERS if name in theirs},
    }


def has_perfmon(plan: Plan, hooks: Path) -> bool:
    """Return whether Kea is to tell how long it has each packet: with --where, if it can."""
    return plan.where and (hooks / perfmon.LIBRARY).exists()


# ---- dhcpd


def dhcpd_config(plan: Plan) -> str:
    """Return the text of dhcpd.conf."""
    pool = PlanSubnet(plan, 0).pools[0]
    return f"""authoritative;
default-lease-time {LIFETIME_S};
max-lease-time {LIFETIME_S};
ddns-update-style none;
ping-check false;
delayed-ack {plan.delayed_ack};
subnet 10.0.0.0 netmask 255.0.0.0 {{
    range {pool.first} {pool.last};
}}
"""
