"""Several records of one paper become one; different papers stay apart whatever they share."""

import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.catalog import Catalog
from indexer.catalog_writing import build_catalog
from indexer.duplicates import known_records, with_retractions
from indexer.identity.identifiers import digest_id
from indexer.merging import MergeReport, merge_duplicates
from indexer.original import Original
from indexer.paper import Imprint, Paper

LONG = "Random walks on the citation graphs of science"


def merged(*papers: Paper) -> tuple[dict[str, Paper], MergeReport]:
    report = MergeReport()
    return {paper.id: paper for paper in merge_duplicates(papers, report)}, report


def test_the_richer_fields_win_and_citations_are_united() -> None:
    kept, report = merged(
        Paper("a", "Walks", "Short.", 2012, (), "", "10.1000/x", "", "", ("c", "d")),
        Paper("b", "Walks!", "A longer abstract.", 2011, ("A. B.",), "WSDM", "10.1000/x", "1201.00001", "", ("d",)),
        Paper("c", "Something else", citations=("a",)),
        Paper("d", "Another", citations=("b", "a", "nowhere")),
    )
    whole = Paper("b", "Walks!", "A longer abstract.", 2011, ("A. B.",), "WSDM", "10.1000/x", "1201.00001")
    assert kept["b"] == replace(whole, citations=("d", "c"), other_ids=("a",))
    assert set(kept) == {"b", "c", "d"}
    assert kept["c"].citations == ("b",)
    assert kept["d"].citations == ("b", "nowhere")
    assert report.summary() == "1 record merged into 1 other: 1 by doi"


def test_one_key_leads_to_the_next() -> None:
    kept, report = merged(
        Paper("1", "On walks", doi="10.1000/x"),
        Paper("2", "On the walks", doi="10.1000/x", arxiv="1201.00001v2"),
        Paper("3", "On all walks", "Text.", arxiv="1201.00001"),
        Paper("4", "Of walks", url="https://doi.org/10.1000/X", citations=("1", "2", "3")),
    )
    assert set(kept) == {"3"}
    assert kept["3"].citations == ()
    assert report.merged == 3
    assert report.groups[0].keys == ("arxiv:1201.00001", "doi:10.1000/x")


@pytest.mark.parametrize(
    ("title", "year", "authors", "kept"),
    [
        (f"{LONG.upper()}.", 2012, ("A. Lovelace",), 1),
        (LONG, 2014, ("A. Lovelace",), 1),
        (LONG, 2015, ("A. Lovelace",), 2),
        (LONG, 2012, ("Karl May",), 2),
        (LONG, 2012, (), 1),
        (LONG, None, (), 1),
        (LONG, 2013, (), 2),
    ],
)
def test_a_shared_title_needs_years_and_authors_that_agree(
    title: str, year: int | None, authors: tuple[str, ...], kept: int
) -> None:
    one = Paper("1", LONG, year=2012, authors=("Ada Lovelace",))
    assert len(merged(one, Paper("2", title, year=year, authors=authors))[0]) == kept


@pytest.mark.parametrize(
    ("title", "authors", "count"),
    [
        *((one, (), 4) for one in ("Introduction", "Editorial", "Preface", "Burning mouth syndrome", "Book reviews")),
        ("Editorial", ("Ada Lovelace",), 3),
        ("Abstracts of the current literature", (), 6),  # a column of a journal
    ],
)
def test_generic_and_short_titles_and_columns_do_not_merge(title: str, authors: tuple[str, ...], count: int) -> None:
    kept, report = merged(*(Paper(str(i), title, f"Abstract {i}.", 1986, authors) for i in range(count)))
    assert (len(kept), report.groups) == (count, [])


REPORT = "Annual report on the state of the northern fisheries"


