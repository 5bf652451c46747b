"""Citeomatic's two networks against NumPy, its negatives against their definitions, and that it learns."""

from pathlib import Path

import numpy as np
import pytest
from tiny_corpus import made

from encoders.text import Text
from eval.baselines.base import Setup
from eval.baselines_protocol import _run_one, read_collection
from eval.corpora import TestSet
from indexer.builds import build_index
from indexer.paper import Paper
from retrieval.query import Query

torch = pytest.importorskip("torch")
pytest.importorskip("sklearn")

from eval.baselines.citeomatic.examples import Examples  # noqa: E402
from eval.baselines.citeomatic.model import PairRanker, Selector, bags, boost, documents, triplet_loss, vocabulary  # noqa: E402  # noqa: E402
from eval.baselines.citeomatic.ranker import BATCH, EPOCHS, NEAREST, RATE, SAMPLES, Citeomatic  # noqa: E402

GROUPS, PAPERS = 6, 150
DOCUMENT = (Path(__file__).parents[2] / "docs" / "baselines.md").read_text()


def planted():
    """Papers cite older ones of their group, which has two sets of words; most words are of no group."""
    rng = np.random.default_rng(0)
    own = [[[f"g{group}{side}{letter}" for letter in "abc"] for side in "xy"] for group in range(GROUPS)]
    common = [f"common{number}" for number in range(40)]
    papers = []
    for number in range(PAPERS):
        words = own[number % GROUPS][int(rng.integers(2))]
        abstract = [*rng.choice(words, 3), *rng.choice(common, 12)]
        papers.append(Text(" ".join([*rng.choice(words, 1), *rng.choice(common, 3)]), " ".join(abstract)))
    cites = []
    for number in range(PAPERS):
        older = [other for other in range(number) if other % GROUPS == number % GROUPS]
        cites.append(np.sort(rng.choice(older, min(5, len(older)), replace=False)).astype(np.int64))
    return papers, cites


def embedded(ids, direction, magnitude):
    """Formula of section 3.1: the sum of magnitude · direction / |direction|."""
    total = np.zeros(direction.shape[1])
    for word in ids:
        total += magnitude[word, 0] * direction[word] / np.linalg.norm(direction[word])
    return total


def unit(vector):
    return vector / max(np.linalg.norm(vector), 1e-12)


@pytest.fixture(scope="module")
def texts():
    papers = [
        Text("graph of citations", "a graph ranks papers papers"),
        Text("cells", "cells fold proteins"),
        Text("", "citations rank cells"),
        Text("graph cells", ""),
    ]
    places = vocabulary(papers)
    return documents(papers, places), len(places)


def test_words_are_known_by_frequency_without_those_of_nearly_all_papers():
    papers = [Text("", f"common word{n % 3} rare{n}") for n in range(12)]
    places = vocabulary(papers)
    assert list(places)[:3] == ["word0", "word1", "word2"]
    assert "common" not in places
    found = documents([Text("word1 unheard rare4", "word1 common")], places)
    assert [found.titles[0].tolist(), found.abstracts[0].tolist()] == [[1, places["rare4"]], [1]]


def test_the_selector_is_the_formula(texts):
    papers, words = texts
    model = Selector(words)
    with torch.no_grad():
        model.weights.copy_(torch.tensor([0.7, 1.3]))
        found, penalty = model(papers.bags(range(4)))
    direction, magnitude = (part.weight.detach().numpy() for part in (model.words.direction, model.words.magnitude))
    expected, paid = [], 0.0
    for title, abstract in zip(papers.titles, papers.abstracts, strict=True):
        fields = [unit(embedded(ids, direction, magnitude)) for ids in (title, abstract)]
        expected.append(unit(0.7 * fields[0] + 1.3 * fields[1]))
        read = np.concatenate([title, abstract])
        paid += 1e-5 * (direction[read] ** 2).sum() + 1e-7 * np.abs(magnitude[read]).sum()
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-5)
    assert float(penalty) == pytest.approx(paid, rel=1e-4)


