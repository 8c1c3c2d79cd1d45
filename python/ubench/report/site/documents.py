# SPDX-License-Identifier: ISC
"""The documents of a checkout as HTML, with links that lead to pages of the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ubench.errors import Problem

NO_MARKDOWN = (
    "the Python module markdown_it is missing, which makes documents; install python3-markdown-it"
)
PATTERNS = ("*.md", "docs/*.md", "results/**/*.md", "container/*.md")
RELATIVE = re.compile(r'(href|src)="(?![a-z]+:|#)([^"#]+)(#[^"]*)?"')
HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)
TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class SiteDocument:
    """A document: its path below the root of the site, without suffix, and its HTML."""

    path: str  # "docs/choosing.html"
    title: str
    body: str
    linked: tuple[str, ...]  # files of the checkout that it links to, which are not documents


def read_documents(root: Path) -> Iterator[SiteDocument]:
    """Yield all documents of a checkout. Raises Problem if markdown_it is not installed."""
    try:
        from markdown_it import MarkdownIt  # noqa: PLC0415 - only documents need it
    except ImportError:
        raise Problem(NO_MARKDOWN) from None
    render: Callable[[str], str] = MarkdownIt("commonmark").enable("table").render
    for pattern in PATTERNS:
        for path in sorted(root.glob(pattern)):
            text = path.read_text(encoding="utf-8")
            yield make_document(root, path.relative_to(root).as_posix(), render(text))


def make_document(root: Path, name: str, body: str) -> SiteDocument:
    """Return a document of the HTML that Markdown gave."""
    linked: list[str] = []
    folder = posixpath.dirname(name)

    def lead(found: re.Match[str]) -> str:
        attribute, target, anchor = found[1], found[2], found[3] or ""
        if target.endswith(".md"):
            return f'{attribute}="{target[:-3]}.html{anchor}"'
        path = posixpath.normpath(posixpath.join(folder, target))
        if (root / path).is_file():
            linked.append(path)
        return found[0]

    body = RELATIVE.sub(lead, with_anchors(body))
    body = TABLE.sub(with_scroll, body)
    first = HEADING.search(body) or re.search(r"<h(1)[^>]*>(.*?)</h1>", body)
    title = TAG.sub("", first[2]) if first else name
    return SiteDocument(f"{name[:-3]}.html", title, body, tuple(dict.fromkeys(linked)))


def with_anchors(body: str) -> str:
    """Give each heading the anchor that GitHub gives it."""
    return HEADING.sub(
        lambda found: f'<h{found[1]} id="{anchor_of(found[2])}">{found[2]}</h{found[1]}>', body
    )


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading: small letters, hyphens for blanks, nothing else."""
    text = re.sub(r"&[a-z]+;", "", TAG.sub("", heading)).lower()
    return re.sub(r"[^\w -]", "", text).replace(" ", "-")


def with_scroll(table: re.Match[str]) -> str:
    """Put a table into an element that scrolls, so that the page does not."""
    text = re.sub(r"<thead>\s*<tr>\s*(?:<th[^>]*></th>\s*)+</tr>\s*</thead>", "", table[0])
    return f'<div class="table" role="region" aria-label="Table" tabindex="0">{text}</div>'
