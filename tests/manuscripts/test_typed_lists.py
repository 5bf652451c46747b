"""Where a list that is printed below a text begins and ends, and which lines are an entry."""

from collections.abc import Callable, Sequence
from itertools import product

import pytest
from archives import zipped
from printed_list import LIST, text_of
from word_files import bold, document_of_libreoffice, packed_document, paragraph, run

from manuscripts.printed_lists import works_of_note
from manuscripts.reading import read


def test_lines_of_a_list_by_names_may_begin_with_numbers_or_a_word_that_stands_below_others() -> None:
    listed = [
        f"Doe, A. ({year}). How trees grew in the year {year}, and\nwhere. Acta, 3." for year in range(1990, 2010)
    ]
    listed[4] = "Doe, A. (1994). How trees grew in that year, and\nwhere. Acta,\n12. Towns."
    listed[9] = "Doe, A. (1999). How trees grew in that year, and\nwhere. Acta,\n14. Towns."
    listed[14] = "Doe, A. (2004). How trees grew by kinship and\naffiliation: an essay. Acta."
    found = text_of("Trees grew (Doe, 1991; Doe, 2001).", listed="\n".join(listed))
    assert [entry.source for entry in found.entries] == [" ".join(entry.split()) for entry in listed]
    assert found.keys == ("Doe 1991", "Doe 2001")


@pytest.mark.parametrize("mark", ["{}. ", "{}.\t", " {}. ", "{} ", "{}\t"])
@pytest.mark.parametrize("line", ["3D models of trees", "3 years and more", "2nd growth"])
def test_a_line_of_a_numbered_list_may_begin_with_the_next_number(mark: str, line: str) -> None:
    listed = [f"Doe A, Roe B. How trees grow in\n{line}. Acta {year};3:1-9." for year in range(2001, 2006)]
    marked = "\n".join(mark.format(number) + entry for number, entry in enumerate(listed, start=1))
    found = text_of("Trees grow [1], and fall [4].", listed=marked)
    assert [entry.source for entry in found.entries] == [" ".join(entry.split()) for entry in listed]


@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_a_day_at_the_beginning_of_a_line_is_no_mark_of_an_entry(between: str) -> None:
    listed = [f"Doe A, Roe B. How trees grow. Acta 2001;3:1-9. Epub 2000 Mar\n{day}. PMID: 1." for day in (1, 9, 3, 30)]
    listed.append("Doe A. How trees fall. Acta. 2002;4:1-9.")
    marked = between.join(f"{number}. {entry}" for number, entry in enumerate(listed, start=1))
    found = text_of("Trees grow [1], and fall [4].", listed=marked)
    assert [entry.source for entry in found.entries] == [" ".join(entry.split()) for entry in listed]


def test_an_institution_begins_an_entry_also_where_its_year_follows_at_once() -> None:
    listed = [
        "Doe, A. (2001). Of trees. Acta.",
        "R Core Team (2021). R: A language.",
        "Roe, B. (2002). Of graphs. Acta.",
    ]
    found = text_of("Trees grow (Doe, 2001; R Core Team, 2021).", listed="\n".join(listed))
    assert [entry.source for entry in found.entries] == listed
    assert found.keys == ("Doe 2001", "R Core Team 2021")


def test_a_full_name_and_others_begin_an_entry() -> None:
    listed = [
        "Ann Doe and Jo Roe. Of trees. Acta, 2001.",
        "Yu Zhang et al. Of graphs. Acta,\n2002.",
        "Li Wu. Why? 2003.",
    ]
    listed.append("María García-López et al. Of X-rays. Acta, 2004.")
    body = "Trees grow [Doe and Roe, 2001, Zhang et al., 2002]. So do [García-\nLópez et al., 2004] in X-\nray light."
    found = text_of(body, listed="\n".join(listed))
    assert [entry.source for entry in found.entries] == [" ".join(entry.split()) for entry in listed]
    assert found.keys == ("Doe and Roe 2001", "Zhang et al. 2002", "García-López et al. 2004")
    assert found.sections[-1].paragraphs[-1].text == "Trees grow. So do in X-ray light."


