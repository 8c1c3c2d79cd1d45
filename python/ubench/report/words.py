# SPDX-License-Identifier: ISC
"""The answer in English: for each verdict a whole sentence, with places for figures and names.

The sentences stand at the top of each part. Functions choose among them and fill them in; they
never build a sentence of pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import floor, log10

from ubench import units
from ubench.records.observation import DurabilityClass, Observation
from ubench.report.elsewhere import database_host
from ubench.report.evidence import LEAST_EXCHANGES, LEAST_S, Doubt, Search, search_of
from ubench.report.fit import MOST_LEASES, Verdict
from ubench.report.gaps import Gap, Missing, find_gaps
from ubench.report.rates import Kind, Rate, Unknown
from ubench.report.setups import MEMFILE, PowerLoss, Setup
from ubench.report.site import IPV4_ADDRESSES, KEA_LEASE_S, Demand, Site
from ubench.report.verdicts import Answer, Comparison

EXAMPLE_ROUND_TRIP_S = 0.001  # shown beside the figure of a database on the same machine
NAMES_SHOWN = 4  # of runs that were too short

# ---- Figures, names and paragraphs


def figure(value: float) -> str:
    """Three significant digits, as more would promise too much: "0.463", "1,560"."""
    if 0 < value < 0.001:
        return "<0.001"
    if value < 999.5:
        return f"{value:.3g}"
    step = 10.0 ** (floor(log10(value)) - 2)
    return units.count(int(units.half_up(value / step) * step))


def period(seconds: float) -> str:
    """A time in words: "24 hours", "90 seconds"."""
    for size, unit in ((3600, "hour"), (60, "minute")):
        if seconds % size == 0:
            return _period(seconds / size, unit)
    return _period(seconds, "second")


def _period(number: float, unit: str) -> str:
    return f"1 {unit}" if number == 1 else f"{number:.6g} {unit}s"


def paragraph(sentences: Iterable[str]) -> str:
    """Sentences behind each other; those that are empty are left out."""
    return "  ".join(sentence for sentence in sentences if sentence)


def marked(setup: Setup) -> str:
    """The name of a setup, with the marks that the table explains."""
    server = "*" if setup.is_server else ""
    published = "" if setup.is_measured else "#"
    return setup.name + server + published


def listed(names: Iterable[str]) -> str:
    """Names, each once: "MySQL flush 1, memfile"."""
    return ", ".join(dict.fromkeys(names))


def either(names: Sequence[str]) -> str:
    """Names of which one is to be chosen: "A, B or C"."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


# ---- The site

HEADLINE = "{clients}, leases of {lease}, all restart in {restart}"
ASSUMED_LEASE = "{lease} (--lease-time)"
NEEDS_OF_ONE = (
    "1 client with a lease of {lease} needs {renewals} renewals per second, and {restarts} restarts "
    "per second if it restarts within {restart}"
)
NEEDS = (
    "{clients} clients with leases of {lease} need {renewals} renewals per second, and {restarts} "
    "restarts per second if all restart within {restart}"
)
SERVES = "{rate} renewals per second serve {clients} clients with leases of {lease}"
SERVES_ALL = (
    "{rate} renewals per second serve {clients} clients with leases of {lease}: IPv4 has no more "
    "addresses"
)


def headline(answer: Answer) -> str:
    """The site in a line. A lifetime that was assumed stands with the option that changes it."""
    site, lease = answer.site, period(answer.site.lease_s)
    return HEADLINE.format(
        clients=units.plural(answer.clients, "client"),
        lease=ASSUMED_LEASE.format(lease=lease) if site.lease_s == KEA_LEASE_S else lease,
        restart=period(site.restart_s),
    )


def needs(site: Site, clients: int) -> str:
    """The rates that a number of clients requires."""
    return (NEEDS_OF_ONE if clients == 1 else NEEDS).format(
        clients=units.count(clients),
        lease=period(site.lease_s),
        renewals=figure(site.required(Demand.RENEWALS, clients)),
        restarts=figure(site.required(Demand.RESTARTS, clients)),
        restart=period(site.restart_s),
    )


def serves(site: Site, rate: float) -> str:
    """How many clients a rate of renewals serves."""
    clients = rate / site.required(Demand.RENEWALS, 1)
    return (SERVES_ALL if clients > IPV4_ADDRESSES else SERVES).format(
        rate=f"{rate:.10g}",
        clients=figure(min(clients, IPV4_ADDRESSES)),
        lease=period(site.lease_s),
    )


