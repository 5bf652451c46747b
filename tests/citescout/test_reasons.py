"""Reasons are worth reading: words that tell papers apart, links that are true, what counted most first."""

from dataclasses import replace

import numpy as np
import pytest
from small_index import recommender_of

from citescout import Query, Settings
from citescout.contributions import strengths
from citescout.recommendation import (
    CITED_BY,
    CITED_WITH,
    CITES,
    Contribution,
    MatchedTerm,
    OwnLink,
    Reasons,
    SourceRank,
)
from citescout.recommender import Recommender
from citescout.stop_words import function_words, is_stop_word
from encoders.text import Text
from exports.reason_sentences import sentences, shared_words, why
from indexer.builds import build_index
from indexer.generations import encoder_of
from indexer.paper import Paper
from rerank.blend import RERANKER
from rerank.features import LINKS, MEANING, WORDS

ABSTRACT = (
    "We study how dense passage retrieval can allow for hard negatives, before and after training. Our method uses a "
    "dual encoder whose negatives are mined from an index, and we show that it works with BM25."
)
QUERY = Query("Hard negatives for dense passage retrieval", ABSTRACT)
KIPF = Paper("kipf", "Graphs", year=2017, authors=("Thomas N. Kipf", "Max Welling"))


def words_of(entries):
    return {match.term.lower() for entry in entries for match in entry.reasons.matched_terms}


def test_only_words_that_carry_weight_are_named(recommender):
    named = words_of(recommender.recommend(QUERY, Settings(k=50)))
    assert {"passage", "dense", "negatives", "bm25"} <= named
    assert not named & {
        "we",
        "before",
        "after",
        "allow",
        "our",
        "method",
        "show",
        "works",
        "study",
        "can",
        "uses",
        "it",
    }


@pytest.mark.parametrize("word", ["before", "Allow", "we", "2019", "x", "propose", "results"])
def test_words_of_any_paper_say_nothing(word):
    assert is_stop_word(word)


@pytest.mark.parametrize("word", ["news", "generative", "citation", "BM25", "学", "user", "question"])
def test_words_that_only_look_alike_say_something(word):
    assert not is_stop_word(word)


def test_words_that_much_of_the_index_holds_are_not_named(recommender):
    query = Query("A language model of transformers", "Models learn from data: a network is trained on words.")
    named = words_of(recommender.recommend(query, Settings(k=50)))
    assert "transformers" in named
    assert not named & {"model", "models", "learn", "network", "trained", "data", "words"}


def test_where_only_empty_words_are_shared_nothing_is_said_of_words(recommender):
    entries = recommender.recommend(Query("We show how it works before and after"), Settings(k=10))
    assert entries
    assert all(not entry.reasons.matched_terms and "Shares" not in why(entry.reasons) for entry in entries)


CHINESE = (
    Paper("c1", "基于图神经网络的论文推荐方法", "本文提出一种基于图神经网络的论文推荐方法，利用引文网络。", 2020),
    Paper("c2", "水稻产量预测模型", "本文研究水稻产量与气候的关系。", 2018),
    Paper("c3", "BERT模型综述", "对引文推荐モデルの研究进行综述。", 2019),
)


def test_in_scripts_without_spaces_what_both_have_is_named(tmp_path):
    build_index(CHINESE, tmp_path, encoder=None)
    title, abstract = "面向学术论文的引文推荐", "我们研究如何利用引文网络和BERT进行推荐。モデルについて"
    with Recommender.open(tmp_path, reranker="none") as recommender:
        entries = recommender.recommend(Query(title, abstract), Settings(k=3))
    named = {entry.paper.id: [match.term for match in entry.reasons.matched_terms] for entry in entries}
    for paper in CHINESE:
        assert all(term in paper.text.joined() and term in f"{title} {abstract}" for term in named[paper.id])
    assert {id_: set(terms) for id_, terms in named.items()} == {
        "c1": {"利用引文网络", "论文", "推荐"},
        "c2": {"研究"},
        "c3": {"引文推荐", "研究", "进行", "BERT", "モデル"},
    }


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        ("La memoria de trabajo en el aula y los sesgos", "la de en el y los"),
        ("Die Bienen und der Honig in den Stöcken", "die und der in den"),
        ("Les inégalités et la société", "les et la"),
        ("O neologizmach we współczesnej polszczyźnie i w czeszczyźnie", "o we i w"),
        ("A die of steel, an anvil and the hammer", ""),
        ("Neural die casting", ""),
        ("基于图神经网络的论文推荐方法", ""),
    ],
)
def test_function_words_are_those_of_the_language_of_the_text(text, empty):
    words = text.lower().replace(",", "").split()
    assert [word for word in words if word in function_words(words)] == empty.split()


