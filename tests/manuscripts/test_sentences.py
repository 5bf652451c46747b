"""Where sentences of running text and of LaTeX end, and where their citations stand."""

import re

import pytest
from latex_sources import DOCUMENT

from common.sentences import sentences
from manuscripts.manuscript import Mark, Sentence
from manuscripts.reading import read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One is here. Two is there.", ["One is here.", "Two is there."]),
        ("See Fig. 3 and Sec. 4. Then J. R. S. et al. do.", ["See Fig. 3 and Sec. 4.", "Then J. R. S. et al. do."]),
        ("It is so, e.g. in A. It is (vs. B).", ["It is so, e.g. in A. It is (vs. B)."]),
        ("Is it? Yes! It gained 4.5 points.", ["Is it?", "Yes!", "It gained 4.5 points."]),
        ("By Smith et al. Others differ.", ["By Smith et al.", "Others differ."]),
        ("He said “no.” She left", ["He said “no.”", "She left"]),
        ("Vectors [?] are common. So is (?) it [?].", ["Vectors [?] are common.", "So is (?) it [?]."]),
        ("“Why?” is asked. Is it (really?) So it is!", ["“Why?” is asked.", "Is it (really?)", "So it is!"]),
        ("Trees grow.¹² Others fall.³ So x.² is said.", ["Trees grow.¹²", "Others fall.³", "So x.² is said."]),
        ("Trees grow.¹,² Others fall.³⁻⁵ So it is.", ["Trees grow.¹,²", "Others fall.³⁻⁵", "So it is."]),
        ("这是第一句。这是第二句。", ["这是第一句。", "这是第二句。"]),
        ("注目されている．一方で，精度は３．５である．", ["注目されている．", "一方で，精度は３．５である．"]),
        ("Katz v. United States, 389 U.S. 347 (1967) won.", ["Katz v. United States, 389 U.S. 347 (1967) won."]),
        ("It has speed v. The Second Cir. Court agreed.", ["It has speed v.", "The Second Cir. Court agreed."]),
        ("Siehe Art. 2 Abs. 1 GG i. V. m. Art. 1. Es gilt.", ["Siehe Art. 2 Abs. 1 GG i. V. m. Art. 1.", "Es gilt."]),
        ("Vgl. Roe, d. h. Bienen, z. B. Wespen. Es gilt § 3 Nr. 2 BGB.",
         ["Vgl. Roe, d. h. Bienen, z. B. Wespen.", "Es gilt § 3 Nr. 2 BGB."]),
        ("Im 20. Jahrhundert, am 12. August und im 2. Weltkrieg. Es waren 12. Die Zahl stieg auf 20. Dann fiel sie.",
         ["Im 20. Jahrhundert, am 12. August und im 2. Weltkrieg.", "Es waren 12.", "Die Zahl stieg auf 20.",
          "Dann fiel sie."]),
        ("Siehe Roe, bes. Kap. III und Bd. IV. Zob. Nowak, np. Kowalski, s. 12. Jest inaczej.",
         ["Siehe Roe, bes. Kap. III und Bd. IV.", "Zob. Nowak, np. Kowalski, s. 12.", "Jest inaczej."]),
        ("A Lei n. 9.394 vale. См. Виноградов, с. 12. Konec.",
         ["A Lei n. 9.394 vale.", "См. Виноградов, с. 12.", "Konec."]),
        ("「性能とは何か。」という問い。「はい。」彼は言った。",
         ["「性能とは何か。」という問い。", "「はい。」", "彼は言った。"]),
        ("“他说。”她走了。", ["“他说。”", "她走了。"]),
        ("It rose by 12. January was cold. It is state of the art. X-ray images are not.",
         ["It rose by 12.", "January was cold.", "It is state of the art.", "X-ray images are not."]),
        ("I am 20. We used MS. It is of type a. We go.", ["I am 20.", "We used MS.", "It is of type a.", "We go."]),
        ("It is the state of the art. We differ. They live in the U.S. Others do not.",
         ["It is the state of the art.", "We differ.", "They live in the U.S.", "Others do not."]),
    ],
)  # fmt: skip
def test_sentences_end_where_they_end(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize("formula", [r"\[ f(x) = x_i%s \]", r"\begin{align*} f(x) &= x_i%s\label{eq:f}\end{align*}"])
@pytest.mark.parametrize(
    ("text", "ends", "expected"),
    [
        ("It harms lists.\n%s\nWe follow it.", "", ["It harms lists.", "f(x) = x_i", "We follow it."]),
        ("It harms lists.\n%s\nWe follow it.", ".", ["It harms lists.", "f(x) = x_i.", "We follow it."]),
        ("The order is\n%s\nwhere x is.", "", ["The order is f(x) = x_i where x is."]),
        ("The order is\n%s\nBayes' rule.", ",", ["The order is f(x) = x_i, Bayes' rule."]),
        ("The order is\n%s\nWe follow it.", "", ["The order is f(x) = x_i", "We follow it."]),
    ],
)
def test_a_formula_on_a_line_of_its_own_joins_no_sentences(
    formula: str, text: str, ends: str, expected: list[str]
) -> None:
    source = rf"{DOCUMENT}\title{{T}}{text % (formula % ends)}\end{{document}}"
    found = [re.sub(r"\s+", " ", one.text) for one in read(source.encode()).sentences()]
    assert found == expected


@pytest.mark.parametrize(
    ("label", "shown"), [("tab:b", "Table"), ("sec-methods", "Section"), ("eq_1", "Equation"), ("mine", "")]
)
def test_references_that_name_what_they_refer_to_begin_a_sentence(label: str, shown: str) -> None:
    text = rf"It harms the order of lists. \Cref{{{label}}} shows more, see \ref{{{label}}}."
    found = [one.text for one in read((DOCUMENT + rf"\title{{T}}{text}\end{{document}}").encode()).sentences()]
    assert " ".join(found) == " ".join(f"It harms the order of lists. {shown} shows more, see.".split())
    assert len(found) == 1 + bool(shown)


def test_a_sentence_shows_its_citations_in_their_places() -> None:
    sentence = Sentence("As shows, graphs help.", (Mark(3, ("a",), "text"), Mark(21, ("b", "c"))))
    assert sentence.with_marks() == "As [CITATION] shows, graphs help [CITATION]."
    found = read(rb"\title{T}\begin{document}As \citet{a} shows, graphs help~\cite{b,c}. Then more.")
    assert next(found.sentences()) == sentence


@pytest.mark.parametrize(
    ("written", "text", "marked"),
    [
        (r"It holds \cite{a}, \cite{b}.", "It holds.", "It holds [CITATION] [CITATION]."),
        (r"It holds \cite{a}, \cite{b}, and \cite{c}.", "It holds.", "It holds [CITATION] [CITATION] [CITATION]."),
        (r"It holds \citep{a}; \citep{b}, but why?", "It holds, but why?", "It holds [CITATION] [CITATION], but why?"),
        (r"It holds \cite{a}--\cite{c}.", "It holds.", "It holds [CITATION] [CITATION]."),
        (r"It holds \cite{a}, and \cite{b} agrees.", "It holds agrees.", "It holds [CITATION] [CITATION] agrees."),
        (
            r"As \citet{a}, \citet{b} and \citet{c} say.",
            "As, and say.",
            "As [CITATION], [CITATION] and [CITATION] say.",
        ),
    ],
)
def test_commas_between_citations_in_brackets_are_no_text(written: str, text: str, marked: str) -> None:
    sentence = next(read(rb"\title{T}\begin{document}" + written.encode()).sentences())
    assert (sentence.text, sentence.with_marks()) == (text, marked)


def test_a_number_without_a_zero_keeps_the_space_before_it() -> None:
    text = r"It was high (p < .001, r = .87) \cite{a} .\end{document}"
    assert [one.text for one in read((DOCUMENT + text).encode(), part=True).sentences()] == [
        "It was high (p < .001, r = .87)."
    ]
