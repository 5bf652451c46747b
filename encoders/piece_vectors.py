"""Word vectors out of a transformer: the mean of the input vectors of a word's pieces, without context."""

from collections.abc import Sequence

import numpy as np
import torch

from encoders.pretrained import load_pretrained
from encoders.text import Text
from encoders.word_vectors import WordVectors, repeated_words


def piece_vectors(name: str, papers: Sequence[Text]) -> WordVectors:
    """Vectors of the words that occur at least twice in `papers`, from the encoder of a preset, folder or hub id.

    Raises:
        ModelError: the encoder cannot be loaded.
        SourceError: no word occurs twice.
    """
    from transformers import AutoModel

    words = repeated_words(papers)
    tokenizer, model = load_pretrained(name, AutoModel)
    inputs = model.get_input_embeddings().weight.detach()
    pieces = tokenizer(words, add_special_tokens=False)["input_ids"]
    matrix = torch.stack([inputs[torch.tensor(one, dtype=torch.int64)].sum(0) / max(len(one), 1) for one in pieces])
    return WordVectors({word: row for row, word in enumerate(words)}, matrix.numpy().astype(np.float32))