# ---- SPEED

PUBLISHED = "Published by others, not measured here."
EVERY_KEA_STORE = (
    "Every measured store of Kea is fast enough: at least {times} times the required rate."
)
ONE_KEA_STORE = "{store} is fast enough: at least {times} times the required rate."
EVERY_OTHER_STORE = (
    "Every measured store is fast enough, but Kea has none of them: at least {times} times the "
    "required rate."
)
ENOUGH = "Fast enough: {stores}."
NEAR = "At the required rate, but without the headroom of {headroom} times: {stores}."
NEAR_STORE = "{store} ({times} times)"
SLOW = "Too slow: {stores}."

NOT_KNOWN = "Not known."
NOT_KNOWN_OF = "Not known: {stores}."
NOT_KNOWN_FOR_CLIENTS = "Not known for this number of clients."
NOT_KNOWN_FOR_CLIENTS_OF = "Not known for this number of clients: {stores}."
MEASURE_RATE: Mapping[Demand, str] = {
    Demand.RENEWALS: "Measure the renewals: {command} -O FILE.",
    Demand.RESTARTS: "Measure the restarts: {command} -O FILE.",
}
OTHER_RATE: Mapping[Demand, str] = {
    Demand.RENEWALS: "The slowest store restarts clients at {times} times the required rate.",
    Demand.RESTARTS: "The slowest store renews leases at {times} times the required rate.",
}
MEASURE_LEASES = (
    "We do not extrapolate beyond {most} times the leases tested.  Measure with {option}={leases}."
)
NO_SYNC = (
    "--sync cannot be computed for {stores}: several threads share a sync, or how often or how "
    "long they sync was not measured."
)


def speed(answer: Answer) -> str:
    """Whether the stores that are judged are fast enough."""
    setups = answer.judged
    sentences = [] if setups[0].is_measured else [PUBLISHED]
    if answer.with_verdict(Verdict.ENOUGH) == setups:
        return paragraph([*sentences, all_enough(answer)])
    enough = answer.with_verdict(Verdict.ENOUGH)
    near = answer.with_verdict(Verdict.NEAR)
    slow = answer.with_verdict(Verdict.SLOW)
    if enough:
        sentences.append(ENOUGH.format(stores=listed(map(marked, enough))))
    if near:
        stores = listed(with_times(answer, setup) for setup in near)
        sentences.append(NEAR.format(headroom=f"{answer.site.headroom:.3g}", stores=stores))
    if slow:
        sentences.append(SLOW.format(stores=listed(map(marked, slow))))
    unknown = answer.with_verdict(Verdict.UNKNOWN)
    sentences.append(not_known(answer, unknown, name_all=bool(enough or near or slow)))
    return paragraph(sentences)


def with_times(answer: Answer, setup: Setup) -> str:
    """A setup with how many times the required rate it does."""
    return NEAR_STORE.format(store=marked(setup), times=figure(answer.fits[setup].least or 0))


def all_enough(answer: Answer) -> str:
    """The verdict if all stores that are judged are fast enough."""
    products = {setup.product for setup in answer.judged if setup.in_kea}
    least = [answer.fits[setup].least or 0 for setup in answer.judged]
    times = figure(min(least))
    if not products:
        return EVERY_OTHER_STORE.format(times=times)
    if len(products) == 1:
        return ONE_KEA_STORE.format(store=products.pop(), times=times)
    return EVERY_KEA_STORE.format(times=times)


def not_known(answer: Answer, setups: Sequence[Setup], name_all: bool) -> str:
    """What is missing of setups whose verdict is not known, and how to measure it.

    Without `name_all` they are not named, as the verdict is about them alone.
    """
    gaps = find_gaps(answer, setups)
    return paragraph(gap_text(gap, name_all or len(gaps) > 1) for gap in gaps)


def gap_text(gap: Gap, is_named: bool) -> str:
    """What is missing of some setups."""
    stores = listed(map(marked, gap.setups))
    if gap.missing is Missing.DISK:
        return NO_SYNC.format(stores=stores)
    if gap.missing is Missing.LEASES:
        begin = NOT_KNOWN_FOR_CLIENTS_OF if is_named else NOT_KNOWN_FOR_CLIENTS
        measure = MEASURE_LEASES.format(most=MOST_LEASES, option=gap.option, leases=gap.leases)
        return paragraph([begin.format(stores=stores), measure])
    begin = NOT_KNOWN_OF if is_named else NOT_KNOWN
    measure = MEASURE_RATE[gap.demand].format(command=gap.command)
    other = ""
    if gap.other_times is not None:
        other = OTHER_RATE[gap.demand].format(times=figure(gap.other_times))
    return paragraph([begin.format(stores=stores), measure, other])


