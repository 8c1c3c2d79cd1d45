# SPDX-License-Identifier: ISC
"""ubench_report crashes: what stores lost in the crashes of scripts/crash.

Crashes of one file, cell and level are counted together. A file is a campaign. A level has a
verdict only if the campaign's own controls passed at that level: see `Doubt`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from statistics import median
from types import MappingProxyType

from ubench import cli, stats
from ubench.errors import Problem
from ubench.records.crash import Crash
from ubench.records.observation import DurabilityClass, Observation
from ubench.records.reader import Complain, read_records
from ubench.report.options import add_files, add_format, leave_out_duels
from ubench.report.table import Output, Table, TableCell, numbers, texts

LEVELS: Mapping[str, str] = MappingProxyType(
    {
        "1": "kill -9",
        "1b": "kill -9 of a backend",
        "1c": "kill -9 of the client",
        "2": "power cut",
        "3": "bad disk",
        "4": "loss of its node",
        "4k": "kill -9 of its node",
        "4s": "SIGSTOP of its node",
        "4n": "no network of its node",
    }
)
# The classes that promise to keep every acknowledged change, by the first character of the level.
# No class promises anything about the loss of its node.
PROMISES: Mapping[str, frozenset[DurabilityClass]] = MappingProxyType(
    {
        "1": frozenset(
            {
                DurabilityClass.POWER_SAFE,
                DurabilityClass.BOUNDED,
                DurabilityClass.PROCESS_SAFE,
            }
        ),
        "2": frozenset({DurabilityClass.POWER_SAFE}),
        "3": frozenset({DurabilityClass.POWER_SAFE}),
        "4": frozenset(),
    }
)
LEVELS_OF_ONE_PROCESS = ("1b", "1c")  # judged as level 1, which needs no control that loses
NOTE = (
    "lossy: crashes after which an acknowledged change was lost or damaged. at most: the upper "
    "limit of their true share, with 95 % confidence (Clopper-Pearson). window: from the first "
    "lost change to the crash, in changes that were acknowledged during it (all of them are lost, "
    "except in crashes with holes, which kept later ones) and in time. recovery: until the store "
    "answered again. Both are medians [least-greatest]. Levels: "
    + ", ".join(f"{level} {meaning}" for level, meaning in LEVELS.items())
    + "."
)


class NoVerdict(Enum):
    """Why a level has no verdict."""

    NOTHING_LOST = "a control that must lose did not"
    SOMETHING_LOST = "a control that must not lose did"
    NO_KEEPING_CONTROL = "no control that must not lose was run"
    NO_LOSING_CONTROL = "no control that must lose was run"


@dataclass(frozen=True)
class CrashedCell:
    """The crashes of one configuration at one level, in one campaign."""

    campaign: str  # the file
    name: str
    level: str
    crashes: tuple[Crash, ...]
    doubt: NoVerdict | None = None

    @property
    def store(self) -> str:
        """The store that was crashed."""
        return self.crashes[0].store

    @property
    def judged(self) -> tuple[Crash, ...]:
        """The crashes that say something."""
        return tuple(crash for crash in self.crashes if crash.verdict != "invalid")

    @property
    def invalid(self) -> int:
        """The number of crashes that say nothing."""
        return len(self.crashes) - len(self.judged)

    @property
    def lossy(self) -> int:
        """The number of crashes after which an acknowledged change was lost or damaged."""
        return sum(crash.verdict != "kept" for crash in self.judged)

    @property
    def bound(self) -> float:
        """The upper limit of the true share of lossy crashes, with 95 % confidence."""
        return stats.binomial_upper(self.lossy, len(self.judged))

    @property
    def torn(self) -> int:
        """The number of crashes after which a part of an uncommitted transaction was there."""
        return sum(crash.torn_batches > 0 for crash in self.judged)

    def count(self, verdict: str) -> int:
        """Return the number of crashes with a verdict."""
        return sum(crash.verdict == verdict for crash in self.crashes)

    @property
    def described(self) -> Crash | None:
        """The first crash whose store told its settings, as it does once it starts again."""
        return next((crash for crash in self.judged if crash.cls is not None), None)

    @property
    def is_mixed(self) -> bool:
        """True if the settings changed between the crashes."""
        started = [crash for crash in self.judged if crash.cls is not None]
        return len({(crash.cls, _settings(crash)) for crash in started}) > 1

    @property
    def cls(self) -> DurabilityClass | None:
        """The class of durability; None if it is not known or not the same in all crashes."""
        return self.described.cls if self.described and not self.is_mixed else None

    @property
    def class_name(self) -> str:
        """The class for people; "" if it is not known."""
        if self.is_mixed:
            return "mixed"
        return self.cls.value if self.cls else ""

    @property
    def must_lose(self) -> bool:
        """True of a control that must lose at this level."""
        return self._is_control("loses at ")

    @property
    def must_keep(self) -> bool:
        """True of a control that must not lose at this level."""
        return self._is_control("keeps at ")

    def _is_control(self, begin: str) -> bool:
        control = self.crashes[0].control  # "loses at 2 3"
        return control.startswith(begin) and self.level[0] in control[len(begin) :]

    @property
    def contradicts_its_class(self) -> bool:
        """True if it lost what its class promises to keep, and the controls passed."""
        is_sure = self.doubt is None and not self.must_lose
        return is_sure and self.lossy > 0 and self.cls in PROMISES[self.level[0]]


def _settings(crash: Crash) -> str:
    """Return what tells the settings of one crash from another's: of former lines their text."""
    return crash.durability_basis or crash.durability_text


