"""A library that is indexed again: its papers answer to the keys and ids that they had before."""

from pathlib import Path

import pytest

from citescout import Query, Recommender
from indexer.builds import build_index
from indexer.changes import remove_papers
from indexer.generations import open_generation
from indexer.identity.identifiers import digest_id
from indexer.layout import LAYOUT
from indexer.original import Original
from indexer.paper import Paper

SNOW = "Snow melt and floods in alpine catchments"
BREAD = Paper("bread", "Bread and butter in medieval towns", year=1990)


def entry(key: str, title: str = SNOW, year: int = 1999, doi: str = "") -> Paper:
    text = f"@article{{{key}, author = {{Ann Miller}}, title = {{{title}}}, year = {{{year}}}}}"
    return Paper(key, title, "", year, ("Ann Miller",), doi=doi, original=Original("bibtex", text))


def other_ids(directory: Path) -> dict[str, tuple[str, ...]]:
    with open_generation(directory) as generation:
        return {paper.id: paper.other_ids for paper in generation.catalog.all_papers()}


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (entry("Miller1999"), entry("miller:snow", SNOW.title())),
        (
            Paper(old := digest_id("ris", SNOW, "1999"), SNOW, "", 1999, ("Ann Miller",)),
            entry("10.1/snow", doi="10.1/snow"),
        ),
        (
            Paper(old, SNOW, "", 1999, ("Ann Miller",)),
            Paper("10.1/snow", SNOW, "", 1999, ("Ann Miller",), doi="10.1/snow"),
        ),
    ],
)
def test_what_has_the_old_id_is_the_paper_that_is_there(tmp_path: Path, was: Paper, now: Paper) -> None:
    build_index([was, BREAD], tmp_path, None)
    build_index([now, BREAD], tmp_path, None)
    with Recommender.open(tmp_path) as recommender:
        found = recommender.paper(was.id)
        assert found is not None and found.id == now.id
        answer = recommender.answer(Query(title="floods and bread in towns", already_cited=(was.id,), liked=(was.id,)))
        assert (answer.query.already_cited, answer.query.liked, answer.unknown) == ((now.id,), (now.id,), ())
        assert [one.paper.id for one in answer.recommendations] == ["bread"]
    build_index([now, BREAD], tmp_path, None)  # and again
    assert other_ids(tmp_path) == {now.id: (was.id,), "bread": ()}
    assert remove_papers([was.id], tmp_path).papers == 1
    assert other_ids(tmp_path) == {"bread": ()}


def test_what_cites_the_old_key_goes_on_citing_the_paper(tmp_path: Path) -> None:
    citing = Paper("bread", BREAD.title, citations=("miller",))
    for key in ("miller", "miller-snow"):
        assert build_index([entry(key), citing], tmp_path, None).citations == 1


def test_an_id_that_another_paper_has_now_is_that_papers(tmp_path: Path) -> None:
    build_index([entry("miller")], tmp_path, None)
    build_index([entry("miller-snow"), entry("miller", "Bread and butter in medieval towns")], tmp_path, None)
    assert other_ids(tmp_path) == {"miller-snow": (), "miller": ()}
    build_index([entry("miller-snow-2")], tmp_path, None)
    build_index([entry("miller-snow-2"), entry("miller-snow", "Bread and butter in medieval towns")], tmp_path, None)
    assert other_ids(tmp_path) == {"miller-snow-2": (), "miller-snow": ()}


def test_an_id_is_not_kept_that_is_the_doi_of_another_paper_now(tmp_path: Path) -> None:
    build_index([entry("10.1000/bread", doi="10.1000/bread")], tmp_path, None)  # by mistake
    bread = Paper("bread", BREAD.title, year=1990, doi="10.1000/bread")
    build_index([entry("10.1/snow", doi="10.1/snow"), bread], tmp_path, None)
    assert other_ids(tmp_path) == {"10.1/snow": (), "bread": ()}


def test_dois_are_kept_from_one_index_to_the_next_too(tmp_path: Path) -> None:
    for doi in ("10.1000/preprint", "10.1000/online", "10.1000/print"):
        build_index([Paper(doi, SNOW, "", 1999, ("Ann Miller",), doi=doi)], tmp_path, None)
    assert other_ids(tmp_path) == {"10.1000/print": ("10.1000/online", "10.1000/preprint")}


def test_an_id_stays_with_the_record_that_had_it(tmp_path: Path) -> None:
    build_index([entry("old")], tmp_path, None)
    build_index([entry("second")], tmp_path, None)
    build_index([entry("first"), entry("second")], tmp_path, None)
    assert other_ids(tmp_path) == {"first": (), "second": ("old",)}


def test_a_damaged_index_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.manifest._CHECK_FULLY_BYTES", 0)  # as of a large one
    build_index([entry("old")], tmp_path, None)
    with open_generation(tmp_path) as served:
        catalog = served.folder / LAYOUT.catalog
    catalog.write_bytes(catalog.read_bytes().replace(b'["Ann', b"[xAnn"))
    build_index([entry("new")], tmp_path, None)
    assert other_ids(tmp_path) == {"new": ()}


def test_a_paper_that_is_gone_is_found_by_no_id(tmp_path: Path) -> None:
    build_index([entry("miller"), BREAD], tmp_path, None)
    build_index([BREAD], tmp_path, None)
    assert other_ids(tmp_path) == {"bread": ()}
    with Recommender.open(tmp_path) as recommender:
        assert recommender.paper("miller") is None


def test_items_that_are_followed_in_zotero_get_no_further_ids_by_which_they_would_stay(tmp_path: Path) -> None:
    build_index([entry("miller")], tmp_path, None)
    build_index([Paper("ABCD2345", SNOW, "", 1999, ("Ann Miller",))], tmp_path, None)
    assert other_ids(tmp_path) == {"ABCD2345": ()}
