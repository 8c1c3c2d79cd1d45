# SPDX-License-Identifier: ISC
"""All published files are read with the figures that another implementation of the reader read."""

from __future__ import annotations

from pathlib import Path

import figures
import pytest
import samples

FILES = sorted(figures.FOLDER.glob("*.txt"))


def test_there_are_files() -> None:
    assert len(FILES) >= 28


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_figures_of_a_published_file(path: Path) -> None:
    expected = path.read_text().splitlines()
    assert figures.rows(str(samples.RESULTS / f"{path.stem}.jsonl")) == expected
