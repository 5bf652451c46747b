"""The one tokenisation of whatever counts or looks up whole words: the baselines, CTPE.

A word is a run of at least two letters or digits, in lower case, not stemmed. Title and abstract are one text.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import chain
from sys import intern
from typing import Any

import numpy as np

from common.errors import SourceError
from encoders.text import Text

_WORD = re.compile(r"[^\W_]{2,}")


def all_words(text: Text) -> list[str]:
    """Every word in order: for models that read contexts or weigh words by frequency themselves."""
    # Interned, a corpus of words takes a pointer a word.
    return [intern(word) for word in _WORD.findall(text.joined().lower())]


def content_words(text: Text) -> list[str]:
    """The same without scikit-learn's 318 English stop words."""
    stop = _stop_words()
    return [word for word in all_words(text) if word not in stop]


def count_matrix(texts: Sequence[Text], places: Mapping[str, int], words: Callable[[Text], list[str]]) -> Any:
    """How often each known word stands in each text: a sparse matrix of shape (texts, len(places)).

    `places` maps the known words to columns 0…n-1; other words are left out.
    """
    return counted([[places[word] for word in words(text) if word in places] for text in texts], len(places))


def counted(rows: Sequence[Sequence[int]], columns: int) -> Any:
    """How often each of the numbers below `columns` stands in each row: a sparse matrix of shape (rows, columns)."""
    from scipy.sparse import csr_array

    ends = np.cumsum([0, *map(len, rows)])
    flat = np.fromiter(chain.from_iterable(rows), np.int64, int(ends[-1]))
    counts = csr_array((np.ones(len(flat), np.float32), flat, ends), shape=(len(rows), columns))
    counts.sum_duplicates()
    return counts


def fit_counts(vectorizer: Any, papers: Sequence[Text]) -> Any:
    """`vectorizer.fit_transform(papers)` of one of scikit-learn's vectorizers: a sparse matrix.

    Raises:
        SourceError: no word is left to count.
    """
    try:
        return vectorizer.fit_transform(papers)
    except ValueError as error:  # its own word for it is "empty vocabulary"
        raise SourceError(f"the corpus has no words to learn from ({error})") from None


@cache
def _stop_words() -> frozenset[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)
