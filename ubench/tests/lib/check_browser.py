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
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.chrome.service import Service
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
    for _ in range(300):
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


def check_zoom(driver):
    charts = driver.find_elements(By.CSS_SELECTOR, ".zoomable")
    if not charts:
        return
    lengths = [len(driver.find_element(By.CSS_SELECTOR, ".zoomable .line")
                   .get_attribute("points").split())]
    charts[0].send_keys("+")
    lengths.append(len(driver.find_element(By.CSS_SELECTOR, ".zoomable .line")
                       .get_attribute("points").split()))
    print("zoomed:", lengths[1] < lengths[0])


def main():
    path = os.path.abspath(sys.argv[1])
    if shutil.which("chromedriver") is None:
        return 77
    with tempfile.TemporaryDirectory() as profile:
        driver = start(profile)
        try:
            check_widths(driver, path)
            print("sections:", ", ".join(texts(driver, "h2")))
            check_hover(driver)
            check_filter(driver)
            check_sort(driver)
            check_zoom(driver)
            driver.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
            for entry in driver.get_log("browser"):
                print("WRONG: console:", entry["message"])
        finally:
            driver.quit()
    return 0


sys.exit(main())
