"""Styles of Word: what they are called, and what they hide."""

import re
from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"

_HEADING_STYLE = re.compile(r"heading ?[1-6]")
# Word's own, and those of the templates of MDPI, Elsevier, Springer, IEEE and ACM.
_TITLE_STYLE = re.compile(r"(?:mdpi_[\d.]+_|els-|paper ?)?title(?:_document)?")
_LEVELS = tuple("012345")  # of outlines; 9 is running text
# The codes of Greek letters, and of the signs that stand in sentences, in the font Symbol.
_LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\xa3\xae\xb0\xb1\xb3\xb4\xbb"
_GREEK = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖαβχδεφγηιϕκλμνοπθρστυϖωξψζ≤→°±≥×≈"
_SYMBOLS = {f"{ord(code):02X}": sign for code, sign in zip(_LATIN, _GREEK, strict=True)}
_USUAL_SIZE = 20  # half points
_LONGEST_NUMBER = 4  # digits
_LONGEST_CHAIN = 10  # of styles that are based on each other


def styles_of(part: Element) -> dict[str, str]:
    """Names of the styles by id; an id is in the language of whoever made the document, a name of Word's own is not."""
    styles = {style.get(f"{W}styleId", ""): style for style in part}
    return {id_: _style(id_, styles) for id_, style in styles.items() if style.find(f"{W}name") is not None}


def _style(id_: str, styles: Mapping[str, Element]) -> str:
    """What a style is called; one of a template as the heading or title of Word's own that it stands for."""
    own = value(styles[id_], f"{W}name")
    for style in _chain(id_, styles):
        name = value(style, f"{W}name").lower()
        if _HEADING_STYLE.fullmatch(name):
            return name
        if _TITLE_STYLE.fullmatch(name):
            return "title"
        if value(style, f"{W}pPr/{W}outlineLvl"):
            return in_outline(style) or own
    return own


def _chain(id_: str, styles: Mapping[str, Element]) -> Iterator[Element]:
    """A style and those that it is based on, the nearest first."""
    for _ in range(_LONGEST_CHAIN):
        if (style := styles.get(id_)) is None:
            return
        yield style
        id_ = value(style, f"{W}basedOn")


def sizes_of(part: Element) -> dict[str, float]:
    """The sizes of the styles by id, in half points; under "" that of a text without one."""
    styles = {style.get(f"{W}styleId", ""): style for style in part}
    default = _number(value(part, f"{W}docDefaults/{W}rPrDefault/{W}rPr/{W}sz")) or _USUAL_SIZE
    found: dict[str, float] = {}
    for id_, style in styles.items():
        sizes = (_number(value(one, f"{W}rPr/{W}sz")) for one in _chain(id_, styles))
        found[id_] = next(filter(None, sizes), default)
        if style.get(f"{W}default") == "1" and style.get(f"{W}type") == "paragraph":
            default = found[""] = found[id_]
    return {"": default, **found}


def size_of(paragraph: Element, sizes: dict[str, float]) -> float:
    """That of the first letters of a paragraph, with the sizes of the styles."""
    usual = sizes.get(value(paragraph, f"{W}pPr/{W}pStyle"), sizes[""])
    first = next((run for run in paragraph.iter(f"{W}r") if (run.findtext(f"{W}t") or "").strip()), None)
    return usual if first is None else _number(value(first, f"{W}rPr/{W}sz")) or usual


def _number(text: str) -> float:
    return float(text) if text.isdecimal() and len(text) <= _LONGEST_NUMBER else 0


def in_outline(holder: Element) -> str:
    """The heading of Word's own that a style or a paragraph stands for by its level in the outline; "" for none."""
    level = value(holder, f"{W}pPr/{W}outlineLvl")
    return f"heading {int(level) + 1}" if level in _LEVELS else ""


def value(parent: Element, path: str) -> str:
    """What the attribute `val` of the element at `path` says; "" where there is none."""
    found = parent.find(path)
    return found.get(f"{W}val", "") if found is not None else ""


def has_property(holder: Element, how: str, otherwise: bool = False) -> bool:
    """Whether a run or a style looks so, is "b"old or "vanish"es; `otherwise` where it does not say so."""
    found = holder.find(f"{W}rPr/{W}{how}")
    return otherwise if found is None else found.get(f"{W}val", "true") not in ("0", "false", "off")


def symbol(mark: Element) -> str:
    """The character that a mark takes from the font Symbol; "" for those of other fonts, which are pictures."""
    return _SYMBOLS.get(mark.get(f"{W}char", "")[-2:].upper(), "") if mark.get(f"{W}font") == "Symbol" else ""
