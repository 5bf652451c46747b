"""Citations of Word and LibreOffice that stand elsewhere than in usual fields."""

import base64
import json
import zlib
from xml.sax.saxutils import escape, quoteattr

import pytest
from word_documents import document, marked, works
from word_files import (
    ABOVE,
    ENDNOTE,
    ZOTERO,
    document_of_libreoffice,
    field,
    mark,
    packed_document,
    paragraph,
    reference_mark,
    run,
    style,
)

from manuscripts.reading import read


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


def of_paperpile(*works: dict[str, object]) -> str:
    packed = base64.b64encode(zlib.compress(json.dumps(works).encode())).decode()
    return f"ADDIN paperpile_citation <clusterId>X1</clusterId><data>{packed}</data> \\* MERGEFORMAT"


def test_citations_of_paperpile_are_read() -> None:
    people = [{"last": "Roe", "first": "Ada"}, {"collective": "Board of Trees"}]
    published = {"year": "2001", "month": "3"}
    tree = {"_id": "f-1", "citekey": "Roe2001-ab", "title": "Of trees", "author": people, "published": published}
    cited = field(
        of_paperpile({**tree, "journal": "Acta", "doi": "10.1000/T"}, {"_id": "f-2", "title": "Of graphs"}), "¹"
    )
    made = field("ADDIN paperpile_bibliography <pp-bibliography/>", "1. Roe, A. Of trees. Acta (2001).")
    found = document(run("Trees grow"), cited, run("."), made)
    assert marked(found) == [("Trees grow.", [("Roe2001-ab", "f-2")])]
    assert works(found) == [
        ("Roe2001-ab", "Of trees", ("Ada Roe", "{Board of Trees}"), 2001, "Acta", "10.1000/t"),
        ("f-2", "Of graphs", (), None, "", ""),
    ]


@pytest.mark.parametrize("data", ["", "AAAA", base64.b64encode(zlib.compress(b"[{")[:-3]).decode()])
def test_damaged_data_of_paperpile_is_noted_and_the_list_that_it_made_read(data: str) -> None:
    cited = field(f"ADDIN paperpile_citation <data>{data}</data>", "(Roe 2001)")
    found = document(run("Trees grow "), cited, field("ADDIN paperpile_bibliography <x/>", "Roe, A. (2001). Of trees."))
    assert marked(found) == [("Trees grow", [("Roe 2001",)])]
    assert found.unread == ("not read: 1 citation of Paperpile, whose data is missing or damaged",)


def test_the_list_that_was_made_tells_what_the_citations_without_data_cite() -> None:
    made = mark("begin") + "<w:r><w:instrText> ADDIN EN.REFLIST </w:instrText></w:r>" + mark("separate")
    listed = ("Doe A. Ends & notes. Acta 2011. doi:10.1000/end", "Roe A. Of trees. Acta 2001.")
    body = ABOVE + paragraph("berschrift1", run("Introduction"))
    lost = field("ADDIN EN.CITE", "[1, 2]")  # as LibreOffice saves it
    body += paragraph("", run("Trees grow "), lost, run(". Notes end "), field(ENDNOTE, "[1]"), run("."))
    body += paragraph("", made, run(f"1.\t{listed[0]}")) + paragraph("", run(f"2.\t{listed[1]}"), mark("end"))
    found = read(packed_document(body))
    assert marked(found) == [("Trees grow.", [("Doe2011#7", "2")]), ("Notes end.", [("Doe2011#7",)])]
    assert found.unread == ("not read: 1 citation of EndNote, whose data is missing or damaged",)


def test_a_list_in_a_field_of_any_name_has_an_entry_a_paragraph() -> None:
    begin = mark("begin") + "<w:r><w:instrText> ADDIN Unknown.List </w:instrText></w:r>" + mark("separate")
    made = paragraph("", begin, run("Roe, A. (2001). Of trees.")) + paragraph("", run("Doe, B. (2002). Of graphs."))
    body = ABOVE + paragraph("berschrift1", run("Introduction"))
    body += paragraph("", run("Trees grow "), field("ADDIN Unknown.Cite", "(Roe, 2001; Doe, 2002)"), run("."))
    found = read(
        packed_document(body + paragraph("berschrift1", run("References")) + made + paragraph("", mark("end")))
    )
    assert [entry.source for entry in found.cited] == ["Roe, A. (2001). Of trees.", "Doe, B. (2002). Of graphs."]
    assert found.keys == ("Roe 2001", "Doe 2002")


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


