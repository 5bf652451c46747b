"""doc2vec: paragraph vectors, the distributed memory model PV-DM (Le and Mikolov 2014), by gensim."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from common.errors import SourceError
from encoders.text import Text
from encoders.word_vectors import MIN_COUNT, require_gensim, stable_hash
from encoders.words import all_words
from eval.baselines.base import Baseline, Matrix, VectorRanker, register

# CTPE, section 4.3: 100 dimensions, windows of 10 words, 50 passes, PV-DM.
DIMENSION, WINDOW, EPOCHS = 100, 10, 50
_ALPHA = 0.025
_LEAST_ALPHA = 0.0001


class Doc2Vec(VectorRanker):
    """A paper's vector is learnt with the model; a query's is inferred, even where the query is one of the papers."""

    def __init__(self, seed: int, epochs: int = EPOCHS) -> None:
        """Nothing is loaded yet.

        Raises:
            ModelError: gensim is not installed.
        """
        require_gensim()
        self._seed = seed
        self._epochs = epochs

    def learn(self, papers: Sequence[Text]) -> Matrix:
        """See `VectorRanker.learn`."""
        from gensim.models.doc2vec import Doc2Vec as Model
        from gensim.models.doc2vec import TaggedDocument

        documents = [TaggedDocument(all_words(paper), [number]) for number, paper in enumerate(papers)]
        self._model: Any = Model(
            dm=1, vector_size=DIMENSION, window=WINDOW, negative=5, min_count=MIN_COUNT, epochs=self._epochs,
            alpha=_ALPHA, min_alpha=_LEAST_ALPHA, seed=self._seed, workers=1, hashfxn=stable_hash,
        )  # fmt: skip
        self._model.build_vocab(documents)
        if not self._model.wv.key_to_index:
            raise SourceError("the corpus has no words to learn from: none occurs twice")
        self._model.train(documents, total_examples=len(documents), epochs=self._epochs)
        vectors = np.array(self._model.dv.vectors[: len(papers)], np.float32)
        vectors[[not self._known(document.words) for document in documents]] = 0
        return vectors

    def vectors(self, queries: Sequence[Text]) -> Matrix:
        """See `VectorRanker.vectors`."""
        rows = [self._infer(all_words(query)) for query in queries]
        return np.reshape(rows, (len(queries), DIMENSION)).astype(np.float32)

    def _known(self, words: Sequence[str]) -> list[str]:
        return [word for word in words if word in self._model.wv.key_to_index]

    def _infer(self, words: Sequence[str]) -> Matrix:
        """What gensim's `infer_vector` does, from a start that depends on neither PYTHONHASHSEED nor earlier calls."""
        from gensim.models.doc2vec import train_document_dm

        vector: Matrix = np.zeros((1, DIMENSION), np.float32)
        if not self._known(words):
            return vector
        generator = np.random.default_rng([self._seed, stable_hash(" ".join(words))])
        vector[:] = (generator.random(DIMENSION, np.float32) - 0.5) / DIMENSION
        self._model.random = np.random.RandomState(self._seed)
        work, hidden = np.zeros(DIMENSION, np.float32), np.zeros(DIMENSION, np.float32)
        for alpha in np.linspace(_ALPHA, _LEAST_ALPHA, self._epochs):
            train_document_dm(
                self._model, list(words), [0], float(alpha), work, hidden,
                learn_words=False, learn_hidden=False, doctag_vectors=vector, doctags_lockf=np.ones(1, np.float32),
            )  # fmt: skip
        return vector


_DESCRIPTION = "paragraph vectors (PV-DM) that are trained on the corpus"
register(Baseline("doc2vec", _DESCRIPTION, lambda setup: Doc2Vec(setup.seed, setup.epochs or EPOCHS)))
