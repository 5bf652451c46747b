"""BM25 search equals the formula, for queries of any length and content."""

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from lucene_formula import bm25 as formula
from lucene_formula import stored_length
from whoosh.analysis import SpaceSeparatedTokenizer
from whoosh.fields import TEXT, Schema
from whoosh.filedb.filestore import RamStorage

from encoders.text import Text
from indexer.bm25_parameters import Bm25Parameters
from indexer.lucene import Bm25Writer, labels
from retrieval.bm25 import MAX_TERMS, Bm25
from retrieval.forms import form_weights

random_words = random.Random(5)
VOCABULARY = ["".join(random_words.choices("bcdfghjklmnpqrtvwxz", k=6)) for _ in range(400)]
LENGTHS = [*range(1, 60), 100, 255, 256, 1000, 5000]


def document(length: int) -> Text:
    # Few words are frequent and most are rare, as in language.
    words = [VOCABULARY[min(int(random_words.paretovariate(0.6)) - 1, 399)] for _ in range(length)]
    return Text(" ".join(words[:5]), " ".join(words[5:]))


DOCUMENTS = [document(length) for length in LENGTHS] + [
    Text("Citation recommendation", "Recommending citations for running papers, the recommended citation."),
    Text("Citation recommendation", "Recommending citations for running papers, the recommended citation."),
    Text("图神经网络", "引文推荐"),
    Text("", "   "),
]


def write(texts: list[Text], folder: Path) -> None:
    with Bm25Writer(folder) as writer:
        for label, text in enumerate(texts):
            writer.add(label, text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bm25") / "bm25"
    write(DOCUMENTS, path)
    return path


@pytest.fixture(scope="module")
def bm25(folder: Path) -> Bm25:
    return Bm25(folder, labels(folder))


@pytest.fixture(scope="module")
def analysed(bm25: Bm25) -> list[list[str]]:
    return [bm25.terms(text.joined()) for text in DOCUMENTS]


QUERIES = [
    Text("recommending citations", ""),
    Text(VOCABULARY[0], ""),
    Text(VOCABULARY[7] + " nowhere", f"{VOCABULARY[1]} {VOCABULARY[1]} {VOCABULARY[250]}"),
    DOCUMENTS[40],
    DOCUMENTS[-5],  # 5000 words
]


@pytest.mark.parametrize("length", [0, 1, 39, 40, 41, 55, 56, 1000, 2**20])
def test_stored_length_is_what_lucene_keeps(length: int) -> None:
    from indexer.jvm import autoclass

    small_float = autoclass("org.apache.lucene.util.SmallFloat")
    assert stored_length(length) == small_float.byte4ToInt(small_float.intToByte4(length))


@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (1.2, 0.75), (2.0, 0.0), (0.5, 1.0)])
@pytest.mark.parametrize("query", QUERIES)
def test_scores_and_order_are_the_formulas(
    bm25: Bm25, analysed: list[list[str]], query: Text, k1: float, b: float
) -> None:
    weights = form_weights(query, "title+abstract", bm25)
    expected = formula(analysed, weights, k1, b)
    hits = bm25.search(weights, 1000, parameters=Bm25Parameters(k1, b))
    assert set(hits.docids.tolist()) == set(expected)
    wanted = np.asarray([expected[number] for number in hits.docids.tolist()])
    np.testing.assert_allclose(hits.scores, wanted, rtol=1e-4, atol=1e-4)
    # The same order, but for scores that differ by less than a float can tell.
    assert (np.diff(wanted) <= 1e-4).all()
    assert (np.lexsort((hits.docids, -hits.scores)) == np.arange(len(hits))).all()


def test_digits_below_the_line_are_digits_in_papers_and_in_queries(tmp_path: Path) -> None:
    papers = [Text("N₂O of rice", ""), Text("N2O of wheat", ""), Text("N$_2$O of hay", ""), Text("N of O", "")]
    write(papers, tmp_path / "bm25")
    found = Bm25(tmp_path / "bm25", labels(tmp_path / "bm25"))
    for query in ("N₂O", "N2O", "N$_{2}$O"):
        assert found.search(form_weights(Text(query, ""), "title", found), 10).docids.tolist() == [0, 1, 2]


