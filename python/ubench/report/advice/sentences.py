# SPDX-License-Identifier: ISC
"""Chooses the sentences for a configuration and fills in their figures."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ubench import units
from ubench.cli import alternatives
from ubench.kea_config.members import cut_name
from ubench.kea_config.parser import NAMES
from ubench.report.advice import losses, words
from ubench.report.advice.configuration import FOREVER, Configuration, Parameter
from ubench.report.advice.measured import Match
from ubench.report.advice.population import (
    Population,
    Reclaiming,
    reclaimed_per_hour,
    reclaiming,
)
from ubench.report.advice.reading import CLIENT_T1, PREFERRED_SHARE
from ubench.report.advice.rule import Change
from ubench.report.capacity.phrases import paragraph, period, three_digits
from ubench.report.capacity.site import Demand, Site
from ubench.terminal import plain

NAME_MOST = 40  # characters of a file's name
FILES_SHOWN = 3
LEAST_RATE = 0.01  # per second; smaller rates say no more


def value(parameter: Parameter[object]) -> str:
    """Return the value of a parameter as Kea's files have it, or how the default reads."""
    default = parameter.default
    if default and default.shown:
        return default.shown
    if default and default.since:
        return words.CHANGED_DEFAULT.format(
            value=as_text(default.value), since=default.since, before=as_text(default.before)
        )
    return as_text(parameter.value)


def as_text(value: object) -> str:
    """Return a value as Kea's files have it, in one line."""
    if value is None:
        return words.NO_VALUE
    return str(value).lower() if isinstance(value, bool) else plain(str(value))


# ---- The headline and CLIENTS


def headline(configuration: Configuration, population: Population) -> str:
    """Return the file in a line."""
    name = file_name(configuration.path)
    if configuration.files > 1:
        name = words.SERVERS.format(file=name, others=configuration.files - 1)
    return words.HEADLINE.format(
        file=name,
        family=configuration.family,
        database=configuration.lease_database.kind,
        size=size(population),
        lifetimes=lifetimes(population),
    )


def file_name(path: str) -> str:
    """Return the name of a file, short enough for a line."""
    return cut_name(os.path.basename(path), NAME_MOST)


def size(population: Population) -> str:
    """Return how many addresses the file has."""
    if population.addresses and not population.in_file:
        return words.LARGE_POOLS
    parts = []
    if population.addresses:
        parts.append(addresses(population))
    if population.reserved:
        parts.append(units.plural(population.reserved, "reservation"))
    return ", ".join(parts) or words.NO_POOLS


def addresses(population: Population) -> str:
    """Return the addresses and the prefixes of the pools."""
    prefixes = population.prefixes
    others = population.addresses - prefixes
    parts = [units.plural(others, "address", "addresses")] if others or not prefixes else []
    parts += [units.plural(prefixes, "prefix", "prefixes")] if prefixes else []
    return " and ".join(parts)


def pooled(population: Population) -> str:
    """Return the kinds of leases that the pools have, in the singular."""
    if not population.prefixes:
        return words.ADDRESS
    only_prefixes = population.prefixes == population.addresses
    return words.PREFIX if only_prefixes else words.ADDRESS_AND_PREFIX


def lifetimes(population: Population) -> str:
    """Return how long leases last."""
    subnets = population.used_subnets
    limited = [subnet.lifetime_s for subnet in subnets if not subnet.is_forever]
    if not limited:
        return words.FOREVER
    least, most = period(min(limited)), period(max(limited))
    if len(limited) < len(subnets):
        return words.SOME_FOREVER.format(least=least)
    return (words.ALIKE if least == most else words.DIFFERENT).format(least=least, most=most)


def clients(site: Site, population: Population) -> str:
    """Return how many clients there are, and what they were counted from."""
    return words.CLIENTS[population.counted].format(
        clients=units.count(population.clients),
        option=site.counted_by,
        addresses=addresses(population),
        pooled=pooled(population),
        reservations=units.plural(population.reserved, "reservation"),
    )


def unread(configuration: Configuration, population: Population) -> list[str]:
    """Return whatever the file has and the answer does not count."""
    sentences = [class_lifetimes(configuration, population), lifetimes_on_request(population)]
    if configuration.files > 1:
        sentences.append(words.SHARED_BY_FILES.format(count=configuration.servers))
    if configuration.config_databases:
        place = configuration.config_databases
        sentences.append(words.CONFIGURATION_DATABASE.format(place=place))
    for parameter in configuration.host_databases:
        sentences.append(words.HOST_DATABASE.format(name=parameter.name, place=parameter.place))
    relationships = len(configuration.relationships)
    if relationships > 1:
        sentences.append(words.RELATIONSHIPS.format(count=relationships))
    return [absent_files(configuration), *sentences, *others(configuration)]


