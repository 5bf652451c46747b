"""The reranker of lists for one sentence: a late-join network that reads the sentence and titles of candidates.

`weights/sentences/MODEL_CARD.md` says what it has learned from.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from encoders.converted import fingerprint
from encoders.text import Text
from rerank.token_split import TokenSplit
from retrieval.citation_marks import marked_alike

if TYPE_CHECKING:
    from rerank.cross_encoder import CrossEncoder

WEIGHTS = Path(__file__).parent / "weights" / "sentences"
SPLIT = TokenSplit(160, 32)


def sentence_side(context: str, title: str) -> Text:
    """What is read of a query: the sentence, every mark of a citation written alike, and the title of its draft."""
    return Text(marked_alike(context), title)


def candidate_side(papers: Sequence[Text]) -> list[Text]:
    """What is read of candidates: their titles; of those that have none the abstract."""
    return [Text(paper.title or paper.abstract, "") for paper in papers]


@cache
def sentence_reranker() -> CrossEncoder:
    """The one that ships, loaded once a process; in fp32, so that no list depends on the processor.

    Raises:
        ModelError: its files are missing or damaged.
    """
    from rerank.cross_encoder import CrossEncoder

    return CrossEncoder.load(str(WEIGHTS), exact=True)


@cache
def weights_identity() -> str:
    """What distinguishes its files from others."""
    return fingerprint(WEIGHTS)
