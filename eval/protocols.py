"""The protocols of the papers, as data: who is asked, who is searched, and which citations are to be found.

Rules of Nogueira et al. 2020 (after Bhagavatula et al. 2018): papers without a year, or without a citation that
counts, are not asked; citations of papers outside of the corpus, of a later year than the citing paper's, and of the
paper itself do not count. Papers that cite are sorted by year (and id): the oldest are for training, the next for
development, the newest for testing.

Two modes say what may be seen when a query is answered:

- *transductive*, as in the papers: every paper is indexed, those of the development and test sets included, and a
  candidate or a citing paper may be newer than the query. Only the citations of the papers that are asked are hidden.
- *inductive*: an index holds only papers from before the year of its part's first query, which are also all that
  counts as gold, and no query sees anything newer than itself. Where test papers are given by name, whatever their
  years, one index holds all papers, and each query's year decides what it sees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Mode = Literal["transductive", "inductive"]
MODES: tuple[Mode, ...] = ("transductive", "inductive")
Candidates = Literal["all", "filtered", "indexed"]
CANDIDATES: tuple[Candidates, ...] = ("all", "filtered", "indexed")


@dataclass(frozen=True, slots=True)
class Protocol:
    """The rules of one split."""

    mode: Mode = "transductive"
    train_share: float = 0.8  # of the citing papers, oldest first; the rest is halved into development and testing …
    first_years: tuple[int, int] | None = None  # … unless the first years of development and of testing are given …
    test_ids: frozenset[str] | None = None  # … or the test papers by name; then there is no development set
    sample: int | None = None  # queries of each part, drawn by the seed; None for all
    least_gold: int = 1  # citations that count, for a query to be asked
    # What may be found, and what counts as gold: everything, or only papers of the training years. Others are then
    # taken out of the answers, as the papers' scripts do, or not indexed in the first place.
    candidates: Candidates = "all"
    seed: int = 0


PROTOCOLS: Mapping[str, Protocol] = {
    "open-research": Protocol(sample=20_000),
    # The years of ClusCite (Ren et al. 2014); at least ten citations, and the training years as candidates.
    "dblp": Protocol(first_years=(2008, 2009), least_gold=10, candidates="filtered"),
    "pubmed": Protocol(first_years=(2009, 2010), least_gold=10, candidates="filtered"),
    "corpus": Protocol(mode="inductive"),
}
