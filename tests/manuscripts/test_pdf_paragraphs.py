"""Paragraphs, headings and lists of PDFs, by how their lines are set."""

import time

import pytest
from pdf_files import pdf_of_pages, raised

from manuscripts import read_manuscript
from manuscripts.manuscript import Manuscript
from manuscripts.pdf_lines import Line, without_headers

TITLE = (18, 780, "Trees and how they grow in towns")
ABSTRACT = [(10, 740, "Abstract"), (10, 728, "We ask why trees grow.")]
INTRODUCTION = (10, 710, "1 Introduction")
TEXTS = (
    ("Oaks are old trees, and many of them", "stand in towns. Some are cut."),
    ("Elms are rarer, and grow in parks.", "Beetles have killed most of them in the", "years between the wars."),
    ("Birches come first. They need light,", "and little else."),
)


def lines_of(*paragraphs: tuple[str, ...], top: float, indent: float = 0, gap: float = 0, step: float = 12) -> list:
    """The lines of paragraphs whose first line is indented, or which have a gap between them."""
    found = []
    for paragraph in paragraphs:
        for place, text in enumerate(paragraph):
            found.append((10, top, text, 60 + (indent if place == 0 else 0)))
            top -= step
        top -= gap
    return found


def read(*pages: list) -> Manuscript:
    return read_manuscript(pdf_of_pages(*pages))


def paragraphs(found: Manuscript) -> list[str]:
    return [paragraph.text for section in found.sections for paragraph in section.paragraphs]


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
    found = read([TITLE, *ABSTRACT, INTRODUCTION, *lines_of(text, top=690), (12, 520, "References"), *listed])
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


def test_headers_that_alternate_and_count_pages_are_no_text() -> None:
    headers = "Trees of towns 3", "4 Doe and Roe", "Trees of towns 5", "6 Doe and Roe"
    texts = [
        f"In {town} they are planted in {year}." for year, town in enumerate(("Bonn", "Bath", "Bern", "Brno"), 2001)
    ]
    pages = [[(9, 800, header), (10, 700, text)] for header, text in zip(headers, texts, strict=True)]
    found = read([TITLE, *ABSTRACT, INTRODUCTION, (9, 30, "1")], [(10, 700, "They grow.")], *pages)
    assert " ".join(paragraphs(found)) == " ".join(["They grow.", *texts])


def test_a_line_of_many_numbers_takes_no_longer_than_it_should() -> None:
    start = time.process_time()
    without_headers([[Line("1 " * 20_000, 60, 780, 10, False), Line("Trees.", 60, 700, 10, False)]])
    assert time.process_time() - start < 1


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


def test_numbers_of_citations_that_are_set_otherwise_and_count_by_fives_stay() -> None:
    def cited(number: int) -> list:  # in a font of its own
        height, left = 690 - 12 * number, 180 + 30 * (number % 7)
        return [
            (10, height, "Trees of towns grow \\(", 60),
            (10, height, str(number), left, True),
            (10, height, "\\).", left + 12),
        ]

    text = [part for number in range(1, 21) for part in cited(number)]
    listed = [(10, 700 - 12 * number, f"{number}. A. Doe. Acta {number} \\(2001\\).") for number in range(1, 21)]
    found = read([TITLE, *ABSTRACT, INTRODUCTION, *text], [(12, 720, "References"), *listed])
    assert [mark.keys for sentence in found.sentences() for mark in sentence.marks] == [
        (str(number),) for number in range(1, 21)
    ]


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


def test_a_list_of_bracketed_numbers_at_the_end_needs_no_heading() -> None:
    entries = ["A. Doe, Trees of towns, Acta 1, 2 (2001).", "B. Roe, Oaks, Acta 2, 3 (2002).", "C. Poe, Elms (2003)."]
    listed = [(10, 500 - 12 * place, f"[{place + 1}] {entry}") for place, entry in enumerate(entries)]
    cited = [
        (10, 690, "Trees stand in towns"),
        (10, 678, "[1] and also in the country, with oaks among them"),
        (10, 666, "[2, 3]."),
    ]
    found = read([TITLE, *ABSTRACT, INTRODUCTION, *cited, *listed])
    assert [entry.key for entry in found.entries] == ["1", "2", "3"]
    assert [mark.keys for mark in found.marks()] == [("1",), ("2", "3")]
    assert paragraphs(found) == ["Trees stand in towns and also in the country, with oaks among them."]


