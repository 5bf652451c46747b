"""What networks are trained by: pairs, triplets, lists, another model's scores of lists, coupled parts of documents."""

import torch
from torch import Tensor
from torch.nn import functional

from training.settings import ListLoss


def triplet_margin(query: Tensor, positive: Tensor, negative: Tensor, margin: float) -> Tensor:
    """Sum over the rows of max(‖q − p‖ − ‖q − n‖ + margin, 0) (Cohan et al. 2020, equation 2); shapes (n, d)."""
    return functional.relu(distance(query, positive) - distance(query, negative) + margin).sum()


def distance(one: Tensor, other: Tensor) -> Tensor:
    """L2 distance of the rows, shape (n,); its gradient stays finite where two texts have one vector."""
    return ((one - other) ** 2).sum(-1).clamp(min=1e-12).sqrt()


def list_softmax(scores: Tensor, positive: Tensor, ignored: Tensor | None = None) -> Tensor:
    """Sum over the positives of −log softmax of each one against all negatives of its query.

    Shapes (queries, documents), or (documents,) of one query. Other positives of the query do not compete with one, and
    what is `ignored` (the query itself, papers linked with it in another way) takes no part. A query without positives
    or without negatives adds 0.
    """
    against = scores.masked_fill(positive if ignored is None else positive | ignored, -torch.inf)
    # A row without negatives has no loss, and its logsumexp has no gradient.
    usable = positive & ~torch.isinf(against).all(dim=-1, keepdim=True)
    negatives = torch.logsumexp(torch.where(usable.any(dim=-1, keepdim=True), against, 0.0), dim=-1, keepdim=True)
    return functional.softplus(negatives - scores)[usable].sum()


def cross_entropy(scores: Tensor, cited: Tensor) -> Tensor:
    """Sum of the binary cross-entropies of pairs (BIR 2020, section 2); log-odds (n,) and booleans (n,)."""
    return functional.binary_cross_entropy_with_logits(scores, cited.to(scores.dtype), reduction="sum")


def distillation(scores: Tensor, teacher: Tensor) -> Tensor:
    """Kullback-Leibler divergence of the list's softmax from that of a teacher's log-odds (Hinton et al. 2015).

    Only differences within a list count, so that the teacher's scores need no calibration.
    """
    return functional.kl_div(
        torch.log_softmax(scores, 0), torch.log_softmax(teacher, 0), reduction="sum", log_target=True
    )


def list_loss(name: ListLoss, scores: Tensor, cited: Tensor, teacher: Tensor | None) -> Tensor:
    """The loss of one list, a mean over its pairs or its cited papers; `teacher` is needed for distillation only."""
    if name == "cross-entropy":
        return cross_entropy(scores, cited) / len(scores)
    if name == "softmax":
        return list_softmax(scores, cited) / max(int(cited.sum()), 1)
    if teacher is None:
        raise ValueError("distillation needs a teacher's log-odds")
    return distillation(scores, teacher)


def coupled_margin(coupled: Tensor, uncoupled: Tensor, margin: float) -> Tensor:
    """max(0, margin − (coupled − uncoupled)) of cosines, of any shapes that fit together (CTPE, equation 1)."""
    return functional.relu(margin - (coupled - uncoupled))


def expected_coupled_margin(front: Tensor, back: Tensor, margin: float) -> float:
    """The mean of `coupled_margin` over all uncoupled pairs of n ≥ 2 documents, which random sampling approaches.

    `front` and `back` are their vectors at length 1, shape (n, dimension) both.
    """
    cosines = front @ back.T
    coupled = cosines.diagonal()
    losses = coupled_margin(coupled[:, None], cosines, margin) + coupled_margin(coupled[None, :], cosines, margin)
    others = len(front) * (len(front) - 1)
    return float((losses.sum() - losses.diagonal().sum()) / (2 * others))
