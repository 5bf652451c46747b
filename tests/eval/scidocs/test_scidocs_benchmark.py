"""The seven tasks: against scikit-learn called directly, by hand, and with vectors that know all or nothing."""

import json

import numpy as np
import pytest
from scidocs_data import CLASSES, PROPENSITIES, make_scidocs, write_csv, write_embeddings_file

from common.errors import SourceError
from eval.scidocs.benchmark import TASKS, Options, classify, run_benchmark, table
from eval.scidocs.embeddings import Embeddings, random_embeddings
from eval.scidocs.layout import Click
from eval.scidocs.recommendation import FEATURES, adjusted, features, recommend, triplets


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scidocs")
    return folder, make_scidocs(folder)


@pytest.fixture(scope="module")
def by_chance(data):
    """Random embeddings, and what the benchmark finds of them."""
    folder, vectors = data
    drawn = random_embeddings(vectors, 4)
    path = write_embeddings_file(
        folder / "random.jsonl", {i: drawn.vectors[row].tolist() for i, row in drawn.rows.items()}
    )
    return path, run_benchmark(folder, [path])


def labelled(seed, count, prefix):
    generator = np.random.default_rng(seed)
    return [(f"{prefix}{n}", str(generator.integers(3))) for n in range(count)]


def noisy(labels, seed, noise):
    generator = np.random.default_rng(seed)
    vectors = [np.eye(6)[int(label)] + noise * generator.standard_normal(6) for _, label in labels]
    return Embeddings({paper: row for row, (paper, _) in enumerate(labels)}, np.array(vectors, np.float32))


def test_classification_agrees_with_scikit_learn_called_directly():
    from sklearn.metrics import f1_score
    from sklearn.model_selection import cross_val_score
    from sklearn.svm import LinearSVC

    train, test = labelled(0, 150, "a"), labelled(1, 80, "b")
    embeddings = noisy(train + test, 2, 0.6)
    rows, lost = dict(embeddings.rows), "b7"
    del rows[lost]
    embeddings = Embeddings(rows, embeddings.vectors)
    x, y = [
        np.array([np.zeros(6) if paper == lost else embeddings.vectors[embeddings.rows[paper]] for paper, _ in part])
        for part in (train, test)
    ]
    known, gold = ([label for _, label in part] for part in (train, test))

    def machine(c):
        return LinearSVC(C=c, loss="squared_hinge", fit_intercept=False, tol=1e-3, random_state=42)

    best = max(
        (10.0**power for power in range(-4, 3)), key=lambda c: cross_val_score(machine(c), x, known, cv=3).mean()
    )
    expected = f1_score(gold, machine(best).fit(x, known).predict(y), average="macro")
    found = classify(train, test, embeddings)
    assert found.c == pytest.approx(best)
    assert found.f1 == pytest.approx(expected)
    assert 0.5 < found.f1 < 1


def test_macro_f1_weighs_classes_alike():
    train = [(f"t{n}", "common" if n < 40 else "rare") for n in range(46)]
    test = [(f"u{n}", "common" if n < 9 else "rare") for n in range(10)]
    # The rare test paper looks like a common one, the others as they are.
    vectors = np.array([[1.0, 0.0]] * 40 + [[0.0, 1.0]] * 6 + [[1.0, 0.0]] * 10, np.float32)
    embeddings = Embeddings({paper: row for row, (paper, _) in enumerate(train + test)}, vectors)
    assert classify(train, test, embeddings).f1 == pytest.approx((2 * 0.9 * 1 / 1.9 + 0) / 2)


def test_a_classifier_needs_two_classes_with_a_paper_for_each_fold():
    train = [("a", "1"), ("b", "1"), ("c", "1"), ("d", "2")]
    with pytest.raises(SourceError, match="two classes of 3 papers"):
        classify(train, train, random_embeddings("abcd"))


