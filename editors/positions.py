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
    source = document.source
    ends = [(found.start(), found.end()) for found in _LINE_END.finditer(source)]
    starts = [0, *(end for _, end in ends)]
    if position.line >= len(starts):
        return len(source)
    start = starts[position.line]
    end = ends[position.line][0] if position.line < len(ends) else len(source)
    units = 0
    for place in range(start, end):
        if units >= position.character:
            return place
        units += document.position_codec.client_num_units(source[place])
    return end


def range_of(document: TextDocument, start: int, end: int) -> types.Range:
    """These characters of the document."""
    return types.Range(_position(document, start), _position(document, end))


def _position(document: TextDocument, offset: int) -> types.Position:
    lines = _LINE_END.split(document.source[:offset])
    return types.Position(len(lines) - 1, document.position_codec.client_num_units(lines[-1]))
