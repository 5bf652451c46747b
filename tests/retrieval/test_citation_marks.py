"""Marks of citations in a sentence, as writers and their tools leave them."""

import pytest

from retrieval.citation_marks import (
    has_typed_citation,
    marked_alike,
    parts_between_marks,
    wants_citation,
    without_marks,
)
from retrieval.query import Query

MARKS = (
    "[CITATION]",
    "[citation needed]",
    "(citation needed)",
    "(REF)",
    "[refs]",
    "(TODO: cite)",
    "[TODO add a ref here]",
    "[?]",
    "(?)",
    "[12]",
    "[3, 5–7]",
    "(cf. ref. 12)",
    "(refs 3, 4 and 7)",
    "(12, 13)",
    "(3, 5–7)",
    "[@smith2020; -@li]",
    "[see @smith, pp. 33-35 and *passim*; also @{a:li}]",
    "@smith2020",
    "@smith [see also @li, p. 3]",
    "-@{smith:li}",
    "@smith_deep_2020",
    "@李2020 [第3页 @smith]",
    "[[@smith]]",
    "[cite/t:see @smith p. 3]",
    "{cite:p}`smith,li`",
    "{cite}`{see}smith{p. 3}`",
    ":footcite:`smith`",
    '#cite(<smith>, supplement: [p. 3], form: "prose")',
    "@smith[p. 3]",
    r"\cite{smith2020,li}",
    r"\citep[see][p. 3]{smith2020}",
    r"\textcite{smith2020}",
    r"\autocites{a}",
    "{Smith, 2001 #12}",
    "{Smith, 2001; Roe et al., 2003a}",
    "{ | Smith, et al., (2001) | p. 3 | |zu:1:ABC}",
    "{van Wijk, 1999 #3;Balzer, 2005 #4@12-13}",
)


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_parts_the_words_and_is_none_itself(mark):
    text = f"We parse {mark} sentences."
    assert without_marks(text) == "We parse sentences."
    assert [part.strip() for part in parts_between_marks(text)] == ["We parse", "sentences."]


@pytest.mark.parametrize(
    "text",
    [
        "a list [of words]",
        "mail [me@site.org]",
        "precision [P@10]",
        "by @nasa",
        "by @nasa [see below]",
        "news of @covid19",
        "Ag @SiO2 [a shell]",
        "team Bees @TREE-DX2022: of hives",
        "recall @ 10",
        "f(x) (really?)",
        r"\emph{cited} text",
        *(
            r"\emph{of May, 2019}",
            r"\section*{Of Paris, 2019}",
            r"{\em Acta, 2019}",
            "{x in 2000 steps}",
            '{"a": "Acta, 2019"}',
        ),
        r"\emph{#1} in {2001}",
        "what is x?",
    ],
)
def test_other_brackets_are_words(text):
    assert without_marks(text) == text
    assert parts_between_marks(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "The line passes through the point (2, 3) of the plane.",
        "Let f(2, 3) and SU(2, 3) be of type (2, 3).",
        "We chose (2, 3) = (a, b), and pairs (4, 5).",
        "Vectors (2, 3) < (4, 5) are ordered.",
        "Patients (n = 12) were asked, others (12) were not.",
        "Children aged (12-14) years took part in the years (1990–1995).",
        "Scores (0, 1) were given, as in Eqs. (2, 3).",
        "We see F(2, 57) and means (12, 13).",
        "Children (6–12) and participants (12-14) rated it on a Likert scale (1–5).",
        "All got one dosis (1, 2, 4) mg.",
    ],
)
def test_numbers_in_round_brackets_that_cite_nothing_are_words(text):
    assert without_marks(text) == marked_alike(text) == text
    assert not has_typed_citation(text)


def test_numbers_in_round_brackets_behind_et_al_are_a_mark():
    assert marked_alike("As seen by Roe et al. (12–14), planets move (2, 3–5).") == (
        "As seen by Roe et al. [CITATION] , planets move [CITATION] ."
    )


@pytest.mark.parametrize(
    "work",
    [
        "(Copernicus, 1543)",
        "Lovelace (1843)",
        "Lovelace et al.'s (1843)",
        "Lovelace (1843, p. 5)",
        "(Doe 2003 p. 5, for instance)",
        "(see Doe et al., 2003a; Hopper 1952)",
        "(see Doe et al., 2003a, and others)",
    ],
)
def test_a_year_in_brackets_is_a_typed_citation(work):
    assert has_typed_citation(f"Planets move, {work}.")
    assert not has_typed_citation(f"Planets move, {work}.".replace("(", "").replace(")", ""))


@pytest.mark.parametrize(
    "text",
    [
        "We asked many people (n = 1500 in all) about it.",
        "We asked many people (N = 1500) about it.",
        "Heights (1543 m) matter.",
        "The others (about 1500) did not reply.",
        "The peak (Fuji, 1543 m) matters.",
    ],
)
def test_a_number_in_brackets_that_may_be_a_year_is_no_typed_citation(text):
    assert not has_typed_citation(text)
    assert marked_alike(text) == text


