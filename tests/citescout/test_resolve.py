"""A bibliography as people have it finds its papers in the index, and only these."""

import json
import shutil
from dataclasses import replace

import pytest
from command_line import run
from mangled import EXPECTED
from small_index import recommender_of

from citescout import Paper, Query, Recommender
from demo import CORPUS
from indexer.builds import build_index
from indexer.changes import remove_papers
from indexer.readers import read_papers
from retrieval.resolver import Match, summary


@pytest.mark.parametrize(
    ("title", "found"),
    [("Attention is all you need", "vaswani2017attention"), ("attention is all you need", "vaswani2017attention"),
     ("Attention is not all you need", None), ("Random forests", None)],
)  # fmt: skip
def test_a_short_title_as_people_type_it_is_the_one_paper_that_bears_it(demo_index, title, found):
    with Recommender.open(demo_index) as recommender:
        (match,) = recommender.resolve([Paper(title, title)])
    assert (match.paper.id if match.paper else None) == found


def found(matches):
    return {match.reference.id: (match.paper and match.paper.id, match.how) for match in matches}


def test_a_mangled_bibliography_finds_its_papers_and_no_others(recommender, references):
    matches = list(recommender.resolve(read_papers([str(references)])))
    strangers = [key for key, (paper, _) in found(matches).items() if key not in EXPECTED and paper is not None]
    assert {key: value for key, value in found(matches).items() if key in EXPECTED} == EXPECTED
    assert strangers == []
    assert all((match.score == 1.0) == (match.how not in (None, "fuzzy")) for match in matches)
    assert summary(matches) == "10 of 18 found: 2 by DOI, 3 by arXiv id, 2 by title, 3 by similar title"


def test_every_paper_of_the_corpus_finds_itself_by_each_of_its_keys(recommender):
    papers = list(read_papers([str(CORPUS)]))
    bare = {"doi": "", "arxiv": "", "url": "", "id": "unknown", "title": "", "venue": ""}
    for how in ("doi", "arxiv", "id"):
        asked = [paper for paper in papers if getattr(paper, how)]
        assert len(asked) > 100
        matches = recommender.resolve(replace(paper, **{**bare, how: getattr(paper, how)}) for paper in asked)
        assert [(match.paper.id, match.how) for match in matches] == [(paper.id, how) for paper in asked]
    titled = recommender.resolve(replace(paper, **{**bare, "title": paper.title.upper()}) for paper in papers)
    assert [(match.paper.id, match.how) for match in titled] == [(paper.id, "title") for paper in papers]


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("a.bib", "@book{k, author={Kant, Immanuel}, title={Critique of Pure Reason}, year={1998}, origdate={1781}}"),
        (
            "a.ris",
            "TY  - BOOK\nID  - k\nAU  - Kant, Immanuel\nTI  - Critique of Pure Reason\nPY  - 1998\nOP  - 1781\n",
        ),
        (
            "a.json",
            '[{"id": "k", "type": "book", "title": "Critique of Pure Reason", "issued": {"date-parts": [[1998]]}, '
            '"author": [{"family": "Kant", "given": "Immanuel"}], "original-date": {"date-parts": [[1781, 5]]}}]',
        ),
    ],
)
def test_a_later_edition_is_found_by_the_year_in_which_its_work_came_out_first(tmp_path, name, entry):
    (tmp_path / name).write_text(entry)
    with recommender_of(read_papers([str(tmp_path / name)]), tmp_path / "ix") as recommender:
        for year, is_found in ((1781, True), (1998, True), (1787, False), (1922, False)):
            asked = Paper("x", "Critique of Pure Reason", year=year, authors=("Immanuel Kant",))
            (match,) = recommender.resolve([asked])
            assert (match.paper is not None) == is_found, year
        typed = "Kant, I. (1781/1998). Critique of Pure Reason. Cambridge University Press."
        query, unknown = recommender.resolved(Query("A title", already_cited=(typed,)))
        assert (query.already_cited, unknown) == (("k",), ())
        (match,) = recommender.resolve([Paper("x", "Critique of Pure Reason", year=1781, authors=("Fichte, Johann",))])
        assert match.paper is None


