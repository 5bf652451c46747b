"""Citations that are typed as text name the entries of the list that is printed below."""

import random
import re

import pytest
from archives import zipped
from printed_list import LIST, sentence_of, text_of

from manuscripts.reading import read

NAMES = {
    "Doe 2001": 1, "Doe & Roe 2001": 2, "Doe and Roe 2001": 2, "Doe et al. 2005": 3, "Müller-Lyer 1889a": 4,
    "Müller-Lyer 1889b": 5, "O’Brien and van der Berg 2010": 6, "Van der Berg 2012": 7,
    "World Health Organization 2019": 8, "R Core Team 2020": 9, "Smith in press": 10,
    "Cabrera Perez et al. 2019": 11, "May and Ho 2017": 12,
}  # fmt: skip


def with_comma(name: str) -> str:
    """As it stands in brackets: "Doe, 2001"."""
    return re.sub(r" (\d\S+|in press)$", r", \1", name)


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
        ("So it is [Doe and Roe, 2001, Doe et al., 2005, van der Berg, 2012].", "So it is.",
         [("Doe and Roe 2001", "Doe et al. 2005", "van der Berg 2012")]),
        ("So it is (Doe, 2001, Table 3; Doe 2001, Müller-Lyer 1889a, b).", "So it is.",
         [("Doe 2001", "Müller-Lyer 1889a", "Müller-Lyer 1889b")]),
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
        ("[see 1; e.g., 3]", ("1", "3")),
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
        ("As Roe et al. (1) say, the height of a tree (HT) (2, 3) in COVID-19 (4) falls: of 12 (5), 2 (3) did.",
         [("1",), ("2", "3"), ("4",)]),
        ("We (1) grow trees, (2) fell them.", []),  # 2 of 5
        ("Trees grow (e.g., 1,2). They fall (see 3), they do (1; for a review, see 4), Roe’s (reviewed in 2–3), too.",
         [("1", "2"), ("3",), ("1", "4"), ("2", "3")]),
        ("Trees grow (1–3) of all conditions (4), of some heights (HT (m)) (5), in condition (4), or few (e.g., 2).",
         [("1", "2", "3"), ("4",), ("5",)]),
        ("Trees grow (1–4) in steps (2), by “size” (3) or (E = x) (4), in Figure (6) and 7 (5). (5) They fall; (5) do.",
         [("1", "2", "3", "4")]),
        ("Trees grow (1–4) in some years (1–12), or few (for example, 2–3) in years (3–5).",
         [("1", "2", "3", "4")]),
        ("Trees grow (1–4) in some cases (4, 5).", [("1", "2", "3", "4"), ("4", "5")]),
        ("Trees grow (1–3, p. 4). They fall (5, Table 2) in many towns (4, 5).",
         [("1", "2", "3"), ("5",), ("4", "5")]),
        ("Trees grow (1–4). Elms are higher (5, p < .05) than oaks (4, p = 0.3; see below), and few (2, s).",
         [("1", "2", "3", "4")]),
        ("Trees grow [1] and we ask about trees (2) and graphs (3), as well as (4) others (5).", [("1",)]),
    ],
)  # fmt: skip
def test_numbers_in_round_brackets_cite_where_they_name_most_entries(body: str, cited: list[tuple[str, ...]]) -> None:
    assert [mark.keys for mark in text_of(body, listed=NUMBERED).marks()] == cited


def test_one_number_in_square_brackets_beside_many_in_round_ones_is_no_other_way() -> None:
    listed = "\n".join(f"{number}. Doe, A. How tree {number} grows. Acta, 2001." for number in range(1, 7))
    found = text_of("Trees grow (1, 2). They fall [6] in many towns (3–5).", listed=listed)
    assert [mark.keys for mark in found.marks()] == [("1", "2"), ("6",), ("3", "4", "5")]


def test_numbers_before_values_that_a_program_prints_cite_nothing() -> None:
    printed = "> x [1]  0.23 -1.2  0.4 [5] -.33  1.1 > y [1] 3 4 [17] 12 -4 > mean(x) [1] 0.02"
    found = text_of(f"Trees grow [1, 2] and fall [3]. In 2020 [4] 12 trees did.\n\n{printed}", listed=NUMBERED)
    assert [mark.keys for mark in found.marks()] == [("1", "2"), ("3",), ("4",)]
    assert (found.sections[-1].paragraphs[-1].text, found.unread) == (" ".join(printed.split()), ())


def test_numbers_before_values_of_a_table_cite() -> None:
    found = text_of("Trees grow [1].\n\nMethod F1 EM Oak [2] 0.91 0.88 Elm [3] 0.92 0.84", listed=NUMBERED)
    assert [mark.keys for mark in found.marks()] == [("1",), ("2",), ("3",)]


