"""What an index directory holds, as data: what stands beside its generations, and the parts of one.

Papers have docids 0…n-1, which every part uses. A build and a compaction give them in the order of their ids; papers
added later come behind, and the docids of removed papers are not given again.
"""

import re
from dataclasses import dataclass
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
class GenerationLayout:
    """Files and folders inside a generation's folder."""

    # Format, counts, encoder, checksum of every other file; readers hold a lease on it.
    manifest: str = "manifest.json"
    catalog: str = "catalog.sqlite"  # papers with everything that is shown of them
    removed: str = "removed.npy"  # which docids are no paper any more
    graph: str = "graph"  # citations, outgoing and incoming, as compressed sparse rows
    outside: str = "outside"  # the same for works that are no papers of the index, and their keys
    years: str = "years.npy"  # of each paper
    # Only where no engine has the texts.
    bm25: str = "bm25"  # Lucene's index of title + abstract
    bm25_labels: str = "bm25-labels.npy"  # label of a text in Lucene → docid
    bm25_docids: str = "bm25-numbers.npy"  # Lucene's document number → docid
    # How many papers hold each term, instead of bm25*: only where an engine has the texts.
    terms: str = "terms.sqlite"
    # One code of a vector a paper; absent with --encoder none, and where an engine has them.
    vectors: str = "dense/vectors.faiss"
    # The vectors in 16 bits, which no search reads; only beside codes of 8 bits.
    originals: str = "dense/originals.npy"
    # An approximate search structure over the codes; absent where they are scanned.
    structure: str = "dense/structure.faiss"
    # Where queries are looked for; absent where citations are few or teach nothing.
    query_map: str = "dense/query-map.npy"
    nearness: str = "dense/nearness.npy"  # how near papers of the index are to each other; absent without vectors

    def required(self, texts_elsewhere: bool) -> list[str]:
        """What every generation has whose texts an engine holds, or whose own they are."""
        texts = [self.terms] if texts_elsewhere else [self.bm25, self.bm25_labels, self.bm25_docids]
        return [self.manifest, self.catalog, self.removed, self.graph, self.outside, self.years, *texts]


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
    return sorted(path for path in files if path.name not in {LAYOUT.manifest, LUCENE_LOCK})
