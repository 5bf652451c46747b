"""`citescout add`: what becomes of papers whose key or paper the index has already."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from index_reading import papers_of

from citescout import Recommender
from cli.main import main
from indexer.builds import build_index
from indexer.changes import add_papers, compact_index, remove_papers
from indexer.merging import MergeReport
from indexer.paper import Paper

WHALES = "@article{smith2020, title={Deep learning for whales}, author={Smith, Alice}, year={2020}, doi={10.1234/aaa}}"
POTATOES = "@article{smith2020, title={Economics of small potatoes}, author={Smith, Bob}, year={2020}}"


def titles(directory: Path) -> dict[str, str]:
    return {id_: paper.title for id_, paper in papers_of(directory).items()}


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def called(command: str, name: str, text: str, *options: str) -> tuple[str, str]:
        (tmp_path / name).write_text(text, "utf-8")
        encoder = ["--encoder", "none"] if command == "index" else []
        main([command, str(tmp_path / name), "--index", str(tmp_path / "ix"), *encoder, *options])
        said = capsys.readouterr()
        return said.out, said.err

    return called


def test_a_different_paper_of_a_key_that_the_index_has_is_kept_beside_it(call, tmp_path, caplog) -> None:
    call("index", "alice.bib", WHALES)
    for added in ("Added 1 paper", "Added 0 papers"):
        assert added in call("add", "bob.bib", POTATOES)[0]
        assert titles(tmp_path / "ix") == {
            "smith2020": "Deep learning for whales",
            "smith2020-2": "Economics of small potatoes",
        }
    assert caplog.messages[0] == "1 paper has the citation key of a different one: kept as smith2020-2"
    call("add", "bob.bib", POTATOES.replace("small", "very small"))
    call("add", "alice.bib", WHALES.replace("for whales", "for all whales"))
    assert titles(tmp_path / "ix") == {
        "smith2020": "Deep learning for all whales",
        "smith2020-2": "Economics of very small potatoes",
    }, "a corrected title replaces that of the same paper"


def test_an_entry_that_got_another_id_keeps_it_when_its_key_is_free_again(call, tmp_path) -> None:
    third = POTATOES.replace("Economics of small potatoes", "Grammar for runes")
    for command, entries in (("index", WHALES), ("add", POTATOES), ("add", third)):
        call(command, "new.bib", entries)
    remove_papers(["smith2020", "smith2020-2"], tmp_path / "ix")
    call("add", "new.bib", third)
    assert titles(tmp_path / "ix") == {"smith2020-3": "Grammar for runes"}
    call("add", "new.bib", POTATOES)
    assert titles(tmp_path / "ix") == {
        "smith2020": "Economics of small potatoes",
        "smith2020-3": "Grammar for runes",
    }


def test_an_entry_does_not_take_the_place_of_a_record_that_has_its_key_as_id(call, tmp_path) -> None:
    record = {"id": "smith2020", "title": "Deep learning for whales"}
    call("index", "papers.jsonl", json.dumps(record))
    for _ in range(2):
        call("add", "bob.bib", POTATOES)
        assert titles(tmp_path / "ix") == {
            "smith2020": "Deep learning for whales",
            "smith2020-2": "Economics of small potatoes",
        }
    call("add", "papers.jsonl", json.dumps({**record, "title": "A paper about something else"}))
    assert titles(tmp_path / "ix")["smith2020"] == "A paper about something else", "its id is no citation key"


def test_another_title_of_the_same_doi_and_author_replaces_it(call, tmp_path) -> None:
    call("index", "alice.bib", WHALES)
    call("add", "alice.bib", WHALES.replace("Deep learning for whales", "Marine mammals, heard by networks"))
    assert titles(tmp_path / "ix") == {"smith2020": "Marine mammals, heard by networks"}


def test_add_joins_a_paper_with_the_record_that_the_index_has_of_it(call, tmp_path) -> None:
    known = {"id": "W1", "title": "Deep learning for whales", "doi": "10.1234/aaa", "citations": ["W2"]}
    other = {"id": "W2", "title": "Whales", "citations": []}
    call("index", "papers.jsonl", f"{json.dumps(known)}\n{json.dumps(other)}\n")
    entry = WHALES.replace("doi=", "abstract={They sing.}, doi=")
    out, err = call("add", "mine.bib", entry + POTATOES.replace("smith2020", "smith2021"), "--merge-duplicates")
    assert "Added 1 paper to" in out
    assert "1 record merged into 1 other: 1 by doi" in err
    assert "under another id" not in err
    whales = papers_of(tmp_path / "ix")["W1"]
    assert (whales.abstract, whales.authors, whales.citations) == ("They sing.", ("Alice Smith",), ("W2",))
    assert whales.original is not None
    assert titles(tmp_path / "ix").keys() == {"W1", "W2", "smith2021"}
    out, _ = call("add", "mine.bib", entry, "--merge-duplicates", "--report", str(tmp_path / "merged.jsonl"))
    assert "Added 0 papers" in out
    assert "1 were there already" in out
    merged = json.loads((tmp_path / "merged.jsonl").read_text())
    keys = ["doi:10.1234/aaa", "title:deeplearningforwhales"]
    assert merged == {"kept": "W1", "merged": ["smith2020"], "keys": [*keys, "id:smith2020"]}


def test_what_was_added_under_another_id_is_joined_later(call, tmp_path) -> None:
    call("index", "papers.jsonl", '{"id": "W1", "title": "Deep learning for whales", "doi": "10.1234/aaa"}\n')
    assert "`citescout add --merge-duplicates` of the same sources joins them" in call("add", "mine.bib", WHALES)[1]
    call("add", "more.jsonl", '{"id": "W3", "title": "On whales", "citations": ["smith2020"]}\n')
    call("add", "mine.bib", WHALES, "--merge-duplicates")
    found = papers_of(tmp_path / "ix")
    assert found.keys() == {"W1", "W3"}
    assert found["W3"].citations == ("W1",)


SONGS = "@article{%s, title={Songs of whales}, author={Poe, Ann}, year={1999}, note={%s}}"


@pytest.mark.parametrize("options", [(), ("--merge-duplicates",)])
def test_an_entry_under_a_new_key_is_the_paper_that_it_was(call, tmp_path, options: tuple[str, ...]) -> None:
    call("index", "mine.bib", WHALES + SONGS % ("poe", "a"))
    call("add", "more.jsonl", '{"id": "W3", "title": "On whales", "citations": ["smith2020", "poe"]}')
    renamed = WHALES.replace("smith2020", "smithWhales").replace("for whales", "for the whales")
    for note in ("a", "a", "b"):
        out, err = call("add", "mine.bib", renamed + SONGS % ("poeSongs", note), *options)
        assert "it now holds 3" in out
        assert "under another id" not in err
        papers = papers_of(tmp_path / "ix")
        by_any = {id_: paper for paper in papers.values() for id_ in (paper.id, *paper.other_ids)}
        assert by_any.keys() == {"smith2020", "smithWhales", "poe", "poeSongs", "W3"}
        entries = [by_any[key].original for key in ("smith2020", "poe")]
        assert [entry.text for entry in entries if entry] == [renamed, SONGS % ("poeSongs", note)]
    assert options or {"smithWhales", "poeSongs"} < papers.keys()
    assert add_papers([Paper("W4", "More", citations=("smith2020", "poe"))], tmp_path / "ix").manifest.citations == 4


@pytest.mark.parametrize(
    "added",
    [
        WHALES + WHALES.replace("smith2020", "smithWhales"),  # the old key is not gone
        SONGS % ("poeSongs", "a") + SONGS % ("poe", "a"),
        SONGS.replace("author", "number=2, author") % ("poeSongs", "a"),  # the next of a series
        WHALES.replace("smith2020", "other").replace("title", "abstract={They sing.}, journal={Whales}, title"),
        WHALES.replace("smith2020", "other").replace("for whales", "for sharks"),  # a meeting's abstracts, of one DOI
        WHALES.replace("smith2020", "other").replace(" author={Smith, Alice},", ""),  # would lose who wrote it
        # Most of what somebody else has read is new.
        SONGS % ("poeSongs", "a") + "".join(f"@misc{{new{n}, title={{A new work, number {n}}}}}" for n in range(3)),
    ],
)
def test_an_entry_of_somebody_else_takes_no_paper_the_place(call, tmp_path, added: str) -> None:
    call("index", "mine.bib", WHALES + SONGS % ("poe", "a"))
    before = papers_of(tmp_path / "ix")
    new = added.count("@misc")
    assert f"it now holds {3 + new}" in call("add", "theirs.bib", added)[0]
    assert before.items() <= papers_of(tmp_path / "ix").items()


POE = {"issued": {"raw": "1999"}, "title": "Songs of a whale", "author": [{"family": "Poe", "given": "A"}], "id": "KEY"}


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("mine.ris", "TY  - JOUR\nAU  - Poe, A\nTI  - Songs of a whale\nPY  - 1999\nID  - KEY\nER  -\n"),
        ("mine.json", json.dumps([POE])),
        ("mine.bib", "@article{KEY, title={Songs of a whale}, author={Poe, A}, year={1999}}"),
    ],
)
@pytest.mark.parametrize("key", ["1999", "a", "poe-2"])
def test_keys_may_be_words_that_stand_elsewhere_in_the_entry(call, tmp_path, key: str, name: str, entry: str) -> None:
    call("index", name, entry.replace("KEY", key))
    call("add", name, entry.replace("KEY", "poe-whale"))
    assert {id_: paper.other_ids for id_, paper in papers_of(tmp_path / "ix").items()} == {"poe-whale": (key,)}


def test_a_paper_keeps_the_key_by_which_it_is_known_when_another_paper_gets_it(call, tmp_path) -> None:
    call("index", "mine.bib", WHALES)
    call("add", "more.jsonl", '{"id": "W3", "title": "On whales", "citations": ["smith2020"]}')
    renamed = WHALES.replace("smith2020", "smithWhales")
    call("add", "mine.bib", renamed)
    expected = {"smithWhales": ("smith2020",), "smith2020-2": (), "W3": ()}
    for added in (POTATOES, renamed + POTATOES):
        call("add", "mine.bib", added)
        assert {id_: paper.other_ids for id_, paper in papers_of(tmp_path / "ix").items()} == expected
    assert compact_index(tmp_path / "ix").citations == 1
    with Recommender.open(tmp_path / "ix") as opened:
        assert [paper.id for paper in opened.around("smithWhales")] == ["W3"]
    call("add", "mine.bib", renamed + POTATOES.replace("smith2020", "bobs"))
    assert papers_of(tmp_path / "ix")["bobs"].other_ids == ("smith2020-2",)


def test_what_was_merged_into_an_entry_is_not_lost_to_the_entry_under_a_new_key(call, tmp_path) -> None:
    """Added again, it says less than the record of a database that has the same key."""
    known = {"title": "Deep learning for whales", "doi": "10.1234/aaa", "abstract": "They sing."}
    (tmp_path / "mine.bib").write_text(WHALES)
    call("index", "known.jsonl", json.dumps({"id": "smith2020", **known}))
    call("add", "mine.bib", WHALES, "--merge-duplicates")
    before = papers_of(tmp_path / "ix")
    call("add", "mine.bib", WHALES.replace("smith2020", "smithWhales"))
    assert before["smith2020"].abstract
    assert before.items() <= papers_of(tmp_path / "ix").items()


@pytest.mark.parametrize("id_", ["W1", "smith2020"])
def test_a_record_of_a_database_with_an_entry_is_not_replaced_by_the_entry(call, tmp_path, id_: str) -> None:
    call("index", "mine.bib", WHALES)
    (entry,) = papers_of(tmp_path / "ix").values()
    build_index([replace(entry, id=id_, citations=("W2",)), Paper("W2", "Seals")], tmp_path / "ix", None)
    key = "smith2020" if id_ == "W1" else "smithWhales"
    assert "it now holds 3" in call("add", "mine.bib", WHALES.replace("smith2020", key))[0]
    assert papers_of(tmp_path / "ix")[id_].citations == ("W2",)


def test_an_index_after_a_merging_addition_is_sound(tmp_path) -> None:
    one = Paper("a", "Random walks on the citation graphs of science", doi="10.1000/a")
    build_index([one, Paper("b", "Trees", citations=("a",))], tmp_path / "ix", None)
    add_papers(
        [Paper("c", one.title, "Walks.", doi="10.1000/a"), Paper("d", "Bees", citations=("c",))], tmp_path / "ix"
    )
    report = MergeReport()
    manifest = add_papers(
        [Paper("c", one.title, "Walks.", doi="10.1000/a"), Paper("e", "Ants", citations=("c",))],
        tmp_path / "ix",
        merging=report,
    ).manifest
    assert (manifest.papers, manifest.citations) == (4, 3)
    assert {id_: paper.citations for id_, paper in papers_of(tmp_path / "ix").items()} == {
        "a": (),
        "b": ("a",),
        "d": ("a",),
        "e": ("a",),
    }
    compacted = compact_index(tmp_path / "ix")
    assert (compacted.papers, compacted.citations, compacted.removed) == (4, 3, 0)


def test_the_parts_of_a_work_under_one_key_are_two_papers(call, tmp_path, capsys) -> None:
    part = "@article{doe2020work, title={A work, part %s: %s}, year=2020, author={Doe, Ann}}"
    first, second = part % ("I", "How it began"), part % ("II", "How it ended")
    call("index", "first.bib", first)
    assert "Added 1 paper" in call("add", "second.bib", second)[0]
    assert titles(tmp_path / "ix") == {
        "doe2020work": "A work, part I: How it began",
        "doe2020work-2": "A work, part II: How it ended",
    }
    call("index", "first.bib", first)
    main(["resolve", str(tmp_path / "second.bib"), "--index", str(tmp_path / "ix")])
    assert "0 of 1 found" in capsys.readouterr().err
