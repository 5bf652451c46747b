"""What training leaves out, on a small index of which every leak is known."""

from dataclasses import replace

import numpy as np
import orjson
import pytest
from command_line import run

from citescout.recommender import Recommender
from indexer.builds import build_index
from indexer.generations import open_generation
from indexer.paper import Paper
from training.blend.pools import pool_lists
from training.queries import MIN_CITATIONS, HeldOut, possible_queries, training_queries
from training.reranker.from_index import PAPER, POOL, asked_of_index, reranker_lists

CITED = tuple(
    Paper(f"c{n}", f"Ranking papers by method {word}", f"How {word} ranks the papers that one cites.", 2000 + n)
    for n, word in enumerate(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"])
)
ALL = tuple(paper.id for paper in CITED)
SUBJECTS = ["oceans", "bridges", "verbs", "soils", "stars"]
QUERIES = tuple(
    Paper(f"q{n}", f"Methods that rank {subject}", "Ranking papers by method", 2015 + n, citations=ALL)
    for n, subject in enumerate(SUBJECTS)
)
# A test paper without its citations, another record of it with them, and one of a held-out paper that is not here.
HIDDEN = Paper("hidden", "Learning to rank what authors of reviews will cite", year=2020)
TWIN = Paper("twin", "Learning to rank what the authors of reviews will cite.", "Ranking papers", 2019, citations=ALL)
ELSEWHERE = "Citation ranking for the impatient"
COPY = Paper("copy", "Citation Ranking for the Impatient", "Ranking papers by method", 2018, citations=ALL)
HELD_OUT = [ELSEWHERE, CITED[0].title.upper()]


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    directory = tmp_path_factory.mktemp("leaks") / "index"
    build_index([*CITED, *QUERIES, HIDDEN, TWIN, COPY], directory, None)
    return directory


@pytest.fixture
def generation(directory):
    with_index = open_generation(directory)
    yield with_index
    with_index.close()


def ids(generation, mask):
    return set(generation.catalog.ids(np.flatnonzero(mask)))


def test_another_record_of_a_paper_without_citations_is_no_query_by_default(generation):
    held_out = HeldOut()
    left_out = held_out.left_out(generation)
    assert ids(generation, left_out.queries) == {"twin"}
    assert not left_out.candidates.any()
    assert (held_out.papers, held_out.queries, held_out.possible_queries) == (0, 1, len(QUERIES) + 2)


def test_papers_with_held_out_titles_are_neither_queries_nor_candidates(generation):
    held_out = HeldOut(HELD_OUT)
    left_out = held_out.left_out(generation)
    assert ids(generation, left_out.candidates) == {"copy", "c0"}
    assert ids(generation, left_out.queries) == {"copy", "c0", "twin"}
    assert (held_out.papers, held_out.queries) == (2, 2)
    assert str(held_out).startswith("2 of 7 possible queries left out")


def test_papers_that_are_left_out_are_not_drawn_and_others_take_their_places(generation):
    every = {example.query.id for example in training_queries(generation, 7)}
    assert every == {paper.id for paper in QUERIES} | {"twin", "copy"}
    left_out = HeldOut(HELD_OUT).left_out(generation).queries
    drawn = {example.query.id for example in training_queries(generation, 5, newest=1, left_out=left_out)}
    assert drawn == {paper.id for paper in QUERIES}
    assert possible_queries(generation).sum() == 7
    assert len(ALL) >= MIN_CITATIONS


@pytest.mark.parametrize("recipe", [PAPER, POOL])
def test_lists_of_the_reranker_hold_no_leak(directory, recipe, tmp_path):
    def lists_of(held_out):
        return reranker_lists([asked_of_index(directory, 7, 0, held_out)], recipe, tmp_path).lists

    def texts(lists):
        return {one.query.title for one in lists}, {text.title for one in lists for text in one.candidates}

    plain = list(lists_of(HeldOut()))
    queries, candidates = texts(plain)
    assert (TWIN.title in queries, COPY.title in queries, CITED[0].title in candidates) == (False, True, True)
    strict = lists_of(HeldOut(HELD_OUT))
    queries, candidates = texts(strict)
    assert queries == {paper.title for paper in QUERIES}
    assert candidates.isdisjoint({CITED[0].title, COPY.title})
    assert {paper.title for paper in CITED[1:]} <= candidates
    assert all(one.first_stage is None or len(one.first_stage) == len(one.candidates) for one in strict)
    assert strict.positives.sum() == len(QUERIES) * (len(CITED) - 1)
    # What stays keeps its score.
    both = {one.query.title: one for one in plain}
    for one in strict:
        if one.first_stage is not None:
            before = dict(zip(both[one.query.title].candidates, both[one.query.title].first_stage, strict=True))
            assert one.first_stage == [before[text] for text in one.candidates]


def test_the_query_map_of_the_reranker_s_lists_knows_no_citation_of_another_record(directory, tmp_path, monkeypatch):
    hidden = []
    masked = Recommender.without_citations_of

    def recorded(self, ids, of_any_age=False, copies=()):
        hidden.append(set(copies) - set(ids))
        return masked(self, ids, of_any_age, copies)

    monkeypatch.setattr(Recommender, "without_citations_of", recorded)
    with open_generation(directory) as generation:
        twin = np.asarray(list(generation.catalog.docids(["twin"]).values()))
    reranker_lists([replace(asked_of_index(directory, 7, 0, HeldOut()), queries=twin)], POOL, tmp_path)
    assert hidden == [{"hidden"}]


def test_lists_of_the_blend_hold_no_leak(directory, generation):
    with Recommender.open(directory, "none") as recommender:
        lists = list(pool_lists(recommender, directory, 7, 0, HeldOut(HELD_OUT)))
    assert {one.query.id for one in lists} == {paper.id for paper in QUERIES}
    for one in lists:
        found = generation.catalog.ids(one.docids)
        assert {"c0", "copy"}.isdisjoint(found)
        assert len(found) == len(one.labelled.features) == len(one.labelled.cited)
        assert {id_ for id_, cited in zip(found, one.labelled.cited, strict=True) if cited} == set(ALL) - {
            "c0",
            *one.query.already_cited,
        }


def test_the_dry_run_counts_leaks(directory, tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_bytes(orjson.dumps({"id": "t", "title": ELSEWHERE}) + b"\n" + orjson.dumps({"id": "x", "title": "X"}))
    (tmp_path / "corpus.test.ids").write_text("t\n")
    other = tmp_path / "other.jsonl"
    other.write_bytes(orjson.dumps({"id": "o", "title": CITED[0].title}))
    options = ["--held-out", tmp_path / "corpus.test.ids", other, "--index", directory, "--base", "any", "--dry-run"]
    done = run("train", "reranker", *options, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert done.out.splitlines()[0].startswith("5 queries, 25 positives")
    assert "2 of 7 possible queries left out" in done.out
    assert "2 papers with held-out titles" in done.out
    options[1:3] = [tmp_path / "missing.jsonl"]
    missing = run("train", "reranker", *options, "--out", "out")
    assert (missing.code, missing.err.count("\n")) == (1, 1), missing.err
    assert "missing.jsonl" in missing.err