def absent_files(configuration: Configuration) -> str:
    """Return the included files that are not here; "" if all are."""
    names = [plain(cut_name(name, NAME_MOST)) for name in dict.fromkeys(configuration.absent)]
    if not names:
        return ""
    form = words.ABSENT_FILE if len(names) == 1 else words.ABSENT_FILES
    shown = [*names[:FILES_SHOWN], *(["..."] if len(names) > FILES_SHOWN else [])]
    missing = form.format(names=", ".join(shown), count=len(names))
    return paragraph([missing, words.ABSENT_DATABASE if configuration.may_lack_database else ""])


def class_lifetimes(configuration: Configuration, population: Population) -> str:
    """Return the shortest lifetime of a client class, and the renewals that it could require."""
    if not configuration.class_lifetimes:
        return ""
    least_s = min(configuration.class_lifetimes)
    share = CLIENT_T1 * (PREFERRED_SHARE if configuration.family == 6 else 1)
    renewal_s = max(1.0, share * least_s)
    is_more = bool(population.clients) and renewal_s < population.renew_s
    form = words.SHORT_CLASS_LIFETIMES if is_more else words.CLASS_LIFETIMES
    renewals = per_second(population.clients / renewal_s)
    return form.format(least=lifetime(least_s), renewals=renewals)


def lifetimes_on_request(population: Population) -> str:
    """Return the lifetimes that clients may ask for; "" if they all get the configured one."""
    limits = {
        limit
        for subnet in population.used_subnets
        for limit in subnet.lifetimes_on_request
        if limit != subnet.valid_lifetime.value
    }
    if not limits:
        return ""
    defaults = {subnet.valid_lifetime.value for subnet in population.used_subnets}
    least, most = min(limits | defaults), max(limits | defaults)
    return words.LIFETIMES_ON_REQUEST.format(least=lifetime(least), most=lifetime(most))


def lifetime(seconds: int) -> str:
    """Return a lifetime, which may be without end."""
    return words.UNLIMITED if seconds >= FOREVER else period(max(1, seconds))


def others(configuration: Configuration) -> list[str]:
    """Return the other members of the file, which another program reads."""
    family = configuration.family
    other_server = f"Dhcp{10 - family}"
    sentences = []
    if configuration.other_shares_database:
        sentences.append(words.OTHER_SERVER_SHARES[family])
    elif other_server in configuration.others:
        sentences.append(words.OTHER_SERVER[family])
    names = [
        name if name in NAMES else words.FOREIGN_MEMBER
        for name in configuration.others
        if name != other_server
    ]
    if names:
        sentences.append(words.OTHER_MEMBERS.format(names=", ".join(dict.fromkeys(names))))
    return sentences


# ---- POWER, KILL, MACHINE


def power(configuration: Configuration, is_measured: bool) -> list[str]:
    """Return the losses of a power cut; `is_measured` if a table has the database's settings."""
    keeper = losses.lease_keeper(configuration)
    sentence = words.POWER[keeper]
    if configuration.lease_database.is_server and is_measured:
        sentence = words.POWER_MEASURED
    elif configuration.has_partner:
        sentence = words.POWER_OF_SEVERAL.get(keeper, sentence)
    return [sentence, words.SHOW_SETTINGS.get(keeper, "")]


def kill_losses(configuration: Configuration) -> str:
    """Return the losses of a killed process."""
    return words.KILL[losses.lease_keeper(configuration)]


def machine(configuration: Configuration) -> list[str]:
    """Return which leases are lost with a machine that never comes back."""
    loss, host = losses.machine_loss(configuration), configuration.lease_database.remote_host
    sentences = [words.MACHINE[loss].format(machine=host or words.ITS_MACHINE)]
    if loss is losses.MachineLoss.SHARED_ELSEWHERE:
        sentences.append(words.DATABASE_LOST.format(machine=host))
    elif host and configuration.has_partner:
        sentences.append(words.PERHAPS_SHARED.format(machine=host))
    return sentences


# ---- SPEED


