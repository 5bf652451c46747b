"""The two losses."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def triplet_margin(query: Tensor, positive: Tensor, negative: Tensor, margin: float) -> Tensor:
    """Sum over the rows of max(‖q − p‖ − ‖q − n‖ + margin, 0) (Cohan et al. 2020, equation 2); shapes (n, d)."""
    return functional.relu(distance(query, positive) - distance(query, negative) + margin).sum()


def distance(one: Tensor, other: Tensor) -> Tensor:
    """L2 distance of the rows, shape (n,); its gradient stays finite where two texts have one vector."""
    return ((one - other) ** 2).sum(-1).clamp(min=1e-12).sqrt()


def in_batch(scores: Tensor, positive: Tensor, ignored: Tensor) -> Tensor:
    """Sum over the positives of −log softmax of each one against all negatives of its query.

    Shapes (queries, documents). Other positives of the query do not compete with one, and what is `ignored` (the query
    itself, papers linked with it in another way) takes no part.
    """
    against = scores.masked_fill(positive | ignored, -torch.inf)
    # A row without negatives teaches nothing, and its logsumexp has no gradient.
    usable = positive & ~torch.isinf(against).all(dim=1, keepdim=True)
    negatives = torch.logsumexp(torch.where(usable.any(dim=1, keepdim=True), against, 0.0), dim=1, keepdim=True)
    return functional.softplus(negatives - scores)[usable].sum()