def test_names_of_other_scripts_begin_entries() -> None:
    entries = [
        "山田太郎・佐藤花子（1975）「構造物の設計」『論文集』240号、\n15-28。",
        "王小明，李四．树的研究[J]．林业，2015，48(3)：1-9．",
        "鈴木一郎：建築入門，\n版社，1998．",
        "김철수 (2012). 기둥의 성능. 논문집, 24(3), 1-10.",
        "Иванов И. И. Русский язык. М., 1947.",
    ]
    found = read("\n".join(["Title\n\nAbstract: Trees.\n\n参考文献", *entries]).encode())
    assert [entry.source for entry in found.entries] == [entry.replace("\n", " ") for entry in entries]


@pytest.mark.parametrize(
    "note",
    [
        "Karl von der Heyde, Bauern und Herren, in: Eva Roe (Hrsg.), Umbruch, München 1992, S. 45.",
        "Cf. B. de La Rue et A.-S. d’Arc, « L’école », in F. Roe (dir.), L’Inégalité, Paris, PUF, 2004, p. 33-57.",
    ],
)
def test_a_note_may_begin_with_a_name_that_has_a_particle(note: str) -> None:
    assert works_of_note(note)
    assert not works_of_note("Der Rat von Köln, Bonn und Aachen tagte 1850 zum ersten Mal.")


@pytest.mark.parametrize("note", ["目前，2010年的数据表明如此。", "近年「免震」は1998年に普及した。"])
def test_a_note_in_another_script_that_is_a_sentence_is_no_work(note: str) -> None:
    assert not works_of_note(note)
    assert works_of_note("山田太郎『木の歴史』版社、1975年、12頁。")


@pytest.mark.parametrize("heading", ["Appendix", "8 Appendix", "9. Acknowledgements"])
def test_what_stands_behind_the_list_cites_too(heading: str) -> None:
    found = text_of("Trees grow (Doe, 2001).", f"{LIST}\n{heading}\n\nThey fall (Doe & Roe, 2001).")
    assert found.keys == ("Doe 2001", "Doe & Roe 2001")
    assert len(found.entries) == 12


@pytest.mark.parametrize(
    ("mark", "cited"),
    [
        ("[{}] ", (" [1]", " [2]", " [1, 2]")),
        ("{}. ", ("¹", "²", "¹,²")),
        ("", (" (Roe, 2001)", " (Poe, 2002)", " (Lorenz, 2003; Noe, 2004)")),
    ],
)
@pytest.mark.parametrize("heading", ["Supplement\n\nWind blows", "Appendix\nWind blows", "More of wind, which blows"])
def test_every_list_of_a_text_counts(mark: str, cited: tuple[str, ...], heading: str) -> None:
    names = ("Roe", "trees"), ("Poe", "shrubs and\nherbs"), ("Lorenz", "air"), ("Noe", "winds\nand storms")
    works = [f"{name}, A. ({2001 + n}). Of {what}. Acta, {n}, 5-9." for n, (name, what) in enumerate(names)]
    one, two, three, four = (mark.format(n % 2 + 1) + work for n, work in enumerate(works))
    found = read(
        f"On trees\n\nAbstract\n\nWe ask why.\n\nTrees grow{cited[0]}. They fall{cited[1]}.\n\n"
        f"References\n{one}\n{two}\n\n{heading}{cited[2]}.\n\nReferences\n{three}\n{four}\n".encode()
    )
    assert [entry.source for entry in found.entries] == [" ".join(work.split()) for work in works]
    sources = [entry.source for key in found.keys for entry in found.entries if entry.key == key]
    assert (sources, found.keys_without_entry) == ([entry.source for entry in found.entries], ())
    said = " ".join(sentence.text for sentence in found.sentences())
    assert "blows" in said
    assert "Acta" not in said