@pytest.mark.parametrize("mark", ["^12", "^{3,5}", "¹²", "<sup>12, 13</sup>"])
def test_a_raised_number_behind_a_word_is_a_mark_and_an_exponent_is_none(mark):
    assert without_marks(f"Planets move.{mark} We saw it{mark}.") == f"Planets move. We saw it{mark}."
    assert without_marks(f"Planets move{mark}.") == "Planets move ."


def test_a_number_that_stood_above_the_line_is_a_mark_behind_a_full_stop():
    assert marked_alike("Planets move.1,2 Comets do, others,3 Venus has mass.4–6") == (
        "Planets move. [CITATION] Comets do, others, [CITATION] Venus has mass. [CITATION]"
    )
    for text in ("A growth of planets.5 per cent", "One million,000 Planets", "An alpha.05", "In Nature.2019 May"):
        assert marked_alike(text) == text
    for text in (
        "See Sect.3 Planets",
        "See Figs.3, 4",
        "In Table.3 Planets",
        "At approx.20 MHz",
        "journal.pone.0050702",
    ):
        assert marked_alike(text) == text


@pytest.mark.parametrize("word", ["the Research Excellence Framework (REF)", "impact (citations)"])
def test_an_abbreviation_or_a_word_in_brackets_is_no_mark(word):
    text = f"Planets are known by {word} of universities."
    assert marked_alike(text) == Query(abstract=text).text.abstract == text
    assert not wants_citation(text)


@pytest.mark.parametrize("power", ["sigma^2", "loss^3", "theta^{2}", "kilometres²", "kilometres³", "tree<sup>2</sup>"])
def test_a_square_or_a_cube_is_no_mark(power):
    text = f"Many studies have shown that {power} of planets grow."
    assert without_marks(text) == marked_alike(text) == text
    assert not has_typed_citation(text)


@pytest.mark.parametrize("cited", ["move^2,5", "move^23", "move^{2,3}", "move²³", "move²,⁵", "move.²", "move,^2"])
def test_twos_and_threes_among_others_or_behind_punctuation_are_marks(cited):
    assert has_typed_citation(f"Planets {cited} as they did.")


@pytest.mark.parametrize(
    ("cited", "marked"),
    [
        ("Planets move (Smith, 2010)", "Planets move [CITATION]"),
        ("Planets move (Smith & Jones 2010; Brown et al., 2012)", "Planets move [CITATION]"),
        ("Planets move [Smith et al., 2010a, b]", "Planets move [CITATION]"),
        ("Planets move (see also van der Roe and Doe 2010 for a review)", "Planets move [CITATION]"),
        ("Planets move (e.g., Smith, 2010, p. 12) slowly (Doe, 2003)", "Planets move [CITATION] slowly [CITATION]"),
        ("A double star (DS; Smith, 2010)", "A double star (DS [CITATION]"),
        ("Smith et al. (2010) saw it", "[CITATION] saw it"),
        ("The model of Smith and Jones's (2010) moves", "The model of Smith and Jones [CITATION] moves"),
        ("In Germany and France (2010) unemployment rose", "In Germany and France [CITATION] unemployment rose"),
        ("GDP in Kenya, Chad & Uganda (2015) fell", "GDP in Kenya, Chad & Uganda [CITATION] fell"),
        ("By Wilcoxon (1945) they differ", "By Wilcoxon [CITATION] they differ"),
    ],
)
def test_names_and_years_mark_what_is_cited_in_a_sentence(cited, marked):
    assert marked_alike(cited) == marked
    by_numbers = Query(context=marked.replace("[CITATION]", "[12]"))
    assert (Query(context=cited).wanted, Query(context=cited).sentence) == (by_numbers.wanted, by_numbers.sentence)


@pytest.mark.parametrize(
    "text",
    [
        "Since the war (World War II, 1939–1945) planets move.",
        "We searched until spring (May 2012).",
        "The nested model (2009) has levels.",
        "Names such as GP2017 (GP2017, SDZ-ADL) are words.",
        "(Devlin et al., 2019)",
        "Devlin et al. (2019)",
    ],
)
def test_other_years_and_a_citation_alone_stay_words(text):
    assert marked_alike(text) == text
    assert Query(context=text).wanted.abstract == text


def test_a_long_run_of_brackets_is_read_at_once():
    text = r"\cite[" * 20_000
    assert without_marks(text).startswith(r"\cite[")
    assert without_marks("{ #1" * 20_000).startswith("{ #1")
    assert without_marks(f"{{ #{'1' * 50_000}").startswith("{ #1")
    assert not has_typed_citation("(" + "Doe 2003 in " * 10_000)
    for part in ("[see @", "@{", "{cite}`", "#cite([", "[a", "@a", "@aaaa:"):
        assert without_marks(f"Planets {part * 20_000}")
