"""Works that are not in the index and that the papers nearest to a query cite."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from citescout.ranking import Ranking
from citescout.recommendation import OutsideWork
from common.stages import stage
from indexer.generations import OpenGeneration
from indexer.identity.identifiers import is_openalex_id
from indexer.identity.keys import keys_of, paper_from_text
from indexer.identity.references import Reference
from indexer.identity.retractions import is_notice
from indexer.identity.titles import title_key
from indexer.outside import WorkName
from indexer.paper import Paper
from manuscripts.reference_lines import readings
from retrieval.graph import Seeds, citation_counts, citing_of
from retrieval.hits import Allowed, Docids, Hits
from retrieval.outside import ranked_works
from retrieval.resolver import Match

NEIGHBOURS = 100  # best candidates whose references count
_HALF = 10  # rank at which a candidate's references are worth half of the best one's
_NAMED = 3  # neighbours of a work
_SPARE = 20  # works that are looked at beyond those wanted: a few turn out to be in the index

Resolve = Callable[[Iterable[Paper]], Iterator[Match]]


def beyond(ranking: Ranking, generation: OpenGeneration, resolve: Resolve) -> tuple[OutsideWork, ...]:
    """As many works as the settings ask for, best first.

    Counted are references of the best candidates, of what the query cites or likes, and of papers that cite these, as
    far as they are evidence for the query. What the query cites already, dislikes, or is itself, is not among them.
    """
    outside = generation.outside
    k = ranking.settings.beyond
    if not k or not len(outside):
        return ()
    query = ranking.query
    neighbours = _neighbours(ranking)
    citing = citing_of(ranking.pool.evidence, ranking.pool.own)
    with stage("outside"):
        unwanted = outside.numbers([query.id, *_spellings([*ranking.unknown, *query.disliked])])
        found = ranked_works(generation.graph, outside, neighbours, citing, unwanted).first(k + _SPARE)
        names = outside.names(found.docids, generation.catalog)
        unfit = _unfit(names, query.written.title, resolve)
        kept = [place for place in range(len(names)) if not unfit[place]][:k]
        hits = Hits(found.docids[kept], found.scores[kept])
        counts = citation_counts(outside.graph, hits.docids, citing)
        by = [_cited_by(neighbours.docids, outside.graph.cited_by.of(int(work)), citing) for work in hits.docids]
        shown = np.unique(np.concatenate([np.zeros(0, np.int32), *(some[:_NAMED] for some in by)])).tolist()
        papers = dict(zip(shown, generation.catalog.papers(shown), strict=True))
    return tuple(
        OutsideWork(
            paper=_paper(names[place]),
            score=float(score),
            cited_by=tuple(papers[int(docid)] for docid in some[:_NAMED]),
            cited_by_count=len(some),
            times_cited=int(count),
        )
        for place, score, some, count in zip(kept, hits.scores, by, counts, strict=True)
    )


def _neighbours(ranking: Ranking) -> Seeds:
    """What the query cites or likes, and the best candidates, each with what its references are worth.

    The order is that of the pool, whatever filters leave of it in the list: a filter is about the list.
    """
    own, best = ranking.pool.own, ranking.pool.docids[:NEIGHBOURS]
    best = best[~np.isin(best, own)]
    weights = _HALF / (_HALF + np.arange(len(best)))
    return Seeds(np.concatenate([own, best]).astype(np.int32), np.concatenate([np.ones(len(own)), weights]))


def _cited_by(neighbours: Docids, citing_it: Docids, citing: Allowed) -> Docids:
    """The neighbours that cite a work, in their order."""
    found: Docids = neighbours[np.isin(neighbours, citing_it) & citing[neighbours]]
    return found


def _spellings(texts: Sequence[str]) -> Iterator[str]:
    """What may be meant by entries of `already_cited`: themselves, and the identifiers and the title in them."""
    for text in texts:
        yield text
        for key in chain.from_iterable(map(keys_of, readings(text))):
            yield str(key)
            yield key.value  # as citations have DOIs, and PMIDs in PubMed's files


def _unfit(names: Sequence[WorkName], own_title: str, resolve: Resolve) -> list[bool]:
    """Which works are notices, the query's own paper, or in the index after all: those that are only described."""
    titles = [name.reference.title if name.reference else "" for name in names]
    described = [place for place, name in enumerate(names) if titles[place] and not name.id]
    own = title_key(own_title)
    unfit = [is_notice(title) or (bool(own) and title_key(title) == own) for title in titles]
    for place, match in zip(described, resolve(_paper(names[place]) for place in described), strict=True):
        unfit[place] |= match.paper is not None
    return unfit


def _place(reference: Reference) -> str:
    parts = (f"vol. {reference.volume}" if reference.volume else "", f"p. {reference.page}" if reference.page else "")
    return ", ".join(filter(None, parts))


def _paper(name: WorkName) -> Paper:
    """A work with what is known of it."""
    reference = name.reference or Reference()
    named = paper_from_text(name.id) if name.id else Paper("", "")
    doi, url = named.doi or reference.doi, named.url
    if is_openalex_id(name.id):
        url = f"https://openalex.org/{name.id}"
    venue = "" if reference.title else _place(reference)
    return replace(reference.paper(name.id), doi=doi, venue=venue, arxiv=named.arxiv, url=url)