def test_reports_of_a_series_stay_apart_by_their_dois() -> None:
    series = [
        Paper(str(year), REPORT, year=year, authors=("J. Roe",), doi=f"10.1000/report.{year}")
        for year in range(2001, 2011)
    ]
    copies = [replace(paper, id=f"copy {paper.id}", doi="") for paper in series]
    versions = [
        Paper("accepted", LONG, year=2001, authors=("J. Roe",), doi="10.5194/acp-7-1-2001"),
        Paper("discussed", LONG, year=2000, authors=("J. Roe",), doi="10.5194/acpd-9-8-2000"),
        Paper("archived", LONG, year=2002, authors=("J. Roe",), doi="10.2307/171"),
    ]
    other = f"{LONG} of others"
    of_preprint = [
        Paper(f"v{number}", other, year=2019 + number, authors=("A. Poe",), doi=f"10.21203/rs.3.rs-123456/v{number}")
        for number in (1, 2)
    ]
    assert [group.merged for group in merged(*series, *copies, *versions, *of_preprint)[1].groups] == [
        *((f"copy {year}",) for year in range(2001, 2011)),
        ("archived", "discussed"),
        ("v2",),
    ]


def test_a_title_holds_for_all_that_it_joins() -> None:
    reports = [Paper(str(year), REPORT, year=year, authors=("J. Roe",)) for year in range(2001, 2011)]
    for group in merged(*reports)[1].groups:
        years = [int(id_) for id_ in (group.kept, *group.merged)]
        assert max(years) - min(years) <= 2
    unnamed = Paper("b", LONG, year=2001)
    named = [replace(unnamed, id=author, authors=(author,)) for author in ("J. Roe", "A. Poe")]
    assert len(merged(named[0], unnamed, named[1])[0]) == 2
    late = [
        Paper("preprint", LONG, year=2001, authors=("J. Roe",), arxiv="1201.00001"),
        Paper("publication", LONG, year=2005, authors=("J. Roe",), arxiv="1201.00001", doi="10.1000/x"),
        Paper("copy", LONG, year=2005, authors=("J. Roe",)),
    ]
    assert len(merged(*late)[0]) == 1


def test_abstracts_of_a_meeting_that_share_a_doi_stay_apart() -> None:
    meeting = (
        Paper("1", "Emicizumab in boys with haemophilia A", doi="10.1111/hae.13911"),
        Paper("2", "Quality of sleep of nurses on night shift", doi="10.1111/hae.13911"),
        Paper("3", "Emicizumab in boys with hemophilia A", doi="10.1111/hae.13911"),
    )
    assert set(merged(*meeting)[0]) == {"1", "2"}
    adults = "Efficacy and safety of {} in adults with moderate-to-severe {}".format
    trials = (
        Paper("1", adults("dupilumab", "atopic dermatitis"), authors=("Ann Doe",), doi="10.1111/bjd.1"),
        Paper("2", adults("secukinumab", "plaque psoriasis"), authors=("Jo Roe",), doi="10.1111/bjd.1"),
        Paper("3", f"{adults('dupilumab', 'atopic dermatitis')}.", authors=("J. Poe", "A. Doe"), doi="10.1111/bjd.1"),
    )
    assert {group.merged for group in merged(*trials)[1].groups} == {("1",)}
    manual = "Diagnostic and statistical manual of mental disorders"
    for title, other, *authors in (
        (manual, f"{manual} (DSM-5)", "American Psychiatric Association", "APA"),
        ("Global burden of stroke", "Global, regional and national burden of stroke", "GBD Study Group", "V. Feigin"),
    ):
        records = (
            Paper(name, name, authors=(author,), doi="10.1000/a")
            for name, author in zip((title, other), authors, strict=True)
        )
        assert len(merged(*records)[0]) == 1
    retitled = [Paper("1", "Attention", authors=("A. Vaswani",), arxiv="1706.03762")]
    retitled.append(Paper("2", "Transduction without recurrence", authors=("Ashish Vaswani",), arxiv="1706.03762"))
    assert len(merged(*retitled)[0]) == 1


