"""The BM25 index: title + abstract of every paper, analysed and written by Pyserini's Lucene.

English analyser, Porter stems, stop words out. Nothing but the paper's number is stored beside the postings:
stored texts would be read again for every hit.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from common.cpu import usable_cores
from common.errors import IndexDirectoryError
from common.progress import counter
from encoders.text import Text
from indexer.jvm import autoclass, cast, start

FIELD = "contents"
_BATCH = 1000
_BUFFER_MB = 256


def clean_text(text: str) -> str:
    """`text` without what Java strings cannot hold: lone surrogates and NUL become spaces."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")


def build_bm25(texts: Iterable[tuple[int, Text]], folder: Path, total: int, append: bool = False) -> None:
    """Write a Lucene index of (paper number, text) pairs into `folder`, on all cores; or `append` to the one there.

    Lucene never changes a file once it is written, so an index to append to may be made of hard links.

    Raises:
        IndexDirectoryError: Lucene accepted fewer papers than it was given (disk or memory full).
    """
    start()  # before Pyserini, which would start Java with options that its runtime lacks
    from pyserini.index.lucene import LuceneIndexer

    folder.mkdir(parents=True, exist_ok=True)
    # Every thread leaves a segment of its own, and every segment costs each later query time.
    threads = min(usable_cores(), -(-total // _BATCH))
    arguments = ["-index", str(folder), "-memoryBuffer", str(_BUFFER_MB)]
    try:
        indexer = LuceneIndexer(args=arguments, append=append, threads=threads)
        try:
            added = _add_all(indexer, texts, total)
        finally:
            indexer.close()
    except IndexDirectoryError:
        raise
    except Exception as error:
        if not type(error).__module__.startswith("jnius"):
            raise
        reason = str(error).splitlines()[0]
        raise IndexDirectoryError(f"Lucene cannot write {folder} ({reason}): is the disk full?") from None
    if added != total:
        raise IndexDirectoryError(f"Lucene indexed {added} of {total} papers in {folder}: is the disk or memory full?")


def _add_all(indexer: Any, texts: Iterable[tuple[int, Text]], total: int) -> int:
    """Returns how many papers Lucene took."""
    pairs = iter(texts)
    added = 0
    with counter("BM25 index", total) as bar:
        while chunk := list(islice(pairs, _BATCH)):
            documents = [
                # Anserini leaves out blank documents, and every paper has to have one: the analyser drops the period.
                orjson.dumps({"id": str(number), FIELD: f"{clean_text(text.joined())} ."}).decode()
                for number, text in chunk
            ]
            added += int(indexer.object.addRawDocuments(documents))
            bar.update(len(chunk))
    return added


def open_reader(folder: Path) -> Any:
    """A Lucene IndexReader on `folder`.

    Raises:
        IndexDirectoryError: no Lucene index there, or a damaged one.
    """
    directory = autoclass("org.apache.lucene.store.FSDirectory").open(autoclass("java.nio.file.Paths").get(str(folder)))
    try:
        reader = autoclass("org.apache.lucene.index.DirectoryReader").open(directory)
    except Exception as error:  # noqa: BLE001 - jnius wraps every Java exception in its own
        reason = str(error).splitlines()[0]
        raise IndexDirectoryError(f"the BM25 index in {folder} is damaged ({reason}): build the index again") from None
    return cast("org.apache.lucene.index.IndexReader", reader)


def paper_numbers(folder: Path) -> NDArray[np.int32]:
    """Paper number of every Lucene document, shape (documents,)."""
    reader = open_reader(folder)
    try:
        stored = reader.storedFields()
        return np.fromiter((int(stored.document(i).get("id")) for i in range(reader.maxDoc())), np.int32)
    finally:
        reader.close()
