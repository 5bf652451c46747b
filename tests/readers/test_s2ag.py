import io

import pytest

from common.errors import SourceError

from .corpus_samples import S2AG_CITATIONS, S2AG_PAPERS
from .helpers import read, write
from .samples import write_sample


def test_papers_abstracts_and_citations_are_joined(tmp_path):
    papers, report = read(write_sample(tmp_path, "s2ag"))
    first, second = papers["11"], papers["12"]
    assert (first.title, first.abstract, first.year) == ("First", "About the first.", 2017)
    assert (first.authors, first.venue) == (("Ann A.", "Bo B."), "ArXiv")
    assert (first.arxiv, first.url) == ("1706.03762", "https://www.semanticscholar.org/paper/11")
    assert first.citations == ("12", "99")
    assert (second.abstract, second.citations, second.year) == ("", (), None)
    assert report.read == 2


def test_papers_alone_are_enough(tmp_path):
    papers, _ = read(write(tmp_path / "papers.jsonl", S2AG_PAPERS))
    assert papers["11"].abstract == ""


def test_files_without_their_papers_are_an_error(tmp_path):
    with pytest.raises(SourceError, match="without their papers"):
        read(write(tmp_path / "citations.jsonl", S2AG_CITATIONS))


def test_a_pipe_cannot_hold_all_files(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(S2AG_PAPERS.encode()))))
    with pytest.raises(SourceError, match="name their folder"):
        read("-")


def test_broken_lines_and_bytes_of_every_file_are_reported_once(tmp_path):
    write_sample(tmp_path, "s2ag")
    for path in (tmp_path / "citations" / "c.jsonl", tmp_path / "papers" / "p.jsonl"):
        path.write_bytes(path.read_bytes() + b"{broken \xff\n")
    papers, report = read(tmp_path)
    assert len(papers) == 2
    assert report.replaced_bytes == 2
    assert [p.where for p in report.problems if p.where] == [
        f"{tmp_path}/citations/c.jsonl: line 5",
        f"{tmp_path}/papers/p.jsonl: line 3",
    ]
