"""The loss of CTPE (equation 1): a document's own parts must be nearer than its one with another's other."""

from __future__ import annotations

import torch
from torch.nn import functional

MARGIN = 0.1


def margin_loss(coupled: torch.Tensor, uncoupled: torch.Tensor, margin: float = MARGIN) -> torch.Tensor:
    """max(0, margin − (coupled − uncoupled)) of cosines, of any shapes that fit together."""
    return functional.relu(margin - (coupled - uncoupled))


def expected_loss(front: torch.Tensor, back: torch.Tensor, margin: float = MARGIN) -> float:
    """The mean loss over all uncoupled pairs of n ≥ 2 documents, which is what random sampling approaches.

    `front` and `back` are their vectors at length 1, shape (n, dimension) both.
    """
    cosines = front @ back.T
    coupled = cosines.diagonal()
    losses = margin_loss(coupled[:, None], cosines, margin) + margin_loss(coupled[None, :], cosines, margin)
    others = len(front) * (len(front) - 1)
    return float((losses.sum() - losses.diagonal().sum()) / (2 * others))
