"""What reference managers and databases say of a work in their own exports comes back in BibTeX and CSL-JSON."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import bibtexparser
import pytest
from entries_of_users import exported, indexed

from common.names import shown_name


def items(text: str, name: str, folder: Path) -> list[dict[str, Any]]:
    """The papers of a file as items of CSL."""
    found: list[dict[str, Any]] = json.loads(exported("csl-json", *indexed(text, name, folder)))
    return found


def of_endnote(kind: str, within: str) -> str:
    return f'<xml><records><record><ref-type name="{kind}">1</ref-type>{within}</record></records></xml>'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ris", "TY  - JOUR\nTI  - On Lakes\nT2  - Acta\nET  - 2019/01/05\nPY  - 2020\nER  - \n"),
        ("a.enw", "%0 Journal Article\n%T On Lakes\n%J Acta\n%7 2019/01/05\n%D 2020\n"),
        (
            "a.xml",
            of_endnote(
                "Journal Article",
                "<titles><title>On Lakes</title><secondary-title>Acta</secondary-title></titles>"
                "<edition>2019/01/05</edition><dates><year>2020</year></dates>",
            ),
        ),
    ],
)
def test_the_day_when_an_article_appeared_online_is_no_edition(tmp_path: Path, name: str, text: str) -> None:
    (item,) = items(text, name, tmp_path)
    assert "edition" not in item
    assert item["issued"] == {"date-parts": [[2020]]}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ris", "TY  - EDBOOK\nTI  - Lakes\nAU  - Roe, Ann\nA2  - Poe, Bo\nPB  - CUP\nPY  - 2005\nER  - \n"),
        ("a.enw", "%0 Edited Book\n%T Lakes\n%A Roe, Ann\n%E Poe, Bo\n%I CUP\n%D 2005\n"),
        (
            "a.xml",
            of_endnote(
                "Edited Book",
                "<contributors><authors><author>Roe, Ann</author></authors><secondary-authors><author>Poe, Bo</author>"
                "</secondary-authors></contributors><titles><title>Lakes</title></titles><publisher>CUP</publisher>"
                "<dates><year>2005</year></dates>",
            ),
        ),
    ],
)
def test_the_authors_of_an_edited_book_of_endnote_are_its_editors(tmp_path: Path, name: str, text: str) -> None:
    papers = indexed(text, name, tmp_path)
    assert papers[0].authors == ("Ann Roe",)  # for lists and searches, as of any book without authors
    (item,) = json.loads(exported("csl-json", *papers))
    assert (item["editor"], "author" in item) == ([{"family": "Roe", "given": "Ann"}], False)
    assert item["collection-editor"] == [{"family": "Poe", "given": "Bo"}]
    (entry,) = bibtexparser.parse_string(exported("bibtex", *papers)).entries
    assert ("Roe" in entry["editor"], "author" in entry.fields_dict) == (True, False)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.enw", "%0 Edited Book\n%T Lakes\n%E Poe, Bo\n%D 2005\n"),
        (
            "a.xml",
            of_endnote(
                "Edited Book",
                "<contributors><secondary-authors><author>Poe, Bo</author></secondary-authors></contributors>"
                "<titles><title>Lakes</title></titles><dates><year>2005</year></dates>",
            ),
        ),
    ],
)
def test_editors_of_an_edited_book_without_authors_edit_no_series(tmp_path: Path, name: str, text: str) -> None:
    (item,) = items(text, name, tmp_path)
    assert item["editor"] == [{"family": "Poe", "given": "Bo"}]
    assert not item.keys() & {"author", "collection-editor"}


def test_an_edited_book_that_names_its_editors_has_authors(tmp_path: Path) -> None:
    text = "TY  - EDBOOK\nTI  - Lakes\nAU  - Roe, Ann\nED  - Poe, Bo\nPY  - 2005\nER  - \n"
    (item,) = items(text, "a.ris", tmp_path)
    assert (item["author"][0]["family"], item["editor"][0]["family"]) == ("Roe", "Poe")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.ris",
            "TY  - THES\nTI  - Stones\nAU  - Roe, Ann\nA3  - Poe, Bo\nVL  - PhD\nPB  - ETH\nPY  - 2011\nER  - \n",
        ),
        ("a.enw", "%0 Thesis\n%T Stones\n%A Roe, Ann\n%Y Poe, Bo\n%V PhD\n%I ETH\n%D 2011\n"),
    ],
)
def test_degree_and_supervisor_of_a_thesis_of_endnote_are_no_volume_and_no_editor(
    tmp_path: Path, name: str, text: str
) -> None:
    (item,) = items(text, name, tmp_path)
    assert (item["genre"], item["publisher"]) == ("PhD", "ETH")
    assert not {"volume", "collection-editor", "editor"} & item.keys()


def test_keywords_that_endnote_puts_on_lines_under_one_tag_stay_apart(tmp_path: Path) -> None:
    text = "TY  - JOUR\nTI  - On Lakes\nT2  - Acta\nKW  - water\nfish\nice\nPY  - 2020\nER  - \n"
    assert "  keywords = {water, fish, ice},\n" in exported("bibtex", *indexed(text, "a.ris", tmp_path))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ris", "TY  - JOUR\nTI  - On Lakes\nT2  - Acta\nAN  - 31234567\nDP  - NLM\nDO  - 10.1000/1\nER  - \n"),
        ("a.enw", "%0 Journal Article\n%T On Lakes\n%J Acta\n%M 31234567\n%W NLM\n%R 10.1000/1\n"),
        (
            "a.xml",
            of_endnote(
                "Journal Article",
                "<titles><title>On Lakes</title></titles><accession-num>31234567</accession-num>"
                "<electronic-resource-num>10.1000/1</electronic-resource-num>"
                "<remote-database-provider>NLM</remote-database-provider>",
            ),
        ),
    ],
)
def test_the_accession_number_that_endnote_has_of_pubmed_is_a_pmid(tmp_path: Path, name: str, text: str) -> None:
    (paper,) = indexed(text, name, tmp_path)
    assert (paper.doi, paper.url) == ("10.1000/1", "https://pubmed.ncbi.nlm.nih.gov/31234567/")


def test_the_series_of_a_book_of_endnote_is_not_said_twice(tmp_path: Path) -> None:
    (item,) = items("%0 Book\n%T Lakes\n%A Roe, Ann\n%S Studies in Water\n%D 2005\n", "a.enw", tmp_path)
    assert (item["collection-title"], "container-title" in item) == ("Studies in Water", False)


def test_the_accession_number_of_endnote_is_an_id(tmp_path: Path) -> None:
    (paper,) = indexed("%0 Journal Article\n%T On Lakes\n%M WOS:1\n%U https://example.org/1\n", "a.enw", tmp_path)
    assert (paper.id, paper.url) == ("WOS:1", "https://example.org/1")


def test_a_whole_date_of_endnote_is_kept(tmp_path: Path) -> None:
    text = "%0 Newspaper Article\n%T Floods\n%B The Times\n%D 2012\n%8 2012/06/04\n"
    (item,) = items(text, "a.enw", tmp_path)
    assert item["issued"] == {"date-parts": [[2012, 6, 4]]}


RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:z="http://www.zotero.org/namespaces/export#" xmlns:dcterms="http://purl.org/dc/terms/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:bib="http://purl.org/net/biblio#"
 xmlns:foaf="http://xmlns.com/foaf/0.1/" xmlns:prism="http://prismstandard.org/namespaces/1.2/basic/"
 xmlns:vcard="http://nwalsh.com/rdf/vCard#">
<bib:BookSection rdf:about="urn:isbn:978-3-16-148410-0"><z:itemType>bookSection</z:itemType>
<dcterms:isPartOf><bib:Book><prism:volume>4</prism:volume>
<dcterms:isPartOf><bib:Series><dc:title>Studies in Water</dc:title><dc:identifier>5</dc:identifier></bib:Series>
</dcterms:isPartOf><dc:identifier>ISBN 978-3-16-148410-0</dc:identifier><dc:title>Handbook of Water</dc:title>
</bib:Book></dcterms:isPartOf>
<dc:publisher><foaf:Organization><vcard:adr><vcard:Address><vcard:locality>Berlin</vcard:locality></vcard:Address>
</vcard:adr><foaf:name>Springer</foaf:name></foaf:Organization></dc:publisher>
<bib:authors><rdf:Seq><rdf:li><foaf:Person><foaf:surname>Roe</foaf:surname><foaf:givenName>Ann</foaf:givenName>
</foaf:Person></rdf:li></rdf:Seq></bib:authors>
<bib:editors><rdf:Seq><rdf:li><foaf:Person><foaf:surname>de Gaulle</foaf:surname>
<foaf:givenName>Charles</foaf:givenName>
</foaf:Person></rdf:li></rdf:Seq></bib:editors>
<z:translators><rdf:Seq><rdf:li><foaf:Person><foaf:surname>Poe</foaf:surname><foaf:givenName>Bo</foaf:givenName>
</foaf:Person></rdf:li></rdf:Seq></z:translators>
<dc:subject>water</dc:subject><dc:subject><z:AutomaticTag><rdf:value>rivers</rdf:value></z:AutomaticTag></dc:subject>
<dc:title>A Chapter on Rivers</dc:title><dc:date>1999-05</dc:date><z:language>de</z:language>
<bib:pages>12-34</bib:pages><prism:edition>2</prism:edition>
<dc:description>PMID: 123</dc:description></bib:BookSection>
<bib:Report rdf:about="#item_21"><z:itemType>report</z:itemType><prism:number>TR-77</prism:number>
<dc:publisher><foaf:Organization><foaf:name>OECD</foaf:name></foaf:Organization></dc:publisher>
<dc:title>A Report on Rivers</dc:title><dc:date>2011</dc:date></bib:Report>
<bib:Book rdf:about="#item_22"><z:itemType>book</z:itemType><dc:title>All about Lakes</dc:title><dc:date>2005</dc:date>
<bib:editors><rdf:Seq><rdf:li><foaf:Person><foaf:surname>Roe</foaf:surname><foaf:givenName>Ann</foaf:givenName>
</foaf:Person></rdf:li></rdf:Seq></bib:editors></bib:Book>
</rdf:RDF>"""


