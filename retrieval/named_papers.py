"""Papers that a sentence names by their authors, as "Lovelace and Hopper (1952)" or "as Lovelace et al. showed".

A name is no word of a title or an abstract, so that neither BM25 nor vectors find what it stands for.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from indexer.catalog import Catalog
from indexer.identity.authors import Author, author_of, key_of, may_be
from indexer.identity.cited_names import AND, AUTHORS, NAME, POSSESSIVE, WORD, YEARS, each_year, surnames_in
from retrieval.hits import Allowed, Docids

# Of a mention that fits more papers than this it is unknown which is meant.
MOST = 5
# A preprint and its publication, and what people remember, may be so many years apart.
YEARS_APART = 1

_MENTION = re.compile(
    rf"(?<!\w)(?P<names>{AUTHORS})(?P<possessive>{POSSESSIVE})"
    rf"(?:,?\s*(?P<bracket>[(\[]\s*)?(?P<years>{YEARS})(?!\w|\s?[–—-]\s?\d)(?P<end>\s*[,;:)\]])?)?"
)
_LETTER = re.compile(r"\d[a-h]$")  # as of 2003a, and not of 1990s
_LATEX = re.compile(r"[\\~{}$]")
# As references have them: "Lovelace, A., & Hopper, G. M. (1952)".
_INITIALS = re.compile(rf"({WORD}),(?:[\s‐-]*[A-Z]\.)+(?=\s*[,&(]|\s+and\b)")
_EMPHASIS = re.compile(r"[*_]+")  # in Markdown


@dataclass(frozen=True, slots=True)
class Mention:
    """Authors as a sentence names them."""

    names: tuple[str, ...]  # each with all words before it that begin with a capital, as "As Lovelace"
    others: bool = False  # "et al."
    year: int | None = None
    fewest: int = 1  # of the names, the last ones, that must be authors

    def readings(self) -> Iterator["Mention"]:
        """What it may mean, the longest first: what stands before the first author is no name in "Likewise, Doe"."""
        for place in range(len(self.names) - self.fewest + 1):
            words = re.findall(NAME, self.names[place])
            for start in range(len(words)):
                yield replace(self, names=(" ".join(words[start:]), *self.names[place + 1 :]))


def mentions(text: str) -> Iterator[Mention]:
    """The authors that a text may name: several names, a name with "et al.", or a name with a year.

    The year of one name has to be in brackets, or end with a letter, or the name with 's: "Page 1999" is no citation.
    """
    if _LATEX.search(text):
        from indexer.readers.latex import plain  # takes a tenth of a second

        text = plain(text)
    text = _INITIALS.sub(r"\1", _EMPHASIS.sub("", text))
    for found in _MENTION.finditer(text):
        names, others = surnames_in(found["names"])
        fewest = 2 if not others and re.search(AND, found["names"]) else 1
        if others or fewest > 1 or _has_cited_year(found):
            for year in each_year(found["years"]) if found["years"] else [""]:
                yield Mention(tuple(names), others, int(year[:4]) if year else None, fewest)


def _has_cited_year(found: re.Match[str]) -> bool:
    """Whether a year stands behind a name as in a citation."""
    if not found["years"]:
        return False
    before = found.string[: found.start()]
    within = any(before.rfind(opening) > before.rfind(closing) for opening, closing in ("()", "[]"))
    marks = found["bracket"] or found["possessive"] or _LETTER.search(found["years"])
    return bool(marks or (within and found["end"]))


def named_papers(text: str, catalog: Catalog, years: NDArray[np.integer], allowed: Allowed) -> Docids:
    """The `allowed` papers that a text names, ascending; `years` are those of all papers.

    The first author must be the one that is named, with "et al." there must be more authors, and several names must
    be all authors. Without a year, or with one that fits several papers, at most `MOST` are meant.
    """
    asked = [list(mention.readings()) for mention in dict.fromkeys(mentions(text))]
    by_first = by_first_author((one.names[0] for readings in asked for one in readings), catalog, allowed)
    found: set[int] = set()
    for readings in asked:
        each = (papers_of(one, by_first.get(key_of(one.names[0]), []), years) for one in readings)
        fitting = next(filter(None, each), [])
        if len(fitting) <= MOST:
            found.update(fitting)
    return np.asarray(sorted(found), np.int32)


def by_first_author(
    names: Iterable[str], catalog: Catalog, allowed: Allowed
) -> dict[str, list[tuple[int, tuple[str, ...]]]]:
    """The `allowed` papers whose first authors have the `key_of` one of these names, by it, each with its authors."""
    found: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
    keys = set(map(key_of, names)) - {""}
    for docid, authors in catalog.authors(keys) if keys else []:
        if allowed[docid]:
            found.setdefault(key_of(authors[0]), []).append((docid, authors))
    return found


def papers_of(mention: Mention, rows: Sequence[tuple[int, tuple[str, ...]]], years: NDArray[np.integer]) -> list[int]:
    """Papers by these authors, of those with a year the nearest."""
    names = [author_of(name) for name in mention.names]
    fitting = [docid for docid, authors in rows if _is_by(mention, names, authors)]
    if mention.year is None:
        return fitting
    apart = {docid: abs(int(years[docid]) - mention.year) for docid in fitting}
    nearest = min(apart.values(), default=0)
    return [docid for docid in fitting if apart[docid] == nearest <= YEARS_APART]


def _is_by(mention: Mention, names: Sequence[Author], authors: Sequence[str]) -> bool:
    several = len(names) > 1
    if len(authors) <= len(names) if mention.others else several and len(authors) != len(names):
        return False
    return all(may_be(name, author_of(author)) for name, author in zip(names, authors, strict=False))
