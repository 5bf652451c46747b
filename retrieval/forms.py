"""The three ways to make a BM25 query of a paper in progress (Nogueira et al. 2020, section 5.3)."""

from __future__ import annotations

from collections import Counter
from typing import Literal, get_args

from encoders.text import Text
from retrieval.interface import SparseRetriever

QueryForm = Literal["title+abstract", "title", "key-terms"]
QUERY_FORMS: tuple[QueryForm, ...] = get_args(QueryForm)

# Citeomatic, whose Whoosh query the paper repeats, takes as many from an abstract.
KEY_TERMS = 20


def form_weights(text: Text, form: QueryForm, bm25: SparseRetriever) -> dict[str, float]:
    """Analysed terms and their weights: how often each stands in the part of the text that the form uses.

    A query without a title is asked by its abstract in every form, so that no form leaves it unanswered.
    """
    if form == "title" and text.title.strip():
        return _bag(bm25.terms(text.title))
    bag = _bag(bm25.terms(text.joined()))
    return key_terms(bag, bm25) if form == "key-terms" else bag


def key_terms(bag: dict[str, float], bm25: SparseRetriever) -> dict[str, float]:
    """The `KEY_TERMS` most telling terms, each of weight 1, by Whoosh's Bo1 model over this index's statistics."""
    from whoosh.classify import Bo1Model

    frequencies = {term: bm25.collection_frequency(term) for term in bag}
    known = [term for term in bag if frequencies[term]]
    model = Bo1Model(bm25.documents, bm25.collection_length)
    total = sum(bag.values())
    telling = sorted(known, key=lambda term: (-model.score(bag[term], frequencies[term], total), term))
    return dict.fromkeys(telling[:KEY_TERMS], 1.0)


def _bag(terms: list[str]) -> dict[str, float]:
    return {term: float(times) for term, times in Counter(terms).items()}
