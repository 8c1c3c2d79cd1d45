# SPDX-License-Identifier: ISC
"""ubench_report plan: how many blocks, or minutes, it takes to find a difference, from the noise in
results that are there already."""

from __future__ import annotations

import math
from collections.abc import Iterable

from report import Problem, duel, figures, options, rates, results, rows, stats
from report.options import Option
from report.table import Output, Table

SUMMARY = "how long it takes to find a difference, from the noise in results"
EPILOG = """ubench_report plan --effect 5% sweep.jsonl duels.jsonl
    A difference of that size is found in about nine of ten campaigns or duels
    of that length, if nothing else is compared; of several phases in fewer."""
FOUND = 0.9  # the share of campaigns that find it
MOST = 10**6
OPTIONS = [
    Option("effect", "share", "the difference that is to be found", "SHARE", "5%", 1e-4, 1),
    options.FORMAT,
]


def needed(sd: float, effect: float) -> int | None:
    """How many pairs: the smallest n with (t(.975) + t(.9)) sd / sqrt(n) <= ln(1 + effect), where t
    has n - 2 degrees of freedom.  None: more than a million.  Source: Cohen, "Statistical Power
    Analysis for the Behavioral Sciences", section 2.4, by t instead of the normal distribution."""
    n = stats.LEAST
    while n <= MOST:
        degrees = min(n - 2, 1000)  # from there on t is normal
        t = stats.t_quantile(0.975, degrees) + stats.t_quantile(FOUND, degrees)
        least = math.ceil((t * sd / math.log1p(effect)) ** 2)
        if least <= n:
            return n
        n = n + 1 if n < 100 else max(least, n + 1)
    return None


def points_of(row: rows.Row) -> list:
    return [(math.log(results.rate(run)), rates.block_of(result)) for result, run in row.runs
            if results.rate(run) > 0]


def noise_of_row(row: rows.Row, others: Iterable[rows.Row]) -> tuple[float, str] | None:
    """The median deviation of pairs in blocks with other rows; without blocks that of two runs."""
    mine = points_of(row)
    contrasts = [stats.contrast(mine, points_of(other)) for other in others if other is not row]
    found = [made.sd for made in contrasts if made.blocks >= stats.LEAST]
    if found:
        return stats.median(found), "pairs in blocks"
    if len(mine) < stats.LEAST:
        return None
    return stats.paired([log for log, _ in mine]).sd * math.sqrt(2), "runs"


def noises(found: list[dict], duels: list[dict]) -> Iterable[tuple]:
    """The name, the noise, of what it is, and the seconds of a pair, for each row and duel."""
    for section in rows.sections(rows.without_references(found)):
        for row in section.rows:
            noise = noise_of_row(row, section.rows)
            if noise:
                seconds = stats.median([results.elapsed_ns(run) for _, run in row.runs]) / 1e9
                yield f"{row.label} ({section.heading})", *noise, 2 * seconds
    for line in duels:
        for side in duel.candidates(line):
            made = duel.estimate(line, side)
            if made and made.interval:
                yield f"{line['sides'][side]['name']} against {line['sides'][0]['name']}", \
                    made.sd, "pairs in slices", duel.seconds(line) / made.blocks


def run(values: dict, files: list[str], complain: results.Complain) -> int:
    everything, _, duels = results.read_all(files, complain)
    found = [result for result in everything if result["kind"] == "store"]
    table = Table("what is there|noise>|of|needed>|time>")
    for name, noise, kind, seconds in noises(found, duels):
        count = needed(noise, values["effect"])
        table.add(name, f"{noise * 100:.1f} %", kind, count and figures.count(count),
                  count and f"{count * seconds / 60:.1f} min")
    if not table.rows:
        raise Problem(f"no row has {stats.LEAST} runs, and no duel as many blocks: the noise is "
                      "not known")
    out = Output(values["format"])
    out.table(table)
    if out.form == "text":
        out.gap()
        out.note(f"needed: pairs, to find a difference of {values['effect'] * 100:g} % in "
                 f"about {FOUND:.0%} of all tries, if it is the only one that is compared.  "
                 "The time is that of the work alone.")
    return 0
