"""The encoders that have a name as the start of a cross-encoder: those that BIR 2020 compares (table 4), and MiniLM.

Adding one is one more `register(...)`; any other hub id or folder works by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Base:
    """An encoder without a head that judges pairs."""

    name: str  # for `--base`
    source: str  # hub id, or "package:minilm" for the weights that come with the installation
    description: str


_bases: dict[str, Base] = {}


def register(base: Base) -> None:
    """Give an encoder a name for `--base`."""
    _bases[base.name] = base


def bases() -> Iterator[Base]:
    """All named ones, in the order of their registration."""
    yield from _bases.values()


def source_of(name: str) -> str:
    """Where the base of that name comes from; a name that is not registered is a hub id or a folder itself."""
    return _bases[name].source if name in _bases else name


register(Base("scibert", "allenai/scibert_scivocab_uncased", "SciBERT with its own vocabulary (Beltagy et al. 2019)"))
register(Base("biobert", "dmis-lab/biobert-v1.1", "BioBERT (Lee et al. 2020)"))
register(Base("bert", "google-bert/bert-base-uncased", "BERT (Devlin et al. 2019)"))
register(Base("roberta", "FacebookAI/roberta-base", "RoBERTa (Liu et al. 2019)"))
register(Base("minilm", "package:minilm", "all-MiniLM-L6-v2, comes with the installation"))
