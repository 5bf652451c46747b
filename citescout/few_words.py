"""Questions of a few words, such as "subpolar gyre", of which vectors and shares of words say hardly anything."""

import re
from collections.abc import Sequence

from common.text import words_as_searched
from encoders.text import Text
from indexer.identity.cited_names import NAME
from retrieval.query import Query

READ = 20  # papers by BM25 that may hold them
_FEW = 5
_WHOSE = re.compile(rf"{NAME}[’']s?\s+(?=\S+\s+\S)")
_SEVERAL = 3  # papers: one may hold any words by chance


def few_words(query: Query) -> str:
    """The title, if a few words of it are all that is asked; else ""."""
    title, abstract = query.text
    return title if len(title.split()) <= _FEW and not (abstract.strip() or query.context.strip()) else ""


def several_hold(asked: str, papers: Sequence[Text]) -> bool:
    """Whether several papers hold these words side by side, so that an index has something on them.

    Of "Lovelace's nested model", whose name is no word of a paper, two words at least.
    """
    phrases = {words_as_searched(asked), words_as_searched(_WHOSE.sub("", asked))} - {" "}
    texts = [words_as_searched(paper.joined()) for paper in papers]
    return any(sum(phrase in text for text in texts) >= _SEVERAL for phrase in phrases)
