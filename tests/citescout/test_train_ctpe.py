"""`citescout train encoder --recipe ctpe`, and an index that is made with what it wrote."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import run
from interrupted import ending_at

from citescout import Query, Recommender, Settings
from common.errors import ModelError, SourceError, TrainingError
from encoders.loading import load_encoder
from encoders.text import Text
from indexer.builds import build_index
from indexer.changes import add_papers
from indexer.paper import Paper
from training.ctpe.from_index import count_ctpe, train_ctpe
from training.ctpe.settings import CtpeSettings

TOPICS = ("graph citation walk", "protein cell membrane", "poem verse rhyme", "star orbit telescope")


def papers(count: int = 80, topics: tuple[str, ...] = TOPICS) -> list[Paper]:
    rng = np.random.default_rng(1)
    made = []
    for number in range(count):
        own = topics[number % len(topics)].split()
        title = [*rng.choice(own, 2), *rng.choice(["new", "study", "method"], 2)]
        abstract = [*rng.choice(own, 8), *rng.choice(["we", "show", "results", "data", "model"], 8)]
        made.append(Paper(f"p{number:03}", " ".join(title), " ".join(abstract) + f" n{number}x", 2000 + number % 20))
    return made


def write_words(path: Path) -> Path:
    rng = np.random.default_rng(2)
    words = [*" ".join(TOPICS).split(), *["new", "study", "method", "we", "show", "results", "data", "model"]]
    lines = (f"{word} {' '.join(f'{value:.3f}' for value in rng.normal(size=10))}\n" for word in words)
    path.write_text("".join(lines), "utf-8")
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an index without vectors, and a file of word vectors."""
    folder = tmp_path_factory.mktemp("ctpe")
    build_index(papers(), folder / "texts", None)
    write_words(folder / "words.txt")
    return folder


def small(place: Path, **changes: object) -> CtpeSettings:
    values = {"words": str(place / "words.txt"), "channels": 8, "epochs": 3, "batch_size": 20, **changes}
    return CtpeSettings(**values)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def encoder(place: Path) -> Path:
    train_ctpe([place / "texts"], place / "encoder", small(place))
    return place / "encoder"


def test_train_index_and_recommend(place, tmp_path):
    source = tmp_path / "papers.jsonl"
    lines = ({"id": p.id, "title": p.title, "abstract": p.abstract, "year": p.year} for p in papers())
    source.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    code, out, err = run(
        "train", "encoder", "--recipe", "ctpe", "--index", place / "texts", "--out", tmp_path / "encoder",
        "--words", place / "words.txt", "--channels", 16, "--epochs", 30, "--learning-rate", 0.01, "--split", "20",
    )  # fmt: skip
    assert (code, out) == (0, f"Wrote the encoder to {tmp_path / 'encoder'}\n")
    assert "80 coupled pairs, 4 of them held out" in err
    code, out, err = run("index", source, "--index", tmp_path / "index", "--encoder", tmp_path / "encoder")
    assert code == 0, err
    queries = tmp_path / "queries.jsonl"
    queries.write_text(
        json.dumps({"id": "q", "title": "protein membrane", "abstract": "we show cell protein"}), "utf-8"
    )
    code, out, err = run(
        "recommend", queries, "--index", tmp_path / "index", "--sources", "dense", "-k", 10, "--format", "jsonl"
    )
    assert code == 0, err
    found = json.loads(out)["recommendations"]
    assert len(found) == 10
    assert all(int(one["id"][1:]) % len(TOPICS) == 1 for one in found)


def test_an_index_holds_documents_and_is_asked_with_queries(encoder, tmp_path):
    build_index(papers(), tmp_path / "index", str(encoder))
    model = load_encoder(str(encoder))
    query = Text("graph walk method", "we show citation data")
    expected = model.encode_queries([query])[0] @ model.encode([paper.text for paper in papers()]).T
    with Recommender.open(tmp_path / "index") as recommender:
        pool = recommender.pool(Query(query.title, query.abstract), Settings(sources=("dense",)))
    assert sorted(pool.docids.tolist()) == list(range(80))
    np.testing.assert_allclose(pool.hits["dense"].scores, expected[pool.hits["dense"].docids], atol=0.01)
    assert np.abs(expected - model.encode([query])[0] @ model.encode([p.text for p in papers()]).T).max() > 0.02


def test_added_papers_are_encoded_by_the_same_encoder(encoder, tmp_path):
    build_index(papers()[:60], tmp_path / "index", str(encoder))
    add_papers([*papers()[60:], Paper("strange", "unheard", "of this")], tmp_path / "index")
    with Recommender.open(tmp_path / "index") as recommender:
        found = recommender.recommend(Query("star orbit telescope"), Settings(k=100, sources=("dense",), blend=False))
        assert len(found) == 81
        assert np.isfinite([one.score for one in found]).all()
        unknown = recommender.recommend(Query("§ nothing known §"), Settings(sources=("dense",), blend=False))
        assert unknown == []


