"""The published files and the embeddings, with their traps."""

import json

import numpy as np
import pytest
from scidocs_data import write_embeddings_file

from common.errors import SourceError
from eval.scidocs.embeddings import load_embeddings, random_embeddings, write_embeddings
from eval.scidocs.layout import read_clicks, read_labels, read_metadata, read_propensities, read_questions


@pytest.fixture
def file(tmp_path):
    def write(content):
        path = tmp_path / "file"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_ids_keep_their_leading_zeros(file):
    assert read_labels(file("pid,class_label\r\n007,3\r\n7,4\r\n")) == [("007", "3"), ("7", "4")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_files_that_windows_saved_again_are_read(file, encoding):
    def saved(text):
        return file(text.replace("\n", "\r\n").encode(encoding))

    assert read_labels(saved("\npid,class_label\né,1\n \n")) == [("é", "1")]
    (question,) = read_questions(saved("q 0 a 1\nq 0 b 0\n"))
    assert (question.query, question.relevance) == ("q", {"a": 1, "b": 0})
    assert read_metadata(saved('{"a": {"title": "é"}}\n')) == {"a": {"title": "é"}}
    found = load_embeddings([saved('{"paper_id": "a", "embedding": [1]}\n')], ["a"])
    assert found.vectors.tolist() == [[1.0]]


def test_a_paper_may_stand_in_a_table_twice(file):
    assert len(read_labels(file("pid,class_label\na,1\na,1\na,2\n"))) == 3


def test_repeated_candidates_count_once_and_keep_their_order(file):
    (one, other) = read_questions(file("q2 0 b 1\nq2 0 a 0\nq1 0 b 1\n\nq2 0 b 1\nq2\t0\tc 2\n"))
    assert (one.query, list(one.relevance.items())) == ("q2", [("b", 1), ("a", 0), ("c", 2)])
    assert other.query == "q1"


def test_a_click_knows_its_first_place(file):
    (click,) = read_clicks(file('query,clicked,shown\nq,b,"a, b,c,b"\n'))
    assert (click.shown, click.place) == (("a", "b", "c", "b"), 1)


def test_propensities_have_the_mean_one(file):
    assert read_propensities(file('{"scores": [3, 1]}')) == pytest.approx([1.5, 0.5])


@pytest.mark.parametrize(
    ("read", "content", "message"),
    [
        (read_labels, "pid,class_label\na,1\nb\n", "line 3: expected 2 fields"),
        (read_labels, "pid,class_label\na,1\n,2\n", "line 3: expected 2 fields"),
        (read_labels, "pid,class_label\n", "no line after the header"),
        (read_labels, 'pid,class_label\na,"1\n', "line 2: "),
        (read_labels, b"pid,class_label\n\xff,1\n", "no UTF-8"),
        (read_questions, "q 0 a 1\nq 0 b\n", "line 2: expected `query 0 candidate relevance`, not 'q 0 b'"),
        (read_questions, "q 0 a one\n", "line 1: expected"),
        (read_questions, "q 0 a --1\n", "line 1: expected"),
        (read_questions, "q 0 a 1\nq 0 a 0\n", "line 2: candidate a of query q is judged in two ways"),
        (read_questions, "\n", "no line"),
        (read_clicks, 'q,c,s\nq,z,"a,b"\n', "line 2: the clicked paper z is not among the candidates"),
        (read_clicks, "q,c,s\nq,a,a,b\n", "line 2: expected 3 fields"),
        (read_propensities, '{"scores": [1, 0]}', "positive numbers"),
        (read_propensities, "[1, 2]", "positive numbers"),
        (read_propensities, "{", "no JSON"),
        (read_metadata, '{"a": 1}', "paper a is not an object"),
        (read_metadata, "[]", "expected an object of papers"),
    ],
)
def test_a_malformed_file_is_one_clear_error(file, read, content, message):
    path = file(content)
    with pytest.raises(SourceError) as error:
        read(path)
    assert str(path) in str(error.value)
    assert message in str(error.value)


@pytest.mark.parametrize(("read", "beginning"), [(read_labels, "pid,class_label\na,1,"), (read_questions, "q 0 ")])
def test_of_a_malformed_line_only_the_beginning_is_shown(file, read, beginning):
    with pytest.raises(SourceError, match="expected") as error:
        read(path := file(f"{beginning}{'x' * 100_000}\n"))
    assert len(str(error.value)) < len(str(path)) + 200


@pytest.mark.parametrize("read", [read_labels, read_questions, read_clicks, read_propensities, read_metadata])
def test_a_missing_file_is_one_clear_error(tmp_path, read):
    with pytest.raises(SourceError, match=r"cannot read .*nowhere"):
        read(tmp_path / "nowhere")


def test_embeddings_come_back_as_they_were_written(tmp_path):
    vectors = np.random.default_rng(0).standard_normal((7, 5)).astype(np.float32)
    ids = [f"00{n}" for n in range(7)]
    path = tmp_path / "vectors.jsonl"
    assert write_embeddings(path, [(ids[:3], vectors[:3]), (ids[3:], vectors[3:])]) == 7
    assert json.loads(path.read_text().splitlines()[0]).keys() == {"paper_id", "embedding"}
    loaded = load_embeddings([path])
    assert np.array_equal(loaded.find(ids), vectors)
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_finished_leaves_the_old_one(tmp_path):
    path = tmp_path / "vectors.jsonl"
    path.write_text("old")

    def failing():
        yield ["a"], np.zeros((1, 2), np.float32)
        raise RuntimeError("the encoder stopped")

    with pytest.raises(RuntimeError):
        write_embeddings(path, failing())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_missing_and_empty_embeddings_are_zeros_and_counted(file):
    lines = '{"paper_id": "b", "embedding": []}\n{"paper_id": "c", "embedding": [0, 0]}\n'
    loaded = load_embeddings([file('{"paper_id": "007", "embedding": [1, 2]}\n\n' + lines)])
    assert loaded.find(["7", "007", "b", "c"]).tolist() == [[0, 0], [1, 2], [0, 0], [0, 0]]
    assert loaded.missing(["7", "007", "b", "c"]) == 3


def test_the_last_of_several_vectors_counts_and_is_reported(tmp_path, caplog):
    first = write_embeddings_file(tmp_path / "first.jsonl", {"a": [1, 2], "b": [3, 4]})
    second = write_embeddings_file(tmp_path / "second.jsonl", {"a": [1, 2], "b": [5, 6]})
    loaded = load_embeddings([first, second])
    assert loaded.find(["a", "b"]).tolist() == [[1, 2], [5, 6]]
    assert caplog.messages == ["1 paper has several vectors: the last one of each counts"]


def test_only_wanted_papers_are_kept(tmp_path):
    path = write_embeddings_file(tmp_path / "vectors.jsonl", {"a": [1], "b": [2], "c": [3]})
    assert dict(load_embeddings([path], {"c", "d"}).rows) == {"c": 0}
    with pytest.raises(SourceError, match="no embedding of a paper that is asked for"):
        load_embeddings([path], {"d"})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("not json", "no JSON"),
        ("[1]", "expected"),
        ('{"paper_id": "a"}', "expected"),
        ('{"paper_id": "a", "embedding": "1 2"}', "expected"),
        ('{"embedding": [1, 2]}', "expected"),
        ('{"paper_id": 7, "embedding": [1, 2]}', "not a string"),
        ('{"paper_id": "a", "embedding": [1, "x"]}', "not a list of finite numbers"),
        ('{"paper_id": "a", "embedding": [1, 1e400]}', "line 2"),
        ('{"paper_id": "a", "embedding": [1, 1e39]}', "not a list of finite numbers"),
        ('{"paper_id": "a", "embedding": [[1], [2]]}', "not a list of finite numbers"),
        ('{"paper_id": "a", "embedding": [1, null]}', "not a list of finite numbers"),
        ('{"paper_id": "a", "embedding": [1, 2, 3]}', "3 dimensions, where the lines before have 2"),
    ],
)
def test_a_malformed_embedding_is_named_by_file_and_line(file, line, message):
    path = file(f'{{"paper_id": "first", "embedding": [1, 2]}}\n{line}\n')
    with pytest.raises(SourceError) as error:
        load_embeddings([path])
    assert str(error.value).startswith(f"{path}, line 2: ")
    assert message in str(error.value)


def test_random_vectors_have_the_dimensions_of_the_paper_and_depend_on_the_seed():
    one, other = random_embeddings("abc", 0), random_embeddings("abc", 1)
    assert one.vectors.shape == (3, 25)
    assert not np.allclose(one.vectors, other.vectors)
    assert np.array_equal(one.vectors, random_embeddings("abc", 0).vectors)
