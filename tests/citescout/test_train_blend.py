"""`citescout train blend`: what is learnt orders papers that were not learnt from, and can be read again."""

import sys

import numpy as np
import orjson
import pytest
from command_line import files_of_at_most, refused, run

from citescout import Recommender
from citescout.live import LiveRecommender
from cli.main import main
from common.errors import ModelError
from demo import CORPUS
from indexer.builds import build_index
from indexer.paper import Paper
from indexer.readers import read_papers
from rerank.blend import DEFAULT, Blend
from rerank.features import NAMES
from retrieval.query import Query
from training.blend.pools import pool_lists
from training.queries import HeldOut

pytestmark = pytest.mark.long

LEARNT, ASKED = 30, 45  # queries of the demo, drawn from its newest papers


def area(scores: np.ndarray, cited: np.ndarray) -> float:
    """How often a cited paper stands above one that is not (the area under the ROC curve), pair by pair."""
    return float(np.mean(scores[cited][:, None] > scores[~cited][None, :]))


def drawn(index, queries):
    """The lists of so many queries of an index, as training draws them."""
    with Recommender.open(index) as recommender:
        return list(pool_lists(recommender, index, queries, 0, HeldOut()))


@pytest.fixture(scope="module")
def lists(demo_index):
    return drawn(demo_index, ASKED)


@pytest.mark.parametrize("options", [(), ("--reranker", "default", "--depth", "12", "--queries", "8")])
def test_what_was_learnt_orders_queries_that_were_not_learnt_from(demo_index, lists, tmp_path, options):
    out = tmp_path / "blend.json"
    trained = run("train", "blend", "--index", demo_index, "--queries", LEARNT, "--out", out, *options)
    assert trained.out == f"Wrote the blend to {out}\n"
    blend = Blend.load(out)
    # How many are asked for also decides what they are drawn from: the first of ASKED are not those that were learnt.
    learnt = {one.query.id for one in drawn(demo_index, 8 if options else LEARNT)}
    others = [one for one in lists if one.query.id not in learnt]
    assert len(learnt) == (8 if options else LEARNT)
    assert len(others) < len(lists), "the draws should overlap, or else this looks at nothing"
    areas = [
        area(blend.first_stage(one.labelled.features), one.labelled.cited)
        for one in others
        if one.labelled.cited.any() and not one.labelled.cited.all()
    ]
    assert len(areas) > 8
    assert np.mean(areas) > 0.75  # half by chance
    assert blend.reranker_weight >= 0
    assert (blend.reranker_weight == Blend.load().reranker_weight) == (not options)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_full_disk_is_one_line_that_names_the_file(demo_index, tmp_path):
    out = tmp_path / "blend.json"
    with files_of_at_most(40_000):  # as much as Java needs
        ended = run("-q", "train", "blend", "--index", demo_index, "--queries", 8, "--out", out)
    assert (ended.code, ended.err) == (1, f"Error: {out}: File too large\n")
    assert not list(tmp_path.iterdir())


def test_an_index_without_citations_teaches_nothing(tmp_path):
    build_index([Paper("a", "Neural ranking"), Paper("b", "Citation graphs")], tmp_path / "ix", None)
    said = refused("train", "blend", "--index", tmp_path / "ix", "--out", tmp_path / "blend.json")
    assert f"{tmp_path / 'ix'} has no paper with enough citations within the index" in said
    assert not (tmp_path / "blend.json").exists()
    with pytest.raises(ModelError):
        Blend.load(tmp_path / "blend.json")


@pytest.fixture
def upside_down(tmp_path):
    """The blend that ships with every score's sign changed."""
    record = orjson.loads(DEFAULT.read_bytes())
    record["trees"]["value"] = [[-value for value in tree] for tree in record["trees"]["value"]]
    for curve in record["additive"].values():
        curve["adds"], curve["missing"] = [-value for value in curve["adds"]], -curve["missing"]
    path = tmp_path / "upside-down.json"
    path.write_bytes(orjson.dumps(record))
    return path


def test_another_blend_orders_the_list(demo_index, upside_down):
    query = Query(title="Dense retrieval of papers to cite")
    found = {}
    for name, blend in (("theirs", None), ("ours", upside_down)):
        with Recommender.open(demo_index, blend=blend) as recommender:
            ranking = recommender.rank(query)
            contributions = ranking.contributions([0, 1])
            found[name] = dict(zip(ranking.pool.docids[ranking.order].tolist(), ranking.scores.tolist(), strict=True))
            np.testing.assert_allclose(
                contributions.base + contributions.values.sum(1),
                [found[name][number] for number in ranking.pool.docids[:2]],
                atol=1e-5,
            )
    assert found["ours"] == pytest.approx({number: -score for number, score in found["theirs"].items()}, abs=1e-5)
    assert list(found["ours"].values()) == sorted(found["ours"].values(), reverse=True)
    assert len(set(found["ours"].values())) > 10


