"""Lists of references in PDFs and what cites them, by how their lines are set."""

import pytest
from pdf_files import raised
from pdf_pages import ABSTRACT, INTRODUCTION, TEXTS, TITLE, lines_of, paragraphs, read, with_list


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


@pytest.mark.parametrize("mark", ["[{}]", "{}."])
def test_marks_that_are_drawn_before_all_entries_of_a_page_are_those_of_their_lines(mark: str) -> None:
    entries = [(f"{name} Doe, Trees in {name} towns and", "in others, Acta of Trees 1, 9 (2001).") for name in "ABCDE"]
    marks = [(10, 700 - 24 * place, mark.format(place + 1), 60) for place in range(5)]
    listed = [(10, 700 - 12 * place, line, 85) for place, line in enumerate(line for one in entries for line in one)]
    text = (10, 690, "Trees grow [1], fall [2, 3] and [5] stand.")
    found = read([TITLE, *ABSTRACT, INTRODUCTION, text, (12, 600, "References")], [*marks, *listed])
    assert [one.source for one in found.entries] == [" ".join(entry) for entry in entries]
    assert [one.keys for one in found.marks()] == [("1",), ("2", "3"), ("5",)]


def test_marks_that_are_drawn_before_the_entries_of_two_columns_are_those_of_their_column() -> None:
    names, pages = "ABCDEF", (TITLE, *ABSTRACT, INTRODUCTION, (10, 690, "Trees grow [1], fall [2, 3] and [5] stand."))
    marks = [(10, 700 - 12 * (n % 3), f"[{n + 1}]", 60 + 260 * (n // 3)) for n in range(6)]
    entries = [f"{name} Doe, Trees in {name} towns, Acta 1, 9 (2001)." for name in names]
    columns = [(10, 700 - 12 * (n % 3), entry, 85 + 260 * (n // 3)) for n, entry in enumerate(entries)]
    listed = [*marks[:3], *columns[:3], *marks[3:], *columns[3:]]
    assert [one.source for one in read([*pages], [(12, 720, "References"), *listed]).entries] == entries


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
    found = with_list(listed)
    assert [one.source for one in found.entries] == [" ".join(entry) for entry in entries]
    assert paragraphs(found) == [" ".join(text) for text in TEXTS]


def test_a_label_whose_sign_of_more_authors_is_raised_is_one() -> None:
    label = "DRP" + raised(" +") + "05]"
    listed = [f"[{label} A. Doe et al. Trees. Acta, 2005.", "[Roe01] C. Roe. How oaks grow. Acta, 2001."]
    lines = [(10, 500 - 12 * place, entry) for place, entry in enumerate(listed)]
    text = (10, 690, f"Trees grow [{label} and fall [{label}, as oaks [Roe01].")
    found = with_list(lines, [text])
    assert [one.keys for one in found.marks()] == [("DRP+05",), ("DRP+05",), ("Roe01",)]
    assert found.entries[0].source == "A. Doe et al. Trees. Acta, 2005."


def test_a_journal_with_which_a_line_begins_behind_a_title_begins_no_entry() -> None:
    entries = [
        (f"{name}, J., & Roe, A. \\({year}\\). Trees in towns.", f"{journal}, 3\\(1\\), 9-{end}")
        for name, year, journal, end in (
            ("Adams", 2001, "Forest Bulletin", "10. https://doi.org/10.1000/a.2001.3"),
            ("Brown", 2002, "Acta", "10."),
            ("Clark", 2003, "Research and Trees", "10. doi:10.1000/c.3.2004"),
            ("Davis", 2004, "Acta", "11."),
        )
    ]
    listed = [(10, 500 - 12 * place, line) for place, line in enumerate(line for one in entries for line in one)]
    assert [one.source for one in with_list(listed).entries] == [" ".join(one).replace("\\", "") for one in entries]


def test_the_year_of_an_entry_may_stand_below_its_address() -> None:
    names = "Adams, J.", "Brown, J.", "Clark, J.", "Davis, J."
    entries = [(f"{name} Trees in towns. Acta. https://example.org/{name[:5]},", "2001.") for name in names]
    listed = [(10, 500 - 12 * place, line) for place, line in enumerate(line for one in entries for line in one)]
    assert [one.source for one in with_list(listed).entries] == [" ".join(one) for one in entries]


@pytest.mark.parametrize("hanging", [0, 15])
def test_a_list_ends_at_a_heading_below_which_another_follows(hanging: float) -> None:
    names = "Doe, A. (2001).", "Poe, A. (2002). Oaks", "Roe, A. (2003). Elms", "Toe, A. (2004). Limes"
    entries = [(name, "of some towns and of others. Acta of Trees,", "1(1), 2-3.") for name in names]

    def listed(some: list[tuple[str, str, str]], top: float) -> list:
        lines = [(text, hanging if place else 0) for entry in some for place, text in enumerate(entry)]
        return [(10, top - 12 * place, text, 60 + left) for place, (text, left) in enumerate(lines)]

    supplement = [(12, 410, "Of elms"), (10, 396, "Elms are seldom found, and their"), (10, 384, "number falls.")]
    found = with_list([*listed(entries[:2], 500), *supplement, (12, 364, "References"), *listed(entries[2:], 350)])
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
    found = with_list(listed)
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
    found = with_list(lines)
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
    found = with_list(listed)
    assert [entry.source for entry in found.entries] == [" ".join(entry) for entry in entries]


def test_authors_for_whom_a_dash_is_drawn_are_those_above() -> None:
    names = "Doe, Ann. 2001.", ". 2003.", "Poe, Ben. 2001.", "Roe, Ida. 2004."
    lines = [line for name in names for line in (f"{name} Trees of some towns and", "of others. Acta 1: 2-3.")]
    lefts = (60, 72, 90, 72, 60, 72, 60, 72)
    listed = [(10, 500 - 12 * place, *line) for place, line in enumerate(zip(lines, lefts, strict=True))]
    text = lines_of(("Oaks are old trees (Doe 2003; Roe 2004), and many", "stand in towns (Poe 2001)."), top=690)
    found = with_list(listed, text)
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
    found = with_list([*first, *second, (10, 664, entries[2][1], 332)])
    assert [entry.source for entry in found.entries] == [" ".join(entry) for entry in entries]


@pytest.mark.parametrize("named", [True, False])
def test_raised_numbers_are_those_of_notes_where_names_cite_the_list(named: bool) -> None:
    names = " (Doe 2001; Poe 2002), as (Roe 2003) say." if named else ""
    text = f"Trees{raised(1)} grow{raised(2)} and fall.{raised(3)} Some{raised(4 if named else 2)} stand{names or '.'}"
    listed = [
        f"{name}, A. {year}. Trees of {name}. Acta, 1, 2."
        for name, year in (("Doe", 2001), ("Poe", 2002), ("Roe", 2003))
    ]
    lines = [(10, 500 - 12 * place, entry) for place, entry in enumerate(listed)]
    found = with_list(lines, [(10, 690, text), *lines_of(*TEXTS, top=678)])
    cited = [("Doe 2001", "Poe 2002"), ("Roe 2003",)] if named else [("1",), ("2",), ("3",), ("2",)]
    assert [mark.keys for mark in found.marks()] == cited
    assert found.keys_without_entry == ()


def test_a_list_ends_at_a_heading_behind_its_entries() -> None:
    entries = [
        "[1] A. Doe. Trees of towns. Acta, 1, 2001.",
        "[2] B. Roe. Oaks. Acta, 2, 2002.",
        "[3] C. Poe. Elms, 2003.",
    ]
    listed = [(10, 660 - 14 * place, entry) for place, entry in enumerate(entries)]
    behind = [(12, 560, "A Questions of the survey"), (10, 530, "How old are the trees of your town, and of others?")]
    text = (10, 690, "Trees stand in towns [1, 2] and in the country [3].")
    found = read([TITLE, *ABSTRACT, INTRODUCTION, text], [(12, 690, "References"), *listed, *behind])
    assert [one.source for one in found.entries] == [entry[4:] for entry in entries]
    assert [one.text for one in found.sentences()][-1] == behind[1][2]
