"""Samples of corpora that research groups publish, and of Semantic Scholar's API."""

import json

from .helpers import json_lines

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
