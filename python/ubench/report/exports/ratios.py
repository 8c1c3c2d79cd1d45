# SPDX-License-Identifier: ISC
"""Ratios in the formats of tools that keep a history of benchmarks.

Bencher Metric Format: https://bencher.dev/docs/reference/bencher-metric-format. The JSON of
github-action-benchmark, tools customBiggerIsBetter and customSmallerIsBetter:
https://github.com/benchmark-action/github-action-benchmark. A ratio to a baseline that worked at
the same time is what both can keep: absolute figures of different days differ by their days.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ubench import cli, files, stats
from ubench.records.decoding import JsonObject

NAME_MAX = 1024  # characters of a benchmark's name, by the reference of Bencher
UNIT = "ratio"


@dataclass(frozen=True)
class Ratio:
    """What something does of a figure, divided by what its baseline does."""

    name: str
    figure: str  # "rate", "p50": the measure of Bencher is "rate-ratio"
    value: float
    interval: stats.Interval | None
    note: str = ""  # what the ratio is of, and the medians


def ratio_of(name: str, figure: str, contrast: stats.Contrast, note: str = "") -> list[Ratio]:
    """Return the ratio of a contrast; nothing if it has none."""
    if contrast.ratio is None:
        return []
    return [Ratio(name, figure, contrast.ratio, contrast.interval, note)]


# ---- Formats


def bencher_metrics(ratios: Sequence[Ratio]) -> JsonObject:
    """Return ratios in Bencher Metric Format; without an interval there are no limits."""
    metrics: JsonObject = {}
    for ratio in ratios:
        metric = {"value": ratio.value}
        if ratio.interval:
            metric["lower_value"] = ratio.interval.low
            metric["upper_value"] = ratio.interval.high
        metrics.setdefault(ratio.name[:NAME_MAX], {})[f"{ratio.figure}-ratio"] = metric
    return metrics


def action_benchmarks(ratios: Sequence[Ratio]) -> list[JsonObject]:
    """Return ratios as entries of github-action-benchmark, all of one figure."""
    entries = []
    for ratio in ratios:
        entry: JsonObject = {"name": ratio.name, "unit": UNIT, "value": ratio.value}
        if ratio.interval:
            low, high = ratio.interval.low, ratio.interval.high
            entry["range"] = f"{low:.4g} to {high:.4g}"
        if ratio.note:
            entry["extra"] = ratio.note
        entries.append(entry)
    return entries


# ---- Options and files


def add_exports(parser: cli.OptionGroup) -> None:
    """Add --bencher and --action-benchmark."""
    parser.add_argument(
        "--bencher",
        metavar="FILE",
        type=files.replaceable_file,
        help="write the ratios with their intervals in Bencher Metric Format",
    )
    parser.add_argument(
        "--action-benchmark",
        metavar="FILE",
        type=files.replaceable_file,
        help="write them as JSON for github-action-benchmark",
    )


@dataclass(frozen=True)
class ExportFiles:
    """The files to write ratios to; None is not asked for."""

    bencher: Path | None = None
    action_benchmark: Path | None = None

    @classmethod
    def from_options(cls, options: argparse.Namespace) -> ExportFiles:
        """Return the files that the options name."""
        return cls(options.bencher, options.action_benchmark)

    def __bool__(self) -> bool:
        """Return whether there is a file to write."""
        return self.bencher is not None or self.action_benchmark is not None

    def write(self, ratios: Sequence[Ratio]) -> None:
        """Write each file that was asked for. Raises OSError.

        Of several ratios with one name, such as nightly duels, the last one counts.
        """
        ratios = list({ratio.name: ratio for ratio in ratios}.values())
        if self.bencher is not None:
            _write_json(self.bencher, bencher_metrics(ratios))
        if self.action_benchmark is not None:
            _write_json(self.action_benchmark, action_benchmarks(ratios))


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
