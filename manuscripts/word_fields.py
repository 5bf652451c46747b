"""Citations in fields of Word: those of Zotero, Mendeley and Word itself; those of EndNote are in `endnote`.

Zotero and the older Mendeley keep CSL-JSON in `ADDIN … CSL_CITATION {…}`, the newer Mendeley in the tag of a content
control; Word names in `CITATION key` a source that a part of the document holds.
"""

import base64
import binascii
import json
import re
from typing import Any
from xml.etree.ElementTree import Element

from common.errors import RecordError
from indexer.paper import Paper
from indexer.readers import ReadReport
from indexer.readers.fields import clean, doi, year
from indexer.readers.formats.csl_json import paper_of_item
from indexer.readers.json_records import mapping, objects
from indexer.readers.markup import parted_person, person
from manuscripts.bibliographies import entry_of, short
from manuscripts.manuscript import Entry

_B = "{http://schemas.openxmlformats.org/officeDocument/2006/bibliography}"
_BIBLIOGRAPHY = re.compile(
    r"(?:ADDIN\s+(?:ZOTERO_BIBL|CSL_BIBLIOGRAPHY|Mendeley Bibliography|EN\.REFLIST|EN\.SECTION)|BIBLIOGRAPHY)\b",
    re.IGNORECASE,
)
_OF_WORD = re.compile(r"CITATION\s+(\S+)", re.IGNORECASE)
_MORE_OF_WORD = re.compile(r"\\m\s+(\S+)")
_MENDELEY = "MENDELEY_CITATION_v3_"


def cited_in(instruction: str) -> list[Entry]:
    """What a field with this instruction cites; nothing where it is no citation."""
    if "CSL_CITATION" in instruction[:60]:
        start = instruction.find("{")
        return _of_items(_json(instruction[start:])) if start >= 0 else []
    if found := _OF_WORD.match(instruction):
        return [Entry(key.strip('"'), ()) for key in (found[1], *_MORE_OF_WORD.findall(instruction))]
    return []


def is_bibliography(instruction: str) -> bool:
    """Whether a field's result is the reference list, which is no text of the manuscript."""
    return bool(_BIBLIOGRAPHY.match(instruction))


def of_content_control(tag: str) -> tuple[list[Entry], bool]:
    """What a content control with this tag cites, and whether its text is to be left out."""
    if tag.startswith(_MENDELEY):
        packed = tag.removeprefix(_MENDELEY)
        try:
            text = base64.b64decode(packed + "=" * (-len(packed) % 4)).decode("utf-8")
        except (binascii.Error, ValueError):
            return [], False
        return _of_items(_json(text)), True
    return [], tag.startswith("MENDELEY_BIBLIOGRAPHY")


def sources_of_word(part: Element) -> list[Entry]:
    """The sources that Word itself keeps in a part of the document."""
    if part.tag != f"{_B}Sources":
        return []

    def text(source: Element, *names: str) -> str:
        return next((found for name in names if (found := (source.findtext(f"{_B}{name}") or "").strip())), "")

    entries = []
    for source in part:
        people = source.iterfind(f"{_B}Author/{_B}Author/{_B}NameList/{_B}Person")
        authors = tuple(
            parted_person(text(one, "Last"), person(text(one, "First"), text(one, "Middle"))) for one in people
        )
        key, title = text(source, "Tag"), text(source, "Title")
        paper = Paper(
            key,
            title,
            year=year(text(source, "Year")),
            authors=authors,
            venue=text(source, "JournalName", "ConferenceName", "BookTitle", "Publisher"),
            doi=doi(text(source, "DOI") or text(source, "StandardNumber") or text(source, "URL")),
        )
        if key:
            entries.append(Entry(key, (short(paper),) if title else ()))
    return entries


def _json(text: str) -> Any:
    try:
        return json.JSONDecoder(strict=False).raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


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
            entries.append(entry_of(clean(paper_of_item("", {**data, "id": key}), ReadReport())))
        except RecordError:
            entries.append(Entry(key, ()))
    return entries
