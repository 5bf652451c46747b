"""What several tests do with a page."""

from pathlib import Path

import pytest
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException, WebDriverException
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

FROM_NPM = Path(__file__).parents[2] / "webui" / "vendor" / "node_modules" / "axe-core" / "axe.min.js"
ABSTRACT = "Transformers have changed machine translation. We compare attention with recurrent networks."
BIB = "@article{v, title={Attention Is All You Need}, author={Ashish Vaswani}, year={2017}}"


def wait(browser, condition, message=""):
    # A page that is being replaced has elements that are gone when they are asked.
    gone = (NoSuchElementException, StaleElementReferenceException)

    def holds(_):
        try:
            return condition()
        except WebDriverException as error:
            if "does not belong to the document" not in str(error):  # what Chromium's driver says of them at times
                raise

    return WebDriverWait(browser, 30, ignored_exceptions=gone).until(holds, message)


def one(browser, selector):
    return browser.find_element(By.CSS_SELECTOR, selector)


def every(browser, selector):
    return browser.find_elements(By.CSS_SELECTOR, selector)


def click(browser, selector):
    """A click that does not depend on what lies above the place; visibility is tested elsewhere."""
    browser.execute_script("arguments[0].click()", one(browser, selector))


def ids(browser, selector=".result"):
    return [result.get_attribute("data-id") for result in every(browser, selector)]


def ticked(browser):
    return [box.get_attribute("value") for box in every(browser, ".result [name=papers]:checked")]


def value(browser, selector="#text"):
    return one(browser, selector).get_attribute("value")


def is_idle(browser):
    """Whether the page is not searching: its button then says so, and keeps the focus."""
    return one(browser, "#find").get_attribute("aria-disabled") != "true"


def ask(browser, text=ABSTRACT):
    before = browser.current_url
    browser.execute_script("document.getElementById('text').value = arguments[0]", text)
    click(browser, "#find")
    wait(browser, lambda: every(browser, ".result") and is_idle(browser))
    wait(browser, lambda: browser.current_url != before)


def ask_by_form(browser):
    """Without scripts."""
    one(browser, "#text").send_keys(ABSTRACT)
    one(browser, "#find").click()
    wait(browser, lambda: every(browser, ".result"))


def tick(browser, place):
    count = one(browser, "#basket-size").text
    click(browser, f".result[data-rank='{place}'] [name=papers]")
    wait(browser, lambda: one(browser, "#basket-size").text != count)


def drop(browser, name, text, on="text"):
    browser.execute_script(
        """
        const files = new DataTransfer();
        files.items.add(new File([arguments[1]], arguments[0]));
        const event = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: files });
        document.getElementById(arguments[2]).dispatchEvent(event);
        """,
        name,
        text,
        on,
    )


def offline(browser, on=True):
    """Let the server be out of reach, or in reach again."""
    browser.execute_cdp_cmd("Network.enable", {})
    how = {"offline": on, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", how)


def complaints(browser):
    """What the browser's console has as errors."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def press(browser, *keys):
    ActionChains(browser).send_keys(*keys).perform()


def tab_to(browser, selector, most=150):
    """Press Tab until an element has the focus."""
    for _ in range(most):
        press(browser, Keys.TAB)
        if browser.execute_script("return document.activeElement.matches(arguments[0])", selector):
            return
    raise AssertionError(f"{selector} cannot be reached by Tab")


def open_map(browser):
    """Open the map of the list; gives its papers' ids from left to right."""
    click(browser, ".map > summary")
    wait(browser, lambda: every(browser, ".map [role=option]"))
    return map_ids(browser)


def map_ids(browser):
    return browser.execute_script(
        "return [...document.querySelectorAll('.map [role=option]')].map((one) =>"
        " [one.getBoundingClientRect().x, one.dataset.id]).sort((a, b) => a[0] - b[0]).map(([, id]) => id)"
    )


def hard_to_use(browser):
    """Buttons and links whose names lack what they show, which voices call out, and what is too low for a finger."""
    return browser.execute_script(
        """
        const plain = (text) => text.toLowerCase().replace(/[^\\p{L}\\p{N}]+/gu, " ").trim();
        const shown = [...document.querySelectorAll("button, a, summary")].filter((one) => one.checkVisibility());
        const named = shown.filter((one) => one.ariaLabel && one.textContent.trim());
        const misnamed = named.filter((one) => !plain(one.ariaLabel).includes(plain(one.textContent)));
        const low = shown.filter((one) => one.matches("summary") && one.offsetHeight < 24);
        return [...misnamed, ...low].map((one) => one.outerHTML.slice(0, 200));
        """
    )


def violations(browser):
    """What axe finds wrong with the page: rule and element each."""
    package = None if FROM_NPM.exists() else pytest.importorskip("axe_core_python")
    axe = FROM_NPM if package is None else Path(package.__file__).parent / "axe.min.js"
    browser.execute_script(axe.read_text("utf-8"))
    found = browser.execute_async_script("axe.run(document).then(arguments[arguments.length - 1])")
    return [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"]]
