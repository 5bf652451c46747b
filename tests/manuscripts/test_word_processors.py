"""Citations of Word and LibreOffice that stand elsewhere than in usual fields."""

import base64
import io
import json
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from archives import zipped
from word_files import (
    ABOVE,
    ZOTERO,
    document_of_libreoffice,
    document_with_citations,
    field,
    mark,
    packed_document,
    paragraph,
    reference_mark,
    run,
)

from citescout.queries import read_queries
from common.errors import SourceError
from manuscripts import read_manuscript
from manuscripts.holding import holds_manuscript
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


def test_citations_of_citavi_are_read() -> None:
    person = {"FirstName": "Ada", "MiddleName": "M.", "LastName": "Roe", "Protected": False}
    work = {
        "Authors": [person],
        "Title": "Of trees",
        "Year": "2001",
        "Periodical": {"Name": "Acta"},
        "Doi": "10.1000/T",
    }
    entries = [{"ReferenceId": "aa-1", "Reference": work}, {"ReferenceId": "aa-2", "Reference": {"Title": "Of graphs"}}]
    packed = base64.b64encode(json.dumps({"Entries": entries, "Text": "(Roe 2001)"}).encode()).decode()
    cited = field(f"ADDIN CitaviPlaceholder{{{packed}}}", "(Roe 2001)")
    made = field("ADDIN CitaviBibliography", "Roe, Ada (2001): Of trees.")
    found = document(run("Trees grow "), cited, run("."), made)
    assert marked(found) == [("Trees grow.", [("aa-1", "aa-2")])]
    assert works(found) == [
        ("aa-1", "Of trees", ("Ada M. Roe",), 2001, "Acta", "10.1000/t"),
        ("aa-2", "Of graphs", (), None, "", ""),
    ]


def test_ids_of_citavi_alone_are_read_by_the_text_and_the_list_that_it_made() -> None:
    packed = base64.b64encode(json.dumps({"Entries": [{"ReferenceId": "aa-1"}]}).encode()).decode()
    cited = field(f"ADDIN CitaviPlaceholder{{{packed}}}", "(Roe 2001)")
    made = field("ADDIN CitaviBibliography", "Roe, A. (2001). Of trees. doi:10.1000/t")
    found = document(run("Trees grow "), cited, run("."), made)
    assert marked(found) == [("Trees grow.", [("Roe 2001",)])]
    assert [entry.readings[0].doi for entry in found.entries] == ["10.1000/t"]


def test_bookmarks_of_zotero_are_citations() -> None:
    value = ZOTERO.removeprefix("ADDIN ")
    pieces = [value[place : place + 255] for place in range(0, len(value), 255)]
    begin = '<w:bookmarkStart w:id="7" w:name="ZOTERO_BREF_abc"/><w:bookmarkStart w:id="8" w:name="other"/>'
    end = '<w:bookmarkEnd w:id="8"/><w:bookmarkEnd w:id="7"/>'
    found = document(run("Trees grow "), begin, run("(Smith)"), end, run("."), properties=[("ZOTERO_BREF_abc", pieces)])
    assert marked(found) == [("Trees grow.", [("AAAA1111", "BBBB2222")])]


SPAN = '<w:bookmarkStart w:id="7" w:name="ZOTERO_BREF_abc"/>'
PAGE = mark("begin") + "<w:r><w:instrText> PAGE </w:instrText></w:r>" + mark("separate")


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        (SPAN, '<w:bookmarkEnd w:id="7"/>'),  # between two paragraphs
        (SPAN, ""),
        (PAGE, ""),
        (mark("begin"), ""),
    ],
    ids=["between paragraphs", "bookmark", "page", "begin"],
)
def test_the_text_behind_a_field_or_bookmark_is_read_wherever_that_ends(begin: str, end: str) -> None:
    made = paragraph("", begin, run("Smith, J. (2019). Trees.")) + end
    body = ABOVE + paragraph("berschrift1", run("References")) + made + paragraph("berschrift1", run("Appendix"))
    body += paragraph("", run("Trees grow "), field(ZOTERO, "(Smith)"), run("."))
    found = read(packed_document(body, properties=[("ZOTERO_BREF_abc", ["ZOTERO_BIBL {} CSL_BIBLIOGRAPHY"])]))
    assert [section.heading for section in found.sections] == ["Abstract", "References", "Appendix"]
    assert marked(found) == [("Trees grow.", [("AAAA1111", "BBBB2222")])]