# ---- Making cells


def gather(crashes: Iterable[Crash]) -> list[CrashedCell]:
    """Put crashes together to cells, in the order of files and levels."""
    groups: dict[tuple[str, str, str], list[Crash]] = {}
    for crash in crashes:
        groups.setdefault((crash.source.file, crash.cell, crash.level), []).append(crash)
    campaigns = list(dict.fromkeys(campaign for campaign, _, _ in groups))
    levels = list(LEVELS)
    cells = [CrashedCell(*key, tuple(members)) for key, members in groups.items()]
    cells.sort(key=lambda cell: (campaigns.index(cell.campaign), levels.index(cell.level)))
    return [replace(cell, doubt=_doubt(cell.level, _beside(cell, cells))) for cell in cells]


def _beside(cell: CrashedCell, cells: Sequence[CrashedCell]) -> list[CrashedCell]:
    """Return the cells of the same campaign and level that have judged crashes."""
    place = (cell.campaign, cell.level)
    return [other for other in cells if other.judged and (other.campaign, other.level) == place]


def _doubt(level: str, cells: Sequence[CrashedCell]) -> NoVerdict | None:
    """Return why a level has no verdict, by its cells."""
    for cell in cells:
        if cell.must_lose and not cell.lossy:
            return NoVerdict.NOTHING_LOST
        if cell.must_keep and cell.lossy:
            return NoVerdict.SOMETHING_LOST
    if level in LEVELS_OF_ONE_PROCESS:
        return None
    if not any(cell.must_keep for cell in cells):
        return NoVerdict.NO_KEEPING_CONTROL
    if not any(cell.must_lose for cell in cells):
        return NoVerdict.NO_LOSING_CONTROL
    return None


# ---- Beside rates


def tested(cells: Iterable[CrashedCell], observation: Observation) -> str:
    """Return what a store lost with the product, settings and batch of an observation.

    For each level that is the cell that lost most often or, of several, the one with the fewest
    crashes, of which least is known. Returns "" if there is none.
    """
    by_level: dict[str, list[CrashedCell]] = {}
    for cell in cells:
        if cell.judged and not cell.must_lose and not cell.doubt and _is_same(cell, observation):
            by_level.setdefault(cell.level, []).append(cell)
    worst = [max(by_level[level], key=_severity) for level in LEVELS if level in by_level]
    return ", ".join(
        f"{LEVELS[cell.level]} {cell.lossy} of {len(cell.judged)} "
        f"(at most {100 * cell.bound:.3g} %)"
        for cell in worst
    )


def _severity(cell: CrashedCell) -> tuple[float, int]:
    return cell.lossy / len(cell.judged), -len(cell.judged)


def _is_same(cell: CrashedCell, observation: Observation) -> bool:
    """Return whether a cell crashed what an observation measured.

    Former lines of crashes have the text of the settings, and nothing else of them. Both lines have
    the same text if one version of a runner wrote them; otherwise this is False.
    """
    crash = cell.described
    if crash is None or cell.is_mixed:
        return False
    durability = observation.durability
    bases = (durability.basis,) if crash.durability_basis else (durability.basis, durability.text)
    return _settings(crash) in bases and (crash.store, crash.product, crash.cls, crash.batch) == (
        observation.store,
        observation.product.full_name,
        durability.cls,
        observation.load.batch,
    )


# ---- Printing


def print_contradictions(cells: Iterable[CrashedCell], out: Output) -> None:
    """Print which stores lost what they promise to keep; it bears on everything else."""
    contradictions = [cell for cell in cells if cell.contradicts_its_class]
    for cell in contradictions:
        out.warning(
            f"CONTRADICTION: {cell.name} is {cell.class_name} by its settings, and lost "
            f"acknowledged changes in {cell.lossy} of {len(cell.judged)} crashes at level "
            f"{cell.level}"
        )
    if contradictions:
        out.gap()


