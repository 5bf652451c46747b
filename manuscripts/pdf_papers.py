"""PDFs as papers of a corpus: the one format whose files are parsed in the sandbox."""

import zipfile
from collections.abc import Iterator, Sequence

from common.errors import SourceError
from indexer.identity.identifiers import digest_id
from indexer.readers.base import Found, Malformed, RawPaper, Reader
from indexer.readers.source import SourceFile
from manuscripts.formats import is_pdf
from manuscripts.limits import MAX_BYTES
from manuscripts.sandbox import read_pdf


def _read(files: Sequence[SourceFile]) -> Iterator[Found]:
    for file in files:
        try:
            with file.open_raw() as raw:
                record = read_pdf(raw.read(MAX_BYTES + 1))
        except (SourceError, OSError, zipfile.BadZipFile) as error:
            yield Malformed(str(error), file.name)
            continue
        identity = record["doi"] or record["arxiv"] or digest_id("pdf", record["title"], record["year"])
        yield RawPaper(file.name, identity, **record)


_WHAT = "PDFs of papers: title, abstract, DOI, year, authors"
# Not among the formats of indexer.readers, which come before the sandbox: `read_papers` is handed it.
PDFS = Reader("pdf", _WHAT, (".pdf",), lambda head: is_pdf(head.data), read_together=_read)