# ---- Where the database was

COMPUTED_NETWORK = "Computed with {time} more for each round trip to the database (--rtt)."
REMOTE = "The database was on another machine (--rtt adds to it)."
REMOTE_TIMED = (
    "The database was on another machine: a round trip took {time} (--rtt adds to it)."
)
SOME_REMOTE = "Some databases were on another machine, others were local (--rtt adds to both)."
SOME_REMOTE_TIMED = (
    "Some databases were on another machine, where a round trip took {time}; others were local "
    "(--rtt adds to both)."
)
LOCAL = "Databases were local (--rtt=1ms adds a network)."
LOCAL_TIMES = "Databases were local; at --rtt=1ms it is {times} times."


def network(answer: Answer, setups: Sequence[Setup], has_clients: bool = True) -> str:
    """Where the databases of these setups were, with the figure for a network of 1 ms if they were
    on the same machine; "" if none is a database that was measured.

    The figure is for the clients of the answer; without `has_clients` they are not the site's.
    """
    databases = [setup for setup in setups if setup.first.is_database and setup.is_measured]
    if not databases:
        return ""
    if answer.site.place.round_trip_s:
        return COMPUTED_NETWORK.format(time=units.time(answer.site.place.round_trip_s * 1e9))
    observations = [each for setup in databases for each in setup.observations]
    remote = [each for each in observations if database_host(each)]
    if remote:
        return remote_network(remote, are_all=len(remote) == len(observations))
    times = answer.least_times(databases, EXAMPLE_ROUND_TRIP_S)
    if times is None or not has_clients:
        return LOCAL
    return LOCAL_TIMES.format(times=figure(times))


def remote_network(remote: Sequence[Observation], are_all: bool) -> str:
    """That databases were on another machine, all or some, and how far away."""
    trips = [each.baselines.round_trip_ns for each in remote if each.baselines.round_trip_ns]
    if not trips:
        return REMOTE if are_all else SOME_REMOTE
    return (REMOTE_TIMED if are_all else SOME_REMOTE_TIMED).format(time=units.time(max(trips)))


# ---- SAFETY

NOTHING_LOST = "If nothing may be lost: {stores}."
NOTHING_LOST_IS_SLOW = "The stores of Kea that lose nothing are too slow here."
NOTHING_LOST_UNMEASURED = (
    "No measured store of Kea loses nothing; MySQL and PostgreSQL can be set to."
)
NO_KEA_STORE = "No store of Kea was measured; MySQL and PostgreSQL can be set to lose nothing."
LATEST_LOST = "If a second may be lost: {stores}."
LATEST_LOST_EITHER = (
    "If a second may be lost: {stores}; or {others}, which also loses it if the database is killed."
)
LATEST_LOST_OR_KILL = "If a second may be lost, even to a crash of the database: {stores}."
LATEST_LOST_UNMEASURED = "No setting that may lose a second was measured."
MEMFILE_LOSES = "With memfile a power cut can lose any number of recent leases."
WITH_SETTINGS = "{store} with {settings}"


def safety(answer: Answer) -> tuple[str, str]:
    """Which stores of Kea to take if nothing may be lost, and if the last second may."""
    measured = [setup for setup in answer.judged if setup.in_kea and setup.is_measured]
    nothing = answer.choices(PowerLoss.NOTHING)
    if nothing:
        first = NOTHING_LOST.format(stores=with_settings(nothing))
    elif any(setup.loss is PowerLoss.NOTHING for setup in measured):
        first = NOTHING_LOST_IS_SLOW
    else:
        first = NOTHING_LOST_UNMEASURED if measured else NO_KEA_STORE
    sentences = [latest_lost(answer, bool(nothing))]
    if not measured or any(setup.in_kea == MEMFILE for setup in measured):
        sentences.append(MEMFILE_LOSES)
    return first, paragraph(sentences)


