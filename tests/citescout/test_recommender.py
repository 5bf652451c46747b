"""What a user relies on, whatever the ranking is."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from small_index import recommender_of

from citescout import Query, Settings
from common.errors import QueryError
from exports.recommendation_json import answer_record
from exports.verdicts import verdict_line
from indexer.paper import Paper
from retrieval.copies import with_copies

ABSTRACT = (
    "We study dense passage retrieval with a dual encoder whose negatives are mined from an approximate nearest "
    "neighbor index, and compare it with BM25 and with cross-encoder reranking on open-domain question answering."
)
QUERY = Query("Hard negatives for dense passage retrieval", ABSTRACT)


def ids(answer):
    return [entry.paper.id for entry in answer]


def test_an_abstract_finds_the_papers_of_its_topic(recommender):
    found = ids(recommender.recommend(QUERY, Settings(k=10)))
    assert "karpukhin2020dense" in found[:3]
    assert "xiong2021approximate" in found


@pytest.mark.parametrize("query", [Query(title=QUERY.title), Query(abstract=ABSTRACT)])
def test_title_or_abstract_alone_is_enough(recommender, query):
    assert "karpukhin2020dense" in ids(recommender.recommend(query, Settings(k=10)))


@pytest.mark.parametrize(
    ("plain", "written"),
    [
        (Query("S2ORC and BM25 for D3"), Query("S₂ORC and BM₂₅ for D³")),
        (Query(context="S2ORC has papers [CITATION]."), Query(context="S₂ORC has papers [CITATION].")),
        (
            Query("Deep rankers", "We rank papers with S2ORC."),
            Query("{D}eep rankers", r"We \emph{rank} papers~\citep[see][]{own2020,their2021} with S$_2$ORC."),
        ),
        (Query("Naive neural rankers"), Query("Naïve neural ränkers")),
        (Query("D3", context="S2ORC has [1]."), Query("D<sup>3</sup>", context=r"\textbf{S2ORC} has~\cite{own}.")),
    ],
)
def test_one_text_has_one_list_however_it_is_written(recommender, plain, written):
    expected, found = (recommender.answer(query, Settings(k=20)) for query in (plain, written))
    assert [(one.paper.id, one.score) for one in found.recommendations] == [
        (one.paper.id, one.score) for one in expected.recommendations
    ]
    assert found.fit == expected.fit
    assert found.query == written


@pytest.mark.parametrize("blend", [True, False])
@pytest.mark.parametrize("sources", [("bm25",), ("dense",), ("graph",), ("bm25", "dense"), ("bm25", "dense", "graph")])
def test_ranks_and_scores_go_one_way(recommender, sources, blend):
    answer = recommender.recommend(QUERY, Settings(k=50, sources=sources, blend=blend))
    assert [entry.rank for entry in answer] == list(range(1, len(answer) + 1))
    scores = [entry.score for entry in answer]
    assert scores == sorted(scores, reverse=True)
    assert len(set(ids(answer))) == len(answer)
    if sources != ("graph",):  # without another source the graph has no seeds
        assert len(answer) == 50


def test_what_is_cited_already_is_not_recommended_and_works_as_evidence(recommender):
    cited = ("karpukhin2020dense", "xiong2021approximate", "khattab2020colbert")
    answer = recommender.recommend(replace(QUERY, already_cited=cited), Settings(k=100))
    assert not set(cited) & set(ids(answer))
    alone = recommender.recommend(
        Query(title="zzzz", already_cited=("blei2003latent",)), Settings(k=5, sources=("graph",), blend=False)
    )
    assert alone, "the graph answers from the seeds that the user gave"


def test_an_unknown_id_among_the_cited_ones_does_no_harm(recommender):
    with_unknown = replace(QUERY, already_cited=("nobody2050nothing",))
    assert ids(recommender.recommend(with_unknown)) == ids(recommender.recommend(QUERY))


def test_the_paper_itself_is_not_recommended(recommender):
    paper = recommender.recommend(QUERY, Settings(k=1))[0].paper
    own = Query(paper.title, paper.abstract, id=paper.id)
    assert paper.id not in ids(recommender.recommend(own, Settings(k=200)))


@pytest.mark.parametrize("asked", ["Find me papers on {}, please", "Papers on {}"])
def test_a_question_is_not_about_the_queries_own_paper_but_a_title_may_be_one(tmp_path, asked):
    title, other = "What do we know about peer review of grant proposals?", "Peer review of grant proposals in medicine"
    with recommender_of([Paper("own", title), Paper("other", other)], tmp_path) as opened:
        assert ids(opened.recommend(Query(title))) == ["other"]
        assert ids(opened.recommend(Query(other))) == ["own"]
        assert ids(opened.recommend(Query(asked.format(other))))[0] == "other"
        assert with_copies([Query(title)], opened.generation.catalog)[0].copies == ("own",)


def test_a_paper_of_a_short_title_is_known_as_the_query_by_its_first_author_or_an_identifier(recommender):
    short = Query("Attention is all you need", id="my-own-key", year=2017)
    first_author = ("Ashish Vaswani", "Noam Shazeer")
    for own in (replace(short, authors=first_author), replace(short, copies=("arXiv:1706.03762",))):
        assert "vaswani2017attention" not in ids(recommender.recommend(own, Settings(k=200)))
    for other in (short, replace(short, authors=("Ada Lovelace",)), replace(short, copies=("arXiv:9999.99999",))):
        assert "vaswani2017attention" in ids(recommender.recommend(other, Settings(k=200)))


def test_a_paper_of_a_short_title_is_known_as_the_query_by_its_abstract(recommender):
    (paper,) = recommender.papers(["vaswani2017attention"])
    assert len(paper.abstract) > 100
    for own in (
        Query(paper.title, paper.abstract),
        Query(paper.title.upper(), f" {paper.abstract.lower()}", year=2020),
    ):
        assert paper.id not in ids(recommender.recommend(own, Settings(k=200)))
    for other in (Query("Attention", paper.abstract), Query(paper.title, f"{paper.abstract} And more.")):
        assert paper.id in ids(recommender.recommend(other, Settings(k=200)))


def test_what_is_left_out_by_its_title_alone_is_said(recommender):
    (paper,) = recommender.papers(["karpukhin2020dense"])
    answer = recommender.answer(Query(paper.title, paper.abstract))
    assert answer.same_title == [paper]
    assert verdict_line(answer).endswith(
        "Left out as your own paper, by the title: Karpukhin et al. 2020 (karpukhin2020dense)."
    )
    assert answer_record(answer)["same_title"] == ["karpukhin2020dense"]
    for known in (Query(paper.title, id=paper.id), Query(paper.title, copies=("karpukhin2020dense",)), QUERY):
        assert not recommender.answer(known).same_title


def test_of_many_papers_with_the_title_three_are_named(tmp_path):
    title = "Annual report on the looms and the threads of this country"
    papers = [Paper(f"of{n}", title, authors=(f"Ann Name{n}",)) for n in range(6)]
    answer = recommender_of(papers, tmp_path / "index").answer(Query(title), Settings(depth=0))
    assert len(answer.same_title) == len(papers)
    assert verdict_line(answer).endswith("title: Name0 (of0); Name1 (of1); Name2 (of2); 3 more.")


def test_other_records_of_a_cited_or_a_disliked_paper_are_not_recommended(tmp_path):
    title = "Learning to rank the papers that authors of reviews cite"
    papers = [
        Paper("article", title, "Ranking what reviews cite.", 2019, authors=("Ada Lovelace",)),
        Paper("preprint", title + ".", "Ranking what reviews cite.", 2018, authors=("Ada Lovelace",)),
        Paper("namesake", title, "Ranking what reviews cite.", 2019, authors=("Grace Hopper",)),
        Paper("editorial", "Editorial", "Ranking what reviews cite.", 2019),
        Paper("editorial2", "Editorial", "Ranking what reviews cite, again.", 2019),
    ]
    with recommender_of(papers, tmp_path / "index") as recommender:
        query = Query("Ranking for reviews", "What reviews cite")
        for cited in ("article", "preprint"):
            for field in ("already_cited", "disliked"):
                found = recommender.recommend(replace(query, **{field: (cited, "editorial")}))
                assert set(ids(found)) == {"namesake", "editorial2"}
        for own in ("article", "preprint"):
            assert set(ids(recommender.recommend(replace(query, id=own)))) == {"namesake", "editorial", "editorial2"}


def test_a_record_of_one_doi_and_author_under_another_title_is_of_the_same_paper(tmp_path):
    german = "Zur Quantenmechanik der Stoßvorgänge"
    papers = [
        Paper("english", "Collision phenomena in quantum theory", "", 1926, ("Max Born",), doi="10.1007/bf01397477"),
        Paper("german", german, "", 1926, ("Born, M.",), doi="10.1007/BF01397477"),
        Paper("misprint", "Phenomena of clouds above the sea", "", 1926, ("Ada Lovelace",), doi="10.1007/bf01397477"),
    ]
    with recommender_of(papers, tmp_path / "index") as recommender:
        query = Query("Collision phenomena, Quantenmechanik der Stoßvorgänge")
        assert len(recommender.recommend(query)) == 2
        for own in ("english", "german"):
            for field in ({"already_cited": (own,)}, {"disliked": (own,)}, {"id": own}):
                assert ids(recommender.recommend(replace(query, **field))) == ["misprint"]


def test_nothing_newer_than_the_query_is_recommended(recommender):
    answer = recommender.recommend(replace(QUERY, year=2010), Settings(k=100))
    assert answer
    assert all(entry.paper.year <= 2010 for entry in answer)


def test_the_same_query_gives_the_same_list_alone_and_from_many_threads(recommender):
    other = Query("Topic models", "Latent Dirichlet allocation finds topics in collections of documents.")
    alone = [recommender.recommend(query) for query in (QUERY, other)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(recommender.recommend, [QUERY, other] * 4)) == alone * 4


def test_reasons_tell_the_truth(recommender):
    pool = recommender.pool(QUERY)
    for entry in recommender.recommend(QUERY, Settings(k=10)):
        text = entry.paper.text.joined().lower()
        for match in entry.reasons.matched_terms:
            assert match.term.lower()[:4] in text  # the same word, perhaps in another form
            assert match.weight > 0
        place = [int(i) for i in pool.docids].index(recommender.docid_of(entry.paper.id))
        for source in entry.reasons.sources:
            assert pool.ranks[source.source][place] == source.rank
        for citing in entry.reasons.cited_by:
            assert entry.paper.id in citing.citations


@pytest.mark.parametrize("fields", [{}, {"title": "  \n\t", "abstract": ""}, {"id": "x"}])
def test_a_query_without_text_is_refused_when_it_is_made(fields):
    with pytest.raises(QueryError, match="has neither a title nor an abstract"):
        Query(**fields)


def test_a_text_in_place_of_a_query_is_a_programming_error_that_says_what_to_pass(recommender):
    for ask in (recommender.recommend, recommender.pool, lambda text: recommender.check(text, [])):
        with pytest.raises(TypeError, match=r"ask with Query\(title, abstract\), not with str"):
            ask("Dense retrieval")


@pytest.mark.parametrize(
    "title",
    ["的 信息 检索", "نظام توصية", "\x00\x01\x1b[31m", "🙂🙂", "a", "the of and", '((("*:^~', "\ud800", "x" * 100_000],
)
def test_strange_queries_are_answered_without_an_error(recommender, title):
    assert len(recommender.recommend(Query(title=title), Settings(k=5))) <= 5


def test_a_query_of_ten_thousand_words_is_answered(recommender):
    words = " ".join(f"word{i} retrieval" for i in range(5000))
    assert recommender.recommend(Query(abstract=words), Settings(k=5))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 0}, "k must be from 1 to 1000, not 0"),
        ({"k": 1001}, "k must be from 1 to 1000, not 1001"),
        ({"k": "20"}, "k must be a whole number, not '20'"),
        ({"depth": -1}, "depth must be from 0 to 3000, not -1"),
        ({"budget": 0}, "budget must be above 0, not 0"),
        ({"sources": ()}, "sources must not be empty"),
        ({"sources": ("bm25", "web")}, r"sources\[1\] must be 'bm25', 'dense' or 'graph', not 'web'"),
        ({"query_form": "poem"}, "query_form must be 'title"),
        ({"bm25": (-1.0, 0.4)}, r"bm25\[0\] must be"),
        ({"speed": 1}, "unknown field 'speed'; there are beyond, blend, "),
    ],
)
def test_settings_out_of_range_are_refused_when_they_are_made(settings, message):
    with pytest.raises(QueryError, match=message):
        Settings(**settings)


def test_well_cited_papers_are_of_the_newer_half_and_can_be_asked_about(tmp_path):
    cited = ("old", "retracted", "untold", "notice", "a", "b", "c")
    papers = [
        Paper("old", "Old", "A", 1990),
        Paper("retracted", "Retracted", "A", 2020, retracted=True),
        Paper("untold", "Without an abstract", "", 2020),
        Paper("notice", "Erratum to: Old", "A", 2020),
        *(Paper(one, one.upper(), "A", 2020) for one in "abcd"),
        *(Paper(f"o{number}", "Other", "A", 1980, citations=cited[: 7 - number // 2]) for number in range(6)),
    ]
    with recommender_of(papers, tmp_path / "index") as opened:
        assert [paper.id for paper in opened.well_cited()] == ["a", "b", "c"]
    with recommender_of(papers[:1], tmp_path / "alone") as opened:
        assert [paper.id for paper in opened.well_cited()] == ["old"]
