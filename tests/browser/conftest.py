"""The page of the demo corpus on a real server, and a real browser to look at it."""

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stand_in import StandIn
from werkzeug.serving import make_server

from citescout.recommendation import Answer
from citescout.recommender import Recommender
from citescout.settings import Settings
from retrieval.query import Query
from webui import create_app
from webui.builds import Builds

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)


class SlowReader(StandIn):
    """The recommender with a cross-encoder that moves the first paper to the end of the list when it is told to."""

    def __init__(self, recommender: Recommender) -> None:
        super().__init__(recommender)
        self.info = replace(recommender.info, reranker="slow")
        self.go_on = threading.Event()

    def stream(self, query: Query, settings: Settings) -> Iterator[Answer]:
        """The first list, and when it is told to go on, the one in another order."""
        found = tuple(self._recommender.recommend(query, settings))
        yield Answer(query, found, to_read=100)
        self.go_on.wait(20)
        moved = [replace(entry, rank=rank) for rank, entry in enumerate([*found[1:], found[0]], start=1)]
        yield Answer(query, tuple(moved), read=100, to_read=100)

    def answer(self, query: Query, settings: Settings) -> Answer:
        """The last list."""
        *_, last = self.stream(query, settings)
        return last


@contextmanager
def serving(recommender: Any, sessions: Path | None, builds: Builds | None = None) -> Iterator[str]:
    """The address of a real server, with sessions in that folder; without one, browsers keep what visitors do."""
    app = create_app(recommender, demo=True, sessions=sessions, browser_storage=True, builds=builds)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


@pytest.fixture(scope="session")
def address(recommender: Recommender, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(recommender, tmp_path_factory.mktemp("sessions")) as found:
        yield found


@pytest.fixture(scope="session")
def storing_address(recommender: Recommender) -> Iterator[str]:
    with serving(recommender, None) as found:
        yield found


@pytest.fixture
def slow_reader(recommender: Recommender) -> SlowReader:
    return SlowReader(recommender)


@pytest.fixture
def slow_address(slow_reader: SlowReader, tmp_path: Path) -> Iterator[str]:
    with serving(slow_reader, tmp_path / "sessions") as found:
        yield found
        slow_reader.go_on.set()


@pytest.fixture
def browse(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Starts a fresh browser: `browse(url, width=…, script=True, dark=False)`; one who is `still` wants no motion;
    `letters` are as high, in pixels."""
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.support.ui import WebDriverWait

    chromium, driver_path = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver_path:
        pytest.skip("needs chromium and chromedriver")
    open_browsers = []

    def start(
        url: str,
        width: int = 1400,
        script: bool = True,
        dark: bool = False,
        still: bool = False,
        letters: int = 16,
    ) -> Any:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in (*FLAGS.split(), f"--user-data-dir={tmp_path / 'profile'}"):
            options.add_argument(flag)
        # A name of this machine that browsers trust no more than another one's, as those of a network at home.
        options.add_argument("--host-resolver-rules=MAP plain.example 127.0.0.1")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.add_experimental_option(
            "prefs",
            {
                "profile.managed_default_content_settings.javascript": 1 if script else 2,
                "webkit.webprefs.default_font_size": letters,
            },
        )
        browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver_path))
        open_browsers.append(browser)
        # Over plain HTTP a browser asks its user before it keeps a file.
        keep = {"behavior": "allow", "downloadPath": str(tmp_path / "downloads")}
        browser.execute_cdp_cmd("Browser.setDownloadBehavior", keep)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        motion = {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme, motion]})
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        permissions = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
        browser.execute_cdp_cmd("Browser.grantPermissions", permissions)
        browser.get(url)
        if script:  # modules run after the page is there
            WebDriverWait(browser, 30).until(lambda _: browser.find_elements("css selector", "html.scripted"))
        return browser

    yield start
    for browser in open_browsers:
        browser.quit()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A manuscript in LaTeX with its bibliography."""
    from manuscript_browsing import FILES

    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path / "paper"


@pytest.fixture
def at_text(browse: Callable[..., Any], address: str, folder: Path) -> Callable[..., Any]:
    """Opens the text of the manuscript: `at_text(width=…)`."""
    from browsing import every, one, wait

    def start(**options: Any) -> Any:
        browser = browse(address, **options)
        one(browser, "#folder").send_keys(str(folder))
        wait(browser, lambda: every(browser, "#manuscript") and every(browser, "html.scripted"))
        return browser

    return start
