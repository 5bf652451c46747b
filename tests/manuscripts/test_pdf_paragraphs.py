"""Paragraphs, headings and abstracts of PDFs, by how their lines are set."""

import pytest
from growth import NEARLY_LINEAR, growth
from pdf_files import pdf_of_pages
from pdf_pages import ABSTRACT, INTRODUCTION, TEXTS, TITLE, lines_of, paragraphs, read, with_list

from manuscripts import read_manuscript
from manuscripts.pdf_lines import Line, without_headers


@pytest.mark.parametrize("how", [{"indent": 15}, {"gap": 6}, {"indent": 15, "step": 24}, {"gap": 12, "step": 24}])
def test_paragraphs_begin_where_a_line_is_indented_or_stands_below_a_gap(how: dict[str, float]) -> None:
    found = read([TITLE, *ABSTRACT, INTRODUCTION, *lines_of(*TEXTS, top=690, **how)])
    assert paragraphs(found) == [" ".join(text) for text in TEXTS]


def test_a_paragraph_goes_on_below_a_formula_and_on_the_next_column_or_page() -> None:
    column = [(10, 700, "Growth is", 60), (10, 670, "g = r + s. (1)", 120), (10, 640, "where r is rain. It falls", 60)]
    other = [(10, 700, "on all. They grow.", 320), (10, 688, "New trees are few.", 335), (10, 676, "So it is.", 320)]
    assert paragraphs(read([TITLE, *ABSTRACT, INTRODUCTION, *column, *other])) == [
        "Growth is g = r + s. (1) where r is rain. It falls on all. They grow.",
        "New trees are few. So it is.",
    ]


@pytest.mark.parametrize("mark", ["1", "*"])
def test_a_footnote_is_a_paragraph_behind_the_one_that_goes_on_elsewhere(mark: str) -> None:
    text = lines_of(("Oaks are old trees, and they", "stand in towns, or"), top=690)
    note = [(7, 655, f"{mark}Some say they", 60), (7, 647, "do not.", 60)]
    other = [*lines_of(("in parks, where they", "are cut."), ("New trees are few.",), top=690, indent=15)]
    other[0] = (*other[0][:3], 60)
    expected = ["Oaks are old trees, and they stand in towns, or in parks, where they are cut."]
    for pages in ([[*text, *note], other], [[*text, *note, *[(*line[:3], line[3] + 250) for line in other]]]):
        pages[0] = [TITLE, *ABSTRACT, INTRODUCTION, *pages[0]]
        assert [part.lstrip(mark) for part in paragraphs(read(*pages))] == [
            *expected,
            "Some say they do not.",
            "New trees are few.",
        ]


def test_a_long_list_that_is_set_smaller_does_not_part_the_text() -> None:
    text = ("Oaks are old trees, and many of them [Doe et al.", "2001] stand in towns. Some are cut.")
    listed = [
        (7, 500 - 8 * number, f"Doe, A., Roe, B., and Poe, C. 2001. Oaks of {number} towns. Acta.")
        for number in range(30)
    ]
    found = with_list(listed, lines_of(text, top=690))
    assert paragraphs(found) == ["Oaks are old trees, and many of them stand in towns. Some are cut."]


def test_lines_that_are_set_smaller_and_wider_apart_do_not_join_the_paragraphs_of_the_text() -> None:
    texts = [f"Oaks of {town} are old trees, and many of them stand there." for town in ("Bonn", "Bath", "Bern")]
    items = [(10, 690 - 16 * number, text) for number, text in enumerate(texts)]
    lines = [(10, 630 - 12 * number, "Oaks are old trees, and many of them stand in all towns") for number in range(12)]
    code = [(7, 470 - 12 * number, f"a{number} = 1;") for number in range(20)]
    found = read([TITLE, *ABSTRACT, INTRODUCTION, *items, *lines, *code])
    assert paragraphs(found)[:3] == texts


def test_an_item_or_a_quotation_that_is_indented_throughout_is_one_paragraph() -> None:
    quoted = [
        (10, 640, "I saw trees. They were", 90),
        (10, 628, "tall, and old. Nobody", 90),
        (10, 616, "was there.", 90),
    ]
    around = lines_of(*TEXTS[:1], top=664, indent=15), lines_of(("They say so, and go on.",), top=604)
    found = paragraphs(read([TITLE, *ABSTRACT, INTRODUCTION, *around[0], *quoted, *around[1]]))
    assert sum("I saw trees. They were tall, and old. Nobody was there." in paragraph for paragraph in found) == 1


