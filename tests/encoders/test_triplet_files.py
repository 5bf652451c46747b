"""Every format of triplets, and that a bad one is named by file and line."""

import gzip
import json
import os
import threading

import numpy as np
import pytest

from common.errors import SourceError
from encoders.text import Text
from training.triplets.files import read_triplets, write_triplets
from training.triplets.sampling import EASY, HARD, UNSAID, Mix, Triplets, together

TEXTS = [Text("One", "first"), Text("Two", ""), Text("", "third"), Text('Four "4"\n', "日本 \ud7ff")]


def some_triplets():
    rows = np.asarray([[0, 1, 2], [0, 3, 2], [3, 1, 0]])
    return Triplets(TEXTS, rows, np.asarray([HARD, EASY, UNSAID], np.int8), np.zeros(0, np.int64))


def told(triplets):
    return [
        (*(triplets.texts[place] for place in row), kind)
        for row, kind in zip(triplets.rows.tolist(), triplets.kinds.tolist(), strict=True)
    ]


def lines(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def paper(title, abstract=""):
    return {"title": title, "abstract": abstract, "corpus_id": 7}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_triplets_that_windows_saved_again_are_read(tmp_path, encoding):
    path = lines(tmp_path / "triplets.jsonl", ["Anker é", "positive", "negative"], ["Anker é", "other", "negative"])
    path.write_bytes(path.read_text().replace("\n", "\r\n").encode(encoding))
    texts = [Text(title, "") for title in ("Anker é", "positive", "negative", "other")]
    assert read_triplets(path).texts == texts
    array = tmp_path / "array.json"
    array.write_bytes(json.dumps([{"set": ["Anker é", "positive", "negative"]}], indent=1).encode(encoding))
    assert read_triplets(array).texts == texts[:3]


def test_triplets_come_through_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    data = b'["One", "Two", "Three"]\n'
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(gzip.compress(data),))
    writer.start()
    assert [text.title for text in read_triplets(tmp_path / "pipe").texts] == ["One", "Two", "Three"]
    writer.join()


@pytest.mark.parametrize("name", ["triplets.jsonl", "triplets.jsonl.gz"])
def test_what_is_written_is_read(tmp_path, name):
    path = tmp_path / name
    write_triplets(some_triplets(), path)
    assert told(read_triplets(path)) == told(some_triplets())
    assert len(read_triplets(path).texts) == 4
    data = gzip.decompress(path.read_bytes()) if name.endswith("gz") else path.read_bytes()
    first = json.loads(data.splitlines()[0])
    assert first == {
        "query": {"title": "One", "abstract": "first"},
        "positive": {"title": "Two", "abstract": ""},
        "negative": {"title": "", "abstract": "third"},
        "kind": "hard",
    }
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("array", [False, True])
def test_scirepeval_is_read_from_lines_and_arrays(tmp_path, array):
    records = [{"query": paper("Q", "q"), "pos": paper("P"), "neg": {"title": "N", "abstract": None}}] * 2
    path = tmp_path / "train.json"
    path.write_text(json.dumps(records, indent=1) if array else "\n\n".join(map(json.dumps, records)))
    found = told(read_triplets(path))
    assert found == [(Text("Q", "q"), Text("P", ""), Text("N", ""), UNSAID)] * 2


@pytest.mark.parametrize(
    "record", [{"anchor": "a", "positive": "p", "negative": "n"}, ["a", "p", "n"], {"set": ["a", "p", "n"]}]
)
def test_sentence_transformers_triplets_are_read(tmp_path, record):
    expected = [(Text("a", ""), Text("p", ""), Text("n", ""), UNSAID)] * 2
    assert told(read_triplets(lines(tmp_path / "t.jsonl", record, record))) == expected
    (tmp_path / "t.json").write_text(json.dumps([record, record]))
    assert told(read_triplets(tmp_path / "t.json")) == expected


def specter_folder(folder, train=None):
    ids = [f"p{number}" for number in range(12)]
    metadata = {id_: {"paper_id": id_, "title": id_, "abstract": None} for id_ in ids}
    data = {
        "p0": {"p1": {"count": 5}, "p2": {"count": 5}, "p3": {"count": 1}, "p4": {"count": 1}, "p5": {"count": 1}},
        "p6": {"p0": {"count": 5}, "p1": {"count": 1}},
        "p7": {"p8": {"count": 1}},
        "p1": {"p6": {"count": 5}},
    }
    (folder / "data.json").write_text(json.dumps(data))
    (folder / "metadata.json").write_text(json.dumps(metadata))
    if train:
        (folder / "train.txt").write_text(train)
    return folder


