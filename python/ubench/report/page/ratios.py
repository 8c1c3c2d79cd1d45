# SPDX-License-Identifier: ISC
"""What a setting is worth: ratios of duels and of the answer, with labels that people can read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from ubench import stats
from ubench.records.decoding import JsonObject
from ubench.records.duel import Duel, Side
from ubench.records.observation import Observation
from ubench.report.capacity.rates import Rates, Unknown
from ubench.report.capacity.setups import Setup, kea_name, product_of
from ubench.report.capacity.verdicts import Answer, SpeedRatio
from ubench.report.duel.statistics import DuelStatistics, exceeds_null
from ubench.report.grouping import make_group
from ubench.units import cut

LABEL_LENGTH = 100
ARROW = " → "


class RatioQuestion(Enum):
    """What a comparison asks; charts have a section for each."""

    DURABILITY = "What does durability cost?"
    DATABASE = "Which store is faster, if both are equally safe?"
    VERSION = "Does the version matter?"
    THREADS = "What do more connections bring?"
    CONNECTION = "What does the connection cost?"
    SETTING = "What are other settings worth?"
    PROGRAM = "Do two builds differ?"
    SAFETY = "How do stores of different durability compare?"


@dataclass(frozen=True)
class ConfigurationChange:
    """What differs between two configurations."""

    question: RatioQuestion
    label: str
    # The change without versions and work, by which the page adds up comparisons; "" of a change
    # that is too special for that: "PostgreSQL sync on → MariaDB flush 1".
    summary: str = ""


@dataclass(frozen=True)
class ChartRatio:
    """How many times as fast the second of two configurations is."""

    change: ConfigurationChange
    ratio: float
    interval: stats.Interval
    null: stats.Interval | None
    shown: bool
    begun: str
    blocks: int
    source: str

    def as_json(self) -> JsonObject:
        """Return the ratio for the page."""
        return {
            "question": self.change.question.value,
            "label": self.change.label,
            "change": self.change.summary,
            "ratio": round(self.ratio, 5),
            "low": round(self.interval.low, 5),
            "high": round(self.interval.high, 5),
            "null": [round(self.null.low, 5), round(self.null.high, 5)] if self.null else None,
            "shown": self.shown,
            "begun": self.begun,
            "blocks": self.blocks,
            "source": self.source,
        }


WORKLOADS = {
    "renew": "renewals",
    "dora": "new clients",
    "dora-known": "returning clients",
}
# Options of servers that labels of settings tell, or that bear on nothing.
UNLABELLED_OPTIONS = (
    "innodb-flush-log-at-trx-commit", "synchronous_commit", "innodb-doublewrite",
    "full_page_writes", "sync-binlog", "server-id", "ssl", "shared_buffers",
    "innodb-buffer-pool-size", "enforce-gtid",
)  # fmt: skip
PARAMETERS = {
    "threads": "threads",
    "schema": "schema",
    "compiled": "prepared statements",
    "batch": "leases in a commit",
}
# Labels of settings that stand alone.
IN_WORDS = {
    "binlog 0": "binary log not synced",
    "no doublewrite": "doublewrite off",
    "pages off": "full_page_writes off",
}


def ratios(duels: Sequence[Duel], answer: Answer | None) -> list[ChartRatio]:
    """Return all ratios that have an interval, the greatest of each question first."""
    collected = [ratio for duel in duels for ratio in duel_ratios(duel)]
    if answer is not None:
        known = {ratio.change.label for ratio in collected}
        asked = {ratio.change.question for ratio in collected}
        for ratio in answer_ratios(answer):
            is_shown_by_duels = (
                ratio.change.question is RatioQuestion.DATABASE and RatioQuestion.DATABASE in asked
            )
            if ratio.change.label not in known and not is_shown_by_duels:
                known.add(ratio.change.label)
                collected.append(ratio)
    order = list(RatioQuestion)
    collected.sort(key=lambda each: (order.index(each.change.question), -each.ratio, each.begun))
    return with_dates(collected)


def with_dates(collected: Sequence[ChartRatio]) -> list[ChartRatio]:
    """Return the ratios, where labels that several of them have also tell the day."""
    labels = [ratio.change.label for ratio in collected]
    return [
        replace(ratio, change=replace(ratio.change, label=dated(ratio)))
        if labels.count(ratio.change.label) > 1
        else ratio
        for ratio in collected
    ]


def dated(ratio: ChartRatio) -> str:
    """Return the label of a ratio with its day."""
    return f"{ratio.change.label} ({ratio.begun[:10]})"


def duel_ratios(duel: Duel) -> Iterator[ChartRatio]:
    """Yield the ratios of a duel whose sides differ. A against A is no answer to a question."""
    statistics = DuelStatistics.from_duel(duel)
    null = statistics.null()
    for number in statistics.candidates:
        change = describe_change(duel.sides[0], duel.sides[number])
        contrast = statistics.contrast(number)
        if change is None or contrast is None:
            continue
        if contrast.interval is None or contrast.ratio is None:
            continue
        yield ChartRatio(
            change,
            contrast.ratio,
            contrast.interval,
            null.interval if null else None,
            exceeds_null(contrast, null),
            duel.started_at,
            contrast.blocks,
            f"duel, {duel.source}",
        )


def answer_ratios(answer: Answer) -> Iterator[ChartRatio]:
    """Yield what durability costs, and how the judged stores of one class compare."""
    for comparison in answer.costs:
        if comparison.first.in_kea:
            yield from answer_ratio(comparison, RatioQuestion.DURABILITY)
    judged = set(answer.judged)
    for section in answer.sections:
        for comparison in section.comparisons:
            first, second = comparison.first, comparison.second
            if first in judged and second in judged and first.loss is second.loss:
                yield from answer_ratio(comparison, RatioQuestion.DATABASE)


def answer_ratio(comparison: SpeedRatio, question: RatioQuestion) -> Iterator[ChartRatio]:
    """Yield the ratio of a comparison, if it has an interval."""
    contrast = comparison.contrast
    if contrast is None or contrast.ratio is None or contrast.interval is None:
        return
    first, second = comparison.first, comparison.second
    if question is RatioQuestion.DURABILITY:
        change = label_change(first.label, second.label)
        product = product_text(first.first)
        label = join(change, product, WORKLOADS["renew"])
        summary = f"{change}|{product_of(first.first).product}"
    else:
        label = join(setup_change(first.first, second.first, product_text), WORKLOADS["renew"])
        summary = setup_change(first.first, second.first, product_name)
    yield ChartRatio(
        ConfigurationChange(question, label, summary),
        contrast.ratio,
        contrast.interval,
        None,
        comparison.is_shown,
        first.first.started_at,
        contrast.blocks,
        f"runs in turn, {first.first.source}",
    )


# ---- Labels


def describe_change(first: Side, second: Side) -> ConfigurationChange | None:
    """Return what differs between two sides; None if nothing does, or one has no result."""
    a, b = first.observation, second.observation
    if a is None or b is None:
        return None
    own, other = product_of(a), product_of(b)
    work = WORKLOADS.get(a.load.workload, a.load.workload)
    options = option_changes(first, second)
    if own.product != other.product:
        is_safe_alike = a.cls is b.cls
        question = RatioQuestion.DATABASE if is_safe_alike else RatioQuestion.SAFETY
        change = setup_change(a, b, product_text)
        telling = [option for option in options if option.startswith(("binary log", "TLS"))]
        logs = [option for option in telling if option.startswith("binary log")]
        summary = ", ".join([setup_change(a, b, product_name), *logs])
        return ConfigurationChange(question, join(change, *telling, work), summary)
    parts = [*setting_changes(a, b), *parameter_changes(a, b), *options]
    if own.number != other.number:
        versions = f"{own.product} {short_version(own.number)}{ARROW}{short_version(other.number)}"
        return ConfigurationChange(RatioQuestion.VERSION, join(versions, *parts, work))
    if not parts:
        if first.command == second.command or first.name == second.name:
            return None
        programs = f"{first.name}{ARROW}{second.name}"
        return ConfigurationChange(RatioQuestion.PROGRAM, join(programs, work))
    summary = f"{parts[0]}|{own.product}" if len(parts) == 1 else ""
    label = join(*parts, product_text(a), work)
    return ConfigurationChange(question_of(a, b, parts), label, summary)


def setup_change(
    first: Observation, second: Observation, name_of: Callable[[Observation], str]
) -> str:
    """Return two stores with their settings: "MariaDB 10.11 flush 1 → PostgreSQL 15.18 sync on"."""
    return ARROW.join(product_with_settings(name_of(each), each) for each in (first, second))


def product_with_settings(product: str, observation: Observation) -> str:
    """Return a product with the settings of an observation: "MariaDB flush 1"."""
    setup = Setup(make_group([observation]), Rates(Unknown.NO_RUN, Unknown.NO_RUN))
    return f"{product} {setup.label}".rstrip() if setup.in_kea else setup.name


def question_of(first: Observation, second: Observation, parts: Sequence[str]) -> RatioQuestion:
    """Return the question that a change answers."""
    if first.load.threads != second.load.threads:
        return RatioQuestion.THREADS
    if any(part.startswith(("TLS", "TCP")) for part in parts):
        return RatioQuestion.CONNECTION
    has_log = any(part.startswith("binary log") for part in parts)
    if has_log or list(setting_changes(first, second)):
        return RatioQuestion.DURABILITY
    return RatioQuestion.SETTING


def setting_changes(first: Observation, second: Observation) -> Iterator[str]:
    """Yield the settings that decide the class, where they differ: "flush 1 → 2"."""
    own, other = (
        " ".join(each.label for each in observation.durability.settings if each.label)
        for observation in (first, second)
    )
    if own != other:
        yield label_change(own, other)
    elif first.cls is not second.cls and first.cls and second.cls:
        yield f"{first.cls.value}{ARROW}{second.cls.value}"


def label_change(own: str, other: str) -> str:
    """Return the change of a label, without the words that both begin with: "flush 1 → 2"."""
    first, second = own.split(), other.split()
    shared = 0
    while shared < min(len(first), len(second)) and first[shared] == second[shared]:
        shared += 1
    added, removed = " ".join(second[shared:]), " ".join(first[shared:])
    if not removed:
        return IN_WORDS.get(added, added)
    if not added:
        return f"without {IN_WORDS.get(removed, removed)}"
    return f"{own}{ARROW}{added}"


def parameter_changes(first: Observation, second: Observation) -> Iterator[str]:
    """Yield the parameters of the load and of the connection that differ."""
    for name, word in PARAMETERS.items():
        own, other = first.parameters.get(name, ""), second.parameters.get(name, "")
        if own != other and own and other:
            yield f"{word} {own}{ARROW}{other}"
    if uses_socket(second) and not uses_socket(first):
        yield f"TCP{ARROW}Unix socket"


def uses_socket(observation: Observation) -> bool:
    """Return whether the runner reached its database by a socket of the machine."""
    connection = observation.facts.get("connection", "")
    return observation.parameters.get("host", "").startswith("/") or "socket" in connection


def option_changes(first: Side, second: Side) -> list[str]:
    """Return the options of servers that only one side has: "wal_compression=on"."""
    own, other = options_of(first.name), options_of(second.name)
    added = [in_words(option) for option in other if option not in own]
    removed = [in_words(option, is_removed=True) for option in own if option not in other]
    has_tls = "ssl" in second.name and "ssl" not in first.name
    on_one = "taskset" in second.name and "taskset" not in first.name
    special = (("TLS on", has_tls), ("server on one processor", on_one))
    changes = [*added, *removed, *(text for text, is_there in special if is_there)]
    return list(dict.fromkeys(change for change in changes if change))


def options_of(name: str) -> list[str]:
    """Return the options of the server in the name of a side, but those that labels tell."""
    server, _, _ = name.partition(" sh -c")
    words = re.findall(r"--[a-z][\w-]*(?:=\S*)?|-c \w+=\S+", server)
    options = [word.removeprefix("-c ").removeprefix("--") for word in words]
    return [option for option in options if not option.startswith(UNLABELLED_OPTIONS)]


def in_words(option: str, is_removed: bool = False) -> str:
    """Return an option as people say it."""
    if option in ("log-bin", "skip-log-bin"):
        is_on = (option == "log-bin") is not is_removed
        return "binary log on" if is_on else "binary log off"
    if option == "tls-version=":  # allows none
        return "" if is_removed else "TLS off"
    return f"without {option}" if is_removed else option


def join(*parts: str) -> str:
    """Return parts of a label with commas between them."""
    return cut(", ".join(part for part in parts if part), LABEL_LENGTH)


def product_text(observation: Observation) -> str:
    """Return a product with the two first numbers of its version: "MariaDB 10.11"."""
    version = product_of(observation)
    if version.product.startswith("kea"):
        return f"{kea_name(observation)} of Kea {short_version(version.number)}"
    return f"{version.product} {short_version(version.number)}".rstrip()


def product_name(observation: Observation) -> str:
    """Return a product without its version: "MariaDB"."""
    product = product_of(observation).product
    if product.startswith("kea"):
        return kea_name(observation) or product
    return product


def short_version(number: str) -> str:
    """Return the two first numbers of a version."""
    return ".".join(number.split(".")[:2])
