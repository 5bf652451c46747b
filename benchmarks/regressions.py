"""Small benchmarks, each against a fixed peer in the same run: whether something became slow.

    make bench        (or: python benchmarks/regressions.py [--repeat 3])

CPU seconds, of all threads and child processes, medians of runs that take turns; only the ratios compare between
machines. `at most` is a ratio with room for noise; where one is higher, the exit code is 1. The peers are Pyserini and
bm25s (words), faiss (vectors), sentence-transformers (encoder, cross-encoder) and the imports of torch and transformers
(start). Papers are synthetic, apart from the demo corpus.
"""

import argparse
import logging
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import faiss
import numpy as np
import orjson
from indexing import citescout, prepare, pyserini
from measuring import cost_of

from common.arrays import unit_rows
from demo import CORPUS
from encoders.text import Text
from encoders.transformer import TextEncoder
from indexer.builds import build_index
from indexer.generations import OpenGeneration, open_generation
from indexer.layout import LAYOUT
from indexer.lucene import clean_text
from indexer.readers import read_papers
from rerank.cross_encoder import CrossEncoder
from rerank.token_split import TokenSplit
from retrieval.forms import form_weights
from retrieval.opening import open_sparse

PAPERS = 20_000
QUERIES, TEXTS, PAIRS, DEPTH = 20, 64, 32, 1000
Work = Callable[[], object]


class Comparison(NamedTuple):
    """One row."""

    name: str
    ours: Work
    peer_name: str
    peer: Work
    at_most: float  # CPU seconds of ours over those of the peer


def cpu_seconds(work: Work) -> float:
    """Of this process and of the children that end meanwhile."""

    def used() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime

    before = used()
    work()
    return used() - before


def process(*arguments: str) -> Work:
    """A process of this Python."""
    return partial(cost_of, [sys.executable, *arguments])


def building(work: Path) -> Iterator[Comparison]:
    """An index of words, citations and records, forced to disk, against Lucene's index of the words alone."""
    source, collection = prepare(PAPERS, work)
    ours, peer = partial(citescout, source, work), partial(pyserini, collection, work)
    yield Comparison(f"build, {PAPERS:,} papers without encoding", ours, "Pyserini", peer, 2.0)


def words(generation: OpenGeneration, queries: list[Text], texts: list[Text]) -> Iterator[Comparison]:
    """The best thousand by BM25 for whole abstracts; the same Lucene index, and bm25s on the same texts."""
    bm25 = open_sparse(generation)
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    import bm25s
    from pyserini.search.lucene import LuceneSearcher  # after our own start of Java

    searcher = LuceneSearcher(str(generation.folder / LAYOUT.bm25))
    other = bm25s.BM25()
    other.index(bm25s.tokenize([text.joined() for text in texts], show_progress=False), show_progress=False)

    def ours() -> None:
        for query in queries:
            bm25.search(form_weights(query, "title+abstract", bm25), DEPTH)

    def by_pyserini() -> None:
        for query in queries:
            searcher.search(clean_text(query.joined()), k=DEPTH)

    def by_bm25s() -> None:
        for query in queries:
            tokens = bm25s.tokenize([query.joined()], show_progress=False)
            other.retrieve(tokens, k=DEPTH, show_progress=False)

    name = f"BM25, {QUERIES} queries, {DEPTH:,} papers each"
    yield Comparison(name, ours, "Pyserini", by_pyserini, 0.6)
    yield Comparison(name, ours, "bm25s", by_bm25s, 8.0)


def vectors(work: Path) -> Iterator[Comparison]:
    """The nearest thousand of 8-bit codes, against a scan of the floats."""
    from indexer.vector_search import VectorSearch
    from indexer.vectors import DEFAULT_KIND, fitted, quantise, write_codes

    rng = np.random.default_rng(0)
    made = unit_rows(rng.standard_normal((PAPERS, 384)).astype(np.float32))
    path = work / "vectors.faiss"
    coding = fitted(DEFAULT_KIND, made)
    write_codes([quantise(made, coding)], path, coding)
    flat = faiss.IndexFlatIP(384)
    flat.add(made)
    search = VectorSearch(path)

    def ours() -> None:
        for query in made[:QUERIES]:
            search.nearest(query, DEPTH)

    def scan() -> None:
        for query in made[:QUERIES]:
            flat.search(query[None], DEPTH)

    yield Comparison(f"vectors, {QUERIES} queries, {DEPTH:,} papers each", ours, "faiss, floats", scan, 1.2)


