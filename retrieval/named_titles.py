"""Papers that a text names by the name with which their titles begin: "SQuAD" by "SQuAD: 100,000+ questions for …".

BM25 and vectors find the papers of some of several names: what is near one of them is far from the others.
"""

import re
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from common.text import on_the_line
from indexer.catalog import Catalog
from indexer.identity.titles import title_key
from retrieval.hits import Allowed, Docids
from retrieval.interface import SparseRetriever

# Of systems, data sets and measures: a capital behind the first letter, or a digit behind letters.
NAME = r"(?:[^\W\d_]+[A-Z]\w*|[^\W\d_]+-?\d\w*)(?:-\w+)*"

# Of a name that begins more titles than this it is unknown which is meant.
_MOST = 3
_LONGEST = 3  # words of a name
# A name that as many papers hold is what they are about, unless half as many cite the paper whose title it begins.
_COMMON = 8

_WHOLE_NAME = re.compile(rf"(?<![\w-])(?:\w+-)*?{NAME}")
_END_OF_NAME = re.compile(r":\s|\s*—|\s[–-]+\s")
_SUFFIX = re.compile(r"(?:-[a-z]+)+$")  # as of "BERT-based"


def named_titles(
    text: str,
    catalog: Catalog,
    bm25: SparseRetriever,
    allowed: Allowed,
    times_cited: Callable[[Docids], NDArray[np.integer]],
) -> Docids:
    """The `allowed` papers whose titles begin with a name that stands in a text, or are that name, ascending.

    It has to be written alike in both; a text that is the name alone may be in small letters. `times_cited` says how
    often some papers are cited.
    """
    found: dict[str, set[int]] = {}
    for key in dict.fromkeys(_keys(text)):
        for docid, title in catalog.titles_beginning(key):
            name = _END_OF_NAME.split(on_the_line(title), 1)[0].strip()
            if allowed[docid] and _holds(text, name) and _is_name(name, title):
                found.setdefault(name, set()).add(docid)
    chosen: set[int] = set()
    for name, docids in found.items():
        if len(docids) <= _MOST:
            holding = papers_holding(name, bm25)
            papers = np.asarray(sorted(docids), np.int32)
            chosen.update(papers[(holding < _COMMON) | (2 * times_cited(papers) >= holding)].tolist())
    return np.asarray(sorted(chosen), np.int32)


def _keys(text: str) -> Iterator[str]:
    """How the keys of the titles begin that may be meant."""
    names = [text.strip()] if len(text.split()) == 1 else (found[0] for found in _WHOLE_NAME.finditer(text))
    return filter(None, (title_key(_SUFFIX.sub("", name)) for name in names))


def _is_name(name: str, title: str) -> bool:
    """Whether what a title begins with is one. In capitals every word would look so."""
    if len(name.split()) > _LONGEST or (title.isupper() and title != name):
        return False
    return bool(_WHOLE_NAME.match(name))


def _holds(text: str, name: str) -> bool:
    if name not in text:
        return name.casefold() == text.strip().casefold()
    return bool(re.search(rf"(?<![\w-]){re.escape(name)}(?!\w|-[^a-z])", text))


def papers_holding(name: str, bm25: SparseRetriever) -> int:
    """How many papers hold the rarest word of a name; all for a stop word."""
    return min(map(bm25.holding, bm25.terms(name)), default=bm25.documents)
