"""The one family of errors that a user can cause; the command line prints each as a single line and exits with 1.

A message says what is wrong, where (file, line, field) and what to do about it. Programming errors are not in
this family and stay loud.
"""

import copyreg
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class CitescoutError(Exception):
    """Base of everything that is the input's or the machine's fault rather than the program's."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Not as `type(*args)`: some are made of more than their message, and a pool of processes that cannot read
        # what a job has raised waits for it for ever.
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]


class SourceError(CitescoutError):
    """A file of papers or queries is missing, unreadable, or in no known format."""


class RecordError(CitescoutError):
    """One record of a source is malformed; readers skip and count it unless they are strict."""


class FetchError(CitescoutError):
    """A download from a scholarly API cannot start, or cannot go on for now."""


class IndexDirectoryError(CitescoutError):
    """A folder is no index, or a file of the index is missing or damaged."""


class EmptyIndexError(IndexDirectoryError):
    """There is no paper to index."""


class IndexLockedError(IndexDirectoryError):
    """Another process is writing to the index."""


class EngineError(CitescoutError):
    """An engine that holds an index's texts and vectors cannot be reached, or does not hold what the index needs."""


class VectorChoiceError(CitescoutError):
    """Vectors as they were asked for do not fit the memory or the corpus."""


class VectorFolderError(CitescoutError):
    """A folder holds no vectors, those of another encoder, or a damaged file of them."""


class ClusterError(CitescoutError):
    """The machines that are to encode cannot be reached, or cannot do it: no Ray, no shared folder, another model."""


class UnknownPapersError(CitescoutError):
    """Papers that are to be removed are not in the index."""


class QueryError(CitescoutError):
    """A query cannot be answered as it stands: no text, or an option out of range."""


class FindingsError(CitescoutError):
    """A review found a kind of problem that it is to fail on."""


class ModelError(CitescoutError):
    """An encoder or reranker is unknown, damaged, unsafe to load, or does not fit the index."""


class TrainingError(CitescoutError):
    """Training cannot start or go on: no positives, no queries, a loss that is not a number."""


class JavaError(CitescoutError):
    """The Java runtime that Lucene needs cannot be found or started."""


def brief(error: BaseException) -> str:
    """What an error of a library says, on one line that is not too long; its kind where it says nothing."""
    return " ".join(str(error).split())[:160] or type(error).__name__


def closed_index() -> ValueError:
    """What ends a question to an index that the program has closed, before it or meanwhile."""
    return ValueError("the index is closed: open it again")


@contextmanager
def os_errors(problem: type[CitescoutError], doing: str, damaged: str = "") -> Iterator[None]:
    """Let what the system refuses within end as such a problem: "cannot write a.bib: No space left on device".

    SQLite's refusals are among it, such as those of a full disk or of a file that is damaged, but not that it cannot
    understand a statement. `damaged` says what to do with a file that is.
    """
    try:
        yield
    except OSError as error:
        raise problem(f"cannot {doing}: {reason_of(error)}") from None
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)  # without one where sqlite3 itself raised it
        is_damaged = code & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
        if not is_damaged and (code == sqlite3.SQLITE_ERROR or not isinstance(error, sqlite3.OperationalError)):
            raise
        raise problem(f"cannot {doing}: {reason_of(error)}{damaged if is_damaged else ''}") from None


@contextmanager
def extra_needed(problem: type[CitescoutError], use: str, extra: str) -> Iterator[None]:
    """Let an import within that fails end as such a problem, which says what to install.

    `use` is such as "drawing needs matplotlib", `extra` one of those in setup.py.
    """
    try:
        yield
    except (ImportError, OSError) as error:  # of a library of the system that is missing
        raise problem(f"{use}: pip install 'citescout[{extra}]' ({error})") from None


def reason_of(error: sqlite3.Error | OSError) -> str:
    """What the system or SQLite says, without the name of a file; SQLite often calls a full disk a "disk I/O error"."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    is_io = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_IOERR  # further bits say in which call
    return f"{error}; is the disk full?" if is_io else str(error)
