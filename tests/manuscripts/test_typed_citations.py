"""Citations that are typed as text name the entries of the list that is printed below."""

import random
import re
from collections.abc import Callable, Sequence

import pytest
from archives import zipped
from word_files import bold, document_of_libreoffice, packed_document, paragraph, run

from manuscripts.manuscript import Manuscript
from manuscripts.reading import read

LIST = """
Doe, A. B. (2001). Of trees and of graphs. Acta, 3(2), 1-9. https://doi.org/10.1000/1999
Doe, A. B., & Roe, C. (2001). How graphs grow. Acta, 4, 2003-2010.
Doe, A. B., Roe, C., & Poe, E. (2005). How trees fall. Acta, 5.
Müller-Lyer, F. (1889a). On lines. Acta, 1.
Müller-Lyer, F. (1889b). On other lines. Acta, 1.
O'Brien, J., & van der Berg, K. (2010). On walks. Acta, 9.
van der Berg, K. (2012). On long walks. Acta, 10.
World Health Organization. (2019). Report on trees. WHO Press.
R Core Team. (2020). R: A language for computing. Vienna.
Smith, Z. (in press). On leaves. Acta.
Cabrera Perez, R., May, S., & Ho, K. (2019). On roots. Acta.
May, S., & Ho, K. (2017). On bark. Acta.
"""
NAMES = {
    "Doe 2001": 1, "Doe & Roe 2001": 2, "Doe and Roe 2001": 2, "Doe et al. 2005": 3, "Müller-Lyer 1889a": 4,
    "Müller-Lyer 1889b": 5, "O’Brien and van der Berg 2010": 6, "Van der Berg 2012": 7,
    "World Health Organization 2019": 8, "R Core Team 2020": 9, "Smith in press": 10,
    "Cabrera Perez et al. 2019": 11, "May and Ho 2017": 12,
}  # fmt: skip


def with_comma(name: str) -> str:
    """As it stands in brackets: "Doe, 2001"."""
    return re.sub(r" (\d\S+|in press)$", r", \1", name)


def text_of(body: str, listed: str = LIST) -> Manuscript:
    return read(f"On trees\n\nAbstract\n\nWe ask why trees grow.\n\n{body}\n\nReferences\n{listed}".encode())


def sentence_of(body: str, **more: str) -> tuple[str, list[tuple[str, ...]], list[str]]:
    """The text of a paragraph behind one that cites twice, its keys and its forms."""
    found = text_of(f"Trees grow (Doe, 2001; Doe et al., 2005).\n\n{body}", **more)
    paragraph = found.sections[-1].paragraphs[-1]
    marks = [mark for sentence in paragraph.sentences for mark in sentence.marks]
    return paragraph.text, [mark.keys for mark in marks], [mark.form for mark in marks]


@pytest.mark.parametrize(
    ("body", "text", "keys"),
    [
        ("So it is (Doe & Roe, 2001).", "So it is.", [("Doe & Roe 2001",)]),
        ("So it is (Doe and Roe 2001, p. 12).", "So it is.", [("Doe and Roe 2001",)]),
        ("So it is (see also Doe et al., 2005, pp. 3–4, for a review).", "So it is.", [("Doe et al. 2005",)]),
        ("So (e.g., Doe, 2001; but see Müller-Lyer, 1889a, b), it is.", "So, it is.",
         [("Doe 2001", "Müller-Lyer 1889a", "Müller-Lyer 1889b")]),
        ("So it is (Müller-Lyer 1889b: 7).", "So it is.", [("Müller-Lyer 1889b",)]),
        ("So it is [O’Brien and van der Berg, 2010].", "So it is.", [("O’Brien and van der Berg 2010",)]),
        ("So it is (World Health Organization, 2019).", "So it is.", [("World Health Organization 2019",)]),
        ("So it is (R Core Team, 2020; Smith, in press).", "So it is.", [("R Core Team 2020", "Smith in press")]),
        ("They are many (N = 412; Doe, 2001).", "They are many (N = 412).", [("Doe 2001",)]),
        ("They came in spring (March, 2001; n = 3).", "They came in spring (March, 2001; n = 3).", []),
        ("He said so (A. Moe, personal communication, May 2019).",
         "He said so (A. Moe, personal communication, May 2019).", []),
        ("In 2001 (the year of trees) they grew.", "In 2001 (the year of trees) they grew.", []),
        ("So it is (Moe, 2018; Doe, 2001).", "So it is.", [("Moe 2018", "Doe 2001")]),
        ("So it is (Doe, 2002).", "So it is.", [("Doe 2002",)]),
        ("So ist es (vgl. Doe/Roe 2001: 3f.; Doe u. a. 2005, S. 7).", "So ist es.",
         [("Doe/Roe 2001", "Doe et al. 2005")]),
        ("C’est ainsi (voir Doe et coll., 2005).", "C’est ainsi.", [("Doe et al. 2005",)]),
        ("So it is (Doe & Moe, 2001).", "So it is.", [("Doe & Moe 2001",)]),
        ("Assim é (Doe e Roe, 2001).", "Assim é.", [("Doe e Roe 2001",)]),
        ("Così è (Doe, Roe e Poe, 2005).", "Così è.", [("Doe et al. 2005",)]),
        ("Så är det (Doe och Roe, 2001; Doe m.fl., 2005).", "Så är det.", [("Doe och Roe 2001", "Doe et al. 2005")]),
        ("Так и есть (Doe и Roe, 2001).", "Так и есть.", [("Doe и Roe 2001",)]),
        ("就是这样（Doe & Roe，2001）。", "就是这样。", [("Doe & Roe 2001",)]),
    ],
)  # fmt: skip
def test_citations_in_brackets(body: str, text: str, keys: list[tuple[str, ...]]) -> None:
    assert sentence_of(body)[:2] == (text, keys)


