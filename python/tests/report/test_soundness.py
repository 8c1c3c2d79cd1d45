# SPDX-License-Identifier: ISC
"""The turns of a duel: clients that wait for one commit wait at the same time."""

from __future__ import annotations

import pytest
import samples

from ubench.records.duel import Slice
from ubench.report.duel import soundness


@pytest.mark.parametrize(
    ("name", "batch", "is_possible"),
    [("renew", "1", False), ("renew", "16", True), ("renew", "5ms", True), ("update", "16", False)],
)
def test_the_waits_of_a_batch_overlap(name: str, batch: str, is_possible: bool) -> None:
    line = samples.store(
        runs=[samples.run(samples.phase(name, 1000, 100), turns=1)], parameters={"batch": batch}
    )
    turn = Slice(0, 100, 10**8, 10**6, None, None, 10**7, 2 * 10**7)
    why = soundness.why_contradicts(samples.observe(line), [turn])
    assert ("half of 100 operations" not in why) == is_possible
