"""One small source in the true shape of each format: name → files by path."""

import json
from pathlib import Path

from .export_samples import EXPORT_SAMPLES
from .helpers import json_lines, write

S2ORC = {
    "paper_id": "77490025",
    "title": "On the Cochlea",
    "authors": [
        {"first": "Georg", "middle": ["von", "X."], "last": "Békésy", "suffix": "Jr."},
        {"first": "", "middle": [], "last": "Plato", "suffix": ""},
    ],
    "abstract": "AIM: hear.:::RESULTS: heard.",
    "year": 1960,
    "arxiv_id": None,
    "acl_id": None,
    "pmc_id": "123",
    "pubmed_id": "456",
    "mag_id": "789",
    "doi": "10.1000/ABC",
    "venue": None,
    "journal": "Acta",
    "has_outbound_citations": True,
    "outbound_citations": ["1", "2"],
    "inbound_citations": ["3"],
    "has_pdf_parse": True,
    "s2_url": "https://api.semanticscholar.org/CorpusID:77490025",
}
PDF_PARSE = {"paper_id": "77490025", "_pdf_hash": "", "abstract": [], "body_text": [], "bib_entries": {}}

S2AG_PAPERS = json_lines(
    {
        "corpusid": 11,
        "externalids": {"ACL": None, "DBLP": "x", "ArXiv": "1706.03762", "MAG": "5", "CorpusId": "11", "DOI": "10.1/X"},
        "url": "https://www.semanticscholar.org/paper/11",
        "title": "First",
        "authors": [{"authorId": "1", "name": "Ann A."}, {"authorId": None, "name": "Bo B."}],
        "venue": "",
        "publicationvenueid": None,
        "year": 2017,
        "referencecount": 2,
        "citationcount": 0,
        "journal": {"name": "ArXiv", "pages": None, "volume": "abs/1706.03762"},
    },
    {"corpusid": 12, "externalids": None, "url": "u", "title": "Second", "authors": [], "venue": "V", "year": None},
)
S2AG_ABSTRACTS = json_lines({"corpusid": 11, "openaccessinfo": {"status": None}, "abstract": "About the first."})
S2AG_CITATIONS = json_lines(
    {"citingcorpusid": "11", "citedcorpusid": "12", "isinfluential": False, "contexts": None, "intents": None},
    {"citingcorpusid": "11", "citedcorpusid": "12", "isinfluential": False, "contexts": None, "intents": None},
    {"citingcorpusid": "11", "citedcorpusid": None, "isinfluential": False, "contexts": ["x"], "intents": None},
    {"citingcorpusid": 11, "citedcorpusid": 99, "isinfluential": True, "contexts": None, "intents": ["background"]},
)

AMINER_TEXT = """2
#*Spatial Data Structures &amp; Trees.
#@Hanan Samet,Marvin White
#t1995
#cModern Database Systems
#index25
#%165
#%356
#!An overview of
hierarchical structures.

#index 26
#* Another order of the marks
#@ Ann A.;Bo B.
#o Univ. X;Univ. Y
#t 2000
#c VLDB
#% 25
"""

