"""How EndNote and databases say how a paper was published."""

# What CSL calls types, by their names in lower case with spaces. Of those that are missing, such as "generic" or
# "review", the venue says more.
_TYPES = {
    "article in press": "article-journal",
    "article": "article-journal",
    "blog": "post-weblog",
    "book chapter": "chapter",
    "book section": "chapter",
    "book": "book",
    "chapter": "chapter",
    "computer program": "software",
    "conference paper": "paper-conference",
    "conference proceedings article": "paper-conference",
    "conference proceedings": "paper-conference",
    "dataset": "dataset",
    "dictionary": "entry-dictionary",
    "dissertation": "thesis",
    "edited book": "book",
    "electronic article": "article-journal",
    "electronic book section": "chapter",
    "electronic book": "book",
    "encyclopedia": "entry-encyclopedia",
    "government document": "report",
    "ieee books": "chapter",
    "ieee conferences": "paper-conference",
    "ieee journals": "article-journal",
    "ieee magazines": "article-journal",
    "journal article": "article-journal",
    "journal": "article-journal",
    "magazine article": "article-magazine",
    "manuscript": "manuscript",
    "monograph": "book",
    "newspaper article": "article-newspaper",
    "patent": "patent",
    "preprint": "article",
    "proceeding": "paper-conference",
    "proceedings paper": "paper-conference",
    "proceedings": "book",
    "reference entry": "entry-encyclopedia",
    "report": "report",
    "thesis": "thesis",
    "unpublished work": "manuscript",
    "web page": "webpage",
}


def csl_type(*names: str) -> str:
    """The type that the first of these names means to CSL; "" where none does."""
    return next((type for name in names if (type := _TYPES.get(name.strip().lower().replace("-", " ")))), "")


def page_range(first: str, last: str) -> str:
    """Both pages where both are known; Web of Science's last one may be "+"."""
    return f"{first}-{last}" if first and last not in ("", "+", first) else first
