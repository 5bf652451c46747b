"""Citations of EndNote in documents of Word."""

from base64 import b64encode

import pytest
from word_files import ENDNOTE_XML, endnote_field, mark, packed_document, paragraph, run

from manuscripts import read_manuscript


def base64(data: bytes) -> str:
    return b64encode(data).decode()


LONG = ENDNOTE_XML.replace("Ends", "Ünds" + " and ends" * 20).encode()
CUT = LONG.index("Ü".encode()) + 1  # within a character
WHOLE, FIRST, LAST = base64(LONG + bytes(2)), base64(LONG[:CUT]), base64(LONG[CUT:] + bytes(1))
MADE = "<w:r><w:instrText>ADDIN EN.REFLIST</w:instrText></w:r>"
LIST_OF_ENDNOTE = (
    paragraph("berschrift1", run("References")),
    paragraph("", mark("begin"), MADE, mark("separate"), run("Doe, J. (2011). Ends and notes. 10.1000/printed")),
    paragraph("", run("Another of several words."), mark("end")),
)


@pytest.mark.parametrize(
    ("own", "nested"),
    [(WHOLE, [WHOLE]), (WHOLE, []), ("", [WHOLE]), (LAST, [FIRST, LAST]), (FIRST, [LAST])],
    ids=["both", "own", "nested", "in pieces", "goes on"],
)
def test_a_citation_of_endnote_is_read_from_the_data_of_its_fields_once(own: str, nested: list[str]) -> None:
    cited = paragraph("", run("Many say so "), endnote_field(own, nested, "(Doe 2011)"), run("."))
    found = read_manuscript(packed_document(paragraph("Titel", run("Data")) + cited + "".join(LIST_OF_ENDNOTE)))
    assert [sentence.with_marks() for sentence in found.sentences()] == ["Many say so [CITATION]."]
    assert [sentence.marks[0].keys for sentence in found.sentences()] == [("Doe2011#7",)]
    assert [(entry.readings[0].title[:8], entry.readings[0].doi) for entry in found.cited] == [
        ("Ünds and", "10.1000/end")
    ]
    assert found.unread == ()


BILLION = '<!DOCTYPE EndNote [<!ENTITY a "aaaa">]><EndNote><Cite><Author>&a;</Author></Cite></EndNote>'


@pytest.mark.parametrize(
    "data", ["", "no base64 é", "AAA", FIRST, base64(b"<EndNote><Cite></EndNote>"), base64(BILLION.encode())]
)
def test_damaged_data_of_endnote_is_noted_and_the_printed_list_is_read(data: str) -> None:
    cited = paragraph("", run("Many say so "), endnote_field(data, [data], "(Doe 2011)"), run("."))
    found = read_manuscript(packed_document(paragraph("Titel", run("Data")) + cited + "".join(LIST_OF_ENDNOTE)))
    assert found.unread == ("not read: 1 citation of EndNote, whose data is missing or damaged",)
    assert [(sentence.text, sentence.marks[0].keys) for sentence in found.sentences()] == [
        ("Many say so.", ("Doe 2011",))
    ]
    assert [entry.key for entry in found.entries] == ["Doe 2011", "2"]
    assert [entry.readings[0].doi for entry in found.entries] == ["10.1000/printed", ""]
