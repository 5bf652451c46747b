"""A folder of corpora: who is asked, what may be found, who wrote it, and by which ids."""

import gzip

import orjson
import pytest

from common.errors import SourceError
from eval.corpora import find_corpora, read_authors

OLD = {"id": "old", "title": "Passage retrieval", "year": 2000}
OTHER = {"id": "other", "title": "Baskets", "year": 2000, "citations": ["old"]}
ASKED = {"id": "asked", "title": "Citations of passages", "year": 2001, "citations": ["old", "other"]}
ADA = "Lovelace, Ada"


def lines(records):
    return b"\n".join(map(orjson.dumps, records))


@pytest.fixture
def write(tmp_path):
    """Writes a corpus of three papers into the folder, or of others."""

    def write(name="c", papers=(OLD, OTHER, ASKED), asked=("asked",)):
        (tmp_path / f"{name}.jsonl").write_bytes(lines(papers))
        (tmp_path / f"{name}.test.ids").write_text("\n".join(asked), encoding="utf-8")
        return find_corpora(tmp_path)[-1]

    return write


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_authors_are_read_from_beside_the_corpus(write, tmp_path, suffix):
    corpus = write()
    assert read_authors(tmp_path / "c.jsonl") == {}
    data = lines({"id": id_, "authors": [ADA, id_], "venue": "V"} for id_ in ("old", "asked"))
    (tmp_path / f"c.meta.jsonl{suffix}").write_bytes(gzip.compress(data) if suffix else data)
    authors = {paper.id: paper.authors for paper in corpus.papers()}
    assert authors == {"old": (ADA, "old"), "asked": (ADA, "asked"), "other": ()}
    assert [query.authors for query in corpus.test_set().queries] == [(ADA, "asked")]


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"id": [7], "authors": []}', '{"id": "a"}', '{"id": "a", "authors": [7]}']
)
def test_a_malformed_line_of_authors_is_named(tmp_path, line):
    (tmp_path / "c.meta.jsonl").write_text('{"id": "old", "authors": []}\n' + line)
    with pytest.raises(SourceError, match=r"c.meta.jsonl, line 2: "):
        read_authors(tmp_path / "c.jsonl")


def test_ids_are_those_that_the_corpus_has_of_numbers_and_of_letters_with_accents(write, tmp_path):
    papers = OLD | {"id": 1}, ASKED | {"id": "e\u0301tude", "citations": [1]}
    corpus = write(papers=papers, asked=["e\u0301tude"])
    authors = [{"id": 1, "authors": [ADA]}, {"id": "e\u0301tude", "authors": ["Hopper, Grace"]}]
    (tmp_path / "c.meta.jsonl").write_bytes(lines(authors))
    (query,) = corpus.test_set().queries
    assert (query.id, query.authors) == ("\xe9tude", ("Hopper, Grace",))
    assert {paper.id: paper.authors for paper in corpus.papers()}["1"] == (ADA,)


def test_the_ids_of_a_union_begin_with_the_whole_name_of_their_corpus(write, tmp_path):
    for name in ("acl 1.0", "acl 1.1"):
        write(name)
    (union,) = find_corpora(tmp_path, ["union"])
    parts, cited = ("acl_1.0", "acl_1.1"), {"old": (), "other": ("old",), "asked": ()}
    assert {one.id: one.citations for one in union.papers()} == {
        f"{part}/{id_}": tuple(f"{part}/{one}" for one in cited[id_]) for part in parts for id_ in cited
    }
    assert union.test_set().qrels == {f"{part}/asked": {f"{part}/old", f"{part}/other"} for part in parts}


def test_ids_of_no_paper_of_a_corpus_are_reported(write, tmp_path, caplog):
    corpus = write(asked=["asked", "Asked", "12.0"])
    (tmp_path / "c.candidates.ids").write_text("old\nnowhere")
    tests = corpus.test_set()
    assert (tests.qrels, tests.candidates) == ({"asked": {"old"}}, {"old"})
    assert caplog.messages == [
        f"{tmp_path / 'c.candidates.ids'}: 1 id is of no paper of the corpus, such as nowhere",
        f"{tmp_path / 'c.test.ids'}: 2 ids are of no paper of the corpus, such as 12.0",
    ]


def test_a_corpus_that_is_named_twice_is_one(write, tmp_path):
    write("b")
    write("c")
    assert [one.name for one in find_corpora(tmp_path, ["c", "b", "c"])] == ["c", "b"]