def test_a_reference_to_a_later_edition_finds_the_first(tmp_path):
    entry = "@book{k, author={Kant, I.}, title={Critique of Pure Reason}, year=1998, origyear=1781}"
    (tmp_path / "a.bib").write_text(entry)
    first = Paper("first", "Critique of Pure Reason", year=1781, authors=("Kant, Immanuel",))
    with recommender_of([first], tmp_path / "ix") as recommender:
        (match,) = recommender.resolve(read_papers([str(tmp_path / "a.bib")]))
        assert match.paper and match.paper.id == "first"


def test_a_pmid_finds_the_paper_of_that_address(tmp_path):
    address = "https://pubmed.ncbi.nlm.nih.gov/12345/"
    build_index(
        [Paper("a", "One", url=address), Paper("b", "Two", url=address.replace("5", "6"))], tmp_path / "ix", None
    )
    recommender = Recommender.open(tmp_path / "ix")
    bib, csl = tmp_path / "refs.bib", tmp_path / "refs.json"
    bib.write_text("@article{x, title={Uno}, pmid={0012345}}")
    csl.write_text(
        '[{"id": "y", "type": "article-journal", "title": "Dos", "author": [], "issued": {}, "PMID": "12346"}]'
    )
    matches = recommender.resolve(read_papers([str(bib), str(csl)]))
    assert found(matches) == {"x": ("a", "pmid"), "y": ("b", "pmid")}


def test_references_of_which_only_an_identifier_is_known_are_looked_for(demo_index, tmp_path):
    bib, csl, ris = tmp_path / "refs.bib", tmp_path / "refs.json", tmp_path / "refs.ris"
    bib.write_text(
        "@misc{a, doi={10.1561/1500000019}}\n@misc{b, eprint={1412.6980}, archiveprefix={arXiv}}\n"
        "@misc{c, url={http://x.org}}"
    )
    csl.write_text(
        '[{"id": "g", "type": "book", "title": "Vom Kriege", "issued": {}}, {"id": "d", "DOI": "10.1561/1500000019"}]'
    )
    ris.write_text("TY  - JOUR\nID  - f\nDO  - 10.1561/1500000019\nER  - \n")
    shown = run("resolve", bib, csl, ris, "--index", demo_index, "--format", "jsonl")
    papers = {line["reference"]: line["paper"] for line in map(json.loads, shown.out.splitlines())}
    bm25 = "robertson2009probabilistic"
    assert papers == {"a": bm25, "b": "kingma2015adam", "g": None, "d": bm25, "f": bm25}
    assert "line 3, entry 'c': neither title nor abstract" in shown.err
    assert "4 of 5 found: 3 by DOI, 1 by arXiv id" in shown.err
    shown = run("recommend", "-", "--index", demo_index, "--cited", bib, stdin="Dense retrieval of passages")
    assert "Cited already: 2 of 2 found" in shown.err


def test_papers_that_are_gone_are_not_found(demo_index, references, tmp_path):
    copy = tmp_path / "index"
    shutil.copytree(demo_index, copy)
    remove_papers(["robertson2009probabilistic", "devlin2019bert", "barabasi1999emergence", "small1973co"], copy)
    recommender = Recommender.open(copy)
    left = found(recommender.resolve(read_papers([str(references)])))
    assert {key for key in EXPECTED if left[key] == (None, None)} == {"b", "f", "g", "h"}
    shown = run("resolve", references, "--index", copy, "--format", "jsonl")
    papers = {line["reference"]: line["paper"] for line in map(json.loads, shown.out.splitlines())}
    assert papers == {key: paper for key, (paper, _) in left.items()}


def test_summary_of_nothing():
    assert summary([]) == "0 of 0 found"
    assert summary([Match(Paper("a", "b"))]) == "0 of 1 found"


def test_the_command_resolve_prints_each_reference_with_its_paper(demo_index, references):
    done = run("resolve", references, "--index", demo_index, "--format", "jsonl")
    assert done.code == 0, done.err
    records = [json.loads(line) for line in done.out.splitlines()]
    assert {r["reference"]: (r["paper"], r["how"]) for r in records if r["reference"] in EXPECTED} == EXPECTED
    assert done.err.splitlines()[0].startswith("10 of 18 found: 2 by DOI")
    table = run("resolve", references, "--index", demo_index).out
    assert "= devlin2019bert: BERT: Pre-training" in table
    assert "k: Random forests (2001)" in table


