"""Queries with a context: what to cite in one place of a paper."""

from dataclasses import replace

import numpy as np
import pytest

from citescout import Query, Recommender, Settings
from citescout.support import Support
from common.errors import QueryError
from demo import CORPUS
from encoders.sentences.encoder import sentence_encoder
from encoders.text import Text
from indexer.builds import build_index
from indexer.readers import read_papers
from rerank.blend import CONTEXT, Blend
from rerank.context_features import CONTEXT_FEATURES, CONTEXT_NAMES
from rerank.features import words
from retrieval.context import CITERS, COLUMNS, OWN_CITERS, SHARPNESS, ContextParts
from retrieval.context_pool import RECENT

SENTENCE = "Pretrained transformers encode tokens in both directions [CITATION] before they are fine-tuned."
KNOWN = ("vaswani2017attention", "pennington2014glove", "robertson1994some", "hochreiter1997long")


@pytest.fixture(scope="module")
def papers():
    return {paper.id: paper for paper in read_papers([str(CORPUS)])}


@pytest.fixture(scope="module")
def known(papers):
    return tuple(paper for paper in KNOWN if paper in papers)


def ids(recommender, query, k=20):
    (answer,) = recommender.answers([query], Settings(k=k), "ids")  # reasons take longer than the list itself
    return [entry.paper.id for entry in answer.recommendations]


def test_the_paper_that_a_sentence_is_about_is_found(recommender):
    assert "devlin2019bert" in ids(recommender, Query(context=SENTENCE), 5)


def test_every_cited_paper_is_found_by_its_title_in_a_sentence(recommender, papers):
    asked = [paper for paper in papers.values() if len(paper.title.split()) > 4][::40]
    found = [paper.id in ids(recommender, Query(context=f"As shown by {paper.title} [1]."), 5) for paper in asked]
    assert np.mean(found) >= 0.9


def test_the_draft_what_it_cites_and_what_is_newer_are_not_recommended(recommender, papers, known):
    draft = papers["devlin2019bert"]
    query = Query(draft.title, draft.abstract, draft.id, 2018, already_cited=known, context=SENTENCE)
    found = ids(recommender, query, 1000)
    assert not {draft.id, *known} & set(found)
    assert all((papers[one].year or 0) <= 2018 for one in found)


def test_one_by_one_and_together_with_queries_without_a_context_lists_are_the_same(recommender, known):
    queries = [
        Query("Dense retrieval of papers"),
        Query(context=SENTENCE),
        Query("Dense retrieval of papers", context=SENTENCE, already_cited=known),
        Query("Citation graphs", "We rank papers by citations."),
    ]
    together = [
        [(one.paper.id, one.score) for one in answer.recommendations] for answer in recommender.answers(queries)
    ]
    alone = [[(one.paper.id, one.score) for one in recommender.recommend(query)] for query in queries]
    assert together == alone


def test_a_blank_context_is_none(recommender):
    query = Query("Dense retrieval of papers to cite")
    assert ids(recommender, query) == ids(recommender, replace(query, context="  "))
    assert recommender.pool(replace(query, context=" ")).context is None


def test_words_near_the_mark_count_more(recommender):
    bm25 = recommender._first_stage.bm25
    far = " ".join(["filler"] * 12)
    parts = ContextParts.of(Query(context=f"parsing {far} translation [CITATION] {far} summarization"), bm25)
    (parsing,), (translation,), (summarization,) = map(bm25.terms, ("parsing", "translation", "summarization"))
    assert parts.sentence[translation] == parts.sentence[parsing] == parts.near[parsing] == 1
    assert parts.near[translation] == 3
    assert parts.near[summarization] == 1


def test_a_citation_of_something_else_hardly_changes_the_list(recommender, known):
    query = Query("Language models that are trained beforehand", context=SENTENCE, already_cited=known)
    other = replace(query, already_cited=(*known, "page1999pagerank"))
    plain, changed = ids(recommender, query), ids(recommender, other)
    assert len(set(plain) & set(changed)) >= 14
    assert set(plain[:3]) <= set(changed[:10])