def test_function_words_of_another_language_are_no_reasons(tmp_path):
    abstract = "En el aula, los sesgos de la memoria y las heurísticas"
    papers = [
        Paper("a", "La memoria", abstract, 2020),
        Paper("b", "Los dados en la mesa", "Juegos de azar y el álgebra", 2019),
    ]
    with recommender_of(papers, tmp_path) as recommender:
        query = Query("La memoria de trabajo en el aula", "Los sesgos y la memoria")
        entries = recommender.recommend(query, Settings())
        of_few = recommender.recommend(Query("Trabajo los dados"), Settings())  # a language that nothing else tells
    named = {entry.paper.id: {match.term.lower() for match in entry.reasons.matched_terms} for entry in entries}
    assert [{match.term for match in entry.reasons.matched_terms} for entry in of_few if entry.paper.id == "b"] == [
        {"dados"}
    ]
    assert named["a"] == {"memoria", "aula", "sesgos"}
    assert not named.get("b")


def test_a_word_is_shared_only_where_the_paper_has_a_form_of_it(tmp_path):
    texts = {
        "forms": "We map the emerging markets of each universe, quickly",
        "others": "Mapped in an emergency: the market of a university; common, new and quick",
        "empty words": "Marketers are new and in common use at universities",
    }
    papers = [Paper(id_, "Birds", text, 2020) for id_, text in texts.items()]
    papers += [Paper(f"other {place}", "Stones of rivers", "Sand and gravel", 2020) for place in range(30)]
    with recommender_of(papers, tmp_path) as recommender:
        query = Query("News: commoning and mapping in the emerging universe of marketization, quickly")
        entries = recommender.recommend(query, Settings(blend=False))
    named = {entry.paper.id: {match.term for match in entry.reasons.matched_terms} for entry in entries}
    assert named["forms"] == {"mapping", "emerging", "universe", "quickly", "markets"}
    assert named["others"] == {"mapping", "emergency", "university", "market"}
    assert named["empty words"] == {"universities", "marketers"}


def test_greek_symbols_are_shared_as_the_paper_has_them(tmp_path):
    texts = {"symbols": "γδ and TNFα", "names": "Delta and TNF alpha", "μ": "Nothing at 5 μm"}
    papers = [Paper(id_, "Birds", text, 2020) for id_, text in texts.items()]
    papers += [Paper(f"other {place}", "Stones of rivers", "Sand and gravel", 2020) for place in range(30)]
    with recommender_of(papers, tmp_path) as recommender:
        for query in (Query("Gamma, delta and TNF-alpha"), Query("γδ, TNFα")):
            entries = recommender.recommend(query, Settings(blend=False))
            named = {entry.paper.id: {match.term for match in entry.reasons.matched_terms} for entry in entries}
            assert named["symbols"] == {"γδ", "TNFα"}
            assert {term.casefold() for term in named["names"]} == {"delta", "tnf", "alpha"}


def test_words_that_bm25_was_not_asked_for_are_not_named(recommender):
    few = Settings(k=50, bm25_terms=2)
    bm25 = recommender._first_stage.bm25
    asked = bm25.heaviest(recommender.pool(QUERY, few).term_weights, 2)
    named = words_of(recommender.recommend(QUERY, few))
    assert named
    assert {term for word in named for term in bm25.terms(word)} <= set(asked)
    assert not words_of(recommender.recommend(QUERY, Settings(k=20, sources=("dense",))))


def test_reasons_are_the_same_however_many_papers_are_shown(recommender):
    query = replace(QUERY, already_cited=("karpukhin2020dense",))
    shown = [entry.reasons for entry in recommender.recommend(query, Settings(k=50))]
    assert shown[0].contributions
    for k in (1, 5, 20, 30):
        assert [entry.reasons for entry in recommender.recommend(query, Settings(k=k))] == shown[:k]


def test_links_with_the_best_matches_are_true(recommender):
    generation = recommender.generation
    pool = recommender.pool(QUERY)
    best = {paper.id: paper for paper in generation.catalog.papers(pool.docids[:100])}
    papers = generation.catalog.papers(np.arange(recommender.info.papers))
    told = 0
    for entry in recommender.recommend(QUERY, Settings(k=30)):
        reasons, paper = entry.reasons, entry.paper
        citing = [one for one in best.values() if paper.id in one.citations and one.id != paper.id]
        assert reasons.cited_by_count == len(citing)
        assert [one.id for one in reasons.cited_by] == [one.id for one in citing[:3]]
        assert {one.id for one in reasons.cites} <= set(paper.citations) & set(best)
        if reasons.cited_with:
            told += 1
            other = reasons.cited_with.paper
            both = [one for one in papers if {paper.id, other.id} <= set(one.citations)]
            assert reasons.cited_with.together == len(both) >= 3
    assert told