def numbered(*headings: str) -> list:
    """A page on which each heading has a sentence below it."""
    texts = [text for heading in headings for text in (heading, f"Below it is what {heading[-5:]} says.")]
    return [TITLE, *ABSTRACT, *((10, 700 - 14 * place, text) for place, text in enumerate(texts))]


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        (
            ("I. Introduction", "II. Related Work", "A. Of trees", "B. Of others", "III. Methods", "A. Of both"),
            [1, 1, 2, 2, 1, 2],
        ),
        (("1 Introduction", "2 Related Work", "2.1 Of trees", "2.1.1 Of oaks", "3. Methods"), [1, 1, 2, 3, 1]),
    ],
)
def test_headings_are_numbered_in_figures_or_as_ieee_does(headings: tuple[str, ...], expected: list[int]) -> None:
    found = read(numbered(*headings)).sections
    assert [(section.heading, section.level) for section in found] == [
        (heading.partition(" ")[2], level) for heading, level in zip(headings, expected, strict=True)
    ]


def test_numbers_out_of_their_order_and_initials_are_no_headings() -> None:
    found = read(numbered("I. Introduction", "C. Darwin", "IV. Results", "II. Methods")).sections
    assert [section.heading for section in found] == ["Introduction", "Methods"]


def test_a_heading_may_stand_at_the_end_of_a_page_above_its_footer() -> None:
    pages = [
        [*lines_of(*TEXTS[:2], top=680, indent=15), (14, 560, heading), (8, 20, f"file:///trees.html {number}")]
        for number, heading in enumerate(("Oaks and elms", "Of parks", "Of gardens"), start=1)
    ]
    pages[0] = [TITLE, *ABSTRACT, (14, 700, "Introduction"), *pages[0]]
    found = read(*pages, lines_of(*TEXTS, top=680, indent=15)).sections
    assert [one.heading for one in found] == ["Introduction", "Oaks and elms", "Of parks", "Of gardens"]


def test_headings_without_numbers_are_set_larger_or_in_bold() -> None:
    text = lines_of(*TEXTS[:2], top=680, indent=15)
    page = [
        TITLE,
        *ABSTRACT,
        (14, 700, "Introduction"),
        *text,
        (10, 600, "Oaks and elms", 60, True),
        (10, 580, "They differ. So much is known.", 60),
        (10, 560, "What is bold and ends as a sentence does is none.", 60, True),
        (10, 548, "Much is unknown.", 60),
    ]
    found = read(page).sections
    assert [(section.heading, section.level) for section in found] == [("Introduction", 1), ("Oaks and elms", 2)]
    assert found[1].paragraphs[0].text == "They differ. So much is known."


def test_headers_footers_and_page_numbers_are_no_text() -> None:
    words = ("Oaks grow slowly, and", "Elms grow fast where", "Birches grow anywhere that", "Limes grow in rows, which")
    pages = [
        [(9, 815, f"{number} Doe and Roe"), (10, 700, f"{text} they are planted."), (9, 30, f"– {number} –")]
        for number, text in enumerate(words, start=2)
    ]
    found = read([TITLE, *ABSTRACT, INTRODUCTION, (9, 30, "1")], *pages)
    assert " ".join(paragraphs(found)) == " ".join(f"{text} they are planted." for text in words)


def test_numbers_of_every_fifth_line_that_are_drawn_behind_the_text_are_not_put_into_it() -> None:
    words = [*TEXTS[0], *TEXTS[1]]
    numbers = [(7, 690 - 12 * place, str(place + 1), 40) for place in (0, 4)]
    found = read([TITLE, *ABSTRACT, INTRODUCTION, *lines_of(words, top=690), *numbers])
    assert " ".join(words) in paragraphs(found)


def test_the_header_of_both_of_two_pages_is_no_text() -> None:
    header = (9, 815, "Draft of Doe and Roe")
    found = read([header, TITLE, *ABSTRACT, INTRODUCTION, (10, 690, "They grow and")], [header, (10, 700, "fall.")])
    assert paragraphs(found) == ["They grow and fall."]


