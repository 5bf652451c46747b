"""ClusCite's collections of DBLP and PubMed: tab-separated tables in one folder.

papers.txt holds id, key, year and title; abstracts.txt, paper_paper.txt, paper_author.txt and paper_venue.txt hold
the paper's id and one value a line. Authors and venues may be given by number; then authors.txt and venues.txt
name them.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import PurePosixPath

from common.errors import RecordError
from indexer.readers.base import Found, Malformed, RawPaper, Reader, papers_of
from indexer.readers.head import Head
from indexer.readers.join import Join, temporary_join
from indexer.readers.source import SourceFile
from indexer.readers.streams import too_long

_PAPERS = "papers.txt"
_VALUES = ("abstracts.txt", "paper_paper.txt", "paper_author.txt", "paper_venue.txt", "authors.txt", "venues.txt")
_PAPER_LINE = re.compile(r"\d+\t[^\t]*\t\d*\t")
_VALUE_LINE = re.compile(r"\d+(\t|$)")


def _detect(head: Head) -> bool:
    first = head.text.lstrip("\n")
    if head.file_name == _PAPERS:
        return bool(_PAPER_LINE.match(first))
    return head.file_name in _VALUES and bool(_VALUE_LINE.match(first))


def _read(files: Sequence[SourceFile]) -> Iterator[Found]:
    folders: dict[str, dict[str, SourceFile]] = {}
    for file in files:
        path = PurePosixPath(file.name.replace("\\", "/"))
        folders.setdefault(str(path.parent), {})[Head(file.name, b"").file_name] = file
    for folder, tables in folders.items():
        if _PAPERS not in tables:
            yield Malformed(f"tables without {_PAPERS}; nothing in this folder could be read", folder)
            continue
        yield from _read_folder(tables)


def _read_folder(tables: dict[str, SourceFile]) -> Iterator[Found]:
    with temporary_join() as join:
        for name in _VALUES:
            if name in tables:
                yield from papers_of(_rows(tables[name]), partial(_store, join, name))
        join.finish()
        yield from papers_of(_rows(tables[_PAPERS]), partial(_paper, join))


def _rows(file: SourceFile) -> Iterator[tuple[str, list[str] | Malformed]]:
    with file.open() as opened:
        for number, line in opened.lines():
            where = f"{file.name}: line {number}"
            if line is None:
                yield where, Malformed(too_long())
            elif not line.isspace():
                yield where, line.decode("utf-8", "replace").rstrip("\r\n").split("\t")


def _store(join: Join, name: str, columns: list[str]) -> None:
    if len(columns) > 1:  # a paper without an abstract has its id alone
        join.add(name, columns[0].strip(), " ".join(columns[1:]) if name == "abstracts.txt" else columns[1].strip())


def _paper(join: Join, columns: list[str]) -> RawPaper:
    if len(columns) < 4:
        raise RecordError(f"{len(columns)} columns where id, key, year and title should be")
    paper_id = columns[0].strip()
    venues = _named(join, "venues.txt", join.values("paper_venue.txt", paper_id))
    return RawPaper(
        id=paper_id,
        title=" ".join(columns[3:]),
        abstract=join.value("abstracts.txt", paper_id),
        year=columns[2],
        authors=_named(join, "authors.txt", join.values("paper_author.txt", paper_id)),
        venue=next(iter(venues), ""),
        citations=join.values("paper_paper.txt", paper_id),
    )


def _named(join: Join, names: str, values: list[str]) -> list[str]:
    """Names of what is given by number; a number that nothing names is no name."""
    named = (join.value(names, value) or ("" if value.isdecimal() else value) for value in values)
    return [name for name in named if name]


CLUSCITE = Reader(
    name="cluscite",
    description="ClusCite's DBLP or PubMed collection: a folder with papers.txt, abstracts.txt, paper_paper.txt …",
    endings=(_PAPERS, *_VALUES),
    detect=_detect,
    read_together=_read,
    companions=("paper_keyphrases.txt", "paper_term.txt", "terms.txt", "keyphrases.txt"),
)
