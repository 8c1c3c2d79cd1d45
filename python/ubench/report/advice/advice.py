# SPDX-License-Identifier: ISC
"""Rules that name a parameter to change, the most urgent first.

A rule applies where the parameter does harm at this site, and never because another value is
usual. Facts about Kea are those of its manual ("arm/"), from 2.2 on; where its releases differ,
the sentences say so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ubench.report.advice import defaults, words
from ubench.report.advice.configuration import Configuration, HighAvailability, Parameter, Subnet
from ubench.report.advice.population import (
    HOUR_S,
    Harm,
    Population,
    Reclaiming,
    harm,
    reclaimed_per_hour,
    reclaiming,
)
from ubench.report.phrases import figure, period

SMALL_SITE = 254  # clients: a home or an office with one subnet
DAY_S = 86400
# About the length of a lease in memfile's file: an IPv4 lease with client-id and host name.
ROW_BYTES = 100
LEAST_GROWTH_MB = 0.1  # a day, below which growth of the file is not worth a figure
# File systems that are in memory, or that are emptied when the machine starts.
FORGETFUL = ("/tmp/", "/run/", "/var/run/", "/dev/shm/")
RECONNECT_TRIES, RECONNECT_WAIT_MS = 10, 5000
HEARTBEATS = 6  # that the partner may miss, as by default: 60 s of 10 s each
# max-reclaim-leases is advised in whole hundreds, of which one is the default.
RECLAIM_STEP = 100


@dataclass(frozen=True)
class Facts:
    """What rules decide by: the configuration, its clients, and what was measured.

    `is_fast_enough` is None if no results fit, if they do not tell, or if some settings of the
    store are fast enough and others are not.
    """

    configuration: Configuration
    population: Population
    is_fast_enough: bool | None = None

    @property
    def has_ha(self) -> bool:
        """True if the configuration loads libdhcp_ha.so."""
        return self.configuration.ha is not None

    @property
    def ha(self) -> HighAvailability:
        """The relationship with other servers, of a configuration that has one."""
        assert self.configuration.ha is not None
        return self.configuration.ha

    @property
    def is_server(self) -> bool:
        """True if a database server keeps the leases."""
        return self.configuration.lease_database.is_server

    @property
    def has_file(self) -> bool:
        """True if memfile keeps the leases in a file."""
        return not self.is_server and self.configuration.lease_database.persist.value

    @property
    def first_subnet(self) -> Subnet:
        """The subnet whose place is named for parameters that subnets inherit."""
        return self.population.used_subnets[0]

    @cached_property
    def cached_subnet(self) -> Subnet | None:
        """The first subnet whose clients renew so early that Kea repeats their lease."""
        return next((subnet for subnet in self.population.used_subnets if subnet.is_cached), None)


@dataclass(frozen=True)
class Change:
    """A parameter to change: its new value, and why."""

    parameter: Parameter[object]
    value: str
    reason: str


def no_figures(_: Facts) -> Mapping[str, object]:
    """The figures of a rule whose sentence has none."""
    return {}


@dataclass(frozen=True)
class Rule:
    """A condition, the parameter to change if it holds, the new value and the reason.

    Value and reason have places for the figures.
    """

    applies: Callable[[Facts], bool]
    parameter: Callable[[Facts], Parameter[object]]
    value: str
    reason: str
    figures: Callable[[Facts], Mapping[str, object]] = no_figures

    def change(self, facts: Facts) -> Change:
        """The change for a site to which the rule applies."""
        figures = {"family": facts.configuration.family, **self.figures(facts)}
        return Change(
            self.parameter(facts),
            self.value.format_map(figures),
            self.reason.format_map(figures),
        )


def changes(facts: Facts) -> list[Change]:
    """The parameters to change, the most urgent first."""
    return [rule.change(facts) for rule in RULES if rule.applies(facts)]


# ---- Servers that share leases


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


# ---- A database server


def exits_without_database(facts: Facts) -> bool:
    """Kea exits as soon as it loses the database."""
    database = facts.configuration.lease_database
    return facts.is_server and not database.max_reconnect_tries.value


def exits_without_wait(facts: Facts) -> bool:
    """Kea would try again, but does not, as it has no time between tries."""
    database = facts.configuration.lease_database
    return (
        facts.is_server
        and bool(database.max_reconnect_tries.value)
        and not database.reconnect_wait_time.value
    )


def lacks_reconnect_parameters(facts: Facts) -> bool:
    """Kea exits as soon as it loses the database, and has no time between tries either."""
    database = facts.configuration.lease_database
    return exits_without_database(facts) and not database.reconnect_wait_time.value


def lacks_reconnect_tries(facts: Facts) -> bool:
    """Kea exits as soon as it loses the database, although it has a time between tries."""
    return exits_without_database(facts) and not lacks_reconnect_parameters(facts)


def serves_without_leases(facts: Facts) -> bool:
    """Kea answers clients while it has no connection to its leases."""
    return facts.is_server and facts.configuration.lease_database.on_fail.value.startswith("serve")


DATABASE_RULES = (
    Rule(
        lacks_reconnect_parameters,
        lambda facts: facts.configuration.lease_database.max_reconnect_tries,
        f"{RECONNECT_TRIES}, with reconnect-wait-time: {RECONNECT_WAIT_MS}",
        words.NO_TRIES,
    ),
    Rule(
        lacks_reconnect_tries,
        lambda facts: facts.configuration.lease_database.max_reconnect_tries,
        f"{RECONNECT_TRIES}",
        words.NO_TRIES,
    ),
    Rule(
        exits_without_wait,
        lambda facts: facts.configuration.lease_database.reconnect_wait_time,
        f"{RECONNECT_WAIT_MS}",
        words.NO_WAIT,
    ),
    Rule(
        serves_without_leases,
        lambda facts: facts.configuration.lease_database.on_fail,
        "stop-retry-exit",
        words.SERVES_WITHOUT_LEASES,
    ),
)


# ---- memfile


def forgets_leases(facts: Facts) -> bool:
    """Leases are in memory only."""
    return not facts.is_server and not facts.has_file


def has_forgetful_folder(facts: Facts) -> bool:
    """The file does not outlive a start of the machine."""
    return facts.has_file and facts.configuration.lease_database.name.value.startswith(FORGETFUL)


def growth_mb(facts: Facts) -> float:
    """By how much the lease file grows in a day without lfc-interval, in MB."""
    renewals = facts.population.clients / facts.population.renew_s * DAY_S
    return renewals * ROW_BYTES / 1e6


def never_cleans_up(facts: Facts) -> bool:
    """The lease file grows without end."""
    return facts.has_file and not facts.configuration.lease_database.lfc_interval.value


def grows_much(facts: Facts) -> bool:
    """The lease file grows without end, at a rate that is worth a figure."""
    return never_cleans_up(facts) and growth_mb(facts) >= LEAST_GROWTH_MB


def grows_little(facts: Facts) -> bool:
    """The lease file grows without end, slowly or at a rate that is not known."""
    return never_cleans_up(facts) and not grows_much(facts)


MEMFILE_RULES = (
    Rule(
        forgets_leases,
        lambda facts: facts.configuration.lease_database.persist,
        "true",
        words.FORGETS_LEASES,
    ),
    Rule(
        has_forgetful_folder,
        lambda facts: facts.configuration.lease_database.name,
        "a file on a disk",
        words.FORGETFUL_FOLDER,
    ),
    Rule(
        grows_much,
        lambda facts: facts.configuration.lease_database.lfc_interval,
        "3600",
        words.GROWS_MUCH,
        lambda facts: {"growth": figure(growth_mb(facts))},
    ),
    Rule(
        grows_little,
        lambda facts: facts.configuration.lease_database.lfc_interval,
        "3600",
        words.GROWS,
    ),
)


# ---- Speed, expired leases, threads, cache


def is_too_slow(facts: Facts) -> bool:
    """No measured setting of the store is fast enough."""
    return facts.is_fast_enough is False


def never_reclaims(facts: Facts) -> bool:
    """Expired leases stay for ever."""
    return reclaiming(facts.configuration.expiration) is Reclaiming.NEVER


def lacks_reclaiming(facts: Facts) -> bool:
    """More leases can expire than Kea reclaims, and that does harm."""
    hour = reclaimed_per_hour(facts.configuration.expiration)
    if not hour or harm(facts.configuration) is Harm.NONE:
        return False
    return facts.population.expiring_in_an_hour() > hour


def wait_between_cycles_s(facts: Facts) -> float:
    """The reclaim-timer-wait-time with which Kea reclaims as many leases as can expire."""
    most = facts.configuration.expiration.max_reclaim_leases.value
    return HOUR_S * most / facts.population.expiring_in_an_hour()


def lacks_cycles(facts: Facts) -> bool:
    """More cycles in an hour are enough to reclaim what can expire."""
    return lacks_reclaiming(facts) and wait_between_cycles_s(facts) >= 1


def lacks_leases_per_cycle(facts: Facts) -> bool:
    """Even a cycle in each second does not reclaim what can expire."""
    return lacks_reclaiming(facts) and wait_between_cycles_s(facts) < 1


def reclaim_figures(facts: Facts) -> Mapping[str, object]:
    """The figures of the rules on reclaiming."""
    expiring = facts.population.expiring_in_an_hour()
    hour = reclaimed_per_hour(facts.configuration.expiration) or 0
    return {
        "harm": words.HARMS[harm(facts.configuration)],
        "wait_s": math.floor(wait_between_cycles_s(facts)),
        "leases": math.ceil(expiring / HOUR_S / RECLAIM_STEP) * RECLAIM_STEP,
        "expiring": figure(expiring),
        "reclaimed": figure(hour),
    }


def gains_from_threads(facts: Facts) -> bool:
    """Other threads would work while one waits for the database, and it may be too slow."""
    is_small = facts.population.clients <= SMALL_SITE
    return facts.is_server and not facts.is_fast_enough and not is_small


def has_no_threads(facts: Facts) -> bool:
    """Multi-threading is off where it would help."""
    return gains_from_threads(facts) and not facts.configuration.multi_threading.enabled.value


def has_few_threads(facts: Facts) -> bool:
    """Multi-threading is on, and the manual recommends a number of threads."""
    threading = facts.configuration.multi_threading
    return gains_from_threads(facts) and threading.enabled.value and threading.threads in (None, 1)


def thread_figures(facts: Facts) -> Mapping[str, object]:
    """The figures of the rules on threads."""
    kind, family = facts.configuration.lease_database.kind, facts.configuration.family
    return {"threads": defaults.recommended_threads(kind, family), "database": kind}


def has_endless_queue(facts: Facts) -> bool:
    """Packets wait without limit, until their clients have asked again."""
    threading = facts.configuration.multi_threading
    return threading.enabled.value and not threading.packet_queue_size.value


def has_useless_queue(facts: Facts) -> bool:
    """Kea ignores a parameter of the configuration."""
    configuration = facts.configuration
    return configuration.multi_threading.enabled.value and configuration.queue_control.enabled.value


def caches_renewals(facts: Facts) -> bool:
    """Clients renew and receive no new time, as the file says."""
    subnet = facts.cached_subnet
    return subnet is not None and bool(subnet.cache_threshold.place)


def caches_renewals_by_default(facts: Facts) -> bool:
    """Clients renew and receive no new time, by a default of Kea."""
    subnet = facts.cached_subnet
    return subnet is not None and not subnet.cache_threshold.place


def cache_parameter(facts: Facts) -> Parameter[object]:
    """The cache-threshold of the first subnet whose clients receive no new time."""
    assert facts.cached_subnet is not None
    return facts.cached_subnet.cache_threshold


def cache_figures(facts: Facts) -> Mapping[str, object]:
    """Half of what would still be too much, and when clients renew."""
    assert facts.cached_subnet is not None
    subnet = facts.cached_subnet
    return {
        "threshold": f"{subnet.renewal_s / subnet.lifetime_s / 2:.2g}",
        "renewal": period(subnet.renewal_s),
    }


OTHER_RULES = (
    Rule(
        is_too_slow,
        lambda facts: facts.first_subnet.valid_lifetime,
        "longer, or another lease-database",
        words.TOO_SLOW,
    ),
    Rule(
        never_reclaims,
        lambda facts: facts.configuration.expiration.reclaim_timer_wait_time,
        "10",
        words.NEVER_RECLAIMS,
        lambda facts: {"harm": words.HARMS[harm(facts.configuration)]},
    ),
    Rule(
        lacks_cycles,
        lambda facts: facts.configuration.expiration.reclaim_timer_wait_time,
        "{wait_s}",
        words.RECLAIMS_LITTLE,
        reclaim_figures,
    ),
    Rule(
        lacks_leases_per_cycle,
        lambda facts: facts.configuration.expiration.reclaim_timer_wait_time,
        "1, with max-reclaim-leases: {leases}",
        words.RECLAIMS_LITTLE,
        reclaim_figures,
    ),
    Rule(
        has_no_threads,
        lambda facts: facts.configuration.multi_threading.enabled,
        "true, with thread-pool-size: {threads}",
        words.FEW_THREADS,
        thread_figures,
    ),
    Rule(
        has_few_threads,
        lambda facts: facts.configuration.multi_threading.thread_pool_size,
        "{threads}",
        words.FEW_THREADS,
        thread_figures,
    ),
    Rule(
        has_endless_queue,
        lambda facts: facts.configuration.multi_threading.packet_queue_size,
        "64",
        words.ENDLESS_QUEUE,
    ),
    Rule(
        has_useless_queue,
        lambda facts: facts.configuration.queue_control.enabled,
        "false",
        words.USELESS_QUEUE,
    ),
    Rule(caches_renewals, cache_parameter, "{threshold}", words.CACHES, cache_figures),
    Rule(
        caches_renewals_by_default,
        cache_parameter,
        "{threshold}",
        words.CACHES_BY_DEFAULT,
        cache_figures,
    ),
)

RULES = (*PAIR_RULES, *DATABASE_RULES, *MEMFILE_RULES, *OTHER_RULES)


def wants_second_copy(facts: Facts, small_sites_too: bool = False) -> bool:
    """True if leases are in a file of one machine, which no parameter makes safe.

    A small site does without a second server, unless asked about it.
    """
    if not facts.has_file or facts.has_ha:
        return False
    return small_sites_too or facts.population.clients > SMALL_SITE
