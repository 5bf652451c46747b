"""Convolution over words and maximum over all positions as one operation.

The maximum lets one window a filter through, so that the gradient of a filter is a weighted sum of as many windows as
there are texts. Adding up just those takes a hundredth of the time of a convolution's own gradient, and nothing of the
size of the convolution's output has to be kept.
"""

from typing import Any

import torch
from torch.nn import functional

# Texts that are convolved together: their outputs should stay in the processor's cache.
_ROWS = 8


def max_pooled_convolution(
    words: torch.Tensor, lengths: torch.Tensor, matrix: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor
) -> torch.Tensor:
    """For each text and filter the largest value over all windows of words: (n, channels).

    `words` (n, longest) are rows of `matrix` (words, dimension), whose last row is zeros and fills up shorter texts;
    `weight` is (channels, dimension, width), `bias` (channels,). A window holds `width` words of the text; a text that
    is shorter has one window. Only `weight` and `bias` get gradients.
    """
    pooled: torch.Tensor = _MaxPooledConvolution.apply(words, lengths, matrix, weight, bias)  # type: ignore[no-untyped-call]
    return pooled


class _MaxPooledConvolution(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, words: torch.Tensor, lengths: torch.Tensor, matrix: torch.Tensor, weight: torch.Tensor,
        bias: torch.Tensor,
    ) -> torch.Tensor:  # fmt: skip
        channels, _, width = weight.shape
        filled = functional.pad(words, (0, width), value=len(matrix) - 1)
        best = torch.empty(len(words), channels, dtype=matrix.dtype, device=matrix.device)
        starts = torch.empty(len(words), channels, dtype=torch.int64, device=matrix.device)
        windows = (lengths - width + 1).clamp(min=1)
        # Texts of like length together, so that little is convolved beyond their ends.
        together = _ROWS if matrix.device.type == "cpu" else len(words)
        for rows in torch.split(torch.argsort(lengths), together):
            most = int(windows[rows].max())
            vectors = matrix[filled[rows, : most + width - 1]]
            values = functional.conv1d(vectors.transpose(1, 2), weight)
            beyond = torch.arange(most, device=matrix.device) >= windows[rows, None]
            best[rows], starts[rows] = values.masked_fill_(beyond[:, None], -torch.inf).max(2)
        ctx.save_for_backward(filled, starts, matrix, weight)
        return best + bias

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        filled, starts, matrix, weight = ctx.saved_tensors
        (gradient,) = gradients
        shares = gradient.T.contiguous()
        of_weight = torch.empty_like(weight)
        for offset in range(weight.shape[2]):
            chosen = filled.gather(1, starts + offset).T.contiguous()  # (channels, n) words
            of_weight[:, :, offset] = functional.embedding_bag(chosen, matrix, mode="sum", per_sample_weights=shares)
        return None, None, None, of_weight, gradient.sum(0)
