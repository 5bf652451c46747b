"""The network of CTPE: one convolution a width over fixed word vectors, ReLU, maximum, concatenated (figure 1).

Front and back go through the same network, as in the authors' code. Convolution and maximum are one operation: the
maximum lets one window a filter through, so that the gradient of a filter is a weighted sum of as many windows as there
are texts. Adding up just those takes a hundredth of the time of a convolution's own gradient, and nothing of the size
of the convolution's output has to be kept.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from encoders.ctpe.parts import Words

WIDTHS = (1, 2, 3, 5)  # words
_ENCODED_TOGETHER = 256  # runs of words
# Texts that are convolved together: their outputs should stay in the processor's cache.
_ROWS = 8


class TextCnn(nn.Module):
    """Runs of words → vectors."""

    matrix: torch.Tensor  # (words + 1, dimension), the last row zeros

    def __init__(self, word_vectors: NDArray[np.float32], channels: int, widths: Sequence[int] = WIDTHS) -> None:
        """Filters as the authors start them: truncated normal of deviation 0.1, biases 0.1, from torch's generator."""
        super().__init__()
        self.widths = tuple(widths)
        self.dimension = len(self.widths) * channels
        zeros = np.zeros((1, word_vectors.shape[1]), np.float32)
        self.register_buffer("matrix", torch.from_numpy(np.concatenate([word_vectors, zeros])), persistent=False)
        self.weights = nn.ParameterList(
            nn.init.trunc_normal_(torch.empty(channels, word_vectors.shape[1], width), std=0.1, a=-0.2, b=0.2)
            for width in self.widths
        )
        self.biases = nn.ParameterList(torch.full((channels,), 0.1) for _ in self.widths)

    def forward(self, runs: Sequence[Words]) -> torch.Tensor:
        """Shape (len(runs), dimension); no run may be empty."""
        device = self.matrix.device
        lengths = torch.tensor([len(run) for run in runs], device=device)
        words = torch.full((len(runs), int(lengths.max())), len(self.matrix) - 1)
        for row, run in enumerate(runs):
            words[row, : len(run)] = torch.from_numpy(run)
        words = words.to(device)
        pooled = [
            max_pooled_convolution(words, lengths, self.matrix, weight, bias)
            for weight, bias in zip(self.weights, self.biases, strict=True)
        ]
        return functional.relu(torch.cat(pooled, 1))  # of the maximum: the same as the maximum of the ReLUs


@torch.inference_mode()
def encode_runs(network: TextCnn, runs: Sequence[Words], unit: bool = True) -> NDArray[np.float32]:
    """Vectors of runs of words, shape (len(runs), dimension), of length 1 if `unit`; zeros for an empty run."""
    vectors = np.zeros((len(runs), network.dimension), np.float32)
    rows = [row for row, run in enumerate(runs) if len(run)]
    for start in range(0, len(rows), _ENCODED_TOGETHER):
        some = rows[start : start + _ENCODED_TOGETHER]
        output = network([runs[row] for row in some])
        vectors[some] = (functional.normalize(output) if unit else output).cpu().numpy()
    return vectors


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
