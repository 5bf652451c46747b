"""How EndNote, Zotero and databases say how a paper was published."""

import re

# Types of CSL, and what others call them. Where a name is missing, such as "generic" or "review", the venue says more.
_NAMES = {
    "article": "preprint",
    "article-journal": "article, article in press, electronic article, ieee journals, ieee magazines, journal, "
    "journal article",
    "article-magazine": "magazine article",
    "article-newspaper": "newspaper article",
    "book": "book, edited book, electronic book, monograph, proceedings",
    "chapter": "book chapter, book section, chapter, electronic book section, ieee books",
    "dataset": "dataset",
    "entry-dictionary": "dictionary, dictionary entry",
    "entry-encyclopedia": "encyclopedia, encyclopedia article, reference entry",
    "manuscript": "manuscript, unpublished work",
    "paper-conference": "conference paper, conference proceedings, conference proceedings article, ieee conferences, "
    "proceeding, proceedings paper",
    "patent": "patent",
    "post-weblog": "blog, blog post",
    "report": "government document, report",
    "software": "computer program",
    "thesis": "dissertation, thesis",
    "webpage": "web page",
}
_TYPES = {name.replace(" ", ""): type for type, names in _NAMES.items() for name in names.split(", ")}


def csl_type(*names: str) -> str:
    """The type that the first of these names means to CSL; "" where none does. "Book Section" may be bookSection."""
    return next((type for name in names if (type := _TYPES.get(re.sub(r"[\s-]", "", name).lower()))), "")


def page_range(first: str, last: str) -> str:
    """Both pages where both are known; Web of Science's last one may be "+"."""
    return f"{first}-{last}" if first and last not in ("", "+", first) else first
