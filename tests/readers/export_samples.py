"""What databases and reference managers export, in its true shape with its traps: format → files by path."""

import json

from .article_samples import JATS, JATS_OLDER, TEI

MEDLINE = """
PMID- 11812492
OWN - NLM
STAT- MEDLINE
LR  - 20191106
IS  - 0022-2836 (Print)
VI  - 315
IP  - 5
DP  - 2002 Feb 1-8
TI  - Structure of the <i>lac</i> repressor: a semicolon; and a colon in a title that
      goes on.
PG  - 1009-18
LID - S0022283601952347 [pii]
LID - 10.1006/jmbi.2001.5234 [doi]
AB  - BACKGROUND: PMID- 1 is no record here.
      RESULTS: Binding of O(2) is < 5 %.
CI  - Copyright 2002.
FAU - Müller, Jörg A
AU  - Müller JA
FAU - van der Berg, Ann
AU  - van der Berg A
CN  - The Repressor Group
LA  - eng
TA  - J Mol Biol
JT  - Journal of molecular biology
AID - 10.1006/jmbi.2001.5234 [doi]
SO  - J Mol Biol. 2002 Feb 1;315(5):1009-18.

PMID- 22345678
OWN - NLM
TI  - [Not Available].
TT  - Über das Ohr.
AU  - Plato
DP  - 1999
TA  - Acta
"""

WOS = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Garfield, E
   van der Berg, A
AF Garfield, Eugene
   van der Berg, Ann
TI Citation analysis as a tool in journal evaluation - Journals can be ranked
   by frequency
SO SCIENCE
LA English
AB First sentence.
   Second; with a semicolon.
C1 [Garfield, Eugene] Inst Sci Informat, Philadelphia, PA USA.
CR *WHO, 1970, REPORT
   BRADFORD SC, 1934, ENGINEERING-LONDON, V137, P85
   Price DJD, 1965, SCIENCE, V149, P510, DOI 10.1126/science.149.3683.510
   Small H, 1973, J AM SOC INFORM SCI, V24, P265, DOI [10.1002/asi.4630240406, 10.1002/x]
   [Anonymous], 1971, NATURE
NR 5
TC 1921
PY 1972
VL 178
IS 4060
BP 471
EP +
DI 10.1126/science.178.4060.471
PM 5079701
UT WOS:A1972N888800011
ER

PT J
AU SMALL, H
TI COCITATION IN SCIENTIFIC LITERATURE
SO JOURNAL OF THE AMERICAN SOCIETY FOR INFORMATION SCIENCE
PY 1973
VL 24
IS 4
BP 265
EP 269
UT WOS:A1973Q218500004
ER

PT J
AU BRADFORD, SC
TI SOURCES OF INFORMATION ON SPECIFIC SUBJECTS
SO ENGINEERING-LONDON
PY 1934
VL 137
BP 85
EP 86
UT WOS:000200000000003
ER

