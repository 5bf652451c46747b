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
from eval.answered import AnsweredQueries, delete_answers, run_of, shared
from eval.corpora import sampled
from eval.indexes import index_of_papers
from eval.metrics import QueryScores, score_queries
from eval.significance import DRAWS, Interval, interval_of, times_drawn
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
    """Scores by form. A measurement that was killed goes on with the sentences that it had not asked.

    Args:
        corpus: Papers with their citations, in any format that can be indexed.
        contexts: Sentences, see `training.contexts.sentences`.
        work: Folder for the index, which is built unless it is there, and for what is asked already.
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
    forms = [{form: query for form in FORMS if (query := known.query(one, form))} for one in asked]
    with Recommender.open(directory, blend=blend) as recommender:
        answered = AnsweredQueries.kept(work, run_of(directory, forms, recommender.identity), _sharing_ids)
        missing = [place for place in range(len(asked)) if place not in answered.of]
        for place in progress(missing, "sentences", len(missing)):
            answered.add(place, _answers(recommender, forms[place]))
    found = []
    for form in FORMS:
        if places := [place for place, of in enumerate(forms) if form in of]:
            lists = {asked[place]: answered.of[place] for place in places}
            already = {asked[place].id: forms[place][form].already_cited for place in places}
            found.append(_scores(form, lists, already, seed))
    delete_answers([answered.path])
    return found


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


def _answers(recommender: Recommender, forms: Mapping[ContextForm, Query]) -> dict[str, list[str]]:
    """BM25's list of a sentence, and that of each form."""
    query = forms["sentence"]
    alone = replace(query, abstract=query.wanted.abstract, context="")
    rankings = {BM25: recommender.rank(alone, find_system("BM25").settings)}
    rankings |= {form: recommender.rank(query) for form, query in forms.items()}
    return _sharing_ids({name: ranking.ids(_DEPTH) for name, ranking in rankings.items()})


def _sharing_ids(found: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {name: shared(ids) for name, ids in found.items()}


def _scores(
    form: ContextForm,
    lists: Mapping[CitingSentence, Mapping[str, Sequence[str]]],
    already_cited: Mapping[str, Sequence[str]],
    seed: int,
) -> FormScores:
    qrels = {one.id: one.cited for one in lists}
    run = {one.id: of[form] for one, of in lists.items()}
    # What the draft cites already is no answer; the list by words is not to be punished for naming it.
    known = {id_: frozenset(cited) for id_, cited in already_cited.items()}
    plain = {one.id: [paper for paper in of[BM25] if paper not in known[one.id]] for one, of in lists.items()}
    citing = {one.id: one.citing for one in lists}
    ours, bm25 = (_means(score_queries(qrels, each, MEASURES), citing, seed) for each in (run, plain))
    # In samples where BM25 finds nothing there is no ratio: they do not count.
    ratios = {name: ours[name] / np.where(of > 0, of, np.nan) for name, of in bm25.items() if of[0] > 0}
    papers = len(set(citing.values()))
    shown = (
        {name: interval_of(float(found[0]), found[1:], papers) for name, found in each.items()}
        for each in (bm25, ours, ratios)
    )
    return FormScores(form, len(qrels), *shown)


def _means(scores: QueryScores, citing: Mapping[str, str], seed: int) -> dict[str, NDArray[np.float64]]:
    """Of each measure the mean over sentences, and behind it those in the samples.

    Papers are drawn with all of their sentences: these are alike, and intervals over sentences would be too narrow.
    """
    names, of = np.unique([citing[id_] for id_ in scores.queries], return_inverse=True)
    once = np.ones((1, len(names)))
    times = np.concatenate([once, *times_drawn(len(names), DRAWS, seed)])[:, of]
    return {name: times @ values / times.sum(axis=1) for name, values in scores.values.items()}
