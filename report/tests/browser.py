#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""browser.py PAGE...: uses each page of ubench_report as a reader would, in a headless Chromium,
and prints what it saw as a list in JSON; "wrong" is what must not be.  Exit status 77 without a
browser."""
import json
import os
import shutil
import sys
import tempfile
import time

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    sys.exit(77)

FLAGS = """--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync
--disable-dev-shm-usage""".split()
CLIENTS = "1000", "20000", "1000000000"


def start(profile):
    options = webdriver.ChromeOptions()
    for flag in [*FLAGS, "--user-data-dir=" + profile]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


class Reader:
    """A browser with a page, and what is wrong with it."""

    def __init__(self, driver, path):
        self.driver, self.path, self.wrong = driver, path, []

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        return [found.text for found in self.all(selector)]

    def complain(self, what):
        self.wrong.append(what)

    def wait(self, what, condition):
        """A state is waited for, not a while."""
        for _ in range(1200):
            if condition():
                return
            time.sleep(0.1)
        self.complain(f"never seen: {what}")


def check_widths(reader):
    """Both themes, a telephone and a desk: nothing sticks out."""
    driver = reader.driver
    for theme in "light", "dark":
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": theme}]})
        for width in 390, 1280:
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
            driver.get("file://" + reader.path)
            wide = driver.execute_script("return document.documentElement.scrollWidth")
            if wide > width:
                reader.complain(f"{theme}, {width} pixels: the page is {wide} wide")
            ink = driver.execute_script("return getComputedStyle(document.body).color")
            if (ink == "rgb(26, 31, 38)") != (theme == "light"):
                reader.complain(f"{theme}: text is {ink}")


def check_axes(reader):
    """Every axis has a title; of panels, which name their rows, the lower one."""
    for chart in reader.all("figure > svg"):
        titles = [axis.text for axis in chart.find_elements(By.CSS_SELECTOR, ".axis")]
        lines = chart.find_elements(By.CSS_SELECTOR, ".line")
        if not titles[0] or (lines and not titles[1]):
            reader.complain(f"an axis without a title: {chart.get_attribute('aria-label')}")


def check_print(reader):
    reader.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    if reader.all("th button") and not reader.one("th button").is_displayed():
        reader.complain("printed tables have no heads")
    if reader.one("#filters").is_displayed():
        reader.complain("the filters are printed")
    reader.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen"})


def ask_answer(reader):
    """Sites of so many clients: the verdicts follow, and the address keeps them."""
    seen = {}
    for clients in CLIENTS if reader.all("#site input") else ():
        reader.one("[data-key=clients]").send_keys(
            Keys.CONTROL + "a" + Keys.NULL, clients, Keys.ENTER)
        seen[clients] = {"screen": reader.one("#screen").is_displayed(),
                         "lines": dict(line.split(": ", 1) for line in reader.texts("#site p")),
                         "times": reader.driver.execute_script(
                             "return [...document.querySelector('details tbody').rows].map("
                             "(row) => [...row.querySelectorAll('td')].map("
                             "(cell) => cell.textContent))")}
        reader.driver.refresh()
        if reader.one("[data-key=clients]").get_attribute("value") != clients:
            reader.complain("the address does not keep the clients")
    reader.driver.get("file://" + reader.path)
    return seen


def hover(reader):
    if not reader.all(".point"):
        return ""
    point = reader.one(".point")
    reader.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", point)
    ActionChains(reader.driver).move_to_element(point).perform()
    reader.wait("what hovering says", lambda: reader.one("#tip").text != "")
    return reader.one("#tip").text


def filter_and_reload(reader):
    """[shown before, filtered, after a reload], and how many rows of tables."""
    def count():
        return [reader.one("#count").text, len(reader.all("#tables tbody tr:not([hidden])"))]

    if not reader.all("#filters input"):
        return []
    seen = [count()]
    reader.one("#filters input").click()
    seen.append(count())
    reader.driver.refresh()
    seen.append(count())
    reader.one("#filters input").click()
    return seen


def sort(reader):
    """The last column of the last table, both ways."""
    if not reader.all("#tables table"):
        return []
    seen = []
    for _ in range(2):
        table = reader.all("#tables table")[-1]
        table.find_elements(By.CSS_SELECTOR, "th button")[-1].click()
        cells = reader.driver.execute_script(
            "return [...arguments[0].tBodies[0].rows].map((row) => row.lastChild.textContent)",
            table)
        seen.append([reader.one("th[aria-sort]").get_attribute("aria-sort"), cells])
    return seen


def choose_figure(reader):
    choices = reader.all("[data-key=figure] option")
    if len(choices) < 2:
        return ""
    choices[-1].click()
    return reader.one(".point").get_attribute("data-tip")


def use(reader):
    """Everything that is to be seen on a page."""
    check_widths(reader)
    check_axes(reader)
    check_print(reader)
    seen = {"sections": reader.texts("h2"), "answer": ask_answer(reader), "hover": hover(reader),
            "filtered": filter_and_reload(reader), "sorted": sort(reader),
            "figure": choose_figure(reader)}
    for entry in reader.driver.get_log("browser"):
        reader.complain(f"console: {entry['message']}")
    return {**seen, "wrong": reader.wrong}


def main():
    if shutil.which("chromedriver") is None:
        return 77
    with tempfile.TemporaryDirectory() as profile:
        driver = start(profile)
        try:
            json.dump([use(Reader(driver, os.path.abspath(path))) for path in sys.argv[1:]],
                      sys.stdout)
        finally:
            driver.quit()
    return 0


sys.exit(main())
