"""What kind of work an entry is of: the types of CSL 1.0.2 (appendix III), by what formats and databases call them."""

from typing import NamedTuple


class Names(NamedTuple):
    """What one type is called; of several words of BibTeX and RIS the first is written, all are read."""

    bibtex: str  # with biblatex's entrysubtype, if that says it, behind a slash
    ris: str
    venue: str = "howpublished"  # the field of BibTeX that has it
    crossref: str = ""  # where that is no type of CSL
    others: str = ""  # by EndNote, Zotero and databases, between commas


# Where formats have one word for several types, the first is read. Where others have a name that is missing, such as
# "generic" or "review", the venue says more.
NAMES = {
    "article-journal": Names(
        "article",
        "JOUR JFULL EJOUR",
        "journal",
        crossref="journal-article",
        others="article, article in press, electronic article, ieee journals, ieee magazines, journal, journal article",
    ),
    "article-magazine": Names("article/magazine", "MGZN", "journal", others="magazine article"),
    "article-newspaper": Names("article/newspaper", "NEWS", "journal", others="newspaper article"),
    "paper-conference": Names(
        "inproceedings conference",
        "CONF CPAPER",
        "booktitle",
        crossref="proceedings-article",
        others="conference paper, conference proceedings, conference proceedings article, "
        "ieee conferences, proceeding, proceedings paper",
    ),
    "chapter": Names(
        "incollection inbook suppbook bookinbook",
        "CHAP ECHAP",
        "booktitle",
        crossref="book-chapter book-part book-section book-track",
        others="book chapter, book section, chapter, electronic book section, ieee books",
    ),
    "entry": Names("incollection", "CHAP", "booktitle", crossref="reference-entry"),
    "entry-encyclopedia": Names(
        "incollection inreference", "ENCYC", "booktitle", others="encyclopedia, encyclopedia article, reference entry"
    ),
    "entry-dictionary": Names("incollection", "DICT", "booktitle", others="dictionary, dictionary entry"),
    "book": Names(
        "book proceedings collection reference mvbook mvcollection mvproceedings mvreference",
        "BOOK EDBOOK EBOOK",
        "series",
        crossref="monograph edited-book reference-book book-set book-series proceedings proceedings-series",
        others="book, edited book, electronic book, monograph, proceedings",
    ),
    "thesis": Names(
        "phdthesis thesis mastersthesis", "THES", "school", crossref="dissertation", others="dissertation, thesis"
    ),
    "report": Names(
        "techreport report",
        "RPRT GOVDOC",
        "institution",
        crossref="report-component report-series",
        others="government document, report",
    ),
    "article": Names("misc", "GEN", crossref="posted-content", others="preprint"),
    "dataset": Names("misc dataset", "DATA DBASE", crossref="database", others="dataset"),
    "document": Names(
        "misc manual booklet", "GEN", crossref="journal-issue journal-volume component peer-review grant other"
    ),
    "manuscript": Names("misc unpublished", "MANSCPT UNPB", others="manuscript, unpublished work"),
    "patent": Names("misc patent", "PAT", others="patent"),
    "webpage": Names("misc online electronic www", "ELEC", others="web page"),
    "post": Names("misc", "ELEC"),
    "post-weblog": Names("misc", "BLOG", others="blog, blog post"),
    "software": Names("misc software", "COMP", others="computer program"),
    "standard": Names("misc standard", "STAND", others="standard"),
    "legal_case": Names("article jurisdiction", "CASE", "journal", others="case"),
    "legislation": Names("misc legislation", "STAT", others="statute"),
    "bill": Names("misc", "BILL", others="bill"),
    "hearing": Names("misc", "HEAR", others="hearing"),
    "regulation": Names("misc", "LEGAL", others="legal rule or regulation"),
    "treaty": Names("misc legal", "GEN"),
    "personal_communication": Names("misc letter", "PCOMM ICOMM", others="email, letter, personal communication"),
    "interview": Names("misc", "PCOMM", others="interview"),
    "speech": Names("misc", "SLIDE", others="presentation"),
    "motion_picture": Names("misc movie video", "MPCT VIDEO", others="film, film or broadcast, video recording"),
    "broadcast": Names("misc", "MPCT", others="podcast, radio broadcast, tv broadcast"),
    "song": Names("misc audio music", "SOUND", others="audio recording"),
    "musical_score": Names("misc", "MUSIC", others="music"),
    "graphic": Names("misc artwork image", "ART", others="artwork"),
    "map": Names("misc", "MAP", others="map"),
    "pamphlet": Names("misc", "PAMP", others="pamphlet"),
}
