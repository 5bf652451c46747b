"""A document as two runs of known words: the coupled text pair (CTPE, section 3.2 and 4.6)."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from encoders.text import Text
from encoders.words import all_words

Words = NDArray[np.int64]  # rows of the word matrix, in the order of the text

# Between title and abstract, or behind this many percent of the words of both.
Split = Literal["title", "20", "40", "60", "80"]
SPLITS: tuple[Split, ...] = get_args(Split)
MAX_WORDS = 200


class Parts(NamedTuple):
    """Front and back; at most `MAX_WORDS` known words each."""

    front: Words
    back: Words


def parts_of(text: Text, places: Mapping[str, int], split: Split) -> Parts:
    """The two parts of a text; words that have no place in the word matrix are left out. Either may be empty."""
    if split == "title":
        front, back = _known(Text(text.title, ""), places), _known(Text(text.abstract, ""), places)
    else:
        words = _known(text, places)
        position = round(len(words) * int(split) / 100)
        front, back = words[:position], words[position:]
    return Parts(np.asarray(front[:MAX_WORDS], np.int64), np.asarray(back[:MAX_WORDS], np.int64))


def completed(parts: Parts) -> Parts:
    """Parts to be encoded: where one is empty, the other stands for both; only a text of no known word has none."""
    front, back = parts
    return Parts(front if len(front) else back, back if len(back) else front)


def _known(text: Text, places: Mapping[str, int]) -> list[int]:
    return [places[word] for word in all_words(text) if word in places]
