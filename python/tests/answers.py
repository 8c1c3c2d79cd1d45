# SPDX-License-Identifier: ISC
"""Answers for tests: lines of stores that renew and restart clients, and what a site learns."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

import samples

from ubench.report.capacity.evidence import long_enough
from ubench.report.capacity.setups import Setup
from ubench.report.capacity.site import Site
from ubench.report.capacity.verdicts import Answer, work_out

Line = samples.Line


def both(
    name: str = "memfile",
    cls: str = "power-safe",
    renewals: float = 100.0,
    restarts: float = 80.0,
    count: int = 1000,
    **members: Any,
) -> list[Line]:
    """Lines of the renewals and the restarts of a store."""
    rates = (("renew", renewals, count), ("dora-known", restarts, count))
    return [samples.store(name, cls, [rate], **members) for rate in rates]


def of_kea(keeper: str, cls: str = "power-safe", version: str = "2.2.0") -> list[Line]:
    """The same of a lease manager of Kea."""
    kind = {"pgsql": "postgresql"}.get(keeper, keeper)
    return both(
        "kea",
        cls,
        facts={"Kea": f"{version}, {kind}"},
        product={"name": "Kea", "version": version, "keeper": keeper},
    )


def settings(*texts: str) -> list[Line]:
    """Settings of a class: "name=value", or "name=value as label" if a table names it so."""
    lines = []
    for text in texts:
        setting, _, label = text.partition(" as ")
        name, _, value = setting.partition("=")
        lines.append({"name": name, "value": value, **({"label": label} if label else {})})
    return lines


def blocks(*stores: tuple[str, str, float]) -> list[Line]:
    """Nine blocks of a campaign. Each store is (name, class, renewals per second), from which a
    run differs by up to 2 per mille."""
    noise = random.Random(1)
    return [
        line
        for number in range(9)
        for name, cls, rate in stores
        for line in both(name, cls, rate * noise.uniform(0.998, 1.002), **samples.block(number))
    ]


def answer_of(
    lines: Iterable[Line], where: Sequence[tuple[str, str]] = (), **site: Any
) -> Answer:
    """The answer by these lines, of which those that are too short do not count."""
    evidence = long_enough(samples.read_lines(lines).all_observations())
    return work_out(Site(**site), evidence.observations, where, too_short=evidence.too_short)


def only_setup(lines: Iterable[Line], **site: Any) -> Setup:
    """The setup of an answer that has one."""
    (setup,) = answer_of(lines, **site).setups
    return setup


def words_of(text: str) -> str:
    """A text on one line, whatever it was folded to."""
    return " ".join(text.split())
