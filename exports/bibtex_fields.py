"""The fields of a BibTeX entry in its own text, so that some can be left out and the rest stays as it was."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from indexer.readers.bibtex_keys import KEY, end_mark, without_remarks

_NAME = re.compile(r"[\s,]*([^\s%\"#'(),={}]+)\s*=\s*")
_PIECE = re.compile(r'[{}"]|[^{}"\s#,]+|[\s#,]+')
_EMPTY = re.compile(r"@\s*[a-z]+\s*[{(][^\s,(){}]*\s*[})]\s*", re.IGNORECASE)
_END = re.compile(r"[\s,]*[})]\s*")
# What a volume says of itself, and not of what is printed in it.
OF_ITSELF = {"title", "subtitle", "shorttitle", "booktitle", "crossref", "xdata", "ids", "doi", "url", "eprint"} | {
    *("abstract", "keywords", "file", "annote", "annotation", "note", "pages"),
}


class Field(NamedTuple):
    """One field of an entry."""

    name: str  # in lower case
    value: str  # as it stands there, with its braces or quotes
    start: int  # where it begins in the text of the entry, with the space before it
    end: int  # behind its comma


def fields_of(entry: str) -> list[Field] | None:
    """The fields in their order; None where the text is not one whole entry as BibTeX counts braces."""
    found = KEY.match(entry)
    if not found:
        return [] if _EMPTY.fullmatch(entry) else None
    entry = without_remarks(entry)
    fields = leading_fields(entry)
    return fields if _END.fullmatch(entry, fields[-1].end if fields else found.end()) else None


def leading_fields(text: str) -> list[Field]:
    """Those of the entry with which a text begins, up to one that is not closed."""
    text, fields = without_remarks(text), list[Field]()
    found = KEY.match(text)
    place = found.end() if found else len(text)
    while name := _NAME.match(text, place):
        end = end_mark(text, name.end(), ",})")
        if end is None:
            break
        place = end.start() + (end[0] == ",")
        fields.append(Field(name[1].lower(), text[name.end() : end.start()].strip(), name.start(), place))
    return fields


def spelled_out(text: str, values: Mapping[str, str]) -> str:
    """An entry or a definition with what abbreviations stand for in their place; `values` by names in lower case."""
    places = [(field.start, field.end) for field in leading_fields(text)] or [(0, len(text))]
    for start, end in reversed(places):
        value = text.find("=", start, end) + 1
        text = text[:value] + _spelled_out(text[value:end], values) + text[end:]
    return text


def _spelled_out(value: str, values: Mapping[str, str]) -> str:
    depth, quoted, spelled = 0, False, ""
    for piece in _PIECE.findall(value):
        if piece == '"':
            quoted ^= not depth
        depth += {"{": 1, "}": -1}.get(piece, 0)
        spelled += piece if depth or quoted else values.get(piece.lower(), piece)
    return spelled


def named_by(entry: str, others: Sequence[str], names: Collection[str]) -> list[str]:
    """Those of the other entries that an entry names in fields of these names, and those that they name in turn."""
    by_key = {found[1].lower(): other for other in others if (found := KEY.match(other))}
    chain: list[str] = []
    for one in (entry, *others):
        if one == entry or one in chain:
            values = [field.value for field in fields_of(one) or () if field.name in names]
            keys = [key.strip(' \t\r\n{}"').lower() for value in values for key in value.split(",")]
            chain += [by_key[key] for key in keys if key in by_key and by_key[key] not in chain]
    return chain


def without_crossref(entry: str, others: Sequence[str]) -> str:
    """The entry with what it takes from the others by its crossref, in that field's place."""
    fields = fields_of(entry) or []
    crossref = next((field for field in fields if field.name == "crossref"), None)
    sources = named_by(entry, others, ("crossref",))
    if crossref is None or not sources:
        return entry
    taken = {field.name: "" for field in fields}
    of_volume: dict[str, str] = {}
    for source in [*sources, *named_by(sources[0], others, ("xdata",))]:
        for field in fields_of(source) or ():
            of_volume.setdefault(field.name, field.value)
            if field.name not in OF_ITSELF:
                taken.setdefault(field.name, field.value)
    called = "journal" if re.match(r"@\s*article\b", entry, re.IGNORECASE) else "booktitle"
    taken.setdefault(called, of_volume.get("booktitle") or of_volume.get("title", ""))
    span = entry[crossref.start : crossref.end]
    space = span[: len(span) - len(span.lstrip())] or " "
    added = "".join(f"{space}{name} = {value}," for name, value in taken.items() if value)
    return entry[: crossref.start] + added + entry[crossref.end :]
