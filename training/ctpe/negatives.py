"""Which other document lends a part for an uncoupled pair (CTPE, sections 3.2 and 4.7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from common.errors import ModelError
from common.progress import progress
from encoders.text import Text
from encoders.words import content_words, fit_counts

NEAREST = 100  # documents by TF-IDF
_BLOCK = 512  # documents that are compared with all others at a time
Numbers = NDArray[np.int64]
# A batch of at least two documents → another document for each.
Partners = Callable[[Numbers, np.random.Generator], Numbers]


def random_partners(batch: Numbers, generator: np.random.Generator) -> Numbers:
    """Any other document of the batch.

    Batches are drawn at random, so that this is any other document; and its parts are encoded already.
    """
    steps = generator.integers(1, len(batch), len(batch))
    return np.asarray(batch[(np.arange(len(batch)) + steps) % len(batch)])


def tf_idf_partners(nearest: Numbers) -> Partners:
    """CTPE_T: half of the time one of the documents nearest by TF-IDF, else any other of the batch."""

    def draw(batch: Numbers, generator: np.random.Generator) -> Numbers:
        any_other = random_partners(batch, generator)
        near = nearest[batch, generator.integers(0, nearest.shape[1], len(batch))]
        return np.where(generator.random(len(batch)) < 0.5, near, any_other)

    return draw


def nearest_by_tf_idf(texts: Sequence[Text], count: int = NEAREST) -> Numbers:
    """The other texts of largest TF-IDF cosine with each, shape (texts, min(count, texts - 1)), nearest first.

    Raises:
        ModelError: scikit-learn is not installed.
        SourceError: the texts have no words.
    """
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError as error:
        raise ModelError(
            f"TF-IDF negatives need scikit-learn: pip install 'citescout[eval]', or take --negatives random ({error})"
        ) from None
    rows = fit_counts(TfidfVectorizer(analyzer=content_words, dtype=np.float32), texts)
    columns = rows.T.tocsr()
    count = min(count, len(texts) - 1)
    nearest = np.zeros((len(texts), count), np.int64)
    starts = range(0, len(texts), _BLOCK)
    for start in progress(starts, "TF-IDF neighbours", len(starts)):
        cosines = (rows[start : start + _BLOCK] @ columns).toarray()
        cosines[np.arange(len(cosines)), start + np.arange(len(cosines))] = -1
        found = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
        order = np.lexsort((found, -np.take_along_axis(cosines, found, axis=1)), axis=1)
        nearest[start : start + _BLOCK] = np.take_along_axis(found, order, axis=1)
    return nearest
