# SPDX-License-Identifier: ISC
"""Rules for what keeps the leases: a database server, or memfile."""

from __future__ import annotations

from ubench.report.advice import words
from ubench.report.advice.rule import Facts, Rule
from ubench.report.capacity.phrases import three_digits

DAY_S = 86400
# About the length of a lease in memfile's file: an IPv4 lease with client-id and host name.
ROW_BYTES = 100
LEAST_GROWTH_MB = 0.1  # a day, below which growth of the file is not worth a figure
RECONNECT_TRIES, RECONNECT_WAIT_MS = 10, 5000

# ---- A database server


def exits_without_database(facts: Facts) -> bool:
    """Return whether Kea exits as soon as it loses the database."""
    database = facts.configuration.lease_database
    return facts.is_server and not database.max_reconnect_tries.value


def exits_without_wait(facts: Facts) -> bool:
    """Return whether Kea would try again, but does not, as it has no time between tries."""
    database = facts.configuration.lease_database
    return (
        facts.is_server
        and bool(database.max_reconnect_tries.value)
        and not database.reconnect_wait_time.value
    )


def lacks_reconnect_parameters(facts: Facts) -> bool:
    """Return whether Kea exits when it loses the database, and has no time between tries."""
    database = facts.configuration.lease_database
    return exits_without_database(facts) and not database.reconnect_wait_time.value


def lacks_reconnect_tries(facts: Facts) -> bool:
    """Return whether Kea exits when it loses the database, despite a time between tries."""
    return exits_without_database(facts) and not lacks_reconnect_parameters(facts)


def serves_without_leases(facts: Facts) -> bool:
    """Return whether Kea answers clients while it has no connection to its leases."""
    return facts.is_server and facts.configuration.lease_database.on_fail.value.startswith("serve")


DATABASE_RULES = (
    Rule(
        applies=lacks_reconnect_parameters,
        parameter=lambda facts: facts.configuration.lease_database.max_reconnect_tries,
        value=f"{RECONNECT_TRIES}, with reconnect-wait-time: {RECONNECT_WAIT_MS}",
        reason=words.NO_TRIES,
    ),
    Rule(
        applies=lacks_reconnect_tries,
        parameter=lambda facts: facts.configuration.lease_database.max_reconnect_tries,
        value=f"{RECONNECT_TRIES}",
        reason=words.NO_TRIES,
    ),
    Rule(
        applies=exits_without_wait,
        parameter=lambda facts: facts.configuration.lease_database.reconnect_wait_time,
        value=f"{RECONNECT_WAIT_MS}",
        reason=words.NO_WAIT,
    ),
    Rule(
        applies=serves_without_leases,
        parameter=lambda facts: facts.configuration.lease_database.on_fail,
        value="stop-retry-exit",
        reason=words.SERVES_WITHOUT_LEASES,
    ),
)


# ---- memfile


def forgets_leases(facts: Facts) -> bool:
    """Return whether leases are in memory only."""
    return not facts.is_server and not facts.has_file


def has_forgetful_folder(facts: Facts) -> bool:
    """Return whether the file does not outlive a start of the machine."""
    return facts.has_file and facts.configuration.lease_database.is_forgetful


def is_in_container_layer(facts: Facts) -> bool:
    """Return whether the file is removed with the container that it is in."""
    return facts.has_file and facts.configuration.lease_database.is_in_container_layer


def growth_mb(facts: Facts) -> float:
    """Return by how much the lease file grows in a day without lfc-interval, in MB."""
    renewals = facts.population.clients / facts.population.renew_s * DAY_S
    return renewals * ROW_BYTES / 1e6


def never_cleans_up(facts: Facts) -> bool:
    """Return whether the lease file grows without end."""
    return facts.has_file and not facts.configuration.lease_database.lfc_interval.value


def grows_much(facts: Facts) -> bool:
    """Return whether the lease file grows without end, at a rate that is worth a figure."""
    return never_cleans_up(facts) and growth_mb(facts) >= LEAST_GROWTH_MB


def grows_little(facts: Facts) -> bool:
    """Return whether the lease file grows without end, slowly or at a rate that is not known."""
    return never_cleans_up(facts) and not grows_much(facts)


MEMFILE_RULES = (
    Rule(
        applies=forgets_leases,
        parameter=lambda facts: facts.configuration.lease_database.persist,
        value="true",
        reason=words.FORGETS_LEASES,
    ),
    Rule(
        applies=has_forgetful_folder,
        parameter=lambda facts: facts.configuration.lease_database.name,
        value="a file on a disk",
        reason=words.FORGETFUL_FOLDER,
    ),
    Rule(
        applies=is_in_container_layer,
        parameter=lambda facts: facts.configuration.lease_database.name,
        value="a file on a volume",
        reason=words.CONTAINER_LAYER,
    ),
    Rule(
        applies=grows_much,
        parameter=lambda facts: facts.configuration.lease_database.lfc_interval,
        value="3600",
        reason=words.GROWS_MUCH,
        figures=lambda facts: {"growth": three_digits(growth_mb(facts))},
    ),
    Rule(
        applies=grows_little,
        parameter=lambda facts: facts.configuration.lease_database.lfc_interval,
        value="3600",
        reason=words.GROWS,
    ),
)

STORE_RULES = (*DATABASE_RULES, *MEMFILE_RULES)