def print_cells(cells: Sequence[CrashedCell], out: Output) -> bool:
    """Print the cells of levels with a verdict, and why others have none.

    Returns False if there are levels without a verdict.
    """
    doubts = {(cell.campaign, cell.level): cell.doubt for cell in cells if cell.doubt}
    if out.form == "csv":
        out.table(cells_csv(cells))
        return not doubts
    for (campaign, level), doubt in doubts.items():
        out.item(f"{campaign}, level {level}: no verdict: {doubt.value}")
    table = cells_table([cell for cell in cells if not cell.doubt])
    if table.rows:
        out.tables(table)
        out.note(NOTE)
    return not doubts


def cells_table(cells: Iterable[CrashedCell]) -> Table:
    """Return a row for each cell, for people."""
    heads = ("lossy", "at most", "window [changes]", "window [ms]", "recovery [ms]")
    columns = (*texts("cell", "level", "class"), *numbers(*heads), *texts("remarks"))
    table = Table(columns, absent="-")
    for cell in cells:
        judged = cell.judged
        table.add(
            cell.name,
            cell.level,
            cell.class_name or None,
            f"{cell.lossy} of {len(judged)}" if judged else None,
            f"{100 * cell.bound:.2f} %" if judged else None,
            _spread([crash.window_operations for crash in judged], 1),
            _spread([crash.window_ns for crash in judged], 1e6),
            _spread([crash.recovery_ns for crash in judged], 1e6),
            _remark(cell),
        )
    return table


def _spread(values: Iterable[int | None], unit: float) -> TableCell | None:
    """Return the median with the least and the greatest value: "1.2 [0.9-2.0]"."""
    known = [value / unit for value in values if value is not None]
    if not known:
        return None
    middle = median(known)
    decimals = 1 if max(known) < 10 else 0
    limits = f"{min(known):.{decimals}f}-{max(known):.{decimals}f}"
    return TableCell(f"{middle:.{decimals}f} [{limits}]", middle)


def _remark(cell: CrashedCell) -> str:
    """Return whether a cell is a control, and what is special about its crashes."""
    remarks = []
    if cell.must_lose:
        remarks.append("control: must lose")
    elif cell.must_keep:
        remarks.append("control: must not lose")
    counts = (
        (cell.count("hole"), "with holes"),
        (cell.count("corrupt"), "corrupt"),
        (cell.torn, "with part of a batch"),
        (cell.invalid, "not judged"),
    )
    remarks += [f"{number} {remark}" for number, remark in counts if number]
    return ", ".join(remarks)


def cells_csv(cells: Iterable[CrashedCell]) -> Table:
    """Return a row for each cell, for programs. Doubtful levels have no figures."""
    table = Table(
        texts(
            "campaign", "cell", "level", "store", "class", "from", "judged", "lossy", "at_most",
            "holes", "corrupt", "not_judged", "doubt",
        )
    )  # fmt: skip
    for cell in cells:
        figures: tuple[int | str | None, ...] = (None, None, None, None)
        if cell.doubt is None:
            figures = (
                cell.lossy,
                f"{cell.bound:.6f}",
                cell.count("hole"),
                cell.count("corrupt"),
            )
        table.add(
            cell.campaign,
            cell.name,
            cell.level,
            cell.store,
            cell.class_name,
            cell.described.durability_text if cell.described else "",
            len(cell.judged),
            *figures,
            cell.invalid,
            cell.doubt.value if cell.doubt else None,
        )
    return table


# ---- The command


def make_parser(program: str) -> cli.Parser:
    """Return the parser of the command line."""
    parser = cli.Parser(
        program,
        "[OPTION]... FILE...",
        "Prints what stores lost in crashes. A file is a campaign; a level whose controls\n"
        "failed has no verdict, and makes the exit status 1.",
        example=f"{program} build/crash/crashes.jsonl",
    )
    add_files(parser)
    add_format(parser)
    return parser


def run(options: argparse.Namespace, complain: Complain) -> int:
    """Print the cells; 1 if a level has no verdict."""
    records = read_records(options.files, complain)
    leave_out_duels(records, complain)
    cells = gather(records.crashes)
    if not cells:
        raise Problem(f"there are no crashes in {options.files[0]}; scripts/crash makes them")
    out = Output(options.format)
    print_contradictions(cells, out)
    return 0 if print_cells(cells, out) else 1
