import pytest

from indexer.paper import Imprint
from indexer.readers import xml_records
from indexer.readers.markup import without_final_stop

from .helpers import of_format, read, write
from .samples import PUBMED


def test_fields_are_read(tmp_path):
    papers, report = read(of_format("pubmed", tmp_path / "pubmed24n0001.xml", PUBMED))
    assert list(papers) == ["1001", "1002"]  # neither the comment nor the deleted one
    paper = papers["1001"]
    assert paper.title == "Effects of CO2 on E. coli & others"  # the full stop is PubMed's
    assert paper.abstract == "AIM: To see. Seen."
    assert paper.year == 1998
    assert paper.authors == ("Ann B Müller Jr", "The Group")
    assert (paper.venue, paper.doi) == ("Acta medica", "10.1000/right")
    assert paper.citations == ("900", "901")
    assert paper.link == "https://pubmed.ncbi.nlm.nih.gov/1001/"
    assert (papers["1002"].title, papers["1002"].year) == ("Über das Ohr", 2003)
    assert report.skipped == 0


def test_book_article(tmp_path):
    text = """<PubmedArticleSet><PubmedBookArticle><BookDocument><PMID>5</PMID><Book><BookTitle>A book</BookTitle>
    <PubDate><Year>2010</Year></PubDate></Book><ArticleTitle>A chapter</ArticleTitle><AuthorList><Author>
    <LastName>Doe</LastName><Initials>J</Initials></Author></AuthorList><Abstract><AbstractText>Text.</AbstractText>
    </Abstract></BookDocument></PubmedBookArticle></PubmedArticleSet>"""
    paper = read(write(tmp_path / "book.xml", text))[0]["5"]
    assert (paper.title, paper.abstract, paper.year, paper.authors) == ("A chapter", "Text.", 2010, ("J Doe",))
    assert (paper.venue, paper.imprint) == ("A book", Imprint("chapter"))
    printed = (
        "PMID- 5\nTI  - A chapter.\nBTI - A book\nPB  - Printer\nDP  - 2010\nPT  - Review\n\nPMID- 6\nBTI - A book\n"
    )
    papers = read(write(tmp_path / "book.nbib", printed))[0]
    assert (papers["5"].title, papers["5"].venue) == ("A chapter", "A book")
    assert papers["5"].imprint == Imprint("chapter", publisher="Printer")
    assert (papers["6"].title, papers["6"].venue, papers["6"].imprint) == ("A book", "", Imprint("book"))


def test_untranslated_works_without_a_number_are_told_apart(tmp_path):
    works = "".join(f"OWN - ERIC\nTI  - [Not Available].\nTT  - {title}\nDP  - 2003\n\n" for title in ("Ohr", "Auge"))
    papers, report = read(write(tmp_path / "works.nbib", works))
    assert ([paper.title for paper in papers.values()], report.skipped) == (["Ohr", "Auge"], 0)


def test_damage_keeps_what_stands_before_it(tmp_path):
    papers, report = read(write(tmp_path / "cut.xml", PUBMED[: PUBMED.index("1002")]))
    assert list(papers) == ["1001"]
    assert report.problems[0].where == "record 2"
    assert "nothing after it could be read" in report.problems[0].reason


def test_article_without_citation_is_reported(tmp_path):
    text = "<PubmedArticleSet><PubmedArticle><PubmedData/></PubmedArticle></PubmedArticleSet>"
    assert read(write(tmp_path / "a.xml", text))[1].problems[0].reason == "no id"


def test_an_article_of_jats_without_its_beginning_is_reported(tmp_path):
    meta = "<article-meta><title-group><article-title>A</article-title></title-group></article-meta>"
    text = f"<set><article><front>{meta}</front></article><article><body/></article></set>"
    papers, report = read(write(tmp_path / "a.xml", text))
    assert ([paper.title for paper in papers.values()], report.skipped) == (["A"], 1)


def test_endless_elements_are_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(xml_records, "MAX_ELEMENTS", 5_000)
    text = "<PubmedArticleSet><PubmedArticle>" + "<a></a>" * 20_000
    assert "5,000 elements in one record" in read(write(tmp_path / "wide.xml", text))[1].problems[0].reason


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8"])
def test_declared_encoding_does_not_matter(tmp_path, encoding):
    text = PUBMED.replace('encoding="utf-8"', 'encoding="utf-16"')
    assert "1001" in read(write(tmp_path / "a.xml", text.encode(encoding)))[0]


@pytest.mark.parametrize(
    ("kind", "retracted"),
    [
        ("Journal Article", [False]),
        ("Retracted Publication", [True]),
        ("Retraction Notice", []),
        ("Retraction of Publication", []),
        ("Published Erratum", []),
    ],
)
def test_a_retraction_is_read_and_no_notice_of_one(tmp_path, kind, retracted):
    listed = f"<PublicationTypeList><PublicationType>{kind}</PublicationType></PublicationTypeList>"
    article = f"<Article><ArticleTitle>T</ArticleTitle>{listed}</Article>"
    record = f"<MedlineCitation><PMID>7</PMID>{article}</MedlineCitation>"
    xml = f"<PubmedArticleSet><PubmedArticle>{record}</PubmedArticle></PubmedArticleSet>"
    from_xml = read(write(tmp_path / "a.xml", xml))[0].values()
    from_text = read(write(tmp_path / "a.nbib", f"\nPMID- 7\nOWN - NLM\nTI  - T\nPT  - {kind}\n"))[0].values()
    assert [paper.retracted for paper in from_xml] == [paper.retracted for paper in from_text] == retracted


def test_references_without_a_pmid_are_known_by_their_doi(tmp_path):
    printed = "<Reference><Citation>Roe A. One. Acta. 2003;4:5. doi: 10.1000/C.</Citation></Reference>"
    references = printed + "".join(
        f"<Reference><ArticleIdList>{ids}</ArticleIdList></Reference>"
        for ids in (
            '<ArticleId IdType="doi">10.1000/A</ArticleId><ArticleId IdType="pubmed">901</ArticleId>',
            '<ArticleId IdType="doi">https://doi.org/10.1000/B</ArticleId>',
            '<ArticleId IdType="pmcid">PMC1</ArticleId>',
        )
    )
    text = (
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>T</ArticleTitle></Article>"
        f"</MedlineCitation><PubmedData><ReferenceList>{references}</ReferenceList></PubmedData></PubmedArticle>"
        "</PubmedArticleSet>"
    )
    assert read(write(tmp_path / "a.xml", text))[0]["1"].citations == ("10.1000/c", "901", "10.1000/b")


@pytest.mark.parametrize(
    ("title", "kept"),
    [
        ("A trial of vitamin D.", "A trial of vitamin D"),
        ("Does it help?", "Does it help?"),
        ("And then...", "And then..."),
        ("Health care in the U.S.", "Health care in the U.S."),
        ("Outbreaks of Salmonella spp.", "Outbreaks of Salmonella spp."),
        ("A reply to Doe et al.", "A reply to Doe et al."),
        ("", ""),
    ],
)
def test_the_full_stop_behind_a_title_goes_but_not_that_of_its_last_word(title, kept):
    assert without_final_stop(title) == kept
