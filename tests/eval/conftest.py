"""Papers to split, a split with runs and its page; an older index and a judge for experiments."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_pages import NAMES, Balanced, Element, make_runs, make_split
from tiny_corpus import write_vectors

from citescout.recommender import Recommender
from demo import CORPUS
from eval.report.content import make_report
from eval.report.measured import read_measured
from eval.report.page import html
from indexer.builds import build_index
from indexer.paper import Paper
from indexer.readers import read_papers
from retrieval.query import Query


class Asked(list[Query]):
    """What an index was asked; after so many as `last` says, the process is killed."""

    last = -1

    def begin_again(self) -> None:
        """Forget them, and be killed no more."""
        self.last = -1
        self.clear()

    def check_going_on(self, measured: Callable[[], str], work: Path) -> None:
        """What is measured is the same after a kill at the last query; what was asked after it is here then."""
        whole = measured()
        self.last = len(self) - 1
        self.clear()
        with pytest.raises(KeyboardInterrupt):
            measured()
        self.begin_again()
        assert measured() == whole
        assert not list(work.rglob("*.jsonl"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Every query that is asked in this process."""
    rank, found = Recommender.rank, Asked()

    def noted(recommender: Recommender, query: Query, *settings: Any) -> Any:
        if len(found) == found.last:
            raise KeyboardInterrupt
        found.append(query)
        return rank(recommender, query, *settings)

    monkeypatch.setattr(Recommender, "rank", noted)
    return found


@pytest.fixture
def sixty_papers() -> list[Paper]:
    """Four of each year, which cite up to four older ones."""
    rng = np.random.default_rng(1)
    words = ["graph", "query", "citation", "neural", "index", "ranking", "vector", "paper"]
    return [
        Paper(
            f"p{number}",
            " ".join(rng.choice(words, 4)),
            year=2000 + number // 4,
            citations=tuple(f"p{cited}" for cited in range(max(0, number - 9), max(0, number - 5))),
        )
        for number in range(60)
    ]


@pytest.fixture
def glove(tmp_path: Path) -> Path:
    """A file of word vectors as GloVe's are."""
    return write_vectors(tmp_path / "vectors.txt")


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_split(tmp_path_factory.mktemp("split"))
    make_runs(folder)
    rng = np.random.default_rng(5)
    queries = len((folder / "test.queries.jsonl").read_bytes().splitlines())
    times = {name: (rng.gamma(2, 0.01, queries) + 1e-3).tolist() for name in NAMES[1:]}
    (folder / "runs" / "test" / "times.json").write_text(json.dumps(times))
    return folder


@pytest.fixture(scope="module")
def page(split: Path) -> Element:
    return Balanced(html(make_report(read_measured(split, "test")))).root


@pytest.fixture(scope="module")
def half_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The older half of the demo corpus."""
    papers = sorted(read_papers([str(CORPUS)]), key=lambda paper: (paper.year or 0, paper.id))
    directory = tmp_path_factory.mktemp("indexes") / "older-half"
    build_index(papers[: len(papers) // 2], directory, "minilm")
    return directory


@pytest.fixture(scope="module")
def tiny_judge(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder of 64 positions that judges at random."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = tmp_path_factory.mktemp("tiny-judge")
    torch.manual_seed(1)
    AutoModelForSequenceClassification.from_pretrained(tiny_bert, num_labels=2).save_pretrained(folder)
    AutoTokenizer.from_pretrained(tiny_bert).save_pretrained(folder)
    return folder
