"""Small indexes that are cut out of a large one for training."""

import numpy as np
import pytest

from indexer.builds import build_index
from indexer.generations import open_generation
from indexer.paper import Paper
from training.blend import pools as module
from training.blend.pools import pools_of_indexes, small_indexes
from training.queries import HeldOut

# Ten papers that cite each other, and forty that cite three others each, which are cited most.
KNOWN = tuple(f"known{n}" for n in range(3))
FRIENDS = tuple(f"friend{n}" for n in range(10))
PAPERS = (
    *(Paper(paper, f"Introduction to soils {paper}", "Soils and their use", 1990) for paper in KNOWN),
    *(
        Paper(paper, f"Rivers {paper}", "Water in rivers", 2000 + n, citations=(*FRIENDS[:n], KNOWN[0]))
        for n, paper in enumerate(FRIENDS)
    ),
    *(Paper(f"many{n}", f"Clay {n}", "Soils that hold water", 2015, citations=KNOWN) for n in range(40)),
)


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    directory = tmp_path_factory.mktemp("large") / "soils"
    build_index(PAPERS, directory, "static")
    return directory


@pytest.fixture(autouse=True)
def sizes(monkeypatch):
    monkeypatch.setattr(module, "_MOST_CITED", 5)
    monkeypatch.setattr(module, "_LINKED", 11)
    monkeypatch.setattr(module, "_LARGE", len(PAPERS))


def papers_of(directory):
    with open_generation(directory) as generation:
        return {paper.id: paper for paper in generation.catalog.all_papers()}, generation.vectors()


def test_they_hold_the_most_cited_papers_and_those_that_cite_each_other(directory, tmp_path):
    cited, linked = small_indexes(directory, tmp_path)
    assert (cited.name, linked.name) == ("soils-cited", "soils-linked")
    times = {paper.id: sum(paper.id in other.citations for other in PAPERS) for paper in PAPERS}
    assert set(papers_of(cited)[0]) == set(sorted(times, key=lambda each: (-times[each], each))[:5])
    # What is cited most opens it; after that no paper has as many links with the ten as they have with each other.
    assert set(papers_of(linked)[0]) == {KNOWN[0], *FRIENDS}


def test_vectors_and_citations_are_those_of_the_large_index(directory, tmp_path):
    small = small_indexes(directory, tmp_path)[1]
    (all_papers, all_vectors), (papers, vectors) = papers_of(directory), papers_of(small)
    places = [list(all_papers).index(paper) for paper in papers]
    assert np.array_equal(vectors, all_vectors[places])
    with open_generation(small) as generation:
        ids = generation.catalog.ids(np.arange(len(papers)))
        found = {(ids[n], ids[other]) for n in range(len(papers)) for other in generation.graph.cites.of(n)}
    assert found == {(p.id, other) for p in PAPERS if p.id in papers for other in p.citations if other in papers}


def test_a_small_index_is_not_cut(directory, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_LARGE", len(PAPERS) + 1)
    assert small_indexes(directory, tmp_path) == []
    assert not list(tmp_path.iterdir())


def test_they_teach_where_several_fields_do(directory, tmp_path):
    other = tmp_path / "verbs"
    build_index((Paper(p.id, p.title, p.abstract, p.year, citations=p.citations) for p in PAPERS), other, None)
    held_out = HeldOut(["Rivers friend9"])
    alone = next(pools_of_indexes([directory], 9, 0, held_out))
    assert alone.lists and not alone.small and not alone.by_text
    counted = held_out.papers
    both = list(pools_of_indexes([directory, other], 9, 0, held_out))
    assert all(one.small and one.by_text for one in both)
    assert "friend9" not in {each.query.id for one in both for each in one.small}
    assert {each.query.id for each in both[0].small} <= {*FRIENDS, *(f"many{n}" for n in range(40))}
    assert held_out.papers == 3 * counted  # the small ones' papers are counted with the large ones'