def test_parts_of_a_list_have_headings_and_a_work_in_two_of_them_is_one() -> None:
    primary, secondary = "Roe, A. (1801). Of trees. Acta, 1, 5-9.", "Poe, B. (2002). Of shrubs. Acta, 2, 5-9."
    found = text_of(
        "Trees grow (Roe, 1801; Poe, 2002).",
        f"{primary}\n\nSecondary literature\n{secondary}\n{primary}\n".replace("Roe", "\nPrimary sources\nRoe", 1),
    )
    assert [(entry.key, entry.source) for entry in found.entries] == [("Roe 1801", primary), ("Poe 2002", secondary)]


@pytest.mark.parametrize("kind", ["list", "notes"])
def test_what_only_refers_to_a_work_before_it_is_no_work_of_its_own(kind: str) -> None:
    notes = (
        *("Ann Roe, Of Trees and Shades (Bern: Acta, 1999), 3.", "Ibid., 14."),
        *("Bob Poe, Of Shrubs and Herbs (Bern: Acta, 2001), 5.", "Vgl. ebd., S. 7.", "Roe, op. cit., 20.", "Ebenda."),
        "Poe, a.a.O., S. 3.",
    )
    numbers = range(1, len(notes) + 1)
    if kind == "list":
        text = " ".join(f"Tree {'abcdefg'[number - 1]} grows [{number}]." for number in numbers)
        found = text_of(text, "\n".join(f"{number}. {note}" for number, note in zip(numbers, notes, strict=True)))
    else:
        text = " ".join(f"Tree {'abcdefg'[number - 1]} grows.[^{number}]" for number in numbers)
        below = "\n".join(f"[^{number}]: {note}" for number, note in zip(numbers, notes, strict=True))
        found = read(zipped({"trees.md": f"# On trees\n\n## Text\n\n{text}\n\n{below}\n"}))
    sources = {entry.key: entry.source for entry in found.entries}
    assert list(sources.values()) == [notes[0], notes[2]]
    cited = [[sources[key] for key in mark.keys] for mark in found.marks()]
    assert cited == [[notes[place]] for place in (0, 0, 2, 2, 0, 0, 2)]


def test_an_entry_may_break_behind_its_authors_and_year() -> None:
    listed = """
Doe, A. B., Roe, C., & van Poe, E. (2005).
How Trees Fall in the North, 2001-2003. Acta, 5.
Noe, F. A Title in Capitals of 1999. Acta 3, 12 (2006).
Moe, G., & Loe, H. (2007a).
Of Graphs. Acta, 6, 2007.
"""
    found = text_of("Trees fall (Doe et al., 2005; Noe, 2006; Moe & Loe, 2007a).", listed)
    assert [entry.key for entry in found.entries] == ["Doe et al. 2005", "Noe 2006", "Moe & Loe 2007a"]
    assert found.entries[0].source.endswith("Acta, 5.")


def in_word(heading: str) -> bytes:
    above = paragraph("Titel", run("On trees")) + paragraph("berschrift1", run("Introduction"))
    lines = ("Trees grow (Doe, 2001).", heading, *LIST.strip().splitlines())
    return packed_document(above + "".join(paragraph("", run(line)) for line in lines))


def in_libreoffice(heading: str) -> bytes:
    lines = ("Trees grow (Doe, 2001).", heading, *LIST.strip().replace("&", "&amp;").splitlines())
    return document_of_libreoffice("".join(f"<text:p>{line}</text:p>" for line in lines))


def in_markdown(heading: str) -> bytes:
    return f"# On trees\n\nTrees grow (Doe, 2001).\n\n## {heading}\n\n{LIST}".encode()


def in_text(heading: str) -> bytes:
    return f"On trees\n\nTrees grow (Doe, 2001).\n\n{heading}\n{LIST}".encode()


