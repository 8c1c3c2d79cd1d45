# SPDX-License-Identifier: ISC
"""The chart of batches of clients: rates, delays, and the best batch at every load.

The rules are those of `capacity.batches`. The page chooses the load that its site requires, or that
its reader wants to see.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ubench.records.decoding import JsonObject
from ubench.report.capacity.batches import (
    SINGLE,
    Batch,
    BatchChoice,
    OfferedRate,
    batch_choices,
    load_ranges,
)
from ubench.report.capacity.site import Demand, Site
from ubench.report.capacity.verdicts import Answer


def batches(answer: Answer) -> list[JsonObject]:
    """Return the batches of each exchange with each setup, where delays of some were measured."""
    choices = [choice for choice in batch_choices(answer) if loads_json(choice)]
    counts = Counter((choice.setup.name, choice.exchange) for choice in choices)
    return [
        choice_json(choice, counts[choice.setup.name, choice.exchange] > 1) for choice in choices
    ]


def choice_json(choice: BatchChoice, is_ambiguous: bool) -> JsonObject:
    """Return the batches of an exchange, the slowest first, and their delays at each load."""
    setup = choice.setup
    renewals = Site().exchanges(Demand.RENEWALS, setup.family)
    return {
        "name": f"{setup.name} ({setup.group.label})" if is_ambiguous else setup.name,
        "store": setup.first.keeper,
        "exchange": choice.exchange,
        "demand": "renew" if choice.exchange in renewals else "restart",  # of the page's form
        "batches": [
            {
                "title": title_of(batch.value),
                "per_s": float(f"{batch.per_s:.6g}"),
                "single": batch.value == SINGLE,
            }
            for batch in choice.batches
        ],
        "loads": loads_json(choice),
    }


def title_of(value: str) -> str:
    """Return a value of --batch in words: "1 client", "16 clients", "16 clients or 5 ms"."""
    return " or ".join(
        f"{part} client{'' if part == SINGLE else 's'}"
        if part.isdigit()
        else re.sub(r"(?<=\d)(?=[a-z])", " ", part)
        for part in value.split(",")
    )


def loads_json(choice: BatchChoice) -> list[JsonObject]:
    """Return the ranges of loads at which a delay is known: delays, and the place of the best."""
    loads = []
    every = replace(choice.batches[0], offered=offered_to_any(choice.batches))
    for low, high in load_ranges(choice.batches):
        load_per_s = math.sqrt(low * high)
        if any(batch.around(load_per_s) for batch in choice.batches):
            best = replace(choice, load_per_s=load_per_s).best
            loads.append(
                {
                    "from": low,
                    "to": high,
                    "measured": sorted({each.per_s for each in every.around(load_per_s)}),
                    "delays": [delay_json(each, load_per_s) for each in choice.batches],
                    "best": choice.batches.index(best) if best else None,
                }
            )
    return loads


def offered_to_any(measured: Sequence[Batch]) -> tuple[OfferedRate, ...]:
    """Return the rates at which clients came to any of the batches, the lowest first."""
    offered = [each for batch in measured for each in batch.offered]
    return tuple(sorted(offered, key=lambda each: each.per_s))


def delay_json(batch: Batch, load_per_s: float) -> JsonObject:
    """Return within what time 99 % are answered; None where it is not known or has no limit."""
    p99_s = batch.p99_s(load_per_s)
    is_overloaded = p99_s == math.inf
    return {"p99_s": None if is_overloaded else p99_s, "overloaded": is_overloaded}
