"""Encoders on corpora and in pictures, and the commands as a user types them."""

import json
import math
from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner
from scidocs_data import make_scidocs, write_embeddings_file

from cli.eval import command
from cli.scidocs import TASK_NAMES
from common.errors import SourceError
from encoders.text import Text
from encoders.transformer import TextEncoder
from eval.scidocs.benchmark import TASKS
from eval.scidocs.clusters import Labelled, draw, papers_of_corpora, papers_of_scidocs, picture
from eval.scidocs.embeddings import load_embeddings, random_embeddings
from eval.scidocs.encoder_protocol import Sampling, evaluate_encoders
from eval.scidocs.texts import export, read_texts, vectors

TOPICS = ("graph neural network", "search ranking", "citation of the paper")


def write_corpus(path, topics=TOPICS, each=30):
    """Papers of a topic cite those of their topic before them."""
    lines = []
    for n in range(each * len(topics)):
        topic = n % len(topics)
        cited = [f"{m:03d}" for m in range(max(0, n - 9 * len(topics)), n) if m % len(topics) == topic]
        title = f"{topics[topic]} {'abcdefghij'[n % 10]}"
        lines.append({"id": f"{n:03d}", "title": title, "abstract": f"{topics[topic]} .", "citations": cited})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def run(*arguments):
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_raw_vectors_are_the_unit_vectors_before_their_length_is_taken(tiny_bert):
    texts = [Text("graph search", "a paper of the network"), Text("ranking", "")]
    unit, raw = (TextEncoder.load(str(tiny_bert), "torch", unit=one).encode(texts) for one in (True, False))
    lengths = np.linalg.norm(raw, axis=1, keepdims=True)
    assert np.abs(lengths - 1).min() > 0.1
    assert np.linalg.norm(unit, axis=1) == pytest.approx(1, abs=1e-5)
    assert raw / lengths == pytest.approx(unit, abs=1e-5)


def test_exported_vectors_are_those_of_the_encoder(tiny_bert, tmp_path):
    corpus, out = write_corpus(tmp_path / "corpus.jsonl"), tmp_path / "vectors.jsonl"
    texts = dict(read_texts([str(corpus)]))
    texts["empty"] = Text(" ", "")
    assert export(str(tiny_bert), texts.items(), out) == (90, 1)
    expected = TextEncoder.load(str(tiny_bert)).encode([text for paper, text in texts.items() if paper != "empty"])
    assert load_embeddings([out]).vectors == pytest.approx(expected, abs=1e-6)
    titles = vectors(str(tiny_bert), texts, "title")
    assert "empty" not in titles.rows
    alone = TextEncoder.load(str(tiny_bert)).encode([Text(texts["007"].title, "")])
    assert titles.find(["007"]) == pytest.approx(alone, abs=1e-5)


def test_a_text_of_which_an_encoder_knows_no_word_has_no_vector(tiny_bert, tmp_path, monkeypatch):
    monkeypatch.setattr(TextEncoder, "encode", lambda _, texts, progress: np.eye(len(texts), k=1, dtype=np.float32))
    assert vectors(str(tiny_bert), {"a": Text("graph", ""), "b": Text("unknown", "")}).rows == {"a": 0}


def test_published_metadata_are_texts(tmp_path):
    path = tmp_path / "paper_metadata_mag_mesh.json"
    path.write_text(json.dumps({"007": {"title": "Search", "abstract": None}, "8": {"abstract": "Of graphs"}}))
    assert dict(read_texts([str(path), str(path)])) == {"007": Text("Search", ""), "8": Text("", "Of graphs")}