HEADINGS = (
    "REFERENCES CITEES", "R E F E R E N C E S", "Re\u0301fe\u0301rences", "5. Referencias bibliográficas",
    "参 考 文 献", "قائمة المراجع", "Selected Bibliography", "Quellen- und Literaturverzeichnis",
    "Références bibliographiques", "Referencias", "Bibliografía", "Bibliografia", "Referências", "Literatuurlijst",
    "Referenser", "Literatura", "Список литературы", "Βιβλιογραφία", "参考文献", "引用文献", "참고문헌", "منابع",
    "רשימת מקורות", "Daftar Pustaka", "TÀI LIỆU THAM KHẢO",
)  # fmt: skip


@pytest.mark.parametrize(
    ("made", "heading"),
    [*product((in_text,), HEADINGS), *product((in_word, in_libreoffice, in_markdown), HEADINGS[:6])],
)
def test_a_list_may_have_a_heading_in_another_language(made: Callable[[str], bytes], heading: str) -> None:
    found = read(made(heading))
    assert [mark.keys for mark in found.marks()] == [("Doe 2001",)]
    assert len(found.entries) == 12


def in_levels_of_word(first: Sequence[str], others: Sequence[str]) -> bytes:
    def lines(level: int, heading: str, *texts: str) -> str:
        return paragraph(f"berschrift{level}", run(heading)) + "".join(paragraph("", run(text)) for text in texts)

    text = paragraph("Titel", run("On trees")) + lines(1, "Introduction", "Trees grow (Doe, 2001).")
    parts = lines(2, "Primärquellen", *first) + lines(2, "Literatur", *others) + lines(2, "Danksagung", "We thank all.")
    return packed_document(text + lines(1, "Quellen- und Literaturverzeichnis") + parts)


def in_levels_of_libreoffice(first: Sequence[str], others: Sequence[str]) -> bytes:
    def lines(level: int, heading: str, *texts: str) -> str:
        below = "".join(f"<text:p>{text.replace('&', '&amp;')}</text:p>" for text in texts)
        return f'<text:h text:outline-level="{level}">{heading}</text:h>{below}'

    text = "<text:p>Trees grow (Doe, 2001).</text:p>" + lines(1, "Quellen- und Literaturverzeichnis")
    parts = lines(2, "Primärquellen", *first) + lines(2, "Literatur", *others) + lines(2, "Danksagung", "We thank all.")
    return document_of_libreoffice(text + parts)


def in_levels_of_markdown(first: Sequence[str], others: Sequence[str], mark: str = "## {}") -> bytes:
    parts = ("Primärquellen", *first, "Literatur", *others, "Danksagung", "We thank all.")
    below = (mark.format(part) if part in ("Primärquellen", "Literatur", "Danksagung") else part for part in parts)
    text = "# On trees\n\nTrees grow (Doe, 2001).\n\n# Quellen- und Literaturverzeichnis\n\n"
    return (text + "\n\n".join(below)).encode()


def in_bold_of_markdown(first: Sequence[str], others: Sequence[str]) -> bytes:
    return in_levels_of_markdown(first, others, "**{}**")


@pytest.mark.parametrize(
    "made", [in_levels_of_word, in_levels_of_libreoffice, in_levels_of_markdown, in_bold_of_markdown]
)
@pytest.mark.parametrize("name", ["", "p.md"])
def test_a_list_goes_on_below_headings_of_a_lower_level(made: Callable[..., bytes], name: str) -> None:
    entries = LIST.strip().splitlines()
    found = read(made(entries[:4], entries[4:]), name)
    assert [mark.keys for mark in found.marks()] == [("Doe 2001",)]
    assert [entry.source for entry in found.entries] == entries
    text = " ".join(sentence.text for sentence in found.sentences())
    assert "quellen" not in text
    assert text.endswith("We thank all.")


