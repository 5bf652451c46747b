"""Characters of a document as the protocol counts them: by lines, and in each in the units of the editor.

The library takes what Python knows as ends of lines for some, form feeds among them, and the end of a last line for the
start of the next one.
"""

import re

from lsprotocol import types
from pygls.workspace import TextDocument

_LINE_END = re.compile(r"\r\n|\r|\n")


def offset_of(document: TextDocument, position: types.Position) -> int:
    """The character of the document; the end of the line, or of the document, for a place beyond it."""
    starts = [0, *(found.end() for found in _LINE_END.finditer(document.source))]
    if position.line >= len(starts):
        return len(document.source)
    place, units = starts[position.line], 0
    for character in _LINE_END.split(document.source[place:], maxsplit=1)[0]:
        if units >= position.character:
            break
        units += document.position_codec.client_num_units(character)
        place += 1
    return place


def range_of(document: TextDocument, start: int, end: int) -> types.Range:
    """These characters of the document."""
    return types.Range(_position(document, start), _position(document, end))


def _position(document: TextDocument, offset: int) -> types.Position:
    lines = _LINE_END.split(document.source[:offset])
    return types.Position(len(lines) - 1, document.position_codec.client_num_units(lines[-1]))