def latest_lost(answer: Answer, has_safe_store: bool) -> str:
    """Which stores of Kea to take if the last second may be lost."""
    latest = answer.choices(PowerLoss.LATEST)
    names = {setup.product for setup in latest}
    or_kill = [
        setup
        for setup in answer.choices(PowerLoss.LATEST_OR_KILL)
        if setup.product not in names
    ]
    if latest and or_kill:
        return LATEST_LOST_EITHER.format(
            stores=with_settings(latest), others=with_settings(or_kill)
        )
    if latest:
        return LATEST_LOST.format(stores=with_settings(latest))
    if or_kill:
        return LATEST_LOST_OR_KILL.format(stores=with_settings(or_kill))
    return LATEST_LOST_UNMEASURED if has_safe_store else ""


def with_settings(setups: Sequence[Setup]) -> str:
    """Stores of which one is to be taken, each with the settings that have to be set."""
    names = []
    for setup in setups:
        settings = [f"{setting.name}={setting.value}" for setting in setup.deciding]
        name = WITH_SETTINGS.format(store=setup.product, settings=" and ".join(settings))
        names.append(name if settings else setup.product)
    return either(names)


# ---- The table

LOSSES: Mapping[PowerLoss, str] = {
    PowerLoss.NOTHING: "nothing",
    PowerLoss.LATEST: "the last second",
    PowerLoss.LATEST_OR_KILL: "the last second +",
    PowerLoss.ANY: "any number",
    PowerLoss.ANY_OR_KILL: "any number +",
    PowerLoss.UNKNOWN: "not known",
}
LAST_SECONDS: Mapping[PowerLoss, str] = {
    PowerLoss.LATEST: "the last {seconds} s",
    PowerLoss.LATEST_OR_KILL: "the last {seconds} s +",
}
REQUIRED = "required"
TIMES_ENOUGH = "({headroom} times is enough)"
MARKS: Mapping[str, str] = {
    "+": "+ also if only the process is killed.",
    "~": "~ estimated.",
    "#": "# published by others, not measured here.",
}
WHOLE_SERVERS = "* whole DHCP server."
SOME_SERVERS = "* whole DHCP server, others the store alone."
NOT_BEYOND = "> not extrapolated beyond {most} times the leases tested ({leases})."
NOT_BEYOND_RANGE = (
    "> not extrapolated beyond {most} times the leases tested ({fewest} to {leases})."
)


def lost(setup: Setup) -> str:
    """What a power cut loses, in the table."""
    if setup.loses_a_second or setup.loss not in LAST_SECONDS:
        return LOSSES[setup.loss]
    return LAST_SECONDS[setup.loss].format(seconds=f"{setup.window_s:.3g}")


def marks(answer: Answer, setups: Sequence[Setup], cells: Iterable[str]) -> str:
    """The meaning of the marks in the cells of a table of these setups."""
    seen = {mark for cell in cells for mark in "*+~#>" if mark in cell}
    sentences = [text for mark, text in MARKS.items() if mark in seen]
    if "*" in seen and all(setup.is_server for setup in setups):
        sentences.insert(0, WHOLE_SERVERS)
    elif "*" in seen:
        sentences.insert(0, SOME_SERVERS)
    if ">" in seen:
        sentences.append(not_beyond(answer, setups))
    return paragraph(sentences)


def not_beyond(answer: Answer, setups: Sequence[Setup]) -> str:
    """Up to how many leases the figures of these setups hold."""
    tested = [
        min(rate.leases for rate in setup.rates.known)
        for setup in setups
        if answer.fits[setup].served
    ]
    if not tested:
        return ""
    form = NOT_BEYOND if min(tested) == max(tested) else NOT_BEYOND_RANGE
    return form.format(
        most=MOST_LEASES, fewest=units.count(min(tested)), leases=units.count(max(tested))
    )


# ---- COST

FASTER = "{name} is {ratio} times as fast as {other} ({low} to {high})."
ABOUT = "{name} is about {ratio} times as fast as {other}."
NO_DIFFERENCE = "{name} and {other} differ by less than 3 %."
NOT_SHOWN = "No difference is shown between {name} and {other} ({low} to {high} times as fast)."
INTERVALS = "Ranges are 95 % intervals."
STORES_ALONE = "This compares the stores alone."


