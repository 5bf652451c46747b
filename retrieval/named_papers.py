"""Papers that a sentence names by their authors, as "Lovelace and Hopper (1952)" or "as Lovelace et al. showed".

A name is no word of a title or an abstract, so that neither BM25 nor vectors find what it stands for.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.catalog import Catalog
from indexer.identity.authors import author_of, key_of
from retrieval.hits import Allowed, Docids

# Of a mention that fits more papers than this it is unknown which is meant.
_MOST = 5
# A preprint and its publication, and what people remember, may be so many years apart.
_YEARS_APART = 1

_PARTICLE = r"(?:[Vv][ao]n|[Dd]e|[Dd]e[nrl]|[Dd]i|[Ll]a|[Tt]en)"
_PERSON = rf"(?:{_PARTICLE}\s+)*[^\W\d_a-z][^\W\d_]*(?:['’-](?!s\b)[^\W\d_]+)*"
_MENTION = re.compile(
    rf"(?<!\w)(?P<first>{_PERSON})"
    rf"(?:\s+(?:and|&)\s+(?P<second>{_PERSON})|,?\s+(?P<others>et\s+al\b\.?|and\s+(?:colleagues|others)\b))?"
    r"(?:['’]s?)?,?\s*[(\[]?\s*(?P<year>(?:1[6-9]|20)\d\d)?"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """Authors as a sentence names them."""

    first: str
    second: str = ""  # of two authors
    others: bool = False  # "et al."
    year: int | None = None


def mentions(text: str) -> Iterator[Mention]:
    """The authors that a text may name: a name with a year, two names, or a name with "et al."."""
    for found in _MENTION.finditer(text):
        year = int(found["year"]) if found["year"] else None
        if year or found["second"] or found["others"]:
            yield Mention(found["first"], found["second"] or "", bool(found["others"]), year)


def named_papers(text: str, catalog: Catalog, years: NDArray[np.integer], allowed: Allowed) -> Docids:
    """The `allowed` papers that a text names, ascending; `years` are those of all papers.

    The first author must be the one that is named, with "et al." there must be several, and of two names the second
    must be the other author. Without a year, or with one that fits several papers, at most `_MOST` are meant.
    """
    asked = list(dict.fromkeys(mentions(text)))
    rows = catalog.authors({key_of(one.first) for one in asked} - {""}) if asked else []
    rows = [(docid, authors) for docid, authors in rows if allowed[docid]]
    found: set[int] = set()
    for mention in asked:
        fitting = [docid for docid, authors in rows if _is_by(mention, authors)]
        if mention.year is not None:
            apart = {docid: abs(int(years[docid]) - mention.year) for docid in fitting}
            nearest = min(apart.values(), default=0)
            fitting = [docid for docid in fitting if apart[docid] == nearest <= _YEARS_APART]
        if len(fitting) <= _MOST:
            found.update(fitting)
    return np.asarray(sorted(found), np.int32)


def _is_by(mention: Mention, authors: Sequence[str]) -> bool:
    if not authors or not _is_called(authors[0], mention.first):
        return False
    if mention.second:
        return len(authors) == 2 and _is_called(authors[1], mention.second)
    return len(authors) > 1 or not mention.others


def _is_called(author: str, family: str) -> bool:
    """Whether the family name is the one named, all of it or without its particles."""
    words, named = author_of(author).family, author_of(f"{family}, A").family
    return bool(named) and words[-len(named) :] == named
