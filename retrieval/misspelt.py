"""Words of a question that no paper of an index has, and what of papers was probably meant."""

import re
from collections.abc import Iterator
from itertools import groupby, islice
from string import ascii_lowercase

from indexer.catalog import Catalog
from retrieval.hits import Allowed
from retrieval.interface import SparseRetriever

# Others, such as names with capitals inside, are known to nobody for other reasons than errors of typing.
_WORD = re.compile(r"(?<![\w’'-])[A-Za-z][a-z]{5,29}(?![\w’'-])")
_UNKNOWN = 3  # words of a text that are looked at
_TERMS, _READ = 3, 5  # commonest terms that a word may be, and papers with each, where it has to stand as it is
_SHORTEST_PART, _READ_IN_PARTS = 2, 20  # letters on either side of a hyphen, and papers that are read for it


def probably_meant(text: str, bm25: SparseRetriever, catalog: Catalog, alive: Allowed) -> dict[str, str]:
    """By word of a text that no paper has, what it becomes by one letter more, less or another, or two exchanged.

    Else what it is in two parts, as "co-citation" for "cocitation". The first letter is taken to be right. Words of
    which papers have nothing like that are left out, and only those papers count that are `alive`.
    """
    words = dict.fromkeys(word.lower() for word in _WORD.findall(text))
    unknown = (word for word in words if (terms := bm25.terms(word)) and not any(map(bm25.idf, terms)))
    found = {
        word: _in_papers(word, bm25, catalog, alive) or _in_two_parts(word, bm25, catalog, alive)
        for word in islice(unknown, _UNKNOWN)
    }
    return {word: meant for word, meant in found.items() if meant}


def _in_papers(word: str, bm25: SparseRetriever, catalog: Catalog, alive: Allowed) -> str:
    """The one of the commonest term, as it stands in papers; "" where there is none."""
    variants = list(dict.fromkeys(_variants(word)))
    terms = bm25.terms(" ".join(variants))
    if len(terms) != len(variants):  # where one of them is a stop word, it is unknown which
        return ""
    known = sorted(
        (idf, term, variant) for variant, term in zip(variants, terms, strict=True) if (idf := bm25.idf(term))
    )
    for (_, term), group in islice(groupby(known, key=lambda one: one[:2]), _TERMS):
        papers = catalog.texts(bm25.search({term: 1.0}, _READ, alive).docids)
        written = {one for paper in papers for one in re.findall(r"\w+", paper.joined().lower())}
        if standing := [variant for _, _, variant in group if variant in written]:
            return standing[0]
    return ""


def _in_two_parts(word: str, bm25: SparseRetriever, catalog: Catalog, alive: Allowed) -> str:
    """With a hyphen or a space in it, as it stands in papers; "" where it does not."""
    for place in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        parts = word[:place], word[place:]
        terms = bm25.terms(" ".join(parts))
        if len(terms) == len(parts) and all(map(bm25.idf, terms)):
            papers = catalog.texts(bm25.search(dict.fromkeys(terms, 1.0), _READ_IN_PARTS, alive).docids)
            standing = re.compile(rf"\b{'[-‐‑ ]'.join(parts)}\b")
            if found := next(filter(None, (standing.search(paper.joined().lower()) for paper in papers)), None):
                return found[0]
    return ""


def _variants(word: str) -> Iterator[str]:
    for place in range(1, len(word) + 1):
        before, behind = word[:place], word[place:]
        if behind:
            yield before + behind[1:]
            yield from (before + letter + behind[1:] for letter in ascii_lowercase)
        if len(behind) > 1:
            yield before + behind[1] + behind[0] + behind[2:]
        yield from (before + letter + behind for letter in ascii_lowercase)
