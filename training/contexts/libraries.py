"""Lists for sentences where no citation is known: of libraries of one person, cut out of a corpus of citing sentences.

So `cite` is asked, beside a BibTeX file: the index holds what a few related papers cite, without who cites whom.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from citescout.recommender import Recommender
from common.processes import in_processes
from common.progress import progress
from indexer.builds import build_index
from training.blend.asked import AskedList
from training.blend.without_citations import LEAST, others_of, together_of
from training.contexts.fitting import BY_WORDS, Way, asked_in_turn
from training.contexts.sentences import CitingSentence, CitingSentences, Fold

_OF_A_FOLD = 16  # libraries
_MOST_ASKED = 5  # papers of a library
_SENTENCES = 6  # of each at most


def labelled_libraries(
    corpus: Path, contexts: Path, encoder: str | None, seed: int = 0, jobs: int = 1
) -> list[list[AskedList]]:
    """Lists of sentences for validation in libraries, in folds that share no citing paper.

    Args:
        corpus: Of papers.
        contexts: Sentences, see `training.contexts.sentences`.
        encoder: Of the libraries; None for none.
        seed: Of what is drawn.
        jobs: Processes.

    Raises:
        SourceError: see `CitingSentences`.
        ModelError: the encoder cannot be loaded.
    """
    return list(in_processes(partial(_of_fold, encoder, seed), Fold.of(corpus, contexts, "validation"), jobs))


@dataclass(frozen=True, slots=True)
class SentenceLibrary:
    """What some papers cite, with some others, and sentences of these papers."""

    papers: frozenset[str]
    sentences: tuple[CitingSentence, ...]


def sentence_libraries(
    corpus: CitingSentences, sentences: Sequence[CitingSentence], seed: int
) -> Iterator[SentenceLibrary]:
    """Around some of the papers that the sentences stand in."""
    generator = np.random.default_rng(seed)
    of_paper: dict[str, list[CitingSentence]] = defaultdict(list)
    for sentence in sentences:
        of_paper[sentence.citing].append(sentence)
    known = sorted(corpus.ids)
    cited = {citing: [one for one in corpus.cited_by(citing) if one in corpus.ids] for citing in of_paper}
    citing_of: dict[str, list[str]] = defaultdict(list)
    for citing, some in cited.items():
        for one in some:
            citing_of[one].append(citing)
    for place in generator.permutation(len(cited))[:_OF_A_FOLD]:
        first = list(cited)[place]
        shared = Counter(citing for one in cited[first] for citing in citing_of[one] if citing != first)
        together = [first, *(citing for citing, _ in shared.most_common(together_of(generator) - 1))]
        held = {one for citing in together for one in cited[citing]}
        others = generator.permutation(len(known))[: others_of(len(held), generator)]
        papers = frozenset(held.union(known[other] for other in others))
        if len(papers) >= LEAST:
            asked = [one for citing in together[:_MOST_ASKED] for one in of_paper[citing][:_SENTENCES]]
            yield SentenceLibrary(papers, tuple(asked))


def _of_fold(encoder: str | None, seed: int, fold: Fold) -> list[AskedList]:
    known, asked = fold.read()
    found: list[AskedList] = []
    with TemporaryDirectory() as folder:
        cut = progress(sentence_libraries(known, asked, seed), f"libraries, fold {fold.number + 1}", _OF_A_FOLD)
        for place, library in enumerate(cut):
            directory = Path(folder) / str(place)
            held = (paper for paper in known.papers(()) if paper.id in library.papers)
            build_index((replace(paper, citations=()) for paper in held), directory, encoder)
            with Recommender.open(directory) as recommender:
                found += library_lists(recommender, known, library.sentences)
    return found


def library_lists(
    recommender: Recommender, corpus: CitingSentences, sentences: Sequence[CitingSentence]
) -> Iterator[AskedList]:
    """The candidates of each sentence alone, with the title of its paper, and in one other way in turn."""
    usual = recommender.settings
    other_ways = [
        Way("title", recommender, BY_WORDS),
        Way("citations", recommender, usual),
        Way("title", recommender, usual, learned=False),
        Way("sentence", recommender, BY_WORDS),
        Way("title, no year", recommender, usual),
        Way("citations", recommender, BY_WORDS),
    ]
    always = [Way("sentence", recommender, usual), Way("title", recommender, usual)]
    yield from asked_in_turn(corpus, sentences, always, other_ways)
