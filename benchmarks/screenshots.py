"""Pictures of every view of the page, for docs/page.md: on a desktop, light and dark, and on a phone.

    python benchmarks/screenshots.py

Headless Chromium looks at the page of the demo. A view is one entry of VIEWS; its pictures are docs/screens/VIEW.webp,
VIEW-dark.webp and VIEW-phone.webp.
"""

import argparse
import base64
import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from headless import ask, browser, click, served, wait
from PIL import Image

FOLDER = Path(__file__).parents[1] / "docs" / "screens"
SCREENS: dict[str, dict[str, Any]] = {
    "": {"width": 1360, "height": 900},
    "-dark": {"width": 1360, "height": 900, "dark": True},
    "-phone": {"width": 390, "height": 844, "scale": 1.5},
}
COLOURS = 24  # text on plain grounds needs no more, and files become small
TEXT = """Local citation recommendation with pre-trained transformers

Writers of papers need sources for single sentences. We fetch candidates with dense vectors and a citation graph, and \
rerank them with a transformer that reads the sentence together with each abstract."""
REFERENCES = """Attention Is All You Need
Content-Based Citation Recommendation
SPECTER: Document-level Representation Learning using Citation-informed Transformers"""

MANUSCRIPT = r"""\documentclass{article}
\title{Reading while writing}
\author{A. Author}
\begin{document}
\maketitle
\begin{abstract}
Writers need sources for single sentences. We rank papers for each of them by words, meaning and citations.
\end{abstract}
\section{Introduction}
Neural networks that attend to every word have changed machine translation \citep{vaswani}. Pretrained
transformers encode tokens in both directions, and a few examples are enough to tune them. Our lists are read by people,
who look at the first ten papers.

Dense retrieval finds passages whose words differ from those of the question \citep{dpr,unknown}. It is usually
combined with BM25, which needs no training.
\section{Related work}
Content-based citation recommendation embeds the text of a paper and looks for its nearest neighbours. Prior work has
trained document embeddings on the citation graph.
\bibliography{refs}
\end{document}
"""
BIBLIOGRAPHY = """@inproceedings{vaswani, title={Attention Is All You Need}, author={Vaswani, Ashish}, year={2017}}
@inproceedings{dpr, title={Dense passage retrieval for open-domain question answering}, author={Karpukhin, Vladimir},
  year={2020}}
@book{unknown, title={A Book that No Index Holds}, author={Nobody, Ann}, year={1999}}
"""


def start(_started: Any, _address: str) -> None:
    """The page as one finds it."""


def results(started: Any, _address: str) -> None:
    """A list with two selected papers."""
    ask(started, TEXT)
    for place in (1, 3):
        click(started, f".result[data-rank='{place}'] [name=papers]")
        started.execute_async_script("setTimeout(arguments[0], 700)")
    wait(started, ".result")


def details(started: Any, address: str) -> None:
    """The same with the details of the first paper."""
    results(started, address)
    for part in (".more > summary", ".parts > summary"):
        click(started, f".result:first-child {part}")
    click(started, ".result:first-child a.similar")
    wait(started, ".result:first-child .neighbours li")
    started.execute_script("document.querySelector('.result').scrollIntoView({ block: 'start' })")


def manuscript(started: Any, address: str) -> None:
    """A manuscript with papers for one of its sentences."""
    started.get(address)
    with tempfile.TemporaryDirectory() as folder:
        paper = Path(folder, "paper")
        paper.mkdir()
        for name, text in {"main.tex": MANUSCRIPT, "refs.bib": BIBLIOGRAPHY}.items():
            (paper / name).write_text(text)
        started.find_element("css selector", "#folder").send_keys(str(paper))
        wait(started, "#manuscript")
    sentences = started.find_elements("css selector", "#manuscript a[href*='sentence=']")
    chosen = next(one for one in sentences if one.text.startswith("Pretrained"))
    started.execute_script("arguments[0].click()", chosen)
    wait(started, ".candidate")


def review(started: Any, address: str) -> None:
    """What the same manuscript lacks."""
    manuscript(started, address)
    started.get(started.current_url.split("?")[0].split("#")[0] + "/review")
    wait(started, "h2")


def citation_map(started: Any, address: str) -> None:
    """The map with what one paper cites and what cites it."""
    results(started, address)
    click(started, ".map > summary")
    wait(started, ".map [role=option]")
    for node in started.find_elements("css selector", ".map [role=option]"):  # until there is more around one
        started.execute_script("arguments[0].focus()", node)
        click(started, ".map-actions button:nth-child(2)")
        started.execute_async_script("setTimeout(arguments[0], 700)")
        if started.find_elements("css selector", ".map .added"):
            break
    started.execute_script("document.querySelector('.map').scrollIntoView({ block: 'start' })")


def basket(started: Any, address: str) -> None:
    """The basket with a note."""
    results(started, address)
    click(started, "nav a")
    wait(started, ".picks textarea")
    note = started.find_element("css selector", ".picks textarea")
    note.send_keys("For the introduction: what came before us")
    started.find_element("css selector", "h1").click()
    started.execute_async_script("setTimeout(arguments[0], 500)")


def history(started: Any, address: str) -> None:
    """Two questions."""
    results(started, address)
    before = started.current_url
    ask(started, "Dense retrieval of passages with contrastive learning")
    started.execute_async_script(
        "const [before, done] = arguments; const look = () => location.href === before ? setTimeout(look, 50) : done();"
        "look()",
        before,
    )
    click(started, "nav a:nth-child(2)")
    wait(started, ".past li:nth-child(2)")


def check(started: Any, address: str) -> None:
    """What the index would have found of a finished paper's references."""
    started.get(f"{address}/check")
    title, _, abstract = TEXT.partition("\n\n")
    for field, text in {"title": title, "abstract": abstract, "gold": REFERENCES}.items():
        started.execute_script("document.getElementById(arguments[0]).value = arguments[1]", field, text)
    click(started, "#check-form button.primary")
    wait(started, ".verdict")


def search(started: Any, address: str) -> None:
    """Papers of the index by their names."""
    started.get(f"{address}/search?q=citation+recommendation")
    wait(started, ".neighbours li")


def similar(started: Any, address: str) -> None:
    """The neighbours of a paper."""
    search(started, address)
    click(started, ".neighbours a[href*='similar']")
    wait(started, ".similar-page li")


VIEWS: dict[str, Callable[[Any, str], None]] = {
    "start": start,
    "list": results,
    "details": details,
    "manuscript": manuscript,
    "review": review,
    "map": citation_map,
    "basket": basket,
    "history": history,
    "check": check,
    "search": search,
    "similar": similar,
}


def main() -> None:
    """Take the pictures of all views, or of some."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("views", nargs="*", help="All of them without any.")
    wanted = parser.parse_args().views or VIEWS
    FOLDER.mkdir(exist_ok=True)
    with served(None) as address:
        for screen, looks in SCREENS.items():
            for view in wanted:
                with browser(**looks) as started:
                    started.get(address)
                    VIEWS[view](started, address)
                    started.execute_async_script("setTimeout(arguments[0], 500)")
                    taken = started.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
                    with Image.open(io.BytesIO(base64.b64decode(taken["data"]))) as picture:
                        few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
                        few.convert("RGB").save(FOLDER / f"{view}{screen}.webp", lossless=True, method=6)


if __name__ == "__main__":
    main()
