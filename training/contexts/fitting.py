"""Fitting the order for queries with a context, on sentences that the encoder of sentences has not learned from.

From those for training the trees would learn to trust it too much.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from citescout.recommender import Recommender
from citescout.settings import Settings
from common.errors import TrainingError
from common.processes import in_processes
from common.progress import progress
from indexer.generations import open_generation
from rerank.blend import TRAINING_DEPTH, Blend, WithoutCitations
from rerank.context_features import CONTEXT_NAMES, TEXT_CONTEXT_NAMES
from rerank.sentences import sentence_reranker
from retrieval.first_stage import SOURCES
from training.blend.asked import AskedList
from training.blend.fitting import fit_logistic, fit_reranker_weight, train_order
from training.blend.from_index import first_papers, joined, read_lists, scored
from training.blend.lists import LabelledList
from training.contexts.sentences import CitingSentence, CitingSentences, ContextForm, Fold

# Of the reranker's weight that is best in the field that it has learned: in others it deserves less, and half of it
# loses nothing there.
_ELSEWHERE = 0.5
BY_WORDS = Settings(sources=tuple(source for source in SOURCES if source != "dense"), blend=False)
_ALWAYS: tuple[ContextForm, ...] = ("sentence", "title", "citations")
FIRST_ORDER = CONTEXT_NAMES.index("all_places")


def labelled_lists(directory: Path, corpus: Path, contexts: Path, every: int, jobs: int = 1) -> list[list[AskedList]]:
    """Lists of every so many'th sentence for validation, in folds that share no citing paper.

    Args:
        directory: An index of the corpus without what papers of the parts for validation and testing cite.
        corpus: Of papers.
        contexts: Sentences, see `training.contexts.sentences`.
        every: Ask every so many'th sentence.
        jobs: Processes.

    Raises:
        SourceError: see `CitingSentences`.
        IndexDirectoryError: the index cannot be read.
        TrainingError: it is of another corpus, or holds what papers of these parts cite.
    """
    _check_index(directory, CitingSentences(corpus, contexts))
    folds = Fold.of(corpus, contexts, "validation", every)
    return list(in_processes(partial(_of_fold, directory), folds, jobs))


def _check_index(directory: Path, known: CitingSentences) -> None:
    with open_generation(directory) as generation:
        for part in ("validation", "test"):
            citing = {one.citing for one in known.of(part)}
            docids = np.fromiter(generation.catalog.docids(citing).values(), np.int32)
            if citing and not len(docids):
                raise TrainingError(f"{directory} holds no paper of {known.corpus} that cites: index that corpus")
            citations, _ = generation.graph.cites.of_all(docids)
            # What a few cite may be there: another record of one, that was merged into it, is of no part.
            if 2 * len(np.unique(citations)) > len(docids):
                raise TrainingError(
                    f"{directory} holds what papers of the part for {part} cite, which the order would learn from: "
                    f"give an index without that, such as eval contexts --part {part} builds"
                )


def _of_fold(directory: Path, fold: Fold) -> list[AskedList]:
    known, asked = fold.read()
    with Recommender.open(directory) as recommender:
        return list(context_lists(recommender, known, asked))


def context_lists(
    recommender: Recommender, corpus: CitingSentences, sentences: Sequence[CitingSentence]
) -> Iterator[AskedList]:
    """The best candidates of each sentence, by reciprocal ranks, and those cited.

    Each is asked in every one of `_ALWAYS`, and in one other way in turn, if its paper allows: in another form, or of
    an index without vectors, without a query map or whose encoder has none for sentences, so that the order does not
    rely on these.
    """
    unmapped = recommender.without_query_map()
    usual = recommender.settings
    other_ways = [
        Way("title, no year", recommender, usual),
        Way("title", unmapped, usual),
        Way("citations", recommender, usual, learned=False),
        Way("citations, no year", recommender, usual),
        Way("abstract", recommender, usual),
        Way("title", recommender, BY_WORDS),
        Way("sentence", unmapped, usual, learned=False),
        Way("citations", unmapped, usual),
        Way("title", recommender, usual, learned=False),
        Way("citations", recommender, BY_WORDS),
    ]
    always = [Way(form, recommender, usual) for form in _ALWAYS]
    yield from asked_in_turn(corpus, progress(sentences, "sentences", len(sentences)), always, other_ways)


def asked_in_turn(
    corpus: CitingSentences, sentences: Iterable[CitingSentence], always: Sequence[Way], others: Sequence[Way]
) -> Iterator[AskedList]:
    """Each sentence in every way of `always`, and in one of `others` in turn, where its paper allows."""
    for place, sentence in enumerate(sentences):
        for way in (*always, others[place % len(others)]):
            if found := way.asked(corpus, sentence):
                yield found


@dataclass(frozen=True, slots=True)
class Way:
    """In which form a sentence is asked, and of which index."""

    form: ContextForm
    recommender: Recommender
    settings: Settings
    learned: bool = True  # whether its vectors are those that the encoder of sentences knows

    def asked(self, corpus: CitingSentences, sentence: CitingSentence) -> AskedList | None:
        """The best candidates by reciprocal ranks, and those cited; None where the paper has no such form."""
        query = corpus.query(sentence, self.form)
        if not query:
            return None
        gold = [docid for one in sorted(sentence.cited) if (docid := self.recommender.docid_of(one)) is not None]
        pool = self.recommender.pool(query, self.settings)
        if not self.learned and pool.context is not None:
            pool = replace(pool, context={**pool.context, "learned": np.full(len(pool.docids), np.nan, np.float32)})
        features = self.recommender.features(pool, query)
        cited = np.isin(pool.docids, gold)
        first = np.argsort(-np.nan_to_num(features[:, FIRST_ORDER]), kind="stable")
        kept = first[(np.arange(len(first)) < TRAINING_DEPTH) | cited[first]]
        return AskedList(query, LabelledList(features[kept], cited[kept]), pool.docids[kept])


def train_context_blend(
    directory: Path, folds: Sequence[Sequence[AskedList]], libraries: Sequence[Sequence[AskedList]], seed: int
) -> Blend:
    """The order that is learned from all folds but the last, which gives the weight of the reranker and the chances.

    An order of all folds would score higher than those that the chances are fitted to. What says whether the index is
    about a query is that of the blend that ships: it looks at no feature.

    Args:
        directory: The index of the lists.
        folds: Lists, of other citing papers in each.
        libraries: The same where no citation is known, see `training.contexts.libraries`.
        seed: Of the orders.

    Raises:
        TrainingError: no list holds a cited paper, or the last fold is empty.
    """
    *earlier, last = folds
    if not last:
        raise TrainingError("no sentence to calibrate chances by: there are too few for validation")
    # An additive model gains nothing here: docs/experiments.md.
    order = train_order([one.labelled for lists in earlier for one in lists], CONTEXT_NAMES, seed, additive=False)
    with Recommender.open(directory) as recommender:
        depth = sentence_reranker().reranking.depth
        read = read_lists(recommender, [order] * len(last), last, depth, "reranker")
    shipped = Blend.load()
    weight = _ELSEWHERE * fit_reranker_weight(read)
    scores, cited = joined(first_papers(one.scores + weight * one.logits, one.cited) for one in read)
    calibration = replace(shipped.calibration, cited=fit_logistic(scores, cited))
    return Blend(order, weight, calibration, order_of_libraries(libraries, seed))


def order_of_libraries(folds: Sequence[Sequence[AskedList]], seed: int) -> WithoutCitations:
    """The order that is learned where no citation is known, from all folds but the last, which gives its chances.

    Raises:
        TrainingError: no list holds a cited paper, or the last fold is empty.
    """
    places = [CONTEXT_NAMES.index(name) for name in TEXT_CONTEXT_NAMES]
    *earlier, last = ([one.labelled.of_columns(places) for one in lists] for lists in folds)
    order = train_order([one for lists in earlier for one in lists], TEXT_CONTEXT_NAMES, seed)
    return WithoutCitations(order, fit_logistic(*scored(order, last, sized=True)))
