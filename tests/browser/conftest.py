"""The page of the demo corpus on a real server, and a real browser to look at it."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug.serving import make_server

from citescout.recommender import Recommender
from demo import CORPUS
from indexer.generations import build_index
from indexer.readers import read_papers
from webui import create_app

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("demo-index")
    build_index(read_papers([str(CORPUS)]), folder, encoder=None)
    app = create_app(Recommender.open(folder, reranker="none"), demo=True)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


@pytest.fixture
def browse(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Starts a fresh browser: `browse(url, width=…, script=True, dark=False)`."""
    webdriver = pytest.importorskip("selenium.webdriver")
    chromium, driver_path = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver_path:
        pytest.skip("needs chromium and chromedriver")
    open_browsers = []

    def start(url: str, width: int = 1400, script: bool = True, dark: bool = False) -> Any:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in (*FLAGS.split(), f"--user-data-dir={tmp_path / 'profile'}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.add_experimental_option(
            "prefs",
            {
                "download.default_directory": str(tmp_path / "downloads"),
                "profile.managed_default_content_settings.javascript": 1 if script else 2,
            },
        )
        browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver_path))
        open_browsers.append(browser)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        permissions = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
        browser.execute_cdp_cmd("Browser.grantPermissions", permissions)
        browser.get(url)
        return browser

    yield start
    for browser in open_browsers:
        browser.quit()
