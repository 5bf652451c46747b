"""RIS (the 2011 specification of reference managers), one record a paper, each paper once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

from citescout.recommendation import Answer
from common.names import Name, joined, parse_names
from exports.base import Format, papers_once, register
from exports.keys import Keys
from exports.kinds import kind
from exports.links import safe_link
from exports.text import one_line
from indexer.paper import Paper

_TYPES = {"article": "JOUR", "inproceedings": "CONF", "misc": "GEN"}


def _write(answers: Iterable[Answer], stream: TextIO) -> None:
    keys = Keys()
    for paper in papers_once(answers):
        stream.write(f"TY  - {_TYPES[kind(paper)]}\r\n")
        # A value is one line, so that no text of a corpus can begin another tag.
        stream.writelines(f"{tag}  - {value}\r\n" for tag, value in _fields(paper, keys) if value)
        stream.write("ER  - \r\n\r\n")


def _fields(paper: Paper, keys: Keys) -> Iterator[tuple[str, str]]:
    yield "ID", keys.key(paper)
    for name in parse_names(paper.authors):
        yield "AU", _name(name)
    yield "TI", one_line(paper.title)
    yield "T2", one_line(paper.venue)
    yield "PY", f"{paper.year:04}" if paper.year else ""
    yield "AB", one_line(paper.abstract)
    yield "DO", one_line(paper.doi)
    yield "AN", f"arXiv:{one_line(paper.arxiv)}" if paper.arxiv else ""
    yield "UR", safe_link(paper).replace(";", "%3B")  # several addresses are separated by semicolons


def _name(name: Name) -> str:
    """Last, First, Suffix; readers part at the commas, so that the name of an organisation loses its own."""
    if name.whole:
        return " ".join(name.whole.replace(",", " ").split()) or name.whole
    last = joined(name.particle, name.family)
    return f"{last}, {name.given}, {name.suffix}" if name.suffix else ", ".join(filter(None, (last, name.given)))


register(
    Format(
        name="ris",
        description="for reference managers, with abstracts",
        ending="ris",
        media_type="application/x-research-info-systems",
        write=_write,
        needs="papers",
    )
)
