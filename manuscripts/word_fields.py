"""Citations in fields of Word: of Zotero, Mendeley, Citavi, Paperpile and Word itself; those of EndNote: `endnote`.

Zotero and the older Mendeley keep CSL-JSON in `ADDIN … CSL_CITATION {…}`, the newer Mendeley in the tag of a content
control; Citavi and Paperpile have JSON of their own, `ADDIN CitaviPlaceholder{…}` and, compressed, within `ADDIN
paperpile_citation … <data>…`; Word names in `CITATION key` a source that a part of the document holds. Zotero may mark
citations by bookmarks; then the document's properties hold what fields would.
"""

import base64
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from typing import Any
from xml.etree.ElementTree import Element

from common.errors import RecordError
from common.names import stored_whole
from common.words import counted
from indexer.readers import ReadReport
from indexer.readers.fields import clean
from indexer.readers.formats.csl_json import paper_of_item
from indexer.readers.json_records import Fields, mapping, objects
from indexer.readers.markup import parted_person, person
from manuscripts.bibliographies import entry_of, entry_of_fields
from manuscripts.files import Files
from manuscripts.manuscript import Entry

_B = "{http://schemas.openxmlformats.org/officeDocument/2006/bibliography}"
_BIBLIOGRAPHY = re.compile(
    r"(?:ADDIN\s+(?:CSL_BIBLIOGRAPHY|Mendeley Bibliography|EN\.REFLIST|EN\.SECTION|Citavi[ .]?Bibliography|"
    r"paperpile_bibliography|NE\.Bib)"
    r"|(?:ADDIN\s+)?(?:ZOTERO_)?BIBL|BIBLIOGRAPHY)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(r"(?:TOC|TOA|INDEX|NOTEREF)\b", re.IGNORECASE)
_OF_WORD = re.compile(r"CITATION\s+(\S+)", re.IGNORECASE)
_MORE_OF_WORD = re.compile(r"\\m\s+(\S+)")
_MENDELEY = "MENDELEY_CITATION_v3_"
_CITAVI = re.compile(r"ADDIN\s+CitaviPlaceholder\{([^{}]+)\}")
_PAPERPILE = re.compile(r"<data>([^<]*)</data>")
_LONGEST_UNPACKED = 4_000_000  # bytes
_PART_OF_BOOKMARK = re.compile(r"(ZOTERO_BREF_\w+)_(\d{1,9})")


def cited_in(instruction: str) -> list[Entry]:
    """What a field with this instruction cites; nothing where it is no citation."""
    manager = manager_of(instruction)
    if manager == "Paperpile":
        return _of_paperpile(instruction)
    if manager:
        start = instruction.find("{")
        return _of_items(_json(instruction[start:])) if start >= 0 else []
    if citavi := _CITAVI.match(instruction):
        return _of_citavi(_unpacked(citavi[1]))
    if found := _OF_WORD.match(instruction):
        return [Entry(key.strip('"'), ()) for key in (found[1], *_MORE_OF_WORD.findall(instruction))]
    return []


def manager_of(instruction: str) -> str:
    """Who keeps CSL-JSON, or what is like it, in a field with this instruction; "" where it holds none."""
    start = instruction[:60]
    if "CSL_CITATION" in start:
        return "Zotero" if "ZOTERO" in start else "Mendeley"
    return "Paperpile" if "paperpile_citation" in start else ""


def note_damaged(files: Files, damaged: Mapping[str, int]) -> None:
    """Tell how many citations could not be read, by who keeps them."""
    for manager, count in damaged.items():
        files.note(f"not read: {counted(count, 'citation')} of {manager}, whose data is missing or damaged")


def is_bibliography(instruction: str) -> bool:
    """Whether a field's result is the reference list, which is no text of the manuscript."""
    return bool(_BIBLIOGRAPHY.match(instruction))


def shows_no_text(instruction: str) -> bool:
    """Whether a field's result is a table of contents, an index or the number of a note, and no text of its own."""
    return bool(_POINTS.match(instruction))


def may_be_replaced(instruction: str) -> bool:
    """Whether a field cites, or shows no text of the manuscript."""
    cites = manager_of(instruction) or _CITAVI.match(instruction) or _OF_WORD.match(instruction)
    return bool(cites or is_bibliography(instruction) or shows_no_text(instruction))


def of_content_control(tag: str) -> tuple[list[Entry], bool]:
    """What a content control with this tag cites, and whether its text is to be left out."""
    if tag.startswith(_MENDELEY):
        found = _unpacked(tag.removeprefix(_MENDELEY))
        return _of_items(found), found is not None
    return [], tag.startswith("MENDELEY_BIBLIOGRAPHY")


def bookmarks_of_zotero(properties: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What fields would hold where Zotero uses bookmarks, by their names, from names and values of properties."""
    parts: dict[str, dict[int, str]] = {}
    for name, value in properties:
        if named := _PART_OF_BOOKMARK.fullmatch(name):
            parts.setdefault(named[1], {})[int(named[2])] = value
    return {name: "".join(found[number] for number in sorted(found)) for name, found in parts.items()}


def sources_of_word(part: Element) -> list[Entry]:
    """The sources that Word itself keeps in a part of the document."""
    if part.tag != f"{_B}Sources":
        return []

    return [_source_of_word(source) for source in part if _text(source, "Tag")]


def _source_of_word(source: Element) -> Entry:
    people = source.iterfind(f"{_B}Author/{_B}Author/{_B}NameList/{_B}Person")
    authors = [parted_person(_text(one, "Last"), person(_text(one, "First"), _text(one, "Middle"))) for one in people]
    whole = stored_whole(_text(source, f"Author/{_B}Author/{_B}Corporate"))
    title = _text(source, "Title", "InternetSiteTitle", "BookTitle")
    venue = _text(source, "JournalName", "PeriodicalTitle", "ConferenceName", "BookTitle", "Publisher")
    name = _text(source, "DOI", "StandardNumber", "URL")
    authors = authors or list(filter(None, [whole]))
    return entry_of_fields(_text(source, "Tag"), title, authors, _text(source, "Year"), venue, name)


def _text(element: Element, *names: str) -> str:
    """The text of the first of these elements that has any."""
    return next((found for name in names if (found := (element.findtext(f"{_B}{name}") or "").strip())), "")


def _unpacked(packed: str) -> Any:
    """The value of JSON in base64; None where it is damaged."""
    try:
        return _json(base64.b64decode(packed + "=" * (-len(packed) % 4)).decode("utf-8"))
    except ValueError:
        return None


def _json(text: str) -> Any:
    try:
        return json.JSONDecoder(strict=False).raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _of_citavi(citation: Any) -> list[Entry]:
    """The works in a citation of Citavi; those of which it holds an id alone are left out."""
    works = []
    for cited in objects(mapping(citation).get("Entries")):
        work = mapping(cited.get("Reference"))
        people = objects(work.get("Authors")) or objects(work.get("Editors"))
        names = [
            {"family": one.get("LastName"), "given": person(one.get("FirstName"), one.get("MiddleName"))}
            for one in people
        ]
        key = work.get("BibTeXKey") or work.get("CitationKey") or cited.get("ReferenceId")
        venue = mapping(work.get("Periodical")).get("Name")
        works.append(_item(key, work.get("Title"), names, work.get("Year"), venue, work.get("Doi")))
    return [entry for entry in _of_items({"citationItems": works}) if entry.readings]


def _of_paperpile(instruction: str) -> list[Entry]:
    """The works in a citation of Paperpile, called as it calls them in BibTeX."""
    packed = _PAPERPILE.search(instruction)
    try:
        data = zlib.decompressobj().decompress(base64.b64decode(packed[1] if packed else ""), _LONGEST_UNPACKED)
        found = objects(_json(data.decode("utf-8")))
    except (ValueError, zlib.error):
        return []
    works = []
    for work in found:
        people = objects(work.get("author"))
        names = [
            {"family": one.get("last"), "given": one.get("first"), "literal": one.get("collective")} for one in people
        ]
        key, when = work.get("citekey") or work.get("_id"), mapping(work.get("published")).get("year")
        venue = work.get("journalfull") or work.get("journal")
        works.append(_item(key, work.get("title"), names, when, venue, work.get("doi")))
    return _of_items({"citationItems": works})


def _item(key: object, title: object, authors: list[Fields], year: object, venue: object, doi: object) -> Fields:
    """A work as a citation in CSL-JSON holds it."""
    issued = {"date-parts": [[year]]}
    data = {"id": key, "title": title, "author": authors, "issued": issued, "container-title": venue, "DOI": doi}
    return {"itemData": data}


def _of_items(citation: Any) -> list[Entry]:
    """The items of a citation in CSL-JSON; their keys are those of the reference manager."""
    entries = []
    for item in objects(mapping(citation).get("citationItems")):
        data = mapping(item.get("itemData"))
        uris = item.get("uris") or item.get("uri") or []
        uri = str(uris[0] if isinstance(uris, list) and uris else uris if isinstance(uris, str) else "")
        key = str(
            data.get("citation-key") or re.split(r"[/=]", uri.rstrip("/"))[-1] or data.get("id") or item.get("id") or ""
        )
        if not key:
            continue
        try:
            entries.append(entry_of(clean(paper_of_item({**data, "id": key}), ReadReport())))
        except RecordError:
            entries.append(Entry(key, ()))
    return entries