def test_the_pair_ranker_is_the_formula(texts):
    papers, words = texts
    model = PairRanker(words)
    queries, candidates = np.array([0, 1, 3]), np.array([2, 2, 0])
    shared = [
        [np.intersect1d(field[q], field[c]) for q, c in zip(queries, candidates, strict=True)]
        for field in (papers.titles, papers.abstracts)
    ]
    citations, selected = np.array([0, 5, 200], np.float32), np.array([0.1, -0.2, 0.9], np.float32)
    with torch.no_grad():
        features, _ = model.features(
            papers.bags(queries), papers.bags(candidates), (bags(shared[0]), bags(shared[1])),
            torch.from_numpy(citations), torch.from_numpy(selected),
        )  # fmt: skip
        scores = model(features).numpy()
    weights = {name: value.detach().numpy().astype(np.float64) for name, value in model.named_parameters()}
    for row, (query, candidate) in enumerate(zip(queries, candidates, strict=True)):
        expected = []
        for field in (papers.titles, papers.abstracts):
            one, other = (
                unit(embedded(field[n], weights["words.direction.weight"], weights["words.magnitude.weight"]))
                for n in (query, candidate)
            )
            expected.append(one @ other)
        for place in (0, 1):
            expected.append(weights[f"shared.{place}.weight"][shared[place][row], 0].sum())
        expected += [np.log(citations[row] + 1), selected[row]]
        np.testing.assert_allclose(features[row].numpy(), expected, atol=1e-5)
        layer = np.array(expected)
        for place in (0, 1):
            layer = weights[f"hidden.{place}.weight"] @ layer + weights[f"hidden.{place}.bias"]
            layer = np.where(layer > 0, layer, np.exp(layer) - 1)
        last = weights["last.weight"] @ layer + weights["last.bias"]
        assert scores[row] == pytest.approx(1 / (1 + np.exp(-last[0])), abs=1e-5)


def test_loss_and_boost_are_the_formulas():
    positive, negative, margins = np.random.default_rng(2).random((3, 50)).astype(np.float32)
    expected = np.mean([max(m + n - p, 0) for p, n, m in zip(positive, negative, margins, strict=True)])
    assert float(triplet_loss(*map(torch.from_numpy, (positive, negative, margins)))) == pytest.approx(expected)
    times = np.array([0, 10, 1000], np.float32)
    np.testing.assert_allclose(boost(torch.from_numpy(times)), 0.02 / (1 + np.exp(-times / 100)), rtol=1e-5)


def test_negatives_are_of_their_kinds_and_margins_follow():
    papers, cites = planted()
    found = documents(papers, vocabulary(papers))
    times = np.bincount(np.concatenate(cites), minlength=PAPERS)
    examples = Examples(found, cites, times, seed=1)
    vectors = np.random.default_rng(3).normal(size=(PAPERS, 8)).astype(np.float32)
    for query in examples.askers[::7]:
        own = set(cites[query].tolist())
        second = {int(n) for one in own for n in cites[one]} - own - {query}
        for given in (None, vectors):
            kinds = examples.negatives(int(query), cites[query], given)
            assert set(kinds["cited by cited"].tolist()) <= second
            assert not own & {int(n) for docids in kinds.values() for n in docids}
            assert query not in np.concatenate(list(kinds.values()))
            assert (len(kinds["nearest"]) > 0) <= (given is not None)
            least = min(examples._overlap(int(query), n) for n in own)
            assert all(examples._overlap(int(query), int(n)) <= least + 1e-9 for n in kinds["nearest"])
    base = {"random": 0.3, "nearest": 0.2, "cited by cited": 0.1}
    raised = 0.02 / (1 + np.exp(-times / 100))
    for batch in examples.batches(256, 2000, vectors):
        triples = zip(batch.queries, batch.cited, batch.others, strict=True)
        assert all(c in cites[q] and o not in cites[q] for q, c, o in triples)
        plain = batch.margins - raised[batch.cited] + raised[batch.others]
        assert {round(float(margin), 4) for margin in plain} <= set(base.values())


@pytest.fixture(scope="module")
def learnt():
    papers, cites = planted()
    ranker = Citeomatic(seed=0, epochs=2, samples=12_000, rate=1e-2)
    ranker.see([own if number < 120 else own[:0] for number, own in enumerate(cites)])
    ranker.fit(papers)
    return ranker, papers, cites


def mean_precision(ranker, papers, cites, stage):
    """Share of the first ten that are of the query's group, for queries whose citations are hidden."""
    kept = []
    for query in range(120, PAPERS):
        allowed = (np.arange(PAPERS) < 120)[None]
        hits = ranker.rank([papers[query]], allowed, 10)[0].docids
        if stage == "nearest":
            vector = ranker._vectors_of(documents([papers[query]], ranker._places))[0]
            hits = np.argsort(-(ranker._vectors[:120] @ vector), kind="stable")[:10]
        kept.append(np.mean(hits % GROUPS == query % GROUPS))
    return float(np.mean(kept))


