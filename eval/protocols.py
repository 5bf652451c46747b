"""The protocols of the papers, as data: who is asked, who is searched, and which citations are to be found.

`open-research`, `dblp` and `pubmed` are those of Nogueira et al. 2020, as the scripts that its authors published with
Anserini have them; the years are Citeomatic's (Bhagavatula et al. 2018). Papers without a year are left out, and so
are citations of papers that are not there, of the paper itself and of a later year than the citing paper's. Papers are
sorted by year and, within a year, as they come: the oldest are for training, the next for development, the newest for
testing. Papers without a citation that counts are not asked, which is decided after the parting (in `corpus`, before
it). In `dblp` and `pubmed`
papers without an abstract are left out as well; gold and candidates of test papers are papers of the training years, at
least ten. Citations of their training and development papers all count, whatever their years, and those of
development papers outside of the candidates, too, though they cannot be found.

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

from pydantic import ConfigDict

Mode = Literal["transductive", "inductive"]
Candidates = Literal["all", "filtered", "indexed"]
Part = Literal["train", "dev", "test"]
PARTS: tuple[Part, ...] = ("train", "dev", "test")
ShareOf = Literal["papers", "citing"]


@dataclass(frozen=True, slots=True)
class Protocol:
    """The rules of one split."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # of what is read from a file

    name: str = "corpus"
    mode: Mode = "transductive"
    train_share: float = 0.8  # oldest first; the rest is halved into development and testing …
    share_of: ShareOf = "citing"  # all papers, or those with a citation that counts
    first_years: tuple[int, int] | None = None  # … unless the first years of development and of testing are given …
    test_ids: frozenset[str] | None = None  # … or the test papers by name; then there is no development set
    span: tuple[int, int] | None = None  # first and last year; papers of other years are left out
    abstracts: bool = False  # papers without an abstract are left out
    sample: int | None = None  # queries of each part, drawn by the seed; None for all
    least_gold: int = 1  # citations that count, for a query to be asked
    # What may be found, and what counts as gold: everything, or only papers of the training set. Others are then
    # taken out of the answers, as the papers' scripts do, or not indexed in the first place.
    candidates: Candidates = "all"
    # The parts that the rules of later years, `least_gold` and `candidates` are for; in others every citation of a
    # paper that is there counts.
    strict: tuple[Part, ...] = PARTS
    copies: bool = False  # other records of a query's paper count as gold, and systems that read no citations find them
    seed: int = 0


PROTOCOLS: Mapping[str, Protocol] = {
    "open-research": Protocol("open-research", share_of="papers", sample=20_000, copies=True),
    "dblp": Protocol(
        "dblp", first_years=(2008, 2009), span=(1966, 2011), abstracts=True,
        least_gold=10, candidates="filtered", strict=("test",), copies=True,
    ),
    "pubmed": Protocol(
        "pubmed", first_years=(2009, 2010), span=(1966, 2013), abstracts=True,
        least_gold=10, candidates="filtered", strict=("test",), copies=True,
    ),
    "corpus": Protocol(mode="inductive"),
}  # fmt: skip
