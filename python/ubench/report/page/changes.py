# SPDX-License-Identifier: ISC
"""What differs between two configurations, with labels that people can read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from ubench.records.duel import Side
from ubench.records.observation import Observation
from ubench.report.capacity.rates import Rates, Unknown
from ubench.report.capacity.setups import Setup, kea_name, power_loss, product_of
from ubench.report.grouping import make_group
from ubench.units import cut

LABEL_LENGTH = 100
ARROW = " → "
AGAINST = " against "
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
    "batch": "changes or exchanges in a commit",
}
# Labels of settings that stand alone.
IN_WORDS = {
    "binlog 0": "binary log not synced",
    "no doublewrite": "doublewrite off",
    "pages off": "full_page_writes off",
}


class RatioQuestion(Enum):
    """What a comparison asks; charts have a section for each."""

    DURABILITY = "What does durability cost?"
    DATABASE = "Which of Kea's stores is faster, if both are equally safe?"
    SAFETY = "How do Kea's stores of different durability compare?"
    OTHER = "How fast are stores that Kea cannot use?"
    VERSION = "Does the version matter?"
    THREADS = "What do more connections bring?"
    CONNECTION = "What does the connection cost?"
    SETTING = "What are other settings worth?"
    PROGRAM = "Do two builds differ?"


# Two stores are compared, which have no order; not a setting and its change.
CONTESTS = (RatioQuestion.DATABASE, RatioQuestion.SAFETY, RatioQuestion.OTHER)


class StoreName(NamedTuple):
    """A store with its settings: "MariaDB 10.11 flush 1"; without its version; its product."""

    full: str
    plain: str
    product: str


@dataclass(frozen=True)
class ConfigurationChange:
    """What differs between two configurations."""

    question: RatioQuestion
    label: str
    # The change without versions and work, by which the page adds up comparisons; "" of a change
    # that is too special for that: "PostgreSQL sync on against MariaDB flush 1".
    summary: str = ""
    group: str = ""  # the label of all comparisons that answer the same, without versions
    price: str = ""  # what a power cut loses with the second, if that is more than with the first
    stores: tuple[StoreName, StoreName] | None = None  # of a contest
    work: str = ""  # of a contest

    def turned(self) -> ConfigurationChange:
        """Return a contest with its stores the other way round."""
        assert self.stores is not None
        first, second = self.stores
        return contest(self.question, second, first, self.work)


def describe_change(first: Side, second: Side) -> ConfigurationChange | None:
    """Return what differs between two sides; None if nothing does, or one has no result."""
    a, b = first.observation, second.observation
    if a is None or b is None:
        return None
    own, other = product_of(a), product_of(b)
    work = WORKLOADS.get(a.load.workload, a.load.workload)
    options = option_changes(first, second)
    if own.product != other.product:
        telling = [option for option in options if option.startswith(("binary log", "TLS"))]
        return contest(contest_of(a, b), store_name(a), store_name(b, telling), work)
    parts = [*setting_changes(a, b), *parameter_changes(a, b), *options]
    if own.number != other.number:
        versions = f"{own.product} {short_version(own.number)}{ARROW}{short_version(other.number)}"
        label = join(versions, *parts, work)
        return ConfigurationChange(RatioQuestion.VERSION, label, group=label)
    if not parts:
        if first.command == second.command or first.name == second.name:
            return None
        label = join(f"{first.name}{ARROW}{second.name}", work)
        return ConfigurationChange(RatioQuestion.PROGRAM, label, group=label)
    return ConfigurationChange(
        question_of(a, b, parts),
        label=join(*parts, product_text(a), work),
        summary=f"{parts[0]}|{own.product}" if len(parts) == 1 else "",
        group=join(*parts, product_name(a), work),
        price=price_of(a, b),
    )


def contest(
    question: RatioQuestion, first: StoreName, second: StoreName, work: str
) -> ConfigurationChange:
    """Return two stores that were compared: "PostgreSQL sync on against MariaDB flush 1"."""
    plain = f"{first.plain}{AGAINST}{second.plain}"
    return ConfigurationChange(
        question,
        label=join(f"{first.full}{AGAINST}{second.full}", work),
        summary=plain,
        group=join(plain, work),
        stores=(first, second),
        work=work,
    )


def contest_of(first: Observation, second: Observation) -> RatioQuestion:
    """Return the question that a comparison of two stores answers."""
    if not all(setup_of(each).in_kea for each in (first, second)):
        return RatioQuestion.OTHER
    return RatioQuestion.DATABASE if first.cls is second.cls else RatioQuestion.SAFETY


def store_name(observation: Observation, options: Sequence[str] = ()) -> StoreName:
    """Return the name of a store with its settings, and the options of its server in brackets.

    Stores that Kea has not come with their class, as they have no settings that people know.
    """
    setup = setup_of(observation)
    if not setup.in_kea:
        cls = f" ({observation.cls.value})" if observation.cls else ""
        return StoreName(f"{setup.title}{cls}", f"{setup.title}{cls}", setup.title)
    logs = [option for option in options if option.startswith("binary log")]
    return StoreName(
        bracketed(f"{product_text(observation)} {setup.label}", options),
        bracketed(f"{product_name(observation)} {setup.label}", logs),
        product_name(observation),
    )


def bracketed(name: str, options: Sequence[str]) -> str:
    """Return a name with options in brackets: "MySQL flush 1 (binary log off)"."""
    return f"{name.rstrip()} ({', '.join(options)})" if options else name.rstrip()


def setup_of(observation: Observation) -> Setup:
    """Return an observation as a setup of its own, which has names."""
    return Setup(make_group([observation]), Rates(Unknown.NO_RUN, Unknown.NO_RUN))


def price_of(first: Observation, second: Observation) -> str:
    """Return what a power cut loses with the second, if that is more than with the first."""
    own, other = (power_loss(each.durability) for each in (first, second))
    return other.value if other.rank > own.rank else ""


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