AMINER_V10 = json_lines(
    {
        "authors": ["Makoto Satoh", "Ryo Muramatsu"],
        "n_citation": 0,
        "references": ["51c7e02e-f5ed-431a-8cf5-f761f266d4be"],
        "title": "Preliminary Design of a Network",
        "venue": "international conference on systems",
        "year": 2013,
        "id": "00127ee2-cb05-48ce-bc49-9de556b93346",
        "abstract": "This paper presents a design.",
    }
)
AMINER_V11 = json_lines(
    {
        "id": "100001334",
        "title": "Ontologies in HYDRA",
        "authors": [{"name": "Peter K.", "org": "", "id": "2702511795"}],
        "venue": {"raw": "Encyclopedia"},
        "year": 2009,
        "n_citation": 2,
        "page_start": "",
        "doc_type": "Journal",
        "publisher": "",
        "references": ["200001"],
        "indexed_abstract": json.dumps({"IndexLength": 3, "InvertedIndex": {"wear": [2], "We": [0], "sensors": [1]}}),
        "fos": [{"name": "Ontology", "w": 0.5}],
        "doi": "10.1000/11",
    }
)
AMINER_V12 = (
    '[{"id":1091,"authors":[{"name":"Makoto Satoh","org":"Shinshu","id":2312688602}],"title":"Array of lines",'
    '"year":2013,"n_citation":1,"page_start":"89","doc_type":"Conference","doi":"10.1/12","references":[2005687710,'
    '2018037215],"indexed_abstract":{"IndexLength":2,"InvertedIndex":{"Hello":[0],"world":[1]}},"fos":[],'
    '"venue":{"raw":"ICSI","id":2754,"type":"C"}}\n,{"id":1388,"title":"Second","authors":[],"year":1999}\n]\n'
)
AMINER_V13 = """[
{
    "_id" : "53e99784b7602d9701f3e3f5",
    "title" : "3GIO.",
    "venue" : {"_id" : "53a7", "name_d" : "Hot Interconnects", "type" : NumberInt(0), "raw" : "HOTI"},
    "authors" : [
        {"_id" : "x", "name" : "Ann A."}
    ],
    "year" : NumberInt(2011),
    "n_citation" : NumberInt(0),
    "lang" : "en",
    "abstract" : "A raw line
break, and NumberInt(5) is a word.",
    "url" : ["http://x.org/1"],
    "references" : ["53e99cf5b7602d97025aceda"]
},
{
    "_id" : "b",
    "title" : "B",
    "year" : NumberInt(1999)
}
]
""".replace("\n", "\r\n")
AMINER_V14 = json.dumps(
    [
        {
            "id": "53e997ddb7602d9701fd3ad7",
            "title": "Fourteen",
            "doi": "10.1007/14",
            "issue": "",
            "keywords": [],
            "lang": "en",
            "venue": {"raw": "NLDB"},
            "year": 2007,
            "n_citation": 11,
            "url": ["http://dx.doi.org/10.1007/14"],
            "abstract": "Plain again.",
            "authors": [{"id": "a", "name": "Xiaowei Xu", "org": "UALR"}],
            "references": ["53e9"],
        }
    ]
)

PUBMED = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2024//EN" "http://example.invalid/pubmed.dtd">
<PubmedArticleSet>
<PubmedArticle>
 <MedlineCitation Status="MEDLINE" Owner="NLM">
  <PMID Version="1">1001</PMID>
  <Article PubModel="Print">
   <Journal><ISSN>0000-0000</ISSN><JournalIssue><PubDate><MedlineDate>1998 Dec-1999 Jan</MedlineDate></PubDate>
    </JournalIssue><Title>Acta medica</Title><ISOAbbreviation>Acta Med.</ISOAbbreviation></Journal>
   <ArticleTitle>Effects of CO<sub>2</sub> on <i>E. coli</i> &amp; others.</ArticleTitle>
   <ELocationID EIdType="doi" ValidYN="N">10.1/wrong</ELocationID>
   <ELocationID EIdType="doi" ValidYN="Y">10.1000/Right</ELocationID>
   <Abstract><AbstractText Label="AIM">To <b>see</b>.</AbstractText>
     <AbstractText Label="UNLABELLED">Seen.</AbstractText>
    <CopyrightInformation>All mine.</CopyrightInformation></Abstract>
   <AuthorList><Author ValidYN="Y"><LastName>Müller</LastName><ForeName>Ann B</ForeName><Initials>AB</Initials>
    <Suffix>Jr</Suffix></Author><Author><CollectiveName>The Group</CollectiveName></Author></AuthorList>
  </Article>
  <CommentsCorrectionsList><CommentsCorrections RefType="CommentIn"><PMID Version="1">666</PMID></CommentsCorrections>
  </CommentsCorrectionsList>
 </MedlineCitation>
 <PubmedData>
  <ArticleIdList><ArticleId IdType="pubmed">1001</ArticleId></ArticleIdList>
  <ReferenceList><Title>References</Title><Reference><Citation>Somebody 1990.</Citation>
   <ArticleIdList><ArticleId IdType="pubmed">900</ArticleId><ArticleId IdType="doi">10.1/9</ArticleId></ArticleIdList>
   </Reference><Reference><Citation>No id.</Citation></Reference>
   <ReferenceList><Reference><ArticleIdList><ArticleId IdType="pubmed">901</ArticleId></ArticleIdList></Reference>
   </ReferenceList></ReferenceList>
 </PubmedData>
</PubmedArticle>
<PubmedArticle>
 <MedlineCitation><PMID Version="1">1002</PMID><Article><Journal><JournalIssue><PubDate><Year>2003</Year></PubDate>
 </JournalIssue></Journal><ArticleTitle>[Not Available].</ArticleTitle><VernacularTitle>Über das Ohr.</VernacularTitle>
 </Article></MedlineCitation>
