"""Names, years and places as the humanities and other languages type them in a citation."""

import pytest
from printed_list import LIST, sentence_of, text_of


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


_YAMADA = "山田太郎・佐藤花子（1975）「構造物の設計」『論文集』240号、15-28。"


@pytest.mark.parametrize(
    ("citation", "entry", "name"),
    [
        ("設計は山田・佐藤（1975）が", _YAMADA, "山田・佐藤 1975"),
        ("設計は山田ら（1975）が", _YAMADA, "山田ら 1975"),
        ("設計がある（山田ほか, 1975）。", _YAMADA, "山田ほか 1975"),
        ("설계는 김철수·이영희(2012)가", "김철수·이영희 (2012). 기둥의 성능. 논문집, 24, 1-10.", "김철수·이영희 2012"),
        ("模型は Moe and Loe (1985)", "Moe, Y.-J. and Loe, A. (1985). On damage. Acta.", "Moe and Loe 1985"),
        ("É assim (MOE; ORTEGA Y GASSET, 2009).", "MOE, Ana; ORTEGA Y GASSET, José. Árvores. Acta, 2009.",
         "MOE, ORTEGA Y GASSET 2009"),
    ],
)  # fmt: skip
def test_names_between_which_no_spaces_stand(citation: str, entry: str, name: str) -> None:
    assert works_of(citation, entry) == [(name,)]


_HEALTH = "World Health Organization. (2021). Green report. WHO Press."
_CARE = "National Institute for Health and Care Excellence. (2021). Green guideline. Acta."
_FUND = "United Nations Children’s Fund. (2021). Green children. Acta."
_FOOD = "Food and Agriculture Organization of the United Nations. (2021). Green food. FAO."
_DISEASE = "Centers for Disease Control and Prevention. (2021). Green diseases. Acta."
_STATISTICS = "INSTITUTO BRASILEIRO DE GEOGRAFIA E ESTATÍSTICA. Censo verde. Rio, 2021."


@pytest.mark.parametrize(
    ("citation", "entry", "names"),
    [
        ("So it is (World Health Organization [WHO], 2021).", _HEALTH, ["World Health Organization 2021"]),
        ("So the WHO (2021) says.", _HEALTH, ["WHO 2021"]),
        ("So the World Health Organization (WHO, 2021, p. 3) says.", _HEALTH, ["WHO 2021"]),
        ("So it is (NICE, 2021).", _CARE, ["NICE 2021"]),
        ("So it is (FAO, 2021).", _FOOD, ["FAO 2021"]),
        ("So it is (CDC, 2021).", _DISEASE, ["CDC 2021"]),
        ("So it is (IBGE, 2021).", _STATISTICS, ["IBGE 2021"]),
        (
            "So it is (United Nations Children’s Fund [UNICEF], 2021), and so (UNICEF, 2021).",
            _FUND,
            ["United Nations Children’s Fund 2021"] * 2,
        ),
    ],
)
def test_an_institution_is_cited_by_what_it_is_called_in_short(citation: str, entry: str, names: list[str]) -> None:
    assert works_of(citation, entry) == [(name,) for name in names]


@pytest.mark.parametrize(
    "entry",
    [
        _CARE,
        "Nowell, I., & Hoe, N. (2021). On walks. Acta.",
        "Nowell, Ann, Ida Poe, and Jo Hoe. 2021. On walks. Acta.",
    ],
)
def test_capitals_that_are_no_name_of_an_institution_cite_nothing_of_the_list(entry: str) -> None:
    found = text_of("Trees grow (Doe, 2001; Doe et al., 2005). So it is (NIH, 2021).", f"{LIST}\n\n{entry}")
    assert found.keys_without_entry == ("NIH 2021",)


@pytest.mark.parametrize(
    ("citation", "cited", "text"),
    [
        ("So it is (Noe, 1982, as cited in Doe, 2001, p. 3).", [("Doe 2001",)], "So it is (Noe 1982)."),
        (
            "So it is (Noe 1982, zit. n. Doe 2001; May & Ho, 2017).",
            [("Doe 2001", "May & Ho 2017")],
            "So it is (Noe 1982).",
        ),
        ("So Noe (1982, as cited in Doe, 2001) said.", [("Doe 2001",)], "So Noe (1982) said."),
        ("So it is (May & Ho, 2017, cited in Doe, 2001).", [("May & Ho 2017", "Doe 2001")], "So it is."),
    ],
)
def test_a_work_that_another_one_cites_needs_no_entry(citation: str, cited: list[tuple[str, ...]], text: str) -> None:
    assert works_of(citation) == cited
    found = text_of(f"Trees grow (Doe, 2001; Doe et al., 2005).\n\n{citation}")
    assert [one.text for one in found.sentences()][-1] == text


