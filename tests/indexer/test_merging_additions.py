"""`add --merge-duplicates`: what an index has of a paper stays, once, whatever is added in whichever order."""

import re
from contextlib import closing
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_reading import papers_of

from common.errors import UnknownPapersError
from indexer.builds import build_index
from indexer.catalog import Catalog
from indexer.catalog_writing import build_catalog
from indexer.changes import add_papers, compact_index, remove_papers
from indexer.merging import MergeReport, merge_duplicates, merged_into
from indexer.original import Original
from indexer.paper import Paper

POOR = Paper("a2009", "Second paper about graphs", year=2009, authors=("J. Smith",))
RICH = Paper("b2009", "Second paper about graphs", "Graphs are fine.", 2009, ("John Smith",), doi="10.1000/xyz.1")
OTHER = Paper("c2011", "An unrelated work on trees", year=2011, authors=("Jane Doe",), citations=("b2009",))


@pytest.fixture
def index(tmp_path: Path) -> Path:
    build_index([POOR, RICH, OTHER], tmp_path / "index", None)
    return tmp_path / "index"


@pytest.mark.parametrize("abstract", [RICH.abstract, "Graphs are fine and studied here."])
def test_two_records_of_the_index_become_the_one_that_was_there_first(index: Path, abstract: str) -> None:
    for _ in range(2):
        report = MergeReport()
        add_papers([POOR, replace(RICH, abstract=abstract), OTHER], index, merging=report)
        assert [(group.kept, group.merged) for group in report.groups] == [("a2009", ("b2009",))]
        assert report.merged == 1
        found = papers_of(index)
        assert found.keys() == {"a2009", "c2011"}
        assert found["a2009"] == replace(RICH, id="a2009", abstract=abstract, other_ids=("b2009",))
        assert found["c2011"].citations == ("a2009",)
    assert compact_index(index).papers == 2
    assert papers_of(index).keys() == {"a2009", "c2011"}


def test_what_is_added_unchanged_joins_nothing(index: Path) -> None:
    edited = replace(OTHER, abstract="They grow.")
    for offered, said in ((OTHER, "No records merged"), (edited, "1 record joined with one of the same id")):
        add_papers([offered], index, merging=(report := MergeReport()))
        assert report.summary() == said


def test_a_paper_that_joins_two_records_after_another_joined_one_of_them(index: Path) -> None:
    offered = [replace(RICH, id="x", title="Second papers about a graph"), replace(POOR, id="y", doi=RICH.doi)]
    add_papers(offered, index, merging=MergeReport())
    found = papers_of(index)
    assert found.keys() == {"a2009", "c2011"}
    assert found["a2009"].other_ids == ("b2009", "x", "y")
    assert remove_papers(["c2011"], index).papers == 1


def test_a_merged_record_is_still_cited_and_named_by_its_id(index: Path) -> None:
    add_papers([RICH, POOR], index, merging=MergeReport())
    change = add_papers([Paper("d", "Later", citations=("b2009",))], index)
    assert change.manifest.citations == 2
    added_again = add_papers([POOR, RICH], index).manifest
    assert papers_of(index)["a2009"].other_ids == ("b2009",), "coming again by itself it is no other paper"
    assert added_again.citations == 2
    report = MergeReport()
    add_papers([replace(RICH, doi="", title="Second paper about a graph")], index, merging=report)
    assert [(group.kept, group.merged, group.keys) for group in report.groups] == [("a2009", ("b2009",), ("id:b2009",))]
    assert papers_of(index).keys() == {"a2009", "c2011", "d"}


@pytest.mark.parametrize("names", [["b2009"], ["https://doi.org/10.1000/XYZ.1"], ["a2009", "b2009", "10.1000/xyz.1"]])
def test_a_paper_is_removed_by_the_id_of_a_merged_record_and_by_its_doi(index: Path, names: list[str]) -> None:
    add_papers([RICH, POOR], index, merging=MergeReport())
    assert remove_papers(names, index).papers == 1
    assert papers_of(index).keys() == {"c2011"}


@pytest.mark.parametrize(
    "name", ["12345678", "012345678", "PMID: 12345678", "https://pubmed.ncbi.nlm.nih.gov/12345678"]
)
def test_a_paper_is_removed_by_its_pmid(index: Path, name: str) -> None:
    add_papers([replace(OTHER, id="p2011", url="https://pubmed.ncbi.nlm.nih.gov/12345678/")], index)
    remove_papers([name], index)
    assert papers_of(index).keys() == {"a2009", "b2009", "c2011"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("10.1000/xyz.1", "10.1000/xyz.1 names 2 papers (b2009, d2009): nothing was removed"),
        ("Second paper about graphs", "(Second paper about graphs): nothing was removed"),
        ("z2009", "(z2009): nothing was removed"),
        ("12345678", "(12345678): nothing was removed"),
    ],
)
def test_what_names_no_paper_or_several_removes_none(index: Path, name: str, said: str) -> None:
    add_papers([replace(RICH, id="d2009")], index)
    with pytest.raises(UnknownPapersError, match=re.escape(said)):
        remove_papers([name], index)
    assert papers_of(index).keys() == {"a2009", "b2009", "c2011", "d2009"}


