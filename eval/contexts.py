"""How good lists for one sentence are: local citation recommendation on sentences that cite.

Each sentence is asked as if its paper were being written: the index knows nothing of what the paper cites, neither the
paper nor another record of it is a candidate, and nothing newer is. Two protocols: nothing of what the paper cites is
given (beside the sentence nothing, its title, or title and abstract); or its other citations are (`already_cited`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.recommender import Recommender
from citescout.systems import find_system
from common.errors import SourceError
from common.progress import progress
from eval.corpora import sampled
from eval.indexes import index_of_papers
from eval.metrics import QueryScores, score_queries
from eval.significance import DRAWS, Interval, interval_of
from eval.tables import markdown_table
from rerank.blend import check_orders
from retrieval.query import Query
from training.contexts.sentences import CitingSentence, CitingSentences, ContextForm, Part

FORMS: Mapping[ContextForm, str] = {
    "sentence": "the sentence",
    "title": "+ title",
    "abstract": "+ title and abstract",
    "citations": "+ title and other citations",
}
MEASURES = ("R@10", "R@20", "RR@1000", "nDCG@10")
NAMES = {"RR@1000": "MRR"}
BM25 = "BM25, the sentence alone"
_DEPTH = 1000


@dataclass(frozen=True, slots=True)
class FormScores:
    """Both systems on the sentences that can be asked in one form."""

    form: ContextForm
    sentences: int
    bm25: Mapping[str, Interval]  # by measure, of the sentence alone
    ours: Mapping[str, Interval]
    ratio: Mapping[str, Interval]  # ours / BM25's, where that is not 0


def measure(
    corpus: Path,
    contexts: Path,
    work: Path,
    part: Part | None = None,
    sample: int | None = None,
    encoder: str | None = "minilm",
    blend: Path | None = None,
    seed: int = 0,
) -> list[FormScores]:
    """Scores by form.

    Args:
        corpus: Papers with their citations, in any format that can be indexed.
        contexts: Sentences, see `training.contexts.sentences`.
        work: Folder for the index, which is built unless it is there.
        part: Only its sentences; then the index still has what papers of the part for training cite. All without.
        sample: Sentences at most, drawn by `seed`.
        encoder: Of the index; None for one without vectors.
        blend: A file that `citescout train contexts` wrote; the one that ships without.
        seed: Of sample and intervals.

    Raises:
        SourceError: see `CitingSentences` and `eval.indexes`; or the part is empty.
        ModelError: the encoder cannot be loaded; or see `rerank.blend.check_orders`.
    """
    check_orders(blend, {True})
    known = CitingSentences(corpus, contexts)
    asked = sampled(known.of(part), sample, seed)
    if not asked:
        raise SourceError(f"{contexts} holds no sentence of the part {part}")
    held_out: tuple[Part, ...] = ("validation", "test") if part else ("train", "validation", "test")
    name = "all-but-train" if part else "all"
    work.mkdir(parents=True, exist_ok=True)
    directory = index_of_papers(lambda: known.papers(held_out), work / "indexes" / name, encoder, corpus)
    with Recommender.open(directory, blend=blend) as recommender:
        by_words = find_system("BM25").settings
        baseline: dict[str, list[str]] = {}
        for one in progress(asked, "BM25", len(asked)):
            query = known.query(one, "sentence")
            if query:
                words = replace(query, abstract=query.wanted.abstract, context="")
                baseline[one.id] = recommender.rank(words, by_words).ids(_DEPTH)
        return [
            _scores(
                form, {one: query for one in asked if (query := known.query(one, form))}, baseline, recommender, seed
            )
            for form in FORMS
            if any(known.query(one, form) for one in asked)
        ]


def table(found: Sequence[FormScores]) -> str:
    """A row a form and system, with 95 % intervals over citing papers."""
    rows = []
    for one in found:
        for name, values in ((BM25, one.bm25), ("citescout", one.ours), ("ratio", one.ratio)):
            digits = 2 if name == "ratio" else 3
            shown = (each and each.shown(f".{digits}f", "({}–{})") for each in map(values.get, MEASURES))
            cells = [each or "–" for each in shown]
            rows.append([FORMS[one.form], one.sentences, name, *cells])
    return markdown_table(["asked", "sentences", "", *(NAMES.get(name, name) for name in MEASURES)], rows)


def _scores(
    form: ContextForm,
    queries: Mapping[CitingSentence, Query],
    baseline: Mapping[str, Sequence[str]],
    recommender: Recommender,
    seed: int,
) -> FormScores:
    qrels = {one.id: one.cited for one in queries}
    run = {
        one.id: recommender.rank(query).ids(_DEPTH)
        for one, query in progress(queries.items(), FORMS[form], len(queries))
    }
    # What the draft cites already is no answer; the list by words is not to be punished for naming it.
    known = {one.id: frozenset(query.already_cited) for one, query in queries.items()}
    plain = {id_: [paper for paper in baseline[id_] if paper not in known[id_]] for id_ in qrels}
    ours, bm25 = (score_queries(qrels, each, MEASURES) for each in (run, plain))
    citing = {one.id: one.citing for one in queries}
    drawn = _draws([citing[id_] for id_ in ours.queries], seed)
    papers = len(set(citing.values()))
    figures = [_intervals(ours, drawn), _intervals(bm25, drawn)]
    ratios = {
        name: _ratio(*figures[0][name], *figures[1][name], papers) for name in MEASURES if figures[1][name][0] > 0
    }
    ours_shown, bm25_shown = ({name: interval_of(*each[name], papers) for name in MEASURES} for each in figures)
    return FormScores(form, len(qrels), bm25_shown, ours_shown, ratios)


def _ratio(
    ours: float, ours_drawn: NDArray[np.float64], bm25: float, bm25_drawn: NDArray[np.float64], papers: int
) -> Interval:
    """In samples where BM25 finds nothing there is no ratio: they do not count."""
    drawn = np.full(len(bm25_drawn), np.nan)
    np.divide(ours_drawn, bm25_drawn, out=drawn, where=bm25_drawn > 0)
    return interval_of(ours / bm25, drawn, papers)


def _draws(papers: Sequence[str], seed: int) -> NDArray[np.float64]:
    """How often each sentence is drawn in each sample, shape (draws, sentences); papers are drawn, with all of theirs.

    Sentences of one paper are alike, so that intervals over sentences would be too narrow.
    """
    names, of = np.unique(np.asarray(papers), return_inverse=True)
    times = np.random.default_rng(seed).multinomial(len(names), np.full(len(names), 1 / len(names)), DRAWS)
    return np.asarray(times[:, of], np.float64)


def _intervals(scores: QueryScores, drawn: NDArray[np.float64]) -> dict[str, tuple[float, NDArray[np.float64]]]:
    """Of each measure the mean over sentences, and its means in the samples."""
    return {
        name: (float(values.mean()), drawn @ values / np.maximum(drawn.sum(axis=1), 1))
        for name, values in scores.values.items()
    }
