"""What bibliographies say of a work beyond the fields of a paper, by its names in each format.

The names are those of CSL 1.0.2 (appendix IV), of BibTeX and biblatex (section 2.2 of its manual), of RIS as of 2011,
where the type of a work says what a tag means, of EndNote's text and XML, and of Zotero.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeVar

_ARTICLES = ("article-journal", "article-magazine", "article-newspaper")
_IN_BOOKS = ("chapter", "paper-conference", "entry", "entry-encyclopedia", "entry-dictionary")
_OF_A_SORT = ("thesis", "report", "patent", "manuscript")  # such as a PhD thesis
_LAWS = ("legislation", "bill", "regulation")
_OTHERS = (
    *("article", "dataset", "document", "manuscript", "post", "post-weblog", "software", "standard", "thesis"),
    *("webpage", "legal_case", "hearing", "treaty"),
    *_LAWS,
)

Column = Literal["bibtex", "ris", "endnote", "zotero"]
_Value = TypeVar("_Value", str, Sequence[str])


class Field(NamedTuple):
    """One field; of several names in a format the first is written, all are read."""

    csl: str
    bibtex: str = ""
    ris: str = ""
    endnote: str = ""
    zotero: str = ""
    types: tuple[str, ...] = ()  # of CSL, that have these names; any that stands in no row before where none is said


# Of rows with the same names the first that has a value takes them.
TEXTS = (
    Field("collection-title", "series maintitle", "T2 T3", "%S tertiary-title %B secondary-title", "series", ("book",)),
    Field("collection-title", "series", "T3", "%S tertiary-title", "series seriesTitle"),
    Field("authority", "institution", "PB", "%I publisher", "court", ("legal_case",)),
    Field(
        "publisher",
        "publisher school institution organization howpublished",
        "PB",
        "%I publisher",
        "publisher university institution repository company label studio network distributor",
    ),
    Field("publisher-place", "address location", "C1 CY", "%C pub-location", "place", ("paper-conference",)),
    Field("publisher-place", "address location", "CY", "%C pub-location", "place"),
    Field("event-title", "eventtitle", "", "", "conferenceName", ("paper-conference",)),
    Field("event-title", "eventtitle", "", "", "meetingName"),
    Field("event-place", "venue", "CY", "", "", ("paper-conference",)),
    Field("event-place", "venue"),
    Field("event-date", "eventdate"),
    Field("version", "version", "ET", "%7 edition", "versionNumber version", ("software", "dataset")),
    Field("version", "version"),
    # EndNote has there when an article appeared online.
    Field("edition", "edition", "", "", "edition", ("article-journal",)),
    Field("edition", "edition", "ET", "%7 edition", "edition"),
    Field("volume", "volume", "", "", "volume", ("thesis",)),
    Field("volume", "volume", "VL", "%V volume", "volume reporterVolume codeVolume codeNumber"),
    Field("number-of-volumes", "volumes", "NV", "%6 num-vols", "numberOfVolumes"),
    Field("issue", "number issue", "IS", "%N number issue", "issue", _ARTICLES),
    Field("collection-number", "number", "M1 IS", "%N number", "seriesNumber", ("book",)),
    Field("collection-number", "number", "SV", "%N number", "seriesNumber", _IN_BOOKS),
    Field("number", "number", "SN IS", "%@ isbn %N number", "number reportNumber patentNumber", ("report", "patent")),
    Field(
        "number",
        "number",
        "IS M1",
        "%N number",
        "number docketNumber publicLawNumber billNumber documentNumber",
        _OTHERS,
    ),
    Field("issue", "number issue", "IS", "", "issue"),
    Field("section", "", "SE", "%& section", "section", _LAWS),
    Field("chapter-number", "chapter", "SE", "%& section", "", _IN_BOOKS),
    Field("number-of-pages", "pagetotal", "SP", "%P pages", "numPages", ("book", "thesis")),
    Field("number-of-pages", "pagetotal", "", "", "numPages"),
    Field("page", "pages eid articleno article-number", "SP-EP SP C7", "%P pages custom7", "pages firstPage codePages"),
    Field("ISSN", "issn", "SN", "%@ isbn", "ISSN", _ARTICLES),
    Field("ISBN", "isbn", "SN", "%@ isbn", "ISBN"),
    Field("ISSN", "issn", "SN", "", "ISSN"),
    # EndNote calls the volume of a thesis its degree.
    Field("genre", "type", "M3 VL", "%9 work-type %V volume", "type thesisType", ("thesis",)),
    Field("genre", "type", "M3", "%9 work-type", "type thesisType reportType manuscriptType", _OF_A_SORT),
    Field("genre", "type"),
    Field("language", "language langid", "LA", "%G language", "language"),
    Field("title-short", "shorttitle", "ST", "%! short-title", "shortTitle"),
    Field("original-date", "origdate", "OP", "%( orig-pub", "originalDate"),
    Field("accessed", "urldate", "Y2", "%[ access-date", "accessDate"),
    # Several, between commas or semicolons.
    Field("keyword", "keywords keyword", "KW", "%K keywords", "manualTags automaticTags"),
    Field("note", "note"),
)
PEOPLE = (
    Field("editor", "editor", "A3 ED A2", "%E secondary-authors", "editor", ("book",)),
    Field("editor", "editor", "A2 ED", "%E secondary-authors", "editor"),  # ED is older; JabRef and rispy pass it over
    Field("collection-editor", "", "A2", "%Y tertiary-authors", "seriesEditor", ("book",)),
    Field("collection-editor", "", "", "", "", ("thesis",)),  # there EndNote has who supervised it
    Field("collection-editor", "", "A3", "%Y tertiary-authors", "seriesEditor"),
    Field("translator", "translator", "A4", "%? subsidiary-authors", "translator"),
)
DATES = ("event-date", "original-date", "accessed")  # as biblatex writes them, such as 2019-07-21/2019-07-25


def read_fields(
    fields: Sequence[Field], column: Column, type: str, value_of: Callable[[str], _Value]
) -> dict[str, _Value]:
    """The values of a work of that CSL type, by their names in CSL; `value_of` says what stands under a name."""
    found: dict[str, _Value] = {}
    taken: set[str] = set()
    for field in _of_type(fields, type):
        for name in getattr(field, column).split():
            if name not in taken and (value := value_of(name)):
                found[field.csl] = value
                taken.add(name)
                break
    return found


def named_fields(
    fields: Sequence[Field], column: Column, type: str, values: Mapping[str, _Value]
) -> Iterator[tuple[str, _Value]]:
    """The values by their names in a format, each name once; without those for which it has none."""
    taken: set[str] = set()
    for field in _of_type(fields, type):
        name = getattr(field, column).partition(" ")[0]
        if name and field.csl in values and taken.isdisjoint(name.split("-")):
            taken.update(name.split("-"))
            yield name, values[field.csl]


def _of_type(fields: Sequence[Field], type: str) -> Iterator[Field]:
    seen: set[str] = set()
    for field in fields:
        if field.csl not in seen and (not field.types or type in field.types):
            seen.add(field.csl)
            yield field
