"""Whether what an answer says of itself is true: chances of papers, the fit of the index, how popular its papers are.

Test papers of each corpus are asked of its index as abstracts, titles and three sentences; queries of all other
corpora, and nonsense, are asked too. Calibration error is the mean over ten bins of the chance of |mean chance − share
that is cited|, weighted by the papers in them (ECE: Guo et al. 2017).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citescout.query_years import in_their_years
from citescout.recommender import Recommender
from citescout.settings import Settings
from common.processes import in_processes
from common.progress import progress
from eval.answered import AnsweredQueries, delete_answers, run_of
from eval.corpora import Corpus, TestSet, find_corpora
from eval.corpora_protocol import blend_of
from eval.indexes import index_of_corpus
from eval.tables import markdown_table
from retrieval.copies import with_copies
from retrieval.graph import cited_no_more
from retrieval.query import Query
from training.blend.forms import Form, asked_as
from training.blend.pools import FOREIGN_FORMS
from training.queries import TrainingQuery

FORMS = FOREIGN_FORMS
CUT, BINS = 20, 10
FOREIGN = 15  # queries of each other corpus
NONSENSE = (
    "asdf qwer zxcv", "xk jq zzv plm wrt", "hello", "la la la la la", "12345 67890 2020", "the and of to in a is",
    "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore",
    "qwertyuiop asdfghjkl zxcvbnm", "aaaa bbbb cccc dddd eeee ffff gggg hhhh", "random purple table seventeen cloud",
    "Das Wetter ist heute schön, die Kinder spielen im Park Fußball.", "天气很好，我们去公园散步。",
    "Recipe: mix flour, eggs and butter; bake at 180 degrees for forty minutes until golden.",
    "buy cheap watches online best price discount free shipping", "The quick brown fox jumps over the lazy dog",
)  # fmt: skip

Chances = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Said:
    """What the answer to one query in one form says of itself."""

    chances: Sequence[float]  # of its first CUT papers; of none where it gives no chance
    cited: Sequence[bool]  # whether the query cites each of them
    fit: float | None  # chance of it
    popularity: float | None  # mean percentile of citations, of the first CUT less that of what is cited; None of none


@dataclass(frozen=True, slots=True)
class Trust:
    """What one index says of itself."""

    corpus: str
    chances: Chances  # of the first CUT papers of all lists
    cited: NDArray[np.bool_]  # whether the query cites each of them
    own: Mapping[Form, Chances]  # chance of the fit for queries of the corpus
    foreign: Mapping[str, Chances]  # and for those of other corpora and for nonsense
    # Mean percentile of citations, of the first CUT less that of what is cited; only of forms that have a query.
    popularity: Mapping[Form, float]

    @property
    def areas(self) -> dict[str, float]:
        """How well the fit separates the corpus's queries from others': the area under the ROC curve, by corpus."""
        own = np.concatenate(list(self.own.values()))
        return {name: area(own, other) for name, other in self.foreign.items() if len(own) and len(other)}


def measure(
    folder: Path, work: Path, names: Sequence[str], queries: int | None, encoder: str, blend: Path | None, jobs: int,
    seed: int,
) -> list[Trust]:  # fmt: skip
    """Of every corpus; see `eval.corpora_protocol.evaluate` for the arguments.

    A measurement that was killed goes on with the queries of the corpora that it had not asked.

    Raises:
        SourceError: see `evaluate`.
    """
    # A blend that is missing or of another kind is reported at once.
    planned = [(corpus, blend_of(corpus.name, blend)) for corpus in find_corpora(folder, names)]
    asked = {corpus.name: tuple(_texts(corpus.test_set(FOREIGN, seed), seed)) for corpus, _ in planned}
    asked["nonsense"] = tuple(Query(text) for text in NONSENSE)
    one = partial(_measured, work=work, count=queries, encoder=encoder, seed=seed, asked=asked)
    found = list(in_processes(one, planned, jobs))
    delete_answers(answered for _, answered in found)
    return [trust for trust, _ in found]


def calibration_error(found: Sequence[Trust]) -> float:
    """Of the chances of all lists together."""
    chances = np.concatenate([one.chances for one in found])
    bins = np.minimum((chances * BINS).astype(int), BINS - 1)
    sums = np.bincount(bins, chances - np.concatenate([one.cited for one in found]), minlength=BINS)
    return float(np.abs(sums).sum() / max(len(bins), 1))


def area(positive: Chances, negative: Chances) -> float:
    """How often one of `positive` is above one of `negative`, ties counting half."""
    above = (positive[:, None] > negative[None, :]).mean()
    return float(above + (positive[:, None] == negative[None, :]).mean() / 2)


def table(found: Sequence[Trust]) -> str:
    """One row a corpus, and their means; a dash where nothing was asked that would tell."""
    first, *others = FORMS
    heads = ("corpus", "calibration error", "fit: mean AUROC", "worst", "against", f"popularity: {first}", *others)
    rows = []
    of_one = ((one.corpus, [one], min(one.areas, key=one.areas.__getitem__, default="")) for one in found)
    for name, some, worst in (*of_one, ("all", found, "")):
        areas = [value for one in some for value in one.areas.values()]
        gaps = [[one.popularity[form] for one in some if form in one.popularity] for form in FORMS]
        error = f"{calibration_error(some):.3f}" if any(len(one.chances) for one in some) else "–"
        fits = (f"{np.mean(areas):.4f}", f"{min(areas):.3f}") if areas else ("–", "–")
        rows.append((name, error, *fits, worst, *(f"{100 * np.mean(gap):+.1f}" if gap else "–" for gap in gaps)))
    return markdown_table(heads, rows)


def _measured(
    planned: tuple[Corpus, Path | None], work: Path, count: int | None, encoder: str, seed: int,
    asked: Mapping[str, Sequence[Query]],
) -> tuple[Trust, Path]:  # fmt: skip
    """What it says, and the file of the answers, which is needed until all corpora are measured."""
    corpus, blend = planned
    directory = index_of_corpus(corpus, work, encoder)
    with Recommender.open(directory, blend=blend) as whole:
        answered = _answered(whole, directory, corpus.test_set(count, seed), work / "runs" / corpus.name, seed)
        foreign = {name: _fits(whole, some) for name, some in asked.items() if name != corpus.name}
    said = [one for of_query in answered.of.values() for one in of_query.items()]
    of_form = {form: [one for of, one in said if of == form] for form in FORMS}
    gaps = {form: [one.popularity for one in some if one.popularity is not None] for form, some in of_form.items()}
    trust = Trust(
        corpus.name,
        np.asarray([chance for _, one in said for chance in one.chances], np.float64),
        np.asarray([cited for _, one in said for cited in one.cited], np.bool_),
        {form: np.asarray([one.fit for one in some if one.fit is not None]) for form, some in of_form.items()},
        foreign,
        {form: float(np.mean(values)) for form, values in gaps.items() if values},
    )
    return trust, answered.path


def _answered(
    whole: Recommender, directory: Path, tests: TestSet, runs: Path, seed: int
) -> AnsweredQueries[dict[Form, Said]]:
    """What the answers to test papers of the corpus itself say, in all forms; the newest papers first."""
    catalog, graph = whole.generation.catalog, whole.generation.graph
    popular = cited_no_more(graph, np.diff(graph.cited_by.offsets))
    queries = with_copies(tests.queries, catalog)
    gold = [np.sort(np.fromiter(catalog.docids(tests.qrels[one.id]).values(), np.int32)) for one in queries]
    forms = _in_all_forms(queries, seed)
    run = run_of(directory, forms, [one.tolist() for one in gold], whole.identity)
    answered = AnsweredQueries.kept(runs, run, _read)
    views = in_their_years(whole, queries, done=answered.of)
    for place, view in progress(views, runs.name, len(queries) - len(answered.of)):
        answered.add(place, {form: _said(view, query, gold[place], popular) for form, query in forms[place].items()})
    return answered


def _fits(recommender: Recommender, queries: Sequence[Query]) -> Chances:
    """The chance of the fit that each is told, of those that are told any; by their text alone."""
    by_text = Settings(sources=("bm25", "dense"), blend=False, depth=0)
    fits = (recommender.rank(query, by_text).fit for query in queries)
    return np.asarray([fit.chance for fit in fits if fit is not None])


def _in_all_forms(queries: Sequence[Query], seed: int) -> dict[int, dict[Form, Query]]:
    """By place, the newest first."""
    generator = np.random.default_rng(seed)
    forms: dict[int, dict[Form, Query]] = {}
    for place in sorted(range(len(queries)), key=lambda place: -(queries[place].year or 0)):
        example = TrainingQuery(queries[place], np.zeros(0, np.int32))
        asked = {form: asked_as(example, form, None, generator) for form in FORMS}
        forms[place] = {form: one.query for form, one in asked.items() if one}
    return forms


def _said(recommender: Recommender, query: Query, gold: NDArray[np.int32], popular: Chances) -> Said:
    ranking = recommender.rank(query, Settings(depth=0))
    first = ranking.pool.docids[ranking.order[:CUT]]
    chances = [] if ranking.chances is None else ranking.chances[:CUT].tolist()
    return Said(
        chances,
        np.isin(first, gold)[: len(chances)].tolist(),
        ranking.fit.chance if ranking.fit is not None else None,
        float(popular[first].mean() - popular[gold].mean()) if len(first) else None,
    )


def _read(found: Mapping[Form, Any]) -> dict[Form, Said]:
    return {form: Said(**said) for form, said in found.items()}


def _texts(tests: TestSet, seed: int) -> Iterator[Query]:
    """Test papers asked as if the index did not know them: without id and year, in all forms by turns."""
    generator = np.random.default_rng(seed)
    for place, query in enumerate(tests.queries):
        example = TrainingQuery(query, np.zeros(0, np.int32))
        if asked := asked_as(example, FORMS[place % len(FORMS)], None, generator):
            yield Query(asked.query.title, asked.query.abstract)