EF
"""

_WOS_COLUMNS = ("PT", "AU", "BA", "AF", "TI", "SO", "AB", "CR", "PY", "VL", "BP", "AR", "DI", "UT", "PM")


def _tabbed(*rows: dict[str, str]) -> str:
    lines = ["\t".join(_WOS_COLUMNS), *("\t".join(row.get(name, "") for name in _WOS_COLUMNS) for row in rows)]
    return "\n".join(lines) + "\n"


WOS_TAB = _tabbed(
    {
        "PT": "J",
        "AU": "Garfield, E; van der Berg, A",
        "AF": "Garfield, Eugene; van der Berg, Ann",
        "TI": 'Citation "analysis" as a tool',
        "SO": "SCIENCE",
        "AB": "First sentence. Second; with a semicolon.",
        "CR": "Berg AV, 1934, ENGINEERING-LONDON, V137, P85; Small H, 1973, J AM SOC INFORM SCI, V24, P265, "
        "DOI [10.1002/asi.4630240406; 10.1002/x]; Price DJD, 1965, SCIENCE, V149, ARTN e510",
        "PY": "1972",
        "VL": "178",
        "BP": "471",
        "DI": "10.1126/science.178.4060.471",
        "UT": "WOS:A1972N888800011",
        "PM": "5079701",
    },
    {
        "PT": "J",
        "AU": "Price, DJD",
        "TI": "Networks of scientific papers",
        "SO": "SCIENCE",
        "PY": "1965",
        "VL": "149",
        "AR": "e510",
        "UT": "WOS:A19656652600003",
    },
)

SCOPUS = """\
"Authors","Author full names","Author(s) ID","Title","Year","Source title","Volume","Issue","Art. No.","Page start",\
"Page end","Cited by","DOI","Link","Abstract","References","PubMed ID","Document Type","EID"
"Müller J.; van der Berg A.","Müller, Jörg (57190000001); van der Berg, Ann (57190000002)","57190000001; 57190000002",\
"Title with ""quotes"", a comma
and a line break","2020","Journal of Things","12","3","","345","350","7","10.1016/j.jot.2020.01.001",\
"https://www.scopus.com/inward/record.uri?eid=2-s2.0-85000000001&doi=10.1016","Text with <sub>2</sub>. © 2020 Elsevier",\
"Smith J.-P., Doe A., An older title, with a comma, Journal of Things, 8, 2, pp. 17-29, (2016); Brown B., \
Book without pages, (2010); Green, C., Title of the old layout (2015) Physical Letters, 7 (1), art. no. 012345","",\
"Article","2-s2.0-85000000001"
"Smith J.-P.; Doe A.","","","An older title, with a comma","2016","Journal of Things","8","2","","17","29","1","","",\
"[No abstract available]","","","Article","2-s2.0-85000000002"
"Green C.","","","Title of the old layout","2015","Physical Letters","7","1","012345","","","1","","","Old.","","",\
"Article","2-s2.0-85000000003"
"[No author name available]","","","Editorial of nobody","2015","Things","","","","","","","","","","","","Editorial",\
"2-s2.0-85000000004"
"""

SCOPUS_RIS = """TY  - JOUR
TI  - FORC signatures of nanowires
T2  - Journal of Applied Physics
J2  - J Appl Phys
VL  - 128
IS  - 9
PY  - 2020
DO  - 10.1063/5.0020407
AU  - Pierrot, A.
AU  - Béron, F.
N1  - Export Date: 15 October 2020
M3  - Article
DB  - Scopus
C7  - 093903
N1  - References: Mayergoyz, I.D., (1986) Phys. Rev. Lett., 56, p. 1518;
Roberts, A.P., Heslop, D., FORC diagrams (2014) Rev. Geophys., 52, pp. 557-602. , https://doi.org/10.1002/2014RG000462;
Pike, C.R., Roberts, A.P., Characterizing interactions (1999) J. Appl. Phys., 85 (9), pp. 6660-6667;
UR  - https://www.scopus.com/inward/record.uri?eid=2-s2.0-85090000000
ER  - 

TY  - JOUR
TI  - Characterizing interactions
PY  - 1999
VL  - 85
SP  - 6660
EP  - 6667
AU  - Pike, C.R.
ER  - 
"""

ENDNOTE = """%0 Journal Article
%A Müller, Jörg
%A van der Berg, Ann, Jr.
%T A title over
two lines
%J Journal of Things
%V 12
%N 3
%P 345-350
%D 2001
%X An abstract, 5 %
of which goes on.

After a blank line.
%K one
two
%R 10.1000/ENW.1
%U https://example.org/enw
%@ 0000-0000

%0 Conference Proceedings
%A The Group
%T Without any identifier
%B Proceedings of Things
%8 May 5, 1999
"""


def _styled(text: str) -> str:
    return f'<style face="normal" font="default" size="100%">{text}</style>'


ENDNOTE_XML = (
    '<?xml version="1.0" encoding="UTF-8" ?><xml><records><record><database name="My.enl" path="C:\\My.enl">My.enl'
    '</database><source-app name="EndNote" version="20.4">EndNote</source-app><rec-number>1</rec-number><foreign-keys>'
    '<key app="EN" db-id="a" timestamp="1600000000">1</key></foreign-keys><ref-type name="Journal Article">17</ref-type>'
    f"<contributors><authors><author>{_styled('Müller, Jörg')}</author><author>{_styled('The Group,')}</author>"
    f"</authors></contributors><titles><title>{_styled('Effects of CO')}"
    '<style face="subscript" font="default" size="100%">2</style>'
    f"{_styled(' &amp; others')}</title><secondary-title>{_styled('J. Things')}</secondary-title></titles>"
    f"<periodical><full-title>{_styled('Journal of Things')}</full-title></periodical><pages>{_styled('345-350')}</pages>"
    f"<volume>{_styled('12')}</volume><dates><year>{_styled('2001')}</year></dates>"
    f"<abstract>{_styled('First line.&#xD;Second line.')}</abstract><urls><related-urls><url>"
    f"{_styled('https://example.org/endnote')}</url></related-urls></urls><electronic-resource-num>"
    f"{_styled('https://doi.org/10.1000/EN.XML')}</electronic-resource-num></record><record><rec-number>2</rec-number>"
    '<ref-type name="Book">6</ref-type><titles><title>No style here</title></titles><dates><year>1999</year></dates>'
    "</record></records></xml>\n"
)

ZOTERO_RDF = """<rdf:RDF
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:z="http://www.zotero.org/namespaces/export#"
 xmlns:dcterms="http://purl.org/dc/terms/"
 xmlns:bib="http://purl.org/net/biblio#"
 xmlns:foaf="http://xmlns.com/foaf/0.1/"
 xmlns:link="http://purl.org/rss/1.0/modules/link/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:prism="http://prismstandard.org/namespaces/1.2/basic/">
    <bib:Article rdf:about="https://example.org/rdf">
        <z:itemType>journalArticle</z:itemType>
        <dcterms:isPartOf rdf:resource="urn:issn:0028-0836"/>
        <bib:authors>
            <rdf:Seq>
                <rdf:li><foaf:Person><foaf:surname>Watson</foaf:surname><foaf:givenName>J. D.</foaf:givenName>
                </foaf:Person></rdf:li>
                <rdf:li><foaf:Person><foaf:surname>Crick</foaf:surname><foaf:givenname>F.</foaf:givenname>
                </foaf:Person></rdf:li>
            </rdf:Seq>
        </bib:authors>
        <link:link rdf:resource="#item_7"/>
        <dc:title>Molecular Structure of &lt;i&gt;Nucleic&lt;/i&gt; Acids</dc:title>
        <dcterms:abstract>We wish
