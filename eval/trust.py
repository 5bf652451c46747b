"""Whether what an answer says of itself is true: chances of papers, the fit of the index, how popular its papers are.

Test papers of each corpus are asked of its index as abstracts, titles and three sentences; queries of all other
corpora, and nonsense, are asked too. Calibration error is the mean over ten bins of the chance of |mean chance − share
that is cited|, weighted by the papers in them (ECE: Guo et al. 2017).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.query_years import in_their_years
from citescout.recommender import Recommender
from citescout.settings import Settings
from common.processes import in_processes
from common.progress import progress
from eval.corpora import Corpus, TestSet, find_corpora
from eval.corpora_protocol import blend_of, index_of
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

    Raises:
        SourceError: see `evaluate`.
    """
    # A blend that is missing or of another kind is reported at once.
    planned = [(corpus, blend_of(corpus.name, blend)) for corpus in find_corpora(folder, names)]
    asked = {corpus.name: tuple(_texts(corpus.test_set(FOREIGN, seed), seed)) for corpus, _ in planned}
    asked["nonsense"] = tuple(Query(text) for text in NONSENSE)
    one = partial(_measured, work=work, count=queries, encoder=encoder, seed=seed, asked=asked)
    return list(in_processes(one, planned, jobs))


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
) -> Trust:  # fmt: skip
    corpus, blend = planned
    directory = index_of(corpus, work, encoder)
    tests = corpus.test_set(count, seed)
    generator = np.random.default_rng(seed)
    chances: list[float] = []
    cited: list[bool] = []
    own: dict[Form, list[float]] = {form: [] for form in FORMS}
    gaps: dict[Form, list[float]] = {form: [] for form in FORMS}
    with Recommender.open(directory, blend=blend) as whole:
        catalog, graph = whole.generation.catalog, whole.generation.graph
        popular = cited_no_more(graph, np.diff(graph.cited_by.offsets))
        queries = with_copies(tests.queries, catalog)
        for place, recommender in progress(in_their_years(whole, queries), corpus.name, len(queries)):
            query = queries[place]
            gold = np.fromiter(catalog.docids(tests.qrels[query.id]).values(), np.int32)
            for form in FORMS:
                example = asked_as(TrainingQuery(query, gold), form, None, generator)
                if example is None:
                    continue
                ranking = recommender.rank(example.query, Settings(depth=0))
                first = ranking.pool.docids[ranking.order[:CUT]]
                if ranking.chances is not None:
                    chances += ranking.chances[:CUT].tolist()
                    cited += np.isin(first, gold).tolist()
                if ranking.fit is not None:
                    own[form].append(ranking.fit.chance)
                gaps[form].append(float(popular[first].mean() - popular[gold].mean()))
        by_text = Settings(sources=("bm25", "dense"), blend=False, depth=0)
        foreign = {
            name: np.asarray([fit.chance for query in some if (fit := whole.rank(query, by_text).fit) is not None])
            for name, some in asked.items()
            if name != corpus.name
        }
    return Trust(
        corpus.name,
        np.asarray(chances),
        np.asarray(cited, np.bool_),
        {form: np.asarray(values) for form, values in own.items()},
        foreign,
        {form: float(np.mean(values)) for form, values in gaps.items() if values},
    )


def _texts(tests: TestSet, seed: int) -> Iterator[Query]:
    """Test papers asked as if the index did not know them: without id and year, in all forms by turns."""
    generator = np.random.default_rng(seed)
    for place, query in enumerate(tests.queries):
        example = TrainingQuery(query, np.zeros(0, np.int32))
        if asked := asked_as(example, FORMS[place % len(FORMS)], None, generator):
            yield Query(asked.query.title, asked.query.abstract)
