"""What an entry says of a publication beyond the fields of a paper: pages, publisher, editors and such.

It is known where the paper came from a bibliography, in whatever format that was, or from a database that says it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import orjson

from common.names import is_marked, parse_name, shown_name, told_by, without_role
from common.text import one_line
from exports.bibtex_fields import OF_ITSELF
from exports.citation import initials_apart
from exports.kinds import kind, kind_called
from indexer.identity.agreement import in_two_places, is_volume_of_preprint
from indexer.identity.identifiers import arxiv_key, clean_doi
from indexer.original import Original
from indexer.paper import Imprint, Paper
from indexer.readers.csl_items import date_in
from indexer.readers.entry_fields import DATES, PEOPLE, TEXTS, read_fields
from indexer.readers.entry_types import NAMES
from indexer.readers.fields import arxiv
from indexer.readers.formats.csl_json import name_of
from indexer.readers.formats.ris import people_in, record_of
from indexer.readers.json_records import mapping, objects
from indexer.readers.languages import tag_of
from indexer.readers.markup import without_markup

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# What types of works are called by "type" of biblatex (section 4.9.2.16), and a type of BibTeX that says it itself.
_TYPES = {
    "mastersthesis": "Master's thesis",
    "mathesis": "Master's thesis",
    "phdthesis": "PhD thesis",
    "techreport": "Technical report",
    "patentus": "U.S. patent",
    "patenteu": "European patent",
}
_PLACE = ("volume", "issue", "page")
_DASHES = re.compile(r"\s*[-‐‑–—−]+\s*")  # Scopus has 1 – 10
_ISSN = re.compile(r"\b\d{4}-?\d{3}[\dXx]\b")  # EndNote has 1234-5678 (Electronic) 8765-4321 (Linking), for one
_BEFORE_PAGES = re.compile(r"\A(?:pp?|[Ss]|стр|[Сс]|págs?|pags?|blz)\.\s*(?=\d)")  # "S. 12-15", "p. 33"


@dataclass(frozen=True, slots=True)
class Details:
    """Plain text, by the names of CSL; without what is not known."""

    kind: str  # one of `NAMES`
    texts: Mapping[str, str] = field(default_factory=dict)  # dates as 2019-07-21, or two of them with a slash between
    people: Mapping[str, Sequence[str]] = field(default_factory=dict)
    doi: str = ""
    arxiv: str = ""
    authors: tuple[str, ...] = ()  # as `Paper.authors`, but in the parts that the entry says
    kind_is_said: bool = False  # else it is guessed


def details(paper: Paper) -> Details:
    """What is known of a paper: from its entry, and what that lacks from records merged with it, or from its id.

    A thesis or report has nothing of the journal in which another record places it.
    """
    entry = paper.original
    records = [_read(one, paper) for one in (entry, *entry.others)] if entry else []
    records += [_of_imprint(paper)] if paper.imprint or not entry else []
    called = next((one.kind for one in records if one.kind_is_said), records[0].kind)
    if entry and called != records[0].kind:  # which says what a number is
        records[0] = _read(entry, paper, called)
    if entry and len(records) > 1:
        records = _of_one_place(records, paper, entry)
    # Of the work, wherever it appeared.
    keywords = next(filter(None, (one.texts.get("keyword") for one in records)), "")
    records = [one for one in records if not one.kind_is_said or _is_part(one.kind) == _is_part(called)]
    known = records[0]
    return replace(
        known,
        texts={name: text for name, text in _texts(records, paper, keywords).items() if any(map(str.isalnum, text))},
        people={
            role: initials_apart(names) for one in reversed(records) for role, names in one.people.items() if names
        },
        authors=tuple(initials_apart(_authors(known, paper.authors))),
        doi=paper.doi or _doi_in_id(paper.id),
        arxiv=paper.arxiv or (arxiv(paper.id) if paper.id.lower().startswith("arxiv:") else ""),
    )


def _of_one_place(records: Sequence[Details], paper: Paper, entry: Original) -> list[Details]:
    """The records without volume, issue and pages of those that appeared elsewhere: an article, and its preprint.

    The place is that of the entry with the paper's DOI, or else of the record of a database, which comes last.
    """
    texts = (one.text.lower() for one in (entry, *entry.others))
    said = (record for record, text in zip(records, texts, strict=False) if paper.doi and paper.doi in text)
    own = next(said, records[-1 if paper.imprint else 0])
    said_by_own = {name: text for name in _PLACE if (text := own.texts.get(name))}
    if not said_by_own:
        return [*records]

    def without_place(one: Details) -> Details:
        place = one.texts.get("volume", ""), one.texts.get("page", "")
        own_place = said_by_own.get("volume", ""), said_by_own.get("page", "")
        elsewhere = is_volume_of_preprint(place[0]) or in_two_places(own_place, place)
        left_out = _PLACE if elsewhere else said_by_own
        return replace(one, texts={name: text for name, text in one.texts.items() if name not in left_out})

    return [one if one is own else without_place(one) for one in records]


def _texts(records: Sequence[Details], paper: Paper, keywords: str) -> dict[str, str]:
    """The texts of its records, the first of which counts before the others, as every format takes them."""
    said = {name: text for one in reversed(records) for name, text in one.texts.items() if text}
    said |= {"keyword": keywords, "note": records[0].texts.get("note", "")}  # notes are on its own record
    texts = {name: date_in(text) if name in (*DATES, "issued") else text for name, text in said.items() if text}
    pages = _BEFORE_PAGES.sub("", texts.get("page", ""))  # styles say it, too
    texts["page"] = _DASHES.sub("-", pages)
    if issn := _ISSN.search(texts.get("ISSN", "")):
        texts["ISSN"] = issn[0]
    texts["language"] = tag_of(texts.get("language", ""))
    if paper.year and texts.get("issued", "")[:4] != str(paper.year):
        texts["issued"] = f"{paper.year:04}"
    if "collection-title" not in texts and "collection-number" in texts:
        texts["issue"] = texts.pop("collection-number")  # as of proceedings that are numbered like a journal
    if arxiv_key(texts.get("number", "")):
        del texts["number"]
    return texts


def venue_of(paper: Paper, known: Details) -> str:
    """The venue of a paper; "" where that is its publisher, court or series, for want of another.

    A journal may be called what its publisher is, such as PeerJ.
    """
    publisher = () if known.kind == "article-journal" else ("publisher",)
    others = map(known.texts.get, (*publisher, "authority", "collection-title"))
    return "" if paper.venue in others else paper.venue


def _authors(known: Details, authors: tuple[str, ...]) -> tuple[str, ...]:
    """The names as the entry parts them; none where the paper has those of the editors for want of authors.

    An index that was built with names as people read them has family names of several words only in its entries, and
    "others", too.
    """
    if not known.authors and [*map(shown_name, known.people.get("editor", ()))] == [*map(shown_name, authors)]:
        return ()
    parted = known.authors if told_by(known.authors)[0] == told_by(authors)[0] else authors
    written = (one if is_marked(one) else name for one, name in zip(parted, authors, strict=False))
    return (*written, *parted[len(authors) :])


def _doi_in_id(paper_id: str) -> str:
    found = clean_doi(paper_id)
    alone = paper_id.strip().lower().removeprefix("https://doi.org/").removeprefix("doi:").strip()
    return found if found and found == alone else ""


def _is_part(kind: str) -> bool:
    return NAMES[kind].venue in ("journal", "booktitle")


def _read(original: Original, paper: Paper, otherwise: str = "") -> Details:
    """What an entry says; where it does not say its kind, that is `otherwise`, or guessed by the venue of the paper."""
    if original.format == "csl-json":
        found = _of_csl(orjson.loads(original.text), paper, otherwise)
    elif original.format == "ris":
        found = _of_ris(original.text, paper, otherwise)
    else:
        found = _of_bibtex(original, paper, otherwise)
    people = {role: tuple(map(without_role, names)) for role, names in found.people.items()}
    return replace(found, people=people, authors=tuple(map(without_role, found.authors)))


def _guess(paper: Paper, *publishers: str) -> str:
    """The kind by the venue, which tells nothing where it is the publisher, such as Zenodo."""
    return "article" if paper.venue in map(one_line, publishers) else kind(paper)


def _of_imprint(paper: Paper) -> Details:
    imprint = paper.imprint or Imprint()
    more = orjson.loads(imprint.more) if imprint.more else {}
    return _of_csl({**more, **asdict(imprint)}, paper)


def _of_csl(item: dict[str, Any], paper: Paper, otherwise: str = "") -> Details:
    def text(name: str) -> str:
        value = item.get(name)
        return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""

    def date(name: str) -> str:
        value = mapping(item.get(name))
        parts = value.get("date-parts")
        days = [day for day in parts if isinstance(day, list)] if isinstance(parts, list) else []
        written = "/".join("-".join(map(str, day)) for day in days)
        return written or str(value.get("raw") or value.get("literal") or "")

    texts = {one.csl: text(one.csl) for one in TEXTS}
    type = text("type") if text("type") in NAMES else ""
    said = "" if type == "article" else type  # a preprint may have appeared since
    return Details(
        said or otherwise or type or _guess(paper, text("publisher")),
        texts | {name: date(name) for name in (*DATES, "issued")},
        {one.csl: tuple(map(name_of, objects(item.get(one.csl)))) for one in PEOPLE},
        authors=tuple(map(name_of, objects(item.get("author")))),
        kind_is_said=bool(said),
    )


def _of_ris(text: str, paper: Paper, otherwise: str) -> Details:
    record = record_of(text)
    first = record.first

    def people(*tags: str) -> tuple[str, ...]:
        written = [str(without_markup(value)).rstrip(", ") for value in record.every(*tags)]
        read = people_in(written)
        is_read_so = [*map(parse_name, written)] == [*map(parse_name, read)]
        return tuple(written if is_read_so else read)

    last = first("EP")  # the first page alone is the number of them in a book
    keywords = record.lines("KW")  # EndNote has one a line under one tag
    several = {
        "SP": "" if last else first("SP"),
        "SP-EP": "-".join(filter(None, (first("SP"), last))) if last else "",
        "KW": ("; " if "," in "".join(keywords) else ", ").join(keywords),
    }
    said = kind_called(first("TY"))
    called = said or otherwise or _guess(paper, first("PB"))
    authors = people("AU", "A1")
    edited = first("TY") == "EDBOOK" and not record.every("ED", "A3")  # EndNote has editors as authors there
    return Details(
        called,
        read_fields(TEXTS, "ris", called, lambda tag: several[tag] if tag in several else first(tag))
        | {"issued": first("DA", "PY", "Y1")},
        read_fields(PEOPLE, "ris", called, lambda tag: authors if edited and tag == "A3" else people(tag)),
        authors=() if edited else authors,
        kind_is_said=bool(said),
    )


def _of_bibtex(original: Original, paper: Paper, otherwise: str) -> Details:
    from indexer.readers.formats.bibtex import entries_in  # a third of a second, which no other format needs
    from indexer.readers.latex import plain
    from indexer.readers.name_lists import bibtex_names

    entries = list(entries_in("\n".join((*original.before, original.text, *original.after))))
    if not entries:
        return Details(kind(paper))
    written: dict[str, str] = {}
    type = entries[0][0].entry_type.lower()
    for entry, values in entries:  # itself, then those from which it takes what it does not say
        takes_all = entry is entries[0][0] or entry.entry_type.lower() == "xdata"
        written = {name: value for name, value in values.items() if takes_all or name not in OF_ITSELF} | written
    values = {name: plain(value) for name, value in written.items()}
    said = values.get("type") or (type if type == "mastersthesis" else "")
    values["type"] = _TYPES.get(said.lower(), said)
    if "://" in values.get("howpublished", ""):
        del values["howpublished"]
    month = values.get("month", "")[:3].lower()
    if month in MONTHS:
        month = str(MONTHS.index(month) + 1)
    publishers = (values.get(name, "") for name in ("publisher", "school", "institution"))
    said = kind_called(f"{type}/{values.get('entrysubtype', '')}", type)
    called = said or otherwise or _guess(paper, *publishers)
    return Details(
        called,
        read_fields(TEXTS, "bibtex", called, lambda name: values.get(name, ""))
        | {"issued": values.get("date") or f"{values.get('year', '')}-{month}"},
        read_fields(PEOPLE, "bibtex", called, lambda name: bibtex_names(written.get(name, ""))),
        authors=tuple(bibtex_names(written.get("author", ""))),
        kind_is_said=bool(said),
    )