def test_the_heading_of_a_list_is_no_header_though_the_next_page_has_it_as_one() -> None:
    heading, entries = (9, 815, "Bibliography"), ["Doe, J. 2001. Trees. Acta 1.", "Roe, A. 2002. Oaks. Acta 2."]
    found = read(
        [TITLE, *ABSTRACT, INTRODUCTION, (10, 690, "They grow.")], *([heading, (10, 700, one)] for one in entries)
    )
    assert [one.source for one in found.entries] == entries
    found = read(*([heading, (10, 700, one)] for one in entries))
    assert [one.source for one in found.entries] == entries


def test_headers_that_alternate_and_count_pages_are_no_text() -> None:
    headers = "Trees of towns 3", "4 Doe and Roe", "Trees of towns 5", "6 Doe and Roe"
    texts = [
        f"In {town} they are planted in {year}." for year, town in enumerate(("Bonn", "Bath", "Bern", "Brno"), 2001)
    ]
    pages = [[(9, 800, header), (10, 700, text)] for header, text in zip(headers, texts, strict=True)]
    found = read([TITLE, *ABSTRACT, INTRODUCTION, (9, 30, "1")], [(10, 700, "They grow.")], *pages)
    assert " ".join(paragraphs(found)) == " ".join(["They grow.", *texts])


def test_a_line_of_many_numbers_takes_no_longer_than_it_should() -> None:
    def read_one(size: int) -> None:
        without_headers([[Line("1 " * size, 60, 780, 10, False), Line("Trees.", 60, 700, 10, False)]])

    assert growth(read_one, 20_000) < NEARLY_LINEAR


@pytest.mark.parametrize(("left", "last"), [(30, 14), (30, 412), (560, 14)])
def test_numbers_of_lines_are_no_text(left: float, last: int) -> None:
    set_lines = [TITLE, *ABSTRACT, INTRODUCTION, *lines_of(*TEXTS, top=690, indent=15)]
    first = last - len(set_lines) + 1
    # Before or behind the line that they number, as LaTeX and word processors set them.
    page = [
        part
        for number, line in enumerate(set_lines, start=first)
        for part in sorted([line, (6, line[1], str(number), left)], key=lambda one: one[3] if len(one) > 3 else 60)
    ]
    found = read(page)
    assert (found.title, found.abstract) == ("Trees and how they grow in towns", "We ask why trees grow.")
    assert [section.heading for section in found.sections] == ["Introduction"]
    assert paragraphs(found) == [" ".join(text) for text in TEXTS]


def test_numbers_at_the_margin_that_keep_to_no_line_are_no_text() -> None:
    texts = TEXTS * 3
    set_lines = [TITLE, *ABSTRACT, INTRODUCTION, *lines_of(*texts, top=690, indent=15)]
    numbers = [(5, 790 - 11 * number, str(number), 30) for number in range(1, 50)]  # as acmart has them for reviewers
    found = read([*set_lines, *numbers])
    assert found.abstract == "We ask why trees grow."
    assert paragraphs(found) == [" ".join(text) for text in texts]


def test_a_table_of_numbers_stays() -> None:
    table = [(10, 660 - 12 * number, text) for number, text in enumerate(["Year 1 12", "Year 2 13", "Year 3 14"])]
    found = read([TITLE, *ABSTRACT, INTRODUCTION, *lines_of(*TEXTS[:1], top=690), *table])
    assert "Year 1 12 Year 2 13 Year 3 14" in " ".join(paragraphs(found))


PROSE = (
    "We water trees in twelve towns and ask what becomes",
    "of them. Those that had water grew. The others did not.",
)


def test_an_abstract_without_a_heading_is_the_first_long_paragraph_of_sentences() -> None:
    houses = [(9, 750 - 11 * place, f"{place} University of Trees, Road {place}, Town.") for place in range(1, 12)]
    lines = [(9, 600 - 11 * place, text, 90) for place, text in enumerate(3 * PROSE)]
    found = read([TITLE, *houses, *lines, *lines_of(*TEXTS, top=450, indent=15)])
    assert found.abstract == " ".join(3 * PROSE)
    assert paragraphs(found) == [" ".join(text) for text in TEXTS]


def test_an_abstract_without_a_heading_may_be_short_above_an_introduction() -> None:
    lines = [(10, 750 - 12 * place, text, 90) for place, text in enumerate(2 * PROSE)]
    longer = [*(3 * PROSE), "So much is known."]
    text = lines_of(longer, *TEXTS, top=660, indent=15)
    found = read([TITLE, *lines, (14, 680, "Introduction"), *text])
    assert found.abstract == " ".join(2 * PROSE)
    assert paragraphs(found) == [" ".join(longer), *(" ".join(text) for text in TEXTS)]


