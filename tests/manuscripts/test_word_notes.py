"""Footnotes and endnotes of Word and LibreOffice that cite, or that name a work in words."""

import pytest
from word_documents import document, marked, rewritten
from word_files import ABOVE, ZOTERO, document_of_libreoffice, field, packed_document, paragraph, reference_mark, run

from manuscripts.reading import read


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
    "—. The Order of Things. London: Tavistock, 1970.",
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
        ("Ibid., 14.", True, [], []),
        ("See id. at 14.", True, [], []),
        ("But see Foucault, supra note 1, at 12.", True, [], []),
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


def test_endnotes_as_medicine_prints_them_are_the_works_of_whomever() -> None:
    notes = (
        "Garcia-Lopez M, van der Berg P, et al. Of trees after storms. Acta. 2018;391(10120):451-60.",
        "National Institute for Trees (NIT). Trees in adults: diagnosis and management. London: NIT; 2019.",
        "The ROOTS Research Group. A trial of trees. N Engl J Trees 2015;373:2103-16.",
        "Quoted in Ann Doe, “Of Storms,” in Of Winds, ed. Jo Roe (Bern: Acta, 1999), 289.",
        "However, trees fell in 2015; they fell in 2016.",
    )
    marks = [f'<w:r><w:endnoteReference w:id="{number}"/></w:r>' for number in range(len(notes))]
    body = ABOVE + paragraph("berschrift1", run("Introduction")) + paragraph("", run("So it is."), *marks)
    given = {str(number): paragraph("", run(note)) for number, note in enumerate(notes)}
    found = read(rewritten(packed_document(body, notes=given), "footnote", "endnote"))
    assert [entry.source for entry in found.entries] == [*notes[:3], notes[3].removeprefix("Quoted in ")]


@pytest.mark.parametrize(
    "note",
    [
        "Rappelons, de plus, que la loi de 2001 y a mis fin.",
        "Zie, op dit punt, het rapport van 2003 over bomen.",
        "Doe, der Begründer der Lehre von den Bäumen, starb 1920.",
        "Hier, zum Beispiel, fielen 2001 die Bäume.",
    ],
)
def test_a_particle_behind_the_first_comma_of_a_sentence_begins_no_name(note: str) -> None:
    body = paragraph("", run("So it is."), '<w:r><w:footnoteReference w:id="1"/></w:r>')
    found = read(packed_document(ABOVE + body, notes={"1": paragraph("", run(note))}))
    assert note in [one.text for section in found.sections for one in section.paragraphs]
    assert not found.printed


@pytest.mark.parametrize(
    ("note", "cited"),
    [
        ("Vgl. Thompson (1967), S. 56 f.", ["Thompson 1967"]),
        ("Thompson 1967, 56–97.", ["Thompson 1967"]),
        ("See Roe, 1951, p. 7; Thompson (1967: 60).", ["Roe 1951", "Thompson 1967"]),
        ("Thompson, E. P. (1967), p. 3; Nobody 1999.", ["Thompson 1967", "Nobody 1999"]),
        ("Ann Roe, Of the Fall of Trees, Bern 2007; Roe 1950, 3.", ["6", "Roe 1950"]),
    ],
)
def test_a_footnote_of_names_and_years_cites_the_list_and_is_no_work(note: str, cited: list[str]) -> None:
    listed = "".join(paragraph("", run(entry)) for entry in LISTED)
    references = [f'<w:r><w:footnoteReference w:id="{number}"/></w:r>' for number in (2, 3)]
    body = paragraph("", run("Trees grow."), references[0]) + paragraph("", run("They fall."), references[1])
    body = ABOVE + paragraph("berschrift1", run("Introduction")) + body
    list_below = paragraph("berschrift1", run("Bibliography")) + listed
    notes = {"2": paragraph("", run(note)), "3": paragraph("", run("Roe 1950; Foucault 1977, 4."))}
    found = read(packed_document(body + list_below, notes=notes))
    assert all(one.noted for paragraph in found.sections[1].paragraphs for one in paragraph.sentences)
    first = found.sections[1].paragraphs[1]
    assert first.text == note
    assert {key for one in first.sentences for mark in one.marks for key in mark.keys} == {*cited}
    assert len(found.entries) == len(LISTED) + ("6" in cited)


@pytest.mark.parametrize(
    ("note", "cited"),
    [
        ("Ann Doe et al., “How Trees Fall in Spring,” Acta 3, no. 1 (2001): 12.", ["1"]),
        ("Doe et al., “How Trees Fall in Spring.”", ["1"]),
        ("E.g., Doe et al., “How Trees Fall”; van Roe and Çelik, “Of the Growth of Trees,” 12.", ["1", "2"]),
        ("Van Roe and Çelik, “Of the Growth of Trees”", ["2"]),
        ("Doe called this “How Trees Fall in Spring.”", []),
    ],
)
def test_a_footnote_names_a_work_of_many_authors_by_the_first_and_needs_no_page(note: str, cited: list[str]) -> None:
    people = "Doe, Ann, Bob Poe, Cy Lee, Di Fox, and Ed May"
    listed = (
        f"{people}. “How Trees Fall in Spring.” Acta 3, no. 1 (2001): 1–20.",
        "Roe, Eva van, and Élodie Çelik. “Of the Growth of Trees.” Acta 4 (2002): 1–9.",
    )
    below = paragraph("berschrift1", run("Bibliography")) + "".join(paragraph("", run(entry)) for entry in listed)
    body = paragraph("", run("Trees grow."), '<w:r><w:footnoteReference w:id="2"/></w:r>')
    body = ABOVE + paragraph("berschrift1", run("Introduction")) + body + below
    found = read(packed_document(body, notes={"2": paragraph("", run(note))}))
    text, behind = found.sections[1].paragraphs
    assert {one.noted for one in text.sentences} == {one.noted for one in behind.sentences} == {bool(cited)}
    assert [key for one in behind.sentences for mark in one.marks for key in mark.keys] == cited
    assert [entry.source for entry in found.entries] == [*listed]


@pytest.mark.parametrize(
    ("note", "noted"),
    [
        ("“How Trees Fall in Spring.”", True),
        ("See “How Trees Fall in Spring,” 12–13.", True),
        ("“How trees fall” was never asked.", False),
    ],
)
def test_a_footnote_may_be_the_title_of_a_work_alone_whose_author_the_sentence_names(note: str, noted: bool) -> None:
    body = paragraph("", run("Trees grow, says Doe."), '<w:r><w:footnoteReference w:id="2"/></w:r>')
    body = ABOVE + paragraph("berschrift1", run("Introduction")) + body
    found = read(packed_document(body, notes={"2": paragraph("", run(note))}))
    assert found.sections[1].paragraphs[0].sentences[0].noted == noted
