"""Running text → sentences."""

import re
from collections.abc import Iterator

_ABBREVIATED = """
al approx app ca cf ch chap col cor dept dr ed eds e.g eg eq eqn eqs esp est et etc ex fig figs i.e ie inc lem mr mrs
ms no nos op p pp prof prop ref refs resp sec sect secs st suppl tab thm univ viz vol vols vs w.r.t wrt cir
anm aufl bes bspw bzw d.h ebd evtl ggf hrsg insb sog u.a vgl z.b cfr dott dra éd núm pág págs sra blz bijv
srov např por zob np m.in см ср напр
"""
_ABBREVIATED_BEFORE_NUMBERS = """
abb abs art arts bd bl cap čl cl ct gem jg kap lit nr para rdnr rev rn rys stat str supp tit стр
"""

# Before a full stop that ends no sentence. Initials ("J.") are recognised by their length.
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
# The same before a number alone: "state of the art" ends sentences.
_BEFORE_NUMBER = frozenset(_ABBREVIATED_BEFORE_NUMBERS.split())
# "etc." and "et al." may also stand at a sentence's end: there a capital follows.
_MAY_END = frozenset(("al", "etc", "inc"))
_NUMBERED = frozenset(("eq", "eqs", "fig", "figs", "no", "nos", "p", "pp", "ref", "refs", "sec", "secs", "tab", "vol"))
# A mark of its end, what closes behind it (quotes, brackets, private-use marks of citations, numbers of notes as in
# "grow.¹,²"), and a space.
_CLOSES = r"[\"'”’»)\]」』）】]*"
_MARKS = "[.!?…。！？．｡]"  # a row of them is looked at once, however long it is
_NOTES = r"(?:[,⁻–-]?[\ue000-\uf8ff⁰¹²³⁴-⁹])*"
_END = re.compile(rf"(?<!{_MARKS}){_MARKS}++{_CLOSES}{_NOTES}(?=\s|$)|(?:[。！？｡]|．(?!\d)){_CLOSES}")
_WORD_BEFORE = re.compile(r"([^\s(\[“‘\"']*)$")
_NUMBER = re.compile(r"\s*(?:[\d§]|(?:[IVXLC]{2,}|[VX])\b(?!-))")
# German ordinals, by what stands before or behind them: elsewhere what they count begins in lower case.
_ORDINAL = re.compile(r"\b(?:(?<!\bI )[Aa]m|[Dd](?:as|e[mnrs]|ie)|[Ii]m|[Vv]om|[Zz]u[mr])\s\d{1,2}$")
# What they count, as a regular expression.
COUNTED = (
    r"(?:Jahr(?:hundert|tausend)|(?:Jhs?|Jänner|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\b|"
    r"(?:April|August|September|November)(?=\s+\d{4})|Weltkrieg|Aufl(?:age|\.))"
)
_COUNTED = re.compile(rf"\s*{COUNTED}")
_LETTER = re.compile(r"\s*[^\W\d_]\.")  # the next one of "z. B." or "i. V. m."
_BEHIND_LETTER = re.compile(r"(?<!\w)[^\W\d_]\.\s*[^\W\d_]$")  # the last one
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")  # "U.S"
_PARTY = re.compile(r"(?<!\w)[A-ZÀ-Þ][\w.’'-]*\s+v$")  # "Katz v"
_CONTINUES = re.compile(r"\s*[a-z,;:)\]–—\u3041-\u3096、，；：-]")


def sentence_ends(text: str) -> Iterator[int]:
    """Where each sentence of a paragraph ends, the last included; characters from the private use area stand for marks.

    A full stop ends no sentence behind an abbreviation or an initial, nor where the text goes on in lower case; there
    other marks end none within brackets or quotes. Some abbreviations count before a number alone.
    """
    last = 0
    for end in _END.finditer(text):
        if end.end() < len(text) and (_goes_on if end[0][0] == "." else _is_within)(text, end.start(), end.end()):
            continue
        last = end.end()
        yield last
    if text[last:].strip():
        yield len(text)


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph, without the space around them."""
    found, start = [], 0
    for end in sentence_ends(text):
        found.append(text[start:end].strip())
        start = end
    return list(filter(None, found))


def _is_within(text: str, stop: int, end: int) -> bool:
    """Whether a mark stands in brackets or quotes, as in "[?]" or 「…。」と, behind which the sentence goes on."""
    return text[stop:end].strip("!?…。！？．｡") != "" and _CONTINUES.match(text, end) is not None


def _goes_on(text: str, stop: int, end: int) -> bool:
    """Whether the sentence goes on behind the full stop at `stop`; what belongs to the stop ends at `end`."""
    if _CONTINUES.match(text, end):
        return True
    behind = text[max(stop - 40, 0) : stop]
    before = _WORD_BEFORE.search(behind)
    word = before[1].lower() if before else ""
    if len(word) == 1 and word.isalpha() and before is not None:
        if before[1].isupper():
            return True  # an initial
        if _LETTER.match(text, end) or _BEHIND_LETTER.search(behind) or _PARTY.search(behind):
            return True
        if _NUMBER.match(text, end):
            return True  # "s. 12", "w r. 1998"
    if word.isdecimal() and len(word) <= 2:
        return _ORDINAL.search(behind) is not None or _COUNTED.match(text, end) is not None
    if word in _BEFORE_NUMBER or _DOTTED.fullmatch(word):
        return _NUMBER.match(text, end) is not None or word in _ABBREVIATIONS
    if word in _MAY_END:
        return not text[end:].lstrip()[:1].isupper()
    if word in _NUMBERED:
        return not text[end:].lstrip()[:1].isalpha() or word not in ("no", "p")
    return word in _ABBREVIATIONS and not behind.endswith(word.upper())  # as an acronym: "by GC-MS", "an NP"
