"""What tests of a changing index share: papers made of few words, and what must hold of an index by a plain dict."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from citescout import Query, Recommender, Settings
from encoders.text import Text
from indexer.citations import load_array
from indexer.generations import OpenGeneration, open_generation
from indexer.identity.keys import keys_of
from indexer.layout import LAYOUT
from indexer.paper import Paper
from indexer.structures import FLAT
from indexer.vector_search import VectorSearch
from indexer.vectors import read_codes
from retrieval.first_stage import SOURCES, Source

if TYPE_CHECKING:
    import pytest

Model = dict[str, Paper]  # the papers that an index should hold, by id

WORDS = [
    "graph",
    "neural",
    "ranking",
    "search",
    "citation",
    "of",
    "the",
    "a",
    "paper",
    "network",
    "walk",
    "dense",
    "passage",
    "term",
    "topic",
    "author",
]
IDS = [f"p{number:02}" for number in range(24)]
QUERIES = (
    Query("neural citation ranking", "a walk of the graph and the search of a passage"),
    Query("dense topic network", year=2010),
    Query("author graph paper", already_cited=("p03", "p07", "p11")),
    Query("term search passage", id="p05", year=2015),
)


def paper_of(id_: str, variant: int) -> Paper:
    """Always the same paper; variants 0 and 1, 2 and 3, … differ in everything but title and abstract."""
    text, rest = random.Random(f"{id_} {variant // 2}"), random.Random(f"{id_} {variant}")
    return Paper(
        id_,
        " ".join(text.choices(WORDS, k=text.randint(1, 6))),
        " ".join(text.choices(WORDS, k=text.randint(0, 25))),
        rest.choice([None, *range(1990, 2025)]),
        venue=rest.choice(WORDS),
        doi=f"10.1000/{rest.randint(1, 30)}",
        citations=tuple(rest.sample([*IDS, "nowhere"], k=rest.randint(0, 9))),
    )


def edges_of(papers: Model) -> set[tuple[str, str]]:
    """Citations among the papers of the model."""
    return {(p.id, c) for p in papers.values() for c in p.citations if c in papers and c != p.id}


def assert_holds(directory: Path, papers: Model) -> None:
    """Every byte is as it was written, and every part of the index knows these papers and no other."""
    generation = open_generation(directory, full_check=True)
    live = np.flatnonzero(~generation.removed)
    ids = generation.catalog.ids(live)
    assert dict(zip(ids, generation.catalog.papers(live), strict=True)) == papers
    assert (generation.manifest.papers, generation.catalog.size) == (len(papers), len(papers))
    assert generation.manifest.docid_count == len(generation.removed) == len(generation.years)
    id_of = dict(zip(live.tolist(), ids, strict=True))
    cites, cited_by = generation.graph.cites, generation.graph.cited_by
    assert {(id_of[a], id_of[b]) for a in id_of for b in cites.of(a).tolist()} == edges_of(papers)
    assert {(id_of[b], id_of[a]) for a in id_of for b in cited_by.of(a).tolist()} == edges_of(papers)
    assert len(cites.neighbours) == len(cited_by.neighbours) == generation.manifest.citations == len(edges_of(papers))
    assert {id_of[n]: year for n, year in enumerate(generation.years.tolist()) if n in id_of} == {
        p.id: p.year or 0 for p in papers.values()
    }
    keys = [(key, id_of[number]) for key, number in generation.catalog._query("SELECT key, number FROM keys")]
    assert sorted(keys) == sorted({(str(key), p.id) for p in papers.values() for key in keys_of(p)})
    documents = load_array(generation.folder / LAYOUT.bm25_docids)
    assert sorted(documents.tolist()) == list(range(generation.manifest.docid_count))
    if generation.manifest.encoder is not None:
        assert generation.vectors().shape == (generation.manifest.docid_count, generation.manifest.dimension)
        structure = generation.folder / LAYOUT.structure
        assert structure.exists() == (generation.manifest.search != FLAT)
        codes = generation.folder / LAYOUT.vectors
        VectorSearch(codes, structure if structure.exists() else None, generation.manifest.search)
    generation.close()


def assert_same_vectors(one: OpenGeneration, other: OpenGeneration) -> None:
    """The vectors themselves, their codes and what is said of them agree in every bit."""
    np.testing.assert_array_equal(one.vectors(), other.vectors())
    codes = [read_codes(generation.folder / LAYOUT.vectors) for generation in (one, other)]
    np.testing.assert_array_equal(codes[0], codes[1])
    said = [(open_.manifest.choice, open_.manifest.recall, open_.manifest.eight_bits) for open_ in (one, other)]
    assert said[0] == said[1]


def lists(directory: Path) -> list[list[tuple[str, float]]]:
    """(id, score) of every source alone, of the pool and of the blended list, for every query."""
    recommender = Recommender.open(directory)
    found = []
    for query in QUERIES:
        sources: list[tuple[Source, ...]] = [("bm25",), ("bm25", "dense"), SOURCES]
        for chosen in sources:
            for blend in (False, True):
                answer = recommender.recommend(query, Settings(k=100, sources=chosen, blend=blend))
                found.append([(entry.paper.id, entry.score) for entry in answer])
        pool = recommender.pool(query)
        for hits in pool.hits.values():
            papers = recommender.generation.catalog.ids(hits.docids)
            found.append(list(zip(papers, hits.scores.tolist(), strict=True)))
        papers = recommender.generation.catalog.ids(pool.docids)
        found.append(list(zip(papers, pool.citations.tolist(), strict=True)))
        found.extend(list(zip(papers, column.tolist(), strict=True)) for column in pool.votes.T)
    recommender.close()
    return found


def recommended(directory: Path) -> set[str]:
    """Every id that any source finds for any query."""
    recommender = Recommender.open(directory)
    docids = {number for query in QUERIES for number in recommender.pool(query).docids.tolist()}
    found = set(recommender.generation.catalog.ids(sorted(docids)))
    recommender.close()
    return found


class HashEncoder:
    """Stands in for a model: a vector out of the text's hash, at no cost."""

    dimension = 16
    digest = "of a test"
    name = "hash"
    encoded = 0  # texts, by all instances

    def encode(self, texts: Sequence[Text], progress: bool = False) -> np.ndarray:
        HashEncoder.encoded += len(texts)
        seeds = [int.from_bytes(hashlib.sha256(text.joined().encode()).digest()[:4]) for text in texts]
        rows = np.stack([np.random.default_rng(seed).normal(size=self.dimension) for seed in seeds])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def encode_queries(self, texts: Sequence[Text]) -> np.ndarray:
        return self.encode(texts)

    def as_queries(self, vectors: np.ndarray) -> np.ndarray:
        return vectors


class OtherHashEncoder(HashEncoder):
    """Another model, with longer vectors."""

    dimension = 24
    digest = "of another test"
    name = "other-hash"


def use_hash_encoder(name: str = "", *_: object) -> HashEncoder:
    """In place of `TextEncoder.load`."""
    return OtherHashEncoder() if name == OtherHashEncoder.name else HashEncoder()


def stop_after(chunks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let somebody interrupt the encoding when so many chunks are encoded."""
    encode, done = HashEncoder.encode, []

    def stopping(self: HashEncoder, texts: Sequence[Text], progress: bool = False) -> np.ndarray:
        if len(done) == chunks:
            raise KeyboardInterrupt
        done.append(len(texts))
        return encode(self, texts)

    monkeypatch.setattr(HashEncoder, "encode", stopping)