def test_both_stages_learn_what_is_cited(learnt):
    ranker, papers, cites = learnt
    untrained = Citeomatic(seed=0)
    untrained.see(ranker._citations)
    untrained.prepare(papers)
    chance = 1 / GROUPS
    for stage in ("nearest", "both"):
        before, after = (mean_precision(one, papers, cites, stage) for one in (untrained, ranker))
        assert before < 4 * chance
        assert after > max(0.75, before + 0.2), stage


def test_candidates_are_the_nearest_and_what_they_cite(learnt, monkeypatch):
    ranker, papers, _ = learnt
    monkeypatch.setattr("eval.baselines.citeomatic.ranker.NEAREST", 7)
    allowed = np.random.default_rng(5).random(PAPERS) < 0.7
    vector = ranker._vectors[100]
    docids = np.flatnonzero(allowed)
    nearest = docids[np.argsort(-(ranker._vectors[docids] @ vector))[:7]]
    cited = {int(n) for one in nearest for n in ranker._citations[one]}
    expected = sorted((set(nearest.tolist()) | cited) & set(docids.tolist()))
    assert ranker.candidates(vector, allowed).tolist() == expected
    hits = ranker.rank([papers[100]], allowed[None], 5)[0]
    assert len(hits) == 5
    assert set(hits.docids.tolist()) <= set(expected)


def test_lists_are_the_same_beside_other_queries_and_when_trained_again(learnt):
    ranker, papers, cites = learnt
    asked = [*papers[100:104], Text("unheard", "of")]
    allowed = np.ones((5, PAPERS), bool)
    together = [list(hits.docids) for hits in ranker.rank(asked, allowed, 20)]
    assert [list(ranker.rank([one], allowed[:1], 20)[0].docids) for one in asked] == together
    assert together[4] == []
    runs = []
    for _ in range(2):
        one = Citeomatic(seed=4, epochs=1, samples=1000)
        one.see(cites)
        one.fit(papers)
        runs.append([list(hits.docids) for hits in one.rank(asked, allowed, 20)])
    assert runs[0] == runs[1]


def test_it_is_a_row_that_sees_the_citations_of_the_index_alone(tmp_path):
    papers, cites = planted()
    ids = [f"p{number:03}" for number in range(PAPERS)]
    hidden = set(range(120, PAPERS))
    records = [
        Paper(
            ids[n],
            text.title,
            text.abstract,
            2000 + n // 10,
            citations=tuple(ids[one] for one in own if n not in hidden),
        )
        for n, (text, own) in enumerate(zip(papers, cites, strict=True))
    ]
    build_index(records, tmp_path / "index", None)
    found = read_collection(tmp_path / "index")
    for number, own in enumerate(found.citations):
        assert own.tolist() == ([] if number in hidden else cites[number].tolist())
    queries = tuple(Query(papers[n].title, papers[n].abstract, ids[n], 2000 + n // 10) for n in sorted(hidden))
    ranker = Citeomatic(seed=0, epochs=2, samples=12_000, rate=1e-2)
    run = _run_one("citeomatic", ranker, found, TestSet(queries, {}), 20)
    gold = {ids[n]: {ids[one] for one in cites[n]} for n in hidden}
    recalls = [len(gold[query] & set(run[query])) / len(gold[query]) for query in gold]
    assert np.mean(recalls) > 0.6  # 20 of 120 at random: 0.17
    assert all(query not in papers for query, papers in run.items())


def test_defaults_are_the_published_ones_and_the_document_has_them():
    # allenai/citeomatic, citeomatic/models/options.py: lr, batch_size, total_samples / samples_per_epoch, dense_dim, …
    assert (RATE, BATCH, EPOCHS, SAMPLES, NEAREST) == (1e-4, 512, 5, 1_000_000, 100)
    model = PairRanker(10)
    assert (model.words.direction.embedding_dim, [layer.out_features for layer in model.hidden]) == (75, [20, 20])
    for said in ("75 dimensions", "100 nearest", "two layers of 20", "batches of 512", "Adam with 0.0001"):
        assert said in " ".join(DOCUMENT.split())


def test_a_corpus_without_citations_is_one_clear_error():
    from common.errors import SourceError

    ranker = made("citeomatic", Setup())
    ranker.see([np.zeros(0, np.int64)] * 2)
    with pytest.raises(SourceError, match="no paper here cites two others") as caught:
        ranker.fit([Text("graph ranking", ""), Text("cells", "")])
    assert "\n" not in str(caught.value)
