"""The reference types of EndNote, in its own text and in its XML."""

# What CSL calls them, by their names in lower case; of those that are missing, such as "generic", the venue says more.
CSL_TYPES = {
    "blog": "post-weblog",
    "book": "book",
    "book section": "chapter",
    "computer program": "software",
    "conference paper": "paper-conference",
    "conference proceedings": "paper-conference",
    "dataset": "dataset",
    "dictionary": "entry-dictionary",
    "edited book": "book",
    "electronic article": "article-journal",
    "electronic book": "book",
    "electronic book section": "chapter",
    "encyclopedia": "entry-encyclopedia",
    "government document": "report",
    "journal article": "article-journal",
    "magazine article": "article-magazine",
    "manuscript": "manuscript",
    "newspaper article": "article-newspaper",
    "patent": "patent",
    "report": "report",
    "thesis": "thesis",
    "unpublished work": "manuscript",
    "web page": "webpage",
}
