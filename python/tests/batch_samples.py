# SPDX-License-Identifier: ISC
"""Batches of clients for tests: lines with rates of closed loops, and with delays at a rate."""

from __future__ import annotations

import samples

MS = 10**6


def closed(batch: str, rate: float, exchange: str = "renew") -> samples.Line:
    return samples.store(rates=[(exchange, rate, 5000)], parameters={"batch": batch})


def at_a_rate(
    batch: str, rate: float, p99_ms: float, closed_rate: float | None = None, **members: object
) -> samples.Line:
    """1,200 requests at a rate, of which 1 % take longer, after a closed loop."""
    times = [MS] * 1180 + [int(p99_ms * MS)] * 20
    trial = samples.trial(rate, 1200, response=samples.histogram(times), **members)
    parameters = {"batch": batch, "workload": "renew", "rate": str(rate)}
    run = samples.open_run(trials=[trial])
    run["closed_loop"]["rate_per_s"] = closed_rate
    return samples.store(runs=[run], parameters=parameters)
