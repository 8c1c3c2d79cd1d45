# SPDX-License-Identifier: ISC
"""What `answer --explain` prints below the screen.

That is every setup with its class and its settings, bounds of whole servers, servers side by side,
costs, and where the rates come from.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from ubench import stats, units
from ubench.report import server_tables
from ubench.report.capacity import sentences, several_sentences, words
from ubench.report.capacity.batches import PATIENCE_S, BatchChoice, batch_choices
from ubench.report.capacity.fit import MOST_LEASES, Verdict
from ubench.report.capacity.phrases import listed, paragraph, three_digits
from ubench.report.capacity.screen import RATE_COLUMNS, figure_cells, required
from ubench.report.capacity.setups import Setup
from ubench.report.capacity.several import Scaling, scalings
from ubench.report.capacity.site import Demand
from ubench.report.capacity.verdicts import Answer, ClassSection, SpeedRatio
from ubench.report.grouping import NODE_LOSS_NOTE, NODE_LOSSES
from ubench.report.pools import tables as pool_tables
from ubench.report.table import Column, Output, Table, TableCell, numbers, texts

Names = dict[Setup, str]


def print_details(answer: Answer, out: Output) -> None:
    """Print all that the screen has no lines for."""
    names = long_names(answer)
    servers = [(names[setup], setup.observations) for setup in answer.setups if setup.is_server]
    choices = batch_choices(answer)
    shared = scalings(answer.with_any_load, answer.site)
    out.gap()
    out.tables(
        setup_table(answer, names),
        settings_table(answer, names),
        server_tables.bounds_table(servers),
        servers_table(answer, names),
        costs_table(answer, names),
        batches_table(choices, names),
        *shared_tables(shared),
    )
    for note in server_tables.search_notes([each for _, group in servers for each in group]):
        out.item(note)
    for section in answer.sections:
        out.item(section_text(section, names))
    for choice in choices:
        out.item(best_batch(choice, names))
    for scaling, name in zip(shared, shared_names(shared), strict=True):
        out.item(scaling_text(scaling, name))
    out.gap()
    out.pairs(notes(answer, has_shared=bool(shared)))


def long_names(answer: Answer) -> Names:
    """Return the names of the setups.

    Where several of a section have one name, they also have the label of other commands.
    """
    names: Names = {}
    for section in answer.sections:
        short = [sentences.marked(setup) for setup in section.setups]
        for setup, name in zip(section.setups, short, strict=True):
            is_alone = short.count(name) == 1
            names[setup] = name if is_alone else f"{name} ({setup.group.label})"
    return names


# ---- Tables


def setup_table(answer: Answer, names: Names) -> Table:
    """Return every setup with its class and, if one has a server, what a lost node loses."""
    node_loss = texts("node loss") if any(node_loss_text(each) for each in answer.setups) else ()
    table = Table((*texts("store", "class"), *RATE_COLUMNS, *node_loss))
    for section in answer.sections:
        for setup in section.setups:
            loss = [node_loss_text(setup) or None] if node_loss else []
            table.add(names[setup], section.title, *figure_cells(answer, setup), *loss)
    table.add(*required(answer), *([""] if node_loss else []))
    return table


def settings_table(answer: Answer, names: Names) -> Table:
    """Return every setting that the classes rest on, as it was read back."""
    table = Table(texts("store", "setting", "value"))
    for setup in answer.setups:
        name = names[setup]
        for setting in setup.first.durability.settings:
            table.add(name, setting.name, setting.value)
            name = ""
    return table


def servers_table(answer: Answer, names: Names) -> Table:
    """Return how many servers serve all clients; without rows if one is enough with every store."""
    columns = (
        *texts("store", "class"),
        *numbers("servers", "clients each", "limited by"),
    )
    table = Table(columns)
    counts = [answer.servers(setup) for setup in answer.setups]
    if all(count is None or count.by_leases == 1 for count in counts):
        return table
    clients = answer.clients
    for setup, count in zip(answer.setups, counts, strict=True):
        title = answer.section_of(setup).title
        if count is None:
            table.add(names[setup], title, None, None, None)
            continue
        limit = count.limit.value if count.limit else words.LIMITED_BY_LEASES.format(
            leases=units.count(count.leases_to_measure)
        )
        servers = span(count.by_rates, count.by_leases)
        table.add(names[setup], title, servers, span(*count.clients_each(clients)), limit)
    return table


def span(low: int, high: int) -> TableCell:
    """Return two numbers as a range, or as one if they are equal; programs read the higher one."""
    text = units.count(high) if low >= high else f"{units.count(low)} to {units.count(high)}"
    return TableCell(text, high)


def costs_table(answer: Answer, names: Names) -> Table:
    """Return what each class costs, against the next less safe one of the store."""
    columns = (
        Column("what safety costs"),
        *texts("class", "instead of"),
        *numbers("times slower", "95 % interval"),
    )
    table = Table(columns)
    for cost in answer.costs:
        titles = [answer.section_of(setup).title for setup in (cost.first, cost.second)]
        table.add(names[cost.first], *titles, cost_cell(cost), speed_interval(cost.interval))
    return table


def speed_interval(interval: stats.Interval | None) -> str | None:
    """Return an interval: "1.77 to 1.82"."""
    return f"{three_digits(interval.low)} to {three_digits(interval.high)}" if interval else None


def cost_cell(cost: SpeedRatio) -> TableCell | str:
    """Return how many times slower the safer setup is."""
    if cost.ratio is None:
        return words.NOT_ALIKE
    if cost.interval and not cost.is_shown:
        return words.UNCERTAIN
    return TableCell(three_digits(cost.ratio), cost.ratio)


def batches_table(choices: Sequence[BatchChoice], names: Names) -> Table:
    """Return the rate of each batch, and the delay of its clients at the load of the site."""
    columns = (
        *texts("store", "exchange"),
        *numbers("batch", "rate", "required", "p99"),
        *texts(""),
    )
    table = Table(columns)
    for choice in choices:
        best = choice.best
        for batch in choice.batches:
            table.add(
                names[choice.setup],
                choice.exchange,
                batch.value,
                TableCell(three_digits(batch.per_s), batch.per_s),
                TableCell(three_digits(choice.load_per_s), choice.load_per_s),
                delay_cell(batch.p99_s(choice.load_per_s)),
                "best" if batch is best else "",
            )
    return table


def shared_tables(shared: Sequence[Scaling]) -> list[Table]:
    """Return the rates of several servers on one database, their worth, and lost races."""
    pools = [scaling.pool for scaling in shared]
    named = list(zip(shared_names(shared), pools, strict=True))
    makers = (pool_tables.rate_table, pool_tables.worth_table, pool_tables.lost_table)
    return [make(named) for make in makers] if named else []


def shared_names(shared: Sequence[Scaling]) -> list[str]:
    """Return the names of the setups of several servers; where names are equal, with labels."""
    short = [scaling.setup.name for scaling in shared]
    return [
        name if short.count(name) == 1 else f"{name} ({scaling.setup.group.label})"
        for name, scaling in zip(short, shared, strict=True)
    ]


def scaling_text(scaling: Scaling, name: str) -> str:
    """Return the worth of several servers with a setup, and in which order to scale."""
    return words.SCALING.format(
        store=name,
        case=several_sentences.case(scaling.series[0]),
        text=paragraph([several_sentences.worths(scaling), several_sentences.order(scaling)]),
    )


def delay_cell(delay_s: float | None) -> TableCell | str | None:
    """Return a delay; that of a store that does not keep up is too long for any client."""
    if delay_s is None:
        return None
    return TableCell(units.time(delay_s * 1e9), delay_s) if delay_s < math.inf else "too slow"


def best_batch(choice: BatchChoice, names: Names) -> str:
    """Return the best batch for the load of the site, and what that rests on."""
    best, single = choice.best, choice.single
    rates = [each for batch in choice.batches for each in batch.around(choice.load_per_s)]
    if best is None:
        form = words.BATCH_TOO_SLOW if rates else words.BATCH_NOT_KNOWN
    elif best is single:
        form = words.BATCH_NOT_NEEDED
    else:
        form = words.BATCH_BEST if single else words.BATCH_BEST_ALONE
    delay_s = best.p99_s(choice.load_per_s) if best else None
    offered = best.around(choice.load_per_s) if best else ()
    return form.format(
        store=names[choice.setup],
        exchange=choice.exchange,
        batch=best.value if best else "",
        rate=three_digits(best.per_s) if best else "",
        single=three_digits(single.per_s) if single else "",
        load=three_digits(choice.load_per_s),
        delay=units.time(delay_s * 1e9) if delay_s is not None else "",
        offered=" and ".join(dict.fromkeys(three_digits(each.per_s) for each in offered)),
        patience=units.time(PATIENCE_S * 1e9),
    )


def node_loss_text(setup: Setup) -> str:
    """Return what the permanent loss of the server's machine loses; "" without a server."""
    loss = setup.group.node_loss
    return NODE_LOSSES[loss] if loss else ""


