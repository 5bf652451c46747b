"""What an ablation is, and those of SPECTER, SciNCL and CTPE as data: a published table, and what its rows change.

Rows are named as in `eval/expected.json`, which has what the papers report of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from common.errors import SourceError
from encoders.ctpe.parts import SPLITS, Split
from eval.expected import figures_of
from training.ctpe.settings import Negatives
from training.triplets.sampling import Mix
from training.triplets.scincl import PAPER_NEGATIVE, PAPER_POSITIVE, Drawing

# What an encoder gets to see of a paper.
Reads = Literal["title", "title+abstract", "title+abstract+venue", "title+abstract+authors"]

# What makes two papers near; other names are files of triplets that the user gives.
CITATIONS, NEIGHBOURS, CO_CITATION = "citations", "neighbours in citation space", "co-citation"


@dataclass(frozen=True, slots=True)
class Tuned:
    """An encoder that is fine-tuned on triplets; without a signal, its base as it is."""

    signals: tuple[str, ...] = (CITATIONS,)
    reads: Reads = "title+abstract"
    mix: Mix = field(default_factory=Mix)
    ranks: tuple[int, int] = (PAPER_POSITIVE, PAPER_NEGATIVE)  # SciNCL's k⁺ and k⁻, of the paper's corpus
    drawing: Drawing = field(default_factory=Drawing)
    share: float = 1.0  # of the queries with triplets
    bias_only: bool = False  # BitFit
    init: str = ""  # name of what it starts from; "" for --base


Made = Literal["trained", "untrained", "mean", "wmd"]


@dataclass(frozen=True, slots=True)
class Coupled:
    """A CTPE, or the mean of its word vectors, or TF-IDF's best by word mover's distance over them."""

    words: str = "word2vec"
    split: Split = "title"
    negatives: Negatives = "random"
    made: Made = "trained"


Making = Tuned | Coupled | str  # a name is that of one of `citescout eval baselines`


@dataclass(frozen=True, slots=True)
class Ablation:
    """One table or figure of a paper; its first variant is what the others are compared with."""

    name: str  # of the command
    question: str
    paper: str  # whose, and which table
    size: str  # what the paper trained on, for the note that this here is no verdict on it
    figures: tuple[str, ...]  # that are measured
    depth: int  # papers of a list
    variants: Mapping[str, Making]  # by name, in the order of the table
    options: tuple[str, ...]
    reported: Mapping[str, str] = field(default_factory=dict)  # set of papers → its name in `eval.expected`
    finding: str = ""  # what the paper says where it prints no figures
    axis: str = ""  # what the variants count, where they are points of a curve

    def chosen(self, names: tuple[str, ...]) -> dict[str, Making]:
        """The named variants and the first, which they are compared with; all without a name.

        Raises:
            SourceError: there is no such variant.
        """
        if unknown := [name for name in names if name not in self.variants]:
            raise SourceError(f"{self.name} has no variant {unknown[0]!r}: there are {'; '.join(self.variants)}")
        first = next(iter(self.variants))
        return {name: one for name, one in self.variants.items() if not names or name in (first, *names)}

    @property
    def published(self) -> dict[str, dict[str, dict[str, float]]]:
        """Set of papers → variant → figure → value, of every row of the paper's table."""
        return {source: figures_of(table) for source, table in self.reported.items()}


_TUNING = ("variants", "base", "inits", "most_steps", "text_tokens", "held_out")
_DRAWN = ("dblp", "arxiv", "candidates")
_COUPLING = ("variants", "words", "channels", "epochs", "word_epochs", *_DRAWN)
_of_encoders = partial(
    Ablation,
    size="684,100 triplets of 248,007 papers and read 512 tokens of each, for two epochs",
    figures=("F1@20", "MRR", "R@100"),
    depth=1000,
    options=_TUNING,
)
_of_ctpe = partial(
    Ablation,
    size="the texts of 21,000 papers, word vectors of three million",
    figures=("F1@20", "MAP", "nDCG@20"),
    depth=20,  # all of the best 20, as in the paper (section 4.3)
    options=_COUPLING,
)

# --- SPECTER (Cohan et al. 2020)

_SPECTER = Tuned()

SPECTER_2 = _of_encoders(
    name="specter-inputs",
    question="What should a document encoder read, learn from and start from?",
    paper="SPECTER, table 2",
    reported={"SciDocs": "scidocs-specter-inputs"},
    variants={
        "SPECTER": _SPECTER,
        "- abstract": replace(_SPECTER, reads="title"),
        "+ venue": replace(_SPECTER, reads="title+abstract+venue"),
        "+ author": replace(_SPECTER, reads="title+abstract+authors"),
        "No hard negatives": replace(_SPECTER, mix=Mix(0, 5)),
        "Start with BERT-Large": replace(_SPECTER, init="BERT-Large"),
        "No fine-tuning": replace(_SPECTER, signals=()),
    },
)

_TASKS = ("co-view", "co-read", CO_CITATION)

SPECTER_3 = _of_encoders(
    name="specter-signals",
    question="Should a document encoder learn from citations, or from what it is used for?",
    paper="SPECTER, table 3",
    size="684,100 triplets, and 65,000, 14,000 and 83,000 queries of the tasks",
    reported={"SciDocs": "scidocs-specter-signals"},
    variants={
        "SPECTER": _SPECTER,
        **{f"SciBERT fine-tune on {one}": replace(_SPECTER, signals=(one,)) for one in _TASKS},
        "SciBERT fine-tune on multitask": replace(_SPECTER, signals=_TASKS),
    },
    options=(*_TUNING, "signals"),
)

