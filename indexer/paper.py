"""The record that everything shares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Self

import orjson

from encoders.text import Text
from indexer.original import Original

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_TEXTS = ("id", "title", "abstract", "venue", "doi", "arxiv", "url")
_LISTS = ("authors", "citations", "other_ids")
_LAST_YEAR = 9999


@dataclass(frozen=True, slots=True)
class Imprint:
    """How a paper was published, as references print it beside venue and year; "" where its record says nothing."""

    type: str = ""  # as CSL calls it, such as article-journal
    volume: str = ""
    issue: str = ""
    page: str = ""  # the first, a range, or the number of the article
    publisher: str = ""
    more: str = ""  # what else is said, such as place and editors: an item of CSL, as JSON

    @property
    def citation_key(self) -> str:
        """Of an item of Zotero; "" where it has none."""
        return str(orjson.loads(self.more).get("citation-key", "")) if self.more else ""

    def packed(self) -> str:
        """As one short text, for a database, without what is empty behind the last known value: there are millions."""
        known = [self.type, self.volume, self.issue, self.page, self.publisher, self.more]
        while known and not known[-1]:
            known.pop()
        return orjson.dumps(known).decode()

    @classmethod
    def unpacked(cls, packed: str) -> Self:
        """What `packed` made a text of."""
        return cls(*orjson.loads(packed))


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper of a corpus. Only `id` and one of title and abstract are required."""

    id: str  # unique in a corpus
    title: str
    abstract: str = ""
    year: int | None = None  # of publication
    authors: tuple[str, ...] = ()  # in order, as common.names stores them: "First Last" as a rule
    venue: str = ""
    doi: str = ""  # bare, such as 10.1561/1500000019
    arxiv: str = ""  # bare, such as 1706.03762
    url: str = ""
    # What it cites: ids of papers, in the corpus or not, and descriptions of works without one (`Reference.citation`).
    citations: tuple[str, ...] = ()
    original: Original | None = None  # the entry of a bibliography that it came from
    retracted: bool = False  # by its publisher, as far as the source knows
    # Of records that were merged into this one, and "doi:…", "arxiv:…" and "pmid:…" that it has not itself: papers and
    # drafts may cite it by them.
    other_ids: tuple[str, ...] = ()
    imprint: Imprint | None = None  # how it was published, where no `original` says it

    @property
    def text(self) -> Text:
        """What the retrievers and rerankers read."""
        return Text(self.title, self.abstract)

    @property
    def volume(self) -> str:
        """Which of the volumes of one work a book is, as its source writes it; "" where none is known."""
        if self.original:
            return self.original.volume_of_book
        return self.imprint.volume if self.imprint and self.imprint.type == "book" else ""

    @property
    def volume_and_page(self) -> tuple[str, str]:
        """In which volume it appeared, of a journal or a series, and on which page, as its source writes it, or ""."""
        if self.original:
            return self.original.volume_and_page
        return (self.imprint.volume, self.imprint.page) if self.imprint else ("", "")

    @property
    def first_year(self) -> int | None:
        """The year in which a work came out first, where its source says it of a later edition; else None."""
        entry = self.original or Original("csl-json", self.imprint.more if self.imprint else "")
        return entry.first_year

    @property
    def link(self) -> str:
        """Where to read the paper: its own address, else its DOI's or arXiv's; "" where none is known."""
        of_doi, of_arxiv = f"https://doi.org/{self.doi}", f"https://arxiv.org/abs/{self.arxiv}"
        return self.url or (self.doi and of_doi) or (self.arxiv and of_arxiv)

    def keyed_as(self, others: Iterable[Paper]) -> Self:
        """The paper with the citation key that Zotero has of it or else of one of these, its other records."""
        records: list[Paper] = [self, *others]
        keys = [one.imprint.citation_key for one in records if one.imprint]
        return self.with_key(next(filter(None, keys), ""))

    def with_key(self, key: str) -> Self:
        """The paper with this citation key of Zotero."""
        imprint = self.imprint or Imprint()
        if key == imprint.citation_key:
            return self
        more = orjson.loads(imprint.more or "{}") | {"citation-key": key}
        return replace(self, imprint=replace(imprint, more=orjson.dumps(more).decode()))

    def citing(self, cited: Iterable[str]) -> Self:
        """The paper citing these, each once and without itself."""
        distinct = dict.fromkeys(cited)
        distinct.pop(self.id, None)
        return replace(self, citations=tuple(distinct))


def check_types(paper: Paper) -> None:
    """Nothing, where fields have their types, which no paper is checked for when it is made: there are millions.

    Raises:
        TypeError: a field has a value of another type than it says.
        ValueError: the year has more than four digits.
    """
    for name in _TEXTS:
        if not isinstance(value := getattr(paper, name), str):
            raise TypeError(f"paper {paper.id!r}: {name} must be text, not {value!r}")
    for name in _LISTS:
        value = getattr(paper, name)
        if not isinstance(value, tuple | list) or not all(isinstance(each, str) for each in value):
            raise TypeError(f"paper {paper.id!r}: {name} must be a tuple of texts, not {value!r}")
    if paper.year is not None and type(paper.year) is not int:
        raise TypeError(f"paper {paper.id!r}: year must be a whole number or None, not {paper.year!r}")
    if abs(paper.year or 0) > _LAST_YEAR:
        raise ValueError(f"paper {paper.id!r}: year must have four digits at most, not {paper.year}")


def paper_json(paper: Paper) -> bytes:
    """Every field of the paper, for databases that keep it for a while."""
    return _papers().dump_json(paper)


def paper_of_json(text: bytes | str) -> Paper:
    """What `paper_json` made a text of; fields that it does not name are empty."""
    return _papers().validate_json(text)


@cache
def _papers() -> TypeAdapter[Paper]:
    # Imported late: whoever reads a manuscript or a bibliography starts a process for it, which never gets here.
    from pydantic import TypeAdapter

    return TypeAdapter(Paper)
