"""Titles of Word and LibreOffice that have no style of their own."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

import pytest
from word_documents import rewritten
from word_files import bold, document_of_libreoffice, packed_document, paragraph, run, style

from manuscripts.reading import read


def _in_size(text: str, points: int) -> str:
    return f'<w:r><w:rPr><w:sz w:val="{2 * points}"/></w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


_LETTER = (
    "The Editors of Acta",
    "Dear editors,",
    "Please find enclosed our manuscript on trees. It is new.",
    "Ann Doe",
)
_SIZED = '<text:p text:style-name="{}">{}</text:p>'


@pytest.mark.parametrize(
    ("above", "title"),
    [
        (_LETTER, _in_size("How trees grow in towns", 16)),
        (("University of Nowhere", "A thesis"), _in_size("How trees grow in towns", 16)),
        (("Supplied to the board",), bold("How trees grow in towns")),
        (("Original Research Article", "Article type: Study"), run("How trees grow in towns")),
        (("DRAFT – do not cite",), paragraph("Big", run("How trees grow in towns"))),
    ],
)
@pytest.mark.parametrize("below", [run("Ann Doe and Jo Roe"), bold("Ann Doe and Jo Roe")])
def test_a_title_without_a_style_is_larger_or_bolder_than_what_stands_above_it(
    above: Sequence[str], title: str, below: str
) -> None:
    styles = style("berschrift1", "heading 1") + style("Of", "Text").replace(
        "</w:style>", '<w:rPr><w:sz w:val="36"/></w:rPr></w:style>'
    )
    styles += style("Big", "Large text", "Of")
    title = title if title.startswith("<w:p>") or "Big" in title else paragraph("", title)
    lines = "".join(paragraph("", run(line)) for line in above) + title + paragraph("", below)
    body = lines + paragraph("berschrift1", run("Abstract")) + paragraph("", run("We write."))
    found = read(packed_document(body, styles=styles))
    assert (found.title, found.abstract) == ("How trees grow in towns", "We write.")
    assert sum("towns" in str(paragraph) for part in found.sections for paragraph in part.paragraphs) == 0


def test_a_title_that_is_plain_stays_one_above_names_in_bold() -> None:
    lines = paragraph("", run("How trees grow in towns")) + paragraph("", bold("Ann Doe and Jo Roe"))
    body = lines + paragraph("berschrift1", run("Abstract")) + paragraph("", run("We write."))
    assert read(packed_document(body)).title == "How trees grow in towns"


@pytest.mark.parametrize(
    "below",
    [
        (bold("Department of Trees, University of Nowhere"),),
        (_in_size("Department of Trees, University of Nowhere", 16),),
        (bold("Corresponding author: Ann Doe"),),
        (bold("Highlights of this paper"), run("Trees grow.")),
        (bold("Table of contents").replace("<w:b/>", '<w:b/><w:sz w:val="32"/>'), run("Trees grow 3")),
    ],
)
@pytest.mark.parametrize("names", [run("Ann Doe and Jo Roe"), bold("Ann Mary Doe"), _in_size("Ann Mary Doe", 16)])
def test_what_stands_out_below_names_is_no_title(below: Sequence[str], names: str) -> None:
    lines = "".join(paragraph("", one) for one in (run("How trees grow in towns"), names, *below))
    body = lines + paragraph("berschrift1", run("Abstract")) + paragraph("", run("We write of trees."))
    assert read(packed_document(body)).title == "How trees grow in towns"


@pytest.mark.parametrize("above", [("Ann Doe", "Professor Roe"), ("Dear editors,", "Here is our work.", "Ann Doe")])
def test_a_title_in_bold_stands_below_the_names_of_a_letter_or_an_essay(above: Sequence[str]) -> None:
    lines = "".join(paragraph("", run(line)) for line in above) + paragraph("", bold("How trees grow in towns"))
    body = lines + paragraph("", bold("Abstract")) + paragraph("", run("They grow in towns. They fall, too."))
    assert read(packed_document(body)).title == "How trees grow in towns"


def test_a_heading_that_looks_as_others_below_is_no_title() -> None:
    text = paragraph("", run("Trees grow in towns. They fall in the country."))
    parts = [paragraph("", bold(heading)) + text for heading in ("How tall trees are", "Where they stand")]
    assert (
        read(packed_document(paragraph("", run("On trees and towns")) + "".join(parts))).title == "On trees and towns"
    )


def test_a_line_in_bold_below_text_is_no_title() -> None:
    text = paragraph("", run("Trees grow in towns. They fall in the country.")) + paragraph(
        "", bold("How trees fall down")
    )
    assert read(packed_document(paragraph("", run("On trees and towns")) + text)).title == "On trees and towns"


def test_a_title_of_libreoffice_is_known_by_its_size() -> None:
    sized = (
        '<style:style style:name="P2"><style:text-properties fo:font-size="18pt"/></style:style>'
        '<style:style style:name="P3" style:parent-style-name="P2"/></office:automatic-styles>'
    )
    above = '<text:p text:style-name="P1">A title</text:p>'
    lines = _SIZED.format("P9", "Supplied to the board") + _SIZED.format("P3", "How trees grow in towns")
    data = rewritten(rewritten(document_of_libreoffice(""), above, lines), "</office:automatic-styles>", sized)
    assert read(data).title == "How trees grow in towns"


def test_a_structured_abstract_of_word_holds_the_text_below_its_headings() -> None:
    body = (
        paragraph("Titel", run("Structured")),
        paragraph("berschrift1", run("Abstract")),
        paragraph("berschrift2", run("Background")),
        paragraph("", run("Networks are known.")),
        paragraph("berschrift2", run("Results")),
        paragraph("", run("They grow.")),
        paragraph("", run("Key words: growth")),
        paragraph("berschrift1", run("Methods")),
        paragraph("berschrift2", run("Data")),
        paragraph("", run("We count.")),
    )
    found = read(packed_document("".join(body)))
    assert found.abstract == "Networks are known.\n\nThey grow."
    assert [section.heading for section in found.sections] == ["Abstract", "", "Methods", "Data"]


def test_styles_of_templates_stand_for_headings_and_titles_of_word() -> None:
    styles = (
        style("kind", "MDPI_1.1_article_type"),
        style("title", "MDPI_1.2_title"),
        style("summary", "Abstract"),
        style("head", "MDPI_2.1_heading1", level="0"),
        style("sub", "My section", based_on="head"),
        style("toc", "TOC Heading", based_on="head", level="9"),
        style("round", "Round", based_on="round"),
    )
    texts = "kind Article, title Ants, summary Abstract—First., summary Second., head Data, round One., toc Two., sub B"
    body = [paragraph(name, run(text)) for name, _, text in (one.partition(" ") for one in texts.split(", "))]
    found = read(packed_document("".join((*body, paragraph("", run("Three.")))), styles="".join(styles)))
    assert (found.title, found.abstract) == ("Ants", "First.\n\nSecond.")
    below = [(part.heading, [text.text for text in part.paragraphs]) for part in found.sections[-2:]]
    assert below == [("Data", ["One.", "Two."]), ("B", ["Three."])]
