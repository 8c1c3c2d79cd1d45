# SPDX-License-Identifier: ISC
"""The rows of the site's index: a store with its settings, on a machine, in a file of results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ubench import stats, units
from ubench.records.observation import Observation
from ubench.records.reader import Complain, Records, read_records
from ubench.report.capacity.rates import Rate
from ubench.report.capacity.setups import PowerLoss, Setup, product_of
from ubench.report.capacity.site import Demand
from ubench.report.page.contents import answer_of

CONTRIBUTED = "contributed"
UNKNOWN = "not known"

LOSSES = {
    PowerLoss.NOTHING: "nothing",
    PowerLoss.LATEST: "about a second",
    PowerLoss.LATEST_OR_KILL: "about a second, also if killed",
    PowerLoss.ANY: "any number",
    PowerLoss.ANY_OR_KILL: "any number, also if killed",
    PowerLoss.UNKNOWN: UNKNOWN,
}


@dataclass(frozen=True)
class IndexCell:
    """A cell of the table: its text, and what to sort by if that is not the text."""

    text: str
    key: float | str = ""

    @property
    def is_number(self) -> bool:
        """Whether it is sorted as a number."""
        return isinstance(self.key, float)


@dataclass(frozen=True)
class Row:
    """A store with its settings, on a machine."""

    store: str
    cells: tuple[IndexCell, ...]  # of COLUMNS
    file: File
    loss: str  # of the style: "nothing", "latest", "any", "unknown"


COLUMNS = (
    "renewals/s", "restarts/s", "a power cut loses", "server", "version", "processor", "disk",
    "a sync takes", "measured",
)  # fmt: skip


@dataclass(frozen=True)
class File:
    """A file of results, and its page in the site."""

    path: Path
    records: Records

    @property
    def name(self) -> str:
        """Its name without its suffix."""
        return self.path.stem

    @property
    def is_contributed(self) -> bool:
        """Whether somebody else measured it."""
        return self.path.parent.name == CONTRIBUTED

    @property
    def page(self) -> str:
        """The path of its page below the site's root."""
        return f"{CONTRIBUTED if self.is_contributed else 'files'}/{self.name}.html"

    @property
    def data(self) -> str:
        """The path of its copy below the site's root."""
        return f"{CONTRIBUTED if self.is_contributed else 'results'}/{self.path.name}"

    @property
    def contents(self) -> str:
        """How much of what it has: "12 runs, 2 duels"."""
        servers = sum(each.server is not None for each in self.records.observations)
        amounts = {
            "result": len(self.records.observations) - servers,
            "whole server": servers,
            "duel": len(self.records.duels),
            "crash": len(self.records.crashes),
        }
        texts = [counted(amount, word) for word, amount in amounts.items() if amount]
        return ", ".join(texts)

    @property
    def day(self) -> str:
        """The day of its first measurement; "" if others published it."""
        begun = [each.started_at for each in self.records.all_observations()]
        begun += [each.started_at for each in self.records.crashes]
        return min(filter(None, begun), default="")[:10]


def counted(amount: int, word: str) -> str:
    """Return an amount of things: "1 crash", "3,390 crashes"."""
    plural = f"{word}es" if word.endswith("sh") else f"{word}s"
    return f"{amount:,} {word if amount == 1 else plural}"


def read_files(names: Sequence[str], complain: Complain) -> list[File]:
    """Return the files that have a result, the newest first."""
    files = [File(Path(name), read_records([name], complain)) for name in names]
    return sorted((file for file in files if file.records), key=lambda file: file.day, reverse=True)


# ---- Rows


def rows_of(file: File) -> list[Row]:
    """Return the rows of a file: each store that was measured in it, the fastest safe one first."""
    answer = answer_of([each for each in file.records.all_observations() if not is_slowed(each)])
    if answer is None:
        return []
    known = [each for each in answer.setups if each.is_measured and each.rates.known]
    ordered = sorted(known, key=lambda each: (each.loss.rank, -each.renewals_per_s))
    return [row_of(file, setup) for setup in ordered]


def is_slowed(observation: Observation) -> bool:
    """Return whether its network or its disk was made slower, to see what that costs."""
    return any(
        observation.labels.get(name, "0").strip("0.mus") != "" for name in ("delay", "sync_delay")
    )


def all_rows(files: Sequence[File]) -> list[Row]:
    """Return the rows of all files: what loses nothing first, and of these the fastest."""
    rows = [row for file in files for row in rows_of(file)]
    return sorted(rows, key=lambda row: (row.cells[2].key, -float(row.cells[0].key)))


def row_of(file: File, setup: Setup) -> Row:
    """Return the row of a store."""
    product, first = product_of(setup.first), setup.first
    cells = (
        *(rate_cell(setup, demand) for demand in Demand),
        IndexCell(LOSSES[setup.loss], str(setup.loss.rank)),
        IndexCell(product.product),
        IndexCell(product.number or UNKNOWN, version_key(product.number)),
        IndexCell(processor(first)),
        IndexCell(disk(first)),
        sync_cell(setup.observations),
        IndexCell(first.started_at[:10]),
    )
    name = f"whole server: {setup.name}" if setup.is_server else setup.name
    return Row(name, cells, file, setup.loss.value.partition(",")[0])


def rate_cell(setup: Setup, demand: Demand) -> IndexCell:
    """Return a rate, or that it was not measured."""
    rate = setup.rates.demand(demand)
    if isinstance(rate, Rate):
        return IndexCell(units.figure(rate.per_s), rate.per_s)
    return IndexCell("", 0.0)


def processor(observation: Observation) -> str:
    """Return the processor and its cores: "AMD EPYC, 2 cores"."""
    host = observation.host
    cores = f"{host['cores']} cores" if "cores" in host else ""
    return ", ".join(filter(None, (host.get("cpu", UNKNOWN), cores)))


def disk(observation: Observation) -> str:
    """Return the disk and its file system: "vda, ext4"; a whole server does not tell it."""
    host = observation.host
    parts = [host.get(name, "") for name in ("device", "file_system")]
    return ", ".join(filter(None, parts)) or UNKNOWN


def sync_cell(observations: Sequence[Observation]) -> IndexCell:
    """Return the median time of a sync on the disk."""
    times = [ns for each in observations if (ns := each.baselines.fdatasync_ns) is not None]
    if not times:
        return IndexCell(UNKNOWN, 0.0)
    median = stats.median(times)
    return IndexCell(f"{units.figure(median / 1000)} us", median)


def version_key(version: str) -> str:
    """Return a text that sorts as versions do: "9.7.4" before "10.11.19"."""
    return ".".join(part.zfill(5) for part in version.split("."))
