"""Entries of BibTeX: strings, crossrefs, xdata, damage, and which fields become which of a paper."""

import pytest

from indexer.readers import ReadReport, streams
from indexer.readers.reading import papers_of_bytes

from .helpers import detecting, of_format, read, write

BIB = r"""% A bibliography, exported by a reference manager
@comment{jabref-meta: databaseType:bibtex;}
@preamble{"\newcommand{\noop}[1]{}"}
@string{acl = {Proc. of the {ACL}}}

@inproceedings{devlin,
  title     = {{BERT}: Pre-training of {D}eep \"{u}bertransformers for 10\% of $\alpha$-models},
  author    = "M{\"u}ller, J{\"o}rg and {World Health Organization} and Jan van der Berg and others",
  booktitle = acl # { 2019},
  year      = 2019,
  doi       = {https://doi.org/10.18653/V1/N19\_1423},
  archiveprefix = {arXiv},
  eprint    = {1810.04805v2},
  abstract  = {A gain of 7% over the last one, \& more --
               in two lines.}
}

@inproceedings{child, Title = "The child of a volume", author = {Doe, J.}, crossref = {VOLUME}}
@proceedings{Volume, title = {Proceedings of Everything}, year = {1999}}
"""


def test_fields_are_read_and_latex_decoded(tmp_path):
    papers, report = read(of_format("bibtex", tmp_path / "refs.txt", BIB))
    paper = papers["devlin"]
    assert paper.title == "BERT: Pre-training of Deep übertransformers for 10% of α-models"
    assert paper.authors == ("Jörg Müller", "World Health Organization", "Jan van der Berg", "others")
    assert (paper.venue, paper.year) == ("Proc. of the ACL 2019", 2019)
    assert (paper.doi, paper.arxiv) == ("10.18653/v1/n19_1423", "1810.04805")
    assert paper.abstract == "A gain of 7% over the last one, & more – in two lines."
    assert report.skipped == 0


def test_crossref_inherits_even_from_a_later_parent(tmp_path):
    child = read(write(tmp_path / "refs.bib", BIB))[0]["child"]
    assert (child.venue, child.year) == ("Proceedings of Everything", 1999)


def test_broken_entries_cost_themselves_only(tmp_path):
    text = """@article{ok1, title={One}}
@article{broken, title={never closed, year=2000
@article{ok2, title={Two}}
@article{untitled, author={Nobody}}
@article(ok3, title="Three")
"""
    papers, report = read(write(tmp_path / "refs.bib", text))
    assert list(papers) == ["ok1", "ok2", "ok3"]
    assert [p.where for p in report.problems] == ["line 2", "line 4, entry 'untitled'"]
    assert report.problems[1].reason == "neither title nor abstract"


def test_repeated_keys_and_fields_are_kept(tmp_path):
    text = "@misc{k, title={A}, title={B}}\n@misc{k, title={C}}\n"
    _, report = read(write(tmp_path / "refs.bib", text))
    assert (report.read, report.skipped) == (2, 0)


def test_entries_without_a_key_are_known_by_their_doi_or_by_title_and_year(tmp_path):
    text = "@article{,\n  title={A}, doi={10.1000/B}\n}\n@article{, title={C}, year=2001}\n@article{, title={D}}\n"
    papers, report = read(write(tmp_path / "refs.bib", text))
    assert [paper.title for paper in papers.values()] == ["A", "C", "D"]
    assert "10.1000/b" in papers
    assert report.skipped == 0


def test_line_numbers_and_strings_hold_across_batches(tmp_path):
    entry = "@article{{k{0}, title={{Paper {0}}}, journal=j, abstract={{{1}}}}}\n"
    text = "@string{j={The Journal}}\n" + "".join(entry.format(i, "word " * 200) for i in range(1000))
    papers, report = read(write(tmp_path / "refs.bib", text + "@article{bad, year=1}\n"))
    assert len(papers) == 1000
    assert {p.venue for p in papers.values()} == {"The Journal"}
    assert [p.where for p in report.problems] == ["line 1002, entry 'bad'"]


