"""Works outside an index against a plain dict of what every paper cites, while papers come, go and change."""

import random
import shutil
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from common.errors import IndexDirectoryError
from indexer.builds import build_index
from indexer.changes import add_papers, compact_index, remove_papers
from indexer.generations import open_generation
from indexer.identity.references import Reference, described, work_name
from indexer.links import find_links, work_key
from indexer.paper import Paper

SPELLINGS = ["10.1000/Out.1", "https://doi.org/10.1000/out.1", "DOI:10.1000/OUT.1", "10.1000/out.1"]


def paper(id_, *citations, **rest):
    return Paper(id_, f"Title of {id_}", "graph ranking", citations=citations, **rest)


def told(directory):
    """{name of a work: ids of the papers that cite it}, as the index has it, read both ways."""
    generation = open_generation(directory, full_check=True)
    try:
        outside, catalog = generation.outside, generation.catalog
        works = np.arange(len(outside))
        names = [name.id or name.reference.title for name in outside.names(works, catalog)]
        found = {
            name: set(catalog.ids(outside.graph.cited_by.of(int(work))))
            for work, name in zip(works, names, strict=True)
        }
        live = np.flatnonzero(~generation.removed)
        other_way = {
            id_: {names[work] for work in outside.graph.cites.of(int(number))}
            for number, id_ in zip(live, catalog.ids(live), strict=True)
        }
        assert other_way == {id_: {name for name, citing in found.items() if id_ in citing} for id_ in other_way}
        assert all(outside.numbers([name]).tolist() == [work] for work, name in zip(works, names, strict=True))
        return found
    finally:
        generation.close()


def expected(papers):
    """The same by hand, for works that are named by plain ids."""
    known = {one.id for one in papers}
    found = {}
    for one in papers:
        for cited in set(one.citations) - known:
            found.setdefault(cited, set()).add(one.id)
    return found


def test_a_work_is_one_however_its_name_is_spelled(tmp_path):
    papers = [paper(f"p{place}", spelling) for place, spelling in enumerate(SPELLINGS)]
    build_index(papers, tmp_path / "ix", None)
    assert told(tmp_path / "ix") == {SPELLINGS[0]: {"p0", "p1", "p2", "p3"}}


@pytest.mark.parametrize(
    "spelling", [*SPELLINGS, "arXiv:1706.03762v2", "1706.03762", "https://arxiv.org/abs/1706.03762"]
)
def test_a_paper_that_is_cited_by_any_spelling_of_its_doi_or_arxiv_id_is_no_work_outside(tmp_path, spelling):
    build_index([paper("a", spelling), paper("b", doi="10.1000/out.1", arxiv="1706.03762")], tmp_path / "ix", None)
    generation = open_generation(tmp_path / "ix")
    assert (len(generation.graph.cites.neighbours), len(generation.outside)) == (1, 0)
    generation.close()


def test_a_citation_is_of_the_article_and_not_of_another_one_in_its_volume(tmp_path):
    volume = "10.1175/1520-0469(1963)020"
    citing = [paper("a", f"{volume}<0130:DNF>2.0.CO;2"), paper("b", volume), paper("c", f"{volume}<0999:SCD>2.0.CO;2")]
    cited = [paper("x", doi=f"{volume}<0448:tmov>2.0.co;2"), paper("y", doi=f"{volume}<0130:dnf>2.0.co;2")]
    build_index([*citing, *cited], tmp_path / "index", encoder=None)
    generation = open_generation(tmp_path / "index", full_check=True)
    try:
        cites = [generation.catalog.ids(generation.graph.cites.of(docid)) for docid in range(5)]
    finally:
        generation.close()
    assert cites == [["y"], [], [], [], []]  # of a, b, c, x, y
    assert told(tmp_path / "index") == {volume: {"b"}, f"{volume}<0999:SCD>2.0.CO;2": {"c"}}


def test_a_described_work_is_one_by_its_title_or_place_and_tells_what_is_known(tmp_path):
    title = "A telling title of some length about ranking"
    first = Reference(author="Doe, J", year="2016", title=title).citation()
    second = Reference(author="J. Doe", year="2016", title=title.upper() + ".", doi="").citation()
    place = Reference(author="Small, H", year="1973", volume="24", page="265").citation()
    assert Reference(author="Small, H", year="1973").citation() == ""  # tells nothing apart
    assert described(place) == Reference(author="Small, H", year="1973", volume="24", page="265")
    build_index([paper("a", first, place), paper("b", second), paper("c", place)], tmp_path / "ix", None)
    generation = open_generation(tmp_path / "ix")
    outside = generation.outside
    counts = {
        (name.reference.title or name.reference.page): len(outside.graph.cited_by.of(work))
        for work, name in enumerate(outside.names(np.arange(len(outside)), generation.catalog))
    }
    assert {key.casefold().rstrip("."): count for key, count in counts.items()} == {title.casefold(): 2, "265": 2}
    generation.close()


