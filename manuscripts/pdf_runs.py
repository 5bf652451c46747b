"""What a PDF's page consists of: pieces of text, each set in one font at one place."""

import math
import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from common.line_numbers import counting
from common.text import unligated

_BOLD = re.compile(r"bold|heavy|black|medi(?!um)|bx\d", re.IGNORECASE)  # names of fonts
# Fonts without accented letters, LaTeX's usual ones, set the accent before its letter; a cedilla behind a capital.
_ACCENTS = dict(
    zip("`´ˆ˜¯˘˙¨˚˝ˇ¸", "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327", strict=True)
)
# Fonts that do not say what their glyphs are, as LaTeX's as bitmaps: places of its encodings OT1 and T1.
_GLYPHS = {
    **dict(zip(range(0x0B, 0x10), ("ff", "fi", "fl", "ffi", "ffl"), strict=True)),
    **dict(zip(range(0x1B, 0x20), ("ff", "fi", "fl", "ffi", "ffl"), strict=True)),
    **dict(zip((0x10, 0x11, 0x12, 0x15, 0x16), "“”„–—", strict=True)),
}
# LaTeX calls the glyphs of its bitmaps a1, a2, … by their places, and what it says of their letters are the dingbats of
# these names: these, from the first on.
_DINGBATS = (
    "✁✂✄☎✆✝✞✟✠✡☛☞✌✍✎✏✑✒✓✔✕✖✗✘✙✚✛✜✢✣✤✥✦✧★✩✪✫✬✭✮✯✰✱✲✳✴✵✶✷✸✹✺✻✼✽✾✿❀❁❂❃❄❅❆❇❈❉❊❋●❍■❏❑▲▼◆❖"
    "P◗❘❙❚❯❱❲❳❨❩❬❭❪❫❴❵❛❜❝❞❡❢❣❤✐❥❦❧♠♥♦♣qrst✉✈✇①②③④⑤⑥⑦"
)
_PLACE = re.compile(r"/a\d+")
_PLACES = str.maketrans({dingbat: chr(place) for place, dingbat in enumerate(_DINGBATS, start=1)})
# Fonts such as Liberation have ligatures at places of private use, where icons of other fonts are, too.
_PRIVATE = {"\uf001": "fi", "\uf002": "fl"}
_BESIDE_LETTERS = re.compile(r"(?<=[^\W\d_])[\uf001\uf002]|[\uf001\uf002](?=[^\W\d_])")
_NAMED = re.compile(r"/f(?:_[fijlt]){1,2}")  # glyphs whose names the parser does not know, such as "/f_f_i"
_ALONE = re.compile(r"( ?)([\ufb00-\ufb06])")
_BEFORE = re.compile(r"[^\W\d_]|[(\[“‘«\"']")  # the ligature's other letters, or what opens before its word
_EVEN = 0.1  # of the size
_ACCENTED = re.compile(r"([´ˆ¨¯˘˙˚˝ˇ¸]|(?<!/)˜|`(?![^\s`]*`))([^\W\d_])|([A-Z])(¸)")
_NUMBER = re.compile(r"\s*\d{1,4}\s*")
_LETTERS, _WORD, _WORDS = re.compile(r"[^\W\d_]"), 5, 10  # letters of what is more than a formula
_MOST_APART = 0.33  # of the numbers of lines, with other lines between them
_NEAR = 0.7  # of the size: no line between two numbers, as of those at the margins of templates, which keep to no line
_MARGIN = 3.0  # of the size: in a column so wide stand the numbers of lines, of up to four digits
_DIGITS = re.compile(r"\d+")
_SPACE, _SPACE_WIDTH = ord(" "), 250.0  # its place, and how wide it is where a font has none, of 1,000
_NEVER_USED = b"\n1 beginbfchar\n<ffff> <0020>\nendbfchar"


@dataclass(frozen=True, slots=True)
class Run:
    """Text that is set in one font."""

    text: str
    size: float  # points on the page
    height: float  # of its base line above the page's lower edge, points
    left: float = 0.0  # of its first letter from the page's left edge, points
    bold: bool = False
    upright: bool = False  # set so in the margin, as arXiv's stamp


_END = Run("\n", 0.0, 0.0)


def runs_of(page: Any) -> list[Run]:
    """The whole text of a page, piece by piece, without the numbers of its lines."""
    seen: list[tuple[Run, str]] = []
    _say_where_no_space_is(page)

    def visit(text: str, matrix: Sequence[float], text_matrix: Sequence[float], font: Any, size: float) -> None:
        a, b, c, d, e, f = text_matrix
        ma, mb, mc, md, me, mf = matrix
        along, across = a * ma + b * mc, a * mb + b * md
        scale = math.hypot(c * ma + d * mc, c * mb + d * md)
        places = (abs(size) * scale, e * mb + f * md + mf, e * ma + f * mc + me)  # as in a Run
        name = str(font.get("/BaseFont", "")) if font else ""
        if not text.isascii() and _is_bitmap(font):
            text = text.translate(_PLACES)
        known = places if all(map(math.isfinite, places)) else (0.0, 0.0, 0.0)  # a damaged file has others
        text = _NAMED.sub(lambda found: found[0][1:].replace("_", ""), text)
        read = _BESIDE_LETTERS.sub(lambda found: _PRIVATE[found[0]], text.translate(_GLYPHS))
        run = Run(_composed(read), *known, _BOLD.search(name) is not None, abs(across) > abs(along))
        seen.append((run, name))

    page.extract_text(visitor_text=visit, space_width=_SPACE_WIDTH)
    runs = [replace(run, text=unligated(run.text)) for run in _with_ligatures(seen)]
    numbers = _line_numbers(runs)
    return [replace(run, text=_DIGITS.sub("", run.text)) if id(run) in numbers else run for run in runs]


