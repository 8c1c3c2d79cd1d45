#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Sorts and filters the index of a site in a headless Chromium, as a reader would.

usage: site_browser.py INDEX AXE-CORE

Prints an object of JSON: the versions after each of two clicks on their heading, the number of rows
that may lose nothing, and what the browser complained of.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile

from browser import FLAGS, Reader, check_accessible, script_of
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys

COLUMN = """
const heads = [...document.querySelectorAll("#index thead th")];
const column = heads.findIndex((head) => head.textContent === arguments[0]);
return [...document.querySelectorAll("#index tbody tr")].filter((row) => !row.hidden)
  .map((row) => row.cells[column].textContent);
"""


def main(path: str, axe: str) -> None:
    """Use the index at a path."""
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        try:
            print(json.dumps(use(Reader(driver, path), script_of(axe))))
        finally:
            driver.quit()


def use(reader: Reader, axe: str) -> dict[str, object]:
    """Sort and filter; return what was seen."""
    check_accessible(reader, axe)
    reader.show(390, "dark")
    reader.open()
    wide = reader.script("return document.documentElement.scrollWidth")
    (button,) = (each for each in reader.all("#index thead button") if each.text == "version")
    versions = []
    for _ in range(2):
        button.send_keys(Keys.ENTER)
        versions.append(reader.script(COLUMN, "version"))
    reader.all("#loss")[0].send_keys("nothing")
    return {
        "wide": wide,
        "versions": versions,
        "losses": reader.script(COLUMN, "a power cut loses"),
        "shown": reader.texts("#shown"),
        "wrong": reader.wrong + [each["message"] for each in reader.driver.get_log("browser")],
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
