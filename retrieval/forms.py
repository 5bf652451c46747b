"""The three ways to make a BM25 query of a paper in progress (Nogueira et al. 2020, section 5.3); not of a sentence."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from encoders.text import Text
from retrieval.interface import SparseRetriever

QueryForm = Literal["title+abstract", "title", "key-terms"]

# Of a title and of an abstract, as Citeomatic's BM25 takes them, whose query the paper repeats.
TITLE_TERMS, ABSTRACT_TERMS = 3, 5


def form_weights(text: Text, form: QueryForm, bm25: SparseRetriever) -> dict[str, float]:
    """Analysed terms and their weights: how often each stands in the part of the text that the form uses.

    A query without a title is asked by its abstract in every form, so that no form leaves it unanswered.
    """
    if form == "key-terms":
        title = key_terms(bag(bm25.terms(text.title)), bm25, TITLE_TERMS)
        return bag([*title, *key_terms(bag(bm25.terms(text.abstract)), bm25, ABSTRACT_TERMS)])
    return bag(bm25.terms(text.title if form == "title" and text.title.strip() else text.joined()))


def key_terms(weights: dict[str, float], bm25: SparseRetriever, count: int) -> list[str]:
    """The `count` most distinctive terms, best first, by Whoosh's Bo1 model: what its `key_terms_from_text` gives.

    The statistics are this index's: of title and abstract together and of its own analysis, where Whoosh has an index
    of each.
    """
    from whoosh.classify import Bo1Model

    frequencies = {term: bm25.collection_frequency(term) for term in weights}
    known = [term for term in weights if frequencies[term]]
    model = Bo1Model(bm25.documents, bm25.collection_length)
    total = sum(weights.values())
    return sorted(known, key=lambda term: (-model.score(weights[term], frequencies[term], total), term))[:count]


def bag(terms: Iterable[str]) -> dict[str, float]:
    """How often each of the terms stands there, in the order in which they come first."""
    return {term: float(times) for term, times in Counter(terms).items()}