def test_a_doi_with_a_description_is_the_same_work_and_brings_its_title(tmp_path):
    both = Reference(doi="10.1000/out.1", title="Its title", year="2001").citation()
    build_index([paper("a", "10.1000/out.1"), paper("b", both)], tmp_path / "ix", None)
    generation = open_generation(tmp_path / "ix")
    (name,) = generation.outside.names(np.arange(1), generation.catalog)
    assert (name.id, name.reference.title) == ("10.1000/out.1", "Its title")
    generation.close()


def test_what_looks_like_a_description_and_is_none_is_an_id():
    no_texts = ['ref:{"title":5}', 'ref:{"title":null}', 'ref:{"doi":7}', 'ref:{"title":"A","year":2001}']
    for text in ("ref:", "ref:{", 'ref:{"colour": "red"}', "ref:12", 'ref:["a"]', *no_texts):
        assert described(text) is None
        assert work_name(text) == text
    assert Reference(title="A", year="1" * 5000).paper().year is None


def test_works_follow_additions_removals_and_compaction(tmp_path):
    generator = random.Random(3)
    directory = tmp_path / "ix"
    ids = [f"p{place:02}" for place in range(30)]
    papers = {id_: paper(id_, *generator.sample(ids, 6), "W9001") for id_ in ids}
    held = {id_: papers[id_] for id_ in ids[:12]}
    build_index(held.values(), directory, None)
    assert told(directory) == expected(held.values())
    for step in range(6):
        if step % 2:
            gone = generator.sample(sorted(held), 3)
            for id_ in gone:
                del held[id_]
            remove_papers(gone, directory)
        else:
            come = generator.sample(ids, 6)
            held |= {id_: replace(papers[id_], abstract=f"ranking {step}") for id_ in come}
            add_papers([held[id_] for id_ in come], directory)
        assert told(directory) == expected(held.values())
    compact_index(directory)
    assert told(directory) == expected(held.values())
    build_index(held.values(), tmp_path / "fresh", None)
    one, other = open_generation(directory), open_generation(tmp_path / "fresh")
    assert one.outside.keys.tolist() == other.outside.keys.tolist()
    assert one.outside.graph.cites.neighbours.tolist() == other.outside.graph.cites.neighbours.tolist()
    one.close(), other.close()


def test_a_file_of_it_that_is_damaged_or_missing_is_told(tmp_path):
    build_index([paper("a", "W9001"), paper("b", "W9001")], tmp_path / "ix", None)
    (folder,) = (tmp_path / "ix").glob("gen-*/outside")
    for name in sorted(file.name for file in folder.iterdir()):
        shutil.copytree(tmp_path / "ix", tmp_path / name)
        (file,) = (tmp_path / name).glob(f"gen-*/outside/{name}")
        file.write_bytes(file.read_bytes()[:-1] + b"\x07")
        with pytest.raises(IndexDirectoryError, match=name):
            open_generation(tmp_path / name, full_check=True)
        file.unlink()
        with pytest.raises(IndexDirectoryError, match=name):
            open_generation(tmp_path / name)


@examples(max_examples=50)
@given(st.dictionaries(st.sampled_from("abcdefgh"), st.lists(st.sampled_from("abcdefghijkl"), max_size=6), min_size=1))
def test_links_are_the_citations(cited):
    import orjson

    numbers = {id_: number for number, id_ in enumerate(sorted(cited))}
    rows = [(numbers[id_], orjson.dumps(some).decode()) for id_, some in sorted(cited.items()) if some]
    links = find_links(iter(numbers.items()), lambda: rows)
    pairs = {(id_, other) for id_, some in cited.items() for other in some}
    inside = {(numbers[a], numbers[b]) for a, b in pairs if b in numbers and a != b}
    assert [tuple(edge) for edge in links.edges.tolist()] == sorted(inside)
    keys = sorted({work_key(b) for _, b in pairs if b not in numbers})
    assert links.keys.tolist() == keys
    outside = {(numbers[a], keys.index(work_key(b))) for a, b in pairs if b not in numbers}
    assert [tuple(edge) for edge in links.outside.tolist()] == sorted(outside)


@examples(max_examples=300)
@given(st.from_regex(r"10\.[0-9]{4,5}/[a-z0-9._/-]{0,12}[a-z0-9]", fullmatch=True))
def test_the_short_cut_for_plain_dois_changes_none(doi):
    assert work_name(doi) == work_name(f"doi:{doi.upper()}")  # which takes the long way