def test_greek_symbols_are_words_of_their_names(tmp_path: Path) -> None:
    papers = [Text("TNFα of γδ T cells", ""), Text("TNF-alpha", ""), Text("TNF", ""), Text("μCT at 5 μm", "")]
    write(papers, tmp_path / "bm25")
    found = Bm25(tmp_path / "bm25", labels(tmp_path / "bm25"))
    for query in ("TNF-α", r"TNF-$\alpha$", "TNFα", "tnf alpha"):
        assert found.search(form_weights(Text(query, ""), "title", found), 2).docids.tolist() == [1, 0]
    assert found.terms("γδ, αβγ, μCT") == ["gamma", "delta", "αβγ", "μct"]


def test_words_are_asked_with_accents_where_more_papers_have_them_so(tmp_path: Path) -> None:
    held = ["El Nino", "Bezier curves", "Bezier", "Bézier", "Poincaré", "Poincaré", "Poincare", "the thé", "résumé"]
    write([Text(one, "") for one in held], tmp_path / "bm25")
    found = Bm25(tmp_path / "bm25", labels(tmp_path / "bm25"))
    for written, terms in {
        "El Niño": ["el", "nino"],
        "Bézier curves": ["bezier", "curv"],
        "Poincaré": ["poincaré"],
        "Poincare": ["poincar"],
        "thé tô": ["thé", "tô"],
        "Schrödinger": ["schrödinger"],  # neither is there
        "résumés": ["résumé"],
    }.items():
        assert found.terms(written) == terms


@pytest.mark.parametrize(
    ("held", "asked"),
    [
        ("El Niño", "el nino"),
        ("Straßen", "Strassen"),
        ("Strassen", "Straßen"),
        ("Erdős", "Erdos"),
        ("Poincaré", "Poincare"),
        ("Łódź", "lodz"),
        ("Schrödinger", "Schrodinger"),
        ("Schrödinger", "Schroedinger"),
        ("Mueller", "Müller"),
        ("Müller", "MUELLER"),
        ("Universität", "Universitaet"),
        ("Århus", "Aarhus"),
        ("œuvres", "oeuvres"),
        ("résumés", "resume"),
    ],
)
def test_papers_are_found_by_words_without_their_accents(tmp_path: Path, held: str, asked: str) -> None:
    write([Text("Other words", ""), Text(held, "")], tmp_path / "bm25")
    found = Bm25(tmp_path / "bm25", labels(tmp_path / "bm25"))
    assert found.search(form_weights(Text(asked, ""), "title", found), 10).docids.tolist() == [1]


def test_words_without_accents_stay_where_more_than_a_few_papers_have_them_so(tmp_path: Path) -> None:
    held = ["naive", "Muller"] + 10 * ["naïve Müller"]
    write([Text(one, "") for one in held], tmp_path / "bm25")
    found = Bm25(tmp_path / "bm25", labels(tmp_path / "bm25"))
    assert found.terms("naive Muller, Mueller") == ["naïv", "müller", "müller"]
    write([Text(one, "") for one in [*held, "naive", "Muller"]], tmp_path / "more")
    found = Bm25(tmp_path / "more", labels(tmp_path / "more"))
    assert found.terms("naive Muller, Mueller") == ["naiv", "muller", "müller"]


def test_an_index_without_words_is_asked_without_accents(tmp_path: Path) -> None:
    write([Text("", "")], tmp_path / "bm25")
    assert Bm25(tmp_path / "bm25", labels(tmp_path / "bm25")).terms("nino") == ["nino"]


def test_equal_papers_come_in_the_order_of_their_numbers(bm25: Bm25) -> None:
    twins = [len(LENGTHS), len(LENGTHS) + 1]
    hits = bm25.search({"citat": 1.0}, 10)
    assert hits.docids.tolist() == twins
    assert hits.scores[0] == hits.scores[1]


def test_a_repeated_word_weighs_as_often_as_it_stands(bm25: Bm25) -> None:
    text = Text("citations cited", "The citation of papers is a citation.")
    weights = form_weights(text, "title+abstract", bm25)
    assert weights == {"citat": 3.0, "cite": 1.0, "paper": 1.0}