def test_an_encoder_that_was_trained_again_is_refused_by_the_index(place, tmp_path):
    folder = tmp_path / "encoder"
    train_ctpe([place / "texts"], folder, small(place))
    build_index(papers(), tmp_path / "index", str(folder))
    Recommender.open(tmp_path / "index").close()
    shutil.rmtree(folder)
    train_ctpe([place / "texts"], folder, small(place, split="40"))
    with pytest.raises(ModelError, match="not the one that the index was built with: build the index again"):
        Recommender.open(tmp_path / "index")


def test_dry_run_counts_and_writes_nothing(place, tmp_path):
    build_index([*papers(8), Paper("copy", papers()[0].title, papers()[0].abstract), Paper("bare", "title only")],
                tmp_path / "index", None)  # fmt: skip
    code, out, _ = run(
        "train",
        "encoder",
        "--recipe",
        "ctpe",
        "--index",
        tmp_path / "index",
        place / "texts",
        "--out",
        tmp_path / "out",
        "--dry-run",
    )
    assert code == 0
    words = {word for paper in papers() for word in paper.text.joined().split()} | {"title", "only"}
    assert out == (f"81 texts (9 repeated ones left out), {len(words)} words, 80 coupled pairs, 4 of them held out\n")
    assert not (tmp_path / "out").exists()


def test_an_unfinished_run_is_resumed(place, tmp_path):
    options = ["train", "encoder", "--recipe", "ctpe", "--index", place / "texts", "--words", place / "words.txt",
               "--channels", 8, "--epochs", 3, "--batch-size", 20, "--checkpoint-every", 2]  # fmt: skip
    assert run(*options, "--out", tmp_path / "whole")[0] == 0
    with ending_at(7):
        assert run(*options, "--out", tmp_path / "parts")[0] == 130
    code, _, err = run(*options, "--out", tmp_path / "parts")
    assert (code, len(err.splitlines())) == (1, 1)
    assert "--resume" in err
    assert run(*options, "--out", tmp_path / "parts", "--resume")[0] == 0
    for name in ("model.safetensors", "config.json"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "parts" / name).read_bytes()
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == sorted(
        path.name for path in (tmp_path / "whole").iterdir()
    )
    code, _, err = run(*options, "--out", tmp_path / "whole")
    assert (code, "holds a model already" in err) == (1, True)


def test_zero_training_pairs_are_one_line(tmp_path):
    build_index([Paper(str(number), f"only a title {number}a") for number in range(50)], tmp_path / "index", None)
    with pytest.raises(TrainingError, match="zero training pairs"):
        count_ctpe([tmp_path / "index"], CtpeSettings())
    code, _, err = run("train", "encoder", "--recipe", "ctpe", "--index", tmp_path / "index", "--out", tmp_path / "out")
    assert code == 1
    assert err.startswith("Error: zero training pairs")
    assert len(err.splitlines()) == 1
    assert count_ctpe([tmp_path / "index"], CtpeSettings(split="40")).pairs == 50


def test_a_transformer_lends_its_input_vectors(place, tiny_bert, tmp_path):
    from transformers import AutoModel, AutoTokenizer

    settings = CtpeSettings(words=f"encoder:{tiny_bert}", channels=4, epochs=0)
    train_ctpe([place / "texts"], tmp_path / "encoder", settings)
    from safetensors.numpy import load_file

    listed = (tmp_path / "encoder" / "vocabulary.txt").read_text("utf-8").split()
    matrix = load_file(tmp_path / "encoder" / "model.safetensors")["words"]
    tokenizer, inputs = (
        AutoTokenizer.from_pretrained(tiny_bert),
        AutoModel.from_pretrained(tiny_bert).get_input_embeddings(),
    )
    for word in ("graph", "telescope", "we"):
        pieces = tokenizer.convert_tokens_to_ids(tokenizer.tokenize(word))
        np.testing.assert_allclose(matrix[listed.index(word)], inputs.weight.detach()[pieces].mean(0), rtol=1e-5)


def test_word_vectors_are_learnt_from_the_texts(place, tmp_path):
    pytest.importorskip("gensim")
    settings = CtpeSettings(dimension=16, word_epochs=2, channels=4, epochs=1)
    counts, course = train_ctpe([place / "texts"], tmp_path / "encoder", settings)
    assert counts.pairs == 80
    assert len(course.held_out_losses) == 2
    record = json.loads((tmp_path / "encoder" / "config.json").read_bytes())["record"]
    assert (record["dimension"], record["pairs"], record["epochs"]) == (16, 80, 1)
    assert record["words"] == "corpus", "and not how many words there are, which vocabulary.txt says"


def test_missing_libraries_and_files_are_reported(place, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim", None)
    with pytest.raises(ModelError, match=r"pip install 'citescout\[eval\]'"):
        train_ctpe([place / "texts"], tmp_path / "encoder", CtpeSettings())
    with pytest.raises(SourceError, match=r"cannot read word vectors from .*absent\.txt"):
        train_ctpe([place / "texts"], tmp_path / "encoder", CtpeSettings(words=str(tmp_path / "absent.txt")))
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    with pytest.raises(ModelError, match="TF-IDF negatives need scikit-learn"):
        train_ctpe([place / "texts"], tmp_path / "encoder", small(place, negatives="tfidf"))
    assert not (tmp_path / "encoder").exists()