def test_brackets_with_commas_and_dashes_between_them_are_one_citation() -> None:
    entries = [f"{number}. Doe A. Trees of town {number}. Acta. 2001;1:{number}." for number in (1, 2, 3)]
    listed = [(10, 500 - 12 * place, entry) for place, entry in enumerate(entries)]
    text = (10, 690, "Trees grow [1], [2], and [3]; they fall [1]-[3], [2].")
    found = read([TITLE, *ABSTRACT, INTRODUCTION, text, (10, 520, "References"), *listed])
    assert paragraphs(found) == ["Trees grow; they fall."]
    assert [mark.keys for mark in found.marks()] == [("1", "2"), ("3",), ("1", "2", "3")]


@pytest.mark.parametrize("mark", ["{}", "{}.", "{} ."])
def test_numbers_of_a_list_that_are_set_apart_are_no_numbers_of_lines(mark: str) -> None:
    entries = [(f"{name} Doe, Trees in {name} towns and", "in others, Acta of Trees 1, 9 (2001).") for name in "ABCDE"]
    listed = []
    for place, (first, second) in enumerate(entries):
        top = 700 - 24 * place
        listed += [(7, top + 3, mark.format(place + 1), 60), (10, top, first, 75), (10, top - 12, second, 75)]
    text = "Trees grow" + raised(1) + ", fall" + raised("2,3") + " and" + raised(5) + " stand."
    found = read([TITLE, *ABSTRACT, INTRODUCTION, (10, 690, text), (12, 600, "References")], listed)
    assert [one.source for one in found.entries] == [" ".join(entry) for entry in entries]
    assert [one.keys for one in found.marks()] == [("1",), ("2", "3"), ("5",)]


def test_a_footnote_beside_a_list_is_no_part_of_it_and_its_mark_cites_nothing() -> None:
    names = "Doe", "Poe", "Roe"
    entries = [f"{name}, A. ({2001 + place}). Trees of {name}. Acta, 1, 2." for place, name in enumerate(names)]
    listed = [(10, 300 - 12 * place, entry) for place, entry in enumerate(entries)]
    note = f"Oaks stand{raised(1)} (Doe, 2001). Elms{raised(2)} fall.{raised(3)}"
    notes = [(7, 60 - 8 * place, f"{place + 1} So says Roe \\(2003\\) of them.") for place in range(3)]
    pages = [TITLE, *ABSTRACT, INTRODUCTION, *lines_of(*TEXTS, top=690, indent=15)], [(10, 690, note)]
    pages[1].extend([(12, 320, "References"), *listed[:2], *notes])
    found = read(*pages, [listed[2]])
    assert [one.source for one in found.entries] == entries
    assert [one.keys for one in found.marks()] == [("Doe 2001",), *[("Roe 2003",)] * 3]
    assert paragraphs(found)[len(TEXTS)] == "Oaks stand. Elms fall."


def test_a_raised_number_cites_also_on_a_page_that_has_an_institution_or_a_note_of_that_number() -> None:
    listed = [(10, 300 - 12 * place, f"{place + 1}. Doe A. Trees. Acta 200{place};3:1-9.") for place in range(4)]
    names = (10, 760, f"Ann Doe{raised(1)} and Bo Roe{raised(2)}")
    text = (10, 690, f"Oaks stand in towns.{raised(1)} Elms fall.{raised(2)} So they do.{raised(3)}")
    places = [(7, 60, "1 University of Trees"), (7, 52, "2 Institute of Falls")]
    second = [(10, 690, f"Limes{raised(1)} stand.{raised(4)}"), (10, 320, "References"), *listed]
    first = [TITLE, names, *ABSTRACT, INTRODUCTION, text, *lines_of(*TEXTS, top=670), *places]
    found = read(first, [*second, (7, 60, "1 So says Roe of limes.")])
    assert [one.keys for one in found.marks()] == [("1",), ("2",), ("3",), ("4",)]


def test_a_footnote_below_a_list_that_has_a_page_of_its_own_is_no_part_of_it() -> None:
    entries = ["Doe, A. (2001). Trees. Acta, 1, 2.", "Poe, A. (2002). Oaks. Acta, 1, 2."]
    listed = [(8, 780 - 10 * number, entry) for number, entry in enumerate(entries, start=1)]
    page = [(10, 780, "References"), *listed, (7, 60, "1 So says Roe of them.")]
    found = read([TITLE, *ABSTRACT, INTRODUCTION, *lines_of(*TEXTS, top=690), (10, 570, "and so are these")], page)
    assert [one.source for one in found.entries] == entries


def test_numbers_of_a_list_that_is_set_small_begin_no_footnotes() -> None:
    entries = [(f"{name} Doe, Trees in {name} towns and", "in others, Acta of Trees 1, 9 (2001).") for name in "ABCDE"]
    listed = []
    for place, (first, second) in enumerate(entries):
        left, top = (60, 500 - 20 * place) if place < 3 else (320, 760 - 20 * place)  # in two columns
        listed += [(8, top, f"{place + 1} {first}", left), (8, top - 9, second, left + 8)]
    text = lines_of(*TEXTS, top=690, indent=15)
    found = read([TITLE, *ABSTRACT, INTRODUCTION, *text, (12, 520, "References"), *listed])
    assert [one.source for one in found.entries] == [" ".join(entry) for entry in entries]
    assert paragraphs(found) == [" ".join(text) for text in TEXTS]


