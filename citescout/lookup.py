"""What an open index knows of single papers: by id, by any other name, by what they are near to."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import NoReturn, Self

import numpy as np

from citescout.known_papers import KnownPapers, known_papers, papers_by
from citescout.manuscript_citations import resolved
from citescout.neighbours import CitationsAmong, Neighbour, around, citations_among, neighbours
from common.errors import QueryError, closed_index
from common.recent import RecentlyUsed
from common.sequences import batches, texts_of
from common.stages import stage
from indexer.duplicates import docids_now, known_records, with_retractions
from indexer.generations import OpenGeneration
from indexer.identity.keys import id_key, paper_from_text
from indexer.identity.retractions import is_notice
from indexer.paper import Paper
from manuscripts.manuscript import Entry
from manuscripts.reference_lines import readings
from retrieval.first_stage import FirstStage
from retrieval.paper_search import PaperSearch
from retrieval.query import Query
from retrieval.resolver import Match, Resolver

_KEPT = 10_000  # references that are not looked up again
_KEPT_QUERIES = 32  # whose authors are not looked up again
_TOGETHER = 100  # that are looked up before the first of them is kept
_LONGEST_NAME = 500  # characters by which a paper is looked up; to read more takes long
_LOOKED_AT = 100  # well-cited papers, of which some have no abstract


class Lookup:
    """Finds papers of one generation of an index; safe to share between threads."""

    def __init__(self, generation: OpenGeneration, first_stage: FirstStage) -> None:
        self._open = generation
        self._first_stage = first_stage
        self._owns_files = True
        # A list is explained whenever it gets better. In memory only: names of authors are kept nowhere else.
        self._known: RecentlyUsed[Query, KnownPapers] = RecentlyUsed(_KEPT_QUERIES)
        self._paper_search = PaperSearch(generation.catalog)
        # Ids of what references mean, None for what is not here: one list is asked with many times.
        self._meant: RecentlyUsed[str, str | None] = RecentlyUsed(_KEPT)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._open.folder.parent}, {self._open.manifest.papers:,} papers>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be pickled or copied: open the index in each process")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the index; no query may follow, of views neither (`Recommender.without_citations_of`).

        Queries that other threads are asking end with a list or, as later ones, with the ValueError of `generation`.
        """
        if self._owns_files:
            self._first_stage.close()
            self._open.close()

    @property
    def generation(self) -> OpenGeneration:
        """What is open of the index, as long as this is: for those who measure it.

        Raises:
            ValueError: it is closed.
        """
        if self._open.lease.closed:
            raise closed_index()
        return self._open

    def resolve(self, references: Iterable[Paper]) -> Iterator[Match]:
        """The paper of the index that each reference is, in their order; see `retrieval.resolver`."""
        return self._resolver.resolve(references)

    def resolved(self, query: Query) -> tuple[Query, tuple[str, ...]]:
        """The query with ids of this index for what it cites, likes and dislikes; and what it cites that is not there.

        What is no id is tried as a DOI, an arXiv id, a PMID, a title or a printed reference. Other records of what it
        cites are cited too, and those of what it dislikes disliked. Its own paper is none that it cites.
        """
        _check_is_query(query)
        named = dict.fromkeys((*query.already_cited, *query.liked, *query.disliked))
        if not named:
            return query, ()
        known = self.generation.catalog.docids(named)
        others = [text for text in named if text not in known]
        found: dict[str, str | None] = {}
        if others:
            with stage("references"):
                for some in batches(others, _TOGETHER):
                    found |= zip(some, self._meant.all_of(some, self._ids_meant), strict=True)
        ids = dict.fromkeys(id_ for text in query.already_cited if (id_ := found.get(text, text)) is not None)
        ids.update(dict.fromkeys(self._other_records(ids)))
        ids.pop(query.id, None)
        liked, disliked = (
            dict.fromkeys(found.get(text) or text for text in some) for some in (query.liked, query.disliked)
        )
        disliked |= dict.fromkeys(self._other_records(disliked))
        unknown = tuple(dict.fromkeys(text for text in query.already_cited if found.get(text, text) is None))
        return replace(query, already_cited=tuple(ids), liked=tuple(liked), disliked=tuple(disliked)), unknown

    def _ids_meant(self, references: Sequence[str]) -> list[str | None]:
        matches = resolved(self.resolve, [Entry(text, readings(text)) for text in references], by_id=True)
        return [match.paper.id if match.paper else None for match in matches]

    def lacking(self, query: Query) -> tuple[str, ...]:
        """What the query likes and dislikes that is not in the index."""
        rated = dict.fromkeys((*query.liked, *query.disliked))
        known = self.generation.catalog.docids(rated) if rated else {}
        return tuple(id_ for id_ in rated if id_ not in known)

    def known_papers(self, query: Query) -> KnownPapers:
        """What the query's authors wrote or cited before, as far as this index shows; nothing without authors."""
        if not query.authors:
            return {}
        found = self._known.get(query)
        if found is None:
            with stage("authors"):
                evidence = self._first_stage.evidence(query, self._copies(query)).papers
                found = known_papers(self.generation, query.authors, evidence)
            self._known.put(query, found)
        return found

    def unknown_authors(self, query: Query) -> tuple[str, ...]:
        """Those of the query's authors by whom this index has no paper."""
        papers = {name: papers_by(self.generation.catalog, [name]) for name in query.authors}
        return tuple(name for name, docids in papers.items() if self.generation.removed[docids].all())

    def find_paper(self, name: str) -> Paper | None:
        """The paper that an id, DOI, arXiv id, PMID or title names; None where it is not in this index.

        What is longer than any title is an id or nothing.
        """
        if (found := self.paper(name)) or not name or len(name) > _LONGEST_NAME:
            return found
        return next(self.resolve([paper_from_text(name)])).paper

    def search_papers(self, text: str, k: int = 8, skip: int = 0) -> list[Paper]:
        """The papers that somebody may mean by a text, as `retrieval.paper_search` says."""
        return with_retractions(self.generation.catalog, self._paper_search.papers(text, self.find_paper, k, skip))

    def ids_of(self, paper: Paper) -> tuple[str, ...]:
        """The id of a paper, those of all other records that the index has of it, and those that it had before."""
        records = known_records(self.generation.catalog, paper)
        ids = (id_ for record in records for id_ in (record.id, *record.other_ids))
        return tuple(dict.fromkeys((paper.id, *ids)))

    def current(self, papers: Sequence[Paper]) -> list[Paper | None]:
        """Papers as this index has them now, perhaps under other ids; None for each that it has no more."""
        docids = docids_now(self.generation.catalog, papers)
        there = iter(self._marked([docid for docid in docids if docid is not None]))
        return [None if docid is None else next(there) for docid in docids]

    def neighbours(self, paper_id: str, k: int = 10) -> list[Neighbour]:
        """The `k` papers nearest to one of the index, by vectors and citations.

        Raises:
            QueryError: there is no such paper, or `k` is negative.
        """
        return neighbours(self.generation, self._first_stage, self._existing(paper_id, k), k)

    def around(self, paper_id: str, k: int = 10) -> list[Paper]:
        """Up to `k` papers that a paper of the index cites, and up to `k` that cite it, the most cited of each first.

        Raises:
            QueryError: there is no such paper, or `k` is negative.
        """
        return self._marked(around(self.generation, self._existing(paper_id, k), k))

    def well_cited(self) -> list[Paper]:
        """Of the newer half of the index the three papers that it cites most, to show what it is about."""
        return list(self._well_cited)

    @cached_property
    def _well_cited(self) -> list[Paper]:
        there = np.flatnonzero(~self.generation.removed)
        years = self.generation.years[there]
        newer = there[years >= (np.median(years) if len(years) else 0)]
        counts = np.diff(self.generation.graph.cited_by.offsets)[newer]
        most = newer[np.argsort(-counts, kind="stable")[:_LOOKED_AT]]
        papers = self._marked(most.tolist())
        fit = (one for one in papers if one.title and one.abstract and not one.retracted and not is_notice(one.title))
        return list(islice(fit, 3))

    def citations_among(self, ids: Iterable[str]) -> CitationsAmong:
        """The citations among papers of different ids, and how often each is cited; of unknown ids there are none."""
        return citations_among(self.generation, list(texts_of(ids, "ids")))

    def docid_of(self, paper_id: str) -> int | None:
        """The docid of a paper; None where there is no such paper."""
        return self.generation.catalog.docids([paper_id]).get(paper_id)

    def _existing(self, paper_id: str, k: int) -> int:
        if k < 0:
            raise QueryError(f"k must be 0 or more, not {k}")
        docid = self.docid_of(paper_id)
        if docid is None:
            raise QueryError("there is no such paper in the index")
        return docid

    def paper(self, paper_id: str) -> Paper | None:
        """The paper that has this id, or else had it before or a record of it has it; None where there is none."""
        docid = self.docid_of(paper_id)
        found = [docid] if docid is not None else self._formerly(paper_id)
        return self._marked(found)[0] if len(found) == 1 else None

    def _formerly(self, paper_id: str) -> list[int]:
        papers = self.generation.catalog.docids_by_key([str(id_key(paper_id))])
        return next(iter(papers.values()), [])

    def papers(self, ids: Iterable[str]) -> list[Paper]:
        """The papers of these ids of the index, in their order; a KeyError for any other."""
        asked = list(texts_of(ids, "ids"))
        docids = self.generation.catalog.docids(asked)
        return self._marked([docids[id_] for id_ in asked])

    def _marked(self, docids: Sequence[int]) -> list[Paper]:
        catalog = self.generation.catalog
        return with_retractions(catalog, catalog.papers(docids))

    def _other_records(self, ids: Iterable[str]) -> list[str]:
        """Ids of all records of the papers of these, by `Resolver.copies`; some are these."""
        known = self.generation.catalog.docids(ids)
        return self.generation.catalog.ids(self._resolver.copies(self.papers(list(known)))) if known else []

    @cached_property
    def _resolver(self) -> Resolver:
        first_stage = self._first_stage  # not of `self`: a circle would keep closed files until it is collected
        return Resolver(self.generation.catalog, lambda: first_stage.bm25, alive=~self.generation.removed)

    def _copies(self, query: Query) -> list[int]:
        """Other records of the query's own paper: those it names, and those by title or identifier.

        Where it has an id of the index, the title is that record's, which says who wrote it. Otherwise a short title
        counts with the first author or the abstract of the query, a long one whoever is named first.
        """
        _check_is_query(query)
        ids = self.generation.catalog.docids(query.copies)
        others = [paper_from_text(name) for name in query.copies if name not in ids]
        found = [self.docid_of(match.paper.id) for match in self.resolve(others) if match.paper] if others else []
        named = {*ids.values(), *(docid for docid in found if docid is not None)}
        own = self.papers([query.id])[0] if self.docid_of(query.id) is not None else None
        by_title = Paper(query.id, *query.written, query.year)
        named.update(
            self._resolver.copies([own] if own else [by_title, replace(by_title, authors=tuple(query.authors))])
        )
        return sorted(named)


def _check_is_query(query: object) -> None:
    if not isinstance(query, Query):
        raise TypeError(f"ask with Query(title, abstract), not with {type(query).__name__}")
