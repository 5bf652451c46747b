"""What reference managers and databases say of a work in their own exports comes back in BibTeX and CSL-JSON."""

import json
from pathlib import Path
from typing import Any

import bibtexparser
import pytest
from entries_of_users import exported, indexed


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
<bib:editors><rdf:Seq><rdf:li><foaf:Person><foaf:surname>de Gaulle</foaf:surname><foaf:givenName>Charles</foaf:givenName>
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