def test_damaged_data_of_zotero_is_noted() -> None:
    word = document(run("Trees grow "), field(ZOTERO[:-20], "(Smith)"), run(". They stay "), field(ZOTERO, "(Smith)"))
    marks = [reference_mark("", instruction, "") for instruction in (ZOTERO[:-20], ZOTERO)]
    for found in (word, read(document_of_libreoffice("<text:p>Trees grow {}. They stay {}</text:p>".format(*marks)))):
        assert found.unread == ("not read: 1 citation of Zotero, whose data is missing or damaged",)
        assert marked(found) == [("Trees grow (Smith).", []), ("They stay", [("AAAA1111", "BBBB2222")])]


def test_sources_of_word_are_works_whatever_their_kind() -> None:
    sources = (
        "<b:Source><b:Tag>Web1</b:Tag><b:InternetSiteTitle>A hub</b:InternetSiteTitle></b:Source>"
        "<b:Source><b:Tag>WHO</b:Tag><b:Title>On ageing</b:Title><b:PeriodicalTitle>Bulletin</b:PeriodicalTitle>"
        "<b:Author><b:Author><b:Corporate>World Health Organization</b:Corporate></b:Author></b:Author></b:Source>"
    )
    found = document(run("They age"), field(r"CITATION Web1 \m WHO \l 1033", "(WHO)"), run("."), sources=sources)
    assert found.unread == ()
    assert works(found) == [
        ("Web1", "A hub", (), None, "", ""),
        ("WHO", "On ageing", ("World Health Organization",), None, "Bulletin", ""),
    ]


@pytest.mark.parametrize(
    ("before", "behind", "sentences"),
    [
        ("See ", ", p. 12–14.", [("Trees grow.", [("AAAA1111", "BBBB2222")]), ("They stay.", [])]),
        ("So said ", ", who was there.", [("So said, who was there.", [("AAAA1111", "BBBB2222")])]),
    ],
)
def test_a_footnote_that_only_cites_is_a_citation_in_its_place(
    before: str, behind: str, sentences: list[tuple[str, list[tuple[str, ...]]]]
) -> None:
    note = paragraph("", run(before), field(ZOTERO, "Smith"), run(behind))
    reference = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    found = document(run("Trees grow."), reference, run(" They stay."), notes={"2": note})
    assert marked(found) == sentences
    in_text = [("Trees grow.", [("AAAA1111", "BBBB2222")])]
    plain = f"<text:p>Trees grow.{reference_mark('See ', ZOTERO, '.', note=True)}</text:p>"
    assert marked(read(document_of_libreoffice(plain))) == in_text


FOUCAULT = (
    "Michel Foucault, Discipline and Punish: The Birth of the Prison, trans. Alan Sheridan (New York: Vintage, 1977)"
)
LISTED = (
    "Foucault, Michel. Discipline and Punish: The Birth of the Prison. Translated by Alan Sheridan. Vintage, 1977.",
    "———. The Order of Things. London: Tavistock, 1970.",
    "Roe, Ann. The History of Trees, Volume 1. Acta, 1950.",
    "Roe, Ann. The History of Trees, Volume 2. Acta, 1951.",
    "Thompson, E. P. “Time, Work-Discipline, and Capitalism.” Past & Present 38 (1967): 56–97.",
)


