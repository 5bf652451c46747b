"""From the first stage's pool to the final order, in steps: the list is valid and complete after every one of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from citescout.few_words import READ, few_words, several_hold
from citescout.filters import Filters
from citescout.reading import REMEMBERED, ReadingReranker
from citescout.settings import Settings
from common.order import EXACT, LOGITS, SIGNED, Precision, best_first
from common.recent import RecentlyUsed
from common.stages import stage
from encoders.static.encoder import NAME as STATIC
from encoders.text import Text
from indexer.catalog import Catalog
from indexer.generations import OpenGeneration
from indexer.identity.retractions import is_notice
from indexer.nearness import read_nearness
from rerank.blend import CONTEXT, Blend, standardized_logits
from rerank.calibration import Fit
from rerank.context_features import context_matrix
from rerank.features import Features, feature_matrix, words
from rerank.reranking import probabilities
from rerank.sentences import sentence_reranker, weights_identity
from rerank.token_split import TokenIds
from retrieval.first_stage import Pool
from retrieval.named_titles import NAME
from retrieval.query import Query

if TYPE_CHECKING:
    from rerank.cross_encoder import CrossEncoder
    from rerank.trees import Contributions

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Ranking:
    """The pool in its final order: what evaluation looks at, and what recommendations are made of."""

    query: Query  # with ids of the index for what it cites already
    settings: Settings
    catalog: Catalog = field(repr=False)  # of the index
    pool: Pool
    order: NDArray[np.int64]  # positions in the pool, best first
    # (len(order),) in that order: without the blend, the cross-encoder's probabilities of what it has read; of the rest
    # the first stage's, lowered where they would exceed them
    scores: NDArray[np.float32]
    reranked: dict[int, float]  # position in the pool → log-odds by the cross-encoder
    to_read: int = 0  # candidates that the cross-encoder was to read; more than `reranked` where a budget ended first
    features: Features | None = field(default=None, repr=False)  # of the whole pool; None without the blend
    blend: Blend | None = field(default=None, repr=False)  # what ordered it
    fit: Fit | None = None  # whether the index is about the query; None where unknown, or other BM25 parameters
    unknown: tuple[str, ...] = ()  # what the query cites already and the index does not have
    chances: NDArray[np.float32] | None = None  # (len(order),) that the query cites it, 0 to 1; None without the blend
    nearness: NDArray[np.float64] | None = field(default=None, repr=False)  # of the index, see `indexer.nearness`

    def at(self, places: NDArray[np.integer] | NDArray[np.bool_]) -> Ranking:
        """The papers at some places of the order, in the order of `places`, with what is known of them."""
        chances = None if self.chances is None else self.chances[places]
        return replace(self, order=self.order[places], scores=self.scores[places], chances=chances)

    def ids(self, count: int | None = None) -> list[str]:
        """The papers in that order, by id: the first `count` of them, all without."""
        return list(self.catalog.ids(self.pool.docids[self.order[:count]]))

    @property
    def complete(self) -> bool:
        """Whether the cross-encoder has read all that it was to read."""
        return len(self.reranked) == self.to_read

    def contributions(self, positions: Sequence[int]) -> Contributions | None:
        """What each feature adds to the blend's scores of these positions of the pool, against their mean; a row each.

        To those that the cross-encoder has not read it adds nothing. None without the blend.
        """
        if self.features is None or self.blend is None:
            return None
        features = self.features[list(positions)]
        if not self.reranked:
            return self.blend.contributions(features)
        read = standardized_logits(np.fromiter(self.reranked.values(), np.float64))
        logits = dict(zip(self.reranked, read, strict=True))
        return self.blend.contributions(features, np.asarray([logits.get(position, 0.0) for position in positions]))


class Ranker:
    """Orders pools of one generation of an index; safe to share between threads."""

    def __init__(self, generation: OpenGeneration, reranker: CrossEncoder | None, blend: Blend) -> None:
        self._generation = generation
        self._for_contexts = blend if blend.orders_contexts else None
        blend = Blend.load() if blend.orders_contexts else blend
        weight = None if reranker is None else reranker.reranking.weight
        self._blend = blend if weight is None else replace(blend, reranker_weight=weight)
        self._newest = int(generation.years.max(initial=0))
        self._nearness = read_nearness(generation.folder)
        self._static = generation.manifest.encoder == STATIC
        self._titles: RecentlyUsed[int, _Title] = RecentlyUsed(REMEMBERED)
        self._of_papers = None if reranker is None else ReadingReranker(reranker)

    @property
    def _context_blend(self) -> Blend:
        """The order of queries with a context, read when the first of them comes."""
        return self._for_contexts or Blend.load(CONTEXT)

    @property
    def identity(self) -> str:
        """What distinguishes it from other rankers of the same generation, in one line."""
        reranker = self._of_papers.encoder.identity if self._of_papers else None
        return f"{self._blend.digest} {self._context_blend.digest} {reranker} {weights_identity()}"

    @cached_property
    def _of_sentences(self) -> ReadingReranker:
        """What reads lists for a sentence, loaded when the first of them comes."""
        return ReadingReranker(sentence_reranker(), of_sentences=True)

    def _reranker(self, has_context: bool) -> ReadingReranker | None:
        return self._of_sentences if has_context else self._of_papers

    def refine(self, pool: Pool, query: Query, settings: Settings, started: float | None = None) -> Iterator[Ranking]:
        """The first stage's order at once, then a better one whenever the cross-encoder has read a slice more.

        It reads in the order of the first stage, `settings.depth` deep or as deep as its training found best. With
        `settings.budget` it begins no slice that would probably not be read before `budget` seconds have passed since
        `started` (`time.monotonic`; the call without it).
        """
        started = monotonic() if started is None else started
        first = self._first_order(pool, query, settings)
        has_context = pool.context is not None
        # A list for a sentence is read if the blend has learned how much that counts.
        unread = has_context and not (first.blend and first.blend.reranker_weight)
        reranker = None if unread or settings.depth == 0 or not len(pool) else self._reranker(has_context)
        if reranker is None:
            yield first
            return
        top = first.order[: reranker.encoder.reranking.depth if settings.depth is None else settings.depth]
        yield _ordered(first, top, np.zeros(0, np.float32))
        reader = reranker.reader(query)
        logits = np.zeros(len(top), np.float32)
        read = 0
        while read < len(top):
            size = reranker.next_slice(read, len(top), None if settings.budget is None else started + settings.budget)
            if not size:
                return
            begun = monotonic()
            with stage("cross-encoder"):
                docids = pool.docids[top[read : read + size]]
                logits[read : read + size] = reader.logits(self._token_ids(reranker, docids))
            reranker.speeds.append(size / max(monotonic() - begun, 1e-9))
            read += size
            yield _ordered(first, top, logits[:read])

    def relevance(self, query: Query, docids: NDArray[np.int32]) -> NDArray[np.float32]:
        """The cross-encoder's log-odds that the query cites each of these papers, shape (len(docids),)."""
        reranker = self._reranker(bool(query.context.strip()))
        if reranker is None:
            raise ValueError("this recommender was opened without a reranker")
        return reranker.reader(query).logits(self._token_ids(reranker, docids))

    def features(self, pool: Pool, query: Query) -> Features:
        """The blend's features of a pool's candidates; of a context those of `rerank.context_features`."""
        return self._features(pool, query, self._read_titles(pool.docids))

    def _features(self, pool: Pool, query: Query, found: Sequence[_Title]) -> Features:
        year, titles = query.year or self._newest, [title.words for title in found]
        if pool.context is None:
            return feature_matrix(pool, query.text, year, titles)
        return context_matrix(pool, query.sentence, year, titles)

    def read(self, pools: Sequence[Pool]) -> None:
        """Read all that `refine` needs of the candidates of these pools, in one go."""
        docids = np.unique(np.concatenate([pool.docids for pool in pools]))
        self._read_titles(docids)

    def _read_titles(self, docids: NDArray[np.int32]) -> list[_Title]:
        return self._of_texts(self._titles, docids, _titles)

    def _first_order(self, pool: Pool, query: Query, settings: Settings) -> Ranking:
        scores = pool.fused.astype(np.float64)
        order = np.arange(len(pool))
        features = blend = None
        with stage("blend"):
            titles = self._read_titles(pool.docids)
            if settings.blend and len(pool):
                blend = (self._blend if pool.context is None else self._context_blend).of(pool)
                features = self._features(pool, query, titles)
                scores = blend.first_stage(features)
                order = _best_first(scores, pool, order, EXACT)
        notices = np.fromiter((title.is_notice for title in titles), np.bool_)
        order = order[~notices[order]]
        if settings.filters != Filters():
            order = order[settings.filters.kept(pool, self._generation.catalog)[order]]
        # Calibrated for scores with the index's own parameters, of whole papers. For a sentence the vectors are enough.
        by_words = pool.context is not None and bool(np.isnan(pool.cosines).all())
        fit = None if settings.bm25 or by_words else self._blend.calibration.fit(pool, self._nearness, self._static)
        if fit and fit.verdict == "none":
            asked = few_words(query)
            found = self._generation.catalog.texts(pool.hits["bm25"].docids[:READ]) if asked else []
            if _names_one(query, [titles[place] for place in order[:_FIRST]]) or several_hold(asked, found):
                fit = fit.at_least_weak()
        falling = _falling(scores[order])
        chances = None if blend is None else blend.calibration.chances(falling, fit)
        return Ranking(
            query,
            settings,
            self._generation.catalog,
            pool,
            order,
            falling,
            {},
            features=features,
            blend=blend,
            fit=fit,
            chances=chances,
            nearness=self._nearness,
        )

    def _token_ids(self, reranker: ReadingReranker, docids: NDArray[np.int32]) -> list[TokenIds]:
        """What the cross-encoder reads of each paper, from memory where it has met the paper lately."""
        return self._of_texts(reranker.tokens, docids, reranker.token_ids)

    def _of_texts(
        self, kept: RecentlyUsed[int, Found], docids: NDArray[np.int32], make: Callable[[Sequence[Text]], list[Found]]
    ) -> list[Found]:
        """What `make` finds in each paper's text, from memory where the paper was met lately."""
        return kept.all_of(docids.tolist(), lambda missing: make(self._generation.catalog.texts(missing)))


