"""Cross-encoders at work on one index: what they read of it, and how much of it within a budget."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING

from common.recent import RecentlyUsed
from encoders.text import Text
from rerank.sentences import candidate_side, sentence_side
from rerank.token_split import TokenIds
from retrieval.query import Query

if TYPE_CHECKING:
    from rerank.cross_encoder import CrossEncoder, Reader

# Candidates that the cross-encoder reads before the list is shown again. Later slices grow, because every slice ends
# with idle cores; a budget ends with slices of at least the smallest.
FIRST_SLICE, SMALLEST_SLICE = 32, 8
# Share of what is left of a budget that is planned: the speed of the next slice is only guessed from the last ones.
_PLANNED = 0.8
# Papers of which is kept in memory what is read of their texts: about 1 kB each.
REMEMBERED = 50_000


class ReadingReranker:
    """A cross-encoder at work on one index."""

    def __init__(self, encoder: CrossEncoder, of_sentences: bool = False) -> None:
        """`of_sentences` is for the one that reads lists for a sentence."""
        self.encoder = encoder
        self.tokens: RecentlyUsed[int, TokenIds] = RecentlyUsed(REMEMBERED)
        self.speeds: deque[float] = deque(maxlen=5)  # candidates a second of the last slices, of any query
        self._of_sentences = of_sentences

    def reader(self, query: Query) -> Reader:
        """Reads the query now, its candidates later."""
        text = query.text
        return self.encoder.reader(sentence_side(query.sentence, text.title) if self._of_sentences else text)

    def token_ids(self, papers: Sequence[Text]) -> list[TokenIds]:
        """What it reads of papers."""
        return self.encoder.token_ids(candidate_side(papers) if self._of_sentences else papers)

    def next_slice(self, read: int, depth: int, deadline: float | None) -> int:
        """How many candidates to read next; 0 for an end."""
        size = max(FIRST_SLICE, read)
        if depth - read - size < FIRST_SLICE:  # no small rest
            size = depth - read
        if deadline is None:
            return size
        left = deadline - monotonic()
        if not self.speeds:  # the very first slice is how the speed gets known
            return min(SMALLEST_SLICE, size) if left > 0 else 0
        # The slowest of the last slices: a list that is late is worse than one that was read less deep.
        possible = int(left * _PLANNED * min(self.speeds))
        return min(size, possible) if possible >= min(SMALLEST_SLICE, depth - read) else 0
