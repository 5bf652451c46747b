"""Papers, an encoder that counts, and how tests of Milvus Lite open what they have built."""

from pathlib import Path

import numpy as np
import pytest

from citescout.recommender import Recommender
from indexer.engines import builds as engine_builds
from indexer.engines.address import EngineAddress
from indexer.engines.milvus_connection import Milvus
from indexer.generations import open_generation
from indexer.paper import Paper

ROOT = Path(__file__).parents[2]
PAPERS = [
    Paper(f"p{number:03}", f"Title number {number} of a paper", f"Words about topic{number % 7}.", 2000 + number % 20)
    for number in range(100)
]
DIMENSION = 8


class Counting:
    """An encoder whose vectors follow from the texts, and that may die."""

    name, dimension, digest = "counting", DIMENSION, "0" * 64

    def __init__(self, dies_at: int | None = None) -> None:
        self.encoded: list[str] = []
        self._dies_at = dies_at

    def encode(self, texts):
        if self._dies_at is not None and len(self.encoded) + len(texts) > self._dies_at:
            raise KeyboardInterrupt
        self.encoded += [text.title for text in texts]
        rows = np.array(
            [np.random.default_rng(list(text.joined().encode())).normal(size=DIMENSION) for text in texts], np.float32
        )
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    encode_queries = encode

    def as_queries(self, vectors):
        return vectors


def use(monkeypatch: pytest.MonkeyPatch, encoder: Counting) -> None:
    monkeypatch.setattr(engine_builds, "load_encoder", lambda name: encoder if name else None)


def collections(engine: str) -> list[str]:
    with Milvus(EngineAddress.parsed(engine)) as connection:
        return list(connection.call("list_collections"))


def opened(directory: Path) -> Recommender:
    return Recommender(open_generation(directory), Counting(), None)  # type: ignore[arg-type]