def test_numbers_cite_behind_words_that_end_with_a_number_or_a_bracket() -> None:
    for body in (
        "As Roe et al. (1) say, COVID-19 (2) hits trees (HT) (3, 4).",
        "SARS-CoV-2², COVID-19³ and trees⁴ fall.¹",
    ):
        found = text_of(body, listed=NUMBERED)
        assert {key for mark in found.marks() for key in mark.keys} == {"1", "2", "3", "4"}
        words = (
            "As Roe et al. say, COVID-19 hits trees (HT)." if "(" in body else "SARS-CoV-2, COVID-19 and trees fall."
        )
        assert found.sections[-1].paragraphs[-1].text == words


def test_square_and_cubic_units_cite_nothing() -> None:
    body = "Trees fall¹ on fields² of 5 μm², 5µm³, 7cm², 12 nm³, 3 ft², 4ft³ and 9 mi² near the farm³ and storm⁴."
    found = text_of(body, listed=NUMBERED)
    assert [mark.keys for mark in found.marks()] == [("1",), ("2",), ("3",), ("4",)]


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
     "[1, " * 50_000, "[see also 1, " * 20_000, "(e.g., " * 50_000 + "Doe, 2001)", "Doe and " * 40_000 + "(2001)"],
)  # fmt: skip
def test_a_text_made_to_be_slow_is_read_within_seconds(body: str) -> None:
    assert text_of(f"Trees grow (Doe, 2001).\n\n{body}").entries


def test_numbers_in_brackets_of_chinese_prints() -> None:
    listed = "\n".join(f"[{number}] {line}" for number, line in enumerate(LIST.strip().splitlines(), start=1))
    found = text_of("树会长大［1，3］，见文献［2］。", listed)
    assert [mark.keys for mark in found.marks()] == [("1", "3"), ("2",)]


@pytest.mark.parametrize(
    ("body", "text", "cited"),
    [
        # Chinese, Japanese, and what keyboards and word processors write in place of a dash
        ("树会长大[¹]。图常见[²-³]。李明等⁴认为如此。", "树会长大。 图常见。 李明等 认为如此。",
         [("1",), ("2", "3"), ("4",)]),
        ("木は育つ¹)。図は多い²,³)。山田ら⁴)による。", "木は育つ。 図は多い。 山田ら による。",
         [("1",), ("2", "3"), ("4",)]),
        ("Trees grow.[¹⁻³] They fall (as Doe says⁴).", "Trees grow. They fall (as Doe says).",
         [("1", "2", "3"), ("4",)]),
        ("Trees grow [1−3]. They fall [4]‐[5].", "Trees grow. They fall.", [("1", "2", "3"), ("4", "5")]),
    ],
)  # fmt: skip
def test_raised_numbers_may_stand_in_brackets_and_with_any_dash(
    body: str, text: str, cited: list[tuple[str, ...]]
) -> None:
    found = text_of(body, listed=NUMBERED)
    assert [mark.keys for mark in found.marks()] == cited
    assert found.sections[-1].paragraphs[-1].text == text


@pytest.mark.parametrize(
    "names", ["Jane Q. Roe¹,², John A. Doe³ and P. Li¹²", "Ann Roe, M.D.¹, Jo Doe, Jr.¹², j@acta.org"]
)
def test_raised_numbers_at_names_with_initials_are_those_of_institutions(names: str) -> None:
    found = text_of(f"{names}\n\nTrees grow (1, 2). So do graphs (3–5).", listed=NUMBERED)
    assert [mark.keys for mark in found.marks()] == [("1", "2"), ("3", "4", "5")]
    assert found.keys_without_entry == ()


def test_entries_of_apalike_without_natbib_begin_with_names_and_a_year_in_brackets() -> None:
    works = (
        "[Doe et al., 2019] Doe, J., Roe, A., and\nPoe, B. (2019). How trees fall\nin autumn. Acta, 3:1–9.\n"
        "[Roe, 2020a] Roe, A. (2020a). Leaves and\nwhat they are good for. Acta, 4:1–9.\n"
        "[van der Hopper and Poe-Roe, 2021] van der Hopper, G. and Poe-Roe, B. (2021). Bark of\nold oaks. Acta.\n"
    )
    found = text_of("Trees fall [Doe et al., 2019, Roe, 2020a].", works)
    assert [entry.readings[0].title.split(" (")[0] for entry in found.entries] == [
        "Doe, J., Roe, A., and Poe, B.",
        "Roe, A.",
        "van der Hopper, G. and Poe-Roe, B.",
    ]
    assert [mark.keys for mark in found.marks()] == [tuple(entry.key for entry in found.entries[:2])]
