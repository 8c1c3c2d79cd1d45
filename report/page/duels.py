# SPDX-License-Identifier: ISC
"""Duels on the page: a chart of ratios with their intervals, the oldest first, and their table."""

from __future__ import annotations

import html
import math

from report import duel
from report.duel import FIGURES, Estimate
from report.table import Output

WIDTH, LEFT, RIGHT, ROW = 760, 260, 130, 22  # of the chart, its texts and its rows, in pixels
SPAN = math.log(1.05)  # that the axis shows at least, on either side of 1
TICKS = (0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.98, 1, 1.02, 1.05, 1.1, 1.25, 2, 5, 10)


def bars(lines: list[dict]) -> list[tuple[str, Estimate, Estimate | None]]:
    """What each bar is called, its ratio, and the null of its duel."""
    found = []
    for line in sorted(lines, key=lambda line: line["started_at"]):
        null, sides = duel.null_of(line, FIGURES["rate"]), line["sides"]
        for side in duel.candidates(line):
            one = duel.estimate(duel.slices_of(line), len(sides), side, FIGURES["rate"])
            if one and one.interval:
                name = f"{sides[side]['name']} / {sides[0]['name']}"
                found.append((f"{line['started_at'][:10]} {line['label'] or name}", one, null))
    return found


def chart(lines: list[dict]) -> str:
    """An SVG; the table below it says the same."""
    rows = bars(lines)
    if not rows:
        return ""
    most = max([SPAN, *(abs(math.log(end)) for _, *both in rows for one in both
                        if one and one.interval for end in one.interval[:2])])
    middle, scale = (LEFT + WIDTH - RIGHT) / 2, (WIDTH - LEFT - RIGHT) / 2 / most / 1.05
    height = ROW * (len(rows) + 1) + 6

    def x(ratio: float) -> str:
        return f"{middle + math.log(ratio) * scale:.1f}"

    parts = [f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img" '
             'aria-label="ratios of rates with their intervals">\n']
    for tick in (tick for tick in TICKS if abs(math.log(tick)) <= most * 1.05):
        parts.append(f'<line class="{"limit" if tick == 1 else "grid"}" x1="{x(tick)}" '
                     f'x2="{x(tick)}" y1="4" y2="{height - ROW}"/><text x="{x(tick)}" '
                     f'y="{height - 6}" text-anchor="middle">{tick:g}</text>\n')
    for i, (name, one, null) in enumerate(rows):
        y = ROW * i + 14
        short = html.escape(name if len(name) <= 42 else name[:41] + "\u2026")
        parts.append(f'<text class="axis" x="0" y="{y + 4}">{short}</text>')
        for bar, how in ((null, "null"), (one, "interval")):
            if bar and bar.interval:
                parts.append(f'<line class="{how}" x1="{x(bar.interval.low)}" '
                             f'x2="{x(bar.interval.high)}" y1="{y}" y2="{y}"/>')
        parts.append(f'<circle class="ratio" cx="{x(one.ratio)}" cy="{y}" r="4"/>'
                     f'<text x="{WIDTH - RIGHT + 8}" y="{y + 4}">'
                     f'{duel.interval_text(one.interval)}</text>\n')
    return "".join(parts) + "</svg>\n"


def write(lines: list[dict], out: Output) -> None:
    out.write('<section id="duels">\n<h2>Duels</h2>\n')
    out.note("How many times as many operations a second the second configuration did, with the "
             "95 % interval, where both worked in turn.  The grey bar is A against A: what the "
             "machine could tell apart.")
    out.write(chart(lines))
    out.table(duel.summary(lines))
    out.write("</section>\n")