@pytest.mark.parametrize("apart", ["\n", " "])
def test_an_entry_that_is_too_long_costs_itself_only(tmp_path, monkeypatch, apart):
    monkeypatch.setattr(streams, "MAX_BLOCK_BYTES", 100_000)
    monkeypatch.setattr(streams, "MAX_RECORD_BYTES", 400_000)
    entries = [f"@article{{e{number}, title={{Entry {number}}}}}\n" for number in range(6)]
    entries[3] = f"@article{{e3,\ntitle={{Entry 3}}, abstract={{{f'words{apart}' * 80_000}}}}}\n"
    papers, report = read(write(tmp_path / "refs.bib", "".join(entries)))
    assert list(papers) == ["e0", "e1", "e2", "e4", "e5"]
    assert [problem.reason for problem in report.problems] == [streams.too_long(100_000)]


def test_eprint_of_another_archive_is_not_arxiv(tmp_path):
    text = "@misc{k, title={A}, eprinttype={hdl}, eprint={2101.00001}}\n"
    assert read(write(tmp_path / "refs.bib", text))[0]["k"].arxiv == ""


def test_a_publishers_doi_as_eprint_holds_no_arxiv_id(tmp_path):
    fields = "eprint = {https://doi.org/10.1287/mnsc.1110.1446}"
    assert read(write(tmp_path / "refs.bib", f"@article{{a, title={{T}}, {fields}}}"))[0]["a"].arxiv == ""


def test_a_blank_at_the_end_of_an_abbreviation_stays_where_it_is_joined(tmp_path):
    strings = '@string{p = "Proceedings of "}\n@string{v = { Vision }}\n'
    text = strings + '@article{k, title = v # "and words", journal = p # {Trees}}'
    paper = read(write(tmp_path / "refs.bib", text))[0]["k"]
    assert (paper.title, paper.venue) == ("Vision and words", "Proceedings of Trees")


def test_abbreviations_that_double_stay_bounded(tmp_path):
    lines = ["@string{a0 = {ten chars.}}"] + [f"@string{{a{i + 1} = a{i} # a{i}}}" for i in range(60)]
    text = "\n".join(lines) + "\n@article{k, title = a60 # a60, abstract = {A}}\n"
    papers, report = read(write(tmp_path / "bomb.bib", text))
    assert papers["k"].title.startswith("ten chars.ten chars.")
    assert report.truncated == 1


def test_a_comment_that_is_not_closed_is_no_entry(tmp_path):
    text = "@Comment{jabref-meta: grouping:\n0 AllEntriesGroup: {;\n\n@article{ok, title={One}}\n"
    papers, report = read(write(tmp_path / "refs.bib", text))
    assert (list(papers), report.found) == (["ok"], 0)


@pytest.mark.parametrize(
    "ahead",
    [
        '@article{odd, title={Odd}, note = "an odd " quote"}',
        "@article{odd, title={Odd,\n  year=2001\n}",
        "%@article{odd,\n%  title = {Odd}\n%}",
    ],
)
def test_what_an_entry_leaves_open_ends_at_the_next_one_for_its_comments_too(tmp_path, ahead):
    entries = (
        '@article{%a, title = "A rise of 5 % in all",\n year=2002}\n@article{b, title={Two}, % or three\n year=2003}\n'
    )
    papers, report = read(write(tmp_path / "refs.bib", f"{ahead}\n{entries}"))
    assert [(one.title, one.year) for one in papers.values()] == [("A rise of 5 % in all", 2002), ("Two", 2003)]
    assert list(papers) == ["%a", "b"]
    assert report.skipped == 1


SHARED = """@article{first, xdata={later, press}, title={The first}, author={Doe, J.}, year=2001}
@xdata{press, journaltitle=jo, year=1999}
@xdata{later, xdata={far}}
@xdata{far, abstract={From afar.}}
@article{second, xdata = press, title={The second}}
@article{third, xdata={press, nowhere}, title={The third}}
"""


