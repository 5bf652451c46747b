"""What a cross-encoder can be taught by: pairs, lists, or another model's opinion of lists."""

from __future__ import annotations

from typing import Literal, get_args

import torch
from torch import Tensor
from torch.nn import functional

LossName = Literal["cross-entropy", "softmax", "distillation"]
LOSSES: tuple[LossName, ...] = get_args(LossName)


def cross_entropy(scores: Tensor, cited: Tensor) -> Tensor:
    """Sum of the binary cross-entropies of pairs (BIR 2020, section 2); log-odds (n,) and booleans (n,)."""
    return functional.binary_cross_entropy_with_logits(scores, cited.to(scores.dtype), reduction="sum")


def list_softmax(scores: Tensor, cited: Tensor) -> Tensor:
    """Mean over the cited of -log softmax of one cited among all the uncited; 0 where either is missing."""
    if not cited.any() or cited.all():
        return scores.sum() * 0
    against = torch.logsumexp(scores[~cited], 0)
    return functional.softplus(against - scores[cited]).mean()


def distillation(scores: Tensor, teacher: Tensor) -> Tensor:
    """Kullback-Leibler divergence of the list's softmax from that of a teacher's log-odds (Hinton et al. 2015).

    Only differences within a list count, so that the teacher's scores need no calibration.
    """
    return functional.kl_div(
        torch.log_softmax(scores, 0), torch.log_softmax(teacher, 0), reduction="sum", log_target=True
    )


def list_loss(name: LossName, scores: Tensor, cited: Tensor, teacher: Tensor | None) -> Tensor:
    """The loss of one list; `teacher` is needed for distillation only."""
    if name == "cross-entropy":
        return cross_entropy(scores, cited) / len(scores)
    if name == "softmax":
        return list_softmax(scores, cited)
    if teacher is None:
        raise ValueError("distillation needs a teacher's log-odds")
    return distillation(scores, teacher)