</PubmedArticle>
<DeleteCitation><PMID Version="1">13</PMID></DeleteCitation>
</PubmedArticleSet>
"""

OPENALEX_WORK = {
    "id": "https://openalex.org/W2741809807",
    "doi": "https://doi.org/10.7717/PEERJ.4375",
    "title": "The state of <i>OA</i> &amp; more",
    "display_name": "The state of OA",
    "publication_year": 2018,
    "type": "article",
    "biblio": {"volume": "6", "issue": None, "first_page": "e4375", "last_page": "e4375"},
    "primary_location": {
        "landing_page_url": "https://doi.org/10.7717/peerj.4375",
        "source": {"display_name": "PeerJ", "type": "journal", "host_organization_name": "PeerJ, Inc."},
    },
    "locations": [{"landing_page_url": "https://arxiv.org/abs/1802.00001"}],
    "authorships": [{"author_position": "first", "author": {"id": "A1", "display_name": "Heather Piwowar"}}],
    "referenced_works": ["https://openalex.org/W1", "https://openalex.org/W2"],
    "abstract_inverted_index": {"Despite": [0], "growing": [1, 3], "interest": [2]},
}

ARXIV = json_lines(
    {
        "id": "0704.0001",
        "submitter": "Pavel Nadolsky",
        "authors": "C. Bal\\'azs, E. L. Berger and P. M. Nadolsky",
        "title": 'Calculation of prompt\n  diphoton production at M\\"unster',
        "comments": "37 pages",
        "journal-ref": "Phys.Rev.D76:013009,2007",
        "doi": "10.1103/PhysRevD.76.013009",
        "report-no": None,
        "categories": "hep-ph",
        "license": None,
        "abstract": "  A fully differential calculation with $\\sqrt{s}$ is presented.\n",
        "versions": [
            {"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"},
            {"version": "v2", "created": "Tue, 24 Jul 2009 20:10:27 GMT"},
        ],
        "update_date": "2013-11-26",
        "authors_parsed": [["Bal\\'azs", "C.", ""], ["Berger", "E. L.", "Jr."]],
    }
)

ARXIV_ATOM = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <link href="http://arxiv.org/api/query?search_query%3D%26id_list%3D0704.0001%2Chep-th%2F9901001" rel="self"/>
  <title type="html">ArXiv Query: search_query=&amp;id_list=0704.0001&amp;start=0&amp;max_results=2</title>
  <id>http://arxiv.org/api/Pr5PZ8IUiCFcHYLmX6vSZEaWYGA</id>
  <updated>2026-11-22T00:00:00-05:00</updated>
  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">2</opensearch:totalResults>
  <entry>
    <id>http://arxiv.org/abs/0704.0001v2</id>
    <updated>2009-07-24T20:10:27Z</updated>
    <published>2007-04-02T19:18:42Z</published>
    <title>Calculation of prompt
  diphoton production at M\\"unster</title>
    <summary>  A fully differential calculation with $\\sqrt{s}$ &lt; 5 is
presented.
</summary>
    <author>
      <name>C. Balázs</name>
      <arxiv:affiliation xmlns:arxiv="http://arxiv.org/schemas/atom">Argonne</arxiv:affiliation>
    </author>
    <author>
      <name>E. L. Berger</name>
    </author>
    <arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1103/PhysRevD.76.013009</arxiv:doi>
    <link title="doi" href="http://dx.doi.org/10.1103/PhysRevD.76.013009" rel="related"/>
    <arxiv:comment xmlns:arxiv="http://arxiv.org/schemas/atom">37 pages</arxiv:comment>
    <arxiv:journal_ref xmlns:arxiv="http://arxiv.org/schemas/atom">Phys.Rev.D76:013009,2007</arxiv:journal_ref>
    <link href="http://arxiv.org/abs/0704.0001v2" rel="alternate" type="text/html"/>
    <link title="pdf" href="http://arxiv.org/pdf/0704.0001v2" rel="related" type="application/pdf"/>
    <arxiv:primary_category xmlns:arxiv="http://arxiv.org/schemas/atom" term="hep-ph"/>
    <category term="hep-ph" scheme="http://arxiv.org/schemas/atom"/>
  </entry>
  <entry>
    <id>http://arxiv.org/abs/hep-th/9901001v3</id>
    <published>1999-01-01T00:00:00Z</published>
    <title>An old one</title>
    <summary>Strings.</summary>
    <author><name>A. One</name></author>
  </entry>
</feed>
"""