def test_entries_take_over_the_fields_of_xdata_which_are_no_papers(tmp_path):
    papers, report = read(write(tmp_path / "refs.bib", '@string{jo = "Journal"}\n' + SHARED))
    assert report.found == 0
    assert {paper.id: (paper.venue, paper.year, paper.abstract) for paper in papers.values()} == {
        "first": ("Journal", 2001, "From afar."),
        "second": ("Journal", 1999, ""),
        "third": ("Journal", 1999, ""),
    }
    original = papers["first"].original
    assert [text.partition(",")[0] for text in original.after] == ["@xdata{later", "@xdata{far", "@xdata{press"]
    assert original.before == ('@string{jo = "Journal"}',)


@pytest.mark.parametrize(
    "fields",
    [
        "title={One {T}} author={A, B}",
        "year=2020 title={One}",
        'title="One" author="A, B"',
        "year={2001}, title={One}\n  author = {A, B}",
    ],
)
def test_a_missing_comma_is_reported_instead_of_a_title_with_its_neighbour(tmp_path, fields):
    text = f"@article{{k, {fields}}}\n@article{{ok, title={{Where $x = 5$}}, abstract = {{a = {{b}}}}}}\n"
    papers, report = read(write(tmp_path / "refs.bib", text))
    assert list(papers) == ["ok"]
    assert report.problems[0].where == "line 1, entry 'k'"
    assert "the comma before" in report.problems[0].reason


def test_what_is_there_to_sort_by_is_neither_year_nor_title_nor_name(tmp_path):
    written = r"""
    @book{knuth, title={{\noopsort{b}}Seminumerical Algorithms}, year="{\noopsort{1973c}}1981",
          author={{\noopsort{Beeck}}{van der Beeck}, H.}}
    @inproceedings{in, title={A Part}, crossref={whole}}
    @proceedings{whole, title={The Whole}, year={{\SortNoop{1990}}1995}}"""
    papers, _ = read(write(tmp_path / "refs.bib", written))
    knuth = papers["knuth"]
    assert (knuth.title, knuth.year, knuth.authors) == ("Seminumerical Algorithms", 1981, ("H. van der Beeck",))
    assert papers["in"].year == 1995


@pytest.mark.parametrize("kind", ["@CONTROL", "@IEEEtranBSTCTL"])
def test_what_tells_a_style_something_is_no_paper(kind: str) -> None:
    text = f'{kind}{{REVTEX41Control, author="08", title="0", year="1"}}\n@misc{{a, title={{On bees}}}}\n'
    report = ReadReport()
    assert [paper.id for paper in papers_of_bytes("refs.bib", text.encode(), report)] == ["a"]
    assert report.problems == []


@pytest.mark.parametrize("kind", ["eprinttype={pubmed}", "eprinttype={pmid}", "archiveprefix={PubMed}"])
def test_an_eprint_of_pubmed_is_its_id(tmp_path, kind):
    paper = read(write(tmp_path / "refs.bib", f"@article{{k, title={{A}}, eprint={{012345678}}, {kind}}}"))[0]["k"]
    assert (paper.url, paper.arxiv) == ("https://pubmed.ncbi.nlm.nih.gov/12345678/", "")


@pytest.mark.parametrize(
    ("fields", "url", "doi"),
    [
        ("url={https://example.org/1}", "https://pubmed.ncbi.nlm.nih.gov/12345678/", ""),
        ("url={www.example.org}, doi={10.1000/a}", "https://pubmed.ncbi.nlm.nih.gov/12345678/", "10.1000/a"),
        ("url={https://doi.org/10.1000/a}, doi={10.1000/a}", "https://pubmed.ncbi.nlm.nih.gov/12345678/", "10.1000/a"),
        ("url={https://doi.org/10.1000/a}", "https://doi.org/10.1000/a", ""),
        ("url={https://arxiv.org/abs/1412.6980}", "https://arxiv.org/abs/1412.6980", ""),
    ],
)
def test_a_pmid_beside_an_address_is_kept_unless_the_address_alone_names_the_paper(tmp_path, fields, url, doi):
    paper = read(write(tmp_path / "refs.bib", f"@article{{k, title={{A}}, pmid={{012345678}}, {fields}}}"))[0]["k"]
    assert (paper.url, paper.doi) == (url, doi)


