# SPDX-License-Identifier: ISC
"""The answer for a Kea configuration on one screen; --explain has everything.

`layout` decides what the screen has room for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ubench.report import properties
from ubench.report.advice import machine, reading, sentences, sharing, words
from ubench.report.advice.advice import changes, wants_second_copy
from ubench.report.advice.configuration import Configuration
from ubench.report.advice.layout import (
    Layout,
    Page,
    Paragraph,
    ScreenPart,
    cut_to_fit,
    fitting_layout,
    most_rows,
    print_page,
)
from ubench.report.advice.measured import Match, find_match
from ubench.report.advice.parameter_table import parameter_table
from ubench.report.advice.population import Population
from ubench.report.advice.rule import Facts
from ubench.report.capacity import explain, several_sentences
from ubench.report.capacity import sentences as answer_sentences
from ubench.report.capacity import words as answer_words
from ubench.report.capacity.evidence import Evidence
from ubench.report.capacity.fit import Verdict
from ubench.report.capacity.phrases import paragraph
from ubench.report.capacity.screen import LABEL_WIDTH
from ubench.report.capacity.several import Scaling, Wanted, scalings
from ubench.report.capacity.site import Site
from ubench.report.capacity.verdicts import Answer, Where
from ubench.report.table import Output


@dataclass(frozen=True)
class Advice:
    """The findings from a configuration, its clients and the results."""

    facts: Facts
    site: Site
    match: Match | None  # None: no result fits
    too_short: Sequence[str]  # what each run was that was too short to count
    scaling: Scaling | None = None  # of several servers on one database


def advise(
    paths: Sequence[str],
    options: Site,  # with the servers that have one database, if there are more than files
    evidence: Evidence,
    where: Where,
    family: int | None = None,
) -> Advice:
    """Return the advice for a Kea configuration, or for several servers with one database.

    `family` chooses the server in a file that has both. `options` are the site as the command line
    has it; the lifetimes of the file replace its own.
    Raises Problem for a file that Kea would refuse, UsageError for a `where` that no result has.
    """
    merged = sharing.merge([reading.read_configuration(path, family) for path in paths])
    configuration = sharing.as_servers(merged, options.servers)
    population = Population(configuration, options.clients)
    site = replace(population.site(options), servers=configuration.servers_at_work)
    properties.check_settings("where", where, evidence.observations)
    match = find_match(configuration, site, evidence.observations, where)
    if match is not None:
        match = replace(match, answer=replace(match.answer, disk_s=evidence.disk_s))
    here = machine.this_machine()
    facts = Facts(configuration, population, is_fast_enough(match, population), here)
    scaling = None
    if site.servers > 1:
        wanted = wanted_case(configuration, population)
        scaling = next(iter(scalings(evidence.observations, site, where, wanted)), None)
    return Advice(facts, site, match, evidence.too_short, scaling)


def wanted_case(configuration: Configuration, population: Population) -> Wanted:
    """Return which results of several servers are like those of a configuration."""
    allocators = configuration.allocators
    has_share = population.given and population.addresses
    return Wanted(
        keeper=configuration.lease_database.kind,
        family=configuration.family,
        allocator=next(iter(allocators)) if len(allocators) == 1 else None,
        full=min(1.0, population.clients / population.addresses) if has_share else None,
        threads_each=configuration.multi_threading.threads,
    )


def print_screen(advice: Advice, out: Output) -> None:
    """Print what fits 24 lines of 80 columns."""
    page = make_page(advice, has_all=False)
    layout = fitting_layout(page)
    print_page(cut_to_fit(page, layout), layout, out)


def print_details(advice: Advice, out: Output) -> None:
    """Print everything, and each parameter that was read."""
    page = make_page(advice, has_all=True)
    print_page(page, Layout(most_rows(page)), out)
    out.labelled("CACHE", words.CACHE, LABEL_WIDTH)
    out.gap()
    if advice.scaling is not None:
        out.tables(*explain.shared_tables([advice.scaling]))
        out.gap()
    out.table(parameter_table(advice.facts.configuration, advice.facts.population))


def is_fast_enough(match: Match | None, population: Population) -> bool | None:
    """Return True if all judged setups are fast enough, False if all are too slow, else None."""
    if match is None or not population.clients:
        return None
    verdicts = {match.answer.fits[setup].verdict for setup in match.answer.judged}
    if verdicts == {Verdict.ENOUGH}:
        return True
    return False if verdicts == {Verdict.SLOW} else None


# ---- What can be on the screen


def make_page(advice: Advice, *, has_all: bool) -> Page:
    """Return all that the screen says."""
    facts, match = advice.facts, advice.match
    configuration, population = facts.configuration, facts.population
    advised = [sentences.change(change) for change in changes(facts)] or [words.NO_CHANGE]
    unread = paragraph(sentences.unread(configuration, population))
    expired = sentences.expiry(configuration, population)
    safer = words.SAFER if wants_second_copy(facts, small_sites_too=has_all) else ""
    below = [
        Paragraph("EXPIRE", paragraph(expired), ScreenPart.EXPIRE),
        Paragraph("FIRST", advised[0]),
        Paragraph("SAFER", safer, ScreenPart.SAFER),
        *sources(match, advice.too_short, has_all=has_all),
    ]
    if has_all:
        below += [Paragraph("THEN", sentence) for sentence in advised[1:]]
    return Page(
        headline=sentences.headline(configuration, population),
        above=(
            Paragraph("CLIENTS", sentences.clients(advice.site, population)),
            Paragraph("", unread, ScreenPart.UNREAD),
            Paragraph("POWER", paragraph(sentences.power(configuration, match is not None))),
            Paragraph("KILL", sentences.kill_losses(configuration), ScreenPart.KILL),
            Paragraph("MACHINE", paragraph(sentences.machine(configuration)), ScreenPart.MACHINE),
            *speed(advice),
            *servers(advice),
        ),
        below=tuple(below),
        answer=match.answer if match else None,
        has_clients=bool(population.clients),
        has_more=not has_all and len(advised) > 1,
    )


def speed(advice: Advice) -> list[Paragraph]:
    """Say whether the store is fast enough, and how the results differ from the configuration."""
    configuration, population = advice.facts.configuration, advice.facts.population
    match = advice.match
    renewals = sentences.renewals(advice.site, population)
    if match is None:
        required = sentences.required(advice.site, population)
        return [
            Paragraph("SPEED", paragraph([renewals, required, sentences.no_result(configuration)]))
        ]
    verdict = answer_sentences.speed(match.answer) if population.clients else words.CLIENTS_UNKNOWN
    is_one = advice.site.servers == 1  # otherwise SERVERS says it
    differences = [
        sentences.pair_difference(configuration, match) if is_one else "",
        sentences.thread_difference(configuration, match),
    ]
    place = network(configuration, population, match.answer)
    return [
        Paragraph("SPEED", paragraph([renewals, verdict])),
        Paragraph("", paragraph(place), ScreenPart.NETWORK),
        Paragraph("", paragraph(differences), ScreenPart.MATCH),
    ]


def servers(advice: Advice) -> list[Paragraph]:
    """Say what several servers on one database need, do and gain; nothing of one server."""
    site, scaling, match = advice.site, advice.scaling, advice.match
    clients = advice.facts.population.clients
    if site.servers == 1:
        return []
    need = several_sentences.need(site, clients) if clients else ""
    if scaling is None:
        unmeasured = several_sentences.not_measured(match.answer.judged) if match else ""
        return [Paragraph("SERVERS", paragraph([need, unmeasured]))]
    together = several_sentences.together(scaling, site, clients) if clients else ""
    worths = [
        several_sentences.worths(scaling),
        "" if site.place.is_as_measured else answer_words.NOT_ELSEWHERE,
    ]
    return [
        Paragraph("SERVERS", paragraph([need, together])),
        Paragraph("", paragraph(worths), ScreenPart.WORTHS),
        Paragraph("", several_sentences.order(scaling), ScreenPart.ORDER),
    ]


def network(
    configuration: Configuration, population: Population, answer: Answer
) -> list[str]:
    """Say where the database was when it was measured, and where the configured one is."""
    database = configuration.lease_database
    is_far = database.remote_host or answer.site.place.round_trip_s
    has_figures = bool(population.clients)
    disk = answer_sentences.own_disk(answer, answer.judged, has_figures)
    if not database.is_server or not is_far:
        return [disk]
    host = words.REMOTE_HOST.format(host=database.remote_host) if database.remote_host else ""
    others = words.PERHAPS_SEVERAL if host and configuration.servers_at_work == 1 else ""
    return [host, others, answer_sentences.network(answer, answer.judged, has_figures), disk]


def sources(
    match: Match | None, too_short: Sequence[str], *, has_all: bool
) -> list[Paragraph]:
    """Say which files the rates come from, what they are of, and how many runs do not count."""
    short = answer_sentences.too_short(too_short) if has_all else sentences.too_short(too_short)
    if match is None:
        return [Paragraph("FROM", short)]
    answer = match.answer
    has_server = any(setup.is_server for setup in answer.representatives)
    computed = answer_sentences.sync(answer) if answer.site.place.sync_s is not None else ""
    doubts = [*answer_sentences.searches(answer.representatives), computed, short]
    alone = "" if has_server else words.STORE_ALONE
    return [
        Paragraph("FROM", paragraph([sentences.files(match), alone])),
        Paragraph("", paragraph(doubts), ScreenPart.DOUBTS),
    ]
