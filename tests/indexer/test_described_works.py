"""What papers cite without an id is a citation, whichever of the two comes first."""

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from indexer.builds import build_index
from indexer.changes import add_papers
from indexer.generations import open_generation
from indexer.identity.references import Reference
from indexer.paper import Imprint, Paper
from indexer.readers import ReadReport
from indexer.readers.base import RawPaper
from indexer.readers.cited import cited_works


@pytest.mark.parametrize(
    ("described", "found"),
    [
        (Reference(title="On all the walks in the whole world", year="2001", author="Roe, J."), ["walks"]),
        (Reference(title="ON ALL the walks, in the whole world."), ["walks"]),
        (Reference(title="On all the walks in the whole world", year="2002", author="Roe, J."), ["walks"]),
        (Reference(title="On all the walks in the whole world", author="Roe Jane"), ["walks"]),
        (Reference(title="On all the walks in the whole world", year="1995"), []),
        (Reference(title="On all the walks in the whole world", author="Doe, A."), []),
        (Reference("", "", "Roe, J.", "2001", "3", "45", "Short walks"), ["short"]),
        (Reference("", "", "Doe, J.", "2001", "3", "45", "Short walks"), []),
        (Reference(title="On some of the walks in the world"), []),
        (Reference("", "", "Roe, J.", "2001", "3", "4", "On all the walks", "in the whole world, J. A"), ["walks"]),
        (Reference(title="On all the walks in the whole world, J. Walks", rest="and Trails"), ["walks"]),
        (Reference(title="Twice in this index, by two people"), []),
        (Reference(title="Twice, once of them with a DOI, but one"), ["once"]),
    ],
)
def test_what_is_described_by_a_title_is_found_in_the_index_and_beside_it(
    described: Reference, found: list[str], tmp_path: Path
) -> None:
    known = [
        Paper("walks", "On all the walks in the whole world", year=2000, authors=("Jane Roe",)),
        Paper("short", "Short walks", year=2000, authors=("Jane Roe",)),
        Paper("one", "Twice in this index, by two people", year=2000, doi="10.1000/one"),
        Paper("two", "Twice in this index, by two people", year=2000, doi="10.1000/two"),
        Paper("twice", "Twice, once of them with a DOI, but one", year=2000),
        Paper("once", "Twice, once of them with a DOI, but one", year=2000, doi="10.1000/once"),
    ]
    with cited_works() as works:
        for paper in known:
            works.add(paper, RawPaper("", paper.id))
        works.add(Paper("citing", "A paper"), RawPaper("", "citing", references=[described]))
        *_, citing = works.papers(ReadReport())
    assert [id_ for id_ in citing.citations if not id_.startswith("ref:")] == found
    build_index(known, tmp_path / "index", None)
    add_papers([Paper("citing", "A paper", citations=("elsewhere", described.citation()))], tmp_path / "index")
    with open_generation(tmp_path / "index") as generation:
        edges = generation.catalog.links().edges
        assert [generation.catalog.ids(edge) for edge in edges] == [["citing", cited] for cited in found]


def test_what_an_earlier_paper_describes_by_a_title_becomes_a_citation_when_it_is_added(tmp_path: Path) -> None:
    described = Reference(title="On all the walks in the whole world", year="2001", author="Roe, J.").citation()
    other = Reference(title="Another work that nobody has added yet", year="2001").citation()
    citing = Paper("citing", "A paper", "About it.", citations=("elsewhere", described, other))
    build_index([citing, Paper("beside", "Another paper", citations=(other,))], tmp_path, None)
    namesake = Paper("namesake", "On all the walks in the whole world", year=2001, authors=("Ann Doe",))
    add_papers([namesake], tmp_path)
    meant = replace(namesake, id="meant", authors=("Jane Roe",))
    change = add_papers([meant], tmp_path)
    assert (change.papers.added, change.papers.updated, change.manifest.citations) == (1, 0, 1)
    with open_generation(tmp_path) as generation:
        assert [generation.catalog.ids(edge) for edge in generation.catalog.links().edges] == [["citing", "meant"]]
        found = generation.catalog.papers([generation.catalog.docids(["citing"])["citing"]])[0]
    assert found == replace(citing, citations=("elsewhere", "meant", other))


def test_what_is_described_by_its_place_is_cited_after_an_update_and_when_it_comes_later(tmp_path: Path) -> None:
    described = Reference("", "", "SMALL, H", "1973", "24", "265").citation()
    citing = Paper("citing", "A paper", "About it.", citations=(described,))
    cited = Paper("cited", "Walks", year=1973, authors=("Henry Small",), imprint=Imprint("", "24", "", "265-269"))
    namesake = replace(cited, id="other", title="Runs", authors=("Ann Doe",))
    build_index([citing], tmp_path, None)
    assert add_papers([namesake], tmp_path).manifest.citations == 0
    assert add_papers([cited], tmp_path).manifest.citations == 1
    again = add_papers([citing], tmp_path)
    assert (again.papers.unchanged, again.manifest.citations) == (1, 1)
    assert add_papers([replace(citing, title="A better title")], tmp_path).manifest.citations == 1


@pytest.mark.long
def test_papers_added_in_any_order_cite_what_they_do_when_all_are_built_at_once(tmp_path: Path) -> None:
    def paper(number: int, title: str, *works: Reference) -> Paper:
        cited = tuple(work.citation() for work in works)
        imprint = Imprint("", str(number), "", f"{number}-99")
        return Paper(f"p{number}", title, year=2001, authors=("Jane Roe",), citations=cited, imprint=imprint)

    def placed(author: str, volume: str, page: str) -> Reference:
        return Reference("", "", author, "2001", volume, page)

    walks, rest = "Walks of people, dogs and small cats", "and what they see of the world"
    papers = [
        paper(2, f"{walks}, {rest}", placed("ROE, J", "3", "3")),
        paper(3, "Hills", Reference(title=walks, rest=rest)),
        paper(4, "Dales", placed("ROE, J", "2", "2"), placed("ROE, J", "5", "5")),
        paper(5, "Fells", placed("DOE, J", "3", "3"), placed("ROE, J", "6", "3")),
    ]
    for place, order in enumerate(permutations(papers)):
        directory = tmp_path / str(place)
        build_index(order[:1], directory, None)
        for later in order[1:]:
            add_papers([later], directory)
        with open_generation(directory) as generation:
            edges = {tuple(generation.catalog.ids(edge)) for edge in generation.catalog.links().edges}
        assert edges == {("p2", "p3"), ("p3", "p2"), ("p4", "p2"), ("p4", "p5")}