def test_zotero_rdf_says_all_that_zotero_says_elsewhere(tmp_path: Path) -> None:
    found = {item["title"]: item for item in items(RDF, "a.rdf", tmp_path)}
    chapter, report, book = (found[title] for title in ("A Chapter on Rivers", "A Report on Rivers", "All about Lakes"))
    del chapter["id"]
    assert chapter == {
        "type": "chapter",
        "title": "A Chapter on Rivers",
        "author": [{"family": "Roe", "given": "Ann"}],
        "editor": [{"family": "Gaulle", "given": "Charles", "non-dropping-particle": "de"}],
        "translator": [{"family": "Poe", "given": "Bo"}],
        "container-title": "Handbook of Water",
        "collection-title": "Studies in Water",
        "collection-number": "5",
        "publisher": "Springer",
        "publisher-place": "Berlin",
        "edition": "2",
        "volume": "4",
        "page": "12-34",
        "ISBN": "978-3-16-148410-0",
        "language": "de",
        "keyword": "water; rivers",
        "issued": {"date-parts": [[1999, 5]]},
        "URL": "https://pubmed.ncbi.nlm.nih.gov/123/",
    }
    assert (report["number"], "issue" in report) == ("TR-77", False)
    assert (book["editor"][0]["family"], "author" in book) == ("Roe", False)