@pytest.mark.parametrize(
    ("body", "text", "keys"),
    [
        ("Doe (2001) says so.", "says so.", [("Doe 2001",)]),
        ("Doe and Roe’s (2001) trees grow.", "trees grow.", [("Doe and Roe 2001",)]),
        ("Doe e Roe (2001) dizem.", "dizem.", [("Doe e Roe 2001",)]),
        ("Doe och Roe (2001) säger det.", "säger det.", [("Doe och Roe 2001",)]),
        ("Doe e colleghi (2005) lo dicono.", "lo dicono.", [("Doe et al. 2005",)]),
        ("Doe et al.’s (2005) trees fall.", "trees fall.", [("Doe et al. 2005",)]),
        ("O'Brien and van der Berg's (2010) trees walk.", "trees walk.", [("O'Brien and van der Berg 2010",)]),
        ("Doe and colleagues' (2005) trees fall.", "trees fall.", [("Doe et al. 2005",)]),
        ("Likewise, Doe et al. (2005, p. 3) say so.", "Likewise, say so.", [("Doe et al. 2005",)]),
        ("Trees, Doe (2001) says, grow.", "Trees, says, grow.", [("Doe 2001",)]),
        ("Van der Berg (2012) walks.", "walks.", [("Van der Berg 2012",)]),
        ("Moe et al. (2018) say no.", "say no.", [("Moe et al. 2018",)]),
        ("Moe and Noe (2018) say no.", "say no.", [("Moe and Noe 2018",)]),
        ("Moe & Noe’s (2018) trees fall.", "trees fall.", [("Moe & Noe 2018",)]),
        ("However, Moe, Noe, and Loe (2018) say no.", "However, say no.", [("Moe, Noe, and Loe 2018",)]),
        ("Recently, Moe et al. (2018) say no.", "Recently, say no.", [("Moe et al. 2018",)]),
        ("Reilly, Moe and Noe (2018) say no.", "say no.", [("Reilly, Moe and Noe 2018",)]),
        ("In Moe und Noe (2018) steht es.", "In steht es.", [("Moe und Noe 2018",)]),
        ("According to Moe (2018), trees fall.", "According to, trees fall.", [("Moe 2018",)]),
        ("As Moe (2018) clearly shows, trees fall.", "As clearly shows, trees fall.", [("Moe 2018",)]),
        ("In his Theorem, Moe (2018) found it.", "In his Theorem, found it.", [("Moe 2018",)]),
        ("We use Moe’s (2018) trees.", "We use trees.", [("Moe 2018",)]),
        ("Windows (2018) opened.", "Windows (2018) opened.", []),  # one name may be that of anything
        (
            "In Germany (2015) and with Springer (2010) they grow.",
            "In Germany (2015) and with Springer (2010) they grow.",
            [],
        ),
        ("Between March and May (2018) they grow.", "Between March and May (2018) they grow.", []),
        ("The wars in B&H (1995) and Table (2001) show it.", "The wars in B&H (1995) and Table (2001) show it.", []),
        ("Since May (2001) they grow.", "Since May (2001) they grow.", []),
    ],
)
def test_citations_in_the_text(body: str, text: str, keys: list[tuple[str, ...]]) -> None:
    found, cited, forms = sentence_of(body)
    assert (found, cited) == (text, keys)
    assert forms == ["text"] * len(keys)


