# SPDX-License-Identifier: ISC
"""Rules for how Kea serves its clients: speed, expired leases, threads, cached renewals."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ubench.report.advice import defaults, words
from ubench.report.advice.configuration import Parameter
from ubench.report.advice.population import (
    HOUR_S,
    SMALL_SITE,
    Harm,
    Reclaiming,
    harm,
    reclaimed_per_hour,
    reclaiming,
)
from ubench.report.advice.rule import Facts, Rule
from ubench.report.capacity.phrases import period, three_digits

# max-reclaim-leases is advised in whole hundreds, of which one is the default.
RECLAIM_STEP = 100


def is_too_slow(facts: Facts) -> bool:
    """Return whether no measured setting of the store is fast enough."""
    return facts.is_fast_enough is False


def never_reclaims(facts: Facts) -> bool:
    """Return whether expired leases stay for ever."""
    return reclaiming(facts.configuration.expiration) is Reclaiming.NEVER


def lacks_reclaiming(facts: Facts) -> bool:
    """Return whether more leases can expire than Kea reclaims, and that does harm."""
    hour = reclaimed_per_hour(facts.configuration.expiration)
    if not hour or harm(facts.configuration) is Harm.NONE:
        return False
    return facts.population.expiring_in_an_hour() > hour


def wait_between_cycles_s(facts: Facts) -> float:
    """Return the reclaim-timer-wait-time with which Kea reclaims as many leases as can expire."""
    most = facts.configuration.expiration.max_reclaim_leases.value
    return HOUR_S * most / facts.population.expiring_in_an_hour()


def lacks_cycles(facts: Facts) -> bool:
    """Return whether more cycles in an hour are enough to reclaim what can expire."""
    return lacks_reclaiming(facts) and wait_between_cycles_s(facts) >= 1


def lacks_leases_per_cycle(facts: Facts) -> bool:
    """Return whether even a cycle in each second does not reclaim what can expire."""
    return lacks_reclaiming(facts) and wait_between_cycles_s(facts) < 1


def reclaim_figures(facts: Facts) -> Mapping[str, object]:
    """Return the figures of the rules on reclaiming."""
    expiring = facts.population.expiring_in_an_hour()
    hour = reclaimed_per_hour(facts.configuration.expiration) or 0
    return {
        "harm": words.HARMS[harm(facts.configuration)],
        "wait_s": math.floor(wait_between_cycles_s(facts)),
        "leases": math.ceil(expiring / HOUR_S / RECLAIM_STEP) * RECLAIM_STEP,
        "expiring": three_digits(expiring),
        "reclaimed": three_digits(hour),
    }


def gains_from_threads(facts: Facts) -> bool:
    """Return whether other threads would work while one waits for a database that may be slow."""
    is_small = facts.population.clients <= SMALL_SITE
    return facts.is_server and not facts.is_fast_enough and not is_small


def has_no_threads(facts: Facts) -> bool:
    """Return whether multi-threading is off where it would help."""
    return gains_from_threads(facts) and not facts.configuration.multi_threading.enabled.value


def has_few_threads(facts: Facts) -> bool:
    """Return whether multi-threading is on, and the manual recommends a number of threads."""
    threading = facts.configuration.multi_threading
    return gains_from_threads(facts) and threading.enabled.value and threading.threads in (None, 1)


def has_more_threads_than_processors(facts: Facts) -> bool:
    """Return whether Kea counts the threads of the machine, and may use a share of it."""
    threading = facts.configuration.multi_threading
    is_automatic = threading.enabled.value and threading.threads is None
    return is_automatic and facts.machine.has_too_few


def processor_figures(facts: Facts) -> Mapping[str, object]:
    """Return the processors of this machine, and those that the container may use."""
    limit = facts.machine.cpu_limit or 1
    return {
        "threads": math.ceil(limit),
        "processors": facts.machine.processors,
        "limit": f"{limit:.3g}",
    }


def thread_figures(facts: Facts) -> Mapping[str, object]:
    """Return the figures of the rules on threads."""
    kind, family = facts.configuration.lease_database.kind, facts.configuration.family
    return {"threads": defaults.recommended_threads(kind, family), "database": kind}


def has_endless_queue(facts: Facts) -> bool:
    """Return whether packets wait without limit, until their clients have asked again."""
    threading = facts.configuration.multi_threading
    return threading.enabled.value and not threading.packet_queue_size.value


def has_useless_queue(facts: Facts) -> bool:
    """Return whether Kea ignores a parameter of the configuration."""
    configuration = facts.configuration
    return configuration.multi_threading.enabled.value and configuration.queue_control.enabled.value


def caches_renewals(facts: Facts) -> bool:
    """Return whether clients renew and receive no new time, as the file says."""
    subnet = facts.cached_subnet
    return subnet is not None and bool(subnet.cache_threshold.place)


def caches_renewals_by_default(facts: Facts) -> bool:
    """Return whether clients renew and receive no new time, by a default of Kea."""
    subnet = facts.cached_subnet
    return subnet is not None and not subnet.cache_threshold.place


def cache_parameter(facts: Facts) -> Parameter[object]:
    """Return the cache-threshold of the first subnet whose clients receive no new time."""
    assert facts.cached_subnet is not None
    return facts.cached_subnet.cache_threshold


def cache_figures(facts: Facts) -> Mapping[str, object]:
    """Return half of what would still be too much, and when clients renew."""
    assert facts.cached_subnet is not None
    subnet = facts.cached_subnet
    return {
        "threshold": f"{subnet.renewal_s / subnet.lifetime_s / 2:.2g}",
        "renewal": period(subnet.renewal_s),
    }


SERVICE_RULES = (
    Rule(
        applies=is_too_slow,
        parameter=lambda facts: facts.first_subnet.valid_lifetime,
        value="longer, or another lease-database",
        reason=words.TOO_SLOW,
    ),
    Rule(
        applies=never_reclaims,
        parameter=lambda facts: facts.configuration.expiration.reclaim_timer_wait_time,
        value="10",
        reason=words.NEVER_RECLAIMS,
        figures=lambda facts: {"harm": words.HARMS[harm(facts.configuration)]},
    ),
    Rule(
        applies=lacks_cycles,
        parameter=lambda facts: facts.configuration.expiration.reclaim_timer_wait_time,
        value="{wait_s}",
        reason=words.RECLAIMS_LITTLE,
        figures=reclaim_figures,
    ),
    Rule(
        applies=lacks_leases_per_cycle,
        parameter=lambda facts: facts.configuration.expiration.reclaim_timer_wait_time,
        value="1, with max-reclaim-leases: {leases}",
        reason=words.RECLAIMS_LITTLE,
        figures=reclaim_figures,
    ),
    Rule(
        applies=has_no_threads,
        parameter=lambda facts: facts.configuration.multi_threading.enabled,
        value="true, with thread-pool-size: {threads}",
        reason=words.FEW_THREADS,
        figures=thread_figures,
    ),
    Rule(
        applies=has_few_threads,
        parameter=lambda facts: facts.configuration.multi_threading.thread_pool_size,
        value="{threads}",
        reason=words.FEW_THREADS,
        figures=thread_figures,
    ),
    Rule(
        applies=has_more_threads_than_processors,
        parameter=lambda facts: facts.configuration.multi_threading.thread_pool_size,
        value="{threads}",
        reason=words.FEW_PROCESSORS,
        figures=processor_figures,
    ),
    Rule(
        applies=has_endless_queue,
        parameter=lambda facts: facts.configuration.multi_threading.packet_queue_size,
        value="64",
        reason=words.ENDLESS_QUEUE,
    ),
    Rule(
        applies=has_useless_queue,
        parameter=lambda facts: facts.configuration.queue_control.enabled,
        value="false",
        reason=words.USELESS_QUEUE,
    ),
    Rule(
        applies=caches_renewals,
        parameter=cache_parameter,
        value="{threshold}",
        reason=words.CACHES,
        figures=cache_figures,
    ),
    Rule(
        applies=caches_renewals_by_default,
        parameter=cache_parameter,
        value="{threshold}",
        reason=words.CACHES_BY_DEFAULT,
        figures=cache_figures,
    ),
)