def test_a_label_whose_sign_of_more_authors_is_raised_is_one() -> None:
    label = "DRP" + raised(" +") + "05]"
    listed = [f"[{label} A. Doe et al. Trees. Acta, 2005.", "[Roe01] C. Roe. How oaks grow. Acta, 2001."]
    lines = [(10, 500 - 12 * place, entry) for place, entry in enumerate(listed)]
    text = (10, 690, f"Trees grow [{label} and fall [{label}, as oaks [Roe01].")
    found = read([TITLE, *ABSTRACT, INTRODUCTION, text, (12, 520, "References"), *lines])
    assert [one.keys for one in found.marks()] == [("DRP+05",), ("DRP+05",), ("Roe01",)]
    assert found.entries[0].source == "A. Doe et al. Trees. Acta, 2005."


@pytest.mark.parametrize("hanging", [0, 15])
def test_a_list_ends_at_a_heading_below_which_another_follows(hanging: float) -> None:
    names = "Doe, A. (2001).", "Poe, A. (2002). Oaks", "Roe, A. (2003). Elms", "Toe, A. (2004). Limes"
    entries = [(name, "of some towns and of others. Acta of Trees,", "1(1), 2-3.") for name in names]

    def listed(some: list[tuple[str, str, str]], top: float) -> list:
        lines = [(text, hanging if place else 0) for entry in some for place, text in enumerate(entry)]
        return [(10, top - 12 * place, text, 60 + left) for place, (text, left) in enumerate(lines)]

    text = lines_of(*TEXTS, top=690, indent=15)
    supplement = [(12, 410, "Of elms"), (10, 396, "Elms are seldom found, and their"), (10, 384, "number falls.")]
    lists = (12, 520, "References"), *listed(entries[:2], 500), *supplement, (12, 364, "References")
    found = read([TITLE, *ABSTRACT, INTRODUCTION, *text, *lists, *listed(entries[2:], 350)])
    assert [entry.source for entry in found.entries] == [" ".join(entry) for entry in entries]
    assert "Elms are seldom found, and their number falls." in " ".join(paragraphs(found))


@pytest.mark.parametrize("gap", [0, 8])
def test_lines_of_a_list_that_hang_begin_no_entry(gap: float) -> None:
    names = "Doe, A., & Moe, B. (2001).", "Poe, A. (2002). Oaks", "Roe, A. (2003). Elms", "Toe, A. (2004). Limes"
    entries = [(name, "Trees of some towns and of others. Acta of Trees,", "1(1), 2-3.") for name in names]
    listed, top = [], 500.0
    for entry in entries:
        listed += [(10, top - 12 * place, text, 75 if place else 60) for place, text in enumerate(entry)]
        top -= 36 + gap
    found = read(
        [TITLE, *ABSTRACT, INTRODUCTION, *lines_of(*TEXTS, top=690, indent=15), (12, 520, "References"), *listed]
    )
    assert [entry.source for entry in found.entries] == [" ".join(entry) for entry in entries]
    assert paragraphs(found) == [" ".join(text) for text in TEXTS]


@pytest.mark.parametrize("hanging", [15, 0, -15])
def test_a_line_that_hangs_begins_no_entry_also_where_it_begins_as_with_names(hanging: float) -> None:
    entries = [
        ("Doe, A., & Moe, B. (2001). Trees.", "Foundations and Trends in Trees, 3(4), 333-389."),
        ("Poe, A. (2002). Oaks of general-", "ized towns."),
        ("Roe, A. (2003). Elms of the towns of the north.",),
        ("Toe, A. (2004). Limes of the", "towns. Acta, 3."),
    ]
    if hanging > 0:  # else its pages say that it ends there
        entries[0] = (entries[0][0], "Foundations and Trends in Trees.")
    listed = [(text, hanging if place else 0) for entry in entries for place, text in enumerate(entry)]
    lines = [(10, 500 - 12 * place, text, 75 + left) for place, (text, left) in enumerate(listed)]
    text = lines_of(*TEXTS, top=690, indent=15)
    found = read([TITLE, *ABSTRACT, INTRODUCTION, *text, (12, 520, "References"), *lines])
    joined = [" ".join(entry).replace("general- ized", "generalized") for entry in entries]
    assert [entry.source for entry in found.entries] == joined
    assert paragraphs(found) == [" ".join(text) for text in TEXTS]


