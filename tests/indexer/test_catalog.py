"""The catalog gives back what was put in, by docid and by id, and never half of it."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.errors import IndexDirectoryError
from indexer import receiving
from indexer.catalog import Catalog
from indexer.catalog_writing import add_to_catalog, build_catalog
from indexer.identity.agreement import different
from indexer.identity.identifiers import digest_id
from indexer.original import Original
from indexer.paper import Paper
from indexer.readers import read_papers

HOSTILE = (
    "'; DROP TABLE papers; --",
    '"quoted"',
    "\\",
    "%_*?",
    "null",
    "\u2028",
    "昨日",
    "😀",
    "[1]",
    " padded ",
    "x" * 100_000,
)

# Readers drop NUL and lone surrogates.
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
ids = st.text(characters, min_size=1, max_size=3)
papers_strategy = st.lists(
    st.builds(
        Paper,
        id=ids,
        title=st.text(characters, max_size=9),
        year=st.none() | st.integers(1000, 2100),
        citations=st.lists(ids, max_size=5).map(tuple),
    ),
    min_size=1,
    max_size=12,
)


@pytest.fixture
def catalog(tmp_path: Path, small_papers: tuple[Paper, ...]) -> Catalog:
    build_catalog(small_papers, tmp_path / "catalog.sqlite")
    return Catalog(tmp_path / "catalog.sqlite")


def edges_of(papers: list[Paper]) -> set[tuple[int, int]]:
    """Brute force: every citation of every paper, by its number in the order of the ids."""
    docids = {paper.id: number for number, paper in enumerate(papers)}
    return {(docids[p.id], docids[c]) for p in papers for c in p.citations if c in docids and c != p.id}


@settings(max_examples=60)
@given(papers_strategy)
def test_catalog_is_the_last_paper_of_each_id_in_id_order(tmp_path_factory, offered: list[Paper]) -> None:
    path = tmp_path_factory.mktemp("catalog") / "catalog.sqlite"
    count = build_catalog(iter(offered), path)
    # UTF-8 keeps the order of code points.
    expected = [paper for _, paper in sorted({paper.id: paper for paper in offered}.items())]
    catalog = Catalog(path)
    assert list(catalog.all_papers()) == expected
    assert count == len(expected)
    assert catalog.size == len(expected)
    assert catalog.years(catalog.size).tolist() == [paper.year or 0 for paper in expected]
    found = [tuple(edge) for edge in catalog.links().edges.tolist()]
    assert len(found) == len(set(found))
    assert set(found) == edges_of(expected)
    assert catalog.docids(paper.id for paper in expected) == {p.id: n for n, p in enumerate(expected)}
    assert [path.name for path in path.parent.iterdir()] == [path.name]
    catalog.close()


def test_look_ups_keep_the_order_asked_for(catalog: Catalog, small_papers: tuple[Paper, ...]) -> None:
    by_number = sorted(small_papers, key=lambda paper: paper.id)
    asked = [3, 0, 5, 3, 1]
    wanted = [by_number[number] for number in asked]
    assert catalog.papers(asked) == wanted
    assert catalog.texts(asked) == [paper.text for paper in wanted]
    assert catalog.ids(asked) == [paper.id for paper in wanted]
    assert catalog.papers([]) == catalog.texts([]) == catalog.ids([]) == []


def test_texts_come_in_the_order_of_the_numbers(catalog: Catalog, small_papers: tuple[Paper, ...]) -> None:
    by_number = sorted(small_papers, key=lambda paper: paper.id)
    assert list(catalog.all_texts()) == [(number, paper.text) for number, paper in enumerate(by_number)]


@pytest.mark.parametrize("number", [-1, 6, 2**31])
def test_a_number_outside_the_catalog_is_an_error(catalog: Catalog, number: int) -> None:
    for look_up in (catalog.papers, catalog.texts, catalog.ids):
        with pytest.raises(KeyError):
            look_up([0, number])


def test_unknown_ids_are_left_out(catalog: Catalog) -> None:
    assert catalog.docids(["nowhere", "bm25", "", "\ud800", "bm25\0x", "bm25"]) == {"bm25": 1}


def cited_ids(path: Path, papers: list[Paper]) -> set[tuple[str, str]]:
    build_catalog(papers, path)
    catalog = Catalog(path)
    return {tuple(catalog.ids(edge)) for edge in catalog.links().edges}


def test_an_arxiv_id_of_the_old_form_alone_is_found(tmp_path: Path) -> None:
    papers = [Paper("W1", "Strings", arxiv="hep-th/9711200"), Paper("W2", "Branes", citations=("hep-th/9711200",))]
    assert cited_ids(tmp_path / "catalog.sqlite", papers) == {("W2", "W1")}


@pytest.mark.parametrize("cited", ["W7", "https://openalex.org/W7", "https://api.openalex.org/works/w7"])
def test_an_address_of_openalex_is_the_paper_with_its_id(tmp_path: Path, cited: str) -> None:
    papers = [Paper("W7", "Snow"), Paper("W8", "Ice", citations=(cited,))]
    assert cited_ids(tmp_path / "catalog.sqlite", papers) == {("W8", "W7")}


@pytest.mark.parametrize(("citing", "url", "are_pmids"), [("31", "31", True), ("31", "32", False), ("x", "31", False)])
def test_digits_that_a_paper_of_pubmed_cites_are_the_pmid_of_another_record(tmp_path, citing, url, are_pmids) -> None:
    address = "https://pubmed.ncbi.nlm.nih.gov/"
    papers = [
        Paper(citing, "Snow", url=address + url, citations=("12345678", "33")),
        Paper("roe2001", "Ice", url=f"{address}12345678/"),
        Paper("33", "Rain", url=f"{address}34/"),
    ]
    expected = {(citing, "33"), *([(citing, "roe2001")] if are_pmids else [])}
    assert cited_ids(tmp_path / "catalog.sqlite", papers) == expected


def test_a_cited_doi_is_the_paper_with_that_doi_unless_it_is_an_id(tmp_path: Path) -> None:
    papers = [
        Paper("a", "A", citations=("10.1000/b", "10.1000/twice", "10.1000/id", "10.1000/nobody", "10.1000/own", "b")),
        Paper("b", "B", doi="10.1000/b"),
        Paper("c", "C", doi="10.1000/twice"),
        Paper("d", "D", doi="10.1000/twice"),
        Paper("10.1000/id", "E"),
        Paper("f", "F", doi="10.1000/id"),
        Paper("g", "G", doi="10.1000/own", citations=("10.1000/own",)),
    ]
    build_catalog(papers, tmp_path / "catalog.sqlite")
    catalog = Catalog(tmp_path / "catalog.sqlite")
    docids = catalog.docids(paper.id for paper in papers)
    cited = {(docids["a"], docids[id_]) for id_ in ("b", "c", "10.1000/id", "g")}
    assert {tuple(edge) for edge in catalog.links().edges.tolist()} == cited


def test_ids_that_come_again_are_named_in_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    build_catalog([Paper("a", "1"), Paper("b", "1"), Paper("c", "1"), Paper("b", "1", "2")], tmp_path / "one")
    assert [record.getMessage() for record in caplog.records] == [
        "1 record has an id that came before (b): the last one counts"
    ]
    caplog.clear()
    build_catalog((Paper(str(number % 9), "x") for number in range(27)), tmp_path / "many")
    assert [record.getMessage() for record in caplog.records] == [
        "18 records have an id that came before (0, 1, 2, 3, 4, …): the last one counts"
    ]
    caplog.clear()
    build_catalog([Paper("a", "1"), Paper("b", "1")], tmp_path / "none")
    assert not caplog.records


def test_a_paper_that_is_lost_because_another_has_its_id_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    papers = [Paper("smith2010", "Walks on graphs"), Paper("li2011", "Trees."), Paper("smith2010", "Dense retrieval")]
    build_catalog([*papers, Paper("li2011", "Trees")], tmp_path / "catalog")
    assert [record.getMessage() for record in caplog.records] == [
        "2 records have an id that came before (smith2010, li2011): the last one counts",
        "different papers have the id smith2010: the last is kept; give each an id of its own",
    ]


def test_an_id_that_comes_again_may_hold_any_character(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    build_catalog([Paper("a\0b", "Walks on graphs"), Paper("a\0b", "Dense retrieval")], tmp_path / "catalog")
    assert len(caplog.records) == 2
    assert [paper.title for paper in Catalog(tmp_path / "catalog").all_papers()] == ["Dense retrieval"]


@pytest.mark.parametrize("apart", [0, 6000])  # more than are received at once
def test_different_entries_of_one_key_are_all_kept(
    apart: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def entry(key: str, title: str, doi: str = "") -> Paper:
        return Paper(key, title, doi=doi, original=Original("bibtex", title))

    others = [Paper(f"p{number}", "x") for number in range(apart)]
    offered = [
        entry("k", "Walks on graphs", "10.1000/a"),
        entry("k-2", "Trees"),
        *others,
        entry("k", "Dense retrieval"),
    ]
    offered += [*others, entry("k", "Walks on large graphs", "10.1000/b"), entry("k", "Dense retrieval.")]
    build_catalog(offered, tmp_path / "catalog")
    catalog = Catalog(tmp_path / "catalog")
    assert {paper.id: paper.title for paper in catalog.all_papers() if paper.title != "x"} == {
        "k": "Walks on graphs",
        "k-2": "Trees",
        "k-3": "Dense retrieval.",
        "k-4": "Walks on large graphs",
    }
    assert "2 papers have the citation key of a different one: kept as k-3, k-4" in caplog.text
    assert "different papers have the id" not in caplog.text
    catalog.close()


@pytest.mark.parametrize("id_", ["https://journal.example.org", "ris-0123456789abcdef"])
def test_an_id_that_all_entries_have_is_compared_with_the_first_alone(
    id_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str] = []

    def noted(one: Paper, other: Paper) -> bool:
        compared.append(other.title)
        return different(one, other)

    monkeypatch.setattr(receiving, "different", noted)
    words = [digest_id("w", str(number), "") for number in range(200)]
    made = [Paper(id_, word, authors=(f"{word[2:]}, A.",)) for word in words]
    offered = [
        replace(paper, original=None if id_.startswith("ris") else Original("ris", "TY  - JOUR")) for paper in made
    ]
    build_catalog(offered, tmp_path / "catalog")
    with closing(Catalog(tmp_path / "catalog")) as catalog:
        kept = {paper.id: paper.title for paper in catalog.all_papers()}
    assert sorted(kept.values()) == sorted(paper.title for paper in offered)
    assert {f"{id_}-2", f"{id_}-20"} <= kept.keys()
    assert max(Counter(compared).values()) <= 20
    assert add_to_catalog(offered, tmp_path / "catalog", len(kept)).unchanged == len(kept)


def test_papers_that_lose_their_abstracts_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "catalog"
    known = [Paper("a", "Ants", "They march."), Paper("b", "Bees", "They fly."), Paper("c", "Crabs")]
    build_catalog(known, path)
    add_to_catalog([*known, Paper("d", "Ducks")], path, 3)
    assert not caplog.records
    add_to_catalog([replace(paper, abstract="") for paper in known], path, 4)
    assert [record.getMessage() for record in caplog.records] == [
        "2 papers have no abstract any more (a, b): `add --merge-duplicates` joins records instead"
    ]


def test_a_paper_that_is_replaced_by_another_one_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "catalog"
    build_catalog([Paper("smith2010", "Walks on graphs"), Paper("li2011", "Trees."), Paper("b", "Bees")], path)
    add_to_catalog(
        [Paper("smith2010", "Dense retrieval"), Paper("li2011", "Trees", "And more."), Paper("c", "X")], path, 3
    )
    assert [record.getMessage() for record in caplog.records] == [
        "replaced by a record with quite another title: smith2010; a paper that is another one needs an id of its own, "
        "in Zotero an item of its own"
    ]


def test_hostile_strings_come_back_as_they_were(tmp_path: Path) -> None:
    papers = [Paper(h, h, h, 2000, (h, h), h, h, h, h, HOSTILE) for h in HOSTILE]
    build_catalog(papers, tmp_path / "catalog.sqlite")
    catalog = Catalog(tmp_path / "catalog.sqlite")
    assert {paper.id: paper for paper in catalog.all_papers()} == {paper.id: paper for paper in papers}
    assert set(catalog.docids(HOSTILE)) == set(HOSTILE)
    assert len(catalog.links().edges) == len(HOSTILE) * (len(HOSTILE) - 1)


def test_keys_lead_to_papers(tmp_path: Path, small_papers: tuple[Paper, ...]) -> None:
    build_catalog(small_papers, tmp_path / "catalog.sqlite")
    catalog = Catalog(tmp_path / "catalog.sqlite")
    walk = catalog.docids(["walk"])["walk"]
    keys = ["doi:10.1000/walk", "arxiv:1201.00001", "title:randomwalksoncitationgraphs"]
    unknown = ["doi:10.1000/nowhere", "doi:\0", "\ud800"]
    assert catalog.docids_by_key([*keys, *unknown]) == {key: [walk] for key in keys}


def test_keys_of_several_papers_come_sorted_as_far_as_one_of_them_is_late_enough(tmp_path: Path) -> None:
    papers = [Paper("a", "Walks", doi="10.1000/w"), Paper("b", "Trees"), Paper("c", "Trees"), Paper("d", "Walks")]
    build_catalog([*papers, Paper("e", "Bees", doi="10.1000/w")], tmp_path / "catalog.sqlite")
    shared = [("doi:10.1000/w", [0, 4]), ("title:trees", [1, 2]), ("title:walks", [0, 3])]
    catalog = Catalog(tmp_path / "catalog.sqlite")
    assert list(catalog.shared_keys()) == shared
    assert list(catalog.shared_keys(3)) == [shared[0], shared[2]]


def test_threads_share_a_catalog(catalog: Catalog, small_papers: tuple[Paper, ...]) -> None:
    by_number = sorted(small_papers, key=lambda paper: paper.id)

    def ask(seed: int) -> bool:
        docids = random.Random(seed).choices(range(len(by_number)), k=5)
        return catalog.papers(docids) == [by_number[number] for number in docids]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(400)))


def test_source_that_fails_leaves_no_rubbish_beside_the_catalog(tmp_path: Path) -> None:
    def failing():
        yield Paper("a", "a")
        raise RuntimeError("disk on fire")

    with pytest.raises(RuntimeError, match="disk on fire"):
        build_catalog(failing(), tmp_path / "catalog.sqlite")
    assert {path.name for path in tmp_path.iterdir()} <= {"catalog.sqlite"}


@pytest.mark.parametrize("damage", ["missing", "empty", "text", "half", "header"])
def test_damaged_catalog_is_refused(tmp_path: Path, small_papers: tuple[Paper, ...], damage: str) -> None:
    path = tmp_path / "catalog.sqlite"
    build_catalog([*small_papers, *(Paper(str(i), "title " * 50) for i in range(500))], path)
    data = path.read_bytes()
    path.unlink()
    damaged = {"empty": b"", "text": b"no database at all\n" * 99, "half": data[:5000], "header": b"X" + data[1:]}
    if damage != "missing":
        path.write_bytes(damaged[damage])
    with pytest.raises(IndexDirectoryError) as caught:
        catalog = Catalog(path)
        catalog.papers(range(catalog.size))
    assert str(path) in str(caught.value)
    assert path.exists() == (damage != "missing")


def test_damage_found_while_streaming_is_reported_as_such(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    build_catalog([Paper(f"{i:04}", "title " * 50) for i in range(2000)], path)
    data = bytearray(path.read_bytes())
    catalog = Catalog(path)
    for start in range(3 * 4096, len(data) - 4096, 4096):
        data[start : start + 8] = b"\xff" * 8
    path.write_bytes(data)
    for stream in (catalog.all_papers, catalog.all_texts, lambda: [catalog.years(2000)], lambda: [catalog.links()]):
        with pytest.raises(IndexDirectoryError):
            list(stream())


def test_an_id_is_found_in_whichever_normal_form_it_is_asked_for(tmp_path: Path) -> None:
    bib = tmp_path / "refs.bib"
    bib.write_text("@misc{Mu\u0308ller2019, title={One}}\n@misc{\u00d6zt\u00fcrk, title={Two}}\n", "utf-8")
    other = "O\u0308ztu\u0308rk"  # an older index may hold both forms
    build_catalog([*read_papers([str(bib)]), Paper(other, "Three")], tmp_path / "catalog")
    catalog = Catalog(tmp_path / "catalog")
    wanted = {"M\u00fcller2019": "One", "Mu\u0308ller2019": "One", "\u00d6zt\u00fcrk": "Two", other: "Three"}
    for name, title in wanted.items():
        assert [catalog.papers([docid])[0].title for docid in catalog.docids([name]).values()] == [title]
        assert list(catalog.docids([name])) == [name]
    titles = {name: catalog.papers([docid])[0].title for name, docid in catalog.docids(wanted).items()}
    assert titles == wanted
