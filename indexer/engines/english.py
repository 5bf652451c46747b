"""How Milvus makes words of English texts, as it is configured, and as it can be reproduced here.

The analyser is written out, so that it does not change with the server. It is also repeated in Python: reasons and
key terms need the words of a text and how many papers hold them, which Milvus does not report. What Milvus finds never
depends on the copy, because it is asked with words as they stand in texts.

Where it differs from Lucene's analyser (`indexer.lucene`): Porter's second stemmer instead of the first; words end at
every character that is no letter or digit, so that "3.5" is two words and "don't" is "don"; what is written without
spaces, such as Chinese, is one word.
"""

import threading
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from common.errors import EngineError, extra_needed
from encoders.text import Text
from indexer.lucene import clean_text

# Lucene's, and what is left of "the user's" and "don't" when they are cut at the apostrophe.
_LUCENE = "a an and are as at be but by for if in into is it no not of on or such that the their then there these they"
STOP_WORDS = (*_LUCENE.split(), "this", "to", "was", "will", "with", "s", "t")
ANALYZER: dict[str, object] = {
    "tokenizer": "standard",
    "filter": [
        "lowercase",
        {"type": "stop", "stop_words": list(STOP_WORDS)},
        {"type": "stemmer", "language": "english"},
    ],
}
TEXT_BYTES = 65_535  # that a text field takes

_STOP = frozenset(STOP_WORDS)
_REMEMBERED = 1 << 18
_one_at_a_time = threading.Lock()


def words(text: str) -> Iterator[str]:
    """The words of a text as they stand in it, in order, without stop words."""
    for word in _pattern().findall(text):
        if word.lower() not in _STOP:
            yield word


@lru_cache(_REMEMBERED)
def term(word: str) -> str:
    """The term of a word that `words` gave: the stem of its lower case."""
    with _one_at_a_time:  # a stemmer keeps the word that it works on
        return str(_stemmer().stemWord(word.lower()))


def terms(text: str) -> list[str]:
    """The terms of a text, in order, repeats included."""
    return [term(word) for word in words(clean_text(text))]


def stored_text(text: Text) -> tuple[str, bool]:
    """Title and abstract as the engine gets them; whether they had to be cut."""
    joined = clean_text(text.joined())
    data = joined.encode()
    if len(data) <= TEXT_BYTES:
        return joined, False
    return data[:TEXT_BYTES].decode("utf-8", "ignore"), True


@lru_cache(1)
def _pattern() -> Any:
    import regex

    return regex.compile(r"[\p{Alphabetic}\p{N}]+")  # what Rust calls alphanumeric


@lru_cache(1)
def _stemmer() -> Any:
    with extra_needed(EngineError, "this index is kept in Milvus, which needs snowballstemmer", "milvus"):
        import snowballstemmer
    return snowballstemmer.stemmer("english")