def test_other_citations_pull_what_is_cited_with_them(recommender, papers):
    """Papers that cite two others: with one of them told, the other stands higher in the mean."""
    rises = []
    for paper in [one for one in papers.values() if len(one.citations) >= 6][::25]:
        wanted, *others = [cited for cited in paper.citations if cited in papers]
        query = Query(id=paper.id, context="This was shown before [CITATION] in several experiments.")
        without = ids(recommender, query, 1000)
        told = ids(recommender, replace(query, already_cited=tuple(others)), 1000)
        place = [found.index(wanted) if wanted in found else 1000 for found in (without, told)]
        rises.append(place[0] - place[1])
    assert len(rises) >= 4
    assert np.median(rises) > 0


@pytest.fixture(scope="module")
def asked(known):
    return Query("Language models in two directions", context=SENTENCE, already_cited=known)


@pytest.fixture(scope="module")
def pool(recommender, asked):
    return recommender.pool(asked)


@pytest.fixture(scope="module")
def matrix(recommender, asked):
    """The features of a pool of this query."""
    return lambda pool: recommender.features(pool, asked)


def test_all_columns_are_there_in_the_order_of_the_pool(pool):
    assert pool.context is not None
    assert set(pool.context) == set(COLUMNS)
    assert all(column.shape == (len(pool),) for column in pool.context.values())
    bm25 = pool.hits["bm25"]
    places = {number: place for place, number in enumerate(pool.docids.tolist())}
    for number, score in zip(bm25.docids.tolist(), bm25.scores.tolist(), strict=True):
        assert pool.context["bm25"][places[number]] == pytest.approx(score)


def test_coupling_is_as_defined(recommender, pool, known):
    graph = recommender.generation.graph
    own = [recommender.docid_of(one) for one in known]
    expected = dict.fromkeys(pool.docids.tolist(), 0.0)
    for citing in range(len(graph.cites.offsets) - 1):
        cited = graph.cites.of(citing).tolist()
        shared = sum(one in cited for one in own)
        for one in cited:
            if shared and one in expected:
                expected[one] += shared**1.5 / (len(cited) + 5) ** 0.5
    assert max(len(graph.cited_by.of(one)) for one in own) <= OWN_CITERS, "the oracle knows no cut"
    assert pool.context["own_coupling"] == pytest.approx([expected[one] for one in pool.docids.tolist()], rel=1e-5)


def test_the_nearest_paper_that_cites_a_candidate_is_found(recommender, asked, pool):
    graph, dense = recommender.generation.graph, recommender._first_stage.dense
    if dense is None:
        pytest.skip("the index has no vectors")
    vector = dense.vectors([asked.wanted, asked.text]).sum(axis=0)
    vector /= np.linalg.norm(vector)
    for place, docid in enumerate(pool.docids.tolist()[:50]):
        citing = [one for one in graph.cited_by.of(docid).tolist() if pool.evidence.citing[one]]
        if len(citing) <= CITERS:
            expected = max((dense.documents(np.asarray(citing)) @ vector).max(), 0) if citing else 0.0
            assert pool.context["nearest_citer"][place] == pytest.approx(expected, abs=1e-4)


def test_own_citations_near_the_sentence_count_more(recommender, asked, pool):
    dense = recommender._first_stage.dense
    if dense is None:
        pytest.skip("the index has no vectors")
    own = dense.documents(np.asarray([recommender.docid_of(one) for one in asked.already_cited]))
    weights = np.exp(SHARPNESS * (own @ dense.vectors([asked.wanted])[0]))
    middle = weights @ own
    expected = dense.documents(pool.docids) @ (middle / np.linalg.norm(middle))
    assert pool.context["own_near"] == pytest.approx(expected, abs=1e-4)


