# SPDX-License-Identifier: ISC
"""What crashes lost, with those of several campaigns added up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ubench import stats
from ubench.records.decoding import JsonObject
from ubench.records.observation import DurabilityClass
from ubench.report.crashes import LEVELS, CrashedCell

POWER_SAFE = DurabilityClass.POWER_SAFE.value


@dataclass(frozen=True)
class Losses:
    """The crashes of one configuration at one level, in all campaigns whose controls passed."""

    cells: tuple[CrashedCell, ...]  # at least one

    @property
    def level(self) -> str:
        """The level of the crashes, of LEVELS."""
        return self.cells[0].level

    @property
    def name(self) -> str:
        """The name of the configuration: "mysql flush 2"."""
        return self.cells[0].name

    @property
    def store(self) -> str:
        """The store that was crashed: "mysql"."""
        return self.cells[0].store

    @property
    def product(self) -> str:
        """The product and its version: "MariaDB 10.11.19 (client 3.3.20), InnoDB"."""
        described = self.cells[0].described
        return described.product if described else ""

    @property
    def class_name(self) -> str:
        """The class of durability by the settings."""
        return self.cells[0].class_name

    @property
    def lossy(self) -> int:
        """The number of crashes that lost an acknowledged change."""
        return sum(cell.lossy for cell in self.cells)

    @property
    def crashes(self) -> int:
        """The number of crashes that say something."""
        return sum(len(cell.judged) for cell in self.cells)

    @property
    def is_control(self) -> bool:
        """True of a safe configuration whose syncs were disabled on purpose."""
        return self.class_name == POWER_SAFE and all(cell.must_lose for cell in self.cells)

    @property
    def window_s(self) -> float | None:
        """The median time from the first lost change to the crash; None if nothing was lost."""
        windows = self._windows_ns
        return float(f"{stats.median(windows) / 1e9:.3g}") if windows else None

    @property
    def longest_s(self) -> float | None:
        """The longest of these times."""
        return float(f"{max(self._windows_ns) / 1e9:.3g}") if self._windows_ns else None

    @property
    def _windows_ns(self) -> list[int]:
        return [crash.window_ns for cell in self.cells for crash in cell.judged if crash.window_ns]

    def as_json(self) -> JsonObject:
        """Return what crashes lost for the page."""
        described = self.cells[0].described
        return {
            "level": self.level,
            "cause": LEVELS[self.level],
            "name": self.name,
            "product": self.product,
            "store": self.store,
            "class": self.class_name,
            "lossy": self.lossy,
            "crashes": self.crashes,
            "control": self.is_control,
            "window_s": self.window_s,
            "bound": round(stats.binomial_upper(self.lossy, self.crashes), 5),
            "settings": described.durability_text if described else "",
        }


def add_up(cells: Iterable[CrashedCell]) -> list[Losses]:
    """Return what was lost, by level, the safest class first."""
    merged: dict[tuple[str, str, str, str], list[CrashedCell]] = {}
    for cell in cells:
        if cell.judged and cell.doubt is None:
            product = cell.described.product if cell.described else ""
            merged.setdefault((cell.level, cell.name, product, cell.class_name), []).append(cell)
    order = [cls.value for cls in DurabilityClass]
    return sorted(
        (Losses(tuple(members)) for members in merged.values()),
        key=lambda each: (
            each.level,
            -order.index(each.class_name) if each.class_name in order else 1,
            each.name,
        ),
    )
