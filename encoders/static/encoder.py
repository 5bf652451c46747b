"""The vector of a text is the sum of its tokens' vectors, out of a table: thousands of papers a second on one core.

The table is distilled from MiniLM in the way of model2vec (Tulkens and van Dongen 2024): each token of its vocabulary
alone through the network, principal components, weights by frequency; and then fitted. `weights/MODEL_CARD.md` has the
recipe.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from common.arrays import unit_rows
from common.errors import ModelError
from common.progress import counter
from encoders.minilm import minilm_place
from encoders.text import Text

NAME = "static"
WEIGHTS = Path(__file__).parent / "weights"
_TABLE = "model.safetensors"
TABLE_SHA256 = "47481253235f11e54a0849ce6aed64cdd8acb0eb4643026d87604c8821a25044"
MAX_TOKENS = 4096  # ten times an abstract: longer texts are cut
_CHUNK = 1024  # texts tokenised at a time


class StaticEncoder:
    """Encodes title + abstract, queries and documents alike; safe to share between threads."""

    name = NAME

    def __init__(self, unit: bool = True) -> None:
        """Read the table; without `unit`, vectors keep the lengths of the sums.

        Raises:
            ModelError: a file is missing or damaged.
        """
        from safetensors.numpy import load
        from tokenizers import Tokenizer

        table, vocabulary = WEIGHTS / _TABLE, minilm_place() / "tokenizer.json"
        try:
            files = table.read_bytes(), vocabulary.read_bytes()
        except OSError as error:
            raise ModelError(f"cannot read {error.filename} ({error.strerror}): install citescout again") from None
        if hashlib.sha256(files[0]).hexdigest() != TABLE_SHA256:
            raise ModelError(f"{table} is not the table that came with citescout: install it again")
        tensors = load(files[0])
        self._vectors = tensors["vectors"] * tensors["weights"][:, None]  # int8 × float32
        self._tokenizer = Tokenizer.from_str(files[1].decode())
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()
        self._unit = unit
        self.dimension = int(self._vectors.shape[1])
        self.digest = hashlib.sha256(b"static %d" % unit + b"".join(files)).hexdigest()

    def encode(self, texts: Sequence[Text], progress: bool = False) -> NDArray[np.float32]:
        """Vectors, shape (len(texts), dimension); each the same to the last bit in any company."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        with counter("encoding", len(texts) if progress else 0) as bar:
            for start in range(0, len(texts), _CHUNK):
                found = self.token_ids(texts[start : start + _CHUNK])
                for row, ids in enumerate(found, start):
                    vectors[row] = self._vectors[ids].sum(0)
                bar.update(len(found))
        return unit_rows(vectors) if self._unit else vectors

    def token_ids(self, texts: Sequence[Text]) -> list[list[int]]:
        """The tokens of each text, as rows of the table."""
        joined = [". ".join(text.parts()) for text in texts]
        return [one.ids for one in self._tokenizer.encode_batch_fast(joined, add_special_tokens=False)]

    def encode_queries(self, texts: Sequence[Text]) -> NDArray[np.float32]:
        """Queries are encoded like documents."""
        return self.encode(texts)

    def as_queries(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """The vectors themselves."""
        return vectors


load_static = cache(StaticEncoder)  # once a process