@pytest.mark.parametrize(
    ("note", "noted", "cited", "alone"),
    [
        (f"{FOUCAULT}, 195.", True, ["1"], ["1"]),
        ("See also Foucault, The Order of Things, 12.", True, ["2"], []),
        ("Thompson, “Time, Work-Discipline,” 60; cf. Foucault, Order of Things, 3–5.", True, ["5", "2"], []),
        ("Ann Roe, The History of Trees, Volume 2 (Acta, 1951), 7.", True, ["4"], ["1"]),
        ("Doe, Discipline and Punish, 7.", True, [], []),
        ("In Foucault’s day most studies had shown how to discipline and punish.", False, [], []),
    ],
)
def test_a_footnote_that_names_a_work_of_the_list_cites_it_and_is_no_claim(
    note: str, noted: bool, cited: list[str], alone: list[str]
) -> None:
    reference = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    listed = "".join(paragraph("", run(entry)) for entry in LISTED)
    body = paragraph("", run("They stay. Trees grow."), reference, run(" They fall."))
    body = ABOVE + paragraph("berschrift1", run("Introduction")) + body
    for below in (paragraph("berschrift1", run("Bibliography")) + listed, ""):
        found = read(packed_document(body + below, notes={"2": paragraph("", run(note))}))
        text, behind = found.sections[1].paragraphs
        assert [sentence.noted for sentence in text.sentences] == [False, noted, False]
        assert behind.text == note
        assert {sentence.noted for sentence in behind.sentences} == {noted}
        assert [key for one in behind.sentences for mark in one.marks for key in mark.keys] == (
            cited if below else alone
        )
        of_list = [str(number) for number in range(1, len(LISTED) + 1)]
        assert [entry.key for entry in found.entries if entry.key.isdecimal()] == (of_list if below else alone)
    plain = (
        f"<text:p>Trees grow.<text:note><text:note-body><text:p>{note}</text:p></text:note-body></text:note></text:p>"
    )
    assert {one.noted for one in read(document_of_libreoffice(plain)).sections[-1].paragraphs[0].sentences} == {noted}


NOTES = (
    "Ann Doe and Bob Roe, “How Trees Fall in Spring,” Acta 3, no. 1 (2001): 12.",
    "Ibid., 14.",
    "Doe, A. (2001). How trees fall in autumn. Acta, 3. https://doi.org/10.1000/autumn",
    "Poe, “Of Leaves,” 3; Doe and Roe, “How Trees Fall in Spring,” 15.",
    "Ann Doe and Bob Roe, “How Trees Fall in Spring,” Acta 3 (2001): 9; Eva Poe, Of Leaves (Bern: Acta, 1999), 7.",
    "Trees fell in the spring of 2001, too.",
)


@pytest.mark.parametrize("kind", ["footnote", "endnote", "libreoffice"])
@pytest.mark.parametrize(
    "listed", ["", "Doe, Ann, and Bob Roe. “How Trees Fall in Spring.” Acta 3, no. 1 (2001): 1–20."]
)
def test_notes_that_name_works_are_the_bibliography_or_join_it(kind: str, listed: str) -> None:
    if kind == "libreoffice":
        within = "<text:note><text:note-body><text:p>{}</text:p></text:note-body></text:note>"
        below = f'<text:h text:outline-level="1">References</text:h><text:p>{listed}</text:p>' if listed else ""
        body = "".join(f"<text:p>So it is.{within.format(note)}</text:p>" for note in NOTES)
        found = read(document_of_libreoffice(body + below))
    else:
        body = "".join(
            paragraph("", run("So it is."), f'<w:r><w:footnoteReference w:id="{number}"/></w:r>')
            for number in range(len(NOTES))
        )
        below = paragraph("berschrift1", run("References")) + paragraph("", run(listed)) if listed else ""
        notes = {str(number): paragraph("", run(note)) for number, note in enumerate(NOTES)}
        data = packed_document(ABOVE + paragraph("berschrift1", run("Introduction")) + body + below, notes=notes)
        found = read(rewritten(data, "footnote", kind))
    assert [entry.source for entry in found.cited] == [
        listed or NOTES[0],
        NOTES[2],
        "Eva Poe, Of Leaves (Bern: Acta, 1999), 7.",
    ]
    assert [(one.doi, one.title) for one in found.cited[1].readings[:1]] == [("10.1000/autumn", "")]
    assert found.cited[2].readings[0].title == "Of Leaves"
    notes_of_text = [one for one in found.sections[1].paragraphs if one.text != "So it is."]
    assert [one.text for one in notes_of_text] == list(NOTES)
    cited = [{key for one in note.sentences for mark in one.marks for key in mark.keys} for note in notes_of_text]
    assert cited == [{"1"}, set(), {"2"}, {"1", "3"}, {"1", "3"}, set()]