def test_an_abstract_without_a_heading_is_the_longest_text_above_an_introduction() -> None:
    notice = [(10, 750 - 12 * place, text, 90) for place, text in enumerate(2 * PROSE)]
    lines = [(10, 670 - 12 * place, text) for place, text in enumerate(4 * PROSE)]
    text = lines_of(*TEXTS, top=460, indent=15)
    assert read([TITLE, *notice, *lines, (14, 480, "Introduction"), *text]).abstract == " ".join(4 * PROSE)


@pytest.mark.parametrize("heading", [[(14, 560, "What towns do")], []])
@pytest.mark.parametrize("length", [5, 1, 0])
def test_an_abstract_with_nothing_known_behind_it_ends_with_its_paragraph(heading: list, length: int) -> None:
    sentence = "We ask why some of the many trees of towns grow and others do not."
    abstract = lines_of((*length * [sentence], "Rain is why."), top=728)
    found = read([TITLE, ABSTRACT[0], *abstract, *heading, *lines_of(*TEXTS, top=540, indent=15)])
    assert found.abstract == " ".join([*length * [sentence], "Rain is why."])
    assert paragraphs(found) == [" ".join(text) for text in TEXTS]
    assert [section.heading for section in found.sections] == [text for *_, text in heading] or [""]


def test_an_abstract_in_parts_ends_with_the_last_of_them() -> None:
    parts = [(f"{name}: Some of the", "trees grow.") for name in ("Aims", "Methods", "Results")]
    found = read([TITLE, ABSTRACT[0], *lines_of(*parts, top=728, gap=8), *lines_of(*TEXTS, top=540, indent=15)])
    assert found.abstract.split() == " ".join(map(" ".join, parts)).split()
    assert paragraphs(found) == [" ".join(text) for text in TEXTS]


@pytest.mark.parametrize("mark", ["∗Both wrote it.", "Permission to make digital copies is granted.", ""])
def test_an_abstract_ends_above_the_notes_of_its_column(mark: str) -> None:
    code, mark = ("\\252" if "∗" in mark else ""), mark.lstrip("∗")
    notes = [f"{code}{mark}", *("Copies bear this notice, whoever makes them." for _ in range(14))] if mark else []
    column = [*ABSTRACT, *((7, 600 - 8 * place, text) for place, text in enumerate(notes))]
    other = [(10, 740, "Keywords: trees", 320), *((*line, 320) for line in [(10, 710, "1 Introduction")])]
    text = [(*line[:3], line[3] + 260) for line in lines_of(*TEXTS, top=690, indent=15)]
    data = pdf_of_pages([TITLE, *column, *other, *text], font=b"/Encoding<</Differences[170/asteriskmath]>>")
    assert read_manuscript(data).abstract == "We ask why trees grow."


def test_an_abstract_without_a_heading_begins_below_the_names() -> None:
    names = [(9, 750 - 12 * place, f"I.J.K. DOE{place}, Some Town") for place in range(4)]
    lines = [(9, 695 - 11 * place, text) for place, text in enumerate(3 * PROSE)]
    found = read([TITLE, *names, *lines, (9, 612, "CCS Concepts: trees"), *lines_of(*TEXTS, top=450, indent=15)])
    assert found.abstract == " ".join(3 * PROSE)


def test_a_sentence_that_begins_with_the_word_is_no_heading() -> None:
    line = "Abstract, summary and title are written at last, as many say."
    found = read([TITLE, *((9, 695 - 11 * place, text) for place, text in enumerate([*(3 * PROSE), line]))])
    assert found.abstract == " ".join([*(3 * PROSE), line])


@pytest.mark.parametrize("bold", [True, False])
def test_a_title_no_larger_than_the_text_is_set_in_bold(bold: bool) -> None:
    above = [
        (8, 800, "Draft of today"),
        (10, 780, "Trees and how they", 60, bold),
        (10, 768, "grow in towns", 60, bold),
    ]
    below = [(10, 752, "Ann Doe", 60, True), (10, 740, "Abstract", 60, True), *ABSTRACT[1:]]
    heading = (10, 710, "1 Why the trees grow", 60, True)
    found = read([*above, (10, 760, "of Towns"), *below, heading, *lines_of(*TEXTS, top=690, indent=15)])
    assert found.title == ("Trees and how they grow in towns" if bold else "")
    assert found.abstract == "We ask why trees grow."
