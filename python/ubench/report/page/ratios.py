# SPDX-License-Identifier: ISC
"""What a setting is worth: ratios of duels and of the answer, with labels that people can read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from ubench import stats
from ubench.records.duel import Duel, Side
from ubench.records.observation import Observation
from ubench.report.capacity.setups import product_of
from ubench.report.capacity.verdicts import Answer, Comparison
from ubench.report.duel.statistics import DuelStatistics, is_shown
from ubench.report.stores import Version
from ubench.units import cut

Json = dict[str, Any]

LABEL_LENGTH = 70
ARROW = " → "


class Question(Enum):
    """What a comparison asks; charts have a section for each."""

    DURABILITY = "What does durability cost?"
    DATABASE = "Which database is faster?"
    VERSION = "Does the version matter?"
    THREADS = "What do more connections bring?"
    CONNECTION = "What does the connection cost?"
    SETTING = "What are other settings worth?"
    PROGRAM = "Do two builds differ?"


@dataclass(frozen=True)
class Ratio:
    """How many times as fast the second of two configurations is."""

    question: Question
    label: str
    ratio: float
    interval: stats.Interval
    null: stats.Interval | None
    shown: bool
    begun: str
    blocks: int
    source: str

    def as_json(self) -> Json:
        """The ratio for the page."""
        return {
            "question": self.question.value,
            "label": self.label,
            "ratio": round(self.ratio, 5),
            "low": round(self.interval.low, 5),
            "high": round(self.interval.high, 5),
            "null": [round(self.null.low, 5), round(self.null.high, 5)] if self.null else None,
            "shown": self.shown,
            "begun": self.begun,
            "blocks": self.blocks,
            "source": self.source,
        }


@dataclass(frozen=True)
class Change:
    """What differs between two configurations."""

    question: Question
    text: str


WORKLOADS = {
    "renew": "renewals",
    "dora": "new clients",
    "dora-known": "returning clients",
}
# Options of servers that labels of settings tell, or that bear on nothing.
TOLD_BY_LABELS = (
    "innodb-flush-log-at-trx-commit", "synchronous_commit", "innodb-doublewrite",
    "full_page_writes", "sync-binlog",
)  # fmt: skip
IRRELEVANT = ("server-id", "tls-version", "ssl", "shared_buffers", "innodb-buffer-pool-size")
PARAMETERS = {
    "threads": "threads",
    "schema": "schema",
    "compiled": "prepared statements",
    "batch": "leases in a commit",
}


def ratios(duels: Sequence[Duel], answer: Answer | None) -> list[Ratio]:
    """All ratios that have an interval, the greatest effect of each question first."""
    collected = [ratio for duel in duels for ratio in duel_ratios(duel)]
    if answer is not None:
        known = {ratio.label for ratio in collected}
        collected += [each for each in answer_ratios(answer) if each.label not in known]
    order = list(Question)
    collected.sort(key=lambda each: (order.index(each.question), -each.ratio, each.begun))
    return with_dates(collected)


def with_dates(collected: Sequence[Ratio]) -> list[Ratio]:
    """The ratios, where labels that several of them have also tell the day."""
    labels = [ratio.label for ratio in collected]
    return [
        replace(ratio, label=f"{ratio.label} ({ratio.begun[:10]})")
        if labels.count(ratio.label) > 1
        else ratio
        for ratio in collected
    ]


def duel_ratios(duel: Duel) -> Iterator[Ratio]:
    """The ratios of a duel whose sides differ. A against A is no answer to a question."""
    statistics = DuelStatistics.from_duel(duel)
    null = statistics.null()
    for number in statistics.candidates:
        contrast = statistics.contrast(number)
        change = describe_change(duel.sides[0], duel.sides[number])
        if contrast is None or contrast.interval is None or contrast.ratio is None:
            continue
        if change is None:
            continue
        yield Ratio(
            change.question,
            change.text,
            contrast.ratio,
            contrast.interval,
            null.interval if null else None,
            is_shown(contrast, null),
            duel.started_at,
            contrast.blocks,
            f"duel, {duel.source}",
        )


def answer_ratios(answer: Answer) -> Iterator[Ratio]:
    """What durability costs, and how the judged stores of one class compare."""
    judged = set(answer.judged)
    for comparison in answer.costs:
        if comparison.first in judged:
            yield from answer_ratio(comparison, Question.DURABILITY)
    for section in answer.sections:
        for comparison in section.comparisons:
            if comparison.first in judged and comparison.second in judged:
                yield from answer_ratio(comparison, Question.DATABASE)


def answer_ratio(comparison: Comparison, question: Question) -> Iterator[Ratio]:
    """The ratio of a comparison, if it has an interval."""
    first, second = comparison.first, comparison.second
    if comparison.ratio is None or comparison.interval is None or comparison.contrast is None:
        return
    if first.in_kea != second.in_kea and question is Question.DURABILITY:
        return
    if question is Question.DURABILITY:
        words = first.label, second.label
        text = f"{label_change(words[0], words[1])}, {product_text(product_of(first.first))}"
    else:
        text = f"{first.name}{ARROW}{second.name}"
    yield Ratio(
        question,
        f"{text}, renewals",
        comparison.ratio,
        comparison.interval,
        None,
        comparison.is_shown,
        first.first.started_at,
        comparison.contrast.blocks,
        f"runs in turn, {first.first.source.file}",
    )


# ---- Labels


def describe_change(first: Side, second: Side) -> Change | None:
    """What differs between two sides; None if nothing does, or one has no result."""
    a, b = first.observation, second.observation
    if a is None or b is None:
        return None
    own, other = product_of(a), product_of(b)
    changes = [*setting_changes(a, b), *parameter_changes(a, b)]
    options = option_changes(first, second)
    work = WORKLOADS.get(a.load.workload, a.load.workload)
    if own.product != other.product:
        left, right = (f"{product_text(each)}" for each in (own, other))
        return Change(Question.DATABASE, join(f"{left}{ARROW}{right}", *changes, *options, work))
    if own.number != other.number:
        versions = f"{own.product} {short(own.number)}{ARROW}{short(other.number)}"
        return Change(Question.VERSION, join(versions, *changes, *options, work))
    parts = [*changes, *options]
    if not parts:
        if first.command == second.command or first.name == second.name:
            return None
        return Change(Question.PROGRAM, join(f"{first.name}{ARROW}{second.name}", work))
    text = join(*parts, product_text(own), work)
    return Change(question_of(a, b, parts), text)


def question_of(first: Observation, second: Observation, parts: Sequence[str]) -> Question:
    """The question that a change answers."""
    if first.load.threads != second.load.threads:
        return Question.THREADS
    if any(part.startswith(("TLS", "TCP")) for part in parts):
        return Question.CONNECTION
    if list(setting_changes(first, second)):
        return Question.DURABILITY
    if any(part.startswith(("log-bin", "without log-bin", "skip-log-bin")) for part in parts):
        return Question.DURABILITY
    return Question.SETTING


def setting_changes(first: Observation, second: Observation) -> Iterator[str]:
    """The settings that decide the class, where they differ: "flush 1 → 2"."""
    own, other = (
        " ".join(each.label for each in observation.durability.settings if each.label)
        for observation in (first, second)
    )
    if own != other and (own or other):
        yield label_change(own, other)
    elif first.cls != second.cls and first.cls and second.cls and own == other:
        yield f"{first.cls.value}{ARROW}{second.cls.value}"


def label_change(own: str, other: str) -> str:
    """The change of a label, without the words that both begin with: "flush 1 → 2"."""
    first, second = own.split(), other.split()
    shared = 0
    while shared < min(len(first), len(second)) and first[shared] == second[shared]:
        shared += 1
    if shared == len(first) and shared < len(second):
        return "+ " + " ".join(second[shared:])
    if shared == len(second) and shared < len(first):
        return "without " + " ".join(first[shared:])
    return f"{own}{ARROW}{' '.join(second[shared:])}" if other else f"{own}{ARROW}default"


def parameter_changes(first: Observation, second: Observation) -> Iterator[str]:
    """The parameters of the load and of the connection that differ."""
    for name, word in PARAMETERS.items():
        own, other = first.parameters.get(name, "1"), second.parameters.get(name, "1")
        if own != other:
            yield f"{word} {own}{ARROW}{other}"
    own, other = first.parameters.get("host", ""), second.parameters.get("host", "")
    if other.startswith("/") or "socket" in second.facts.get("connection", ""):
        if not own.startswith("/") and "socket" not in first.facts.get("connection", ""):
            yield f"TCP{ARROW}Unix socket"


def option_changes(first: Side, second: Side) -> list[str]:
    """The options of servers that only one side has: "wal_compression=on"."""
    own, other = options_of(first.name), options_of(second.name)
    added = [option for option in other if option not in own]
    removed = [f"without {option}" for option in own if option not in other]
    if any("ssl" in option for option in options_of(second.name, with_all=True)):
        added.append("TLS on")
    if "taskset" in second.name and "taskset" not in first.name:
        added.append("server on one processor")
    return [*added, *removed]


def options_of(name: str, with_all: bool = False) -> list[str]:
    """The options that the name of a side has."""
    words = re.findall(r"--[a-z][\w-]*(?:=\S*)?|-c \w+=\S+", name.split(" sh -c")[0])
    options = [word.removeprefix("-c ").removeprefix("--") for word in words]
    if with_all:
        return options
    unwanted = (*TOLD_BY_LABELS, *IRRELEVANT)
    return [option for option in options if not option.startswith(unwanted)]


def join(*parts: str) -> str:
    """Parts of a label with commas between them."""
    return cut(", ".join(part for part in parts if part), LABEL_LENGTH)


def product_text(version: Version) -> str:
    """A product with the two first numbers of its version: "MariaDB 10.11"."""
    return f"{version.product} {short(version.number)}".rstrip()


def short(number: str) -> str:
    """The two first numbers of a version."""
    return ".".join(number.split(".")[:2])