@pytest.mark.parametrize(
    ("fields", "url"),
    [
        (r"howpublished = {\url{https://example.org/a\_b}}", "https://example.org/a_b"),
        (r"howpublished = {Website, \href{https://example.org/a}{the site}.}", "https://example.org/a"),
        ("howpublished = {https://example.org/a.}", "https://example.org/a"),
        (r"note = {Available at \url{https://example.org/a}, accessed 1 May 2020}", "https://example.org/a"),
        (r"url = {\url{https://example.org/a}}", "https://example.org/a"),
        (r"url = {https://example.org/a}, howpublished = {\url{https://example.org/b}}", "https://example.org/a"),
        (r"journal = {Isis}, note = {Data: \url{https://example.org/data}}", ""),
        (r"doi = {10.1000/1}, note = {Data: \url{https://example.org/data}}", ""),
        ("howpublished = {Distributed at the fair}", ""),
    ],
)
def test_an_address_is_read_where_people_write_it(tmp_path, fields, url):
    papers, _ = read(write(tmp_path / "a.bib", f"@misc{{a, title = {{A Leaflet}}, {fields}}}"))
    assert papers["a"].url == url


@pytest.mark.parametrize(
    ("fields", "year"),
    [
        ("year={forthcoming}, date={2024-05}", 2024),
        ("date={2024-05}, year={{in press}}", 2024),
        ("date={2024-05}, year={2023}", 2023),
        ("year={in press}", None),
    ],
)
def test_a_year_in_words_gives_way_to_a_date(tmp_path, fields, year):
    assert read(write(tmp_path / "refs.bib", f"@article{{k, title={{A}}, {fields}}}"))[0]["k"].year == year


def test_entries_with_neither_key_nor_comma_are_read(tmp_path):
    first = "@article{\n  title = {One},\n  journal = acl,\n  year = 2001\n}\n"
    text = f"@string{{acl = {{Proc. ACL}}}}\n{first}@misc{{Year=2002, title={{Two}}}}\n"
    papers, report = read(write(tmp_path / "a.bib", text))
    assert [(p.title, p.year, p.venue) for p in papers.values()] == [("One", 2001, "Proc. ACL"), ("Two", 2002, "")]
    assert report.found == 0
    assert detecting(write(tmp_path / "b", "@article{\n  title = {One}\n}\n")) == ["bibtex"]


def test_references_that_databases_write_are_found(tmp_path):
    web_of_science = """
@article{ WOS:000450000000001,
Author = {Roe, Ann},
Title = {{Citing}},
Year = {{2019}},
Cited-References = {{Müller J, 2015, J HELIX, V3, P10.
   Lee K, 2010, ICE J, V7, P77, DOI 10.1000/ice\\_2.
   Doe D, 2001, NATURE, V400, P1.}},
Unique-ID = {{WOS:000450000000001}},
}
"""
    scopus = """
@ARTICLE{Poe2020, author = {Poe, Bo}, title = {Citing, too}, year = {2020}, source = {Scopus},
 references = {Müller J., Doe D., A helix of its own, J Helix, 3, pp. 10-20, (2015); Lee K., Ice, J, 7, p. 77, (2010)}}
@article{muller, author = {Müller, Jörg}, title = {A helix}, year = 2015, volume = 3, pages = {10--20}}
@article{lee, author = {Lee, Kim}, title = {On ice}, year = 2010, volume = 7, pages = {77}, doi = {10.1000/ice_2}}
"""
    papers, report = read(write(tmp_path / "a" / "wos.bib", web_of_science), write(tmp_path / "a" / "b.bib", scopus))
    assert papers["WOS:000450000000001"].citations[:2] == ("muller", "lee")
    assert papers["Poe2020"].citations == ("muller", "lee")
    assert report.references == {"": 1, "doi": 1, "place": 3}


def test_a_set_of_biblatex_is_no_record_that_was_skipped(tmp_path):
    papers, report = read(write(tmp_path / "a.bib", "@set{s, entryset={a}}\n@misc{a, title={Of bees}}\n"))
    assert (list(papers), report.found) == (["a"], 0)
