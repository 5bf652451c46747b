"""Who wrote a manuscript, as the metadata of Markdown names them."""

import re
from collections.abc import Iterator

from common.names import begins_lower

_LONGEST = 20_000  # characters of one text
# Notes, places of work and signs at a name, as Pandoc and LaTeX write them.
_NOTES = re.compile(
    r"\^\[(?:[^\[\]]|\[[^\[\]]*\])*\]|\[\^[^\[\]]*\]|\\(?:thanks|textsuperscript|footnote)\{[^{}]*\}|\$[^$]*\$"
    r"|\^[^^\s]*\^|<sup>.*?</sup>|\([^()]*\)|[\d⁰¹²³⁴-⁹]"
)
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_BETWEEN = re.compile(r"[;&\n]|\\\\|\\?\b(?:and|und|et)\b|<br[ \t]*/?>")
# The parts of a name, in their order, as Pandoc and the Journal of Open Source Software call them.
_FAMILY = ("family", "surname")
_PARTS = ("given", "given-names", "dropping-particle", "non-dropping-particle", *_FAMILY)


def authors_in(value: object) -> Iterator[str]:
    """Names, and perhaps other texts, of a text, a list of texts, or records as Quarto, Pandoc and CSL have them."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict):
            yield from _of_record(one)
        elif isinstance(one, str):
            text = _NOTES.sub("", _LINK.sub(r"\1", one[:_LONGEST]))
            for part in _BETWEEN.split(text):
                yield from _given_first(part)


def _of_record(record: dict[object, object]) -> Iterator[str]:
    """With `name`, or its parts, or called by it: `- Ada Lovelace: {institute: one}`."""
    name = record.get("name", record.get("literal", record))
    if isinstance(name, dict) and any(part in name for part in _FAMILY):
        yield " ".join(str(name[part]) for part in _PARTS if name.get(part))
    elif name is not record:
        yield from authors_in(name)
    elif len(record) == 1:
        yield from authors_in([str(key) for key in record])


def _given_first(text: str) -> list[str]:
    """What commas part; of one with a family name before its comma the name."""
    parts = text.split(",")
    family = parts[0].split()
    if len(parts) == 2 and family and all(map(begins_lower, family[:-1])):
        return [f"{parts[1]} {parts[0]}"]
    return parts