def test_an_encoder_and_its_file_get_the_same_figures_on_the_same_questions(tiny_bert, tmp_path):
    corpus, out = write_corpus(tmp_path / "acl.2019.jsonl"), tmp_path / "vectors.jsonl"
    export(str(tiny_bert), read_texts([str(corpus)]), out)
    rows = list(evaluate_encoders([str(tiny_bert), str(out)], [corpus], ("title+abstract", "title"), Sampling(20)))
    assert [(row.task, row.reading) for row in rows] == [
        *((task, "") for task in ("cite", "co-cite")),
        *((task, reading) for reading in ("title+abstract", "title") for task in ("cite", "co-cite")),
        *((task, "") for task in ("cite", "co-cite")),
    ]
    chance, model, ready = rows[0], rows[2], rows[6]
    assert (model.map.value, model.ndcg.value) == pytest.approx((ready.map.value, ready.ndcg.value), abs=1e-4)
    assert chance.model == "random"
    assert chance.map.value == pytest.approx(0.253, abs=0.05)
    assert model.map.low > chance.map.high  # topics are words that even random weights tell apart
    assert {(row.corpus, row.missing) for row in rows} == {("acl.2019", 0)}


def test_papers_that_a_file_lacks_count_against_it(tiny_bert, tmp_path):
    corpus, out = write_corpus(tmp_path / "corpus.jsonl"), tmp_path / "vectors.jsonl"
    export(str(tiny_bert), read_texts([str(corpus)]), out)
    lines = out.read_text().splitlines(keepends=True)
    some = tmp_path / "some.jsonl"
    some.write_text("".join(lines[:70]))
    rows = list(evaluate_encoders([str(out), str(some)], [corpus], sampling=Sampling(20)))
    assert rows[4].missing > 0
    assert rows[4].map.value < rows[2].map.value


def classes_of(per_class, spread, seed=0):
    generator = np.random.default_rng(seed)
    classes, rows = {}, []
    for label in range(3):
        for n in range(per_class):
            classes[f"{label}-{n}"] = f"class {label}"
            rows.append(20 * np.eye(5)[label] + spread * generator.standard_normal(5))
    embeddings = random_embeddings(classes, dimension=5)
    embeddings.vectors[:] = rows
    return Labelled(dict.fromkeys(classes, Text("", "")), classes), embeddings


def entropy(counts):
    total = sum(counts)
    return -sum(count / total * math.log(count / total) for count in counts if count)


def test_classes_far_apart_are_reported_perfectly():
    found = picture(*classes_of(40, 0.5), radius=8.0)
    assert (found.homogeneity, found.completeness) == pytest.approx((1, 1))
    assert max(found.chance) < 0.1
    assert "in 3 clusters" in str(found)


def test_both_measures_follow_their_definition():
    found = picture(*classes_of(40, 6.0, seed=1), radius=1.2)
    joint = Counter(zip(found.classes, found.clusters.tolist(), strict=True))
    classes, clusters = Counter(found.classes), Counter(found.clusters.tolist())
    assert len(clusters) > 2
    within = entropy(joint.values()) - entropy(clusters.values())  # H(class | cluster)
    across = entropy(joint.values()) - entropy(classes.values())  # H(cluster | class)
    assert found.homogeneity == pytest.approx(1 - within / entropy(classes.values()))
    assert found.completeness == pytest.approx(1 - across / entropy(clusters.values()))
    assert 0 < found.homogeneity < 1


def test_random_vectors_tell_no_classes():
    labelled, _ = classes_of(60, 1.0)
    found = picture(labelled, random_embeddings(labelled.classes))
    assert found.homogeneity < 0.15


def test_papers_without_a_vector_are_not_in_the_picture():
    labelled, embeddings = classes_of(10, 0.5)
    rows = dict(embeddings.rows)
    del rows["0-3"]
    found = picture(labelled, type(embeddings)(rows, embeddings.vectors), radius=8.0)
    assert (len(found.points), found.missing) == (29, 1)
    with pytest.raises(SourceError, match="ten papers of two classes"):
        picture(labelled, type(embeddings)({"0-1": 1}, embeddings.vectors))


def test_the_picture_shows_every_paper_and_does_not_change(tmp_path):
    found = picture(*classes_of(20, 0.5))
    for name in ("a.svg", "b.svg", "a.png"):
        draw(found, tmp_path / name, "Test")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    svg = (tmp_path / "a.svg").read_text()
    assert svg == (tmp_path / "b.svg").read_text()
    assert svg.count("<use ") >= 60


