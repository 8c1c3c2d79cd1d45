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
from ubench.report.capacity import sentences as answer_sentences
from ubench.report.capacity.evidence import Evidence
from ubench.report.capacity.fit import Verdict
from ubench.report.capacity.phrases import paragraph
from ubench.report.capacity.screen import LABEL_WIDTH
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


def advise(
    paths: Sequence[str],
    options: Site,
    evidence: Evidence,
    where: Where,
    family: int | None = None,
) -> Advice:
    """Return the advice for a Kea configuration, or for several servers with one database.

    `family` chooses the server in a file that has both. `options` are the site as the command line
    has it; the lifetimes of the file replace its own.
    Raises Problem for a file that Kea would refuse, UsageError for a `where` that no result has.
    """
    configuration = sharing.merge([reading.read_configuration(path, family) for path in paths])
    population = Population(configuration, options.clients)
    site = population.site(options)
    properties.check_settings("where", where, evidence.observations)
    match = find_match(configuration, site, evidence.observations, where)
    if match is not None:
        match = replace(match, answer=replace(match.answer, disk_s=evidence.disk_s))
    here = machine.this_machine()
    facts = Facts(configuration, population, is_fast_enough(match, population), here)
    return Advice(facts, site, match, evidence.too_short)


def print_screen(advice: Advice, out: Output) -> None:
    """Print what fits 24 lines of 80 columns."""
    page = make_page(advice, explain=False)
    layout = fitting_layout(page)
    print_page(cut_to_fit(page, layout), layout, out)


def print_details(advice: Advice, out: Output) -> None:
    """Print everything, and each parameter that was read."""
    page = make_page(advice, explain=True)
    print_page(page, Layout(most_rows(page)), out)
    out.labelled("CACHE", words.CACHE, LABEL_WIDTH)
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


def make_page(advice: Advice, explain: bool) -> Page:
    """Return all that the screen says."""
    facts, match = advice.facts, advice.match
    configuration, population = facts.configuration, facts.population
    advised = [sentences.change(change) for change in changes(facts)] or [words.NO_CHANGE]
    unread = paragraph(sentences.unread(configuration, population))
    expired = sentences.expiry(configuration, population)
    safer = words.SAFER if wants_second_copy(facts, small_sites_too=explain) else ""
    below = [
        Paragraph("EXPIRE", paragraph(expired), ScreenPart.EXPIRE),
        Paragraph("FIRST", advised[0]),
        Paragraph("SAFER", safer, ScreenPart.SAFER),
        *sources(match, advice.too_short, explain),
    ]
    if explain:
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
        ),
        below=tuple(below),
        answer=match.answer if match else None,
        has_clients=bool(population.clients),
        has_more=not explain and len(advised) > 1,
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
    differences = [
        sentences.pair_difference(configuration, match),
        sentences.thread_difference(configuration, match),
    ]
    place = network(configuration, population, match.answer)
    return [
        Paragraph("SPEED", paragraph([renewals, verdict])),
        Paragraph("", paragraph(place), ScreenPart.NETWORK),
        Paragraph("", paragraph(differences), ScreenPart.MATCH),
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
    return [host, answer_sentences.network(answer, answer.judged, has_figures), disk]


def sources(match: Match | None, too_short: Sequence[str], explain: bool) -> list[Paragraph]:
    """Say which files the rates come from, what they are of, and how many runs do not count."""
    short = answer_sentences.too_short(too_short) if explain else sentences.too_short(too_short)
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
