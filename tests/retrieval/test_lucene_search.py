"""The search through one string each way, and in parts, finds what Lucene's own search finds."""

import random
import string
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import run_program

from encoders.text import Text
from indexer.jvm import autoclass
from indexer.lucene import FIELD, Bm25Writer, open_reader
from retrieval import lucene_search
from retrieval.lucene_search import LuceneSearch

K1, B = 2.0, 0.9
WORDS = ["".join(letters) for letters in zip(string.ascii_lowercase, string.ascii_lowercase[5:] + "abcde", strict=True)]


def term_query(weights: dict[str, float]) -> Any:
    """The disjunction made of Lucene's own objects, a clause a term."""
    builder = autoclass("org.apache.lucene.search.BooleanQuery$Builder")()
    should = autoclass("org.apache.lucene.search.BooleanClause$Occur").SHOULD
    for term, weight in weights.items():
        clause = autoclass("org.apache.lucene.search.TermQuery")(autoclass("org.apache.lucene.index.Term")(FIELD, term))
        boosted = autoclass("org.apache.lucene.search.BoostQuery")(clause, weight) if weight != 1 else clause
        builder.add(boosted, should)
    return builder.build()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four segments, the largest longer than the 2048 documents that Lucene scores at a time."""
    folder = tmp_path_factory.mktemp("segments") / "bm25"
    rng = random.Random(3)
    label = 0
    for size in (5000, 40, 60, 100):
        with Bm25Writer(folder, append=label > 0) as writer:
            for _ in range(size):
                writer.add(label, Text(" ".join(rng.choices(WORDS, k=rng.randint(3, 40))), ""))
                label += 1
        if label == size:
            merge(folder)
    return folder


def merge(folder: Path) -> None:
    """Make one segment of all."""
    path = autoclass("java.nio.file.Paths").get(str(folder))
    directory = autoclass("org.apache.lucene.store.FSDirectory").open(path)
    configuration = autoclass("org.apache.lucene.index.IndexWriterConfig")()
    writer = autoclass("org.apache.lucene.index.IndexWriter")(directory, configuration)
    writer.forceMerge(1)
    writer.close()


@pytest.fixture(scope="module")
def reader(folder: Path) -> Iterator[Any]:
    opened = open_reader(folder)
    assert len(opened.leaves().toArray()) == 4
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def of_first_words(reader: Any) -> Callable[[int], list[tuple[int, float]]]:
    """What `of_lucene` finds for so many first words, of weights from 1 to 3."""
    return cache(lambda terms: of_lucene(reader, first_words(terms)))


def first_words(terms: int) -> dict[str, float]:
    return {word: float(1 + place % 3) for place, word in enumerate(WORDS[:terms])}


def of_lucene(reader: Any, weights: dict[str, float]) -> list[tuple[int, float]]:
    """Every hit of Lucene's plain search, ordered by score and document."""
    searcher = autoclass("org.apache.lucene.search.IndexSearcher")(reader)
    searcher.setSimilarity(autoclass("org.apache.lucene.search.similarities.BM25Similarity")(K1, B))
    hits = [(hit.doc, float(np.float32(hit.score))) for hit in searcher.search(term_query(weights), 10_000).scoreDocs]
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))


@pytest.mark.parametrize("terms", [1, 5, 16, 17, 26])
@pytest.mark.parametrize("k", [1, 7, 100, 10_000])
@pytest.mark.parametrize("a_thread", [1, 100, 3000, 10**6])
@pytest.mark.parametrize(("cores", "share"), [(2, None), (7, 0.02), (2, 0.7), (7, 0.0)])
def test_parts_of_an_index_give_what_the_whole_gives(
    reader: Any,
    of_first_words: Callable[[int], list[tuple[int, float]]],
    terms: int,
    k: int,
    a_thread: int,
    cores: int,
    share: float | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lucene_search, "usable_cores", lambda: cores)
    monkeypatch.setattr(lucene_search, "_DOCUMENTS_A_THREAD", a_thread)
    allowed = None if share is None else np.random.default_rng(terms).random(reader.maxDoc()) < share
    documents, scores = LuceneSearch(reader, K1, B).top(first_words(terms), k, allowed)
    expected = [hit for hit in of_first_words(terms) if allowed is None or allowed[hit[0]]]
    np.testing.assert_array_equal(scores, np.float32([score for _, score in expected[:k]]))
    # The last score may be shared by more than are wanted; of those above it there is no choice.
    sure = int(np.count_nonzero(scores > scores[-1:])) if len(expected) > k else len(expected)
    assert documents[:sure].tolist() == [document for document, _ in expected[:sure]]


@pytest.mark.parametrize(
    "term",
    [
        *string.punctuation,
        "a:b",
        "and",
        "or",
        "not",
        "to",
        "c++",
        "[a",
        "a\\u0041",
        "\\",
        "x^2",
        "~1",
        "😀",
        "引文",
        "a&&b",
        "''",
    ],
)
def test_a_query_as_a_string_is_the_query_made_of_objects(reader: Any, term: str) -> None:
    weights = {term: 1.0, "rest": 3.0, f"{term}z": 0.5}
    search = LuceneSearch(reader, K1, B)
    parsed = search._parser(FIELD, search._analyzer).parse(lucene_search._written(weights))
    assert parsed.equals(term_query(weights))


def test_an_index_without_a_document_has_no_hit(tmp_path: Path) -> None:
    directory = autoclass("org.apache.lucene.store.FSDirectory").open(
        autoclass("java.nio.file.Paths").get(str(tmp_path))
    )
    configuration = autoclass("org.apache.lucene.index.IndexWriterConfig")()
    autoclass("org.apache.lucene.index.IndexWriter")(directory, configuration).close()
    documents, scores = LuceneSearch(open_reader(tmp_path), K1, B).top({"citat": 1.0}, 10)
    assert (len(documents), len(scores)) == (0, 0)


def test_threads_do_not_get_each_others_hits(reader: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lucene_search, "_DOCUMENTS_A_THREAD", 100)
    rng = random.Random(8)
    searches = [LuceneSearch(reader, k1, B) for k1 in (0.9, K1)]
    asked = [
        (rng.choice(searches), {word: float(rng.randint(1, 9)) for word in rng.sample(WORDS, size)})
        for size in (3, 17, 20, 24) * 50
    ]
    alone = [search.top(weights, 50) for search, weights in asked]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda one: one[0].top(one[1], 50), asked))
    for expected, found in zip(alone, together, strict=True):
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_array_equal(found[1], expected[1])


OPENED_BY_MANY = """
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from indexer.lucene import open_reader
from retrieval.lucene_search import LuceneSearch

reader = open_reader(Path(sys.argv[1]))
with ThreadPoolExecutor(8) as pool:
    parts = list(pool.map(lambda _: LuceneSearch(reader, 2.0, 0.9)._parts, range(4000)))
print({sum(part.end - part.start for part in one[0]) for one in parts})
"""


@pytest.mark.long
def test_threads_that_open_an_index_together_do_not_crash_java(reader: Any, folder: Path, tmp_path: Path) -> None:
    """In a process of its own: with a Java object that has no name in Python, it dies within a second."""
    ended = run_program(OPENED_BY_MANY, folder, folder=tmp_path)
    assert ended.code == 0, ended.out[-500:] + ended.err[-500:]
    assert ended.out == f"{{{reader.maxDoc()}}}\n"