def _is_bitmap(font: Any) -> bool:
    """Whether it calls its glyphs as LaTeX's bitmaps do; dingbats of other drawn fonts, as browsers', are meant."""
    with suppress(KeyError, TypeError, AttributeError):
        names = map(str, font["/Encoding"]["/Differences"])
        return font["/Subtype"] == "/Type3" and any(map(_PLACE.fullmatch, names))
    return False


def _say_where_no_space_is(page: Any) -> None:
    """Change the page's fonts that have no space, as LaTeX's, so that the parser does not take another glyph for it.

    It sees a gap between words from half the width of a space on, and such a glyph may be twice as wide as one.
    """
    with suppress(KeyError, TypeError, AttributeError):  # what is damaged, or has no fonts
        for font in page["/Resources"]["/Font"].values():
            with suppress(KeyError, TypeError, AttributeError):
                _say_if_none(font.get_object())


def _say_if_none(font: Any) -> None:
    from pypdf.generic import ArrayObject, DecodedStreamObject, NameObject, NumberObject

    if font["/Subtype"] == "/Type0":  # the parser's space is the first that this names: one that is never used
        data = font["/ToUnicode"].get_data()
        if not data.endswith(_NEVER_USED):
            stream = DecodedStreamObject()
            stream.set_data(data + _NEVER_USED)
            font[NameObject("/ToUnicode")] = stream
    elif "/BaseEncoding" not in font["/Encoding"] and "/space" not in font["/Encoding"]["/Differences"]:
        widths = enumerate(font["/Widths"], start=font["/FirstChar"])
        font[NameObject("/Widths")] = ArrayObject(NumberObject(0) if place == _SPACE else one for place, one in widths)


def _with_ligatures(runs: Sequence[tuple[Run, str]]) -> list[Run]:
    """The runs, each with its font, that are not empty; a ligature of another font is joined to the letters beside it.

    The parser sees gaps where the font changes within a word, as browsers print a ligature that the text's font lacks.
    """
    found: list[Run] = []
    every = [(run, font) for run, font in runs if run.text]
    fonts = ["", ""]  # of the run before, and of the one before that
    goes_on = False  # whether the run before is such a ligature
    for (run, font), (behind, next_font) in zip(every, [*every[1:], (_END, "")], strict=True):
        alone = _ALONE.fullmatch(run.text) if font not in (next_font, fonts[0]) else None
        last = found[-1] if found else _END
        beside = last.text[-1] != "\n" != run.text[0] and _are_even(last, run)
        if alone and beside and _BEFORE.match(last.text[-1]) and not (alone[1] and behind.text[0].isalpha()):
            found[-1] = replace(last, text=last.text + alone[2])
        elif goes_on and beside and font == fonts[1]:
            found[-1] = replace(last, text=last.text + run.text.removeprefix(" "))
        else:
            found.append(run)
        fonts, goes_on = [font, fonts[0]], alone is not None
    return found


def _are_even(one: Run, other: Run) -> bool:
    """Whether both are set in one size, which what is slanted has hardly, and on one line."""
    return abs(one.size - other.size) < _EVEN * one.size and abs(one.height - other.height) < _EVEN * one.size


def _composed(text: str) -> str:
    """The text with accented letters for accents beside letters, as in "M¨uller", which no search would find."""
    return text if text.isascii() and "`" not in text else _ACCENTED.sub(_with_accent, text)


def _with_accent(found: re.Match[str]) -> str:
    accent, letter = found[1] or found[4], (found[2] or found[3]).replace("ı", "i")
    composed = unicodedata.normalize("NFC", letter + _ACCENTS[accent])
    return composed if len(composed) == 1 else found[0]


def _line_numbers(runs: Sequence[Run]) -> set[int]:
    """The `id`s of the runs that number the lines, as manuscripts for reviewers have them."""
    letters = [(run, len(_LETTERS.findall(run.text))) for run in runs]
    numbers = [run for run in runs if _NUMBER.fullmatch(run.text)]
    count = len({round(run.height) for run, some in letters if some >= _WORDS})
    found = [numbers[place] for place in counting([int(run.text) for run in numbers], count)]
    # Those of citations, "(12)", count, too, but stand anywhere on their lines; or beside others, as every fifth entry.
    margins = [min(run.left for run in found), max(run.left for run in found)] if found else []
    beside = [run for run in numbers if any(abs(run.left - margin) < _MARGIN * run.size for margin in margins)]
    if not {id(run) for run in found} <= {id(run) for run in beside} or len(beside) > 2 * len(found):
        return set()
    # Those of a reference list count, too; but its entries have several lines.
    lines = {(round(run.height), _NEAR * run.size) for run, some in letters if some >= _WORD}
    apart = sum(
        any(below.height + near < line < run.height - near for line, near in lines) for below, run in pairwise(found)
    )
    by_ones = len(found) > 1 and int(found[0].text) - int(found[1].text) == 1
    return set() if by_ones and apart > _MOST_APART * len(found) else set(map(id, found))