def test_what_was_learned_from_sentences_leads_half_of_the_way(recommender, asked, pool):
    dense = recommender._first_stage.dense
    usual = dense.projected(dense.vectors([asked.wanted, asked.text])).sum(axis=0)
    read = sentence_encoder("minilm").encode_queries([Text(asked.wanted.abstract, asked.title)])
    middle = usual / np.linalg.norm(usual) + dense.projected(read)[0]
    expected = dense.documents(pool.docids) @ (middle / np.linalg.norm(middle))
    assert pool.context["learned"] == pytest.approx(expected, abs=1e-4)


def test_an_index_of_another_encoders_vectors_is_asked_without_it(tmp_path, papers, asked):
    build_index(papers.values(), tmp_path / "index", "static")
    with Recommender.open(tmp_path / "index") as recommender:
        assert np.isnan(recommender.pool(asked).context["learned"]).all()
        assert "devlin2019bert" in ids(recommender, Query(context=SENTENCE), 5)


def test_citations_of_the_last_years_are_counted(recommender, asked):
    graph, years = recommender.generation.graph, recommender.generation.years
    found = recommender.pool(replace(asked, year=2020))
    expected = [
        sum(2020 - RECENT <= years[one] <= 2020 for one in graph.cited_by.of(docid).tolist())
        for docid in found.docids.tolist()
    ]
    assert found.context["recent"].tolist() == expected
    assert any(expected)


def test_the_words_of_a_title_that_stand_in_the_sentence_are_counted(recommender, papers, asked, pool, matrix):
    found = matrix(pool)[:, CONTEXT_NAMES.index("title_in_sentence")]
    inside = {"pretrained", "transformer", "encode", "token", "direction", "before", "they", "fine", "tuned"}
    for id_, value in list(zip(recommender.generation.catalog.ids(pool.docids), found.tolist(), strict=True))[:100]:
        title = words(papers[id_].title)
        assert value == pytest.approx(len(title & (inside | {"both"})) / max(len(title), 1))


def test_how_often_papers_are_cited_in_all_changes_nothing(pool, matrix):
    many = replace(pool, citations=pool.citations * 7, context={**pool.context, "recent": pool.context["recent"] * 7})
    assert matrix(many) == pytest.approx(matrix(pool), nan_ok=True, rel=1e-5)


def test_votes_that_all_count_more_change_nothing(pool, matrix):
    voted = {
        name: column * 5 if "_c" in name and "cosine" not in name else column for name, column in pool.context.items()
    }
    assert matrix(replace(pool, context=voted)) == pytest.approx(matrix(pool), nan_ok=True, rel=1e-4, abs=1e-5)


def test_reciprocal_ranks_by_loops(pool, matrix):
    names = ("bm25", "near", "cosine")
    columns = [pool.context[name].tolist() for name in names if not np.isnan(pool.context[name]).all()]
    sums = [
        sum(1 / (21 + sum(other > column[place] for other in column)) for column in columns if column[place] > 0)
        for place in range(len(pool))
    ]
    found = matrix(pool)[:, CONTEXT_NAMES.index("sentence_places")]
    assert found == pytest.approx([one / max(sums) for one in sums], rel=1e-5)


@pytest.mark.parametrize("feature", [one for one in CONTEXT_FEATURES if one.direction], ids=lambda one: one.name)
def test_more_evidence_never_lowers_a_paper_for_a_context(pool, matrix, feature):
    shipped = Blend.load(CONTEXT)
    values = matrix(pool)[:200].astype(np.float64)
    more = values.copy()
    column = CONTEXT_NAMES.index(feature.name)
    known = ~np.isnan(values[:, column])
    more[:, column] = np.nan_to_num(values[:, column]) + 0.5 * feature.direction
    for order in (shipped.order, shipped.without_citations.order):
        places = [CONTEXT_NAMES.index(name) for name in order.names]
        assert (order.predict(more[:, places])[known] >= order.predict(values[:, places])[known] - 1e-9).all()


