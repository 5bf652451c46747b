"""Papers by an author whom a short question names beside what they are about: "Lovelace 1843 engine".

A sentence has "et al." or brackets for that (`retrieval.named_papers`); into a search box people type names like words.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from indexer.catalog import Catalog
from indexer.identity.authors import author_of, key_of
from indexer.identity.cited_names import YEAR
from retrieval.hits import Allowed, Docids
from retrieval.interface import SparseRetriever
from retrieval.named_papers import MOST, YEARS_APART, Mention, by_first_author, papers_of
from retrieval.named_titles import papers_holding
from retrieval.rare_words import SHORT

_WORD = re.compile(r"[^\W_]+(?:[’'‐‑-][^\W_]+)*")
_READ = 20  # papers of one author, by BM25
_ALL = 20  # papers of one author of whom nothing else is asked, at most
_SHARE = 0.01  # of all papers that hold a word which a year behind it makes a name, at most


def papers_by_asked_authors(
    text: str, catalog: Catalog, bm25: SparseRetriever, years: NDArray[np.integer], allowed: Allowed
) -> Docids:
    """The `allowed` papers whose first author a text of few words names, and that hold all its other words, ascending.

    A year behind the name is that of the papers; both are enough where none holds the rest and the name is no common
    word. Without a year, no more papers may hold the name than are by that author. A name alone means all papers.
    """
    words = _WORD.findall(text)
    if len(words) > SHORT:
        return np.zeros(0, np.int32)
    names = {word: author_of(word).words for word in words}
    papers_by = catalog.papers_by(set(map(key_of, words)))
    asked = []
    for word, behind in pairwise([*words, ""]):
        year = int(behind) if re.fullmatch(YEAR, behind) else None
        if by_author := papers_by.get(key_of(word), 0):
            holding = papers_holding(word, bm25)
            if year or holding <= by_author:  # else no name, and in a large index thousands may have it
                asked.append((word, year, holding))
    by_first = by_first_author([word for word, *_ in asked], catalog, allowed)
    found: set[int] = set()
    for word, year, holding in asked:
        rows = by_first.get(key_of(word), [])
        chosen = set(papers_of(Mention((word,), year=year), rows, years))
        papers = {docid: authors for docid, authors in rows if docid in chosen}
        is_name = bool(papers) and holding <= max(len(papers), _SHARE * bm25.documents if year else 0)
        by_name = [docid for docid in papers if is_name and not _others(names, papers[docid], int(years[docid]))]
        if by_name:
            found.update(by_name if len(by_name) <= _ALL else [])
        elif is_name or (papers and year and len(words) > 2):
            meant = _holding_the_others(names, papers, catalog, bm25, years) or (papers if year and is_name else [])
            found.update(meant if len(meant) <= MOST else [])
    return np.asarray(sorted(found), np.int32)


def _holding_the_others(
    names: Mapping[str, Sequence[str]],
    papers: Mapping[int, Sequence[str]],
    catalog: Catalog,
    bm25: SparseRetriever,
    years: NDArray[np.integer],
) -> list[int]:
    """Those of some papers, with their authors, that hold what is neither the name of an author nor the year.

    `names` has the parts of each word as a name.
    """
    of_author = np.zeros(len(years), np.bool_)
    of_author[list(papers)] = True
    terms = {word: bm25.terms(word) for word in names}
    read = bm25.search({term: 1.0 for word in names for term in terms[word]}, _READ, of_author).docids
    if len(papers) <= MOST:
        read = np.asarray(sorted(papers), np.int32)
    held = []
    for docid, text in zip(read.tolist(), catalog.texts(read), strict=True):
        others = _others(names, papers[docid], int(years[docid]))
        if set(bm25.terms(text.joined())).issuperset(term for word in others for term in terms[word]):
            held.append(docid)
    return held


def _others(names: Mapping[str, Sequence[str]], authors: Sequence[str], year: int) -> list[str]:
    """The words, of each its parts as a name, that are neither names of these authors nor the year, or one beside."""
    said = {name for author in authors for name in author_of(author).words}
    said |= {str(year + apart) for apart in range(-YEARS_APART, YEARS_APART + 1)}
    return [word for word, parts in names.items() if not said.issuperset(parts)]
