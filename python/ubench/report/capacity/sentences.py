# SPDX-License-Identifier: ISC
"""The answer in English: chooses the sentences of `words`, and fills in figures and names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ubench import units
from ubench.cli import alternatives
from ubench.records.observation import DurabilityClass, Observation
from ubench.report.capacity import words
from ubench.report.capacity.elsewhere import database_host
from ubench.report.capacity.evidence import LEAST_EXCHANGES, LEAST_S, Doubt, search_of
from ubench.report.capacity.fit import MOST_LEASES, Verdict
from ubench.report.capacity.gaps import Gap, Missing, find_gaps
from ubench.report.capacity.phrases import listed, paragraph, period, three_digits
from ubench.report.capacity.rates import Rate, RateKind, Unknown, rates_of
from ubench.report.capacity.setups import MEMFILE, PowerLoss, Setup
from ubench.report.capacity.site import IPV4_ADDRESSES, KEA_LEASE_S, Demand, Site
from ubench.report.capacity.verdicts import Answer, SpeedRatio

EXAMPLE_ROUND_TRIP_S = 0.001  # shown beside the figure of a database on the same machine
SIMILAR_SYNCS = 1.2  # times as fast; disks that differ by less are alike
STORES_SHOWN = 4  # of a verdict
NAMES_SHOWN = 4  # of runs that were too short


def marked(setup: Setup) -> str:
    """Return the name of a setup, with the marks that the table explains."""
    server = "*" if setup.is_server else ""
    published = "" if setup.is_measured else "#"
    return setup.name + server + published


# ---- The site


def headline(answer: Answer) -> str:
    """Describe the site in a line. An assumed lifetime stands with the option that changes it."""
    site, lease = answer.site, period(answer.site.lease_s)
    if site.changes_each is not None:
        return words.HEADLINE_BY_FILE.format(
            clients=units.plural(answer.clients, "client"),
            renewals=three_digits(site.required(Demand.RENEWALS, answer.clients)),
            restart=period(site.restart_s),
        )
    return words.HEADLINE.format(
        clients=units.plural(answer.clients, "client"),
        lease=words.ASSUMED_LEASE.format(lease=lease) if site.lease_s == KEA_LEASE_S else lease,
        restart=period(site.restart_s),
    )


def needs(site: Site, clients: int) -> str:
    """Return the rates that a number of clients requires."""
    if site.changes_each is None:
        text = words.NEEDS_OF_ONE if clients == 1 else words.NEEDS
    else:
        text = words.NEEDS_BY_FILE_OF_ONE if clients == 1 else words.NEEDS_BY_FILE
    return text.format(
        clients=units.count(clients),
        lease=period(site.lease_s),
        renewals=three_digits(site.required(Demand.RENEWALS, clients)),
        restarts=three_digits(site.required(Demand.RESTARTS, clients)),
        restart=period(site.restart_s),
    )


def serves(site: Site, rate: float) -> str:
    """Return how many clients a rate of renewals serves."""
    clients = rate / site.required(Demand.RENEWALS, 1)
    return (words.SERVES_ALL if clients > IPV4_ADDRESSES else words.SERVES).format(
        rate=f"{rate:.10g}",
        clients=three_digits(min(clients, IPV4_ADDRESSES)),
        lease=period(site.lease_s),
    )


# ---- SPEED


def speed(answer: Answer) -> str:
    """Return whether the stores that are judged are fast enough."""
    sentences = [] if answer.judged[0].is_measured else [words.PUBLISHED]
    if answer.with_verdict(Verdict.ENOUGH) == answer.judged:
        return paragraph([*sentences, all_enough(answer)])
    known = [
        verdict_text(answer, verdict) for verdict in words.VERDICTS if answer.with_verdict(verdict)
    ]
    unknown = answer.with_verdict(Verdict.UNKNOWN)
    return paragraph([*sentences, *known, not_known(answer, unknown, name_all=bool(known))])


def verdict_text(answer: Answer, verdict: Verdict) -> str:
    """Return the stores that have a verdict."""
    stores = [
        words.VERDICT_STORES[verdict].format(
            store=marked(setup), times=three_digits(answer.fits[setup].least or 0)
        )
        for setup in answer.with_verdict(verdict)
    ]
    headroom = f"{answer.site.headroom:.3g}"
    return words.VERDICTS[verdict].format(headroom=headroom, stores=first_of(stores))


def first_of(names: Iterable[str]) -> str:
    """Return names, each once; of many the first ones, and how many others there are."""
    different = list(dict.fromkeys(names))
    hidden = len(different) - STORES_SHOWN
    if hidden <= 1:  # the words for one more are as long as its name
        return listed(different)
    return words.AND_MORE.format(names=listed(different[:STORES_SHOWN]), count=hidden)


def all_enough(answer: Answer) -> str:
    """Return the verdict if all stores that are judged are fast enough."""
    products = {setup.product for setup in answer.judged if setup.in_kea}
    least = [answer.fits[setup].least or 0 for setup in answer.judged]
    times = three_digits(min(least))
    if not products:
        return words.EVERY_OTHER_STORE.format(times=times)
    if len(products) == 1:
        return words.ONE_KEA_STORE.format(store=products.pop(), times=times)
    return words.EVERY_KEA_STORE.format(times=times)


def not_known(answer: Answer, setups: Sequence[Setup], name_all: bool) -> str:
    """Return what is missing of setups whose verdict is not known, and how to measure it.

    Without `name_all` they are not named, as the verdict is about them alone.
    """
    gaps = find_gaps(answer, setups)
    return paragraph(gap_text(gap, name_all or len(gaps) > 1) for gap in gaps)


def gap_text(gap: Gap, is_named: bool) -> str:
    """Return what is missing of some setups."""
    stores = first_of(map(marked, gap.setups))
    if gap.missing is Missing.DISK:
        return words.NO_SYNC.format(stores=stores)
    if gap.missing is Missing.LEASES:
        begin = words.NOT_BEYOND_OF if is_named else words.NOT_BEYOND
        measure = words.MEASURE_LEASES.format(option=gap.option, leases=gap.leases)
        return paragraph([begin.format(most=MOST_LEASES, stores=stores), measure])
    begin = words.NOT_KNOWN_OF if is_named else words.NOT_KNOWN
    measure = words.MEASURE_RATE[gap.demand].format(command=gap.command)
    other = ""
    if gap.other_times is not None:
        other = words.OTHER_RATE[gap.demand].format(times=three_digits(gap.other_times))
    return paragraph([begin.format(stores=stores), measure, other])


# ---- Where the database was


def network(answer: Answer, setups: Sequence[Setup], has_clients: bool = True) -> str:
    """Return where the databases of these setups were; "" if none is a database that was measured.

    If they were on the same machine, the figure for a network of 1 ms stands beside it. It is for
    the clients of the answer; without `has_clients` they are not the site's.
    """
    databases = [setup for setup in setups if setup.first.is_database and setup.is_measured]
    if not databases:
        return ""
    if answer.site.place.round_trip_s:
        added = units.time(answer.site.place.round_trip_s * 1e9)
        return words.COMPUTED_NETWORK.format(time=added)
    observations = [each for setup in databases for each in setup.observations]
    remote = [each for each in observations if database_host(each)]
    if remote:
        return remote_network(remote, are_all=len(remote) == len(observations))
    place = answer.site.place
    far = replace(place, round_trip_s=place.round_trip_s + EXAMPLE_ROUND_TRIP_S)
    times = answer.least_times(databases, far)
    if times is None or not has_clients:
        return words.LOCAL
    return words.LOCAL_TIMES.format(times=three_digits(times))


def remote_network(remote: Sequence[Observation], are_all: bool) -> str:
    """Say that databases were on another machine, all or some, and how far away."""
    trips = [each.baselines.round_trip_ns for each in remote if each.baselines.round_trip_ns]
    if not trips:
        return words.REMOTE if are_all else words.SOME_REMOTE
    form = words.REMOTE_TIMED if are_all else words.SOME_REMOTE_TIMED
    return form.format(time=units.time(max(trips)))


def own_disk(answer: Answer, setups: Sequence[Setup], has_clients: bool = True) -> str:
    """Propose --sync if the operator's own disk was timed, and syncs faster or slower; else ""."""
    place, measured_s, own_s = answer.site.place, answer.trust.sync_s, answer.disk_s
    databases = [setup for setup in setups if setup.first.is_database and setup.is_measured]
    if not databases or own_s is None or measured_s is None or place.sync_s is not None:
        return ""
    if 1 / SIMILAR_SYNCS < own_s / measured_s < SIMILAR_SYNCS:
        return ""
    there = replace(place, sync_s=own_s)
    rates = [rates_of(setup.observations, answer.site, there) for setup in databases]
    if any(each.demand(demand) is Unknown.DISK for each in rates for demand in Demand):
        return ""  # several threads, or whole servers
    yours, option = units.time(own_s * 1e9), f"{own_s * 1e3:.3g}ms"
    times = answer.least_times(databases, there)
    if times is None or not has_clients:
        return words.OWN_DISK.format(yours=yours, option=option)
    return words.OWN_DISK_TIMES.format(yours=yours, option=option, times=three_digits(times))