def below_a_list_of_word(*lines: str) -> bytes:
    """Lines below a list, of which one that begins with ## is a heading of a lower level, and with ** in bold."""
    looks = {"#": ("berschrift2", run), "*": ("", bold)}
    styled = ((*looks.get(line[0], ("", run)), line.strip("#* ")) for line in lines)
    return packed_document(
        paragraph("Titel", run("On trees"))
        + paragraph("", run("Trees grow (Doe, 2001)."))
        + paragraph("berschrift1", run("References"))
        + "".join(paragraph(style, made(text)) for style, made, text in styled)
    )


def below_a_list_of_markdown(*lines: str) -> bytes:
    return "\n\n".join(("# On trees", "Trees grow (Doe, 2001).", "# References", *lines)).encode()


@pytest.mark.parametrize("made", [below_a_list_of_word, below_a_list_of_markdown])
@pytest.mark.parametrize(
    "headings", [["## Online methods"], ["**Online methods**"], ["## Online methods", "## Sampling"]]
)
def test_a_lower_heading_with_text_below_it_ends_the_list(made: Callable[..., bytes], headings: list[str]) -> None:
    entries = LIST.strip().splitlines()
    found = read(
        made(*entries, *headings, "Briefly, leaves were cut in 2003 (May & Ho, 2017).", "We dried them."), "p.md"
    )
    assert [entry.source for entry in found.entries] == entries
    assert [one.text for one in found.sentences()][-2:] == ["Briefly, leaves were cut in 2003.", "We dried them."]
    text = [part.heading for part in found.sections] + [one.text for one in found.sentences()]
    assert {heading.strip("#* ") for heading in headings} <= set(text)


@pytest.mark.parametrize("made", [below_a_list_of_word, below_a_list_of_markdown])
def test_an_entry_in_bold_is_no_heading(made: Callable[..., bytes]) -> None:
    first, *others = LIST.strip().splitlines()
    own = "Doe, J. (2002). Of leaves and of doi:10.1000/t"
    found = read(made("**Our own**", f"**{own}**", "## Books", "**Others**", first, f"**{own}**", *others), "p.md")
    assert [entry.source for entry in found.entries] == [own, first, own, *others]


@pytest.mark.parametrize("heading", ["Anhang A: Daten", "Annexe", "附录", "Agradecimientos"])
def test_what_stands_behind_the_list_may_have_a_heading_in_another_language(heading: str) -> None:
    found = text_of("Trees grow (Doe, 2001).", f"{LIST}\n{heading}\n\nThey fall (Doe & Roe, 2001).")
    assert found.keys == ("Doe 2001", "Doe & Roe 2001")
    assert len(found.entries) == 12


def test_a_line_of_a_text_that_only_begins_like_a_heading_is_none() -> None:
    found = text_of("Trees grow (Doe, 2001).\n\nReferencias a árboles\n\nThey fall (Doe & Roe, 2001).")
    assert len(found.entries) == 12
    assert found.keys == ("Doe 2001", "Doe & Roe 2001")


CHICAGO = """
Foucault, Michel. 1970. The Order of Things. London: Tavistock.
{dash} 1977. Discipline and Punish: The Birth of the Prison. New York: Vintage.
Marx, Karl. [1867] 1976. Capital: A Critique. London: Penguin.
Thompson, E. P. 1967. “Time, Work-Discipline, and Capitalism.” Past & Present 38: 56–97.
{dash} 1991. Customs in Common. London: Merlin.
{dash}, and Ann Roe. 1993. Witness against the Beast. Cambridge: University Press.
"""