def test_an_index_does_not_fit_a_sentence_of_nonsense(recommender):
    if recommender._first_stage.dense is None:
        pytest.skip("the index has no vectors")
    nonsense = recommender.rank(Query(context="Zorvex quandry mipple [CITATION] blenth gratsch wooven tirm."))
    assert nonsense.fit is not None
    assert nonsense.fit.verdict == "none"
    fit = recommender.rank(Query(context=SENTENCE)).fit
    assert fit is not None
    assert fit.chance > nonsense.fit.chance
    assert recommender.rank(Query(context=SENTENCE), Settings(sources=("bm25", "graph"), blend=False)).fit is None


def test_chances_fall_along_the_list(recommender):
    scores = [entry.score for entry in recommender.recommend(Query(context=SENTENCE), Settings(k=100))]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) >= 0
    assert max(scores) <= 100


@pytest.mark.parametrize("settings", [Settings(sources=("bm25",)), Settings(sources=("graph",)), Settings(blend=False)])
def test_any_source_alone_answers_or_finds_nothing(recommender, known, settings):
    for query in (Query(context=SENTENCE), Query(context=SENTENCE, already_cited=known)):
        found = recommender.recommend(query, settings)
        assert len({entry.paper.id for entry in found}) == len(found)
        assert bool(found) is (settings.sources != ("graph",) or bool(query.already_cited))


def test_the_sentence_of_the_abstract_that_is_nearest_is_shown(recommender, papers):
    for entry in recommender.recommend(Query(context=SENTENCE)):
        support = entry.reasons.support
        assert support in " ".join(entry.paper.abstract.split())
    assert any(entry.reasons.support for entry in recommender.recommend(Query(context=SENTENCE)))
    assert not any(entry.reasons.support for entry in recommender.recommend(Query("Pretrained transformers")))


def test_support_prefers_rare_words_and_knows_no_sentence_without_one(recommender):
    support = Support("transformers that encode tokens", recommender._first_stage.bm25)
    abstract = "We study papers, e.g. those of Smith et al. 2020. Transformers encode text. It helps."
    assert support.of(abstract) == "Transformers encode text."
    assert support.of("") == ""
    assert support.of("Nothing here is shared.") == ""


@pytest.mark.parametrize(
    ("context", "sentence"),
    [
        ("Following Vaswani et al. (2017), we use multi-head attention.", "To be useful, a parser should use trees."),
        ("Recent work has shown promising results in this task.", "Results on a recent task are promising."),
        ("Experiments were run in 10 folds, p < 0.05.", "In 10 languages, experiments show p values."),
        ("Editors write news.", "It is new."),
        ("It is new.", "Editors write news."),
    ],
)
def test_stop_words_alone_support_nothing(recommender, context, sentence):
    bm25 = recommender._first_stage.bm25
    assert set(bm25.terms(context)) & set(bm25.terms(sentence))
    assert Support(context, bm25).of(sentence) == ""
    other = "A very long sentence on summaries of news, speech, rules, grammars and languages names tokens."
    assert Support(f"{context} Tokens.", bm25).of(f"{sentence} {other}") == other  # though it is less alike


@pytest.mark.parametrize("context", ["[CITATION]", r" \cite{a} "])
def test_a_context_of_marks_alone_is_refused(recommender, context):
    with pytest.raises(QueryError, match="no words beside the mark"):
        recommender.recommend(Query("A title", context=context))


def test_an_index_without_citations_of_the_query_or_vectors_answers(demo_index):
    with_words = Recommender.open(demo_index, system="BM25")
    assert with_words.recommend(Query(context=SENTENCE))
    with_words.close()


