# SPDX-License-Identifier: ISC
"""The short answers at the top of a page: a question, a sentence and a small chart for each.

They are about Kea's stores, and for readers who look at one screen only. A question is left out if
nothing was measured that answers it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from ubench import stats, units
from ubench.records.decoding import JsonObject
from ubench.report.capacity.phrases import three_digits
from ubench.report.capacity.rates import Rate
from ubench.report.capacity.setups import PowerLoss, Setup, product_of
from ubench.report.capacity.verdicts import Answer
from ubench.report.page.changes import AGAINST, RatioQuestion
from ubench.report.page.losses import Losses
from ubench.report.page.ratios import ChartRatio
from ubench.report.page.summaries import summaries

# ---- Sentences

SAFEST = "Which safe store is fastest?"
FASTEST = "{store}: {rate} renewals/s."
AS_FAST = "{store} and {other} are about equally fast: {rate} and {other_rate} renewals/s."
SAFE = (
    "Kea's stores; safe: a power cut loses nothing. The bars are renewals per second over "
    "{connections}; the black line is the {range}."
)
IN_TURN = "Taking turns, {first} was {ratios} times as fast as {second}."

WORTH = "What is {change} worth?"
FASTER = "{product} is {ratios} times as fast"
MEANING = {
    "flush 2": "flush 2 is innodb_flush_log_at_trx_commit=2; 1 syncs each commit.",
    "sync off": "sync off is synchronous_commit=off; on syncs each commit.",
}
PRICE = "A power cut then loses {lost}."
PRICES = {
    PowerLoss.LATEST.value: "about the last second of leases",
    PowerLoss.LATEST_OR_KILL.value: "about the last second of leases, and so does a kill",
    PowerLoss.ANY.value: "any number of recent leases",
    PowerLoss.ANY_OR_KILL.value: "any number of recent leases, and so does a kill",
}

MEMFILE = "What does a power cut lose with memfile?"
LOSES = "The leases of the last {seconds} s (median; longest: {longest} s). There is no limit."
LOSES_ANY = "Any number of recent leases."
SHARE = "{lossy} of {crashes} test power cuts lost some."
KILLED = "If only the program is killed, nothing is lost."
SLOW_LOAD = "The bars are of {rate}."
LOST = "{seconds} s, longest {longest} s"
LOST_SOME = "{lossy} of {crashes} crashes lost some"
KEPT = "nothing lost in {crashes} crashes"

REAL = "Is the difference between {first} and {second} real?"
YES = "Yes: {first} is {ratios} times as fast as {second}, shown by {shown} of {count}."
PARTLY = "Not always: {first} is shown to be faster than {second} in {shown} of {count}."
NO = "Not shown: {first} and {second} are as fast as each other, as far as this machine can tell."
NOISE = (
    "Both took turns on the same machine and lose nothing in a power cut. Grey: the noise, how far "
    "two copies of the same store were apart."
)
NOISE_ALONE = "Both took turns on the same machine and lose nothing in a power cut."

RATE_AXIS = "renewals per second"
CRASH_AXIS = "seconds whose leases were lost, median"
STORE_AXIS = "speed of {first}, as a multiple of that of {second}"


class ChartKind(Enum):
    """What the chart of a short answer shows."""

    RATES = "rates"
    RATIOS = "ratios"
    CRASHES = "crashes"


@dataclass(frozen=True)
class ShortAnswer:
    """A question, its answer, and the rows of its chart."""

    name: str  # of its elements
    question: str
    answer: str
    detail: str
    kind: ChartKind
    axis: str  # what the chart's figures are
    rows: Sequence[JsonObject]
    more: str  # the section that has all of it

    def as_json(self) -> JsonObject:
        """Return it for the page."""
        return {
            "name": self.name,
            "question": self.question,
            "answer": self.answer,
            "detail": self.detail,
            "kind": self.kind.value,
            "axis": self.axis,
            "rows": list(self.rows),
            "more": self.more,
        }


def short_answers(
    answer: Answer | None, compared: Sequence[ChartRatio], crashed: Sequence[Losses]
) -> list[ShortAnswer]:
    """Return the answers that the measurements give."""
    found = (
        safest_store(answer, compared) if answer else None,
        setting_worth(compared),
        memfile_losses(crashed),
        closest_stores(compared),
    )
    return [each for each in found if each is not None]


# ---- The fastest safe store


def safest_store(answer: Answer, compared: Sequence[ChartRatio]) -> ShortAnswer | None:
    """Return how fast the stores are with which a power cut loses nothing."""
    stores = [setup for setup in newest(alone_in_kea(answer)) if setup.loss is PowerLoss.NOTHING]
    stores.sort(key=lambda setup: -setup.renewals_per_s)
    if len(stores) < 2:
        return None
    first, second = stores[:2]
    duels = contest_of_setups(first, second, compared)
    are_apart = interval_of(first)[0] > interval_of(second)[1]
    sentence = FASTEST if are_apart or (duels and is_mostly_shown(duels)) else AS_FAST
    text = sentence.format(
        store=first.title,
        rate=three_digits(first.renewals_per_s),
        other=second.title,
        other_rate=three_digits(second.renewals_per_s),
    )
    few = any(len(rate_of(setup).points) < stats.LEAST for setup in stores)
    threads = first.first.load.threads
    connections = "one connection" if threads == 1 else f"{threads} connections"
    details = [
        SAFE.format(connections=connections, range="range of runs" if few else "95 % interval")
    ]
    if duels:
        names = duels[0].change.stores
        assert names is not None
        details.append(
            IN_TURN.format(first=names[0].plain, second=names[1].plain, ratios=span(duels))
        )
    return ShortAnswer(
        "safest", SAFEST, text, " ".join(details), ChartKind.RATES, RATE_AXIS, rate_rows(stores),
        "answer",
    )


def alone_in_kea(answer: Answer) -> list[Setup]:
    """Return Kea's stores, measured alone: for each name and loss the one that is known best."""
    return list(
        answer.best_known(
            setup
            for setup in answer.setups
            if setup.in_kea
            and setup.is_measured
            and not setup.is_server
            and setup.family == 4
            and isinstance(setup.rates.renewals, Rate)
        )
    )


