"""The forms in which people ask: a paper of an index as a whole abstract, a title, a sentence, with what it cites."""

import re
from dataclasses import replace
from typing import Literal

import numpy as np

from indexer.catalog import Catalog
from training.queries import TrainingQuery

Form = Literal[
    "abstract",
    "title",
    "sentence",
    "three sentences",
    "title and sentence",
    "some cited",
    "by words",
    "older index",
    "newest lists missing",
]
# What a training query is asked as beside its abstract; what people ask often stands here twice.
DRAWN: tuple[Form, ...] = (
    "title",
    "title",
    "sentence",
    "three sentences",
    "three sentences",
    "title and sentence",
    "some cited",
    "by words",
)

_END = re.compile(r"(?<=[.!?])\s+")
_SHORTEST = 30  # characters of a sentence
_MOST_CITED = 10  # papers that are cited already
_YEARS_OLDER = (2, 8)  # that an older index ends before the query, at least and at most


def asked_as(
    example: TrainingQuery, form: Form, catalog: Catalog | None, generator: np.random.Generator
) -> TrainingQuery | None:
    """The query in another form; None where it has no such part.

    "by words" and "newest lists missing" change nothing: such queries are to be asked of an index without vectors, and
    of one that does not know what the newest papers cite. "some cited" names one to ten of the cited papers, at most
    half of them, which are then no answers any more; their ids are looked up in `catalog`. "older index" gives it an
    earlier year, so that it gets what an index held which ends then.
    """
    query = example.query
    sentences = [part for part in _END.split(query.abstract) if len(part) > _SHORTEST]
    if form in {"abstract", "by words", "newest lists missing"}:
        return example
    if form == "older index":
        least, most = _YEARS_OLDER
        years = int(generator.integers(least, most + 1))
        return TrainingQuery(replace(query, year=(query.year or 0) - years), example.gold)
    if form == "some cited":
        most = min(_MOST_CITED, len(example.gold) // 2)
        if most < 1 or catalog is None:
            return None
        order = generator.permutation(len(example.gold))
        cited = example.gold[order[: int(generator.integers(1, most + 1))]]
        ids = tuple(catalog.ids(np.sort(cited)))
        return TrainingQuery(replace(query, already_cited=ids), np.setdiff1d(example.gold, cited))
    if form == "title":
        text = (query.title, "")
    elif not sentences:
        return None
    elif form == "three sentences":
        first = int(generator.integers(max(len(sentences) - 2, 1)))
        text = ("", " ".join(sentences[first : first + 3]))
    else:
        one = sentences[int(generator.integers(len(sentences)))]
        text = (query.title if form == "title and sentence" else "", one)
    if not "".join(text).strip():
        return None
    return TrainingQuery(replace(query, title=text[0], abstract=text[1]), example.gold)