@pytest.mark.parametrize(("hanging", "gap"), [(12, 0), (12, 6), (0, 6)])
def test_entries_begin_where_lines_are_not_set_in_or_stand_apart(hanging: float, gap: float) -> None:
    # Full names, the year at the end, an institution, a name that is none by its letters, authors on several lines.
    entries = [
        ("Jane Doe and Ann Moe. How trees of the", "towns grow in general. Acta, 2001."),
        ("Van der Poe, A. Oaks of the towns.", "Acta of Trees and of Towns, 2002."),
        ("R Core Team. R, a language for trees.", "Foundation for Trees, Town, 2003."),
        (
            "Ben Roe, Carl Soe, Dirk Toe, Eve Uoe,",
            "Fay Voe, Gil Woe, and Hal Xoe. On limes and",
            "on elms. Acta, 2004.",
        ),
        ("Ida Yoe. Of elms that fell in storms.", "PhD thesis, University of Trees, 2005."),
        ("Jon Zoe and Kay Aoe. Storms that fell the", "elms and oaks of towns. Acta, 2006."),
        ("Lea Boe and Max Coe. Beetles that live in", "elms and oaks of towns. Acta, 2007."),
    ]
    listed, top = [], 500.0
    for entry in entries:
        listed += [(10, top - 12 * place, text, 60 + hanging * bool(place)) for place, text in enumerate(entry)]
        top -= 12 * len(entry) + gap
    text = lines_of(*TEXTS, top=690, indent=15)
    found = read([TITLE, *ABSTRACT, INTRODUCTION, *text, (12, 520, "References"), *listed])
    assert [entry.source for entry in found.entries] == [" ".join(entry) for entry in entries]


def test_authors_for_whom_a_dash_is_drawn_are_those_above() -> None:
    names = "Doe, Ann. 2001.", ". 2003.", "Poe, Ben. 2001.", "Roe, Ida. 2004."
    lines = [line for name in names for line in (f"{name} Trees of some towns and", "of others. Acta 1: 2-3.")]
    lefts = (60, 72, 90, 72, 60, 72, 60, 72)
    listed = [(10, 500 - 12 * place, *line) for place, line in enumerate(zip(lines, lefts, strict=True))]
    text = lines_of(("Oaks are old trees (Doe 2003; Roe 2004), and many", "stand in towns (Poe 2001)."), top=690)
    found = read([TITLE, *ABSTRACT, INTRODUCTION, *text, (12, 520, "References"), *listed])
    assert [entry.key for entry in found.entries] == ["1", "Doe 2003", "Poe 2001", "Roe 2004"]
    assert found.keys_without_entry == ()


def test_an_entry_that_hangs_goes_on_in_the_next_column() -> None:
    entries = [
        ("Jane Doe and Ann Moe. How trees of the", "towns grow in general. Acta, 2001."),
        ("Ben Roe, Carl Soe, Dirk Toe, Eve Uoe. Trees.", "In Trees, Oaks of 2000.", "Acta of Trees, 2004."),
        ("Ida Yoe. Of elms that fell in storms.", "PhD thesis, University of Trees, 2005."),
    ]
    first = [(10, 500, entries[0][0], 60), (10, 488, entries[0][1], 72), (10, 476, entries[1][0], 60)]
    second = [(10, 700, entries[1][1], 332), (10, 688, entries[1][2], 332), (10, 676, entries[2][0], 320)]
    text = lines_of(*TEXTS, top=690, indent=15)
    lists = (12, 520, "References"), *first, *second, (10, 664, entries[2][1], 332)
    found = read([TITLE, *ABSTRACT, INTRODUCTION, *text, *lists])
    assert [entry.source for entry in found.entries] == [" ".join(entry) for entry in entries]


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


@pytest.mark.parametrize("named", [True, False])
def test_raised_numbers_are_those_of_notes_where_names_cite_the_list(named: bool) -> None:
    names = " (Doe 2001; Poe 2002), as (Roe 2003) say." if named else ""
    text = f"Trees{raised(1)} grow{raised(2)} and fall.{raised(3)} Some{raised(4 if named else 2)} stand{names or '.'}"
    listed = [
        f"{name}, A. {year}. Trees of {name}. Acta, 1, 2."
        for name, year in (("Doe", 2001), ("Poe", 2002), ("Roe", 2003))
    ]
    lines = [(10, 500 - 12 * place, entry) for place, entry in enumerate(listed)]
    found = read(
        [TITLE, *ABSTRACT, INTRODUCTION, (10, 690, text), *lines_of(*TEXTS, top=678), (12, 520, "References"), *lines]
    )
    cited = [("Doe 2001", "Poe 2002"), ("Roe 2003",)] if named else [("1",), ("2",), ("3",), ("2",)]
    assert [mark.keys for mark in found.marks()] == cited
    assert found.keys_without_entry == ()


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
