# SPDX-License-Identifier: ISC
"""The answer for a Kea configuration on one screen, 24 lines of 80 columns.

Where there is more to say, the least urgent sentences and rows give way; --explain has them all,
and each parameter that was read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ubench import units
from ubench.kea_config.members import cut_name
from ubench.report import grouping, screen
from ubench.report import sentences as answer_sentences
from ubench.report.advice import configuration as kea
from ubench.report.advice import sentences, words
from ubench.report.advice.advice import Facts, changes, wants_second_copy
from ubench.report.advice.configuration import Configuration, Parameter
from ubench.report.advice.measured import Match, find_match
from ubench.report.advice.population import Population
from ubench.report.evidence import Evidence
from ubench.report.fit import Verdict
from ubench.report.phrases import paragraph
from ubench.report.screen import LABEL_WIDTH, LEAST_ROWS, LINES
from ubench.report.setups import Setup
from ubench.report.site import Site
from ubench.report.table import WIDTH, Output, Table, fold, text, texts
from ubench.report.verdicts import Answer, Where

VALUE_MOST = 40  # characters of a value in the table of parameters
VALUES_SHOWN = 8  # rows for one parameter whose values differ between subnets


@dataclass(frozen=True)
class Paragraph:
    """Sentences behind a label; `part` is a key of GIVE_WAY, or empty if they always stay."""

    label: str
    text: str
    part: str = ""


# What gives way if the screen is full, the least urgent first, and how many rows of the table
# stay then. What a power cut loses, whether the store is fast enough, and what to change stay.
GIVE_WAY = {
    "safer": LEAST_ROWS,
    "expire": LEAST_ROWS,
    "machine": 2,
    "kill": 1,
    "marks": 1,
    "unread": 1,
    "match": 1,
    "network": 1,
}


@dataclass(frozen=True)
class Page:
    """All that can be on the screen."""

    headline: str
    above: tuple[Paragraph, ...]
    below: tuple[Paragraph, ...]
    answer: Answer | None  # whose table stands between them
    has_clients: bool
    has_more: bool  # --explain has more than this


@dataclass(frozen=True)
class Layout:
    """A choice of what is on the screen."""

    rows: int  # of the table, at most
    left_out: tuple[str, ...] = ()  # keys of GIVE_WAY


@dataclass(frozen=True)
class Advice:
    """What the configuration, its clients and the results say."""

    facts: Facts
    site: Site
    match: Match | None  # None: no result fits
    too_short: Sequence[str]  # what each run was that was too short to count


def advise(path: str, options: Site, evidence: Evidence, where: Where) -> Advice:
    """The advice for the Kea configuration in a file.

    `options` are the site as the command line has it; the file's lifetimes replace its own.
    Raises Problem for a file that Kea would refuse, UsageError for a `where` that no result has.
    """
    configuration = kea.read(path)
    population = Population(configuration, options.clients)
    site = population.site(options)
    grouping.check_settings("where", where, evidence.observations)
    match = find_match(configuration, site, evidence.observations, where)
    facts = Facts(configuration, population, is_fast_enough(match, population))
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
    """True if all setups of the verdict are fast enough, False if all are too slow, else None."""
    if match is None or not population.clients:
        return None
    verdicts = {match.answer.fits[setup].verdict for setup in match.answer.judged}
    if verdicts == {Verdict.ENOUGH}:
        return True
    return False if verdicts == {Verdict.SLOW} else None


# ---- What can be on the screen


def make_page(advice: Advice, explain: bool) -> Page:
    """All that the screen says."""
    facts, match = advice.facts, advice.match
    configuration, population = facts.configuration, facts.population
    advised = [sentences.change(change) for change in changes(facts)] or [words.NO_CHANGE]
    safer = words.SAFER if wants_second_copy(facts, small_sites_too=explain) else ""
    below = [
        Paragraph("EXPIRE", joined(sentences.expiry(configuration, population)), "expire"),
        Paragraph("FIRST", advised[0]),
        Paragraph("SAFER", safer, "safer"),
        *sources(match, advice.too_short, explain),
    ]
    if explain:
        below += [Paragraph("THEN", sentence) for sentence in advised[1:]]
    return Page(
        headline=sentences.headline(configuration, population),
        above=(
            Paragraph("CLIENTS", sentences.clients(population)),
            Paragraph("", joined(sentences.unread(configuration)), "unread"),
            Paragraph("POWER", joined(sentences.power(configuration, match is not None))),
            Paragraph("KILL", sentences.kill(configuration), "kill"),
            Paragraph("MACHINE", joined(sentences.machine(configuration)), "machine"),
            *speed(advice),
        ),
        below=tuple(below),
        answer=match.answer if match else None,
        has_clients=bool(population.clients),
        has_more=not explain and len(advised) > 1,
    )


def joined(parts: Iterable[str]) -> str:
    """Sentences behind each other."""
    return paragraph(parts)


def speed(advice: Advice) -> list[Paragraph]:
    """Whether the store is fast enough, and how the results differ from the configuration."""
    configuration, population = advice.facts.configuration, advice.facts.population
    match = advice.match
    renewals = sentences.renewals(population)
    if match is None:
        required = sentences.required(advice.site, population)
        return [
            Paragraph("SPEED", joined([renewals, required, sentences.no_result(configuration)]))
        ]
    verdict = answer_sentences.speed(match.answer) if population.clients else words.CLIENTS_UNKNOWN
    differences = [
        sentences.pair_difference(configuration, match),
        sentences.thread_difference(configuration, match),
    ]
    return [
        Paragraph("SPEED", joined([renewals, verdict])),
        Paragraph("", joined(differences), "match"),
        Paragraph("", joined(network(configuration, population, match.answer)), "network"),
    ]


def network(
    configuration: Configuration, population: Population, answer: Answer
) -> list[str]:
    """Where the database was when it was measured, and where that of the configuration is."""
    database = configuration.lease_database
    is_far = database.remote_host or answer.site.place.round_trip_s
    if not database.is_server or not is_far:
        return []
    host = words.REMOTE_HOST.format(host=database.remote_host) if database.remote_host else ""
    has_figures = bool(population.clients)
    return [host, answer_sentences.network(answer, answer.judged, has_figures)]


def sources(match: Match | None, too_short: Sequence[str], explain: bool) -> list[Paragraph]:
    """The files that the rates come from, what they are of, and how many runs do not count."""
    short = answer_sentences.too_short(too_short) if explain else sentences.too_short(too_short)
    if match is None:
        return [Paragraph("FROM", short)]
    setups, answer = match.answer.representatives, match.answer
    has_server = any(setup.is_server for setup in setups)
    computed = answer_sentences.sync(answer) if answer.site.place.sync_s is not None else ""
    cells = screen.cells(store_table(answer, setups, has_clients=True))
    return [
        Paragraph("FROM", sentences.files(match)),
        Paragraph(
            "",
            joined(
                [
                    "" if has_server else words.STORE_ALONE,
                    *answer_sentences.searches(setups),
                    computed,
                    answer_sentences.marks(answer, setups, cells),
                    short,
                ]
            ),
            "marks",
        ),
    ]


# ---- The table of stores


def store_table(answer: Answer, setups: Sequence[Setup], has_clients: bool) -> Table:
    """The stores; without a number of clients, without what depends on it."""
    table = screen.store_table(answer, setups)
    if has_clients:
        return table
    kept = [number for number, head in enumerate(table.heads) if head != screen.TIMES]
    smaller = Table([table.columns[number] for number in kept])
    for row in table.rows[: len(setups)]:
        smaller.add(*(row[number] for number in kept))
    return smaller


def most_rows(page: Page) -> int:
    """How many rows the table can have."""
    return len(page.answer.representatives) if page.answer else 0


def page_table(page: Page, layout: Layout) -> Table | None:
    """The table of stores in a layout; None without results."""
    if page.answer is None:
        return None
    return store_table(page.answer, page.answer.shown(layout.rows), page.has_clients)


# ---- Laying out


def paragraphs(parts: Iterable[Paragraph], layout: Layout) -> list[tuple[str, str]]:
    """Labels with texts in a layout. A text without a label continues the one before it."""
    lines: list[tuple[str, str]] = []
    for part in parts:
        if not part.text or part.part in layout.left_out:
            continue
        if part.label or not lines:
            lines.append((part.label, part.text))
        else:
            label, before = lines[-1]
            lines[-1] = (label, joined([before, part.text]))
    return lines


def below_table(page: Page, layout: Layout) -> list[tuple[str, str]]:
    """The lines below the table, the last of which says where there is more."""
    has_more = page.has_more or layout.left_out or layout.rows < most_rows(page)
    more = joined([words.MORE if has_more else "", words.MANUAL])
    return [*paragraphs(page.below, layout), ("MORE", more)]


def height(page: Page, layout: Layout) -> int:
    """The lines of the screen in a layout."""
    table = page_table(page, layout)
    folded = [fold(page.headline, WIDTH)]
    for _, paragraph in [*paragraphs(page.above, layout), *below_table(page, layout)]:
        folded.append(fold(paragraph, WIDTH, LABEL_WIDTH))
    table_lines = text(table).count("\n") + 1 if table else 0  # with the empty line above it
    return sum(part.count("\n") + 1 for part in folded) + table_lines


def fitting_layout(page: Page) -> Layout:
    """The layout that leaves out as little as fits the screen."""
    layout = with_fewer_rows(page, (), LEAST_ROWS)
    left_out: list[str] = []
    for part, least_rows in GIVE_WAY.items():
        if height(page, layout) <= LINES:
            break
        left_out.append(part)
        layout = with_fewer_rows(page, tuple(left_out), least_rows)
    for part in reversed(left_out):  # what gave way first may be longer than was needed
        others = tuple(each for each in layout.left_out if each != part)
        fuller = Layout(layout.rows, others)
        if height(page, fuller) <= LINES:
            layout = fuller
    return layout


def with_fewer_rows(page: Page, left_out: tuple[str, ...], least_rows: int) -> Layout:
    """A layout with the most rows that fit, but at least some."""
    rows = most_rows(page)
    while rows > least_rows and height(page, Layout(rows, left_out)) > LINES:
        rows -= 1
    return Layout(rows, left_out)


def cut_to_fit(page: Page, layout: Layout) -> Page:
    """The page with its longest text cut, once nothing else can give way."""
    while height(page, layout) > LINES:
        parts = [*page.above, *page.below]
        longest = max(parts, key=lambda part: 0 if part.part in layout.left_out else len(part.text))
        shorter = replace(longest, text=units.cut(longest.text, len(longest.text) - WIDTH))
        page = replace(
            page,
            above=tuple(shorter if part is longest else part for part in page.above),
            below=tuple(shorter if part is longest else part for part in page.below),
        )
    return page


def print_page(page: Page, layout: Layout, out: Output) -> None:
    """Print the screen."""
    out.note(page.headline)
    out.pairs(paragraphs(page.above, layout), LABEL_WIDTH)
    table = page_table(page, layout)
    if table:
        out.gap()
        out.table(table)
    out.pairs(below_table(page, layout), LABEL_WIDTH)


# ---- The table of parameters


def parameter_table(configuration: Configuration, population: Population) -> Table:
    """Every parameter that was read, with its value and place."""
    table = Table(texts("parameter", "value", "place"))
    mode = configuration.ha.mode if configuration.ha else None
    table.add("mode", sentences.as_text(mode), "")
    for section in configuration.maps():
        for parameter in section.parameters():
            table.add(parameter.name, shown_value(parameter), shown_place(parameter))
    subnets = len(population.used_subnets)
    for name, alternatives in inherited(population).items():
        form = words.PLACE_OF_SOME if len(alternatives) > 1 else words.PLACE
        for (value, place), count in list(alternatives.items())[:VALUES_SHOWN]:
            table.add(name, value, form.format(place=place, count=count, subnets=subnets))
        hidden = len(alternatives) - VALUES_SHOWN
        if hidden > 0:
            table.add(name, words.OTHER_VALUES.format(count=units.count(hidden)), "")
    return table


def inherited(population: Population) -> dict[str, Counter[tuple[str, str]]]:
    """The values and places that each parameter of subnets has, with the number of subnets."""
    found: dict[str, Counter[tuple[str, str]]] = {}
    for subnet in population.used_subnets:
        for parameter in subnet.parameters():
            values = found.setdefault(parameter.name, Counter())
            values[shown_value(parameter), shown_place(parameter)] += 1
    return found


def shown_value(parameter: Parameter[object]) -> str:
    """The value of a parameter, short enough for the table."""
    return cut_name(sentences.value(parameter), VALUE_MOST)


def shown_place(parameter: Parameter[object]) -> str:
    """The place of a parameter, or that it is Kea's default."""
    return parameter.place or words.DEFAULT
