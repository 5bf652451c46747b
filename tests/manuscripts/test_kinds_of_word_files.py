"""Files of Word and LibreOffice of every kind, and damaged ones."""

import io
import zipfile
from pathlib import Path

import pytest
from archives import zipped
from word_documents import rewritten
from word_files import ABOVE, document_of_libreoffice, document_with_citations, packed_document, paragraph, run

from citescout.queries import read_queries
from common.errors import SourceError
from manuscripts import read_manuscript
from manuscripts.holding import holds_manuscript
from manuscripts.reading import read


def test_a_damaged_document_of_libreoffice_is_one_clear_error() -> None:
    with pytest.raises(SourceError, match="the document is damaged"):
        read(document_of_libreoffice("<text:p>"))


def without(data: bytes, *names: str) -> bytes:
    """A document without some of its parts."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as whole, zipfile.ZipFile(stream, "w") as archive:
        for member in whole.infolist():
            if member.filename not in names:
                archive.writestr(member, whole.read(member))
    return stream.getvalue()


@pytest.mark.parametrize(
    "changes",
    [
        [("word/document.xml", "word/document2.xml"), ("styles.xml", "styles2.xml"), ("notes.xml", "notes3.xml")],
        [
            (f"http://schemas.openxmlformats.org/{kind}/2006/", f"http://purl.oclc.org/ooxml/{kind}/")
            for kind in ("wordprocessingml", "officeDocument")
        ],
    ],
    ids=["numbered parts", "strict"],
)
def test_documents_of_word_online_and_strict_ones_are_read_as_others(changes: list[tuple[str, str]]) -> None:
    usual = document_with_citations()
    other = usual
    for change in changes:
        other = rewritten(other, *change)
    assert other != usual
    assert read(other) == read(usual)


@pytest.mark.parametrize("name", ["paper.docx", "macros.docm", "template.dotx"])
def test_a_document_of_word_is_one_query_whatever_its_kind(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(packed_document(ABOVE))
    assert [(query.id, query.title, query.abstract) for query in read_queries(str(tmp_path / name))] == [
        (name, "A title", "We write.")
    ]


def test_a_document_with_macros_is_the_manuscript_of_its_folder_and_a_template_is_none(tmp_path: Path) -> None:
    (tmp_path / "journal.dotx").write_bytes(packed_document(paragraph("Titel", run("Title of the article"))))
    assert not holds_manuscript(tmp_path)
    (tmp_path / "paper.docm").write_bytes(packed_document(ABOVE))
    assert holds_manuscript(tmp_path)
    assert read_manuscript(tmp_path).title == "A title"


WHOLE = {"paper.docx": packed_document(ABOVE), "paper.odt": document_of_libreoffice("<text:p>Words.</text:p>")}
DAMAGED = {
    **{f"cut {name}": data[: len(data) // 2] for name, data in WHOLE.items()},
    **{f"empty {name}": without(data, "word/document.xml", "content.xml") for name, data in WHOLE.items()},
    "zeros.docx": bytes(5_000),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_document_is_called_so_with_its_name(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(DAMAGED[name])
    (tmp_path / "project.zip").write_bytes(zipped({f"draft/{name}": DAMAGED[name]}))
    for file in (name, "project.zip"):
        with pytest.raises(SourceError, match=rf"^[^\n]*{name}: the document is damaged[^\n]*$"):
            read_manuscript(tmp_path / file)


def test_documents_that_are_older_or_encrypted_are_called_so(tmp_path: Path) -> None:
    (tmp_path / "locked.docx").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600))
    with pytest.raises(SourceError, match=r"locked.docx: .* before 2007, or an encrypted one: save it as .docx"):
        read_manuscript(tmp_path / "locked.docx")


def test_a_document_of_pages_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "thesis.pages").write_bytes(zipped({"Index/Document.iwa": b"\0\1", "preview.jpg": b"\xff\xd8"}))
    with pytest.raises(SourceError, match=r"^[^\n]*thesis.pages: a document of Pages: export it as Word \(.docx\)$"):
        read_manuscript(tmp_path / "thesis.pages")
