from .helpers import read, write
from .samples import write_sample


def test_tables_are_joined(tmp_path):
    papers, report = read(write_sample(tmp_path, "cluscite"))
    first, second = papers["1"], papers["2"]
    assert (first.title, first.abstract, first.year) == ("First title", "About the first.", 2001)
    assert first.authors == ("Ann A.", "Bo B.")  # author 8 has no name
    assert (first.venue, first.citations) == ("KDD", ("2", "99"))
    assert (second.abstract, second.year, second.authors) == ("", None, ())
    assert report.problems == []


def test_collections_side_by_side_keep_apart(tmp_path):
    for name in ("dblp", "pubmed"):
        write(tmp_path / name / "papers.txt", f"1\tk\t2001\tTitle in {name}\n")
        write(tmp_path / name / "abstracts.txt", f"1\tAbstract in {name}\n")
    from indexer.readers import read_papers

    found = [(p.title, p.abstract) for p in read_papers([str(tmp_path)])]
    assert found == [("Title in dblp", "Abstract in dblp"), ("Title in pubmed", "Abstract in pubmed")]


def test_another_file_of_such_a_name_is_none_of_the_tables(tmp_path):
    papers, report = read(write(tmp_path / "abstracts.txt", "PMID- 7\nTI  - On walks.\nAB  - Of walks.\n"))
    assert ([paper.title for paper in papers.values()], report.formats) == (["On walks"], {"medline": 1})


def test_short_rows_and_missing_papers_are_reported(tmp_path):
    write(tmp_path / "a" / "papers.txt", "1\tk\t2001\tT\n2\tk\n")
    write(tmp_path / "b" / "abstracts.txt", "1\tAlone\n")
    papers, report = read(tmp_path)
    assert list(papers) == ["1"]
    assert [p.where.removeprefix(str(tmp_path)) for p in report.problems] == ["/a/papers.txt: line 2", "/b"]
