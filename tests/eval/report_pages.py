"""What tests of the report share: a split with hostile titles, runs by chance, and a reader of pages."""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from defusedxml.ElementTree import fromstring

from eval.protocols import PROTOCOLS, Protocol
from eval.split import write_split
from eval.trec import read_qrels, write_run
from indexer.paper import Paper

ROOT = Path(__file__).parents[2]
HOSTILE = (
    "</title></table><script>alert(1)</script> \"q\" 's' \u2028 \u202e <img src=x onerror=alert(2)> {{ 7 * 7 }} &amp;"
)
NAMES = ("BM25", "dense", 'a better <i>one & "$x^2$"')
VOID = {"meta", "link", "img", "br", "hr", "input"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)  # of text, its own and that of its children

    def all(self, tag: str) -> list[Element]:
        return [e for child in self.children for e in (*([child] if child.tag == tag else []), *child.all(tag))]

    def by_id(self, id_: str) -> Element:
        return next(e for e in self.all_elements() if e.attributes.get("id") == id_)

    def all_elements(self) -> list[Element]:
        return [e for child in self.children for e in (child, *child.all_elements())]

    @property
    def text(self) -> str:
        return " ".join("".join(self.pieces).split())


class Balanced(HTMLParser):
    """A tree of a page in which every element is closed where it should be."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]
        self.feed(page)
        self.close()
        assert self.open == [self.root], "not all elements are closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"<{tag}> has an attribute twice"
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pytest.fail(f"<{tag}/> means an open element in HTML")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.pieces.append(data)


def check_whole(page: Element) -> None:
    """A page loads and runs nothing, what it points to is there, and readers of screens know its heads."""
    ids = [e.attributes["id"] for e in page.all_elements() if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    for element in page.all_elements():
        assert element.tag not in {"link", "script", "iframe", "object", "image"}
        assert (element.attributes.get("src") or "data:image/svg").startswith("data:image/svg")
        assert not any(name.startswith("on") for name in element.attributes)
        for name in ("href", "aria-labelledby", "clip-path"):
            if target := element.attributes.get(name):
                assert target.removeprefix("url(").removesuffix(")").removeprefix("#") in ids
    for cell in page.all("th"):
        assert cell.attributes.get("scope") in {"col", "row", "rowgroup"}


def make_split(folder: Path, protocol: Protocol | None = None, count: int = 260, seed: int = 3) -> Path:
    """A split of a corpus made by chance, with titles that should not be trusted."""
    rng = np.random.default_rng(seed)
    ids = [f"p{number:03}" for number in range(count)]
    papers = [
        Paper(
            id_,
            # Words of its own, or each paper would be taken for another record of all the others.
            f"{HOSTILE} {id_} {' '.join(f'{id_}{letter}' for letter in 'abcdefghij')}",
            "abstract",
            int(1990 + number // 10 + rng.integers(0, 3)),
            citations=tuple(rng.choice(ids[: number + 1], int(rng.geometric(0.1)), replace=True).tolist()),
        )
        for number, id_ in enumerate(ids)
    ]
    papers = [replace(paper, citations=tuple(dict.fromkeys(paper.citations))) for paper in papers]
    write_split(papers, protocol or PROTOCOLS["corpus"], folder, f"{HOSTILE}.jsonl")
    return folder


def make_runs(folder: Path, part: str = "test", names: tuple[str, ...] = NAMES) -> None:
    """Lists that hold more of the gold from one system to the next, and leave a query out now and then."""
    rng = np.random.default_rng(4)
    qrels, _ = read_qrels(folder / f"{part}.qrels")
    indexed = [json.loads(line)["id"] for line in (folder / f"{part}.papers.jsonl").read_text("utf-8").split("\n")[:-1]]
    for number, name in enumerate(names):
        run = {}
        for query, gold in qrels.items():
            noise = rng.random(len(indexed)) - np.asarray([0.15 * (number + 1) * (i in gold) for i in indexed])
            if rng.random() > 0.05:
                run[query] = [indexed[place] for place in np.argsort(noise)[: rng.integers(30, len(indexed))]]
        write_run(folder / "runs" / part / f"{name.replace(' ', '_')}.trec", run)


def files(split: Path) -> list[Path]:
    return [split / "runs" / "test" / f"{name.replace(' ', '_')}.trec" for name in NAMES]


def texts_of(picture: Element) -> list[str]:
    """What an `<img>` of the page says, whose SVG it holds."""
    kind, _, data = (picture.attributes["src"] or "").partition(",")
    assert kind == "data:image/svg+xml;base64"
    root = fromstring(b64decode(data))
    for element in root.iter():
        for name, value in element.attrib.items():
            assert not name.endswith("href") or value.startswith("#")
    return ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
