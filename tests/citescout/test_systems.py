"""Systems by name: each is what its parts compose to, and the same list through every door."""

import re
import shutil
from dataclasses import replace
from itertools import islice

import numpy as np
import orjson
import pytest
from command_line import refused, run

from citescout import Query, Recommender, Settings
from citescout.live import LiveRecommender
from citescout.systems import SYSTEMS, find_system
from cli.main import main
from cli.recommend import command as recommend_command
from cli.serve import command as serve_command
from common.errors import ModelError, QueryError
from common.order import POSITIVE, SIGNED, best_first
from demo import CORPUS
from encoders import transformer
from encoders.text import Text
from indexer.builds import build_index
from indexer.citations import load_array
from indexer.generations import load_encoder, open_generation
from indexer.layout import LAYOUT
from indexer.readers import read_papers
from rerank.cross_encoder import CrossEncoder
from webui import create_app

QUERY = Query("Hard negatives for dense passage retrieval", "A dual encoder is compared with BM25.")
QUESTION = {"title": QUERY.title, "abstract": QUERY.abstract}
K, PAPERS = 15, 120


@pytest.fixture(scope="module")
def encoder(tiny_bert, tmp_path_factory):
    """A folder of its own, which a test may take away."""
    return shutil.copytree(tiny_bert, tmp_path_factory.mktemp("encoder") / "tiny")