def test_the_address_of_an_item_in_zotero_rdf_says_its_arxiv_id(tmp_path: Path) -> None:
    item = (
        '<bib:Article rdf:about="https://arxiv.org/abs/2101.00001"><z:itemType>journalArticle</z:itemType>'
        "<dc:title>On Lakes</dc:title><prism:number>2</prism:number></bib:Article>"
    )
    (paper,) = indexed(f"{RDF[: RDF.index('>') + 1]}{item}</rdf:RDF>", "a.rdf", tmp_path)
    assert paper.arxiv == "2101.00001"


EDITORS = '<AuthorList Type="editors"><Author><LastName>Poe</LastName><ForeName>Bo</ForeName></Author></AuthorList>'
BOOKS = f"""<PubmedArticleSet><PubmedBookArticle><BookDocument><PMID>1</PMID><ArticleIdList>
<ArticleId IdType="doi">10.1000/chapter</ArticleId></ArticleIdList><Book><Publisher><PublisherName>NAP</PublisherName>
<PublisherLocation>Washington</PublisherLocation></Publisher><BookTitle>Handbook</BookTitle>
<PubDate><Year>1993</Year></PubDate>{EDITORS}<Isbn>9780309453042</Isbn>
<ELocationID EIdType="doi">10.1000/handbook</ELocationID></Book><ArticleTitle>On Lakes</ArticleTitle>
<Language>ger</Language><AuthorList Type="authors"><Author><LastName>Roe</LastName><ForeName>Ann</ForeName></Author>
</AuthorList></BookDocument></PubmedBookArticle>
<PubmedBookArticle><BookDocument><PMID>2</PMID><Book><Publisher><PublisherName>NAP</PublisherName></Publisher>
<BookTitle>On Rivers</BookTitle><PubDate><Year>2017</Year></PubDate><AuthorList Type="authors"><Author>
<CollectiveName>Committee on Rivers</CollectiveName></Author></AuthorList>{EDITORS}
<CollectionTitle>Reports</CollectionTitle><ELocationID EIdType="doi">10.1000/book</ELocationID></Book>{EDITORS}
</BookDocument></PubmedBookArticle>
<PubmedBookArticle><BookDocument><PMID>3</PMID><Book><Publisher><PublisherName>NAP</PublisherName></Publisher>
<BookTitle>On Seas</BookTitle><PubDate><Year>2018</Year></PubDate>{EDITORS}</Book></BookDocument></PubmedBookArticle>
</PubmedArticleSet>"""
POE = [{"family": "Poe", "given": "Bo"}]


