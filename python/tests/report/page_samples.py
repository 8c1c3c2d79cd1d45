# SPDX-License-Identifier: ISC
"""Results for pages, and the pages of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
import samples
from batch_samples import at_a_rate, closed

from ubench.report.page import document
from ubench.report.page.contents import contents_of
from ubench.report.page.document import write_page

pytest.importorskip("jinja2")
if not any(path.is_file() for path in document.CHART_JS):
    pytest.skip("Chart.js is not installed", allow_module_level=True)

TEXT = "</script><script>alert(1)</script>"


def exchanges(store: str, cls: str, rate: float, **members: Any) -> list[samples.Line]:
    """Lines with a rate of renewals and of restarts."""
    return [
        samples.store(store, cls, [(work, rate, 10**6)], **members)
        for work in ("renew", "dora-known")
    ]


def replay_with_activity(store: str) -> samples.Line:
    """A line of a replay of some seconds, with what the store did meanwhile."""
    activity = {
        "second": [0, 1, 2, 3, 4],
        "written_bytes": [0, 5000, 9000, None, 90_000],
        "checkpoints": [0, 0, 1, 1, 2],
        "store_bytes": [10**6, 10**6, 2 * 10**6, 2 * 10**6, 10**6],
    }
    phase = samples.phase("replay-renew", 100, 400, series=[[100, 2e6]] * 4)
    return samples.store(store, "power-safe", runs=[samples.run(phase, activity=activity)])


WHERE = {
    "whole_us": 2000,
    "parts": [
        {"name": "outside", "us": 300},
        {"name": "server", "us": 900},
        {"name": "statement", "us": 400, "count": 7, "statement": "SELECT lease4 by address"},
        {"name": "sync", "us": 300, "count": 1},
    ],
    "within": [],
    "unknown": [],
}
RESULTS = [
    *exchanges("memfile", "process-safe", 9e5),
    *exchanges("sqlite", "power-safe", 150),
    *exchanges("mysql", "bounded", 4000),
    *exchanges("pgsql", "power-safe", 2000, parameters={"threads": "4"}),
    *exchanges("pgsql", "power-safe", 1000),
    samples.server(rate=1000, threads=4, trials=[samples.server_trial(1000, 4000)]),
    samples.server(
        rate=1100, where=True, trials=[samples.server_trial(1100, 4400, where=WHERE)]
    ),
    replay_with_activity("sqlite"),
    replay_with_activity("pgsql"),
    samples.duel(samples.even_slices(8, (100, 110, 100)), sides=3, twin=True),
    *samples.controls(),
    *samples.many(samples.crash("x", cls="process-safe", verdict="lost", lost=30), 3),
]
BATCHES = [
    closed("1", 400), closed("8", 1200), closed("32,5ms", 900), closed("64", 1300),
    *(at_a_rate("1", rate, 4) for rate in (5, 20)),
    at_a_rate("8", 5, 300), at_a_rate("8", 20, 40),
    at_a_rate("32,5ms", 5, 9), at_a_rate("32,5ms", 20, 8),
    *(at_a_rate("64", rate, 1, verdict="saturated") for rate in (5, 20)),
]  # fmt: skip
HOSTILE = [
    samples.store(
        facts={"memfile": '"><img src=x onerror=1> https://evil.example/\u0001'},
        host={"cpu": "0" * 500, "cores": "<!-- & \u202e"},
    ),
    samples.store("sqlite", facts={"ünïcödé": TEXT}, labels={"a": TEXT}),
    samples.crash(TEXT, verdict="lost", lost=1),
]
MANY = [
    samples.store("mysql", rates=[("renew", 1000 + number)], parameters={"count": str(number)})
    for number in range(1, 1001)
]


def page_of(lines: Iterable[samples.Line], title: str = "A page") -> str:
    return write_page(title, contents_of(samples.read_lines(lines)))