# ---- SAFETY


def safety(answer: Answer) -> tuple[str, str]:
    """Return which stores of Kea to take if nothing may be lost, and if the last second may."""
    measured = [setup for setup in answer.judged if setup.in_kea and setup.is_measured]
    nothing = answer.choices(PowerLoss.NOTHING)
    if nothing:
        first = words.NOTHING_LOST.format(stores=with_settings(nothing))
    elif any(setup.loss is PowerLoss.NOTHING for setup in measured):
        first = words.NOTHING_LOST_IS_SLOW
    else:
        first = words.NOTHING_LOST_UNMEASURED if measured else words.NO_KEA_STORE
    sentences = [latest_lost(answer, bool(nothing))]
    if not measured or any(setup.in_kea == MEMFILE for setup in measured):
        sentences.append(words.MEMFILE_LOSES)
    return first, paragraph(sentences)


def latest_lost(answer: Answer, has_safe_store: bool) -> str:
    """Return which stores of Kea to take if the last second may be lost."""
    latest = answer.choices(PowerLoss.LATEST)
    names = {setup.product for setup in latest}
    or_kill = [
        setup
        for setup in answer.choices(PowerLoss.LATEST_OR_KILL)
        if setup.product not in names
    ]
    if latest and or_kill:
        return words.LATEST_LOST_EITHER.format(
            stores=with_settings(latest), others=with_settings(or_kill)
        )
    if latest:
        return words.LATEST_LOST.format(stores=with_settings(latest))
    if or_kill:
        return words.LATEST_LOST_OR_KILL.format(stores=with_settings(or_kill))
    return words.LATEST_LOST_UNMEASURED if has_safe_store else ""