# ---- Notes


def section_text(section: ClassSection, names: Names) -> str:
    """Return the meaning of a class, and which of its setups renew faster."""
    order = order_text(section, names)
    form = words.SECTION_WITH_ORDER if order else words.SECTION
    return form.format(title=section.title, meaning=section.meaning, order=order)


def order_text(section: ClassSection, names: Names) -> str:
    """Return the setups in the order of their renewals: "memfile > mysql = postgresql".

    > is more than chance. The order is by all runs of each, but a pair may have only some runs in
    common, so what is shown of two that are not neighbours stands after it. "" if some setups
    have too few runs.
    """
    setups = section.setups
    steps = [section.comparison(slower, faster) for faster, slower in pairwise(setups)]
    if not steps or not all(step.interval for step in steps):
        return ""
    line = names[setups[0]]
    for step in steps:
        line += f" {sign(step)} {names[step.first]}"
    apart = [
        f"{names[pair.second]} {sign(pair)} {names[pair.first]}"
        for pair in section.comparisons
        if pair.is_shown and not shown_between(section, steps, pair)
    ]
    return ", ".join([line, *apart])


def shown_between(section: ClassSection, steps: Sequence[SpeedRatio], pair: SpeedRatio) -> bool:
    """Return whether a step between the setups of a pair is shown, so that the order says it."""
    faster, slower = section.setups.index(pair.second), section.setups.index(pair.first)
    return any(step.is_shown for step in steps[faster:slower])