_NAME = re.compile(rf"\b{NAME}\b")
_FIRST = 3  # papers of a list, one of which is the named one


class _Title(NamedTuple):
    words: frozenset[str]
    is_notice: bool  # of a retraction or correction, which nobody is to cite


def _names_one(query: Query, first: Sequence[_Title]) -> bool:
    """Whether a sentence, or a few words, name what one of these papers has in its title: "SQuAD", "T5", "CORD-19".

    Hardly another paper may be near a short text that names one. In capitals every word looks like a name.
    """
    short = query.sentence or few_words(query)
    if short.isupper() and " " in short.strip():
        return False
    named = [words(found[0]) for found in _NAME.finditer(short)]
    return any(one and one <= title.words for one in named for title in first)


def _titles(texts: Sequence[Text]) -> list[_Title]:
    return [_Title(words(text.title), is_notice(text.title)) for text in texts]


def _ordered(first: Ranking, top: NDArray[np.int64], logits: NDArray[np.float32]) -> Ranking:
    """The first stage's order with the first len(logits) positions of `top` in a new order."""
    pool, count = first.pool, len(logits)
    if not count:
        return replace(first, reranked={}, to_read=len(top))
    scores = np.zeros(len(pool))
    scores[first.order] = first.scores
    head, rest = top[:count], first.order[count:]
    if first.blend is None:
        scores[head] = probabilities(logits)
        read = head[best_first(logits, pool.docids[head], LOGITS)]
    else:
        scores[head] = first.blend.second_stage(scores[head], logits)
        read = _best_first(scores, pool, head, SIGNED)
    # What the cross-encoder has read stays above what it has not, which is lowered: chances are those of what was read.
    scores[rest] -= max(0.0, scores[rest].max(initial=-np.inf) - scores[head].min())
    order = np.concatenate([read, rest])
    reranked = dict(zip(head.tolist(), logits.tolist(), strict=True))
    falling = _falling(scores[order])
    chances = None if first.blend is None else first.blend.calibration.chances(falling, first.fit)
    return replace(first, order=order, scores=falling, chances=chances, reranked=reranked, to_read=len(top))


def _best_first(
    scores: NDArray[np.floating], pool: Pool, positions: NDArray[np.int64], precision: Precision
) -> NDArray[np.int64]:
    """`positions` by descending score; equal scores by paper id."""
    return positions[best_first(scores[positions], pool.docids[positions], precision)]


def _falling(scores: NDArray[np.floating]) -> NDArray[np.float32]:
    """Scores as they are shown: of papers that are as good as equally good, none is higher than those before it."""
    return np.minimum.accumulate(scores).astype(np.float32)
