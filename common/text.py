"""Text as files, databases and other languages' libraries can hold it."""

import re
import unicodedata
from pathlib import Path

from common.formulas import GREEK, printed

STDIN = "standard input"  # what "-" is called
# Cc: control characters, terminal escapes among them. Cs: halves of surrogate pairs, which UTF-8 cannot hold.
_DROPPED = {"Cc", "Cs"}
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
# A word that was parted at the end of a line, but for "short- and long-term"; and marks where one may be parted.
_PARTED = re.compile(r"(?<!\w)(\w+)[-\u2010][ \t\r]*\n[ \t]*(?=(\w+)(-(?=\w))?)(?!(?:and|or|to|und|oder)\b(?!-))")
_COMPOUND = re.compile(r"(?<!\w)\w+-\w+")
# Digits and signs above and below the line. Above it they may be the mark of a note, as behind a word of three letters
# and more, or a power of a number: these stay. Those of isotopes stand before the symbol of an element.
_RAISED, _LOWERED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "₀₁₂₃₄₅₆₇₈₉₊₋"
# Bold, italic and other letters, in which some write whole words; some of them stand in a block of older signs.
_OF_MATHEMATICS = "ℂℊ-ℓℕℙ-ℝℤℨℬℭℯ-ℱℳℴ\U0001d400-\U0001d7ff"
_SET_APART = re.compile(
    rf"[{_LOWERED}µ{_OF_MATHEMATICS}]|(?<=[A-Za-z\u00c0-\u024f\u0370-\u03ff])(?<![A-Za-z]{{3}})[{_RAISED}]+"
    rf"|(?<![^\s(\[–-])[{_RAISED}]+(?=[A-Z][a-z]?(?![a-z]))"
)
_NAME_OF = {letter: name for name, letter in GREEK.items()} | {"ς": "sigma"}
_LETTER = "[\u0370-\u03ff]"
# "γδ T cells" is "gamma delta T cells" elsewhere. More letters are a Greek word, and μ before a letter is a millionth.
_SYMBOLS = re.compile(rf"(?<!{_LETTER})(?:[α-λν-ωΑ-ΛΝ-Ω]{{1,2}}|[μΜ](?![^\W_]))(?!{_LETTER})")
_WORD = re.compile(r"[^\W_]+")
_SOFT_HYPHEN = re.compile(r"\u00ad(?:[ \t\r]*\n[ \t]*(?=\w))?")
_ACCENTS = dict.fromkeys(range(0x0300, 0x0370))  # other scripts' marks are letters of their own and stay
# What NFD leaves whole.
_WHOLE = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
_LETTERS = _ACCENTS | str.maketrans(
    _WHOLE | {letter.upper(): plain.upper() for letter, plain in _WHOLE.items()} | {"ß": "ss", "ẞ": "SS"}
)
# These reverse the order in which text is shown, so that a title could rewrite what stands beside it.
_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def encodable(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair, which UTF-8 cannot hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def name_of(source: str) -> str:
    """What a file, a folder, or "-" is called."""
    return STDIN if source == "-" else encodable(Path(source).resolve().name)


def composed(text: str) -> str:
    """The text in NFC, as it is typed; macOS writes the names of files in NFD."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def unaccented(text: str) -> str:
    """The text in NFC with the letters of "Niño" and "Łódź" as English has them, those of "Nino" and "Lodz"."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).translate(_LETTERS))


def folded(text: str) -> str:
    """The text as it is compared where neither capitals nor accents count."""
    return unaccented(text.casefold())


def words_set_apart(text: str) -> str:
    """The words as they are compared, `folded`, a space around each, so that a phrase is a part of such a text."""
    return " ".join(["", *_WORD.findall(folded(unicodedata.normalize("NFKC", text))), ""])


def unligated(text: str) -> str:
    """The text with letters for the ligatures that PDFs have, as in "classiﬁed", which no search would find."""
    return text if text.isascii() else text.translate(_LIGATURES)


def on_the_line(text: str) -> str:
    """The text as it is searched: CO₂, Ca$^{2+}$ and 𝐓𝐞𝐱𝐭 are CO2, Ca2+ and Text; of two letters µ the Greek one."""
    if "$" in text or "\\" in text:
        text = printed(text)
    return text if text.isascii() else _SET_APART.sub(_plain, text)


def as_searched(text: str) -> str:
    """The text as BM25 and searches for words take it: `on_the_line`, TNFα as TNF alpha."""
    return with_names_of_letters(on_the_line(text))


def words_as_searched(text: str) -> str:
    """`words_set_apart` as BM25 has them: "TNFα" is "TNF-alpha"."""
    return words_set_apart(as_searched(text))


def with_names_of_letters(text: str) -> str:
    """The text with Greek letters that are symbols as words: TNF alpha for TNFα."""
    if text.isascii():
        return text
    return _SYMBOLS.sub(
        lambda found: f" {' '.join(_NAME_OF.get(letter, letter) for letter in found[0].lower())} ", text
    )


def _plain(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", found[0]).replace("\u2212", "-")


def without_soft_hyphens(text: str) -> str:
    """The text without marks where words may be parted, as web pages have them, nor the line breaks at such places."""
    return _SOFT_HYPHEN.sub("", text) if "\u00ad" in text else text


def whole_words(text: str) -> str:
    """The text with words in one piece that were parted at the ends of lines, as PDFs have them; no soft hyphens.

    The hyphen stays in a compound of three words and more, and in one that stands elsewhere in the text.
    """
    text = without_soft_hyphens(text)
    if "\n" not in text:
        return text
    compounds = set(_COMPOUND.findall(text.lower()))

    def joined(parted: re.Match[str]) -> str:
        before, after, goes_on = parted.groups()
        if not (before[-1].islower() and after[0].islower()):
            return parted[0]
        return f"{before}-" if goes_on or f"{before}-{after}".lower() in compounds else before

    return _PARTED.sub(joined, text)


def one_line(text: str) -> str:
    """The text on one line, without control characters, direction overrides and doubled spaces."""
    line = " ".join(text.split())
    if line.isascii() and line.isprintable():
        return line
    kept = "".join(mark for mark in line if unicodedata.category(mark) not in _DROPPED and mark not in _DIRECTION)
    return " ".join(kept.split())


def clean_lines(text: str) -> str:
    """The text with each line as `one_line` makes it; of several blank lines one stays, and none at the ends."""
    lines = [one_line(line) for line in text.splitlines()]
    return "\n".join(line for line, before in zip(lines, ["", *lines], strict=False) if line or before).rstrip("\n")