def test_labelled_papers_are_drawn_by_class(tmp_path):
    corpora = [write_corpus(tmp_path / f"acl.{year}.jsonl") for year in (2019, 2020)]
    labelled = papers_of_corpora(corpora, 7)
    assert Counter(labelled.classes.values()) == {"acl.2019": 7, "acl.2020": 7}
    assert all(paper.startswith(f"{label}/") for paper, label in labelled.classes.items())
    assert labelled.texts.keys() == labelled.classes.keys()
    with pytest.raises(SourceError, match=r"two corpora called acl\.2019"):
        papers_of_corpora(corpora[:1] * 2, 7)
    make_scidocs(tmp_path / "scidocs")
    published = papers_of_scidocs(tmp_path / "scidocs", 4)
    assert Counter(published.classes.values()) == {str(label): 4 for label in range(4)}


def test_the_commands_work_together(tiny_bert, tmp_path):
    data, corpus = tmp_path / "scidocs", write_corpus(tmp_path / "corpus.jsonl")
    ready = write_embeddings_file(tmp_path / "ready.jsonl", make_scidocs(data))
    scored = run("scidocs", data, "--embeddings", ready)
    assert scored.exit_code == 0, scored.output
    assert "| cite | MAP 100.00, nDCG 100.00 | 620 | 0 | 20 queries |" in scored.output
    assert "REC 100.00; Avg. 100.00" in scored.output
    embedded = run("embed", tiny_bert, corpus, "--out", tmp_path / "own.jsonl", "--text", "title", "--raw")
    assert "Wrote 90 embeddings" in embedded.output
    own = run("encoder", tmp_path / "own.jsonl", "--corpus", corpus, "--queries", 10, "--negatives", 20)
    assert own.exit_code == 0, own.output
    assert own.output.count("| corpus | cite |") == 2
    drawn = run("clusters", ready, "--scidocs", data, "--papers", 5, "--out", tmp_path / "picture.svg")
    assert drawn.exit_code == 0, drawn.output
    assert "homogeneity" in drawn.output
    assert (tmp_path / "picture.svg").is_file()


def test_the_command_line_knows_all_tasks():
    assert tuple(TASKS) == TASK_NAMES


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["encoder", "nowhere.jsonl", "--corpus", "CORPUS"], "cannot read the embeddings nowhere.jsonl"),
        (["encoder", "minilm", "--corpus", "nowhere.jsonl"], "nowhere.jsonl"),
        (["encoder", "minilm", "--corpus", "CORPUS", "--only", "nowhere.ids"], "cannot read the ids"),
        (["embed", "no-such-model", "CORPUS", "--out", "FOLDER/v.jsonl"], "no-such-model"),
        (["embed", "minilm", "CORPUS", "--out", "FOLDER/no/v.jsonl"], "cannot write"),
        (["clusters", "minilm", "--corpus", "CORPUS", "--out", "FOLDER/p.gif"], "a picture is a .png or .svg file"),
        (["clusters", "minilm", "--corpus", "CORPUS", "--out", "FOLDER/no/p.png"], "there is no folder"),
        (["scidocs", "FOLDER/nowhere", "--embeddings", "x.jsonl"], "no folder"),
    ],
)
def test_a_users_mistake_is_one_error(tmp_path, arguments, message):
    from common.errors import CitescoutError

    corpus = write_corpus(tmp_path / "corpus.jsonl")
    done = run(*(a.replace("CORPUS", str(corpus)).replace("FOLDER", str(tmp_path)) for a in arguments))
    assert isinstance(done.exception, CitescoutError)
    assert message in str(done.exception)


def test_a_picture_takes_corpora_or_scidocs(tmp_path):
    done = run("clusters", "minilm", "--out", tmp_path / "p.png")
    assert done.exit_code == 2
    assert "give either several --corpus or --scidocs" in done.output


def test_a_missing_library_is_named_with_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setattr("cli.scidocs.find_spec", lambda name: None if name == "sklearn" else object())
    done = run("clusters", "minilm", "--corpus", "any.jsonl", "--out", tmp_path / "p.png")
    assert str(done.exception) == "this needs sklearn: pip install 'citescout[eval]'"
