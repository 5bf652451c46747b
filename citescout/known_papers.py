"""What the authors of a query know already: the papers of the index that they wrote, or cited in one that they wrote.

Nothing is preferred for it. It is marked, and can be hidden; the order of everything else stays as it is.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from citescout.recommendation import Known
from indexer.catalog import Catalog
from indexer.duplicates import records_of
from indexer.generations import OpenGeneration
from indexer.identity.authors import Author, author_of, key_of, matching
from retrieval.hits import Allowed

# What the authors of a query know, by docid of one generation of an index: None for what they wrote; for what they
# cited, their newest paper that cites it.
KnownPapers = Mapping[int, int | None]


def marks(known: KnownPapers, docids: NDArray[np.integer], catalog: Catalog) -> list[Known | None]:
    """How each of these papers is known; None for those that are not."""
    citing = list({by for docid in docids.tolist() if (by := known.get(docid)) is not None})
    papers = dict(zip(citing, catalog.papers(citing), strict=True))

    def mark(docid: int) -> Known | None:
        if docid not in known:
            return None
        by = known[docid]
        return Known("yours") if by is None else Known("cited", papers[by])

    return list(map(mark, docids.tolist()))


def known_papers(generation: OpenGeneration, names: Sequence[str], evidence: Allowed) -> KnownPapers:
    """What the authors of these names wrote and cited, by the papers that may be evidence.

    `evidence` leaves out the query's own paper and what is newer than the query, which is not written yet. Other
    records of what they know are known, too.
    """
    written = [docid for docid in papers_by(generation.catalog, names) if evidence[docid]]
    known: dict[int, int | None] = {}
    for docid in sorted(written, key=lambda paper: (int(generation.years[paper]), -paper)):
        known |= dict.fromkeys(generation.graph.cites.of(docid).tolist(), docid)
    known |= dict.fromkeys(written)
    records = records_of(generation.catalog, generation.catalog.papers(list(known)))
    return {other: by for by, found in zip(known.values(), records, strict=True) for other in found} | known


def papers_by(catalog: Catalog, names: Sequence[str]) -> list[int]:
    """The docids of the papers that one of these authors wrote, ascending; see `identity.authors.matching`."""
    keys = {key_of(name) for name in names} - {""}
    if not keys:
        return []
    rows = catalog.authors(keys)
    spellings: dict[str, dict[str, Author]] = {key: {} for key in keys}  # key → name as it is written → author
    for _, authors in rows:
        for name in authors:
            if (key := key_of(name)) in spellings and name not in spellings[key]:
                spellings[key][name] = author_of(name)
    theirs: set[str] = set()
    for asked in names:
        named = spellings.get(key_of(asked), {})
        found = matching(author_of(asked), frozenset(named.values()))
        theirs.update(name for name, author in named.items() if author in found)
    return [docid for docid, authors in rows if not theirs.isdisjoint(authors)]
