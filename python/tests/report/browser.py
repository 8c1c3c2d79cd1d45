#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Uses pages of ubench_report in a headless Chromium, as a reader would.

usage: browser.py < QUESTIONS > ANSWERS

The questions are an object of JSON: "pages" has the paths of pages, "sites" the sites to answer for
on the first one, "axe" the path of axe-core. The answers have what each page showed; "wrong" lists
what must not be.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
WIDTHS = (360, 390, 1024, 1440, 1920)
THEMES = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}  # and the page's background
PATIENCE_S = 120

# Names of controls, of charts and of tables, for who hears the page instead of seeing it.
UNLABELLED = """
const wrong = [];
for (const input of document.querySelectorAll("input, select"))
  if (!input.labels.length) wrong.push(`control without a label: ${input.id}`);
for (const canvas of document.querySelectorAll("figure:not([hidden]) .canvas:not([hidden]) canvas"))
  if (canvas.getAttribute("role") !== "img" || !canvas.getAttribute("aria-label"))
    wrong.push(`chart without a description: ${canvas.id}`);
const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map((head) => +head.tagName[1]);
levels.forEach((level, i) => {
  if (i && level > levels[i - 1] + 1) wrong.push(`heading h${level} after h${levels[i - 1]}`);
});
const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
if (new Set(ids).size !== ids.length) wrong.push("an id is there twice");
return wrong;
"""


AXE = """
const done = arguments[0];
const complaint = (rule, node) => `${rule.id}: ${node.html.slice(0, 200)}`;
axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  done(violations.flatMap((rule) => rule.nodes.slice(0, 5).map((node) => complaint(rule, node)))));
"""


# What the charts of the form show, as who hears the page is told.
BARS = """
return [...document.querySelectorAll("#answer figure:not([hidden]) canvas")]
  .map((canvas) => canvas.getAttribute("aria-label"));
"""
BATCH = """
const canvas = document.getElementById("canvas-batch");
return canvas && canvas.getAttribute("aria-label");
"""
# Where texts 50 pixels wide begin that would begin at 80, beside vertical lines.
CLEAR = "return [[200], [100], [75], [100, 140], [130]].map((lines) => clearOf(lines, 80, 50));"