def random_cross_encoder(folder: Path) -> str:
    """MiniLM with a head of random weights."""
    import torch
    from transformers import AutoModelForSequenceClassification

    from encoders.pretrained import load_pretrained

    torch.manual_seed(0)
    tokenizer, model, _ = load_pretrained("package:minilm", AutoModelForSequenceClassification, num_labels=1)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def cut(tokenizer: Any, text: Text, limit: int) -> str:
    """A text cut to its first `limit` tokens: a peer alone would cut the longer of two texts first."""
    joined = ". ".join(part for part in text if part)
    offsets = tokenizer(joined, add_special_tokens=False, return_offsets_mapping=True, verbose=False)["offset_mapping"]
    return joined if len(offsets) <= limit else joined[: offsets[limit - 1][1]]


def models(texts: list[Text], work: Path) -> Iterator[Comparison]:
    """Encoder and cross-encoder, against sentence-transformers with the same weights and tokens."""
    from sentence_transformers import CrossEncoder as TheirCrossEncoder
    from sentence_transformers import SentenceTransformer

    from encoders.pretrained import find_model, model_folder

    joined = [text.joined() for text in texts]
    theirs = SentenceTransformer(str(model_folder(find_model("minilm"))), device="cpu")
    theirs.max_seq_length = 256
    encoder = TextEncoder.load("minilm")
    peer = partial(theirs.encode, joined, show_progress_bar=False)
    name = "sentence-transformers"
    yield Comparison(f"encoder, {len(texts)} abstracts", partial(encoder.encode, texts), name, peer, 0.6)
    folder, split = random_cross_encoder(work / "cross-encoder"), TokenSplit(128, 128)
    judge = TheirCrossEncoder(folder, max_length=256, local_files_only=True)
    asked = cut(judge.tokenizer, texts[0], split.query - 2)
    read = [cut(judge.tokenizer, text, split.candidate - 1) for text in texts[:PAIRS]]
    ours = partial(CrossEncoder.load(folder, split).score, Text(asked, ""), [Text(text, "") for text in read])
    peer = partial(judge.predict, [(asked, text) for text in read], show_progress_bar=False)
    yield Comparison(f"cross-encoder, {PAIRS} pairs of 256 tokens", ours, name, peer, 0.6)


def starting(index: Path, work: Path) -> Iterator[Comparison]:
    """Whole commands, against the imports that a program of the usual libraries begins with."""
    query = work / "query.jsonl"
    query.write_bytes(orjson.dumps({"title": "Dense retrieval of papers to cite"}) + b"\n")
    imports = process("-c", "import torch, transformers; from transformers import AutoModel, AutoTokenizer")
    for name, options, most in (
        ("one answer, with its start", [], 1.3),
        ("the same, words alone", ["--sources", "bm25", "--no-blend"], 0.9),
    ):
        command = process("-m", "citescout", "recommend", str(query), "--index", str(index), *options)
        yield Comparison(name, command, "import torch, transformers", imports, most)


def comparisons(work: Path) -> Iterator[Comparison]:
    """All rows; what one needs is made when its turn comes."""
    demo = work / "demo"
    build_index(read_papers([str(CORPUS)]), demo, "minilm")
    yield from starting(demo, work)
    with open_generation(demo) as generation:
        abstracts = generation.catalog.texts(range(generation.catalog.size))
    yield from models(abstracts[:TEXTS], work)
    yield from vectors(work)
    yield from building(work)
    citescout(work / f"papers-{PAPERS}.jsonl", work)
    with open_generation(work / "citescout") as generation:
        texts = generation.catalog.texts(range(generation.catalog.size))
        yield from words(generation, texts[:: PAPERS // QUERIES][:QUERIES], texts)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    slower = []
    print("| | CPU s | peer | CPU s | ratio | at most |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for row in comparisons(Path(folder)):
            for once in (row.ours, row.peer):  # files are cached and models converted
                once()
            costs = [(cpu_seconds(row.ours), cpu_seconds(row.peer)) for _ in range(repeat)]
            ours, peer = (statistics.median(side) for side in zip(*costs, strict=True))
            ratio = ours / peer
            print(
                f"| {row.name} | {ours:.2f} | {row.peer_name} | {peer:.2f} | {ratio:.2f} | {row.at_most} |", flush=True
            )
            if ratio > row.at_most:
                slower.append(row.name)
    if slower:
        raise SystemExit(f"slower than it should be: {'; '.join(slower)}")


if __name__ == "__main__":
    main()