@pytest.mark.parametrize("made", ["text", "markdown", "word"])
@pytest.mark.parametrize("dash", ["———.", "—.", "___.", "---.", "———"])
def test_a_dash_in_a_list_stands_for_the_authors_above(dash: str, made: str) -> None:
    listed = CHICAGO.replace("{dash},", f"{dash.rstrip('.')},").replace("{dash}", dash).strip().splitlines()
    cited = ("Foucault 1970", "Foucault 1977", "Marx 1976", "Thompson 1967", "Thompson 1991", "Thompson and Roe 1993")
    body = [
        "Order (Foucault 1970, 1977, 195). So is capital (Marx [1867] 1976, 3), says Marx ([1867] 1976).",
        "Customs (Thompson 1967; 1991; see Thompson and Roe 1993). As Thompson (1991) says.",
    ]
    if made == "word":
        above = paragraph("Titel", run("On order")) + paragraph("berschrift1", run("Introduction"))
        written = packed_document(above + "".join(paragraph("", run(line)) for line in (*body, "References", *listed)))
    else:
        heading = "## References" if made == "markdown" else "References"
        written = "\n\n".join(("# On order", *body, heading, *listed)).encode()
    found = read(written)
    assert tuple(entry.key for entry in found.entries) == cited
    assert [keys for mark in found.marks() for keys in mark.keys] == [
        *cited[:3], "Marx 1976", *cited[3:], "Thompson 1991",
    ]  # fmt: skip
    assert found.unread == ()


def test_a_dash_in_lines_of_a_list_begins_an_entry() -> None:
    listed = CHICAGO.replace("{dash}, and", "———, and").replace("{dash}", "———.")
    found = text_of("Order (Foucault 1977) and customs (Thompson 1991).", listed)
    assert [entry.source for entry in found.entries] == listed.strip().splitlines()
    assert found.keys == ("Foucault 1977", "Thompson 1991")


def test_a_dash_before_every_item_of_a_list_stands_for_nobody() -> None:
    listed = "\n".join(f"– {line}" for line in LIST.strip().splitlines())
    found = text_of("Trees grow (Doe, 2001; van der Berg, 2012).", listed)
    assert found.keys_without_entry == ()


@pytest.mark.parametrize("name", ["van der Doe, K.", "dos Santos, M.", "zum Felde, K."])
def test_a_title_below_its_authors_and_year_begins_no_entry(name: str) -> None:
    listed = f"{name}, and Roe, J. (2001).\nNorthern, J., trees of the north in 2001. Acta 3, 1-9."
    found = read(f"Trees grow.\n\nReferences\n\n{listed}\nPoe, K. (2003). Birds. Acta 4, 5-6.\n".encode())
    assert len(found.entries) == 2


@pytest.mark.parametrize(
    "cut", ["https://doi.org/10|.1000/acta.2003.12345", "10.1000/acta.2|003.12345.", "10.1000/acta.|2003123"]
)
def test_a_doi_goes_on_in_the_next_line_and_a_number_of_a_page_is_no_part_of_it(cut: str) -> None:
    entries = [f"Doe, A. (2001). Of trees. Acta, 3. {cut}", "Roe, B. (2002). Of graphs. Acta, 4. 10.1000/acta.1"]
    listed = "\n".join(entries).replace("|", "\n") + "\n17\n\nPoe, C. (2003). Of leaves. Acta, 5."
    found = text_of("Trees grow (Doe, 2001; Roe, 2002; Poe, 2003).", listed=listed)
    whole = cut.replace("|", "").removeprefix("https://doi.org/").rstrip(".")
    assert [one.readings[0].doi for one in found.entries] == [whole, "10.1000/acta.1", ""]


@pytest.mark.parametrize(
    "line", ["(2)", "2)", "(2001)", "2001-03-12", "12/03/2001", "12-15.", "Roe02", "PMC123456", "10.1000/acta.1"]
)
def test_a_line_of_its_own_goes_on_no_address_above_it(line: str) -> None:
    listed = f"Doe, A. (2001). Of trees. Acta. https://acta.org/1000/x2\n{line}\nRoe, B. (2002). Of graphs. Acta, 4."
    found = text_of("Trees grow (Doe, 2001; Roe, 2002).", listed=listed + "\nPoe, C. (2003). Of leaves. Acta, 5.")
    assert [f"x2{line}" in one.source for one in found.entries] == [False] * 3
