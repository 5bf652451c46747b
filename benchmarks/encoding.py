"""How fast papers are encoded, against sentence-transformers' `encode` with the same weights, and how alike both are.

    python benchmarks/encoding.py --index DIR [--encoder minilm] [--papers 256] [--repeat 3]

Both encode the same papers of an index with minilm or mpnet, 256 tokens at most, and take turns; medians. The cosines
are those of every paper's vector with the one that sentence-transformers makes in fp32. On a machine that does other
work only the ratio means something.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from encoders.pretrained import find_model, model_folder
from encoders.transformer import TextEncoder
from indexer.generations import open_generation


def main(arguments: Sequence[str] | None = None) -> None:
    """Print papers a second of both, their ratio, and the cosines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--encoder", default="minilm", choices=["minilm", "mpnet"])
    parser.add_argument("--papers", type=int, default=256)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args(arguments)
    from sentence_transformers import SentenceTransformer

    generation = open_generation(options.index)
    drawn = np.random.default_rng(0).permutation(generation.catalog.size)[: options.papers]
    texts = generation.catalog.texts(drawn)
    generation.close()
    joined = [". ".join(part for part in text if part) for text in texts]
    theirs = SentenceTransformer(str(model_folder(find_model(options.encoder))), device="cpu")
    theirs.max_seq_length = 256
    ours = TextEncoder.load(options.encoder)
    expected, found = theirs.encode(joined, normalize_embeddings=True), ours.encode(texts)
    seconds: dict[str, list[float]] = {"sentence-transformers": [], "citescout": []}
    for _ in range(options.repeat):
        for name, encode in (
            ("sentence-transformers", lambda: theirs.encode(joined)),
            ("citescout", lambda: ours.encode(texts)),
        ):
            begun = time.perf_counter()
            encode()
            seconds[name].append(time.perf_counter() - begun)
    speeds = {name: len(texts) / statistics.median(times) for name, times in seconds.items()}
    cosines = (np.asarray(expected) * found).sum(axis=1)
    for name, speed in speeds.items():
        print(f"{name}: {speed:.1f} papers a second")
    print(f"ratio {speeds['citescout'] / speeds['sentence-transformers']:.2f}")
    print(f"cosine mean {cosines.mean():.5f}, least {cosines.min():.5f}")


if __name__ == "__main__":
    main()
