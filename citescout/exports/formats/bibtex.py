"""BibTeX, one entry a paper, each paper once however many queries it was recommended for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TextIO

from citescout.exports.base import Answer, Format, register
from citescout.exports.latex import escaped, name_list, title_value, verbatim
from citescout.exports.links import safe_url
from citescout.exports.text import one_line
from citescout.exports.words import surname
from indexer.paper import Paper

_CONFERENCE = re.compile(
    r"\b(proceedings of the \d+|proc\.|conference|workshop|symposium|congress|meeting of|findings of|"
    r"advances in neural information processing systems|lecture notes in|in proceedings)",
    re.IGNORECASE,
)
# Conferences that corpora name by their letters alone, such as "SIGIR" or "NAACL-HLT 2019".
_ACRONYM = re.compile(
    r"\b(AAAI|ACL|AISTATS|CHI|CIKM|CLEF|COLING|COLT|CoNLL|CSCW|CVPR|EACL|ECCV|ECIR|ECML|EMNLP|FOCS|HLT|ICASSP|ICCV|ICDE|"
    r"ICDM|ICLR|ICML|ICTIR|IJCAI|IJCNLP|INFOCOM|Interspeech|ISMIR|JCDL|KDD|LREC|NAACL|NeurIPS|NIPS|OSDI|PODS|RecSys|"
    r"SemEval|SIGIR|SIGKDD|SIGMOD|SoCG|SODA|SOSP|STOC|TREC|UAI|UIST|USENIX|VLDB|WSDM|WWW)\b",
    re.IGNORECASE,
)
_LONGEST_ACRONYM = 30  # characters of a venue that may be named by its letters, with year and track
_UNPUBLISHED = re.compile(r"\b(arxiv|corr|biorxiv|medrxiv|preprint|technical report)\b", re.IGNORECASE)
_MEETING = re.compile(r"\b(conference|workshop|symposium)\b", re.IGNORECASE)
_JOURNAL = re.compile(r"\b(journal|transactions|letters|review|annals|proceedings of the national)\b", re.IGNORECASE)
_NOT_TELLING = re.compile(
    r"an?|and|are|as|at|by|can|do|does|for|from|how|in|is|it|of|on|or|the|to|towards|what|why|with"
)


class BibtexWriter:
    """Makes entries with keys that are unique among all that it has made."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}  # paper id → key
        self._taken: set[str] = set()

    def new_entry(self, paper: Paper) -> str | None:
        """The entry of a paper; None if it was made before."""
        return None if paper.id in self._keys else self.entry(paper)

    def entry(self, paper: Paper) -> str:
        """The entry of a paper, ending in a newline."""
        kind, fields = _kind(paper), _fields(paper)
        body = "".join(f"  {name} = {{{value}}},\n" for name, value in fields if value)
        return f"@{kind}{{{self._key(paper)},\n{body}}}\n"

    def _key(self, paper: Paper) -> str:
        if paper.id not in self._keys:
            base = key = _base_key(paper)
            number = 1
            while key in self._taken:
                number += 1
                key = f"{base}-{number}"
            self._taken.add(key)
            self._keys[paper.id] = key
        return self._keys[paper.id]


def _kind(paper: Paper) -> str:
    venue = paper.venue.strip()
    if not venue or _UNPUBLISHED.search(venue):
        return "misc"
    if _JOURNAL.search(venue) and not _MEETING.search(venue):
        return "article"
    named_by_letters = len(venue) <= _LONGEST_ACRONYM and _ACRONYM.search(venue)
    return "inproceedings" if named_by_letters or _CONFERENCE.search(venue) else "article"


def _fields(paper: Paper) -> Iterator[tuple[str, str]]:
    """Field names and values, in the order in which people write them."""
    venue_field = {"article": "journal", "inproceedings": "booktitle", "misc": "howpublished"}[_kind(paper)]
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


def _base_key(paper: Paper) -> str:
    """Such as vaswani2017attention: surname, year, first telling word of the title; ASCII letters and digits."""
    name = _ascii(surname(paper.authors[0])) if paper.authors else ""
    words = (_ascii(word) for word in one_line(paper.title).split())
    word = next((word for word in words if word and not _NOT_TELLING.fullmatch(word)), "")
    return f"{name}{paper.year or ''}{word}"[:60] or _ascii(paper.id)[:60] or "paper"


def _ascii(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(mark for mark in decomposed if mark.isascii() and mark.isalnum()).lower()


def _write(answers: Iterable[Answer], stream: TextIO) -> None:
    writer = BibtexWriter()
    first = True
    for _, recommendations in answers:
        for recommendation in recommendations:
            entry = writer.new_entry(recommendation.paper)
            if entry:
                stream.write(entry if first else f"\n{entry}")
                first = False


register(
    Format(
        name="bibtex",
        description="a bibliography for LaTeX, without abstracts",
        ending="bib",
        media_type="application/x-bibtex",
        write=_write,
    )
)
