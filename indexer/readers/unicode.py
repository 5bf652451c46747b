"""Text in any Unicode encoding, or an older one → UTF-8, in a stream or in memory."""

import codecs
import io
import re
from collections.abc import Iterable, Iterator
from itertools import accumulate, takewhile

_CHUNK = 1 << 18
# Shares of zeros in one half of the bytes of Western text in UTF-16, and in the other; a database has them in both.
_MANY, _FEW = 0.4, 0.1
WESTERN = "Windows-1252"
# By the detector's names, which are Python's, too. That of old Macs for Cyrillic is often found in Italian.
_OLDER = {
    **{"cp1250": "Windows-1250", "iso8859-2": "ISO 8859-2", "cp1257": "Windows-1257", "cp1254": "Windows-1254"},
    **{"cp1251": "Windows-1251", "koi8-r": "KOI8-R", "koi8-u": "KOI8-U", "mac-roman": "Mac Roman"},
    **{"cp1253": "Windows-1253", "iso8859-7": "ISO 8859-7", "cp1255": "Windows-1255", "cp1256": "Windows-1256"},
    **{"cp932": "Shift_JIS", "euc_jis_2004": "EUC-JP", "gb18030": "GB 18030", "big5hkscs": "Big5", "cp949": "EUC-KR"},
    **{"cp874": "Windows-874"},
}
_SAMPLE = 1 << 15  # bytes that are looked at
# How much surer of another encoding than of Windows-1252 the detector has to be, on how many letters beyond ASCII: of
# 2,393 files in Windows-1252, with names and titles in a dozen languages, none was taken for another then; of 972 in
# these, 96 % were recognised.
_SURER_BY, _AND, _LETTERS = 1.3, 0.02, 4
_MIXED = 4  # one line of so many that is valid UTF-8 is no accident
_BEYOND_ASCII = re.compile("[^\0-\x7f]")


def _western(error: UnicodeError) -> tuple[str, int]:
    """What is no valid UTF-8, as Windows-1252, of which Latin-1 is a part."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


_AS_WESTERN = "citescout-western"  # an error handler of `bytes.decode`
codecs.register_error(_AS_WESTERN, _western)


class Pieces(io.RawIOBase):
    """The bytes of some pieces, one behind the other."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        super().__init__()
        self._pieces = filter(None, pieces)
        self._ready = b""

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill the whole buffer unless the bytes end."""
        filled = 0
        while filled < len(buffer) and (piece := self._ready or next(self._pieces, b"")):
            part, self._ready = piece[: len(buffer) - filled], piece[len(buffer) - filled :]
            buffer[filled : filled + len(part)] = part
            filled += len(part)
        return filled


class Utf8:
    """Text of any Unicode encoding as UTF-8.

    What is no valid UTF-8 is read as Windows-1252, in which older programs save, or the whole file in an older
    encoding of another language; what is no valid text otherwise becomes U+FFFD. Both are counted. Lines that end in
    carriage returns alone, as on old Macs, end in line feeds. There is no byte order mark, not even where one file
    was put behind another.
    """

    def __init__(self, raw: io.BufferedReader) -> None:
        self.replaced = 0
        self.read_as = WESTERN  # what is not in UTF-8
        self._raw = raw
        start = raw.peek(1024)
        encoding, mark = _encoding_of(start)
        self._returns = b"\r" in start and b"\n" not in start
        raw.read(mark)
        self._decoder = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)("replace")
        self._undecided = self._decoder is None  # as long as all is ASCII
        self._undecoded = b""  # beginning of a character that a chunk cut

    def pieces(self) -> Iterator[bytes]:
        """The text, a chunk of the file at a time; some may be empty."""
        data = b"\n"
        while data:
            data = self._raw.read(_CHUNK)
            if self._undecided and not data.isascii():
                self._undecided = False
                if encoding := _older_encoding(data):
                    self.read_as = _OLDER[encoding]
                    self._decoder = codecs.getincrementaldecoder(encoding)("replace")
            made = self._decode(data) if self._decoder is None else self._recode(data, self._decoder)
            made = made.replace(codecs.BOM_UTF8, b"")
            yield made.replace(b"\r", b"\n") if self._returns else made

    def _decode(self, data: bytes) -> bytes:
        at_end, data = not data, self._undecoded + data
        try:
            _, used = codecs.utf_8_decode(data, "strict", at_end)
        except UnicodeDecodeError:
            marked, used = codecs.utf_8_decode(data, "replace", at_end)
            text, _ = codecs.utf_8_decode(data, _AS_WESTERN, at_end)
            self._undecoded = data[used:]
            self.replaced += marked.count("\ufffd") - data[:used].count(b"\xef\xbf\xbd")
            return text.encode()
        self._undecoded = data[used:]
        return data if used == len(data) else data[:used]

    def _recode(self, data: bytes, decoder: codecs.IncrementalDecoder) -> bytes:
        text = decoder.decode(data, not data)
        self.replaced += text.count("\ufffd") if self.read_as == WESTERN else len(_BEYOND_ASCII.findall(text))
        return text.encode("utf-8", "replace")


def decoded(data: bytes) -> str:
    """The text of a file that is in memory."""
    return b"".join(Utf8(io.BufferedReader(io.BytesIO(data))).pieces()).decode()


def _encoding_of(start: bytes) -> tuple[str, int]:
    """Name of the encoding and length of the byte order mark."""
    marks = (
        ("utf-8", codecs.BOM_UTF8),
        ("utf-32-le", codecs.BOM_UTF32_LE),
        ("utf-32-be", codecs.BOM_UTF32_BE),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
    )
    for encoding, mark in marks:
        if start.startswith(mark):
            return encoding, len(mark)
    even, odd = start[0::2], start[1::2]
    for encoding, one, other in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if len(start) >= 16 and one.count(0) > _MANY * len(one) and other.count(0) < _FEW * len(other):
            return encoding, 0
    return "utf-8", 0


def _older_encoding(data: bytes) -> str:
    """What the text is in that is neither Unicode nor, as far as can be told, Windows-1252; else "".

    `data` may end within a character.
    """
    text, whole = codecs.utf_8_decode(data, "replace", False)
    data = data[:whole]  # without the character that the end cuts
    damaged = text.count("\ufffd") - data.count("\ufffd".encode())
    if 2 * damaged <= len(_BEYOND_ASCII.findall(text)) or b"\0" in data:  # UTF-8, or no text
        return ""
    lines = [line for line in data.splitlines() if not line.isascii()]  # text in English hides the others
    older = [line for line in lines if line.decode("utf-8", "ignore").encode() != line]
    if _MIXED * (len(lines) - len(older)) > len(lines):  # files in several encodings that were put together
        return ""
    sizes = takewhile(lambda size: size < _SAMPLE, accumulate(map(len, older)))
    sample = b"\n".join(older[: max(1, len(list(sizes)))])[: 2 * _SAMPLE]
    if len(sample.translate(None, bytes(range(0x80)))) < _LETTERS:
        return ""
    from chardet import detect_all  # few files need it

    names = ["cp1252", *_OLDER]
    found = detect_all(sample, ignore_threshold=True, compat_names=False, include_encodings=names)
    sure = {one["encoding"]: one["confidence"] for one in found}
    best = next(iter(sure))
    return best if best in _OLDER and sure[best] >= _SURER_BY * sure.get("cp1252", 0) + _AND else ""