@pytest.mark.parametrize("cites", [True, False])
def test_the_number_of_a_note_that_stands_in_the_text_again_cites_as_the_note_does(cites: bool) -> None:
    name, keys = '"_Ref7"', [("AAAA1111", "BBBB2222")]
    cited = field(ZOTERO, "(Smith)") if cites else run(NOTES[0])
    reference = f'<w:bookmarkStart w:id="4" w:name={name}/><w:r><w:footnoteReference w:id="2"/></w:r>'
    again = field(r"NOTEREF _Ref7 \f \h", "1")
    body = (run("Trees grow."), reference, '<w:bookmarkEnd w:id="4"/>', run(" They stay. They fall."), again)
    found = document(*body, notes={"2": paragraph("", cited)})
    note = f"<text:note-body><text:p>{reference_mark('', ZOTERO, '') if cites else NOTES[0]}</text:p></text:note-body>"
    number = '<text:note-ref text:note-class="footnote" text:ref-name="ftn1">1</text:note-ref>'
    plain = f'Trees grow.<text:note text:id="ftn1">{note}</text:note> They stay. They fall.{number}'
    for one in (found, read(document_of_libreoffice(f"<text:p>{plain}</text:p>"))):
        assert [(sentence.text, sentence.noted) for sentence in one.sections[1].paragraphs[0].sentences] == [
            ("Trees grow.", not cites),
            ("They stay.", False),
            ("They fall.", not cites),
        ]
        assert [mark.keys for mark in one.marks()] == (keys * 2 if cites else [("1",)])


def test_a_sentence_is_known_to_have_a_note_that_cites_among_other_words() -> None:
    reference = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    for cited, noted in ((field(ZOTERO, "Smith"), True), (run("nobody"), False)):
        note = paragraph("", run("So said "), cited, run(", who was there."))
        found = document(run("They stay. Trees grow."), reference, run(" They fall."), notes={"2": note})
        body = found.sections[-1].paragraphs[0].sentences
        assert [(one.text, one.noted, one.marks) for one in body] == [
            ("They stay.", False, ()),
            ("Trees grow.", noted, ()),
            ("They fall.", False, ()),
        ]
    plain = f"<text:p>Trees grow.{reference_mark('So said ', ZOTERO, ', who was there.', note=True)}</text:p>"
    assert [one.noted for one in read(document_of_libreoffice(plain)).sections[-1].paragraphs[0].sentences] == [True]