# --- SciNCL (Ostendorff et al. 2022)

# Collisions are what the figures are about, so that these draw as the paper does and not as `train encoder` would.
_SCINCL = Tuned((NEIGHBOURS,), drawing=Drawing(collisions=True))

SCINCL_2 = _of_encoders(
    name="scincl-training",
    question="Which triplets, how many of them and which parameters does an encoder need?",
    paper="SciNCL, table 2",
    reported={"SciDocs": "scidocs-scincl-ablations"},
    variants={
        "SciNCL": _SCINCL,
        "SPECTER": _SPECTER,
        **{f"k of hard negatives {rank}": replace(_SCINCL, ranks=(25, rank)) for rank in (2000, 3000)},
        "Random easy negatives": replace(_SCINCL, drawing=Drawing("random", collisions=True)),
        **{f"Start with {one}": replace(_SCINCL, init=one) for one in ("BERT-Base", "BERT-Large", "BioBERT")},
        "1% training data": replace(_SCINCL, share=0.01),
        "10% training data": replace(_SCINCL, share=0.1),
        "BitFit": replace(_SCINCL, bias_only=True),
        "Without collisions": replace(_SCINCL, drawing=Drawing()),
    },
)

# The figures of the paper have no tables: the ranks are ours, the paper's best ones among them and first.
_K_POSITIVE = (25, 5, 50, 100, 250, 500, 1000, 2000)
_K_NEGATIVE = (4000, 250, 500, 1000, 2000, 3000, 5000, 6000, 7000)

SCINCL_FIGURE_2 = _of_encoders(
    name="scincl-positives",
    question="How near should positives be in citation space?",
    paper="SciNCL, figure 2",
    variants={f"k⁺ = {rank}": replace(_SCINCL, ranks=(rank, 4000)) for rank in _K_POSITIVE},
    finding="best at k⁺ = 25, about as good below 100, and falling beyond",
    axis="k⁺, as a rank among 248,007 papers",
)
SCINCL_FIGURE_3 = _of_encoders(
    name="scincl-negatives",
    question="How near should hard negatives be in citation space?",
    paper="SciNCL, figures 3 and 5",
    variants={f"k⁻ = {rank}": replace(_SCINCL, ranks=(25, rank)) for rank in _K_NEGATIVE},
    finding="rising up to 2,000, best at k⁻ = 4000, and falling beyond; next to no collisions above 1,000",
    axis="k⁻, as a rank among 248,007 papers",
)

# --- CTPE (2022)

_SETS = {"arXiv": "ctpe-arxiv", "DBLP": "ctpe-dblp", "USPTO": "ctpe-uspto"}


def _of(table: str) -> dict[str, str]:
    return {source: f"{name}-{table}" for source, name in _SETS.items()}


CTPE_2 = _of_ctpe(
    name="ctpe-methods",
    question="Which representation learnt from texts alone finds what a paper cites?",
    paper="CTPE, tables 2 and 3",
    reported=_SETS,
    variants={
        "TF-IDF": "tf-idf",
        "doc2vec(ran)": "random",
        "avg-word2vec(ran)": Coupled("word2vec(ran)", made="mean"),
        "LSA": "lsa",
        "LDA": "lda",
        "avg-GloVe": Coupled("GloVe", made="mean"),
        "avg-GloVe(full)": Coupled("GloVe(full)", made="mean"),
        "avg-word2vec": Coupled(made="mean"),
        "avg-word2vec(full)": Coupled("word2vec(full)", made="mean"),
        "WMD-GloVe": Coupled("GloVe", made="wmd"),
        "WMD-GloVe(full)": Coupled("GloVe(full)", made="wmd"),
        "WMD-word2vec": "wmd",
        "WMD-word2vec(full)": Coupled("word2vec(full)", made="wmd"),
        "doc2vec": "doc2vec",
        "CTPE-word2vec": Coupled(),
        "CTPE-word2vec(full)": Coupled("word2vec(full)"),
    },
)

# Skip-thoughts, the paper's fourteenth, embeds sentences and cannot be given as vectors of words.
_WORDS = (
    "word2vec", "word2vec(ran)", "word2vec(full)", "GloVe", "GloVe(full)",
    "ELMo", "GPT", "GPT-2", "BERT", "TransXL", "XLM", "XLNet", "RoBERTa",
)  # fmt: skip
_MADE: Mapping[str, Made] = {"avg": "mean", "CTPE0": "untrained", "CTPE": "trained"}

CTPE_4 = _of_ctpe(
    name="ctpe-words",
    question="Which word vectors should a coupled text pair embedding be made of?",
    paper="CTPE, table 4",
    reported=_of("words"),
    variants={f"{name}, {words}": Coupled(words, made=made) for words in _WORDS for name, made in _MADE.items()},
)
CTPE_5 = _of_ctpe(
    name="ctpe-split",
    question="Where should a text be parted into a coupled pair?",
    paper="CTPE, table 5",
    reported=_of("splits"),
    variants={split if split == "title" else f"{split}%": Coupled(split=split) for split in SPLITS},
)
CTPE_6 = _of_ctpe(
    name="ctpe-pairs",
    question="Whose part should make an uncoupled pair?",
    paper="CTPE, table 6",
    reported=_of("sampling"),
    variants={"CTPE": Coupled(), "CTPE, TF-IDF negatives": Coupled(negatives="tfidf")},
)

ABLATIONS: tuple[Ablation, ...] = (
    SPECTER_2, SPECTER_3, SCINCL_2, SCINCL_FIGURE_2, SCINCL_FIGURE_3, CTPE_2, CTPE_4, CTPE_5, CTPE_6,
)  # fmt: skip
