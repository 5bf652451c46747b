"""Whether works outside an index are named: some papers of a corpus are hidden from the index, not from references.

The papers that are asked are treated as if they were being written: what they cite votes for nothing, and neither does
anything that is not older than they are. Some of what they cite is hidden. What of it at least `ENOUGH` papers of the
query's pool cite, and are known to be older than the query, can be expected to be named.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.beyond import beyond
from citescout.query_years import in_their_years
from citescout.recommender import Recommender
from citescout.settings import Settings
from common.errors import SourceError
from common.progress import progress
from eval.answered import AnsweredQueries, delete_answers, run_of
from eval.corpora import Corpus, TestSet, find_corpora, gold_of, sampled
from eval.indexes import index_of_papers
from eval.significance import DRAWS, interval_of, times_drawn
from eval.tables import markdown_table
from indexer.paper import Paper
from retrieval.copies import with_copies
from retrieval.first_stage import Pool
from retrieval.query import Query
from training.queries import MIN_CITATIONS, query_of

SHARE = 0.1  # of a corpus that is hidden
ENOUGH = 2  # papers of a pool
CUTS = (10, 20, 50)  # names
VALIDATION, NEWEST = 200, 3  # older papers that are asked, drawn from so many times as many of the newest of them

HiddenPaper = tuple[float, int]  # its rank among the names, see `Named`, and papers of the pool that cite it


@dataclass(frozen=True, slots=True)
class Named:
    """One corpus; all arrays have a row a hidden paper that a query cites."""

    corpus: str
    hidden: int  # papers
    outside: int  # works that the index cites and does not have
    queries: int  # that cite a hidden paper
    query: NDArray[np.int64]  # (n,) which of them
    rank: NDArray[np.float64]  # (n,) among the names, from 1; inf where it is not named
    citing: NDArray[np.int64]  # (n,) papers of the pool that cite it and count

    def recall(self, cut: int, enough: int, draws: int = 0) -> NDArray[np.float64]:
        """The share that is among the first `cut` names, of those that `enough` papers of the pool cite.

        With `draws`, the shares of so many samples of queries with replacement, shape (draws,), else shape (1,). Not a
        number where no query cites such a paper.
        """
        counts = self.citing >= enough
        found = np.bincount(self.query[counts & (self.rank <= cut)], minlength=self.queries)
        whole = np.bincount(self.query[counts], minlength=self.queries)
        drawn = times_drawn(self.queries, draws, seed=0) if draws else [np.ones((1, self.queries))]
        with np.errstate(invalid="ignore"):
            return np.concatenate([(times @ found) / (times @ whole) for times in drawn])


def measure(
    folder: Path,
    work: Path,
    names: Sequence[str] = (),
    queries: int | None = None,
    validation: bool = False,
    seed: int = 0,
) -> list[Named]:
    """Ask the test papers of every corpus, or with `validation` papers that are older, of an index without a tenth.

    A measurement that was killed goes on with the queries that it had not asked.

    Args:
        folder: Of corpora, see `eval.corpora`.
        work: Where indexes are built unless they are there.
        names: Of corpora; all without.
        queries: A seeded sample of so many; all without, or `VALIDATION` older ones.
        validation: Ask papers that are no test papers, those to tune on.
        seed: Of what is hidden and of samples.

    Raises:
        SourceError: see `find_corpora` and `eval.indexes`; or no query cites a hidden paper.
    """
    found = [_measured(corpus, work, queries, validation, seed) for corpus in find_corpora(folder, names)]
    delete_answers(answered for _, answered in found)
    return [named for named, _ in found]


def hidden_ids(corpus: Corpus, seed: int = 0) -> frozenset[str]:
    """The ids of `SHARE` of the papers, none of which is a test paper, drawn by the seed."""
    tests = {query.id for query in corpus.test_set().queries}
    ids = sorted(paper.id for paper in corpus.papers() if paper.id not in tests)
    return frozenset(sampled(ids, round(SHARE * len(ids)), seed))


def shown_papers(corpus: Corpus, hidden: frozenset[str]) -> Iterator[Paper]:
    """The papers that are left, with all their citations but those of test papers."""
    return (paper for paper in corpus.papers() if paper.id not in hidden)


def table(found: Sequence[Named]) -> str:
    """A row a corpus: how many hidden citations there are, and the shares of them that are named."""
    of_first = [f"of the first {cut}" for cut in CUTS]
    heads = ["corpus", "works outside", "queries", f"hidden, cited by {ENOUGH} of the pool", *of_first, "all hidden"]
    rows = []
    for one in found:
        counts = one.outside, one.queries, int((one.citing >= ENOUGH).sum())
        shares = [_with_range(one, cut, ENOUGH) for cut in CUTS]
        of_all = f"{len(one.rank):,}", _with_range(one, CUTS[-1], 0)
        rows.append([one.corpus, *(f"{count:,}" for count in counts), *shares, *of_all])
    return markdown_table([*heads, of_first[-1]], rows)


def _with_range(one: Named, cut: int, enough: int) -> str:
    if not (one.citing >= enough).any():
        return ""
    found = interval_of(one.recall(cut, enough)[0], one.recall(cut, enough, DRAWS), one.queries)
    return found.shown(between="({}–{})")


def _measured(corpus: Corpus, work: Path, count: int | None, validation: bool, seed: int) -> tuple[Named, Path]:
    """What is named, and the file of the answers, which is needed until all corpora are measured."""
    hidden = hidden_ids(corpus, seed)
    directory = index_of_papers(
        lambda: shown_papers(corpus, hidden), work / "indexes" / f"{corpus.name}-beyond", "minilm", corpus.name
    )
    asked = _validation(corpus, hidden, count, seed) if validation else corpus.test_set(count, seed)
    gold = {query.id: asked.qrels[query.id] & hidden for query in asked.queries}
    usable = [query for query in asked.queries if gold[query.id]]
    if not usable:
        raise SourceError(f"no query of {corpus.name} cites a hidden paper: ask more, or choose a larger corpus")
    with Recommender.open(directory) as whole:
        queries = with_copies(usable, whole.generation.catalog)
        run = run_of(directory, queries, [sorted(gold[query.id]) for query in queries])
        answered = AnsweredQueries.kept(work / "runs" / corpus.name, run, _read)
        views = in_their_years(whole, queries, done=answered.of)
        for place, view in progress(views, corpus.name, len(queries) - len(answered.of)):
            answered.add(place, list(_asked(view, queries[place], gold[queries[place].id])))
        outside = whole.generation.outside
    rows = [(place, *row) for place in range(len(queries)) for row in answered.of[place]]
    named = Named(
        corpus.name,
        len(hidden),
        len(outside),
        len(usable),
        *(np.asarray(column) for column in zip(*rows, strict=True)),
    )
    return named, answered.path


def _read(found: Sequence[tuple[float | None, int]]) -> list[HiddenPaper]:
    return [(np.inf if rank is None else rank, citing) for rank, citing in found]  # JSON has no infinity


def _asked(recommender: Recommender, query: Query, gold: frozenset[str]) -> Iterator[HiddenPaper]:
    """Every hidden paper that the query cites."""
    # The names follow from the pool, whatever orders the list.
    ranking = recommender.rank(query, Settings(depth=0, blend=False, beyond=CUTS[-1]))
    names = [work.paper.id for work in beyond(ranking, recommender.generation, recommender.resolve)]
    pool = ranking.pool
    for paper in sorted(gold):
        rank = names.index(paper) + 1 if paper in names else np.inf
        yield rank, _citing(recommender, pool, paper)


def _citing(recommender: Recommender, pool: Pool, paper: str) -> int:
    outside = recommender.generation.outside
    citing = outside.graph.cited_by.of_all(outside.numbers([paper]))[1]
    return int((np.isin(citing, pool.docids) & pool.evidence.citing[citing]).sum())


def _validation(corpus: Corpus, hidden: frozenset[str], count: int | None, seed: int) -> TestSet:
    """The newest papers that are shown, no test papers, and cite enough; a seeded sample of some times as many."""
    tests = {query.id for query in corpus.test_set().queries}
    papers = {paper.id: paper for paper in corpus.papers()}
    cited = {id_: frozenset(gold_of(paper, papers)) for id_, paper in papers.items()}
    eligible = [
        paper
        for paper in papers.values()
        if paper.id not in tests and paper.id not in hidden and paper.year and len(cited[paper.id]) >= MIN_CITATIONS
    ]
    wanted = VALIDATION if count is None else count
    newest = sorted(eligible, key=lambda paper: (-(paper.year or 0), paper.id))[: NEWEST * wanted]
    queries = tuple(map(query_of, sampled(newest, wanted, seed)))
    return TestSet(queries, {query.id: cited[query.id] for query in queries})