def newest(setups: Iterable[Setup]) -> list[Setup]:
    """Return of several versions of a store with the same settings the newest."""
    best: dict[tuple[PowerLoss, str, str], Setup] = {}
    for setup in setups:
        key = (setup.loss, setup.plain_product, setup.label)
        if key not in best or version_order(setup) > version_order(best[key]):
            best[key] = setup
    return list(best.values())


def version_order(setup: Setup) -> tuple[int, ...]:
    """Return the numbers of a version, by which versions are in order."""
    parts = product_of(setup.first).number.split(".")
    return tuple(int(part) for part in parts if part.isdigit())


def contest_of_setups(
    first: Setup, second: Setup, compared: Sequence[ChartRatio]
) -> list[ChartRatio]:
    """Return the comparisons in which the first took turns with the second, and was faster."""
    wanted = AGAINST.join(f"{each.plain_product} {each.label}" for each in (first, second))
    return [each for each in compared if each.change.summary == wanted]


def rate_of(setup: Setup) -> Rate:
    """Return the rate of renewals, which is known."""
    assert isinstance(setup.rates.renewals, Rate)
    return setup.rates.renewals


def interval_of(setup: Setup) -> tuple[float, float]:
    """Return the 95 % interval of a rate, or the range of too few runs."""
    logs = [point.log for point in rate_of(setup).points]
    interval = stats.median_interval(logs)
    low, high = (interval.low, interval.high) if interval else (min(logs), max(logs))
    return math.exp(low), math.exp(high)


def rate_rows(setups: Iterable[Setup]) -> list[JsonObject]:
    """Return a bar for the rate of each setup."""
    return [
        {
            "label": setup.title,
            "loss": setup.loss.value,
            "value": setup.renewals_per_s,
            "interval": interval_of(setup),
            "text": f"{three_digits(setup.renewals_per_s)}/s",
        }
        for setup in setups
    ]


# ---- What a setting is worth

SETTINGS = {  # what the heading says, and the change that it is about, of which some need another
    "flush 2": ("flush 1 → 2", "flush 1 → 2 binlog 0"),
    "sync off": ("sync on → off",),
}
AXES = {
    "flush 2": "speed with flush 2, as a multiple of that with flush 1",
    "sync off": "speed with sync off, as a multiple of that with sync on",
}


def setting_worth(compared: Sequence[ChartRatio]) -> ShortAnswer | None:
    """Return what the weaker setting of the first database is worth that was measured with it."""
    for name, changes in SETTINGS.items():
        for change in changes:
            members = [each for each in compared if each.change.summary.startswith(f"{change}|")]
            if members:
                return worth_of(name, members)
    return None


def worth_of(name: str, members: Sequence[ChartRatio]) -> ShortAnswer:
    """Return what a setting is worth by the comparisons of one change."""
    by_product: dict[str, list[ChartRatio]] = {}
    for each in members:
        by_product.setdefault(each.change.summary.partition("|")[2], []).append(each)
    claims = [
        FASTER.format(product=product, ratios=span(own)) for product, own in by_product.items()
    ]
    prices = [each.change.price for each in members if each.change.price]
    lost = PRICES.get(prices[0], "") if prices else ""
    rows = [
        {**summary.as_json(), "label": summary.members[0].change.group.partition(", ")[2]}
        for summary in summaries(members)
    ]
    return ShortAnswer(
        "setting",
        WORTH.format(change=name),
        f"{', and '.join(claims)}.",
        f"{PRICE.format(lost=lost) if lost else ''} {MEANING[name]}".strip(),
        ChartKind.RATIOS,
        AXES[name],
        rows,
        "ratios",
    )


# ---- What memfile loses

