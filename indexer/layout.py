"""What an index directory holds, as data.

    DIR/CURRENT                 name of the generation that is served, such as gen-000002
    DIR/LOCK                    held by the one writer
    DIR/gen-000002/             one immutable, complete index
        manifest.json           format, counts, encoder, options, checksum of every other file
        catalog.sqlite          papers with everything that is shown of them
        bm25/                   Lucene index over title + abstract
        bm25-numbers.npy        Lucene's document number → paper number
        graph/*.npy             citations, outgoing and incoming, as compressed sparse rows
        years.npy               year of each paper
        dense/vectors.faiss     one vector a paper (absent with --encoder none)

Papers are numbered 0…n-1 in the order of their ids, and every part uses these numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

FORMAT_VERSION = 1

CURRENT = "CURRENT"
LOCK = "LOCK"
GENERATION_PREFIX = "gen-"


@dataclass(frozen=True, slots=True)
class Part:
    """One file or folder of a generation."""

    path: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class GenerationLayout:
    """Names inside a generation's folder."""

    manifest: Part = Part("manifest.json")
    catalog: Part = Part("catalog.sqlite")
    bm25: Part = Part("bm25")
    bm25_numbers: Part = Part("bm25-numbers.npy")
    graph: Part = Part("graph")
    years: Part = Part("years.npy")
    vectors: Part = Part("dense/vectors.faiss", optional=True)

    def required(self) -> list[str]:
        """Paths that every generation has."""
        parts = (getattr(self, field.name) for field in fields(self))
        return [part.path for part in parts if not part.optional]


LAYOUT = GenerationLayout()


def generation_name(number: int) -> str:
    """The folder name of a generation, such as gen-000002."""
    return f"{GENERATION_PREFIX}{number:06d}"


def generation_number(name: str) -> int | None:
    """The number in a generation's folder name, or None if it is no such name."""
    digits = name.removeprefix(GENERATION_PREFIX)
    return int(digits) if name.startswith(GENERATION_PREFIX) and digits.isdecimal() else None


def data_files(generation: Path) -> list[Path]:
    """All files of a generation but its manifest, in a fixed order."""
    return sorted(p for p in generation.rglob("*") if p.is_file() and p.name != LAYOUT.manifest.path)