def with_settings(setups: Sequence[Setup]) -> str:
    """Return alternative stores, each with the settings that it needs.

    Several versions that need the same settings are one alternative, by the product's name.
    """
    alike: dict[tuple[str, str], list[Setup]] = {}
    for setup in setups:
        settings = [f"{setting.name}={setting.value}" for setting in setup.deciding]
        alike.setdefault((setup.plain_product, " and ".join(settings)), []).append(setup)
    names = []
    for (product, settings_text), versions in alike.items():
        store = product if len(versions) > 1 else versions[0].product
        form = words.WITH_SETTINGS if settings_text else "{store}"
        names.append(form.format(store=store, settings=settings_text))
    return alternatives(names)


# ---- The table


def loss_text(setup: Setup) -> str:
    """Return what a power cut loses, in the table."""
    if setup.loses_a_second or setup.loss not in words.LAST_SECONDS:
        return words.LOSSES[setup.loss]
    return words.LAST_SECONDS[setup.loss].format(seconds=f"{setup.window_s:.3g}")


def marks(answer: Answer, setups: Sequence[Setup], cells: Iterable[str]) -> str:
    """Return the meaning of the marks in the cells of a table of these setups."""
    seen = {mark for cell in cells for mark in "*+~#>" if mark in cell}
    sentences = [text for mark, text in words.MARKS.items() if mark in seen]
    if "*" in seen and all(setup.is_server for setup in setups):
        sentences.insert(0, words.WHOLE_SERVERS)
    elif "*" in seen:
        sentences.insert(0, words.SOME_SERVERS)
    if ">" in seen:
        sentences.append(not_beyond(answer, setups))
    return paragraph(sentences)