@pytest.fixture(scope="module")
def index(encoder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("systems") / "index"
    build_index(islice(read_papers([str(CORPUS)]), PAPERS), folder, str(encoder))
    return folder


@pytest.fixture(scope="module")
def reading(index, judge):
    """The default system with the cross-encoder, which can answer by all others."""
    recommender = Recommender.open(index, judge)
    yield recommender
    recommender.close()


@pytest.fixture(scope="module")
def without_vectors(tmp_path_factory):
    folder = tmp_path_factory.mktemp("words") / "index"
    build_index(islice(read_papers([str(CORPUS)]), 30), folder, None)
    return folder


@pytest.fixture
def queries(tmp_path):
    path = tmp_path / "queries.jsonl"
    path.write_bytes(orjson.dumps(QUESTION))
    return str(path)


@pytest.fixture
def asked(queries):
    """The first query's answer by `citescout recommend`, and what was said of it."""

    def ask(index, *options):
        found = run("recommend", queries, "--index", index, "-k", K, "--format", "jsonl", *options)
        return orjson.loads(found.out), found.err

    return ask


def ids(recommendations):
    return [entry.paper.id for entry in recommendations]


def bm25(index, k1, b):
    """Pyserini's own list, equal scores by id."""
    generation = open_generation(index)
    docids = load_array(generation.folder / LAYOUT.bm25_labels)
    from pyserini.search.lucene import LuceneSearcher

    searcher = LuceneSearcher(str(generation.folder / LAYOUT.bm25))
    searcher.set_bm25(k1, b)
    hits = searcher.search(f"{QUERY.title} {QUERY.abstract}", k=1000)
    found = np.asarray([docids[int(hit.docid)] for hit in hits])
    found = found[best_first(np.asarray([hit.score for hit in hits]), found, POSITIVE)]
    ids_found = generation.catalog.ids(found)
    generation.close()
    return ids_found


def by_vectors(recommender, encoder):
    """The whole index by the cosine with the query, computed by hand from the vectors that it holds."""
    dense = recommender._first_stage.dense
    query = load_encoder(str(encoder)).encode_queries([QUERY.text])
    if dense.query_map:
        query = dense.query_map(query)
    docids = np.arange(PAPERS)
    cosines = dense.documents(docids) @ query[0]
    return recommender.generation.catalog.ids(best_first(cosines, docids, SIGNED))  # a tiny encoder makes many equal


def by_the_judge(index, judge, papers):
    """The papers by what the cross-encoder says of their texts; and what it says."""
    generation = open_generation(index)
    texts = [Text(paper.title, paper.abstract) for paper in generation.catalog.all_papers()]
    all_ids = [paper.id for paper in generation.catalog.all_papers()]
    generation.close()
    known = dict(zip(all_ids, texts, strict=True))
    relevance = CrossEncoder.load(judge).score(QUERY.text, [known[paper] for paper in papers])
    ranked = sorted(zip(papers, relevance.tolist(), strict=True), key=lambda one: (-one[1], one[0]))
    return [paper for paper, _ in ranked], dict(ranked)


def fused(*lists):
    papers = {paper for one in lists for paper in one}
    score = {paper: sum(1 / (61 + one.index(paper)) for one in lists if paper in one) for paper in papers}
    return sorted(papers, key=lambda paper: (-score[paper], paper))


@pytest.mark.long
def test_nogueira_is_bm25_in_the_order_of_the_cross_encoder(index, judge):
    first = bm25(index, 0.9, 0.4)
    expected, relevance = by_the_judge(index, judge, first)
    assert len(first) > 30 and expected != first
    recommender = Recommender.open(index, judge, system="nogueira")
    ranking = recommender.rank(QUERY)
    assert recommender.generation.catalog.ids(ranking.pool.docids[ranking.order]) == expected
    answer = recommender.answer(QUERY)
    recommender.close()
    found = answer.recommendations
    # Its scores are the probabilities, and no chances.
    assert [entry.score for entry in found] == pytest.approx([relevance[id_] for id_ in ids(found)], abs=1e-4)
    assert {entry.likelihood for entry in found} == {None}
    assert answer.fit is None  # it is calibrated for BM25 with other parameters


@pytest.mark.long
def test_ordered_is_both_lists_merged_in_the_order_of_the_cross_encoder(index, judge, encoder, reading):
    merged = fused(bm25(index, 2.0, 0.9), by_vectors(reading, encoder))
    settings = find_system("ordered").settings
    expected, relevance = by_the_judge(index, judge, merged)
    assert ids(reading.recommend(QUERY, replace(settings, k=PAPERS))) == expected
    # Of fewer it reads the best of the merged list, and leaves the others as they are below.
    head = sorted(merged[:12], key=lambda paper: (-relevance[paper], paper))
    found = reading.recommend(QUERY, replace(settings, k=PAPERS, depth=12))
    assert ids(found) == head + merged[12:]
    scores = [entry.score for entry in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[:12] == pytest.approx([entry.reasons.reranker_score for entry in found[:12]])
    assert all(entry.reasons.reranker_score is None for entry in found[12:])


@pytest.mark.long
@pytest.mark.parametrize("name", ["BM25 by title", "BM25 by key terms", "default", "ordered", "nogueira"])
def test_a_system_gives_the_same_list_through_every_door(index, judge, reading, asked, name):
    reranker = ("--reranker", judge) if find_system(name).reads else ()
    by_command = asked(index, "--system", name, *reranker)[0]["recommendations"]
    assert len(by_command) == K
    by_library = reading.recommend(QUERY, replace(find_system(name).settings, k=K))
    assert ids(by_library) == [one["id"] for one in by_command]
    same_through_http(create_app(reading).test_client(), {**QUESTION, "system": name, "k": K}, by_command)


def same_through_http(client, question, expected):
    answer = client.post("/api/v1/recommend", json=question).get_json()
    assert answer["recommendations"] == expected
    form = {name: str(value) for name, value in question.items()}
    exported = client.post("/export/jsonl", data=form).get_data()
    assert orjson.loads(exported)["recommendations"] == expected
    page = client.post("/", data=form).get_data(as_text=True)
    assert re.findall(r'class="result" data-id="([^"]+)"', page) == [one["id"] for one in expected]
    name = question.get("system") or client.get("/health").get_json()["system"]
    assert (f"system {name}" in page) == (name != "default")


def test_a_server_that_was_started_with_a_system_answers_by_it(index, judge, reading):
    listed = (
        create_app(reading).test_client().post("/api/v1/recommend", json={**QUESTION, "system": "nogueira", "k": K})
    )
    live = LiveRecommender.open(index, judge, system="nogueira")
    client = create_app(live).test_client()
    assert client.get("/health").get_json()["system"] == "nogueira"
    same_through_http(client, {**QUESTION, "k": K}, listed.get_json()["recommendations"])
    live.close()


def test_options_beside_a_system_take_the_place_of_its_values(index, judge, reading, asked):
    options = ("--system", "nogueira", "--reranker", judge, "--depth", "5", "--query-form", "title")
    found, said = asked(index, *options)
    assert f"nogueira: the cross-encoder {judge} reads up to 5 candidates a query" in said
    assert [one["reasons"]["reranker_score"] is None for one in found["recommendations"]] == [False] * 5 + [True] * 10
    system = find_system("nogueira").changed(depth=5, query_form="title", k=K)
    assert system.settings == replace(find_system("nogueira").settings, depth=5, query_form="title", k=K)
    assert ids(reading.recommend(QUERY, system.settings)) == [one["id"] for one in found["recommendations"]]
    question = {**QUESTION, "k": K, "system": "nogueira", "depth": 5, "query_form": "title"}
    answer = create_app(reading).test_client().post("/api/v1/recommend", json=question).get_json()
    assert answer["recommendations"] == found["recommendations"]


def test_a_budget_of_the_server_holds_for_every_system(index):
    recommender = Recommender.open(index, system=find_system("default").changed(budget=0.5))
    assert recommender.settings_of("BM25") == replace(find_system("BM25").settings, budget=0.5)
    assert recommender.settings_of() == Settings(budget=0.5)
    recommender.close()


def test_the_cross_encoder_that_comes_along_is_taken_and_named(index, asked):
    found, said = asked(index, "--system", "nogueira", "--depth", "4")
    assert "nogueira: the cross-encoder that ships reads up to 4 candidates a query" in said
    assert found["recommendations"][3]["reasons"]["reranker_score"] is not None
    assert Recommender.open(index).info.reranker is None
    assert "cross-encoder" not in asked(index, "--system", "nogueira", "--depth", "0")[1]


def test_what_looks_at_no_vectors_opens_none(index, encoder, judge, reading, asked):
    graph = asked(index, "--sources", "bm25,graph", "--no-blend")[0]
    away = encoder.rename(encoder.with_name("away"))
    transformer._load.cache_clear()
    try:
        assert asked(index, "--sources", "bm25,graph", "--no-blend")[0] == graph
        assert asked(index, "--sources", "bm25", "--no-blend")[0]["recommendations"]
        with pytest.raises(ModelError):
            Recommender.open(index).recommend(QUERY)
        with pytest.raises(ModelError):
            Recommender.open(index, system=find_system("BM25").changed(diversity=0.1)).recommend(QUERY)
        recommender = Recommender.open(index, judge, system="nogueira")
        assert recommender.recommend(QUERY) == reading.recommend(QUERY, find_system("nogueira").settings)
        client = create_app(recommender).test_client()
        for more in ({"blend": True}, {"sources": ["dense"]}, {"system": "default"}, {"diversity": 0.5}):
            answer = client.post("/api/v1/recommend", json={**QUESTION, **more})
            assert answer.status_code == 400
            assert "the system nogueira does without" in answer.get_json()["error"]
        assert client.post("/api/v1/recommend", json={**QUESTION, "system": "ordered"}).status_code == 400
        recommender.close()
    finally:
        away.rename(encoder)


def test_a_list_does_not_depend_on_what_else_is_open(index, reading):
    """What is not looked at changes nothing, neither the order nor what is said of it."""
    settings = Settings(sources=("bm25",), blend=False)
    recommender = Recommender.open(index, system="BM25")
    answer = recommender.answer(QUERY, settings)
    recommender.close()
    assert answer == reading.answer(QUERY, replace(settings, depth=0))
    assert answer.fit is not None


def test_what_cannot_be_answered_is_said_in_one_line(index, without_vectors, judge, queries):
    named = refused("recommend", queries, "--index", index, "--system", "nogeira")
    assert "no system 'nogeira': there are BM25; BM25 by title;" in named
    assert all(name in named for name in SYSTEMS)
    none = refused("recommend", queries, "--index", index, "--system", "nogueira", "--reranker", "none")
    assert "the system nogueira needs a cross-encoder: --reranker default" in none
    none = refused("recommend", queries, "--index", without_vectors, "--sources", "dense")
    assert "this index has no vectors: add them with `citescout re-encode`" in none
    ended = run("recommend", queries, "--index", without_vectors, "--system", "ordered", "--reranker", judge)
    assert ended.code == 1
    assert "Error: the system ordered needs vectors" in ended.err.splitlines()[-1]  # which model reads was said before
    with pytest.raises(QueryError, match="depth must be from 0 to 3000"):
        find_system("nogueira").changed(depth=3001)
    recommender = Recommender.open(without_vectors)
    client = create_app(recommender).test_client()
    for system, error in (
        ("nogueira", "needs a cross-encoder, and none was loaded"),
        ("ordered", "needs a cross-encoder"),
        ("dense", "needs vectors"),
        ("nogeira", "no system 'nogeira': there are BM25;"),
        (7, "system must be text"),
    ):
        answer = client.post("/api/v1/recommend", json={**QUESTION, "system": system})
        assert (answer.status_code, error in answer.get_json()["error"]) == (400, True), answer.get_json()
    recommender.close()


def test_a_server_has_the_options_of_recommend_and_answers_by_them(index, judge, asked, monkeypatch):
    ranking = {"--system", "--sources", "--query-form", "--bm25-terms", "--blend", "--no-blend", "--reranker",
               "--depth", "--budget", "--tokens"}  # fmt: skip
    for command in (recommend_command, serve_command):
        assert ranking <= {name for option in command.params for name in option.opts}
    served = []
    monkeypatch.setattr("webui.serve", lambda app, *_: served.append(app))
    for options in (
        ("--no-blend", "--depth", "6", "--tokens", "20+20", "--reranker", judge),
        ("--system", "BM25", "--bm25-terms", "3", "--query-form", "key-terms"),
    ):
        main(["serve", "--index", str(index), "--port", "0", *options])
        answer = served.pop().test_client().post("/api/v1/recommend", json={**QUESTION, "k": K}).get_json()
        assert answer["recommendations"] == asked(index, *options)[0]["recommendations"]


def test_a_stored_question_keeps_its_system(reading, tmp_path):
    client = create_app(reading, permalinks=tmp_path).test_client()
    question = {**QUESTION, "system": "nogueira", "k": K}
    stored = client.post("/api/v1/queries", json=question).get_json()
    page = client.get(stored["path"]).get_data(as_text=True)
    listed = client.post("/api/v1/recommend", json=question).get_json()["recommendations"]
    assert re.findall(r'class="result" data-id="([^"]+)"', page) == [one["id"] for one in listed]
    assert 'name="system" value="nogueira"' in page