def test_books_of_pubmed_have_authors_editors_and_their_own_doi(tmp_path: Path) -> None:
    chapter, book, edited = items(BOOKS, "a.xml", tmp_path)
    assert (chapter["author"][0]["family"], chapter["editor"], chapter["DOI"]) == ("Roe", POE, "10.1000/chapter")
    said = ("container-title", "publisher", "publisher-place", "ISBN", "language")
    assert [chapter[name] for name in said] == ["Handbook", "NAP", "Washington", "9780309453042", "de"]
    assert (book["author"], book["editor"], book["DOI"]) == ([{"literal": "Committee on Rivers"}], POE, "10.1000/book")
    assert book["collection-title"] == "Reports"
    assert (edited["editor"], "author" in edited) == (POE, False)


def test_books_of_medline_have_editors_place_series_and_isbn(tmp_path: Path) -> None:
    text = (
        "PMID- 1\nOWN - NLM\nPB  - NAP\nDP  - 2015\nBTI - On Rivers\nCTI - Reports\nFED - Poe, Bo\nED  - Poe B\n"
        "LA  - fre\nPT  - Book\nPL  - Washington\nISBN- 9780309453042\n\n"
        "PMID- 2\nTI  - On Lakes\nJT  - Acta\nLA  - eng\nPL  - England\nPT  - Journal Article\n"
    )
    book, article = items(text, "a.nbib", tmp_path)
    assert (book["editor"], "author" in book, book["collection-title"]) == (POE, False, "Reports")
    said = ("publisher-place", "ISBN", "language")
    assert [book[name] for name in said] == ["Washington", "9780309453042", "fr"]
    assert not {*said} & article.keys()


WOS = {
    **{"PT": "S", "AF": "Roe, Ann", "BE": "Poe, Bo", "TI": "On Lakes", "SO": "HANDBOOK", "SE": "Studies in Water"},
    **{"LA": "German", "DT": "Proceedings Paper", "DE": "water; ice", "PU": "SPRINGER", "PI": "BERLIN"},
    **{"BN": "978-3-16-148410-0", "PY": "2018", "UT": "WOS:1"},
}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "".join(f"{tag} {value}\n" for tag, value in WOS.items()) + "ER\n"),
        ("b.txt", "\t".join([*WOS, "AU"]) + "\n" + "\t".join([*WOS.values(), "Roe, A"]) + "\n"),
    ],
)
def test_chapters_of_the_web_of_science_have_editors_and_series(tmp_path: Path, name: str, text: str) -> None:
    (item,) = items(text, name, tmp_path)
    assert (item["author"][0]["family"], item["editor"]) == ("Roe", POE)
    said = ("container-title", "collection-title", "publisher-place", "ISBN", "language", "keyword")
    expected = ["HANDBOOK", "Studies in Water", "BERLIN", "978-3-16-148410-0", "de", "water; ice"]
    assert [item[name] for name in said] == expected


def test_chapters_of_scopus_have_editors_and_keywords(tmp_path: Path) -> None:
    columns = (
        "Authors,Title,Year,Source title,Editors,Author Keywords,ISBN,Language of Original Document,Document Type,EID"
    )
    text = f"{columns}\nRoe A.,On Lakes,2019,Handbook,Poe B.; Foe C.,water; ice,978316,French,Book chapter,2-s2.0-1\n"
    (item,) = items(text, "a.csv", tmp_path)
    assert [one["family"] for one in item["editor"]] == ["Poe", "Foe"]
    assert [item[name] for name in ("keyword", "ISBN", "language")] == ["water; ice", "978316", "fr"]


