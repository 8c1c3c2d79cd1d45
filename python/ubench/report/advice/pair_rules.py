# SPDX-License-Identifier: ISC
"""Rules for servers that share leases (libdhcp_ha.so)."""

from __future__ import annotations

from ubench.report.advice import words
from ubench.report.advice.configuration import Parameter
from ubench.report.advice.rule import Facts, Rule

HEARTBEATS = 6  # that the partner may miss, as by default: 60 s of 10 s each


def lacks_lease_commands(facts: Facts) -> bool:
    """The HA library cannot send leases without libdhcp_lease_cmds.so."""
    return facts.has_ha and "lease_cmds" not in facts.configuration.hooks.value


def leaves_partner_ignorant(facts: Facts) -> bool:
    """Each server has a memfile of its own, and does not hear of the other one's leases."""
    return facts.has_ha and not facts.is_server and not facts.ha.send_lease_updates.value


def sends_without_syncing(facts: Facts) -> bool:
    """The two parameters of a shared database contradict each other."""
    return (
        facts.has_ha
        and facts.is_server
        and facts.ha.send_lease_updates.value
        and not facts.ha.sync_leases.value
    )


def syncs_without_sending(facts: Facts) -> bool:
    """The two parameters of a shared database contradict each other."""
    return (
        facts.has_ha
        and facts.is_server
        and facts.ha.sync_leases.value
        and not facts.ha.send_lease_updates.value
    )


def shares_database_with_flq(facts: Facts) -> bool:
    """The free lease queue is in the memory of one server."""
    return facts.configuration.shares_database and "flq" in facts.configuration.allocators


def waits_for_few_heartbeats(facts: Facts) -> bool:
    """The partner seems to be down between two heartbeats."""
    if not facts.configuration.is_pair:
        return False
    return facts.ha.max_response_delay.value <= facts.ha.heartbeat_delay.value


def may_share_database(facts: Facts) -> bool:
    """A pair whose database is on another machine, which may be that of both servers."""
    return (
        facts.configuration.is_pair
        and bool(facts.configuration.lease_database.remote_host)
        and facts.ha.sync_leases.value
    )


def flq_parameter(facts: Facts) -> Parameter[object]:
    """The allocator of the first subnet that has flq."""
    subnets = facts.configuration.subnets
    return next(subnet.allocator for subnet in subnets if subnet.allocator.value == "flq")


PAIR_RULES = (
    Rule(
        lacks_lease_commands,
        lambda facts: facts.configuration.hooks,
        "add libdhcp_lease_cmds.so",
        words.NEEDS_LEASE_COMMANDS,
    ),
    Rule(
        leaves_partner_ignorant,
        lambda facts: facts.ha.send_lease_updates,
        "true",
        words.PARTNER_IGNORANT,
    ),
    Rule(
        syncs_without_sending,
        lambda facts: facts.ha.sync_leases,
        "false",
        words.BOTH_OR_NEITHER,
    ),
    Rule(
        sends_without_syncing,
        lambda facts: facts.ha.send_lease_updates,
        "false",
        words.BOTH_OR_NEITHER,
    ),
    Rule(shares_database_with_flq, flq_parameter, "random", words.FLQ_ON_SHARED_DATABASE),
    Rule(
        waits_for_few_heartbeats,
        lambda facts: facts.ha.max_response_delay,
        "{delay_ms}",
        words.FEW_HEARTBEATS,
        lambda facts: {"delay_ms": HEARTBEATS * facts.ha.heartbeat_delay.value},
    ),
    Rule(
        may_share_database,
        lambda facts: facts.ha.send_lease_updates,
        "false, and sync-leases: false",
        words.MAY_SHARE_DATABASE,
        lambda facts: {"host": facts.configuration.lease_database.remote_host},
    ),
)