@pytest.mark.parametrize("apart", [0, 6000])  # more than are received at once
def test_records_of_one_id_are_joined_whichever_comes_last(apart: int, caplog: pytest.LogCaptureFixture) -> None:
    cites = Paper("10.1000/a", LONG, year=2001, authors=("Ann Lee",), citations=("b", "c"))
    tells = Paper("10.1000/a", f"{LONG}.", "Walks.", 2002, doi="10.1000/a", citations=("d",))
    others = [Paper(f"p{number}", f"Quite another thing {number}") for number in range(apart)]
    whole = Paper("10.1000/a", f"{LONG}.", "Walks.", 2001, ("Ann Lee",), doi="10.1000/a", citations=("d", "b", "c"))
    for first, second in ((cites, tells), (tells, cites)):
        kept, report = merged(first, *others, second)
        assert kept["10.1000/a"] == whole
        assert (len(kept), report.of_one_id) == (apart + 1, 1)
    assert report.summary() == "1 record joined with one of the same id"
    kept, report = merged(Paper("a", "One"), Paper("a", "Two"))
    assert (kept, report.merged) == ({"a": Paper("a", "Two")}, 0)
    kept, report = merged(cites, *others, tells, Paper("10.1000/a", "Two"), Paper("10.1000/a", "Two", "And more."))
    assert kept["10.1000/a"] == Paper("10.1000/a", "Two", "And more.")
    assert report.of_one_id == 2
    assert caplog.text.count("10.1000/a") == 2, "what is lost is said, with the id; what is joined is not"


def test_different_papers_of_one_id_are_not_joined(caplog: pytest.LogCaptureFixture) -> None:
    whales = Paper("smith2020", "Deep learning for whales", year=2020, authors=("Smith, Alice",), doi="10.1234/aaa")
    potatoes = Paper("smith2020", "Economics of small potatoes", year=2018, authors=("Smith, Bob",))
    second = replace(whales, title="Deep learning for sea whales", doi="10.1234/bbb")
    for other in (potatoes, second):
        caplog.clear()
        kept, report = merged(whales, other)
        assert (kept, report.of_one_id) == ({"smith2020": other}, 0)
        assert "different papers have the id smith2020: the last is kept" in caplog.text
    preprint = replace(whales, title="Deep learning for whales.", doi="10.48550/arXiv.2001.00001")
    kept, report = merged(preprint, whales)
    assert (list(kept), report.of_one_id) == (["smith2020"], 1), "as under two ids: by the title that both have"


def test_a_paper_of_each_entry_is_kept_whose_key_is_that_of_another(caplog: pytest.LogCaptureFixture) -> None:
    entries = [
        entry("smith2020", "Deep learning for whales"),
        entry("smith2020", "Economics of small potatoes"),
        entry("smith2020", "Deep learning for whales!", "With an abstract."),
    ]
    kept, report = merged(*entries)
    assert {id_: (paper.title, paper.abstract) for id_, paper in kept.items()} == {
        "smith2020": ("Deep learning for whales!", "With an abstract."),
        "smith2020-2": ("Economics of small potatoes", ""),
    }
    assert report.of_one_id == 1
    assert [record.getMessage() for record in caplog.records] == [
        "1 paper has the citation key of a different one: kept as smith2020-2"
    ]


IMPACT = "Measuring the impact of journals"


@pytest.mark.parametrize(
    ("title", "other", "author", "year", "kept"),
    [
        (IMPACT, "Measuring the impact of universities", "Garcia, Ana", 2013, 2),
        (IMPACT, "Measuring what journals have of impact", "Wang, Li", 2008, 2),
        (IMPACT, "Measuring what journals have of impact", "Wang, Li", 2014, 1),
        (IMPACT, f"{IMPACT}.", "Garcia, Ana", 2013, 1),
        (IMPACT, IMPACT, "Garcia, Ana", 1999, 2),
        ("Editorial", "Editorial", "Garcia, Ana", 2013, 2),
        ("Editorial", "Editorial", "Wang, L.", 2013, 1),
    ],
)
@pytest.mark.parametrize("merges", [True, False])
def test_authors_and_years_part_papers_of_one_id(
    title: str, other: str, author: str, year: int, kept: int, merges: bool, tmp_path: Path
) -> None:
    for id_, original in (("key", Original("bibtex", "@misc{key}")), (digest_id("ris", title, "2013"), None)):
        offered = [
            Paper(id_, title, authors=("Wang, Li",), year=2013, original=original),
            Paper(id_, other, authors=(author,), year=year, original=original),
        ]
        path = tmp_path / f"{id_}.sqlite"
        papers = merge_duplicates(offered, MergeReport()) if merges else offered
        assert build_catalog(papers, path) == kept
        with closing(Catalog(path)) as catalog:
            assert list(catalog.ids(range(kept))) == [id_, f"{id_}-2"][:kept]


def entry(key: str, title: str, abstract: str = "") -> Paper:
    return Paper(key, title, abstract, original=Original("bibtex", f"@misc{{{key}, title={{{title}}}}}"))


