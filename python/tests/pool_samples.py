# SPDX-License-Identifier: ISC
"""Lines of runners whose clients compete for the addresses of one pool, for tests."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

import samples
from answers import settings

Line = samples.Line
ON, OFF = "synchronous_commit=on as sync on", "synchronous_commit=off as sync off"


def pool_line(
    rate: float,
    servers: int = 1,
    allocator: str = "random",
    full: float = 0.9,
    store: str = "pgsql",
    cls: str = "power-safe",
    threads_each: int = 1,
    parameters: Mapping[str, str] | None = None,
    lost: int = 0,
    refused: int = 0,
    exchange: str = "dora",
    **members: Any,
) -> Line:
    """New clients of some servers, of whose offers some were lost or found no address."""
    count = max(2000, int(2 * rate))
    counts = {"offered": count + lost, "offered_twice": lost, "lost": lost, "lost_on_insert": lost}
    phase = samples.phase(
        exchange, rate, count, hits=count - refused, misses=refused, allocation=counts
    )
    case = {
        "workload": exchange,
        "threads": str(servers * threads_each),
        "servers": str(servers),
        "allocator": allocator,
        "full": f"{full:g}",
        "pool": "20000",
    }
    text = ON if cls == "power-safe" else OFF
    return samples.store(
        store,
        cls,
        runs=[samples.run(phase)],
        parameters={**case, **(parameters or {})},
        durability=samples.durability(cls, settings=settings(text)),
        product={"name": "PostgreSQL", "version": "18.6", "keeper": store},
        facts={"PostgreSQL": "18.6"},
        **members,
    )


def in_blocks(
    rates: Mapping[tuple[Any, ...], float],
    blocks: int = 9,
    noise: float = 0.004,
    campaign: str = "c",
    **members: Any,
) -> list[Line]:
    """Blocks of a campaign in which each case, (servers, allocator, full), has a rate."""
    chance = random.Random(1)
    return [
        pool_line(
            rate * chance.uniform(1 - noise, 1 + noise),
            *case,
            labels={"campaign": campaign, "block": str(number)},
            **members,
        )
        for number in range(blocks)
        for case, rate in rates.items()
    ]


def series(*rates: float, counts: Iterable[int] = (1, 2, 4, 8), **case: Any) -> dict[Any, float]:
    """The rates of a case with 1, 2, 4 and 8 servers, for in_blocks."""
    allocator, full = case.get("allocator", "random"), case.get("full", 0.9)
    return {(count, allocator, full): rate for count, rate in zip(counts, rates, strict=False)}
