"""Which sentences are taken for ones that could need a citation."""

import pytest

from citescout.review.claims import cue_of, uncited_claims
from manuscripts import read_manuscript


@pytest.mark.parametrize(
    ("sentence", "cue"),
    [
        ("Several studies have shown that readers skip the abstract.", "other work"),
        ("In the literature such lists are called runs.", "other work"),
        ("Stemming has been applied to many languages before.", "other work"),
        ("Word vectors are widely used for this purpose.", "usual"),
        ("In recent years networks have grown deeper and deeper.", "usual"),
        ("The parser is trained on the Penn Treebank for this.", "named"),
        ("Weights are initialised from SciBERT, using its own vocabulary.", "named"),
        ("Nobody knows why this holds for all trees [citation needed].", "marked"),
        ("Embase and CENTRAL were searched, following the PRISMA statement.", "named"),
        ("Short one [?].", "marked"),
        ("Many algorithms have been proposed in the literature for this.", "other work"),
        ("The PageRank algorithm is widely used for this purpose.", "usual"),
        ("The retrieval of tables has been studied in the literature.", "other work"),
        ("Sections of documents are widely used for this purpose.", "usual"),
        ("In prior work columns are joined by their names.", "other work"),
    ],
)
def test_what_speaks_of_others_could_need_a_citation(sentence: str, cue: str) -> None:
    assert cue_of(sentence, "Method") == cue


@pytest.mark.parametrize(
    "sentence",
    [
        "We have shown that our method is better than before.",
        "In this paper a new list is made of two old ones.",
        "Table 3 shows what is usually found in such lists.",
        "Popular approaches have been proposed, see Appendix B.1 for these.",
        "Popular approaches have been proposed (Fig. S).",
        "Table shows what has been proposed in the literature.",
        "Popular approaches have been proposed, as discussed in Section.",
        "The list is then sorted by the number of its votes.",
        "BM25 18.4 40.1 DPR 31.1 often 55.0 and more",  # a row of a table
        "MEDLINE, Embase and CENTRAL were searched using (oak* AND town*).",
        "It is widely used.",
        "",
    ],
)
def test_what_speaks_of_itself_needs_none(sentence: str) -> None:
    assert cue_of(sentence, "Method") is None


def test_the_heading_tells_where_claims_are_told() -> None:
    sentence = "About forty per cent of all papers are never cited."
    assert cue_of(sentence, "Introduction") == "background"
    assert cue_of(sentence, "Method") is None
    own = ("Conflict of interest", "Disclosures", "Ethics Statement", "Figure legends")
    for heading in ("Abstract", "Conclusions", "Results and discussion", "Acknowledgements", "References", *own):
        assert cue_of("Several studies have shown that readers skip the abstract.", heading) is None
    for heading in ("Risk of disclosure", "Disclosure in therapy", "Informed consent of readers", "Figure captioning"):
        assert cue_of("Several studies have shown that readers skip the abstract.", heading) == "other work"


@pytest.mark.parametrize("source", ["A. Roe, unpublished data", "pers. obs.", "ibid., 14", "personal communication"])
def test_a_source_that_no_list_has_is_one(source: str) -> None:
    assert cue_of("Several studies have shown that readers skip.", "Introduction") == "other work"
    assert cue_of(f"Several studies have shown that readers skip ({source}).", "Introduction") is None


def test_what_is_said_of_unpublished_works_is_a_claim() -> None:
    sentence = "Several studies have shown that readers skip some texts (published and unpublished)."
    assert cue_of(sentence, "Introduction") == "other work"


def claims(text: str) -> list[str]:
    source = r"\documentclass{article}\title{ReadRank}\begin{document}\section{Method}%s\end{document}"
    return [one.sentence.text for one in uncited_claims(read_manuscript((source % text).encode()))]


def test_a_name_that_was_cited_before_needs_no_second_citation() -> None:
    first, second = (
        "Vectors are made with SciBERT as usual here\\cite{b}.",
        "The queries are encoded with SciBERT, too, using it.",
    )
    assert claims(f"{first} {second}") == []
    assert claims(second) == [second]
    assert claims("The queries are ranked with the system ReadRank, using it.") == []  # its own, by its title


@pytest.mark.long
@pytest.mark.parametrize(
    "typed",
    [
        "[12]",
        "(Lovelace, 1843)",
        "by Lovelace (1843)",
        "[@lovelace]",
        r"\cite{lovelace}",
        r"\footnote{As \cite{lovelace} has said before}",
    ],
)
def test_a_sentence_that_cites_in_any_way_is_left_alone(typed: str) -> None:
    sentence = "Several studies have shown that readers skip the abstract"
    assert claims(f"{sentence} {typed}.") == []
    assert claims(f"{sentence}.") == [f"{sentence}."]
