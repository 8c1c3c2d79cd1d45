# SPDX-License-Identifier: ISC
"""The sides of a comparison: what is compared, and which results are on each side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ubench import units
from ubench.errors import UsageError
from ubench.records.observation import Observation
from ubench.report.properties import BY_FILE, check_settings, has_all, order_of, value_of

SideSettings = tuple[tuple[str, str], ...]
SideObservations = tuple[list[Observation], list[Observation]]

SIDES = ("baseline", "candidate")
RATE = "rate"


@dataclass(frozen=True)
class Question:
    """What to compare, and what counts."""

    by: str = ""
    baseline: SideSettings = ()
    candidate: SideSettings = ()
    where: SideSettings = ()
    phases: tuple[str, ...] = ()
    figure: str = RATE
    least_effect: float = 0.03
    across_classes: bool = False

    @property
    def more_is_better(self) -> bool:
        """True of rates, False of times."""
        return self.figure == RATE


# ---- The settings of both sides


def check_question(question: Question, files: Sequence[str]) -> None:
    """Raise UsageError if the options choose no two groups, whatever the results are."""
    if question.by and question.candidate:
        raise UsageError(
            "--candidate cannot be used with --by, which makes all other values candidates; use "
            "--where to choose results"
        )
    if question.by:
        return
    if bool(question.baseline) != bool(question.candidate):
        missing = "candidate" if question.baseline else "baseline"
        raise UsageError(f"--{missing} is missing: --baseline and --candidate go together")
    if question.baseline:
        return
    if len(files) < 2:
        raise UsageError(
            f"{units.plural(len(files), 'file')}: expected two or more, or groups chosen by --by, "
            "or by --baseline and --candidate"
        )
    if files[0] in files[1:]:
        raise UsageError(
            f"{files[0]}: every result would be in both groups; use --by, or --baseline and "
            "--candidate, to choose groups within a file"
        )


def choose_sides(
    question: Question, files: Sequence[str], observations: Sequence[Observation]
) -> list[tuple[SideSettings, SideSettings]]:
    """Return the settings of each baseline and candidate; the files, if there are no options."""
    if question.by:
        return _sides_by_value(question, observations)
    if question.baseline:
        return [(question.baseline, question.candidate)]
    return [(((BY_FILE, files[0]),), ((BY_FILE, name),)) for name in files[1:]]


def _sides_by_value(
    question: Question, observations: Sequence[Observation]
) -> list[tuple[SideSettings, SideSettings]]:
    """Return each value of --by against the first, or against that of --baseline."""
    with_references = "role" in dict(question.where)
    chosen = [
        each
        for each in observations
        if has_all(each, question.where) and (with_references or not each.load.reference)
    ]
    values = {value_of(each, question.by) for each in chosen}
    known = sorted((value for value in values if value is not None), key=order_of)
    if len(known) < 2:
        number = "only one value" if known else "no value"
        raise UsageError(f"--by: the results have {number} of '{question.by}'")
    others = tuple(setting for setting in question.baseline if setting[0] != question.by)
    first = dict(question.baseline).get(question.by, known[0])
    return [
        ((*others, (question.by, first)), (*others, (question.by, value)))
        for value in known
        if value != first
    ]


# ---- Their results


def name_side(settings: SideSettings) -> str:
    """Return a side for people: its file, or "store=mysql"."""
    return ", ".join(f"{name}={value}" if name != BY_FILE else value for name, value in settings)


def members_of(
    question: Question,
    settings: tuple[SideSettings, SideSettings],
    observations: Sequence[Observation],
) -> SideObservations:
    """Return the observations of each side, of which none may be in both."""
    options = (("where", question.where), *zip(SIDES, settings, strict=True))
    for option, values in options:
        named = [setting for setting in values if setting[0] != BY_FILE]
        check_settings(option, named, observations)
    baseline, candidate = (
        [each for each in observations if has_all(each, (*question.where, *side))]
        for side in settings
    )
    for each in baseline:
        if has_all(each, settings[1]):
            raise UsageError(
                f"{each.source} is in both groups; --baseline and --candidate must exclude each "
                "other"
            )
    return baseline, candidate
