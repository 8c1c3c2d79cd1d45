#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""check_browser.py PAGE: uses a page of ubench_report as a reader would, in a
headless Chromium, and prints what was seen.  Exit status 77 without a browser."""
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


def start(profile):
    options = webdriver.ChromeOptions()
    for flag in [*FLAGS, "--user-data-dir=" + profile]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")),
                            options=options)


def wait(what, condition):
    """A state is waited for, not a while."""
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.1)
    print("WRONG: never seen:", what)


def texts(driver, selector):
    return [found.text for found in driver.find_elements(By.CSS_SELECTOR, selector)]


def check_widths(driver, path):
    """Both themes, a telephone and a desk: nothing sticks out."""
    for theme in "light", "dark":
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": theme}]})
        for width in 390, 1280:
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
            driver.get("file://" + path)
            wide = driver.execute_script("return document.documentElement.scrollWidth")
            if wide > width:
                print(f"WRONG: {theme}, {width} pixels: the page is {wide} wide")
            ink = driver.execute_script("return getComputedStyle(document.body).color")
            if (ink == "rgb(26, 31, 38)") != (theme == "light"):
                print(f"WRONG: {theme}: text is {ink}")


def check_hover(driver):
    point = driver.find_element(By.CSS_SELECTOR, ".point")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", point)
    ActionChains(driver).move_to_element(point).perform()
    tip = driver.find_element(By.ID, "tip")
    wait("what hovering says", lambda: "per second" in tip.text)
    print("hover:", tip.text.split("\n")[0])


def check_answer(driver):
    """A site of so many clients: the verdicts follow, and the address keeps it."""
    def ask(clients):
        driver.find_element(By.CSS_SELECTOR, "[data-key=clients]").send_keys(
            Keys.CONTROL + "a" + Keys.NULL, clients, Keys.ENTER)
        return ", ".join(texts(driver, "#site td:nth-child(3)"))

    if driver.find_elements(By.ID, "site"):
        for clients in "1000", "1000000000":
            print("for", clients, "clients:", ask(clients))
            print("and in words:",
                  driver.find_element(By.CSS_SELECTOR, "#site .answer").text[:250])
        driver.refresh()
        print("kept:", driver.find_element(By.CSS_SELECTOR, "[data-key=clients]")
              .get_attribute("value"))
        driver.get(driver.current_url.split("#")[0])


def check_filter(driver):
    count = driver.find_element(By.ID, "count")
    print("before:", count.text)
    if not driver.find_elements(By.CSS_SELECTOR, "#filters input"):
        return
    driver.find_elements(By.CSS_SELECTOR, "#filters input")[0].click()
    print("filtered:", count.text)
    address = driver.current_url.split("#")[-1]
    print("address:", address)
    driver.refresh()
    print("after a reload:", driver.find_element(By.ID, "count").text)
    took = driver.execute_script(
        "const before = performance.now();"
        "document.querySelector('#filters input').click();"
        "return performance.now() - before")
    print(f"filtered again in {took:.0f} ms", file=sys.stderr)


def check_sort(driver):
    heads = driver.find_elements(By.CSS_SELECTOR, "th button")
    if not heads:
        return
    heads[-1].click()
    print("sorted:", driver.find_element(By.CSS_SELECTOR, "th[aria-sort]")
          .get_attribute("aria-sort"))


def check_axes(driver):
    """Every axis has a title; of panels, which name their rows, the lower one."""
    for chart in driver.find_elements(By.CSS_SELECTOR, "figure > svg"):
        titles = [axis.text for axis in chart.find_elements(By.CSS_SELECTOR, ".axis")]
        lines = chart.find_elements(By.CSS_SELECTOR, ".line")
        if not titles[0] or (lines and not titles[1]):
            print("WRONG: an axis without a title:", chart.get_attribute("aria-label"))


def check_figure(driver):
    """Another figure than the first: the charts show it."""
    choices = driver.find_elements(By.CSS_SELECTOR, "[data-key=figure] option")
    if len(choices) < 2:
        return
    choices[-1].click()
    point = driver.find_element(By.CSS_SELECTOR, ".point")
    print("figure:", point.get_attribute("data-tip").split("\n")[0])


def check_legend(driver):
    """A click leaves a line out, and another one brings it back."""
    def lines():
        return len(driver.find_elements(By.CSS_SELECTOR, ".line:is(polyline)"))

    if not driver.find_elements(By.CSS_SELECTOR, ".legend button"):
        return
    counts = [lines()]
    for _ in range(2):
        button = driver.find_element(By.CSS_SELECTOR, ".legend button")
        button.click()
        counts.append(lines())
        if driver.switch_to.active_element.get_attribute("data-key") != \
                button_key(driver):
            print("WRONG: the legend has lost the focus")
    print("a legend leaves out:", counts[1] < counts[0], "and again:", counts[2] == counts[0])


def button_key(driver):
    return driver.find_element(By.CSS_SELECTOR, ".legend button").get_attribute("data-key")


def check_zoom(driver):
    if not driver.find_elements(By.CSS_SELECTOR, "[data-key=from]"):
        return

    def seconds():
        chart = driver.find_element(By.XPATH, "//section[h2='Second by second']//*[@class][name()="
                                    "'polyline']")
        return len(chart.get_attribute("points").split())

    before = seconds()
    driver.find_element(By.CSS_SELECTOR, "[data-key=from]").send_keys(Keys.ARROW_RIGHT)
    print("zoomed:", before, "seconds to", seconds())


def check_print(driver):
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    if not driver.find_element(By.CSS_SELECTOR, "th button").is_displayed():
        print("WRONG: printed tables have no heads")
    if driver.find_element(By.ID, "filters").is_displayed():
        print("WRONG: the filters are printed")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen"})


def main():
    path = os.path.abspath(sys.argv[1])
    if shutil.which("chromedriver") is None:
        return 77
    with tempfile.TemporaryDirectory() as profile:
        driver = start(profile)
        try:
            check_widths(driver, path)
            print("sections:", "; ".join(texts(driver, "h2")))
            check_axes(driver)
            check_print(driver)
            check_answer(driver)
            check_hover(driver)
            check_filter(driver)
            check_sort(driver)
            check_zoom(driver)
            check_legend(driver)
            check_figure(driver)
            driver.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
            for entry in driver.get_log("browser"):
                print("WRONG: console:", entry["message"])
        finally:
            driver.quit()
    return 0


sys.exit(main())
