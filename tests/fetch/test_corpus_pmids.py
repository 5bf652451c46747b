"""Entries that have a PMID and no DOI, in bibliographies and as lists."""

import os
import sys

import pytest
import world
from bibliography import FAST, IDS
from command_line import refused
from index_reading import papers_of
from test_corpus import build

from cli.corpus_sources import entries_of
from indexer.readers import ReadReport


def medline(number, title):
    return f"PMID- {number}\nOWN - NLM\nTI  - {title}\nAU  - Nobody A\nDP  - 2015 Jan\n\n"


def titles_of(ids):
    return "".join(medline(world.pmid(id_), world.BY_ID[id_]["title"]) for id_ in ids)


@pytest.mark.parametrize(("source", "id_of"), [("openalex", world.w), ("semantic-scholar", world.sha)])
def test_entries_of_pubmed_without_a_doi_are_found_by_their_pmids(openalex, apis, tmp_path, source, id_of, where):
    refs = tmp_path / "refs.nbib"
    unknown = medline(99_999_999, "Of hedgehogs that nobody ever saw")
    another = medline(world.pmid(IDS[9]), "Of a thing that has nothing to do with the other one")
    refs.write_text(titles_of(IDS[:4]) + unknown + another)
    told = build(tmp_path / "index", "--from", refs, "--source", source, *where, size=20)
    assert "Found 4 of 6 entries" in told.out
    assert "4 by PMID" in told.out
    assert "has no work of the PMID 99999999" in told.err
    assert f"the PMID {world.pmid(IDS[9])} is another work" in told.err
    assert {id_of(id_) for id_ in IDS[:4]} <= papers_of(tmp_path / "index").keys()
    if source == "openalex":
        singly = [path for path, *_ in openalex.seen if path.startswith("/works/pmid:")]
        assert len(singly) == 6
    else:
        assert apis.seen[0][3] == {
            "ids": [f"PMID:{number}" for number in [*map(world.pmid, IDS[:4]), "99999999", world.pmid(IDS[9])]]
        }


def test_crossref_looks_for_the_title_instead(tmp_path, where):
    paper = world.BY_ID[IDS[0]]
    refs = tmp_path / "refs.bib"
    author = paper["authors"][0]
    refs.write_text(
        f"@article{{a, title={{{paper['title']}}}, author={{{author}}}, year={{{paper['year']}}}, "
        f"url={{https://pubmed.ncbi.nlm.nih.gov/{world.pmid(IDS[0])}/}}}}\n"
    )
    told = build(tmp_path / "index", "--from", refs, "--source", "crossref", *where, size=10)
    assert "Found 1 of 1 entry at Crossref: 1 by title" in told.out


def test_an_entry_with_a_doi_is_not_asked_for_by_its_pmid(openalex, tmp_path, where):
    refs = tmp_path / "refs.nbib"
    refs.write_text(titles_of(IDS[:1]).rstrip() + f"\nLID - {world.doi(IDS[0])} [doi]\n\n")
    told = build(tmp_path / "index", "--from", refs, *where, size=10)
    assert "1 by DOI" in told.out
    assert not [path for path, *_ in openalex.seen if "pmid" in path]


def test_lists_of_pmids_and_dois(tmp_path, where):
    mixed, numbers = tmp_path / "mixed.txt", tmp_path / "numbers.txt"
    address = f"https://pubmed.ncbi.nlm.nih.gov/{world.pmid(IDS[2])}/"
    mixed.write_text(f"# mine\npmid:{world.pmid(IDS[0])}\nPMID: {world.pmid(IDS[1])}\n{address}\n{world.doi(IDS[3])}\n")
    numbers.write_text("".join(f"{world.pmid(id_)}\r\n" for id_ in IDS[4:7]), "utf-8-sig")
    named = f"pmid:{world.pmid(IDS[7])}"
    told = build(tmp_path / "index", "--from", mixed, numbers, named, *where, size=20)
    assert "Found 8 of 8 entries at OpenAlex: 1 by DOI, 7 by PMID" in told.out
    assert {world.w(id_) for id_ in IDS[:8]} <= papers_of(tmp_path / "index").keys()


@pytest.mark.parametrize("text", ["12345\n10.5555/a\n", "pmid:12345\n12346\n", "12345\nhedgehogs\n"])
def test_numbers_among_other_lines_are_not_taken_for_pmids(tmp_path, text):
    listed = tmp_path / "list.txt"
    listed.write_text(text)
    assert "list.txt" in refused("corpus", "build", "--from", listed, "--index", tmp_path / "index", *FAST)


def test_a_pmid_that_comes_twice_is_one_entry(tmp_path):
    listed = tmp_path / "list.txt"
    listed.write_text("pmid:00123\nhttps://www.ncbi.nlm.nih.gov/pubmed/123\n")
    (entry,) = entries_of([str(listed), "PMID 123"], None, None, ReadReport())
    assert (entry.identity, entry.paper.title) == ("pmid:123", "")


def keys_of(*origins):
    return [entry.key for entry in entries_of([str(origin) for origin in origins], None, None, ReadReport())]


def test_a_list_has_comments_and_arxiv_ids(tmp_path):
    listed = tmp_path / "list.txt"
    listed.write_text(
        "  # mine\n10.1000/a # the first\n10.1002/x#y\npmid:7\t# old\n1605.08695\narXiv:cs/0112017v2\n"
        "https://arxiv.org/abs/1706.03762\nhttps://arxiv.org/pdf/1810.04805v2.pdf # BERT\n"
    )
    arxiv = [f"arXiv:{id_}" for id_ in ("1605.08695", "cs/0112017", "1706.03762", "1810.04805")]
    assert keys_of(listed) == ["10.1000/a", "10.1002/x#y", "PMID:7", *arxiv]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_a_list_is_read_in_the_encodings_of_windows(tmp_path, encoding):
    listed = tmp_path / "list.txt"
    listed.write_bytes("# für die Einleitung\r\n10.1000/a\r\npmid:7\r\n".encode(encoding))
    assert keys_of(listed) == ["10.1000/a", "PMID:7"]


def test_a_long_list_is_read_to_its_end(tmp_path):
    dois = [f"10.5555/some.long.suffix.of.a.doi.{number}" for number in range(40_000)]
    listed = tmp_path / "list.txt"
    listed.write_text("".join(f"{doi}\n" for doi in dois))
    assert listed.stat().st_size > 1 << 20
    assert keys_of(listed) == dois


@pytest.mark.parametrize("wrong", ["hedgehogs", "see arXiv:1605.08695 for more", "10.5555/a b"])
@pytest.mark.parametrize("before", [3, 40_000])
def test_the_line_of_a_list_that_is_no_id_is_named(tmp_path, wrong, before):
    listed = tmp_path / "list.txt"
    good = [f"10.5555/some.long.suffix.of.a.doi.{number}\n" for number in range(before)]
    listed.write_text("".join([*good, f"{wrong}\n", "10.5555/b\n"]))
    said = refused("corpus", "build", "--from", listed, "--index", tmp_path / "index", *FAST)
    assert f"{listed}, line {before + 1}: {wrong!r} is no DOI, PMID or arXiv id" in said


@pytest.mark.skipif(sys.platform == "win32", reason="no names of open pipes")
def test_a_pipe_of_the_shell_is_read_once():
    reading, writing = os.pipe()
    os.write(writing, b"@misc{a, title={Bread}}")
    os.close(writing)
    (entry,) = entries_of([f"/dev/fd/{reading}"], None, None, ReadReport())
    assert entry.paper.title == "Bread"
    os.close(reading)