@pytest.mark.parametrize("separator", ["\n", "\n\n", "\n- ", "\n\n* "])
def test_every_entry_is_called_as_it_is_cited_first(separator: str) -> None:
    cited = "; ".join(map(with_comma, NAMES))
    listed = separator + LIST.strip().replace("\n", separator)
    found = text_of(f"Trees grow ({cited}).", listed)
    names = {number: name for name, number in reversed(NAMES.items())}
    assert [entry.key for entry in found.entries] == [names[number] for number in range(1, 13)]
    assert found.keys_without_entry == ()
    assert found.entries[0].readings[0].doi == "10.1000/1999"
    assert all(paper.id == entry.key for entry in found.entries for paper in entry.readings)


def test_numbers_in_square_brackets() -> None:
    listed = "\n".join(f"[{number}] {line}" for number, line in enumerate(LIST.strip().splitlines(), start=1))
    found = text_of(
        "Trees grow [1, 3–5]. They fall [10] in [0, 1].\n\nThey do [2; 7], as Doe (2001) says. "
        "They stay [6, Sec. 2]. So it is [1, 3, Theorem 4], [2, pp. 3–5], [4, § 2, i.e. 3], and not "
        "[5, many] or [1, p. 2; x].",
        listed,
    )
    marks = [(sentence.text, [mark.keys for mark in sentence.marks]) for sentence in found.sentences()]
    assert marks[-5:] == [
        ("Trees grow.", [("1", "3", "4", "5")]),
        ("They fall in [0, 1].", [("10",)]),
        ("They do, as Doe (2001) says.", [("2", "7")]),
        ("They stay.", [("6",)]),
        ("So it is, and not [5, many] or [1, p. 2; x].", [("1", "3", "2", "4")]),
    ]


@pytest.mark.parametrize(
    ("citation", "keys"),
    [
        ("[1, p. 2; 3]", ("1", "3")),
        ("[1, pp. 2, 5; 3–5, Fig. 2; 7, Sec. 3.1]", ("1", "3", "4", "5", "7")),
        (r"\[1, p. 2; 3\]", ("1", "3")),
        ("[2; 1, Theorem 4]", ("2", "1")),
    ],
)
def test_places_in_works_stand_before_other_numbers(citation: str, keys: tuple[str, ...]) -> None:
    listed = "\n".join(f"[{number}] {line}" for number, line in enumerate(LIST.strip().splitlines(), start=1))
    assert [mark.keys for mark in text_of(f"Trees grow {citation}.", listed).marks()] == [keys]


def test_places_in_works_stand_before_other_labels() -> None:
    found = text_of("Trees [Doe20a, p. 3; vdBR99, Ch. 2, 3; DRP+05] grow [RFC2119, Sec. 2; see below].", LABELLED)
    assert [mark.keys for mark in found.marks()] == [("Doe20a", "vdBR99", "DRP+05"), ("RFC2119",)]


NUMBERED = "\n".join(f"{number}. Doe, A. How tree {number} grows. Acta, 2001." for number in range(1, 6))


@pytest.mark.parametrize(
    ("body", "cited"),
    [
        ("Trees grow (1, 2). Graphs (3–5), which f(2) says, do as in Eq. (1), step (2) and (3).",
         [("1", "2"), ("3", "4", "5")]),
        ("We (1) grow trees, (2) fell them.", []),  # 2 of 5
        ("Trees grow [1] and we ask about trees (2) and graphs (3), as well as (4) others (5).", [("1",)]),
    ],
)  # fmt: skip
def test_numbers_in_round_brackets_cite_where_they_name_most_entries(body: str, cited: list[tuple[str, ...]]) -> None:
    assert [mark.keys for mark in text_of(body, listed=NUMBERED).marks()] == cited


def test_lines_of_a_list_by_names_may_begin_with_numbers() -> None:
    listed = [
        f"Doe, A. ({year}). How trees grew in the year {year}, and\nwhere. Acta, 3." for year in range(1990, 2010)
    ]
    listed[4] = "Doe, A. (1994). How trees grew in that year, and\nwhere. Acta,\n12. Towns."
    listed[9] = "Doe, A. (1999). How trees grew in that year, and\nwhere. Acta,\n14. Towns."
    found = text_of("Trees grew (Doe, 1991; Doe, 2001).", listed="\n".join(listed))
    assert [entry.source for entry in found.entries] == [" ".join(entry.split()) for entry in listed]
    assert found.keys == ("Doe 1991", "Doe 2001")


