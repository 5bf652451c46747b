"""Answers that are kept until a run ends: what of them is found again, and what makes another run."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from common.errors import SourceError
from eval import answered
from eval.answered import AnsweredQueries, code_digest, delete_answers, sharing_ids
from eval.corpora_protocol import named
from eval.systems import Asked, kept_answers, rows_of
from indexer.changes import remove_papers
from indexer.generations import open_generation
from rerank import load_reranker
from rerank.blend import DEFAULT
from rerank.shipped import DEFAULT as RERANKER
from retrieval.query import Query

QUERIES = [Query("Dense retrieval", id="q1"), Query("Citation graphs", id="q2")]
FOUND = {"BM25": (0.5, ["a", "b"])}


def test_answers_are_found_again_up_to_the_line_at_which_the_run_was_killed(tmp_path: Path) -> None:
    run = AnsweredQueries.kept(tmp_path, "run", sharing_ids)
    run.add(1, FOUND)
    run.add(0, FOUND)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    for kept in range(len(whole) + 1):
        file.write_bytes(whole[:kept])
        again = AnsweredQueries.kept(tmp_path, "run", sharing_ids)
        lines = whole[:kept].count(b"\n")
        assert again.of == dict([(1, FOUND), (0, FOUND)][:lines])
        assert file.read_bytes() == b"".join(whole.splitlines(keepends=True)[:lines])
    assert again.of[0]["BM25"][1][0] is again.of[1]["BM25"][1][0], "of millions of lists each id is kept once"
    assert not AnsweredQueries.kept(tmp_path, "another run", sharing_ids).of
    delete_answers([again.path])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("line", [b"[0, {\n", b"7\n", b'[0, {"BM25": 3}]\n', b'[0, {"BM25": [0.1, [3]]}]\n'])
def test_a_damaged_line_is_named(tmp_path: Path, line: bytes) -> None:
    AnsweredQueries.kept(tmp_path, "run", sharing_ids).add(0, FOUND)
    (file,) = tmp_path.iterdir()
    file.write_bytes(line + file.read_bytes())
    with pytest.raises(SourceError, match=r"answered-.* is damaged .*: delete it"):
        AnsweredQueries.kept(tmp_path, "run", sharing_ids)


@pytest.mark.long
def test_whatever_answers_depend_on_makes_another_run(
    demo_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blend = shutil.copy(DEFAULT, tmp_path / "blend.json")
    model = shutil.copytree(RERANKER, tmp_path / "model")
    index = shutil.copytree(demo_index, tmp_path / "index")
    given = {"queries": QUERIES, "rows": rows_of(["BM25", "default"]), "candidates": {"a", "b"}, "blend": blend}

    def run(**other: object) -> Path | None:
        return kept_answers(tmp_path, index, Asked(**(given | {"reranker": load_reranker(str(model))} | other))).path

    def blend_edited() -> None:
        record = orjson.loads(blend.read_bytes())
        blend.write_bytes(orjson.dumps(record | {"reranker_weight": record["reranker_weight"] + 1}))

    def model_trained_again() -> None:
        (model / "reranking.json").write_text(
            '{"weight": 0.1, "depth": 9, "tokens": null, "queries": 1, "f1_at_20": 0, "mrr": 0}'
        )

    def paper_removed() -> None:
        with open_generation(index) as generation:
            paper = next(generation.catalog.all_papers()).id
        remove_papers([paper], index)

    def code_changed() -> None:
        monkeypatch.setattr(answered, "code_digest", lambda: "another")

    runs = [run()]
    assert run(candidates={"b", "a"}) == runs[0]
    runs += [
        run(queries=QUERIES[::-1]),
        run(queries=[replace(QUERIES[0], abstract="More."), QUERIES[1]]),
        run(rows=rows_of(["BM25"])),
        run(rows=rows_of(["BM25", "default"], depth=3)),
        run(candidates=None),
        run(candidates={"a"}),
        run(reranker=None),
        run(finds_copies=True),
    ]
    changes: list[Callable[[], None]] = [blend_edited, model_trained_again, paper_removed, code_changed]
    for change in changes:
        change()
        runs.append(run())
    assert len(set(runs)) == len(runs)


def test_another_line_of_code_is_another_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = code_digest()
    assert code_digest() == before
    root = Path(answered.__file__).parents[1]
    copied = tmp_path / "eval" / "answered.py"
    for folder in ("retrieval", "eval"):
        shutil.copytree(root / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(answered, "__file__", str(copied))
    here = code_digest()
    with (tmp_path / "retrieval" / "query.py").open("a") as file:
        file.write("# another line\n")
    assert len({before, here, code_digest()}) == 3


@pytest.mark.parametrize(
    ("blend", "reranker", "depth", "name"),
    [
        (None, "none", None, "default"),
        (None, "none", 20, "default"),
        (None, "default", None, "default (cross-encoder)"),
        (None, "default", 20, "default (cross-encoder, depth 20)"),
        ("blends-0.3", "none", None, "default (blends-0.3)"),
        ("blends-0.3/mine.json", "none", None, "default (mine)"),
        (".", "models/first-0.1", 20, "default (HERE, first-0.1, depth 20)"),
        (None, "somebody/model-v1.2", None, "default (model-v1.2)"),
    ],
)
def test_a_system_is_named_after_what_it_was_given(
    blend: str | None, reranker: str, depth: int | None, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "blends-0.3").mkdir()
    (tmp_path / "blends-0.3" / "mine.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    (row,) = rows_of(["default"])
    found = named(row, Path(blend) if blend else None, reranker, depth)
    assert found.name == name.replace("HERE", tmp_path.name)
    (text,) = rows_of(["BM25"])
    assert named(text, Path("mine.json"), "models/first", 20).name == "BM25"
    (alone,) = rows_of(["nogueira"], cross_encoder=True)
    assert named(alone, None, "default", None).name == "nogueira", "there is no list of it without a cross-encoder"
