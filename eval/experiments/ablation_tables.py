"""The ablations of SPECTER, SciNCL and CTPE as data: what each row changes, and what the papers report of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from encoders.triplets.sampling import Mix
from encoders.triplets.scincl import Drawing
from eval.experiments.ablation import CO_CITATION, NEIGHBOURS, Ablation, Baseline, Coupled, Tuned, Variant
from eval.experiments.base import Option

_SCIDOCS = {"SciDocs": ("CLS", "USR", "CITE", "REC", "Avg.")}
_TUNING: tuple[Option, ...] = ("variants", "base", "inits", "most_steps", "text_tokens", "held_out")
_COUPLING: tuple[Option, ...] = ("variants", "words", "channels", "epochs", "dblp", "arxiv", "candidates")
_ENCODER_FIGURES, _ENCODER_DEPTH = ("F1@20", "MRR", "R@100"), 1000
_CTPE_FIGURES, _CTPE_DEPTH = ("F1@20", "MAP", "nDCG@20"), 20  # all of the best 20, as in the paper (section 4.3)
_SPECTER_SIZE = "684,100 triplets of 248,007 papers and read 512 tokens of each, for two epochs"
_CTPE_SIZE = "the texts of 21,000 papers, word vectors of three million"


def _scidocs(*figures: float) -> Mapping[str, tuple[float, ...]]:
    return {"SciDocs": figures}


# --- SPECTER (Cohan et al. 2020)

_SPECTER = Tuned()
_SPECTER_ROW = _scidocs(84.2, 88.4, 91.5, 36.9, 80.0)
_FULL = Variant("SPECTER", _SPECTER, _SPECTER_ROW)


SPECTER_2 = Ablation(
    name="specter-inputs",
    question="What should a document encoder read, learn from and start from?",
    paper="SPECTER, table 2",
    size=_SPECTER_SIZE,
    figures=_ENCODER_FIGURES,
    depth=_ENCODER_DEPTH,
    columns=_SCIDOCS,
    variants=(
        _FULL,
        Variant("− abstract", replace(_SPECTER, reads="title"), _scidocs(82.2, 72.2, 73.6, 34.5, 68.1)),
        Variant("+ venue", replace(_SPECTER, reads="title+abstract+venue"), _scidocs(84.5, 88.0, 91.2, 36.7, 79.9)),
        Variant("+ author", replace(_SPECTER, reads="title+abstract+authors"), _scidocs(82.7, 72.3, 71.0, 34.6, 67.3)),
        Variant("no hard negatives", replace(_SPECTER, mix=Mix(0, 5)), _scidocs(82.4, 85.8, 89.8, 36.8, 78.4)),
        Variant("start with BERT-Large", replace(_SPECTER, init="BERT-Large"), _scidocs(81.7, 85.9, 87.8, 36.1, 77.5)),
        # SciBERT's row of table 1, means over the metrics of each task.
        Variant("no fine-tuning", replace(_SPECTER, signals=()), _scidocs(80.2, 60.7, 60.6, 35.0, 59.6)),
    ),
    options=_TUNING,
)

_TASKS = ("co-view", "co-read", CO_CITATION)

SPECTER_3 = Ablation(
    name="specter-signals",
    question="Should a document encoder learn from citations, or from what it is used for?",
    paper="SPECTER, table 3",
    size="684,100 triplets, and 65,000, 14,000 and 83,000 queries of the tasks",
    figures=_ENCODER_FIGURES,
    depth=_ENCODER_DEPTH,
    columns=_SCIDOCS,
    variants=(
        _FULL,
        Variant("co-view", replace(_SPECTER, signals=_TASKS[:1]), _scidocs(83.0, 84.2, 84.1, 36.4, 76.0)),
        Variant("co-read", replace(_SPECTER, signals=_TASKS[1:2]), _scidocs(82.3, 85.4, 86.7, 36.3, 77.1)),
        Variant("co-citation", replace(_SPECTER, signals=_TASKS[2:]), _scidocs(82.9, 84.3, 85.2, 36.6, 76.4)),
        Variant("multitask", replace(_SPECTER, signals=_TASKS), _scidocs(83.3, 86.1, 88.2, 36.0, 78.0)),
    ),
    options=(*_TUNING, "signals"),
)

# --- SciNCL (Ostendorff et al. 2022)

# Collisions are what the figures are about, so that these draw as the paper does and not as `train encoder` would.
_SCINCL = Tuned((NEIGHBOURS,), drawing=Drawing(collisions=True))
_BEST = Variant("SciNCL", _SCINCL, _scidocs(85.0, 88.8, 94.7, 36.6, 81.8))

SCINCL_2 = Ablation(
    name="scincl-training",
    question="Which triplets, how many of them and which parameters does an encoder need?",
    paper="SciNCL, table 2",
    size=_SPECTER_SIZE,
    figures=_ENCODER_FIGURES,
    depth=_ENCODER_DEPTH,
    columns=_SCIDOCS,
    variants=(
        _BEST,
        Variant("SPECTER", _SPECTER, _SPECTER_ROW),
        Variant("k⁻ = 2000", replace(_SCINCL, ranks=(25, 2000)), _scidocs(84.9, 88.8, 94.7, 36.1, 81.6)),
        Variant("k⁻ = 3000", replace(_SCINCL, ranks=(25, 3000)), _scidocs(84.5, 88.7, 94.6, 36.9, 81.7)),
        Variant(
            "easy negatives at random",
            replace(_SCINCL, drawing=Drawing("random", collisions=True)),
            _scidocs(85.1, 88.8, 94.7, 36.6, 81.8),
        ),
        Variant("start with BERT-Base", replace(_SCINCL, init="BERT-Base"), _scidocs(83.4, 88.4, 93.8, 37.5, 81.2)),
        Variant("start with BERT-Large", replace(_SCINCL, init="BERT-Large"), _scidocs(84.6, 88.7, 94.1, 36.4, 81.4)),
        Variant("start with BioBERT", replace(_SCINCL, init="BioBERT"), _scidocs(83.7, 88.6, 93.8, 37.7, 81.4)),
        Variant("1 % of the triplets", replace(_SCINCL, share=0.01), _scidocs(85.2, 88.3, 92.7, 36.1, 80.8)),
        Variant("10 % of the triplets", replace(_SCINCL, share=0.1), _scidocs(85.1, 88.7, 93.5, 36.2, 81.1)),
        Variant("BitFit", replace(_SCINCL, bias_only=True), _scidocs(85.8, 88.6, 93.7, 35.3, 81.2)),
        Variant("without collisions", replace(_SCINCL, drawing=Drawing())),
    ),
    options=_TUNING,
)

# The figures of the paper have no tables: the ranks are ours, the paper's best ones among them.
_K_POSITIVE = (25, 5, 50, 100, 250, 500, 1000, 2000)
_K_NEGATIVE = (4000, 250, 500, 1000, 2000, 3000, 5000, 6000, 7000)

SCINCL_FIGURE_2 = Ablation(
    name="scincl-positives",
    question="How near should positives be in citation space?",
    paper="SciNCL, figure 2",
    size=_SPECTER_SIZE,
    figures=_ENCODER_FIGURES,
    depth=_ENCODER_DEPTH,
    columns={},
    variants=tuple(Variant(f"k⁺ = {rank}", replace(_SCINCL, ranks=(rank, 4000))) for rank in _K_POSITIVE),
    options=_TUNING,
    finding="best at k⁺ = 25, about as good below 100, and falling beyond",
    axis="k⁺, as a rank among 248,007 papers",
)
SCINCL_FIGURE_3 = Ablation(
    name="scincl-negatives",
    question="How near should hard negatives be in citation space?",
    paper="SciNCL, figures 3 and 5",
    size=_SPECTER_SIZE,
    figures=_ENCODER_FIGURES,
    depth=_ENCODER_DEPTH,
    columns={},
    variants=tuple(Variant(f"k⁻ = {rank}", replace(_SCINCL, ranks=(25, rank))) for rank in _K_NEGATIVE),
    options=_TUNING,
    finding="rising up to 2,000, best at k⁻ = 4000, and falling beyond; next to no collisions above 1,000",
    axis="k⁻, as a rank among 248,007 papers",
)

# --- CTPE (2022)

_SETS = ("arXiv", "DBLP", "USPTO")


def _f1(*figures: float) -> Mapping[str, tuple[float, ...]]:
    return {source: (figure,) for source, figure in zip(_SETS, figures, strict=True)}


_MAPPED = {source: ("F1@20",) for source in _SETS}
_WORD2VEC = Coupled()

CTPE_2 = Ablation(
    name="ctpe-methods",
    question="Which representation learnt from texts alone finds what a paper cites?",
    paper="CTPE, tables 2 and 3",
    size=_CTPE_SIZE,
    figures=_CTPE_FIGURES,
    depth=_CTPE_DEPTH,
    columns=_MAPPED,
    variants=(
        Variant("CTPE, word2vec", _WORD2VEC, _f1(0.1098, 0.3002, 0.2381)),
        Variant("CTPE, word2vec(full)", Coupled("word2vec(full)"), _f1(0.1645, 0.3185, 0.2480)),
        Variant("doc2vec(ran)", Baseline("random"), _f1(0.0014, 0.0008, 0.0006)),
        Variant("avg-word2vec(ran)", Coupled("word2vec(ran)", made="mean"), _f1(0.0071, 0.0469, 0.0594)),
        Variant("TF-IDF", Baseline("tf-idf"), _f1(0.0831, 0.2908, 0.1674)),
        Variant("LSA", Baseline("lsa"), _f1(0.0146, 0.0476, 0.0456)),
        Variant("LDA", Baseline("lda"), _f1(0.0193, 0.0249, 0.0406)),
        Variant("avg-word2vec", Coupled(made="mean"), _f1(0.0841, 0.2339, 0.1796)),
        Variant("avg-word2vec(full)", Coupled("word2vec(full)", made="mean"), _f1(0.1345, 0.2453, 0.1670)),
        Variant("avg-GloVe", Coupled("GloVe", made="mean"), _f1(0.0543, 0.1774, 0.1385)),
        Variant("WMD-word2vec", Baseline("wmd"), _f1(0.0880, 0.2816, 0.1774)),
        Variant("doc2vec", Baseline("doc2vec"), _f1(0.0677, 0.1763, 0.1326)),
    ),
    options=_COUPLING,
)

# Table 4: arXiv, DBLP, USPTO of the mean, of CTPE₀ and of CTPE. Skip-thoughts embeds sentences, and is left out.
_TABLE_4 = {
    "word2vec": ((0.0841, 0.2339, 0.1796), (0.0555, 0.1390, 0.2182), (0.1098, 0.3002, 0.2381)),
    "word2vec(ran)": ((0.0071, 0.0469, 0.0594), (0.0034, 0.0022, 0.0549), (0.0637, 0.2277, 0.1378)),
    "word2vec(full)": ((0.1345, 0.2453, 0.1670), (0.1093, 0.1607, 0.2095), (0.1645, 0.3185, 0.2480)),
    "GloVe": ((0.0543, 0.1774, 0.1385), (0.0137, 0.0212, 0.1581), (0.0752, 0.2867, 0.2220)),
    "GloVe(full)": ((0.0931, 0.2066, 0.1355), (0.0209, 0.0442, 0.1617), (0.1230, 0.2941, 0.2215)),
    "ELMo": ((0.0915, 0.1346, 0.1349), (0.0356, 0.0230, 0.1198), (0.1099, 0.2428, 0.1965)),
    "GPT": ((0.0676, 0.1910, 0.1651), (0.0080, 0.0288, 0.0987), (0.0730, 0.1962, 0.1780)),
    "GPT-2": ((0.0423, 0.0638, 0.0531), (0.0011, 0.0007, 0.0021), (0.0738, 0.2027, 0.1537)),
    "BERT": ((0.1139, 0.1824, 0.1628), (0.0267, 0.0095, 0.0991), (0.1280, 0.2639, 0.2130)),
    "TransXL": ((0.0190, 0.1489, 0.1626), (0.0105, 0.0137, 0.1284), (0.0717, 0.1771, 0.1641)),
    "XLM": ((0.1226, 0.2107, 0.1753), (0.0315, 0.0258, 0.1163), (0.1292, 0.2816, 0.2200)),
    "XLNet": ((0.0792, 0.2107, 0.1753), (0.0060, 0.0121, 0.0097), (0.1083, 0.2412, 0.2137)),
    "RoBERTa": ((0.0616, 0.1493, 0.1190), (0.0020, 0.0038, 0.0454), (0.0684, 0.2255, 0.1624)),
}


def _made_of(words: str) -> dict[str, Coupled]:
    return {
        "avg": Coupled(words, made="mean"),
        "CTPE₀": Coupled(words, made="untrained"),
        "CTPE": Coupled(words),
    }


CTPE_4 = Ablation(
    name="ctpe-words",
    question="Which word vectors should a coupled text pair embedding be made of?",
    paper="CTPE, table 4",
    size=_CTPE_SIZE,
    figures=_CTPE_FIGURES,
    depth=_CTPE_DEPTH,
    columns=_MAPPED,
    variants=tuple(
        Variant(f"{words}, {name}", making, _f1(*figures))
        for words, rows in _TABLE_4.items()
        for (name, making), figures in zip(_made_of(words).items(), rows, strict=True)
    ),
    options=_COUPLING,
)

_PARTS = {
    "title": (0.1645, 0.3185, 0.2480),
    "20": (0.1767, 0.3319, 0.2435),
    "40": (0.1778, 0.3160, 0.2392),
    "60": (0.1690, 0.3009, 0.2136),
    "80": (0.1551, 0.2631, 0.1998),
}

CTPE_5 = Ablation(
    name="ctpe-split",
    question="Where should a text be parted into a coupled pair?",
    paper="CTPE, table 5",
    size=_CTPE_SIZE,
    figures=_CTPE_FIGURES,
    depth=_CTPE_DEPTH,
    columns=_MAPPED,
    variants=(
        Variant("title | abstract", Coupled(split="title"), _f1(*_PARTS["title"])),
        Variant("20 %", Coupled(split="20"), _f1(*_PARTS["20"])),
        Variant("40 %", Coupled(split="40"), _f1(*_PARTS["40"])),
        Variant("60 %", Coupled(split="60"), _f1(*_PARTS["60"])),
        Variant("80 %", Coupled(split="80"), _f1(*_PARTS["80"])),
    ),
    options=_COUPLING,
)

CTPE_6 = Ablation(
    name="ctpe-pairs",
    question="Whose part should make an uncoupled pair?",
    paper="CTPE, table 6",
    size=_CTPE_SIZE,
    figures=_CTPE_FIGURES,
    depth=_CTPE_DEPTH,
    columns={source: ("P@20", "R@20", "epochs") for source in _SETS},
    variants=(
        Variant(
            "CTPE",
            _WORD2VEC,
            {"arXiv": (0.3066, 0.1124, 48), "DBLP": (0.2808, 0.3680, 206), "USPTO": (0.1889, 0.3609, 133)},
        ),
        Variant(
            "CTPE_T",
            Coupled(negatives="tfidf"),
            {"arXiv": (0.2944, 0.1074, 3), "DBLP": (0.2716, 0.3561, 78), "USPTO": (0.1903, 0.3628, 9)},
        ),
    ),
    options=_COUPLING,
)

ABLATIONS: tuple[Ablation, ...] = (
    SPECTER_2, SPECTER_3, SCINCL_2, SCINCL_FIGURE_2, SCINCL_FIGURE_3, CTPE_2, CTPE_4, CTPE_5, CTPE_6,
)  # fmt: skip