def test_features_of_a_click_by_hand():
    query = {"title": "Graph-based search", "year": 2010, "authors": ["1", "2"]}
    candidate = {"title": "Search, again", "year": "2000", "authors": ["2"]}
    metadata = {
        "q": {**query, "references": ["c", "x"], "cited_by": ["y"]},
        "c": {**candidate, "references": ["x"], "cited_by": ["q", "y"]},
    }
    embeddings = Embeddings({"q": 0, "c": 1}, np.array([[1, 0], [1, 1]], np.float32))
    forward, back, unknown = features([("q", "c"), ("c", "q"), ("q", "nobody")], metadata, embeddings)
    expected = {
        "cosine": 1 / np.sqrt(2),
        "title overlap": 0.0,  # "search" is not "Search", and neither "-" nor "," is shared
        "author overlap": 1 / 2,
        "overlap of who cites them": 1 / 2,
        "overlap of references": 1 / 2,
        "candidate cites query": 0.0,
        "query cites candidate": 1.0,
        "age": 1.0,
        "age relative to query": 0.5,
        "citations": np.log(3) / 10,
    }
    assert dict(zip(FEATURES, forward.tolist(), strict=True)) == pytest.approx(expected, abs=1e-6)
    assert back[FEATURES.index("candidate cites query")] == 1
    assert back[FEATURES.index("query cites candidate")] == 0
    assert back[FEATURES.index("age relative to query")] == -0.5
    assert not unknown.any()


def test_shared_words_of_titles_are_counted_once():
    metadata = {"a": {"title": "Search of search, search"}, "b": {"title": "search , of"}}
    pair = features([("a", "b")], metadata, random_embeddings("ab"))[0]
    assert pair[FEATURES.index("title overlap")] == pytest.approx(3 / 4)


def test_clicks_weigh_by_their_propensity_and_ties_count_half():
    clicks = [Click("q1", "a", ("a", "b", "c")), Click("q2", "c", ("a", "b", "c")), Click("q3", "b", ("a", "b", "b"))]
    scores = [np.array(one, np.float32) for one in ([0.9, 0.1, 0.2], [0.9, 0.9, 0.9], [0.5, 0.4, 0.4])]
    propensities = np.array([2.0, 0.5, 0.5])
    weights = np.array([1 / 2, 2, 2])
    above = np.array([0, 2 * 0.5, 1])  # a repetition of the clicked paper is no rival
    found = adjusted(clicks, scores, propensities)
    assert found.ndcg == pytest.approx((weights / np.log2(2 + above)).sum() / weights.sum())
    assert found.precision_at_1 == pytest.approx(weights[0] / weights.sum())
    with pytest.raises(SourceError, match="q2 has its click on place 3, but there are propensities for 2 places"):
        adjusted(clicks, scores, propensities[:2])


def test_each_click_is_trained_against_the_first_ten_others():
    shown = tuple(f"p{n}" for n in range(14))
    clicked, other = triplets(
        [Click("q", "p3", shown), Click("q", "p0", ("p0",))], {}, random_embeddings(["q", *shown])
    )
    assert clicked.shape == other.shape == (10, len(FEATURES))
    assert len(np.unique(clicked[:, 0])) == 1
    assert len(np.unique(other[:, 0])) == 10
    with pytest.raises(SourceError, match="nothing to learn from"):
        triplets([Click("q", "p0", ("p0",))], {}, random_embeddings(["q", "p0"]))


def test_a_recommender_without_evidence_recommends_by_chance():
    generator = np.random.default_rng(5)
    clicks = []
    for n in range(1200):
        shown = tuple(f"{n}-{place}" for place in range(4))
        clicks.append(Click(f"q{n}", shown[generator.integers(4)], shown))
    embeddings = random_embeddings([paper for click in clicks for paper in (click.query, *click.shown)])
    found = recommend(clicks[:300], clicks[300:400], clicks[400:], {}, embeddings, np.ones(4))
    assert found.precision_at_1 == pytest.approx(1 / 4, abs=0.06)
    assert found.ndcg == pytest.approx(np.mean([1 / np.log2(k + 1) for k in range(1, 5)]), abs=0.04)


@pytest.mark.parametrize("split", ["test", "val"])
def test_perfect_embeddings_reach_one_hundred_everywhere(data, tmp_path, split):
    folder, vectors = data
    found = run_benchmark(folder, [write_embeddings_file(tmp_path / "all.jsonl", vectors)], (), Options(split))
    assert list(found.tasks) == list(TASKS)
    for name, result in found.tasks.items():
        assert result.missing == 0
        for metric, value in result.metrics.items():
            assert value == pytest.approx(1.0), (name, metric)
    assert found.mean() == pytest.approx(1.0)
    assert "Avg. 100.00" in table(found)


