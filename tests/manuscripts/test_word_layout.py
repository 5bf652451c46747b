"""Headings, titles, abstracts and typed lists of Word and LibreOffice: by styles, by bold type, by what they say."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

import pytest
from word_files import (
    ABOVE,
    bold,
    control,
    document_of_libreoffice,
    packed_document,
    paragraph,
    run,
    style,
)

from manuscripts.manuscript import Manuscript
from manuscripts.reading import read

RAISED_LIST = ("Roe, A. Of trees. Acta 2001;3:1-9.", "Doe, B. Of graphs. Acta 2002.", "Poe, E. Of falls. Acta 2003.")


@pytest.mark.parametrize("kind", ["word", "by style", "libreoffice"])
def test_superscript_numbers_cite_the_entries_of_a_typed_list(kind: str) -> None:
    # An odd piece is a superscript.
    lines = (
        ("Ann Roe", "1", ", Ben Doe", "2"),
        (
            "Trees grow",
            "1,",
            "",
            "3",
            ". Graphs do as well.",
            "1–3",
            " One fills 3 m",
            "2",
            " in the 19",
            "th",
            " year.",
        ),
        ("They fall", "2", "."),
    )
    if kind != "libreoffice":
        look = '<w:rStyle w:val="Raised"/>' if kind == "by style" else '<w:vertAlign w:val="superscript"/>'

        def raised(text: str) -> str:
            return f"<w:r><w:rPr>{look}</w:rPr><w:t>{text}</w:t></w:r>"

        body = (
            paragraph("", *(raised(text) if place % 2 else run(text) for place, text in enumerate(line)))
            for line in lines
        )
        listed = (paragraph("berschrift1", run("References")), *(paragraph("", run(line)) for line in RAISED_LIST))
        above = ABOVE + paragraph("berschrift1", run("Introduction"))
        found = read(packed_document("".join((above, *body, *listed))))
    else:
        texts = (
            "".join(
                f'<text:span text:style-name="T7">{text}</text:span>' if place % 2 else text
                for place, text in enumerate(line)
            )
            for line in lines
        )
        paragraphs = "".join(f"<text:p>{text}</text:p>" for text in (*texts, "References", *RAISED_LIST))
        found = read(document_of_libreoffice(paragraphs))
    body_of = [[(one.text, [mark.keys for mark in one.marks]) for one in paragraph.sentences]
               for section in found.sections for paragraph in section.paragraphs][-3:]  # fmt: skip
    assert body_of == [
        [("Ann Roe¹, Ben Doe²", [])],
        [
            ("Trees grow.", [("1", "3")]),
            ("Graphs do as well.", [("1", "2", "3")]),
            ("One fills 3 m² in the 19th year.", []),
        ],
        [("They fall.", [("2",)])],
    ]
    assert [entry.key for entry in found.entries] == ["1", "2", "3"]


NAMED_LIST = (
    "Roe, A. (2001). Of trees.",
    "Doe, B., & Poe, E. (2002). Of graphs. Acta, 3.",
    "Poe, E. (2003). Of falls. Acta, 4.",
)


@pytest.mark.parametrize("kind", ["word", "libreoffice"])
@pytest.mark.parametrize(
    ("lines", "cited", "keys"),
    [
        ([f"[{number}] {line}" for number, line in enumerate(RAISED_LIST, start=1)], "[1, 3]", ("1", "3")),
        (NAMED_LIST, "(Roe, 2001; Poe, 2003)", ("Roe 2001", "Poe 2003")),
    ],
)
def test_lines_of_one_paragraph_are_entries_of_a_list_that_was_pasted(
    kind: str, lines: Sequence[str], cited: str, keys: tuple[str, ...]
) -> None:
    texts = (f"Trees grow {cited}.", "References")
    if kind == "word":
        above = ABOVE + paragraph("berschrift1", run("Introduction"))
        pasted = paragraph("", "<w:r><w:br/></w:r>".join(map(run, lines)))
        found = read(packed_document(above + "".join(paragraph("", run(text)) for text in texts) + pasted))
    else:
        pasted = f"<text:p>{'<text:line-break/>'.join(map(escape, lines))}</text:p>"
        found = read(document_of_libreoffice("".join(f"<text:p>{text}</text:p>" for text in texts) + pasted))
    assert [mark.keys for mark in found.marks()] == [keys]
    assert [entry.source for entry in found.entries] == [line.split("] ")[-1] for line in lines]


def test_an_entry_may_break_within_its_paragraph() -> None:
    lines = ("[1] Roe, A. Of trees. Acta 2001.", "[2] Doe, B. Of graphs.", "[3] Poe, E. Of falls. Acta 2003.")
    listed = [paragraph("", run(line)) for line in lines]
    listed[1] = paragraph("", run(lines[1]), "<w:r><w:br/></w:r>", run("Roe Press, Oxford, 2002."))
    text = paragraph("", run("Trees"), "<w:r><w:br/></w:r>", run("grow [2, 3].")) + paragraph("", run("References"))
    found = read(packed_document(ABOVE + paragraph("berschrift1", run("Introduction")) + text + "".join(listed)))
    assert [entry.source for entry in found.entries][1:] == [
        "Doe, B. Of graphs. Roe Press, Oxford, 2002.",
        "Poe, E. Of falls. Acta 2003.",
    ]
    assert "Trees grow." in {sentence.text for sentence in found.sentences()}


# A piece between bars is in bold.
IN_BOLD = """
|A study of trees|
|Abstract|
Trees grow.
|Why |trees?
|Background and aims|
Roots are old (Roe, 2001).
|We counted all of them.|
|Table 1: Trees|
|Literature|
|Of trees:|
Roe, A. (2001). Of trees. Acta, 1.
|Of graphs|
Doe, B., & Poe, E. (2002). Of graphs. Acta, 3.
|Acknowledgements|
We thank all.
"""


def in_bold(lines: str, cells: Sequence[str] = (), of_word: bool = True) -> Manuscript:
    parted = [line.split("|") for line in lines.strip().splitlines()]
    if of_word:
        made = (
            paragraph("", *(bold(piece) if place % 2 else run(piece) for place, piece in enumerate(line) if piece))
            for line in parted
        )
        table = "".join(f"<w:tc>{paragraph('', bold(cell))}</w:tc>" for cell in cells)
        return read(packed_document("".join(made) + (f"<w:tbl><w:tr>{table}</w:tr></w:tbl>" if cells else "")))
    spans = (
        "".join(
            escape(piece) if place % 2 else f'<text:span text:style-name="T8">{escape(piece)}</text:span>'
            for place, piece in enumerate(line)
            if piece
        )
        for line in parted
    )
    made = (f'<text:p text:style-name="P8">{line}</text:p>' for line in spans)
    row = "".join(f'<table:cell><text:p text:style-name="P8">{cell}</text:p></table:cell>' for cell in cells)
    return read(document_of_libreoffice("".join(made) + f"<table:table>{row}</table:table>"))


@pytest.mark.parametrize("of_word", [True, False])
def test_short_lines_in_bold_are_headings(of_word: bool) -> None:
    found = in_bold(IN_BOLD, ("Tree", "Age"), of_word)
    assert [entry.source for entry in found.entries] == [
        "Roe, A. (2001). Of trees. Acta, 1.",
        "Doe, B., & Poe, E. (2002). Of graphs. Acta, 3.",
    ]
    assert [(part.heading, [text.text for text in part.paragraphs]) for part in found.sections[-4:]] == [
        ("Abstract", ["Trees grow.", "Why trees?"]),
        ("Background and aims", ["Roots are old.", "We counted all of them.", "Table 1: Trees"]),
        ("Literature", []),
        ("Acknowledgements", ["We thank all.", "Tree", "Age"]),
    ]
    assert found.keys == ("Roe 2001",)
    if of_word:
        assert (found.title, found.abstract) == ("A study of trees", "Trees grow.\n\nWhy trees?")


@pytest.mark.parametrize("heading", ["ABSTRACT", "A B S T R A C T"])
def test_an_abstract_beside_what_is_said_of_the_article_is_read_by_columns(heading: str) -> None:
    rows = (("ARTICLE INFO", "", heading), ("Article history:|Keywords:|Trees", "", "We ask why trees grow.|So."))
    of_word, of_libreoffice = (
        "".join(
            row.format("".join(cell.format("".join(map(one, text.split("|")))) for text in texts)) for texts in rows
        )
        for row, cell, one in (
            ("<w:tr><w:trPr/>{}</w:tr>", "<w:tc>{}</w:tc>", lambda text: paragraph("", run(text))),
            (
                "<table:table-row>{}</table:table-row>",
                "<table:table-cell>{}</table:table-cell>",
                "<text:p>{}</text:p>".format,
            ),
        )
    )
    found = read(packed_document(paragraph("", run("On trees")) + f"<w:tbl><w:tblPr/>{of_word}</w:tbl>"))
    assert (found.title, found.abstract) == ("On trees", "We ask why trees grow.\n\nSo.")
    other = read(document_of_libreoffice(f"<table:table>{of_libreoffice}</table:table>"))
    for one in (found, other):
        assert [sentence.text for sentence in one.sentences()][-3:] == ["Trees", "We ask why trees grow.", "So."]


def test_parts_of_an_abstract_may_have_headings_in_bold() -> None:
    found = in_bold("|Trees|\n|Abstract|\n|Aims|\nWe ask.\n|Results|\nThey grow.\n|1 Introduction|\nTrees!")
    assert found.abstract == "We ask.\n\nThey grow."
    assert found.sections[-1].heading == "1 Introduction"
    parts = (
        "Design/methodology/approach",
        "Design, Setting, and Participants",
        "Practical implications",
        "Key Results",
    )
    above = "|Trees|\n|Abstract|\n|Background|\nWe ask.\n" + "".join(f"|{part}|\nWe see.\n" for part in parts)
    found = in_bold(f"{above}|Study area|\nA valley.\n|Data and sources|\nWe dig.")
    assert found.abstract == "\n\n".join(["We ask.", *["We see."] * len(parts)])
    assert [(part.heading, [text.text for text in part.paragraphs]) for part in found.sections[-2:]] == [
        ("Study area", ["A valley."]),
        ("Data and sources", ["We dig."]),
    ]


def test_a_paragraph_of_word_with_a_level_in_the_outline_is_a_heading() -> None:
    level = '<w:pPr>{}<w:outlineLvl w:val="{}"/></w:pPr>'
    of_title = '<w:pStyle w:val="Titel"/>'
    title = f"<w:p>{level.format(of_title, 0)}{run('Trees')}</w:p>"
    lines = (("Growth", 0), ("Roots", 1), ("They grow.", 9))
    body = "".join(f"<w:p>{level.format('', number)}{run(text)}</w:p>" for text, number in lines)
    found = read(packed_document(title + body))
    assert found.title == "Trees"
    assert [(part.heading, part.level) for part in found.sections] == [("Growth", 1), ("Roots", 2)]
    assert [sentence.text for sentence in found.sentences()] == ["They grow."]


BY_CUSTOM_MARK = '<w:r><w:footnoteReference w:customMarkFollows="1" w:id="2"/><w:t>*</w:t></w:r>'
PLACEHOLDER = control("<w:showingPlcHdr/>", run("[Document title]"))


@pytest.mark.parametrize(
    "above",
    [
        paragraph("Titel", run("Seeing change:")) + paragraph("Titel", run("Of growing trees")),
        paragraph("Titel", run("Seeing change: Of growing trees"))
        + paragraph("Titel", run("Anna Smith and Robert Jones")),
        paragraph("Titel", run("Seeing change: Of growing trees"), BY_CUSTOM_MARK),
        *(
            "".join(paragraph("", run(line)) for line in (*lines, "Seeing change: Of growing trees", "Ann Doe"))
            for lines in (["Original Article"], ["Running head: TREES", "12 March 2024"], ["Article", "March 3, 2024"])
        ),
        paragraph("", run("Title: Seeing change: Of growing trees")),
        paragraph("", run("Title page")) + paragraph("", run("Full title: Seeing change: Of growing trees")),
        paragraph("", run("Manuscript title")) + paragraph("", run("Seeing change: Of growing trees")),
        paragraph("Titel", run("Seeing change:")) + paragraph("Subtitle", run("Of growing trees")),
        paragraph("Titel", run("Seeing change: Of growing trees"))
        + paragraph("Subtitle", run("Version 3, by Ann Doe")),
        paragraph("Titel", PLACEHOLDER) + paragraph("", bold("Seeing change: Of growing trees")),
        control("", paragraph("Titel", PLACEHOLDER)) + paragraph("Titel", run("Seeing change: Of growing trees")),
    ],
)
def test_the_title_of_word_is_whole_and_alone(above: str) -> None:
    body = paragraph("berschrift1", run("Abstract")) + paragraph("", run("We write."))
    found = read(packed_document(above + body, notes={"2": paragraph("", run("We thank all."))}))
    assert (found.title, found.abstract) == ("Seeing change: Of growing trees", "We write.")
    assert not any("change" in text for one in found.sections for text in (one.heading, *map(str, one.paragraphs)))


def test_paragraphs_in_the_style_of_bibliographies_are_a_list_without_a_heading() -> None:
    styles = style("Bib", "Bibliography") + style("End", "EndNote Bibliography") + style("berschrift1", "heading 1")
    text = ABOVE + paragraph("berschrift1", run("Growth")) + paragraph("", run("Trees grow (Roe, 2001; Poe, 2003)."))
    for name in ("Bib", "End"):
        listed = "".join(paragraph(name, run(line)) for line in NAMED_LIST)
        found = read(packed_document(text + listed + paragraph("", run("We end.")), styles=styles))
        assert found.keys == ("Roe 2001", "Poe 2003")
        assert [entry.source for entry in found.entries] == list(NAMED_LIST)
        assert [sentence.text for sentence in found.sentences()][-1] == "We end."
    listed = "".join(f'<text:p text:style-name="Bibliography_20_1">{escape(line)}</text:p>' for line in NAMED_LIST)
    found = read(document_of_libreoffice(f"<text:p>Trees grow (Roe, 2001; Poe, 2003).</text:p>{listed}"))
    assert found.keys == ("Roe 2001", "Poe 2003")


LINE_BREAK = "<w:r><w:br/></w:r>"


@pytest.mark.parametrize(
    "abstract",
    [
        paragraph("", bold("Abstract"), LINE_BREAK, run("We write. We read.")),
        paragraph("", run("Abstract"), LINE_BREAK, LINE_BREAK, run("We write. We read.")),
        paragraph("", bold("Abstract "), run("We write. We read.")),
        paragraph("", bold("Abs"), bold("tract."), run(" We write. We read.")),
        *(
            paragraph("berschrift1", run(heading)) + paragraph("", run("We write. We read."))
            for heading in ("ABSTRACT (250 words)", "Structured Abstract")
        ),
    ],
)
def test_the_abstract_of_word_is_known_by_its_first_word(abstract: str) -> None:
    keywords = paragraph("", bold("Keywords"), run(" trees"))
    found = read(packed_document(paragraph("Titel", run("Trees")) + abstract + keywords))
    assert (found.title, found.abstract) == ("Trees", "We write. We read.")


@pytest.mark.parametrize("heading", ["Author Biographies", "About the Authors", "Word count: 3000", "Affiliation:"])
def test_what_is_said_of_the_authors_is_no_entry(heading: str) -> None:
    lines = ("Trees grow (Roe, 2001).", "References", *NAMED_LIST, heading, "Ann Roe is a professor.")
    found = read(packed_document(ABOVE + "".join(paragraph("", run(line)) for line in lines)))
    assert [entry.source for entry in found.entries] == list(NAMED_LIST)
    assert found.sections[-1].paragraphs[-1].text == "Ann Roe is a professor."


@pytest.mark.parametrize("mark", ["{}. ", "{}\t", "[{}]", "¹ ² ³", ""])
@pytest.mark.parametrize("in_table", [True, False])
def test_numbers_of_a_list_are_no_entries_and_no_part_of_them(mark: str, in_table: bool) -> None:
    marks = mark.split() if "¹" in mark else [mark.format(number) for number in (1, 2, 3)]
    listed = list(zip(marks, RAISED_LIST, strict=True))
    rows = "".join(
        f"<w:tr><w:tc>{paragraph('', run(number))}</w:tc><w:tc>{paragraph('', run(line))}</w:tc></w:tr>"
        for number, line in listed
    )
    lines = "".join(paragraph("", run(number + line)) for number, line in listed)
    table = f"<w:tbl>{rows}</w:tbl>" if in_table else lines
    text = paragraph("berschrift1", run("Text")) + paragraph("", run("Trees grow,¹ fall² and stand.³"))
    found = read(packed_document(ABOVE + text + paragraph("berschrift1", run("References")) + table))
    assert [(entry.key, entry.source) for entry in found.entries] == list(zip("123", RAISED_LIST, strict=True))
    assert [mark.keys for mark in found.marks()] == [("1",), ("2",), ("3",)]


PROSE = "Trees grow in towns, where nobody waters them. We ask why some of them fall, and others do not. " * 2
PARTS = ("Background: Trees fall.", "Methods: We count 12 of them.", "Results: They fall.", "Conclusions: So it is.")


@pytest.mark.parametrize("abstract", [(PROSE,), PARTS])
@pytest.mark.parametrize("behind", ["Keywords: trees", None])
def test_an_abstract_of_word_needs_no_heading_above_the_first_one(abstract: Sequence[str], behind: str | None) -> None:
    names = (
        "Ann Roe1, Jo Q. Doe2",
        "1 Dept. of Trees, University of Town, 12 Road Lane, 12345 Town. 2 St. Elm Hosp., Town.",
    )
    above = [paragraph("Titel", run("Of trees and their falls in towns")), *(paragraph("", run(one)) for one in names)]
    text = [paragraph("berschrift1", run("Introduction")), paragraph("", run(PROSE.replace("We", "They")))]
    lines = [paragraph("", run(one)) for one in (*abstract, *filter(None, [behind]))]
    found = read(packed_document("".join((*above, *lines, *text))))
    assert found.abstract == "\n\n".join(map(str.strip, abstract))
    assert [section.heading for section in found.sections if section.heading] == ["Abstract", "Introduction"]
    assert read(packed_document("".join((*above, *text)))).abstract == ""


def test_a_list_that_was_pasted_line_by_line_has_an_entry_a_mark() -> None:
    lines = [f"{number}. {line[:20]}\n{line[20:]}" for number, line in enumerate(RAISED_LIST, start=1)]
    unmarked = "Noe, F. (2004). Of what has no mark. Acta, 4."
    listed = [paragraph("", run(line)) for line in ("\n".join(lines) + f"\n{unmarked}").splitlines()]
    text = paragraph("berschrift1", run("Text")) + paragraph("", run("Trees grow [1], fall [3]."))
    found = read(packed_document(ABOVE + text + paragraph("berschrift1", run("References")) + "".join(listed)))
    joined = [f"{line[:20].strip()} {line[20:].strip()}" for line in RAISED_LIST]
    assert [entry.source for entry in found.entries] == [*joined, unmarked]


def test_a_line_of_a_pasted_list_that_begins_with_names_goes_on_where_the_one_above_has_not_ended() -> None:
    entries = [f"Doe, A., Roe, B. C. and | Poe, D. ({year}). How trees | grow. Acta, 3, 1-9." for year in (2001, 2002)]
    lines = [line for number, entry in enumerate(entries, start=1) for line in f"[{number}] {entry}".split(" | ")]
    body = paragraph("berschrift1", run("References")) + "".join(paragraph("", run(line)) for line in lines)
    found = read(packed_document(ABOVE + body))
    assert [entry.source for entry in found.entries] == [entry.replace(" | ", " ") for entry in entries]


HEADINGS = "References and Notes, Literaturverzeichnis, Literatur, Bibliographie, WORKS CITED, 7. Literature Cited"


@pytest.mark.long
@pytest.mark.parametrize("style", ["", "berschrift1"])
@pytest.mark.parametrize("heading", HEADINGS.split(", "))
def test_a_typed_list_of_word_goes_from_its_heading_to_the_next(heading: str, style: str) -> None:
    listed = (
        paragraph("Titel", run("Typed")),
        paragraph(style, run(heading)),
        paragraph("", run("Turing, A. On computable numbers. 1936.")),
        paragraph("", run("Shannon, C. A mathematical theory of communication. 1948.")),
    )
    for behind, of_style in (("Figure legends", ""), ("Thanks", "berschrift2"), ("Figure 1. Before.", "")):
        more = (paragraph(of_style, run(behind)), paragraph("", run("Figure 2. Things that grow.")))
        found = read(packed_document("".join((*listed, *more))))
        assert [entry.source[:6] for entry in found.entries] == ["Turing", "Shanno"]
        assert "Figure 2. Things that grow." in [text.text for part in found.sections for text in part.paragraphs]
