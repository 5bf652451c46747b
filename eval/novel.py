"""What a list finds that the authors of the query did not know: F1@20 over novel citations.

A gold citation is novel if none of the query's authors wrote it or cited it before; see `citescout.known_papers`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path

from citescout.recommender import Recommender
from eval.metrics import NovelScores, Qrels, Run, score
from retrieval.query import Query

# Query id → papers that its authors wrote or cited before; only queries whose authors are known.
KnownByQuery = Mapping[str, frozenset[str]]

_SHOWN = 20
_log = logging.getLogger(__name__)


def score_novel(qrels: Qrels, run: Run, known: KnownByQuery) -> NovelScores | None:
    """F1@20 of a run against novel citations only, as it is and without what is known; None if there is no such query.

    Asked are the queries whose authors are known and of which a citation is novel.
    """
    novel = {query: cited for query in known if (cited := qrels.get(query, frozenset()) - known[query])}
    if not novel:
        return None
    lists = {query: list(run.get(query, ())) for query in novel}
    hidden = {query: [paper for paper in papers if paper not in known[query]] for query, papers in lists.items()}
    shown = [(paper in known[query]) for query, papers in lists.items() for paper in papers[:_SHOWN]]
    return NovelScores(
        queries=len(novel),
        known_at_20=sum(shown) / max(len(shown), 1),
        f1_at_20=score(novel, lists).f1_at_20,
        f1_at_20_hidden=score(novel, hidden).f1_at_20,
    )


def known_by_query(directory: Path, queries: Iterable[Query]) -> KnownByQuery:
    """What the authors of each query knew, by the index in `directory`; empty where the index has no authors."""
    named = [query for query in queries if query.authors]
    if not named:
        return {}
    with Recommender.open(directory) as recommender:
        catalog = recommender.generation.catalog
        if not any(paper.authors for paper in catalog.all_papers()):
            _log.warning("%s was built without authors: no novel F1@20 (name another work folder)", directory)
            return {}
        return {query.id: frozenset(catalog.ids(sorted(recommender.known_papers(query)))) for query in named}
