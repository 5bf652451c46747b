"""The reranker of lists for single sentences, from sentences that cite and an index of what they could cite.

    python -m training.contexts.sentence_reranker CORPUS CONTEXTS INDEX --out FOLDER

The late-join reranker that ships goes on learning (`rerank/sentences.py`): on one side it reads a sentence and the
title of its draft, on the other the title of a candidate. Candidates are the first stage's, asked as for a paper that
is being written. To the scores of half of the lists that stage's reciprocal ranks are added, so that the network learns
what they do not know.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from citescout.recommender import Recommender
from common.errors import TrainingError
from common.order import EXACT, best_first
from common.processes import in_processes
from common.progress import progress
from rerank.reranking import Reranking
from rerank.sentences import SPLIT, candidate_side, sentence_side
from rerank.shipped import DEFAULT
from retrieval.citation_marks import without_marks
from training.checkpoints import remove_checkpoint
from training.contexts.fitting import FIRST_ORDER
from training.contexts.sentences import Fold
from training.reranker.late_join import train_late_join
from training.reranker.lists import TrainingList
from training.reranker.settings import LateJoinSettings

SETTINGS = LateJoinSettings(
    steps=1_200, batch_size=192, size=24, hard_depth=40, depth=300, first_stage_share=0.5, keep_best=False,
    evaluate_every=0, start=DEFAULT, split=SPLIT, score_split=SPLIT,
)  # fmt: skip
# Of so many sentences, one is asked without the title of its draft, and one without the marks of its citations.
_ALONE, _UNMARKED = 4, 5
_CALIBRATING = 12  # of so many sentences for validation, one says which score is which probability
READ = 32  # candidates of a list when it is used
_WORTH = 6.0  # log-odds of the first by reciprocal ranks, to begin with: the network learns their weight


def _lists(directory: Path, depth: int, fold: Fold) -> list[TrainingList]:
    """One a sentence for which a cited paper was found."""
    known, asked = fold.read()
    found: list[TrainingList] = []
    with Recommender.open(directory) as recommender:
        # As for papers that are being written, also where the index holds what they cite.
        view = recommender.without_citations_of({one.citing for one in asked}, of_any_age=True)
        for place, sentence in enumerate(progress(asked, "sentences", len(asked))):
            query = known.query(sentence, "title" if place % _ALONE else "sentence")
            if query is None:
                continue
            pool = view.pool(query)
            gold = [docid for one in sorted(sentence.cited) if (docid := view.docid_of(one)) is not None]
            cited = np.isin(pool.docids, gold)
            if not cited.any():
                continue
            worth = np.nan_to_num(view.features(pool, query)[:, FIRST_ORDER])
            order = best_first(worth, pool.docids, EXACT)
            late = order[depth:][cited[order[depth:]]]
            kept = np.concatenate([order[: depth - len(late)], late])
            context = query.context if place % _UNMARKED else without_marks(query.context)
            candidates = candidate_side(view.generation.catalog.texts(pool.docids[kept].tolist()))
            labels, first_stage = cited[kept].astype(int).tolist(), (_WORTH * worth[kept]).tolist()
            found.append(TrainingList(sentence_side(context, query.title), candidates, labels, first_stage))
    return found


def train(
    corpus: Path, contexts: Path, directory: Path, out: Path, jobs: int = 1, settings: LateJoinSettings = SETTINGS
) -> None:
    """Write the reranker to the folder `out`, learned from the sentences for training.

    Args:
        corpus: Of papers.
        contexts: Sentences, see `training.contexts.sentences`.
        directory: An index of the corpus without what papers of the parts for validation and testing cite.
        out: A folder.
        jobs: Processes that ask the index.
        settings: Of the run.

    Raises:
        SourceError: see `CitingSentences`.
        IndexDirectoryError: the index cannot be read.
        TrainingError: no sentence to learn from, or a checkpoint of another run in `out`.
    """

    def lists(folds: Sequence[Fold]) -> list[TrainingList]:
        return [one for some in in_processes(partial(_lists, directory, settings.depth), folds, jobs) for one in some]

    learned = lists(Fold.of(corpus, contexts, "train"))
    if not learned:
        raise TrainingError("no sentence to learn from: the training part of the sentences is empty")
    calibrating = lists(Fold.of(corpus, contexts, "validation", _CALIBRATING))
    train_late_join(learned, out, settings, validation=calibrating)
    Reranking.unmeasured(depth=READ).save(out)
    remove_checkpoint(out)


def main() -> None:
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("corpus", "contexts", "index"):
        parser.add_argument(name, type=Path, metavar=name.upper())
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    train(options.corpus, options.contexts, options.index, options.out, options.jobs)


if __name__ == "__main__":
    main()
