"""Spellings of one identifier or title have one key, and what tells two papers apart keeps them apart."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from growth import NEARLY_LINEAR, growth
from hypothesis import example, given
from hypothesis import strategies as st

from indexer.identity.agreement import (
    different,
    first_authors_agree,
    paper_described,
    title_holds,
    unlike,
    years_agree,
)
from indexer.identity.identifiers import arxiv_key, clean_doi, doi_key, listed_ids, pmid_key
from indexer.identity.keys import keys_of, paper_from_text
from indexer.identity.similar import SIMILAR, similarity
from indexer.identity.titles import is_distinctive, is_generic, title_key
from indexer.original import Original
from indexer.paper import Imprint, Paper

LORENZ = "10.1175/1520-0469(1963)020<0130:dnf>2.0.co;2"
SICI = "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2"


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("10.1561/1500000019", "10.1561/1500000019"),
        ("10.1016/J.CELL.2020.01.001", "10.1016/j.cell.2020.01.001"),
        ("https://doi.org/10.1561/1500000019", "10.1561/1500000019"),
        ("http://dx.doi.org/10.1561/1500000019", "10.1561/1500000019"),
        ("doi.org/10.1561/1500000019", "10.1561/1500000019"),
        ("doi:10.1561/1500000019", "10.1561/1500000019"),
        ("DOI: 10.1561/1500000019.", "10.1561/1500000019"),
        ("{10.1561/1500000019}", "10.1561/1500000019"),
        ("(see 10.1561/1500000019)", "10.1561/1500000019"),
        ("“10.1561/1500000019”,", "10.1561/1500000019"),
        ("10.1016/0140-6736(90)90001-A", "10.1016/0140-6736(90)90001-a"),
        ("(10.1016/0140-6736(90)90001-A).", "10.1016/0140-6736(90)90001-a"),
        ("https://doi.org/10.1016%2F0140-6736%2890%2990001-A", "10.1016/0140-6736(90)90001-a"),
        ("10.1007/978-3-319-06028-6\\_1", "10.1007/978-3-319-06028-6_1"),
        ("10.1016/j.cell. 2020.01.001", "10.1016/j.cell.2020.01.001"),
        ("10.1561/ 1500000019", "10.1561/1500000019"),
        ("10.1561 / 1500000019", "10.1561/1500000019"),
        ("10.1561/1500000019 accessed 2020", "10.1561/1500000019"),
        ("https://onlinelibrary.wiley.com/doi/abs/10.1111/J.1467.x/full?cookie=1", "10.1111/j.1467.x"),
        (SICI.upper(), SICI),
        (SICI.replace("<", "&lt;").replace(">", "&gt;"), SICI),
        ("https://doi.org/" + SICI.replace("<", "%3C").replace(">", "%3E"), SICI),
        ("10.1002/(sici)1097-0258(19980815/30)17:15/16", ""),  # cut: all papers of the issue
        (LORENZ.upper(), LORENZ),
        (f"(doi:{LORENZ}).", LORENZ),
        (f"<td>{LORENZ}</td>", LORENZ),
        (LORENZ.replace("<", "&lt;").replace(">", "&gt;"), LORENZ),
        ("https://doi.org/10.1175/1520-0469(1963)020%3C0130:DNF%3E2.0.CO;2", LORENZ),
        ("https://journals.ametsoc.org/doi/abs/10.1175/1520-0469%281963%29020%3C0130%3ADNF%3E2.0.CO%3B2?a=1", LORENZ),
        (
            "10.1130/0091-7613(2001)029<0083:EOTEA>2.0.CO;2",
            "10.1130/0091-7613(2001)029<0083:eotea>2.0.co;2",
        ),
        (
            "10.1002/1521-3773(20001002)39:19<3348::AID-ANIE3348>3.0.CO;2-X",
            "10.1002/1521-3773(20001002)39:19<3348::aid-anie3348>3.0.co;2-x",
        ),
        ("10.1890/0012-9658(2002)083[0001:ABC]2.0.CO;2", "10.1890/0012-9658(2002)083[0001:abc]2.0.co;2"),
        ("10.1175/1520-0469(1963)020", ""),  # cut: all papers of the volume
        ("10.1175/1520-0469(1963)020<0130", ""),
        ("10.1002/1521-3773(20001002)39:19", ""),
        ("10.1175/1520-0469(1963)0202.0.CO;2", ""),  # what was between < and > went as a tag
        ("10.1061/(ASCE)0733-9429(2005)131:5(349)", "10.1061/(asce)0733-9429(2005)131:5(349)"),
        ("10.1561/1500000019<br>", "10.1561/1500000019"),
        ("10.48550/arXiv.1706.03762", ""),  # arXiv's own
        ("10.1561/", ""),
        ("10.1561", ""),
        ("", ""),
    ],
)
def test_dois_in_all_spellings_have_one_key(written: str, key: str) -> None:
    assert doi_key(written) == key


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("1706.03762", "1706.03762"),
        ("1706.03762v5", "1706.03762"),
        ("0704.0001", "0704.0001"),
        ("arXiv:1706.03762v5 [cs.CL]", "1706.03762"),
        ("ARXIV: 1706.03762", "1706.03762"),
        ("arXiv preprint arXiv:1412.6980", "1412.6980"),
        ("https://arxiv.org/abs/1706.03762v2", "1706.03762"),
        ("http://www.arxiv.org/pdf/1706.03762.pdf", "1706.03762"),
        ("https://arxiv.org/pdf/1706.03762v1?download=1", "1706.03762"),
        ("https://ar5iv.labs.arxiv.org/html/1706.03762", "1706.03762"),
        ("10.48550/arXiv.1706.03762", "1706.03762"),
        ("https://doi.org/10.48550/ARXIV.1706.03762v3.", "1706.03762"),
        ("doi:10.48550/arXiv.1706.03762v5 [cs.CL] (2017)", "1706.03762"),
        ("10.48550/arXiv.cs/0112017", "cs/0112017"),
        ("cs/0112017", "cs/0112017"),
        ("hep-th/9901001v2", "hep-th/9901001"),
        ("math.GT/0309136", "math/0309136"),  # the subject class is not part of the id
        ("https://arxiv.org/abs/math/0309136v1", "math/0309136"),
        ("1713.03762", ""),  # there is no thirteenth month
        ("10.1000/1706.03762", ""),
        ("pages 1706.03762 of something", ""),
        ("170603762", ""),
        ("", ""),
    ],
)
def test_arxiv_ids_in_all_spellings_have_one_key(written: str, key: str) -> None:
    assert arxiv_key(written) == key


def test_a_link_in_markdown_has_one_doi() -> None:
    assert clean_doi("[10.1000/a](https://doi.org/10.1000/a)") == "10.1000/a"


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("PMID: 00012345", "12345"),
        ("pmid:12345", "12345"),
        ("PubMed ID 12345", "12345"),
        ("https://pubmed.ncbi.nlm.nih.gov/12345/", "12345"),
        ("http://www.ncbi.nlm.nih.gov/pubmed/12345?dopt=Abstract", "12345"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC12345/", ""),
        ("PMCID: PMC12345", ""),
        ("PubMed 12345678", "12345678"),
        ("PubMed 200k RCT", ""),
        ("PubMed 1990 to 2010", ""),
        ("12345", ""),  # any source numbers its papers
        ("PMID: 123456789012", ""),
    ],
)
def test_pmids_in_all_spellings_have_one_key(written: str, key: str) -> None:
    assert pmid_key(written) == key


def test_bare_digits_are_a_pmid_only_where_they_are_said_to_be() -> None:
    assert pmid_key("0012345", bare=True) == pmid_key(" 12345\n", bare=True) == "12345"
    assert pmid_key("²", bare=True) == pmid_key("x1", bare=True) == ""


@pytest.mark.parametrize(
    "spelling",
    [
        "Méthode de Erdős–Rényi: the naïve “fish” approach",
        "METHODE DE ERDOS-RENYI : THE NAIVE 'FISH' APPROACH",
        "Me\u0301thode de Erdős—Rényi. The naïve ﬁsh approach.",
        "  Methode de Erdos Renyi (the naive fish approach)\n",
        "The méthode de Erdős–Rényi: the naïve fish approach",
    ],
)
def test_spellings_of_a_title_have_one_key(spelling: str) -> None:
    assert title_key(spelling) == "methodedeerdosrenyithenaivefishapproach"


def test_other_scripts_keep_what_tells_their_titles_apart() -> None:
    assert title_key("引文推荐") == "引文推荐"
    assert title_key("हिन्दी") != title_key("हन्द")  # vowel signs are no accents
    assert title_key("Œuvres de Łukasiewicz") == "oeuvresdelukasiewicz"
    assert title_key("Γδ T cells, NF-κB and TGFβ1") == title_key("Gamma delta T cells, NF-kappa B and TGF-beta 1")
    assert title_key(r"$\alpha$-Synuclein of α₂") == title_key("Alpha-synuclein of alpha 2") == "alphasynucleinofalpha2"
    assert title_key("µCT, μ2") == title_key("Mu-CT: μ-2") == "muctmu2"
    assert title_key("Εισαγωγή στη γλώσσα") == "εισαγωγηστηγλωσσα"  # words, no symbols
    assert title_key("!?") == ""
    assert title_key("Learning & memory") == title_key("Learning and Memory")


@pytest.mark.parametrize("key", [doi_key, clean_doi, arxiv_key, pmid_key, title_key])
@given(
    text=st.text(max_size=60) | st.from_regex(r"(10\.\d{4}/|arXiv:|PMID:)?[\d.%\\/ ()<>a-zA-Z]{0,20}", fullmatch=True)
)
@example("10.1000/%2525").via("encoded twice")
@example("10.1000/a&amp;amp;b").via("escaped twice")
@example("The a an")
@example("ϓİⅷ")
def test_a_key_is_its_own_key(key, text: str) -> None:
    once = key(text)
    again = key(once) if key is not pmid_key else pmid_key(once, bare=True)
    assert again == once


@given(
    suffix=st.from_regex(r"[a-z0-9][a-z0-9._-]{0,15}[a-z0-9]", fullmatch=True),
    before=st.sampled_from(["", "doi:", "DOI: ", "https://doi.org/", "http://dx.doi.org/", "{", " "]),
    after=st.sampled_from(["", ".", ",", "}", ") ", '"']),
    upper=st.booleans(),
)
def test_what_stands_around_a_doi_does_not_matter(suffix: str, before: str, after: str, upper: bool) -> None:
    if before.startswith("http") and suffix.endswith(".pdf"):
        return
    bare = f"10.1234/{suffix}"
    assert doi_key(before + (bare.upper() if upper else bare) + after) == bare


@given(
    st.text(st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x24F), min_size=1, max_size=30), st.randoms()
)
def test_punctuation_and_case_do_not_change_a_key(letters: str, rng: random.Random) -> None:
    dressed = "".join(letter + rng.choice(["", " ", "-", ": ", "’", "“"]) for letter in f"x{letters}")
    assert title_key(dressed) == title_key(f"x{letters}")


@pytest.mark.parametrize("title", ["Editorial", "The Introduction", "PREFACE.", "Book reviews", "Editorial 12", "?"])
def test_titles_of_parts_of_a_journal_say_nothing(title: str) -> None:
    assert is_generic(title_key(title))
    one, other = Paper("1", title, year=2000, authors=("Ada Lovelace",)), Paper("2", title, year=2000)
    assert not title_holds(one, other)
    assert not title_holds(one, one)
    assert not any(key.kind == "title" for key in keys_of(one))


def test_a_short_title_needs_its_author() -> None:
    one = Paper("1", "Burning mouth syndrome", year=2003, authors=("Ada Lovelace",))
    assert not is_distinctive(title_key(one.title))
    assert not title_holds(one, Paper("2", one.title, year=2003))
    assert title_holds(one, Paper("2", one.title, year=2003, authors=("A. Lovelace",)))
    assert not title_holds(one, Paper("2", one.title, year=2003, authors=("Karl May",)))
    assert is_distinctive(title_key("基于图神经网络的引文推荐"))


def volumes_of_a_history(*originals: Original | None) -> list[Paper]:
    title, author = "Deutsche Gesellschaftsgeschichte", "Hans-Ulrich Wehler"
    return [Paper(str(n), title, year=1987, authors=(author,), original=one) for n, one in enumerate(originals)]


def test_volumes_of_one_work_are_not_one_book() -> None:
    one, same, two, part, no = volumes_of_a_history(
        Original("bibtex", "@book{v1,author={Wehler},title={Geschichte},volumes={2},volume={1},year={1987}}"),
        Original("ris", "TY  - BOOK\nVL  - Bd. I\nER  - "),
        Original("csl-json", '{"type":"book","title":"Geschichte","volume":2}'),
        Original("bibtex", "@article{a,\n volume = 7,\n year = 1987}"),
        Original("bibtex", "@book{b, volumes = {2}, year = 1987}"),
    )
    (record,) = volumes_of_a_history(None)
    assert [paper.volume for paper in (one, same, two, part, no, record)] == ["1", "Bd. I", "2", "", "", ""]
    assert title_holds(one, same)
    assert not different(one, same)
    assert paper_described([one, same]) == one
    assert not title_holds(one, two)
    assert different(one, two)
    assert paper_described([one, two]) is None
    assert not title_holds(one, replace(record, imprint=Imprint("book", "2")))
    for other in (part, no, record, replace(record, imprint=Imprint("article-journal", "2"))):
        assert title_holds(one, other)


def test_years_and_authors_speak_against_a_title() -> None:
    long = "Perceptual scale space and its applications"
    one = Paper("1", long, year=2005, authors=("Yizhou Wang",))
    assert title_holds(one, Paper("2", long))
    assert title_holds(one, Paper("2", long, year=2006))
    assert not title_holds(one, Paper("2", long, year=2007))
    assert title_holds(one, Paper("2", long, year=2007, authors=("Wang Y",)))
    assert not title_holds(one, Paper("2", long, year=2008, authors=("Wang Y",)))
    assert not title_holds(one, Paper("2", long, year=2005, authors=("Song-Chun Zhu",)))
    assert years_agree(one, Paper("2", long))


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("Ashish Vaswani", "A. Vaswani", True),
        ("Ashish Vaswani", "Vaswani A", True),
        ("Ashish Vaswani", "Vaswani, Ashish", True),
        ("Laurens van der Maaten", "van der Maaten L", True),
        ("Hector García-Molina", "H. Garcia Molina", True),
        ("Jürgen Schmidhuber", "Juergen Schmidhuber", True),
        ("Martin Luther King, Jr.", "M. L. King", True),
        ("李明", "李明", True),
        ("丸山眞男", "丸山, 眞男", True),
        ("김철수", "김 철수", True),
        ("丸山眞男", "丸山", True),
        ("丸山眞男", "丸尾 眞男", False),
        ("Li Ming", "Ming Li", True),
        ("JA Smith", "JA Jones", False),
        ("Ashish Vaswani", "Noam Shazeer", False),
        ("Ashish Vaswani", "", None),
        ("J.", "J. Smith", None),
    ],
)
def test_first_authors(one: str, other: str, agree: bool | None) -> None:
    papers = [Paper("p", "t", authors=(name,) if name else ()) for name in (one, other)]
    assert first_authors_agree(*papers) is first_authors_agree(*reversed(papers)) is agree


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Attention is all you need", "Atention is all you need"),
        ("Random walks on citation graphs", "Random walks in citaton graphs"),
        ("Random walks and citation graphs", "Random walks nad citation graphs"),
        ("Random walks on citation graphs", "Tandom walks on citation graphs"),
        ("Contextualised representations of words in practice", "Contextualized representation of words in practise"),
        ("A pretraining data set for ranking models", "A pre-training dataset for rankin models"),
        ("Recommendation of citations in scientific papers", "Recomm. of citations in scientific papers"),
        ("Effective citation recommendation for everyone: a survey", "Effective citation recommendation for everyone"),
        ("Survey of methods in the study of citations", "Survey of methods in study of citations"),
        ("Citations in the World War II: a survey", "Citations in the World War 2: a survey"),
    ],
)
def test_slips_leave_titles_similar(one: str, other: str) -> None:
    assert similarity(one, other) >= SIMILAR
    assert similarity(other, one) >= SIMILAR


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Loss of bone density in men over fifty years of age",
            "Loss of bone density in women over fifty years of age",
        ),
        ("A study of typical antipsychotics in old age", "A study of atypical antipsychotics in old age"),
        ("Supervised learning of word representations", "Unsupervised learning of word representations"),
        ("Cancer statistics in the United States, 2015", "Cancer statistics in the United States, 2016"),
        ("On the theory of citation graphs, part I", "On the theory of citation graphs, part II"),
        ("Treatment of type 1 diabetes in children", "Treatment of type 2 diabetes in children"),
        ("Causes of hypertension in pregnant women", "Causes of hypotension in pregnant women"),
        ("Effects of exercise with medication on sleep", "Effects of exercise without medication on sleep"),
        ("Changing support for drinking: one", "Changing support for drinking: other things"),
        ("Deep learning: methods and applications", "Deep learning"),
        ("A scalable method for citation trees", "A scalable method for citation trees (vol 60, pg 1489, 2019)"),
    ],
)
def test_one_word_or_number_makes_another_paper(one: str, other: str) -> None:
    assert similarity(one, other) < SIMILAR
    assert similarity(other, one) < SIMILAR


@given(st.text(max_size=40), st.text(max_size=40))
@example("women passages passages women", "womxn passages xassages women").via("repeated words")
def test_similarity_is_symmetric_and_bounded(one: str, other: str) -> None:
    assert 0 <= similarity(one, other) <= 1
    assert (similarity(one, other) >= SIMILAR) == (similarity(other, one) >= SIMILAR)
    if title_key(one):
        assert similarity(one, one.upper().lower()) == pytest.approx(similarity(one.upper().lower(), one))


@pytest.mark.parametrize(
    ("work", "size"),
    [
        (lambda size: similarity("a " * size, "a b " * (size // 2)), 800),
        (lambda size: Original("csl-json", '"original-date":' * size).first_year, 6_000),
        (lambda size: listed_ids("pmid" + " " * size + "x"), 20_000),
        (lambda size: listed_ids("https://doi.org/%" + "25" * size), 100_000),
    ],
)
def test_hostile_titles_and_entries_are_compared_soon(work: Callable[[int], object], size: int) -> None:
    assert not work(size)
    assert growth(work, size) < NEARLY_LINEAR


def test_unlike_titles() -> None:
    assert unlike(Paper("1", "Random walks on citation graphs"), Paper("2", "Die Kunst der Fuge"))
    assert not unlike(Paper("1", "Random walks on graphs"), Paper("2", "Random walk on a citation graph"))
    untitled, titled = Paper("1", ""), Paper("2", "Die Kunst der Fuge, Teil 2")
    assert not any((unlike(untitled, titled), different(untitled, titled), different(titled, untitled)))


def keys(**fields: str) -> list[str]:
    return [str(key) for key in keys_of(Paper(**{"id": "x", "title": "", **fields}))]


def test_identifiers_are_found_in_every_field_that_may_hold_them() -> None:
    assert (
        keys(doi="10.1000/A") == keys(url="https://doi.org/10.1000/a") == keys(id="doi:10.1000/a") == ["doi:10.1000/a"]
    )
    same = ["arxiv:1412.6980"]
    assert keys(arxiv="1412.6980") == keys(doi="10.48550/arxiv.1412.6980") == same
    assert keys(venue="arXiv preprint arXiv:1412.6980") == keys(id="arXiv:1412.6980v2") == same
    assert keys(url="https://arxiv.org/abs/1412.6980v9") == same
    assert keys(url="https://pubmed.ncbi.nlm.nih.gov/12345/") == keys(id="PMID:12345") == ["pmid:12345"]
    assert keys(id="12345") == keys(url="https://example.org/1412.6980") == []
    assert keys(title="Random walks", doi="10.1000/a") == ["doi:10.1000/a", "title:randomwalks"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("https://doi.org/10.1000/A", "doi:10.1000/a"),
        ("arXiv:1412.6980", "arxiv:1412.6980"),
        ("1412.6980v2", "arxiv:1412.6980"),
        ("PMID 12345", "pmid:12345"),
        ("Random  walks on citation graphs", "title:randomwalksoncitationgraphs"),
    ],
)
def test_a_line_of_text_names_a_paper(text: str, key: str) -> None:
    assert key in [str(found) for found in keys_of(paper_from_text(text))]


def test_an_id_alone_is_no_title() -> None:
    assert keys_of(paper_from_text("smith2020deep")) == ()
