"""What the samples of exports say, written by hand: papers by the name of their format."""

import json

from indexer.original import Original
from indexer.paper import Imprint, Paper


def paper(id, title, abstract="", year=None, authors=(), venue="", **rest):
    return Paper(id, title, abstract, year, authors, venue, **rest)


def described(**known):
    """A work without an id as it stands among citations."""
    return f"ref:{json.dumps(known, separators=(',', ':'))}"


def item(type, **fields):
    """The entry of a work whose format is none in which entries are written."""
    return Original("csl-json", json.dumps({"type": type, **fields}))


def in_year(year):
    return {"date-parts": [[year]]}


THINGS = {  # what three exports say of one article
    "container-title": "Journal of Things",
    "volume": "12",
    "page": "345-350",
    "issued": in_year(2001),
}
MUELLER = {"family": "Müller", "given": "Jörg"}
BERG = {"family": "Berg", "given": "Ann", "non-dropping-particle": "van der"}
PUBMED = "https://pubmed.ncbi.nlm.nih.gov/{}/".format
EXPECTED = {
    "medline": [
        paper(
            "11812492",
            "Structure of the lac repressor: a semicolon; and a colon in a title that goes on",
            "BACKGROUND: PMID- 1 is no record here. RESULTS: Binding of O(2) is < 5 %.",
            2002,
            ("Jörg A Müller", "Ann van der Berg", "The Repressor Group"),
            "Journal of molecular biology",
            doi="10.1006/jmbi.2001.5234",
            url=PUBMED(11812492),
            imprint=Imprint("", "315", "5", "1009-18"),
        ),
        paper("22345678", "Über das Ohr", "", 1999, ("Plato",), "Acta", url=PUBMED(22345678)),
    ],
    "wos": [
        paper(
            "WOS:A1972N888800011",
            "Citation analysis as a tool in journal evaluation - Journals can be ranked by frequency",
            "First sentence. Second; with a semicolon.",
            1972,
            ("Eugene Garfield", "Ann van der Berg"),
            "SCIENCE",
            doi="10.1126/science.178.4060.471",
            url=PUBMED(5079701),
            citations=("WOS:000200000000003", "10.1126/science.149.3683.510", "WOS:A1973Q218500004"),
            imprint=Imprint("article-journal", "178", "4060", "471"),
        ),
        paper(
            "WOS:A1973Q218500004",
            "COCITATION IN SCIENTIFIC LITERATURE",
            "",
            1973,
            ("H SMALL",),
            "JOURNAL OF THE AMERICAN SOCIETY FOR INFORMATION SCIENCE",
            imprint=Imprint("article-journal", "24", "4", "265-269"),
        ),
        paper(
            "WOS:000200000000003",
            "SOURCES OF INFORMATION ON SPECIFIC SUBJECTS",
            "",
            1934,
            ("SC BRADFORD",),
            "ENGINEERING-LONDON",
            imprint=Imprint("article-journal", "137", "", "85-86"),
        ),
    ],
    "wos_tab": [
        paper(
            "WOS:A1972N888800011",
            'Citation "analysis" as a tool',
            "First sentence. Second; with a semicolon.",
            1972,
            ("Eugene Garfield", "Ann van der Berg"),
            "SCIENCE",
            doi="10.1126/science.178.4060.471",
            url=PUBMED(5079701),
            citations=(
                described(author="Berg, AV", year="1934", volume="137", page="85"),
                "10.1002/asi.4630240406",
                "WOS:A19656652600003",
            ),
            imprint=Imprint("article-journal", "178", "", "471"),
        ),
        paper(
            "WOS:A19656652600003",
            "Networks of scientific papers",
            "",
            1965,
            ("DJD Price",),
            "SCIENCE",
            imprint=Imprint("article-journal", "149", "", "e510"),
        ),
    ],
    "scopus": [
        paper(
            "2-s2.0-85000000001",
            'Title with "quotes", a comma and a line break',
            "Text with 2. © 2020 Elsevier",
            2020,
            ("Jörg Müller", "Ann van der Berg"),
            "Journal of Things",
            doi="10.1016/j.jot.2020.01.001",
            url="https://www.scopus.com/inward/record.uri?eid=2-s2.0-85000000001&doi=10.1016",
            citations=("2-s2.0-85000000002", "2-s2.0-85000000003"),
            imprint=Imprint("article-journal", "12", "3", "345-350"),
        ),
        paper(
            "2-s2.0-85000000002",
            "An older title, with a comma",
            "",
            2016,
            ("J.-P. Smith", "A. Doe"),
            "Journal of Things",
            imprint=Imprint("article-journal", "8", "2", "17-29"),
        ),
        paper(
            "2-s2.0-85000000003",
            "Title of the old layout",
            "Old.",
            2015,
            ("C. Green",),
            "Physical Letters",
            imprint=Imprint("article-journal", "7", "1", "012345"),
        ),
        paper("2-s2.0-85000000004", "Editorial of nobody", "", 2015, (), "Things"),
    ],
    "endnote": [
        paper(
            "10.1000/enw.1",
            "A title over two lines",
            "An abstract, 5 % of which goes on. After a blank line.",
            2001,
            ("Jörg Müller", "Ann van der Berg Jr."),
            "Journal of Things",
            doi="10.1000/enw.1",
            url="https://example.org/enw",
            original=item(
                "article-journal",
                **THINGS,
                title="A title over two lines",
                abstract="An abstract, 5 % of which goes on. After a blank line.",
                author=[MUELLER, {**BERG, "suffix": "Jr."}],
                issue="3",
                ISSN="0000-0000",
                keyword="one; two",
                DOI="10.1000/enw.1",
                URL="https://example.org/enw",
            ),
        ),
        paper(
            "endnote-",
            "Without any identifier",
            "",
            1999,
            ("The Group",),
            "Proceedings of Things",
            original=item(
                "paper-conference",
                title="Without any identifier",
                author=[{"literal": "The Group"}],
                issued=in_year(1999),
                **{"container-title": "Proceedings of Things"},
            ),
        ),
    ],
    "endnote_xml": [
        paper(
            "10.1000/en.xml",
            "Effects of CO2 & others",
            "First line. Second line.",
            2001,
            ("Jörg Müller", "The Group"),
            "Journal of Things",
            doi="10.1000/en.xml",
            url="https://example.org/endnote",
            original=item(
                "article-journal",
                **THINGS,
                title="Effects of CO2 & others",
                abstract="First line. Second line.",
                author=[MUELLER, {"literal": "The Group"}],
                DOI="10.1000/en.xml",
                URL="https://example.org/endnote",
            ),
        ),
        paper(
            "endnote-",
            "No style here",
            "",
            1999,
            original=item("book", title="No style here", issued=in_year(1999)),
        ),
    ],
    "zotero_rdf": [
        paper("zotero-", "Without address", "", 2003, (), "Proceedings of Things", imprint=Imprint("paper-conference")),
        paper(
            "10.1038/171737a0",
            "Molecular Structure of Nucleic Acids",
            "We wish to suggest a structure.",
            1953,
            ("J. D. Watson", "F. Crick"),
            "Nature",
            doi="10.1038/171737a0",
            url="https://example.org/rdf",
            imprint=Imprint(
                "article-journal",
                "171",
                "4356",
                "737-738",
                more='{"ISSN":"0028-0836","issued":{"date-parts":[[1953,4]]}}',
            ),
        ),
    ],
    "zotero_csv": [
        paper(
            "ABCD2345",
            'Title with "quotes" within',
            "Line one. Line two; with a semicolon.",
            2001,
            ("Jörg Müller", "Ann van der Berg"),
            "Journal of Things",
            doi="10.1000/zot.csv",
            url="https://example.org/csv",
            original=item(
                "article-journal",
                **THINGS | {"issued": {"date-parts": [[2001, 5, 3]]}},
                title='Title with "quotes" within',
                abstract="Line one. Line two; with a semicolon.",
                author=[MUELLER, BERG],
                issue="3",
                ISSN="0000-0000",
                DOI="10.1000/ZOT.CSV",
                URL="https://example.org/csv",
            ),
        ),
        paper(
            "EFGH6789",
            "Only an editor",
            "",
            1999,
            ("Jane Doe",),
            original=item(
                "book",
                title="Only an editor",
                editor=[{"family": "Doe", "given": "Jane"}],
                issued=in_year(1999),
            ),
        ),
    ],
    "better_bibtex": [
        paper(
            "mullerTitle2001",
            "A title & more",
            "About things.",
            2001,
            ("Jörg Müller", "The Group"),
            "Journal of Things",
            doi="10.1000/bbt",
            imprint=Imprint(
                "article-journal",
                "12",
                "",
                "345–350",
                more='{"editor":[{"family":"Itor","given":"Ed"}],"keyword":"x","issued":{"date-parts":[[2001,5,3]]}}',
            ),
        ),
        paper(
            "doePreprint",
            "A preprint",
            "",
            2017,
            ("Jane Doe",),
            "arXiv",
            doi="10.48550/arxiv.1706.03762",
            arxiv="1706.03762",
            url=PUBMED(12345),
            imprint=Imprint("article", more='{"issued":{"date-parts":[[2017,6]]}}'),
        ),
    ],
    "dimensions": [
        paper(
            "pub.1000000001",
            "First title",
            "Abstract, with a comma",
            2020,
            ("Jörg Müller", "Ann van der Berg"),
            "Journal of Things",
            doi="10.1000/dim.1",
            url="https://app.dimensions.ai/details/publication/pub.1000000001",
            citations=("pub.1000000002", "pub.1000000009"),
            imprint=Imprint("", "12", "3", "345-350"),
        ),
        paper(
            "pub.1000000002",
            "Old title",
            "",
            2016,
            ("Jane Doe",),
            "Things",
            doi="10.1000/dim.2",
            url=PUBMED(12345678),
            imprint=Imprint("", "8", "2", "17-29"),
        ),
    ],
    "lens": [
        paper(
            "000-100-200-300-40X",
            "First title",
            "Abstract, with a comma",
            2020,
            ("Jörg Müller", "Ann van der Berg"),
            "Journal of Things",
            doi="10.1000/lens.1",
            url="http://dx.doi.org/10.1000/lens.1",
            citations=("000-100-200-300-999", "000-111-222-333-444"),
            imprint=Imprint("article-journal", "12", "3", "345-350"),
        ),
        paper("000-100-200-300-999", "Second title", "", 2016, url=PUBMED(12345678), imprint=Imprint("book")),
    ],
    "pubmed_csv": [
        paper(
            "11812492",
            "Structure of a repressor, and more",
            "",
            2002,
            ("JA Müller", "A van der Berg", "Repressor Group"),
            "J Mol Biol",
            doi="10.1006/jmbi.2001.5234",
            url=PUBMED(11812492),
            imprint=Imprint("article-journal", "315", "5", "1009-18"),
        ),
        paper("22345678", "No DOI", "", 1999, ("Plato",), "Acta", url=PUBMED(22345678)),
    ],
    "jats": [
        paper("jats-", "By its place", "", 1999, ("Richard Roe",), imprint=Imprint("article-journal", "7", "", "17")),
        paper(
            "10.1371/journal.things.0001",
            "Effects of CO2 on E. coli",
            "Aim To see. Results Seen .",
            2018,
            ("Jörg A Müller", "The Group"),
            "Journal of Things",
            doi="10.1371/journal.things.0001",
            url=PUBMED(31000001),
            citations=(
                described(
                    doi="10.1000/jats.2",
                    pmid="11000002",
                    author="Doe",
                    year="2001",
                    volume="12",
                    page="345",
                    title="With a DOI",
                ),
                "jats-",
                "10.1000/jats.plain",
            ),
            imprint=Imprint("article-journal", "14", "3", "e0213456"),
        ),
    ],
    "tei": [
        paper(
            "10.1000/tei.1",
            "A Title of Things",
            "First sentence. Second one.",
            2020,
            ("Jörg A Müller",),
            "Journal of Things",
            doi="10.1000/tei.1",
            citations=(
                described(author="Doe", year="2016", title="Another telling title of some length"),
                "10.1000/tei.book",
            ),
            imprint=Imprint("", "12", "", "345"),
        )
    ],
}