def cost(answer: Answer, setups: Sequence[Setup]) -> str:
    """How Kea's stores that lose nothing differ, and what each setting costs, of those shown."""
    shown = {setup.name for setup in setups if setup.in_kea}
    sections = [each for section in answer.sections for each in section.comparisons]
    between = [each for each in sections if each.first.in_kea != each.second.in_kea]
    texts: dict[tuple[str, str], str] = {}
    for comparison in [*between, *answer.costs]:
        if not is_cost(comparison) or not shown >= names_of(comparison):
            continue
        names = comparison.second.name, other_name(comparison)
        # Two comparisons of the same names are of settings that the names do not tell apart.
        texts[names] = "" if names in texts else ratio(answer, comparison, *names)
    sentences = [text for text in texts.values() if text]
    if not sentences:
        return ""
    has_range = answer.site.place.is_as_measured and any(" to " in text for text in sentences)
    servers = any(setup.is_server for setup in setups)
    return paragraph(
        [*sentences, INTERVALS if has_range else "", STORES_ALONE if servers else ""]
    )


def is_cost(comparison: Comparison) -> bool:
    """True if it says what it costs to lose nothing, of the store alone."""
    first, second = comparison.first, comparison.second
    if first.is_server or second.is_server or not second.is_measured:
        return False
    return first.cls is DurabilityClass.POWER_SAFE and comparison.interval is not None


def names_of(comparison: Comparison) -> set[str]:
    """The names of both setups."""
    return {comparison.first.name, comparison.second.name}


def other_name(comparison: Comparison) -> str:
    """The name of the first setup; only its settings if both are of one store."""
    first = comparison.first
    if first.in_kea != comparison.second.in_kea:
        return first.name
    return first.label or DurabilityClass.POWER_SAFE.value


def ratio(answer: Answer, comparison: Comparison, name: str, other: str) -> str:
    """How the second setup of a comparison, with that name, compares with the first."""
    interval = comparison.interval
    if interval is None or comparison.ratio is None:
        return ""
    if not answer.site.place.is_as_measured:
        form = ABOUT  # an interval of computed rates would promise too much
    elif comparison.is_shown:
        form = FASTER
    else:
        form = NO_DIFFERENCE if comparison.is_negligible else NOT_SHOWN
    return form.format(
        name=name,
        other=other,
        ratio=figure(comparison.ratio),
        low=figure(interval.low),
        high=figure(interval.high),
    )


# ---- TRUST

ONE_TOO_SHORT = "1 run was too short to count (under {seconds} s or {exchanges} exchanges): {names}."
TOO_SHORT = (
    "{count} runs were too short to count (under {seconds} s or {exchanges} exchanges): {names}."
)
AND_OTHERS = "{names} and others"
MEASURED_BY_OTHERS = "Others measured this, on machines of their own."
IN_TURN = "Stores took turns."
UNDISTURBED = "{results}, none disturbed."
DOUBTS: Mapping[Doubt, str] = {
    Doubt.DISTURBED: "Other work disturbed {count} of {results}.",
    Doubt.LIMITED: "A CPU limit held back {count} of {results}.",
    Doubt.NOT_CONFIRMED: "The rate was not confirmed in {count} of {results}.",
    Doubt.LOAD: "The load was the limit in {count} of {results}, whose server may take more.",
    Doubt.OTHER: "There are other warnings in {count} of {results}.",
}
SLOWEST_RUN = "The slowest run reached {times} times the required rate."
SLOWEST_INTERVAL = "The slowest interval reached {times} times the required rate."
SEARCHES: Mapping[Search, str] = {
    Search.ROUGH: "A quick search (--quick) found {count} of {rates}.",
    Search.EARLIER: "An earlier search, which reports its maximum, found {count} of {rates}.",
}
SYNC_TOOK = "A sync took {time}."
SYNC_TOOK_ON = "A sync took {time} ({disks})."
DISKS = "Disk: {disks}."
SYNC_COMPUTED = "Computed for a disk that syncs in {time}."
SYNC_COMPUTED_FROM = (
    "Computed for a disk that syncs in about {time}; the measured disk took {measured}."
)


def trust(answer: Answer) -> str:
    """What the answer rests on."""
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
    """Which runs were too short to count; "" if none was."""
    if not names:
        return ""
    different = list(dict.fromkeys(names))
    shown = ", ".join(different[:NAMES_SHOWN])
    if len(different) > NAMES_SHOWN:
        shown = AND_OTHERS.format(names=shown)
    return (ONE_TOO_SHORT if len(names) == 1 else TOO_SHORT).format(
        count=units.count(len(names)),
        seconds=LEAST_S,
        exchanges=units.count(LEAST_EXCHANGES),
        names=shown,
    )