def test_specters_files_are_sampled_by_count(tmp_path):
    folder = specter_folder(tmp_path)
    triplets = read_triplets(folder)
    assert told(triplets) == told(read_triplets(folder / "data.json"))
    names = [(*(triplets.texts[place].title for place in row),) for row in triplets.rows.tolist()]
    kinds = triplets.kinds.tolist()
    own = [(name, kind) for name, kind in zip(names, kinds, strict=True) if name[0] == "p0"]
    assert len(own) == 5
    assert {name[1] for name, _ in own} == {"p1", "p2"}
    hard = {name[2] for name, kind in own if kind == HARD}
    assert len(hard) == 2
    assert hard <= {"p3", "p4", "p5"}
    assert {name[2] for name, kind in own if kind == EASY}.isdisjoint({f"p{number}" for number in range(7)})
    # p1 cites p6, so it is no hard negative of p6, and p7 has no positive.
    assert [kind for name, kind in zip(names, kinds, strict=True) if name[0] == "p6"] == [EASY] * 5
    assert "p7" not in {name[0] for name in names}
    assert len(read_triplets(folder, Mix(0, 2))) == 6


def test_specters_list_of_training_papers_is_kept_to(tmp_path):
    triplets = read_triplets(specter_folder(tmp_path, train="p6\nelsewhere\n"))
    assert {triplets.texts[place].title for place in triplets.queries} == {"p6"}


GOOD = {"query": paper("Q"), "positive": paper("P"), "negative": paper("N")}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (GOOD | {"negative": paper("", " ")}, "the negative has neither title nor abstract"),
        (GOOD | {"query": None}, "'query' is not an object"),
        ({"query": paper("Q")}, "'positive' is not an object"),
        (GOOD | {"kind": "harder"}, "'harder' rather than hard or easy"),
        (GOOD | {"positive": {"title": 3}}, "the title of 'positive' is not a text"),
        (["a", "b"], "no JSON object"),
    ],
)
def test_a_bad_line_is_named(tmp_path, bad, message):
    path = lines(tmp_path / "t.jsonl", GOOD, bad, GOOD)
    with pytest.raises(SourceError, match=message) as caught:
        read_triplets(path)
    assert str(caught.value).startswith(f"{path} line 2: ")


def test_broken_json_an_unknown_format_and_missing_files_are_named(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(GOOD) + "\n{\n")
    with pytest.raises(SourceError, match="line 2: no valid JSON"):
        read_triplets(path)
    with pytest.raises(SourceError, match="line 1: no triplet in a known format"):
        read_triplets(lines(path, {"id": "a", "title": "A"}))
    with pytest.raises(SourceError, match="element 2: the positive has neither"):
        path.write_text(json.dumps([GOOD, GOOD | {"positive": paper("")}]))
        read_triplets(path)
    with pytest.raises(SourceError, match=r"missing\.jsonl"):
        read_triplets(tmp_path / "missing.jsonl")
    (tmp_path / "t.gz").write_bytes(b"no gzip")
    with pytest.raises(SourceError, match=r"t\.gz"):
        read_triplets(tmp_path / "t.gz")
    with pytest.raises(SourceError, match="cannot write"):
        write_triplets(some_triplets(), tmp_path / "nowhere" / "t.jsonl")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("metadata.json", '{"p0": {"title": ""}}', "metadata.json: paper 'p0' has neither"),
        ("metadata.json", "[]", "no JSON object of papers"),
        ("metadata.json", '{\n"p0": }', "metadata.json line 2: no valid JSON"),
        ("data.json", '{"p0": {"elsewhere": {"count": 5}}}', "data.json: paper 'elsewhere', named by 'p0'"),
        ("data.json", '{"elsewhere": {}}', "data.json: paper 'elsewhere' is not in metadata.json"),
        ("data.json", '{"p0": {"p1": 5}}', "paper 'p1' of 'p0' has no number"),
        ("data.json", '{"p0": 5}', "what belongs to paper 'p0'"),
    ],
)
def test_bad_files_of_specter_are_named(tmp_path, name, content, message):
    (specter_folder(tmp_path) / name).write_text(content)
    with pytest.raises(SourceError, match=message):
        read_triplets(tmp_path)


def test_an_empty_file_holds_no_triplets(tmp_path):
    (tmp_path / "t.jsonl").write_text("\n")
    assert len(read_triplets(tmp_path / "t.jsonl")) == 0


def test_several_files_share_their_texts_and_are_parted_by_query():
    both = together([some_triplets(), some_triplets()])
    assert told(both) == told(some_triplets()) * 2
    assert len(both.texts) == 4
    assert str(both) == "6 triplets of 2 queries (2 easy, 2 hard, 2 unsaid)"
    train, validation = both.parted(0.5, 10)
    assert len(train.queries) == len(validation.queries) == 1
    assert set(train.queries).isdisjoint(validation.queries)
    assert len(train) + len(validation) == 6
    assert len(both.share(0.01).queries) == 1
    assert len(both.share(1.0)) == 6
