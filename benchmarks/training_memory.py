"""Peak memory of training on many queries, beside that of the same training on a hundred.

    python benchmarks/training_memory.py --work work --queries 1000000

A synthetic split: as many papers as queries, each of which is a query with ten candidates drawn at random (the records
that retrieval would write are made up; the texts are read from a catalog as in use), and for the encoder five triplets
of each. The models are tiny, and the steps few: what grows with the queries is everything else. Every figure is the
peak resident set of a process of its own.
"""

import argparse
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from measuring import cost_of
from numpy.typing import NDArray

from common.arrays import unordered
from common.sequences import batches
from indexer.catalog import Catalog
from indexer.catalog_writing import build_catalog
from indexer.generations import CatalogTexts
from indexer.paper import Paper

FEW = 100  # queries of the training that is compared with
CANDIDATES, CITED, TRIPLETS, CITATIONS = 10, 0.06, 5, 10
WORDS = [f"w{number}" for number in range(2000)]
_TOGETHER = 10_000


def make_papers(path: Path, count: int) -> None:
    """A catalog of so many papers with titles of 10 words and abstracts of 140."""
    rng = np.random.default_rng(0)
    sentences = [" ".join(rng.choice(WORDS, 20)) + "." for _ in range(5000)]

    def paper(number: int) -> Paper:
        title, *abstract = rng.integers(0, len(sentences), 8).tolist()
        return Paper(f"{number:09}", sentences[title][:60], " ".join(sentences[one] for one in abstract))

    build_catalog(map(paper, range(count)), path)


def make_lists(path: Path, count: int) -> None:
    """The records of so many queries."""
    from training.reranker.stored_lists import ListFile, Record

    rng, file = np.random.default_rng(1), ListFile(path, path.name)

    def record(number: int) -> Record:
        docids, cited = rng.integers(0, count, CANDIDATES).astype(np.int32), rng.random(CANDIDATES) < CITED
        cited[0] |= not number
        return Record(number, 0, number, int(cited.sum()) + 5, docids, cited, None, None)

    for numbers in batches(range(count), _TOGETHER):
        file.append(map(record, numbers))


def texts_of(work: Path, count: int) -> CatalogTexts:
    """The texts of the papers, as training reads them."""
    return CatalogTexts(SimpleNamespace(catalog=Catalog(work / "papers.sqlite"), removed=np.zeros(count, np.bool_)))  # type: ignore[arg-type]


def train_reranker(work: Path, queries: int, steps: int) -> None:
    """Cross-entropy over pairs of all queries, shuffled (BIR 2020)."""
    from training.reranker.sequence_pairs import train_sequence_pairs
    from training.reranker.settings import SequencePairSettings
    from training.reranker.stored_lists import ListFile

    path = work / f"lists-{queries}.sqlite"
    lists = ListFile(path, path.name).lists([texts_of(work, queries)])
    settings = SequencePairSettings(steps=steps, warm_up=1, attention_dropout=0.0)
    train_sequence_pairs(str(work / "model"), lists, work / f"reranker-{queries}", settings)


def train_encoder(work: Path, queries: int, steps: int) -> None:
    """SPECTER's settings over five triplets of every query."""
    from dataclasses import replace

    from encoders.picked_texts import PickedTexts
    from training.encoder import trainer
    from training.encoder.batches import TripletBatches
    from training.encoder.settings import SPECTER
    from training.triplets.sampling import Triplets

    rng = np.random.default_rng(2)
    rows = rng.integers(0, queries, (TRIPLETS * queries, 3))
    rows[:, 0] = np.repeat(np.arange(queries), TRIPLETS)
    pairs = np.unique(unordered(*rng.integers(0, queries, (2, CITATIONS * queries))))
    texts = PickedTexts([(texts_of(work, queries), np.arange(queries))])
    triplets = Triplets(texts, rows, np.zeros(len(rows), np.int8), pairs)
    settings = replace(SPECTER, steps=steps)
    nothing: NDArray[np.int64] = np.zeros((0, 3), np.int64)
    batches = TripletBatches(triplets, settings)
    trainer.train_encoder(str(work / "model"), texts, batches, nothing, work / f"encoder-{queries}", settings)


def make_model(folder: Path) -> None:
    """A BERT of two layers of 64 dimensions with 512 positions."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    core = Tokenizer(models.WordLevel({word: at for at, word in enumerate([*special, *WORDS])}, "[UNK]"))
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    named = zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), special, strict=True)
    PreTrainedTokenizerFast(tokenizer_object=core, **dict(named)).save_pretrained(folder)
    shape = {"num_hidden_layers": 2, "num_attention_heads": 2, "hidden_size": 64, "intermediate_size": 128}
    BertModel(BertConfig(vocab_size=len(WORDS) + len(special), **shape)).save_pretrained(folder)


def embed_graph(work: Path, queries: int, steps: int) -> None:
    """SciNCL's vectors of a citation graph in which every query cites ten papers."""
    from training.triplets.node_embeddings import node_embeddings

    node_embeddings(np.random.default_rng(3).integers(0, queries, (CITATIONS * queries, 2)), queries)


PARTS = {"reranker": train_reranker, "encoder": train_encoder, "graph": embed_graph}


def measured(work: Path, part: str, queries: int, steps: int) -> float:
    """Peak resident set of one training in a process of its own, in MB."""
    command = [sys.executable, __file__, "--work", str(work), "--queries", str(queries), "--steps", str(steps)]
    return cost_of([*command, "--only", part]).peak_bytes / 2**20


def main() -> None:
    """Make the data, train both, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--work", type=Path, required=True, help="folder for the data; about 2.5 GB for a million")
    parser.add_argument("--queries", type=int, default=1_000_000)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--only", choices=list(PARTS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        PARTS[options.only](options.work, options.queries, options.steps)
        return
    options.work.mkdir(parents=True, exist_ok=True)
    make_papers(options.work / "papers.sqlite", options.queries)
    make_model(options.work / "model")
    sizes = (min(FEW, options.queries), options.queries)
    for size in sizes:
        make_lists(options.work / f"lists-{size}.sqlite", size)
    print(f"| training of | {sizes[0]:,} queries, MB | {sizes[1]:,} queries, MB | more |\n|---|---|---|---|")
    for part in PARTS:
        few, many = (measured(options.work, part, size, options.steps) for size in sizes)
        print(f"| {part} | {few:,.0f} | {many:,.0f} | {many - few:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