@pytest.mark.parametrize(
    ("written", "family", "given", "suffix"),
    [
        ("Roe, Ann,R.N.", "Roe", "Ann", None),
        ("Roe, Ann, R.N., M.S.N", "Roe", "Ann", None),
        ("Roe, Ann, MD, PhD", "Roe", "Ann", "MD"),
        ("García López, Ann, MPH", "García López", "Ann", None),
        ("Ho, Joyce, V", "Ho", "Joyce V", None),  # as the Web of Science has initials
        ("King, M.S., Jr.", "King", "M.S.", "Jr."),
        ("King, Jr., M.S.", "King", "M.S.", "Jr."),
        ("King, Jr., SR", "King", "S. R.", "Jr."),  # initials that look like a suffix
        ("King, SR, Jr.", "King", "S. R.", "Jr."),
        ("King, MD, III", "King", "M. D.", "III"),
    ],
)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ris", "TY  - JOUR\nTI  - On Lakes\nAU  - {}\nPY  - 2015\nER  - \n"),
        ("a.txt", "PT J\nAF {}\nTI On Lakes\nPY 2015\nUT WOS:1\nER\n"),
    ],
)
def test_degrees_behind_a_name_are_no_part_of_it(
    tmp_path: Path, name: str, text: str, written: str, family: str, given: str, suffix: str | None
) -> None:
    (item,) = items(text.format(written), name, tmp_path)
    (author,) = item["author"]
    assert (author["family"], author["given"], author.get("suffix")) == (family, given, suffix)


def test_a_state_behind_an_organisation_is_no_degree() -> None:
    for name in ("Mayo Clinic, Boston, MA", "General Hospital, Jackson, MS"):
        assert shown_name(name) == name


def test_an_item_made_of_an_entry_of_endnote_says_what_merged_records_say(tmp_path: Path) -> None:
    (ours,) = indexed("%0 Journal Article\n%T On Lakes\n%J Acta\n%D 2015\n", "a.enw", tmp_path)
    (item,) = json.loads(exported("csl-json", replace(ours, doi="10.1000/other")))
    assert (item["DOI"], item["container-title"]) == ("10.1000/other", "Acta")


def test_pages_of_a_thesis_of_endnote_are_how_many_it_has(tmp_path: Path) -> None:
    (item,) = items("%0 Thesis\n%T Stones\n%I ETH\n%P 230\n%D 2011\n", "a.enw", tmp_path)
    assert (item["number-of-pages"], "page" in item) == ("230", False)


def test_the_csv_of_ebsco_has_authors_year_pages_and_kind(tmp_path: Path) -> None:
    columns = "an,title,publicationDate,contributors,doi,source,volume,issue,pageStart,pageEnd,docTypes,longDBName"
    row = '104,On Lakes,20150301,"Roe, Ann; Poe, Bo",10.1000/1,Acta,12,3,100,110,Article,CINAHL'
    (item,) = items(f"{columns}\n{row}\n", "a.csv", tmp_path)
    assert [one["family"] for one in item["author"]] == ["Roe", "Poe"]
    said = ("type", "container-title", "volume", "issue", "page", "issued", "DOI")
    expected = ["article-journal", "Acta", "12", "3", "100-110", {"date-parts": [[2015]]}, "10.1000/1"]
    assert [item[name] for name in said] == expected


def test_the_csv_of_ovid_names_the_journal_and_the_doi(tmp_path: Path) -> None:
    text = (
        '"UI","TI","AU","SO","JN","YR","DO"\n"1","On Lakes","Roe A","Acta. 12(3):1-9, 2019","Acta","2019","10.1000/1"\n'
    )
    (item,) = items(text, "a.csv", tmp_path)
    assert (item["container-title"], item["DOI"]) == ("Acta", "10.1000/1")


def test_records_of_medline_at_the_web_of_science_have_pages_and_no_full_stop(tmp_path: Path) -> None:
    text = "PT J\nTI On Lakes.\nAU Roe, A\nSO Acta\nPS 1-9\nPY 2015\nDT Journal Article\nUT MEDLINE:1\nER\n"
    (item,) = items(text, "a.txt", tmp_path)
    assert (item["title"], item["page"]) == ("On Lakes", "1-9")
