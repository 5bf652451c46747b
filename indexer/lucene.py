"""The BM25 index: title + abstract of every paper, analysed and written by Pyserini's Lucene.

English analyser, Porter stems, stop words out. Nothing but a label is stored beside the postings: stored texts would
be read again for every hit.
"""

from base64 import b64decode
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, Self

import numpy as np
import orjson
from numpy.typing import NDArray

from common.cpu import usable_cores
from common.errors import IndexDirectoryError
from common.text import as_searched, encodable
from encoders.text import Text
from indexer.jvm import autoclass, cast

FIELD = "contents"
_BATCH = 1000
_PAGE = 50_000
_WAITING = 16  # batches that may wait for Lucene
_BUFFER_MB = 512


def clean_text(text: str) -> str:
    """`text` on the line, Greek symbols by name, without what Java strings cannot hold.

    Of these, lone surrogates become question marks, NUL a space.
    """
    return as_searched(encodable(text)).replace("\0", " ")


class Bm25Writer:
    """Gives texts to Lucene on threads of its own, so that whoever reads them need not wait; for one caller.

    Leaving the context waits until all is on disk.
    """

    def __init__(self, folder: Path, append: bool = False) -> None:
        """Write a new index into `folder`, or `append` to the one there.

        Lucene never changes a file once it is written, so an index to append to may be made of hard links.
        """
        self._folder = folder.absolute()  # as in `open_reader`
        self._append = append
        self._batch: list[tuple[int, Text]] = []
        self._given = self._before = 0
        self._feeders = ThreadPoolExecutor(usable_cores(), "bm25")
        self._indexer: Future[Any] | None = None
        self._feeding: deque[Future[None]] = deque()

    def add(self, label: int, text: Text) -> None:
        """One text, under a label that comes back with every hit.

        Raises:
            IndexDirectoryError: Lucene cannot write.
        """
        self._batch.append((label, text))
        if len(self._batch) == _BATCH:
            self._send()

    def add_all(self, texts: Iterable[Text]) -> None:
        """All of these, under their places 0, 1, ….

        Raises:
            IndexDirectoryError: see `add`.
        """
        for label, text in enumerate(texts):
            self.add(label, text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close Lucene's index.

        Raises:
            IndexDirectoryError: Lucene cannot write, or has fewer texts on disk than it was given.
        """
        try:
            if kind is None:
                self._send()
                self._wait(at_most=0)
        finally:
            self._feeders.shutdown(cancel_futures=True)
            if self._indexer:
                with self._clear_error() if kind is None else suppress(Exception):
                    self._indexer.result().close()
        # Anserini logs what goes wrong when it writes to disk, and raises nothing.
        if kind is None and (written := _documents(self._folder) - self._before) != self._given:
            raise IndexDirectoryError(
                f"Lucene indexed {written} of {self._given} papers in {self._folder}: is the disk or memory full?"
            )

    def _send(self) -> None:
        if self._indexer is None:
            self._indexer = self._feeders.submit(self._open)
        self._feeding.append(self._feeders.submit(self._feed, self._batch, self._indexer))
        self._given += len(self._batch)
        self._batch = []
        self._wait(at_most=_WAITING)

    def _wait(self, at_most: int) -> None:
        while len(self._feeding) > at_most:
            with self._clear_error():
                self._feeding.popleft().result()

    def _open(self) -> Any:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._before = _documents(self._folder) if self._append else 0
        # One thread a batch, of which as many are taken at once as there are cores: a pool of threads for each batch
        # would take the cores from whoever reads the texts. Every thread leaves a segment, which costs each later query
        # time: few texts get few.
        arguments = ["-index", str(self._folder), "-threads", "1"]
        arguments += ["-input", "", "-collection", "JsonCollection", *(["-append"] if self._append else [])]
        indexer = autoclass("io.anserini.index.SimpleIndexer")(arguments)
        # Its own option for this is not heeded, and what it takes instead, 2 GB, is as much as Java's whole memory.
        writer = indexer.writer
        configuration = writer.getConfig()
        configuration.setRAMBufferSizeMB(float(_BUFFER_MB))
        return indexer

    def _feed(self, batch: list[tuple[int, Text]], indexer: Future[Any]) -> None:
        documents = [
            # Anserini leaves out blank documents, and every paper has to have one: the analyser drops the period.
            orjson.dumps({"id": str(label), FIELD: f"{clean_text(text.joined())} ."}).decode()
            for label, text in batch
        ]
        indexer.result().addRawDocuments(documents)

    @contextmanager
    def _clear_error(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if not type(error).__module__.startswith("jnius"):
                raise
            reason = str(error).splitlines()[0]
            message = f"Lucene cannot write {self._folder} ({reason}): is the disk full?"
            raise IndexDirectoryError(message) from None


def open_reader(folder: Path) -> Any:
    """A Lucene IndexReader on `folder`.

    Raises:
        IndexDirectoryError: no Lucene index there, or a damaged one.
    """
    path = autoclass("java.nio.file.Paths").get(str(folder.absolute()))  # Java keeps the folder that it was started in
    directory = autoclass("org.apache.lucene.store.FSDirectory").open(path)
    try:
        reader = autoclass("org.apache.lucene.index.DirectoryReader").open(directory)
    except Exception as error:  # noqa: BLE001 - jnius wraps every Java exception in its own
        reason = str(error).splitlines()[0]
        raise IndexDirectoryError(f"the BM25 index in {folder} is damaged ({reason}): build the index again") from None
    return cast("org.apache.lucene.index.IndexReader", reader)


def _documents(folder: Path) -> int:
    """How many texts an index has on disk; none where there is no whole one."""
    try:
        reader = open_reader(folder)
    except IndexDirectoryError:
        return 0
    with closing(reader):
        return int(reader.numDocs())


def terms_like(reader: Any, pattern: str) -> Iterator[str]:
    """The terms of an index that a pattern in Lucene's syntax fits, in order; most others are skipped."""
    expression = autoclass("org.apache.lucene.util.automaton.RegExp")(pattern)
    automaton = expression.toAutomaton()
    compiled = autoclass("org.apache.lucene.util.automaton.CompiledAutomaton")(automaton)
    terms = autoclass("org.apache.lucene.index.MultiTerms").getTerms(reader, FIELD)
    found = None if terms is None else compiled.getTermsEnum(terms)  # none in an index of blank texts
    while found is not None and (term := found.next()) is not None:
        yield term.utf8ToString()


def documents_kept(before: Path, after: Path) -> int:
    """How many documents come first, with the same numbers, in an index and in the one that it became by additions."""
    kept = 0
    for one, other in zip(_segments(before), _segments(after), strict=False):
        if one != other:
            break
        kept += one[1]
    return kept


def _segments(folder: Path) -> list[tuple[str, int]]:
    """Name and documents of every segment, in the order of the documents; Lucene gives no name twice."""
    reader = open_reader(folder)
    try:
        leaves = reader.leaves()
        of_leaves = [cast("org.apache.lucene.index.SegmentReader", leaf.reader()) for leaf in leaves.toArray()]
        return [(segment.getSegmentName(), segment.maxDoc()) for segment in of_leaves]
    finally:
        reader.close()


def labels(folder: Path, first: int = 0) -> NDArray[np.int32]:
    """The label of every Lucene document from number `first` on, shape (documents - first,)."""
    reader = open_reader(folder)
    try:
        # A search that every document answers, sorted by document and label, brings the labels from their own column:
        # the stored fields take ten times as long.
        everything = cast("org.apache.lucene.search.Query", autoclass("org.apache.lucene.search.MatchAllDocsQuery")())
        searcher = autoclass("org.apache.lucene.search.IndexSearcher")(reader)
        field = autoclass("org.apache.lucene.search.SortField")
        kinds = autoclass("org.apache.lucene.search.SortField$Type")
        sort = autoclass("org.apache.lucene.search.Sort")(field.FIELD_DOC, field("id", kinds.STRING_VAL))
        last, number, no_label = (
            autoclass(name)
            for name in ("org.apache.lucene.search.FieldDoc", "java.lang.Integer", "org.apache.lucene.util.BytesRef")
        )
        json = autoclass("com.fasterxml.jackson.databind.ObjectMapper")()

        def page(first: int) -> list[int]:
            # Behind a label before all others of the first document of the page: from that document on.
            after = last(first, 0.0, [number(first), no_label()])
            found = searcher.searchAfter(after, everything, _PAGE, sort)
            hits = orjson.loads(json.writeValueAsString(found))["scoreDocs"]
            return [_label(hit["fields"][1]) for hit in hits]

        with ThreadPoolExecutor(usable_cores()) as pool:
            pages = pool.map(page, range(first, reader.maxDoc(), _PAGE))
            return np.fromiter(chain.from_iterable(pages), np.int32)
    finally:
        reader.close()


def _label(column: dict[str, Any]) -> int:
    """The label in Lucene's bytes, of which those from `offset` on count."""
    start = column["offset"]
    return int(b64decode(column["bytes"])[start : start + column["length"]])
