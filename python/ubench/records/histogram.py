# SPDX-License-Identifier: ISC
"""Times of operations, as runners count them (results/README.md: "A histogram")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Histogram:
    """Times of single operations. A quantile is None if fewer than 10 values lie beyond it."""

    count: int
    sum_ns: int
    min_ns: int
    max_ns: int
    mean_ns: float
    sd_ns: float
    quantiles_ns: Mapping[str, float | None]  # "p50", "p95", "p99", "p99.9", "p99.99"
    # The lowest value in ns of each bucket and its count, if the reader was asked for them.
    buckets: tuple[tuple[int, int], ...] = ()

    def figure(self, name: str) -> float | None:
        """Return a figure in ns by its name: a quantile's, "mean", "sd", "min" or "max"."""
        if name in self.quantiles_ns:
            return self.quantiles_ns[name]
        figures = {"mean": self.mean_ns, "sd": self.sd_ns, "min": self.min_ns, "max": self.max_ns}
        return float(figures[name])