def test_statistics_are_counts(bm25: Bm25, analysed: list[list[str]]) -> None:
    flat = [term for terms in analysed for term in terms]
    count = sum(1 for terms in analysed if terms)
    assert count == len(DOCUMENTS) - 1
    assert (bm25.documents, bm25.collection_length) == (len(DOCUMENTS), len(flat))
    for term in [VOCABULARY[0], VOCABULARY[100], "citat", "nowhere"]:
        assert bm25.collection_frequency(term) == flat.count(term)
        holding = sum(term in terms for terms in analysed)
        idf = np.log(1 + (count - holding + 0.5) / (holding + 0.5)) if holding else 0
        assert bm25.idf(term) == pytest.approx(idf)


@pytest.mark.parametrize("k", [1, 3, 10, 1000, 10**6])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 0.95, 1.0])
def test_filter_equals_filtering_the_whole_list(bm25: Bm25, k: int, share: float) -> None:
    allowed = np.random.default_rng(k).random(len(DOCUMENTS)) < share
    weights = form_weights(DOCUMENTS[40], "title+abstract", bm25)
    whole = bm25.search(weights, 10**6)
    keep = allowed[whole.docids]
    hits = bm25.search(weights, k, allowed)
    assert hits.docids.tolist() == whole.docids[keep][:k].tolist()
    assert hits.scores.tolist() == whole.scores[keep][:k].tolist()


@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_a_shorter_list_is_the_head_of_the_longer(bm25: Bm25, k: int) -> None:
    weights = {"citat": 1.0, VOCABULARY[0]: 1.0, VOCABULARY[1]: 2.0}
    assert bm25.search(weights, k).docids.tolist() == bm25.search(weights, 1000).docids[:k].tolist()


@pytest.mark.parametrize("k", [1, 40, 2999])
def test_of_equal_scores_the_lowest_numbers_are_kept(tmp_path: Path, k: int) -> None:
    """Lucene would keep those that its threads happened to write first."""
    texts = [Text("citation graphs" if number % 3 else "citation", "") for number in range(3000)]
    write(texts, tmp_path / "bm25")
    hits = Bm25(tmp_path / "bm25", labels(tmp_path / "bm25")).search({"citat": 1.0}, k)
    shortest_first = sorted(range(3000), key=lambda number: (number % 3 > 0, number))
    assert hits.docids.tolist() == shortest_first[:k]


@pytest.mark.parametrize("k", [0, -1])
def test_no_hit_is_wanted(bm25: Bm25, k: int) -> None:
    assert len(bm25.search({"citat": 1.0}, k)) == 0


@pytest.mark.parametrize(
    "text", ["", "   ", "the of and is", "\0\x01\x02", "\ud800", "😀", '?!*:()[]{}~^"\\+-', "مرحبا"]
)
def test_text_without_known_words_finds_nothing(bm25: Bm25, text: str) -> None:
    weights = form_weights(Text(text, ""), "title+abstract", bm25)
    assert len(bm25.search(weights, 10)) == 0


@pytest.mark.parametrize("noise", ["\0", "\x1b[0m ", "\ud800 ", "😀 ", "* OR ", '"', "field:", "مرحبا "])
def test_noise_in_a_query_does_not_hide_its_words(bm25: Bm25, noise: str) -> None:
    weights = form_weights(Text(f"{noise} citation {noise}", noise), "title+abstract", bm25)
    assert set(bm25.search(weights, 10).docids.tolist()) == {len(LENGTHS), len(LENGTHS) + 1}


def test_chinese_words_are_found(bm25: Bm25) -> None:
    weights = form_weights(Text("引文推荐", ""), "title+abstract", bm25)
    assert bm25.search(weights, 10).docids.tolist() == [len(LENGTHS) + 2]


def test_query_of_ten_thousand_words_is_scored_in_full(bm25: Bm25, analysed: list[list[str]]) -> None:
    words = random.Random(9).choices(VOCABULARY, k=10_000)
    weights = form_weights(Text("", " ".join(words)), "title+abstract", bm25)
    assert sum(weights.values()) == 10_000
    expected = formula(analysed, weights, 2.0, 0.9)
    hits = bm25.search(weights, 1000)
    wanted = [expected[number] for number in hits.docids.tolist()]
    np.testing.assert_allclose(hits.scores, wanted, rtol=1e-4)


