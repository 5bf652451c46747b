"""The page of an index on a real server, and headless Chromium to look at it."""

import logging
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait
from werkzeug.serving import make_server

from citescout.recommender import Recommender
from demo import CORPUS
from indexer.builds import build_index
from indexer.readers import read_papers
from webui import create_app

FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --hide-scrollbars"
PATIENCE = 60  # seconds


@contextmanager
def served(index: Path | None) -> Iterator[str]:
    """The address of the page of an index, of the demo's without one; sessions are deleted at the end."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        if index is None:
            build_index(read_papers([str(CORPUS)], strict=True), Path(folder) / "index")
        with Recommender.open(index or Path(folder) / "index") as recommender:
            app = create_app(recommender, demo=index is None, sessions=Path(folder) / "sessions")
            server = make_server("127.0.0.1", 0, app, threaded=True)
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            yield f"http://127.0.0.1:{server.server_port}"
            server.shutdown()
            thread.join()


@contextmanager
def browser(width: int, height: int, scale: float = 1, dark: bool = False) -> Iterator[Any]:
    """A browser with a window of that many CSS pixels, of `scale` pixels of the screen each, which wants no motion."""
    options = webdriver.ChromeOptions()
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.binary_location = shutil.which("chromium") or ""
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        wanted = {"prefers-color-scheme": "dark" if dark else "light", "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in wanted.items()]
        started.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 600}
        started.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        yield started
    finally:
        started.quit()


def wait(started: Any, selector: str) -> None:
    """Wait until the page has such an element."""
    WebDriverWait(started, PATIENCE).until(lambda _: started.find_elements("css selector", selector))


def click(started: Any, selector: str) -> None:
    """Click such an element, wherever it is."""
    started.execute_script("document.querySelector(arguments[0]).click()", selector)


def ask(started: Any, text: str) -> None:
    """Put a text into the page's field, search, and wait for the list."""
    wait(started, "html.scripted")
    started.execute_script("document.getElementById('text').value = arguments[0]", text)
    started.find_element("id", "find").click()  # a real one, since what moves right after it is the reader's doing
    wait(started, ".result")
    wait(started, "#find:enabled")
