"""How fast the second stage is, against sentence-transformers with the same weights, pairs and tokens.

    python benchmarks/reranking.py --index DIR [--pairs 64] [--repeat 5]

Three tables, medians of runs that take turns:

- pairs a second of `CrossEncoder.predict` of sentence-transformers with its defaults, and of ours, for a BERT of
  MiniLM's size with a random head. Every text is cut beforehand to what the token split reads of it, so that both
  read the same token ids: predict alone would cut the longer text first.
- the default reranker: pairs a second, with the states below the join computed as in use and taken as given; what
  tokenising costs; the whole answer for the best 200 and 1,000 candidates.
- with a CUDA device, 1,000 pairs of 512 tokens through a network of BERT-base's size with random weights.

On a machine that does other work only the ratios mean something.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from citescout import Recommender, Settings
from common.cpu import has_bf16, usable_cores
from encoders.batching import length_sorted_batches
from encoders.runtimes import make_runtime
from encoders.text import Text
from indexer.generations import open_generation
from rerank.cross_encoder import DEFAULT, CrossEncoder
from rerank.late_join import QueryStates
from rerank.late_join_config import HIDDEN
from rerank.late_join_files import load_late_join
from rerank.late_join_scorer import LateJoinNetwork, side_token_ids
from rerank.token_split import TokenSplit
from training.queries import training_queries

SPLITS = (TokenSplit(256, 256), TokenSplit(128, 128), TokenSplit(256, 64))


def medians(systems: dict[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """Median seconds of each; every one runs once unmeasured, and they take turns."""
    for system in systems.values():
        system()
    seconds: dict[str, list[float]] = {name: [] for name in systems}
    for _ in range(repeat):
        for name, system in systems.items():
            begun = time.perf_counter()
            system()
            seconds[name].append(time.perf_counter() - begun)
    return {name: statistics.median(one) for name, one in seconds.items()}


def random_cross_encoder(folder: Path) -> str:
    """MiniLM with a head of random weights."""
    from transformers import AutoModelForSequenceClassification

    from encoders.pretrained import load_pretrained

    torch.manual_seed(0)
    tokenizer, model = load_pretrained("package:minilm", AutoModelForSequenceClassification, num_labels=1)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def cut(tokenizer: Any, text: Text, limit: int) -> str:
    """A text cut to its first `limit` tokens."""
    joined = ". ".join(part for part in text if part)
    offsets = tokenizer(joined, add_special_tokens=False, return_offsets_mapping=True, verbose=False)["offset_mapping"]
    return joined if len(offsets) <= limit else joined[: offsets[limit - 1][1]]


def against_sentence_transformers(folder: str, query: Text, candidates: list[Text], repeat: int) -> None:
    """Print the first table."""
    print("| tokens | sentence-transformers, pairs/s | ours, pairs/s | ratio | rank correlation | same top 20 |")
    print("|---|---|---|---|---|---|")
    for split in SPLITS:
        print(_against_sentence_transformers(folder, query, candidates, split, repeat))


def _against_sentence_transformers(
    folder: str, query: Text, candidates: list[Text], split: TokenSplit, repeat: int
) -> str:
    from sentence_transformers import CrossEncoder as TheirCrossEncoder

    theirs = TheirCrossEncoder(folder, max_length=split.query + split.candidate, local_files_only=True)
    asked = cut(theirs.tokenizer, query, split.query - 2)
    read = [cut(theirs.tokenizer, text, split.candidate - 1) for text in candidates]
    ours = CrossEncoder.load(folder, split)
    pairs, texts = [(asked, text) for text in read], [Text(text, "") for text in read]
    seconds = medians(
        {"theirs": lambda: theirs.predict(pairs), "ours": lambda: ours.score(Text(asked, ""), texts)}, repeat
    )
    expected, found = theirs.predict(pairs), ours.score(Text(asked, ""), texts)
    same = len(set(np.argsort(-expected)[:20]) & set(np.argsort(-found)[:20]))
    ranks = [np.argsort(np.argsort(scores)) for scores in (expected, found)]
    rates = [len(pairs) / seconds[name] for name in ("theirs", "ours")]
    return (
        f"| {split.query}+{split.candidate} | {rates[0]:.1f} | {rates[1]:.1f} | {rates[1] / rates[0]:.1f} | "
        f"{np.corrcoef(*ranks)[0, 1]:.4f} | {same} of 20 |"
    )


class UpperLayers(torch.nn.Module):
    """What is left of a candidate's way when its states below the join are given."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, lower: torch.Tensor, attention_mask: torch.Tensor, query_layers: torch.Tensor, query_mask: torch.Tensor
    ) -> torch.Tensor:
        """As `CandidateSide`, from the states below the join."""
        return self.model.pooled(QueryStates(query_layers, query_mask), lower, attention_mask)