def test_query_of_five_thousand_distinct_words_keeps_the_telling_ones(bm25: Bm25, analysed: list[list[str]]) -> None:
    unknown = [f"zz{number}q" for number in range(5000)]
    weights = form_weights(Text("", " ".join([*unknown, *VOCABULARY])), "title+abstract", bm25)
    assert len(weights) > 5000 > MAX_TERMS
    hits = bm25.search(weights, 1000)
    # All words that a paper holds fit below the limit, so nothing is lost.
    expected = formula(analysed, weights, 2.0, 0.9)
    np.testing.assert_allclose(hits.scores, [expected[number] for number in hits.docids.tolist()], rtol=1e-4)
    assert len(hits) == len(expected)


@pytest.mark.parametrize("count", [1, 20, 60])
@pytest.mark.parametrize("k1", [0.9, 2.0])
def test_the_heaviest_terms_are_those_of_the_largest_expected_share(
    bm25: Bm25, analysed: list[list[str]], count: int, k1: float
) -> None:
    words = random.Random(4).choices(VOCABULARY, k=300)
    weights = form_weights(Text("", " ".join(words)), "title+abstract", bm25) | {"nowhere": 99.0}
    papers = sum(1 for terms in analysed if terms)

    def share(term: str) -> float:
        holding = [terms.count(term) for terms in analysed if term in terms]
        if not holding:
            return 0.0
        idf = np.log(1 + (papers - len(holding) + 0.5) / (len(holding) + 0.5))
        return float(weights[term] * idf * np.mean(holding) / (np.mean(holding) + k1))

    assert len(weights) > 60
    kept = bm25.heaviest(weights, count, Bm25Parameters(k1, 0.4))
    assert len(kept) == count
    assert min(map(share, kept)) >= max(share(term) for term in weights if term not in kept) - 1e-9
    assert kept.items() <= weights.items()
    assert bm25.heaviest(weights, len(weights)) == weights


def test_title_form_asks_by_the_title_alone(bm25: Bm25) -> None:
    text = Text("citation", "papers recommended")
    assert form_weights(text, "title", bm25) == {"citat": 1.0}
    assert form_weights(text, "title+abstract", bm25) == {"citat": 1.0, "paper": 1.0, "recommend": 1.0}


@pytest.mark.parametrize("title", ["", "  \n"])
def test_abstract_answers_for_a_missing_title(bm25: Bm25, title: str) -> None:
    assert form_weights(Text(title, "papers papers"), "title", bm25) == {"paper": 2.0}


def test_key_terms_are_three_of_the_title_and_five_of_the_abstract_as_whoosh_gives_them(
    bm25: Bm25, analysed: list[list[str]]
) -> None:
    # Whoosh's own index of the same analysed words is asked as Citeomatic asks it.
    index = RamStorage().create_index(Schema(body=TEXT(analyzer=SpaceSeparatedTokenizer())))
    writer = index.writer()
    for terms in analysed:
        writer.add_document(body=" ".join(terms))
    writer.commit()
    title = " ".join([*VOCABULARY[20:32], "nowhere", VOCABULARY[90], VOCABULARY[90]])
    abstract = " ".join([*VOCABULARY[:60], *VOCABULARY[10:50:3], "nowhere", VOCABULARY[90]])
    with index.searcher() as searcher:
        of_title, of_abstract = (
            [term for term, _ in searcher.key_terms_from_text("body", " ".join(bm25.terms(text)), numterms=count)]
            for text, count in ((title, 3), (abstract, 5))
        )
    assert len(of_title) == 3
    assert len(of_abstract) == 5
    assert form_weights(Text(title, abstract), "key-terms", bm25) == Counter([*of_title, *of_abstract])
    assert form_weights(Text(title, ""), "key-terms", bm25) == Counter(of_title)
    assert form_weights(Text("", abstract), "key-terms", bm25) == Counter(of_abstract)
    # A term of both is searched for twice.
    assert form_weights(Text("citation", "citations"), "key-terms", bm25) == {"citat": 2.0}
