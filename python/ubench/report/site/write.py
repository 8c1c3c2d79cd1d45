# SPDX-License-Identifier: ISC
"""Writes the files of a site."""

from __future__ import annotations

import posixpath
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ubench.errors import Problem
from ubench.records.reader import Complain, Records
from ubench.report.page.contents import contents_of
from ubench.report.page.document import HERE as PAGE
from ubench.report.page.document import content_hash, template_environment, write_page
from ubench.report.site.documents import SiteDocument, read_documents
from ubench.report.site.index import COLUMNS, File, all_rows, read_files

HERE = Path(__file__).parent
TITLE = "DHCP lease stores, measured"
ALL = "all.html"
MARK = ".ubench-site"  # a file by which a folder is known as a site
NOT_OURS = "{folder}: the folder is not empty, and not a site of ubench; name another one"

# The way through the site: the title and the page; documents only if there are any.
WAYS = (
    ("Results", "index.html"),
    ("Charts of all results", ALL),
    ("Start", "README.html"),
    ("Choosing a store", "docs/choosing.html"),
    ("Whole servers", "docs/dhcp.html"),
    ("Measuring", "docs/measuring.html"),
    ("Crashes", "docs/crashes.html"),
    ("Method", "docs/method.html"),
    ("Published files", "results/README.html"),
    ("Contributing", "CONTRIBUTING.html"),
)


def write_site(
    folder: Path, names: Sequence[str], checkout: Path | None, complain: Complain
) -> int:
    """Write a site into a folder, and return the number of its pages.

    Raises Problem if the folder has anything else in it, or a package is missing.
    """
    files = read_files(names, complain)
    if not files:
        raise Problem(f"there are no results in {names[0]}; scripts/bench.sh measures some")
    documents = list(read_documents(checkout)) if checkout else []
    clear(folder)
    site = SiteWriter(folder, {document.path for document in documents})
    site.write_index(files)
    site.write_pages(files)
    for document in documents:
        site.write_document(document)
    copy_linked(folder, documents, checkout)
    return site.count


def clear(folder: Path) -> None:
    """Make a folder empty that has a former site. Raises Problem if it has something else."""
    if folder.exists() and any(folder.iterdir()):
        if not (folder / MARK).exists():
            raise Problem(NOT_OURS.format(folder=folder))
        folder = folder.resolve()  # a link stays, and leads to the new site
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).touch()


def copy_linked(folder: Path, documents: Sequence[SiteDocument], checkout: Path | None) -> None:
    """Copy the files that documents link to."""
    for document in documents:
        for name in document.linked:
            if checkout and not (folder / name).exists():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(checkout / name, folder / name)


@dataclass
class SiteWriter:
    """Writes pages below a folder, each with the way through the site."""

    folder: Path
    documents: set[str]
    count: int = 0

    def write(self, path: str, text: str) -> None:
        """Write a page."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        self.count += 1

    def ways(self, path: str) -> list[dict[str, Any]]:
        """Return the links that each page begins with, as seen from a page."""
        known = {"index.html", ALL, *self.documents}
        return [
            {"title": title, "link": self.link(path, target), "here": target == path}
            for title, target in WAYS
            if target in known
        ]

    @staticmethod
    def link(path: str, target: str) -> str:
        """Return the relative link from a page to another one."""
        return posixpath.relpath(target, posixpath.dirname(path) or ".")

    def render(self, template: str, path: str, **values: object) -> None:
        """Write a page from a template."""
        style = (PAGE / "page.css").read_text("utf-8") + (HERE / "site.css").read_text("utf-8")
        script = (HERE / "site.js").read_text("utf-8")
        text = template_environment(HERE).get_template(template).render(
            style=style,
            style_hash=content_hash(style),
            script=script,
            script_hash=content_hash(script),
            ways=self.ways(path),
            **values,
        )
        self.write(path, text)

    def write_index(self, files: Sequence[File]) -> None:
        """Write the index, and a copy of each file of results."""
        rows = all_rows(files)
        for file in files:
            target = self.folder / file.data
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.path, target)
        self.render(
            "index.html", "index.html", title=TITLE, columns=COLUMNS, rows=rows, files=files
        )

    def write_pages(self, files: Sequence[File]) -> None:
        """Write the page of each file, and that of all of them."""
        for file in files:
            contents = replace(contents_of(file.records), home=self.link(file.page, "index.html"))
            self.write(file.page, write_page(f"Measured: {file.name}", contents))
        together = Records(
            tuple(each for file in files for each in file.records.observations),
            tuple(each for file in files for each in file.records.duels),
            tuple(each for file in files for each in file.records.crashes),
        )
        self.write(ALL, write_page(TITLE, replace(contents_of(together), home="index.html")))

    def write_document(self, document: SiteDocument) -> None:
        """Write a document."""
        self.render("document.html", document.path, title=document.title, body=document.body)
