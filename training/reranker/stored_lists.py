"""Training lists on disk: docids of papers and labels in one SQLite file, which a killed retrieval goes on filling."""

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from common.errors import TrainingError, os_errors
from encoders.picked_texts import PickedTexts
from encoders.text import Text
from training.reranker.lists import TrainingList, TrainingLists

_TABLE = (
    "CREATE TABLE IF NOT EXISTS lists (place INTEGER PRIMARY KEY, corpus INTEGER, query INTEGER, citations INTEGER, "
    "candidates BLOB, labels BLOB, first_stage BLOB, teacher BLOB)"
)
_COLUMNS = "citations, candidates, labels, first_stage, teacher"


@dataclass(frozen=True, slots=True)
class Record:
    """One list by docids of papers."""

    place: int  # of its query among all that were to be asked; some have no list
    corpus: int  # the index, by its place among those that are learned from
    query: int
    citations: int  # papers that may be found and that the query cites
    candidates: NDArray[np.int32]  # (n,)
    labels: NDArray[np.bool_]  # (n,)
    first_stage: NDArray[np.float32] | None  # (n,), see `TrainingList`
    teacher: NDArray[np.float32] | None  # (n,)


class ListFile:
    """The lists of one recipe over the same queries of the same indexes, which `digest` and the name stand for."""

    def __init__(self, path: Path, digest: str) -> None:
        """Open the file, or make it.

        Raises:
            TrainingError: it cannot be written, or is damaged.
        """
        self._path, self._digest = path, digest
        self._made = [folder for folder in path.absolute().parents if not folder.exists()]
        try:
            with self._written():
                path.parent.mkdir(parents=True, exist_ok=True)
                self._connection = sqlite3.connect(path)
                self._connection.execute(_TABLE)
                self._connection.execute("SELECT max(place) FROM lists")  # which a damaged file refuses
        except sqlite3.Error as error:
            raise TrainingError(f"{path} cannot be used for training lists ({error}): remove it") from None

    @property
    def done(self) -> int:
        """Queries whose lists are there, or that have none, from the first on."""
        return int(self._connection.execute("SELECT coalesce(max(place) + 1, 0) FROM lists").fetchone()[0])

    def append(self, records: Iterable[Record]) -> None:
        """Add lists: all of them, or after a crash none.

        Raises:
            TrainingError: they cannot be written.
        """
        rows = ((one.place, one.corpus, one.query, one.citations, *_blobs(one)) for one in records)
        with self._written(), self._connection:
            self._connection.execute("BEGIN")  # which Python does not in every locale
            self._connection.executemany("INSERT INTO lists VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def asked(self) -> NDArray[np.int64]:
        """(corpus, number) of every query that has a list, (lists, 2)."""
        rows = self._connection.execute("SELECT corpus, query FROM lists ORDER BY place")
        return np.fromiter((value for row in rows for value in row), np.int64).reshape(-1, 2)

    def lists(self, texts: Sequence[Sequence[Text]]) -> TrainingLists:
        """All lists, with the texts of each corpus by docid."""
        places, lengths, labels = array("q"), array("q"), bytearray()
        for place, blob in self._connection.execute("SELECT place, labels FROM lists ORDER BY place"):
            places.append(place)
            lengths.append(len(blob))
            labels += blob
        rows = np.frombuffer(places, np.int64)

        def read(place: int) -> TrainingList:
            row = int(rows[place])
            corpus, query, *columns = self._connection.execute(
                f"SELECT corpus, query, {_COLUMNS} FROM lists WHERE place = ?",  # noqa: S608
                (row,),
            ).fetchone()
            citations, candidates, marks, first_stage, teacher = columns
            return TrainingList(
                query=texts[corpus][query],
                candidates=PickedTexts([(texts[corpus], np.frombuffer(candidates, np.int32))]),
                labels=list(marks),
                first_stage=_floats(first_stage),
                teacher=_floats(teacher),
                citations=citations,
            )

        cited = np.frombuffer(labels, np.bool_)
        return TrainingLists(read, np.frombuffer(lengths, np.int64), cited, self._digest)

    def _written(self) -> AbstractContextManager[None]:
        return os_errors(TrainingError, f"write the training lists {self._path}", "; remove it")

    def delete(self) -> None:
        """Close and remove the file, and folders that were made for it if they hold nothing else."""
        self._connection.close()
        self._path.unlink(missing_ok=True)
        with suppress(OSError):
            for folder in self._made:
                folder.rmdir()


def _blobs(one: Record) -> Iterator[bytes | None]:
    kinds = (np.int32, np.bool_, np.float32, np.float32)
    for column, kind in zip((one.candidates, one.labels, one.first_stage, one.teacher), kinds, strict=True):
        yield None if column is None else column.astype(kind).tobytes()


def _floats(blob: bytes | None) -> list[float] | None:
    return None if blob is None else np.frombuffer(blob, np.float32).tolist()