def test_only_papers_that_a_draft_can_read_are_said_to_cite(recommender):
    entries = recommender.recommend(replace(QUERY, year=2020), Settings(k=100))
    papers = recommender.generation.catalog.papers(np.arange(recommender.info.papers))
    assert any(entry.paper.year == 2020 and entry.paper.citations for entry in entries)
    for entry in entries:
        reasons = entry.reasons
        assert all(one.year and one.year <= 2020 for one in reasons.cited_by)
        if reasons.cites:
            assert entry.paper.year
            assert entry.paper.year <= 2020
        if reasons.cited_with:
            pair = {entry.paper.id, reasons.cited_with.paper.id}
            there = [one for one in papers if pair <= set(one.citations) and one.year and one.year <= 2020]
            assert reasons.cited_with.together == len(there)


def test_what_moved_the_paper_most_is_said_first():
    reasons = Reasons(
        (MatchedTerm("graph", 2.0),),
        (SourceRank("bm25", 1, 9.0), SourceRank("dense", 7, 0.9)),
        (KIPF,),
        None,
        close_in_meaning=True,
        contributions=(Contribution("cosine", 0.5), Contribution("cocited", 2.0), Contribution("bm25_share", -1.0)),
    )
    assert why(reasons) == "Cited by Kipf and Welling (2017). Close in meaning. Shared terms: graph."
    assert why(replace(reasons, contributions=())).startswith("Shared terms: graph. Close in meaning.")


def test_ranks_are_not_in_the_words_of_any_paper(recommender):
    entries = recommender.recommend(QUERY, Settings(k=30))
    assert all(why(entry.reasons) and "#" not in why(entry.reasons) for entry in entries[:20])
    assert all(entry.reasons.sources for entry in entries)


@pytest.mark.parametrize(
    ("title", "is_about_it"), [(QUERY.title, True), ("Harvests of soil", False), ("lalala xyzzy", False)]
)
def test_close_is_what_is_about_as_near_as_papers_are_to_each_other(recommender, title, is_about_it):
    generation = recommender.generation
    vectors = np.asarray(generation.vectors(), np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    among = np.sort(vectors @ vectors.T - 2 * np.eye(len(vectors)), axis=1)[:, -50:].mean(axis=1)
    least = among.mean() - 2 * among.std()
    asked = np.asarray(encoder_of(generation).encode_queries([Text(title, "")])[0], np.float64)
    cosines = vectors @ asked / np.linalg.norm(asked)
    answer = recommender.answer(Query(title), Settings(k=50))
    assert (answer.fit.verdict != "none") == is_about_it
    close = {recommender.docid_of(one.paper.id) for one in answer.recommendations if one.reasons.close_in_meaning}
    assert bool(close) == is_about_it
    assert all(cosines[docid] > least - 0.1 * among.std() for docid in close)  # a sample stands for all papers
    assert any("n meaning" in why(one.reasons) for one in answer.recommendations) == is_about_it


def test_links_with_ones_own_papers_are_said():
    reasons = Reasons((), (), (), None, own=(OwnLink(KIPF, CITED_WITH, 7),))
    assert why(reasons) == "Cited together with your Kipf and Welling (2017), by 7 papers."
    assert [sentence.own for sentence in sentences(reasons)] == [True]


def test_what_one_cites_may_cite_whatever_its_year(recommender):
    papers = recommender.generation.catalog.papers(np.arange(recommender.info.papers))
    own = next(one for one in papers if one.year == 2020 and len(one.citations) >= 5)
    query = replace(QUERY, year=2020, already_cited=(own.id,))
    links = {entry.paper: entry.reasons.own for entry in recommender.recommend(query, Settings(k=200))}
    assert any(paper.id in own.citations for paper in links)
    for paper, told in links.items():
        assert [link.how for link in told if link.how == CITES] == [CITES] * (paper.id in own.citations)
        if any(link.how == CITED_BY for link in told):
            assert own.id in paper.citations
            assert paper.year
            assert paper.year <= 2020


def test_a_paper_that_only_the_graph_found_says_so():
    assert why(Reasons((), (SourceRank("graph", 400, 0.1),), (), None)) == "Linked with the best matches by citations."
    assert why(Reasons((), (SourceRank("bm25", 4, 0.1),), (), None)) == ""
    assert shared_words(Reasons((), (), (), None)) == []


def test_a_close_reading_speaks_for_the_meaning():
    reasons = Reasons((), (), (), 0.9, contributions=(Contribution("cosine", 0.5), Contribution(RERANKER, 1.5)))
    assert strengths(reasons) == {WORDS: 0.0, MEANING: 2.0, LINKS: 0.0}
