"""What the authors of a query know already: the papers of the index that they wrote, or cited in one that they wrote.

Nothing is preferred for it. It is marked, and can be hidden; the order of everything else stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from citescout.recommendation import Known
from indexer.generations import OpenGeneration
from indexer.identity.authors import Author, author_of, key_of, matching
from retrieval.hits import Allowed

if TYPE_CHECKING:
    from citescout.ranking import Ranking
    from indexer.catalog import Catalog


@dataclass(frozen=True, slots=True)
class KnownPapers:
    """Papers of one generation of an index, by docid."""

    written: frozenset[int]
    cited: Mapping[int, int]  # what they cited → their newest paper that cites it; not what they wrote

    def __contains__(self, docid: int) -> bool:
        return docid in self.written or docid in self.cited

    def __iter__(self) -> Iterator[int]:
        yield from self.written
        yield from self.cited

    def hidden_from(self, ranking: Ranking) -> Ranking:
        """The ranking without these papers; all others stay in their order."""
        if not self.written:
            return ranking
        known = np.fromiter(self, np.int64)
        return ranking.at(~np.isin(ranking.pool.docids[ranking.order], known))

    def marks(self, docids: NDArray[np.integer], catalog: Catalog) -> list[Known | None]:
        """How each of these papers is known; None for those that are not."""
        wanted = {self.cited[docid] for docid in docids.tolist() if docid in self.cited}
        citing = dict(zip(wanted, catalog.papers(list(wanted)), strict=True))
        return [
            Known("yours")
            if docid in self.written
            else Known("cited", citing[self.cited[docid]])
            if docid in self.cited
            else None
            for docid in docids.tolist()
        ]


NOTHING = KnownPapers(frozenset(), {})


def known_papers(generation: OpenGeneration, names: Sequence[str], evidence: Allowed) -> KnownPapers:
    """What the authors of these names wrote and cited, by the papers that may be evidence.

    `evidence` leaves out the query's own paper and what is newer than the query, which is not written yet.
    """
    written = [docid for docid in papers_by(generation.catalog, names) if evidence[docid]]
    cited: dict[int, int] = {}
    for docid in sorted(written, key=lambda paper: (int(generation.years[paper]), -paper)):
        cited |= dict.fromkeys(generation.graph.cites.of(docid).tolist(), docid)
    own = frozenset(written)
    return KnownPapers(own, {docid: by for docid, by in cited.items() if docid not in own})


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
