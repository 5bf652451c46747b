"""What an index directory holds, as data: what stands beside its generations, and the parts of one.

Papers have docids 0…n-1, which every part uses. A build and a compaction give them in the order of their ids; papers
added later come behind, and the docids of removed papers are not given again.
"""

import re
from dataclasses import dataclass, fields
from pathlib import Path

FORMAT_VERSION = 4

CURRENT = "CURRENT"  # the generation that is served and the SHA-256 of its manifest
LOCK = "LOCK"  # held by the one writer
PARTIAL = "partial"  # folder of vectors of an operation that did not end, for the next one that encodes
FOLLOWED = "zotero.json"  # what of Zotero the index follows, where it follows anything
RECIPE = "corpus.json"  # how `citescout corpus` made it, for the next update
FETCHED = "fetched"  # folder of what APIs answered to a `corpus` command that did not end
WATCHES = "watches.sqlite"  # drafts that are asked again, where there are any
GENERATION_PREFIX = "gen-"  # of folders that each hold one immutable, complete index
# All that stands beside the generations, and how the names of files begin that come and go with it.
BESIDE = {CURRENT, LOCK, PARTIAL, FOLLOWED, RECIPE, FETCHED, WATCHES}
PASSING = (f".{CURRENT}.", f".{FOLLOWED}.", f".{RECIPE}.", f"{WATCHES}-")
# Lucene leaves it behind; it holds nothing and belongs to no reader.
LUCENE_LOCK = "write.lock"


@dataclass(frozen=True, slots=True)
class Part:
    """One file or folder of a generation."""

    path: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class GenerationLayout:
    """Names inside a generation's folder."""

    # Format, counts, encoder, checksum of every other file; readers hold a lease on it.
    manifest: Part = Part("manifest.json")
    catalog: Part = Part("catalog.sqlite")  # papers with everything that is shown of them
    removed: Part = Part("removed.npy")  # which docids are no paper any more
    bm25: Part = Part("bm25")  # Lucene's index of title + abstract
    bm25_labels: Part = Part("bm25-labels.npy")  # label of a text in Lucene → docid
    bm25_docids: Part = Part("bm25-numbers.npy")  # Lucene's document number → docid
    graph: Part = Part("graph")  # citations, outgoing and incoming, as compressed sparse rows
    outside: Part = Part("outside")  # the same for works that are no papers of the index, and their keys
    years: Part = Part("years.npy")  # of each paper
    # How many papers hold each term, instead of bm25*: only where an engine has the texts.
    terms: Part = Part("terms.sqlite", optional=True)
    # One code of a vector a paper; absent with --encoder none, and where an engine has them.
    vectors: Part = Part("dense/vectors.faiss", optional=True)
    # The vectors in 16 bits, which no search reads; only beside codes of 8 bits.
    originals: Part = Part("dense/originals.npy", optional=True)
    # An approximate search structure over the codes; absent where they are scanned.
    structure: Part = Part("dense/structure.faiss", optional=True)
    # Where queries are looked for; absent where citations are few or teach nothing.
    query_map: Part = Part("dense/query-map.npy", optional=True)
    nearness: Part = Part("dense/nearness.npy", optional=True)  # how near papers of the index are to each other

    def required(self, texts_elsewhere: bool = False) -> list[str]:
        """Paths that every generation has, or every one whose texts an engine holds."""
        parts = (getattr(self, field.name) for field in fields(self))
        paths = [part.path for part in parts if not part.optional]
        if not texts_elsewhere:
            return paths
        own = {self.bm25.path, self.bm25_labels.path, self.bm25_docids.path}
        return [path for path in paths if path not in own] + [self.terms.path]


LAYOUT = GenerationLayout()


def generation_name(number: int) -> str:
    """The folder name of a generation, such as gen-000002."""
    return f"{GENERATION_PREFIX}{number:06d}"


def generation_number(name: str) -> int | None:
    """The number in a generation's folder name, or None if it is no such name."""
    found = re.fullmatch(rf"{GENERATION_PREFIX}([0-9]+)", name)
    return int(found[1]) if found else None


def data_files(generation: Path) -> list[Path]:
    """All files of a generation but its manifest, in a fixed order."""
    files = (path for path in generation.rglob("*") if path.is_file())
    return sorted(path for path in files if path.name not in {LAYOUT.manifest.path, LUCENE_LOCK})
