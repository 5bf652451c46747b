"""Places in a document, there and back, against the protocol's own words on lines and UTF-16."""

import pytest
from lsprotocol import types
from pygls.workspace import PositionCodec, TextDocument

from editors.positions import offset_of, range_of

_TEXT = "Naïve 🌳 one\r\ntwo\x0cand\u2028three\rfour\n\nlast"
_LINES = ["Naïve 🌳 one", "two\x0cand\u2028three", "four", "", "last"]
_ENDS = ["\r\n", "\r", "\n", "\n", ""]


def document(encoding: types.PositionEncodingKind = types.PositionEncodingKind.Utf16) -> TextDocument:
    return TextDocument("file:///a.tex", _TEXT, position_codec=PositionCodec(encoding))


@pytest.mark.parametrize(("kind", "codec"), [("utf-8", "utf-8"), ("utf-16", "utf-16-le"), ("utf-32", "utf-32-le")])
def test_places_go_there_and_back(kind: str, codec: str) -> None:
    opened, width = document(types.PositionEncodingKind(kind)), {"utf-8": 1, "utf-16": 2, "utf-32": 4}[kind]
    start = 0
    for number, (line, end) in enumerate(zip(_LINES, _ENDS, strict=True)):
        for place in range(len(line) + 1):
            at = types.Position(number, len(line[:place].encode(codec)) // width)
            assert offset_of(opened, at) == start + place
            assert range_of(opened, start + place, start + place) == types.Range(at, at)
        start += len(line) + len(end)


@pytest.mark.parametrize(("line", "character", "expected"), [(0, 99, "Naïve 🌳 one"), (4, 5, _TEXT), (9, 0, _TEXT)])
def test_beyond_the_end_is_the_end(line: int, character: int, expected: str) -> None:
    assert offset_of(document(), types.Position(line, character)) == len(expected)
