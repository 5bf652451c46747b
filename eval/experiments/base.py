"""What an experiment is: one declaration, registered by one module of `eval.experiments`."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from common.errors import SourceError
from eval.experiments.findings import Findings

NEWEST = 3


@dataclass(frozen=True, slots=True)
class Inputs:
    """What an experiment is done with."""

    directories: tuple[Path, ...]  # indexes, each one corpus, called after its folder; none where there are corpora
    out: Path  # what takes long to make and may be used again is kept here
    queries: int = 120  # validation queries of each index
    seed: int = 0
    newest: int = NEWEST  # queries are drawn from this many times as many of the newest papers
    jobs: int = 1  # processes
    reranker: str = "default"  # "default", a folder or a hub id
    tokens: int = 512  # that a cross-encoder reads of query and candidate together
    single: bool = False  # every feature of the blend by itself instead of groups
    base: str = "minilm"  # encoder that is fine-tuned: "minilm", a folder or a hub id
    bases: tuple[str, ...] = ("minilm",)  # encoders that are compared, named in the same way
    trainings: int = 1  # of each of them, with consecutive seeds
    steps: int = 100  # of training
    batch_size: int = 128  # pairs a step
    learning_rate: float = 3e-6
    training_queries: int = 200  # of each index
    trained: bool = False  # a cross-encoder of its own for each variant
    corpora: Path | None = None  # folder of corpora with test papers, instead of indexes
    names: tuple[str, ...] = ()  # of them; all without
    sample: int | None = None  # test papers of each corpus that are asked; all without
    variants: tuple[str, ...] = ()  # rows that are measured; all without
    most_steps: int | None = None  # of training; the paper's epochs without
    text_tokens: int | None = None  # of a text that training reads; as many as in use without
    held_out: tuple[str, ...] = ()  # more papers that training must not see, as `train encoder --held-out`
    inits: tuple[str, ...] = ()  # "NAME=encoder" of the rows that start elsewhere
    signals: tuple[str, ...] = ()  # "NAME=file of triplets" of the rows that learn from something else
    words: tuple[str, ...] = ()  # "NAME=word vectors", as `train encoder --recipe ctpe --words`
    channels: int = 1024  # filters of each width of a CTPE
    epochs: int = 100  # of a CTPE, at most
    word_epochs: int | None = None  # of word2vec and doc2vec; the paper's without
    dblp: tuple[str, ...] = ()  # papers of which a collection is drawn, instead of corpora …
    arxiv: tuple[str, ...] = ()  # … and the same
    candidates: int = 20_000  # of that collection

    def __post_init__(self) -> None:
        """Raise SourceError for two indexes of one name."""
        names = [directory.name for directory in self.directories]
        if twice := [name for name in names if names.count(name) > 1]:
            raise SourceError(
                f"two indexes are called {twice[0]!r}: corpora are distinguished by the names of the folders"
            )


@dataclass(frozen=True, slots=True)
class Experiment:
    """One question and how it is answered."""

    name: str  # of the command
    question: str  # one line
    run: Callable[[Inputs], Findings]
    options: tuple[str, ...] = ()  # fields of Inputs that only some read; the command line asks for them
    paper: str = ""  # whose experiment it is and where it stands, as docs/papers.md names it; "" for one of ours
    on_corpora: bool = False  # a folder of corpora with test papers instead of indexes


_experiments: dict[str, Experiment] = {}


def register(experiment: Experiment) -> None:
    """Add an experiment; a ValueError where the name is taken."""
    if experiment.name in _experiments:
        raise ValueError(f"the experiment {experiment.name!r} is registered already")
    _experiments[experiment.name] = experiment


def experiments() -> Mapping[str, Experiment]:
    """All experiments by name, ascending."""
    package = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules([str(Path(__file__).parent)], package + "."):
        import_module(module.name)
    return dict(sorted(_experiments.items()))