def components(papers: list[Paper]) -> set[frozenset[str]]:
    """Brute force: papers that are linked by a DOI or an arXiv id, over any number of steps."""
    groups = [{paper.id} for paper in papers]
    links = {paper.id: {paper.doi, paper.arxiv} - {""} for paper in papers}
    for _ in papers:
        for group in groups:
            for other in groups:
                if set().union(*(links[i] for i in group)) & set().union(*(links[i] for i in other)):
                    group |= other
    return {frozenset(group) for group in groups}


few = st.sampled_from(["", *(f"10.1000/{i}" for i in range(5))])
fewer = st.sampled_from(["", *(f"1201.0000{i}" for i in range(5))])
ids = st.sampled_from([f"p{i}" for i in range(12)])

rows = st.tuples(ids, few, fewer, st.lists(ids, max_size=4, unique=True))


@settings(max_examples=60)
@given(st.lists(rows, unique_by=lambda entry: entry[0], max_size=12))
def test_groups_are_the_connected_records(offered: list[tuple[str, str, str, list[str]]]) -> None:
    papers = [Paper(id_, "", id_, doi=doi, arxiv=arxiv, citations=tuple(c)) for id_, doi, arxiv, c in offered]
    kept, report = merged(*papers)
    expected = components(papers)
    groups = {frozenset({group.kept, *group.merged}) for group in report.groups}
    assert groups == {group for group in expected if len(group) > 1}
    assert len(kept) == len(expected)
    assert report.merged == len(papers) - len(kept)
    home = {member: next(iter(group & kept.keys())) for group in expected for member in group}
    for group in expected:
        survivor = kept[home[next(iter(group))]]
        cited = {home.get(c, c) for paper in papers if paper.id in group for c in paper.citations}
        assert set(survivor.citations) == cited - {survivor.id}
        assert len(survivor.citations) == len(set(survivor.citations))


