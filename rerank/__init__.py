"""Second stage: query × candidates → scores, by a cross-encoder and by the learned blend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.errors import ModelError
from encoders.model import folder_named
from rerank.reranking import CHECKPOINT
from rerank.shipped import DEFAULT

if TYPE_CHECKING:
    from rerank.cross_encoder import CrossEncoder
    from rerank.token_split import TokenSplit


def load_reranker(name: str, split: TokenSplit | None = None) -> CrossEncoder | None:
    """The cross-encoder of a folder or hub id; "default" is the one that ships; None for "none".

    `split` is how many tokens a side it reads: its own without.

    Raises:
        ModelError: its training has not ended, or see `rerank.cross_encoder.CrossEncoder.load`.
    """
    if name == "none":
        return None
    if (folder_named(name) / CHECKPOINT).is_file():
        raise ModelError(f"the training of '{name}' has not ended: give its command again with --resume")
    from rerank.cross_encoder import CrossEncoder

    return CrossEncoder.load(name, split)


__all__ = ["DEFAULT", "load_reranker"]