def test_an_institution_begins_an_entry_also_where_its_year_follows_at_once() -> None:
    listed = [
        "Doe, A. (2001). Of trees. Acta.",
        "R Core Team (2021). R: A language.",
        "Roe, B. (2002). Of graphs. Acta.",
    ]
    found = text_of("Trees grow (Doe, 2001; R Core Team, 2021).", listed="\n".join(listed))
    assert [entry.source for entry in found.entries] == listed
    assert found.keys == ("Doe 2001", "R Core Team 2021")


LABELLED = """
[Doe20a] A. Doe. How trees fall in autumn. Acta, 2020.
[DRP+05] A. Doe, C. Roe, E. Poe, and others. Trees and
their graphs in towns. Acta, 2005.
[vdBR99] K. van der Berg and C. Roe. Long walks. Acta, 1999.
[RFC2119] S. Bradner. Key words for use in RFCs. 1997.
"""


def test_labels_in_square_brackets() -> None:
    body = "Trees fall [Doe20a, vdBR99]. They walk [DRP+05, Section 3] in [0, 1] and MUST [RFC2119]. Who else [Roe01]?"
    found = text_of(body, listed=LABELLED)
    assert [entry.key for entry in found.entries] == ["Doe20a", "DRP+05", "vdBR99", "RFC2119"]
    assert found.entries[1].source.endswith("Trees and their graphs in towns. Acta, 2005.")
    assert [mark.keys for mark in found.marks()] == [("Doe20a", "vdBR99"), ("DRP+05",), ("RFC2119",), ("Roe01",)]
    assert found.sections[-1].paragraphs[-1].text == "Trees fall. They walk in [0, 1] and MUST. Who else?"


def test_what_is_not_recognised_counts_as_cited_and_what_lacks_its_entry_is_told() -> None:
    found = text_of("Trees grow (Doe, 2001; Roe, 1999; Doe et al., 2005).")
    assert found.keys == ("Doe 2001", "Roe 1999", "Doe et al. 2005")
    assert found.keys_without_entry == ("Roe 1999",)
    assert found.unread == ("no entry for the key Roe 1999",)
    assert found.cited == found.entries
    assert len(found.cited) == 12


def test_a_list_that_the_text_does_not_refer_to_leaves_it_as_it_is() -> None:
    found = text_of("Trees grow (Moe, 2015). They fall (Noe, 2016; Loe, 2017). So it is (Doe, 2001).")
    assert found.keys == ()
    assert [entry.key for entry in found.entries] == [str(number) for number in range(1, 13)]
    assert "They fall (Noe, 2016; Loe, 2017)." in {sentence.text for sentence in found.sentences()}


def test_what_stands_behind_the_list_cites_too() -> None:
    found = text_of("Trees grow (Doe, 2001).", f"{LIST}\nAppendix\n\nThey fall (Doe & Roe, 2001).")
    assert found.keys == ("Doe 2001", "Doe & Roe 2001")
    assert len(found.entries) == 12


@pytest.mark.parametrize("name", ["trees.md", ""])
def test_lines_are_found_again_without_their_citations(name: str) -> None:
    above = "# On trees\n\n## Abstract\n\nWe ask why.\n\n## Growth\n\n"
    text = f"{above}Trees grow (Doe, 2001).\n\nDoe and Roe (2001) say so.\n\n## References\n{LIST}"
    found = read(zipped({name: text}) if name else text.encode())
    lines = {sentence.text: sentence.place.line for sentence in found.sentences() if sentence.place}
    assert (lines["Trees grow."], lines["say so."]) == (9, 11)


@pytest.mark.parametrize("seed", range(20))
def test_nothing_but_citations_is_lost(seed: int) -> None:
    """Words with citations strewn among them: what is left are the words, and the citations are those that were."""
    generator = random.Random(seed)
    words, expected = [], []
    for number in range(200):
        words.append(f"word{number}")
        if generator.random() < 0.3:
            name = generator.choice(list(NAMES))
            words.append(f"({with_comma(name)})")
            expected.append(NAMES[name])
    found = text_of(" ".join(words) + ".")
    paragraph = found.sections[-1].paragraphs[-1]
    assert paragraph.text == " ".join(f"word{number}" for number in range(200)) + "."
    places = {entry.key: number for number, entry in enumerate(found.entries, start=1)}
    assert [places[key] for sentence in paragraph.sentences for mark in sentence.marks for key in mark.keys] == expected