def test_memory_does_not_hold_the_abstracts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.receiving._BATCH", 100)
    abstract = "x" * 20_000

    def source() -> Iterator[Paper]:
        for number in range(3000):
            yield Paper(f"p{number}", "", f"{number}{abstract}", doi=f"10.1000/{number // 2}")

    tracemalloc.start()
    count = sum(1 for _ in merge_duplicates(source(), MergeReport()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 1500
    assert peak < 3000 * len(abstract) / 4


def test_of_lists_of_as_many_authors_the_one_that_says_more_of_their_names_is_kept() -> None:
    parted = ("García López, María", "{World Bank}")
    for authors in (("María García López", "World Bank"), ("María García López", "others")):
        kept, _ = merged(Paper("a", LONG, LONG, 2020, authors), Paper("b", LONG, "", 2020, parted))
        assert kept["a"].authors == parted


def test_full_names_go_before_initials_and_an_entry_in_bibtex_before_others() -> None:
    ris, bibtex = Original("ris", "TY  - JOUR\nER  - \n"), Original("bibtex", "@article{lee2020, title={One}}")
    rich = Paper("a", LONG, "Text.", 2020, ("K. Lee", "JB Park"), doi="10.1000/x", original=ris)
    full = Paper("b", LONG, "", 2020, ("Kim Lee", "Jae B. Park"), doi="10.1000/x", original=bibtex)
    for papers in ((rich, full), (full, rich)):
        kept, _ = merged(*papers)
        assert (kept["a"].authors, kept["a"].original) == (full.authors, replace(bibtex, others=(ris,)))


def test_a_preprint_with_the_longer_abstract_leaves_its_publication_as_it_was_published(tmp_path: Path) -> None:
    preprint = Paper("pre", LONG, "An abstract.", 2017, ("A. Vaswani",), "arXiv preprint", "10.48550/arxiv.1706.03762")
    preprint = replace(preprint, imprint=Imprint("article", publisher="arXiv"), url="https://arxiv.org/abs/1706.03762")
    published = Paper("pub", LONG, "", 2018, ("A. Vaswani",), "Nature Machines", "10.1038/s41586-1")
    published = replace(published, imprint=Imprint("article-journal", "5", "2", "1-9"))
    pubmed = replace(published, id="med", doi="", imprint=None, url="https://pubmed.ncbi.nlm.nih.gov/101/")
    deposit = replace(published, id="dep", doi="10.5281/zenodo.7", venue="Zenodo", imprint=None)
    citing = Paper("c", "Another", citations=("10.1038/s41586-1", "PMID:101", "https://doi.org/10.5281/zenodo.7"))
    kept, _ = merged(preprint, published, pubmed, deposit, citing)
    assert kept["pre"] == replace(
        published,
        id="pre",
        abstract="An abstract.",
        year=2017,
        url=preprint.url,
        other_ids=("dep", "doi:10.5281/zenodo.7", "med", "pmid:101", "pub"),
    )
    build_catalog(kept.values(), tmp_path / "catalog.sqlite")
    with closing(Catalog(tmp_path / "catalog.sqlite")) as catalog:
        links = catalog.links()
        assert (links.edges.tolist(), links.outside.tolist()) == ([[0, 1]], [])
        known = [
            known_records(catalog, replace(deposit, id="new", title="", doi=doi)) for doi in (deposit.doi, "10.1/x")
        ]
        assert [[paper.id for paper in found] for found in known] == [["pre"], []]


def test_a_notice_in_the_index_marks_the_paper_with_its_whole_title(tmp_path: Path) -> None:
    title = "The random walks on citation graphs of science"
    papers = [Paper("none", ""), Paper("other", f"{title}, revisited", year=2019), Paper("later", title, year=2022)]
    notices = (
        (title, "RETRACTION: The random walks on citation graphs of science (Retraction of Vol 19, pg 2, 2019)"),
        (title, f"Retraction notice to “{title}”"),
        (title, f"RETRACTION: RETRACTED: {title}"),
        (f"RETRACTED: {title}", f"Retraction: Retraction Note: {title}"),
        (title, f"Retraction for Roe et al., {title}"),
        ("Short walks", "Retraction: Short walks"),
        (title, f"Retraction in {title}"),
        (title, f"Expression of concern: {title}"),
    )
    marked = []
    for number, (of, notice) in enumerate(notices):
        said = [Paper("of", of, year=2019), Paper("notice", notice, year=2021), *papers]
        build_catalog(said, tmp_path / f"{number}.sqlite")
        with closing(Catalog(tmp_path / f"{number}.sqlite")) as catalog:
            marked.append([paper.id for paper in with_retractions(catalog, said) if paper.retracted])
    assert marked == [["of"], ["of"], ["of"], ["of"], ["of"], [], [], []]


def placed(id_: str, year: int, doi: str, volume: str, page: str, entry: str = "") -> Paper:
    original = Original("bibtex", entry) if entry else None
    imprint = None if entry else Imprint(volume=volume, page=page)
    return Paper(id_, LONG, "", year, ("Ann Lee",), "", doi, original=original, imprint=imprint)


ABSTRACT = placed("abstract", 2015, "10.1136/ard.55", "74", "501-502")


@pytest.mark.parametrize(
    "article",
    [
        placed("article", 2016, "10.1136/bmj.i123", "352", "i123"),
        placed("article", 2015, "10.1136/bmj.i123", "352", ""),
        placed("article", 2016, "", "", "", "@article{article, volume = {352}, pages = {7--9}}"),
    ],
)
def test_the_abstract_of_a_meeting_and_the_article_are_two_publications(article: Paper) -> None:
    kept, _ = merged(ABSTRACT, article, replace(ABSTRACT, id="again"), replace(article, id="article2", doi=""))
    assert [(paper.doi, paper.year) for paper in kept.values()] == [(one.doi, one.year) for one in (ABSTRACT, article)]


@pytest.mark.parametrize(
    "other",
    [
        placed("other", 2015, "", "2015", ""),  # the year as volume
        placed("other", 2016, "10.2307/55", "2015", "501"),
        placed("other", 2016, "10.2307/55", "Vol. 074 (2)", "9"),
        placed("other", 2016, "10.2307/55", "", "9"),
        placed("other", 2014, "", "", "", "@article{other, journal = {CoRR}, volume = {abs/1401.00001}}"),
    ],
)
def test_what_databases_say_of_the_place_of_one_publication_differs(other: Paper) -> None:
    assert len(merged(ABSTRACT, other)[0]) == 1