to suggest a structure.</dcterms:abstract>
        <dc:date>1953/04</dc:date>
        <bib:pages>737-738</bib:pages>
        <dc:identifier><dcterms:URI><rdf:value>https://example.org/rdf</rdf:value></dcterms:URI></dc:identifier>
    </bib:Article>
    <z:Attachment rdf:about="#item_7">
        <z:itemType>attachment</z:itemType>
        <dc:title>Full Text PDF</dc:title>
    </z:Attachment>
    <bib:Memo rdf:about="#item_9"><rdf:value>&lt;p&gt;A note&lt;/p&gt;</rdf:value></bib:Memo>
    <bib:Journal rdf:about="urn:issn:0028-0836">
        <prism:volume>171</prism:volume>
        <dc:title>Nature</dc:title>
        <dc:identifier>DOI 10.1038/171737a0</dc:identifier>
        <prism:number>4356</prism:number>
        <dc:identifier>ISSN 0028-0836</dc:identifier>
    </bib:Journal>
    <rdf:Description rdf:about="#item_11">
        <z:itemType>conferencePaper</z:itemType>
        <dcterms:isPartOf><bib:Journal><dc:title>Proceedings of Things</dc:title></bib:Journal></dcterms:isPartOf>
        <dc:title>Without address</dc:title>
        <dc:date>June 5, 2003</dc:date>
    </rdf:Description>
    <z:Collection rdf:about="#collection_1"><dc:title>My collection</dc:title></z:Collection>
