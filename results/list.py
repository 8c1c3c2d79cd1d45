#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Lists the published files: one row of Markdown for each, made from its lines.

Usage: results/list.py          print the table
       results/list.py --write  put it into results/README.md, between its two marks
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
BEGIN, END = "<!-- table: results/list.py -->", "<!-- end of the table -->"
MOST = 6  # names in a cell
KINDS = {
    "ubench-result": "runs",
    "ubench-duel": "duels",
    "ubench-kea": "whole servers",
    "ubench-crash": "crashes",
}
STORES = {"mysql": "MySQL or MariaDB", "pgsql": "PostgreSQL"}
Line = Mapping[str, Any]


@dataclass
class Published:
    """What the lines of one file have in common."""

    kinds: dict[str, int] = field(default_factory=dict)
    days: set[str] = field(default_factory=set)
    products: dict[str, None] = field(default_factory=dict)
    loads: dict[str, None] = field(default_factory=dict)

    def add(self, line: Line) -> None:
        """Add a line of any format; one of the null store only describes the machine."""
        if line.get("store") == "null":
            return
        kind = KINDS[line["format"].partition("/")[0]]
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if "started_at" in line:
            self.days.add(line["started_at"][:10])
        for name in products(line):
            self.products[name] = None
        for name in loads(line):
            self.loads[name] = None


def products(line: Line) -> Iterator[str]:
    """Yield the software that kept the leases, with its version as far as the line has it."""
    if "sides" in line:
        for side in line["sides"]:
            yield from products(side["result"])
    elif line["format"] == "ubench-kea/1":
        yield f"{'Kea' if line['server'] == 'kea' else line['server']} {line['server_version']}"
        yield store_name(line)
    elif line["format"].startswith("ubench-crash/"):
        if "product" in line:  # an invalid crash has none
            yield short(line["product"])
    elif isinstance(line.get("product"), dict):
        yield short(f"{line['product']['name']} {line['product']['version'] or ''}")
    elif line.get("facts"):
        yield short(" ".join(next(iter(line["facts"].items()))))
    else:
        yield store_name(line)


def store_name(line: Line) -> str:
    """Return the store of a line that names no product."""
    store = str(line["store"])
    return STORES.get(store, store)


def short(product: str) -> str:
    """Return the name of a product and its version, without what follows."""
    found = re.match(r"[A-Za-z][\w ]*? \d[\d.]*\d|[A-Za-z]\w*", product)
    return found[0] if found else product


def loads(line: Line) -> Iterator[str]:
    """Yield what was measured: a workload, a command of scripts/dhcp, a level of crash."""
    if "sides" in line:
        for side in line["sides"]:
            yield side["result"]["parameters"]["workload"]
    elif "command" in line:
        yield line["command"]
    elif "level" in line.get("labels", {}):
        yield f"level {line['labels']['level']}"
    else:
        yield line.get("parameters", {}).get("workload", "phases")


def cell(names: list[str]) -> str:
    """Return names with commas between; if there are many, the number of those left out."""
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def span(days: set[str]) -> str:
    """Return the days of the measurements; "published" if ubench did not measure."""
    if not days:
        return "published"
    if len(days) == 1:
        return min(days)
    return f"{min(days)} to {max(days)}"


def row(path: Path, pages: Mapping[str, str]) -> str:
    """Return the row of one file."""
    published = Published()
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            published.add(json.loads(line))
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in published.kinds.items())
    mention = re.compile(rf"(?<![\w-]){re.escape(path.name)}")
    described = [f"[{name[:-3]}]({name})" for name, text in pages.items() if mention.search(text)]
    return (f"| `{path.name}` | {kinds} | {span(published.days)} | "
            f"{cell(list(published.products))} | {cell(sorted(published.loads))} | "
            f"{cell(described)} |")


def table() -> str:
    """Return the whole table."""
    pages = {page.name: page.read_text(encoding="utf-8")
             for page in sorted(FOLDER.glob("*.md")) if page.name != "README.md"}
    rows = [row(path, pages) for path in sorted(FOLDER.glob("*.jsonl"))]
    return "\n".join(["| file | lines | from | of | what was measured | report |",
                      "|---|---|---|---|---|---|", *rows])


def main(words: list[str]) -> int:
    """Print the table, or writes it; return the exit status."""
    if words not in ([], ["--write"]):
        print(__doc__, file=sys.stderr)
        return 2
    if not words:
        print(table())
        return 0
    page = FOLDER / "README.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