def test_duplicates_across_sources_are_merged_and_reported(tmp_path):
    first, second, report = tmp_path / "a.jsonl", tmp_path / "b.jsonl", tmp_path / "report.jsonl"
    first.write_text(
        '{"id": "a1", "title": "Random walks", "doi": "10.1000/w", "citations": ["b9"]}\n'
        '{"id": "a2", "title": "Citing the walk", "citations": ["a1"]}\n'
    )
    second.write_text(
        '{"id": "b1", "title": "Random walks.", "doi": "https://doi.org/10.1000/W", "abstract": "On graphs."}\n'
        '{"id": "b9", "title": "Graphs", "citations": ["b1"]}\n'
    )
    options = ["--index", tmp_path / "ix", "--encoder", "none"]
    plain = run("index", first, second, *options)
    assert "4 papers with 3 citations" in plain.out
    said = "1 paper is there under another id, too (b1 as a1): `citescout index --merge-duplicates` of the same sources"
    assert f"{said} joins them" in plain.err
    merged = run("index", first, second, *options, "--merge-duplicates", "--report", report)
    assert "3 papers with 3 citations" in merged.out, merged.err
    assert "1 record merged into 1 other: 1 by doi" in merged.err
    assert "--merge-duplicates" not in merged.err
    assert [json.loads(line) for line in report.read_text().splitlines()] == [
        {"kept": "b1", "merged": ["a1"], "keys": ["doi:10.1000/w"]}
    ]
    assert run("index", first, *options, "--report", report).code == 2


def test_a_reference_that_is_as_near_to_two_papers_is_neither(tmp_path):
    """Parts of a series whose common title is all that a bibliography has."""
    series = "Foundations and recent trends of probabilistic information retrieval"
    parts = [Paper(f"p{n}", f"{series}: {end}", year=2010) for n, end in enumerate(["Models", "Queries"])]
    recommender = recommender_of([*parts, Paper("other", "Neural ranking of passages")], tmp_path / "ix")
    assert list(recommender.resolve([Paper("x", series, year=2010)])) == [Match(Paper("x", series, year=2010))]
    remove_papers(["p1"], tmp_path / "ix")
    alone = Recommender.open(tmp_path / "ix")
    (match,) = alone.resolve([Paper("x", series, year=2010)])
    assert (match.paper and match.paper.id, match.how) == ("p0", "fuzzy")
    alone.close()
    recommender.close()


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        (Paper("x", "Walks on small trees", year=2003), "walks"),
        (Paper("x", "Walks on small trees", year=2003, authors=("Ada Lovelace",)), "walks"),
        (Paper("x", "T³: Tree-driven towns", year=2003, authors=("Ada Lovelace",)), "parted"),
        (Paper("x", "T3 tree-driven towns"), "parted"),
        (Paper("x", "Walks on small trees", year=2004), None),
        (Paper("x", "Bees in towns", year=2003), None),
        (Paper("x", "On the growth of bees", year=2003, authors=("Grace Hopper",)), None),
        (Paper("x", "Reading of old maps", year=2003), None),
    ],
)
def test_a_short_title_of_one_year_needs_no_author_where_one_side_names_none(tmp_path, reference, found):
    there = [
        Paper("walks", "Walks on small trees", year=2003),
        Paper("short", "Bees in towns", year=2003),
        Paper("parted", "T³ Tree-Driven Towns", year=2003),
        Paper("other", "On the growth of bees", year=2003, authors=("Ada Lovelace",)),
        *(Paper(f"maps{number}", "Reading of old maps", year=2003) for number in range(2)),
    ]
    with recommender_of(there, tmp_path / "ix") as recommender:
        (match,) = recommender.resolve([reference])
    assert (match.paper.id if match.paper else None) == found


def test_what_was_found_and_was_retracted_is_named_so(tmp_path):
    papers = [Paper("bad", "Whales sing", doi="10.1000/bad", retracted=True), Paper("sound", "Whales dive in the deep")]
    build_index(papers, tmp_path / "index", None)
    bib = tmp_path / "refs.bib"
    bib.write_text("@misc{a, doi={10.1000/bad}, title={Whales sing}}\n@misc{b, title={Whales dive in the deep}}\n")
    lines = run("resolve", bib, "--index", tmp_path / "index").out.splitlines()
    assert [line.endswith(" · Retracted") for line in lines] == [False, True, False, False]
    records = run("resolve", bib, "--index", tmp_path / "index", "--format", "jsonl").out.splitlines()
    assert [json.loads(record)["retracted"] for record in records] == [True, False]