def test_a_blend_that_is_none_is_refused_by_its_name(demo_index, tmp_path):
    (tmp_path / "queries.jsonl").write_text('{"title": "graphs"}\n', "utf-8")
    path = tmp_path / "no-blend.json"
    path.write_text("{}", "utf-8")
    ended = run("recommend", tmp_path / "queries.jsonl", "--index", demo_index, "--blend", path)
    assert ended.code == 1
    assert "no-blend.json is missing or damaged" in ended.err.splitlines()[-1]
    with pytest.raises(ModelError, match=r"no-blend\.json"):
        LiveRecommender.open(demo_index, blend=path)  # what `serve` opens


def test_a_blend_that_lacks_a_part_is_refused_on_one_line_that_names_it(tmp_path):
    path = tmp_path / "part.json"
    record = orjson.loads(DEFAULT.read_bytes())
    path.write_bytes(orjson.dumps(record | {"calibration": {**record["calibration"], "fits_static": None}}))
    with pytest.raises(ModelError, match=r"part\.json is missing or damaged \(.*fits_static") as found:
        Blend.load(path)
    assert "\n" not in str(found.value)


def test_the_page_orders_by_the_blend_that_is_named(demo_index, upside_down):
    query = Query(title="Dense retrieval of papers to cite")
    recommender, live = Recommender.open(demo_index), LiveRecommender.open(demo_index, blend=upside_down)
    worst = recommender.rank(query).scores[-1]
    (chance,) = Blend.load(upside_down).calibration.chances(np.asarray([-worst]))
    assert live.recommend(query)[0].score == pytest.approx(100 * chance, abs=1e-3)
    recommender.close()
    live.close()


def test_recommend_orders_by_the_blend_that_is_named(demo_index, upside_down, tmp_path):
    (tmp_path / "queries.jsonl").write_text('{"title": "Dense retrieval of papers to cite"}\n', "utf-8")
    asked = ["recommend", str(tmp_path / "queries.jsonl"), "--index", str(demo_index), "--format", "trec"]
    theirs = [line.split()[2] for line in run(*asked, "-k", 1000).out.splitlines()]
    ours = [line.split()[2] for line in run(*asked, "--blend", upside_down, "-k", 5).out.splitlines()]
    assert len(ours) == 5
    assert set(ours) <= set(theirs[-20:])  # equal scores may stand either way


def test_each_corpus_gets_a_blend_that_never_saw_it(tmp_path):
    papers = list(read_papers([str(CORPUS)]))
    for name, part in (("one", papers[::2]), ("other", papers[1::2]), ("other-small", papers[1::4])):
        build_index(part, tmp_path / name, None)
    indexes = [option for name in ("one", "other", "other-small") for option in ("--index", str(tmp_path / name))]
    out = tmp_path / "blends"
    main(["train", "blend", *indexes, "--queries", "6", "--left-out", str(out), "--out", str(tmp_path / "all.json")])
    assert {path.name for path in out.iterdir()} == {"one.json", "other.json"}
    alone = tmp_path / "alone.json"
    main(["train", "blend", "--index", str(tmp_path / "one"), "--queries", "6", "--out", str(alone)])
    without_other = Blend.load(out / "other.json")
    features = np.random.default_rng(0).normal(size=(50, len(NAMES))).astype(np.float32)
    assert np.array_equal(without_other.first_stage(features), Blend.load(alone).first_stage(features))
    assert not np.array_equal(without_other.first_stage(features), Blend.load(out / "one.json").first_stage(features))
    by_text = {path.name: Blend.load(path).without_citations for path in (*out.iterdir(), tmp_path / "all.json", alone)}
    found = {name: one.order.predict(features[:, : len(one.order.names)]).tolist() for name, one in by_text.items()}
    assert len(set(map(tuple, found.values()))) == 4
    # One corpus teaches what holds for it alone, with its citations.
    assert by_text["alone.json"].to_record() == Blend.load().without_citations.to_record()


def test_an_index_under_two_names_counts_once(demo_index, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(demo_index, target_is_directory=True)
    monkeypatch.chdir(demo_index)
    once, again = tmp_path / "once.json", tmp_path / "again.json"
    main(["train", "blend", "--index", str(demo_index), "--queries", "6", "--out", str(once)])
    names = (str(demo_index), f"../{demo_index.name}", str(tmp_path / "link"))
    main(["train", "blend", "--index", *names, "--queries", "6", "--out", str(again)])
    assert again.read_bytes() == once.read_bytes()


def test_one_corpus_cannot_be_left_out(demo_index, tmp_path):
    said = refused("train", "blend", "--index", demo_index, "--left-out", tmp_path / "x", "--out", "unused")
    assert "needs indexes of at least two corpora" in said


def test_a_file_that_is_written_again_is_read_again(tmp_path, monkeypatch):
    record = orjson.loads(DEFAULT.read_bytes())
    for weight in (0.5, 9.25):
        (tmp_path / "blend.json").write_bytes(orjson.dumps({**record, "reranker_weight": weight}))
        assert Blend.load(tmp_path / "blend.json").reranker_weight == weight
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "blend.json").write_bytes(orjson.dumps({**record, "reranker_weight": 1.5}))
    monkeypatch.chdir(tmp_path)
    assert Blend.load("blend.json").reranker_weight == 9.25
    monkeypatch.chdir("other")
    assert Blend.load("blend.json").reranker_weight == 1.5
