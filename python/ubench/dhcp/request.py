# SPDX-License-Identifier: ISC
"""The plans that a command line of scripts/dhcp asks for."""

from __future__ import annotations

import argparse
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ubench import cli
from ubench.dhcp.commands import CommandSet, read_commands
from ubench.dhcp.options import DHCPD_POOL, KEA_POOL, LIST_OPTIONS, SUBNET_POOL, make_parser
from ubench.dhcp.plan import DEFAULT_HA_DELAY_S, DEFAULT_HOOK_MS, DEFAULT_QUEUE, Plan
from ubench.dhcp.site import SiteConfiguration
from ubench.errors import UsageError


@dataclass(frozen=True)
class DhcpRequest:
    """What a command line asks for."""

    plans: tuple[Plan, ...]
    output: Path | None
    site: SiteConfiguration | None


def read_request(words: Sequence[str]) -> DhcpRequest:
    """Read a command line; each plan is there once, in order. Raises UsageError."""
    commands = read_commands()
    parser = make_parser(commands)
    first = parser.parse(words)
    command = _find_command(commands, first.command, is_quick=first.quick)
    plans: list[Plan] = []
    for basic, *options in command.lines:
        defaults = _find_command(commands, basic, is_quick=first.quick).lines[0][1:]
        values = parser.parse([*defaults, *options, *words])
        for plan in _combinations(basic, values):
            plan.check()
            if plan not in plans:
                plans.append(plan)
    return DhcpRequest(tuple(plans), first.output, first.config)


def _find_command(commands: Mapping[str, CommandSet], name: str, *, is_quick: bool) -> CommandSet:
    names = [command.name for command in commands.values() if not command.is_quick]
    if name not in names:
        hint = cli.suggestion(name, names)
        raise UsageError(f"'{name}' is not a command; expected {cli.alternatives(names)}{hint}")
    quick = commands.get(f"{name} --quick")
    return quick if is_quick and quick else commands[name]


def _combinations(command: str, values: argparse.Namespace) -> Iterator[Plan]:
    """Yield a plan for each combination of the values of all lists."""
    lists = [getattr(values, option.key) for option in LIST_OPTIONS]
    for combination in itertools.product(*lists):
        chosen = {
            option.key: value for option, value in zip(LIST_OPTIONS, combination, strict=True)
        }
        chosen["where"] = values.where
        yield _make_plan(command, chosen, values.config, dict(values.set or []))


def _make_plan(
    command: str,
    chosen: Mapping[str, Any],
    site: SiteConfiguration | None,
    overrides: Mapping[str, object],
) -> Plan:
    """Return the plan of one combination, by the names of options.

    A value of None becomes its default; options that make no difference get theirs.
    """
    is_dhcpd = chosen["server"] == "dhcpd"
    store = chosen["store"] or ("dhcpd" if is_dhcpd else "memfile")
    threads = chosen["threads"] or (None if site else 1)
    ha = chosen["ha"] or (site.pair if site else "none")
    hosts_matter = chosen["reservations"] or (site and chosen["hosts"] != "config")
    return Plan(
        command=command,
        server=chosen["server"],
        family=site.family if site else int(chosen["family"]),
        store=store,
        sync=chosen["sync"] or ("no" if store == "memfile" else "yes"),
        threads=threads,
        queue=DEFAULT_QUEUE if threads == 1 else chosen["queue"],
        cpus=chosen["cpus"],
        delayed_ack=chosen["delayed_ack"],
        pool=chosen["pool"] or _default_pool(chosen["subnets"], is_dhcpd=is_dhcpd),
        leases=chosen["leases"] or 0,
        classes=chosen["classes"],
        subnets=chosen["subnets"],
        reservations=chosen["reservations"],
        hosts=chosen["hosts"] if hosts_matter else "none",
        hook=chosen["hook"],
        hook_ms=DEFAULT_HOOK_MS if chosen["hook"] == "none" else chosen["hook_ms"],
        servers=chosen["servers"],
        nodes=chosen["nodes"],
        allocator=chosen["allocator"],
        ha=ha,
        ha_delay_s=DEFAULT_HA_DELAY_S if ha == "none" else chosen["ha_delay"],
        kill_s=chosen["kill"],
        renew=chosen["renew"],
        release=chosen["release"],
        max_lost=chosen["lost"] / 100,
        within_s=chosen["within"],
        start_rate=chosen["rate"] or 0,
        seconds=chosen["seconds"] or 0,
        clients=chosen["clients"],
        where=chosen["where"],
        overrides=overrides,
        config=site.record if site else None,
        runs=chosen["runs"] or 1,
        prefix=chosen["prefix"] or os.environ.get("KEA_PREFIX", ""),
    )


def _default_pool(subnets: int, *, is_dhcpd: bool) -> int:
    if is_dhcpd:
        return DHCPD_POOL
    return min(subnets * SUBNET_POOL, KEA_POOL) if subnets > 1 else KEA_POOL