@pytest.mark.parametrize(
    ("sentence", "fits"),
    [
        ("We evaluate all models on SQuAD.", True),
        ("The experiments use BEIR and MS MARCO.", True),
        ("Results are on CORD-19.", True),
        ("We evaluate all models on XQZ9 and BLORB.", False),
        ("Asdf QWER zxcv.", False),
        ("POSSIBLE BONITZ-GROSS EFFECT", False),
    ],
)
def test_an_index_that_has_what_a_short_sentence_names_is_about_it(recommender, sentence: str, fits: bool) -> None:
    answer = recommender.answer(Query(context=sentence), Settings(k=1))
    named = answer.recommendations[0].reasons.named
    assert (named if answer.fit is None else answer.fit.verdict != "none") is fits


@pytest.mark.parametrize(
    ("title", "abstract", "fits"),
    [
        ("XGBoost", "", True),
        ("CORD-19", " ", True),
        ("Retreat of glaciers", "XGBoost predicts the yearly retreat of alpine glaciers from snow depth.", True),
        ("Retreat of glaciers", "A model predicts the yearly retreat of alpine glaciers from snow depth.", False),
        ("XQZ9", "", False),
        ("POSSIBLE BONITZ-GROSS EFFECT", "", False),
    ],
)
def test_an_index_that_has_what_a_title_or_an_abstract_names_is_about_it(
    recommender, title, abstract, fits: bool
) -> None:
    answer = recommender.answer(Query(title, abstract), Settings(k=1))
    assert answer.fit
    assert (answer.fit.verdict != "none") is answer.recommendations[0].reasons.named is fits


@pytest.mark.parametrize(
    ("title", "fits"),
    [
        ("Preferential attachment", True),
        ("Préferential attachment", True),
        ("maximum-entropy", True),
        ("Attachment, preferential", False),
        ("preferential glaciers", False),
    ],
)
def test_an_index_is_about_a_few_words_that_several_papers_hold_side_by_side(recommender, title: str, fits: bool):
    papers = recommender.generation.catalog.papers(np.arange(recommender.info.papers))
    asked = title.lower().replace("é", "e").replace("-", " ")
    holding = sum(asked in paper.text.joined().lower().replace("-", " ") for paper in papers)
    answer = recommender.answer(Query(title), Settings(k=1))
    assert (answer.fit.verdict != "none") is fits
    assert (holding >= 3) is fits


@pytest.mark.parametrize(
    ("title", "fits"),
    [("Lovelace's preferential attachment", True), ("Lovelace’s attachment", False), ("Lovelace's XQZ9 BLORB", False)],
)
def test_an_index_is_about_what_several_papers_hold_whosever_it_is(recommender, title: str, fits: bool):
    assert (recommender.answer(Query(title), Settings(k=1)).fit.verdict != "none") is fits


def test_what_a_sentence_names_stands_first_however_much_it_names(recommender):
    answer = recommender.answer(Query(context="We compare CiteSeer, ArnetMiner, LINE and XGBoost."), Settings(k=5))
    first = ["chen2016xgboost", "giles1998citeseer", "tang2008arnetminer", "tang2015line"]
    assert sorted(entry.paper.id for entry in answer.recommendations[:4]) == first
    assert [entry.reasons.named for entry in answer.recommendations] == [True] * 4 + [False]
    cited = recommender.answer(Query(context="We use XGBoost.", already_cited=("chen2016xgboost",)), Settings(k=1))
    assert [entry.paper.id for entry in cited.named_already] == ["chen2016xgboost"]


def test_the_sentence_that_supports_is_a_whole_one(recommender):
    abstract = (
        "Roe et al. (2008) and J. Doe, e.g. Dense retrieval, found more (46.2% vs. 18.4%). Nothing else was found."
    )
    support = Support("Dense retrieval found 46.2% vs. 18.4%.", recommender._first_stage.bm25)
    assert support.of(abstract) == abstract.removesuffix(" Nothing else was found.")
