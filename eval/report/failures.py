"""Queries worth reading: where the best system finds least, and where it loses most against the baseline."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from citescout.queries import read_queries
from common.errors import SourceError
from eval.metrics import Qrels
from eval.report.measured import Measured
from eval.trec import read_run
from indexer.readers import read_papers

QUERIES = 10  # of each kind
ENOUGH_GOLD = 5  # citations; with fewer, a low F1@20 says little
TOP = 5  # papers that stand above what is gold
_DIGITS = 9  # of F1 values that are equal


@dataclass(frozen=True, slots=True)
class Named:
    """A paper or query as a reader knows it."""

    id: str
    title: str  # the id, where there is no title
    year: int | None


@dataclass(frozen=True, slots=True)
class GoldPaper(Named):
    """A paper that a query cites."""

    rank: int | None  # from 1; None where the list does not hold it
    baseline_rank: int | None


@dataclass(frozen=True, slots=True)
class OtherPaper(Named):
    """A paper of the list that is not gold."""

    rank: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A query that went wrong."""

    query: Named
    f1_at_20: float
    baseline_f1_at_20: float
    gold: tuple[GoldPaper, ...]  # best rank first, what the list does not hold last
    instead: tuple[OtherPaper, ...]  # the best of the list

    @property
    def found(self) -> tuple[GoldPaper, ...]:
        """Gold that the list holds."""
        return tuple(gold for gold in self.gold if gold.rank is not None)

    @property
    def missed(self) -> tuple[GoldPaper, ...]:
        """Gold that it does not."""
        return tuple(gold for gold in self.gold if gold.rank is None)


@dataclass(frozen=True, slots=True)
class Failures:
    """Both kinds."""

    lowest: tuple[Failure, ...]  # of the queries with enough gold
    lost: tuple[Failure, ...]  # greatest loss against the baseline first


def find_failures(measured: Measured, best: str, baseline: str) -> Failures:
    """The failures of the system `best`.

    Raises:
        SourceError: the queries or the indexed papers cannot be read, or a query is not among the former.
    """
    one, base = measured.systems[best], measured.systems[baseline]
    mine, theirs = (
        dict(zip(system.scores.queries, system.scores.f1_at_20.tolist(), strict=True)) for system in (one, base)
    )
    lowest, lost = worst(mine, measured.qrels), losses(mine, theirs)
    run = read_run(one.path)
    queries = {*lowest, *lost}
    instead = {
        query: [(rank, paper) for rank, paper in enumerate(run.get(query, ()), start=1) if paper not in gold][:TOP]
        for query, gold in measured.qrels.items()
        if query in queries
    }
    named = _names(measured, queries, instead)

    def failure(query: str) -> Failure:
        ranks, baseline_ranks = one.ranks[query], base.ranks[query]
        order = sorted(measured.qrels[query], key=lambda paper: (ranks.get(paper, float("inf")), paper))
        return Failure(
            query=named[query],
            f1_at_20=mine[query],
            baseline_f1_at_20=theirs[query],
            gold=tuple(
                GoldPaper(**asdict(named[paper]), rank=ranks.get(paper), baseline_rank=baseline_ranks.get(paper))
                for paper in order
            ),
            instead=tuple(OtherPaper(**asdict(named[paper]), rank=rank) for rank, paper in instead[query]),
        )

    return Failures(tuple(map(failure, lowest)), tuple(map(failure, lost)))


def worst(f1: Mapping[str, float], qrels: Qrels) -> list[str]:
    """Queries with enough gold by ascending F1@20; of equal ones, those with the most gold first."""
    judged = [query for query in f1 if len(qrels[query]) >= ENOUGH_GOLD]
    return sorted(judged, key=lambda query: (round(f1[query], _DIGITS), -len(qrels[query]), query))[:QUERIES]


def losses(f1: Mapping[str, float], baseline: Mapping[str, float]) -> list[str]:
    """Queries that the baseline answers better, the greatest difference in F1@20 first."""
    gains = {query: round(f1[query] - baseline[query], _DIGITS) for query in f1}
    return sorted((query for query in gains if gains[query] < 0), key=lambda query: (gains[query], query))[:QUERIES]


def _names(
    measured: Measured, queries: set[str], instead: Mapping[str, Iterable[tuple[int, str]]]
) -> Mapping[str, Named]:
    """Titles and years of the queries and of all papers that stand with them."""
    wanted = queries.union(*(measured.qrels[query] for query in queries))
    wanted |= {paper for papers in instead.values() for _, paper in papers}
    named = {
        paper.id: Named(paper.id, paper.title or paper.id, paper.year)
        for paper in read_papers([str(measured.papers)])
        if paper.id in wanted
    }
    for query in read_queries(str(measured.queries)):
        if query.id in queries:
            # A query of a transductive split has no year; its paper in the index does.
            known = named.get(query.id)
            year = known.year if known and query.year is None else query.year
            named[query.id] = Named(query.id, query.title or query.id, year)
    if missing := sorted(queries - named.keys()):
        raise SourceError(f"{measured.queries} has no query {missing[0]}, which the qrels know")
    return {id_: named.get(id_, Named(id_, id_, None)) for id_ in wanted}