def circumstances(answer: Answer) -> list[str]:
    """What disturbed the measurements, and what the slowest one reached."""
    weight = answer.trust
    if not weight.measured:
        return [MEASURED_BY_OTHERS]
    results = units.plural(weight.alone, "result")
    sentences = [
        DOUBTS[doubt].format(count=units.count(count), results=results)
        for doubt, count in weight.doubts.items()
    ]
    if not weight.alone:
        sentences = [IN_TURN]
    elif Doubt.DISTURBED not in weight.doubts:
        sentences.insert(0, UNDISTURBED.format(results=results))
    if answer.slowest_run is not None:
        form = SLOWEST_RUN if weight.alone else SLOWEST_INTERVAL
        sentences.insert(1, form.format(times=figure(answer.slowest_run)))
    return sentences


def searches(setups: Sequence[Setup]) -> list[str]:
    """How many rates of whole servers come from a search that did not follow the rules."""
    kinds = [
        search_of(setup.first) for setup in setups if setup.is_server and setup.rates.known
    ]
    rates = units.plural(len(kinds), "rate")
    return [
        text.format(count=units.count(kinds.count(kind)), rates=rates)
        for kind, text in SEARCHES.items()
        if kind in kinds
    ]


def products(answer: Answer) -> str:
    """The products that were measured, with their versions."""
    names = answer.trust.products
    return f"{', '.join(names)}." if names else ""


def sync(answer: Answer) -> str:
    """How long a sync took, and on which disk; "" if neither is known."""
    weight, wanted_s = answer.trust, answer.site.place.sync_s
    took = "" if weight.sync_s is None else units.time(weight.sync_s * 1e9)
    if wanted_s is not None:
        form = SYNC_COMPUTED_FROM if took else SYNC_COMPUTED
        return form.format(time=units.time(wanted_s * 1e9), measured=took)
    disks = "; ".join(weight.disks)
    if took:
        return (SYNC_TOOK_ON if disks else SYNC_TOOK).format(time=took, disks=disks)
    return DISKS.format(disks=disks) if disks else ""


# ---- MORE

MORE_ROWS = "{rows}: --explain."
MORE_DETAILS = "Classes and costs: --explain."
MEASURE_KEA = "Kea's own stores, with databases: scripts/bench.sh kea."
MEASURE_DATABASE = "Your own database: README.md."
MEASURE_SERVER = "A whole Kea or your own database: README.md."


def more(answer: Answer, hidden: int) -> str:
    """What --explain shows, where `hidden` rows did not fit, and what to measure next."""
    rows = MORE_ROWS.format(rows=units.plural(hidden, "more row")) if hidden else MORE_DETAILS
    stores = {setup.in_kea for setup in answer.setups if setup.is_measured}
    if not {"mysql", "postgresql"} <= stores:
        return paragraph([rows, MEASURE_KEA])
    if any(setup.is_server for setup in answer.setups):
        return paragraph([rows, MEASURE_DATABASE])
    return paragraph([rows, MEASURE_SERVER])


# ---- Rates that are not known

UNKNOWN: Mapping[Unknown, str] = {
    Unknown.NO_RUN: "no run is complete",
    Unknown.NOT_MEASURED: "neither {exchange} nor its steps were measured",
    Unknown.BATCHED: "several leases were committed together; a server commits each by itself",
    Unknown.SERVER_TIME: "the rates contain a server's time",
    Unknown.MIXED: "in a mix the share of each exchange is given",
    Unknown.NOT_CONFIRMED: "an open loop, of which no rate was confirmed",
    Unknown.DISK: "another sync cannot be computed with several threads or on this disk",
}


def unknown(answer: Answer, setup: Setup, demand: Demand) -> str:
    """Why a rate is not known; "" if it is."""
    rate = setup.rates.demand(demand)
    if isinstance(rate, Rate):
        return ""
    exchange = answer.site.exchanges(demand, setup.family)[0]
    return UNKNOWN[rate].format(exchange=exchange)


SUSTAINED = "{exchange}, sustained"
AT_MOST = "a server's new leases"


def source(rate: Rate) -> str:
    """What a rate comes from: "renew", "2 searches + 1 update"."""
    if rate.kind is Kind.ALONE:
        return rate.exchange
    if rate.kind is Kind.SUSTAINED:
        return SUSTAINED.format(exchange=rate.exchange)
    if rate.kind is Kind.NEW_LEASES:
        return AT_MOST
    several = {"search": "searches"}
    return " + ".join(
        units.plural(step.count, step.phase, several.get(step.phase, "")) for step in rate.steps
    )
