# SPDX-License-Identifier: ISC
"""Rules for servers that share leases (libdhcp_ha.so)."""

from __future__ import annotations

from ubench.report.advice import words
from ubench.report.advice.configuration import Parameter
from ubench.report.advice.rule import Facts, Rule

HEARTBEATS = 6  # that the partner may miss, as by default: 60 s of 10 s each


def lacks_lease_commands(facts: Facts) -> bool:
    """Return whether the HA library cannot send leases without libdhcp_lease_cmds.so."""
    return facts.has_ha and "lease_cmds" not in facts.configuration.hooks.value


def leaves_partner_ignorant(facts: Facts) -> bool:
    """Return whether each server has its own memfile, and does not hear of the other's leases."""
    return facts.has_ha and not facts.is_server and not facts.ha.send_lease_updates.value


def sends_without_syncing(facts: Facts) -> bool:
    """Return whether the two parameters of a shared database contradict each other."""
    return (
        facts.has_ha
        and facts.is_server
        and facts.ha.send_lease_updates.value
        and not facts.ha.sync_leases.value
    )


def syncs_without_sending(facts: Facts) -> bool:
    """Return whether the two parameters of a shared database contradict each other."""
    return (
        facts.has_ha
        and facts.is_server
        and facts.ha.sync_leases.value
        and not facts.ha.send_lease_updates.value
    )


def shares_database_with_flq(facts: Facts) -> bool:
    """Return whether the free lease queue is in the memory of one server."""
    configuration = facts.configuration
    is_shared = configuration.shares_database or configuration.servers > 1
    return is_shared and "flq" in configuration.allocators


def offers_as_others_do(facts: Facts) -> bool:
    """Return whether servers with one database offer the addresses of a pool in the same order."""
    configuration = facts.configuration
    return configuration.compete and "iterative" in configuration.allocators


def waits_for_few_heartbeats(facts: Facts) -> bool:
    """Return whether the partner seems to be down between two heartbeats."""
    if not facts.configuration.is_pair:
        return False
    return facts.ha.max_response_delay.value <= facts.ha.heartbeat_delay.value


def may_share_database(facts: Facts) -> bool:
    """Return whether a pair has its database on another machine, maybe that of both servers."""
    return (
        facts.configuration.is_pair
        and bool(facts.configuration.lease_database.remote_host)
        and facts.ha.sync_leases.value
    )


def allocator_parameter(facts: Facts, name: str) -> Parameter[object]:
    """Return the allocator of the first subnet with the one of this name, else of the first."""
    named = (each.allocator for each in facts.configuration.subnets if each.allocator.value == name)
    return next(named, facts.first_subnet.allocator)


PAIR_RULES = (
    Rule(
        applies=lacks_lease_commands,
        parameter=lambda facts: facts.configuration.hooks,
        value="add libdhcp_lease_cmds.so",
        reason=words.NEEDS_LEASE_COMMANDS,
    ),
    Rule(
        applies=leaves_partner_ignorant,
        parameter=lambda facts: facts.ha.send_lease_updates,
        value="true",
        reason=words.PARTNER_IGNORANT,
    ),
    Rule(
        applies=syncs_without_sending,
        parameter=lambda facts: facts.ha.sync_leases,
        value="false",
        reason=words.BOTH_OR_NEITHER,
    ),
    Rule(
        applies=sends_without_syncing,
        parameter=lambda facts: facts.ha.send_lease_updates,
        value="false",
        reason=words.BOTH_OR_NEITHER,
    ),
    Rule(
        applies=shares_database_with_flq,
        parameter=lambda facts: allocator_parameter(facts, "flq"),
        value="random",
        reason=words.FLQ_ON_SHARED_DATABASE,
    ),
    Rule(
        applies=offers_as_others_do,
        parameter=lambda facts: allocator_parameter(facts, "iterative"),
        value="random",
        reason=words.ITERATIVE_ON_SHARED_DATABASE,
    ),
    Rule(
        applies=waits_for_few_heartbeats,
        parameter=lambda facts: facts.ha.max_response_delay,
        value="{delay_ms}",
        reason=words.FEW_HEARTBEATS,
        figures=lambda facts: {"delay_ms": HEARTBEATS * facts.ha.heartbeat_delay.value},
    ),
    Rule(
        applies=may_share_database,
        parameter=lambda facts: facts.ha.send_lease_updates,
        value="false, and sync-leases: false",
        reason=words.MAY_SHARE_DATABASE,
        figures=lambda facts: {"host": facts.configuration.lease_database.remote_host},
    ),
)