@pytest.mark.long
@pytest.mark.parametrize(
    "body",
    ["A, " * 100_000 + "(2001)", "(" + "Doe, 2001; " * 30_000 + ")", "(Doe, 2001) " * 20_000, "A " * 150_000 + "(2001)",
     "[1, " * 50_000, "(e.g., " * 50_000 + "Doe, 2001)", "Doe and " * 40_000 + "(2001)"],
)  # fmt: skip
def test_a_text_made_to_be_slow_is_read_within_seconds(body: str) -> None:
    assert text_of(f"Trees grow (Doe, 2001).\n\n{body}").entries


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


@pytest.mark.parametrize("made", [in_word, in_libreoffice, in_markdown, in_text])
@pytest.mark.parametrize(
    "heading",
    ["Selected Bibliography", "Quellen- und Literaturverzeichnis", "Références bibliographiques", "REFERENCES CITEES",
     "Re\u0301fe\u0301rences", "Referencias", "5. Referencias bibliográficas", "Bibliografía", "Bibliografia",
     "Referências", "Literatuurlijst", "Referenser", "Literatura", "Список литературы", "Βιβλιογραφία", "参考文献",
     "参 考 文 献", "引用文献", "참고문헌"],
)  # fmt: skip
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


@pytest.mark.parametrize("joined", ["García Márquez & Ortega y Gasset", "García Márquez y Ortega y Gasset"])
def test_the_last_author_may_have_two_surnames(joined: str) -> None:
    listed = f"{LIST}García Márquez, G., & Ortega y Gasset, J. (2001). On memory. Acta, 3.\n"
    found = text_of(f"Trees grow (Doe, 2001; {joined}, 2001). {joined} (2001) say so.", listed)
    assert [mark.keys for mark in found.marks()] == [("Doe 2001", f"{joined} 2001"), (f"{joined} 2001",)]


MEIER = "Meier, Otto (1990): Über die Gesellschaft und ihre Feinde. Köln."


def works_of(body: str, *listed: str) -> list[tuple[str, ...]]:
    """What a paragraph cites behind one that cites twice, and whether each has its entry."""
    found = text_of(
        f"Trees grow (Doe, 2001; Doe et al., 2005).\n\n{body}", "\n\n".join([*LIST.strip().splitlines(), *listed])
    )
    assert found.keys_without_entry == ()
    return [mark.keys for mark in found.marks()][1:]


@pytest.mark.parametrize(
    "citation",
    ["(Meier 1990, S. 3 f.)", "(Meier 1990: 3 f.)", "(Meier 1990: 3f., 17)", "(Meier 1990: 3 und 9)",
     "(Meier 1990, S. 3, S. 9)", "(Meier 1990, Bd. 2, S. 3)", "(Meier 1990, Rn. 12)", "(Meier 1990, § 12)",
     "(Meier 1990, Fn. 3)", "(Meier 1990, Sp. 653)", "(Meier 1990, S. 3, Hervorh. i. O.)",
     "(Meier 1990: 3, eigene Übersetzung)", "(so auch Meier 1990)", "(So auch Meier 1990)", "(ebenso Meier 1990)",
     "(zit. n. Meier 1990: 12)", "(vgl. auch Meier 1990)", "(cf. Meier 1990, p. 3 sq.)",
     "(Meier, 1990, pp. 3, 5 and 9)", "(Meier, 1990, p. 3, emphasis added)", "Meier (1990, S. 3 f.)",
     "Meier (1990: 3, Hervorh. i. O.)"],
)  # fmt: skip
def test_places_and_remarks_of_the_humanities(citation: str) -> None:
    assert works_of(f"So ist es {citation}.", MEIER) == [("Meier 1990",)]


@pytest.mark.parametrize("citation", ["(Moe 1990, S. 3 f.)", "(Moe 1990, Bd. 2, Rn. 3)", "(vgl. auch Moe 1990)"])
def test_what_lacks_its_entry_is_told_beside_a_place_in_it(citation: str) -> None:
    found = text_of(f"Trees grow (Doe, 2001; Doe et al., 2005). So ist es {citation}.")
    assert found.keys_without_entry == ("Moe 1990",)