def test_fields_of_word_are_citations_in_a_document_of_libreoffice() -> None:
    begin = (
        '<field:fieldmark-start text:name="Bookmark" field:type="vnd.oasis.opendocument.field.UNHANDLED">'
        f'<field:param field:name="vnd.oasis.opendocument.field.code" field:value={quoteattr(ZOTERO)}/>'
    )
    cited = f"{begin}</field:fieldmark-start>(<text:span>Smith)</text:span><field:fieldmark-end/>"
    found = read(document_of_libreoffice(f"<text:p>Trees grow {cited}. They stay.</text:p>"))
    assert marked(found) == [("Trees grow.", [("AAAA1111", "BBBB2222")]), ("They stay.", [])]


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


def test_a_work_without_a_title_is_known_by_its_doi() -> None:
    source = "<b:Source><b:Tag>roe01</b:Tag><b:Year>2001</b:Year><b:DOI>10.1000/roe</b:DOI></b:Source>"
    of_word = document(run("They age"), field(r"CITATION roe01 \l 1033", "(Roe)"), run("."), sources=source)
    of_endnote = document(
        run("They age"), field(ENDNOTE.replace("<title>", "<x>").replace("</title>", "</x>"), "(Doe)")
    )
    own = '<text:bibliography-mark text:identifier="roe01" text:url="https://doi.org/10.1000/roe">[1]'
    of_libreoffice = read(document_of_libreoffice(f"<text:p>They age {own}</text:bibliography-mark>.</text:p>"))
    for found, name in ((of_word, "10.1000/roe"), (of_endnote, "10.1000/end"), (of_libreoffice, "10.1000/roe")):
        ((paper,),) = (entry.readings for entry in found.cited)
        assert (paper.title, paper.doi) == ("", name)


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


def test_a_paragraph_whose_end_is_deleted_goes_on_in_the_next_one() -> None:
    style = '<w:pStyle w:val="berschrift1"/>'
    deleted = '<w:rPr><w:del w:id="1" w:author="A"/></w:rPr>'
    body = (
        paragraph("Titel", run("Tracked")),
        f"<w:p><w:pPr>{style}{deleted}</w:pPr>{run('Ants are ')}</w:p>",
        f"<w:p><w:pPr>{deleted}</w:pPr></w:p>",
        paragraph("", run("many.")),
        f"<w:p><w:pPr>{deleted}</w:pPr>{run('The last one.')}</w:p>",
    )
    found = read(packed_document("".join(body)))
    assert [text.text for part in found.sections for text in part.paragraphs] == ["Ants are many.", "The last one."]


def test_hidden_text_of_word_is_not_read_and_hidden_codes_of_fields_are() -> None:
    hide = "<w:rPr><w:vanish/></w:rPr>"
    styled, shown = (
        '<w:rPr><w:rStyle w:val="mt"/></w:rPr>',
        '<w:rPr><w:rStyle w:val="mt"/><w:vanish w:val="0"/></w:rPr>',
    )

    def looking(look: str, text: str) -> str:
        return run(text).replace("<w:r>", f"<w:r>{look}")

    mt = style("mt", "MTEquationSection").replace("</w:style>", f"{hide}</w:style>")
    cited = field(ZOTERO, "(Smith, 2019)").replace("<w:r>", f"<w:r>{hide}")
    text = (
        run("Ants "),
        looking(hide, "TODO "),
        looking(styled, "Section 1"),
        looking(shown, "build"),
        cited,
        run("."),
    )
    body = (paragraph("title", run("Ants")), paragraph("", looking(hide, "Aside.")), paragraph("", *text))
    found = read(packed_document("".join(body), styles=style("title", "Title") + mt))
    (sentence,) = found.sentences()
    assert (sentence.text, len(sentence.marks), len(found.cited)) == ("Ants build.", 1, 2)
