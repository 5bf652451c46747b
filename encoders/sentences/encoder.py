"""Where a sentence points among the vectors of papers, learned from sentences that cite.

An index holds MiniLM's vectors of its papers. The vector of a sentence there is that of its topic; what is cited for it
is often elsewhere. MiniLM with a low-rank addition reads the sentence and the title of its draft, and points there.
`weights/MODEL_CARD.md` says what it has learned from.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

from common.errors import ModelError
from common.files import sha256
from encoders.base import Encoder
from encoders.model import Model
from encoders.pretrained import find_model
from encoders.transformer import TextEncoder

WEIGHTS = Path(__file__).parent / "weights" / "model.safetensors"
SHA256 = "04760f26bf68361ac142c6e2215e6e190de7b591a98f61422c1a2992df4903e3"
_BASE = "minilm"


def sentence_model(addition: Path | None = WEIGHTS) -> Model:
    """How the texts are read, as "sentence [SEP] title of the draft"; without an addition MiniLM as it comes."""
    return replace(find_model(_BASE), name="minilm for sentences", joint="sep", max_tokens=128, addition=addition)


@cache
def sentence_encoder(encoder: str) -> Encoder | None:
    """The one for indexes whose vectors that encoder made, loaded once a process; None where there is none.

    Raises:
        ModelError: its file is missing or damaged.
    """
    if encoder != _BASE:
        return None
    if not WEIGHTS.is_file() or sha256(WEIGHTS) != SHA256:
        raise ModelError(f"{WEIGHTS} is missing or damaged: install citescout again")
    return TextEncoder(sentence_model())