def test_a_document_of_libreoffice_is_read_as_one_of_word() -> None:
    own = (
        '<text:bibliography-mark text:identifier="rob09" text:author="Robertson, Stephen; Zaragoza, Hugo" '
        'text:year="2009" text:title="Of relevance" text:journal="Trends">[rob09]</text:bibliography-mark>'
    )
    body = (
        "<text:tracked-changes><text:deletion><text:p>Deleted</text:p></text:deletion></text:tracked-changes>"
        f"<text:p>Trees <text:span>grow</text:span><text:s/>{reference_mark('', ZOTERO, '')}.<office:annotation>"
        f"<text:p>A comment</text:p></office:annotation> So do others {own}.</text:p>"
        '<text:section text:name=" ZOTERO_BIBL {} CSL_BIBLIOGRAPHY RNDx"><text:p>Smith. Trees.</text:p></text:section>'
    )
    found = read(document_of_libreoffice(body))
    assert (found.title, found.abstract) == ("A title", "We write.")
    assert [(section.heading, section.level) for section in found.sections] == [("Abstract", 1), ("Introduction", 2)]
    assert marked(found) == [("Trees grow.", [("AAAA1111", "BBBB2222")]), ("So do others.", [("rob09",)])]
    assert works(found)[-1] == ("rob09", "Of relevance", ("Stephen Robertson", "Hugo Zaragoza"), 2009, "Trends", "")
    assert found.unread == ()


def test_a_bookmark_of_zotero_in_libreoffice_and_a_typed_list() -> None:
    begin, end = (f'<text:bookmark-{kind} text:name="ZOTERO_BREF_abc"/>' for kind in ("start", "end"))
    value = ZOTERO.removeprefix("ADDIN ")
    found = read(document_of_libreoffice(f"<text:p>So {begin}(Smith){end}.</text:p>", [("ZOTERO_BREF_abc_1", value)]))
    assert marked(found) == [("So.", [("AAAA1111", "BBBB2222")])]
    listed = (
        '<text:h text:outline-level="1">References</text:h><text:p>Roe, A. (2001). Of trees. doi:10.1000/t</text:p>'
    )
    found = read(document_of_libreoffice(f"<text:p>So (Roe 2001).</text:p>{listed}"))
    assert [entry.readings[0].doi for entry in found.entries] == ["10.1000/t"]


TYPED = (
    "Smith, J. (2019). Trees & graphs. Acta, 1. https://doi.org/10.1000/trees",
    "Roe, A. (2001). Of leaves. Acta, 2.",
    "Poe, E. (2003). Of falls. Acta, 4.",
)


@pytest.mark.parametrize("kind", ["word", "libreoffice"])
@pytest.mark.parametrize("typed", [" (Roe, 2001)", ""])
def test_a_field_of_a_reference_manager_leaves_what_is_typed_beside_it(kind: str, typed: str) -> None:
    if kind == "word":
        body = paragraph("", run("Trees grow "), field(ZOTERO, "(Smith)"), run(f". They stay{typed}."))
        listed = "".join(paragraph("", run(line)) for line in ("References", *TYPED))
        found = read(packed_document(ABOVE + paragraph("berschrift1", run("Introduction")) + body + listed))
    else:
        body = f"<text:p>Trees grow {reference_mark('', ZOTERO, '')}. They stay{typed}.</text:p>"
        listed = "".join(f"<text:p>{escape(line)}</text:p>" for line in ("References", *TYPED))
        found = read(document_of_libreoffice(body + listed))
    zotero = ("AAAA1111", "BBBB2222")
    assert [mark.keys for mark in found.marks()] == [zotero, *([("Roe 2001",)] if typed else [])]
    # A list that the text does not cite may be one that the manager made, and says nothing that its fields do not.
    assert [entry.key for entry in found.cited] == [*zotero, *(["Roe 2001", "3"] if typed else [])]


