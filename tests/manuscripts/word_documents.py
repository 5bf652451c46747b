"""What is read of a document of Word, and a document in which a text is another."""

import io
import zipfile

from word_files import ABOVE, packed_document, paragraph, run

from manuscripts.manuscript import Manuscript
from manuscripts.reading import read


def document(*content: str, **parts: str) -> Manuscript:
    body = ABOVE + paragraph("berschrift1", run("Introduction")) + paragraph("", *content)
    return read(packed_document(body, **parts))


def marked(found: Manuscript) -> list[tuple[str, list[tuple[str, ...]]]]:
    return [
        (sentence.text, [mark.keys for mark in sentence.marks])
        for sentence in found.sections[-1].paragraphs[-1].sentences
    ]


def works(found: Manuscript) -> list[tuple[object, ...]]:
    return [(e.key, p.title, p.authors, p.year, p.venue, p.doi) for e in found.cited for p in e.readings]


def rewritten(data: bytes, *change: str) -> bytes:
    """A document in which the first of two texts is the second, in names of parts and in what they hold."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as whole, zipfile.ZipFile(stream, "w") as archive:
        for member in whole.infolist():
            archive.writestr(member.filename.replace(*change), whole.read(member).decode().replace(*change))
    return stream.getvalue()
