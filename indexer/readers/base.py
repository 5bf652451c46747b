"""What a format is: one declaration in a module of `indexer.readers.formats`."""

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TypeVar

from common.errors import RecordError, SourceError
from indexer.identity.references import Reference
from indexer.original import Original
from indexer.readers.head import Head
from indexer.readers.source import SourceFile
from indexer.readers.streams import TextFile


@dataclass(slots=True)  # not frozen, which takes three times as long to make
class RawPaper:
    """One record as a format spells it; `indexer.readers.fields.clean` makes the Paper.

    Readers hand on what they found: missing values may be None, numbers may be text, lists may hold anything.
    """

    where: str = ""  # place in the file, such as "line 17" or "record 3"
    id: object = None
    title: object = None
    abstract: object = None
    year: object = None
    authors: object = None  # names, or None
    venue: object = None
    doi: object = None
    arxiv: object = None
    url: object = None
    citations: object = None  # ids, or None
    original: Original | None = None
    references: Sequence[Reference] = ()  # what it cites, where that is described and has no id
    volume: object = None  # these two also for the references of others
    page: object = None  # the first one, a range, or the number of the article
    type: object = None  # as CSL calls it
    issue: object = None
    publisher: object = None  # of anything but articles of journals
    more: Mapping[str, object] | None = None  # what else CSL has a name for, as it has it
    retracted: object = None  # True, or anything else


@dataclass(slots=True)
class Malformed:
    """A record that a reader cannot make sense of."""

    reason: str
    where: str = ""  # as of RawPaper


Found = RawPaper | Malformed
Contents = TypeVar("Contents")  # of a record: the fields of JSON, a row of a table, an element of XML


def papers_of(
    records: Iterable[tuple[str, Contents | Malformed]], to_paper: Callable[[Contents], RawPaper | None]
) -> Iterator[Found]:
    """What a format makes of its records, each a place and contents; None passes one over, a RecordError costs it."""
    for where, contents in records:
        found: Found | None
        try:
            found = contents if isinstance(contents, Malformed) else to_paper(contents)
        except RecordError as error:
            found = Malformed(str(error))
        if found is not None:
            found.where = where
            yield found


def record_reader(
    records: Callable[[TextFile], Iterable[tuple[str, Contents | Malformed]]],
    to_paper: Callable[[Contents], RawPaper | None],
) -> Callable[[TextFile], Iterator[Found]]:
    """A `read` for a format whose files hold a paper a record."""
    return lambda file: papers_of(records(file), to_paper)


@dataclass(frozen=True, slots=True)
class Reader:
    """One format.

    Exactly one of `read` and `read_together` is given: most formats are read file by file; in some, a paper is
    spread over several files of a folder.
    """

    name: str  # for `--format`
    description: str  # one line for the documentation
    endings: tuple[str, ...]  # file endings without compression; only a hint
    detect: Callable[[Head], bool]  # is the file with this beginning ours?
    read: Callable[[TextFile], Iterator[Found]] | None = None
    read_together: Callable[[Sequence[SourceFile]], Iterator[Found]] | None = None
    companions: tuple[str, ...] = ()  # patterns of paths that belong to the format but hold no papers
    by_line: Callable[[Head], bool] = lambda head: False  # is every line of such a file read without the others?
    describes_references: bool = False  # papers wait until all are read, to be found by what others say of them
    said: Callable[[Head], str] = lambda head: ""  # what to tell of such a file that is read
    last_resort: bool = False  # asked only after all others; for formats whose marks others share


@cache
def readers() -> Sequence[Reader]:
    """All formats, found in the modules of the package `formats`, in the order in which detection asks them."""
    from indexer.readers import formats

    modules = (import_module(module.name) for module in pkgutil.iter_modules(formats.__path__, f"{formats.__name__}."))
    found = (value for module in modules for value in vars(module).values() if isinstance(value, Reader))
    return sorted(found, key=lambda reader: (reader.last_resort, reader.name))


def endings() -> tuple[str, ...]:
    """The endings of all single files that hold papers."""
    every = {ending for reader in readers() if reader.read for ending in reader.endings}
    return tuple(sorted(ending for ending in every if ending.startswith(".")))


def find_reader(name: str) -> Reader:
    """The format of that name.

    Raises:
        SourceError: No format has that name.
    """
    known = {reader.name: reader for reader in readers()}
    if name not in known:
        raise SourceError(f"there is no format {name!r}; choose one of: {', '.join(sorted(known))}")
    return known[name]


def detect_reader(head: Head) -> Reader | None:
    """The format of the file that begins like this, or None if no format knows it."""
    return next((reader for reader in readers() if reader.detect(head)), None)
