"""Papers as one types them, against a plain scan of titles, authors and years."""

import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from small_index import recommender_of

from citescout.recommender import Recommender
from indexer.builds import build_index
from indexer.changes import add_papers, remove_papers
from indexer.paper import Paper

PAPERS = (
    Paper("soba", "Noodles: a study of noodle soups", year=2011, authors=("Zoë Ümlaut", "Bo Li")),
    Paper("rice", "Rice and noodle dishes", year=2012, authors=("Bo Miller",), doi="10.1000/rice"),
    Paper("soup", "Soups of the world", year=2011, authors=("Cy Young",), arxiv="1201.00001"),
    Paper("pasta", "On pasta", year=2013, authors=("Ann Noodle",)),
    Paper("grain", "Grain", year=2014, authors=("Jo Mill",)),
    Paper("milling", "Milling of oats", year=2015),
    Paper("quote", 'The "quoted" AND (hostile) title*', year=1999),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    build_index(PAPERS, folder, encoder=None)
    return folder


@pytest.fixture(scope="module")
def recommender(folder):
    opened = Recommender.open(folder, reranker="none")
    yield opened
    opened.close()


def words(text):
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return re.findall(r"[^\W_]+", plain.lower())


def scanned(text):
    """Papers with all words of the text as beginnings of words of theirs."""
    own = {paper.id: words(f"{paper.title} {' '.join(paper.authors)} {paper.year}") for paper in PAPERS}
    return {id_ for id_, has in own.items() if all(any(word.startswith(part) for word in has) for part in words(text))}


@pytest.mark.parametrize(
    "text", ["Noodles", "nood", "noodle soup", "zoe", "umlaut noo", "li 2011", "soups wor", "2011", "title", "a"]
)
def test_what_is_typed_finds_what_a_scan_finds(recommender, text):
    assert {paper.id for paper in recommender.search_papers(text)} == scanned(text) != set()


def test_words_of_the_title_count_more_than_those_of_authors(recommender):
    found = [paper.id for paper in recommender.search_papers("noodle")]
    assert set(found[:2]) == {"soba", "rice"}
    assert found[2:] == ["pasta"]


@pytest.mark.parametrize("text", ["noodle", "mill", "noodle xyzzy", "2011"])
def test_papers_behind_the_first_go_on_in_the_same_order(recommender, text):
    whole = [paper.id for paper in recommender.search_papers(text)]
    assert len(whole) > 1
    for size in (1, 2, 3):
        pages = [recommender.search_papers(text, size, skip) for skip in range(0, len(whole) + size, size)]
        assert [paper.id for page in pages for paper in page] == whole
    assert recommender.search_papers("10.1000/rice", 8, 1) == recommender.search_papers("rice", 8, 1) == []


def test_identifiers_find_their_paper_alone(recommender):
    for text in ("10.1000/rice", "https://doi.org/10.1000/RICE", "rice"):
        assert [paper.id for paper in recommender.search_papers(text)] == ["rice"]
    assert [paper.id for paper in recommender.search_papers("arXiv:1201.00001")] == ["soup"]
    for text in ("2011.01234", "arXiv: 2011.01234", "10.2011/none"):
        assert recommender.search_papers(text) == []


def test_some_of_the_words_are_better_than_nothing(recommender):
    assert {paper.id for paper in recommender.search_papers("noodle xyzzy")} == {"soba", "rice", "pasta"}
    assert recommender.search_papers("xyzzy") == []


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        *((text, []) for text in ("", "  ", '"', "*", "NEAR(", "\0", "-", "(", "x" * 500)),
        ("AND", ["quote", "rice"]),
        ("title: x", ["quote"]),
        ("' OR 1=1 --", ["quote"]),  # of 1999
    ],
)
def test_hostile_text_is_only_text(recommender, text, ids):
    assert [paper.id for paper in recommender.search_papers(text, 3)] == ids


def test_operators_are_words(recommender):
    assert [paper.id for paper in recommender.search_papers('"quoted" AND (hostile) title*')] == ["quote"]


def test_threads_share_the_table(recommender):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: [paper.id for paper in recommender.search_papers("noodle")], range(40)))
    assert found == found[:1] * 40
    assert len(found[0]) == 3


def test_notices_are_found_by_their_names_alone(tmp_path):
    title = "Erratum to: Noodles: a study of noodle soups"
    with recommender_of([*PAPERS, Paper("erratum", title, doi="10.1000/erratum")], tmp_path) as opened:
        found = [paper.id for paper in opened.search_papers(title)]
        assert found[0] == "soba"
        assert "erratum" not in found
        for name in ("erratum", "10.1000/erratum"):
            assert [paper.id for paper in opened.search_papers(name)] == ["erratum"]


def test_removed_papers_are_not_found(tmp_path):
    build_index(PAPERS, tmp_path, encoder=None)
    remove_papers(["soba"], tmp_path)
    add_papers([Paper("late", "Late noodles")], tmp_path)
    opened = Recommender.open(tmp_path, reranker="none")
    assert {paper.id for paper in opened.search_papers("noodle")} == {"rice", "pasta", "late"}
    opened.close()


def test_whole_words_go_before_what_only_begins_so(recommender):
    assert [paper.id for paper in recommender.search_papers("mill")] == ["grain", "milling", "rice"]
    assert [paper.id for paper in recommender.search_papers("mill", k=1)] == ["grain"]


@pytest.mark.parametrize("text", ["丸山眞男", "丸山 眞男", "丸山", "丸山眞男 1952"])
def test_a_parted_name_is_found_as_it_is_typed(tmp_path, text):
    parted = Paper("parted", "日本政治思想史研究", year=1952, authors=("Ann Lee", "丸山 眞男"))
    with recommender_of([*PAPERS, parted], tmp_path) as opened:
        assert [paper.id for paper in opened.search_papers(text)] == ["parted"]


@pytest.mark.parametrize(
    ("title", "typed"),
    [
        ("Straßenpolitik", "STRASSENPOLITIK"),
        ("Straßenpolitik", "strassenpoli"),
        ("Strassenpolitik", "straße"),
        ("Żółkiewski o krytyce", "zolkiewski"),
        ("Соловьёв и другие", "Соловьев"),
        ("Πολιτεία και λόγος", "ΠΟΛΙΤΕΙΑ ΛΟΓΟΣ"),
        ("İnalcık and Osmanlı", "INALCIK osmanli"),
        ("Koselleck", "ｋｏｓｅｌｌｅｃｋ"),
        ("TNFα of γδ T cells", "tnf-alpha gamma del"),
        ("TNF-alpha", "TNFα"),
        ("Γάμμα", "γ"),  # the beginning of a word, as well
        (r"MoS$_2$ and $\alpha$ decay", "MoS2 α"),
    ],
)
def test_letters_are_found_as_others_write_them(tmp_path, title, typed):
    with recommender_of([Paper("sought", title), Paper("other", "Something else")], tmp_path / "index") as recommender:
        assert [paper.id for paper in recommender.search_papers(typed)] == ["sought"]
