"""References that are described rather than named by an id → the papers that were read beside them.

A reference is a paper of the same sources if they share a DOI or PMID, or else year, volume, first page and the first
author's family name, or else a title that holds (`title_holds`). Where several papers fit, it is none of them, unless
they are records of one paper. docs/formats.md has the measured precision.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import orjson

from indexer.identity.agreement import paper_described, shared_title_holds
from indexer.identity.authors import author_of
from indexer.identity.identifiers import pmid_key
from indexer.identity.references import Reference
from indexer.identity.titles import title_key
from indexer.paper import Paper, paper_json, paper_of_json
from indexer.readers.base import RawPaper
from indexer.readers.fields import collapse, doi
from indexer.readers.fields import year as year_of
from indexer.readers.join import scratch_database
from indexer.readers.report import ReadReport

_SHORTEST_END = 4  # letters of a family name that another one may end with: Berg, van der Berg
_MOST_RIVALS = 20  # papers of one key that are compared
_NAMES = 1 << 14  # that are kept as they are compared: few works get many of the citations
_LONGEST_VALUE = 100  # characters of a volume or page
_TABLES = (
    "CREATE TABLE paper (record BLOB, refs TEXT);"
    "CREATE TABLE named (key TEXT, id TEXT, author TEXT, year INTEGER, title TEXT, doi TEXT);"
)


class CitedWorks:
    """Papers that wait until all are read, so that what they cite can be found among them."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def add(self, paper: Paper, raw: RawPaper) -> None:
        """Set a paper aside, with what it cites and what it may be cited by."""
        references = [_reference(reference) for reference in raw.references]
        described = orjson.dumps(references).decode()
        self._database.execute("INSERT INTO paper VALUES (?, ?)", (paper_json(paper), described))
        author = paper.authors[0] if paper.authors else ""
        own = Reference(
            doi=paper.doi,
            pmid=pmid_key(paper.url),
            year=str(paper.year or ""),
            volume=normal_place(raw.volume),
            page=normal_place(raw.page),
            title=paper.title,
        )
        rows = [(key, paper.id, author, paper.year, title_key(paper.title), paper.doi) for key in _keys(own)]
        self._database.executemany("INSERT INTO named VALUES (?, ?, ?, ?, ?, ?)", rows)

    def papers(self, report: ReadReport) -> Iterator[Paper]:
        """All papers in the order in which they came, with the ids of what they cite among their citations.

        What is no paper's stays as a citation, by its DOI or PMID or as it is described: an index finds papers by the
        former that are added later, and names works that it does not have (`indexer.outside`).
        """
        self._database.execute("CREATE INDEX by_key ON named (key)")
        for record, listed in self._database.execute("SELECT record, refs FROM paper ORDER BY rowid"):
            paper = paper_of_json(record)
            cited = dict.fromkeys(paper.citations)
            for fields in orjson.loads(listed):
                reference = Reference(**fields)
                how, fitting = self._find(reference)
                report.references[how] += 1
                if len(fitting) == 1:
                    cited[fitting.pop()] = None
                else:  # which of several is not known; it is none that is not there
                    cited[reference.doi or reference.pmid if fitting else reference.citation()] = None
            cited.pop("", None)
            yield paper.citing(cited)

    def _find(self, reference: Reference) -> tuple[str, set[str]]:
        """How the paper was found and its id; "" with the ids of all that fit where it is none or several."""
        several: set[str] = set()
        work = reference.paper()
        for key in _keys(reference):
            how = key.partition(":")[0]
            found = self._database.execute(
                "SELECT DISTINCT id, author, year, title, doi FROM named WHERE key = ? LIMIT ?", (key, _MOST_RIVALS)
            )
            fitting = [
                Paper(id_, title, year=year, authors=(author,) if author else (), doi=own)
                for id_, author, year, title, own in found
            ]
            if how == "place":
                fitting = [paper for paper in fitting if same_family(reference.author, *paper.authors)]
            elif how == "title":
                fitting = [paper for paper in fitting if shared_title_holds(work, paper)]
            if paper := paper_described(fitting):
                return how, {paper.id}
            several |= {paper.id for paper in fitting}
        return "", several


@contextmanager
def cited_works() -> Iterator[CitedWorks]:
    """No papers yet; it raises what `scratch_database` does."""
    with scratch_database(_TABLES) as database:
        yield CitedWorks(database)


def _reference(reference: Reference) -> Reference:
    """As it can be stored and compared."""
    return Reference(
        doi(reference.doi),
        pmid_key(reference.pmid, bare=True),
        collapse(reference.author)[:_LONGEST_VALUE],
        str(year_of(reference.year) or ""),
        normal_place(reference.volume),
        normal_place(reference.page),
        collapse(reference.title),
        collapse(reference.rest),
    )


def _keys(reference: Reference) -> Iterator[str]:
    """What the work can be found by, the surest first."""
    if reference.doi:
        yield f"doi:{reference.doi}"
    if reference.pmid:
        yield f"pmid:{reference.pmid}"
    if reference.year and reference.volume and reference.page:
        yield f"place:{reference.year}:{reference.volume}:{reference.page}"
    yield from reference.title_keys()


def normal_place(value: object) -> str:
    """A volume, or the first page of several, in one spelling: "V. 012" and "12" are one, "e0012" and "E12" too."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return ""
    first = str(value)[:_LONGEST_VALUE].replace("–", "-").partition("-")[0]
    letters = "".join(letter for letter in first.casefold() if letter.isalnum())
    prefix = letters.rstrip("0123456789")
    return prefix.removeprefix("vol") + letters[len(prefix) :].lstrip("0")


def same_family(one: str, other: str = "") -> bool:
    """Whether the family names of two authors are one, with or without their particles."""
    shorter, longer = sorted((_family(one), _family(other)), key=len)
    return shorter == longer != "" or (len(shorter) >= _SHORTEST_END and longer.endswith(shorter))


@lru_cache(_NAMES)
def _family(name: str) -> str:
    return "".join(author_of(name).family)
