"""The network of CTPE: one convolution a width over fixed word vectors, ReLU, maximum, concatenated (figure 1).

Front and back go through the same network, as in the authors' code.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from encoders.ctpe.parts import Words
from encoders.ctpe.pooling import max_pooled_convolution

WIDTHS = (1, 2, 3, 5)  # words
_ENCODED_TOGETHER = 256  # runs of words


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