@pytest.mark.parametrize("spelling", ["@article{s, title = {%s}}", "TY  - JOUR\nTI  - %s\nER  -\n"])
def test_an_entry_that_was_edited_says_what_holds(spelling: str, tmp_path: Path) -> None:
    kind = "bibtex" if spelling.startswith("@") else "ris"
    wrong = Paper(
        "s", "A study on the graphs of paper", "A long abstract, pasted wrongly.", 1909, ("John Smith", "A. Wrong")
    )
    wrong = replace(wrong, doi="10.1000/aaa", original=Original(kind, spelling % "wrong"))
    right = replace(wrong, abstract="It is right.", year=2009, authors=("John Smith",), url="https://a.org")
    right = replace(right, original=Original(kind, spelling % "right"))
    build_index([wrong], tmp_path / "index", None)
    assert add_papers([right], tmp_path / "index", merging=MergeReport()).papers.replaced == 1
    assert papers_of(tmp_path / "index") == {"s": right}
    assert add_papers([right], tmp_path / "index", merging=MergeReport()).papers.unchanged == 1
    poorer = replace(right, abstract="", url="", original=Original(kind, spelling % "shorter"))
    add_papers([poorer], tmp_path / "index", merging=MergeReport())
    assert papers_of(tmp_path / "index") == {"s": replace(right, original=poorer.original)}


def test_what_an_entry_was_merged_with_stays_beside_it_when_it_is_added_again_or_edited(tmp_path: Path) -> None:
    ris = Original("ris", "TY  - JOUR\nTI  - A study on graphs\nVL  - 66\nER  -\n")
    mine = Paper("s", "A study on graphs", year=2010, authors=("Jane Smith",), doi="10.1000/aaa")
    mine = replace(mine, original=Original("bibtex", "@article{s, title={A study on graphs}}"))
    theirs = replace(mine, id="t", authors=("J. Smith",), original=ris)
    build_index(merge_duplicates([mine, theirs], MergeReport()), tmp_path / "index", None)
    (kept,) = papers_of(tmp_path / "index").values()
    assert kept.original == replace(mine.original, others=(ris,))
    for offered in (mine, theirs):
        assert add_papers([offered], tmp_path / "index", merging=MergeReport()).papers.unchanged == 1
    edited = replace(
        mine, id=kept.id, original=Original("bibtex", "@article{s, title={A study on graphs}, year={2010}}")
    )
    add_papers([edited], tmp_path / "index", merging=MergeReport())
    (now,) = papers_of(tmp_path / "index").values()
    assert now.original == replace(edited.original, others=(ris,))


def test_a_record_that_came_from_elsewhere_corrects_nothing(tmp_path: Path) -> None:
    mine = Paper("s", "A study on graphs", "", 2010, ("J. Smith",), doi="10.1000/aaa")
    mine = replace(mine, original=Original("bibtex", "@article{s, title={A study on graphs}}"))
    other = replace(mine, id="t", year=2009, authors=("John Smith",), abstract="Graphs.")
    other = replace(other, original=Original("bibtex", "@article{t, title={A study on graphs}, note={Longer}}"))
    build_index(merge_duplicates([mine, other], MergeReport()), tmp_path / "index", None)
    before = papers_of(tmp_path / "index")
    add_papers([mine], tmp_path / "index", merging=MergeReport())
    assert papers_of(tmp_path / "index") == before


few = st.sampled_from(["", *(f"https://pubmed.ncbi.nlm.nih.gov/{i}/" for i in range(100, 104))])
fewer = st.sampled_from(["", *(f"1201.0000{i}" for i in range(4))])
worlds = st.lists(
    st.builds(Paper, st.sampled_from("abcdefgh"), st.just(""), st.just("x"), arxiv=fewer, url=few),
    max_size=8,
    unique_by=lambda paper: paper.id,
)


@settings(max_examples=80)
@given(worlds, st.sets(st.sampled_from("abcdefgh")), st.sets(st.sampled_from("abcdefgh")))
def test_groups_are_what_is_offered_with_all_that_it_matches(
    world: list[Paper], there: set[str], new: set[str]
) -> None:
    known, offered = ([paper for paper in world if paper.id in ids] for ids in (there, new))
    with TemporaryDirectory() as folder:
        build_catalog(known, Path(folder, "catalog"))
        gone: list[str] = []
        with closing(Catalog(Path(folder, "catalog"))) as catalog:
            whole = {paper.id: paper for paper in merged_into(catalog, offered, MergeReport(), gone)}
    named = {paper.id: _identifiers(paper) for paper in world}
    found = {id_: {*paper.other_ids, *_identifiers(paper)} for id_, paper in whole.items()}
    matched = [paper for paper in known if any(_match(paper, other) for other in offered)]
    groups = [{paper.id} for paper in {paper.id: paper for paper in (*offered, *matched)}.values()]
    for one, other in combinations((*offered, *matched), 2):
        if _match(one, other):
            joined = [group for group in groups if group & {one.id, other.id}]
            groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    kept = [min(group & there, default=next(iter(group & found.keys()), "")) for group in groups]
    assert found == {
        id_: (group - {id_}).union(*(named[one] for one in group)) for id_, group in zip(kept, groups, strict=True)
    }
    assert sorted(gone) == sorted({paper.id for paper in known} & set().union(*found.values()))


def _identifiers(paper: Paper) -> set[str]:
    pmid = paper.url.rpartition("gov/")[2].strip("/")
    return {f"arxiv:{paper.arxiv}", f"pmid:{pmid}"} - {"arxiv:", "pmid:"}


def _match(one: Paper, other: Paper) -> bool:
    return one.id == other.id or bool({one.arxiv, one.url} & {other.arxiv, other.url} - {""})
