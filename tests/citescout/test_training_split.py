"""Training on a protocol's split: who is learned from and who validates, read off the records themselves."""

import json
from dataclasses import replace

import numpy as np
import pytest
from command_line import refused, run

from citescout import Query, Recommender, Settings
from eval.metrics import score
from eval.protocols import PROTOCOLS
from eval.split import write_split
from eval.systems import run_split
from eval.training_split import read_training_split
from eval.trec import read_qrels
from indexer.generations import open_generation, served_manifest
from indexer.paper import Paper
from rerank.blend import standardized_logits
from rerank.reranking import Reranking
from rerank.token_split import TokenSplit
from tests.rerank.tiny_models import save_tiny_bert
from training.encoder.from_index import development_triplets, training_corpus
from training.queries import HeldOut
from training.reranker import from_index as lists_module
from training.reranker.from_index import PAPER, POOL, asked_of_split, reranker_lists, validation_lists
from training.reranker.reranking import DEPTHS

SUBJECTS = ("graph", "neural", "ranking", "search", "citation", "network")

pytestmark = pytest.mark.usefixtures("one_thread")


def corpus(count=100):
    """Papers of six subjects that cite older ones of their own, over twenty years."""
    generator = np.random.default_rng(0)
    papers = []
    for number in range(count):
        older = [other for other in range(number) if other % 6 == number % 6]
        cited = generator.permutation(older)[:4].tolist()
        words = generator.choice(list("bcdefghij"), 8).tolist()
        # No title is nearly another one's: it would be another record of the paper.
        title = " ".join([SUBJECTS[number % 6], *words, *(f"{letter}{number}" for letter in "uvwxyz")])
        citations = tuple(f"p{other:03}" for other in cited)
        papers.append(Paper(f"p{number:03}", title, "a paper of the", 2000 + number // 5, citations=citations))
    return papers


@pytest.fixture(scope="module", params=["open-research", "corpus", "dblp"])
def split(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    protocol = PROTOCOLS[request.param]
    if request.param == "dblp":
        protocol = replace(protocol, first_years=(2014, 2017), span=None, least_gold=2)
    write_split(corpus(), protocol, folder)
    return folder, request.param


def ids_of(folder, name):
    return {json.loads(line)["id"] for line in (folder / name).read_text().splitlines()}


def test_only_the_training_papers_are_learned_from_and_dev_validates(split, tmp_path):
    folder, protocol = split
    train = set((folder / "train.ids").read_text().split())
    test, dev = ids_of(folder, "test.queries.jsonl"), ids_of(folder, "dev.queries.jsonl")
    indexed = {
        json.loads(line)["id"]: json.loads(line) for line in (folder / "dev.papers.jsonl").read_text().splitlines()
    }
    listed = folder / "dev.candidates.ids"
    searched = set(listed.read_text().split()) if listed.exists() else set(indexed)
    read = read_training_split(folder, None)
    found = reranker_lists([asked_of_split(read, HeldOut())], PAPER, tmp_path)
    with open_generation(read.directory) as generation:
        asked = generation.catalog.ids(found.queries[:, 1])
        gold = {id_: cited & set(indexed) for id_, cited in read_qrels(folder / "train.qrels")[0].items()}
        assert set(asked) == {id_ for id_, cited in gold.items() if cited and id_ in indexed}
        assert set(asked) <= train
        assert set(asked).isdisjoint(test | dev)
        assert read.missing == len(train - set(indexed))
        docids = generation.catalog.ids(range(generation.catalog.size))
        texts = {generation.catalog.texts([number])[0]: id_ for number, id_ in enumerate(docids)}
        for id_, one in zip(asked, found.lists, strict=True):
            assert one.cited == len(gold[id_])
            candidates = [texts[text] for text in one.candidates]
            assert len(candidates) <= 10
            assert set(candidates) <= searched
            assert [id_ in gold[texts[one.query]] for id_ in candidates] == [bool(label) for label in one.labels]
            if protocol == "corpus":  # inductive: nothing newer is a candidate
                assert all(indexed[other]["year"] <= indexed[id_]["year"] for other in candidates)
        if protocol == "open-research":  # transductive: newer papers are
            years = [
                (indexed[texts[t]]["year"], indexed[texts[one.query]]["year"])
                for one in found.lists
                for t in one.candidates
            ]
            assert any(candidate > query for candidate, query in years)
        qrels = read_qrels(folder / "dev.qrels")[0]
        queries, validation = validation_lists(read, PAPER)
        assert {one.query.id for one in queries} <= dev
        assert [one.cited for one in validation] == [len(qrels[one.query.id]) for one in queries]
        assert all(sum(one.labels) for one in validation)


def test_an_encoder_learns_from_the_training_papers_and_validates_on_dev(split):
    folder, _ = split
    train = set((folder / "train.ids").read_text().split())
    read = read_training_split(folder, None)
    known = training_corpus(read.directory, HeldOut(), read)
    with open_generation(read.directory) as generation:
        assert set(generation.catalog.ids(known.queries)) <= train
        qrels = read_qrels(folder / "dev.qrels")[0]
        developed, sampled = development_triplets(known, read, 0)
        first = len(known.years)
        assert {place - first for place in sampled.rows[:, 0].tolist()} == set(range(len(read.validation)))
        for query, positive, negative in sampled.rows.tolist():
            gold = qrels[read.validation[query - first].query.id]
            assert generation.catalog.ids([positive])[0] in gold
            assert negative >= first or generation.catalog.ids([negative])[0] not in gold
            assert developed.texts[query] == read.validation[query - first].query.text


def test_lists_that_validate_have_learnt_nothing_from_what_other_records_of_the_queries_cite(tmp_path, monkeypatch):
    papers = corpus()
    write_split(papers, PROTOCOLS["corpus"], tmp_path / "alone")
    asked = min(ids_of(tmp_path / "alone", "dev.queries.jsonl"))
    (paper,) = (one for one in papers if one.id == asked)
    papers.insert(0, replace(paper, id="preprint", year=2001))
    write_split(papers, PROTOCOLS["corpus"], tmp_path / "split")
    read = read_training_split(tmp_path / "split", None)
    assert asked in {one.query.id for one in read.validation}
    unknown = set()
    monkeypatch.setattr(
        Recommender, "without_citations_of", lambda self, ids, copies: unknown.update(ids, copies) or self
    )
    validation_lists(read, POOL)
    assert unknown >= {asked, "preprint"}


@pytest.mark.long
@pytest.mark.parametrize("recipe", [PAPER, POOL])
def test_an_interrupted_retrieval_goes_on_where_it_was(split, tmp_path, monkeypatch, recipe):
    read = read_training_split(split[0], None)
    asked = [asked_of_split(read, HeldOut())]
    whole = reranker_lists(asked, recipe, tmp_path / "whole")
    monkeypatch.setattr(lists_module, "_COMMITTED_TOGETHER", 4)
    record, calls = lists_module._Lister.record, []

    def counted(self, *arguments):
        calls.append(arguments)
        if len(calls) == 11:
            raise KeyboardInterrupt
        return record(self, *arguments)

    monkeypatch.setattr(lists_module._Lister, "record", counted)
    with pytest.raises(KeyboardInterrupt):
        reranker_lists(asked, recipe, tmp_path / "parts")
    parts = reranker_lists(asked, recipe, tmp_path / "parts")
    assert len(calls) < 11 + len(read.queries) - 4  # what was committed is not retrieved again
    assert parts.queries.tolist() == whole.queries.tolist()
    assert [(list(a.candidates), a.labels, a.first_stage) for a in parts.lists] == [
        (list(a.candidates), a.labels, a.first_stage) for a in whole.lists
    ]
    before = len(calls)
    reranker_lists(asked, recipe, tmp_path / "parts")
    assert len(calls) == before


@pytest.mark.parametrize(
    "options",
    [
        ["reranker", "--index", "somewhere", "--split", "elsewhere", "--out", "out"],
        ["reranker", "--queries", "5", "--split", "elsewhere", "--out", "out"],
        ["reranker", "--out", "out"],
        ["encoder", "--recipe", "specter", "--index", "somewhere", "--split", "elsewhere", "--out", "out"],
    ],
)
def test_one_kind_of_papers_at_a_time(options):
    answer = run("train", *options)
    assert answer.code == 2
    assert "--split" in answer.err.splitlines()[-1]


def test_a_folder_that_is_no_split_is_one_line(tmp_path, tiny_bert):
    options = ("--split", tmp_path, "--base", tiny_bert, "--tokens", "24+24", "--out", tmp_path)
    assert "is not a split" in refused("train", "reranker", *options)


@pytest.mark.long
def test_a_model_of_the_split_is_used_as_its_training_found_best(split, tiny_bert, tmp_path):
    folder, protocol = split
    if protocol != "open-research":
        pytest.skip("one protocol is enough")
    read = read_training_split(folder, None)
    out = tmp_path / "model"
    answer = run("train", "reranker", "--split", folder, "--base", tiny_bert, "--tokens", "24+24", "--steps", 3,
                 "--batch-size", 8, "--evaluate-every", 2, "--out", out)  # fmt: skip
    assert answer.code == 0, answer.err
    output = json.loads((out / "reranking.json").read_text())
    assert set(output) == {"weight", "depth", "tokens", "queries", "f1_at_20", "mrr"}
    assert output["weight"] >= 0
    assert output["depth"] in DEPTHS
    assert list((folder / "lists").glob("lists-*.sqlite"))
    # Whoever names the folder gets the lists that were measured.
    queries = [one.query for one in validation_lists(read, PAPER)[0]]
    gold = read_qrels(folder / "dev.qrels")[0]
    with Recommender.open(read.directory, str(out)) as recommender, open_generation(read.directory) as generation:
        masked = recommender.without_citations_of([query.id for query in queries])
        lists = {}
        for query in queries:
            ranking = masked.rank(query)
            assert len(ranking.reranked) == min(output["depth"], len(ranking.order))
            lists[query.id] = generation.catalog.ids(ranking.pool.docids[ranking.order])
        measured = score({query.id: gold[query.id] for query in queries}, lists)
        assert output["queries"] == len(queries)
        assert output["f1_at_20"] == pytest.approx(measured.f1_at_20)
        assert output["mrr"] == pytest.approx(measured.mrr)


@pytest.mark.parametrize("command", [("encoder", "--recipe", "specter"), ("reranker", "--base", "minilm")])
def test_what_is_only_counted_leaves_the_split_as_it_was(command, tmp_path):
    write_split(corpus(), PROTOCOLS["corpus"], tmp_path / "split")
    before = sorted((tmp_path / "split").rglob("*"))
    counting = ("train", *command, "--split", tmp_path / "split", "--out", tmp_path / "out", "--dry-run")
    counted = run(*counting)
    assert counted.code == 0, counted.err
    assert sorted((tmp_path / "split").rglob("*")) == before
    read_training_split(tmp_path / "split", None)  # the index that eval run builds, which is then taken
    assert run(*counting).out == counted.out
    assert "queries" in counted.out


def test_lists_of_the_pool_have_vectors_though_the_first_systems_needed_none(tmp_path):
    write_split(corpus(), PROTOCOLS["corpus"], tmp_path)
    run_split(tmp_path, "dev", ["BM25"])
    for encoder, made in ((None, None), ("minilm", "minilm"), (None, "minilm")):
        assert served_manifest(read_training_split(tmp_path, encoder).directory)[1].encoder == made


def test_lists_of_the_pool_are_without_vectors_where_those_of_the_systems_are(tmp_path):
    write_split(corpus(), PROTOCOLS["corpus"], tmp_path)
    run_split(tmp_path, "dev", ["BM25", "+ graph"], encoder=None)
    assert served_manifest(read_training_split(tmp_path).directory)[1].encoder is None


def test_an_encoder_is_trained_on_the_split(split, tiny_bert, tmp_path):
    options = ["--split", split[0], "--base", tiny_bert, "--steps", 2, "--out", tmp_path / "encoder"]
    answer = run("train", "encoder", "--recipe", "specter", *options)
    assert answer.code == 0, answer.err
    assert "triplet accuracy" in answer.out + answer.err


def test_weight_depth_and_tokens_beside_the_weights_are_used(demo_index, tmp_path):
    model = tmp_path / "model"
    save_tiny_bert(model)  # of 64 positions: 256 + 256 tokens do not fit
    Reranking(7.0, 5, TokenSplit(24, 24), 9, 0.5, 0.6).save(model)
    with Recommender.open(demo_index, str(model)) as recommender:
        query = Query("w1 w2 ranking papers of a citation network", "w3")
        first, ranking = recommender.rank(query, Settings(depth=0)), recommender.rank(query)
        assert list(ranking.reranked) and set(ranking.reranked) == set(first.order[:5].tolist())
        relevance = np.asarray([ranking.reranked[position] for position in first.order[:5]])
        scores = first.scores[:5].astype(float) + 7.0 * standardized_logits(relevance)
        assert ranking.order[:5].tolist() == first.order[:5][np.argsort(-scores, kind="stable")].tolist()
        assert len(recommender.rank(query, Settings(depth=9)).reranked) == 9
        ids = [one.paper.id for one in recommender.recommend(query)]
    asked = tmp_path / "q.jsonl"
    asked.write_text(json.dumps({"title": query.title, "abstract": query.abstract}))
    answer = run("recommend", asked, "--index", demo_index, "--reranker", model, "--format", "jsonl")
    assert answer.code == 0, answer.err
    output = [json.loads(line) for line in answer.out.splitlines()]
    found = [one["id"] for line in output for one in line["recommendations"]]
    assert found == ids
    (model / "reranking.json").write_text('{"weight": -1}')
    assert "reranking.json" in run("recommend", asked, "--index", demo_index, "--reranker", model).err
