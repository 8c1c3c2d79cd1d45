# SPDX-License-Identifier: ISC
"""What `compare` writes for other programs: the verdicts of its gate, and its ratios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ubench import cli, units
from ubench.errors import Problem
from ubench.report import gate
from ubench.report.comparison import Comparison, PhaseRatio, interval_text, scaled_medians, unit_of
from ubench.report.exports.ratios import Ratio, ratio_of
from ubench.report.sides import Question

# ---- The gate

GATE_TEXTS = {
    gate.Outcome.PASSED: "passed: it is not worse by more than {allowed}",
    gate.Outcome.WORSE: "not passed: it is worse by more than {allowed}",
    gate.Outcome.UNDECIDED: "too imprecise to tell",
}


def judge_lines(
    comparisons: Sequence[Comparison], question: Question, allowed: float, program: str
) -> list[gate.Judgement]:
    """Return of each line whether it is worse by more than is allowed, a share.

    Says on standard error why the gate cannot tell. Raises Problem if a candidate lacks what the
    baseline has.
    """
    for comparison in comparisons:
        if comparison.lacking:
            things = "; ".join(comparison.lacking)
            raise Problem(f"gate: {comparison.names[1]} lacks what the baseline has: {things}")
    judgements = []
    for comparison in comparisons:
        if comparison.without_figure:
            runs = units.plural(comparison.without_figure, "run")
            text = f"{runs} without the figure, such as those that were cut short; measure again"
            cli.say(program, f"gate: {comparison.names[1]}: {text}")
            judgements.append(
                gate.Judgement(comparison.names[1], gate.Outcome.UNDECIDED, text)
            )
    for name, line in named_lines(comparisons):
        judgements.append(_judge_line(name, line, question, allowed, program))
    return judgements


def _judge_line(
    name: str, line: PhaseRatio, question: Question, allowed: float, program: str
) -> gate.Judgement:
    contrast = line.contrast
    outcome = gate.judge_interval(contrast.interval, allowed, question.more_is_better)
    text = GATE_TEXTS[outcome].format(allowed=f"{allowed * 100:g} %")
    if outcome is gate.Outcome.UNDECIDED:
        text = gate.why_undecided(
            contrast,
            allowed,
            question.more_is_better,
            contrast.blocks or min(contrast.counts),
            "{} blocks or runs of each",
        )
        cli.say(program, f"gate: {name}: {text}")
    return gate.Judgement(name, outcome, text, figures_text(line, question))


# ---- Ratios for other programs


def named_lines(comparisons: Sequence[Comparison]) -> Iterator[tuple[str, PhaseRatio]]:
    """Yield each line with a name of its own: the candidate if there are several, and its case."""
    for comparison in comparisons:
        for line in comparison.lines:
            candidate = comparison.names[1] if len(comparisons) > 1 else ""
            yield ", ".join(filter(None, (candidate, line.case.name, line.phase))), line


def export_ratios(comparisons: Sequence[Comparison], question: Question) -> list[Ratio]:
    """Return the ratio of each line that has one."""
    return [
        ratio
        for name, line in named_lines(comparisons)
        for ratio in ratio_of(name, question.figure, line.contrast, medians_text(line, question))
    ]


def medians_text(line: PhaseRatio, question: Question) -> str:
    """Return both medians and the verdict: "rate: 1,000 and 1,020 oper/s; no difference shown"."""
    medians = [units.figure(each) for each in scaled_medians(line, question) if each is not None]
    unit = unit_of(line, question)
    return f"{question.figure}: {' and '.join(medians)} {unit}; {line.verdict.value}"


def figures_text(line: PhaseRatio, question: Question) -> str:
    """Return the ratio with its interval, and the medians."""
    contrast = line.contrast
    ratio = "not known" if contrast.ratio is None else f"{contrast.ratio:.4f}"
    texts = [f"{question.figure}, candidate to baseline: {ratio}"]
    if contrast.interval:
        texts.append(f"95 % interval {interval_text(contrast.interval)}")
    return "; ".join((*texts, medians_text(line, question)))