POWER_CUT, KILL = "2", "1"  # levels of crashes
WRITTEN = "memfile write"  # it is not synced, as Kea does it
SLOWLY = "500/s"  # the end of the names of configurations with a load as sites have it
SLOW_RATE = "500 changes/s"
BESIDE = {  # configurations whose power cuts stand beside memfile's, with the loss of their class
    "mysql flush 2": ("flush 2", PowerLoss.LATEST),
    "mysql flush 1": ("flush 1", PowerLoss.NOTHING),
    "pgsql on": ("sync on", PowerLoss.NOTHING),
}


def memfile_losses(crashed: Sequence[Losses]) -> ShortAnswer | None:
    """Return what power cuts lost with a memfile that is written as Kea does it.

    If that was measured with few changes, the losses of others are those with as few.
    """
    cuts = {each.name: each for each in reversed(crashed) if each.level == POWER_CUT}
    kills = {each.name: each for each in crashed if each.level == KILL}
    all_written, killed = cuts.get(WRITTEN), kills.get(WRITTEN)
    if all_written is None or not all_written.lossy:
        return None
    is_slow = f"{WRITTEN}, {SLOWLY}" in cuts
    load = f", {SLOWLY}" if is_slow else ""
    written = cuts[f"{WRITTEN}{load}"]
    details = [SHARE.format(lossy=all_written.lossy, crashes=all_written.crashes)]
    rows = [loss_row("memfile, power cut", written, PowerLoss.ANY)]
    if killed is not None:
        rows.append(loss_row("memfile, only the program is killed", killed, PowerLoss.NOTHING))
        if not killed.lossy:
            details.append(KILLED)
    for name, (setting, loss) in BESIDE.items():
        beside = cuts.get(f"{name}{load}")
        if beside is not None:
            product = beside.product.split(" ")[0]
            rows.append(loss_row(f"{product} {setting}, power cut", beside, loss))
    if is_slow:
        details.append(SLOW_LOAD.format(rate=SLOW_RATE))
    sentence = LOSES if written.window_s else LOSES_ANY
    return ShortAnswer(
        "memfile",
        MEMFILE,
        sentence.format(**window_texts(written)),
        " ".join(details),
        ChartKind.CRASHES,
        CRASH_AXIS,
        rows,
        "crashes",
    )


def window_texts(losses: Losses) -> dict[str, str]:
    """Return the median and the longest time whose changes were lost."""
    return {
        "seconds": three_digits(losses.window_s or 0.0),
        "longest": three_digits(losses.longest_s or 0.0),
    }


def loss_row(label: str, losses: Losses, loss: PowerLoss) -> JsonObject:
    """Return a bar for the seconds whose leases were lost."""
    text = LOST_SOME if losses.lossy else KEPT
    if losses.lossy and losses.window_s:
        text = LOST
    return {
        "label": label,
        "loss": loss.value,
        "value": losses.window_s or 0.0,
        "interval": None,
        "text": text.format(
            lossy=losses.lossy, crashes=losses.crashes, **window_texts(losses)
        ),
    }


# ---- Whether two stores differ


def closest_stores(compared: Sequence[ChartRatio]) -> ShortAnswer | None:
    """Return whether two of Kea's safe stores differ: the two of which it is least clear."""
    pairs: dict[str, list[ChartRatio]] = {}
    for each in compared:
        if each.change.question is RatioQuestion.DATABASE and each.change.stores:
            pairs.setdefault(each.change.summary, []).append(each)
    if not pairs:
        return None
    members = min(pairs.values(), key=lambda ratios: stats.median([each.ratio for each in ratios]))
    stores = members[0].change.stores
    assert stores is not None
    first, second = stores
    shown = shown_faster(members)
    sentence = form_of_difference(members)
    rows = summaries(members)
    return ShortAnswer(
        "difference",
        REAL.format(first=first.product, second=second.product),
        sentence.format(
            first=first.plain,
            second=second.plain,
            ratios=span(members),
            shown=shown,
            count=units.plural(len(members), "comparison"),
        ),
        NOISE if any(row.null for row in rows) else NOISE_ALONE,
        ChartKind.RATIOS,
        STORE_AXIS.format(first=first.product, second=second.product),
        [{**row.as_json(), "label": row.members[0].change.work} for row in rows],
        "stores",
    )


# ---- Several comparisons


def shown_faster(members: Sequence[ChartRatio]) -> int:
    """Return how many comparisons show that the first is faster."""
    return sum(each.shown and each.ratio > 1 for each in members)


def form_of_difference(members: Sequence[ChartRatio]) -> str:
    """Return the sentence that says how surely the first is faster."""
    if is_mostly_shown(members):
        return YES
    return PARTLY if shown_faster(members) else NO


def is_mostly_shown(members: Sequence[ChartRatio]) -> bool:
    """Return whether most comparisons show that the first is faster."""
    return 2 * shown_faster(members) > len(members)


def span(members: Sequence[ChartRatio]) -> str:
    """Return "1.13" of one ratio, "1.13 to 1.38" of several."""
    low, high = (f"{end([each.ratio for each in members]):.2f}" for end in (min, max))
    return low if low == high else f"{low} to {high}"