class Reader:
    """A browser that shows a page."""

    def __init__(self, driver: webdriver.Chrome, path: str) -> None:
        self.driver, self.path = driver, path
        self.wrong: list[str] = []

    def open(self) -> None:
        """Show the page, and wait until all charts are drawn."""
        self.driver.get("about:blank")
        self.driver.get(f"file://{self.path}")
        self.wait(lambda: self.script("return document.documentElement.dataset.ready") == "yes")

    def script(self, text: str, *values: Any) -> Any:
        """Run a script in the page; return its result."""
        return self.driver.execute_script(text, *values)

    def wait(self, is_there: Callable[[], bool]) -> None:
        """Wait for a state."""
        end = time.monotonic() + PATIENCE_S
        while not is_there():
            if time.monotonic() > end:
                raise TimeoutError(self.path)
            time.sleep(0.05)

    def all(self, selector: str) -> list[Any]:
        """Return the elements of a selector."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        """Return the texts of the visible elements of a selector."""
        return [each.text for each in self.all(selector) if each.is_displayed()]

    def show(self, width: int, theme: str) -> None:
        """Set the width of the window and the theme of the reader."""
        command = self.driver.execute_cdp_cmd
        feature = {"name": "prefers-color-scheme", "value": theme}
        command("Emulation.setEmulatedMedia", {"features": [feature]})
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        command("Emulation.setDeviceMetricsOverride", size)


def check_widths(reader: Reader) -> None:
    """Nothing is wider than the window, and each theme has its background."""
    for theme, background in THEMES.items():
        for width in WIDTHS:
            reader.show(width, theme)
            reader.open()
            wide = reader.script("return document.documentElement.scrollWidth")
            if wide > width:
                reader.wrong.append(f"{theme}, {width} pixels: the page is {wide} pixels wide")
        colour = reader.script("return getComputedStyle(document.body).backgroundColor")
        if colour != background:
            reader.wrong.append(f"{theme}: the background is {colour}")


def short_answers(reader: Reader, width: int) -> list[float]:
    """Where each short answer ends, in pixels from the top of the page."""
    reader.show(width, "light")
    reader.open()
    ends: list[float] = reader.script(
        'return [...document.querySelectorAll(".card")].map((card) => '
        "card.getBoundingClientRect().bottom)"
    )
    return ends


def open_tables(reader: Reader) -> dict[str, list[str]]:
    """The heads of each table, after it was opened by the keyboard."""
    heads = {}
    for details in reader.all("details:has(.table)"):
        details.find_element(By.CSS_SELECTOR, "summary").send_keys(Keys.ENTER)
        name = details.get_attribute("id")
        reader.wait(lambda name=name: bool(reader.all(f"#{name} thead th")))
        heads[name] = reader.texts(f"#{name} thead th")
    return heads


def sort_table(reader: Reader) -> list[list[str]]:
    """The first column of the first table, sorted upwards and downwards."""
    if not reader.all("#table-answer"):
        return []
    orders = []
    for _ in range(2):
        reader.all("#table-answer thead button")[0].send_keys(Keys.ENTER)
        rows = reader.all("#table-answer tbody tr")
        orders.append([row.find_element(By.CSS_SELECTOR, "th").text for row in rows])
    return orders


def type_clients(reader: Reader, text: str) -> dict[str, Any]:
    """What the page says after a number of clients was typed, and after it was opened again."""
    if not reader.all("#site-clients"):
        return {}
    field = reader.all("#site-clients")[0]
    field.send_keys(Keys.CONTROL + "a" + Keys.NULL, text)
    seen = {
        "needs": reader.texts("#needs"),
        "wrong": reader.texts("#wrong-clients"),
        "sentences": reader.texts("#sentences li"),
        "invalid": field.get_attribute("aria-invalid"),
        "batch": reader.texts("#claim-batch, #batch-site, #batch-hidden"),
    }
    reader.driver.refresh()
    reader.wait(lambda: bool(reader.all("#site-clients")))
    seen["remembered"] = reader.all("#site-clients")[0].get_attribute("value")
    return seen


def check_accessible(reader: Reader, axe: str) -> None:
    """axe-core, which judges pages by the rules of WCAG, has no complaint in either theme.

    axe is its script; "" if it is not there.
    """
    if not axe:
        return
    for theme in THEMES:
        reader.show(390, theme)
        reader.open()
        # The page's policy allows no script of others; the debugger is not bound by it.
        reader.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": axe})
        reader.driver.set_script_timeout(PATIENCE_S)
        reader.wrong += [f"{theme}: {each}" for each in reader.driver.execute_async_script(AXE)]


def script_of(path: str) -> str:
    """The text of the file; "" if path is empty."""
    return Path(path).read_text(encoding="utf-8") if path else ""


def use(reader: Reader, sites: list[dict[str, Any]], axe: str) -> dict[str, Any]:
    """Use a page; return what it showed."""
    check_widths(reader)
    check_accessible(reader, axe)
    short = {str(width): short_answers(reader, width) for width in (390, 1440)}
    reader.show(1024, "light")
    reader.open()
    reader.wrong += reader.script(UNLABELLED)
    seen = {
        "short": short,
        "heads": reader.texts("h2"),
        "tables": open_tables(reader),
        "sorted": sort_table(reader),
        "findings": reader.texts(".findings li"),
        "versions": reader.texts("#versions"),
        "bars": reader.script(BARS),
        "batches": reader.script(BATCH),
        "clear": reader.script(CLEAR),
        "typed": [type_clients(reader, text) for text in ("5,000,000", "none", "40k")],
        "answers": [reader.script("return ubench.answer(arguments[0])", site) for site in sites],
    }
    reader.wrong += [entry["message"] for entry in reader.driver.get_log("browser")]
    return {**seen, "wrong": reader.wrong}


def main() -> None:
    """Use each page."""
    questions = json.load(sys.stdin)
    axe = script_of(questions["axe"])
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = Service(shutil.which("chromedriver"))
        driver = webdriver.Chrome(service=service, options=options)
        try:
            answers = [
                use(Reader(driver, path), questions["sites"] if number == 0 else [], axe)
                for number, path in enumerate(questions["pages"])
            ]
        finally:
            driver.quit()
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
