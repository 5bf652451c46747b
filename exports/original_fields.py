"""The fields of an entry as its owner wrote it, of which some are left out while the rest stays as it was."""

import re
from collections.abc import Callable
from dataclasses import replace

import orjson

from exports.bibtex_fields import fields_of
from indexer.original import Original
from indexer.readers.formats.ris import TAG

Unwanted = Callable[[str, str], bool]  # of a field's name, BibTeX's in lower case, and its text

_LIKE_A_TAG = re.compile(r"([A-Z][A-Z0-9]) {1,2}-(.*)")  # without the blank behind the dash, but others may read it


def without_fields(original: Original, unwanted: Unwanted) -> Original | None:
    """The entry, and those that it names, without such fields; None where BibTeX is not whole."""
    if original.format == "bibtex":
        text, *after = (_bibtex(entry, unwanted) for entry in (original.text, *original.after))
        whole = tuple(entry for entry in after if entry)
        return replace(original, text=text, after=whole) if text and len(whole) == len(after) else None
    return replace(original, text=(_ris if original.format == "ris" else _csl)(original.text, unwanted))


def _bibtex(entry: str, unwanted: Unwanted) -> str | None:
    fields = fields_of(entry)
    for field in reversed(fields or ()):
        if unwanted(field.name, field.value):
            entry = entry[: field.start] + entry[field.end :]
    return entry if fields is not None else None


def _ris(text: str, unwanted: Unwanted) -> str:
    lines, kept = [], True
    for line in text.split("\n"):
        if tag := TAG.fullmatch(line):  # without a tag, it goes on with the field before it
            kept = not unwanted(tag[1], tag[2] or "")
        like = _LIKE_A_TAG.match(line)
        if kept and not (like and unwanted(like[1], like[2])):
            lines.append(line)
    return "\n".join(lines)


def _csl(text: str, unwanted: Unwanted) -> str:
    item = orjson.loads(text)
    kept = (name for name, value in item.items() if not unwanted(name, value if isinstance(value, str) else ""))
    return orjson.dumps({name: item[name] for name in kept}).decode()