def sign(comparison: SpeedRatio) -> str:
    """Return whether the second setup is faster than the first, by more than chance."""
    if not comparison.is_shown or comparison.ratio is None:
        return "="
    return ">" if comparison.ratio > 1 else "<"


def notes(answer: Answer, *, has_shared: bool = False) -> list[tuple[str, str]]:
    """Return the meaning of the figures and of the marks in the tables.

    `has_shared` adds that of several servers on one database.
    """
    lines = []
    if servers_table(answer, long_names(answer)).rows:
        lines.append(("servers", words.SERVERS_NOTE.format(most=MOST_LEASES)))
    if len(answer.setups) > 1 and any(setup.rates.known for setup in answer.setups):
        lines.append(chance(answer))
    if batch_choices(answer):
        patience = units.time(PATIENCE_S * 1e9)
        lines.append(("batches", words.BATCHES_NOTE.format(patience=patience)))
    if has_shared:
        lines.append(("shared", words.SHARED_NOTE))
    if any(setup.rates.known for setup in answer.setups):
        lines.append(("rates", rates(answer)))
    lines.append(("n/a", paragraph(unknown_rates(answer))))
    if any(node_loss_text(setup) for setup in answer.setups):
        lines.append(("node loss", NODE_LOSS_NOTE))
    return lines


def chance(answer: Answer) -> tuple[str, str]:
    """Return what tells a difference from chance."""
    runs = [rate.runs for setup in answer.setups for rate in setup.rates.known]
    if min(runs, default=0) >= stats.LEAST:
        return "a > b", words.CHANCE_NOTE
    return "chance", words.FEW_RUNS_NOTE.format(least=stats.LEAST)


def rates(answer: Answer) -> str:
    """Return how many runs the rates are of, at least one, and which exchanges they are of."""
    known = [rate for setup in answer.setups for rate in setup.rates.known]
    least = min(rate.runs for rate in known)
    form = words.MEDIAN_AT_LEAST if any(rate.runs > least for rate in known) else words.MEDIAN
    runs = form.format(runs=units.plural(least, "run"))
    if len(answer.threads) > 1:
        first, *others = answer.threads
        runs += words.OTHER_THREADS.format(
            threads=units.plural(first, "thread"), others=", ".join(map(str, others))
        )
    parts = [runs, *(demand_sources(answer, demand) for demand in Demand)]
    line = "; ".join(part for part in parts if part)
    is_estimated = any(rate.kind.is_estimate for rate in known)
    return paragraph([f"{line}.", words.ESTIMATED_NOTE]) if is_estimated else line


def demand_sources(answer: Answer, demand: Demand) -> str:
    """Return the exchanges that the rates for a demand come from; "" if none is known."""
    sources = []
    for setup in answer.setups:
        for rate in setup.rates.known:
            if rate is setup.rates.demand(demand):
                mark = "~" if rate.kind.is_estimate else ""
                sources.append(mark + sentences.source(rate))
    return f"{demand.value}: {listed(sources)}" if sources else ""


def unknown_rates(answer: Answer) -> list[str]:
    """Return why rates are not known, and how to measure them."""
    setups = [
        setup for setup in answer.setups if answer.fits[setup].verdict is Verdict.UNKNOWN
    ]
    reasons = [
        sentences.unknown(answer, setup, demand) for setup in setups for demand in Demand
    ]
    reason = "; ".join(dict.fromkeys(text for text in reasons if text))
    return [f"{reason}." if reason else "", sentences.not_known(answer, setups, name_all=False)]