def not_beyond(answer: Answer, setups: Sequence[Setup]) -> str:
    """Return up to how many leases the figures of these setups hold."""
    tested = [
        min(rate.leases for rate in setup.rates.known)
        for setup in setups
        if answer.fits[setup].served
    ]
    if not tested:
        return ""
    form = words.TESTED if min(tested) == max(tested) else words.TESTED_RANGE
    return form.format(
        most=MOST_LEASES, fewest=units.count(min(tested)), leases=units.count(max(tested))
    )


# ---- COST


def cost(answer: Answer, setups: Sequence[Setup]) -> str:
    """Say how Kea's stores that lose nothing differ, and what each shown setting costs."""
    costs = shown_costs(answer, setups)
    forms = {names: ratio_form(answer, each) for names, each in costs.items()}
    sentences = [ratio(forms[names], each, *names) for names, each in costs.items()]
    if sentences and {words.FASTER, words.NOT_SHOWN} & set(forms.values()):
        sentences.append(words.INTERVALS)
    if sentences and any(setup.is_server for setup in setups):
        sentences.append(words.STORES_ALONE)
    return paragraph(sentences)


def shown_costs(
    answer: Answer, setups: Sequence[Setup]
) -> dict[tuple[str, str], SpeedRatio]:
    """Return the comparisons that say what it costs to lose nothing, by the names of both setups.

    The faster one is named first. Comparisons that their names do not tell apart are left out.
    """
    shown = {setup.name for setup in setups if setup.in_kea}
    pairs = [each for section in answer.sections for each in section.comparisons]
    between = [each for each in pairs if each.first.in_kea != each.second.in_kea]
    costs: dict[tuple[str, str], SpeedRatio] = {}
    ambiguous = set()
    for comparison in [*between, *answer.costs]:
        if is_cost(comparison) and names_of(comparison) <= shown:
            names = comparison.second.name, other_name(comparison)
            if names in costs:
                ambiguous.add(names)
            costs[names] = comparison
    return {names: each for names, each in costs.items() if names not in ambiguous}


def is_cost(comparison: SpeedRatio) -> bool:
    """Return whether it says what it costs to lose nothing, of the store alone."""
    first, second = comparison.first, comparison.second
    if first.is_server or second.is_server or not second.is_measured:
        return False
    return first.cls is DurabilityClass.POWER_SAFE and comparison.interval is not None


def names_of(comparison: SpeedRatio) -> set[str]:
    """Return the names of both setups."""
    return {comparison.first.name, comparison.second.name}


def other_name(comparison: SpeedRatio) -> str:
    """Return the name of the first setup; only its settings if both are of one store."""
    first = comparison.first
    if first.in_kea != comparison.second.in_kea:
        return first.name
    return first.label or DurabilityClass.POWER_SAFE.value


def ratio_form(answer: Answer, comparison: SpeedRatio) -> str:
    """Return the sentence on a comparison. An interval of computed rates would promise too much."""
    if not answer.site.place.is_as_measured:
        return words.ABOUT
    if comparison.is_shown:
        return words.FASTER
    return words.NO_DIFFERENCE if comparison.is_negligible else words.NOT_SHOWN


def ratio(form: str, comparison: SpeedRatio, name: str, other: str) -> str:
    """Return how the second setup of a comparison, with that name, compares with the first.

    "" if there is no interval.
    """
    interval = comparison.interval
    if interval is None or comparison.ratio is None:
        return ""
    return form.format(
        name=name,
        other=other,
        ratio=three_digits(comparison.ratio),
        low=three_digits(interval.low),
        high=three_digits(interval.high),
    )


# ---- TRUST


def trust(answer: Answer) -> str:
    """Return what the answer rests on."""
    return paragraph(
        [
            too_short(answer.too_short),
            *circumstances(answer),
            *searches(answer.representatives),
            products(answer),
            sync(answer),
        ]
    )


