"""Text that comes with traces of other formats → plain text; names, and ids for records that come without any."""

import html
import re
from collections.abc import Sequence

from common.names import family_first, initials_last, parse_name, stored_name, stored_whole

_TAG = re.compile(
    r"</?(?:i|b|u|em|strong|su[bp]|inf|sc|scp|small|span|p|br|a|tt|italic|bold|title|sec|inline-formula|jats:[a-z-]+"
    r"|mml:[a-z]+|math|m[inorst]|mrow|msu[bp]|mfrac|tex-math)"
    # Attributes have values, unlike what stands between "a <b and c> d".
    r"""(?:\s+[\w:.-]{1,50}\s*=\s*(?:"[^"<]{0,500}"|'[^'<]{0,500}'|[^\s"'<>=]{1,500}))*\s*/?>""",
    re.IGNORECASE,
)
# It would be the first word of the text.
_HEADING = re.compile(r"<(jats:)?title>\s*abstract[\s.:]*</(jats:)?title>", re.IGNORECASE)
_BLOCK = re.compile(r"</?(?:jats:)?(?:p|br|title|sec|list|list-item|label)\b", re.IGNORECASE)  # they part words
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});", re.IGNORECASE)
# A full stop that belongs to the last word: of an abbreviation, and of one with another stop in it, such as "U.S.".
_OF_THE_WORD = re.compile(
    r"(?:(?:^|[\s(])(?:al|etc|vs|spp?|ssp|subsp|var|cf|nov|gen|Inc|Ltd|Co|Corp|Jr|Sr)|\.[^\s.]*)\.$"
)
# Springer has one around each formula.
_DOCUMENT = re.compile(
    r"\\documentclass\[12pt\]\{minimal\}.{0,1000}?\\begin\{document\}(.{0,1000}?)\\end\{document\}", re.DOTALL
)
# Of a formula in LaTeX, in MathML once more.
_MATHML_BESIDE = re.compile(r"(?<=tex-math>)\s*<mml:math\b.{0,20000}?</mml:math>", re.DOTALL)
_LAST_POSITION = 100_000  # words of an inverted abstract beyond it are not read


def without_markup(value: object) -> object:
    """Text without HTML, JATS and MathML tags, and documents around formulas, entities resolved; others as they are."""
    if not isinstance(value, str):
        return value
    if "\\documentclass" in value:
        value = _DOCUMENT.sub(r"\1", value)
    if not ("<" in value or "&" in value):
        return value
    value = _untagged(value)
    return html.unescape(_untagged(html.unescape(value))) if _ENTITY.search(value) else value


def _untagged(text: str) -> str:
    if "tex-math>" in text:
        text = _MATHML_BESIDE.sub("", text)
    return _TAG.sub(lambda tag: " " if _BLOCK.match(tag[0]) else "", _HEADING.sub("", text))


def without_final_stop(title: str) -> str:
    """A title without the full stop that PubMed puts behind each: it would stand in every list of references."""
    return title if _OF_THE_WORD.search(title) else title.removesuffix(".")


def with_subtitle(title: str, subtitle: str) -> str:
    """The title with its subtitle, which it may have already, behind a colon or another mark."""
    title, subtitle = title.strip(), subtitle.strip()
    if not title or title.casefold().endswith(subtitle.casefold()):
        return title or subtitle
    return f"{title} {subtitle}" if title.endswith((":", "?", "!")) else f"{title}: {subtitle}"


def from_inverted_index(index: object) -> str:
    """The text whose words are given with their positions: {"word": [0, 7], …}."""
    if not isinstance(index, dict):
        return ""
    words: dict[int, str] = {}
    for word, positions in index.items():
        for position in positions if isinstance(positions, list) else []:
            if isinstance(position, int) and 0 <= position <= _LAST_POSITION:
                words[position] = str(word)
    return " ".join(words[position] for position in sorted(words))


def person(*parts: object) -> str:
    """One name from its parts, such as first, middle and last; lists are joined, anything else is left out.

    In scripts whose names begin with the family name, the last part comes first.
    """
    words = (word for part in parts for word in (part if isinstance(part, list) else [part]))
    found = [word.strip() for word in words if isinstance(word, str) and word.strip()]
    if len(found) > 1 and family_first("".join(found)):
        found = [found[-1], *found[:-1]]
    return " ".join(found)


def parted_person(family: object, given: object = None, suffix: object = None) -> str:
    """One name whose parts the source tells apart, as `common.names` stores it; lists are joined."""
    return stored_name(*map(person, (family, given, suffix)))


def last_first(name: str) -> str:
    """The name "Berg, Ann, Jr." as `common.names` stores it; a name without a comma as it is."""
    last, comma, rest = name.partition(",")
    first, _, suffix = rest.partition(",")
    if suffix and not (parts := parse_name(name)).whole:
        return stored_name(parts.surname, parts.given, parts.suffix)
    return parted_person(last, first, suffix) if comma else name.strip()


def all_last_first(names: Sequence[str]) -> list[str]:
    """A list of such names. Beside names with commas, several words without one are an organisation's."""
    parted = any("," in name for name in names)
    return [stored_whole(name) if parted and "," not in name else last_first(name) for name in names]


def initials_first(name: str, always: bool = False) -> str:
    """The name "van den Berg J.-A." as "J.-A. van den Berg"; one that does not end in initials as it is.

    For `always` see `initials_last`.
    """
    parts = initials_last(name, always)
    return stored_name(*parts) if parts else name


def with_comma(name: str) -> str:
    """The name "King ML Jr" as "King, ML, Jr"; a single word, or a name with a comma, as it is."""
    if (parts := initials_last(name)) and parts[2]:
        return ", ".join(parts)
    family, _, initials = name.rpartition(" ")
    return f"{family}, {initials}" if family and "," not in name else name
