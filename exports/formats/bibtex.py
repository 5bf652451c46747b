"""BibTeX, one entry a paper, each paper once however many queries it was recommended for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

from citescout.recommendation import Answer
from exports.base import Format, papers_once, register
from exports.keys import Keys
from exports.kinds import kind
from exports.latex import escaped, name_list, title_value, verbatim
from exports.links import safe_url
from indexer.paper import Paper


class BibtexWriter:
    """Makes entries with keys that are unique among all that it has made."""

    def __init__(self) -> None:
        self._keys = Keys()

    def entry(self, paper: Paper) -> str:
        """The entry of a paper, always under the same key, ending in a newline."""
        body = "".join(f"  {name} = {{{value}}},\n" for name, value in _fields(paper) if value)
        return f"@{kind(paper)}{{{self._keys.key(paper)},\n{body}}}\n"


def _fields(paper: Paper) -> Iterator[tuple[str, str]]:
    """Field names and values, in the order in which people write them."""
    venue_field = {"article": "journal", "inproceedings": "booktitle", "misc": "howpublished"}[kind(paper)]
    venue = "" if paper.arxiv and venue_field == "howpublished" else paper.venue
    yield "author", name_list(paper.authors)
    yield "title", title_value(paper.title)
    yield venue_field, escaped(venue)
    yield "year", str(paper.year) if paper.year else ""
    yield "doi", verbatim(paper.doi)
    if paper.arxiv:
        yield "eprint", verbatim(paper.arxiv)
        yield "archiveprefix", "arXiv"
    yield "url", verbatim(safe_url(paper.url))


def _write(answers: Iterable[Answer], stream: TextIO) -> None:
    writer = BibtexWriter()
    for number, paper in enumerate(papers_once(answers)):
        stream.write(f"\n{writer.entry(paper)}" if number else writer.entry(paper))


register(
    Format(
        name="bibtex",
        description="a bibliography for LaTeX, without abstracts",
        ending="bib",
        media_type="application/x-bibtex",
        write=_write,
        needs="papers",
    )
)