# As openalex.org writes it, with fewer columns.
OPENALEX_CSV = """\
id,doi,title,display_name,publication_year,publication_date,ids.openalex,ids.pmid,language,\
primary_location.landing_page_url,primary_location.source.display_name,type,authorships.author_position,\
authorships.author.id,authorships.author.display_name,authorships.raw_author_name,is_retracted,\
locations.landing_page_url,biblio.volume,referenced_works,related_works,abstract
https://openalex.org/W2741809807,https://doi.org/10.7717/PEERJ.4375,"The state of <i>OA</i>, &amp; more",\
The state of OA,2018,2018-02-13,https://openalex.org/W2741809807,https://pubmed.ncbi.nlm.nih.gov/29456894,en,\
https://doi.org/10.7717/peerj.4375,PeerJ,article,first|middle,https://openalex.org/A1|None,\
Heather Piwowar|Jörg Müller,Heather Piwowar|Jörg Müller,False,\
https://doi.org/10.7717/peerj.4375|https://arxiv.org/abs/1802.00001,6,\
https://openalex.org/W1|https://openalex.org/W2,https://openalex.org/W7,"Despite growing interest, growing"
https://openalex.org/W9,,Nothing is known,Nothing is known,1999,1999-01-01,https://openalex.org/W9,\
https://pubmed.ncbi.nlm.nih.gov/12345678,None,None,None,article,first,None,None,Ann Roe,True,None,,,,
"""

RIS = """TY  - JOUR
AU  - Müller, Jörg
AU  - van der Berg, Ann, Jr.
TI  - Title over
      two lines
PY  - 2001/05/03/
JO  - Acta
AB  - Abstract with a dash - and a
blank line below.

More of it.
DO  - https://doi.org/10.1000/RIS
UR  - https://example.org/ris
ER  - \nTY  - CONF
ID  - own-id
T1  - No end mark
A1  - Plato
Y1  - 1999
TY  - JOUR
TI  - Last, without an end
PY  - 2010
"""

CSL = json.dumps(
    [
        {
            "id": "doe2009",
            "type": "article-journal",
            "title": "A title",
            "container-title": "Acta",
            "abstract": "<jats:p>In JATS.</jats:p>",
            "author": [
                {"family": "Doe", "given": "Jane"},
                {"family": "Berg", "given": "Jan", "non-dropping-particle": "van der"},
                {"literal": "The Group"},
            ],
            "issued": {"date-parts": [["2009", 3, 1]]},
            "DOI": "10.1000/CSL",
            "URL": "https://example.org/csl",
        },
        {"type": "book", "title": ["Crossref's list"], "DOI": "10.1000/2", "issued": {"raw": "circa 1950"}},
    ],
    indent=2,
)

CSL_YAML = """---
references:
- abstract: |-
    Of waves: one aim.

    - not an item
  accessed:
    - year: 2024
      month: 3
      day: 14
  author:
    - family: Berg
      given: Jan
      non-dropping-particle: van der
    - literal: The Group
  container-title: Acta
  DOI: 10.1000/CSL
  id: bergWaves2009
  issued:
    - year: 2009
      month: 3
  page: 10:23
  title: 'On waves: "a study"'
  type: article-journal
# What Pandoc writes
- id: doe2010
  author:
  - family: Doe
    given: Jane
  issued: 2010-05-01
  title: >
    No waves at
    all
  type: book
...
"""

S2_API_PAPER = {
    "paperId": "649def34f8be52c8b66281af98ae884c09aef38b",
    "externalIds": {"MAG": "2964", "ArXiv": "1805.02262", "DOI": "10.18653/V1/N18-3011", "PubMed": "29000000"},
    "url": "https://www.semanticscholar.org/paper/649def34f8be52c8b66281af98ae884c09aef38b",
    "title": "Construction of the Literature Graph in Semantic Scholar",
    "abstract": "We describe a deployed scalable system for organizing published scientific literature.",
    "venue": "NAACL",
    "year": 2018,
    "authors": [{"authorId": "1", "name": "Waleed Ammar"}, {"authorId": None, "name": "Oren Etzioni"}],
    "references": [{"paperId": "0" * 40, "title": "Other"}, {"paperId": None, "title": "Unidentified"}],
}

