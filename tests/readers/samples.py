"""One small source in the true shape of each format: name → files by path."""

import json
from pathlib import Path

from .corpus_samples import (
    AMINER_TEXT,
    AMINER_V10,
    AMINER_V11,
    AMINER_V12,
    AMINER_V13,
    AMINER_V14,
    BEIR_CORPUS,
    CITEOMATIC,
    PDF_PARSE,
    S2_2017,
    S2_API_PAPER,
    S2AG_ABSTRACTS,
    S2AG_CITATIONS,
    S2AG_PAPERS,
    S2ORC,
)
from .export_samples import EXPORT_SAMPLES
from .helpers import json_lines, write

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
