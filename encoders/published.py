"""The models that have a name: those that the papers compare, and two that sentence-transformers' users know.

Commits and SHA-256 are those of the model hub's pages, or of several independent projects that pin them; what could not
be established so is left out rather than guessed. SciBERT-Large (BIR 2020, table 3) was never published.
"""

from encoders.minilm import MODEL_SHA256
from encoders.model import Model, Role
from encoders.mpnet import FILES
from encoders.static.encoder import MAX_TOKENS, TABLE_SHA256

_BASE: tuple[Role, ...] = ("base",)
_BIN, _SAFE = "pytorch_model.bin", "model.safetensors"


def _base(
    name: str, source: str, description: str, revision: str, megabytes: int, licence: str | None,
    files: dict[str, str] | None = None, lower_case: bool | None = None,
) -> Model:  # fmt: skip
    """A language model that was not trained to make vectors of documents."""
    return Model(
        name, source, "cls", "sep", 512, description, _BASE, revision, files or {}, megabytes, licence,
        lower_case=lower_case,
        note=f"{name} was not trained to tell documents apart: it is a base for `citescout train`",
    )  # fmt: skip


PUBLISHED = (
    Model(
        "minilm", "package:minilm", "mean", "period", 256, "all-MiniLM-L6-v2, comes with the installation",
        files={_SAFE: MODEL_SHA256}, megabytes=91, licence="Apache-2.0",
    ),
    Model(
        "static", "package:static", "mean", "period", MAX_TOKENS, "token vectors, no network: an index at once",
        roles=("encoder",), files={_SAFE: TABLE_SHA256}, megabytes=8, licence="Apache-2.0",
    ),
    Model(
        "mpnet", "package:mpnet", "mean", "period", 256, "all-mpnet-base-v2: better lists, slower indexing",
        revision="e8c3b32edf5434bc2275fc9bab85f82640a19130", files=FILES, megabytes=438, licence="Apache-2.0",
    ),
    Model(
        "specter", "allenai/specter", "cls", "sep", 512, "SPECTER (Cohan et al. 2020)",
        revision="c15597dc3bf1f00444f1c5a59c9bb80c93499635",
        files={_BIN: "a260abd90ae4bbb5aae9e040b5910ab68f27bac0cc13b1d1c9b83e42e880972c"},
        megabytes=440, licence="Apache-2.0",
    ),
    Model(
        "specter2", "allenai/specter2_base", "cls", "sep", 512, "SPECTER2 (Singh et al. 2023), without its adapters",
        revision="3447645e1def9117997203454fa4495937bfbd83",
        files={_BIN: "801eda968fad1752fe846a8e572bfdc25202be85544680dda4c99f4589646ebc"},
        megabytes=440, licence="Apache-2.0",
        note="specter2 is SPECTER2's base model, trained on citations; its adapters for single tasks are not applied",
    ),
    Model(
        "scincl", "malteos/scincl", "cls", "sep", 512, "SciNCL (Ostendorff et al. 2022)",
        revision="ebc5348d184ba2fc9beee69b4e394263fce57b2e",
        files={_SAFE: "d65da219f67f051fdd065bfec666285c136e23002787603b2565e467bfed3c68"},
        megabytes=440, licence="MIT",
    ),
    _base(
        "scibert", "allenai/scibert_scivocab_uncased", "SciBERT base, own vocabulary (Beltagy et al. 2019)",
        "24f92d32b1bfb0bcaf9ab193ff3ad01e87732fc1", 442, "Apache-2.0", lower_case=True,
    ),
    _base(
        "scibert-cased", "allenai/scibert_scivocab_cased", "the same, cased",
        "ddf0be025f8e432a1870e34811997ba6725bf04a", 442, "Apache-2.0", lower_case=False,
    ),
    _base(
        "scibert-basevocab", "nfliu/scibert_basevocab_uncased", "SciBERT base, BERT's vocabulary; a copy at the hub",
        "0c43f40e2c196fe9ca5bfd9bb181be2580d11489", 440, "Apache-2.0", lower_case=True,
    ),
    _base(
        "biobert", "dmis-lab/biobert-v1.1", "BioBERT v1.1 (Lee et al. 2020)",
        "551ca18efd7f052c8dfa0b01c94c2a8e68bc5488", 433, None,
        {_BIN: "8e87cb27d889186c442feff2bea53f8cce2c5fc24d4bc88bf08ccd3821b138dc"}, lower_case=False,
    ),
    _base(
        "ncbi-bert", "bionlp/bluebert_pubmed_mimic_uncased_L-12_H-768_A-12",
        "NCBI BERT (BlueBERT) base, PubMed and MIMIC (Peng et al. 2019)",
        "c656dbe1fc4d6c7771d93bcaff21b2e7984f64c8", 441, "CC0-1.0", lower_case=True,
    ),
    _base(
        "ncbi-bert-large", "bionlp/bluebert_pubmed_mimic_uncased_L-24_H-1024_A-16", "the same, large",
        "f15966b14e1b08a5d6e13154afaca21915c7f0d8", 1350, "CC0-1.0", lower_case=True,
    ),
    _base(
        "bert", "google-bert/bert-base-uncased", "BERT base (Devlin et al. 2019)",
        "86b5e0934494bd15c9632b12f734a8a67f723594", 440, "Apache-2.0",
        {_SAFE: "68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3"},
    ),
    _base(
        "bert-large", "google-bert/bert-large-uncased", "BERT large",
        "6da4b6a26a1877e173fca3225479512db81a5e5b", 1340, "Apache-2.0",
    ),
    _base(
        "bert-large-wwm", "google-bert/bert-large-uncased-whole-word-masking", "BERT large, whole-word masking",
        "8b35f05561d0d917087166b71d3c2c83a39104b1", 1340, "Apache-2.0",
    ),
    _base(
        "roberta", "FacebookAI/roberta-base", "RoBERTa base (Liu et al. 2019)",
        "e2da8e2f811d1448a5b465c236feacd80ffbac7b", 499, "MIT",
        {_SAFE: "5bde1d28afb363d0103324efeb5afc8b2b397fe5e04beabb9b1ef355255ade81"},
    ),
    _base(
        "roberta-large", "FacebookAI/roberta-large", "RoBERTa large",
        "722cf37b1afa9454edce342e7895e588b6ff1d59", 1420, "MIT",
    ),
)  # fmt: skip