S2_2017 = {
    "id": "4cd223df721b722b1c40689caa52932a41fcc223",
    "title": "Knowledge-rich, computer-assisted composition",
    "paperAbstract": "Résumé of\nan abstract.",
    "keyPhrases": ["composition"],
    "s2Url": "https://semanticscholar.org/paper/4cd223df",
    "pdfUrls": [],
    "authors": [{"name": "Ann Author", "ids": ["1741101"]}, {"name": "Bo Böse", "ids": []}],
    "inCitations": ["c789e333fdbb963883a0b5c96c648bf36b8cd242"],
    "outCitations": ["abe213ed63c426a089bdf4329597137751dbb3a0", "4cd223df721b722b1c40689caa52932a41fcc223"],
    "year": 2016,
    "venue": "HLT",
}
CITEOMATIC = {
    "title": "random walks , revisited",
    "abstract": "we walk at random .",
    "authors": ["Ann Author", "Bo Böse"],
    "out_citations": ["7", "12", "3", "12"],
    "year": 2009,
    "id": "12",
    "venue": "KDD",
    "in_citation_count": 4,
    "out_citation_count": 4,
    "key_phrases": ["random walk"],
    "title_raw": "Random Walks, Revisited",
    "abstract_raw": "We walk at random.",
    "date": None,
}

BEIR_CORPUS = json_lines(
    {"_id": "d1", "title": "Direct Ranker", "text": "About ranking.", "metadata": {}},
    {
        "_id": "d2",
        "title": "",
        "text": "Text only.",
        "metadata": {"authors": ["1741101", "Ada L."], "year": 1997, "references": ["d1", "d9"], "cited_by": ["d7"]},
    },
)

SAMPLES: dict[str, dict[str, str]] = {
    "jsonl": {"papers.jsonl": json_lines({"id": "p1", "title": "T", "year": 2001, "citations": ["p2"]})},
    "s2_2017": {"s2.json": json_lines(S2_2017)},
    "citeomatic": {"corpus.json": json_lines(CITEOMATIC)},
    "beir": {
        "corpus.jsonl": BEIR_CORPUS,
        "queries.jsonl": json_lines({"_id": "q1", "text": "Q", "metadata": {}}),
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    },
    "bibtex": {"refs.bib": '@string{j = "J"}\n@article{k, title = {{B}ib \\"{o}}, author = {Doe, J.}, journal = j}\n'},
    "s2orc": {"metadata/m.jsonl": json_lines(S2ORC), "pdf_parses/p.jsonl": json_lines(PDF_PARSE)},
    "s2ag": {
        "abstracts/a.jsonl": S2AG_ABSTRACTS,
        "citations/c.jsonl": S2AG_CITATIONS,
        "papers/p.jsonl": S2AG_PAPERS,
        "README.txt": "Semantic Scholar Academic Graph Datasets",
    },
    "aminer_text": {"publications.txt": AMINER_TEXT},
    "aminer_json": {
        "v10.json": AMINER_V10,
        "v11.txt": AMINER_V11,
        "v12.json": AMINER_V12,
        "v13.json": AMINER_V13,
        "v14.json": AMINER_V14,
    },
    "cluscite": {
        "papers.txt": "1\tconf/x/1\t2001\tFirst title\n2\tconf/x/2\t\tSecond title\n",
        "abstracts.txt": "1\tAbout the first.\n2\n",
        "paper_paper.txt": "1\t2\n1\t2\n1\t99\n",
        "paper_author.txt": "1\tAnn A.\n1\t7\n1\t8\n",
        "paper_venue.txt": "1\t3\n",
        "authors.txt": "7\tBo B.\n",
        "venues.txt": "3\tKDD\n",
        "paper_keyphrases.txt": "1\tciting 0.5\n",
    },
    "pubmed": {"pubmed24n0001.xml": PUBMED, "pubmed24n0001.xml.gz.md5": "MD5(pubmed24n0001.xml.gz)= 0123\n"},
    "s2_api": {"search.json": json_lines({"total": 1, "data": [S2_API_PAPER]})},
    "openalex": {"part_000": json_lines(OPENALEX_WORK)},
    "openalex_csv": {"works-2026-11-22T10-00-00.csv": OPENALEX_CSV},
    "arxiv_atom": {"query.xml": ARXIV_ATOM},
    "arxiv": {"arxiv-metadata-oai-snapshot.json": ARXIV},
    "ris": {"refs.ris": RIS},
    "table": {"list.csv": "Nr;Titel;Autor(en);Jahr;DOI\n1;Über Dinge;Müller, J.;2001;10.1000/dinge\n"},
    "csl_json": {"items.json": CSL},
    "csl_yaml": {"library.yaml": CSL_YAML},
    **EXPORT_SAMPLES,
}


def write_sample(folder: Path, name: str) -> Path:
    """The sample of a format as files under `folder`."""
    for path, content in SAMPLES[name].items():
        write(folder / path, content)
    return folder
