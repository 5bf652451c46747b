"""Second stage: query × candidates → scores, by a cross-encoder and by the learned blend."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rerank.cross_encoder import CrossEncoder


def load_reranker(name: str) -> CrossEncoder | None:
    """The cross-encoder of a folder or hub id; "default" is the one that ships; None for "none"."""
    if name == "none":
        return None
    from rerank.cross_encoder import CrossEncoder

    return CrossEncoder.load(name)


__all__ = ["load_reranker"]
