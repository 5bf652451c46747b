"""What several packages' tests need: an index of the demo corpus, a handful of papers, and models made on the spot.

No folder of tests below has an `__init__.py` with the name of a package: it would shadow the package itself.
"""

import logging
import os
import shutil
import signal
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from common.cpu import usable_cores

# Workers share the cores: models that each take all of them spend ten times as long waiting for each other. Set before
# anything loads an OpenMP runtime, and inherited by the commands that tests start.
if WORKERS := int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 0)):
    os.environ.setdefault("OMP_NUM_THREADS", str(max(usable_cores() // WORKERS, 1)))

# Converted models, kept from run to run: a conversion is found by the files of its model.
os.environ.setdefault("CITESCOUT_CACHE", str(Path(__file__).parent.parent / ".pytest_cache" / "citescout"))
# Sessions of servers that tests start are not this user's, nor those of an earlier run.
os.environ.setdefault("CITESCOUT_DATA", (_DATA := TemporaryDirectory(prefix="citescout-data-")).name)

import hypothesis
import pytest
from filelock import FileLock

from citescout.recommender import Recommender
from demo import CORPUS
from indexer.builds import build_index
from indexer.layout import CURRENT
from indexer.paper import Paper
from indexer.readers import read_papers

# Whoever shares the machine may stop an example for longer than any deadline.
hypothesis.settings.register_profile("citescout", deadline=None)
hypothesis.settings.load_profile("citescout")

# A shell that starts this in the background has it ignore Ctrl-C, and so would the commands that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

WORDS = ("graph", "neural", "ranking", "search", "citation", "of", "the", "a", "paper", "network", ".", ",")


@pytest.fixture(autouse=True)
def logs_as_before() -> Iterator[None]:
    """A server that a test starts in this process forms all its logs; the next test's are as pytest has them."""
    before = [(handler, handler.formatter) for handler in logging.getLogger().handlers]
    yield
    for handler, formatter in before:
        handler.setFormatter(formatter)


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Threads that wait for each other cost a tiny model far more than it computes."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def demo_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo corpus, indexed with the default encoder; one build for all workers of pytest-xdist."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if own.name.startswith("popen-") else own
    directory = shared / "demo-index"
    with FileLock(shared / "demo-index.lock"):
        if not (directory / CURRENT).exists():
            build_index(read_papers([str(CORPUS)]), directory, "minilm")
    return directory


@pytest.fixture(scope="session")
def recommender(demo_index: Path) -> Iterator[Recommender]:
    with Recommender.open(demo_index, reranker="none") as opened:
        yield opened


@pytest.fixture(scope="session")
def small_papers() -> tuple[Paper, ...]:
    """Six papers whose ids are not in the order of their docids; citations dangle, repeat and point to themselves."""
    return (
        Paper(
            "walk",
            "Random walks on citation graphs",
            "A random walk ranks the papers of a citation graph.",
            2012,
            ("Ada Lovelace", "Karen Spärck Jones"),
            "WSDM",
            "10.1000/walk",
            "1201.00001",
            "https://example.org/walk",
            ("bm25", "bm25", "walk", "nowhere"),
        ),
        Paper("bm25", "The probabilistic relevance framework", "Term frequency and document length.", 2009),
        Paper("dense", "Dense passage retrieval", "Passages become vectors.", 2020, citations=("bm25", "walk")),
        Paper("title", "Only a title about ranking", year=2015, citations=("dense",)),
        Paper("abstract", "", "Only an abstract about the ranking of passages.", citations=("bm25",)),
        Paper("昨日", "引文推荐", "基于图的引文推荐方法", 2021, ("李明",), citations=("walk", "昨日")),
    )


SPECIAL_TOKENS = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}


def _wordpieces() -> dict[str, int]:
    letters = string.ascii_lowercase + string.digits
    pieces = [*SPECIAL_TOKENS.values(), *letters, *(f"##{letter}" for letter in letters), *WORDS]
    return {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}


def _with_tokenizer(folder: Path, *inputs: str) -> Path:
    """The folder, with the tokenizer of a model that takes these inputs."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = _wordpieces()
    core = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))  # noqa: S106
    core.normalizer = normalizers.BertNormalizer()
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.post_processor = processors.BertProcessing(("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"]))
    fast = PreTrainedTokenizerFast(tokenizer_object=core, model_input_names=list(inputs), **SPECIAL_TOKENS)
    fast.save_pretrained(folder)
    return folder


TINY = {
    "vocab_size": len(_wordpieces()),
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "initializer_range": 0.5,  # the usual 0.02 makes all texts alike
}


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random BERT of two layers, 32 dimensions and 64 positions, and its tokenizer."""
    import torch
    from transformers import BertConfig, BertModel

    folder = _with_tokenizer(tmp_path_factory.mktemp("tiny-bert"), "input_ids", "token_type_ids", "attention_mask")
    torch.manual_seed(7)
    BertModel(BertConfig(**TINY, max_position_embeddings=64)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same for a RoBERTa: no segments, and positions counted from the padding id + 1."""
    import torch
    from transformers import RobertaConfig, RobertaModel

    folder = _with_tokenizer(tmp_path_factory.mktemp("tiny-roberta"), "input_ids", "attention_mask")
    torch.manual_seed(8)
    config = RobertaConfig(**TINY, max_position_embeddings=42, type_vocab_size=1, pad_token_id=0)
    RobertaModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def judge(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a random cross-encoder that reads 256 + 256 tokens."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    folder = shutil.copytree(tiny_bert, tmp_path_factory.mktemp("judge") / "model")
    torch.manual_seed(11)
    config = BertConfig.from_pretrained(tiny_bert, max_position_embeddings=520, num_labels=2)
    BertForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture
def calibrate(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`calibrate(best, verdict)`: every list has a verdict; with the blend, chances halve from place to place."""
    from dataclasses import replace

    import numpy as np

    from citescout.ranking import Ranker
    from rerank.calibration import Fit

    refine = Ranker.refine

    def with_chances(best: float, verdict: str = "good") -> None:
        def refined(self, *arguments):
            for ranking in refine(self, *arguments):
                falling = (best * 0.5 ** np.arange(len(ranking.order))).astype(np.float32)
                chances = None if ranking.blend is None else falling
                yield replace(ranking, chances=chances, fit=Fit(best, verdict))

        monkeypatch.setattr(Ranker, "refine", refined)

    return with_chances