@pytest.mark.parametrize(
    ("mark", "text", "listed", "key"),
    [
        ("JR_cite_1_Roe2001", "[1]", "[1] Roe, A. Of trees. Acta 2001.", "1"),
        ("JABREF_Roe2001 CID_1 abc", "(Roe 2001)", "Roe, A. (2001). Of trees. Acta.", "Roe 2001"),
        ("JR_cite_1_Roe2001", "[Roe01]", "[Roe01] Roe, A. Of trees. Acta 2001.", "Roe01"),
    ],
)
def test_marks_of_jabref_are_read_as_they_are_typed(mark: str, text: str, listed: str, key: str) -> None:
    begin, end = (f'<text:reference-mark-{kind} text:name="{mark}"/>' for kind in ("start", "end"))
    made = f'<text:h text:outline-level="1">References</text:h><text:p>{listed}</text:p>'
    found = read(document_of_libreoffice(f"<text:p>So {begin}{text}{end}.</text:p><text:section>{made}</text:section>"))
    assert [cited.keys for cited in found.marks()] == [(key,)]
    assert [(entry.key, entry.source) for entry in found.entries] == [(key, listed.removeprefix(f"[{key}] "))]


def test_a_list_may_name_a_work_twice_and_more_than_five_hundred() -> None:
    names = [f"Roe, A. Of trees of kind {number}. Acta 2001." for number in range(600)]
    lines = "".join(paragraph("", run(name)) for name in (*names[:2], names[1], *names[2:]))
    text = paragraph("", run("Trees grow [4]. They fall [601].")) + paragraph("berschrift1", run("References"))
    found = read(packed_document(ABOVE + paragraph("berschrift1", run("Introduction")) + text + lines))
    assert [entry.source for entry in found.entries if entry.key in {"4", "601"}] == [names[2], names[-1]]


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


def rewritten(data: bytes, *change: str) -> bytes:
    """A document in which the first of two texts is the second, in names of parts and in what they hold."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as whole, zipfile.ZipFile(stream, "w") as archive:
        for member in whole.infolist():
            archive.writestr(member.filename.replace(*change), whole.read(member).decode().replace(*change))
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


def test_a_table_of_contents_of_word_is_no_text_and_equations_and_symbols_are() -> None:
    begin = mark("begin") + '<w:r><w:instrText> TOC \\o "1-3" </w:instrText></w:r>' + mark("separate")
    contents = paragraph("", begin, run("1 Of trees"), field("PAGEREF _Toc1", "3"))
    contents += paragraph("", run("2 Of graphs"), mark("end"))
    greek = '<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F061"/></w:r>'
    math = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    note = field(r"NOTEREF _Ref1 \f \h", "1")
    power = "<m:sSup><m:e><m:r><m:t>10</m:t></m:r></m:e><m:sup><m:r><m:t>3</m:t></m:r></m:sup></m:sSup>"
    summed = "<m:nary><m:sub/><m:sup/><m:e><m:r><m:t>β=2·</m:t></m:r></m:e></m:nary>"
    equation = f"<m:oMath {math}>{summed}{power}</m:oMath>"
    body = paragraph("", run("TNF-"), greek, run(" rose"), note, run(" with "), equation)
    found = read(packed_document(contents + ABOVE + paragraph("berschrift1", run("Introduction")) + body))
    assert (found.title, found.abstract) == ("A title", "We write.")
    assert [sentence.text for sentence in found.sentences()] == ["We write.", "TNF-α rose with β=2·10^3"]


def test_what_libreoffice_does_not_show_is_no_text() -> None:
    picture = (
        '<draw:frame xmlns:draw="urn:d" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0">'
        "<svg:title>Map</svg:title><svg:desc>A picture of a map.</svg:desc></draw:frame>"
    )
    ruby = "<text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text></text:ruby>"
    hidden = '<text:span text:style-name="T9">secret </text:span>'
    hidden += '<text:hidden-text text:is-hidden="true">none </text:hidden-text>'
    note = '<text:note-ref text:note-class="footnote" text:ref-name="ftn1">1</text:note-ref>'
    section = '<text:section text:display="none"><text:p>An older text.</text:p></text:section>'
    found = read(document_of_libreoffice(f"<text:p>See {picture}{ruby}{note}, {hidden}a city.</text:p>{section}"))
    assert [sentence.text for sentence in found.sentences()] == ["We write.", "See 東京, a city."]