def too_short(names: Sequence[str]) -> str:
    """Return which runs were too short to count; "" if none was."""
    if not names:
        return ""
    different = list(dict.fromkeys(names))
    shown = ", ".join(different[:NAMES_SHOWN])
    if len(different) > NAMES_SHOWN:
        shown = words.AND_OTHERS.format(names=shown)
    return (words.ONE_TOO_SHORT if len(names) == 1 else words.TOO_SHORT).format(
        count=units.count(len(names)),
        seconds=LEAST_S,
        exchanges=units.count(LEAST_EXCHANGES),
        names=shown,
    )


def circumstances(answer: Answer) -> list[str]:
    """Return what disturbed the measurements, and what the slowest one reached."""
    weight = answer.trust
    if not weight.measured:
        return [words.MEASURED_BY_OTHERS]
    results = units.plural(weight.alone, "result")
    sentences = [
        words.DOUBTS[doubt].format(count=units.count(count), results=results)
        for doubt, count in weight.doubts.items()
    ]
    if not weight.alone:
        sentences = [words.IN_TURN]
    elif Doubt.DISTURBED not in weight.doubts:
        sentences.insert(0, words.UNDISTURBED.format(results=results))
    if answer.slowest_run is not None:
        form = words.SLOWEST_RUN if weight.alone else words.SLOWEST_MOMENT
        sentences.insert(1, form.format(times=three_digits(answer.slowest_run)))
    return sentences


def searches(setups: Sequence[Setup]) -> list[str]:
    """Return how many rates of whole servers come from a search that did not follow the rules."""
    kinds = [
        search_of(setup.first) for setup in setups if setup.is_server and setup.rates.known
    ]
    rates = units.plural(len(kinds), "rate")
    return [
        text.format(count=units.count(kinds.count(kind)), rates=rates)
        for kind, text in words.SEARCHES.items()
        if kind in kinds
    ]


def products(answer: Answer) -> str:
    """Return the products that were measured, with their versions."""
    names = answer.trust.products
    return f"{', '.join(names)}." if names else ""


def sync(answer: Answer) -> str:
    """Return how long a sync took, and on which disk; "" if neither is known."""
    weight, wanted_s = answer.trust, answer.site.place.sync_s
    took = "" if weight.sync_s is None else units.time(weight.sync_s * 1e9)
    if wanted_s is not None:
        form = words.SYNC_COMPUTED_FROM if took else words.SYNC_COMPUTED
        return form.format(time=units.time(wanted_s * 1e9), measured=took)
    disks = "; ".join(weight.disks)
    if took:
        return (words.SYNC_TOOK_ON if disks else words.SYNC_TOOK).format(time=took, disks=disks)
    return words.DISKS.format(disks=disks) if disks else ""


# ---- MORE


def more(answer: Answer, hidden: int) -> str:
    """Return what --explain shows, where `hidden` rows did not fit, and what to measure next."""
    rows = words.MORE_DETAILS
    if hidden:
        rows = words.MORE_ROWS.format(rows=units.plural(hidden, "more row"))
    stores = {setup.in_kea for setup in answer.setups if setup.is_measured}
    if not {"mysql", "postgresql"} <= stores:
        return paragraph([rows, words.MEASURE_KEA])
    if any(setup.is_server for setup in answer.setups):
        return paragraph([rows, words.MEASURE_DATABASE])
    return paragraph([rows, words.MEASURE_SERVER])


# ---- Rates that are not known


def unknown(answer: Answer, setup: Setup, demand: Demand) -> str:
    """Return why a rate is not known; "" if it is."""
    rate = setup.rates.demand(demand)
    if isinstance(rate, Rate):
        return ""
    exchange = answer.site.exchanges(demand, setup.family)[0]
    return words.UNKNOWN[rate].format(exchange=exchange)


def source(rate: Rate) -> str:
    """Return what a rate comes from: "renew", "2 searches + 1 update"."""
    if rate.kind is RateKind.ALONE:
        return rate.exchange
    if rate.kind is RateKind.SUSTAINED:
        return words.SUSTAINED.format(exchange=rate.exchange)
    if rate.kind is RateKind.NEW_LEASES:
        return words.AT_MOST
    several = {"search": "searches"}
    return " + ".join(
        units.plural(step.count, step.phase, several.get(step.phase, "")) for step in rate.steps
    )
