"""Where the word-based baselines get their vectors from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from common.errors import SourceError
from encoders.text import Text
from encoders.word_vectors import EPOCHS, WordVectors, load_word_vectors, require_gensim, train_word2vec
from eval.baselines.base import Setup

# Papers → the vectors of their words.
Source = Callable[[Sequence[Text]], WordVectors]


def word2vec_source(setup: Setup) -> Source:
    """Vectors trained on the papers.

    Raises:
        ModelError: gensim is not installed.
    """
    require_gensim()
    return lambda papers: train_word2vec(tuple(papers), setup.seed, epochs=setup.epochs or EPOCHS)


def glove_source(setup: Setup) -> Source:
    """Vectors read from the user's file.

    Raises:
        SourceError: the user named none, or one that is not there.
    """
    if setup.glove is None:
        raise SourceError("no GloVe vectors: name a text file of them with --glove FILE, such as glove.6B.100d.txt")
    if not setup.glove.is_file():
        raise SourceError(f"no file of word vectors at {setup.glove}")
    return partial(load_word_vectors, setup.glove)
