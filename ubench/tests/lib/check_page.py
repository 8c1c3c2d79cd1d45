#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""check_page.py FILE: what is wrong with a page of ubench_report, and what is
on it.  Exit status 1 if something is wrong."""
import json
import re
import sys
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img", "input"}
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "footer",
    "h1", "h2", "h3", "p", "small", "code", "div", "table", "caption", "thead",
    "tbody", "tr", "th", "td", "ul", "li", "form", "noscript", "script", "section",
}  # fmt: skip


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.ids, self.links = [], [], set(), set()
        self.headings, self.heading = [], None
        self.scripts = []
        self.counts = {}

    def complain(self, what):
        self.wrong.append(f"line {self.getpos()[0]}: {what}")

    def handle_starttag(self, tag, attrs):
        self.start(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.start(tag, attrs)

    def start(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        names = dict(attrs)
        if tag not in ALLOWED:
            self.complain(f"an element that should not be there: {tag[:40]}")
        for name, value in attrs:
            if name.startswith("on") or name in ("src", "srcset", "action"):
                self.complain(f"attribute {name}")
            if re.search(r"rgb\(", value or ""):
                self.complain(f"{name}: a colour that no theme changes")
        if "id" in names:
            if names["id"] in self.ids:
                self.complain(f"a second id {names['id']}")
            self.ids.add(names["id"])
        for name in ("href", "xlink:href"):
            if name in names:
                if not names[name].startswith("#"):
                    self.complain(f"a link to {names[name]}")
                self.links.add(names[name][1:])
        if tag == "script":
            self.scripts.append([names, ""])
        if tag in ("h1", "h2", "h3"):
            self.heading = ""

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.complain(f"</{tag}> closes {self.open[-1:]}")
        else:
            self.open.pop()
        if tag in ("h1", "h2", "h3"):
            self.headings.append(f"{tag} {self.heading}")
            self.heading = None

    def handle_data(self, data):
        if self.open[-1:] == ["style"]:
            for found in re.findall(r"//|url\(|@import", data):
                self.complain(f"a style from elsewhere: {found}")
        if self.open[-1:] == ["script"]:
            self.scripts[-1][1] += data
        if self.heading is not None:
            self.heading += data

    def check_scripts(self):
        """The data, then the script; returns the data."""
        if [names for names, _ in self.scripts] != [
                {"type": "application/json", "id": "data"}, {}]:
            self.complain(f"scripts: {[names for names, _ in self.scripts]}")
            return {}
        code = self.scripts[1][1].replace("http://www.w3.org/2000/svg", "")
        for bad in re.findall(r"https?:|innerHTML|\beval\b|\bimport\b|fetch\(", code):
            self.complain(f"the script has {bad}")
        return json.loads(self.scripts[0][1])


def main():
    with open(sys.argv[1], "rb") as file:
        raw = file.read()
    page = Page()
    text = raw.decode("utf-8")
    page.feed(text)
    page.close()
    if page.open:
        page.complain(f"never closed: {page.open}")
    if page.links - page.ids:
        page.complain(f"links to nothing: {sorted(page.links - page.ids)}")
    if not text.startswith("<!DOCTYPE html>"):
        page.complain("no doctype")
    for wanted in ('<html lang="en">', 'name="viewport"', "<title>",
                   "prefers-color-scheme"):
        if wanted not in text:
            page.complain(f"no {wanted}")
    for bad in re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text):
        page.complain(f"a control character: {bad!r}")
    if len(raw) > 3_000_000:
        page.complain(f"{len(raw)} bytes are more than 3 MB")
    data = page.check_scripts()
    for wrong in page.wrong[:20]:
        print("WRONG:", wrong)
    print("\n".join(page.headings))
    print(", ".join(f"{len(data.get(key, []))} {key}"
                    for key in ("groups", "open", "crashes", "axes")))
    return 1 if page.wrong else 0


sys.exit(main())