def late_join(query: Text, candidates: list[Text], repeat: int) -> None:
    """Print what of the default reranker's time the lower layers and the tokens take."""
    ours = CrossEncoder.load()
    network = ours._network
    if not isinstance(network, LateJoinNetwork):
        raise TypeError("the default reranker is expected to be a late-join network")
    model, tokenizer = load_late_join(DEFAULT)[0], network._tokenizer
    reader, tokens = ours.reader(query), ours.token_ids(candidates)
    context = network.read(query).asked.inputs()
    ids = side_token_ids(tokenizer, candidates, network.split.candidate)
    given = []
    with torch.inference_mode():
        for batch in length_sorted_batches(ids, 8, 0):
            mask = batch.inputs["attention_mask"]
            lower = model.lower_states(torch.from_numpy(batch.inputs["input_ids"]), torch.from_numpy(mask)).numpy()
            given.append(batch._replace(inputs={"lower": lower, "attention_mask": mask, **context}))
    upper = make_runtime(UpperLayers(model), given[0])
    seconds = medians(
        {
            "tokenise": lambda: ours.token_ids(candidates),
            "read the query": lambda: ours.reader(query),
            "as in use": lambda: reader.score(tokens),
            "states below the join given": lambda: upper.run(given, lambda batch, output: None),
        },
        repeat,
    )
    print(f"\n| default reranker, {network.split.query}+{network.split.candidate} | ms a candidate | pairs/s | ratio |")
    print("|---|---|---|---|")
    for name, one in seconds.items():
        each = one / (1 if name == "read the query" else len(candidates))
        print(f"| {name} | {1000 * each:.2f} | {1 / each:.0f} | {seconds['as in use'] / one:.2f} |")
    tokens_kept = 2 * np.mean([len(row) for row in ids])
    print(
        f"\nA paper's states below the join: {HIDDEN * tokens_kept / 1000:.0f} kB; its tokens: {tokens_kept:.0f} bytes."
    )


def answers(directory: Path, queries: list[Any], repeat: int) -> None:
    """Print how long a person waits."""
    recommender = Recommender.open(directory, "default")
    depths = {
        "first stage": Settings(depth=0),
        "200 read": Settings(depth=200),
        "500 read (blend)": Settings(depth=500),
        "1,000 read (no blend)": Settings(depth=1000, blend=False),
        "budget of 1 s": Settings(depth=500, budget=1.0),
    }
    print("\n| whole answer | median seconds | read |\n|---|---|---|")
    for name, settings in depths.items():
        recommender.rank(queries[0], settings)
        seconds, read = [], []
        for query in queries[1 : repeat + 1]:
            begun = time.perf_counter()
            read.append(len(recommender.rank(query, settings).reranked))
            seconds.append(time.perf_counter() - begun)
        print(f"| {name} | {statistics.median(seconds):.2f} | {statistics.median(read):.0f} |")
    recommender.close()


def on_the_gpu(repeat: int, count: int = 1000, tokens: int = 512) -> None:
    """Print the seconds of `count` full-length pairs of BERT-base's size."""
    from transformers import BertConfig, BertForSequenceClassification

    from rerank.sequence_pairs import PairClassifier

    model = PairClassifier(BertForSequenceClassification(BertConfig(num_labels=2)))
    rows = np.random.default_rng(0).integers(1000, 30_000, (count, tokens)).tolist()
    for size in (32, 64, 128, 256):
        batches = list(length_sorted_batches(rows, size, 0))
        runtime = make_runtime(model, batches[0], "torch")
        seconds = medians({"gpu": lambda b=batches, r=runtime: r.run(b, lambda batch, output: None)}, repeat)["gpu"]
        print(f"{count} pairs of {tokens} tokens, BERT-base, batches of {size}: {seconds:.3f} s")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path, help="an index with vectors, for the texts and the whole answers")
    parser.add_argument("--pairs", type=int, default=64)
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    print(f"{usable_cores()} cores, bf16: {has_bf16()}, CUDA: {torch.cuda.is_available()}\n")
    if arguments.index:
        generation = open_generation(arguments.index)
        queries = [one.query for one in training_queries(generation, arguments.repeat + 1)]
        pool = np.random.default_rng(0).permutation(generation.manifest.papers)[: arguments.pairs]
        candidates = list(generation.catalog.texts(pool))
        with tempfile.TemporaryDirectory() as folder:
            against_sentence_transformers(
                random_cross_encoder(Path(folder)), queries[0].text, candidates, arguments.repeat
            )
        late_join(queries[0].text, candidates, arguments.repeat)
        answers(arguments.index, queries, arguments.repeat)
    if torch.cuda.is_available():
        on_the_gpu(arguments.repeat)


if __name__ == "__main__":
    main()
