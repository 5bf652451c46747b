"""What an answer says of itself, measured: the figures by hand, and the command end to end."""

import gzip

import numpy as np
import orjson
import pytest
from command_line import refused, run

from demo import CORPUS
from eval.trust import FORMS, Trust, area, calibration_error, measure, table
from rerank.blend import CONTEXT


def trust(chances, cited, own=(), foreign=(), popularity=None) -> Trust:
    found = np.asarray(chances, float), np.asarray(cited, bool)
    return Trust("one", *found, {"whole": np.asarray(own)}, {"other": np.asarray(foreign)}, popularity or {})


def test_what_no_query_tells_is_a_dash_and_not_part_of_the_mean(recwarn):
    some = trust([0.5], [True], [0.9], [0.1], {FORMS[0]: 0.1, FORMS[1]: 0.2})
    one_form = trust([0.5], [False], [0.2], [0.4], {FORMS[0]: 0.3})
    nothing = trust([], [])
    rows = [line.strip("| ").split(" | ") for line in table([some, one_form, nothing]).splitlines()[2:]]
    assert rows == [
        ["one", "0.500", "1.0000", "1.000", "other", "+10.0", "+20.0", "–"],
        ["one", "0.500", "0.0000", "0.000", "other", "+30.0", "–", "–"],
        ["one", "–", "–", "–", "", "–", "–", "–"],
        ["all", "0.000", "0.5000", "0.000", "", "+20.0", "+20.0", "–"],
    ]
    assert not recwarn.list


def test_the_calibration_error_by_hand():
    # Bin .1: three papers at .1, one of them cited: |.1 − 1/3| · 3/4; bin .9: one at .9, cited: |.9 − 1| · 1/4.
    found = trust([0.1, 0.1, 0.1, 0.9], [True, False, False, True])
    assert calibration_error([found]) == pytest.approx(0.75 * (1 / 3 - 0.1) + 0.25 * 0.1)
    assert calibration_error([trust([1.0, 0.0], [True, False])]) == 0
    assert calibration_error([trust([1.0, 0.0], [False, True])]) == 1
    assert calibration_error([found, trust([0.1, 0.1], [True, False])]) == pytest.approx((5 * 0.3 + 0.1) / 6)


def test_the_area_is_scikit_learn_s():
    metrics = pytest.importorskip("sklearn.metrics")
    generator = np.random.default_rng(0)
    own, other = generator.integers(0, 5, 40) / 5, generator.integers(0, 4, 30) / 5
    truth = np.arange(70) < 40
    assert area(own, other) == pytest.approx(metrics.roc_auc_score(truth, np.concatenate([own, other])))
    assert area(np.ones(3), np.ones(2)) == 0.5


@pytest.mark.long
def test_the_command_measures_every_corpus(tmp_path):
    folder, work = write_two_corpora(tmp_path), tmp_path / "work"
    done = run("eval", "trust", folder, "--work", work, "--queries", 3)
    rows = [line for line in done.out.splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0] for row in rows] == ["| corpus", "| one", "| other", "| all"]
    assert all(0 <= float(row.split(" | ")[1]) <= 1 for row in rows[1:])


@pytest.mark.long
def test_a_measurement_that_was_killed_asks_only_what_it_had_not(tmp_path, asked):
    given = (write_two_corpora(tmp_path), tmp_path / "work", (), 3, "static", None, 1, 0)
    asked.check_going_on(lambda: table(measure(*given)), tmp_path / "work")
    assert asked
    assert not any(query.id for query in asked), "only what other corpora would ask"


@pytest.mark.long
def test_indexes_of_another_encoder_are_measured(tmp_path):
    folder, work = write_two_corpora(tmp_path), tmp_path / "work"
    assert run("eval", "corpora", folder, "--work", work, "--encoder", "static", "--system", "BM25").code == 0
    said = refused("eval", "trust", folder, "--work", work, "--queries", 3)
    assert "was made with the encoder static, not minilm" in said
    done = run("eval", "trust", folder, "--work", work, "--encoder", "static", "--queries", 3)
    assert "| all | 0." in done.out


def write_two_corpora(tmp_path):
    papers = [orjson.loads(line) for line in CORPUS.read_bytes().splitlines()[:150]]
    folder = tmp_path / "corpora"
    folder.mkdir()
    for name, part in (("one", papers[::2]), ("other", papers[1::2])):
        with gzip.open(folder / f"{name}.jsonl.gz", "wb") as file:
            file.write(b"\n".join(map(orjson.dumps, part)))
        ids = {paper["id"] for paper in part}
        asked = [paper["id"] for paper in part if len(ids.intersection(paper["citations"])) >= 2]
        (folder / f"{name}.test.ids").write_text("\n".join(asked[:6]), "utf-8")
    return folder


def test_blends_of_other_corpora_or_of_sentences_are_refused(tmp_path):
    folder = tmp_path / "corpora"
    folder.mkdir()
    (folder / "one.jsonl").write_text('{"id": "a", "title": "Graphs", "citations": []}\n', "utf-8")
    (folder / "one.test.ids").write_text("a\n", "utf-8")
    (tmp_path / "blends").mkdir()
    for command in ("corpora", "trust"):
        said = refused("eval", command, folder, "--work", tmp_path / command, "--blend", tmp_path / "blends")
        assert "has no one.json, a blend that never saw one" in said
        said = refused("eval", command, folder, "--work", tmp_path / command, "--blend", CONTEXT)
        assert "context.json orders lists for sentences, and whole papers are asked" in said