</rdf:RDF>
"""

ZOTERO_CSV = """\
"Key","Item Type","Publication Year","Author","Title","Publication Title","ISBN","ISSN","DOI","Url","Abstract Note",\
"Date","Date Added","Pages","Issue","Volume","Editor"
"ABCD2345","journalArticle","2001","Müller, Jörg; van der Berg, Ann","Title with ""quotes"" within","Journal of Things","",\
"0000-0000","10.1000/ZOT.CSV","https://example.org/csv","Line one.
Line two; with a semicolon.","2001-05-03","2024-01-01 10:00:00","345-350","3","12",""
"EFGH6789","book","1999","","Only an editor","","","","","","","1999","2024-01-01 10:00:00","","","","Doe, Jane"
"IJKL2345","attachment","","","A file","","","","","","","","2024-01-01 10:00:00","","","",""
"""

BETTER_BIBTEX = json.dumps(
    {
        "config": {"id": "36a3b0b5-bad0-4a04-b79b-441c7cef77db", "label": "BetterBibTeX JSON", "options": {}},
        "version": {"zotero": "7.0.11", "bbt": "7.0.5"},
        "collections": {"KEY1": {"key": "KEY1", "name": "Things", "items": [1], "collections": []}},
        "items": [
            {
                "itemID": 1,
                "itemKey": "ABCD2345",
                "citationKey": "mullerTitle2001",
                "itemType": "journalArticle",
                "title": "A <i>title</i> &amp; more",
                "creators": [
                    {"creatorType": "author", "firstName": "Jörg", "lastName": "Müller"},
                    {"creatorType": "editor", "firstName": "Ed", "lastName": "Itor"},
                    {"creatorType": "author", "name": "The Group"},
                ],
                "date": "2001-05-03",
                "publicationTitle": "Journal of Things",
                "DOI": "10.1000/BBT",
                "abstractNote": "About things.",
                "volume": "12",
                "pages": "345–350",
                "attachments": [{"itemType": "attachment", "title": "PDF", "path": "/home/x/a.pdf"}],
                "notes": [],
                "tags": [{"tag": "x"}],
            },
            {"itemType": "note", "itemKey": "N", "note": "<p>x</p>"},
            {
                "itemKey": "EFGH6789",
                "citationKey": "doePreprint",
                "itemType": "preprint",
                "title": "A preprint",
                "creators": [{"creatorType": "author", "firstName": "Jane", "lastName": "Doe"}],
                "date": "2017-06",
                "repository": "arXiv",
                "archiveID": "arXiv:1706.03762",
                "extra": "arXiv:1706.03762 [cs]\nDOI: 10.48550/arXiv.1706.03762\nPMID: 12345",
            },
        ],
    },
    indent=2,
    ensure_ascii=False,
)

DIMENSIONS = """\
"About the data: Exported on Nov 22, 2026. Criteria: 'things' in full data; Publication Type is Article. © 2026 Digital \
Science & Research Solutions Inc. All rights reserved."
Rank,Publication ID,DOI,PMID,PMCID,Title,Abstract,Source title,Anthology title,Publication Date,PubYear,Volume,Issue,\
Pagination,Authors,Times cited,Dimensions URL,Cited references,Publication Date
500,pub.1000000001,10.1000/DIM.1,,,First title,"Abstract, with a comma",Journal of Things,,2020-05-03,2020,12,3,345-350,\
"Müller, Jörg; van der Berg, Ann",7,https://app.dimensions.ai/details/publication/pub.1000000001,\
"[Doe, Jane]||Old title|Things|2016|8|2|17-29|10.1000/dim.2|pub.1000000002|5;[Roe, R]||x|y|2010|||||pub.1000000009|1",
500,pub.1000000002,10.1000/dim.2,12345678,,Old title,,Things,,2016,2016,8,2,17-29,"Doe, Jane",5,,-,
"""

LENS = """\
Lens ID,Title,Date Published,Publication Year,Publication Type,Source Title,ISSNs,Publisher,Source Country,Author/s,\
Abstract,Volume,Issue Number,Start Page,End Page,Fields of Study,Source URLs,External URL,PMID,DOI,Microsoft Academic ID,\
PMCID,Citing Patents Count,References,Citing Works Count,Is Open Access
000-100-200-300-40X,First title,2020-05-03,2020,journal article,Journal of Things,00000000; 11111111,Elsevier,,\
Jörg Müller; Ann van der Berg,"<jats:p>Abstract, with a comma</jats:p>",12,3,345,350,Biology; Medicine,http://x.org; \
http://y.org,http://dx.doi.org/10.1000/lens.1,,10.1000/LENS.1,2500000000,,0,000-100-200-300-999; 000-111-222-333-444,7,true
000-100-200-300-999,Second title,2016,2016,book,,,,,,,,,,,,,,12345678,,,,0,,0,false
"""

PUBMED_CSV = """\
PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,NIHMS ID,DOI
11812492,"Structure of a repressor, and more","Müller JA, van der Berg A, Repressor Group.",\
J Mol Biol. 2002 Feb 1;315(5):1009-18. doi: 10.1006/jmbi.2001.5234.,Müller JA,J Mol Biol,2002,2002/01/29,,,\
10.1006/jmbi.2001.5234
22345678,No DOI,Plato.,Acta. 1999.,Plato,Acta,1999,1999/01/29,PMC1,,
"""

EXPORT_SAMPLES: dict[str, dict[str, str]] = {
    "medline": {"pubmed-things-set.nbib": MEDLINE},
    "wos": {"savedrecs.txt": WOS},
    "wos_tab": {"savedrecs.txt": WOS_TAB},
    "scopus": {"scopus.csv": SCOPUS},
    "endnote": {"citation.enw": ENDNOTE},
    "endnote_xml": {"My.xml": ENDNOTE_XML},
    "zotero_rdf": {"My Library.rdf": ZOTERO_RDF},
    "zotero_csv": {"My Library.csv": ZOTERO_CSV},
    "better_bibtex": {"My Library.json": BETTER_BIBTEX},
    "dimensions": {"Dimensions-Publication-2026-11-22.csv": DIMENSIONS},
    "lens": {"lens-export.csv": LENS},
    "pubmed_csv": {"csv-things-set.csv": PUBMED_CSV},
    "jats": {"PMC6000001.nxml": JATS, "PMC0000002.xml": JATS_OLDER},
    "tei": {"paper.tei.xml": TEI},
}