def test_random_embeddings_reach_about_chance(by_chance):
    _, found = by_chance
    for name in ("co-view", "co-read", "cite", "co-cite"):
        assert found.tasks[name].metrics["MAP"] == pytest.approx(0.253, abs=0.09)
    for name in ("mag", "mesh"):
        assert found.tasks[name].metrics["F1"] < 2.2 / CLASSES
    assert found.tasks["recomm"].metrics["P@1"] < 0.6


def test_the_average_is_over_twelve_metrics_and_groups_are_those_of_the_papers(data, by_chance):
    path, found = by_chance
    every = {name: list(result.metrics.values()) for name, result in found.tasks.items()}
    assert found.mean() == pytest.approx(sum(map(sum, every.values())) / 12)
    assert found.group_means() == pytest.approx(
        {
            "CLS": (every["mag"][0] + every["mesh"][0]) / 2,
            "USR": sum(every["co-view"] + every["co-read"]) / 4,
            "CITE": sum(every["cite"] + every["co-cite"]) / 4,
            "REC": sum(every["recomm"]) / 2,
        }
    )
    some = run_benchmark(data[0], [path], ["cite", "mag"])
    assert list(some.tasks) == ["mag", "cite"]
    assert some.mean() is None
    assert "2 of 7 tasks" in table(some)
    assert some.tasks["cite"].metrics == found.tasks["cite"].metrics


def test_missing_embeddings_are_counted_in_the_table(data, tmp_path):
    folder, vectors = data
    lost = {"cite-test-0", "cite-test-1-3", "001"}
    kept = {paper: vector for paper, vector in vectors.items() if paper not in lost}
    path = write_embeddings_file(tmp_path / "some.jsonl", kept)
    found = run_benchmark(folder, [path], ["mag", "cite", "co-cite"])
    assert {name: result.missing for name, result in found.tasks.items()} == {"mag": 1, "cite": 2, "co-cite": 0}
    assert found.tasks["cite"].metrics["MAP"] < 0.951
    assert found.tasks["cite"].note == "20 queries, 1 without embedding"
    generous = run_benchmark(folder, [path], ["cite"], Options(missing="leave-out"))
    assert generous.tasks["cite"].metrics["MAP"] == pytest.approx(1.0)
    assert generous.tasks["cite"].missing == 2


def test_embeddings_of_other_papers_are_an_error(data, tmp_path):
    folder, vectors = data
    cite = {paper: vector for paper, vector in vectors.items() if paper.startswith("cite")}
    path = write_embeddings_file(tmp_path / "cite.jsonl", cite)
    with pytest.raises(SourceError, match="papers of mag has an embedding: leave it out with --task"):
        run_benchmark(folder, [path])
    with pytest.raises(SourceError, match="no folder"):
        run_benchmark(tmp_path / "nowhere", [path])
    with pytest.raises(SourceError, match=r"cannot read .*train.csv"):
        run_benchmark(tmp_path, [path])


def test_papers_in_two_splits_are_reported(tmp_path):
    rows = [[f"p{n}", str(n % 2)] for n in range(12)]
    write_csv(tmp_path / "mag" / "train.csv", ["pid", "class_label"], rows)
    write_csv(tmp_path / "mag" / "test.csv", ["pid", "class_label"], [*rows[:2], ["z", "0"]])
    path = write_embeddings_file(tmp_path / "v.jsonl", {paper: [float(label), 1.0] for paper, label in rows})
    found = run_benchmark(tmp_path, [path], ["mag"])
    assert "2 test papers in train.csv" in found.tasks["mag"].note


def test_papers_without_metadata_are_reported(data, tmp_path):
    folder, vectors = data
    copy = tmp_path / "copy"
    (copy / "recomm").mkdir(parents=True)
    for source in (folder / "recomm").iterdir():
        (copy / "recomm" / source.name).write_bytes(source.read_bytes())
    metadata = json.loads((folder / "paper_metadata_recomm.json").read_text())
    metadata.pop("click-test-0")
    (copy / "paper_metadata_recomm.json").write_text(json.dumps(metadata))
    found = run_benchmark(copy, [write_embeddings_file(tmp_path / "v.jsonl", vectors)], ["recomm"])
    assert found.tasks["recomm"].note == "60 clicks, 1 papers without metadata"
    assert len(PROPENSITIES) == 4
