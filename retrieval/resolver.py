"""Which papers of an index are the ones in a bibliography? By identifier, by title, or by a title that is similar."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from common.sequences import batches
from indexer.bm25_parameters import PYSERINI
from indexer.catalog import Catalog
from indexer.duplicates import with_retractions
from indexer.identity.agreement import (
    first_authors_agree,
    identifier_holds,
    identifier_may_hold,
    parted_by_title,
    title_and_author_hold,
    title_holds,
)
from indexer.identity.keys import Key, id_key, keys_of
from indexer.identity.similar import SIMILAR, likeness, similarity
from indexer.identity.titles import is_distinctive, is_generic, title_key, title_words
from indexer.paper import Paper
from retrieval.hits import Allowed, Docids
from retrieval.interface import SparseRetriever

How = Literal["doi", "arxiv", "pmid", "id", "title", "fuzzy"]
# In the order in which they are tried, and as people call them.
WAYS: dict[How, str] = {
    "doi": "DOI",
    "arxiv": "arXiv id",
    "pmid": "PMID",
    "id": "id",
    "title": "title",
    "fuzzy": "similar title",
}

_CANDIDATES = 40  # of BM25, whose titles are compared; docs/resolve.md says what 10 would miss
_FEWEST_WORDS = 4  # of a title that says which paper it is, without author and year; "Data-Driven" is two
BATCH = 500  # references whose keys are looked up together


@dataclass(frozen=True, slots=True)
class Match:
    """One reference, and the paper of the index that it is."""

    reference: Paper
    paper: Paper | None = None  # None where the index lacks it
    how: How | None = None
    score: float = 0.0  # similarity of the titles for "fuzzy", else 1; 0 for none


class Resolver:
    """Finds papers of one index by what is known of them; safe to share between threads."""

    def __init__(self, catalog: Catalog, bm25: Callable[[], SparseRetriever], alive: Allowed) -> None:
        """Look in `catalog`; `bm25` is called when the first similar title is wanted.

        `alive` says by docid which papers BM25 may find: those that are not removed.
        """
        self._catalog = catalog
        self._open_bm25 = bm25
        self._alive = alive

    @cached_property
    def _bm25(self) -> SparseRetriever:
        return self._open_bm25()

    def resolve(self, references: Iterable[Paper]) -> Iterator[Match]:
        """The match of each reference, in their order."""
        for batch in batches(references, BATCH):
            matches = list(self._resolve(batch))
            papers = iter(with_retractions(self._catalog, [match.paper for match in matches if match.paper]))
            yield from (replace(match, paper=next(papers)) if match.paper else match for match in matches)

    def copies(self, references: Iterable[Paper]) -> list[int]:
        """Docids of all papers with a key of one of these, where it makes them one: `title_holds`, `identifier_holds`.

        Where titles are the same, so does an abstract that is, too, unless the first authors disagree.
        """
        by_key: dict[Key, list[Paper]] = {}
        for reference in references:
            for key in keys_of(reference):
                by_key.setdefault(key, []).append(reference)
        found_by_key = self._catalog.docids_by_key(map(str, by_key))
        docids = sorted({docid for found in found_by_key.values() for docid in found})
        papers = dict(zip(docids, self._catalog.papers(docids), strict=True))
        held = {
            docid
            for key, bearing in by_key.items()
            for docid in found_by_key.get(str(key), [])
            if any(_are_one(reference, papers[docid], key) for reference in bearing)
        }
        return sorted(held)

    def _resolve(self, references: Sequence[Paper]) -> Iterator[Match]:
        keys = [(*keys_of(reference), id_key(reference.id)) for reference in references]
        found_by_key = self._catalog.docids_by_key({str(key) for own in keys for key in own})
        by_id = self._catalog.docids(reference.id for reference in references)
        docids = sorted({*by_id.values(), *(n for found in found_by_key.values() for n in found)})
        papers = dict(zip(docids, self._catalog.papers(docids), strict=True))
        for reference, own in zip(references, keys, strict=True):
            candidates: dict[How, list[Paper]] = {
                key.kind: [papers[n] for n in found_by_key.get(str(key), []) if n in papers] for key in own
            }
            if reference.id in by_id:  # before the paper into which a record of this id was merged
                candidates["id"] = [papers[by_id[reference.id]]]
            yield self._exact(reference, candidates) or self._similar(reference)

    def _exact(self, reference: Paper, candidates: dict[How, list[Paper]]) -> Match | None:
        for how in WAYS:
            there = candidates.get(how, [])
            fitting = [paper for paper in there if _fits(reference, paper, how)]
            if (
                how == "title"
                and len(there) == 1
                and (_is_title_alone(reference) or _have_one_year(reference, there[0]))
            ):
                fitting = there
            if how == "title" and not fitting:
                fitting = [paper for paper in there if title_and_author_hold(reference, paper)]
            if fitting:
                return Match(reference, max(fitting, key=lambda paper: _nearness(reference, paper)), how, 1.0)
        return None

    def _similar(self, reference: Paper) -> Match:
        if is_generic(title_key(reference.title)):
            return Match(reference)
        docids = papers_with_words_of(reference.title, self._bm25, self._alive)
        scored = [
            (score, _nearness(reference, paper), paper)
            for paper in self._catalog.papers(docids)
            if (score := similarity(reference.title, paper.title)) >= SIMILAR and _title_holds(reference, paper)
        ]
        if not scored:
            return Match(reference)
        score, _, paper = max(scored, key=lambda entry: entry[:2])
        rivals = {title_key(rival.title) for other_score, _, rival in scored if other_score == score}
        if len(rivals) > 1:  # a series: "Lecture: This" and "Lecture: That" are equally similar to "Lecture"
            return Match(reference)
        return Match(reference, paper, "fuzzy", score)


def papers_with_words_of(title: str, bm25: SparseRetriever, alive: Allowed) -> Docids:
    """Papers whose titles may be similar, best first: those that BM25 finds for the words of this one."""
    terms = dict.fromkeys(bm25.terms(title), 1.0)
    return bm25.search(terms, _CANDIDATES, alive, PYSERINI if bm25.adjustable else None).docids


def summary(matches: Sequence[Match]) -> str:
    """One line such as "41 of 52 found: 30 by DOI, 9 by title, 2 by similar title"."""
    counts = Counter(match.how for match in matches if match.how)
    ways = ", ".join(f"{counts[how]:,} by {name}" for how, name in WAYS.items() if counts[how])
    return f"{counts.total():,} of {len(matches):,} found" + (f": {ways}" if ways else "")


def _fits(reference: Paper, paper: Paper, how: How) -> bool:
    if how == "title":
        return _title_holds(reference, paper)
    if how == "id":  # the citation keys of a bibliography are its author's own, and numbers are anyone's
        return not (parted_by_title(reference, paper) or first_authors_agree(reference, paper) is False)
    return identifier_may_hold(reference, paper)


def _are_one(one: Paper, other: Paper, key: Key) -> bool:
    """Are records that share this key those of one paper?"""
    if key.kind != "title":
        return identifier_holds(one, other)
    abstract = title_key(one.abstract)
    same = is_distinctive(abstract) and abstract == title_key(other.abstract)
    return title_holds(one, other) or (same and first_authors_agree(one, other) is not False)


def _title_holds(reference: Paper, paper: Paper) -> bool:
    """The same of a reference, which may have the year in which the work came out first: "Kant, 1781/1998"."""
    if title_holds(reference, paper):
        return True
    of_first = reference.year == paper.first_year or reference.first_year == paper.year
    return of_first and title_holds(replace(reference, year=paper.year), paper)


def _is_title_alone(reference: Paper) -> bool:
    """Is nothing known but a title of some words, as people type it? What alone bears it in an index is meant."""
    return len(title_words(reference.title)) >= _FEWEST_WORDS and not reference.authors and reference.year is None


def _have_one_year(reference: Paper, paper: Paper) -> bool:
    """Does a short title of some words hold, which one paper alone bears, because both are of one year?

    It says who wrote it on one side at most. Other papers of a year seldom bear it: docs/resolve.md.
    """
    known = reference.year is not None and reference.year == paper.year
    same_author = first_authors_agree(reference, paper)
    return known and same_author is None and len(title_words(reference.title)) >= _FEWEST_WORDS


def _nearness(reference: Paper, paper: Paper) -> tuple[float, int, int]:
    """Orders several papers that fit: the more alike title, the nearer year, the longer abstract."""
    apart = abs(reference.year - paper.year) if reference.year and paper.year else 0
    return likeness(reference.title, paper.title), -apart, len(paper.abstract)
