# SPDX-License-Identifier: ISC
"""The verdicts of a gate in the XML that build servers read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from ubench.report.gate import Judgement, Outcome
from ubench.terminal import plain, plain_lines


def write_junit(path: Path, suite_name: str, judgements: Sequence[Judgement]) -> None:
    """Write a suite with a test case for each judgement. Raises OSError.

    Texts may be of a result, and XML has no control characters.
    """
    failures = sum(judgement.outcome is not Outcome.PASSED for judgement in judgements)
    suite = ElementTree.Element(
        "testsuite", name=suite_name, tests=str(len(judgements)), failures=str(failures)
    )
    for judgement in judgements:
        case = ElementTree.SubElement(
            suite, "testcase", classname=suite_name, name=plain(judgement.name)
        )
        if judgement.outcome is not Outcome.PASSED:
            ElementTree.SubElement(case, "failure", message=plain(judgement.text))
        if judgement.figures:
            ElementTree.SubElement(case, "system-out").text = plain_lines(judgement.figures)
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def write_unfinished(path: Path) -> None:
    """Write a failure that stands until the duel has ended, so that no older verdict does."""
    unfinished = Judgement("duel", Outcome.UNDECIDED, "the duel did not come to its end")
    write_junit(path, "duel", [unfinished])