@pytest.mark.parametrize("said", ["(Census of 1951)", "(Council Regulation [EC] 1984/2003)", "(Acta [Berlin], 2020)"])
def test_brackets_that_name_no_institution_are_text(said: str) -> None:
    found = text_of(f"Trees grow (Doe, 2001; Doe et al., 2005). So it is {said}.", LIST)
    assert [one.text for one in found.sentences()][-1] == f"So it is {said}."


def test_a_name_before_a_citation_that_is_not_of_its_work_stays_in_the_text() -> None:
    found = text_of("Trees grow (Doe, 2001; Doe et al., 2005). So it is (Berlin; Doe, 2001).", LIST)
    assert [one.text for one in found.sentences()][-1] == "So it is (Berlin)."


@pytest.mark.parametrize(
    ("name", "entry"),
    [("van der Moe 2011", "Moe, K. (2011). On walks."), ("山 1952", "丸山眞男 (1952): 日本政治思想史研究. 東京.")],
)
def test_names_of_others_are_not_meant(name: str, entry: str) -> None:
    found = text_of(f"Trees grow (Doe, 2001; Doe et al., 2005). So ist es ({name}).", f"{LIST}\n\n{entry}")
    assert found.keys_without_entry == (name,)


WORKS_CITED = """
Byron, Lee, and Martin Wattenberg. “Stacked Graphs.” Acta, vol. 14, 2008, pp. 9–12.
Chen, Qing, et al. “Peaks in Streams of Clicks.” Acta, vol. 22, 2016, pp. 1–9.
Cui, Weiwei, Shixia Liu, Li Tan, et al. “The Flow of Texts.” Acta, vol. 17, 2011, pp. 2–9.
Cui, Weiwei, Shixia Liu, Zhuofeng Wu, et al. “Topics of Many Texts.” Acta, vol. 20, 2014, pp. 2–9.
Marai, G. Elisabeta. “What Ants Ask.” Acta, vol. 24, 2018, pp. 9–13.
Marai, G. Elisabeta, and Torsten Möller. “What Ants Answer.” Acta, vol. 25, 2019, pp. 9–13.
van Wijk, Jarke. “Views of Trees.” Acta, 2006, pp. 1–2.
van Wijk, Jarke. “Trees of Views.” Acta, 2007, pp. 1–2.
"""


@pytest.mark.parametrize(
    ("body", "text", "keys"),
    [
        ("Graphs grow (Byron and Wattenberg 12).", "Graphs grow.", [("Byron and Wattenberg",)]),
        ("They do (see Chen et al.; Marai 9-11).", "They do.", [("Chen et al.", "Marai")]),
        ("So (Cui, Liu, Wu, et al. 3), it is.", "So, it is.", [("Cui, Liu, Wu, et al.",)]),
        ("So (van Wijk, “Trees of” 2) it is (van Wijk).", "So it is (van Wijk).", [("van Wijk, Trees of",)]),
        ("Ask (Marai and Möller; NASA).", "Ask (NASA).", [("Marai and Möller",)]),
        ("As Byron and Wattenberg say (12), Chen et al. do.", "As Byron and Wattenberg say (12), Chen et al. do.",
         [("Byron and Wattenberg",), ("Chen et al.",)]),
        ("So (Cui et al.), (Byron) or (Wattenberg).", "So (Cui et al.), (Byron) or (Wattenberg).", []),
    ],
)  # fmt: skip
def test_names_alone_cite_where_they_are_those_of_one_work(body: str, text: str, keys: list[tuple[str, ...]]) -> None:
    others = "It is so (Chen et al.; Byron and Wattenberg; Marai 9; Marai and Möller)."
    last = text_of(f"{others}\n\n{body}", listed=WORKS_CITED).sections[-1].paragraphs[-1]
    assert (last.text, [mark.keys for sentence in last.sentences for mark in sentence.marks]) == (text, keys)


def test_few_names_alone_cite_nothing() -> None:
    assert text_of("It is so (Chen et al.) in town (Marai).", listed=WORKS_CITED).keys == ()
