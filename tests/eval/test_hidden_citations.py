"""The headline rests on this: no index that evaluation asks holds a citation of a paper that it is asked about."""

import hashlib
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from command_line import refused

from cli.main import main
from common.errors import SourceError
from demo import CORPUS
from eval.indexes import index_of_papers
from eval.systems import run_split
from eval.trec import read_qrels
from indexer import query_map
from indexer.builds import build_index
from indexer.changes import add_papers, compact_index, remove_papers
from indexer.directory import read_current
from indexer.generations import open_generation, served_manifest
from indexer.layout import CURRENT, LAYOUT
from indexer.paper import Paper
from indexer.papers_digest import papers_digest
from indexer.readers import read_papers

PAPERS, TESTS = 90, 12  # of a corpus; papers of the demo and those that are held out


@pytest.fixture(autouse=True)
def _without_query_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learning them takes longer than all else, and says nothing here."""
    monkeypatch.setattr(query_map, "LEAST_CITATIONS", 10**9)


def demo_papers() -> list[Paper]:
    return list(read_papers([str(CORPUS)]))[:PAPERS]


def citations_in(index: Path) -> dict[str, frozenset[str]]:
    """What each paper of an index cites by its graph, and by its catalog: both are looked at by something."""
    with open_generation(index) as generation:
        papers = list(generation.catalog.all_papers())
        ids = {number: paper.id for number, paper in enumerate(papers)}
        linked = {id_: {ids[int(cited)] for cited in generation.graph.cites.of(number)} for number, id_ in ids.items()}
        linked_back = {id_: set[str]() for id_ in ids.values()}
        for number, id_ in ids.items():
            for citing in generation.graph.cited_by.of(number):
                linked_back[ids[int(citing)]].add(id_)
        assert linked == linked_back
        return {paper.id: frozenset(linked[paper.id] | set(paper.citations)) for paper in papers}


def citations_known() -> Mapping[str, frozenset[str]]:
    """What each of `demo_papers` cites among them."""
    papers = {paper.id: paper for paper in demo_papers()}
    return {id_: frozenset(cited for cited in paper.citations if cited in papers) for id_, paper in papers.items()}


def write_corpora(folder: Path, tests: Mapping[str, list[str]]) -> Path:
    """`demo_papers` once under every name, each time with other test papers."""
    folder.mkdir(exist_ok=True)
    for name, ids in tests.items():
        lines = CORPUS.read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / f"{name}.jsonl").write_text("".join(lines[:PAPERS]), encoding="utf-8")
        (folder / f"{name}.test.ids").write_text("\n".join(ids), encoding="utf-8")
    return folder


def test_eval_corpora_indexes_no_citation_of_a_test_paper(tmp_path: Path, tiny_bert: Path) -> None:
    known = citations_known()
    citing = sorted(id_ for id_, cited in known.items() if cited)
    folder = write_corpora(tmp_path / "corpora", {"one": citing[:TESTS], "two": citing[-TESTS:]})
    names = ["--corpus", "one", "--corpus", "union"]
    main(["eval", "corpora", str(folder), "--work", str(tmp_path / "work"), "--encoder", str(tiny_bert),
          "--queries", "2", *names])  # fmt: skip
    for name, prefixes in (("one", ("",)), ("union", ("one/", "two/"))):
        found = citations_in(tmp_path / "work" / "indexes" / name)
        hidden = {
            f"{prefix}{id_}" for prefix in prefixes for id_ in (citing[-TESTS:] if prefix == "two/" else citing[:TESTS])
        }
        assert {id_ for id_ in hidden if found[id_]} == set()
        for prefix in prefixes:
            for id_, cited in known.items():
                if f"{prefix}{id_}" not in hidden:  # the others keep theirs, those of the test papers among them
                    assert found[f"{prefix}{id_}"] >= {f"{prefix}{one}" for one in cited}


@pytest.mark.parametrize("mode", ["inductive", "transductive"])
def test_eval_split_and_run_index_no_citation_of_a_query(tmp_path: Path, mode: str) -> None:
    folder = tmp_path / "split"
    main(["eval", "split", str(CORPUS), "--mode", mode, "--train-share", "0.6", "--out", str(folder)])
    asked = {part: set(read_qrels(folder / f"{part}.qrels")[0]) for part in ("dev", "test")}
    for part in ("dev", "test"):
        main(["eval", "run", str(folder), "--part", part, "--system", "BM25", "--encoder", "none"])
        found = citations_in(folder / f"index-{part}")
        assert {id_ for ids in asked.values() for id_ in ids if found.get(id_)} == set()
        assert sum(map(len, found.values())) > 100  # the others keep theirs
    assert bool(asked["test"] & set(found)) == (mode == "transductive")


def one_line(error: pytest.ExceptionInfo[BaseException], *parts: str) -> None:
    assert "\n" not in str(error.value)
    for part in parts:
        assert part in str(error.value)


def test_an_index_of_an_earlier_split_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "split"
    main(["eval", "split", str(CORPUS), "--mode", "transductive", "--train-share", "0.6", "--out", str(folder)])
    (path,) = run_split(folder, "test", ["BM25"], encoder=None)
    first = path.read_bytes()
    assert run_split(folder, "test", ["BM25"], encoder=None) == [path]  # the same split: the index is taken again
    main(["eval", "split", str(CORPUS), "--mode", "transductive", "--train-share", "0.8", "--out", str(folder)])
    with pytest.raises(SourceError) as error:
        run_split(folder, "test", ["BM25"], encoder=None)
    one_line(error, str(folder / "index-test"), "other papers or citations", "test.papers.jsonl", "delete that folder")
    assert not path.exists()  # that of the first split went with it
    shutil.rmtree(folder / "index-test")
    run_split(folder, "test", ["BM25"], encoder=None)
    assert path.read_bytes() != first


def test_an_index_of_other_test_papers_is_refused(tmp_path: Path, tiny_bert: Path) -> None:
    citing = sorted(id_ for id_, cited in citations_known().items() if cited)
    command = ["eval", "corpora", str(tmp_path / "corpora"), "--work", str(tmp_path / "work")]
    command += ["--encoder", str(tiny_bert), "--queries", "2"]
    write_corpora(tmp_path / "corpora", {"one": citing[:TESTS]})
    main(command)
    write_corpora(tmp_path / "corpora", {"one": citing[1 : TESTS + 1]})
    index = tmp_path / "work" / "indexes" / "one"
    assert f"{index} was built from other papers or citations" in refused(*command)


def without_digest(directory: Path) -> None:
    """Make the manifest one of those from before it told what the index was built from."""
    served = read_current(directory)
    assert served is not None
    path = directory / served.name / LAYOUT.manifest
    record = orjson.loads(path.read_bytes())
    del record["papers_digest"]
    path.write_bytes(orjson.dumps(record))
    (directory / CURRENT).write_text(f"{served.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n")


def changed(directory: Path) -> None:
    add_papers([Paper("fresh", "A paper that was added later")], directory)


def changed_and_back(directory: Path) -> None:
    changed(directory)
    remove_papers(["fresh"], directory)
    compact_index(directory)


@pytest.mark.parametrize("spoil", [without_digest, changed, changed_and_back])
def test_an_index_that_does_not_tell_what_it_is_of_still_opens_and_is_refused(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    papers, directory = demo_papers()[:20], tmp_path / "index"
    build_index(papers, directory, None)
    spoil(directory)
    assert served_manifest(directory)[1].papers_digest is None
    open_generation(directory).close()
    with pytest.raises(SourceError) as error:
        index_of_papers(lambda: papers, directory, None, "papers.jsonl")
    one_line(error, str(directory), "does not record which papers", "delete that folder")


def test_a_compaction_is_still_of_the_same_papers(tmp_path: Path) -> None:
    papers, directory = demo_papers()[:20], tmp_path / "index"
    build_index(papers, directory, None)
    compact_index(directory)
    assert index_of_papers(lambda: papers, directory, None, "papers.jsonl") == directory


def test_every_field_of_a_paper_counts() -> None:
    paper = Paper(
        "a", "title", "abstract", 2000, ("A. Author",), "venue", "10.1/x", "1201.00001", "https://x.org", ("b", "c")
    )
    others = [
        replace(paper, **{name: value})
        for name, value in {
            "id": "b", "title": "other", "abstract": "", "year": 2001, "authors": (), "venue": "", "doi": "",
            "arxiv": "", "url": "", "citations": ("b",),
        }.items()
    ]  # fmt: skip
    digests = [papers_digest([one]) for one in (paper, *others)]
    assert len(set(digests)) == len(digests) == 11
    assert papers_digest([paper, others[0]]) != papers_digest([paper])
    assert papers_digest([Paper("half", "\ud800")])  # has no bytes in UTF-8