def renewals(site: Site, population: Population) -> str:
    """Return when the clients renew; "" if they are not known, never renew, or a log shows it."""
    if site.changes_each is not None:
        return ""
    times = [subnet.renewal_s for subnet in population.used_subnets if not subnet.is_forever]
    if not population.clients or not times:
        return ""
    least, most = period(round(min(times))), period(round(max(times)))
    count = units.plural(population.clients, "client")
    if least != most:
        return words.RENEWALS_BETWEEN.format(clients=count, least=least, most=most)
    form = words.RENEWAL_OF_ONE if population.clients == 1 else words.RENEWALS
    return form.format(clients=count, period=least)


def required(site: Site, population: Population) -> str:
    """Return the rates that the clients require; "" if they are not known, or never renew."""
    by_leases = site.changes_each is not None
    if not site.clients or not (by_leases or renewals(site, population)):
        return ""
    return (words.REQUIRED_BY_LEASES if by_leases else words.REQUIRED).format(
        renewals=per_second(site.required(Demand.RENEWALS, site.clients)),
        restarts=per_second(site.required(Demand.RESTARTS, site.clients)),
        period=period(site.restart_s),
    )


def per_second(per_s: float) -> str:
    """Return a rate per second."""
    return words.LESS_THAN if per_s < LEAST_RATE else three_digits(per_s)


def no_result(configuration: Configuration) -> str:
    """Say that there is no result of this store, and how to get one."""
    return words.NO_RESULT.format(
        database=configuration.lease_database.kind,
        family=configuration.family,
        remedy=words.REMEDIES[configuration.family],
    )


def pair_difference(configuration: Configuration, match: Match) -> str:
    """Say how the measured servers differ from those of the file; "" if they do not."""
    mode = configuration.ha.mode if configuration.ha else ""
    return words.PAIRS[match.pair].format(measured=match.mode, configured=mode)


def thread_difference(configuration: Configuration, match: Match) -> str:
    """Return the threads that were measured, where the file has another number; otherwise ""."""
    configured = configuration.threads
    if match.threads == (configured,):
        return ""
    counts = alternatives([str(count) for count in match.threads])
    measured = words.ONE_THREAD if counts == "1" else words.SEVERAL_THREADS.format(counts=counts)
    form = words.AUTOMATIC_THREADS if configured is None else words.OTHER_THREADS
    return form.format(measured=measured, configured=configured)


# ---- EXPIRE


def expiry(configuration: Configuration, population: Population) -> list[str]:
    """Return whether Kea reclaims as many leases as can expire."""
    if all(subnet.is_forever for subnet in population.used_subnets):
        return [words.NO_EXPIRY]
    expiration = configuration.expiration
    limit, hour = reclaiming(expiration), reclaimed_per_hour(expiration)
    sentence = words.RECLAIMING[limit].format(
        hour=three_digits(hour or 0),
        leases=expiration.max_reclaim_leases.value,
        wait_s=expiration.reclaim_timer_wait_time.value,
        time_ms=expiration.max_reclaim_time.value,
    )
    if limit is not Reclaiming.LEASES or not population.clients or hour is None:
        return [sentence]
    expiring = population.expiring_in_an_hour()
    if expiring > hour:
        form = words.TOO_FEW_RECLAIMED
    else:
        form = words.ONE_EXPIRES if expiring == 1 else words.ENOUGH_RECLAIMED
    return [sentence, form.format(expiring=three_digits(expiring))]


# ---- FIRST, THEN, FROM


def change(advised: Change) -> str:
    """Return a parameter to change, with its place."""
    parameter = advised.parameter
    return words.CHANGE.format(
        name=parameter.name,
        value=advised.value,
        place=parameter.place or words.NOT_IN_FILE,
        reason=advised.reason,
    )


def files(match: Match) -> str:
    """Return the files that the rates come from."""
    found = [
        file_name(each.source.file)
        for setup in match.answer.representatives
        for each in setup.observations
    ]
    names = list(dict.fromkeys(found))
    shown = ", ".join(names[:FILES_SHOWN])
    others = len(names) - FILES_SHOWN
    return (words.MORE_FILES if others > 0 else words.FILES).format(files=shown, others=others)


def too_short(runs: Sequence[str]) -> str:
    """Return how many runs do not count; "" if all do."""
    if not runs:
        return ""
    return (words.ONE_TOO_SHORT if len(runs) == 1 else words.TOO_SHORT).format(
        count=units.count(len(runs))
    )