@pytest.mark.parametrize(
    "text",
    ["Trees (Windows 2001, build x) grow.", "Bark (May, 2017, when trees grew) is grey.",
     "In May (2017, a warm one) all is.", "Trees (in May 2017) grow.", "Trees (Doe, 2001, unlike those of 2005) grow."],
)  # fmt: skip
def test_remarks_cite_nothing_by_themselves(text: str) -> None:
    assert sentence_of(text)[:2] == (text, [])


@pytest.mark.parametrize(
    ("citation", "entry", "name"),
    [
        ("(Hecker 1848/49, S. 3)", "Hecker, Friedrich (1848/49): Die Erhebung des Volkes. Basel.", "Hecker 1848/49"),
        ("(Hecker 1848)", "Hecker, Friedrich (1848/49): Die Erhebung des Volkes. Basel.", "Hecker 1848"),
        ("(Kant 1998 [1781/87])", "Kant, Immanuel (1998 [1781/87]): Kritik der reinen Vernunft. Bern.", "Kant 1998"),
        ("(Grimm/Grimm 1854 ff.)", "Grimm, Jacob/Grimm, Wilhelm (1854 ff.): Deutsches Wörterbuch. Leipzig.",
         "Grimm/Grimm 1854"),
        ("(Meier o. J., S. 3)", MEIER.replace("1990", "o. J."), "Meier o. J."),
        ("(Meier o.J.)", MEIER.replace("1990", "o. J."), "Meier o.J."),
        ("(Meier s.f.)", "Meier, O. (s.f.). Sobre la sociedad y sus enemigos. Madrid.", "Meier s.f."),
        ("(Meier/Kuhn/Lang 1990)", "Meier, Otto/Kuhn, Eva/Lang, Jo (1990): Über die Gesellschaft. Köln.",
         "Meier/Kuhn/Lang 1990"),
        ("(Moe & Loe, 1990)", "Moe, S. D., & Loe, N. D. (1990). On undated trees. Acta.", "Moe & Loe 1990"),
    ],
)  # fmt: skip
def test_years_of_several_years_and_none(citation: str, entry: str, name: str) -> None:
    assert works_of(f"So ist es {citation}.", entry) == [(name,)]


@pytest.mark.parametrize(
    ("citation", "entry", "name"),
    [
        ("(von Savigny 1840)", "Savigny, Friedrich Carl von (1840): System des Römischen Rechts.", "von Savigny 1840"),
        ("Von der Leyen (1840)", "Leyen, Karl von der (1840): Die Münzen. Trier.", "Von der Leyen 1840"),
        ("(de Saussure 1916, S. 3)", "Saussure, Ferdinand de (1916): Cours. Lausanne.", "de Saussure 1916"),
        ("(Moe & von Savigny 1840)", "Moe, J., & Savigny, F. C. von (1840). On law.", "Moe & von Savigny 1840"),
        ("(丸山 1952)", "丸山眞男 (1952): 日本政治思想史研究. 東京.", "丸山 1952"),
        ("(丸山眞男 1952)", "丸山, 眞男 (1952): 日本政治思想史研究. 東京.", "丸山眞男 1952"),
    ],
)
def test_names_that_the_list_orders_otherwise(citation: str, entry: str, name: str) -> None:
    assert works_of(f"So ist es {citation}.", entry) == [(name,)]


@pytest.mark.parametrize(
    ("name", "entry"),
    [("van der Moe 2011", "Moe, K. (2011). On walks."), ("山 1952", "丸山眞男 (1952): 日本政治思想史研究. 東京.")],
)
def test_names_of_others_are_not_meant(name: str, entry: str) -> None:
    found = text_of(f"Trees grow (Doe, 2001; Doe et al., 2005). So ist es ({name}).", f"{LIST}\n\n{entry}")
    assert found.keys_without_entry == (name,)


def test_numbers_in_brackets_of_chinese_prints() -> None:
    listed = "\n".join(f"[{number}] {line}" for number, line in enumerate(LIST.strip().splitlines(), start=1))
    found = text_of("树会长大［1，3］，见文献［2］。", listed)
    assert [mark.keys for mark in found.marks()] == [("1", "3"), ("2",)]


@pytest.mark.parametrize("name", ["van der Doe, K.", "dos Santos, M.", "zum Felde, K."])
def test_a_title_below_its_authors_and_year_begins_no_entry(name: str) -> None:
    listed = f"{name}, and Roe, J. (2001).\nNorthern, J., trees of the north in 2001. Acta 3, 1-9."
    found = read(f"Trees grow.\n\nReferences\n\n{listed}\nPoe, K. (2003). Birds. Acta 4, 5-6.\n".encode())
    assert len(found.entries) == 2
